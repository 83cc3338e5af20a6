//! Law of the access point in occupancy-based TFRC: measures the channel occupancy of the stations and grants
//! shares in each beacon.
//!
//! The state is updated in place, because copying it with every frame would be costly.

use airfair_units::{Duration, Time};

use super::access_point::{Observation, grant};
use super::observation::Intervals;
use super::{Grant, Params};
use crate::occupancy_meter as meter;

/// State of the access point's law: measurements of the last beacon intervals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    meter: meter::State,
    intervals: Intervals,
    /// Start of the current beacon interval.
    since: Time,
    /// Latest mean back-off of the access point, or the initial one before any is measured.
    backoff: Duration,
}

impl State {
    /// Creates a state without measurements. `backoff` is the mean back-off until one is measured.
    #[must_use]
    pub fn new(backoff: Duration) -> Self {
        let (meter, intervals) = (meter::State::default(), Intervals::default());
        Self { meter, intervals, since: Time::ZERO, backoff }
    }

    /// Usage of the channel in the current beacon interval by station, and the access times before exchanges.
    pub fn measured(&self, meter: &meter::Params) -> (&meter::Slot, meter::Access) {
        let seen = self.meter.current();
        (seen, access(meter, seen.backoffs.mean().unwrap_or(self.backoff)))
    }
}

/// Access times before exchanges. The access point assumes its own mean back-off for stations, whose
/// back-offs it does not know. [occupancy-tfrc §III-A]
fn access(meter: &meter::Params, backoff: Duration) -> meter::Access {
    let access = meter.difs + backoff;
    meter::Access { up: access, down: access }
}

/// Processes a frame that the access point has decoded or sent.
pub fn hear(meter: &meter::Params, state: &mut State, frame: &meter::Frame) {
    meter::step(meter, &mut state.meter, frame);
}

/// Ends the beacon interval and returns the grant for the beacon that is due.  [occupancy-tfrc §III-B]
pub fn step(params: &Params, meter: &meter::Params, state: &mut State, now: Time) -> Grant {
    let seen = meter::end_slot_at(meter, &mut state.meter, now);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, AP, at_ms, us};

    const METER: meter::Params =
        meter::Params { me: AP, slot: Duration::from_nanos(u64::MAX), ..fixture::METER };

    /// Data to a station, which ends at `end` ms after 248 µs and a back-off, and its ACK 44 µs later.
    fn down(state: &mut State, end: u64, station: u16, backoff: u64) {
        let data = fixture::data(1_000 * end, AP, station);
        hear(&METER, state, &meter::Frame { backoff: Some(us(backoff)), ..data });
        hear(&METER, state, &fixture::ack(1_000 * end + 44, AP));
    }

    /// Air that other cells use is not granted. Of 100 ms, a frame of another cell takes 40; so one active station
    /// gets 0.6 of the channel, and two get 0.3 each.
    #[test]
    fn the_air_of_other_cells_is_not_granted() {
        let even = |stations: u16| {
            let mut state = State::new(us(67));
            for station in 1..=stations {
                down(&mut state, u64::from(10 * station), station, 40);
            }
            let foreign = fixture::frame(60_000, AP, meter::Kind::Foreign);
            let long = meter::Frame { duration: us(40_000), ..foreign };
            hear(&METER, &mut state, &long);
            step(&Params::default(), &METER, &mut state, at_ms(100)).even()
        };
        assert!((even(1) - 0.6).abs() < 1e-4 && (even(2) - 0.3).abs() < 1e-4);
    }

    /// A beacon grants shares by the measurements of the last beacon intervals. 100 ms have an exchange of
    /// 292 µs with each of two stations, after DIFS and a mean back-off of (40 + 80) / 2 µs. Both are far
    /// below their halves. Later intervals have no back-offs, so the mean stays.
    ///
    /// Verifies: [occupancy-tfrc §III-A], [occupancy-tfrc §III-B]
    #[test]
    fn a_beacon_grants_by_the_last_intervals() {
        let params = Params::default();
        let mut state = State::new(us(67));
        assert_eq!(step(&params, &METER, &mut state, at_ms(100)).backoff(), us(67));
        down(&mut state, 120, 1, 40);
        down(&mut state, 130, 2, 80);
        let (seen, access) = state.measured(&METER);
        assert_eq!((seen.stations.len(), access.down), (2, us(34 + 60)));
        assert_eq!(seen.stations[1].occupancy(access), us(292 + 94));
        let grant = step(&params, &METER, &mut state, at_ms(200));
        assert_eq!(grant, Grant::new(0.5, 0.0, us(60)));
        for (beacon, stations) in [(300, 2), (400, 2), (500, 1)] {
            let grant = step(&params, &METER, &mut state, at_ms(beacon));
            assert_eq!(grant, Grant::new(1.0 / f64::from(stations), 0.0, us(60)), "{beacon}");
        }
    }
}
