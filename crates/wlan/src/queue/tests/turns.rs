//! Tests of round robin, by packets and by octets.

use super::*;

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

/// Stations share octets, whatever the size of their packets. The quantum is 1000 octets. Station 0 sends packets of
/// 600 octets, and station 1 packets of 300. After the packet in service: 600 (400 kept), then 300 · 3 (100 kept), 600
/// · 2 of 1400, 300 · 3 of 1100.
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

/// A station whose packets have all left keeps no octets for its next turn. Station 1 sends 300 of its 1000 octets and
/// has no more packets. The 700 are lost when it has packets again, and after one packet of 600 it is station 0's turn.
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
