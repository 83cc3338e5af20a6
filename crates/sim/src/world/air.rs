//! Cells in the world: packets that cross the air, frames for agents, and beacons.

use airfair_laws::Direction;
use airfair_units::DataRate;
use airfair_wlan::{Beacon, Departure, Msdu, NodeId, Phase};

use super::{Event, RateChange, World};
use crate::clock::Clock;
use crate::coupling::{Passage, Seen};
use crate::flow::{Full, Hop};
use crate::packet::Packet;
use crate::record::CellId;
use crate::recorder::Recorder;
use crate::scenario::Beacons;

impl<R: Recorder, C: Clock> World<R, C> {
    pub(super) fn change_rate(&mut self, index: usize) {
        let RateChange { cell, station, direction, rate, .. } = self.rate_changes[index];
        self.cells[cell.index()].cell.set_rate(station, direction, rate);
        if direction == Direction::Up {
            self.tell_of_rate(cell, station, rate.data_rate());
        }
    }

    /// Notifies a station's agents that the rate of its own frames has changed.
    pub(super) fn tell_of_rate(&mut self, cell: CellId, station: NodeId, rate: DataRate) {
        let highest_rate = self.cells[cell.index()].members[station.index()].highest;
        self.tell(cell, station, &Seen::Rate { rate, highest_rate });
    }

    /// Sends a beacon, as soon as the medium allows, and schedules the next one.
    pub(super) fn send_beacon(&mut self, id: CellId) {
        let Some(Beacons { interval, size, .. }) = self.cells[id.index()].beacons else { return };
        let elements = self.compose_beacon(id);
        let beacon = Beacon { psdu: size + elements.size(), elements };
        self.cells[id.index()].cell.send_beacon(self.now, beacon);
        self.queue.push(self.now + interval, Phase::Timeout, Event::Beacon(id));
        self.drain_touched();
    }

    /// Puts a packet into the transmit queue of a member of a cell. `hop` holds the cell, the sending and the receiving
    /// member.
    ///
    /// # Errors
    /// [`Full`] if the queue refuses the packet.
    #[inline(never)]
    pub(super) fn forward_by_air(
        &mut self,
        hop: (CellId, NodeId, NodeId),
        packet: &Packet,
    ) -> Result<(), Full> {
        let (cell, from, to) = hop;
        let bss = &mut self.cells[cell.index()];
        if bss.watches(from) {
            return self.forward_watched(hop, packet);
        }
        bss.enqueue(self.now, packet, from, to)?;
        self.note_sent(packet);
        Ok(())
    }

    /// Puts a packet into the access point's transmit queue, after the access point's agents have seen it.
    #[inline(never)]
    fn forward_watched(
        &mut self,
        (cell, from, to): (CellId, NodeId, NodeId),
        packet: &Packet,
    ) -> Result<(), Full> {
        match self.pass((cell, to), Passage::ToQueue, *packet) {
            Some(packet) => self.cells[cell.index()].enqueue(self.now, &packet, from, to),
            None => Ok(()),
        }
    }

    /// Processes the output of all cells. One round is enough, because no packet goes from one cell to another
    /// without a wire between them.
    #[expect(clippy::inline_always, reason = "it follows each event")]
    #[inline(always)]
    pub(super) fn drain_cells(&mut self) {
        if self.observes && self.cells.iter().any(|bss| bss.cell.has_overheard()) {
            self.drain_overheard();
        }
        if R::TRACES || self.cells.are_few() {
            for index in 0..self.cells.len() {
                self.drain_cell(index);
            }
        } else {
            self.drain_changed();
        }
    }

    /// Processes the output of the cells that have changed.
    #[inline(never)]
    fn drain_changed(&mut self) {
        self.cells.sort_changed();
        let mut place = 0;
        while let Some(index) = self.cells.changed(place) {
            self.drain_cell(index);
            place += 1;
        }
    }

    /// Processes the output of a cell. Packets come first, so that the cell's records are in order of time.
    #[inline]
    fn drain_cell(&mut self, index: usize) {
        if self.cells[index].cell.has_news() {
            self.drain_news(index);
        }
        if R::TRACES {
            self.trace_cell(index);
        }
        let Self { cells, recorder, now, .. } = self;
        let id = CellId::new(index);
        cells.emptied(index).cell.hand_records(|records| recorder.record_cell(*now, id, records));
    }

    /// Processes deliveries, departures and changed rates of a cell.
    #[inline(never)]
    fn drain_news(&mut self, index: usize) {
        self.drain_deliveries(index);
        self.drain_departures(index);
        let id = CellId::new(index);
        while let Some(change) = self.cells[index].cell.poll_rate_change() {
            if change.direction == Direction::Up {
                self.tell_of_rate(id, change.station, change.rate);
            }
        }
    }

    /// Forwards the packets that have crossed the air of a cell.
    #[inline]
    fn drain_deliveries(&mut self, index: usize) {
        let mut delivered = std::mem::take(&mut self.delivered);
        self.cells.emptied(index).cell.take_deliveries(&mut delivered);
        // Advances the hops of all packets before any of them is copied. A copy right after such a change would stall
        // the processor.
        for msdu in &mut delivered {
            msdu.payload.hop += 1;
        }
        if delivered.len() > 1 && !self.cells[index].watches_packets {
            delivered.chunk_by(arrive_together).for_each(|run| self.arrive_all_by_air(run));
        } else {
            for msdu in &delivered {
                self.arrive_by_air(index, msdu);
            }
        }
        delivered.clear();
        self.delivered = delivered;
    }

    /// Forwards one packet that has crossed the air.
    #[inline]
    fn arrive_by_air(&mut self, index: usize, msdu: &Msdu<Packet>) {
        let mut packet = msdu.payload;
        if self.cells[index].watches_packets {
            let is_up = msdu.to.is_ap();
            let (passage, station) = if is_up {
                (Passage::FromStation, msdu.from)
            } else {
                (Passage::Delivered, msdu.to)
            };
            match self.pass((CellId::new(index), station), passage, packet) {
                Some(passed) => packet = passed,
                None => return,
            }
        }
        self.arrive(&packet);
    }

    /// Forwards packets with the same route that have crossed the air together.
    fn arrive_all_by_air(&mut self, run: &[Msdu<Packet>]) {
        let Packet { flow, origin, hop, .. } = run[0].payload;
        let route = self.flows[flow.index()].route(origin);
        if let Some(&Hop::Wire(link)) = route.get(usize::from(hop)) {
            return self.forward_all_by_wire(link, run);
        }
        for Msdu { payload, .. } in run {
            self.arrive(payload);
        }
    }

    /// Processes packets that have left the queues of a cell. Consecutive packets of one flow are processed together.
    #[inline]
    fn drain_departures(&mut self, index: usize) {
        while self.cells[index].cell.has_departures() {
            let mut departed = std::mem::take(&mut self.departed);
            self.cells.emptied(index).cell.take_departures(&mut departed);
            for run in departed.chunk_by(leave_together) {
                let Departure { msdu, lost } = &run[0];
                let Packet { flow, origin, hop, .. } = msdu.payload;
                if *lost {
                    self.lose(&msdu.payload);
                }
                let queue = Hop::Air { cell: CellId::new(index), from: msdu.from, to: msdu.to };
                self.leave_room(queue, (flow, origin), (hop, run));
            }
            departed.clear();
            self.departed = departed;
        }
    }

    /// Passes overheard frames to agents, before the packets in them are forwarded.
    #[cold]
    #[inline(never)]
    fn drain_overheard(&mut self) {
        for index in 0..self.cells.len() {
            if self.cells[index].cell.has_overheard() {
                self.tell_all_frames(CellId::new(index));
                self.cells[index].cell.forget_overheard();
            }
        }
    }
}

/// True if two packets have the same route and the same hop.
#[inline]
fn arrive_together(one: &Msdu<Packet>, other: &Msdu<Packet>) -> bool {
    let of = |Packet { flow, origin, hop, .. }: Packet| (flow, origin, hop);
    of(one.payload) == of(other.payload)
}

/// True if `next` leaves the same queue as `before`, and is not lost.
#[inline]
fn leave_together(before: &Departure<Packet>, next: &Departure<Packet>) -> bool {
    !next.lost && arrive_together(&before.msdu, &next.msdu)
}
