//! Frames that a member overhears: those that it decodes, and those that it sends.

use std::ops::Range;

use airfair_units::{Bytes, Duration, Time};

use super::{Cell, Errors, FrameReports};
use crate::airtime::Airtime;
use crate::contender::{Access, Content, Exchange};
use crate::elements::Elements;
use crate::frame::{Frame, FrameKind, Msdu, Ppdu};
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::queue::headers::Headers;
use crate::roster::ContenderId;

/// A frame as a listener knows it: its header, and its packets if the listener is their sender or receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overheard<'c, P> {
    /// Member that has decoded or sent the frame.
    pub listener: NodeId,
    /// Back-off that the listener has counted before this frame while the packet waited, in whole slots. It is known
    /// only for the first frame of an exchange of the listener, and is zero if the medium was idle. Time with a busy
    /// medium does not count.  Deviates: [D-104]
    pub backoff: Option<Duration>,
    heard: &'c Heard,
    packets: &'c [Carried<P>],
}

/// A frame that has left the air and that listeners may fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Heard {
    end: Time,
    frame: Frame,
    /// Indices of the frame's packets among the packets of all stored frames.
    packets: Range<usize>,
    elements: Elements,
}

/// A packet in a stored data frame, or one that a stored `BlockAck` acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Carried<P> {
    msdu: Msdu<P>,
    /// True if noise has made an error in the packet's MPDU.
    errored: bool,
}

impl<'c, P> Overheard<'c, P> {
    /// Time at which the frame left the air.
    #[inline]
    pub fn end(&self) -> Time {
        self.heard.end
    }

    /// Kind of the frame. For members other than its sender, a CTS-to-self is a CTS.
    #[inline]
    pub fn kind(&self) -> FrameKind {
        match self.heard.frame.kind {
            FrameKind::CtsToSelf if !self.is_own() => FrameKind::Cts,
            kind => kind,
        }
    }

    /// Transmitter of the frame; `None` for CTS and ACK, which do not contain it.  [80211-2020 §9.3.1.3]
    #[inline]
    pub fn from(&self) -> Option<NodeId> {
        let is_anonymous = matches!(self.kind(), FrameKind::Ack | FrameKind::Cts);
        (!is_anonymous).then_some(self.heard.frame.from)
    }

    /// Address of the frame's receiver; `None` for a beacon, which is for all.
    #[inline]
    pub fn to(&self) -> Option<NodeId> {
        let Frame { kind, from, to, .. } = self.heard.frame;
        if kind == FrameKind::CtsToSelf { Some(from) } else { to }
    }

    /// Vector with which the frame was sent.
    #[inline]
    pub fn tx(&self) -> TxVector {
        self.heard.frame.tx
    }

    /// Time of the frame on the air.
    #[inline]
    pub fn duration(&self) -> Duration {
        self.heard.frame.duration
    }

    /// Duration field of the frame.
    #[inline]
    pub fn duration_field(&self) -> Duration {
        self.heard.frame.duration_field
    }

    /// Size of the PSDU of a data frame or a beacon, header and check sequence included; zero for other frames.
    #[inline]
    pub fn psdu(&self) -> Bytes {
        match self.heard.frame.kind {
            FrameKind::Data | FrameKind::Beacon => self.heard.frame.psdu,
            _ => Bytes::ZERO,
        }
    }

    /// Packets whose sender or receiver is the listener: in a data frame, those that it sends, or receives without an
    /// error; in a `BlockAck` to it, those of its aggregate that have arrived.
    #[inline]
    pub fn packets(&self) -> impl Iterator<Item = &'c Msdu<P>> + use<'c, P> {
        let is_own = self.is_own();
        let is_end = match self.heard.frame.kind {
            FrameKind::Data => is_own || self.is_receiver(),
            _ => self.is_receiver(),
        };
        let known = if is_end { self.packets } else { &[] };
        known.iter().filter(move |it| is_own || !it.errored).map(|it| &it.msdu)
    }

    /// True if the frame is addressed to the listener.
    #[inline]
    pub fn is_receiver(&self) -> bool {
        self.heard.frame.to == Some(self.listener)
    }

    /// Elements of the frame, if it is a beacon; empty otherwise.
    #[inline]
    pub fn elements(&self) -> &'c Elements {
        &self.heard.elements
    }

    #[inline]
    fn is_own(&self) -> bool {
        self.heard.frame.from == self.listener
    }
}

/// Frames that listeners have decoded or sent. Each frame is stored once, with its hearers.
#[derive(Clone, Debug)]
pub(super) struct HeardFrames<P> {
    frames: Vec<Heard>,
    packets: Vec<Carried<P>>,
    hearers: Vec<Hearer>,
}

/// A listener that has decoded or sent a frame.
#[derive(Clone, Debug)]
struct Hearer {
    node: NodeId,
    /// Index of the frame among the stored frames.
    place: usize,
    backoff: Option<Duration>,
}

/// Frames that a listener asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// All frames that the member decodes or sends.
    All,
    /// Frames that the member sends, and frames addressed to it and beacons that it decodes.
    Own,
}

impl<P: Copy + Headers> Cell<P> {
    /// Reports frames that `node` decodes or sends from now on, as far as `scope` includes them: see
    /// [`overheard`](Self::overheard).
    pub fn listen(&mut self, node: NodeId, scope: Listen) {
        self.frame_reports = self.frame_reports.max(FrameReports::Listeners);
        self.scopes.resize(self.members.len(), None);
        let before = self.scopes[node.index()].replace(scope);
        if scope == Listen::All && before != Some(scope) {
            self.listeners.push(node);
        } else if scope == Listen::Own {
            self.listeners.retain(|listener| *listener != node);
        }
    }

    /// Overheard frame with index `place`, counted since [`forget_overheard`](Self::forget_overheard).
    #[inline]
    pub fn overheard(&self, place: usize) -> Option<Overheard<'_, P>> {
        let Hearer { node: listener, place, backoff } = *self.heard.hearers.get(place)?;
        let heard = &self.heard.frames[place];
        let packets = &self.heard.packets[heard.packets.clone()];
        Some(Overheard { listener, backoff, heard, packets })
    }

    /// True if there is an overheard frame that was not yet forgotten.
    #[inline]
    pub fn has_overheard(&self) -> bool {
        !self.heard.hearers.is_empty()
    }

    /// Removes all overheard frames.
    #[inline]
    pub fn forget_overheard(&mut self) {
        self.heard.frames.clear();
        self.heard.packets.clear();
        self.heard.hearers.clear();
    }

    /// Durations of frames in this cell, which all members know.
    pub fn airtime(&self) -> &Airtime {
        &self.airtime
    }

    /// Reports a PPDU that has just left the air, possibly errored by noise, to listeners.
    #[inline]
    pub(super) fn overhear_ppdu(&mut self, now: Time, ppdu: &Ppdu<P>) {
        if self.scopes.is_empty() {
            return;
        }
        let packets = self.heard.packets.len();
        match ppdu.mpdus.as_slice() {
            [] if ppdu.frame.kind == FrameKind::BlockAck => self.hear_block_ack(ppdu.initiator),
            [] => {}
            [mpdu] if mpdu.amsdu.is_none() => {
                self.heard.packets.push(Carried { msdu: mpdu.msdu, errored: mpdu.errored });
            }
            mpdus => self.hear_batch(ppdu.initiator, ppdu.frame.to, Errors::of(mpdus)),
        }
        self.overhear(now, &ppdu.frame, packets, ppdu.errored);
    }

    /// Stores the packets of the aggregate of contender `id`, which is about to be reported to listeners. `errors`
    /// marks MPDUs with errors.
    pub(super) fn hear_batch(&mut self, id: ContenderId, to: Option<NodeId>, errors: Errors) {
        let Some(to) = to else { return };
        let Self { contenders, heard, .. } = self;
        for (place, mpdu) in contenders[id.index()].queue.link(to).on_air().enumerate() {
            let errored = errors.has(place);
            heard
                .packets
                .extend(mpdu.packet.packets().map(|msdu| Carried { msdu: *msdu, errored }));
        }
    }

    /// Stores the packets that the `BlockAck` to contender `id` acknowledges, for the report of the `BlockAck` to
    /// listeners.
    pub(super) fn hear_block_ack(&mut self, id: ContenderId) {
        let Access::Exchange(Exchange { content: Content::Aggregate, to, .. }) =
            self.contenders[id.index()].access
        else {
            return;
        };
        let come = self.block_ack(id, to);
        let Self { contenders, heard, .. } = self;
        let on_air = contenders[id.index()].queue.link(to).on_air();
        for mpdu in on_air.filter(|mpdu| come.has(mpdu.sequence)) {
            let carried = |msdu: &Msdu<P>| Carried { msdu: *msdu, errored: false };
            heard.packets.extend(mpdu.packet.packets().map(carried));
        }
    }

    /// Stores a packet of a frame that is about to be reported to listeners.
    pub(super) fn hear_packet(&mut self, msdu: Msdu<P>) {
        self.heard.packets.push(Carried { msdu, errored: false });
    }

    /// Number of packets stored for listeners: the index of the first packet of the next frame.
    #[inline]
    pub(super) fn packets_heard(&self) -> usize {
        self.heard.packets.len()
    }

    /// Reports a frame that has just left the air to listeners. Its packets are those stored from index `packets` on.
    /// `errored` is true if noise has destroyed the frame.
    #[cold]
    #[inline(never)]
    pub(super) fn overhear(&mut self, now: Time, frame: &Frame, packets: usize, errored: bool) {
        let elements = match &self.beacons.on_air {
            Some(beacon) if frame.kind == FrameKind::Beacon => beacon.elements,
            _ => Elements::default(),
        };
        let packets = packets..self.heard.packets.len();
        self.heard.frames.push(Heard { end: now, frame: *frame, packets, elements });
        for index in 0..self.listeners.len() {
            self.tell(now, self.listeners[index], frame, errored);
        }
        if frame.kind == FrameKind::Beacon {
            return self.tell_everyone(now, frame, errored);
        }
        for end in [Some(frame.from), frame.addressee()].into_iter().flatten() {
            if self.scopes[end.index()] == Some(Listen::Own) {
                self.tell(now, end, frame, errored);
            }
        }
    }

    /// Reports a beacon to members that listen only for their own frames.
    fn tell_everyone(&mut self, now: Time, frame: &Frame, errored: bool) {
        for node in (0..).map(NodeId).take(self.members.len()) {
            if self.scopes[node.index()] == Some(Listen::Own) {
                self.tell(now, node, frame, errored);
            }
        }
    }

    /// Reports the frame stored last to a listener, if the listener has sent or decoded it.
    #[inline]
    fn tell(&mut self, now: Time, listener: NodeId, frame: &Frame, errored: bool) {
        let is_own = frame.from == listener;
        let is_noise = errored && frame.errs_for(listener, &self.beacons.missed);
        if !is_own && (is_noise || !self.can_decode(listener, frame.from)) {
            return;
        }
        let backoff = if is_own { self.backoff_before(now, frame) } else { None };
        let place = self.heard.frames.len() - 1;
        self.heard.hearers.push(Hearer { node: listener, place, backoff });
    }

    /// True if a listener decodes the frame of `from` that leaves the air, unless noise destroys it. All members are
    /// synchronised to an undisturbed exchange.
    #[inline]
    fn can_decode(&self, listener: NodeId, from: NodeId) -> bool {
        match self.undisturbed {
            Some(_) => self.contention.reaches(listener, from),
            None => self.contention.decodes(listener, from),
        }
    }

    /// Back-off that the sender of a frame that ends now has counted for it, if an exchange began with this frame.
    fn backoff_before(&self, now: Time, frame: &Frame) -> Option<Duration> {
        if matches!(
            frame.kind,
            FrameKind::Ack | FrameKind::BlockAck | FrameKind::Cts | FrameKind::Beacon
        ) {
            return None;
        }
        let sender = &self.contenders[self.in_exchange(frame.from)?.index()];
        let Access::Exchange(plan) = sender.access else { return None };
        let is_first = plan.txop_start + frame.duration == now;
        is_first.then(|| self.airtime.timing.slot * sender.backoff)
    }
}

impl<P> Default for HeardFrames<P> {
    fn default() -> Self {
        Self { frames: Vec::new(), packets: Vec::new(), hearers: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use airfair_units::DataRate;

    use airfair_units::Probability;
    use rand_core::SeedableRng;

    use super::super::tests::{cell, config, down, next, with};
    use super::*;
    use crate::Rules;
    use crate::errors::ErrorModel;
    use crate::moment::Moment;
    use crate::phy::Standard;
    use crate::random::Stream;
    use crate::record::{Record, SentFrame};

    const NEAR: NodeId = NodeId(1);
    const FAR: NodeId = NodeId(2);

    /// Frames of one exchange with RTS/CTS that `listener` overhears, each as a text: kind, transmitter, receiver,
    /// `packet` if the listener knows the packet, duration and duration field [µs]. The first station cannot decode the
    /// frames of the second.
    fn overheard(listener: NodeId, from: NodeId, to: NodeId) -> Vec<String> {
        let rules = Rules { rts_threshold: Some(Bytes::ZERO), ..Rules::of(Standard::B) };
        let mut cell = cell(rules, 2, &[FAR]);
        cell.listen(listener, Listen::All);
        cell.listen(listener, Listen::All);
        cell.enqueue(Time::ZERO, Msdu { from, to, ..down() }.as_ref()).expect("room in the queue");
        while cell.next_event() < Moment::NEVER {
            next(&mut cell);
        }
        let mut lines = Vec::new();
        for heard in (0..).map_while(|place| cell.overheard(place)) {
            assert_eq!(
                (heard.listener, heard.psdu().is_zero()),
                (listener, heard.kind() != FrameKind::Data)
            );
            let name = |node: NodeId| ["AP", "near", "far"][node.index()];
            let us = |duration: Duration| duration.as_nanos() / 1_000;
            let times = (us(heard.duration()), us(heard.duration_field()));
            let packet = if heard.packets().next().is_some() { " packet" } else { "" };
            let from = heard.from().map_or("?", name);
            lines.push(format!(
                "{:?} {from} → {}{packet} {times:?}",
                heard.kind(),
                heard.to().map_or("all", name)
            ));
        }
        lines
    }

    /// A listener learns the receiver of each frame from its header, and the transmitter only of RTS and data frames.
    /// The packet is known to the sender and the receiver of the data frame.
    ///
    /// Long preamble 192 µs and 2 Mb/s: RTS 272, CTS and ACK 248; 1000 octets at 11 Mb/s 920; SIFS 10.
    ///
    /// Verifies: [80211-2020 §9.3.1.3]
    #[test]
    fn headers_say_who_but_for_cts_and_ack() {
        let expected = [
            "Rts AP → near (272, 1446)",
            "Cts ? → AP (248, 1188)",
            "Data AP → near (920, 258)",
            "Ack ? → AP (248, 0)",
        ];
        assert_eq!(overheard(FAR, NodeId::AP, NEAR), expected);
        let own = [expected[0], expected[1], "Data AP → near packet (920, 258)", expected[3]];
        assert_eq!(overheard(NEAR, NodeId::AP, NEAR), own);
    }

    #[test]
    fn what_is_not_decoded_is_not_overheard() {
        let expected = ["Cts ? → far (248, 1188)", "Ack ? → far (248, 0)"];
        assert_eq!(overheard(NEAR, FAR, NodeId::AP), expected);
        assert_eq!(overheard(FAR, FAR, NodeId::AP).len(), 4);
    }

    /// Frames of the exchange of a packet that are reported to `listener`, its own included, each as a text: kind,
    /// transmitter, receiver, `packet` if the listener knows the packet in the frame, and the back-off before the frame
    /// if it is the first of an exchange that the listener has initiated.
    fn own(
        cell: &mut Cell<()>,
        (listener, scope): (NodeId, Listen),
        msdu: Msdu<()>,
    ) -> Vec<String> {
        cell.listen(listener, scope);
        cell.enqueue(Time::ZERO, msdu.as_ref()).expect("room in the queue");
        while cell.next_event() < Moment::NEVER {
            next(cell);
        }
        let name = |node: NodeId| ["AP", "near", "far"][node.index()];
        let line = |heard: Overheard<'_, ()>| {
            assert_eq!(heard.listener, listener);
            let (from, to) = (heard.from().map_or("?", name), heard.to().map_or("all", name));
            let packet = if heard.packets().next().is_some() { " packet" } else { "" };
            let backoff = heard.backoff.map_or(String::new(), |it| format!(" after {it}"));
            format!("{:?} {from} → {to}{packet}{backoff}", heard.kind())
        };
        (0..).map_while(|place| cell.overheard(place)).map(line).collect()
    }

    /// A member that listens for its own frames gets those that it sends and those addressed to it. This includes the
    /// access point.
    #[test]
    fn the_access_point_listens_and_own_frames_are_those_of_both_ends() {
        let rules = Rules { rts_threshold: Some(Bytes::ZERO), ..Rules::of(Standard::B) };
        let up = Msdu { from: NEAR, to: NodeId::AP, ..down() };
        let heard = |who, msdu| own(&mut cell(rules.clone(), 2, &[]), who, msdu);
        let sent = ["Rts AP → near after 0 s", "Cts ? → AP", "Data AP → near packet", "Ack ? → AP"];
        for scope in [Listen::Own, Listen::All] {
            assert_eq!(heard((NodeId::AP, scope), down()), sent);
            let received =
                ["Rts near → AP", "Cts ? → near", "Data near → AP packet", "Ack ? → near"];
            assert_eq!(heard((NodeId::AP, scope), up), received);
        }
        let received = ["Rts AP → near", "Cts ? → AP", "Data AP → near packet", "Ack ? → AP"];
        assert_eq!(heard((NEAR, Listen::Own), down()), received);
        assert!(heard((FAR, Listen::Own), down()).is_empty());
        assert_eq!(heard((FAR, Listen::All), down()).len(), 4);
    }

    /// A CTS-to-self is an own frame of its sender alone, although it reserves the medium for the receiver of the data
    /// too.
    #[test]
    fn a_cts_to_oneself_is_not_the_receivers_own() {
        let protected = || {
            let rules = Rules {
                basic_rates: Standard::G.default_basic_rates(true),
                ..Rules::of(Standard::G)
            };
            let mut config = config(rules, 2, &[]);
            config.stations[1].standard = Standard::B;
            config.stations[0].rate_up = DataRate::from_mbps(54).into();
            config.stations[0].rate_down = DataRate::from_mbps(54).into();
            with(&config)
        };
        let own = |who, msdu| own(&mut protected(), who, msdu);
        let up = Msdu { from: NEAR, to: NodeId::AP, ..down() };
        let received = ["Data near → AP packet", "Ack ? → near"];
        assert_eq!(own((NodeId::AP, Listen::Own), up), received);
        let all = ["Cts ? → near", "Data near → AP packet", "Ack ? → near"];
        assert_eq!(own((NodeId::AP, Listen::All), up), all);
        let sent = ["CtsToSelf AP → AP after 0 s", "Data AP → near packet", "Ack ? → AP"];
        assert_eq!(own((NodeId::AP, Listen::Own), down()), sent);
    }

    #[test]
    fn the_scope_named_last_holds() {
        for (scope, frames) in [(Listen::Own, 0), (Listen::All, 2)] {
            let mut cell = cell(Rules::of(Standard::B), 2, &[]);
            cell.listen(FAR, Listen::All);
            cell.listen(FAR, Listen::Own);
            assert_eq!(own(&mut cell, (FAR, scope), down()).len(), frames);
        }
    }

    /// Other members decode a frame that is errored for its receiver, because the noise of a link affects only its
    /// own station.
    #[test]
    fn a_receiver_does_not_know_a_frame_that_is_errored() {
        let heard_by = |listener| {
            let mut cell = cell(Rules::of(Standard::B), 2, &[]);
            let always = ErrorModel::Bernoulli(Probability::literal(1.0));
            cell.set_errors(NEAR, always, Stream::seed_from_u64(0));
            cell.listen(listener, Listen::All);
            cell.enqueue(Time::ZERO, down().as_ref()).expect("room in the queue");
            (0..2).for_each(|_| next(&mut cell));
            cell.heard.hearers.len()
        };
        assert_eq!([NEAR, FAR, NodeId::AP].map(heard_by), [0, 1, 1]);
    }

    /// Only the sender of a collided frame knows the frame.
    #[test]
    fn nobody_but_its_sender_knows_a_frame_that_collided() {
        let mut cell = cell(Rules::of(Standard::B), 2, &[]);
        cell.listen(NEAR, Listen::All);
        for from in [NEAR, FAR] {
            cell.enqueue(Time::ZERO, Msdu { from, to: NodeId::AP, ..down() }.as_ref())
                .expect("room in the queue");
        }
        next(&mut cell);
        next(&mut cell);
        let sent = cell.drain_records();
        let collided =
            |it: &Record| matches!(it, Record::Sent { frame: SentFrame::Data, collided: true, .. });
        assert_eq!(sent.filter(collided).count(), 2);
        let heard: Vec<_> = (0..).map_while(|place| cell.overheard(place)).collect();
        assert!(matches!(heard[..], [it] if it.from() == Some(NEAR)));
    }
}
