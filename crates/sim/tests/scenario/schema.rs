//! Tests that the JSON Schema accepts the example files. A small validator checks structure only.

use airfair_sim::scenario::{Scenario, schema};
use serde_json::{Value, json};

const FILES: [&str; 10] = [
    include_str!("../../../../scenarios/one-slow-station.toml"),
    include_str!("../../../../scenarios/one-slow-station-arf-aware.toml"),
    include_str!("../../../../scenarios/saturated-cell.toml"),
    include_str!("../../../../scenarios/b-station-in-a-g-cell.toml"),
    include_str!("../../../../scenarios/download.toml"),
    include_str!("../../../../scenarios/airtime-fair-access-point.toml"),
    include_str!("../../../../scenarios/home-far-laptop.toml"),
    include_str!("../../../../scenarios/classroom.toml"),
    include_str!("../../../../scenarios/b-and-n-clients.toml"),
    include_str!("../../../../scenarios/ofdma.toml"),
];

/// True if `value` satisfies the schema's keywords; patterns accept any text.
fn accepts(schema: &Value, value: &Value) -> bool {
    let all = |key: &str| schema[key].as_array().into_iter().flatten();
    let typed = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some(other) => panic!("the validator does not know the type {other}"),
        None => true,
    };
    let within = value.as_u64().is_none_or(|number| {
        schema["minimum"].as_u64().is_none_or(|min| number >= min)
            && schema["maximum"].as_u64().is_none_or(|max| number <= max)
    });
    let listed = schema["enum"].is_null() || all("enum").any(|word| word == value);
    let any = schema["anyOf"].is_null() || all("anyOf").any(|schema| accepts(schema, value));
    let one = schema["oneOf"].is_null()
        || all("oneOf").filter(|schema| accepts(schema, value)).count() == 1;
    let required = !value.is_object()
        || all("required").all(|key| value.get(key.as_str().expect("a key")).is_some());
    typed && within && listed && any && one && required && members(schema, value)
}

fn members(schema: &Value, value: &Value) -> bool {
    let pattern = schema["patternProperties"].as_object().and_then(|all| all.values().next());
    let closed = schema["additionalProperties"] == json!(false);
    let entries = value.as_object().into_iter().flatten().all(|(key, value)| {
        let property = schema["properties"].get(key).or(pattern);
        property.map_or(!closed, |property| accepts(property, value))
    });
    let items = value.as_array().into_iter().flatten().enumerate().all(|(i, value)| {
        match (schema["prefixItems"].get(i), &schema["items"]) {
            (Some(item), _) | (None, item @ Value::Object(_)) => accepts(item, value),
            (None, item) => *item != json!(false),
        }
    });
    entries && items
}

fn as_json(text: &str) -> Value {
    serde_json::to_value(text.parse::<toml::Table>().expect("TOML")).expect("JSON")
}

#[test]
fn the_schema_accepts_every_example_in_short_and_in_full() {
    let schema = schema();
    for text in FILES {
        assert!(accepts(&schema, &as_json(text)), "{text}");
        let full = Scenario::parse(text, &[]).expect("an example is right").to_toml();
        assert!(accepts(&schema, &as_json(&full)), "{full}");
    }
}

#[test]
fn the_schema_refuses_what_the_parser_refuses_for_its_structure() {
    let schema = schema();
    for (from, to) in [
        ("duration", "duratoin"),
        ("[station.fast]\nrate = \"11 Mb/s\"", "[station.fast]\nrate = 11"),
        ("[bss.home]", "[bsss.home]"),
        ("\"802.11b\"", "\"802.11x\""),
        ("kind = \"tcp\"", "kind = \"tcp\", payload = \"1 B\""),
        ("kind = \"tcp\"", "kind = \"tcp\", initial_window = 0"),
        ("[\"20 s\", \"1 Mb/s\"]", "[\"20 s\"]"),
    ] {
        let text = FILES[0].replacen(from, to, 1);
        assert_ne!(text, FILES[0], "{from}");
        assert!(Scenario::parse(&text, &[]).is_err(), "{text}");
        // Only `minItems`, which this validator ignores, would refuse a short pair.
        assert!(!accepts(&schema, &as_json(&text)) || to.ends_with("s\"]"), "{text}");
    }
}

#[test]
fn the_schema_is_a_closed_draft_2020_12_schema() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["properties"]["warmup"]["default"], "0 s");
    assert_eq!(schema["required"], json!(["duration", "flow"]));
}
