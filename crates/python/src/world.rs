//! Worlds that Python steps, observes and changes.

use std::sync::Arc;

use airfair_sim::clock::{Clock, Woken};
use airfair_sim::observe::Observed;
use airfair_sim::packet::FlowId;
use airfair_sim::random::{Purpose, Streams};
use airfair_sim::run::{self, Simulation};
use airfair_sim::world::{AggregateLimits, Unsettable, WindowLimit};
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::Weights;
use airfair_wlan::phy::Rate;
use pyo3::Borrowed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::batch::{Outcome, RunError};
use crate::law::{Failure, Names, PyLaw, Random};
use crate::observation::Observation;
use crate::panics;
use crate::scenario::Scenario;
use crate::settings::{
    SettingError, Target, WINDOWS, access_category, directions, member_of, narrow, side, unsettable,
};
use crate::trace::{Tracing, Writers};

/// Number of events between two checks for Ctrl-C: some ten milliseconds.
const EVENTS: u32 = 65_536;

/// Clock that runs as fast as possible, and returns to its caller after [`EVENTS`] events.
#[derive(Clone, Debug)]
struct Interruptible {
    left: u32,
    /// True if laws in Python may raise exceptions, which stop the clock.
    has_laws: bool,
}

impl Clock for Interruptible {
    #[inline]
    fn wait_until(&mut self, _at: Time) -> Woken {
        if self.left == 0 || (self.has_laws && Failure::is_set()) {
            self.left = EVENTS;
            return Woken::Input;
        }
        self.left -= 1;
        Woken::Due
    }
}

/// Run of a scenario, with the writers of trace files or without.
enum Stepped {
    Plain(Box<Simulation<Observed<()>, Interruptible>>),
    Traced(Box<Simulation<Observed<Writers>, Interruptible>>),
}

/// Evaluates an expression for the simulation, with trace files or without.
macro_rules! with {
    ($stepped:expr, $simulation:ident => $value:expr) => {
        match $stepped {
            Stepped::Plain($simulation) => $value,
            Stepped::Traced($simulation) => $value,
        }
    };
}

/// One replication of a scenario, which the owner advances in steps.
#[pyclass(module = "airfair._core")]
pub(crate) struct World {
    scenario: Py<Scenario>,
    seed: u64,
    replication: u32,
    /// `None` once the run is over and its outcome has been taken.
    stepped: Option<Stepped>,
    tracing: Option<Py<Tracing>>,
}

#[pymethods]
impl World {
    /// Builds the world of a scenario at time 0. `tracing` are open trace files, which the run
    /// writes.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "options have names in Python")]
    #[pyo3(signature = (scenario, *, seed, replication, tracing = None, laws = Vec::new()))]
    fn new(
        py: Python<'_>,
        scenario: Py<Scenario>,
        seed: u64,
        replication: u32,
        tracing: Option<Py<Tracing>>,
        laws: Vec<(isize, Py<PyAny>)>,
    ) -> PyResult<Self> {
        let inner = &scenario.get().inner;
        let writers = tracing.as_ref().and_then(|tracing| tracing.get().take());
        let build = || {
            let streams = Streams::new(seed, replication);
            let clock = Interruptible { left: EVENTS, has_laws: !laws.is_empty() };
            match writers {
                None => Stepped::Plain(Box::new(Simulation::new(
                    inner,
                    streams,
                    Observed::new(inner, ()),
                    clock,
                ))),
                Some(writers) => Stepped::Traced(Box::new(Simulation::new(
                    inner,
                    streams,
                    Observed::new(inner, writers),
                    clock,
                ))),
            }
        };
        let stepped = Some(py.detach(|| panics::caught(build)).map_err(RunError::new_err)?);
        let mut world = Self { scenario, seed, replication, stepped, tracing };
        world.add_laws(py, &laws)?;
        Ok(world)
    }

    /// Time of the world [ns]: everything before it has happened.
    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        Ok(with!(self.stepped()?, it => it.now()).as_nanos())
    }

    /// Advances the world by `by`, a duration such as "10 ms" or a number of seconds, or to the end of
    /// the scenario if that is earlier or `by` is `None`. Returns what happened since the last
    /// observation.
    fn advance(&mut self, py: Python<'_>, by: Option<By>) -> PyResult<Observation> {
        let end = self.scenario.get().inner.duration;
        let by = by.map_or(Ok(end), |by| by.duration())?.min(end);
        let counts = self.counts();
        let now = with!(self.open()?, it => it.now());
        if now >= Time::ZERO + end {
            return Err(RunError::new_err(format!("the world is over: it has reached {end}")));
        }
        let until = now + by;
        loop {
            let stepped = self.open()?;
            let step = || panics::caught(|| with!(stepped, it => it.advance(until)));
            let advanced = py.detach(step);
            self.fail_if_a_law_has()?;
            match advanced {
                Ok(Ok(())) => break,
                Ok(Err(run::RunError::Cancelled)) => py.check_signals()?,
                Err(sentence) => {
                    self.stepped = None;
                    return Err(RunError::new_err(sentence));
                }
            }
        }
        let seen = with!(self.open()?, it => it.world().observe());
        Ok(Observation { seen, counts })
    }

    /// Sets a key of the scenario for the rest of the run, by its dotted path and a value in TOML.
    /// Allowed are the rate, errors and queue of a station, the queue of an access point, and the
    /// rate and loss of a link. Raises `SettingError` for any other key or value.
    fn set(&mut self, path: &str, value: &str) -> PyResult<()> {
        let scenario = &self.scenario.get().inner;
        let target = Target::of(path, scenario)?;
        let wanted = Target::parse(scenario, path, value)?;
        let world = self.stepped.as_mut().ok_or_else(over)?;
        let set = with!(world, it => target.apply(it.world(), &wanted));
        set.map_err(|error| SettingError::new_err(format!("{path} = {value}: {error}")))
    }

    /// Rates that data frames from and to a station may have, ascending [bit/s].
    fn rates(&mut self, station: usize) -> PyResult<Vec<u64>> {
        let of = |rates: &[Rate]| rates.iter().map(|it| it.data_rate().bps()).collect();
        Ok(
            with!(self.open()?, it => { let world = it.world(); of(world.rates(world.station(station))) }),
        )
    }

    /// Sets the rate of data frames of a station to one of its `rates`. `direction` is "up",
    /// "down" or "both".
    fn set_rate_index(&mut self, station: usize, direction: &str, index: usize) -> PyResult<()> {
        let set = with!(self.open()?, it => {
            let world = it.world();
            let station = world.station(station);
            match world.rates(station).get(index).copied() {
                None => Err(Unsettable::NoSuchRate),
                Some(rate) => directions(direction)?
                    .iter()
                    .try_for_each(|direction| world.set_rate(station, *direction, rate)),
            }
        });
        set.map_err(unsettable)
    }

    /// Sets the smallest and largest contention window of a member [slots]. A member is the index of
    /// a station, or -1 - c for the access point of cell c. `category` is the name of an access
    /// category; without it, all categories are set.
    #[pyo3(signature = (member, smallest, largest, category = None))]
    fn set_contention_window(
        &mut self,
        member: isize,
        smallest: i64,
        largest: i64,
        category: Option<&str>,
    ) -> PyResult<()> {
        let window = (narrow(smallest, WINDOWS)?, narrow(largest, WINDOWS)?);
        let category = category.map(access_category).transpose()?;
        let set = with!(self.open()?, it => {
            let world = it.world();
            world.set_contention_window(member_of(world, member), category, window)
        });
        set.map_err(unsettable)
    }

    /// Sets the AIFSN of a member, as `set_contention_window`.
    #[pyo3(signature = (member, aifsn, category = None))]
    fn set_aifsn(&mut self, member: isize, aifsn: i64, category: Option<&str>) -> PyResult<()> {
        let aifsn: u8 = narrow(aifsn, "1 to 15")?;
        let category = category.map(access_category).transpose()?;
        let set = with!(self.open()?, it => {
            let world = it.world();
            world.set_aifsn(member_of(world, member), category, aifsn)
        });
        set.map_err(unsettable)
    }

    /// Sets the TXOP limit of a member [ns], as `set_contention_window`.
    #[pyo3(signature = (member, limit_ns, category = None))]
    fn set_txop_limit(
        &mut self,
        member: isize,
        limit_ns: u64,
        category: Option<&str>,
    ) -> PyResult<()> {
        let category = category.map(access_category).transpose()?;
        let limit = Duration::from_nanos(limit_ns);
        let set = with!(self.open()?, it => {
            let world = it.world();
            world.set_txop_limit(member_of(world, member), category, limit)
        });
        set.map_err(unsettable)
    }

    /// Sets limits of the A-MPDUs from or to a station: octets, MPDUs and time on the air [ns].
    /// `None` leaves a limit as it is.
    #[expect(clippy::too_many_arguments, reason = "options have names in Python")]
    #[pyo3(signature = (station, direction, *, octets = None, mpdus = None, duration_ns = None))]
    fn set_aggregate_limits(
        &mut self,
        station: usize,
        direction: &str,
        octets: Option<i64>,
        mpdus: Option<i64>,
        duration_ns: Option<u64>,
    ) -> PyResult<()> {
        let mpdus = mpdus.map(|it| narrow(it, "1 and more")).transpose()?;
        let octets: Option<u64> = octets.map(|it| narrow(it, "1 and more")).transpose()?;
        let (bytes, duration) = (octets.map(Bytes::new), duration_ns.map(Duration::from_nanos));
        let limits = AggregateLimits { bytes, mpdus, duration };
        let set = with!(self.open()?, it => {
            let world = it.world();
            let station = world.station(station);
            directions(direction)?
                .iter()
                .try_for_each(|it| world.set_aggregate_limits(station, *it, limits))
        });
        set.map_err(unsettable)
    }

    /// Sets the weight of a station's airtime in the queue of its access point; 256 is the default.
    fn set_airtime_weight(&mut self, station: usize, weight: i64) -> PyResult<()> {
        let weight: u16 = narrow(weight, "1 to 65535")?;
        let set = with!(self.open()?, it => {
            let world = it.world();
            world.set_airtime_weight(world.station(station), weight)
        });
        set.map_err(unsettable)
    }

    /// Sets the weights of DATA and pure ACKs in the queue of a member.
    fn set_weights(&mut self, member: isize, data: i64, acks: i64) -> PyResult<()> {
        const ALLOWED: &str = "1 and more packets per round";
        let weights = Weights { data: narrow(data, ALLOWED)?, ack: narrow(acks, ALLOWED)? };
        if weights.data == 0 || weights.ack == 0 {
            return Err(SettingError::new_err(format!("allowed are {ALLOWED}")));
        }
        let set = with!(self.open()?, it => {
            let world = it.world();
            world.set_weights(member_of(world, member), weights)
        });
        set.map_err(unsettable)
    }

    /// Limits the window of TCP at one end of a flow, "sender" or "receiver". `unit` is `octets`,
    /// `segments`, `divide_by`, or `none` to remove the limit.
    fn set_window_limit(&mut self, flow: usize, end: &str, unit: &str, value: i64) -> PyResult<()> {
        const ALLOWED: &str = "1 to 4294967295";
        let count = || narrow(value, ALLOWED);
        let limit = match unit {
            "none" => WindowLimit::None,
            _ if value < 1 => return Err(SettingError::new_err(format!("allowed are {ALLOWED}"))),
            "octets" => WindowLimit::Octets(Bytes::new(value.unsigned_abs())),
            "segments" => WindowLimit::Segments(count()?),
            _ => WindowLimit::DividedBy(count()?),
        };
        let (flow, side) = (FlowId::new(flow), side(end)?);
        let set = with!(self.open()?, it => it.world().set_window_limit(flow, side, limit));
        set.map_err(unsettable)
    }

    /// Limits the rate of TFRC at one end of a flow [bit/s]; `None` removes the limit.
    fn set_rate_limit(&mut self, flow: usize, end: &str, bps: Option<i64>) -> PyResult<()> {
        let bps: Option<u64> = bps.map(|it| narrow(it, "1 b/s and more")).transpose()?;
        if bps == Some(0) {
            return Err(SettingError::new_err("allowed are 1 b/s and more"));
        }
        let (flow, side, limit) = (FlowId::new(flow), side(end)?, bps.map(DataRate::from_bps));
        let set = with!(self.open()?, it => it.world().set_rate_limit(flow, side, limit));
        set.map_err(unsettable)
    }

    /// Starts a flow now.
    fn start_flow(&mut self, flow: usize) -> PyResult<()> {
        let flow = FlowId::new(flow);
        with!(self.open()?, it => it.world().start_flow(flow)).map_err(unsettable)
    }

    /// Stops a flow now.
    fn stop_flow(&mut self, flow: usize) -> PyResult<()> {
        let flow = FlowId::new(flow);
        with!(self.open()?, it => it.world().stop_flow(flow)).map_err(unsettable)
    }

    /// Copy of the world, which continues from the same state. A copy writes no trace files.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let Stepped::Plain(simulation) = self.stepped()? else {
            return Err(PyValueError::new_err("a world that writes trace files cannot be copied"));
        };
        let simulation = py.detach(|| simulation.clone());
        if let Some(error) = Failure::take() {
            return Err(error);
        }
        Ok(Self {
            scenario: self.scenario.clone_ref(py),
            seed: self.seed,
            replication: self.replication,
            stepped: Some(Stepped::Plain(simulation)),
            tracing: None,
        })
    }

    /// Ends the run at the current time and returns its outcome.
    fn finish(&mut self) -> PyResult<Outcome> {
        let scenario = &self.scenario.get().inner;
        let stepped = self.stepped.take().ok_or_else(over)?;
        let (seed, replication) = (self.seed, self.replication);
        let inner = match stepped {
            Stepped::Plain(it) => {
                let finished = it.finish().map(Observed::into_parts);
                finished.map(|(metrics, ())| metrics).outcome(scenario, seed, replication)
            }
            Stepped::Traced(it) => {
                let mut writers = None;
                let finished = it.finish().map(Observed::into_parts).map(|(metrics, also)| {
                    writers = Some(also);
                    metrics
                });
                if let (Some(tracing), Some(writers)) = (&self.tracing, writers) {
                    tracing.get().put_back(writers);
                }
                finished.outcome(scenario, seed, replication)
            }
        };
        self.fail_if_a_law_has()?;
        Ok(Outcome { inner })
    }
}

impl World {
    /// Raises the exception of a law, after which the world cannot go on.
    fn fail_if_a_law_has(&mut self) -> PyResult<()> {
        match Failure::take() {
            None => Ok(()),
            Some(error) => {
                self.stepped = None;
                Err(error)
            }
        }
    }

    /// Puts laws at members: the index of a station, or -1 - c for the access point of cell c.
    fn add_laws(&mut self, py: Python<'_>, laws: &[(isize, Py<PyAny>)]) -> PyResult<()> {
        let scenario = self.scenario.clone_ref(py);
        let scenario = &scenario.get().inner;
        let names = Arc::new(Names::of(py, scenario));
        let streams = Streams::new(self.seed, self.replication);
        for (member, law) in laws {
            let name = match usize::try_from(*member) {
                Ok(station) => &scenario.stations[station].name,
                Err(_) => &scenario.cells[member.unsigned_abs() - 1].name,
            };
            let random = Random::new(streams.stream(name, Purpose::Agent));
            let agent = PyLaw::new(py, law.bind(py), name, &names, random)?;
            let stepped = self.stepped.as_mut().ok_or_else(over)?;
            with!(stepped, it => {
                let world = it.world();
                world.add_agent(member_of(world, *member), Box::new(agent));
            });
            self.fail_if_a_law_has()?;
        }
        Ok(())
    }

    fn open(&mut self) -> PyResult<&mut Stepped> {
        self.stepped.as_mut().ok_or_else(over)
    }

    fn stepped(&self) -> PyResult<&Stepped> {
        self.stepped.as_ref().ok_or_else(over)
    }

    /// Number of flows, stations, cells and directions of links.
    fn counts(&self) -> [usize; 4] {
        let scenario = &self.scenario.get().inner;
        let links = scenario.links.len() * 2;
        [scenario.flows.len(), scenario.stations.len(), scenario.cells.len(), links]
    }
}

/// Length of a step from Python.
pub(crate) enum By {
    /// Text with a unit.
    Text(String),
    /// Number of seconds.
    Seconds(f64),
}

impl<'py> FromPyObject<'_, 'py> for By {
    type Error = PyErr;

    /// Looks at the type first: a failed conversion would build an exception, which takes longer than a step.
    fn extract(by: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if by.is_instance_of::<PyString>() {
            return by.extract().map(Self::Text);
        }
        by.extract().map(Self::Seconds)
    }
}

impl By {
    pub(crate) fn duration(&self) -> PyResult<Duration> {
        const SECOND: f64 = 1e9;
        let duration = match self {
            Self::Text(text) => text
                .parse::<Duration>()
                .map_err(|error| PyValueError::new_err(format!("step {text:?}: {error}")))?,
            Self::Seconds(seconds) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a float that is too large or negative saturates"
                )]
                let ns = (*seconds * SECOND).round() as u64;
                Duration::from_nanos(ns)
            }
        };
        if duration.is_zero() {
            return Err(PyValueError::new_err("a step of 0 s: allowed are 1 ns and more"));
        }
        Ok(duration)
    }
}

/// Number of nanoseconds of a duration such as "10 ms".
#[pyfunction]
pub(crate) fn duration_ns(text: &str) -> PyResult<u64> {
    let parsed = text.parse::<Duration>().map(Duration::as_nanos);
    parsed.map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))
}

fn over() -> PyErr {
    RunError::new_err("the world is over: its result has been taken, or it has failed")
}
