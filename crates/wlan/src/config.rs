//! Configuration of one cell, without contradictions.

use airfair_units::{Bytes, DataRate, Dbm, Duration};

use crate::capabilities::{Channel, LinkCapabilities};
use crate::edca::{AccessCategory, AccessParameters, Attempts};
use crate::errors::ErrorModel;
use crate::link_rate::RateLaw;
use crate::multi_user::MultiUser;
use crate::node::NodeId;
use crate::phy::{Block, Preamble, Rate, Standard, Timing};
use crate::queue::config::QueueConfig;

/// Configuration of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellConfig {
    /// Rules of the cell's channel.
    pub rules: Rules,
    /// Transmit queue of the access point.
    pub ap_queue: QueueConfig,
    /// Channel access of the access point.
    pub ap_access: AccessParameters,
    /// Access categories of the access point, as in [`StationConfig::categories`].
    pub ap_categories: Vec<(AccessCategory, AccessParameters)>,
    /// Stations of the cell.
    pub stations: Vec<StationConfig>,
    /// Members of other cells on the same channel that some member of this cell senses. In this cell they have the
    /// numbers after those of its stations, and [`Neighbourhood`](crate::Neighbourhood) passes on their frames.
    pub foreign: Vec<ForeignMember>,
}

/// A member of another cell on the same channel, as the members of this cell hear it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignMember {
    /// Index of the other cell.
    pub cell: u16,
    /// Block of spectrum of the other cell.
    pub block: Option<Block>,
    /// Members of this cell that do not sense the frames of the foreign member, ascending.
    pub hidden_from: Vec<NodeId>,
}

/// Rules of a cell's channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Standard of the access point.
    pub standard: Standard,
    /// Channel, with the capabilities of the access point.
    pub channel: Channel,
    /// Block of spectrum of the cell; `None` if all cells around it have the same one.
    pub block: Option<Block>,
    /// Rule for the width of PPDUs while other cells occupy a part of the block.
    pub width_rule: WidthRule,
    /// PLCP preamble of DSSS and CCK frames.
    pub preamble: Preamble,
    /// Basic rate set, ascending and never empty.
    pub basic_rates: Vec<DataRate>,
    /// Size above which RTS/CTS protects a PSDU; `None` for never.
    pub rts_threshold: Option<Bytes>,
    /// True if CTS-to-self protects frames that some station of the cell does not recognise: OFDM for b stations; HT,
    /// VHT and HE for a, b and g stations.
    pub protection: bool,
    /// Limits at which a frame is given up.
    pub attempts: Attempts,
    /// Interframe space after a collision.
    pub after_collision: AfterCollision,
    /// Rule that ends an EIFS.
    pub eifs: Eifs,
    /// True if a back-off follows a success even if no frame waits. A failure and a drop are always followed by one.
    /// [80211-2020 §10.3.4.3]
    pub post_backoff: bool,
    /// Smallest contention window [slots]; `None` for the standard's.
    pub cw_min: Option<u16>,
    /// Largest contention window [slots]; `None` for the standard's.
    pub cw_max: Option<u16>,
    /// Frames to and from several stations at once.
    pub multi_user: MultiUser,
    /// Time that members need to sense a frame of another cell: aCCATime.
    pub cca_time: Duration,
    /// Colour of the cell's frames, and its spatial reuse; `None` if the frames have no colour.
    pub spatial_reuse: Option<SpatialReuse>,
}

/// BSS colour of a cell, and spatial reuse by OBSS-PD.  [80211ax-2021 §26.10.2.2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpatialReuse {
    /// BSS colour, 1 to 63.
    pub colour: u8,
    /// Power below which members of the cell ignore frames of another colour; `None` if they ignore none.
    pub level: Option<Dbm>,
}

impl Rules {
    /// Default configuration of a cell of `standard` without b stations: rates, protection, retry limits and channel
    /// access.
    pub fn of(standard: Standard) -> Self {
        Self {
            standard,
            channel: Channel::of(standard),
            block: None,
            width_rule: WidthRule::default(),
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
            multi_user: MultiUser::default(),
            cca_time: Duration::ZERO,
            spatial_reuse: None,
        }
    }

    /// Legacy amendment from which the cell has its interframe spaces and control frames.
    pub fn legacy(&self) -> Standard {
        self.standard.legacy(self.channel.band)
    }

    /// True if stations of these `standards` include a b station in a g cell.
    fn has_b_among(&self, mut standards: impl Iterator<Item = Standard>) -> bool {
        self.legacy() == Standard::G && standards.any(|it| it == Standard::B)
    }

    /// Interframe spaces, slot time and contention windows of a cell whose stations have `standards`.
    pub fn timing(&self, standards: impl Iterator<Item = Standard>) -> Timing {
        let b_stations = self.has_b_among(standards);
        self.standard.timing_in(self.channel.band, b_stations, self.preamble)
    }
}

/// Configuration of one station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Standard of the station.
    pub standard: Standard,
    /// Capabilities of the link with the access point; `None` if one of the ends is older than HT.
    pub link: Option<LinkCapabilities>,
    /// Rate of the station's own data frames at the start.
    pub rate_up: Rate,
    /// Rate of data frames to the station at the start.
    pub rate_down: Rate,
    /// Rate control of `rate_up` and of `rate_down`, in this order; `None` where the rate is given.
    pub adaptation: [Option<RateLaw>; 2],
    /// Transmit queue of the station.
    pub queue: QueueConfig,
    /// Channel access of the station, for packets of all categories.
    pub access: AccessParameters,
    /// Access categories that the station distinguishes, ascending. Each has its own queue and channel access. If the
    /// list is empty, all packets share `queue` and `access`.
    pub categories: Vec<(AccessCategory, AccessParameters)>,
    /// Members whose frames the station senses and does not decode, ascending.
    pub senses_only: Vec<NodeId>,
    /// Members hidden from the station, ascending: neither senses the other's frames. None of them is in
    /// `senses_only`. The relation is mutual, and each of the two stations lists the other.
    pub hidden_from: Vec<NodeId>,
    /// Error model of frames between the station and the access point.
    pub errors: ErrorModel,
}

impl CellConfig {
    /// Access categories that a member distinguishes.
    pub(crate) fn categories(&self, member: NodeId) -> &[(AccessCategory, AccessParameters)] {
        match member.index().checked_sub(1) {
            None => &self.ap_categories,
            Some(station) => &self.stations[station].categories,
        }
    }

    /// Channel access of a member that does not distinguish categories.
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

    /// Number of members whose frames are on the air of the cell: its own, and those of other cells that it senses.
    pub(crate) fn transmitters(&self) -> usize {
        self.stations.len() + 1 + self.foreign.len()
    }

    /// True if some members do not sense each other.
    pub fn has_hidden(&self) -> bool {
        self.stations.iter().any(|station| !station.hidden_from.is_empty())
    }

    /// True if the cell has an 802.11b station, for which OFDM frames are noise.
    pub fn has_b_stations(&self) -> bool {
        self.rules.has_b_among(self.stations.iter().map(|station| station.standard))
    }

    /// True if the cell is of HT or later and has a station older than HT, for which HT, VHT and HE frames are noise.
    pub fn has_legacy_stations(&self) -> bool {
        self.rules.standard.format().is_some()
            && self.stations.iter().any(|s| s.standard.format().is_none())
    }
}

/// Rule for the width of a PPDU while a part of the cell's channel is busy.  [80211-2020 §10.23.2.5]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WidthRule {
    /// The PPDU is narrower: it has the widest idle part of the channel around the primary channel.
    #[default]
    Dynamic,
    /// The member waits until the whole channel is idle.
    Static,
}

/// Interframe space after a collision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterCollision {
    /// Stations that have heard the collision wait for an EIFS, and its senders wait for their ACK time-out, as in the
    /// standard.
    #[default]
    Standard,
    /// All stations wait for an AIFS right after the collision, as in Bianchi's model. The default AIFS is a DIFS.
    Difs,
    /// All stations wait for an EIFS right after the collision.
    Eifs,
}

/// Rule that ends the wait after a frame that was sensed and not decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eifs {
    /// The wait ends an EIFS after the frame, or with the next decoded frame, whichever comes first. [80211-2020
    /// §10.3.2.3.7]
    #[default]
    Standard,
    /// The frame sets a NAV of the DCF's EIFS, which no later frame shortens, and an AIFS follows it, as in [ns-2].
    Nav,
    /// An AIFS follows each frame, also under [`AfterCollision::Eifs`].
    None,
    /// An EIFS follows a frame only if the station has been synchronised to the frame from its start, and noise or later
    /// frames have destroyed it. The EIFS counts from the end of this frame. The next frame to which the station becomes
    /// synchronised cancels the EIFS, and so does one that the station sends. All other frames only keep the medium
    /// busy: mere energy, frames that start together, and frames that start while others are on the air. No EIFS follows
    /// them, and they do not change the end of an earlier one. Under [`AfterCollision::Difs`] no EIFS follows a collision,
    /// and under [`AfterCollision::Eifs`] one follows each of its frames. This is the rule of [ns-3] 3.37.
    Ns3,
}
