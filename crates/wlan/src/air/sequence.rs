//! Sequences of frames: the turns of a member and of those that answer it, as one table.  [80211-2020 §10.3.2, §10.12,
//! §10.23, §10.25]
//!
//! | frame | sent by | octets | followed, a SIFS later, by | missing after |
//! | --- | --- | --- | --- | --- |
//! | RTS | initiator | 20 | CTS | response time-out |
//! | CTS | responder | 14 | content | |
//! | CTS-to-self | initiator | 14 | content | |
//! | data or `BlockAckReq`: the content | initiator | PSDU | ACK or `BlockAck` | response time-out |
//! | ACK or `BlockAck` | responder | 14, 32 or 56 | | |
//! | beacon | initiator | PSDU | | |
//!
//! A sequence without protection begins with its content. Whoever needs the length of a sequence or of a part of it,
//! its duration fields, or the frame that follows another one, asks [`Sequence`]: a frame on the air step by step, an
//! undisturbed exchange in one go, and the charge of airtime.

use airfair_units::{Bytes, Duration};

use crate::airtime::{Airtime, Protection};
use crate::frame::{Frame, FrameKind};
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::sizes::{CTS_SIZE, RTS_SIZE};

/// Content of a sequence, which decides the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// A packet without a block ack agreement, answered by an ACK.
    Packet,
    /// A single MPDU under a block ack agreement, answered by an ACK.
    Mpdu,
    /// An A-MPDU, answered by a `BlockAck`.
    Aggregate,
    /// A `BlockAckReq`, answered by a `BlockAck`.
    Request,
    /// A frame to all members, which has no response.
    Broadcast,
    /// Turns of several users, which [`MultiUserExchange`](super::multi_user::MultiUserExchange) has.
    MultiUser,
}

impl Content {
    /// Kind of frame that carries the content.
    #[inline]
    pub(crate) fn kind(self) -> FrameKind {
        match self {
            Self::Packet | Self::Mpdu | Self::Aggregate => FrameKind::Data,
            Self::Request => FrameKind::BlockAckRequest,
            Self::Broadcast => FrameKind::Beacon,
            Self::MultiUser => FrameKind::MultiUser,
        }
    }

    /// Kind of frame that answers the content.
    #[inline]
    pub(crate) fn response(self) -> Option<FrameKind> {
        match self {
            Self::Packet | Self::Mpdu => Some(FrameKind::Ack),
            Self::Aggregate | Self::Request => Some(FrameKind::BlockAck),
            Self::Broadcast | Self::MultiUser => None,
        }
    }
}

/// Frames of one exchange: content with its protection and its response, all of which are fixed at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub(crate) content: Content,
    /// Member to which the content is addressed; `None` if it is for all, or if no member has its address.
    pub(crate) to: Option<NodeId>,
    pub(crate) protection: Protection,
    /// Vector of the frame that carries the content; `psdu` is the size of its PSDU, and `data` its duration.
    pub(crate) tx: TxVector,
    pub(crate) psdu: Bytes,
    pub(crate) data: Duration,
    /// Size and duration of the response to the content.
    pub(crate) response: (Bytes, Duration),
    /// True if the content, or a part of it, was sent before.
    pub(crate) retry: bool,
}

impl Sequence {
    /// Member that answers.
    ///
    /// # Panics
    /// If no single member does.
    #[inline]
    pub(crate) fn responder(&self) -> NodeId {
        self.to.expect("content for one member")
    }

    /// True if RTS and CTS precede the content.
    #[inline]
    pub(crate) fn has_rts(&self) -> bool {
        matches!(self.protection, Protection::RtsCts(_))
    }

    /// Frame that begins the sequence.
    #[inline]
    pub(crate) fn first(&self) -> FrameKind {
        match self.protection {
            Protection::None => self.content.kind(),
            Protection::RtsCts(_) => FrameKind::Rts,
            Protection::CtsToSelf(_) => FrameKind::CtsToSelf,
        }
    }

    /// Frame that follows one of this kind after a SIFS; `None` if the sequence ends with it.
    #[inline]
    pub(crate) fn next(&self, kind: FrameKind) -> Option<FrameKind> {
        match kind {
            FrameKind::Rts => Some(FrameKind::Cts),
            FrameKind::Cts | FrameKind::CtsToSelf => Some(self.content.kind()),
            FrameKind::Data | FrameKind::BlockAckRequest => self.content.response(),
            FrameKind::Ack
            | FrameKind::BlockAck
            | FrameKind::CtsToOther
            | FrameKind::CfEnd
            | FrameKind::Beacon
            | FrameKind::MultiUser
            | FrameKind::Trigger
            | FrameKind::TriggerBased
            | FrameKind::MultiBlockAck
            | FrameKind::NdpAnnouncement
            | FrameKind::Ndp
            | FrameKind::BeamformingReport => None,
        }
    }

    /// Vector, size and duration of a frame of the sequence.
    #[expect(clippy::inline_always, reason = "most callers need a part of it")]
    #[inline(always)]
    fn turn(&self, kind: FrameKind, airtime: &Airtime) -> Turn {
        match (kind, self.protection) {
            (FrameKind::Ack | FrameKind::BlockAck, _) => {
                let (psdu, duration) = self.response;
                Turn { tx: airtime.response(self.tx), psdu, duration }
            }
            (FrameKind::Rts, Protection::RtsCts(tx)) => {
                Turn { tx, psdu: RTS_SIZE, duration: airtime.rts(tx) }
            }
            (FrameKind::Cts, Protection::RtsCts(tx)) => {
                Turn { tx: airtime.response(tx), psdu: CTS_SIZE, duration: airtime.cts(tx) }
            }
            (FrameKind::CtsToSelf, Protection::CtsToSelf(tx)) => {
                Turn { tx, psdu: CTS_SIZE, duration: airtime.cts(tx) }
            }
            _ => Turn { tx: self.tx, psdu: self.psdu, duration: self.data },
        }
    }

    /// Duration of a frame of the sequence.
    #[inline]
    pub(crate) fn duration(&self, kind: FrameKind, airtime: &Airtime) -> Duration {
        self.turn(kind, airtime).duration
    }

    /// Time from the end of a frame of the sequence to the end of the sequence: the frame's duration field, which covers
    /// only its own response even if the TXOP continues.  [80211-2020 §9.2.5.2]
    #[inline]
    pub(crate) fn rest(&self, kind: FrameKind, airtime: &Airtime) -> Duration {
        // The sum over the frames that follow, written out because each frame on the air needs it.
        let sifs = airtime.timing.sifs;
        match kind {
            FrameKind::Ack
            | FrameKind::BlockAck
            | FrameKind::CtsToOther
            | FrameKind::CfEnd
            | FrameKind::Beacon
            | FrameKind::MultiUser
            | FrameKind::Trigger
            | FrameKind::TriggerBased
            | FrameKind::MultiBlockAck
            | FrameKind::NdpAnnouncement
            | FrameKind::Ndp
            | FrameKind::BeamformingReport => Duration::ZERO,
            FrameKind::Data | FrameKind::BlockAckRequest => self.rest_after_content(airtime),
            FrameKind::Cts | FrameKind::CtsToSelf => {
                sifs + self.data + self.rest_after_content(airtime)
            }
            FrameKind::Rts => {
                let cts = self.duration(FrameKind::Cts, airtime);
                sifs + cts + sifs + self.data + self.rest_after_content(airtime)
            }
        }
    }

    /// Time from the end of the content to the end of the sequence.
    #[inline]
    fn rest_after_content(&self, airtime: &Airtime) -> Duration {
        match self.content.response() {
            Some(_) => airtime.timing.sifs + self.response.1,
            None => Duration::ZERO,
        }
    }

    /// Time from the start of the sequence to its end.
    pub(crate) fn length(&self, airtime: &Airtime) -> Duration {
        let first = self.first();
        self.duration(first, airtime) + self.rest(first, airtime)
    }

    /// Time from the start of the sequence to the end of its frame of kind `last`.
    pub(crate) fn span(&self, last: FrameKind, airtime: &Airtime) -> Duration {
        self.length(airtime) - self.rest(last, airtime)
    }

    /// Transmitter of a frame of the sequence, and its vector. `initiator` is the member that has won the channel.
    pub(crate) fn sender(
        &self,
        kind: FrameKind,
        initiator: NodeId,
        airtime: &Airtime,
    ) -> (NodeId, TxVector) {
        let from = if kind.is_response() { self.responder() } else { initiator };
        (from, self.turn(kind, airtime).tx)
    }

    /// Frame of the sequence of member `initiator`. `is_retrying` is true if an attempt has failed, which an RTS or a
    /// CTS-to-self shows in its retry bit.
    #[expect(
        clippy::inline_always,
        reason = "callers need some of its fields, and the compiler drops the others"
    )]
    #[inline(always)]
    pub(crate) fn frame(
        &self,
        kind: FrameKind,
        initiator: NodeId,
        is_retrying: bool,
        airtime: &Airtime,
    ) -> Frame {
        match kind {
            FrameKind::Ack | FrameKind::BlockAck => Frame {
                kind,
                from: self.responder(),
                to: Some(initiator),
                tx: airtime.response(self.tx),
                psdu: self.response.0,
                duration: self.response.1,
                duration_field: Duration::ZERO,
                retry: false,
            },
            FrameKind::Data
            | FrameKind::BlockAckRequest
            | FrameKind::CtsToOther
            | FrameKind::CfEnd
            | FrameKind::Beacon
            | FrameKind::MultiUser
            | FrameKind::Trigger
            | FrameKind::TriggerBased
            | FrameKind::MultiBlockAck
            | FrameKind::NdpAnnouncement
            | FrameKind::Ndp
            | FrameKind::BeamformingReport => Frame {
                kind,
                from: initiator,
                to: self.to,
                tx: self.tx,
                psdu: self.psdu,
                duration: self.data,
                duration_field: self.rest_after_content(airtime),
                retry: self.retry,
            },
            FrameKind::Rts | FrameKind::Cts | FrameKind::CtsToSelf => {
                self.protecting_frame(kind, initiator, is_retrying, airtime)
            }
        }
    }

    /// Frame that protects the content.
    fn protecting_frame(
        &self,
        kind: FrameKind,
        initiator: NodeId,
        is_retrying: bool,
        airtime: &Airtime,
    ) -> Frame {
        let Turn { tx, psdu, duration } = self.turn(kind, airtime);
        let (from, to, retry) = match kind {
            FrameKind::Cts => (self.responder(), Some(initiator), false),
            FrameKind::CtsToSelf => (initiator, self.to.or(Some(initiator)), is_retrying),
            _ => (initiator, self.to, is_retrying),
        };
        let duration_field = self.rest(kind, airtime);
        Frame { kind, from, to, tx, psdu, duration, duration_field, retry }
    }
}

/// Vector, size and duration of one frame of a sequence.
#[derive(Clone, Copy, Debug)]
struct Turn {
    tx: TxVector,
    psdu: Bytes,
    duration: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rules;
    use crate::cell::tests::config;
    use crate::phy::Standard;
    use airfair_units::DataRate;

    /// A sequence in 802.11b: content of 1000 octets at 11 Mb/s, with each kind of content and protection.
    fn sequences(airtime: &Airtime) -> impl Iterator<Item = Sequence> {
        let tx = airtime.vector(DataRate::from_mbps(11));
        let guard = airtime.response(tx);
        let (psdu, data) = (Bytes::new(1_000), airtime.frame(Bytes::new(1_000), tx));
        let of = move |content, protection, response| {
            let (to, retry) = (Some(NodeId::AP), false);
            Sequence { content, to, protection, tx, psdu, data, response, retry }
        };
        let response = (Bytes::new(14), airtime.ack(tx));
        let contents = [
            Content::Packet,
            Content::Mpdu,
            Content::Aggregate,
            Content::Request,
            Content::Broadcast,
        ];
        let protections =
            [Protection::None, Protection::RtsCts(guard), Protection::CtsToSelf(guard)];
        contents.into_iter().flat_map(move |content| {
            protections.into_iter().map(move |protection| of(content, protection, response))
        })
    }

    /// From any frame of a sequence on, the rest is a SIFS and a frame for each one that follows.
    #[test]
    fn the_rest_of_a_sequence_is_the_sum_of_the_frames_that_follow() {
        let airtime = Airtime::new(&config(Rules::of(Standard::B), 1, &[]));
        for sequence in sequences(&airtime) {
            let mut kinds = vec![sequence.first()];
            while let Some(next) = sequence.next(kinds[kinds.len() - 1]) {
                kinds.push(next);
            }
            let mut rest = Duration::ZERO;
            for kind in kinds.iter().rev() {
                assert_eq!(sequence.rest(*kind, &airtime), rest, "{kind:?} of {sequence:?}");
                rest += airtime.timing.sifs + sequence.duration(*kind, &airtime);
            }
            assert_eq!(sequence.length(&airtime) + airtime.timing.sifs, rest);
        }
    }

    /// RTS 272, CTS 248, data 192 + ⌈8000/11⌉ = 920, ACK 248, SIFS 10 [µs]. The RTS announces the 1446 µs after it, and
    /// the whole lasts 1718 µs.
    ///
    /// Verifies: [80211-2020 §9.2.5.2]
    #[test]
    fn an_rts_announces_the_rest_of_its_sequence() {
        let airtime = Airtime::new(&config(Rules::of(Standard::B), 1, &[]));
        let called = sequences(&airtime).find(Sequence::has_rts).expect("one with RTS and CTS");
        let us = |duration: Duration| duration.as_nanos() / 1_000;
        let station = NodeId::station(0);
        let frame = |kind| called.frame(kind, station, true, &airtime);
        let line = |kind| {
            let it = frame(kind);
            (it.from, us(it.duration), us(it.duration_field), it.retry)
        };
        assert_eq!(line(FrameKind::Rts), (station, 272, 1_446, true));
        assert_eq!(line(FrameKind::Cts), (NodeId::AP, 248, 1_188, false));
        assert_eq!(line(FrameKind::Data), (station, 920, 258, false));
        assert_eq!(line(FrameKind::Ack), (NodeId::AP, 248, 0, false));
        assert_eq!(us(called.length(&airtime)), 1_718);
        assert_eq!(us(called.span(FrameKind::Data, &airtime)), 272 + 10 + 248 + 10 + 920);
    }
}
