//! Whole runs against sums that can be done by hand.

use airfair_units::Duration;

use crate::common::{SATURATED, parse, run_once, uploads};

/// One station never collides, so its time is nothing but whole exchanges.
///
/// Verifies: [80211-2020 §10.3.4.2]
#[test]
fn one_saturated_station_uses_its_time_to_the_nanosecond() {
    // MPDU 1472 + 8 UDP + 20 IP + 8 LLC + 28 MAC = 1536 octets.
    // 11 Mb/s: 192 + ⌈12 288/11⌉ = 1 310 µs; ACK at 2 Mb/s: 192 + 56 = 248 µs; SIFS 10, DIFS 50, slot 20 µs.
    let us = Duration::from_micros;
    let (data, ack, sifs, difs, slot) = (us(1310), us(248), us(10), us(50), us(20));
    let scenario = parse(&uploads("standard = \"802.11b\"", &["11 Mb/s"], SATURATED, 10));
    let outcome = run_once(&scenario, 0);
    let (channel, frames) = (outcome.channels[0], outcome.stations[0].radio.frames);
    // The run ends somewhere in the last exchange.
    assert!((data * frames..data * (frames + 1)).contains(&channel.data));
    assert!((ack * (frames - 1)..=ack * frames).contains(&channel.control));
    assert_eq!((channel.collision, channel.idle), (Duration::ZERO, Duration::ZERO));
    assert_eq!(outcome.stations[0].radio.retries, 0);
    // Mean back-off 15.5 slots: variance (32² - 1)/12, so 5 σ of the mean is 5·9.23/√n slots.
    let gaps = (sifs + difs) * frames;
    let slots = channel.contention.saturating_sub(gaps).as_secs_f64() / slot.as_secs_f64();
    let count = f64::from(u32::try_from(frames).unwrap());
    assert!((slots / count - 15.5).abs() < 5.0 * 9.23 / count.sqrt() + 0.1, "{slots} in {count}");
}

/// Verifies: [heusse-2003 §3]
#[test]
fn one_slow_station_drags_a_fast_one_down_to_its_own_throughput() {
    let scenario =
        parse(&uploads("standard = \"802.11b\"", &["11 Mb/s", "1 Mb/s"], SATURATED, 100));
    let outcome = run_once(&scenario, 0);
    let received = |flow: usize| u32::try_from(outcome.flows[flow].packets_received).map(f64::from);
    let [fast, slow] = [0, 1].map(|flow| received(flow).unwrap());
    // Not quite equal: after a collision the short frame's sender has timed out before the long one ends.
    assert!((fast / slow - 1.0).abs() < 0.1, "{fast} packets against {slow}");
    let [fast, slow] = [0, 1].map(|station: usize| outcome.stations[station].airtime_data_up);
    // 12 480 µs on the air per frame against 1 310 µs: 9.5 times, less that tenth
    assert!((8.0..9.6).contains(&(slow.as_secs_f64() / fast.as_secs_f64())));
}
