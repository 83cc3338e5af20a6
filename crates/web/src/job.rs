//! One run for the page, from the request to its document.

use airfair_sim::clock::FreeRunning;
use airfair_sim::metrics::Metrics;
use airfair_sim::random::Streams;
use airfair_sim::run::Simulation;
use airfair_sim::scenario::{Driver, Scenario};
use airfair_trace::selection::LONGEST_FRAME;
use airfair_units::Time;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::channel::Channel;
use crate::collisions::Collisions;
use crate::document::{self, VERSION};

/// Request of a page for a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Text of the scenario file.
    pub scenario: String,
    /// Time span of which all frames are wanted; `None` for the results of the whole run.
    pub channel: Option<TimeSpan>,
}

/// Time span within a run, of which all frames are wanted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeSpan {
    /// Start of the span [ns].
    pub from_ns: u64,
    /// End of the span [ns].
    pub to_ns: u64,
}

/// Run of a scenario that a web page has asked for, in progress.
#[derive(Debug)]
pub struct Job {
    scenario: Box<Scenario>,
    goal: Goal,
}

/// Document that a web page has asked for, with the simulation that produces it: the results of a
/// whole run, or all frames of a time span.
#[derive(Debug)]
enum Goal {
    Figures(Box<Simulation<(Metrics, Collisions), FreeRunning>>),
    Channel { simulation: Box<Simulation<Channel, FreeRunning>>, until: Time },
}

impl Job {
    /// Opens the run that `request`, a JSON text, asks for.
    ///
    /// # Errors
    /// Returns the mistakes in the scenario, one line each.
    pub fn open(request: &[u8]) -> Result<Self, Vec<String>> {
        let request: Request = serde_json::from_slice(request)
            .map_err(|error| vec![format!("the page asks for what it should not: {error}")])?;
        let mut no_file = |_: &str| Err("a page cannot read files".to_owned());
        let scenario = Scenario::load(request.scenario.as_bytes(), &[], &mut no_file, Driver::Run)
            .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        let streams = Streams::new(scenario.seed, 0);
        let goal = match request.channel {
            None => {
                let recorder = (Metrics::new(&scenario), Collisions::default());
                let simulation = Simulation::new(&scenario, streams, recorder, FreeRunning);
                Goal::Figures(Box::new(simulation))
            }
            Some(TimeSpan { from_ns, to_ns }) => {
                let end = scenario.duration.as_nanos();
                let [from, to] = [from_ns, to_ns].map(|ns| Time::from_nanos(ns.min(end)));
                let recorder = Channel::new(&scenario, from, to.max(from));
                let simulation = Simulation::new(&scenario, streams, recorder, FreeRunning);
                let until = (to + LONGEST_FRAME).min(Time::from_nanos(end));
                Goal::Channel { simulation: Box::new(simulation), until }
            }
        };
        Ok(Self { scenario: Box::new(scenario), goal })
    }

    /// First reply to the web page that has asked for this run: the simulated time at which the run
    /// ends.
    pub fn describe(&self) -> Value {
        let until = match &self.goal {
            Goal::Figures(_) => self.scenario.duration.as_nanos(),
            Goal::Channel { until, .. } => until.as_nanos(),
        };
        json!({ "version": VERSION, "until_ns": until })
    }

    /// Advances the run, but not beyond `until`. Returns the time up to which all events have
    /// happened.
    pub fn advance(&mut self, until: Time) -> Time {
        const FREE: &str = "a clock that runs freely has no input";
        match &mut self.goal {
            Goal::Figures(simulation) => {
                simulation.advance(until).expect(FREE);
                simulation.now()
            }
            Goal::Channel { simulation, until: last } => {
                simulation.advance(until.min(*last)).expect(FREE);
                simulation.now()
            }
        }
    }

    /// Ends the run, and returns its document.
    pub fn finish(self) -> Value {
        let Self { scenario, goal } = self;
        match goal {
            Goal::Figures(simulation) => {
                let mut finished = simulation.finish();
                let collisions = std::mem::take(&mut finished.recorder.1);
                let outcome =
                    finished.map(|(metrics, _)| metrics).outcome(&scenario, scenario.seed, 0);
                document::figures(&scenario, &outcome, &collisions)
            }
            Goal::Channel { simulation, .. } => simulation.finish().recorder.document(&scenario),
        }
    }
}
