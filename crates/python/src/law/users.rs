//! Users of an access point's PPDUs, as laws in Python see and choose them.

use airfair_sim::coupling::users::{self, Backlog, Urgency};
use airfair_sim::world::Direction;
use airfair_wlan::{NodeId, UsersDue as Due, UsersRefused, UsersServed as Served};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::settings::SettingError;

/// Octets for which a report of more than it can express stands.  [80211-2020 §9.2.4.5.6]
const LARGE: u64 = 254 * 256;

/// Access point that has won the channel, and may send to several stations or trigger them.
#[pyclass(frozen, module = "airfair._core", get_all)]
#[derive(Debug)]
pub(crate) struct UsersDue {
    /// Direction of the data: "down" or "up".
    direction: &'static str,
    /// True if the stations are polled for their backlogs, before they are triggered for data.
    is_poll: bool,
    /// Largest number of stations in the PPDU.
    most: u16,
    /// Width of the channel [MHz].
    width_mhz: u16,
    /// Numbers of equal units into which the channel can be divided, from the most to 1.
    units: Py<PyTuple>,
    /// Station that the queue serves alone if the law chooses nobody; `None` for the uplink.
    first: Option<Py<PyString>>,
    /// Stations that may share the PPDU.
    candidates: Py<PyTuple>,
}

/// Station that may share a PPDU.
#[pyclass(frozen, module = "airfair._core", get_all)]
#[derive(Debug)]
pub(crate) struct Candidate {
    /// Name of the station.
    station: Py<PyString>,
    /// Data that wait for the station, or in it as it has reported [octets]; `None` without a report.
    octets: Option<u64>,
    /// Rate of the station's link in the whole width [bit/s].
    rate_bps: u64,
    /// Time for which the oldest packet has waited [ns]; `None` for the uplink.
    waiting_ns: Option<u64>,
    /// Kind of the packets: "voice", "video" or "other".
    urgency: &'static str,
}

/// PPDU with data whose exchange has ended.
#[pyclass(frozen, module = "airfair._core", get_all)]
#[derive(Debug)]
pub(crate) struct UsersServed {
    /// Direction of the data: "down" or "up".
    direction: &'static str,
    /// Duration of the PPDU [ns].
    duration_ns: u64,
    /// Stations with a part in it.
    stations: Py<PyTuple>,
    /// Width of each station's unit [tones]; its streams if several share all tones by MU-MIMO.
    tones: Py<PyTuple>,
    /// Data of each station that were acknowledged [octets]; `None` for a single-user PPDU.
    octets: Option<Py<PyTuple>>,
}

impl UsersDue {
    /// `due` with the names of the members of its cell.
    pub(super) fn of(py: Python<'_>, due: &Due<'_>, names: &[Py<PyString>]) -> PyResult<Self> {
        let candidates: Vec<_> = due
            .candidates()
            .map(|it| Py::new(py, Candidate::of(py, due.direction, it, names)))
            .collect::<PyResult<_>>()?;
        let units = due.splits.iter().map(|it| it.units);
        let units: Vec<u16> = units.filter(|units| *units > 0).collect();
        Ok(Self {
            direction: word(due.direction),
            is_poll: due.is_poll,
            most: due.most,
            width_mhz: due.width.mhz(),
            units: PyTuple::new(py, units)?.unbind(),
            first: due.first().map(|it| names[it.index()].clone_ref(py)),
            candidates: PyTuple::new(py, candidates)?.unbind(),
        })
    }
}

impl Candidate {
    fn of(
        py: Python<'_>,
        direction: Direction,
        candidate: &users::Candidate,
        names: &[Py<PyString>],
    ) -> Self {
        Self {
            station: names[usize::from(candidate.station)].clone_ref(py),
            octets: match candidate.backlog {
                Backlog::Unknown => None,
                Backlog::Octets(octets) => Some(octets.get()),
                Backlog::Large => Some(LARGE),
            },
            rate_bps: candidate.rate.bps(),
            waiting_ns: (direction == Direction::Down).then(|| candidate.waiting.as_nanos()),
            urgency: match candidate.urgency {
                Urgency::Voice => "voice",
                Urgency::Video => "video",
                Urgency::Other => "other",
            },
        }
    }
}

impl UsersServed {
    /// `served` with the names of the members of its cell.
    pub(super) fn of(
        py: Python<'_>,
        served: &Served<'_>,
        names: &[Py<PyString>],
    ) -> PyResult<Self> {
        let parts = || served.served.iter();
        let names = parts().map(|it| names[usize::from(it.station)].clone_ref(py));
        let octets = PyTuple::new(py, parts().map(|it| it.octets.get()).collect::<Vec<_>>())?;
        Ok(Self {
            direction: word(served.direction),
            duration_ns: served.duration.as_nanos(),
            stations: PyTuple::new(py, names.collect::<Vec<_>>())?.unbind(),
            tones: PyTuple::new(py, parts().map(|it| it.tones).collect::<Vec<_>>())?.unbind(),
            octets: (!served.is_single).then(|| octets.unbind()),
        })
    }
}

/// Stations that a law has returned from `users`.
///
/// # Errors
/// If the law has returned anything but names of stations that it may choose.
pub(super) fn chosen(
    returned: &Bound<'_, PyAny>,
    due: &Due<'_>,
    names: &[Py<PyString>],
) -> PyResult<Vec<NodeId>> {
    let py = returned.py();
    let wrong = |what: &str| Err(SettingError::new_err(format!("users: {what}")));
    let Ok(users) = returned.extract::<Vec<String>>() else {
        return Err(PyTypeError::new_err(format!(
            "users: {}: allowed are a list of names of stations, and None",
            returned.repr()?
        )));
    };
    let candidates = || due.candidates().map(|it| NodeId(it.station));
    let name_of = |it: &NodeId| names[it.index()].bind(py).to_string();
    let mut found = Vec::new();
    for user in users {
        let Some(node) = candidates().chain(due.first()).find(|it| name_of(it) == user) else {
            return wrong(&no_candidate(&user, candidates().map(|it| name_of(&it))));
        };
        found.push(node);
    }
    match due.check(&found) {
        Ok(()) => Ok(found),
        Err(UsersRefused::NoCandidate(node)) => {
            wrong(&no_candidate(&name_of(&node), candidates().map(|it| name_of(&it))))
        }
        Err(UsersRefused::Twice(node)) => {
            wrong(&format!("{:?} is in the list twice; allowed is once", name_of(&node)))
        }
        Err(UsersRefused::TooMany(most)) => {
            wrong(&format!("{} stations; allowed are at most {most} in a PPDU", found.len()))
        }
        Err(UsersRefused::Nobody) => wrong(
            "no station for a trigger frame, for which the channel is won; allowed are one and more, and None",
        ),
    }
}

fn no_candidate(user: &str, candidates: impl Iterator<Item = String>) -> String {
    let allowed: Vec<String> = candidates.map(|it| format!("{it:?}")).collect();
    format!("{user:?} is no candidate for this PPDU; allowed are {}", allowed.join(", "))
}

fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Down => "down",
        Direction::Up => "up",
    }
}
