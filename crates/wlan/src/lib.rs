//! Model of one 802.11 cell: its channel, and the MAC of its members.
//!
//! [`Cell`] is a state machine without clock, threads or callbacks. Its owner calls [`enqueue`](Cell::enqueue) and
//! [`handle_event`](Cell::handle_event) with the current time, polls the output, and comes back at
//! [`next_event`](Cell::next_event).
//!
//! | module | content |
//! | --- | --- |
//! | [`phy`] | rates, PPDU durations, interframe spaces |
//! | [`airtime`] | durations of frames and their responses |
//! | [`aggregation`] | limits of A-MPDUs and A-MSDUs, and the frames that answer them |
//! | [`block_ack`] | scoreboards, windows and reorder buffer of a link with aggregates |
//! | `hearing` | audibility: which members sense and decode whose frames |
//! | `dcf` | rules of the DCF: carrier sense, NAV, interframe spaces, count of slots |
//! | `contention` | the contenders whose back-off ends next |
//! | [`edca`] | access categories: defaults, priorities, code points |
//! | `capabilities` | capabilities of cells and links |
//! | `elements` | elements of beacons |
//! | `errors` | frame errors by noise |
//! | [`queue`] | transmit queues: classifier, disciplines, scheduler |
//! | `link_rate` | rates of links, given or by rate control |
//! | `roster` | contenders of the cell: each member with each of its access categories |
//! | `contender` | state of one contender: queue, attempts, windows |
//! | [`radio`] | propagation: positions, received powers, decoding |
//! | [`medium`] | the channel alone, for MACs that run elsewhere |
//! | `cell` | the cell: exchanges, frames, and airtime charges |

pub mod aggregation;
mod air;
pub mod airtime;
pub mod block_ack;
mod capabilities;
mod cell;
mod config;
pub mod edca;
mod elements;
mod errors;
mod frame;
mod link_rate;
pub mod medium;
mod moment;
mod node;
pub mod phy;
pub mod queue;
pub mod radio;
mod random;
mod record;
mod roster;
mod sizes;

pub use air::access::ChannelAccess;
pub use air::hearing::Audibility;
pub use air::noise::Signal;
pub use capabilities::{Aggregation, Channel, LinkCapabilities};
pub use cell::{
    Carrier, Cell, Departure, FrameOutcome, Listen, Monitored, Overheard, QueueFull, RateChange,
};
pub use config::{AfterCollision, CellConfig, Eifs, Rules, StationConfig};
pub use edca::{AccessParameters, Attempts};
pub use elements::{Elements, Full};
pub use errors::{ErrorModel, Periods};
pub use frame::{Beacon, Frame, FrameKind, Mpdu, Msdu, Ppdu};
pub use link_rate::RateLaw;
pub use moment::{Moment, Phase};
pub use node::NodeId;
pub use queue::config::{
    AirtimeQueueLimits, AirtimeSharing, CoDel, Counts, Discipline, HardwareQueue, Limit, Overflow,
    QueueConfig, TimeRegulation, Weights,
};
pub use queue::headers::{Class, Headers};
pub use random::Stream;
pub use record::{AirUse, CategoryEvent, DropCause, Record, SentFrame};
pub use sizes::{ACK_SIZE, CTS_SIZE, DATA_OVERHEAD, RTS_SIZE};
