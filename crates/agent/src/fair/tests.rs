//! A cell of two stations that upload, whose frames follow from their windows.

use super::*;
use crate::sample::{Connection, DirectionCounters, LinkCounters, Sent};

/// Payload of a packet [octets].
const SEGMENT: u64 = 1_448;
/// Time between two samples.
const PERIOD: Duration = Duration::from_millis(100);
const ROUND_TRIP: Duration = Duration::from_millis(50);
/// Mean contention of a packet, DIFS and half of 15 slots [µs].
const CONTENTION: u64 = 101;
/// Stations, with their rates [Mb/s] and the time that a packet takes with its contention [µs]: at 54 Mb/s 248 + 16 +
/// 28 + 101.5, and at 6 Mb/s 2072 + 16 + 44 + 101.5.
const STATIONS: [(&str, u64, u64); 2] =
    [("02:00:00:00:01:00", 54, 394), ("02:00:00:00:02:00", 6, 2_234)];

/// Cell of the stations, whose windows follow the decisions of the law.
struct Cell {
    law: Fair,
    now: u64,
    packets: [u64; 2],
    windows: [Option<u64>; 2],
    /// Packets that the stations' applications offer in a period at most.
    offered: [u64; 2],
    is_survey_measured: bool,
    busy_us: u64,
    /// Time of the last period in which a packet was on the air that ends in the next one [µs].
    begun_us: u64,
}

impl Cell {
    fn new() -> Self {
        Self {
            law: Fair::new(Settings::default(), 1),
            now: 0,
            packets: [0; 2],
            windows: [None; 2],
            offered: [u64::MAX; 2],
            is_survey_measured: false,
            busy_us: 0,
            begun_us: 0,
        }
    }

    /// Lets a period pass, and then applies the decision. Both stations send in turn, as long as
    /// their windows and applications allow it. Returns the airtime of both [µs].
    fn period(&mut self) -> [u64; 2] {
        let allowed = |window: Option<u64>| {
            let windows = PERIOD.as_nanos() / ROUND_TRIP.as_nanos();
            window.map_or(u64::MAX, |octets| windows * octets / SEGMENT)
        };
        let mut left = [0, 1].map(|it| allowed(self.windows[it]).min(self.offered[it]));
        let (mut sent, mut time) = ([0; 2], PERIOD.as_nanos() / 1_000 + self.begun_us);
        let next = |sent: &[u64; 2], left: &[u64; 2]| {
            (0..2).filter(|it| left[*it] > 0).min_by_key(|it| sent[*it])
        };
        self.begun_us = 0;
        while let Some(it) = next(&sent, &left) {
            if time < STATIONS[it].2 {
                self.begun_us = time;
                break;
            }
            time -= STATIONS[it].2;
            sent[it] += 1;
            left[it] -= 1;
        }
        self.now += PERIOD.as_nanos();
        for it in [0, 1] {
            self.packets[it] += sent[it];
            // The busy time has neither the contention nor the SIFS.
            self.busy_us += sent[it] * (STATIONS[it].2 - CONTENTION - 16);
        }
        let (_, decision) = self.law.take(&self.sample());
        if let Some(Decision::Windows(windows)) = decision {
            for it in windows {
                let station = usize::from(it.ends[0].port() - 4_000);
                assert_eq!(it.up, it.down);
                self.windows[station] =
                    it.up.filter(|octets| *octets != ConnectionLimit::FREE).map(u64::from);
            }
        }
        [0, 1].map(|it| sent[it] * (STATIONS[it].2 - CONTENTION))
    }

    fn sample(&self) -> Sample {
        let links = (0..2).map(|it| LinkCounters {
            name: format!("wlan0 {}", STATIONS[it].0),
            up: DirectionCounters {
                bytes: self.packets[it] * (SEGMENT + 52),
                packets: self.packets[it],
                retries: Some(0),
                rate_bps: Some(STATIONS[it].1 * 1_000_000),
                ..DirectionCounters::default()
            },
            down: DirectionCounters::default(),
        });
        let half = ROUND_TRIP.as_nanos() / 2;
        let connections = (0..2).map(|it| {
            let packets = u32::try_from(self.packets[it]).unwrap();
            let echo = Sent {
                echo_ns: self.packets[it] * half,
                echoes: packets,
                largest: 1_460,
                ..Sent::default()
            };
            Connection {
                station: STATIONS[it].0.into(),
                ends: [
                    ([10, 0, 0, 2], 4_000 + u16::try_from(it).unwrap()).into(),
                    ([10, 1, 0, 1], 80).into(),
                ],
                up: Sent { octets: self.packets[it] * SEGMENT, packets, ..echo.clone() },
                down: Sent { answers: packets, ..echo },
                own: None,
            }
        });
        Sample {
            at_ns: self.now,
            links: links.collect(),
            connections: connections.collect(),
            busy_ns: self.is_survey_measured.then_some(self.busy_us * 1_000),
            ..Sample::default()
        }
    }

    /// Airtime of both stations over 10 s, after 20 s [s].
    fn settled(&mut self) -> [f64; 2] {
        (0..200).for_each(|_| _ = self.period());
        let mut sum = [0.0; 2];
        for _ in 0..100 {
            let used = self.period();
            for it in [0, 1] {
                sum[it] += Duration::from_micros(used[it]).as_secs_f64();
            }
        }
        sum
    }
}

/// Without the law both stations send as many packets, and the slow one has 2133 / 293 = 7.3 times
/// the airtime. With it they are equal to within a twentieth, and hold more than four fifths of the
/// time; contention has a sixth.
#[test]
fn two_stations_have_the_same_airtime() {
    for is_survey_measured in [false, true] {
        let mut cell = Cell { is_survey_measured, ..Cell::new() };
        let first = cell.period();
        assert!(first[1] > 7 * first[0], "{first:?}");
        let [fast, slow] = cell.settled();
        assert!((slow / fast - 1.0).abs() < 0.05, "{fast} s and {slow} s");
        assert!(fast + slow > 8.2, "{fast} s and {slow} s");
        let used: Vec<f64> = cell.law.granted().iter().map(|it| it.used).collect();
        assert_eq!(used.len(), 2);
    }
}

/// A slow station that offers 10 packets in 100 ms has 21 % of the time in the air, which is less
/// than half: its window does not keep it from that. The fast one has the rest, less contention.
#[test]
fn a_station_that_wants_less_has_what_it_wants() {
    let mut cell = Cell { offered: [u64::MAX, 10], ..Cell::new() };
    let [fast, slow] = cell.settled();
    assert!((slow - 100.0 * 10.0 * 2_133e-6).abs() < 0.02, "{slow} s");
    assert!(fast > 5.5, "{fast} s");
}

/// Without stations, limits end, and all is forgotten.
#[test]
fn a_failed_sample_lifts_the_limits() {
    let mut cell = Cell::new();
    cell.settled();
    assert!(cell.windows[1].is_some());
    let nothing = Sample { at_ns: cell.now + 1, ..Sample::default() };
    assert_eq!(cell.law.take(&nothing).1, Some(Decision::Lift));
    assert_eq!(cell.law.take(&nothing).1, None);
    assert!(cell.law.known.is_empty() && cell.law.granted().is_empty());
}

/// Two connections of a station share its window, and each has at least two segments.
#[test]
fn connections_of_a_station_share_its_window() {
    let mut cell = Cell::new();
    cell.settled();
    let whole = cell.law.law.window(1).unwrap().get();
    let known = cell.law.known.values().find(|it| it.station == 1).unwrap().clone();
    let ends = [([10, 0, 0, 2], 5_000).into(), ([10, 1, 0, 1], 80).into()];
    cell.law.known.insert(ends, known);
    let now = Time::from_nanos(cell.now);
    let limits = cell.law.windows(now);
    let expected = u32::try_from((whole / 2).max(2 * 1_460)).unwrap();
    assert!(!limits.is_empty() && limits.iter().all(|it| it.up == Some(expected)), "{limits:?}");
}

/// 10 000 octets in 100 ms are 5 000 in a round trip of 50 ms; without elapsed time nothing is
/// known.
#[test]
fn data_in_flight_is_the_product_of_rate_and_round_trip() {
    assert_eq!(product(10_000, ROUND_TRIP, PERIOD), Some(5_000));
    assert_eq!(product(10_000, ROUND_TRIP, Duration::ZERO), None);
    assert_eq!(product(u64::MAX, PERIOD, Duration::from_nanos(1)), Some(u64::MAX));
}

/// Link of a station with this rate [Mb/s] that has sent 10 packets and received 4 in 20 ms.
fn link(address: &str, mbps: u64) -> LinkEstimate {
    let way = |frames, ms| DirectionEstimate {
        frames,
        air: Duration::from_millis(ms),
        rate: Some(airfair_units::DataRate::from_mbps(mbps)),
        ..DirectionEstimate::default()
    };
    LinkEstimate { name: format!("wlan0 {address}"), up: way(10, 15), down: way(4, 5) }
}

/// Each of 14 frames is an access. If the busy time is measured, each has a SIFS that is idle as
/// well. At 866 Mb/s, a rate of 802.11ac, frames may be aggregates; at 54 Mb/s none is.
#[test]
fn a_station_is_charged_for_its_frames_and_their_gaps() {
    let of = |mbps, is_busy_measured| charge(3, &link("it", mbps), is_busy_measured);
    let legacy = of(54, false);
    assert_eq!((legacy.station, legacy.airtime), (3, Duration::from_millis(20)));
    assert_eq!(legacy.gaps, law::Gaps { accesses: 14, responses: 0 });
    assert_eq!(of(54, true).gaps, law::Gaps { accesses: 14, responses: 14 });
    assert_eq!([legacy.is_aggregate, of(866, false).is_aggregate], [false, true]);
}

/// Level after a second in which each of two stations uses this part of each 100 ms, and the driver
/// reports this busy time [ms].
fn level(used_ms: u64, busy_ms: Option<u64>) -> f64 {
    let mut law = Fair::new(Settings::default(), 1);
    let mut links = vec![link("a", 54), link("b", 54)];
    for it in &mut links {
        it.up.air = Duration::from_millis(used_ms) - it.down.air;
    }
    law.stations.update(&links);
    let mut seen = Estimate { elapsed: PERIOD, links, ..Estimate::default() };
    for period in 1..=10 {
        seen.at = Time::from_nanos(period * PERIOD.as_nanos());
        law.step(&seen, busy_ms.map(Duration::from_millis));
    }
    law.law.level()
}

/// Two stations use 40 ms of 100 ms. A busy time of 40 ms leaves unused time, and the level stays at
/// 1; so does one of 13 ms, which some drivers report and which cannot be right. With a busy time of
/// 99 ms the level falls. Other networks then use more than the stations, so that the level is
/// at least 1.1 times their mean use, 0.2 as smoothed over a second.
#[test]
fn the_busy_time_of_the_driver_counts_if_it_can_be_right() {
    for busy in [None, Some(40), Some(13)] {
        assert!((level(20, busy) - 1.0).abs() < 1e-9, "{busy:?}");
    }
    // Stations that use 98 ms leave nothing, whatever the driver reports.
    assert!(level(49, Some(13)) < 0.9);
    let full = level(20, Some(99));
    assert!((0.2..0.5).contains(&full), "{full}");
    let mut law = Fair::new(Settings::default(), 1);
    let links = vec![link("a", 54), link("b", 54)];
    law.stations.update(&links);
    let mut seen = Estimate { elapsed: PERIOD, links, ..Estimate::default() };
    for period in 1..=300 {
        seen.at = Time::from_nanos(period * PERIOD.as_nanos());
        law.step(&seen, Some(Duration::from_millis(99)));
    }
    assert!((law.law.level() - 0.22).abs() < 1e-3, "{}", law.law.level());
}

/// A station that comes after a limited one has left has neither its account nor its limit.
#[test]
fn a_new_station_begins_anew() {
    let mut cell = Cell::new();
    cell.settled();
    assert!(cell.law.law.window(1).is_some());
    let mut sample = cell.sample();
    sample.at_ns += PERIOD.as_nanos();
    sample.links[1].name = "wlan0 02:00:00:00:03:00".into();
    sample.connections.clear();
    cell.law.take(&sample);
    assert_eq!(cell.law.stations.number("02:00:00:00:03:00"), Some(1));
    assert_eq!(cell.law.law.window(1), None);
    assert!(cell.law.law.used(1) < 1e-9);
    assert!(cell.law.known.values().all(|it| it.station != 1));
}
