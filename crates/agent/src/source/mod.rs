//! Sources of samples.

pub mod emulator;
pub mod nl80211;
mod recorded;

use anyhow::Result;

use self::emulator::{AirtimeSource, Emulator};
pub use recorded::Recorded;

use crate::configuration::{Configuration, SampleSource, Scheme};
pub use crate::sample::Source;

/// Opens the configured source of samples.
///
/// # Errors
/// Returns an error if the source does not exist.
pub fn open(configuration: &Configuration) -> Result<Box<dyn Source>> {
    Ok(match &configuration.source {
        SampleSource::Kernel => {
            let surveys = matches!(configuration.scheme, Scheme::ArfWindow | Scheme::Fair);
            Box::new(nl80211::Nl80211::open(configuration.interface.clone(), surveys)?)
        }
        SampleSource::Emulator { socket, station } => {
            let air = match configuration.scheme {
                Scheme::Occupancy | Scheme::Fair => AirtimeSource::Estimated,
                _ => AirtimeSource::Measured,
            };
            Box::new(Emulator::open(socket.clone(), station.clone(), air)?)
        }
    })
}
