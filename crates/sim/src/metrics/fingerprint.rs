//! Hash of all records of a run: equal runs have equal hashes, on every platform.
//!
//! A record is two or more words of 64 bits. The first word holds the kind of the record and its subject, the second
//! is its time [ns], and what does not fit into the first follows:
//!
//! ```text
//!   63      56 55      48 47              32 31                               0
//!  ├── kind ──┼── cell ──┼───── subject ────┼───────────── payload ────────────┤
//! ```
//!
//! | kind | record | subject | payload | words that follow |
//! | ---: | --- | --- | --- | --- |
//! | 1 | `Air` | station, neighbouring cell, or 0 | use: 0 data down, 1 data up, 2 control, 3 collision, 4 contention, 5 idle, 6 beacon, 7 neighbour, 8 overlap | start, end |
//! | 2 | `Sent` | transmitter | bits 0–7 frame: 0 data, 1 RTS, 2 response, 3 beacon; bit 8 retry; bit 9 collided | |
//! | 3 | `Collision` | 0 | 0 | |
//! | 4 | `Queue` | member | packets | |
//! | 5 | `Dropped` | member | 0 queue full, 1 retry limit, 2 `CoDel`, 3 ACK filtered, 4 too late, 5 scheme | |
//! | 6 | `Duplicate` | receiver | 0 | |
//! | 7 | `Rate` | station | 0 down, 1 up | rate [b/s] |
//! | 8 | `Errored` | transmitter | 0 | |
//! | 9 | `Aggregate` of several | transmitter | MPDUs | octets |
//! | 10 | `Joined` | transmitter | packets | |
//! | 16 | `Started` | flow | 0 | |
//! | 17 | `Sent` | flow | 0 | |
//! | 18 | `Received` | flow | 0 | when it was sent |
//! | 19 | `Lost` | flow | 0 from the sender, 1 from the receiver | when it was sent |
//! | 20 | `Delivered` | flow | 0 | octets |
//! | 21 | `Retransmission` | flow | 0 | |
//! | 22 | `Timeout` | flow | 0 | |
//! | 23 | `FastRetransmit` | flow | 0 | |
//! | 24 | `RoundTrip` | flow | 0 | duration |
//! | 25 | `Finished` | flow | 0 | |
//! | 26 | `Repeated` | flow | 0 | when it was sent |
//! | 27 | `Refused` | flow | 0 | |
//! | 28 | `Message` | flow | 0 | time from its request |
//! | 29 | `Chunk` | flow | 0 | rate [b/s], time without anything to play |
//! | 31 | `MessageLost` | flow | 0 | |
//! | 32 | `Queued` | link | packets | |
//! | 33 | `Arrived` | link | packets | |
//! | 34 | `Dropped` | link | 0 | |
//! | 35 | `Lost` | link | packets | |
//! | 36 | `DroppedEarly` | link | 0 | |
//! | 48 | `Measured` | station | active stations | start, end, own time, others' time |
//! | 49 | `Marked` | flow | 0 | when it was sent |
//! | 50 | `MarkAnswered` | flow | 0 | |
//!
//! The cell is 0 for records without one; its bits 8 and 9 are above the kind, in bits 62 and 63. Times and durations are
//! in nanoseconds. A `Sample` has no words, because it observes the world and changes nothing: a run has the same hash
//! with a time series and without one.
//!
//! A word `w` turns the hash `h`, which starts at 0, into `(rotl(h, 5) ^ w) · 0x517cc1b727220a95` modulo 2^64. For a
//! given `w` this maps hashes one to one, and for a given `h` it maps words one to one. So runs that differ in
//! exactly one word never have the same hash.

use airfair_laws::Direction;
use airfair_units::Time;
use airfair_wlan::{AirUse, DropCause, NodeId, Record as CellRecord, SentFrame};

use crate::link::LinkId;
use crate::packet::{FlowId, Side};
use crate::record::{CellId, FlowRecord, LinkRecord, Measured, Record, SentAt};
use crate::recorder::Recorder;

/// Hash of all records of a run so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The hash of all records so far.
    pub fn get(self) -> u64 {
        self.0
    }

    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Fingerprint {
    /// Adds a record of a cell to the hash.
    #[inline]
    pub(super) fn add_cell(&mut self, now: Time, cell: CellBits, record: &CellRecord) {
        encode_cell(cell, record, |head, more| add_words(now, head, more, |word| self.add(word)));
    }

    /// Adds a record of a flow to the hash.
    #[expect(clippy::inline_always, reason = "the kind of a record is known where it is made")]
    #[inline(always)]
    pub(super) fn add_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        encode_flow(flow, record, |head, more| add_words(now, head, more, |word| self.add(word)));
    }

    /// Adds a record of a wired link to the hash.
    #[inline]
    pub(super) fn add_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        encode_link(link, record, |head, more| add_words(now, head, more, |word| self.add(word)));
    }
}

impl Recorder for Fingerprint {
    #[inline]
    fn record(&mut self, now: Time, record: &Record) {
        encode(now, record, |word| self.add(word));
    }
}

/// Cell of a record, in its place in the first word. Kinds are below 64, so that two more bits of the cell have room above
/// them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellBits(u64);

impl CellBits {
    const NONE: Self = Self(0);
}

impl From<CellId> for CellBits {
    #[inline]
    fn from(cell: CellId) -> Self {
        Self(u64::from(cell.0 >> 8) << 62 | u64::from(cell.0 & 0xff) << 48)
    }
}

/// Fields of the first word of an encoded record.
#[derive(Clone, Copy)]
struct Head {
    kind: u8,
    cell: CellBits,
    whose: u16,
    payload: u32,
}

impl Head {
    #[inline]
    fn word(self) -> u64 {
        // The cell's bits are in none of the other fields. By `^`, compilers keep three fewer values in registers.
        let fields =
            u64::from(self.kind) << 56 | u64::from(self.whose) << 32 | u64::from(self.payload);
        fields ^ self.cell.0
    }
}

/// Encodes a record, and passes the resulting words to `take`.
#[inline]
fn encode(now: Time, record: &Record, mut take: impl FnMut(u64)) {
    let mut take = |head: Head, more: &[u64]| add_words(now, head, more, &mut take);
    match record {
        Record::Cell(cell, record) => encode_cell((*cell).into(), record, take),
        Record::Flow(flow, record) => encode_flow(*flow, *record, take),
        Record::Link(link, record) => encode_link(*link, *record, take),
        Record::Measured(cell, station, measured) => {
            // The remaining fields follow from frames, which are records of their own.
            let Measured { from, to, own, others, active, .. } = *measured;
            let head = Head { kind: 48, cell: (*cell).into(), whose: station.0, payload: active };
            let times = [from.as_nanos(), to.as_nanos(), own.as_nanos(), others.as_nanos()];
            take(head, &times);
        }
        Record::Sample(_) => {}
    }
}

/// Passes the words of an encoded record to `take`: its head, its time, and `more`.
#[inline]
fn add_words(now: Time, head: Head, more: &[u64], mut take: impl FnMut(u64)) {
    take(head.word());
    take(now.as_nanos());
    for word in more {
        take(*word);
    }
}

#[inline]
fn encode_cell(cell: CellBits, record: &CellRecord, mut take: impl FnMut(Head, &[u64])) {
    let head = |kind, NodeId(whose), payload| Head { kind, cell, whose, payload };
    match *record {
        CellRecord::Air { from, to, usage } => {
            take(head(1, holder_of(usage), number_of(usage)), &[from.as_nanos(), to.as_nanos()]);
        }
        CellRecord::Sent { node, frame, retry, collided } => {
            let frame = match frame {
                SentFrame::Data => 0,
                SentFrame::Rts => 1,
                SentFrame::Response => 2,
                SentFrame::Beacon => 3,
            };
            let payload = frame | u32::from(retry) << 8 | u32::from(collided) << 9;
            take(head(2, node, payload), &[]);
        }
        CellRecord::Queue { node, length } => take(head(4, node, length), &[]),
        _ => encode_rare(cell, record, take),
    }
}

/// Station, or neighbouring cell, that holds the air; 0 if none does.
#[inline]
fn holder_of(usage: AirUse) -> NodeId {
    match usage {
        AirUse::Data { station, .. } | AirUse::Control { station } => station,
        AirUse::Neighbour { cell } => NodeId(cell),
        _ => NodeId(0),
    }
}

/// Number of a use of the air, in the order of [`AirUse`], so that it needs no table.
#[inline]
fn number_of(usage: AirUse) -> u32 {
    match usage {
        AirUse::Data { direction, .. } => u32::from(direction == Direction::Up),
        AirUse::Control { .. } => 2,
        AirUse::Collision => 3,
        AirUse::Contention => 4,
        AirUse::Idle => 5,
        AirUse::Beacon => 6,
        AirUse::Neighbour { .. } => 7,
        AirUse::Overlap => 8,
    }
}

/// Encodes a record of a kind that occurs more rarely than frames do.
#[cold]
fn encode_rare(cell: CellBits, record: &CellRecord, mut take: impl FnMut(Head, &[u64])) {
    let head = |kind, NodeId(whose), payload| Head { kind, cell, whose, payload };
    match *record {
        CellRecord::Collision => take(head(3, NodeId(0), 0), &[]),
        CellRecord::Dropped { node, cause } => {
            let cause = match cause {
                DropCause::QueueFull => 0,
                DropCause::RetryLimit => 1,
                DropCause::CoDel => 2,
                DropCause::AckFiltered => 3,
                DropCause::TooLate => 4,
                DropCause::Scheme => 5,
                DropCause::DualPi2 => 6,
            };
            take(head(5, node, cause), &[]);
        }
        CellRecord::Duplicate { node } => take(head(6, node, 0), &[]),
        CellRecord::Rate { station, direction, rate } => {
            take(head(7, station, u32::from(direction == Direction::Up)), &[rate.bps()]);
        }
        CellRecord::Errored { node } => take(head(8, node, 0), &[]),
        CellRecord::Aggregate { node, mpdus, octets, .. } if mpdus > 1 => {
            take(head(9, node, u32::from(mpdus)), &[octets.get()]);
        }
        CellRecord::Joined { node, packets } => take(head(10, node, u32::from(packets)), &[]),
        // Aggregates of one MPDU, and categories, repeat what other records contain.
        CellRecord::Aggregate { .. }
        | CellRecord::Category(..)
        | CellRecord::Air { .. }
        | CellRecord::Sent { .. }
        | CellRecord::Queue { .. } => {}
    }
}

#[inline]
fn encode_link(link: LinkId, record: LinkRecord, mut take: impl FnMut(Head, &[u64])) {
    let (kind, payload) = match record {
        LinkRecord::Queued(packets) => (32, packets),
        LinkRecord::Arrived(packets) => (33, packets),
        LinkRecord::Dropped => (34, 0),
        LinkRecord::Lost(packets) => (35, packets),
        LinkRecord::DroppedEarly => (36, 0),
    };
    take(Head { kind, cell: CellBits::NONE, whose: link.0, payload }, &[]);
}

#[expect(clippy::inline_always, reason = "the kind of a record is known where it is made")]
#[inline(always)]
fn encode_flow(flow: FlowId, record: FlowRecord, mut take: impl FnMut(Head, &[u64])) {
    let head = |kind, payload| Head { kind, cell: CellBits::NONE, whose: flow.0, payload };
    match record {
        FlowRecord::Started => take(head(16, 0), &[]),
        FlowRecord::Sent => take(head(17, 0), &[]),
        FlowRecord::Received(SentAt(sent)) => take(head(18, 0), &[sent.as_nanos()]),
        FlowRecord::Lost(side, SentAt(sent)) => {
            take(head(19, u32::from(side == Side::Receiver)), &[sent.as_nanos()]);
        }
        FlowRecord::Delivered(amount) => take(head(20, 0), &[amount.get()]),
        FlowRecord::Retransmission => take(head(21, 0), &[]),
        FlowRecord::Timeout => take(head(22, 0), &[]),
        FlowRecord::FastRetransmit => take(head(23, 0), &[]),
        FlowRecord::RoundTrip(time) => take(head(24, 0), &[time.as_nanos()]),
        FlowRecord::Finished => take(head(25, 0), &[]),
        FlowRecord::Repeated(SentAt(sent)) => take(head(26, 0), &[sent.as_nanos()]),
        FlowRecord::Refused => take(head(27, 0), &[]),
        FlowRecord::Message(delay) => take(head(28, 0), &[delay.as_nanos()]),
        FlowRecord::Chunk(rate, stalled) => {
            take(head(29, 0), &[rate.bps(), stalled.as_nanos()]);
        }
        FlowRecord::MessageLost => take(head(31, 0), &[]),
        FlowRecord::Marked(SentAt(sent)) => take(head(49, 0), &[sent.as_nanos()]),
        FlowRecord::MarkAnswered => take(head(50, 0), &[]),
        FlowRecord::Target(rate) => take(head(51, 0), &[rate.bps()]),
    }
}

#[cfg(test)]
mod tests;
