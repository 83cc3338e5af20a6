//! What a law has decided, and which law decides.

use serde::{Deserialize, Serialize};

use crate::configuration::{Configuration, Scheme};
use crate::estimate::Seen;
use crate::sample::Sample;
use crate::station::Station;

/// Setting that holds from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The station's link is slow: its senders use a k-th of their windows.
    Limit {
        /// Highest rate over the rate, rounded up.
        k: u32,
    },
    /// No limit: the link has its highest rate, or nothing is known of it.
    Lift,
}

/// The law of a scheme, with its memory from sample to sample.
#[derive(Clone, Debug)]
pub enum Law {
    /// ARF-aware TCP at a station.
    ArfAware(Station),
}

impl Law {
    /// The law that a configuration asks for.
    pub fn new(configuration: &Configuration) -> Self {
        match configuration.scheme {
            Scheme::ArfAware => {
                Self::ArfAware(Station::new(configuration.arf_aware.clone(), configuration.polls))
            }
        }
    }

    /// Takes in a sample: what was seen, and what changes.
    pub fn take(&mut self, sample: &Sample) -> (Seen, Option<Decision>) {
        match self {
            Self::ArfAware(station) => station.take(sample),
        }
    }
}
