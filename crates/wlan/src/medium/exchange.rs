//! Exchanges of the medium, frame by frame.  [80211-2020 §10.3.2]

use airfair_units::{Bytes, Duration, Time};

use super::{Addressee, Done, Medium, News, STAGES};
use crate::airtime::Protection;
use crate::config::AfterCollision;
use crate::contender::{Access, Content, Deadline, Exchange, Step, Verdict};
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::link_rate::Chain;
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::roster::ContenderId;
use crate::sizes::{ACK_SIZE, CTS_SIZE, RTS_SIZE};

/// Rule by which a back-off follows an exchange.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Backoff {
    Always,
    /// Only if the next frame waits.
    IfWaiting,
}

impl<T: Copy> Medium<T> {
    /// First frame of the exchange of a member that has won the channel.
    pub(super) fn begin_exchange(&mut self, id: NodeId) -> Frame {
        let sender = &mut self.senders[id.index()];
        let (at, stage) = sender.stage().expect("an attempt is left, or the frame would be done");
        sender.attempts[at] += 1;
        let job = *sender.job();
        let protection = match (job.to, self.airtime.protection_of(job.psdu, stage.tx)) {
            (Addressee::All, Protection::RtsCts(_)) => Protection::None,
            (Addressee::All, protection) => protection,
            (_, Protection::None) if stage.rts => Protection::RtsCts(self.airtime.guard(stage.tx)),
            (_, protection) => protection,
        };
        let exchange = Exchange {
            step: Step::OnAir,
            content: Content::Packet,
            // A frame without a single receiver has no response.
            to: if let Addressee::One(to) = job.to { to } else { id },
            tx: stage.tx,
            data: self.airtime.frame(job.psdu, stage.tx),
            ack: self.airtime.ack(stage.tx),
            protection,
            txop_start: Time::ZERO,
            own_end: Time::ZERO,
        };
        sender.access = Access::Exchange(exchange);
        let rest = match job.to {
            Addressee::All => exchange.data,
            _ => exchange.data + self.airtime.timing.sifs + exchange.ack,
        };
        let sifs = self.airtime.timing.sifs;
        match protection {
            Protection::None => self.content(id),
            Protection::RtsCts(tx) => {
                let duration_field = sifs + self.airtime.cts(tx) + sifs + rest;
                let psdu = (FrameKind::Rts, RTS_SIZE);
                self.frame(id, psdu, (tx, self.airtime.rts(tx)), duration_field)
            }
            Protection::CtsToSelf(tx) => {
                let psdu = (FrameKind::CtsToSelf, CTS_SIZE);
                let frame = self.frame(id, psdu, (tx, self.airtime.cts(tx)), sifs + rest);
                Frame { to: Some(id), ..frame }
            }
        }
    }

    /// Frame of the initiator `from` of an exchange, with these properties.
    fn frame(
        &self,
        from: NodeId,
        (kind, psdu): (FrameKind, Bytes),
        (tx, duration): (TxVector, Duration),
        duration_field: Duration,
    ) -> Frame {
        let sender = &self.senders[from.index()];
        let to = if let Addressee::One(to) = sender.job().to { Some(to) } else { None };
        let retry = sender.attempts.iter().map(|it| u32::from(*it)).sum::<u32>() > 1;
        Frame { kind, from, to, tx, psdu, duration, duration_field, retry }
    }

    /// Frame that carries what the MAC of member `id` has handed over.
    fn content(&self, id: NodeId) -> Frame {
        let (exchange, job) = (self.exchange(id), self.senders[id.index()].job());
        let (kind, duration_field) = match job.to {
            Addressee::All => (FrameKind::Beacon, Duration::ZERO),
            _ => (FrameKind::Data, self.airtime.timing.sifs + exchange.ack),
        };
        self.frame(id, (kind, job.psdu), (exchange.tx, exchange.data), duration_field)
    }

    /// Next frame of the exchange of member `id`.
    pub(super) fn next_frame(&mut self, id: NodeId) -> Frame {
        let exchange = *self.exchange(id);
        let Step::Following(kind, _) = exchange.step else { unreachable!("a frame follows") };
        self.set_step(id, Step::OnAir);
        let sifs = self.airtime.timing.sifs;
        let response = |psdu, tx, duration, duration_field| Frame {
            kind,
            from: exchange.to,
            to: Some(id),
            tx,
            psdu,
            duration,
            duration_field,
            retry: false,
        };
        match (kind, exchange.protection) {
            (FrameKind::Cts, Protection::RtsCts(tx)) => {
                let rest = sifs + exchange.data + sifs + exchange.ack;
                response(CTS_SIZE, self.airtime.response(tx), self.airtime.cts(tx), rest)
            }
            (FrameKind::Ack, _) => {
                let tx = self.airtime.response(exchange.tx);
                response(ACK_SIZE, tx, exchange.ack, Duration::ZERO)
            }
            _ => self.content(id),
        }
    }

    /// Handles a frame that has just left the air, and continues its exchange.
    pub(super) fn receive(&mut self, now: Time, ppdu: &Ppdu<()>) {
        let (frame, id) = (ppdu.frame, ppdu.initiator.member());
        if frame.from == id
            && let Access::Exchange(exchange) = &mut self.senders[id.index()].access
        {
            exchange.own_end = now;
        }
        if ppdu.missed {
            return;
        }
        let is_lost = ppdu.collided || ppdu.errored;
        let decoded =
            frame.to.is_some_and(|to| !is_lost && self.contention.decodes(to, frame.from));
        match frame.kind {
            FrameKind::Beacon => {
                for by in self.members().filter(|by| *by != id) {
                    if self.contention.decodes(by, id) && !self.missed.contains(&by) {
                        self.tell_received(&frame, by);
                    }
                }
                self.finish(now, id, false);
            }
            FrameKind::Data if decoded => {
                self.tell_received(&frame, self.exchange(id).to);
                self.follow(now, id, FrameKind::Ack);
            }
            FrameKind::Rts
                if decoded && self.contention.nav_is_clear(self.exchange(id).to, now) =>
            {
                self.follow(now, id, FrameKind::Cts);
            }
            FrameKind::Data | FrameKind::Rts => self.await_in_vain(now, ppdu),
            FrameKind::Cts if decoded => self.follow(now, id, FrameKind::Data),
            // A CTS-to-self has no response: its sender continues, and does not know of a collision.
            FrameKind::CtsToSelf => self.follow(now, id, FrameKind::Data),
            FrameKind::Ack if decoded => self.finish(now, id, true),
            FrameKind::Ack | FrameKind::Cts => self.fail(now, id, frame.kind.answers()),
            FrameKind::BlockAck | FrameKind::BlockAckRequest => {
                unreachable!("there are no aggregates")
            }
        }
    }

    fn tell_received(&mut self, frame: &Frame, by: NodeId) {
        let tag = self.senders[frame.from.index()].job().tag;
        self.news.push_back(News::Received { tag, by, tx: frame.tx, again: frame.retry });
    }

    /// Schedules the next frame of the exchange of member `id`, a SIFS later.
    fn follow(&mut self, now: Time, id: NodeId, kind: FrameKind) {
        self.set_step(id, Step::Following(kind, now + self.airtime.timing.sifs));
        self.following.push(id);
    }

    /// Handles a frame to which no response will come. Its sender learns this at the time-out, except under a model in
    /// which collisions are noticed at once.
    fn await_in_vain(&mut self, now: Time, ppdu: &Ppdu<()>) {
        let id = ppdu.initiator.member();
        let at_once = ppdu.collided && self.after_collision != AfterCollision::Standard;
        let timeout = now + self.airtime.response_timeout();
        let deadline = if at_once { Deadline::Idle } else { Deadline::At(timeout) };
        self.set_step(id, Step::Unanswered(ppdu.frame.kind, deadline));
        self.unanswered.push(id);
    }

    /// Fails the exchanges without a response for which `knows` is true: their initiators learn now that none comes.
    pub(super) fn fail_where(
        &mut self,
        knows: impl Fn(&Self, NodeId, Deadline) -> bool,
        now: Time,
    ) {
        let find = |it: &Self| it.unanswered.iter().position(|id| knows(it, *id, it.deadline(*id)));
        while let Some(place) = find(self) {
            let id = self.unanswered.swap_remove(place);
            if let Step::Unanswered(failed, _) = self.exchange(id).step {
                self.fail(now, id, failed);
            }
        }
    }

    /// Handles the missing response to the RTS or data frame `failed` of member `id`.
    fn fail(&mut self, now: Time, id: NodeId, failed: FrameKind) {
        let is_protected = matches!(self.exchange(id).protection, Protection::RtsCts(_));
        let protected_data = failed == FrameKind::Data && is_protected;
        let sender = &mut self.senders[id.index()];
        let chain = if sender.stage().is_some() { Chain::GoesOn } else { Chain::Ended };
        match (sender.contender.fail(protected_data, chain), chain) {
            (Verdict::Retry, Chain::GoesOn) => {}
            // Limits of the scenario may end a chain early, and never extend it.
            _ => self.leave_queue(id, false),
        }
        self.contend_anew(now, id, Backoff::Always);
    }

    /// Ends the exchange of member `id` without a failure: its frame is acknowledged, or needs no response.
    fn finish(&mut self, now: Time, id: NodeId, acknowledged: bool) {
        self.leave_queue(id, acknowledged);
        let backoff = if self.post_backoff { Backoff::Always } else { Backoff::IfWaiting };
        self.contend_anew(now, id, backoff);
    }

    /// Takes the frame in service of member `id` from its queue, and reports its end.
    fn leave_queue(&mut self, id: NodeId, acknowledged: bool) {
        let sender = &mut self.senders[id.index()];
        let job = sender.queue.pop_front().expect("a frame in service");
        sender.contender.start_afresh();
        self.news.push_back(News::Done(Done {
            tag: job.tag,
            from: id,
            attempts: std::mem::replace(&mut sender.attempts, [0; STAGES]),
            acknowledged,
            airtime: std::mem::take(&mut sender.airtime),
        }));
    }

    /// Draws a back-off for member `id`, which then contends, or becomes idle if it has no frame.
    fn contend_anew(&mut self, now: Time, id: NodeId, backoff: Backoff) {
        let sender = &mut self.senders[id.index()];
        let waits = !sender.queue.is_empty();
        let draws = waits || backoff == Backoff::Always;
        let slots = if draws { sender.contender.draw_backoff() } else { 0 };
        sender.access = if waits { Access::Contending } else { Access::Idle };
        self.contention.draw(ContenderId::first(id), now, slots);
        if waits {
            self.contention.contend(ContenderId::first(id));
        }
    }
}
