//! The declarations against the parser: each declared key is read, and each mistake is told once.

use proptest::prelude::*;

use super::keys::ROOT;
use super::kind::{Key, Kind, Table};
use airfair_laws::{arf, arf_window};

use super::{Control, Endpoint, RateControl, Scenario, reference_markdown, schema};

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
"#;

/// Every declared key at an address in [`BASE`].
fn all_keys() -> Vec<(String, &'static Key)> {
    fn walk(path: &str, table: &'static Table, out: &mut Vec<(String, &'static Key)>) {
        for key in table.keys {
            let path =
                if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
            inner(&path, &key.kind, out);
            out.push((path, key));
        }
    }
    fn inner(path: &str, kind: &'static Kind, out: &mut Vec<(String, &'static Key)>) {
        match kind {
            Kind::Table(table) => walk(path, table, out),
            Kind::Either(kinds) => kinds.iter().for_each(|kind| inner(path, kind, out)),
            Kind::Named(table) => match path {
                "bss" => walk("bss.home", table, out),
                "station" => walk("station.slow", table, out),
                "host" => walk("host.server", table, out),
                "router" => walk("router.hub", table, out),
                "link" => walk("link.spare", table, out),
                _ => {
                    walk("flow.tcp", table, out);
                }
            },
            Kind::Tagged(tagged) => {
                for (tag, table) in tagged.variants {
                    match path {
                        // Only an access point has stations that share its time.
                        "station.slow.queue" if ["airtime", "time-regulator"].contains(tag) => {}
                        "flow.tcp.transport" => walk(&format!("flow.{tag}.transport"), table, out),
                        _ => walk(path, table, out),
                    }
                }
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    walk("", &ROOT, &mut out);
    out
}

fn parse(overrides: &[(&str, &str)]) -> Result<Scenario, Vec<String>> {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Scenario::parse(BASE, &overrides)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

/// The rate whose law a key belongs to; `up` and `down` are a law's thresholds or the two directions.
fn law_of<'p>(path: &'p str, key: &Key) -> Option<&'p str> {
    let (rate, name) = path.rsplit_once('.')?;
    let is_rate = path.starts_with("station.") && path.contains(".rate.");
    let is_threshold = ["up", "down"].contains(&name) && matches!(key.kind, Kind::Integer { .. });
    let is_of_law = [
        "control",
        "preset",
        "counting",
        "timer",
        "most_up",
        "rts_failures",
        "initial",
        "interval",
        "ewma",
        "lookaround",
        "segment",
    ]
    .contains(&name);
    (is_rate && (is_of_law || is_threshold)).then_some(rate)
}

/// What must be set before a key can be.
fn company<'p>(path: &'p str, key: &Key) -> Vec<(&'p str, &'static str)> {
    const BERNOULLI: &str = "{ model = \"bernoulli\", probability = 0.5 }";
    const BURSTS: &str = "{ model = \"gilbert-elliott\", to_bad = 0.5, to_good = 0.5 }";
    let parent = |end: &str| path.find(end).map(|at| &path[..at]);
    if let Some(rate) = law_of(path, key) {
        let is_arf = key.example == "\"arf\"" || ["preset", "counting"].contains(&key.name);
        let of_minstrel = ["interval", "ewma", "lookaround", "segment"].contains(&key.name);
        if key.example == "\"oracle\"" {
            return vec![(rate, "{ control = \"oracle\" }")];
        }
        if of_minstrel || key.example == "\"minstrel\"" {
            return vec![(rate, "{ control = \"minstrel\" }")];
        }
        return vec![(
            rate,
            if is_arf { "{ control = \"arf\" }" } else { "{ control = \"aarf\" }" },
        )];
    }
    if path.contains(".radio") || path.contains(".position") || path.contains(".mobility") {
        return radio_company(path, key);
    }
    if path.starts_with("flow.tcp.control.") {
        let is_window = ["slot", "long_lived", "rise", "fall", "round_trip"].contains(&key.name)
            || key.example.contains("window");
        let is_occupancy = key.example.contains("occupancy");
        if is_occupancy {
            return vec![
                ("bss.home.ap.occupancy", "true"),
                ("flow.tcp.control.scheme", "occupancy"),
            ];
        }
        let is_cap = key.name == "share" || key.example.contains("cap");
        let scheme = if is_window {
            "arf-window"
        } else if is_cap {
            "rate-cap"
        } else {
            "arf-aware"
        };
        return vec![("flow.tcp.control.scheme", scheme)];
    }
    if path == "flow.tcp.transport.prr" {
        return vec![("flow.tcp.transport.sack", "true")];
    }
    if let Some(queue) = parent(".queue.red") {
        return vec![(&path[..queue.len() + ".queue".len()], "{ discipline = \"red\" }")];
    }
    let is_on_air = path.starts_with("bss.") || path.starts_with("station.");
    if let Some(owner) = parent(".queue.").filter(|_| is_on_air) {
        let discipline = match key.name {
            "limit" | "weights" | "data" | "ack" => "{ discipline = \"data-ack\" }",
            "quantum" => "{ discipline = \"deficit-round-robin\" }",
            "target" | "interval" => "{ discipline = \"codel\" }",
            "queues" => "{ discipline = \"fq-codel\" }",
            "airtime_quantum" | "charges_uplink" | "slow_below" | "slow_target"
            | "slow_interval" => "{ discipline = \"airtime\" }",
            "bucket" | "adjustment" | "charges_backoff" => "{ discipline = \"time-regulator\" }",
            _ => return Vec::new(),
        };
        return vec![(&path[..owner.len() + ".queue".len()], discipline)];
    }
    if let Some(member) = parent(".errors.") {
        const MODELS: [(&str, &str); 4] = [
            ("{ model = \"bernoulli\", probability = 0.5 }", "bernoulli probability"),
            ("{ model = \"bit\", ber = 0.5 }", "bit ber"),
            ("{ model = \"snr\", snr = \"3 dB\" }", "snr"),
            (
                "{ model = \"gilbert-elliott\", mean_good = \"2 s\", mean_bad = \"2 s\" }",
                "gilbert-elliott good bad mean_good mean_bad",
            ),
        ];
        let word = if key.name == "model" { key.example.trim_matches('"') } else { key.name };
        let model = MODELS.iter().find(|(_, words)| words.split(' ').any(|w| w == word));
        let errors = &path[..member.len() + ".errors".len()];
        return vec![(errors, model.expect("a model for each key").0)];
    }
    if let Some(transport) = parent(".source.") {
        const ON_OFF: &str =
            "{ model = \"on-off\", rate = \"1 Mb/s\", on = \"1 s\", off = \"1 s\" }";
        const FRAMES: &str = "{ model = \"frames\", interval = \"1 s\", sizes = [\"1 kB\"] }";
        let frames = matches!(key.name, "interval" | "sizes") || key.example.contains("frames");
        let source = &path[..transport.len() + ".source".len()];
        return vec![(source, if frames { FRAMES } else { ON_OFF })];
    }
    if let Some(link) = parent(".loss.") {
        let bursts = matches!(key.name, "good" | "bad" | "to_bad" | "to_good")
            || key.example.contains("gilbert");
        let loss = &path[..link.len() + ".loss".len()];
        let model = if bursts { BURSTS } else { BERNOULLI };
        return vec![("link.spare.between", "[\"home\", \"server\"]"), (loss, model)];
    }
    Vec::new()
}

/// What must be set before a key of the radio, of a place or of a way can be.
fn radio_company<'p>(path: &'p str, key: &Key) -> Vec<(&'p str, &'static str)> {
    const WAYPOINT: &str = "{ model = \"random-waypoint\", radius = \"9 m\", min_speed = \"1 m/s\", \
                            max_speed = \"3 m/s\" }";
    const CORNERS: &str = "{ model = \"random-waypoint\", max_speed = \"3 m/s\", \
                           corners = [[\"0 m\", \"0 m\"], [\"1 m\", \"1 m\"]] }";
    const HERE: &str = "[\"1 m\", \"2 m\"]";
    let word = if key.name == "model" { key.example.trim_matches('"') } else { key.name };
    let mut company = vec![("station.fast.position", HERE), ("bss.home.radio", "{}")];
    let parent = |name: &str| path.find(name).map(|at| &path[..at + name.len()]);
    let given = [
        (
            ".propagation",
            &["two-ray ap_height station_height", "log-distance exponent reference_loss"][..],
        ),
        (".fading", &["rayleigh", "rician k coherence"]),
        (".position", &["circle"]),
        (
            ".mobility",
            &[
                "velocity",
                "waypoints points",
                "trace file",
                "random-waypoint radius min_speed max_speed pause begin",
                "corners",
            ],
        ),
    ];
    let values = [
        &["{ model = \"two-ray\" }", "{ model = \"log-distance\" }"][..],
        &["{ model = \"rayleigh\" }", "{ model = \"rician\" }"],
        &["{ circle = \"5 m\" }"],
        &[
            "{ model = \"velocity\", velocity = [\"1 m/s\", \"2 m/s\"] }",
            "{ model = \"waypoints\", points = [[\"0 s\", \"1 m\", \"1 m\"]] }",
            "{ model = \"trace\", file = \"a.csv\" }",
            WAYPOINT,
            CORNERS,
        ],
    ];
    let mut starts_elsewhere = path == "station.slow.position";
    for ((name, words), values) in given.into_iter().zip(values) {
        let Some(whole) = parent(name).filter(|whole| path.len() > whole.len()) else { continue };
        let index = words.iter().position(|words| words.split(' ').any(|one| one == word));
        let index = index.expect("a table for each key");
        starts_elsewhere |= name == ".position" || (name == ".mobility" && index > 0);
        company.push((whole, values[index]));
    }
    if !starts_elsewhere {
        company.push(("station.slow.position", HERE));
    }
    company
}

/// A trace is read before the scenario is: here it is refused.
fn is_of_trace(path: &str, key: &Key) -> bool {
    path.contains(".mobility.") && (key.name == "file" || key.example == "\"trace\"")
}

#[test]
fn a_value_of_the_wrong_type_is_one_mistake_with_the_path_of_its_key() {
    for (path, key) in all_keys() {
        // A date is right nowhere.
        let overrides = [company(&path, key), vec![(path.as_str(), "1979-05-27")]].concat();
        let errors = parse(&overrides).expect_err(&path);
        assert_eq!(errors.len(), 1, "{path}: {errors:?}");
        assert!(errors[0].starts_with(&format!("{path} = 1979-05-27: ")), "{}", errors[0]);
    }
}

#[test]
fn the_example_of_each_key_changes_the_scenario() {
    // These have one possible value in this version.
    let only = ["bss", "to", "kind", "model", "discipline", "scheme", "control"];
    let choices = [
        "flow.tcp.control",
        "flow.tcp.to",
        "flow.udp.to",
        "flow.tfrc.to",
        ".link.queue.discipline",
    ];
    // Its example is for access points, which share the key.
    let for_others = "station.slow.queue.weights";
    let has_example = |(path, key): &(String, &Key)| !key.example.is_empty() && path != for_others;
    let is_known = |(path, key): &(String, &Key)| !is_of_trace(path, key);
    for (path, key) in all_keys().into_iter().filter(has_example).filter(is_known) {
        let mut company = company(&path, key);
        if path == "station.slow.position" {
            company.push((path.as_str(), "[\"3 m\", \"4 m\"]"));
        }
        let base = parse(&company).expect("the base is right");
        let overrides = [company, vec![(path.as_str(), key.example)]].concat();
        let scenario = parse(&overrides).expect(&path);
        let changes = !only.contains(&key.name)
            || path == "link.spare.queue.discipline"
            || choices.iter().any(|choice| path.ends_with(choice));
        assert_eq!(scenario != base, changes, "{path}");
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
    for (path, key) in all_keys() {
        let last = path.rsplit('.').next().expect("split gives one piece at least");
        assert!(reference.contains(&format!("{last}`")), "{path} is not in the reference");
        assert!(reference.contains(key.doc), "{path} is not explained");
        let quoted = serde_json::Value::from(key.doc).to_string();
        assert!(schema.contains(quoted.trim_end_matches('"')), "{path} is not in the schema");
    }
}

proptest! {
    /// Any subset of the examples either conflicts or makes a scenario that is read back as written.
    #[test]
    fn what_is_written_is_read_back(chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let keys = all_keys();
        let overrides: Vec<(String, String)> = chosen
            .iter()
            .map(|index| index.get(&keys))
            .filter(|(_, key)| !key.example.is_empty())
            .map(|(path, key)| (path.clone(), key.example.to_owned()))
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
    assert_eq!(printed.flows[0].control, Control::ArfWindow(arf_window::Params::printed()));
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
    // Stations slow, fast1, fast2: two flows of slow, three of each fast one, one TFRC flow of each.
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
    ];
    assert_eq!(ends, expected);
    assert_eq!(scenario.flows[2].transport, scenario.flows[4].transport);
}
