//! The rules of one cell: what the scenario chose, free of contradictions.

use airfair_units::{Bytes, DataRate, Duration};

use crate::capabilities::{Channel, LinkCapabilities};
use crate::edca::AccessCategory;
use crate::errors::ErrorModel;
use crate::link_rate::RateLaw;
use crate::phy::{Preamble, Rate, Standard, Timing};
use crate::queue::config::QueueConfig;

/// A member of a cell: the access point or a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u16);

impl NodeId {
    /// The access point.
    pub const AP: Self = Self(0);

    /// The `index`-th station, from 0.
    ///
    /// # Panics
    /// Beyond 65 534 stations.
    pub fn station(index: usize) -> Self {
        Self(u16::try_from(index + 1).expect("at most 65 534 stations"))
    }

    /// True for the access point.
    pub fn is_ap(self) -> bool {
        self == Self::AP
    }

    /// Place in a table of all members.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellConfig {
    /// Rules of its channel.
    pub rules: Rules,
    /// The access point's queue.
    pub ap_queue: QueueConfig,
    /// Channel access of the access point.
    pub ap_access: AccessParameters,
    /// Its categories, as those of a [station](StationConfig::categories).
    pub ap_categories: Vec<(AccessCategory, AccessParameters)>,
    /// The stations.
    pub stations: Vec<StationConfig>,
}

/// Rules of one cell's channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Amendment of the access point.
    pub standard: Standard,
    /// Channel, and what the access point can do in it.
    pub channel: Channel,
    /// PLCP preamble of DSSS and CCK frames.
    pub preamble: Preamble,
    /// Basic rate set, ascending, never empty.
    pub basic_rates: Vec<DataRate>,
    /// PSDUs longer than this are protected by RTS/CTS; `None`: none is.
    pub rts_threshold: Option<Bytes>,
    /// True if frames that a station in the cell does not know are protected by CTS-to-self: OFDM before b stations, HT,
    /// VHT and HE before a, b and g stations.
    pub protection: bool,
    /// Limits at which a frame is given up.
    pub attempts: Attempts,
    /// Gap that follows a collision.
    pub after_collision: AfterCollision,
    /// Rule that ends an EIFS.
    pub eifs: Eifs,
    /// True if a back-off follows a success even when no frame waits.  [80211-2020 §10.3.4.3]
    pub post_backoff: bool,
    /// Smallest contention window [slots]; the standard's unless set.
    pub cw_min: Option<u16>,
    /// Largest contention window [slots]; the standard's unless set.
    pub cw_max: Option<u16>,
}

impl Rules {
    /// Rules of `standard`, where no b station is in the cell.
    pub fn of(standard: Standard) -> Self {
        Self {
            standard,
            channel: Channel::of(standard),
            preamble: Preamble::default(),
            basic_rates: standard.default_basic_rates(false),
            rts_threshold: None,
            protection: true,
            attempts: Attempts::default(),
            after_collision: AfterCollision::default(),
            eifs: Eifs::default(),
            post_backoff: true,
            cw_min: None,
            cw_max: None,
        }
    }

    /// The legacy amendment whose gaps and control frames the cell has.
    pub fn legacy(&self) -> Standard {
        self.standard.legacy(self.channel.band)
    }

    /// True if `standards`, those of its stations, make it a cell of b and g.
    fn has_b_among(&self, mut standards: impl Iterator<Item = Standard>) -> bool {
        self.legacy() == Standard::G && standards.any(|it| it == Standard::B)
    }

    /// Interframe spaces, slot and windows, where the stations have `standards`.
    pub fn timing(&self, standards: impl Iterator<Item = Standard>) -> Timing {
        let b_stations = self.has_b_among(standards);
        self.standard.timing_in(self.channel.band, b_stations, self.preamble)
    }
}

/// One station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Amendment.
    pub standard: Standard,
    /// Its link with the access point; none if one of them is older than HT.
    pub link: Option<LinkCapabilities>,
    /// Rate of its own data frames at the start.
    pub rate_up: Rate,
    /// Rate of data frames to it at the start.
    pub rate_down: Rate,
    /// Laws that find these rates instead, up and down.
    pub adaptation: [Option<RateLaw>; 2],
    /// Its queue.
    pub queue: QueueConfig,
    /// Its channel access, for packets of all categories.
    pub access: AccessParameters,
    /// Categories that it tells apart, ascending, each with a queue and channel access of its own; if there are none, its
    /// packets are all of one.
    pub categories: Vec<(AccessCategory, AccessParameters)>,
    /// Members whose frames it senses without decoding them, ascending.
    pub senses_only: Vec<NodeId>,
    /// Members that do not sense its frames, nor it theirs, ascending; none of `senses_only`. The
    /// relation is mutual: a station that is hidden from another has it in its own list.
    pub hidden_from: Vec<NodeId>,
    /// Errors of frames between it and the access point.
    pub errors: ErrorModel,
}

impl CellConfig {
    /// Categories that a member tells apart.
    pub(crate) fn categories(&self, member: NodeId) -> &[(AccessCategory, AccessParameters)] {
        match member.index().checked_sub(1) {
            None => &self.ap_categories,
            Some(station) => &self.stations[station].categories,
        }
    }

    /// Channel access of a member whose packets are of all categories.
    fn access_of_all(&self, member: NodeId) -> &AccessParameters {
        match member.index().checked_sub(1) {
            None => &self.ap_access,
            Some(station) => &self.stations[station].access,
        }
    }

    /// Channel access of a member for a category.
    pub(crate) fn access(&self, member: NodeId, category: AccessCategory) -> &AccessParameters {
        let of = self.categories(member).iter().find(|(it, _)| *it == category);
        of.map_or_else(|| self.access_of_all(member), |(_, access)| access)
    }

    /// True if some members do not sense each other.
    pub fn has_hidden(&self) -> bool {
        self.stations.iter().any(|station| !station.hidden_from.is_empty())
    }

    /// True if an 802.11b station is in the cell: it hears OFDM frames as noise.
    pub fn has_b_stations(&self) -> bool {
        self.rules.has_b_among(self.stations.iter().map(|station| station.standard))
    }

    /// True if a station that is older than HT is in a cell that is not: it hears HT, VHT and HE as noise.
    pub fn has_legacy_stations(&self) -> bool {
        self.rules.standard.format().is_some()
            && self.stations.iter().any(|s| s.standard.format().is_none())
    }
}

/// Channel access of one member: its EDCA parameters, and when it gives a frame up.  [80211-2020 §10.23.2]
///
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessParameters {
    /// Slots of idle time, after a SIFS, before back-off counts: 2 makes a DIFS. At least 1.
    pub aifsn: u8,
    /// Smallest contention window [slots]; the cell's unless set.
    pub cw_min: Option<u16>,
    /// Largest contention window [slots]; the cell's unless set.
    pub cw_max: Option<u16>,
    /// Time for which it may go on sending once it has won the channel; zero: one frame.
    pub txop_limit: Duration,
    /// Limits at which a frame is given up; by the cell's rule unless set.
    pub attempts: Option<Attempts>,
    /// True if the counter goes down at the beginning of a slot, as EDCA has it, and not when it has been idle as a
    /// whole: a countdown that is interrupted is a slot ahead of the DCF's.  [80211-2020 §10.23.2.4]
    pub counts_at_start: bool,
}

impl AccessParameters {
    /// Access of a member of `standard`: as the DCF has it, or best effort's of EDCA after 802.11g.
    /// [80211-2020 §10.3.4, Table 9-155]  Deviates: [D-121]
    pub fn of(standard: Standard) -> Self {
        let has_edca = standard.format().is_some();
        let aifsn = if has_edca { 3 } else { 2 };
        Self { aifsn, counts_at_start: has_edca, ..Self::default() }
    }
}

impl Default for AccessParameters {
    /// Access as the DCF has it, by the cell's rules.  [80211-2020 §10.3.4]
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

/// Limits at which the MAC gives a frame up.  [80211-2020 §10.3.4.4]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempts {
    /// Short and long retry limits: transmission attempts of a frame without and with RTS protection.
    Limits {
        /// dot11ShortRetryLimit, default 7.
        short: u16,
        /// dot11LongRetryLimit, default 4.
        long: u16,
    },
    /// One limit on transmission attempts, whatever the length.
    Max(u16),
    /// Never, as Bianchi assumes.
    Unlimited,
}

impl Default for Attempts {
    /// dot11ShortRetryLimit and dot11LongRetryLimit as the standard ships them.  [80211-2020 Annex C]
    fn default() -> Self {
        Self::Limits { short: 7, long: 4 }
    }
}

/// Gap that follows a collision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterCollision {
    /// As the standard says: stations that heard it wait EIFS, those that were in it an ACK time-out.
    #[default]
    Standard,
    /// AIFS, by default a DIFS, for everyone, at once, as Bianchi's model assumes.
    Difs,
    /// EIFS for everyone.
    Eifs,
}

/// Rule that ends the wait after a frame that was sensed and not decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eifs {
    /// EIFS after the frame, or the next frame that is decoded, whichever comes first.
    /// [80211-2020 §10.3.2.3.7]
    #[default]
    Standard,
    /// A NAV of the DCF's EIFS, which no later frame shortens, and an AIFS behind it, as in [ns-2].
    Nav,
}
