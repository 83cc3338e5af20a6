//! Limits of a sender's rate, as lines of standard input say them while it sends.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use airfair_units::DataRate;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A limit, or the mistake of a line.
type Said = Result<DataRate, String>;

/// Whatever standard input says, read by a thread of its own, which ends with it or with the process.
pub(super) struct Limits(Receiver<Said>);

impl Limits {
    /// Limits of a sender that sends no faster than at `highest` in any case.
    pub(super) fn of_standard_input(highest: DataRate) -> io::Result<Self> {
        let (said, lines) = channel();
        let read = move || read(highest, &said);
        thread::Builder::new().name("limits".to_owned()).spawn(read)?;
        Ok(Self(lines))
    }

    /// The newest limit, if one was said since the last call. When nobody says any more the last one stays.
    ///
    /// # Errors
    /// `ValueError` for a line that says none.
    pub(super) fn poll(&mut self) -> PyResult<Option<DataRate>> {
        let newest = self.0.try_iter().reduce(Result::and);
        newest.transpose().map_err(PyValueError::new_err)
    }
}

fn read(highest: DataRate, said: &Sender<Said>) {
    for (number, line) in (1..).zip(io::stdin().lines()) {
        let limit = line.map_err(|error| error.to_string());
        let limit = limit.and_then(|line| limit_in(line.trim(), highest));
        let limit = limit.map_err(|why| format!("--limits, line {number}: {why}"));
        let is_wrong = limit.is_err();
        // Nobody listens once the flow is over, nor behind a mistake.
        if said.send(limit).is_err() || is_wrong {
            return;
        }
    }
}

fn limit_in(line: &str, highest: DataRate) -> Said {
    if line == "none" {
        return Ok(highest);
    }
    let limit: Result<DataRate, _> = line.parse();
    let limit = limit.map_err(|why| format!("{line:?}: allowed is \"none\" or a rate: {why}"))?;
    Ok(limit.min(highest))
}
