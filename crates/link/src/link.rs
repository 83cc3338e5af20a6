//! The link: a world, and the payloads of the packets in it.

use std::collections::VecDeque;

use airfair_sim::clock::FreeRunning;
use airfair_sim::metrics::Metrics;
use airfair_sim::outcome::Outcome;
use airfair_sim::packet::{External, FlowId};
use airfair_sim::random::Streams;
use airfair_sim::scenario::{Endpoint, Flow, Scenario, Transport};
use airfair_sim::world::{Output, Pause, Refused, ReleaseReason, Released, World};
use airfair_units::{Bytes, Time};

use crate::error::{LinkError, Refusal, SendError, TimeError};
use crate::event::{End, Event, Packet};
use crate::store::{Store, Stored};

/// Cells, hosts and flows of a scenario, whose external flows carry the packets of the caller.
///
/// A copy of a link continues from the same state, and gives the same events after the same calls.
#[derive(Clone, Debug)]
pub struct Link<P> {
    scenario: Scenario,
    seed: u64,
    world: World<Metrics, FreeRunning>,
    store: Store<P>,
    /// Events that the caller has not polled, the oldest first.
    events: VecDeque<Event<P>>,
}

/// Results of a link that has ended.
#[derive(Clone, Debug)]
pub struct Finished<P> {
    /// Scenario of the link, which lasts up to the end of the link.
    pub scenario: Scenario,
    /// Results of all flows, stations and cells up to the end of the link, without the warm-up; `None` for a link that
    /// ends within its warm-up.
    pub outcome: Option<Outcome>,
    /// Events that the caller has not polled.
    pub events: Vec<Event<P>>,
    /// Packets that were still under way; they leave the link at its end.
    pub under_way: Vec<Packet<P>>,
}

impl<P> Link<P> {
    /// Creates a link at time zero. Its packets are those of the external flows of the scenario, those with
    /// `transport = { kind = "external" }`. All other flows send by themselves.
    ///
    /// # Errors
    /// [`LinkError::NoExternalFlow`] if the scenario has none.
    pub fn new(scenario: &Scenario, seed: u64) -> Result<Self, LinkError> {
        if !scenario.flows.iter().any(is_external) {
            return Err(LinkError::NoExternalFlow);
        }
        // Steps of a time series are those of `airfair run`.
        let scenario = Scenario { series_step: None, ..scenario.clone() };
        let recorder = Metrics::new(&scenario);
        let world = World::new(&scenario, Streams::new(seed, 0), recorder, FreeRunning);
        Ok(Self { scenario, seed, world, store: Store::new(), events: VecDeque::new() })
    }

    /// Creates a link between two stations or hosts of a scenario, which needs no external flow for that. Returns the
    /// link with these two ends.
    ///
    /// # Errors
    /// [`LinkError`] if the scenario lacks a node, or if there is no route between the nodes.
    pub fn between(
        scenario: &Scenario,
        seed: u64,
        [from, to]: [&str; 2],
    ) -> Result<(Self, [End; 2]), LinkError> {
        let [sender, receiver] = [node(scenario, from)?, node(scenario, to)?];
        if sender == receiver {
            return Err(LinkError::SameNode(from.to_owned()));
        }
        if !scenario.is_reachable(sender, receiver) {
            return Err(LinkError::NoRoute([from, to].map(str::to_owned)));
        }
        let mut scenario = scenario.clone();
        let name = free_name(&scenario);
        let transport = Transport::External;
        let flow = scenario.add_flow(Flow { transport, ..Flow::new(&name, sender, receiver) });
        Ok((Self::new(&scenario, seed)?, End::both(flow)))
    }

    /// Both ends of an external flow of the scenario: `from` and `to`.
    ///
    /// # Errors
    /// [`LinkError::NoSuchFlow`] if the scenario has no external flow of this name.
    pub fn ends(&self, flow: &str) -> Result<[End; 2], LinkError> {
        let flows = || self.scenario.flows.iter().enumerate().filter(|(_, it)| is_external(it));
        let found = flows().find(|(_, it)| it.name == flow);
        found.map(|(index, _)| End::both(FlowId::new(index))).ok_or_else(|| {
            let allowed = flows().map(|(_, it)| it.name.clone()).collect();
            LinkError::NoSuchFlow { found: flow.to_owned(), allowed }
        })
    }

    /// The scenario of the link.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Time that the link has reached: that of its last call or event.
    pub fn now(&self) -> Time {
        self.world.now()
    }

    /// End of the scenario, at which the link ends.
    pub fn end(&self) -> Time {
        Time::ZERO + self.scenario.duration
    }

    /// Size of the longest packet that an end may send.
    ///
    /// # Panics
    /// If the end belongs to another link.
    pub fn longest_packet(&self, from: End) -> Bytes {
        self.world.longest_packet(from.flow)
    }

    /// Number of packets that are under way in the link.
    pub fn under_way(&self) -> usize {
        self.store.len()
    }

    /// Sends a packet from one end to the other at the time `now`. `size` is the size of the IP packet. The link first
    /// runs up to `now`; events before `now` wait for [`poll`](Self::poll).
    ///
    /// # Errors
    /// [`SendError`] with the payload, if the queue of the sending node is full, if the packet is empty or too long,
    /// or if `now` has passed or is not before the end of the scenario.
    ///
    /// # Panics
    /// If the end belongs to another link.
    pub fn send(
        &mut self,
        now: Time,
        from: End,
        size: Bytes,
        payload: P,
    ) -> Result<(), SendError<P>> {
        if let Err(error) = self.check(now) {
            return Err(SendError { payload, reason: Refusal::Time(error) });
        }
        while self.world.advance(now) == Pause::Output {
            self.note_outputs();
        }
        let handle = self.store.put(Stored { payload, size, sent_at: now });
        let packet = External::new(size, handle);
        self.world.inject(now, from.flow, from.side, packet).map_err(|refused| {
            let reason = match refused {
                Refused::Full => Refusal::Full,
                Refused::Size => Refusal::Size { found: size, longest: self.longest_packet(from) },
            };
            SendError { payload: self.store.take(handle).payload, reason }
        })
    }

    /// Runs the link up to the time `now`, or to the first event if that is earlier, and returns this event. `None`
    /// means that the link has reached `now` without an event.
    ///
    /// # Errors
    /// [`TimeError`] if `now` has passed, or is not before the end of the scenario. In the latter case the link returns
    /// its events before the end first.
    pub fn poll(&mut self, now: Time) -> Result<Option<Event<P>>, TimeError> {
        let checked = self.check(now);
        if let Err(error @ TimeError::Past { .. }) = checked {
            return Err(error);
        }
        while self.events.is_empty() {
            let pause = match checked {
                Ok(()) => self.world.advance_through(now),
                Err(_) => self.world.advance(self.end()),
            };
            if pause != Pause::Output {
                return checked.map(|()| None);
            }
            self.note_outputs();
        }
        Ok(self.events.pop_front())
    }

    /// Time at which the link wants to be polled; `None` if nothing happens before the end of the scenario unless a
    /// packet is sent. Most such times are those of inner events, such as the end of a frame, and give no event.
    pub fn next_timeout(&self) -> Option<Time> {
        if self.events.is_empty() {
            self.world.next_event().filter(|at| *at < self.end())
        } else {
            Some(self.now())
        }
    }

    /// Ends the link at its current time.
    pub fn finish(mut self) -> Finished<P> {
        self.note_outputs();
        let end = self.now();
        self.world.recorder().end_at(end);
        let finished = self.world.finish();
        let mut under_way = Vec::with_capacity(self.store.len());
        for output in &finished.outputs {
            if let Output::Released(released) = output {
                under_way.push(packet(&mut self.store, released, end));
            }
        }
        let mut scenario = self.scenario;
        scenario.duration = end - Time::ZERO;
        let is_measured = scenario.duration > scenario.warmup;
        let outcome = is_measured.then(|| finished.outcome(&scenario, self.seed, 0));
        Finished { scenario, outcome, events: self.events.into(), under_way }
    }

    fn check(&self, asked: Time) -> Result<(), TimeError> {
        let (now, end) = (self.now(), self.end());
        if asked < now {
            Err(TimeError::Past { asked, now })
        } else if asked >= end {
            Err(TimeError::Over { asked, end })
        } else {
            Ok(())
        }
    }

    /// Turns the outputs of the world into events of the link.
    fn note_outputs(&mut self) {
        let now = self.world.now();
        while let Some(output) = self.world.poll_output() {
            let event = match output {
                Output::Released(released) => {
                    let packet = packet(&mut self.store, &released, now);
                    match released.reason {
                        ReleaseReason::Delivered => Event::Delivered(packet),
                        ReleaseReason::Lost => Event::Lost(packet),
                        ReleaseReason::RunEnded => unreachable!("the world lasts"),
                    }
                }
                Output::Room(flow, side) => Event::Room(End { flow, side }, now),
                Output::RateLimit(..) => continue,
            };
            self.events.push_back(event);
        }
    }
}

fn packet<P>(store: &mut Store<P>, released: &Released, left_at: Time) -> Packet<P> {
    let &Released { flow, origin: side, handle, .. } = released;
    let Stored { payload, size, sent_at } = store.take(handle);
    Packet { payload, size, from: End { flow, side }, sent_at, left_at }
}

fn is_external(flow: &Flow) -> bool {
    flow.transport == Transport::External
}

/// Station or host with this name.
fn node(scenario: &Scenario, name: &str) -> Result<Endpoint, LinkError> {
    let mut stations = scenario.stations.iter().map(|it| &it.name);
    let mut hosts = scenario.hosts.iter();
    let station = stations.position(|it| it == name).map(Endpoint::Station);
    let found = station.or_else(|| hosts.position(|it| it == name).map(Endpoint::Host));
    found.ok_or_else(|| {
        let stations = scenario.stations.iter().map(|it| it.name.clone());
        let allowed = stations.chain(scenario.hosts.iter().cloned()).collect();
        LinkError::NoSuchNode { found: name.to_owned(), allowed }
    })
}

/// Name that no flow of the scenario has.
fn free_name(scenario: &Scenario) -> String {
    let is_free = |name: &String| scenario.flows.iter().all(|flow| flow.name != *name);
    let mut names = (2..).map(|number| format!("link{number}"));
    let first = std::iter::once("link".to_owned());
    first.chain(&mut names).find(is_free).expect("a number that no flow has")
}
