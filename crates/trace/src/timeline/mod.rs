//! A timeline of a run, as Perfetto's page and its relatives open it.
//!
//! Each cell is a process with a track for each member: its frames, its back-off, its waits, packets that it drops. Its
//! counters are lengths of queues, and the rates of data frames between each station and the access point. Flows are one
//! more process, with windows of TCP, rates of TFRC, time-outs and fast retransmits; links one with their queues.

mod events;

use std::fmt::Write as _;
use std::io::Write;

use airfair_sim::packet::{FlowId, Packet};
use airfair_sim::record::{CellId, FlowRecord, LinkRecord, Member, Record, Recorder};
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::{Monitored, Trace};
use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::{DropCause, Frame, FrameKind, NodeId};

use crate::fate::fate;
use crate::lanes::{Lane, Wait, WaitKind};
use crate::outlet::Written;
use crate::selection::{Selection, members};
use events::{Place, Sheet};

/// Value that stays until it changes, of one member, flow or link.
#[derive(Debug)]
struct Counter {
    process: usize,
    name: String,
    unit: &'static str,
    value: Option<f64>,
}

impl Counter {
    fn new(process: usize, name: String, unit: &'static str) -> Self {
        Self { process, name, unit, value: None }
    }
}

/// Track of a member.
#[derive(Debug)]
struct Track {
    name: String,
    lane: Lane,
    queue: Counter,
    /// Rates of data frames between a station and its access point, up and down.
    rates: [Counter; 2],
}

/// Writer of a timeline.
#[derive(Debug)]
pub struct Timeline<W> {
    selection: Selection,
    /// By cell, by member.
    tracks: Vec<Vec<Track>>,
    /// Slot of each cell.
    slots: Vec<Duration>,
    names: Vec<String>,
    /// True if packets are of several access categories.
    has_categories: bool,
    flows: Vec<Counter>,
    /// Queues before each link, forth and back.
    links: Vec<Counter>,
    /// True once the values of all counters at the start of the window are written.
    is_open: bool,
    now: Time,
    sheet: Sheet<W>,
}

impl<W: Write> Timeline<W> {
    /// A timeline of what `selection` says of a run of `scenario`; `comment` says which.
    pub fn new(scenario: &Scenario, selection: Selection, comment: &str, to: W) -> Self {
        let mut sheet = Sheet::new(comment, to);
        put_names(&mut sheet, scenario, &selection);
        let track = |cell: usize, name: &str| Track {
            name: name.to_owned(),
            lane: Lane::default(),
            queue: Counter::new(cell + 1, format!("{name} queue"), "packets"),
            rates: ["up", "down"]
                .map(|way| Counter::new(cell + 1, format!("{name} rate {way}"), "Mb/s")),
        };
        let of_cell = |cell| members(scenario, cell).map(|(_, name)| track(cell, name)).collect();
        let [flows, links] = [1, 2].map(|it| scenario.cells.len() + it);
        let flow = |flow: &airfair_sim::scenario::Flow| match flow.transport {
            airfair_sim::scenario::Transport::Tcp(_) => {
                Counter::new(flows, format!("{} cwnd", flow.name), "segments")
            }
            _ => Counter::new(flows, format!("{} rate", flow.name), "Mb/s"),
        };
        let link = |link: &airfair_sim::scenario::Link| {
            let [first, second] = link.ends.map(|end| scenario.node_name(end));
            [(first, second), (second, first)]
                .map(|(from, to)| Counter::new(links, format!("{from} to {to} queue"), "packets"))
        };
        Self {
            selection,
            tracks: (0..scenario.cells.len()).map(of_cell).collect(),
            slots: (0..scenario.cells.len()).map(|cell| slot(scenario, cell)).collect(),
            names: scenario.flows.iter().map(|flow| flow.name.clone()).collect(),
            has_categories: scenario.categories().len() > 1,
            flows: scenario.flows.iter().map(flow).collect(),
            links: scenario.links.iter().flat_map(link).collect(),
            is_open: false,
            now: Time::ZERO,
            sheet,
        }
    }

    /// Time of the run up to which it goes.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Ends the timeline.
    pub fn finish(mut self) -> Written<W> {
        let end = self.now;
        for cell in (0..self.tracks.len()).map(CellId::new) {
            for node in (0..).map(NodeId).take(self.tracks[cell.index()].len()) {
                let member = Member { cell, node };
                let over = self.lane(member).finish(end);
                self.put_waits(member, over);
            }
        }
        // A counter that nothing changes any more lasts to the end.
        if self.is_open {
            self.put_counters(end.min(self.selection.until()));
        }
        self.sheet.finish()
    }

    fn lane(&mut self, member: Member) -> &mut Lane {
        &mut self.tracks[member.cell.index()][member.node.index()].lane
    }

    /// Time passes. Counters begin with what they are when the window opens.
    fn pass(&mut self, now: Time) {
        self.now = now;
        if self.is_open || now < self.selection.from() {
            return;
        }
        self.is_open = true;
        self.put_counters(self.selection.from());
    }

    /// All counters that are asked for, as they are.
    fn put_counters(&mut self, at: Time) {
        let sheet = &mut self.sheet;
        for (cell, tracks) in self.tracks.iter().enumerate() {
            for (node, track) in (0..).map(NodeId).zip(tracks) {
                if self.selection.has(Member { cell: CellId::new(cell), node }) {
                    let counters = std::iter::once(&track.queue).chain(&track.rates);
                    counters.for_each(|counter| put(sheet, at, counter));
                }
            }
        }
        self.flows.iter().chain(&self.links).for_each(|counter| put(sheet, at, counter));
    }

    /// Waits that are over, as far as they are asked for.
    fn put_waits(&mut self, member: Member, over: impl Iterator<Item = Wait>) {
        if !self.selection.has(member) {
            return;
        }
        for Wait { from, to, kind } in over {
            if self.selection.overlaps(from, to) {
                let (named, arguments) = match kind {
                    WaitKind::Deferring => (["wait", "wait"], "{}".to_owned()),
                    WaitKind::Answer => (["answer", "awaits an answer"], "{}".to_owned()),
                    WaitKind::Backoff { slots } => {
                        let slot = self.slots[member.cell.index()].as_nanos() / 1_000;
                        let left = format!("{{\"slots\":{slots},\"slot_us\":{slot}}}");
                        (["backoff", "back-off"], left)
                    }
                };
                self.sheet.slice(place(member), (from, to), named, &arguments);
            }
        }
    }

    fn put_frame(&mut self, cell: CellId, heard: &Monitored<Packet>) {
        let (ppdu, frame) = (&heard.ppdu, &heard.ppdu.frame);
        let member = Member { cell, node: frame.from };
        let over = self.lane(member).send(ppdu.start, ppdu.end);
        self.put_waits(member, over);
        if frame.kind == FrameKind::Data {
            self.set_rate(cell, frame, ppdu.start);
        }
        if !self.selection.has(member) || !self.selection.overlaps(ppdu.start, ppdu.end) {
            return;
        }
        let to = frame.to.map(|to| self.tracks[cell.index()][to.index()].name.as_str());
        let kind = word(frame.kind);
        let outcome = fate(heard);
        let way = match (frame.kind, to) {
            (FrameKind::Beacon | FrameKind::CtsToSelf, _) | (_, None) => String::new(),
            (_, Some(to)) => format!(" to {to}"),
        };
        let (mpdus, carried) = (self.mpdus(heard), self.carried(heard));
        let failed = if outcome == "received" { String::new() } else { format!(", {outcome}") };
        let to = to.map_or_else(String::new, |to| format!(",\"to\":\"{to}\""));
        let (octets, rate) = (frame.psdu.get(), megabits(frame.tx.rate()));
        let rest = frame.duration_field.as_nanos().div_ceil(1_000);
        let arguments = format!(
            "{{\"kind\":\"{kind}\",\"outcome\":\"{outcome}\",\"octets\":{octets},\
             \"rate_mbps\":{rate},\"duration_field_us\":{rest}{to}{carried}}}"
        );
        let name = format!("{kind}{way}{mpdus}{failed}");
        self.sheet.slice(place(member), (ppdu.start, ppdu.end), ["frame", &name], &arguments);
    }

    /// Words for what a data frame carries, where it is more than one packet of the only category.
    fn mpdus(&self, heard: &Monitored<Packet>) -> String {
        let (count, lost) = (heard.ppdu.mpdus.len(), heard.lost_mpdus());
        let mut words = String::new();
        if self.has_categories && count > 0 {
            words = format!(", {}", heard.category);
        }
        if count > 1 {
            let _ = write!(words, ", {count} MPDUs");
        }
        if lost > 0 && lost < count {
            let _ = write!(words, ", {lost} lost");
        }
        words
    }

    /// The same as arguments, with what stands in the header of the first MPDU.
    fn carried(&self, heard: &Monitored<Packet>) -> String {
        let mpdus = &heard.ppdu.mpdus;
        let Some(first) = mpdus.first() else { return String::new() };
        let flow = &self.names[first.msdu.payload.flow.index()];
        let (sequence, retry) = (first.sequence, first.retry);
        let mut arguments =
            format!(",\"flow\":\"{flow}\",\"sequence\":{sequence},\"retry\":{retry}");
        if self.has_categories {
            let _ = write!(arguments, ",\"category\":\"{}\"", heard.category);
        }
        if mpdus.len() > 1 {
            let (count, lost) = (mpdus.len(), heard.lost_mpdus());
            let retries = mpdus.iter().filter(|mpdu| mpdu.retry).count();
            let _ = write!(arguments, ",\"mpdus\":{count},\"lost\":{lost},\"retries\":{retries}");
        }
        arguments
    }

    /// The rate of data frames between a station and its access point.
    fn set_rate(&mut self, cell: CellId, frame: &Frame, at: Time) {
        let Some(to) = frame.to else { return };
        let (station, way) = if frame.from.is_ap() { (to, 1) } else { (frame.from, 0) };
        let is_traced = self.selection.has(Member { cell, node: station });
        let is_now = is_traced && self.is_open && self.selection.contains(at);
        let counter = &mut self.tracks[cell.index()][station.index()].rates[way];
        set(&mut self.sheet, counter, at, megabits(frame.tx.rate()), is_now);
    }

    fn note_cell(&mut self, cell: CellId, record: airfair_wlan::Record) {
        match record {
            airfair_wlan::Record::Queue { node, length } => {
                let is_now = self.is_traced_now(Member { cell, node });
                let counter = &mut self.tracks[cell.index()][node.index()].queue;
                set(&mut self.sheet, counter, self.now, f64::from(length), is_now);
            }
            airfair_wlan::Record::Dropped { node, cause } => {
                let member = Member { cell, node };
                if self.is_traced_now(member) {
                    let why = match cause {
                        DropCause::QueueFull => "dropped: queue full",
                        DropCause::RetryLimit => "dropped: retry limit",
                        DropCause::CoDel => "dropped: CoDel",
                        DropCause::AckFiltered => "dropped: newer ACK",
                        DropCause::TooLate => "dropped: too late",
                    };
                    self.sheet.instant(place(member), self.now, why);
                }
            }
            _ => {}
        }
    }

    fn note_flow(&mut self, flow: FlowId, record: &FlowRecord) {
        let name = match record {
            FlowRecord::Timeout => "time-out",
            FlowRecord::FastRetransmit => "fast retransmit",
            FlowRecord::Started => "start",
            FlowRecord::Finished => "done",
            _ => return,
        };
        if self.is_now() {
            let process = self.flows[flow.index()].process;
            let place = Place { process, thread: flow.index() + 1 };
            self.sheet.instant(place, self.now, name);
        }
    }

    fn note_link(&mut self, link: usize, record: LinkRecord) {
        let (LinkRecord::Queued(length) | LinkRecord::Arrived(length) | LinkRecord::Lost(length)) =
            record
        else {
            return;
        };
        let is_now = self.is_now();
        set(&mut self.sheet, &mut self.links[link], self.now, f64::from(length), is_now);
    }

    fn set_flow(&mut self, flow: FlowId, value: f64) {
        let is_now = self.is_now();
        set(&mut self.sheet, &mut self.flows[flow.index()], self.now, value, is_now);
    }

    fn is_now(&self) -> bool {
        self.is_open && self.selection.contains(self.now)
    }

    fn is_traced_now(&self, member: Member) -> bool {
        self.is_now() && self.selection.has(member)
    }
}

impl<W: Write> Recorder for Timeline<W> {
    const TRACES: bool = true;

    fn record(&mut self, now: Time, record: &Record) {
        self.pass(now);
        match record {
            Record::Cell(cell, record) => self.note_cell(*cell, *record),
            Record::Flow(flow, record) => self.note_flow(*flow, record),
            Record::Link(link, record) => self.note_link(link.index(), *record),
            Record::Measured(..) | Record::Sample(_) => {}
        }
    }

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        self.pass(now);
        match trace {
            Trace::Frame(cell, heard) => self.put_frame(cell, heard),
            Trace::Access(member, access) => {
                let over = self.lane(member).change(now, access);
                self.put_waits(member, over);
            }
            Trace::Window(flow, window) => self.set_flow(flow, f64::from(window.cwnd)),
            Trace::Rate(flow, rate) => self.set_flow(flow, rate.map_or(0.0, megabits)),
        }
    }
}

/// Names of processes and tracks, in their order.
fn put_names<W: Write>(sheet: &mut Sheet<W>, scenario: &Scenario, selection: &Selection) {
    for (cell, bss) in scenario.cells.iter().enumerate() {
        sheet.name_process(cell + 1, &format!("cell {}", bss.name));
        for (node, name) in members(scenario, cell) {
            let member = Member { cell: CellId::new(cell), node };
            if selection.has(member) {
                sheet.name_track(place(member), name);
            }
        }
    }
    let process = scenario.cells.len() + 1;
    sheet.name_process(process, "flows");
    for (index, flow) in scenario.flows.iter().enumerate() {
        sheet.name_track(Place { process, thread: index + 1 }, &flow.name);
    }
    if !scenario.links.is_empty() {
        sheet.name_process(process + 1, "links");
    }
}

/// Slot of a cell, which b stations in it make longer.  [80211-2020 §18.4.5]
fn slot(scenario: &Scenario, cell: usize) -> Duration {
    let rules = &scenario.cells[cell].rules;
    let stations = scenario.stations.iter().filter(|station| station.cell == cell);
    rules.timing(stations.map(|station| station.standard)).slot
}

fn place(member: Member) -> Place {
    Place { process: member.cell.index() + 1, thread: member.node.index() + 1 }
}

/// Sets a counter, and says so if `is_now` and it is another value.
fn set<W: Write>(sheet: &mut Sheet<W>, counter: &mut Counter, at: Time, value: f64, is_now: bool) {
    let before = counter.value.replace(value);
    if is_now && before.is_none_or(|before| before.to_bits() != value.to_bits()) {
        sheet.counter(counter.process, at, &counter.name, (counter.unit, value));
    }
}

fn put<W: Write>(sheet: &mut Sheet<W>, at: Time, counter: &Counter) {
    if let Some(value) = counter.value {
        sheet.standing(counter.process, at, &counter.name, (counter.unit, value));
    }
}

fn word(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Data => "data",
        FrameKind::Ack => "ACK",
        FrameKind::BlockAck => "block ack",
        FrameKind::BlockAckRequest => "block ack request",
        FrameKind::Rts => "RTS",
        FrameKind::Cts => "CTS",
        FrameKind::CtsToSelf => "CTS to itself",
        FrameKind::Beacon => "beacon",
    }
}

#[expect(clippy::cast_precision_loss, reason = "rates are whole kilobits")]
fn megabits(rate: DataRate) -> f64 {
    rate.bps() as f64 / 1e6
}
