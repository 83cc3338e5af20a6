//! What follows each frame: the sequences RTS–CTS–DATA–ACK, CTS-to-self–DATA–ACK and DATA–ACK.
//! [80211-2020 §10.3.2, §10.23]

use airfair_units::{DataRate, Duration, Time};

use super::{Cell, Departure, Pending, Unanswered};
use crate::airtime::Protection;
use crate::config::{AfterCollision, NodeId};
use crate::frame::{Frame, FrameKind, Transmission};
use crate::link_rate::LinkEvent;
use crate::node::{Access, Plan, Verdict};
use crate::queue::headers::Headers;
use crate::record::{DropCause, Record};

impl<P: Copy + Headers> Cell<P> {
    /// The first frame of an exchange whose transmitter has just won the channel.
    pub(super) fn begin_exchange(&mut self, now: Time, id: NodeId) -> Frame {
        self.adapt(now, id, self.sending(id));
        let plan = self.plan(id, now);
        self.nodes[id.index()].access = Access::Exchange(plan);
        let sifs = self.airtime.timing.sifs;
        let rest = plan.data + sifs + plan.ack;
        let (to, retry) = (Some(plan.to), self.nodes[id.index()].is_retrying());
        let frame =
            |kind, rate, duration, nav| Frame { kind, from: id, to, rate, duration, nav, retry };
        match plan.protection {
            Protection::None => self.data_frame(id, &plan),
            Protection::RtsCts(rate) => {
                let nav = sifs + self.airtime.cts(rate) + sifs + rest;
                frame(FrameKind::Rts, rate, self.airtime.rts(rate), nav)
            }
            Protection::CtsToSelf(rate) => {
                frame(FrameKind::CtsToSelf, rate, self.airtime.cts(rate), sifs + rest)
            }
        }
    }

    /// The packet in service is about to go out.
    fn sending(&self, id: NodeId) -> LinkEvent {
        LinkEvent::Sending { is_first: !self.nodes[id.index()].is_retrying() }
    }

    /// The exchange of the packet in service.
    #[inline]
    fn plan(&self, id: NodeId, txop_start: Time) -> Plan {
        let node = &self.nodes[id.index()];
        let msdu = node.queue.in_service().expect("a contender has a packet");
        let (size, to) = (msdu.size, msdu.to);
        let rate = if id.is_ap() { &self.nodes[to.index()].rate_down } else { &node.rate_up };
        let rate = rate.get();
        Plan {
            to,
            rate,
            data: self.airtime.data(size, rate),
            ack: self.airtime.ack(rate),
            protection: self.airtime.protection(size, rate),
            txop_start,
            own_end: Time::ZERO,
        }
    }

    /// Its duration field covers its own ACK only, whatever follows in the TXOP.  [80211-2020 §9.2.5.2]
    fn data_frame(&mut self, from: NodeId, plan: &Plan) -> Frame {
        let retry = std::mem::replace(&mut self.nodes[from.index()].is_repeated, true);
        let nav = self.airtime.timing.sifs + plan.ack;
        let Plan { to, rate, data, .. } = *plan;
        let to = Some(to);
        Frame { kind: FrameKind::Data, from, to, rate, duration: data, nav, retry }
    }

    /// What a frame that has just left the air leads to.
    pub(super) fn receive(&mut self, now: Time, transmission: &Transmission) {
        let frame = transmission.frame;
        if let Access::Exchange(plan) = &mut self.nodes[frame.from.index()].access {
            plan.own_end = now;
        }
        let Some(to) = frame.to else { return };
        if transmission.missed {
            return;
        }
        let spoilt = transmission.collided || transmission.spoilt;
        let decoded = !spoilt && self.contention.decodes(to, frame.from);
        match frame.kind {
            FrameKind::Data if decoded => {
                if self.shares_time && to.is_ap() {
                    self.account(now, frame.from, FrameKind::Ack);
                }
                self.deliver(&frame, to);
                let ack = self.airtime.ack(frame.rate);
                self.respond(now, (&frame, to), (FrameKind::Ack, ack), Duration::ZERO);
            }
            FrameKind::Rts if decoded && self.contention.nav_is_clear(to, now) => {
                let cts = self.airtime.cts(frame.rate);
                let nav = frame.nav - self.airtime.timing.sifs - cts;
                self.respond(now, (&frame, to), (FrameKind::Cts, cts), nav);
            }
            FrameKind::Data | FrameKind::Rts => self.await_in_vain(now, transmission),
            FrameKind::Cts if decoded => self.send_data(now, to),
            // Nobody answers a CTS to oneself: its sender goes on and does not know of a collision.
            FrameKind::CtsToSelf => self.send_data(now, frame.from),
            FrameKind::Ack if decoded => self.succeed(now, to),
            FrameKind::Ack | FrameKind::Cts => self.fail(now, to, frame.kind.answers()),
            FrameKind::Beacon => unreachable!("it is for nobody in particular"),
        }
    }

    fn respond(
        &mut self,
        now: Time,
        (asked, from): (&Frame, NodeId),
        (kind, duration): (FrameKind, Duration),
        nav: Duration,
    ) {
        let rate: DataRate = self.airtime.response_rate(asked.rate);
        let to = Some(asked.from);
        let frame = Frame { kind, from, to, rate, duration, nav, retry: false };
        self.pending.push(Pending { at: now + self.airtime.timing.sifs, frame });
    }

    fn send_data(&mut self, now: Time, from: NodeId) {
        let Access::Exchange(plan) = self.nodes[from.index()].access else { return };
        let frame = self.data_frame(from, &plan);
        self.pending.push(Pending { at: now + self.airtime.timing.sifs, frame });
    }

    /// Hands the packet of a data frame on, unless it has come before.  [80211-2020 §10.3.2.14]
    fn deliver(&mut self, frame: &Frame, to: NodeId) {
        let sender = &self.nodes[frame.from.index()];
        let sequence = sender.sequence;
        let msdu = *sender.queue.in_service().expect("a packet in service");
        // Either end of a hop is the access point, so one cache per station and direction is enough.
        let cache = if frame.from.is_ap() {
            &mut self.nodes[to.index()].last_received_down
        } else {
            &mut self.nodes[frame.from.index()].last_received_up
        };
        if frame.retry && *cache == Some(sequence) {
            self.channel.records.push_back(Record::Duplicate { node: to });
            return;
        }
        *cache = Some(sequence);
        self.nodes[frame.from.index()].has_arrived = true;
        self.deliveries.push_back(msdu);
    }

    /// No response will come. The sender cannot know it before its time-out, except where a model
    /// assumes that collisions are noticed at once.
    fn await_in_vain(&mut self, now: Time, transmission: &Transmission) {
        let Frame { from: node, kind, .. } = transmission.frame;
        let at_once = transmission.collided && self.after_collision != AfterCollision::Standard;
        let at = if at_once { Time::MAX } else { now + self.response_timeout };
        self.unanswered.push(Unanswered { at, node, kind });
    }

    /// Response time-outs that are due.
    pub(super) fn time_out(&mut self, now: Time) {
        while let Some(due) = self.unanswered.iter().position(|unanswered| unanswered.at == now) {
            let unanswered = self.unanswered.swap_remove(due);
            self.fail(now, unanswered.node, unanswered.kind);
        }
    }

    /// Under Bianchi's assumption, whoever was in a collision knows it as soon as its medium is idle.
    pub(super) fn fail_collided(&mut self, now: Time) {
        if self.after_collision == AfterCollision::Standard {
            return;
        }
        while let Some(due) = self.unanswered.iter().position(|unanswered| self.knows(unanswered)) {
            let unanswered = self.unanswered.swap_remove(due);
            self.fail(now, unanswered.node, unanswered.kind);
        }
    }

    fn knows(&self, unanswered: &Unanswered) -> bool {
        unanswered.at == Time::MAX && self.contention.is_idle(unanswered.node)
    }

    fn succeed(&mut self, now: Time, id: NodeId) {
        if self.shares_time && id.is_ap() {
            self.account(now, id, FrameKind::Ack);
        }
        self.adapt(now, id, LinkEvent::Success);
        self.leave_queue(now, id);
        if self.continue_txop(now, id) {
            return;
        }
        let node = &mut self.nodes[id.index()];
        let has_next = !node.queue.is_empty();
        let backoff = if has_next || self.post_backoff { node.draw_backoff() } else { 0 };
        node.backoff = u64::from(backoff);
        self.contention.draw(id, now, backoff);
        self.go_on(id);
    }

    /// Sends the next packet a SIFS later, if there is one whose exchange ends within the TXOP. The
    /// channel is held already, so nothing goes before it.  [80211-2020 §10.23.2.8]
    fn continue_txop(&mut self, now: Time, id: NodeId) -> bool {
        let node = &self.nodes[id.index()];
        let Access::Exchange(last) = node.access else { return false };
        if node.limits.txop.is_zero() || node.queue.is_empty() {
            return false;
        }
        self.adapt(now, id, self.sending(id));
        let node = &self.nodes[id.index()];
        let plan = Plan { protection: Protection::None, ..self.plan(id, last.txop_start) };
        let sifs = self.airtime.timing.sifs;
        let end = now + sifs + plan.data + sifs + plan.ack;
        let fits = end <= plan.txop_start + node.limits.txop;
        if fits {
            self.nodes[id.index()].access = Access::Exchange(plan);
            self.send_data(now, id);
        }
        fits
    }

    /// The RTS or data frame `failed` has had no response.
    fn fail(&mut self, now: Time, id: NodeId, failed: FrameKind) {
        let Access::Exchange(plan) = self.nodes[id.index()].access else { return };
        if self.shares_time && id.is_ap() {
            self.account(now, id, failed);
        }
        let event =
            if failed == FrameKind::Rts { LinkEvent::RtsFailure } else { LinkEvent::Failure };
        self.adapt(now, id, event);
        let protected_data =
            failed == FrameKind::Data && matches!(plan.protection, Protection::RtsCts(_));
        if self.nodes[id.index()].fail(protected_data) == Verdict::GiveUp {
            self.record_drop(id, DropCause::RetryLimit);
            self.leave_queue(now, id);
        }
        let node = &mut self.nodes[id.index()];
        let backoff = node.draw_backoff();
        node.backoff = u64::from(backoff);
        self.contention.draw(id, now, backoff);
        self.go_on(id);
    }

    fn leave_queue(&mut self, now: Time, id: NodeId) {
        let node = &mut self.nodes[id.index()];
        let lost = !node.has_arrived;
        let msdu = node.finish(now);
        if node.queue.is_empty() {
            self.channel.end_waiting(now);
        }
        self.departures.push_back(Departure { msdu, lost });
        if self.shares_time {
            self.plan_release();
        }
        self.take_dropped(id);
        self.record_queue(id);
    }

    /// Contends for the next packet with the back-off that it has drawn, or rests.
    fn go_on(&mut self, id: NodeId) {
        let node = &mut self.nodes[id.index()];
        if node.queue.is_empty() {
            node.access = Access::Idle;
        } else {
            node.access = Access::Contending;
            self.contention.contend(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Msdu;
    use crate::node::Stream;
    use crate::phy::Standard;
    use crate::{AccessParameters, CellConfig, ErrorModel, QueueConfig, StationConfig};
    use airfair_units::Bytes;
    use rand_core::SeedableRng;

    fn cell() -> Cell<u32> {
        let rate = DataRate::from_mbps(11);
        let standard = Standard::B;
        let station = StationConfig {
            standard,
            rate_up: rate,
            rate_down: rate,
            adaptation: [None; 2],
            queue: QueueConfig::fifo(9),
            access: AccessParameters::default(),
            senses_only: vec![],
            hidden_from: vec![],
            errors: ErrorModel::None,
        };
        let config = CellConfig {
            rules: crate::Rules::of(standard),
            ap_queue: QueueConfig::fifo(9),
            ap_access: AccessParameters::default(),
            stations: vec![station],
        };
        let stream = Stream::seed_from_u64;
        Cell::new(&config, vec![stream(0), stream(1)], vec![stream(2)])
    }

    /// The repetition is made by hand, whole lost ACKs are the scripts' business.
    ///
    /// Verifies: [80211-2020 §10.3.2.14]
    #[test]
    fn a_frame_that_comes_again_is_not_delivered_again_and_the_next_one_is() {
        let (mut cell, id) = (cell(), NodeId::station(0));
        for payload in [7, 8] {
            cell.enqueue(
                Time::ZERO,
                Msdu { payload, size: Bytes::new(100), from: id, to: NodeId::AP },
            );
        }
        let first = cell.begin_exchange(Time::ZERO, id);
        cell.deliver(&first, NodeId::AP);
        let again = cell.begin_exchange(Time::ZERO, id);
        assert!(!first.retry && again.retry);
        cell.deliver(&again, NodeId::AP);
        cell.nodes[id.index()].finish(Time::ZERO);
        // The next frame is another one even if its first copy was lost and this is a repetition.
        let next = Frame { retry: true, ..cell.begin_exchange(Time::ZERO, id) };
        cell.deliver(&next, NodeId::AP);
        let delivered: Vec<u32> =
            std::iter::from_fn(|| cell.poll_delivery()).map(|msdu| msdu.payload).collect();
        assert_eq!(delivered, [7, 8]);
        let duplicate = Record::Duplicate { node: NodeId::AP };
        let records: Vec<Record> = std::iter::from_fn(|| cell.poll_record()).collect();
        assert_eq!(records.iter().filter(|record| **record == duplicate).count(), 1);
    }
}
