//! Actions that agents request.

use airfair_laws::window_limit::WindowLimit;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::{Elements, Listen, NodeId, Weights};

use super::LocalEnd;
use crate::record::Measured;

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
    /// Requests [`Seen::Timer`](super::Seen::Timer) at this time.
    Wake(Time),
    /// Requests [`Seen::Frame`](super::Seen::Frame) for these frames.
    Listen(Listen),
    /// Requests [`Seen::Packet`](super::Seen::Packet) for each packet that the access point forwards.
    WatchPackets,
    /// Requests to [choose](super::CustomAgent::choose_users) the stations of the access point's multi-user PPDUs.
    ScheduleUsers,
    /// Makes bulk for a station wait at the access point, if true, or go on.
    Hold(NodeId, bool),
    /// An access point grants a station some time, at most 32.767 ms, by a CTS to it: others keep quiet.
    Grant(NodeId, Duration),
    /// An access point ends a grant before its time.
    EndGrant,
    /// Drops the passing packet.
    DropPacket,
    /// Delays the passing packet until this time. The agents of the access point do not see it again.
    DelayPacket(Time),
}
