//! Rate of data frames, as a scenario chooses it.

use std::fmt;

use airfair_units::DataRate;

use super::Mode;
use super::rate_name::RateName;

/// A rate of a legacy amendment, of which the cell knows the preamble, or a mode of HT, VHT or HE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rate {
    /// Of 802.11a, b or g.
    Legacy(DataRate),
    /// Of HT, VHT or HE.
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

/// As a scenario names it.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Legacy(rate) => rate.fmt(f),
            Self::Mode(mode) => RateName::of(*mode).fmt(f),
        }
    }
}
