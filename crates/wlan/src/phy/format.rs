//! Formats of PPDUs from HT on, with the widths, guard intervals, MCSs and training fields of each. [80211-2020 §19,
//! §21], [80211ax-2021 §27], [80211be-2024 §36]

use airfair_units::Duration;

use super::{Band, GuardInterval, Width};

/// Format of a PPDU of HT or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// High throughput (802.11n), mixed format.
    Ht,
    /// Very high throughput (802.11ac), single user.
    Vht,
    /// High efficiency (802.11ax).
    He,
    /// Extremely high throughput (802.11be).
    Eht,
}

impl Format {
    /// All formats, from the oldest.
    pub const ALL: [Self; 4] = [Self::Ht, Self::Vht, Self::He, Self::Eht];

    /// Widths of the format's PPDUs in this band; empty if the format does not exist there.
    pub const fn widths(self, band: Band) -> &'static [Width] {
        use Width::{Mhz20, Mhz40, Mhz80, Mhz160};
        match (self, band) {
            (Self::Ht, Band::Ghz2 | Band::Ghz5) | (Self::He | Self::Eht, Band::Ghz2) => {
                &[Mhz20, Mhz40]
            }
            (Self::Vht, Band::Ghz2) | (Self::Ht | Self::Vht, Band::Ghz6) => &[],
            (Self::Vht | Self::He | Self::Eht, Band::Ghz5) | (Self::He, Band::Ghz6) => {
                &[Mhz20, Mhz40, Mhz80, Mhz160]
            }
            (Self::Eht, Band::Ghz6) => &Width::ALL,
        }
    }

    /// Widths of the format's PPDUs in any band. The channels of 320 MHz are in the 6 GHz band.
    pub const fn all_widths(self) -> &'static [Width] {
        if matches!(self, Self::Eht) { &Width::ALL } else { self.widths(Band::Ghz5) }
    }

    /// Guard intervals of the format.
    pub const fn guard_intervals(self) -> &'static [GuardInterval] {
        use GuardInterval::{Ns400, Ns800, Ns1600, Ns3200};
        match self {
            Self::Ht | Self::Vht => &[Ns400, Ns800],
            Self::He | Self::Eht => &[Ns800, Ns1600, Ns3200],
        }
    }

    /// Highest MCS, counted for one stream.
    pub const fn max_mcs(self) -> u8 {
        match self {
            Self::Ht => 7,
            Self::Vht => 9,
            Self::He => 11,
            Self::Eht => 13,
        }
    }

    /// Largest number of spatial streams.
    pub const fn max_streams(self) -> u8 {
        match self {
            Self::Ht => 4,
            Self::Vht | Self::He | Self::Eht => 8,
        }
    }

    /// True for HE and EHT, whose symbols last 12.8 µs and consist of resource units.
    #[inline]
    pub const fn has_units(self) -> bool {
        matches!(self, Self::He | Self::Eht)
    }

    /// Prefix of the names of the format's rates, such as `ht` in `ht-mcs7`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ht => "ht",
            Self::Vht => "vht",
            Self::He => "he",
            Self::Eht => "eht",
        }
    }

    /// Clause of the standard with the format's rate-dependent parameters.
    pub(super) const fn clause(self) -> &'static str {
        match self {
            Self::Ht => "802.11-2020 §19.5",
            Self::Vht => "802.11-2020 §21.5",
            Self::He => "802.11ax-2021 §27.5",
            Self::Eht => "802.11be-2024 §36.5",
        }
    }
}

/// Kind of PPDU by its users. HT and VHT have only PPDUs for a single user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PpduKind {
    /// A single user: HE SU PPDU, or in EHT an EHT MU PPDU with one user.
    #[default]
    Single,
    /// Several users, down from the access point: HE MU or EHT MU PPDU.
    Multi,
    /// Trigger-based, up to the access point and at the same time as those of other users: HE TB or EHT TB PPDU.
    Triggered,
}

impl PpduKind {
    /// All kinds of PPDUs.
    pub const ALL: [Self; 3] = [Self::Single, Self::Multi, Self::Triggered];

    /// Guard intervals of a format's PPDUs of this kind. Trigger-based PPDUs have no guard interval of 800 ns.
    /// [80211ax-2021 §26.5.2.3]
    pub const fn guard_intervals(self, format: Format) -> &'static [GuardInterval] {
        match self {
            Self::Triggered => &[GuardInterval::Ns1600, GuardInterval::Ns3200],
            Self::Single | Self::Multi => format.guard_intervals(),
        }
    }
}

/// Type of the long training field of HE and EHT, which is its length relative to a symbol.  [80211ax-2021
/// §27.3.11.10], [80211be-2024 §36.3.12.10]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeLtf {
    /// 1x HE-LTF: 3.2 µs and a guard interval.
    X1,
    /// 2x HE-LTF: 6.4 µs and a guard interval.
    X2,
    /// 4x HE-LTF: 12.8 µs and a guard interval.
    X4,
}

impl HeLtf {
    /// All types of the HE-LTF, ascending.
    pub const ALL: [Self; 3] = [Self::X1, Self::X2, Self::X4];

    /// Duration of one symbol of the HE-LTF, without its guard interval.
    pub const fn duration(self) -> Duration {
        Duration::from_nanos(3_200 << self as u64)
    }

    /// Default type of the HE-LTF for a guard interval.
    pub(super) const fn of(guard: GuardInterval) -> Self {
        match guard {
            GuardInterval::Ns3200 => Self::X4,
            _ => Self::X2,
        }
    }

    /// True if a format's PPDU of this kind may have this type of LTF with this guard interval. Only HE SU PPDUs have
    /// a 1x LTF with 800 ns, and only trigger-based ones with 1600 ns.  [80211ax-2021 Table 27-18, Table 27-20,
    /// Table 9-31d], [80211be-2024 §36.3.12.8.3]
    pub(super) const fn goes_with(
        self,
        guard: GuardInterval,
        format: Format,
        kind: PpduKind,
    ) -> bool {
        use GuardInterval::{Ns400, Ns800, Ns1600, Ns3200};
        match (self, guard) {
            (Self::X1, Ns800) => matches!((format, kind), (Format::He, PpduKind::Single)),
            (Self::X1, Ns1600) => matches!(kind, PpduKind::Triggered),
            (Self::X2, Ns800 | Ns1600) | (Self::X4, Ns800 | Ns3200) => true,
            (_, Ns400) | (Self::X1 | Self::X2, Ns3200) | (Self::X4, Ns1600) => false,
        }
    }
}

/// Forward error correction of the data field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coding {
    /// Binary convolutional code.
    Bcc,
    /// Low-density parity-check code.
    Ldpc,
}
