//! Table of the messages for which the users of flows wait.

use super::declaration::{Declaration, Of, PLACE, REPLICATION};
use super::flows::quantiles;
use super::table::{Table, Unit};
use crate::outcome::{MessageOutcome, Outcome};

const MEANING: &str = "Messages of each flow whose transport has a `source`: frames, answers, pages, chunks of a video. A message \
    counts if it is complete within the measured time. Other flows have no row.";

pub(super) fn table(runs: &[&Outcome]) -> Table {
    let rows = runs
        .iter()
        .flat_map(|&run| run.messages.iter().map(move |it| Of { run, place: it.flow, it }));
    let live = |row: &Of<'_, MessageOutcome>| {
        let live = &row.run.live;
        live.binary_search_by_key(&row.it.flow, |it| it.flow).ok().map(|place| live[place])
    };
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
    t.column("lost", Unit::Count, move |row| live(row).map(|it| count(it.lost)))
        .says("Frames of a call, a game or a video call of which a packet was lost; null for other sources.");
    t.column("late", Unit::Count, move |row| live(row).map(|it| count(it.late)))
        .says("Frames of a call, a game or a video call that were complete after its `deadline`; null for other sources.");
    t.column("missed", Unit::Fraction, move |row| {
        let found = live(row)?;
        let all = found.lost + row.it.delay.count;
        (all > 0).then(|| count(found.lost + found.late) / count(all))
    })
    .says(
        "Share of the frames of a call, a game or a video call that were lost or late; null without a frame and for other \
         sources.",
    );
    t.table
}

#[expect(clippy::cast_precision_loss, reason = "a count below 2^53")]
fn count(frames: u64) -> f64 {
    frames as f64
}
