//! Metrics: accumulators that consume records as they come, and keep no record.

mod air;
mod fingerprint;
mod flows;
mod level;
mod quantiles;

use airfair_units::Time;

use crate::link::LinkId;
use crate::outcome::{LinkOutcome, Outcome};
use crate::record::{LinkRecord, Record, Recorder};
use crate::scenario::Scenario;

use air::AirAccount;
use fingerprint::Fingerprint;
use flows::FlowAccount;
use level::Level;

/// The part of a run that counts.
#[derive(Clone, Copy, Debug)]
struct Window {
    from: Time,
    to: Time,
}

impl Window {
    /// Whether an instant counts.
    fn contains(&self, now: Time) -> bool {
        self.from <= now && now < self.to
    }

    /// The part of an interval that counts.
    fn clip(&self, from: Time, to: Time) -> airfair_units::Duration {
        to.min(self.to).saturating_since(from.max(self.from))
    }
}

/// All metrics of one run.
#[derive(Debug)]
pub struct Metrics {
    window: Window,
    flows: Vec<FlowAccount>,
    cells: Vec<AirAccount>,
    links: Vec<LinkAccount>,
    fingerprint: Fingerprint,
}

#[derive(Clone, Debug, Default)]
struct LinkAccount {
    outcome: LinkOutcome,
    level: Level,
}

impl Metrics {
    /// Accounts for a run of `scenario`, all empty.
    pub fn new(scenario: &Scenario) -> Self {
        let window =
            Window { from: Time::ZERO + scenario.warmup, to: Time::ZERO + scenario.duration };
        let step = scenario.series_step;
        let stations = |cell| scenario.stations.iter().filter(move |s| s.cell == cell);
        let air = |cell| AirAccount::new(stations(cell).count());
        Self {
            window,
            flows: scenario.flows.iter().map(|_| FlowAccount::new(step)).collect(),
            cells: (0..scenario.cells.len()).map(air).collect(),
            links: vec![LinkAccount::default(); scenario.links.len() * 2],
            fingerprint: Fingerprint::default(),
        }
    }

    /// The figures, once the run is over.
    pub fn finish(self, scenario: &Scenario) -> Outcome {
        let elapsed = self.window.to - self.window.from;
        let mut cells: Vec<_> = self.cells.into_iter().map(|air| air.finish(self.window)).collect();
        // In the scenario's order, which may take turns between cells.
        let stations = scenario.stations.iter().map(|station| cells[station.cell].next_station());
        let stations = stations.collect();
        let links = self.links.into_iter().map(|link| LinkOutcome {
            queue_max: u64::from(link.level.max()),
            queue_mean: link.level.mean(self.window),
            ..link.outcome
        });
        let flows = self.flows.into_iter().zip(&scenario.flows);
        Outcome {
            elapsed,
            flows: flows.map(|(account, flow)| account.finish(flow, scenario)).collect(),
            stations,
            access_points: cells.iter().map(|cell| cell.access_point).collect(),
            channels: cells.iter().map(|cell| cell.channel).collect(),
            links: links.collect(),
            record_hash: self.fingerprint.get(),
            ..Outcome::default()
        }
    }

    fn count_link(&mut self, now: Time, id: LinkId, record: LinkRecord) {
        let counts = self.window.contains(now);
        let link = &mut self.links[id.index()];
        match record {
            LinkRecord::Queued(length) => link.level.set(now, length, self.window),
            LinkRecord::Arrived(length) => {
                link.level.set(now, length, self.window);
                link.outcome.packets += u64::from(counts);
            }
            LinkRecord::Lost(length) => {
                link.level.set(now, length, self.window);
                link.outcome.lost += u64::from(counts);
            }
            LinkRecord::Dropped => link.outcome.dropped_queue_full += u64::from(counts),
            LinkRecord::DroppedEarly => link.outcome.dropped_early += u64::from(counts),
        }
    }
}

impl Recorder for Metrics {
    fn record(&mut self, now: Time, record: &Record) {
        self.fingerprint.add(now, record);
        match record {
            Record::Cell(cell, record) => {
                self.cells[cell.index()].count(now, record, self.window);
            }
            Record::Flow(flow, record) => self.flows[flow.index()].count(now, record, self.window),
            Record::Link(link, record) => self.count_link(now, *link, *record),
        }
    }
}
