//! Columns of an observation, computed from the sums of a step.

use airfair_laws::Direction;
use airfair_units::{DataRate, Duration};

use super::sums::{CellSums, FlowSums, LinkSums, MemberSums};

/// Column of an observation, computed from `T`, the sums over the time since the last observation.
#[derive(Debug)]
pub(super) struct Column<T> {
    /// Name of the column, with the unit of its values.
    name: &'static str,
    /// Meaning of the values, in a sentence.
    meaning: &'static str,
    /// Value for a step of this length [s]; NaN if there is none.
    value: fn(&T, f64) -> f64,
}

fn mean_ms(sum: Duration, count: u64) -> f64 {
    // 0 / 0 is NaN: a step without samples has no mean.
    sum.as_secs_f64() * 1e3 / real(count)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a step are far below 2^53")]
fn real(count: u64) -> f64 {
    count as f64
}

fn bps(rate: Option<DataRate>) -> f64 {
    rate.map_or(f64::NAN, |rate| real(rate.bps()))
}

/// Columns of flows.
pub(super) const FLOWS: &[Column<FlowSums>] = &[
    Column {
        name: "goodput_bps",
        meaning: "Application data delivered in order during the step, per second.",
        value: |it, step| real(it.delivered.get()) * 8.0 / step,
    },
    Column {
        name: "delay_ms",
        meaning: "Mean one-way delay of the packets that arrived during the step.",
        value: |it, _| mean_ms(it.delay_sum, it.delays),
    },
    Column {
        name: "rtt_ms",
        meaning: "Mean of the round-trip times that the sender measured during the step.",
        value: |it, _| mean_ms(it.round_trip_sum, it.round_trips),
    },
    Column {
        name: "cwnd_segments",
        meaning: "Congestion window of a TCP sender at the end of the step.",
        value: |it, _| it.cwnd.map_or(f64::NAN, f64::from),
    },
    Column {
        name: "packets_sent",
        meaning: "Packets that the sender sent during the step.",
        value: |it, _| real(it.sent),
    },
    Column {
        name: "packets_received",
        meaning: "Packets of the sender that arrived during the step.",
        value: |it, _| real(it.delays),
    },
    Column {
        name: "packets_dropped",
        meaning: "Packets of the sender that were lost during the step.",
        value: |it, _| real(it.dropped),
    },
    Column {
        name: "retransmissions",
        meaning: "Segments that the sender retransmitted during the step.",
        value: |it, _| real(it.retransmissions),
    },
    Column {
        name: "timeouts",
        meaning: "Expiries of the sender's retransmission or no-feedback timer during the step.",
        value: |it, _| real(it.timeouts),
    },
];

/// Columns of stations.
pub(super) const STATIONS: &[Column<MemberSums>] = &[
    Column {
        name: "airtime_share",
        meaning: "Share of the step in which a frame of the station's exchanges was alone on the air.",
        value: |it, step| it.airtime.as_secs_f64() / step,
    },
    Column {
        name: "queue_packets",
        meaning: "Packets in the station's transmit queue at the end of the step.",
        value: |it, _| it.queue.into(),
    },
    Column {
        name: "rate_up_bps",
        meaning: "Rate of data frames from the station at the end of the step.",
        value: |it, _| bps(it.rates[Direction::Up as usize]),
    },
    Column {
        name: "rate_down_bps",
        meaning: "Rate of data frames to the station at the end of the step.",
        value: |it, _| bps(it.rates[Direction::Down as usize]),
    },
    Column {
        name: "frames",
        meaning: "Data and RTS frames that the station sent during the step.",
        value: |it, _| real(it.frames),
    },
    Column { name: "retries", meaning: "Retries among `frames`.", value: |it, _| real(it.retries) },
    Column {
        name: "collisions",
        meaning: "Frames of the station that another frame overlapped at the receiver during the step.",
        value: |it, _| real(it.collisions),
    },
    Column {
        name: "dropped",
        meaning: "Packets that the station dropped during the step, for any reason.",
        value: |it, _| real(it.dropped),
    },
];

/// Columns of cells: the channel and the access point.
pub(super) const CELLS: &[Column<CellSums>] = &[
    Column {
        name: "channel_busy_share",
        meaning: "Share of the step in which the channel was busy; a frame counts when it ends.",
        value: |it, step| it.busy.as_secs_f64() / step,
    },
    Column {
        name: "channel_collisions",
        meaning: "Collisions on the cell's channel during the step.",
        value: |it, _| real(it.collisions),
    },
    Column {
        name: "access_point_queue_packets",
        meaning: "Packets in the access point's transmit queue at the end of the step.",
        value: |it, _| it.members[0].queue.into(),
    },
    Column {
        name: "access_point_frames",
        meaning: "Data and RTS frames that the access point sent during the step.",
        value: |it, _| real(it.members[0].frames),
    },
    Column {
        name: "access_point_retries",
        meaning: "Retries among `access_point_frames`.",
        value: |it, _| real(it.members[0].retries),
    },
    Column {
        name: "access_point_collisions",
        meaning: "Frames of the access point that another frame overlapped at the receiver during the step.",
        value: |it, _| real(it.members[0].collisions),
    },
    Column {
        name: "access_point_dropped",
        meaning: "Packets that the access point dropped during the step, for any reason.",
        value: |it, _| real(it.members[0].dropped),
    },
];

/// Columns of the directions of wired links.
pub(super) const LINKS: &[Column<LinkSums>] = &[
    Column {
        name: "link_queue_packets",
        meaning: "Packets in the queue of this direction of the link at the end of the step.",
        value: |it, _| it.queue.into(),
    },
    Column {
        name: "link_dropped",
        meaning: "Packets that this direction of the link lost or refused during the step.",
        value: |it, _| real(it.dropped),
    },
];

/// Objects to which a column has one value each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// Flows of the scenario.
    Flows,
    /// Stations of the scenario.
    Stations,
    /// Cells, each with its access point.
    Cells,
    /// Directions of the wired links, two for each link.
    Links,
}

/// All columns of an observation, in order: objects, name and meaning.
pub fn columns() -> impl Iterator<Item = (Objects, &'static str, &'static str)> {
    let flows = FLOWS.iter().map(|it| (Objects::Flows, it.name, it.meaning));
    let stations = STATIONS.iter().map(|it| (Objects::Stations, it.name, it.meaning));
    let cells = CELLS.iter().map(|it| (Objects::Cells, it.name, it.meaning));
    let links = LINKS.iter().map(|it| (Objects::Links, it.name, it.meaning));
    flows.chain(stations).chain(cells).chain(links)
}

/// Appends the values of `columns`, one column after the other.
pub(super) fn add<'s, T: 's>(
    values: &mut Vec<f64>,
    columns: &[Column<T>],
    steps: &(impl Iterator<Item = &'s T> + Clone),
    seconds: f64,
) {
    for column in columns {
        values.extend(steps.clone().map(|step| (column.value)(step, seconds)));
    }
}
