//! Rates chosen by rate control; every time is calculated by hand.
//!
//! 802.11b, long preamble: 972 + 28 octets last 920 µs at 11 Mb/s, 192 + ⌈8000/5.5⌉ = 1647 at 5.5, 192 + 4000 = 4192
//! at 2. Slot 20, DIFS 50; a response times out 222 µs after the frame. Aggregates are of 802.11n.

use std::collections::{BTreeMap, BTreeSet};

use airfair_laws::Direction::{self, Down, Up};
use airfair_laws::{arf, minstrel_ht};
use airfair_units::{Decibels, Duration, Probability};
use airfair_wlan::phy::mode_groups::modes;
use airfair_wlan::phy::{Band, Rate, Standard, Width};
use airfair_wlan::{
    CellConfig, Channel, DropCause, ErrorModel, NodeId, QueueConfig, RateLaw, Record,
};
use proptest::prelude::*;

use crate::bench::{Bench, MBPS, at, config, error_stream, without_backoff};
use crate::properties::{check_air, check_packets};

const ARF: arf::Params = arf::Params {
    up: 3,
    down: 2,
    counting: arf::Counting::InARow,
    timer: arf::Timer::Off,
    rts_failures: true,
    most_up: None,
    starts_high: true,
};

/// A cell of one station, with ARF in both directions.
fn cell() -> CellConfig {
    let mut cell = without_backoff(config(Standard::B, &[MBPS(11)]));
    cell.stations[0].adaptation = [Some(RateLaw::Arf(ARF)); 2];
    cell
}

/// Recorded changes of rate: time [µs], direction, new rate [kb/s].
fn changes(bench: &Bench) -> Vec<(u64, Direction, u64)> {
    let change = |(time, record): &(_, Record)| match *record {
        Record::Rate { station, direction, rate } => {
            assert_eq!(station, NodeId::station(0));
            Some((*time, direction, rate.bps() / 1_000))
        }
        _ => None,
    };
    let us = |time: airfair_units::Time| time.as_nanos() / 1_000;
    bench
        .records
        .iter()
        .filter_map(change)
        .map(|(time, direction, rate)| (us(time), direction, rate))
        .collect()
}

/// A retransmission is sent at the rate to which ARF has lowered the rate after the failures before.
///
/// Verifies: [kamerman-1997]
#[test]
fn a_repetition_goes_out_at_the_rate_that_the_failure_has_led_to() {
    let mut cell = cell();
    cell.stations[0].errors = ErrorModel::Bernoulli(Probability::literal(1.0));
    let mut bench = Bench::new(&cell);
    bench.send_up(0, 972);
    bench.run_until(at(10_400));
    // 50 … 970; time-out at 1192, slots start at 1020 + 20 · k: 1200 … 2120; time-out at 2342, slots at 2170 + 20 ·
    // k: 2350 … 3997 at 5.5; 4227 … 5874; time-out at 6096, slots at 5924 + 20 · k: 6104 … 10 296 at 2.
    assert_eq!(bench.ends(), [(970, 1), (2_120, 1), (3_997, 1), (5_874, 1), (10_296, 1)]);
    assert_eq!(changes(&bench), [(2_342, Up, 5_500), (6_096, Up, 2_000)]);
}

/// ARF counts ACKs for each direction of a link separately, where three in a row raise the rate.
#[test]
fn each_direction_of_a_link_has_a_law_of_its_own() {
    let mut cell = cell();
    cell.stations[0].adaptation =
        [Some(RateLaw::Arf(arf::Params { starts_high: false, ..ARF })); 2];
    let mut bench = Bench::new(&cell);
    for _ in 0..4 {
        bench.send(NodeId::AP, NodeId::station(0), 972);
    }
    bench.run_until(at(60_000));
    // 1 Mb/s: 50 … 8242, ACK at 1 Mb/s 192 + 112 = 304 from 8252 to 8556; DIFS: again from 8606 on.
    let third = 50 + 2 * 8_556 + 8_192 + 10 + 304;
    assert_eq!(changes(&bench), [(third, Down, 2_000)]);
    bench.send_up(0, 972);
    bench.run_until(at(90_000));
    let up = bench.sent().into_iter().rfind(|sent| sent.node == NodeId::station(0));
    assert!(up.is_some());
    assert_eq!(changes(&bench).len(), 1);
}

const MINSTREL: RateLaw = RateLaw::MinstrelHt {
    params: minstrel_ht::Params {
        interval: Duration::from_millis(50),
        sample_interval: Duration::from_millis(20),
        segment: Duration::from_millis(6),
        attempts: 7,
        slot: Duration::from_micros(9),
        window: [15, 1023],
    },
    seed: 7,
};

/// A cell over 20 MHz with this number of streams, and one station of a standard whose links have these rate
/// controls.
fn modern(
    (standard, streams): (Standard, u8),
    station: Standard,
    laws: [Option<RateLaw>; 2],
) -> CellConfig {
    let mut cell = config(standard, &[MBPS(6)]);
    let usual = Channel::at(standard, Band::Ghz5);
    cell.rules.channel = Channel { streams, width: Width::Mhz20, ..usual };
    let it = &mut cell.stations[0];
    (it.standard, it.link) = (station, cell.rules.channel.link(standard, station));
    if let Some(link) = it.link {
        (it.rate_up, it.rate_down) = (Rate::Mode(link.fastest()), Rate::Mode(link.fastest()));
    }
    (it.adaptation, it.queue) = (laws, QueueConfig::fifo(200));
    cell.ap_queue = QueueConfig::fifo(200);
    cell
}

/// A cell of 802.11n with one stream and a single saturated station, after `ms` milliseconds.
fn saturated(law: Option<RateLaw>, errors: ErrorModel, ms: u64) -> Bench {
    let mut cell = modern((Standard::N, 1), Standard::N, [law, None]);
    cell.stations[0].errors = errors;
    let mut bench = Bench::new(&cell);
    for now in 0..ms {
        while bench.send_up(0, 1_508) {}
        bench.run_until(at((now + 1) * 1_000));
    }
    bench
}

/// Rate [kb/s] that the uplink has used longest from `from` [ms] on, and its share of that time.
fn most_used(bench: &Bench, from: u64) -> (u64, f64) {
    let end = bench.now.as_nanos() / 1_000;
    let mut all = changes(bench);
    all.push((end, Up, 0));
    let mut used = BTreeMap::new();
    for pair in all.windows(2) {
        let [(start, _, rate), (end, ..)] = pair else { unreachable!("two") };
        *used.entry(*rate).or_insert(0) += end.saturating_sub((*start).max(from * 1_000));
    }
    let (rate, time) = used.into_iter().max_by_key(|it| it.1).expect("a rate");
    let us = |time: u64| f64::from(u32::try_from(time).expect("some seconds"));
    (rate, us(time) / us(end - from * 1_000))
}

/// Over 20 MHz with one stream at 15 dB, Minstrel-HT settles at 16-QAM 3/4, 39 Mb/s; 64-QAM fails. The rest of the
/// time goes to samples and to retransmissions after those that fail.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_update_stats`]
#[test]
fn minstrel_ht_settles_at_the_fastest_rate_that_gets_through() {
    let snr = ErrorModel::Snr(Decibels::new(15));
    let (rate, share) = most_used(&saturated(Some(MINSTREL), snr, 3_000), 1_000);
    assert!(rate == 39_000 && share > 0.85, "{rate} {share}");
}

/// Error model whose bit error ratio loses this share of the MPDUs of 1538 octets, -ln(1 - p) / 12 304, and few of the
/// `BlockAck`s, 32 octets.
fn losing(share: f64) -> ErrorModel {
    ErrorModel::Bits(Probability::literal(-libm::log(1.0 - share) / 12_304.0))
}

/// With three of ten MPDUs lost at any rate, Minstrel-HT stays at the fastest one, 65 Mb/s. No MPDU is given up, as
/// 28 losses in a row do not occur.
#[test]
fn minstrel_ht_stays_at_a_rate_that_loses_as_much_as_any() {
    let bench = saturated(Some(MINSTREL), losing(0.3), 3_000);
    let (rate, share) = most_used(&bench, 1_000);
    assert!(rate == 65_000 && share > 0.7, "{rate} {share}");
    let given_up =
        |record: &Record| matches!(record, Record::Dropped { cause: DropCause::RetryLimit, .. });
    assert!(!bench.records.iter().any(|(_, record)| given_up(record)));
}

/// Minstrel-HT sends at most three samples in 50 ms: 60 in a second and 3 before the first update. A sample that
/// fails is sent alone once or twice more. With a fixed rate all MPDUs are sent in aggregates.
///
/// Verifies: [linux-minstrel-ht §`minstrel_ht_get_rate`]
#[test]
fn an_mpdu_that_samples_goes_alone() {
    let alone = |law, errors| {
        let bench = saturated(law, errors, 1_000);
        let data = bench.sent().iter().filter(|it| it.node == NodeId::station(0)).count();
        let is_aggregate = |record: &Record| matches!(record, Record::Aggregate { mpdus: 2.., .. });
        data - bench.records.iter().filter(|(_, record)| is_aggregate(record)).count()
    };
    assert_eq!(alone(None, ErrorModel::None), 0);
    let with_samples = alone(Some(MINSTREL), ErrorModel::Snr(Decibels::new(15)));
    assert!((30..=3 * 63).contains(&with_samples), "{with_samples}");
}

/// ARF counts an aggregate, here 42 MPDUs in 65 535 octets, as a success if at least half of its MPDUs arrive. With a
/// third lost the rate stays; with three quarters lost at each rate it falls to the lowest one.
///
/// Deviates: [D-142]
#[test]
fn arf_counts_an_aggregate_by_the_half_of_it() {
    let law = RateLaw::Arf(arf::Params { up: 10, ..ARF });
    assert_eq!(changes(&saturated(Some(law), losing(0.33), 1_000)), []);
    let (rate, share) = most_used(&saturated(Some(law), losing(0.75), 2_000), 1_000);
    assert!(rate == 6_500 && share > 0.9, "{rate} {share}");
}

/// One period of a run: packets up and down, length of the period [ms], and probability that an MPDU of the first
/// station is lost, which holds from the period's start.
type Turn = (usize, usize, u64, f64);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// With any noise, Minstrel-HT uses a rate of the link's groups, or of a legacy station's set, and each MPDU is
    /// accounted for.
    #[test]
    fn minstrel_ht_stays_in_its_set_and_loses_no_packet(
        standard in prop::sample::select(&[Standard::N, Standard::Ac, Standard::Ax][..]),
        (streams, is_long, seed) in (1u8..3, prop::bool::ANY, any::<u64>()),
        turns in prop::collection::vec(
            (0usize..80, 0usize..80, 0u64..60, prop_oneof![Just(0.0), Just(1.0), 0.0..1.0]), 1..20
        ),
    ) {
        let RateLaw::MinstrelHt { params, .. } = MINSTREL else { unreachable!("it is") };
        let params = if is_long { params } else {
            let interval = Duration::from_millis(10);
            minstrel_ht::Params { interval, sample_interval: interval / 4, attempts: 2, ..params }
        };
        let law = RateLaw::MinstrelHt { params, seed };
        let cell = modern((standard, streams), standard, [Some(law); 2]);
        let link = cell.stations[0].link.expect("a link");
        let rates: BTreeSet<u64> =
            modes(link.format, Band::Ghz5).map(|mode| mode.rate().bps() / 1_000).collect();
        let mut bench = Bench::new(&cell);
        for (up, down, pause, losses) in turns as Vec<Turn> {
            let losses = Probability::new(losses).expect("a probability");
            bench.cell.set_errors(NodeId::station(0), ErrorModel::Bernoulli(losses), error_stream(0));
            (0..up).for_each(|_| { bench.send_up(0, 1_508); });
            (0..down).for_each(|_| { bench.send(NodeId::AP, NodeId::station(0), 300); });
            bench.run_until(bench.now + Duration::from_millis(pause));
        }
        prop_assert!(changes(&bench).iter().all(|(.., rate)| rates.contains(rate)));
        bench.cell.flush(bench.now);
        bench.records.extend(bench.cell.drain_records().map(|record| (bench.now, record)).collect::<Vec<_>>());
        check_air(&bench, false);
        check_packets(&bench);
    }
}
