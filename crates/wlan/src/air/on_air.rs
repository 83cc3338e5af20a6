//! Frames on the air, and the account of airtime.

use airfair_laws::Direction;
use airfair_units::{Duration, Time};

use crate::edca::AccessCategory;
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::node::NodeId;
use crate::record::{AirUse, CategoryEvent, Record, SentFrame};
use crate::roster::ContenderId;

/// Frames on the air of a channel, and the account of its airtime. Records cover each nanosecond once; time is charged
/// whenever the use of the air changes.
#[derive(Clone, Debug)]
pub(crate) struct OnAir<P> {
    ppdus: Vec<Ppdu<P>>,
    /// Frame of an undisturbed exchange on the air, for which there is no PPDU.
    pub(crate) undisturbed: Option<UndisturbedFrame>,
    /// Frames of other cells that the access point senses: their transmitters, with the cells.
    foreign: Vec<(NodeId, u16)>,
    /// Number of members with something to send, or with a response due.
    waiting: usize,
    charged_until: Time,
    /// Time for which the access point has sensed nothing, until then.
    idle: Duration,
    /// Access category of each contender, if categories are recorded.
    categories: Vec<AccessCategory>,
    pub(crate) records: Vec<Record>,
}

/// Frame of an undisturbed exchange: it is alone on the air, and no other member can disturb it or its response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndisturbedFrame {
    pub(crate) initiator: ContenderId,
    pub(crate) responder: NodeId,
    /// End of the content, if this frame is the response to it.
    pub(crate) content_end: Option<Time>,
    pub(crate) start: Time,
    pub(crate) end: Time,
}

impl UndisturbedFrame {
    fn usage(&self) -> AirUse {
        match self.content_end {
            None => AirUse::of_data(self.initiator.member(), self.responder),
            Some(_) => AirUse::of_control(self.initiator.member(), self.responder),
        }
    }
}

impl<P> Default for OnAir<P> {
    fn default() -> Self {
        Self {
            ppdus: Vec::new(),
            undisturbed: None,
            foreign: Vec::new(),
            waiting: 0,
            charged_until: Time::ZERO,
            idle: Duration::ZERO,
            categories: Vec::new(),
            records: Vec::new(),
        }
    }
}

impl<P> OnAir<P> {
    #[inline]
    pub(crate) fn next_end(&self) -> Option<Time> {
        if let Some(frame) = &self.undisturbed {
            return Some(frame.end);
        }
        if let [alone] = self.ppdus.as_slice() {
            return Some(alone.end);
        }
        self.ppdus.iter().map(|ppdu| ppdu.end).min()
    }

    /// Puts a frame on the air that starts now.
    pub(crate) fn put(&mut self, ppdu: Ppdu<P>) {
        self.charge(ppdu.start);
        self.ppdus.push(ppdu);
    }

    /// Puts a frame on the air that will start a SIFS after the one before it.
    pub(crate) fn put_ahead(&mut self, ppdu: Ppdu<P>) {
        self.ppdus.push(ppdu);
    }

    /// Starts an undisturbed exchange, and charges the time until now as contention.
    #[inline]
    pub(crate) fn begin_undisturbed(&mut self, frame: UndisturbedFrame) {
        if frame.start > self.charged_until {
            self.charge_contention(frame.start);
        }
        self.undisturbed = Some(frame);
    }

    /// Charges and records a frame of an undisturbed exchange that ends now. It is on the air until the caller replaces or
    /// removes it.
    #[expect(clippy::inline_always, reason = "few instructions for each frame")]
    #[inline(always)]
    pub(crate) fn end_undisturbed(
        &mut self,
        now: Time,
        frame: &UndisturbedFrame,
        (node, sent, retry): (NodeId, SentFrame, bool),
    ) {
        self.charge_frame(frame.start, now, frame.usage());
        self.records.push(Record::Sent { node, frame: sent, retry, collided: false });
    }

    /// Marks all frames on the air that are `overlapped` at their receiver as collided.
    pub(crate) fn collide(&mut self, mut overlapped: impl FnMut(&Ppdu<P>) -> bool) {
        self.note_collision(|ppdu| {
            let is_overlapped = overlapped(ppdu);
            ppdu.collided |= is_overlapped;
        });
    }

    /// Marks all frames on the air, and parts of frames, that are destroyed at their receiver.
    pub(super) fn disturb(&mut self, disturbs: impl Fn(&Frame, NodeId) -> bool) {
        self.note_collision(|ppdu| {
            let (frame, ap) = (ppdu.frame, ppdu.initiator.member());
            if frame.addressee().is_some_and(|to| disturbs(&frame, to)) {
                (ppdu.collided, ppdu.errored) = (true, true);
            }
            for user in ppdu.users_mut() {
                let to = if frame.from == ap { user.station } else { ap };
                user.collided |= disturbs(&frame, to);
            }
            ppdu.collided |= !ppdu.users().is_empty() && ppdu.users().iter().all(|it| it.collided);
        });
    }

    /// Lets `collide` mark frames on the air, and records the first of them.
    pub(super) fn note_collision(&mut self, collide: impl FnMut(&mut Ppdu<P>)) {
        let known = self.ppdus.iter().any(|ppdu| ppdu.collided);
        self.ppdus.iter_mut().for_each(collide);
        if !known && self.ppdus.iter().any(|ppdu| ppdu.collided) {
            self.records.push(Record::Collision);
        }
    }

    /// PPDUs that have started at `now`.
    pub(crate) fn started(&mut self, now: Time) -> impl Iterator<Item = &mut Ppdu<P>> {
        self.ppdus.iter_mut().filter(move |ppdu| ppdu.start == now)
    }

    /// Moves the PPDUs that end now to `ended`.
    pub(crate) fn take_ended(&mut self, now: Time, ended: &mut Vec<Ppdu<P>>) {
        if let [alone] = self.ppdus.as_slice() {
            if alone.end == now {
                self.charge(now);
                std::mem::swap(&mut self.ppdus, ended);
            }
            return;
        }
        if self.next_end() != Some(now) {
            return;
        }
        self.charge(now);
        ended.extend(self.ppdus.extract_if(.., |ppdu| ppdu.end == now));
    }

    /// Notes a frame of another cell that starts now, and that the access point senses.
    pub(crate) fn begin_foreign(&mut self, now: Time, frame: (NodeId, u16)) {
        self.charge(now);
        self.foreign.push(frame);
    }

    /// Ends the frame of a foreign member, if the access point senses it.
    pub(crate) fn end_foreign(&mut self, now: Time, from: NodeId) {
        if let Some(place) = self.foreign.iter().position(|it| it.0 == from) {
            self.charge(now);
            self.foreign.remove(place);
        }
    }

    /// Counts one more member with something to send.
    pub(crate) fn begin_waiting(&mut self, now: Time) {
        if self.waiting == 0 {
            self.charge(now);
        }
        self.waiting += 1;
    }

    /// Counts one less member with something to send.
    pub(crate) fn end_waiting(&mut self, now: Time) {
        if self.waiting == 1 {
            self.charge(now);
        }
        self.waiting -= 1;
    }

    /// Time for which nothing was on the air that the access point senses.
    pub(crate) fn idle(&self, now: Time) -> Duration {
        let start = match (&self.undisturbed, self.ppdus.as_slice()) {
            _ if !self.foreign.is_empty() => self.charged_until,
            (Some(frame), _) => frame.start,
            (None, [ppdu]) => ppdu.start,
            (None, []) => now,
            _ => self.charged_until,
        };
        self.idle + start.min(now).saturating_since(self.charged_until)
    }

    /// Charges the time since the last change to the current use of the air.
    pub(crate) fn charge(&mut self, now: Time) {
        if now == self.charged_until {
            return;
        }
        if let Some(&(_, cell)) = self.foreign.first() {
            let is_alone = self.ppdus.is_empty();
            let usage = if is_alone { AirUse::Neighbour { cell } } else { AirUse::Overlap };
            return self.charge_as(now, usage);
        }
        let (start, usage) = match (&self.undisturbed, self.ppdus.as_slice()) {
            (Some(frame), _) => (frame.start, frame.usage()),
            (None, []) if self.waiting > 0 => (now, AirUse::Contention),
            (None, []) => {
                self.idle += now - self.charged_until;
                return self.charge_as(now, AirUse::Idle);
            }
            (None, [ppdu]) if !ppdu.collided => {
                if ppdu.users().is_empty() {
                    (ppdu.start, usage_of(&ppdu.frame))
                } else if ppdu.is_sounding() {
                    (ppdu.start, AirUse::Beacon)
                } else {
                    return self.charge_users(now);
                }
            }
            (None, _) => (self.charged_until, AirUse::Collision),
        };
        if !self.categories.is_empty() && usage.is_of_station() {
            self.charge_category(now);
        }
        self.charge_frame(start.min(now), now, usage);
    }

    /// Charges the time since the last change to the users of the only PPDU on the air, to each its share of the tones or
    /// streams, one after the other. Time in a random unit with several stations is a collision.
    #[cold]
    fn charge_users(&mut self, now: Time) {
        let Some(ppdu) = self.ppdus.pop() else { return };
        if ppdu.start > self.charged_until {
            self.charge_contention(ppdu.start.min(now));
        }
        let (from, all) = (self.charged_until, ppdu.shares());
        let mut before = 0;
        for unit in ppdu.units() {
            let user = &unit[0];
            before += user.tx.share();
            let until = from + now.saturating_since(from) * before / all;
            let is_down = ppdu.frame.from == ppdu.initiator.member();
            let (direction, station) =
                (if is_down { Direction::Down } else { Direction::Up }, user.station);
            let usage = match user.kind {
                _ if unit.len() > 1 => AirUse::Collision,
                FrameKind::Data => AirUse::Data { station, direction },
                _ => AirUse::Control { station },
            };
            if until > self.charged_until {
                let category = self.categories.get(ppdu.initiator.index());
                if let Some(category) = category.filter(|_| usage != AirUse::Collision) {
                    let air = CategoryEvent::Air { from: self.charged_until, to: until };
                    self.records.push(Record::Category(*category, air));
                }
                self.charge_as(until, usage);
            }
        }
        self.ppdus.push(ppdu);
    }

    /// Records the access category whose frame was alone on the air since the last change of the use of the air, for a
    /// station.
    #[cold]
    fn charge_category(&mut self, now: Time) {
        let (initiator, start) = match (&self.undisturbed, self.ppdus.as_slice()) {
            (Some(frame), _) => (frame.initiator, frame.start),
            (None, [ppdu]) => (ppdu.initiator, ppdu.start),
            _ => return,
        };
        let (from, category) = (start.max(self.charged_until), self.categories[initiator.index()]);
        if from < now {
            let air = CategoryEvent::Air { from, to: now };
            self.records.push(Record::Category(category, air));
        }
    }

    /// Records the airtime of each category from now on.
    pub(crate) fn tell_categories(&mut self, categories: &[AccessCategory]) {
        self.categories = categories.to_vec();
    }

    /// Charges the airtime of the frame on the air from `start` to `now`, and the contention before `start`.
    #[inline]
    fn charge_frame(&mut self, start: Time, now: Time, usage: AirUse) {
        if start > self.charged_until {
            self.charge_contention(start);
        }
        if self.charged_until < now {
            self.charge_as(now, usage);
        }
    }

    #[inline]
    fn charge_contention(&mut self, to: Time) {
        self.idle += to - self.charged_until;
        self.charge_as(to, AirUse::Contention);
    }

    #[inline]
    fn charge_as(&mut self, to: Time, usage: AirUse) {
        self.records.push(Record::Air { from: self.charged_until, to, usage });
        self.charged_until = to;
    }

    pub(crate) fn record_sent(&mut self, ppdu: &Ppdu<P>) {
        let frame = match ppdu.frame.kind {
            FrameKind::Data => SentFrame::Data,
            FrameKind::Rts => SentFrame::Rts,
            FrameKind::Ack
            | FrameKind::BlockAck
            | FrameKind::BlockAckRequest
            | FrameKind::Cts
            | FrameKind::CtsToOther
            | FrameKind::CfEnd
            | FrameKind::CtsToSelf
            | FrameKind::Trigger
            | FrameKind::MultiBlockAck
            | FrameKind::NdpAnnouncement
            | FrameKind::Ndp
            | FrameKind::BeamformingReport => SentFrame::Response,
            FrameKind::Beacon => SentFrame::Beacon,
            FrameKind::MultiUser | FrameKind::TriggerBased => return self.record_parts(ppdu),
        };
        let Frame { from: node, retry, .. } = ppdu.frame;
        self.records.push(Record::Sent { node, frame, retry, collided: ppdu.collided });
    }
}

impl<P> OnAir<P> {
    /// Records each part of a PPDU of several users, or of PPDUs that have left the air together, as a frame.
    #[cold]
    fn record_parts(&mut self, ppdu: &Ppdu<P>) {
        let ap = ppdu.initiator.member();
        for user in ppdu.users() {
            let is_down = ppdu.frame.from == ap;
            let (node, to) = if is_down { (ap, user.station) } else { (user.station, ap) };
            let is_data = user.kind == FrameKind::Data;
            let frame = if is_data { SentFrame::Data } else { SentFrame::Response };
            let retry = user.mpdus.first().is_some_and(|mpdu| mpdu.retry);
            let collided = ppdu.collided || user.collided;
            self.records.push(Record::Sent { node, frame, retry, collided });
            let count = |of: usize| u16::try_from(of).expect("at most 1024 MPDUs");
            if !user.mpdus.is_empty() {
                let mpdus = count(user.mpdus.len());
                self.records.push(Record::Aggregate { node, to, mpdus, octets: user.psdu });
            }
            if !user.joined.is_empty() {
                self.records.push(Record::Joined { node, packets: count(user.joined.len()) });
            }
        }
    }
}

fn usage_of(frame: &Frame) -> AirUse {
    match (frame.to, frame.kind) {
        (None, _) | (_, FrameKind::CtsToOther) => AirUse::Beacon,
        (Some(to), FrameKind::Data) => AirUse::of_data(frame.from, to),
        (Some(to), _) => AirUse::of_control(frame.from, to),
    }
}

impl AirUse {
    /// True for time that belongs to a station.
    const fn is_of_station(self) -> bool {
        matches!(self, Self::Data { .. } | Self::Control { .. })
    }

    /// Use of the air by a data frame.
    #[inline]
    pub(crate) fn of_data(from: NodeId, to: NodeId) -> Self {
        if from.is_ap() {
            Self::Data { station: to, direction: Direction::Down }
        } else {
            Self::Data { station: from, direction: Direction::Up }
        }
    }

    /// Use of the air by a control frame.
    #[inline]
    pub(crate) fn of_control(from: NodeId, to: NodeId) -> Self {
        Self::Control { station: if from.is_ap() { to } else { from } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of cell 7 is on the air from 0 to 30, and one of cell 8 from 10 to 50: the air is charged to cell 7 while
    /// both overlap, since its frame has started first, and to cell 8 afterwards.
    #[test]
    fn overlapping_frames_of_neighbours_are_charged_to_the_first() {
        let mut air: OnAir<()> = OnAir::default();
        let at = Time::from_nanos;
        air.begin_foreign(at(0), (NodeId(5), 7));
        air.begin_foreign(at(10), (NodeId(6), 8));
        air.end_foreign(at(30), NodeId(5));
        air.end_foreign(at(50), NodeId(6));
        let held = |from, to, cell| Record::Air {
            from: at(from),
            to: at(to),
            usage: AirUse::Neighbour { cell },
        };
        assert_eq!(air.records, [held(0, 10, 7), held(10, 30, 7), held(30, 50, 8)]);
    }
}
