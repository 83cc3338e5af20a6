//! From a scenario to the world at time zero.

use airfair_units::{Bytes, DataRate, Time};
use airfair_wlan::{Cell, CellConfig, NodeId, Phase, StationConfig};

use crate::clock::Clock;
use crate::coupling::Controller;
use crate::endpoint::{Alarm, endpoints};
use crate::link::{Link, LinkId};
use crate::packet::FlowId;
use crate::queue::EventQueue;
use crate::random::{Purpose, Streams};
use crate::record::Recorder;
use crate::scenario::{Endpoint, Scenario, Transport, UdpRate};
use crate::world::{Event, Flow, Hop, RateChange, World};

/// LLC and SNAP headers.  [RFC1042]
const LLC_SNAP: Bytes = Bytes::new(8);

/// The world that `scenario` describes, before anything has happened.
pub(crate) fn world<R: Recorder, C: Clock>(
    scenario: &Scenario,
    streams: Streams,
    recorder: R,
    clock: C,
) -> World<R, C> {
    let rate_changes = rate_changes(scenario);
    let links = scenario.hosts.iter().flat_map(|host| [Link::new(host.link), Link::new(host.link)]);
    let overhead = if scenario.bss.llc_snap { LLC_SNAP } else { Bytes::ZERO };
    World {
        now: Time::ZERO,
        clock,
        queue: schedule(scenario, &rate_changes),
        cell: Cell::new(&cell_config(scenario), cell_streams(scenario, streams)),
        links: links.collect(),
        flows: scenario.flows.iter().map(flow).collect(),
        rate_changes,
        msdu_overhead: overhead,
        recorder,
        events: 0,
    }
}

fn cell_config(scenario: &Scenario) -> CellConfig {
    let bss = &scenario.bss;
    let station = |station: &crate::scenario::Station| StationConfig {
        standard: station.standard,
        rate_up: station.rate_up[0].1,
        rate_down: station.rate_down[0].1,
        queue: station.queue.packets,
        senses_only: station.senses_only.iter().map(|other| NodeId::station(*other)).collect(),
    };
    CellConfig {
        rules: bss.rules.clone(),
        ap_queue: bss.ap_queue.packets,
        stations: scenario.stations.iter().map(station).collect(),
    }
}

/// The access point's stream bears the cell's name, a station's its own.
fn cell_streams(scenario: &Scenario, streams: Streams) -> Vec<airfair_wlan::Stream> {
    let stations = scenario.stations.iter().map(|station| station.name.as_str());
    let names = std::iter::once(scenario.bss.name.as_str()).chain(stations);
    names.map(|name| streams.stream(name, Purpose::Backoff)).collect()
}

fn rate_changes(scenario: &Scenario) -> Vec<RateChange> {
    let mut changes = Vec::new();
    for (index, station) in scenario.stations.iter().enumerate() {
        let highest_rate = *station.standard.rates().last().expect("every standard has rates");
        for (up, schedule) in [(true, &station.rate_up), (false, &station.rate_down)] {
            let change = |&(at, rate): &(Time, DataRate)| {
                let station = NodeId::station(index);
                RateChange { at, station, up, rate, highest_rate }
            };
            changes.extend(schedule[1..].iter().map(change));
        }
    }
    changes
}

fn schedule(scenario: &Scenario, rate_changes: &[RateChange]) -> EventQueue<Event> {
    let mut queue = EventQueue::default();
    for (index, change) in rate_changes.iter().enumerate() {
        queue.push(change.at, Phase::Timeout, Event::Rate(index));
    }
    for (index, flow) in scenario.flows.iter().enumerate() {
        let id = FlowId::new(index);
        queue.push(flow.start, Phase::Timeout, Event::Start(id));
        if let Some(stop) = flow.stop {
            queue.push(stop, Phase::Timeout, Event::Stop(id));
        }
    }
    queue
}

fn flow(flow: &crate::scenario::Flow) -> Flow {
    let (source, sink) = endpoints(&flow.transport);
    let saturated =
        |transport| matches!(transport, Transport::Udp { rate: UdpRate::Saturated, .. });
    Flow {
        source,
        sink,
        controller: Controller::new(flow.control),
        forth: route(flow.from, flow.to),
        back: route(flow.to, flow.from),
        is_saturated: saturated(flow.transport),
        source_alarm: Alarm::default(),
        sink_alarm: Alarm::default(),
    }
}

/// Every way leads through the access point.
fn route(from: Endpoint, to: Endpoint) -> Vec<Hop> {
    let link = |index: usize| LinkId(u16::try_from(index).expect("at most 65 535 links"));
    let first = match from {
        Endpoint::Station(index) => Hop::Air { from: NodeId::station(index), to: NodeId::AP },
        Endpoint::Host(index) => Hop::Wire(link(2 * index)),
    };
    let second = match to {
        Endpoint::Station(index) => Hop::Air { from: NodeId::AP, to: NodeId::station(index) },
        Endpoint::Host(index) => Hop::Wire(link(2 * index + 1)),
    };
    vec![first, second]
}
