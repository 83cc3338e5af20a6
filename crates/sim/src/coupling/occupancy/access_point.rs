//! The access point measures what its stations hold, and says in each beacon what they may.

use airfair_laws::occupancy::access_point::{Observation, grant};
use airfair_laws::occupancy::observation::Intervals;
use airfair_laws::occupancy::{Grant, Params};
use airfair_laws::occupancy_meter as meter;
use airfair_units::{Duration, Time};
use airfair_wlan::airtime::Airtime;
use airfair_wlan::{NodeId, Overheard};

use super::super::hearing;
use crate::packet::Packet;

/// An access point that grants shares.
#[derive(Debug)]
pub(crate) struct GrantingAccessPoint {
    params: Params,
    meter_params: meter::Params,
    meter: meter::State,
    intervals: Intervals,
    /// When the interval under way began.
    since: Time,
    /// Its mean back-off, as last known.
    backoff: Duration,
}

impl GrantingAccessPoint {
    pub(crate) fn new(params: Params, airtime: &Airtime) -> Self {
        // Slots end with beacons, not of themselves.
        let never = Duration::from_nanos(u64::MAX);
        Self {
            params,
            meter_params: hearing::meter_params(NodeId::AP, never, airtime),
            meter: meter::State::default(),
            intervals: Intervals::default(),
            since: Time::ZERO,
            backoff: airtime.mean_backoff(),
        }
    }

    /// The access point has decoded or sent a frame.
    pub(crate) fn handle(&mut self, airtime: &Airtime, heard: &Overheard<Packet>) {
        let frame = hearing::frame(airtime, heard);
        meter::step(&self.meter_params, &mut self.meter, &frame);
    }

    /// What was seen in the interval under way, by station, and what an access costs.
    #[cfg(test)]
    pub(crate) fn measured(&self) -> (Vec<meter::Usage>, meter::Access) {
        let seen = self.meter.current();
        let access = self.access(seen.backoffs.mean().unwrap_or(self.backoff));
        (seen.stations.values().copied().collect(), access)
    }

    /// It does not know the back-offs of stations.  [occupancy-tfrc §III-A]
    fn access(&self, backoff: Duration) -> meter::Access {
        let access = self.meter_params.difs + backoff;
        meter::Access { up: access, down: access }
    }

    /// A beacon is due: what it says.  [occupancy-tfrc §III-B]
    pub(crate) fn grant(&mut self, now: Time) -> Grant {
        let seen = meter::cut(&self.meter_params, &mut self.meter, now);
        self.intervals.push(self.params.beacons, now - self.since, seen);
        self.since = now;
        let slot = self.intervals.slot();
        self.backoff = slot.seen.backoffs.mean().unwrap_or(self.backoff);
        let access = self.access(self.backoff);
        let occupied: Vec<Duration> =
            slot.seen.stations.values().map(|usage| usage.occupancy(access)).collect();
        let (beacons, backoff) = (slot.seen.beacons, self.backoff);
        let seen = Observation { slot: slot.length, beacons, occupied: &occupied, backoff };
        grant(&self.params, &seen)
    }
}
