//! The table of flows.

use airfair_units::Duration;

use super::declaration::{Declaration, Of, PLACE, REPLICATION};
use super::numbers::{bits_per_second, milliseconds, per_second, ratio};
use super::table::{Table, Unit};
use crate::outcome::{DelayBin, FlowOutcome, Outcome, Quantiles};
use crate::scenario::{Endpoint, Flow, Transport};

const MEANING: &str = "Goodput, loss, delay, retransmissions, time-outs and round trips of each flow. Only packets sent within the \
    measured time count, not those of the warm-up; each of them is received, dropped or, at the end, in flight. \
    Quantiles are exact to 1 %.";

pub(super) fn table(flows: &[Flow], runs: &[&Outcome]) -> Table {
    let mut t = Declaration::of_each("flows", "flow", MEANING, runs, |run| &run.flows);
    t.column("goodput_bps", Unit::BitsPerSecond, |row| {
        per_second(row.it.delivered, row.run.elapsed)
    })
    .says(
        "Application octets delivered in order, divided by the whole measured time; the goodputs of all flows can be \
         added.",
    );
    t.column("flow_rate_bps", Unit::BitsPerSecond, |row| {
        let active = row.it.active;
        (!active.is_zero()).then(|| per_second(row.it.delivered, active))
    })
    .says(
        "Rate during the flow's life: the same octets, divided by `active_s`; null if `active_s` is 0. The rates of \
         flows that live at different times cannot be added.",
    );
    t.column("loss", Unit::Fraction, |row| ratio(row.it.packets_dropped, row.it.packets_sent))
        .says("Share of the packets sent that were dropped; null if none was sent.");
    t.column("loss_estimated", Unit::Fraction, |row| {
        let flow = &flows[row.place as usize];
        if matches!(flow.transport, Transport::Quic(_)) {
            None
        } else if goes_up(flow) {
            ratio(row.it.packets_repeated, row.it.packets_received)
        } else {
            ratio(row.it.retransmissions, row.it.packets_sent)
        }
    })
    .says(
        "Loss as estimated from a trace at the wired end: the share of TCP retransmissions among the data segments \
         of the trace. These are the segments that arrived if only the sender is wireless, and otherwise those that \
         were sent. Null for QUIC, since a trace of encrypted packets shows no retransmissions.  [updown-fairness §III]",
    );
    t.column("active_s", Unit::Seconds, |row| row.it.active.as_secs_f64()).says(
        "Life of the flow within the measured time: from its start until all its data are acknowledged or, for TFRC \
         and UDP, until it stopped and its last packet arrived.",
    );
    counts(&mut t);
    t.column("rtt_samples", Unit::Count, |row| row.it.rtt.count)
        .says("Number of round trips that the sender measured.");
    quantiles(&mut t, "rtt", "round trips that the sender measured", |flow| &flow.rtt);
    quantiles(
        &mut t,
        "delay",
        "one-way delays of the packets received, waiting in queues included",
        |flow| &flow.delay,
    );
    t.column("jitter_ms", Unit::Milliseconds, |row| row.it.jitter.map(milliseconds))
        .says("Interarrival jitter, mean over the packets.  [RFC3550 §6.4.1]");
    t.column("mean_link_rate_bps", Unit::BitsPerSecond, |row| {
        bits_per_second(row.it.mean_link_rate)
    })
    .says(
        "Mean link rate of the sending station; null if the sender is a host.  [arf-aware-tcp eq. 3]",
    );
    t.column("completion_s", Unit::Seconds, |row| row.it.completion.map(Duration::as_secs_f64))
        .says(
            "Time from the start of the flow until its source was done; null if the source does not end, or did not \
             finish.",
        );
    t.table
}

/// Histograms of one-way delays: a row for each bin of each flow of each run.
pub(super) fn delays(runs: &[&Outcome]) -> Table {
    let meaning = "Histogram of the one-way delays of each flow's packets received, waiting in queues included: one row for \
        each bin that has packets. Each octave has 64 bins of equal width.";
    let rows = runs.iter().flat_map(|&run| {
        let flows = (0..).zip(&run.flows);
        flows.flat_map(move |(place, flow)| flow.delays.iter().map(move |it| Of { run, place, it }))
    });
    let mut t = histogram("delays", meaning, rows.collect());
    t.column("packets", Unit::Packets, |row| row.it.packets)
        .says("Packets received whose delay is in the bin.");
    t.table
}

/// Histogram of each flow of each run, with the ends of its bins. Rows have the index of their flow.
pub(super) fn histogram<'r>(
    name: &'static str,
    meaning: &'static str,
    rows: Vec<Of<'r, DelayBin>>,
) -> Declaration<Of<'r, DelayBin>> {
    let mut t = Declaration::new(name, meaning, rows);
    t.column("replication", Unit::Number, |row| row.run.replication).says(REPLICATION);
    t.column("flow", Unit::Number, |row| row.place).says(PLACE);
    t.column("from_ns", Unit::Nanoseconds, |row| row.it.from.as_nanos())
        .says("Lower end of the bin, inclusive.");
    t.column("to_ns", Unit::Nanoseconds, |row| row.it.to.as_nanos())
        .says("Upper end of the bin, exclusive.");
    t
}

fn counts(t: &mut Declaration<Of<'_, FlowOutcome>>) {
    t.column("delivered_bytes", Unit::Octets, |row| row.it.delivered.get())
        .says("Application octets delivered in order.");
    t.column("packets_sent", Unit::Packets, |row| row.it.packets_sent)
        .says("Packets that the sender sent, retransmissions included.");
    t.column("packets_refused", Unit::Packets, |row| row.it.packets_refused).says(
        "Packets for which the queue of the sender's host had no room; they were never sent.",
    );
    t.column("packets_received", Unit::Packets, |row| row.it.packets_received)
        .says("Packets that arrived at the receiver's host.");
    t.column("packets_repeated", Unit::Packets, |row| row.it.packets_repeated).says(
        "Data segments received below the highest octet received before, which are retransmissions.",
    );
    t.column("packets_dropped", Unit::Packets, |row| row.it.packets_dropped)
        .says("Packets that a queue or the MAC dropped, or that a link lost.");
    t.column("packets_in_flight", Unit::Packets, |row| row.it.packets_in_flight)
        .says("Packets queued, on the air or on a wire at the end of the run.");
    t.column("acks_dropped", Unit::Packets, |row| row.it.acks_dropped).says(
        "Packets from the receiver, such as ACKs, that were sent within the measured time and dropped or lost.",
    );
    t.column("retransmissions", Unit::Segments, |row| row.it.retransmissions)
        .says("Segments that the sender sent again.");
    t.column("timeouts", Unit::Count, |row| row.it.timeouts)
        .says("Retransmission time-outs; for QUIC, probe time-outs.");
    t.column("fast_retransmits", Unit::Count, |row| row.it.fast_retransmits)
        .says("Fast retransmits; for QUIC, recovery periods.");
}

/// Declares the columns of a distribution of `noun`.
pub(super) fn quantiles<T>(
    t: &mut Declaration<Of<'_, T>>,
    name: &str,
    noun: &str,
    of: fn(&T) -> &Quantiles,
) {
    type Part = (&'static str, &'static str, fn(&Quantiles) -> Duration);
    let parts: [Part; 6] = [
        ("mean", "Mean", |q| q.mean),
        ("min", "Least", |q| q.min),
        ("p50", "Median", |q| q.p50),
        ("p95", "95 % quantile", |q| q.p95),
        ("p99", "99 % quantile", |q| q.p99),
        ("max", "Largest", |q| q.max),
    ];
    for (part, words, value) in parts {
        t.column(format!("{name}_{part}_ms"), Unit::Milliseconds, |row| {
            let samples = of(row.it);
            (samples.count > 0).then(|| milliseconds(value(samples)))
        })
        .says(format!("{words} of the {noun}."));
    }
}

/// True for a flow from a station to a wired host.
fn goes_up(flow: &Flow) -> bool {
    matches!((flow.from, flow.to), (Endpoint::Station(_), Endpoint::Host(_)))
}
