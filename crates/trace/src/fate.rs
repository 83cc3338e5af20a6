//! Names of the outcomes of frames.

use airfair_sim::packet::Packet;
use airfair_sim::trace::{FrameOutcome, Monitored};

/// Name of the outcome of a frame, such as `"received"`, for timelines and other displays.
pub fn fate(heard: &Monitored<Packet>) -> &'static str {
    match heard.outcome() {
        FrameOutcome::Received => "received",
        FrameOutcome::Collided => "collided",
        FrameOutcome::Errored => "errored",
        FrameOutcome::Missed => "not received",
    }
}
