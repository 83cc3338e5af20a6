//! Packets of external flows. The owner of the world keeps their bytes, injects them and receives them.
//!
//! Each handle that was [injected](World::inject) comes back exactly once: with an error if the packet was refused,
//! and otherwise in an [`Output::Released`].

use airfair_units::{Bytes, Time};

use super::{Output, Refused, ReleaseReason, Released, World};
use crate::clock::Clock;
use crate::endpoint::{Outside, Source};
use crate::flow::Hop;
use crate::packet::{Body, Ecn, External, FlowId, Packet, Side};
use crate::record::{FlowRecord, SentAt};
use crate::recorder::Recorder;

/// Longest MSDU of a legacy frame.  [80211-2020 §9.2.4.8]
const LONGEST_MSDU: Bytes = Bytes::new(2_304);
/// Longest IP packet.  [RFC791 §3.1]
const LONGEST_PACKET: Bytes = Bytes::new(65_535);

impl<R: Recorder, C: Clock> World<R, C> {
    /// Sends a packet from one end of an external flow at the time `now`, to which the world advances. There must be
    /// no event before `now`.
    ///
    /// ```
    /// use airfair_sim::packet::{External, Handle, Side};
    /// # use airfair_sim::{clock::FreeRunning, random::Streams};
    /// # use airfair_sim::scenario::{Bss, Endpoint, Flow, Node, Scenario, Transport};
    /// # use airfair_sim::world::{Output, Pause, ReleaseReason, World};
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
    /// assert_eq!((released.handle, released.reason), (Handle(7), ReleaseReason::Delivered));
    /// // 0.3 ms: DIFS, the frame, 7 µs over the wire of 100 Mb/s.
    /// assert!(world.now() < Time::from_nanos(300_000));
    /// ```
    ///
    /// # Errors
    /// [`Refused`] if the queue of the sending host is full, or if the packet is empty or too long.
    ///
    /// # Panics
    /// If `now` has passed, or if an event comes before it: call [`advance`](Self::advance) first. If the flow is not
    /// external.
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

    /// Reports the state of a program's transport at one end of an external flow. Schemes limit the transport by it.
    ///
    /// # Panics
    /// If the flow is not external.
    pub fn update(&mut self, flow: FlowId, side: Side, outside: Outside) {
        let Source::External(gate) = &mut self.flows[flow.index()].source else {
            panic!("the ends of this flow are its transport's")
        };
        gate.tell(side, outside);
    }

    /// Lowers the window in a packet of the receiver, as the limit of the end `at` demands. Both ends have limits:
    /// the receiver's applies when it sends the packet, the sender's when the packet arrives.
    #[inline]
    fn limit_answer(&self, packet: &mut Packet, at: Side) {
        if packet.origin == Side::Receiver
            && let Source::External(gate) = &self.flows[packet.flow.index()].source
            && let Some(window) = gate.window(at)
        {
            packet.limit_window(window);
        }
    }

    /// Takes the oldest output that has not been polled.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Size of the longest packet that the hops of a flow carry.
    pub fn longest_packet(&self, flow: FlowId) -> Bytes {
        let in_frame = |hop: &Hop| match hop {
            Hop::Air { cell, .. } => Some(LONGEST_MSDU - self.cells[cell.index()].msdu_overhead),
            Hop::Wire(_) => None,
        };
        let hops = self.flows[flow.index()].forth.iter();
        hops.filter_map(in_frame).min().unwrap_or(LONGEST_PACKET)
    }

    /// Returns a packet that has arrived at its destination to the code that drives the simulation.
    #[cold]
    pub(super) fn hand_over(&mut self, mut packet: Packet, External { size, .. }: External) {
        if packet.origin == Side::Sender {
            self.emit(packet.flow, FlowRecord::Received(SentAt(packet.sent_at)));
            self.emit(packet.flow, FlowRecord::Delivered(size));
            if packet.ecn() == Ecn::CE {
                self.emit(packet.flow, FlowRecord::Marked(SentAt(packet.sent_at)));
            }
        }
        self.limit_answer(&mut packet, Side::Sender);
        self.release(&packet, ReleaseReason::Delivered);
    }

    /// Tells the code that drives the simulation that a packet has left the simulated network, if it came from outside
    /// of it. That code may then drop the packet's bytes, which the handle identifies.
    #[inline]
    pub(super) fn release(&mut self, packet: &Packet, reason: ReleaseReason) {
        if let Body::External(External { handle, tcp, .. }) = packet.body {
            let Packet { flow, origin, .. } = *packet;
            let (window, ecn) = (tcp.and_then(|tcp| tcp.limit), packet.ecn());
            self.put_out(Output::Released(Released { flow, origin, handle, reason, window, ecn }));
        }
    }

    /// Queues an output for the code that drives the simulation, which takes it after the current event.
    pub(super) fn put_out(&mut self, output: Output) {
        self.outputs.push_back(output);
        self.horizon = Time::ZERO;
    }

    /// Tells the code that drives the simulation of every packet from outside that is still in the simulated network
    /// when the run ends.
    pub(super) fn release_all(&mut self) {
        let inside: Vec<Packet> = self.under_way().copied().collect();
        for packet in &inside {
            self.release(packet, ReleaseReason::RunEnded);
        }
    }
}
