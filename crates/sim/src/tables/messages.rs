//! Table of the messages for which the users of flows wait.

use super::declaration::{Declaration, Of, PLACE, REPLICATION};
use super::flows::quantiles;
use super::table::{Table, Unit};
use crate::outcome::Outcome;

const MEANING: &str = "Messages of each flow whose transport has a `source`: frames, answers, pages, chunks of a video. A message \
    counts if it is complete within the measured time. Other flows have no row.";

pub(super) fn table(runs: &[&Outcome]) -> Table {
    let rows = runs
        .iter()
        .flat_map(|&run| run.messages.iter().map(move |it| Of { run, place: it.flow, it }));
    let mut t = Declaration::new("messages", MEANING, rows.collect());
    t.column("replication", Unit::Number, |row| row.run.replication).says(REPLICATION);
    t.column("flow", Unit::Number, |row| row.place).says(PLACE);
    t.column("messages", Unit::Count, |row| row.it.delay.count)
        .says("Messages that were complete.");
    let noun = "times from the request of a message, or from its generation, to the delivery of its last octet";
    quantiles(&mut t, "wait", noun, |it| &it.delay);
    t.column("video_rate_bps", Unit::BitsPerSecond, |row| row.it.mean_rate_bps())
        .says("Mean rate of a video's chunks; null for other sources.");
    t.column("stalls", Unit::Count, |row| row.it.stalls)
        .says("Times at which a video's player had nothing to play.");
    t.column("stalled_s", Unit::Seconds, |row| row.it.stalled.as_secs_f64())
        .says("Time for which a video's player had nothing to play.");
    t.table
}
