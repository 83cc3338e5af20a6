//! The medium alone, for MACs that run elsewhere: channel access, airtime, and reception.
//!
//! A [`Cell`](crate::Cell) chooses rates, retries and queues by its own rules. Here each frame comes with a *retry
//! chain*. The medium is the same air (`air`) with a MAC that only counts attempts: frames contend for the channel,
//! collide, take their time, are errored and answered, and the medium reports the attempt at which a frame was
//! acknowledged. Any member may send to any other. A member sends its frames one after the other.
//!
//! ```text
//!            enqueue                  Received, once for each attempt that arrives
//!   MAC ───────────────► Medium ─────► MAC of the receiver
//!    ▲                     │
//!    └─────────────────────┘ Done: attempts of each stage, acknowledged or not
//! ```

mod jobs;
mod mac;
#[cfg(test)]
mod tests;

use airfair_laws::Direction;
use airfair_units::{DataRate, Time};

use self::mac::{JobMac, Sender};
use crate::air::Air;
use crate::air::access::accesses;
use crate::air::hearing::Hearing;
use crate::air::noise::Noise;
use crate::airtime::Airtime;
use crate::config::CellConfig;
use crate::moment::{Moment, Phase};
use crate::node::{Link, NodeId};
use crate::random::Stream;
use crate::roster::{ContenderId, Roster};

pub use jobs::{Addressee, Done, Job, News, STAGES, Stage};

/// One channel with its members, for MACs that run elsewhere.
#[derive(Debug)]
pub struct Medium<T> {
    air: Air<()>,
    mac: JobMac<T>,
}

impl<T: Copy> Medium<T> {
    /// Creates a silent channel with the rules and members of `config`. The medium uses each member's queue length,
    /// channel access, audibility and error model, and takes the rates as ceilings: the highest rates at which frames
    /// get through. `streams` are the random streams of the members' back-offs, the access point's first, and
    /// `error_streams` those of the stations' links.
    ///
    /// # Panics
    /// If the number of streams does not match the members and links.
    pub fn new(config: &CellConfig, streams: Vec<Stream>, error_streams: Vec<Stream>) -> Self {
        let mut config = config.clone();
        config.ap_categories.clear();
        config.stations.iter_mut().for_each(|station| station.categories.clear());
        let (airtime, roster) = (Airtime::new(&config), Roster::new(&config));
        let hearing = Hearing::fixed(&config, &roster);
        let accesses = accesses(&config, &airtime, &roster, streams);
        let mut noise = Noise::links(&config, error_streams);
        noise.limit(&config);
        let stations = config.stations.iter().map(|station| station.queue);
        let queues = std::iter::once(config.ap_queue).chain(stations);
        let mac = JobMac::new(queues.map(|queue| Sender::new(queue.packets)).collect());
        let mut air = Air::new(&config, airtime, (hearing, roster), accesses, noise);
        air.observers_mut().every_ppdu = true;
        Self { air, mac }
    }

    /// Durations of frames on this channel.
    pub fn airtime(&self) -> &Airtime {
        &self.air.airtime
    }

    /// Sets the highest rate at which frames of a station in one direction get through, from the next frame that ends
    /// on.
    pub fn set_ceiling(&mut self, station: NodeId, direction: Direction, rate: DataRate) {
        self.air.noise.set_ceiling(Link { station, direction }, rate);
    }

    /// Queues a frame at member `from`.
    ///
    /// # Errors
    /// The frame, if the queue has no room for it, or if its retry chain is empty.
    pub fn enqueue(&mut self, now: Time, from: NodeId, job: Job<T>) -> Result<(), Job<T>> {
        let id = ContenderId::first(from);
        let has_begun = self.air.in_exchange(from).is_some();
        self.mac.enqueue(from, job, has_begun)?;
        self.air.seek_access(now, id);
        Ok(())
    }

    /// Moment at which the medium needs the next call of [`handle_event`](Self::handle_event).
    pub fn next_event(&self) -> Moment {
        self.air.next_event()
    }

    /// Handles the event that [`next_event`](Self::next_event) has announced. A call at another moment has no effect.
    pub fn handle_event(&mut self, now: Time, phase: Phase) {
        self.air.handle_event(&mut self.mac, now, phase);
        self.air.frames.records.clear();
    }

    /// Takes the next event for the MACs.
    pub fn poll_news(&mut self) -> Option<News<T>> {
        self.mac.poll_news()
    }
}
