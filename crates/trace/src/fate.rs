//! Words for what became of a frame.

use airfair_sim::packet::Packet;
use airfair_sim::trace::{FrameOutcome, Monitored};

/// The word that documents have for the fate of a frame.
pub fn fate(heard: &Monitored<Packet>) -> &'static str {
    match heard.outcome() {
        FrameOutcome::Received => "received",
        FrameOutcome::Collided => "collided",
        FrameOutcome::Errored => "errored",
        FrameOutcome::Missed => "not received",
    }
}
