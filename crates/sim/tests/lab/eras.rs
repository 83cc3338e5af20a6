//! The shortest scenario that a newcomer writes, in each standard: a download reaches the capacity of the channel.

use airfair_sim::scenario::{Driver, Scenario};
use airfair_units::Bytes;
use proptest::prelude::*;

use crate::common::{SATURATED, TCP, parse, run_once};

const STANDARDS: [&str; 6] = ["802.11b", "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11be"];

/// Text of a scenario with one download and only mandatory keys.
fn newcomers(standard: &str, transport: &str) -> String {
    format!(
        "duration = \"3 s\"\nwarmup = \"1 s\"\n[bss.home]\nstandard = \"{standard}\"\n[station.laptop]\n[host.server]\n\
         [flow.download]\nfrom = \"server\"\nto = \"laptop\"\ntransport = {transport}\n"
    )
}

fn delivered(text: &str) -> Bytes {
    run_once(&parse(text), 0).flows[0].delivered
}

#[test]
fn a_newcomers_download_fills_half_of_the_channel_in_each_standard() {
    for standard in STANDARDS {
        let [tcp, saturated] = [TCP, SATURATED].map(|it| delivered(&newcomers(standard, it)));
        assert!(tcp * 2 >= saturated, "{standard}: {tcp} of {saturated}");
    }
}

/// CUBIC in an 802.11ac cell at 866 Mb/s carries some 500 Mb/s with today's defaults. With the legacy defaults, a
/// window of 65 535 octets and a link of 100 Mb/s, it would carry 24.5 Mb/s.
#[test]
fn a_first_cell_of_866_mbps_carries_some_500_mbps_of_cubic() {
    let text = newcomers("802.11ac", "{ kind = \"tcp\", flavour = \"cubic\" }")
        .replace("[station.laptop]", "[station.laptop]\nrate = \"866 Mb/s\"")
        .replace("[host.server]", "[host.server]\nlink = { delay = \"10 ms\" }");
    let mbps = delivered(&text).get() * 8 / 2 / 1_000_000;
    assert!((400..650).contains(&mbps), "{mbps} Mb/s");
}

/// Two uploads by a station whose driver pushes back. Without small queues a FIFO holds 100 ms and more; with them it
/// holds about 8 ms of each.
#[test]
fn small_queues_keep_the_queue_of_a_station_short_and_the_channel_full() {
    let upload = |small: &str| {
        let transport = format!("{{ kind = \"tcp\", small_queues = \"{small}\" }}");
        let text = format!(
            "duration = \"3 s\"\nwarmup = \"1 s\"\n[bss.home]\nstandard = \"802.11n\"\n[station.laptop]\n[host.server]\n\
             link = {{ delay = \"20 ms\" }}\n[flow.up]\nfrom = \"laptop\"\nto = \"server\"\ncount = 2\n\
             transport = {transport}\n"
        );
        let outcome = run_once(&parse(&text), 0);
        let delivered: Bytes = outcome.flows.iter().map(|flow| flow.delivered).sum();
        (outcome.stations[0].radio.queue_mean, delivered)
    };
    let ((long, most), (short, delivered)) = (upload("off"), upload("8 ms"));
    assert!(short * 3.0 < long, "{short} of {long} packets");
    assert!(delivered * 20 > most * 18, "{delivered} of {most}");
}

/// With TCP small queues, 1 ms and two segments of data wait in front of a host's link of 10 Mb/s. Without them, the
/// window of 3 MiB would wait.
#[test]
fn small_queues_keep_the_queue_of_a_host_short_and_its_wire_full() {
    let download = |small: &str| {
        let transport = format!("{{ kind = \"tcp\", small_queues = \"{small}\" }}");
        let text = newcomers("802.11n", &transport).replace(
            "[host.server]",
            "[host.server]\nlink = { rate = \"10 Mb/s\", delay = \"5 ms\" }",
        );
        let outcome = run_once(&parse(&text), 0);
        (outcome.links[0].queue_max, outcome.flows[0].delivered)
    };
    let ((long, most), (short, delivered)) = (download("off"), download("1 ms"));
    assert!(short <= 6 && long > 50, "{short} and {long} packets");
    assert!(delivered * 100 > most * 97, "{delivered} of {most}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn naming_the_defaults_records_the_same_as_leaving_them_out(
        standard in prop::sample::select(&STANDARDS[2..]),
        flavour in prop::sample::select(vec!["", ", flavour = \"vegas\"", ", flavour = \"newreno\"", ", sack = false"]),
        is_up in any::<bool>(),
        size in 10_000_u64..200_000,
    ) {
        let transport = format!("{{ kind = \"tcp\", size = \"{size} B\"{flavour} }}");
        let mut text = newcomers(standard, &transport);
        if is_up {
            text = text.replace("from = \"server\"\nto = \"laptop\"", "from = \"laptop\"\nto = \"server\"");
        }
        let text = text.replace("3 s", "300 ms").replace("warmup = \"1 s\"", "series = \"off\"");
        let applied = Scenario::applied_defaults(&text, &[], Driver::Run);
        let named: Vec<(String, String)> = applied
            .into_iter()
            .map(|it| (format!("{}.{}", it.section, it.key), it.value.to_owned()))
            .collect();
        let named = Scenario::parse(&text, &named).expect("values that a file may have");
        let open = parse(&text);
        prop_assert_eq!(run_once(&open, 0).record_hash, run_once(&named, 0).record_hash);
        prop_assert_eq!(parse(&open.to_toml()), open);
    }
}
