//! One world among several: its step, the signals that learners see, and their history.

use std::collections::VecDeque;

use airfair_sim::clock::FreeRunning;
use airfair_sim::observe::{self, Objects};
use airfair_sim::record::{Member, Recorder};
use airfair_sim::scenario::{Endpoint, Scenario};
use airfair_sim::world::{Unsettable, World};
use airfair_trace::film::Shot;
use airfair_units::{Duration, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::run::{Run, with};
use crate::panics;

/// Number from 0 to 1 that a learner sees of each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Share of the data and RTS frames that another frame overlapped at the receiver.
    Collided,
    /// Share of retries among the data and RTS frames.
    Retried,
    /// Share of the step in which the channel was busy.
    Busy,
    /// Share of the step in which a frame of a station's exchanges was alone on the air.
    Airtime,
    /// Goodput, relative to the highest rate of data frames.
    Goodput,
}

impl Signal {
    /// Signal with this name.
    pub(crate) fn of(name: &str) -> PyResult<Self> {
        match name {
            "collided" => Ok(Self::Collided),
            "retried" => Ok(Self::Retried),
            "busy" => Ok(Self::Busy),
            "airtime" => Ok(Self::Airtime),
            "goodput" => Ok(Self::Goodput),
            _ => Err(PyValueError::new_err(format!(
                "signal {name:?}: allowed are \"collided\", \"retried\", \"busy\", \"airtime\" and \"goodput\""
            ))),
        }
    }
}

/// What learners see of a world, and how often.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) step: Duration,
    pub(crate) signals: Vec<Signal>,
    /// Number of steps that are remembered.
    pub(crate) history: usize,
    /// Number of steps over which a mean and a standard deviation are taken, with half of them shared between
    /// neighbours; `None` for the steps themselves.
    pub(crate) window: Option<usize>,
    /// True for one learner at each station, which sees that station; false for one that sees the whole world.
    pub(crate) by_station: bool,
    /// Length of the film of the channel; `None` for no film.
    pub(crate) film: Option<Duration>,
}

impl View {
    /// Number of values that a learner sees.
    pub(crate) fn width(&self) -> usize {
        let times = match self.window {
            None => self.history,
            Some(window) => self.history.div_ceil(window / 2) * 2,
        };
        times * self.signals.len()
    }
}

/// Places of columns among the values of an observation.
#[derive(Clone, Copy, Debug)]
struct Columns {
    goodput: usize,
    airtime: usize,
    frames: usize,
    retries: usize,
    collisions: usize,
    busy: usize,
    ap_frames: usize,
    ap_retries: usize,
    ap_collisions: usize,
}

impl Columns {
    fn of(scenario: &Scenario) -> Self {
        let start = |wanted: &str| {
            let length = |objects| match objects {
                Objects::Flows => scenario.flows.len(),
                Objects::Stations => scenario.stations.len(),
                Objects::Cells => scenario.cells.len(),
                Objects::Links => 2 * scenario.links.len(),
            };
            let before = observe::columns().take_while(|(_, name, _)| *name != wanted);
            before.map(|(objects, ..)| length(objects)).sum()
        };
        Self {
            goodput: start("goodput_bps"),
            airtime: start("airtime_share"),
            frames: start("frames"),
            retries: start("retries"),
            collisions: start("collisions"),
            busy: start("channel_busy_share"),
            ap_frames: start("access_point_frames"),
            ap_retries: start("access_point_retries"),
            ap_collisions: start("access_point_collisions"),
        }
    }
}

/// What one learner sees of one step, before it is scaled.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    goodput: f64,
    airtime: f64,
    busy: f64,
    frames: f64,
    retries: f64,
    collisions: f64,
}

impl Seen {
    /// The signal's value of this step. Without a frame, no frame has collided.
    fn value(&self, signal: Signal, highest: f64) -> f64 {
        let of_frames = |count: f64| if self.frames > 0.0 { count / self.frames } else { 0.0 };
        let value = match signal {
            Signal::Collided => of_frames(self.collisions),
            Signal::Retried => of_frames(self.retries),
            Signal::Busy => self.busy,
            Signal::Airtime => self.airtime,
            Signal::Goodput => self.goodput / highest,
        };
        value.clamp(0.0, 1.0)
    }
}

/// One world with what its learners remember.
pub(crate) struct Slot {
    /// `None` once the outcome of the run has been taken.
    run: Option<Run>,
    /// What `film` shows of a run that has been taken.
    last_film: (Time, Vec<Shot>),
    columns: Columns,
    /// Station of each flow, for the flows from or to one.
    stations_of_flows: Vec<[Option<usize>; 2]>,
    /// Cell of each station.
    cells: Vec<usize>,
    number_of_cells: usize,
    end: Time,
    /// Sum over the cells of the highest rate of data frames [bit/s].
    pub(crate) highest: f64,
    /// Values of each signal of each learner, the newest first.
    memory: Vec<VecDeque<f64>>,
    /// What each learner has earned in the last step.
    pub(crate) rewards: Vec<f64>,
    seen: Vec<Seen>,
}

impl Slot {
    /// Creates the world of `scenario` at time zero.
    pub(crate) fn new(scenario: &Scenario, seed: u64, view: &View) -> Result<Self, String> {
        let run = Some(panics::caught(|| Run::new(scenario, seed, view.film))?);
        let station = |end| if let Endpoint::Station(index) = end { Some(index) } else { None };
        let stations = scenario.stations.len();
        let learners = if view.by_station { stations } else { 1 };
        let memory = vec![VecDeque::from(vec![0.0; view.history]); learners * view.signals.len()];
        Ok(Self {
            run,
            last_film: (Time::ZERO, Vec::new()),
            columns: Columns::of(scenario),
            stations_of_flows: scenario
                .flows
                .iter()
                .map(|it| [it.from, it.to].map(station))
                .collect(),
            cells: scenario.stations.iter().map(|it| it.cell).collect(),
            number_of_cells: scenario.cells.len(),
            end: Time::ZERO + scenario.duration,
            highest: highest(scenario),
            memory,
            rewards: vec![0.0; learners],
            seen: vec![Seen::default(); learners],
        })
    }

    /// True once the world has reached the end of its scenario.
    pub(crate) fn is_over(&self) -> bool {
        self.run.as_ref().is_none_or(|it| it.now() >= self.end)
    }

    /// Sets both contention windows of all stations and access points, unless the run has ended.
    pub(crate) fn set_window(&mut self, window: u16) -> Result<(), Unsettable> {
        let (stations, cells) = (self.cells.len(), self.number_of_cells);
        let Some(run) = &mut self.run else { return Ok(()) };
        with!(run, it => set_windows(it.world(), [stations, cells], window))
    }

    /// Sets both contention windows of a station, unless the run has ended.
    pub(crate) fn set_station_window(
        &mut self,
        station: usize,
        window: u16,
    ) -> Result<(), Unsettable> {
        let Some(run) = &mut self.run else { return Ok(()) };
        with!(run, it => set_window(it.world(), World::station, station, window))
    }

    /// Advances the world by a step, and remembers what its learners see of it. A run that has ended stays as it is.
    pub(crate) fn advance(&mut self, view: &View) -> Result<(), String> {
        let Some(run) = &mut self.run else { return Ok(()) };
        let until = run.now() + view.step;
        panics::caught(|| run.advance(until))?;
        let values = run.observe();
        if view.by_station {
            self.see_stations(&values);
        } else {
            self.see_all(&values);
        }
        let mut memory = self.memory.iter_mut();
        for (seen, reward) in self.seen.iter().zip(&mut self.rewards) {
            *reward = seen.goodput / self.highest;
            for (signal, values) in view.signals.iter().zip(&mut memory) {
                values.pop_back();
                values.push_front(seen.value(*signal, self.highest));
            }
        }
        Ok(())
    }

    fn see_all(&mut self, values: &[f64]) {
        let (at, flows) = (self.columns, self.stations_of_flows.len());
        let (stations, cells) = (self.cells.len(), self.number_of_cells);
        let sum = |from: usize, count: usize| values[from..from + count].iter().sum::<f64>();
        #[expect(clippy::cast_precision_loss, reason = "a scenario has few cells")]
        let number = cells as f64;
        self.seen[0] = Seen {
            goodput: sum(at.goodput, flows),
            airtime: sum(at.airtime, stations) / number,
            busy: sum(at.busy, cells) / number,
            frames: sum(at.frames, stations) + sum(at.ap_frames, cells),
            retries: sum(at.retries, stations) + sum(at.ap_retries, cells),
            collisions: sum(at.collisions, stations) + sum(at.ap_collisions, cells),
        };
    }

    fn see_stations(&mut self, values: &[f64]) {
        let at = self.columns;
        for ((index, seen), cell) in self.seen.iter_mut().enumerate().zip(&self.cells) {
            *seen = Seen {
                goodput: 0.0,
                airtime: values[at.airtime + index],
                busy: values[at.busy + cell],
                frames: values[at.frames + index],
                retries: values[at.retries + index],
                collisions: values[at.collisions + index],
            };
        }
        for (ends, goodput) in self.stations_of_flows.iter().zip(&values[at.goodput..]) {
            for station in ends.iter().flatten() {
                self.seen[*station].goodput += goodput;
            }
        }
    }

    /// Appends what each learner sees to `into`.
    ///
    /// The newest step or window comes first. A step has a value for each signal, and a window has a mean and a
    /// standard deviation for each.
    pub(crate) fn show(&self, view: &View, into: &mut Vec<f32>) {
        let signals = view.signals.len();
        for memory in self.memory.chunks(signals) {
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
        self.last_film = self.film();
        self.run.take()
    }

    /// Time of the run, and the intervals that its film shows.
    pub(crate) fn film(&mut self) -> (Time, Vec<Shot>) {
        self.run.as_mut().map_or_else(|| self.last_film.clone(), |it| (it.now(), it.shots()))
    }
}

/// Sets both contention windows of the first stations and access points of a world, as many as `counts` has of each.
fn set_windows<R: Recorder>(
    world: &mut World<R, FreeRunning>,
    counts: [usize; 2],
    window: u16,
) -> Result<(), Unsettable> {
    let [stations, cells] = counts;
    (0..stations).try_for_each(|it| set_window(world, World::station, it, window))?;
    (0..cells).try_for_each(|it| set_window(world, World::access_point, it, window))
}

fn set_window<R: Recorder>(
    world: &mut World<R, FreeRunning>,
    member: fn(&World<R, FreeRunning>, usize) -> Member,
    index: usize,
    window: u16,
) -> Result<(), Unsettable> {
    world.set_contention_window(member(world, index), None, (window, window))
}

/// Sum over the cells of the highest rate of data frames [bit/s].
#[expect(clippy::cast_precision_loss, reason = "rates are far below 2^53 b/s")]
fn highest(scenario: &Scenario) -> f64 {
    let mut highest = vec![0; scenario.cells.len()];
    for station in &scenario.stations {
        for (_, rate) in station.rate_up.iter().chain(&station.rate_down) {
            highest[station.cell] = rate.data_rate().bps().max(highest[station.cell]);
        }
    }
    highest.iter().map(|it| *it as f64).sum()
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
