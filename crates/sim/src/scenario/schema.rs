//! The JSON Schema of the scenario file, for editors and other programs.

use airfair_units::Decibels;
use serde_json::{Map, Value, json};

use super::keys::ROOT;
use super::kind::{
    Absent, Key, Kind, MAX_NAME, MAX_TITLE, MAX_WINDOW, Plain, RANGE, Table, Tagged,
};

/// JSON Schema (draft 2020-12) of the scenario file.
///
/// The schema describes keys, types, units and ranges. Only [`Scenario::parse`](super::Scenario::parse) checks across
/// keys.
pub fn schema() -> Value {
    let mut schema = object(&ROOT);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("airfair scenario");
    schema["description"] = json!(
        "Defaults are those of cells up to 802.11g. For 802.11n and later, some keys of TCP, queues and wires have \
         other defaults: `airfair run --explain` prints them."
    );
    schema
}

fn object(table: &Table) -> Value {
    let properties: Map<String, Value> =
        table.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<&str> = table
        .keys
        .iter()
        .filter(|key| matches!(key.absent, Absent::Required))
        .map(|key| key.name)
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(key: &Key) -> Value {
    let mut schema = of_kind(&key.kind);
    schema["description"] = json!(key.doc);
    if !key.example.is_empty() {
        let example: toml::Table =
            format!("{} = {}", key.name, key.example).parse().expect("declared in TOML");
        schema["examples"] = json!([example[key.name]]);
    }
    match &key.absent {
        Absent::Required if matches!(key.kind, Kind::Named(_)) => {
            schema["minProperties"] = json!(1);
        }
        Absent::Required => {}
        Absent::Is(plain) => schema["default"] = json_of(*plain),
        Absent::Defaults => schema["default"] = default_of(&key.kind),
        Absent::Follows(what) => {
            schema["description"] = json!(format!("{} Default: {what}.", key.doc));
        }
    }
    schema
}

fn of_kind(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string", "maxLength": MAX_TITLE }),
        Kind::Name => json!({ "type": "string", "pattern": name_pattern("") }),
        Kind::Member => json!({ "type": "string", "pattern": name_pattern("(\\.ap)?") }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Decimal { min, max } => {
            let bound = |number: &u64| json_of(Plain::Decimal(*number));
            json!({ "type": "number", "minimum": bound(min), "maximum": bound(max) })
        }
        Kind::Probability => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Window => {
            let windows: Vec<u16> = (1..=15).map(|k| MAX_WINDOW >> (15 - k)).collect();
            json!({ "enum": windows })
        }
        Kind::Duration { .. } | Kind::Durations(_) => quantity("ns|us|µs|ms|s|min|h"),
        Kind::Bytes { .. } => quantity("B|kB|KiB|MB|MiB|GB|GiB"),
        Kind::Rate => quantity(RATE_UNITS),
        Kind::LinkRate => json!({ "type": "string", "pattern": rate_or_name() }),
        Kind::Power { .. } => signed_quantity("dBm"),
        Kind::Length { .. } => signed_quantity("mm|m|km"),
        Kind::Speed { .. } => signed_quantity("m/s"),
        Kind::Frequency { .. } => quantity("Hz|kHz|MHz|GHz"),
        Kind::Decibels { .. } => signed_quantity("dB"),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::List(item) => json!({ "type": "array", "items": of_kind(item) }),
        Kind::Tuple(tuple) => json!({
            "type": "array",
            "prefixItems": tuple.items.iter().map(of_kind).collect::<Vec<_>>(),
            "items": false,
            "minItems": tuple.items.len(),
        }),
        Kind::Ranges => json!({
            "type": "object",
            "patternProperties": { rate_or_name(): of_kind(&RANGE) },
            "additionalProperties": false,
        }),
        Kind::Table(table) => object(table),
        Kind::Named(table) => json!({
            "type": "object",
            "patternProperties": { name_pattern(""): object(table) },
            "additionalProperties": false,
        }),
        Kind::Tagged(tagged) => {
            let all: Vec<Value> =
                tagged.variants.iter().map(|(tag, table)| variant(tagged, tag, table)).collect();
            json!({ "oneOf": all })
        }
        Kind::Either(kinds) => {
            let all: Vec<Value> = kinds.iter().map(of_kind).collect();
            json!({ "anyOf": all })
        }
    }
}

/// Schema of one of several tagged tables. At most one of them may omit the tag.
fn variant(tagged: &Tagged, tag: &str, table: &Table) -> Value {
    let mut schema = object(table);
    let required = schema["required"].as_array_mut().expect("a list of keys");
    let key = json!(tagged.key);
    if tagged.otherwise != Some(tag) && !required.contains(&key) {
        required.push(key);
    }
    schema
}

/// Pattern of a name, with the pattern `end` behind it.
fn name_pattern(end: &str) -> String {
    format!("^[A-Za-z0-9_-]{{1,{MAX_NAME}}}{end}$")
}

fn quantity(units: &str) -> Value {
    number_with("", units)
}

fn signed_quantity(units: &str) -> Value {
    number_with("-?", units)
}

/// Pattern of a rate with its unit, or of the name of a rate.
fn rate_or_name() -> String {
    let names = "ht-mcs[0-9]{1,2}|(vht|he)-mcs[0-9]{1,2}x[1-8]";
    format!("{}|^({names})$", pattern("", RATE_UNITS))
}

const RATE_UNITS: &str = "b/s|kb/s|Mb/s|Gb/s";

fn number_with(sign: &str, units: &str) -> Value {
    json!({ "type": "string", "pattern": pattern(sign, units) })
}

fn pattern(sign: &str, units: &str) -> String {
    format!("^\\s*{sign}([0-9]+\\.?[0-9]*|\\.[0-9]+)\\s*({units})\\s*$")
}

/// Scalar value as JSON; a quantity or a word is a string.
fn json_of(plain: Plain) -> Value {
    match plain {
        Plain::Text(text) => json!(text),
        Plain::Flag(flag) => json!(flag),
        Plain::Integer(number) => json!(number),
        Plain::Probability(p) => json!(p.get()),
        Plain::Decimal(number) => json!(Decibels::from_thousandths(number.cast_signed()).get()),
        quantity => json!(quantity.to_string().trim_matches('"')),
    }
}

/// Default of a key that holds a list or a table, as JSON: empty, or with the defaults of the table's keys.
fn default_of(kind: &Kind) -> Value {
    let Kind::Table(table) = kind else {
        return if matches!(kind, Kind::List(_)) { json!([]) } else { json!({}) };
    };
    let defaults = table.keys.iter().filter_map(|key| {
        let value = match &key.absent {
            Absent::Is(plain) => json_of(*plain),
            Absent::Defaults => default_of(&key.kind),
            Absent::Required | Absent::Follows(_) => return None,
        };
        Some((key.name.to_owned(), value))
    });
    Value::Object(defaults.collect())
}

/// Default of a key as it would be written in the file, or in words.
pub(super) fn default_text(key: &Key) -> String {
    match &key.absent {
        Absent::Required => "required".to_owned(),
        Absent::Is(plain) => format!("`{}`", json_of(*plain)),
        Absent::Defaults if matches!(key.kind, Kind::List(_)) => "`[]`".to_owned(),
        Absent::Defaults if matches!(key.kind, Kind::Named(_)) => "none".to_owned(),
        Absent::Defaults => "the defaults of its keys".to_owned(),
        Absent::Follows(what) => (*what).to_owned(),
    }
}
