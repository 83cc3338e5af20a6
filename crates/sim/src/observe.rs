//! Observations of a run that its owner advances in steps: the activity of each flow, station and access point since
//! the last observation.
//!
//! [`Observed`] wraps [`Metrics`] and keeps small sums beside them, which [`World::observe`] turns into columns and
//! resets. A run whose owner does not observe uses [`Metrics`] alone and pays nothing.

mod columns;
mod sums;

use airfair_laws::Direction;
use airfair_units::{Duration, Time};
use airfair_wlan::NodeId;

use crate::clock::Clock;
use crate::link::LinkId;
use crate::metrics::Metrics;
use crate::packet::FlowId;
use crate::record::{CellId, FlowRecord, LinkRecord, Member, Record};
use crate::recorder::Recorder;
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::world::World;
use columns::{CELLS, FLOWS, LINKS, STATIONS, add};
pub use columns::{Objects, columns};
use sums::Sums;

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
        Self { metrics: Metrics::new(scenario), sums: Sums::new(scenario), also }
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

impl<W: Recorder, C: Clock> World<Observed<W>, C> {
    /// Observation of the time since the last one, or since the start.
    pub fn observe(&mut self) -> Observation {
        let Self { now, cells, flows, stations, recorder, .. } = self;
        let sums = &mut recorder.sums;
        for (step, flow) in sums.flows.iter_mut().zip(flows) {
            step.cwnd = flow.source.window().map(|window| window.cwnd);
        }
        for (step, bss) in sums.cells.iter_mut().zip(cells.iter()) {
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
