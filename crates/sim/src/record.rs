//! Records: the only output of a run. Whoever wants a figure consumes them as they come.

use airfair_transport::limit::Limit;
use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::NodeId;

use crate::link::LinkId;
use crate::packet::{FlowId, Side};
use crate::trace::Trace;

/// A cell of the scenario, by index.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct CellId(pub u8);

impl CellId {
    /// The `index`-th cell.
    ///
    /// # Panics
    /// Beyond 256 cells.
    pub fn new(index: usize) -> Self {
        Self(u8::try_from(index).expect("at most 256 cells"))
    }

    /// Place in a table of all cells.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A member of a cell: a station or the access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its cell.
    pub cell: CellId,
    /// Its number there.
    pub node: NodeId,
}

/// The time at which the packet that a record is about was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentAt(pub Time);

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// In a cell.
    Cell(CellId, airfair_wlan::Record),
    /// To a flow.
    Flow(FlowId, FlowRecord),
    /// On a wired link.
    Link(LinkId, LinkRecord),
    /// A station's measurement of its channel.
    Measured(CellId, NodeId, Measured),
    /// A look at the world. It is no event and has no part in the hash of a run.
    Sample(Sample),
}

/// A look at the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// The window of a TCP sender, at the end of a step of the time series, if the scenario records one.
    Window(FlowId, SenderWindow),
    /// A step of the time series has ended; its samples have come.
    StepEnd,
    /// A period in which one thing limited a flow has ended.
    Limited(FlowId, Limited),
    /// A packet of a flow's sender was lost here.
    LostAt(FlowId, Place),
}

/// A period in which one thing limited a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limited {
    /// The thing that limited it.
    pub by: LimitedBy,
    /// Start of the period.
    pub from: Time,
    /// End of the period.
    pub to: Time,
}

/// The thing that limits a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitedBy {
    /// The flow's own sender, while no packet of the flow waits on its route.
    Sender(Limit),
    /// A queue on the flow's route in which its packets wait.
    Place(Place),
}

/// A queue on a flow's route, with the hop behind it, where packets wait or are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Place {
    /// The transmit queue of a member of a cell, before the air.
    Air {
        /// The cell.
        cell: CellId,
        /// Number of the member there, [`NodeId`].
        member: u16,
    },
    /// The queue before this direction of a wired link.
    Wire(LinkId),
}

/// The window of a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SenderWindow {
    /// Congestion window, rounded down [segments].
    pub cwnd: u32,
    /// Slow start threshold, rounded down; `u32::MAX` while there is none [segments].
    pub ssthresh: u32,
}

/// Measurement of a station that observes its channel over a time: a slot of its own, or several in which
/// it heard nothing.  [arf-window §III-A]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Start of that time.
    pub from: Time,
    /// End of it.
    pub to: Time,
    /// Frames and SIFS of its own exchanges, both ways, that were answered.
    pub own: Duration,
    /// Those of all other stations.
    pub others: Duration,
    /// Parts of `own` and of `others` that lie before `from`: an exchange belongs to the slot in which it ends.
    pub early: [Duration; 2],
    /// Active stations, N.
    pub active: u32,
}

/// Something that happened to a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowRecord {
    /// Its source has started.
    Started,
    /// Its sender sent a packet, which its own host's queue took or lost: it does not come back.
    Sent,
    /// A packet of its sender reached the receiving host.
    Received(SentAt),
    /// A packet of this end was lost, in a queue, on the air or on a wire.
    Lost(Side, SentAt),
    /// Application data came out in order [octets].
    Delivered(Bytes),
    /// Octets were sent once more.
    Retransmission,
    /// The retransmission timer expired.
    Timeout,
    /// Three duplicate ACKs.
    FastRetransmit,
    /// The sender measured a round trip.
    RoundTrip(Duration),
    /// A finite source is done.
    Finished,
    /// A data segment came below the highest octet that the receiver had seen: a retransmission, as a
    /// trace at the receiving host shows it.
    Repeated(SentAt),
    /// Its sender has a packet again that its own host's queue had no room for; it was not sent.
    Refused,
}

/// Something that happened on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkRecord {
    /// A packet joined the queue, which is this long now [packets].
    Queued(u32),
    /// A packet arrived at the other end; so many are still queued [packets].
    Arrived(u32),
    /// The full queue refused a packet.
    Dropped,
    /// A packet was lost on the way; so many are still queued [packets].
    Lost(u32),
    /// Random early detection refused a packet.
    DroppedEarly,
}

/// A consumer of records.
pub trait Recorder {
    /// True if it wants a [`trace`](Self::trace). A run without such a consumer does nothing for one.
    const TRACES: bool = false;

    /// True if it wants to know what limits each flow: [`Sample::Limited`] and [`Sample::LostAt`]. A run without such a
    /// consumer does nothing for that.
    const LIMITS: bool = false;

    /// Takes note. Times never decrease.
    fn record(&mut self, now: Time, record: &Record);

    /// Takes note of what a cell has recorded at once.
    #[inline]
    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        for record in records {
            self.record(now, &Record::Cell(cell, *record));
        }
    }

    /// Takes note of what happened to a flow.
    #[inline]
    fn record_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        self.record(now, &Record::Flow(flow, record));
    }

    /// Takes note of what happened on a link.
    #[inline]
    fn record_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        self.record(now, &Record::Link(link, record));
    }

    /// Takes note of something that only a trace shows. Times never decrease.
    fn trace(&mut self, _now: Time, _trace: Trace<'_>) {}
}

/// Takes note of nothing, at no cost.
impl Recorder for () {
    fn record(&mut self, _now: Time, _record: &Record) {}

    fn record_cell(&mut self, _now: Time, _cell: CellId, _records: &[airfair_wlan::Record]) {}
}

/// Takes note for its owner, who has it even if the run is cancelled.
impl<R: Recorder> Recorder for &mut R {
    const TRACES: bool = R::TRACES;
    const LIMITS: bool = R::LIMITS;

    fn record(&mut self, now: Time, record: &Record) {
        (**self).record(now, record);
    }

    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        (**self).record_cell(now, cell, records);
    }

    fn record_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        (**self).record_flow(now, flow, record);
    }

    fn record_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        (**self).record_link(now, link, record);
    }

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        (**self).trace(now, trace);
    }
}

/// Both take note.
impl<A: Recorder, B: Recorder> Recorder for (A, B) {
    const TRACES: bool = A::TRACES || B::TRACES;
    const LIMITS: bool = A::LIMITS || B::LIMITS;

    fn record(&mut self, now: Time, record: &Record) {
        self.0.record(now, record);
        self.1.record(now, record);
    }

    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        self.0.record_cell(now, cell, records);
        self.1.record_cell(now, cell, records);
    }

    fn record_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        self.0.record_flow(now, flow, record);
        self.1.record_flow(now, flow, record);
    }

    fn record_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        self.0.record_link(now, link, record);
        self.1.record_link(now, link, record);
    }

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        self.0.trace(now, trace);
        self.1.trace(now, trace);
    }
}
