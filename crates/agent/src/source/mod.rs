//! Sources of samples.

pub mod emulator;
pub mod nl80211;
mod recorded;

use anyhow::Result;

use self::emulator::{Air, Emulator};
pub use recorded::Recorded;

use crate::configuration::{Configuration, Place, Scheme};
use crate::sample::Sample;

/// A place that says what all links have moved.
pub trait Source {
    /// The counters now, at `now` nanoseconds since the agent's start; `None` when there is nothing more to come.
    ///
    /// # Errors
    /// If the source does not answer. It may be asked again.
    fn sample(&mut self, now: u64) -> Result<Option<Sample>>;
}

/// The source that a configuration names.
///
/// # Errors
/// If it is not there.
pub fn open(configuration: &Configuration) -> Result<Box<dyn Source>> {
    Ok(match &configuration.place {
        Place::Kernel => {
            let surveys = configuration.scheme == Scheme::ArfWindow;
            Box::new(nl80211::Nl80211::open(configuration.interface.clone(), surveys)?)
        }
        Place::Emulator { socket, station } => {
            let air = match configuration.scheme {
                Scheme::Occupancy => Air::Estimated,
                _ => Air::Measured,
            };
            Box::new(Emulator::open(socket.clone(), station.clone(), air)?)
        }
    })
}
