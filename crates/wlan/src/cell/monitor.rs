//! Monitor of a cell, for traces: each PPDU with its outcome at its receivers, and the state of each member's channel
//! access.
//!
//! Nothing is recorded before [`Cell::monitor`] is called.

use std::collections::VecDeque;

use airfair_units::{Dbm, Time};

use super::Cell;
use super::undisturbed::Audience;
use crate::block_ack::Bitmap;
use crate::contender::Access;
use crate::edca::AccessCategory;
use crate::elements::Elements;
use crate::frame::{FrameKind, Mpdu, Ppdu};
use crate::node::NodeId;
use crate::queue::headers::Headers;
use crate::roster::ContenderId;

/// A PPDU that has left the air, with facts that no single member knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitored<P> {
    /// The PPDU, as it was on the air.
    pub ppdu: Ppdu<P>,
    /// Elements of the beacon; empty if the PPDU is no beacon.
    pub elements: Elements,
    /// Members that the PPDU is addressed to and that have decoded it, ascending. Only a beacon may have several.
    pub receivers: Vec<NodeId>,
    /// Power and noise of the PPDU at its addressee, in a cell with a radio.
    pub signal: Option<Signal>,
    /// Access category of the exchange to which the PPDU belongs; without meaning for a beacon.
    pub category: AccessCategory,
    /// Starting sequence number and bits of the `BlockAck`, or only the starting number of the `BlockAckReq`; `None` if
    /// the PPDU is neither.
    pub block_ack: Option<Bitmap>,
}

/// Outcome of a PPDU at its receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameOutcome {
    /// The addressee has decoded the PPDU; for a beacon or a CTS-to-self, any member has.
    Received,
    /// Another frame overlapped the PPDU.
    Collided,
    /// Noise has destroyed the PPDU.
    Errored,
    /// The addressee did not receive the PPDU: it was not synchronised to the PPDU, or does not decode such PPDUs.
    Missed,
}

impl<P> Monitored<P> {
    /// Outcome of the PPDU at its receivers.
    pub fn outcome(&self) -> FrameOutcome {
        match &self.ppdu {
            Ppdu { collided: true, .. } => FrameOutcome::Collided,
            _ if !self.receivers.is_empty() => FrameOutcome::Received,
            Ppdu { errored: true, .. } => FrameOutcome::Errored,
            _ => FrameOutcome::Missed,
        }
    }

    /// Outcome of one MPDU of the PPDU, since noise affects each MPDU by itself.
    pub fn outcome_of(&self, mpdu: &Mpdu<P>) -> FrameOutcome {
        match self.outcome() {
            FrameOutcome::Received if mpdu.errored => FrameOutcome::Errored,
            outcome => outcome,
        }
    }

    /// Number of MPDUs of the PPDU that have not arrived.
    pub fn lost_mpdus(&self) -> usize {
        self.ppdu
            .mpdus
            .iter()
            .filter(|mpdu| self.outcome_of(mpdu) != FrameOutcome::Received)
            .count()
    }
}

/// Received power of a frame at its receiver, and the noise there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Received power, fading included.
    pub power: Dbm,
    /// Noise of the receiver: thermal noise and the noise that the receiver adds.
    pub noise: Dbm,
}

/// State of a member's channel access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChannelAccess {
    /// The member has nothing to send.
    #[default]
    Resting,
    /// A packet waits while the medium is busy, physically or virtually.
    Deferring {
        /// Slots of the back-off left to count.
        slots: u64,
    },
    /// A packet waits while the medium is idle: first for the end of the interframe space and of the NAV, and then for
    /// the slots of its back-off.
    CountingDown {
        /// Time from which slots of the back-off count.
        from: Time,
        /// Slots of the back-off left to count at the time `from`.
        slots: u64,
    },
    /// The member has won the channel: a frame of its exchange is on the air or due, or a response is awaited.
    InExchange,
}

impl ChannelAccess {
    /// Rank of the state: of the states of a member's categories, the one with the lowest rank represents the member.
    fn order(&self) -> (u8, u64) {
        match *self {
            Self::InExchange => (0, 0),
            Self::CountingDown { slots, .. } | Self::Deferring { slots } => (1, slots),
            Self::Resting => (2, 0),
        }
    }
}

/// State of the monitor of a cell.
#[derive(Clone, Debug)]
pub(super) struct Monitor<P> {
    pub(super) frames: VecDeque<Monitored<P>>,
    /// State of each member's channel access when it was last reported.
    reported: Vec<ChannelAccess>,
}

impl<P: Copy + Headers> Cell<P> {
    /// Keeps each frame that leaves the air from now on, for [`poll_monitored`](Self::poll_monitored).
    pub fn monitor(&mut self) {
        let reported = vec![ChannelAccess::default(); self.members.len()];
        let monitor = || Box::new(Monitor { frames: VecDeque::new(), reported });
        self.monitor.get_or_insert_with(monitor);
        self.audience = Audience::Monitor;
    }

    /// Takes the next frame that has left the air, with its content and outcome.
    pub fn poll_monitored(&mut self) -> Option<Monitored<P>> {
        self.monitor.as_mut()?.frames.pop_front()
    }

    /// Calls `tell` with each member whose channel access has changed since the last call, and with its new state.
    pub fn tell_access(&mut self, mut tell: impl FnMut(NodeId, ChannelAccess)) {
        let Some(mut monitor) = self.monitor.take() else { return };
        for (node, reported) in (0..).map(NodeId).zip(&mut monitor.reported) {
            let access = self.access(node);
            if std::mem::replace(reported, access) != access {
                tell(node, access);
            }
        }
        self.monitor = Some(monitor);
    }

    /// State of a member's channel access. A member with several categories has the state of the category in an
    /// exchange, or else of the one with the fewest slots left.
    fn access(&self, node: NodeId) -> ChannelAccess {
        let all = self.roster.of(node).map(|id| self.access_of(id));
        all.min_by_key(ChannelAccess::order).unwrap_or_default()
    }

    fn access_of(&self, id: ContenderId) -> ChannelAccess {
        match self.contenders[id.index()].access {
            Access::Idle => ChannelAccess::Resting,
            Access::Contending => self.contention.countdown(id),
            Access::Exchange(_) => ChannelAccess::InExchange,
        }
    }

    /// Stores frames that leave the air for the monitor, before they have any effect.
    #[cold]
    #[inline(never)]
    pub(super) fn keep_monitored(&mut self, now: Time, ended: &[Ppdu<P>]) {
        for ppdu in ended {
            let (receivers, signal) = (self.receivers(ppdu), self.signal(now, ppdu));
            let elements = match &self.beacons.on_air {
                Some(beacon) if ppdu.frame.kind == FrameKind::Beacon => beacon.elements,
                _ => Elements::default(),
            };
            let (category, block_ack) =
                (self.roster.category(ppdu.initiator), self.block_ack_of(ppdu));
            let Some(monitor) = &mut self.monitor else { return };
            let ppdu = ppdu.clone();
            let monitored = Monitored { ppdu, elements, receivers, signal, category, block_ack };
            monitor.frames.push_back(monitored);
        }
    }

    /// Content of the `BlockAck` or `BlockAckReq` in a PPDU. The link has not changed since the frame was made, because
    /// the exchange still goes on.
    fn block_ack_of(&mut self, ppdu: &Ppdu<P>) -> Option<Bitmap> {
        let (frame, id) = (&ppdu.frame, ppdu.initiator);
        match frame.kind {
            FrameKind::BlockAck => Some(self.block_ack(id, frame.from)),
            FrameKind::BlockAckRequest => {
                let link = self.contenders[id.index()].queue.link(frame.to?);
                link.originator.request().map(Bitmap::new)
            }
            _ => None,
        }
    }

    /// Members that decode the PPDU and to which it is addressed.
    fn receivers(&self, ppdu: &Ppdu<P>) -> Vec<NodeId> {
        let frame = &ppdu.frame;
        let decodes = |id: &NodeId| {
            let is_noise = ppdu.is_errored_for(*id, &self.beacons.missed);
            *id != frame.from && !is_noise && self.contention.decodes(*id, frame.from)
        };
        match frame.addressee() {
            Some(to) => {
                let is_lost = ppdu.collided || ppdu.missed;
                Some(to).filter(|to| !is_lost && decodes(to)).into_iter().collect()
            }
            None => (0..).map(NodeId).take(self.members.len()).filter(decodes).collect(),
        }
    }

    /// Power and noise of a frame between a station and the access point.
    fn signal(&mut self, now: Time, ppdu: &Ppdu<P>) -> Option<Signal> {
        let frame = &ppdu.frame;
        let to = frame.addressee()?;
        let station = if frame.from.is_ap() { to } else { frame.from };
        self.noise.signal(now, station, frame.tx)
    }
}
