//! What the list covers.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::list::{Kind, Run};

/// Features that begin with a text: how many there are at least, and how many runs have each of them at least.
const LEAST: [(&str, usize, usize); 0] = [];

/// Values of keys that no run has.
const UNFIT: [&str; 0] = [];

/// Checks that the list has lost nothing.
///
/// # Panics
/// If it has.
pub(crate) fn check((runs, unfit): &(Vec<Run>, Vec<String>)) {
    let mut names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None, "two runs have one name");
    assert!(!names.iter().any(|name| name.contains(char::is_whitespace)));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for feature in runs.iter().flat_map(features) {
        *counts.entry(feature).or_default() += 1;
    }
    if std::env::var_os("AIRFAIR_WITNESS_COUNTS").is_some() {
        for (feature, count) in &counts {
            println!("{count} {feature}");
        }
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

/// Features of a run: its generator, its form, each key with its word, or without its number.
pub(crate) fn features(run: &Run) -> BTreeSet<String> {
    let mut features = BTreeSet::from([format!("name={}", run.family())]);
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
