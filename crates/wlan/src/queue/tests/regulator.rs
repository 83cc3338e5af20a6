//! Tests of the regulator of channel time.

use super::*;

/// A station without tokens waits, even if no other station has anything to send. Two stations have half of the channel
/// and 10 ms saved each. An exchange of 12 ms leaves the first with a debt of 2 ms, which is paid after 4 ms. Tokens
/// must be positive, so it may send a nanosecond later. Before that the other station has its turns, and when that has
/// nothing more to send, no station is served.
///
/// Verifies: [tan-2004 §4.1, §4.2]
#[test]
fn a_station_without_tokens_waits_even_if_nobody_else_sends() {
    let mut queue = queue(Discipline::TimeRegulator(REGULATION), 50, Limit::Each);
    for (flow, number) in [(0, 0), (2, 0), (0, 1), (2, 1), (0, 2)] {
        assert!(queue.push(ms(0), packet(flow, number, 1_000)));
    }
    let costs = [12_000, 100, 0];
    let order = [(); 3].map(|()| serve(&mut queue, ms(0), costs).unwrap());
    assert_eq!(order, [0, 2, 2]);
    assert!(queue.is_empty() && in_service(&queue).is_none());
    assert_eq!((queue.len(), queue.waiting().count()), (2, 2));
    let release = ms(4) + Duration::from_nanos(1);
    assert_eq!(queue.next_release(), Some(release));
    queue.release(ms(4));
    assert!(queue.is_empty());
    queue.release(release);
    assert_eq!(in_service(&queue).unwrap().payload.flow, 0);
    assert_eq!(queue.next_release(), None);
    // A packet for a station with tokens goes into service at once.
    serve(&mut queue, release, costs);
    assert!(queue.is_empty());
    queue.push(release, packet(2, 2, 1_000));
    assert_eq!(in_service(&queue).unwrap().payload.flow, 2);
}

/// A station is charged for its transmissions, for the interframe space before them, and for the back-off if so
/// configured.
///
/// Verifies: [tan-2004 §4.2]
#[test]
fn uplink_gap_and_back_off_use_tokens() {
    for (charges_backoff, release) in [(true, 8_000), (false, 4_000)] {
        let rule = TimeRegulation { charges_backoff, ..REGULATION };
        let mut queue = queue(Discipline::TimeRegulator(rule), 50, Limit::Each);
        queue.charge(ms(0), &exchange(1, Up, 100));
        let gap = Duration::from_millis(1);
        let charge = Charge { gap, backoff: gap * 2, ..exchange(0, Up, 11_000) };
        queue.charge(ms(0), &charge);
        queue.push(ms(0), packet(1, 0, 52));
        let release = Time::ZERO + Duration::from_micros(release) + Duration::from_nanos(1);
        assert_eq!(queue.next_release(), Some(release));
    }
}

/// A station owes tokens for at most one interval, which is a second, even after a minute of UDP that could not be held
/// back.
#[test]
fn a_debt_has_a_bound() {
    let mut queue = queue(Discipline::TimeRegulator(REGULATION), 50, Limit::Each);
    queue.charge(ms(0), &exchange(1, Up, 100));
    queue.charge(ms(0), &exchange(0, Up, 60_000_000));
    queue.push(ms(0), packet(0, 0, 1_000));
    let mut now = ms(0);
    while queue.is_empty() {
        now = queue.next_release().expect("a packet waits");
        queue.charge(now, &exchange(1, Up, 100));
        queue.release(now);
    }
    assert!((ms(1_000)..=ms(2_000) + Duration::from_nanos(1)).contains(&now), "{now}");
}

/// A station alone is not held back. Neither is a station whose only competitor has been idle for an interval.
#[test]
fn whoever_is_alone_has_the_channel() {
    let mut queue = queue(Discipline::TimeRegulator(REGULATION), 50, Limit::Each);
    (0..50).for_each(|number| _ = queue.push(ms(0), packet(0, number, 1_000)));
    for _ in 0..5 {
        assert_eq!(serve(&mut queue, ms(0), [50_000, 0, 0]), Some(0));
    }
    queue.charge(ms(1), &exchange(1, Up, 100));
    serve(&mut queue, ms(1), [50_000, 0, 0]);
    // The debt is that of this exchange only: 50 ms, paid after 100 ms.
    assert_eq!(queue.next_release(), Some(ms(101) + Duration::from_nanos(1)));
    let mut now = ms(1);
    while now <= ms(1_999) {
        now = queue.next_release().expect("packets wait");
        queue.release(now);
        serve(&mut queue, now, [90_000, 0, 0]);
    }
    // The other station used a little in the first second and nothing in the next.
    queue.release(now);
    for _ in 0..5 {
        assert_eq!(serve(&mut queue, now, [50_000, 0, 0]), Some(0));
    }
}

/// For 30 s station 1 uses a tenth of the channel, and station 0 as much as it may. Half of the channel is not enough
/// for station 0, so it gets what station 1 leaves, until seven eighths of the channel are used. When station 1 wants
/// more, it has half at once.
///
/// Verifies: [tan-2004 §4.3]
#[test]
fn unused_shares_go_to_those_who_wait_and_come_back() {
    let mut queue = queue(Discipline::TimeRegulator(REGULATION), 50, Limit::Each);
    let mut used = [0, 0, 0];
    let mut now = Time::ZERO;
    let mut number = 0;
    // Each exchange takes 2 ms of the channel. Station 1 has one every 20 ms until 30 s.
    let mut next_light = Time::ZERO;
    let mut phase = [[0; 2]; 3];
    while now < ms(50_000) {
        number += 1;
        if !queue.waiting().any(|msdu| msdu.payload.flow == 0) {
            queue.push(now, packet(0, number, 1_000));
        }
        let is_greedy = now >= ms(30_000);
        let has_none = !queue.waiting().any(|msdu| msdu.payload.flow == 2);
        if has_none && (is_greedy || next_light <= now) {
            queue.push(now, packet(2, number, 1_000));
            next_light = now + Duration::from_millis(20);
        }
        now += Duration::from_millis(2);
        if let Some(flow) = serve(&mut queue, now, [2_000, 2_000, 0]) {
            used[usize::try_from(flow / 2).unwrap()] += 1;
            let part = match now.as_nanos() / 1_000_000_000 {
                15..30 => 0,
                40.. => 1,
                _ => 2,
            };
            phase[part][usize::try_from(flow / 2).unwrap()] += 1;
        } else {
            queue.release(now);
        }
    }
    // 15 s have 7500 exchanges: a tenth of these, and from 3/4 to 7/8 minus a tenth
    let [[greedy, light], [one, other], _] = phase;
    assert!((700..=800).contains(&light), "{light}");
    assert!((4_800..=5_900).contains(&greedy), "{greedy}");
    assert!(one > 2_000 && u32::abs_diff(one, other) < 100, "{one} and {other}");
}
