//! The cell: an access point, its stations and their channel, for simulations.
//!
//! [`Cell`] is an [air](crate::air) with the MAC of its members:
//!
//! | module | content |
//! | --- | --- |
//! | `interface` | [`Cell`] as its owner uses it |
//! | `build`, `settings` | construction, and settings that change during a run |
//! | `mac` | the MAC: what contenders send, and what becomes of it |
//! | `aggregates`, `recipients` | block ack agreements at both ends |
//! | `multi_user` | frames for several stations, triggers, answers, and channel access after them |
//! | `rates`, `member` | rates of links, rate control |
//! | `airtime_charge` | charges of airtime to the access point's queue |
//! | `reports` | departures, changes of rates |
//! | `overhear`, `overheard` | frames that members overhear |
//! | `monitor`, `monitored` | every PPDU with its outcome, for traces |
//! | `carrier` | size and duration of the frames that a member may send |

mod aggregates;
mod airtime_charge;
mod build;
mod carrier;
mod interface;
mod mac;
mod member;
mod monitor;
mod monitored;
mod multi_user;
mod overhear;
mod overheard;
mod rates;
mod recipients;
mod reports;
mod settings;
#[cfg(test)]
pub(crate) mod tests;

pub use carrier::Carrier;
pub use interface::Cell;
pub use monitored::{FrameOutcome, Monitored, Part};
pub use multi_user::lent::{UserScheduler, UsersDue, UsersRefused, UsersServed};
pub use overheard::{Listen, Overheard};
pub use reports::{Departure, QueueFull, RateChange};
