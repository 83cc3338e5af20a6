//! Settings of worlds: paths of a scenario, names and numbers from Python, and the error for those that are refused.

use airfair_sim::clock::Clock;
use airfair_sim::link::LinkId;
use airfair_sim::not_allowed::NotAllowed;
use airfair_sim::packet::Side;
use airfair_sim::record::Member;
use airfair_sim::recorder::Recorder;
use airfair_sim::scenario as sim;
use airfair_sim::world::{self as sim_world, Direction};
use airfair_wlan::edca::AccessCategory;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    airfair._core,
    SettingError,
    PyValueError,
    "A setting cannot be changed during the run, or not to this value."
);

/// Part of a scenario that can be set during a run, such as the rate of a station.
pub(crate) enum Target {
    /// Rate of data frames from a station, to it, or both.
    Rate(usize, &'static [Direction]),
    Errors(usize),
    StationQueue(usize),
    AccessPointQueue(usize),
    LinkRate(usize),
    /// Loss of both directions of a link.
    Loss(usize),
}

impl Target {
    /// Part of the scenario that a dotted path names, such as `station.NAME.rate`. Only some keys can be set during a
    /// run.
    pub(crate) fn of(path: &str, scenario: &sim::Scenario) -> PyResult<Self> {
        let keys: Vec<&str> = path.split('.').collect();
        let station = |name: &str| scenario.stations.iter().position(|it| it.name == name);
        let cell = |name: &str| scenario.cells.iter().position(|it| it.name == name);
        let link = |name: &str| scenario.links.iter().position(|it| it.name == name);
        let found = match keys[..] {
            ["station", name, "rate"] => {
                station(name).map(|it| Self::Rate(it, &[Direction::Up, Direction::Down]))
            }
            ["station", name, "rate", "up"] => {
                station(name).map(|it| Self::Rate(it, &[Direction::Up]))
            }
            ["station", name, "rate", "down"] => {
                station(name).map(|it| Self::Rate(it, &[Direction::Down]))
            }
            ["station", name, "errors"] => station(name).map(Self::Errors),
            ["station", name, "queue"] => station(name).map(Self::StationQueue),
            ["bss", name, "ap", "queue"] => cell(name).map(Self::AccessPointQueue),
            ["link", name, "rate"] | ["host", name, "link", "rate"] => {
                link(name).map(Self::LinkRate)
            }
            ["link", name, "loss"] | ["host", name, "link", "loss"] => link(name).map(Self::Loss),
            _ => {
                return Err(SettingError::new_err(format!(
                    "{path}: this key cannot change during a run; allowed are station.NAME.rate, \
                     station.NAME.errors, station.NAME.queue, bss.NAME.ap.queue, host.NAME.link.rate, \
                     host.NAME.link.loss, link.NAME.rate and link.NAME.loss"
                )));
            }
        };
        found.ok_or_else(|| SettingError::new_err(format!("{path}: no {} has this name", keys[0])))
    }

    /// The scenario with the key at `path` set to `value`, which is TOML.
    pub(crate) fn parse(
        scenario: &sim::Scenario,
        path: &str,
        value: &str,
    ) -> PyResult<sim::Scenario> {
        let text = scenario.to_toml();
        // A rate of one direction is given as the rate of both, of which one is applied.
        let key = path.strip_suffix(".up").or(path.strip_suffix(".down")).unwrap_or(path);
        let overrides = [(key.to_owned(), value.to_owned())];
        let mut no_file = |_: &str| Err("a setting cannot refer to a file".to_owned());
        let driver = sim::Driver::Emulation;
        sim::Scenario::load(text.as_bytes(), &overrides, &mut no_file, driver).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            SettingError::new_err(problems.join("\n"))
        })
    }

    /// Sets this part of the running world to its value in the scenario `wanted`.
    pub(crate) fn apply<R: Recorder, C: Clock>(
        &self,
        world: &mut sim_world::World<R, C>,
        wanted: &sim::Scenario,
    ) -> Result<(), NotAllowed> {
        match *self {
            Self::Rate(index, directions) => {
                let (of, station) = (&wanted.stations[index], world.station(index));
                directions.iter().try_for_each(|direction| {
                    let schedule = match direction {
                        Direction::Up => &of.rate_up,
                        Direction::Down => &of.rate_down,
                    };
                    let [(_, rate)] = schedule[..] else {
                        return Err(NotAllowed::OutOfRange(
                            "allowed is one rate; a schedule is set step by step",
                        ));
                    };
                    world.set_rate(station, *direction, rate)
                })
            }
            Self::Errors(index) => {
                world.set_errors(world.station(index), wanted.stations[index].errors)
            }
            Self::StationQueue(index) => {
                world.set_queue(world.station(index), wanted.stations[index].queue)
            }
            Self::AccessPointQueue(index) => {
                world.set_queue(world.access_point(index), wanted.cells[index].ap.queue)
            }
            Self::LinkRate(index) => {
                for link in [LinkId::forth(index), LinkId::forth(index).reversed()] {
                    world.set_link_rate(link, wanted.links[index].rate);
                }
                Ok(())
            }
            Self::Loss(index) => {
                let [forth, back] = wanted.links[index].loss;
                world.set_loss(LinkId::forth(index), forth);
                world.set_loss(LinkId::forth(index).reversed(), back);
                Ok(())
            }
        }
    }
}

/// Member with this number: a station's index, or -1 - c for the access point of cell c.
pub(crate) fn member_of<R: Recorder, C: Clock>(
    world: &sim_world::World<R, C>,
    number: isize,
) -> Member {
    match usize::try_from(number) {
        Ok(station) => world.station(station),
        Err(_) => world.access_point(number.unsigned_abs() - 1),
    }
}

pub(crate) fn directions(word: &str) -> PyResult<&'static [Direction]> {
    match word {
        "up" => Ok(&[Direction::Up]),
        "down" => Ok(&[Direction::Down]),
        "both" => Ok(&[Direction::Up, Direction::Down]),
        _ => Err(SettingError::new_err(format!(
            "direction {word:?}: allowed are \"up\", \"down\" and \"both\""
        ))),
    }
}

pub(crate) fn side(word: &str) -> PyResult<Side> {
    match word {
        "sender" => Ok(Side::Sender),
        "receiver" => Ok(Side::Receiver),
        _ => Err(SettingError::new_err(format!(
            "end {word:?}: allowed are \"sender\" and \"receiver\""
        ))),
    }
}

pub(crate) fn access_category(word: &str) -> PyResult<AccessCategory> {
    let found = AccessCategory::ALL.into_iter().find(|it| it.to_string() == word.replace('_', " "));
    found.ok_or_else(|| {
        SettingError::new_err(format!(
            "access category {word:?}: allowed are \"background\", \"best_effort\", \"video\" and \"voice\""
        ))
    })
}

/// Allowed contention windows, in words.
pub(crate) const WINDOWS: &str = "windows from 0 to 32767";

/// Converts a number from Python; `allowed` describes the allowed values in the error message.
pub(crate) fn narrow<T: TryFrom<i64>>(value: i64, allowed: &str) -> PyResult<T> {
    let error = |_| SettingError::new_err(format!("{value}: allowed are {allowed}"));
    T::try_from(value).map_err(error)
}

pub(crate) fn unsettable(error: NotAllowed) -> PyErr {
    SettingError::new_err(error.to_string())
}
