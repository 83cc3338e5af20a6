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
//! | [`laws`] | laws at the nodes, and the time that they use |
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
//!
//! ```text
//!  namespace ─ wlan0 ┐                                                    ┌ eth0 ─ namespace
//!                    ├─ frame ─► classify ─► inject ─► World ─► released ─┤
//!  namespace ─ wlan0 ┘             └► answer            ▲ ▲               └ wlan0 ─ namespace
//!                                              Pace: due┘ └ Poller: frames, wake-ups
//! ```
//!
//! - A namespace is an open file. A thread that has moved into the namespace makes its interface,
//!   addresses and sockets. They exist until the process ends. Without root the process first
//!   creates a user namespace. If `/dev/net/tun` is closed to it, it uses veth pairs with a packet
//!   socket at the far end instead of TAP devices.
//! - The plan gives each ordered pair of nodes an external flow. The source and the destination of
//!   a packet determine its route, its queue and its row in the results. A flow with
//!   `stack = "kernel"` is an external flow with a port of its own.
//! - If the clock is late, the world catches up in channel time: packets are late, but frames keep
//!   their times. Only a stall shifts the origin of channel time. Before packets are injected, the
//!   world advances to the time at which they arrived.
//! - One thread does all this. It reads a limited number of frames per port and millisecond, so a
//!   flood at one port delays the others by a bounded time. A viewer gets a copy of the state ten
//!   times a second. A control request wakes the thread and waits for its answer.
//! - The [medium](airfair_wlan::medium) of `hwsim` is not a cell with other settings: a cell has
//!   links only with its access point, rates by link, and queues of its own. Tests check that both
//!   send the same frames at the same times.

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
pub mod laws;
mod limits;
mod live;
pub mod os;
mod pace;
pub mod plan;
mod rates;
mod reports;
mod store;
mod traffic;
pub mod verdict;
mod view;
mod wall;
