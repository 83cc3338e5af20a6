//! Tests of `DualPI2`.

use airfair_laws::dualpi2::Params;

use super::*;

const LOW: u64 = LOW_LATENCY;

fn dual() -> TransmitQueue<Tagged> {
    queue(Discipline::DualPi2(Params::default()), 5_000, Limit::Shared)
}

/// While both queues have packets, the L queue has nine of ten; a single queue has all.
///
/// Verifies: [linux-dualpi2]
#[test]
fn the_l_queue_goes_first_and_leaves_a_tenth() {
    let mut queue = dual();
    for number in 0..60 {
        queue.push(ms(0), packet(0, number, 1_000));
        queue.push(ms(0), packet(LOW, number, 1_000));
    }
    // The first packet is in service before there is a choice.
    let flows = served(&mut queue, ms(0));
    assert_eq!(flows[1..12], [LOW, 0, LOW, LOW, LOW, LOW, LOW, LOW, LOW, LOW, LOW]);
    let low = flows[1..51].iter().filter(|flow| **flow == LOW).count();
    assert!((44..=46).contains(&low), "{low}");
    assert_eq!(flows.len(), 120);
    assert_eq!(flows[110..], [0; 10]);
}

/// A packet of the L queue is marked if it has waited for more than a millisecond and another one waits behind it.
///
/// Verifies: [RFC9332 §A.1]
#[test]
fn late_packets_of_the_l_queue_are_marked() {
    let mut queue = dual();
    for number in 0..5 {
        queue.push(ms(0), packet(LOW, number, 1_000));
        queue.push(ms(0), packet(CAPABLE, number, 1_000));
    }
    let mut numbers = Vec::new();
    for step in 0..10 {
        let at = Time::ZERO + Duration::from_micros(700 * step);
        let payload = finish(&mut queue, at).expect("ten packets").payload;
        numbers.extend((payload.flow == LOW).then_some(payload.number));
    }
    // One is served at 0, as the first. Those at 0.7 ms and later are judged when the one before them leaves.
    assert_eq!(numbers, [0, 1, MARK + 2, MARK + 3, 4]);
}

/// A Classic queue that stands above the target of 15 ms drops packets, and marks them where the transport answers.
///
/// Verifies: [RFC9332 §A.1]
#[test]
fn a_standing_classic_queue_drops_or_marks() {
    for flow in [0, CAPABLE] {
        let mut queue = dual();
        let mut marks = 0;
        for step in 0..150 {
            (0..2).for_each(|_| _ = queue.push(ms(step), packet(flow, 0, 1_000)));
            let payload = finish(&mut queue, ms(step)).expect("a queue that grows").payload;
            marks += payload.number / MARK;
        }
        assert_eq!((marks > 0, queue.has_dropped()), (flow == CAPABLE, flow == 0), "flow {flow}");
        while let Some((_, cause)) = queue.poll_dropped() {
            assert_eq!(cause, DropCause::DualPi2);
        }
    }
}
