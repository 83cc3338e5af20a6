//! The simulator in a browser: a scenario in, a JSON document out.
//!
//! A [`Job`] is a run. A request opens it, its owner advances it in steps of any length, and it
//! ends in a document: the [results](document) of the whole run, or the [channel](channel) in a
//! part of it, frame by frame. For WebAssembly, `exports` has the functions that JavaScript calls.
//!
//! The records of a run do not depend on the lengths of the steps, so the page can open a newer run
//! between two steps. The frames on the screen come from a run of their own, which has a consumer
//! of traces and ends with the part on the screen. The page keeps no state of the simulator: each
//! change of a control yields another scenario and another run.

mod channel;
mod collisions;
mod document;
#[cfg(any(target_arch = "wasm32", test))]
mod exports;
mod job;

pub use document::VERSION;
pub use job::{Job, Request, TimeSpan};
