//! Multi-user frames: exchanges calculated by hand, and quantities that are conserved.

use airfair_laws::Direction;
use airfair_units::{Dbm, Decibels, Duration, Frequency, Length, Time};
use airfair_wlan::aggregation::{Agreement, BlockAckWindow};
use airfair_wlan::multi_user::{MuEdca, MuMimo, MultiUser, MultiUserAck, Ofdma, Scheduler};
use airfair_wlan::phy::mode::{Format, Mode};
use airfair_wlan::phy::{GuardInterval, Standard, TxVector, Width};
use airfair_wlan::radio::{
    Fading, Layout, Mobility, PathLoss, Position, Propagation, Radio, StationStreams,
};
use airfair_wlan::{
    AirUse, Attempts, Cell, CellConfig, Channel, FrameKind, Listen, NodeId, QueueConfig, Record,
    SentFrame,
};

use proptest::prelude::*;

use crate::aggregates::{Burst, bursts, check_order, disciplines, errors, he_links, links, run};
use crate::bench::{Bench, MBPS, Sent, config, stream, without_backoff};
use crate::properties::{cells, check_air, check_packets};

fn he(mcs: u8) -> Mode {
    Mode::all(Format::He, Width::Mhz80, GuardInterval::Ns800)
        .find(|mode| mode.mcs() == mcs && mode.streams() == 1)
        .expect("a mode")
}

pub(crate) const OFDMA: Ofdma = Ofdma {
    down: Some(Scheduler::RoundRobin),
    up: None,
    users: 8,
    ack: MultiUserAck::MuBar,
    trigger_every: None,
    poll: false,
    up_guard_interval: GuardInterval::Ns1600,
    random: 0,
    target_rssi: None,
};

pub(crate) fn stations(count: usize, ofdma: Ofdma) -> CellConfig {
    let mut config = config(Standard::Ax, &vec![MBPS(54); count]);
    config.rules.channel.width = Width::Mhz80;
    config.rules.multi_user.ofdma = Some(ofdma);
    config.ap_queue = QueueConfig::fifo(5_000);
    config.stations.iter_mut().for_each(|station| station.queue = QueueConfig::fifo(5_000));
    config
}

/// Test bench of a cell without back-off.
fn bench(count: usize, ofdma: Ofdma) -> Bench {
    bench_of(&without_backoff(stations(count, ofdma)))
}

fn bench_of(config: &CellConfig) -> Bench {
    let mut bench = Bench::new(config);
    agree(&mut bench.cell, config.stations.len());
    bench
}

/// Gives each station of a cell HE-MCS 11 and a block ack agreement in both directions, and monitors the cell.
pub(crate) fn agree(cell: &mut Cell<u32>, stations: usize) {
    for station in (0..stations).map(NodeId::station) {
        for direction in [Direction::Up, Direction::Down] {
            cell.set_vector(station, direction, TxVector::Mode(he(11)));
            let agreement = Agreement::of(Format::He, BlockAckWindow::Mpdus64);
            cell.agree(station, direction, agreement);
        }
    }
    cell.monitor();
}

/// Frames that have left the air: start and duration [ns], kind, transmitter and receiver, `all` for several, with the
/// number of MPDUs and of receivers that have decoded the frame. Equal parts of one turn are one line.
fn frames(bench: &mut Bench, count: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut before = (Time::MAX, 0);
    while let Some(it) = bench.cell.poll_monitored() {
        let (ppdu, frame) = (&it.ppdu, &it.ppdu.frame);
        let name = |node: NodeId| if node == NodeId::AP { "ap" } else { "station" };
        let to = frame.to.map_or("all", name);
        let (mpdus, decoded) = (ppdu.mpdus.len(), it.receivers.len());
        let duration = frame.duration.as_nanos();
        let what = format!("{:?} {} to {to}, {mpdus} mpdus", frame.kind, name(frame.from));
        if before == (ppdu.start, decoded) && lines.last().is_some_and(|it| it.contains(&what)) {
            continue;
        }
        before = (ppdu.start, decoded);
        lines.push(format!("{} +{duration} {what}, {decoded} decode", ppdu.start.as_nanos()));
    }
    lines.truncate(count);
    lines
}

/// Downlink to eight stations at HE-MCS 11 in units of 106 tones, without a back-off, in the three sequences of
/// acknowledgements.
///
/// AIFS 16 + 2·9 = 34 µs. Data: 26 subframes of 4 + 1538 + 2 octets and one of 1542 are 41 686 octets; 333 504 bits
/// with the service field, at 102·10·5/6 = 850 per symbol → 393 symbols of 13.6 µs. Preamble 20 + 4 + 8 + 4 + 4 + 7.2,
/// with one symbol of HE-SIG-B: 52 bits for two user fields of each channel and 27 for the common field, twice that for
/// four, at 208 bits per symbol. In all 5392 µs. BlockAck and BlockAckReq 32 µs at 24 Mb/s. MU-BAR: 28 + 8·9 = 100
/// octets, 56 µs. BlockAcks together: 36 octets at MCS 5 are one symbol of 14.4 µs after 20 + 4 + 8 + 8 + 8 = 48 µs.
///
/// With the MU-BAR in the data, 41 688 + 4 + 37 octets in each part are 333 848 bits, 393 symbols as well.
///
/// Verifies: [80211ax-2021 §26.4.4], [80211ax-2021 §27.4.3]
#[test]
fn data_of_eight_stations_is_acknowledged_in_three_ways() {
    let sequence = |ack, count| {
        let mut bench = bench(8, Ofdma { ack, ..OFDMA });
        for _ in 0..200 {
            for station in (0..8).map(NodeId::station) {
                bench.send(NodeId::AP, station, 1_508);
            }
        }
        bench.run_until(Time::ZERO + Duration::from_micros(6_200));
        assert_eq!(bench.delivered.len(), 8 * 27);
        frames(&mut bench, count)
    };
    let data = "34000 +5392000 Data ap to station, 27 mpdus, 1 decode";
    let answers = |start: u64| format!("{start} +62400 BlockAck station to ap, 0 mpdus, 1 decode");
    let alone = |start: u64| format!("{start} +32000 BlockAck station to ap, 0 mpdus, 1 decode");
    let request =
        |start: u64| format!("{start} +32000 BlockAckRequest ap to station, 0 mpdus, 1 decode");
    let end = 34_000 + 5_392_000;
    let step = 16_000 + 32_000;
    let in_turn = [data.to_owned(), alone(end + 16_000), request(end + 16_000 + step)];
    assert_eq!(sequence(MultiUserAck::Bar, 3), in_turn);
    assert_eq!(sequence(MultiUserAck::Bar, 16)[15], alone(end + 16_000 + 14 * step));
    let trigger = format!("{} +56000 Trigger ap to all, 0 mpdus, 8 decode", end + 16_000);
    let together = [data.to_owned(), trigger, answers(end + 16_000 + 56_000 + 16_000)];
    assert_eq!(sequence(MultiUserAck::MuBar, 3), together);
    let triggered = [data.to_owned(), answers(end + 16_000)];
    assert_eq!(sequence(MultiUserAck::AggregatedMuBar, 2), triggered);
}

/// Uplink of four stations in units of 242 tones, after a poll, without a back-off. The packets come during the poll,
/// and the access point contends before the stations, whose AIFSN is 15.
///
/// BSRP: 28 + 4·5 = 48 octets at 6 Mb/s: 17 symbols, 88 µs. Reports: 34 octets in one symbol of 14.4 µs after 48 µs.
/// Basic trigger: 28 + 4·6 = 52 octets, 96 µs, an AIFS of 34 µs later. Each station has 40 packets: 39·1544 + 1542 = 61 758
/// octets, reported as 60 320 in packets of 1508, 236 units of 256 octets: 60 416. The PPDU has room for so many octets:
/// 483 344 bits at 234·10·5/6 = 1950 per symbol → 248 symbols, 48 + 3571.2 µs. 39 MPDUs, 60 214 octets, fit. `BlockAck`
/// of all MPDUs: 22 + 4·2 = 30 octets at 24 Mb/s, 32 µs.
///
/// Verifies: [80211ax-2021 §26.5.2], [80211ax-2021 §26.5.5]
#[test]
fn four_stations_report_their_backlogs_and_are_triggered() {
    let up = Some(Scheduler::RoundRobin);
    let trigger_every = Some(Duration::from_millis(1));
    let mut bench = bench(4, Ofdma { up, poll: true, trigger_every, ..OFDMA });
    for station in (0..4).map(NodeId::station) {
        bench.cell.set_aifsn(Time::ZERO, station, None, 15);
    }
    bench.run_until(Time::ZERO + Duration::from_micros(1_050));
    for _ in 0..40 {
        for station in 0..4 {
            bench.send_up(station, 1_508);
        }
    }
    bench.run_until(Time::ZERO + Duration::from_millis(5));
    let expected = [
        "1000000 +88000 Trigger ap to all, 0 mpdus, 4 decode",
        "1104000 +62400 TriggerBased station to ap, 0 mpdus, 1 decode",
        "1200400 +96000 Trigger ap to all, 0 mpdus, 4 decode",
        "1312400 +3619200 Data station to ap, 39 mpdus, 1 decode",
        "4947600 +32000 MultiBlockAck ap to all, 0 mpdus, 4 decode",
    ];
    assert_eq!(frames(&mut bench, 5), expected);
    let up = bench.delivered.iter().filter(|(_, number)| bench.hop(*number).1 == NodeId::AP);
    assert_eq!(up.count(), 4 * 39);
}

/// Uplink without polls in which stations access `random` units of each trigger, one each millisecond, and do not
/// contend.
fn random_access(stations: usize, random: u16) -> Bench {
    let (up, trigger_every) = (Some(Scheduler::RoundRobin), Some(Duration::from_millis(1)));
    let mut config = self::stations(stations, Ofdma { up, trigger_every, random, ..OFDMA });
    config.rules.attempts = Attempts::Max(u16::MAX);
    let mut bench = bench_of(&without_backoff(config));
    for station in (0..stations).map(NodeId::station) {
        bench.cell.set_aifsn(Time::ZERO, station, None, u8::MAX);
    }
    bench
}

/// Three stations with a packet each access eight random units of 106 tones, all at the first trigger because their
/// counters are at most 7. Two draw the same numbers and collide in one unit; the third is not disturbed.
///
/// Basic trigger with one User Info for all units: 28 + 6 = 34 octets at 6 Mb/s, 13 symbols, 72 µs. PPDU for 500 octets,
/// because no backlog is known: 4016 bits at 850 per symbol → 5 symbols, and one more because the code words of 1944 bits
/// would lack 3·1944 - 5100 - (3·1620 - 4250) = 122 bits, more than a tenth of their parity; 48 + 6·14.4 = 134.4 µs.
/// `BlockAck` for one station: 24 octets at 24 Mb/s, 32 µs. Each of the two units is charged half of the PPDU.
///
/// Verifies: [80211ax-2021 §26.5.4], [80211ax-2021 §9.3.1.22]
#[test]
fn stations_in_the_same_random_unit_collide_and_disturb_no_other() {
    let mut bench = random_access(3, 8);
    bench.cell.access_at_random([7, 7, 8].map(stream).to_vec());
    (0..3).for_each(|station| _ = bench.send_up(station, 408));
    bench.run_until(Time::ZERO + Duration::from_micros(1_500));
    let expected = [
        "1000000 +72000 Trigger ap to all, 0 mpdus, 3 decode",
        "1088000 +134400 Data station to ap, 1 mpdus, 0 decode",
        "1088000 +134400 Data station to ap, 1 mpdus, 1 decode",
        "1238400 +32000 MultiBlockAck ap to all, 0 mpdus, 1 decode",
    ];
    let mut lines = frames(&mut bench, 5);
    lines[1..3].sort();
    assert_eq!(lines, expected);
    let uses = bench.records.iter().filter_map(|(_, record)| match record {
        Record::Air { from, to, usage } if *to <= Time::from_nanos(1_222_400) => {
            Some((*usage, (*to - *from).as_nanos()))
        }
        _ => None,
    });
    let uses: Vec<_> = uses.collect();
    let alone = AirUse::Data { station: NodeId::station(2), direction: Direction::Up };
    assert!(
        uses.contains(&(AirUse::Collision, 67_200)) && uses.contains(&(alone, 67_200)),
        "{uses:?}"
    );
    let collided = bench.sent().iter().filter(|it| it.collided).count();
    let collisions = bench.records.iter().filter(|(_, it)| *it == Record::Collision).count();
    assert_eq!((collided, collisions, bench.delivered.len()), (2, 1, 1));
}

/// Two stations with the same random numbers and a packet each, which collide whenever they send. With two units, a
/// counter c ends at the trigger max(1, ⌈c/2⌉) after it is drawn. The windows are 7, 15 and from then on 31. Nobody answers
/// the other triggers. After both, the contention window of the access point stays the smallest, and the next trigger
/// comes 1 ms after the last one.
///
/// PPDU for 500 octets: 4016 bits at 468·10·5/6 = 3900 per symbol → 2 symbols, 48 + 2·14.4 = 76.8 µs.
///
/// Verifies: [80211ax-2021 §26.5.4]
#[test]
fn counters_let_units_pass_and_windows_double_after_collisions() {
    let mut bench = random_access(2, 2);
    bench.cell.access_at_random([7, 7].map(stream).to_vec());
    (0..2).for_each(|station| _ = bench.send_up(station, 408));
    bench.run_until(Time::ZERO + Duration::from_micros(40_500));
    // The station's stream gives these counters, of the windows 7, 15, 31, 31, …
    let counters = [0, 5, 12, 22, 5, 6, 22, 3];
    let mut sent_at = 0;
    let collisions = counters.map(|counter: u64| {
        sent_at += counter.div_ceil(2).max(1);
        sent_at
    });
    let expected = (1..=40).flat_map(|ms: u64| {
        let data = format!("{ms}088000 +76800 Data station to ap, 1 mpdus, 0 decode");
        let trigger = format!("{ms}000000 +72000 Trigger ap to all, 0 mpdus, 2 decode");
        [Some(trigger), collisions.contains(&ms).then_some(data)].into_iter().flatten()
    });
    assert_eq!(frames(&mut bench, 100), expected.collect::<Vec<_>>());
}

/// A station with 30 packets sends the first in a random unit, with its backlog, and has a unit of its own in the next
/// trigger. Beside it, the other station chooses one of the three random units.
///
/// All units have 242 tones, 1950 bits per symbol. First trigger as above, 72 µs. PPDU for 500 octets: 4016 bits →
/// 3 symbols, 48 + 43.2 µs. The others have a User Info for the station: 40 octets, 15 symbols, 80 µs. It has reported 29
/// packets of 408 octets, 47 units of 256 octets: 96 272 bits → 50 symbols, 48 + 720 µs. There is room for 12 185
/// octets, 27 MPDUs of 444. The last two packets are four units of 256 octets: 8208 bits → 5 symbols, 48 + 72 µs.
///
/// Verifies: [80211ax-2021 §26.5.4], [80211ax-2021 §26.5.5]
#[test]
fn a_station_has_a_unit_of_its_own_after_its_report_in_a_random_one() {
    let mut bench = random_access(2, 3);
    bench.cell.access_at_random([7, 8].map(stream).to_vec());
    (0..30).for_each(|_| _ = bench.send_up(0, 408));
    bench.run_until(Time::ZERO + Duration::from_micros(1_500));
    bench.send_up(1, 408);
    bench.run_until(Time::ZERO + Duration::from_micros(3_500));
    let expected = [
        "1000000 +72000 Trigger ap to all, 0 mpdus, 2 decode",
        "1088000 +91200 Data station to ap, 1 mpdus, 1 decode",
        "1195200 +32000 MultiBlockAck ap to all, 0 mpdus, 1 decode",
        "2000000 +80000 Trigger ap to all, 0 mpdus, 2 decode",
        "2096000 +768000 Data station to ap, 27 mpdus, 1 decode",
        "2096000 +768000 Data station to ap, 1 mpdus, 1 decode",
        "2880000 +32000 MultiBlockAck ap to all, 0 mpdus, 2 decode",
        "3000000 +80000 Trigger ap to all, 0 mpdus, 2 decode",
        "3096000 +120000 Data station to ap, 2 mpdus, 1 decode",
        "3232000 +32000 MultiBlockAck ap to all, 0 mpdus, 1 decode",
    ];
    assert_eq!(frames(&mut bench, 50), expected);
}

/// Random access of stations that have a packet at each of about `triggers` triggers: numbers of triggers, and of packets
/// sent and arrived.
fn saturated(stations: usize, random: u16, triggers: u64) -> [f64; 3] {
    let mut bench = random_access(stations, random);
    let (mut triggered, mut delivered) = (0_u32, 0);
    (0..stations).for_each(|station| _ = bench.send_up(station, 408));
    while bench.now < Time::ZERO + Duration::from_micros(1_400 * triggers) {
        bench.run_until(bench.now + Duration::from_micros(100));
        let senders = bench.delivered[delivered..].iter().map(|(_, number)| bench.hop(*number).0);
        let senders: Vec<NodeId> = senders.collect();
        delivered = bench.delivered.len();
        for from in senders {
            bench.send(from, NodeId::AP, 408);
        }
        while let Some(it) = bench.cell.poll_monitored() {
            triggered += u32::from(it.ppdu.frame.kind == FrameKind::Trigger);
        }
    }
    let count = |is_meant: fn(&Sent) -> bool| {
        let sent = bench.sent();
        let data = sent.iter().filter(|it| it.frame == SentFrame::Data && is_meant(it));
        u32::try_from(data.count()).expect("some thousands")
    };
    [triggered, count(|_| true), count(|it| !it.collided)].map(f64::from)
}

/// Probabilities that a station with a packet sends at a trigger, and that it then collides, in a cell of `stations` such
/// stations and `units` units: a fixed point as that of Bianchi. A counter c ends at trigger max(1, ⌈c/units⌉), and the
/// windows are 7, 15, 31, 31, … . A station that sends in the same unit as none of the others succeeds.
fn fixed_point(stations: i32, units: u32) -> (f64, f64) {
    let triggers = |window: u32| {
        let of = (0..=window).map(|counter| f64::from(counter.div_ceil(units).max(1)));
        of.sum::<f64>() / f64::from(window + 1)
    };
    let (mut sends, mut collides) = (0.0, 0.3_f64);
    for _ in 0..1_000 {
        let attempts = 1.0 / (1.0 - collides);
        let waits =
            triggers(7) + collides * triggers(15) + collides.powi(2) * attempts * triggers(31);
        sends = attempts / waits;
        let next = 1.0 - (1.0 - sends / f64::from(units)).powi(stations - 1);
        collides = 0.9 * collides + 0.1 * next;
    }
    (sends, collides)
}

/// With one station and three units, a packet takes 13/8 triggers. With 37 units all stations send at each trigger, and
/// 20 stations collide with the probability 1 - (36/37)^19. With 10 stations and 4 units the fixed point is that of
/// [`fixed_point`], which takes the stations as independent. Each is met within four standard deviations.
///
/// Verifies: [80211ax-2021 §26.5.4]
#[test]
fn stations_send_and_collide_at_random_as_often_as_calculated() {
    let alone = 1.0 - (36.0_f64 / 37.0).powi(19);
    assert!((fixed_point(1, 3).0 - 8.0 / 13.0).abs() < 1e-9);
    assert!((fixed_point(20, 37).1 - alone).abs() < 1e-9);
    for (stations, units) in [(1_u8, 3_u16), (20, 37), (10, 4)] {
        let (sends, collides) = fixed_point(stations.into(), units.into());
        let [triggers, sent, arrived] = saturated(stations.into(), units, 1_000);
        let check = |count: f64, of: f64, probability: f64, slack: u8| {
            let deviation = (of * probability * (1.0 - probability)).max(0.0).sqrt();
            let error = (count - of * probability).abs();
            let seen =
                format!("{stations} stations, {units} units: {count} of {of}, {probability}");
            assert!(error <= 4.0 * deviation + f64::from(slack), "{seen}");
        };
        // The run may end between a trigger and its answers.
        check(sent, triggers * f64::from(stations), sends, stations);
        check(sent - arrived, sent, collides, 0);
    }
}

/// Configuration of stations that share PPDUs by MU-MIMO, up to four at a time, of an access point with four streams.
fn sharing(count: usize, ack: MultiUserAck) -> CellConfig {
    let mut config = stations(count, Ofdma { down: None, ack, ..OFDMA });
    config.rules.channel.streams = 4;
    let sounding_every = Duration::from_millis(100);
    config.rules.multi_user.mu_mimo = Some(MuMimo { users: 4, sounding_every });
    config
}

/// A station that has lost the announcement, the NDP or the trigger of a sounding sends no report. Noise destroys half of
/// the frames to one of four stations.
///
/// Verifies: [80211ax-2021 §26.7.3]
#[test]
fn only_stations_that_have_heard_the_whole_sounding_report() {
    let mut config = sharing(4, MultiUserAck::default());
    config.stations[0].errors = errors(0.5);
    let sharing = config.rules.multi_user.mu_mimo.as_mut().expect("a cell with MU-MIMO");
    sharing.sounding_every = Duration::from_millis(1);
    let mut bench = bench_of(&without_backoff(config));
    bench.cell.set_errors(NodeId::station(0), errors(0.5), stream(3));
    let (mut hear, mut silent, mut reports) = (Vec::new(), 0, 0);
    for ms in 1..200 {
        for station in (0..4).map(NodeId::station) {
            bench.send(NodeId::AP, station, 1_508);
        }
        bench.run_until(Time::ZERO + Duration::from_millis(ms));
        while let Some(it) = bench.cell.poll_monitored() {
            match it.ppdu.frame.kind {
                FrameKind::NdpAnnouncement => hear.clone_from(&it.receivers),
                FrameKind::Ndp | FrameKind::Trigger => {
                    hear.retain(|station| it.receivers.contains(station));
                    silent += usize::from(hear.len() < 4);
                }
                FrameKind::BeamformingReport => {
                    reports += 1;
                    assert!(hear.contains(&it.ppdu.frame.from), "{:?}", it.ppdu.frame);
                }
                _ => {}
            }
        }
    }
    assert!(silent > 10 && reports > 100, "{silent} {reports}");
}

/// Downlink to four stations at HE-MCS 11 on a stream each, without a back-off: a sounding, data, and the three sequences
/// of acknowledgements.
///
/// AIFS 34 µs. Announcement: 21 + 4·4 = 37 octets, 318 bits at 96 per symbol of 24 Mb/s, 20 + 16 µs. NDP: 36 + 4·7.2 + 4 =
/// 68.8 µs. BFRP: 28 + 4·6 = 52 octets, 438 bits, 40 µs. Reports of one stream to four at 80 MHz: 1626 + 35 + 4 octets,
/// 13 336 bits at 234·6·2/3 = 936 per symbol of MCS 5 in 242 tones → 15 symbols of 14.4 µs after 48 µs: 264 µs.
///
/// Data: 63 subframes of 4 + 1538 + 2 octets and one of 1542 are 98 814 octets; 790 528 bits with the service field, at
/// 980·10·5/6 = 8166 per symbol → 97 symbols of 13.6 µs. Preamble 20 + 4 + 8 + 4 + 4 and four LTFs of 7.2 µs, 68.8 µs, with
/// one symbol of HE-SIG-B: 52 bits for two users of each channel. In all 1388 µs. MU-BAR: 28 + 4·9 = 64 octets, 534 bits,
/// 44 µs. BlockAcks: 62.4 µs together, 32 µs alone.
///
/// Without OFDMA, BlockAcks come in turn. The MU-BAR in the data adds 2 + 4 + 37 octets: 790 872 bits, 97 symbols as well.
///
/// Verifies: [80211ax-2021 §26.7.3, §27.3.11.8, §27.4.3]
#[test]
fn four_stations_are_sounded_and_share_a_ppdu() {
    let sequence = |ack: Option<MultiUserAck>, count| {
        let mut config = sharing(4, ack.unwrap_or_default());
        if ack.is_none() {
            config.rules.multi_user.ofdma = None;
        }
        let mut bench = bench_of(&without_backoff(config));
        for station in (0..4).map(NodeId::station).cycle().take(256) {
            bench.send(NodeId::AP, station, 1_508);
        }
        bench.run_until(Time::ZERO + Duration::from_micros(2_400));
        assert_eq!(bench.delivered.len(), 256);
        frames(&mut bench, count)
    };
    let of_sounding = |reports: u64| 34_000 + 36_000 + 68_800 + 40_000 + reports + 4 * 16_000;
    let start = of_sounding(264_000);
    let end = start + 1_388_000 + 16_000;
    let sounding = [
        "34000 +36000 NdpAnnouncement ap to all, 0 mpdus, 4 decode".to_owned(),
        "86000 +68800 Ndp ap to all, 0 mpdus, 4 decode".to_owned(),
        "170800 +40000 Trigger ap to all, 0 mpdus, 4 decode".to_owned(),
        "226800 +264000 BeamformingReport station to ap, 0 mpdus, 1 decode".to_owned(),
        format!("{start} +1388000 Data ap to station, 64 mpdus, 1 decode"),
    ];
    let with = |others: &[String]| [&sounding, others].concat();
    let alone = |start: u64| format!("{start} +32000 BlockAck station to ap, 0 mpdus, 1 decode");
    let request =
        format!("{} +32000 BlockAckRequest ap to station, 0 mpdus, 1 decode", end + 48_000);
    let in_turn = with(&[alone(end), request, alone(end + 96_000)]);
    assert_eq!(sequence(Some(MultiUserAck::Bar), 8), in_turn);
    // Without OFDMA, reports have a guard interval of 3.2 µs: 56 + 15·16 µs.
    let late = format!("{} +1388000 Data ap to station, 64 mpdus, 1 decode", of_sounding(296_000));
    let default = sequence(None, 6);
    assert_eq!((&default[..3], &default[4]), (&sounding[..3], &late));
    assert_eq!(default[5], alone(end + 32_000));
    let trigger = format!("{end} +44000 Trigger ap to all, 0 mpdus, 4 decode");
    let together = |start: u64| format!("{start} +62400 BlockAck station to ap, 0 mpdus, 1 decode");
    assert_eq!(sequence(Some(MultiUserAck::MuBar), 7), with(&[trigger, together(end + 60_000)]));
    assert_eq!(sequence(Some(MultiUserAck::AggregatedMuBar), 6), with(&[together(end)]));
}

fn ofdmas() -> impl Strategy<Value = MultiUser> {
    let scheduler = || {
        prop::option::weighted(
            0.7,
            prop::sample::select(vec![
                Scheduler::RoundRobin,
                Scheduler::ProportionalFair,
                Scheduler::LargestBacklog,
                Scheduler::Deadline,
            ]),
        )
    };
    let acks = [MultiUserAck::Bar, MultiUserAck::MuBar, MultiUserAck::AggregatedMuBar];
    let edca = (0_u8..4, 0_u32..6, 1_u64..4).prop_map(|(aifsn, exponent, units)| MuEdca {
        aifsn,
        cw_min: (1 << exponent) - 1,
        cw_max: (1 << (exponent + 2)) - 1,
        timer: MuEdca::TIMER_UNIT * units,
    });
    let ofdma = (
        scheduler(),
        scheduler(),
        1_u16..9,
        prop::sample::select(acks.to_vec()),
        prop::option::of(200_u64..5_000),
        prop::bool::ANY,
        prop::bool::ANY,
        0_u16..6,
    );
    (ofdma, prop::option::of(edca)).prop_map(|(ofdma, mu_edca)| {
        let (down, up, users, ack, trigger, poll, is_long, random) = ofdma;
        // 20 MHz have nine units.
        let random = random.min(9 - users);
        let up_guard_interval = if is_long { GuardInterval::Ns3200 } else { GuardInterval::Ns1600 };
        let trigger_every = trigger.map(Duration::from_micros);
        let of = Ofdma { down, up, users, ack, trigger_every, poll, ..OFDMA };
        let ofdma = Ofdma { up_guard_interval, random, ..of };
        MultiUser { ofdma: Some(ofdma), mu_edca, mu_mimo: None }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Packets and airtime are conserved in cells of HT, VHT and HE stations with multi-user frames, errors, hidden
    /// stations and limited TXOPs, and packets stay in order.
    #[test]
    fn air_and_mpdus_of_several_users_are_conserved_and_stay_in_order(
        cell in cells(),
        multi_user in ofdmas(),
        discipline in disciplines(),
        (packets, txop) in (1_u32..200, prop::option::of(200_u64..6_000)),
        links in links(),
        bursts in bursts(),
    ) {
        let mut cell = cell;
        cell.rules.multi_user = multi_user;
        cell.ap_queue = QueueConfig { packets, discipline, ..cell.ap_queue };
        cell.ap_access.txop_limit = Duration::from_micros(txop.unwrap_or(0));
        cell.stations.iter_mut().for_each(|it| it.queue.packets = packets);
        let bench = run(&cell, &links, &bursts);
        check_air(&bench, true);
        check_packets(&bench);
        check_order(&bench);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Packets and airtime are conserved in cells of HE stations that share PPDUs by MU-MIMO, with and without OFDMA, with
    /// errors of data, announcements, triggers and reports, hidden stations and limited TXOPs.
    #[test]
    fn air_and_mpdus_of_users_that_share_a_ppdu_are_conserved_and_stay_in_order(
        cell in cells(),
        multi_user in ofdmas(),
        (has_ofdma, users, every) in (prop::bool::ANY, 2_u16..9, 1_u64..30),
        (streams, discipline) in (prop::sample::select(vec![2_u8, 3, 4, 8]), disciplines()),
        (packets, txop) in (1_u32..200, prop::option::of(200_u64..6_000)),
        links in he_links(),
        bursts in bursts(),
    ) {
        let mut cell = cell;
        let band = cell.rules.standard.band();
        cell.rules.channel =
            Channel { width: Width::Mhz20, streams, ..Channel::at(Standard::Ax, band) };
        cell.rules.standard = Standard::Ax;
        let mu_mimo = MuMimo { users, sounding_every: Duration::from_millis(every) };
        let ofdma = multi_user.ofdma.filter(|_| has_ofdma);
        cell.rules.multi_user = MultiUser { ofdma, mu_mimo: Some(mu_mimo), ..multi_user };
        cell.ap_queue = QueueConfig { packets, discipline, ..cell.ap_queue };
        cell.ap_access.txop_limit = Duration::from_micros(txop.unwrap_or(0));
        cell.stations.iter_mut().for_each(|it| it.queue.packets = packets);
        // Most bursts go down, to stations that share a PPDU.
        let down = |&(pause, count, to, down, size): &Burst| (pause, count, to, down || count % 4 > 0, size);
        let bursts: Vec<Burst> = bursts.iter().map(down).collect();
        let bench = run(&cell, &links, &bursts);
        check_air(&bench, true);
        check_packets(&bench);
        check_order(&bench);
    }
}

/// Each packet that arrives is acknowledged once, by an ACK or in a BlockAck that its sender hears: also in the answers
/// of several stations, which come together, and in the entries of a BlockAck for several stations.
#[test]
fn senders_hear_which_packets_the_block_acks_of_several_users_acknowledge() {
    let up = Some(Scheduler::RoundRobin);
    let trigger_every = Some(Duration::from_millis(1));
    for ack in [MultiUserAck::Bar, MultiUserAck::MuBar, MultiUserAck::AggregatedMuBar] {
        let mut bench = bench_of(&stations(4, Ofdma { up, ack, trigger_every, ..OFDMA }));
        (0..5).for_each(|member| bench.cell.listen(NodeId(member), Listen::Own));
        for station in (0..4).map(NodeId::station).cycle().take(400) {
            bench.send(NodeId::AP, station, 1_508);
            bench.send(station, NodeId::AP, 1_508);
        }
        bench.run_until(Time::ZERO + Duration::from_millis(500));
        let heard = bench.heard();
        let count = |kind| -> usize {
            let to_me = heard.iter().filter(|it| it.is_receiver() && it.kind() == kind);
            let is_ack = kind == FrameKind::Ack;
            to_me.map(|it| if is_ack { 1 } else { it.packets().count() }).sum()
        };
        let [acks, block_acks, several] =
            [FrameKind::Ack, FrameKind::BlockAck, FrameKind::MultiBlockAck].map(count);
        assert!(several > 0, "{ack:?}");
        assert_eq!((bench.delivered.len(), acks + block_acks + several), (800, 800), "{ack:?}");
        let by_ap = heard.iter().filter(|it| it.kind() == FrameKind::MultiBlockAck);
        assert!(by_ap.filter(|it| it.listener.is_ap()).all(|it| it.packets().count() == 0));
    }
}

/// Received powers of the answers of two stations, 10 m and 40 m from the access point, to a trigger, and the number of
/// answers that arrive.
fn answers(target_rssi: Option<Dbm>) -> (Vec<Dbm>, usize) {
    let path_loss = PathLoss::log_distance(Frequency::from_megahertz(5_200), 3.0);
    let fixed = |x| Mobility::Fixed(Position::new(Length::from_metres(x), Length::from_metres(0)));
    let layout = Layout {
        radio: Radio::new(Standard::Ax, path_loss),
        between: path_loss,
        transmit_power: Dbm::new(20),
        shadowing: Decibels::ZERO,
        fading: Fading::None,
        ways: vec![fixed(10), fixed(40)],
        vectors: vec![TxVector::Mode(he(3))],
        origin: Position::default(),
        walls: Decibels::ZERO,
        seed: 0,
    };
    let streams = |i| StationStreams { way: stream(i), link: stream(i), errors: stream(i) };
    let propagation = Propagation::new(&layout, (0..2).map(streams).collect());
    let trigger_every = Some(Duration::from_millis(1));
    let up = Some(Scheduler::RoundRobin);
    let cell = without_backoff(stations(2, Ofdma { up, trigger_every, target_rssi, ..OFDMA }));
    let mut bench = Bench::with_propagation(propagation, &cell);
    agree(&mut bench.cell, 2);
    bench.cell.monitor();
    for station in 0..2 {
        bench.cell.set_vector(NodeId::station(station), Direction::Up, TxVector::Mode(he(3)));
        bench.cell.set_aifsn(Time::ZERO, NodeId::station(station), None, u8::MAX);
        bench.send_up(station, 400);
    }
    bench.run_until(Time::ZERO + Duration::from_micros(1_900));
    let (mut powers, mut arrived) = (Vec::new(), 0);
    while let Some(it) = bench.cell.poll_monitored() {
        let announced = it.ppdu.trigger().and_then(|it| it.power).map(|it| it.target);
        let is_trigger = it.ppdu.frame.kind == FrameKind::Trigger;
        assert_eq!(announced, target_rssi.filter(|_| is_trigger), "{:?}", it.ppdu.frame.kind);
        if it.part.is_some() {
            powers.extend(it.signal.map(|it| it.power));
            arrived += it.receivers.len();
        }
    }
    (powers, arrived)
}

/// Stations that answer a trigger send with as much power as the access point asks for, and at most with their usual
/// 20 dBm. The path loss is 46.768 dB at 1 m with exponent 3: 46.768 + 30·log10(10) = 76.768 dB and 46.768 +
/// 30·log10(40) = 94.830 dB.
///
/// - Without a target the access point receives -56.768 and -74.830 dBm.
/// - For -65 dBm, the first station sends with 11.768 dBm. The second one would need 29.830 dBm.
/// - For -82 dBm, both reduce their powers. The noise in 484 tones is -88.199 dBm, and 6.2 dB are too few for 16-QAM 1/2.
///
/// Verifies: [80211ax-2021 §27.3.15.2]
#[test]
fn stations_answer_a_trigger_with_the_power_that_it_asks_for() {
    let dbm = Dbm::from_thousandths;
    assert_eq!(answers(None), (vec![dbm(-56_768), dbm(-74_830)], 2));
    assert_eq!(answers(Some(dbm(-65_000))), (vec![dbm(-65_000), dbm(-74_830)], 2));
    assert_eq!(answers(Some(dbm(-82_000))), (vec![dbm(-82_000); 2], 0));
}
