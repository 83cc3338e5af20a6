//! What an access point that grants and a station that keeps its grant have in common: an observation slot of counters, the
//! flows in it, and windows that keep these to a share.  [occupancy-tfrc §III]

use std::collections::{BTreeMap, VecDeque};

use airfair_laws::Direction::{self, Down, Up};
use airfair_laws::occupancy::station::{Answers, Division, PacketCost, highest_rate};
use airfair_laws::window_limit;
use airfair_units::{Bytes, Duration};
use serde::{Deserialize, Serialize};

use crate::configuration::Occupancy;
use crate::connections::{Ends, Moved, SeenConnection};
use crate::decision::Window;
use crate::estimate::{self, Seen, SeenLink, SeenWay, sum};

/// Share of a station, as it was granted last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Granted {
    /// Name of its link.
    pub station: String,
    /// Part of the channel that it has held.
    pub used: f64,
    /// Part that it may hold.
    pub share: f64,
    /// Who keeps it to that.
    #[serde(default)]
    pub kept_by: KeptBy,
}

/// Who keeps a station to its share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptBy {
    /// The access point, by windows in the ACKs that it forwards.
    #[default]
    AccessPoint,
    /// The station, by the windows of its own connections.
    Station,
    /// The access point as well as the station, which says that it does and has held clearly more.
    Both,
}

/// Use that a station has made of the air in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Use {
    air: Duration,
    frames: u64,
    packets: u64,
}

/// All that was seen between two samples.
#[derive(Clone, Debug, Default)]
struct Interval {
    length: Duration,
    stations: BTreeMap<String, [Use; 2]>,
    connections: BTreeMap<Ends, [Moved; 2]>,
}

/// The last intervals, which together are an observation slot.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    most: usize,
    intervals: VecDeque<Interval>,
}

impl Slot {
    /// One of so many intervals.
    pub(crate) fn new(most: u16) -> Self {
        Self { most: most.into(), intervals: VecDeque::new() }
    }

    /// Takes note of what has happened since the last sample, and forgets what is older than the slot.
    pub(crate) fn push<'c>(
        &mut self,
        seen: &Seen,
        connections: impl Iterator<Item = &'c SeenConnection>,
    ) {
        let of = |way: &SeenWay| Use { air: way.air, frames: way.frames, packets: way.packets };
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

    /// Number of intervals in it.
    pub(crate) fn intervals(&self) -> u64 {
        u64::try_from(self.intervals.len()).unwrap_or(u64::MAX)
    }

    /// Its length, T.
    pub(crate) fn length(&self) -> Duration {
        self.intervals.iter().map(|it| it.length).fold(Duration::ZERO, sum)
    }

    /// Use of a station in it, up and down.
    pub(crate) fn used_by(&self, name: &str) -> [Use; 2] {
        let mut used = [Use::default(); 2];
        for uses in self.intervals.iter().filter_map(|it| it.stations.get(name)) {
            for (all, of) in used.iter_mut().zip(uses) {
                all.air = sum(all.air, of.air);
                all.frames = all.frames.saturating_add(of.frames);
                all.packets = all.packets.saturating_add(of.packets);
            }
        }
        used
    }

    /// Packets of connections in it, up and down.
    pub(crate) fn moved(&self) -> BTreeMap<Ends, [Moved; 2]> {
        let mut moved: BTreeMap<Ends, [Moved; 2]> = BTreeMap::new();
        for (ends, both) in self.intervals.iter().flat_map(|it| &it.connections) {
            let all = moved.entry(*ends).or_default();
            all.iter_mut().zip(both).for_each(|(all, more)| all.add(more));
        }
        moved
    }
}

/// True if a station has sent or received anything.
pub(crate) fn is_active(used: &[Use; 2]) -> bool {
    used.iter().any(|it| it.frames > 0 || !it.air.is_zero())
}

/// True if that was no more than so many questions, their answers, and as many frames that wake its radio up for them.
pub(crate) fn only_asks(used: &[Use; 2], questions: u64) -> bool {
    used.iter().all(|it| it.packets <= 2 * questions)
}

/// Channel occupancy time of a station: frames with the gap and the mean back-off before each.  [occupancy-tfrc §III-A]
pub(crate) fn occupancy(link: &SeenLink, used: &[Use; 2]) -> Duration {
    let one = |way: &SeenWay, used: &Use| {
        let access = way.rate.map_or(Duration::ZERO, |rate| estimate::access(rate, 1));
        sum(used.air, access.saturating_mul(used.frames))
    };
    sum(one(&link.up, &used[0]), one(&link.down, &used[1]))
}

/// A flow: the data of a connection in one direction, with what answers it.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    ends: Ends,
    direction: Direction,
    round_trip: Duration,
    cost: PacketCost,
    used: f64,
}

/// A connection's packets in a slot, and what they cost beside their data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection<'m> {
    pub(crate) ends: Ends,
    /// Up and down.
    pub(crate) moved: &'m [Moved; 2],
    /// Headers of its packets up, and of those down.
    pub(crate) headers: [Bytes; 2],
    /// Round trip of data up, and of data down; zero if it is unknown.
    pub(crate) round_trips: [Duration; 2],
}

impl Connection<'_> {
    /// Its flows: those directions in which it had data and whose round trips are known. Others cannot be limited, and are
    /// part of what the station does beside.  Deviates: [D-176]
    pub(crate) fn flows(self, link: &SeenLink, slot: Duration) -> impl Iterator<Item = Flow> {
        [Up, Down].into_iter().filter_map(move |it| self.flow(link, it, slot))
    }

    #[expect(clippy::cast_precision_loss, reason = "packets of a slot")]
    fn flow(&self, link: &SeenLink, direction: Direction, slot: Duration) -> Option<Flow> {
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

/// A station's use of a slot, and the share that it may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(crate) used: f64,
    pub(crate) available: f64,
    pub(crate) slot: Duration,
}

/// Segments of a connection, and what it may have under way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// Largest segments, up and down.
    pub(crate) largest: [Bytes; 2],
    /// Last limits, up and down [octets].
    pub(crate) octets: [Option<u32>; 2],
}

impl Share {
    /// Keeps the flows of a station to its share: limits of its connections that are new.  [occupancy-tfrc eq. 8 to 18]
    pub(crate) fn keep<Known: AsMut<Limits>>(
        &self,
        settings: &Occupancy,
        flows: &[Flow],
        known: &mut BTreeMap<Ends, Known>,
    ) -> Vec<Window> {
        let all: Vec<f64> = flows.iter().map(|flow| flow.used).collect();
        // All else that the station does.  [occupancy-tfrc eq. 8]
        let need = (self.used - all.iter().sum::<f64>()).max(0.0);
        let division = Division::new(&settings.params, self.available, &all, need);
        let mut windows: BTreeMap<Ends, Window> = BTreeMap::new();
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
            let window = windows.entry(ends).or_insert(Window { ends, up: None, down: None });
            match flow.direction {
                Up => window.up = octets,
                Down => window.down = octets,
            }
        }
        windows.into_values().collect()
    }
}
