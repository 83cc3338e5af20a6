//! The emulator: a simulated cell under a wall clock, with a network namespace for each station and host.
//!
//! The same [`World`](airfair_sim::world::World) as a run's is driven from outside. A program in a namespace sends through
//! its own kernel; the frame leaves its interface, becomes a packet of an external flow, crosses the world, and goes
//! into the interface of the namespace that it is for.
//!
//! | module | concept |
//! | --- | --- |
//! | [`plan`] | who has which address, and which flow carries whose packets |
//! | `frames` | what is to be done with a frame: for one node, for all, answered, kept |
//! | `headers` | who talks to whom, and what its TCP says |
//! | `connections` | connections of programs, and windows written into their ACKs |
//! | `pace` | channel time under a wall clock |
//! | [`lateness`] | how late it was |
//! | [`verdict`] | whether that matters |
//! | `live` | sums of what happens in the world |
//! | `view` | an emulation as whoever watches sees it |
//! | `store` | packets that are in the world |
//! | `engine` | the loop: the world, the interfaces, orders from outside |
//! | [`emulation`] | all of it set up, running, and ended |
//! | [`os`] | namespaces, interfaces, waiting |
//! | [`hwsim`] | the same medium behind the kernel's own Wi-Fi |
//! | `files` | the file server in each namespace |
//! | `kernel_flow` | flows of the scenario that the kernel carries |
//! | `traffic` | flows of the scenario over real sockets |
//! | `reports` | TFRC's datagrams, and rates written into them |

#![cfg(target_os = "linux")]

mod connections;
pub mod emulation;
mod engine;
mod files;
mod frames;
mod headers;
pub mod hwsim;
mod kernel_flow;
pub mod lateness;
mod limits;
mod live;
pub mod os;
mod pace;
pub mod plan;
mod reports;
mod store;
mod traffic;
pub mod verdict;
mod view;
