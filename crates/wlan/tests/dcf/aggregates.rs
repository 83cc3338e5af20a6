//! A-MPDUs and block acks: closed forms, exchanges calculated by hand, and quantities that are conserved.

use std::collections::BTreeMap;

use airfair_laws::{Direction, dualpi2};
use airfair_units::{Bytes, Duration, Probability, Time};
use airfair_wlan::aggregation::{Agreement, BlockAckWindow};
use airfair_wlan::block_ack::AfterSilence;
use airfair_wlan::phy::mode::{Format, Mode};
use airfair_wlan::phy::ppdu::{self, PacketPadding};
use airfair_wlan::phy::{Band, GuardInterval, Standard, TxVector, Width};
use airfair_wlan::{
    AirtimeSharing, CellConfig, Channel, CoDel, Discipline, DropCause, ErrorModel, FlowQueues,
    FrameKind, HardwareQueue, Isolation, Limit, Listen, NodeId, Overheard, QueueConfig, Record,
    SentFrame, StationQueues, TimeRegulation, Weights,
};
use proptest::prelude::*;
use rand_core::Rng;

use crate::bench::{Bench, MBPS, config, error_stream, stream};
use crate::properties::{cells, check_air, check_packets};

/// Size of a packet of 1500 octets with LLC/SNAP; `MPDU` is the size of the MPDU that carries it.
const PACKET: u64 = 1_508;
const MPDU: u64 = PACKET + 30;

const SIFS: u64 = 16_000;
const SLOT: u64 = 9_000;
const DIFS: u64 = SIFS + 2 * SLOT;

fn he(mcs: u8) -> Mode {
    Mode::all(Format::He, Width::Mhz80, GuardInterval::Ns800)
        .find(|mode| mode.mcs() == mcs && mode.streams() == 1)
        .expect("a mode")
}

/// Test bench of a cell in which the frames of all stations are aggregated in both directions.
fn bench_of(config: &CellConfig, mode: Mode, agreement: Agreement) -> Bench {
    let mut bench = Bench::new(config);
    for station in (0..config.stations.len()).map(NodeId::station) {
        for direction in [Direction::Up, Direction::Down] {
            bench.cell.set_vector(station, direction, TxVector::Mode(mode));
            bench.cell.agree(station, direction, agreement);
        }
    }
    bench
}

fn stations(count: usize) -> CellConfig {
    let mut config = config(Standard::Ax, &vec![MBPS(54); count]);
    config.ap_queue = QueueConfig::fifo(5_000);
    config.stations.iter_mut().for_each(|station| station.queue = QueueConfig::fifo(5_000));
    config
}

pub(crate) fn errors(probability: f64) -> ErrorModel {
    ErrorModel::Bernoulli(Probability::literal(probability))
}

/// Number of MPDUs in each recorded aggregate, in the order of the records.
fn aggregates(bench: &Bench) -> Vec<u16> {
    let size = |(_, record): &(Time, Record)| match record {
        Record::Aggregate { mpdus, .. } if *mpdus > 1 => Some(*mpdus),
        _ => None,
    };
    bench.records.iter().filter_map(size).collect()
}

fn drops(bench: &Bench) -> usize {
    let given_up =
        |record: &Record| matches!(record, Record::Dropped { cause: DropCause::RetryLimit, .. });
    bench.records.iter().filter(|(_, record)| given_up(record)).count()
}

/// Ends [ns] of the PPDUs and responses of a single saturated station: DIFS, back-off, PPDU, SIFS, response. Each
/// PPDU has as many MPDUs as its octets, the block ack window, its duration and the queue allow.
fn closed_form(mode: Mode, mut packets: u64, most_octets: u64, window: u64) -> Vec<(u64, u64)> {
    let mut backoffs = stream(1);
    let air = |octets: u64| {
        ppdu::duration(mode, Bytes::new(octets), Band::Ghz5, PacketPadding::default()).as_nanos()
    };
    let octets = |mpdus: u64| {
        let alone = if mode.format() == Format::Ht { 0 } else { 4 };
        if mpdus == 1 { alone + MPDU } else { (mpdus - 1) * (MPDU + 6) + MPDU + 4 }
    };
    // Non-HT OFDM: 20 µs, and symbols of 4 µs of 24, 48 or 96 bits for 16 + 6 bits and the octets.
    let control = |octets: u64| {
        let bits = match mode.reference() as usize {
            0 | 1 => 24,
            2 | 3 => 48,
            _ => 96,
        };
        20_000 + 4_000 * (22 + 8 * octets).div_ceil(bits)
    };
    let (mut now, mut ends) = (0, Vec::new());
    while packets > 0 {
        let fits = |mpdus: &u64| {
            octets(*mpdus) <= most_octets && air(octets(*mpdus)) <= 5_484_000 && *mpdus <= packets
        };
        let mpdus = (1..=window).take_while(fits).last().unwrap_or(1);
        let response = if mpdus == 1 { control(14) } else { control(24 + window / 8) };
        now += DIFS + air(octets(mpdus)) + SIFS + response;
        ends.push((now, mpdus));
        packets -= mpdus;
        now += SLOT * u64::from(backoffs.next_u32() >> 28);
    }
    ends
}

/// In every mode, PPDUs and responses of a single saturated station end at the times of the closed form.
///
/// Verifies: [80211-2020 §10.12, §10.25], [80211ax-2021 §26.6]
#[test]
fn a_single_saturated_station_sends_when_the_sum_says_in_every_mode() {
    let cases = [
        (Format::Ht, Width::Mhz20, 65_535, BlockAckWindow::Mpdus64),
        (Format::Ht, Width::Mhz40, 65_535, BlockAckWindow::Mpdus64),
        (Format::Vht, Width::Mhz20, 1_048_575, BlockAckWindow::Mpdus64),
        (Format::Vht, Width::Mhz80, 1_048_575, BlockAckWindow::Mpdus64),
        (Format::He, Width::Mhz20, 6_500_631, BlockAckWindow::Mpdus64),
        (Format::He, Width::Mhz80, 6_500_631, BlockAckWindow::Mpdus256),
        (Format::He, Width::Mhz160, 6_500_631, BlockAckWindow::Mpdus256),
    ];
    for (format, width, octets, window) in cases {
        for guard in format.guard_intervals() {
            for mode in Mode::all(format, width, *guard) {
                let mut bench = bench_of(&stations(1), mode, Agreement::of(format, window));
                let packets = 300;
                for _ in 0..packets {
                    assert!(bench.send_up(0, PACKET));
                }
                bench.run_until(Time::ZERO + Duration::from_secs(30));
                let ends: Vec<u64> = (bench.sent().iter())
                    .filter(|sent| sent.frame == SentFrame::Response)
                    .map(|sent| sent.end.as_nanos())
                    .collect();
                let window = u64::from(window.mpdus());
                let expected = closed_form(mode, packets, octets, window);
                let sums: Vec<u64> = expected.iter().map(|(end, _)| *end).collect();
                assert_eq!(ends, sums, "{mode:?}");
                let sizes = expected.iter().map(|(_, mpdus)| *mpdus).filter(|mpdus| *mpdus > 1);
                assert!(aggregates(&bench).into_iter().map(u64::from).eq(sizes), "{mode:?}");
                assert_eq!(bench.delivered.len(), 300);
            }
        }
    }
}

/// Data frames and `BlockAck`s that members have heard in the run, of which some content is known: the member, true for
/// data, and the numbers of the packets. For data these are the packets in it; for a `BlockAck`, those that it
/// acknowledges.
fn known_packets(bench: &Bench) -> Vec<(NodeId, bool, Vec<u32>)> {
    let known = |it: &Overheard<'_, u32>| {
        let packets = it.packets().map(|msdu| msdu.payload).collect();
        (it.listener, it.kind() == FrameKind::Data, packets)
    };
    let of_aggregates =
        |it: &&Overheard<'_, u32>| matches!(it.kind(), FrameKind::Data | FrameKind::BlockAck);
    bench.heard().iter().filter(of_aggregates).map(known).collect()
}

/// The receiver of an aggregate knows the packets that have arrived without an error, and the `BlockAck` acknowledges
/// these packets to the sender, among those that the sender has sent. Three of ten MPDUs are lost to noise. The result
/// is the same with and without a monitor.
///
/// Verifies: [80211-2020 §9.3.1.8]
#[test]
fn both_ends_know_which_packets_of_an_aggregate_have_come() {
    let run = |is_monitored| {
        let amsdu = Bytes::new(3_839);
        let agreement =
            Agreement::of(Format::He, BlockAckWindow::Mpdus64).with_amsdu(Format::He, amsdu);
        let mut bench = bench_of(&stations(1), he(3), agreement);
        let station = NodeId::station(0);
        bench.cell.set_errors(station, errors(0.3), error_stream(0));
        if is_monitored {
            bench.cell.monitor();
        }
        for listener in [station, NodeId::AP] {
            bench.cell.listen(listener, Listen::Own);
        }
        (0..500).for_each(|_| assert!(bench.send_up(0, PACKET)));
        bench.run_until(Time::ZERO + Duration::from_secs(2));
        (known_packets(&bench), bench.delivered.len())
    };
    let (known, delivered) = run(false);
    assert_eq!((&known, delivered), (&run(true).0, 500));
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    let (mut acknowledged, mut partly) = (Vec::new(), 0);
    for (listener, is_data, packets) in known {
        match (listener.is_ap(), is_data) {
            (false, true) => (sent, received) = (packets, Vec::new()),
            (true, true) => received = packets,
            (true, false) => assert!(packets.is_empty()),
            (false, false) => {
                assert!(received.iter().all(|it| packets.contains(it)));
                assert!(packets.iter().all(|it| sent.contains(it)));
                partly += u32::from(packets.len() < sent.len());
                acknowledged.extend(packets);
            }
        }
    }
    assert!(partly > 3, "{partly} of some aggregates have come in part");
    acknowledged.sort_unstable();
    acknowledged.dedup();
    // The response to a single MPDU is an ACK, which lists no packets.
    assert!(acknowledged.len() > 480, "{}", acknowledged.len());
}

/// Ends [ns] of the PPDUs and responses of a single saturated station with A-MSDUs, and number of packets in each
/// MPDU. A packet joins the MPDU before it if that stays within `amsdu` octets and the frame within its limits;
/// otherwise it has an MPDU of its own.
fn closed_form_of_amsdus(
    mode: Mode,
    mut packets: u64,
    (most_octets, window, amsdu): (u64, usize, u64),
) -> Vec<(u64, Vec<u64>)> {
    let mut backoffs = stream(1);
    let air = |octets: u64| {
        ppdu::duration(mode, Bytes::new(octets), Band::Ghz5, PacketPadding::default()).as_nanos()
    };
    // Header and FCS are 30 octets; each subframe is 14 octets and a packet, padded to 1524 octets except for the
    // last.
    let mpdu = |packets: &u64| if *packets == 1 { MPDU } else { 30 + packets * 1_524 - 2 };
    let octets = |counts: &[u64]| {
        let bare = mode.format() == Format::Ht && counts.len() == 1;
        let all: u64 = counts.iter().map(|it| (4 + mpdu(it)).next_multiple_of(4)).sum();
        let last = counts.last().map_or(0, mpdu);
        all - (4 - last % 4) % 4 - if bare { 4 } else { 0 }
    };
    let control = |octets: u64| {
        let bits = match mode.reference() as usize {
            0 | 1 => 24,
            2 | 3 => 48,
            _ => 96,
        };
        20_000 + 4_000 * (22 + 8 * octets).div_ceil(bits)
    };
    let (mut now, mut ends) = (0, Vec::new());
    while packets > 0 {
        let fits = |counts: &[u64]| {
            // The limit includes a delimiter, even if none is sent.
            let bare = if mode.format() == Format::Ht && counts.len() == 1 { 4 } else { 0 };
            let octets = octets(counts) + bare;
            octets <= most_octets && air(octets) <= 5_484_000
        };
        let mut counts = vec![1];
        packets -= 1;
        while packets > 0 {
            let (mut grown, mut longer) = (counts.clone(), counts.clone());
            *grown.last_mut().expect("one") += 1;
            longer.push(1);
            if mpdu(grown.last().expect("one")) <= amsdu + 30 && fits(&grown) {
                counts = grown;
            } else if longer.len() <= window && fits(&longer) {
                counts = longer;
            } else {
                break;
            }
            packets -= 1;
        }
        let blocks = if window > 64 { 256 } else { 64 };
        let response = if counts.len() == 1 { control(14) } else { control(24 + blocks / 8) };
        now += DIFS + air(octets(&counts)) + SIFS + response;
        ends.push((now, counts));
        now += SLOT * u64::from(backoffs.next_u32() >> 28);
    }
    ends
}

/// In every mode, frames of a single saturated station with A-MSDUs end at the times of the closed form, with as many
/// packets.
///
/// Verifies: [80211-2020 §9.3.2.2, §10.11], [80211ax-2021 §26.6]
#[test]
fn a_single_station_with_amsdus_sends_when_the_sum_says_in_every_mode() {
    let cases = [
        (Format::Ht, Width::Mhz20, 65_535, [3_839, 7_935]),
        (Format::Vht, Width::Mhz80, 1_048_575, [7_935, 11_398]),
        (Format::He, Width::Mhz80, 6_500_631, [3_839, 11_398]),
    ];
    let windows = [BlockAckWindow::Single, BlockAckWindow::Mpdus64, BlockAckWindow::Mpdus256];
    for ((format, width, octets, amsdus), window) in
        cases.into_iter().flat_map(|case| windows.map(|window| (case, window)))
    {
        let guard = *format.guard_intervals().last().expect("some");
        for (mode, amsdu) in
            Mode::all(format, width, guard).flat_map(|mode| amsdus.map(|amsdu| (mode, amsdu)))
        {
            let agreement = Agreement::of(format, window);
            let (agreement, most) = match (format, window) {
                (_, BlockAckWindow::Single) => {
                    (Agreement::without_block_ack(format, Bytes::new(amsdu)), amsdu)
                }
                // An MPDU of an HT A-MPDU has 4095 octets at most.
                (Format::Ht, _) => {
                    (agreement.with_amsdu(format, Bytes::new(amsdu)), amsdu.min(4_065))
                }
                _ => (agreement.with_amsdu(format, Bytes::new(amsdu)), amsdu),
            };
            let mut bench = bench_of(&stations(1), mode, agreement);
            (0..300).for_each(|_| assert!(bench.send_up(0, PACKET)));
            bench.run_until(Time::ZERO + Duration::from_secs(30));
            let ends: Vec<u64> = (bench.sent().iter())
                .filter(|sent| sent.frame == SentFrame::Response)
                .map(|sent| sent.end.as_nanos())
                .collect();
            let limits = (octets, usize::from(window.mpdus()), most);
            let expected = closed_form_of_amsdus(mode, 300, limits);
            let sums: Vec<u64> = expected.iter().map(|(end, _)| *end).collect();
            assert_eq!(ends, sums, "{mode:?} {window:?} {amsdu}");
            let sizes = expected.iter().map(|(_, counts)| counts.len()).filter(|it| *it > 1);
            assert!(aggregates(&bench).into_iter().map(usize::from).eq(sizes), "{mode:?}");
            let joined: u64 = (bench.records.iter())
                .filter_map(|(_, record)| match record {
                    Record::Joined { packets, .. } => Some(u64::from(*packets)),
                    _ => None,
                })
                .sum();
            let mpdus: usize = expected.iter().map(|(_, counts)| counts.len()).sum();
            assert_eq!((joined + mpdus as u64, bench.delivered.len()), (300, 300), "{mode:?}");
        }
    }
}

/// An A-MSDU is lost or received as a whole. Five packets of 1508 octets are 7618 octets, six would be 9142: 3000
/// packets are 600 MPDUs. Half of the MPDUs are lost, and 2^-7 of them seven times in a row.
///
/// Verifies: [80211-2020 §10.11]
#[test]
fn an_amsdu_errs_as_one_mpdu_and_is_given_up_as_one() {
    for window in [BlockAckWindow::Single, BlockAckWindow::Mpdus64] {
        let mut config = stations(1);
        config.stations[0].errors = errors(0.5);
        let mut agreement =
            Agreement::of(Format::He, window).with_amsdu(Format::He, Bytes::new(7_935));
        // Ten MPDUs never reach the longest duration of a PPDU, which would make an A-MSDU smaller.
        agreement.limits.max_mpdus = agreement.limits.max_mpdus.min(10);
        let mut bench = bench_of(&config, he(5), agreement);
        (0..3_000).for_each(|_| assert!(bench.send_up(0, PACKET)));
        bench.run_until(Time::ZERO + Duration::from_secs(5));
        let delivered: Vec<u32> = bench.delivered.iter().map(|(_, number)| *number).collect();
        assert!(delivered.is_sorted_by(|a, b| a < b) && delivered.len().is_multiple_of(5));
        assert!(delivered.chunks(5).all(|mpdu| mpdu[0] % 5 == 0 && mpdu[4] == mpdu[0] + 4));
        let lost = bench.departed.iter().filter(|it| it.lost).count();
        assert_eq!((delivered.len() + lost, bench.cell.buffered().count()), (3_000, 0));
        assert!(drops(&bench) > 0 && drops(&bench).is_multiple_of(5), "{window:?}");
        let errored = |(_, record): &&(Time, Record)| matches!(record, Record::Errored { .. });
        let errors = bench.records.iter().filter(errored).count();
        assert!((600..2_500).contains(&errors), "{errors}");
    }
}

/// A single MPDU is answered by an ACK, of 14 octets, and two MPDUs are answered by a `BlockAck`, of 32 octets.
#[test]
fn an_mpdu_alone_has_an_ack_and_two_have_a_block_ack() {
    let mut bench =
        bench_of(&stations(1), he(7), Agreement::of(Format::He, BlockAckWindow::Mpdus64));
    bench.send_up(0, PACKET);
    bench.run_until(crate::bench::at(1_000));
    let (first, second) = (bench.sent()[0].end, bench.sent()[1].end);
    assert_eq!(second - first, Duration::from_micros(16 + 28));
    bench.send_up(0, PACKET);
    bench.send_up(0, PACKET);
    bench.run_until(crate::bench::at(2_000));
    let (third, fourth) = (bench.sent()[2].end, bench.sent()[3].end);
    assert_eq!((fourth - third, aggregates(&bench)), (Duration::from_micros(16 + 32), vec![2]));
}

/// With half of all MPDUs lost, packets arrive in order and at most once, and all others are given up.
#[test]
fn lost_mpdus_go_again_and_packets_arrive_in_order() {
    let mut config = stations(1);
    config.stations[0].errors = errors(0.5);
    let mut bench = bench_of(&config, he(5), Agreement::of(Format::He, BlockAckWindow::Mpdus64));
    for _ in 0..1_000 {
        bench.send_up(0, PACKET);
    }
    bench.run_until(Time::ZERO + Duration::from_secs(5));
    let delivered: Vec<u32> = bench.delivered.iter().map(|(_, number)| *number).collect();
    assert!(delivered.is_sorted_by(|a, b| a < b));
    let lost = bench.departed.iter().filter(|it| it.lost).count();
    assert_eq!(delivered.len() + lost, 1_000);
    assert_eq!(bench.cell.buffered().count(), 0);
    assert!(drops(&bench) > 0, "2^-7 of them fail seven times");
}

/// The owner of a cell learns of every packet that leaves a queue in an aggregate or, if it asks for that, of lost ones
/// alone. Five packets leave in one A-MPDU, or after as many attempts as they have where all frames are lost.
#[test]
fn departures_from_aggregates_are_all_reported_or_the_losses_alone() {
    for (losses_alone, error, reported) in
        [(false, 0.0, 5), (false, 1.0, 5), (true, 0.0, 0), (true, 1.0, 5)]
    {
        let mut config = stations(1);
        config.stations[0].errors = errors(error);
        let agreement = Agreement::of(Format::He, BlockAckWindow::Mpdus64);
        let mut bench = bench_of(&config, he(5), agreement);
        if losses_alone {
            bench.cell.tell_losses_alone();
        }
        (0..5).for_each(|_| assert!(bench.send_up(0, PACKET)));
        bench.run_until(Time::ZERO + Duration::from_secs(1));
        let lost = bench.departed.iter().map(|it| it.lost);
        assert_eq!(lost.collect::<Vec<_>>(), vec![error > 0.0; reported], "{losses_alone}");
    }
}

/// Noise makes the same errors in MPDUs and responses whether PPDUs are constructed, as with a monitor, or left out, as
/// if nothing can disturb an exchange.
#[test]
fn noise_asks_for_the_same_octets_on_both_ways_of_an_aggregate() {
    let errored = |is_watched: bool| {
        let mut config = stations(1);
        config.stations[0].errors = ErrorModel::Bits(Probability::literal(1e-4));
        let mut bench =
            bench_of(&config, he(3), Agreement::of(Format::He, BlockAckWindow::Mpdus256));
        if is_watched {
            bench.cell.monitor();
        }
        for _ in 0..1_000 {
            bench.send_up(0, 700);
        }
        bench.run_until(Time::ZERO + Duration::from_secs(1));
        let is_errored = |(_, record): &&(Time, Record)| matches!(record, Record::Errored { .. });
        bench.records.iter().filter(is_errored).copied().collect::<Vec<_>>()
    };
    let errors = errored(true);
    assert!(errors.iter().any(|(_, it)| *it == Record::Errored { node: NodeId::AP }));
    assert_eq!(errors, errored(false));
}

/// The access point serves other stations between two aggregates to a station that loses some of each.
#[test]
fn a_station_that_loses_mpdus_does_not_keep_others_waiting() {
    for discipline in [
        Discipline::RoundRobin,
        Discipline::DeficitRoundRobin { quantum: Bytes::new(20_000) },
        Discipline::Airtime(AirtimeSharing::default()),
    ] {
        let mut config = stations(2);
        config.ap_queue.discipline = discipline;
        config.stations[0].errors = errors(0.2);
        let mut bench =
            bench_of(&config, he(5), Agreement::of(Format::He, BlockAckWindow::Mpdus64));
        for _ in 0..1_500 {
            bench.send(NodeId::AP, NodeId::station(0), PACKET);
            bench.send(NodeId::AP, NodeId::station(1), PACKET);
        }
        bench.run_until(crate::bench::at(60_000));
        let of = |station: u32| {
            bench.delivered.iter().filter(|(_, number)| number % 2 == station).count()
        };
        assert!(of(0) > 250 && of(1) > 250, "{discipline:?}: {} and {}", of(0), of(1));
    }
}

/// Without a response, the originator sends the whole aggregate again, seven times in all, or sends `BlockAckReq`s
/// after each transmission of the aggregate.
#[test]
fn silence_is_followed_by_the_aggregate_or_by_a_request() {
    let mut config = stations(1);
    config.stations[0].senses_only = vec![NodeId::AP];
    for (after_silence, responses) in
        [(AfterSilence::Retransmission, 0), (AfterSilence::Request, 1)]
    {
        let agreement =
            Agreement { after_silence, ..Agreement::of(Format::He, BlockAckWindow::Mpdus64) };
        let mut bench = bench_of(&config, he(5), agreement);
        for _ in 0..10 {
            bench.send(NodeId::AP, NodeId::station(0), PACKET);
        }
        bench.run_until(crate::bench::at(100_000));
        let count = |frame| bench.sent().iter().filter(|sent| sent.frame == frame).count();
        assert_eq!(drops(&bench), 10, "{after_silence:?}");
        let (data, requests) = (count(SentFrame::Data), count(SentFrame::Response));
        if responses == 0 {
            // As many requests move the receiver's window past the packets given up.
            assert_eq!((data, requests), (7, 7));
        } else {
            assert!(data >= 7 && requests >= 6 * data, "{data} {requests}");
        }
        assert_eq!(bench.cell.undelivered().count(), 0);
    }
}

/// A burst of packets: pause before it [µs], number of packets, station, true if downlink, size of each packet.
pub(crate) type Burst = (u64, usize, usize, bool, u64);

pub(crate) fn bursts() -> impl Strategy<Value = Vec<Burst>> {
    let pause = prop_oneof![Just(0_u64), 1_u64..500, 0_u64..6_000];
    prop::collection::vec((pause, 1_usize..30, 0_usize..6, prop::bool::ANY, 1_u64..2_000), 1..30)
}

/// Properties of a link: mode, block ack window, MPDUs of an aggregate, octets of an aggregate, true if a request
/// follows a missing response, probability of errors, octets of an A-MSDU.
pub(crate) type LinkParameters = (usize, u16, u16, u64, bool, f64, u64);

pub(crate) fn links() -> impl Strategy<Value = Vec<Option<LinkParameters>>> {
    let link = (
        0_usize..40,
        prop::sample::select(&[1_u16, 64, 256][..]),
        1_u16..70,
        2_000_u64..70_000,
        prop::bool::ANY,
        prop::sample::select(&[0.0, 0.0, 0.1, 0.5, 0.95][..]),
        prop::sample::select(&[0_u64, 3_839, 11_398][..]),
    );
    prop::collection::vec(prop::option::weighted(0.8, link), 6)
}

pub(crate) fn disciplines() -> impl Strategy<Value = Discipline> {
    let codel = CoDel::default();
    let fast = CoDel::new(Duration::from_micros(100), Duration::from_millis(2));
    let queues = StationQueues::Flows(FlowQueues { codel: fast, ..FlowQueues::default() });
    prop::sample::select(vec![
        Discipline::Fifo,
        Discipline::CoDel(fast),
        Discipline::RoundRobin,
        Discipline::DeficitRoundRobin { quantum: Bytes::new(3_000) },
        Discipline::FqCoDel {
            codel,
            quantum: Bytes::new(1_514),
            queues: 3,
            isolation: Isolation::Receivers,
        },
        Discipline::Airtime(AirtimeSharing { queues, ..AirtimeSharing::default() }),
        Discipline::Airtime(AirtimeSharing {
            queues: StationQueues::Coupled(dualpi2::Params::default()),
            ..AirtimeSharing::default()
        }),
        Discipline::Airtime(AirtimeSharing {
            queues,
            hardware_queue: HardwareQueue::aggregates(2),
            ..AirtimeSharing::default()
        }),
        Discipline::Airtime(AirtimeSharing {
            hardware_queue: HardwareQueue::aggregates(20),
            aql: None,
            ..AirtimeSharing::default()
        }),
        Discipline::TimeRegulator(TimeRegulation::default()),
        Discipline::data_ack(Weights::default()),
    ])
}

/// Modes of the links, of which parameter `mode` chooses the one at place 7 · `mode`.
fn modes() -> Vec<Mode> {
    [Format::Ht, Format::Vht, Format::He]
        .into_iter()
        .flat_map(|format| Mode::all(format, Width::Mhz20, GuardInterval::Ns800))
        .collect()
}

/// Links whose modes are of HE.
pub(crate) fn he_links() -> impl Strategy<Value = Vec<Option<LinkParameters>>> {
    let modes = modes();
    let is_he = |it: &usize| modes[it * 7 % modes.len()].format() == Format::He;
    let he: Vec<usize> = (0..200).filter(is_he).collect();
    links().prop_map(move |mut links| {
        links.iter_mut().flatten().for_each(|link| link.0 = he[link.0 % he.len()]);
        links
    })
}

/// Runs a cell in which some links aggregate with these bursts of packets.
pub(crate) fn run(cell: &CellConfig, links: &[Option<LinkParameters>], bursts: &[Burst]) -> Bench {
    let mut cell = cell.clone();
    let links = if cell.rules.standard == Standard::B { &[] } else { links };
    let band = cell.rules.standard.band();
    if !links.is_empty() && cell.rules.standard != Standard::Ax {
        (cell.rules.standard, cell.rules.channel) = (Standard::Ax, Channel::at(Standard::Ax, band));
    }
    for station in cell.stations.iter_mut().filter(|it| it.standard != Standard::B) {
        station.standard = cell.rules.standard;
    }
    for (station, link) in cell.stations.iter_mut().zip(links) {
        if let Some((.., p, _)) = link {
            station.errors = errors(*p);
        }
    }
    let mut bench = Bench::new(&cell);
    let modes = modes();
    for (index, link) in links.iter().take(cell.stations.len()).enumerate() {
        let Some((mode, window, mpdus, octets, asks, _, amsdu)) = *link else { continue };
        if cell.stations[index].standard == Standard::B {
            continue;
        }
        let mode = modes[mode * 7 % modes.len()];
        let window = match window {
            1 => BlockAckWindow::Single,
            64 => BlockAckWindow::Mpdus64,
            1_024 => BlockAckWindow::Mpdus1024,
            _ => BlockAckWindow::Mpdus256,
        };
        let mut agreement = Agreement::of(mode.format(), window);
        if amsdu > 0 {
            agreement = agreement.with_amsdu(mode.format(), Bytes::new(amsdu));
        }
        (agreement.limits.max_mpdus, agreement.limits.max_bytes) = (mpdus, Bytes::new(octets));
        agreement.after_silence =
            if asks { AfterSilence::Request } else { AfterSilence::Retransmission };
        for direction in [Direction::Up, Direction::Down] {
            bench.cell.set_vector(NodeId::station(index), direction, TxVector::Mode(mode));
            bench.cell.agree(NodeId::station(index), direction, agreement);
        }
    }
    for (pause, count, station, down, size) in bursts {
        bench.run_until(bench.now + Duration::from_micros(*pause));
        let station = NodeId::station(station % cell.stations.len());
        let (from, to) = if *down { (NodeId::AP, station) } else { (station, NodeId::AP) };
        for _ in 0..*count {
            bench.send(from, to, *size);
        }
    }
    bench.run_until(bench.now + Duration::from_millis(30));
    bench.cell.flush(bench.now);
    bench.poke();
    bench
}

/// Asserts that the packets of each hop are delivered in the order in which they were sent.
pub(crate) fn check_order(bench: &Bench) {
    let mut last = BTreeMap::new();
    for (_, number) in &bench.delivered {
        let hop = bench.hop(*number);
        let before = last.insert(hop, *number);
        assert!(before.is_none_or(|before| before < *number), "{before:?} {number} of {hop:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn air_and_mpdus_are_conserved_and_packets_stay_in_order(
        cell in cells(),
        discipline in disciplines(),
        (packets, is_each) in (1_u32..200, prop::bool::ANY),
        links in links(),
        bursts in bursts(),
    ) {
        let limit = if is_each { Limit::Each } else { Limit::Shared };
        let mut cell = cell;
        cell.ap_queue = QueueConfig { packets, limit, discipline, ..cell.ap_queue };
        cell.stations.iter_mut().for_each(|it| it.queue.packets = packets);
        let bench = run(&cell, &links, &bursts);
        check_air(&bench, cell.has_hidden());
        check_packets(&bench);
        check_order(&bench);
    }
}
