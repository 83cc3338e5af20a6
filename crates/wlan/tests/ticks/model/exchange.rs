//! Exchanges of the model: their frames, success and failure.

use super::*;

impl Model<'_> {
    /// Ends the wait of station `id` for a response to a frame of this kind at the time `at` [µs]. Until then the other
    /// categories of its member do not count down.
    pub(super) fn give_up_at(&mut self, id: usize, at: u64, kind: FrameKind) {
        self.stations[id].timeout = Some((at, kind));
        let member = self.stations[id].member;
        for (other, s) in self.stations.iter_mut().enumerate() {
            if other != id && s.member == member {
                s.held = at;
            }
        }
    }

    /// Frame of an exchange that starts a SIFS after the frame before it.
    pub(super) fn follow(
        &mut self,
        now: u64,
        kind: FrameKind,
        way: (usize, usize, usize),
        (tx, duration, nav): (TxVector, u64, u64),
    ) {
        let at = now + us(self.airtime.timing.sifs);
        let frame = self.frame(kind, way, (tx, at + duration, nav));
        self.pending.push((at, frame));
    }

    /// Starts the wait of an exchange's initiator when a response begins, the frame with this index on the air. The
    /// initiator senses the start of the response, or times out. [80211-2020 §10.3.2.9, §10.3.2.11]
    pub(super) fn await_response(&mut self, now: u64, index: usize) {
        let sent = now - us(self.airtime.timing.sifs).min(now);
        let gives_up = sent + us(self.airtime.response_timeout());
        let frame = &mut self.air[index];
        if frame.foreign.is_some() {
            return;
        }
        let answered = match frame.kind {
            FrameKind::Ack | FrameKind::BlockAck => FrameKind::Data,
            FrameKind::Cts => FrameKind::Rts,
            FrameKind::TriggerBased => FrameKind::Trigger,
            _ => return,
        };
        frame.missed = !frame.sensed_by[frame.to] || frame.lost_to[frame.to];
        if frame.missed {
            let by = frame.by;
            self.give_up_at(by, gives_up, answered);
        }
    }

    pub(super) fn first_frame(&mut self, now: u64, id: usize) -> OnAir {
        if let Some(mut frame) = self.first_turn(now, id, true) {
            self.open(&mut frame);
            return frame;
        }
        self.tell_of_sending(now, id);
        self.plan(now, id, true);
        let Plan { to, data, answer: ack, protection, .. } =
            self.stations[id].plan.clone().expect("just planned");
        let way = (self.stations[id].member, to, id);
        let sifs = us(self.airtime.timing.sifs);
        match protection {
            Protection::None => self.begin_data(now, id),
            Protection::RtsCts(tx) => {
                let (rts, cts) = (us(self.airtime.rts(tx)), us(self.airtime.cts(tx)));
                let nav = cts + data + ack + 3 * sifs;
                self.frame(FrameKind::Rts, way, (tx, now + rts, nav))
            }
            Protection::CtsToSelf(tx) => {
                let end = now + us(self.airtime.cts(tx));
                self.frame(FrameKind::CtsToSelf, way, (tx, end, data + ack + 2 * sifs))
            }
        }
    }

    /// Notes that an exchange of station `id` has ended, if it is the access point's.
    fn note_access(&mut self, now: u64, id: usize) {
        let access = self.last_access(now, id);
        if let Some(mu) = self.multi_user.as_mut().filter(|_| self.stations[id].member == 0) {
            mu.note_access(now, access);
        }
    }

    /// Time of the last access of station `id`, whose exchange ends: the start of its TXOP or, where more exchanges may
    /// follow in it, of the next one.
    pub(super) fn last_access(&self, now: u64, id: usize) -> u64 {
        let s = &self.stations[id];
        let has_time = us(s.access.txop_limit) > 0;
        if has_time { now + us(self.airtime.timing.sifs) } else { s.txop_start }
    }

    pub(super) fn succeed(&mut self, now: u64, id: usize) {
        self.tell_of_outcome(now, id, None);
        let plan = self.stations[id].plan.clone().expect("it was in an exchange");
        self.take_answer(id);
        if let Some(mu) = self.multi_user.as_mut().filter(|_| self.stations[id].member == 0) {
            mu.note_single(plan.to, plan.data);
        }
        self.note_access(now, id);
        if self.fits_txop(now, id) {
            self.stations[id].pending = PendingAccess::Response;
            self.send_data(now, id);
        } else if self.has_content(id) || self.config.rules.post_backoff {
            self.draw(now, id);
        }
    }

    /// Handles the response to the exchange of station `id`.
    pub(super) fn take_answer(&mut self, id: usize) {
        let plan = self.stations[id].plan.clone().expect("it was in an exchange");
        if self.agreed(id, plan.to).is_none() {
            return self.leave(id);
        }
        let planned = self.law(id, plan.to).and_then(|law| law.longest_chain());
        let limit = self.attempts(id, matches!(plan.protection, Protection::RtsCts(_)), planned);
        let link = &mut self.stations[id].links[plan.to];
        (link.silences, link.asks) = (0, false);
        link.has_moved &= plan.kind != FrameKind::BlockAckRequest;
        let received = link.received.clone();
        let is_ack = plan.answered_by == FrameKind::Ack;
        self.settle((id, plan.to), limit, |number| is_ack || received.contains(&number));
        self.end_turn((id, plan.to), true);
        self.start_afresh(id);
    }

    /// Number of attempts of station `id` after which an MPDU is given up.
    pub(super) fn attempts(&self, id: usize, is_protected: bool, planned: Option<u16>) -> u16 {
        match self.stations[id].access.attempts.unwrap_or(self.config.rules.attempts) {
            Attempts::Limits { .. } if let Some(planned) = planned => planned,
            Attempts::Limits { long, .. } if is_protected => long,
            Attempts::Limits { short, .. } => short,
            Attempts::Max(limit) => limit,
            Attempts::Unlimited => u16::MAX,
        }
    }

    /// Sets the contention window of station `id` to the smallest one and the numbers of failed attempts to zero.
    pub(super) fn start_afresh(&mut self, id: usize) {
        let is_done = !self.has_content(id);
        let s = &mut self.stations[id];
        s.window = u32::from(s.smallest);
        (s.short, s.long, s.internal) = (0, 0, 0);
        s.pending = if is_done { PendingAccess::None } else { PendingAccess::Backoff };
    }

    /// True if the next exchange of station `id`, without protection, ends within the TXOP.
    pub(super) fn fits_txop(&mut self, now: u64, id: usize) -> bool {
        let (limit, sifs) = (us(self.stations[id].access.txop_limit), us(self.airtime.timing.sifs));
        if limit == 0 || self.receiver(id).is_none() {
            return false;
        }
        self.tell_of_sending(now, id);
        self.plan(now + sifs, id, false);
        let s = &self.stations[id];
        let plan = s.plan.as_ref().expect("just planned");
        now + plan.data + plan.answer + 2 * sifs - s.txop_start <= limit
    }

    pub(super) fn leave(&mut self, id: usize) {
        self.stations[id].queue.pop_front();
        self.stations[id].serving = None;
        self.serve(id);
        self.start_afresh(id);
    }

    /// Starts the frame of station `id`'s exchange that is answered: its MPDUs are on the air.
    pub(super) fn begin_data(&mut self, at: u64, id: usize) -> OnAir {
        let mut frame = self.planned(at, id);
        self.open(&mut frame);
        frame
    }

    /// Marks the MPDUs of a frame that starts now as sent.
    pub(super) fn open(&mut self, frame: &mut OnAir) {
        if frame.is_turn {
            return self.open_turn(frame);
        }
        if frame.mpdus.is_empty() {
            return;
        }
        let link = &mut self.stations[frame.by].links[frame.to];
        for it in link.numbered.iter_mut().filter(|it| frame.mpdus.contains(&it.number)) {
            (it.attempts, it.is_open) = (it.attempts + 1, true);
        }
    }

    /// Handles a missing response to station `id` on a link with aggregates.
    pub(super) fn fail_link(&mut self, id: usize, plan: &Plan, kind: FrameKind, gives_up: bool) {
        let is_protected = matches!(plan.protection, Protection::RtsCts(_));
        let planned = self.law(id, plan.to).and_then(|law| law.longest_chain());
        let planned = planned.filter(|_| plan.kind != FrameKind::BlockAckRequest);
        let limit = self.attempts(id, is_protected && kind == FrameKind::Data, planned);
        if kind == FrameKind::Rts {
            if gives_up {
                let link = &mut self.stations[id].links[plan.to];
                for it in link.numbered.iter_mut().filter(|it| plan.mpdus.contains(&it.number)) {
                    it.is_open = true;
                }
                self.settle((id, plan.to), 0, |_| false);
                self.end_turn((id, plan.to), false);
            }
            return;
        }
        self.hear_nothing((id, plan.to), limit);
    }

    /// Handles a missing response to MPDUs or to a `BlockAckReq` from station `id` to another member.
    pub(super) fn hear_nothing(&mut self, (id, to): (usize, usize), limit: u16) {
        let asks_after = self.agreed(id, to).is_some_and(|agreed| agreed.asks);
        let link = &mut self.stations[id].links[to];
        link.silences += 1;
        let has_open = link.numbered.iter().any(|it| it.is_open);
        if (!has_open || asks_after) && link.silences < limit {
            link.asks = has_open;
        } else {
            if !has_open || asks_after {
                link.has_moved = false;
            }
            (link.silences, link.asks) = (0, false);
            self.settle((id, to), limit, |_| false);
        }
        self.end_turn((id, to), false);
    }

    /// Handles an internal collision of station `id` with a higher category of the same member: as after a collision,
    /// but without a transmission.
    pub(super) fn give_way(&mut self, now: u64, id: usize) {
        let to = self.receiver(id);
        let has_link = to.is_none_or(|to| self.agreed(id, to).is_some());
        self.stations[id].short += 1;
        self.stations[id].internal += 1;
        // No frame has failed, so the rate control's planned attempts go on.
        let chain_ends = self.chain_ends(id).map(|_| false);
        if !self.widen(id, chain_ends) {
            self.stations[id].pending = PendingAccess::Backoff;
        } else if has_link {
            self.start_afresh(id);
        } else {
            self.leave(id);
            self.stations[id].waited = 0;
        }
        self.draw(now, id);
    }

    /// Doubles the contention window of station `id`. Returns true if the frame is to be given up instead.
    pub(super) fn widen(&mut self, id: usize, chain_ends: Option<bool>) -> bool {
        let s = &mut self.stations[id];
        let gives_up = match s.access.attempts.unwrap_or(self.config.rules.attempts) {
            Attempts::Max(limit) if s.short + s.long >= limit => true,
            Attempts::Limits { short, long } if chain_ends.is_none() => {
                s.short >= short || s.long >= long
            }
            Attempts::Max(_) | Attempts::Limits { .. } => chain_ends == Some(true),
            Attempts::Unlimited => false,
        };
        if !gives_up {
            let largest = s.access.cw_max.unwrap_or(self.airtime.timing.cw_max);
            s.window = (s.window * 2 + 1).min(u32::from(largest));
        }
        gives_up
    }

    pub(super) fn fail(&mut self, now: u64, id: usize, kind: FrameKind) {
        let plan = self.stations[id].plan.clone().expect("it was in an exchange");
        self.note_access(now, id);
        self.tell_of_outcome(now, id, Some(kind));
        let has_link = self.agreed(id, plan.to).is_some();
        let s = &mut self.stations[id];
        let is_protected = matches!(plan.protection, Protection::RtsCts(_));
        let is_long = kind == FrameKind::Data && is_protected;
        *(if is_long { &mut s.long } else { &mut s.short }) += 1;
        let chain_ends = self.chain_ends(id);
        let gives_up = self.widen(id, chain_ends);
        if gives_up && has_link {
            self.fail_link(id, &plan, kind, true);
            self.start_afresh(id);
        } else if gives_up {
            self.leave(id);
        } else {
            self.stations[id].pending = PendingAccess::Backoff;
            if has_link {
                self.fail_link(id, &plan, kind, false);
                if !self.has_content(id) {
                    self.stations[id].pending = PendingAccess::None;
                }
            }
        }
        self.draw(now, id);
    }
}
