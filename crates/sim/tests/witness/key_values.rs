//! Runs of each key of the scenario file: with its example, with each of its words, with `true` and with `false`. A
//! value that is the default has no run.
//!
//! Keys and values come from the JSON Schema, so that a new key has its runs without a change here. If a key needs
//! other keys, their values come from [`COMPANIONS`].

use std::collections::BTreeSet;

use airfair_sim::scenario::schema;
use serde_json::Value as Json;
use toml::{Table, Value};

use crate::list::{Kind, Run};

/// Smallest scenario in which each key is set.
const BASE: &str = r#"
duration = "120 ms"
series = "50 ms"
[bss.home]
standard = "802.11g"
[station.slow]
rate = [["0 s", "54 Mb/s"], ["40 ms", "6 Mb/s"]]
[station.fast]
[host.server]
link = { rate = "50 Mb/s", delay = "2 ms" }
[router.hub]
[link.spare]
between = ["home", "hub"]
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

/// Keys that may have to be set beside a key for its value to be valid, in the order in which they are tried.
const COMPANIONS: [&str; 33] = [
    "",
    "bss.home.standard = \"802.11ax\"\nflow.udp.access_category = \"voice\"\nflow.tcp.access_category = \"video\"\n\
     flow.down.access_category = \"background\"\nstation.slow.rate = [[\"0 s\", \"he-mcs9x1\"], [\"40 ms\", \"he-mcs0x1\"]]",
    "bss.home.standard = \"802.11ax\"\nstation.slow.rate = \"he-mcs5x1\"\nbss.home.streams = 8\nbss.home.amsdu = \"7935 B\"",
    "bss.home.standard = \"802.11ax\"\nstation.slow.rate = \"he-mcs5x1\"\nbss.home.aggregation.window = 256",
    "bss.home.standard = \"802.11ax\"\nstation.slow.rate = \"he-mcs5x1\"\nbss.home.ofdma.up = \"round-robin\"",
    "bss.home.standard = \"802.11ax\"\nstation.slow.rate = \"he-mcs5x1\"\nbss.home.ofdma.up = \"round-robin\"\nbss.home.mu_edca = {}",
    "bss.home.standard = \"802.11n\"\nbss.home.band = \"2.4 GHz\"\nstation.slow.rate = \"ht-mcs3\"",
    "bss.home.standard = \"802.11n\"\nstation.slow.rate = \"ht-mcs3\"",
    "bss.home.standard = \"802.11ac\"\nstation.slow.rate = \"vht-mcs3x1\"",
    "bss.home.standard = \"802.11ac\"\nbss.home.width = \"160 MHz\"\nstation.slow.rate = \"vht-mcs3x1\"",
    "bss.home.standard = \"802.11be\"\nstation.slow.rate = \"eht-mcs5x1\"",
    "bss.home.standard = \"802.11be\"\nbss.home.band = \"6 GHz\"\nstation.slow.rate = \"eht-mcs5x1\"",
    "bss.home.standard = \"802.11be\"\nbss.home.band = \"6 GHz\"\nbss.home.width = \"320 MHz\"\nstation.slow.rate = \"eht-mcs5x1\"",
    "bss.home.standard = \"802.11b\"\nstation.slow.rate = [[\"0 s\", \"11 Mb/s\"], [\"40 ms\", \"1 Mb/s\"]]",
    "bss.home.standard = \"802.11a\"",
    "bss.home.radio = {}\nstation.slow.position = [\"60 m\", \"1 m\"]\nstation.fast.position = [\"-90 m\", \"0 m\"]",
    "bss.home.radio = {}\nstation.fast.position = [\"-90 m\", \"0 m\"]",
    "bss.home.standard = \"802.11a\"\nbss.home.radio = {}\nstation.slow.position = [\"60 m\", \"1 m\"]\n\
     station.fast.position = [\"-90 m\", \"0 m\"]",
    "bss.home.radio = {}\nstation.fast.position = [\"-90 m\", \"0 m\"]\n\
     station.slow.mobility = { radius = \"90 m\", min_speed = \"1 m/s\" }",
    "bss.home.radio = {}\nstation.fast.position = [\"-90 m\", \"0 m\"]\nstation.slow.position = [\"60 m\", \"1 m\"]\n\
     station.slow.mobility = { radius = \"90 m\", min_speed = \"1 m/s\" }",
    "bss.home.standard = \"802.11n\"\nbss.home.guard_interval = \"400 ns\"\nstation.slow.rate = \"ht-mcs3\"",
    "bss.home.ap.occupancy = true",
    "flow.tcp.transport.sack = true",
    "flow.tcp.transport.flavour = \"dctcp\"",
    "link.spare.between = [\"home\", \"server\"]",
    "host.server.link.queue.discipline = \"red\"\nlink.spare.queue.discipline = \"red\"",
    "duration = \"1200 ms\"",
    "duration = \"5100 ms\"",
    "bss.home.channel = 6",
    "bss.home.standard = \"802.11ax\"\nbss.home.colour = 5\nbss.home.radio = {}\nstation.slow.rate = \"he-mcs5x1\"\n\
     station.slow.position = [\"60 m\", \"1 m\"]\nstation.fast.position = [\"-90 m\", \"0 m\"]",
    "bss.home.channel = 6\nbss.guest = { standard = \"802.11g\", channel = 6 }\nstation.slow.bss = \"home\"\n\
     station.fast.bss = \"home\"\nhost.server.link.to = \"home\"",
    "bss.home.standard = \"802.11ax\"\nstation.slow.rate = \"he-mcs5x1\"\nbss.home.ofdma.up = \"round-robin\"\n\
     bss.home.radio = {}\nstation.slow.position = [\"10 m\", \"1 m\"]\nstation.fast.position = [\"-9 m\", \"0 m\"]",
    "bss.home.channel = 6\nbss.home.radio = {}\nbss.guest = { standard = \"802.11g\", channel = 6, radio = {} }\n\
     station.slow.bss = \"home\"\nstation.fast.bss = \"home\"\nhost.server.link.to = \"home\"\nstation.slow.position = [\"60 m\", \"1 m\"]\n\
     station.fast.position = [\"-90 m\", \"0 m\"]",
];

/// A value of a key of the scenario file, which a run tries.
#[derive(Clone, Debug)]
pub(crate) struct KeyValue {
    /// Names of the tables from the root to the key, and of the key itself.
    path: Vec<String>,
    value: Value,
    /// Tables that must be set before the key, because the key is in the last of them.
    tables: Vec<(Vec<String>, Value)>,
}

impl KeyValue {
    /// Name of the run in which the key has this value.
    pub(crate) fn name(&self) -> String {
        // The tag of a table says which of several it is.
        let of = |value: &Value| {
            let mut words = value.as_table()?.values().filter_map(Value::as_str);
            words.rfind(|word| word.starts_with(char::is_alphabetic)).map(str::to_owned)
        };
        let tag = self.tables.last().and_then(|(_, table)| of(table));
        let tag = tag.map_or(String::new(), |tag| format!("[{tag}]"));
        let value = match &self.value {
            Value::Table(_) => of(&self.value).unwrap_or_else(|| "{}".to_owned()),
            Value::Array(_) => "[]".to_owned(),
            plain => plain.to_string(),
        };
        let value = value.trim_matches('"').replace(char::is_whitespace, "_");
        format!("key:{}{tag}={value}", self.path.join("."))
    }

    /// Texts of the base scenario with `companions`, other keys that the key may need: first with the value, then
    /// without it.
    fn tables(&self, companions: &str) -> [Table; 2] {
        let mut without: Table = BASE.parse().expect("TOML");
        overlay(&mut without, companions.parse().expect("TOML"));
        for (path, value) in &self.tables {
            set(&mut without, path, value.clone());
        }
        let mut with = without.clone();
        set(&mut with, &self.path, self.value.clone());
        [with, without].map(with_rate_or_source)
    }

    /// Run of a fixed scenario in which the key has this value, with the first of the further keys in [`COMPANIONS`]
    /// with which the scenario is valid. For a value that is valid only in an emulation, the test drives the run.
    fn run(&self) -> Fit {
        let plain = COMPANIONS.iter().map(|companions| (*companions, Kind::Plain));
        for (companions, kind) in plain.chain([("", Kind::Driven)]) {
            let texts = self.tables(companions).map(|table| table.to_string());
            let [with, without] = texts.map(|text| Run::new(self.name(), 1, &text, kind));
            let Some(with) = with else { continue };
            let is_default = without.is_some_and(|it| it.scenario == with.scenario);
            return if is_default { Fit::Default } else { Fit::Run(Box::new(with)) };
        }
        Fit::None
    }
}

/// The same scenario, in which each UDP flow has a live application, or payload and rate.
fn with_rate_or_source(mut scenario: Table) -> Table {
    let flows = scenario["flow"].as_table_mut().expect("flows");
    for (_, flow) in flows.iter_mut() {
        let Some(transport) = flow["transport"].as_table_mut() else { continue };
        if transport.get("kind").and_then(Value::as_str) != Some("udp") {
            continue;
        }
        if transport.contains_key("source") {
            transport.remove("rate");
            continue;
        }
        for (key, usual) in [("payload", "1000 B"), ("rate", "2 Mb/s")] {
            transport.entry(key).or_insert_with(|| Value::from(usual));
        }
    }
    scenario
}

/// Result of setting a key to a value in the base scenario.
enum Fit {
    Run(Box<Run>),
    /// The value is the key's default, so that the scenario stays the same.
    Default,
    /// The scenario in which the key has the value is invalid, whichever further keys of [`COMPANIONS`] it has.
    None,
}

/// Runs of the base scenario, one for each value of each key, and the names of the values with which it is invalid
/// whatever other keys are set.
pub(crate) fn runs() -> (Vec<Run>, Vec<String>) {
    let (mut runs, mut unfit) = (Vec::new(), Vec::new());
    for value in all() {
        match value.run() {
            Fit::Run(run) => runs.push(*run),
            Fit::Default => {}
            Fit::None => unfit.push(value.name()),
        }
    }
    (runs, unfit)
}

/// All values of all keys. Of several values with the same name, only the first one is kept.
fn all() -> Vec<KeyValue> {
    let mut found = Found::default();
    found.walk(&[], &schema(), &[]);
    let mut names = BTreeSet::new();
    found.values.retain(|value| names.insert(value.name()));
    found.values
}

/// Tables that must be set before a key, because it is in the last of them, with their paths.
type Tables = [(Vec<String>, Value)];

/// Values of keys found so far in the schema.
#[derive(Default)]
struct Found {
    values: Vec<KeyValue>,
    /// Schemas of the tables found so far that a key may hold as alternatives, told apart by a tag. If another key may
    /// hold the same table, only its tag is tried there, and not each of its keys.
    alternatives: BTreeSet<String>,
}

impl Found {
    /// Collects the values of the keys of a table with this schema, which is at `path` once `tables` are set.
    fn walk(&mut self, path: &[String], schema: &Json, tables: &Tables) {
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
                self.values.push(KeyValue { path: path.clone(), value, tables: tables.to_vec() });
            }
            self.inner(&path, property, tables);
        }
    }

    /// Collects the values of the keys in each table that the key at `path` may hold by its schema.
    fn inner(&mut self, path: &[String], schema: &Json, tables: &Tables) {
        for several in ["anyOf", "oneOf"] {
            for one in schema[several].as_array().into_iter().flatten() {
                self.inner(path, one, tables);
            }
        }
        let is_named = schema["patternProperties"]
            .as_object()
            .and_then(|all| all.iter().next())
            .filter(|(pattern, _)| pattern.starts_with("^[A-Za-z0-9_-]"));
        if let Some((_, table)) = is_named {
            let name = match path[0].as_str() {
                "bss" => "home",
                "station" => "slow",
                "host" => "server",
                "router" => "hub",
                "link" => "spare",
                _ => "tcp",
            };
            return self.walk(&[path, &[name.to_owned()]].concat(), table, tables);
        }
        if schema["type"] == "object" && schema["properties"].is_object() {
            let needed = smallest(schema);
            if needed.is_empty() {
                return self.walk(path, schema, tables);
            }
            let tables = [tables, &[(path.to_vec(), Value::Table(needed.clone()))]].concat();
            let value = Value::Table(needed);
            if tag(schema).is_some() {
                let (_, before) = tables.split_last().expect("one at least");
                self.values.push(KeyValue { path: path.to_vec(), value, tables: before.to_vec() });
                if !self.alternatives.insert(schema.to_string()) {
                    return;
                }
            }
            self.walk(path, schema, &tables);
        }
    }
}

/// Key that tells a table of the scenario from its alternatives, such as `kind` of a transport, with the word that this
/// table has for it; `None` if it has no such key.
fn tag(schema: &Json) -> Option<(&String, &Json)> {
    let properties = schema["properties"].as_object()?;
    properties.iter().find_map(|(key, property)| {
        let words = property["enum"].as_array().filter(|words| words.len() == 1)?;
        words[0].is_string().then(|| (key, &words[0]))
    })
}

/// Table with only its mandatory keys and the key that tells it from its alternatives.
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

/// Collects the words of a key, and `true` and `false` for a boolean.
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
    values.extend(words.filter(|word| word.is_string()).cloned());
}

/// Adds the keys of the table `over` to `table`, replacing values but merging tables.
fn overlay(table: &mut Table, over: Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(over)) => overlay(inner, over),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// Sets the key at `path`. Other values on the path are replaced by tables. A table is merged with the existing one.
fn set(table: &mut Table, path: &[String], value: Value) {
    match path {
        [key] => overlay(table, Table::from_iter([(key.clone(), value)])),
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
