//! Driver's queues in front of the air, in cells whose frames are lost on the air.

use crate::balance;
use crate::common::{parse, run_once};

use airfair_sim::outcome::RadioOutcome;

/// Text of a scenario of an 802.11n cell with this queue of its access point and these errors. `flows` are pairs of a
/// station and the transport of a flow to it.
fn cell(seconds: u32, queue: &str, errors: &str, flows: &[(&str, &str)]) -> String {
    use std::fmt::Write as _;

    let mut text = format!(
        "duration = \"{seconds} s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11n\"\n\
         ap.queue = {{ {queue} }}\nerrors = {errors}\n[station.a]\n[station.b]\n\
         [host.h]\nlink = {{ rate = \"1 Gb/s\" }}\n"
    );
    for (index, (to, transport)) in flows.iter().enumerate() {
        let _ =
            write!(text, "[flow.f{index}]\nfrom = \"h\"\nto = \"{to}\"\ntransport = {transport}\n");
    }
    text
}

const AT_30: &str = "{ kind = \"udp\", payload = \"1000 B\", rate = \"30 Mb/s\" }";
const AT_60: &str = "{ kind = \"udp\", payload = \"1000 B\", rate = \"60 Mb/s\" }";
const CUBIC: &str =
    "{ kind = \"tcp\", flavour = \"cubic\", window_scaling = true, receive_window = \"4 MB\" }";
const LOSING: &str = "{ model = \"bernoulli\", probability = 0.4 }";

/// A run three times as long delivers at least twice as many packets, although MPDUs are lost so often that the block
/// ack window is often full. The queue of the driver counts aggregates in some of the cells and packets in others; some
/// have several flows to one station, and one has collisions and no noise.
#[test]
fn whatever_is_lost_no_packet_vanishes_and_no_station_is_starved() {
    let fq_codel = "discipline = \"fq-codel\", packets = 200";
    let driver = |keys: &str| format!("discipline = \"airtime\", packets = 200, {keys}");
    let one: &[_] = &[("a", AT_60)];
    let two: &[_] = &[("a", AT_30), ("a", AT_30)];
    let tcp: &[_] = &[("a", CUBIC), ("a", CUBIC), ("b", CUBIC)];
    for (queue, flows) in [
        (driver("hardware_queue = 2"), one),
        (driver("hardware_queue = 16"), one),
        (driver("hardware_queue = 64, hardware_queue_counts = \"packets\""), one),
        (driver("hardware_queue = 500, hardware_queue_counts = \"packets\", aql = \"off\""), two),
        (driver("hardware_queue = 2"), tcp),
        (driver("hardware_queue = \"off\""), two),
        (String::from(fq_codel), two),
    ] {
        let received = [3, 9].map(|seconds| {
            let scenario = parse(&cell(seconds, &queue, LOSING, flows));
            let outcome = run_once(&scenario, 0);
            balance::check(&scenario, &outcome);
            outcome.flows.iter().map(|flow| flow.packets_received).sum::<u64>()
        });
        assert!(received[1] > 2 * received[0], "{queue}: {received:?}");
    }
    // A station that sends, and a download to it, collide.
    let text = cell(20, "discipline = \"airtime\", hardware_queue = 1", "\"none\"", &[])
        + "[flow.up]\nfrom = \"a\"\nto = \"b\"\n\
           transport = { kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }\n\
           [flow.down]\nfrom = \"h\"\nto = \"a\"\n\
           transport = { kind = \"udp\", payload = \"1000 B\", rate = \"5 Mb/s\" }\n";
    let scenario = parse(
        &text.replace("[station.a]", "[station.a]\naggregation = { after_silence = \"request\" }"),
    );
    balance::check(&scenario, &run_once(&scenario, 0));
}

/// Mean number of MPDUs per frame of the access point, and goodput of a station [Mb/s], while packets arrive faster
/// than they can be sent.
fn saturated(keys: &str) -> (f64, f64) {
    let udp = "{ kind = \"udp\", payload = \"1000 B\", rate = \"200 Mb/s\" }";
    let queue = format!("discipline = \"airtime\"{keys}");
    // The first aggregates contain few packets, those that came before the next one. After a second they have all
    // been sent.
    let text = format!("warmup = \"1 s\"\n{}", cell(2, &queue, "\"none\"", &[("a", udp)]));
    let outcome = run_once(&parse(&text), 0);
    let RadioOutcome { frames, aggregates, aggregated_mpdus, .. } = outcome.access_points[0];
    let number = |n: u64| f64::from(u32::try_from(n).expect("few"));
    let mpdus = number(frames - aggregates + aggregated_mpdus) / number(frames);
    (mpdus, number(outcome.flows[0].delivered.get()) * 8.0 / 1e6)
}

/// Aggregates keep their length, whatever the driver's limit is. An aggregate of 5.484 ms has some 43 packets at 65
/// Mb/s, and airtime queue limits allow 12 ms of packets. If the limit is a number of aggregates, the driver forms the
/// first ones while packets arrive, so only these are short. If it is a number of packets, the hardware forms an
/// aggregate from all packets that it has when it wins the channel.
///
/// Verifies: [linux-ath9k], [linux-mt76]
#[test]
fn frames_are_as_long_however_much_the_driver_takes_ahead() {
    let (mpdus, rate) = saturated("");
    assert!(mpdus > 35.0, "{mpdus}");
    for keys in ["2", "16", "64", "256"] {
        let (found, goodput) = saturated(&format!(", hardware_queue = {keys}"));
        assert!(found > 0.85 * mpdus && goodput > 0.96 * rate, "{keys}: {found} {goodput}");
    }
    for aql in ["", ", aql = \"off\""] {
        let keys = ", hardware_queue = 2048, hardware_queue_counts = \"packets\"";
        let (found, goodput) = saturated(&format!("{keys}{aql}"));
        assert!(found > 0.95 * mpdus && goodput > 0.98 * rate, "{aql}: {found} {goodput}");
    }
    // The hardware's queue holds less than an aggregate, so it is the limit.
    let (few, _) = saturated(", hardware_queue = 8, hardware_queue_counts = \"packets\"");
    assert!(few < 8.5, "{few}");
}
