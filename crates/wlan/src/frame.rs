//! Frames on the air, and the packets in them.
//!
//! ```text
//!  Mac ── fills ──► Ppdu ── on the air ──► receiver, noise, listeners, monitor
//!                   Frame: kind, from, to, TxVector, durations
//!                   MPDUs, an error flag for each; bitmap of a BlockAck
//! ```
//!
//! A PPDU owns its content: delivery, errors, overhearing and traces read it from the PPDU. In an undisturbed exchange
//! there is no PPDU, and the packets in service take its place. A `TxVector` sets how a frame is sent; the control frames
//! for each vector are in a table (`airtime`).

use std::num::NonZeroU16;

use airfair_units::{Bytes, Dbm, Duration, Time};

use crate::block_ack::Bitmap;
use crate::edca::AccessCategory;
use crate::elements::Elements;
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::roster::ContenderId;
use crate::sizes::{self, TriggerVariant};

/// A packet on one hop through the cell. `P` is the payload that the owner of the cell attaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msdu<P> {
    /// Payload of the owner.
    pub payload: P,
    /// Octets handed to the MAC, LLC/SNAP included.
    pub size: Bytes,
    /// Transmitter of this hop.
    pub from: NodeId,
    /// Receiver of this hop.
    pub to: NodeId,
}

impl<P> Msdu<P> {
    /// The packet with a reference to its payload.
    #[inline]
    pub fn as_ref(&self) -> Msdu<&P> {
        let Self { ref payload, size, from, to } = *self;
        Msdu { payload, size, from, to }
    }
}

impl Msdu<()> {
    /// The packet with another payload.
    #[inline]
    pub(crate) fn with<P>(self, payload: P) -> Msdu<P> {
        let Self { size, from, to, .. } = self;
        Msdu { payload, size, from, to }
    }
}

/// Largest time in a duration field.  [80211-2020 §9.2.5.1]
pub const LONGEST_NAV: Duration = Duration::from_micros(32_767);

/// A beacon that the access point is to send.  [80211-2020 §9.3.3]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beacon {
    /// Size of the beacon's MPDU, header and frame check sequence included.
    pub psdu: Bytes,
    /// Elements of the beacon.
    pub elements: Elements,
}

/// Kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Data frame, which carries packets (MSDUs).
    Data,
    /// Acknowledgement of a data frame.
    Ack,
    /// Response to an aggregate or a `BlockAckReq`, which lists the MPDUs received.  [80211-2020 §9.3.1.8]
    BlockAck,
    /// Request for a `BlockAck`, which also announces the MPDUs that will not be sent again.  [80211-2020 §9.3.1.7]
    BlockAckRequest,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// CTS that a station addresses to itself, so that stations that do not recognise its data frame keep quiet.
    /// [80211-2020 §10.3.2.14]
    CtsToSelf,
    /// CTS that an access point addresses to a station that has sent no RTS: it grants time, in which members other than
    /// the station and the access point keep quiet.  [80211-2020 §10.3.2.4]
    CtsToOther,
    /// CF-End of an access point, which resets the NAV of all members that decode it.  [80211-2020 §9.3.1.6]
    CfEnd,
    /// Beacon, which is for all members and has no response.  [80211-2020 §9.3.3]
    Beacon,
    /// Multi-user PPDU of an access point, which carries data for several stations.  [80211ax-2021 §26.5.1]
    MultiUser,
    /// Trigger frame, with which an access point asks several stations for a PPDU.  [80211ax-2021 §9.3.1.22]
    Trigger,
    /// PPDUs of several stations that answer a trigger frame together.  [80211ax-2021 §26.5.2]
    TriggerBased,
    /// `BlockAck` of an access point for several stations.  [80211ax-2021 §9.3.1.8.6]
    MultiBlockAck,
    /// Announcement of an NDP to the stations that are to measure it.  [80211ax-2021 §9.3.1.19]
    NdpAnnouncement,
    /// Null data packet (NDP), a PPDU without data, by which stations measure the channel.  [80211ax-2021 §27.3.17]
    Ndp,
    /// Report of a station that has measured an NDP: HE compressed beamforming/CQI.  [80211ax-2021 §9.6.31.2]
    BeamformingReport,
}

impl FrameKind {
    /// True for a frame that answers another one after a SIFS.
    #[inline]
    pub(crate) fn is_response(self) -> bool {
        matches!(self, Self::Ack | Self::BlockAck | Self::Cts | Self::TriggerBased)
    }

    /// True for a frame that an access point sends on its own, outside any exchange and without back-off.
    #[inline]
    pub(crate) fn is_apart(self) -> bool {
        matches!(self, Self::Beacon | Self::CtsToOther | Self::CfEnd)
    }

    /// Kind of frame to which a response of this kind is the answer.
    pub(crate) fn answers(self) -> Self {
        match self {
            Self::Cts => Self::Rts,
            Self::TriggerBased => Self::Trigger,
            _ => Self::Data,
        }
    }
}

/// A data frame: a packet or an A-MSDU with a MAC header.  [80211-2020 §9.2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mpdu<P> {
    /// The packet in the MPDU; the first one of an A-MSDU.
    pub msdu: Msdu<P>,
    /// Size of the A-MSDU; `None` for a single packet.  [80211-2020 §9.3.2.2]
    pub amsdu: Option<NonZeroU16>,
    /// Number of packets of the A-MSDU after the first one.
    pub joined: u16,
    /// Sequence number, modulo 4096.  [80211-2020 §9.2.4.4.2]
    pub sequence: u16,
    /// Retry bit: the same frame was sent before.  [80211-2020 §9.2.4.1.7]
    pub retry: bool,
    /// True if noise has made an error in the MPDU.
    pub errored: bool,
}

impl<P> Mpdu<P> {
    /// Size of the MPDU with this vector, header and frame check sequence included.
    #[inline]
    pub fn size(&self, tx: TxVector) -> Bytes {
        let amsdu = self.amsdu.map(|octets| Bytes::new(u64::from(octets.get())));
        sizes::mpdu(amsdu.unwrap_or(self.msdu.size), tx)
    }
}

/// Vector and MAC header of a PPDU, which every station that decodes it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Kind of the frame.
    pub kind: FrameKind,
    /// Transmitter of the frame.
    pub from: NodeId,
    /// Addressee of the frame; `None` if it is for all members, or if no member has its address. For a CTS-to-self, the
    /// station whose exchange the CTS protects.
    pub to: Option<NodeId>,
    /// Vector of the frame.
    pub tx: TxVector,
    /// Size of the PSDU.
    pub psdu: Bytes,
    /// Time on the air.
    pub duration: Duration,
    /// Duration field: remaining time of the exchange after this frame.  [80211-2020 §9.2.5]
    pub duration_field: Duration,
    /// True if the frame is, or protects, a data frame of which an attempt has failed.
    pub retry: bool,
}

impl Frame {
    /// True if an error in the frame affects member `id`: the receiver or, for a frame that concerns all members, one of
    /// those in `missed`, which are ascending.
    #[inline]
    pub(crate) fn errs_for(&self, id: NodeId, missed: &[NodeId]) -> bool {
        match self.to {
            Some(to) if self.kind != FrameKind::CtsToOther => to == id,
            _ => missed.binary_search(&id).is_ok(),
        }
    }

    /// Member to which alone the frame is addressed; `None` for a CTS-to-self, or if the frame has no single receiver.
    #[inline]
    pub(crate) fn addressee(&self) -> Option<NodeId> {
        self.to.filter(|_| self.kind != FrameKind::CtsToSelf)
    }
}

/// Content of a PPDU besides its MPDUs, which few PPDUs have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rest<P> {
    /// Content of a `BlockAck`, or only the starting sequence number of a `BlockAckReq`.
    BlockAck(Bitmap),
    /// Packets of all A-MSDUs after the first ones, in the order of the MPDUs.
    Joined(Vec<Msdu<P>>),
    /// Parts of a multi-user exchange's PPDU: one for each receiver, or for each transmitter. The trigger is in the PPDU.
    Users(Vec<User<P>>, Option<Trigger>),
}

/// Request for PPDUs of several stations, in a trigger frame or in each part of a multi-user PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Content that the request asks for.
    pub variant: TriggerVariant,
    /// Time on the air of the PPDUs that answer.
    pub duration: Duration,
    /// Resource units that stations access at random; `None` if there are none.
    pub random: Option<RandomUnits>,
    /// Powers from which stations find theirs; `None` if they send with their usual power.
    pub power: Option<TriggerPower>,
}

/// Powers in a trigger frame.  [80211ax-2021 §9.3.1.22.1]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriggerPower {
    /// Power of the access point, in all 20 MHz channels of the trigger together.
    pub access_point: Dbm,
    /// Power at which the access point wants to receive each station.
    pub target: Dbm,
}

/// Equal resource units of a trigger frame that stations access at random (UORA).  [80211ax-2021 §26.5.4]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomUnits {
    /// Number of the units, at least 1. They follow those of the stations that the trigger names.
    pub units: u16,
    /// Place of the first one among the equal units of the width, from 0.
    pub first: u16,
    /// Vector of a PPDU in one of them.
    pub tx: TxVector,
}

impl RandomUnits {
    /// Number of units that one User Info field of a trigger frame can offer.  [80211ax-2021 §9.3.1.22.1]
    const PER_FIELD: u16 = 32;

    /// Offers of a trigger frame, each of at most 32 units: a User Info field without a station for each.
    pub fn fields(self) -> impl Iterator<Item = Self> {
        let Self { units, first, tx } = self;
        (0..units).step_by(Self::PER_FIELD.into()).map(move |before| Self {
            units: Self::PER_FIELD.min(units - before),
            first: first + before,
            tx,
        })
    }
}

/// Part of a PPDU of a multi-user exchange: content for one station, or from one station.
#[expect(clippy::struct_excessive_bools, reason = "each is another reason why a part is lost")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User<P> {
    /// Station that receives the part from the access point, or sends it to the access point.
    pub station: NodeId,
    /// Kind of the content: data, a `BlockAck`, or that of the PPDU if the part has no content of its own.
    pub kind: FrameKind,
    /// Vector of the part, with its resource unit. In a trigger frame, that of the PPDU that answers.
    pub tx: TxVector,
    /// Place of the resource unit among the equal units of the width, from 0.
    pub place: u16,
    /// Access category of the content.
    pub category: AccessCategory,
    /// Vector of the `BlockAck` for the part.
    pub(crate) answer: TxVector,
    /// Size of the PSDU, without the padding to the end of the PPDU.
    pub psdu: Bytes,
    /// MPDUs of data.
    pub mpdus: Vec<Mpdu<P>>,
    /// Packets of all A-MSDUs after the first ones, in the order of the MPDUs.
    pub(crate) joined: Vec<Msdu<P>>,
    /// Content of a `BlockAck`, or only the starting sequence number of a `BlockAckReq` or an MU-BAR.
    pub block_ack: Option<Bitmap>,
    /// Octets that wait in the station after this part, as it reports them; `None` if it reports nothing.
    pub(crate) backlog: Option<Bytes>,
    /// True if the station has chosen the resource unit at random.
    pub(crate) is_random: bool,
    /// True if another station has chosen the same resource unit.
    pub(crate) collided: bool,
    /// True if the access point does not decode the part, because the station is too far.
    pub(crate) is_out_of_reach: bool,
    /// True if noise has destroyed the whole part at its receiver.
    pub errored: bool,
}

impl<P> User<P> {
    /// Part without content.
    pub(crate) fn new(station: NodeId, kind: FrameKind, (tx, psdu): (TxVector, Bytes)) -> Self {
        let (mpdus, joined) = (Vec::new(), Vec::new());
        let (block_ack, backlog) = (None, None);
        let (is_random, collided, is_out_of_reach, errored) = (false, false, false, false);
        let (place, category, answer) = (0, AccessCategory::default(), tx);
        Self {
            station,
            kind,
            tx,
            place,
            category,
            answer,
            psdu,
            mpdus,
            joined,
            block_ack,
            backlog,
            is_random,
            collided,
            is_out_of_reach,
            errored,
        }
    }

    /// MPDUs of data, each with the packets of its A-MSDU after the first one.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&Mpdu<P>, &[Msdu<P>])> + Clone {
        contents(&self.mpdus, &self.joined)
    }
}

/// MPDUs, each with the packets of its A-MSDU after the first one. `joined` has these packets for all MPDUs.
fn contents<'a, P>(
    mpdus: &'a [Mpdu<P>],
    mut joined: &'a [Msdu<P>],
) -> impl Iterator<Item = (&'a Mpdu<P>, &'a [Msdu<P>])> + Clone {
    mpdus.iter().map(move |mpdu| {
        let (own, others) = joined.split_at(mpdu.joined.into());
        joined = others;
        (mpdu, own)
    })
}

/// A PPDU on the air, or one that has just left the air.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ppdu<P> {
    /// Vector and MAC header of the PPDU.
    pub frame: Frame,
    /// MPDUs of a data frame, several for an aggregate; empty for other frames.
    pub mpdus: Vec<Mpdu<P>>,
    /// Rest of the PPDU's content; `None` for most.
    pub(crate) rest: Option<Box<Rest<P>>>,
    /// Time at which the PPDU starts on the air.
    pub start: Time,
    /// Time at which the PPDU ends on the air.
    pub end: Time,
    /// True if another frame overlaps the PPDU at its receiver or, for a beacon, at any member that senses it. If all
    /// members sense each other, an overlap destroys both frames.
    pub collided: bool,
    /// True if noise has destroyed the whole PPDU at its receiver; other members receive it as usual. For a beacon,
    /// true if noise has destroyed it at some of the members.
    pub errored: bool,
    /// True if the PPDU is a response whose start the waiting initiator has missed.
    pub(crate) missed: bool,
    /// Contender that has initiated the exchange to which the PPDU belongs.
    pub(crate) initiator: ContenderId,
}

impl<P> Ppdu<P> {
    /// Creates a PPDU that starts at `start`.
    pub(crate) fn new(
        start: Time,
        (initiator, frame): (ContenderId, Frame),
        (mpdus, rest): (Vec<Mpdu<P>>, Option<Box<Rest<P>>>),
    ) -> Self {
        let end = start + frame.duration;
        let (collided, errored, missed) = (false, false, false);
        Self { frame, mpdus, rest, start, end, collided, errored, missed, initiator }
    }

    /// Starting sequence number and bits of a `BlockAck`, or only the starting number of a `BlockAckReq`; `None` for
    /// other frames.
    pub fn block_ack(&self) -> Option<&Bitmap> {
        match self.rest.as_deref() {
            Some(Rest::BlockAck(bitmap)) => Some(bitmap),
            _ => None,
        }
    }

    /// MPDUs of a data frame, each with the packets of its A-MSDU after the first one.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&Mpdu<P>, &[Msdu<P>])> + Clone {
        let joined = match self.rest.as_deref() {
            Some(Rest::Joined(packets)) => packets.as_slice(),
            _ => &[],
        };
        contents(&self.mpdus, joined)
    }

    /// Parts of a PPDU of a multi-user exchange; empty for other PPDUs.
    #[inline]
    pub fn users(&self) -> &[User<P>] {
        match self.rest.as_deref() {
            Some(Rest::Users(users, _)) => users,
            _ => &[],
        }
    }

    /// True for a frame of a sounding. Its time belongs to no station, because it measures the channels of several.
    pub(crate) fn is_sounding(&self) -> bool {
        match self.frame.kind {
            FrameKind::NdpAnnouncement | FrameKind::Ndp => true,
            FrameKind::Trigger => {
                self.trigger().is_some_and(|it| it.variant == TriggerVariant::BeamformingReport)
            }
            _ => self.users().iter().any(|user| user.kind == FrameKind::BeamformingReport),
        }
    }

    /// Trigger in a trigger frame, or in each part of a multi-user PPDU.
    pub fn trigger(&self) -> Option<Trigger> {
        match self.rest.as_deref() {
            Some(Rest::Users(_, trigger)) => *trigger,
            _ => None,
        }
    }

    /// Parts of a PPDU of a multi-user exchange, mutable; empty for other PPDUs.
    #[inline]
    pub(crate) fn users_mut(&mut self) -> &mut [User<P>] {
        match self.rest.as_deref_mut() {
            Some(Rest::Users(users, _)) => users,
            _ => &mut [],
        }
    }

    /// Takes the buffers of the parts' MPDUs, which are empty then.
    #[cold]
    pub(crate) fn take_users_mpdus(&mut self) -> impl Iterator<Item = Vec<Mpdu<P>>> {
        let with_data = self.users_mut().iter_mut().filter(|user| !user.mpdus.is_empty());
        with_data.map(|user| {
            user.mpdus.clear();
            std::mem::take(&mut user.mpdus)
        })
    }

    /// True if each user has a part of its own in the PPDU, or in the turn.
    pub(crate) fn has_parts(&self) -> bool {
        matches!(self.frame.kind, FrameKind::MultiUser | FrameKind::TriggerBased)
    }

    /// Users of a PPDU of several users, in groups of those that have chosen the same unit at random.
    pub(crate) fn units(&self) -> impl Iterator<Item = &[User<P>]> {
        self.users().chunk_by(|one, other| one.is_random && one.place == other.place)
    }

    /// Sum of the [shares](TxVector::share) of all units.
    pub(crate) fn shares(&self) -> u64 {
        self.units().map(|unit| unit[0].tx.share()).sum()
    }

    /// PPDUs as which the ends of each part see a turn of several users: one with the content of each part. Empty for a
    /// PPDU that has the same content for all.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Self>
    where
        P: Clone,
    {
        let is_down = self.frame.kind == FrameKind::MultiUser;
        let users = if self.has_parts() { self.users() } else { &[] };
        let ap = self.initiator.member();
        users.iter().map(move |user| {
            let (from, to) = if is_down { (ap, user.station) } else { (user.station, ap) };
            let User { kind, tx, psdu, ref mpdus, .. } = *user;
            let errored = user.errored || user.collided || user.is_out_of_reach;
            let retry = mpdus.iter().any(|mpdu| mpdu.retry);
            let rest = match &user.block_ack {
                Some(bitmap) => Some(Rest::BlockAck(bitmap.clone())),
                None if user.joined.is_empty() => None,
                None => Some(Rest::Joined(user.joined.clone())),
            };
            Self {
                frame: Frame { kind, from, to: Some(to), tx, psdu, retry, ..self.frame },
                mpdus: mpdus.clone(),
                rest: rest.map(Box::new),
                collided: self.collided || user.collided,
                errored,
                ..*self
            }
        })
    }

    /// True if the PPDU is errored for member `id`. `missed` are the members for which a beacon is errored,
    /// ascending.
    #[inline]
    pub(crate) fn is_errored_for(&self, id: NodeId, missed: &[NodeId]) -> bool {
        self.errored && self.frame.errs_for(id, missed)
    }
}
