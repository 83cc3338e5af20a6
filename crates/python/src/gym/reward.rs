//! Rewards of learners.

use airfair_sim::scenario::Scenario;
use airfair_units::Time;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Aim for which a learner is rewarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reward {
    /// Goodput of all flows.
    Goodput,
    /// Proportional fairness: the geometric mean of the goodputs of the open flows, times their number. It is the
    /// goodput of all if they have equal shares, less if not, and zero if one has nothing.
    FairGoodput,
    /// Goodput of all flows, where the mean delay of each UDP flow is at most `DELAY_BUDGET_MS`. If the largest of these
    /// delays is k times the budget, goodput counts a k-th, and nothing if no packet arrives of a flow that sends some.
    TimelyGoodput,
}

/// Delay that is allowed to UDP flows [ms].  [saldana-2021]
pub(crate) const DELAY_BUDGET_MS: f64 = 4.0;

impl Reward {
    /// Reward with this name.
    pub(crate) fn of(name: &str) -> PyResult<Self> {
        match name {
            "goodput" => Ok(Self::Goodput),
            "fair goodput" => Ok(Self::FairGoodput),
            "timely goodput" => Ok(Self::TimelyGoodput),
            _ => Err(PyValueError::new_err(format!(
                "reward {name:?}: allowed are \"goodput\", \"fair goodput\" and \"timely goodput\""
            ))),
        }
    }

    /// What the goodputs of the flows are worth [bit/s]. `delay_ms` is the largest mean delay of a UDP flow, and `open`
    /// are the flows that were open throughout the step.
    pub(crate) fn worth(
        self,
        goodputs: &[f64],
        delay_ms: f64,
        open: impl Iterator<Item = usize>,
    ) -> f64 {
        let goodput = goodputs.iter().sum();
        match self {
            Self::Goodput => return goodput,
            Self::TimelyGoodput => return goodput * (DELAY_BUDGET_MS / delay_ms).min(1.0),
            Self::FairGoodput => {}
        }
        let (mut count, mut logarithms) = (0.0_f64, 0.0_f64);
        for flow in open {
            count += 1.0;
            logarithms += goodputs[flow].ln();
        }
        // The logarithm of zero is minus infinity, whose exponential is zero.
        if count > 0.0 { count * (logarithms / count).exp() } else { 0.0 }
    }
}

/// Time in which each flow of a scenario is certainly open.
#[derive(Clone, Debug)]
pub(crate) struct Schedule(Vec<(Time, Option<Time>)>);

impl Schedule {
    /// Schedule of the flows of a scenario.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        Self(scenario.flows.iter().map(|it| (it.start + it.start_jitter, it.stop)).collect())
    }

    /// Flows that are open throughout the time from `from` to `to`.
    pub(crate) fn open(&self, from: Time, to: Time) -> impl Iterator<Item = usize> {
        let is_open = move |start: Time, stop: Option<Time>| {
            start <= from && stop.is_none_or(|stop| stop >= to)
        };
        let flows = self.0.iter().enumerate();
        flows.filter(move |(_, (start, stop))| is_open(*start, *stop)).map(|(flow, _)| flow)
    }
}
