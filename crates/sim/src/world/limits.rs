//! Measurement of what limits each flow, for recorders that ask for it ([`Recorder::LIMITS`]).
//!
//! ```text
//!   sender stops, for a reason     next ACK, feedback or timer        sender sends, and stops again
//!   ───────────┬──────────────────────────────┬───────────────────────────────┬─────►
//!              └── this time is charged to ───┘
//!                  the queue that has a backlog now, else to the reason
//! ```
//!
//! A sender stops because a window or its rate is used up, or because it has no data. While packets of the flow wait
//! in a queue on its route, the wire or the air behind that queue is the limit, and not the window. The world checks
//! for such a backlog before the sender adds to it. Checking at every ACK would cost 2 to 8 % of a run. So, as long
//! as the sender stops for the same reason, the world checks every [`MAX_STEP`], and more often at the start of a
//! flow.

use airfair_transport::limit::Limit;
use airfair_units::Duration;

use super::{LimitWatch, World};
use crate::clock::Clock;
use crate::endpoint::Source;
use crate::flow::{Hop, WithoutRoom};
use crate::packet::{FlowId, Packet, Side, connection_number};
use crate::record::{Limited, LimitedBy, Place, Record, Sample};
use crate::recorder::Recorder;

/// Longest time between two checks of what limits a flow, while its sender stops each time for the same reason as
/// before.
const MAX_STEP: Duration = Duration::from_millis(50);
/// Number of times that the limit of a flow is checked within its life so far, at least, so that short flows are
/// measured as well.
const LOOKS: u64 = 64;

impl<R: Recorder, C: Clock> World<R, C> {
    /// Attributes the time since a sender stopped to what limits its flow, before the sender sends again, unless the
    /// last check was a short time ago.
    #[inline(never)]
    pub(super) fn look_before(&mut self, id: FlowId) {
        let LimitWatch { started, looked_at, .. } = self.limits[id.index()];
        let step = MAX_STEP.min((self.now - started) / LOOKS);
        if self.now - looked_at > step {
            self.look(id);
        }
    }

    /// Attributes the time since the last check of a flow to what limits the flow now.
    fn look(&mut self, id: FlowId) {
        let LimitWatch { sender, looked_at, .. } = self.limits[id.index()];
        let now = self.now;
        let Some(sender) = sender.filter(|_| looked_at < now) else { return };
        let waits_at = if sender.follows_network() { self.find_backlog(id) } else { None };
        self.note_limit(id, waits_at.map_or(LimitedBy::Sender(sender), LimitedBy::Place));
    }

    /// Attributes the flow's time since the last check to `by`, a reason of the sender or a queue on the route. As long
    /// as the reason stays the same, one record covers the time.
    fn note_limit(&mut self, id: FlowId, by: LimitedBy) {
        let watch = &mut self.limits[id.index()];
        let from = std::mem::replace(&mut watch.looked_at, self.now);
        match watch.under_way {
            Some((before, _)) if before == by => {}
            Some((before, since)) => {
                watch.under_way = Some((by, from));
                self.tell_limit(id, Limited { by: before, from: since, to: from });
            }
            None => watch.under_way = Some((by, from)),
        }
    }

    /// Notes the reason for which a sender has stopped.
    #[inline(never)]
    pub(super) fn look_behind(&mut self, id: FlowId) {
        let flow = &self.flows[id.index()];
        let limit = match &flow.source {
            Source::Tcp(sender) => sender.limit(),
            Source::Quic(sender) => sender.limit(),
            Source::Tfrc(sender) => sender.limit(),
            Source::Udp(sender) => sender.limit(),
            Source::External(_) => return,
        };
        if self.limits[id.index()].sender != limit {
            self.change_limit(id, limit);
        }
    }

    /// Notes that a sender stops for another reason than before.
    fn change_limit(&mut self, id: FlowId, limit: Option<Limit>) {
        let LimitWatch { sender, looked_at, under_way, .. } = self.limits[id.index()];
        if let Some(before) = sender.filter(|_| looked_at < self.now) {
            // The sender has filled the queues by now. If its packets waited at a place at the last check, they have
            // waited there until now.
            let by = match under_way {
                Some((place @ LimitedBy::Place(_), _)) if before.follows_network() => place,
                _ => LimitedBy::Sender(before),
            };
            self.note_limit(id, by);
        }
        let watch = &mut self.limits[id.index()];
        if sender.is_none() {
            watch.started = self.now;
        }
        (watch.sender, watch.looked_at) = (limit, self.now);
        if limit.is_none() {
            self.end_limit(id);
        }
    }

    /// Records what has held the sender back last, at the end of the flow.
    fn end_limit(&mut self, id: FlowId) {
        let watch = &mut self.limits[id.index()];
        watch.sender = None;
        if let Some((by, from)) = watch.under_way.take() {
            self.tell_limit(id, Limited { by, from, to: self.now });
        }
    }

    /// Records what has held the sender back last, for each flow that goes on at the end of the run.
    pub(super) fn end_limits(&mut self) {
        for id in (0..self.limits.len()).map(FlowId::new) {
            self.look(id);
            self.end_limit(id);
        }
    }

    fn tell_limit(&mut self, id: FlowId, limited: Limited) {
        self.recorder.record(self.now, &Record::Sample(Sample::Limited(id, limited)));
    }

    /// Records the place where a sender's packet is lost: `at`, or the queue of its current hop, in which or behind
    /// which it is lost.
    #[cold]
    pub(super) fn tell_loss(&mut self, packet: &Packet, at: Option<Place>) {
        let hop = self.flows[packet.flow.index()].forth.get(usize::from(packet.hop));
        let lost_at = at.or_else(|| hop.map(|hop| place(*hop)));
        if let Some(lost_at) = lost_at.filter(|_| packet.origin == Side::Sender) {
            let sample = Sample::LostAt(packet.flow, lost_at);
            self.recorder.record(self.now, &Record::Sample(sample));
        }
    }

    /// Queue on a flow's route in which most of its packets wait; `None` if no packet waits. The slowest hop has the
    /// longest queue: in front of a faster hop behind it, only the packets of one frame or burst arrive together.
    fn find_backlog(&mut self, id: FlowId) -> Option<Place> {
        let Self { flows, cells, links, now, .. } = self;
        let flow = &flows[id.index()];
        // A saturated source always keeps the queue before its first hop full.
        if flow.without_room == WithoutRoom::Wait {
            return flow.forth.first().map(|hop| place(*hop));
        }
        let number = connection_number(id, Side::Sender);
        let mut waiting = |hop: Hop| match hop {
            Hop::Air { cell, from, to } => {
                cells[cell.index()].cell.backlog((from, to), flow.category, number)
            }
            // The first packet is in service and does not wait.
            Hop::Wire(link) => links[link.index()].queued(*now).saturating_sub(1) as usize,
        };
        let backlogs = flow.forth.iter().map(|hop| (waiting(*hop), *hop));
        let (most, hop) = backlogs.max_by_key(|(packets, _)| *packets)?;
        (most > 0).then(|| place(hop))
    }
}

/// Queue in front of a hop: the transmit queue of a member of a cell, or the queue of a wired link.
fn place(hop: Hop) -> Place {
    match hop {
        Hop::Air { cell, from, .. } => Place::Air { cell, member: from.0 },
        Hop::Wire(link) => Place::Wire(link),
    }
}
