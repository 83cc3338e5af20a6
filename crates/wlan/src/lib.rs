//! Model of one 802.11 cell: its channel, and the MAC of its members.
//!
//! [`Cell`] is a state machine without clock, threads or callbacks. Its owner calls [`enqueue`](Cell::enqueue) and
//! [`handle_event`](Cell::handle_event) with the current time, polls the output, and comes back at
//! [`next_event`](Cell::next_event). It may lend a [`UserScheduler`] to the cell for the time of an event.
//!
//! | module | content |
//! | --- | --- |
//! | `cell` | the cell: an air, and the MAC of its members |
//! | [`medium`] | the channel for MACs that run elsewhere: an air, and a MAC that counts attempts |
//! | `air` | one channel: contention, sequences of frames, reception, the account of time |
//! | [`queue`] | transmit queues: classifier, disciplines, scheduler |
//! | [`block_ack`] | scoreboards, windows and reorder buffer of a link with aggregates |
//! | `link_rate` | rates of links, given or by rate control |
//! | [`radio`] | propagation: positions, received powers, decoding |
//! | `errors` | frame errors by noise |
//! | [`airtime`] | durations of frames and their responses |
//! | [`aggregation`] | limits of A-MPDUs and A-MSDUs |
//! | [`phy`] | rates, PPDU durations, interframe spaces |
//! | `config`, `capabilities`, [`edca`], [`multi_user`] | configuration of a cell, capabilities of its links, access categories, multi-user frames |
//! | `frame`, `sizes`, [`sounding`], `elements` | frames and PPDUs, their sizes, frames of soundings, elements of beacons |
//! | `node`, `roster`, `random`, `moment` | members, contenders, random streams, times of events |
//! | `record` | records of a run |

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
pub mod multi_user;
mod neighbourhood;
mod node;
pub mod phy;
pub mod queue;
pub mod radio;
mod random;
mod record;
mod roster;
pub mod sizes;
pub mod sounding;

pub use air::access::ChannelAccess;
pub use air::hearing::Audibility;
pub use air::noise::Signal;
pub use capabilities::{Aggregation, Channel, LinkCapabilities};
pub use cell::{
    Carrier, Cell, Departure, FrameOutcome, Listen, Monitored, Overheard, Part, QueueFull,
    RateChange, UserScheduler, UsersDue, UsersRefused, UsersServed,
};
pub use config::{
    AfterCollision, CellConfig, Eifs, ForeignMember, Rules, SpatialReuse, StationConfig, WidthRule,
};
pub use edca::{AccessParameters, Attempts};
pub use elements::{Elements, Full};
pub use errors::{ErrorModel, Periods};
pub use frame::{
    Beacon, Frame, FrameKind, LONGEST_NAV, Mpdu, Msdu, Ppdu, RandomUnits, Trigger, TriggerPower,
    User,
};
pub use link_rate::RateLaw;
pub use moment::{Moment, Phase};
pub use multi_user::MultiUser;
pub use neighbourhood::{CellMember, Cells, Neighbourhood};
pub use node::NodeId;
pub use queue::TransmitQueue;
pub use queue::config::{
    AirtimeQueueLimits, AirtimeSharing, CoDel, Counts, Discipline, FlowQueues, HardwareQueue,
    Isolation, Limit, Overflow, QueueConfig, StationQueues, TimeRegulation, Weights,
};
pub use queue::headers::{Class, Headers};
pub use random::Stream;
pub use record::{AirUse, CategoryEvent, DropCause, Record, SentFrame};
pub use sizes::{ACK_SIZE, CF_END_SIZE, CTS_SIZE, DATA_OVERHEAD, RTS_SIZE, TriggerVariant};
