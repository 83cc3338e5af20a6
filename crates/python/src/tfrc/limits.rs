//! Rate limits of a sender, read from lines of standard input while it sends.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use airfair_units::DataRate;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Rate limit from a line of standard input, or the error in the line.
type ParsedLimit = Result<DataRate, String>;

/// Reader of rate limits from standard input. Its thread ends with the input or with the process.
pub(super) struct RateLimits(Receiver<ParsedLimit>);

impl RateLimits {
    /// Starts to read rate limits from standard input. A higher limit, or none, counts as
    /// `highest`.
    pub(super) fn of_standard_input(highest: DataRate) -> io::Result<Self> {
        let (sender, limits) = channel();
        let read = move || read(highest, &sender);
        thread::Builder::new().name("limits".to_owned()).spawn(read)?;
        Ok(Self(limits))
    }

    /// Newest rate limit that was read since the last call; `None` if no line was read. At the end
    /// of the input the last limit stays.
    ///
    /// # Errors
    /// Raises `ValueError` for a malformed line.
    pub(super) fn poll(&mut self) -> PyResult<Option<DataRate>> {
        let newest = self.0.try_iter().reduce(Result::and);
        newest.transpose().map_err(PyValueError::new_err)
    }
}

fn read(highest: DataRate, sender: &Sender<ParsedLimit>) {
    for (number, line) in (1..).zip(io::stdin().lines()) {
        let limit = line.map_err(|error| error.to_string());
        let limit = limit.and_then(|line| limit_in(line.trim(), highest));
        let limit = limit.map_err(|why| format!("--limits, line {number}: {why}"));
        let is_wrong = limit.is_err();
        // The receiver is gone once the flow has ended, and no line is read after an error.
        if sender.send(limit).is_err() || is_wrong {
            return;
        }
    }
}

fn limit_in(line: &str, highest: DataRate) -> ParsedLimit {
    if line == "none" {
        return Ok(highest);
    }
    let limit: Result<DataRate, _> = line.parse();
    let limit = limit.map_err(|why| format!("{line:?}: allowed is \"none\" or a rate: {why}"))?;
    Ok(limit.min(highest))
}
