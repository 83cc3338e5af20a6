//! One 802.11 cell: what the air does with frames, and when.
//!
//! [`Cell`] is a machine without clock, thread or callback. Its owner calls
//! [`enqueue`](Cell::enqueue) and [`handle_event`](Cell::handle_event) with the time, then polls what
//! came out, and comes back at [`next_event`](Cell::next_event).
//!
//! | module | concept |
//! | --- | --- |
//! | [`phy`] | rates, PPDU durations, gaps |
//! | [`airtime`] | durations of frames and their responses |
//! | [`aggregation`] | limits of A-MPDU and A-MSDU, the frames that answer them |
//! | [`block_ack`] | scoreboards, windows and reorder buffer of a link with aggregates |
//! | `hearing` | audibility: who senses and who decodes whom |
//! | `dcf` | carrier sense, NAV, interframe spaces, count of slots: the rules of the DCF |
//! | `contention` | whose back-off is done first |
//! | [`edca`] | access categories: defaults, priorities, code points |
//! | `capabilities` | what a cell and the ends of a link can do |
//! | `elements` | what others put into a beacon |
//! | `errors` | errors that noise makes in frames |
//! | [`queue`] | the way of a packet to its channel access: classifier, queues, scheduler |
//! | `link_rate` | rates, given or adapted |
//! | `roster` | contenders: members, by the access categories that they use |
//! | `contender` | one contender: queue, attempts, windows |
//! | [`radio`] | propagation: positions, powers at a receiver, and what it decodes |
//! | [`medium`] | the channel alone, for MACs that are somebody else's |
//! | `cell` | the channel, what follows each frame, and the airtime charge of an exchange |

pub mod aggregation;
pub mod airtime;
pub mod block_ack;
mod capabilities;
mod cell;
mod config;
mod contender;
mod contention;
mod dcf;
pub mod edca;
mod elements;
mod errors;
mod frame;
mod hearing;
mod link_rate;
pub mod medium;
mod moment;
pub mod phy;
pub mod queue;
pub mod radio;
mod record;
mod roster;

pub use capabilities::{Aggregation, Channel, LinkCapabilities};
pub use cell::{
    Carrier, Cell, ChannelAccess, Departure, Fate, Listen, Monitored, Overheard, QueueFull,
    RateChange, Signal,
};
pub use config::{
    AccessParameters, AfterCollision, Attempts, CellConfig, Eifs, NodeId, Rules, StationConfig,
};
pub use contender::Stream;
pub use elements::{Elements, Full};
pub use errors::{ErrorModel, Periods};
pub use frame::{
    ACK_SIZE, Beacon, CTS_SIZE, DATA_OVERHEAD, Frame, FrameKind, Mpdu, Msdu, Ppdu, RTS_SIZE,
};
pub use hearing::Audibility;
pub use link_rate::RateLaw;
pub use moment::{Moment, Phase};
pub use queue::config::{
    AirtimeQueueLimits, AirtimeSharing, CoDel, Counts, Discipline, HardwareQueue, Limit, Overflow,
    QueueConfig, TimeRegulation, Weights,
};
pub use queue::headers::{Class, Headers};
pub use record::{AirUse, CategoryEvent, DropCause, Record, SentFrame};
