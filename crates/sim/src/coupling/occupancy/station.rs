//! A station keeps to what it is granted: it divides its share between its flows and limits their rates.

use airfair_laws::exchange::Exchange;
use airfair_laws::occupancy::observation::{Intervals, ObservationSlot};
use airfair_laws::occupancy::station::{self as law, Answers, Division, highest_rate};
use airfair_laws::occupancy::{Grant, Params};
use airfair_laws::occupancy_meter as meter;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::airtime::Airtime;
use airfair_wlan::{NodeId, Overheard};

use super::super::end::End;
use super::super::hearing::{self, exchange};
use super::super::local_flow::{LocalFlow, Receipts};
use crate::packet::{FlowId, Packet, Side};
use crate::world::Flow;

/// A flow with an end at the station, and its limit.
#[derive(Debug)]
struct Limited {
    local: LocalFlow,
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
    receipts: Receipts,
}

impl GrantedStation {
    pub(crate) fn new(
        station: NodeId,
        params: Params,
        airtime: &Airtime,
        flows: impl Iterator<Item = LocalFlow>,
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
            flows: flows.map(|local| Limited { local, kept: None }).collect(),
            receipts: Receipts::new(station),
        }
    }

    /// Flows whose sender is here and under control.
    pub(crate) fn senders(&self) -> impl Iterator<Item = FlowId> {
        self.flows.iter().filter(|it| it.local.is_controlled_sender()).map(|it| it.local.id)
    }

    /// A beacon is due. Whether limits are gone, because so many have been missed.
    pub(crate) fn expect_beacon(&mut self, now: Time, flows: &mut [Flow]) -> bool {
        self.missed = self.missed.saturating_add(1);
        if self.missed != self.params.patience.saturating_add(1) {
            return false;
        }
        for limited in &mut self.flows {
            if limited.kept.take().is_some()
                && let Some(mut end) =
                    End::of(&mut flows[limited.local.id.index()], limited.local.side)
            {
                end.lift_limit(now);
            }
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
        let is_due = match heard.elements.get(Grant::ELEMENT).and_then(Grant::decode) {
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
            |it: &Limited| seen.flows.get(&it.local.id.0).filter(|seen| seen.packets > 0).copied();
        let (mut used, mut need) = (Vec::new(), 0.0);
        for limited in &self.flows {
            let Some(seen) = active(limited) else { continue };
            if limited.local.is_controlled {
                used.push(part(&seen.usage));
            } else if let Some(rates) = rates_of(&limited.local, self.rates) {
                let [data, answer] = exchanges(&limited.local, airtime, access, (&seen, rates));
                let per_second = |count: u32| f64::from(count) / length.as_secs_f64();
                need += law::needed(per_second(seen.packets), &data)
                    + law::needed(per_second(seen.answers), &answer);
            }
        }
        let division = Division::new(&self.params, available, &used, need);
        for limited in self.flows.iter_mut().filter(|it| it.local.is_controlled) {
            if let Some(seen) = active(limited) {
                let share = division.share(part(&seen.usage));
                limited.kept = Some(Kept { share, seen, slot: length, access });
            }
        }
    }

    /// Limits the flows to what they may at the rates of now.  [occupancy-tfrc eq. 16 to 18]
    fn limit(&self, airtime: &Airtime, now: Time, flows: &mut [Flow]) {
        for Limited { local, kept } in &self.flows {
            let Some((kept, rates)) = kept.zip(rates_of(local, self.rates)) else { continue };
            let Some(mut end) = End::of(&mut flows[local.id.index()], local.side) else { continue };
            let Some(round_trip) = end.round_trip().filter(|it| !it.is_zero()) else { continue };
            let seen = &kept.seen;
            let [data, answer] = exchanges(local, airtime, kept.access, (seen, rates));
            let answers = if end.is_tcp() {
                Answers::Each(f64::from(seen.packets) / f64::from(seen.answers.max(1)))
            } else {
                Answers::EachRoundTrip(round_trip)
            };
            #[expect(clippy::cast_precision_loss, reason = "octets of a slot")]
            let payload = seen.octets.get() as f64 / f64::from(seen.packets);
            let law = law::Flow { payload, data, answer, answers };
            let rate = highest_rate(kept.share, kept.slot, &law);
            end.limit_rate(now, rate, round_trip, local.largest);
        }
    }

    /// Whether something has got through at a new rate.
    fn got_through(&mut self, heard: &Overheard<Packet>) -> bool {
        let flows = self.flows.iter_mut().map(|limited| &mut limited.local);
        let Some((side, rate)) = self.receipts.take(heard, flows) else { return false };
        self.rates[side as usize].replace(rate) != Some(rate)
    }
}

/// Rates of a flow's data and of what answers it, once frames have got through at them.
fn rates_of(local: &LocalFlow, [up, down]: [Option<DataRate>; 2]) -> Option<[DataRate; 2]> {
    let (data, answer) = if local.side == Side::Sender { (up, down) } else { (down, up) };
    Some([data?, answer.or(data)?])
}

/// Packets of a flow with data, as long as those `seen` are on average, and its answers, at such rates.
fn exchanges(
    local: &LocalFlow,
    airtime: &Airtime,
    access: meter::Access,
    (seen, [data, answer]): (&meter::Flow, [DataRate; 2]),
) -> [Exchange; 2] {
    let (own, other) = match local.side {
        Side::Sender => (access.up, access.down),
        Side::Receiver => (access.down, access.up),
    };
    let msdu = local.headers + Bytes::new(seen.octets.get() / u64::from(seen.packets.max(1)));
    [exchange(airtime, own, msdu, data), exchange(airtime, other, local.answer, answer)]
}
