//! Medium of the model: frames on the air, and the members that sense, decode and answer them.

use super::*;

impl Model<'_> {
    pub(super) fn members(&self) -> usize {
        self.config.stations.len() + 1
    }

    pub(super) fn is_busy(&self, id: usize) -> bool {
        self.air.iter().any(|frame| frame.occupies(id))
    }

    /// Audibility of frames of `from` to `listener` now.
    pub(super) fn audibility(&self, listener: usize, from: usize) -> Audibility {
        let id = |member: usize| NodeId(u16::try_from(member).expect("few stations"));
        let is_it = |change: &&Change| (change.listener, change.from) == (id(listener), id(from));
        if let Some(change) = self.changed.iter().rfind(is_it) {
            return change.audibility;
        }
        let station = |member: usize| Some(&self.config.stations[member.checked_sub(1)?]);
        let lists = |one, other| station(one).is_some_and(|s| s.hidden_from.contains(&id(other)));
        if lists(listener, from) || lists(from, listener) {
            Audibility::Nothing
        } else if station(listener).is_some_and(|s| s.senses_only.contains(&id(from))) {
            Audibility::Senses
        } else {
            Audibility::Decodes
        }
    }

    /// Audibility of a frame to `listener` that starts now: the best of those of its transmitters.
    pub(super) fn audibility_of(&self, frame: &OnAir, listener: usize) -> Audibility {
        match &frame.foreign {
            Some(heard) if heard[listener] && frame.is_energy => Audibility::Senses,
            Some(heard) if heard[listener] => Audibility::Decodes,
            Some(_) => Audibility::Nothing,
            None => {
                let all = std::iter::once(&frame.from).chain(&frame.also);
                let each = all.map(|from| self.audibility(listener, *from));
                each.fold(Audibility::Nothing, Audibility::max)
            }
        }
    }

    /// True if the receiver of `listener` can decode frames with this vector.
    pub(super) fn understands(&self, listener: usize, tx: TxVector) -> bool {
        match tx {
            TxVector::Dsss(..) => true,
            TxVector::Ofdm(_) => standard_of(self.config, listener) != Standard::B,
            TxVector::Mode(mode) => {
                standard_of(self.config, listener).format().is_some_and(|it| it >= mode.format())
            }
        }
    }

    pub(super) fn end(&mut self, now: u64) {
        let (mut ended, still): (Vec<OnAir>, Vec<OnAir>) =
            self.air.drain(..).partition(|frame| frame.end == now);
        self.air = still;
        if ended.is_empty() {
            return;
        }
        for frame in ended.iter_mut().filter(|frame| frame.foreign.is_none()) {
            self.hit(frame);
            self.spoil(frame);
            self.spoil_parts(frame);
            frame.noisy_for = (0..self.members())
                .map(|id| {
                    (frame.to == id || frame.is_for_all())
                        && frame.parts.is_empty()
                        && self.is_noisy(frame, id)
                })
                .collect();
        }
        for frame in ended.iter().filter(|frame| frame.foreign.is_none()) {
            let from = u16::try_from(frame.from).expect("few stations");
            match frame.kind {
                FrameKind::MultiUser | FrameKind::TriggerBased => {
                    for part in &frame.parts {
                        let from = u16::try_from(part.from).expect("few stations");
                        let kind = if part.mpdus.is_empty() { 2 } else { 0 };
                        let collided = frame.collided || part.collided || part.collides;
                        self.sent.push((now, from, kind, collided));
                    }
                }
                _ => self.sent.push((now, from, class(frame.kind), frame.collided)),
            }
            self.tell(now, frame);
            self.outcome(now, frame);
        }
        self.hear(now, &ended);
        for id in 0..self.stations.len() {
            if self.is_busy(self.stations[id].member) {
                continue;
            }
            if let Some(kind) = self.stations[id].notices.take() {
                self.fail(now, id, kind);
            }
        }
    }

    /// Notes the listeners that receive a beacon, and the back-off that a sender has counted before its exchange.
    pub(super) fn tell(&mut self, now: u64, frame: &OnAir) {
        let class = class(frame.kind);
        for (id, member) in (0u16..).take(self.members()).enumerate() {
            if frame.from == id && frame.backoff.is_some() {
                // Each part of a frame is reported.
                for _ in 0..frame.parts.len().max(1) {
                    self.heard.push((now, member, class, frame.backoff));
                }
            }
            let decoded = frame.is_decoded_by(id) && !frame.noisy_for[id];
            if frame.kind == FrameKind::Beacon && (frame.from == id || decoded) {
                self.heard.push((now, member, class, None));
            }
        }
    }

    /// Marks the MPDUs of an aggregate that other frames have destroyed. If none is left, the aggregate has collided.
    fn hit(&mut self, frame: &mut OnAir) {
        if frame.collided {
            return;
        }
        if !frame.hits.is_empty() {
            let sizes = self.sizes(frame.by, frame.to, &frame.mpdus);
            frame.errored =
                destroyed((&frame.mpdus, &sizes), (frame.start, frame.end), &frame.hits);
            frame.collided = frame.errored.len() == frame.mpdus.len();
        }
        self.hit_parts(frame);
    }

    /// Draws errors by noise for each MPDU of an aggregate on the air.
    pub(super) fn spoil(&mut self, frame: &mut OnAir) {
        if frame.mpdus.is_empty() || frame.is_disturbed {
            return;
        }
        let link = frame.from.max(frame.to) - 1;
        let ErrorModel::Bernoulli(p) = self.config.stations[link].errors else { return };
        if frame.is_decoded_by(frame.to) || frame.is_in_part() {
            let stream = &mut self.links[link];
            let errored = frame.mpdus.iter().filter(|_| p.happens(stream.next_u64()));
            let errored: Vec<u64> =
                errored.filter(|it| !frame.errored.contains(it)).copied().collect();
            frame.errored.extend(errored);
        }
    }

    /// True if noise makes a frame errored that member `id` would decode.
    pub(super) fn is_noisy(&mut self, frame: &OnAir, id: usize) -> bool {
        if frame.is_disturbed {
            return true;
        }
        let is_received = frame.is_decoded_by(id) || frame.is_in_part();
        // An NDP has no data, and nobody answers a CTS-to-self.
        if matches!(frame.kind, FrameKind::CtsToSelf | FrameKind::Ndp) || !is_received {
            return false;
        }
        if !frame.mpdus.is_empty() {
            return frame.errored.len() == frame.mpdus.len();
        }
        let link = frame.from.max(id) - 1;
        let ErrorModel::Bernoulli(p) = self.config.stations[link].errors else { return false };
        p.happens(self.links[link].next_u64())
    }

    /// Updates the carrier sense of each station after the frames that have just ended.
    pub(super) fn hear(&mut self, now: u64, ended: &[OnAir]) {
        let eifs = us(self.airtime.timing.eifs);
        for place in 0..self.stations.len() {
            let id = self.stations[place].member;
            let concerning: Vec<&OnAir> = ended.iter().filter(|f| f.occupies(id)).collect();
            if concerning.is_empty() {
                continue;
            }
            let mut gap = self.stations[place].aifs;
            for frame in concerning {
                let decoded = !frame.noisy_for[id] && frame.is_decoded_by(id);
                // Senders notice collisions of their own frames, except of those to all members.
                let is_noticed = !frame.is_for_all();
                let collision =
                    frame.lost_to[id] || frame.is_from(id) && frame.collided && is_noticed;
                let for_it = frame.to == id && frame.kind != FrameKind::CtsToSelf;
                if decoded && frame.heard_by[id] && !for_it && frame.nav > 0 {
                    let s = &mut self.stations[place];
                    s.nav = s.nav.max(now + frame.nav);
                    if frame.foreign.is_some() {
                        s.basic_nav = s.basic_nav.max(now + frame.nav);
                    }
                }
                let rule = self.config.rules.eifs;
                let is_ns3 = rule == Eifs::Ns3;
                let sensed = frame.heard_by[id] && !decoded && (!is_ns3 || frame.locked_by[id]);
                let wait = match self.config.rules.after_collision {
                    AfterCollision::Standard => sensed,
                    AfterCollision::Difs => sensed && !collision,
                    AfterCollision::Eifs => sensed || collision,
                };
                let s = &mut self.stations[place];
                match rule {
                    Eifs::Nav if wait => s.nav = s.nav.max(now + eifs),
                    Eifs::Standard if wait => gap = s.eifs,
                    Eifs::Ns3 if wait => s.failed = Some(now),
                    _ => {}
                }
            }
            let s = &mut self.stations[place];
            let left = s.failed.map_or(0, |end| (end + s.eifs).saturating_sub(now));
            (s.gap, s.clear_gap) = (gap.max(left), s.aifs);
        }
    }

    pub(super) fn outcome(&mut self, now: u64, frame: &OnAir) {
        if frame.missed || frame.kind == FrameKind::Beacon {
            return;
        }
        if frame.is_turn {
            return self.end_of_turn(now, frame);
        }
        let is_received = frame.is_decoded_by(frame.to) || frame.is_in_part();
        let received = !frame.noisy_for[frame.to] && is_received;
        let (sifs, tx) = (us(self.airtime.timing.sifs), self.airtime.response(frame.tx));
        match frame.kind {
            FrameKind::Data | FrameKind::BlockAckRequest if received => {
                let come = frame.mpdus.iter().filter(|it| !frame.errored.contains(it)).copied();
                self.stations[frame.by].links[frame.to].received.extend(come);
                let Some(plan) = &self.stations[frame.by].plan else { return };
                let (kind, answer) = (plan.answered_by, plan.answer);
                self.follow(now, kind, (frame.to, frame.from, frame.by), (tx, answer, 0));
            }
            FrameKind::Rts if received && self.stations[frame.to].nav <= now => {
                let cts = us(self.airtime.cts(tx));
                let left = frame.nav - sifs - cts;
                self.follow(now, FrameKind::Cts, (frame.to, frame.from, frame.by), (tx, cts, left));
            }
            FrameKind::Data | FrameKind::Rts | FrameKind::BlockAckRequest => {
                if frame.collided && self.config.rules.after_collision != AfterCollision::Standard {
                    self.stations[frame.by].notices = Some(frame.kind);
                } else {
                    let at = now + us(self.airtime.response_timeout());
                    self.give_up_at(frame.by, at, frame.kind);
                }
            }
            FrameKind::Cts if received => self.send_data(now, frame.by),
            FrameKind::CtsToSelf => self.send_data(now, frame.by),
            FrameKind::Ack | FrameKind::BlockAck if received => self.succeed(now, frame.by),
            FrameKind::Ack | FrameKind::BlockAck => self.fail(now, frame.by, FrameKind::Data),
            FrameKind::Cts => self.fail(now, frame.by, FrameKind::Rts),
            FrameKind::CtsToOther | FrameKind::CfEnd | FrameKind::Beacon => {
                unreachable!("nobody answers it")
            }
            FrameKind::MultiUser
            | FrameKind::Trigger
            | FrameKind::TriggerBased
            | FrameKind::MultiBlockAck
            | FrameKind::NdpAnnouncement
            | FrameKind::Ndp
            | FrameKind::BeamformingReport => {
                unreachable!("turns of several users are handled as such")
            }
        }
    }

    /// Marks frames on the air that overlap as lost to the members that sense both. Of an aggregate in a cell that shares
    /// its channel, frames that start later destroy only a part.
    pub(super) fn overlap(&mut self, now: u64) {
        let members = self.members();
        let starting: Vec<OnAir> =
            self.air.iter().filter(|frame| frame.start == now).cloned().collect();
        for frame in self.air.iter_mut().filter(|it| self.shares && it.mpdus.len() > 1) {
            let is_received = frame.sensed_by[frame.to] && frame.readable_by[frame.to];
            let is_whole = frame.start < now && !frame.collided && is_received;
            let sensed = starting.iter().filter(|it| is_whole && it.sensed_by[frame.to]);
            frame.hits.extend(sensed.map(|it| (now, it.end)));
        }
        for one in 0..self.air.len() {
            for other in (0..self.air.len()).filter(|other| *other != one) {
                for id in 0..self.members() {
                    let both = self.air[one].occupies(id) && self.air[other].occupies(id);
                    self.air[one].lost_to[id] |= both;
                }
            }
            if self.shares && !self.air[one].parts.is_empty() {
                self.air[one].overlap_parts(now, &starting);
                continue;
            }
            let is_hit = !self.air[one].hits.is_empty();
            let answers = starting.iter().any(|it| it.is_from(self.air[one].to));
            let frame = &mut self.air[one];
            if is_hit && !answers {
                continue;
            }
            let is_for = |id: usize| frame.to == id || frame.is_for_all();
            frame.collided = frame.is_disturbed
                || (0..members).any(|id| is_for(id) && frame.sensed_by[id] && frame.lost_to[id]);
        }
    }
}

/// Numbers of the MPDUs with these `sizes` that `hits` destroy, in an aggregate on the air from `start` to `end` [µs]. The
/// MPDUs take parts of its time by their sizes.
pub(super) fn destroyed(
    (mpdus, sizes): (&[u64], &[u64]),
    (start, end): (u64, u64),
    hits: &[(u64, u64)],
) -> Vec<u64> {
    let (all, length) = (sizes.iter().sum::<u64>(), 1_000 * (end - start));
    let (mut from, mut octets, mut lost) = (1_000 * start, 0, Vec::new());
    for (number, size) in mpdus.iter().zip(sizes) {
        octets += size;
        let until = 1_000 * start + length * octets / all;
        if hits.iter().any(|hit| 1_000 * hit.0 < until && 1_000 * hit.1 > from) {
            lost.push(*number);
        }
        from = until;
    }
    lost
}
