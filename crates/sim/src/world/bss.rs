//! A cell in the world, with the agents of its members.

use std::mem;

use airfair_units::{Bytes, Time};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::{Cell, Msdu, NodeId, Phase, QueueFull};

use super::waiting_ends::WaitingEnds;
use crate::coupling::{Agent, Schedulers};
use crate::flow::Full;
use crate::packet::Packet;
use crate::scenario::Beacons;
use crate::settable::Settable;

/// A basic service set: its cell, the agents of its members, and its beacons.
#[derive(Clone, Debug)]
pub(crate) struct Bss {
    pub(crate) cell: Cell<Packet>,
    /// LLC/SNAP headers in front of each packet on the air, or zero.
    pub(crate) msdu_overhead: Bytes,
    /// Bounds of the settings of each member, indexed by member; the access point comes first.
    pub(crate) members: Vec<Settable>,
    pub(crate) beacons: Option<Beacons>,
    /// Ends that wait for room in the queue of each member, by access category.
    pub(crate) waiting: Vec<[WaitingEnds; AccessCategory::ALL.len()]>,
    /// Agents of each member, indexed by member; empty if no member has an agent.
    pub(crate) agents: Vec<Vec<Agent>>,
    /// True if an agent of the access point wants the packets that it forwards.
    pub(crate) watches_packets: bool,
    /// True if an agent of the access point chooses the stations of multi-user PPDUs.
    pub(crate) schedules_users: bool,
}

impl Bss {
    /// True if an agent wants packets before they join the queue of this member.
    #[inline]
    pub(super) fn watches(&self, member: NodeId) -> bool {
        self.watches_packets && member.is_ap()
    }

    /// Handles an event of the cell, which has the access point's agents for that time if they choose the users of PPDUs.
    /// There is one call of the cell, so that it stays inlined.
    #[inline]
    pub(super) fn handle_event(&mut self, now: Time, phase: Phase) {
        if self.schedules_users {
            self.lend_agents();
        }
        self.cell.handle_event(now, phase);
        if self.schedules_users {
            self.take_back_agents();
        }
    }

    #[cold]
    fn lend_agents(&mut self) {
        let agents = mem::take(&mut self.agents[NodeId::AP.index()]);
        self.cell.lend(Box::new(Schedulers(agents)));
    }

    #[cold]
    fn take_back_agents(&mut self) {
        let lent = self.cell.take_back::<Schedulers>().expect("the agents that were lent");
        self.agents[NodeId::AP.index()] = lent.0;
    }

    /// Puts a packet into the transmit queue of a member of the cell.
    ///
    /// # Errors
    /// [`Full`] if the queue refuses the packet.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    pub(super) fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet,
        from: NodeId,
        to: NodeId,
    ) -> Result<(), Full> {
        let size = packet.size() + self.msdu_overhead;
        let msdu = Msdu { payload: packet, size, from, to };
        self.cell.enqueue(now, msdu).map_err(|QueueFull| Full)
    }
}
