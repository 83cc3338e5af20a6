use super::*;
use airfair_laws::Direction::{self, Down, Up};
use airfair_laws::occupancy::{self, Spare};

use crate::configuration::{self, POLLS};
use crate::law::Law;
use crate::recording::{Recording, replay};
use crate::sample::{Connection, DirectionCounters, LinkCounters, Sent};

const PERIOD_MS: u64 = 100;

/// Load of a station in each period of 100 ms: `packets` data packets, all at 54 Mb/s, and half as
/// many ACKs in the other direction.
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

/// Sample with the counters after `periods` periods of these stations' loads. The round trip is
/// 15 ms to the wired end and 5 ms to the station.
fn sample(periods: u64, loads: &[Load]) -> Sample {
    let way = |packets: u64, octets: u64| DirectionCounters {
        bytes: packets * octets,
        packets,
        retries: Some(0),
        rate_bps: Some(54_000_000),
        ..DirectionCounters::default()
    };
    let link = |load: &Load| {
        let packets = load.packets * periods;
        let (data, answers) = (way(packets, 1_500), way(packets / 2, 52));
        let (up, down) = if load.direction == Up { (data, answers) } else { (answers, data) };
        LinkCounters { name: format!("wlan0 02:00:00:00:00:{:02x}", load.station), up, down }
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

/// Limits after four periods of these loads, by the last octet of the station's address.
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

/// True if a limit is within one thousandth of `octets`, since grants have 16 bits.
fn is_near(limit: Option<u32>, octets: f64) -> bool {
    limit.is_some_and(|limit| (f64::from(limit) / octets - 1.0).abs() < 1e-3)
}

/// Each station's window follows from the share of the channel that it was granted.
///
/// A packet of 1500 octets occupies the channel for DIFS 34, half a window of 15 slots 67.5, frame
/// 248, SIFS 16 and ACK 28 µs: 393.5 µs. A TCP ACK of 52 octets has a frame of 36 µs: 181.5 µs. 100
/// packets and 50 ACKs in 100 ms are 0.484 of the channel, and ten times fewer 0.0484. Each station
/// may use 0.5. The first one uses more than 0.8 of that, and may also use what is left, in all
/// 0.967. A packet and half an ACK take 484.25 µs, so 0.967 of the channel are 1997 packets per
/// second. 1448 octets of each in 20 ms are 57 850 octets. For the second station 0.5 of the
/// channel are 29 902 octets.
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

/// A download has the same limit as an upload with the same load.
#[test]
fn a_download_has_the_limit_of_an_upload() {
    let loads = [Load { direction: Down, ..up(1, 100) }, up(2, 10)];
    let (_, found) = limits(&loads);
    assert_eq!(found[&1][0], None);
    assert!(is_near(found[&1][1], 57_850.0), "{found:?}");
}

/// Where nothing of the channel is left, each station gets an equal share if spare time counts
/// once. Three stations use 0.726, 0.436 and 0.436 of the channel, which is overloaded. A third of
/// the channel is 688 packets per second, 19 935 octets in 20 ms. In the printed equation the
/// excess is subtracted a second time: 0.333 − 0.102 for the second station, 13 805 octets, and
/// less than zero for the first, which gets the minimum of two segments.
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

/// Packets of a station that belong to no known connection are subtracted from the station's share
/// first. Here they use up the share, and the station's flow gets the minimum of two segments.
#[test]
fn traffic_that_cannot_be_limited_is_subtracted_first() {
    let mut access_point = AccessPoint::new(Occupancy::default(), POLLS);
    let mut last = None;
    for period in 0..5 {
        let mut sample = sample(period, &[up(1, 4), up(2, 80)]);
        sample.links[0].down =
            DirectionCounters { packets: 150 * period, ..sample.links[1].up.clone() };
        sample.links[0].down.bytes = 150 * period * 1_500;
        if let Some(Decision::Windows(windows)) = access_point.take(&sample).1 {
            last = windows.into_iter().find(|it| it.ends == ends(1)).or(last);
        }
    }
    assert_eq!(last.unwrap().up, Some(2 * 1_460));
}

fn asked(address: [u8; 4]) -> Asked {
    Asked { address: address.into(), station: None }
}

/// Processes samples of some periods in which the stations `askers` ask for grants. Returns the
/// last limit of each station.
fn ask(
    access_point: &mut AccessPoint,
    periods: std::ops::Range<u64>,
    loads: &[Load],
    askers: &[u8],
) -> BTreeMap<u8, Option<u32>> {
    let mut limits = BTreeMap::new();
    for period in periods {
        let asked = askers.iter().map(|station| asked([10, 0, 0, *station])).collect();
        let sample = Sample { asked, ..sample(period, loads) };
        let Some(Decision::Windows(windows)) = access_point.take(&sample).1 else { continue };
        for window in windows {
            let load = loads.iter().find(|load| ends(load.station) == window.ends).unwrap();
            limits.insert(load.station, window.up);
        }
    }
    limits
}

/// A station that asks for grants has no limit while it asks. One of two stations begins to ask:
/// with the same sample its limit is removed, and the other one keeps its own. After ten samples
/// without a request, one second, it is limited again.
#[test]
fn a_station_that_asks_is_left_alone_and_granted_and_limited_again_when_it_does_so_no_more() {
    let loads = [up(1, 100), up(2, 10)];
    let (mut it, found) = limits(&loads);
    assert!(found[&1][0].is_some() && found[&2][0].is_some());
    let freed = ask(&mut it, 5..6, &loads, &[1]);
    assert_eq!(freed.get(&1), Some(&Some(ConnectionLimit::FREE)), "{freed:?}");
    assert!(ask(&mut it, 6..9, &loads, &[1]).is_empty());
    let kept = |it: &AccessPoint| it.granted().iter().map(|it| it.kept_by).collect::<Vec<_>>();
    assert_eq!(kept(&it), [EnforcedBy::Station, EnforcedBy::AccessPoint]);
    // Half of the channel, and the part that both leave, as in the first test.
    let grant = it.grant().unwrap();
    assert!((grant.even() - 0.5).abs() < 1e-4 && (grant.additional() - 0.467_3).abs() < 1e-4);
    assert!(ask(&mut it, 9..18, &loads, &[]).is_empty());
    let again = ask(&mut it, 18..19, &loads, &[]);
    assert!(is_near(again[&1], 57_850.0), "{again:?}");
    assert_eq!(kept(&it), [EnforcedBy::AccessPoint; 2]);
}

/// A station that asks for grants but uses clearly more than its share is limited for a minute. Two
/// stations use 0.823 and 0.145 of the channel. The first one may use half and the 0.032 that are
/// left; above 0.532 / 0.8 = 0.664 is clearly more. It announces to limit itself, and is limited
/// with the tenth sample. A minute later its announcement is believed again. A use of 0.630 is not
/// clearly more.
#[test]
fn a_station_that_asks_and_holds_clearly_more_for_ten_samples_is_limited_for_a_minute() {
    let loads = [up(1, 170), up(2, 30)];
    let mut it = AccessPoint::new(Occupancy::default(), POLLS);
    assert!(ask(&mut it, 0..10, &loads, &[1, 2]).is_empty());
    assert_eq!(it.granted()[0].kept_by, EnforcedBy::Station);
    let found = ask(&mut it, 10..11, &loads, &[1, 2]);
    assert!(found[&1].is_some_and(|it| it > 0) && !found.contains_key(&2), "{found:?}");
    assert_eq!(it.granted()[0].kept_by, EnforcedBy::Both);
    ask(&mut it, 609..610, &loads, &[1, 2]);
    assert_eq!(it.granted()[0].kept_by, EnforcedBy::Both);
    let found = ask(&mut it, 610..611, &loads, &[1, 2]);
    assert_eq!(found[&1], Some(ConnectionLimit::FREE));
    let mut it = AccessPoint::new(Occupancy::default(), POLLS);
    assert!(ask(&mut it, 0..30, &[up(1, 130), up(2, 30)], &[1, 2]).is_empty());
}

/// Requests from addresses without connections free no station of its limit, and the table of
/// requesters has at most 1024 entries.
#[test]
fn addresses_without_a_station_have_no_link_and_are_bounded() {
    let mut it = AccessPoint::new(Occupancy::default(), POLLS);
    let found = ask(&mut it, 0..5, &[up(1, 100)], &[9]);
    assert!(found[&1].is_some_and(|it| it > 0));
    assert!(it.keepers.is_empty());
    for part in 0..2_u8 {
        let asked = (0..=250).flat_map(|b| (0..4).map(move |c| asked([10, 4 * part + c, b, 1])));
        it.take(&Sample { asked: asked.collect(), ..sample(5, &[up(1, 100)]) });
    }
    assert_eq!(it.requesters.len(), ROOM);
}

/// A station that only asks for grants gets no share. A third station sends and receives one packet
/// per sample, without a connection: requests and replies. The kernel knows its MAC address. The
/// others get half of what this leaves, and the third one does not count among the sharers. Three
/// packets per sample are more than requests.
#[test]
fn a_station_without_traffic_has_no_share() {
    let of = |packets: u64, asks: bool| {
        let mut it = AccessPoint::new(Occupancy::default(), POLLS);
        for period in 0..5 {
            let way = DirectionCounters {
                packets: packets * period,
                bytes: 56 * packets * period,
                ..DirectionCounters::default()
            };
            let way = DirectionCounters { rate_bps: Some(54_000_000), ..way };
            let name = "wlan0 02:00:00:00:00:07".to_owned();
            let mut sample = sample(period, &[up(1, 100), up(2, 10)]);
            sample.links.push(LinkCounters { name, up: way.clone(), down: way });
            let station = Some("02:00:00:00:00:07".to_owned());
            sample.asked = vec![Asked { station, ..asked([10, 0, 0, 7]) }];
            sample.asked.truncate(usize::from(asks));
            it.take(&sample);
        }
        (it.granted().len(), it.grant().unwrap().even())
    };
    let (sharers, even) = of(1, true);
    // Six packets of 56 + 36 octets in 300 ms take 101.5 + 36 + 16 + 28 = 181.5 µs each, 0.0036 in
    // all, and count like beacons.
    assert!(sharers == 2 && (even - (1.0 - 0.003_63) / 2.0).abs() < 1e-4, "{even}");
    assert_eq!(of(3, true).0, 3);
    assert_eq!(of(1, false).0, 3);
}

/// Requests and grants are recorded, and a replay of the recording gives the same grants.
#[test]
fn a_recording_with_questions_replays_to_the_same_grants() {
    let written = configuration::parse("scheme = \"occupancy\"").unwrap();
    let mut law = Law::new(&written.checked().unwrap());
    let mut file = Vec::new();
    let mut recording = Recording::begin(&mut file, &written).unwrap();
    for period in 0..8 {
        let asked = if period < 4 { Vec::new() } else { vec![asked([10, 0, 0, 1])] };
        let sample = Sample { asked, ..sample(period, &[up(1, 100), up(2, 10)]) };
        let (_, decision) = law.take(&sample);
        recording.add(&sample, decision.as_ref(), &law).unwrap();
    }
    assert!(replay(&file[..]).unwrap().differences.is_empty());
    let text = String::from_utf8(file).unwrap();
    assert_eq!(text.matches("\"grant\":{\"even\":32767,").count(), 4, "{text}");
    let changed = text.replacen("\"even\":32767", "\"even\":32768", 1);
    assert_eq!(replay(changed.as_bytes()).unwrap().differences, [400_000_000]);
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

/// Traffic older than the observation slot of three samples does not count, and a connection
/// without a known round trip has no limit.
#[test]
fn traffic_older_than_a_slot_is_forgotten_and_unknown_connections_are_not_limited() {
    let (mut access_point, _) = limits(&[up(1, 100)]);
    assert_eq!(access_point.slot.intervals(), 3);
    let mut access_point_without = AccessPoint::new(Occupancy::default(), POLLS);
    for period in 0..5 {
        let mut sample = sample(period, &[up(1, 100)]);
        sample.connections[0].down.echoes = 0;
        assert_eq!(access_point_without.take(&sample).1, None);
    }
    // A minute without traffic.
    let mut silent = sample(800, &[up(1, 100)]);
    silent.connections.clear();
    access_point.take(&silent);
    assert!(access_point.known.is_empty());
}

/// A connection whose station has no link here, for example of another network, is left alone.
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
        // The second station appears later.
        let loads = [up(1, 100), up(2, 10)];
        let sample = sample(period, &loads[..if period < 4 { 1 } else { 2 }]);
        let (_, decision) = law.take(&sample);
        recording.add(&sample, decision.as_ref(), &law).unwrap();
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
        wild.links[0].up = DirectionCounters {
            bytes: u64::MAX / period,
            packets: 1,
            retries: Some(u64::MAX),
            airtime_ns: Some(u64::MAX),
            rate_bps: Some(1),
            ..DirectionCounters::default()
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

/// A thousand stations with ten active connections each are processed without a step of quadratic
/// time.
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
        // Unchanged connections keep their windows.
        if period == 1 {
            assert!(matches!(decision, Some(Decision::Windows(it)) if it.len() == 10_000));
        }
    }
}
