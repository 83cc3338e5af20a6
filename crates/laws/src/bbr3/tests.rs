//! Worked examples of BBR version 3.

use super::*;
use crate::bbr::fixture::{SEGMENT, sampled};

/// A megabyte per second: 100 segments in 100 ms.
const BANDWIDTH: f64 = 1_000_000.0;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A state with a product of 100 segments.
fn in_mode(mode: Mode) -> State {
    State {
        mode,
        cycles: [BANDWIDTH; 2],
        round_trip: Some(ms(100)),
        recent_round_trip: Some(ms(100)),
        is_full: true,
        has_rate: true,
        wait: Duration::from_secs(2),
        ..State::new(10_000)
    }
}

fn segments(count: u64) -> f64 {
    float(count * SEGMENT)
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6 * other.abs().max(1.0)
}

/// Startup paces at 2.77 windows per round trip, and ends after three rounds without a quarter more.
///
/// Verifies: [draft-bbr §5.3.1.2], [draft-bbr §5.6.2]
#[test]
fn startup_ends_after_three_rounds_without_a_quarter_more() {
    let mut state = State::new(10_000);
    for (at, rate) in [(100, 100e3), (200, 200e3), (300, 251e3), (400, 300e3), (500, 310e3)] {
        let (next, control) = step(state, &sampled(at, rate, true));
        state = next;
        assert_eq!((state.mode, state.is_full), (Mode::Startup, false), "{at}");
        // 277 000 = 2.77 · 10 000/100 ms is the least.
        assert!(near(control.pacing_rate, (0.99 * 2.77 * rate).max(277_000.0)), "{at}");
    }
    let (state, control) = step(state, &sampled(600, 310e3, true));
    assert!(state.full.is_now && state.is_full);
    assert_eq!(state.mode, Mode::Drain { since: 6 });
    assert!(near(control.pacing_rate, 0.5 * 0.99 * 310e3));
}

/// Startup ends by losses if a recovery has lasted a round with six ACKs with losses and more than 2 % are lost.
///
/// Verifies: [draft-bbr §5.3.1.3]
#[test]
fn startup_ends_by_six_losses_in_a_round_of_recovery() {
    let ends = |losses, lost: u64, phase| {
        let mut seen = Seen { phase, ..sampled(500, BANDWIDTH, true) };
        seen.sample = seen.sample.map(|it| Sample { lost: lost * SEGMENT, ..it });
        let state = State { losses, is_full: false, ..in_mode(Mode::Startup) };
        let (state, _) = step(state, &seen);
        (state.mode != Mode::Startup, state.long_term)
    };
    // The product is 100 segments, as is the volume of the round.
    assert_eq!(ends(6, 3, Phase::Recovery), (true, segments(100)));
    for (losses, lost, phase) in
        [(5, 3, Phase::Recovery), (6, 2, Phase::Recovery), (6, 3, Phase::Open)]
    {
        assert_eq!(ends(losses, lost, phase), (false, f64::INFINITY));
    }
}

/// Drain ends when the data in flight is at most the product, and after three rounds in any case.
///
/// Verifies: [draft-bbr §5.3.2]
#[test]
fn drain_ends_at_the_product_or_after_three_rounds() {
    let after = |in_flight: u64, rounds| {
        let seen = Seen { in_flight: in_flight * SEGMENT, ..sampled(900, BANDWIDTH, false) };
        let state = State { rounds, round_end: u64::MAX, ..in_mode(Mode::Drain { since: 5 }) };
        step(state, &seen).0.mode
    };
    assert_eq!(after(101, 8), Mode::Drain { since: 5 });
    assert_eq!((after(100, 5), after(200, 9)), (Mode::Cruise, Mode::Down));
}

/// A cycle: Cruise ends 2 to 3 seconds after its start, or after as many rounds as the product has segments, 63 at
/// most; Refill lasts a round; Up ends when the pipe is full.
///
/// Verifies: [draft-bbr §5.3.3.8], [draft-bbr §5.3.3.9]
#[test]
fn a_cycle_cruises_refills_and_probes() {
    let cruise = State { round_end: u64::MAX, ..in_mode(Mode::Cruise) };
    let mode = |state, at| step(state, &sampled(at, BANDWIDTH, false)).0.mode;
    assert_eq!((mode(cruise, 2_000), mode(cruise, 2_001)), (Mode::Cruise, Mode::Refill));
    let rounds = |since_up| mode(State { since_up, ..cruise }, 500);
    assert_eq!((rounds(62), rounds(63)), (Mode::Cruise, Mode::Refill));
    let (refill, control) = step(cruise, &sampled(2_001, BANDWIDTH, false));
    assert!(near(control.pacing_rate, 0.99 * BANDWIDTH));
    let (up, control) = step(refill, &sampled(2_101, BANDWIDTH, true));
    assert_eq!((up.mode, up.is_probe_sample), (Mode::Up, true));
    assert!(near(control.pacing_rate, 1.25 * 0.99 * BANDWIDTH));
    let mut state = up;
    for at in [2_201, 2_301] {
        state = step(state, &sampled(at, BANDWIDTH, true)).0;
        assert_eq!(state.mode, Mode::Up);
    }
    let random = 2 * 500_000_000 + 1;
    let last = Seen { random, ..sampled(2_401, BANDWIDTH, true) };
    let (down, control) = step(state, &last);
    assert_eq!((down.mode, down.ack_phase), (Mode::Down, AckPhase::Stopping));
    assert!(near(control.pacing_rate, 0.9 * 0.99 * BANDWIDTH));
    // The wait is random: 1 of 2 rounds, and 2 s and half of the second.
    assert_eq!((down.since_up, down.wait), (1, ms(2_500)));
}

/// Losses of more than 2 % of the data in flight while probing set the long-term limit to the data in flight at
/// which they crossed 2 %, but to 0.7 of the target at least.
///
/// Verifies: [draft-bbr §5.5.10.2]
#[test]
fn losses_of_probing_set_the_long_term_limit() {
    let up = State { is_probe_sample: true, ..in_mode(Mode::Up) };
    let lost = |sent: u64, lost: u64| LostSegment {
        size: SEGMENT,
        sent_in_flight: sent * SEGMENT,
        lost: lost * SEGMENT,
        is_app_limited: false,
    };
    let seen = sampled(500, BANDWIDTH, false);
    // 2 of 150 are less than 2 %.
    let kept = lose(up, &lost(150, 2), &seen);
    assert!(kept.mode == Mode::Up && kept.has_loss && kept.long_term.is_infinite());
    // 4 of 150: (0.02 · 149 − 3)/0.98 = −0.0204 after 149 segments
    let state = lose(up, &lost(150, 4), &seen);
    assert!(near(state.long_term, 149_000.0 + (0.02 * 149_000.0 - 3_000.0) / 0.98));
    assert_eq!((state.mode, state.was_too_high), (Mode::Down, true));
    assert!(!state.is_probe_sample, "one response per probe");
    // 4 of 50: 0.7 · 100 segments
    assert!(near(lose(up, &lost(50, 4), &seen).long_term, segments(70)));
}

/// A round with losses outside probing lowers the short-term bounds to what the round delivered, 0.7 at least; Refill
/// removes them.
///
/// Verifies: [draft-bbr §5.5.10.3]
#[test]
fn losses_of_cruising_lower_the_short_term_bounds() {
    let lost = LostSegment { size: 1, sent_in_flight: 1, lost: 1, is_app_limited: false };
    let state = lose(in_mode(Mode::Cruise), &lost, &sampled(400, BANDWIDTH, false));
    let mut seen = sampled(500, 900e3, true);
    seen.sample = seen.sample.map(|it| Sample { delivered: 90 * SEGMENT, ..it });
    let (state, control) = step(state, &seen);
    assert!(near(state.short_bandwidth, 900e3) && near(state.short_term, segments(90)));
    assert!(near(control.pacing_rate, 0.99 * 900e3) && control.cwnd == 90 * SEGMENT);
    // The next round with a loss delivers much less: 0.7 · 900 000
    let state = lose(state, &lost, &sampled(550, BANDWIDTH, false));
    let state = State { latest_rate: 0.0, latest_volume: 0.0, ..state };
    let mut seen = Seen { cwnd: 90 * SEGMENT, ..sampled(600, 300e3, true) };
    seen.sample = seen.sample.map(|it| Sample { delivered: 30 * SEGMENT, ..it });
    let (state, _) = step(state, &seen);
    assert!(near(state.short_bandwidth, 630e3) && near(state.short_term, segments(63)));
    assert!(near(state.bandwidth(), 630e3));
    let refill = state.refilling(0);
    assert!(near(refill.bandwidth(), BANDWIDTH) && refill.short_term.is_infinite());
}

/// With a long-term limit Cruise leaves 15 % headroom, and Down waits for it.
///
/// Verifies: [draft-bbr §5.3.3.9], [draft-bbr §5.6.4.7]
#[test]
fn cruising_leaves_headroom_below_the_long_term_limit() {
    let bound = |mode| State { long_term: segments(100), round_end: u64::MAX, ..in_mode(mode) };
    let at =
        |in_flight: u64| Seen { in_flight: in_flight * SEGMENT, ..sampled(500, BANDWIDTH, false) };
    assert_eq!(step(bound(Mode::Down), &at(86)).0.mode, Mode::Down);
    let (state, control) = step(bound(Mode::Down), &at(85));
    assert_eq!((state.mode, control.cwnd), (Mode::Cruise, 85 * SEGMENT));
}

/// In Up the long-term limit grows by 1, 2, 4 … segments per round while the window is at the limit.
///
/// Verifies: [draft-bbr §5.3.3.9]
#[test]
fn the_long_term_limit_grows_by_powers_of_two() {
    let up = State { long_term: segments(100), round_end: u64::MAX, ..in_mode(Mode::Up) };
    for (rounds, growth) in [(0, 1), (1, 2), (3, 8)] {
        let mut state = raise_slope(State { up_rounds: rounds, ..up }, &sampled(1, 1.0, false));
        for _ in 0..100 {
            state = raise_long_term(state, &Seen { cwnd: 200 * SEGMENT, ..sampled(1, 1.0, false) });
        }
        assert!(near(state.long_term, segments(100 + growth)), "{rounds}");
    }
}

/// After a probe that lost too much, the next one ends as soon as the limit is reached; if it loses nothing, another
/// one follows at once.
///
/// Verifies: [draft-bbr §5.3.3.4]
#[test]
fn a_probe_after_losses_is_cautious() {
    let up = State {
        long_term: segments(99),
        was_too_high: true,
        round_end: u64::MAX,
        ..in_mode(Mode::Up)
    };
    let mut seen = sampled(500, BANDWIDTH, false);
    seen.sample = seen.sample.map(|it| Sample { sent_in_flight: 90 * SEGMENT, ..it });
    let (down, _) = step(up, &seen);
    assert_eq!((down.mode, down.was_precautionary, down.was_too_high), (Mode::Down, true, false));
    let (refill, _) = step(down, &sampled(600, BANDWIDTH, true));
    assert_eq!((refill.mode, refill.was_precautionary), (Mode::Refill, false));
}

/// The bandwidth is the largest rate of the cycle before and of this one.
///
/// Verifies: [draft-bbr §5.5.5]
#[test]
fn the_bandwidth_lasts_for_two_cycles() {
    let state = State { cycles: [0.0, BANDWIDTH], ..in_mode(Mode::Down) };
    let end_cycle = |state| {
        let state = State { ack_phase: AckPhase::Stopping, mode: Mode::Down, ..state };
        step(state, &sampled(500, 400e3, true)).0
    };
    let state = end_cycle(state);
    assert!(near(state.max_bandwidth(), BANDWIDTH));
    let state = step(state, &sampled(600, 400e3, false)).0;
    assert!(near(end_cycle(state).max_bandwidth(), 400e3));
}

/// After five seconds without a shorter round trip the data in flight is at half of the product for 200 ms and a
/// round; then the connection cruises, and the smallest round trip is forgotten after ten seconds.
///
/// Verifies: [draft-bbr §5.3.4.3]
#[test]
fn probe_rtt_comes_after_five_seconds_and_leads_to_cruise() {
    let late = |at, in_flight: u64, is_new| Seen {
        round_trip: Some(ms(120)),
        in_flight: in_flight * SEGMENT,
        ..sampled(at, BANDWIDTH, is_new)
    };
    let cruise = State { cycle_at: Time::ZERO + ms(5_000), ..in_mode(Mode::Cruise) };
    let (state, _) = step(cruise, &late(5_000, 100, false));
    assert_eq!(state.mode, Mode::Cruise);
    let (state, control) = step(state, &late(5_001, 100, false));
    assert_eq!(state.mode, Mode::ProbeRtt { until: None, is_round_over: false });
    assert_eq!((control.cwnd, control.is_app_limited), (50 * SEGMENT, true));
    assert_eq!((state.round_trip, state.recent_round_trip), (Some(ms(100)), Some(ms(120))));
    let (state, _) = step(state, &late(5_100, 50, false));
    let until = Some(Time::ZERO + ms(5_300));
    assert_eq!(state.mode, Mode::ProbeRtt { until, is_round_over: false });
    let (state, _) = step(state, &late(5_200, 50, true));
    let (state, control) = step(state, &Seen { cwnd: 50 * SEGMENT, ..late(5_301, 50, false) });
    assert_eq!((state.mode, control.cwnd), (Mode::Cruise, 101 * SEGMENT));
    assert_eq!(state.recent_at, Time::ZERO + ms(5_301));
    let (state, _) =
        step(State { wait: Duration::from_secs(99), ..state }, &late(10_001, 90, false));
    assert_eq!(state.round_trip, Some(ms(120)));
}

/// A needless recovery restores the bounds, and returns to the state that the losses have ended.
///
/// Verifies: [draft-bbr §5.5.11.2]
#[test]
fn a_needless_recovery_is_undone() {
    let up = State { is_probe_sample: true, ..in_mode(Mode::Up) };
    let (size, sent_in_flight, lost) = (SEGMENT, 50 * SEGMENT, 4 * SEGMENT);
    let lost = LostSegment { size, sent_in_flight, lost, is_app_limited: false };
    let state = lose(up, &lost, &sampled(500, BANDWIDTH, false));
    assert_eq!((state.mode, state.saved.mode), (Mode::Down, Some(Mode::Up)));
    let state = state.undone();
    assert!(state.mode == Mode::Refill && state.long_term.is_infinite());
}
