//! A table of results: its columns, their values and their units.

/// A table: columns of equal length.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name of the table.
    pub name: &'static str,
    /// Description of the table in a sentence, with what applies to several of its columns.
    pub meaning: &'static str,
    /// Columns in the order in which they are shown.
    pub columns: Vec<Column>,
}

/// A column of a table, with one value per row.
#[derive(Clone, Debug)]
pub struct Column {
    /// Name of the column. For times, rates and sizes it ends with the unit.
    pub name: String,
    /// Unit of the values.
    pub unit: Unit,
    /// Description of the column in one sentence.
    pub meaning: String,
    /// True if rows may lack a value, which is NaN then.
    pub is_nullable: bool,
    /// Values, one per row.
    pub values: Values,
}

/// Values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Unsigned integers of 32 bits: indices, and small counts.
    U32(Vec<u32>),
    /// Unsigned integers of 64 bits: counts, and times in nanoseconds.
    U64(Vec<u64>),
    /// Floating-point numbers: all other values, such as means, rates and fractions, and values that some rows lack.
    F64(Vec<f64>),
}

/// Unit of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Number without a unit: an index into a list, a seed or hash, or a mean count.
    Number,
    /// Number of items or events.
    Count,
    /// Part of a whole, from 0 to 1.
    Fraction,
    /// Number of packets.
    Packets,
    /// Number of frames.
    Frames,
    /// Number of TCP segments.
    Segments,
    /// Number of octets.
    Octets,
    /// Time in nanoseconds.
    Nanoseconds,
    /// Time in milliseconds.
    Milliseconds,
    /// Time in seconds.
    Seconds,
    /// Rate in bits per second.
    BitsPerSecond,
}

impl Unit {
    /// Text of the unit.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Count => "count",
            Self::Fraction => "fraction",
            Self::Packets => "packets",
            Self::Frames => "frames",
            Self::Segments => "segments",
            Self::Octets => "octets",
            Self::Nanoseconds => "ns",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::BitsPerSecond => "bit/s",
        }
    }
}
