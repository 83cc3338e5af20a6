//! Observations of a run that its owner advances in steps: the activity of each flow, station and access point since
//! the last observation.
//!
//! [`Observed`] wraps [`Metrics`] and keeps small sums beside them, which [`World::observe`] turns into columns and
//! resets. A run whose owner does not observe uses [`Metrics`] alone and pays nothing.

use airfair_laws::Direction;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::{AirUse, NodeId, SentFrame};

use crate::clock::Clock;
use crate::endpoint::Source;
use crate::link::LinkId;
use crate::metrics::Metrics;
use crate::packet::{FlowId, Side};
use crate::record::{CellId, FlowRecord, LinkRecord, Member, Record, Recorder, SentAt};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::world::World;

/// Sums over the records of one flow since the last observation, and the state of its sender now.
#[derive(Clone, Copy, Debug, Default)]
struct FlowStep {
    delivered: Bytes,
    delays: u64,
    delay_sum: Duration,
    round_trips: u64,
    round_trip_sum: Duration,
    sent: u64,
    dropped: u64,
    retransmissions: u64,
    timeouts: u64,
    /// Congestion window of a TCP sender [segments].
    cwnd: Option<u32>,
}

/// Sums over the records of one member of a cell since the last observation, and the member's state now.
#[derive(Clone, Copy, Debug, Default)]
struct MemberStep {
    airtime: Duration,
    frames: u64,
    retries: u64,
    collisions: u64,
    dropped: u64,
    queue: u32,
    /// Rates of data frames from and to a station.
    rates: [Option<DataRate>; 2],
}

/// Sums over the records of one cell since the last observation.
#[derive(Clone, Debug)]
struct CellStep {
    /// Airtime, counts of frames and drops, and queue of each member, by its index; the access point comes first.
    members: Vec<MemberStep>,
    busy: Duration,
    collisions: u64,
}

/// Sums over the records of one direction of a wired link since the last observation, and the length of its queue.
#[derive(Clone, Copy, Debug, Default)]
struct LinkStep {
    queue: u32,
    dropped: u64,
}

/// Column of an observation, computed from `T`, the sums over the time since the last observation.
#[derive(Debug)]
struct Column<T> {
    /// Name of the column, with the unit of its values.
    name: &'static str,
    /// Meaning of the values, in a sentence.
    meaning: &'static str,
    /// Value for a step of this length [s]; NaN if there is none.
    value: fn(&T, f64) -> f64,
}

fn mean_ms(sum: Duration, count: u64) -> f64 {
    // 0 / 0 is NaN: a step without samples has no mean.
    sum.as_secs_f64() * 1e3 / real(count)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a step are far below 2^53")]
fn real(count: u64) -> f64 {
    count as f64
}

fn bps(rate: Option<DataRate>) -> f64 {
    rate.map_or(f64::NAN, |rate| real(rate.bps()))
}

/// Columns of flows.
const FLOWS: &[Column<FlowStep>] = &[
    Column {
        name: "goodput_bps",
        meaning: "Application data delivered in order during the step, per second.",
        value: |it, step| real(it.delivered.get()) * 8.0 / step,
    },
    Column {
        name: "delay_ms",
        meaning: "Mean one-way delay of the packets that arrived during the step.",
        value: |it, _| mean_ms(it.delay_sum, it.delays),
    },
    Column {
        name: "rtt_ms",
        meaning: "Mean of the round-trip times that the sender measured during the step.",
        value: |it, _| mean_ms(it.round_trip_sum, it.round_trips),
    },
    Column {
        name: "cwnd_segments",
        meaning: "Congestion window of a TCP sender at the end of the step.",
        value: |it, _| it.cwnd.map_or(f64::NAN, f64::from),
    },
    Column {
        name: "packets_sent",
        meaning: "Packets that the sender sent during the step.",
        value: |it, _| real(it.sent),
    },
    Column {
        name: "packets_received",
        meaning: "Packets of the sender that arrived during the step.",
        value: |it, _| real(it.delays),
    },
    Column {
        name: "packets_dropped",
        meaning: "Packets of the sender that were lost during the step.",
        value: |it, _| real(it.dropped),
    },
    Column {
        name: "retransmissions",
        meaning: "Segments that the sender retransmitted during the step.",
        value: |it, _| real(it.retransmissions),
    },
    Column {
        name: "timeouts",
        meaning: "Expiries of the sender's retransmission or no-feedback timer during the step.",
        value: |it, _| real(it.timeouts),
    },
];

/// Columns of stations.
const STATIONS: &[Column<MemberStep>] = &[
    Column {
        name: "airtime_share",
        meaning: "Share of the step in which a frame of the station's exchanges was alone on the air.",
        value: |it, step| it.airtime.as_secs_f64() / step,
    },
    Column {
        name: "queue_packets",
        meaning: "Packets in the station's transmit queue at the end of the step.",
        value: |it, _| it.queue.into(),
    },
    Column {
        name: "rate_up_bps",
        meaning: "Rate of data frames from the station at the end of the step.",
        value: |it, _| bps(it.rates[Direction::Up as usize]),
    },
    Column {
        name: "rate_down_bps",
        meaning: "Rate of data frames to the station at the end of the step.",
        value: |it, _| bps(it.rates[Direction::Down as usize]),
    },
    Column {
        name: "frames",
        meaning: "Data and RTS frames that the station sent during the step.",
        value: |it, _| real(it.frames),
    },
    Column { name: "retries", meaning: "Retries among `frames`.", value: |it, _| real(it.retries) },
    Column {
        name: "collisions",
        meaning: "Frames of the station that another frame overlapped at the receiver during the step.",
        value: |it, _| real(it.collisions),
    },
    Column {
        name: "dropped",
        meaning: "Packets that the station dropped during the step, for any reason.",
        value: |it, _| real(it.dropped),
    },
];

/// Columns of cells: the channel and the access point.
const CELLS: &[Column<CellStep>] = &[
    Column {
        name: "channel_busy_share",
        meaning: "Share of the step in which the channel was busy; a frame counts when it ends.",
        value: |it, step| it.busy.as_secs_f64() / step,
    },
    Column {
        name: "channel_collisions",
        meaning: "Collisions on the cell's channel during the step.",
        value: |it, _| real(it.collisions),
    },
    Column {
        name: "access_point_queue_packets",
        meaning: "Packets in the access point's transmit queue at the end of the step.",
        value: |it, _| it.members[0].queue.into(),
    },
    Column {
        name: "access_point_frames",
        meaning: "Data and RTS frames that the access point sent during the step.",
        value: |it, _| real(it.members[0].frames),
    },
    Column {
        name: "access_point_retries",
        meaning: "Retries among `access_point_frames`.",
        value: |it, _| real(it.members[0].retries),
    },
    Column {
        name: "access_point_collisions",
        meaning: "Frames of the access point that another frame overlapped at the receiver during the step.",
        value: |it, _| real(it.members[0].collisions),
    },
    Column {
        name: "access_point_dropped",
        meaning: "Packets that the access point dropped during the step, for any reason.",
        value: |it, _| real(it.members[0].dropped),
    },
];

/// Columns of the directions of wired links.
const LINKS: &[Column<LinkStep>] = &[
    Column {
        name: "link_queue_packets",
        meaning: "Packets in the queue of this direction of the link at the end of the step.",
        value: |it, _| it.queue.into(),
    },
    Column {
        name: "link_dropped",
        meaning: "Packets that this direction of the link lost or refused during the step.",
        value: |it, _| real(it.dropped),
    },
];

/// Objects to which a column has one value each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// Flows of the scenario.
    Flows,
    /// Stations of the scenario.
    Stations,
    /// Cells, each with its access point.
    Cells,
    /// Directions of the wired links, two for each link.
    Links,
}

/// All columns of an observation, in order: objects, name and meaning.
pub fn columns() -> impl Iterator<Item = (Objects, &'static str, &'static str)> {
    let flows = FLOWS.iter().map(|it| (Objects::Flows, it.name, it.meaning));
    let stations = STATIONS.iter().map(|it| (Objects::Stations, it.name, it.meaning));
    let cells = CELLS.iter().map(|it| (Objects::Cells, it.name, it.meaning));
    let links = LINKS.iter().map(|it| (Objects::Links, it.name, it.meaning));
    flows.chain(stations).chain(cells).chain(links)
}

/// Activity of a run since the last observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// End of the observed step.
    pub at: Time,
    /// Length of the observed step.
    pub length: Duration,
    /// Values of all [`columns`], one column after the other.
    pub values: Vec<f64>,
}

/// Sums since the last observation.
#[derive(Clone, Debug)]
struct Sums {
    since: Time,
    flows: Vec<FlowStep>,
    cells: Vec<CellStep>,
    links: Vec<LinkStep>,
}

/// Metrics of a run that is observed in steps. Passes all records on to `also`, such as the writers of trace files.
#[derive(Clone, Debug)]
pub struct Observed<W> {
    metrics: Metrics,
    sums: Sums,
    also: W,
}

impl<W> Observed<W> {
    /// Creates the recorder of a run of `scenario`.
    pub fn new(scenario: &Scenario, also: W) -> Self {
        let stations = |cell| scenario.stations.iter().filter(|it| it.cell == cell).count();
        let step = |cell| CellStep {
            members: vec![MemberStep::default(); stations(cell) + 1],
            busy: Duration::ZERO,
            collisions: 0,
        };
        let sums = Sums {
            since: Time::ZERO,
            flows: vec![FlowStep::default(); scenario.flows.len()],
            cells: (0..scenario.cells.len()).map(step).collect(),
            links: vec![LinkStep::default(); scenario.links.len() * 2],
        };
        Self { metrics: Metrics::new(scenario), sums, also }
    }

    /// Recorder to which records are passed on.
    pub fn also(&self) -> &W {
        &self.also
    }

    /// Metrics of the run, and the recorder to which records were passed on.
    pub fn into_parts(self) -> (Metrics, W) {
        (self.metrics, self.also)
    }
}

impl FlowStep {
    #[inline]
    fn count(&mut self, now: Time, record: FlowRecord) {
        match record {
            FlowRecord::Delivered(octets) => self.delivered += octets,
            FlowRecord::Received(SentAt(sent)) => {
                self.delays += 1;
                self.delay_sum += now - sent;
            }
            FlowRecord::RoundTrip(time) => {
                self.round_trips += 1;
                self.round_trip_sum += time;
            }
            FlowRecord::Sent => self.sent += 1,
            FlowRecord::Lost(Side::Sender, _) => self.dropped += 1,
            FlowRecord::Retransmission => self.retransmissions += 1,
            FlowRecord::Timeout => self.timeouts += 1,
            FlowRecord::Lost(Side::Receiver, _)
            | FlowRecord::Started
            | FlowRecord::Finished
            | FlowRecord::FastRetransmit
            | FlowRecord::Repeated(_)
            | FlowRecord::Refused => {}
        }
    }
}

impl CellStep {
    #[inline]
    fn count(&mut self, record: &airfair_wlan::Record) {
        use airfair_wlan::Record;
        match *record {
            Record::Air { from, to, usage } => self.charge(usage, to - from),
            Record::Sent { node, frame, retry, collided } => {
                let member = &mut self.members[node.index()];
                if matches!(frame, SentFrame::Data | SentFrame::Rts) {
                    member.frames += 1;
                    member.retries += u64::from(retry);
                }
                member.collisions += u64::from(collided);
            }
            Record::Dropped { node, .. } => self.members[node.index()].dropped += 1,
            Record::Collision => self.collisions += 1,
            _ => {}
        }
    }

    fn charge(&mut self, usage: AirUse, time: Duration) {
        match usage {
            AirUse::Contention | AirUse::Idle => return,
            AirUse::Data { station, .. } | AirUse::Control { station } => {
                self.members[station.index()].airtime += time;
            }
            AirUse::Collision | AirUse::Beacon => {}
        }
        self.busy += time;
    }
}

impl<W: Recorder> Recorder for Observed<W> {
    const TRACES: bool = W::TRACES;
    const LIMITS: bool = Metrics::LIMITS || W::LIMITS;

    fn record(&mut self, now: Time, record: &Record) {
        match record {
            Record::Cell(cell, record) => self.sums.cells[cell.index()].count(record),
            Record::Flow(flow, record) => self.sums.flows[flow.index()].count(now, *record),
            Record::Link(link, record) => self.sums.links[link.index()].count(*record),
            Record::Measured(..) | Record::Sample(_) => {}
        }
        self.metrics.record(now, record);
        self.also.record(now, record);
    }

    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        self.metrics.record_cell(now, cell, records);
        let step = &mut self.sums.cells[cell.index()];
        for record in records {
            step.count(record);
        }
        self.also.record_cell(now, cell, records);
    }

    #[inline]
    fn record_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        self.sums.flows[flow.index()].count(now, record);
        self.metrics.record_flow(now, flow, record);
        self.also.record_flow(now, flow, record);
    }

    #[inline]
    fn record_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        self.sums.links[link.index()].count(record);
        self.metrics.record_link(now, link, record);
        self.also.record_link(now, link, record);
    }

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        self.also.trace(now, trace);
    }
}

impl LinkStep {
    fn count(&mut self, record: LinkRecord) {
        match record {
            LinkRecord::Queued(length) | LinkRecord::Arrived(length) => self.queue = length,
            LinkRecord::Lost(length) => {
                self.queue = length;
                self.dropped += 1;
            }
            LinkRecord::Dropped | LinkRecord::DroppedEarly => self.dropped += 1,
        }
    }
}

impl<W: Recorder, C: Clock> World<Observed<W>, C> {
    /// Observation of the time since the last one, or since the start.
    pub fn observe(&mut self) -> Observation {
        let Self { now, cells, flows, stations, recorder, .. } = self;
        let sums = &mut recorder.sums;
        for (step, flow) in sums.flows.iter_mut().zip(flows) {
            step.cwnd =
                if let Source::Tcp(sender) = &flow.source { Some(sender.cwnd()) } else { None };
        }
        for (step, bss) in sums.cells.iter_mut().zip(cells) {
            for (node, member) in (0..).map(NodeId).zip(&mut step.members) {
                member.queue = bss.cell.queue_length(node);
                member.rates = [Direction::Up, Direction::Down].map(|it| bss.cell.rate(node, it));
            }
        }
        let length = *now - sums.since;
        let seconds = length.as_secs_f64();
        let of_station = |it: &Member| &sums.cells[it.cell.index()].members[it.node.index()];
        let of_cells = STATIONS.len() * stations.len() + CELLS.len() * sums.cells.len();
        let of_wires = FLOWS.len() * sums.flows.len() + LINKS.len() * sums.links.len();
        let mut values = Vec::with_capacity(of_cells + of_wires);
        add(&mut values, FLOWS, &sums.flows.iter(), seconds);
        add(&mut values, STATIONS, &stations.iter().map(of_station), seconds);
        add(&mut values, CELLS, &sums.cells.iter(), seconds);
        add(&mut values, LINKS, &sums.links.iter(), seconds);
        sums.reset(*now);
        Observation { at: *now, length, values }
    }
}

/// Appends the values of `columns`, one column after the other.
fn add<'s, T: 's>(
    values: &mut Vec<f64>,
    columns: &[Column<T>],
    steps: &(impl Iterator<Item = &'s T> + Clone),
    seconds: f64,
) {
    for column in columns {
        values.extend(steps.clone().map(|step| (column.value)(step, seconds)));
    }
}

impl Sums {
    fn reset(&mut self, now: Time) {
        self.since = now;
        self.flows.fill(FlowStep::default());
        for cell in &mut self.cells {
            cell.members.fill(MemberStep::default());
            (cell.busy, cell.collisions) = (Duration::ZERO, 0);
        }
        // The length of a queue outlasts the step.
        self.links.iter_mut().for_each(|link| link.dropped = 0);
    }
}
