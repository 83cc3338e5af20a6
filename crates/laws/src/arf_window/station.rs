//! A station that measures its channel, and has windows for its connections when a rate of its link changes.
//!
//! It takes in one frame after the other in place: its account of all stations would be copied with each of them.

use airfair_units::{Bytes, DataRate, Duration, Time};

use super::{Connection, Extra, Measured, Observation, Params};
use crate::Direction;
use crate::exchange::Exchanges;
use crate::occupancy_meter as meter;
use crate::receipts::{Heard, LocalFlow, Receipts};

/// What must survive between frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    meter: meter::State,
    /// Rates that work, up and down.
    rates: [super::State; 2],
    /// TCP connections with an end at the station.
    connections: Vec<LocalFlow>,
    receipts: Receipts,
}

impl State {
    /// Nothing has been heard. `connections` are those with an end at the station.
    #[must_use]
    pub fn new(connections: Vec<LocalFlow>) -> Self {
        Self { connections, ..Self::default() }
    }

    /// The observation slot under way.
    #[must_use]
    pub fn current(&self) -> &meter::Slot {
        self.meter.current()
    }

    /// TCP connections with an end at the station.
    #[must_use]
    pub fn connections(&self) -> &[LocalFlow] {
        &self.connections
    }
}

/// What was measured in a time: in a slot, or in several without a frame.  [arf-window §III-A]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// When that began.
    pub from: Time,
    /// When it ended.
    pub to: Time,
    /// Frames and SIFS of its own exchanges, both ways, that were answered.
    pub own: Duration,
    /// Those of all other stations.
    pub others: Duration,
    /// Active stations, N.
    pub active: u32,
}

/// Ends the slots that are over at `now`: what was measured in the one that was under way, and in silent ones.
pub fn report(meter: &meter::Params, state: &mut State, now: Time) -> [Option<Report>; 2] {
    let (next, ended) = meter::close(meter, std::mem::take(&mut state.meter), now);
    state.meter = next;
    let Some(meter::Ended { from, slot, silent }) = ended else { return [None; 2] };
    let (own, others) = slot.exchanges(meter.me);
    let active = u32::try_from(slot.stations.len()).expect("at most 65 535 stations");
    let to = from + meter.slot;
    let none = Duration::ZERO;
    let silence = (silent > 0).then(|| Report {
        from: to,
        to: to + meter.slot * silent,
        own: none,
        others: none,
        active: 0,
    });
    [Some(Report { from, to, own, others, active }), silence]
}

/// A change of the rate of data in one direction, and what it leaves each connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    direction: Direction,
    rate: DataRate,
    extra: Extra,
}

/// The station has decoded or sent a frame. A change of a rate, after which [`windows`] are due.
pub fn step(
    params: &Params,
    meter: &meter::Params,
    state: &mut State,
    heard: &Heard,
) -> Option<Change> {
    state.meter = meter::step(meter, std::mem::take(&mut state.meter), &heard.frame);
    let (direction, rate) = state.receipts.take(meter.me, heard, state.connections.iter_mut())?;
    let known = state.rates[direction as usize];
    if known.knows(rate) {
        return None;
    }
    let measured = state.meter.last().map(|slot| measured(params, meter, state, slot, direction));
    let (next, extra) = super::step(params, known, &Observation { rate, measured });
    state.rates[direction as usize] = next;
    Some(Change { direction, rate, extra: extra? })
}

/// The end of a connection at the station, as its transport knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// A mean of its round trip of late.
    pub smoothed_round_trip: Duration,
    /// Its least round trip so far.
    pub least_round_trip: Duration,
    /// Buffer that the window must not exceed.
    pub buffer: Bytes,
}

/// Windows of the connections whose data goes in the direction of a change, at its new rate. `end` tells of each
/// that knows its round trips.
pub fn windows<'s>(
    (params, meter): (&'s Params, &'s meter::Params),
    state: &'s State,
    change: Change,
    end: impl Fn(&LocalFlow) -> Option<End> + 's,
    exchange: &'s Exchanges,
) -> impl Iterator<Item = (&'s LocalFlow, Bytes)> {
    let slot = state.meter.last().expect("windows follow from a slot");
    let access = access(meter, slot);
    let exchange = move |msdu| exchange(access.up, msdu, change.rate);
    let controlled = long_lived(params, state, slot)
        .filter(move |(it, _)| it.direction == change.direction && it.is_controlled);
    controlled.filter_map(move |(local, seen)| {
        let End { smoothed_round_trip, least_round_trip, buffer } = end(local)?;
        let segment = Bytes::new(seen.octets.get() / u64::from(seen.packets));
        let connection = Connection {
            occupied: seen.usage.occupancy(access),
            segment,
            largest_segment: local.largest,
            segments_per_ack: segments_per_ack(seen),
            smoothed_round_trip,
            least_round_trip,
            buffer,
            data: exchange(local.headers + segment),
            ack: exchange(local.answer),
        };
        Some((local, super::window(params, change.extra, &connection)))
    })
}

/// What precedes an exchange: a DIFS and the mean back-off that the paper assumes.  [arf-window eq. 1]
fn access(meter: &meter::Params, slot: &meter::Slot) -> meter::Access {
    let access = meter.difs + meter::mean_backoff(meter, slot.active());
    meter::Access { up: access, down: access }
}

/// Connections that count as long-lived, with what they had in the slot.
fn long_lived<'s>(
    params: &Params,
    state: &'s State,
    slot: &'s meter::Slot,
) -> impl Iterator<Item = (&'s LocalFlow, &'s meter::Flow)> {
    let least = params.long_lived;
    let active = |it: &'s LocalFlow| Some((it, slot.flows.get(&it.flow)?));
    let connections = state.connections.iter().filter(move |it| it.moved >= least);
    connections.filter_map(active).filter(|(_, seen)| seen.packets > 0)
}

/// The slot as the law wants to know it.
fn measured(
    params: &Params,
    meter: &meter::Params,
    state: &State,
    slot: &meter::Slot,
    direction: Direction,
) -> Measured {
    Measured {
        occupied: slot.occupied(access(meter, slot)),
        beacons: slot.beacons,
        active: slot.active(),
        adapted: if direction == Direction::Up { slot.adapted_up } else { slot.adapted_down },
        connections: u32::try_from(long_lived(params, state, slot).count())
            .expect("at most 65 535 flows"),
    }
}

/// Segments that one ACK acknowledges, as the slot had them.
fn segments_per_ack(seen: &meter::Flow) -> u32 {
    let acks = seen.answers.max(1);
    ((seen.packets + acks / 2) / acks).max(1)
}
