//! Construction of a [`World`] from a [`Scenario`].

mod neighbours;

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

use airfair_laws::Direction;
use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::LinkCapabilities;
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::medium::Medium;
use airfair_wlan::phy::{Band, Rate, Standard, Timing, TxVector, mode_groups};
use airfair_wlan::radio::{Layout, Propagation, StationStreams};
use airfair_wlan::{Cell, CellConfig, NodeId, Phase, RateLaw, Rules, StationConfig, Stream};
use rand_core::Rng;

use crate::clock::Clock;
use crate::coupling;
use crate::endpoint::{Alarm, endpoints};
use crate::flow::{Departures, Flow, FlowPhase, Hop, SmallQueue, WithoutRoom};
use crate::link::{LinkDirection, LinkId, LinkStreams};
use crate::packet::FlowId;
use crate::queue::EventQueue;
use crate::random::{Purpose, Streams};
use crate::record::{CellId, Member};
use crate::recorder::Recorder;
use crate::scenario::routes::Routes;
use crate::scenario::{
    self, CellRates, Endpoint, Heading, Node, Scenario, Station, Transport, UdpRate,
};
use crate::settable::Settable;
use crate::world::{Bss, Cells, Event, HeldPackets, LimitWatch, RateChange, WaitingEnds, World};

/// Length of the LLC and SNAP headers.  [RFC1042]
const LLC_SNAP: Bytes = Bytes::new(8);

impl<R: Recorder, C: Clock> World<R, C> {
    /// Builds the world of `scenario` at time zero. Every record of the run goes to `recorder`.
    pub fn new(scenario: &Scenario, streams: Streams, recorder: R, clock: C) -> Self {
        let world = Self::new_unless(&AtomicBool::new(false), scenario, streams, (recorder, clock));
        world.expect("nobody cancels")
    }

    /// Builds the world, unless `cancel` is set before it is complete; then the result is `None`.
    pub(crate) fn new_unless(
        cancel: &AtomicBool,
        scenario: &Scenario,
        streams: Streams,
        (recorder, clock): (R, C),
    ) -> Option<Self> {
        let members = members(scenario);
        let rate_changes = rate_changes(scenario, &members);
        let member = |(station, node): (&Station, &NodeId)| Member {
            cell: CellId::new(station.cell),
            node: *node,
        };
        let cells = self::cells(scenario, (&members, cancel), streams)?;
        let mut world = Self {
            now: Time::ZERO,
            warmup: scenario.warmup,
            end: Time::ZERO + scenario.duration,
            clock,
            lateness: Duration::ZERO,
            queue: schedule(scenario, &rate_changes, &cells, streams),
            links: scenario.links.iter().flat_map(|link| both_ways(link, streams)).collect(),
            waiting: vec![WaitingEnds::default(); scenario.links.len() * 2],
            flows: flows(scenario, &members, streams),
            held: HeldPackets::default(),
            rate_changes,
            stations: scenario.stations.iter().zip(&members).map(member).collect(),
            actions: Vec::new(),
            observes: false,
            touched: VecDeque::new(),
            horizon: Time::ZERO,
            delivered: Vec::new(),
            departed: Vec::new(),
            outputs: VecDeque::new(),
            cells,
            traced: if R::TRACES { vec![None; scenario.flows.len()] } else { Vec::new() },
            limits: if R::LIMITS {
                vec![LimitWatch::default(); scenario.flows.len()]
            } else {
                Vec::new()
            },
            recorder,
            events: 0,
        };
        if !world.flows.iter().any(Flow::wants_departures) {
            world.cells.iter_mut().for_each(|bss| bss.cell.tell_losses_alone());
        }
        world.start_agents();
        if scenario.categories().len() > 1 {
            world.cells.iter_mut().for_each(|bss| bss.cell.tell_categories());
        }
        if R::TRACES {
            world.cells.iter_mut().for_each(|bss| bss.cell.monitor());
        }
        Some(world)
    }
}

/// Address of each station within its cell, in the order of `scenario.stations`.
fn members(scenario: &Scenario) -> Vec<NodeId> {
    let mut counts = vec![0; scenario.cells.len()];
    let number = |station: &Station| {
        counts[station.cell] += 1;
        NodeId::station(counts[station.cell] - 1)
    };
    scenario.stations.iter().map(number).collect()
}

/// Builds the medium of cell `index` alone, for MACs that run elsewhere, such as those of the kernel's simulated
/// radios. The random streams are those of a run: the access point draws from the stream named after the cell, and
/// each station from the stream named after the station.
///
/// # Panics
/// If the cell has a radio model, because a [`Medium`] knows neither powers nor distances.
pub fn medium<T: Copy>(scenario: &Scenario, index: usize, streams: Streams) -> Medium<T> {
    let bss = &scenario.cells[index];
    assert!(bss.radio.is_none(), "links alone decide what is errored");
    let config = config(scenario, index, &members(scenario));
    let (backoffs, errors) = streams_of(scenario, index, streams);
    Medium::new(&config, backoffs, errors)
}

/// Random streams of a cell: one per member for its back-offs, and one per station for the errors of its link.
fn streams_of(scenario: &Scenario, index: usize, streams: Streams) -> (Vec<Stream>, Vec<Stream>) {
    let stations = || scenario.stations.iter().filter(|station| station.cell == index);
    let names = std::iter::once(&scenario.cells[index].name).chain(stations().map(|it| &it.name));
    let errors = stations().map(|station| streams.stream(&station.name, Purpose::FrameErrors));
    (names.map(|name| streams.stream(name, Purpose::Backoff)).collect(), errors.collect())
}

/// Configuration of cell `index`: its rules and members, without rate control.
fn config(scenario: &Scenario, index: usize, members: &[NodeId]) -> CellConfig {
    let bss = &scenario.cells[index];
    let stations = || scenario.stations.iter().filter(|station| station.cell == index);
    let (used, timing) = (categories_in_use(scenario, index, members), timing(bss, stations()));
    let categories = |node: NodeId, access: &scenario::Access| -> Vec<_> {
        let used = &used[node.index()];
        let is_plain = used.iter().all(|it| *it == AccessCategory::BestEffort);
        let all = used.iter().filter(|_| !is_plain);
        all.map(|it| (*it, access.category(*it, &timing))).collect()
    };
    let config = |(node, station): (NodeId, &Station)| StationConfig {
        standard: station.standard,
        link: station.link,
        rate_up: station.rate_up[0].1,
        rate_down: station.rate_down[0].1,
        adaptation: [None; 2],
        queue: station.queue.config,
        access: station.access.best_effort,
        categories: categories(node, &station.access),
        senses_only: station.senses_only.iter().map(|other| members[*other]).collect(),
        hidden_from: station.hidden_from.iter().map(|other| members[*other]).collect(),
        errors: station.errors,
    };
    CellConfig {
        rules: Rules {
            block: bss.block(),
            width_rule: bss.width_rule,
            spatial_reuse: bss.spatial_reuse(),
            ..bss.rules.clone()
        },
        ap_queue: bss.ap.queue.config,
        ap_access: bss.ap.access.best_effort,
        ap_categories: categories(NodeId::AP, &bss.ap.access),
        stations: (0..).map(NodeId::station).zip(stations()).map(config).collect(),
        foreign: Vec::new(),
    }
}

/// Builds all cells, and the relation between those that share a channel. Returns `None` if `cancel` is set before they
/// are complete.
fn cells(
    scenario: &Scenario,
    (members, cancel): (&[NodeId], &AtomicBool),
    streams: Streams,
) -> Option<Cells> {
    let indices = 0..scenario.cells.len();
    let mut configs: Vec<CellConfig> =
        indices.clone().map(|index| config(scenario, index, members)).collect();
    let neighbourhood = neighbours::neighbourhood(scenario, &mut configs);
    let cells = indices.zip(configs);
    let cells = cells.map(|(index, config)| bss(scenario, (index, config), cancel, streams));
    Some(Cells::new(cells.collect::<Option<_>>()?, neighbourhood))
}

/// Builds cell `index`. Returns `None` if `cancel` is set before it is complete.
fn bss(
    scenario: &Scenario,
    (index, mut config): (usize, CellConfig),
    cancel: &AtomicBool,
    streams: Streams,
) -> Option<Bss> {
    let bss = &scenario.cells[index];
    let stations = || scenario.stations.iter().filter(|station| station.cell == index);
    for (of, station) in config.stations.iter_mut().zip(stations()) {
        of.adaptation = laws(station, streams);
    }
    let (backoffs, errors) = streams_of(scenario, index, streams);
    let msdu_overhead = if bss.llc_snap { LLC_SNAP } else { Bytes::ZERO };
    let settable = members_of(bss, stations(), streams, cancel)?;
    let mut cell = match &bss.radio {
        None => Cell::new(&config, backoffs, errors),
        Some(radio) => {
            let stations: Vec<&Station> = stations().collect();
            let propagation = propagation((bss, radio), &stations, streams, cancel)?;
            let end = Time::ZERO + scenario.duration;
            let all_decode = propagation.all_decode(end, cancel)?;
            Cell::with_propagation(propagation, all_decode, &config, backoffs)
        }
    };
    if config.rules.multi_user.ofdma.is_some_and(|it| it.random > 0) {
        let stream = |it: &Station| streams.stream(&it.name, Purpose::RandomAccess);
        cell.access_at_random(stations().map(stream).collect());
    }
    let agents = coupling::agents(scenario, index, cell.airtime());
    let waiting = vec![Default::default(); config.stations.len() + 1];
    let (beacons, watches_packets) = (bss.beacons, false);
    Some(Bss {
        cell,
        msdu_overhead,
        members: settable,
        beacons,
        waiting,
        agents,
        watches_packets,
        schedules_users: false,
    })
}

/// Access categories in which each member of a cell sends, indexed by member. They follow from the flows over the
/// cell's air; a flow counts in both directions, because its receiver sends acknowledgements.
fn categories_in_use(
    scenario: &Scenario,
    cell: usize,
    members: &[NodeId],
) -> Vec<BTreeSet<AccessCategory>> {
    let stations = scenario.stations.iter().filter(|station| station.cell == cell);
    let mut used = vec![BTreeSet::new(); stations.count() + 1];
    for flow in &scenario.flows {
        for end in [flow.from, flow.to] {
            if let Endpoint::Station(index) = end
                && scenario.stations[index].cell == cell
            {
                used[members[index].index()].insert(flow.category());
                used[NodeId::AP.index()].insert(flow.category());
            }
        }
    }
    used
}

/// Interframe spaces, slot time and contention windows of a cell.
fn timing<'s>(bss: &scenario::Bss, mut stations: impl Iterator<Item = &'s Station>) -> Timing {
    let rules = &bss.rules;
    let has_b = stations.any(|station| station.standard == Standard::B);
    let timing = rules.standard.timing_in(rules.channel.band, has_b, rules.preamble);
    let (cw_min, cw_max) = (rules.cw_min.unwrap_or(timing.cw_min), rules.cw_max);
    Timing { cw_min, cw_max: cw_max.unwrap_or(timing.cw_max), ..timing }
}

/// Propagation model of a cell with a radio. Returns `None` if `cancel` is set before it is complete.
fn propagation(
    (bss, radio): (&scenario::Bss, &scenario::Radio),
    stations: &[&Station],
    streams: Streams,
    cancel: &AtomicBool,
) -> Option<Propagation> {
    let mobility =
        |station: &&Station| station.trajectory.as_ref().expect("a cell with a radio").mobility();
    let (ways, rules) = (stations.iter().map(mobility).collect(), &bss.rules);
    let vector = |rate| match rate {
        Rate::Legacy(rate) => TxVector::of(rate, rules.preamble).expect("a rate of the standard"),
        Rate::Mode(mode) => TxVector::Mode(mode),
    };
    let vectors = rates_of(stations, rules.channel.band, cancel)?.into_iter().map(vector).collect();
    let rates = CellRates::of(rules.standard, rules.channel);
    let layout = Layout {
        origin: bss.ap.origin(),
        seed: streams.stream(&bss.name, Purpose::Shadowing).next_u64(),
        ..radio.layout(rates, ways, vectors)
    };
    let purposes = |station: &&Station| StationStreams {
        way: streams.stream(&station.name, Purpose::Mobility),
        link: streams.stream(&station.name, Purpose::Shadowing),
        errors: streams.stream(&station.name, Purpose::FrameErrors),
    };
    Some(Propagation::new(&layout, stations.iter().map(purposes).collect()))
}

/// All rates that the links of `stations` may use. Returns `None` once `cancel` is set.
fn rates_of(stations: &[&Station], band: Band, cancel: &AtomicBool) -> Option<Vec<Rate>> {
    let mut rates = BTreeSet::new();
    for station in stations {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let schedules = [&station.rate_up, &station.rate_down];
        for (schedule, law) in schedules.into_iter().zip(station.adaptation) {
            match (law, station.link) {
                (Some(scenario::RateControl::MinstrelHt(_)), Some(link)) => {
                    rates.extend(mode_groups::modes(link.format, band).map(Rate::Mode));
                }
                (Some(_), _) => rates.extend(rates_of_link(station)),
                (None, _) => rates.extend(schedule.iter().map(|(_, rate)| *rate)),
            }
        }
    }
    Some(rates.into_iter().collect())
}

/// All rates of a station's link, in ascending order.
fn rates_of_link(station: &Station) -> Vec<Rate> {
    match &station.link {
        Some(link) => link.modes().into_iter().map(Rate::Mode).collect(),
        None => station.standard.rates().iter().copied().map(Rate::Legacy).collect(),
    }
}

/// Rate control of a station's link, for frames from the station and for frames to it; `None` for a direction whose
/// rate the scenario gives.
fn laws(station: &Station, streams: Streams) -> [Option<RateLaw>; 2] {
    let law = |law, purpose| match law {
        scenario::RateControl::Arf(params) => RateLaw::Arf(params),
        scenario::RateControl::Oracle { highest } => RateLaw::Oracle { highest },
        scenario::RateControl::Minstrel(params) => {
            let seed = streams.stream(&station.name, purpose).next_u64();
            RateLaw::Minstrel { params, seed }
        }
        scenario::RateControl::MinstrelHt(params) => {
            let seed = streams.stream(&station.name, purpose).next_u64();
            RateLaw::MinstrelHt { params, seed }
        }
    };
    let [up, down] = station.adaptation;
    [up.map(|it| law(it, Purpose::SamplingUp)), down.map(|it| law(it, Purpose::SamplingDown))]
}

/// Bounds of the settings that may change during a run, for each member of a cell. Returns `None` once `cancel` is
/// set.
fn members_of<'s>(
    bss: &scenario::Bss,
    stations: impl Iterator<Item = &'s Station> + Clone,
    streams: Streams,
    cancel: &AtomicBool,
) -> Option<Vec<Settable>> {
    let has_weights = |queue: &scenario::Queue| {
        matches!(queue.config.discipline, scenario::Discipline::DataAck { .. })
    };
    let all: Vec<&Station> = stations.clone().collect();
    // In a cell with a radio, which member hears which has been calculated for these rates only.
    let rates = match bss.radio {
        Some(_) => Some(rates_of(&all, bss.rules.channel.band, cancel)?),
        None => None,
    };
    let access_point = Settable {
        highest: bss.rules.legacy().rates()[0],
        rates: Vec::new(),
        is_adapted: [true; 2],
        has_weights: has_weights(&bss.ap.queue),
        aggregates: None,
        errors: None,
    };
    let station = |station: &'s Station| {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let errors = streams.stream(&station.name, Purpose::FrameErrors);
        Some(Settable {
            highest: rates_of_link(station).last().expect("a link has rates").data_rate(),
            rates: rates.clone().unwrap_or_else(|| rates_of_link(station)),
            is_adapted: station.adaptation.map(|law| law.is_some()),
            has_weights: has_weights(&station.queue),
            aggregates: station
                .link
                .as_ref()
                .and_then(LinkCapabilities::agreement)
                .map(|it| it.limits),
            errors: bss.radio.is_none().then_some(errors),
        })
    };
    std::iter::once(Some(access_point)).chain(stations.map(station)).collect()
}

/// Both directions of a wired link, forth and back.
fn both_ways(link: &scenario::Link, streams: Streams) -> [LinkDirection; 2] {
    let stream = |purpose| streams.stream(&link.name, purpose);
    let forth = LinkStreams { loss: stream(Purpose::LossForth), red: stream(Purpose::RedForth) };
    let back = LinkStreams { loss: stream(Purpose::LossBack), red: stream(Purpose::RedBack) };
    [LinkDirection::new(link, Heading::Forth, forth), LinkDirection::new(link, Heading::Back, back)]
}

fn rate_changes(scenario: &Scenario, members: &[NodeId]) -> Vec<RateChange> {
    let mut changes = Vec::new();
    for (station, id) in scenario.stations.iter().zip(members) {
        let cell = CellId::new(station.cell);
        let schedules = [(Direction::Up, &station.rate_up), (Direction::Down, &station.rate_down)];
        for (direction, schedule) in schedules {
            let change = |&(at, rate): &(Time, Rate)| {
                let station = *id;
                RateChange { at, cell, station, direction, rate }
            };
            changes.extend(schedule[1..].iter().map(change));
        }
    }
    changes
}

fn schedule(
    scenario: &Scenario,
    rate_changes: &[RateChange],
    cells: &Cells,
    streams: Streams,
) -> EventQueue<Event> {
    let mut queue = EventQueue::default();
    for (index, change) in rate_changes.iter().enumerate() {
        queue.push(change.at, Phase::Timeout, Event::Rate(index));
    }
    for (index, bss) in scenario.cells.iter().enumerate() {
        if let Some(beacons) = bss.beacons {
            let own = cells.has_neighbours(index).then_some((bss.name.as_str(), streams));
            let first = Time::ZERO + beacons.interval + phase(&beacons, own);
            queue.push(first, Phase::Timeout, Event::Beacon(CellId::new(index)));
        }
    }
    for (index, flow) in scenario.flows.iter().enumerate() {
        let id = FlowId::new(index);
        queue.push(start(flow, streams), Phase::Timeout, Event::Start(id));
        if let Some(stop) = flow.stop {
            queue.push(stop, Phase::Timeout, Event::Stop(id));
        }
    }
    queue
}

/// Phase of the beacons of a cell: the configured one, or one drawn in each replication, uniform over the interval, in
/// a cell with neighbours, which is given as `shared` by its name.  Deviates: [D-290]
fn phase(beacons: &scenario::Beacons, shared: Option<(&str, Streams)>) -> Duration {
    let draw = |(name, streams): (&str, Streams)| {
        uniform(streams.stream(name, Purpose::BeaconPhase), beacons.interval)
    };
    beacons.phase.or(shared.map(draw)).unwrap_or_default()
}

/// Start of a flow: its configured start plus a random delay, uniform over its jitter and drawn anew in each
/// replication.
fn start(flow: &scenario::Flow, streams: Streams) -> Time {
    flow.start + uniform(streams.stream(&flow.name, Purpose::Start), flow.start_jitter)
}

/// First draw of a stream, uniform over the times below `bound`.
fn uniform(mut stream: Stream, bound: Duration) -> Duration {
    let time = (u128::from(stream.next_u64()) * u128::from(bound.as_nanos())) >> 64;
    Duration::from_nanos(u64::try_from(time).expect("less than the bound"))
}

fn flows(scenario: &Scenario, members: &[NodeId], streams: Streams) -> Vec<Flow> {
    let mut known: Vec<(Node, Routes)> = Vec::new();
    let flow = |flow: &scenario::Flow| {
        let from = scenario.wired_node(flow.from);
        let index = known.iter().position(|(source, _)| *source == from).unwrap_or_else(|| {
            known.push((from, Routes::from(from, &scenario.links)));
            known.len() - 1
        });
        let (mut source, sink) = endpoints(&flow.transport);
        source.key_randomness(|purpose| streams.stream(&flow.name, purpose).next_u64());
        let forth = route(scenario, flow, &known[index].1, members);
        let small_queue = SmallQueue::of(&source);
        let without_room = without_room(&flow.transport);
        let departures = match without_room {
            WithoutRoom::Wait => Departures::Awaited,
            _ if small_queue.is_some() => Departures::Counted,
            _ => Departures::Ignored,
        };
        Flow {
            phase: FlowPhase::Planned,
            source,
            departures,
            small_queue,
            sink,
            back: forth.iter().rev().map(|hop| hop.reversed()).collect(),
            forth,
            category: flow.category(),
            without_room,
            source_alarm: Alarm::default(),
            sink_alarm: Alarm::default(),
        }
    };
    scenario.flows.iter().map(flow).collect()
}

fn without_room(transport: &Transport) -> WithoutRoom {
    match transport {
        Transport::Udp { rate: UdpRate::Saturated, .. } => WithoutRoom::Wait,
        Transport::Tcp(tcp) if tcp.keeps_refused => WithoutRoom::Keep,
        Transport::External => WithoutRoom::Return,
        real if real.is_kernels() => WithoutRoom::Return,
        Transport::Udp { .. } | Transport::Tcp(_) | Transport::Quic(_) | Transport::Tfrc(_) => {
            WithoutRoom::Lose
        }
    }
}

/// Route of a flow over the air to the access point, over wired links, and over the air to the receiver. A flow whose
/// sender or receiver is wired has no hop over the air there.
fn route(
    scenario: &Scenario,
    flow: &scenario::Flow,
    routes: &Routes,
    members: &[NodeId],
) -> Vec<Hop> {
    let air = |end| match end {
        Endpoint::Station(index) => {
            let cell = CellId::new(scenario.stations[index].cell);
            Some(Hop::Air { cell, from: members[index], to: NodeId::AP })
        }
        Endpoint::Host(_) => None,
    };
    let wires = routes.to(scenario.wired_node(flow.to), &scenario.links);
    let wires = wires.expect("the scenario was checked for ways");
    let wire = |(index, heading)| Hop::Wire(LinkId::new(index, heading));
    let down = air(flow.to).map(Hop::reversed);
    air(flow.from).into_iter().chain(wires.into_iter().map(wire)).chain(down).collect()
}
