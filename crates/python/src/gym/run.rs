//! Run of one world among several, with or without a film of the channel.

use airfair_sim::clock::FreeRunning;
use airfair_sim::metrics::Metrics;
use airfair_sim::observe::Observed;
use airfair_sim::random::Streams;
use airfair_sim::run::{Finished, Simulation};
use airfair_sim::scenario::Scenario;
use airfair_trace::Film;
use airfair_trace::film::Shot;
use airfair_units::{Duration, Time};

/// Run that its owner advances in steps.
pub(crate) enum Run {
    /// Run whose channel nobody looks at, which spends no time on traces.
    Plain(Box<Simulation<Observed<()>, FreeRunning>>),
    /// Run with a film of the channel.
    Filmed(Box<Simulation<Observed<Film>, FreeRunning>>),
}

/// Evaluates an expression for the simulation of a run, with a film or without.
macro_rules! with {
    ($run:expr, $simulation:ident => $value:expr) => {
        match $run {
            Run::Plain($simulation) => $value,
            Run::Filmed($simulation) => $value,
        }
    };
}
pub(crate) use with;

impl Run {
    /// Creates the run of `scenario` at time zero. `film` is the length of the film; `None` for no film.
    pub(crate) fn new(scenario: &Scenario, seed: u64, film: Option<Duration>) -> Self {
        let streams = Streams::new(seed, 0);
        match film {
            None => {
                let recorder = Observed::new(scenario, ());
                Self::Plain(Box::new(Simulation::new(scenario, streams, recorder, FreeRunning)))
            }
            Some(span) => {
                let recorder = Observed::new(scenario, Film::new(scenario, span));
                Self::Filmed(Box::new(Simulation::new(scenario, streams, recorder, FreeRunning)))
            }
        }
    }

    /// Time of the run: everything before it has happened.
    pub(crate) fn now(&self) -> Time {
        with!(self, it => it.now())
    }

    /// Runs until the time `until`, or until the end of the scenario if that is earlier.
    pub(crate) fn advance(&mut self, until: Time) {
        let advanced = with!(self, it => it.advance(until));
        assert!(advanced.is_ok(), "a clock that runs freely never stops a run");
    }

    /// Values of an observation of the time since the last one.
    pub(crate) fn observe(&mut self) -> Vec<f64> {
        with!(self, it => it.world().observe().values)
    }

    /// Intervals that the film shows; none without a film.
    pub(crate) fn shots(&mut self) -> Vec<Shot> {
        match self {
            Self::Plain(_) => Vec::new(),
            Self::Filmed(it) => {
                let now = it.now();
                it.world().recorder().also().shots(now)
            }
        }
    }

    /// Ends the run at its current time.
    pub(crate) fn finish(self) -> Finished<Metrics> {
        with!(self, it => it.finish().map(|observed| observed.into_parts().0))
    }
}
