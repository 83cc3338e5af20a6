//! Whole runs compared with calculations by hand.

use airfair_sim::outcome::Outcome;
use airfair_units::{Bytes, Duration};

use crate::common::{SATURATED, parse, run_once, uploads};

/// A station alone never collides, so its time consists of whole exchanges.
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
    // The run ends within the last exchange.
    assert!((data * frames..data * (frames + 1)).contains(&channel.data));
    assert!((ack * (frames - 1)..=ack * frames).contains(&channel.control));
    assert_eq!((channel.collision, channel.idle), (Duration::ZERO, Duration::ZERO));
    assert_eq!(outcome.stations[0].radio.retries, 0);
    // Mean back-off 15.5 slots; the variance is (32² - 1)/12, so five standard deviations of the mean are 5·9.23/√n
    // slots.
    let gaps = (sifs + difs) * frames;
    let slots = channel.contention.saturating_sub(gaps).as_secs_f64() / slot.as_secs_f64();
    let count = f64::from(u32::try_from(frames).unwrap());
    assert!((slots / count - 15.5).abs() < 5.0 * 9.23 / count.sqrt() + 0.1, "{slots} in {count}");
}

/// A station at 1 Mb/s and a station at 11 Mb/s deliver the same number of packets to within a tenth.
///
/// Verifies: [heusse-2003 §3]
#[test]
fn one_slow_station_drags_a_fast_one_down_to_its_own_throughput() {
    let scenario =
        parse(&uploads("standard = \"802.11b\"", &["11 Mb/s", "1 Mb/s"], SATURATED, 100));
    let outcome = run_once(&scenario, 0);
    let received = |flow: usize| u32::try_from(outcome.flows[flow].packets_received).map(f64::from);
    let [fast, slow] = [0, 1].map(|flow| received(flow).unwrap());
    // The two are not quite equal: after a collision the sender of the short frame has timed out before the long
    // frame ends.
    assert!((fast / slow - 1.0).abs() < 0.1, "{fast} packets against {slow}");
    let [fast, slow] = [0, 1].map(|station: usize| outcome.stations[station].airtime_data_up);
    // 12 480 µs on the air per frame against 1 310 µs: 9.5 times as much, minus the tenth allowed above
    assert!((8.0..9.6).contains(&(slow.as_secs_f64() / fast.as_secs_f64())));
}

/// Frame errors cost as many attempts, packets and duplicates as their probability gives. Every frame, data or ACK, is
/// errored with p = 0.2, and a packet has two attempts. An attempt fails with f = 1 - 0.8² = 0.36, so a packet takes
/// 1.36 attempts. It never arrives with p² = 0.04. It arrives twice if the first ACK is lost and both data frames
/// arrive: 0.8 · 0.2 · 0.8 = 0.128.
#[test]
fn frame_errors_cost_what_their_probabilities_say() {
    let cell = "standard = \"802.11b\"\nmax_attempts = 2\n\
                errors = { model = \"bernoulli\", probability = 0.2 }";
    let outcome = run_once(&parse(&uploads(cell, &["11 Mb/s"], SATURATED, 100)), 0);
    let (flow, station) = (&outcome.flows[0], &outcome.stations[0].radio);
    #[expect(clippy::cast_precision_loss, reason = "a share to a percent")]
    let per_packet = |count: u64| count as f64 / (flow.packets_sent - 2) as f64;
    let near = |count: u64, expected: f64| (per_packet(count) - expected).abs() < 0.01;
    assert!(flow.packets_sent > 30_000);
    assert!(near(station.frames, 1.36), "{}", per_packet(station.frames));
    assert!(near(flow.packets_dropped, 0.04), "{}", per_packet(flow.packets_dropped));
    let duplicates = outcome.access_points[0].duplicates;
    assert!(near(duplicates, 0.128), "{}", per_packet(duplicates));
    // 0.2 of the 1.36 data frames per packet are errored, and 0.2 of the access point's 0.8 · 1.36 ACKs.
    assert!(
        near(station.frame_errors, 0.272) && near(outcome.access_points[0].frame_errors, 0.2176)
    );
    assert_eq!(outcome.channels[0].collisions, 0);
}

/// Outcome of a TFRC flow alone on a link with room for all of it, measured from 2 s to 38 s.
fn alone_on_a_line(source: &str) -> Outcome {
    run_once(
        &parse(&format!(
            "duration = \"38 s\"\nwarmup = \"2 s\"\n[router.r]\n\
             [host.a]\nlink = {{ to = \"r\", rate = \"10 Mb/s\", delay = \"5 ms\" }}\n\
             [host.b]\nlink = {{ to = \"r\", rate = \"10 Mb/s\", delay = \"5 ms\" }}\n\
             [flow.f]\nfrom = \"a\"\nto = \"b\"\n\
             transport = {{ kind = \"tfrc\", segment = \"500 B\", source = {source} }}\n"
        )),
        0,
    )
}

/// Every packet of an on-off source arrives. 400 kb/s in packets of 500 octets are one packet every 10 ms, 100 in each
/// second that is on. The source is on from 4, 8, … 36 s: nine times. The period from 0 s belongs to the warm-up.
#[test]
fn an_on_off_source_gives_all_its_packets_and_no_more() {
    let source = "{ model = \"on-off\", rate = \"400 kb/s\", on = \"1 s\", off = \"3 s\" }";
    let outcome = alone_on_a_line(source);
    let flow = &outcome.flows[0];
    assert_eq!((flow.delivered, flow.packets_dropped), (Bytes::new(9 * 100 * 500), 0));
}

/// A source of frames delivers its mean rate: 12 kB in three frames every 120 ms are 100 kB/s, 3.6 MB in 36 s, with an
/// error of one frame at either end.
#[test]
fn a_source_of_frames_gives_its_mean_rate() {
    let sizes = "[\"8100 B\", \"2000 B\", \"1900 B\"]";
    let outcome = alone_on_a_line(&format!(
        "{{ model = \"frames\", interval = \"40 ms\", sizes = {sizes} }}"
    ));
    let flow = &outcome.flows[0];
    // ⌈8100/500⌉ + 2000/500 + ⌈1900/500⌉ = 17 + 4 + 4 packets
    assert!(flow.delivered.get().abs_diff(3_600_000) <= 8_100, "{}", flow.delivered);
    assert!(flow.packets_received.abs_diff(300 * 25) <= 17, "{}", flow.packets_received);
    assert_eq!(flow.packets_dropped, 0);
}
