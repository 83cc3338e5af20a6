//! Configuration in OpenWrt's form, UCI: `/etc/config/airfair`.
//!
//! A section `config agent` has the keys at the top of the TOML file, and a section with the name of
//! a table has the keys of this table. An option `enabled` of the first is for the init script.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor, value::Error};
use serde::forward_to_deserialize_any;

/// Type of the section with the keys at the top.
const TOP: &str = "agent";
/// Option that only the init script reads.
const ENABLED: &str = "enabled";

/// True if a text is in the form of UCI. No TOML begins with these words.
pub(super) fn is_uci(text: &str) -> bool {
    let begins = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let first =
        text.lines().map(str::trim).find(begins).and_then(|it| it.split_whitespace().next());
    matches!(first, Some("config" | "package"))
}

/// Parses a configuration in the form of UCI into the structure that TOML fills.
///
/// # Errors
/// Returns an error with the line and the option that are wrong.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    let mut sections: BTreeMap<String, Entry> = BTreeMap::new();
    let mut current = None;
    for (number, line) in (1..).zip(text.lines()) {
        let words = words(line).map_err(|error| anyhow!("line {number}: {error}"))?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match (&words[..], &mut current) {
            ([] | ["package", _], _) => {}
            (["config", kind] | ["config", kind, _], _) => {
                if let Some(other) = sections.get(*kind) {
                    bail!(
                        "line {number}: config {kind}: there is one already ({}); allowed is one",
                        other.place
                    );
                }
                let section = Entry::new(
                    format!("line {number}: config {kind}"),
                    Content::Table(BTreeMap::new()),
                );
                sections.insert((*kind).to_owned(), section);
                current = Some((*kind).to_owned());
            }
            ([form @ ("option" | "list"), name, value], Some(section)) => {
                let section = sections.get_mut(section).expect("it was put there");
                section.add(number, form, name, value)?;
            }
            (["option" | "list", ..], None) => {
                bail!("line {number}: no line config {TOP} is above this one")
            }
            ([word, ..], _) => bail!(
                "line {number}: {word}: not understood; allowed are config TYPE, option NAME 'VALUE' and list NAME 'VALUE'"
            ),
        }
    }
    let mut top = match sections.remove(TOP).map(|it| it.content) {
        Some(Content::Table(options)) => options,
        _ => BTreeMap::new(),
    };
    top.remove(ENABLED).map(bool::deserialize).transpose()?;
    for (kind, section) in sections {
        ensure!(!top.contains_key(&kind), "{}: is also an option of config {TOP}", section.place);
        top.insert(kind, section);
    }
    Ok(T::deserialize(Entry::new(format!("config {TOP}"), Content::Table(top)))?)
}

/// Splits a line into words. Quotes and backslashes work as in a shell, and `#` begins a comment.
fn words(line: &str) -> Result<Vec<String>> {
    let mut all = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(rest.next()),
            ('#', None) if word.is_none() => break,
            (c, None) if c.is_whitespace() => all.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    ensure!(quote.is_none(), "the quote {} is not closed", quote.unwrap_or_default());
    all.extend(word);
    Ok(all)
}

/// Option or section, with its place in the file. Serde asks it for a value of the type of the key,
/// because UCI itself knows only texts.
#[derive(Clone, Debug)]
struct Entry {
    place: String,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Text(String),
    List(Vec<String>),
    Table(BTreeMap<String, Entry>),
}

impl Entry {
    fn new(place: String, content: Content) -> Self {
        Self { place, content }
    }

    /// Adds an option, or a value to a list, to this section.
    fn add(&mut self, number: usize, form: &str, name: &str, value: &str) -> Result<()> {
        let Content::Table(options) = &mut self.content else { return Ok(()) };
        let place = format!("line {number}: {form} {name} '{value}'");
        match (options.get_mut(name), form) {
            (Some(Self { content: Content::List(values), .. }), "list") => {
                values.push(value.to_owned());
            }
            (Some(other), _) => {
                bail!("{place}: is also in another line ({}); allowed is one", other.place)
            }
            (None, _) => {
                let value = value.to_owned();
                let content =
                    if form == "list" { Content::List(vec![value]) } else { Content::Text(value) };
                options.insert(name.to_owned(), Self::new(place, content));
            }
        }
        Ok(())
    }

    /// Text of an option.
    fn text(&self) -> Result<&str, Error> {
        match &self.content {
            Content::Text(text) => Ok(text),
            Content::List(_) => Err(self.wrong("allowed is option, not list")),
            Content::Table(_) => {
                Err(self.wrong("is no section; allowed is an option of this name"))
            }
        }
    }

    fn wrong(&self, message: impl std::fmt::Display) -> Error {
        Error::custom(format!("{}: {message}", self.place))
    }

    /// Number in the text of an option.
    fn number<T: std::str::FromStr>(&self, allowed: &str) -> Result<T, Error> {
        self.text()?.parse().map_err(|_| self.wrong(format!("allowed is {allowed}")))
    }
}

impl IntoDeserializer<'_> for Entry {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Entry {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(self.text()?).map_err(|error: Error| self.wrong(error))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.text()? {
            "1" | "true" | "yes" | "on" | "enabled" => visitor.visit_bool(true),
            "0" | "false" | "no" | "off" | "disabled" => visitor.visit_bool(false),
            _ => Err(self.wrong("allowed is 0 or 1")),
        }
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u16(self.number("a whole number up to 65535")?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u32(self.number("a whole number")?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u32(self.number("a whole number")?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.number("a number")?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Content::List(values) = &self.content else {
            return Err(self.wrong("allowed is list, one line for each value"));
        };
        visitor.visit_seq(SeqDeserializer::new(values.iter().map(String::as_str)))
    }

    /// A section, or a list of `KEY=VALUE`.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = |text: &str| Self::new(self.place.clone(), Content::Text(text.to_owned()));
        match &self.content {
            Content::Table(options) => {
                visitor.visit_map(MapDeserializer::new(options.iter().map(|(name, it)| {
                    (Self::new(it.place.clone(), Content::Text(name.clone())), it.clone())
                })))
            }
            Content::List(values) => {
                let pairs = values
                    .iter()
                    .map(|it| it.split_once('=').map(|(key, value)| (text(key), text(value))));
                let pairs: Option<Vec<_>> = pairs.collect();
                let pairs = pairs.ok_or_else(|| self.wrong("allowed is 'KEY=VALUE'"))?;
                visitor.visit_map(MapDeserializer::new(pairs.into_iter()))
            }
            Content::Text(_) => {
                Err(self.wrong("allowed is a section or a list of this name, not an option"))
            }
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor
            .visit_enum(self.text()?.into_deserializer())
            .map_err(|error: Error| self.wrong(error))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 f32 char str string bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct
        identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn quotes_join_to_a_word() {
        let of = |line: &str| super::words(line).unwrap();
        assert_eq!(of(r"  option  a 'x'\''y' # no"), ["option", "a", "x'y"]);
        assert_eq!(of(r#"list b "a \"b\" 'c'"d"#), ["list", "b", "a \"b\" 'c'd"]);
        assert_eq!(of("option c ''"), ["option", "c", ""]);
        assert_eq!(of(" # comment").len(), 0);
    }
}
