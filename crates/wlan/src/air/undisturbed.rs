//! Undisturbed exchanges in one go: content and its response, without a PPDU for either.
//!
//! If all members sense each other, a frame that starts alone on a silent medium stays alone, and so does the
//! response: no member can transmit before the exchange is over. The effects are those of the frame-by-frame path, by
//! the same [table](super::sequence) and in the same order. The packets in service provide the content, since they do
//! not change meanwhile. If noise has made an error in a frame, the frame is [exposed](Air::expose) as it ends and continues on the frame-by-frame path. An aggregate is not exposed as long as
//! any of its MPDUs has no error.

use airfair_units::{Duration, Time};

use super::access::FrameAhead;
use super::channel::Air;
use super::mac::Mac;
use super::mpdu_errors::MpduErrors;
use super::on_air::UndisturbedFrame;
use super::sequence::{Content, Sequence};
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::node::NodeId;
use crate::record::{CategoryEvent, SentFrame};
use crate::roster::ContenderId;
use crate::sizes;

impl<P: Copy> Air<P> {
    /// True if no other member can disturb the exchange that contender `id` begins. `id` is the only contender that won
    /// the channel now.
    pub(super) fn stays_undisturbed(&self, now: Time, id: ContenderId) -> bool {
        self.following.is_empty()
            && !self.observers.every_ppdu
            && self.beacons.due != Some(now)
            && self.contention.stays_undisturbed(id.member())
    }

    /// Starts an exchange of contender `id` that no other member can disturb.
    pub(super) fn begin_undisturbed<M: Mac<P>>(&mut self, mac: &mut M, now: Time, id: ContenderId) {
        let sequence = self.begin_exchange(mac, now, id);
        if let Some(responder) = self.undisturbed_responder(id, &sequence) {
            self.contention.begin_undisturbed(now, id.member());
            self.frames.begin_undisturbed(content_on_air(id, responder, now, sequence.data));
            mac.send(id, &sequence);
        } else {
            if sequence.content == Content::MultiUser {
                self.start_turn(mac, now, id);
            } else {
                let frame = self.frame_of(id, &sequence, sequence.first());
                self.transmit(mac, now, id, frame);
            }
            self.contention.begin_busy(now);
        }
        self.back_off_forestalled(now);
        self.give_way(mac, now);
    }

    /// Responder of the sequence of contender `id`, if this consists of data and a response that are both certain to be
    /// decoded.
    #[expect(clippy::inline_always, reason = "few instructions for each exchange")]
    #[inline(always)]
    fn undisturbed_responder(&self, id: ContenderId, sequence: &Sequence) -> Option<NodeId> {
        match sequence.to {
            Some(to)
                if sequence.first() == FrameKind::Data
                    && self.contention.is_answered(id.member(), to) =>
            {
                Some(to)
            }
            _ => None,
        }
    }

    /// Ends the frame on the air of an undisturbed exchange, if it ends now.
    pub(super) fn end_undisturbed<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        frame: UndisturbedFrame,
    ) {
        if frame.end != now {
            return;
        }
        if (self.is_noisy | self.observers.is_any()) && self.observe_undisturbed(mac, now, &frame) {
            return self.end_transmissions(mac, now);
        }
        match frame.content_end {
            None => self.end_content(mac, now, frame),
            Some(content_end) => self.end_response(mac, now, content_end, frame),
        }
    }

    /// Draws the errors of a frame that ends, and reports it to listeners and records its access category, as far as
    /// these reports are wanted. Returns true if the frame goes on as a PPDU.
    #[inline(never)]
    fn observe_undisturbed<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        ended: &UndisturbedFrame,
    ) -> bool {
        let errored =
            !self.observers.every_ppdu && self.is_noisy && self.errs_undisturbed(mac, now, ended);
        if errored || self.observers.every_ppdu {
            self.expose(mac, ended, errored);
            return true;
        }
        if self.observers.categories {
            self.frames.charge(now);
            let is_data = ended.content_end.is_none();
            let sent = CategoryEvent::Sent { is_data, collided: false };
            self.record_category(ended.initiator, sent);
        }
        if self.observers.listen {
            let frame = self.undisturbed_frame(ended);
            mac.overhear_undisturbed(self, now, ended.initiator, &frame);
        }
        false
    }

    /// Delivers the content of an undisturbed exchange, and puts the response on the air.
    #[inline]
    fn end_content<M: Mac<P>>(&mut self, mac: &mut M, now: Time, content: UndisturbedFrame) {
        let UndisturbedFrame { initiator, responder, .. } = content;
        let exchange = self.accesses[initiator.index()].exchange_mut();
        exchange.own_end = now;
        let Sequence { response: (_, response), retry, .. } = exchange.sequence;
        let sent = (initiator.member(), SentFrame::Data, retry);
        self.frames.end_undisturbed(now, &content, sent);
        mac.deliver_undisturbed(self, now, (initiator, responder));
        let start = now + self.airtime.timing.sifs;
        let (content_end, end) = (Some(now), start + response);
        self.frames.undisturbed = Some(UndisturbedFrame { content_end, start, end, ..content });
    }

    /// Handles the end of the response, which ends an undisturbed exchange. In a TXOP another exchange may follow.
    #[inline]
    fn end_response<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        content_end: Time,
        response: UndisturbedFrame,
    ) {
        let UndisturbedFrame { initiator, responder, .. } = response;
        self.frames.end_undisturbed(now, &response, (responder, SentFrame::Response, false));
        self.frames.undisturbed = None;
        if self.succeed(mac, now, initiator, None) {
            return self.continue_undisturbed(mac, now, content_end, response);
        }
        self.contention.end_undisturbed(now, initiator.member(), content_end, responder);
    }

    /// Continues the TXOP of an exchange that no other member can disturb with the next one, a SIFS later, undisturbed
    /// or frame by frame.
    #[inline(never)]
    fn continue_undisturbed<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        content_end: Time,
        last: UndisturbedFrame,
    ) {
        let UndisturbedFrame { initiator: id, responder, .. } = last;
        let sequence = *self.sequence(id);
        if let Some(next) = self.undisturbed_responder(id, &sequence)
            && self.contention.forgets_frames()
        {
            let start = now + self.airtime.timing.sifs;
            self.frames.undisturbed = Some(content_on_air(id, next, start, sequence.data));
            return mac.send(id, &sequence);
        }
        self.contention.hold_undisturbed(now, id.member(), content_end, responder);
        let at = now + self.airtime.timing.sifs;
        self.put_next(mac, FrameAhead { initiator: id, kind: sequence.first(), at });
    }

    fn undisturbed_frame(&self, on_air: &UndisturbedFrame) -> Frame {
        let (id, sequence) = (on_air.initiator, self.sequence(on_air.initiator));
        let content = sequence.content.kind();
        let response = on_air.content_end.and_then(|_| sequence.next(content));
        self.frame_of(id, sequence, response.unwrap_or(content))
    }

    /// Draws the errors of the frame of an undisturbed exchange that leaves the air. Returns true if noise has
    /// destroyed the frame. Otherwise notes the errors of an aggregate's MPDUs.
    #[inline]
    fn errs_undisturbed<M: Mac<P>>(
        &mut self,
        mac: &mut M,
        now: Time,
        frame: &UndisturbedFrame,
    ) -> bool {
        let (id, responder) = (frame.initiator, frame.responder);
        let ends = (id.member(), responder);
        if !self.noise.is_on(ends.0, responder) {
            return false;
        }
        let sequence = self.accesses[id.index()].sequence();
        let Sequence { tx, response: (octets, _), .. } = *sequence;
        if frame.content_end.is_some() {
            return self.noise.errs(now, ends, self.airtime.response(tx), octets);
        }
        if sequence.content == Content::Packet {
            let mpdu = sizes::only_mpdu(sequence.psdu, tx);
            return self.noise.errs(now, ends, tx, mpdu);
        }
        let (mut found, mut mpdus) = (MpduErrors::default(), 0);
        for size in mac.sizes(id, responder) {
            if self.noise.errs(now, ends, tx, size) {
                found.set(mpdus);
            }
            mpdus += 1;
        }
        let everywhere = usize::from(found.count()) == mpdus;
        // A PPDU has its own error flags.
        self.errors = if everywhere { MpduErrors::default() } else { found };
        everywhere
    }

    /// Makes a PPDU of the frame of an undisturbed exchange on the air, and marks errors in it.
    #[cold]
    fn expose<M: Mac<P>>(&mut self, mac: &mut M, on_air: &UndisturbedFrame, errored: bool) {
        let (id, frame) = (on_air.initiator, self.undisturbed_frame(on_air));
        self.frames.undisturbed = None;
        let mut ppdu = if let Some(content_end) = on_air.content_end {
            self.contention.hold(content_end, id.member());
            self.contention.replace(&frame);
            self.ppdu(mac, on_air.start, id, frame)
        } else {
            let mut mpdus = self.spare_mpdus();
            let rest = mac.fill(id, self.sequence(id), &mut mpdus);
            Ppdu::new(on_air.start, (id, frame), (mpdus, rest))
        };
        ppdu.errored = errored;
        ppdu.mpdus.iter_mut().for_each(|mpdu| mpdu.errored = errored);
        self.frames.put_ahead(ppdu);
    }
}

/// Content from `initiator` to `responder`, on the air from `start` on.
#[inline]
fn content_on_air(
    initiator: ContenderId,
    responder: NodeId,
    start: Time,
    duration: Duration,
) -> UndisturbedFrame {
    let end = start + duration;
    UndisturbedFrame { initiator, responder, content_end: None, start, end }
}
