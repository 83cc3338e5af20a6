//! Sums that must hold for every run: packets of each flow, and time of each channel.

use airfair_sim::outcome::{FlowOutcome, Outcome, RadioOutcome, StationOutcome};
use airfair_sim::record::CellId;
use airfair_sim::scenario::Scenario;
use airfair_units::Duration;

/// Checks the sums of a run: packets of each flow, and time of each channel.
///
/// # Panics
/// If a sum does not hold.
pub(crate) fn check(scenario: &Scenario, outcome: &Outcome) {
    let (mut exchanges, mut contention) = (Duration::ZERO, Duration::ZERO);
    for channel in &outcome.channels {
        let busy = [channel.data, channel.control, channel.beacon, channel.collision];
        let parts = busy.into_iter().chain([channel.neighbours, channel.overlap]);
        let parts = parts.chain([channel.contention, channel.idle]);
        assert_eq!(parts.sum::<Duration>(), outcome.elapsed, "parts of a channel's time");
        exchanges = exchanges + channel.data + channel.control;
        contention += channel.contention;
    }
    for (cell, channel) in outcome.channels.iter().enumerate() {
        let held = outcome.neighbours.iter().filter(|it| it.cell == CellId::new(cell));
        assert!(held.clone().all(|it| it.neighbour != it.cell && !it.airtime.is_zero()));
        let held: Duration = held.map(|it| it.airtime).sum();
        assert_eq!(held, channel.neighbours, "time of each neighbour");
    }
    assert!(outcome.neighbours.is_sorted_by_key(|it| [it.cell, it.neighbour]));
    let held = |it: &StationOutcome| it.airtime_data_up + it.airtime_data_down + it.airtime_control;
    let stations: Duration = outcome.stations.iter().map(held).sum();
    assert_eq!(stations, exchanges, "airtime of all stations");
    let gaps: Duration = outcome.stations.iter().map(|station| station.contention).sum();
    assert!(gaps <= contention, "contention of stations");
    for (flow, spec) in outcome.flows.iter().zip(&scenario.flows) {
        check_flow(&spec.name, flow, outcome.elapsed);
    }
    for link in &outcome.links {
        let ended = link.packets + link.lost + link.dropped_queue_full + link.dropped_early;
        assert!(ended <= link.packets_sent, "{link:?}");
    }
    check_drops(outcome);
}

fn check_flow(name: &str, flow: &FlowOutcome, elapsed: Duration) {
    let accounted = flow.packets_received + flow.packets_dropped + flow.packets_in_flight;
    assert_eq!(flow.packets_sent, accounted, "packets of flow {name}: {flow:?}");
    assert!(flow.packets_repeated <= flow.packets_received, "{flow:?}");
    assert!(flow.retransmissions <= flow.packets_sent, "{flow:?}");
    assert_eq!(flow.delay.count, flow.packets_received, "delays of flow {name}");
    assert!(flow.active <= elapsed, "life of flow {name}");
    assert!(!flow.active.is_zero() || flow.delivered.is_zero(), "{flow:?}");
}

/// Checks that flows and queues count the same drops.
fn check_drops(outcome: &Outcome) {
    let by_flow: u64 = outcome.flows.iter().map(|f| f.packets_dropped + f.acks_dropped).sum();
    let refused: u64 = outcome.flows.iter().map(|f| f.packets_refused).sum();
    let stations = outcome.stations.iter().map(|station| &station.radio);
    let radios = outcome.access_points.iter().chain(stations);
    for radio in radios.clone() {
        assert!(radio.retries <= radio.frames + radio.rts_frames, "{radio:?}");
    }
    let drops = |r: &RadioOutcome| {
        r.dropped_queue_full
            + r.dropped_retry_limit
            + r.dropped_codel
            + r.dropped_ack_filter
            + r.dropped_late
            + r.dropped_by_scheme
    };
    let on_wires = |link: &airfair_sim::outcome::LinkOutcome| {
        link.dropped_queue_full + link.dropped_early + link.lost
    };
    let by_cause = radios.map(drops).sum::<u64>() + outcome.links.iter().map(on_wires).sum::<u64>();
    // A frame whose ACKs were all lost is given up although its packet has arrived.
    assert!(by_flow + refused <= by_cause, "{by_flow} and {refused} against {by_cause}");
}
