//! Test bench for a cell: takes packets, and collects frames and records with their times.

use std::sync::atomic::AtomicBool;

use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::phy::Standard;
use airfair_wlan::radio::Propagation;
use airfair_wlan::{
    AccessParameters, Cell, CellConfig, Departure, ErrorModel, Msdu, NodeId, Overheard, Phase,
    QueueConfig, Record, Rules, SentFrame, StationConfig, Stream,
};
use rand_core::SeedableRng;

pub(crate) const MBPS: fn(u64) -> DataRate = DataRate::from_mbps;

/// Time `us` microseconds after the start of the run.
pub(crate) fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_micros(us)
}

/// A cell of stations with these rates; all other settings have their defaults.
pub(crate) fn config(standard: Standard, rates: &[DataRate]) -> CellConfig {
    let station = |rate: &DataRate| StationConfig {
        standard,
        link: None,
        rate_up: (*rate).into(),
        rate_down: (*rate).into(),
        adaptation: [None; 2],
        queue: QueueConfig::fifo(50),
        access: AccessParameters::default(),
        categories: Vec::new(),
        senses_only: Vec::new(),
        hidden_from: Vec::new(),
        errors: ErrorModel::None,
    };
    let stations = rates.iter().map(station).collect();
    let ap_access = AccessParameters::default();
    CellConfig {
        rules: Rules::of(standard),
        ap_queue: QueueConfig::fifo(50),
        ap_access,
        ap_categories: Vec::new(),
        stations,
        foreign: Vec::new(),
    }
}

/// Configuration `config` without back-off, so that times follow from the interframe spaces alone.
pub(crate) fn without_backoff(mut config: CellConfig) -> CellConfig {
    (config.rules.cw_min, config.rules.cw_max) = (Some(0), Some(0));
    config
}

/// Random numbers of a member, as the tests seed them.
pub(crate) fn stream(member: usize) -> Stream {
    Stream::seed_from_u64(member as u64)
}

/// Random numbers for the errors of a station's link.
pub(crate) fn error_stream(station: usize) -> Stream {
    Stream::seed_from_u64(1_000 + station as u64)
}

/// Random numbers of a station for random access to resource units.
fn access_stream(station: usize) -> Stream {
    Stream::seed_from_u64(2_000 + station as u64)
}

/// A frame that has left the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) end: Time,
    pub(crate) node: NodeId,
    pub(crate) frame: SentFrame,
    pub(crate) retry: bool,
    pub(crate) collided: bool,
}

/// A cell with all that it has delivered and recorded.
pub(crate) struct Bench {
    pub(crate) cell: Cell<u32>,
    pub(crate) now: Time,
    pub(crate) records: Vec<(Time, Record)>,
    pub(crate) delivered: Vec<(Time, u32)>,
    pub(crate) departed: Vec<Departure<u32>>,
    /// Sender and receiver of each packet that was accepted.
    hops: Vec<(NodeId, NodeId)>,
    accepted: u32,
}

impl Bench {
    pub(crate) fn new(config: &CellConfig) -> Self {
        let streams = (0..=config.stations.len()).map(stream).collect();
        let links = (0..config.stations.len()).map(error_stream).collect();
        Self::of(Cell::new(config, streams, links), config)
    }

    /// Test bench of a cell whose members may become hidden from each other at any time.
    pub(crate) fn with_relation(config: &CellConfig) -> Self {
        let streams = (0..=config.stations.len()).map(stream).collect();
        let links = (0..config.stations.len()).map(error_stream).collect();
        Self::of(Cell::with_relation(config, streams, links), config)
    }

    /// Test bench of a cell whose members have positions.
    pub(crate) fn with_propagation(propagation: Propagation, config: &CellConfig) -> Self {
        let streams = (0..=config.stations.len()).map(stream).collect();
        let all_decode = propagation.all_decode(Time::MAX, &AtomicBool::new(false)) == Some(true);
        let cell = Cell::with_propagation(propagation, all_decode, config, streams);
        Self::of(cell, config)
    }

    fn of(mut cell: Cell<u32>, config: &CellConfig) -> Self {
        cell.access_at_random((0..config.stations.len()).map(access_stream).collect());
        Self {
            cell,
            now: Time::ZERO,
            records: Vec::new(),
            delivered: Vec::new(),
            departed: Vec::new(),
            hops: Vec::new(),
            accepted: 0,
        }
    }

    /// Queues a packet of `size` octets. Packets have numbers, counted from 0. Returns true if there was room.
    pub(crate) fn send(&mut self, from: NodeId, to: NodeId, size: u64) -> bool {
        let msdu = Msdu { payload: self.accepted, size: Bytes::new(size), from, to };
        let accepted = self.cell.enqueue(self.now, msdu.as_ref()).is_ok();
        self.accepted += u32::from(accepted);
        self.hops.extend(accepted.then_some((from, to)));
        self.drain();
        accepted
    }

    /// Number that the next accepted packet will get.
    pub(crate) fn sent_so_far(&self) -> u32 {
        self.accepted
    }

    /// Sender and receiver of the packet with this number.
    pub(crate) fn hop(&self, number: u32) -> (NodeId, NodeId) {
        self.hops[number as usize]
    }

    /// Queues a packet of `size` octets at a station for the access point.
    pub(crate) fn send_up(&mut self, station: usize, size: u64) -> bool {
        self.send(NodeId::station(station), NodeId::AP, size)
    }

    /// Handles all events before `end`.
    pub(crate) fn run_until(&mut self, end: Time) {
        while self.cell.next_event().at() < end {
            let next = self.cell.next_event();
            assert!(next.at() >= self.now, "an event in the past: {next:?} at {}", self.now);
            self.now = next.at();
            self.cell.handle_event(self.now, next.phase());
            self.drain();
        }
        self.now = end;
    }

    /// Calls every handler of the cell now, although no event is due, which must change nothing.
    pub(crate) fn poke(&mut self) {
        for phase in [Phase::End, Phase::Timeout, Phase::Start] {
            if self.cell.next_event().at() > self.now {
                self.cell.handle_event(self.now, phase);
            }
        }
        self.drain();
    }

    /// All frames that listeners have received.
    pub(crate) fn heard(&self) -> Vec<Overheard<'_, u32>> {
        (0..).map_while(|place| self.cell.overheard(place)).collect()
    }

    fn drain(&mut self) {
        let (mut delivered, mut departed) = (Vec::new(), Vec::new());
        self.cell.take_deliveries(&mut delivered);
        self.delivered.extend(delivered.iter().map(|msdu| (self.now, msdu.payload)));
        self.cell.take_departures(&mut departed);
        self.departed.append(&mut departed);
        for record in self.cell.drain_records() {
            self.records.push((self.now, record));
        }
    }

    pub(crate) fn accepted(&self) -> u32 {
        self.accepted
    }

    /// All frames sent, in the order of their ends.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        let sent = |(end, record): &(Time, Record)| match *record {
            Record::Sent { node, frame, retry, collided } => {
                Some(Sent { end: *end, node, frame, retry, collided })
            }
            _ => None,
        };
        self.records.iter().filter_map(sent).collect()
    }

    /// End [µs] and sender of each frame, in the order of the ends.
    pub(crate) fn ends(&self) -> Vec<(u64, u16)> {
        self.sent().iter().map(|sent| (sent.end.as_nanos() / 1000, sent.node.0)).collect()
    }
}
