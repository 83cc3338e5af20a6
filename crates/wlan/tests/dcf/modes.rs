//! Cells of 802.11n and later: exchanges of every mode to the nanosecond, and stations of older standards in the
//! same cell.

use airfair_units::{Bytes, DataRate, Duration, Probability, Time};
use airfair_wlan::phy::mode::{Format, HeLtf};
use airfair_wlan::phy::ppdu::training_symbols;
use airfair_wlan::phy::symbols::symbols;
use airfair_wlan::phy::{Band, GuardInterval, Mode, Rate, Standard};
use airfair_wlan::{
    AccessParameters, Attempts, CellConfig, Channel, ErrorModel, NodeId, QueueConfig, RateLaw,
    Record, Rules, SentFrame, StationConfig,
};
use rand_core::Rng;

use crate::bench::{Bench, at, stream, without_backoff};

/// Size of each packet [octets], LLC and SNAP included.
pub(crate) const MSDU: u64 = 1_508;

fn ns(us: u64) -> u64 {
    us * 1_000
}

/// A cell with stations of these standards, each at the highest rate of its link.
pub(crate) fn cell(standard: Standard, channel: Channel, stations: &[Standard]) -> CellConfig {
    // Frames are not aggregated.
    let channel = Channel { aggregation: None, ..channel };
    let station = |own: &Standard| {
        let link = channel.link(standard, *own);
        let legacy = Rate::Legacy(*own.rates().last().expect("rates"));
        let rate = link.map_or(legacy, |link| Rate::Mode(link.fastest()));
        StationConfig {
            standard: *own,
            link,
            rate_up: rate,
            rate_down: rate,
            adaptation: [None; 2],
            queue: QueueConfig::fifo(50),
            categories: Vec::new(),
            access: AccessParameters::of(*own),
            senses_only: Vec::new(),
            hidden_from: Vec::new(),
            errors: ErrorModel::None,
        }
    };
    let mut rules = Rules { channel, ..Rules::of(standard) };
    let has_b = stations.contains(&Standard::B);
    rules.basic_rates = rules.legacy().default_basic_rates(has_b);
    let stations = stations.iter().map(station).collect();
    let (ap_queue, ap_access) = (QueueConfig::fifo(50), AccessParameters::of(standard));
    CellConfig {
        rules,
        ap_queue,
        ap_access,
        ap_categories: Vec::new(),
        stations,
        foreign: Vec::new(),
    }
}

/// Duration of the PPDU of one packet [ns], field by field: legacy preamble 20 µs, then the fields of the format,
/// then symbols; 6 µs of signal extension at 2.4 GHz.  [80211-2020 §19.4.3, §21.4.3], [80211ax-2021 §27.4.3], [80211be-2024 §36.4.3]
pub(crate) fn ppdu(mode: Mode, band: Band) -> u64 {
    let trained = training_symbols(mode.streams());
    let guard = mode.guard().duration().as_nanos();
    let (psdu, preamble, useful) = match mode.format() {
        Format::Ht => (MSDU + 30, ns(20 + 8 + 4 + 4 * trained), 3_200),
        Format::Vht => (MSDU + 34, ns(20 + 8 + 4 + 4 * trained + 4), 3_200),
        Format::He | Format::Eht => {
            let ltf = match mode.ltf() {
                Some(HeLtf::X4) => 12_800,
                _ => 6_400,
            };
            // EHT-SIG has one symbol, or two at MCS 0.
            let eht_sig = match (mode.format(), mode.mcs()) {
                (Format::Eht, 0) => 8,
                (Format::Eht, _) => 4,
                _ => 0,
            };
            let before = ns(20 + 4 + 8 + eht_sig + 4);
            (MSDU + 34, before + trained * (ltf + guard), 12_800)
        }
    };
    let data = symbols(mode, Bytes::new(psdu)).count * (useful + guard);
    let data = if guard == 400 { data.next_multiple_of(4_000) } else { data };
    preamble + data + if band == Band::Ghz2 { ns(6) } else { 0 }
}

/// Duration of an ACK [ns]: 134 bits at 6, 12 or 24 Mb/s, by the modulation of the data.  [80211-2020 §10.6.11,
/// §17.4.3]
fn ack(mode: Mode, band: Band) -> u64 {
    let symbols = match mode.mcs() {
        0 => 6,
        1 | 2 => 3,
        _ => 2,
    };
    ns(20 + 4 * symbols) + if band == Band::Ghz2 { ns(6) } else { 0 }
}

/// All widths of all formats in all bands, with all guard intervals and numbers of streams.
fn channels() -> impl Iterator<Item = (Standard, Channel)> {
    let bands = [Standard::N, Standard::Ac, Standard::Ax, Standard::Be]
        .into_iter()
        .flat_map(|standard| standard.bands().iter().map(move |band| (standard, *band)));
    bands.flat_map(|(standard, band)| {
        let format = standard.format().expect("a format");
        let streams = format.max_streams();
        format.widths(band).iter().flat_map(move |width| {
            format.guard_intervals().iter().map(move |guard| {
                let usual = Channel::at(standard, band);
                (standard, Channel { width: *width, guard: *guard, streams, ..usual })
            })
        })
    })
}

/// Each exchange of a single saturated station lasts as long as its parts: AIFS of 3 slots, a back-off of 0 to 15
/// slots, the PPDU, SIFS, the ACK. This holds for each mode of each width, guard interval, number of streams and band.
///
/// Verifies: [80211-2020 §10.23.2.4], [80211-2020 §19.4.3], [80211-2020 §21.4.3], [80211ax-2021 §27.4.3]
#[test]
fn every_exchange_of_every_mode_lasts_as_long_as_its_parts() {
    let mut modes = 0;
    for (standard, channel) in channels() {
        let mut config = cell(standard, channel, &[standard]);
        let sifs = ns(if channel.band == Band::Ghz2 { 10 } else { 16 });
        for mode in config.stations[0].link.expect("a link").modes() {
            config.stations[0].rate_up = mode.into();
            let mut bench = Bench::new(&config);
            (0..4).for_each(|_| assert!(bench.send_up(0, MSDU)));
            bench.run_until(at(100_000));
            // The first packet finds the medium idle; after each exchange 4 bits of the station's random numbers are
            // drawn.
            let mut draws = stream(1);
            let mut expected = Vec::new();
            let mut now = 0;
            for packet in 0..4 {
                let backoff = if packet == 0 { 0 } else { u64::from(draws.next_u32() >> 28) };
                let data = now + sifs + (3 + backoff) * ns(9) + ppdu(mode, channel.band);
                now = data + sifs + ack(mode, channel.band);
                expected.extend([data, now]);
            }
            let ends: Vec<u64> = bench.sent().iter().map(|sent| sent.end.as_nanos()).collect();
            assert_eq!(ends, expected, "{mode:?} {}", channel.band);
            modes += 1;
        }
    }
    // HT: 2 bands, 2 widths, 2 guard intervals, 32 MCSs. VHT: 2 guard intervals, 310 combinations of width, streams
    // and MCS. HE: 10 widths in three bands, 3 guard intervals, 96 MCSs. EHT: 11 widths, 3 guard intervals, 112 MCSs.
    let vht = Standard::Ac.format().expect("VHT");
    let channel = |width| Channel { width, streams: 8, ..Channel::of(Standard::Ac) };
    let widths = vht.widths(Band::Ghz5).iter();
    let links = widths.filter_map(|width| channel(*width).link(Standard::Ac, Standard::Ac));
    let vht: usize = links.map(|link| 2 * link.modes().len()).sum();
    assert_eq!(modes, 2 * 2 * 2 * 32 + vht + 10 * 3 * 96 + 11 * 3 * 112);
}

/// End [µs], sender and kind of each frame, in the order of the ends.
fn frames(bench: &Bench) -> Vec<(u64, u16, SentFrame)> {
    let frame = |sent: &crate::bench::Sent| (sent.end.as_nanos() / 1_000, sent.node.0, sent.frame);
    bench.sent().iter().map(frame).collect()
}

/// A CTS-to-self protects an HT PPDU from a station of 802.11g, at 2.4 GHz with one stream and 20 MHz. `ht-mcs7`, 1538
/// octets: 12 326 bits of 260: 48 symbols, 36 + 192 + 6 = 234 µs; ACK and CTS at 24 Mb/s 28 + 6 = 34. AIFS 10 + 3·9 =
/// 37: CTS-to-self 37 … 71, data 81 … 315, ACK 325 … 359. The 802.11g station, DIFS 28: 1536 octets at 54 Mb/s, 12 310
/// bits of 216: 57 symbols, 20 + 228 + 6 = 254 µs.
///
/// Verifies: [80211-2020 §10.27.3]
#[test]
fn an_older_station_is_told_of_a_ppdu_that_it_does_not_know() {
    use SentFrame::{Data, Response};
    let channel = Channel::at(Standard::N, Band::Ghz2);
    let config = without_backoff(cell(Standard::N, channel, &[Standard::N, Standard::G]));
    let mut bench = Bench::new(&config);
    bench.send_up(0, MSDU);
    bench.run_until(at(1_000));
    assert_eq!(frames(&bench), [(71, 1, Response), (315, 1, Data), (359, 0, Response)]);
    bench.send_up(1, MSDU);
    bench.run_until(at(2_000));
    // The medium has been idle long enough, so the frame is sent at once.
    assert_eq!(frames(&bench)[3..], [(1_254, 2, Data), (1_298, 0, Response)]);
    let mut alone = Bench::new(&without_backoff(cell(Standard::N, channel, &[Standard::N])));
    alone.send_up(0, MSDU);
    alone.run_until(at(1_000));
    assert_eq!(frames(&alone), [(271, 1, Data), (315, 0, Response)]);
}

/// The CTS-to-self is a frame that the oldest station of the cell decodes. With an 802.11b station the slot is 20 µs,
/// AIFS 10 + 60, and the CTS is a DSSS one at 11 Mb/s: 192 + ⌈112/11⌉ = 203 µs. Without protection there is no CTS;
/// 802.11n in a cell of 802.11ac needs none.
///
/// Verifies: [80211-2020 §10.27.3], [80211-2020 §10.27.5]
#[test]
fn protection_is_as_old_as_the_oldest_station_asks_for() {
    let first = |config: &CellConfig| {
        let mut bench = Bench::new(config);
        bench.send_up(0, MSDU);
        bench.run_until(at(5_000));
        frames(&bench)[0]
    };
    let two = Channel::at(Standard::N, Band::Ghz2);
    let with_b = cell(Standard::N, two, &[Standard::N, Standard::B]);
    assert_eq!(first(&with_b), (70 + 203, 1, SentFrame::Response));
    let mut bold = with_b;
    bold.rules.protection = false;
    assert_eq!(first(&bold), (70 + 234, 1, SentFrame::Data));
    let five = Channel::of(Standard::Ac);
    let with_n = cell(Standard::Ac, five, &[Standard::Ac, Standard::N]);
    assert_eq!(first(&with_n).2, SentFrame::Data);
    let with_a = cell(Standard::Ac, five, &[Standard::Ac, Standard::A]);
    // SIFS 16, three slots of 9, and a CTS of 28 µs.
    assert_eq!(first(&with_a), (16 + 27 + 28, 1, SentFrame::Response));
}

/// A station of 802.11a defers to an HT PPDU, which it cannot decode, and waits for an EIFS after it where no ACK
/// follows: 16 + 44 + 34 = 94 µs from the end of the data. 5 GHz, `ht-mcs7`: 43 … 271 µs.
///
/// Verifies: [80211-2020 §10.3.2.3.7]
#[test]
fn whoever_does_not_know_a_ppdu_waits_eifs_behind_it() {
    let mut config =
        without_backoff(cell(Standard::N, Channel::of(Standard::N), &[Standard::N, Standard::A]));
    (config.rules.protection, config.rules.attempts) = (false, Attempts::Max(1));
    config.stations[0].errors = ErrorModel::Bernoulli(Probability::ONE);
    let mut bench = Bench::new(&config);
    bench.send_up(0, MSDU);
    bench.run_until(at(100));
    bench.send_up(1, MSDU);
    bench.run_until(at(700));
    let sent = bench.sent();
    assert_eq!(sent[0].end, at(43 + 228));
    let old = sent.iter().find(|sent| sent.node == NodeId(2)).expect("its frame");
    // 1536 octets at 54 Mb/s: 20 + 228 µs.
    assert_eq!(old.end, at(43 + 228 + 94 + 248));
}

/// Members with EDCA have its contention window; an 802.11b station has that of its own PHY.
///
/// Verifies: [80211-2020 Table 9-155]
#[test]
fn stations_of_802_11b_have_their_own_window() {
    let channel = Channel::at(Standard::N, Band::Ghz2);
    let config = cell(Standard::N, channel, &[Standard::N, Standard::B]);
    let slots = |station: usize| {
        let mut bench = Bench::new(&config);
        (0..200).for_each(|_| {
            bench.send_up(station, 100);
            bench.run_until(bench.now + Duration::from_millis(1));
        });
        let queued = (0..40).map(|_| bench.send_up(station, 100)).filter(|it| *it).count();
        assert_eq!(queued, 40);
        bench.run_until(bench.now + Duration::from_millis(200));
        let kind = if station == 0 { SentFrame::Response } else { SentFrame::Data };
        let sent = bench.sent();
        let own =
            |it: &&crate::bench::Sent| it.node == NodeId::station(station) && it.frame == kind;
        let ends: Vec<u64> = sent.iter().filter(own).map(|it| it.end.as_nanos()).collect();
        let gaps = ends[ends.len() - 40..].windows(2).map(|pair| pair[1] - pair[0]);
        let (least, most) = gaps.fold((u64::MAX, 0), |(a, b), gap| (a.min(gap), b.max(gap)));
        (most - least) / ns(20)
    };
    assert!(slots(0) <= 15, "{}", slots(0));
    assert!((16..=31).contains(&slots(1)), "{}", slots(1));
}

/// ARF and the ideal rate control choose among the modes of a link, over 20 MHz with two streams and the long guard
/// interval. Without noise ARF climbs all rates in turn, and the ideal rate control uses the highest one at once. With
/// noise the ideal one uses a lower rate at once.
#[test]
fn laws_step_over_the_modes_of_a_link() {
    let channel = Channel { streams: 2, ..Channel::at(Standard::N, Band::Ghz2) };
    let rates = |law, errors| {
        let mut config = cell(Standard::N, channel, &[Standard::N]);
        config.stations[0].adaptation = [Some(law), None];
        config.stations[0].errors = errors;
        let mut bench = Bench::new(&config);
        for _ in 0..250 {
            bench.send_up(0, MSDU);
            bench.run_until(bench.now + Duration::from_millis(20));
        }
        let rate = |(_, record): &(Time, Record)| match record {
            Record::Rate { rate, .. } => Some(rate.bps() / 100_000),
            _ => None,
        };
        bench.records.iter().filter_map(rate).collect::<Vec<u64>>()
    };
    let arf = airfair_laws::arf::Params { starts_high: false, ..Default::default() };
    let ladder = [130, 195, 260, 390, 520, 585, 650, 780, 1_040, 1_170, 1_300];
    assert_eq!(rates(RateLaw::Arf(arf), ErrorModel::None), ladder);
    assert_eq!(rates(RateLaw::Oracle { highest: None }, ErrorModel::None), [1_300]);
    let highest = Some(DataRate::from_mbps(30));
    assert_eq!(rates(RateLaw::Oracle { highest }, ErrorModel::None), [260]);
    let snr = |db| ErrorModel::Snr(airfair_units::Decibels::new(db));
    // At 1 dB two streams of BPSK; at 6 dB two of QPSK 1/2, because one stream of 16-QAM 1/2 has the same 26 Mb/s and
    // more losses.
    assert_eq!([1, 6].map(|db| rates(RateLaw::Oracle { highest: None }, snr(db))), [[130], [260]]);
}

/// Noise makes the same errors in the frames of an exchange whether their PPDUs are constructed, as with a monitor, or
/// left out, as if nothing can disturb the exchange.
#[test]
fn noise_asks_for_the_same_octets_on_both_ways_of_an_exchange() {
    let channel = Channel::of(Standard::Ac);
    let errored = |is_watched: bool| {
        let mut config = cell(Standard::Ac, channel, &[Standard::Ac]);
        config.stations[0].errors = ErrorModel::Bits(Probability::literal(2e-4));
        let mut bench = Bench::new(&config);
        if is_watched {
            bench.cell.monitor();
        }
        for _ in 0..300 {
            bench.send_up(0, 100);
            bench.run_until(bench.now + Duration::from_millis(3));
        }
        let is_errored = |(_, record): &&(Time, Record)| matches!(record, Record::Errored { .. });
        bench.records.iter().filter(is_errored).map(|(at, _)| *at).collect::<Vec<_>>()
    };
    assert_eq!(errored(true), errored(false));
}

#[test]
fn a_guard_interval_of_a_link_is_that_of_its_format() {
    let channel = Channel { guard: GuardInterval::Ns1600, ..Channel::of(Standard::Ax) };
    let config = cell(Standard::Ax, channel, &[Standard::Ax, Standard::Ac, Standard::N]);
    let guards: Vec<GuardInterval> =
        config.stations.iter().map(|it| it.link.expect("a link").format.guard).collect();
    assert_eq!(guards, [GuardInterval::Ns1600, GuardInterval::Ns800, GuardInterval::Ns800]);
}
