//! Choice of a station's next exchange, and its durations.

use super::*;

impl Model<'_> {
    pub(super) fn frame(
        &self,
        kind: FrameKind,
        (from, to, by): (usize, usize, usize),
        (tx, end, nav): (TxVector, u64, u64),
    ) -> OnAir {
        let nobody = || vec![false; self.members()];
        OnAir {
            kind,
            mpdus: Vec::new(),
            errored: Vec::new(),
            hits: Vec::new(),
            from,
            foreign: None,
            also: Vec::new(),
            parts: Vec::new(),
            is_turn: false,
            to,
            by,
            tx,
            start: 0,
            end,
            nav,
            collided: false,
            noisy_for: nobody(),
            backoff: None,
            sensed_by: nobody(),
            readable_by: nobody(),
            heard_by: nobody(),
            locked_by: nobody(),
            lost_to: nobody(),
            missed: false,
            is_disturbed: false,
            is_energy: false,
        }
    }

    pub(super) fn vector_of(&self, packet: &Arrival) -> TxVector {
        self.vector_for(packet.from.index(), packet.to.index())
    }

    /// Vector of data frames from one member to another.
    pub(super) fn vector_between(&self, from: usize, to: usize) -> TxVector {
        if let Some(law) = &self.laws[from.max(to) - 1][usize::from(from == 0)] {
            return law.vector();
        }
        let station = &self.config.stations[from.max(to) - 1];
        self.airtime.vector(if from == 0 { station.rate_down } else { station.rate_up })
    }

    pub(super) fn send_data(&mut self, now: u64, id: usize) {
        let at = now + us(self.airtime.timing.sifs);
        let frame = self.planned(at, id);
        self.pending.push((at, frame));
    }

    /// The frame that is answered in the planned exchange of station `id`.
    pub(super) fn planned(&self, at: u64, id: usize) -> OnAir {
        let plan = self.stations[id].plan.clone().expect("a plan");
        let nav = us(self.airtime.timing.sifs) + plan.answer;
        let way = (self.stations[id].member, plan.to, id);
        let frame = self.frame(plan.kind, way, (plan.tx, at + plan.data, nav));
        OnAir { mpdus: plan.mpdus, ..frame }
    }

    /// Aggregation agreement between station `id` and another member, if any.
    pub(super) fn agreed(&self, id: usize, to: usize) -> Option<Agreed> {
        let from = self.stations[id].member;
        self.agreed.get(from.max(to) - 1).copied().flatten()
    }

    /// Receiver of the next exchange of station `id`.
    pub(super) fn receiver(&self, id: usize) -> Option<usize> {
        self.stations[id].serving
    }

    /// Plans the next exchange of station `id`, whose first frame starts at `start`; `is_first` if it is the first of a
    /// TXOP.
    pub(super) fn plan(&mut self, start: u64, id: usize, is_first: bool) {
        let to = self.receiver(id).expect("something to send");
        let plan = match self.agreed(id, to) {
            None => self.plan_packet(id),
            Some(agreed) => self.plan_link((start, is_first), (id, to), &agreed),
        };
        let protection = if is_first { plan.protection } else { Protection::None };
        self.stations[id].plan = Some(Plan { protection, ..plan });
    }

    pub(super) fn plan_packet(&self, id: usize) -> Plan {
        let packet = self.stations[id].queue[0];
        let (tx, to) = (self.vector_of(&packet), packet.to.index());
        Plan {
            to,
            tx,
            data: us(self.airtime.data(packet.size, tx)),
            answer: us(self.airtime.ack(tx)),
            protection: self.airtime.protection(packet.size, tx),
            kind: FrameKind::Data,
            answered_by: FrameKind::Ack,
            mpdus: Vec::new(),
        }
    }

    /// Duration [µs] of a frame of this size.
    pub(super) fn air(&self, octets: u64, tx: TxVector) -> u64 {
        us(self.config.rules.legacy().ppdu_duration(Bytes::new(octets), tx))
    }

    pub(super) fn plan_link(
        &mut self,
        (start, is_first): (u64, bool),
        (id, to): (usize, usize),
        agreed: &Agreed,
    ) -> Plan {
        let tx = self.vector_for(self.stations[id].member, to);
        let control = self.airtime.response(tx);
        let block_ack = self.air(answer_octets(agreed), control);
        let link = &self.stations[id].links[to];
        if link.has_moved || link.asks {
            return Plan {
                to,
                tx: control,
                data: self.air(24, control),
                answer: block_ack,
                protection: Protection::None,
                kind: FrameKind::BlockAckRequest,
                answered_by: FrameKind::BlockAck,
                mpdus: Vec::new(),
            };
        }
        let s = &self.stations[id];
        let limit = us(s.access.txop_limit);
        let end = if limit == 0 { u64::MAX } else { s.txop_start + limit };
        let mut mpdus = self.batch((start, end), (id, to), agreed);
        let octets = Self::octets(&self.sizes(id, to, &mpdus), agreed.format);
        let psdu = Bytes::new(octets);
        let protection =
            if is_first { self.airtime.protection_of(psdu, tx) } else { Protection::None };
        if let (Protection::RtsCts(guard), true) = (protection, limit > 0) {
            let call = us(self.airtime.rts(guard)) + us(self.airtime.cts(guard));
            let start = start + call + 2 * us(self.airtime.timing.sifs);
            mpdus = self.batch((start, end), (id, to), agreed);
        }
        let is_alone = mpdus.len() == 1;
        let octets = Self::octets(&self.sizes(id, to, &mpdus), agreed.format);
        Plan {
            to,
            tx,
            data: self.air(octets, tx),
            answer: if is_alone { us(self.airtime.ack(tx)) } else { block_ack },
            protection,
            kind: FrameKind::Data,
            answered_by: if is_alone { FrameKind::Ack } else { FrameKind::BlockAck },
            mpdus,
        }
    }

    /// Sizes of the MPDUs with these sequence numbers from station `id` to `to` [octets].
    pub(super) fn sizes(&self, id: usize, to: usize, mpdus: &[u64]) -> Vec<u64> {
        let numbered = &self.stations[id].links[to].numbered;
        let size =
            |it: &u64| numbered.iter().find(|mpdu| mpdu.number == *it).expect("it waits").size;
        mpdus.iter().map(size).collect()
    }

    /// Octets of a PSDU: a delimiter of four octets before each MPDU, and all MPDUs but the last one padded to a
    /// multiple of four. A single MPDU of HT has no delimiter.
    pub(super) fn octets(sizes: &[u64], format: Format) -> u64 {
        if let ([size], Format::Ht) = (sizes, format) {
            return *size;
        }
        let Some((last, others)) = sizes.split_last() else { return 0 };
        let filled = |size: &u64| 4 + size + (4 - size % 4) % 4;
        others.iter().map(filled).sum::<u64>() + 4 + last
    }

    /// Sequence numbers of the next MPDUs from `id` to `to`: those to be sent again, then new ones in order of
    /// arrival, within the window, the octets, the duration of the PPDU and the TXOP.
    pub(super) fn batch(
        &mut self,
        (start, end): (u64, u64),
        (id, to): (usize, usize),
        agreed: &Agreed,
    ) -> Vec<u64> {
        let tx = self.vector_for(self.stations[id].member, to);
        let response = self.air(answer_octets(agreed), self.airtime.response(tx));
        let after = us(self.airtime.timing.sifs) + response;
        self.batch_within((id, to), agreed, |model, octets| {
            let air = model.air(octets, tx);
            air <= 5_484 && start + air + after <= end
        })
    }

    /// Sequence numbers of the next MPDUs from `id` to `to`, whose PSDU `may_last` as long as its octets make it. The
    /// first MPDU is sent in any case.
    pub(super) fn batch_within(
        &mut self,
        (id, to): (usize, usize),
        agreed: &Agreed,
        may_last: impl Fn(&Self, u64) -> bool,
    ) -> Vec<u64> {
        let is_alone = self.law(id, to).is_some_and(|law| law.is_alone());
        let most = if is_alone { 1 } else { agreed.mpdus };
        let (mut numbers, mut sizes): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        loop {
            let link = &self.stations[id].links[to];
            let waits = |it: &&Numbered| {
                it.done.is_none()
                    && !it.is_open
                    && numbers.last().is_none_or(|last| it.number > *last)
            };
            let old = link.numbered.iter().find(waits).copied();
            let is_in_window = link.has_room(agreed);
            let place = self.stations[id].queue.iter().position(|it| it.to.index() == to);
            let fits = |sizes: &[u64]| {
                let all = Self::octets(sizes, agreed.format);
                // The limit includes a delimiter, even if none is sent.
                let octets = if let [size] = sizes { size + 4 } else { all };
                octets <= agreed.octets && sizes.len() <= most && may_last(self, octets)
            };
            // A packet joins the MPDU before it, if that is new and was the last one.
            if let (None, Some(place), Some(last)) = (old, place, link.numbered.back())
                && numbers.last() == Some(&last.number)
                && last.attempts == 0
                && agreed.amsdu > 0
            {
                let packet = self.stations[id].queue[place].size.get();
                // Subframes of 14 octets and a packet, all but the last one padded.
                let before = if last.packets == 1 { last.size - 30 + 14 } else { last.size - 30 };
                let amsdu = before + (4 - before % 4) % 4 + 14 + packet;
                let most = match (agreed.format, agreed.window) {
                    (Format::Ht, 2..) => agreed.amsdu.min(4_065),
                    _ => agreed.amsdu,
                };
                let mut grown = sizes.clone();
                grown.pop();
                grown.push(amsdu + 30);
                if amsdu <= most && fits(&grown) {
                    sizes = grown;
                    self.stations[id].queue.remove(place);
                    let last =
                        self.stations[id].links[to].numbered.back_mut().expect("it is there");
                    (last.size, last.packets) = (amsdu + 30, last.packets + 1);
                    continue;
                }
            }
            let new = place.filter(|_| is_in_window);
            let size = match (old, new) {
                (Some(old), _) => old.size,
                (None, Some(place)) => self.stations[id].queue[place].size.get() + 30,
                (None, None) => break,
            };
            sizes.push(size);
            if sizes.len() > 1 && !fits(&sizes) {
                break;
            }
            if let (None, Some(place)) = (old, place)
                && let Some(packet) = self.stations[id].queue.remove(place)
            {
                self.stations[id].links[to].number(packet.size.get());
            }
            let link = &self.stations[id].links[to];
            numbers.push(old.map_or(link.next - 1, |old| old.number));
        }
        numbers
    }

    /// Notes the outcome of the MPDUs that station `id` has sent to `to`, and gives up those with `limit` failed
    /// attempts.
    pub(super) fn settle(
        &mut self,
        (id, to): (usize, usize),
        limit: u16,
        has_come: impl Fn(u64) -> bool,
    ) {
        let has_block_ack = self.agreed(id, to).is_some_and(|agreed| agreed.window > 1);
        let link = &mut self.stations[id].links[to];
        for it in link.numbered.iter_mut().filter(|it| it.is_open) {
            it.is_open = false;
            if has_come(it.number) {
                it.done = Some(true);
            } else if it.attempts >= limit {
                it.done = Some(false);
            }
        }
        while let Some(Numbered { done: Some(is_acknowledged), .. }) = link.numbered.front() {
            // Without a block ack the receiver does not wait for it.
            link.has_moved |= !is_acknowledged && has_block_ack;
            link.numbered.pop_front();
        }
    }

    /// Chooses the receiver of the next exchange of station `id`, if there is none yet: one that waits for its turn, or
    /// that of the oldest packet, which then gets a sequence number if the window has room.
    pub(super) fn serve(&mut self, id: usize) {
        if self.receiver(id).is_some() {
            return;
        }
        let s = &mut self.stations[id];
        if let Some(to) = s.again.pop_front() {
            s.serving = Some(to);
            return;
        }
        let Some(to) = s.queue.front().map(|packet| packet.to.index()) else { return };
        s.serving = Some(to);
        let Some(agreed) = self.agreed(id, to) else { return };
        let s = &mut self.stations[id];
        if s.links[to].has_room(&agreed)
            && let Some(packet) = s.queue.pop_front()
        {
            s.links[to].number(packet.size.get());
        }
    }

    /// Ends the turn of receiver `to` after an exchange of station `id` with it. Without a response, the receiver stays
    /// in service as long as it has more; else it waits for its next turn.
    pub(super) fn end_turn(&mut self, (id, to): (usize, usize), is_answered: bool) {
        let s = &mut self.stations[id];
        let link = &s.links[to];
        let has_more = !link.numbered.is_empty() || link.has_moved || link.asks;
        if s.serving == Some(to) {
            if has_more && !is_answered {
                return;
            }
            s.serving = None;
        }
        if has_more && !s.again.contains(&to) {
            s.again.push_back(to);
        }
        self.serve(id);
    }
}

impl BlockAckLink {
    /// True if the window has room for one more MPDU.
    fn has_room(&self, agreed: &Agreed) -> bool {
        self.numbered.front().is_none_or(|first| self.next < first.number + agreed.window)
    }

    /// Gives a new MPDU of a packet of this size [octets] the next sequence number.
    fn number(&mut self, packet: u64) {
        let (number, size) = (self.next, packet + 30);
        let (packets, attempts, is_open, done) = (1, 0, false, None);
        self.numbered.push_back(Numbered { number, size, packets, attempts, is_open, done });
        self.next += 1;
    }
}
