//! Results as columns. Each table is declared once here, for every program that shows or exports results.
//!
//! A table has one row per run and item. The columns `flow`, `station`, `access_point`, `channel`, `category` and
//! `link` are indices into the scenario's lists. Without runs, a table still has all its columns with units and
//! meanings, and no rows.

mod air;
mod flows;
mod limits;
mod series;

use airfair_units::Duration;

use crate::outcome::{LinkOutcome, Outcome};
use crate::scenario::Flow;

pub use series::{SERIES, declared_series, series};

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

/// All tables of `runs`, which are runs of a scenario with these `flows`.
pub fn tables(flows: &[Flow], runs: &[&Outcome]) -> Vec<Table> {
    vec![
        of_runs(runs),
        flows::table(flows, runs),
        air::stations(runs),
        air::airtime(runs),
        air::access_points(runs),
        air::channels(runs),
        air::shares(runs),
        air::categories(runs),
        of_links(runs),
        limits::limits(runs),
        limits::places(runs),
    ]
}

/// Table of the histograms of delays of `runs`. It is not among [`tables`], because it has many rows.
pub fn delays(runs: &[&Outcome]) -> Table {
    flows::delays(runs)
}

/// Type of the values of a column.
trait Value: Sized {
    const IS_NULLABLE: bool = false;
    fn column(values: impl Iterator<Item = Self>) -> Values;
}

impl Value for u32 {
    fn column(values: impl Iterator<Item = Self>) -> Values {
        Values::U32(values.collect())
    }
}

impl Value for u64 {
    fn column(values: impl Iterator<Item = Self>) -> Values {
        Values::U64(values.collect())
    }
}

impl Value for f64 {
    fn column(values: impl Iterator<Item = Self>) -> Values {
        Values::F64(values.collect())
    }
}

impl Value for Option<f64> {
    const IS_NULLABLE: bool = true;
    fn column(values: impl Iterator<Item = Self>) -> Values {
        Values::F64(values.map(|value| value.unwrap_or(f64::NAN)).collect())
    }
}

/// Table that is being declared, with the rows from which its values come.
struct Declaration<R> {
    rows: Vec<R>,
    table: Table,
}

/// Item of a run, such as a flow, for which a table has a row.
struct Of<'r, T> {
    run: &'r Outcome,
    /// Index of the flow, station or link of a row in the scenario's list.
    place: u32,
    it: &'r T,
}

impl<R> Declaration<R> {
    fn new(name: &'static str, meaning: &'static str, rows: Vec<R>) -> Self {
        Self { rows, table: Table { name, meaning, columns: Vec::new() } }
    }

    /// Declares the next column, with the value of each row. A call of [`says`](Self::says), which sets the column's
    /// meaning, must follow.
    fn column<V: Value>(
        &mut self,
        name: impl Into<String>,
        unit: Unit,
        mut value: impl FnMut(&R) -> V,
    ) -> &mut Self {
        self.add(name.into(), unit, &mut value);
        self
    }

    /// Adds a column with the value of each row. The function is not generic over the closure, so that it is compiled
    /// once per type of values and not once per column.
    fn add<V: Value>(&mut self, name: String, unit: Unit, value: &mut dyn FnMut(&R) -> V) {
        let values = V::column(self.rows.iter().map(value));
        let (meaning, is_nullable) = (String::new(), V::IS_NULLABLE);
        self.table.columns.push(Column { name, unit, meaning, is_nullable, values });
    }

    /// Sets the meaning of the column declared last.
    fn says(&mut self, meaning: impl Into<String>) {
        let column = self.table.columns.last_mut().expect("a column comes before its meaning");
        column.meaning = meaning.into();
    }
}

impl<'r, T> Declaration<Of<'r, T>> {
    /// Starts a table with one row for each item, such as a flow, of each run. `kind` names the column that holds the
    /// index of the item in the scenario's list.
    fn of_each(
        name: &'static str,
        kind: &'static str,
        meaning: &'static str,
        runs: &[&'r Outcome],
        things: impl Fn(&'r Outcome) -> &'r Vec<T>,
    ) -> Self {
        let of_run = |run: &&'r Outcome| {
            let run = *run;
            (0..).zip(things(run)).map(move |(place, it)| Of { run, place, it })
        };
        let mut t = Self::new(name, meaning, runs.iter().flat_map(of_run).collect());
        t.column("replication", Unit::Number, |row| row.run.replication).says(REPLICATION);
        t.column(kind, Unit::Number, |row| row.place).says(PLACE);
        t
    }
}

const REPLICATION: &str = "Number of the run, from 0.";
const PLACE: &str = "Index in the scenario's list; the tables in Python have the name instead.";

fn of_runs(runs: &[&Outcome]) -> Table {
    let mut t = Declaration::new("runs", "One row for each run.", runs.to_vec());
    t.column("replication", Unit::Number, |run| run.replication).says(REPLICATION);
    t.column("seed", Unit::Number, |run| run.seed).says("Seed of the run.");
    t.column("elapsed_ns", Unit::Nanoseconds, |run| run.elapsed.as_nanos())
        .says("Measured time: the run without its warm-up.");
    t.column("events", Unit::Count, |run| run.events).says("Number of events that were processed.");
    t.column("record_hash", Unit::Number, |run| run.record_hash)
        .says("Hash of all records, warm-up included; equal runs have equal hashes.");
    t.table
}

fn of_links(runs: &[&Outcome]) -> Table {
    let meaning = "Packets, drops and queue of each wired link, with a row for each direction: forth, then back.";
    let mut t = Declaration::of_each("links", "link", meaning, runs, |run| &run.links);
    t.column("packets_sent", Unit::Packets, |row| row.it.packets_sent)
        .says("Packets that were sent into the link within the measured time.");
    t.column("packets", Unit::Packets, |row| row.it.packets).says(
        "Packets that arrived at the other end; all others were dropped, lost or are still on the way.",
    );
    t.column("loss", Unit::Fraction, |row| {
        let LinkOutcome { dropped_queue_full, dropped_early, lost, .. } = row.it;
        ratio(dropped_queue_full + dropped_early + lost, row.it.packets_sent)
    })
    .says("Share of the packets sent that were dropped or lost.");
    t.column("dropped_queue_full", Unit::Packets, |row| row.it.dropped_queue_full)
        .says("Packets dropped because the queue was full.");
    t.column("dropped_early", Unit::Packets, |row| row.it.dropped_early)
        .says("Packets dropped by random early detection.");
    t.column("lost", Unit::Packets, |row| row.it.lost).says("Packets lost on the wire.");
    t.column("queue_mean", Unit::Packets, |row| row.it.queue_mean)
        .says("Mean number of packets queued or in service over time.");
    t.column("queue_max", Unit::Packets, |row| row.it.queue_max)
        .says("Largest number of packets queued or in service.");
    t.table
}

/// `some` as a fraction of `of`; `None` if `of` is zero.
fn ratio(some: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| as_f64(some) / as_f64(of))
}

/// `part` as a fraction of `whole`.
fn share(part: Duration, whole: Duration) -> f64 {
    as_f64(part.as_nanos()) / as_f64(whole.as_nanos())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[expect(
    clippy::cast_precision_loss,
    reason = "results are floating point; counts stay below 2^53"
)]
fn as_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::FlowOutcome;
    use crate::scenario::Scenario;

    fn scenario() -> Scenario {
        let text = include_str!("../../tests/golden/relay.toml");
        Scenario::parse(text, &[]).expect("a scenario without mistakes")
    }

    fn all() -> Vec<Table> {
        let mut all = tables(&[], &[]);
        all.push(delays(&[]));
        all.extend(declared_series());
        all
    }

    /// Exactly the columns declared as nullable lack values for a flow that sent nothing, and so has no loss, no delay
    /// and no life.
    #[test]
    fn only_a_column_that_says_so_lacks_values() {
        let flows = scenario().flows;
        let idle = vec![FlowOutcome::default(); flows.len()];
        let run =
            Outcome { flows: idle, elapsed: Duration::from_millis(1_000), ..Outcome::default() };
        let table = &tables(&flows, &[&run])[1];
        assert_eq!(table.name, "flows");
        for Column { name, values, is_nullable, .. } in &table.columns {
            let lacks = matches!(values, Values::F64(values) if values.iter().any(|v| v.is_nan()));
            assert_eq!(lacks, *is_nullable, "{name}");
        }
    }

    #[test]
    fn every_table_and_every_column_is_said_in_a_sentence() {
        for table in all() {
            assert!(table.meaning.ends_with('.'), "{}", table.name);
            for Column { name, meaning, .. } in table.columns {
                let sentence = meaning.split("  [").next().expect("a text has a first part");
                assert!(sentence.ends_with('.'), "{}.{name}: {meaning:?}", table.name);
            }
        }
    }

    #[test]
    fn a_name_ends_with_its_unit_where_that_is_of_time_rate_or_size() {
        let suffixes = [
            ("_ns", Unit::Nanoseconds),
            ("_ms", Unit::Milliseconds),
            ("_s", Unit::Seconds),
            ("_bps", Unit::BitsPerSecond),
            ("_bytes", Unit::Octets),
        ];
        for column in all().iter().flat_map(|table| &table.columns) {
            for (suffix, unit) in suffixes {
                assert_eq!(column.name.ends_with(suffix), column.unit == unit, "{}", column.name);
            }
        }
    }

    #[test]
    fn no_two_columns_of_a_table_have_one_name() {
        for table in all() {
            let mut names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        }
    }
}
