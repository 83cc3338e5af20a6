//! Tests of airtime fairness, and of the driver's queue.

use super::*;

/// A queue under airtime fairness, with a capacity that is not reached.
fn airtime_queue(rule: AirtimeSharing) -> TransmitQueue<Tagged> {
    queue(Discipline::Airtime(rule), 1_000, Limit::Shared)
}

/// Stations share airtime by deficit round robin, and each exchange is charged after it. The quantum is 300 µs. An
/// exchange costs station 0 250 µs and station 1 900 µs. After each service, the deficits of both stations, and the
/// station that is served next: (50, 300) 0 again; (−200, 300) → 0 gets 300 and is last, 1; (100, −600) → −300, 0;
/// (−150, −300) → 0 gets 300, 1 too and has 0, 0; (−100, 0) → 200 and 300, 0; (−50, 300) → 250, 1; (250, −600) → −300,
/// 0; (0, −300) → 300 and 0, 0; (50, 0) 0; (−200, 0) → 100 and 300, 0; (−150, 300) → 150, 1.
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

/// A queue whose driver takes up to 64 packets ahead. 30 packets of 962 octets wait for each of three stations at 8
/// Mb/s, one station after the other. Linux expects 38 octets more per packet, so 1000 µs, and 40 µs for the frame.
fn queue_with_driver(aql: Option<AirtimeQueueLimits>) -> TransmitQueue<Tagged> {
    let rule = AirtimeSharing {
        hardware_queue: HardwareQueue::aggregates(64),
        aql,
        ..AirtimeSharing::default()
    };
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

/// Number of packets to each of three stations that the driver has taken, those in service included.
fn taken(queue: &TransmitQueue<Tagged>) -> [usize; 3] {
    let ahead = queue.driver.as_ref().expect("a driver").packets().map(|(msdu, _)| msdu.to);
    let all: Vec<NodeId> = ahead.chain(in_service(queue).map(|msdu| msdu.to)).collect();
    [0, 1, 2].map(|index| all.iter().filter(|to| **to == NodeId::station(index)).count())
}

/// The driver takes packets of a station up to the airtime that the limits leave. Of the first station it takes up to
/// 12 ms: eleven packets are 11.44 ms, so a twelfth follows. The second station has as many, since 12.48 + 11.44 ms are
/// below 24 ms. After 24.96 ms the third station may have up to 5 ms: four packets are 4.16 ms, so a fifth follows.
///
/// Verifies: [linux-aql]
#[test]
fn the_driver_takes_the_airtime_that_its_limits_leave_to_a_station() {
    let limits = AirtimeQueueLimits::default();
    let mut queue = queue_with_driver(Some(limits));
    assert_eq!((taken(&queue), queue.len()), ([12, 12, 5], 90));
    // After six packets of the first station 23.92 ms are left, so one more packet is taken.
    (0..5).for_each(|_| _ = finish(&mut queue, ms(0)));
    assert_eq!(taken(&queue), [7, 12, 5]);
    finish(&mut queue, ms(0));
    assert_eq!(taken(&queue).iter().sum::<usize>(), 24);
    let served = std::iter::from_fn(|| finish(&mut queue, ms(0))).count();
    assert_eq!((served, queue.len(), taken(&queue)), (84, 0, [0; 3]));
    // Without limits the driver takes as many packets as it has room for.
    assert_eq!(taken(&queue_with_driver(None)), [30, 30, 4]);
}

/// Stations share airtime with a driver's queue as they do without, within 3 ms. Quanta are 300 µs, and exchanges last
/// 250 and 900 µs.
#[test]
fn a_driver_shares_airtime_as_the_scheduler_says() {
    let rule = AirtimeSharing {
        hardware_queue: HardwareQueue::aggregates(2),
        ..AirtimeSharing::default()
    };
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

/// A station is served before the old stations only when it is new. A turn of a station has three exchanges. A new
/// station interrupts the turn of another station, and does so once: if it has new packets while it is still listed, it
/// waits for its turn.
///
/// Verifies: [hoiland-2017 §3.2]
#[test]
fn a_station_goes_first_only_when_it_is_new() {
    let quantum = Some(Duration::from_micros(3_000));
    let mut queue = airtime_queue(AirtimeSharing { quantum, ..AirtimeSharing::default() });
    (0..12).for_each(|number| _ = queue.push(ms(0), packet(0, number, 300)));
    let mut next = |new: Option<u64>| {
        if let Some(number) = new {
            queue.push(ms(0), packet(4, number, 300));
        }
        serve(&mut queue, ms(0), [1_000, 0, 100]).expect("packets wait")
    };
    // 2000 and 1000 are left of the first turn; station 2 comes while the third exchange is in service
    assert_eq!([next(None), next(None), next(Some(0)), next(None)], [0, 0, 0, 4]);
    // station 2 is found empty and listed among the old; station 0 has a turn before it
    assert_eq!([next(Some(1)), next(None), next(None), next(None)], [0, 0, 0, 4]);
    // station 2 is found empty again and listed no longer: now it is new again, in the middle of a turn
    assert_eq!([next(Some(2)), next(None)], [0, 4]);
}

/// Each of two flows of one station has half of the station's share of airtime. Two stations use equally much airtime
/// per exchange.
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

/// A station that has transmitted for 3 ms is charged for it, if uplink airtime counts and if the station was active
/// within the last 100 ms. It then waits until the other station has used as much more.
///
/// Verifies: [linux-atf]
#[test]
fn what_a_station_sends_is_charged_while_it_is_active() {
    for (charges_uplink, at, late) in [(true, 0, true), (false, 0, false), (true, 101, false)] {
        let mut queue =
            airtime_queue(AirtimeSharing { charges_uplink, ..AirtimeSharing::default() });
        // the first packet is in service; then both stations have a turn of their own
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

/// A packet comes every 10 ms, and from 60 ms on one leaves every 10 ms or 11 ms after it: each has waited for 50 or 49
/// ms. CoDel drops the first packet to a station at 12 Mb/s, whose target is 20 ms, 100 ms after the first dequeue. To
/// a slower station, whose target is 50 ms, it drops the first packet after 300 ms, and none after 49 ms of waiting. Where
/// no station counts as slow, all have the first rule.
///
/// Verifies: [hoiland-2017 §3], [linux-codel-revert]
#[test]
fn a_slow_station_may_wait_longer() {
    let drop_with = |flows: FlowQueues, rate, earlier_by| {
        let queues = StationQueues::Flows(flows);
        let mut queue = airtime_queue(AirtimeSharing { queues, ..AirtimeSharing::default() });
        let charge = Charge { rate: DataRate::from_mbps(rate), ..exchange(0, Down, 10) };
        (0..200).find_map(|step| {
            let now = 10 * step - if step > 5 { earlier_by } else { 0 };
            if step > 5 {
                queue.charge(ms(now), &charge);
                finish(&mut queue, ms(now));
            }
            queue.push(ms(10 * step), packet(0, step, 1_400));
            queue.poll_dropped().map(|_| now)
        })
    };
    let first_drop = |rate, earlier_by| drop_with(FlowQueues::default(), rate, earlier_by);
    assert_eq!([first_drop(12, 0), first_drop(12, 1)], [Some(160), Some(159)]);
    assert_eq!([first_drop(11, 0), first_drop(11, 1)], [Some(360), None]);
    let one_rule = FlowQueues { slow_below: None, ..FlowQueues::default() };
    assert_eq!(drop_with(one_rule, 1, 0), Some(160));
}

/// When the queue is full, the flow with the most octets loses a packet, whatever its station.
///
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

/// Without a quantum, stations are served in turn, although an exchange with station 1 uses nine times as much airtime.
///
/// Verifies: [hoiland-2017 §3.1]
#[test]
fn without_a_quantum_stations_have_turns_whatever_these_take() {
    let mut queue = airtime_queue(AirtimeSharing { quantum: None, ..AirtimeSharing::default() });
    for number in 0..9 {
        (0..3).for_each(|flow| _ = queue.push(ms(0), packet(2 * flow, number, 1_000)));
    }
    let order = [(); 9].map(|()| serve(&mut queue, ms(0), [100, 900, 100]).unwrap() / 2);
    assert_eq!(order, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
}

/// While a station is held, its flow with 6 packets of 1000 octets waits; its flow with two packets of 300 octets does not,
/// nor does the other station. Then nothing is in service, until the station is no longer held.
#[test]
fn only_bulk_for_a_station_that_is_held_waits() {
    let mut queue = airtime_queue(AirtimeSharing::default());
    queue.hold(NodeId::station(0), true);
    for (flow, packets, size) in [(2, 2, 1_000), (0, 6, 1_000), (1, 2, 300)] {
        (0..packets).for_each(|number| _ = queue.push(ms(0), packet(flow, number, size)));
    }
    assert_eq!([0, 1, 2].map(|it| queue.has_bulk(NodeId::station(it))), [true, false, false]);
    let mut served: Vec<u64> =
        std::iter::from_fn(|| serve(&mut queue, ms(0), [500, 500, 0])).collect();
    served.sort_unstable();
    assert_eq!((served, queue.len()), (vec![1, 1, 2, 2], 6));
    queue.hold(NodeId::station(0), false);
    queue.release(ms(1));
    assert_eq!(serve(&mut queue, ms(1), [500, 500, 0]), Some(0));
}

/// A station without bulk is served as if it were not held: it is new again after its queue was empty, and goes first.
#[test]
fn a_station_without_bulk_keeps_its_place_while_it_is_held() {
    let order = [false, true].map(|is_held| {
        let mut queue = airtime_queue(AirtimeSharing::default());
        queue.hold(NodeId::station(0), is_held);
        (0..12).for_each(|number| _ = queue.push(ms(0), packet(2, number, 1_000)));
        [(); 12].map(|()| {
            if queue.waiting().all(|msdu| msdu.payload.flow != 0) {
                queue.push(ms(0), packet(0, 0, 300));
            }
            serve(&mut queue, ms(0), [100, 900, 0]).expect("packets wait")
        })
    });
    assert_eq!(order[0], order[1]);
    assert!(order[0].contains(&0) && order[0].contains(&2), "{:?}", order[0]);
}
