//! Sequences of frames; every time is calculated by hand.

use airfair_laws::Direction;
use airfair_units::{Bytes, DataRate, Duration};
use airfair_wlan::phy::Standard;
use airfair_wlan::{Attempts, DropCause, NodeId, Record, SentFrame};

use crate::bench::{Bench, MBPS, at, config, without_backoff};

/// Verifies: [80211-2020 §10.3.2.9]
#[test]
fn data_is_answered_by_an_ack_a_sifs_later() {
    // 1000 + 28 octets = 8224 bits at 11 Mb/s: 192 + ⌈747.6⌉ = 940 µs; ACK at 2 Mb/s: 192 + 56 = 248 µs.
    let mut bench = Bench::new(&config(Standard::B, &[MBPS(11)]));
    bench.run_until(at(1000));
    bench.send_up(0, 1000);
    bench.run_until(at(5000));
    // The medium had been idle for a DIFS when the packet came, so it is sent at once. 1000 + 940, + 10 + 248.
    assert_eq!(bench.ends(), [(1940, 1), (2198, 0)]);
    assert_eq!(bench.delivered, [(at(1940), 0)]);
}

/// An ACK has the highest basic rate that is not above the rate of the data frame.
///
/// Verifies: [80211-2020 §10.6.6.5.2]
#[test]
fn responses_come_at_the_highest_basic_rate_not_above_the_datas() {
    // Data at 1, 2, 5.5, 11 Mb/s with basic rates 1 and 2: ACKs at 1, 2, 2, 2: 304, 248, 248, 248 µs.
    let rates = [MBPS(1), MBPS(2), DataRate::from_kbps(5_500), MBPS(11)];
    for (rate, ack_us) in rates.into_iter().zip([304, 248, 248, 248]) {
        let mut bench = Bench::new(&config(Standard::B, &[rate]));
        bench.send_up(0, 100);
        bench.run_until(at(10_000));
        let [data, ack] = bench.sent()[..] else { panic!("{:?}", bench.sent()) };
        assert_eq!(ack.end - data.end, Duration::from_micros(10 + ack_us), "{rate}");
    }
    // 802.11a: ACKs at 6, 6, 12, 12, 24, 24, 24, 24: 44, 44, 32, 32, 28 µs.
    for (rate, ack_us) in [(6, 44), (9, 44), (12, 32), (18, 32), (24, 28), (36, 28), (54, 28)] {
        let mut bench = Bench::new(&config(Standard::A, &[MBPS(rate)]));
        bench.send_up(0, 100);
        bench.run_until(at(10_000));
        let [data, ack] = bench.sent()[..] else { panic!("{:?}", bench.sent()) };
        assert_eq!(ack.end - data.end, Duration::from_micros(16 + ack_us), "{rate} Mb/s");
    }
}

/// Verifies: [80211-2020 §10.6.6.5.2]
#[test]
fn an_ofdm_frame_is_answered_in_ofdm_even_where_the_basic_rates_are_dsss() {
    let mut cell = config(Standard::G, &[MBPS(54)]);
    cell.rules.basic_rates = vec![MBPS(1), MBPS(2), MBPS(11)];
    let mut bench = Bench::new(&cell);
    bench.send_up(0, 100);
    bench.run_until(at(10_000));
    let [data, ack] = bench.sent()[..] else { panic!("{:?}", bench.sent()) };
    // At 24 Mb/s, the highest mandatory OFDM rate: SIFS 10 + 28 + 6 of signal extension.
    assert_eq!(ack.end - data.end, Duration::from_micros(44));
}

/// Verifies: [80211-2020 §10.3.1]
#[test]
fn rts_and_cts_precede_a_frame_longer_than_the_threshold_only() {
    let mut cell = without_backoff(config(Standard::B, &[MBPS(11)]));
    cell.rules.rts_threshold = Some(Bytes::new(528));
    let mut bench = Bench::new(&cell);
    // 500 + 28 octets is the threshold itself, 501 + 28 is beyond it.
    bench.send_up(0, 500);
    bench.run_until(at(5_000));
    assert_eq!(bench.sent().len(), 2);
    bench.send_up(0, 501);
    bench.run_until(at(10_000));
    // RTS at 2 Mb/s 192 + 80 = 272, CTS 248, data 192 + ⌈4232/11⌉ = 577, ACK 248; 10 µs between.
    let ends: Vec<u64> = bench.ends()[2..].iter().map(|(end, _)| end - 5_000).collect();
    assert_eq!(ends, [272, 530, 1117, 1375]);
}

/// With an 802.11b station in the cell, a CTS-to-self precedes each OFDM data frame.
///
/// Verifies: [80211-2020 §10.3.2.14]
#[test]
fn an_ofdm_frame_is_announced_by_a_cts_to_self_when_a_b_station_listens() {
    let mut cell = without_backoff(config(Standard::G, &[MBPS(54), MBPS(11)]));
    cell.stations[1].standard = Standard::B;
    cell.rules.basic_rates = Standard::G.default_basic_rates(true);
    let mut bench = Bench::new(&cell);
    bench.run_until(at(1000));
    bench.send_up(0, 1500);
    bench.run_until(at(5_000));
    // CTS at 11 Mb/s 192 + 11 = 203; data 16 + 8·1528 + 6 = 12 246 bits, /216 → 57 symbols, 248 + 6;
    // ACK 28 + 6; SIFS 10.
    assert_eq!(bench.ends(), [(1203, 1), (1467, 1), (1511, 0)]);
    // There is no CTS to self without an 802.11b station, or with protection switched off.
    cell.rules.protection = false;
    let mut bench = Bench::new(&cell);
    bench.send_up(0, 1500);
    bench.run_until(at(5_000));
    assert_eq!(bench.sent().len(), 2);
}

#[test]
fn frames_between_stations_take_two_hops() {
    let mut bench = Bench::new(&config(Standard::B, &[MBPS(11), MBPS(1)]));
    bench.send_up(0, 1000);
    bench.run_until(at(3_000));
    bench.send(NodeId::AP, NodeId::station(1), 1000);
    bench.run_until(at(20_000));
    // To the slow station at its rate: 192 + 8224 µs, and an ACK at 1 Mb/s.
    let [_, _, data, ack] = bench.sent()[..] else { panic!("{:?}", bench.sent()) };
    assert_eq!(data.end, at(3_000 + 8416));
    assert_eq!((ack.node, ack.end - data.end), (NodeId(2), Duration::from_micros(314)));
}

#[test]
fn a_new_rate_holds_from_the_next_attempt_on() {
    let mut bench = Bench::new(&without_backoff(config(Standard::B, &[MBPS(11)])));
    bench.send_up(0, 1000);
    bench.send_up(0, 1000);
    bench.run_until(at(100));
    bench.cell.set_rate(NodeId(1), Direction::Up, MBPS(1));
    bench.run_until(at(20_000));
    // The frame on the air stays at 11 Mb/s (50 + 940, then 258 and a DIFS); the next one takes 8416 µs.
    assert_eq!(bench.ends(), [(990, 1), (1248, 0), (9714, 1), (10_028, 0)]);
}

/// A frame is given up after its last attempt, of seven or three.
///
/// Verifies: [80211-2020 §10.3.4.4]
#[test]
fn a_frame_is_given_up_after_its_last_attempt_and_the_next_one_starts_afresh() {
    // Two stations without back-off collide for ever.
    let limits = [(Attempts::default(), 7), (Attempts::Max(3), 3)];
    for (attempts, expected) in limits {
        let mut cell = without_backoff(config(Standard::B, &[MBPS(11), MBPS(11)]));
        cell.rules.attempts = attempts;
        let mut bench = Bench::new(&cell);
        bench.send_up(0, 1000);
        bench.send_up(1, 1000);
        bench.run_until(at(1_000_000));
        let mine: Vec<bool> = bench
            .sent()
            .iter()
            .filter(|sent| sent.node == NodeId(1))
            .map(|sent| sent.retry)
            .collect();
        assert_eq!(mine.len(), expected);
        assert!(!mine[0] && mine[1..].iter().all(|retry| *retry));
        let dropped = Record::Dropped { node: NodeId(1), cause: DropCause::RetryLimit };
        assert!(bench.records.iter().any(|(_, record)| *record == dropped));
        assert!(bench.departed.iter().all(|departure| departure.lost));
    }
}

/// An RTS without a CTS is sent again with the retry bit, and the data frame after it has no retry bit.
///
/// Verifies: [80211-2020 §10.3.4.4]
#[test]
fn an_rts_that_fails_counts_as_a_short_attempt_and_its_data_is_no_repetition() {
    let mut cell = config(Standard::B, &[MBPS(11), MBPS(11)]);
    cell.rules.rts_threshold = Some(Bytes::new(100));
    let mut bench = Bench::new(&cell);
    // Both stations transmit after the same DIFS: their first RTS collide, later ones do not.
    bench.send_up(0, 1000);
    bench.send_up(1, 1000);
    bench.run_until(at(200_000));
    let of =
        |frame| bench.sent().into_iter().filter(|sent| sent.frame == frame).collect::<Vec<_>>();
    assert!(of(SentFrame::Rts).iter().take(2).all(|rts| rts.collided && !rts.retry));
    assert!(of(SentFrame::Rts)[2..].iter().all(|rts| rts.retry));
    assert!(of(SentFrame::Data).iter().all(|data| !data.collided && !data.retry));
    assert_eq!(bench.delivered.len(), 2);
}

#[test]
fn a_full_queue_refuses_the_packet_and_says_so() {
    let mut cell = config(Standard::B, &[MBPS(1)]);
    cell.stations[0].queue.packets = 2;
    let mut bench = Bench::new(&cell);
    assert_eq!([0, 0, 0].map(|_: i32| bench.send_up(0, 1000)), [true, true, false]);
    let refused = Record::Dropped { node: NodeId(1), cause: DropCause::QueueFull };
    assert_eq!(bench.records.iter().filter(|(_, record)| *record == refused).count(), 1);
    bench.run_until(at(100_000));
    assert_eq!(bench.delivered.len(), 2);
}
