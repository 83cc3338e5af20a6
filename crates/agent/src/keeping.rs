//! A station that keeps its own connections to what its access point grants.
//!
//! Source: [occupancy-tfrc §III-B to §III-D]. Share, division between flows, rates and windows are the functions of the laws that
//! the simulator's station calls, in their order. The paper's station hears frame after frame, and its grants in beacons; here
//! counters tell what was moved between two samples, and grants are answers.  Deviates: [D-193], [D-194]

use std::collections::BTreeMap;

use airfair_laws::occupancy::Grant;
use airfair_laws::occupancy::station::share;
use airfair_units::{Bytes, Duration, Time};

use crate::configuration::Occupancy;
use crate::connections::{Ends, FORGOTTEN, Follower, SeenConnection};
use crate::decision::{Decision, Window};
use crate::estimate::{Estimator, Seen, SeenLink};
use crate::grants::LEASE;
use crate::sample::{Own, Sample};
use crate::shares::{Connection, Flow, Granted, KeptBy, Limits, Share, Slot, occupancy};

/// Octets of headers of IPv4 and IPv6.  [RFC791 §3.1], [RFC8200 §3]
const HEADERS: [u64; 2] = [20, 40];

/// A connection, as far as it is remembered.
#[derive(Clone, Debug)]
struct Known {
    own: Own,
    limits: Limits,
    seen: Time,
}

/// Memory from sample to sample.
#[derive(Clone, Debug)]
pub struct Keeping {
    settings: Occupancy,
    estimator: Estimator,
    follower: Follower,
    slot: Slot,
    known: BTreeMap<Ends, Known>,
    /// The last grant, until it is a second old, and its time.
    grant: Option<(Grant, Time)>,
    granted: Vec<Granted>,
    is_limiting: bool,
}

impl Keeping {
    /// One with such settings; rates are medians of so many.
    pub fn new(settings: Occupancy, polls: usize) -> Self {
        Self {
            settings,
            estimator: Estimator::new(polls),
            follower: Follower::default(),
            slot: Slot::new(settings.params.beacons),
            known: BTreeMap::new(),
            grant: None,
            granted: Vec::new(),
            is_limiting: false,
        }
    }

    /// Its share; none without a grant.
    pub fn granted(&self) -> &[Granted] {
        &self.granted
    }

    /// Takes in a sample: what was seen, and what changes. A station has one link; of several none is its own.
    pub fn take(&mut self, sample: &Sample) -> (Seen, Option<Decision>) {
        let seen = self.estimator.take(sample);
        let connections = self.follower.take(sample);
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
            // Who misses some keeps its limits.  [D-111]
            None if self.grant.is_some() => None,
            None => self.let_go(),
        };
        (seen, decision)
    }

    /// Nothing is granted any more, or nothing is seen.
    fn let_go(&mut self) -> Option<Decision> {
        self.grant = None;
        self.granted.clear();
        self.known.values_mut().for_each(|it| it.limits.octets = [None; 2]);
        std::mem::take(&mut self.is_limiting).then_some(Decision::Lift)
    }

    /// Takes note of the connections' ends here.
    fn know(&mut self, sample: &Sample, connections: &[SeenConnection], now: Time) {
        for (it, seen) in sample.connections.iter().zip(connections) {
            let Some(own) = it.own else { continue };
            let octets = self.known.get(&it.ends).map(|it| it.limits.octets).unwrap_or_default();
            let known = Known { own, limits: Limits { largest: seen.largest, octets }, seen: now };
            self.known.insert(it.ends, known);
        }
        self.known.retain(|_, it| now.saturating_since(it.seen) < FORGOTTEN);
    }

    /// Divides what is granted between the connections: windows that are new.  [occupancy-tfrc eq. 7 to 18]
    fn keep(&mut self, link: &SeenLink, grant: Grant) -> Vec<Window> {
        let slot = self.slot.length();
        self.granted.clear();
        if slot.is_zero() {
            return Vec::new();
        }
        let params = self.settings.params;
        let occupied = occupancy(link, &self.slot.used_by(&link.name));
        let used = occupied.as_secs_f64() / slot.as_secs_f64();
        let it = Share { used, available: share(&params, grant, used), slot };
        self.granted.push(Granted {
            station: link.name.clone(),
            used,
            share: it.available,
            kept_by: KeptBy::Station,
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

impl Known {
    /// Smoothed round trips of data up and of data down; the least one where there is none yet, and zero where none is known.
    fn round_trips(&self) -> [Duration; 2] {
        let least = self.own.least_round_trip();
        let known = |it: Duration| if it.is_zero() { least } else { it };
        [self.own.sender_round_trip(), self.own.receiver_round_trip()].map(known)
    }

    fn headers(&self, ends: &Ends) -> Bytes {
        Bytes::new(HEADERS[usize::from(ends[0].is_ipv6())] + u64::from(self.own.header))
    }
}

impl AsMut<Limits> for Known {
    fn as_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }
}

#[cfg(test)]
mod tests;
