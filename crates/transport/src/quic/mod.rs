//! QUIC without its encryption: one [`Sender`] and one [`Receiver`] make a connection with one stream.
//!
//! Before working here, read RFC 9002 with its pseudo-code; for acknowledgments RFC 9000, section 13.2, and
//! draft-ietf-quic-ack-frequency.
//!
//! Everything but the flags, the connection identifier and the sizes of packets is encrypted. Nobody on the way sees
//! acknowledgments or windows, so that nobody can rank, merge or rewrite them. Packet numbers begin with 0 and are
//! never used again: lost data is sent in a packet with a new number. Data flows one way.
//!
//! ```text
//!  config ──► Sender ─┬─ Congestion, Pacer ──► control     shared with TCP
//!                     ├─ Writer ──► stream                 shared with TCP: the application
//!                     ├─ SentPackets ──► RateSampler       packets sent, and which of them are lost
//!                     ├─ Outgoing                          data to send: new, and lost
//!                     ├─ Client                            handshake, if configured
//!                     └─ RttEstimator                      round trip, probe time-out
//!  config ──► Receiver ─┬─ Reassembly ──► stream           shared with TCP
//!                       ├─ ReceivedPackets                 packet numbers that have arrived
//!                       ├─ Server                          handshake, if configured
//!                       └─ Credit                          limit of the data, MAX_DATA
//! ```
//!
//! Not modelled: the end of the connection (deviates: [D-370]); streams beside the first; data in both directions, migration.

mod config;
mod credit;
mod ecn;
mod handshake;
mod outgoing;
mod packet;
mod received;
mod receiver;
mod rtt;
mod sender;
mod sent;
mod stats;

pub use config::{Controller, LEAST_DATAGRAM, MOST_DATAGRAM, ReceiverConfig, SenderConfig};
pub use handshake::{Handshake, MOST_CRYPTO};
pub use packet::{Ack, CONNECTION_ID, Data, EcnCounts, TAG};
pub use receiver::Receiver;
pub use sender::Sender;
pub use sent::LostPacket;
pub use stats::{ReceiverStats, SenderStats};
