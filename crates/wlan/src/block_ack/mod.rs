//! Block acknowledgement for one link and traffic identifier. Both ends are state machines without clock and
//! callbacks. [80211-2020 §10.25]
//!
//! ```text
//!   originator                                             recipient
//!   push ─► waiting ─► batch ══ A-MPDU ══════════════════► receive ─► reorder buffer ─► poll_released
//!              ▲          ║                                   ║            ▲ time-out
//!              └ lost ◄── ╚════ BlockAck ◄══════════════ scoreboard        │
//!   done ◄─ acknowledged, given up ───── BlockAckReq ═══════════════► handle_request
//! ```

mod originator;
mod recipient;
mod sequence;
#[cfg(test)]
mod tests;

pub use originator::{AfterSilence, Done, Originator, OriginatorConfig, Outgoing, PacketOutcome};
pub use recipient::{REORDER_TIMEOUT, Reception, Recipient};
pub use sequence::{Bitmap, Sequence};
