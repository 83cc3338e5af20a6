//! The simulator: scenarios, the world and its event loop, the coupling of layers, and records.
//!
//! [`run::run`] runs a scenario from start to end. For more control, own a [`world::World`]. It is built from a
//! [`scenario::Scenario`], which comes from a file or is put together [from parts](scenario::Scenario::lasting). The
//! owner advances the world step by step, injects packets, takes packets out and changes settings;
//! `examples/driven_world.rs` shows all of this.
//!
//! | module | content |
//! | --- | --- |
//! | [`scenario`] | scenario files: keys, parser, checks |
//! | [`build`] | construction of a world from a scenario, or of the medium of one cell |
//! | [`world`] | the event loop, and its interface for the owner of a world |
//! | [`coupling`] | agents, which apply a scheme's law to the transports and queues of a node |
//! | `settable`, [`not_allowed`] | bounds of settings, and reasons for which a setting or an action is not allowed |
//! | [`queue`], [`clock`], [`random`] | order of events, pace of a run, random streams |
//! | `flow`, `endpoint`, [`packet`], [`link`] | flows, their ends, packets, wired links |
//! | [`record`], [`recorder`] | records of a run, and their consumers |
//! | [`metrics`], [`outcome`] | accumulation of records, and the figures that result |
//! | [`observe`] | activity of a run since its owner observed it last |
//! | [`trace`] | frames, channel access and windows, for captures and timelines |
//! | [`tables`] | results as columns |
//! | [`run`](mod@run) | one run of a scenario, as a pure function |

pub mod build;
pub mod clock;
pub mod coupling;
mod endpoint;
mod flow;
pub mod link;
pub mod metrics;
pub mod not_allowed;
pub mod observe;
pub mod outcome;
pub mod packet;
pub mod queue;
pub mod random;
pub mod record;
pub mod recorder;
pub mod run;
pub mod scenario;
mod settable;
pub mod tables;
pub mod trace;
pub mod world;
