//! Words for what became of a frame.

use airfair_sim::packet::Packet;
use airfair_sim::trace::{Fate, Monitored};

/// The word that documents have for the fate of a frame.
pub fn fate(heard: &Monitored<Packet>) -> &'static str {
    match heard.fate() {
        Fate::Received => "received",
        Fate::Collided => "collided",
        Fate::Errored => "errored",
        Fate::Missed => "not received",
    }
}
