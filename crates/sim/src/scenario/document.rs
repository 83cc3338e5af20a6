//! The text as a tree that remembers where each key stood.
//!
//! The TOML parser recovers from mistakes of syntax, so that all of them come at once. They come alone: what
//! could not be read is not what the user meant, and would look like something missing.

use std::fmt::Write as _;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Mistakes, ScenarioError};

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    /// Offset of its key, or of the value itself in an array.
    pub(super) at: usize,
    /// The value.
    pub(super) value: Value,
}

/// Value of TOML.
#[derive(Debug)]
pub(super) enum Value {
    /// Keys in the order of the file.
    Table(Vec<(String, Node)>),
    /// Values in order.
    Array(Vec<Node>),
    /// A text.
    Text(String),
    /// A whole number; `None` if it is too large for anything.
    Integer(Option<i128>),
    /// A number with a fraction, as written.
    Float(String),
    /// `true` or `false`.
    Flag(bool),
    /// A date or a time of day, as written.
    Date(String),
}

/// Longest rendering of a value in a message [characters].
const SHOWN: usize = 60;

/// Syntax errors after which a file is no scenario, and the rest of it not worth a message each.
const MOST_ERRORS: usize = 100;

impl Node {
    /// The value as a message shows it: one line, shortened.
    pub(super) fn shown(&self) -> String {
        let mut text = String::new();
        self.show(&mut text);
        if text.chars().count() > SHOWN {
            text = text.chars().take(SHOWN - 1).collect();
            text.push('…');
        }
        text
    }

    /// Gives a table an empty section, if it has none of this name.
    pub(super) fn permit_missing(&mut self, section: &str) {
        let Value::Table(entries) = &mut self.value else { return };
        if entries.iter().all(|(name, _)| name != section) {
            let empty = Node { at: self.at, value: Value::Table(Vec::new()) };
            entries.push((section.to_owned(), empty));
        }
    }

    fn show(&self, out: &mut String) {
        let written = match &self.value {
            // A long list is cut anyway: do not render megabytes of it first.
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

    /// Kind of value, as a message names it.
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

/// Reads a TOML text, unless it has mistakes of syntax.
pub(super) fn parse(text: &str, mistakes: &mut Mistakes) -> Option<Node> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Some(Node { at: 0, value: table_value(table.get_ref(), 0) });
    }
    let mut errors: Vec<Syntax> = errors.iter().map(|error| Syntax::new(text, error)).collect();
    errors.sort_by_key(|error| error.span.start);
    // Behind an unclosed bracket the parser guesses, and its guesses are not the user's mistakes.
    let lost = errors.iter().take(MOST_ERRORS).position(|error| !error.is_local(text));
    errors.truncate(lost.map_or(MOST_ERRORS, |first| first + 1));
    let mut redefined = 0..0;
    let mut told = 0..0;
    for error in &errors {
        let duplicate = error.message == "duplicate key";
        if duplicate && redefined.contains(&error.span.start) {
            // Keys of a section that is there twice are there twice for that reason.
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
            // One slip in the quotes of a line often looks like several.
            let line = error.span.start - error.before(text).len();
            told = line..line + error.line(text).len() + 1;
        }
    }
    None
}

/// Reads one value, as it would stand behind `=`; anything else is taken as a text.
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

/// One complaint of the TOML parser.
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

    /// True if the parser knows for sure where it can go on.
    fn is_local(&self, text: &str) -> bool {
        let starts = |message| self.message.starts_with(message);
        if starts("invalid basic string") || starts("invalid literal string") {
            // Only a plain `key = "…` ends with its line.
            let (key, value) = self.before(text).split_once('=').unwrap_or(("[", ""));
            return !key.contains(['[', '{', '"', '\'']) && !value.contains(['[', '{', '=']);
        }
        self.message == "duplicate key" || self.is_unquoted()
    }

    /// True if a word stands where a value belongs; one that begins with t or f looks like a boolean.
    fn is_unquoted(&self) -> bool {
        let message = &self.message;
        message.starts_with("string values must be quoted")
            || message.starts_with("invalid boolean")
    }

    /// The line up to the mistake.
    fn before<'t>(&self, text: &'t str) -> &'t str {
        let start = text[..self.span.start].rfind('\n').map_or(0, |n| n + 1);
        &text[start..self.span.start]
    }

    /// The value in which the mistake is, by its offsets.
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
