//! Table of the neighbours that held the air of cells.

use std::collections::BTreeSet;

use airfair_units::Duration;

use super::declaration::{Declaration, PLACE, REPLICATION};
use super::numbers::share;
use super::table::{Table, Unit};
use crate::outcome::Outcome;
use crate::record::CellId;

const MEANING: &str = "Neighbours that held the air of each channel: frames of the neighbour were on the air, which the channel's \
    access point senses, and none of its own cell. While frames of several neighbours overlap, the time belongs to the one \
    whose frame started first. The times of a channel add up to its `neighbours_ns`. Pairs without such time in any run have \
    no row.";

/// Row of the table: a run, a cell, its neighbour, and the time for which the neighbour held the cell's air.
type Row<'r> = (&'r Outcome, [CellId; 2], Duration);

pub(super) fn table(runs: &[&Outcome]) -> Table {
    let each = runs.iter().flat_map(|run| &run.neighbours);
    let pairs: BTreeSet<[CellId; 2]> = each.map(|it| [it.cell, it.neighbour]).collect();
    let rows = runs.iter().flat_map(|run| {
        pairs.iter().map(|pair| {
            let found = run.neighbours.binary_search_by_key(pair, |it| [it.cell, it.neighbour]);
            (*run, *pair, found.map_or(Duration::ZERO, |place| run.neighbours[place].airtime))
        })
    });
    let mut t: Declaration<Row<'_>> = Declaration::new("neighbours", MEANING, rows.collect());
    t.column("replication", Unit::Number, |row| row.0.replication).says(REPLICATION);
    t.column("channel", Unit::Number, |row| u32::from(row.1[0].0)).says(PLACE);
    t.column("neighbour", Unit::Number, |row| u32::from(row.1[1].0)).says(PLACE);
    t.column("airtime_ns", Unit::Nanoseconds, |row| row.2.as_nanos())
        .says("Time for which the neighbour held the air.");
    t.column("airtime_share", Unit::Fraction, |row| share(row.2, row.0.elapsed))
        .says("Share of the channel's time for which the neighbour held the air.");
    t.table
}
