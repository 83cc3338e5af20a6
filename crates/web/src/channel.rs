//! The channel in a part of a run: each frame, and what each member does meanwhile.

use airfair_sim::packet::Packet;
use airfair_sim::record::{CellId, Record, Recorder};
use airfair_sim::scenario::Scenario;
use airfair_units::{Duration, Time};
use airfair_wlan::phy::Standard;
use airfair_wlan::{FrameKind, Headers, NodeId, Ppdu};
use serde_json::{Value, json};

/// Most frames of one document.
const MOST: usize = 20_000;

/// From one time to another.
type Interval = (Time, Time);

/// A member of a cell, as a row of a picture.
#[derive(Debug)]
struct Row {
    cell: usize,
    /// Idle time after which its back-off counts.
    aifs: Duration,
    /// Start of the time for which it has had packets to send.
    waits_since: Option<Time>,
    /// Times at which it had any.
    waits: Vec<Interval>,
}

/// A consumer of records that keeps every frame of a window.
#[derive(Debug)]
pub(crate) struct Channel {
    from: Time,
    to: Time,
    /// Members of all cells: of each the access point first.
    rows: Vec<Row>,
    /// First row of each cell.
    first: Vec<usize>,
    frames: Vec<(usize, Ppdu<Packet>)>,
    /// End of the last frame of each cell before the window.
    before: Vec<Time>,
}

impl Channel {
    /// A window on a run of `scenario`.
    pub(crate) fn new(scenario: &Scenario, from: Time, to: Time) -> Self {
        let (mut rows, mut first) = (Vec::new(), Vec::new());
        for (cell, bss) in scenario.cells.iter().enumerate() {
            first.push(rows.len());
            let stations = || scenario.stations.iter().filter(|station| station.cell == cell);
            let has_b = stations().any(|station| station.standard == Standard::B);
            let timing = bss.rules.standard.timing(has_b, bss.rules.preamble);
            let aifsn = stations().map(|station| station.access.aifsn);
            rows.extend([bss.ap.access.aifsn].into_iter().chain(aifsn).map(|aifsn| Row {
                cell,
                aifs: timing.sifs + timing.slot * u64::from(aifsn),
                waits_since: None,
                waits: Vec::new(),
            }));
        }
        let before = vec![Time::ZERO; first.len()];
        Self { from, to, rows, first, frames: Vec::new(), before }
    }

    fn row(&self, cell: usize, node: NodeId) -> usize {
        self.first[cell] + node.index()
    }

    /// The part of an interval that is in the window, if there is one.
    fn clip(&self, (from, to): Interval) -> Option<Interval> {
        let (from, to) = (from.max(self.from), to.min(self.to));
        (from < to).then_some((from, to))
    }

    /// All that it has seen, with times in nanoseconds and members as rows.
    pub(crate) fn document(mut self, scenario: &Scenario) -> Value {
        self.cut();
        for row in &mut self.rows {
            if let Some(since) = row.waits_since.take() {
                row.waits.push((since, self.to));
            }
        }
        self.frames.sort_by_key(|(_, ppdu)| ppdu.start);
        let busy: Vec<_> = (0..self.first.len()).map(|cell| self.busy(cell)).collect();
        let back_off = |row: &Row| {
            let gaps = gaps(&busy[row.cell], row.aifs, self.to);
            intervals(common(&row.waits, &gaps).into_iter().filter_map(|it| self.clip(it)))
        };
        let waits = |row: &Row| intervals(row.waits.iter().filter_map(|it| self.clip(*it)));
        json!({
            "from_ns": self.from.as_nanos(),
            "to_ns": self.to.as_nanos(),
            "rows": Self::names(scenario),
            "waits": self.rows.iter().map(waits).collect::<Vec<_>>(),
            "back_off": self.rows.iter().map(back_off).collect::<Vec<_>>(),
            "frames": self.table(),
        })
    }

    /// The window ends before the first frame for which there is no room.
    fn cut(&mut self) {
        if self.frames.len() > MOST {
            self.to =
                self.frames[MOST..].iter().map(|(_, ppdu)| ppdu.start).fold(self.to, Time::min);
            self.to = self.to.max(self.from);
            self.frames.retain(|(_, ppdu)| ppdu.start < self.to);
        }
    }

    /// Times at which a cell's air was used, in order and apart.
    fn busy(&self, cell: usize) -> Vec<Interval> {
        let mut busy = vec![(self.before[cell], self.before[cell])];
        for (_, ppdu) in self.frames.iter().filter(|(of, _)| *of == cell) {
            match busy.last_mut().filter(|(_, end)| ppdu.start <= *end) {
                Some((_, end)) => *end = ppdu.end.max(*end),
                None => busy.push((ppdu.start, ppdu.end)),
            }
        }
        busy
    }

    fn names(scenario: &Scenario) -> Vec<Value> {
        let name = |cell: usize, bss: &str| {
            let ap = json!({ "name": bss, "cell": cell, "is_access_point": true });
            let stations = scenario.stations.iter().filter(move |station| station.cell == cell);
            let row =
                move |name: &str| json!({ "name": name, "cell": cell, "is_access_point": false });
            [ap].into_iter().chain(stations.map(move |station| row(&station.name)))
        };
        scenario.cells.iter().enumerate().flat_map(|(cell, bss)| name(cell, &bss.name)).collect()
    }

    /// Frames as columns, in order of their start.
    fn table(&self) -> Value {
        let column = |value: fn(&Ppdu<Packet>) -> Value| {
            self.frames.iter().map(|(_, ppdu)| value(ppdu)).collect::<Value>()
        };
        let rows = |node: fn(&Ppdu<Packet>) -> Option<NodeId>| {
            let row = |(cell, ppdu): &(usize, _)| node(ppdu).map(|node| self.row(*cell, node));
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
            "fate": column(|ppdu| fate(ppdu).into()),
            "flow": column(|ppdu| ppdu.mpdus.first().map(|mpdu| mpdu.msdu.payload.flow.0).into()),
        })
    }
}

/// The word for a frame: what it is for, and of a TCP ACK that it is one.
fn kind(ppdu: &Ppdu<Packet>) -> &'static str {
    let is_tcp_ack =
        || ppdu.mpdus.iter().all(|mpdu| mpdu.msdu.payload.class() != airfair_wlan::Class::Data);
    match ppdu.frame.kind {
        FrameKind::Data if is_tcp_ack() => "tcp-ack",
        FrameKind::Data => "data",
        FrameKind::Ack => "ack",
        FrameKind::Rts => "rts",
        FrameKind::Cts => "cts",
        FrameKind::CtsToSelf => "cts-to-self",
        FrameKind::Beacon => "beacon",
    }
}

/// What became of a frame.
fn fate(ppdu: &Ppdu<Packet>) -> &'static str {
    match ppdu {
        Ppdu { collided: true, .. } => "collided",
        Ppdu { errored: true, .. } => "errored",
        _ => "received",
    }
}

/// Times between those of `busy` and up to `end`, each without its first `wait`.
fn gaps(busy: &[Interval], wait: Duration, end: Time) -> Vec<Interval> {
    let ends = busy.iter().skip(1).map(|(start, _)| *start).chain([end]);
    let gap = |((_, from), to): (&Interval, Time)| (*from + wait, to);
    busy.iter().zip(ends).map(gap).filter(|(from, to)| from < to).collect()
}

/// Times in both lists, which are in order.
fn common(first: &[Interval], second: &[Interval]) -> Vec<Interval> {
    let (mut i, mut j, mut both) = (0, 0, Vec::new());
    while i < first.len() && j < second.len() {
        let (from, to) = (first[i].0.max(second[j].0), first[i].1.min(second[j].1));
        if from < to {
            both.push((from, to));
        }
        if first[i].1 < second[j].1 { i += 1 } else { j += 1 }
    }
    both
}

fn intervals(all: impl Iterator<Item = Interval>) -> Value {
    all.map(|(from, to)| json!([from.as_nanos(), to.as_nanos()])).collect()
}

impl Recorder for Channel {
    const TRACES: bool = true;

    fn record(&mut self, now: Time, record: &Record) {
        let &Record::Cell(cell, airfair_wlan::Record::Queue { node, length }) = record else {
            return;
        };
        let row = self.row(cell.index(), node);
        let (from, row) = (self.from, &mut self.rows[row]);
        match (row.waits_since, length) {
            (None, 1..) => row.waits_since = Some(now),
            (Some(since), 0) => {
                if now > from {
                    row.waits.push((since, now));
                }
                row.waits_since = None;
            }
            _ => {}
        }
    }

    /// Frames leave the air in the order of their ends; as many more as there is room for tell where to cut.
    fn trace(&mut self, cell: CellId, ppdu: &Ppdu<Packet>) {
        if ppdu.end <= self.from {
            let before = &mut self.before[cell.index()];
            *before = ppdu.end.max(*before);
        } else if ppdu.start < self.to && self.frames.len() < 2 * MOST {
            self.frames.push((cell.index(), ppdu.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    #[test]
    fn back_off_counts_in_gaps_that_are_longer_than_the_interframe_space() {
        // A frame to 100 µs, its ACK after a SIFS of 10, the next frame 90 µs after that.
        let busy = [(at(0), at(100)), (at(110), at(200)), (at(290), at(400))];
        let aifs = Duration::from_micros(50);
        assert_eq!(gaps(&busy, aifs, at(430)), [(at(250), at(290))]);
        assert_eq!(gaps(&busy, aifs, at(500)), [(at(250), at(290)), (at(450), at(500))]);
    }

    #[test]
    fn whoever_has_nothing_to_send_does_not_back_off() {
        let waits = [(at(0), at(260)), (at(280), at(470))];
        let gaps = [(at(250), at(290)), (at(450), at(500))];
        let both = [(at(250), at(260)), (at(280), at(290)), (at(450), at(470))];
        assert_eq!(common(&waits, &gaps), both);
        assert_eq!(common(&[], &gaps), []);
    }
}
