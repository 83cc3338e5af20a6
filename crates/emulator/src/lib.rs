//! Emulator: a simulated cell that runs against the wall clock, with a network namespace for each
//! station and host.
//!
//! The emulator drives the same [`World`](airfair_sim::world::World) that a simulation run uses. A
//! program in a namespace sends through its own kernel. The emulator reads the frame from the
//! namespace's interface and injects it into the world as a packet of an external flow. When the
//! packet has crossed the world, the emulator writes the frame to the interface of the destination
//! namespace.
//!
//! | module | concept |
//! | --- | --- |
//! | [`plan`] | addresses of the nodes, and the flow that carries packets between each pair of nodes |
//! | `frames` | forwarding of Ethernet frames: unicast, broadcast, proxy ARP, filtering |
//! | `headers` | IP, TCP and UDP headers of real packets |
//! | `connections` | connections of programs, and receive windows written into their ACKs |
//! | `pace` | channel time under a wall clock |
//! | [`lateness`] | lateness of packets against the wall clock |
//! | [`verdict`] | verdict: can the figures of this emulation be trusted? |
//! | `live` | counters of frames, drops and airtime while the emulation runs |
//! | `view` | snapshot of a running emulation for the live view and the control socket |
//! | `store` | frames of the packets that are inside the world |
//! | `engine` | the event loop: world, interfaces, control requests |
//! | [`emulation`] | set-up, running and shutdown of an emulation |
//! | [`os`] | Linux calls: namespaces, interfaces, netlink, polling |
//! | [`hwsim`] | the simulated medium behind mac80211_hwsim, the kernel's simulated radios |
//! | `files` | the file server in each namespace |
//! | `kernel_flow` | flows of the scenario that run over the kernel's TCP or a real TFRC program |
//! | `traffic` | threads that send and receive these flows over sockets |
//! | `reports` | TFRC datagrams, and receive rates written into feedback packets |

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
