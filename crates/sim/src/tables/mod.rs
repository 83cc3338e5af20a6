//! Results as columns. Each table is declared once here, for every program that shows or exports results.
//!
//! A table has one row per run and item. The columns `flow`, `station`, `access_point`, `channel`, `neighbour`,
//! `category` and `link` are indices into the scenario's lists. Without runs, a table still has all its columns with units and
//! meanings, and no rows.

mod air;
mod declaration;
mod flows;
mod limits;
mod marks;
mod messages;
mod neighbours;
mod numbers;
mod series;
mod table;

use crate::outcome::{LinkOutcome, Outcome};
use crate::scenario::Flow;

use declaration::{Declaration, REPLICATION};
use numbers::ratio;
pub use series::{SERIES, declared_series, series};
pub use table::{Column, Table, Unit, Values};

/// All tables of `runs`, which are runs of a scenario with these `flows`.
pub fn tables(flows: &[Flow], runs: &[&Outcome]) -> Vec<Table> {
    vec![
        of_runs(runs),
        flows::table(flows, runs),
        messages::table(flows, runs),
        messages::waits(runs),
        marks::table(runs),
        air::stations(runs),
        air::airtime(runs),
        air::access_points(runs),
        air::channels(runs),
        air::shares(runs),
        neighbours::table(runs),
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

#[cfg(test)]
mod tests {
    use airfair_units::Duration;

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
