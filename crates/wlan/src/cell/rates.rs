//! Rate control in a cell: the events that rate control gets, and the rates that it chooses.
//!
//! Rate control observes only data frames. A `BlockAckReq` and its answer have control rates, and do not show the
//! quality of the link's rate.

use airfair_laws::Direction;
use airfair_units::Time;

use super::{Cell, RateChange};
use crate::contender::{Content, Exchange};
use crate::frame::FrameKind;
use crate::link_rate::{Chain, LinkEvent, LinkRate};
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::queue::headers::Headers;
use crate::record::Record;
use crate::roster::ContenderId;

impl<P: Copy + Headers> Cell<P> {
    pub(super) fn link_rate(&mut self, station: NodeId, direction: Direction) -> &mut LinkRate {
        self.members[station.index()].rate(direction)
    }

    /// Rate of data frames from the member of contender `id` to another member.
    pub(super) fn link_rate_to(&mut self, id: ContenderId, to: NodeId) -> &mut LinkRate {
        let (station, direction) = link(id.member(), to);
        self.link_rate(station, direction)
    }

    /// Lets the rate control of contender `id`'s link choose a rate, before the packet or aggregate in service is sent.
    #[inline]
    pub(super) fn adapt_to_sending(&mut self, now: Time, id: ContenderId) {
        if self.adapts {
            self.tell_of_sending(now, id);
        }
    }

    /// Reports to rate control that the data frame of the exchange of contender `id` was answered.
    #[inline]
    pub(super) fn adapt_to_answer(&mut self, now: Time, id: ContenderId) {
        if self.adapts {
            self.tell_of_answer(now, id);
        }
    }

    /// Reports to rate control that the RTS or data frame `failed` of contender `id` got no response.
    #[inline]
    pub(super) fn adapt_to_silence(&mut self, now: Time, id: ContenderId, failed: FrameKind) {
        if self.adapts {
            self.tell_of_silence(now, id, failed);
        }
    }

    #[inline(never)]
    fn tell_of_sending(&mut self, now: Time, id: ContenderId) {
        if !self.asks_for_block_ack(id) {
            let is_first = !self.contenders[id.index()].is_retrying();
            self.adapt(now, id, LinkEvent::Sending { is_first });
        }
    }

    #[inline(never)]
    fn tell_of_answer(&mut self, now: Time, id: ContenderId) {
        let Exchange { content, to, .. } = *self.exchange(id);
        let (sent, acknowledged) = match content {
            Content::Request => return,
            Content::Packet | Content::Mpdu => (1, 1),
            Content::Aggregate => self.acknowledged(id, to),
        };
        self.adapt(now, id, LinkEvent::Block { sent, acknowledged });
    }

    #[inline(never)]
    fn tell_of_silence(&mut self, now: Time, id: ContenderId, failed: FrameKind) {
        let Exchange { content, to, .. } = *self.exchange(id);
        let mpdus = match content {
            Content::Request => return,
            Content::Packet | Content::Mpdu => 1,
            Content::Aggregate => self.contenders[id.index()].queue.batch(to).mpdus(),
        };
        let event = match failed {
            FrameKind::Rts => LinkEvent::RtsFailure { mpdus },
            _ => LinkEvent::Block { sent: mpdus, acknowledged: 0 },
        };
        self.adapt(now, id, event);
    }

    /// State of the retry chain of the frame in service at contender `id`, after a failed attempt.
    pub(super) fn chain(&mut self, id: ContenderId) -> Chain {
        if !self.adapts || self.asks_for_block_ack(id) {
            return Chain::None;
        }
        let to = self.contenders[id.index()].receiver();
        self.link_rate_to(id, to).chain()
    }

    /// True if the next frame of contender `id` is a `BlockAckReq`.
    fn asks_for_block_ack(&mut self, id: ContenderId) -> bool {
        let queue = &mut self.contenders[id.index()].queue;
        let link = queue.link_in_service().map(|to| queue.link(to));
        link.is_some_and(|link| link.originator.request().is_some())
    }

    fn adapt(&mut self, now: Time, id: ContenderId, event: LinkEvent) {
        let (station, direction) = link(id.member(), self.contenders[id.index()].receiver());
        let change = if self.link_rate(station, direction).asks_noise() {
            self.ask_noise(now, station, direction, event)
        } else {
            self.link_rate(station, direction).handle(now, event)
        };
        if let Some(tx) = change {
            let rate = tx.rate();
            self.channel.records.push(Record::Rate { station, direction, rate });
            self.rate_changes.push_back(RateChange { station, direction, rate });
        }
    }

    /// Lets the ideal rate control of a link choose the rate of the next frame by the current probability of its loss.
    fn ask_noise(
        &mut self,
        now: Time,
        station: NodeId,
        direction: Direction,
        event: LinkEvent,
    ) -> Option<TxVector> {
        if !matches!(event, LinkEvent::Sending { .. }) {
            return None;
        }
        let link = self.members[station.index()].rate(direction);
        let noise = &mut self.noise;
        link.choose(|tx| noise.loss(now, station, tx))
    }
}

/// Station and direction of frames from one member to another.
fn link(from: NodeId, to: NodeId) -> (NodeId, Direction) {
    if from.is_ap() { (to, Direction::Down) } else { (from, Direction::Up) }
}
