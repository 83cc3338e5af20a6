//! Time series: figures for each step, from time 0.

use airfair_units::{Duration, Time};
use airfair_wlan::phy::Rate;

use super::flows::FlowAccount;
use super::links::LinkAccount;
use super::measured_time::MeasuredTime;
use crate::outcome::{FlowStep, Series, StationStep};
use crate::scenario::{Scenario, Station};

/// Figures of flows and links for each finished step, one interval of the time series.
#[derive(Clone, Debug)]
pub(super) struct SeriesAccount {
    /// Start of the current step, one interval of the time series.
    start: Time,
    flows: Vec<Vec<FlowStep>>,
    links: Vec<Vec<f64>>,
}

impl SeriesAccount {
    pub(super) fn new(scenario: &Scenario) -> Option<Self> {
        scenario.series_step.map(|_| Self {
            start: Time::ZERO,
            flows: vec![Vec::new(); scenario.flows.len()],
            links: vec![Vec::new(); scenario.links.len() * 2],
        })
    }

    /// Ends the current step, one interval of the time series, at `now`: stores the figures of each flow and link for
    /// it. Those of cells are stored elsewhere. Returns the length of the step.
    pub(super) fn close_step(
        &mut self,
        now: Time,
        measured_time: MeasuredTime,
        flows: &mut [FlowAccount],
        links: &mut [LinkAccount],
    ) -> Duration {
        let length = now - self.start;
        for (steps, flow) in self.flows.iter_mut().zip(flows) {
            steps.push(flow.close_step());
        }
        for (steps, link) in self.links.iter_mut().zip(links) {
            steps.push(link.level.close_step(now, length, measured_time));
        }
        self.start = now;
        length
    }

    /// Series of the run. `members` are the steps of each cell's members, the access point first.
    pub(super) fn finish(self, members: Vec<Vec<Vec<StationStep>>>, scenario: &Scenario) -> Series {
        let mut members: Vec<_> = members.into_iter().map(Vec::into_iter).collect();
        let mut next = |cell: usize| members[cell].next().expect("one account per member");
        let queue = |steps: Vec<StationStep>| steps.iter().map(|step| step.queue).collect();
        let access_points = (0..scenario.cells.len()).map(|cell| queue(next(cell))).collect();
        // Stations are listed in the scenario's order, in which cells may alternate.
        let stations = scenario.stations.iter();
        let stations = stations.map(|spec| with_rates(next(spec.cell), spec)).collect();
        Series { flows: self.flows, stations, access_points, links: self.links }
    }
}

/// Results of one member of a cell in the steps, the intervals of the time series.
#[derive(Clone, Debug, Default)]
pub(super) struct MemberSteps {
    held: Duration,
    pub(super) closed: Vec<StationStep>,
}

impl MemberSteps {
    /// Adds airtime of the member's exchanges, from `from` to `to`. Parts of this interval before `start`, the start
    /// of the current step, are added to closed steps.
    #[inline]
    pub(super) fn hold(&mut self, start: Time, (from, to): (Time, Time)) {
        if from >= start {
            self.held += to - from;
        } else {
            self.hold_over_steps(start, (from, to));
        }
    }

    #[cold]
    fn hold_over_steps(&mut self, start: Time, (from, to): (Time, Time)) {
        self.held += to.saturating_since(start);
        let mut end = start;
        for step in self.closed.iter_mut().rev() {
            if from >= end {
                break;
            }
            let begin = end - step.length;
            step.airtime += to.min(end).saturating_since(from.max(begin));
            end = begin;
        }
    }

    pub(super) fn close(&mut self, step: StationStep) {
        let airtime = std::mem::take(&mut self.held);
        self.closed.push(StationStep { airtime, ..step });
    }
}

/// Replaces a station's rates by those of its rate schedules, in the directions without rate control.
fn with_rates(mut steps: Vec<StationStep>, spec: &Station) -> Vec<StationStep> {
    let [law_up, law_down] = spec.adaptation;
    let mut from = Time::ZERO;
    for found in &mut steps {
        let to = from + found.length;
        #[expect(clippy::cast_precision_loss, reason = "rates are below 2^53 b/s")]
        let mean =
            |schedule: &[(Time, Rate)]| MeasuredTime { from, to }.mean_of(schedule).bps() as f64;
        if law_up.is_none() {
            found.rate_up_bps = mean(&spec.rate_up);
        }
        if law_down.is_none() {
            found.rate_down_bps = mean(&spec.rate_down);
        }
        from = to;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame from 7 to 25 ns, with steps of 10 ns, adds 3 ns to the first step, 10 to the second, and 5 to the
    /// current one.
    #[test]
    fn a_frame_over_several_steps_holds_the_air_in_each_by_its_part() {
        let mut member = MemberSteps::default();
        for _ in 0..2 {
            member.close(StationStep { length: Duration::from_nanos(10), ..Default::default() });
        }
        member.hold(Time::from_nanos(20), (Time::from_nanos(7), Time::from_nanos(25)));
        let closed: Vec<u64> = member.closed.iter().map(|step| step.airtime.as_nanos()).collect();
        assert_eq!((closed, member.held.as_nanos()), (vec![3, 10], 5));
    }
}
