//! Station of the ARF window law: measures its channel and computes windows when the rate of its link
//! changes.
//!
//! The state is updated in place, because copying it with every frame would be costly.

use airfair_units::{Bytes, DataRate, Duration, Time};

use super::{Connection, ExtraTime, Measured, Observation, Params};
use crate::Direction;
use crate::exchange::{Exchanges, Load};
use crate::occupancy_meter as meter;
use crate::receipts::{DeliveryTracker, HeardFrame, LocalFlow};

/// State of the ARF window law at one station.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    meter: meter::State,
    /// Rate of the last delivered frame for each direction, up and down.
    rates: [super::State; 2],
    /// TCP connections that begin or end at the station.
    connections: Vec<LocalFlow>,
    deliveries: DeliveryTracker,
}

impl State {
    /// Creates the state of a station with these `connections`, before any frame.
    #[must_use]
    pub fn new(connections: Vec<LocalFlow>) -> Self {
        Self { connections, ..Self::default() }
    }

    /// Usage of the channel in the current observation slot.
    #[must_use]
    pub fn current(&self) -> &meter::Slot {
        self.meter.current()
    }

    /// TCP connections that begin or end at the station.
    #[must_use]
    pub fn connections(&self) -> &[LocalFlow] {
        &self.connections
    }
}

/// Channel measurement over one slot, or over several slots without a frame.  [arf-window §III-A]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Start of the time that the report covers.
    pub from: Time,
    /// End of the time that the report covers.
    pub to: Time,
    /// Duration of the frames and SIFS of the station's own answered exchanges, in both directions.
    pub own: Duration,
    /// Duration of the frames and SIFS of the exchanges of all other stations.
    pub others: Duration,
    /// Parts of the answered exchanges that lie before the start of the report, `from`: of the station's own
    /// and of the others' exchanges. They are included in the durations `own` and `others`.
    pub early: [Duration; 2],
    /// N: number of active stations in the time that the report covers.
    pub active: u32,
}

/// Ends the observation slots that are over at `now`. Returns reports of the slot that was current, and of the
/// slots without a frame after it. `began` is as in [`meter::end_slots`].
pub fn report(
    meter: &meter::Params,
    state: &mut State,
    began: Option<Time>,
    now: Time,
) -> [Option<Report>; 2] {
    let ended = meter::end_slots(meter, &mut state.meter, began, now);
    let Some(meter::EndedSlot { from, slot, silent }) = ended else { return [None; 2] };
    let (own, others) = slot.exchanges(meter.me);
    let active = u32::try_from(slot.stations.len()).expect("at most 65 535 stations");
    let to = from + meter.slot;
    let none = Duration::ZERO;
    let silence = (silent > 0).then(|| Report {
        from: to,
        to: to + meter.slot * silent,
        own: none,
        others: none,
        early: [none; 2],
        active: 0,
    });
    [Some(Report { from, to, own, others, early: slot.early, active }), silence]
}

/// A change of the data rate in one direction, and the channel time that it leaves for each connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    direction: Direction,
    rate: DataRate,
    extra: ExtraTime,
    access: meter::Access,
}

/// Processes a frame that the station has decoded or sent. Returns a change of the rate, after which the
/// owner calls [`windows`].
pub fn step(
    params: &Params,
    meter: &meter::Params,
    state: &mut State,
    heard: &HeardFrame,
) -> Option<Change> {
    meter::step(meter, &mut state.meter, &heard.frame);
    let (direction, rate) =
        state.deliveries.process(meter.me, heard, state.connections.iter_mut())?;
    let known = state.rates[direction as usize];
    if known.knows(rate) {
        return None;
    }
    let slot = state.meter.last();
    let measured = slot.map(|slot| measured(params, meter, state, slot, direction));
    let access = slot.map(|slot| access(meter, slot));
    let (next, extra) = super::step(params, known, &Observation { rate, measured });
    state.rates[direction as usize] = next;
    Some(Change { direction, rate, extra: extra?, access: access? })
}

/// State of a connection's transport at the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpEndpoint {
    /// Smoothed round-trip time of the connection.
    pub smoothed_round_trip: Duration,
    /// Smallest round-trip time of the connection.
    pub least_round_trip: Duration,
    /// Receive buffer of the connection, which limits its window.
    pub buffer: Bytes,
}

/// Windows at the new rate for the station's long-lived, controlled connections whose data has the direction
/// of `change`. `endpoint` returns the transport state of a connection, or `None` before it has round-trip
/// samples.
pub fn windows<'s>(
    params: &'s Params,
    state: &'s State,
    change: Change,
    endpoint: impl Fn(&LocalFlow) -> Option<TcpEndpoint> + 's,
    exchange: &'s Exchanges,
) -> impl Iterator<Item = (&'s LocalFlow, Bytes)> {
    let slot = state.meter.last().expect("windows follow from a slot");
    let Change { direction, rate, access, .. } = change;
    let answering = direction.opposite();
    let load = move |direction, msdu, seen| Load {
        direction,
        msdu,
        rate,
        max_packets: params.aggregates.max_packets(seen),
    };
    let exchange = move |load| exchange(access.up, load);
    let controlled = long_lived(params, state, slot)
        .filter(move |(it, _)| it.direction == change.direction && it.is_controlled);
    controlled.filter_map(move |(local, seen)| {
        let TcpEndpoint { smoothed_round_trip, least_round_trip, buffer } = endpoint(local)?;
        let segment = Bytes::new(seen.octets.get() / u64::from(seen.packets));
        let connection = Connection {
            occupied: seen.usage.occupancy(change.access),
            segment,
            largest_segment: local.largest,
            segments_per_ack: segments_per_ack(seen),
            smoothed_round_trip,
            least_round_trip,
            buffer,
            data: exchange(load(direction, local.headers + segment, seen.packets_each(direction))),
            ack: exchange(load(answering, local.answer, seen.answers_each(answering))),
        };
        Some((local, super::window(params, change.extra, &connection)))
    })
}

/// Access time of an exchange: a DIFS and the mean back-off that the paper assumes.  [arf-window eq. 1]
fn access(meter: &meter::Params, slot: &meter::Slot) -> meter::Access {
    let access = meter.difs + meter::mean_backoff(meter, slot.active());
    meter::Access { up: access, down: access }
}

/// Long-lived connections of the station with their usage of the channel in `slot`.
fn long_lived<'s>(
    params: &Params,
    state: &'s State,
    slot: &'s meter::Slot,
) -> impl Iterator<Item = (&'s LocalFlow, &'s meter::FlowUsage)> {
    let least = params.long_lived;
    let active = |it: &'s LocalFlow| Some((it, slot.flows.get(it.flow)?));
    let connections = state.connections.iter().filter(move |it| it.delivered >= least);
    connections.filter_map(active).filter(|(_, seen)| seen.packets > 0)
}

/// Measurements of `slot` in the form that the ARF window law needs.
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

/// Segments per ACK of a connection in a slot, rounded to the nearest integer.
fn segments_per_ack(seen: &meter::FlowUsage) -> u32 {
    let acks = seen.answers.max(1);
    ((seen.packets + acks / 2) / acks).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{AP, ME, METER, at_ms, us};

    const FAST: DataRate = DataRate::from_mbps(54);
    const SLOW: DataRate = DataRate::from_mbps(48);

    /// A data frame of 248 µs that the station receives, at `end` ms.
    fn data(end: u64, rate: DataRate) -> HeardFrame<'static> {
        HeardFrame { frame: crate::fixture::data(1_000 * end, AP, ME), rate }
    }

    #[test]
    fn acks_are_rounded_to_whole_segments() {
        let of = |packets, answers| {
            segments_per_ack(&meter::FlowUsage { packets, answers, ..meter::FlowUsage::default() })
        };
        assert_eq!([of(10, 5), of(10, 4), of(10, 3), of(1, 9), of(7, 0)], [2, 3, 3, 1, 7]);
    }

    /// A first report has the channel occupancy of the slot that was current, and a second one covers the slots
    /// without a frame after it. Slots last 300 ms, and the reports are made at 950 ms. In the first slot the
    /// station has an exchange of 292 µs, and in the next two slots there is no frame.
    #[test]
    fn a_report_has_the_occupancy_and_the_silence_after_it() {
        let mut state = State::new(Vec::new());
        step(&Params::default(), &METER, &mut state, &data(10, FAST));
        assert_eq!(report(&METER, &mut state, None, at_ms(299)), [None; 2]);
        let (own, others) = (us(292), Duration::ZERO);
        let early = [Duration::ZERO; 2];
        let first = Report { from: at_ms(0), to: at_ms(300), own, others, early, active: 1 };
        let silence = Report { from: at_ms(300), to: at_ms(900), own: others, active: 0, ..first };
        assert_eq!(report(&METER, &mut state, None, at_ms(950)), [Some(first), Some(silence)]);
        assert_eq!(report(&METER, &mut state, None, at_ms(950)), [None; 2]);
    }

    /// After a rate change, a long-lived and controlled connection gets a window, once an observation slot is
    /// over.
    ///
    /// Verifies: [arf-window §III-B]
    #[test]
    fn windows_follow_the_rate() {
        let connection = |flow, is_controlled| LocalFlow::new(flow, Direction::Down, is_controlled);
        let params = Params { long_lived: Bytes::new(1_460), ..Params::default() };
        let mut state = State::new(vec![connection(7, true), connection(8, true)]);
        assert_eq!(step(&params, &METER, &mut state, &data(10, FAST)), None, "a first rate");
        let early = step(&params, &METER, &mut state, &data(20, SLOW));
        assert_eq!(early, None, "no slot is over");
        assert_eq!(step(&params, &METER, &mut state, &data(310, SLOW)), None, "nothing new");
        let change = step(&params, &METER, &mut state, &data(320, FAST)).expect("a change");
        let buffer = Bytes::new(20_000);
        let endpoint = |_: &LocalFlow| {
            let round_trip = us(10_000);
            let (smoothed_round_trip, least_round_trip) = (round_trip, round_trip);
            Some(TcpEndpoint { smoothed_round_trip, least_round_trip, buffer })
        };
        let exchange = |access, _| {
            let (data, ack, sifs, packets) = (us(248), us(28), us(16), 1);
            crate::exchange::Exchange { access, protection: [None; 2], data, ack, sifs, packets }
        };
        let windows = windows(&params, &state, change, endpoint, &exchange);
        let windows: Vec<_> = windows.map(|(local, window)| (local.flow, window)).collect();
        // Nearly all of the channel is its own, and 10 ms of it are more than the buffer.
        assert_eq!(windows, [(7, Bytes::new(20_000))]);
    }
}
