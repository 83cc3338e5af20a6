//! The world and its event loop: wait for the clock, take the next event, let one state machine act, such as a cell or
//! a transport, forward its packets, and schedule its next timer.
//!
//! | file | content |
//! | --- | --- |
//! | `world.rs` | the loop, and the interface for the owner of a world |
//! | `world/flows.rs` | packets between the ends of flows |
//! | `world/air.rs`, `world/wires.rs` | packets over one hop |
//! | `world/external.rs` | packets that the owner injects and receives |
//! | `world/held.rs` | packets that agents delay |
//! | `world/limits.rs` | measurement of what limits each flow |
//! | `world/room.rs` | ends that wait for room in their host's queue |
//! | `world/small_queues.rs` | TCP small queues, which count departures from the host's queue |
//! | `world/settings.rs` | settings that the owner may change |
//! | `world/agents.rs` | events and actions of agents |
//! | `world/tracing.rs` | items of a trace |
//!
//! The state is in files below these, which do not know the world: `event.rs`, `bss.rs`, `output.rs`, `finished.rs`,
//! `held_packets.rs`, `limit_watch.rs`, `waiting_ends.rs`, `freedom.rs`, and the crate's `flow`.
//!
//! A run, an emulator and the page in a browser each own a world. [`World::advance`] returns when the world has
//! reached the requested time, when the clock has input, or when the world has an output, such as a packet that has
//! arrived. Packets of an *external* flow belong to the owner of the world. The owner injects a size and a handle,
//! keeps the bytes, and gets each handle back exactly once. A refused packet has never been in the world.
//!
//! An end whose own host has no room for its packet waits in line at the queue of this host (`world/room.rs`), and is
//! called when a packet has left the queue. A saturated source waits in this way before each of its packets. An
//! external end waits only after the queue has refused a packet. TCP that keeps a refused segment does not wait for
//! room but for its next ACK, as in Linux.

mod agents;
mod air;
mod bss;
mod cells;
mod event;
mod external;
mod finished;
mod flows;
mod freedom;
mod held;
mod held_packets;
mod limit_watch;
mod limits;
mod output;
mod room;
mod settings;
mod small_queues;
#[cfg(test)]
mod tests;
mod tracing;
mod waiting_ends;
mod wires;

use std::collections::VecDeque;

use airfair_units::{Duration, Time};
use airfair_wlan::{Departure, Moment, Msdu};

use crate::clock::{Clock, Woken};
use crate::coupling::{Action, Seen};
use crate::flow::Flow;
use crate::link::LinkDirection;
use crate::packet::{FlowId, Packet, Side};
use crate::queue::EventQueue;
use crate::record::{Member, Record, Sample};
use crate::recorder::Recorder;

pub(crate) use bss::Bss;
pub(crate) use cells::Cells;
pub(crate) use event::{Event, RateChange};
pub use finished::Finished;
pub(crate) use freedom::Freedom;
pub(crate) use held_packets::HeldPackets;
pub(crate) use limit_watch::LimitWatch;
pub use output::{Output, Refused, ReleaseReason, Released};
pub(crate) use waiting_ends::WaitingEnds;

pub use crate::endpoint::{Outside, OutsideTcp};
pub use crate::settable::AggregateLimits;
pub use airfair_laws::Direction;
pub use airfair_laws::window_limit::WindowLimit;

/// State of a simulated network at a point in time. The owner of the world advances the time.
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
#[derive(Clone, Debug)]
pub struct World<R, C> {
    pub(crate) now: Time,
    /// Length of the warm-up. Packets sent during the warm-up do not count as in flight at the end of the run.
    pub(crate) warmup: Duration,
    pub(crate) end: Time,
    pub(crate) clock: C,
    /// Largest delay so far by which the clock has returned too late from a wait.
    pub(crate) lateness: Duration,
    pub(crate) queue: EventQueue<Event>,
    pub(crate) cells: Cells,
    pub(crate) links: Vec<LinkDirection>,
    /// Ends that wait for room in the queue of each link direction.
    pub(crate) waiting: Vec<WaitingEnds>,
    pub(crate) flows: Vec<Flow>,
    /// Packets that agents delay.
    pub(crate) held: HeldPackets,
    pub(crate) rate_changes: Vec<RateChange>,
    /// Cell and member number of each station, in the order of the scenario.
    pub(crate) stations: Vec<Member>,
    /// True if some agent has asked for overheard frames.
    pub(crate) observes: bool,
    /// Actions of the agent that has just handled an event.
    pub(crate) actions: Vec<Action>,
    /// Flows whose sender an agent has acted on, so that it may send now.
    pub(crate) touched: VecDeque<FlowId>,
    /// Time at which [`World::advance`] returns: no event at this time or later is handled before the owner's turn.
    pub(crate) horizon: Time,
    /// Buffer for packets that a cell delivers; kept to reuse its memory.
    pub(crate) delivered: Vec<Msdu<Packet>>,
    pub(crate) departed: Vec<Departure<Packet>>,
    /// Outputs that the owner has not polled.
    pub(crate) outputs: VecDeque<Output>,
    /// Window or rate of each sender as last passed to the recorder's trace; empty without a trace.
    pub(crate) traced: Vec<Option<Freedom>>,
    /// Measurement of what holds back the sender of each flow; empty unless the recorder asks for it.
    pub(crate) limits: Vec<LimitWatch>,
    pub(crate) recorder: R,
    pub(crate) events: u64,
}

/// Reason for which [`World::advance`] has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The world has reached the requested time.
    Reached,
    /// The clock has input for the owner: [`Woken::Input`]. The next event has not happened yet.
    Input,
    /// The world has an output: [`World::poll_output`]. Time does not go on until the owner has polled all outputs.
    Output,
}

impl<R: Recorder, C: Clock> World<R, C> {
    /// Simulated time of the world: everything before this time has happened.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Time of the next event; `None` if there is none.
    pub fn next_event(&self) -> Option<Time> {
        let on_air = self.cells.iter().map(|bss| bss.cell.next_event()).min();
        let next = self.queue.peek().min(on_air.unwrap_or(Moment::NEVER));
        (next < Moment::NEVER).then(|| next.at())
    }

    /// Handles all events before `until`, at the pace of the clock. Returns early if the clock has input or the world
    /// has an output.
    ///
    /// # Panics
    /// If `until` has passed, or lies beyond the end of the scenario.
    #[must_use = "the world may have stopped early"]
    pub fn advance(&mut self, until: Time) -> Pause {
        self.advance_before(until, until)
    }

    /// Handles all events up to `until`, those at `until` as well, and otherwise does what [`advance`](Self::advance)
    /// does.
    ///
    /// # Panics
    /// If `until` has passed, or does not come before the end of the scenario.
    #[must_use = "the world may have stopped early"]
    pub fn advance_through(&mut self, until: Time) -> Pause {
        assert!(until < self.end, "events at the end of a scenario do not happen");
        self.advance_before(until + Duration::from_nanos(1), until)
    }

    /// Handles all events before `horizon`, and then moves the time to `until`.
    #[inline]
    fn advance_before(&mut self, horizon: Time, until: Time) -> Pause {
        assert!(self.now <= until, "time does not go back");
        assert!(until <= self.end, "a world lasts as long as its scenario");
        self.horizon = if self.outputs.is_empty() { horizon } else { Time::ZERO };
        loop {
            let scheduled = self.queue.peek();
            let (on_air, index) = self.cells.next_event();
            let next = scheduled.min(on_air);
            if next.at() >= self.horizon {
                return self.pause(until);
            }
            if !self.comes(next.at()) {
                return Pause::Input;
            }
            self.now = next.at();
            self.events += 1;
            // At one moment, scheduled events come before events of the air.
            if on_air < scheduled {
                self.cells.handle_event(index, next);
            } else {
                let event = self.take_scheduled().expect("the event just seen");
                // A trace compares the state of every member after each event.
                if !self.handle(event) && !R::TRACES {
                    continue;
                }
            }
            self.drain_cells();
        }
    }

    /// Moves the time to `until` at the pace of the clock. Returns before if the world has an output that its owner has
    /// not polled, or if the clock has input for the owner.
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

    /// Waits until the time `at`. Returns false if the clock has input first.
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

    /// Largest delay so far by which the clock has returned too late from a wait.
    pub fn lateness(&self) -> Duration {
        self.lateness
    }

    /// The clock that paces the run.
    pub fn clock(&mut self) -> &mut C {
        &mut self.clock
    }

    /// The consumer of records.
    pub fn recorder(&mut self) -> &mut R {
        &mut self.recorder
    }

    /// Ends the run at the current time, and accounts for everything that is still in progress.
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

    /// Handles all events before `until`.
    #[cfg(test)]
    pub(crate) fn run_until(&mut self, until: Time) {
        assert_eq!(self.advance(until), Pause::Reached);
    }

    /// Takes the next scheduled event. If it is an arrival, the link's next arrival replaces it in the queue.
    #[inline]
    fn take_scheduled(&mut self) -> Option<Event> {
        let Self { queue, links, .. } = self;
        queue.pop_or_move(|event| match event {
            Event::Arrival(link) => links[link.index()].second_arrival(),
            _ => None,
        })
    }

    /// Handles an event. Returns false if no cell can have changed.
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
            Event::Stop(flow) => self.stop(flow),
            Event::Alarm(flow, side) => self.ring(flow, side),
            Event::Arrival(_) => unreachable!("most events are arrivals, and seen to before"),
            Event::Service(link) => self.serve_link(link),
            Event::Departure(flow, side) => self.seek_room(flow, side),
            Event::Room(link) => self.leave_room_on(link),
            Event::SmallQueue(flow) => self.ring_small_queue(flow),
            Event::Rate(index) => self.change_rate(index),
            Event::Beacon(cell) => self.send_beacon(cell),
            Event::Held(number) => self.let_go(number),
            Event::Wake(cell, node) => self.tell(cell, node, &Seen::Timer),
        }
    }

    /// Accounts for everything up to now, at the end of a run.
    pub(crate) fn flush(&mut self) {
        for bss in self.cells.iter_mut() {
            bss.cell.flush(self.now);
        }
        self.drain_cells();
        self.end_agents();
        self.end_limits();
    }

    /// Number of packets of each flow's sender, sent at `since` or later, that are queued, on the air or on a wire.
    fn in_flight(&self, since: Time) -> Vec<u64> {
        let mut counts = vec![0; self.flows.len()];
        let counted = |packet: &&Packet| packet.origin == Side::Sender && packet.sent_at >= since;
        for packet in self.under_way().filter(counted) {
            counts[packet.flow.index()] += 1;
        }
        counts
    }

    /// Packets in the world: queued, on the air, in a reorder buffer or on a wire.
    fn under_way(&self) -> impl Iterator<Item = &Packet> {
        let cells = self.cells.iter().map(|bss| &bss.cell);
        let on_air = cells.flat_map(|cell| cell.undelivered().chain(cell.buffered()));
        let on_wires = self.links.iter().flat_map(LinkDirection::in_flight);
        on_air.map(|msdu| &msdu.payload).chain(on_wires).chain(self.held.iter())
    }

    /// Records the windows of TCP and QUIC senders, at the end of a step of the time series.
    #[cold]
    pub(crate) fn sample(&mut self) {
        for index in 0..self.flows.len() {
            let Some(window) = self.flows[index].source.window() else { continue };
            let sample = Sample::Window(FlowId::new(index), window);
            self.recorder.record(self.now, &Record::Sample(sample));
        }
        self.recorder.record(self.now, &Record::Sample(Sample::StepEnd));
    }
}
