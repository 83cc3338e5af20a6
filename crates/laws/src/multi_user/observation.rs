//! Observations of the multi-user scheduler: stations with data, and PPDUs that were sent.

use airfair_units::{Bytes, DataRate, Duration};

use super::backlog::Backlog;

/// Kind of a packet that determines its deadline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Urgency {
    /// Voice, with the deadline [`Params::voice_deadline`](super::Params::voice_deadline).
    Voice,
    /// Video, with the deadline [`Params::video_deadline`](super::Params::video_deadline).
    Video,
    /// Data without a deadline.
    #[default]
    Other,
}

/// Division of the channel into equal resource units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Number of units.
    pub units: u16,
    /// Width of each unit [tones].
    pub tones: u16,
}

/// Station that has, or may have, packets for the next PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Number of the station in its cell.
    pub station: u16,
    /// True if the station can be one of several users: it supports them, and has a block ack agreement.
    pub is_multi_user: bool,
    /// Data that wait for the station, or in it.
    pub backlog: Backlog,
    /// Rate of the station's link, in a unit of any width that is the same for all candidates.
    pub rate: DataRate,
    /// Kind of the oldest packet.
    pub urgency: Urgency,
    /// Time for which the oldest packet has waited.
    pub waiting: Duration,
}

/// Observation of an access point that has won the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation<'a> {
    /// Stations to choose from. The first is the one that the queue would serve alone.
    pub candidates: &'a [Candidate],
    /// Divisions of the channel, from the one with the most units to the undivided channel.
    pub splits: &'a [Split],
}

/// Part of a station in a PPDU that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Number of the station in its cell.
    pub station: u16,
    /// Width of the station's unit [tones] or, if several stations share all tones, number of its streams.
    pub tones: u16,
    /// Data of the station that were delivered.
    pub octets: Bytes,
}
