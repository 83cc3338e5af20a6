//! Enhanced distributed channel access (EDCA): access categories, their default parameters, and the mapping of
//! packets to categories.  [80211-2020 §10.2.3.2, §10.23.2]

use std::fmt;

use airfair_units::Duration;

use crate::phy::Standard;

/// Access category, from the lowest to the highest.  [80211-2020 Table 10-1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessCategory {
    /// Background, `AC_BK`, the lowest priority.
    Background,
    /// Best effort, `AC_BE`.
    #[default]
    BestEffort,
    /// Video, `AC_VI`, above best effort.
    Video,
    /// Voice, `AC_VO`, the highest priority.
    Voice,
}

impl AccessCategory {
    /// All categories, from the lowest to the highest.
    pub const ALL: [Self; 4] = [Self::Background, Self::BestEffort, Self::Video, Self::Voice];

    /// Category of a user priority, 0 to 7; `None` above.  [80211-2020 Table 10-1]
    pub const fn of_user_priority(priority: u8) -> Option<Self> {
        Some(match priority {
            1 | 2 => Self::Background,
            0 | 3 => Self::BestEffort,
            4 | 5 => Self::Video,
            6 | 7 => Self::Voice,
            _ => return None,
        })
    }

    /// User priority, and so the traffic identifier, to which Table 10-1 gives the name of the category.
    pub const fn user_priority(self) -> u8 {
        match self {
            Self::Background => 1,
            Self::BestEffort => 0,
            Self::Video => 5,
            Self::Voice => 6,
        }
    }

    /// Category of a differentiated services code point, 0 to 63; `None` above.
    pub const fn of_dscp(dscp: u8) -> Option<Self> {
        match user_priority(dscp) {
            Some(priority) => Self::of_user_priority(priority),
            None => None,
        }
    }
}

impl fmt::Display for AccessCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Background => "background",
            Self::BestEffort => "best effort",
            Self::Video => "video",
            Self::Voice => "voice",
        })
    }
}

/// User priority of a differentiated services code point, 0 to 63; `None` above. Code points without a service class
/// have best effort's.  [RFC8325 §4.3], [RFC8622]
pub const fn user_priority(dscp: u8) -> Option<u8> {
    Some(match dscp {
        // CS6 and CS7, network control.
        48 | 56 => 7,
        // EF and VOICE-ADMIT.
        46 | 44 => 6,
        // CS5, signaling.
        40 => 5,
        // AF4x, CS4, AF3x and CS3: conferences, interactive and streaming video.
        34 | 36 | 38 | 32 | 26 | 28 | 30 | 24 => 4,
        // AF2x, low-latency data.
        18 | 20 | 22 => 3,
        // CS1 and LE, lower effort.
        8 | 1 => 1,
        0..=63 => 0,
        _ => return None,
    })
}

/// Channel access of one member: EDCA parameters and retry limits.  [80211-2020 §10.23.2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessParameters {
    /// Number of slots by which the AIFS exceeds a SIFS, at least 1; with 2, the AIFS is a DIFS.
    pub aifsn: u8,
    /// Smallest contention window [slots]; `None` for the cell's.
    pub cw_min: Option<u16>,
    /// Largest contention window [slots]; `None` for the cell's.
    pub cw_max: Option<u16>,
    /// Time for which the member may continue to send after it has won the channel; zero allows one frame.
    pub txop_limit: Duration,
    /// Limits at which a frame is given up; `None` for the cell's.
    pub attempts: Option<Attempts>,
    /// True if the back-off counter decreases at the beginning of a slot, as in EDCA, and not after an idle slot, as
    /// in the DCF. An interrupted countdown is then one slot ahead of the DCF's.  [80211-2020 §10.23.2.4]
    pub counts_at_start: bool,
}

impl AccessParameters {
    /// Default channel access of a member of `standard`: the DCF, or EDCA's best effort for 802.11n and later.
    /// [80211-2020 §10.3.4, Table 9-155]  Deviates: [D-121]
    pub fn of(standard: Standard) -> Self {
        let has_edca = standard.format().is_some();
        let aifsn = if has_edca { 3 } else { 2 };
        Self { aifsn, counts_at_start: has_edca, ..Self::default() }
    }
}

impl Default for AccessParameters {
    /// Channel access by the DCF, with the contention windows and retry limits of the cell.  [80211-2020 §10.3.4]
    fn default() -> Self {
        Self {
            aifsn: 2,
            cw_min: None,
            cw_max: None,
            txop_limit: Duration::ZERO,
            attempts: None,
            counts_at_start: false,
        }
    }
}

/// Limits at which the MAC gives up a frame.  [80211-2020 §10.3.4.4]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempts {
    /// Short and long retry limits: transmission attempts of a frame without and with RTS protection.
    Limits {
        /// dot11ShortRetryLimit, default 7.
        short: u16,
        /// dot11LongRetryLimit, default 4.
        long: u16,
    },
    /// One limit on transmission attempts, for all frames.
    Max(u16),
    /// No limit, as Bianchi assumes.
    Unlimited,
}

impl Default for Attempts {
    /// Default values of the standard: dot11ShortRetryLimit 7 and dot11LongRetryLimit 4.  [80211-2020 Annex C]
    fn default() -> Self {
        Self::Limits { short: 7, long: 4 }
    }
}

/// Source of the default channel access parameters of categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Defaults {
    /// Parameters that the standard lets an access point announce to its stations. Access points use these parameters
    /// themselves as well. [80211-2020 Table 9-155]
    #[default]
    Standard,
    /// Parameters that hostapd uses for the access point's own queues: shorter interframe spaces for video and voice,
    /// no TXOP for data. [hostapd]
    Hostapd,
}

impl Defaults {
    /// Parameters of a category, for a PHY with this smallest and largest contention window [slots]. `is_dsss` is true
    /// for a PHY with DSSS and CCK only.
    pub fn parameters(
        self,
        category: AccessCategory,
        (cw_min, cw_max): (u16, u16),
        is_dsss: bool,
    ) -> AccessParameters {
        let (smallest, largest) = self.windows(category, cw_min, cw_max);
        AccessParameters {
            aifsn: self.aifsn(category),
            cw_min: Some(smallest),
            cw_max: Some(largest),
            txop_limit: Duration::from_micros(self.txop_limit_us(category, is_dsss)),
            attempts: None,
            counts_at_start: true,
        }
    }

    const fn aifsn(self, category: AccessCategory) -> u8 {
        match (category, self) {
            (AccessCategory::Background, _) => 7,
            (AccessCategory::BestEffort, _) => 3,
            (AccessCategory::Video | AccessCategory::Voice, Self::Standard) => 2,
            (AccessCategory::Video | AccessCategory::Voice, Self::Hostapd) => 1,
        }
    }

    /// Smallest and largest contention window of a category, from (aCWmin + 1)/4 - 1 to aCWmax.
    const fn windows(self, category: AccessCategory, cw_min: u16, cw_max: u16) -> (u16, u16) {
        // Without the addition, which would overflow for the largest window.
        let (half, quarter) = (cw_min / 2, cw_min / 4);
        match (category, self) {
            (AccessCategory::BestEffort, Self::Hostapd) => (cw_min, 63),
            (AccessCategory::Background | AccessCategory::BestEffort, _) => (cw_min, cw_max),
            (AccessCategory::Video, _) => (half, cw_min),
            (AccessCategory::Voice, _) => (quarter, half),
        }
    }

    const fn txop_limit_us(self, category: AccessCategory, is_dsss: bool) -> u64 {
        use AccessCategory::{Background, BestEffort, Video, Voice};
        match (self, category, is_dsss) {
            (Self::Standard, Background | BestEffort | Voice, true) => 3_264,
            (Self::Standard, Background | BestEffort, false) => 2_528,
            (Self::Standard, Video, true) => 6_016,
            (Self::Standard, Video, false) => 4_096,
            (Self::Standard, Voice, false) => 2_080,
            (Self::Hostapd, Background | BestEffort, _) => 0,
            (Self::Hostapd, Video, true) => 6_000,
            (Self::Hostapd, Voice, true) => 3_300,
            (Self::Hostapd, Video, false) => 3_000,
            (Self::Hostapd, Voice, false) => 1_500,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AccessCategory::{Background, BestEffort, Video, Voice};

    /// The standard's defaults of all categories, for OFDM and for DSSS: AIFSN, contention windows and TXOP limit.
    /// aCWmin 15 and aCWmax 1023: (15 + 1)/2 - 1 = 7, (15 + 1)/4 - 1 = 3.
    ///
    /// Verifies: [80211-2020 Table 9-155]
    #[test]
    fn defaults_of_ofdm_and_of_dsss() {
        let of = |category, windows, is_dsss| {
            let it = Defaults::Standard.parameters(category, windows, is_dsss);
            let (smallest, largest) = (it.cw_min.expect("set"), it.cw_max.expect("set"));
            (it.aifsn, smallest, largest, it.txop_limit.as_nanos() / 1_000)
        };
        let ofdm = AccessCategory::ALL.map(|it| of(it, (15, 1_023), false));
        let rows =
            [(7, 15, 1_023, 2_528), (3, 15, 1_023, 2_528), (2, 7, 15, 4_096), (2, 3, 7, 2_080)];
        assert_eq!(ofdm, rows);
        let dsss = AccessCategory::ALL.map(|it| of(it, (31, 1_023), true));
        let rows =
            [(7, 31, 1_023, 3_264), (3, 31, 1_023, 3_264), (2, 15, 31, 6_016), (2, 7, 15, 3_264)];
        assert_eq!(dsss, rows);
    }

    /// Each user priority has its category of Table 10-1, and there is none above 7.
    ///
    /// Verifies: [80211-2020 Table 10-1]
    #[test]
    fn user_priorities_have_their_categories() {
        let all: Vec<_> = (0..8).filter_map(AccessCategory::of_user_priority).collect();
        assert_eq!(
            all,
            [BestEffort, Background, Background, BestEffort, Video, Video, Voice, Voice]
        );
        assert_eq!(AccessCategory::of_user_priority(8), None);
    }

    /// Code points of service classes have the user priorities that RFC 8325 recommends, and others that of best
    /// effort. EF 46, VOICE-ADMIT 44, CS5 40, AF41 34, CS3 24, AF21 18, CS2 16, AF11 10, CS1 8, LE 1, DF 0, CS6 48.
    ///
    /// Verifies: [RFC8325 §4.3], [RFC8622]
    #[test]
    fn service_classes_have_their_categories() {
        let dscp = [46, 44, 40, 34, 24, 18, 16, 10, 8, 1, 0, 48, 63];
        let priorities = dscp.map(|it| user_priority(it).expect("a code point"));
        assert_eq!(priorities, [6, 6, 5, 4, 4, 3, 0, 0, 1, 1, 0, 7, 0]);
        let named: Vec<String> = [44, 34, 18, 8]
            .iter()
            .filter_map(|it| AccessCategory::of_dscp(*it))
            .map(|it| it.to_string())
            .collect();
        assert_eq!(named, ["voice", "video", "best effort", "background"]);
        assert_eq!((user_priority(64), AccessCategory::of_dscp(64)), (None, None));
    }

    /// hostapd's defaults have a smaller AIFSN than the standard's for video and voice only, and a shorter TXOP limit
    /// for all categories.
    ///
    /// Verifies: [hostapd]
    #[test]
    fn hostapd_is_quicker_with_video_and_voice() {
        for category in AccessCategory::ALL {
            let own = Defaults::Hostapd.parameters(category, (15, 1_023), false);
            let standard = Defaults::Standard.parameters(category, (15, 1_023), false);
            assert_eq!(own.aifsn < standard.aifsn, category >= Video);
            assert!(own.txop_limit < standard.txop_limit);
        }
    }
}
