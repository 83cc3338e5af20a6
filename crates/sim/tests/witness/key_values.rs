//! Runs of each key of the scenario file: with its example, with each of its words, and with both of `true` and `false`.
//!
//! Keys and values come from the JSON Schema, so that a new key has its runs without a change here. A key that needs others
//! beside it finds them in [`COMPANIONS`].

use serde_json::Value as Json;
use toml::{Table, Value};

use crate::list::{Kind, Run};

/// The scenario in which keys are set.
const BASE: &str = r#"
duration = "120 ms"
series = "50 ms"
[bss.c]
standard = "802.11g"
[station.slow]
rate = [["0 s", "54 Mb/s"], ["40 ms", "6 Mb/s"]]
[station.fast]
[host.server]
link = { rate = "50 Mb/s", delay = "2 ms" }
[router.hub]
[link.spare]
between = ["c", "hub"]
[flow.tcp]
from = "slow"
to = "server"
transport = { kind = "tcp" }
[flow.down]
from = "server"
to = "slow"
transport = { kind = "tcp", flavour = "cubic" }
[flow.udp]
from = "fast"
to = "server"
transport = { kind = "udp", payload = "700 B", rate = "2 Mb/s" }
"#;

/// Overrides beside which a key may fit, in the order in which they are tried.
const COMPANIONS: [&str; 16] = [
    "",
    "bss.c.standard = \"802.11ax\"\nflow.udp.access_category = \"voice\"\nflow.tcp.access_category = \"video\"\n\
     flow.down.access_category = \"background\"\nstation.slow.rate = [[\"0 s\", \"he-mcs9x1\"], [\"40 ms\", \"he-mcs0x1\"]]",
    "bss.c.standard = \"802.11ax\"\nstation.slow.rate = \"he-mcs5x1\"\nbss.c.streams = 8\nbss.c.amsdu = \"7935 B\"",
    "bss.c.standard = \"802.11ax\"\nstation.slow.rate = \"he-mcs5x1\"\nbss.c.aggregation.window = 256",
    "bss.c.standard = \"802.11n\"\nbss.c.band = \"2.4 GHz\"\nstation.slow.rate = \"ht-mcs3\"",
    "bss.c.standard = \"802.11n\"\nstation.slow.rate = \"ht-mcs3\"",
    "bss.c.standard = \"802.11ac\"\nstation.slow.rate = \"vht-mcs3x1\"",
    "bss.c.standard = \"802.11ac\"\nbss.c.width = \"160 MHz\"\nstation.slow.rate = \"vht-mcs3x1\"",
    "bss.c.standard = \"802.11b\"\nstation.slow.rate = [[\"0 s\", \"11 Mb/s\"], [\"40 ms\", \"1 Mb/s\"]]",
    "bss.c.standard = \"802.11a\"",
    "bss.c.radio = {}\nstation.slow.position = [\"9 m\", \"1 m\"]\nstation.fast.position = [\"-30 m\", \"0 m\"]",
    "bss.c.radio = {}\nstation.fast.position = [\"-30 m\", \"0 m\"]",
    "bss.c.standard = \"802.11a\"\nbss.c.radio = {}\nstation.slow.position = [\"9 m\", \"1 m\"]\n\
     station.fast.position = [\"-30 m\", \"0 m\"]",
    "bss.c.ap.occupancy = true",
    "flow.tcp.transport.sack = true",
    "link.spare.between = [\"c\", \"server\"]",
];

/// A value of a key.
#[derive(Clone, Debug)]
pub(crate) struct KeyValue {
    /// Names from the root to the key.
    path: Vec<String>,
    value: Value,
    /// Tables that must be set before.
    tables: Vec<(Vec<String>, Value)>,
}

impl KeyValue {
    /// The name of its run.
    pub(crate) fn name(&self) -> String {
        // Of tables with variants the tag says which one it is.
        let tag = self.tables.last().and_then(|(_, table)| {
            let words = table.as_table()?.values().filter_map(Value::as_str);
            words.filter(|word| word.starts_with(char::is_alphabetic)).next_back()
        });
        let tag = tag.map_or(String::new(), |tag| format!("[{tag}]"));
        let value = if let Value::Table(_) | Value::Array(_) = self.value {
            "…".to_owned()
        } else {
            self.value.to_string()
        };
        let value = value.trim_matches('"').replace(char::is_whitespace, "_");
        format!("key:{}{tag}={value}", self.path.join("."))
    }

    /// Its run, beside the first companions that it fits.
    fn run(&self) -> Option<Run> {
        COMPANIONS.iter().find_map(|companions| {
            let mut table: Table = BASE.parse().expect("TOML");
            overlay(&mut table, companions.parse().expect("TOML"));
            for (path, value) in &self.tables {
                set(&mut table, path, value.clone());
            }
            set(&mut table, &self.path, self.value.clone());
            Run::new(self.name(), 1, &table.to_string(), Kind::Plain)
        })
    }
}

/// All runs; of several with one name the first.
pub(crate) fn runs() -> Vec<Run> {
    let mut runs: Vec<Run> = all().iter().filter_map(KeyValue::run).collect();
    let mut names = std::collections::BTreeSet::new();
    runs.retain(|run| names.insert(run.name.clone()));
    runs
}

/// Names of the values that fit beside no companions.
pub(crate) fn unfit() -> Vec<String> {
    all().iter().filter(|it| it.run().is_none()).map(KeyValue::name).collect()
}

/// All values of all keys.
fn all() -> Vec<KeyValue> {
    let mut found = Vec::new();
    walk(&[], &airfair_sim::scenario::schema(), &[], &mut found);
    found
}

/// The keys of a table with this schema.
fn walk(
    path: &[String],
    schema: &Json,
    tables: &[(Vec<String>, Value)],
    found: &mut Vec<KeyValue>,
) {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = [path, std::slice::from_ref(key)].concat();
        let tag = tag(schema);
        if tag.is_some_and(|(name, _)| name == key) {
            continue;
        }
        let mut values = Vec::new();
        simple_values(property, &mut values);
        for value in property["examples"].as_array().into_iter().flatten().chain(&values) {
            let value = Value::try_from(value).expect("JSON without null is TOML");
            found.push(KeyValue { path: path.clone(), value, tables: tables.to_vec() });
        }
        inner(&path, property, tables, found);
    }
}

/// The keys of the tables that a key may hold.
fn inner(
    path: &[String],
    schema: &Json,
    tables: &[(Vec<String>, Value)],
    found: &mut Vec<KeyValue>,
) {
    for several in ["anyOf", "oneOf"] {
        for one in schema[several].as_array().into_iter().flatten() {
            inner(path, one, tables, found);
        }
    }
    let is_named = schema["patternProperties"]
        .as_object()
        .and_then(|all| all.iter().next())
        .filter(|(pattern, _)| pattern.starts_with("^[A-Za-z0-9_-]"));
    if let Some((_, table)) = is_named {
        let name = match path[0].as_str() {
            "bss" => "c",
            "station" => "slow",
            "host" => "server",
            "router" => "hub",
            "link" => "spare",
            _ => "tcp",
        };
        return walk(&[path, &[name.to_owned()]].concat(), table, tables, found);
    }
    if schema["type"] == "object" && schema["properties"].is_object() {
        let needed = smallest(schema);
        if needed.is_empty() {
            return walk(path, schema, tables, found);
        }
        let tables = [tables, &[(path.to_vec(), Value::Table(needed.clone()))]].concat();
        let value = Value::Table(needed);
        if tag(schema).is_some() {
            let (_, before) = tables.split_last().expect("one at least");
            let it = KeyValue { path: path.to_vec(), value, tables: before.to_vec() };
            found.push(KeyValue { tables: tables.clone(), ..it });
        }
        walk(path, schema, &tables, found);
    }
}

/// The key that tells a table from its alternatives, and its word.
fn tag(schema: &Json) -> Option<(&String, &Json)> {
    let properties = schema["properties"].as_object()?;
    properties.iter().find_map(|(key, property)| {
        let words = property["enum"].as_array().filter(|words| words.len() == 1)?;
        words[0].is_string().then(|| (key, &words[0]))
    })
}

/// A table with the keys that it needs and its tag.
fn smallest(schema: &Json) -> Table {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let example = |key: &str| schema["properties"][key]["examples"][0].clone();
    let needed = required.map(|key| (key.to_owned(), example(key)));
    let tag = tag(schema).map(|(key, word)| (key.clone(), word.clone()));
    needed
        .filter(|(_, value)| !value.is_null())
        .chain(tag)
        .map(|(key, value)| (key, Value::try_from(value).expect("TOML")))
        .collect()
}

/// Words, `true` and `false`; of contention windows two.
fn simple_values(schema: &Json, values: &mut Vec<Json>) {
    for several in ["anyOf", "oneOf"] {
        for one in schema[several].as_array().into_iter().flatten() {
            simple_values(one, values);
        }
    }
    if schema["type"] == "boolean" {
        values.extend([Json::Bool(false), Json::Bool(true)]);
    }
    let words = schema["enum"].as_array().into_iter().flatten();
    let (words, numbers): (Vec<&Json>, Vec<&Json>) = words.partition(|word| word.is_string());
    values.extend(words.into_iter().chain(numbers.into_iter().skip(1).take(2)).cloned());
}

/// Lays the keys of a table over another one.
fn overlay(table: &mut Table, over: Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(over)) => overlay(inner, over),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// Sets a key, in tables that are made where there is something else.
fn set(table: &mut Table, path: &[String], value: Value) {
    match path {
        [key] => drop(table.insert(key.clone(), value)),
        [key, rest @ ..] => {
            let inner = table.entry(key.clone()).or_insert(Value::Table(Table::new()));
            if !inner.is_table() {
                *inner = Value::Table(Table::new());
            }
            set(inner.as_table_mut().expect("a table"), rest, value);
        }
        [] => unreachable!("a key has a name"),
    }
}
