//! Table of the messages for which the users of flows wait.

use super::declaration::{Declaration, Of, PLACE, REPLICATION};
use super::flows::{histogram, quantiles};
use super::table::{Table, Unit};
use crate::metrics::opinion;
use crate::outcome::{CallOutcome, LiveOutcome, MessageOutcome, Outcome};
use crate::scenario::{Flow, Transport, Workload};

const MEANING: &str = "Messages of each flow whose transport has a `source`: frames, answers, pages, chunks of a video. A message \
    counts if it is complete within the measured time. Other flows have no row.";

pub(super) fn table(flows: &[Flow], runs: &[&Outcome]) -> Table {
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
    t.column("stalls", Unit::Count, |row| is_video(flows, row).then(|| count(row.it.stalls)))
        .says("Times at which a video's player had nothing to play; null for other sources.");
    t.column("stalled_s", Unit::Seconds, |row| {
        is_video(flows, row).then(|| row.it.stalled.as_secs_f64())
    })
    .says("Time for which a video's player had nothing to play; null for other sources.");
    t.column("lost", Unit::Count, move |row| live(row).map(|it| count(it.lost)))
        .says("Frames of a live application (call, game, …) of which a packet was lost; null for other sources.");
    t.column("late", Unit::Count, move |row| live(row).map(|it| count(it.late)))
        .says("Frames of a live application that were complete after its `deadline`; null for other sources.");
    t.column("missed", Unit::Fraction, move |row| {
        let found = live(row)?;
        let all = found.lost + row.it.delay.count;
        (all > 0).then(|| count(found.lost + found.late) / count(all))
    })
    .says(
        "Share of the frames of a live application that were lost or late; null without a frame and for other sources.",
    );
    opinions(&mut t);
    pictures(&mut t);
    responsiveness(&mut t);
    t.table
}

/// Histograms of the times for which users wait: a row for each bin of each flow of each run.
pub(super) fn waits(runs: &[&Outcome]) -> Table {
    let meaning = "Histogram of the waits of the table `messages`: one row for each bin that has messages. Each octave has 64 \
        bins of equal width.";
    let rows = runs.iter().flat_map(|&run| {
        run.waits.iter().flat_map(move |waits| {
            waits.bins.iter().map(move |it| Of { run, place: waits.flow, it })
        })
    });
    let mut t = histogram("waits", meaning, rows.collect());
    t.column("messages", Unit::Count, |row| row.it.packets)
        .says("Messages whose wait is in the bin.");
    t.table
}

/// Columns of calls: the opinion by the E-model, and the delay at which frames are played.
fn opinions(t: &mut Declaration<Of<'_, MessageOutcome>>) {
    let of = |row: &Of<'_, MessageOutcome>| live(row)?.opinion;
    t.column("mos", Unit::Number, move |row| of(row).map(|it| opinion(it.rating))).says(
        "Mean opinion score of a call by the E-model, from 1, bad, to 4.5, excellent; null for other sources and for Opus.  \
         [G107 Annex B]",
    );
    t.column("rating", Unit::Number, move |row| of(row).map(|it| it.rating))
        .says("Rating factor R of a call by the E-model, of which 93.2 is perfect; null as `mos`.  [G107 §7]");
    t.column("playout_ms", Unit::Milliseconds, move |row| {
        of(row).map(|it| it.playout.as_secs_f64() * 1e3)
    })
    .says("Delay from the departure of a call's frame at which it is played: the one with the best rating; null as `mos`.");
}

/// Columns of video calls: the rate that the control allows, and freezes.
fn pictures(t: &mut Declaration<Of<'_, MessageOutcome>>) {
    t.column("target_rate_bps", Unit::BitsPerSecond, move |row| {
        Some(count(call(row)?.target?.bps()))
    })
    .says(
        "Mean over time of the rate that the `rate_control` of a video call allows its pictures; null without one and for \
         other sources.",
    );
    t.column("freezes", Unit::Count, move |row| call(row).map(|it| count(it.freezes))).says(
        "Pictures of a video call that were shown for three times the mean of the last thirty, and 150 ms longer, at least; \
         null for other sources.  [webrtc-stats freezeCount]",
    );
    t.column("frozen_s", Unit::Seconds, move |row| call(row).map(|it| it.frozen.as_secs_f64()))
        .says("Time for which these pictures were shown; null for other sources.");
}

/// Columns of probes: round trips per minute.
fn responsiveness(t: &mut Declaration<Of<'_, MessageOutcome>>) {
    let of = |row: &Of<'_, MessageOutcome>| {
        let probes = &row.run.probes;
        let place = probes.binary_search_by_key(&row.it.flow, |it| it.flow).ok()?;
        Some(probes[place].per_minute())
    };
    t.column("rpm", Unit::Number, move |row| of(row)?[2]).says(
        "Responsiveness under load [round trips per minute]: the mean of the two columns that follow; null for sources other \
         than `responsiveness`, and without load.  [draft-responsiveness §5.3.1]",
    );
    t.column("rpm_foreign", Unit::Number, move |row| of(row)?[0])
        .says("Round trips per minute of the probes, on a connection of their own; null for other sources.");
    t.column("rpm_loaded", Unit::Number, move |row| of(row)?[1]).says(
        "Round trips per minute of the TCP connections without a source between the same ends; null for other sources, and \
         without such connections.",
    );
}

/// Frames of the live application of a row.
fn live(row: &Of<'_, MessageOutcome>) -> Option<LiveOutcome> {
    let live = &row.run.live;
    live.binary_search_by_key(&row.it.flow, |it| it.flow).ok().map(|place| live[place])
}

/// Pictures of the video call of a row.
fn call(row: &Of<'_, MessageOutcome>) -> Option<CallOutcome> {
    let calls = &row.run.calls;
    calls.binary_search_by_key(&row.it.flow, |it| it.flow).ok().map(|place| calls[place])
}

/// True for the row of a video in chunks.
fn is_video(flows: &[Flow], row: &Of<'_, MessageOutcome>) -> bool {
    let workload = match &flows[row.place as usize].transport {
        Transport::Tcp(tcp) => &tcp.source,
        Transport::Quic(quic) => &quic.source,
        Transport::Tfrc(_) | Transport::Udp { .. } | Transport::External => return false,
    };
    matches!(workload, Workload::Video { .. })
}

#[expect(clippy::cast_precision_loss, reason = "a count below 2^53")]
fn count(number: u64) -> f64 {
    number as f64
}
