//! Settings of equal shares of the channel.

use airfair_laws::occupancy::{self, Spare};
use airfair_units::Probability;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::{LEAST_WINDOW, check_least};

/// Settings of equal shares of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Those of the law; a sample stands for a beacon.
    pub params: occupancy::Params,
    /// Least window [segments].
    pub least_window: u32,
}

impl Default for Occupancy {
    fn default() -> Self {
        Self { params: occupancy::Params::default(), least_window: LEAST_WINDOW }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    samples: Option<u16>,
    satisfied: Option<f64>,
    spare: Option<WrittenSpare>,
    least_window: Option<u32>,
    one_segment: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenSpare {
    Printed,
    Once,
}

impl Written {
    pub(super) fn checked(&self) -> Result<Occupancy> {
        let default = Occupancy::default();
        let beacons = self.samples.unwrap_or(default.params.beacons);
        ensure!((1..=100).contains(&beacons), "samples = {beacons}: from 1 to 100");
        let satisfied = match self.satisfied {
            None => default.params.satisfied,
            Some(value) => Probability::new(value)
                .filter(|it| *it != Probability::ZERO && *it != Probability::ONE)
                .with_context(|| format!("satisfied = {value}: between 0 and 1"))?,
        };
        let spare = match self.spare {
            None => default.params.spare,
            Some(WrittenSpare::Printed) => Spare::Printed,
            Some(WrittenSpare::Once) => Spare::Once,
        };
        let params = occupancy::Params { beacons, satisfied, spare, ..default.params };
        let least_window = self.least_window.unwrap_or(default.least_window);
        check_least(least_window, self.one_segment)?;
        Ok(Occupancy { params, least_window })
    }
}
