//! TCP in eleven flavours: one [`Sender`] and one [`Receiver`] make a connection.
//!
//! Before working here, read RFC 5681, RFC 6298 and RFC 6582; for selective acknowledgments RFC 2018 and
//! RFC 6675, for losses found by time RFC 8985.
//!
//! Data flows one way. Sequence numbers are offsets that never wrap: the SYN is number 0, the first octet of
//! data number 1, and the FIN follows the last octet. The receiver's own SYN is number 0 too, and the
//! receiver never sends data, so every `Segment::seq` of a receiver is 0 or 1. Protection against wrapped
//! sequence numbers (PAWS, [RFC7323 §5]) is therefore not needed.
//!
//! ```text
//!  config ──► Sender ─┬─ Congestion ──► airfair_laws      the window; with BBR, also the rate
//!                     ├─ Pacer                            earliest time of the next burst, if configured
//!                     ├─ Recovery                         duplicates, fast recovery, `recover`
//!                     ├─ Scoreboard ──► laws::prr         sacked, lost, in the network
//!                     ├─ RackTlp ──► RateSampler          RACK-TLP instead of the scoreboard, if configured
//!                     └─ RttEstimator                     retransmission time-out
//!  config ──► Receiver ─┬─ Reassembly                     out-of-order ranges
//!                       ├─ SackList                       which of them to report
//!                       ├─ ReceiverRtt                    round-trip estimate of the receiver, on request
//!                       └─ MarkCounters                   counters of accurate ECN, if configured
//! ```
//!
//! Not modelled: data in both directions, urgent data, RST, keep-alive, Nagle's algorithm, simultaneous
//! open, the receiver's own FIN (the connection ends half closed), giving up after many time-outs, the
//! persist timer. The last is not needed: the application reads at once, so the receiver's window never
//! closes, and a sender with nothing in flight may always send (at least a part of) one segment.

mod accurate;
mod config;
mod rack;
mod rack_tlp;
mod receiver;
mod receiver_rtt;
mod recovery;
mod rtt;
mod sack;
mod sack_list;
mod segment;
mod sender;
mod stats;
mod tlp;
mod tuning;
mod undo;

// Modules that TCP and QUIC share.
use crate::control::{congestion, delivery, flavour, pacing};
use crate::stream::{ranges, reassembly, source};

pub use crate::control::{Arithmetic, Flavour, SenderEvent, SlowStart};
pub use crate::stream::{Completed, Object, Source, Transfer, Video};
pub use airfair_laws::newreno::Deflation;
pub use airfair_laws::window_limit::WindowLimit;
pub use config::{
    DelayedAck, EcnFeedback, LossRecovery, ReceiverConfig, RecoveryTimer, RtoConfig, SenderConfig,
    UNSCALED_WINDOW,
};
pub use receiver::Receiver;
pub use segment::{Flags, OctetCounters, SackBlocks, Segment, Timestamps};
pub use sender::{RefusalOutcome, Sender};
pub use stats::{ReceiverStats, SenderStats};
