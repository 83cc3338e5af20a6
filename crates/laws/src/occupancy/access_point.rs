//! Equations of the access point: the grant that follows from its measurements.  [occupancy-tfrc §III-B]

use airfair_units::Duration;

use super::{Grant, Params};

/// Measurements of the access point in the last observation slot, as its grant needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation<'s> {
    /// T: length of the observation slot, greater than zero.
    pub slot: Duration,
    /// Channel occupancy of beacons, and of frames of other cells, in the slot.  Deviates: [D-292]
    pub beacons: Duration,
    /// Channel occupancy of each active station in the slot: frames from it and to it.
    pub occupied: &'s [Duration],
    /// `t_BO_AP`: mean back-off of the access point.
    pub backoff: Duration,
}

/// Grant for the next beacon.  [occupancy-tfrc eq. 2 to 6]
///
/// Stations count their back-offs down at the same time, so the sum of their occupancy times may exceed the
/// slot. No additional share is granted then, and the equal shares stay.
#[must_use]
pub fn grant(params: &Params, seen: &Observation) -> Grant {
    let fraction = |time: Duration| time.as_secs_f64() / seen.slot.as_secs_f64();
    let available = 1.0 - fraction(seen.beacons);
    let even = available / count(seen.occupied.len().max(1));
    let used = || seen.occupied.iter().map(|time| fraction(*time));
    let remaining = available - used().sum::<f64>();
    let unsatisfied = used().filter(|used| params.is_unsatisfied(*used, even)).count();
    let additional = if unsatisfied == 0 { 0.0 } else { remaining / count(unsatisfied) };
    Grant::new(even, additional, seen.backoff)
}

#[expect(clippy::cast_precision_loss, reason = "at most 65 535 stations")]
fn count(stations: usize) -> f64 {
    stations as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// The granted shares `p_even` and `p_additional` after stations have `occupied` these times of 300 ms
    /// [1/1000].
    fn shares(beacons: u64, occupied: &[u64]) -> (u32, u32) {
        let occupied: Vec<Duration> = occupied.iter().map(|time| ms(*time)).collect();
        let backoff = Duration::from_micros(67);
        let seen =
            Observation { slot: ms(300), beacons: ms(beacons), occupied: &occupied, backoff };
        let grant = grant(&Params::default(), &seen);
        assert_eq!(grant.backoff(), backoff);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let thousandths = |share: f64| (share * 1_000.0).round() as u32;
        (thousandths(grant.even()), thousandths(grant.additional()))
    }

    /// The time that no station uses is granted to the unsatisfied stations. 3 ms of beacons leave 297 ms:
    /// 148.5 ms or 0.495 for each of two stations. With 100 and 50 ms used, 147 ms or 0.49 remain, and no
    /// station has 0.8 · 148.5 = 118.8 ms. With 120 ms the first is unsatisfied and gets all of the remaining
    /// 127 ms or 0.4233; with 120 ms each both get half of the rest, 28.5 ms or 0.095.
    ///
    /// Verifies: [occupancy-tfrc eq. 2], [occupancy-tfrc eq. 3], [occupancy-tfrc eq. 4],
    /// [occupancy-tfrc eq. 5], [occupancy-tfrc eq. 6]
    #[test]
    fn the_remaining_time_goes_to_unsatisfied_stations() {
        assert_eq!(shares(3, &[100, 50]), (495, 0));
        assert_eq!(shares(3, &[120, 50]), (495, 423));
        assert_eq!(shares(3, &[120, 120]), (495, 95));
    }

    /// A station that uses exactly the fraction r of its equal share, 0.8 · 150 = 120 ms, is unsatisfied.
    #[test]
    fn the_threshold_itself_is_unsatisfied() {
        assert_eq!(shares(0, &[120, 0]), (500, 600));
        assert_eq!(shares(0, &[119, 0]), (500, 0));
    }

    #[test]
    fn an_overfull_slot_leaves_nothing_and_an_empty_one_everything() {
        assert_eq!(shares(3, &[200, 150]), (495, 0));
        assert_eq!(shares(0, &[]), (1_000, 0));
        assert_eq!(shares(400, &[10]), (0, 0));
    }

    proptest! {
        /// For any measurements the equal shares never exceed the channel in sum, and the additional shares
        /// never exceed what the other stations leave.
        #[test]
        fn no_more_is_granted_than_there_is(
            beacons in 0u64..10,
            occupied in prop::collection::vec(0u64..300_000, 1..40),
        ) {
            let occupied: Vec<Duration> = occupied.into_iter().map(Duration::from_micros).collect();
            let params = Params::default();
            let seen = Observation {
                slot: ms(300), beacons: ms(beacons), occupied: &occupied, backoff: Duration::ZERO,
            };
            let grant = grant(&params, &seen);
            let all = count(occupied.len());
            prop_assert!(grant.even() * all <= 1.0);
            let used = |time: &Duration| time.as_secs_f64() / 0.3;
            let total: f64 = occupied.iter().map(used).sum();
            let hungry = occupied.iter().filter(|time| {
                params.is_unsatisfied(used(time), (1.0 - used(&ms(beacons))) / all)
            });
            prop_assert!(grant.additional() * count(hungry.count()) <= (1.0 - total).max(0.0) + 1e-9);
        }
    }
}
