//! Tests of QUIC's endpoints: hand-worked scripts, and random networks.

mod acknowledgments;
mod credit;
mod handshake;
mod losses;
mod marks;
mod network;
mod script;
mod timeouts;
mod windows;
