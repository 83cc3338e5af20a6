//! Metrics: accumulators that consume records as they come, and keep no record.

mod air;
mod fingerprint;
mod flows;
mod jitter;
mod level;
mod quantiles;
mod series;

use std::slice;

use airfair_units::{DataRate, Time};
use airfair_wlan::NodeId;
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::Rate;

use crate::link::LinkId;
use crate::outcome::{CategoryOutcome, LinkOutcome, Outcome, StationOutcome};
use crate::packet::FlowId;
use crate::record::{CellId, FlowRecord, LinkRecord, Record, Recorder, Sample};
use crate::scenario::{Flow, RateControl, Scenario, Station};

use air::{AirAccount, CellOutcome};
pub use fingerprint::Fingerprint;
use flows::FlowAccount;
use level::Level;
use quantiles::Histogram;
use series::SeriesAccount;

/// The part of a run that counts.
#[derive(Clone, Copy, Debug)]
struct Window {
    from: Time,
    to: Time,
}

impl Window {
    /// True of an instant that counts.
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
    /// If the scenario records any.
    series: Option<Box<SeriesAccount>>,
    fingerprint: Fingerprint,
}

#[derive(Clone, Debug, Default)]
struct LinkAccount {
    outcome: LinkOutcome,
    level: Level,
    /// Packets on the link that it was given before the window opened: they arrive before all others.
    older: u64,
}

impl Metrics {
    /// Accounts for a run of `scenario`, all empty.
    pub fn new(scenario: &Scenario) -> Self {
        let window =
            Window { from: Time::ZERO + scenario.warmup, to: Time::ZERO + scenario.duration };
        let stations = |cell| scenario.stations.iter().filter(move |s| s.cell == cell);
        let has_steps = scenario.series_step.is_some();
        let air = |cell| {
            let mut air = AirAccount::new(stations(cell).count(), has_steps);
            for (index, station) in stations(cell).enumerate() {
                let first = [&station.rate_up, &station.rate_down]
                    .map(|schedule| schedule[0].1.data_rate());
                air.start_rates(NodeId::station(index), first, window);
            }
            air
        };
        Self {
            window,
            flows: vec![FlowAccount::new(has_steps); scenario.flows.len()],
            cells: (0..scenario.cells.len()).map(air).collect(),
            links: vec![LinkAccount::default(); scenario.links.len() * 2],
            series: SeriesAccount::new(scenario).map(Box::new),
            fingerprint: Fingerprint::default(),
        }
    }

    /// Ends the measured time then, for a run that is over before its time.
    pub fn end_at(&mut self, end: Time) {
        self.window.to = self.window.to.min(end);
    }

    /// The figures, once the run is over.
    pub fn finish(self, scenario: &Scenario) -> Outcome {
        let elapsed = self.window.to - self.window.from;
        let mut cells: Vec<_> = self.cells.into_iter().map(|air| air.finish(self.window)).collect();
        // In the scenario's order, which may take turns between cells.
        let stations = scenario.stations.iter().map(|station| cells[station.cell].next_station());
        let stations: Vec<StationOutcome> = stations
            .zip(&scenario.stations)
            .map(|(found, spec)| with_rates(found, spec, self.window))
            .collect();
        let links = self.links.into_iter().map(|link| LinkOutcome {
            queue_max: link.level.max(),
            queue_mean: link.level.mean(self.window),
            ..link.outcome
        });
        let categories = categories(scenario, &self.flows, &cells);
        let flows = self.flows.into_iter().zip(&scenario.flows);
        let window = self.window;
        let steps = cells.iter_mut().map(|cell| std::mem::take(&mut cell.steps)).collect();
        Outcome {
            elapsed,
            flows: flows.map(|(account, flow)| account.finish(flow, window, &stations)).collect(),
            stations,
            access_points: cells.iter().map(|cell| cell.access_point).collect(),
            channels: cells.iter().map(|cell| cell.channel).collect(),
            categories,
            links: links.collect(),
            series: self.series.map(|series| series.finish(steps, scenario)).unwrap_or_default(),
            record_hash: self.fingerprint.get(),
            ..Outcome::default()
        }
    }

    fn look(&mut self, now: Time, sample: Sample) {
        let Self { window, flows, cells, links, series, .. } = self;
        match (sample, series) {
            (Sample::Window(flow, window), _) => flows[flow.index()].look(window),
            (Sample::StepEnd, Some(series)) => {
                let length = series.close_step(now, *window, flows, links);
                for cell in cells {
                    cell.close_step(now, length, *window);
                }
            }
            (Sample::Limited(flow, limited), _) => flows[flow.index()].limit(limited, *window),
            (Sample::LostAt(flow, place), _) if window.contains(now) => {
                flows[flow.index()].lose_at(place);
            }
            (Sample::StepEnd, None) | (Sample::LostAt(..), _) => {}
        }
    }
}

impl LinkAccount {
    /// Counts packets that the link was given within the window, to their end.
    #[inline]
    fn count(&mut self, now: Time, record: LinkRecord, window: Window) {
        let is_given_now = u64::from(window.contains(now));
        let outcome = &mut self.outcome;
        match record {
            LinkRecord::Queued(length) => {
                self.level.set(now, length.into(), window);
                outcome.packets_sent += is_given_now;
                self.older += 1 - is_given_now;
            }
            LinkRecord::Arrived(length) => {
                self.level.set(now, length.into(), window);
                if self.older == 0 {
                    outcome.packets += 1;
                }
                self.older = self.older.saturating_sub(1);
            }
            LinkRecord::Lost(length) => {
                self.level.set(now, length.into(), window);
                if self.older == 0 {
                    outcome.lost += 1;
                }
                self.older = self.older.saturating_sub(1);
            }
            LinkRecord::Dropped => {
                outcome.packets_sent += is_given_now;
                outcome.dropped_queue_full += is_given_now;
            }
            LinkRecord::DroppedEarly => {
                outcome.packets_sent += is_given_now;
                outcome.dropped_early += is_given_now;
            }
        }
    }
}

/// Accounts of access categories, where flows are of several.
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

/// The mean rates of a station: those of its schedules, where nobody has changed them.
fn with_rates(found: StationOutcome, spec: &Station, window: Window) -> StationOutcome {
    let is_changed = found.rate_changes > 0;
    let mean = |found, law: Option<RateControl>, schedule: &[(Time, Rate)]| {
        if law.is_some() || is_changed { found } else { Some(mean_of(schedule, window)) }
    };
    let [law_up, law_down] = spec.adaptation;
    StationOutcome {
        mean_rate_up: mean(found.mean_rate_up, law_up, &spec.rate_up),
        mean_rate_down: mean(found.mean_rate_down, law_down, &spec.rate_down),
        ..found
    }
}

/// Mean of a schedule over the measured time.
fn mean_of(schedule: &[(Time, Rate)], window: Window) -> DataRate {
    let ends = schedule[1..].iter().map(|(at, _)| *at).chain([window.to]);
    let weighted = schedule.iter().zip(ends).map(|((from, rate), to)| {
        u128::from(rate.data_rate().bps()) * u128::from(window.clip(*from, to).as_nanos())
    });
    let mean = weighted.sum::<u128>() / u128::from((window.to - window.from).as_nanos());
    DataRate::from_bps(u64::try_from(mean).expect("a mean of rates"))
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
                self.cells[cell.index()].measure(*station, measured, self.window);
            }
            // A look at the world changes nothing, so a run with a series has the hash of one without.
            Record::Sample(sample) => self.look(now, *sample),
        }
    }

    #[expect(clippy::inline_always, reason = "the kind of a record is known where it is made")]
    #[inline(always)]
    fn record_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        self.fingerprint.add_flow(now, flow, record);
        self.flows[flow.index()].count(now, record, self.window);
    }

    #[inline]
    fn record_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        self.fingerprint.add_link(now, link, record);
        self.links[link.index()].count(now, record, self.window);
    }

    /// Most records are of a cell, several of one event.
    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        let (mut fingerprint, window) = (self.fingerprint, self.window);
        let account = &mut self.cells[cell.index()];
        for record in records {
            fingerprint.add_cell(now, cell, record);
            account.count(now, record, window);
        }
        self.fingerprint = fingerprint;
    }
}
