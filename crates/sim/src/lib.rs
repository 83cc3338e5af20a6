//! The laboratory: events, the world, the coupling of layers, scenarios and records.
//!
//! [`run::run`] is one run of a scenario, from its start to its end. Whoever wants more owns a [`world::World`]: it is
//! built from a [`scenario::Scenario`], which a file says or [parts](scenario::Scenario::lasting) make, and then stepped,
//! fed with packets, emptied and changed from outside. `examples/driven_world.rs` does all of that.
//!
//! | module | concept |
//! | --- | --- |
//! | [`scenario`] | what a user writes |
//! | [`build`] | from a scenario to the world at time zero, or to the medium of a cell alone |
//! | [`world`] | the loop: next event, act, forward, re-arm; what comes from outside, and what goes there |
//! | `coupling` | where layers meet, through a law |
//! | [`queue`], [`clock`], [`random`] | order, pace and luck |
//! | `endpoint`, [`packet`], [`link`] | ends of flows, what travels, wires |
//! | [`record`], [`metrics`], [`outcome`] | what is reported and what it adds up to |
//! | [`trace`] | frames, channel access and windows, for whoever wants to see them |
//! | [`tables`] | results as columns |
//! | [`run`](mod@run) | one run, a pure function |

pub mod build;
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
pub mod trace;
pub mod world;
