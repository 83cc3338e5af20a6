//! Grants of time by a CTS to a station; every time is calculated by hand.
//!
//! 802.11b at 11 Mb/s, long preamble: 972 + 28 octets last 192 + ⌈8000/11⌉ = 920 µs, ACK at 2 Mb/s 248 µs. At 1 Mb/s a
//! CTS of 14 octets lasts 192 + 112 = 304 µs, and a CF-End of 20 octets 352 µs. SIFS 10, PIFS 30, DIFS 50, EIFS 364 µs.

use airfair_units::{Bytes, Duration};
use airfair_wlan::phy::Standard;
use airfair_wlan::{Beacon, CellConfig, Elements, FrameKind, Listen, NodeId};

use crate::bench::{Bench, MBPS, at, config, without_backoff};

const SIZE: u64 = 972;
const DATA: u64 = 920;
const ACK: u64 = 258;
const CTS: u64 = 304;
const CF_END: u64 = 352;

fn cell() -> CellConfig {
    without_backoff(config(Standard::B, &[MBPS(11); 2]))
}

/// Runs a cell whose access point grants 5 ms to station 1 at 1000 µs. Station 2 gets a packet at 1500 µs.
fn granted(cell: &CellConfig) -> [Bench; 2] {
    [Bench::new(cell), Bench::with_relation(cell)].map(|mut bench| {
        bench.run_until(at(1_000));
        bench.cell.grant(bench.now, NodeId(1), Duration::from_micros(5_000));
        bench.run_until(at(1_500));
        bench.send_up(1, SIZE);
        bench
    })
}

/// The CTS of 1000 … 1304 sets the NAV of station 2 until 6304. It does not bind station 1, nor the access point.
///
/// Verifies: [80211-2020 §10.3.2.4]
#[test]
fn only_the_granted_station_and_the_access_point_contend() {
    for mut bench in granted(&cell()) {
        bench.run_until(at(2_000));
        bench.send_up(0, SIZE);
        bench.run_until(at(4_000));
        bench.send(NodeId::AP, NodeId(1), SIZE);
        bench.run_until(at(20_000));
        let other = 6_304 + 50 + DATA;
        let expected = [
            (1_000 + CTS, 0),
            (2_000 + DATA, 1),
            (2_000 + DATA + ACK, 0),
            (4_000 + DATA, 0),
            (4_000 + DATA + ACK, 1),
            (other, 2),
            (other + ACK, 0),
        ];
        assert_eq!(bench.ends(), expected);
    }
}

/// A CF-End of 3000 … 3352 resets the NAV, and a DIFS later station 2 sends.
///
/// Verifies: [80211-2020 §9.3.1.6, §10.3.2.4]
#[test]
fn a_cf_end_lets_others_contend_again() {
    for mut bench in granted(&cell()) {
        bench.run_until(at(3_000));
        bench.cell.end_grant(bench.now);
        bench.run_until(at(20_000));
        let other = 3_000 + CF_END + 50 + DATA;
        let expected = [(1_000 + CTS, 0), (3_000 + CF_END, 0), (other, 2), (other + ACK, 0)];
        assert_eq!(bench.ends(), expected);
    }
}

/// A station that senses the CTS and does not decode it waits for an EIFS, 364 µs, and not for the end of the grant.
///
/// Verifies: [80211-2020 §10.3.2.3.7]
#[test]
fn a_station_that_does_not_decode_the_cts_has_no_nav() {
    let mut cell = cell();
    cell.stations[1].senses_only = vec![NodeId::AP];
    let mut bench = Bench::new(&cell);
    bench.run_until(at(1_000));
    bench.cell.grant(bench.now, NodeId(1), Duration::from_micros(5_000));
    bench.run_until(at(1_500));
    bench.send_up(1, SIZE);
    bench.run_until(at(4_000));
    assert_eq!(bench.ends()[..2], [(1_304, 0), (1_304 + 364 + DATA, 2)]);
}

/// A CTS waits for the frame on the air and its ACK, and then for the beacon, each a PIFS before: 50 … 970, ACK until
/// 1228, beacon of 800 µs from 1258 on, CTS from 2088 on. Other members hear it as a CTS to station 1.
///
/// Verifies: [80211-2020 §10.3.2.3.4]
#[test]
fn a_grant_waits_behind_a_beacon() {
    let mut bench = Bench::new(&cell());
    bench.cell.listen(NodeId(2), Listen::All);
    bench.send_up(0, SIZE);
    bench.run_until(at(500));
    bench.cell.grant(bench.now, NodeId(1), Duration::from_micros(5_000));
    bench
        .cell
        .send_beacon(bench.now, Beacon { psdu: Bytes::new(76), elements: Elements::default() });
    bench.run_until(at(2_088 + CTS + 1));
    assert_eq!(bench.ends()[1..], [(1_228, 0), (2_058, 0), (2_088 + CTS, 0)]);
    let heard = bench.heard();
    let last = heard.last().expect("the CTS");
    assert_eq!((last.kind(), last.from(), last.to()), (FrameKind::Cts, None, Some(NodeId(1))));
    assert_eq!(last.duration_field(), Duration::from_micros(5_000));
}

/// In 802.11g the CTS has the lowest basic rate of OFDM, 6 Mb/s: 16 + 4 + 6 · 4 + 6 = 50 µs. Beside an 802.11b station it
/// has the lowest basic rate of all, 1 Mb/s, which takes 304 µs.
#[test]
fn the_cts_has_the_lowest_rate_that_all_decode() {
    for (other, rate, cts) in [(Standard::G, 12, 50), (Standard::B, 11, CTS)] {
        let mut cell = config(Standard::G, &[MBPS(54), MBPS(rate)]);
        cell.stations[1].standard = other;
        cell.rules.basic_rates = Standard::G.default_basic_rates(other == Standard::B);
        let mut bench = Bench::new(&cell);
        bench.run_until(at(1_000));
        bench.cell.grant(bench.now, NodeId(1), Duration::from_micros(5_000));
        bench.run_until(at(2_000));
        assert_eq!(bench.ends(), [(1_000 + cts, 0)]);
    }
}
