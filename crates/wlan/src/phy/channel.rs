//! Bands, channel widths and guard intervals.

use std::fmt;
use std::str::FromStr;

use airfair_units::Duration;

/// Frequency band of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Band {
    /// 2.4 GHz band.
    Ghz2,
    /// 5 GHz band.
    Ghz5,
    /// 6 GHz band, which has HE and later only.  [80211ax-2021 §26.17.2]
    Ghz6,
}

impl Band {
    /// All bands, ascending.
    pub const ALL: [Self; 3] = [Self::Ghz2, Self::Ghz5, Self::Ghz6];

    /// Time without a signal at the end of each OFDM PPDU, aSignalExtension. At 2.4 GHz it gives convolutional
    /// decoders the time that the shorter SIFS lacks.  [80211-2020 §18.4.5, §19.4.3]
    pub const fn signal_extension(self) -> Duration {
        match self {
            Self::Ghz2 => Duration::from_micros(6),
            Self::Ghz5 | Self::Ghz6 => Duration::ZERO,
        }
    }

    /// Short interframe space, aSIFSTime.  [80211-2020 §19.4.4]
    pub const fn sifs(self) -> Duration {
        match self {
            Self::Ghz2 => Duration::from_micros(10),
            Self::Ghz5 | Self::Ghz6 => Duration::from_micros(16),
        }
    }
}

/// Channel width of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// Width of 20 MHz.
    Mhz20,
    /// Width of 40 MHz.
    Mhz40,
    /// Width of 80 MHz.
    Mhz80,
    /// Width of 160 MHz, or of twice 80 MHz.
    Mhz160,
    /// Width of 320 MHz, in EHT only.
    Mhz320,
}

impl Width {
    /// All widths, ascending.
    pub const ALL: [Self; 5] = [Self::Mhz20, Self::Mhz40, Self::Mhz80, Self::Mhz160, Self::Mhz320];

    /// Width of the channel [MHz].
    pub const fn mhz(self) -> u16 {
        20 << self as u16
    }
}

/// Guard interval before each symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardInterval {
    /// 400 ns: the short guard interval of HT and VHT.
    Ns400,
    /// 800 ns: the long guard interval of HT and VHT, and the shortest of HE and EHT.
    Ns800,
    /// 1600 ns, in HE and EHT.
    Ns1600,
    /// 3200 ns, in HE and EHT.
    Ns3200,
}

impl GuardInterval {
    /// All guard intervals, ascending.
    pub const ALL: [Self; 4] = [Self::Ns400, Self::Ns800, Self::Ns1600, Self::Ns3200];

    /// Length of the guard interval.
    pub const fn duration(self) -> Duration {
        Duration::from_nanos(400 << self as u64)
    }
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ghz2 => "2.4 GHz",
            Self::Ghz5 => "5 GHz",
            Self::Ghz6 => "6 GHz",
        })
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MHz", self.mhz())
    }
}

impl fmt::Display for GuardInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ns", self.duration().as_nanos())
    }
}

/// Error: a text is none of the allowed names. The message lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// Allowed names.
    pub allowed: Vec<String>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "allowed {}", self.allowed.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// Value in `all` whose text form is `text`.
fn named<T: Copy + fmt::Display>(all: &[T], text: &str) -> Result<T, UnknownName> {
    let found = all.iter().find(|it| it.to_string() == text);
    found.copied().ok_or_else(|| UnknownName { allowed: all.iter().map(T::to_string).collect() })
}

impl FromStr for Band {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        named(&Self::ALL, text)
    }
}

impl FromStr for Width {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        named(&Self::ALL, text)
    }
}

impl FromStr for GuardInterval {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        named(&Self::ALL, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_widths_and_guard_intervals_are_read_as_they_are_written() {
        let texts = |all: &[&dyn fmt::Display]| -> Vec<String> {
            all.iter().map(ToString::to_string).collect()
        };
        let [two, five, six] = Band::ALL;
        let widths = Width::ALL;
        let intervals = GuardInterval::ALL;
        assert_eq!(texts(&[&two, &five, &six]), ["2.4 GHz", "5 GHz", "6 GHz"]);
        assert_eq!(
            texts(&widths.each_ref().map(|it| -> &dyn fmt::Display { it })),
            ["20 MHz", "40 MHz", "80 MHz", "160 MHz", "320 MHz"]
        );
        assert_eq!(
            texts(&[&intervals[0], &intervals[1], &intervals[2], &intervals[3]]),
            ["400 ns", "800 ns", "1600 ns", "3200 ns"]
        );
        assert!(Band::ALL.iter().all(|it| it.to_string().parse() == Ok(*it)));
        assert!(Width::ALL.iter().all(|it| it.to_string().parse() == Ok(*it)));
        assert!(GuardInterval::ALL.iter().all(|it| it.to_string().parse() == Ok(*it)));
    }

    #[test]
    fn another_text_is_answered_with_what_is_allowed() {
        let error = "30 MHz".parse::<Width>().expect_err("no width of 802.11");
        assert_eq!(error.to_string(), "allowed 20 MHz, 40 MHz, 80 MHz, 160 MHz, 320 MHz");
    }
}
