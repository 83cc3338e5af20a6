//! Report of the doctor as a table of 80 columns, and as a JSON document.

use std::fmt::Write;

use airfair_units::printable::escaped;
use serde_json::{Value, json};

use super::finding::Findings;
use super::schemes::{Missing, Verdict};
use super::seen::Place;
use crate::configuration::Role;

/// Width of the table.
const WIDTH: usize = 80;
/// Widths of the columns before the text: what is asked, and the answer.
const ASKED: usize = 20;
const ANSWER: usize = 9;
/// Widths of the columns of a scheme before the text.
const SCHEME: usize = 17;
const ROLE: usize = 14;

fn name(role: Role) -> &'static str {
    match role {
        Role::AccessPoint => "access point",
        Role::Station => "station",
    }
}

/// The report as a JSON document.
pub fn document(findings: &Findings, place: Option<&Place>, schemes: &[Verdict]) -> Value {
    json!({
        "document": "agent-doctor",
        "schema": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "interface": place.map(|it| json!({"name": it.name, "role": it.role})),
        "findings": findings,
        "schemes": schemes,
    })
}

/// The report as a table.
pub fn table(findings: &Findings, place: Option<&Place>, schemes: &[Verdict]) -> String {
    let mut text = match place {
        Some(it) => format!("Place: {}, {}.\n\n", escaped(&it.name), name(it.role)),
        None => "There is no wireless interface.\n\n".to_owned(),
    };
    for it in findings.iter() {
        let head = format!("{:ASKED$}{:ANSWER$}", it.subject.name(), it.answer.word());
        let remedy = it.remedy.as_ref().map(|it| format!("to do: {it}"));
        let parts = [Some(it.detail.clone()), remedy];
        let parts = parts.into_iter().flatten().filter(|it| !it.is_empty());
        rows(&mut text, &head, &parts.collect::<Vec<_>>());
    }
    let _ = writeln!(text, "\n{:SCHEME$}{:ROLE$}{:ANSWER$}means", "scheme", "role", "acts");
    for it in schemes {
        let head =
            format!("{:SCHEME$}{:ROLE$}{:ANSWER$}", it.scheme, name(it.role), it.acts.word());
        let reason = |Missing { what, remedy }: &Missing| match remedy {
            Some(remedy) => format!("{what}; to do: {remedy}"),
            None => what.clone(),
        };
        let mut parts: Vec<String> = it.missing.iter().map(reason).collect();
        if parts.is_empty() {
            parts.push(format!("by {}", it.means));
        }
        rows(&mut text, &head, &parts);
    }
    text
}

/// Appends a row whose texts begin on lines of their own beside the head.
fn rows(to: &mut String, head: &str, texts: &[String]) {
    let width = head.chars().count();
    let lines: Vec<String> = texts.iter().flat_map(|it| wrapped(it, WIDTH - width)).collect();
    let first = lines.first().map_or("", |it| it);
    let _ = writeln!(to, "{}", format!("{head}{first}").trim_end());
    for line in lines.iter().skip(1) {
        let _ = writeln!(to, "{:width$}{line}", "");
    }
}

/// Lines of at most `width` characters, broken between words where possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in escaped(text).split_whitespace() {
        let mut rest: Vec<char> = word.chars().collect();
        while !rest.is_empty() {
            let used = lines.last().map_or(0, |it| it.chars().count());
            let gap = usize::from(used > 0);
            if used > 0 && used + gap + rest.len() > width {
                lines.push(String::new());
                continue;
            }
            let part: String = rest.drain(..rest.len().min(width - used - gap)).collect();
            if let Some(line) = lines.last_mut() {
                line.push_str(&" "[..gap]);
                line.push_str(&part);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::{Subject, verdicts};

    fn findings() -> Findings {
        let mut findings = Findings::default();
        findings.add(Subject::Linux, true, "this is 6.1.0");
        findings.add(Subject::Btf, false, "word ".repeat(30));
        findings.remedy("x".repeat(200));
        findings
    }

    #[test]
    fn every_line_of_the_table_fits_80_columns() {
        let place = Place { name: "wlan0".into(), role: Role::Station };
        let verdicts = verdicts(&findings(), Some(&place));
        let text = table(&findings(), Some(&place), &verdicts);
        let longest = text.lines().map(|it| it.chars().count()).max();
        assert_eq!(longest, Some(WIDTH), "{text}");
        assert!(text.starts_with("Place: wlan0, station.\n"), "{text}");
        assert!(text.contains("\nLinux 6.1 or later  yes      this is 6.1.0\n"), "{text}");
        assert!(text.contains("\ndata-ack         access point  no       wlan0 is a station; to"));
        assert!(!text.lines().any(|it| it.ends_with(' ')));
    }

    #[test]
    fn words_are_broken_only_if_they_must_be() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("a abcdefgh", 4), ["a", "abcd", "efgh"]);
        assert_eq!(wrapped("\u{1b}[2J", 20), ["\\u{1b}[2J"]);
    }

    #[test]
    fn the_document_has_all_findings_and_verdicts() {
        let document = document(&findings(), None, &verdicts(&findings(), None));
        assert_eq!(document["document"], "agent-doctor");
        assert_eq!(document["interface"], Value::Null);
        assert_eq!(document["findings"][1]["subject"], "btf");
        assert_eq!(document["findings"][1]["answer"], "no");
        assert_eq!(document["schemes"][2]["role"], "access-point");
        assert_eq!(document["schemes"][2]["acts"], "no");
    }
}
