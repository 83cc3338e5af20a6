//! Agents, in which the layers meet. An agent runs a scheme at one station or access point. It turns what its node
//! sees into an observation of the scheme's law, and turns the law's result into actions. The world applies the
//! actions.
//!
//! ```text
//!   frame decoded ─┐                                   ┌─► limit of a window, of a rate; cwnd
//!   rate changed  ─┤           ┌─────┐                 ├─► weights of a queue
//!   packet passes ─┼─► Seen ──►│ law │──► Action ─ world ─► window in a passing ACK, element of a beacon
//!   beacon due    ─┤   View ──►└─────┘                 ├─► report
//!   timer         ─┤                                   ├─► timer
//!   start, end    ─┘                                   └─► subscription to frames or packets
//! ```
//!
//! A node sees frames that it decodes or sends only after its agent has asked for them ([`Action::Listen`]), and an
//! access point's agents see packets only after they have asked for them ([`Action::WatchPackets`]). Agents see a
//! frame before the packets in it are forwarded. When a beacon is due, the access point's agents add their elements;
//! then the stations' agents count the beacon, and senders go on once the cell has the beacon. If an access point
//! grants shares, its agent and those of its stations ask for their own frames and for beacons alone, so that twenty
//! stations cost as much per frame as two.
//!
//! An access point's agent that asks for it ([`Action::ScheduleUsers`]) chooses the stations of multi-user PPDUs. The
//! choice is due in the middle of an event of the cell, which the world lends the agents for that time.

mod access_point;
mod action;
mod agent;
mod arf_aware;
mod arf_window;
mod custom;
mod end;
mod fair;
mod granting;
mod hearing;
mod home;
mod keeping;
mod link;
mod rate_cap;
mod seen;
mod uplink_share;
pub mod users;
mod view;

pub use action::Action;
pub(crate) use agent::{Agent, agents};
pub use custom::CustomAgent;
pub use end::{LocalEnd, TransportEnd};
use home::Home;
pub use link::Link;
pub use seen::{Passage, Seen};
pub(crate) use users::Schedulers;
pub use view::View;
