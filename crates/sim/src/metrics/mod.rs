//! Metrics: accumulators that consume records as they come, and keep no record.

mod air;
mod flows;
mod level;
mod quantiles;

use airfair_units::Time;

use crate::link::LinkId;
use crate::outcome::{LinkOutcome, Outcome};
use crate::record::{LinkRecord, Record, Recorder};
use crate::scenario::Scenario;

use air::AirAccount;
use flows::FlowAccount;
use level::Level;

/// The part of a run that counts.
#[derive(Clone, Copy, Debug)]
struct Window {
    from: Time,
    to: Time,
}

impl Window {
    /// Whether an instant counts.
    fn contains(&self, now: Time) -> bool {
        self.from <= now && now < self.to
    }

    /// The part of an interval that counts.
    fn clip(&self, from: Time, to: Time) -> airfair_units::Duration {
        to.min(self.to).saturating_since(from.max(self.from))
    }
}

/// All metrics of one run.
#[derive(Debug)]
pub struct Metrics {
    window: Window,
    flows: Vec<FlowAccount>,
    air: AirAccount,
    links: Vec<LinkAccount>,
    hash: u64,
}

#[derive(Clone, Debug, Default)]
struct LinkAccount {
    outcome: LinkOutcome,
    level: Level,
}

impl Metrics {
    /// Accounts for a run of `scenario`, all empty.
    pub fn new(scenario: &Scenario) -> Self {
        let window =
            Window { from: Time::ZERO + scenario.warmup, to: Time::ZERO + scenario.duration };
        let step = scenario.series_step;
        Self {
            window,
            flows: scenario.flows.iter().map(|_| FlowAccount::new(step)).collect(),
            air: AirAccount::new(scenario.stations.len()),
            links: vec![LinkAccount::default(); scenario.hosts.len() * 2],
            hash: 0,
        }
    }

    /// The figures, once the run is over.
    pub fn finish(self, scenario: &Scenario) -> Outcome {
        let elapsed = self.window.to - self.window.from;
        let (access_point, stations, channel) = self.air.finish(self.window);
        let links = self.links.into_iter().map(|link| LinkOutcome {
            queue_max: u64::from(link.level.max()),
            queue_mean: link.level.mean(self.window),
            ..link.outcome
        });
        let flows = self.flows.into_iter().zip(&scenario.flows);
        Outcome {
            elapsed,
            flows: flows.map(|(account, flow)| account.finish(flow, scenario)).collect(),
            stations,
            access_point,
            channel,
            links: links.collect(),
            record_hash: self.hash,
            ..Outcome::default()
        }
    }

    fn count_link(&mut self, now: Time, id: LinkId, record: LinkRecord) {
        let counts = self.window.contains(now);
        let link = &mut self.links[id.index()];
        match record {
            LinkRecord::Queued(length) => link.level.set(now, length, self.window),
            LinkRecord::Arrived(length) => {
                link.level.set(now, length, self.window);
                link.outcome.packets += u64::from(counts);
            }
            LinkRecord::Dropped => link.outcome.dropped_queue_full += u64::from(counts),
        }
    }
}

impl Recorder for Metrics {
    fn record(&mut self, now: Time, record: &Record) {
        self.hash = fingerprint(self.hash, now, record);
        match record {
            Record::Cell(record) => self.air.count(now, record, self.window),
            Record::Flow(flow, record) => self.flows[flow.index()].count(now, record, self.window),
            Record::Link(link, record) => self.count_link(now, *link, *record),
        }
    }
}

/// Mixes a record into the hash of all records before it.
fn fingerprint(hash: u64, now: Time, record: &Record) -> u64 {
    use crate::record::FlowRecord;
    use airfair_wlan::Record as Cell;
    let word = match record {
        Record::Cell(Cell::Sent { node, retry, collided, .. }) => {
            1 | u64::from(*retry) << 8 | u64::from(*collided) << 9 | u64::from(node.0) << 16
        }
        Record::Cell(Cell::Dropped { node, cause }) => {
            2 | (*cause as u64) << 8 | u64::from(node.0) << 16
        }
        Record::Cell(Cell::Queue { node, length }) => {
            3 | u64::from(node.0) << 16 | u64::from(*length) << 32
        }
        Record::Cell(Cell::Air { .. }) => 4,
        Record::Cell(Cell::Collision) => 5,
        Record::Cell(Cell::Duplicate { node }) => 6 | u64::from(node.0) << 16,
        Record::Flow(flow, FlowRecord::Delivered(bytes)) => {
            7 | u64::from(flow.0) << 16 | bytes.get() << 32
        }
        Record::Flow(flow, FlowRecord::RoundTrip(rtt)) => {
            8 | u64::from(flow.0) << 16 | rtt.as_nanos() << 32
        }
        Record::Flow(flow, FlowRecord::Started) => 9 | u64::from(flow.0) << 16,
        Record::Flow(flow, FlowRecord::Sent) => 10 | u64::from(flow.0) << 16,
        Record::Flow(flow, FlowRecord::Received) => 11 | u64::from(flow.0) << 16,
        Record::Flow(flow, FlowRecord::Lost) => 12 | u64::from(flow.0) << 16,
        Record::Flow(flow, FlowRecord::Retransmission) => 13 | u64::from(flow.0) << 16,
        Record::Flow(flow, FlowRecord::Timeout) => 14 | u64::from(flow.0) << 16,
        Record::Flow(flow, FlowRecord::FastRetransmit) => 15 | u64::from(flow.0) << 16,
        Record::Flow(flow, FlowRecord::Finished) => 16 | u64::from(flow.0) << 16,
        Record::Link(link, LinkRecord::Queued(length)) => {
            17 | u64::from(link.0) << 16 | u64::from(*length) << 32
        }
        Record::Link(link, LinkRecord::Arrived(length)) => {
            18 | u64::from(link.0) << 16 | u64::from(*length) << 32
        }
        Record::Link(link, LinkRecord::Dropped) => 19 | u64::from(link.0) << 16,
    };
    let mix =
        |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    mix(mix(hash, now.as_nanos()), word)
}
