//! Control laws: pure functions of parameters, state and observation.
//!
//! A law does no scheduling, logging or random drawing. Its observation contains only what a real station or
//! access point can measure. Each law has its own file, which names its source in the first lines.
//!
//! Most laws have the form `step(&params, state, &observation) -> (state, action)`; there is no action where
//! the new state is itself the setting. The first lines of a law with another form say why.

pub mod accecn;
pub mod ack_separation;
pub mod arf;
pub mod arf_aware;
pub mod arf_window;
pub mod bbr;
pub mod bbr1;
pub mod bbr3;
pub mod connections;
pub mod cubic;
pub mod dctcp;
pub mod dualpi2;
pub mod exchange;
pub mod fair;
#[cfg(test)]
mod fixture;
pub mod gcc;
pub mod hystart;
pub mod hystart_plus_plus;
pub mod linux_cubic;
pub mod linux_reno;
pub mod minstrel;
pub mod minstrel_ht;
pub mod multi_user;
pub mod nada;
pub mod newreno;
pub mod occupancy;
pub mod occupancy_meter;
pub mod prague;
pub mod prr;
pub mod rate_cap;
pub mod receipts;
pub mod snr_oracle;
pub mod tfrc;
pub mod uora;
pub mod uplink_share;
pub mod vegas;
pub mod westwood;
pub mod westwood_plus;
pub mod window;
pub mod window_limit;
pub mod window_sharing;

/// Direction of data on the wireless link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a station to the access point.
    Up,
    /// From the access point to a station.
    Down,
}

impl Direction {
    /// The opposite of this direction.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}
