use super::super::equation::Equation;
use super::*;
use airfair_units::Bytes;
use proptest::prelude::*;

const SEGMENT: u64 = 1_000;
const ALL: [Variant; 3] = [Variant::Rfc5348, Variant::Rfc3448, Variant::Ns2];

fn params(variant: Variant) -> Params {
    Params::new(variant, Bytes::new(SEGMENT))
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A TFRC sender's rate law with its parameters and state.
struct Run {
    params: Params,
    state: State,
}

impl Run {
    fn new(params: Params) -> Self {
        Self { params, state: start(&params, Time::ZERO) }
    }

    fn see(&mut self, at: u64, event: Event) -> Action {
        let (state, action) = step(&self.params, self.state, &Observation { now: ms(at), event });
        self.state = state;
        action
    }

    /// Processes a report at `at` ms with a round trip of 100 ms. Returns the rate after it.
    fn report(&mut self, at: u64, receive_rate: f64, loss_event_rate: f64) -> f64 {
        self.see(at, feedback(100, receive_rate, loss_event_rate));
        self.state.rate
    }

    /// Lets the no-feedback timer expire at `at` ms. Returns the rate after it.
    fn expire(&mut self, at: u64, is_idle: bool) -> f64 {
        self.see(at, Event::NoFeedback { is_idle });
        self.state.rate
    }
}

fn feedback(rtt: u64, receive_rate: f64, loss_event_rate: f64) -> Event {
    Event::Feedback {
        rtt_sample: Duration::from_millis(rtt),
        receive_rate,
        loss_event_rate,
        is_data_limited: false,
    }
}

fn limited(receive_rate: f64, loss_event_rate: f64) -> Event {
    Event::Feedback {
        rtt_sample: Duration::from_millis(100),
        receive_rate,
        loss_event_rate,
        is_data_limited: true,
    }
}

#[track_caller]
fn assert_rate(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6 * expected, "{found} is not {expected}");
}

/// X(p) of the throughput equation for R = 100 ms and s = 1000 octets.
fn allowed(p: f64) -> f64 {
    crate::tfrc::throughput(&Equation::default(), 1_000.0, 0.1, p)
}

/// Before the first report the rate is a packet per second, or ns-2's 300 octets/s, and the no-feedback timer
/// 2 s or two packets.
///
/// Verifies: [RFC5348 §4.2], [RFC3448 §4.2]
#[test]
fn a_packet_per_second_until_the_first_report() {
    for (variant, rate, timer_ms) in
        [(Variant::Rfc5348, 1_000.0, 2_000), (Variant::Rfc3448, 1_000.0, 2_000)]
    {
        let params = params(variant);
        let action = initial_action(&params, &start(&params, Time::ZERO));
        assert_rate(action.rate, rate);
        assert_eq!(action.no_feedback_after, Duration::from_millis(timer_ms));
    }
    // ns-2: 300 octets/s, and two packets of 1000 octets take 6.67 s
    let action = initial_action(&params(Variant::Ns2), &start(&params(Variant::Ns2), ms(0)));
    assert_rate(action.rate, 300.0);
    assert_eq!(action.no_feedback_after, Duration::from_nanos(6_666_666_667));
}

/// The first report sets the rate to the initial window per round trip, which depends on segment size and
/// variant.
///
/// Verifies: [RFC5348 §4.2], [RFC3390 §1], [RFC3448 §4.3]
#[test]
fn the_first_report_brings_the_initial_window() {
    for (segment, variant, window) in [
        (1_000, Variant::Rfc5348, 4_000.0),
        (1_460, Variant::Rfc5348, 4_380.0),
        (4_000, Variant::Rfc5348, 8_000.0),
        (1_460, Variant::Rfc3448, 1_460.0),
        (1_460, Variant::Ns2, 4_380.0),
        (4_000, Variant::Ns2, 8_000.0),
    ] {
        let mut run = Run::new(Params::new(variant, Bytes::new(segment)));
        assert_rate(run.report(100, 0.0, 0.0), window * 10.0);
    }
}

/// In slow start the rate doubles at most once per round trip, to at most twice the largest receive rate of
/// two round trips.
///
/// Verifies: [RFC5348 §4.3]
#[test]
fn slow_start_doubles_once_per_round_trip_and_to_twice_the_receive_rate_at_most() {
    let mut run = Run::new(params(Variant::Rfc5348));
    assert_rate(run.report(100, 0.0, 0.0), 40_000.0);
    // Less than R after the last doubling: unchanged
    assert_rate(run.report(199, 1.0, 0.0), 40_000.0);
    // Infinity is still in the set, so there is no limit.
    assert_rate(run.report(200, 1.0, 0.0), 80_000.0);
    // Infinity is older than 2R now; the larger of the last two reports counts
    assert_rate(run.report(300, 60_000.0, 0.0), 120_000.0);
    assert_rate(run.report(400, 10_000.0, 0.0), 120_000.0);
    // 60 000 from 300 ms is 2R old at 500 ms, and removed at 501
    assert_rate(run.report(501, 10_000.0, 0.0), 40_000.0);
}

/// RFC 3448 limits slow start by the last receive rate alone.
///
/// Verifies: [RFC3448 §4.3]
#[test]
fn the_older_standard_knows_one_receive_rate_only() {
    let mut run = Run::new(params(Variant::Rfc3448));
    assert_rate(run.report(100, 0.0, 0.0), 10_000.0);
    assert_rate(run.report(200, 10_000.0, 0.0), 20_000.0);
    assert_rate(run.report(300, 12_000.0, 0.0), 24_000.0);
    // One packet per round trip is the minimum in slow start.
    assert_rate(run.report(400, 0.0, 0.0), 10_000.0);
}

/// With loss the rate is that of the equation, at most twice the largest receive rate of two round trips.
///
/// Verifies: [RFC5348 §4.3]
#[test]
fn with_loss_the_equation_rules_under_twice_the_receive_rate() {
    for variant in [Variant::Rfc5348, Variant::Rfc3448] {
        let mut run = Run::new(params(variant));
        run.report(100, 0.0, 0.0);
        run.report(500, 200_000.0, 0.0);
        // X(.01) = 10 000/.089022 = 112 332 octets/s
        assert_rate(run.report(600, 200_000.0, 0.01), allowed(0.01));
        assert!((112_331.0..112_334.0).contains(&run.state.rate));
        // X(10⁻⁴) = 1.22 MB/s, but at most 90 000 were received in the last two round trips
        assert_rate(run.report(900, 90_000.0, 0.000_1), 180_000.0);
        // f(1) = 243: 41 octets/s, more than the 15.6 of s/64 s
        assert_rate(run.report(1_000, 90_000.0, 1.0), allowed(1.0));
        // Nothing received: one packet per 64 s
        run.report(1_400, 0.0, 1.0);
        assert_rate(run.report(1_800, 0.0, 1.0), 15.625);
    }
}

/// A report on a data-limited interval does not lower the largest receive rate, unless there is more loss.
///
/// Verifies: [RFC5348 §4.3 step 4]
#[test]
fn in_a_data_limited_interval_the_receive_rate_is_not_the_limit_it_was() {
    let mut run = Run::new(params(Variant::Rfc5348));
    run.report(100, 0.0, 0.0);
    run.report(500, 50_000.0, 0.001);
    assert_rate(run.state.rate, 100_000.0);
    // Seconds later, little was sent and received: the old maximum stays
    run.see(5_000, limited(1_000.0, 0.001));
    assert_rate(run.state.rate, 100_000.0);
    // More is received: the maximum rises
    run.see(5_100, limited(60_000.0, 0.001));
    assert_rate(run.state.rate, 120_000.0);
    // More loss: the set is halved to 30 000; .85·40 000 = 34 000 is larger, and is not doubled
    run.see(5_200, limited(40_000.0, 0.002));
    assert_rate(run.state.rate, 34_000.0);
    // The same for 18 000: .85·18 000 is less than half of 34 000 = 17 000
    run.see(5_300, limited(18_000.0, 0.003));
    assert_rate(run.state.rate, 17_000.0);
}

/// Without a round-trip estimate each expiry of the no-feedback timer halves the rate, unless the sender was
/// idle.
///
/// Verifies: [RFC5348 §4.4]
#[test]
fn without_a_round_trip_silence_halves_the_rate() {
    for variant in ALL {
        let mut run = Run::new(params(variant));
        let before = run.state.rate;
        assert_rate(run.expire(2_000, false), before / 2.0);
        // 1000 octets: two packets at the halved rate
        let action = run.see(6_000, Event::NoFeedback { is_idle: false });
        assert_eq!(action.no_feedback_after, seconds(2_000.0 / (before / 4.0)));
        for _ in 0..20 {
            run.expire(7_000, false);
        }
        assert_rate(run.state.rate, 15.625);
    }
    // While the sender is idle, missing feedback gives no information.
    let mut run = Run::new(params(Variant::Rfc5348));
    assert_rate(run.expire(2_000, true), 1_000.0);
}

/// Each expiry of the no-feedback timer halves the rate, down to one packet in 64 s.
///
/// Verifies: [RFC5348 §4.4]
#[test]
fn silence_halves_the_rate_down_to_a_packet_in_64_s() {
    for variant in [Variant::Rfc5348, Variant::Rfc3448] {
        // Limited by the equation: X(.01)/2, /4 …
        let mut run = Run::new(params(variant));
        run.report(100, 0.0, 0.0);
        run.report(500, 500_000.0, 0.01);
        for halvings in [2.0, 4.0, 8.0] {
            assert_rate(run.expire(1_000, false), allowed(0.01) / halvings);
        }
        // Limited by the receive rate: 2·40 000, then 40 000, 20 000
        let mut run = Run::new(params(variant));
        run.report(100, 0.0, 0.0);
        run.report(500, 40_000.0, 0.01);
        for rate in [40_000.0, 20_000.0, 10_000.0] {
            assert_rate(run.expire(1_000, false), rate);
        }
        for _ in 0..20 {
            run.expire(2_000, false);
        }
        assert_rate(run.state.rate, 15.625);
        let action = run.see(3_000, Event::NoFeedback { is_idle: false });
        assert_eq!(action.no_feedback_after, Duration::from_secs(128));
    }
}

/// An expiry of the no-feedback timer in slow start halves the rate.
///
/// Verifies: [RFC5348 §4.4], [RFC3448 §4.4, erratum 1458]
#[test]
fn silence_in_slow_start_halves_the_rate_too() {
    let mut run = Run::new(params(Variant::Rfc5348));
    run.report(100, 0.0, 0.0);
    run.report(500, 80_000.0, 0.0);
    assert_rate(run.expire(900, false), 40_000.0);
    assert_rate(run.expire(1_300, false), 20_000.0);
    // 3448: 10 000, 20 000, 40 000 with 2·X_recv = 40 000; then X_recv is halved
    let mut run = Run::new(params(Variant::Rfc3448));
    for (at, receive_rate) in [(100, 0.0), (200, 10_000.0), (300, 20_000.0)] {
        run.report(at, receive_rate, 0.0);
    }
    assert_rate(run.state.rate, 40_000.0);
    assert_rate(run.expire(700, false), 20_000.0);
    assert_rate(run.expire(1_100, false), 10_000.0);
}

/// If the sender was idle, an expiry of the no-feedback timer does not lower the rate below the initial rate.
///
/// Verifies: [RFC5348 §4.4], [RFC3448 §4.4]
#[test]
fn an_idle_period_does_not_go_below_the_initial_rate() {
    // Slow start: the rate is halved while it is 2·40 000 or more
    let mut run = Run::new(params(Variant::Rfc5348));
    run.report(100, 0.0, 0.0);
    run.report(200, 40_000.0, 0.0);
    run.report(300, 80_000.0, 0.0);
    assert_rate(run.state.rate, 160_000.0);
    for rate in [80_000.0, 40_000.0, 40_000.0] {
        assert_rate(run.expire(1_000, true), rate);
    }
    // With loss: X_recv < 40 000 is not halved
    run.report(1_100, 39_999.0, 0.01);
    run.report(1_500, 39_999.0, 0.01);
    assert_rate(run.expire(1_900, true), 79_998.0);
    // RFC 3448: X_recv < 4s/R = 40 000
    let mut run = Run::new(params(Variant::Rfc3448));
    run.report(100, 0.0, 0.0);
    run.report(500, 40_000.0, 0.01);
    for rate in [40_000.0, 40_000.0] {
        assert_rate(run.expire(1_000, true), rate);
    }
}

/// The round trip is smoothed with the weight q, and the no-feedback timer is four of it, in ns-2 two, or two
/// packets.
///
/// Verifies: [RFC5348 §4.3 steps 1 to 3]
#[test]
fn the_round_trip_is_smoothed_and_four_of_it_are_the_timer() {
    let mut run = Run::new(params(Variant::Rfc5348));
    run.see(100, feedback(100, 0.0, 0.0));
    // .9·100 + .1·200 = 110 ms; 4·110 is more than two packets at 40 000 octets/s
    let action = run.see(200, feedback(200, 40_000.0, 0.0));
    assert_eq!(action.no_feedback_after, Duration::from_millis(440));
    // At 1000 octets/s two packets take 2 s
    run.see(700, feedback(110, 500.0, 0.01));
    let action = run.see(1_200, feedback(110, 500.0, 0.01));
    assert_rate(run.state.rate, 1_000.0);
    assert_eq!(action.no_feedback_after, Duration::from_secs(2));
    // ns-2: .95·100 + .05·200 = 105 ms, and the timer is twice that
    let mut run = Run::new(params(Variant::Ns2));
    run.see(100, feedback(100, 0.0, 0.0));
    let action = run.see(200, feedback(200, 40_000.0, 0.0));
    assert_eq!(action.no_feedback_after, Duration::from_millis(210));
}

/// With damping the rate is lower while the last round trip is longer than the mean, and never below one
/// packet in 64 s.
///
/// Verifies: [RFC5348 §4.5]
#[test]
fn damping_sends_slower_while_the_round_trip_is_long() {
    let mut run = Run::new(Params { damping: Some(0.9), ..params(Variant::Rfc5348) });
    let action = run.see(100, feedback(100, 0.0, 0.0));
    assert_rate(action.rate, run.state.rate);
    // 400 ms: √ is twice .31623, the mean .9·.31623 + .1·.63246 = .34785; .34785/.63246 = .55
    let action = run.see(550, feedback(400, 1e6, 0.001));
    assert_rate(action.rate, 0.55 * run.state.rate);
    // 100 ms again: mean .9·.34785 + .1·.31623 = .34469, 1.09 of .31623
    let action = run.see(700, feedback(100, 1e6, 0.001));
    assert_rate(action.rate, 1.09 * run.state.rate);
    // Never below one packet in 64 s
    let action = run.see(2_000, feedback(4_000, 0.0, 1.0));
    assert_rate(action.rate, 15.625);
    // Without damping R changes slowly in the equation, and nothing else changes.
    let mut run = Run::new(params(Variant::Rfc5348));
    run.see(100, feedback(100, 0.0, 0.0));
    let action = run.see(550, feedback(400, 1e6, 0.001));
    assert_rate(action.rate, run.state.rate);
}

/// With loss, ns-2's rate rises by one packet per round trip at a time, and falls at once.
///
/// Verifies: ns-2.35 `tcp/tfrc.cc`, `slowstart`, `increase_rate`, `decrease_rate`
#[test]
fn ns2_climbs_a_packet_per_round_trip_and_falls_at_once() {
    let mut run = Run::new(params(Variant::Ns2));
    assert_rate(run.report(100, 0.0, 0.0), 40_000.0);
    // The second round keeps the initial rate
    assert_rate(run.report(200, 1_000.0, 0.0), 40_000.0);
    assert_rate(run.report(301, 40_000.0, 0.0), 80_000.0);
    // Above twice the receive rate: down to the receive rate
    assert_rate(run.report(402, 30_000.0, 0.0), 30_000.0);
    // Loss ends slow start with the equation alone; t_RTO is 300 ms, R 100 ms
    let ns2 = |p: f64| {
        10_000.0 / ((2.0 * p / 3.0).sqrt() + 9.0 * (0.375 * p).sqrt() * p * (1.0 + 32.0 * p * p))
    };
    assert_rate(run.report(503, 1_000.0, 0.01), ns2(0.01));
    let start = run.state.rate;
    run.state.last_change = ms(503);
    // p falls: up by s/R in one R, and by at most 2s/R after a long time
    assert_rate(run.report(603, 1e6, 0.001), start + 10_000.0);
    assert_rate(run.report(1_603, 1e6, 0.001), start + 30_000.0);
    // p rises: down at once, and to at most twice the receive rate
    assert_rate(run.report(1_703, 1e6, 0.05), ns2(0.05));
    assert_rate(run.report(1_803, 10_000.0, 0.05), 20_000.0);
}

/// ns-2 halves the rate at each expiry of the no-feedback timer; if idle, not below the initial rate.
///
/// Verifies: ns-2.35 `tcp/tfrc.cc`, `reduce_rate_on_no_feedback`
#[test]
fn ns2_halves_on_silence_and_when_idle_not_below_the_initial_rate() {
    let mut run = Run::new(params(Variant::Ns2));
    for (at, receive_rate) in [(100, 0.0), (200, 0.0), (301, 1e5), (402, 1e5)] {
        run.report(at, receive_rate, 0.0);
    }
    assert_rate(run.state.rate, 160_000.0);
    for rate in [80_000.0, 40_000.0, 40_000.0] {
        assert_rate(run.expire(1_000, true), rate);
    }
    for rate in [20_000.0, 10_000.0] {
        assert_rate(run.expire(1_000, false), rate);
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    let rate = prop_oneof![Just(0u32), 0..2_000_000u32, Just(u32::MAX)];
    let p = prop_oneof![2 => Just(0u32), 3 => 1..u32::MAX];
    prop_oneof![
        4 => (1u64..5_000_000_000, rate, p, any::<bool>()).prop_map(|(rtt, rate, p, is_data_limited)| {
            Event::Feedback {
                rtt_sample: Duration::from_nanos(rtt),
                receive_rate: rate.into(),
                loss_event_rate: f64::from(p) / 4_294_967_296.0,
                is_data_limited,
            }
        }),
        1 => any::<bool>().prop_map(|is_idle| Event::NoFeedback { is_idle }),
    ]
}

proptest! {
    /// For any reports the rate is finite and at least s/64 s. With RFC 5348 it is at most twice what was
    /// reported in the last two round trips, except for the initial rate.
    #[test]
    fn the_rate_keeps_its_bounds(events in prop::collection::vec((0u64..2_000, any_event()), 1..100)) {
        for variant in ALL {
            let mut run = Run::new(params(variant));
            let mut now = 0;
            for (wait, event) in &events {
                now += wait;
                let before = run.state.rate;
                let action = run.see(now, *event);
                let rate = run.state.rate;
                prop_assert!(rate.is_finite() && rate >= 15.625);
                prop_assert!(action.rate.is_finite() && action.rate >= 15.625);
                prop_assert!(!action.no_feedback_after.is_zero());
                if matches!(event, Event::NoFeedback { .. }) {
                    prop_assert!(rate <= before.max(15.625) * (1.0 + 1e-9));
                }
                if variant == Variant::Rfc5348 && matches!(event, Event::Feedback { .. }) {
                    let rtt = run.state.rtt.unwrap();
                    let limit = (2.0 * run.state.receive_rates.max()).max(initial_rate(&run.params, rtt));
                    let is_unchanged = run.state.loss_event_rate <= 0.0 && rate <= before;
                    prop_assert!(is_unchanged || rate <= limit.max(15.625) * (1.0 + 1e-9));
                }
            }
        }
    }
}
