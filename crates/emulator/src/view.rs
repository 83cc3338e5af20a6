//! Snapshot of a running emulation, for the live view and the control socket.

use airfair_units::{DataRate, Duration};

use crate::laws::LawTime;
use crate::live::{ChannelUse, Member, Simulated, SimulatedFlow};
use crate::verdict::{Objection, Punctuality};

/// Counters of packets and frames of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Number of packets that the node has sent into the cell.
    pub sent_packets: u64,
    /// Octets in the packets that the node has sent, without Ethernet headers.
    pub sent_bytes: u64,
    /// Number of packets that the node has received from the cell.
    pub received_packets: u64,
    /// Octets in the packets that the node has received, without Ethernet headers.
    pub received_bytes: u64,
    /// Number of packets of the node that have reached another node.
    pub delivered_packets: u64,
    /// Sum of the delays of these packets, which include queues, the air and wires.
    pub sent_delay: Duration,
    /// Sum of the delays of the packets that the node has received.
    pub received_delay: Duration,
    /// Number of packets of the node that its full transmit queue refused.
    pub refused: u64,
    /// Packets of the node that were lost after its transmit queue had accepted them.
    pub lost: u64,
    /// Packets for the node that arrived while its interface was down or removed.
    pub not_taken: u64,
    /// Packets of the node that the kernel dropped before the emulator read them.
    pub unread: u64,
    /// Packets for the node that the kernel dropped after they had crossed the cell.
    pub undelivered: u64,
    /// Number of frames of the node whose destination address belongs to no node.
    pub unknown: u64,
    /// Number of malformed or oversized frames of the node.
    pub garbage: u64,
}

/// State of a station or host of an emulation.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeView {
    /// Counters of the node's packets and frames.
    pub traffic: Traffic,
    /// Payload that simulated flows have delivered from and to the node.
    pub simulated: Simulated,
    /// Use of the channel by the node; `None` for a host.
    pub member: Option<Member>,
    /// Current rates of the node's link, up and down; `None` while unknown.
    pub rates: [Option<DataRate>; 2],
    /// False once the node's interface has been removed.
    pub has_interface: bool,
}

/// State of an emulation at one moment.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Channel time since the start of the emulation.
    pub elapsed: Duration,
    /// Lateness of the emulation against the wall clock.
    pub punctuality: Punctuality,
    /// State of each station and host, in the order of the nodes in the emulation's `Plan`.
    pub nodes: Vec<NodeView>,
    /// Counters of each flow of the scenario, in its order; `None` for one that the kernel carries.
    pub flows: Vec<Option<SimulatedFlow>>,
    /// State of each access point, in the order of the cells.
    pub access_points: Vec<Member>,
    /// Time of the channel of each cell that no station's exchange used, in the order of the cells.
    pub channels: Vec<ChannelUse>,
    /// Time that each law has used.
    pub laws: Vec<LawTime>,
    /// Reasons not to use the figures of the emulation; none if it is valid so far.
    pub objections: Vec<Objection>,
}
