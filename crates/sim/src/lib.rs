//! The laboratory: events, the world, the coupling of layers, scenarios and records.
//!
//! | module | concept |
//! | --- | --- |
//! | [`scenario`] | what a user writes |
//! | `build` | from a scenario to the world at time zero |
//! | [`world`] | the loop: next event, act, forward, re-arm |
//! | `coupling` | where layers meet, through a law |
//! | [`queue`], [`clock`], [`random`] | order, pace and luck |
//! | `endpoint`, [`packet`], [`link`] | ends of flows, what travels, wires |
//! | [`record`], [`metrics`], [`outcome`] | what is reported and what it adds up to |
//! | [`tables`] | results as columns |
//! | [`run`](mod@run) | one run, a pure function |

mod build;
pub mod clock;
mod coupling;
mod endpoint;
pub mod link;
pub mod metrics;
pub mod outcome;
pub mod packet;
pub mod queue;
pub mod random;
pub mod record;
pub mod run;
pub mod scenario;
pub mod tables;
pub mod world;
