use airfair_units::Probability;

use super::*;

const PARAMS: Params = Params {
    period: Duration::from_millis(50),
    unused: Probability::literal(0.01),
    access: Duration::from_micros(400),
    level_time: Duration::from_secs(1),
    window_time: Duration::from_secs(1),
    smoothing: Duration::from_millis(300),
    debt: Duration::from_millis(5),
    credit: Duration::from_millis(10),
    holds: true,
    windows: true,
    grants: false,
    grant: Duration::from_millis(5),
};

const ACCESS: Gaps = Gaps { accesses: 1, responses: 0 };
const RESPONSE: Gaps = Gaps { accesses: 0, responses: 1 };

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn at(millis: u64) -> Time {
    Time::ZERO + ms(millis)
}

fn used(station: u16, airtime: Duration) -> Charge {
    let (content, is_non_tcp, is_aggregate) = (Content::Other, false, false);
    Charge { station, airtime, content, is_non_tcp, is_aggregate, gaps: ACCESS }
}

/// State with this level in which some station uploads.
fn state(level: f64) -> State {
    State { level, has_uploads: true, ..State::default() }
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// Ends a period of 50 ms in which the channel was idle for `idle` microseconds, without uploads. An access takes a gap of
/// 100 µs, and a response 10 µs.
fn end(state: &mut State, idle: u64) {
    let now = state.updated + PARAMS.period;
    let [idle, gap, sifs] = [idle, 100, 10].map(Duration::from_micros);
    step(&PARAMS, state, &Observation { now, idle, gap, sifs }, |_| Demand::default());
}

/// At a level of 0.5, 20 ms of airtime in 10 ms are a debt of 20 − 5 + 0 ms, counted from an account that is even;
/// its bound is 0.5 · 0.5 s + 5 ms. Bulk waits from 5 ms on, for (15 − 5) / 0.5 = 20 ms.
///
/// Verifies: [tan-2004 §4.1]
#[test]
fn bulk_waits_until_the_debt_is_paid() {
    let mut state = state(0.5);
    assert_eq!(charge(&PARAMS, &mut state, at(0), &used(1, ms(4))), None);
    let hold = |is_held| Some(Hold { station: 1, is_held });
    assert_eq!(charge(&PARAMS, &mut state, at(10), &used(1, ms(16))), hold(true));
    assert!(near(state.accounts[1].debt, 0.015));
    let release_at = state.next_release(&PARAMS).expect("it waits");
    assert!(at(30) <= release_at && release_at <= at(30) + Duration::from_micros(1));
    let mut told = Vec::new();
    release(&PARAMS, &mut state, at(29), |it| told.push(it));
    assert_eq!(told, []);
    release(&PARAMS, &mut state, release_at, |it| told.push(it));
    assert_eq!(told, [Hold { station: 1, is_held: false }]);
    assert_eq!(state.next_release(&PARAMS), None);
    charge(&PARAMS, &mut state, release_at, &used(1, Duration::from_secs(9)));
    assert!(near(state.accounts[1].debt, 0.255));
}

/// A station that was quiet for a second has saved 10 ms, not a second.
#[test]
fn little_time_can_be_saved() {
    let mut state = state(0.5);
    charge(&PARAMS, &mut state, at(0), &used(0, ms(1)));
    assert_eq!(charge(&PARAMS, &mut state, at(1_000), &used(0, ms(14))), None);
    assert!(near(state.accounts[0].debt, 0.004));
}

#[test]
fn nobody_waits_if_nobody_uploads() {
    let mut state = State { has_uploads: false, ..state(0.1) };
    assert_eq!(charge(&PARAMS, &mut state, at(0), &used(0, ms(50))), None);
    let upload = Charge { content: Content::Upload, ..used(1, ms(30)) };
    assert_eq!(charge(&PARAMS, &mut state, at(10), &upload), None);
    end(&mut state, 500);
    assert!(state.has_uploads);
    let hold = Hold { station: 0, is_held: true };
    assert_eq!(charge(&PARAMS, &mut state, at(60), &used(0, ms(50))), Some(hold));
}

/// Without unused time the level falls by γ · 50 ms = 5 % in a period; with twice the wanted time, or more, it rises
/// by as much; with 1.2 times the wanted time by a fifth of that.
#[test]
fn the_level_follows_the_unused_time() {
    let after = |unused| {
        let mut state = state(0.4);
        end(&mut state, unused);
        state.level
    };
    assert!(near(after(0), 0.38) && near(after(500), 0.4));
    assert!(near(after(1_000), 0.42) && near(after(25_000), 0.42) && near(after(600), 0.404));
}

/// Of 2000 µs of idle time, three accesses without aggregates take 300 µs, one of another network takes 100 µs, and four
/// responses take 40 µs. With aggregates, three accesses with 800 µs of airtime count as 800 / 400 = 2, and with 2000 µs
/// as 3.
#[test]
fn short_accesses_with_aggregates_leave_a_part_of_their_gaps_unused() {
    let contention = |is_aggregate, micros| {
        let mut state = state(0.4);
        let accesses = Gaps { accesses: 3, responses: 1 };
        let all = used(0, Duration::from_micros(micros));
        charge(&PARAMS, &mut state, at(1), &Charge { is_aggregate, gaps: accesses, ..all });
        charge_foreign(&mut state, ms(1), ACCESS);
        (0..3).for_each(|_| charge_foreign(&mut state, ms(1), RESPONSE));
        let [idle, gap, sifs] = [0, 100, 10].map(Duration::from_micros);
        state.contention(&PARAMS, &Observation { now: at(50), idle, gap, sifs })
    };
    assert!(near(contention(false, 800), 440e-6));
    assert!(near(contention(true, 800), 340e-6) && near(contention(true, 2_000), 440e-6));
}

/// Two stations use 40 and 20 ms of each 50 ms: the level does not fall below their mean, 0.6, as smoothed:
/// 0.6 · (1 − e^(−50/300)).
#[test]
fn the_level_is_at_least_the_mean_use() {
    let mut state = state(0.05);
    charge(&PARAMS, &mut state, at(10), &used(0, ms(40)));
    charge(&PARAMS, &mut state, at(10), &used(1, ms(20)));
    end(&mut state, 0);
    assert!(near(state.level, 0.6 * (1.0 - f64::exp(-1.0 / 6.0))));
}

/// Three stations use 0.01, 10 and 5 ms of 50 ms. If other networks use 15.1 ms, the level is at least 1.1 times the mean
/// use of the last two, as smoothed; if they use 14.9 ms, it is at least the mean of all.
#[test]
fn the_level_is_above_the_mean_use_while_other_networks_use_more() {
    let level = |foreign| {
        let mut state = state(0.001);
        for (station, micros) in [(0, 10), (1, 10_000), (2, 5_000)] {
            charge(&PARAMS, &mut state, at(10), &used(station, Duration::from_micros(micros)));
        }
        charge_foreign(&mut state, Duration::from_micros(foreign), ACCESS);
        end(&mut state, 0);
        state.level
    };
    let weight = 1.0 - f64::exp(-1.0 / 6.0);
    assert!(near(level(15_100), 1.1 * 0.15 * weight));
    assert!(near(level(14_900), 0.3002 / 3.0 * weight));
}

/// An upload of 100 000 octets in flight at a station that uses two and a half times the level: the window begins at
/// what is in flight, but at most 64 kB while nothing has arrived, and falls by 1.5 κ · 50 ms = 7.5 % in each period, down
/// to two segments. Below the level it grows, and above four times the bound it is lifted.
#[test]
fn a_window_begins_at_the_data_in_flight_and_follows_the_use() {
    let uploads = InFlight { connections: 1, octets: 100_000, least: 2_896 };
    let demand = Demand { uploads, has_bulk: false };
    let adapt = |account: &mut Account, level| account.adapt(level, 0.05, &demand);
    let share = |rate| Usage { counted: 0.0, rate };
    let mut account = Account { total: share(0.5), octets: share(1e6), ..Account::default() };
    adapt(&mut account, 0.2);
    assert_eq!(account.window, Some(92_500.0));
    adapt(&mut account, 0.4);
    assert!(near(account.window.expect("a window"), 92_500.0 * (1.0 - 0.25 * 0.05)));
    (0..100).for_each(|_| adapt(&mut account, 0.2));
    assert_eq!(account.window, Some(2_896.0));
    account.total.rate = 0.1;
    adapt(&mut account, 0.2);
    assert!(near(account.window.expect("a window"), 2_896.0 * 1.025));
    account.octets.rate = 0.0;
    account.window = Some(262_145.0);
    adapt(&mut account, 0.2);
    assert_eq!(account.window, None);
    account.total.rate = 0.5;
    adapt(&mut account, 0.2);
    assert_eq!(account.window, Some(65_536.0 * 0.925));
    account.adapt(0.2, 0.05, &Demand::default());
    assert_eq!(account.window, None);
}

/// A station that sends 2 MB in a second of airtime has a window of at least what it sends in 2 ms, so that its
/// aggregates stay long. Up to twice that its ACKs wait while it is in debt: with 15 ms at a level of 0.5, for 20 ms.
#[test]
fn acks_wait_if_the_window_is_low() {
    let uploads = InFlight { connections: 1, octets: 100_000, least: 2_896 };
    let demand = Demand { uploads, has_bulk: false };
    let share = |rate| Usage { counted: 0.0, rate };
    let (total, uploads, octets) = (share(0.5), share(0.25), share(5e5));
    let mut account = Account { total, uploads, octets, debt: 0.015, ..Account::default() };
    account.window = Some(8_100.0);
    account.adapt(0.5, 0.05, &demand);
    let mut state = State { accounts: vec![account], ..state(0.5) };
    assert_eq!(state.delay(&PARAMS, 0), None);
    (0..50).for_each(|_| state.accounts[0].adapt(0.2, 0.05, &demand));
    assert_eq!(state.accounts[0].window, Some(4_000.0));
    let until = state.delay(&PARAMS, 0).expect("it waits");
    assert!(at(20) <= until && until <= at(20) + Duration::from_micros(1));
    state.accounts[0].debt = 0.005;
    assert_eq!(state.delay(&PARAMS, 0), None);
}

/// An upload of 4 ms gives downloads the turn: at a debt of 5 ms they may go on, and ACKs wait until it has fallen to
/// 5 − 4 = 1 ms. After a download of 6 ms it is the other way round, with 5 − 2 = 3 ms.
#[test]
fn uploads_and_downloads_of_a_station_take_turns() {
    let mut state = state(0.5);
    let of = |content, millis| Charge { content, ..used(0, ms(millis)) };
    charge(&PARAMS, &mut state, at(0), &of(Content::Upload, 4));
    let account = state.accounts[0];
    assert!(near(account.allowed_upload(&PARAMS), 0.001));
    assert!(near(account.allowed_download(&PARAMS), 0.005));
    charge(&PARAMS, &mut state, at(0), &of(Content::Download, 6));
    let account = state.accounts[0];
    assert!(near(account.allowed_upload(&PARAMS), 0.005));
    assert!(near(account.allowed_download(&PARAMS), 0.003));
    charge(&PARAMS, &mut state, at(0), &of(Content::Upload, 90));
    assert!(near(state.accounts[0].lead, 0.01));
}

/// While bulk to a station waits, its uploads may use half of the level: at 0.15 of a level of 0.2 they are above it,
/// although the station as a whole is not.
#[test]
fn uploads_leave_half_to_downloads_that_wait() {
    let uploads = InFlight { connections: 1, octets: 100_000, least: 2_896 };
    let demand = Demand { uploads, has_bulk: false };
    let share = |rate| Usage { counted: 0.0, rate };
    let mut account = Account { total: share(0.2), uploads: share(0.15), ..Account::default() };
    account.octets.rate = 1e6;
    account.adapt(0.2, 0.05, &demand);
    assert_eq!(account.window, None);
    account.adapt(0.2, 0.05, &Demand { has_bulk: true, ..demand });
    assert!(near(account.window.expect("a window"), 97_500.0));
}

/// A loop of the law and a station whose use follows its window after a delay, ln u = ln W(t − d) + constant: from
/// three times its share the use comes to within 5 % of it in 3 s plus four delays, for delays of 0 to 300 ms.
#[test]
fn the_use_of_a_station_settles_whatever_the_round_trip() {
    for delay in [0, 50, 150, 300] {
        let periods = delay / 50;
        let mut account = Account { window: Some(300_000.0), ..Account::default() };
        account.octets.rate = 1e9;
        let uploads = InFlight { connections: 1, octets: 300_000, least: 2_896 };
        let demand = Demand { uploads, has_bulk: false };
        let mut windows = vec![300_000.0; periods + 1];
        let weight = 1.0 - f64::exp(-50.0 / 300.0);
        account.total.rate = 0.6;
        let mut last = Vec::new();
        for period in 0..200 {
            let use_of_air = f64::min(0.2 * windows[windows.len() - 1 - periods] / 100_000.0, 1.0);
            account.total.rate += weight * (use_of_air - account.total.rate);
            account.adapt(0.2, 0.05, &demand);
            windows.push(account.window.expect("a window"));
            if period * 50 > 3_000 + 4 * delay {
                last.push(use_of_air);
            }
        }
        assert!(last.iter().all(|it| (it / 0.2 - 1.0).abs() < 0.05), "{delay} ms: {last:?}");
    }
}
