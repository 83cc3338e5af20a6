//! Timeline of a run for Perfetto and similar viewers.
//!
//! Each cell is a process with a track for its access point and each station, which shows frames, back-off,
//! waits and dropped packets. Parts of an access point's multi-user PPDU overlap in time: the first resource unit is on
//! the track of the access point, and each further one on a track below it. A cell that shares its channel has a track
//! with the time for which neighbours hold its air. Its counters are queue lengths and the rates of data frames between
//! each station and the access point. The flows are a further process, with TCP windows, TFRC rates, time-outs and
//! fast retransmits; the links are another one, with their queues.

mod events;

use std::fmt::Write as _;
use std::io::Write;

use airfair_sim::packet::{FlowId, Packet};
use airfair_sim::record::{CellId, FlowRecord, LinkRecord, Member, Record};
use airfair_sim::recorder::Recorder;
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::{Monitored, Trace};
use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::phy::TxVector;
use airfair_wlan::{DropCause, Frame, FrameKind, NodeId};

use crate::fate::fate;
use crate::held::{Held, HeldAir};
use crate::lanes::{Lane, Wait, WaitKind};
use crate::outlet::Written;
use crate::selection::{Selection, members};
use events::{EventWriter, TrackId};

/// A counter of the timeline: a value of a station, an access point, a flow or a link, which is constant
/// until it changes.
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

/// Track (row of the timeline) of one station or access point, with the counters of its queue and its rates.
#[derive(Debug)]
struct Track {
    name: String,
    lane: Lane,
    queue: Counter,
    /// Rates of data frames between the station and its access point, up and down.
    rates: [Counter; 2],
}

/// Recorder that writes a timeline of a run.
#[derive(Debug)]
pub struct Timeline<W> {
    selection: Selection,
    /// Tracks of stations and access points, by cell and member.
    tracks: Vec<Vec<Track>>,
    /// Air that neighbours hold in each cell.
    held: Vec<HeldAir>,
    /// Number of tracks for further resource units, in each cell.
    units: Vec<u16>,
    /// Slot time of the back-off in each cell.
    slots: Vec<Duration>,
    names: Vec<String>,
    /// True if packets of the run use more than one access category.
    has_categories: bool,
    flows: Vec<Counter>,
    /// Counters of the queues of each link, one per direction.
    links: Vec<Counter>,
    /// True once the counters have been written at the start of the traced interval.
    is_open: bool,
    now: Time,
    writer: EventWriter<W>,
}

impl<W: Write> Timeline<W> {
    /// Creates a timeline of the part `selection` of a run of `scenario`. `comment` describes the run in the
    /// file.
    pub fn new(scenario: &Scenario, selection: Selection, comment: &str, to: W) -> Self {
        let mut writer = EventWriter::new(comment, to);
        put_names(&mut writer, scenario, &selection);
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
            airfair_sim::scenario::Transport::Tcp(_)
            | airfair_sim::scenario::Transport::Quic(_) => {
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
            held: vec![HeldAir::default(); scenario.cells.len()],
            units: vec![0; scenario.cells.len()],
            slots: (0..scenario.cells.len()).map(|cell| slot(scenario, cell)).collect(),
            names: scenario.flows.iter().map(|flow| flow.name.clone()).collect(),
            has_categories: scenario.categories().len() > 1,
            flows: scenario.flows.iter().map(flow).collect(),
            links: scenario.links.iter().flat_map(link).collect(),
            is_open: false,
            now: Time::ZERO,
            writer,
        }
    }

    /// Time of the run up to which the timeline has been written.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Ends the timeline and flushes the file.
    pub fn finish(mut self) -> Written<W> {
        let end = self.now;
        for cell in (0..self.tracks.len()).map(CellId::new) {
            for node in (0..).map(NodeId).take(self.tracks[cell.index()].len()) {
                let member = Member { cell, node };
                let over = self.lane(member).finish(end);
                self.put_waits(member, over);
            }
            let over = self.held[cell.index()].last();
            self.put_held(cell, over);
        }
        // A counter that does not change any more lasts to the end.
        if self.is_open {
            self.put_counters(end.min(self.selection.until()));
        }
        self.writer.finish()
    }

    fn lane(&mut self, member: Member) -> &mut Lane {
        &mut self.tracks[member.cell.index()][member.node.index()].lane
    }

    /// Advances the time of the timeline. Writes all counters when the traced interval begins.
    fn pass(&mut self, now: Time) {
        self.now = now;
        if self.is_open || now < self.selection.from() {
            return;
        }
        self.is_open = true;
        self.put_counters(self.selection.from());
    }

    /// Writes the current values of all selected counters, dated `at`.
    fn put_counters(&mut self, at: Time) {
        let writer = &mut self.writer;
        for (cell, tracks) in self.tracks.iter().enumerate() {
            for (node, track) in (0..).map(NodeId).zip(tracks) {
                if self.selection.has(Member { cell: CellId::new(cell), node }) {
                    let counters = std::iter::once(&track.queue).chain(&track.rates);
                    counters.for_each(|counter| put(writer, at, counter));
                }
            }
        }
        self.flows.iter().chain(&self.links).for_each(|counter| put(writer, at, counter));
    }

    /// Writes the waits of a member that have ended, if the member and their time are selected: its deferrals,
    /// back-offs, and waits for an answer.
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
                self.writer.slice(track_id(member), (from, to), named, &arguments);
            }
        }
    }

    /// Writes an interval in which neighbours have held the air of a cell, if the cell's access point and its time are
    /// selected.
    fn put_held(&mut self, cell: CellId, over: Option<Held>) {
        let Some(Held { from, to, by }) = over else { return };
        if !self.selection.has(Member { cell, node: NodeId::AP })
            || !self.selection.overlaps(from, to)
        {
            return;
        }
        let track = held_track(cell.index());
        match by {
            None => self.writer.slice(track, (from, to), ["overlap", "overlap"], "{}"),
            Some(by) => {
                let name = self.tracks[by.index()][0].name.as_str();
                let arguments = format!("{{\"cell\":\"{name}\"}}");
                self.writer.slice(track, (from, to), ["neighbour", name], &arguments);
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
        let (tones, unit) = share(heard);
        let failed = if outcome == "received" { String::new() } else { format!(", {outcome}") };
        let to = to.map_or_else(String::new, |to| format!(",\"to\":\"{to}\""));
        let (octets, rate) = (frame.psdu.get(), megabits(frame.tx.rate()));
        let rest = frame.duration_field.as_nanos().div_ceil(1_000);
        let arguments = format!(
            "{{\"kind\":\"{kind}\",\"outcome\":\"{outcome}\",\"octets\":{octets},\
             \"rate_mbps\":{rate},\"duration_field_us\":{rest}{to}{carried}{unit}}}"
        );
        let name = format!("{kind}{way}{tones}{mpdus}{failed}");
        let track = self.track_of(member, heard);
        self.writer.slice(track, (ppdu.start, ppdu.end), ["frame", &name], &arguments);
    }

    /// Track of a frame: that of its transmitter, or a further one of an access point for parts of a multi-user PPDU.
    fn track_of(&mut self, member: Member, heard: &Monitored<Packet>) -> TrackId {
        let place = heard.part.map_or(0, |part| part.place);
        if !member.node.is_ap() || place == 0 {
            return track_id(member);
        }
        let cell = member.cell.index();
        let members = &self.tracks[cell];
        let track =
            |unit: u16| TrackId { process: cell + 1, thread: members.len() + usize::from(unit) };
        for unit in self.units[cell] + 1..=place {
            let of = &members[0].name;
            let name = format!("{of}, unit {}", unit + 1);
            self.writer.name_track(track(unit), (&name, of), order(NodeId::AP) + usize::from(unit));
            self.units[cell] = unit;
        }
        track(place)
    }

    /// Part of a frame's name about its MPDUs: access category, number of MPDUs and number of lost ones, each
    /// only if it is not obvious.
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

    /// JSON members about a frame's MPDUs, including fields of the first MPDU's header.
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

    /// Updates the counter for the rate of data frames between a station and its access point.
    fn set_rate(&mut self, cell: CellId, frame: &Frame, at: Time) {
        let Some(to) = frame.to else { return };
        let (station, way) = if frame.from.is_ap() { (to, 1) } else { (frame.from, 0) };
        let is_traced = self.selection.has(Member { cell, node: station });
        let is_now = is_traced && self.is_open && self.selection.contains(at);
        let counter = &mut self.tracks[cell.index()][station.index()].rates[way];
        set(&mut self.writer, counter, at, megabits(frame.tx.rate()), is_now);
    }

    fn note_cell(&mut self, cell: CellId, record: airfair_wlan::Record) {
        match record {
            airfair_wlan::Record::Air { from, to, usage } => {
                let over = self.held[cell.index()].note(usage, from, to);
                self.put_held(cell, over);
            }
            airfair_wlan::Record::Queue { node, length } => {
                let is_now = self.is_traced_now(Member { cell, node });
                let counter = &mut self.tracks[cell.index()][node.index()].queue;
                set(&mut self.writer, counter, self.now, f64::from(length), is_now);
            }
            airfair_wlan::Record::Dropped { node, cause } => {
                let member = Member { cell, node };
                if self.is_traced_now(member) {
                    let why = match cause {
                        DropCause::QueueFull => "dropped: queue full",
                        DropCause::RetryLimit => "dropped: retry limit",
                        DropCause::CoDel => "dropped: CoDel",
                        DropCause::DualPi2 => "dropped: DualPI2",
                        DropCause::AckFiltered => "dropped: newer ACK",
                        DropCause::TooLate => "dropped: too late",
                        DropCause::Scheme => "dropped: scheme",
                    };
                    self.writer.instant(track_id(member), self.now, why);
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
            let id = TrackId { process, thread: flow.index() + 1 };
            self.writer.instant(id, self.now, name);
        }
    }

    fn note_link(&mut self, link: usize, record: LinkRecord) {
        let (LinkRecord::Queued(length) | LinkRecord::Arrived(length) | LinkRecord::Lost(length)) =
            record
        else {
            return;
        };
        let is_now = self.is_now();
        set(&mut self.writer, &mut self.links[link], self.now, f64::from(length), is_now);
    }

    fn set_flow(&mut self, flow: FlowId, value: f64) {
        let is_now = self.is_now();
        set(&mut self.writer, &mut self.flows[flow.index()], self.now, value, is_now);
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
            Trace::Sent(_) | Trace::Received(_) | Trace::Lost(..) | Trace::Sender(..) => {}
        }
    }
}

/// Writes the names of processes and tracks in their order.
fn put_names<W: Write>(writer: &mut EventWriter<W>, scenario: &Scenario, selection: &Selection) {
    let shared: Vec<usize> =
        scenario.shared_channels().into_iter().flat_map(|(_, cells)| cells).collect();
    for (cell, bss) in scenario.cells.iter().enumerate() {
        writer.name_process(cell + 1, &format!("cell {}", bss.name));
        for (node, name) in members(scenario, cell) {
            let member = Member { cell: CellId::new(cell), node };
            if selection.has(member) {
                writer.name_track(track_id(member), (name, name), order(node));
                if node.is_ap() && shared.contains(&cell) {
                    let name = format!("neighbours of {name}");
                    writer.name_track(held_track(cell), (&name, &name), order(NodeId(1)) - 1);
                }
            }
        }
    }
    let process = scenario.cells.len() + 1;
    writer.name_process(process, "flows");
    for (index, flow) in scenario.flows.iter().enumerate() {
        let (name, thread) = (flow.name.as_str(), index + 1);
        writer.name_track(TrackId { process, thread }, (name, name), thread);
    }
    if !scenario.links.is_empty() {
        writer.name_process(process + 1, "links");
    }
}

/// Slot time of the back-off in a cell, which is longer if the cell has 802.11b stations.
/// [80211-2020 §18.4.5]
fn slot(scenario: &Scenario, cell: usize) -> Duration {
    let rules = &scenario.cells[cell].rules;
    let stations = scenario.stations.iter().filter(|station| station.cell == cell);
    rules.timing(stations.map(|station| station.standard)).slot
}

fn track_id(member: Member) -> TrackId {
    TrackId { process: member.cell.index() + 1, thread: member.node.index() + 1 }
}

/// Track with the time for which neighbours hold the air of a cell.
fn held_track(cell: usize) -> TrackId {
    TrackId { process: cell + 1, thread: usize::from(u16::MAX) }
}

/// Order of a member's track in its cell, with room for the tracks of resource units.
fn order(node: NodeId) -> usize {
    256 * usize::from(node.0)
}

/// Words about the resource unit or the streams of a part of a multi-user exchange: in the frame's name, and as members of JSON.
fn share(heard: &Monitored<Packet>) -> (String, String) {
    let (Some(part), TxVector::Mode(mode)) = (heard.part, heard.ppdu.frame.tx) else {
        return (String::new(), String::new());
    };
    let ((share, of), place) = (part.share(mode), part.place);
    (format!(", {share}"), format!(",\"unit\":\"{share}\",\"place\":{place},\"places\":{of}"))
}

/// Sets a counter. Writes the value if it has changed and `is_now` is true. If `is_now` is false, because the time or
/// the counter is not selected, the value is only kept.
fn set<W: Write>(
    writer: &mut EventWriter<W>,
    counter: &mut Counter,
    at: Time,
    value: f64,
    is_now: bool,
) {
    let before = counter.value.replace(value);
    if is_now && before.is_none_or(|before| before.to_bits() != value.to_bits()) {
        writer.counter(counter.process, at, &counter.name, (counter.unit, value));
    }
}

fn put<W: Write>(writer: &mut EventWriter<W>, at: Time, counter: &Counter) {
    if let Some(value) = counter.value {
        writer.counter_state(counter.process, at, &counter.name, (counter.unit, value));
    }
}

/// Name of a kind of frames.
pub fn word(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Data => "data",
        FrameKind::Ack => "ACK",
        FrameKind::BlockAck => "block ack",
        FrameKind::BlockAckRequest => "block ack request",
        FrameKind::Rts => "RTS",
        FrameKind::Cts => "CTS",
        FrameKind::CtsToSelf => "CTS to itself",
        FrameKind::CtsToOther => "CTS to another",
        FrameKind::CfEnd => "CF-End",
        FrameKind::Beacon => "beacon",
        FrameKind::MultiUser => "multi-user data",
        FrameKind::Trigger => "trigger",
        FrameKind::TriggerBased => "buffer report",
        FrameKind::MultiBlockAck => "block acks",
        FrameKind::NdpAnnouncement => "NDP announcement",
        FrameKind::Ndp => "NDP",
        FrameKind::BeamformingReport => "beamforming report",
    }
}

#[expect(clippy::cast_precision_loss, reason = "rates are whole kilobits")]
fn megabits(rate: DataRate) -> f64 {
    rate.bps() as f64 / 1e6
}
