//! Events of which the agents of a node are notified.

use airfair_units::DataRate;
use airfair_wlan::{Elements, NodeId, Overheard};

use crate::packet::Packet;

/// Event at a node, of which the node's agents are notified.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'w> {
    /// The run starts.
    Start,
    /// The run ends.
    End,
    /// The node has decoded or sent a frame, which may be a beacon with elements.
    Frame(&'w Overheard<'w, Packet>),
    /// The rate of the station's own frames has changed.
    Rate {
        /// New rate of the station's own frames.
        rate: DataRate,
        /// The highest rate of the station's standard.
        highest_rate: DataRate,
    },
    /// The access point forwards a packet.
    Packet {
        /// Point in the access point's forwarding path at which it sees the packet.
        passage: Passage,
        /// Station that has sent the packet to the access point, or to which the access point sends it.
        station: NodeId,
        /// The packet, before the actions of this agent.
        packet: &'w Packet,
    },
    /// A beacon of the access point is due. It has these elements of the agents before.
    BeaconDue(&'w Elements),
    /// An alarm of some agent of the node is due. An agent whose own alarm is not due ignores this event.
    Timer,
}

/// Point in the access point's forwarding path at which it sees a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// A station has sent the packet to the access point.
    FromStation,
    /// The packet is about to join the queue to the stations.
    ToQueue,
    /// A station has received the packet from the access point.
    Delivered,
}
