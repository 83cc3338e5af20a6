//! Trace of a run: frames, channel access, windows and rates, beyond the run's records.
//!
//! A recorder asks for the trace at compile time ([`Recorder::TRACES`]). A run without such a recorder spends no time
//! on it.
//!
//! | item | traced when | used for |
//! | --- | --- | --- |
//! | [`Frame`](Trace::Frame) | the frame leaves the air | captures, timelines of frames, collisions |
//! | [`Access`](Trace::Access) | the state of channel access changes | timelines of back-off and waiting |
//! | [`Window`](Trace::Window), [`Rate`](Trace::Rate) | the window or the rate changes | curves of flows |
//! | [`Sent`](Trace::Sent), [`Received`](Trace::Received), [`Lost`](Trace::Lost), [`Sender`](Trace::Sender) | a sender has acted | logs of transports |
//!
//! Lengths of queues and rates of links are records ([`airfair_wlan::Record`]).
//!
//! A frame comes with its times, vector, duration field, sequence numbers and packets, the elements of a beacon, the
//! members that have received the frame, the MPDUs with errors, the bitmap of a `BlockAck`, and its power where there
//! is a radio. Contention does not touch members that wait, so after each event the world looks at the channel access
//! of every member. An exchange starts when the countdown that the trace has reported is over; tests check this.
//!
//! [`Recorder::TRACES`]: crate::recorder::Recorder::TRACES

pub use airfair_transport::quic::LostPacket;
use airfair_units::{Bytes, DataRate, Duration};
pub use airfair_wlan::{ChannelAccess, FrameOutcome, Monitored};

use crate::packet::{FlowId, Packet};
use crate::record::{CellId, Member, SenderWindow};

/// Event of a run that is passed to the recorder for a capture of frames or a timeline.
#[derive(Clone, Copy, Debug)]
pub enum Trace<'w> {
    /// A frame has left the air.
    Frame(CellId, &'w Monitored<Packet>),
    /// The state of a member's channel access has changed to this one.
    Access(Member, ChannelAccess),
    /// The window of a TCP or QUIC sender has changed to this one.
    Window(FlowId, SenderWindow),
    /// The rate at which a TFRC sender sends while it has data has changed to this one; `None` below 1 bit/s.
    Rate(FlowId, Option<DataRate>),
    /// The sender of a TCP, QUIC or TFRC flow has sent a packet, which its host has not handed back.
    Sent(&'w Packet),
    /// The sender of a flow receives a packet of its receiver, which it has not handled yet.
    Received(&'w Packet),
    /// A QUIC sender has found a packet to be lost.
    Lost(FlowId, LostPacket),
    /// State of a TCP, QUIC or TFRC sender, after it has handled an event and sent its packets.
    Sender(FlowId, SenderState),
}

/// State of a TCP, QUIC or TFRC sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderState {
    /// Payload of a full segment, or a full datagram of QUIC; zero for TFRC.
    pub segment: Bytes,
    /// Congestion window, of TCP in whole segments; `None` for TFRC.
    pub cwnd: Option<Bytes>,
    /// Slow start threshold, of TCP in whole segments; `None` for TFRC, and before the first reduction.
    pub ssthresh: Option<Bytes>,
    /// Payload that TCP takes to be in the network, or datagrams of QUIC in flight; `None` for TFRC.
    pub in_network: Option<Bytes>,
    /// Smoothed round-trip time, once it has been measured.
    pub smoothed: Option<Duration>,
    /// Least round-trip time that TCP or QUIC has measured.
    pub least: Option<Duration>,
    /// Rate at which TFRC or QUIC sends while it has data; `None` for TCP, without pacing, and below 1 bit/s.
    pub pacing: Option<DataRate>,
}
