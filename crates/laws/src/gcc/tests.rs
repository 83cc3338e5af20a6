use super::arrival::Variation;
use super::*;

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_micros(us)
}

fn variations(packets: &[(u64, u64)]) -> Vec<(f64, u64)> {
    let mut state = arrival::State::default();
    let mut found = Vec::new();
    for &(sent, arrived) in packets {
        let packet = Arrival { sent: at(1_000 * sent), arrived: at(1_000 * arrived) };
        let (next, variation) = arrival::step(state, &packet);
        state = next;
        found.extend(variation.map(|Variation { ms, at }| (ms, at.as_nanos() / 1_000_000)));
    }
    found
}

/// Groups leave at 0 and 5, 40 and 60 ms, and their last packets arrive at 20, 58 and 75 ms: (58 − 20) − (40 − 5) = 3 ms, and
/// (75 − 58) − (60 − 40) = −3 ms. The last group is not complete.
///
/// Verifies: [draft-gcc §5.1]
#[test]
fn the_last_packets_of_groups_give_the_variation() {
    let all = [(0, 10), (5, 20), (40, 58), (60, 75), (80, 90)];
    assert_eq!(variations(&all), [(3.0, 58), (-3.0, 75)]);
}

/// After an outage packets of 40, 50 and 60 ms arrive together at 200, 201 and 205 ms: the second belongs to the group of the
/// first, since it arrives 1 ms later with 9 ms less delay; the third comes 4 ms later, with less delay. One at 210 ms does not.
///
/// Verifies: [draft-gcc §5.2]
#[test]
fn packets_that_arrive_in_a_burst_are_a_group() {
    let all = [(0, 10), (40, 200), (50, 201), (60, 205), (70, 210), (80, 230)];
    // (205 − 10) − (60 − 0) = 135 ms, and (210 − 205) − (70 − 60) = −5 ms.
    assert_eq!(variations(&all), [(135.0, 205), (-5.0, 210)]);
    // A packet with the same delay, 4 ms after the last one, begins a group.
    assert_eq!(variations(&[(0, 10), (4, 14), (8, 18), (20, 30)]), [(0.0, 18)]);
}

/// A packet that was sent before the last one is ignored, and its arrival does not matter.
///
/// Verifies: [draft-gcc §5.1]
#[test]
fn packets_that_were_overtaken_are_ignored() {
    let all = [(0, 10), (40, 50), (20, 90), (60, 70), (80, 90)];
    assert_eq!(variations(&all), [(0.0, 50), (0.0, 70)]);
}

const PARAMS: Params = Params {
    start: DataRate::from_kbps(300),
    least: DataRate::from_kbps(150),
    most: DataRate::from_mbps(2),
};

/// A path of 1 Mb/s with a queue, 20 ms long: a packet of 1000 octets takes 8 ms. Each 40 ms the call sends the octets of its
/// target as such packets, a report comes back, and the target follows. Returns targets [bit/s] and queueing delays [ms].
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times of two minutes in microseconds"
)]
fn call(capacity: u64, frames: u64) -> Vec<(u64, f64)> {
    let (mut state, mut target) = (State::new(&PARAMS), PARAMS.start);
    let mut free = 0.0;
    let mut recent: std::collections::VecDeque<f64> = std::collections::VecDeque::new();
    let mut owed = 0.0;
    let mut found = Vec::new();
    for frame in 0..frames {
        let sent = frame * 40_000;
        owed += bits(target) * 0.04 / 8_000.0;
        let mut arrivals = Vec::new();
        let mut wait = 0.0;
        while owed >= 1.0 {
            owed -= 1.0;
            let start = f64::max(free, sent as f64);
            wait = (start - sent as f64) / 1e3;
            free = start + 8e9 / capacity as f64;
            let arrived = free + 20_000.0;
            recent.push_back(arrived);
            arrivals.push(Arrival { sent: at(sent), arrived: at(arrived as u64) });
        }
        let Some(last) = arrivals.last().map(|it| it.arrived) else { continue };
        let now = last + Duration::from_millis(20);
        let edge = last.as_secs_f64() * 1e6 - 1e6;
        recent.retain(|it| *it > edge);
        let incoming = (frame >= 25).then(|| DataRate::from_bps(recent.len() as u64 * 8_000));
        let expected = arrivals.len() as u64;
        let round_trip = now - at(sent);
        let report = Report { now, arrivals: &arrivals, expected, lost: 0, incoming, round_trip };
        (state, target) = step(&PARAMS, state, &report);
        found.push((target.bps(), wait));
    }
    found
}

/// 300 kb/s on an idle path of 1 Mb/s grow by 8 % a second until the queue grows; then the target swings below the capacity, and
/// the queue stays short. On a path of 9 Mb/s the target reaches the highest.
#[test]
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn the_target_finds_the_capacity_of_a_path() {
    let all = call(1_000_000, 3_000);
    let last = &all[all.len() / 2..];
    let mean = last.iter().map(|(target, _)| *target as f64).sum::<f64>() / last.len() as f64;
    let wait = last.iter().map(|(_, wait)| *wait).fold(0.0, f64::max);
    assert!((0.75e6..1.0e6).contains(&mean), "{mean}");
    assert!(wait < 250.0, "{wait}");
    // ln(2000 / 300) / ln 1.08 = 24.7 s, or 617 frames.
    let reached = call(9_000_000, 1_000).iter().position(|(target, _)| *target == 2_000_000);
    assert!(reached.is_some_and(|frame| (600..=660).contains(&frame)), "{reached:?}");
}

/// A quarter of the packets is lost: the target falls by an eighth with each report of at least twenty packets, to the least.
#[test]
fn losses_lower_the_target_to_the_least() {
    let mut state = State::new(&PARAMS);
    let mut targets = Vec::new();
    for k in 0..8 {
        let (now, round_trip) = (at(100_000 * k), Duration::from_millis(50));
        let report =
            Report { now, arrivals: &[], expected: 20, lost: 5, incoming: None, round_trip };
        let target;
        (state, target) = step(&PARAMS, state, &report);
        targets.push(target.bps());
    }
    assert_eq!(targets[..3], [262_500, 229_687, 200_976]);
    assert_eq!(targets[7], 150_000);
}
