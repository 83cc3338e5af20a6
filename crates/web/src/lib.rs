//! The laboratory in a browser: a scenario in, a document of JSON out.
//!
//! A [`Job`] is a run that is opened by a request, goes on as far at a time as its owner likes, and ends in a document:
//! the [figures](document) of the whole run, or the [channel](channel) in a part of it, frame by frame. For WebAssembly
//! `exports` puts names to that which JavaScript can call.
//!
//! The records of a run do not depend on where its slices end, so the page can put a newer request in between. The
//! channel is a run of its own up to the window on the screen, with a consumer that wants a trace. The page holds no
//! state of the simulator: a change of a control is another scenario, and another run.

mod channel;
mod collisions;
mod document;
#[cfg(any(target_arch = "wasm32", test))]
mod exports;
mod job;

pub use job::{Job, Request, Window};

/// Version of the engine, which figures and links belong to.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
