//! What a station overhears: the frames that it decodes, and those that it sends.

use airfair_units::{Bytes, DataRate, Duration, Time};

use super::Cell;
use crate::airtime::Airtime;
use crate::config::NodeId;
use crate::frame::{DATA_OVERHEAD, FrameKind, Msdu, Transmission};
use crate::queue::headers::Headers;

/// A frame as a listener knows it: from its header, and from the packet in it if it is for the listener or
/// its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overheard<P> {
    /// Who has decoded it, or sent it.
    pub listener: NodeId,
    /// When it left the air.
    pub end: Time,
    /// What it is for. To others than its sender a CTS to oneself is a CTS.
    pub kind: FrameKind,
    /// Its transmitter; CTS and ACK do not name it.  [80211-2020 §9.3.1.3]
    pub from: Option<NodeId>,
    /// Address of its receiver.
    pub to: NodeId,
    /// Its rate.
    pub rate: DataRate,
    /// Time on the air.
    pub duration: Duration,
    /// Duration field.
    pub rest: Duration,
    /// MAC header, packet and check sequence of a data frame; nothing otherwise.
    pub psdu: Bytes,
    /// The packet, if the listener is one of its ends.
    pub msdu: Option<Msdu<P>>,
}

impl<P: Copy + Headers> Cell<P> {
    /// From now on `station` is told of all that it decodes or sends: see
    /// [`poll_overheard`](Self::poll_overheard).
    pub fn listen(&mut self, station: NodeId) {
        if !self.listeners.contains(&station) {
            self.listeners.push(station);
        }
    }

    /// A frame that a listener has decoded or sent.
    #[inline]
    pub fn poll_overheard(&mut self) -> Option<Overheard<P>> {
        self.overheard.pop_front()
    }

    /// How long frames last here, which every member knows.
    pub fn airtime(&self) -> &Airtime {
        &self.airtime
    }

    /// Tells the listeners of a frame that has just left the air.
    #[cold]
    #[inline(never)]
    pub(super) fn overhear(&mut self, now: Time, transmission: &Transmission) {
        let frame = &transmission.frame;
        for listener in &self.listeners {
            let is_own = frame.from == *listener;
            let is_noise = transmission.spoilt && frame.to == *listener;
            if !is_own && (is_noise || !self.medium.hears(*listener, transmission)) {
                continue;
            }
            let sender = &self.nodes[frame.from.index()];
            let is_data = frame.kind == FrameKind::Data;
            let msdu = sender.queue.in_service().filter(|_| is_data).copied();
            let is_answer = matches!(frame.kind, FrameKind::Ack | FrameKind::Cts);
            let to_itself = frame.kind == FrameKind::CtsToSelf;
            self.overheard.push_back(Overheard {
                listener: *listener,
                end: now,
                kind: if to_itself && !is_own { FrameKind::Cts } else { frame.kind },
                from: (!is_answer && (!to_itself || is_own)).then_some(frame.from),
                to: if to_itself { frame.from } else { frame.to },
                rate: frame.rate,
                duration: frame.duration,
                rest: frame.nav,
                psdu: msdu.map_or(Bytes::ZERO, |msdu| msdu.size + DATA_OVERHEAD),
                msdu: msdu.filter(|_| is_own || frame.to == *listener),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use airfair_units::Probability;
    use rand_core::SeedableRng;

    use super::super::tests::{cell, down, next};
    use super::*;
    use crate::Rules;
    use crate::errors::{ErrorModel, FrameErrors};
    use crate::node::Stream;
    use crate::phy::Standard;
    use crate::record::{Record, SentFrame};

    const NEAR: NodeId = NodeId(1);
    const FAR: NodeId = NodeId(2);

    /// What `listener` overhears of one exchange with RTS/CTS: kind, transmitter, receiver, whether it knows
    /// the packet, and [µs] time on the air and duration field. The first station cannot decode the second.
    fn overheard(listener: NodeId, from: NodeId, to: NodeId) -> Vec<String> {
        let rules = Rules { rts_threshold: Some(Bytes::ZERO), ..Rules::of(Standard::B) };
        let mut cell = cell(rules, 2, &[FAR]);
        cell.listen(listener);
        cell.listen(listener);
        cell.enqueue(Time::ZERO, Msdu { from, to, ..down() });
        (0..8).for_each(|_| next(&mut cell));
        let mut lines = Vec::new();
        while let Some(heard) = cell.poll_overheard() {
            assert_eq!(
                (heard.listener, heard.psdu.is_zero()),
                (listener, heard.kind != FrameKind::Data)
            );
            let name = |node: NodeId| ["AP", "near", "far"][node.index()];
            let us = |duration: Duration| duration.as_nanos() / 1_000;
            let times = (us(heard.duration), us(heard.rest));
            let packet = if heard.msdu.is_some() { " packet" } else { "" };
            let from = heard.from.map_or("?", name);
            lines.push(format!("{:?} {from} → {}{packet} {times:?}", heard.kind, name(heard.to)));
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

    /// What noise spoils for its receiver others decode: a link spoils its own station's frames alone.
    #[test]
    fn a_receiver_does_not_know_a_frame_that_noise_spoilt() {
        let heard_by = |listener| {
            let mut cell = cell(Rules::of(Standard::B), 2, &[]);
            let always = ErrorModel::Bernoulli(Probability::literal(1.0));
            let links = vec![FrameErrors::new(always, Stream::seed_from_u64(0)), None];
            cell.noise = super::super::Noise::Links(links);
            cell.listen(listener);
            cell.enqueue(Time::ZERO, down());
            (0..2).for_each(|_| next(&mut cell));
            std::iter::from_fn(|| cell.poll_overheard()).count()
        };
        assert_eq!([NEAR, FAR].map(heard_by), [0, 1]);
    }

    /// A frame that was in a collision is known to its sender alone.
    #[test]
    fn nobody_but_its_sender_knows_a_frame_that_collided() {
        let mut cell = cell(Rules::of(Standard::B), 2, &[]);
        cell.listen(NEAR);
        for from in [NEAR, FAR] {
            cell.enqueue(Time::ZERO, Msdu { from, to: NodeId::AP, ..down() });
        }
        next(&mut cell);
        next(&mut cell);
        let sent = std::iter::from_fn(|| cell.poll_record());
        let collided =
            |it: &Record| matches!(it, Record::Sent { frame: SentFrame::Data, collided: true, .. });
        assert_eq!(sent.filter(collided).count(), 2);
        let heard: Vec<_> = std::iter::from_fn(|| cell.poll_overheard()).collect();
        assert!(matches!(heard[..], [Overheard { from: Some(NEAR), .. }]));
    }
}
