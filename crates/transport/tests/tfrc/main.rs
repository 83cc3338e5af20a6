//! TFRC endpoints as scripts ("at t receive X, expect exactly Y, then silence") and as pairs.

mod bernoulli;
mod model;
mod network;
mod path;
mod receiver;
mod script;
mod sender;
mod sources;
mod strangers;
