//! One run of a scenario: a pure function of (scenario, seed, replication).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use airfair_units::{Duration, Time};

use crate::clock::{Clock, Woken};
use crate::metrics::Metrics;
use crate::outcome::Outcome;
use crate::random::Streams;
use crate::recorder::Recorder;
use crate::scenario::Scenario;
use crate::world::{Finished, Pause, World};

/// State that a run shares with the thread that shows its progress or cancels it.
#[derive(Debug, Default)]
pub struct Control {
    /// Simulated time so far, summed over all runs that share this [ns].
    pub simulated_ns: AtomicU64,
    /// Set to true, cancels within milliseconds every run that shares this control.
    pub cancel: AtomicBool,
}

/// Reason for which a run ended without an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunError {
    /// [`Control::cancel`] was set. This is not an error of the run.
    Cancelled,
}

/// Number of events between two checks of [`Control`]. They take about a millisecond of wall-clock time, however many
/// events a simulated millisecond has.
const EVENTS: u32 = 4096;
/// Number of stations with which the checks of [`Control`] are twice as frequent as with none. In a cell with a radio,
/// the time to process a frame grows with the number of stations.
const STATIONS: usize = 16;

/// Clock that runs as fast as possible, and stops when its [`Control`] is cancelled.
struct Controlled<'c> {
    control: &'c Control,
    /// Number of simulated events between two looks at [`Control`], by which another thread may cancel the run.
    events: u32,
    /// Number of simulated events before the next look at [`Control`].
    left: u32,
    /// Simulated time up to which the clock has added its progress to [`Control`].
    told: Time,
}

impl Controlled<'_> {
    #[cold]
    fn look(&mut self, now: Time) -> Woken {
        self.left = self.events;
        self.control.simulated_ns.fetch_add((now - self.told).as_nanos(), Ordering::Relaxed);
        self.told = now;
        let is_cancelled = self.control.cancel.load(Ordering::Relaxed);
        if is_cancelled { Woken::Input } else { Woken::Due }
    }
}

impl Clock for Controlled<'_> {
    #[inline]
    fn wait_until(&mut self, at: Time) -> Woken {
        if self.left == 0 {
            return self.look(at);
        }
        self.left -= 1;
        Woken::Due
    }
}

/// A run that its owner advances in steps of any length. The records do not depend on the steps.
#[derive(Clone, Debug)]
pub struct Simulation<R, C> {
    world: World<R, C>,
    end: Time,
    /// Length of a step of the time series; `None` for no time series.
    step: Option<Duration>,
    /// End of the current step of the time series; `None` for no time series.
    next_sample: Option<Time>,
}

impl<R: Recorder, C: Clock> Simulation<R, C> {
    /// Creates a run of `scenario` at time zero.
    pub fn new(scenario: &Scenario, streams: Streams, recorder: R, clock: C) -> Self {
        Self::of(scenario, World::new(scenario, streams, recorder, clock))
    }

    fn of(scenario: &Scenario, world: World<R, C>) -> Self {
        let step = scenario.series_step;
        Self {
            world,
            end: Time::ZERO + scenario.duration,
            step,
            next_sample: step.map(|step| Time::ZERO + step),
        }
    }

    /// Simulated time of the run: everything before this time has happened.
    pub fn now(&self) -> Time {
        self.world.now()
    }

    /// World of the run, for observations and for changes of settings.
    pub fn world(&mut self) -> &mut World<R, C> {
        &mut self.world
    }

    /// Runs until the time `until`, or until the end of the scenario if that is earlier.
    ///
    /// # Errors
    /// [`RunError::Cancelled`] when the clock reports input.
    pub fn advance(&mut self, until: Time) -> Result<(), RunError> {
        let until = until.min(self.end);
        while self.now() < until {
            let due = self.next_sample.unwrap_or(until).min(until);
            match self.world.advance(due) {
                Pause::Reached => {}
                Pause::Input => return Err(RunError::Cancelled),
                Pause::Output => unreachable!("nobody has put a packet into this world"),
            }
            if let (Some(next), Some(step)) = (&mut self.next_sample, self.step)
                && *next == due
                && due < self.end
            {
                self.world.sample();
                *next += step;
            }
        }
        Ok(())
    }

    /// Ends the run at the current time, and accounts for everything that is still in progress.
    pub fn finish(mut self) -> Finished<R> {
        self.world.flush();
        if self.next_sample.is_some() {
            self.world.sample();
        }
        self.world.into_finished()
    }
}

/// Runs replication `replication` of `scenario` under `seed`.
///
/// # Errors
/// [`RunError::Cancelled`] when `control.cancel` is set before the end.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    replication: u32,
    control: &Control,
) -> Result<Outcome, RunError> {
    let streams = Streams::new(seed, replication);
    let finished = simulate(scenario, streams, Metrics::new(scenario), control)?;
    Ok(finished.outcome(scenario, seed, replication))
}

/// Runs replication `replication` of `scenario` under `seed` as [`run`] does, and also passes every record to
/// `witness`.
///
/// # Errors
/// As [`run`].
pub fn run_with<R: Recorder>(
    scenario: &Scenario,
    seed: u64,
    replication: u32,
    witness: &mut R,
    control: &Control,
) -> Result<Outcome, RunError> {
    let streams = Streams::new(seed, replication);
    let both = (Metrics::new(scenario), witness);
    let finished = simulate(scenario, streams, both, control)?.map(|(metrics, _)| metrics);
    Ok(finished.outcome(scenario, seed, replication))
}

/// Runs `scenario` and passes every record to `recorder`.
///
/// # Errors
/// [`RunError::Cancelled`] when `control.cancel` is set before the end.
pub fn simulate<R: Recorder>(
    scenario: &Scenario,
    streams: Streams,
    recorder: R,
    control: &Control,
) -> Result<Finished<R>, RunError> {
    let shorter = u32::try_from(scenario.stations.len() / STATIONS).unwrap_or(EVENTS);
    let events = EVENTS / (1 + shorter);
    let clock = Controlled { control, events, left: 0, told: Time::ZERO };
    let world = World::new_unless(&control.cancel, scenario, streams, (recorder, clock));
    let mut simulation = Simulation::of(scenario, world.ok_or(RunError::Cancelled)?);
    let end = simulation.end;
    simulation.advance(end)?;
    // Reports the remaining progress. A cancellation has no effect any more.
    let _ = simulation.world.clock().look(end);
    Ok(simulation.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FreeRunning;

    #[test]
    fn no_world_is_built_once_a_run_is_cancelled() {
        let radio = r#"radio = { propagation = { model = "log-distance", exponent = 3 } }"#;
        for (radio, place) in [("", ""), (radio, r#"position = ["5 m", "0 m"]"#)] {
            let text = format!(
                r#"duration = "1 s"
                [bss.home]
                standard = "802.11g"
                {radio}
                [station.s]
                rate = "54 Mb/s"
                {place}
                [host.h]
                [flow.f]
                from = "s"
                to = "h"
                transport = {{ kind = "tcp" }}"#
            );
            let scenario = Scenario::parse(&text, &[]).expect("a scenario");
            let built = |cancelled: bool| {
                let cancel = std::sync::atomic::AtomicBool::new(cancelled);
                World::new_unless(&cancel, &scenario, Streams::new(1, 0), ((), FreeRunning))
                    .is_some()
            };
            assert_eq!([built(false), built(true)], [true, false]);
        }
    }
}
