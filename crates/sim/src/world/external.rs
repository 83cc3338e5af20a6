//! Packets of external flows: their bytes stay with the owner of the world, who puts them in and takes them out.
//!
//! Each handle that was [injected](World::inject) comes back exactly once: with the packet's fate, or, while nothing
//! but a refusal has become of it, with the error.

use airfair_units::{Bytes, DataRate, Time};

use super::{Hop, World};
use crate::clock::Clock;
use crate::endpoint::Source;
pub use crate::endpoint::{Outside, OutsideTcp};
use crate::packet::{Body, External, FlowId, Handle, Packet, Side};
use crate::record::{FlowRecord, Recorder, SentAt};

/// Longest MSDU of a legacy frame.  [80211-2020 §9.2.4.8]
const LONGEST_MSDU: Bytes = Bytes::new(2_304);
/// Longest IP packet.  [RFC791 §3.1]
const LONGEST_PACKET: Bytes = Bytes::new(65_535);

/// Something for the owner of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A packet has left the world.
    Released(Released),
    /// The queue that has refused a packet of this end has room for one as long.
    Room(FlowId, Side),
    /// A scheme has set another limit of the rate of payload at this end, or lifted it.
    RateLimit(FlowId, Side, Option<DataRate>),
}

/// A packet that has left the world. Its bytes are of no more use there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Released {
    /// Its flow.
    pub flow: FlowId,
    /// End that has sent it.
    pub origin: Side,
    /// Its bytes.
    pub handle: Handle,
    /// Its fate.
    pub fate: Fate,
    /// The largest window that its TCP header may say, where a scheme has lowered it.
    pub window: Option<Bytes>,
}

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It has come to the other end.
    Delivered,
    /// It was dropped by a queue, given up by a transmitter, or lost on a wire.
    Lost,
    /// It was still under way when the world ended.
    Inside,
}

/// The reason why a packet was not let in. Its handle is the owner's as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The queue of its host has no room; [`Output::Room`] follows when it has.
    Full,
    /// It is empty, or longer than what fits into a frame, or into a packet where its flow has wires alone.
    Size,
}

impl<R: Recorder, C: Clock> World<R, C> {
    /// One end of an external flow sends a packet. The time may be that of the next event at most; it becomes the
    /// world's.
    ///
    /// ```
    /// use airfair_sim::packet::{External, Handle, Side};
    /// # use airfair_sim::{clock::FreeRunning, random::Streams};
    /// # use airfair_sim::scenario::{Bss, Endpoint, Flow, Node, Scenario, Transport};
    /// # use airfair_sim::world::{Fate, Output, Pause, World};
    /// # use airfair_units::{Bytes, Duration, Time};
    /// # let mut scenario = Scenario::lasting(Duration::from_secs(1));
    /// # let home = scenario.add_cell(Bss::new("home", airfair_wlan::phy::Standard::G));
    /// # let laptop = Endpoint::Station(scenario.add_station("laptop", home));
    /// # let server = Endpoint::Host(scenario.add_host("server", Node::Cell(home)));
    /// # let flow = scenario
    /// #     .add_flow(Flow { transport: Transport::External, ..Flow::new("flow", laptop, server) });
    /// # let scenario = scenario.checked().expect("no mistakes");
    /// # let mut world = World::new(&scenario, Streams::new(1, 0), (), FreeRunning);
    /// let ping = External::new(Bytes::new(84), Handle(7));
    /// world.inject(Time::ZERO, flow, Side::Sender, ping).expect("an empty queue");
    /// assert_eq!(world.advance(Time::ZERO + Duration::from_millis(10)), Pause::Output);
    /// let Some(Output::Released(released)) = world.poll_output() else { panic!("the packet") };
    /// assert_eq!((released.handle, released.fate), (Handle(7), Fate::Delivered));
    /// // 0.3 ms: DIFS, the frame, 7 µs over the wire of 100 Mb/s.
    /// assert!(world.now() < Time::from_nanos(300_000));
    /// ```
    ///
    /// # Errors
    /// [`Refused`], if the queue of its host has no room, or the size is none that a packet has.
    ///
    /// # Panics
    /// If the time has passed, or something happens before it: [`advance`](Self::advance) first. If the flow has a
    /// transport of its own.
    pub fn inject(
        &mut self,
        now: Time,
        flow: FlowId,
        origin: Side,
        packet: External,
    ) -> Result<(), Refused> {
        assert!(self.now <= now && now <= self.end, "a packet comes while the world lasts");
        let is_next = self.next_event().is_none_or(|next| now <= next);
        assert!(is_next, "what happens before a packet comes happens first");
        let is_external = matches!(self.flows[flow.index()].source, Source::External(_));
        assert!(is_external, "the packets of this flow are its transport's");
        if packet.size.is_zero() || packet.size > self.longest_packet(flow) {
            return Err(Refused::Size);
        }
        self.now = now;
        let category = self.flows[flow.index()].category;
        let mut packet = Packet::new(now, (flow, origin), category, Body::External(packet));
        self.limit_answer(&mut packet, origin);
        let sent = self.send(&packet);
        self.drain_cells();
        sent.map_err(|_| Refused::Full)
    }

    /// An end of an external flow tells what its transport knows, by which schemes limit it.
    ///
    /// # Panics
    /// If the flow has a transport of its own.
    pub fn update(&mut self, flow: FlowId, side: Side, outside: Outside) {
        let Source::External(gate) = &mut self.flows[flow.index()].source else {
            panic!("the ends of this flow are its transport's")
        };
        gate.tell(side, outside);
    }

    /// The window in what the receiver sends is limited where either end is: as the receiver sends it, and as the
    /// sender gets it.
    #[inline]
    fn limit_answer(&self, packet: &mut Packet, at: Side) {
        if packet.origin == Side::Receiver
            && let Source::External(gate) = &self.flows[packet.flow.index()].source
            && let Some(window) = gate.window(at)
        {
            packet.limit_window(window);
        }
    }

    /// Something that has come out of the world, in the order in which it came.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn longest_packet(&self, flow: FlowId) -> Bytes {
        let in_frame = |hop: &Hop| match hop {
            Hop::Air { cell, .. } => Some(LONGEST_MSDU - self.cells[cell.index()].msdu_overhead),
            Hop::Wire(_) => None,
        };
        let hops = self.flows[flow.index()].forth.iter();
        hops.filter_map(in_frame).min().unwrap_or(LONGEST_PACKET)
    }

    /// A packet has come to its end, which is outside.
    #[cold]
    pub(super) fn hand_over(&mut self, mut packet: Packet, External { size, .. }: External) {
        if packet.origin == Side::Sender {
            self.emit(packet.flow, FlowRecord::Received(SentAt(packet.sent_at)));
            self.emit(packet.flow, FlowRecord::Delivered(size));
        }
        self.limit_answer(&mut packet, Side::Sender);
        self.release(&packet, Fate::Delivered);
    }

    /// A packet leaves the world: if its bytes are outside, their owner is told.
    #[inline]
    pub(super) fn release(&mut self, packet: &Packet, fate: Fate) {
        if let Body::External(External { handle, tcp, .. }) = packet.body {
            let Packet { flow, origin, .. } = *packet;
            let window = tcp.and_then(|tcp| tcp.limit);
            self.put_out(Output::Released(Released { flow, origin, handle, fate, window }));
        }
    }

    /// Something is for the owner, who has its turn after this event.
    pub(super) fn put_out(&mut self, output: Output) {
        self.outputs.push_back(output);
        self.horizon = Time::ZERO;
    }

    /// The world ends with packets in it.
    pub(super) fn release_all(&mut self) {
        let inside: Vec<Packet> = self.under_way().copied().collect();
        for packet in &inside {
            self.release(packet, Fate::Inside);
        }
    }
}
