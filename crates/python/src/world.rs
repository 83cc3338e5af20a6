//! Worlds that Python steps, observes and changes.

mod interruptible;

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use airfair_sim::not_allowed::NotAllowed;
use airfair_sim::packet::FlowId;
use airfair_sim::random::{Purpose, Streams};
use airfair_sim::run;
use airfair_sim::world::{AggregateLimits, WindowLimit};
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::Weights;
use airfair_wlan::phy::Rate;
use pyo3::prelude::*;

use crate::batch::Outcome;
use crate::duration::By;
use crate::exceptions::RunError;
use crate::law::{Failure, Names, PyLaw, Random};
use crate::observation::Observation;
use crate::panics;
use crate::scenario::Scenario;
use crate::settings::{
    SettingError, Target, WINDOWS, access_category, directions, member_of, narrow, side, unsettable,
};
use crate::stepped::{self, with};
use crate::trace::{TraceWriters, Tracing};
use interruptible::Interruptible;

/// Run of a world, with the writers of trace files or without.
type Stepped = stepped::Stepped<TraceWriters, Interruptible>;

/// Reason for which a world cannot go on.
#[derive(Clone, Copy, Debug)]
enum Ended {
    Finished,
    Failed,
    Closed,
}

/// State of a world.
enum State {
    Running(Stepped),
    /// The run has ended at this time.
    Ended(Ended, Time),
}

impl State {
    fn running(&mut self) -> PyResult<&mut Stepped> {
        let why = match self {
            Self::Running(stepped) => return Ok(stepped),
            Self::Ended(Ended::Finished, _) => "the world is over: its result has been taken",
            Self::Ended(Ended::Failed, _) => "the world is over: its run has failed",
            Self::Ended(Ended::Closed, _) => "the world is over: it has been closed",
        };
        Err(RunError::new_err(why))
    }

    fn now(&self) -> Time {
        match self {
            Self::Running(stepped) => stepped.now(),
            Self::Ended(_, at) => *at,
        }
    }

    /// Ends the run now and returns it; `None` if it has ended before. Its trace files are closed when the caller
    /// drops it.
    fn end(&mut self, why: Ended) -> Option<Stepped> {
        let Self::Running(_) = self else { return None };
        match std::mem::replace(self, Self::Ended(why, self.now())) {
            Self::Running(stepped) => Some(stepped),
            Self::Ended(..) => None,
        }
    }
}

/// Changes a world, which the expression names; an error of it becomes a `SettingError`.
macro_rules! change {
    ($of:expr, $world:ident => $value:expr) => {{
        let mut state = $of.locked()?;
        let changed = with!(state.running()?, it => {
            let $world = it.world();
            $value
        });
        changed.map_err(unsettable)
    }};
}

/// One replication of a scenario, which the owner advances in steps. It does one thing at a time: calls from another
/// thread or from a law of the world while it advances are errors.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct World {
    scenario: Py<Scenario>,
    seed: u64,
    replication: u32,
    state: Mutex<State>,
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
        let writers = tracing.map(|tracing| tracing.get().lend());
        let streams = Streams::new(seed, replication);
        let clock = Interruptible::new(!laws.is_empty());
        let build = || Stepped::new(inner, streams, writers, clock);
        let stepped = py.detach(|| panics::caught(build)).map_err(RunError::new_err)?;
        let state = Mutex::new(State::Running(stepped));
        let world = Self { scenario, seed, replication, state };
        world.add_laws(py, &laws)?;
        Ok(world)
    }

    /// Time of the world [ns]: everything before it has happened.
    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        Ok(self.locked()?.now().as_nanos())
    }

    /// Advances the world by `by`, a duration such as "10 ms" or a number of seconds, or to the end of
    /// the scenario if that is earlier or `by` is `None`. Returns what happened since the last
    /// observation. An error closes the trace files.
    fn advance(&self, py: Python<'_>, by: Option<By>) -> PyResult<Observation> {
        let end = self.scenario.get().inner.duration;
        let by = by.map_or(Ok(end), |by| by.duration())?.min(end);
        let mut state = self.locked()?;
        let now = state.running()?.now();
        if now >= Time::ZERO + end {
            return Err(RunError::new_err(format!("the world is over: it has reached {end}")));
        }
        let until = now + by;
        loop {
            let stepped = state.running()?;
            let advanced = py.detach(|| panics::caught(|| stepped.advance(until)));
            fail_if_a_law_has(&mut state)?;
            match advanced {
                Ok(Ok(())) => break,
                Ok(Err(run::RunError::Cancelled)) => py.check_signals()?,
                Err(sentence) => {
                    state.end(Ended::Failed);
                    return Err(RunError::new_err(sentence));
                }
            }
        }
        let seen = state.running()?.observe();
        Ok(Observation { seen, counts: self.counts() })
    }

    /// Sets a key of the scenario for the rest of the run, by its dotted path and a value in TOML.
    /// Allowed are the rate, errors and queue of a station, the queue of an access point, and the
    /// rate and loss of a link. Raises `SettingError` for any other key or value.
    fn set(&self, path: &str, value: &str) -> PyResult<()> {
        let scenario = &self.scenario.get().inner;
        let target = Target::of(path, scenario)?;
        let wanted = Target::parse(scenario, path, value)?;
        let set = with!(self.locked()?.running()?, it => target.apply(it.world(), &wanted));
        set.map_err(|error| SettingError::new_err(format!("{path} = {value}: {error}")))
    }

    /// Rates that data frames from and to a station may have, ascending [bit/s].
    fn rates(&self, station: usize) -> PyResult<Vec<u64>> {
        let of = |rates: &[Rate]| rates.iter().map(|it| it.data_rate().bps()).collect();
        Ok(with!(self.locked()?.running()?, it => {
            let world = it.world();
            of(world.rates(world.station(station)))
        }))
    }

    /// Sets the rate of data frames of a station to one of its `rates`. `direction` is "up",
    /// "down" or "both".
    fn set_rate_index(&self, station: usize, direction: &str, index: usize) -> PyResult<()> {
        change!(self, world => {
            let station = world.station(station);
            match world.rates(station).get(index).copied() {
                None => Err(NotAllowed::NoSuchRate),
                Some(rate) => directions(direction)?
                    .iter()
                    .try_for_each(|direction| world.set_rate(station, *direction, rate)),
            }
        })
    }

    /// Sets the smallest and largest contention window of a member [slots]. A member is the index of
    /// a station, or -1 - c for the access point of cell c. `category` is the name of an access
    /// category; without it, all categories are set.
    #[pyo3(signature = (member, smallest, largest, category = None))]
    fn set_contention_window(
        &self,
        member: isize,
        smallest: i64,
        largest: i64,
        category: Option<&str>,
    ) -> PyResult<()> {
        let window = (narrow(smallest, WINDOWS)?, narrow(largest, WINDOWS)?);
        let category = category.map(access_category).transpose()?;
        change!(self, world => {
            world.set_contention_window(member_of(world, member), category, window)
        })
    }

    /// Sets the AIFSN of a member, as `set_contention_window`.
    #[pyo3(signature = (member, aifsn, category = None))]
    fn set_aifsn(&self, member: isize, aifsn: i64, category: Option<&str>) -> PyResult<()> {
        let aifsn: u8 = narrow(aifsn, "1 to 15")?;
        let category = category.map(access_category).transpose()?;
        change!(self, world => {
            world.set_aifsn(member_of(world, member), category, aifsn)
        })
    }

    /// Sets the TXOP limit of a member [ns], as `set_contention_window`.
    #[pyo3(signature = (member, limit_ns, category = None))]
    fn set_txop_limit(&self, member: isize, limit_ns: u64, category: Option<&str>) -> PyResult<()> {
        let category = category.map(access_category).transpose()?;
        let limit = Duration::from_nanos(limit_ns);
        change!(self, world => {
            world.set_txop_limit(member_of(world, member), category, limit)
        })
    }

    /// Sets limits of the A-MPDUs from or to a station: octets, MPDUs and time on the air [ns].
    /// `None` leaves a limit as it is.
    #[expect(clippy::too_many_arguments, reason = "options have names in Python")]
    #[pyo3(signature = (station, direction, *, octets = None, mpdus = None, duration_ns = None))]
    fn set_aggregate_limits(
        &self,
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
        change!(self, world => {
            let station = world.station(station);
            directions(direction)?
                .iter()
                .try_for_each(|it| world.set_aggregate_limits(station, *it, limits))
        })
    }

    /// Sets the weight of a station's airtime in the queue of its access point; 256 is the default.
    fn set_airtime_weight(&self, station: usize, weight: i64) -> PyResult<()> {
        let weight: u16 = narrow(weight, "1 to 65535")?;
        change!(self, world => {
            world.set_airtime_weight(world.station(station), weight)
        })
    }

    /// Sets the weights of DATA and pure ACKs in the queue of a member.
    fn set_weights(&self, member: isize, data: i64, acks: i64) -> PyResult<()> {
        const ALLOWED: &str = "weights from 1 to 4294967295 packets per round";
        let weights = Weights { data: narrow(data, ALLOWED)?, ack: narrow(acks, ALLOWED)? };
        change!(self, world => {
            world.set_weights(member_of(world, member), weights)
        })
    }

    /// Limits the window of TCP at one end of a flow, "sender" or "receiver". `unit` is `octets`,
    /// `segments`, `divide_by`, or `none` to remove the limit.
    fn set_window_limit(&self, flow: usize, end: &str, unit: &str, value: i64) -> PyResult<()> {
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
        change!(self, world => world.set_window_limit(flow, side, limit))
    }

    /// Limits the rate of TFRC at one end of a flow [bit/s]; `None` removes the limit.
    fn set_rate_limit(&self, flow: usize, end: &str, bps: Option<i64>) -> PyResult<()> {
        let bps: Option<u64> = bps.map(|it| narrow(it, "1 b/s and more")).transpose()?;
        if bps == Some(0) {
            return Err(SettingError::new_err("allowed are 1 b/s and more"));
        }
        let (flow, side, limit) = (FlowId::new(flow), side(end)?, bps.map(DataRate::from_bps));
        change!(self, world => world.set_rate_limit(flow, side, limit))
    }

    /// Starts a flow now.
    fn start_flow(&self, flow: usize) -> PyResult<()> {
        let flow = FlowId::new(flow);
        change!(self, world => world.start_flow(flow))
    }

    /// Stops a flow now.
    fn stop_flow(&self, flow: usize) -> PyResult<()> {
        let flow = FlowId::new(flow);
        change!(self, world => world.stop_flow(flow))
    }

    /// Copy of the world, which continues from the same state. A copy writes no trace files.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let mut state = self.locked()?;
        let stepped = state.running()?;
        let copied = py.detach(|| stepped.clone());
        if let Some(error) = Failure::take() {
            return Err(error);
        }
        Ok(Self {
            scenario: self.scenario.clone_ref(py),
            seed: self.seed,
            replication: self.replication,
            state: Mutex::new(State::Running(copied)),
        })
    }

    /// Ends a run that has reached its end, closes its trace files and returns its outcome.
    fn finish(&self) -> PyResult<Outcome> {
        let scenario = &self.scenario.get().inner;
        let mut state = self.locked()?;
        let (now, end) = (state.running()?.now(), scenario.duration);
        if now < Time::ZERO + end {
            let place = format!("the world has reached {now} of {end}; advance() runs to the end");
            return Err(RunError::new_err(place));
        }
        let Some(stepped) = state.end(Ended::Finished) else { unreachable!("the world runs") };
        let inner = stepped.finish().outcome(scenario, self.seed, self.replication);
        match Failure::take() {
            None => Ok(Outcome { inner }),
            Some(error) => {
                *state = State::Ended(Ended::Failed, now);
                Err(error)
            }
        }
    }

    /// Ends the run at the current time without an outcome, and closes its trace files.
    fn close(&self) -> PyResult<()> {
        self.locked()?.end(Ended::Closed);
        Ok(())
    }
}

impl World {
    /// The state, for one call at a time.
    fn locked(&self) -> PyResult<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => Err(RunError::new_err(
                "the world is in the middle of a step: allowed is one call at a time, and none from a law of the world",
            )),
        }
    }

    /// Puts laws at members: the index of a station, or -1 - c for the access point of cell c.
    fn add_laws(&self, py: Python<'_>, laws: &[(isize, Py<PyAny>)]) -> PyResult<()> {
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
            let mut state = self.locked()?;
            with!(state.running()?, it => {
                let world = it.world();
                world.add_agent(member_of(world, *member), Box::new(agent));
            });
            fail_if_a_law_has(&mut state)?;
        }
        Ok(())
    }

    /// Number of flows, stations, cells and directions of links.
    fn counts(&self) -> [usize; 4] {
        let scenario = &self.scenario.get().inner;
        let links = scenario.links.len() * 2;
        [scenario.flows.len(), scenario.stations.len(), scenario.cells.len(), links]
    }
}

/// Raises the exception of a law, after which the world cannot go on.
fn fail_if_a_law_has(state: &mut State) -> PyResult<()> {
    match Failure::take() {
        None => Ok(()),
        Some(error) => {
            state.end(Ended::Failed);
            Err(error)
        }
    }
}
