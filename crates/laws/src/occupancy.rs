//! Occupancy-based TFRC: equal shares of the channel, granted by the access point and enforced by the
//! transports.
//!
//! Source: [occupancy-tfrc §III]. Each beacon announces how much of the channel each station may occupy; a
//! station converts its share into a rate limit for each of its flows.
//!
//! ```text
//!   access point                       beacon                        station
//!   occupancy of all   ── eq. 2–6 ──► [Grant] ── eq. 7–15 ──►  share of each flow
//!   active stations                                ── eq. 16–18 ──►  its highest rate θ
//! ```
//!
//! | module | concept |
//! | --- | --- |
//! | [`access_point`] | equations of the access point: its grant |
//! | [`station`] | equations of a station: shares and rates of its flows |
//! | [`granting`], [`keeping`] | the laws of access point and station, which process frame by frame |
//! | [`observation`] | usage of the channel in the last *n* beacon intervals |
//!
//! The equations have no state and are functions; the `step` functions of [`granting`] and [`keeping`] are
//! the laws.
//!
//! A share of the channel is a fraction of the observation slot T: the channel occupancy of exchanges,
//! including the gap and the mean back-off before each, divided by T.

pub mod access_point;
mod grant;
pub mod granting;
pub mod keeping;
pub mod observation;
pub mod station;

pub use grant::Grant;

use airfair_units::Probability;

use crate::exchange::Aggregates;

/// Parameters of occupancy-based TFRC that access point and stations share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// n: beacon intervals of an observation slot, at least one.
    pub beacons: u16,
    /// r: fraction of its equal share from which on a station or flow counts as unsatisfied, within (0, 1).
    pub satisfied: Probability,
    /// Use of the channel time that a station leaves unused.
    pub spare: Spare,
    /// Number of consecutive missed beacons after which a station stops limiting its flows.
    /// Deviates: [D-111]
    pub patience: u16,
    /// Number of packets among which the time of an aggregate is divided in eq. 9 of the paper on
    /// occupancy-based TFRC, the time of a frame exchange.  Deviates: [D-157]
    pub aggregates: Aggregates,
}

impl Default for Params {
    /// The paper's values n = 3 and r = 0.8, eq. 11 as printed, and a patience of 10 beacons.  [occupancy-tfrc §IV]
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

/// Rule for the additional share of an unsatisfied flow beyond an equal part of its station's share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spare {
    /// As eq. 11 is printed: an unsatisfied flow also gets all that its station has left unused. The access
    /// point has already granted this time to others, so it counts twice, and a flow that uses less than its
    /// share may get more than that share. [occupancy-tfrc eq. 11]
    #[default]
    Printed,
    /// An unsatisfied flow also gets what the other flows of its station leave unused of their parts, and no
    /// more. Deviates: [D-114]
    Once,
}

impl Params {
    /// True if a station or flow that has `used` this fraction of the channel has used at least the fraction
    /// r of its equal share `even`, and so is to get more. [occupancy-tfrc eq. 5 and 12]
    fn is_unsatisfied(&self, used: f64, even: f64) -> bool {
        used >= self.satisfied.get() * even
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Duration;

    /// The default parameters are the paper's, and a station counts as unsatisfied once it has used the
    /// fraction r of its equal share.
    ///
    /// Verifies: [occupancy-tfrc §IV]: n = 3, r = 0.8; Verifies: [occupancy-tfrc §III]
    #[test]
    fn the_papers_constants_are_the_default() {
        let params = Params::default();
        assert_eq!((params.beacons, params.satisfied.get()), (3, 0.8));
        assert!(params.is_unsatisfied(0.4, 0.5) && !params.is_unsatisfied(0.39, 0.5));
    }

    /// Fraction of the channel granted to `stations` with one flow each, if each uses `thousandths` of an
    /// equal share, in slots of 300 ms.
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

    /// True if the values are equal, except for the rounding of the two shares in a grant to 16 bits, for up to
    /// 20 stations.
    fn is_near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-3
    }

    /// In the printed equations, time that a station leaves unused is granted a second time, to its flow, if each
    /// station uses more than 8/9 of an equal share.
    ///
    /// N stations use u of 1/N each. Below u = r none is unsatisfied (eq. 5), and N · 1/N = 1 is granted.
    /// From there on eq. 4 to 7 make a station's share 1/N + (1 - u)/N = (2 - u)/N. Its flow, which uses u/N,
    /// is unsatisfied if u >= r (2 - u) (eq. 12), which means from u = 2r / (1 + r) = 0.889 on. Below, the
    /// flow gets the station's share (eq. 14), in total 2 - u. Above, it also gets what the station leaves
    /// unused, (2 - u) - u (eq. 11 and 15), in total 4 - 3u.
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

    /// In the printed equations at most a third more than the channel is granted; a fifth, if the time that a
    /// station leaves unused is granted once (`Spare::Once`).
    ///
    /// Each station uses the fraction u of an equal share, and counts as unsatisfied from u = r on. In the
    /// printed equations the sum granted is largest at u = 2r / (1 + r): 4 - 3u = 4 - 6r / (1 + r), which is
    /// 1.333 at u = 0.889 with r = 0.8, and 1.158 at u = 0.947 with r = 0.9. With `Spare::Once` it is largest
    /// at u = r: 2 - r = 1.2.
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
