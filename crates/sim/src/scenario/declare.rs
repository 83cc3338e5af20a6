//! A key is declared once: its name, where its value lies, what it may hold, an example and a sentence.
//!
//! A function declares the keys of a table, one call each. Whoever calls it goes through them: to describe them for
//! reader, schema and reference, with the values that it finds as defaults; to read them; or to write them.

use super::kind::{Absent, Key, Kind, Plain, Scalar, Table, Tagged, Words};
use super::reader::{Entry, Fields, Given};

/// The keys of a table, on one of three errands.
pub(super) enum Keys<'k> {
    /// Tell what they are; the values are the defaults.
    Describe { noun: &'static str, keys: Vec<Key> },
    /// Set the values to what the file says.
    Read { fields: &'k Fields<'k>, is_spoilt: bool },
    /// Tell the values, as TOML.
    Write(Written),
}

/// Form of a key: its description, with its default; its reading; and its writing.
pub(super) struct Form<D, R, W> {
    pub(super) describe: D,
    pub(super) read: R,
    pub(super) write: W,
}

/// A table, or something else in its place where there is none.
pub(super) struct OrNone<T> {
    /// A word, or `false`: then `true` is the table as it is by default.
    pub(super) none: Plain<'static>,
    /// The table where nothing is said.
    pub(super) default: T,
    /// Declares its keys.
    pub(super) declare: fn(&mut Keys, &mut T),
}

/// Keys with their values as TOML, in the order in which they are written.
pub(super) type Written = Vec<(&'static str, String)>;

/// Keeps what is described for as long as the program runs.
fn forever<T>(it: T) -> &'static T {
    Box::leak(Box::new(it))
}

/// `{ key = value, … }`
pub(super) fn inline(written: Written) -> String {
    let keys: Vec<String> =
        written.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    format!("{{ {} }}", keys.join(", "))
}

impl<'k> Keys<'k> {
    /// The table whose keys `declare` declares, the parts of `value` their defaults.
    pub(super) fn describe<T>(
        value: &mut T,
        declare: impl FnOnce(&mut Keys, &mut T),
    ) -> &'static Table {
        let mut all = Keys::Describe { noun: "", keys: Vec::new() };
        declare(&mut all, value);
        let Keys::Describe { noun, keys } = all else { unreachable!("an errand stays what it is") };
        forever(Table { noun, keys: keys.leak() })
    }

    /// `value` with what the file says; `None` if a mistake has spoilt some of it.
    pub(super) fn read<T>(
        fields: &'k Fields<'k>,
        mut value: T,
        declare: impl FnOnce(&mut Keys, &mut T),
    ) -> Option<T> {
        let mut all = Keys::Read { fields, is_spoilt: false };
        declare(&mut all, &mut value);
        matches!(all, Keys::Read { is_spoilt: false, .. }).then_some(value)
    }

    /// The parts of `value`, each under its key.
    pub(super) fn write<T: Clone>(value: &T, declare: impl FnOnce(&mut Keys, &mut T)) -> Written {
        let mut all = Keys::Write(Written::new());
        declare(&mut all, &mut value.clone());
        let Keys::Write(written) = all else { unreachable!("an errand stays what it is") };
        written
    }

    /// The table describes this; a noun with its article.
    pub(super) fn of(&mut self, name: &'static str) {
        if let Self::Describe { noun, .. } = self {
            *noun = name;
        }
    }

    /// A key with kind and default, read and written in its own way.
    pub(super) fn any<V>(
        &mut self,
        name: &'static str,
        value: &mut V,
        example: &'static str,
        Form { describe, read, write }: Form<
            impl FnOnce(&mut V) -> (Kind, Absent),
            impl FnOnce(&'k Entry<'k>, &V) -> Option<V>,
            impl FnOnce(&V) -> String,
        >,
    ) -> &mut Self {
        match self {
            Self::Describe { keys, .. } => {
                let (kind, absent) = describe(value);
                keys.push(Key { name, kind, absent, example, doc: "" });
            }
            Self::Read { fields, is_spoilt } => {
                let entry = fields.get(name);
                match entry.given.as_ref().and_then(|_| read(entry, value)) {
                    Some(given) => *value = given,
                    None => *is_spoilt |= entry.bad || entry.given.is_some(),
                }
            }
            Self::Write(written) => written.push((name, write(value))),
        }
        self
    }

    /// A key that holds a value without parts.
    pub(super) fn key<V: Scalar>(
        &mut self,
        name: &'static str,
        value: &mut V,
        kind: Kind,
        example: &'static str,
    ) -> &mut Self {
        let describe = |it: &mut V| (kind, Absent::Is(it.plain()));
        let read = |entry: &Entry, _: &V| entry.value();
        self.any(
            name,
            value,
            example,
            Form { describe, read, write: |it: &V| it.plain().to_string() },
        )
    }

    /// A key that holds a value, or a word of its kind for none.
    pub(super) fn optional<V: Scalar>(
        &mut self,
        name: &'static str,
        value: &mut Option<V>,
        kind: Kind,
        example: &'static str,
    ) -> &mut Self {
        let [none] = kind.words()[..] else { unreachable!("one word for none") };
        let none = Plain::Word(none);
        let plain = |it: &Option<V>| it.map_or(none, V::plain);
        let describe = |it: &mut Option<V>| (kind, Absent::Is(plain(it)));
        let read = |entry: &Entry, _: &Option<V>| match entry.plain()? {
            given if given == none => Some(None),
            given => V::of(given).map(Some),
        };
        self.any(
            name,
            value,
            example,
            Form { describe, read, write: |it: &Option<V>| plain(it).to_string() },
        )
    }

    /// A key that may be absent for none.
    pub(super) fn maybe<V: Scalar>(
        &mut self,
        name: &'static str,
        value: &mut Option<V>,
        kind: Kind,
        example: &'static str,
    ) -> &mut Self {
        let describe = |_: &mut Option<V>| (kind, Absent::Follows(""));
        let read = |entry: &Entry, _: &Option<V>| entry.value().map(Some);
        let write = |it: &Option<V>| it.map_or_else(String::new, |it| it.plain().to_string());
        let is_some = value.is_some();
        self.any(name, value, example, Form { describe, read, write }).written_if(is_some)
    }

    /// A key that holds one of the words of an enum.
    pub(super) fn word<V: Words>(
        &mut self,
        name: &'static str,
        value: &mut V,
        example: &'static str,
    ) -> &mut Self {
        let describe = |it: &mut V| (Kind::Word(V::WORDS), Absent::Is(Plain::Word(it.word())));
        let read = |entry: &Entry, _: &V| Some(V::of(entry.word()?));
        self.any(
            name,
            value,
            example,
            Form { describe, read, write: |it: &V| Plain::Word(it.word()).to_string() },
        )
    }

    /// A key that holds one of two words, the second for yes.
    pub(super) fn no_or_yes(
        &mut self,
        name: &'static str,
        value: &mut bool,
        words: &'static [&'static str; 2],
        example: &'static str,
    ) -> &mut Self {
        let word = |it: &bool| Plain::Word(words[usize::from(*it)]);
        let describe = |it: &mut bool| (Kind::Word(words), Absent::Is(word(it)));
        let read = |entry: &Entry, _: &bool| Some(entry.word()? == words[1]);
        self.any(
            name,
            value,
            example,
            Form { describe, read, write: |it: &bool| word(it).to_string() },
        )
    }

    /// A key that holds a table.
    pub(super) fn table<T: Clone>(
        &mut self,
        name: &'static str,
        value: &mut T,
        declare: impl FnOnce(&mut Keys, &mut T) + Copy,
        example: &'static str,
    ) -> &mut Self {
        let describe = |it: &mut T| (Kind::Table(Keys::describe(it, declare)), Absent::Defaults);
        let read = |entry: &'k Entry, it: &T| Keys::read(entry.fields()?, it.clone(), declare);
        self.any(
            name,
            value,
            example,
            Form { describe, read, write: |it: &T| inline(Keys::write(it, declare)) },
        )
    }

    /// A key that holds a table or none.
    pub(super) fn table_or<T: Clone>(
        &mut self,
        name: &'static str,
        value: &mut Option<T>,
        OrNone { none, default, declare }: OrNone<T>,
        example: &'static str,
    ) -> &mut Self {
        let describe = |it: &mut Option<T>| {
            let (first, some) = match none {
                Plain::Word(word) => (Kind::Word(forever([word])), Absent::Defaults),
                _ => (Kind::Flag, Absent::Is(Plain::Flag(true))),
            };
            let absent = if it.is_some() { some } else { Absent::Is(none) };
            let table = Kind::Table(Keys::describe(&mut default.clone(), declare));
            (Kind::Either(forever([first, table])), absent)
        };
        let read = |entry: &'k Entry, _: &Option<T>| match &entry.given {
            Some(Given::Table(fields)) => Keys::read(fields, default.clone(), declare).map(Some),
            Some(Given::Plain(plain)) if *plain == none => Some(None),
            _ => Some(Some(default.clone())),
        };
        self.any(
            name,
            value,
            example,
            Form {
                describe,
                read,
                write: |it: &Option<T>| match it {
                    Some(it) => inline(Keys::write(it, declare)),
                    None => none.to_string(),
                },
            },
        )
    }

    /// A key that holds a variant of an enum.
    pub(super) fn choice<T: Clone>(
        &mut self,
        name: &'static str,
        value: &mut T,
        choice: &Choice<T>,
        example: &'static str,
    ) -> &mut Self {
        let read = |entry: &'k Entry, _: &T| choice.read(entry);
        self.any(
            name,
            value,
            example,
            Form {
                describe: |it: &mut T| choice.describe(it),
                read,
                write: |it: &T| choice.write(it),
            },
        )
    }

    /// A key that its owner reads, and writes if there is something to write.
    pub(super) fn other(
        &mut self,
        name: &'static str,
        kind: impl FnOnce() -> Kind,
        example: &'static str,
        write: impl FnOnce() -> Option<String>,
    ) -> &mut Self {
        match self {
            Self::Describe { keys, .. } => {
                let (kind, absent) = (kind(), Absent::Required);
                keys.push(Key { name, kind, absent, example, doc: "" });
            }
            Self::Read { .. } => {}
            Self::Write(written) => written.extend(write().map(|value| (name, value))),
        }
        self
    }

    /// Meaning of the key that was declared last.
    pub(super) fn says(&mut self, doc: &'static str) -> &mut Self {
        self.last(|key| key.doc = doc)
    }

    /// The table or list under the key that was declared last is empty if it is absent.
    pub(super) fn or_none(&mut self) -> &mut Self {
        self.last(|key| key.absent = Absent::Defaults)
    }

    /// The key that was declared last must be there.
    pub(super) fn required(&mut self) -> &mut Self {
        self.last(|key| key.absent = Absent::Required)
    }

    /// The default of the key that was declared last follows from other keys, in words.
    pub(super) fn follows(&mut self, what: &'static str) -> &mut Self {
        self.last(|key| key.absent = Absent::Follows(what))
    }

    fn last(&mut self, change: impl FnOnce(&mut Key)) -> &mut Self {
        if let Self::Describe { keys, .. } = self {
            change(keys.last_mut().expect("a key was declared"));
        }
        self
    }

    /// The key that was declared last is written on a condition.
    pub(super) fn written_if(&mut self, condition: bool) -> &mut Self {
        if let (Self::Write(written), false) = (&mut *self, condition) {
            written.pop();
        }
        self
    }

    /// The key that was declared last is written before another, where finished runs are known by that order.
    pub(super) fn written_before(&mut self, other: &str) -> &mut Self {
        if let Self::Write(written) = self
            && let Some(place) = written.iter().position(|(name, _)| *name == other)
        {
            written[place..].rotate_right(1);
        }
        self
    }
}

/// An enum in the file: a table of which one key names the variant and the others are its settings, or its name alone.
pub(super) struct Choice<T: 'static> {
    /// The key: `kind`, `model`.
    pub(super) key: &'static str,
    /// Noun of the thing that it names: "transport".
    pub(super) noun: &'static str,
    /// Meaning of the key.
    pub(super) says: &'static str,
    /// The name of a variant.
    pub(super) name: fn(&T) -> &'static str,
    /// Variants for which the name alone may stand.
    pub(super) alone: fn() -> Vec<T>,
    /// Variants that may be tables, with their defaults.
    pub(super) tables: fn() -> Vec<T>,
    /// True if a table without the key is the first of them.
    pub(super) has_default: bool,
    /// Declares the settings of a variant.
    pub(super) settings: fn(&mut Keys, &mut T),
}

impl<T: Clone> Choice<T> {
    /// Its tables, told apart by their key.
    pub(super) fn tagged(&self) -> Kind {
        let table =
            |mut it: T| ((self.name)(&it), Keys::describe(&mut it, |k, v| self.declare(k, v)));
        let variants = (self.tables)().into_iter().map(table).collect::<Vec<_>>().leak();
        let otherwise = self.has_default.then(|| variants[0].0);
        Kind::Tagged(forever(Tagged { key: self.key, noun: self.noun, otherwise, variants }))
    }

    fn describe(&self, default: &T) -> (Kind, Absent) {
        let alone = (self.alone)().iter().map(self.name).collect::<Vec<_>>();
        if alone.is_empty() {
            let absent = if self.has_default { Absent::Defaults } else { Absent::Required };
            return (self.tagged(), absent);
        }
        let kinds = forever([Kind::Word(alone.leak()), self.tagged()]);
        (Kind::Either(kinds), Absent::Is(Plain::Word((self.name)(default))))
    }

    fn declare(&self, keys: &mut Keys, value: &mut T) {
        let name = (self.name)(value);
        match keys {
            Keys::Describe { keys, .. } => {
                let (absent, example) = if self.has_default {
                    (Absent::Is(Plain::Word(name)), String::new())
                } else {
                    (Absent::Required, format!("{name:?}"))
                };
                let kind = Kind::Word(forever([name]));
                let (name, example, doc) = (self.key, example.leak(), self.says);
                keys.push(Key { name, kind, absent, example, doc });
            }
            Keys::Read { .. } => {}
            Keys::Write(written) => written.push((self.key, Plain::Word(name).to_string())),
        }
        (self.settings)(keys, value);
    }

    /// The variant that stands in the file, its settings left at their defaults.
    pub(super) fn variant(&self, entry: &Entry) -> Option<T> {
        let (all, word) = match &entry.given {
            Some(Given::Table(fields)) => ((self.tables)(), fields.get(self.key).word()?),
            _ => ((self.alone)(), entry.word()?),
        };
        all.into_iter().find(|it| (self.name)(it) == word)
    }

    /// The variant that stands in the file.
    pub(super) fn read(&self, entry: &Entry) -> Option<T> {
        let variant = self.variant(entry)?;
        match entry.fields() {
            Some(fields) => Keys::read(fields, variant, self.settings),
            None => Some(variant),
        }
    }

    /// The variant as TOML.
    pub(super) fn write(&self, value: &T) -> String {
        let written = Keys::write(value, |keys, it| self.declare(keys, it));
        let name = (self.name)(value);
        if written.len() == 1 && (self.alone)().iter().any(|it| (self.name)(it) == name) {
            return Plain::Word(name).to_string();
        }
        inline(written)
    }
}
