//! Fair access point: equal airtime for the stations in both directions, by windows in the ACKs that
//! the access point forwards.
//!
//! The law is that of `ap.fair` in a scenario, with the same parameters. The agent knows the airtime
//! of a station only as the growth of counters, and it cannot make packets or ACKs of single stations
//! wait. So windows limit the connections of a station in both directions.  Deviates: [D-312],
//! [D-338]

mod stations;

use std::collections::BTreeMap;

use airfair_laws::Direction::{Down, Up};
use airfair_laws::fair as law;
use airfair_units::{Duration, Time};

use crate::configuration::Fair as Settings;
use crate::connections::{ConnectionTracker, ConnectionTraffic, Ends, FORGOTTEN};
use crate::decision::{ConnectionLimit, Decision};
use crate::estimate::{self, DirectionEstimate, Estimate, Estimator, LinkEstimate, sum};
use crate::sample::Sample;
use crate::shares::{EnforcedBy, Granted};
use stations::Stations;

/// Time after its last data for which a connection shares the window of its station.
const ACTIVE: Duration = Duration::from_secs(2);
/// Use of the channel from which `status` shows a station.
const SHOWN: f64 = 0.01;

/// Connection through the access point.
#[derive(Clone, Debug)]
struct KnownConnection {
    /// Number of the connection's station.
    station: u16,
    /// Time of the last packet.
    seen: Time,
    /// Time of the last data; `None` before any.
    moved: Option<Time>,
    /// Data in flight in both directions, by rate and round trip [octets]; `None` while the round
    /// trip is unknown.
    in_flight: Option<u64>,
    round_trip: Option<Duration>,
    /// Largest segment of either direction [octets].
    segment: u64,
    /// Limit of the data in flight in each direction [octets]; `None` without a limit.
    limit: Option<u32>,
}

/// Law of the fair access point, with its state.
#[derive(Clone, Debug)]
pub struct Fair {
    settings: Settings,
    estimator: Estimator,
    tracker: ConnectionTracker,
    law: law::State,
    stations: Stations,
    known: BTreeMap<Ends, KnownConnection>,
    /// Busy time of the channel in the last sample, where the driver measures it [ns].
    busy_ns: Option<u64>,
    granted: Vec<Granted>,
}

impl Fair {
    /// Makes the law. Link rates are medians of the last `polls` samples.
    pub fn new(settings: Settings, polls: usize) -> Self {
        Self {
            settings,
            estimator: Estimator::new(polls),
            tracker: ConnectionTracker::default(),
            law: law::State::default(),
            stations: Stations::default(),
            known: BTreeMap::new(),
            busy_ns: None,
            granted: Vec::new(),
        }
    }

    /// Use of the channel by each active station, and the level that each may use.
    pub fn granted(&self) -> &[Granted] {
        &self.granted
    }

    /// Processes a sample. Returns the estimates, and the decision if it has changed.
    pub fn take(&mut self, sample: &Sample) -> (Estimate, Option<Decision>) {
        let seen = self.estimator.take(sample);
        let connections = self.tracker.take(sample);
        let busy = self.busy(sample.busy_ns);
        if seen.links.is_empty() {
            return (seen, self.forget());
        }
        for left in self.stations.update(&seen.links) {
            self.law.forget(left);
            self.known.retain(|_, known| known.station != left);
        }
        self.observe(&seen, &connections);
        if !seen.elapsed.is_zero() {
            self.step(&seen, busy);
        }
        let windows = self.windows(seen.at);
        (seen, (!windows.is_empty()).then_some(Decision::Windows(windows)))
    }

    /// Time for which the channel was busy since the last sample; `None` if the driver does not
    /// measure it.
    fn busy(&mut self, now: Option<u64>) -> Option<Duration> {
        let before = std::mem::replace(&mut self.busy_ns, now);
        Some(Duration::from_nanos(estimate::increase(before?, now?)))
    }

    /// Forgets all stations and connections after a failed sample, and lifts the limits.
    fn forget(&mut self) -> Option<Decision> {
        let was_limiting = self.known.values().any(|it| it.limit.is_some());
        self.known.clear();
        self.granted.clear();
        self.stations = Stations::default();
        self.law = law::State::default();
        was_limiting.then_some(Decision::Lift)
    }

    /// Notes the traffic of connections since the last sample.
    fn observe(&mut self, seen: &Estimate, connections: &[ConnectionTraffic]) {
        for it in connections {
            let Some(station) = self.stations.number(&it.station) else { continue };
            let known = self.known.entry(it.ends).or_insert(KnownConnection::new(station));
            known.note(seen, it);
            let octets = it.up.octets.get().saturating_add(it.down.octets.get());
            law::receive(&mut self.law, station, u32::try_from(octets).unwrap_or(u32::MAX));
        }
        let is_recent = |known: &KnownConnection| seen.at.saturating_since(known.seen) < FORGOTTEN;
        self.known.retain(|_, known| is_recent(known));
    }

    /// Charges all stations for their airtime since the last sample, and ends a period of the law.
    fn step(&mut self, seen: &Estimate, busy: Option<Duration>) {
        let own = seen.links.iter().map(airtime).fold(Duration::ZERO, sum);
        // Some drivers report a busy time that is shorter than the frames of their own stations.
        let busy = busy.filter(|it| *it >= own);
        for link in &seen.links {
            let Some(number) = self.stations.number(link.address()) else { continue };
            let charge = charge(number, link, busy.is_some());
            law::charge(&self.settings.params, &mut self.law, seen.at, &charge);
        }
        let busy = busy.unwrap_or(own);
        law::charge_foreign(&mut self.law, busy.saturating_sub(own), law::Gaps::default());
        let idle = seen.elapsed.saturating_sub(busy);
        let [gap, sifs] = estimate::gaps(&seen.links);
        let observation = law::Observation { now: seen.at, idle, gap, sifs };
        let known = &self.known;
        let demand = |number| demand(known, number, seen.at);
        law::step(&self.settings.params, &mut self.law, &observation, demand);
        self.granted.clear();
        let share = self.law.level();
        for link in &seen.links {
            let number = self.stations.number(link.address());
            let used = number.map_or(0.0, |it| self.law.used(it));
            if used >= SHOWN {
                let (station, kept_by) = (link.name.clone(), EnforcedBy::AccessPoint);
                self.granted.push(Granted { station, used, share, kept_by });
            }
        }
    }

    /// Limits of connections that have changed: equal parts of the windows of their stations.
    fn windows(&mut self, now: Time) -> Vec<ConnectionLimit> {
        let mut active: BTreeMap<u16, u64> = BTreeMap::new();
        for known in self.known.values().filter(|it| it.is_active(now)) {
            *active.entry(known.station).or_default() += 1;
        }
        let mut windows = Vec::new();
        for (ends, known) in &mut self.known {
            let all = self.law.window(known.station);
            let limit = all.map(|all| {
                let connections = active.get(&known.station).copied().unwrap_or(1);
                let least = known.segment * u64::from(self.settings.least_window);
                u32::try_from((all.get() / connections).max(least)).unwrap_or(u32::MAX)
            });
            if std::mem::replace(&mut known.limit, limit) != limit {
                let octets = Some(limit.unwrap_or(ConnectionLimit::FREE));
                windows.push(ConnectionLimit { ends: *ends, up: octets, down: octets });
            }
        }
        windows
    }
}

impl KnownConnection {
    fn new(station: u16) -> Self {
        Self {
            station,
            seen: Time::ZERO,
            moved: None,
            in_flight: None,
            round_trip: None,
            segment: 0,
            limit: None,
        }
    }

    fn is_active(&self, now: Time) -> bool {
        self.moved.is_some_and(|moved| now.saturating_since(moved) < ACTIVE)
    }

    fn note(&mut self, seen: &Estimate, traffic: &ConnectionTraffic) {
        self.seen = seen.at;
        self.segment = traffic.largest.iter().map(|it| it.get()).max().unwrap_or_default();
        if let (Some(there), Some(back)) = (traffic.up.mean_echo(), traffic.down.mean_echo()) {
            self.round_trip = Some(sum(there, back));
        }
        if [Up, Down].iter().any(|it| traffic.moved(*it).packets > 0) {
            self.moved = Some(seen.at);
            let octets = traffic.up.octets.get().saturating_add(traffic.down.octets.get());
            self.in_flight = self.round_trip.and_then(|it| product(octets, it, seen.elapsed));
        }
    }
}

/// Octets in a time `of`, if there are `octets` in the time `per`; `None` if that is zero.
fn product(octets: u64, of: Duration, per: Duration) -> Option<u64> {
    let all = u128::from(octets) * u128::from(of.as_nanos());
    let octets = all.checked_div(u128::from(per.as_nanos()))?;
    Some(u64::try_from(octets).unwrap_or(u64::MAX))
}

/// Demand of a station: its active connections. While the round trip of one of them is unknown, so
/// is its data in flight, and the window begins at its largest value.
fn demand(known: &BTreeMap<Ends, KnownConnection>, station: u16, now: Time) -> law::Demand {
    let mut uploads = law::InFlight::default();
    for it in known.values().filter(|it| it.station == station && it.is_active(now)) {
        uploads.connections += 1;
        uploads.octets = uploads.octets.saturating_add(it.in_flight.unwrap_or(u64::MAX));
        uploads.least = uploads.least.saturating_add(law::LEAST_SEGMENTS * it.segment);
    }
    law::Demand { has_bulk: false, uploads }
}

/// Charge of a station for the frames of its link between two samples. If the busy time is measured,
/// the SIFS of each exchange is idle time; an estimate of airtime contains it.
fn charge(station: u16, link: &LinkEstimate, is_busy_measured: bool) -> law::Charge {
    let both = [&link.up, &link.down];
    let frames = both.iter().map(|it| it.frames).fold(0, u64::saturating_add);
    let frames = u32::try_from(frames).unwrap_or(u32::MAX);
    let responses = if is_busy_measured { frames } else { 0 };
    law::Charge {
        station,
        airtime: airtime(link),
        content: law::Content::Upload,
        is_non_tcp: false,
        is_aggregate: both.iter().any(|it| may_aggregate(it)),
        gaps: law::Gaps { accesses: frames, responses },
    }
}

fn airtime(link: &LinkEstimate) -> Duration {
    sum(link.up.air, link.down.air)
}

/// True at a rate of 802.11n or later. Counters do not show the length of aggregates.
fn may_aggregate(direction: &DirectionEstimate) -> bool {
    direction.rate.is_some_and(|it| !estimate::is_legacy(it))
}

#[cfg(test)]
mod tests;
