//! End of a run, with its recorder.

use super::Output;
use crate::metrics::Metrics;
use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// Result of a run that has reached its end.
#[derive(Debug)]
pub struct Finished<R> {
    /// Consumer of the run's records.
    pub recorder: R,
    /// Number of events of the run.
    pub events: u64,
    /// Packets of each flow's sender that were sent after the warm-up and have not arrived.
    pub in_flight: Vec<u64>,
    /// Outputs that the owner has not polled, among them one for each external packet that was still in the world.
    pub outputs: Vec<Output>,
}

impl<R> Finished<R> {
    /// Replaces the recorder by the result of `part`, such as the recorder's figures.
    pub fn map<S>(self, part: impl FnOnce(R) -> S) -> Finished<S> {
        let Self { recorder, events, in_flight, outputs } = self;
        Finished { recorder: part(recorder), events, in_flight, outputs }
    }
}

impl Finished<Metrics> {
    /// Results of the run, which was replication `replication` of `scenario` under `seed`.
    pub fn outcome(self, scenario: &Scenario, seed: u64, replication: u32) -> Outcome {
        let mut outcome = self.recorder.finish(scenario);
        for (flow, in_flight) in outcome.flows.iter_mut().zip(self.in_flight) {
            flow.packets_in_flight = in_flight;
        }
        Outcome { replication, seed, events: self.events, ..outcome }
    }
}
