//! Conservation: each packet that was sent is delivered, dropped with a cause, or still under way, and all time is
//! accounted for.

use crate::balance;
use crate::common::{TCP, parse, run_once};
use std::fmt::Write as _;

use airfair_sim::clock::FreeRunning;
use airfair_sim::metrics::Metrics;
use airfair_sim::outcome::Outcome;
use airfair_sim::random::Streams;
use airfair_sim::scenario::{Queue, Scenario};
use airfair_sim::world::{Pause, World};
use airfair_units::{Duration, Time};
use proptest::prelude::*;

const DISCIPLINES: [&str; 14] = [
    "",
    ", ack_filter = true",
    ", overflow = \"longest-flow\"",
    ", discipline = \"data-ack\"",
    ", discipline = \"data-ack\", limit = \"shared\", weights = \"active-flows\"",
    ", discipline = \"round-robin\", overflow = \"longest-flow\", ack_filter = true",
    ", discipline = \"deficit-round-robin\", quantum = \"300 B\"",
    ", discipline = \"codel\", target = \"1 ms\", interval = \"5 ms\"",
    ", discipline = \"fq-codel\", target = \"1 ms\", interval = \"5 ms\", queues = 3",
    ", discipline = \"airtime\", target = \"1 ms\", interval = \"5 ms\", queues = 3",
    ", discipline = \"dualpi2\", target = \"2 ms\"",
    ", discipline = \"airtime-dualpi2\", target = \"2 ms\", step = \"5 ms\"",
    ", discipline = \"time-regulator\"",
    ", discipline = \"time-regulator\", bucket = \"1 ms\", adjustment = \"7 ms\", limit = \"shared\", \
     overflow = \"longest-flow\"",
];
const ACCESS: [&str; 3] = [
    "max_attempts = \"cell\"",
    "max_attempts = 2, edca = { aifsn = 1, cw_min = 3, cw_max = 7 }",
    "edca = { aifsn = 4, txop_limit = \"9 ms\" }",
];

const WANDERS: &str =
    "mobility = { model = \"random-waypoint\", radius = \"90 m\", max_speed = \"500 m/s\" }";
const AWAY: &str = "position = [\"-100 m\", \"3 m\"]\n\
                    mobility = { model = \"velocity\", velocity = [\"130 m/s\", \"0 m/s\"] }";

/// A random transport, with a control scheme that fits it, or without.
fn transport() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("{ kind = \"tcp\" }"),
        Just("{ kind = \"tcp\", size = \"40 kB\", delayed_ack = false }"),
        Just("{ kind = \"tcp\", flavour = \"sack\", full_queue = \"hold\", quick_acks = 4 }"),
        Just(
            "{ kind = \"tcp\", timestamps = true }\n\
             control = { scheme = \"arf-window\", slot = \"20 ms\", long_lived = \"0 B\" }"
        ),
        Just("{ kind = \"tcp\", window_scaling = true }\ncontrol = \"occupancy\""),
        Just("{ kind = \"tfrc\", segment = \"900 B\" }\ncontrol = \"occupancy\""),
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
    ]
}

/// Alternatives for start and stop of a flow.
const LIVES: [&str; 5] = [
    "",
    "start = \"300 ms\"\n",
    "stop = \"900 ms\"\n",
    "start = \"150 ms\"\nstart_jitter = \"1 s\"\n",
    "start = \"500 ms\"\nstop = \"800 ms\"\n",
];

/// Text of a scenario of a small random cell with every kind of flow.
pub(crate) fn random_scenario() -> impl Strategy<Value = String> {
    let station = prop_oneof![
        Just("\"1 Mb/s\""),
        Just("\"2 Mb/s\""),
        Just("\"5.5 Mb/s\""),
        Just("\"11 Mb/s\""),
        Just("{ control = \"arf\" }"),
        Just("{ control = \"minstrel\", interval = \"20 ms\" }"),
        Just("{ control = \"oracle\" }"),
        Just("{ up = { control = \"aarf\", up = 2, timer = 5 }, down = \"11 Mb/s\" }"),
    ];
    let life = prop::sample::select(&LIVES[..]);
    let flow = (transport(), 0usize..3, prop::bool::ANY, life);
    let cell = (
        (
            prop_oneof![Just("off"), Just("500 B")],
            prop_oneof![
                Just("errors = \"none\""),
                Just("errors = { model = \"bernoulli\", probability = 0.2 }"),
                Just(
                    "errors = { model = \"gilbert-elliott\", mean_good = \"100 ms\", mean_bad = \"30 ms\" }"
                ),
                Just("errors = { model = \"snr\", snr = \"4 dB\" }"),
                Just("radio = { range = { \"11 Mb/s\" = \"30 m\" } }"),
                Just(
                    "radio = { range = { \"1 Mb/s\" = \"60 m\" }, shadowing = \"6 dB\", capture = \"10 dB\", \
                     fading = { model = \"rayleigh\" } }"
                ),
            ],
        ),
        prop_oneof![Just("standard"), Just("difs"), Just("eifs")],
        1u32..8,
        (1u32..30, prop::sample::select(&DISCIPLINES[..]), prop::sample::select(&ACCESS[..])),
        (prop::bool::ANY, prop::sample::select(&["0 s", "200 ms", "1400 ms"][..])),
    );
    (cell, prop::collection::vec((station, flow), 1..5)).prop_map(|(cell, members)| {
        let ((rts, errors), after_collision, attempts, queue, (senses_only, warmup)) = cell;
        let (queue, discipline, access) = queue;
        let has_udp = members.iter().any(|(_, (transport, ..))| transport.contains("udp"));
        // The discipline does not accept UDP.
        let is_fit = !(has_udp && discipline.contains("data-ack"));
        let discipline = if is_fit { discipline } else { "" };
        // Only an access point sees both directions, and has stations that share its time.
        let is_own = !(discipline.contains("airtime") || discipline.contains("regulator"));
        let own = if is_own { discipline } else { "" };
        let own = own.replace(", weights = \"active-flows\"", "");
        // A flow that keeps a share needs an access point that grants shares.
        let grants = members.iter().any(|(_, (transport, ..))| transport.contains("occupancy"));
        let shares = if grants {
            ", occupancy = { beacons = 2, satisfied = 0.5, patience = 1 }"
        } else {
            ""
        };
        let scheme = if after_collision == "difs" { "uplink-share" } else { "none" };
        let beacon = if grants || queue % 3 == 0 { "{ interval = \"17 ms\" }" } else { "false" };
        let mut text = format!(
            "duration = \"1500 ms\"\nwarmup = \"{warmup}\"\nseries = \"70 ms\"\n[bss.c]\nstandard = \"802.11b\"\nrts_threshold = \"{rts}\"\n\
             after_collision = \"{after_collision}\"\nmax_attempts = {attempts}\n{errors}\n\
             beacon = {beacon}\nap = {{ queue = {{ packets = {queue}{discipline} }}, window_sharing = {senses_only}, \
             control = \"{scheme}\", {access}{shares} }}\n\
             [host.h]\nlink = {{ rate = \"5 Mb/s\", delay = \"1 ms\", queue = {{ packets = {queue} }} }}\n"
        );
        let count = members.len();
        for (index, (rate, (transport, other, down, life))) in members.into_iter().enumerate() {
            let other = if other < count && other != index { format!("s{other}") } else { "h".into() };
            let me = format!("s{index}");
            let (from, to) = if down { (&other, &me) } else { (&me, &other) };
            let place = if errors.starts_with("radio") {
                // The stations move fast in and out of range, from one end to the other.
                let way = ["position = [\"5 m\", \"0 m\"]", WANDERS][index % 2];
                if down { AWAY } else { way }
            } else if senses_only && index > 0 {
                "senses_only = [\"s0\"]"
            } else if attempts % 2 == 0 && index > 0 {
                "hidden_from = [\"s0\"]"
            } else {
                ""
            };
            let _ = write!(
                text,
                "[station.{me}]\nrate = {rate}\nqueue = {{ packets = {queue}{own} }}\n{place}\n\
                 [flow.f{index}]\nfrom = \"{from}\"\nto = \"{to}\"\n{life}transport = {transport}\n"
            );
        }
        text
    })
}

fn check(scenario: &Scenario, outcome: &Outcome) {
    balance::check(scenario, outcome);
    if scenario.series_step.is_some() {
        check_series(scenario, outcome);
    }
}

/// Checks that 22 steps of 70 ms add up to the figures of the whole run.
fn check_series(scenario: &Scenario, outcome: &Outcome) {
    let series = &outcome.series;
    let lengths = series.flows.iter().map(Vec::len).chain(series.stations.iter().map(Vec::len));
    let lengths = lengths.chain(series.access_points.iter().chain(&series.links).map(Vec::len));
    assert!(lengths.into_iter().all(|steps| steps == 22));
    if !scenario.warmup.is_zero() {
        return;
    }
    for (steps, flow) in series.flows.iter().zip(&outcome.flows) {
        assert_eq!(
            steps.iter().map(|step| step.delivered.get()).sum::<u64>(),
            flow.delivered.get()
        );
        let received = steps.iter().map(|step| step.delays).sum::<u64>();
        assert_eq!(received, flow.packets_received);
    }
    for (steps, station) in series.stations.iter().zip(&outcome.stations) {
        let held: Duration = steps.iter().map(|step| step.airtime).sum();
        let whole = station.airtime_data_up + station.airtime_data_down + station.airtime_control;
        assert_eq!(held, whole);
        // 21 steps of 70 ms and one of 30 ms.
        let queue: f64 = steps[..21].iter().map(|step| step.queue * 70.0).sum();
        let mean = (queue + steps[21].queue * 30.0) / 1500.0;
        assert!((mean - station.radio.queue_mean).abs() < 1e-9, "{mean} {:?}", station.radio);
    }
}

/// The cell in `text`, changed to 802.11ax with aggregates.
fn with_aggregates(text: &str) -> String {
    let modern = "standard = \"802.11ax\"\nband = \"2.4 GHz\"";
    let with_modes = |line: &str| {
        let mut line = String::from(line);
        for (rate, mcs) in [("1", 0), ("2", 3), ("5.5", 6), ("11", 11)] {
            let is_rate = line.starts_with("rate = ");
            let (old, new) = (format!("\"{rate} Mb/s\""), format!("\"he-mcs{mcs}x1\""));
            line = if is_rate { line.replace(&old, &new) } else { line };
        }
        line + "\n"
    };
    let text: String = text.lines().map(with_modes).collect();
    let text = text.replace("standard = \"802.11b\"", modern);
    text.replace("packets = ", "packets = 2")
}

/// Outcome of a run in which the access point's queue is replaced by each queue of `switches`, after the pause [ms]
/// before it.
fn switched(scenario: &Scenario, replication: u32, switches: &[(u64, Queue)]) -> Outcome {
    let metrics = Metrics::new(scenario);
    let streams = Streams::new(1, replication);
    let mut world = World::new(scenario, streams, metrics, FreeRunning);
    for (pause, queue) in switches {
        let until = world.now() + Duration::from_millis(*pause);
        assert_eq!(world.advance(until), Pause::Reached);
        assert_eq!(world.set_queue(world.access_point(0), *queue), Ok(()));
    }
    assert_eq!(world.advance(Time::ZERO + scenario.duration), Pause::Reached);
    world.finish().outcome(scenario, 1, replication)
}

/// A random queue of an access point, with room for about ten packets.
fn any_queue() -> impl Strategy<Value = Queue> {
    let ahead = [
        ", discipline = \"airtime\", hardware_queue = 1",
        ", discipline = \"airtime\", hardware_queue = 3, queues = 3",
        ", discipline = \"airtime-dualpi2\", hardware_queue = 3",
    ];
    let disciplines = [&DISCIPLINES[..], &ahead[..]].concat();
    (1u32..20, prop::sample::select(disciplines)).prop_map(|(packets, discipline)| {
        let text = format!(
            "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\n\
             ap.queue = {{ packets = {packets}{discipline} }}\n[station.s]\n[host.h]\n[flow.f]\nfrom = \"h\"\nto = \"s\"\n\
             transport = {TCP}\n"
        );
        parse(&text).cells[0].ap.queue
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn packets_and_airtime_are_conserved_with_aggregates(
        text in random_scenario(), replication in 0u32..1000
    ) {
        let scenario = parse(&with_aggregates(&text));
        check(&scenario, &run_once(&scenario, replication));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// Packets and airtime are conserved where the access point's queue is replaced during a run, in cells with
    /// aggregates and access categories and in cells without.
    #[test]
    fn packets_and_airtime_are_conserved_where_queues_change(
        text in random_scenario(), replication in 0u32..1000, aggregates in prop::bool::weighted(0.7),
        switches in prop::collection::vec((0u64..120, any_queue()), 1..12),
    ) {
        let text = if aggregates { with_aggregates(&text) } else { text };
        let scenario = Scenario { series_step: None, ..parse(&text) };
        check(&scenario, &switched(&scenario, replication, &switches));
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
