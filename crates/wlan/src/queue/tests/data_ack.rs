//! Tests of the service of DATA and pure ACKs by weights.

use super::*;

/// Two DATA packets are served for each ACK, as the weights are two to one, and the remaining ACKs follow at once. The
/// first packet is in service before the second comes. Then there are three rounds of data, ACK, data.
///
/// Verifies: [updown-fairness §IV]
#[test]
fn data_and_acks_are_served_two_to_one_and_nobody_waits_for_an_empty_queue() {
    let mut queue = queue(Discipline::data_ack(Weights::default()), 50, Limit::Each);
    for number in 0..7 {
        assert!(queue.push(ms(0), packet(0, number, 1_500)));
        assert!(queue.push(ms(0), packet(1, number, 52)));
    }
    assert_eq!(served(&mut queue, ms(0)), [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1]);
}

/// A queue gains no credit while it is empty. Weights are two to one. The only waiting data packet is served first.
/// Then the ACK is alone, which clears the credits, so that of the next two packets data goes first again.
#[test]
fn an_empty_queue_saves_nothing() {
    let mut queue = queue(Discipline::data_ack(Weights::default()), 50, Limit::Each);
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
    let mut queue = queue(Discipline::data_ack(Weights { data: 1, ack: 1 }), 50, Limit::Each);
    for number in 0..8 {
        queue.push(ms(0), packet(0, number, 1_500));
        queue.push(ms(0), packet(1, number, 52));
    }
    queue.set_weights(Weights { data: 1, ack: 3 });
    // after the packet in service, one round of credit: ACK, ACK, data, ACK or a rotation of it
    let order = served(&mut queue, ms(0));
    assert_eq!(order[1..9].iter().sum::<u64>(), 6, "{order:?}");
}

/// Packets that wait in a FIFO join the queues of the new discipline in their order, and those without room are
/// dropped. Data and ACKs alternate in the FIFO. Under the new weights one ACK follows two data packets. Each new queue
/// has room for three packets.
#[test]
fn what_waits_joins_the_queues_of_another_discipline() {
    let mut queue = queue(Discipline::Fifo, 50, Limit::Shared);
    for number in 0..4 {
        queue.push(ms(number), packet(0, number, 1_500));
        queue.push(ms(number), packet(1, number, 52));
    }
    let data_ack = Discipline::data_ack(Weights { data: 2, ack: 1 });
    let config = QueueConfig { limit: Limit::Each, discipline: data_ack, ..QueueConfig::fifo(3) };
    queue.reconfigure(ms(9), config);
    assert_eq!(queue.len(), 6, "the one in service counts with the data");
    let dropped = std::iter::from_fn(|| queue.poll_dropped());
    let dropped: Vec<_> = dropped.map(|(it, _)| (it.payload.flow, it.payload.number)).collect();
    assert_eq!(dropped, [(0, 3), (1, 3)]);
    assert_eq!(served(&mut queue, ms(9)), [0, 0, 1, 0, 1, 1]);
}

/// A pure ACK is served after the frames that the driver has taken before. The driver holds two frames: the one in
/// service and the data that came next. Without the driver's queue, the ACK is served after the frame in service.
#[test]
fn an_ack_waits_behind_data_that_the_driver_has_taken() {
    let order = |hardware_queue| {
        let weights = Weights { data: 1, ack: 3 };
        let mut queue = queue(Discipline::DataAck { weights, hardware_queue }, 50, Limit::Each);
        for number in 0..3 {
            queue.push(ms(0), packet(0, number, 1_500));
        }
        queue.push(ms(0), packet(1, 0, 52));
        served(&mut queue, ms(0))
    };
    assert_eq!(order(HardwareQueue::default()), [0, 1, 0, 0]);
    assert_eq!(order(HardwareQueue::aggregates(2)), [0, 0, 1, 0]);
    assert_eq!(order(HardwareQueue::packets(3)), [0, 0, 0, 1]);
}
