//! One run of a scenario: a pure function of (scenario, seed, replication).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use airfair_units::Time;

use crate::clock::{Clock, Woken};
use crate::metrics::Metrics;
use crate::outcome::Outcome;
use crate::random::Streams;
use crate::record::Recorder;
use crate::scenario::Scenario;
use crate::world::{Output, Pause, World};

/// Progress of a run, and the wish to stop it: shared with the thread that shows progress.
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

/// Events between two looks at [`Control`]: about a millisecond, however much happens in a simulated one.
const EVENTS: u32 = 4096;

/// As fast as possible, until a [`Control`] says otherwise.
struct Controlled<'c> {
    control: &'c Control,
    /// Events before the next look.
    left: u32,
    /// Time up to which the control knows of the run.
    told: Time,
}

impl Controlled<'_> {
    #[cold]
    fn look(&mut self, now: Time) -> Woken {
        self.left = EVENTS;
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

/// A run that has come to its end.
#[derive(Debug)]
pub struct Finished<R> {
    /// The consumer of its records.
    pub recorder: R,
    /// Events processed.
    pub events: u64,
    /// Packets of each flow's sender, sent after the warm-up, that are still under way.
    pub in_flight: Vec<u64>,
    /// Outputs that its owner had not fetched, and each handle that was still in the world.
    pub outputs: Vec<Output>,
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
    Ok(Outcome { replication, seed, ..outcome(finished, scenario) })
}

/// Runs replication `replication` of `scenario` under `seed` as [`run`] does, and hands every record to `witness` as
/// well.
///
/// # Errors
/// As [`run`] does.
pub fn run_with<R: Recorder>(
    scenario: &Scenario,
    seed: u64,
    replication: u32,
    witness: &mut R,
    control: &Control,
) -> Result<Outcome, RunError> {
    let streams = Streams::new(seed, replication);
    let both = (Metrics::new(scenario), witness);
    let Finished { recorder: (recorder, _), events, in_flight, outputs } =
        simulate(scenario, streams, both, control)?;
    let finished = Finished { recorder, events, in_flight, outputs };
    Ok(Outcome { replication, seed, ..outcome(finished, scenario) })
}

/// The figures of a run that is over.
fn outcome(finished: Finished<Metrics>, scenario: &Scenario) -> Outcome {
    let mut outcome = finished.recorder.finish(scenario);
    for (flow, in_flight) in outcome.flows.iter_mut().zip(finished.in_flight) {
        flow.packets_in_flight = in_flight;
    }
    Outcome { events: finished.events, ..outcome }
}

/// Runs `scenario` and hands every record to `recorder`.
///
/// # Errors
/// [`RunError::Cancelled`] when `control.cancel` is set before the end.
pub fn simulate<R: Recorder>(
    scenario: &Scenario,
    streams: Streams,
    recorder: R,
    control: &Control,
) -> Result<Finished<R>, RunError> {
    let mut world =
        World::new(scenario, streams, recorder, Controlled { control, left: 0, told: Time::ZERO });
    let end = Time::ZERO + scenario.duration;
    let mut next_sample = scenario.series_step.map(|step| Time::ZERO + step);
    while world.now() < end {
        let due = next_sample.unwrap_or(end).min(end);
        match world.advance(due) {
            Pause::Reached => {}
            Pause::Input => return Err(RunError::Cancelled),
            Pause::Output => unreachable!("nobody has put a packet into this world"),
        }
        if let (Some(due), Some(step)) = (&mut next_sample, scenario.series_step)
            && *due < end
        {
            world.sample();
            *due += step;
        }
    }
    // The control learns of the rest, and has no more to say.
    let _ = world.clock().look(end);
    world.flush();
    if next_sample.is_some() {
        world.sample();
    }
    Ok(world.into_finished())
}
