//! Metrics: accumulators that consume records as they come, and keep no record.

mod air;
mod fingerprint;
mod flows;
mod level;
mod quantiles;

use airfair_units::{DataRate, Time};
use airfair_wlan::NodeId;

use crate::link::LinkId;
use crate::outcome::{LinkOutcome, Outcome, StationOutcome};
use crate::record::{LinkRecord, Record, Recorder};
use crate::scenario::{RateControl, Scenario, Station};

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
        let air = |cell| {
            let mut air = AirAccount::new(stations(cell).count());
            for (index, station) in stations(cell).enumerate() {
                let id = NodeId::station(index);
                for (up, schedule) in [(true, &station.rate_up), (false, &station.rate_down)] {
                    air.start_rate(Time::ZERO, (id, up), schedule[0].1, window);
                }
            }
            air
        };
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
        let stations: Vec<StationOutcome> = stations
            .zip(&scenario.stations)
            .map(|(found, spec)| with_rates(found, spec, self.window))
            .collect();
        let links = self.links.into_iter().map(|link| LinkOutcome {
            queue_max: u64::from(link.level.max()),
            queue_mean: link.level.mean(self.window),
            ..link.outcome
        });
        let flows = self.flows.into_iter().zip(&scenario.flows);
        Outcome {
            elapsed,
            flows: flows.map(|(account, flow)| account.finish(flow, scenario, &stations)).collect(),
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

/// The mean rates of a station: those of its schedules, where no law has found others.
fn with_rates(found: StationOutcome, spec: &Station, window: Window) -> StationOutcome {
    let mean = |found, law: Option<RateControl>, schedule: &[(Time, DataRate)]| {
        if law.is_some() { found } else { Some(mean_of(schedule, window)) }
    };
    let [law_up, law_down] = spec.adaptation;
    StationOutcome {
        mean_rate_up: mean(found.mean_rate_up, law_up, &spec.rate_up),
        mean_rate_down: mean(found.mean_rate_down, law_down, &spec.rate_down),
        ..found
    }
}

/// Mean of a schedule over the measured time.
fn mean_of(schedule: &[(Time, DataRate)], window: Window) -> DataRate {
    let ends = schedule[1..].iter().map(|(at, _)| *at).chain([window.to]);
    let weighted = schedule.iter().zip(ends).map(|((from, rate), to)| {
        u128::from(rate.bps()) * u128::from(window.clip(*from, to).as_nanos())
    });
    let mean = weighted.sum::<u128>() / u128::from((window.to - window.from).as_nanos());
    DataRate::from_bps(u64::try_from(mean).expect("a mean of rates"))
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
            Record::Measured(cell, station, measured) => {
                self.cells[cell.index()].measure(*station, measured, self.window);
            }
        }
    }
}
