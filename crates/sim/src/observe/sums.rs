//! Sums over the records of a run since the last observation.

use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::{AirUse, SentFrame};

use crate::packet::Side;
use crate::record::{FlowRecord, LinkRecord, SentAt};
use crate::scenario::Scenario;

/// Sums over the records of one flow since the last observation, and the state of its sender now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlowSums {
    pub(super) delivered: Bytes,
    pub(super) delays: u64,
    pub(super) delay_sum: Duration,
    pub(super) round_trips: u64,
    pub(super) round_trip_sum: Duration,
    pub(super) sent: u64,
    pub(super) dropped: u64,
    pub(super) retransmissions: u64,
    pub(super) timeouts: u64,
    /// Congestion window of a TCP sender [segments].
    pub(super) cwnd: Option<u32>,
}

/// Sums over the records of one member of a cell since the last observation, and the member's state now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemberSums {
    pub(super) airtime: Duration,
    pub(super) frames: u64,
    pub(super) retries: u64,
    pub(super) collisions: u64,
    pub(super) dropped: u64,
    pub(super) queue: u32,
    /// Rates of data frames from and to a station.
    pub(super) rates: [Option<DataRate>; 2],
}

/// Sums over the records of one cell since the last observation.
#[derive(Clone, Debug)]
pub(super) struct CellSums {
    /// Airtime, counts of frames and drops, and queue of each member, by its index; the access point comes first.
    pub(super) members: Vec<MemberSums>,
    pub(super) busy: Duration,
    pub(super) collisions: u64,
}

/// Sums over the records of one direction of a wired link since the last observation, and the length of its queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LinkSums {
    pub(super) queue: u32,
    pub(super) dropped: u64,
}

/// Sums since the last observation.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) since: Time,
    pub(super) flows: Vec<FlowSums>,
    pub(super) cells: Vec<CellSums>,
    pub(super) links: Vec<LinkSums>,
}

impl FlowSums {
    #[inline]
    pub(super) fn count(&mut self, now: Time, record: FlowRecord) {
        match record {
            FlowRecord::Delivered(octets) => self.delivered += octets,
            FlowRecord::Received(SentAt(sent)) => {
                self.delays += 1;
                self.delay_sum += now - sent;
            }
            FlowRecord::RoundTrip(time) => {
                self.round_trips += 1;
                self.round_trip_sum += time;
            }
            FlowRecord::Sent => self.sent += 1,
            FlowRecord::Lost(Side::Sender, _) => self.dropped += 1,
            FlowRecord::Retransmission => self.retransmissions += 1,
            FlowRecord::Timeout => self.timeouts += 1,
            FlowRecord::Lost(Side::Receiver, _)
            | FlowRecord::Started
            | FlowRecord::Finished
            | FlowRecord::FastRetransmit
            | FlowRecord::Repeated(_)
            | FlowRecord::Message(_)
            | FlowRecord::Chunk(..)
            | FlowRecord::MessageLost
            | FlowRecord::Marked(_)
            | FlowRecord::MarkAnswered
            | FlowRecord::Target(_)
            | FlowRecord::Refused => {}
        }
    }
}

impl CellSums {
    #[inline]
    pub(super) fn count(&mut self, record: &airfair_wlan::Record) {
        use airfair_wlan::Record;
        match *record {
            Record::Air { from, to, usage } => self.charge(usage, to - from),
            Record::Sent { node, frame, retry, collided } => {
                let member = &mut self.members[node.index()];
                if matches!(frame, SentFrame::Data | SentFrame::Rts) {
                    member.frames += 1;
                    member.retries += u64::from(retry);
                }
                member.collisions += u64::from(collided);
            }
            Record::Dropped { node, .. } => self.members[node.index()].dropped += 1,
            Record::Collision => self.collisions += 1,
            _ => {}
        }
    }

    fn charge(&mut self, usage: AirUse, time: Duration) {
        match usage {
            AirUse::Contention | AirUse::Idle => return,
            AirUse::Data { station, .. } | AirUse::Control { station } => {
                self.members[station.index()].airtime += time;
            }
            AirUse::Collision | AirUse::Beacon | AirUse::Neighbour { .. } | AirUse::Overlap => {}
        }
        self.busy += time;
    }
}

impl LinkSums {
    pub(super) fn count(&mut self, record: LinkRecord) {
        match record {
            LinkRecord::Queued(length) | LinkRecord::Arrived(length) => self.queue = length,
            LinkRecord::Lost(length) => {
                self.queue = length;
                self.dropped += 1;
            }
            LinkRecord::Dropped | LinkRecord::DroppedEarly => self.dropped += 1,
        }
    }
}

impl Sums {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let stations = |cell| scenario.stations.iter().filter(|it| it.cell == cell).count();
        let step = |cell| CellSums {
            members: vec![MemberSums::default(); stations(cell) + 1],
            busy: Duration::ZERO,
            collisions: 0,
        };
        Self {
            since: Time::ZERO,
            flows: vec![FlowSums::default(); scenario.flows.len()],
            cells: (0..scenario.cells.len()).map(step).collect(),
            links: vec![LinkSums::default(); scenario.links.len() * 2],
        }
    }

    pub(super) fn reset(&mut self, now: Time) {
        self.since = now;
        self.flows.fill(FlowSums::default());
        for cell in &mut self.cells {
            cell.members.fill(MemberSums::default());
            (cell.busy, cell.collisions) = (Duration::ZERO, 0);
        }
        // The length of a queue outlasts the step.
        self.links.iter_mut().for_each(|link| link.dropped = 0);
    }
}
