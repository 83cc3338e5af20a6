//! UORA: state of the random access of stations to resource units.  [80211ax-2021 §26.5.4]

use airfair_laws::uora::{self as law, Event};
use rand_core::Rng;

use crate::node::NodeId;
use crate::random::Stream;

/// Random access of all stations of a cell.
#[derive(Clone, Debug)]
pub(super) struct RandomAccess {
    params: law::Params,
    /// State and random stream of each station, in the order of their addresses.
    stations: Vec<(law::State, Stream)>,
}

impl RandomAccess {
    pub(super) fn new(streams: Vec<Stream>) -> Self {
        let params = law::Params::default();
        let station = |mut stream: Stream| (law::State::new(&params, stream.next_u32()), stream);
        Self { params, stations: streams.into_iter().map(station).collect() }
    }

    /// Handles an event of a station, which a random number decides. Returns the place of the unit in which the station
    /// sends among those that the trigger offers.
    pub(super) fn step(
        &mut self,
        station: NodeId,
        event: impl FnOnce(u32) -> Event,
    ) -> Option<u16> {
        let (state, stream) = &mut self.stations[station.index() - 1];
        let (next, unit) = law::step(&self.params, *state, event(stream.next_u32()));
        *state = next;
        unit
    }
}
