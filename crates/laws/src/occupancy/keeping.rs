//! Law of a station in occupancy-based TFRC: divides the share granted to the station among its flows and
//! limits their rates.
//!
//! The state is updated in place, because copying it with every frame would be costly.

use airfair_units::{Bytes, DataRate, Duration, Time};

use super::observation::{Intervals, ObservationSlot};
use super::station::{self as law, Answers, Division, highest_rate};
use super::{Grant, Params};
use crate::Direction;
use crate::exchange::{Aggregates, Exchange, Exchanges, Load};
use crate::occupancy_meter as meter;
use crate::receipts::{DeliveryTracker, HeardFrame, LocalFlow};
use crate::window_limit;

/// A flow that begins or ends at the station, with its share of the channel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FlowState {
    local: LocalFlow,
    allocation: Option<Allocation>,
}

/// Share that a flow got with the last beacon, and the flow's usage in the observation slot before that
/// beacon.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Allocation {
    share: f64,
    /// Usage of the channel by the flow in the observation slot.
    seen: meter::FlowUsage,
    slot: Duration,
    access: meter::Access,
    aggregates: Aggregates,
}

/// State of the station's law: measurements, rates, and the shares of its flows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    meter: meter::State,
    intervals: Intervals,
    /// Time of the last received beacon.
    since: Time,
    missed: u16,
    /// Rate of the last delivered frame for each direction, up and down.
    rates: [Option<DataRate>; 2],
    flows: Vec<FlowState>,
    deliveries: DeliveryTracker,
}

impl State {
    /// Creates the state of a station with these `flows`, before any frame.
    pub fn new(flows: impl Iterator<Item = LocalFlow>) -> Self {
        Self {
            meter: meter::State::default(),
            intervals: Intervals::default(),
            since: Time::ZERO,
            missed: 0,
            rates: [None; 2],
            flows: flows.map(|local| FlowState { local, allocation: None }).collect(),
            deliveries: DeliveryTracker::default(),
        }
    }
}

/// State of a flow's transport at the station, as far as a limit depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEndpoint {
    /// True for TCP, which acknowledges every few packets; false for TFRC, which reports every round trip.
    pub is_tcp: bool,
    /// Round-trip time of the flow; `None` before the first sample.
    pub round_trip: Option<Duration>,
}

/// Limit that a station sets for a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Limit of a TFRC sender's rate.
    Rate(DataRate),
    /// Limit of a TCP window.  Deviates: [D-113]
    Window(Bytes),
}

/// Counts a beacon that is due. Returns the flows whose limits end now, because the station has missed too
/// many beacons.
pub fn expect_beacon<'s>(
    params: &Params,
    state: &'s mut State,
) -> impl Iterator<Item = &'s LocalFlow> {
    state.missed = state.missed.saturating_add(1);
    let is_over = state.missed == params.patience.saturating_add(1);
    let flows = if is_over { state.flows.as_mut_slice() } else { &mut [] };
    flows.iter_mut().filter_map(|flow| flow.allocation.take().map(|_| &flow.local))
}

/// Observation of the station's law: a frame that the station has decoded or sent.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'h> {
    /// The observed frame with its rate.
    pub heard: &'h HeardFrame<'h>,
    /// Grant in the observed frame, if that is a beacon with a grant.
    pub grant: Option<Grant>,
}

/// Processes a frame that the station has decoded or sent. Returns true if [`limits`] have changed.
pub fn step(
    params: &Params,
    meter: &meter::Params,
    state: &mut State,
    seen: &Observation,
    exchange: &Exchanges,
) -> bool {
    let &Observation { heard, grant } = seen;
    meter::step(meter, &mut state.meter, &heard.frame);
    if let Some(grant) = grant {
        let usage = meter::end_slot_at(meter, &mut state.meter, heard.frame.end);
        state.intervals.push(params.beacons, heard.frame.end - state.since, usage);
        (state.since, state.missed) = (heard.frame.end, 0);
        share_out(params, meter, state, grant, exchange);
        return true;
    }
    let flows = state.flows.iter_mut().map(|flow| &mut flow.local);
    let Some((direction, rate)) = state.deliveries.process(meter.me, heard, flows) else {
        return false;
    };
    state.rates[direction as usize].replace(rate) != Some(rate)
}

/// Computes the share of the channel of each flow when a beacon with a grant arrives.
/// [occupancy-tfrc eq. 7 to 15]
fn share_out(
    params: &Params,
    meter: &meter::Params,
    state: &mut State,
    grant: Grant,
    exchange: &Exchanges,
) {
    let ObservationSlot { length, seen } = state.intervals.slot();
    let access = meter::Access {
        up: meter.difs + seen.backoffs.mean().unwrap_or(grant.backoff()),
        down: meter.difs + grant.backoff(),
    };
    let part = |usage: &meter::Usage| usage.occupancy(access).as_secs_f64() / length.as_secs_f64();
    let own = seen.stations.get(meter.me).map_or(0.0, part);
    let available = law::share(params, grant, own);
    let active =
        |it: &FlowState| seen.flows.get(it.local.flow).filter(|seen| seen.packets > 0).copied();
    let (mut used, mut need) = (Vec::new(), 0.0);
    for flow in &state.flows {
        let Some(seen) = active(flow) else { continue };
        if flow.local.is_controlled {
            used.push(part(&seen.usage));
        } else if let Some(rates) = rates_of(&flow.local, state.rates) {
            let terms = CostTerms { access, aggregates: params.aggregates.of_sent(), rates };
            let [data, answer] = exchanges(&flow.local, &seen, &terms, exchange);
            let per_second = |count: u32| f64::from(count) / length.as_secs_f64();
            need += law::needed(per_second(seen.packets), &data)
                + law::needed(per_second(seen.answers), &answer);
        }
    }
    let division = Division::new(params, available, &used, need);
    for flow in state.flows.iter_mut().filter(|it| it.local.is_controlled) {
        if let Some(seen) = active(flow) {
            let share = division.share(part(&seen.usage));
            let aggregates = params.aggregates;
            flow.allocation = Some(Allocation { share, seen, slot: length, access, aggregates });
        }
    }
}

/// Limits of the station's flows at the current rates. `endpoint` returns the transport state of a flow; a
/// flow without one has no limit.  [occupancy-tfrc eq. 16 to 18]
pub fn limits<'s>(
    state: &'s State,
    endpoint: impl Fn(&LocalFlow) -> Option<FlowEndpoint> + 's,
    exchange: &'s Exchanges,
) -> impl Iterator<Item = (&'s LocalFlow, Limit)> {
    state.flows.iter().filter_map(move |FlowState { local, allocation }| {
        let (allocation, rates) = allocation.as_ref().zip(rates_of(local, state.rates))?;
        let endpoint = endpoint(local)?;
        let round_trip = endpoint.round_trip.filter(|it| !it.is_zero())?;
        let terms =
            CostTerms { access: allocation.access, aggregates: allocation.aggregates, rates };
        let pair = exchanges(local, &allocation.seen, &terms, exchange);
        let rate = rate(allocation, endpoint.is_tcp, round_trip, pair);
        let limit = if endpoint.is_tcp {
            Limit::Window(window_limit::for_rate(rate, round_trip, local.largest))
        } else {
            Limit::Rate(rate)
        };
        Some((local, limit))
    })
}

/// θ: highest rate of a flow. `data` and `answer` are the exchanges of its data packets and of their answers.
fn rate(
    allocation: &Allocation,
    is_tcp: bool,
    round_trip: Duration,
    [data, answer]: [Exchange; 2],
) -> DataRate {
    let seen = &allocation.seen;
    let answers = if is_tcp {
        Answers::Each(f64::from(seen.packets) / f64::from(seen.answers.max(1)))
    } else {
        Answers::EachRoundTrip(round_trip)
    };
    #[expect(clippy::cast_precision_loss, reason = "octets of a slot")]
    let payload = seen.octets.get() as f64 / f64::from(seen.packets);
    highest_rate(
        allocation.share,
        allocation.slot,
        &law::PacketCost { payload, data, answer, answers },
    )
}

/// Rates of the frames with a flow's data and with its answers, once such frames have been delivered.
fn rates_of(local: &LocalFlow, [up, down]: [Option<DataRate>; 2]) -> Option<[DataRate; 2]> {
    let (data, answer) = if local.direction == Direction::Up { (up, down) } else { (down, up) };
    Some([data?, answer.or(data)?])
}

/// Conditions for the channel time of a flow's packets: access times, packets per aggregate, and the rates of
/// data and answers.
#[derive(Clone, Copy, Debug)]
struct CostTerms {
    access: meter::Access,
    aggregates: Aggregates,
    rates: [DataRate; 2],
}

/// Frame exchange of a data packet of a flow, with the mean length of the packets in the slot, and frame
/// exchange of an ACK or report that answers it.
fn exchanges(
    local: &LocalFlow,
    seen: &meter::FlowUsage,
    terms: &CostTerms,
    exchange: &Exchanges,
) -> [Exchange; 2] {
    let CostTerms { access, aggregates, rates: [data, answer] } = *terms;
    let of = |direction, msdu, rate, seen| {
        let access = if direction == Direction::Up { access.up } else { access.down };
        exchange(access, Load { direction, msdu, rate, max_packets: aggregates.max_packets(seen) })
    };
    let (own, other) = (local.direction, local.direction.opposite());
    let msdu = local.headers + Bytes::new(seen.octets.get() / u64::from(seen.packets.max(1)));
    [
        of(own, msdu, data, seen.packets_each(own)),
        of(other, local.answer, answer, seen.answers_each(other)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, AP, ME, at_ms, us};

    /// Parameters of the meter in these tests. Slots end with beacons, so the slot length has no limit.
    const METER: meter::Params =
        meter::Params { slot: Duration::from_nanos(u64::MAX), ..fixture::METER };
    const FAST: DataRate = DataRate::from_mbps(54);
    const SLOW: DataRate = DataRate::from_mbps(6);

    /// Exchange in a cell whose frames take a microsecond per 8 octets at the highest rate of the tests, and
    /// nine times that at the lowest.
    fn exchange(access: Duration, load: Load) -> Exchange {
        let packets = load.max_packets.min(4);
        let octets = load.msdu.get() * u64::from(packets);
        let data = us(octets / 8 * if load.rate == SLOW { 9 } else { 1 });
        Exchange { access, protection: [None; 2], data, ack: us(28), sifs: us(16), packets }
    }

    fn heard(end: u64, to: u16, kind: meter::Kind<'_>, rate: DataRate) -> HeardFrame<'_> {
        let (duration, duration_field, backoff) = (us(181), us(44), None);
        let frame = meter::Frame { end: at_ms(end), duration, duration_field, to, backoff, kind };
        HeardFrame { frame, rate }
    }

    /// Packets of flow 7 in a frame: `number` of them with 1400 octets each.
    fn frame_of(number: usize) -> [meter::Packets; 1] {
        let mut packets = Vec::new();
        let add = |_| meter::Packets::gather(&mut packets, fixture::packet(1_400));
        (0..number).for_each(add);
        packets.try_into().expect("one flow")
    }

    fn data(end: u64, rate: DataRate, packets: &[meter::Packets]) -> HeardFrame<'_> {
        heard(end, ME, meter::Kind::Data { from: AP, psdu: Bytes::new(1_476), packets }, rate)
    }

    fn limit(state: &State, is_tcp: bool) -> Option<Limit> {
        let endpoint = |_: &LocalFlow| Some(FlowEndpoint { is_tcp, round_trip: Some(us(10_000)) });
        limits(state, endpoint, &exchange).next().map(|(_, limit)| limit)
    }

    fn hear(state: &mut State, heard: &HeardFrame, grant: Option<Grant>) -> bool {
        let params = Params { aggregates: Aggregates::Seen, ..Params::default() };
        step(&params, &METER, state, &Observation { heard, grant }, &exchange)
    }

    /// A grant limits a flow's rate or window, and a new PHY rate changes the limit. Two packets of 1400
    /// octets arrive in 100 ms, and half of the channel is granted. An exchange takes DIFS 34 and the access
    /// point's back-off 66, data 181, SIFS 16 and ACK 28 µs: 325 µs. TFRC's report every 10 ms takes 100 +
    /// 0 + 44 = 144 µs. This allows (0.5 - 0.0144) / 325 µs = 1494 packets per second. At the slow rate the
    /// data takes 1629, the exchange 1773 µs: 273 packets. TCP has one answer for two packets: 325 + 144 / 2
    /// = 397 µs, so 1259 packets per second, or a window of 17 631 octets for 10 ms.
    ///
    /// Verifies: [occupancy-tfrc eq. 17], [occupancy-tfrc eq. 18]
    #[test]
    fn a_grant_is_a_limit_and_so_is_a_new_rate() {
        let one = frame_of(1);
        let mut state = State::new(std::iter::once(LocalFlow::new(7, Direction::Down, true)));
        assert!(hear(&mut state, &data(50, FAST, &one), None), "a first rate is a new one");
        assert_eq!(limit(&state, false), None, "nothing is granted yet");
        assert!(!hear(&mut state, &data(60, FAST, &one), None));
        let grant = Grant::new(0.5, 0.0, us(66));
        let beacon = heard(100, AP, meter::Kind::Beacon, SLOW);
        assert!(hear(&mut state, &beacon, Some(grant)));
        let per_second = |state: &State| match limit(state, false) {
            Some(Limit::Rate(rate)) => rate.bps() / 8 / 1_400,
            other => unreachable!("TFRC has a rate: {other:?}"),
        };
        assert_eq!(per_second(&state), 1_494);
        let Some(Limit::Window(window)) = limit(&state, true) else { unreachable!("TCP") };
        assert_eq!(window, Bytes::new(17_631));
        assert!(hear(&mut state, &data(110, SLOW, &one), None));
        assert_eq!(per_second(&state), 273);
        let params = Params { patience: 1, ..Params::default() };
        assert_eq!(expect_beacon(&params, &mut state).count(), 0);
        assert_eq!(expect_beacon(&params, &mut state).count(), 1);
        assert_eq!(limit(&state, false), None);
        assert_eq!(expect_beacon(&params, &mut state).count(), 0);
    }

    /// A flow whose packets share aggregates gets a higher rate than one with a packet per frame. Half of the
    /// channel is granted, and the flow's frames have three packets: 4344 octets, which take 543 µs.
    ///
    /// With `Aggregates::Apart` each packet counts with a frame of its own: DIFS 34, back-off 66, data 181,
    /// SIFS 16 and ACK 28 µs, 325 µs in total. TFRC's report every 10 ms takes 144 µs, which is 0.0144 of the
    /// channel: (0.5 - 0.0144) / 325 µs = 1494 packets per second. With `Seen` the three packets share
    /// 34 + 66 + 543 + 16 + 28 = 687 µs, so 229 each: (0.5 - 0.0144) / 229 µs = 2120. With `Full` an aggregate has as
    /// many packets as fit, here four: 724 of data, 868 in total, 217 each; four reports in one frame take 36
    /// each: (0.5 - 0.0036) / 217 µs = 2287.
    #[test]
    fn packets_of_an_aggregate_cost_less_than_packets_apart() {
        let three = frame_of(3);
        let per_second = |aggregates| {
            let params = Params { aggregates, ..Params::default() };
            let mut state = State::new(std::iter::once(LocalFlow::new(7, Direction::Down, true)));
            let grant = Some(Grant::new(0.5, 0.0, us(66)));
            let beacon = heard(100, AP, meter::Kind::Beacon, SLOW);
            for (heard, grant) in [(&data(50, FAST, &three), None), (&beacon, grant)] {
                let seen = Observation { heard, grant };
                step(&params, &METER, &mut state, &seen, &exchange);
            }
            match limit(&state, false) {
                Some(Limit::Rate(rate)) => rate.bps() / 8 / 1_400,
                other => unreachable!("TFRC has a rate: {other:?}"),
            }
        };
        let all = [Aggregates::Apart, Aggregates::Seen, Aggregates::Full];
        assert_eq!(all.map(per_second), [1_494, 2_120, 2_287]);
    }
}
