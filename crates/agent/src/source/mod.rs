//! Sources of samples.

pub mod emulator;
pub mod nl80211;
mod recorded;

use anyhow::Result;

use self::emulator::{AirtimeSource, Emulator};
pub use recorded::Recorded;

use crate::configuration::{Configuration, SampleSource, Scheme};
use crate::sample::Sample;

/// Source of samples for the agent.
pub trait Source {
    /// Reads the counters at time `now` since the start of the agent [ns]; `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the source does not answer. Later calls may succeed.
    fn sample(&mut self, now: u64) -> Result<Option<Sample>>;
}

/// Opens the configured source of samples.
///
/// # Errors
/// Returns an error if the source does not exist.
pub fn open(configuration: &Configuration) -> Result<Box<dyn Source>> {
    Ok(match &configuration.source {
        SampleSource::Kernel => {
            let surveys = configuration.scheme == Scheme::ArfWindow;
            Box::new(nl80211::Nl80211::open(configuration.interface.clone(), surveys)?)
        }
        SampleSource::Emulator { socket, station } => {
            let air = match configuration.scheme {
                Scheme::Occupancy => AirtimeSource::Estimated,
                _ => AirtimeSource::Measured,
            };
            Box::new(Emulator::open(socket.clone(), station.clone(), air)?)
        }
    })
}
