//! Station that limits its own connections to the share of airtime that its access point grants.
//!
//! Source: [occupancy-tfrc §III-B to §III-D]. The functions of the law are those that a simulated
//! station calls, in the same order. The paper's station hears every frame and gets its grants in
//! beacons. This agent reads counters, and gets grants as replies to its requests.  Deviates:
//! [D-193], [D-194]

use std::collections::BTreeMap;

use airfair_laws::occupancy::Grant;
use airfair_laws::occupancy::station::share;
use airfair_units::{Bytes, Duration, Time};

use crate::configuration::Occupancy;
use crate::connections::{ConnectionTracker, ConnectionTraffic, Ends, FORGOTTEN};
use crate::decision::{ConnectionLimit, Decision};
use crate::estimate::{Estimate, Estimator, LinkEstimate};
use crate::grants::LEASE;
use crate::sample::{LocalEnd, Sample};
use crate::shares::{
    Connection, EnforcedBy, Flow, Granted, LimitState, Slot, StationShare, occupancy,
};

/// Lengths of IPv4 and IPv6 headers [octets].  [RFC791 §3.1], [RFC8200 §3]
const HEADERS: [u64; 2] = [20, 40];

/// Connection of the station: state of its local end, and its limits.
#[derive(Clone, Debug)]
struct KnownConnection {
    own: LocalEnd,
    limits: LimitState,
    seen: Time,
}

/// Law of a station that keeps to the airtime share that its access point grants, with its state.
#[derive(Clone, Debug)]
pub struct GrantedStation {
    settings: Occupancy,
    estimator: Estimator,
    tracker: ConnectionTracker,
    slot: Slot,
    known: BTreeMap<Ends, KnownConnection>,
    /// Last grant with the time of its arrival; `None` one second later.
    grant: Option<(Grant, Time)>,
    granted: Vec<Granted>,
    is_limiting: bool,
}

impl GrantedStation {
    /// Makes the law of a station that keeps to its grant. Link rates are medians of the last
    /// `polls` samples.
    pub fn new(settings: Occupancy, polls: usize) -> Self {
        Self {
            settings,
            estimator: Estimator::new(polls),
            tracker: ConnectionTracker::default(),
            slot: Slot::new(settings.params.beacons),
            known: BTreeMap::new(),
            grant: None,
            granted: Vec::new(),
            is_limiting: false,
        }
    }

    /// Airtime share of this station as a list of one; empty without a grant.
    pub fn granted(&self) -> &[Granted] {
        &self.granted
    }

    /// Processes a sample. Returns the estimates, and the decision if it has changed. If there are
    /// several links, none can be the station's own, and there is no limit.
    pub fn take(&mut self, sample: &Sample) -> (Estimate, Option<Decision>) {
        let seen = self.estimator.take(sample);
        let connections = self.tracker.take(sample);
        let [link] = &seen.links[..] else {
            self.slot.clear();
            self.known.clear();
            return (seen, self.let_go());
        };
        self.know(sample, &connections, seen.at);
        if !seen.elapsed.is_zero() {
            self.slot.push(&seen, connections.iter());
        }
        let now = seen.at;
        self.grant = self.grant.filter(|(_, at)| now.saturating_since(*at) < LEASE);
        let decision = match sample.grant {
            Some(grant) => {
                self.grant = Some((grant.into(), now));
                let windows = self.keep(link, grant.into());
                self.is_limiting |= !windows.is_empty();
                (!windows.is_empty()).then_some(Decision::Windows(windows))
            }
            // A station that misses some grants keeps its limits.  [D-111]
            None if self.grant.is_some() => None,
            None => self.let_go(),
        };
        (seen, decision)
    }

    /// Lifts all limits, because there is no grant or the sample has failed.
    fn let_go(&mut self) -> Option<Decision> {
        self.grant = None;
        self.granted.clear();
        self.known.values_mut().for_each(|it| it.limits.octets = [None; 2]);
        std::mem::take(&mut self.is_limiting).then_some(Decision::Lift)
    }

    /// Records the state of the connections' ends on this machine.
    fn know(&mut self, sample: &Sample, connections: &[ConnectionTraffic], now: Time) {
        for (it, seen) in sample.connections.iter().zip(connections) {
            let Some(own) = it.own else { continue };
            let octets = self.known.get(&it.ends).map(|it| it.limits.octets).unwrap_or_default();
            let known = KnownConnection {
                own,
                limits: LimitState { largest: seen.largest, octets },
                seen: now,
            };
            self.known.insert(it.ends, known);
        }
        self.known.retain(|_, it| now.saturating_since(it.seen) < FORGOTTEN);
    }

    /// Divides the granted share between the station's connections. Returns the limits that have
    /// changed. [occupancy-tfrc eq. 7 to 18]
    fn keep(&mut self, link: &LinkEstimate, grant: Grant) -> Vec<ConnectionLimit> {
        let slot = self.slot.length();
        self.granted.clear();
        if slot.is_zero() {
            return Vec::new();
        }
        let params = self.settings.params;
        let occupied = occupancy(link, &self.slot.used_by(&link.name));
        let used = occupied.as_secs_f64() / slot.as_secs_f64();
        let it = StationShare { used, available: share(&params, grant, used), slot };
        self.granted.push(Granted {
            station: link.name.clone(),
            used,
            share: it.available,
            kept_by: EnforcedBy::Station,
        });
        let mut flows: Vec<Flow> = Vec::new();
        for (ends, moved) in self.slot.moved() {
            let Some(known) = self.known.get(&ends) else { continue };
            let connection = Connection {
                ends,
                moved: &moved,
                headers: [known.headers(&ends); 2],
                round_trips: known.round_trips(),
            };
            flows.extend(connection.flows(link, slot));
        }
        it.keep(&self.settings, &flows, &mut self.known)
    }
}

impl KnownConnection {
    /// Smoothed round trips of data up and down. Where there is none, the minimum round trip is
    /// used; zero means unknown.
    fn round_trips(&self) -> [Duration; 2] {
        let least = self.own.least_round_trip();
        let known = |it: Duration| if it.is_zero() { least } else { it };
        [self.own.sender_round_trip(), self.own.receiver_round_trip()].map(known)
    }

    fn headers(&self, ends: &Ends) -> Bytes {
        Bytes::new(HEADERS[usize::from(ends[0].is_ipv6())] + u64::from(self.own.header))
    }
}

impl AsMut<LimitState> for KnownConnection {
    fn as_mut(&mut self) -> &mut LimitState {
        &mut self.limits
    }
}

#[cfg(test)]
mod tests;
