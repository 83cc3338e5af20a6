//! One run of a scenario: a pure function of (scenario, seed, replication).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use airfair_units::{Duration, Time};

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
/// Each time so many stations more make the time between two looks shorter: a frame over a radio takes time that grows with them.
const STATIONS: usize = 16;

/// As fast as possible, until a [`Control`] says otherwise.
struct Controlled<'c> {
    control: &'c Control,
    /// Events between two looks.
    events: u32,
    /// Events before the next look.
    left: u32,
    /// Time up to which the control knows of the run.
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

impl<R> Finished<R> {
    /// The same with a part of its recorder.
    pub fn map<S>(self, part: impl FnOnce(R) -> S) -> Finished<S> {
        let Self { recorder, events, in_flight, outputs } = self;
        Finished { recorder: part(recorder), events, in_flight, outputs }
    }
}

impl Finished<Metrics> {
    /// The figures of a run that was replication `replication` of `scenario` under `seed`.
    pub fn outcome(self, scenario: &Scenario, seed: u64, replication: u32) -> Outcome {
        let mut outcome = self.recorder.finish(scenario);
        for (flow, in_flight) in outcome.flows.iter_mut().zip(self.in_flight) {
            flow.packets_in_flight = in_flight;
        }
        Outcome { replication, seed, events: self.events, ..outcome }
    }
}

/// A run that its owner lets go on, as far at a time as it likes: its records do not depend on that.
#[derive(Debug)]
pub struct Simulation<R, C> {
    world: World<R, C>,
    end: Time,
    /// Step of the time series.
    step: Option<Duration>,
    /// End of the step that is under way.
    next_sample: Option<Time>,
}

impl<R: Recorder, C: Clock> Simulation<R, C> {
    /// A run of `scenario` at its start.
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

    /// Time up to which everything has happened.
    pub fn now(&self) -> Time {
        self.world.now()
    }

    /// Lets everything happen that happens before `until` and before the end.
    ///
    /// # Errors
    /// [`RunError::Cancelled`] when the clock has input.
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

    /// Ends the run at this time: accounts for all that is still under way.
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
    let finished = simulate(scenario, streams, both, control)?.map(|(metrics, _)| metrics);
    Ok(finished.outcome(scenario, seed, replication))
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
    let shorter = u32::try_from(scenario.stations.len() / STATIONS).unwrap_or(EVENTS);
    let events = EVENTS / (1 + shorter);
    let clock = Controlled { control, events, left: 0, told: Time::ZERO };
    let world = World::new_unless(&control.cancel, scenario, streams, (recorder, clock));
    let mut simulation = Simulation::of(scenario, world.ok_or(RunError::Cancelled)?);
    let end = simulation.end;
    simulation.advance(end)?;
    // The control learns of the rest, and has no more to say.
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
