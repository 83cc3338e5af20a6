//! The control laws: pure functions of parameters, state and observation.
//!
//! A law schedules nothing, logs nothing and draws nothing. Its observation holds only what a real
//! station or access point could measure. One file per law, each with its source in the first lines.
//!
//! A law has the shape `step(&params, state, &observation) -> (state, action)`; where the new state is itself the
//! setting, no action stands beside it. What has another shape says why in its first lines.

pub mod ack_separation;
pub mod arf;
pub mod arf_aware;
pub mod arf_window;
pub mod connections;
pub mod cubic;
pub mod exchange;
#[cfg(test)]
mod fixture;
pub mod linux_cubic;
pub mod linux_reno;
pub mod minstrel;
pub mod minstrel_ht;
pub mod newreno;
pub mod occupancy;
pub mod occupancy_meter;
pub mod prr;
pub mod rate_cap;
pub mod receipts;
pub mod snr_oracle;
pub mod tfrc;
pub mod vegas;
pub mod westwood;
pub mod westwood_plus;
pub mod window;
pub mod window_limit;
pub mod window_sharing;

/// Direction of data over the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a station to the access point.
    Up,
    /// From the access point to a station.
    Down,
}

impl Direction {
    /// The other one.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}
