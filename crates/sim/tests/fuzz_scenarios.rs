//! Fuzzer for scenario files. The parser must never panic. Refused documents have errors with addresses. Accepted
//! ones are read back as they were written, and run, and the sums of every run hold.
//!
//! The mutator uses the schema, so that documents pass the first checks. `AIRFAIR_FUZZ_SECONDS` sets the duration,
//! and `PROPTEST_RNG_SEED` the seed. Without them, the same few documents are made each time. A failing document is
//! reduced and written to the directory that the message names.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "how long to go on is a matter of the wall clock"
)]

mod balance;
mod hunt;
#[path = "draw/luck.rs"]
mod luck;

use std::fs;
use std::path::{Path, PathBuf};

use airfair_sim::run::{Control, run};
use airfair_sim::scenario::{Scenario, TfrcTraffic, Transport, UdpRate, schema};
use airfair_units::{Bytes, DataRate, Duration};
use serde_json::Value as Json;
use toml::{Table, Value};

use hunt::{DocumentOutcome, hunt, luck};
use luck::Luck;

/// Number of documents that are tried if `AIRFAIR_FUZZ_SECONDS` is not set.
const FEW: u64 = 300;
/// Texts, most of which are valid under few keys or none.
const TEXTS: [&str; 16] = [
    "",
    " ",
    "0",
    "-1 s",
    "0 s",
    "1 us",
    "720 h",
    "18446744073709551615 b/s",
    "18446744073.709551616 s",
    "99999999999999999999999999 Mb/s",
    "1e9 s",
    "\u{1b}]0;x\u{7}",
    "\u{202e}dab",
    "a\0b",
    "ap",
    "µs",
];
/// Numbers from which quantities are made.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "2",
    "5.5",
    "6",
    "9",
    "11",
    "12",
    "20",
    "54",
    "100",
    "1500",
    "999999",
    "18446744073709551615",
];

/// Source of documents, made from existing scenarios and the schema.
struct Mutator {
    corpus: Vec<Table>,
    schema: Json,
    luck: Luck,
}

impl Mutator {
    fn document(&mut self) -> Table {
        let mut table = self.luck.pick(&self.corpus).clone();
        let schema = self.schema.clone();
        for _ in 0..=self.luck.below(4) {
            self.mutate(&mut table, Some(&schema), &[]);
        }
        table
    }

    /// Changes something in a table or, more often, in a table below it.
    fn mutate(&mut self, table: &mut Table, schema: Option<&Json>, names: &[String]) {
        let mut names = names.to_vec();
        for section in ["bss", "station", "host", "router", "link"] {
            if let Some(Value::Table(named)) = table.get(section) {
                names.extend(named.keys().cloned());
            }
        }
        let keys: Vec<String> = table.keys().cloned().collect();
        if keys.is_empty() || self.luck.one_in(3) {
            return self.insert(table, schema, &names);
        }
        let key = self.luck.pick(&keys).clone();
        let below = schema.and_then(|schema| child(schema, &key)).cloned();
        match &mut table[&key] {
            Value::Table(inner) if !self.luck.one_in(8) => {
                return self.mutate(inner, below.as_ref(), &names);
            }
            Value::Array(items) if !items.is_empty() && self.luck.one_in(2) => {
                let place = self.luck.below(items.len());
                items[place] = self.any(&names);
                return;
            }
            _ => {}
        }
        match self.luck.below(8) {
            0 => drop(table.remove(&key)),
            1 => {
                let value = table.remove(&key).expect("it is there");
                let name = if self.luck.one_in(2) {
                    format!("{key}{}", self.luck.below(3))
                } else {
                    (*self.luck.pick(&TEXTS)).to_owned()
                };
                table.insert(name, value);
            }
            2 => {
                let copy = table[&key].clone();
                table.insert(format!("{key}x"), copy);
            }
            3 => table[&key] = Value::Array(vec![table[&key].clone()]),
            4 => table[&key] = self.any(&names),
            _ => {
                table[&key] = match &below {
                    Some(schema) => self.of(schema, &names, 0),
                    None => self.any(&names),
                }
            }
        }
    }

    /// Adds a key that the table may have.
    fn insert(&mut self, table: &mut Table, schema: Option<&Json>, names: &[String]) {
        let mut known = Vec::new();
        if let Some(schema) = schema {
            properties(schema, &mut known);
        }
        if known.is_empty() {
            return;
        }
        let (key, schema) = *self.luck.pick(&known);
        let value = self.of(schema, names, 0);
        table.insert(key.clone(), value);
    }

    /// A value that fits a schema, or nearly fits it.
    fn of(&mut self, schema: &Json, names: &[String], depth: usize) -> Value {
        if let Some(examples) = schema["examples"].as_array().filter(|_| self.luck.one_in(3)) {
            return Value::try_from(self.luck.pick(examples)).expect("JSON without null is TOML");
        }
        for several in ["anyOf", "oneOf"] {
            if let Some(all) = schema[several].as_array() {
                let one = self.luck.pick(all).clone();
                return self.of(&one, names, depth);
            }
        }
        if let Some(words) = schema["enum"].as_array() {
            return Value::try_from(self.luck.pick(words)).expect("words and numbers");
        }
        match schema["type"].as_str() {
            Some("integer" | "number") => self.number(schema),
            Some("boolean") => Value::Boolean(self.luck.one_in(2)),
            Some("array") => {
                let places = match schema["prefixItems"].as_array() {
                    Some(places) => places.clone(),
                    None => vec![schema["items"].clone(); self.luck.below(4)],
                };
                Value::Array(places.iter().map(|item| self.of(item, names, depth + 1)).collect())
            }
            Some("object") => Value::Table(self.table(schema, names, depth)),
            Some("string") if !names.is_empty() && is_name(schema) => {
                let name = self.luck.pick(names);
                let is_member = schema["pattern"].as_str().is_some_and(|it| it.contains(".ap"));
                let end = if is_member && self.luck.one_in(3) { ".ap" } else { "" };
                Value::String(format!("{name}{end}"))
            }
            Some("string") => Value::String(self.quantity(schema)),
            _ => self.any(names),
        }
    }

    fn table(&mut self, schema: &Json, names: &[String], depth: usize) -> Table {
        let mut table = Table::new();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(&key.as_str()) || (depth < 3 && self.luck.one_in(5)) {
                table.insert(key.clone(), self.of(property, names, depth + 1));
            }
        }
        for (pattern, property) in schema["patternProperties"].as_object().into_iter().flatten() {
            for _ in 0..=self.luck.below(2) {
                let key = match units(pattern) {
                    Some(_) => self.quantity_like(pattern),
                    None => format!("n{}", self.luck.below(5)),
                };
                table.insert(key, self.of(property, names, depth + 1));
            }
        }
        table
    }

    fn number(&mut self, schema: &Json) -> Value {
        if schema["type"] == "number" {
            return Value::Float(*self.luck.pick(&[0.0, 1e-9, 0.001, 0.5, 1.0, 1.5, 2.25, 10.0]));
        }
        let bound = |key| schema[key].as_i64().unwrap_or(i64::MAX);
        let (least, most) = (bound("minimum"), bound("maximum"));
        let small = i64::try_from(self.luck.below(40)).expect("small");
        let choices = [least, most, least.saturating_sub(1), most.saturating_add(1), small, small];
        Value::Integer(*self.luck.pick(&choices))
    }

    fn quantity(&mut self, schema: &Json) -> String {
        match schema["pattern"].as_str() {
            Some(pattern) => self.quantity_like(pattern),
            None => (*self.luck.pick(&TEXTS)).to_owned(),
        }
    }

    fn quantity_like(&mut self, pattern: &str) -> String {
        let Some(units) = units(pattern) else { return (*self.luck.pick(&TEXTS)).to_owned() };
        let (unit, number) = (*self.luck.pick(&units), *self.luck.pick(&NUMBERS));
        let sign = if self.luck.one_in(6) { "-" } else { "" };
        format!("{sign}{number} {unit}")
    }

    /// A value of any kind.
    fn any(&mut self, names: &[String]) -> Value {
        match self.luck.below(8) {
            0 => Value::Integer(*self.luck.pick(&[0, 1, -1, i64::MAX, i64::MIN, 65_536])),
            1 => {
                Value::Float(*self.luck.pick(&[0.0, -1.0, 0.3, f64::MAX, f64::INFINITY, f64::NAN]))
            }
            2 => Value::Boolean(true),
            3 => Value::Array(Vec::new()),
            4 => Value::Table(Table::new()),
            5 if !names.is_empty() => Value::String(self.luck.pick(names).clone()),
            6 => {
                let donor = self.luck.pick(&self.corpus).clone();
                let keys: Vec<&String> = donor.keys().collect();
                donor[*self.luck.pick(&keys)].clone()
            }
            _ => Value::String((*self.luck.pick(&TEXTS)).to_owned()),
        }
    }
}

/// True if `schema` describes a name.
fn is_name(schema: &Json) -> bool {
    schema["pattern"].as_str().is_some_and(|pattern| pattern.starts_with("^[A-Za-z0-9_-]"))
}

/// Units that the pattern of a quantity allows.
fn units(pattern: &str) -> Option<Vec<&str>> {
    let (_, behind) = pattern.rsplit_once('(')?;
    let (units, _) = behind.split_once(')')?;
    Some(units.split('|').collect())
}

/// Schema of the key `key` in a table with the schema `schema`, in any of the alternatives.
fn child<'s>(schema: &'s Json, key: &str) -> Option<&'s Json> {
    let own = || schema["properties"].get(key);
    let named = || schema["patternProperties"].as_object()?.values().next();
    let alternatives = ["anyOf", "oneOf"].map(|several| schema[several].as_array());
    let below = || alternatives.into_iter().flatten().flatten().find_map(|one| child(one, key));
    own().or_else(named).or_else(below)
}

/// Keys of a table with the schema `schema`, in all of its alternatives.
fn properties<'s>(schema: &'s Json, known: &mut Vec<(&'s String, &'s Json)>) {
    known.extend(schema["properties"].as_object().into_iter().flatten());
    let alternatives = ["anyOf", "oneOf"].map(|several| schema[several].as_array());
    alternatives.into_iter().flatten().flatten().for_each(|one| properties(one, known));
}

fn check(text: &str) -> Result<DocumentOutcome, String> {
    let scenario = match Scenario::parse(text, &[]) {
        Ok(scenario) => scenario,
        Err(errors) => {
            for error in &errors {
                let line = error.to_string();
                if error.path.is_empty() && !error.problem.starts_with("more than 100 mistakes") {
                    return Err(format!("no address: {line}"));
                }
                if line.chars().any(|c| c.is_control() || c == '\u{202e}') {
                    return Err(format!("steers a terminal: {line:?}"));
                }
            }
            return Ok(DocumentOutcome::Refused);
        }
    };
    if Scenario::parse(&scenario.to_toml(), &[]).as_ref() != Ok(&scenario) {
        return Err("not read back as it was written".to_owned());
    }
    if is_heavy(&scenario) {
        return Ok(DocumentOutcome::Accepted { has_run: false });
    }
    let small = scenario.flows.len() <= 4 && scenario.stations.len() <= 4;
    let duration = Duration::from_millis(if small { 200 } else { 10 }).min(scenario.duration);
    let warmup = Duration::ZERO;
    let series_step = scenario.series_step.map(|step| step.max(Duration::from_millis(1)));
    let short = Scenario { duration, warmup, series_step, ..scenario };
    let outcome =
        run(&short, short.seed, 0, &Control::default()).map_err(|error| format!("{error:?}"))?;
    balance::check(&short, &outcome);
    Ok(DocumentOutcome::Accepted { has_run: true })
}

/// True if a few milliseconds of the scenario take seconds to simulate.
fn is_heavy(scenario: &Scenario) -> bool {
    const FAST: DataRate = DataRate::from_mbps(200);
    const SMALL: Bytes = Bytes::new(100);
    let packets = |flow: &airfair_sim::scenario::Flow| match &flow.transport {
        Transport::Tcp(tcp) => (tcp.sender.segment, None),
        Transport::Quic(quic) => (quic.sender.datagram, None),
        Transport::Tfrc(tfrc) => match tfrc.traffic {
            TfrcTraffic::Greedy | TfrcTraffic::Frames { .. } => (tfrc.segment, None),
            TfrcTraffic::Constant(rate) | TfrcTraffic::OnOff { rate, .. } => {
                (tfrc.segment, Some(rate))
            }
        },
        Transport::Udp { payload, rate } => match rate {
            UdpRate::Saturated | UdpRate::Live(_) => (*payload, None),
            UdpRate::Constant(rate) => (*payload, Some(*rate)),
        },
        Transport::External => (SMALL, None),
    };
    let is_fast = |flow: &airfair_sim::scenario::Flow| {
        let (size, rate) = packets(flow);
        size < SMALL || rate.is_some_and(|rate| rate > FAST)
    };
    scenario.flows.len() + scenario.stations.len() > 60
        || scenario.flows.iter().any(is_fast)
        || scenario.links.iter().any(|link| link.rate > FAST)
}

/// All scenario files of the project, and one with neighbours.
fn corpus() -> Vec<Table> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = files_in(&root.join("scenarios"));
    for paper in files_in(&root.join("experiments")) {
        files.extend(files_in(&paper));
    }
    files.sort();
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    let texts = texts.chain([include_str!("scenario/house.toml").to_owned()]);
    let scenarios = texts.filter(|text| Scenario::parse(text, &[]).is_ok());
    scenarios.map(|text| text.parse().expect("a scenario is TOML")).collect()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.expect("a readable directory").path()).collect()
}

#[test]
fn no_mutation_of_a_scenario_breaks_the_parser_or_a_run() {
    let mut mutator = Mutator { corpus: corpus(), schema: schema(), luck: luck() };
    assert!(mutator.corpus.len() > 20, "the scenarios of the project");
    let tally = hunt(FEW, || mutator.document(), check);
    // If all documents were refused by the first checks, the fuzzer would test only those.
    assert!(tally.accepted * 10 > tally.made && tally.ran * 20 > tally.made, "{tally:?}");
}
