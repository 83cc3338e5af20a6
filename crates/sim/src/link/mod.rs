//! One direction of a wired link: a queue, a rate, a propagation delay, and losses after the queue.
//!
//! A link decides at once, when it is handed a packet, whether its queue takes the packet, when the packet leaves, and
//! whether it arrives. So one event per packet and link is enough, and one more if an end waits for the packet to
//! leave. The data under way on a link are bounded, too: rate times delay is at most 1 GB, which takes about 140
//! octets of memory for each packet.

mod coupled;
mod loss;
mod red;

use std::collections::VecDeque;

use airfair_laws::dualpi2;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::{Discipline, Headers, QueueConfig, Stream, TransmitQueue};

use crate::packet::Packet;
use crate::scenario::{Capacity, Heading, Link, LinkQueue, Loss};

use loss::Channel;
use red::EarlyDetection;

/// Number of one direction of a wired link of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct LinkId(pub u16);

impl LinkId {
    /// Index of the direction in tables with one entry per direction of each link.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// One direction of the `index`-th link of the scenario.
    pub(crate) fn new(index: usize, heading: Heading) -> Self {
        Self(u16::try_from(2 * index + heading as usize).expect("at most 32 767 links"))
    }

    /// Direction of the `index`-th link of the scenario from its first end to its second.
    pub fn forth(index: usize) -> Self {
        Self::new(index, Heading::Forth)
    }

    /// Opposite direction of the same link.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// Reason for which the queue of a link refuses a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The queue of the link is full.
    QueueFull,
    /// Random early detection drops the packet, although the queue is not full.
    Early,
    /// The link has two coupled queues, which take the packet by [`queue`](LinkDirection::queue).
    Coupled,
}

/// Random streams of one direction of a link.
#[derive(Debug)]
pub struct LinkStreams {
    /// Random stream for the losses after the queue of a link.
    pub loss: Stream,
    /// Random stream for random early detection in the queue of a link.
    pub red: Stream,
}

/// Rule by which a queue marks packets, or drops them although it has room.
#[derive(Clone, Debug)]
enum Marking {
    /// Random early detection.
    Red(EarlyDetection),
    /// A packet is marked that finds more packets than this in the queue.  [RFC8257 §3.1]
    Above(u32),
    /// Two coupled queues, which hold the packets that are not sent yet.
    Coupled(Box<TransmitQueue<Packet>>),
}

/// Octets for which room in packets is counted, if a capacity is in octets.
const FULL_PACKET: Bytes = Bytes::new(1_500);

/// Two coupled queues with room for this capacity.
fn coupled_queues(params: dualpi2::Params, capacity: Capacity) -> TransmitQueue<Packet> {
    let packets = match capacity {
        Capacity::Packets(packets) => packets,
        Capacity::Bytes(bytes) => {
            u32::try_from(bytes.get() / FULL_PACKET.get()).unwrap_or(u32::MAX)
        }
    };
    let discipline = Discipline::DualPi2(params);
    TransmitQueue::new(QueueConfig { discipline, ..QueueConfig::fifo(packets) })
}

/// Place of a packet in coupled queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// True if nothing is sent, so that the packet must begin.
    pub must_begin: bool,
    /// Packets in the queues and in service, this one included.
    pub packets: u32,
}

/// Packets that leave coupled queues, and the next time at which one does.
#[derive(Debug, Default)]
pub struct Served {
    /// Packets that the queues have dropped.
    pub dropped: Vec<Packet>,
    /// Arrival of the packet that is sent now; `None` if none waits.
    pub arrival: Option<Time>,
}

/// One direction of a wired link. Packets arrive in the order in which they were sent.
#[derive(Clone, Debug)]
pub struct LinkDirection {
    rate: DataRate,
    delay: Duration,
    /// Size of the packet sent last, whose transmission time `last_time` mostly holds for the next packet as well.
    last_size: Bytes,
    last_time: Duration,
    capacity: Capacity,
    marking: Option<Box<Marking>>,
    /// Packets that wait in coupled queues behind the one that is sent.
    waiting: u32,
    channel: Channel,
    /// Time at which the packet accepted last leaves the queue, or has left it.
    busy_until: Time,
    backlog: Bytes,
    /// Packets that have not arrived yet, in the order of their arrivals, lost ones included.
    in_flight: VecDeque<InFlight>,
    /// Number of packets in `in_flight`, counted from the front, that have left the queue.
    departed: usize,
}

/// A packet that has been sent and has not arrived.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    arrival: Time,
    /// Number of the packet's arrival in the order of all events.
    number: u64,
    size: Bytes,
    /// The packet as it arrives: its hop is already the next one.
    packet: Packet,
    /// False if the packet is lost after the queue.
    is_carried: bool,
}

/// Acceptance of a packet by a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Time of the packet's arrival at the other end.
    pub arrival: Time,
    /// Packets queued or in service on the link, the accepted one included.
    pub queued: u32,
}

/// Arrival, or loss, of a packet at the other end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<'a> {
    /// The packet, with its hop advanced to the next one.
    pub packet: &'a Packet,
    /// True if the packet was lost after the queue, and so has not arrived.
    pub is_lost: bool,
}

impl LinkDirection {
    /// Creates one direction of a link, without packets.
    pub fn new(config: &Link, heading: Heading, streams: LinkStreams) -> Self {
        let marking = match config.queue {
            LinkQueue { dual: Some(params), capacity, .. } => {
                Some(Marking::Coupled(Box::new(coupled_queues(params, capacity))))
            }
            LinkQueue { red: Some(red), .. } => {
                Some(Marking::Red(EarlyDetection::new(red, config.rate, streams.red)))
            }
            LinkQueue { mark_above, .. } => mark_above.map(Marking::Above),
        };
        Self {
            rate: config.rate,
            delay: config.delay,
            last_size: Bytes::ZERO,
            last_time: Duration::ZERO,
            capacity: config.queue.capacity,
            marking: marking.map(Box::new),
            waiting: 0,
            channel: Channel::new(config.loss[heading as usize], streams.loss),
            busy_until: Time::ZERO,
            backlog: Bytes::ZERO,
            in_flight: VecDeque::new(),
            departed: 0,
        }
    }

    /// Sends a packet. Its arrival will be the event with this `number`.
    ///
    /// # Errors
    /// [`Refusal`] if the queue, which includes the packet in service, is full, if random early detection drops the
    /// packet, or if it has to go into coupled queues.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    pub fn send(&mut self, now: Time, packet: &Packet, number: u64) -> Result<Sent, Refusal> {
        if self.marking.is_some() {
            return self.send_marking(now, packet, number);
        }
        let (size, queued) = (packet.size(), self.on_wire(now));
        if !self.has_room_beside(queued, size) {
            return Err(Refusal::QueueFull);
        }
        Ok(self.accept(now, packet, number, (size, queued)))
    }

    /// Sends a packet through a queue that may mark it, or drop it early.
    #[inline(never)]
    fn send_marking(&mut self, now: Time, packet: &Packet, number: u64) -> Result<Sent, Refusal> {
        let (size, queued) = (packet.size(), self.queued(now));
        let has_room = self.has_room_beside(queued, size);
        let is_chosen = match self.marking.as_deref_mut() {
            Some(Marking::Red(red)) => {
                let is_chosen = red.drops(now, queued);
                if is_chosen && !(red.marks() && packet.ecn().is_capable()) {
                    return Err(Refusal::Early);
                }
                is_chosen
            }
            Some(Marking::Above(most)) => queued > *most,
            Some(Marking::Coupled(_)) => return Err(Refusal::Coupled),
            None => false,
        };
        if !has_room {
            return Err(Refusal::QueueFull);
        }
        let sent = self.accept(now, packet, number, (size, queued));
        if let Some(Marking::Red(red)) = self.marking.as_deref_mut() {
            red.busy_until(self.busy_until);
        }
        if is_chosen && let Some(last) = self.in_flight.back_mut() {
            last.packet.mark();
        }
        Ok(sent)
    }

    /// Puts a packet of this size behind the `queued` packets of the queue, and decides about its arrival.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    fn accept(
        &mut self,
        now: Time,
        packet: &Packet,
        number: u64,
        (size, queued): (Bytes, u32),
    ) -> Sent {
        // All packets in the queue leave after `now`, and so does this one.
        let departure = self.busy_until.max(now) + self.time_to_send(size);
        self.busy_until = departure;
        let arrival = departure + self.delay;
        self.backlog += size;
        let is_carried = self.channel.carries();
        // The hop changes while the packet is copied into the queue. To change it first and copy then would stall the
        // processor.
        let packet = Packet { hop: packet.hop + 1, ..*packet };
        self.in_flight.push_back(InFlight { arrival, number, size, packet, is_carried });
        Sent { arrival, queued: queued + 1 }
    }

    /// Transmission time of a packet of this size.
    #[inline]
    fn time_to_send(&mut self, size: Bytes) -> Duration {
        if self.last_size != size {
            (self.last_size, self.last_time) = (size, self.rate.time_to_send(size));
        }
        self.last_time
    }

    /// True if the queue has room for a packet of this size. Random early detection may still drop it.
    pub fn has_room(&mut self, now: Time, size: Bytes) -> bool {
        let queued = self.queued(now);
        self.has_room_beside(queued, size)
    }

    /// True if the queue has room for a packet of this size beside the `queued` packets.
    fn has_room_beside(&self, queued: u32, size: Bytes) -> bool {
        match self.capacity {
            Capacity::Packets(packets) => queued < packets,
            Capacity::Bytes(bytes) => self.backlog + size <= bytes,
        }
    }

    /// Replaces the rate, from the next packet on.
    pub fn set_rate(&mut self, rate: DataRate) {
        (self.rate, self.last_size) = (rate, Bytes::ZERO);
        self.last_time = Duration::ZERO;
        if let Some(Marking::Red(red)) = self.marking.as_deref_mut() {
            red.set_rate(rate);
        }
    }

    /// Replaces the loss model, from the next packet on.
    pub fn set_loss(&mut self, loss: Loss) {
        self.channel.set_model(loss);
    }

    /// Number of packets at `now` that have a place on the wire and have not left, the packet in service included.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each call on a packet's way costs twenty instructions"
    )]
    fn on_wire(&mut self, now: Time) -> u32 {
        let arrives = now + self.delay;
        while let Some(first) = self.in_flight.get(self.departed)
            && first.arrival <= arrives
        {
            self.backlog -= first.size;
            self.departed += 1;
        }
        let queued = self.in_flight.len() - self.departed;
        u32::try_from(queued).expect("a queue of at most 2^32 packets")
    }

    /// Number of packets in the queue at `now`, the packet in service included.
    #[inline]
    pub fn queued(&mut self, now: Time) -> u32 {
        self.on_wire(now) + self.waiting
    }

    /// Time at which the packet accepted last leaves the queue, or has left it.
    pub fn last_departure(&self) -> Time {
        self.busy_until
    }

    /// Time at which the next packet leaves the queue. For an empty queue: time at which a packet of this size would
    /// leave if it came at `now`.
    pub fn next_departure(&mut self, now: Time, size: Bytes) -> Time {
        self.queued(now);
        let first = self.in_flight.get(self.departed).map(|first| first.arrival - self.delay);
        first.unwrap_or_else(|| now + self.rate.time_to_send(size))
    }

    /// Next packet that arrives or is lost at the other end by `now`. [`pass`](Self::pass) removes it.
    #[inline]
    pub fn arrival(&self, now: Time) -> Option<Arrival<'_>> {
        let InFlight { arrival, packet, is_carried, .. } = self.in_flight.front()?;
        (*arrival <= now).then_some(Arrival { packet, is_lost: !is_carried })
    }

    /// Removes the packet that [`arrival`](Self::arrival) returns.
    #[inline]
    pub fn pass(&mut self, now: Time) {
        if self.departed == 0 {
            self.queued(now);
        }
        self.in_flight.pop_front();
        self.departed -= 1;
    }

    /// Time and event number of the arrival after the next one. This time is no earlier than that of the next arrival,
    /// because packets do not overtake each other.
    pub fn second_arrival(&self) -> Option<(Time, u64)> {
        self.in_flight.get(1).map(|second| (second.arrival, second.number))
    }

    /// True if no packet is queued or on its way.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Packets that have been sent over the link and have not arrived yet.
    pub fn in_flight(&self) -> impl Iterator<Item = &Packet> {
        let held = match self.marking.as_deref() {
            Some(Marking::Coupled(queues)) => Some(&**queues),
            _ => None,
        };
        let waiting = held.into_iter().flat_map(TransmitQueue::waiting);
        self.in_flight.iter().map(|sent| &sent.packet).chain(waiting.map(|msdu| &msdu.payload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Body, FlowId, Side};
    use crate::random::{Purpose, Streams};
    use crate::scenario::{Loss, Node};
    use airfair_transport::udp::Datagram;
    use airfair_wlan::edca::AccessCategory;

    fn link(capacity: Capacity) -> LinkDirection {
        with_queue(LinkQueue { capacity, ..LinkQueue::default() })
    }

    fn with_queue(queue: LinkQueue) -> LinkDirection {
        let config = Link {
            name: String::new(),
            ends: [Node::Host(0), Node::Host(1)],
            rate: DataRate::from_mbps(8),
            delay: Duration::from_millis(2),
            queue,
            loss: [Loss::None; 2],
        };
        let stream = |purpose| Streams::new(1, 0).stream("", purpose);
        let streams =
            LinkStreams { loss: stream(Purpose::LossForth), red: stream(Purpose::RedForth) };
        LinkDirection::new(&config, Heading::Forth, streams)
    }

    fn packet(seq: u64) -> Packet {
        // 972 + 28 octets of headers = 1000 octets = 1 ms at 8 Mb/s
        let body = Body::Datagram(Datagram::new(seq, 972));
        Packet::new(Time::ZERO, (FlowId(0), Side::Sender), AccessCategory::default(), body)
    }

    #[test]
    fn packets_queue_behind_each_other_and_then_travel() {
        let mut link = link(Capacity::Packets(10));
        let ms = |ms| Time::ZERO + Duration::from_millis(ms);
        let sent = |at, queued| Ok(Sent { arrival: ms(at), queued });
        assert_eq!(link.send(Time::ZERO, &packet(0), 0), sent(3, 1));
        assert_eq!(link.send(Time::ZERO, &packet(1), 0), sent(4, 2));
        assert_eq!(link.send(ms(7), &packet(2), 0), sent(10, 1));
        assert_eq!(link.arrival(ms(2)), None);
        let arrived = Packet { hop: 1, ..packet(0) };
        assert_eq!(link.arrival(ms(3)), Some(Arrival { packet: &arrived, is_lost: false }));
        link.pass(ms(3));
        assert_eq!(link.arrival(ms(3)), None);
    }

    /// A packet that comes at the instant at which the one before it has been sent, before the link is served, waits for the
    /// service, which is one.
    #[test]
    fn coupled_queues_are_served_one_by_one() {
        let dual = Some(dualpi2::Params::default());
        let queue = LinkQueue { capacity: Capacity::Packets(10), dual, ..LinkQueue::default() };
        let mut link = with_queue(queue);
        let ms = |ms| Time::ZERO + Duration::from_millis(ms);
        assert_eq!(link.send(Time::ZERO, &packet(0), 0), Err(Refusal::Coupled));
        let first = Queued { must_begin: true, packets: 1 };
        assert_eq!(link.queue(Time::ZERO, &packet(0)), Ok(first));
        assert_eq!(link.begin(Time::ZERO, &packet(0), 0), ms(3));
        let second = link.queue(ms(1), &packet(1)).expect("room");
        assert!(!second.must_begin);
        assert_eq!(link.serve(ms(1), 0).arrival, Some(ms(4)));
        assert_eq!(link.serve(ms(2), 0).arrival, None);
    }

    #[test]
    fn a_full_queue_drops_at_its_tail() {
        let mut link = link(Capacity::Packets(2));
        assert!(link.send(Time::ZERO, &packet(0), 0).is_ok());
        assert!(link.send(Time::ZERO, &packet(1), 0).is_ok());
        assert_eq!(link.send(Time::ZERO, &packet(2), 0), Err(Refusal::QueueFull));
        let first_has_left = Time::ZERO + Duration::from_millis(1);
        assert!(link.send(first_has_left, &packet(3), 0).is_ok());
    }

    #[test]
    fn a_queue_of_octets_takes_what_fits() {
        let mut link = link(Capacity::Bytes(Bytes::new(2_500)));
        assert!(link.send(Time::ZERO, &packet(0), 0).is_ok());
        assert!(link.send(Time::ZERO, &packet(1), 0).is_ok());
        assert_eq!(link.send(Time::ZERO, &packet(2), 0), Err(Refusal::QueueFull));
        let first_has_left = Time::ZERO + Duration::from_millis(1);
        assert!(link.send(first_has_left, &packet(3), 0).is_ok());
        assert_eq!(link.backlog, Bytes::new(2_000));
    }
}
