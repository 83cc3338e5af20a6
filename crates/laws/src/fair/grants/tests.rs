use super::super::{Content, Gaps};
use super::*;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn at(millis: u64) -> Time {
    Time::ZERO + ms(millis)
}

/// Grants after stations 1, 2 … have used these times [ms], the last one without TCP.
fn after(now: Time, used: &[u64]) -> Grants {
    let mut grants = Grants::default();
    for (station, airtime) in (1..).zip(used) {
        let is_non_tcp = usize::from(station) == used.len();
        let (airtime, content) = (ms(*airtime), Content::Upload);
        let (is_aggregate, gaps) = (false, Gaps::default());
        let charge = Charge { station, airtime, content, is_non_tcp, is_aggregate, gaps };
        grants.charge(now, &charge);
    }
    grants
}

/// Level of a channel without unused time.
const LEVEL: f64 = 0.3;

/// With a debt of 5 ms, a lead of 5 ms brings no grant, and one of 6 ms brings one to the station that is furthest
/// behind, unless the channel has unused time.
#[test]
fn the_station_furthest_behind_gets_the_grant() {
    let params = Params::default();
    let next = |used: &[u64], level, now| after(at(0), used).next(&params, level, now);
    assert_eq!(next(&[2, 1, 6], LEVEL, at(0)), None);
    assert_eq!(next(&[2, 1, 7], LEVEL, at(0)), Some(2));
    assert_eq!(next(&[2, 1, 7], 1.0, at(0)), None);
    // Stations count for a second.
    assert_eq!(next(&[2, 1, 7], LEVEL, at(1_000)), None);
}

/// The lead of a station that sends nothing but TCP is a matter of its window.
#[test]
fn leads_of_tcp_bring_no_grant() {
    assert_eq!(after(at(0), &[50, 1, 2]).next(&Params::default(), LEVEL, at(0)), None);
}

/// Ends grants of station 1 with the cost of 0.3 ms, and returns who gets the next one at these times [ms].
fn next_at<const N: usize>(grants: &mut Grants, times: [u64; N]) -> [u16; N] {
    times.map(|it| grants.next(&Params::default(), LEVEL, at(it)).unwrap_or(0))
}

fn finish(grants: &mut Grants, millis: u64, finish: Finish) {
    let cost = Duration::from_micros(300);
    grants.finish(&Params::default(), at(millis), (1, cost), finish);
}

/// A station that is done early keeps its turn once. From the second time on it is asked: 50 · 0.3 = 15 ms later.
/// Meanwhile the next one is served. A grant that it fills ends this.
#[test]
fn a_station_that_does_not_fill_its_grants_is_asked() {
    let mut grants = after(at(0), &[1, 2, 9]);
    finish(&mut grants, 1, Finish::Done);
    assert_eq!(next_at(&mut grants, [1]), [1]);
    finish(&mut grants, 2, Finish::Done);
    assert_eq!(next_at(&mut grants, [2, 16, 17]), [2, 2, 1]);
    finish(&mut grants, 17, Finish::Filled);
    assert_eq!(next_at(&mut grants, [17]), [1]);
}

/// A station that sends nothing in its grant of 5 ms is passed over for 10, 20, 40 ms …, and at most a second.
#[test]
fn a_silent_station_is_passed_over() {
    let mut grants = after(at(0), &[1, 2, 9]);
    let pause = |grants: &mut Grants| {
        finish(grants, 0, Finish::Silent);
        grants.users[1].passed_over_until
    };
    assert_eq!([0; 3].map(|_| pause(&mut grants)), [10, 20, 40].map(at));
    assert_eq!([0; 20].map(|_| pause(&mut grants))[19], at(1_000));
    assert_eq!(next_at(&mut grants, [999]), [2]);
}

/// At a level of 0.3, nobody is more than 0.3 · 500 + 5 = 155 ms behind.
#[test]
fn a_station_saves_no_more_than_the_bound_of_debts() {
    let mut grants = after(at(0), &[0, 1_000]);
    assert_eq!(next_at(&mut grants, [0]), [1]);
    assert!((grants.users[1].used - 0.845).abs() < 1e-9);
}
