//! Common parts of an access point that grants shares of airtime and of a station that keeps to its
//! grant: the observation slot, the flows in it, and windows that limit the flows to a share.
//! [occupancy-tfrc §III]

use std::collections::{BTreeMap, VecDeque};

use airfair_laws::Direction::{self, Down, Up};
use airfair_laws::occupancy::station::{Answers, Division, PacketCost, highest_rate};
use airfair_laws::window_limit;
use airfair_units::{Bytes, Duration};
use serde::{Deserialize, Serialize};

use crate::configuration::Occupancy;
use crate::connections::{ConnectionTraffic, Ends, Traffic};
use crate::decision::ConnectionLimit;
use crate::estimate::{self, DirectionEstimate, Estimate, LinkEstimate, sum};

/// Share of airtime that a station was granted last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Granted {
    /// Name of the station's link.
    pub station: String,
    /// Share of airtime that the station has used, from 0 to 1.
    pub used: f64,
    /// Share of airtime that the station may use, from 0 to 1.
    pub share: f64,
    /// End that enforces the station's share.
    #[serde(default)]
    pub kept_by: EnforcedBy,
}

/// End that enforces the share of a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnforcedBy {
    /// The access point enforces the share, by windows in the ACKs that it forwards.
    #[default]
    AccessPoint,
    /// The station enforces the share, by limits on its own connections.
    Station,
    /// Access point and station enforce the share, because the station announced that it limits
    /// itself but used clearly more.
    Both,
}

/// Airtime and packets of a station in one direction, in an interval or a slot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    air: Duration,
    frames: u64,
    packets: u64,
}

/// Traffic of stations and connections between two successive samples.
#[derive(Clone, Debug, Default)]
struct Interval {
    length: Duration,
    stations: BTreeMap<String, [Usage; 2]>,
    connections: BTreeMap<Ends, [Traffic; 2]>,
}

/// Observation slot: the traffic of the last few intervals.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    most: usize,
    intervals: VecDeque<Interval>,
}

impl Slot {
    /// Makes an observation slot of at most `most` intervals between samples.
    pub(crate) fn new(most: u16) -> Self {
        Self { most: most.into(), intervals: VecDeque::new() }
    }

    /// Adds the traffic since the last sample to the observation slot, and removes what is older
    /// than the slot.
    pub(crate) fn push<'c>(
        &mut self,
        seen: &Estimate,
        connections: impl Iterator<Item = &'c ConnectionTraffic>,
    ) {
        let of = |way: &DirectionEstimate| Usage {
            air: way.air,
            frames: way.frames,
            packets: way.packets,
        };
        let stations = seen.links.iter().map(|it| (it.name.clone(), [of(&it.up), of(&it.down)]));
        self.intervals.push_back(Interval {
            length: seen.elapsed,
            stations: stations.collect(),
            connections: connections.map(|it| (it.ends, [it.up, it.down])).collect(),
        });
        while self.intervals.len() > self.most {
            self.intervals.pop_front();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.intervals.clear();
    }

    /// Number of intervals in the observation slot.
    pub(crate) fn intervals(&self) -> u64 {
        u64::try_from(self.intervals.len()).unwrap_or(u64::MAX)
    }

    /// Length of the observation slot, T in the paper.
    pub(crate) fn length(&self) -> Duration {
        self.intervals.iter().map(|it| it.length).fold(Duration::ZERO, sum)
    }

    /// Airtime and packets of the station `name` in the observation slot, up and down.
    pub(crate) fn used_by(&self, name: &str) -> [Usage; 2] {
        let mut used = [Usage::default(); 2];
        for uses in self.intervals.iter().filter_map(|it| it.stations.get(name)) {
            for (all, of) in used.iter_mut().zip(uses) {
                all.air = sum(all.air, of.air);
                all.frames = all.frames.saturating_add(of.frames);
                all.packets = all.packets.saturating_add(of.packets);
            }
        }
        used
    }

    /// Traffic of each connection in the observation slot, up and down.
    pub(crate) fn moved(&self) -> BTreeMap<Ends, [Traffic; 2]> {
        let mut moved: BTreeMap<Ends, [Traffic; 2]> = BTreeMap::new();
        for (ends, both) in self.intervals.iter().flat_map(|it| &it.connections) {
            let all = moved.entry(*ends).or_default();
            all.iter_mut().zip(both).for_each(|(all, more)| all.add(more));
        }
        moved
    }
}

/// True if a station with this usage has sent or received frames.
pub(crate) fn is_active(used: &[Usage; 2]) -> bool {
    used.iter().any(|it| it.frames > 0 || !it.air.is_zero())
}

/// True if a station's traffic can be explained by asking for grants alone: `questions` requests
/// with replies, and as many frames that wake the station's radio.
pub(crate) fn only_asks(used: &[Usage; 2], questions: u64) -> bool {
    used.iter().all(|it| it.packets <= 2 * questions)
}

/// Channel occupancy time of a station: its frames, with gap and mean back-off before each frame.
/// [occupancy-tfrc §III-A]
pub(crate) fn occupancy(link: &LinkEstimate, used: &[Usage; 2]) -> Duration {
    let one = |way: &DirectionEstimate, used: &Usage| {
        let access = way.rate.map_or(Duration::ZERO, |rate| estimate::access(rate, 1));
        sum(used.air, access.saturating_mul(used.frames))
    };
    sum(one(&link.up, &used[0]), one(&link.down, &used[1]))
}

/// Flow of a connection: its data in one direction, with the ACKs for it.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    ends: Ends,
    direction: Direction,
    round_trip: Duration,
    cost: PacketCost,
    used: f64,
}

/// Traffic of a connection in an observation slot, with header lengths and round trips, from which
/// its flows follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection<'m> {
    pub(crate) ends: Ends,
    /// Traffic of the connection, up and down.
    pub(crate) moved: &'m [Traffic; 2],
    /// Lengths of the headers of the connection's packets, up and down.
    pub(crate) headers: [Bytes; 2],
    /// Round trips of data up and down; zero if unknown.
    pub(crate) round_trips: [Duration; 2],
}

impl Connection<'_> {
    /// Flows of the connection: the directions with data and a known round trip. Other traffic
    /// cannot be limited, and counts as the station's other use of the channel.  Deviates: [D-176]
    pub(crate) fn flows(self, link: &LinkEstimate, slot: Duration) -> impl Iterator<Item = Flow> {
        [Up, Down].into_iter().filter_map(move |it| self.flow(link, it, slot))
    }

    #[expect(clippy::cast_precision_loss, reason = "packets of a slot")]
    fn flow(&self, link: &LinkEstimate, direction: Direction, slot: Duration) -> Option<Flow> {
        let at = direction as usize;
        let (there, back) = (&self.moved[at], &self.moved[1 - at]);
        let (headers, round_trip) = (self.headers[at], self.round_trips[at]);
        if there.packets == 0 || round_trip.is_zero() {
            return None;
        }
        let ways = match direction {
            Up => [&link.up, &link.down],
            Down => [&link.down, &link.up],
        };
        let rate = ways[0].rate?;
        let mean = Bytes::new((there.octets.get() / there.packets).min(estimate::LONGEST));
        let data = estimate::exchange(headers + mean, rate);
        let answer = estimate::exchange(headers, ways[1].rate.unwrap_or(rate));
        let (packets, answers) = (there.packets as f64, back.answers as f64);
        let time = packets * data.time().as_secs_f64() + answers * answer.time().as_secs_f64();
        let cost = PacketCost {
            payload: there.octets.get() as f64 / packets,
            data,
            answer,
            answers: Answers::Each(packets / answers.max(1.0)),
        };
        let used = time / slot.as_secs_f64();
        Some(Flow { ends: self.ends, direction, round_trip, cost, used })
    }
}

/// Share of airtime of a station: the used and the available part of the observation slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StationShare {
    pub(crate) used: f64,
    pub(crate) available: f64,
    pub(crate) slot: Duration,
}

/// Segment sizes of a connection, and limits of its data in flight.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LimitState {
    /// Maximum segment sizes of the connection's data, up and down.
    pub(crate) largest: [Bytes; 2],
    /// Last limits of the connection's data in flight, up and down [octets].
    pub(crate) octets: [Option<u32>; 2],
}

impl StationShare {
    /// Divides the station's share between its flows. Returns the limits that have changed.
    /// [occupancy-tfrc eq. 8 to 18]
    pub(crate) fn keep<Known: AsMut<LimitState>>(
        &self,
        settings: &Occupancy,
        flows: &[Flow],
        known: &mut BTreeMap<Ends, Known>,
    ) -> Vec<ConnectionLimit> {
        let all: Vec<f64> = flows.iter().map(|flow| flow.used).collect();
        // The station's other use of the channel.  [occupancy-tfrc eq. 8]
        let need = (self.used - all.iter().sum::<f64>()).max(0.0);
        let division = Division::new(&settings.params, self.available, &all, need);
        let mut windows: BTreeMap<Ends, ConnectionLimit> = BTreeMap::new();
        for flow in flows {
            let (ends, at) = (flow.ends, flow.direction as usize);
            let rate = highest_rate(division.share(flow.used), self.slot, &flow.cost);
            let window = window_limit::for_rate(rate, flow.round_trip, Bytes::new(1));
            let Some(limits) = known.get_mut(&ends).map(AsMut::as_mut) else { continue };
            let least = limits.largest[at] * u64::from(settings.least_window);
            let octets = Some(u32::try_from(window.max(least).get()).unwrap_or(u32::MAX));
            if std::mem::replace(&mut limits.octets[at], octets) == octets {
                continue;
            }
            let window =
                windows.entry(ends).or_insert(ConnectionLimit { ends, up: None, down: None });
            match flow.direction {
                Up => window.up = octets,
                Down => window.down = octets,
            }
        }
        windows.into_values().collect()
    }
}
