//! Kinds that a key can be declared as, and how a message describes them.

use std::fmt;

use airfair_units::{
    Bytes, DataRate, Dbm, Decibels, Duration, Frequency, Length, Probability, Speed,
};
use airfair_wlan::phy::rate_name::RateName;

/// A table with a fixed set of keys.
#[derive(Debug)]
pub(super) struct Table {
    /// Noun of what the table describes, with its article: "a station".
    pub(super) noun: &'static str,
    /// Its keys, in the order of the documentation.
    pub(super) keys: &'static [Key],
}

/// One key: the single source for parser, schema and reference.
#[derive(Debug)]
pub(super) struct Key {
    /// Name in the file.
    pub(super) name: &'static str,
    /// Kind of value that it holds.
    pub(super) kind: Kind,
    /// Value that holds if it is absent.
    pub(super) absent: Absent,
    /// A value in TOML that is not the default.
    pub(super) example: &'static str,
    /// Its meaning, for the reference and the schema.
    pub(super) doc: &'static str,
}

/// Value that holds if a key is absent.
#[derive(Debug)]
pub(super) enum Absent {
    /// A mistake.
    Required,
    /// This value.
    Is(Plain<'static>),
    /// A table in which every key has its default.
    Defaults,
    /// Something that follows from other keys, in words.
    Follows(&'static str),
}

/// A value without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain<'n> {
    /// A text or a name.
    Text(&'n str),
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Integer(u64),
    /// A time.
    Duration(Duration),
    /// An amount of data.
    Bytes(Bytes),
    /// A data rate.
    Rate(DataRate),
    /// The name of a rate of HT, VHT or HE.
    RateName(RateName),
    /// A probability.
    Probability(Probability),
    /// A ratio of powers.
    Decibels(Decibels),
    /// A power.
    Power(Dbm),
    /// A length or a coordinate.
    Length(Length),
    /// A speed along an axis.
    Speed(Speed),
    /// A frequency.
    Frequency(Frequency),
    /// A decimal fraction, in thousandths.
    Decimal(u64),
    /// One of the words that the key allows.
    Word(&'static str),
}

/// Kind of value that a key holds.
#[derive(Debug)]
pub(super) enum Kind {
    /// A line of text.
    Text,
    /// The name of something else in the file.
    Name,
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Integer { min: u64, max: u64 },
    /// A number from 0 to 1.
    Probability,
    /// A decimal fraction with three places at most; bounds in thousandths.
    Decimal { min: u64, max: u64 },
    /// A contention window: 2ᵏ − 1.
    Window,
    /// A time with its unit.
    Duration { min: Duration, max: Duration },
    /// An amount of data with its unit.
    Bytes { min: Bytes, max: Bytes },
    /// A data rate with its unit.
    Rate,
    /// A data rate with its unit, or the name of one.
    LinkRate,
    /// A ratio of powers with its unit.
    Decibels { min: Decibels, max: Decibels },
    /// A power with its unit.
    Power { min: Dbm, max: Dbm },
    /// A length or a coordinate with its unit.
    Length { min: Length, max: Length },
    /// A speed with its unit.
    Speed { min: Speed, max: Speed },
    /// A frequency with its unit.
    Frequency { min: Frequency, max: Frequency },
    /// One of a few words.
    Word(&'static [&'static str]),
    /// A list of such values.
    List(&'static Kind),
    /// A list of so many items, each of its own kind.
    Tuple(&'static Tuple),
    /// A table of lengths, each under a rate: read as pairs.
    Ranges,
    /// A table with fixed keys.
    Table(&'static Table),
    /// A table of tables, each under a name that the user gives.
    Named(&'static Table),
    /// A table of which one key says which other keys it has.
    Tagged(&'static Tagged),
    /// Any of these.
    Either(&'static [Kind]),
}

/// Tables that share a key, whose word tells them apart.
#[derive(Debug)]
pub(super) struct Tagged {
    /// The key: `kind`, `model`.
    pub(super) key: &'static str,
    /// Noun of what the word names: "transport".
    pub(super) noun: &'static str,
    /// The word that holds if none is given; `None`: one must be.
    pub(super) otherwise: Option<&'static str>,
    /// Each word with its table.
    pub(super) variants: &'static [(&'static str, &'static Table)],
}

/// A list whose places differ.
#[derive(Debug)]
pub(super) struct Tuple {
    /// One of them: "a pair [time, rate]".
    pub(super) one: &'static str,
    /// A list of them.
    pub(super) many: &'static str,
    /// Kinds of the value in each place.
    pub(super) items: &'static [Kind],
}

impl fmt::Display for Plain<'_> {
    /// As TOML.
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

/// A type whose values have no parts.
pub(super) trait Scalar: Copy {
    /// The value as a key holds it.
    fn plain(self) -> Plain<'static>;

    /// The value that a key holds, if it is of this type.
    fn of(plain: Plain) -> Option<Self>;
}

/// Each type with the variant of [`Plain`] that holds it.
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

/// A decimal fraction, in thousandths.
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

/// An enum whose variants are words in the file.
pub(super) trait Words: Copy {
    /// The words, in the order of the documentation.
    const WORDS: &'static [&'static str];

    /// The word for this variant.
    fn word(self) -> &'static str;

    /// The variant for one of the words.
    fn of(word: &str) -> Self;
}

/// Each variant with its word, once: one that has none does not compile.
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
/// Largest rate of anything.
pub(super) const MAX_RATE: DataRate = DataRate::from_mbps(100_000);
/// Largest contention window [slots].
pub(super) const MAX_WINDOW: u16 = 32_767;
/// Longest title [characters].
pub(super) const MAX_TITLE: usize = 200;
/// Longest name [characters].
pub(super) const MAX_NAME: usize = 64;

impl Kind {
    /// The words that it allows.
    pub(super) fn words(&self) -> Vec<&'static str> {
        match self {
            Self::Word(words) => words.to_vec(),
            Self::Either(kinds) => kinds.iter().flat_map(Self::words).collect(),
            _ => Vec::new(),
        }
    }
}

impl Kind {
    /// Values that are allowed, as the end of a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Text => format!("one line of text, at most {MAX_TITLE} characters"),
            Self::Name => "a name in quotes".to_owned(),
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
            Self::Word(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                quoted.join(", ")
            }
            Self::List(Self::Tuple(tuple)) => tuple.many.to_owned(),
            Self::List(item) => format!("a list, each item {}", item.describe()),
            Self::Tuple(tuple) => tuple.one.to_owned(),
            Self::Ranges => "a table { \"6 Mb/s\" = \"370 m\", \"54 Mb/s\" = \"37 m\" }".to_owned(),
            Self::Table(table) => format!("a table {{ {} }}", table.names()),
            Self::Named(table) => format!("sections with names, one for {} each", table.noun),
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

/// A decimal fraction as it is written.
pub(super) fn thousandths(number: u64) -> String {
    let text = format!("{}.{:03}", number / 1_000, number % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Table {
    /// The keys, in order.
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
        names.join(", ")
    }
}
