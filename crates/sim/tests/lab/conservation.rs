//! What was sent is delivered, dropped with a cause, or still under way; all time is accounted for.

use crate::common::{parse, run_once};
use std::fmt::Write as _;

use airfair_sim::outcome::Outcome;
use airfair_sim::scenario::Scenario;
use airfair_units::Duration;
use proptest::prelude::*;

/// A small random cell with every kind of flow.
fn random_scenario() -> impl Strategy<Value = String> {
    let station = prop_oneof![Just("1 Mb/s"), Just("2 Mb/s"), Just("5.5 Mb/s"), Just("11 Mb/s")];
    let transport = prop_oneof![
        Just("{ kind = \"tcp\" }"),
        Just("{ kind = \"tcp\", size = \"40 kB\", delayed_ack = false }"),
        Just("{ kind = \"udp\", payload = \"700 B\", rate = \"saturated\" }"),
        Just("{ kind = \"udp\", payload = \"300 B\", rate = \"900 kb/s\" }"),
        Just("{ kind = \"tfrc\", segment = \"700 B\" }"),
        Just("{ kind = \"tfrc\", profile = \"ns-2\", rate = \"400 kb/s\" }"),
        Just(
            "{ kind = \"tfrc\", source = { model = \"on-off\", rate = \"2 Mb/s\", on = \"90 ms\", \
             off = \"50 ms\" } }"
        ),
        Just(
            "{ kind = \"tfrc\", segment = \"600 B\", source = { model = \"frames\", \
             interval = \"40 ms\", sizes = [\"9 kB\", \"100 B\", \"40 kB\"] } }"
        ),
    ];
    let flow = (transport, 0usize..3, prop::bool::ANY);
    let cell = (
        (
            prop_oneof![Just("off"), Just("500 B")],
            prop_oneof![
                Just("\"none\""),
                Just("{ model = \"bernoulli\", probability = 0.2 }"),
                Just(
                    "{ model = \"gilbert-elliott\", mean_good = \"100 ms\", mean_bad = \"30 ms\" }"
                ),
                Just("{ model = \"snr\", snr = \"4 dB\" }"),
            ],
        ),
        prop_oneof![Just("standard"), Just("difs"), Just("eifs")],
        1u32..8,
        1u32..30,
        prop::bool::ANY,
    );
    (cell, prop::collection::vec((station, flow), 1..5)).prop_map(|(cell, members)| {
        let ((rts, errors), after_collision, attempts, queue, senses_only) = cell;
        let mut text = format!(
            "duration = \"1500 ms\"\n[bss.c]\nstandard = \"802.11b\"\nrts_threshold = \"{rts}\"\n\
             after_collision = \"{after_collision}\"\nmax_attempts = {attempts}\nerrors = {errors}\n\
             ap.queue = {{ packets = {queue} }}\n\
             [host.h]\nlink = {{ rate = \"5 Mb/s\", delay = \"1 ms\", queue = {{ packets = {queue} }} }}\n"
        );
        let count = members.len();
        for (index, (rate, (transport, other, down))) in members.into_iter().enumerate() {
            let other = if other < count && other != index { format!("s{other}") } else { "h".into() };
            let me = format!("s{index}");
            let (from, to) = if down { (&other, &me) } else { (&me, &other) };
            let deaf = if senses_only && index > 0 { "senses_only = [\"s0\"]" } else { "" };
            let _ = write!(
                text,
                "[station.{me}]\nrate = \"{rate}\"\nqueue = {{ packets = {queue} }}\n{deaf}\n\
                 [flow.f{index}]\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}\n"
            );
        }
        text
    })
}

fn check(scenario: &Scenario, outcome: &Outcome) {
    let channel = &outcome.channels[0];
    let parts =
        [channel.data, channel.control, channel.collision, channel.contention, channel.idle];
    assert_eq!(parts.into_iter().sum::<Duration>(), outcome.elapsed);
    let held = |s: &airfair_sim::outcome::StationOutcome| {
        s.airtime_data_up + s.airtime_data_down + s.airtime_control
    };
    let stations: Duration = outcome.stations.iter().map(held).sum();
    assert_eq!(stations, channel.data + channel.control);
    for (flow, spec) in outcome.flows.iter().zip(&scenario.flows) {
        let accounted = flow.packets_received + flow.packets_dropped + flow.packets_in_flight;
        assert_eq!(flow.packets_sent, accounted, "flow {}: {flow:?}", spec.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn packets_and_airtime_are_conserved(text in random_scenario(), replication in 0u32..1000) {
        let scenario = parse(&text);
        check(&scenario, &run_once(&scenario, replication));
    }
}
