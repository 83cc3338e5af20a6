//! What happens on the air, and what stations and access points make of it.

use airfair_laws::occupancy::Grant;
use airfair_units::{Bytes, DataRate, Time};
use airfair_wlan::{Beacon, Cell, Departure, Elements, Msdu, NodeId, Overheard, Phase};

use super::{Event, Hop, RateChange, World};
use crate::clock::Clock;
use crate::coupling::{ApController, GrantedStation, GrantingAccessPoint, StationObserver};
use crate::endpoint::Source;
use crate::packet::{FlowId, Packet, Side};
use crate::record::{CellId, Record, Recorder};
use crate::scenario::Beacons;

/// A cell with what is put before each packet on its air.
#[derive(Debug)]
pub(crate) struct Radio {
    pub(crate) cell: Cell<Packet>,
    /// LLC/SNAP.
    pub(crate) msdu_overhead: Bytes,
    pub(crate) controller: Option<ApController>,
    /// Highest rate of each station.
    pub(crate) highest_rates: Vec<DataRate>,
    /// By station.
    pub(crate) observers: Vec<StationObserver>,
    pub(crate) beacons: Option<Beacons>,
    /// What the access point grants in its beacons, and who keeps to it, by station.
    pub(crate) granting: Option<GrantingAccessPoint>,
    pub(crate) granted: Vec<GrantedStation>,
}

impl Radio {
    /// The access point sees what it is to send; the packet as it leaves it.
    #[inline]
    pub(super) fn controlled_downlink(
        &mut self,
        now: Time,
        from: NodeId,
        packet: Packet,
    ) -> Packet {
        let Some(controller) = self.controller.as_mut().filter(|_| from.is_ap()) else {
            return packet;
        };
        let mut packet = packet;
        if let Some(weights) = controller.handle_downlink(now, &mut packet) {
            self.cell.set_weights(NodeId::AP, weights);
        }
        packet
    }

    /// The access point sees what it has received, and what has been received of it; the packet as it
    /// leaves it.
    #[inline]
    fn controlled_delivery(&mut self, now: Time, msdu: &Msdu<Packet>) -> Packet {
        let Some(controller) = &mut self.controller else { return msdu.payload };
        let mut packet = msdu.payload;
        if msdu.to.is_ap() {
            controller.handle_uplink(now, &mut packet);
        } else {
            controller.handle_sent(&packet);
        }
        packet
    }
}

impl<R: Recorder, C: Clock> World<R, C> {
    pub(super) fn change_rate(&mut self, index: usize) {
        let RateChange { cell, station, up, rate, highest_rate, .. } = self.rate_changes[index];
        self.cells[cell.index()].cell.set_rate(station, up, rate);
        if up {
            self.tell_senders(cell, station, (highest_rate, rate));
        }
    }

    /// What it says is what was seen until now, whenever the medium lets it go.
    pub(super) fn send_beacon(&mut self, id: CellId) {
        let now = self.now;
        let Radio { cell, beacons, granting, granted, .. } = &mut self.cells[id.index()];
        let Some(Beacons { interval, size }) = *beacons else { return };
        let mut released: Vec<FlowId> = Vec::new();
        for station in granted {
            if station.expect_beacon(now, &mut self.flows) {
                released.extend(station.senders());
            }
        }
        let grant = granting.as_mut().map(|access_point| access_point.grant(now));
        let mut elements = Elements::default();
        if let Some(grant) = grant {
            elements.put(Grant::ELEMENT, &grant.encode()).expect("a beacon has room for a grant");
        }
        cell.send_beacon(now, Beacon { psdu: size + elements.size(), elements });
        self.queue.push(now + interval, Phase::Timeout, Event::Beacon(id));
        for flow in released {
            self.drain_source(flow);
        }
    }

    /// The rate of a station's own frames has changed: those that send there may care.
    fn tell_senders(
        &mut self,
        cell: CellId,
        station: NodeId,
        (highest_rate, rate): (DataRate, DataRate),
    ) {
        for index in 0..self.flows.len() {
            let flow = &mut self.flows[index];
            let sends_here = matches!(flow.forth[0], Hop::Air { cell: c, from, .. } if (c, from) == (cell, station));
            if let (true, Source::Tcp(sender)) = (sends_here, &mut flow.source) {
                flow.controller.rate_changed(highest_rate, rate, sender);
                self.drain_source(FlowId::new(index));
            }
        }
    }

    /// Takes what the cells have to say. No packet goes from one to another without a wire between, so
    /// one turn is enough.
    pub(super) fn drain_cells(&mut self) {
        if self.observes {
            self.drain_overheard();
        }
        for index in 0..self.cells.len() {
            self.drain_cell(index);
        }
    }

    /// Packets first, so that the cell's records follow in order of time.
    fn drain_cell(&mut self, index: usize) {
        while let Some(msdu) = self.cells[index].cell.poll_delivery() {
            let packet = self.cells[index].controlled_delivery(self.now, &msdu);
            self.arrive(packet);
        }
        while let Some(departure) = self.cells[index].cell.poll_departure() {
            self.depart(CellId::new(index), &departure);
        }
        let id = CellId::new(index);
        while let Some(change) = self.cells[index].cell.poll_rate_change() {
            if change.up {
                let highest = self.cells[index].highest_rates[change.station.index() - 1];
                self.tell_senders(id, change.station, (highest, change.rate));
            }
        }
        while let Some(record) = self.cells[index].cell.poll_record() {
            self.recorder.record(self.now, &Record::Cell(id, record));
        }
    }

    /// What stations have heard; what they make of it comes before the packets go on.
    #[cold]
    #[inline(never)]
    fn drain_overheard(&mut self) {
        for index in 0..self.cells.len() {
            while let Some(heard) = self.cells[index].cell.poll_overheard() {
                self.observe(index, &heard);
            }
        }
    }

    fn observe(&mut self, index: usize, heard: &Overheard<Packet>) {
        self.share(index, heard);
        let observers = &self.cells[index].observers;
        let first = observers.partition_point(|observer| observer.station < heard.listener);
        for place in first..self.cells[index].observers.len() {
            let Radio { cell, observers, .. } = &mut self.cells[index];
            let observer = &mut observers[place];
            if observer.station != heard.listener {
                break;
            }
            for measured in observer.close_slots(heard.end).into_iter().flatten() {
                let record = Record::Measured(CellId::new(index), observer.station, measured);
                self.recorder.record(self.now, &record);
            }
            if !observer.handle(cell.airtime(), heard, &mut self.flows) {
                continue;
            }
            let flows: Vec<FlowId> = observer.senders().collect();
            for flow in flows {
                self.drain_source(flow);
            }
        }
    }

    /// Whoever grants a share or keeps to one hears a frame.
    fn share(&mut self, index: usize, heard: &Overheard<Packet>) {
        let Radio { cell, granting, granted, .. } = &mut self.cells[index];
        if let (true, Some(access_point)) = (heard.listener.is_ap(), granting) {
            access_point.handle(cell.airtime(), heard);
            return;
        }
        let place = granted.binary_search_by_key(&heard.listener, |station| station.station);
        let Ok(place) = place else { return };
        let station = &mut granted[place];
        if station.handle(cell.airtime(), heard, &mut self.flows) {
            let flows: Vec<FlowId> = station.senders().collect();
            for flow in flows {
                self.drain_source(flow);
            }
        }
    }

    /// A packet has left a transmit queue, and saturated sources of its own host fill the room, if it has
    /// left any: those first that have found none before.
    fn depart(&mut self, cell: CellId, departure: &Departure<Packet>) {
        let Departure { msdu, lost, leaves_room } = departure;
        let Packet { flow, origin, hop, .. } = msdu.payload;
        if *lost {
            self.lose(&msdu.payload);
        }
        if hop > 0 || origin == Side::Receiver || !self.flows[flow.index()].is_saturated {
            return;
        }
        self.owed.push_back(flow);
        if !leaves_room {
            return;
        }
        for _ in 0..self.owed.len() {
            let Some(flow) = self.owed.pop_front() else { break };
            let is_here = matches!(self.flows[flow.index()].forth[0], Hop::Air { cell: c, from, .. } if (c, from) == (cell, msdu.from));
            if is_here && self.cells[cell.index()].cell.may_have_room(msdu.from) {
                self.send_one(flow);
            } else {
                self.owed.push_back(flow);
            }
        }
    }
}
