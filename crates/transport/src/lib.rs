//! Transport endpoints as machines without input and output of their own: [`tcp`], [`tfrc`] and [`udp`].
//!
//! Every machine has methods of four kinds, and no other:
//!
//! - *commands* from the application (`open`, `close`, `set_window_limit`);
//! - *inputs* from outside (`handle_segment`, `handle_timeout`), which carry the time;
//! - *outputs* (`poll_transmit`, `poll_event`), to be called until they return `None`;
//! - *getters* (`next_timeout`, `limit`, `stats`), which change nothing.
//!
//! The owner's duties: time never runs backwards; after **each** command or input, poll the outputs
//! until they are empty, then ask `next_timeout` again. Two inputs without a poll between them are
//! allowed and lose no data, but ACKs then merge. A time-out that comes early is a no-op.
//!
//! The way of a packet between two endpoints is nobody's business here.

pub mod limit;
pub mod tcp;
pub mod tfrc;
pub mod udp;
