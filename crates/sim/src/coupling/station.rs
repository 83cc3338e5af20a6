//! Control of a station's connections by what it hears on its channel.  [arf-window]

use airfair_laws::arf_window;
use airfair_laws::occupancy_meter as meter;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::airtime::Airtime;
use airfair_wlan::{NodeId, Overheard};

use super::end::End;
use super::hearing::{self, exchange};
use super::local_flow::{LocalFlow, Receipts};
use crate::packet::{FlowId, Packet, Side};
use crate::record::Measured;
use crate::world::Flow;

/// A station that measures its channel, and limits its connections' windows when its rate changes.
#[derive(Debug)]
pub(crate) struct StationObserver {
    pub(crate) station: NodeId,
    params: arf_window::Params,
    meter_params: meter::Params,
    meter: meter::State,
    /// Rates that work, up and down.
    rates: [arf_window::State; 2],
    /// TCP connections with an end at the station.
    pub(crate) connections: Vec<LocalFlow>,
    receipts: Receipts,
}

impl StationObserver {
    pub(crate) fn new(
        station: NodeId,
        params: arf_window::Params,
        airtime: &Airtime,
        connections: Vec<LocalFlow>,
    ) -> Self {
        Self {
            station,
            params,
            meter_params: hearing::meter_params(station, params.slot, airtime),
            meter: meter::State::default(),
            rates: [arf_window::State::default(); 2],
            connections,
            receipts: Receipts::new(station),
        }
    }

    /// What was measured in slots that are over at `now`: the one that was under way, and silent ones.
    pub(crate) fn close_slots(&mut self, now: Time) -> [Option<Measured>; 2] {
        let ended = meter::close(&self.meter_params, &mut self.meter, now);
        let Some(meter::Ended { from, slot, silent }) = ended else { return [None; 2] };
        let (own, others) = slot.exchanges(self.station.0);
        let active = u32::try_from(slot.stations.len()).expect("at most 65 535 stations");
        let to = from + self.params.slot;
        let silence = (silent > 0).then(|| Measured {
            from: to,
            to: to + self.params.slot * silent,
            own: Duration::ZERO,
            others: Duration::ZERO,
            active: 0,
        });
        [Some(Measured { from, to, own, others, active }), silence]
    }

    /// The station has decoded or sent a frame. Whether windows were set.
    pub(crate) fn handle(
        &mut self,
        airtime: &Airtime,
        heard: &Overheard<Packet>,
        flows: &mut [Flow],
    ) -> bool {
        let frame = hearing::frame(airtime, heard);
        meter::step(&self.meter_params, &mut self.meter, &frame);
        let got_through = self.receipts.take(heard, self.connections.iter_mut());
        let Some((side, rate)) = got_through else { return false };
        if self.rates[side as usize].knows(rate) {
            return false;
        }
        let slot = self.meter.last();
        let measured = slot.map(|slot| self.measured(slot, side));
        let seen = arf_window::Observation { rate, measured };
        let (next, extra) = arf_window::step(&self.params, self.rates[side as usize], &seen);
        self.rates[side as usize] = next;
        if let Some(extra) = extra {
            self.set_windows(airtime, (side, rate), extra, flows);
        }
        extra.is_some()
    }

    /// The windows of the connections whose data goes the way of `side`, at its new rate.
    fn set_windows(
        &self,
        airtime: &Airtime,
        (side, rate): (Side, DataRate),
        extra: arf_window::Extra,
        flows: &mut [Flow],
    ) {
        let slot = self.meter.last().expect("windows follow from a slot");
        let access = self.access(slot);
        let exchange = |msdu| exchange(airtime, access.up, msdu, rate);
        let controlled =
            self.long_lived(slot).filter(|(it, _)| it.side == side && it.is_controlled);
        for (connection, seen) in controlled {
            let end = End::of(&mut flows[connection.id.index()], side);
            let Some(mut end) = end else { continue };
            let Some(smoothed_round_trip) = end.round_trip() else { continue };
            let Some(least_round_trip) = end.least_round_trip() else { continue };
            let occupied = seen.usage.occupancy(access);
            let segment = Bytes::new(seen.octets.get() / u64::from(seen.packets));
            let window = arf_window::window(
                &self.params,
                extra,
                &arf_window::Connection {
                    occupied,
                    segment,
                    largest_segment: connection.largest,
                    segments_per_ack: segments_per_ack(seen),
                    smoothed_round_trip,
                    least_round_trip,
                    buffer: end.buffer(),
                    data: exchange(connection.headers + segment),
                    ack: exchange(connection.answer),
                },
            );
            end.limit_window(window);
        }
    }

    /// What precedes an exchange: a DIFS and the mean back-off that the paper assumes.  [arf-window eq. 1]
    fn access(&self, slot: &meter::Slot) -> meter::Access {
        let backoff = meter::mean_backoff(&self.meter_params, slot.active());
        let access = self.meter_params.difs + backoff;
        meter::Access { up: access, down: access }
    }

    /// Connections that count as long-lived, with what they had in the slot.
    fn long_lived<'s>(
        &'s self,
        slot: &'s meter::Slot,
    ) -> impl Iterator<Item = (&'s LocalFlow, &'s meter::Flow)> {
        let is_long = |it: &&LocalFlow| it.moved >= self.params.long_lived;
        let active = |it: &'s LocalFlow| Some((it, slot.flows.get(it.id.0)?));
        let connections = self.connections.iter().filter(is_long).filter_map(active);
        connections.filter(|(_, seen)| seen.packets > 0)
    }

    /// The slot as the law wants to know it.
    fn measured(&self, slot: &meter::Slot, side: Side) -> arf_window::Measured {
        arf_window::Measured {
            occupied: slot.occupied(self.access(slot)),
            beacons: slot.beacons,
            active: slot.active(),
            adapted: if side == Side::Sender { slot.adapted_up } else { slot.adapted_down },
            connections: u32::try_from(self.long_lived(slot).count())
                .expect("at most 65 535 flows"),
        }
    }

    /// Connections whose sender is here and under control.
    pub(crate) fn senders(&self) -> impl Iterator<Item = FlowId> {
        self.connections.iter().filter(|it| it.is_controlled_sender()).map(|it| it.id)
    }
}

/// Segments that one ACK acknowledges, as the slot had them.
fn segments_per_ack(seen: &meter::Flow) -> u32 {
    let acks = seen.answers.max(1);
    ((seen.packets + acks / 2) / acks).max(1)
}

#[cfg(test)]
mod tests;
