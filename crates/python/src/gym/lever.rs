//! Levers: the settings of a world that actions change.

use airfair_sim::clock::FreeRunning;
use airfair_sim::not_allowed::NotAllowed;
use airfair_sim::packet::{FlowId, Side};
use airfair_sim::record::Member;
use airfair_sim::recorder::Recorder;
use airfair_sim::scenario::{Endpoint, Scenario};
use airfair_sim::world::{AggregateLimits, Direction, WindowLimit, World};
use airfair_units::Duration;
use airfair_wlan::Weights;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::settings::{SettingError, WINDOWS, narrow, unsettable};

/// Setting that an action changes, in all parts of a world or with a value for each station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lever {
    /// Both contention windows [slots]: one value for all stations and access points, or one for each station.
    ContentionWindow,
    /// Weights of DATA and of ACKs in the queue of each access point.
    QueueWeights,
    /// Number of the rate of the data frames to a station, in ascending order.
    RateDown,
    /// Largest window of the TCP flows that a station sends [segments].
    Window,
    /// Longest aggregate from and to a station [µs].
    AggregateLimit,
}

impl Lever {
    /// Lever with this name.
    pub(crate) fn of(name: &str) -> PyResult<Self> {
        match name {
            "contention window" => Ok(Self::ContentionWindow),
            "queue weights" => Ok(Self::QueueWeights),
            "rate down" => Ok(Self::RateDown),
            "window" => Ok(Self::Window),
            "aggregate limit" => Ok(Self::AggregateLimit),
            _ => Err(PyValueError::new_err(format!(
                "lever {name:?}: allowed are \"contention window\", \"queue weights\", \"rate down\", \"window\" and \
                 \"aggregate limit\""
            ))),
        }
    }

    /// Sets the values in a world: one for all stations or, with `by_station`, one for each.
    pub(crate) fn set<R: Recorder>(
        self,
        world: &mut World<R, FreeRunning>,
        parts: &Parts,
        by_station: bool,
        values: &[i64],
    ) -> PyResult<()> {
        let wanted = match self {
            Self::QueueWeights => 2,
            _ if by_station => parts.stations,
            _ => 1,
        };
        if values.len() != wanted {
            let found = values.len();
            return Err(PyValueError::new_err(format!("{found} values: allowed are {wanted}")));
        }
        let of = |station: usize| values[if by_station { station } else { 0 }];
        let mut stations = 0..parts.stations;
        match self {
            Self::ContentionWindow => {
                stations.try_for_each(|it| set_window(world, world.station(it), of(it)))?;
                let mut cells = 0..if by_station { 0 } else { parts.cells };
                cells.try_for_each(|it| set_window(world, world.access_point(it), of(0)))
            }
            Self::QueueWeights => {
                let weights = Weights { data: positive(values[0])?, ack: positive(values[1])? };
                let mut cells = 0..parts.cells;
                let set =
                    cells.try_for_each(|it| world.set_weights(world.access_point(it), weights));
                set.map_err(unsettable)
            }
            Self::RateDown => stations.try_for_each(|it| {
                let station = world.station(it);
                let rate = usize::try_from(of(it)).ok().and_then(|at| world.rates(station).get(at));
                let rate = rate.copied().ok_or(NotAllowed::NoSuchRate);
                rate.and_then(|rate| world.set_rate(station, Direction::Down, rate))
                    .map_err(unsettable)
            }),
            Self::Window => parts.uploads.iter().try_for_each(|(flow, station)| {
                let limit = WindowLimit::Segments(positive(of(*station))?);
                world.set_window_limit(*flow, Side::Sender, limit).map_err(unsettable)
            }),
            Self::AggregateLimit => stations.try_for_each(|it| {
                let duration = Duration::from_micros(positive(of(it))?.into());
                let limits = AggregateLimits { duration: Some(duration), ..Default::default() };
                let station = world.station(it);
                let mut ways = [Direction::Up, Direction::Down].into_iter();
                ways.try_for_each(|way| world.set_aggregate_limits(station, way, limits))
                    .map_err(unsettable)
            }),
        }
    }
}

fn set_window<R: Recorder>(
    world: &mut World<R, FreeRunning>,
    of: Member,
    window: i64,
) -> PyResult<()> {
    let window = narrow(window, WINDOWS)?;
    world.set_contention_window(of, None, (window, window)).map_err(unsettable)
}

fn positive(value: i64) -> PyResult<u32> {
    const ALLOWED: &str = "1 to 4294967295";
    match narrow(value, ALLOWED)? {
        0 => Err(SettingError::new_err(format!("0: allowed are {ALLOWED}"))),
        value => Ok(value),
    }
}

/// Parts of a world that have settings.
#[derive(Debug)]
pub(crate) struct Parts {
    stations: usize,
    cells: usize,
    /// Flows that stations send, each with its station.
    uploads: Vec<(FlowId, usize)>,
}

impl Parts {
    /// Parts of the world of a scenario.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let uploads = scenario.flows.iter().enumerate().filter_map(|(flow, it)| match it.from {
            Endpoint::Station(station) => Some((FlowId::new(flow), station)),
            Endpoint::Host(_) => None,
        });
        Self {
            stations: scenario.stations.len(),
            cells: scenario.cells.len(),
            uploads: uploads.collect(),
        }
    }
}
