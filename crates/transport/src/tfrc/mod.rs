//! TFRC over RTP: one [`Sender`] and one [`Receiver`] make a flow.  [RFC5348], [AVT-TFRC]
//!
//! Before working here, read RFC 5348.
//!
//! Nothing is retransmitted or negotiated: the first packet opens the flow, and the sender's SSRC identifies
//! it. Timestamps are microseconds of the sender's clock; the receiver only echoes them.
//!
//! ```text
//!  Application ──► Sender ─┬─ laws::tfrc::step       reports → rate
//!                          ├─ Pacing                 rate → packets
//!                          └─ Limited                data-limited intervals
//!  Data ──► Receiver ─┬─ History ─► LossIntervals    packets → loss events → p
//!                     └─ ReceiveRate                 packets → X_recv
//! ```
//!
//! The receiver's profiles differ as follows (for the sender's see [`airfair_laws::tfrc`]):
//!
//! | | RFC 5348 and 3448 | ns-2.35 (`tcp/tfrc-sink.cc`) |
//! | --- | --- | --- |
//! | lost after | 3 later packets (§5.1) | 1 (`numPkts_`) |
//! | time of a loss | between arrivals (§5.2) | between send timestamps (`estimate_tstamp`) |
//! | discount at least | 0.25 (§5.5) | 0.5 (`minDiscountRatio_`) |
//! | report | a round trip after the last, or p rises (§6.1, §6.2) | first packet R after the last, or 1.5 R, or any loss event (`recv`, `nextpkt`) |
//! | equation for the first interval | unchanged (§6.3.1) | 3·√(3bp/8) is 1 at most (`b_to_p`) |
//! | slow start | paced | a packet at once with every report (`TfrcAgent::recv`) |
//!
//! Deviations: reports are sent without RR and SDES (reduced-size RTCP). Data-limited intervals are detected
//! by runs of packets instead of two instants (§8.2.1 approximates what [`Sender`] knows). `t_recvdata` is of
//! the packet with the highest number, not of the last to arrive. A report older than one processed before is
//! ignored. A packet that arrives after it counted as lost stays lost.
//!
//! Not modelled: ECN, variable segment size (§4.1 and RFC 4828), negotiation, RTCP other than TFRC's
//! feedback, ns-2's `PreciseLoss_` (needs a header field that RTP does not have).

mod config;
mod gaps;
mod history;
mod limited;
mod pacing;
mod packet;
mod receive_rate;
mod receiver;
mod sender;
mod sequence;
mod stats;
pub mod wire;

pub use crate::application::{Frame, Traffic};
pub use airfair_laws::tfrc::{Discounting, Equation, Params, Variant};
pub use config::{FirstInterval, LossTime, Profile, ReceiverConfig, Reports, SenderConfig};
pub use packet::{Data, Feedback};
pub use receiver::Receiver;
pub use sender::Sender;
pub use stats::{ReceiverEvent, ReceiverStats, SenderEvent, SenderStats};
