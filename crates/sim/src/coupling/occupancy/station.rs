//! A station keeps to what it is granted: it divides its share between its flows and limits their rates.

use airfair_laws::arf_aware::WindowLimit;
use airfair_laws::occupancy::observation::{Intervals, ObservationSlot};
use airfair_laws::occupancy::station::{self as law, Answers, Division, highest_rate};
use airfair_laws::occupancy::{Grant, Params};
use airfair_laws::occupancy_meter as meter;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::airtime::Airtime;
use airfair_wlan::{FrameKind, Msdu, NodeId, Overheard};

use super::super::hearing::{self, exchange};
use crate::endpoint::{Sink, Source};
use crate::packet::{FlowId, Packet, Side};
use crate::world::Flow;

/// Segments that a window never falls below: with fewer, delayed ACKs wait for their timer.
const FLOOR: u64 = 2;

/// A flow with an end at the station.
#[derive(Debug)]
pub(crate) struct Limited {
    flow: FlowId,
    /// Its end here: data goes up from a sender and down to a receiver.
    side: Side,
    /// Whether its rate is the law's.
    is_controlled: bool,
    /// Headers before the data of a packet, LLC/SNAP included.
    headers: Bytes,
    /// A packet that answers, LLC/SNAP included.
    answer: Bytes,
    /// Its largest payload.
    largest: Bytes,
    kept: Option<Kept>,
}

/// What the last beacon has left a flow.
#[derive(Clone, Copy, Debug)]
struct Kept {
    share: f64,
    /// What the slot says of its packets.
    seen: meter::Flow,
    slot: Duration,
    access: meter::Access,
}

impl Limited {
    pub(crate) fn new(flow: FlowId, side: Side, is_controlled: bool) -> Self {
        let (headers, answer, largest) = (Bytes::ZERO, Bytes::ZERO, Bytes::ZERO);
        Self { flow, side, is_controlled, headers, answer, largest, kept: None }
    }

    /// A packet of it has got through, in a frame's payload of this size.
    fn note(&mut self, size: Bytes, payload: u32) {
        if payload == 0 {
            self.answer = size;
            return;
        }
        let payload = Bytes::new(payload.into());
        self.headers = size - payload;
        self.largest = self.largest.max(payload);
    }

    /// Limits its rate at its end here: TFRC's own, or TCP's window to that rate times the round trip.
    /// [occupancy-tfrc §III-D]  Deviates: [D-113]
    fn set_limit(&self, now: Time, flow: &mut Flow, rate: DataRate, round_trip: Duration) {
        match (self.side, &mut flow.source, &mut flow.sink) {
            (Side::Sender, Source::Tfrc(sender), _) => sender.set_rate_limit(now, Some(rate)),
            (Side::Receiver, _, Sink::Tfrc(receiver)) => receiver.set_rate_limit(Some(rate)),
            (Side::Sender, Source::Tcp(sender), _) => {
                let segments = window(rate, round_trip, self.largest) / sender.segment_size().get();
                let segments = u32::try_from(segments).unwrap_or(u32::MAX);
                sender.set_window_limit(WindowLimit::Segments(segments));
            }
            (Side::Receiver, _, Sink::Tcp(receiver)) => {
                let window = window(rate, round_trip, self.largest);
                receiver.set_window_limit(Some(Bytes::new(window)));
            }
            (_, Source::Udp(_), _) | (_, _, Sink::Udp(_)) => {}
        }
    }

    /// Lifts its limit.
    fn release(&mut self, now: Time, flow: &mut Flow) {
        if self.kept.take().is_none() {
            return;
        }
        match (self.side, &mut flow.source, &mut flow.sink) {
            (Side::Sender, Source::Tfrc(sender), _) => sender.set_rate_limit(now, None),
            (Side::Receiver, _, Sink::Tfrc(receiver)) => receiver.set_rate_limit(None),
            (Side::Sender, Source::Tcp(sender), _) => sender.set_window_limit(WindowLimit::None),
            (Side::Receiver, _, Sink::Tcp(receiver)) => receiver.set_window_limit(None),
            (_, Source::Udp(_), _) | (_, _, Sink::Udp(_)) => {}
        }
    }

    /// Rates of its data and of what answers them, once frames have got through at them.
    fn rates(&self, [up, down]: [Option<DataRate>; 2]) -> Option<[DataRate; 2]> {
        let (data, answer) = if self.side == Side::Sender { (up, down) } else { (down, up) };
        Some([data?, answer.or(data)?])
    }

    /// Its packets with data and its answers at these rates.
    fn exchanges(
        &self,
        airtime: &Airtime,
        access: meter::Access,
        seen: &meter::Flow,
        [data, answer]: [DataRate; 2],
    ) -> [airfair_laws::exchange::Exchange; 2] {
        let (own, other) = match self.side {
            Side::Sender => (access.up, access.down),
            Side::Receiver => (access.down, access.up),
        };
        let msdu = self.headers + Bytes::new(seen.octets.get() / u64::from(seen.packets.max(1)));
        [exchange(airtime, own, msdu, data), exchange(airtime, other, self.answer, answer)]
    }
}

/// A station whose flows keep to a share of the channel.
#[derive(Debug)]
pub(crate) struct GrantedStation {
    pub(crate) station: NodeId,
    params: Params,
    meter_params: meter::Params,
    meter: meter::State,
    intervals: Intervals,
    /// When the last beacon was received, and how many have been due since.
    since: Time,
    missed: u16,
    /// Rates at which frames got through last, up and down.
    rates: [Option<DataRate>; 2],
    flows: Vec<Limited>,
    /// Its own last data frame, until the ACK: rate and packet.
    sent: Option<(DataRate, Msdu<Packet>)>,
}

impl GrantedStation {
    pub(crate) fn new(
        station: NodeId,
        params: Params,
        airtime: &Airtime,
        flows: Vec<Limited>,
    ) -> Self {
        let never = Duration::from_nanos(u64::MAX);
        Self {
            station,
            params,
            meter_params: hearing::meter_params(station, never, airtime),
            meter: meter::State::default(),
            intervals: Intervals::default(),
            since: Time::ZERO,
            missed: 0,
            rates: [None; 2],
            flows,
            sent: None,
        }
    }

    /// Flows whose sender is here and under control.
    pub(crate) fn senders(&self) -> impl Iterator<Item = FlowId> {
        let sends = |it: &&Limited| it.side == Side::Sender && it.is_controlled;
        self.flows.iter().filter(sends).map(|it| it.flow)
    }

    /// A beacon is due. Whether limits are gone, because so many have been missed.
    pub(crate) fn expect_beacon(&mut self, now: Time, flows: &mut [Flow]) -> bool {
        self.missed = self.missed.saturating_add(1);
        if self.missed != self.params.patience.saturating_add(1) {
            return false;
        }
        for limited in &mut self.flows {
            limited.release(now, &mut flows[limited.flow.index()]);
        }
        true
    }

    /// The station has decoded or sent a frame. Whether limits were set.
    pub(crate) fn handle(
        &mut self,
        airtime: &Airtime,
        heard: &Overheard<Packet>,
        flows: &mut [Flow],
    ) -> bool {
        let frame = hearing::frame(airtime, heard);
        self.meter = meter::step(&self.meter_params, std::mem::take(&mut self.meter), &frame);
        let is_due = match heard.grant {
            Some(grant) => {
                self.share_out(airtime, heard.end, grant);
                true
            }
            None => self.got_through(heard),
        };
        if is_due {
            self.limit(airtime, heard.end, flows);
        }
        is_due
    }

    /// A beacon: the share of each flow.  [occupancy-tfrc eq. 7 to 15]
    fn share_out(&mut self, airtime: &Airtime, now: Time, grant: Grant) {
        let (meter, seen) = meter::cut(&self.meter_params, std::mem::take(&mut self.meter), now);
        self.meter = meter;
        self.intervals.push(self.params.beacons, now - self.since, seen);
        (self.since, self.missed) = (now, 0);
        let ObservationSlot { length, seen } = self.intervals.slot();
        let difs = self.meter_params.difs;
        let access = meter::Access {
            up: difs + seen.backoffs.mean().unwrap_or(grant.backoff()),
            down: difs + grant.backoff(),
        };
        let part =
            |usage: &meter::Usage| usage.occupancy(access).as_secs_f64() / length.as_secs_f64();
        let own = seen.stations.get(&self.station.0).map_or(0.0, part);
        let available = law::share(&self.params, grant, own);
        let active =
            |it: &Limited| seen.flows.get(&it.flow.0).filter(|seen| seen.packets > 0).copied();
        let (mut used, mut need) = (Vec::new(), 0.0);
        for limited in &self.flows {
            let Some(seen) = active(limited) else { continue };
            if limited.is_controlled {
                used.push(part(&seen.usage));
            } else if let Some(rates) = limited.rates(self.rates) {
                let [data, answer] = limited.exchanges(airtime, access, &seen, rates);
                let per_second = |count: u32| f64::from(count) / length.as_secs_f64();
                need += law::needed(per_second(seen.packets), &data)
                    + law::needed(per_second(seen.answers), &answer);
            }
        }
        let division = Division::new(&self.params, available, &used, need);
        for limited in self.flows.iter_mut().filter(|it| it.is_controlled) {
            if let Some(seen) = active(limited) {
                let share = division.share(part(&seen.usage));
                limited.kept = Some(Kept { share, seen, slot: length, access });
            }
        }
    }

    /// Limits the flows to what they may at the rates of now.  [occupancy-tfrc eq. 16 to 18]
    fn limit(&self, airtime: &Airtime, now: Time, flows: &mut [Flow]) {
        for limited in &self.flows {
            let flow = &mut flows[limited.flow.index()];
            let Some((kept, rates)) = limited.kept.zip(limited.rates(self.rates)) else { continue };
            let Some(round_trip) = round_trip(flow, limited.side) else { continue };
            let [data, answer] = limited.exchanges(airtime, kept.access, &kept.seen, rates);
            let seen = &kept.seen;
            let answers = if matches!(flow.source, Source::Tcp(_)) {
                Answers::Each(f64::from(seen.packets) / f64::from(seen.answers.max(1)))
            } else {
                Answers::EachRoundTrip(round_trip)
            };
            #[expect(clippy::cast_precision_loss, reason = "octets of a slot")]
            let payload = seen.octets.get() as f64 / f64::from(seen.packets);
            let law = law::Flow { payload, data, answer, answers };
            let rate = highest_rate(kept.share, kept.slot, &law);
            limited.set_limit(now, flow, rate, round_trip);
        }
    }

    /// Whether something has got through at a new rate: a data frame to the station or, known by its ACK, one of
    /// its own.
    fn got_through(&mut self, heard: &Overheard<Packet>) -> bool {
        let (way, (rate, msdu)) = match (heard.kind, heard.msdu) {
            (FrameKind::Data, Some(msdu)) if msdu.from == self.station => {
                self.sent = Some((heard.rate, msdu));
                return false;
            }
            (FrameKind::Data, Some(msdu)) => (1, (heard.rate, msdu)),
            (FrameKind::Ack, _) if heard.to == Some(self.station) => match self.sent.take() {
                Some(sent) => (0, sent),
                None => return false,
            },
            _ => return false,
        };
        let packet = msdu.payload;
        if let Some(known) = self.flows.iter_mut().find(|known| known.flow == packet.flow) {
            known.note(msdu.size, hearing::payload(&packet));
        }
        self.rates[way].replace(rate) != Some(rate)
    }
}

/// What the end of a flow that is here knows of its round trip.
fn round_trip(flow: &Flow, side: Side) -> Option<Duration> {
    let round_trip = match (side, &flow.source, &flow.sink) {
        (Side::Sender, Source::Tcp(sender), _) => sender.smoothed_round_trip(),
        (Side::Sender, Source::Tfrc(sender), _) => sender.smoothed_round_trip(),
        (Side::Receiver, _, Sink::Tcp(receiver)) => receiver.round_trip(),
        (Side::Receiver, _, Sink::Tfrc(receiver)) => receiver.round_trip(),
        _ => None,
    };
    round_trip.filter(|round_trip| !round_trip.is_zero())
}

/// θ·RTT, two segments at least [octets].
fn window(rate: DataRate, round_trip: Duration, segment: Bytes) -> u64 {
    let bits = u128::from(rate.bps()) * u128::from(round_trip.as_nanos()) / 1_000_000_000;
    u64::try_from(bits / 8).unwrap_or(u64::MAX).max(FLOOR * segment.get())
}
