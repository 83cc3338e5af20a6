//! Run that advances in steps, with a consumer of traces or without.

use airfair_sim::clock::Clock;
use airfair_sim::metrics::Metrics;
use airfair_sim::observe::{Observation, Observed};
use airfair_sim::random::Streams;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{RunError, Simulation};
use airfair_sim::scenario::Scenario;
use airfair_sim::world::Finished;
use airfair_units::Time;

/// Run that advances in steps. Traces go to a consumer `W`; without one, the run spends no time on them.
#[derive(Clone)]
pub(crate) enum Stepped<W, C> {
    Plain(Box<Simulation<Observed<()>, C>>),
    Traced(Box<Simulation<Observed<W>, C>>),
}

/// Evaluates an expression for the simulation of a run, with a consumer of traces or without.
macro_rules! with {
    ($stepped:expr, $simulation:ident => $value:expr) => {
        match $stepped {
            $crate::stepped::Stepped::Plain($simulation) => $value,
            $crate::stepped::Stepped::Traced($simulation) => $value,
        }
    };
}
pub(crate) use with;

impl<W: Recorder, C: Clock> Stepped<W, C> {
    /// Creates a run of `scenario` at time zero.
    pub(crate) fn new(scenario: &Scenario, streams: Streams, traces: Option<W>, clock: C) -> Self {
        match traces {
            None => {
                let recorder = Observed::new(scenario, ());
                Self::Plain(Box::new(Simulation::new(scenario, streams, recorder, clock)))
            }
            Some(traces) => {
                let recorder = Observed::new(scenario, traces);
                Self::Traced(Box::new(Simulation::new(scenario, streams, recorder, clock)))
            }
        }
    }

    /// Time of the run: everything before it has happened.
    pub(crate) fn now(&self) -> Time {
        with!(self, it => it.now())
    }

    /// Runs until the time `until`, or until the end of the scenario if that is earlier.
    ///
    /// # Errors
    /// [`RunError::Cancelled`] when the clock reports input.
    pub(crate) fn advance(&mut self, until: Time) -> Result<(), RunError> {
        with!(self, it => it.advance(until))
    }

    /// Activity since the last observation.
    pub(crate) fn observe(&mut self) -> Observation {
        with!(self, it => it.world().observe())
    }

    /// Consumer of the traces; `None` without one.
    pub(crate) fn traces(&mut self) -> Option<&W> {
        match self {
            Self::Plain(_) => None,
            Self::Traced(it) => Some(it.world().recorder().also()),
        }
    }

    /// Ends the run at the current time. The consumer of traces is dropped.
    pub(crate) fn finish(self) -> Finished<Metrics> {
        with!(self, it => it.finish().map(|observed| observed.into_parts().0))
    }
}
