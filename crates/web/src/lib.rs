//! The laboratory in a browser: a scenario in, a document of JSON out.
//!
//! A [`Job`] is a run that is opened by a request, goes on as far at a time as its owner likes, and ends in a document:
//! the [figures](document) of the whole run, or the [channel](channel) in a part of it, frame by frame. For WebAssembly
//! `exports` puts names to that which JavaScript can call.

mod channel;
mod collisions;
mod document;
#[cfg(any(target_arch = "wasm32", test))]
mod exports;
mod job;

pub use job::{Job, Request, Window};

/// Version of the engine, which figures and links belong to.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
