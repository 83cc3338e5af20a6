//! Equal shares of the channel, granted by the access point and kept by the transports.
//!
//! Source: [occupancy-tfrc §III]. Each beacon tells all stations how much of the channel each may hold;
//! a station turns its share into a limit of the rate of each of its flows.
//!
//! ```text
//!   access point                       beacon                        station
//!   occupancy of all   ── eq. 2–6 ──► [Grant] ── eq. 7–15 ──►  share of each flow
//!   active stations                                ── eq. 16–18 ──►  its highest rate θ
//! ```
//!
//! | module | concept |
//! | --- | --- |
//! | [`access_point`] | what the access point grants |
//! | [`station`] | what a station makes of it |
//! | [`granting`], [`keeping`] | either, frame by frame |
//! | [`observation`] | the last *n* beacon intervals, as either has seen them |
//!
//! The equations remember nothing and are functions; `step` of [`granting`] and of [`keeping`] are the laws.
//!
//! A fraction of the channel is the channel occupancy time of exchanges, with the gap and the mean
//! back-off before each, by the length of the observation slot T.

pub mod access_point;
mod grant;
pub mod granting;
pub mod keeping;
pub mod observation;
pub mod station;

pub use grant::Grant;

use airfair_units::Probability;

use crate::exchange::Aggregates;

/// Parameters on which access point and stations agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Beacon intervals of an observation slot, n, at least one.
    pub beacons: u16,
    /// Part of an equal share from which on whoever has it counts as unsatisfied, r, within (0, 1).
    pub satisfied: Probability,
    /// Use that a station makes of time that it leaves unused itself.
    pub spare: Spare,
    /// Beacons missed in a row after which a station limits its flows no longer.  Deviates: [D-111]
    pub patience: u16,
    /// Packets among which the time of an aggregate is divided in eq. 9.  Deviates: [D-157]
    pub aggregates: Aggregates,
}

impl Default for Params {
    /// n and r as the paper has chosen them.  [occupancy-tfrc §IV]
    fn default() -> Self {
        Self {
            beacons: 3,
            satisfied: Probability::literal(0.8),
            spare: Spare::Printed,
            patience: 10,
            aggregates: Aggregates::default(),
        }
    }
}

/// Allowance of an unsatisfied flow beyond an equal part of its station's share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spare {
    /// All that the station has left unused. The access point has given that away already, so that it counts
    /// twice, and a flow that uses less than its share is allowed more than that.  [occupancy-tfrc eq. 11]
    #[default]
    Printed,
    /// Parts of the other flows of the station, as far as they leave them unused.  Deviates: [D-114]
    Once,
}

impl Params {
    /// True if one that has `used` of an equal share is to have more.  [occupancy-tfrc eq. 5 and 12]
    fn is_unsatisfied(&self, used: f64, even: f64) -> bool {
        used >= self.satisfied.get() * even
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Duration;

    /// Verifies: [occupancy-tfrc §IV]: n = 3, r = 0.8; Verifies: [occupancy-tfrc §III]
    #[test]
    fn the_papers_constants_are_the_default() {
        let params = Params::default();
        assert_eq!((params.beacons, params.satisfied.get()), (3, 0.8));
        assert!(params.is_unsatisfied(0.4, 0.5) && !params.is_unsatisfied(0.39, 0.5));
    }

    /// Part of the channel that `stations` with a flow each are granted together, where each uses so many
    /// thousandths of an equal share, in slots of 300 ms.
    fn granted(params: &Params, stations: u16, thousandths: u64) -> f64 {
        let slot = Duration::from_millis(300);
        let each = Duration::from_nanos(300_000 * thousandths / u64::from(stations));
        let occupied = vec![each; stations.into()];
        let (beacons, backoff) = (Duration::ZERO, Duration::ZERO);
        let seen = access_point::Observation { slot, beacons, occupied: &occupied, backoff };
        let grant = access_point::grant(params, &seen);
        let used = each.as_secs_f64() / slot.as_secs_f64();
        let available = station::share(params, grant, used);
        let division = station::Division::new(params, available, &[used], 0.0);
        f64::from(stations) * division.share(used)
    }

    /// Equal but for 20 stations' two fields of 16 bits each.
    fn is_near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-3
    }

    /// N stations use u of 1/N each. Below u = r nobody is unsatisfied (eq. 5): N · 1/N = 1. From there on eq. 4
    /// to 7 make a station's share 1/N + (1 - u)/N = (2 - u)/N. Its flow, which has u/N, is unsatisfied if
    /// u >= r (2 - u) (eq. 12), from u = 2r / (1 + r) = 0.889 on. Below, it has the station's share (eq. 14),
    /// 2 - u in all; above, what the station leaves of it as well, (2 - u) - u (eq. 11 and 15): 4 - 3u in all.
    ///
    /// Verifies: [occupancy-tfrc eq. 4], [occupancy-tfrc eq. 7], [occupancy-tfrc eq. 11],
    /// [occupancy-tfrc eq. 12], [occupancy-tfrc eq. 15]
    #[test]
    fn stations_are_granted_what_is_left_a_second_time_from_eight_ninths_on() {
        for stations in [1, 2, 5, 20] {
            for (thousandths, sum) in
                [(790, 1.0), (801, 1.199), (888, 1.112), (890, 1.33), (950, 1.15), (1_000, 1.0)]
            {
                let all = granted(&Params::default(), stations, thousandths);
                assert!(is_near(all, sum), "{stations} at {thousandths}: {all}");
            }
        }
    }

    /// The largest sums: 4 - 6r / (1 + r), that is 1.333 at 0.889 with r = 0.8, and 1.158 at 0.947 with r = 0.9;
    /// with spare time that counts once 2 - r, 1.2.
    #[test]
    fn the_most_that_is_granted_is_a_third_too_much() {
        let largest = |params: &Params| {
            let all = (700..=1_000).map(|thousandths| granted(params, 2, thousandths));
            all.fold(0.0, f64::max)
        };
        let printed = Params::default();
        let higher = Params { satisfied: Probability::literal(0.9), ..printed };
        let once = Params { spare: Spare::Once, ..printed };
        for (params, most) in [(printed, 1.333), (higher, 1.158), (once, 1.2)] {
            let sum = largest(&params);
            assert!((sum - most).abs() < 3e-3, "{sum}, not {most}");
        }
    }
}
