//! Declaration of keys. Each key is declared once: its name, the field that holds its value, its kind, an example and
//! its meaning.
//!
//! One function per table declares the table's keys, with one call for each key. It serves three purposes: to
//! describe the keys for the reader, the schema and the reference, with the current values as defaults; to read their
//! values; and to write them.

use super::kind::{Absent, Key, Kind, Plain, Scalar, Table, Tagged, Words};
use super::reader::{Entry, Fields, Given};

/// Keys of a table, whose declarations describe them, read them or write them.
pub(super) enum Keys<'k> {
    /// Describes each declared key, with the current value as its default. `noun` names what the table describes.
    Describe { noun: &'static str, keys: Vec<Key> },
    /// Sets the value of each declared key to that in the file. `is_spoilt` is true if some value has a mistake.
    Read { fields: &'k Fields<'k>, is_spoilt: bool },
    /// Writes the value of each declared key as TOML.
    Write(Written),
}

/// Functions that describe, read and write the value of one key.
pub(super) struct Form<D, R, W> {
    pub(super) describe: D,
    pub(super) read: R,
    pub(super) write: W,
}

/// Declaration of a key that holds a table, or a word or `false` for no table.
pub(super) struct OrNone<T> {
    /// Value of the key that means no table: a word, or `false`. With `false`, `true` means the table `default`.
    pub(super) none: Plain<'static>,
    /// Table with the values of the keys that the file does not set. It also applies if the file has `true` instead of
    /// a table.
    pub(super) default: T,
    /// Function that declares the keys of the table that the key may hold.
    pub(super) declare: fn(&mut Keys, &mut T),
}

/// Keys with their values as TOML, in the order in which they are written.
pub(super) type Written = Vec<(&'static str, String)>;

/// Leaks `it`, a part of a description of keys, so that it lives as long as the program.
fn forever<T>(it: T) -> &'static T {
    Box::leak(Box::new(it))
}

/// Inline table: `{ key = value, … }`.
pub(super) fn inline(written: Written) -> String {
    let keys: Vec<String> =
        written.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    format!("{{ {} }}", keys.join(", "))
}

impl<'k> Keys<'k> {
    /// Describes the table whose keys `declare` declares. The fields of `value` are the defaults of the keys.
    pub(super) fn describe<T>(
        value: &mut T,
        declare: impl FnOnce(&mut Keys, &mut T),
    ) -> &'static Table {
        let mut all = Keys::Describe { noun: "", keys: Vec::new() };
        declare(&mut all, value);
        let Keys::Describe { noun, keys } = all else { unreachable!("an errand stays what it is") };
        forever(Table { noun, keys: keys.leak() })
    }

    /// Reads a table. Returns `value` with the fields that the file sets, and `None` if a mistake hides some of them.
    pub(super) fn read<T>(
        fields: &'k Fields<'k>,
        mut value: T,
        declare: impl FnOnce(&mut Keys, &mut T),
    ) -> Option<T> {
        let mut all = Keys::Read { fields, is_spoilt: false };
        declare(&mut all, &mut value);
        matches!(all, Keys::Read { is_spoilt: false, .. }).then_some(value)
    }

    /// Writes the fields of `value` as TOML, each under its key.
    pub(super) fn write<T: Clone>(value: &T, declare: impl FnOnce(&mut Keys, &mut T)) -> Written {
        let mut all = Keys::Write(Written::new());
        declare(&mut all, &mut value.clone());
        let Keys::Write(written) = all else { unreachable!("an errand stays what it is") };
        written
    }

    /// Sets the noun for what the declared table describes, with its article: "a station". Messages and the schema use
    /// it.
    pub(super) fn of(&mut self, name: &'static str) {
        if let Self::Describe { noun, .. } = self {
            *noun = name;
        }
    }

    /// Declares a key with its own functions that describe, read and write it.
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

    /// Declares a key with a scalar value.
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

    /// Declares a key with a scalar value, or the word of `kind` that means `None`.
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

    /// Declares a key with a scalar value that may be absent, which means `None`.
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

    /// Declares a key with one of the words of an enum.
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

    /// Declares a key with one of the words of an enum; without it the value is `None`.
    pub(super) fn maybe_word<V: Words>(
        &mut self,
        name: &'static str,
        value: &mut Option<V>,
        example: &'static str,
    ) -> &mut Self {
        let describe = |_: &mut Option<V>| (Kind::Word(V::WORDS), Absent::Follows(""));
        let read = |entry: &Entry, _: &Option<V>| Some(Some(V::of(entry.word()?)));
        let write =
            |it: &Option<V>| it.map_or_else(String::new, |it| Plain::Word(it.word()).to_string());
        let is_some = value.is_some();
        self.any(name, value, example, Form { describe, read, write }).written_if(is_some)
    }

    /// Declares a key with one of two words; the second means true.
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

    /// Declares a key with a table.
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

    /// Declares a key with a table, or with a word or `false` for no table.
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

    /// Declares a key with a variant of the enum that `choice` describes.
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

    /// Declares a key that is not read here, but by the code that reads its table. `write` returns its value as TOML,
    /// if it has one.
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

    /// Sets the meaning of the key declared last.
    pub(super) fn says(&mut self, doc: &'static str) -> &mut Self {
        self.last(|key| key.doc = doc)
    }

    /// Sets the default of the key declared last to an empty list or, for a table, to the defaults of the table's keys.
    pub(super) fn or_none(&mut self) -> &mut Self {
        self.last(|key| key.absent = Absent::Defaults)
    }

    /// Makes the key declared last mandatory.
    pub(super) fn required(&mut self) -> &mut Self {
        self.last(|key| key.absent = Absent::Required)
    }

    /// States in words how the default of the key declared last follows from other keys.
    pub(super) fn follows(&mut self, what: &'static str) -> &mut Self {
        self.last(|key| key.absent = Absent::Follows(what))
    }

    fn last(&mut self, change: impl FnOnce(&mut Key)) -> &mut Self {
        if let Self::Describe { keys, .. } = self {
            change(keys.last_mut().expect("a key was declared"));
        }
        self
    }

    /// Removes the key declared last from the written file unless `condition` is true.
    pub(super) fn written_if(&mut self, condition: bool) -> &mut Self {
        if let (Self::Write(written), false) = (&mut *self, condition) {
            written.pop();
        }
        self
    }

    /// Moves the key declared last to the place before the key `other` in the written file. The order of keys must not
    /// change: the archive of finished runs identifies each run by the text of its scenario.
    pub(super) fn written_before(&mut self, other: &str) -> &mut Self {
        if let Self::Write(written) = self
            && let Some(place) = written.iter().position(|(name, _)| *name == other)
        {
            written[place..].rotate_right(1);
        }
        self
    }
}

/// Enum in the file: a table with one key that names the variant and keys for the variant's settings, or the name of
/// the variant alone.
pub(super) struct Choice<T: 'static> {
    /// Key that names the variant, such as `kind` or `model`.
    pub(super) key: &'static str,
    /// Noun for the enum, such as "transport".
    pub(super) noun: &'static str,
    /// Meaning of the key that names the variant.
    pub(super) says: &'static str,
    /// Returns the name of a variant.
    pub(super) name: fn(&T) -> &'static str,
    /// Returns the variants that a file may write as their name alone.
    pub(super) alone: fn() -> Vec<T>,
    /// Returns the variants that a file may write as tables, with the defaults of their settings.
    pub(super) tables: fn() -> Vec<T>,
    /// True if a table in the file that lacks `key`, which names the variant, means the first variant of `tables`.
    pub(super) has_default: bool,
    /// Declares the settings of a variant.
    pub(super) settings: fn(&mut Keys, &mut T),
}

impl<T: Clone> Choice<T> {
    /// Kind of a value of the scenario file that is one of several tables, each for one variant of the enum `T`.
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

    /// Variant that the file names under a key, with default settings.
    pub(super) fn variant(&self, entry: &Entry) -> Option<T> {
        let (all, word) = match &entry.given {
            Some(Given::Table(fields)) => ((self.tables)(), fields.get(self.key).word()?),
            _ => ((self.alone)(), entry.word()?),
        };
        all.into_iter().find(|it| (self.name)(it) == word)
    }

    /// Variant that the file names under a key, with its settings.
    pub(super) fn read(&self, entry: &Entry) -> Option<T> {
        let variant = self.variant(entry)?;
        match entry.fields() {
            Some(fields) => Keys::read(fields, variant, self.settings),
            None => Some(variant),
        }
    }

    /// A variant and its settings as TOML.
    pub(super) fn write(&self, value: &T) -> String {
        let written = Keys::write(value, |keys, it| self.declare(keys, it));
        let name = (self.name)(value);
        if written.len() == 1 && (self.alone)().iter().any(|it| (self.name)(it) == name) {
            return Plain::Word(name).to_string();
        }
        inline(written)
    }
}
