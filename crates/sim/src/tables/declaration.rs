//! Declaration of a table: one call for each column, with its name, its unit, its value in each row and its meaning.

use super::table::{Column, Table, Unit, Values};
use crate::outcome::Outcome;

pub(super) const REPLICATION: &str = "Number of the run, from 0.";
pub(super) const PLACE: &str =
    "Index in the scenario's list; the tables in Python have the name instead.";

/// Type of the values of a column.
pub(super) trait Value: Sized {
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
pub(super) struct Declaration<R> {
    rows: Vec<R>,
    pub(super) table: Table,
}

/// Item of a run, such as a flow, for which a table has a row.
pub(super) struct Of<'r, T> {
    pub(super) run: &'r Outcome,
    /// Index of the flow, station or link of a row in the scenario's list.
    pub(super) place: u32,
    pub(super) it: &'r T,
}

impl<R> Declaration<R> {
    pub(super) fn new(name: &'static str, meaning: &'static str, rows: Vec<R>) -> Self {
        Self { rows, table: Table { name, meaning, columns: Vec::new() } }
    }

    /// Declares the next column, with the value of each row. A call of [`says`](Self::says), which sets the column's
    /// meaning, must follow.
    pub(super) fn column<V: Value>(
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
    pub(super) fn says(&mut self, meaning: impl Into<String>) {
        let column = self.table.columns.last_mut().expect("a column comes before its meaning");
        column.meaning = meaning.into();
    }
}

impl<'r, T> Declaration<Of<'r, T>> {
    /// Starts a table with one row for each item, such as a flow, of each run. `kind` names the column that holds the
    /// index of the item in the scenario's list.
    pub(super) fn of_each(
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
