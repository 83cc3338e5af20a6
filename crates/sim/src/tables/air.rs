//! Tables of stations, access points and channels.

use airfair_units::Duration;

use super::flows::{bits_per_second, per_second, quantiles};
use super::{Declaration, Of, Table, Unit, as_f64, ratio, share};
use crate::outcome::{ChannelOutcome, Outcome, RadioOutcome, StationOutcome};

pub(super) fn stations(runs: &[&Outcome]) -> Table {
    let meaning = "Airtime, rates, frames, retries, drops by cause and queue of each station.";
    let mut t = Declaration::of_each("stations", "station", meaning, runs, |run| &run.stations);
    airtime_share(&mut t);
    t.column("airtime_data_up_ns", Unit::Nanoseconds, |row| row.it.airtime_data_up.as_nanos())
        .says("Air held by data frames that it sent.");
    t.column("airtime_data_down_ns", Unit::Nanoseconds, |row| row.it.airtime_data_down.as_nanos())
        .says("Air held by data frames sent to it.");
    t.column("airtime_control_ns", Unit::Nanoseconds, |row| row.it.airtime_control.as_nanos())
        .says("Air held by ACK, RTS and CTS of its exchanges.");
    t.column("contention_ns", Unit::Nanoseconds, |row| row.it.contention.as_nanos())
        .says("Gaps and back-off before the frames of its exchanges.  [occupancy-tfrc fig. 1]");
    t.column("measured_airtime_share", Unit::Fraction, |row| {
        let measured = row.it.measured;
        (!measured.time.is_zero()).then(|| share(measured.own, measured.time))
    })
    .says(
        "Share of the air that a station which observes its channel measures for itself, with the SIFS inside its \
         exchanges; null for others.  [arf-window §III-A]",
    );
    t.column("mean_rate_up_bps", Unit::BitsPerSecond, |row| bits_per_second(row.it.mean_rate_up))
        .says("Mean rate of its own data frames.");
    t.column("mean_rate_down_bps", Unit::BitsPerSecond, |row| {
        bits_per_second(row.it.mean_rate_down)
    })
    .says("Mean rate of data frames to it.");
    t.column("rate_changes", Unit::Count, |row| row.it.rate_changes)
        .says("Times that a law changed the rate between it and the access point.");
    transmitter(&mut t, |station| &station.radio);
    t.column("aggregates_down", Unit::Frames, |row| row.it.aggregates_down)
        .says("Data frames sent to it that were aggregates of several MPDUs.");
    t.column("mean_aggregate_down", Unit::Number, |row| {
        let StationOutcome { agreed_frames_down: frames, agreed_mpdus_down: mpdus, .. } = *row.it;
        (row.it.aggregates_down > 0).then(|| ratio(mpdus, frames)).flatten()
    })
    .says("MPDUs in a data frame sent to it, in the mean; null if there were no aggregates.");
    t.table
}

pub(super) fn airtime(runs: &[&Outcome]) -> Table {
    let meaning = "Shares of the air that the exchanges of each station held.";
    let mut t = Declaration::of_each("airtime", "station", meaning, runs, |run| &run.stations);
    airtime_share(&mut t);
    t.column("data_up", Unit::Fraction, |row| share(row.it.airtime_data_up, row.run.elapsed))
        .says("Share of data frames that it sent.");
    t.column("data_down", Unit::Fraction, |row| share(row.it.airtime_data_down, row.run.elapsed))
        .says("Share of data frames sent to it.");
    t.column("control", Unit::Fraction, |row| share(row.it.airtime_control, row.run.elapsed))
        .says("Share of ACK, RTS and CTS of its exchanges.");
    t.column("occupancy", Unit::Fraction, |row| {
        share(held(row.it), row.run.elapsed) + share(row.it.contention, row.run.elapsed)
    })
    .says("The share with the gaps and back-off before its frames.  [occupancy-tfrc fig. 1]");
    t.column("frames", Unit::Frames, |row| row.it.radio.frames)
        .says("Data frames that it sent, retries included.");
    t.column("retries", Unit::Frames, |row| row.it.radio.retries)
        .says("Data and RTS frames that had been on the air before.");
    t.column("drops", Unit::Packets, |row| {
        let radio = &row.it.radio;
        radio.dropped_retry_limit
            + radio.dropped_queue_full
            + radio.dropped_codel
            + radio.dropped_ack_filter
            + radio.dropped_late
    })
    .says("Packets that it dropped, for whatever cause.");
    t.table
}

pub(super) fn access_points(runs: &[&Outcome]) -> Table {
    let meaning = "Frames, retries, drops by cause and queue of each access point.";
    let mut t = Declaration::of_each("access_points", "access_point", meaning, runs, |run| {
        &run.access_points
    });
    transmitter(&mut t, |radio| radio);
    t.table
}

pub(super) fn channels(runs: &[&Outcome]) -> Table {
    let meaning =
        "Use of each channel; the six times from `data_ns` to `idle_ns` add up to `elapsed_ns`.";
    let mut t = Declaration::of_each("channels", "channel", meaning, runs, |run| &run.channels);
    t.column("elapsed_ns", Unit::Nanoseconds, |row| row.run.elapsed.as_nanos())
        .says("Measured time: the run without its warm-up.");
    for Use { name, time, meaning, .. } in USES {
        t.column(format!("{name}_ns"), Unit::Nanoseconds, |row| time(row.it).as_nanos())
            .says(meaning);
    }
    t.column("frames", Unit::Frames, |row| row.it.frames).says("Frames of every kind.");
    t.column("collisions", Unit::Count, |row| row.it.collisions)
        .says("Periods in which frames overlapped.");
    t.column("busy", Unit::Fraction, |row| {
        let ChannelOutcome { data, control, beacon, collision, .. } = *row.it;
        share(data + control + beacon + collision, row.run.elapsed)
    })
    .says("Share of the time in which something was on the air.");
    t.table
}

/// Table of access categories; empty if all flows are of one category.
pub(super) fn categories(runs: &[&Outcome]) -> Table {
    let meaning = "What flows of each access category got, and its use of the air of all cells; no rows where all are \
                   of one category.";
    let mut t =
        Declaration::of_each("categories", "category", meaning, runs, |run| &run.categories);
    t.column("goodput_bps", Unit::BitsPerSecond, |row| {
        per_second(row.it.delivered, row.run.elapsed)
    })
    .says("Application octets that its flows delivered in order, over the measured time.");
    quantiles(&mut t, "delay", "one-way delays of its flows' packets, queues included", |it| {
        &it.delay
    });
    t.column("airtime_share", Unit::Fraction, |row| {
        share(row.it.airtime, row.run.elapsed) / as_f64(row.run.channels.len() as u64)
    })
    .says("Share of the air of all cells that frames of its exchanges held.");
    t.column("frames", Unit::Frames, |row| row.it.frames)
        .says("Data frames sent, retries included.");
    t.column("collisions", Unit::Frames, |row| row.it.collisions)
        .says("Frames of its exchanges that collided.");
    t.column("internal_collisions", Unit::Count, |row| row.it.internal_collisions).says(
        "Times that it gave way to a higher category of the same station or access point, which had won in the same \
         slot.",
    );
    t.column("drops", Unit::Packets, |row| row.it.dropped)
        .says("Packets, TCP ACKs among them, that stations and access points dropped, for whatever cause.");
    t.table
}

/// Table of the shares of each channel's time, by use.
pub(super) fn shares(runs: &[&Outcome]) -> Table {
    let meaning = "Shares of each channel's time, which add up to 1.";
    let mut t =
        Declaration::of_each("channel_shares", "channel", meaning, runs, |run| &run.channels);
    for Use { name, time, meaning } in USES {
        t.column(name, Unit::Fraction, |row| share(time(row.it), row.run.elapsed)).says(meaning);
    }
    t.table
}

/// Use of a channel's time, which becomes a column.
struct Use {
    name: &'static str,
    time: fn(&ChannelOutcome) -> Duration,
    meaning: &'static str,
}

const USES: [Use; 6] = [
    Use { name: "data", time: |channel| channel.data, meaning: "One data frame alone on the air." },
    Use {
        name: "control",
        time: |channel| channel.control,
        meaning: "One control frame alone on the air.",
    },
    Use { name: "beacon", time: |channel| channel.beacon, meaning: "A beacon alone on the air." },
    Use { name: "collision", time: |channel| channel.collision, meaning: "Frames that overlap." },
    Use {
        name: "contention",
        time: |channel| channel.contention,
        meaning: "Idle while a frame waits: interframe spaces, back-off, time-outs.",
    },
    Use {
        name: "idle",
        time: |channel| channel.idle,
        meaning: "Idle, and nobody has anything to send.",
    },
];

fn airtime_share(t: &mut Declaration<Of<'_, StationOutcome>>) {
    t.column("airtime_share", Unit::Fraction, |row| share(held(row.it), row.run.elapsed))
        .says("Share of the air that frames of its exchanges held, in both directions.");
}

/// Declares the columns of a transmitter.
fn transmitter<T>(t: &mut Declaration<Of<'_, T>>, of: fn(&T) -> &RadioOutcome) {
    t.column("frames", Unit::Frames, |row| of(row.it).frames)
        .says("Data frames sent, retries included.");
    t.column("rts_frames", Unit::Frames, |row| of(row.it).rts_frames)
        .says("RTS frames sent, retries included.");
    t.column("retries", Unit::Frames, |row| of(row.it).retries)
        .says("Data and RTS frames that had been on the air before.");
    t.column("retry_share", Unit::Fraction, |row| {
        let RadioOutcome { frames, rts_frames, retries, .. } = *of(row.it);
        ratio(retries, frames + rts_frames)
    })
    .says("Retries, of all data and RTS frames; null if there were none.");
    t.column("collisions", Unit::Frames, |row| of(row.it).collisions)
        .says("Frames of any kind that collided.");
    t.column("frame_errors", Unit::Frames, |row| of(row.it).frame_errors)
        .says("Frames of any kind that noise made unreadable for their receiver.");
    t.column("dropped_retry_limit", Unit::Packets, |row| of(row.it).dropped_retry_limit)
        .says("Packets given up at the retry limit.");
    t.column("dropped_queue_full", Unit::Packets, |row| of(row.it).dropped_queue_full)
        .says("Packets refused by the full transmit queue.");
    t.column("dropped_codel", Unit::Packets, |row| of(row.it).dropped_codel)
        .says("Packets dropped because they had waited too long.  [RFC8289]");
    t.column("dropped_ack_filter", Unit::Packets, |row| of(row.it).dropped_ack_filter)
        .says("ACKs that a newer one replaced in the transmit queue.");
    t.column("dropped_late", Unit::Packets, |row| of(row.it).dropped_late).says(
        "Packets of aggregates that came when what was behind them had been handed on without them.",
    );
    t.column("duplicates", Unit::Frames, |row| of(row.it).duplicates)
        .says("Received frames that were repetitions of one already received.");
    t.column("aggregates", Unit::Frames, |row| of(row.it).aggregates)
        .says("Data frames sent that were aggregates of several MPDUs.");
    t.column("mean_aggregate", Unit::Number, |row| {
        let RadioOutcome { frames, aggregates, aggregated_mpdus, .. } = *of(row.it);
        (aggregates > 0).then(|| ratio(frames - aggregates + aggregated_mpdus, frames)).flatten()
    })
    .says("MPDUs in a data frame, in the mean; null if there were no aggregates.");
    t.column("joined_packets", Unit::Packets, |row| of(row.it).joined_packets)
        .says("Packets of A-MSDUs sent, but the first of each.");
    t.column("queue_mean", Unit::Packets, |row| of(row.it).queue_mean)
        .says("Packets in the transmit queue, averaged over time.");
    t.column("queue_max", Unit::Packets, |row| of(row.it).queue_max)
        .says("Most packets in the transmit queue.");
}

/// Airtime of a station's exchanges, both directions.
fn held(station: &StationOutcome) -> Duration {
    station.airtime_data_up + station.airtime_data_down + station.airtime_control
}
