use super::*;
use airfair_laws::occupancy::{self, Spare};

use crate::configuration::{self, POLLS};
use crate::decision::Law;
use crate::recording::{Recording, replay};
use crate::sample::{Connection, Link, Sent, Way};

const PERIOD_MS: u64 = 100;

/// A station with so many packets of data per period on their way, all at 54 Mb/s, and half as many ACKs back.
#[derive(Clone, Copy)]
struct Load {
    station: u8,
    packets: u64,
    direction: Direction,
}

fn up(station: u8, packets: u64) -> Load {
    Load { station, packets, direction: Up }
}

fn ends(station: u8) -> Ends {
    [([10, 0, 0, station], 4_000).into(), ([10, 1, 0, 1], 80).into()]
}

/// Counters after so many periods. The round trip is 15 ms behind the access point and 5 ms in front of it.
fn sample(periods: u64, loads: &[Load]) -> Sample {
    let way = |packets: u64, octets: u64| Way {
        bytes: packets * octets,
        packets,
        retries: Some(0),
        rate_bps: Some(54_000_000),
        ..Way::default()
    };
    let link = |load: &Load| {
        let packets = load.packets * periods;
        let (data, answers) = (way(packets, 1_500), way(packets / 2, 52));
        let (up, down) = if load.direction == Up { (data, answers) } else { (answers, data) };
        Link { name: format!("wlan0 02:00:00:00:00:{:02x}", load.station), up, down }
    };
    let connection = |load: &Load| {
        let packets = u32::try_from(load.packets * periods).unwrap();
        let echoes = u32::try_from(periods).unwrap();
        let both = Sent { echoes, largest: 1_460, ..Sent::default() };
        let data = Sent {
            octets: u64::from(packets) * 1_448,
            packets,
            echo_ns: periods * 15_000_000,
            ..both.clone()
        };
        let answers = Sent { answers: packets / 2, echo_ns: periods * 5_000_000, ..both };
        let (up, down) = if load.direction == Up { (data, answers) } else { (answers, data) };
        Connection {
            station: format!("02:00:00:00:00:{:02x}", load.station),
            ends: ends(load.station),
            up,
            down,
            own: None,
        }
    };
    Sample {
        at_ns: periods * PERIOD_MS * 1_000_000,
        links: loads.iter().map(link).collect(),
        connections: loads.iter().map(connection).collect(),
        ..Sample::default()
    }
}

/// Limits after four periods of such loads, by the stations' last octets.
fn limits(loads: &[Load]) -> (AccessPoint, BTreeMap<u8, [Option<u32>; 2]>) {
    limits_by(Occupancy::default(), loads)
}

fn limits_by(settings: Occupancy, loads: &[Load]) -> (AccessPoint, BTreeMap<u8, [Option<u32>; 2]>) {
    let mut access_point = AccessPoint::new(settings, POLLS);
    let mut found = BTreeMap::new();
    for period in 0..5 {
        let decision = access_point.take(&sample(period, loads)).1;
        let windows = match decision {
            Some(Decision::Windows(windows)) => windows,
            other => {
                assert_eq!(other, None);
                Vec::new()
            }
        };
        for window in windows {
            let load = loads.iter().find(|load| ends(load.station) == window.ends).unwrap();
            found.insert(load.station, [window.up, window.down]);
        }
    }
    (access_point, found)
}

/// Nearer than a thousandth: grants have 16 bits.
fn is_near(limit: Option<u32>, octets: f64) -> bool {
    limit.is_some_and(|limit| (f64::from(limit) / octets - 1.0).abs() < 1e-3)
}

/// A packet of 1500 octets holds the channel for DIFS 34, half a window of 15 slots 67.5, 248, SIFS 16 and ACK 28 µs:
/// 393.5 µs; an ACK of 52 octets, 36 µs on the air, for 181.5 µs. 100 packets and 50 ACKs in 100 ms are 0.484 of the
/// channel, ten times fewer 0.0484. Each station may have 0.5; the first one has more than 0.8 of that, and may have what
/// is left, 0.467, as well. A packet and half an ACK are 484.25 µs: 0.967 of the channel are 1997 packets a second, and
/// 1448 octets of each in 20 ms 57 850 octets. The other one's 0.5 are 29 902 octets.
///
/// Verifies: [occupancy-tfrc §III-A], [occupancy-tfrc §III-B], [occupancy-tfrc §III-C]
#[test]
fn windows_follow_from_shares_of_the_channel() {
    let (access_point, found) = limits(&[up(1, 100), up(2, 10)]);
    assert!(is_near(found[&1][0], 57_850.0), "{found:?}");
    assert!(is_near(found[&2][0], 29_902.0), "{found:?}");
    assert_eq!([found[&1][1], found[&2][1]], [None; 2]);
    let granted = access_point.granted();
    assert!((granted[0].used - 0.484_25).abs() < 1e-6 && (granted[0].share - 0.967_3).abs() < 1e-4);
    assert!((granted[1].used - 0.048_425).abs() < 1e-6 && (granted[1].share - 0.5).abs() < 1e-4);
}

/// What goes to a station counts as what comes from it.
#[test]
fn a_download_has_the_limit_of_an_upload() {
    let loads = [Load { direction: Down, ..up(1, 100) }, up(2, 10)];
    let (_, found) = limits(&loads);
    assert_eq!(found[&1][0], None);
    assert!(is_near(found[&1][1], 57_850.0), "{found:?}");
}

/// Three stations fill the channel and more, with 0.726, 0.436 and 0.436 of it. A third is 688 packets a second, 19 935
/// octets in 20 ms, which each may have where spare time counts once. As printed, what is too much is taken off once
/// more: 0.333 - 0.102 for the second, 13 805 octets, and less than nothing for the first, which keeps two segments.
///
/// Verifies: [occupancy-tfrc eq. 11]
#[test]
fn where_nothing_is_left_shares_are_equal() {
    let loads = [up(1, 150), up(2, 90), up(3, 90)];
    let params = occupancy::Params { spare: Spare::Once, ..occupancy::Params::default() };
    let (_, once) = limits_by(Occupancy { params, ..Occupancy::default() }, &loads);
    assert!(once.values().all(|limit| is_near(limit[0], 19_935.0)), "{once:?}");
    let (_, printed) = limits(&loads);
    assert_eq!(printed[&1][0], Some(2 * 1_460));
    assert!(is_near(printed[&2][0], 13_805.0) && printed[&2] == printed[&3], "{printed:?}");
}

/// A station whose packets are of no connection that is known holds its share without it: nothing is left for a flow, but
/// two segments.
#[test]
fn what_cannot_be_limited_is_paid_for_first() {
    let mut access_point = AccessPoint::new(Occupancy::default(), POLLS);
    let mut last = None;
    for period in 0..5 {
        let mut sample = sample(period, &[up(1, 4), up(2, 80)]);
        sample.links[0].down = Way { packets: 150 * period, ..sample.links[1].up.clone() };
        sample.links[0].down.bytes = 150 * period * 1_500;
        if let Some(Decision::Windows(windows)) = access_point.take(&sample).1 {
            last = windows.into_iter().find(|it| it.ends == ends(1)).or(last);
        }
    }
    assert_eq!(last.unwrap().up, Some(2 * 1_460));
}

#[test]
fn where_nothing_is_seen_limits_are_lifted_once() {
    let (mut access_point, found) = limits(&[up(1, 100)]);
    assert!(found[&1][0].is_some());
    let nothing = Sample { at_ns: 900_000_000, ..Sample::default() };
    assert_eq!(access_point.take(&nothing).1, Some(Decision::Lift));
    assert_eq!(access_point.take(&nothing).1, None);
    assert!(access_point.granted().is_empty());
}

/// An observation slot is the last three samples; a connection whose round trip is not known has no limit.
#[test]
fn what_is_older_than_a_slot_is_forgotten_and_what_is_unknown_is_not_limited() {
    let (mut access_point, _) = limits(&[up(1, 100)]);
    assert_eq!(access_point.intervals.len(), 3);
    let mut access_point_without = AccessPoint::new(Occupancy::default(), POLLS);
    for period in 0..5 {
        let mut sample = sample(period, &[up(1, 100)]);
        sample.connections[0].down.echoes = 0;
        assert_eq!(access_point_without.take(&sample).1, None);
    }
    // A minute of silence.
    let mut silent = sample(800, &[up(1, 100)]);
    silent.connections.clear();
    access_point.take(&silent);
    assert!(access_point.known.is_empty());
}

/// Of a connection whose station is at no link, as one of another network, nothing is known.
#[test]
fn connections_of_nobody_are_left_alone() {
    let mut access_point = AccessPoint::new(Occupancy::default(), POLLS);
    for period in 0..5 {
        let mut sample = sample(period, &[up(1, 100)]);
        sample.connections[0].station = "02:00:00:00:00:99".into();
        assert_eq!(access_point.take(&sample).1, None);
    }
}

#[test]
fn a_recording_with_connections_replays_to_the_same_windows() {
    let written = configuration::parse("scheme = \"occupancy\"").unwrap();
    let mut law = Law::new(&written.checked().unwrap());
    let mut file = Vec::new();
    let mut recording = Recording::begin(&mut file, &written).unwrap();
    for period in 0..8 {
        // The second station comes later.
        let loads = [up(1, 100), up(2, 10)];
        let sample = sample(period, &loads[..if period < 4 { 1 } else { 2 }]);
        let (_, decision) = law.take(&sample);
        recording.add(&sample, decision.as_ref()).unwrap();
    }
    let replayed = replay(&file[..]).unwrap();
    assert!(replayed.differences.is_empty());
    assert!(replayed.decisions.len() > 2, "{:?}", replayed.decisions);
}

#[test]
fn counters_that_make_no_sense_are_borne() {
    let mut access_point = AccessPoint::new(Occupancy::default(), POLLS);
    access_point.take(&sample(0, &[up(1, 100)]));
    for period in 1..5 {
        let mut wild = sample(period, &[up(1, 100)]);
        wild.at_ns = if period % 2 == 0 { u64::MAX } else { 1 };
        wild.links[0].up = Way {
            bytes: u64::MAX / period,
            packets: 1,
            retries: Some(u64::MAX),
            airtime_ns: Some(u64::MAX),
            rate_bps: Some(1),
            ..Way::default()
        };
        let sent = Sent {
            octets: u64::MAX,
            packets: u32::MAX / u32::try_from(period).unwrap(),
            answers: 0,
            echo_ns: u64::MAX / period,
            echoes: 1,
            largest: u16::MAX,
        };
        wild.connections[0].up = sent.clone();
        wild.connections[0].down = sent;
        access_point.take(&wild);
    }
}

/// A thousand stations with ten connections each, of which all move something: a look at them is nowhere quadratic.
#[test]
fn a_thousand_stations_with_ten_thousand_connections_are_borne() {
    let mut access_point = AccessPoint::new(Occupancy::default(), POLLS);
    for period in 0..3 {
        let one = sample(period, &[up(1, 100)]);
        let mut all = Sample { at_ns: one.at_ns, ..Sample::default() };
        for station in 0..1_000_u16 {
            let mut link = one.links[0].clone();
            link.name = format!("wlan0 {station}");
            all.links.push(link);
            for port in 0..10 {
                let mut connection = one.connections[0].clone();
                connection.station = format!("{station}");
                connection.ends[0].set_port(station * 10 + port);
                all.connections.push(connection);
            }
        }
        let decision = access_point.take(&all).1;
        // Who goes on as before has the same window.
        if period == 1 {
            assert!(matches!(decision, Some(Decision::Windows(it)) if it.len() == 10_000));
        }
    }
}
