//! Records, the only output of a run.

use airfair_transport::limit::Limit;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::NodeId;

use crate::link::LinkId;
use crate::packet::{FlowId, Side};

/// Number of a cell: its index in the scenario.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct CellId(pub u16);

impl CellId {
    /// The `index`-th cell of the scenario.
    ///
    /// # Panics
    /// If `index` is above 65 535.
    pub fn new(index: usize) -> Self {
        Self(u16::try_from(index).expect("at most 65 536 cells"))
    }

    /// Index of the cell in the scenario, and in tables with one entry per cell.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Member of a cell: a station or the access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Cell of the member.
    pub cell: CellId,
    /// Number of the member in its cell.
    pub node: NodeId,
}

/// Time at which the packet of a record was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentAt(pub Time);

/// Record of something that happened in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// Record of a cell.
    Cell(CellId, airfair_wlan::Record),
    /// Record of a flow.
    Flow(FlowId, FlowRecord),
    /// Record of one direction of a wired link.
    Link(LinkId, LinkRecord),
    /// A station's measurement of its channel.
    Measured(CellId, NodeId, Measured),
    /// Sample of the world's state. Samples have no part in the hash of a run.
    Sample(Sample),
}

/// Sample of the world's state at one time, without part in the hash of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// Window of a TCP sender at the end of a step of the time series.
    Window(FlowId, SenderWindow),
    /// End of a step of the time series, after all samples of the step.
    StepEnd,
    /// Period in which a flow had one limit, recorded at its end.
    Limited(FlowId, Limited),
    /// Loss of a packet of the flow's sender, in a queue or on the hop behind this queue.
    LostAt(FlowId, Place),
}

/// Period in which a flow had one limit: its own sender, or a queue on its route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limited {
    /// Limit of the flow during the period.
    pub by: LimitedBy,
    /// Start of the period.
    pub from: Time,
    /// End of the period.
    pub to: Time,
}

/// Limit of a flow: its own sender, or a queue on its route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitedBy {
    /// The flow's own sender, while no packet of the flow waits on its route.
    Sender(Limit),
    /// A queue on the flow's route, in which packets of the flow wait.
    Place(Place),
}

/// Queue on a flow's route, with the hop behind it, where packets wait or are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Place {
    /// Transmit queue of a member of a cell.
    Air {
        /// Cell of the member.
        cell: CellId,
        /// Number of the member in its cell, as in [`NodeId`].
        member: u16,
    },
    /// Queue of one direction of a wired link.
    Wire(LinkId),
}

/// Window of a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SenderWindow {
    /// Congestion window, rounded down [segments].
    pub cwnd: u32,
    /// Slow start threshold, rounded down [segments]; `u32::MAX` before the first reduction.
    pub ssthresh: u32,
}

/// Measurement of a station that observes its channel, over one observation slot or several slots in which it heard
/// nothing.  [arf-window §III-A]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Start of the observation slot or slots.
    pub from: Time,
    /// End of the observation slot or slots.
    pub to: Time,
    /// Duration of the frames and SIFS of the station's own exchanges that were answered, both directions.
    pub own: Duration,
    /// Duration of the frames and SIFS of all other stations' exchanges that were answered.
    pub others: Duration,
    /// Parts of the durations `own` and `others` of exchanges that lie before the observation slot or slots. Such parts
    /// exist because an exchange belongs to the slot in which it ends.
    pub early: [Duration; 2],
    /// Number of active stations that the station has counted, N.
    pub active: u32,
}

/// Record of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowRecord {
    /// The flow's source has started.
    Started,
    /// The sender has sent a packet. Its host's queue has accepted the packet, or has dropped it without giving it
    /// back.
    Sent,
    /// A packet of the sender has reached the receiving host.
    Received(SentAt),
    /// A packet of this end of the flow was lost in a queue, on the air or on a wire.
    Lost(Side, SentAt),
    /// The receiver has delivered application data in order [octets].
    Delivered(Bytes),
    /// The sender has retransmitted octets.
    Retransmission,
    /// TCP's retransmission timer or TFRC's no-feedback timer has expired.
    Timeout,
    /// The sender has started a fast retransmit.
    FastRetransmit,
    /// The sender has measured a round-trip time.
    RoundTrip(Duration),
    /// All data of a finite source is acknowledged.
    Finished,
    /// A data segment has arrived below the highest octet received so far: a retransmission, as a trace at the
    /// receiving host shows it.
    Repeated(SentAt),
    /// A message of the flow's source is complete, after this time from its request or generation.
    Message(Duration),
    /// A chunk of a video is complete, with this rate, after the player has had nothing to play for this time.
    Chunk(DataRate, Duration),
    /// A message of the flow's source is lost: a frame of a live application of which a packet was lost.
    MessageLost,
    /// A packet of the sender that a queue has marked has reached the receiving host.
    Marked(SentAt),
    /// The sender has reduced its window because the receiver has echoed a mark.
    MarkAnswered,
    /// The sender of a call makes its pictures at this rate from now on.
    Target(DataRate),
    /// The queue of the sender's host has refused a packet and the sender has taken it back, so it does not count as
    /// sent.
    Refused,
}

/// Record of one direction of a wired link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRecord {
    /// A packet has joined the queue, which now has this length [packets].
    Queued(u32),
    /// A packet has arrived at the other end of the link, whose queue now has this length [packets].
    Arrived(u32),
    /// The queue was full and has refused a packet.
    Dropped,
    /// A packet was lost after the queue, which now has this length [packets].
    Lost(u32),
    /// Random early detection has dropped a packet.
    DroppedEarly,
}
