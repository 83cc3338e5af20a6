//! State of a running emulation, for the live view and the control socket.

use airfair_units::{DataRate, Duration};

use crate::lateness::Punctuality;
use crate::live::{Member, Simulated};
use crate::verdict::Objection;

/// Packets and frames of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Packets that it has sent into the cell.
    pub sent_packets: u64,
    /// Their octets, Ethernet's header apart.
    pub sent_bytes: u64,
    /// Packets that have come to it.
    pub received_packets: u64,
    /// Their octets, Ethernet's header apart.
    pub received_bytes: u64,
    /// Packets of its own that its transmit queue had no room for.
    pub refused: u64,
    /// Packets of its own that were lost behind it.
    pub lost: u64,
    /// Packets that came for it while its interface was off or gone.
    pub not_taken: u64,
    /// Packets of its own that the kernel dropped before they were read here.
    pub unread: u64,
    /// Packets for it that the kernel dropped once they had crossed the cell.
    pub undelivered: u64,
    /// Frames of its own for nobody here.
    pub unknown: u64,
    /// Frames that were none, or too long.
    pub garbage: u64,
}

/// A station or host while the emulation goes on.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeView {
    /// Packets that it has sent and received.
    pub traffic: Traffic,
    /// Octets that simulated flows of the scenario have delivered from it and to it.
    pub simulated: Simulated,
    /// Its use of the air; `None` for a host.
    pub member: Option<Member>,
    /// Rates of its link now, up and down, by what is known.
    pub rates: [Option<DataRate>; 2],
    /// False once its interface has gone.
    pub is_there: bool,
}

/// State of an emulation at one moment.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Channel time.
    pub elapsed: Duration,
    /// Lateness against the wall clock.
    pub punctuality: Punctuality,
    /// One per node of the plan.
    pub nodes: Vec<NodeView>,
    /// One per cell.
    pub access_points: Vec<Member>,
    /// The reasons why its figures should not be used; none if it is valid so far.
    pub objections: Vec<Objection>,
}
