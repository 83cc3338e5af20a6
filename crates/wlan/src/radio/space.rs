//! The space of one cell: where its members are now, and so what power arrives where.

use airfair_units::{Bytes, DataRate, Dbm, Decibels, Probability, Time};
use rand_core::Rng;

use super::decoding::Decoding;
use super::draws::Draws;
use super::fading::{Fading, LinkGain};
use super::mobility::{Mobility, Mover};
use super::propagation::PathLoss;
use super::reception::{Radio, Terminal};
use super::region::Position;
use crate::config::NodeId;
use crate::hearing::Reach;
use crate::node::Stream;

/// What a cell's space is made of. The access point is at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Receivers, and the loss between access point and stations.
    pub radio: Radio,
    /// Loss between two stations.
    pub between: PathLoss,
    /// Power of every member, antenna gains included.
    pub transmit_power: Dbm,
    /// Standard deviation of each link's shadowing.
    pub shadowing: Decibels,
    /// How links to the access point vary.
    pub fading: Fading,
    /// Ways of the stations.
    pub ways: Vec<Mobility>,
    /// Rates that anyone may use.
    pub rates: Vec<DataRate>,
}

/// Random sources of one station.
#[derive(Clone, Debug)]
pub struct StationStreams {
    /// Where it goes.
    pub way: Stream,
    /// Shadowing and fading of its link to the access point.
    pub link: Stream,
    /// Which of the link's frames are spoilt.
    pub errors: Stream,
}

/// One station with its link to the access point.
#[derive(Debug)]
struct Place {
    mover: Mover,
    link: LinkGain,
    errors: Stream,
    /// Its part in the shadowing between stations.
    seed: u64,
}

/// Members at their places.
#[derive(Debug)]
pub struct Space {
    radio: Radio,
    between: PathLoss,
    terminal: Terminal,
    shadowing: Decibels,
    places: Vec<Place>,
    decoding: Decoding,
    /// Power at which each rate is just received.
    required: Vec<(DataRate, Dbm)>,
}

impl Space {
    /// The space at the start of a run; streams in the order of the stations.
    ///
    /// # Panics
    /// If there is not one set of streams for each station.
    pub fn new(layout: &Layout, streams: Vec<StationStreams>) -> Self {
        assert_eq!(layout.ways.len(), streams.len(), "one set of streams per station");
        let place = |(way, mut streams): (&Mobility, StationStreams)| Place {
            seed: streams.link.next_u64(),
            link: LinkGain::new(layout.shadowing, layout.fading, &mut streams.link),
            mover: Mover::new(way.clone(), streams.way),
            errors: streams.errors,
        };
        let required = |rate: &DataRate| (*rate, layout.radio.required_power(*rate));
        Self {
            radio: layout.radio,
            between: layout.between,
            terminal: Terminal {
                transmit_power: layout.transmit_power,
                antenna_gain: Decibels::ZERO,
            },
            shadowing: layout.shadowing,
            places: layout.ways.iter().zip(streams).map(place).collect(),
            decoding: Decoding::new(layout.radio),
            required: layout.rates.iter().map(required).collect(),
        }
    }

    /// Whether all members decode each other's frames, whatever the rate, as long as the run lasts: then
    /// nobody need ask who hears whom.
    pub fn all_decode(&self, end: Time) -> bool {
        let corners: Vec<(Position, Position)> = std::iter::once(Default::default())
            .chain(self.places.iter().map(|place| place.mover.bounds(end)))
            .collect();
        let sensed = self.radio.carrier_sense;
        // Two members have no third party: it is enough that they sense each other.
        let highest = self.required.iter().map(|(_, power)| *power).max().unwrap_or(sensed);
        let needed = if corners.len() > 2 { sensed.max(highest) } else { sensed };
        if self.radio.capture.is_some() {
            return false;
        }
        let farthest = |(a, b): (usize, usize)| {
            let span = |low: f64, high: f64, other: f64, up: f64| (up - low).max(high - other);
            let ((low, high), (other, up)) = (corners[a], corners[b]);
            let (x, y) = (span(low.x, high.x, other.x, up.x), span(low.y, high.y, other.y, up.y));
            self.power((id(a), id(b)), libm::sqrt(x * x + y * y))
        };
        pairs(corners.len()).all(|pair| farthest(pair) >= needed)
    }

    /// What a frame of `from` at `rate` that starts now is to each other member: too faint to be noticed,
    /// noise, or a frame. To whom it is addressed it is a frame as soon as it is sensed: whether it is
    /// spoilt is drawn at its end.
    pub(crate) fn reach(
        &mut self,
        now: Time,
        (from, to): (NodeId, NodeId),
        rate: DataRate,
        mut tell: impl FnMut(NodeId, Reach),
    ) {
        let required = self.required.iter().find(|(known, _)| *known == rate);
        let required = required.map_or_else(|| self.radio.required_power(rate), |known| known.1);
        let here = self.position(now, from);
        for index in 0..=self.places.len() {
            let listener = id(index);
            if listener == from {
                continue;
            }
            let distance = here.distance(self.position(now, listener));
            let power = self.power((from, listener), distance);
            let reach = if !self.radio.senses(power) {
                Reach::Nothing
            } else if listener == to || power >= required {
                Reach::Decodes
            } else {
                Reach::Senses
            };
            tell(listener, reach);
        }
    }

    /// Whether noise spoils a frame between a station and the access point that ends now.
    pub(crate) fn spoil(
        &mut self,
        now: Time,
        station: NodeId,
        rate: DataRate,
        psdu: Bytes,
    ) -> bool {
        let loss = self.loss(now, station, rate, psdu);
        loss.happens(self.places[station.index() - 1].errors.next_u64())
    }

    /// Probability that noise spoils a frame between a station and the access point now.
    pub(crate) fn loss(
        &mut self,
        now: Time,
        station: NodeId,
        rate: DataRate,
        psdu: Bytes,
    ) -> Probability {
        let received = self.received(now, station);
        self.decoding.loss(rate, psdu, received)
    }

    /// Power that a station and the access point now receive of each other, fading included.
    fn received(&mut self, now: Time, station: NodeId) -> Dbm {
        let place = &mut self.places[station.index() - 1];
        let distance = Position::default().distance(place.mover.position(now));
        let gain = place.link.gain(now);
        self.radio.received(self.terminal, self.terminal, distance, gain)
    }

    fn position(&mut self, now: Time, node: NodeId) -> Position {
        if node.is_ap() {
            return Position::default();
        }
        self.places[node.index() - 1].mover.position(now)
    }

    /// Power of one member at another without fading, over `distance` [m].
    fn power(&self, (a, b): (NodeId, NodeId), distance: f64) -> Dbm {
        let station = a.index().max(b.index());
        if a.is_ap() || b.is_ap() {
            let gain = self.places[station - 1].link.shadowing();
            return self.radio.received(self.terminal, self.terminal, distance, gain);
        }
        self.terminal.transmit_power - self.between.loss(distance) + self.shadow(a, b)
    }

    /// Shadowing between two stations, the same both ways: drawn anew at each question, as there are many
    /// pairs.
    fn shadow(&self, a: NodeId, b: NodeId) -> Decibels {
        if self.shadowing == Decibels::ZERO {
            return Decibels::ZERO;
        }
        let seed = |node: NodeId| self.places[node.index() - 1].seed;
        let (draw, _) = Draws::new(seed(a) ^ seed(b)).normal_pair(0);
        Decibels::rounded(self.shadowing.get() * draw)
    }
}

fn id(index: usize) -> NodeId {
    NodeId(u16::try_from(index).expect("at most 65 535 members"))
}

fn pairs(members: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..members).flat_map(move |a| (a + 1..members).map(move |b| (a, b)))
}
