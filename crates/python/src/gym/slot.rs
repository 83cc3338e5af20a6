//! One world among several: its step, the signals that learners see, and their history.

use std::collections::VecDeque;

use airfair_sim::clock::FreeRunning;
use airfair_sim::observe::Observed;
use airfair_sim::random::Streams;
use airfair_sim::run::Simulation;
use airfair_sim::scenario::Scenario;
use airfair_units::{Duration, Time};
use pyo3::PyResult;

use super::lever::{Lever, Parts};
use super::reward::{Reward, Schedule};
use super::signal::{Reader, Seen, Signal};
use crate::panics;

/// What learners see, set and earn, and how often.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) step: Duration,
    /// Signals of what a learner sees: a whole world, or one station of it if `by_station`.
    pub(crate) signals: Vec<Signal>,
    /// Signals of each station, which a learner that sees a whole world sees behind the others.
    pub(crate) station_signals: Vec<Signal>,
    /// Number of stations that each world must have; `None` if a learner sees no single station.
    pub(crate) stations: Option<usize>,
    /// Number of steps that are remembered.
    pub(crate) history: usize,
    /// Number of steps over which a mean and a standard deviation are taken, with half of them shared between
    /// neighbours; `None` for the steps themselves.
    pub(crate) window: Option<usize>,
    pub(crate) lever: Lever,
    /// True if actions have a value for each station.
    pub(crate) sets_stations: bool,
    pub(crate) reward: Reward,
    /// True for one learner at each station, which sees that station; false for one that sees the whole world.
    pub(crate) by_station: bool,
}

impl View {
    /// Number of values that a learner sees.
    pub(crate) fn width(&self) -> usize {
        let times = match self.window {
            None => self.history,
            Some(window) => self.history.div_ceil(window / 2) * 2,
        };
        times * self.sources_of_a_learner()
    }

    /// Number of values that a learner sees of a step.
    fn sources_of_a_learner(&self) -> usize {
        self.signals.len() + self.station_signals.len() * self.stations.unwrap_or(0)
    }

    /// Signals of all learners, each with its place in [`Slot::seen`].
    fn sources(&self, stations: usize) -> Vec<(usize, Signal)> {
        let all = |place: usize, signals: &[Signal]| -> Vec<_> {
            signals.iter().map(|signal| (place, *signal)).collect()
        };
        let each = |signals| (1..=stations).flat_map(move |place| all(place, signals));
        if self.by_station {
            return each(&self.signals).collect();
        }
        all(0, &self.signals).into_iter().chain(each(&self.station_signals)).collect()
    }
}

type Run = Box<Simulation<Observed<()>, FreeRunning>>;
pub(crate) type World = airfair_sim::world::World<Observed<()>, FreeRunning>;

/// One world with what its learners remember.
pub(crate) struct Slot {
    /// `None` once the outcome of the run has been taken.
    simulation: Option<Run>,
    reader: Reader,
    parts: Parts,
    schedule: Schedule,
    end: Time,
    /// Signals of all learners, each with its place in `seen`.
    sources: Vec<(usize, Signal)>,
    /// Values of the signals in `sources`, the newest first.
    memory: Vec<VecDeque<f64>>,
    /// What each learner has earned in the last step.
    pub(crate) rewards: Vec<f64>,
    /// Last step of the whole world and, if a learner sees them, of each station.
    seen: Vec<Seen>,
}

impl Slot {
    /// Creates the world of `scenario` at time zero.
    pub(crate) fn new(scenario: &Scenario, seed: u64, view: &View) -> Result<Self, String> {
        let recorder = Observed::new(scenario, ());
        let build = || Simulation::new(scenario, Streams::new(seed, 0), recorder, FreeRunning);
        let simulation = Some(Box::new(panics::caught(build)?));
        let stations = scenario.stations.len();
        let sources = view.sources(stations);
        let sees_stations = sources.iter().any(|(place, _)| *place > 0);
        Ok(Self {
            simulation,
            reader: Reader::new(scenario),
            parts: Parts::of(scenario),
            schedule: Schedule::of(scenario),
            end: Time::ZERO + scenario.duration,
            memory: vec![VecDeque::from(vec![0.0; view.history]); sources.len()],
            sources,
            rewards: vec![0.0; if view.by_station { stations } else { 1 }],
            seen: vec![Seen::default(); if sees_stations { 1 + stations } else { 1 }],
        })
    }

    /// True once the world has reached the end of its scenario.
    pub(crate) fn is_over(&self) -> bool {
        self.simulation.as_ref().is_none_or(|it| it.now() >= self.end)
    }

    /// Rate to which goodputs and rewards are relative [bit/s].
    pub(crate) fn highest_bps(&self) -> f64 {
        self.reader.highest.of_cells
    }

    /// Sets what an action changes, unless the run has ended.
    pub(crate) fn set(&mut self, view: &View, values: &[i64]) -> PyResult<()> {
        let Some(simulation) = &mut self.simulation else { return Ok(()) };
        view.lever.set(simulation.world(), &self.parts, view.sets_stations, values)
    }

    /// Advances the world by a step, and remembers what its learners see of it. A run that has ended stays as it is.
    pub(crate) fn advance(&mut self, view: &View) -> Result<(), String> {
        let Some(simulation) = &mut self.simulation else { return Ok(()) };
        let from = simulation.now();
        let until = from + view.step;
        let advanced = panics::caught(|| simulation.advance(until))?;
        assert!(advanced.is_ok(), "a clock that runs freely never stops a run");
        let values = simulation.world().observe().values;
        let (world, stations) = self.seen.split_first_mut().expect("a place for the world");
        let highest = &self.reader.highest;
        *world = self.reader.world(&values);
        if !stations.is_empty() {
            self.reader.stations(&values, stations);
        }
        if view.by_station {
            let earned = self.rewards.iter_mut().zip(stations);
            earned.for_each(|(reward, seen)| *reward = seen.goodput / highest.of_cells);
        } else {
            let open = self.schedule.open(from, until.min(self.end));
            let worth = view.reward.worth(self.reader.goodputs(&values), open);
            self.rewards[0] = worth / highest.of_cells;
        }
        for ((place, signal), values) in self.sources.iter().zip(&mut self.memory) {
            values.pop_back();
            values.push_front(self.seen[*place].value(*signal, highest));
        }
        Ok(())
    }

    /// Appends what each learner sees to `into`.
    ///
    /// The newest step or window comes first. A step has a value for each signal, and a window has a mean and a
    /// standard deviation for each.
    pub(crate) fn show(&self, view: &View, into: &mut Vec<f32>) {
        for memory in self.memory.chunks(view.sources_of_a_learner()) {
            match view.window {
                None => {
                    let steps = 0..view.history;
                    into.extend(
                        steps.flat_map(|step| memory.iter().map(move |it| narrow(it[step]))),
                    );
                }
                Some(window) => {
                    for from in (0..view.history).step_by(window / 2) {
                        let steps = from..view.history.min(from + window);
                        for values in memory {
                            into.extend(moments(values.range(steps.clone())).map(narrow));
                        }
                    }
                }
            }
        }
    }

    /// The run, which ends at its current time; `None` if it has been taken.
    pub(crate) fn take(&mut self) -> Option<Run> {
        self.simulation.take()
    }
}

/// Mean and standard deviation of some values.
fn moments<'v>(values: impl ExactSizeIterator<Item = &'v f64> + Clone) -> [f64; 2] {
    #[expect(clippy::cast_precision_loss, reason = "a history is short")]
    let count = values.len() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|it| (it - mean) * (it - mean)).sum();
    [mean, (squares / count).sqrt()]
}

#[expect(clippy::cast_possible_truncation, reason = "learners compute in single precision")]
fn narrow(value: f64) -> f32 {
    value as f32
}
