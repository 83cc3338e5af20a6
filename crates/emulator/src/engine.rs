//! The loop: what the world puts out goes into interfaces, what interfaces put out goes into the world.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard};

use airfair_sim::metrics::Metrics;
use airfair_sim::packet::{External, FlowId, Side};
use airfair_sim::random::Streams;
use airfair_sim::run::Finished;
use airfair_sim::scenario::{Endpoint, ErrorModel, Queue, Weights};
use airfair_sim::world::{Direction, Fate, Output, Pause, Released, World};
use airfair_transport::tfrc::wire;
use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::connections::Connections;
use crate::frames::{self, MAX_FRAME, Verdict};
use crate::headers::{self, HEADER};
use crate::lateness::{Histogram, Punctuality};
use crate::limits::Limits;
use crate::live::Live;
use crate::os::{Backend, Bell, Drops, Losses, NotSent, Poller, Port};
use crate::pace::Pace;
use crate::plan::Plan;
use crate::reports;
use crate::store::{Store, Stored};
use crate::traffic::Account;
use crate::verdict::{self, BySecond, Effort, Objection, Watch};
use crate::view::{NodeView, Traffic, View};

/// Frames that one port may hand over in a [`TURN`]: the rest waits in its interface, which drops what is too much.
const PER_TURN: u32 = 128;
/// Frames of one port before it is another's turn.
const BATCH: u32 = 32;
/// A turn of all ports.
const TURN: Duration = Duration::from_millis(1);
/// The end of each wait that an engine that spins is awake: longer than a wake-up on a quiet machine takes.
const AWAKE: Duration = Duration::from_micros(60);
/// Time between two views for whoever watches.
const VIEW: Duration = Duration::from_millis(100);

/// What is asked of an emulation beside its scenario.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Kind of interfaces.
    pub backend: Backend,
    /// Seed of all that chance decides.
    pub seed: u64,
    /// True if the engine stays awake at the end of each wait: less late, for a part of a core.
    pub spin: bool,
    /// Channel time after which it ends; `None`: when it is stopped.
    pub duration: Option<Duration>,
}

/// A wish of somebody outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// A rate for a station, by its place, in one direction.
    Rate(usize, Direction, DataRate),
    /// Errors of frames between a station and its access point.
    Errors(usize, ErrorModel),
    /// Weights of data and ACKs at an access point.
    Weights(usize, Weights),
    /// Another queue at an access point.
    Queue(usize, Queue),
}

/// A wish, and where the answer goes.
pub(crate) type Order = (Wish, Sender<Result<(), &'static str>>);

/// What the engine shares with everybody else.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) stop: AtomicBool,
    pub(crate) bell: Bell,
    view: Mutex<View>,
    orders: Mutex<VecDeque<Order>>,
}

impl Shared {
    pub(crate) fn new(bell: Bell) -> Self {
        Self {
            stop: AtomicBool::new(false),
            bell,
            view: Mutex::default(),
            orders: Mutex::default(),
        }
    }

    pub(crate) fn view(&self) -> View {
        locked(&self.view).clone()
    }

    pub(crate) fn order(&self, order: Order) {
        locked(&self.orders).push_back(order);
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

/// A finished emulation.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) finished: Finished<Metrics>,
    pub(crate) view: View,
    /// Octets and retransmissions of each flow over real sockets, since the warm-up.
    pub(crate) carried: Vec<[u64; 2]>,
}

pub(crate) struct Engine<'s> {
    world: World<(Metrics, Live), Pace<Poller<'s>>>,
    plan: &'s Plan,
    ports: &'s [Port],
    shared: &'s Shared,
    store: Store,
    connections: Connections,
    traffic: Vec<Traffic>,
    is_there: Vec<bool>,
    /// Frames that each port may still hand over in this turn.
    left: Vec<u32>,
    turn_ends: Duration,
    next_view: Time,
    lateness: Histogram,
    watch: Watch,
    /// Turns that a port has used up, by node.
    crowded: Vec<BySecond>,
    effort: Effort,
    losses: Losses,
    end: Time,
    accounts: &'s [Account],
    /// Limits of flows that are TFRC's.
    limits: BTreeMap<FlowId, Limits>,
    /// Accounts of the flows that the kernel carries, at the end of the warm-up.
    before: Option<Vec<[u64; 2]>>,
}

impl<'s> Engine<'s> {
    /// An engine at the start of channel time, which is now.
    pub(crate) fn new(
        plan: &'s Plan,
        ports: &'s [Port],
        (shared, accounts): (&'s Shared, &'s [Account]),
        limits: BTreeMap<FlowId, Limits>,
        &Options { seed, spin, .. }: &Options,
    ) -> std::io::Result<Self> {
        let awake = if spin { AWAKE } else { Duration::ZERO };
        let poller = Poller::new(&shared.bell, awake)?;
        for (number, port) in ports.iter().enumerate() {
            poller.add(port, number)?;
        }
        let scenario = &plan.scenario;
        let stations = |cell| scenario.stations.iter().filter(move |it| it.cell == cell).count();
        let live = Live::new((0..scenario.cells.len()).map(stations), plan);
        let recorder = (Metrics::new(scenario), live);
        let streams = Streams::new(seed, 0);
        let world = World::new(scenario, streams, recorder, Pace::new(poller));
        let nodes = plan.nodes.len();
        let mut engine = Self {
            world,
            plan,
            ports,
            shared,
            store: Store::default(),
            connections: Connections::after(scenario.flows.len()),
            traffic: vec![Traffic::default(); nodes],
            is_there: vec![true; nodes],
            left: vec![PER_TURN; nodes],
            turn_ends: Duration::ZERO,
            next_view: Time::ZERO,
            lateness: Histogram::default(),
            watch: Watch::new(plan.opposites()),
            crowded: vec![BySecond::default(); nodes],
            effort: Effort::default(),
            losses: Losses::new(ports)?,
            end: Time::ZERO + scenario.duration,
            accounts,
            limits,
            before: None,
        };
        // Whoever asks before it runs sees its start.
        engine.show();
        Ok(engine)
    }

    /// Runs until the end of the scenario, or until it is stopped.
    pub(crate) fn run(mut self) -> Done {
        let warmup = Time::ZERO + self.plan.scenario.warmup;
        while self.world.now() < self.end && !self.shared.stop.load(Ordering::Relaxed) {
            if self.before.is_none() && self.world.now() >= warmup {
                self.before = Some(self.carried());
            }
            if self.world.now() >= self.next_view {
                self.show();
            }
            let until = self.next_view.min(self.end);
            let until = if self.before.is_none() { until.min(warmup) } else { until };
            match self.world.advance(until) {
                // While packets come out the world is perhaps late, and says nothing of input.
                Pause::Output => {
                    self.deliver();
                    self.take_input();
                }
                Pause::Input | Pause::Reached => self.take_input(),
            }
        }
        self.losses.look(self.ports);
        let view = self.look(Time::MAX);
        let end = self.world.now();
        self.world.recorder().0.end_at(end);
        let before = self.before.take();
        let mut carried = self.carried();
        let finished = self.world.finish().map(|(metrics, _)| metrics);
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

    /// Hands over what has come out of the world.
    fn deliver(&mut self) {
        while let Some(output) = self.world.poll_output() {
            if let Output::RateLimit(flow, side, limit) = output {
                self.limits.get_mut(&flow).expect("it is TFRC's").set(side, limit);
            }
            let Output::Released(Released { flow, origin, handle, fate, window }) = output else {
                continue;
            };
            let (from, to) = self.plan.ends(flow, origin).expect("a packet from a namespace");
            let Stored { frame, since } = self.store.release(handle);
            if fate != Fate::Delivered {
                self.traffic[from].lost += 1;
                continue;
            }
            let length = octets(frame);
            if let Some(limit) = window {
                limit_window(&self.connections, frame, limit);
            }
            if let Some(at) = self.plan.tfrc(flow) {
                handle_tfrc(frame, origin, &self.limits[&flow], &self.accounts[at]);
            }
            let there =
                if self.is_there[to] { self.ports[to].send(frame) } else { Err(NotSent::Off) };
            let traffic = &mut self.traffic[to];
            match there {
                Ok(()) => {
                    traffic.received_packets += 1;
                    traffic.received_bytes += length;
                }
                Err(NotSent::Off) => traffic.not_taken += 1,
                Err(NotSent::Dropped) => traffic.undelivered += 1,
                Err(NotSent::Counted) => {}
            }
            let (ideal, delay) = (self.world.now(), self.world.now() - *since);
            let late = self.world.clock().now().saturating_since(ideal);
            self.lateness.add(late);
            self.watch.note(Plan::track(flow, origin), ideal, delay, late);
        }
    }

    /// Takes what has come from namespaces, and orders.
    fn take_input(&mut self) {
        let wall = self.world.clock();
        let ready = wall.wall.take();
        let now = wall.now();
        self.renew_turn();
        if ready.bell {
            self.obey();
        }
        if ready.ports.is_empty() {
            return;
        }
        // What is due happens before what comes.
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

    /// Ports that had sent too much may go on when their turn is over.
    fn renew_turn(&mut self) {
        let wall = self.world.clock();
        let now = wall.seen();
        if now < self.turn_ends {
            return;
        }
        self.turn_ends = now + TURN;
        wall.wall.alarm = None;
        for (number, left) in self.left.iter_mut().enumerate() {
            if *left == 0 && self.is_there[number] {
                // It was taken out for its turn alone.
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
                    self.is_there[from] = false;
                    self.world.clock().wall.remove(&self.ports[from]);
                    return;
                }
            }
        }
    }

    fn handle(&mut self, from: usize, frame: &[u8]) {
        match frames::judge(frame, from, &self.plan.nodes) {
            Verdict::To(to) => self.carry(from, to, frame),
            Verdict::ToAll => {
                for to in (0..self.plan.nodes.len()).filter(|to| *to != from) {
                    self.carry(from, to, frame);
                }
            }
            Verdict::Answer(answer) => {
                // Whoever has asked asks again.
                let _ = self.ports[from].send(&answer);
            }
            Verdict::Kept => {}
            Verdict::Unknown => self.traffic[from].unknown += 1,
            Verdict::Garbage => self.traffic[from].garbage += 1,
        }
    }

    /// A packet goes into the world, in which all has happened that comes before it.
    fn carry(&mut self, from: usize, to: usize, frame: &[u8]) {
        let headers = headers::read(frame);
        let Some((flow, side)) = self.plan.flow_of(headers.as_ref(), from, to) else {
            self.traffic[from].unknown += 1;
            return;
        };
        let (connection, tcp) =
            headers.map(|headers| self.connections.note(&headers)).unwrap_or_default();
        let at = self.world.now();
        let opaque = External::new(Bytes::new(octets(frame)), self.store.put(frame, at));
        let packet = External { connection, tcp, ..opaque };
        let traffic = &mut self.traffic[from];
        if self.world.inject(at, flow, side, packet).is_ok() {
            traffic.sent_packets += 1;
            traffic.sent_bytes += octets(frame);
        } else {
            traffic.refused += 1;
            self.store.release(packet.handle);
        }
    }

    fn obey(&mut self) {
        let orders = std::mem::take(&mut *locked(&self.shared.orders));
        for (wish, answer) in orders {
            // Whoever has asked may have gone.
            let _ = answer.send(self.grant(wish));
        }
    }

    fn grant(&mut self, wish: Wish) -> Result<(), &'static str> {
        use airfair_sim::world::Unsettable;
        let world = &mut self.world;
        let granted = match wish {
            Wish::Rate(station, direction, rate) => {
                world.set_rate(world.station(station), direction, rate)
            }
            Wish::Errors(station, model) => world.set_errors(world.station(station), model),
            Wish::Weights(cell, weights) => world.set_weights(world.access_point(cell), weights),
            Wish::Queue(cell, queue) => {
                world.set_queue(world.access_point(cell), queue);
                Ok(())
            }
        };
        granted.map_err(|error| match error {
            Unsettable::NoSuchRate => "not a rate of the station's standard",
            Unsettable::RateIsFound => "rate adaptation sets this rate",
            Unsettable::PowersDecide => "powers decide which frames are errored",
            Unsettable::NoWeights => "the queue has no weights of data and ACKs",
        })
    }

    fn show(&mut self) {
        self.tell_of_kernel_flows();
        self.limits.values_mut().for_each(Limits::tell);
        let now = self.world.now();
        self.losses.look_on(self.ports);
        let clock = self.world.clock();
        let (seen, rest) = (clock.seen(), clock.rest);
        self.effort.note(now, seen, rest);
        let view = self.look(now);
        *locked(&self.shared.view) = view;
        self.next_view = now + VIEW;
    }

    /// Schemes of a station know of its own transports what those know of themselves.
    fn tell_of_kernel_flows(&mut self) {
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

    /// The state now, with a verdict on the seconds that are over then.
    fn look(&mut self, then: Time) -> View {
        let elapsed = self.world.now() - Time::ZERO;
        let nodes = self.plan.nodes.iter().enumerate();
        let nodes = nodes.map(|(at, node)| (at, node.end)).collect::<Vec<_>>();
        let nodes: Vec<NodeView> =
            nodes.into_iter().map(|(at, end)| self.look_at(at, end)).collect();
        let cells = &self.world.recorder().1.cells;
        let access_points = cells.iter().map(|members| members[0]).collect();
        let flows = &self.plan.scenario.flows;
        let name = |track| flows[Plan::flow_of_track(track).index()].name.clone();
        let [worst_second, worst_flow] = self.watch.worst(then, name);
        let clock = self.world.clock();
        let punctuality = Punctuality {
            packets: self.lateness.count(),
            p50: self.lateness.quantile(500),
            p99: self.lateness.quantile(10),
            p999: self.lateness.quantile(1),
            longest_stall: clock.longest,
            slips: clock.slips,
            slipped: clock.slipped,
            stillest: clock.by_second.most,
            worst_second,
            worst_flow,
            elapsed,
        };
        let mut objections = verdict::objections(&punctuality);
        objections.extend(self.objections(&nodes));
        View { elapsed, punctuality, nodes, access_points, objections }
    }

    /// Objections that have nothing to do with the time of packets that come out.
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

    fn look_at(&mut self, at: usize, end: Endpoint) -> NodeView {
        let (mut traffic, is_there) = (self.traffic[at], self.is_there[at]);
        let Drops { unread, undelivered, for_nobody } = self.losses.nodes[at];
        traffic.unread = unread;
        traffic.undelivered += undelivered;
        traffic.not_taken += for_nobody;
        let simulated = self.world.recorder().1.nodes[at];
        let Endpoint::Station(index) = end else {
            return NodeView { traffic, simulated, is_there, ..NodeView::default() };
        };
        let station = self.world.station(index);
        let member = self.world.recorder().1.cells[station.cell.index()][station.node.index()];
        let (now, spec) = (self.world.now(), &self.plan.scenario.stations[index]);
        let schedules = [&spec.rate_up, &spec.rate_down];
        let rates = [0, 1].map(|direction| {
            let past = schedules[direction].iter().rev().find(|(from, _)| *from <= now);
            member.rates[direction].or(past.map(|(_, rate)| rate.data_rate()))
        });
        NodeView { traffic, simulated, member: Some(member), rates, is_there }
    }
}

/// Lets the TCP header of a frame say such a window at most.
fn limit_window(connections: &Connections, frame: &mut [u8], limit: Bytes) {
    let Some(headers) = headers::read(frame) else { return };
    if let Some((tcp, window)) = headers.tcp.zip(connections.window(&headers, limit)) {
        headers::write_window(frame, tcp.at, window);
    }
}

/// A packet of a TFRC over real sockets has come: data count, and say the round trip; reports are limited.
fn handle_tfrc(frame: &mut [u8], origin: Side, limits: &Limits, account: &Account) {
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

/// Octets of a frame, its header apart.
fn octets(frame: &[u8]) -> u64 {
    (frame.len() - HEADER) as u64
}
