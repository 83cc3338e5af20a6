//! Turns of a multi-user exchange and its participants.

use airfair_units::{Bytes, Duration};

use crate::airtime::Airtime;
use crate::block_ack::Bitmap;
use crate::frame::{Frame, FrameKind, RandomUnits, Trigger};
use crate::node::NodeId;
use crate::phy::{TxVector, Width};
use crate::roster::ContenderId;
use crate::sizes::TriggerVariant;

/// Kind of a turn, with the place of the participant that it concerns alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnKind {
    /// CTS-to-self of the access point.
    CtsToSelf,
    /// MU-RTS: asks all participants for a CTS.
    Call,
    /// CTS frames of participants, together.
    Clears,
    /// Data of the access point for all participants.
    Data,
    /// `BlockAckReq` to one participant.
    Request(usize),
    /// `BlockAck` of one participant.
    Answer(usize),
    /// Trigger frame to all participants.
    Trigger,
    /// `BlockAck`s of participants, together.
    Answers,
    /// Data of participants, together.
    Uplink,
    /// Buffer reports of participants, together.
    Reports,
    /// `BlockAck` of the access point for all participants.
    MultiBlockAck,
    /// Announcement of an NDP for all participants.
    Announcement,
    /// NDP, which all participants measure.
    Sounding,
    /// Reports of the participants that have measured an NDP, together.
    Feedback,
}

impl TurnKind {
    /// Kind of the turn's frame.
    pub(crate) fn frame(self) -> FrameKind {
        match self {
            Self::Data => FrameKind::MultiUser,
            Self::Request(_) => FrameKind::BlockAckRequest,
            Self::Answer(_) => FrameKind::BlockAck,
            Self::CtsToSelf => FrameKind::CtsToSelf,
            Self::Trigger | Self::Call => FrameKind::Trigger,
            Self::Clears | Self::Answers | Self::Uplink | Self::Reports | Self::Feedback => {
                FrameKind::TriggerBased
            }
            Self::MultiBlockAck => FrameKind::MultiBlockAck,
            Self::Announcement => FrameKind::NdpAnnouncement,
            Self::Sounding => FrameKind::Ndp,
        }
    }

    /// True if the access point sends the turn.
    pub(super) fn is_down(self) -> bool {
        !matches!(
            self,
            Self::Clears
                | Self::Answer(_)
                | Self::Answers
                | Self::Uplink
                | Self::Reports
                | Self::Feedback
        )
    }
}

/// One turn of a multi-user exchange.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) kind: TurnKind,
    /// Vector of the PPDU; of the first part if its parts differ.
    pub(crate) tx: TxVector,
    /// Size of the PSDU; the sum over all parts if it has parts.
    pub(crate) psdu: Bytes,
    pub(crate) duration: Duration,
}

/// Station that takes part in a multi-user exchange.
#[expect(clippy::struct_excessive_bools, reason = "each is known at another turn of the exchange")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Participant {
    /// Contender of the station whose packets it sends if it is triggered.
    pub(crate) contender: ContenderId,
    /// Vector and size of its part of the data, in either direction.
    pub(crate) data: (TxVector, Bytes),
    /// Vector and size of its `BlockAck`, of that of the access point for it, or of its report of a sounding.
    pub(crate) answer: (TxVector, Bytes),
    /// Place of its resource unit among the equal units of the width, also of its answer if users share all tones in the
    /// data.
    pub(crate) place: u16,
    /// True if the station has chosen its resource unit at random, so that the trigger does not name it.
    pub(crate) is_random: bool,
    /// True if the station has decoded the last turn of the access point and answers it.
    pub(crate) hears: bool,
    /// True if the access point has decoded the station's answer.
    pub(crate) is_answered: bool,
    /// True if the station has sent data and does not know its fate.
    pub(crate) waits: bool,
    /// True if the access point has decoded all MPDUs of the station's data.
    pub(crate) is_whole: bool,
}

impl Participant {
    /// Participant with the vectors and sizes of its data and of its answer.
    pub(crate) fn new(contender: ContenderId, data: TxVector, answer: (TxVector, Bytes)) -> Self {
        Self {
            contender,
            data: (data, Bytes::ZERO),
            answer,
            place: 0,
            is_random: false,
            hears: false,
            is_answered: false,
            waits: false,
            is_whole: false,
        }
    }

    /// True if the access point knows that the station takes part: it has named or decoded the station.
    pub(crate) fn is_known(&self) -> bool {
        !self.is_random || self.is_answered
    }

    /// Station.
    pub(crate) fn station(&self) -> NodeId {
        self.contender.member()
    }
}

/// Multi-user exchange of an access point. It is kept between exchanges so that its memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct MultiUserExchange {
    /// Contender of the access point that has begun the exchange; `None` between exchanges.
    pub(super) initiator: Option<ContenderId>,
    pub(crate) turns: Vec<Turn>,
    /// Place of the turn that is on the air, or due.
    pub(super) at: usize,
    pub(crate) participants: Vec<Participant>,
    /// Resource units of the trigger for data that stations access at random.
    pub(crate) random: Option<RandomUnits>,
    /// `BlockAck` of each participant, as the access point has decoded it.
    pub(crate) block_acks: Vec<Option<Bitmap>>,
    /// True if data of the access point were on the air.
    pub(crate) has_sent: bool,
    /// True if the last answer, or one before it, was missing: other members may have begun to transmit.
    pub(crate) has_timed_out: bool,
}

impl MultiUserExchange {
    /// Begins an exchange of contender `id`, which is to be filled.
    pub(crate) fn begin(&mut self, id: ContenderId) {
        (self.initiator, self.at) = (Some(id), 0);
        (self.has_sent, self.has_timed_out, self.random) = (false, false, None);
        self.turns.clear();
        self.participants.clear();
        self.block_acks.clear();
    }

    /// Ends the exchange, or gives up a plan.
    pub(crate) fn end(&mut self) {
        self.initiator = None;
    }

    /// Adds a participant, which gets the next resource unit.
    pub(crate) fn add(&mut self, participant: Participant) {
        let place = u16::try_from(self.participants.len()).expect("at most 148 units");
        self.participants.push(Participant { place, ..participant });
        self.block_acks.push(None);
    }

    /// Adds stations that have chosen their resource units at random.
    pub(super) fn add_random(&mut self, mut stations: Vec<Participant>) {
        // Stations in the same unit are neighbours.
        stations.sort_by_key(|it| it.place);
        self.participants.append(&mut stations);
        self.block_acks.resize(self.participants.len(), None);
    }

    /// True if the trigger only offers resource units at random, so that no station has to answer.
    pub(crate) fn names_nobody(&self) -> bool {
        self.random.is_some() && self.participants.iter().all(|it| it.is_random)
    }

    /// True if the exchange is for data of the access point.
    pub(crate) fn is_down(&self) -> bool {
        self.turns.iter().any(|turn| turn.kind == TurnKind::Data)
    }

    /// True if the exchange is a sounding.
    pub(crate) fn is_sounding(&self) -> bool {
        self.content().0 == TurnKind::Feedback
    }

    /// Kind and duration of the turn for which the exchange takes place: data, buffer reports, or reports of a sounding.
    pub(crate) fn content(&self) -> (TurnKind, Duration) {
        use TurnKind::{Data, Feedback, Reports, Uplink};
        let is_content = |it: &&Turn| matches!(it.kind, Data | Uplink | Reports | Feedback);
        let found = self.turns.iter().find(is_content);
        found.map_or((TurnKind::Trigger, Duration::ZERO), |it| (it.kind, it.duration))
    }

    /// Turn that is on the air, or due.
    pub(super) fn turn(&self) -> Turn {
        self.turns[self.at]
    }

    /// Width of the widest PPDU of the exchange.
    pub(super) fn width(&self) -> Width {
        self.turns.iter().map(|turn| turn.tx.width()).max().unwrap_or(Width::Mhz20)
    }

    /// Time from the end of the current turn to the end of the exchange.
    pub(crate) fn rest(&self, airtime: &Airtime) -> Duration {
        let rest = self.turns[self.at + 1..].iter();
        rest.map(|turn| airtime.timing.sifs + turn.duration).sum()
    }

    /// Time from the start of the exchange to its end.
    pub(crate) fn length(&self, airtime: &Airtime) -> Duration {
        self.turns[0].duration + self.rest(airtime)
    }

    /// Participants that receive the current turn of the access point, or that send the turn together.
    pub(super) fn concerned(&self) -> impl Iterator<Item = &Participant> {
        let kind = self.turn().kind;
        let is_in = move |(at, it): &(usize, &Participant)| match kind {
            TurnKind::Request(place) | TurnKind::Answer(place) => *at == place,
            TurnKind::MultiBlockAck => it.is_known(),
            _ => kind.is_down() || it.hears,
        };
        self.participants.iter().enumerate().filter(is_in).map(|(_, it)| it)
    }

    /// Stations that send the current turn if it is not the access point's.
    pub(super) fn senders(&self) -> impl Iterator<Item = NodeId> {
        self.concerned().map(Participant::station)
    }

    /// Trigger in the current turn, with the next turn as its answer.
    pub(super) fn trigger(&self) -> Option<Trigger> {
        let next = self.turns.get(self.at + 1);
        let variant = match (self.turn().kind, next.map(|turn| turn.kind)) {
            (TurnKind::Call, _) => TriggerVariant::Rts,
            (TurnKind::Trigger, Some(TurnKind::Reports)) => TriggerVariant::BufferStatus,
            (TurnKind::Trigger, Some(TurnKind::Feedback)) => TriggerVariant::BeamformingReport,
            (TurnKind::Trigger | TurnKind::Data, Some(TurnKind::Answers)) => {
                TriggerVariant::BlockAckRequest
            }
            (TurnKind::Trigger, _) => TriggerVariant::Basic,
            _ => return None,
        };
        let duration = next.map_or(Duration::ZERO, |turn| turn.duration);
        Some(Trigger { variant, duration, random: self.random, power: None })
    }

    /// Header of the current turn.
    pub(super) fn header(&self, ap: NodeId, airtime: &Airtime) -> Frame {
        let Turn { kind, tx, psdu, duration } = self.turn();
        let to = match kind {
            TurnKind::Data
            | TurnKind::Trigger
            | TurnKind::Call
            | TurnKind::MultiBlockAck
            | TurnKind::Announcement
            | TurnKind::Sounding => None,
            TurnKind::Request(place) => Some(self.participants[place].station()),
            TurnKind::CtsToSelf => self.participants.first().map(Participant::station),
            _ => Some(ap),
        };
        let from = if kind.is_down() { ap } else { self.senders().next().unwrap_or(ap) };
        let duration_field = self.rest(airtime);
        let kind = kind.frame();
        Frame { kind, from, to, tx, psdu, duration, duration_field, retry: false }
    }

    /// True if the exchange goes on with the next turn: the access point's own, or one of participants that have heard
    /// the current turn.
    pub(super) fn goes_on(&self) -> bool {
        if self.turn().kind == TurnKind::Clears {
            return self.participants.iter().any(|it| it.is_answered);
        }
        match self.turns.get(self.at + 1).map(|turn| turn.kind) {
            Some(TurnKind::Answer(place)) => self.participants[place].hears,
            Some(TurnKind::MultiBlockAck) => {
                self.participants.iter().any(|it| it.is_answered && it.waits)
            }
            Some(next) => next.is_down() || self.participants.iter().any(|it| it.hears),
            None => false,
        }
    }
}
