//! TCP endpoints as scripts ("at t receive X, expect exactly Y, then silence") and as pairs.

mod close;
mod handshake;
mod loss;
mod network;
mod pair;
mod receiver;
mod script;
mod timeout;
mod window;
