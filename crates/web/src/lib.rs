//! The simulator in a browser: a scenario in, a JSON document out.
//!
//! A [`Job`] is a run. A request opens it, its owner advances it in steps of any length, and it
//! ends in a document: the [results](document) of the whole run, or the [channel](channel) in a
//! part of it, frame by frame. For WebAssembly, `exports` has the functions that JavaScript calls.

mod channel;
mod collisions;
mod document;
#[cfg(any(target_arch = "wasm32", test))]
mod exports;
mod job;

pub use job::{Job, Request, TimeSpan};

/// Version of the engine, shown with results and in links.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
