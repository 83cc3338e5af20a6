//! Multi-user frames: exchanges calculated by hand, and quantities that are conserved.

use airfair_laws::Direction;
use airfair_units::{Duration, Time};
use airfair_wlan::aggregation::{Agreement, BlockAckWindow};
use airfair_wlan::multi_user::{MuEdca, MuMimo, MultiUser, MultiUserAck, Ofdma, Scheduler};
use airfair_wlan::phy::mode::{Format, Mode};
use airfair_wlan::phy::{GuardInterval, Standard, TxVector, Width};
use airfair_wlan::{CellConfig, Channel, FrameKind, Listen, NodeId, QueueConfig};

use proptest::prelude::*;

use crate::aggregates::{Burst, bursts, check_order, disciplines, he_links, links, run};
use crate::bench::{Bench, MBPS, config, without_backoff};
use crate::properties::{cells, check_air, check_packets};

fn he(mcs: u8) -> Mode {
    Mode::all(Format::He, Width::Mhz80, GuardInterval::Ns800)
        .find(|mode| mode.mcs() == mcs && mode.streams() == 1)
        .expect("a mode")
}

const OFDMA: Ofdma = Ofdma {
    down: Some(Scheduler::RoundRobin),
    up: None,
    users: 8,
    ack: MultiUserAck::MuBar,
    trigger_every: None,
    poll: false,
    up_guard_interval: GuardInterval::Ns1600,
    random: 0,
};

fn stations(count: usize, ofdma: Ofdma) -> CellConfig {
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
    for station in (0..config.stations.len()).map(NodeId::station) {
        for direction in [Direction::Up, Direction::Down] {
            bench.cell.set_vector(station, direction, TxVector::Mode(he(11)));
            bench.cell.agree(
                station,
                direction,
                Agreement::of(Format::He, BlockAckWindow::Mpdus64),
            );
        }
    }
    bench.cell.monitor();
    bench
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

/// Configuration of stations that share PPDUs by MU-MIMO, up to four at a time, of an access point with four streams.
fn sharing(count: usize, ack: MultiUserAck) -> CellConfig {
    let mut config = stations(count, Ofdma { down: None, ack, ..OFDMA });
    config.rules.channel.streams = 4;
    let sounding_every = Duration::from_millis(100);
    config.rules.multi_user.mu_mimo = Some(MuMimo { users: 4, sounding_every });
    config
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
    );
    (ofdma, prop::option::of(edca)).prop_map(|(ofdma, mu_edca)| {
        let (down, up, users, ack, trigger, poll, is_long) = ofdma;
        let up_guard_interval = if is_long { GuardInterval::Ns3200 } else { GuardInterval::Ns1600 };
        let trigger_every = trigger.map(Duration::from_micros);
        let ofdma =
            Ofdma { down, up, users, ack, trigger_every, poll, up_guard_interval, random: 0 };
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
