//! Channel access parameters that differ between members; every time is calculated by hand.
//!
//! 802.11b at 11 Mb/s, long preamble: 972 + 28 octets last 192 + ⌈8000/11⌉ = 920 µs, ACK and CTS at 2 Mb/s 248 µs,
//! RTS 272 µs. SIFS 10, slot 20, AIFS 10 + 20 · AIFSN; an exchange is 920 + 10 + 248 = 1178 µs. In the comments `50 …
//! 970` is a frame from 50 to 970 µs.

use airfair_units::{Bytes, Duration};
use airfair_wlan::phy::Standard;
use airfair_wlan::{AccessParameters, Attempts, CellConfig, DropCause, NodeId, Record};
use rand_core::Rng;

use crate::bench::{Bench, MBPS, at, config, stream, without_backoff};
use crate::errors::lucky;

const SIZE: u64 = 972;

/// Configuration of a cell with `N` stations at 11 Mb/s without back-off.
fn cell<const N: usize>() -> CellConfig {
    without_backoff(config(Standard::B, &[MBPS(11); N]))
}

fn aifsn(aifsn: u8) -> AccessParameters {
    AccessParameters { aifsn, ..AccessParameters::default() }
}

fn txop(limit_us: u64) -> AccessParameters {
    let txop_limit = Duration::from_micros(limit_us);
    AccessParameters { txop_limit, ..AccessParameters::default() }
}

/// Runs a cell whose first station has `packets` packets at the start, until long after the last of them.
fn run(cell: &CellConfig, packets: usize) -> Bench {
    let mut bench = Bench::new(cell);
    for _ in 0..packets {
        bench.send_up(0, SIZE);
    }
    bench.run_until(at(20_000));
    bench
}

/// A station with an AIFSN of 2 transmits before a station with an AIFSN of 3 in each contention.
///
/// Verifies: [80211-2020 §10.23.2]
#[test]
fn an_aifsn_of_3_lets_one_of_2_go_first_each_time() {
    let mut cell = cell::<2>();
    cell.stations[0].access = aifsn(3);
    let mut bench = Bench::new(&cell);
    bench.send_up(0, SIZE);
    bench.send_up(1, SIZE);
    bench.send_up(1, SIZE);
    bench.run_until(at(20_000));
    // AIFS 50 against 70: 50 … 970, ACK 980 … 1228. Again: 1278 … 2198, ACK 2456. Alone: 2456 + 70 + 920.
    let expected = [(970, 2), (1_228, 0), (2_198, 2), (2_456, 0), (3_446, 1), (3_704, 0)];
    assert_eq!(bench.ends(), expected);
}

/// A station with a longer AIFS counts no slots while other members transmit after a shorter one.
///
/// Verifies: [80211-2020 §10.23.2, §10.3.4.3]
#[test]
fn a_longer_aifs_counts_fewer_of_the_same_slots() {
    // The access point's packets: 1000 … 2178, then one after each DIFS. The station's packet comes at 1500, and it
    // draws a back-off of b slots. With AIFSN 4 it counts no slot between the access point's frames: AIFS 90 µs after
    // the last ACK, then b slots.
    let mut cell = cell::<1>();
    cell.stations[0].access = AccessParameters { cw_min: Some(31), ..aifsn(4) };
    let mut bench = Bench::new(&cell);
    bench.run_until(at(1_000));
    for _ in 0..3 {
        bench.send(NodeId::AP, NodeId::station(0), SIZE);
    }
    bench.run_until(at(1_500));
    bench.send_up(0, SIZE);
    bench.run_until(at(20_000));
    let backoff = u64::from(stream(1).next_u32()) >> 27;
    assert_ne!(backoff, 0, "the seed of this test draws a back-off");
    // Exchanges end at 2178, 2178 + 50 + 1178 = 3406, 3406 + 50 + 1178 = 4634.
    assert_eq!(bench.ends()[5..7], [(4_634, 1), (4_634 + 90 + 20 * backoff + 920, 1)]);
}

/// With an AIFSN of 1, a station transmits a PIFS after the medium becomes idle.
///
/// Verifies: [80211-2020 §10.23.2]
#[test]
fn an_aifsn_of_1_makes_a_pifs() {
    let mut cell = cell::<2>();
    cell.stations[1].access = aifsn(1);
    let mut bench = Bench::new(&cell);
    bench.send_up(0, SIZE);
    bench.send_up(1, SIZE);
    bench.run_until(at(20_000));
    // AIFS 30: 30 … 950, ACK 960 … 1208; then the access point, 1208 + 50 + 920.
    assert_eq!(bench.ends(), [(950, 2), (1_208, 0), (2_178, 1), (2_436, 0)]);
}

/// The EIFS of a member differs from the DCF's by as many slots as its AIFS differs from the DIFS.
///
/// Verifies: [80211-2020 §10.3.2.3.7, §10.23.2]
#[test]
fn eifs_is_longer_or_shorter_by_as_many_slots_as_aifs() {
    // Two frames collide and are given up; a third station has a packet meanwhile. EIFS - DIFS = 314 µs.
    for (number, eifs) in [(1, 344), (2, 364), (5, 424)] {
        let mut cell = cell::<3>();
        cell.stations[2].access = aifsn(number);
        cell.rules.attempts = Attempts::Max(1);
        let mut bench = Bench::new(&cell);
        bench.send_up(0, SIZE);
        bench.send_up(1, SIZE);
        bench.run_until(at(500));
        bench.send_up(2, SIZE);
        bench.run_until(at(20_000));
        // 50 … 970.
        assert_eq!(bench.ends()[2], (970 + eifs + 920, 3), "AIFSN {number}");
    }
}

/// A station whose frame has collided counts its back-off from its own AIFS after the collision, once its ACK time-out
/// is over.
///
/// Verifies: [80211-2020 §10.3.2.9, §10.23.2]
#[test]
fn those_in_a_collision_count_from_their_own_aifs() {
    // AIFSN 13: AIFS 270 µs. Both stations have found the medium idle for longer, so both transmit: 1000 … 1920. The
    // time-out is at 2142, when a DIFS would long be over; the AIFS ends at 2190.
    let mut cell = cell::<2>();
    cell.stations[0].access = aifsn(13);
    cell.stations[1].access.attempts = Some(Attempts::Max(1));
    let collide = |cell: &CellConfig| {
        let mut bench = Bench::new(cell);
        bench.run_until(at(1_000));
        bench.send_up(0, SIZE);
        bench.send_up(1, SIZE);
        bench.run_until(at(20_000));
        bench.ends()
    };
    assert_eq!(collide(&cell), [(1_920, 1), (1_920, 2), (3_110, 1), (3_368, 0)]);
    // At 1 Mb/s the second station's frame lasts 192 + 8000 µs, until 9192, and the first station transmits an AIFS
    // after it.
    cell.stations[1].rate_up = MBPS(1).into();
    assert_eq!(collide(&cell)[..3], [(1_920, 1), (9_192, 2), (9_192 + 270 + 920, 1)]);
}

/// A TXOP has room for three exchanges if its limit is exactly their duration, and for two if it is a microsecond less.
///
/// Verifies: [80211-2020 §10.23.2.8]
#[test]
fn a_txop_of_three_frames_fits_exactly_or_lacks_a_microsecond() {
    // Three exchanges and two SIFS: 3 · 1178 + 20 = 3554 µs. Starts 10 µs apart inside, 50 between TXOPs.
    let ends = |limit_us| {
        let mut cell = cell::<1>();
        cell.stations[0].access = txop(limit_us);
        let ends = run(&cell, 4).ends();
        ends.into_iter().filter(|(_, node)| *node == 0).map(|(end, _)| end).collect::<Vec<_>>()
    };
    // ACKs end 1178 after each start: 50; 1238; 2426; then 3604 + 50 = 3654.
    assert_eq!(ends(3_554), [1_228, 2_416, 3_604, 4_832]);
    // 50; 1238; then 2416 + 50 = 2466; 3654.
    assert_eq!(ends(3_553), [1_228, 2_416, 3_644, 4_832]);
    // No TXOP: 50; 1278; 2506; 3734.
    assert_eq!(ends(0), [1_228, 2_456, 3_684, 4_912]);
}

/// Verifies: [80211-2020 §10.23.2.8]
#[test]
fn one_back_off_follows_a_txop_whatever_its_length() {
    let mut cell = config(Standard::B, &[MBPS(11)]);
    cell.stations[0].access = txop(3_554);
    // The TXOP ends at 50 + 3554 = 3604 µs; DIFS, the first draw from 31, data.
    let backoff = u64::from(stream(1).next_u32()) >> 27;
    assert_ne!(backoff, 0, "the seed of this test draws a back-off");
    assert_eq!(run(&cell, 4).ends()[6], (3_604 + 50 + 20 * backoff + 920, 1));
}

/// Verifies: [80211-2020 §10.23.2.8, §10.3.4.2]
#[test]
fn a_packet_that_comes_between_two_frames_of_a_txop_draws_a_back_off() {
    let mut cell = config(Standard::B, &[MBPS(11), MBPS(11)]);
    cell.stations[0].access = txop(3_000);
    let mut bench = Bench::new(&cell);
    bench.send_up(0, SIZE);
    bench.send_up(0, SIZE);
    // The first ACK and the NAV end at 1228; the second frame starts at 1238, its ACK ends at 2416.
    bench.run_until(at(1_233));
    bench.send_up(1, SIZE);
    bench.run_until(at(20_000));
    let backoff = u64::from(stream(2).next_u32()) >> 27;
    assert_ne!(backoff, 0, "the seed of this test draws a back-off");
    assert_eq!(bench.ends()[3..5], [(2_416, 0), (2_416 + 50 + 20 * backoff + 920, 2)]);
}

/// Verifies: [80211-2020 §10.23.2.8]
#[test]
fn only_the_first_frame_of_a_txop_is_protected() {
    let mut cell = cell::<1>();
    cell.rules.rts_threshold = Some(Bytes::ZERO);
    // RTS 50 … 322, CTS 580, data 590 … 1510, ACK 1768; data 1778 … 2698, ACK 2956: from 50 on, 2906 µs.
    let first = [(322, 1), (580, 0), (1_510, 1), (1_768, 0)];
    cell.stations[0].access = txop(2_906);
    let ends = run(&cell, 2).ends();
    assert_eq!((&ends[..4], &ends[4..]), (&first[..], &[(2_698, 1), (2_956, 0)][..]));
    // A microsecond less, and the second frame has its own RTS: 1768 + 50 + 272.
    cell.stations[0].access = txop(2_905);
    let ends = run(&cell, 2).ends();
    assert_eq!((&ends[..4], ends[4]), (&first[..], (2_090, 1)));
}

/// Verifies: [80211-2020 §10.23.2.8, §10.3.2.14]
#[test]
fn no_cts_to_self_announces_the_second_frame_of_a_txop() {
    let mut cell = without_backoff(config(Standard::G, &[MBPS(54), MBPS(11)]));
    cell.stations[1].standard = Standard::B;
    cell.rules.basic_rates = Standard::G.default_basic_rates(true);
    cell.stations[0].access = txop(2_000);
    // CTS at 11 Mb/s 192 + 11 = 203; data 16 + 8·1000 + 6 = 8022 bits, /216 → 38 symbols, 20 + 152 + 6 = 178;
    // ACK 28 + 6; SIFS 10. 50 … 253, 263 … 441, ACK 451 … 485; 495 … 673, ACK 683 … 717.
    assert_eq!(run(&cell, 2).ends(), [(253, 1), (441, 1), (485, 0), (673, 1), (717, 0)]);
}

/// A lost frame ends its TXOP, and the next TXOP starts with the retransmission.
///
/// Verifies: [80211-2020 §10.23.2.8, §10.3.2.9]
#[test]
fn a_lost_frame_ends_its_txop_and_the_next_one_starts_with_the_repetition() {
    // Two exchanges fit into the TXOP: 50 … 1228, 1238 … 2416. The third frame follows.
    // - Data lost: 1238 … 2158, time-out at 2158 + 222 = 2380; slots start at 2208 + 20 · k: the next one at 2388.
    // - ACK lost: EIFS of 364 µs after it, 2416 + 364 = 2780.
    let second_ack = (2_416, 0);
    for (luck, lost_ack, again) in [
        (&[false, false, true, false, false, false, false][..], None, 2_388),
        (&[false, false, false, true, false, false, false, false][..], Some(second_ack), 2_780),
    ] {
        let (mut cell, station) = lucky(luck);
        cell.stations[station].access = txop(2 * 1_178 + 10);
        let mut bench = Bench::new(&cell);
        for _ in 0..3 {
            bench.send_up(station, SIZE);
        }
        bench.run_until(at(20_000));
        let id = NodeId::station(station).0;
        // The repetition and the third packet share a TXOP: ACKs 1178 and 2366 µs after its start.
        let mut expected = vec![(970, id), (1_228, 0), (2_158, id)];
        expected.extend(lost_ack);
        expected.extend([(again + 920, id), (again + 1_178, 0)]);
        expected.extend([(again + 2_108, id), (again + 2_366, 0)]);
        assert_eq!(bench.ends(), expected);
        assert_eq!(bench.delivered.len(), 3);
    }
}

/// A frame lost inside a TXOP had no protection of its own, so the short retry limit applies to it.
///
/// Verifies: [80211-2020 §10.3.4.4, §10.23.2.8]
#[test]
fn a_frame_lost_inside_a_txop_was_not_protected_and_counts_as_short() {
    // RTS, CTS, data and ACK without errors, then the second data frame with one: given up at once by a short retry
    // limit of 1.
    let (mut cell, station) = lucky(&[false, false, false, false, true]);
    cell.rules.rts_threshold = Some(Bytes::ZERO);
    cell.rules.attempts = Attempts::Limits { short: 1, long: 9 };
    cell.stations[station].access = txop(5_000);
    let mut bench = Bench::new(&cell);
    bench.send_up(station, SIZE);
    bench.send_up(station, SIZE);
    bench.run_until(at(20_000));
    // ACK ends at 1768; data 1778 … 2698; missed at 2698 + 222.
    let dropped = Record::Dropped { node: NodeId::station(station), cause: DropCause::RetryLimit };
    assert!(bench.records.contains(&(at(2_920), dropped)));
}

/// Verifies: [80211-2020 §10.3.4.4]
#[test]
fn each_member_gives_up_by_its_own_limit() {
    let mut cell = cell::<2>();
    cell.rules.attempts = Attempts::Unlimited;
    cell.stations[0].access.attempts = Some(Attempts::Max(2));
    let mut bench = Bench::new(&cell);
    bench.send_up(0, SIZE);
    bench.send_up(1, SIZE);
    bench.run_until(at(20_000));
    // Both 50 … 970; time-out at 1192; slots start at 1020 + 20 · k: 1200 … 2120. Time-out at 2342: the first station
    // gives up, the second one transmits alone at 2350 … 3270, ACK until 3528.
    let expected = [(970, 1), (970, 2), (2_120, 1), (2_120, 2), (3_270, 2), (3_528, 0)];
    assert_eq!(bench.ends(), expected);
    let dropped = Record::Dropped { node: NodeId(1), cause: DropCause::RetryLimit };
    assert!(bench.records.contains(&(at(2_342), dropped)));
}

/// Each member draws its back-off from its own contention windows.
///
/// Verifies: [80211-2020 §10.3.3, §10.23.2]
#[test]
fn each_member_draws_from_its_own_windows() {
    // The first station always has a window of 7, the second one of 0 and then 1, the cell 31 … 1023.
    let windows = |cw_min, cw_max| {
        let (cw_min, cw_max) = (Some(cw_min), Some(cw_max));
        AccessParameters { cw_min, cw_max, ..AccessParameters::default() }
    };
    let mut cell = config(Standard::B, &[MBPS(11), MBPS(11)]);
    (cell.stations[0].access, cell.stations[1].access) = (windows(7, 7), windows(0, 1));
    let mut bench = Bench::new(&cell);
    bench.send_up(0, SIZE);
    bench.send_up(0, SIZE);
    bench.send_up(1, SIZE);
    bench.run_until(at(20_000));
    let mut first = stream(1);
    let [again, next] = [0, 1].map(|_| u64::from(first.next_u32()) >> 29);
    let other = u64::from(stream(2).next_u32()) >> 31;
    assert!(other < again && next > 0, "the seeds of this test let the second go first");
    // Both 50 … 970; time-out at 1192; slots start at 1020 + 20 · k: back-off from 1200 on.
    let second_ack = 1_200 + 20 * other + 1_178;
    let first_ack = second_ack + 50 + 20 * (again - other) + 1_178;
    let acks = bench.ends().into_iter().filter(|(_, node)| *node == 0).map(|(end, _)| end);
    let expected = [second_ack, first_ack, first_ack + 50 + 20 * next + 1_178];
    assert_eq!(acks.collect::<Vec<_>>(), expected);
}
