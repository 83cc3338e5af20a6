//! Tests of the multi-user scheduler: traces worked by hand, and properties on random histories.

use airfair_units::{Bytes, DataRate, Duration};
use proptest::prelude::*;

use super::*;

/// Splits of channels of 20, 40 and 80 MHz, without the central 26-tone units.
const SPLITS: [&[Split]; 3] = [
    &[split(9, 26), split(4, 52), split(2, 106), split(1, 242)],
    &[split(18, 26), split(8, 52), split(4, 106), split(2, 242), split(1, 484)],
    &[split(37, 26), split(16, 52), split(8, 106), split(4, 242), split(2, 484), split(1, 996)],
];

const fn split(units: u16, tones: u16) -> Split {
    Split { units, tones }
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn params(policy: Policy) -> Params {
    Params { policy, ..Params::default() }
}

fn candidate(station: u16) -> Candidate {
    Candidate {
        station,
        is_multi_user: true,
        backlog: Backlog::Octets(Bytes::new(1_000)),
        rate: DataRate::from_mbps(10),
        urgency: Urgency::Other,
        waiting: Duration::ZERO,
    }
}

fn candidates(stations: u16) -> Vec<Candidate> {
    (0..stations).map(candidate).collect()
}

fn part(station: u16, tones: u16) -> Served {
    Served { station, tones, octets: Bytes::new(1_000) }
}

/// Stations of a decision in the order of their units, or the one that is served alone.
fn chosen(params: &Params, state: &State, candidates: &[Candidate], splits: &[Split]) -> Vec<u16> {
    let mut order = Order::default();
    match step(params, state, &Observation { candidates, splits }, &mut order) {
        Action::Nothing => Vec::new(),
        Action::SingleUser(station) => vec![station],
        Action::MultiUser(split) => {
            let assigned: Vec<_> = order.assignments().collect();
            assert_eq!(assigned.len(), usize::from(split.units));
            for (unit, it) in (0..).zip(&assigned) {
                assert_eq!(it.unit, unit);
                assert_eq!(candidates[usize::from(it.candidate)].station, it.station);
            }
            assigned.iter().map(|it| it.station).collect()
        }
    }
}

/// Three stations get two units of 106 tones, in the order of the other scheduler and not in that of credits or
/// backlogs; the third waits. One station has the whole width.
#[test]
fn another_scheduler_decides_the_order_and_the_law_the_units() {
    let candidates = candidates(5);
    let seen = Observation { candidates: &candidates, splits: SPLITS[0] };
    let params = params(Policy::LargestBacklog);
    let mut order = Order::default();
    let action = super::serve(&params, &seen, [4, 1, 3], &mut order);
    assert_eq!(action, Action::MultiUser(split(2, 106)));
    let assigned: Vec<_> = order.assignments().map(|it| (it.station, it.unit)).collect();
    assert_eq!(assigned, [(4, 0), (1, 1)]);
    assert_eq!(super::serve(&params, &seen, [3], &mut order), Action::SingleUser(3));
    assert_eq!(super::serve(&params, &seen, [], &mut order), Action::Nothing);
}

/// Chooses stations for a PPDU in which each sends at its rate, and settles it. Returns the stations.
fn serve(
    params: &Params,
    state: &mut State,
    (candidates, splits): (&[Candidate], &[Split]),
    duration: Duration,
) -> Vec<u16> {
    let stations = chosen(params, state, candidates, splits);
    let served: Vec<_> = stations
        .iter()
        .map(|&station| {
            let it = candidates.iter().find(|it| it.station == station).expect("a candidate");
            let bits = it.rate.bps() / stations.len() as u64 * duration.as_nanos() / 1_000_000_000;
            Served { station, tones: 26, octets: Bytes::new(bits / 8) }
        })
        .collect();
    settle(params, state, duration, &served);
    stations
}

fn credits_ms(params: &Params, state: &State, stations: u16) -> Vec<f64> {
    (0..stations)
        .map(|station| i32::try_from(state.credit(params, station)).expect("short"))
        .map(|credit| f64::from(credit) / 1e6)
        .collect()
}

/// Three stations in 20 MHz: there is no split into 3 units, so 2 of 106 tones are used.
///
/// ```text
///  duration   served    credits after it [ms]
///  3 ms       0 1       1 - 1.5 = -0.5     -0.5                1
///  6 ms       2 0       -0.5 + 2 - 3       -0.5 + 2 = 1.5      1 + 2 - 3 = 0
///  6 ms       1 2       -1.5 + 2 = 0.5     1.5 + 2 - 3 = 0.5   0 + 2 - 3 = -1
/// ```
///
/// In the second PPDU 0 and 1 have the same credit and were served together, and the first in the list is
/// taken. At the end 0 and 1 have the same credit again, but 0 has waited for longer, wherever it is in the list.
///
/// Verifies: [ns3-multi-user §`UpdateCredits`, §`GetEqualSizedRusForStations`]
#[test]
fn credits_of_three_stations_that_share_two_units() {
    let params = params(Policy::RoundRobin);
    let mut state = State::new(3);
    let all = candidates(3);
    let mut serve = |duration| {
        let stations = serve(&params, &mut state, (&all, SPLITS[0]), ms(duration));
        (stations, credits_ms(&params, &state, 3))
    };
    assert_eq!(serve(3), (vec![0, 1], vec![-0.5, -0.5, 1.0]));
    assert_eq!(serve(6), (vec![2, 0], vec![-1.5, 1.5, 0.0]));
    assert_eq!(serve(6), (vec![1, 2], vec![0.5, 0.5, -1.0]));
    let reversed: Vec<_> = all.into_iter().rev().collect();
    assert_eq!(chosen(&params, &state, &reversed, SPLITS[0]), [0, 1]);
}

/// While station 2 has nothing to send, six PPDUs of 6 ms give each station 2 ms and cost the others 3 ms each:
/// the credits are -6, -6 and 12 ms. Then station 2 loses 1 ms in each PPDU and the others win 1 ms together.
/// After twelve PPDUs all are equal, and station 2 is left out for the first time.
#[test]
fn a_station_that_was_idle_is_served_until_credits_are_equal() {
    let params = params(Policy::RoundRobin);
    let mut state = State::new(3);
    let all = candidates(3);
    for _ in 0..6 {
        serve(&params, &mut state, (&all[..2], SPLITS[0]), ms(6));
    }
    assert_eq!(credits_ms(&params, &state, 3), [-6.0, -6.0, 12.0]);
    for _ in 0..12 {
        assert!(serve(&params, &mut state, (&all, SPLITS[0]), ms(6)).contains(&2));
    }
    assert_eq!(credits_ms(&params, &state, 3), [0.0; 3]);
    assert_eq!(chosen(&params, &state, &all, SPLITS[0]), [0, 1]);
}

/// Units of 484, 242 and 242 tones pay 1/2, 1/4 and 1/4 of 8 ms; four stations earn 2 ms each.
#[test]
fn a_wider_unit_costs_more() {
    let params = params(Policy::RoundRobin);
    let mut state = State::new(4);
    settle(&params, &mut state, ms(8), &[part(0, 484), part(1, 242), part(2, 242)]);
    assert_eq!(credits_ms(&params, &state, 4), [-2.0, 0.0, 0.0, 2.0]);
}

/// With a bound of 3 ms, station 1 has 3 ms after 2 + 2 ms, and then 3 - 4 + 0 = -1: it earns nothing above the
/// bound, and pays from the bound.
#[test]
fn a_credit_is_bounded_before_it_is_charged() {
    let params = Params { credit_cap: ms(3), ..params(Policy::RoundRobin) };
    let mut state = State::new(2);
    for credits in [[-2.0, 2.0], [-4.0, 3.0]] {
        settle(&params, &mut state, ms(4), &[part(0, 242)]);
        assert_eq!(credits_ms(&params, &state, 2), credits);
    }
    settle(&params, &mut state, ms(4), &[part(1, 242)]);
    assert_eq!(credits_ms(&params, &state, 2), [-2.0, -1.0]);
}

/// 10 ns for 3 stations are 3 ns each, and 1 ns is given later: with the next 2 ns it is 1 ns each. Charges of
/// ⅓ and ⅔ of 10 ns are 3 and 6, and the rest of the last one is 4: none is lost.
#[test]
fn nanoseconds_that_cannot_be_divided_are_given_later() {
    let params = params(Policy::RoundRobin);
    let mut state = State::new(3);
    let parts = [part(0, 26), part(1, 26), part(2, 26)];
    settle(&params, &mut state, Duration::from_nanos(10), &parts);
    let credits = |state: &State| [0, 1, 2].map(|station| state.credit(&params, station));
    assert_eq!(credits(&state), [0, 0, -1]);
    settle(&params, &mut state, Duration::from_nanos(2), &parts[..1]);
    assert_eq!(credits(&state), [-1, 1, 0]);
}

/// Widths of the units by number of candidates and most users. [ns3-multi-user §`GetEqualSizedRusForStations`]
#[test]
fn the_split_has_the_most_units_of_which_each_has_a_user() {
    let state = State::new(80);
    let units = |stations, max_users, width: usize| {
        let params = Params { max_users, ..params(Policy::RoundRobin) };
        let (candidates, mut order) = (candidates(stations), Order::default());
        let seen = Observation { candidates: &candidates, splits: SPLITS[width] };
        match step(&params, &state, &seen, &mut order) {
            Action::MultiUser(split) => (split.units, split.tones),
            other => {
                assert_eq!((other, order.assignments().count()), (Action::SingleUser(0), 0));
                (1, 0)
            }
        }
    };
    assert_eq!(
        [1, 2, 3, 4, 8].map(|n| units(n, 4, 0)),
        [(1, 0), (2, 106), (2, 106), (4, 52), (4, 52)]
    );
    assert_eq!([8, 9, 40].map(|n| units(n, 74, 0)), [(4, 52), (9, 26), (9, 26)]);
    assert_eq!([7, 8, 18, 80].map(|n| units(n, 74, 1)), [(4, 106), (8, 52), (18, 26), (18, 26)]);
    assert_eq!([15, 16, 36, 37].map(|n| units(n, 74, 2)), [(8, 106), (16, 52), (16, 52), (37, 26)]);
    assert_eq!([1, 2, 80].map(|n| units(n, 1, 2)), [(1, 0); 3]);
}

/// A station of 802.11n is served alone when it is the first of the queue, and waits otherwise. A station with an
/// empty buffer is not triggered.
///
/// Verifies: [ns3-multi-user §`SelectTxFormat`]
#[test]
fn a_station_that_cannot_share_a_ppdu_is_served_alone() {
    let (params, state) = (params(Policy::RoundRobin), State::new(4));
    let mut all = candidates(4);
    all[1].is_multi_user = false;
    assert_eq!(chosen(&params, &state, &all, SPLITS[0]), [0, 2]);
    all.swap(0, 1);
    assert_eq!(chosen(&params, &state, &all, SPLITS[0]), [1]);
    all[0].is_multi_user = true;
    all[3].backlog = Backlog::Octets(Bytes::ZERO);
    assert_eq!(chosen(&params, &state, &all, SPLITS[0]), [1, 0]);
    assert_eq!(chosen(&params, &state, &all[3..], SPLITS[0]), []);
    assert_eq!(chosen(&params, &state, &[], SPLITS[0]), []);
}

/// A queue without a known limit is the largest, and an unknown one counts as 500 octets.
///
/// Verifies: [tassiulas-1993 §Abstract]
#[test]
fn the_largest_backlogs_are_served_first() {
    let params = params(Policy::LargestBacklog);
    let mut all = candidates(4);
    let backlogs = [
        Backlog::Octets(Bytes::new(499)),
        Backlog::Unknown,
        Backlog::Large,
        Backlog::Octets(Bytes::new(501)),
    ];
    for (it, backlog) in all.iter_mut().zip(backlogs) {
        it.backlog = backlog;
    }
    assert_eq!(chosen(&params, &State::new(4), &all, SPLITS[0]), [2, 3, 1, 0]);
}

/// Time left to the deadline: voice of 90 ms has 10, video of 145 ms has 5, and voice of 120 ms has been late
/// for 20. Data without a deadline come last, those with the higher credit first.
///
/// Verifies: [liu-1973 §7]
#[test]
fn the_packet_nearest_to_its_deadline_is_served_first() {
    let params = Params { max_users: 9, ..params(Policy::Deadline) };
    let mut state = State::new(5);
    settle(&params, &mut state, ms(5), &[part(0, 242)]);
    let mut all = candidates(5);
    let packets = [(2, Urgency::Voice, 90), (3, Urgency::Video, 145), (4, Urgency::Voice, 120)];
    for (station, urgency, waiting) in packets {
        all[station] = Candidate { urgency, waiting: ms(waiting), ..all[station] };
    }
    assert_eq!(chosen(&params, &state, &all, SPLITS[0]), [4, 3, 2, 1]);
    assert_eq!(chosen(&params, &state, &all[..2], SPLITS[0]), [1, 0]);
}

/// Two stations with 10 and 40 Mb/s are served alone in turn: after each pair of PPDUs of 1 ms their ratios of rate
/// and data differ only by the age of the data, and the one with the older data is served. After four PPDUs they
/// have 20 and 80 kbit. If station 1 then has 80 Mb/s, its ratio is 80/80, and that of station 0 is 10/20: station
/// 1 is served out of turn, and then station 0 twice.
///
/// Verifies: [tse-2005 §6.7.1]
#[test]
fn a_station_is_served_when_its_rate_is_high_for_it() {
    let params = Params { max_users: 1, ..params(Policy::ProportionalFair) };
    let mut state = State::new(2);
    let mut serve = |fast| {
        let all = [(0, 10), (1, fast)].map(|(station, mbps)| Candidate {
            rate: DataRate::from_mbps(mbps),
            ..candidate(station)
        });
        serve(&params, &mut state, (&all, SPLITS[0]), ms(1))[0]
    };
    assert_eq!([40, 40, 40, 40].map(&mut serve), [0, 1, 0, 1]);
    assert_eq!([80, 40, 40, 40].map(&mut serve), [1, 0, 0, 1]);
}

/// The average of a station that always gets 8 Mb/s grows as 8 · (1 - e^(-t/window)): after one window it is
/// 63.2 % of 8, and after forty it is 8. Without data it falls to 8/e in a window. The weights of forty windows
/// need more than one division: e^40 is 2 · 10^17, and e^80 is 5 · 10^34.
#[test]
fn an_average_throughput_forgets_in_a_window() {
    let params = Params { window: ms(1_000), ..params(Policy::ProportionalFair) };
    let mut state = State::new(2);
    let mut after = |seconds: u32, octets| {
        for _ in 0..seconds * 1_000 {
            let served = [Served { station: 0, tones: 26, octets: Bytes::new(octets) }];
            settle(&params, &mut state, ms(1), &served);
        }
        state.throughput(&params, 0) / 8e6
    };
    let falls = libm::exp(-1.0);
    let is_near = |value: f64, expected: f64| (value - expected).abs() < 1e-3;
    assert!(is_near(after(1, 1_000), 1.0 - falls));
    assert!(is_near(after(99, 1_000), 1.0));
    assert!(is_near(after(1, 0), falls));
}

/// A field of 3 reports 3 · 256 octets, 253 the largest amount. An amount is rounded up to the next unit.
///
/// Verifies: [80211-2020 §9.2.4.5.6]
#[test]
fn a_report_is_in_units_of_256_octets() {
    let octets = |octets| Backlog::Octets(Bytes::new(octets));
    assert_eq!([0, 3, 253].map(Backlog::reported), [0, 768, 64_768].map(octets));
    assert_eq!([254, 255].map(Backlog::reported), [Backlog::Large, Backlog::Unknown]);
    assert_eq!([0, 1, 256, 257, 64_768].map(|it| octets(it).report()), [0, 1, 1, 2, 253]);
    assert_eq!([64_769, 1 << 40].map(|it| octets(it).report()), [254, 254]);
    assert!((0..=255).all(|field| Backlog::reported(field).report() == field));
}

/// At 8 Mb/s an octet takes 1 µs. The largest of 700, 500 (unknown) and 0 octets takes 700 µs. Without a limit the
/// PPDU has its longest duration.
///
/// Verifies: [ns3-multi-user §`TrySendingBasicTf`]
#[test]
fn a_triggered_ppdu_has_room_for_the_largest_backlog() {
    let duration = |octets: &[Option<u64>], longest| {
        let backlogs = octets
            .iter()
            .map(|it| it.map_or(Backlog::Unknown, |octets| Backlog::Octets(Bytes::new(octets))));
        let time = |size| DataRate::from_mbps(8).time_to_send(size);
        triggered_duration(&params(Policy::RoundRobin), ms(longest), backlogs, time)
    };
    assert_eq!(duration(&[Some(700), None, Some(0)], 2), Duration::from_micros(700));
    assert_eq!(duration(&[None], 2), Duration::from_micros(500));
    assert_eq!(duration(&[Some(7_000)], 2), ms(2));
    assert_eq!(duration(&[], 2), Duration::ZERO);
    let backlogs = [Backlog::Unknown, Backlog::Large];
    let time = |_| unreachable!("a backlog without a limit");
    assert_eq!(triggered_duration(&params(Policy::RoundRobin), ms(5), backlogs, time), ms(5));
}

/// Two stations with 3000 octets each. Alone, each takes 0.3 ms of contention, preamble and acknowledgement, and
/// 0.1 ms or 0.4 ms of data: 6000 octets in 0.4 + 0.7 = 1.1 ms. In halves of the channel, the slow one takes 0.8 ms,
/// and overhead and data take 1.15 ms if the overhead is 0.35 ms: single users are better. With 0.2 ms for the fast
/// one and 0.2 ms for the other, a multi-user PPDU takes 0.55 ms instead of 0.4 + 0.4.
#[test]
fn padding_for_the_slowest_user_can_cost_more_than_overhead() {
    let delivery = |octets, micros| Delivery {
        octets: Bytes::new(octets),
        duration: Duration::from_micros(micros),
    };
    let alone = |times: [u64; 2]| times.map(|micros| delivery(3_000, micros)).into_iter().sum();
    assert!(!is_multi_user_better(delivery(6_000, 1_150), alone([400, 700])));
    assert!(is_multi_user_better(delivery(6_000, 550), alone([400, 400])));
    assert!(is_multi_user_better(delivery(6_000, 800), alone([400, 400])));
    assert!(!is_multi_user_better(delivery(0, 800), alone([400, 400])));
}

/// Credits as ns-3 keeps them: each PPDU changes those of all stations.
#[derive(Debug)]
struct Reference {
    credits: Vec<i64>,
    rest: i64,
}

impl Reference {
    fn settle(&mut self, cap: i64, duration: i64, served: &[Served]) {
        let stations = i64::try_from(self.credits.len()).expect("few");
        let total = duration + self.rest;
        self.rest = total % stations;
        for credit in &mut self.credits {
            *credit = (*credit + total / stations).min(cap);
        }
        let width: i64 = served.iter().map(|it| i64::from(it.tones)).sum();
        let mut before = 0;
        for it in served {
            let after = before + i64::from(it.tones);
            self.credits[usize::from(it.station)] -=
                duration * after / width - duration * before / width;
            before = after;
        }
    }
}

/// Random history: for each PPDU the candidates as bits, and the duration [µs].
fn history() -> impl Strategy<Value = Vec<(u16, u64)>> {
    prop::collection::vec((any::<u16>(), 100u64..5_484), 1..300)
}

fn candidates_of(bits: u16, stations: u16) -> Vec<Candidate> {
    (0..stations).filter(|it| bits >> it & 1 == 1).map(candidate).collect()
}

proptest! {
    /// Those with the highest credits are served, for any history. With a high bound, credits and the airtime that
    /// is still to be given add up to zero: what a station uses, the others have saved.
    #[test]
    fn credit_is_conserved(stations in 1u16..16, max_users in 1u16..10, history in history()) {
        let params = Params {
            max_users,
            credit_cap: Duration::from_secs(1_000),
            ..params(Policy::RoundRobin)
        };
        let mut state = State::new(stations);
        for (bits, micros) in history {
            let able = candidates_of(bits, stations);
            if able.is_empty() {
                continue;
            }
            let before = state.clone();
            let duration = Duration::from_nanos(micros * 1_001);
            let served = serve(&params, &mut state, (&able, SPLITS[0]), duration);
            let credit = |station| before.credit(&params, station);
            let least = served.iter().map(|it| credit(*it)).min();
            let mut others = able.iter().filter(|it| !served.contains(&it.station));
            prop_assert!(others.all(|it| Some(credit(it.station)) <= least));
            let sum: i64 = (0..stations).map(|it| state.credit(&params, it)).sum();
            prop_assert_eq!(sum, -i64::try_from(state.credits.rest().as_nanos()).expect("short"));
        }
    }

    /// Credits that are bounded when they are read are those that are bounded at each PPDU, for any history and
    /// any widths.
    #[test]
    fn credits_are_those_of_ns_3(
        stations in 1u16..16,
        cap in 0u64..20,
        history in history(),
        widths in prop::collection::vec(1u16..997, 16),
    ) {
        let params = Params { credit_cap: ms(cap), ..params(Policy::RoundRobin) };
        let mut state = State::new(stations);
        let mut reference = Reference { credits: vec![0; stations.into()], rest: 0 };
        for (bits, micros) in history {
            let served: Vec<_> = candidates_of(bits, stations)
                .iter()
                .map(|it| part(it.station, widths[usize::from(it.station)]))
                .collect();
            if served.is_empty() {
                continue;
            }
            let duration = Duration::from_nanos(micros * 1_001);
            settle(&params, &mut state, duration, &served);
            let bound = i64::try_from(params.credit_cap.as_nanos()).expect("short");
            reference.settle(bound, i64::try_from(duration.as_nanos()).expect("short"), &served);
            let credits: Vec<_> = (0..stations).map(|it| state.credit(&params, it)).collect();
            prop_assert_eq!(&credits, &reference.credits);
        }
    }

    /// Backlogged stations have equal products of time and width: for any durations and widths, none is ever
    /// further from its share than the time of two of the longest PPDUs.
    #[test]
    fn backlogged_stations_share_time_and_width_equally(
        stations in 2u16..16,
        max_users in 1u16..16,
        width in 0usize..3,
        durations in prop::collection::vec(100u64..5_484, 1..400),
    ) {
        let params = Params {
            max_users,
            credit_cap: Duration::from_secs(1_000),
            ..params(Policy::RoundRobin)
        };
        let (mut state, all) = (State::new(stations), candidates(stations));
        for micros in durations {
            serve(&params, &mut state, (&all, SPLITS[width]), Duration::from_micros(micros));
            for station in 0..stations {
                let credit = state.credit(&params, station).unsigned_abs();
                prop_assert!(Duration::from_nanos(credit) <= ms(11), "{station}: {credit} ns");
            }
        }
    }

    /// With fixed rates proportional fairness gives all stations the same time × width, whatever their rates.
    #[test]
    fn proportional_fairness_with_fixed_rates_is_airtime_fairness(
        rates in prop::collection::vec(1u64..1_000, 2..10),
        max_users in 1u16..5,
        seed in 0u64..1_000,
    ) {
        let params = Params { max_users, window: ms(200), ..params(Policy::ProportionalFair) };
        let all: Vec<_> = (0..)
            .zip(&rates)
            .map(|(station, &rate)| Candidate { rate: DataRate::from_mbps(rate), ..candidate(station) })
            .collect();
        let mut state = State::new(10);
        let mut airtime = vec![Duration::ZERO; all.len()];
        for ppdu in 0..4_000 {
            let duration = Duration::from_micros(500 + (ppdu * 997 + seed) % 1_000);
            let stations = serve(&params, &mut state, (&all, SPLITS[0]), duration);
            for station in &stations {
                airtime[usize::from(*station)] += duration / stations.len() as u64;
            }
        }
        let mean = (airtime.iter().copied().sum::<Duration>() / all.len() as u64).as_secs_f64();
        let is_near = |it: &Duration| (it.as_secs_f64() / mean - 1.0).abs() < 0.02;
        prop_assert!(airtime.iter().all(is_near), "{airtime:?}");
    }

    /// Voice packets of one PPDU each meet their deadlines if any order meets them. The packets are drawn so that
    /// an order exists: packets 2k and 2k + 1 may be sent in PPDU k, or from a drawn number of PPDUs before it to
    /// a drawn number after it. The list of candidates has the opposite order. Times are in PPDUs of 1 ms.
    #[test]
    fn deadlines_are_met_if_any_order_meets_them(
        margins in prop::collection::vec((0u64..12, 0u64..12), 1..80),
    ) {
        let packets: Vec<_> = (0..)
            .zip(&margins)
            .map(|(index, (before, after))| (index / 2 + 12 - before, index / 2 + 13 + after))
            .collect();
        let params = Params { max_users: 2, voice_deadline: ms(100), ..params(Policy::Deadline) };
        let mut state = State::new(80);
        let mut waiting: Vec<u16> = (0..).take(packets.len()).collect();
        for now in 0..64 {
            let able: Vec<_> = waiting
                .iter()
                .rev()
                .map(|&station| (station, packets[usize::from(station)]))
                .filter(|(_, (arrival, _))| *arrival <= now)
                // A packet with less time until its deadline has waited for longer.
                .map(|(station, (_, deadline))| {
                    let waiting = ms(100 + now - deadline);
                    Candidate { urgency: Urgency::Voice, waiting, ..candidate(station) }
                })
                .collect();
            let splits = [split(2, 106), split(1, 242)];
            let served = serve(&params, &mut state, (&able, &splits), ms(1));
            waiting.retain(|it| !served.contains(it));
            prop_assert!(waiting.iter().all(|it| packets[usize::from(*it)].1 > now + 1), "at {now}");
        }
        prop_assert!(waiting.is_empty());
    }
}

/// Streams of an access point with four or eight: equal shares, and those that a user does not want go to the others. The
/// first ones get what is left over.
///
/// Verifies: [80211ax-2021 Table 27-29]
#[test]
fn streams_are_shared_equally_as_far_as_users_want_them() {
    assert_eq!(share_streams(&[2, 2, 2, 2], 4), [1, 1, 1, 1]);
    assert_eq!(share_streams(&[2, 2], 4), [2, 2]);
    assert_eq!(share_streams(&[1, 4, 4], 8), [1, 4, 3]);
    assert_eq!(share_streams(&[8, 1], 8), [4, 1]);
    assert_eq!(share_streams(&[4, 4, 4], 8), [3, 3, 2]);
    assert_eq!(share_streams(&[1, 1], 8), [1, 1]);
}
