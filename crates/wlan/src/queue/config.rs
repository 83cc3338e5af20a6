//! Configuration of a transmit queue.

use airfair_units::{Bytes, DataRate, Duration};

/// A transmit queue: how much it holds, and who leaves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueConfig {
    /// Capacity [packets], the one in service included.
    pub packets: u32,
    /// Scope of the capacity.
    pub limit: Limit,
    /// Rule by which packets leave, and are dropped.
    pub discipline: Discipline,
    /// Packet that gives way where there is no room.
    pub overflow: Overflow,
    /// True if a pure ACK takes the place of an older one of its flow that waits.  [cake §IV-D]
    pub ack_filter: bool,
}

impl QueueConfig {
    /// First in, first out, with room for `packets`.
    pub fn fifo(packets: u32) -> Self {
        Self {
            packets,
            limit: Limit::Shared,
            discipline: Discipline::Fifo,
            overflow: Overflow::Tail,
            ack_filter: false,
        }
    }
}

/// Scope of a capacity, where a discipline keeps several queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Packets of all queues together.
    Shared,
    /// Packets of each queue for itself.
    Each,
}

/// Packet that gives way where there is no room for one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The packet that comes.
    Tail,
    /// The oldest packet of the flow that has most packets in the same queue: nobody is locked out.
    /// [mckenney-1990 §3]
    LongestFlow,
}

/// Order in which packets leave a transmit queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// First in, first out; a full queue refuses.
    Fifo,
    /// TCP's data and its pure ACKs in two queues, by weight.  [updown-fairness §IV]
    DataAck {
        /// Packets of each queue in a round.
        weights: Weights,
        /// Queue of the driver.
        hardware_queue: HardwareQueue,
    },
    /// A queue for each station; each in turn sends a packet.
    RoundRobin,
    /// A queue for each station; each in turn sends so many octets more.  [drr-1995]
    DeficitRoundRobin {
        /// Octets added at each turn.
        quantum: Bytes,
    },
    /// First in, first out; packets that wait too long for too long are dropped.  [RFC8289]
    CoDel(CoDel),
    /// A queue for each flow, by hash, each under `CoDel`; deficit round robin, new flows first.  [RFC8290]
    FqCoDel {
        /// Rule of each queue.
        codel: CoDel,
        /// Octets added at each turn.
        quantum: Bytes,
        /// Number of queues that flows are hashed to.
        queues: u16,
    },
    /// An access point's: stations share airtime, and the flows of each are as under `FqCoDel`.
    /// [hoiland-2017]
    Airtime(AirtimeSharing),
    /// An access point's: a station that has used its share of the channel waits.  [tan-2004]
    TimeRegulator(TimeRegulation),
}

impl Discipline {
    /// True if it must be told what time stations use.
    pub fn shares_time(&self) -> bool {
        matches!(self, Self::Airtime(_) | Self::TimeRegulator(_))
    }

    /// Queue of the driver: how much of it there is, and its unit; none if the driver takes nothing ahead of the air.
    pub fn hardware_queue(&self) -> Option<(u16, Counts)> {
        let (Self::Airtime(AirtimeSharing { hardware_queue, .. })
        | Self::DataAck { hardware_queue, .. }) = self
        else {
            return None;
        };
        Some((hardware_queue.most?, hardware_queue.counts))
    }

    /// TCP's data and its pure ACKs by weight, above a driver that takes nothing ahead of the air.
    pub fn data_ack(weights: Weights) -> Self {
        Self::DataAck { weights, hardware_queue: HardwareQueue::default() }
    }
}

/// Rule by which stations share airtime.  [hoiland-2017 §3], [linux-atf]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirtimeSharing {
    /// Airtime added at each turn of a station; `None` if a turn is an aggregate, whatever airtime it takes.
    pub quantum: Option<Duration>,
    /// True if a station is charged for what it sends, too.
    pub charges_uplink: bool,
    /// Octets added at each turn of a flow.
    pub flow_quantum: Bytes,
    /// Number of queues that the flows of a station are hashed to.
    pub queues: u16,
    /// Rule of each flow.
    pub codel: CoDel,
    /// The same for stations at a low rate.
    pub slow_codel: CoDel,
    /// Rate below which it is low.
    pub slow_below: DataRate,
    /// Queue of the driver.
    pub hardware_queue: HardwareQueue,
    /// Limits of the airtime of what the driver takes.
    pub aql: Option<AirtimeQueueLimits>,
}

/// Queue of a driver that takes packets ahead of the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HardwareQueue {
    /// Most aggregates or packets that the driver holds, those in service included; `None` if the driver holds nothing ahead
    /// of the air except the first packet of the next frame.
    pub most: Option<u16>,
    /// Unit of `most`.
    pub counts: Counts,
}

impl HardwareQueue {
    /// Up to `most` aggregates, formed ahead of the air.
    pub const fn aggregates(most: u16) -> Self {
        Self { most: Some(most), counts: Counts::Aggregates }
    }

    /// Up to `most` packets, of which the hardware forms aggregates.
    pub const fn packets(most: u16) -> Self {
        Self { most: Some(most), counts: Counts::Packets }
    }
}

/// Unit of a driver's queue, which says who forms aggregates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counts {
    /// Aggregates: the driver forms them ahead of the air, as ath9k does.  [linux-ath9k]
    #[default]
    Aggregates,
    /// Packets: the hardware forms an aggregate when it wins the channel, of all that it holds for a station, as that of
    /// ath10k and mt76 does.  [linux-ath10k], [linux-mt76]
    Packets,
}

/// Airtime queue limits: a station's packets leave their queues as long as the driver has less airtime of them than `low`, or
/// less than `high` while it has less than `threshold` of all.  [linux-aql]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirtimeQueueLimits {
    /// Airtime of one station that it may have in any case.
    pub low: Duration,
    /// Airtime of one station that it may have while there is little of all.
    pub high: Duration,
    /// Airtime of all stations up to which there is little.
    pub threshold: Duration,
}

impl Default for AirtimeQueueLimits {
    /// Linux's.  [linux-aql]
    fn default() -> Self {
        Self {
            low: Duration::from_millis(5),
            high: Duration::from_millis(12),
            threshold: Duration::from_millis(24),
        }
    }
}

impl Default for AirtimeSharing {
    /// Queues as in Linux, the quantum and the limit of slowness of the paper.
    /// [linux-atf], [hoiland-2017 §3]
    fn default() -> Self {
        let codel = |target, interval| CoDel {
            target: Duration::from_millis(target),
            interval: Duration::from_millis(interval),
        };
        Self {
            quantum: Some(Duration::from_micros(300)),
            charges_uplink: true,
            flow_quantum: Bytes::new(300),
            queues: 4_096,
            codel: codel(20, 100),
            slow_codel: codel(50, 300),
            slow_below: DataRate::from_mbps(12),
            hardware_queue: HardwareQueue::default(),
            aql: Some(AirtimeQueueLimits::default()),
        }
    }
}

/// Rule of a regulator of channel time.  [tan-2004 §4]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRegulation {
    /// Channel time that a station can save up.
    pub bucket: Duration,
    /// Interval at which shares are adjusted.
    pub adjustment: Duration,
    /// True if the mean back-off counts as used.
    pub charges_backoff: bool,
}

impl Default for TimeRegulation {
    /// The paper does not say.
    fn default() -> Self {
        Self {
            bucket: Duration::from_millis(50),
            adjustment: Duration::from_millis(200),
            charges_backoff: true,
        }
    }
}

/// Packets of each of the two queues in a round in which both have some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Data, and all that is no pure ACK.
    pub data: u32,
    /// Pure ACKs.
    pub ack: u32,
}

impl Default for Weights {
    /// Two segments that an ACK lets through for each ACK.  [updown-fairness §IV]
    fn default() -> Self {
        Self { data: 2, ack: 1 }
    }
}

/// Parameters of `CoDel`.  [RFC8289 §4]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDel {
    /// Acceptable standing delay.
    pub target: Duration,
    /// Sliding window in which the delay must fall below it once.
    pub interval: Duration,
}

impl Default for CoDel {
    /// As the RFC recommends for the Internet.  [RFC8289 §4.2, §4.3]
    fn default() -> Self {
        Self { target: Duration::from_millis(5), interval: Duration::from_millis(100) }
    }
}
