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
//! | [`observation`] | the last *n* beacon intervals, as either has seen them |
//!
//! What a fraction of the channel is: the channel occupancy time of exchanges, with the gap and the mean
//! back-off before each, by the length of the observation slot T.

pub mod access_point;
mod grant;
pub mod observation;
pub mod station;

pub use grant::Grant;

use airfair_units::Probability;

/// What access point and stations agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Beacon intervals of an observation slot, n, at least one.
    pub beacons: u16,
    /// Part of an equal share from which on whoever has it counts as unsatisfied, r, within (0, 1).
    pub satisfied: Probability,
    /// What a station makes of time that it leaves unused itself.
    pub spare: Spare,
    /// Beacons missed in a row after which a station limits its flows no longer.  Deviates: [D-111]
    pub patience: u16,
}

impl Default for Params {
    /// n and r as the paper has chosen them.  [occupancy-tfrc §IV]
    fn default() -> Self {
        Self {
            beacons: 3,
            satisfied: Probability::literal(0.8),
            spare: Spare::Printed,
            patience: 10,
        }
    }
}

/// What an unsatisfied flow may have beyond an equal part of its station's share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spare {
    /// All that the station has left unused. The access point has given that away already, so that it counts
    /// twice, and a flow that uses less than its share is allowed more than that.  [occupancy-tfrc eq. 11]
    #[default]
    Printed,
    /// What other flows of the station leave of their own parts.  Deviates: [D-114]
    Once,
}

impl Params {
    /// Whether who has `used` of an equal share is to have more.  [occupancy-tfrc eq. 5 and 12]
    fn is_unsatisfied(&self, used: f64, even: f64) -> bool {
        used >= self.satisfied.get() * even
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verifies: [occupancy-tfrc §IV]: n = 3, r = 0.8; Verifies: [occupancy-tfrc §III]
    #[test]
    fn the_papers_constants_are_the_default() {
        let params = Params::default();
        assert_eq!((params.beacons, params.satisfied.get()), (3, 0.8));
        assert!(params.is_unsatisfied(0.4, 0.5) && !params.is_unsatisfied(0.39, 0.5));
    }
}
