//! A monitor of the cell: each PPDU with what became of it everywhere, and how far each member's channel access is.
//!
//! Nothing is kept, and nobody looks, before [`Cell::monitor`] is called.

use std::collections::VecDeque;

use airfair_units::{Dbm, Time};

use super::Cell;
use super::undisturbed::Audience;
use crate::block_ack::Bitmap;
use crate::config::NodeId;
use crate::contender::Access;
use crate::edca::AccessCategory;
use crate::elements::Elements;
use crate::frame::{FrameKind, Mpdu, Ppdu};
use crate::queue::headers::Headers;
use crate::roster::ContenderId;

/// A PPDU that has left the air, as only a monitor knows it that is everywhere at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitored<P> {
    /// The PPDU.
    pub ppdu: Ppdu<P>,
    /// Elements that others have put into it, if it is a beacon.
    pub elements: Elements,
    /// Members that it is addressed to and that have decoded it, ascending: one at most, but of a beacon.
    pub receivers: Vec<NodeId>,
    /// Power and noise at its addressee, in a cell with a radio.
    pub signal: Option<Signal>,
    /// Access category of the exchange that it is of; it means nothing for a beacon.
    pub category: AccessCategory,
    /// Starting number and bits of a `BlockAck`; a request has a starting number and no bits.
    pub block_ack: Option<Bitmap>,
}

/// What became of a PPDU at those for whom it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its addressee has decoded it; of a beacon or a CTS-to-self anyone.
    Received,
    /// Another frame overlapped it.
    Collided,
    /// Noise has left nothing of it.
    Errored,
    /// Nobody whom it is for was listening: its receiver was no longer in step with it, or does not decode it.
    Missed,
}

impl<P> Monitored<P> {
    /// What became of it.
    pub fn fate(&self) -> Fate {
        match &self.ppdu {
            Ppdu { collided: true, .. } => Fate::Collided,
            _ if !self.receivers.is_empty() => Fate::Received,
            Ppdu { errored: true, .. } => Fate::Errored,
            _ => Fate::Missed,
        }
    }

    /// Fate of one of its MPDUs: each errs by itself.
    pub fn fate_of(&self, mpdu: &Mpdu<P>) -> Fate {
        match self.fate() {
            Fate::Received if mpdu.errored => Fate::Errored,
            fate => fate,
        }
    }

    /// Number of its MPDUs that have not come.
    pub fn lost_mpdus(&self) -> usize {
        self.ppdu.mpdus.iter().filter(|mpdu| self.fate_of(mpdu) != Fate::Received).count()
    }
}

/// Power of a frame at its receiver, beside the noise there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Power that arrives, fading included.
    pub power: Dbm,
    /// Thermal noise and that of the receiver.
    pub noise: Dbm,
}

/// Channel access of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChannelAccess {
    /// Nothing to send.
    #[default]
    Resting,
    /// A packet waits while the medium is busy, physically or virtually.
    Deferring {
        /// Slots left to count.
        slots: u64,
    },
    /// A packet waits while the medium is idle: for the end of the interframe space and of the NAV first, and for as
    /// many slots from there on.
    CountingDown {
        /// Time from which on slots count.
        from: Time,
        /// Slots left to count then.
        slots: u64,
    },
    /// It has won the channel: a frame of its exchange is on the air or due, or a response is awaited.
    InExchange,
}

impl ChannelAccess {
    /// Order of the categories of a member: the one that it is about most.
    fn order(&self) -> (u8, u64) {
        match *self {
            Self::InExchange => (0, 0),
            Self::CountingDown { slots, .. } | Self::Deferring { slots } => (1, slots),
            Self::Resting => (2, 0),
        }
    }
}

/// Knowledge of a monitor that nobody has asked for yet.
#[derive(Debug)]
pub(super) struct Monitor<P> {
    pub(super) frames: VecDeque<Monitored<P>>,
    /// Channel access of each member, as it was told last.
    told: Vec<ChannelAccess>,
}

impl<P: Copy + Headers> Cell<P> {
    /// From now on each frame that leaves the air is kept for [`poll_monitored`](Self::poll_monitored).
    pub fn monitor(&mut self) {
        let told = vec![ChannelAccess::default(); self.members.len()];
        let monitor = || Box::new(Monitor { frames: VecDeque::new(), told });
        self.monitor.get_or_insert_with(monitor);
        self.audience = Audience::Monitor;
    }

    /// A frame that has left the air, with what it carried and what became of it.
    pub fn poll_monitored(&mut self) -> Option<Monitored<P>> {
        self.monitor.as_mut()?.frames.pop_front()
    }

    /// Tells of each member whose channel access is another than when this was asked last.
    pub fn tell_access(&mut self, mut tell: impl FnMut(NodeId, ChannelAccess)) {
        let Some(mut monitor) = self.monitor.take() else { return };
        for (node, told) in (0..).map(NodeId).zip(&mut monitor.told) {
            let access = self.access(node);
            if std::mem::replace(told, access) != access {
                tell(node, access);
            }
        }
        self.monitor = Some(monitor);
    }

    /// Of several categories that which is in an exchange, else that which has the fewest slots left.
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

    /// Keeps frames that leave the air, before anyone acts upon them.
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

    /// Numbers in a `BlockAck` or a request for one. Nothing has come on the link since the frame was made: the exchange
    /// that it is of is still under way.
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

    /// Members that a frame is for and that decode it.
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
