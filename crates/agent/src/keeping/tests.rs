use super::*;
use crate::configuration;
use crate::law::Law;
use crate::recording::{Recording, replay};
use crate::sample::{Connection as Counters, DirectionCounters, GrantFields, LinkCounters, Sent};

fn ends() -> Ends {
    [([10, 0, 0, 2], 4_000).into(), ([10, 1, 0, 1], 80).into()]
}

/// Grant of half of the channel for each station, and in addition, for an unsatisfied station, of
/// 46.7 %: the part of the channel that no station uses.
fn grant() -> Grant {
    Grant::new(0.5, 0.467_325, Duration::ZERO)
}

/// Sample with the counters after `periods` periods of 100 ms, each with 100 data packets up and 50
/// ACKs down, all at 54 Mb/s. The sender's round trip is 20 ms.
fn sample(periods: u64, grant: Option<Grant>) -> Sample {
    let way = |packets: u64, octets: u64| DirectionCounters {
        bytes: packets * octets,
        packets,
        retries: Some(0),
        rate_bps: Some(54_000_000),
        ..DirectionCounters::default()
    };
    let packets = u32::try_from(100 * periods).unwrap();
    let both = Sent { largest: 1_448, ..Sent::default() };
    let up = Sent { octets: u64::from(packets) * 1_448, packets, ..both.clone() };
    let down = Sent { answers: packets / 2, ..both };
    let own = LocalEnd { sender_us: 20_000, least_us: 5_000, receiver_us: 10_000, header: 32 };
    let station = String::new();
    let (data, acks) = (way(100 * periods, 1_500), way(50 * periods, 52));
    Sample {
        at_ns: periods * 100_000_000,
        links: vec![LinkCounters { name: "wlan0".into(), up: data, down: acks }],
        connections: vec![Counters { station, ends: ends(), up, down, own: Some(own) }],
        grant: grant.map(GrantFields::from),
        ..Sample::default()
    }
}

/// Sample with both directions exchanged: data down and ACKs up.
fn turned(mut sample: Sample) -> Sample {
    let (link, connection) = (&mut sample.links[0], &mut sample.connections[0]);
    std::mem::swap(&mut link.up, &mut link.down);
    std::mem::swap(&mut connection.up, &mut connection.down);
    sample
}

fn station() -> GrantedStation {
    GrantedStation::new(Occupancy::default(), 1)
}

/// Last limits of the connection's windows, up and down, after four periods of 100 ms. `sample`
/// gives the counters after a number of periods.
fn limits(sample: impl Fn(u64) -> Sample) -> [Option<u32>; 2] {
    let mut station = station();
    let mut last = [None; 2];
    for period in 0..5 {
        let Some(Decision::Windows(windows)) = station.take(&sample(period)).1 else { continue };
        last = [windows[0].up, windows[0].down];
    }
    last
}

/// True if a limit is within one thousandth of `octets`, since grants have 16 bits.
fn is_near(limit: Option<u32>, octets: f64) -> bool {
    limit.is_some_and(|limit| (f64::from(limit) / octets - 1.0).abs() < 1e-3)
}

/// A grant limits the windows of data in both directions, and to the same octets as at the access
/// point. A packet of 1500 octets and half an ACK take 393.5 + 181.5 / 2 = 484.25 µs, and 100 in
/// 100 ms are 0.484 of the channel. That is more than 0.8 of the granted half, so the rest may be
/// used as well: 0.967 are 1997 packets per second. 1448 octets of each in 20 ms are 57 850 octets.
/// The round trip of received data is 10 ms, which gives half of that.
///
/// Verifies: [occupancy-tfrc §III-B], [occupancy-tfrc §III-C], [occupancy-tfrc eq. 7]
#[test]
fn a_grant_limits_the_windows_of_both_directions() {
    let up = limits(|period| sample(period, Some(grant())));
    assert!(is_near(up[0], 57_850.0) && up[1].is_none(), "{up:?}");
    let down = limits(|period| turned(sample(period, Some(grant()))));
    assert!(is_near(down[1], 28_925.0) && down[0].is_none(), "{down:?}");
}

/// A grant without an additional share gives a smaller window. The station has its half and, in the
/// printed equation, the part of it that it leaves: 0.516 of the channel, 1065 packets per second,
/// 30 844 octets. A share close to zero gives two segments.
#[test]
fn less_is_granted_and_less_is_had() {
    let of = |even| limits(|period| sample(period, Some(Grant::new(even, 0.0, Duration::ZERO))))[0];
    assert!(is_near(of(0.5), 30_844.0), "{:?}", of(0.5));
    assert_eq!(of(0.001), Some(2 * 1_448));
}

/// The limits of connections are lifted after ten samples, one second, without a grant; the first
/// nine change nothing.
#[test]
fn where_no_grant_comes_for_a_second_limits_lift_once() {
    let mut station = station();
    let mut decide = |period, grant| station.take(&sample(period, grant)).1;
    assert_eq!((0..4).map(|it| decide(it, None)).collect::<Vec<_>>(), [const { None }; 4]);
    assert!(matches!(decide(4, Some(grant())), Some(Decision::Windows(_))));
    for period in 5..14 {
        assert_eq!(decide(period, None), None, "{period}");
    }
    assert_eq!(decide(14, None), Some(Decision::Lift));
    assert_eq!(decide(15, None), None);
    // The next grant limits again.
    assert!(matches!(decide(16, Some(grant())), Some(Decision::Windows(_))));
    assert_eq!(station.granted()[0].kept_by, EnforcedBy::Station);
    let nothing = Sample { at_ns: 1_700_000_000, ..Sample::default() };
    assert_eq!(station.take(&nothing).1, Some(Decision::Lift));
    assert!(station.granted().is_empty());
}

#[test]
fn of_several_links_none_is_the_stations_own() {
    let mut station = station();
    for period in 0..5 {
        let mut sample = sample(period, Some(grant()));
        sample.links.push(LinkCounters { name: "wlan1".into(), ..LinkCounters::default() });
        assert_eq!(station.take(&sample).1, None);
    }
}

/// Grants received over the network are part of the recording, so a replay gives the same windows.
#[test]
fn a_recording_with_grants_replays_to_the_same_windows() {
    let written = configuration::parse("scheme = \"occupancy\"\n[occupancy]\nrole = \"station\"");
    let written = written.unwrap();
    let mut law = Law::new(&written.checked().unwrap());
    let mut file = Vec::new();
    let mut recording = Recording::begin(&mut file, &written).unwrap();
    for period in 0..30 {
        let granted = (period % 20 < 4).then(grant);
        let sample = sample(period, granted);
        let (_, decision) = law.take(&sample);
        recording.add(&sample, decision.as_ref(), &law).unwrap();
    }
    let replayed = replay(&file[..]).unwrap();
    assert!(replayed.differences.is_empty());
    assert!(matches!(replayed.decisions[..], [.., (_, Decision::Lift), (_, Decision::Windows(_))]));
}

#[test]
fn counters_that_make_no_sense_are_borne() {
    let mut station = station();
    for period in 0..6 {
        let mut wild = sample(period, Some(Grant { even: u16::MAX, additional: 1, backoff: 1 }));
        wild.at_ns = if period % 2 == 0 { u64::MAX } else { 1 };
        wild.links[0].up = DirectionCounters {
            bytes: u64::MAX / (period + 1),
            packets: 1,
            ..DirectionCounters::default()
        };
        wild.links[0].down.rate_bps = Some(1);
        wild.connections[0].up.octets = u64::MAX;
        wild.connections[0].own = Some(LocalEnd { receiver_us: u32::MAX, ..LocalEnd::default() });
        station.take(&wild);
    }
}
