//! The file as a tree of values, each with its position.
//!
//! The TOML parser recovers from syntax errors, so that all of them are reported at once. If there are any, nothing
//! else is reported: what could not be parsed would otherwise appear as missing keys.

use std::fmt::Write as _;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Mistakes, ScenarioError};

/// A TOML value with its position in the file.
#[derive(Debug)]
pub(super) struct Node {
    /// Offset of the value's key in the file, or of the value itself in an array.
    pub(super) at: usize,
    pub(super) value: Value,
}

/// TOML value.
#[derive(Debug)]
pub(super) enum Value {
    /// Table; its keys are in the order of the file.
    Table(Vec<(String, Node)>),
    Array(Vec<Node>),
    Text(String),
    /// Integer; `None` if it does not fit into 128 bits.
    Integer(Option<i128>),
    /// Floating-point number, as written.
    Float(String),
    Flag(bool),
    /// Date or time of day, as written.
    Date(String),
}

/// Longest rendering of a value in a message [characters].
const SHOWN: usize = 60;

/// Number of syntax errors after which the rest is not reported, because the file is probably no scenario.
const MOST_ERRORS: usize = 100;

impl Node {
    /// The value as it is shown in a message: one line, shortened.
    pub(super) fn shown(&self) -> String {
        let mut text = String::new();
        self.show(&mut text);
        if text.chars().count() > SHOWN {
            text = text.chars().take(SHOWN - 1).collect();
            text.push('…');
        }
        text
    }

    /// Adds an empty table under the key `section` to this table, if this table lacks the key.
    pub(super) fn permit_missing(&mut self, section: &str) {
        let Value::Table(entries) = &mut self.value else { return };
        if entries.iter().all(|(name, _)| name != section) {
            let empty = Node { at: self.at, value: Value::Table(Vec::new()) };
            entries.push((section.to_owned(), empty));
        }
    }

    fn show(&self, out: &mut String) {
        let written = match &self.value {
            // A long list is cut anyway, so megabytes of it are not rendered first.
            _ if out.len() > 4 * SHOWN => Ok(()),
            Value::Text(text) => {
                let head: String = text.chars().take(SHOWN + 1).collect();
                write!(out, "{head:?}")
            }
            Value::Integer(Some(number)) => write!(out, "{number}"),
            Value::Integer(None) => write!(out, "a huge number"),
            Value::Float(text) | Value::Date(text) => write!(out, "{text}"),
            Value::Flag(flag) => write!(out, "{flag}"),
            Value::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().take(SHOWN).enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    item.show(out);
                }
                write!(out, "]")
            }
            Value::Table(entries) => {
                out.push('{');
                for (i, (name, node)) in entries.iter().take(SHOWN).enumerate() {
                    let name: String = name.chars().take(SHOWN).collect();
                    out.push_str(if i == 0 { " " } else { ", " });
                    out.push_str(&name);
                    out.push_str(" = ");
                    node.show(out);
                }
                write!(out, " }}")
            }
        };
        written.expect("a String takes any text");
    }

    /// Name of the value's type in a message.
    pub(super) fn type_name(&self) -> &'static str {
        match self.value {
            Value::Table(_) => "table",
            Value::Array(_) => "array",
            Value::Text(_) => "string",
            Value::Integer(_) => "integer",
            Value::Float(_) => "number with a fraction",
            Value::Flag(_) => "boolean",
            Value::Date(_) => "date",
        }
    }
}

/// Parses a TOML text. Returns `None` if it has syntax errors.
pub(super) fn parse(text: &str, mistakes: &mut Mistakes) -> Option<Node> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Some(Node { at: 0, value: table_value(table.get_ref(), 0) });
    }
    let mut errors: Vec<Syntax> = errors.iter().map(|error| Syntax::new(text, error)).collect();
    errors.sort_by_key(|error| error.span.start);
    // After an unclosed bracket the parser guesses. Errors that follow from its guesses are not the user's.
    let lost = errors.iter().take(MOST_ERRORS).position(|error| !error.is_local(text));
    errors.truncate(lost.map_or(MOST_ERRORS, |first| first + 1));
    let mut redefined = 0..0;
    let mut told = 0..0;
    for error in &errors {
        let duplicate = error.message == "duplicate key";
        if duplicate && redefined.contains(&error.span.start) {
            // The keys of a section that occurs twice are duplicates for that reason.
            continue;
        }
        if duplicate && error.line(text).trim_start().starts_with('[') {
            let end = text[error.span.start..].find("\n[").map(|n| error.span.start + n);
            redefined = error.span.end..end.unwrap_or(text.len());
        }
        if !told.contains(&error.span.start) {
            mistakes.add(error.span.start, error.report(text));
        }
        if !duplicate && !error.is_unquoted() {
            // One wrong quote in a line often causes several errors.
            let line = error.span.start - error.before(text).len();
            told = line..line + error.line(text).len() + 1;
        }
    }
    None
}

/// Parses one value, as it could follow `=`. A text that is no TOML value is taken as a string.
pub(super) fn parse_value(text: &str, at: usize) -> Node {
    match DeValue::parse(text) {
        Ok(value) => node(&value, at, Some(at)),
        Err(_) => Node { at, value: Value::Text(text.to_owned()) },
    }
}

fn node(value: &Spanned<DeValue>, base: usize, key: Option<usize>) -> Node {
    let at = key.unwrap_or(base + value.span().start);
    let value = match value.get_ref() {
        DeValue::Table(table) => table_value(table, base),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| node(item, base, None)).collect())
        }
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(n) => Value::Integer(i128::from_str_radix(n.as_str(), n.radix()).ok()),
        DeValue::Float(number) => Value::Float(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
    };
    Node { at, value }
}

fn table_value(table: &DeTable, base: usize) -> Value {
    let mut entries: Vec<(String, Node)> = table
        .iter()
        .map(|(key, value)| {
            let at = Some(base + key.span().start);
            (key.get_ref().to_string(), node(value, base, at))
        })
        .collect();
    entries.sort_by_key(|(_, node)| node.at);
    Value::Table(entries)
}

/// A syntax error that the TOML parser reports.
struct Syntax {
    span: Range<usize>,
    message: String,
}

impl Syntax {
    fn new(text: &str, error: &toml::de::Error) -> Self {
        let span = error.span().unwrap_or(0..0);
        let clamp = |n: usize| text.floor_char_boundary(n.min(text.len()));
        Self { span: clamp(span.start)..clamp(span.end), message: error.message().to_owned() }
    }

    /// True if the error is confined to one value, so that the parser knows where the next value begins.
    fn is_local(&self, text: &str) -> bool {
        let starts = |message| self.message.starts_with(message);
        if starts("invalid basic string") || starts("invalid literal string") {
            // Only a plain `key = "…` ends with its line.
            let (key, value) = self.before(text).split_once('=').unwrap_or(("[", ""));
            return !key.contains(['[', '{', '"', '\'']) && !value.contains(['[', '{', '=']);
        }
        self.message == "duplicate key" || self.is_unquoted()
    }

    /// True if an unquoted word stands in place of a value. The parser takes words that begin with t or f for
    /// booleans.
    fn is_unquoted(&self) -> bool {
        let message = &self.message;
        message.starts_with("string values must be quoted")
            || message.starts_with("invalid boolean")
    }

    /// Part of the line in front of the syntax error.
    fn before<'t>(&self, text: &'t str) -> &'t str {
        let start = text[..self.span.start].rfind('\n').map_or(0, |n| n + 1);
        &text[start..self.span.start]
    }

    /// Offsets of the value that contains the syntax error.
    fn word(&self, text: &str) -> Range<usize> {
        let line = self.line(text);
        let (before, behind) = line.split_at(self.before(text).len());
        let start = before.rfind(['=', ',', '[', '{']).map_or(0, |n| n + 1);
        let end = before.len() + behind.find([',', ']', '}', '#']).unwrap_or(behind.len());
        let start = start + line[start..end].len() - line[start..end].trim_start().len();
        let offset = self.span.start - before.len();
        offset + start..offset + start + line[start..end].trim_end().len()
    }

    fn line<'t>(&self, text: &'t str) -> &'t str {
        let start = self.span.start - self.before(text).len();
        let end = text[self.span.start..].find('\n').map_or(text.len(), |n| self.span.start + n);
        text[start..end].trim_end_matches('\r')
    }

    fn report(&self, text: &str) -> ScenarioError {
        let line = text[..self.span.start].matches('\n').count() + 1;
        let is_value = self.is_unquoted() || self.message.starts_with("invalid float");
        let value = if is_value { self.word(text) } else { self.span.clone() };
        let start = self.span.start - self.before(text).len();
        let column = text[start..value.start].chars().count() + 1;
        let clip = |text: &str, length: usize| text.chars().take(length).collect::<String>();
        let (message, allowed) = match self.message.split_once(", expected ") {
            Some((message, expected)) => (message, format!("here: {expected}")),
            None => (self.message.as_str(), String::new()),
        };
        let path = format!("line {line}, column {column}");
        if message == "duplicate key" {
            let key = clip(&text[value], 80);
            return ScenarioError {
                path,
                found: String::new(),
                problem: format!("the name {key} is given twice"),
                allowed: "each name once".to_owned(),
            };
        }
        if is_value {
            let value = clip(&text[value], SHOWN);
            let (problem, allowed) = (format!("{value} without quotes"), format!("\"{value}\""));
            return ScenarioError { path, found: String::new(), problem, allowed };
        }
        let found = clip(self.line(text).trim(), SHOWN);
        let problem = if found.is_empty() {
            format!("not TOML: {message}")
        } else {
            format!("not TOML: {message} in `{found}`")
        };
        ScenarioError { path, found: String::new(), problem, allowed }
    }
}
