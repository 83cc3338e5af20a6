//! Frames that a member overhears: those that it decodes, and those that it sends.

use std::collections::VecDeque;

use airfair_units::{Bytes, Duration, Time};

use super::Cell;
use super::undisturbed::Audience;
use crate::airtime::Airtime;
use crate::config::NodeId;
use crate::contender::Access;
use crate::elements::Elements;
use crate::frame::{Frame, FrameKind, Msdu, Ppdu};
use crate::phy::TxVector;
use crate::queue::headers::Headers;

/// A frame as a listener knows it: from its header, and from the packet in it if it is for the listener or
/// its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overheard<P> {
    /// Member that has decoded it, or sent it.
    pub listener: NodeId,
    /// Time at which it left the air.
    pub end: Time,
    /// Its kind. To others than its sender a CTS to oneself is a CTS.
    pub kind: FrameKind,
    /// Its transmitter; CTS and ACK do not name it.  [80211-2020 §9.3.1.3]
    pub from: Option<NodeId>,
    /// Address of its receiver; a beacon is for all.
    pub to: Option<NodeId>,
    /// Vector that it was sent with.
    pub tx: TxVector,
    /// Time on the air.
    pub duration: Duration,
    /// Duration field.
    pub duration_field: Duration,
    /// MAC header, what it carries and check sequence of a data frame or a beacon; nothing otherwise.
    pub psdu: Bytes,
    /// The packet, if the listener is one of its ends.
    pub msdu: Option<Msdu<P>>,
    /// Elements that others have put into a beacon.
    pub elements: Elements,
    /// Of the first frame of an exchange that the listener itself sends: the back-off that it has counted for
    /// this access while the packet waited, in whole slots. Zero where it found the medium idle. Time in which the
    /// medium was busy does not count.  Deviates: [D-104]
    pub backoff: Option<Duration>,
}

/// Which frames a member is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// All that it decodes or sends.
    All,
    /// Those that it sends, those addressed to it, and beacons, as far as it decodes them.
    Own,
}

impl<P: Copy + Headers> Cell<P> {
    /// From now on `node` is told of frames that it decodes or sends, as far as `scope` goes: see
    /// [`poll_overheard`](Self::poll_overheard).
    pub fn listen(&mut self, node: NodeId, scope: Listen) {
        self.audience = Audience::Some;
        self.scopes.resize(self.members.len(), None);
        let before = self.scopes[node.index()].replace(scope);
        if scope == Listen::All && before != Some(scope) {
            self.listeners.push(node);
        } else if scope == Listen::Own {
            self.listeners.retain(|listener| *listener != node);
        }
    }

    /// A frame that a listener has decoded or sent.
    #[inline]
    pub fn poll_overheard(&mut self) -> Option<Overheard<P>> {
        self.overheard.pop_front()
    }

    /// True if there is such a frame.
    #[inline]
    pub fn has_overheard(&self) -> bool {
        !self.overheard.is_empty()
    }

    /// Exchanges the frames that listeners have decoded or sent, and have not been told of yet, for those in `told`.
    #[inline]
    pub fn swap_overheard(&mut self, told: &mut VecDeque<Overheard<P>>) {
        std::mem::swap(&mut self.overheard, told);
    }

    /// Durations of frames here, which every member knows.
    pub fn airtime(&self) -> &Airtime {
        &self.airtime
    }

    /// Tells the listeners, and the monitor if there is one, of a frame that has just left the air.
    #[cold]
    #[inline(never)]
    pub(super) fn overhear(&mut self, now: Time, ppdu: &Ppdu<P>) {
        self.keep_monitored(now, ppdu);
        let frame = &ppdu.frame;
        let heard = self.as_others_hear(now, ppdu);
        for index in 0..self.listeners.len() {
            self.tell(self.listeners[index], &heard, ppdu);
        }
        if frame.kind == FrameKind::Beacon {
            return self.tell_everyone(&heard, ppdu);
        }
        for end in [Some(frame.from), frame.addressee()].into_iter().flatten() {
            if self.scopes[end.index()] == Some(Listen::Own) {
                self.tell(end, &heard, ppdu);
            }
        }
    }

    /// Tells those who listen for their own frames of a beacon, which is for all.
    fn tell_everyone(&mut self, heard: &Overheard<P>, ppdu: &Ppdu<P>) {
        for node in (0..).map(NodeId).take(self.members.len()) {
            if self.scopes[node.index()] == Some(Listen::Own) {
                self.tell(node, heard, ppdu);
            }
        }
    }

    /// A frame as all but its sender hear it, with the packet in it.
    fn as_others_hear(&self, now: Time, ppdu: &Ppdu<P>) -> Overheard<P> {
        let frame = &ppdu.frame;
        let is_answer = matches!(frame.kind, FrameKind::Ack | FrameKind::Cts);
        let to_itself = frame.kind == FrameKind::CtsToSelf;
        let has_body = matches!(frame.kind, FrameKind::Data | FrameKind::Beacon);
        let elements = match &self.beacons.on_air {
            Some(beacon) if frame.kind == FrameKind::Beacon => beacon.elements,
            _ => Elements::default(),
        };
        Overheard {
            listener: frame.from,
            end: now,
            kind: if to_itself { FrameKind::Cts } else { frame.kind },
            from: (!is_answer && !to_itself).then_some(frame.from),
            to: if to_itself { Some(frame.from) } else { frame.to },
            tx: frame.tx,
            duration: frame.duration,
            duration_field: frame.duration_field,
            psdu: if has_body { frame.psdu } else { Bytes::ZERO },
            msdu: ppdu.mpdus.first().map(|mpdu| mpdu.msdu),
            elements,
            backoff: None,
        }
    }

    /// Tells a listener of a frame that others have `heard` so, if it has decoded or sent it.
    #[inline]
    fn tell(&mut self, listener: NodeId, heard: &Overheard<P>, ppdu: &Ppdu<P>) {
        let frame = &ppdu.frame;
        let is_own = frame.from == listener;
        let is_noise = ppdu.is_errored_for(listener, &self.beacons.missed);
        if !is_own && (is_noise || !self.contention.decodes(listener, frame.from)) {
            return;
        }
        let backoff = if is_own { self.backoff_before(heard.end, frame) } else { None };
        self.overheard.push_back(*heard);
        let Some(heard) = self.overheard.back_mut() else { return };
        heard.listener = listener;
        if is_own {
            heard.backoff = backoff;
            if frame.kind == FrameKind::CtsToSelf {
                (heard.kind, heard.from) = (frame.kind, Some(frame.from));
            }
        } else if frame.to != Some(listener) {
            heard.msdu = None;
        }
    }

    /// The back-off that the sender of a frame that ends now has counted for it, if an exchange began with it.
    fn backoff_before(&self, now: Time, frame: &Frame) -> Option<Duration> {
        if matches!(frame.kind, FrameKind::Ack | FrameKind::Cts | FrameKind::Beacon) {
            return None;
        }
        let sender = &self.contenders[frame.from.index()];
        let Access::Exchange(plan) = sender.access else { return None };
        let is_first = plan.txop_start + frame.duration == now;
        is_first.then(|| self.airtime.timing.slot * sender.backoff)
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
    use crate::contender::Stream;
    use crate::errors::{ErrorModel, FrameErrors};
    use crate::moment::Moment;
    use crate::phy::Standard;
    use crate::record::{Record, SentFrame};

    const NEAR: NodeId = NodeId(1);
    const FAR: NodeId = NodeId(2);

    /// Frames that `listener` overhears of one exchange with RTS/CTS: kind, transmitter, receiver, whether it knows
    /// the packet, and [µs] time on the air and duration field. The first station cannot decode the second.
    fn overheard(listener: NodeId, from: NodeId, to: NodeId) -> Vec<String> {
        let rules = Rules { rts_threshold: Some(Bytes::ZERO), ..Rules::of(Standard::B) };
        let mut cell = cell(rules, 2, &[FAR]);
        cell.listen(listener, Listen::All);
        cell.listen(listener, Listen::All);
        cell.enqueue(Time::ZERO, Msdu { from, to, ..down() });
        while cell.next_event() < Moment::NEVER {
            next(&mut cell);
        }
        let mut lines = Vec::new();
        while let Some(heard) = cell.poll_overheard() {
            assert_eq!(
                (heard.listener, heard.psdu.is_zero()),
                (listener, heard.kind != FrameKind::Data)
            );
            let name = |node: NodeId| ["AP", "near", "far"][node.index()];
            let us = |duration: Duration| duration.as_nanos() / 1_000;
            let times = (us(heard.duration), us(heard.duration_field));
            let packet = if heard.msdu.is_some() { " packet" } else { "" };
            let from = heard.from.map_or("?", name);
            lines.push(format!(
                "{:?} {from} → {}{packet} {times:?}",
                heard.kind,
                heard.to.map_or("all", name)
            ));
        }
        lines
    }

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

    /// An exchange as `listener` is told of it: kind, transmitter, receiver, whether it knows the packet, and the
    /// back-off if an exchange of its own begins.
    fn own(
        cell: &mut Cell<()>,
        (listener, scope): (NodeId, Listen),
        msdu: Msdu<()>,
    ) -> Vec<String> {
        cell.listen(listener, scope);
        cell.enqueue(Time::ZERO, msdu);
        while cell.next_event() < Moment::NEVER {
            next(cell);
        }
        let name = |node: NodeId| ["AP", "near", "far"][node.index()];
        let line = |heard: Overheard<()>| {
            assert_eq!(heard.listener, listener);
            let (from, to) = (heard.from.map_or("?", name), heard.to.map_or("all", name));
            let packet = if heard.msdu.is_some() { " packet" } else { "" };
            let backoff = heard.backoff.map_or(String::new(), |it| format!(" after {it}"));
            format!("{:?} {from} → {to}{packet}{backoff}", heard.kind)
        };
        std::iter::from_fn(|| cell.poll_overheard()).map(line).collect()
    }

    /// Whoever is told of its own frames is told of those that it sends and those that are for it, and the
    /// access point as well as any other.
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

    /// A CTS to oneself is for nobody but its sender, although it is the receiver's time that it reserves.
    #[test]
    fn a_cts_to_oneself_is_not_the_receivers_own() {
        let protected = || {
            let rules = Rules {
                basic_rates: Standard::G.default_basic_rates(true),
                ..Rules::of(Standard::G)
            };
            let mut config = config(rules, 2, &[]);
            config.stations[1].standard = Standard::B;
            config.stations[0].rate_up = DataRate::from_mbps(54);
            config.stations[0].rate_down = DataRate::from_mbps(54);
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

    /// Others decode a frame that is errored for its receiver: a link's noise is that of its own station alone.
    #[test]
    fn a_receiver_does_not_know_a_frame_that_is_errored() {
        let heard_by = |listener| {
            let mut cell = cell(Rules::of(Standard::B), 2, &[]);
            let always = ErrorModel::Bernoulli(Probability::literal(1.0));
            let links = vec![FrameErrors::new(always, Stream::seed_from_u64(0)), None];
            cell.noise = super::super::Noise::Links(links);
            cell.listen(listener, Listen::All);
            cell.enqueue(Time::ZERO, down());
            (0..2).for_each(|_| next(&mut cell));
            std::iter::from_fn(|| cell.poll_overheard()).count()
        };
        assert_eq!([NEAR, FAR, NodeId::AP].map(heard_by), [0, 1, 1]);
    }

    /// A frame that was in a collision is known to its sender alone.
    #[test]
    fn nobody_but_its_sender_knows_a_frame_that_collided() {
        let mut cell = cell(Rules::of(Standard::B), 2, &[]);
        cell.listen(NEAR, Listen::All);
        for from in [NEAR, FAR] {
            cell.enqueue(Time::ZERO, Msdu { from, to: NodeId::AP, ..down() });
        }
        next(&mut cell);
        next(&mut cell);
        let sent = cell.drain_records();
        let collided =
            |it: &Record| matches!(it, Record::Sent { frame: SentFrame::Data, collided: true, .. });
        assert_eq!(sent.filter(collided).count(), 2);
        let heard: Vec<_> = std::iter::from_fn(|| cell.poll_overheard()).collect();
        assert!(matches!(heard[..], [Overheard { from: Some(NEAR), .. }]));
    }
}
