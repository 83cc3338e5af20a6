//! One world among several, with what its learners see and earn.

use airfair_sim::clock::FreeRunning;
use airfair_sim::random::Streams;
use airfair_sim::scenario::Scenario;
use airfair_trace::Film;
use airfair_trace::film::Shot;
use airfair_units::Time;
use pyo3::PyResult;

use super::lever::Parts;
use super::memory::Memory;
use super::reward::Schedule;
use super::signal::{Reader, Seen};
use super::view::View;
use crate::panics;
use crate::stepped::{Stepped, with};

/// Run of one world, with a film of the channel or without.
pub(crate) type Run = Stepped<Film, FreeRunning>;

/// One world with what its learners remember.
pub(crate) struct Slot {
    /// `None` once the outcome of the run has been taken.
    run: Option<Run>,
    /// What `film` shows of a run that has been taken.
    last_film: (Time, Vec<Shot>),
    reader: Reader,
    parts: Parts,
    schedule: Schedule,
    end: Time,
    memory: Memory,
    /// What each learner has earned in the last step.
    pub(crate) rewards: Vec<f64>,
    /// Last step of the whole world and, if a learner sees them, of each station.
    seen: Vec<Seen>,
}

impl Slot {
    /// Creates the world of `scenario` at time zero.
    pub(crate) fn new(scenario: &Scenario, seed: u64, view: &View) -> Result<Self, String> {
        let film = view.film.map(|span| Film::new(scenario, span));
        let build = || Run::new(scenario, Streams::new(seed, 0), film, FreeRunning);
        let run = Some(panics::caught(build)?);
        let stations = scenario.stations.len();
        let memory = Memory::new(view, stations);
        let places = if memory.sees_stations() { 1 + stations } else { 1 };
        Ok(Self {
            run,
            last_film: (Time::ZERO, Vec::new()),
            reader: Reader::new(scenario),
            parts: Parts::of(scenario),
            schedule: Schedule::of(scenario),
            end: Time::ZERO + scenario.duration,
            memory,
            rewards: vec![0.0; if view.by_station { stations } else { 1 }],
            seen: vec![Seen::default(); places],
        })
    }

    /// True once the world has reached the end of its scenario.
    pub(crate) fn is_over(&self) -> bool {
        self.run.as_ref().is_none_or(|it| it.now() >= self.end)
    }

    /// Rate to which goodputs and rewards are relative [bit/s].
    pub(crate) fn highest_bps(&self) -> f64 {
        self.reader.highest.of_cells
    }

    /// Sets what an action changes, unless the run has ended.
    pub(crate) fn set(&mut self, view: &View, values: &[i64]) -> PyResult<()> {
        let Some(run) = &mut self.run else { return Ok(()) };
        with!(run, it => view.lever.set(it.world(), &self.parts, view.sets_stations, values))
    }

    /// Advances the world by a step, and remembers what its learners see of it. A run that has ended stays as it is.
    pub(crate) fn advance(&mut self, view: &View) -> Result<(), String> {
        let Some(run) = &mut self.run else { return Ok(()) };
        let from = run.now();
        let until = from + view.step;
        let advanced = panics::caught(|| run.advance(until))?;
        assert!(advanced.is_ok(), "a clock that runs freely never stops a run");
        let values = run.observe().values;
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
            let delay_ms = self.seen[0].delay_ms;
            let worth = view.reward.worth(self.reader.goodputs(&values), delay_ms, open);
            self.rewards[0] = worth / highest.of_cells;
        }
        self.memory.remember(&self.seen, highest);
        Ok(())
    }

    /// Appends what each learner sees to `into`.
    pub(crate) fn show(&self, view: &View, into: &mut Vec<f32>) {
        self.memory.show(view, into);
    }

    /// The run, which ends at its current time; `None` if it has been taken.
    pub(crate) fn take(&mut self) -> Option<Run> {
        self.last_film = self.film();
        self.run.take()
    }

    /// Time of the run, and the intervals that its film shows.
    pub(crate) fn film(&mut self) -> (Time, Vec<Shot>) {
        let Some(run) = &mut self.run else { return self.last_film.clone() };
        let now = run.now();
        (now, run.traces().map_or_else(Vec::new, |film| film.shots(now)))
    }
}
