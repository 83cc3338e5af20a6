//! Records: the only output of a run. Whoever wants a figure consumes them as they come.

use airfair_units::{Bytes, Duration, Time};

use crate::link::LinkId;
use crate::packet::{FlowId, Side};

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Record {
    /// In the cell.
    Cell(airfair_wlan::Record),
    /// To a flow.
    Flow(FlowId, FlowRecord),
    /// On a wired link.
    Link(LinkId, LinkRecord),
}

/// Something that happened to a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowRecord {
    /// Its source has started.
    Started,
    /// Its sender emitted a packet.
    Sent,
    /// A packet of its sender reached the receiving host.
    Received,
    /// A packet of this end was lost, in a queue or on the air.
    Lost(Side),
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
}

/// Something that happened on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkRecord {
    /// A packet joined the queue, which is this long now [packets].
    Queued(u32),
    /// A packet arrived at the other end; so many are still queued [packets].
    Arrived(u32),
    /// The full queue refused a packet.
    Dropped,
}

/// A consumer of records.
pub trait Recorder {
    /// Takes note. Times never decrease.
    fn record(&mut self, now: Time, record: &Record);
}

/// Takes note of nothing, at no cost.
impl Recorder for () {
    fn record(&mut self, _now: Time, _record: &Record) {}
}

/// Both take note.
impl<A: Recorder, B: Recorder> Recorder for (A, B) {
    fn record(&mut self, now: Time, record: &Record) {
        self.0.record(now, record);
        self.1.record(now, record);
    }
}
