//! Worlds that advance together, for environments to learn in.

mod lever;
mod memory;
mod pool;
mod reward;
mod signal;
mod slot;
mod view;

use airfair_trace::film::{Content, Shot};
use airfair_trace::lanes::WaitKind;
use airfair_trace::timeline;
use airfair_units::Duration;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::batch::Outcome;
use crate::exceptions::RunError;
use crate::scenario::Scenario;
use lever::Lever;
use pool::Pool;
use reward::Reward;
use signal::Signal;
use slot::Slot;
use view::View;

/// Several worlds that advance in steps of one length, by one call and on all cores.
///
/// A learner sees the `history` last steps of one world, or of one station in it if `by_station`. It sees the
/// `signals` as numbers from 0 to 1, the newest first; with `window`, it sees their means and standard
/// deviations over windows of so many steps, of which each shares a half with the next. With `station_signals`,
/// a learner of a world also sees these of each of its `stations`.
///
/// An action gives values of the `lever`, with `sets_stations` one for each station. Learners earn the `reward`,
/// with `by_station` each the goodput of its station.
///
/// With `film_ns`, each world keeps a film of its channel, as long as this.
#[pyclass(module = "airfair._core")]
pub(crate) struct Worlds {
    pool: Pool,
    /// Scenario and seed of each world.
    runs: Vec<Option<(Py<Scenario>, u64)>>,
    view: View,
}

/// What a step has shown: an array of what the learners see, with a row for each; their rewards; and for each
/// world, whether it is over.
type Step<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<bool>>);

#[pymethods]
impl Worlds {
    /// Creates places for `count` worlds. `threads` is the number of threads that advance them, by default that of the
    /// cores.
    #[new]
    #[pyo3(signature = (
        count, *, step_ns, signals, lever, history, station_signals = Vec::new(), stations = None, window = None,
        sets_stations = false, reward = "goodput", by_station = false, threads = None,
        film_ns = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "options of a constructor in Python")]
    fn new(
        count: usize,
        step_ns: u64,
        signals: Vec<String>,
        lever: &str,
        history: usize,
        station_signals: Vec<String>,
        stations: Option<usize>,
        window: Option<usize>,
        sets_stations: bool,
        reward: &str,
        by_station: bool,
        threads: Option<usize>,
        film_ns: Option<u64>,
    ) -> PyResult<Self> {
        let named =
            |names: &[String]| names.iter().map(|it| Signal::of(it)).collect::<PyResult<_>>();
        let (signals, station_signals): (Vec<Signal>, Vec<Signal>) =
            (named(&signals)?, named(&station_signals)?);
        let refuse = |sentence: &str| Err(PyValueError::new_err(sentence.to_owned()));
        if count == 0 || step_ns == 0 || history == 0 || signals.is_empty() {
            return refuse(
                "allowed are 1 and more worlds, nanoseconds, signals and steps of history",
            );
        }
        if window.is_some_and(|it| it < 2 || it > history || it % 2 == 1) {
            return refuse(
                "window: allowed are even numbers of steps from 2 to those of the history",
            );
        }
        if !station_signals.is_empty() && (by_station || stations.is_none()) {
            return refuse("station_signals: allowed for a learner of a world, with its stations");
        }
        let view = View {
            step: Duration::from_nanos(step_ns),
            signals,
            stations: stations.filter(|_| !station_signals.is_empty()),
            station_signals,
            history,
            window,
            lever: Lever::of(lever)?,
            sets_stations: sets_stations || by_station,
            reward: Reward::of(reward)?,
            by_station,
            film: film_ns.map(Duration::from_nanos),
        };
        let runs = (0..count).map(|_| None).collect();
        Ok(Self { pool: Pool::new(count, view.clone(), threads), runs, view })
    }

    /// Number of values that a learner sees.
    #[getter]
    fn width(&self) -> usize {
        self.view.width()
    }

    /// Puts a new world of `scenario` in a place, at time zero.
    fn start(
        &mut self,
        py: Python<'_>,
        world: usize,
        scenario: Py<Scenario>,
        seed: u64,
    ) -> PyResult<()> {
        self.place(world)?;
        let inner = &scenario.get().inner;
        if inner.stations.is_empty() {
            return Err(PyValueError::new_err("the scenario has no station"));
        }
        if let Some(wanted) = self.view.stations
            && wanted != inner.stations.len()
        {
            let found = inner.stations.len();
            let sentence = format!("{found} stations in the scenario: allowed are {wanted}");
            return Err(PyValueError::new_err(sentence));
        }
        let view = &self.view;
        let slot = py.detach(|| Slot::new(inner, seed, view)).map_err(RunError::new_err)?;
        self.pool.put(world, slot);
        self.runs[world] = Some((scenario, seed));
        Ok(())
    }

    /// Sets the values of the lever, a list for each world.
    fn set(&mut self, values: Vec<Vec<i64>>) -> PyResult<()> {
        if values.len() != self.runs.len() {
            return Err(PyValueError::new_err(format!(
                "{} actions for {} worlds",
                values.len(),
                self.runs.len()
            )));
        }
        for (world, values) in values.iter().enumerate() {
            self.pool.with(world, |slot| slot.set(&self.view, values)).ok_or_else(empty)??;
        }
        Ok(())
    }

    /// Advances all worlds that are not over by a step, except those of `wait`. Returns what the learners see, a row
    /// for each; their rewards, relative to the highest rate; and whether each world is over.
    #[pyo3(signature = (wait = Vec::new()))]
    fn advance<'py>(&mut self, py: Python<'py>, wait: Vec<usize>) -> PyResult<Step<'py>> {
        for world in &wait {
            self.place(*world)?;
        }
        let pool = &mut self.pool;
        py.detach(|| pool.advance(&wait)).map_err(RunError::new_err)?;
        self.seen(py)
    }

    /// What `advance` returns, without a step.
    fn seen<'py>(&mut self, py: Python<'py>) -> PyResult<Step<'py>> {
        let (mut seen, mut rewards, mut over) = (Vec::new(), Vec::new(), Vec::new());
        for world in 0..self.runs.len() {
            let shown = self.pool.with(world, |slot| {
                slot.show(&self.view, &mut seen);
                rewards.extend(&slot.rewards);
                over.push(slot.is_over());
            });
            shown.ok_or_else(empty)?;
        }
        let shape = [rewards.len(), self.view.width()];
        let seen = PyArray1::from_vec(py, seen).reshape(shape)?;
        Ok((seen, PyArray1::from_vec(py, rewards), PyArray1::from_vec(py, over)))
    }

    /// Rate to which the rewards of a world are relative: the sum over its cells of the highest data rate [bit/s].
    fn highest_bps(&self, world: usize) -> PyResult<f64> {
        self.place(world)?;
        let highest = self.pool.with(world, |slot| slot.highest_bps());
        highest.ok_or_else(|| PyValueError::new_err(format!("world {world}: not started")))
    }

    /// Ends a run at its current time and returns its outcome. What its learners have seen stays.
    fn finish(&mut self, world: usize) -> PyResult<Outcome> {
        self.place(world)?;
        let run = self.pool.with(world, Slot::take).flatten();
        let (Some(run), Some((scenario, seed))) = (run, &self.runs[world]) else {
            return Err(PyValueError::new_err(format!("world {world}: no run to finish")));
        };
        Ok(Outcome { inner: run.finish().outcome(&scenario.get().inner, *seed, 0) })
    }

    /// Scenario of a world, its time [ns], and the intervals that its film shows; none without a film. Each has the
    /// numbers of its cell and of its member, of which the access point is 0; its start and its end [ns]; its category,
    /// as in a timeline; and for a frame the kind, the outcome and the number of lost MPDUs.
    fn film(
        &mut self,
        py: Python<'_>,
        world: usize,
    ) -> PyResult<(Py<Scenario>, u64, Vec<Interval>)> {
        self.place(world)?;
        let (Some((now, shots)), Some((scenario, _))) =
            (self.pool.with(world, Slot::film), &self.runs[world])
        else {
            return Err(PyValueError::new_err(format!("world {world}: not started")));
        };
        let intervals = shots.into_iter().map(interval).collect();
        Ok((scenario.clone_ref(py), now.as_nanos(), intervals))
    }
}

/// Cell, member, start and end [ns], category, kind, outcome and number of lost MPDUs.
type Interval = (usize, u16, u64, u64, &'static str, &'static str, &'static str, usize);

fn interval(shot: Shot) -> Interval {
    let (category, kind, outcome, lost) = match shot.content {
        Content::Frame { kind, outcome, lost } => ("frame", timeline::word(kind), outcome, lost),
        Content::Wait(WaitKind::Backoff { .. }) => ("backoff", "", "", 0),
        Content::Wait(WaitKind::Deferring) => ("wait", "", "", 0),
        Content::Wait(WaitKind::Answer) => ("answer", "", "", 0),
    };
    let (cell, member) = (shot.member.cell.index(), shot.member.node.0);
    (cell, member, shot.from.as_nanos(), shot.to.as_nanos(), category, kind, outcome, lost)
}

impl Worlds {
    /// Checks that there is a place with this number.
    fn place(&self, world: usize) -> PyResult<()> {
        let count = self.runs.len();
        if world < count {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("world {world}: allowed are 0 to {}", count - 1)))
    }
}

fn empty() -> PyErr {
    PyValueError::new_err("a place without a world: start it first")
}
