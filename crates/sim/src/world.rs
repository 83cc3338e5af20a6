//! The world: wait for the clock, take the next event, let the touched machine act, forward what it
//! sends, re-arm it.
//!
//! | file | concept |
//! | --- | --- |
//! | `world.rs` | time: the loop, what an owner does with it |
//! | `world/flows.rs` | packets between the ends of flows |
//! | `world/air.rs`, `world/wires.rs` | packets over a hop |
//! | `world/external.rs` | packets from outside, and what becomes of them |
//! | `world/limits.rs` | the thing that limits each flow |
//! | `world/room.rs` | room in the queue of an end's own host |
//! | `world/small_queues.rs` | departures from that queue, which TCP small queues count |
//! | `world/settings.rs` | what an owner may change |
//! | `world/agents.rs` | schemes |
//! | `world/tracing.rs` | looks for a trace |
//!
//! A run, an emulator and the page in a browser each own a world. [`World::advance`] returns when its time has come, when
//! the clock has input, or when a packet has come out. Packets of an *external* flow are the owner's: it injects a size
//! and a handle, keeps the bytes, and gets each handle back exactly once. A refused packet has never been inside.
//!
//! An end whose own host has no room for its packet waits in line at that queue (`world/room.rs`), and is called when a
//! packet has left it. A saturated source waits for each packet that it may queue, an external end once after a refusal.
//! TCP that keeps a refused segment waits for its next ACK instead, as in Linux.

mod agents;
mod air;
mod external;
mod flows;
mod limits;
mod room;
mod settings;
mod small_queues;
#[cfg(test)]
mod tests;
mod tracing;
mod wires;

use std::collections::VecDeque;

use airfair_units::{Duration, Time};
use airfair_wlan::phy::Rate;
use airfair_wlan::{Departure, Moment, Msdu, NodeId};

use crate::clock::{Clock, Woken};
use crate::coupling::{Action, Seen};
use crate::endpoint::Source;
use crate::link::{Link, LinkId};
use crate::packet::{FlowId, Packet, Side};
use crate::queue::EventQueue;
use crate::record::{CellId, Member, Record, Recorder, Sample, SenderWindow};
use crate::run::Finished;

pub(crate) use air::Bss;
pub use external::{Fate, Output, Outside, OutsideTcp, Refused, Released};
pub(crate) use flows::Flow;
pub(crate) use limits::LimitWatch;
pub(crate) use room::{Line, WithoutRoom};
pub(crate) use settings::Settable;
pub use settings::Unsettable;
pub(crate) use small_queues::{Departures, SmallQueue};
pub(crate) use tracing::Freedom;

pub use airfair_laws::Direction;

/// One step of a packet's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Over the air, from one member of a cell to another.
    Air { cell: CellId, from: NodeId, to: NodeId },
    /// Over a wired link.
    Wire(LinkId),
}

impl Hop {
    /// The same hop in the other direction.
    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Air { cell, from, to } => Self::Air { cell, from: to, to: from },
            Self::Wire(link) => Self::Wire(link.reversed()),
        }
    }
}

/// Something that happens at a time known beforehand. What happens on the air is the cell's business.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Start(FlowId),
    Stop(FlowId),
    /// A timer of an endpoint.
    Alarm(FlowId, Side),
    /// The next packet reaches the end of a link.
    Arrival(LinkId),
    /// A packet of an end that waits for this has left the queue of its own link.
    Departure(FlowId, Side),
    /// A packet has left the queue of a link for whose room someone waits.
    Room(LinkId),
    /// Packets for whose departure from a link's queue a sender waits have left it.
    SmallQueue(FlowId),
    /// A station's rate changes.
    Rate(usize),
    /// An access point is to send a beacon.
    Beacon(CellId),
    /// An agent at a member of a cell has asked for this time.
    Wake(CellId, NodeId),
}

/// A change of a station's rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateChange {
    pub(crate) at: Time,
    pub(crate) cell: CellId,
    pub(crate) station: NodeId,
    pub(crate) direction: Direction,
    pub(crate) rate: Rate,
}

/// All that is simulated, at a point in time. Whoever owns it lets time pass.
///
/// ```
/// use airfair_sim::clock::FreeRunning;
/// use airfair_sim::metrics::Metrics;
/// use airfair_sim::random::Streams;
/// use airfair_sim::scenario::Scenario;
/// use airfair_sim::world::{Pause, World};
/// use airfair_units::{Duration, Time};
///
/// let text = include_str!("../../../scenarios/saturated-cell.toml");
/// let scenario = Scenario::parse(text, &[]).expect("an example of the laboratory");
/// let mut world = World::new(&scenario, Streams::new(1, 0), Metrics::new(&scenario), FreeRunning);
/// let end = Time::ZERO + scenario.duration;
/// while world.now() < end {
///     let next = (world.now() + Duration::from_secs(1)).min(end);
///     assert_eq!(world.advance(next), Pause::Reached);
/// }
/// let outcome = world.finish().recorder.finish(&scenario);
/// assert!(outcome.flows[0].packets_received > 0);
/// ```
#[derive(Debug)]
pub struct World<R, C> {
    pub(crate) now: Time,
    /// Part at the start of which no packet counts as in flight; end of the scenario.
    pub(crate) warmup: Duration,
    pub(crate) end: Time,
    pub(crate) clock: C,
    /// Longest time by which the clock was late.
    pub(crate) lateness: Duration,
    pub(crate) queue: EventQueue<Event>,
    pub(crate) cells: Vec<Bss>,
    pub(crate) links: Vec<Link>,
    /// Ends that wait for room in the queue before each link.
    pub(crate) lines: Vec<Line>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) rate_changes: Vec<RateChange>,
    /// Each station of the scenario.
    pub(crate) stations: Vec<Member>,
    /// True if an agent is told of frames.
    pub(crate) observes: bool,
    /// Actions of the agent that has just been told of something.
    pub(crate) actions: Vec<Action>,
    /// Flows whose senders an agent has touched, and which may have something to send.
    pub(crate) touched: VecDeque<FlowId>,
    /// Nothing happens from here on before the owner has had its turn.
    pub(crate) horizon: Time,
    /// Memory for packets that a cell hands over.
    pub(crate) delivered: Vec<Msdu<Packet>>,
    pub(crate) departed: Vec<Departure<Packet>>,
    /// Outputs that the owner has not fetched yet.
    pub(crate) outputs: VecDeque<Output>,
    /// Freedom of each sender that a trace has been told of; empty without a trace.
    pub(crate) traced: Vec<Option<Freedom>>,
    /// Limit of each flow; empty without a consumer that wants to know.
    pub(crate) limits: Vec<LimitWatch>,
    pub(crate) recorder: R,
    pub(crate) events: u64,
}

/// The reason why [`World::advance`] has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The time asked for has come.
    Reached,
    /// The clock has input for the owner: [`Woken::Input`]. The next event has not happened yet.
    Input,
    /// Something has come out of the world: [`World::poll_output`]. Time stands still until all of it is fetched.
    Output,
}

impl<R: Recorder, C: Clock> World<R, C> {
    /// Time up to which everything has happened.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Time of the next event; `None` if nothing is left to happen.
    pub fn next_event(&self) -> Option<Time> {
        let next = self.queue.peek().min(self.next_on_air().0);
        (next < Moment::NEVER).then(|| next.at())
    }

    /// Lets everything happen that happens before `until`, each when the clock says so, or until there is something
    /// for the owner to do.
    ///
    /// # Panics
    /// If `until` has passed, or lies beyond the end of the scenario.
    #[must_use = "the world may have stopped early"]
    pub fn advance(&mut self, until: Time) -> Pause {
        assert!(self.now <= until, "time does not go back");
        assert!(until <= self.end, "a world lasts as long as its scenario");
        self.horizon = if self.outputs.is_empty() { until } else { Time::ZERO };
        loop {
            let scheduled = self.queue.peek();
            let (on_air, index) = self.next_on_air();
            let next = scheduled.min(on_air);
            if next.at() >= self.horizon {
                return self.pause(until);
            }
            if !self.comes(next.at()) {
                return Pause::Input;
            }
            self.now = next.at();
            self.events += 1;
            // At the same moment, what was scheduled before it comes before what the air decides in it.
            if on_air < scheduled {
                self.cells[index].cell.handle_event(self.now, next.phase());
            } else {
                let event = self.take_scheduled().expect("the event just seen");
                // A trace looks at every member after each event.
                if !self.handle(event) && !R::TRACES {
                    continue;
                }
            }
            self.drain_cells();
        }
    }

    /// Nothing more happens before the horizon.
    fn pause(&mut self, until: Time) -> Pause {
        if !self.outputs.is_empty() {
            return Pause::Output;
        }
        if !self.comes(until) {
            return Pause::Input;
        }
        self.now = until;
        Pause::Reached
    }

    /// Waits for a time; false if input comes before it.
    #[inline]
    fn comes(&mut self, at: Time) -> bool {
        match self.clock.wait_until(at) {
            Woken::Due => true,
            Woken::Late(by) => {
                self.lateness = self.lateness.max(by);
                true
            }
            Woken::Input => false,
        }
    }

    /// The longest time by which the clock has been late.
    pub fn lateness(&self) -> Duration {
        self.lateness
    }

    /// The clock.
    pub fn clock(&mut self) -> &mut C {
        &mut self.clock
    }

    /// The consumer of records.
    pub fn recorder(&mut self) -> &mut R {
        &mut self.recorder
    }

    /// Ends the run at this time: accounts for all that is still under way.
    pub fn finish(mut self) -> Finished<R> {
        self.flush();
        self.into_finished()
    }

    /// Ends a run that has been [flushed](Self::flush).
    pub(crate) fn into_finished(mut self) -> Finished<R> {
        let in_flight = self.in_flight(Time::ZERO + self.warmup);
        self.release_all();
        let outputs = self.outputs.into();
        Finished { recorder: self.recorder, events: self.events, in_flight, outputs }
    }

    /// Lets everything happen that happens before `until`.
    #[cfg(test)]
    pub(crate) fn run_until(&mut self, until: Time) {
        assert_eq!(self.advance(until), Pause::Reached);
    }

    /// The next event on any channel, and its cell; among equals the first cell's.
    #[inline]
    fn next_on_air(&self) -> (Moment, usize) {
        if let [only] = self.cells.as_slice() {
            return (only.cell.next_event(), 0);
        }
        let next = |(index, bss): (usize, &Bss)| (bss.cell.next_event(), index);
        self.cells.iter().enumerate().map(next).min().unwrap_or((Moment::NEVER, 0))
    }

    /// The next event that was scheduled. A link's next arrival takes the place of the one that comes.
    #[inline]
    fn take_scheduled(&mut self) -> Option<Event> {
        let Self { queue, links, .. } = self;
        queue.pop_or_move(|event| match event {
            Event::Arrival(link) => links[link.index()].second_arrival(),
            _ => None,
        })
    }

    /// False if nothing follows from it that anybody need look at.
    #[inline]
    fn handle(&mut self, event: Event) -> bool {
        if let Event::Arrival(link) = event {
            return self.arrive_by_wire(link);
        }
        self.handle_other(event);
        true
    }

    #[inline(never)]
    fn handle_other(&mut self, event: Event) {
        match event {
            Event::Start(flow) => self.start(flow),
            Event::Stop(flow) => {
                self.flows[flow.index()].source.close(self.now);
                self.drain_source(flow);
            }
            Event::Alarm(flow, side) => self.ring(flow, side),
            Event::Arrival(_) => unreachable!("most events are arrivals, and seen to before"),
            Event::Departure(flow, side) => self.seek_room(flow, side),
            Event::Room(link) => self.leave_room_on(link),
            Event::SmallQueue(flow) => self.ring_small_queue(flow),
            Event::Rate(index) => self.change_rate(index),
            Event::Beacon(cell) => self.send_beacon(cell),
            Event::Wake(cell, node) => self.tell(cell, node, &Seen::Timer),
        }
    }

    /// Accounts for everything up to now, at the end of a run.
    pub(crate) fn flush(&mut self) {
        for bss in &mut self.cells {
            bss.cell.flush(self.now);
        }
        self.drain_cells();
        self.end_agents();
        self.end_limits();
    }

    /// Packets of each flow's sender, sent at `since` or later, that are queued, on the air or on a wire.
    fn in_flight(&self, since: Time) -> Vec<u64> {
        let mut counts = vec![0; self.flows.len()];
        let counted = |packet: &&Packet| packet.origin == Side::Sender && packet.sent_at >= since;
        for packet in self.under_way().filter(counted) {
            counts[packet.flow.index()] += 1;
        }
        counts
    }

    /// Packets that are queued, on the air, in a reorder buffer or on a wire.
    fn under_way(&self) -> impl Iterator<Item = &Packet> {
        let cells = self.cells.iter().map(|bss| &bss.cell);
        let on_air = cells.flat_map(|cell| cell.undelivered().chain(cell.buffered()));
        on_air.map(|msdu| &msdu.payload).chain(self.links.iter().flat_map(Link::in_flight))
    }

    /// A step of the time series ends: a look at what nothing tells by itself.
    #[cold]
    pub(crate) fn sample(&mut self) {
        for index in 0..self.flows.len() {
            let Source::Tcp(sender) = &self.flows[index].source else { continue };
            let window = SenderWindow { cwnd: sender.cwnd(), ssthresh: sender.ssthresh() };
            let sample = Sample::Window(FlowId::new(index), window);
            self.recorder.record(self.now, &Record::Sample(sample));
        }
        self.recorder.record(self.now, &Record::Sample(Sample::StepEnd));
    }
}
