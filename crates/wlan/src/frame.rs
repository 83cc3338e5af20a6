//! Frames on the air and the packets they carry.
//!
//! ```text
//!  Contender ── serves ──► batch of MPDUs ── copied ──► Ppdu ── on the air ──► receiver, noise, listeners, monitor
//!    queue                  sequence, retry              Frame: kind, from, to, TxVector, durations
//!    back-off                                            MPDUs, an error flag for each
//!    Exchange: Following ─► OnAir ─► done | Unanswered
//! ```
//!
//! A PPDU owns its MPDUs: delivery, errors, overhearing and traces read them from the PPDU and from no queue. In an
//! undisturbed exchange there is no PPDU, and the packets in service stand for it. A `TxVector` sets how a frame is sent;
//! the control frames for each vector are in a table (`airtime`).

use std::num::NonZeroU16;

use airfair_units::{Bytes, Duration, Time};

use crate::airtime;
use crate::config::NodeId;
use crate::elements::Elements;
use crate::phy::TxVector;
use crate::roster::ContenderId;

/// Header, 24 octets, and frame check sequence, 4, of a data frame without `QoS`.  [80211-2020 §9.3.2.1]
pub const DATA_OVERHEAD: Bytes = Bytes::new(28);
/// ACK and CTS frame.  [80211-2020 §9.3.1.3, §9.3.1.4]
pub const ACK_SIZE: Bytes = Bytes::new(14);
/// CTS frame.  [80211-2020 §9.3.1.3]
pub const CTS_SIZE: Bytes = Bytes::new(14);
/// RTS frame.  [80211-2020 §9.3.1.2]
pub const RTS_SIZE: Bytes = Bytes::new(20);

/// A packet on its way through the cell; `P` is what the owner attaches to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msdu<P> {
    /// The owner's part.
    pub payload: P,
    /// Octets handed to the MAC, LLC/SNAP included.
    pub size: Bytes,
    /// Transmitter of this hop.
    pub from: NodeId,
    /// Receiver of this hop.
    pub to: NodeId,
}

impl<P> Msdu<P> {
    /// The same with the owner's part where it lies.
    #[inline]
    pub fn as_ref(&self) -> Msdu<&P> {
        let Self { ref payload, size, from, to } = *self;
        Msdu { payload, size, from, to }
    }
}

impl Msdu<()> {
    /// The same with an owner's part.
    #[inline]
    pub(crate) fn with<P>(self, payload: P) -> Msdu<P> {
        let Self { size, from, to, .. } = self;
        Msdu { payload, size, from, to }
    }
}

/// A beacon that the access point is to send.  [80211-2020 §9.3.3]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beacon {
    /// Octets of its MPDU, header and frame check sequence included.
    pub psdu: Bytes,
    /// Elements that others have put into it.
    pub elements: Elements,
}

/// Purpose of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Carries an MSDU.
    Data,
    /// Answers a data frame.
    Ack,
    /// Answers an aggregate or a request: says which MPDUs have come.  [80211-2020 §9.3.1.8]
    BlockAck,
    /// Asks which MPDUs have come, and says which ones do not come any more.  [80211-2020 §9.3.1.7]
    BlockAckRequest,
    /// Asks for the medium.
    Rts,
    /// Grants it.
    Cts,
    /// A CTS that an ERP station sends to itself, so that b stations keep quiet.  [80211-2020 §10.3.2.14]
    CtsToSelf,
    /// Announces the cell to all: nobody answers it.  [80211-2020 §9.3.3]
    Beacon,
}

impl FrameKind {
    /// The kind of frame that a response answers.
    pub(crate) fn answers(self) -> Self {
        if self == Self::Cts { Self::Rts } else { Self::Data }
    }
}

/// A data frame: a packet behind a MAC header.  [80211-2020 §9.2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mpdu<P> {
    /// The packet; of an A-MSDU the first one.
    pub msdu: Msdu<P>,
    /// Octets of the A-MSDU, if it is one.  [80211-2020 §9.3.2.2]
    pub amsdu: Option<NonZeroU16>,
    /// Sequence number, modulo 4096.  [80211-2020 §9.2.4.4.2]
    pub sequence: u16,
    /// Retry bit: the same frame has been on the air before.  [80211-2020 §9.2.4.1.7]
    pub retry: bool,
    /// True if noise has made an error in it on its way.
    pub errored: bool,
}

impl<P> Mpdu<P> {
    /// Its octets if it is sent so, header and frame check sequence included.
    #[inline]
    pub fn size(&self, tx: TxVector) -> Bytes {
        let amsdu = self.amsdu.map(|octets| Bytes::new(u64::from(octets.get())));
        airtime::mpdu(amsdu.unwrap_or(self.msdu.size), tx)
    }
}

/// Part of a PPDU that tells whoever decodes it how it is sent, and the fields of its MAC header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its purpose.
    pub kind: FrameKind,
    /// Its transmitter.
    pub from: NodeId,
    /// Whom it is addressed to; nobody in particular if it is for all. A CTS to oneself names the station
    /// whose exchange it is.
    pub to: Option<NodeId>,
    /// Vector that it is sent with.
    pub tx: TxVector,
    /// Octets of its PSDU.
    pub psdu: Bytes,
    /// Time on the air.
    pub duration: Duration,
    /// Duration field: how long the exchange lasts after this frame.  [80211-2020 §9.2.5]
    pub duration_field: Duration,
    /// True if it is, or protects, a data frame of which an attempt has failed.
    pub retry: bool,
}

impl Frame {
    /// True if an error in it is one for `id`: for its receiver, and of a beacon for those who have `missed` it, ascending.
    #[inline]
    pub(crate) fn errs_for(&self, id: NodeId, missed: &[NodeId]) -> bool {
        self.to.map_or_else(|| missed.binary_search(&id).is_ok(), |to| to == id)
    }

    /// Whoever is meant by it alone.
    #[inline]
    pub(crate) fn addressee(&self) -> Option<NodeId> {
        self.to.filter(|_| self.kind != FrameKind::CtsToSelf)
    }
}

/// A PPDU on the air, or one that has just left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ppdu<P> {
    /// The header: how it is sent, from whom, to whom.
    pub frame: Frame,
    /// The MPDUs of a data frame, several of an aggregate; of any other none.
    pub mpdus: Vec<Mpdu<P>>,
    /// Its start.
    pub start: Time,
    /// Its end.
    pub end: Time,
    /// True if another frame overlaps it at its receiver, a beacon at anyone who senses it. Where every member
    /// senses every other, all lose both.
    pub collided: bool,
    /// True if noise has left nothing of it for its receiver, and for nobody else; of a beacon for some.
    pub errored: bool,
    /// True if it is a response whose start escaped the one who waits for it.
    pub(crate) missed: bool,
    /// Contender whose exchange it is of.
    pub(crate) initiator: ContenderId,
}

impl<P> Ppdu<P> {
    /// A frame that starts at `start`.
    pub(crate) fn new(
        start: Time,
        (initiator, frame): (ContenderId, Frame),
        mpdus: Vec<Mpdu<P>>,
    ) -> Self {
        let end = start + frame.duration;
        let (collided, errored, missed) = (false, false, false);
        Self { frame, mpdus, start, end, collided, errored, missed, initiator }
    }

    /// True if it is errored for `id`. `missed` are those for whom the beacon is, ascending.
    #[inline]
    pub(crate) fn is_errored_for(&self, id: NodeId, missed: &[NodeId]) -> bool {
        self.errored && self.frame.errs_for(id, missed)
    }
}
