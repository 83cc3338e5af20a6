//! Frames with errors by noise; every time is calculated by hand.
//!
//! 802.11b at 11 Mb/s, long preamble: 972 + 28 octets last 192 + ⌈8000/11⌉ = 920 µs, ACK and CTS at 2 Mb/s 248 µs,
//! RTS 272 µs. SIFS 10, slot 20, DIFS 50, EIFS 10 + 304 + 50 = 364 µs; a response times out 10 + 20 + 192 = 222 µs
//! after the frame. In the comments `50 … 970` is a frame from 50 to 970 µs.

use airfair_units::{Bytes, Probability};
use airfair_wlan::phy::Standard;
use airfair_wlan::{Attempts, CellConfig, DropCause, Eifs, ErrorModel, NodeId, Record};
use rand_core::Rng;

use crate::bench::{Bench, MBPS, at, config, error_stream, without_backoff};

const HALF: Probability = Probability::literal(0.5);

/// A cell in which each frame is errored with probability one half, and the index of one of its stations. The first
/// frames on this station's link are errored where `luck` is true.
pub(crate) fn lucky(luck: &[bool]) -> (CellConfig, usize) {
    let has_luck = |station: &usize| {
        let mut stream = error_stream(*station);
        luck.iter().all(|errored| HALF.happens(stream.next_u64()) == *errored)
    };
    let station = (0..2_000).find(has_luck).expect("some station has this luck");
    let rates = vec![MBPS(11); station + 2];
    let mut cell = without_backoff(config(Standard::B, &rates));
    for station in &mut cell.stations[..=station] {
        station.errors = ErrorModel::Bernoulli(HALF);
    }
    (cell, station)
}

fn errored(bench: &Bench) -> usize {
    bench.records.iter().filter(|(_, record)| matches!(record, Record::Errored { .. })).count()
}

/// Verifies: [80211-2020 §10.3.2.9, §10.3.4.4]
#[test]
fn an_errored_data_frame_is_sent_again_after_the_ack_time_out() {
    let (cell, station) = lucky(&[true, false, false]);
    let mut bench = Bench::new(&cell);
    bench.send_up(station, 972);
    bench.run_until(at(5_000));
    let id = NodeId::station(station).0;
    // 50 + 920; time-out at 970 + 222 = 1192; slots start at 970 + 50 + 20 · k: the next one at 1200.
    assert_eq!(bench.ends(), [(970, id), (2120, id), (2378, 0)]);
    assert_eq!(bench.delivered, [(at(2_120), 0)]);
    assert_eq!(errored(&bench), 1);
}

/// Verifies: [80211-2020 §10.3.2.3.7, §10.3.2.14]
#[test]
fn an_errored_ack_makes_a_duplicate_that_is_not_delivered_again() {
    let (cell, station) = lucky(&[false, true, false, false]);
    let mut bench = Bench::new(&cell);
    bench.send_up(station, 972);
    bench.run_until(at(5_000));
    let id = NodeId::station(station).0;
    // 50 … 970, ACK 980 … 1228, EIFS to 1592.
    assert_eq!(bench.ends(), [(970, id), (1228, 0), (2512, id), (2770, 0)]);
    assert_eq!(bench.delivered, [(at(970), 0)]);
    let duplicate = (at(2_512), Record::Duplicate { node: NodeId::AP });
    assert!(bench.records.contains(&duplicate));
    assert!(bench.departed.iter().all(|departure| !departure.lost));
}

/// The receiver of an errored frame waits for an EIFS, and other stations obey the frame's NAV and wait for a DIFS.
///
/// Verifies: [80211-2020 §10.3.2.3.7]
#[test]
fn only_the_receiver_of_an_errored_frame_waits_eifs() {
    let (mut cell, station) = lucky(&[true, false, false]);
    cell.rules.attempts = Attempts::Max(1);
    // The access point's packet for the last station, whose link has no errors, comes during the frame.
    let last = cell.stations.len() - 1;
    let mut receiver_resumes = |eifs: Eifs, from: NodeId, to: NodeId| {
        cell.rules.eifs = eifs;
        let mut bench = Bench::new(&cell);
        bench.send_up(station, 972);
        bench.run_until(at(500));
        bench.send(from, to, 972);
        bench.run_until(at(5_000));
        let dropped =
            Record::Dropped { node: NodeId::station(station), cause: DropCause::RetryLimit };
        assert!(bench.records.contains(&(at(1_192), dropped)));
        bench.ends()[1]
    };
    let last = NodeId::station(last);
    // 970 + 364 = 1334, and 920 µs.
    assert_eq!(receiver_resumes(Eifs::Standard, NodeId::AP, last), (2_254, 0));
    assert_eq!(receiver_resumes(Eifs::Ns3, NodeId::AP, last), (2_254, 0));
    // 970 + 50 = 1020.
    assert_eq!(receiver_resumes(Eifs::None, NodeId::AP, last), (1_940, 0));
    // The other stations obey the NAV: 970 + 10 + 248 + 50 = 1278.
    assert_eq!(receiver_resumes(Eifs::Standard, last, NodeId::AP), (2_198, last.0));
}

/// Verifies: [80211-2020 §10.3.2.9]
#[test]
fn an_errored_rts_is_sent_again_after_the_cts_time_out() {
    let (mut cell, station) = lucky(&[true, false, false, false, false]);
    cell.rules.rts_threshold = Some(Bytes::new(0));
    let mut bench = Bench::new(&cell);
    bench.send_up(station, 972);
    bench.run_until(at(5_000));
    let id = NodeId::station(station).0;
    // 50 + 272 = 322; time-out at 544; slots start at 372 + 20 · k: the next one at 552. CTS 834 … 1082, data from
    // 1092.
    assert_eq!(bench.ends(), [(322, id), (824, id), (1_082, 0), (2_012, id), (2_270, 0)]);
}

/// After an errored CTS, the sender of the RTS waits for an EIFS, and the sender of the CTS for a DIFS. Neither is
/// bound by the NAV of their exchange.
///
/// Verifies: [80211-2020 §10.3.2.4, §10.3.2.3.7]
#[test]
fn after_an_errored_cts_the_sender_waits_eifs_and_its_partner_a_difs() {
    let (mut cell, station) = lucky(&[false, true, false, false, false, false]);
    cell.rules.rts_threshold = Some(Bytes::new(0));
    let mut bench = Bench::new(&cell);
    bench.send_up(station, 972);
    bench.run_until(at(5_000));
    let id = NodeId::station(station).0;
    // RTS until 322, CTS 332 … 580, EIFS until 944, RTS until 1216.
    assert_eq!(bench.ends()[..3], [(322, id), (580, 0), (1_216, id)]);
    let last = NodeId::station(cell.stations.len() - 1);
    let mut bench = Bench::new(&cell);
    bench.send_up(station, 972);
    bench.run_until(at(400));
    bench.send(NodeId::AP, last, 972);
    bench.run_until(at(5_000));
    // The access point's RTS 630 … 902.
    assert_eq!(bench.ends()[..3], [(322, id), (580, 0), (902, 0)]);
}
