//! One run of a scenario: a pure function of (scenario, seed, replication).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use airfair_units::{Duration, Time};

use crate::build;
use crate::clock::FreeRunning;
use crate::metrics::Metrics;
use crate::outcome::Outcome;
use crate::random::Streams;
use crate::record::Recorder;
use crate::scenario::Scenario;

/// How far a run is and whether to stop: shared with the thread that shows progress.
#[derive(Debug, Default)]
pub struct Control {
    /// Simulated nanoseconds done, summed over all runs that share this.
    pub simulated_ns: AtomicU64,
    /// Set to end every run that shares this within milliseconds.
    pub cancel: AtomicBool,
}

/// Why a run ended without an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunError {
    /// [`Control::cancel`] was set. Not an error of the run.
    Cancelled,
}

/// Simulated time between two looks at [`Control`].
const STEP: Duration = Duration::from_millis(100);

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
    let metrics = Metrics::new(scenario);
    let (metrics, events) = simulate(scenario, (seed, replication), metrics, control)?;
    let outcome = metrics.finish(scenario);
    Ok(Outcome { replication, seed, events, ..outcome })
}

/// Runs `scenario` and hands every record to `recorder`; returns it with the number of events.
///
/// # Errors
/// [`RunError::Cancelled`] when `control.cancel` is set before the end.
pub fn simulate<R: Recorder>(
    scenario: &Scenario,
    (seed, replication): (u64, u32),
    recorder: R,
    control: &Control,
) -> Result<(R, u64), RunError> {
    let streams = Streams::new(seed, replication);
    let mut world = build::world(scenario, streams, recorder, FreeRunning);
    let end = Time::ZERO + scenario.duration;
    while world.now < end {
        if control.cancel.load(Ordering::Relaxed) {
            return Err(RunError::Cancelled);
        }
        let next = (world.now + STEP).min(end);
        control.simulated_ns.fetch_add((next - world.now).as_nanos(), Ordering::Relaxed);
        world.run_until(next);
    }
    world.flush();
    Ok((world.recorder, world.events))
}
