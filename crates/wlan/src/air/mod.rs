//! The air: one channel with its members, from contention to reception.
//!
//! ```text
//!     Mac   queues, rates, windows, sequence numbers: `cell` for simulations, `medium` for kernels
//!      ▲    begin · deliver · answered · unanswered
//!      ▼
//!     Air ── access ────── contention: who transmits next
//!      │      EDCAF           └── dcf: carrier sense, NAV, count of slots
//!      ├──── sequence: the frames of an exchange, as a table
//!      ├──── on_air: PPDUs, and the account of airtime
//!      └──── noise, hearing: who receives what
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | `channel` | [`Air`]: state of the channel, and its next event |
//! | `events` | frames that start, frames that end |
//! | `exchange` | reception, the frame that follows, the end of an exchange |
//! | `multi_user`, `turns` | exchanges of several users: turns of an access point and of its stations |
//! | `undisturbed` | exchanges that no other member can disturb, in one go |
//! | `sequence` | frames of an exchange: their order, lengths and responses |
//! | `access` | channel access of a contender: state, window, retry counters |
//! | `contention` | the contenders whose back-off ends next |
//! | `dcf` | rules of the DCF: carrier sense, NAV, interframe spaces, count of slots |
//! | `hearing` | audibility: which members sense and decode whose frames |
//! | `emission`, `shared` | frames that pass between the cells of one channel |
//! | `spectrum`, `secondary` | neighbours on other blocks: frames on secondary channels, and narrower PPDUs |
//! | `interference` | powers of the frames that overlap one that is received |
//! | `spatial_reuse` | frames of other cells that members ignore, and their powers meanwhile |
//! | `target_power` | powers of stations that answer a trigger frame |
//! | `overlap` | MPDUs that other frames destroy, in cells that share a channel |
//! | `noise`, `mpdu_errors` | errors that noise makes in frames and in their MPDUs |
//! | `on_air` | the frames on the air, and the account of airtime |
//! | `mac` | [`Mac`]: interface to the MAC above |

pub(crate) mod access;
mod channel;
pub(crate) mod contention;
mod dcf;
pub(crate) mod emission;
mod events;
mod exchange;
pub(crate) mod hearing;
mod interference;
mod mac;
mod mpdu_errors;
mod multi_user;
pub(crate) mod noise;
mod on_air;
mod overlap;
mod secondary;
pub(crate) mod sequence;
mod shared;
mod spatial_reuse;
mod spectrum;
mod target_power;
pub(crate) mod turns;
mod undisturbed;

pub(crate) use channel::Air;
pub(crate) use mac::Mac;
pub(crate) use mpdu_errors::MpduErrors;
