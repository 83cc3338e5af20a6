//! Rate of data frames, as a scenario gives it.

use std::fmt;

use airfair_units::DataRate;

use super::Mode;
use super::rate_name::RateName;

/// Rate of data frames: a rate of a legacy amendment, where the cell adds the preamble, or a mode of HT, VHT, HE or
/// EHT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rate {
    /// Rate of 802.11a, b or g.
    Legacy(DataRate),
    /// Mode of HT, VHT, HE or EHT.
    Mode(Mode),
}

impl Rate {
    /// Data rate of the PSDU.
    pub fn data_rate(self) -> DataRate {
        match self {
            Self::Legacy(rate) => rate,
            Self::Mode(mode) => mode.rate(),
        }
    }
}

impl From<DataRate> for Rate {
    fn from(rate: DataRate) -> Self {
        Self::Legacy(rate)
    }
}

impl From<Mode> for Rate {
    fn from(mode: Mode) -> Self {
        Self::Mode(mode)
    }
}

/// Formats the rate as a scenario names it.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Legacy(rate) => rate.fmt(f),
            Self::Mode(mode) => RateName::of(*mode).fmt(f),
        }
    }
}
