//! Table of marks by explicit congestion notification.

use super::declaration::{Declaration, Of, PLACE, REPLICATION};
use super::numbers::ratio;
use super::table::{Table, Unit};
use crate::outcome::Outcome;

const MEANING: &str = "Marks of each flow whose transport has `ecn`. A queue marks a packet where it would have dropped it otherwise; \
    a packet with two marks counts once. Only packets sent within the measured time count. Other flows have no row.";

pub(super) fn table(runs: &[&Outcome]) -> Table {
    let rows =
        runs.iter().flat_map(|&run| run.marks.iter().map(move |it| Of { run, place: it.flow, it }));
    let mut t = Declaration::new("marks", MEANING, rows.collect());
    t.column("replication", Unit::Number, |row| row.run.replication).says(REPLICATION);
    t.column("flow", Unit::Number, |row| row.place).says(PLACE);
    t.column("packets_marked", Unit::Packets, |row| row.it.packets)
        .says("Packets of the sender that arrived with a mark.");
    t.column("marked", Unit::Fraction, |row| ratio(row.it.packets, row.it.received))
        .says("Share of the packets received that had a mark; null if none was received.");
    t.column("answered", Unit::Count, |row| row.it.answered)
        .says("Reductions of the sender's window that answered marks, at most one per round trip; 0 for the \
               kernel's TCP, which does not report them.");
    t.table
}
