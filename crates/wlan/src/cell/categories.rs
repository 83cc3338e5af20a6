//! Internal collisions between the access categories of one member.  [80211-2020 §10.23.2.4]

use airfair_units::Time;

use super::{Cell, FrameReports};
use crate::contender::{Access, Verdict};
use crate::edca::AccessCategory;
use crate::frame::{Frame, FrameKind};
use crate::link_rate::Chain;
use crate::node::NodeId;
use crate::queue::headers::Headers;
use crate::record::{CategoryEvent, DropCause, Record};
use crate::roster::ContenderId;

impl<P: Copy + Headers> Cell<P> {
    /// Resolves internal collisions: of several winners of one member, the highest category transmits. All winners of
    /// the access point give way to a beacon instead.
    #[inline(never)]
    pub(super) fn collide_internally(&mut self, now: Time, winners: &mut Vec<ContenderId>) {
        let has_beacon = self.beacons.due == Some(now);
        for place in (1..winners.len()).rev() {
            let (lower, member) = (winners[place - 1], winners[place].member());
            if lower.member() == member && !(has_beacon && member.is_ap()) {
                self.yielding.push(winners.remove(place - 1));
            }
        }
    }

    /// Handles winners of the channel that have given way to another category of their member, as after a collision.
    /// Their frame was not on the air. They do not count down in the slot that begins now.
    #[inline]
    pub(super) fn fail_internally(&mut self, now: Time) {
        while let Some(id) = self.yielding.pop() {
            self.fail_one_internally(now, id);
        }
    }

    #[inline(never)]
    fn fail_one_internally(&mut self, now: Time, id: ContenderId) {
        self.record_category(id, CategoryEvent::InternalCollision);
        // No frame was sent and lost, so a retry chain does not advance.
        let chain = match self.chain(id) {
            Chain::None => Chain::None,
            _ => Chain::GoesOn,
        };
        let gives_up = self.contenders[id.index()].collide(chain) == Verdict::GiveUp;
        match self.contenders[id.index()].queue.link_in_service() {
            None if gives_up => {
                self.record_drop(id, DropCause::RetryLimit);
                self.leave_queue(now, id);
                self.contenders[id.index()].backoff = 0;
            }
            Some(_) if gives_up => self.contenders[id.index()].start_afresh(),
            _ => {}
        }
        self.draw_anew(now, id);
    }

    /// Makes winners of the channel among the access point's contenders give way to its beacon.
    #[cold]
    pub(super) fn yield_to_beacon(&mut self, winners: &mut Vec<ContenderId>) {
        self.beacons.yielding.extend(winners.extract_if(.., |id| id.member().is_ap()));
    }

    /// Draws back-offs for the contenders of the access point that have given way to a beacon.
    #[cold]
    pub(super) fn back_off_yielding(&mut self, now: Time) {
        while let Some(id) = self.beacons.yielding.pop() {
            self.back_off(now, id);
        }
    }

    /// Records the events of each access category from now on.
    pub fn tell_categories(&mut self) {
        self.frame_reports = FrameReports::Categories;
        self.channel.tell_categories(self.roster.categories());
    }

    /// Access category of a contender, if categories are recorded; `None` otherwise.
    pub(super) fn told_category(&self, id: ContenderId) -> Option<AccessCategory> {
        (self.frame_reports == FrameReports::Categories).then(|| self.roster.category(id))
    }

    pub(super) fn record_category(&mut self, id: ContenderId, event: CategoryEvent) {
        let record = self.told_category(id).map(|category| Record::Category(category, event));
        self.channel.records.extend(record);
    }

    /// Records the category of a frame that has left the air; beacons have none.
    pub(super) fn record_of_category(&mut self, id: ContenderId, frame: &Frame, collided: bool) {
        if frame.kind != FrameKind::Beacon {
            let is_data = frame.kind == FrameKind::Data;
            self.record_category(id, CategoryEvent::Sent { is_data, collided });
        }
    }

    /// Number of packets in the queues of all access categories of a member.
    #[inline(never)]
    pub(super) fn packets_of(&self, member: NodeId) -> u32 {
        self.roster.of(member).map(|id| self.contenders[id.index()].queue.len()).sum()
    }

    /// Sequence number that `to` has received last from contender `id`, which is not the first contender of its member.
    #[inline(never)]
    pub(super) fn received(&mut self, id: ContenderId, to: NodeId) -> &mut Option<u16> {
        &mut self.received[self.roster.hop(id, to)]
    }

    /// Contender of a member whose exchange is in progress.
    pub(super) fn in_exchange(&self, member: NodeId) -> Option<ContenderId> {
        let is_in_exchange =
            |id: &ContenderId| matches!(self.contenders[id.index()].access, Access::Exchange(_));
        self.roster.of(member).find(is_in_exchange)
    }
}
