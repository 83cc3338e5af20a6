//! Names of the outcomes of frames.

use airfair_sim::packet::Packet;
use airfair_sim::trace::{Fate, Monitored};

/// Name of the outcome of a frame, as documents use it.
pub fn fate(heard: &Monitored<Packet>) -> &'static str {
    match heard.fate() {
        Fate::Received => "received",
        Fate::Collided => "collided",
        Fate::Errored => "errored",
        Fate::Missed => "not received",
    }
}
