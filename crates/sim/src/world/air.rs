//! The air as the world has it: packets that cross it, frames that agents are told of, beacons.

use airfair_laws::Direction;
use airfair_units::{Bytes, DataRate, Time};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::{Beacon, Cell, Departure, Msdu, NodeId, Phase, QueueFull};

use super::room::{Full, Line};
use super::settings::Settable;
use super::{Event, Hop, RateChange, World};
use crate::clock::Clock;
use crate::coupling::{Agent, Passage, Seen};
use crate::packet::Packet;
use crate::record::{CellId, Recorder};
use crate::scenario::Beacons;

/// A basic service set: its cell, the agents of its members, and what is put before each packet on its air.
#[derive(Debug)]
pub(crate) struct Bss {
    pub(crate) cell: Cell<Packet>,
    /// LLC/SNAP.
    pub(crate) msdu_overhead: Bytes,
    /// Members, the access point first, as far as their settings may change.
    pub(crate) members: Vec<Settable>,
    pub(crate) beacons: Option<Beacons>,
    /// Ends that wait for room in the queue of each member, by access category.
    pub(crate) lines: Vec<[Line; AccessCategory::ALL.len()]>,
    /// By member; none where nobody has any.
    pub(crate) agents: Vec<Vec<Agent>>,
    /// True if an agent of the access point sees what it forwards.
    pub(crate) watches_packets: bool,
}

impl Bss {
    /// True if an agent sees packets before they join the queue of this member.
    #[inline]
    pub(super) fn watches(&self, member: NodeId) -> bool {
        self.watches_packets && member.is_ap()
    }

    /// A packet joins the queue of a member, if that takes it.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    pub(super) fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet,
        from: NodeId,
        to: NodeId,
    ) -> Result<(), Full> {
        let size = packet.size() + self.msdu_overhead;
        let msdu = Msdu { payload: packet, size, from, to };
        self.cell.enqueue(now, msdu).map_err(|QueueFull| Full)
    }
}

impl<R: Recorder, C: Clock> World<R, C> {
    pub(super) fn change_rate(&mut self, index: usize) {
        let RateChange { cell, station, direction, rate, .. } = self.rate_changes[index];
        self.cells[cell.index()].cell.set_rate(station, direction, rate);
        if direction == Direction::Up {
            self.tell_of_rate(cell, station, rate.data_rate());
        }
    }

    /// The rate of a station's own frames has changed.
    pub(super) fn tell_of_rate(&mut self, cell: CellId, station: NodeId, rate: DataRate) {
        let highest_rate = self.cells[cell.index()].members[station.index()].highest;
        self.tell(cell, station, &Seen::Rate { rate, highest_rate });
    }

    /// It tells of what was seen until now, whenever the medium lets it go.
    pub(super) fn send_beacon(&mut self, id: CellId) {
        let Some(Beacons { interval, size }) = self.cells[id.index()].beacons else { return };
        let elements = self.compose_beacon(id);
        let beacon = Beacon { psdu: size + elements.size(), elements };
        self.cells[id.index()].cell.send_beacon(self.now, beacon);
        self.queue.push(self.now + interval, Phase::Timeout, Event::Beacon(id));
        self.drain_touched();
    }

    /// A packet joins the queue of the member `from` of a cell, if that takes it.
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

    /// The same where an agent of the access point sees the packet before.
    #[inline(never)]
    fn forward_watched(
        &mut self,
        (cell, from, to): (CellId, NodeId, NodeId),
        packet: &Packet,
    ) -> Result<(), Full> {
        let packet = self.pass(cell, Passage::ToQueue, *packet);
        self.cells[cell.index()].enqueue(self.now, &packet, from, to)
    }

    /// Takes what the cells have to say. No packet goes from one to another without a wire between, so
    /// one turn is enough.
    #[expect(clippy::inline_always, reason = "it follows each event")]
    #[inline(always)]
    pub(super) fn drain_cells(&mut self) {
        if self.observes && self.cells.iter().any(|bss| bss.cell.has_overheard()) {
            self.drain_overheard();
        }
        for index in 0..self.cells.len() {
            self.drain_cell(index);
        }
    }

    /// Packets first, so that the cell's records follow in order of time.
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
        cells[index].cell.hand_records(|records| recorder.record_cell(*now, id, records));
    }

    /// Packets that have crossed the air or left a queue, and new rates.
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

    /// Packets that have crossed the air.
    #[inline]
    fn drain_deliveries(&mut self, index: usize) {
        let mut delivered = std::mem::take(&mut self.delivered);
        self.cells[index].cell.take_deliveries(&mut delivered);
        // All before the first of them is copied: a copy that follows such a small change at once has to wait for it.
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

    /// A packet has crossed the air.
    #[inline]
    fn arrive_by_air(&mut self, index: usize, msdu: &Msdu<Packet>) {
        let mut packet = msdu.payload;
        if self.cells[index].watches_packets {
            let is_up = msdu.to.is_ap();
            let passage = if is_up { Passage::FromStation } else { Passage::Delivered };
            packet = self.pass(CellId::new(index), passage, packet);
        }
        self.arrive(&packet);
    }

    /// Packets of one way have crossed the air together.
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

    /// Packets that have left a queue. Those of one flow that go one after the other leave room for as many.
    #[inline]
    fn drain_departures(&mut self, index: usize) {
        while self.cells[index].cell.has_departures() {
            let mut departed = std::mem::take(&mut self.departed);
            self.cells[index].cell.take_departures(&mut departed);
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

    /// Tells agents of frames that were heard; what they make of them comes before the packets go on.
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

/// True if two packets are on the same way, and at the same place of it.
#[inline]
fn arrive_together(one: &Msdu<Packet>, other: &Msdu<Packet>) -> bool {
    let of = |Packet { flow, origin, hop, .. }: Packet| (flow, origin, hop);
    of(one.payload) == of(other.payload)
}

/// True if `next` leaves the same queue as the packet `before` it, and is not lost.
#[inline]
fn leave_together(before: &Departure<Packet>, next: &Departure<Packet>) -> bool {
    !next.lost && arrive_together(&before.msdu, &next.msdu)
}
