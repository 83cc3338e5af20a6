//! Coverage of the list of runs: each key has a run, and each discipline, transport, scheme and the like has many.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::list::{Kind, List, Run, generator};

/// Prefixes of features of runs, such as a key of the scenario with its value. With each is the least number of
/// features that have this prefix, and the least number of runs that have each such feature.
const LEAST: [(&str, usize, usize); 55] = [
    ("bss.standard=", 7, 120),
    ("station.standard=", 7, 120),
    ("bss.ap.queue.discipline=", 9, 25),
    ("bss.ap.queue.hardware_queue", 2, 50),
    ("bss.ap.queue.aql", 4, 30),
    ("bss.ap.queue.overflow=longest-flow", 1, 20),
    ("bss.ap.queue.ack_filter=true", 1, 20),
    ("bss.ap.queue.ecn=", 2, 10),
    ("bss.ap.window_sharing=true", 1, 100),
    ("bss.ap.occupancy.spare=printed", 1, 100),
    ("bss.ap.control.scheme=", 1, 60),
    ("bss.aggregation=off", 1, 30),
    ("bss.aggregation.after_silence=", 2, 30),
    ("bss.amsdu", 1, 100),
    ("bss.ofdma.down=", 5, 15),
    ("bss.ofdma.up=", 5, 15),
    ("bss.ofdma.ack=", 3, 20),
    ("bss.ofdma.poll=", 2, 30),
    ("bss.ofdma.trigger_every", 2, 30),
    ("bss.ofdma.random", 1, 30),
    ("bss.mu_edca.aifsn", 1, 60),
    ("bss.mu_mimo.users", 1, 100),
    ("bss.punctured", 1, 30),
    ("bss.beacon.interval", 1, 200),
    ("bss.rts_threshold", 2, 100),
    ("bss.eifs=", 2, 50),
    ("bss.radio.fading.model=", 2, 30),
    ("bss.radio.propagation.model=", 2, 30),
    ("bss.radio.reception=", 3, 8),
    ("bss.radio.capture", 2, 80),
    ("station.queue.discipline=", 6, 1),
    ("station.position", 1, 200),
    ("station.hidden_from", 1, 50),
    ("station.senses_only", 1, 50),
    ("station.mobility.model=", 3, 25),
    ("station.errors.model=", 4, 30),
    ("station.rate.control=", 4, 40),
    ("flow.access_category=", 3, 60),
    ("flow.control.scheme=", 3, 50),
    ("flow.control=occupancy", 1, 60),
    ("flow.transport.kind=", 5, 100),
    ("flow.transport.flavour=", 11, 10),
    ("flow.transport.profile=", 3, 15),
    ("flow.transport.source.model=", 2, 10),
    ("flow.transport.loss_recovery=rack", 1, 300),
    ("flow.transport.arithmetic=linux", 1, 300),
    ("flow.transport.prr=true", 1, 20),
    ("flow.transport.ecn=true", 1, 50),
    ("flow.transport.ecn_feedback=", 2, 10),
    ("flow.transport.stack=kernel", 1, 50),
    ("host.link.loss.model=", 2, 50),
    ("host.link.queue.discipline=", 3, 15),
    ("host.link.queue.red.ecn=true", 1, 10),
    ("traced", 1, 240),
    ("driven", 1, 120),
];

/// Values of keys that no run of the list of compared runs can have, because the scenario would be refused. Two
/// disciplines are for access points only, TLS messages need a handshake, feedback needs marks, and the schedule of rates is
/// longer than a run.
const UNFIT: [&str; 6] = [
    "key:flow.tcp.transport.ecn_feedback[tcp]=classic",
    "key:flow.tcp.transport.server_crypto[quic]=5_kB",
    "key:station.slow.queue=airtime",
    "key:station.slow.queue=airtime-dualpi2",
    "key:station.slow.queue=time-regulator",
    "key:station.slow.rate=[]",
];

/// Checks that enough runs of the witness have each feature, such as a key of the scenario with its value. `unfit` are
/// values of keys with which no scenario is valid; they must be those known.
///
/// # Panics
/// If a name is not unique, or a feature has too few runs.
pub(crate) fn check(List { runs, unfit }: &List) {
    let mut names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None, "two runs have one name");
    assert!(!names.iter().any(|name| name.contains(char::is_whitespace)));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for feature in runs.iter().flat_map(features) {
        *counts.entry(feature).or_default() += 1;
    }
    for (start, features, least) in LEAST {
        let found: Vec<_> =
            counts.iter().filter(|(feature, _)| feature.starts_with(start)).collect();
        assert!(
            found.len() >= features,
            "{start}: {features} features should be in the list: {found:?}"
        );
        let few = found.iter().find(|(_, count)| **count < least);
        assert_eq!(
            few, None,
            "{least} runs at least should have this feature: add some to a generator"
        );
    }
    assert_eq!(unfit, &UNFIT, "values of keys that no run has: add companions to `key_values`");
}

/// Features of a run: what has generated its scenario, whether it is traced or driven, and each key of its scenario. A
/// key whose value is a word or a boolean is a feature together with this value.
pub(crate) fn features(run: &Run) -> BTreeSet<String> {
    let mut features = BTreeSet::from([format!("generator={}", generator(&run.name))]);
    match run.kind {
        Kind::Plain => {}
        Kind::Traced => drop(features.insert("traced".to_owned())),
        Kind::Driven => drop(features.insert("driven".to_owned())),
    }
    let table: Table = run.scenario.to_toml().parse().expect("what is written is TOML");
    for (section, value) in &table {
        match value {
            Value::Table(named) => {
                named.values().for_each(|value| add(&mut features, section, value));
            }
            value => add(&mut features, section, value),
        }
    }
    features
}

fn add(features: &mut BTreeSet<String>, path: &str, value: &Value) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                add(features, &format!("{path}.{key}"), value);
            }
        }
        Value::String(text) if text.starts_with(char::is_alphabetic) || text.starts_with("802") => {
            let is_name = ["from", "to", "bss", "between", "hidden_from", "senses_only", "towards"]
                .iter()
                .any(|key| path.ends_with(&format!(".{key}")));
            features.insert(if is_name { path.to_owned() } else { format!("{path}={text}") });
        }
        Value::Boolean(flag) => drop(features.insert(format!("{path}={flag}"))),
        Value::Array(items) if items.is_empty() => {}
        _ => drop(features.insert(path.to_owned())),
    }
}
