//! TCP endpoints as scripts ("at t receive X, expect exactly Y, then silence") and as pairs.

mod accurate_ecn;
mod close;
mod ecn;
mod every_flavour;
mod flavours;
mod handshake;
mod loss;
mod network;
mod options;
mod pair;
mod rack_tlp;
mod receiver;
mod refusal;
mod script;
mod selective;
mod small_queue;
mod sources;
mod timeout;
mod window;
mod window_limit;
