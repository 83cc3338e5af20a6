//! Worked examples of BBR version 1.

use super::*;
use crate::bbr::fixture::{SEGMENT, sampled, seen};

/// A megabyte per second: 100 segments in 100 ms.
const BANDWIDTH: f64 = 1_000_000.0;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A state in `ProbeBW` at the start of the phase with `index`, with a product of 100 segments.
fn probing(index: usize) -> State {
    State {
        mode: Mode::ProbeBw { index, since: Time::ZERO },
        bandwidth: MaxFilter::default().with(BANDWIDTH_ROUNDS, 0, BANDWIDTH),
        round_trip: Some(ms(100)),
        is_full: true,
        has_rate: true,
        pacing_rate: BANDWIDTH,
        full_bandwidth: BANDWIDTH,
        ..State::default()
    }
}

/// The first rate is 2.89 times the window per round trip, less 1 %; before a round trip is known, per
/// millisecond.
///
/// Verifies: [bbr-v1], [linux-bbr]
#[test]
fn the_first_rate_is_a_window_per_round_trip() {
    // 10 000 octets/1 ms · 739/256 · 0.99
    assert!((State::new(10_000).pacing_rate - 28_578_515.625).abs() < 1e-3);
    let seen = Seen { cwnd: 10_000, sample: None, ..seen(0) };
    let (state, control) = step(State::new(10_000), &seen);
    assert!((control.pacing_rate - 285_785.156_25).abs() < 1e-6 && state.has_rate);
}

/// Startup ends after three rounds in which the bandwidth grows by less than a quarter.
///
/// Verifies: [bbr-v1], [linux-bbr]
#[test]
fn startup_ends_after_three_rounds_without_a_quarter_more() {
    let mut state = State::new(10_000);
    for (at, rate) in [(100, 100e3), (200, 200e3), (300, 251e3), (400, 300e3), (500, 310e3)] {
        (state, _) = step(state, &sampled(at, rate, true));
        assert_eq!((state.mode, state.is_full), (Mode::Startup, false), "{at}");
    }
    // 251 → 300 is less than 313.75, as are 310 and the third.
    assert_eq!((state.rounds, state.full_rounds), (5, 2));
    let (between, _) = step(state, &Seen { delivered: 9_999, ..sampled(550, 310e3, false) });
    assert_eq!(between.full_rounds, 2, "not in the middle of a round");
    let (state, control) = step(state, &sampled(600, 310e3, true));
    assert_eq!((state.mode, state.is_full), (Mode::Drain, true));
    // 310 000 · 88/256 · 0.99
    assert!((control.pacing_rate - 105_496.875).abs() < 1e-6);
}

/// Drain ends when the data in flight is at the product and three bursts; the phase that follows is random, but
/// never that of 3/4.
///
/// Verifies: [bbr-v1], [linux-bbr]
#[test]
fn drain_ends_at_the_product_in_a_random_phase() {
    let draining = State { mode: Mode::Drain, ..probing(0) };
    // 100 segments + 3·2 → 106, even
    let at = |in_flight: u64, random| Seen {
        in_flight: in_flight * SEGMENT,
        random,
        ..sampled(1_000, BANDWIDTH, false)
    };
    assert_eq!(step(draining, &at(107, 0)).0.mode, Mode::Drain);
    let phases: Vec<_> = (0..7)
        .map(|random| match step(draining, &at(106, random)).0.mode {
            Mode::ProbeBw { index, .. } => index,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(phases, [0, 7, 6, 5, 4, 3, 2]);
}

/// A phase of gain 1 lasts a round trip; 5/4 also until a quarter more is in flight or a loss; 3/4 at most until
/// the queue is empty.
///
/// Verifies: [bbr-v1], [linux-bbr]
#[test]
fn phases_end_by_time_and_by_data_in_flight() {
    let index = |from: usize, at_ms: u64, before: u64, lost: u64| {
        let in_flight_before = before * SEGMENT;
        let seen = Seen { in_flight_before, lost, ..sampled(at_ms, BANDWIDTH, false) };
        match step(probing(from), &seen).0.mode {
            Mode::ProbeBw { index, .. } => index,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((index(2, 100, 100, 0), index(2, 101, 100, 0), index(7, 101, 100, 0)), (2, 3, 0));
    // 125 + 6 → 132 + 2 = 134 segments, of which the next burst has 2
    assert_eq!((index(0, 101, 131, 0), index(0, 101, 132, 0)), (0, 1));
    assert_eq!((index(0, 99, 140, 0), index(0, 101, 100, SEGMENT)), (0, 1));
    // 106 segments
    assert_eq!((index(1, 50, 107, 0), index(1, 50, 106, 0), index(1, 101, 200, 0)), (1, 2, 2));
}

/// After ten seconds without a shorter round trip the window is four segments for 200 ms and a round; then the
/// window returns.
///
/// Verifies: [bbr-v1], [linux-bbr]
#[test]
fn probe_rtt_holds_four_segments_for_200_ms_and_a_round() {
    let late = |at, in_flight: u64, is_new| Seen {
        round_trip: Some(ms(120)),
        in_flight: in_flight * SEGMENT,
        ..sampled(at, BANDWIDTH, is_new)
    };
    let (state, control) = step(probing(2), &late(10_000, 200, true));
    assert!(matches!(state.mode, Mode::ProbeBw { .. }) && !control.is_app_limited);
    let (state, control) = step(state, &late(10_001, 200, true));
    assert_eq!(state.mode, Mode::ProbeRtt { until: None, is_round_over: false });
    assert_eq!((control.cwnd, control.is_app_limited), (4 * SEGMENT, true));
    assert_eq!((state.round_trip, state.saved_window), (Some(ms(120)), 100 * SEGMENT));
    let small = |at, is_new| Seen { cwnd: 4 * SEGMENT, ..late(at, 4, is_new) };
    let (state, _) = step(state, &small(10_100, false));
    let until = Some(Time::ZERO + ms(10_300));
    assert_eq!(state.mode, Mode::ProbeRtt { until, is_round_over: false });
    let (state, control) = step(state, &small(10_200, true));
    assert_eq!(state.mode, Mode::ProbeRtt { until, is_round_over: true });
    assert_eq!(control.cwnd, 4 * SEGMENT);
    let (state, control) = step(state, &small(10_301, false));
    assert!(matches!(state.mode, Mode::ProbeBw { .. }));
    assert_eq!(control.cwnd, 101 * SEGMENT);
    assert_eq!(state.round_trip_at, Time::ZERO + ms(10_301));
}

/// The first round of a recovery sends a segment for each that arrives; after the recovery the window returns.
///
/// Verifies: [linux-bbr]
#[test]
fn a_recovery_begins_with_a_round_of_conservation() {
    let state = probing(2).saved(100 * SEGMENT);
    let loss = Seen { phase: Phase::Recovery, lost: 2 * SEGMENT, ..sampled(50, BANDWIDTH, false) };
    let (state, control) = step(state, &Seen { in_flight: 90 * SEGMENT, ..loss });
    assert_eq!((state.conserves, control.cwnd), (true, 91 * SEGMENT));
    let open = Seen { cwnd: 91 * SEGMENT, ..sampled(200, BANDWIDTH, false) };
    let (state, control) = step(state, &open);
    assert_eq!((state.conserves, control.cwnd), (false, 101 * SEGMENT));
}

/// The window is twice the product, three bursts and the excess of acknowledged data.
///
/// Verifies: [bbr-v1], [linux-bbr]
#[test]
fn the_window_is_two_products_and_the_aggregate() {
    let seen = Seen { cwnd: 400 * SEGMENT, ..sampled(50, BANDWIDTH, false) };
    // 200 + 1 acknowledged at once + 6 = 207 → 208
    let (state, control) = step(State { extra_since: seen.now, ..probing(2) }, &seen);
    assert_eq!((state.extra, control.cwnd), ([SEGMENT, 0], 208 * SEGMENT));
    // 150 octets more in the same instant: at most 100 ms of the bandwidth, 100 segments
    let (_, control) = step(state, &Seen { acked: 150 * SEGMENT, ..seen });
    assert_eq!(control.cwnd, 306 * SEGMENT);
}

/// A sample that the application limits counts only if it is larger than the estimate.
///
/// Verifies: [bbr-v1]
#[test]
fn a_limited_sample_does_not_lower_the_estimate() {
    let limited = |rate| {
        let mut seen = sampled(50, rate, true);
        seen.sample = seen.sample.map(|sample| Sample { is_app_limited: true, ..sample });
        (1..20).fold(probing(2), |state, _| step(state, &seen).0).bandwidth.get()
    };
    assert!((limited(500e3) - BANDWIDTH).abs() < 1e-9 && (limited(2e6) - 2e6).abs() < 1e-9);
}
