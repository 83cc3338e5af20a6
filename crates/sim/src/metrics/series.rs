//! Time series: an account of each step, from time 0. A step is closed when its samples have come.

use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::AirUse;

use super::{Window, mean_of};
use crate::outcome::{FlowStep, Series, StationStep};
use crate::packet::FlowId;
use crate::record::{CellId, FlowRecord, LinkRecord, Record, Sample, SenderWindow, SentAt};
use crate::scenario::{Scenario, Station};

#[derive(Debug)]
pub(super) struct SeriesAccount {
    step: Duration,
    /// Start of the step under way.
    start: Time,
    flows: Vec<FlowTrack>,
    /// Members of each cell, its access point first.
    cells: Vec<Vec<MemberTrack>>,
    links: Vec<QueueTrack>,
}

#[derive(Clone, Debug, Default)]
struct FlowTrack {
    current: FlowStep,
    /// It has started and is not done.
    is_open: bool,
    steps: Vec<FlowStep>,
}

#[derive(Clone, Debug, Default)]
struct MemberTrack {
    held: Duration,
    queue: Level,
    /// Rates that laws have found, up and down [b/s].
    rates: [Level; 2],
    steps: Vec<StationStep>,
}

#[derive(Clone, Debug, Default)]
struct QueueTrack {
    queue: Level,
    steps: Vec<f64>,
}

/// A level whose mean over each step is wanted.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    current: u32,
    since: Time,
    /// Sum of level · time since the step began [ns].
    area: u128,
}

impl Level {
    fn set(&mut self, now: Time, level: u32) {
        self.area += u128::from(self.current) * u128::from((now - self.since).as_nanos());
        (self.current, self.since) = (level, now);
    }

    /// Mean over a step that began so long ago; the next one begins.
    #[expect(clippy::cast_precision_loss, reason = "a mean to 15 digits")]
    fn close(&mut self, now: Time, length: Duration) -> f64 {
        self.set(now, self.current);
        std::mem::take(&mut self.area) as f64 / length.as_nanos() as f64
    }
}

impl SeriesAccount {
    pub(super) fn new(scenario: &Scenario) -> Option<Self> {
        let step = scenario.series_step?;
        let members = |cell| {
            let stations = scenario.stations.iter().filter(move |station| station.cell == cell);
            let station = |station: &Station| {
                let level = |schedule: &[(Time, DataRate)]| Level {
                    current: u32::try_from(schedule[0].1.bps()).expect("less than 4 Gb/s"),
                    ..Level::default()
                };
                let rates = [level(&station.rate_up), level(&station.rate_down)];
                MemberTrack { rates, ..MemberTrack::default() }
            };
            std::iter::once(MemberTrack::default()).chain(stations.map(station)).collect()
        };
        Some(Self {
            step,
            start: Time::ZERO,
            flows: vec![FlowTrack::default(); scenario.flows.len()],
            cells: (0..scenario.cells.len()).map(members).collect(),
            links: vec![QueueTrack::default(); scenario.links.len() * 2],
        })
    }

    /// Takes note; true if the record is for the series alone.
    #[inline(never)]
    pub(super) fn takes(&mut self, now: Time, record: &Record) -> bool {
        match *record {
            Record::Flow(flow, record) => self.flows[flow.index()].count(now, record),
            Record::Cell(cell, record) => self.count_air(now, cell, record),
            Record::Link(
                link,
                LinkRecord::Queued(length) | LinkRecord::Arrived(length) | LinkRecord::Lost(length),
            ) => self.links[link.index()].queue.set(now, length),
            Record::Sample(Sample::Window(flow, window)) => self.look(flow, window),
            Record::Sample(Sample::StepEnd) => self.close_step(now),
            Record::Link(..) | Record::Measured(..) => {}
        }
        matches!(record, Record::Sample(_))
    }

    fn count_air(&mut self, now: Time, cell: CellId, record: airfair_wlan::Record) {
        use airfair_wlan::Record;
        let members = &mut self.cells[cell.index()];
        match record {
            Record::Air {
                from,
                to,
                usage: AirUse::Data { station, .. } | AirUse::Control { station },
            } => {
                members[station.index()].hold(self.step, self.start, (from, to));
            }
            Record::Queue { node, length } => members[node.index()].queue.set(now, length),
            Record::Rate { station, up, rate } => {
                let bps = u32::try_from(rate.bps()).expect("less than 4 Gb/s");
                members[station.index()].rates[usize::from(!up)].set(now, bps);
            }
            _ => {}
        }
    }

    fn look(&mut self, flow: FlowId, window: SenderWindow) {
        let flow = &mut self.flows[flow.index()];
        flow.current.window = flow.is_open.then_some(window);
    }

    fn close_step(&mut self, now: Time) {
        let length = now - self.start;
        for flow in &mut self.flows {
            flow.steps.push(std::mem::take(&mut flow.current));
        }
        for member in self.cells.iter_mut().flatten() {
            member.close(now, length);
        }
        for link in &mut self.links {
            let mean = link.queue.close(now, length);
            link.steps.push(mean);
        }
        self.start = now;
    }

    pub(super) fn finish(self, scenario: &Scenario) -> Series {
        let (step, end) = (self.step, Time::ZERO + scenario.duration);
        let mut members: Vec<_> = self
            .cells
            .into_iter()
            .map(|cell| cell.into_iter().map(|member| member.steps))
            .collect();
        let queue = |steps: Vec<StationStep>| steps.iter().map(|step| step.queue).collect();
        let mut next = |cell: usize| members[cell].next().expect("one account per member");
        let access_points = (0..scenario.cells.len()).map(|cell| queue(next(cell))).collect();
        // In the scenario's order, which may take turns between cells.
        let stations = scenario.stations.iter();
        let stations = stations.map(|spec| with_rates(next(spec.cell), spec, step, end)).collect();
        Series {
            flows: self.flows.into_iter().map(|flow| flow.steps).collect(),
            stations,
            access_points,
            links: self.links.into_iter().map(|link| link.steps).collect(),
        }
    }
}

impl FlowTrack {
    fn count(&mut self, now: Time, record: FlowRecord) {
        match record {
            FlowRecord::Started => self.is_open = true,
            FlowRecord::Finished => self.is_open = false,
            FlowRecord::Delivered(amount) => self.current.delivered += amount,
            FlowRecord::Received(SentAt(sent)) => {
                self.current.delays += 1;
                self.current.delay_sum += now - sent;
            }
            FlowRecord::RoundTrip(rtt) => {
                self.current.rtts += 1;
                self.current.rtt_sum += rtt;
            }
            _ => {}
        }
    }
}

impl MemberTrack {
    /// Its exchanges have used the air; a part of that may belong to steps that are closed.
    fn hold(&mut self, step: Duration, start: Time, (from, to): (Time, Time)) {
        self.held += to.saturating_since(from.max(start));
        let mut end = start;
        for closed in self.steps.iter_mut().rev() {
            if from >= end {
                break;
            }
            let begin = end - step;
            closed.airtime += to.min(end).saturating_since(from.max(begin));
            end = begin;
        }
    }

    fn close(&mut self, now: Time, length: Duration) {
        let [up, down] = &mut self.rates;
        self.steps.push(StationStep {
            airtime: std::mem::take(&mut self.held),
            queue: self.queue.close(now, length),
            rate_up_bps: up.close(now, length),
            rate_down_bps: down.close(now, length),
        });
    }
}

/// The rates of a station: those of its schedules, where no law has found others.
fn with_rates(
    mut steps: Vec<StationStep>,
    spec: &Station,
    step: Duration,
    end: Time,
) -> Vec<StationStep> {
    let [law_up, law_down] = spec.adaptation;
    let mut from = Time::ZERO;
    for found in &mut steps {
        let window = Window { from, to: (from + step).min(end) };
        #[expect(clippy::cast_precision_loss, reason = "less than 4 Gb/s")]
        let mean = |schedule: &[_]| mean_of(schedule, window).bps() as f64;
        if law_up.is_none() {
            found.rate_up_bps = mean(&spec.rate_up);
        }
        if law_down.is_none() {
            found.rate_down_bps = mean(&spec.rate_down);
        }
        from += step;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    /// From 7 to 25 in steps of 10: 3 in the first, 10 in the second, 5 in the one under way.
    #[test]
    fn a_frame_over_several_steps_holds_the_air_in_each_by_its_part() {
        let mut member = MemberTrack::default();
        member.close(at(10), Duration::from_nanos(10));
        member.close(at(20), Duration::from_nanos(10));
        member.hold(Duration::from_nanos(10), at(20), (at(7), at(25)));
        let closed: Vec<u64> = member.steps.iter().map(|step| step.airtime.as_nanos()).collect();
        assert_eq!((closed, member.held.as_nanos()), (vec![3, 10], 5));
    }

    /// 4 for 5 ns and 2 for 5 ns, then 2 throughout.
    #[test]
    fn a_level_has_a_mean_in_each_step() {
        let mut level = Level::default();
        level.set(at(0), 4);
        level.set(at(5), 2);
        let means = [10, 20].map(|end| level.close(at(end), Duration::from_nanos(10)));
        assert!((means[0] - 3.0).abs() < 1e-12 && (means[1] - 2.0).abs() < 1e-12, "{means:?}");
    }
}
