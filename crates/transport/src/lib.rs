//! Transport endpoints: [`tcp`], [`quic`], [`tfrc`] and [`udp`], with live applications of the latter ([`live`]). They
//! are state machines that do no input or output themselves.
//!
//! Every machine has four kinds of methods:
//!
//! - *commands* from the application (`open`, `close`, `set_window_limit`);
//! - *inputs* from the network and the clock (`handle_segment`, `handle_timeout`), which take the current
//!   time;
//! - *outputs* (`poll_transmit`, `poll_event`), which the owner calls until they return `None`;
//! - *getters* (`next_timeout`, `limit`, `stats`), which change nothing.
//!
//! The owner must pass times that never decrease. After **each** command or input it must poll the outputs
//! until they are empty, and then read `next_timeout` again. Two inputs without a poll between them are
//! allowed and lose no data, but their ACKs merge into one. A call of `handle_timeout` before the deadline
//! does nothing.
//!
//! How packets travel between two endpoints is outside this crate.

mod application;
pub mod control;
mod draws;
pub mod ecn;
pub mod limit;
pub mod live;
pub mod quic;
pub mod stream;
pub mod tcp;
pub mod tfrc;
pub mod udp;
