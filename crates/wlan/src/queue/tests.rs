use std::collections::BTreeMap;

use airfair_laws::Direction;
use airfair_laws::Direction::{Down, Up};
use airfair_units::{Bytes, DataRate, Duration};
use proptest::prelude::*;

use super::config::{
    AirtimeQueueLimits, AirtimeSharing, CoDel, FlowQueues, HardwareQueue, Isolation, StationQueues,
    TimeRegulation,
};
use super::*;
use crate::node::NodeId;

mod aggregates;
mod airtime;
mod codel;
mod coupled_airtime;
mod data_ack;
mod dual;
mod properties;
mod regulator;
mod turns;

/// Payload of a packet: its flow, and its number in the flow. A pure ACK acknowledges the packets up to its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tagged {
    flow: u64,
    number: u64,
    is_ack: bool,
}

impl Headers for Tagged {
    fn flow(&self) -> u64 {
        self.flow
    }

    fn class(&self) -> Class {
        if self.is_ack {
            Class::PureAck { number: self.number, is_selective: false }
        } else {
            Class::Data
        }
    }

    fn is_low_latency(&self) -> bool {
        self.flow >= LOW_LATENCY
    }

    fn mark(&mut self) -> bool {
        let is_capable = self.flow >= CAPABLE;
        self.number += if is_capable { MARK } else { 0 };
        is_capable
    }
}

/// First flow whose transport answers marks. A mark adds `MARK` to a packet's number.
const CAPABLE: u64 = 100;
const MARK: u64 = 1_000;
/// First flow whose packets belong into a queue of low latency.
const LOW_LATENCY: u64 = 200;

fn in_service<P: Copy + Headers>(queue: &TransmitQueue<P>) -> Option<&Msdu<P>> {
    queue.packet().map(|served| &served.mpdu.msdu)
}

/// Removes the packet in service from the queue, and serves the next one.
fn finish<P: Copy + Headers>(queue: &mut TransmitQueue<P>, now: Time) -> Option<Msdu<P>> {
    let sequence = queue.packet()?.mpdu.sequence;
    queue.finish(now, sequence).map(|served| served.mpdu.msdu)
}

fn packet(flow: u64, number: u64, size: u64) -> Msdu<Tagged> {
    // Flows with odd numbers are ACKs, and each station has two flows.
    let payload = Tagged { flow, number, is_ack: flow % 2 == 1 };
    let station = usize::try_from(flow / 2).expect("a small number");
    Msdu { payload, size: Bytes::new(size), from: NodeId::AP, to: NodeId::station(station) }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn queue(discipline: Discipline, packets: u32, limit: Limit) -> TransmitQueue<Tagged> {
    TransmitQueue::new(QueueConfig { limit, discipline, ..QueueConfig::fifo(packets) })
}

/// Flow of each packet that the queue serves at `now`, in order, until no packet waits.
fn served(queue: &mut TransmitQueue<Tagged>, now: Time) -> Vec<u64> {
    std::iter::from_fn(|| finish(queue, now)).map(|msdu| msdu.payload.flow).collect()
}

const DRR: Discipline = Discipline::DeficitRoundRobin { quantum: Bytes::new(1_000) };
const RULE: CoDel = CoDel::new(Duration::from_millis(5), Duration::from_millis(100));
const FAIR: Discipline = Discipline::FqCoDel {
    codel: RULE,
    quantum: Bytes::new(1_514),
    queues: 1_024,
    isolation: Isolation::Flows,
};
const REGULATION: TimeRegulation = TimeRegulation {
    bucket: Duration::from_millis(10),
    adjustment: Duration::from_millis(1_000),
    charges_backoff: true,
};

/// Airtime fairness between stations, each of which has two coupled queues.
fn coupled(rule: airfair_laws::dualpi2::Params) -> AirtimeSharing {
    AirtimeSharing { queues: StationQueues::Coupled(rule), ..AirtimeSharing::default() }
}

/// Charge for an exchange of `airtime` microseconds between the access point and station `index`.
fn exchange(index: usize, direction: Direction, airtime: u64) -> Charge {
    Charge {
        station: NodeId::station(index),
        direction,
        rate: DataRate::from_mbps(54),
        airtime: Duration::from_micros(airtime),
        gap: Duration::ZERO,
        backoff: Duration::ZERO,
    }
}

/// Serves the packet in service, and returns its flow. An exchange with station `index` costs `costs[index]` [µs].
fn serve(queue: &mut TransmitQueue<Tagged>, now: Time, costs: [u64; 3]) -> Option<u64> {
    let flow = in_service(queue)?.payload.flow;
    let index = usize::try_from(flow / 2).unwrap();
    queue.charge(now, &exchange(index, Down, costs[index]));
    finish(queue, now);
    Some(flow)
}

/// A capacity of two packets holds for each queue under [`Limit::Each`], and for all queues together under
/// [`Limit::Shared`]. The packet in service counts for its own queue.
#[test]
fn a_limit_counts_each_queue_or_all() {
    let accepted = |limit| {
        let mut queue = queue(Discipline::data_ack(Weights::default()), 2, limit);
        let flows = [0, 0, 0, 1, 1, 1];
        flows.map(|flow| queue.push(ms(0), packet(flow, 0, 100)))
    };
    assert_eq!(accepted(Limit::Each), [true, true, false, true, true, false]);
    assert_eq!(accepted(Limit::Shared), [true, true, false, false, false, false]);
}

/// Packets that come together join a queue with something in service, up to its capacity. Five packets have room, one
/// of them in service: two packets join, and then two of seven.
#[test]
fn packets_that_come_together_join_as_they_do_one_by_one() {
    let mut queue = queue(Discipline::Fifo, 5, Limit::Shared);
    let (mut numbers, mut lengths) = (0.., Vec::new());
    let mut join = |queue: &mut TransmitQueue<Tagged>, most| {
        let next = || Some(packet(0, numbers.next()?, 100));
        queue.extend(ms(0), most, next, |length| lengths.push(length))
    };
    assert_eq!(join(&mut queue, 7), 0, "nothing is in service");
    assert!(queue.push(ms(0), packet(0, 9, 100)));
    assert_eq!((join(&mut queue, 2), join(&mut queue, 7)), (2, 2));
    assert_eq!(lengths, [2, 3, 4, 5]);
    let all = std::iter::from_fn(|| finish(&mut queue, ms(1)));
    assert_eq!(all.map(|it| it.payload.number).collect::<Vec<_>>(), [9, 0, 1, 2, 3]);
}

#[test]
fn a_newer_ack_takes_the_place_of_an_older_one_of_its_flow() {
    let config = QueueConfig { ack_filter: true, ..QueueConfig::fifo(4) };
    let mut queue = TransmitQueue::new(config);
    for (flow, number) in [(0, 0), (1, 1), (3, 1), (1, 2), (1, 2), (0, 1)] {
        assert!(queue.push(ms(0), packet(flow, number, 52)) || (flow, number) == (0, 1));
    }
    // ACK 1 of flow 1 was removed. The second ACK 2 is a duplicate, which indicates a loss, and stays.
    let (filtered, cause) = queue.poll_dropped().expect("one is redundant");
    assert_eq!((filtered.payload.flow, filtered.payload.number), (1, 1));
    assert_eq!((cause, queue.poll_dropped()), (DropCause::AckFiltered, None));
    assert_eq!(served(&mut queue, ms(0)), [0, 3, 1, 1]);
}

/// When a queue is full, the flow with the most packets gives way to a flow with few. Room for five packets, one of
/// them in service. Flow 0 fills the queue. A packet of flow 2 replaces the oldest waiting one, and so does the next,
/// until both flows have equally many. Then the longer flow, the new packet included, gives way again.
///
/// Verifies: [mckenney-1990 §3]
#[test]
fn a_flow_with_few_packets_is_not_locked_out() {
    let config = QueueConfig { overflow: Overflow::LongestFlow, ..QueueConfig::fifo(5) };
    let mut queue = TransmitQueue::new(config);
    for number in 0..5 {
        assert!(queue.push(ms(0), packet(0, number, 1_000)));
    }
    for number in 0..3 {
        assert!(queue.push(ms(0), packet(2, number, 1_000)));
    }
    let dropped: Vec<(u64, u64)> = std::iter::from_fn(|| queue.poll_dropped())
        .map(|(msdu, _)| (msdu.payload.flow, msdu.payload.number))
        .collect();
    assert_eq!(dropped, [(0, 1), (0, 2), (2, 0)]);
    assert_eq!(served(&mut queue, ms(0)), [0, 0, 0, 2, 2]);
    // Flows 0 and 2 have equally many packets: the flow with the older first packet gives way.
    let mut queue = TransmitQueue::new(config);
    for flow in [0, 2, 0, 0, 2] {
        assert!(queue.push(ms(0), packet(flow, 0, 1_000)));
    }
    assert!(queue.push(ms(0), packet(4, 0, 1_000)));
    assert_eq!(served(&mut queue, ms(0)), [0, 0, 0, 2, 4]);
    // If only the packet itself is in service, there is nothing to drop.
    let config = QueueConfig { overflow: Overflow::LongestFlow, ..QueueConfig::fifo(1) };
    let mut queue = TransmitQueue::new(config);
    assert!(queue.push(ms(0), packet(0, 0, 1_000)));
    assert!(!queue.push(ms(0), packet(2, 0, 1_000)));
}

/// A queue has room for a packet if no other packet is dropped for it. Two packets have room, and the one in service
/// counts. If each station has a queue with its own room, only packets of the same station count.
#[test]
fn room_is_what_a_packet_finds_without_another_giving_way() {
    let to = NodeId::station;
    let weights = Discipline::data_ack(Weights::default());
    for (discipline, limit, expected) in [
        (Discipline::Fifo, Limit::Shared, [false, false]),
        (Discipline::Fifo, Limit::Each, [false, false]),
        (FAIR, Limit::Shared, [false, false]),
        (weights, Limit::Each, [false, false]),
        (DRR, Limit::Shared, [false, false]),
        (DRR, Limit::Each, [false, true]),
        (Discipline::RoundRobin, Limit::Each, [false, true]),
    ] {
        let mut queue = queue(discipline, 2, limit);
        for number in 0..2 {
            assert!(queue.has_room_for(to(0)) && queue.has_room_for(to(1)));
            queue.push(ms(0), packet(0, number, 100));
        }
        let found = [queue.has_room_for(to(0)), queue.has_room_for(to(1))];
        assert_eq!(found, expected, "{discipline:?} {limit:?}");
        finish(&mut queue, ms(1));
        assert!(queue.has_room_for(to(0)), "{discipline:?} {limit:?}");
    }
}

#[test]
fn a_packet_is_done_by_its_sequence_number_and_no_other_is() {
    let mut queue = queue(Discipline::Fifo, 9, Limit::Shared);
    for number in 0..3 {
        queue.push(ms(0), packet(number, number, 100));
    }
    assert_eq!(queue.finish(ms(0), 1), None);
    assert_eq!(in_service(&queue).map(|msdu| msdu.payload.flow), Some(0));
    let done = queue.finish(ms(0), 0).map(|served| served.mpdu.sequence);
    assert_eq!(
        (done, queue.packet().expect("the next").mpdu.sequence, queue.len()),
        (Some(0), 1, 2)
    );
}
