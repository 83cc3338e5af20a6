//! Tables of what limits flows.

use airfair_transport::limit::Limit;
use airfair_units::Duration;

use super::declaration::{Declaration, Of, PLACE, REPLICATION};
use super::numbers::share;
use super::table::{Table, Unit};
use crate::outcome::{FlowLimits, FlowOutcome, Outcome, PlaceOutcome};
use crate::record::{CellId, Place};

const MEANING: &str = "Limits of each flow, as shares of the time from its start until its sender is done; they add up to 1. \
    A wire or the air limits a flow while the flow's window or rate is used up and its packets wait in a queue on its route. \
    While none wait, the sender's own limit counts. All shares are null for a flow that has not started, and for the flow of a \
    program outside airfair.";

/// Name and meaning of the column for a limit of the sender.
fn of_sender(limit: Limit) -> (&'static str, &'static str) {
    match limit {
        Limit::Handshake => ("handshake", "TCP opened the connection."),
        Limit::Application => ("application", "The sender had sent all data of its application."),
        Limit::ReceiveWindow => ("receive_window", "The receiver's window was used up."),
        Limit::CongestionWindow => (
            "congestion_window",
            "The congestion window was used up: it was still growing, or a loss had reduced it.",
        ),
        Limit::Rate => ("rate", "The sender sent at TFRC's allowed rate."),
        Limit::Control => {
            ("control", "The sender had reached the limit that the flow's control scheme set.")
        }
        Limit::HostQueue => (
            "host_queue",
            "The sender waited for the next ACK because the transmit queue of its host had refused a packet.",
        ),
    }
}

pub(super) fn limits(runs: &[&Outcome]) -> Table {
    let mut t = Declaration::of_each("limits", "flow", MEANING, runs, |run| &run.flows);
    for limit in Limit::ALL {
        let (name, meaning) = of_sender(limit);
        t.column(name, Unit::Fraction, |row| part(row, |it| it.sender[limit as usize]))
            .says(meaning);
    }
    t.column("wire", Unit::Fraction, |row| {
        part(row, |it| waited(it, |at| matches!(at, Place::Wire(_))))
    })
    .says("Packets of the flow waited in the queue of a wired link.");
    t.column("air", Unit::Fraction, |row| {
        part(row, |it| waited(it, |at| matches!(at, Place::Air { .. })))
    })
    .says("Packets of the flow waited for the air, in the queue of a station or an access point.");
    t.table
}

/// Duration that `time` selects, as a fraction of the time for which the flow's sender was open; `None` if that is
/// zero.
fn part(row: &Of<'_, FlowOutcome>, time: impl Fn(&FlowLimits) -> Duration) -> Option<f64> {
    let limits = &row.it.limits;
    let whole = limits.total();
    (!whole.is_zero()).then(|| share(time(limits), whole))
}

/// Time for which the flow's packets waited in the queues that `is_such` selects.
fn waited(limits: &FlowLimits, is_such: impl Fn(Place) -> bool) -> Duration {
    limits.places.iter().filter(|it| is_such(it.place)).map(|it| it.waited).sum()
}

/// Row of the table of places: one queue on a flow's route, with the hop behind it.
struct Row<'r> {
    run: &'r Outcome,
    flow: u32,
    limits: &'r FlowLimits,
    it: &'r PlaceOutcome,
}

pub(super) fn places(runs: &[&Outcome]) -> Table {
    let rows = runs.iter().flat_map(|run| {
        (0..).zip(&run.flows).flat_map(move |(flow, of)| {
            let limits = &of.limits;
            limits.places.iter().map(move |it| Row { run, flow, limits, it })
        })
    });
    let meaning = "Queues on the route of each flow: those in which its packets waited while its sender could not \
                   send more, and those in which its packets were lost.";
    let mut t = Declaration::new("places", meaning, rows.collect());
    t.column("replication", Unit::Number, |row| row.run.replication).says(REPLICATION);
    t.column("flow", Unit::Number, |row| row.flow).says(PLACE);
    t.column("channel", Unit::Number, |row| member(row).map(|(cell, _)| f64::from(cell.0))).says(
        "Cell of the queue, as its index in the scenario's list; null for the queue of a wired link.",
    );
    t.column("member", Unit::Number, |row| member(row).map(|(_, number)| f64::from(number)))
        .says("Member of that cell that has the queue: 0 is the access point, 1 the first station; null for the queue of a wired link.");
    t.column("link", Unit::Number, |row| match row.it.place {
        Place::Wire(link) => Some(f64::from(link.0)),
        Place::Air { .. } => None,
    })
    .says(
        "Direction of the wired link that has the queue, as its index in the table of links; null for the queue of a \
         station or an access point.",
    );
    t.column("waited", Unit::Fraction, |row| {
        let whole = row.limits.total();
        (!whole.is_zero()).then(|| share(row.it.waited, whole))
    })
    .says(
        "Share of the time in which packets waited in this queue, from the flow's start until its sender was done; \
         null if that time is 0.",
    );
    t.column("lost", Unit::Packets, |row| row.it.lost)
        .says(
            "Packets from the flow's sender that were lost in this queue or on the hop after it, within the measured \
             time.",
        );
    t.table
}

fn member(row: &Row<'_>) -> Option<(CellId, u16)> {
    match row.it.place {
        Place::Air { cell, member } => Some((cell, member)),
        Place::Wire(_) => None,
    }
}
