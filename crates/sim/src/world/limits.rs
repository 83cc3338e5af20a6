//! The thing that limits each flow, for a consumer that wants to know.
//!
//! ```text
//!   look before a sender has its turn           look behind it
//!   does a hop have a backlog? ──► the time     reason why it stops ──► the time
//!   since the last look was limited by that     until the next look
//! ```
//!
//! A sender that waits for the network says by which of its windows; whether a wire or the air is what it waits for shows
//! in packets that wait before that hop. The wait is looked for before the sender adds to it.

use airfair_transport::limit::Limit;
use airfair_units::Time;

use super::room::WithoutRoom;
use super::{Hop, World};
use crate::clock::Clock;
use crate::endpoint::Source;
use crate::packet::{FlowId, Packet, Side, connection_number};
use crate::record::{Limited, LimitedBy, Place, Record, Recorder, Sample};

/// Knowledge of a flow's limit as it was told last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LimitWatch {
    /// Reason why its sender stopped last; none unless it is open.
    sender: Option<Limit>,
    /// Time of the last look.
    looked_at: Time,
    /// The limit of the time under way, and its start.
    under_way: Option<(LimitedBy, Time)>,
}

impl<R: Recorder, C: Clock> World<R, C> {
    /// A sender is about to have its turn: the time since its last one belongs to what limited it.
    #[inline(never)]
    pub(super) fn look_before(&mut self, id: FlowId) {
        let LimitWatch { sender, looked_at, .. } = self.limits[id.index()];
        let now = self.now;
        let Some(sender) = sender.filter(|_| looked_at < now) else { return };
        let waits_at = if sender.follows_network() { self.find_backlog(id) } else { None };
        self.note_limit(id, waits_at.map_or(LimitedBy::Sender(sender), LimitedBy::Place));
    }

    /// The time up to now was limited by this.
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

    /// A sender has had its turn, and stops for a reason.
    #[inline(never)]
    pub(super) fn look_behind(&mut self, id: FlowId) {
        let flow = &self.flows[id.index()];
        let limit = match &flow.source {
            Source::Tcp(sender) => sender.limit(),
            Source::Tfrc(sender) => sender.limit(),
            Source::Udp(sender) => sender.limit(),
            Source::External(_) => return,
        };
        let watch = &mut self.limits[id.index()];
        let before = std::mem::replace(&mut watch.sender, limit);
        watch.looked_at = self.now;
        if before.is_some() && limit.is_none() {
            self.end_limit(id);
        }
    }

    /// The flow ends: so does the time under way.
    fn end_limit(&mut self, id: FlowId) {
        let watch = &mut self.limits[id.index()];
        watch.sender = None;
        if let Some((by, from)) = watch.under_way.take() {
            self.tell_limit(id, Limited { by, from, to: self.now });
        }
    }

    /// The run ends: so do the times under way of all flows.
    pub(super) fn end_limits(&mut self) {
        for id in (0..self.limits.len()).map(FlowId::new) {
            self.look_before(id);
            self.end_limit(id);
        }
    }

    fn tell_limit(&mut self, id: FlowId, limited: Limited) {
        self.recorder.record(self.now, &Record::Sample(Sample::Limited(id, limited)));
    }

    /// A packet of a sender is lost where it is.
    #[cold]
    pub(super) fn tell_loss(&mut self, packet: &Packet) {
        let hop = self.flows[packet.flow.index()].forth.get(usize::from(packet.hop));
        if let Some(hop) = hop.filter(|_| packet.origin == Side::Sender) {
            let sample = Sample::LostAt(packet.flow, place(*hop));
            self.recorder.record(self.now, &Record::Sample(sample));
        }
    }

    /// The place where packets of a flow wait; the last one on its route, if several.
    fn find_backlog(&mut self, id: FlowId) -> Option<Place> {
        let Self { flows, cells, links, now, .. } = self;
        let flow = &flows[id.index()];
        // A saturated source keeps the queue before its first hop full.
        if flow.without_room == WithoutRoom::Wait {
            return flow.forth.first().map(|hop| place(*hop));
        }
        let number = connection_number(id, Side::Sender);
        let waits = |hop: &&Hop| match **hop {
            Hop::Air { cell, from, to } => {
                cells[cell.index()].cell.has_backlog((from, to), flow.category, number)
            }
            // One of them is in service.
            Hop::Wire(link) => links[link.index()].queued(*now) > 1,
        };
        flow.forth.iter().rev().find(waits).map(|hop| place(*hop))
    }
}

/// The place before a hop.
fn place(hop: Hop) -> Place {
    match hop {
        Hop::Air { cell, from, .. } => Place::Air { cell, member: from.0 },
        Hop::Wire(link) => Place::Wire(link),
    }
}
