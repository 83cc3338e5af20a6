//! Configuration of a transmit queue.

use airfair_laws::dualpi2;
use airfair_units::{Bytes, DataRate, Duration};

/// Capacity and discipline of a transmit queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueConfig {
    /// Capacity of the queue [packets], the one in service included.
    pub packets: u32,
    /// Scope of the capacity, if the discipline has several queues.
    pub limit: Limit,
    /// Rule by which packets leave and are dropped.
    pub discipline: Discipline,
    /// Packet that is dropped when there is no room for one more.
    pub overflow: Overflow,
    /// True if a pure ACK replaces an older pure ACK of its flow that waits.  [cake §IV-D]
    pub ack_filter: bool,
}

impl QueueConfig {
    /// FIFO with room for `packets`.
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

/// Scope of the capacity of a transmit queue, for disciplines with several queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The capacity applies to all queues together.
    Shared,
    /// The capacity applies to each queue by itself.
    Each,
}

/// Choice of the packet that is dropped when a packet comes to a full transmit queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The arriving packet is dropped.
    Tail,
    /// The oldest packet of the flow with the most packets in the same queue is dropped, so that no flow is locked
    /// out.  [mckenney-1990 §3]
    LongestFlow,
}

/// Order in which packets leave a transmit queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// First in, first out; a full queue refuses packets.
    Fifo,
    /// First in, first out, with marks: a packet that finds more packets than this in the queue is marked, if its transport
    /// answers marks.  [RFC8257 §3.1]
    MarkingFifo {
        /// Largest number of packets in the queue that a packet may find without being marked.
        mark_above: u32,
    },
    /// Two queues, one for TCP's pure ACKs and one for all else (DATA), served by weights.  [updown-fairness §IV]
    DataAck {
        /// Numbers of DATA packets and of pure ACKs that are served per round.
        weights: Weights,
        /// Queue of the driver, which takes packets ahead of the air.
        hardware_queue: HardwareQueue,
    },
    /// One queue per station; stations send one packet in turn.
    RoundRobin,
    /// One queue per station; stations send a quantum of octets in turn.  [drr-1995]
    DeficitRoundRobin {
        /// Octets added to the deficit of a station at each of its turns.
        quantum: Bytes,
    },
    /// First in, first out, with CoDel.  [RFC8289]
    CoDel(CoDel),
    /// Two coupled queues, for Classic traffic and for low latency.  [RFC9332]
    DualPi2(dualpi2::Params),
    /// One queue per flow, by hash, each with `CoDel`; deficit round robin, in which new flows come first.  [RFC8290]
    FqCoDel {
        /// CoDel parameters of the queue of each flow.
        codel: CoDel,
        /// Octets added to the deficit of a flow at each of its turns.
        quantum: Bytes,
        /// Number of queues to which flows are hashed.
        queues: u16,
        /// Owners of equal shares: flows, or receivers.
        isolation: Isolation,
    },
    /// Airtime fairness between the stations of an access point; the packets of a station are served as under `FqCoDel`
    /// or `DualPi2`.  [hoiland-2017]
    Airtime(AirtimeSharing),
    /// Regulator of an access point: a station that has used its share of the channel waits.  [tan-2004]
    TimeRegulator(TimeRegulation),
}

impl Discipline {
    /// True if a scheduler of multi-user frames may choose the stations of a frame. Other disciplines choose the
    /// stations themselves.
    pub fn serves_several(&self) -> bool {
        !matches!(
            self,
            Self::DataAck { .. }
                | Self::DeficitRoundRobin { .. }
                | Self::TimeRegulator(_)
                | Self::DualPi2(_)
        )
    }

    /// True if the discipline needs the airtime charges of exchanges.
    pub fn shares_time(&self) -> bool {
        matches!(self, Self::Airtime(_) | Self::TimeRegulator(_))
    }

    /// Size and unit of the driver's queue; `None` if the driver takes no packets ahead of the air.
    pub fn hardware_queue(&self) -> Option<(u16, Counts)> {
        let (Self::Airtime(AirtimeSharing { hardware_queue, .. })
        | Self::DataAck { hardware_queue, .. }) = self
        else {
            return None;
        };
        Some((hardware_queue.most?, hardware_queue.counts))
    }

    /// Discipline that serves DATA and pure ACKs by weights, without a driver's queue.
    pub fn data_ack(weights: Weights) -> Self {
        Self::DataAck { weights, hardware_queue: HardwareQueue::default() }
    }
}

/// Owners of equal shares among the queues of flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Each flow has an equal share.  [RFC8290 §4]
    #[default]
    Flows,
    /// Each receiver has an equal share, and each flow an equal part of its receiver's: `dual-dsthost`.  [cake §IV]
    Receivers,
}

/// Parameters of airtime fairness.  [hoiland-2017 §3], [linux-atf]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirtimeSharing {
    /// Airtime added to the deficit of a station at each of its turns; with `None`, a turn is one aggregate, whatever
    /// airtime it takes.
    pub quantum: Option<Duration>,
    /// True if stations are also charged for their own transmissions.
    pub charges_uplink: bool,
    /// Queues of each station.
    pub queues: StationQueues,
    /// Queue of the driver, which takes packets ahead of the air.
    pub hardware_queue: HardwareQueue,
    /// Airtime queue limits; `None` without limits.
    pub aql: Option<AirtimeQueueLimits>,
}

/// Queues that each station of an access point has under airtime fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StationQueues {
    /// One queue per flow, by hash, as in mac80211.
    Flows(FlowQueues),
    /// Two coupled queues, for Classic traffic and for low latency.  [RFC9332]
    Coupled(dualpi2::Params),
}

/// Queues of the flows of a station, each with `CoDel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowQueues {
    /// Octets added to the deficit of a flow at each of its turns.
    pub quantum: Bytes,
    /// Number of queues to which the flows of a station are hashed.
    pub queues: u16,
    /// CoDel parameters of flows.
    pub codel: CoDel,
    /// CoDel parameters of flows to stations at a rate below `slow_below`.
    pub slow_codel: CoDel,
    /// Rate below which `slow_codel` applies to a station; with `None` it applies to none.
    pub slow_below: Option<DataRate>,
}

/// Queue of a driver that takes packets ahead of the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HardwareQueue {
    /// Largest number of aggregates or packets that the driver holds, those in service included. If `None`, the driver
    /// holds only the first packet of the next frame.
    pub most: Option<u16>,
    /// What the limit `most` of the driver's queue counts: aggregates or packets.
    pub counts: Counts,
}

impl HardwareQueue {
    /// Driver's queue of up to `most` aggregates, which the driver forms ahead of the air.
    pub const fn aggregates(most: u16) -> Self {
        Self { most: Some(most), counts: Counts::Aggregates }
    }

    /// Driver's queue of up to `most` packets, from which the hardware forms aggregates.
    pub const fn packets(most: u16) -> Self {
        Self { most: Some(most), counts: Counts::Packets }
    }
}

/// Unit in which the capacity of a driver's queue is counted: aggregates if the driver forms them, packets if the
/// hardware does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counts {
    /// Aggregates, which the driver forms ahead of the air, as in ath9k.  [linux-ath9k]
    #[default]
    Aggregates,
    /// Packets. When the hardware wins the channel, it forms an aggregate from all packets that it holds for a
    /// station, as with ath10k and mt76.  [linux-ath10k], [linux-mt76]
    Packets,
}

/// Airtime queue limits (AQL). The driver takes packets of a station while it holds less than `low` of the station's
/// airtime, or less than `high` while it holds less than `threshold` of all stations' airtime.  [linux-aql]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirtimeQueueLimits {
    /// Airtime of one station that the driver may always hold.
    pub low: Duration,
    /// Airtime of one station that the driver may hold while the sum of all stations is below `threshold`.
    pub high: Duration,
    /// Airtime of all stations below which `high` applies.
    pub threshold: Duration,
}

impl Default for AirtimeQueueLimits {
    /// Airtime queue limits of Linux: 5 ms, 12 ms and 24 ms.  [linux-aql]
    fn default() -> Self {
        Self {
            low: Duration::from_millis(5),
            high: Duration::from_millis(12),
            threshold: Duration::from_millis(24),
        }
    }
}

impl Default for AirtimeSharing {
    /// Airtime fairness with a queue for each flow, and the quantum of the paper.  [hoiland-2017 §3]
    fn default() -> Self {
        Self {
            quantum: Some(Duration::from_micros(300)),
            charges_uplink: true,
            queues: StationQueues::Flows(FlowQueues::default()),
            hardware_queue: HardwareQueue::default(),
            aql: Some(AirtimeQueueLimits::default()),
        }
    }
}

impl Default for FlowQueues {
    /// Queues of Linux, with the slow rate of the paper.  [linux-atf], [hoiland-2017 §3]
    fn default() -> Self {
        let time = Duration::from_millis;
        let codel = |target, interval| CoDel::new(time(target), time(interval)).marking();
        Self {
            quantum: Bytes::new(300),
            queues: 4_096,
            codel: codel(20, 100),
            slow_codel: codel(50, 300),
            slow_below: Some(DataRate::from_mbps(12)),
        }
    }
}

/// Parameters of a regulator of channel time.  [tan-2004 §4]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRegulation {
    /// Largest channel time that a station can save for later.
    pub bucket: Duration,
    /// Interval at which the stations' shares are adjusted.
    pub adjustment: Duration,
    /// True if the mean back-off counts as channel time that a station has used.
    pub charges_backoff: bool,
}

impl Default for TimeRegulation {
    /// Regulator with a bucket of 50 ms and adjustments every 200 ms: our own values, since the paper gives none.
    fn default() -> Self {
        Self {
            bucket: Duration::from_millis(50),
            adjustment: Duration::from_millis(200),
            charges_backoff: true,
        }
    }
}

/// Numbers of DATA packets and of pure ACKs that are served per round while both queues have packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// Number of DATA packets that are served per round. DATA is everything but pure ACKs.
    pub data: u32,
    /// Number of pure ACKs that are served per round.
    pub ack: u32,
}

impl Default for Weights {
    /// Two DATA packets per pure ACK, since each ACK lets a TCP sender transmit two segments.  [updown-fairness §IV]
    fn default() -> Self {
        Self { data: 2, ack: 1 }
    }
}

/// Parameters of `CoDel`.  [RFC8289 §4]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDel {
    /// Acceptable standing delay.
    pub target: Duration,
    /// Sliding window in which the delay must be below `target` at least once.
    pub interval: Duration,
    /// True if a packet whose transport answers marks is marked instead of dropped.  [RFC8289 §3.3]
    pub marks: bool,
}

impl CoDel {
    /// CoDel that drops packets, with these parameters.
    pub const fn new(target: Duration, interval: Duration) -> Self {
        Self { target, interval, marks: false }
    }

    /// The same parameters, with marks instead of drops where the transport answers them.
    #[must_use]
    pub const fn marking(self) -> Self {
        Self { marks: true, ..self }
    }
}

impl Default for CoDel {
    /// CoDel parameters that the RFC recommends for the Internet.  [RFC8289 §4.2, §4.3]
    fn default() -> Self {
        Self::new(Duration::from_millis(5), Duration::from_millis(100))
    }
}
