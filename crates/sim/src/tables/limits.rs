//! Tables of the things that limit flows.

use airfair_transport::limit::Limit;
use airfair_units::Duration;

use super::{Declaration, Of, PLACE, REPLICATION, Table, Unit, share};
use crate::outcome::{FlowOutcome, Limits, Outcome, PlaceOutcome};
use crate::record::{CellId, Place};

const MEANING: &str = "Shares of the time in which each flow's sender was open, by what limited it then; they add up to 1, \
    and are null where it was never open, and for flows of programs outside. Where packets of a flow wait on its way while its \
    windows or its rate are used up, the wire or the air is what limits it; its sender is where none wait.";

/// A limit of a sender: column, and its meaning.
fn of_sender(limit: Limit) -> (&'static str, &'static str) {
    match limit {
        Limit::Handshake => ("handshake", "The connection was being opened."),
        Limit::Application => {
            ("application", "The application had no more data, or all of it was sent.")
        }
        Limit::ReceiveWindow => ("receive_window", "The receiver's window was full."),
        Limit::CongestionWindow => (
            "congestion_window",
            "The congestion window was full: it still grew, or a loss had reduced it.",
        ),
        Limit::Rate => ("rate", "TFRC's allowed rate was used up."),
        Limit::Control => ("control", "The limit that a control scheme had set was reached."),
        Limit::HostQueue => (
            "host_queue",
            "The transmit queue of its own host had been full, and the next ACK was awaited.",
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
    .says("Packets of it waited before a wired link.");
    t.column("air", Unit::Fraction, |row| {
        part(row, |it| waited(it, |at| matches!(at, Place::Air { .. })))
    })
    .says("Packets of it waited for the air, in the queue of a station or an access point.");
    t.table
}

/// A time as a part of the flow's life.
fn part(row: &Of<'_, FlowOutcome>, time: impl Fn(&Limits) -> Duration) -> Option<f64> {
    let limits = &row.it.limits;
    let whole = limits.total();
    (!whole.is_zero()).then(|| share(time(limits), whole))
}

/// Time in which packets waited at such places.
fn waited(limits: &Limits, is_such: impl Fn(Place) -> bool) -> Duration {
    limits.places.iter().filter(|it| is_such(it.place)).map(|it| it.waited).sum()
}

/// A place of a flow's route.
struct Row<'r> {
    run: &'r Outcome,
    flow: u32,
    limits: &'r Limits,
    it: &'r PlaceOutcome,
}

pub(super) fn places(runs: &[&Outcome]) -> Table {
    let rows = runs.iter().flat_map(|run| {
        (0..).zip(&run.flows).flat_map(move |(flow, of)| {
            let limits = &of.limits;
            limits.places.iter().map(move |it| Row { run, flow, limits, it })
        })
    });
    let meaning = "Places on the route of each flow where packets of it waited while it could not send more, or were lost.";
    let mut t = Declaration::new("places", meaning, rows.collect());
    t.column("replication", Unit::Number, |row| row.run.replication).says(REPLICATION);
    t.column("flow", Unit::Number, |row| row.flow).says(PLACE);
    t.column("channel", Unit::Number, |row| member(row).map(|(cell, _)| f64::from(cell.0))).says(
        "Place of the cell in the scenario's list, where they waited for the air; else null.",
    );
    t.column("member", Unit::Number, |row| member(row).map(|(_, number)| f64::from(number)))
        .says("Number of the member of that cell in whose queue they were: 0 is its access point, 1 its first station; null before a wire.");
    t.column("link", Unit::Number, |row| match row.it.place {
        Place::Wire(link) => Some(f64::from(link.0)),
        Place::Air { .. } => None,
    })
    .says("Place of the direction of a wired link, as in the table of links; null before the air.");
    t.column("waited", Unit::Fraction, |row| {
        let whole = row.limits.total();
        (!whole.is_zero()).then(|| share(row.it.waited, whole))
    })
    .says("Share of the time in which the flow's sender was open in which they waited there; null if that is nothing.");
    t.column("lost", Unit::Packets, |row| row.it.lost)
        .says("Packets of the flow's sender that were lost there within the measured time.");
    t.table
}

fn member(row: &Row<'_>) -> Option<(CellId, u16)> {
    match row.it.place {
        Place::Air { cell, member } => Some((cell, member)),
        Place::Wire(_) => None,
    }
}
