//! A station that keeps to its share: it divides what it is granted between its flows and limits their rates.
//!
//! It takes in one frame after the other in place: its account of all flows would be copied with each of them.

use airfair_units::{Bytes, DataRate, Duration, Time};

use super::observation::{Intervals, ObservationSlot};
use super::station::{self as law, Answers, Division, highest_rate};
use super::{Grant, Params};
use crate::Direction;
use crate::exchange::{Exchange, Exchanges};
use crate::occupancy_meter as meter;
use crate::receipts::{Heard, LocalFlow, Receipts};
use crate::window_limit;

/// A flow with an end at the station, and its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limited {
    local: LocalFlow,
    kept: Option<Kept>,
}

/// Share that the last beacon has left a flow, and its use.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kept {
    share: f64,
    /// Packets of the flow in the slot.
    seen: meter::FlowUsage,
    slot: Duration,
    access: meter::Access,
}

/// Memory from frame to frame.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    meter: meter::State,
    intervals: Intervals,
    /// Time at which the last beacon was received, and the number that have been due since.
    since: Time,
    missed: u16,
    /// Rates at which frames got through last, up and down.
    rates: [Option<DataRate>; 2],
    flows: Vec<Limited>,
    receipts: Receipts,
}

impl State {
    /// Nothing has been heard. `flows` are those with an end at the station.
    pub fn new(flows: impl Iterator<Item = LocalFlow>) -> Self {
        Self {
            meter: meter::State::default(),
            intervals: Intervals::default(),
            since: Time::ZERO,
            missed: 0,
            rates: [None; 2],
            flows: flows.map(|local| Limited { local, kept: None }).collect(),
            receipts: Receipts::default(),
        }
    }
}

/// The end of a flow at the station, as its transport knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// True if each few packets are answered, and not each round trip.
    pub is_tcp: bool,
    /// Its round trip, once it knows one.
    pub round_trip: Option<Duration>,
}

/// A limit of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Of TFRC's rate.
    Rate(DataRate),
    /// Of TCP's window.  Deviates: [D-113]
    Window(Bytes),
}

/// A beacon is due. The flows whose limits are gone, because so many have been missed.
pub fn expect_beacon<'s>(
    params: &Params,
    state: &'s mut State,
) -> impl Iterator<Item = &'s LocalFlow> {
    state.missed = state.missed.saturating_add(1);
    let is_over = state.missed == params.patience.saturating_add(1);
    let flows = if is_over { state.flows.as_mut_slice() } else { &mut [] };
    flows.iter_mut().filter_map(|limited| limited.kept.take().map(|_| &limited.local))
}

/// A frame that the station has decoded or sent.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'h> {
    /// The frame.
    pub heard: &'h Heard,
    /// The grant in it, if it is a beacon that has one.
    pub grant: Option<Grant>,
}

/// The station has seen a frame; true if limits are due.
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
        let usage = meter::cut(meter, &mut state.meter, heard.frame.end);
        state.intervals.push(params.beacons, heard.frame.end - state.since, usage);
        (state.since, state.missed) = (heard.frame.end, 0);
        share_out(params, meter, state, grant, exchange);
        return true;
    }
    let flows = state.flows.iter_mut().map(|limited| &mut limited.local);
    let Some((direction, rate)) = state.receipts.take(meter.me, heard, flows) else { return false };
    state.rates[direction as usize].replace(rate) != Some(rate)
}

/// A beacon: the share of each flow.  [occupancy-tfrc eq. 7 to 15]
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
        |it: &Limited| seen.flows.get(it.local.flow).filter(|seen| seen.packets > 0).copied();
    let (mut used, mut need) = (Vec::new(), 0.0);
    for limited in &state.flows {
        let Some(seen) = active(limited) else { continue };
        if limited.local.is_controlled {
            used.push(part(&seen.usage));
        } else if let Some(rates) = rates_of(&limited.local, state.rates) {
            let [data, answer] = exchanges(&limited.local, access, &seen, rates, exchange);
            let per_second = |count: u32| f64::from(count) / length.as_secs_f64();
            need += law::needed(per_second(seen.packets), &data)
                + law::needed(per_second(seen.answers), &answer);
        }
    }
    let division = Division::new(params, available, &used, need);
    for limited in state.flows.iter_mut().filter(|it| it.local.is_controlled) {
        if let Some(seen) = active(limited) {
            let share = division.share(part(&seen.usage));
            limited.kept = Some(Kept { share, seen, slot: length, access });
        }
    }
}

/// Limits of the flows at the rates of now, where `end` tells of each.  [occupancy-tfrc eq. 16 to 18]
pub fn limits<'s>(
    state: &'s State,
    end: impl Fn(&LocalFlow) -> Option<End> + 's,
    exchange: &'s Exchanges,
) -> impl Iterator<Item = (&'s LocalFlow, Limit)> {
    state.flows.iter().filter_map(move |Limited { local, kept }| {
        let (kept, rates) = kept.as_ref().zip(rates_of(local, state.rates))?;
        let end = end(local)?;
        let round_trip = end.round_trip.filter(|it| !it.is_zero())?;
        let pair = exchanges(local, kept.access, &kept.seen, rates, exchange);
        let rate = rate(kept, end.is_tcp, round_trip, pair);
        let limit = if end.is_tcp {
            Limit::Window(window_limit::for_rate(rate, round_trip, local.largest))
        } else {
            Limit::Rate(rate)
        };
        Some((local, limit))
    })
}

/// Highest rate of a flow whose packets and answers take so long, θ.
fn rate(
    kept: &Kept,
    is_tcp: bool,
    round_trip: Duration,
    [data, answer]: [Exchange; 2],
) -> DataRate {
    let seen = &kept.seen;
    let answers = if is_tcp {
        Answers::Each(f64::from(seen.packets) / f64::from(seen.answers.max(1)))
    } else {
        Answers::EachRoundTrip(round_trip)
    };
    #[expect(clippy::cast_precision_loss, reason = "octets of a slot")]
    let payload = seen.octets.get() as f64 / f64::from(seen.packets);
    highest_rate(kept.share, kept.slot, &law::PacketCost { payload, data, answer, answers })
}

/// Rates of a flow's data and of what answers it, once frames have got through at them.
fn rates_of(local: &LocalFlow, [up, down]: [Option<DataRate>; 2]) -> Option<[DataRate; 2]> {
    let (data, answer) = if local.direction == Direction::Up { (up, down) } else { (down, up) };
    Some([data?, answer.or(data)?])
}

/// Packets of a flow with data, as long as those `seen` are on average, and its answers, at such rates.
fn exchanges(
    local: &LocalFlow,
    access: meter::Access,
    seen: &meter::FlowUsage,
    [data, answer]: [DataRate; 2],
    exchange: &Exchanges,
) -> [Exchange; 2] {
    let (own, other) = match local.direction {
        Direction::Up => (access.up, access.down),
        Direction::Down => (access.down, access.up),
    };
    let msdu = local.headers + Bytes::new(seen.octets.get() / u64::from(seen.packets.max(1)));
    [exchange(own, msdu, data), exchange(other, local.answer, answer)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, AP, ME, at_ms, us};

    /// Its slots end with beacons.
    const METER: meter::Params =
        meter::Params { slot: Duration::from_nanos(u64::MAX), ..fixture::METER };
    const FAST: DataRate = DataRate::from_mbps(54);
    const SLOW: DataRate = DataRate::from_mbps(6);

    /// A cell in which a frame lasts a microsecond for 8 octets at the fast rate, and nine times that at the slow one.
    fn exchange(access: Duration, msdu: Bytes, rate: DataRate) -> Exchange {
        let data = us(msdu.get() / 8 * if rate == SLOW { 9 } else { 1 });
        Exchange { access, protection: [None; 2], data, ack: us(28), sifs: us(16) }
    }

    fn heard(end: u64, to: u16, kind: meter::Kind, rate: DataRate) -> Heard {
        let (duration, duration_field, backoff) = (us(181), us(44), None);
        let frame = meter::Frame { end: at_ms(end), duration, duration_field, to, backoff, kind };
        Heard { frame, rate, msdu: Bytes::new(1_448) }
    }

    /// Data of flow 7 to the station.
    fn data(end: u64, rate: DataRate) -> Heard {
        let packet = Some(meter::Packet { flow: 7, payload: 1_400 });
        let kind = meter::Kind::Data { from: AP, psdu: Bytes::new(1_476), packet };
        heard(end, ME, kind, rate)
    }

    fn limit(state: &State, is_tcp: bool) -> Option<Limit> {
        let end = |_: &LocalFlow| Some(End { is_tcp, round_trip: Some(us(10_000)) });
        limits(state, end, &exchange).next().map(|(_, limit)| limit)
    }

    fn told(state: &mut State, heard: &Heard, grant: Option<Grant>) -> bool {
        step(&Params::default(), &METER, state, &Observation { heard, grant }, &exchange)
    }

    /// Two packets of 1400 octets in 100 ms, half of the channel granted. Its exchange takes DIFS 34 and the access
    /// point's back-off 66, data 181, SIFS 16 and ACK 28 µs: 325; TFRC's report each 10 ms 100 + 0 + 44 = 144 µs. So
    /// (0.5 - 0.0144) / 325 µs = 1494 packets per second. At the slow rate data takes 1629, in all 1773 µs: 273
    /// packets. TCP's window is that of 10 ms, with one answer for the two packets: 325 + 144 / 2 = 397 µs, so 1259
    /// packets per second or 17 631 octets.
    ///
    /// Verifies: [occupancy-tfrc eq. 17], [occupancy-tfrc eq. 18]
    #[test]
    fn a_grant_is_a_limit_and_so_is_a_new_rate() {
        let mut state = State::new(std::iter::once(LocalFlow::new(7, Direction::Down, true)));
        assert!(told(&mut state, &data(50, FAST), None), "a first rate is a new one");
        assert_eq!(limit(&state, false), None, "nothing is granted yet");
        assert!(!told(&mut state, &data(60, FAST), None));
        let grant = Grant::new(0.5, 0.0, us(66));
        let beacon = heard(100, AP, meter::Kind::Beacon, SLOW);
        assert!(told(&mut state, &beacon, Some(grant)));
        let per_second = |state: &State| match limit(state, false) {
            Some(Limit::Rate(rate)) => rate.bps() / 8 / 1_400,
            other => unreachable!("TFRC has a rate: {other:?}"),
        };
        assert_eq!(per_second(&state), 1_494);
        let Some(Limit::Window(window)) = limit(&state, true) else { unreachable!("TCP") };
        assert_eq!(window, Bytes::new(17_631));
        assert!(told(&mut state, &data(110, SLOW), None));
        assert_eq!(per_second(&state), 273);
        let params = Params { patience: 1, ..Params::default() };
        assert_eq!(expect_beacon(&params, &mut state).count(), 0);
        assert_eq!(expect_beacon(&params, &mut state).count(), 1);
        assert_eq!(limit(&state, false), None);
        assert_eq!(expect_beacon(&params, &mut state).count(), 0);
    }
}
