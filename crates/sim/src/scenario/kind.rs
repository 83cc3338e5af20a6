//! Kinds of values that keys hold, and their descriptions in messages.

use std::fmt;

use airfair_units::{
    Bytes, DataRate, Dbm, Decibels, Duration, Frequency, Length, Probability, Speed,
};
use airfair_wlan::phy::rate_name::RateName;

/// Range of a distance between two members of a cell.
pub(super) const RANGE: Kind =
    Kind::Length { min: Length::from_millimetres(1), max: Length::from_metres(1_000_000) };

/// A table with a fixed set of keys.
#[derive(Debug)]
pub(super) struct Table {
    /// Noun for what the table describes, with its article: "a station".
    pub(super) noun: &'static str,
    /// Keys of the table, in the order of the documentation.
    pub(super) keys: &'static [Key],
}

/// A key, as the parser, the schema and the reference use it.
#[derive(Debug)]
pub(super) struct Key {
    /// Name of the key in the file.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Meaning of a file without the key.
    pub(super) absent: Absent,
    /// Value of the key in TOML other than the default, as an example.
    pub(super) example: &'static str,
    /// Meaning of the key, for the reference and the schema.
    pub(super) doc: &'static str,
}

/// Meaning of an absent key.
#[derive(Debug)]
pub(super) enum Absent {
    /// The key is mandatory.
    Required,
    /// The key has this default.
    Is(Plain<'static>),
    /// The key holds a table, and each key of this table has its default.
    Defaults,
    /// The default follows from other keys, as these words say.
    Follows(&'static str),
}

/// A scalar value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain<'n> {
    /// Text or name.
    Text(&'n str),
    /// Boolean.
    Flag(bool),
    /// Integer.
    Integer(u64),
    Duration(Duration),
    Bytes(Bytes),
    Rate(DataRate),
    /// Name of an HT, VHT or HE rate.
    RateName(RateName),
    Probability(Probability),
    /// Ratio of powers.
    Decibels(Decibels),
    Power(Dbm),
    /// Length or coordinate.
    Length(Length),
    /// Speed in the direction of a coordinate axis, x or y.
    Speed(Speed),
    Frequency(Frequency),
    /// Decimal fraction, in thousandths.
    Decimal(u64),
    /// One of the words that the key allows.
    Word(&'static str),
}

/// Kind of value that a key holds.
#[derive(Debug)]
pub(super) enum Kind {
    /// A line of text.
    Text,
    /// Name of another item in the file, such as a station.
    Name,
    /// Name of a cell, of a station, or of the access point of a cell, such as `home.ap`.
    Member,
    /// Boolean.
    Flag,
    /// Integer in a range.
    Integer { min: u64, max: u64 },
    /// Number from 0 to 1.
    Probability,
    /// Decimal fraction with at most three places; the bounds are in thousandths.
    Decimal { min: u64, max: u64 },
    /// Contention window, 2ᵏ − 1.
    Window,
    /// Time with its unit.
    Duration { min: Duration, max: Duration },
    /// One of several times, with its unit.
    Durations(&'static [Duration]),
    /// Amount of data with its unit.
    Bytes { min: Bytes, max: Bytes },
    /// Data rate with its unit.
    Rate,
    /// Data rate with its unit, or the name of an HT, VHT or HE rate.
    LinkRate,
    /// Ratio of powers with its unit.
    Decibels { min: Decibels, max: Decibels },
    /// Power with its unit.
    Power { min: Dbm, max: Dbm },
    /// Length or coordinate with its unit.
    Length { min: Length, max: Length },
    /// Speed with its unit.
    Speed { min: Speed, max: Speed },
    /// Frequency with its unit.
    Frequency { min: Frequency, max: Frequency },
    /// One of several words.
    Word(&'static [&'static str]),
    /// List of values of one kind.
    List(&'static Kind),
    /// List of fixed length, with a kind for the value at each position.
    Tuple(&'static Tuple),
    /// Table of ranges, with a rate as key and a length as value. The table is read as pairs of a rate and a length.
    Ranges,
    /// Table with a fixed set of keys.
    Table(&'static Table),
    /// Table of tables whose names the user chooses.
    Named(&'static Table),
    /// Table in which one key decides which other keys it has.
    Tagged(&'static Tagged),
    /// Value of any of these kinds.
    Either(&'static [Kind]),
}

/// Alternative tables that all have the key `key`; its word tells which of the tables it is.
#[derive(Debug)]
pub(super) struct Tagged {
    /// Key by which a value says which of several tables it is, such as `kind` or `model`.
    pub(super) key: &'static str,
    /// Noun for what the word names, such as "transport".
    pub(super) noun: &'static str,
    /// Word that applies if the key `key` is absent; `None` if the key is mandatory.
    pub(super) otherwise: Option<&'static str>,
    /// Words that the key `key` may have, each with the table that has this word.
    pub(super) variants: &'static [(&'static str, &'static Table)],
}

/// List of fixed length whose values have different kinds.
#[derive(Debug)]
pub(super) struct Tuple {
    /// Singular noun for the list in messages: "a pair [time, rate]".
    pub(super) one: &'static str,
    /// Plural noun for the list in messages.
    pub(super) many: &'static str,
    /// Kind of the value at each position of the list.
    pub(super) items: &'static [Kind],
}

impl fmt::Display for Plain<'_> {
    /// Formats the scalar value as TOML.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{}", toml::Value::String((*text).to_owned())),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Duration(time) => write!(f, "\"{time}\""),
            Self::Bytes(size) => write!(f, "\"{} B\"", size.get()),
            Self::Rate(rate) => write!(f, "\"{rate}\""),
            Self::RateName(name) => write!(f, "\"{name}\""),
            Self::Probability(p) => write!(f, "{p}"),
            Self::Decibels(ratio) => write!(f, "\"{ratio}\""),
            Self::Power(power) => write!(f, "\"{power}\""),
            Self::Length(length) => write!(f, "\"{length}\""),
            Self::Speed(speed) => write!(f, "\"{speed}\""),
            Self::Frequency(frequency) => write!(f, "\"{frequency}\""),
            Self::Decimal(number) => f.write_str(&thousandths(*number)),
            Self::Word(word) => write!(f, "\"{word}\""),
        }
    }
}

/// Type whose values are scalar values of keys.
pub(super) trait Scalar: Copy {
    /// Converts this value to a [`Plain`], the common form of all scalar values of keys.
    fn plain(self) -> Plain<'static>;

    /// Converts a [`Plain`], the common form of all scalar values of keys, to this type; `None` if it holds a value of
    /// another type.
    fn of(plain: Plain) -> Option<Self>;
}

/// Implements [`Scalar`] for each type with its variant of [`Plain`].
macro_rules! scalars {
    ($($type:ident in $variant:ident),+ $(,)?) => {$(
        impl Scalar for $type {
            fn plain(self) -> Plain<'static> {
                Plain::$variant(self.into())
            }

            fn of(plain: Plain) -> Option<Self> {
                if let Plain::$variant(it) = plain { it.try_into().ok() } else { None }
            }
        }
    )+};
}

scalars! {
    bool in Flag, u8 in Integer, u16 in Integer, u32 in Integer, u64 in Integer,
    Duration in Duration, Bytes in Bytes, DataRate in Rate, RateName in RateName, Probability in Probability,
    Decibels in Decibels, Dbm in Power, Length in Length, Speed in Speed, Frequency in Frequency,
}

/// Decimal fraction, in thousandths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thousandths(pub(super) u64);

impl Scalar for Thousandths {
    fn plain(self) -> Plain<'static> {
        Plain::Decimal(self.0)
    }

    fn of(plain: Plain) -> Option<Self> {
        if let Plain::Decimal(number) = plain { Some(Self(number)) } else { None }
    }
}

/// Enum whose variants are words in the file.
pub(super) trait Words: Copy {
    /// Words of the enum, in the order of the documentation.
    const WORDS: &'static [&'static str];

    /// Word of this variant in the file.
    fn word(self) -> &'static str;

    /// Variant with the word `word`.
    ///
    /// # Panics
    /// If `word` is not one of [`WORDS`](Self::WORDS).
    fn of(word: &str) -> Self;
}

/// Implements [`Words`](crate::scenario::kind::Words). A variant without a word does not compile.
macro_rules! words {
    ($type:ty { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $crate::scenario::kind::Words for $type {
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            fn of(word: &str) -> Self {
                match word { $($word => Self::$variant,)+ _ => unreachable!("a word of the key") }
            }
        }
    };
}
pub(super) use words;

const HOUR: Duration = Duration::from_secs(3_600);
/// Highest data rate that a key allows.
pub(super) const MAX_RATE: DataRate = DataRate::from_mbps(100_000);
/// Largest contention window [slots].
pub(super) const MAX_WINDOW: u16 = 32_767;
/// Longest title [characters].
pub(super) const MAX_TITLE: usize = 200;
/// Longest name [characters].
pub(super) const MAX_NAME: usize = 64;

impl Kind {
    /// Words that the file may give as a value of this kind.
    pub(super) fn words(&self) -> Vec<&'static str> {
        match self {
            Self::Word(words) => words.to_vec(),
            Self::Either(kinds) => kinds.iter().flat_map(Self::words).collect(),
            _ => Vec::new(),
        }
    }
}

impl Kind {
    /// Values that this kind allows, as the end of a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Text => format!("one line of text, at most {MAX_TITLE} characters"),
            Self::Name => "a name in quotes".to_owned(),
            Self::Member => {
                "the name of a cell, a station or an access point (\"CELL.ap\")".to_owned()
            }
            Self::Flag => "true or false".to_owned(),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Decimal { min, max } => {
                format!("a number from {} to {}", thousandths(*min), thousandths(*max))
            }
            Self::Probability => "a number from 0 to 1".to_owned(),
            Self::Window => format!("1, 3, 7, 15, … {MAX_WINDOW} (a power of two less one)"),
            Self::Duration { min, max } => {
                let bound = |time: &Duration| match time.as_nanos() / HOUR.as_nanos() {
                    0 => time.to_string(),
                    hours => format!("{hours} h"),
                };
                format!("a duration from {} to {}, such as \"20 ms\"", bound(min), bound(max))
            }
            Self::Durations(all) => listed(all.iter().map(|it| format!("\"{it}\""))),
            Self::Bytes { min, max } => {
                let bound = |size: &Bytes| match size.get() {
                    octets @ 0..1_000_000 => format!("{octets} B"),
                    _ => size.to_string(),
                };
                format!("an amount of data from {} to {}", bound(min), bound(max))
            }
            Self::Decibels { min, max } => {
                format!("a ratio of powers from {min} to {max}, such as \"12 dB\"")
            }
            Self::Power { min, max } => format!("a power from {min} to {max}, such as \"20 dBm\""),
            Self::Length { min, max } => format!("a length from {min} to {max}, such as \"10 m\""),
            Self::Speed { min, max } => {
                format!("a speed from {min} to {max}, such as \"1.5 m/s\"")
            }
            Self::Frequency { min, max } => {
                format!("a frequency from {min} to {max}, such as \"5.2 GHz\"")
            }
            Self::Rate => format!("a rate up to {MAX_RATE}, such as \"11 Mb/s\""),
            Self::LinkRate => {
                format!(
                    "a rate up to {MAX_RATE}, such as \"11 Mb/s\", or its name, such as \"ht-mcs7\""
                )
            }
            Self::Word(words) => listed(words.iter().map(|word| format!("\"{word}\""))),
            Self::List(Self::Tuple(tuple)) => tuple.many.to_owned(),
            Self::List(item) => format!("a list, each item {}", item.describe()),
            Self::Tuple(tuple) => tuple.one.to_owned(),
            Self::Ranges => "a table { \"6 Mb/s\" = \"370 m\", \"54 Mb/s\" = \"37 m\" }".to_owned(),
            Self::Table(table) => format!("a table {{ {} }}", table.names()),
            Self::Named(table) => format!("named sections, each for {}", table.noun),
            Self::Tagged(Tagged { key, variants, .. }) => {
                let tags: Vec<String> =
                    variants.iter().map(|(tag, _)| format!("{key} = \"{tag}\"")).collect();
                format!("a table with {}", tags.join(" or "))
            }
            Self::Either(kinds) => {
                let all: Vec<String> = kinds.iter().map(Self::describe).collect();
                all.join(" or ")
            }
        }
    }
}

/// Values as a message lists them.
fn listed(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(", ")
}

/// A decimal fraction, given in thousandths, as text without trailing zeros.
pub(super) fn thousandths(number: u64) -> String {
    let text = format!("{}.{:03}", number / 1_000, number % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Table {
    /// Names of the table's keys, in order, as a message lists them.
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
        names.join(", ")
    }
}
