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
//!
//! ```text
//!  namespace ─ wlan0 ┐                                                  ┌ eth0 ─ namespace
//!                    ├─ frame ─► judge ─► inject ─► World ─► released ──┤
//!  namespace ─ wlan0 ┘             └► answer         ▲ ▲                └ wlan0 ─ namespace
//!                                           Pace: due┘ └ Poller: frames · bell
//! ```
//!
//! - A namespace is an open file. A thread that has moved into it makes its interface, addresses and sockets, and the end
//!   of the process ends them all. Without root, a process first gets a user namespace, and uses pairs of interfaces with
//!   a packet socket at the other end in place of TAP devices.
//! - The plan gives each ordered pair of nodes an external flow. So the source and the destination of a packet decide its
//!   route, its queue and its row among the results. A flow with `stack = "kernel"` is an external one as well, with a
//!   port of its own.
//! - If the clock is late, the world catches up in channel time: packets are late, and frames keep their times. Only a
//!   stall moves the origin. Before packets are injected, the world advances to the time at which they came.
//! - One thread does all of it. A port takes a limited number of frames per millisecond, so that a flood at one port
//!   cannot delay the others by more. A viewer gets a copy of the state ten times a second; an order rings a bell and
//!   waits.
//! - The [medium](airfair_wlan::medium) behind `hwsim` is not a cell with other settings: a cell has links with its
//!   access point alone, rates by link and queues of its own. Tests hold that both send the same frames at the same
//!   times.

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
