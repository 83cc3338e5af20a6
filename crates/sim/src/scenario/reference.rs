//! The reference of the scenario file: one line per key.

use super::eras;
use super::keys::ROOT;
use super::kind::{Kind, Table, Tagged};
use super::schema::default_text;
use super::schemes::AP_SCHEME;

/// Sections that share kinds of tables: stations and cells have queues, hosts and links have losses.
const GROUPS: [&[&str]; 3] = [&["bss", "station"], &["host", "router", "link"], &["flow"]];

/// Keys of the scenario file as Markdown tables, for `docs/scenario.md`.
pub fn reference_markdown() -> String {
    let mut out = String::new();
    section(&mut out, "Top level", &ROOT);
    for group in GROUPS {
        let mut tagged = Vec::new();
        for name in group {
            section(&mut out, &format!("`[{name}.NAME]`"), named(name));
        }
        // Tables of stations come first, because they are looked up most often.
        group.iter().rev().for_each(|name| collect(named(name), &mut tagged));
        for (key, tagged) in tagged {
            for (word, table) in tagged.variants {
                section(&mut out, &heading(key, tagged, word, table), table);
            }
        }
    }
    out
}

/// Table of keys in the section `name`.
fn named(name: &str) -> &'static Table {
    let key = ROOT.keys.iter().find(|key| key.name == name);
    match key.expect("a section").kind {
        Kind::Named(table) => table,
        _ => unreachable!("a section has a name"),
    }
}

/// Collects the groups of alternative tables, told apart by the word of a key such as `kind`, that keys of `table` or
/// of tables below it hold. Each group is collected once.
fn collect(table: &'static Table, out: &mut Vec<(&'static str, &'static Tagged)>) {
    for key in table.keys {
        below(key.name, &key.kind, out);
    }
}

fn below(key: &'static str, kind: &'static Kind, out: &mut Vec<(&'static str, &'static Tagged)>) {
    match kind {
        Kind::Table(table) => collect(table, out),
        Kind::Either(kinds) => kinds.iter().for_each(|kind| below(key, kind, out)),
        Kind::Tagged(tagged) if !out.iter().any(|known| known.1.noun == tagged.noun) => {
            out.push((key, tagged));
            tagged.variants.iter().for_each(|(_, table)| collect(table, out));
        }
        _ => {}
    }
}

fn heading(key: &str, tagged: &Tagged, word: &str, table: &Table) -> String {
    let whose = match word {
        "fifo" => " of a station or an access point",
        "airtime" | "airtime-dualpi2" | "time-regulator" => " of an access point",
        _ if tagged.noun == AP_SCHEME => " of an access point",
        _ => "",
    };
    let more = if table.keys.len() > 1 { ", …" } else { "" };
    match tagged.otherwise {
        Some(name) if name == word => format!("`{key} = {{ … }}`{whose}"),
        _ => format!("`{key} = {{ {} = \"{word}\"{more} }}`{whose}", tagged.key),
    }
}

fn section(out: &mut String, heading: &str, table: &Table) {
    out.push_str(if out.is_empty() { "" } else { "\n" });
    out.extend(["## ", heading, "\n\n"]);
    out.push_str("| key | value | default | example | meaning |\n|---|---|---|---|---|\n");
    rows(out, heading, "", table);
}

fn rows(out: &mut String, heading: &str, prefix: &str, table: &Table) {
    for key in table.keys {
        let name = format!("{prefix}{}", key.name);
        let example =
            if key.example.is_empty() { String::new() } else { format!("`{}`", key.example) };
        let default = default_text(key) + &of_today(heading, &name);
        let cells = [key.kind.describe(), default, example, key.doc.to_owned()];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        out.extend(["| `", &name, "` | ", &cells.join(" | "), " |\n"]);
        if let Some(inner) = inner(&key.kind) {
            rows(out, heading, &format!("{name}."), inner);
        }
    }
}

/// Words on the default of a key in cells of 802.11n and later, for the reference; empty if all cells have the same
/// one.
fn of_today(heading: &str, name: &str) -> String {
    let defaults: Vec<String> = eras::defaults_of(heading, name)
        .map(|(value, whose)| format!("`{}`{whose}", value.trim_matches('"')))
        .collect();
    if defaults.is_empty() {
        return String::new();
    }
    format!("; in 802.11n and later {}", defaults.join(", "))
}

/// Table of keys that a key of this kind holds.
fn inner(kind: &Kind) -> Option<&'static Table> {
    match kind {
        Kind::Table(table) => Some(table),
        Kind::Either(kinds) => kinds.iter().find_map(inner),
        _ => None,
    }
}
