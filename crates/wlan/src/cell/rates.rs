//! Rate control in a cell: the events that rate control gets, and the rates that it chooses.
//!
//! Rate control observes only data frames. A `BlockAckReq` and its answer have control rates, and do not show the
//! quality of the link's rate.

use airfair_units::Time;

use super::mac::CellMac;
use super::reports::RateChange;
use crate::air::Air;
use crate::air::sequence::{Content, Sequence};
use crate::block_ack::Bitmap;
use crate::frame::FrameKind;
use crate::link_rate::{Chain, LinkEvent, LinkRate};
use crate::node::{Link, NodeId};
use crate::queue::headers::Headers;
use crate::record::Record;
use crate::roster::ContenderId;

impl<P: Copy + Headers> CellMac<P> {
    /// Rate of the data frames on a link.
    pub(super) fn rate_on(&mut self, link: Link) -> &mut LinkRate {
        self.members[link.station.index()].rate(link.direction)
    }

    /// Rate of data frames from the member of contender `id` to another member.
    pub(super) fn rate_to(&mut self, id: ContenderId, to: NodeId) -> &mut LinkRate {
        self.rate_on(Link::between(id.member(), to))
    }

    /// Lets the rate control of contender `id`'s link choose a rate, before the packet or aggregate in service is sent.
    #[inline]
    pub(super) fn adapt_to_sending(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) {
        if self.adapts {
            self.tell_of_sending(air, now, id);
        }
    }

    /// Reports to rate control that the data frame of the exchange of contender `id` was answered.
    #[inline]
    pub(super) fn adapt_to_answer(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        block_ack: Option<&Bitmap>,
    ) {
        if self.adapts {
            self.tell_of_answer(air, now, id, block_ack);
        }
    }

    /// Reports to rate control that the RTS or data frame `failed` of contender `id` got no response.
    #[inline]
    pub(super) fn adapt_to_silence(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        failed: FrameKind,
    ) {
        if self.adapts {
            self.tell_of_silence(air, now, id, failed);
        }
    }

    #[inline(never)]
    fn tell_of_sending(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) {
        if !self.asks_for_block_ack(id) {
            let is_first = !air.accesses[id.index()].is_retrying();
            self.adapt(air, now, id, LinkEvent::Sending { is_first });
        }
    }

    #[inline(never)]
    fn tell_of_answer(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        block_ack: Option<&Bitmap>,
    ) {
        let Sequence { content, to: Some(to), .. } = *air.sequence(id) else { return };
        let (sent, acknowledged) = match (content, block_ack) {
            (Content::Request | Content::Broadcast | Content::MultiUser, _) => return,
            (Content::Aggregate, Some(come)) => self.acknowledged(id, to, come),
            _ => (1, 1),
        };
        self.adapt(air, now, id, LinkEvent::Block { sent, acknowledged });
    }

    #[inline(never)]
    fn tell_of_silence(&mut self, air: &mut Air<P>, now: Time, id: ContenderId, failed: FrameKind) {
        let Sequence { content, to: Some(to), .. } = *air.sequence(id) else { return };
        let mpdus = match content {
            Content::Request | Content::Broadcast | Content::MultiUser => return,
            Content::Packet | Content::Mpdu => 1,
            Content::Aggregate => self.queues[id.index()].batch(to).mpdus(),
        };
        let event = match failed {
            FrameKind::Rts => LinkEvent::RtsFailure { mpdus },
            _ => LinkEvent::Block { sent: mpdus, acknowledged: 0 },
        };
        self.adapt(air, now, id, event);
    }

    /// State of the retry chain of the frame in service at contender `id`, after a failed attempt.
    pub(super) fn chain(&mut self, id: ContenderId) -> Chain {
        if !self.adapts || self.asks_for_block_ack(id) {
            return Chain::None;
        }
        let Some(to) = self.queues[id.index()].receiver() else { return Chain::None };
        self.rate_to(id, to).chain()
    }

    /// True if the next frame of contender `id` is a `BlockAckReq`.
    fn asks_for_block_ack(&mut self, id: ContenderId) -> bool {
        let queue = &mut self.queues[id.index()];
        let link = queue.link_in_service().map(|to| queue.link(to));
        link.is_some_and(|link| link.originator.request().is_some())
    }

    /// Passes an event to the rate control of the link of contender `id`'s packet or aggregate in service.
    fn adapt(&mut self, air: &mut Air<P>, now: Time, id: ContenderId, event: LinkEvent) {
        let Some(to) = self.queues[id.index()].receiver() else { return };
        self.adapt_link(air, now, (id, to), event);
    }

    /// Passes an event to the rate control of the link from contender `id` to another member.
    pub(super) fn adapt_link(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        (id, to): (ContenderId, NodeId),
        event: LinkEvent,
    ) {
        if !self.adapts {
            return;
        }
        let link @ Link { station, direction } = Link::between(id.member(), to);
        let rate = self.rate_on(link);
        let change = match event {
            // The ideal rate control chooses by the current probability of a loss.
            LinkEvent::Sending { .. } if rate.asks_noise() => {
                let reduction = air.next_reduction(id.member());
                rate.choose(|tx| air.noise.loss(now, (station, tx), reduction))
            }
            _ if rate.asks_noise() => None,
            _ => rate.handle(now, event),
        };
        if let Some(tx) = change {
            let rate = tx.rate();
            air.frames.records.push(Record::Rate { station, direction, rate });
            self.rate_changes.push_back(RateChange { station, direction, rate });
        }
    }
}
