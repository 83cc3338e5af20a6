//! Tests of all declarations: each declared key is read and written, and each mistake is reported once.

use proptest::prelude::*;

use super::document::parse_value;
use super::keys::ROOT;
use super::kind::{Absent, Key, Kind, Plain, Table};
use super::plain::plain;
use airfair_laws::{arf, arf_window};

use super::{Endpoint, RateControl, Scenario, Scheme, reference_markdown, schema};

const BASE: &str = r#"
duration = "50 s"
[bss.home]
standard = "802.11g"
[station.slow]
[station.fast]
[host.server]
[router.hub]
[link.spare]
between = ["home", "hub"]
[flow.tcp]
from = "slow"
to = "server"
transport = { kind = "tcp" }
[flow.udp]
from = "fast"
to = "server"
transport = { kind = "udp", payload = "500 B", rate = "saturated" }
[flow.tfrc]
from = "fast"
to = "server"
transport = { kind = "tfrc" }
[flow.quic]
from = "slow"
to = "server"
transport = { kind = "quic" }
[flow.external]
from = "fast"
to = "server"
transport = { kind = "external" }
"#;

/// Disciplines of an access point alone, which has stations that share its time.
const AP_DISCIPLINES: [&str; 3] = ["airtime", "airtime-dualpi2", "time-regulator"];

/// A declared key of the scenario file, with the path at which it can be set in the scenario [`BASE`]. `company` are
/// the keys that must be set before it.
struct Found {
    path: String,
    key: &'static Key,
    company: Vec<(String, String)>,
    /// True if the key names the variant of its table.
    is_tag: bool,
}

impl Found {
    /// Parses the scenario with the required keys and a value for this one.
    fn with(&self, value: Option<&str>) -> Result<Scenario, Vec<String>> {
        let own = value.map(|value| (self.path.clone(), value.to_owned()));
        let overrides: Vec<_> = self.company.iter().cloned().chain(own).collect();
        Scenario::parse(BASE, &overrides)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }
}

fn all_keys() -> Vec<Found> {
    let mut out = Vec::new();
    walk("", &ROOT, (&[], ""), &mut out);
    out
}

/// Collects the keys of a table that exists once `tables` are set. `tag` is the key that names its variant.
fn walk(
    path: &str,
    table: &'static Table,
    (tables, tag): (&[(String, String)], &str),
    out: &mut Vec<Found>,
) {
    for key in table.keys {
        let path =
            if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
        inner(&path, &key.kind, tables, out);
        let company = company(&path, key, tables);
        out.push(Found { path, key, company, is_tag: key.name == tag });
    }
}

fn inner(path: &str, kind: &'static Kind, tables: &[(String, String)], out: &mut Vec<Found>) {
    let with = |table: &Table| [tables, &[(path.to_owned(), smallest(table))]].concat();
    match kind {
        Kind::Table(table) if table.keys.iter().any(is_required) => {
            walk(path, table, (&with(table), ""), out);
        }
        Kind::Table(table) => walk(path, table, (tables, ""), out),
        Kind::Either(kinds) => kinds.iter().for_each(|kind| inner(path, kind, tables, out)),
        Kind::Named(table) => {
            let names = ["bss.home", "station.slow", "host.server", "router.hub", "link.spare"];
            let name = names.into_iter().find(|name| name.split('.').next() == Some(path));
            walk(name.unwrap_or("flow.tcp"), table, (tables, ""), out);
        }
        Kind::Tagged(tagged) => {
            for (word, table) in tagged.variants {
                match path {
                    "station.slow.queue" if AP_DISCIPLINES.contains(word) => {}
                    "flow.tcp.transport" => {
                        let path = format!("flow.{word}.transport");
                        walk(&path, table, (tables, tagged.key), out);
                    }
                    _ => walk(path, table, (&with(table), tagged.key), out),
                }
            }
        }
        _ => {}
    }
}

fn is_required(key: &Key) -> bool {
    matches!(key.absent, Absent::Required)
}

/// Smallest valid table: its mandatory keys and its tag.
fn smallest(table: &Table) -> String {
    let needed = |key: &&Key| is_required(key) || matches!(key.kind, Kind::Word([_]));
    let keys = table.keys.iter().filter(needed);
    let keys = keys.map(|key| format!("{} = {}", key.name, another(&key.kind)));
    format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "))
}

/// A value that differs from the examples of all mandatory keys.
fn another(kind: &Kind) -> String {
    match kind {
        Kind::Word(words) => format!("{:?}", words[0]),
        Kind::Probability => "0.75".to_owned(),
        Kind::Rate | Kind::LinkRate => "\"7 Mb/s\"".to_owned(),
        Kind::Duration { max, .. } => Plain::Duration(*max).to_string(),
        Kind::Bytes { max, .. } => Plain::Bytes(*max).to_string(),
        Kind::Decibels { max, .. } => Plain::Decibels(*max).to_string(),
        Kind::Length { max, .. } => Plain::Length(*max).to_string(),
        Kind::Speed { max, .. } => Plain::Speed(*max).to_string(),
        Kind::Text => "\"other\"".to_owned(),
        Kind::List(item) => format!("[{}]", another(item)),
        Kind::Tuple(tuple) => {
            let items = tuple.items.iter().map(another);
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        _ => unreachable!("no such key must be there: {kind:?}"),
    }
}

/// Keys that must be set before `key`: the tables that contain it, and the keys on which it depends.
fn company(path: &str, key: &Key, tables: &[(String, String)]) -> Vec<(String, String)> {
    const HERE: &str = "[\"3 m\", \"4 m\"]";
    let mobility = tables.iter().find(|(at, _)| at.ends_with(".mobility"));
    let mut before: Vec<(&str, &str)> = Vec::new();
    let mut after: Vec<(&str, String)> = Vec::new();
    if [".radio", ".position", ".mobility"].iter().any(|part| path.contains(part)) {
        before.extend([("station.fast.position", HERE), ("bss.home.radio", "{}")]);
        if mobility.is_none_or(|(_, way)| way.contains("velocity")) {
            before.push(("station.slow.position", HERE));
        }
    }
    if mobility.is_some_and(|(_, way)| way.contains("random-waypoint")) {
        after.push(("station.slow.mobility.min_speed", "1 m/s".to_owned()));
        match key.name {
            "corners" => {
                let corners = "[[\"0 m\", \"0 m\"], [\"1 m\", \"1 m\"]]".to_owned();
                after.push(("station.slow.mobility.corners", corners));
            }
            _ => after.push(("station.slow.mobility.radius", "9 m".to_owned())),
        }
    }
    if path == "bss.home.punctured" {
        before.push(("bss.home.standard", "802.11be"));
    }
    let of_channel = [
        "band",
        "width",
        "guard_interval",
        "streams",
        "aggregation",
        "amsdu",
        "ofdma",
        "mu_edca",
        "mu_mimo",
    ];
    if path.split('.').nth(2).is_some_and(|part| of_channel.contains(&part)) {
        before.push(("bss.home.standard", "802.11ax"));
    }
    if path.starts_with("bss.home.mu_mimo") {
        before.push(("bss.home.streams", "8"));
    }
    if path.starts_with("bss.home.mu_edca") {
        before.push(("bss.home.ofdma.up", "round-robin"));
    }
    if path.starts_with("bss.home.ofdma.") && path != "bss.home.ofdma.up" {
        after.push(("bss.home.ofdma.up", "round-robin".to_owned()));
    }
    match path {
        "station.slow.amsdu" => before.push(("bss.home.amsdu", "7935 B")),
        "station.slow.streams" => before.push(("bss.home.streams", "4")),
        "station.slow.aggregation.window" => {
            before.extend([("bss.home.aggregation.window", "256"), (path, "64")]);
        }
        _ => {}
    }
    if path.starts_with("flow.tcp.control.") {
        before.push(("bss.home.ap.occupancy", "true"));
    }
    if ["flow.tcp.transport.prr", "flow.tcp.transport.loss_recovery"].contains(&path) {
        before.push(("flow.tcp.transport.sack", "true"));
    }
    if path.starts_with("flow.udp.transport.source") {
        // A live application takes the place of the rate.
        before.push(("flow.udp.transport", "{ kind = \"udp\" }"));
    }
    if path.contains(".loss.") {
        before.push(("link.spare.between", "[\"home\", \"server\"]"));
    }
    if let Some((queue, _)) = path.split_once(".red") {
        before.push((queue, "{ discipline = \"red\" }"));
    }
    let owned = |(path, value): (&str, &str)| (path.to_owned(), value.to_owned());
    let after = after.iter().map(|(path, value)| owned((path, value)));
    before.into_iter().map(owned).chain(tables.iter().cloned()).chain(after).collect()
}

fn parse(overrides: &[(&str, &str)]) -> Result<Scenario, Vec<String>> {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Scenario::parse(BASE, &overrides)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

/// True if the key `found` belongs to a mobility trace. Traces are read before the scenario, and these tests have
/// none.
fn is_of_trace(found: &Found) -> bool {
    found.company.iter().any(|(_, table)| table.contains("\"trace\""))
}

#[test]
fn a_value_of_the_wrong_type_is_one_mistake_with_the_path_of_its_key() {
    for found in all_keys() {
        // No key accepts a date.
        let (path, errors) = (&found.path, found.with(Some("1979-05-27")).expect_err(&found.path));
        assert_eq!(errors.len(), 1, "{path}: {errors:?}");
        assert!(errors[0].starts_with(&format!("{path} = 1979-05-27: ")), "{}", errors[0]);
    }
}

#[test]
fn the_example_of_each_key_changes_the_scenario() {
    // These examples are not valid in the base: the weights' example is for access points, stations of 802.11g have
    // no access categories, and a simulated run has no kernel.
    // Keys of neighbours need a channel of the cell's band, or company; a target power needs a radio.
    let others = [
        "bss.home.channel",
        "bss.home.width_rule",
        "bss.home.hears",
        "bss.home.ap.hears",
        "bss.home.ap.position",
        "bss.home.colour",
        "bss.home.obss_pd",
        "bss.home.radio.energy_detection",
        "bss.home.ofdma.target_rssi",
        "station.slow.hears",
        "station.slow.queue.weights",
        "flow.tcp.access_category",
        "flow.tcp.dscp",
        "flow.tcp.transport.ecn_feedback",
        "flow.quic.transport.server_crypto",
        "flow.tcp.transport.stack",
        "flow.tfrc.transport.stack",
    ];
    // Keys of Minstrel-HT belong to stations of 802.11n and later.
    let of_modern = |path: &str| {
        ["sample_interval", "attempts"].iter().any(|key| path.ends_with(key))
            && path.starts_with("station.slow.rate")
    };
    let is_asked = |found: &Found| {
        let is_other = others.contains(&found.path.as_str()) || of_modern(&found.path);
        let is_here = !is_other && !is_of_trace(found);
        is_here && !found.key.example.is_empty()
    };
    for found in all_keys().into_iter().filter(is_asked) {
        let is_instead = found.path == "flow.udp.transport.source";
        let base = if is_instead { parse(&[]) } else { found.with(None) };
        let base = base.expect("the base is right");
        let scenario = found.with(Some(found.key.example)).expect(&found.path);
        // The base has only one cell.
        let only = ["station.slow.bss", "host.server.link.to"].contains(&found.path.as_str());
        assert_eq!(scenario != base, !found.is_tag && !only, "{}", found.path);
    }
}

/// Keys with those of their allowed words that are mistakes in the scenario [`BASE`], because they need other keys,
/// cells or stations.
const REFUSED: [&str; 26] = [
    "bss.home.guard_interval = 400 ns",
    "bss.home.radio = none",
    "bss.home.radio.reception = qualnet4",
    "bss.home.width = 320 MHz",
    "bss.home.width_rule = dynamic",
    "bss.home.width_rule = static",
    "flow.tcp.access_category = background",
    "flow.tcp.access_category = video",
    "flow.tcp.access_category = voice",
    "flow.tcp.control = occupancy",
    "flow.tcp.transport.ecn_feedback = accurate",
    "flow.tcp.transport.ecn_feedback = ace",
    "flow.tcp.transport.ecn_feedback = classic",
    "flow.tcp.transport.ecn_feedback = exact",
    "flow.tcp.transport.stack = kernel",
    "flow.tfrc.transport.stack = kernel",
    "station.slow.guard_interval = 400 ns",
    "station.slow.mobility.begin = position",
    "station.slow.queue.weights = active-flows",
    "station.slow.standard = 802.11a",
    "station.slow.standard = 802.11ac",
    "station.slow.standard = 802.11ax",
    "station.slow.standard = 802.11be",
    "station.slow.standard = 802.11n",
    "station.slow.width = 160 MHz",
    "station.slow.width = 320 MHz",
];

/// Each word of a key is read as a value that is written as the same word. This value differs from the values of the
/// key's other words.
#[test]
fn each_word_of_each_key_is_read_and_written_as_itself() {
    let mut refused = Vec::new();
    for found in all_keys().into_iter().filter(|found| !is_of_trace(found)) {
        let (path, key) = (&found.path, found.key);
        let mut told: Vec<String> = Vec::new();
        for word in key.kind.words() {
            let Ok(scenario) = found.with(Some(word)) else {
                refused.push(format!("{path} = {word}"));
                continue;
            };
            let text = scenario.to_toml();
            // These keys are left out. A preset stands for other keys, and a cell's errors stand for those of its
            // stations. The other words are the defaults, so they change nothing: the access category, parameters of
            // categories, TCP with its losses and windows, the reading of aggregates, the unit of a driver's
            // queue, and the isolation of flows.
            let usual = [
                "standard",
                "best effort",
                "simulated",
                "duplicates",
                "rfc",
                "full",
                "aggregates",
                "bulk",
                "carrier-sense",
                "flows",
            ];
            let is_left_out = usual.contains(&word)
                && [
                    "access_category",
                    "aggregates",
                    "hardware_queue_counts",
                    "cw_min",
                    "cw_max",
                    "stack",
                    "loss_recovery",
                    "arithmetic",
                    "source",
                    "energy_detection",
                    "isolation",
                ]
                .contains(&key.name);
            let is_written =
                text.contains(&format!("= \"{word}\"")) || key.name == "preset" || is_left_out;
            assert!(is_written, "{path}: {word} is written as another word");
            assert!(!told.contains(&text), "{path}: {word} is read as another word");
            assert_eq!(Scenario::parse(&text, &[]), Ok(scenario), "{path}: {word}");
            told.push(text);
        }
    }
    refused.sort();
    assert_eq!(refused, REFUSED);
}

#[test]
fn the_default_of_each_key_is_what_its_kind_allows() {
    for Found { path, key, .. } in all_keys() {
        if let Absent::Is(default) = key.absent {
            let node = parse_value(&default.to_string(), 0);
            let kinds = match &key.kind {
                Kind::Either(kinds) => kinds,
                kind => std::slice::from_ref(kind),
            };
            let fits = |kind| plain(kind, &node.value).as_ref().ok() == Some(&default);
            assert!(kinds.iter().any(fits), "{path}: {default}");
        }
    }
}

#[test]
fn a_slip_in_any_name_is_one_mistake() {
    let long_form = parse(&[]).expect("the base is right").to_toml();
    for (i, line) in long_form.lines().enumerate() {
        let slip = if line.starts_with('[') {
            line.replacen('[', "[x", 1)
        } else if line.contains('=') {
            format!("x{line}")
        } else {
            continue;
        };
        let lines = long_form.lines().enumerate();
        let text: Vec<&str> = lines.map(|(n, l)| if n == i { slip.as_str() } else { l }).collect();
        let errors = Scenario::parse(&text.join("\n"), &[]).expect_err(&slip);
        assert_eq!(errors.len(), 1, "{slip}: {errors:?}");
        assert!(errors[0].problem.contains("did you mean"), "{slip}: {}", errors[0]);
    }
}

#[test]
fn a_line_left_out_is_at_most_one_mistake() {
    let long_form = parse(&[]).expect("the base is right").to_toml();
    for (i, line) in long_form.lines().enumerate().filter(|(_, line)| !line.starts_with('[')) {
        let lines = long_form.lines().enumerate();
        let text: Vec<&str> = lines.filter(|(n, _)| *n != i).map(|(_, line)| line).collect();
        if let Err(errors) = Scenario::parse(&text.join("\n"), &[]) {
            assert_eq!(errors.len(), 1, "without {line}: {errors:?}");
            assert_eq!(errors[0].problem, "missing");
        }
    }
}

#[test]
fn the_reference_and_the_schema_name_every_key() {
    let (reference, schema) = (reference_markdown(), schema().to_string());
    for Found { path, key, .. } in all_keys() {
        let last = path.rsplit('.').next().expect("split gives one piece at least");
        assert!(reference.contains(&format!("{last}`")), "{path} is not in the reference");
        let is_explained = !key.doc.is_empty() && reference.contains(key.doc);
        assert!(is_explained, "{path} is not explained");
        let quoted = serde_json::Value::from(key.doc).to_string();
        assert!(schema.contains(quoted.trim_end_matches('"')), "{path} is not in the schema");
    }
}

#[test]
fn each_example_by_itself_is_read_back_as_it_was_written() {
    for found in all_keys().iter().filter(|found| !found.key.example.is_empty()) {
        let Ok(scenario) = found.with(Some(found.key.example)) else { continue };
        let text = scenario.to_toml();
        assert_eq!(Scenario::parse(&text, &[]), Ok(scenario), "{}: {text}", found.path);
    }
}

proptest! {
    /// Any subset of the examples is either contradictory, or makes a scenario that is read back as it was written.
    #[test]
    fn what_is_written_is_read_back(chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let keys = all_keys();
        let overrides: Vec<(String, String)> = chosen
            .iter()
            .map(|index| index.get(&keys))
            .filter(|found| !found.key.example.is_empty())
            .map(|found| (found.path.clone(), found.key.example.to_owned()))
            .collect();
        if let Ok(scenario) = Scenario::parse(BASE, &overrides) {
            let text = scenario.to_toml();
            prop_assert_eq!(Scenario::parse(&text, &[]), Ok(scenario.clone()), "{}", text);
            prop_assert_eq!(scenario.to_toml(), text);
        }
    }
}

#[test]
fn a_preset_of_arf_sets_what_the_scenario_does_not() {
    let rate = |rate| {
        let scenario = parse(&[("station.slow.rate", rate)]).expect("a good scenario");
        assert_eq!(Scenario::parse(&scenario.to_toml(), &[]).as_ref(), Ok(&scenario));
        scenario.stations[0].adaptation[0].expect("a law")
    };
    let later = arf::Params::qualnet5();
    let preset = "{ control = \"arf\", preset = \"qualnet5\" }";
    assert_eq!(rate(preset), RateControl::Arf(later));
    let in_a_row = "{ control = \"arf\", preset = \"qualnet5\", counting = \"in-a-row\" }";
    let counting = arf::Counting::InARow;
    assert_eq!(rate(in_a_row), RateControl::Arf(arf::Params { counting, ..later }));
}

#[test]
fn a_control_scheme_is_a_word_or_a_table() {
    let scenario = |control| parse(&[("flow.tcp.control", control)]).expect("a good scenario");
    let plain = scenario("arf-window");
    let table = "{ scheme = \"arf-window\", slot = \"300 ms\", long_lived = \"100 kB\" }";
    assert_eq!(plain, scenario(table));
    let other = scenario("{ scheme = \"arf-window\", slot = \"1 s\", long_lived = \"1 MB\" }");
    let printed = scenario(
        "{ scheme = \"arf-window\", rise = \"printed\", fall = \"printed\", round_trip = \"smoothed\" }",
    );
    assert_eq!(printed.flows[0].control, Scheme::ArfWindow(arf_window::Params::printed()));
    for control in [plain, other, printed] {
        assert_eq!(Scenario::parse(&control.to_toml(), &[]), Ok(control));
    }
}

#[test]
fn a_count_makes_flows_alike_between_each_pair() {
    let overrides = [("station.fast.count", "2"), ("flow.udp.count", "3"), ("flow.tcp.count", "2")]
        .map(|(path, value)| (path.to_owned(), value.to_owned()));
    let scenario = Scenario::parse(BASE, &overrides).expect("a good scenario");
    let ends: Vec<_> = scenario.flows.iter().map(|flow| (flow.name.as_str(), flow.from)).collect();
    // Stations slow, fast1 and fast2: two flows of slow, three of each fast one, and one TFRC and one external flow
    // of each; and QUIC without a count.
    let station = Endpoint::Station;
    let expected = [
        ("tcp1", station(0)),
        ("tcp2", station(0)),
        ("udp1", station(1)),
        ("udp2", station(1)),
        ("udp3", station(1)),
        ("udp4", station(2)),
        ("udp5", station(2)),
        ("udp6", station(2)),
        ("tfrc1", station(1)),
        ("tfrc2", station(2)),
        ("quic", station(0)),
        ("external1", station(1)),
        ("external2", station(2)),
    ];
    assert_eq!(ends, expected);
    assert_eq!(scenario.flows[2].transport, scenario.flows[4].transport);
}
