//! Tests of CoDel and FQ-CoDel.

use super::*;

/// CoDel drops more often the longer the delay stays above its target. Packets of 1000 octets are served every 20 ms,
/// so that each has waited 20 ms longer than the one before. The delay is above 5 ms from the first dequeue on. The
/// first drop comes 100 ms later, the next one 100 ms after it, and the third 100/√2 ms after that.
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
    // The first dequeue is at 20 ms, so drops start at 120 ms; then 120 + 100 = 220, 220 + 70.7 = 290.7 → 300, 290.7
    // + 57.7 = 348.4 → 360, 348.4 + 50 = 398.4 → 400.
    let times: Vec<u64> = drops.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [120, 220, 300, 360, 400]);
    // packet n is dequeued at 20·n, minus one packet for each earlier drop
    assert_eq!(drops[..2], [(120, 6), (220, 12)]);
}

/// With marks, CoDel marks at the times at which it would drop, and every packet is served: packet n at 20·n ms. A
/// packet that the transport does not answer is dropped all the same.
///
/// Verifies: [RFC8289 §3.3], [RFC3168 §5]
#[test]
fn codel_marks_at_the_times_at_which_it_would_drop() {
    let codel = Discipline::CoDel(RULE.marking());
    let fair = Discipline::FqCoDel {
        codel: RULE.marking(),
        quantum: Bytes::new(1_514),
        queues: 8,
        isolation: Isolation::Flows,
    };
    for discipline in [codel, fair] {
        let mut queue = queue(discipline, 1_000, Limit::Shared);
        for number in 0..100 {
            queue.push(ms(0), packet(CAPABLE, number, 1_000));
        }
        let mut marked = Vec::new();
        for step in 1..=20 {
            finish(&mut queue, ms(20 * step));
            let number = in_service(&queue).expect("packets wait").payload.number;
            assert_eq!(number % MARK, step, "none is dropped");
            if number >= MARK {
                marked.push(20 * step);
            }
        }
        assert!(!queue.has_dropped());
        assert_eq!(marked, [120, 220, 300, 360, 400]);
    }
    let mut queue = queue(codel, 1_000, Limit::Shared);
    (0..100).for_each(|number| _ = queue.push(ms(0), packet(0, number, 1_000)));
    (1..=6).for_each(|step| _ = finish(&mut queue, ms(20 * step)));
    assert!(queue.has_dropped());
}

/// A FIFO with a threshold of 3 marks packets that find more than 3 others in the queue, the one in service included:
/// from the fifth packet on.
///
/// Verifies: [RFC8257 §3.1]
#[test]
fn a_fifo_marks_packets_that_find_a_long_queue() {
    let mut queue = queue(Discipline::MarkingFifo { mark_above: 3 }, 8, Limit::Shared);
    let pushed: Vec<bool> =
        (0..9).map(|number| queue.push(ms(0), packet(CAPABLE, number, 1_000))).collect();
    assert_eq!(pushed.iter().filter(|it| **it).count(), 8);
    let numbers: Vec<u64> =
        std::iter::from_fn(|| finish(&mut queue, ms(0))).map(|it| it.payload.number).collect();
    assert_eq!(numbers, [0, 1, 2, 3, MARK + 4, MARK + 5, MARK + 6, MARK + 7]);
}

#[test]
fn codel_leaves_a_short_or_a_fast_queue_alone() {
    let mut queue = queue(Discipline::CoDel(RULE), 1_000, Limit::Shared);
    // at most two packets of 700 octets wait, which is less than one of the largest size
    for step in 0..50 {
        queue.push(ms(100 * step), packet(0, step, 700));
        if step > 2 {
            finish(&mut queue, ms(100 * step));
        }
    }
    assert!(queue.poll_dropped().is_none());
}

/// CoDel that resumes dropping within 16 intervals continues at its former rate: five drops raised count from 1 to 5,
/// so 4 remains, and the second drop comes 100/√4 = 50 ms after the first. Later it starts anew.
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

/// A flow is served before the old flows only when it is new. A turn of a flow has three packets. A new flow interrupts
/// the turn of another flow, and does so once: if it has new packets while it is still listed, it waits for its turn.
///
/// Verifies: [RFC8290 §4.2]
#[test]
fn a_flow_goes_first_only_when_it_is_new() {
    let long = Discipline::FqCoDel {
        codel: RULE,
        quantum: Bytes::new(4_500),
        queues: 1_024,
        isolation: Isolation::Flows,
    };
    let mut queue = queue(long, 1_000, Limit::Shared);
    for number in 0..12 {
        queue.push(ms(0), packet(0, number, 1_500));
    }
    let next = |queue: &mut TransmitQueue<Tagged>| {
        finish(queue, ms(0));
        in_service(queue).expect("packets wait").payload.flow
    };
    // flow 0 is new itself: a turn after the packet in service, and then the first packet of a turn among the old
    assert_eq!([0; 4].map(|_| next(&mut queue)), [0; 4]);
    queue.push(ms(0), packet(2, 0, 100));
    assert_eq!(next(&mut queue), 2);
    // flow 2 is found empty and listed among the old; flow 0 continues its turn
    assert_eq!(next(&mut queue), 0);
    queue.push(ms(0), packet(2, 1, 100));
    assert_eq!([0; 3].map(|_| next(&mut queue)), [0, 2, 0]);
}

/// A packet that comes to a full queue is accepted, and the first waiting packet of the longest flow is dropped.
///
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

/// Station 0 has four flows and station 1 has one, all with packets of 1000 octets. With equal shares of flows, station 1
/// has a fifth of the packets; with equal shares of receivers it has half, and each flow of station 0 an eighth.
///
/// Verifies: [cake §IV]
#[test]
fn receivers_have_equal_shares_whatever_the_number_of_their_flows() {
    for (isolation, expected) in
        [(Isolation::Flows, [80; 5]), (Isolation::Receivers, [50, 50, 50, 50, 200])]
    {
        let mut queue = slow_to_drop(isolation);
        let stations = [0, 0, 0, 0, 1].map(NodeId::station);
        for number in 0..500 {
            for (flow, to) in (0..5).zip(stations) {
                assert!(queue.push(ms(0), Msdu { to, ..packet(flow, number, 1_000) }));
            }
        }
        let mut counts = [0_usize; 5];
        for _ in 0..400 {
            let flow = finish(&mut queue, ms(0)).expect("packets wait").payload.flow;
            counts[usize::try_from(flow).expect("a small number")] += 1;
        }
        let is_near = |(count, expected): (&usize, usize)| count.abs_diff(expected) <= 2;
        assert!(counts.iter().zip(expected).all(is_near), "{isolation:?}: {counts:?}");
    }
}

/// A queue of FQ-CoDel with a quantum of one packet, which drops nothing within a minute.
fn slow_to_drop(isolation: Isolation) -> TransmitQueue<Tagged> {
    let codel = CoDel::new(Duration::from_secs(60), Duration::from_secs(60));
    let quantum = Bytes::new(1_000);
    let fair = Discipline::FqCoDel { codel, quantum, queues: 1_024, isolation };
    queue(fair, 10_000, Limit::Shared)
}

/// A receiver's queues count as long as they are listed: when two of three flows of station 0 have ended, the last one has
/// all of its share again.
///
/// Verifies: [cake §IV]
#[test]
fn the_share_of_a_receiver_goes_to_the_flows_that_it_still_has() {
    let mut queue = slow_to_drop(Isolation::Receivers);
    for number in 0..300 {
        for (flow, index) in [(0, 0), (1, 0), (2, 0), (3, 1)] {
            if flow == 0 || flow == 3 || number < 10 {
                let to = NodeId::station(index);
                assert!(queue.push(ms(0), Msdu { to, ..packet(flow, number, 1_000) }));
            }
        }
    }
    // The short flows have 20 packets, which leave with ten of flow 0 and 30 of flow 3.
    (0..120).for_each(|_| _ = finish(&mut queue, ms(0)));
    let flows = (0..200).map(|_| finish(&mut queue, ms(0)).expect("packets wait").payload.flow);
    let first = flows.filter(|flow| *flow == 0).count();
    assert!(first.abs_diff(100) <= 2, "{first}");
}
