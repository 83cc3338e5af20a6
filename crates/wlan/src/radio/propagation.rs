//! Propagation in one cell: positions of its members and the powers that result.
//!
//! Nothing is scheduled for members that move. A position is computed when a frame needs it. The audibility of a
//! transmitter's frames at one rate is a row with an `Audibility` for each member. The row is valid until some member
//! can have moved so far that an audibility changes. This time follows from the distances to the limits of audibility
//! and from the highest speeds.

use std::sync::atomic::{AtomicBool, Ordering};

use airfair_units::{Bytes, Dbm, Decibels, Duration, Probability, Time};
use rand_core::Rng;

use super::decoding::Decoding;
use super::draws::Draws;
use super::fading::{Fading, LinkGain};
use super::mobility::{Mobility, Mover};
use super::path_loss::PathLoss;
use super::reception::{Decoder, Radio, Terminal, milliwatts};
use super::region::Position;
use crate::air::hearing::Audibility;
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::random::Stream;

/// Positions and radios of a cell. The access point is at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Radio of the members, with the path loss between access point and stations.
    pub radio: Radio,
    /// Path loss between two stations.
    pub between: PathLoss,
    /// Transmit power of every member, antenna gains included.
    pub transmit_power: Dbm,
    /// Standard deviation of each link's shadowing.
    pub shadowing: Decibels,
    /// Fading of the links between the access point and the stations.
    pub fading: Fading,
    /// Mobility of each station.
    pub ways: Vec<Mobility>,
    /// Vectors of all frames that members of the cell may send.
    pub vectors: Vec<TxVector>,
    /// Position of the access point among those of other cells.
    pub origin: Position,
    /// Loss of the walls around the cell, which frames between it and other cells pass.
    pub walls: Decibels,
    /// Seed of the shadowing between the access point and members of other cells.
    pub seed: u64,
}

/// Transmitter of a frame, as other cells hear it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// Position among all cells.
    position: Position,
    power: Dbm,
    is_ap: bool,
    is_still: bool,
    seed: u64,
    walls: Decibels,
}

/// Received powers of the last frame of a foreign member, if it does not move.
#[derive(Clone, Debug, Default)]
struct ForeignPowers {
    /// Transmit power for which the powers were calculated.
    of: Option<Dbm>,
    powers: Vec<Dbm>,
}

/// Random streams of one station.
#[derive(Clone, Debug)]
pub struct StationStreams {
    /// Stream for the motion of the station.
    pub way: Stream,
    /// Stream for shadowing and fading of the link to the access point.
    pub link: Stream,
    /// Stream for the errors of frames between the station and the access point.
    pub errors: Stream,
}

/// One station with its link to the access point.
#[derive(Clone, Debug)]
struct Place {
    mover: Mover,
    link: LinkGain,
    errors: Stream,
    /// Seed of the shadowing between this station and others.
    seed: u64,
    /// Speed that the station never exceeds [m/s].
    speed: f64,
}

/// Audibility (not sensed, sensed or decoded) of one member's frames with one TXVECTOR, for each member.
#[derive(Clone, Debug)]
struct Row {
    tx: TxVector,
    /// Power at which frames with the TXVECTOR `tx` are just received.
    required: Dbm,
    /// Time until which `audibility` is valid, because until then no member can have moved too far.
    until: Time,
    audibility: Vec<Audibility>,
    /// True if every member at least senses the member's frames with the TXVECTOR `tx`.
    all_sense: bool,
}

/// Members of a cell at their positions.
#[derive(Clone, Debug)]
pub struct Propagation {
    radio: Radio,
    between: PathLoss,
    terminal: Terminal,
    shadowing: Decibels,
    places: Vec<Place>,
    decoding: Decoding,
    /// Power at which the most demanding frames of all members are just received.
    required: Option<Dbm>,
    /// Rows of audibilities of each member's frames, one for each TXVECTOR that the member has used.
    rows: Vec<Vec<Row>>,
    origin: Position,
    walls: Decibels,
    seed: u64,
    /// Received powers of each foreign member's frames, as far as they are known.
    foreign: Vec<ForeignPowers>,
    /// Powers at which foreign frames with some vectors are just received.
    known: Vec<(TxVector, Dbm)>,
}

impl Propagation {
    /// Creates the members of a cell at the start of a run. The streams are in the order of the stations.
    ///
    /// # Panics
    /// If the number of streams differs from the number of stations.
    pub fn new(layout: &Layout, streams: Vec<StationStreams>) -> Self {
        assert_eq!(layout.ways.len(), streams.len(), "one set of streams per station");
        let place = |(way, mut streams): (&Mobility, StationStreams)| {
            let mover = Mover::new(way.clone(), streams.way);
            Place {
                seed: streams.link.next_u64(),
                link: LinkGain::new(layout.shadowing, layout.fading, &mut streams.link),
                speed: mover.highest_speed(),
                mover,
                errors: streams.errors,
            }
        };
        let required = layout.vectors.iter().map(|tx| layout.radio.required_power(*tx)).max();
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
            required,
            rows: (0..=layout.ways.len()).map(|_| Vec::new()).collect(),
            origin: layout.origin,
            walls: layout.walls,
            seed: layout.seed,
            foreign: Vec::new(),
            known: Vec::new(),
        }
    }

    /// Usual transmit power of a member.
    pub(crate) fn transmit_power(&self) -> Dbm {
        self.terminal.transmit_power
    }

    /// Member `from` as a transmitter that other cells hear, with its power less `reduction`.
    pub(crate) fn source(&mut self, now: Time, from: NodeId, reduction: Decibels) -> Source {
        let Position { x, y } = self.position(now, from);
        Source {
            position: Position { x: self.origin.x + x, y: self.origin.y + y },
            power: self.terminal.transmit_power - reduction,
            is_ap: from.is_ap(),
            is_still: self.speed(from) <= 0.0,
            seed: self.seed_of(from),
            walls: self.walls,
        }
    }

    /// Received power at each member of a frame of a foreign member, which has this place among all of them.
    pub(crate) fn foreign_powers(&mut self, now: Time, place: usize, source: &Source) -> &[Dbm] {
        if self.foreign.len() <= place {
            self.foreign.resize(place + 1, ForeignPowers::default());
        }
        if self.foreign[place].of != Some(source.power) {
            let mut powers = std::mem::take(&mut self.foreign[place].powers);
            powers.clear();
            powers
                .extend((0..=self.places.len()).map(|it| self.foreign_power(now, id(it), source)));
            let are_still = source.is_still && self.places.iter().all(|it| it.speed <= 0.0);
            let of = are_still.then_some(source.power);
            self.foreign[place] = ForeignPowers { of, powers };
        }
        &self.foreign[place].powers
    }

    fn foreign_power(&mut self, now: Time, to: NodeId, source: &Source) -> Dbm {
        let Position { x, y } = self.position(now, to);
        let here = Position { x: self.origin.x + x, y: self.origin.y + y };
        let is_mixed = source.is_ap != to.is_ap();
        let path_loss = if is_mixed { &self.radio.path_loss } else { &self.between };
        let loss = path_loss.loss(here.distance(source.position));
        let shadow = self.shadow_of(source.seed ^ self.seed_of(to));
        source.power - loss - self.walls - source.walls + shadow
    }

    fn seed_of(&self, member: NodeId) -> u64 {
        if member.is_ap() { self.seed } else { self.places[member.index() - 1].seed }
    }

    /// Draws the errors of a frame as [`errs`](Self::errs) does, with its power less `reduction` and under
    /// `interference` [mW], which increases the noise. With sensitivities and a capture margin, the margin decides under
    /// interference: signals have no error rate then. Deviates: [D-281]
    pub(crate) fn errs_among(
        &mut self,
        now: Time,
        station: NodeId,
        (tx, psdu): (TxVector, Bytes),
        (interference, reduction): (f64, Decibels),
    ) -> bool {
        let received = self.received(now, station) - reduction;
        let noise = milliwatts(self.radio.channel_noise(tx));
        let rise = Decibels::rounded(10.0 * libm::log10(1.0 + interference / noise));
        let margin = self.radio.capture.filter(|_| self.radio.decoder == Decoder::Sensitivity);
        let (power, is_lost) = match margin {
            Some(margin) => {
                let ratio = received - self.radio.channel_noise(tx) - rise;
                (received, interference > 0.0 && ratio < margin)
            }
            None => (received - rise, false),
        };
        let loss = self.decoding.loss(tx, psdu, power);
        let draw = self.places[station.index() - 1].errors.next_u64();
        is_lost || loss.happens(draw)
    }

    /// Audibility of a frame of any transmitter at each member, by its received powers.
    pub(crate) fn audibility_at(
        &mut self,
        tx: TxVector,
        powers: &[Dbm],
    ) -> impl Iterator<Item = Audibility> {
        let required = self.required_power(tx);
        powers.iter().map(move |power| self.radio.audibility(*power, required))
    }

    /// Power at which frames with this vector are just received, which takes long to calculate.
    fn required_power(&mut self, tx: TxVector) -> Dbm {
        if let Some((_, power)) = self.known.iter().find(|(of, _)| *of == tx) {
            return *power;
        }
        let power = self.radio.required_power(tx);
        self.known.push((tx, power));
        power
    }

    /// True if all members decode each other's frames at any rate, until `end`. Audibility then need not be calculated
    /// for each frame. The time of the call grows with the square of the number of members. Returns `None` once
    /// `cancel` is set.
    pub fn all_decode(&self, end: Time, cancel: &AtomicBool) -> Option<bool> {
        let corners: Vec<(Position, Position)> = std::iter::once(Default::default())
            .chain(self.places.iter().map(|place| place.mover.bounds(end)))
            .collect();
        let sensed = self.radio.carrier_sense;
        // With two members there is no third listener, so it is enough that they sense each other.
        let needed = self.required.filter(|_| corners.len() > 2);
        let needed = needed.map_or(sensed, |required| sensed.max(required));
        if self.radio.capture.is_some() {
            return Some(false);
        }
        let farthest = |(a, b): (usize, usize)| {
            let span = |low: f64, high: f64, other: f64, up: f64| (up - low).max(high - other);
            let ((low, high), (other, up)) = (corners[a], corners[b]);
            let (x, y) = (span(low.x, high.x, other.x, up.x), span(low.y, high.y, other.y, up.y));
            self.power((id(a), id(b)), libm::sqrt(x * x + y * y))
        };
        for a in 0..corners.len() {
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
            if (a + 1..corners.len()).any(|b| farthest((a, b)) < needed) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Audibility for each member of a frame of `from` with this vector that starts now.
    pub(crate) fn audibility(&mut self, now: Time, from: NodeId, tx: TxVector) -> &[Audibility] {
        let known = self.rows[from.index()].iter().position(|row| row.tx == tx);
        let index = known.unwrap_or_else(|| {
            let audibility = vec![Audibility::Decodes; self.places.len() + 1];
            let required = self.radio.required_power(tx);
            let (until, all_sense) = (Time::ZERO, false);
            self.rows[from.index()].push(Row { tx, required, until, audibility, all_sense });
            self.rows[from.index()].len() - 1
        });
        if self.rows[from.index()][index].until <= now {
            self.look(now, from, index);
        }
        &self.rows[from.index()][index].audibility
    }

    /// True if it is known that all members sense a frame of `from` with this vector that starts at `start`.
    pub(crate) fn all_sense(&self, start: Time, from: NodeId, tx: TxVector) -> bool {
        let known = self.rows[from.index()].iter().find(|row| row.tx == tx);
        known.is_some_and(|row| row.until > start && row.all_sense)
    }

    /// Calculates how each member hears frames of member `from` with one vector, from the members' positions. `index`
    /// is the place of the row for this vector among the rows of `from`. Also calculates the time until which the row
    /// is valid because no member can have crossed a limit of audibility.
    fn look(&mut self, now: Time, from: NodeId, index: usize) {
        let mut row = self.rows[from.index()].swap_remove(index);
        let here = self.position(now, from);
        let mut time = f64::INFINITY;
        for (listener, audibility) in row.audibility.iter_mut().enumerate() {
            let pair = (from, id(listener));
            if pair.0 == pair.1 {
                continue;
            }
            let distance = here.distance(self.position(now, pair.1));
            let power = self.power(pair, distance);
            *audibility = self.radio.audibility(power, row.required);
            let speed = self.speed(pair.0) + self.speed(pair.1);
            if speed <= 0.0 {
                continue;
            }
            for limit in [self.radio.carrier_sense, row.required] {
                time = time.min(self.slack(pair, distance, limit) / speed);
            }
        }
        row.until = after(now, time);
        row.all_sense = !row.audibility.contains(&Audibility::Nothing);
        self.rows[from.index()].push(row);
        let last = self.rows[from.index()].len() - 1;
        self.rows[from.index()].swap(index, last);
    }

    /// Distance that two members must move before the power between them reaches `limit` [m], minus a margin for
    /// rounding.
    fn slack(&self, pair: (NodeId, NodeId), distance: f64, limit: Dbm) -> f64 {
        const ROUNDING: f64 = 1e-3;
        let nearby = self.power(pair, 0.0);
        if nearby < limit {
            return f64::INFINITY;
        }
        let path_loss = self.path_loss(pair);
        let there = path_loss.distance(nearby - limit + path_loss.loss(0.0));
        ((there - distance).abs() - ROUNDING * there).max(0.0)
    }

    /// Draws the errors of a frame between a station and the access point that ends now. Returns true if it is
    /// errored.
    pub(crate) fn errs(&mut self, now: Time, station: NodeId, tx: TxVector, psdu: Bytes) -> bool {
        let loss = self.loss(now, station, (tx, psdu), Decibels::ZERO);
        loss.happens(self.places[station.index() - 1].errors.next_u64())
    }

    /// Probability that a frame between a station and the access point is errored now, if its power is less by
    /// `reduction`.
    pub(crate) fn loss(
        &mut self,
        now: Time,
        station: NodeId,
        (tx, psdu): (TxVector, Bytes),
        reduction: Decibels,
    ) -> Probability {
        let received = self.received(now, station) - reduction;
        self.decoding.loss(tx, psdu, received)
    }

    /// Received power of a frame between a station and the access point, fading included, and the noise.
    pub(crate) fn signal(&mut self, now: Time, station: NodeId, tx: TxVector) -> (Dbm, Dbm) {
        (self.received(now, station), self.radio.noise(tx))
    }

    /// Power that a station and the access point receive from each other now, fading included.
    #[expect(clippy::inline_always, reason = "it is asked for each frame; a trace asks as well")]
    #[inline(always)]
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

    /// Power from which a frame whose preamble a member has missed makes the medium busy; `None` if all frames that are
    /// sensed do.
    pub(crate) fn energy_detection(&self) -> Option<Dbm> {
        self.radio.energy_detection
    }

    /// Capture margin: ratio by which a frame must exceed the sum of all overlapping frames to survive.
    pub(crate) fn capture(&self) -> Option<Decibels> {
        self.radio.capture
    }

    /// Received power of a frame of `from` at each member. The power at `from` itself has no meaning.
    pub(crate) fn powers(&mut self, now: Time, from: NodeId) -> impl Iterator<Item = Dbm> {
        let here = self.position(now, from);
        (0..=self.places.len()).map(move |index| {
            let listener = id(index);
            let distance = here.distance(self.position(now, listener));
            if listener == from {
                self.terminal.transmit_power
            } else {
                self.power((from, listener), distance)
            }
        })
    }

    fn speed(&self, node: NodeId) -> f64 {
        if node.is_ap() { 0.0 } else { self.places[node.index() - 1].speed }
    }

    /// Received power of one member's frames at another over `distance` [m], without fading.
    fn power(&self, (a, b): (NodeId, NodeId), distance: f64) -> Dbm {
        let station = a.index().max(b.index());
        let gain = if a.is_ap() || b.is_ap() {
            self.places[station - 1].link.shadowing()
        } else {
            self.shadow(a, b)
        };
        self.terminal.transmit_power - self.path_loss((a, b)).loss(distance) + gain
    }

    fn path_loss(&self, (a, b): (NodeId, NodeId)) -> &PathLoss {
        if a.is_ap() || b.is_ap() { &self.radio.path_loss } else { &self.between }
    }

    /// Shadowing between two stations, equal in both directions. It is recomputed at each call, because there are
    /// many pairs.
    fn shadow(&self, a: NodeId, b: NodeId) -> Decibels {
        let seed = |node: NodeId| self.places[node.index() - 1].seed;
        self.shadow_of(seed(a) ^ seed(b))
    }

    fn shadow_of(&self, seed: u64) -> Decibels {
        if self.shadowing == Decibels::ZERO {
            return Decibels::ZERO;
        }
        let (draw, _) = Draws::new(seed).normal_pair(0);
        Decibels::rounded(self.shadowing.get() * draw)
    }
}

fn id(index: usize) -> NodeId {
    NodeId(u16::try_from(index).expect("at most 65 535 members"))
}

/// Time `seconds` after `now`; [`Time::MAX`] for very long times.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below a year, and not negative"
)]
fn after(now: Time, seconds: f64) -> Time {
    const YEAR: f64 = 3e7;
    // If no member moves, the quotient of zero and zero is not a number.
    if seconds.is_nan() || seconds > YEAR {
        return Time::MAX;
    }
    now + Duration::from_nanos((seconds * 1e9) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Audibility::{Decodes, Nothing, Senses};
    use airfair_units::{Frequency, Length, Speed};
    use proptest::prelude::*;
    use rand_core::SeedableRng;

    use crate::phy::{Standard, ofdm};
    use crate::radio::{RandomWaypoint, Region, Start};

    const SLOW: TxVector = TxVector::Ofdm(ofdm::Modulation::Bpsk12);
    const FAST: TxVector = TxVector::Ofdm(ofdm::Modulation::Qam64R34);

    fn layout(ways: Vec<Mobility>, shadowing: Decibels) -> Layout {
        let path_loss = PathLoss::log_distance(Frequency::from_megahertz(5_200), 3.0);
        Layout {
            radio: Radio::new(Standard::A, path_loss),
            between: path_loss,
            transmit_power: Dbm::new(20),
            shadowing,
            fading: Fading::None,
            ways,
            vectors: vec![SLOW, FAST],
            origin: Position::default(),
            walls: Decibels::ZERO,
            seed: 0,
        }
    }

    fn propagation(layout: &Layout, seed: u64) -> Propagation {
        let stream = |purpose: u64, i: u64| Stream::seed_from_u64(seed * 1_000 + 10 * i + purpose);
        let streams = (0..).take(layout.ways.len()).map(|i| StationStreams {
            way: stream(1, i),
            link: stream(2, i),
            errors: stream(3, i),
        });
        Propagation::new(layout, streams.collect())
    }

    fn wanderer(radius: i64) -> Mobility {
        let region =
            Region::Disc { centre: Position::default(), radius: Length::from_metres(radius) };
        let speeds = (Speed::ZERO, Speed::from_metres_per_second(30));
        let model = RandomWaypoint::new(region, speeds, Duration::ZERO, Start::Uniform);
        Mobility::RandomWaypoint(model.expect("a model"))
    }

    fn fixed(x: i64, y: i64) -> Mobility {
        Mobility::Fixed(Position::new(Length::from_metres(x), Length::from_metres(y)))
    }

    /// Members near a transmitter decode its frames, members further away sense them, and others do not hear them.
    /// Exponent 3 from 46.768 dB at 1 m, and 20 dBm: -82 dBm is sensed up to 10^((102 - 46.768)/30) = 69.4 m. 54 Mb/s
    /// needs about -71.9 dBm (noise -91.867 dBm, 19.9 dB), which reaches about 32 m.
    #[test]
    fn near_members_decode_others_sense_and_far_ones_hear_nothing() {
        let layout =
            layout(vec![fixed(10, 0), fixed(69, 0), fixed(70, 0), fixed(0, 79)], Decibels::ZERO);
        let mut cell = propagation(&layout, 1);

        let mut row = |from, tx| cell.audibility(Time::ZERO, NodeId(from), tx).to_vec();
        assert_eq!(row(0, FAST), [Decodes, Decodes, Senses, Nothing, Nothing]);
        assert_eq!(row(0, SLOW), [Decodes, Decodes, Decodes, Nothing, Nothing]);
        assert_eq!(row(2, FAST), [Senses, Senses, Decodes, Decodes, Nothing]);
        assert_eq!(cell.all_decode(Time::MAX, &AtomicBool::new(false)), Some(false));
    }

    /// At 10 m, 20 - 46.768 - 30 = -56.768 dBm; the noise of 802.11a is -91.867 dBm. With a reduction of 20 dB, -76.768
    /// dBm. 6 Mb/s need -82 dBm and 54 Mb/s -65 dBm. A margin of 10 dB allows -86.768 dBm = 2.105e-9 mW of noise, of
    /// which 0.651e-9 mW are thermal. Without a margin the noise may raise 6 Mb/s' need by 5.232 dB, to 3.334 times
    /// itself: 1.519e-9 mW more.
    #[test]
    fn with_sensitivities_the_margin_decides_under_interference() {
        let errs = |capture: Option<i64>, tx, interference: f64, reduction| {
            let mut layout = layout(vec![fixed(10, 0)], Decibels::ZERO);
            layout.radio.decoder = Decoder::Sensitivity;
            layout.radio.capture = capture.map(Decibels::new);
            let content = (tx, Bytes::new(1_500));
            let level = (interference * 1e-9, Decibels::new(reduction));
            propagation(&layout, 1).errs_among(Time::ZERO, NodeId(1), content, level)
        };
        assert_eq!([1.44, 1.47].map(|nw| errs(Some(10), SLOW, nw, 20)), [false, true]);
        assert_eq!([1.51, 1.53].map(|nw| errs(None, SLOW, nw, 20)), [false, true]);
        // Without interference the sensitivity decides alone.
        assert_eq!([8, 9].map(|reduction| errs(Some(40), FAST, 0.0, reduction)), [false, true]);
    }

    #[test]
    fn whether_all_decode_is_asked_of_where_they_can_be() {
        let all = |ways: Vec<Mobility>, shadowing| {
            propagation(&layout(ways, shadowing), 1)
                .all_decode(Time::ZERO + Duration::from_secs(9), &AtomicBool::new(false))
                == Some(true)
        };
        assert!(all(vec![fixed(10, 0), fixed(-10, 0), wanderer(10)], Decibels::ZERO));
        // 40 m from one end to the other are too far for 54 Mb/s, except if the cell has only two members.
        assert!(!all(vec![fixed(10, 0), fixed(-30, 0)], Decibels::ZERO));
        assert!(all(vec![fixed(40, 0)], Decibels::ZERO));
        assert!(!all(vec![wanderer(70)], Decibels::ZERO));
        let near = propagation(&layout(vec![fixed(10, 0), fixed(-10, 0)], Decibels::ZERO), 1);
        assert_eq!(near.all_decode(Time::MAX, &AtomicBool::new(true)), None, "cancelled");
    }

    proptest! {
        /// A row of audibilities that is kept while it is valid equals one that is calculated for each frame.
        #[test]
        fn what_was_seen_holds_until_somebody_can_have_moved_too_far(
            seed in 0u64..1_000,
            shadowing in 0i64..8,
            pauses in prop::collection::vec(0u64..400, 1..200),
        ) {
            let ways = vec![wanderer(90), wanderer(40), fixed(30, 1), wanderer(120)];
            let layout = layout(ways, Decibels::new(shadowing));
            let [mut remembers, mut forgets] = [(); 2].map(|()| propagation(&layout, seed));
            let mut now = Time::ZERO;
            for (i, pause) in pauses.into_iter().enumerate() {
                now += Duration::from_millis(pause);
                let (from, tx) = (id(i % 5), layout.vectors[i % 2]);
                let all_sense = remembers.all_sense(now, from, tx);
                forgets.rows.iter_mut().for_each(Vec::clear);
                let [kept, fresh] =
                    [&mut remembers, &mut forgets].map(|it| it.audibility(now, from, tx));
                prop_assert_eq!(kept, fresh);
                prop_assert!(!all_sense || !fresh.contains(&Nothing));
            }
        }
    }
}
