//! Frames that members overhear: those that they decode, and those that they send.

use airfair_units::{Duration, Time};

use super::mac::CellMac;
use crate::air::access::AccessState;
use crate::air::sequence::Content;
use crate::air::{Air, Mac, MpduErrors};
use crate::block_ack::Bitmap;
use crate::frame::{Frame, FrameKind, Msdu, Ppdu, User};
use crate::node::NodeId;
use crate::queue::headers::Headers;
use crate::roster::ContenderId;

/// Part of a PPDU that is reported to listeners.
#[derive(Clone, Copy, Debug)]
enum Part<'p, P> {
    /// Whole PPDU, to all.
    Whole,
    /// Part of a turn of several users, to its ends. Receivers are synchronised to this leader. All parts together have
    /// this sum of shares.
    Of(NodeId, u64),
    /// `BlockAck` for these stations, to all others.
    Rest(&'p [User<P>]),
    /// Entry of a `BlockAck` for several stations, to its station.
    Entry,
}

impl<P: Copy + Headers> CellMac<P> {
    /// Reports a PPDU that has just left the air, possibly errored by noise, to listeners. Only its ends decode a part
    /// of a turn of several users. A station with an entry in a `BlockAck` for several stations gets only that entry.
    pub(super) fn overhear_ppdu(&mut self, air: &Air<P>, now: Time, ppdu: &Ppdu<P>) {
        let Frame { kind, from: leader, .. } = ppdu.frame;
        match kind {
            FrameKind::MultiUser | FrameKind::TriggerBased => {
                let of = Part::Of(leader, ppdu.shares());
                ppdu.parts().for_each(|part| self.overhear_one(air, now, &part, of));
            }
            FrameKind::MultiBlockAck => {
                self.overhear_one(air, now, ppdu, Part::Rest(ppdu.users()));
                ppdu.users().iter().for_each(|user| self.overhear_entry(air, now, ppdu, user));
            }
            _ => self.overhear_one(air, now, ppdu, Part::Whole),
        }
    }

    /// Reports the entry of a station in a `BlockAck` for several stations to the station.
    fn overhear_entry(&mut self, air: &Air<P>, now: Time, ppdu: &Ppdu<P>, user: &User<P>) {
        let packets = self.heard.packets();
        let station = user.station;
        let is_it = |id: &ContenderId| air.roster.category(*id) == user.category;
        if let (Some(come), Some(id)) = (&user.block_ack, air.roster.of(station).find(is_it)) {
            self.hear_acknowledged((id, NodeId::AP), come);
        }
        let frame = Frame { to: Some(station), ..ppdu.frame };
        let errored = ppdu.is_errored_for(station, &air.missed);
        self.hear(air, now, (&frame, errored, Part::Entry), packets);
    }

    fn overhear_one(&mut self, air: &Air<P>, now: Time, ppdu: &Ppdu<P>, part: Part<'_, P>) {
        let packets = self.heard.packets();
        for (mpdu, others) in ppdu.contents() {
            let all = std::iter::once(&mpdu.msdu).chain(others);
            all.for_each(|msdu| self.heard.push_packet(*msdu, mpdu.errored));
        }
        if let (FrameKind::BlockAck, Some(come)) = (ppdu.frame.kind, ppdu.block_ack()) {
            self.hear_block_ack(air, (ppdu.initiator, ppdu.frame.from), come);
        }
        self.hear(air, now, (&ppdu.frame, ppdu.errored, part), packets);
    }

    /// Reports a frame of an undisturbed sequence of contender `id` to listeners.
    #[cold]
    pub(super) fn overhear_in_service(
        &mut self,
        air: &Air<P>,
        now: Time,
        id: ContenderId,
        frame: &Frame,
    ) {
        let packets = self.heard.packets();
        match (frame.kind, self.queues[id.index()].packet()) {
            (FrameKind::Data, Some(served)) => {
                self.heard.push_packet(served.mpdu.msdu, false);
            }
            (FrameKind::Data, None) => self.hear_batch(id, frame.to, &air.errors),
            (FrameKind::BlockAck, _) => {
                if let Some(come) = self.block_ack(air, id, frame.kind) {
                    self.hear_block_ack(air, (id, frame.from), &come);
                }
            }
            _ => {}
        }
        self.hear(air, now, (frame, false, Part::Whole), packets);
    }

    /// Stores the packets of the aggregate of contender `id`, which is about to be reported to listeners. `errors`
    /// marks MPDUs with errors.
    fn hear_batch(&mut self, id: ContenderId, to: Option<NodeId>, errors: &MpduErrors) {
        let Some(to) = to else { return };
        let Self { queues, heard, .. } = self;
        for (place, mpdu) in queues[id.index()].link(to).on_air().enumerate() {
            let packets = mpdu.packet.packets();
            packets.for_each(|msdu: &Msdu<P>| heard.push_packet(*msdu, errors.has(place)));
        }
    }

    /// Stores the packets that the `BlockAck` of `from` to contender `id` acknowledges, for the report of the `BlockAck`
    /// to listeners.
    fn hear_block_ack(&mut self, air: &Air<P>, (id, from): (ContenderId, NodeId), come: &Bitmap) {
        let AccessState::Exchange(exchange) = &air.accesses[id.index()].state else { return };
        match (exchange.sequence.content, exchange.sequence.to) {
            (Content::Aggregate, Some(to)) => self.hear_acknowledged((id, to), come),
            (Content::MultiUser, _) => self.hear_acknowledged((id, from), come),
            _ => {}
        }
    }

    /// Stores the packets on the air from contender `id` to `to` that a `BlockAck` acknowledges.
    fn hear_acknowledged(&mut self, (id, to): (ContenderId, NodeId), come: &Bitmap) {
        let Self { queues, heard, .. } = self;
        let on_air = queues[id.index()].link(to).on_air();
        for mpdu in on_air.filter(|mpdu| come.has(mpdu.sequence)) {
            mpdu.packet.packets().for_each(|msdu: &Msdu<P>| heard.push_packet(*msdu, false));
        }
    }

    /// Reports a frame of another cell that has just left the air to listeners that have decoded it. Only its ends decode
    /// a part of a turn of several users.  Deviates: [D-291]
    pub(super) fn overhear_frame_of_neighbour(&mut self, air: &Air<P>, now: Time, frame: &Frame) {
        if !matches!(frame.kind, FrameKind::MultiUser | FrameKind::TriggerBased) {
            self.heard.push_foreign(now, *frame, |listener| air.decodes(listener, frame.from));
        }
    }

    /// Reports a frame that has just left the air to listeners that have sent or decoded it. Its packets are those
    /// stored from index `packets` on. `errored` is true if noise has destroyed the frame.
    #[cold]
    #[inline(never)]
    fn hear(
        &mut self,
        air: &Air<P>,
        now: Time,
        (frame, errored, part): (&Frame, bool, Part<'_, P>),
        packets: usize,
    ) {
        let airtime = match part {
            Part::Of(_, all) => frame.duration * frame.tx.share() / all,
            Part::Whole | Part::Rest(_) | Part::Entry => frame.duration,
        };
        self.heard.push((now, airtime), (*frame, air.elements_of(frame)), packets, |listener| {
            if frame.from == listener {
                return (!matches!(part, Part::Entry)).then(|| backoff_before(air, now, frame));
            }
            let decodes = match part {
                Part::Of(..) | Part::Entry if frame.to != Some(listener) => false,
                Part::Rest(users) if users.iter().any(|user| user.station == listener) => false,
                Part::Of(leader, _) => air.decodes(listener, leader),
                _ => air.decodes(listener, frame.from),
            };
            let is_noise = errored && frame.errs_for(listener, &air.missed);
            (decodes && !is_noise).then_some(None)
        });
    }
}

/// Back-off that the sender of a frame that ends now has counted for it, if an exchange began with this frame.
fn backoff_before<P: Copy>(air: &Air<P>, now: Time, frame: &Frame) -> Option<Duration> {
    if frame.kind.is_response() || frame.kind.is_apart() {
        return None;
    }
    let sender = &air.accesses[air.in_exchange(frame.from)?.index()];
    let is_first = sender.exchange().txop_start + frame.duration == now;
    is_first.then(|| air.airtime.timing.slot * sender.backoff)
}

#[cfg(test)]
mod tests {
    use airfair_units::{Bytes, DataRate, Probability};
    use rand_core::SeedableRng;

    use super::super::tests::{cell, config, down, next, with};
    use super::super::{Cell, Listen, Overheard};
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
            cell.mac.heard.len()
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
