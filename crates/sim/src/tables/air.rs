//! Tables of stations, access points and channels.

use airfair_units::Duration;

use super::declaration::{Declaration, Of};
use super::flows::quantiles;
use super::numbers::{as_f64, bits_per_second, per_second, ratio, share};
use super::table::{Table, Unit};
use crate::outcome::{ChannelOutcome, Outcome, RadioOutcome, StationOutcome};

pub(super) fn stations(runs: &[&Outcome]) -> Table {
    let meaning = "Airtime, rates, frames, retries, drops by cause and queue of each station.";
    let mut t = Declaration::of_each("stations", "station", meaning, runs, |run| &run.stations);
    airtime_share(&mut t);
    t.column("airtime_data_up_ns", Unit::Nanoseconds, |row| row.it.airtime_data_up.as_nanos())
        .says("Airtime of data frames that the station sent.");
    t.column("airtime_data_down_ns", Unit::Nanoseconds, |row| row.it.airtime_data_down.as_nanos())
        .says("Airtime of data frames sent to the station.");
    t.column("airtime_control_ns", Unit::Nanoseconds, |row| row.it.airtime_control.as_nanos())
        .says("Airtime of ACK, RTS and CTS frames of the station's exchanges.");
    t.column("contention_ns", Unit::Nanoseconds, |row| row.it.contention.as_nanos())
        .says(
            "Time of interframe spaces and back-off before the frames of the station's exchanges.  [occupancy-tfrc \
             fig. 1]",
        );
    t.column("measured_airtime_share", Unit::Fraction, |row| {
        let measured = row.it.measured;
        (!measured.time.is_zero()).then(|| share(measured.own, measured.time))
    })
    .says(
        "Share of the air that the station measures for itself, with the SIFS inside its exchanges; null for a \
         station that does not observe its channel.  [arf-window §III-A]",
    );
    t.column("mean_rate_up_bps", Unit::BitsPerSecond, |row| bits_per_second(row.it.mean_rate_up))
        .says("Mean rate of data frames that the station sent.");
    t.column("mean_rate_down_bps", Unit::BitsPerSecond, |row| {
        bits_per_second(row.it.mean_rate_down)
    })
    .says("Mean rate of data frames sent to the station.");
    t.column("rate_changes", Unit::Count, |row| row.it.rate_changes)
        .says(
            "Number of times that rate adaptation changed the rate between the station and the access point.",
        );
    transmitter(&mut t, |station| &station.radio);
    t.column("aggregates_down", Unit::Frames, |row| row.it.aggregates_down)
        .says("Data frames sent to the station that were aggregates of several MPDUs.");
    t.column("mean_aggregate_down", Unit::Number, |row| {
        let StationOutcome { agreed_frames_down: frames, agreed_mpdus_down: mpdus, .. } = *row.it;
        (row.it.aggregates_down > 0).then(|| ratio(mpdus, frames)).flatten()
    })
    .says(
        "Mean number of MPDUs in a data frame sent to the station; null if there were no aggregates.",
    );
    t.table
}

pub(super) fn airtime(runs: &[&Outcome]) -> Table {
    let meaning = "Shares of the air that the frame exchanges of each station used.";
    let mut t = Declaration::of_each("airtime", "station", meaning, runs, |run| &run.stations);
    airtime_share(&mut t);
    t.column("data_up", Unit::Fraction, |row| share(row.it.airtime_data_up, row.run.elapsed))
        .says("Share of the air that data frames sent by the station used.");
    t.column("data_down", Unit::Fraction, |row| share(row.it.airtime_data_down, row.run.elapsed))
        .says("Share of the air that data frames sent to the station used.");
    t.column("control", Unit::Fraction, |row| share(row.it.airtime_control, row.run.elapsed))
        .says("Share of the air that ACK, RTS and CTS frames of the station's exchanges used.");
    t.column("occupancy", Unit::Fraction, |row| {
        share(held(row.it), row.run.elapsed) + share(row.it.contention, row.run.elapsed)
    })
    .says(
        "Share of the air that the station's exchanges used, with the interframe spaces and back-off before them.  \
         [occupancy-tfrc fig. 1]",
    );
    t.column("frames", Unit::Frames, |row| row.it.radio.frames)
        .says("Data frames that the station sent, retries included.");
    t.column("retries", Unit::Frames, |row| row.it.radio.retries)
        .says("Data and RTS frames that were sent again.");
    t.column("drops", Unit::Packets, |row| {
        let radio = &row.it.radio;
        radio.dropped_retry_limit
            + radio.dropped_queue_full
            + radio.dropped_codel
            + radio.dropped_ack_filter
            + radio.dropped_late
            + radio.dropped_by_scheme
    })
    .says("Packets that the station dropped, for any cause.");
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
        "Use of each channel. The eight times from `data_ns` to `idle_ns` add up to `elapsed_ns`.";
    let mut t = Declaration::of_each("channels", "channel", meaning, runs, |run| &run.channels);
    t.column("elapsed_ns", Unit::Nanoseconds, |row| row.run.elapsed.as_nanos())
        .says("Measured time: the run without its warm-up.");
    for Use { name, time, meaning, .. } in USES {
        t.column(format!("{name}_ns"), Unit::Nanoseconds, |row| time(row.it).as_nanos())
            .says(meaning);
    }
    t.column("frames", Unit::Frames, |row| row.it.frames).says("Frames of every kind.");
    t.column("collisions", Unit::Count, |row| row.it.collisions)
        .says("Number of periods in which frames overlapped.");
    t.column("busy", Unit::Fraction, |row| {
        let ChannelOutcome { data, control, beacon, collision, neighbours, overlap, .. } = *row.it;
        let busy = data + control + beacon + collision + neighbours + overlap;
        share(busy, row.run.elapsed)
    })
    .says("Share of the time during which a frame was on the air.");
    t.table
}

/// Table of access categories; empty if all flows are of one category.
pub(super) fn categories(runs: &[&Outcome]) -> Table {
    let meaning = "Goodput and delay of the flows of each access category, and its use of the air of all cells. The table has \
        no rows if all flows are of one category.";
    let mut t =
        Declaration::of_each("categories", "category", meaning, runs, |run| &run.categories);
    t.column("goodput_bps", Unit::BitsPerSecond, |row| {
        per_second(row.it.delivered, row.run.elapsed)
    })
    .says(
        "Application octets that flows of the category delivered in order, divided by the measured time.",
    );
    quantiles(
        &mut t,
        "delay",
        "one-way delays of packets of the category's flows, waiting in queues included",
        |it| &it.delay,
    );
    t.column("airtime_share", Unit::Fraction, |row| {
        share(row.it.airtime, row.run.elapsed) / as_f64(row.run.channels.len() as u64)
    })
    .says("Share of the air of all cells that frames of the category's exchanges used.");
    t.column("frames", Unit::Frames, |row| row.it.frames).says(
        "Data frames sent, retries included. One for several users counts once for each of them.",
    );
    t.column("collisions", Unit::Frames, |row| row.it.collisions)
        .says("Frames of the category's exchanges that collided.");
    t.column("internal_collisions", Unit::Count, |row| row.it.internal_collisions).says(
        "Number of times that the category gave way to a higher category of the same station or access point that won \
         the channel in the same slot.",
    );
    t.column("drops", Unit::Packets, |row| row.it.dropped).says(
        "Packets, TCP ACKs included, that stations and access points dropped, for any cause.",
    );
    t.table
}

/// Table of the shares of each channel's time, by use.
pub(super) fn shares(runs: &[&Outcome]) -> Table {
    let meaning = "Shares of each channel's time; they add up to 1.";
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

const USES: [Use; 8] = [
    Use {
        name: "data",
        time: |channel| channel.data,
        meaning: "Time with one data frame alone on the air.",
    },
    Use {
        name: "control",
        time: |channel| channel.control,
        meaning: "Time with one control frame alone on the air.",
    },
    Use {
        name: "beacon",
        time: |channel| channel.beacon,
        meaning: "Time with a beacon alone on the air, a frame of a sounding, or a CTS or CF-End of `ap.fair.grants`.",
    },
    Use {
        name: "collision",
        time: |channel| channel.collision,
        meaning: "Time with overlapping frames of the cell on the air.",
    },
    Use {
        name: "neighbours",
        time: |channel| channel.neighbours,
        meaning: "Time with frames of other cells on the air, as far as the access point senses them.",
    },
    Use {
        name: "overlap",
        time: |channel| channel.overlap,
        meaning: "Time with frames of the cell and of other cells on the air at once.",
    },
    Use {
        name: "contention",
        time: |channel| channel.contention,
        meaning: "Idle time while a frame waits: interframe spaces, back-off, time-outs.",
    },
    Use {
        name: "idle",
        time: |channel| channel.idle,
        meaning: "Idle time while no station and no access point has anything to send.",
    },
];

fn airtime_share(t: &mut Declaration<Of<'_, StationOutcome>>) {
    t.column("airtime_share", Unit::Fraction, |row| share(held(row.it), row.run.elapsed))
        .says(
            "Share of the air that frames of the exchanges of this station or access point used, in both directions.",
        );
}

/// Declares the columns for the transmitter of a station or an access point.
fn transmitter<T>(t: &mut Declaration<Of<'_, T>>, of: fn(&T) -> &RadioOutcome) {
    t.column("frames", Unit::Frames, |row| of(row.it).frames).says(
        "Data frames sent, retries included. One for several users counts once for each of them.",
    );
    t.column("rts_frames", Unit::Frames, |row| of(row.it).rts_frames)
        .says("RTS frames sent, retries included.");
    t.column("retries", Unit::Frames, |row| of(row.it).retries)
        .says("Data and RTS frames that were sent again.");
    t.column("retry_share", Unit::Fraction, |row| {
        let RadioOutcome { frames, rts_frames, retries, .. } = *of(row.it);
        ratio(retries, frames + rts_frames)
    })
    .says("Share of retries among all data and RTS frames; null if there were no such frames.");
    t.column("collisions", Unit::Frames, |row| of(row.it).collisions)
        .says("Frames of any kind that collided.");
    t.column("frame_errors", Unit::Frames, |row| of(row.it).frame_errors)
        .says("Frames of any kind that noise made unreadable for their receiver.");
    t.column("dropped_retry_limit", Unit::Packets, |row| of(row.it).dropped_retry_limit)
        .says("Packets dropped at the retry limit.");
    t.column("dropped_queue_full", Unit::Packets, |row| of(row.it).dropped_queue_full)
        .says("Packets dropped because the transmit queue was full.");
    t.column("dropped_codel", Unit::Packets, |row| of(row.it).dropped_codel).says(
        "Packets that CoDel or DualPI2 dropped because of a long queue.  [RFC8289], [RFC9332]",
    );
    t.column("dropped_ack_filter", Unit::Packets, |row| of(row.it).dropped_ack_filter)
        .says("TCP ACKs that a newer one replaced in the transmit queue.");
    t.column("dropped_late", Unit::Packets, |row| of(row.it).dropped_late).says(
        "Packets of aggregates that arrived after the receiver had passed on later packets without them.",
    );
    t.column("dropped_by_scheme", Unit::Packets, |row| of(row.it).dropped_by_scheme)
        .says("Packets that a scheme or a law at an access point dropped.");
    t.column("duplicates", Unit::Frames, |row| of(row.it).duplicates)
        .says("Received frames that had been received before.");
    t.column("aggregates", Unit::Frames, |row| of(row.it).aggregates)
        .says("Data frames sent that were aggregates of several MPDUs.");
    t.column("mean_aggregate", Unit::Number, |row| {
        let RadioOutcome { frames, aggregates, aggregated_mpdus, .. } = *of(row.it);
        (aggregates > 0).then(|| ratio(frames - aggregates + aggregated_mpdus, frames)).flatten()
    })
    .says("Mean number of MPDUs in a data frame; null if there were no aggregates.");
    t.column("joined_packets", Unit::Packets, |row| of(row.it).joined_packets)
        .says("Packets sent in A-MSDUs, except the first one of each.");
    t.column("queue_mean", Unit::Packets, |row| of(row.it).queue_mean)
        .says("Mean number of packets in the transmit queue over time.");
    t.column("queue_max", Unit::Packets, |row| of(row.it).queue_max)
        .says("Largest number of packets in the transmit queue.");
}

/// Airtime of a station's exchanges, both directions.
fn held(station: &StationOutcome) -> Duration {
    station.airtime_data_up + station.airtime_data_down + station.airtime_control
}
