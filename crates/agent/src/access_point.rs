//! Equal shares of the channel at an access point: it grants them, and keeps the TCP connections of its stations to them.
//!
//! Source: [occupancy-tfrc §III]. Grant, shares of flows, rates and windows are the laws' own, in their order. There a
//! station keeps itself to what beacons grant it; here the access point does it for stations that know nothing, by
//! windows in the ACKs that it forwards.  Deviates: [D-174], [D-175], [D-176]

use std::collections::{BTreeMap, VecDeque};

use airfair_laws::Direction::{self, Down, Up};
use airfair_laws::occupancy::station::{Answers, Division, PacketCost, highest_rate, share};
use airfair_laws::occupancy::{Grant, access_point};
use airfair_laws::window_limit;
use airfair_units::{Bytes, Duration, Time};

use serde::{Deserialize, Serialize};

use crate::configuration::Occupancy;
use crate::connections::{Ends, FORGOTTEN, Follower, Moved, SeenConnection};
use crate::decision::{Decision, Window};
use crate::estimate::{self, Estimator, Seen, SeenLink, SeenWay, sum};
use crate::sample::Sample;

/// Octets of headers of IPv4 and IPv6 with TCP's, and of TCP's timestamps.  [RFC9293 §3.1], [RFC7323 §3.2]
const HEADERS: [u64; 2] = [40, 60];
const TIMESTAMPS: u64 = 12;

/// Share of a station, as it was granted last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Granted {
    /// Name of its link.
    pub station: String,
    /// Part of the channel that it has held.
    pub used: f64,
    /// Part that it may hold.
    pub share: f64,
}

/// Use that a station has made of the air in one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    air: Duration,
    frames: u64,
}

/// All that was seen between two samples.
#[derive(Clone, Debug, Default)]
struct Interval {
    length: Duration,
    stations: BTreeMap<String, [Use; 2]>,
    connections: BTreeMap<Ends, [Moved; 2]>,
}

/// A connection, as far as it is remembered.
#[derive(Clone, Debug)]
struct Known {
    /// Link of its station.
    link: String,
    largest: [Bytes; 2],
    round_trip: Option<Duration>,
    /// Last limits, up and down.
    limits: [Option<u32>; 2],
    /// Time at which it was seen last.
    seen: Time,
}

/// A flow: the data of a connection in one direction, with what answers it.
struct Flow {
    ends: Ends,
    direction: Direction,
    round_trip: Duration,
    cost: PacketCost,
    used: f64,
}

/// Memory from sample to sample.
#[derive(Clone, Debug)]
pub struct AccessPoint {
    settings: Occupancy,
    estimator: Estimator,
    follower: Follower,
    intervals: VecDeque<Interval>,
    known: BTreeMap<Ends, Known>,
    granted: Vec<Granted>,
    is_limiting: bool,
}

impl AccessPoint {
    /// One with such settings; rates are medians of so many.
    pub fn new(settings: Occupancy, polls: usize) -> Self {
        Self {
            settings,
            estimator: Estimator::new(polls),
            follower: Follower::default(),
            intervals: VecDeque::new(),
            known: BTreeMap::new(),
            granted: Vec::new(),
            is_limiting: false,
        }
    }

    /// Shares of all stations that were active, by their links' names.
    pub fn granted(&self) -> &[Granted] {
        &self.granted
    }

    /// Takes in a sample: what was seen, and what changes.
    pub fn take(&mut self, sample: &Sample) -> (Seen, Option<Decision>) {
        let seen = self.estimator.take(sample);
        let connections = self.follower.take(sample);
        if seen.links.is_empty() {
            return (seen, self.forget());
        }
        if !seen.elapsed.is_zero() {
            self.observe(&seen, &connections);
        }
        let windows = self.share_out(&seen.links);
        self.is_limiting |= !windows.is_empty();
        (seen, (!windows.is_empty()).then_some(Decision::Windows(windows)))
    }

    /// Nothing is seen any more.
    fn forget(&mut self) -> Option<Decision> {
        self.intervals.clear();
        self.known.clear();
        self.granted.clear();
        std::mem::take(&mut self.is_limiting).then_some(Decision::Lift)
    }

    /// Takes note of what has happened since the last sample, and forgets what is older than an observation slot.
    fn observe(&mut self, seen: &Seen, connections: &[SeenConnection]) {
        let of = |way: &SeenWay| Use { air: way.air, frames: way.frames };
        let stations = seen.links.iter().map(|it| (it.name.clone(), [of(&it.up), of(&it.down)]));
        let mut interval = Interval {
            length: seen.elapsed,
            stations: stations.collect(),
            connections: BTreeMap::new(),
        };
        let links: BTreeMap<&str, &SeenLink> =
            seen.links.iter().map(|link| (address(link), link)).collect();
        for connection in connections {
            let Some(link) = links.get(&*connection.station) else { continue };
            interval.connections.insert(connection.ends, [connection.up, connection.down]);
            let before = self.known.get(&connection.ends);
            let known = Known {
                link: link.name.clone(),
                largest: connection.largest,
                round_trip: before.and_then(|it| it.round_trip),
                limits: before.map(|it| it.limits).unwrap_or_default(),
                seen: seen.at,
            };
            self.known.insert(connection.ends, known);
        }
        self.known.retain(|_, known| seen.at.saturating_since(known.seen) < FORGOTTEN);
        self.intervals.push_back(interval);
        while self.intervals.len() > usize::from(self.settings.params.beacons) {
            self.intervals.pop_front();
        }
    }

    /// Grants shares to stations, and divides them between their flows: limits that are new.  [occupancy-tfrc eq. 2 to 18]
    fn share_out(&mut self, links: &[SeenLink]) -> Vec<Window> {
        let slot = self.intervals.iter().map(|it| it.length).fold(Duration::ZERO, sum);
        self.granted.clear();
        if slot.is_zero() {
            return Vec::new();
        }
        let stations: Vec<(&SeenLink, [Use; 2])> = links
            .iter()
            .map(|link| (link, self.used_by(&link.name)))
            .filter(|(_, used)| used.iter().any(|it| it.frames > 0 || !it.air.is_zero()))
            .collect();
        let occupied: Vec<Duration> =
            stations.iter().map(|(link, used)| occupancy(link, used)).collect();
        // Beacons are not counted.  Deviates: [D-175]
        let observation = access_point::Observation {
            slot,
            beacons: Duration::ZERO,
            occupied: &occupied,
            backoff: Duration::ZERO,
        };
        let grant = access_point::grant(&self.settings.params, &observation);
        let mut flows = self.flows(links, slot);
        let mut windows = Vec::new();
        for ((link, _), occupied) in stations.iter().zip(&occupied) {
            let used = occupied.as_secs_f64() / slot.as_secs_f64();
            let flows = flows.remove(&link.name).unwrap_or_default();
            windows.extend(self.keep(link, (grant, used, slot), &flows));
        }
        windows
    }

    /// Use of a station in the observation slot, up and down.
    fn used_by(&self, name: &str) -> [Use; 2] {
        let mut used = [Use::default(); 2];
        for uses in self.intervals.iter().filter_map(|it| it.stations.get(name)) {
            for (all, of) in used.iter_mut().zip(uses) {
                all.air = sum(all.air, of.air);
                all.frames = all.frames.saturating_add(of.frames);
            }
        }
        used
    }

    /// Keeps the flows of a station to its share: limits that are new.  [occupancy-tfrc eq. 7 to 18]
    fn keep(
        &mut self,
        link: &SeenLink,
        (grant, used, slot): (Grant, f64, Duration),
        flows: &[Flow],
    ) -> Vec<Window> {
        let params = self.settings.params;
        let available = share(&params, grant, used);
        self.granted.push(Granted { station: link.name.clone(), used, share: available });
        let all: Vec<f64> = flows.iter().map(|flow| flow.used).collect();
        // All else that the station does.  [occupancy-tfrc eq. 8]
        let need = (used - all.iter().sum::<f64>()).max(0.0);
        let division = Division::new(&params, available, &all, need);
        let mut windows: BTreeMap<Ends, Window> = BTreeMap::new();
        for flow in flows {
            let known = self.known.get_mut(&flow.ends).expect("it has a flow");
            let rate = highest_rate(division.share(flow.used), slot, &flow.cost);
            let at = flow.direction as usize;
            let least = known.largest[at] * u64::from(self.settings.least_window);
            let window = window_limit::for_rate(rate, flow.round_trip, Bytes::new(1)).max(least);
            let octets = Some(u32::try_from(window.get()).unwrap_or(u32::MAX));
            if std::mem::replace(&mut known.limits[at], octets) == octets {
                continue;
            }
            let ends = flow.ends;
            let window = windows.entry(ends).or_insert(Window { ends, up: None, down: None });
            match flow.direction {
                Up => window.up = octets,
                Down => window.down = octets,
            }
        }
        windows.into_values().collect()
    }

    /// Flows that had data in the slot and whose round trips are known, by the links of their stations. Others cannot be
    /// limited, and are part of what the station does beside.  Deviates: [D-176]
    fn flows(&mut self, links: &[SeenLink], slot: Duration) -> BTreeMap<String, Vec<Flow>> {
        let mut moved: BTreeMap<Ends, [Moved; 2]> = BTreeMap::new();
        for (ends, both) in self.intervals.iter().flat_map(|it| &it.connections) {
            let all = moved.entry(*ends).or_default();
            all.iter_mut().zip(both).for_each(|(all, more)| all.add(more));
        }
        let links: BTreeMap<&str, &SeenLink> = links.iter().map(|it| (&*it.name, it)).collect();
        let mut flows: BTreeMap<String, Vec<Flow>> = BTreeMap::new();
        for (ends, moved) in moved {
            let Some(known) = self.known.get_mut(&ends) else { continue };
            let Some(link) = links.get(&*known.link) else { continue };
            if let (Some(there), Some(back)) = (moved[0].mean_echo(), moved[1].mean_echo()) {
                known.round_trip = Some(sum(there, back));
            }
            let Some(round_trip) = known.round_trip.filter(|it| !it.is_zero()) else { continue };
            let both = [Up, Down].map(|way| flow(link, (ends, way), &moved, (slot, round_trip)));
            flows.entry(known.link.clone()).or_default().extend(both.into_iter().flatten());
        }
        flows
    }
}

/// Address of a link's station on the air, the last word of its name.
fn address(link: &SeenLink) -> &str {
    link.name.rsplit(' ').next().unwrap_or_default()
}

/// Channel occupancy time of a station: frames with the gap and the mean back-off before each.  [occupancy-tfrc §III-A]
fn occupancy(link: &SeenLink, used: &[Use; 2]) -> Duration {
    let one = |way: &SeenWay, used: &Use| {
        let access = way.rate.map_or(Duration::ZERO, |rate| estimate::access(rate, 1));
        sum(used.air, access.saturating_mul(used.frames))
    };
    sum(one(&link.up, &used[0]), one(&link.down, &used[1]))
}

/// The flow of a connection in a direction, if it had data.
#[expect(clippy::cast_precision_loss, reason = "packets of a slot")]
fn flow(
    link: &SeenLink,
    (ends, direction): (Ends, Direction),
    moved: &[Moved; 2],
    (slot, round_trip): (Duration, Duration),
) -> Option<Flow> {
    let (there, back, ways) = match direction {
        Up => (&moved[0], &moved[1], [&link.up, &link.down]),
        Down => (&moved[1], &moved[0], [&link.down, &link.up]),
    };
    if there.packets == 0 {
        return None;
    }
    let rate = ways[0].rate?;
    let stamps = if there.echoes > 0 { TIMESTAMPS } else { 0 };
    let headers = Bytes::new(HEADERS[usize::from(ends[0].is_ipv6())] + stamps);
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
    Some(Flow { ends, direction, round_trip, cost, used: time / slot.as_secs_f64() })
}

#[cfg(test)]
mod tests;
