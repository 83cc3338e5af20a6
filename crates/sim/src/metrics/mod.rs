//! Metrics, which accumulate records as they come and keep none of them.

mod air;
mod calls;
mod e_model;
mod fingerprint;
mod flows;
mod jitter;
mod level;
mod links;
mod measured_time;
mod playout;
mod probes;
mod quantiles;
mod series;

use std::slice;

use airfair_units::Time;
use airfair_wlan::NodeId;
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::Rate;

use crate::link::LinkId;
use crate::outcome::{CategoryOutcome, NeighbourOutcome, Outcome, StationOutcome};
use crate::packet::FlowId;
use crate::record::{CellId, FlowRecord, LinkRecord, Record, Sample};
use crate::recorder::Recorder;
use crate::scenario::{Flow, RateControl, Scenario, Station};

use air::{AirAccount, CellOutcome};
pub use e_model::opinion;
pub use fingerprint::Fingerprint;
use flows::FlowAccount;
use links::LinkAccount;
use measured_time::MeasuredTime;
use quantiles::Histogram;
use series::SeriesAccount;

/// All metrics of one run.
#[derive(Clone, Debug)]
pub struct Metrics {
    measured_time: MeasuredTime,
    flows: Vec<FlowAccount>,
    cells: Vec<AirAccount>,
    links: Vec<LinkAccount>,
    /// Time series, if the scenario records one.
    series: Option<Box<SeriesAccount>>,
    fingerprint: Fingerprint,
}

impl Metrics {
    /// Creates empty metrics for a run of `scenario`.
    pub fn new(scenario: &Scenario) -> Self {
        let measured_time =
            MeasuredTime { from: Time::ZERO + scenario.warmup, to: Time::ZERO + scenario.duration };
        let stations = |cell| scenario.stations.iter().filter(move |s| s.cell == cell);
        let has_steps = scenario.series_step.is_some();
        let air = |cell| {
            let mut air = AirAccount::new(CellId::new(cell), stations(cell).count(), has_steps);
            for (index, station) in stations(cell).enumerate() {
                let first = [&station.rate_up, &station.rate_down]
                    .map(|schedule| schedule[0].1.data_rate());
                air.start_rates(NodeId::station(index), first, measured_time);
            }
            air
        };
        Self {
            measured_time,
            flows: scenario.flows.iter().map(|flow| FlowAccount::new(flow, has_steps)).collect(),
            cells: (0..scenario.cells.len()).map(air).collect(),
            links: vec![LinkAccount::default(); scenario.links.len() * 2],
            series: SeriesAccount::new(scenario).map(Box::new),
            fingerprint: Fingerprint::default(),
        }
    }

    /// Shortens the measured time to end at `end`, for a run that ends early.
    pub fn end_at(&mut self, end: Time) {
        self.measured_time.to = self.measured_time.to.min(end);
    }

    /// Results of the run. Call this when the run is over.
    pub fn finish(self, scenario: &Scenario) -> Outcome {
        let elapsed = self.measured_time.to - self.measured_time.from;
        let mut cells: Vec<_> =
            self.cells.into_iter().map(|air| air.finish(self.measured_time)).collect();
        // Stations are listed in the scenario's order, in which cells may alternate.
        let stations = scenario.stations.iter().map(|station| cells[station.cell].next_station());
        let stations: Vec<StationOutcome> = stations
            .zip(&scenario.stations)
            .map(|(found, spec)| with_rates(found, spec, self.measured_time))
            .collect();
        let links = self.links.into_iter().map(|link| link.finish(self.measured_time));
        let categories = categories(scenario, &self.flows, &cells);
        let with_source = (0..).zip(&self.flows).zip(&scenario.flows);
        let with_source = with_source.filter(|(_, flow)| flow.transport.has_source());
        let messages = with_source.map(|((number, it), _)| it.messages(number)).collect();
        let live = (0..).zip(&self.flows).zip(&scenario.flows);
        let live = live.filter_map(|((number, it), flow)| {
            flow.transport.live().map(|live| it.live(number, live))
        });
        let live = live.collect();
        let probes = probes::probes(scenario, &self.flows);
        let waits = (0..).zip(&self.flows).zip(&scenario.flows);
        let waits = waits.filter(|(_, flow)| flow.transport.has_source());
        let waits = waits.map(|((number, it), _)| it.waits_outcome(number)).collect();
        let with_ecn = (0..).zip(&self.flows).zip(&scenario.flows);
        let with_ecn = with_ecn.filter(|(_, flow)| flow.transport.has_ecn());
        let marks = with_ecn.map(|((number, it), _)| it.marks(number)).collect();
        let of_calls = (0..).zip(&self.flows).zip(&scenario.flows);
        let of_calls = of_calls
            .filter_map(|((number, it), flow)| it.call(number, flow.stop, self.measured_time));
        let of_calls = of_calls.collect();
        let flows = self.flows.into_iter().zip(&scenario.flows);
        let measured_time = self.measured_time;
        let steps = cells.iter_mut().map(|cell| std::mem::take(&mut cell.steps)).collect();
        Outcome {
            elapsed,
            flows: flows
                .map(|(account, flow)| account.finish(flow, measured_time, &stations))
                .collect(),
            stations,
            access_points: cells.iter().map(|cell| cell.access_point).collect(),
            channels: cells.iter().map(|cell| cell.channel).collect(),
            categories,
            links: links.collect(),
            series: self.series.map(|series| series.finish(steps, scenario)).unwrap_or_default(),
            record_hash: self.fingerprint.get(),
            neighbours: neighbours(&cells),
            messages,
            live,
            probes,
            waits,
            marks,
            calls: of_calls,
            ..Outcome::default()
        }
    }

    fn look(&mut self, now: Time, sample: Sample) {
        let Self { measured_time, flows, cells, links, series, .. } = self;
        match (sample, series) {
            (Sample::Window(flow, window), _) => flows[flow.index()].look(window),
            (Sample::StepEnd, Some(series)) => {
                let length = series.close_step(now, *measured_time, flows, links);
                for cell in cells {
                    cell.close_step(now, length, *measured_time);
                }
            }
            (Sample::Limited(flow, limited), _) => {
                flows[flow.index()].limit(limited, *measured_time);
            }
            (Sample::LostAt(flow, place), _) if measured_time.contains(now) => {
                flows[flow.index()].lose_at(place);
            }
            (Sample::StepEnd, None) | (Sample::LostAt(..), _) => {}
        }
    }
}

/// Time for which neighbours held the air of each cell.
fn neighbours(cells: &[CellOutcome]) -> Vec<NeighbourOutcome> {
    let of_cell = |(cell, outcome): (usize, &CellOutcome)| {
        let held = outcome.held.clone().into_iter().enumerate();
        held.map(move |(neighbour, airtime)| {
            let (cell, neighbour) = (CellId::new(cell), CellId::new(neighbour));
            NeighbourOutcome { cell, neighbour, airtime }
        })
    };
    let all = cells.iter().enumerate().flat_map(of_cell);
    all.filter(|it| !it.airtime.is_zero()).collect()
}

/// Figures of each access category; empty if all flows are of one category.
fn categories(
    scenario: &Scenario,
    flows: &[FlowAccount],
    cells: &[CellOutcome],
) -> Vec<CategoryOutcome> {
    let used = scenario.categories();
    let of = |category: &AccessCategory| {
        let (mut sums, mut delays) = (CategoryOutcome::default(), Histogram::default());
        for counted in cells.iter().map(|cell| &cell.categories[*category as usize]) {
            sums.airtime += counted.airtime;
            sums.frames += counted.frames;
            sums.collisions += counted.collisions;
            sums.internal_collisions += counted.internal_collisions;
            sums.dropped += counted.dropped;
        }
        let flows = flows.iter().zip(&scenario.flows);
        let is_of = |flow: &Flow| flow.is_on_air() && flow.category() == *category;
        for (account, _) in flows.filter(|(_, flow)| is_of(flow)) {
            account.add_to((&mut sums, &mut delays));
        }
        CategoryOutcome { delay: delays.quantiles(), ..sums }
    };
    if used.len() > 1 { used.iter().map(of).collect() } else { Vec::new() }
}

/// Replaces a station's mean rates by those of its rate schedules, unless rate control or the owner has changed
/// rates.
fn with_rates(
    found: StationOutcome,
    spec: &Station,
    measured_time: MeasuredTime,
) -> StationOutcome {
    let is_changed = found.rate_changes > 0;
    let mean = |found, law: Option<RateControl>, schedule: &[(Time, Rate)]| {
        if law.is_some() || is_changed { found } else { Some(measured_time.mean_of(schedule)) }
    };
    let [law_up, law_down] = spec.adaptation;
    StationOutcome {
        mean_rate_up: mean(found.mean_rate_up, law_up, &spec.rate_up),
        mean_rate_down: mean(found.mean_rate_down, law_down, &spec.rate_down),
        ..found
    }
}

impl Recorder for Metrics {
    const LIMITS: bool = true;

    fn record(&mut self, now: Time, record: &Record) {
        match record {
            Record::Cell(cell, record) => self.record_cell(now, *cell, slice::from_ref(record)),
            Record::Flow(flow, record) => self.record_flow(now, *flow, *record),
            Record::Link(link, record) => self.record_link(now, *link, *record),
            Record::Measured(cell, station, measured) => {
                self.fingerprint.record(now, record);
                self.cells[cell.index()].measure(*station, measured, self.measured_time);
            }
            // Samples have no part in the hash: a run has the same hash with a time series and without one.
            Record::Sample(sample) => self.look(now, *sample),
        }
    }

    #[expect(clippy::inline_always, reason = "the kind of a record is known where it is made")]
    #[inline(always)]
    fn record_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        self.fingerprint.add_flow(now, flow, record);
        self.flows[flow.index()].count(now, record, self.measured_time);
    }

    #[inline]
    fn record_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        self.fingerprint.add_link(now, link, record);
        self.links[link.index()].count(now, record, self.measured_time);
    }

    /// Records the several records of one event of a cell together, since most records are of cells.
    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        let (mut fingerprint, measured_time) = (self.fingerprint, self.measured_time);
        let account = &mut self.cells[cell.index()];
        for record in records {
            fingerprint.add_cell(now, account.place, record);
            account.count(now, record, measured_time);
        }
        self.fingerprint = fingerprint;
    }
}
