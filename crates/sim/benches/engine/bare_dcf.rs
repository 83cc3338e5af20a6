//! Lower bound of the engine's cost: the DCF of a saturated 802.11a cell alone, without queues, packets, transports
//! and metrics. Random streams, draws, frames and the number of hashed records are those of the engine.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airfair_laws::Direction;
use airfair_sim::link::LinkId;
use airfair_sim::metrics::Fingerprint;
use airfair_sim::packet::FlowId;
use airfair_sim::random::{Purpose, Streams};
use airfair_sim::record::{CellId, FlowRecord, LinkRecord, Record, SentAt};
use airfair_sim::recorder::Recorder;
use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::{AirUse, NodeId, SentFrame, Stream};
use rand_core::Rng;

const SLOT: Duration = Duration::from_micros(9);
const SIFS: Duration = Duration::from_micros(16);
const DIFS: Duration = Duration::from_micros(34);
/// EIFS of 802.11a: SIFS, an ACK at 6 Mb/s and DIFS.
const EIFS: Duration = Duration::from_micros(16 + 44 + 34);
/// Time-out of an ACK in 802.11a: SIFS, a slot and the delay of the PHY in reporting the start of a frame.
const TIMEOUT: Duration = Duration::from_micros(16 + 9 + 20);
/// Duration of a data frame of 1536 octets at 54 Mb/s.
const DATA: Duration = Duration::from_micros(248);
/// Duration of an ACK, 14 octets at 24 Mb/s.
const ACK: Duration = Duration::from_micros(28);
const PAYLOAD: Bytes = Bytes::new(1_472);
const WINDOWS: [u32; 7] = [15, 31, 63, 127, 255, 511, 1023];

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) frames: u64,
    pub(crate) records: u64,
    pub(crate) hash: u64,
}

struct Station {
    stream: Stream,
    retries: usize,
}

impl Station {
    /// Draws a back-off [slots], uniform from 0 to the contention window of 2^k - 1: the upper k bits of a random
    /// number.
    fn draw(&mut self) -> u64 {
        let bits = WINDOWS[self.retries].count_ones();
        u64::from(self.stream.next_u32()) >> (32 - bits)
    }
}

/// State of the cell between two frames. Contenders are sorted by the slot in which their back-off ends. Stations that
/// have just collided count their back-off from a later time until the next frame.
struct Cell {
    stations: Vec<Station>,
    due: BinaryHeap<Reverse<(u64, u16)>>,
    slots: u64,
    access_start: Time,
    /// Stations that have just collided: number of the station and slots left, counted from `rejoined` on.
    collided: Vec<(u16, u64)>,
    rejoined: Time,
    charged: Time,
    end: Time,
    recorder: Fingerprint,
    counts: Counts,
}

/// Runs the bare DCF of a cell with stations of these names.
pub(crate) fn run<'n>(
    names: impl Iterator<Item = &'n str>,
    streams: Streams,
    duration: Duration,
) -> Counts {
    let station =
        |name: &str| Station { stream: streams.stream(name, Purpose::Backoff), retries: 0 };
    let mut cell = Cell {
        stations: names.map(station).collect(),
        due: BinaryHeap::new(),
        slots: 0,
        access_start: Time::ZERO + DIFS,
        collided: Vec::new(),
        rejoined: Time::ZERO,
        charged: Time::ZERO,
        end: Time::ZERO + duration,
        recorder: Fingerprint::default(),
        counts: Counts::default(),
    };
    // All stations start at once with a frame and without a back-off.
    cell.due = cell.numbers().map(|number| Reverse((0, number))).collect();
    let mut winners = Vec::new();
    while let Some(now) = cell.next_access().filter(|now| *now < cell.end) {
        cell.take_winners(now, &mut winners);
        match winners[..] {
            [winner] => cell.succeed(now, winner),
            _ => cell.collide(now, &winners),
        }
        winners.clear();
    }
    Counts { hash: cell.recorder.get(), ..cell.counts }
}

impl Cell {
    fn numbers(&self) -> impl Iterator<Item = u16> {
        0..u16::try_from(self.stations.len()).expect("fewer than 65 536 stations")
    }

    fn next_access(&self) -> Option<Time> {
        let lane =
            self.due.peek().map(|Reverse((due, _))| self.access_start + SLOT * (due - self.slots));
        let alone = self.collided.iter().map(|(_, left)| self.rejoined + SLOT * *left);
        lane.into_iter().chain(alone).min()
    }

    /// Collects the stations whose back-off ends at `now`, and lets all others count down until then.
    fn take_winners(&mut self, now: Time, winners: &mut Vec<u16>) {
        self.slots += now.saturating_since(self.access_start).whole_steps(SLOT);
        let counts = now >= self.access_start;
        while let Some(&Reverse((due, number))) = self.due.peek()
            && (counts && due == self.slots)
        {
            self.due.pop();
            winners.push(number);
        }
        let counted = now.saturating_since(self.rejoined).whole_steps(SLOT);
        for (number, left) in self.collided.drain(..) {
            if left == counted && now >= self.rejoined {
                winners.push(number);
            } else {
                self.due.push(Reverse((self.slots + left - counted.min(left), number)));
            }
        }
    }

    fn succeed(&mut self, now: Time, winner: u16) {
        let (node, flow) = (NodeId(winner + 1), FlowId(winner));
        let usage = AirUse::Data { station: node, direction: Direction::Up };
        self.use_air(now, DATA, usage);
        self.sent(now + DATA, node, SentFrame::Data, false);
        let arrived = now + DATA;
        self.note(arrived, Record::Link(LinkId(0), LinkRecord::Queued(1)));
        let start = arrived + SIFS;
        self.use_air(start, ACK, AirUse::Control { station: node });
        self.sent(start + ACK, NodeId::AP, SentFrame::Response, false);
        let end = start + ACK;
        for length in [1, 2] {
            self.note(end, Record::Cell(CellId(0), airfair_wlan::Record::Queue { node, length }));
        }
        let sent = SentAt(now);
        self.note(end, Record::Flow(flow, FlowRecord::Sent));
        self.note(end, Record::Link(LinkId(0), LinkRecord::Arrived(0)));
        self.note(end, Record::Flow(flow, FlowRecord::Received(sent)));
        self.note(end, Record::Flow(flow, FlowRecord::Delivered(PAYLOAD)));
        let station = &mut self.stations[usize::from(winner)];
        station.retries = 0;
        self.due.push(Reverse((self.slots + station.draw(), winner)));
        self.access_start = end + DIFS;
    }

    fn collide(&mut self, now: Time, winners: &[u16]) {
        self.use_air(now, DATA, AirUse::Collision);
        self.note(now, Record::Cell(CellId(0), airfair_wlan::Record::Collision));
        let end = now + DATA;
        let passed =
            (end + TIMEOUT).saturating_since(end + DIFS).as_nanos().div_ceil(SLOT.as_nanos());
        self.rejoined = end + DIFS + SLOT * passed;
        for &number in winners {
            self.sent(end, NodeId(number + 1), SentFrame::Data, true);
            let station = &mut self.stations[usize::from(number)];
            // The frame is given up after seven attempts, and the next one begins with the smallest window.
            station.retries = (station.retries + 1) % WINDOWS.len();
            self.collided.push((number, station.draw()));
        }
        self.access_start = end + EIFS;
    }

    /// Records contention until `now`, and then the frame or collision that follows.
    fn use_air(&mut self, now: Time, duration: Duration, usage: AirUse) {
        let (from, end) = (self.charged, now + duration);
        let contention = airfair_wlan::Record::Air { from, to: now, usage: AirUse::Contention };
        self.note(now, Record::Cell(CellId(0), contention));
        self.note(
            end,
            Record::Cell(CellId(0), airfair_wlan::Record::Air { from: now, to: end, usage }),
        );
        self.charged = end;
    }

    fn sent(&mut self, now: Time, node: NodeId, frame: SentFrame, collided: bool) {
        let retry =
            self.stations.get(node.index().wrapping_sub(1)).is_some_and(|it| it.retries > 0);
        let record = airfair_wlan::Record::Sent { node, frame, retry, collided };
        self.note(now, Record::Cell(CellId(0), record));
        self.counts.frames += u64::from(now < self.end);
    }

    fn note(&mut self, now: Time, record: Record) {
        self.counts.records += 1;
        self.recorder.record(now, &record);
    }
}
