//! Settings of windows from the use of the channel, at a station.

use airfair_laws::arf_window::{Params, Reading, RoundTrip};
use airfair_units::Bytes;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// Settings of the scheme `arf-window`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArfWindow {
    /// Parameters of the law, except the length of the observation slot.
    pub params: Params,
    /// Number of samples in an observation slot.
    pub samples: u16,
}

impl Default for ArfWindow {
    /// Default settings. The slot has three samples, like the three beacon intervals of the
    /// companion paper.  [occupancy-tfrc §IV] Deviates: [D-080]
    fn default() -> Self {
        Self { params: Params::default(), samples: 3 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    samples: Option<u16>,
    long_lived: Option<u64>,
    rise: Option<WrittenReading>,
    fall: Option<WrittenReading>,
    round_trip: Option<WrittenRoundTrip>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenReading {
    Printed,
    Projected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenRoundTrip {
    Smoothed,
    Least,
}

impl WrittenReading {
    fn meant(self) -> Reading {
        match self {
            Self::Printed => Reading::Printed,
            Self::Projected => Reading::Projected,
        }
    }
}

impl Written {
    pub(super) fn checked(&self) -> Result<ArfWindow> {
        let default = ArfWindow::default();
        let samples = self.samples.unwrap_or(default.samples);
        ensure!((1..=100).contains(&samples), "samples = {samples}: allowed is 1 to 100");
        let params = Params {
            long_lived: self.long_lived.map_or(default.params.long_lived, Bytes::new),
            rise: self.rise.map_or(default.params.rise, WrittenReading::meant),
            fall: self.fall.map_or(default.params.fall, WrittenReading::meant),
            round_trip: match self.round_trip {
                None => default.params.round_trip,
                Some(WrittenRoundTrip::Smoothed) => RoundTrip::Smoothed,
                Some(WrittenRoundTrip::Least) => RoundTrip::Least,
            },
            ..default.params
        };
        Ok(ArfWindow { params, samples })
    }
}
