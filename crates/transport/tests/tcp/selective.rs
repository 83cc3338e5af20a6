//! Recovery with a SACK scoreboard: the segments sent and their times.

use airfair_transport::tcp::{Flavour, SackBlocks, Segment, SenderConfig, SenderEvent, Transfer};
use airfair_units::Bytes;

use crate::script::{SEGMENT, Script, ack, octet, plain};

/// Configuration of a sender with SACK and without further options.
pub(crate) fn selective() -> SenderConfig {
    SenderConfig { flavour: Flavour::Sack, ..plain() }
}

/// An ACK of everything below segment `number` with SACK blocks of these ranges of segments, the latest
/// first.
pub(crate) fn sack(number: u64, ranges: &[(u64, u64)]) -> Segment {
    let mut blocks = SackBlocks::NONE;
    for (start, end) in ranges {
        blocks.push(octet(number), octet(*start), octet(*end));
    }
    Segment { sack: blocks, ..ack(number) }
}

/// Script with eleven segments in flight, 1 to 11, and cwnd 11.
fn eleven_in_flight(config: SenderConfig) -> Script {
    let mut script = Script::new(SenderConfig { initial_window: 10, ..config });
    script.sends(0..10).at(100).ack(1).sends([10, 11]).window(11, u32::MAX);
    script
}

/// With SACK three losses in a window are repaired in one round trip.
///
/// Verifies: [RFC6675 §5], [RFC6675 §4]
#[test]
fn three_losses_are_repaired_in_one_round_trip() {
    let mut script = eleven_in_flight(selective());
    // 1, 3 and 5 are lost; 2, 4, 6, 7 … arrive.
    script.at(200).receive(sack(1, &[(2, 3)])).silent();
    script.receive(sack(1, &[(4, 5), (2, 3)])).silent();
    // Three ranges are above 1, but not above 3. Flight 11 → cwnd 5.5; pipe 8 − 1, plus 1 for the first.
    script.receive(sack(1, &[(6, 7), (4, 5), (2, 3)])).sends([1]).window(5, 5);
    // 3000 octets above 3 exceed two segments, 2000 above 5 do not: pipe 7 − 2 + 1 = 6
    script.receive(sack(1, &[(6, 8), (4, 5), (2, 3)])).silent();
    // 5 is lost, too: pipe 6 − 3 + 1 = 4, and one segment fits into 5.5
    script.receive(sack(1, &[(6, 9), (4, 5), (2, 3)])).sends([3]);
    // pipe 5 − 3 + 2 = 4
    script.receive(sack(1, &[(6, 10), (4, 5), (2, 3)])).sends([5]);
    // pipe 4 − 3 + 3 = 4: no lost segment remains, so new ones are sent.
    script.receive(sack(1, &[(6, 11), (4, 5), (2, 3)])).sends([12]);
    script.receive(sack(1, &[(6, 12), (4, 5), (2, 3)])).sends([13]);
    // The retransmissions arrive.
    script.at(300).receive(sack(3, &[(6, 12), (4, 5)])).sends([14]).timer(1_300);
    script.at(310).receive(sack(5, &[(6, 12)])).sends([15]).timer(1_310);
    // All up to 11 is acknowledged, which ends recovery: 4 in flight with cwnd 5.5
    script.at(320).ack(12).sends([16]).window(5, 5);
    let stats = *script.sender.stats();
    assert_eq!((stats.retransmissions, stats.fast_retransmits, stats.timeouts), (3, 1, 0));
}

/// A single ACK starts recovery if its SACK blocks show a loss.
///
/// Verifies: [RFC6675 §5 step 2]
#[test]
fn the_scoreboard_need_not_wait_for_three_duplicates() {
    let mut script = eleven_in_flight(selective());
    // Exactly two segments above are not enough; three are.
    script.at(200).receive(sack(1, &[(2, 4)])).silent();
    script.receive(sack(1, &[(2, 5)])).sends([1]);
    script.events([
        SenderEvent::Established,
        SenderEvent::RttSample(airfair_units::Duration::from_millis(100)),
        SenderEvent::FastRetransmit,
        SenderEvent::Retransmission,
    ]);
}

/// An ACK that acknowledges new data and reports a loss above it starts recovery at once: it is a duplicate,
/// whatever it acknowledges. Such an ACK comes after ACKs that were lost.
///
/// Verifies: [RFC6675 §5]
#[test]
fn an_ack_of_new_data_may_show_a_loss() {
    let mut script = eleven_in_flight(selective());
    // 1, 3 and 4 arrive, 2 is lost: two segments above 2 are not enough. cwnd grows to 12, and 10 are in flight.
    script.at(200).receive(sack(2, &[(3, 5)])).sends([12, 13]).window(12, u32::MAX);
    assert_eq!(script.sender.stats().duplicate_acks, 1);
    let mut script = eleven_in_flight(selective());
    // 5 arrives, too, and the ACKs of 1, 3 and 4 are lost. Flight 10 → cwnd 5; pipe 10 − 3 − 1 + 1 = 7
    script.at(200).receive(sack(2, &[(3, 6)])).sends([2]).window(5, 5);
    assert_eq!(
        (script.sender.stats().fast_retransmits, script.sender.stats().duplicate_acks),
        (1, 1)
    );
}

/// The first segment above the recovery point is retransmitted fast if it is lost, as all later ones.
///
/// Verifies: [RFC6675 §5.1]
#[test]
fn the_segment_at_the_recovery_point_is_repaired_without_a_timeout() {
    let mut script = eleven_in_flight(selective());
    // 1 is lost, and the recovery point is 12. Flight 11 → cwnd 5.5; pipe 11 − 10 − 1 + 1 = 1
    script.at(200).receive(sack(1, &[(2, 5)])).sends([1]).window(5, 5);
    script.receive(sack(1, &[(2, 12)])).sends([12, 13, 14, 15]);
    script.at(300).ack(12).sends([16]);
    // 12 is lost as well.
    script.at(400).receive(sack(12, &[(13, 16)])).sends([12]).window(2, 2);
    assert_eq!(script.sender.stats().fast_retransmits, 2);
}

/// An ACK without new SACK information is no duplicate.
///
/// Verifies: [RFC6675 §2]
#[test]
fn acks_without_new_blocks_are_no_duplicates() {
    let mut script = eleven_in_flight(selective());
    script.at(200).receive(sack(1, &[(2, 3)]));
    for _ in 0..9 {
        script.receive(sack(1, &[(2, 3)])).ack(1).silent();
    }
    assert_eq!(script.sender.stats().duplicate_acks, 1);
}

/// With SACK, each of the first two ACKs with new blocks sends a new segment, which does not count for
/// ssthresh.
///
/// Verifies: [RFC6675 §5 step 3], [RFC5681 §3.2 step 2]
#[test]
fn limited_transmit_sends_for_what_has_left_the_network() {
    let config = SenderConfig { limited_transmit: true, initial_window: 4, ..selective() };
    let mut script = Script::new(config);
    script.sends(0..4).at(100).receive(sack(0, &[(1, 2)])).sends([4]);
    // The two segments of limited transmit do not count: ssthresh 4/2 = 2; pipe 6 − 3 − 1 = 2, and 3 with the
    // first.
    script.receive(sack(0, &[(1, 3)])).sends([5]).receive(sack(0, &[(1, 4)])).sends([0]);
    script.window(2, 2);
}

/// If there is no new data, segments that may be lost are sent again, too.
///
/// Verifies: [RFC6675 §4 rule 3]
#[test]
fn without_new_data_holes_are_sent_before_they_count_as_lost() {
    let transfer = Transfer::Bytes(Bytes::new(10 * SEGMENT));
    let mut script = Script::new(SenderConfig { transfer, initial_window: 10, ..selective() });
    // 0 and 8 are lost. Everything below 1 is lost: [0]; cwnd 5, pipe 10 − 4 − 1 + 1 = 6 including it
    script.sends(0..10).at(100).receive(sack(0, &[(1, 5)])).sends([0]);
    // pipe 4 − 1 + 1 = 4
    script.receive(sack(0, &[(1, 7)])).silent().receive(sack(0, &[(1, 8)])).silent();
    // 9 arrives: 8 is below the highest range, and only one segment is above it. pipe 2 − 1 + 1 = 2
    script.receive(sack(0, &[(9, 10), (1, 8)])).sends([8]);
    script.at(200).ack(10).silent();
    assert!(script.sender.is_finished());
}

/// If the last segment is lost, the rescue retransmission sends it again, once per recovery.
///
/// Verifies: [RFC6675 §4 rule 4], [RFC6675 §5 step 4.3]
#[test]
fn the_last_segment_is_rescued_once() {
    let transfer = Transfer::Bytes(Bytes::new(8 * SEGMENT));
    let mut script = Script::new(SenderConfig { transfer, initial_window: 8, ..selective() });
    // 0 and 7 are lost.
    script.sends(0..8).at(100).receive(sack(0, &[(1, 4)])).sends([0]);
    // pipe 2 of 4, but the first retransmission is not answered yet.
    script.receive(sack(0, &[(1, 7)])).silent();
    script.at(200).ack(7).sends([7]).silent();
    // Only once per recovery.
    script.at(210).ack(7).receive(sack(7, &[])).silent();
    script.at(300).ack(8);
    assert_eq!(script.sender.stats().timeouts, 0);
}

/// A time-out forgets all SACK blocks; octets that later blocks report are not sent again.
///
/// Verifies: [RFC2018 §5.1], [RFC6675 §5.1]
#[test]
fn after_a_timeout_the_scoreboard_is_empty_and_what_it_hears_then_is_skipped() {
    let mut script = Script::new(SenderConfig { initial_window: 8, ..selective() });
    // 2 is sacked, and the time-out forgets it: a receiver may discard data that it has not acknowledged.
    script.sends(0..8).at(100).receive(sack(0, &[(2, 3)]));
    script.at(1_000).expire().sends([0]);
    // Duplicates below the recovery point start nothing.
    script.at(1_050).receive(sack(0, &[(3, 5)])).silent();
    script.at(1_100).receive(sack(1, &[(3, 5)])).sends([1, 2]).window(2, 4);
    script.at(1_200).receive(sack(2, &[(3, 5)])).sends([5, 6]).window(3, 4);
    script.at(1_210).ack(5).sends([7, 8]).window(4, 4);
    assert_eq!(script.sender.stats().fast_retransmits, 0);
}

/// After a time-out a gap smaller than a segment is filled exactly.
#[test]
fn after_a_timeout_segments_end_where_a_gap_ends() {
    let mut script = Script::new(SenderConfig { initial_window: 8, ..selective() });
    script.sends(0..8).at(1_000).expire().sends([0]);
    let mut blocks = SackBlocks::NONE;
    blocks.push(octet(1), octet(1) + 500, octet(2));
    script.at(1_100).receive(Segment { sack: blocks, ..ack(1) });
    // cwnd 2: 500 octets of segment 1, then segment 2; another full segment would not fit.
    let sent: Vec<_> = script.drain().iter().map(|sent| (sent.seq, sent.payload)).collect();
    assert_eq!(sent, [(octet(1), 500), (octet(2), 1_000)]);
}

/// An ACK of only the first retransmission allows no rescue retransmission.
///
/// Verifies: [RFC6675 §4 rule 4], [RFC6675 §5 step 4.3]
#[test]
fn a_rescue_waits_for_more_than_the_first_retransmission() {
    let transfer = Transfer::Bytes(Bytes::new(8 * SEGMENT));
    let mut script = Script::new(SenderConfig { transfer, initial_window: 8, ..selective() });
    // 0, 1 and 7 are lost. pipe 5 − 2 + 1 = 4 of 4; then 3 − 2 + 1 = 2
    script.sends(0..8).at(100).receive(sack(0, &[(2, 5)])).sends([0]);
    script.receive(sack(0, &[(2, 7)])).sends([1]);
    script.at(200).receive(sack(1, &[(2, 7)])).silent();
    script.at(210).ack(7).sends([7]);
}

/// In recovery the window limits the octets in the network and not the flight, and a lost retransmission is
/// repaired by a time-out.
///
/// Verifies: [RFC6675 §5]
#[test]
fn a_lost_retransmission_ends_in_a_timeout() {
    let mut script = eleven_in_flight(selective());
    script.at(200).receive(sack(1, &[(2, 5)])).sends([1]);
    for number in 6..12 {
        script.receive(sack(1, &[(2, number)]));
    }
    // pipe 2 at the end (1 and 11): 3 more fit into 5.5
    script.sends([12, 13, 14]);
    assert_eq!(script.sender.in_network(), Bytes::new(5 * SEGMENT));
    assert_eq!(script.sender.flight(), Bytes::new(14 * SEGMENT));
    // Half of the flight is 7; the loss had set 5.5, and the time-out does not raise it.
    script.timer(1_100).at(1_100).expire().sends([1]).window(1, 5);
}

/// In recovery the sender does not exceed the receiver's window, because data out of order occupies the
/// buffer.
///
/// Verifies: [RFC9293 §3.8.6]
#[test]
fn the_receivers_window_holds_new_data_back_in_recovery() {
    let narrow = |segment: Segment| Segment { window: 5_000, ..segment };
    let assumed_window = Bytes::new(5_000);
    let config = SenderConfig { assumed_window, initial_window: 8, ..selective() };
    let mut script = Script::new(config);
    script.sends(0..5).at(100).receive(narrow(sack(0, &[(1, 4)]))).sends([0]);
    script.receive(narrow(sack(0, &[(1, 5)]))).silent();
    script.at(200).receive(narrow(ack(5))).sends([5, 6]);
}

/// With proportional rate reduction the sender sends one segment for every two that arrive, instead of a
/// pause and a burst.
///
/// Verifies: [RFC6937 §3]
#[test]
fn proportional_reduction_sends_throughout() {
    for (proportional_reduction, sent) in [
        // Reduction 20 → 10: ⌈n/2⌉ after n arrivals, less what was sent for the first three.
        (true, [false, false, true, false, true, false, true, false]),
        // pipe 16, 15 … 10, 9: one segment fits at the eighth.
        (false, [false, false, false, false, false, false, false, true]),
    ] {
        let config = SenderConfig { proportional_reduction, initial_window: 20, ..selective() };
        let mut script = Script::new(config);
        script.sends(0..20).at(100).receive(sack(0, &[(1, 2)])).receive(sack(0, &[(1, 3)]));
        script.receive(sack(0, &[(1, 4)])).sends([0]).window(10, 10);
        let mut next = 20;
        for (end, sends) in (5..).zip(sent) {
            script.receive(sack(0, &[(1, end)])).sends((next..).take(usize::from(sends)));
            next += u64::from(sends);
        }
        // 0 arrives: recovery ends with ssthresh as the window.
        script.at(200).ack(20).window(10, 10);
    }
}

/// A window set by a control law is used at once, whatever the last ACK has allowed.
#[test]
fn a_given_window_ends_the_proportion() {
    let config = SenderConfig { proportional_reduction: true, initial_window: 20, ..selective() };
    let mut script = Script::new(config);
    script.sends(0..20).at(100).receive(sack(0, &[(1, 4)])).sends([0]).receive(sack(0, &[(1, 5)]));
    // Two more arrivals: ⌈6/2⌉ − 1 = 2 would be allowed now.
    script.receive(sack(0, &[(1, 7)])).sender.set_cwnd(2);
    script.silent().sender.set_cwnd(20);
    assert_eq!(script.sender.in_network(), Bytes::new(14 * SEGMENT));
    script.sends(20..26);
}

/// The sender counts ACKs that report a duplicate: a first SACK block below the acknowledgment or inside the
/// second block.
///
/// Verifies: [RFC2883 §4.2]
#[test]
fn reports_of_duplicates_are_counted() {
    let mut script = Script::new(SenderConfig { initial_window: 8, ..selective() });
    script.sends(0..8).at(100).receive(sack(2, &[(0, 1)])).drain();
    assert_eq!(script.sender.stats().duplicate_sacks, 1);
    script.receive(sack(2, &[(5, 6), (4, 7)])).receive(sack(2, &[(4, 7), (8, 9)]));
    assert_eq!(script.sender.stats().duplicate_sacks, 2);
    // Invalid blocks change nothing.
    let before = script.sender.in_network();
    script.receive(sack(2, &[(50, 60)])).receive(sack(2, &[(7, 5)]));
    assert_eq!(script.sender.in_network(), before);
}
