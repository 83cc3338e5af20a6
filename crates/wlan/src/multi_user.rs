//! Configuration of multi-user frames: OFDMA, MU-MIMO and the MU EDCA parameters of a cell.  [80211ax-2021 §26]

use airfair_units::{Dbm, Duration};

use crate::phy::mode::Unit;
use crate::phy::{GuardInterval, Width};

/// Multi-user frames of a cell. The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MultiUser {
    /// Frames to and from several stations, each in its own resource unit; `None` if there are none.
    pub ofdma: Option<Ofdma>,
    /// Channel access of the stations while the access point triggers them; `None` if it is the usual one.
    pub mu_edca: Option<MuEdca>,
    /// Frames to several stations on spatial streams of their own; `None` if there are none.
    pub mu_mimo: Option<MuMimo>,
}

impl MultiUser {
    /// True if the cell has exchanges with several stations.
    pub(crate) fn has_exchanges(&self) -> bool {
        self.ofdma.is_some() || self.mu_mimo.is_some()
    }
}

/// Multi-user frames of a cell by OFDMA.  [80211ax-2021 §26.5]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ofdma {
    /// Order in which the access point serves stations in downlink HE MU PPDUs; `None` if it sends none.
    pub down: Option<Scheduler>,
    /// Order in which the access point triggers stations for uplink HE TB PPDUs; `None` if it triggers none for data.
    pub up: Option<Scheduler>,
    /// Largest number of stations in one PPDU, at least 1.
    pub users: u16,
    /// Sequence by which stations acknowledge the MPDUs of a downlink HE MU PPDU.
    pub ack: MultiUserAck,
    /// Time since its last access to the channel after which the access point contends for a Basic trigger, even if it
    /// has no frame to send; `None` if it triggers only after a downlink HE MU PPDU.
    pub trigger_every: Option<Duration>,
    /// True if a BSRP trigger asks for the stations' buffer reports before a Basic trigger.  [80211ax-2021 §26.5.5]
    pub poll: bool,
    /// Guard interval of HE TB PPDUs: 1.6 or 3.2 µs.  [80211ax-2021 §9.3.1.22]
    pub up_guard_interval: GuardInterval,
    /// Number of resource units of a Basic trigger that stations access at random (UORA); 0 for none.  [80211ax-2021
    /// §26.5.4]
    pub random: u16,
    /// Power at which the access point wants to receive the answer of each station to a trigger; `None` if stations answer
    /// with their usual power. It needs a radio.  [80211ax-2021 §9.3.1.22.1]
    pub target_rssi: Option<Dbm>,
}

/// Order in which an access point chooses the stations of a multi-user PPDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// Stations with the most credits, which share the time multiplied by the width equally.  [ns3-multi-user]
    #[default]
    RoundRobin,
    /// Stations with the highest ratio of the rate that they would have to the mean rate that they have had.
    ProportionalFair,
    /// Stations with the largest backlog [octets].
    LargestBacklog,
    /// Stations whose oldest packet has the least time left until its deadline.
    Deadline,
}

/// Sequence by which stations acknowledge the MPDUs of a downlink HE MU PPDU.  [80211ax-2021 §26.4.4]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MultiUserAck {
    /// The first station responds at once with a BlockAck, and each other one to a BlockAckReq of its own.
    #[default]
    Bar,
    /// All stations respond together to an MU-BAR trigger frame, which follows the PPDU.
    MuBar,
    /// All stations respond together to the trigger frame that the aggregate of each contains.
    AggregatedMuBar,
}

/// Channel access of stations of 802.11ax from a successful frame in a HE TB PPDU until a timer ends.
/// [80211ax-2021 §26.2.7]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MuEdca {
    /// Number of slots by which the AIFS exceeds a SIFS; 0 if the station does not contend while the timer runs.
    pub aifsn: u8,
    /// Smallest contention window [slots].
    pub cw_min: u16,
    /// Largest contention window [slots].
    pub cw_max: u16,
    /// Time from the end of the response to the station's frame until its usual channel access applies again: 1 to 255
    /// times [`MuEdca::TIMER_UNIT`].
    pub timer: Duration,
}

impl Default for MuMimo {
    /// As few stations as a PPDU to several has, and a sounding as often as beacons are sent by default.
    /// Deviates: [D-264]
    fn default() -> Self {
        Self { users: 2, sounding_every: Duration::from_micros(102_400) }
    }
}

impl Default for MuEdca {
    /// Parameters that many access points announce for best effort: stations keep to triggers where they can, and still
    /// contend where triggers do not come.  [openwrt-mu-edca]  Deviates: [D-231]
    fn default() -> Self {
        let timer = Duration::from_nanos(255 * Self::TIMER_UNIT.as_nanos());
        Self { aifsn: 8, cw_min: 511, cw_max: 1_023, timer }
    }
}

impl MuEdca {
    /// Unit of the MU EDCA timer: 8 time units of 1024 µs.  [80211ax-2021 §9.4.2.251]
    pub const TIMER_UNIT: Duration = Duration::from_micros(8 * 1_024);
}

/// Frames of a cell to several stations by MU-MIMO.  [80211ax-2021 §27.3.3]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MuMimo {
    /// Largest number of stations in one PPDU, 2 to 8.
    pub users: u16,
    /// Largest age of a report of a sounding, after which the access point measures the channel to a station again before
    /// it shares a PPDU with others.
    pub sounding_every: Duration,
}

impl Default for Ofdma {
    /// Downlink only, as in most access points on the market, with the scheduler, the number of stations, the
    /// acknowledgements and the guard interval that ns-3 has by default.  [ns3-multi-user]  Deviates: [D-230]
    fn default() -> Self {
        Self {
            down: Some(Scheduler::RoundRobin),
            up: None,
            users: 4,
            ack: MultiUserAck::Bar,
            trigger_every: None,
            poll: false,
            up_guard_interval: GuardInterval::Ns3200,
            random: 0,
            target_rssi: None,
        }
    }
}

impl Ofdma {
    /// Largest number of users of one PPDU of this width: its number of resource units of 26 tones.  [80211ax-2021
    /// §27.3.2.2]
    pub const fn most_users(width: Width) -> u16 {
        Unit::Tones26.places(width)
    }
}
