//! Fast path for undisturbed exchanges: data and an ACK or `BlockAck`, without a PPDU for either.
//!
//! If all members sense each other, a frame that starts alone on a silent medium stays alone, and so does the
//! response: no member can transmit before the exchange is over. The effects are those of the general path, by the
//! same rules and in the same order. The packet in service provides the content of the frames, since it does not
//! change meanwhile. Listeners get each frame as it ends. If noise has made an error in a frame, or a trace wants its
//! PPDU, the frame is [exposed](Cell::expose) as it ends and continues on the general path. An aggregate is not
//! exposed as long as any of its MPDUs has no error.

use airfair_units::Time;

use super::channel::UndisturbedFrame;
use super::{Cell, FrameReports};
use crate::airtime::Protection;
use crate::contender::{Access, Content, Exchange};
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::node::NodeId;
use crate::queue::headers::Headers;
use crate::record::{AirUse, CategoryEvent, Record, SentFrame};
use crate::roster::ContenderId;
use crate::sizes::ACK_SIZE;

/// Frames of an undisturbed exchange, which no other member can disturb, for which PPDUs are constructed: none, those
/// in which noise makes errors, or all because a monitor wants to see them. Without a PPDU the cell only handles the
/// frame's effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Audience {
    None,
    Noise,
    Monitor,
}

/// An exchange that no other member can disturb, with its frame on the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undisturbed {
    initiator: ContenderId,
    responder: NodeId,
    frame: OnAir,
    end: Time,
}

impl Undisturbed {
    /// End of the exchange's frame on the air.
    #[inline]
    pub(super) fn end(self) -> Time {
        self.end
    }
}

/// Frame on the air of an exchange that no other member can disturb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnAir {
    Data,
    Ack { data_end: Time },
}

impl<P: Copy + Headers> Cell<P> {
    /// True if no other member can disturb the exchange that contender `id` begins. `id` is the only contender that won
    /// the channel now.
    pub(super) fn stays_undisturbed(&self, now: Time, id: ContenderId) -> bool {
        self.following.is_empty()
            && self.beacons.due != Some(now)
            && self.contention.stays_undisturbed(id.member())
    }

    /// Starts an exchange of contender `id` that no other member can disturb.
    pub(super) fn begin_undisturbed(&mut self, now: Time, id: ContenderId) {
        let plan = self.begin_exchange(now, id);
        if self.has_short_way(id, &plan) {
            self.contention.begin_undisturbed(now, id.member());
            self.channel.begin_undisturbed(data_on_air(id, now, &plan));
            self.put_undisturbed_data(now, id, &plan);
        } else {
            let frame = self.first_frame(id, &plan);
            self.transmit(now, id, frame);
            self.contention.begin_busy(now);
        }
        self.back_off_forestalled(now);
        self.fail_internally(now);
    }

    /// True if the exchange consists of data and a response that are both certain to be decoded.
    #[expect(clippy::inline_always, reason = "few instructions for each exchange")]
    #[inline(always)]
    fn has_short_way(&self, id: ContenderId, plan: &Exchange) -> bool {
        plan.protection == Protection::None
            && plan.content != Content::Request
            && self.contention.is_answered(id.member(), plan.to)
    }

    /// Puts the data frame of an undisturbed exchange on the air.
    #[inline]
    fn put_undisturbed_data(&mut self, start: Time, id: ContenderId, plan: &Exchange) {
        if plan.content != Content::Packet {
            self.begin_batch(id, plan.to);
        }
        let (frame, end) = (OnAir::Data, start + plan.data);
        self.undisturbed = Some(Undisturbed { initiator: id, responder: plan.to, frame, end });
    }

    /// Ends the frame on the air of an undisturbed exchange, if it ends now.
    pub(super) fn end_undisturbed(&mut self, now: Time, exchange: Undisturbed) {
        if exchange.end != now {
            return;
        }
        let errored = self.audience == Audience::Noise && self.errs_undisturbed(now, &exchange);
        if errored || self.audience == Audience::Monitor {
            self.expose(&exchange, errored);
            return self.end_transmissions(now);
        }
        if self.frame_reports != FrameReports::Nobody {
            self.tell_of_undisturbed(now, &exchange);
        }
        match exchange.frame {
            OnAir::Data => self.take_data(now, exchange),
            OnAir::Ack { data_end } => self.take_ack(now, data_end, exchange),
        }
    }

    /// Delivers the data frame of an undisturbed exchange, and puts the response on the air.
    fn take_data(&mut self, now: Time, exchange: Undisturbed) {
        let Undisturbed { initiator, responder, .. } = exchange;
        let from = initiator.member();
        let contender = &mut self.contenders[initiator.index()];
        let Access::Exchange(Exchange { ack, own_end, .. }) = &mut contender.access else {
            unreachable!("it is in an exchange")
        };
        *own_end = now;
        let ack = *ack;
        if let Some(served) = contender.queue.packet_mut() {
            let (sequence, retry) =
                (served.mpdu.sequence, std::mem::replace(&mut served.mpdu.retry, true));
            self.channel.end_undisturbed(now, from, SentFrame::Data, retry);
            self.charge_received(now, initiator, responder);
            if self.is_new(initiator, responder, sequence, retry)
                && let Some(served) = self.contenders[initiator.index()].queue.packet_mut()
            {
                served.has_arrived = true;
                self.deliveries.push(served.mpdu.msdu);
            }
        } else {
            self.take_batch(now, initiator, responder);
        }
        let start = now + self.airtime.timing.sifs;
        let (end, usage) = (start + ack, AirUse::of_control(from, responder));
        self.channel.put_undisturbed(UndisturbedFrame { initiator, start, end, usage });
        let frame = OnAir::Ack { data_end: now };
        self.undisturbed = Some(Undisturbed { frame, end, ..exchange });
    }

    /// Delivers the MPDUs of the aggregate on the air from `initiator` to `responder`.
    #[inline(never)]
    fn take_batch(&mut self, now: Time, initiator: ContenderId, responder: NodeId) {
        let from = initiator.member();
        let retry = self.contenders[initiator.index()].queue.batch(responder).retry;
        self.channel.end_undisturbed(now, from, SentFrame::Data, retry);
        self.record_aggregate(initiator, responder);
        let errors = std::mem::take(&mut self.errors);
        for _ in 0..errors.count() {
            self.channel.records.push(Record::Errored { node: from });
        }
        self.charge_received(now, initiator, responder);
        self.deliver_batch(now, initiator, responder, errors);
    }

    /// Handles the end of the response, which ends an undisturbed exchange. In a TXOP another exchange may follow.
    fn take_ack(&mut self, now: Time, data_end: Time, exchange: Undisturbed) {
        let Undisturbed { initiator, responder, .. } = exchange;
        self.undisturbed = None;
        self.channel.end_undisturbed(now, responder, SentFrame::Response, false);
        if self.succeed(now, initiator) {
            return self.continue_undisturbed(now, data_end, exchange);
        }
        self.contention.end_undisturbed(now, initiator.member(), data_end, responder);
    }

    /// Continues the TXOP of an exchange that no other member can disturb with the next one, a SIFS later, on the fast
    /// or the general path.
    #[inline(never)]
    fn continue_undisturbed(&mut self, now: Time, data_end: Time, last: Undisturbed) {
        let Undisturbed { initiator: id, responder, .. } = last;
        let plan = *self.exchange(id);
        if self.has_short_way(id, &plan) && self.contention.forgets_frames() {
            let start = now + self.airtime.timing.sifs;
            self.channel.put_undisturbed(data_on_air(id, start, &plan));
            return self.put_undisturbed_data(start, id, &plan);
        }
        self.contention.hold_undisturbed(now, id.member(), data_end, responder);
        self.follow(now, id, plan.content.kind());
        self.put_next(now, id);
    }

    /// Tells members that listen of a frame that ends, and records the frame's access category, as far as these reports
    /// are wanted. The frame belongs to an exchange that no other member can disturb.
    #[cold]
    fn tell_of_undisturbed(&mut self, now: Time, exchange: &Undisturbed) {
        if self.frame_reports == FrameReports::Categories {
            self.channel.charge(now);
            let is_data = exchange.frame == OnAir::Data;
            let sent = CategoryEvent::Sent { is_data, collided: false };
            self.record_category(exchange.initiator, sent);
        }
        if self.scopes.is_empty() {
            return;
        }
        let Undisturbed { initiator, responder, .. } = *exchange;
        let (frame, packets) = (self.frame_on_air(exchange), self.packets_heard());
        match (exchange.frame, self.contenders[initiator.index()].queue.packet()) {
            (OnAir::Data, Some(served)) => self.hear_packet(served.mpdu.msdu),
            (OnAir::Data, None) => self.hear_batch(initiator, Some(responder), self.errors),
            (OnAir::Ack { .. }, _) => {
                if frame.kind == FrameKind::BlockAck {
                    self.hear_block_ack(initiator);
                }
            }
        }
        self.overhear(now, &frame, packets, false);
    }

    fn frame_on_air(&self, exchange: &Undisturbed) -> Frame {
        let id = exchange.initiator;
        let Access::Exchange(plan) = &self.contenders[id.index()].access else {
            unreachable!("it is in an exchange")
        };
        match exchange.frame {
            OnAir::Data => self.data_frame(id, plan),
            OnAir::Ack { .. } => self.response(id, plan, plan.content.response(), plan.tx),
        }
    }

    /// Receiver of the frame of an undisturbed exchange on the air, if the frame is an aggregate.
    fn link_on_air(&self, exchange: &Undisturbed) -> Option<NodeId> {
        let has_batch = exchange.frame == OnAir::Data
            && self.exchange(exchange.initiator).content != Content::Packet;
        has_batch.then_some(exchange.responder)
    }

    /// Draws the errors of the frame of an undisturbed exchange that leaves the air. Returns true if noise has
    /// destroyed the frame. Errors of an aggregate's MPDUs are noted.
    #[inline(never)]
    fn errs_undisturbed(&mut self, now: Time, exchange: &Undisturbed) -> bool {
        let (from, to) = (exchange.initiator.member(), exchange.responder);
        let station = if from.is_ap() { to } else { from };
        if !self.noise.is_on(station) {
            return false;
        }
        let contender = &self.contenders[exchange.initiator.index()];
        let Access::Exchange(Exchange { tx, content, .. }) = contender.access else {
            unreachable!("it is in an exchange")
        };
        let is_packet = content == Content::Packet;
        // The delimiter does not belong to the MPDU in which errors count.
        let (tx, octets) = match exchange.frame {
            OnAir::Data if is_packet => (tx, contender.serving().mpdu.size(tx)),
            OnAir::Data => {
                return self.errs_everywhere(now, exchange.initiator, exchange.responder);
            }
            OnAir::Ack { .. } if content == Content::Aggregate => {
                let octets = self.block_ack_size(exchange.initiator, exchange.responder);
                (self.airtime.response(tx), octets)
            }
            OnAir::Ack { .. } => (self.airtime.response(tx), ACK_SIZE),
        };
        self.noise.errs(now, station, tx, octets)
    }

    /// Makes a PPDU of the frame of an undisturbed exchange on the air, and marks errors in it.
    #[cold]
    fn expose(&mut self, exchange: &Undisturbed, errored: bool) {
        self.undisturbed = None;
        let frame = self.frame_on_air(exchange);
        if let OnAir::Ack { data_end } = exchange.frame {
            self.contention.hold(data_end, exchange.initiator.member());
            self.contention.replace(&frame);
        }
        let start = self.channel.expose();
        let mut ppdu: Ppdu<P> = match self.link_on_air(exchange) {
            Some(to) => {
                let mpdus = self.list_batch(exchange.initiator, to);
                Ppdu::new(start, (exchange.initiator, frame), mpdus)
            }
            None => self.ppdu(start, exchange.initiator, frame),
        };
        ppdu.errored = errored;
        ppdu.mpdus.iter_mut().for_each(|mpdu| mpdu.errored = errored);
        self.channel.put_ahead(ppdu);
    }
}

/// Data frame of an exchange of `initiator`, on the air from `start` on.
#[inline]
fn data_on_air(initiator: ContenderId, start: Time, plan: &Exchange) -> UndisturbedFrame {
    let usage = AirUse::of_data(initiator.member(), plan.to);
    UndisturbedFrame { initiator, start, end: start + plan.data, usage }
}
