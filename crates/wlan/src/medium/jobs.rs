//! Frames that a MAC hands to the medium, and what the medium reports of them.

use airfair_units::{Bytes, Duration};

use crate::node::NodeId;
use crate::phy::TxVector;

/// Largest number of stages of a retry chain.
pub const STAGES: usize = 4;

/// Stage of a frame's retry chain: attempts at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Vector of the frame in this stage.
    pub tx: TxVector,
    /// Number of attempts in this stage, at least one.
    pub attempts: u8,
    /// True if RTS and CTS precede the frame in this stage.
    pub rts: bool,
}

/// Receivers of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// All members, none of which responds.
    All,
    /// One member, which responds.
    One(NodeId),
    /// An address that no member has. The frame has no response, and is sent again.
    Unknown,
}

/// A frame that a MAC hands to the medium. `T` is the type of the value by which the MAC identifies the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job<T> {
    /// Value by which the MAC identifies the frame.
    pub tag: T,
    /// Receivers of the frame.
    pub to: Addressee,
    /// Size of the PSDU, check sequence included.
    pub psdu: Bytes,
    /// Retry chain, which ends at the first empty stage.
    pub chain: [Option<Stage>; STAGES],
    /// True for a beacon, which precedes the frames that wait.
    pub is_urgent: bool,
}

/// Result of a frame that was acknowledged or given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done<T> {
    /// Value by which the MAC identifies the frame.
    pub tag: T,
    /// Transmitter of the frame.
    pub from: NodeId,
    /// Number of attempts made in each stage of the frame's retry chain.
    pub attempts: [u8; STAGES],
    /// True if the transmitter has received the ACK.
    pub acknowledged: bool,
    /// Duration of all frames of the frame's exchanges, control frames included.
    pub airtime: Duration,
}

/// Event that the medium reports to the MACs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News<T> {
    /// A frame has arrived at a member.
    Received {
        /// Value by which the sending MAC identifies the frame.
        tag: T,
        /// Member that has received the frame.
        by: NodeId,
        /// Vector of the frame.
        tx: TxVector,
        /// True if this was not the first attempt, so that the frame may have arrived before.
        again: bool,
    },
    /// A frame was acknowledged or given up.
    Done(Done<T>),
}
