//! Monitor of a cell, for traces: each PPDU with its outcome at its receivers, and the state of each member's channel
//! access.
//!
//! Nothing is recorded before [`Cell::monitor`] is called.

use std::collections::VecDeque;

use airfair_units::Time;

use super::interface::Cell;
use super::mac::CellMac;
use super::monitored::{Monitor, Monitored, Part};
use crate::air::Air;
use crate::air::access::{AccessState, ChannelAccess};
use crate::frame::Ppdu;
use crate::node::NodeId;
use crate::queue::headers::Headers;
use crate::roster::ContenderId;

impl<P: Copy + Headers> Cell<P> {
    /// Keeps each frame that leaves the air from now on, for [`poll_monitored`](Self::poll_monitored).
    pub fn monitor(&mut self) {
        let reported = vec![ChannelAccess::default(); self.mac.members.len()];
        let monitor = || Box::new(Monitor { frames: VecDeque::new(), reported });
        self.mac.monitor.get_or_insert_with(monitor);
        self.air.observers_mut().every_ppdu = true;
    }

    /// Takes the next frame that has left the air, with its content and outcome.
    pub fn poll_monitored(&mut self) -> Option<Monitored<P>> {
        self.mac.monitor.as_mut()?.frames.pop_front()
    }

    /// Calls `tell` with each member whose channel access has changed since the last call, and with its new state.
    pub fn tell_access(&mut self, mut tell: impl FnMut(NodeId, ChannelAccess)) {
        let Some(monitor) = &mut self.mac.monitor else { return };
        for (node, reported) in (0..).map(NodeId).zip(&mut monitor.reported) {
            let access = access(&self.air, node);
            if std::mem::replace(reported, access) != access {
                tell(node, access);
            }
        }
    }
}

/// State of a member's channel access. A member with several categories has the state of the category in an exchange,
/// or else of the one with the fewest slots left.
fn access<P>(air: &Air<P>, node: NodeId) -> ChannelAccess {
    let access_of = |id: ContenderId| match air.accesses[id.index()].state {
        AccessState::Idle => ChannelAccess::Resting,
        AccessState::Contending => air.contention.countdown(id),
        AccessState::Exchange(_) => ChannelAccess::InExchange,
    };
    air.roster.of(node).map(access_of).min_by_key(ChannelAccess::order).unwrap_or_default()
}

impl<P: Copy + Headers> CellMac<P> {
    /// Stores frames that leave the air for the monitor, before they have any effect.
    #[cold]
    #[inline(never)]
    pub(super) fn keep_monitored(&mut self, air: &mut Air<P>, now: Time, ended: &[Ppdu<P>]) {
        for ppdu in ended {
            let leader = ppdu.frame.from;
            let mut parts = ppdu.parts().zip(ppdu.users()).peekable();
            if parts.peek().is_none() {
                self.keep_one(air, now, ppdu.clone(), leader);
            }
            for (part, user) in parts {
                self.keep_one(air, now, part, leader);
                let last = self.monitor.as_mut().and_then(|monitor| monitor.frames.back_mut());
                if let Some(kept) = last {
                    (kept.category, kept.part) = (user.category, Some(Part::of(ppdu, user)));
                }
            }
        }
    }

    /// Stores one PPDU. Members that receive it are synchronised to the frame of `leader`.
    fn keep_one(&mut self, air: &mut Air<P>, now: Time, ppdu: Ppdu<P>, leader: NodeId) {
        let frame = &ppdu.frame;
        let signal = frame.addressee().and_then(|to| air.signal(now, (frame.from, to), frame.tx));
        let monitored = Monitored {
            elements: air.elements_of(frame),
            receivers: receivers(air, &ppdu, leader),
            signal,
            category: air.roster.category(ppdu.initiator),
            part: None,
            ppdu,
        };
        if let Some(monitor) = &mut self.monitor {
            monitor.frames.push_back(monitored);
        }
    }
}

/// Members that decode the PPDU and to which it is addressed. They are synchronised to the frame of `leader`.
fn receivers<P: Copy>(air: &Air<P>, ppdu: &Ppdu<P>, leader: NodeId) -> Vec<NodeId> {
    let frame = &ppdu.frame;
    let decodes = |id: &NodeId| {
        let is_noise = ppdu.is_errored_for(*id, &air.missed);
        *id != frame.from && !is_noise && (air.decodes(*id, leader) || air.receives(*id, leader))
    };
    if let Some(to) = frame.addressee() {
        let is_lost = ppdu.collided || ppdu.missed;
        return Some(to).filter(|to| !is_lost && decodes(to)).into_iter().collect();
    }
    let users = ppdu.users();
    let is_user = |id: &NodeId| users.iter().any(|user| user.station == *id);
    let is_for_all = users.is_empty() || ppdu.trigger().is_some_and(|it| it.random.is_some());
    let addressed = air.members().filter(|id| is_for_all || is_user(id));
    addressed.filter(decodes).collect()
}
