//! Control of a station's connections by what it hears on its channel.  [arf-window]

use airfair_laws::arf_aware::WindowLimit;
use airfair_laws::arf_window;
use airfair_laws::occupancy_meter as meter;
use airfair_transport::tcp;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::airtime::{Airtime, Protection};
use airfair_wlan::{FrameKind, Msdu, NodeId, Overheard};

use crate::endpoint::{Sink, Source};
use crate::packet::{Body, FlowId, Packet, Side};
use crate::record::Measured;
use crate::world::Flow;

/// A TCP connection with an end at the station.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) flow: FlowId,
    /// Its end here: data goes up from a sender and down to a receiver.
    pub(crate) side: Side,
    /// Whether its window is the law's.
    pub(crate) is_controlled: bool,
    /// Data that has got through.
    moved: Bytes,
    largest_segment: Bytes,
    /// Headers before the data of a segment, LLC/SNAP included.
    headers: Bytes,
    /// An ACK, LLC/SNAP included.
    ack: Bytes,
}

impl Connection {
    pub(crate) fn new(flow: FlowId, side: Side, is_controlled: bool) -> Self {
        let none = Bytes::ZERO;
        let (moved, largest_segment, headers, ack) = (none, none, none, none);
        Self { flow, side, is_controlled, moved, largest_segment, headers, ack }
    }

    /// A segment of it has got through, in a packet of this size.
    fn note(&mut self, size: Bytes, payload: u32) {
        if payload == 0 {
            self.ack = size;
            return;
        }
        let payload = Bytes::new(payload.into());
        self.moved += payload;
        self.largest_segment = self.largest_segment.max(payload);
        self.headers = size - payload;
    }
}

/// A station that measures its channel, and limits its connections' windows when its rate changes.
#[derive(Debug)]
pub(crate) struct StationObserver {
    pub(crate) station: NodeId,
    params: arf_window::Params,
    meter_params: meter::Params,
    meter: meter::State,
    /// Rates that work, up and down.
    rates: [arf_window::State; 2],
    pub(crate) connections: Vec<Connection>,
    /// Its own last data frame, until the ACK: rate and packet.
    sent: Option<(DataRate, Msdu<Packet>)>,
}

impl StationObserver {
    pub(crate) fn new(
        station: NodeId,
        params: arf_window::Params,
        airtime: &Airtime,
        connections: Vec<Connection>,
    ) -> Self {
        let timing = &airtime.timing;
        Self {
            station,
            params,
            meter_params: meter::Params {
                me: station.0,
                access_point: NodeId::AP.0,
                slot: params.slot,
                sifs: timing.sifs,
                difs: timing.difs,
                backoff_slot: timing.slot,
                cw_min: timing.cw_min,
            },
            meter: meter::State::default(),
            rates: [arf_window::State::default(); 2],
            connections,
            sent: None,
        }
    }

    /// What was measured in slots that are over at `now`: the one that was under way, and silent ones.
    pub(crate) fn close_slots(&mut self, now: Time) -> [Option<Measured>; 2] {
        let (meter, ended) = meter::close(&self.meter_params, std::mem::take(&mut self.meter), now);
        self.meter = meter;
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
        let frame = frame(airtime, heard);
        self.meter = meter::step(&self.meter_params, std::mem::take(&mut self.meter), &frame);
        let Some((side, rate)) = self.got_through(heard) else { return false };
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
        let access =
            meter::mean_backoff(&self.meter_params, slot.active()) + self.meter_params.difs;
        let exchange = |msdu| exchange(airtime, access, msdu, rate);
        let controlled =
            self.long_lived(slot).filter(|(it, _)| it.side == side && it.is_controlled);
        for (connection, seen) in controlled {
            let end = End::of(&mut flows[connection.flow.index()], side);
            let Some((mut end, round_trip)) = end else { continue };
            let occupied = seen.share.occupancy(&self.meter_params, slot.active());
            let segment = Bytes::new(seen.octets.get() / u64::from(seen.segments));
            let window = arf_window::window(
                &self.params,
                extra,
                &arf_window::Connection {
                    occupied,
                    segment,
                    largest_segment: connection.largest_segment,
                    segments_per_ack: segments_per_ack(seen),
                    round_trip,
                    buffer: end.buffer(),
                    data: exchange(connection.headers + segment),
                    ack: exchange(connection.ack),
                },
            );
            end.set_limit(window);
        }
    }

    /// Connections that count as long-lived, with what they had in the slot.
    fn long_lived<'s>(
        &'s self,
        slot: &'s meter::Slot,
    ) -> impl Iterator<Item = (&'s Connection, &'s meter::Connection)> {
        let is_long = |it: &&Connection| it.moved >= self.params.long_lived;
        let active = |it: &'s Connection| Some((it, slot.connections.get(&it.flow.0)?));
        let connections = self.connections.iter().filter(is_long).filter_map(active);
        connections.filter(|(_, seen)| seen.segments > 0)
    }

    /// The slot as the law wants to know it.
    fn measured(&self, slot: &meter::Slot, side: Side) -> arf_window::Measured {
        arf_window::Measured {
            occupied: slot.occupied(&self.meter_params),
            beacons: slot.beacons,
            active: slot.active(),
            adapted: if side == Side::Sender { slot.adapted_up } else { slot.adapted_down },
            connections: u32::try_from(self.long_lived(slot).count())
                .expect("at most 65 535 flows"),
        }
    }

    /// Connections whose sender is here and under control.
    pub(crate) fn senders(&self) -> impl Iterator<Item = FlowId> {
        let sends = |it: &&Connection| it.side == Side::Sender && it.is_controlled;
        self.connections.iter().filter(sends).map(|connection| connection.flow)
    }

    /// What has got through, and from which side of its connections: a data frame to the station, or, known
    /// by its ACK, one of its own.
    fn got_through(&mut self, heard: &Overheard<Packet>) -> Option<(Side, DataRate)> {
        let (from, (rate, msdu)) = match (heard.kind, heard.msdu) {
            (FrameKind::Data, Some(msdu)) if msdu.from == self.station => {
                self.sent = Some((heard.rate, msdu));
                return None;
            }
            (FrameKind::Data, Some(msdu)) => (Side::Receiver, (heard.rate, msdu)),
            (FrameKind::Ack, _) if heard.to == Some(self.station) => {
                (Side::Sender, self.sent.take()?)
            }
            _ => return None,
        };
        let packet = msdu.payload;
        let known = self.connections.iter_mut().find(|known| known.flow == packet.flow);
        if let (Some(known), Body::Segment(segment)) = (known, packet.body) {
            known.note(msdu.size, segment.payload);
        }
        Some((from, rate))
    }
}

/// A frame in the words of the law.
fn frame(airtime: &Airtime, heard: &Overheard<Packet>) -> meter::Frame {
    let kind = match (heard.kind, heard.from) {
        (FrameKind::Rts, Some(from)) => meter::Kind::Rts { from: from.0 },
        (FrameKind::Data, Some(from)) => {
            let segment = heard.msdu.and_then(|msdu| segment(&msdu.payload));
            meter::Kind::Data { from: from.0, psdu: heard.psdu, segment }
        }
        (FrameKind::CtsToSelf, _) => meter::Kind::Cts { request: Duration::ZERO },
        (FrameKind::Cts, _) => meter::Kind::Cts { request: airtime.rts(heard.rate) },
        (FrameKind::Ack, _) => meter::Kind::Ack,
        (FrameKind::Beacon, _) => meter::Kind::Beacon,
        (FrameKind::Rts | FrameKind::Data, None) => unreachable!("they name their transmitter"),
    };
    let Overheard { end, duration, rest, .. } = *heard;
    // Whom a beacon is for means nothing to the law.
    let to = heard.to.unwrap_or_default().0;
    meter::Frame { end, duration, rest, to, kind }
}

fn segment(packet: &Packet) -> Option<meter::Segment> {
    let Body::Segment(segment) = packet.body else { return None };
    Some(meter::Segment { connection: packet.flow.0, payload: segment.payload })
}

/// Segments that one ACK acknowledges, as the slot had them.
fn segments_per_ack(seen: &meter::Connection) -> u32 {
    let acks = seen.acks.max(1);
    ((seen.segments + acks / 2) / acks).max(1)
}

/// What a packet takes at a rate.  [arf-window eq. 10]
fn exchange(
    airtime: &Airtime,
    access: Duration,
    msdu: Bytes,
    rate: DataRate,
) -> arf_window::Exchange {
    let protection = match airtime.protection(msdu, rate) {
        Protection::None => [None; 2],
        Protection::CtsToSelf(rate) => [None, Some(airtime.cts(rate))],
        Protection::RtsCts(rate) => [Some(airtime.rts(rate)), Some(airtime.cts(rate))],
    };
    let (data, ack, sifs) = (airtime.data(msdu, rate), airtime.ack(rate), airtime.timing.sifs);
    arf_window::Exchange { access, protection, data, ack, sifs }
}

/// The end of a connection that is at the station.
enum End<'f> {
    Sender(&'f mut tcp::Sender),
    Receiver(&'f mut tcp::Receiver),
}

impl<'f> End<'f> {
    /// With its round trip, once it knows one.
    fn of(flow: &'f mut Flow, side: Side) -> Option<(Self, Duration)> {
        match (side, &mut flow.source, &mut flow.sink) {
            (Side::Sender, Source::Tcp(sender), _) => {
                let round_trip = sender.smoothed_round_trip()?;
                Some((Self::Sender(sender), round_trip))
            }
            (Side::Receiver, _, Sink::Tcp(receiver)) => {
                let round_trip = receiver.round_trip()?;
                Some((Self::Receiver(receiver), round_trip))
            }
            _ => None,
        }
    }

    /// The sender's own has no end: [D-083].
    fn buffer(&self) -> Bytes {
        match self {
            Self::Sender(_) => Bytes::new(u64::MAX),
            Self::Receiver(receiver) => receiver.buffer(),
        }
    }

    /// [arf-window §III-C]
    fn set_limit(&mut self, window: Bytes) {
        match self {
            Self::Sender(sender) => {
                let segments = window.get() / sender.segment_size().get();
                let segments = u32::try_from(segments).unwrap_or(u32::MAX);
                sender.set_window_limit(WindowLimit::Segments(segments));
            }
            Self::Receiver(receiver) => receiver.set_window_limit(Some(window)),
        }
    }
}

#[cfg(test)]
mod tests;
