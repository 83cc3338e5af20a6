//! Event loop: moves frames between the interfaces and the simulated world.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard};

use airfair_sim::metrics::Metrics;
use airfair_sim::not_allowed::NotAllowed;
use airfair_sim::packet::{Ecn, External, FlowId, Side};
use airfair_sim::random::Streams;
use airfair_sim::recorder::Recorder;
use airfair_sim::scenario::{Endpoint, ErrorModel, Queue, Weights};
use airfair_sim::world::{Direction, Finished, Output, Pause, ReleaseReason, Released, World};
use airfair_transport::tfrc::wire;
use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::connections::Connections;
use crate::frames::{self, Forwarding, MAX_FRAME};
use crate::headers::{self, HEADER};
use crate::lateness::Histogram;
use crate::laws::{AllLaws, Law, LawAccount, Place};
use crate::limits::TfrcLimits;
use crate::live::Live;
use crate::os::{Backend, Bell, Drops, Losses, NotSent, Poller, Port};
use crate::pace::Pace;
use crate::plan::Plan;
use crate::rates;
use crate::reports;
use crate::store::{Frames, Stored};
use crate::traffic::Account;
use crate::verdict::{self, BySecond, Effort, FlowLateness, Objection, Punctuality};
use crate::view::{NodeView, Traffic, View};

/// Most frames read from one port in one [`TURN`]. Further frames wait in the interface, which
/// drops those that do not fit.
const PER_TURN: u32 = 128;
/// Most frames read from one port before other ports are read.
const BATCH: u32 = 32;
/// Period after which all ports may send [`PER_TURN`] frames again.
const TURN: Duration = Duration::from_millis(1);
/// Busy-waiting time before each deadline with the option `spin`: longer than a wake-up takes on a
/// quiet machine.
const AWAKE: Duration = Duration::from_micros(60);
/// Channel time between two snapshots that are published for viewers.
const VIEW: Duration = Duration::from_millis(100);

/// Options of an emulation that are not part of the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Kind of network interface in the namespaces of the nodes.
    pub backend: Backend,
    /// Seed of the emulation's random streams.
    pub seed: u64,
    /// True to busy-wait before each deadline, which lowers lateness and costs part of a core.
    pub spin: bool,
    /// Channel time after which the emulation ends; `None` to run until it is stopped.
    pub duration: Option<Duration>,
}

/// Further consumer of the records of an emulation, such as the writers of trace files, with the frames of real packets
/// that it may read. `Traces::default()` consumes nothing.
#[derive(Debug, Default)]
pub struct Traces<T> {
    /// Consumer of the records, on the engine's thread.
    pub recorder: T,
    /// Frames of the packets that are inside the cell.
    pub frames: Frames,
}

/// Change of a running emulation, requested through its control socket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// New rate of a station's link in one direction; the first value is the index of the station.
    Rate(usize, Direction, DataRate),
    /// New error model of a station's link; the first value is the index of the station.
    Errors(usize, ErrorModel),
    /// New weights of data and ACKs at an access point; the first value is the index of its cell.
    Weights(usize, Weights),
    /// New queue discipline of an access point; the first value is the index of its cell.
    Queue(usize, Queue),
}

/// Change that a control request asks for, and the channel for the reply.
pub(crate) type Request = (Change, Sender<Result<(), &'static str>>);

/// State shared between the engine's thread and its owner.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) stop: AtomicBool,
    pub(crate) bell: Bell,
    view: Mutex<View>,
    requests: Mutex<VecDeque<Request>>,
}

impl Shared {
    pub(crate) fn new(bell: Bell) -> Self {
        Self {
            stop: AtomicBool::new(false),
            bell,
            view: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    pub(crate) fn view(&self) -> View {
        locked(&self.view).clone()
    }

    pub(crate) fn request(&self, request: Request) {
        locked(&self.requests).push_back(request);
        self.bell.ring();
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.bell.ring();
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().expect("nobody panics while it holds the lock")
}

/// Results that the engine's thread returns at the end of an emulation.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) finished: Finished<Metrics>,
    pub(crate) view: View,
    /// Octets delivered and segments retransmitted by each flow over kernel sockets, since the
    /// warm-up.
    pub(crate) carried: Vec<[u64; 2]>,
}

/// Engine of an emulation. Its records also go to a consumer `T`, such as the writers of trace files.
pub(crate) struct Engine<'s, T> {
    world: World<((Metrics, Live), T), Pace<Poller<'s>>>,
    plan: &'s Plan,
    ports: &'s [Port],
    shared: &'s Shared,
    frames: Frames,
    connections: Connections,
    traffic: Vec<Traffic>,
    has_interface: Vec<bool>,
    /// Number of frames that may still be read from each port in the current period of [`TURN`].
    left: Vec<u32>,
    turn_ends: Duration,
    next_view: Time,
    lateness: Histogram,
    flow_lateness: FlowLateness,
    /// Total length of the turns, periods of 1 ms, in which a node sent [`PER_TURN`] frames, the
    /// most that the engine reads: for each node, summed by second.
    crowded: Vec<BySecond>,
    effort: Effort,
    losses: Losses,
    end: Time,
    accounts: &'s [Account],
    /// Rate limits of the TFRC flows over real sockets.
    limits: BTreeMap<FlowId, TfrcLimits>,
    laws: Vec<Arc<LawAccount>>,
    all_laws: Arc<AllLaws>,
    /// Octets delivered and segments retransmitted by each flow over kernel sockets up to the end
    /// of the warm-up; `None` during the warm-up.
    before: Option<Vec<[u64; 2]>>,
}

impl<'s, T: Recorder> Engine<'s, T> {
    /// Makes the engine of an emulation, tells the laws of the start, and starts channel time, the
    /// clock of the simulated cell.
    pub(crate) fn new(
        plan: &'s Plan,
        ports: &'s [Port],
        (shared, accounts): (&'s Shared, &'s [Account]),
        (limits, laws): (BTreeMap<FlowId, TfrcLimits>, Vec<Law>),
        (&Options { seed, spin, .. }, traces): (&Options, Traces<T>),
    ) -> std::io::Result<Self> {
        let awake = if spin { AWAKE } else { Duration::ZERO };
        let poller = Poller::new(&shared.bell, awake)?;
        for (number, port) in ports.iter().enumerate() {
            poller.add(port, number)?;
        }
        let scenario = &plan.scenario;
        let stations = |cell| scenario.stations.iter().filter(move |it| it.cell == cell).count();
        let live = Live::new((0..scenario.cells.len()).map(stations), plan);
        let recorder = ((Metrics::new(scenario), live), traces.recorder);
        let streams = Streams::new(seed, 0);
        let all_laws = laws.first().map_or_else(Arc::default, |law| Arc::clone(law.account.all()));
        let pace = Pace::with_laws(poller, Arc::clone(&all_laws));
        let mut world = World::new(scenario, streams, recorder, pace);
        let laws = start_laws(&mut world, laws);
        let nodes = plan.nodes.len();
        let mut engine = Self {
            world,
            plan,
            ports,
            shared,
            frames: traces.frames,
            connections: Connections::after(scenario.flows.len()),
            traffic: vec![Traffic::default(); nodes],
            has_interface: vec![true; nodes],
            left: vec![PER_TURN; nodes],
            turn_ends: Duration::ZERO,
            next_view: Time::ZERO,
            lateness: Histogram::default(),
            flow_lateness: FlowLateness::new(plan.opposites()),
            crowded: vec![BySecond::default(); nodes],
            effort: Effort::default(),
            losses: Losses::new(ports)?,
            end: Time::ZERO + scenario.duration,
            accounts,
            limits,
            laws,
            all_laws,
            before: None,
        };
        // A view exists before the loop runs.
        engine.publish();
        Ok(engine)
    }

    /// Rates that may be set for both directions of each station's link, in ascending order.
    pub(crate) fn settable_rates(&self) -> Vec<Vec<DataRate>> {
        let of = |station| {
            let member = self.world.station(station);
            let [up, down] = [Direction::Up, Direction::Down]
                .map(|direction| self.world.settable_rates(member, direction));
            rates::of_both(up, down)
        };
        (0..self.plan.scenario.stations.len()).map(of).collect()
    }

    /// Runs the engine until the end of the scenario, or until `Shared::stop` is called.
    pub(crate) fn run(mut self) -> Done {
        let warmup = Time::ZERO + self.plan.scenario.warmup;
        let ends = |it: &Self| it.shared.stop.load(Ordering::Relaxed) || it.all_laws.is_over();
        while self.world.now() < self.end && !ends(&self) {
            if self.before.is_none() && self.world.now() >= warmup {
                self.before = Some(self.carried());
            }
            if self.world.now() >= self.next_view {
                self.publish();
            }
            let until = self.next_view.min(self.end);
            let until = if self.before.is_none() { until.min(warmup) } else { until };
            match self.world.advance(until) {
                // After output the world may be late, and it does not report input while it catches
                // up.
                Pause::Output => {
                    self.deliver();
                    self.take_input();
                }
                Pause::Input | Pause::Reached => self.take_input(),
            }
        }
        self.losses.look(self.ports);
        let view = self.snapshot(Time::MAX);
        let end = self.world.now();
        self.world.recorder().0.0.end_at(end);
        let before = self.before.take();
        let mut carried = self.carried();
        let finished = self.world.finish().map(|((metrics, _), _)| metrics);
        for (now, before) in carried.iter_mut().zip(before.into_iter().flatten()) {
            *now = [now[0] - before[0], now[1] - before[1]];
        }
        Done { finished, view, carried }
    }

    fn carried(&self) -> Vec<[u64; 2]> {
        let read = |account: &Account| {
            [&account.delivered, &account.retransmissions].map(|it| it.load(Ordering::Relaxed))
        };
        self.accounts.iter().map(read).collect()
    }

    /// Sends the packets that have left the world to their interfaces, and the new rate limits to
    /// the programs of TFRC flows.
    fn deliver(&mut self) {
        while let Some(output) = self.world.poll_output() {
            if let Output::RateLimit(flow, side, limit) = output {
                self.limits.get_mut(&flow).expect("it is TFRC's").set(side, limit);
            }
            let Output::Released(Released { flow, origin, handle, reason, window, ecn }) = output
            else {
                continue;
            };
            let (from, to) = self.plan.ends(flow, origin).expect("a packet from a namespace");
            let mut store = self.frames.store();
            let Stored { frame, since, .. } = store.release(handle);
            if reason != ReleaseReason::Delivered {
                self.traffic[from].lost += 1;
                continue;
            }
            let length = octets(frame);
            if ecn == Ecn::CE {
                headers::write_mark(frame);
            }
            if let Some(limit) = window {
                limit_window(&self.connections, frame, limit);
            }
            if let Some(at) = self.plan.tfrc(flow) {
                handle_tfrc(frame, origin, &self.limits[&flow], &self.accounts[at]);
            }
            let there =
                if self.has_interface[to] { self.ports[to].send(frame) } else { Err(NotSent::Off) };
            let (ideal, delay) = (self.world.now(), self.world.now() - *since);
            if there.is_ok() {
                let sender = &mut self.traffic[from];
                sender.delivered_packets += 1;
                sender.sent_delay += delay;
            }
            let traffic = &mut self.traffic[to];
            match there {
                Ok(()) => {
                    traffic.received_packets += 1;
                    traffic.received_bytes += length;
                    traffic.received_delay += delay;
                }
                Err(NotSent::Off) => traffic.not_taken += 1,
                Err(NotSent::Dropped) => traffic.undelivered += 1,
                Err(NotSent::Counted) => {}
            }
            let late = self.world.clock().lateness(ideal);
            self.lateness.add(late.time);
            self.flow_lateness.note(Plan::direction_index(flow, origin), ideal, delay, late);
        }
    }

    /// Handles requests, and injects the frames that have arrived from the namespaces.
    fn take_input(&mut self) {
        let wall = self.world.clock();
        let ready = wall.wall.take();
        let now = wall.now();
        self.renew_turn();
        if ready.bell {
            self.handle_requests();
        }
        if ready.ports.is_empty() {
            return;
        }
        // Events that are due come before the new frames.
        while self.world.now() < now.min(self.end) {
            match self.world.advance(now.min(self.end)) {
                Pause::Output => self.deliver(),
                Pause::Reached => {}
                Pause::Input => break, // the clock has slipped back
            }
        }
        for port in ready.ports {
            self.read(port);
        }
    }

    /// Starts a new [`TURN`], in which [`PER_TURN`] frames may be read from each port, when the
    /// last one is over. Ports from which so many frames were read are read again.
    fn renew_turn(&mut self) {
        let wall = self.world.clock();
        let now = wall.seen();
        if now < self.turn_ends {
            return;
        }
        self.turn_ends = now + TURN;
        wall.wall.alarm = None;
        for (number, left) in self.left.iter_mut().enumerate() {
            if *left == 0 && self.has_interface[number] {
                // The port was removed only until the end of its turn.
                let _ = wall.wall.add(&self.ports[number], number);
            }
            *left = PER_TURN;
        }
    }

    fn read(&mut self, from: usize) {
        let mut buffer = [0; MAX_FRAME + 64];
        for _ in 0..BATCH {
            if self.left[from] == 0 {
                self.crowded[from].add(self.world.now(), TURN);
                let wall = self.world.clock();
                wall.wall.remove(&self.ports[from]);
                wall.wall.alarm = Some(self.turn_ends);
                return;
            }
            match self.ports[from].receive(&mut buffer) {
                Ok(Some(frame)) => {
                    self.left[from] -= 1;
                    self.handle(from, frame);
                }
                Ok(None) => return,
                Err(_) => {
                    self.has_interface[from] = false;
                    self.world.clock().wall.remove(&self.ports[from]);
                    return;
                }
            }
        }
    }

    fn handle(&mut self, from: usize, frame: &[u8]) {
        match frames::classify(frame, from, &self.plan.nodes) {
            Forwarding::To(to) => self.carry(from, to, frame),
            Forwarding::ToAll => {
                for to in (0..self.plan.nodes.len()).filter(|to| *to != from) {
                    self.carry(from, to, frame);
                }
            }
            Forwarding::Answer(answer) => {
                // A lost answer is harmless: the sender repeats its request.
                let _ = self.ports[from].send(&answer);
            }
            Forwarding::Outside(answer) => {
                self.traffic[from].unknown += 1;
                if let Some(answer) = answer {
                    let _ = self.ports[from].send(&answer);
                }
            }
            Forwarding::Filtered => {}
            Forwarding::Unknown => self.traffic[from].unknown += 1,
            Forwarding::Garbage => self.traffic[from].garbage += 1,
        }
    }

    /// Injects the packet in a frame into the world, which has already advanced to the arrival
    /// time. `from` and `to` are indices of nodes.
    fn carry(&mut self, from: usize, to: usize, frame: &[u8]) {
        let headers = headers::read(frame);
        let ecn = headers.map_or(Ecn::NOT_ECT, |headers| headers.ecn);
        let Some((flow, side)) = self.plan.flow_of(headers.as_ref(), from, to) else {
            self.traffic[from].unknown += 1;
            return;
        };
        let (connection, tcp) =
            headers.map(|headers| self.connections.note(&headers)).unwrap_or_default();
        let at = self.world.now();
        let handle = self.frames.store().put(frame, at);
        let opaque = External::new(Bytes::new(octets(frame)), handle);
        let packet = External { connection, tcp, ecn, ..opaque };
        let traffic = &mut self.traffic[from];
        if self.world.inject(at, flow, side, packet).is_ok() {
            traffic.sent_packets += 1;
            traffic.sent_bytes += octets(frame);
        } else {
            traffic.refused += 1;
            self.frames.store().release(packet.handle);
        }
    }

    fn handle_requests(&mut self) {
        let requests = std::mem::take(&mut *locked(&self.shared.requests));
        for (change, answer) in requests {
            // The requester may have given up.
            let _ = answer.send(self.apply(change));
        }
    }

    fn apply(&mut self, change: Change) -> Result<(), &'static str> {
        let world = &mut self.world;
        let applied = match change {
            Change::Rate(station, direction, rate) => {
                let member = world.station(station);
                world.set_rate(member, direction, rates::meant(world.rates(member), rate))
            }
            Change::Errors(station, model) => world.set_errors(world.station(station), model),
            Change::Weights(cell, weights) => world.set_weights(world.access_point(cell), weights),
            Change::Queue(cell, queue) => world.set_queue(world.access_point(cell), queue),
        };
        applied.map_err(NotAllowed::reason)
    }

    fn publish(&mut self) {
        self.update_kernel_flows();
        self.limits.values_mut().for_each(TfrcLimits::send);
        let now = self.world.now();
        self.losses.look_on(self.ports);
        let clock = self.world.clock();
        let (seen, rest) = (clock.seen(), clock.rest);
        self.effort.note(now, seen, rest, self.all_laws.spent());
        let view = self.snapshot(now);
        *locked(&self.shared.view) = view;
        self.next_view = now + VIEW;
    }

    /// Updates the windows and round trips of flows over kernel sockets, which schemes at stations
    /// may read.
    fn update_kernel_flows(&mut self) {
        for (flow, account) in self.plan.kernel_flows.iter().zip(self.accounts) {
            for (side, end) in
                [(Side::Sender, &account.sender), (Side::Receiver, &account.receiver)]
            {
                if let Some(outside) = end.outside(&flow.carrier) {
                    self.world.update(flow.flow, side, outside);
                }
            }
        }
    }

    /// Makes a snapshot of the emulation. Its verdict covers the seconds of channel time that are
    /// over at `then`.
    fn snapshot(&mut self, then: Time) -> View {
        let elapsed = self.world.now() - Time::ZERO;
        let nodes = self.plan.nodes.iter().enumerate();
        let nodes = nodes.map(|(at, node)| (at, node.end)).collect::<Vec<_>>();
        let nodes: Vec<NodeView> =
            nodes.into_iter().map(|(at, end)| self.node_view(at, end)).collect();
        let cells = &self.world.recorder().0.1.cells;
        let access_points = cells.iter().map(|members| members[0]).collect();
        let channels = self.world.recorder().0.1.channels.clone();
        let counted = self.world.recorder().0.1.of_flows.clone();
        let simulated = self.plan.simulated_flows().zip(counted);
        let simulated = simulated.map(|(ends, flow)| ends.map(|_| flow)).collect();
        let flows = &self.plan.scenario.flows;
        let name = |track| flows[Plan::flow_of_direction(track).index()].name.clone();
        let [worst_second, worst_flow] = self.flow_lateness.worst(then, name);
        let clock = self.world.clock();
        let punctuality = Punctuality {
            packets: self.lateness.count(),
            p50: self.lateness.quantile(500),
            p99: self.lateness.quantile(10),
            p999: self.lateness.quantile(1),
            longest_stall: clock.longest,
            slips: clock.slips,
            slipped: clock.slipped,
            slipped_in_laws: clock.slipped_in_laws,
            stillest: clock.by_second.most,
            worst_second,
            worst_flow,
            elapsed,
        };
        let mut objections = verdict::objections(&punctuality);
        objections.extend(self.objections(&nodes));
        let laws = self.laws.iter().map(|account| account.read()).collect();
        View {
            elapsed,
            punctuality,
            nodes,
            flows: simulated,
            access_points,
            channels,
            laws,
            objections,
        }
    }

    /// Reasons other than lateness and stalls for which the figures are invalid: packets dropped by
    /// the kernel, a busy engine, and nodes that send too many frames.
    fn objections(&self, nodes: &[NodeView]) -> Vec<Objection> {
        let names = || self.plan.nodes.iter().map(|node| node.name.clone());
        let each = |count: fn(&Traffic) -> u64| {
            let counted = names().zip(nodes).map(|(name, node)| (name, count(&node.traffic)));
            counted.filter(|(_, count)| *count > 0).collect::<Vec<_>>()
        };
        let crowded = names().zip(&self.crowded).map(|(name, it)| (name, it.most));
        let mut found = vec![
            Objection::Unread(each(|it| it.unread)),
            Objection::Undelivered(each(|it| it.undelivered)),
            Objection::Effort(self.effort.most),
        ];
        found.extend(crowded.map(|(name, most)| Objection::Crowded(name, most)));
        found.retain(Objection::holds);
        found
    }

    fn node_view(&mut self, at: usize, end: Endpoint) -> NodeView {
        let (mut traffic, has_interface) = (self.traffic[at], self.has_interface[at]);
        let Drops { unread, undelivered, for_nobody } = self.losses.nodes[at];
        traffic.unread = unread;
        traffic.undelivered += undelivered;
        traffic.not_taken += for_nobody;
        let simulated = self.world.recorder().0.1.nodes[at];
        let Endpoint::Station(index) = end else {
            return NodeView { traffic, simulated, has_interface, ..NodeView::default() };
        };
        let station = self.world.station(index);
        let member = self.world.recorder().0.1.cells[station.cell.index()][station.node.index()];
        let (now, spec) = (self.world.now(), &self.plan.scenario.stations[index]);
        let schedules = [&spec.rate_up, &spec.rate_down];
        let rates = [0, 1].map(|direction| {
            let past = schedules[direction].iter().rev().find(|(from, _)| *from <= now);
            member.rates[direction].or(past.map(|(_, rate)| rate.data_rate()))
        });
        NodeView { traffic, simulated, member: Some(member), rates, has_interface }
    }
}

/// Puts laws at their nodes, which tells them of the start. Channel time starts afterwards, so that
/// a law may take its time in `start`.
fn start_laws<R: Recorder>(
    world: &mut World<R, Pace<Poller<'_>>>,
    laws: Vec<Law>,
) -> Vec<Arc<LawAccount>> {
    let mut accounts = Vec::new();
    for Law { place, agent, account } in laws {
        let member = match place {
            Place::Station(index) => world.station(index),
            Place::AccessPoint(cell) => world.access_point(cell),
        };
        world.add_agent(member, agent);
        accounts.push(account);
    }
    for account in &accounts {
        account.restart();
    }
    world.clock().restart();
    accounts
}

/// Lowers to at most `limit` the window in the TCP header of a frame.
fn limit_window(connections: &Connections, frame: &mut [u8], limit: Bytes) {
    let Some(headers) = headers::read(frame) else { return };
    if let Some((tcp, window)) = headers.tcp.zip(connections.window(&headers, limit)) {
        headers::write_window(frame, tcp.at, window);
    }
}

/// Counts and reads a TFRC packet that has crossed the cell: data packets carry the payload and the
/// round trip, and the receiver's rate limit is written into feedback packets.
fn handle_tfrc(frame: &mut [u8], origin: Side, limits: &TfrcLimits, account: &Account) {
    let Some(headers) = headers::read(frame) else { return };
    if origin == Side::Receiver {
        if let Some(limit) = limits.receiver() {
            reports::limit(frame, &headers, limit);
        }
        return;
    }
    if let Some(wire::Packet::Data(data)) = reports::read(frame, &headers) {
        account.delivered.fetch_add(data.payload.into(), Ordering::Relaxed);
        account.sender.note_tfrc(data.rtt);
        account.receiver.note_tfrc(data.rtt);
    }
}

/// Length of a frame without the Ethernet header [octets].
fn octets(frame: &[u8]) -> u64 {
    (frame.len() - HEADER) as u64
}
