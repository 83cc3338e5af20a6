use std::collections::BTreeMap;

use airfair_laws::Direction::{Down, Up};
use airfair_units::{Bytes, DataRate, Duration};
use proptest::prelude::*;

use super::config::{AirtimeQueueLimits, AirtimeSharing, CoDel, TimeRegulation};
use super::*;
use crate::config::NodeId;

/// A packet with a number in its flow; an ACK acknowledges up to its number.
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
}

/// The packet in service.
fn in_service<P: Copy + Headers>(queue: &TransmitQueue<P>) -> Option<&Msdu<P>> {
    queue.packet().map(|served| &served.mpdu.msdu)
}

/// Takes the packet in service away.
fn finish<P: Copy + Headers>(queue: &mut TransmitQueue<P>, now: Time) -> Option<Msdu<P>> {
    let sequence = queue.packet()?.mpdu.sequence;
    queue.finish(now, sequence).map(|served| served.mpdu.msdu)
}

fn packet(flow: u64, number: u64, size: u64) -> Msdu<Tagged> {
    // Odd flows are ACKs; two flows go to each station.
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

/// Flows of the packets served until nothing waits.
fn served(queue: &mut TransmitQueue<Tagged>, now: Time) -> Vec<u64> {
    std::iter::from_fn(|| finish(queue, now)).map(|msdu| msdu.payload.flow).collect()
}

const DRR: Discipline = Discipline::DeficitRoundRobin { quantum: Bytes::new(1_000) };
const RULE: CoDel =
    CoDel { target: Duration::from_millis(5), interval: Duration::from_millis(100) };
const FAIR: Discipline =
    Discipline::FqCoDel { codel: RULE, quantum: Bytes::new(1_514), queues: 1_024 };

/// The first packet is in service before the second comes; then three rounds of data, ACK, data, and the
/// ACKs that are left alone.
///
/// Verifies: [updown-fairness §IV]
#[test]
fn data_and_acks_are_served_two_to_one_and_nobody_waits_for_an_empty_queue() {
    let mut queue = queue(Discipline::DataAck(Weights::default()), 50, Limit::Each);
    for number in 0..7 {
        assert!(queue.push(ms(0), packet(0, number, 1_500)));
        assert!(queue.push(ms(0), packet(1, number, 52)));
    }
    assert_eq!(served(&mut queue, ms(0)), [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1]);
}

/// Two to one; the only data packet that waits is served first, then the ACK is alone and clears the account:
/// of the next two, data goes first again.
#[test]
fn an_empty_queue_saves_nothing() {
    let mut queue = queue(Discipline::DataAck(Weights::default()), 50, Limit::Each);
    queue.push(ms(0), packet(0, 0, 1_500));
    let mut order = Vec::new();
    for round in 1..4 {
        queue.push(ms(0), packet(0, round, 1_500));
        queue.push(ms(0), packet(1, round, 52));
        order
            .extend((0..2).filter_map(|_| finish(&mut queue, ms(0))).map(|msdu| msdu.payload.flow));
    }
    assert_eq!(order, [0, 0, 1, 0, 1, 0]);
}

#[test]
fn new_weights_hold_from_the_next_packet_on() {
    let mut queue = queue(Discipline::DataAck(Weights { data: 1, ack: 1 }), 50, Limit::Each);
    for number in 0..8 {
        queue.push(ms(0), packet(0, number, 1_500));
        queue.push(ms(0), packet(1, number, 52));
    }
    queue.set_weights(Weights { data: 1, ack: 3 });
    // after the one in service, the credit of one round: ACK, ACK, data, ACK or a rotation of it
    let order = served(&mut queue, ms(0));
    assert_eq!(order[1..9].iter().sum::<u64>(), 6, "{order:?}");
}

/// Data and ACKs in turn, in a FIFO; then one ACK for two of data, of which the third has no more room.
#[test]
fn what_waits_joins_the_queues_of_another_discipline() {
    let mut queue = queue(Discipline::Fifo, 50, Limit::Shared);
    for number in 0..4 {
        queue.push(ms(number), packet(0, number, 1_500));
        queue.push(ms(number), packet(1, number, 52));
    }
    let data_ack = Discipline::DataAck(Weights { data: 2, ack: 1 });
    let config = QueueConfig { limit: Limit::Each, discipline: data_ack, ..QueueConfig::fifo(3) };
    queue.reconfigure(ms(9), config);
    assert_eq!(queue.len(), 6, "the one in service counts with the data");
    let dropped = std::iter::from_fn(|| queue.poll_dropped());
    let dropped: Vec<_> = dropped.map(|(it, _)| (it.payload.flow, it.payload.number)).collect();
    assert_eq!(dropped, [(0, 3), (1, 3)]);
    assert_eq!(served(&mut queue, ms(9)), [0, 0, 1, 0, 1, 1]);
}

/// Room for two in each queue: the one in service counts with its own.
#[test]
fn a_limit_counts_each_queue_or_all() {
    let accepted = |limit| {
        let mut queue = queue(Discipline::DataAck(Weights::default()), 2, limit);
        let flows = [0, 0, 0, 1, 1, 1];
        flows.map(|flow| queue.push(ms(0), packet(flow, 0, 100)))
    };
    assert_eq!(accepted(Limit::Each), [true, true, false, true, true, false]);
    assert_eq!(accepted(Limit::Shared), [true, true, false, false, false, false]);
}

/// Five places, one of them in service: two packets join, and two of seven.
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
fn stations_take_turns() {
    for discipline in [Discipline::RoundRobin, Discipline::TimeRegulator(REGULATION)] {
        let mut queue = queue(discipline, 50, Limit::Each);
        for flow in [0, 0, 0, 0, 2, 2, 4] {
            queue.push(ms(0), packet(flow, 0, 100));
        }
        assert_eq!(served(&mut queue, ms(0)), [0, 0, 2, 4, 0, 2, 0]);
    }
}

/// Quantum 1000. Station 0 sends 600 octets at a time, station 1 300: after the packet in service,
/// 600 (400 kept), then 300 · 3 (100 kept), 600 · 2 of 1400, 300 · 3 of 1100.
///
/// Verifies: [drr-1995 §3]
#[test]
fn octets_are_shared_where_packets_differ() {
    let mut queue = queue(DRR, 50, Limit::Each);
    for _ in 0..8 {
        queue.push(ms(0), packet(0, 0, 600));
        queue.push(ms(0), packet(2, 0, 300));
    }
    let order = served(&mut queue, ms(0));
    assert_eq!(order[..10], [0, 2, 2, 2, 0, 2, 2, 2, 0, 0]);
}

/// Station 1 sends 300 octets of its 1000 and has no more: the 700 are gone when it comes back, and after
/// one packet of 600 it is station 0's turn.
#[test]
fn whoever_has_nothing_left_keeps_no_octets() {
    let mut queue = queue(DRR, 50, Limit::Each);
    queue.push(ms(0), packet(0, 0, 600));
    queue.push(ms(0), packet(2, 0, 300));
    finish(&mut queue, ms(0));
    for number in 1..4 {
        queue.push(ms(0), packet(2, number, 600));
        queue.push(ms(0), packet(0, number, 600));
    }
    assert_eq!(served(&mut queue, ms(0))[..4], [2, 2, 0, 2]);
}

/// Packets of 1000 octets, one served each 20 ms, so each has waited 20 ms more than the one before. The
/// delay is above 5 ms from the first dequeue on; 100 ms later the first drop; the next one follows
/// 100 ms after it, and the next 100/√2 ms after that.
///
/// Verifies: [RFC8289 §5.5]
#[test]
fn codel_drops_the_oftener_the_longer_the_queue_stands() {
    let mut queue = queue(Discipline::CoDel(RULE), 1_000, Limit::Shared);
    for number in 0..100 {
        queue.push(ms(0), packet(0, number, 1_000));
    }
    let mut drops = Vec::new();
    for step in 1..=20 {
        let now = ms(20 * step);
        finish(&mut queue, now);
        while let Some((msdu, cause)) = queue.poll_dropped() {
            assert_eq!(cause, DropCause::CoDel);
            drops.push((20 * step, msdu.payload.number));
        }
    }
    // First dequeue at 20 ms, so drops from 120 ms on; then 120 + 100 = 220, 220 + 70.7 = 290.7 → 300,
    // 290.7 + 57.7 = 348.4 → 360, 348.4 + 50 = 398.4 → 400.
    let times: Vec<u64> = drops.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [120, 220, 300, 360, 400]);
    // packet n is dequeued at 20·n, one later for each drop before
    assert_eq!(drops[..2], [(120, 6), (220, 12)]);
}

#[test]
fn codel_leaves_a_short_or_a_fast_queue_alone() {
    let mut queue = queue(Discipline::CoDel(RULE), 1_000, Limit::Shared);
    // at most two packets of 700 octets wait: less than one of the largest size
    for step in 0..50 {
        queue.push(ms(100 * step), packet(0, step, 700));
        if step > 2 {
            finish(&mut queue, ms(100 * step));
        }
    }
    assert!(queue.poll_dropped().is_none());
}

/// Dropping that resumes within 16 intervals goes on at the rate at which it ended: five drops made count 5
/// from 1, so 4 is left, and the second drop comes 100/√4 = 50 ms after the first. Later it starts afresh.
///
/// Verifies: [RFC8289 §5.5]
#[test]
fn codel_remembers_for_a_while_how_fast_it_had_to_drop() {
    for (start, second) in [(500, 180), (5_000, 220)] {
        let mut queue = queue(Discipline::CoDel(RULE), 1_000, Limit::Shared);
        let mut drops = Vec::new();
        let mut stand = |queue: &mut TransmitQueue<Tagged>, start: u64| {
            (0..100).for_each(|number| _ = queue.push(ms(start), packet(0, number, 1_000)));
            for step in 1..=20 {
                finish(queue, ms(start + 20 * step));
                drops.extend(std::iter::from_fn(|| queue.poll_dropped()).map(|_| 20 * step));
            }
        };
        stand(&mut queue, 0);
        while finish(&mut queue, ms(400)).is_some() {}
        stand(&mut queue, start);
        assert_eq!(drops[..5], [120, 220, 300, 360, 400]);
        assert_eq!(drops[5..7], [120, second], "from {start} ms on");
    }
}

/// Verifies: [RFC8290 §4.2]: a new flow goes before the old ones, then takes turns with them.
#[test]
fn a_flow_that_has_just_come_goes_first() {
    let mut queue = queue(FAIR, 1_000, Limit::Shared);
    for number in 0..6 {
        queue.push(ms(0), packet(0, number, 1_514));
    }
    finish(&mut queue, ms(0));
    finish(&mut queue, ms(0));
    queue.push(ms(0), packet(2, 0, 100));
    queue.push(ms(0), packet(2, 1, 100));
    assert_eq!(served(&mut queue, ms(0))[..4], [0, 2, 2, 0]);
}

/// A turn is three packets long. A flow that has just come interrupts one, and does so once: when it comes
/// back while it is still listed, it waits for its turn.
///
/// Verifies: [RFC8290 §4.2]
#[test]
fn a_flow_goes_first_only_when_it_is_new() {
    let long = Discipline::FqCoDel { codel: RULE, quantum: Bytes::new(4_500), queues: 1_024 };
    let mut queue = queue(long, 1_000, Limit::Shared);
    for number in 0..12 {
        queue.push(ms(0), packet(0, number, 1_500));
    }
    let next = |queue: &mut TransmitQueue<Tagged>| {
        finish(queue, ms(0));
        in_service(queue).expect("packets wait").payload.flow
    };
    // flow 0 is new itself: a turn after the packet in service; then the first of a turn among the old
    assert_eq!([0; 4].map(|_| next(&mut queue)), [0; 4]);
    queue.push(ms(0), packet(2, 0, 100));
    assert_eq!(next(&mut queue), 2);
    // looked at again, empty, and listed among the old; flow 0 goes on with its turn
    assert_eq!(next(&mut queue), 0);
    queue.push(ms(0), packet(2, 1, 100));
    assert_eq!([0; 3].map(|_| next(&mut queue)), [0, 2, 0]);
}

/// Verifies: [RFC8290 §4.1.3]
#[test]
fn where_there_is_no_room_the_longest_queue_gives_way_at_its_head() {
    let mut queue = queue(FAIR, 4, Limit::Shared);
    for number in 0..4 {
        assert!(queue.push(ms(0), packet(0, number, 1_000)));
    }
    assert!(queue.push(ms(0), packet(2, 0, 100)));
    let (dropped, cause) = queue.poll_dropped().expect("one gives way");
    // number 0 is in service
    assert_eq!((dropped.payload.flow, dropped.payload.number), (0, 1));
    assert_eq!((cause, queue.len()), (DropCause::QueueFull, 4));
}

#[test]
fn a_newer_ack_takes_the_place_of_an_older_one_of_its_flow() {
    let config = QueueConfig { ack_filter: true, ..QueueConfig::fifo(4) };
    let mut queue = TransmitQueue::new(config);
    for (flow, number) in [(0, 0), (1, 1), (3, 1), (1, 2), (1, 2), (0, 1)] {
        assert!(queue.push(ms(0), packet(flow, number, 52)) || (flow, number) == (0, 1));
    }
    // ACK 1 of flow 1 went; the second ACK 2 is a duplicate, which tells of a loss, and stays.
    let (filtered, cause) = queue.poll_dropped().expect("one is redundant");
    assert_eq!((filtered.payload.flow, filtered.payload.number), (1, 1));
    assert_eq!((cause, queue.poll_dropped()), (DropCause::AckFiltered, None));
    assert_eq!(served(&mut queue, ms(0)), [0, 3, 1, 1]);
}

/// Room for five, one of them in service. Flow 0 fills it; a packet of flow 2 takes the place of the
/// oldest that waits, and so does the next one, until both have as many; then the longer one, the new
/// packet included, gives way again.
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
    // As many of flow 0 as of flow 2: the one whose oldest packet is older gives way.
    let mut queue = TransmitQueue::new(config);
    for flow in [0, 2, 0, 0, 2] {
        assert!(queue.push(ms(0), packet(flow, 0, 1_000)));
    }
    assert!(queue.push(ms(0), packet(4, 0, 1_000)));
    assert_eq!(served(&mut queue, ms(0)), [0, 0, 0, 2, 4]);
    // With nothing but itself in service there is nothing to drop.
    let config = QueueConfig { overflow: Overflow::LongestFlow, ..QueueConfig::fifo(1) };
    let mut queue = TransmitQueue::new(config);
    assert!(queue.push(ms(0), packet(0, 0, 1_000)));
    assert!(!queue.push(ms(0), packet(2, 0, 1_000)));
}

/// An exchange of so many microseconds between the access point and station `index`.
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

/// Serves the packet in service, which takes its station so many microseconds.
fn serve(queue: &mut TransmitQueue<Tagged>, now: Time, costs: [u64; 3]) -> Option<u64> {
    let flow = in_service(queue)?.payload.flow;
    let index = usize::try_from(flow / 2).unwrap();
    queue.charge(now, &exchange(index, Down, costs[index]));
    finish(queue, now);
    Some(flow)
}

/// The default shares, and a limit that is not reached.
fn airtime_queue(rule: AirtimeSharing) -> TransmitQueue<Tagged> {
    queue(Discipline::Airtime(rule), 1_000, Limit::Shared)
}

/// Quantum 300. An exchange costs station 0 250 and station 1 900. After each service, deficits of (0, 1):
/// (50, 300) 0 again; (−200, 300) → 0 gets 300 and is last, 1; (100, −600) → −300, 0; (−150, −300) → 0 gets
/// 300, 1 too and has 0, 0; (−100, 0) → 200 and 300, 0; (−50, 300) → 250, 1; (250, −600) → −300, 0;
/// (0, −300) → 300 and 0, 0; (50, 0) 0; (−200, 0) → 100 and 300, 0; (−150, 300) → 150, 1.
///
/// Verifies: [hoiland-2017 §3.2]
#[test]
fn airtime_is_charged_after_the_exchange_and_shared_in_rounds() {
    let mut queue = airtime_queue(AirtimeSharing::default());
    queue.push(ms(0), packet(0, 0, 1_000));
    for number in 1..13 {
        for flow in [0, 2] {
            assert!(queue.push(ms(0), packet(flow, number, 1_000)));
        }
    }
    let order = [(); 12].map(|()| serve(&mut queue, ms(0), [250, 900, 0]).unwrap() / 2);
    assert_eq!(order, [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
}

/// A queue whose driver takes up to 64 packets ahead, when three stations at 8 Mb/s have had 30 of 962 octets each, one station
/// after the other. Linux expects 38 octets more, 1000 µs, and 40 µs for the frame.
fn queue_with_driver(aql: Option<AirtimeQueueLimits>) -> TransmitQueue<Tagged> {
    let rule = AirtimeSharing { hardware_queue: Some(64), aql, ..AirtimeSharing::default() };
    let mut queue = airtime_queue(rule);
    for index in 0..3 {
        let rate = DataRate::from_mbps(8);
        queue.charge(ms(0), &Charge { rate, ..exchange(index, Down, 0) });
    }
    for (flow, number) in [0, 2, 4].into_iter().flat_map(|flow| (0..30).map(move |it| (flow, it))) {
        assert!(queue.push(ms(0), packet(flow, number, 962)));
    }
    queue
}

/// Packets of each of three stations that have left their queues.
fn taken(queue: &TransmitQueue<Tagged>) -> [usize; 3] {
    let ahead = queue.driver.as_ref().expect("a driver").packets().map(|(msdu, _)| msdu.to);
    let all: Vec<NodeId> = ahead.chain(in_service(queue).map(|msdu| msdu.to)).collect();
    [0, 1, 2].map(|index| all.iter().filter(|to| **to == NodeId::station(index)).count())
}

/// Up to 12 ms of the first station: eleven packets are 11.44 ms, the twelfth goes. The second has as many, since 12.48 and
/// 11.44 are below 24 ms. After 24.96 the third has up to 5 ms: four are 4.16, the fifth goes.
///
/// Verifies: [linux-aql]
#[test]
fn the_driver_takes_the_airtime_that_its_limits_leave_to_a_station() {
    let limits = AirtimeQueueLimits::default();
    let mut queue = queue_with_driver(Some(limits));
    assert_eq!((taken(&queue), queue.len()), ([12, 12, 5], 90));
    // After six of the first station 23.92 ms are left, and somebody takes one more.
    (0..5).for_each(|_| _ = finish(&mut queue, ms(0)));
    assert_eq!(taken(&queue), [7, 12, 5]);
    finish(&mut queue, ms(0));
    assert_eq!(taken(&queue).iter().sum::<usize>(), 24);
    let served = std::iter::from_fn(|| finish(&mut queue, ms(0))).count();
    assert_eq!((served, queue.len(), taken(&queue)), (84, 0, [0; 3]));
    // Without limits it takes what there is room for.
    assert_eq!(taken(&queue_with_driver(None)), [30, 30, 4]);
}

/// Quanta of 300 µs, and exchanges of 250 and 900 µs: stations share as they do without a driver, a little later.
#[test]
fn a_driver_shares_airtime_as_the_scheduler_says() {
    let rule = AirtimeSharing { hardware_queue: Some(2), ..AirtimeSharing::default() };
    let mut queue = airtime_queue(rule);
    for (number, flow) in (0..400).flat_map(|number| [0, 2].map(|flow| (number, flow))) {
        assert!(queue.push(ms(0), packet(flow, number, 1_000)));
    }
    let served: Vec<u64> =
        (0..400).map(|_| serve(&mut queue, ms(0), [250, 900, 0]).expect("packets wait")).collect();
    let [of_first, of_second] = [0, 2].map(|flow| served.iter().filter(|it| **it == flow).count());
    let [first, second] = [of_first * 250, of_second * 900];
    assert!(first.abs_diff(second) <= 3_000, "{first} and {second} us");
}

/// A turn is three exchanges long. A station that has just come interrupts one, and does so once: when it
/// comes back while it is still listed, it waits for its turn.
///
/// Verifies: [hoiland-2017 §3.2]
#[test]
fn a_station_goes_first_only_when_it_is_new() {
    let quantum = Duration::from_micros(3_000);
    let mut queue = airtime_queue(AirtimeSharing { quantum, ..AirtimeSharing::default() });
    (0..12).for_each(|number| _ = queue.push(ms(0), packet(0, number, 300)));
    let mut next = |new: Option<u64>| {
        if let Some(number) = new {
            queue.push(ms(0), packet(4, number, 300));
        }
        serve(&mut queue, ms(0), [1_000, 0, 100]).expect("packets wait")
    };
    // 2000 and 1000 are left of the first turn; station 2 comes when the third exchange is in service
    assert_eq!([next(None), next(None), next(Some(0)), next(None)], [0, 0, 0, 4]);
    // looked at again, empty, and listed among the old; station 0 has a turn before
    assert_eq!([next(Some(1)), next(None), next(None), next(None)], [0, 0, 0, 4]);
    // looked at once more and listed no longer: it is new again, in the middle of a turn
    assert_eq!([next(Some(2)), next(None)], [0, 4]);
}

/// Two stations use as much for each exchange; of two flows of one of them each has half.
#[test]
fn flows_of_a_station_share_its_time() {
    let mut queue = airtime_queue(AirtimeSharing::default());
    for number in 0..20 {
        (0..3).for_each(|flow| _ = queue.push(ms(0), packet(flow, number, 300)));
    }
    let mut counts = [0; 3];
    for _ in 0..32 {
        let flow = serve(&mut queue, ms(0), [1_000, 1_000, 0]).expect("packets wait");
        counts[usize::try_from(flow).unwrap()] += 1;
    }
    assert_eq!(counts, [8, 8, 16]);
}

/// Station 0 has sent for 3 ms: it waits until station 1 has had as much more, where that counts and where
/// station 0 was there in the last 100 ms.
///
/// Verifies: [linux-atf]
#[test]
fn what_a_station_sends_is_charged_while_it_is_active() {
    for (charges_uplink, at, late) in [(true, 0, true), (false, 0, false), (true, 101, false)] {
        let mut queue =
            airtime_queue(AirtimeSharing { charges_uplink, ..AirtimeSharing::default() });
        // the first is in service; then both have a turn of their own
        for flow in [2, 0] {
            queue.push(ms(0), packet(flow, 0, 1_000));
        }
        queue.charge(ms(at), &exchange(0, Up, 3_000));
        (1..20).for_each(|number| _ = queue.push(ms(at), packet(2, number, 1_000)));
        finish(&mut queue, ms(at));
        let order = std::iter::from_fn(|| serve(&mut queue, ms(at), [400, 400, 0]));
        let place = order.take_while(|flow| *flow != 0).count();
        // −2700 is positive again after ten quanta, in each of which station 1 sends at least once
        assert_eq!(place >= 7, late, "{charges_uplink} {at}: {place}");
    }
}

/// A standing delay of 30 ms is above the target of 20 ms, and below 50 ms, that of stations below 12 Mb/s.
///
/// Verifies: [hoiland-2017 §3]
#[test]
fn a_slow_station_may_wait_longer() {
    let dropped = |rate| {
        let mut queue = airtime_queue(AirtimeSharing::default());
        let mut charge = exchange(0, Down, 10);
        charge.rate = DataRate::from_mbps(rate);
        let mut drops = 0;
        for step in 0..200 {
            queue.push(ms(10 * step), packet(0, step, 1_400));
            if step >= 4 {
                queue.charge(ms(10 * step), &charge);
                finish(&mut queue, ms(10 * step));
            }
            drops += std::iter::from_fn(|| queue.poll_dropped()).count();
        }
        drops
    };
    assert!(dropped(12) > 0);
    assert_eq!(dropped(11), 0);
}

/// Verifies: [hoiland-2017 §3.1]
#[test]
fn among_stations_the_fattest_flow_gives_way() {
    let mut queue = queue(Discipline::Airtime(AirtimeSharing::default()), 4, Limit::Shared);
    for (flow, size) in [(0, 100), (0, 100), (0, 100), (2, 1_000), (4, 100)] {
        assert!(queue.push(ms(0), packet(flow, 0, size)));
    }
    assert_eq!(queue.poll_dropped().unwrap().0.payload.flow, 2);
    assert!(queue.poll_dropped().is_none());
}

const REGULATION: TimeRegulation = TimeRegulation {
    bucket: Duration::from_millis(10),
    adjustment: Duration::from_millis(1_000),
    charges_backoff: true,
};

/// Two stations with half the channel and 10 ms saved each. An exchange of 12 ms leaves the first with a debt
/// of 2 ms, paid after 4 ms; the tokens must be more than none, so a nanosecond later it may send. Before, the
/// other has its turns; when it has no more to send nobody is served.
///
/// Verifies: [tan-2004 §4.1, §4.2]
#[test]
fn a_station_without_tokens_waits_even_if_nobody_else_sends() {
    let mut queue = queue(Discipline::TimeRegulator(REGULATION), 50, Limit::Each);
    for (flow, number) in [(0, 0), (2, 0), (0, 1), (2, 1), (0, 2)] {
        assert!(queue.push(ms(0), packet(flow, number, 1_000)));
    }
    let costs = [12_000, 100, 0];
    let order = [(); 3].map(|()| serve(&mut queue, ms(0), costs).unwrap());
    assert_eq!(order, [0, 2, 2]);
    assert!(queue.is_empty() && in_service(&queue).is_none());
    assert_eq!((queue.len(), queue.waiting().count()), (2, 2));
    let release = ms(4) + Duration::from_nanos(1);
    assert_eq!(queue.next_release(), Some(release));
    queue.release(ms(4));
    assert!(queue.is_empty());
    queue.release(release);
    assert_eq!(in_service(&queue).unwrap().payload.flow, 0);
    assert_eq!(queue.next_release(), None);
    // One that comes for somebody with tokens goes at once.
    serve(&mut queue, release, costs);
    assert!(queue.is_empty());
    queue.push(release, packet(2, 2, 1_000));
    assert_eq!(in_service(&queue).unwrap().payload.flow, 2);
}

/// A station is charged for what it sends, the gap before it, and the back-off where the rule says so.
///
/// Verifies: [tan-2004 §4.2]
#[test]
fn uplink_gap_and_back_off_use_tokens() {
    for (charges_backoff, release) in [(true, 8_000), (false, 4_000)] {
        let rule = TimeRegulation { charges_backoff, ..REGULATION };
        let mut queue = queue(Discipline::TimeRegulator(rule), 50, Limit::Each);
        queue.charge(ms(0), &exchange(1, Up, 100));
        let gap = Duration::from_millis(1);
        let charge = Charge { gap, backoff: gap * 2, ..exchange(0, Up, 11_000) };
        queue.charge(ms(0), &charge);
        queue.push(ms(0), packet(1, 0, 52));
        let release = Time::ZERO + Duration::from_micros(release) + Duration::from_nanos(1);
        assert_eq!(queue.next_release(), Some(release));
    }
}

/// A minute of UDP that nobody could hold back leaves a debt of one interval, a second.
#[test]
fn a_debt_has_a_bound() {
    let mut queue = queue(Discipline::TimeRegulator(REGULATION), 50, Limit::Each);
    queue.charge(ms(0), &exchange(1, Up, 100));
    queue.charge(ms(0), &exchange(0, Up, 60_000_000));
    queue.push(ms(0), packet(0, 0, 1_000));
    let mut now = ms(0);
    while queue.is_empty() {
        now = queue.next_release().expect("a packet waits");
        queue.charge(now, &exchange(1, Up, 100));
        queue.release(now);
    }
    assert!((ms(1_000)..=ms(2_000) + Duration::from_nanos(1)).contains(&now), "{now}");
}

/// Whoever is alone is not held back; nor is the one that stays when the other has done nothing for an
/// interval.
#[test]
fn whoever_is_alone_has_the_channel() {
    let mut queue = queue(Discipline::TimeRegulator(REGULATION), 50, Limit::Each);
    (0..50).for_each(|number| _ = queue.push(ms(0), packet(0, number, 1_000)));
    for _ in 0..5 {
        assert_eq!(serve(&mut queue, ms(0), [50_000, 0, 0]), Some(0));
    }
    queue.charge(ms(1), &exchange(1, Up, 100));
    serve(&mut queue, ms(1), [50_000, 0, 0]);
    // It owes for this exchange only: 50 ms, paid after 100.
    assert_eq!(queue.next_release(), Some(ms(101) + Duration::from_nanos(1)));
    let mut now = ms(1);
    while now <= ms(1_999) {
        now = queue.next_release().expect("packets wait");
        queue.release(now);
        serve(&mut queue, now, [90_000, 0, 0]);
    }
    // The other used a little in the first second and nothing in the next.
    queue.release(now);
    for _ in 0..5 {
        assert_eq!(serve(&mut queue, now, [50_000, 0, 0]), Some(0));
    }
}

/// Station 1 uses a tenth of the channel, station 0 what it may, for 30 s: half is not enough for it, and it
/// gets what the other leaves, as far as seven eighths of the channel are used. When the other wants more, it
/// has half at once.
///
/// Verifies: [tan-2004 §4.3]
#[test]
fn unused_shares_go_to_those_who_wait_and_come_back() {
    let mut queue = queue(Discipline::TimeRegulator(REGULATION), 50, Limit::Each);
    let mut used = [0, 0, 0];
    let mut now = Time::ZERO;
    let mut number = 0;
    // Each exchange takes 2 ms of the channel; station 1 has one every 20 ms until 30 s.
    let mut next_light = Time::ZERO;
    let mut phase = [[0; 2]; 3];
    while now < ms(50_000) {
        number += 1;
        if !queue.waiting().any(|msdu| msdu.payload.flow == 0) {
            queue.push(now, packet(0, number, 1_000));
        }
        let is_greedy = now >= ms(30_000);
        let has_none = !queue.waiting().any(|msdu| msdu.payload.flow == 2);
        if has_none && (is_greedy || next_light <= now) {
            queue.push(now, packet(2, number, 1_000));
            next_light = now + Duration::from_millis(20);
        }
        now += Duration::from_millis(2);
        if let Some(flow) = serve(&mut queue, now, [2_000, 2_000, 0]) {
            used[usize::try_from(flow / 2).unwrap()] += 1;
            let part = match now.as_nanos() / 1_000_000_000 {
                15..30 => 0,
                40.. => 1,
                _ => 2,
            };
            phase[part][usize::try_from(flow / 2).unwrap()] += 1;
        } else {
            queue.release(now);
        }
    }
    // 15 s hold 7500 exchanges: a tenth, and from 3/4 to 7/8 less a tenth
    let [[greedy, light], [one, other], _] = phase;
    assert!((700..=800).contains(&light), "{light}");
    assert!((4_800..=5_900).contains(&greedy), "{greedy}");
    assert!(one > 2_000 && u32::abs_diff(one, other) < 100, "{one} and {other}");
}

fn any_discipline() -> impl Strategy<Value = Discipline> {
    let weights = (1u32..8, 1u32..8).prop_map(|(data, ack)| Weights { data, ack });
    let quantum = || (64u64..3_000).prop_map(Bytes::new);
    let codel = || {
        let time = |range| prop::num::u64::ANY.prop_map(move |n: u64| n % range + 1);
        (time(20), time(50)).prop_map(|(target, interval)| CoDel {
            target: Duration::from_millis(target),
            interval: Duration::from_millis(interval),
        })
    };
    prop_oneof![
        Just(Discipline::Fifo),
        weights.prop_map(Discipline::DataAck),
        Just(Discipline::RoundRobin),
        quantum().prop_map(|quantum| Discipline::DeficitRoundRobin { quantum }),
        codel().prop_map(Discipline::CoDel),
        (codel(), quantum(), 1u16..6).prop_map(|(codel, quantum, queues)| Discipline::FqCoDel {
            codel,
            quantum,
            queues
        }),
        (codel(), quantum(), 1u16..6, any::<bool>()).prop_map(
            |(codel, flow_quantum, queues, charges_uplink)| Discipline::Airtime(AirtimeSharing {
                charges_uplink,
                flow_quantum,
                queues,
                codel,
                ..AirtimeSharing::default()
            })
        ),
        (1u64..20, 1u64..90, any::<bool>()).prop_map(|(bucket, adjustment, charges_backoff)| {
            Discipline::TimeRegulator(TimeRegulation {
                bucket: Duration::from_millis(bucket),
                adjustment: Duration::from_millis(adjustment),
                charges_backoff,
            })
        }),
    ]
}

fn any_config() -> impl Strategy<Value = QueueConfig> {
    let limit = prop::sample::select(vec![Limit::Shared, Limit::Each]);
    let overflow = prop::sample::select(vec![Overflow::Tail, Overflow::LongestFlow]);
    (1u32..12, limit, any_discipline(), overflow, any::<bool>()).prop_map(
        |(packets, limit, discipline, overflow, ack_filter)| QueueConfig {
            packets,
            limit,
            discipline,
            overflow,
            ack_filter,
        },
    )
}

/// An arrival of a flow with a size, or the end of a service; then time passes [ms].
fn any_history() -> impl Strategy<Value = Vec<(Option<(u64, u64)>, u64)>> {
    let arrival = prop::option::weighted(0.6, (0u64..6, 1u64..1_515));
    prop::collection::vec((arrival, 0u64..8), 0..400)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_024, ..ProptestConfig::default() })]

    /// Every packet is served, dropped, refused or there; each flow in order; nothing waits while nothing
    /// is served; no more than there is room for.
    #[test]
    fn nothing_is_lost_overtaken_or_left_waiting(
        config in any_config(),
        history in any_history(),
    ) {
        let mut queue = TransmitQueue::new(config);
        let mut now = Time::ZERO;
        let (mut came, mut gone, mut last) = (0, 0, BTreeMap::new());
        for (number, (arrival, pause)) in (1u64..).zip(history) {
            if queue.next_release().is_some_and(|release| release <= now) {
                queue.release(now);
            }
            match arrival {
                Some((flow, size)) => {
                    came += 1;
                    gone += u32::from(!queue.push(now, packet(flow, number, size)));
                }
                None if in_service(&queue).is_some() => {
                    let station = in_service(&queue).unwrap().to.index() - 1;
                    queue.charge(now, &exchange(station, Down, 700 * number % 9_000));
                    queue.charge(now, &exchange(usize::from(number % 2 > 0), Up, 900));
                    let msdu = finish(&mut queue, now).unwrap();
                    gone += 1;
                    let Tagged { flow, number, .. } = msdu.payload;
                    prop_assert!(last.insert(flow, number).is_none_or(|before| before < number));
                }
                None => queue.release(now),
            }
            while queue.poll_dropped().is_some() {
                gone += 1;
            }
            prop_assert_eq!(came - gone, queue.len());
            let in_service = usize::from(in_service(&queue).is_some());
            prop_assert_eq!(queue.waiting().count() + in_service, queue.len() as usize);
            let may_hold = matches!(config.discipline, Discipline::TimeRegulator(_));
            prop_assert!(queue.waiting().count() == 0 || in_service == 1 || may_hold);
            let is_held = in_service == 0 && queue.waiting().count() > 0;
            prop_assert_eq!(queue.next_release().is_some(), is_held);
            prop_assert!(queue.next_release().is_none_or(|release| release > now));
            let room = config.packets * if config.limit == Limit::Each { 7 } else { 1 };
            prop_assert!(queue.len() <= room);
            now += Duration::from_millis(pause);
        }
        // Whoever was held back gets its turn, none later than a debt can last.
        let end = now + Duration::from_secs(60);
        while !queue.is_empty() || queue.next_release().is_some() {
            if in_service(&queue).is_some() {
                finish(&mut queue, now);
            } else {
                now = now.max(queue.next_release().expect("it waits for tokens"));
                queue.release(now);
            }
            prop_assert!(now < end);
        }
        prop_assert_eq!(queue.len(), 0);
    }

    /// Stations that always have packets use as much airtime, within a quantum and their longest exchanges.
    #[test]
    fn airtime_is_fair(costs in prop::array::uniform3(50u64..13_000), quantum in 20u64..4_000) {
        let rule = AirtimeSharing {
            quantum: Duration::from_micros(quantum),
            ..AirtimeSharing::default()
        };
        let mut queue = queue(Discipline::Airtime(rule), 10_000, Limit::Shared);
        let mut used = [0u64; 3];
        (0..3).for_each(|station| _ = queue.push(ms(0), packet(2 * station, 0, 1_500)));
        for number in 1..2_000 {
            (0..3).for_each(|station| _ = queue.push(ms(0), packet(2 * station, number, 1_500)));
            let flow = serve(&mut queue, ms(0), costs).expect("packets wait");
            used[usize::try_from(flow / 2).unwrap()] += costs[usize::try_from(flow / 2).unwrap()];
            let spread = used.iter().max().unwrap() - used.iter().min().unwrap();
            prop_assert!(spread <= 2 * (quantum + costs.iter().max().unwrap()), "{used:?}");
        }
    }

    /// While both kinds wait, each has its weight in every round, and never more than a packet more or
    /// less on the way.
    #[test]
    fn weights_are_kept_within_a_packet(data in 1u32..40, ack in 1u32..40, rounds in 1usize..8) {
        let weights = Weights { data, ack };
        let mut queue = queue(Discipline::DataAck(weights), 10_000, Limit::Each);
        for number in 0..1_000 {
            queue.push(ms(0), packet(0, number, 1_500));
            queue.push(ms(0), packet(1, number, 52));
        }
        finish(&mut queue, ms(0));
        let total = data + ack;
        let mut served = [0u32; 2];
        for step in 1..=(rounds * total as usize) {
            let msdu = finish(&mut queue, ms(0)).expect("packets wait");
            served[usize::from(msdu.payload.is_ack)] += 1;
            let ideal = f64::from(u32::try_from(step).unwrap() * data) / f64::from(total);
            prop_assert!((f64::from(served[0]) - ideal).abs() <= 1.0, "{served:?} after {step}");
            if step % total as usize == 0 {
                prop_assert!(served[0].abs_diff(data * (served[0] + served[1]) / total) == 0);
            }
        }
    }

    /// Stations that always have packets send equally often, and under deficits equally much within a
    /// quantum and a packet.
    #[test]
    fn turns_are_fair(sizes in prop::collection::vec(64u64..1_515, 2..5), quantum in 1_514u64..4_000) {
        let station = |i: usize| 2 * u64::try_from(i).unwrap();
        for discipline in [
            Discipline::RoundRobin,
            Discipline::DeficitRoundRobin { quantum: Bytes::new(quantum) },
        ] {
            let mut queue = queue(discipline, 100_000, Limit::Shared);
            for number in 0..400 {
                for (i, size) in sizes.iter().enumerate() {
                    queue.push(ms(0), packet(station(i), number, *size));
                }
            }
            finish(&mut queue, ms(0));
            let mut sent = vec![(0i64, 0i64); sizes.len()];
            for _ in 0..300 {
                let msdu = finish(&mut queue, ms(0)).expect("packets wait");
                let (packets, octets) = &mut sent[msdu.to.index() - 1];
                *packets += 1;
                *octets += i64::try_from(msdu.size.get()).unwrap();
                let spread = |of: &dyn Fn(&(i64, i64)) -> i64| {
                    let values: Vec<i64> = sent.iter().map(of).collect();
                    values.iter().max().unwrap() - values.iter().min().unwrap()
                };
                match discipline {
                    Discipline::RoundRobin => prop_assert!(spread(&|(packets, _)| *packets) <= 1),
                    _ => prop_assert!(
                        spread(&|(_, octets)| *octets) <= i64::try_from(quantum + 2 * 1_514).unwrap()
                    ),
                }
            }
        }
    }
}

/// Room for two. The packet in service counts, and where each queue has room of its own only those of its station
/// do; a packet for which another gives way has no room.
#[test]
fn room_is_what_a_packet_finds_without_another_giving_way() {
    let to = NodeId::station;
    let weights = Discipline::DataAck(Weights::default());
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
