use super::*;

const PARAMS: Params = Params {
    start: DataRate::from_kbps(150),
    least: DataRate::from_kbps(150),
    most: DataRate::from_kbps(1_500),
};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn report(now: u64, packets: &[Packet], incoming: u64) -> Report<'_> {
    let incoming = Some(DataRate::from_kbps(incoming));
    let round_trip = Duration::from_millis(80);
    Report { now: at(now), packets, lost: 0.0, marked: 0.0, incoming, round_trip }
}

fn packets(sent: u64, delay: u64) -> [Packet; 15] {
    [Packet { sent: at(sent), arrived: Some(at(sent + delay)) }; 15]
}

/// A delay of 50 ms and less counts as it is; 100 ms count as 50 · e^−0.5 = 30.327 ms, 150 ms as 50 · e^−1 = 18.394 ms.
///
/// Verifies: [RFC8698 §4.2]
#[test]
fn long_delays_count_less_after_losses() {
    let expected = [(20.0, 20.0), (50.0, 50.0), (100.0, 30.327), (150.0, 18.394)];
    for (delay, counted) in expected {
        assert!((warped(delay) - counted).abs() < 1e-3, "{delay}");
    }
}

/// One percent of losses adds 10 ms, two percent 40 ms; one percent of marks adds 2 ms.
///
/// Verifies: [RFC8698 §4.2]
#[test]
fn losses_and_marks_add_to_the_signal() {
    assert!((penalty(LOSS_PENALTY, 0.01) - 10.0).abs() < 1e-9);
    assert!((penalty(LOSS_PENALTY, 0.02) - 40.0).abs() < 1e-9);
    assert!((penalty(MARK_PENALTY, 0.01) - 2.0).abs() < 1e-9);
}

/// With a round trip of 80 ms the margin is 50 / (80 + 100 + 120) = 1/6: from 600 kb/s that arrive the rate is 700 kb/s. With
/// one of 0 ms it is 50 / 220, and never above a half. The rate does not fall.
///
/// Verifies: [RFC8698 §4.3]
#[test]
fn the_ramp_up_has_a_margin_beyond_what_arrives() {
    assert!((ramped_up(150e3, &report(0, &[], 600)) - 700e3).abs() < 1e-6);
    assert!((ramped_up(900e3, &report(0, &[], 600)) - 900e3).abs() < 1e-6);
    let near = Report { round_trip: Duration::ZERO, ..report(0, &[], 220) };
    assert!((ramped_up(150e3, &near) - 270e3).abs() < 1e-6);
    let unknown = Report { incoming: None, ..near };
    assert!((ramped_up(150e3, &unknown) - 150e3).abs() < 1e-6);
}

/// At 500 kb/s of at most 1500 the balance is at 10 · 1500 / 500 = 30 ms. A signal of 30 ms that stays leaves the rate as it is.
/// 80 ms that stay for 100 ms: 0.5 · (100 / 500) · (50 / 500) = 1 % less. From 30 to 80 ms there are 0.5 · 2 · (50 / 500) = 10 %
/// less in addition.
///
/// Verifies: [RFC8698 §4.3]
#[test]
fn the_gradual_update_goes_towards_the_balance() {
    let update = |before, now| gradual(500e3, (before, now), 100.0, 1_500e3);
    assert!((update(30.0, 30.0) - 500e3).abs() < 1e-6);
    assert!((update(80.0, 80.0) - 495e3).abs() < 1e-6);
    assert!((update(30.0, 80.0) - 445e3).abs() < 1e-6);
}

/// Packets with 40 ms of delay ramp up. One with 51 ms among fourteen of 40 ms ends this for 500 ms, though the least of fifteen
/// delays, and so the signal, is zero: the rate then grows towards its balance. At 700 kb/s and a signal of zero the offset is
/// −10 · 1500 / 700 = −21.43 ms, so 0.5 · 0.2 · 0.042857 = 0.42857 % of growth: 703 kb/s.
///
/// Verifies: [RFC8698 §4.2], [RFC8698 §4.3]
#[test]
fn a_delay_ends_the_ramp_up_for_half_a_second() {
    let (state, rate) = step(&PARAMS, State::new(&PARAMS), &report(100, &packets(0, 40), 600));
    assert_eq!(rate, DataRate::from_kbps(700));
    let mut late = packets(100, 40);
    late[3].arrived = Some(at(151));
    let (state, rate) = step(&PARAMS, state, &report(200, &late, 900));
    assert_eq!((rate, state.signal()), (DataRate::from_kbps(703), 0.0));
    let (_, early) = step(&PARAMS, state, &report(700, &packets(600, 40), 900));
    assert!(early < DataRate::from_kbps(750), "{early}");
    let (_, ramped) = step(&PARAMS, state, &report(701, &packets(600, 40), 900));
    assert_eq!(ramped, DataRate::from_kbps(1_050));
}

/// The least delay so far is the base: after 60 and 40 ms, 60 ms are 20 ms in the queue. After a loss 140 ms are 100 ms in the
/// queue, of which 30.327 ms count.
///
/// Verifies: [RFC8698 §4.2]
#[test]
fn delays_count_from_the_least_and_less_after_a_loss() {
    let mut state = State::new(&PARAMS);
    let mut signal = |now, packets: &[Packet]| {
        (state, _) = step(&PARAMS, state, &report(now, packets, 600));
        state.signal()
    };
    let signals =
        [(0, 60), (100, 40), (200, 60)].map(|(at, it)| signal(at + 100, &packets(at, it)));
    assert!((signals[2] - 20.0).abs() < 1e-9 && signals[..2] == [0.0; 2], "{signals:?}");
    signal(400, &[Packet { sent: at(300), arrived: None }]);
    let late = signal(500, &packets(400, 140));
    assert!((late - 30.327).abs() < 1e-3, "{late}");
}

/// A lost packet ends the ramp-up, too. A share of ten percent is smoothed to one percent by the first report, which adds 10 ms.
/// Ten percent of marks add 2 ms.
///
/// Verifies: [RFC8698 §5.1.2]
#[test]
fn shares_are_smoothed() {
    let mut some = packets(0, 40);
    some[3].arrived = None;
    let seen = Report { lost: 0.1, marked: 0.1, ..report(100, &some, 600) };
    let (state, rate) = step(&PARAMS, State::new(&PARAMS), &seen);
    assert!((state.signal() - 12.0).abs() < 1e-9, "{}", state.signal());
    // 150 kb/s: the balance is at 100 ms. 0.5 · 0.2 · 88 / 500 − 0.5 · 2 · 12 / 500 = −0.0064: the least rate.
    assert_eq!(rate, PARAMS.least);
}

/// 5000 octets in the buffer with 25 pictures a second: 0.1 · 40 000 · 25 = 100 kb/s more for the sender, and less for the
/// encoder, within the limits.
///
/// Verifies: [RFC8698 §5.2.2]
#[test]
fn the_buffer_is_drained_from_both_sides() {
    let interval = Duration::from_millis(40);
    let of =
        |kbps, octets| shaped(&PARAMS, DataRate::from_kbps(kbps), Bytes::new(octets), interval);
    let kbps =
        |send, video| Shaped { send: DataRate::from_kbps(send), video: DataRate::from_kbps(video) };
    assert_eq!(of(500, 5_000), kbps(600, 400));
    assert_eq!(of(1_450, 5_000), kbps(1_500, 1_350));
    assert_eq!(of(200, 5_000), kbps(300, 150));
    assert_eq!(of(200, 50_000), kbps(1_200, 150));
}

/// One call over a path of 1 Mb/s: in balance the delay in the queue is that of the priority, 10 · 1500 / 1000 = 15 ms, and the
/// path is full.
///
/// Verifies: [RFC8698 §4.3]
#[test]
fn a_call_alone_keeps_the_delay_of_its_balance() {
    let (mut state, mut rate, mut queue) = (State::new(&PARAMS), PARAMS.start, 0.0_f64);
    for k in 0..3_000 {
        let now = 100 * k;
        let delay = 20.0 + queue;
        let arrived = Time::from_nanos(now * 1_000_000 + nanoseconds(delay));
        let all = [Packet { sent: at(now), arrived: Some(arrived) }; 15];
        let reached = rate.min(DataRate::from_mbps(1));
        let seen = Report { incoming: Some(reached), ..report(now + 100, &all, 1) };
        (state, rate) = step(&PARAMS, state, &seen);
        queue = (queue + (bits(rate) - 1e6) * 0.1 / 1e3).max(0.0);
    }
    assert!((queue - 15.0).abs() < 0.1, "{queue}");
    assert!(rate.bps().abs_diff(1_000_000) < 1_000, "{rate}");
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]
fn nanoseconds(ms: f64) -> u64 {
    (ms * 1e6) as u64
}
