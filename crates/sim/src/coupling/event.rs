//! Events that agents see, and actions that they request.

use airfair_laws::window_limit::WindowLimit;
use airfair_units::{Bytes, DataRate, Time};
use airfair_wlan::{Elements, Listen, NodeId, Overheard, Weights};

use super::LocalEnd;
use crate::packet::Packet;
use crate::record::Measured;

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

/// Action that an agent, which runs a scheme at a node of the simulated cell, requests from the simulated network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Limits the window of TCP at this end of a flow: at a sender beside cwnd, at a receiver in the window of its
    /// ACKs. A receiver's limit is in octets.
    LimitWindow(LocalEnd, WindowLimit),
    /// Sets cwnd of the TCP sender at this end of a flow [segments].
    SetCwnd(LocalEnd, u32),
    /// Limits the rate of TFRC at this end of a flow: a receiver reports at most this rate, a sender sends at most at
    /// this rate.
    LimitRate(LocalEnd, DataRate),
    /// Removes all limits of the transport at this end of a flow.
    Lift(LocalEnd),
    /// Makes a TCP receiver estimate its round-trip time from now on.
    EstimateRoundTrip(LocalEnd),
    /// Sets the weights of DATA and ACKs in the queue of the agent's node.
    SetWeights(Weights),
    /// Lowers the window that the passing ACK advertises to at most this value.
    RewriteWindow(Bytes),
    /// Adds elements to the beacon that is due.
    AddElements(Elements),
    /// Records a station's measurement of its channel.
    Report(Measured),
    /// Requests [`Seen::Timer`] at this time.
    Wake(Time),
    /// Requests [`Seen::Frame`] for these frames.
    Listen(Listen),
    /// Requests [`Seen::Packet`] for each packet that the access point forwards.
    WatchPackets,
    /// Drops the passing packet.
    DropPacket,
    /// Delays the passing packet until this time. The agents of the access point do not see it again.
    DelayPacket(Time),
}
