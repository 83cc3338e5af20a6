//! An access point that grants: it measures what its stations hold, and says in each beacon what they may.
//!
//! It takes in one frame after the other in place: its account of all stations would be copied with each of them.

use airfair_units::{Duration, Time};

use super::access_point::{Observation, grant};
use super::observation::Intervals;
use super::{Grant, Params};
use crate::occupancy_meter as meter;

/// What must survive between frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    meter: meter::State,
    intervals: Intervals,
    /// When the interval under way began.
    since: Time,
    /// Its mean back-off, as last known.
    backoff: Duration,
}

impl State {
    /// Nothing has been seen; an own back-off lasts `backoff` on average.
    #[must_use]
    pub fn new(backoff: Duration) -> Self {
        let (meter, intervals) = (meter::State::default(), Intervals::default());
        Self { meter, intervals, since: Time::ZERO, backoff }
    }

    /// What was seen in the interval under way, by station, and what an access costs.
    pub fn measured(&self, meter: &meter::Params) -> (&meter::Slot, meter::Access) {
        let seen = self.meter.current();
        (seen, access(meter, seen.backoffs.mean().unwrap_or(self.backoff)))
    }
}

/// An access point does not know the back-offs of stations.  [occupancy-tfrc §III-A]
fn access(meter: &meter::Params, backoff: Duration) -> meter::Access {
    let access = meter.difs + backoff;
    meter::Access { up: access, down: access }
}

/// The access point has decoded or sent a frame.
pub fn hear(meter: &meter::Params, state: &mut State, frame: &meter::Frame) {
    state.meter = meter::step(meter, std::mem::take(&mut state.meter), frame);
}

/// A beacon is due: what it grants.  [occupancy-tfrc §III-B]
pub fn step(params: &Params, meter: &meter::Params, state: &mut State, now: Time) -> Grant {
    let (next, seen) = meter::cut(meter, std::mem::take(&mut state.meter), now);
    state.meter = next;
    state.intervals.push(params.beacons, now - state.since, seen);
    state.since = now;
    let slot = state.intervals.slot();
    state.backoff = slot.seen.backoffs.mean().unwrap_or(state.backoff);
    let access = access(meter, state.backoff);
    let occupied: Vec<Duration> =
        slot.seen.stations.values().map(|usage| usage.occupancy(access)).collect();
    let (beacons, backoff) = (slot.seen.beacons, state.backoff);
    grant(params, &Observation { slot: slot.length, beacons, occupied: &occupied, backoff })
}
