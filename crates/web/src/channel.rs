//! Frame-by-frame view of the channel in a part of a run, with the waiting of each member.

use airfair_sim::packet::Packet;
use airfair_sim::record::{CellId, Record};
use airfair_sim::recorder::Recorder;
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::Trace;
use airfair_trace::fate::fate;
use airfair_trace::held::{Held, HeldAir};
use airfair_trace::lanes::{Lane, Wait, WaitKind};
use airfair_trace::selection::members;
use airfair_units::Time;
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::TxVector;
use airfair_wlan::{FrameKind, Headers, NodeId, Part, Ppdu};
use serde_json::{Value, json};

/// Largest number of frames in one document about the channel.
const MOST: usize = 20_000;

/// Frame that has left the air in a cell.
#[derive(Debug)]
struct CapturedFrame {
    cell: usize,
    ppdu: Ppdu<Packet>,
    fate: &'static str,
    /// Number of MPDUs of the frame that were not received.
    lost: usize,
    /// Access category of a data frame, if the scenario uses several.
    category: Option<AccessCategory>,
    /// Facts about a part of a multi-user exchange.
    part: Option<Part>,
}

/// Member of a cell, which has a row in the picture of the channel.
#[derive(Debug, Default)]
struct Row {
    lane: Lane,
    /// Periods in which the member waited, within the time span.
    waits: Vec<Wait>,
}

/// Recorder that keeps all frames of a time span.
#[derive(Debug)]
pub(crate) struct Channel {
    from: Time,
    to: Time,
    /// Rows of the picture, one for each member of each cell. The access point of a cell comes
    /// before its stations.
    rows: Vec<Row>,
    /// Index in `rows` of the first member of each cell.
    first: Vec<usize>,
    has_categories: bool,
    frames: Vec<CapturedFrame>,
    /// Air that neighbours hold in each cell, and its intervals within the time span.
    held: Vec<(HeldAir, Vec<Held>)>,
}

impl Channel {
    /// Makes a recorder for a time span in a run of `scenario`.
    pub(crate) fn new(scenario: &Scenario, from: Time, to: Time) -> Self {
        let (mut rows, mut first) = (Vec::new(), Vec::new());
        for cell in 0..scenario.cells.len() {
            first.push(rows.len());
            rows.extend(members(scenario, cell).map(|_| Row::default()));
        }
        let has_categories = scenario.categories().len() > 1;
        let held = vec![Default::default(); scenario.cells.len()];
        Self { from, to, rows, first, has_categories, frames: Vec::new(), held }
    }

    fn row(&self, cell: usize, node: NodeId) -> usize {
        self.first[cell] + node.index()
    }

    /// Document with all frames and waits. Times are in nanoseconds, and members are indices of
    /// rows.
    pub(crate) fn document(mut self, scenario: &Scenario) -> Value {
        self.cut();
        for row in 0..self.rows.len() {
            let over = self.rows[row].lane.finish(self.to);
            self.keep(row, over);
        }
        self.frames.sort_by_key(|it| it.ppdu.start);
        let of_rows = |list: fn(Wait) -> Option<Value>| {
            let (from, to) = (self.from, self.to);
            let clip = |it: &Wait| Wait { from: it.from.max(from), to: it.to.min(to), ..*it };
            let of_row = |row: &Row| {
                let waits = row.waits.iter().map(clip).filter(|it| it.from < it.to);
                waits.filter_map(list).collect::<Value>()
            };
            self.rows.iter().map(of_row).collect::<Value>()
        };
        json!({
            "from_ns": self.from.as_nanos(),
            "to_ns": self.to.as_nanos(),
            "rows": Self::names(scenario),
            "deferrals": of_rows(|Wait { from, to, kind }| {
                let is_it = kind == WaitKind::Deferring;
                is_it.then(|| json!([from.as_nanos(), to.as_nanos()]))
            }),
            "answers": of_rows(|Wait { from, to, kind }| {
                let is_it = kind == WaitKind::Answer;
                is_it.then(|| json!([from.as_nanos(), to.as_nanos()]))
            }),
            "back_off": of_rows(|Wait { from, to, kind }| {
                let WaitKind::Backoff { slots } = kind else { return None };
                Some(json!([from.as_nanos(), to.as_nanos(), slots]))
            }),
            "held": self.held.iter().map(|it| self.held_in(it)).collect::<Value>(),
            "frames": self.table(),
        })
    }

    /// Intervals in which neighbours hold the air of a cell, each with the neighbour's cell, or null for an overlap.
    fn held_in(&self, (open, over): &(HeldAir, Vec<Held>)) -> Value {
        let all = over.iter().copied().chain(open.last());
        let clip = |it: Held| Held { from: it.from.max(self.from), to: it.to.min(self.to), ..it };
        let cut = all.map(clip).filter(|it| it.from < it.to);
        cut.map(|it| json!([it.from.as_nanos(), it.to.as_nanos(), it.by])).collect()
    }

    /// Keeps those `waits`, intervals of deferral, back-off or awaiting a response, of the member
    /// in `row` that overlap the time span of which frames are kept.
    fn keep(&mut self, row: usize, waits: impl Iterator<Item = Wait>) {
        let (from, to) = (self.from, self.to);
        self.rows[row].waits.extend(waits.filter(|wait| wait.to > from && wait.from < to));
    }

    /// Shortens the time span of which frames are kept if it has more than [`MOST`] of them: it
    /// then ends at the start of the first frame beyond this number.
    fn cut(&mut self) {
        if self.frames.len() > MOST {
            self.to = self.frames[MOST..].iter().map(|it| it.ppdu.start).fold(self.to, Time::min);
            self.to = self.to.max(self.from);
            self.frames.retain(|it| it.ppdu.start < self.to);
        }
    }

    fn names(scenario: &Scenario) -> Vec<Value> {
        let of_cell = |cell: usize| {
            members(scenario, cell).map(move |(node, name)| {
                json!({ "name": name, "cell": cell, "is_access_point": node.is_ap() })
            })
        };
        (0..scenario.cells.len()).flat_map(of_cell).collect()
    }

    /// Frames as columns, in the order of their start.
    fn table(&self) -> Value {
        let column = |value: fn(&Ppdu<Packet>) -> Value| {
            self.frames.iter().map(|it| value(&it.ppdu)).collect::<Value>()
        };
        let rows = |node: fn(&Ppdu<Packet>) -> Option<NodeId>| {
            let row = |it: &CapturedFrame| node(&it.ppdu).map(|node| self.row(it.cell, node));
            self.frames.iter().map(|frame| json!(row(frame))).collect::<Value>()
        };
        json!({
            "start_ns": column(|ppdu| ppdu.start.as_nanos().into()),
            "end_ns": column(|ppdu| ppdu.end.as_nanos().into()),
            "from": rows(|ppdu| Some(ppdu.frame.from)),
            "to": rows(|ppdu| ppdu.frame.to),
            "kind": column(|ppdu| kind(ppdu).into()),
            "rate_bps": column(|ppdu| ppdu.frame.tx.rate().bps().into()),
            "octets": column(|ppdu| ppdu.frame.psdu.get().into()),
            "retry": column(|ppdu| ppdu.frame.retry.into()),
            "fate": self.frames.iter().map(|it| it.fate).collect::<Value>(),
            "mpdus": column(|ppdu| ppdu.mpdus.len().into()),
            "lost": self.frames.iter().map(|it| it.lost).collect::<Value>(),
            "category": self
                .frames
                .iter()
                .map(|it| it.category.map(|category| category.to_string()))
                .collect::<Value>(),
            "unit": self.frames.iter().map(CapturedFrame::unit).collect::<Value>(),
            "flow": column(|ppdu| ppdu.mpdus.first().map(|mpdu| mpdu.msdu.payload.flow.0).into()),
        })
    }
}

/// Kind of a frame in the document. Data frames that carry only TCP ACKs have a kind of their own.
fn kind(ppdu: &Ppdu<Packet>) -> &'static str {
    let is_tcp_ack =
        || ppdu.mpdus.iter().all(|mpdu| mpdu.msdu.payload.class() != airfair_wlan::Class::Data);
    match ppdu.frame.kind {
        FrameKind::Data if is_tcp_ack() => "tcp-ack",
        FrameKind::Data => "data",
        FrameKind::Ack => "ack",
        FrameKind::BlockAck => "block-ack",
        FrameKind::BlockAckRequest => "block-ack-request",
        FrameKind::Rts => "rts",
        FrameKind::Cts => "cts",
        FrameKind::CtsToSelf => "cts-to-self",
        FrameKind::CtsToOther => "cts-to-other",
        FrameKind::CfEnd => "cf-end",
        FrameKind::Beacon => "beacon",
        FrameKind::MultiUser => "multi-user",
        FrameKind::Trigger => "trigger",
        FrameKind::TriggerBased => "trigger-based",
        FrameKind::MultiBlockAck => "multi-station-block-ack",
        FrameKind::NdpAnnouncement => "ndp-announcement",
        FrameKind::Ndp => "ndp",
        FrameKind::BeamformingReport => "beamforming-report",
    }
}

impl CapturedFrame {
    /// Resource unit or streams of a part of a multi-user exchange: words, its place and the number of equal shares.
    fn unit(&self) -> Value {
        let (Some(part), TxVector::Mode(mode)) = (self.part, self.ppdu.frame.tx) else {
            return Value::Null;
        };
        let (share, places) = part.share(mode);
        json!([share, part.place, places])
    }
}

impl Recorder for Channel {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, _record: &Record) {}

    fn record_cell(&mut self, _now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        let (lane, kept) = &mut self.held[cell.index()];
        for record in records {
            let airfair_wlan::Record::Air { from, to, usage } = *record else { continue };
            let over = lane.note(usage, from, to);
            kept.extend(over.filter(|it| it.to > self.from && it.from < self.to));
        }
    }

    /// Keeps the items of the trace within the time span. Frames arrive in the order of their ends,
    /// not of their starts, so up to twice [`MOST`] are kept to find where to cut.
    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        match trace {
            Trace::Frame(cell, monitored) => {
                let ppdu = &monitored.ppdu;
                let row = self.row(cell.index(), ppdu.frame.from);
                let over = self.rows[row].lane.send(ppdu.start, ppdu.end);
                self.keep(row, over);
                if ppdu.end > self.from && ppdu.start < self.to && self.frames.len() < 2 * MOST {
                    let (cell, ppdu) = (cell.index(), ppdu.clone());
                    let (fate, lost) = (fate(monitored), monitored.lost_mpdus());
                    let has_category = self.has_categories && !ppdu.mpdus.is_empty();
                    let category = has_category.then_some(monitored.category);
                    self.frames.push(CapturedFrame {
                        cell,
                        ppdu,
                        fate,
                        lost,
                        category,
                        part: monitored.part,
                    });
                }
            }
            Trace::Access(member, access) => {
                let row = self.row(member.cell.index(), member.node);
                let over = self.rows[row].lane.change(now, access);
                self.keep(row, over);
            }
            _ => {}
        }
    }
}
