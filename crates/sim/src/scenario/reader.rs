//! Reads the tree of a file by its declaration: types, units, ranges, defaults, unknown keys and missing keys.
//!
//! A value with a mistake is read as "bad", so that later checks do not report it again.

use airfair_units::{DataRate, Probability};

use super::document::{Node, Value};
use super::error::{Address, Mistakes, ScenarioError, join, nearest};
use super::kind::{Absent, Key, Kind, MAX_NAME, Plain, RANGE, Scalar, Table, Tagged};
use super::overrides::did_you_mean;
use super::plain::{misfit, plain, wrong_type};

/// A value that has the kind of its key.
#[derive(Clone, Debug)]
pub(super) enum Given<'n> {
    Plain(Plain<'n>),
    List(Vec<Entry<'n>>),
    Tuple(Vec<Entry<'n>>),
    Table(Fields<'n>),
    Named(Vec<Fields<'n>>),
}

/// Key of a table with its value, whether or not the file contains the key.
#[derive(Clone, Debug)]
pub(super) struct Entry<'n> {
    /// Address of the key.
    pub(super) path: String,
    /// Offset of the key in the file.
    pub(super) at: usize,
    /// Node in the file; `None` if the key is absent.
    pub(super) node: Option<&'n Node>,
    /// Value in the file, or default. `None` if the value has a mistake, or if the key is absent and has no default.
    pub(super) given: Option<Given<'n>>,
    /// True if a mistake was reported for this key.
    pub(super) bad: bool,
}

/// Table with an entry for each of its keys.
#[derive(Clone, Debug)]
pub(super) struct Fields<'n> {
    /// Key of the table, or the name that the user chose.
    pub(super) name: &'n str,
    /// Address of the table.
    pub(super) path: String,
    /// Offset of the table in the file.
    pub(super) at: usize,
    spec: &'static Table,
    entries: Vec<Option<Entry<'n>>>,
}

/// Node from which an absent table is read.
static EMPTY: Node = Node { at: 0, value: Value::Table(Vec::new()) };

impl<'n> Fields<'n> {
    pub(super) fn address(&self) -> Address {
        Address { at: self.at, path: self.path.clone() }
    }

    /// Removes and returns the entry of `key` in this table.
    pub(super) fn take(&mut self, key: &str) -> Entry<'n> {
        let index = self.spec.keys.iter().position(|known| known.name == key);
        let index = index.expect("a key is read that is not declared");
        self.entries[index].take().expect("a key is read twice")
    }

    /// Entry of `key` in this table.
    pub(super) fn get(&self, key: &str) -> &Entry<'n> {
        let index = self.spec.keys.iter().position(|known| known.name == key);
        let index = index.expect("a key is read that is not declared");
        self.entries[index].as_ref().expect("a key is read twice")
    }

    /// True if `key` is declared in this table.
    pub(super) fn has(&self, key: &str) -> bool {
        self.spec.keys.iter().any(|known| known.name == key)
    }

    /// True if a mistake was reported in this table.
    pub(super) fn is_spoilt(&self) -> bool {
        self.entries.iter().flatten().any(|entry| entry.bad)
    }

    /// A table with only a name, because a mistake hides its content.
    fn bad(spec: &'static Table, name: &'n str, path: String, at: usize) -> Self {
        let entry = |key: &Key| {
            let path = join(&path, key.name);
            Some(Entry { path, at, node: None, given: None, bad: true })
        };
        let entries = spec.keys.iter().map(entry).collect();
        Self { name, path, at, spec, entries }
    }
}

impl<'n> Entry<'n> {
    /// Value of the key, if it is a scalar.
    pub(super) fn plain(&self) -> Option<Plain<'n>> {
        match self.given {
            Some(Given::Plain(plain)) => Some(plain),
            _ => None,
        }
    }

    /// Value of the key, if it is a text or a name.
    pub(super) fn text(&self) -> Option<&'n str> {
        if let Some(Plain::Text(text)) = self.plain() { Some(text) } else { None }
    }

    pub(super) fn word(&self) -> Option<&'static str> {
        if let Some(Plain::Word(word)) = self.plain() { Some(word) } else { None }
    }

    /// Value of the key, converted to the type `V`.
    pub(super) fn value<V: Scalar>(&self) -> Option<V> {
        self.plain().and_then(V::of)
    }

    /// Value of the key as an integer of the type `T`, into which the declared range makes it fit.
    pub(super) fn integer<T: TryFrom<u64>>(&self) -> Option<T> {
        self.value::<u64>().and_then(|number| T::try_from(number).ok())
    }

    /// Items of the list under the key; empty if the list has a mistake.
    pub(super) fn items(&self) -> &[Entry<'n>] {
        if let Some(Given::List(items)) = &self.given { items } else { &[] }
    }

    /// Values of the tuple under the key, one for each position; `None` if the tuple has a mistake or is absent.
    pub(super) fn places(&self) -> Option<&[Entry<'n>]> {
        if let Some(Given::Tuple(places)) = &self.given { Some(places) } else { None }
    }

    /// Entries of the table under the key.
    pub(super) fn fields(&self) -> Option<&Fields<'n>> {
        if let Some(Given::Table(fields)) = &self.given { Some(fields) } else { None }
    }

    /// Entries of each named table under the key.
    pub(super) fn named(self) -> Vec<Fields<'n>> {
        if let Some(Given::Named(all)) = self.given { all } else { Vec::new() }
    }

    /// True if the file or the command line sets the key.
    pub(super) fn is_set(&self) -> bool {
        self.node.is_some()
    }

    /// Mistake about the value of this key.
    pub(super) fn mistake(
        &self,
        problem: impl Into<String>,
        allowed: impl Into<String>,
    ) -> ScenarioError {
        let found = self.node.map_or_else(String::new, Node::shown);
        let (problem, allowed) = (problem.into(), allowed.into());
        ScenarioError { path: self.path.clone(), found, problem, allowed }
    }

    /// Checks that a fraction is neither 0 nor 1.
    pub(super) fn check_inner_fraction(&self, mistakes: &mut Mistakes) {
        let is_end = |it: &Probability| it.is_zero() || *it == Probability::ONE;
        if self.value::<Probability>().as_ref().is_some_and(is_end) {
            mistakes.add(self.at, self.mistake("out of range", "more than 0 and less than 1"));
        }
    }
}

/// Reads the whole file, from its root table `node`.
pub(super) fn read<'n>(
    spec: &'static Table,
    node: &'n Node,
    mistakes: &mut Mistakes,
) -> Option<Fields<'n>> {
    Reader { mistakes }.table(spec, node, Place { name: "", path: "" })
}

/// Position of a value in the file.
#[derive(Clone, Copy)]
struct Place<'n, 'p> {
    name: &'n str,
    path: &'p str,
}

struct Reader<'m> {
    mistakes: &'m mut Mistakes,
}

impl Reader<'_> {
    fn report(&mut self, path: &str, node: &Node, problem: impl Into<String>, allowed: String) {
        let (path, found) = (path.to_owned(), node.shown());
        let error = ScenarioError { path, found, problem: problem.into(), allowed };
        self.mistakes.add(node.at, error);
    }

    fn table<'n>(
        &mut self,
        spec: &'static Table,
        node: &'n Node,
        place: Place<'n, '_>,
    ) -> Option<Fields<'n>> {
        let Value::Table(written) = &node.value else { return None };
        let slips = self.unknown_keys(&[spec], written, place.path);
        let entries = spec.keys.iter().map(|key| {
            let written = written.iter().find(|(name, _)| name == key.name);
            let path = join(place.path, key.name);
            Some(match written {
                Some((name, value)) => {
                    let given = self.value(&key.kind, value, Place { name, path: &path });
                    // If there is also a `[statoin.b]`, the section with `[station.a]` counts as incomplete.
                    let bad = given.is_none() || slips.contains(&key.name);
                    Entry { path, at: value.at, node: Some(value), given, bad }
                }
                None if slips.contains(&key.name) => {
                    Entry { path, at: node.at, node: None, given: None, bad: true }
                }
                None => self.absent(key, path, node.at),
            })
        });
        let entries = entries.collect();
        Some(Fields { name: place.name, path: place.path.to_owned(), at: node.at, spec, entries })
    }

    /// Reports keys that no table in `specs` has. Returns the known keys that were probably meant.
    fn unknown_keys(
        &mut self,
        specs: &[&'static Table],
        written: &[(String, Node)],
        path: &str,
    ) -> Vec<&'static str> {
        let known: Vec<&'static str> =
            specs.iter().flat_map(|spec| spec.keys).map(|key| key.name).collect();
        let mut slips = Vec::new();
        for (name, value) in written.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
            if self.mistakes.is_flooded() {
                break;
            }
            let meant = nearest(name, known.iter().copied());
            slips.extend(meant);
            let noun = specs[0].noun;
            let problem = format!("not a key of {noun}{}", did_you_mean(meant));
            let mut words: Vec<String> = Vec::new();
            for key in known.iter().map(|key| format!("\"{key}\"")) {
                if !words.contains(&key) {
                    words.push(key);
                }
            }
            let allowed = words.join(", ");
            self.report(&join(path, name), value, problem, allowed);
        }
        slips
    }

    fn absent<'n>(&mut self, key: &'static Key, path: String, at: usize) -> Entry<'n> {
        let given = match &key.absent {
            Absent::Is(plain) => Some(Given::Plain(*plain)),
            Absent::Follows(_) => None,
            Absent::Defaults if matches!(key.kind, Kind::List(_)) => Some(Given::List(Vec::new())),
            Absent::Defaults => {
                self.value(&key.kind, &EMPTY, Place { name: key.name, path: &path })
            }
            Absent::Required => {
                let (problem, allowed) = match key.kind {
                    Kind::Named(_) => ("missing section", format!("[{}.NAME]", key.name)),
                    _ => ("missing", key.kind.describe()),
                };
                let (path, found) = (path.clone(), String::new());
                let problem = problem.to_owned();
                self.mistakes.add(at, ScenarioError { path, found, problem, allowed });
                None
            }
        };
        let bad = given.is_none() && matches!(key.absent, Absent::Required);
        Entry { path, at, node: None, given, bad }
    }

    fn value<'n>(
        &mut self,
        kind: &'static Kind,
        node: &'n Node,
        place: Place<'n, '_>,
    ) -> Option<Given<'n>> {
        match (kind, &node.value) {
            (Kind::Either(kinds), _) => self.either(kinds, kind, node, place),
            (Kind::Table(spec), Value::Table(_)) => self.table(spec, node, place).map(Given::Table),
            (Kind::Tagged(tagged), Value::Table(written)) => {
                self.tagged(tagged, written, node, place)
            }
            (Kind::Named(spec), Value::Table(written)) => {
                Some(Given::Named(self.named(spec, written, place.path)))
            }
            (Kind::List(item), Value::Array(nodes)) => {
                Some(Given::List(self.items(item, nodes, place.path)))
            }
            (Kind::Tuple(tuple), Value::Array(nodes)) if nodes.len() == tuple.items.len() => {
                let places = (0..).zip(nodes).zip(tuple.items);
                let item =
                    |((i, node), kind)| self.item(kind, node, format!("{}[{i}]", place.path));
                Some(Given::Tuple(places.map(item).collect()))
            }
            (Kind::Ranges, Value::Table(written)) => {
                Some(Given::List(self.ranges(written, place.path)))
            }
            _ => self.plain(kind, kind, node, place.path),
        }
    }

    /// Reads a scalar value. `whole` is the list of all kinds that the key allows.
    fn plain<'n>(
        &mut self,
        kind: &'static Kind,
        whole: &'static Kind,
        node: &'n Node,
        path: &str,
    ) -> Option<Given<'n>> {
        match plain(kind, &node.value) {
            Ok(plain) => Some(Given::Plain(plain)),
            Err((problem, allowed)) => {
                let problem = problem.unwrap_or_else(|| wrong_type(kind, node));
                self.report(path, node, problem, allowed.unwrap_or_else(|| whole.describe()));
                None
            }
        }
    }

    /// Reads a value of one of `kinds`, chosen by the type of the value, so that the message fits it.
    fn either<'n>(
        &mut self,
        kinds: &'static [Kind],
        whole: &'static Kind,
        node: &'n Node,
        place: Place<'n, '_>,
    ) -> Option<Given<'n>> {
        if let Value::Text(text) = &node.value {
            let words = kinds.iter().find_map(|kind| plain(kind, &node.value).ok());
            if let Some(word) = words {
                return Some(Given::Plain(word));
            }
            let quantity = kinds.iter().find(|kind| kind.is_quantity());
            // A text that does not begin like a number is not a misspelt quantity.
            let number = |c: char| c.is_ascii_digit() || c == '-' || c == '.';
            if let Some(kind) = quantity.filter(|_| text.trim().starts_with(number)) {
                return self.plain(kind, whole, node, place.path);
            }
        }
        // A table without a tag means the alternative that is a plain table.
        let is_plain = kinds.iter().any(|kind| matches!(kind, Kind::Table(_)));
        let fits = |kind: &&Kind| match (kind, &node.value) {
            (Kind::Tagged(tagged), Value::Table(written)) if is_plain => {
                written.iter().any(|(name, _)| name == tagged.key)
            }
            (Kind::Table(_) | Kind::Tagged(_) | Kind::Ranges, Value::Table(_))
            | (Kind::List(_) | Kind::Tuple(_), Value::Array(_)) => true,
            (kind, Value::Flag(_)) => matches!(kind, Kind::Flag),
            (kind, Value::Integer(_)) => {
                matches!(
                    kind,
                    Kind::Integer { .. } | Kind::Window | Kind::Probability | Kind::Decimal { .. }
                )
            }
            (kind, Value::Float(_)) => matches!(kind, Kind::Probability | Kind::Decimal { .. }),
            _ => false,
        };
        match kinds.iter().find(fits) {
            Some(
                kind @ (Kind::Table(_)
                | Kind::Tagged(_)
                | Kind::Ranges
                | Kind::List(_)
                | Kind::Tuple(_)),
            ) => self.value(kind, node, place),
            Some(kind) => self.plain(kind, whole, node, place.path),
            None => self.plain(whole, whole, node, place.path),
        }
    }

    fn tagged<'n>(
        &mut self,
        tagged: &'static Tagged,
        written: &'n [(String, Node)],
        node: &'n Node,
        place: Place<'n, '_>,
    ) -> Option<Given<'n>> {
        let Tagged { key, noun, variants, otherwise } = *tagged;
        let tag = written.iter().find(|(name, _)| name == key);
        let word = match tag {
            Some((_, Node { value: Value::Text(word), .. })) => Some(word.as_str()),
            Some(_) => None,
            None => otherwise,
        };
        if let Some((_, spec)) = variants.iter().find(|(name, _)| Some(*name) == word) {
            return self.table(spec, node, place).map(Given::Table);
        }
        let specs: Vec<&'static Table> = variants.iter().map(|(_, spec)| *spec).collect();
        let slips = self.unknown_keys(&specs, written, place.path);
        let tags: Vec<String> = variants.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let path = join(place.path, key);
        match tag {
            Some((_, value)) => {
                let tags_known = variants.iter().map(|(name, _)| *name);
                let hint = did_you_mean(word.and_then(|word| nearest(word, tags_known)));
                self.report(&path, value, format!("no such {noun}{hint}"), tags.join(", "));
            }
            None if slips.contains(&key) => {}
            None => {
                let (found, problem) = (String::new(), "missing".to_owned());
                let error = ScenarioError { path, found, problem, allowed: tags.join(", ") };
                self.mistakes.add(node.at, error);
            }
        }
        None
    }

    fn named<'n>(
        &mut self,
        spec: &'static Table,
        written: &'n [(String, Node)],
        path: &str,
    ) -> Vec<Fields<'n>> {
        let mut all = Vec::new();
        for (name, node) in written {
            let path = join(path, name);
            let character = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(character) {
                let allowed = format!("1 to {MAX_NAME} letters, digits, - and _");
                let (found, problem) = (String::new(), "not a name".to_owned());
                let path = path.clone();
                self.mistakes.add(node.at, ScenarioError { path, found, problem, allowed });
            }
            let fields = self.table(spec, node, Place { name, path: &path });
            if fields.is_none() {
                let problem = format!("wrong type: {}", node.type_name());
                self.report(&path, node, problem, format!("a section [{path}]"));
            }
            // A section with mistakes still has a name to which others may refer.
            all.push(fields.unwrap_or_else(|| Fields::bad(spec, name, path, node.at)));
        }
        all
    }

    fn item<'n>(&mut self, kind: &'static Kind, node: &'n Node, path: String) -> Entry<'n> {
        let given = self.value(kind, node, Place { name: "", path: &path });
        let bad = given.is_none();
        Entry { path, at: node.at, node: Some(node), given, bad }
    }

    /// Reads each rate with its distance. Mistakes in rates are reported for the table as a whole.
    fn ranges<'n>(&mut self, written: &'n [(String, Node)], path: &str) -> Vec<Entry<'n>> {
        let pair = |(name, node): &'n (String, Node)| {
            let path = format!("{path}.\"{name}\"");
            let rate = match (name.parse::<DataRate>(), name.parse()) {
                (Ok(rate), _) => Some(Given::Plain(Plain::Rate(rate))),
                (_, Ok(name)) => Some(Given::Plain(Plain::RateName(name))),
                (Err(error), _) => {
                    let (problem, allowed) = misfit(error);
                    let problem = problem.unwrap_or_else(|| "not a rate".to_owned());
                    self.report(
                        &path,
                        node,
                        problem,
                        allowed.unwrap_or_else(|| Kind::LinkRate.describe()),
                    );
                    None
                }
            };
            let bad = rate.is_none();
            let rate =
                Entry { path: path.clone(), at: node.at, node: Some(node), given: rate, bad };
            let length = self.item(&RANGE, node, path.clone());
            let given = Some(Given::Tuple(vec![rate, length]));
            Entry { path, at: node.at, node: Some(node), given, bad }
        };
        written.iter().map(pair).collect()
    }

    fn items<'n>(&mut self, kind: &'static Kind, nodes: &'n [Node], path: &str) -> Vec<Entry<'n>> {
        let item = |(i, node)| self.item(kind, node, format!("{path}[{i}]"));
        nodes.iter().enumerate().map(item).collect()
    }
}
