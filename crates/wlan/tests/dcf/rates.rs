//! Rates that a law finds, each time worked out by hand.
//!
//! 802.11b, long preamble: 972 + 28 octets last 920 µs at 11 Mb/s, 192 + ⌈8000/5.5⌉ = 1647 at 5.5,
//! 192 + 4000 = 4192 at 2. Slot 20, DIFS 50; a response is missed 222 µs after the frame.

use airfair_laws::Direction::{self, Down, Up};
use airfair_laws::arf;
use airfair_units::Probability;
use airfair_wlan::phy::Standard;
use airfair_wlan::{CellConfig, ErrorModel, NodeId, RateLaw, Record};

use crate::bench::{Bench, MBPS, at, config, without_backoff};

const ARF: arf::Params = arf::Params {
    up: 3,
    down: 2,
    counting: arf::Counting::InARow,
    timer: arf::Timer::Off,
    rts_failures: true,
    most_up: None,
    starts_high: true,
};

/// A cell of one station whose frames and those to it follow ARF.
fn cell() -> CellConfig {
    let mut cell = without_backoff(config(Standard::B, &[MBPS(11)]));
    cell.stations[0].adaptation = [Some(RateLaw::Arf(ARF)); 2];
    cell
}

/// Times [us], directions and rates [kb/s] of the changes.
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

/// Verifies: [kamerman-1997]
#[test]
fn a_repetition_goes_out_at_the_rate_that_the_failure_has_led_to() {
    let mut cell = cell();
    cell.stations[0].errors = ErrorModel::Bernoulli(Probability::literal(1.0));
    let mut bench = Bench::new(&cell);
    bench.send_up(0, 972);
    bench.run_until(at(10_400));
    // 50 … 970; missed at 1192, slots since 1020: 1200 … 2120; missed at 2342, slots since 2170:
    // 2350 … 3997 at 5.5; 4227 … 5874; missed at 6096, slots since 5924: 6104 … 10 296 at 2.
    assert_eq!(bench.ends(), [(970, 1), (2_120, 1), (3_997, 1), (5_874, 1), (10_296, 1)]);
    assert_eq!(changes(&bench), [(2_342, Up, 5_500), (6_096, Up, 2_000)]);
}

/// Three ACKs in a row lead up again, each direction for itself.
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
    // 1 Mb/s: 50 … 8242, ACK at 1 Mb/s 192 + 112 = 304 from 8252 to 8556; DIFS: again from 8606 on
    let third = 50 + 2 * 8_556 + 8_192 + 10 + 304;
    assert_eq!(changes(&bench), [(third, Down, 2_000)]);
    bench.send_up(0, 972);
    bench.run_until(at(90_000));
    let up = bench.sent().into_iter().rfind(|sent| sent.node == NodeId::station(0));
    assert!(up.is_some());
    assert_eq!(changes(&bench).len(), 1);
}
