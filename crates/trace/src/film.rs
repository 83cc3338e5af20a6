//! Frames and waits of the last milliseconds, kept in memory for a picture of the channel.

use std::collections::VecDeque;

use airfair_sim::packet::Packet;
use airfair_sim::record::{CellId, Member, Record};
use airfair_sim::recorder::Recorder;
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::{Monitored, Trace};
use airfair_units::{Duration, Time};
use airfair_wlan::{FrameKind, NodeId};

use crate::fate::fate;
use crate::lanes::{Lane, Wait, WaitKind};
use crate::selection::members;

/// Interval of a station or an access point: a frame that it sent, or a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The station or the access point.
    pub member: Member,
    /// Start of the interval.
    pub from: Time,
    /// End of the interval.
    pub to: Time,
    /// Content of the interval.
    pub content: Content,
}

/// Content of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The member sent a frame.
    Frame {
        /// Kind of the frame.
        kind: FrameKind,
        /// Name of the frame's outcome, as [`fate`] gives it.
        outcome: &'static str,
        /// Number of MPDUs that were lost.
        lost: usize,
    },
    /// The member waited.
    Wait(WaitKind),
}

/// Recorder that keeps the frames and waits of the last `span` of a run.
#[derive(Debug)]
pub struct Film {
    span: Duration,
    /// Waits of each member, by cell.
    lanes: Vec<Vec<Lane>>,
    /// Intervals in the order of their ends, but for waits before a frame.
    shots: VecDeque<Shot>,
}

impl Film {
    /// Creates an empty film of a run of `scenario`.
    pub fn new(scenario: &Scenario, span: Duration) -> Self {
        let of_cell = |cell| vec![Lane::default(); members(scenario, cell).count()];
        Self {
            span,
            lanes: (0..scenario.cells.len()).map(of_cell).collect(),
            shots: VecDeque::new(),
        }
    }

    /// Intervals of the last `span` before `now`, with the waits that go on. A frame is among them once it has
    /// left the air.
    pub fn shots(&self, now: Time) -> Vec<Shot> {
        let mut shots: Vec<_> = self.shots.iter().copied().collect();
        for cell in (0..self.lanes.len()).map(CellId::new) {
            for (node, lane) in (0..).map(NodeId).zip(&self.lanes[cell.index()]) {
                let mut lane = *lane;
                shots.extend(waits(Member { cell, node }, lane.finish(now)));
            }
        }
        shots.retain(|it| it.to + self.span > now);
        shots
    }

    fn lane(&mut self, member: Member) -> &mut Lane {
        &mut self.lanes[member.cell.index()][member.node.index()]
    }

    fn keep(&mut self, now: Time, shots: impl Iterator<Item = Shot>) {
        while self.shots.front().is_some_and(|it| it.to + self.span <= now) {
            self.shots.pop_front();
        }
        self.shots.extend(shots);
    }

    fn keep_frame(&mut self, now: Time, cell: CellId, heard: &Monitored<Packet>) {
        let (ppdu, frame) = (&heard.ppdu, &heard.ppdu.frame);
        let member = Member { cell, node: frame.from };
        let over = waits(member, self.lane(member).send(ppdu.start, ppdu.end));
        let (outcome, lost) = (fate(heard), heard.lost_mpdus());
        let content = Content::Frame { kind: frame.kind, outcome, lost };
        let sent = Shot { member, from: ppdu.start, to: ppdu.end, content };
        self.keep(now, over.chain([sent]));
    }
}

impl Recorder for Film {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, _record: &Record) {}

    fn record_cell(&mut self, _now: Time, _cell: CellId, _records: &[airfair_wlan::Record]) {}

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        match trace {
            Trace::Frame(cell, heard) => self.keep_frame(now, cell, heard),
            Trace::Access(member, access) => {
                let over = waits(member, self.lane(member).change(now, access));
                self.keep(now, over);
            }
            _ => {}
        }
    }
}

fn waits(member: Member, over: impl Iterator<Item = Wait>) -> impl Iterator<Item = Shot> {
    over.map(move |Wait { from, to, kind }| Shot { member, from, to, content: Content::Wait(kind) })
}

#[cfg(test)]
mod tests {
    use airfair_sim::random::Streams;
    use airfair_sim::run::{Control, simulate};

    use super::*;

    /// Ten times the time before its span changes little in what a film holds: frames of the last 5 ms, and the
    /// waits of ten stations before them.
    #[test]
    fn a_film_forgets_what_is_older_than_its_span() {
        let text = include_str!("../../../scenarios/saturated-cell.toml");
        let held = |ms: u64| {
            let mut scenario = Scenario::parse(text, &[]).expect("an example of the laboratory");
            (scenario.duration, scenario.warmup) = (Duration::from_millis(ms), Duration::ZERO);
            let film = Film::new(&scenario, Duration::from_millis(5));
            let done = simulate(&scenario, Streams::new(1, 0), film, &Control::default());
            done.expect("a run that nobody cancels").recorder.shots.len()
        };
        let (short, long) = (held(100), held(1_000));
        assert!(short > 50, "{short} intervals");
        assert!(long < 2 * short, "{short} intervals, and {long} after ten times the time");
    }
}
