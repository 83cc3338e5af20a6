//! Tests of airtime fairness between stations, each of which has two coupled queues.

use airfair_laws::dualpi2::Params;

use super::*;
use crate::aggregation::{Agreement, BlockAckWindow};
use crate::phy::mode::Format;
use crate::queue::link::Room;

const LOW: u64 = LOW_LATENCY;

fn coupled_queue(rule: Params) -> TransmitQueue<Tagged> {
    queue(Discipline::Airtime(coupled(rule)), 5_000, Limit::Shared)
}

/// A packet of `flow` to station `index`.
fn to(index: usize, flow: u64, number: u64) -> Msdu<Tagged> {
    Msdu { to: NodeId::station(index), ..packet(flow, number, 1_000) }
}

/// Station and flow of the packet in service. An exchange with station `index` costs `costs[index]` [µs].
fn serve_next(queue: &mut TransmitQueue<Tagged>, costs: [u64; 2]) -> (usize, u64) {
    let msdu = in_service(queue).expect("packets wait");
    let (index, flow) = (msdu.to.index() - 1, msdu.payload.flow);
    queue.charge(ms(0), &exchange(index, Down, costs[index]));
    finish(queue, ms(0));
    (index, flow)
}

/// Stations share airtime, whatever they have: station 0 has Classic packets and packets of low latency, station 1 only
/// Classic ones. Exchanges cost 900 and 300 µs, so station 1 is served three times as often, and of the packets to
/// station 0 nine of ten are of low latency.
///
/// Verifies: [hoiland-2017 §3.2], [RFC9332 §2.5]
#[test]
fn stations_share_airtime_and_the_queues_of_a_station_share_its_turns() {
    let mut queue = coupled_queue(Params::default());
    for number in 0..400 {
        for msdu in [to(0, 0, number), to(0, LOW, number), to(1, 2, number), to(1, 2, number)] {
            assert!(queue.push(ms(0), msdu));
        }
    }
    let served: Vec<_> = (0..400).map(|_| serve_next(&mut queue, [900, 300])).collect();
    let count = |of: &dyn Fn(&(usize, u64)) -> bool| served.iter().filter(|it| of(it)).count();
    let [first, second] = [0, 1].map(|station| count(&|it| it.0 == station));
    assert!((99..=101).contains(&first) && (299..=301).contains(&second), "{first} {second}");
    let low = count(&|it| it.1 == LOW);
    assert!((89..=91).contains(&low), "{low}");
}

/// The queues of a station are judged by its own waits: packets of low latency to station 0 that have waited for 2 ms
/// are marked, while those to station 1, which have just come, pass.
///
/// Verifies: [RFC9332 §A.1]
#[test]
fn a_late_packet_is_marked_in_its_own_queue() {
    let mut queue = coupled_queue(Params::default());
    let mut numbers = Vec::new();
    (0..4).for_each(|number| _ = queue.push(ms(0), to(0, LOW, number)));
    (0..4).for_each(|number| _ = queue.push(ms(2), to(1, LOW, 10 + number)));
    while let Some(msdu) = finish(&mut queue, ms(2)) {
        numbers.push(msdu.payload.number);
    }
    // The first was in service before, and the last of a queue has no other packet behind it.
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 3, 10, 11, 12, 13, MARK + 1, MARK + 2]);
}

/// An aggregate has packets of both queues of its station, in the order of the scheduler: of eleven packets one is
/// Classic, and packets of other stations do not join.
///
/// Verifies: [RFC9332 §2.5]
#[test]
fn an_aggregate_takes_from_both_queues_of_its_station() {
    let mut queue = coupled_queue(Params::default());
    let agreement = Agreement::of(Format::He, BlockAckWindow::Mpdus64);
    for index in 0..2 {
        queue.agree(NodeId::station(index), agreement);
    }
    for number in 0..40 {
        for msdu in [to(0, 0, number), to(0, LOW, number), to(1, LOW, number)] {
            assert!(queue.push(ms(0), msdu));
        }
    }
    let first = queue.link_in_service().expect("packets wait");
    assert_eq!(first, NodeId::station(0));
    let room = Room { octets: Bytes::new(65_000), mpdus: 11 };
    queue.prepare(ms(0), first, &room);
    let flows: Vec<u64> = queue.under_way().map(|queued| queued.msdu.payload.flow).collect();
    assert_eq!(flows, [0, LOW, 0, LOW, LOW, LOW, LOW, LOW, LOW, LOW, LOW]);
}

/// When the queue is full, the queue with the most octets loses its first packet, whatever its station.
///
/// Verifies: [hoiland-2017 §3.1]
#[test]
fn the_fattest_of_all_coupled_queues_gives_way() {
    let discipline = Discipline::Airtime(coupled(Params::default()));
    let mut queue = queue(discipline, 4, Limit::Shared);
    for (station, flow, number) in [(0, 0, 0), (0, LOW, 1), (1, 2, 2), (1, 2, 3), (0, 0, 4)] {
        assert!(queue.push(ms(0), to(station, flow, number)));
    }
    assert_eq!(queue.poll_dropped().expect("one").0.payload.number, 2);
    assert!(queue.poll_dropped().is_none());
}

/// A flow's packets may be in either queue of its station, so both count as its backlog. The first packet is in service.
#[test]
fn the_backlog_of_a_flow_is_that_of_its_stations_queues() {
    let mut queue = coupled_queue(Params::default());
    assert_eq!(queue.backlog(NodeId::station(0), 0), 0);
    for msdu in [to(0, 0, 0), to(0, 0, 1), to(0, LOW, 2), to(1, 2, 3), to(0, LOW, 4)] {
        assert!(queue.push(ms(0), msdu));
    }
    assert_eq!([0, 1].map(|index| queue.backlog(NodeId::station(index), LOW)), [3, 1]);
}
