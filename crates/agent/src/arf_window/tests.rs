use super::*;
use airfair_laws::arf_window::{Params, Reading, RoundTrip};

use crate::configuration::{self, POLLS};
use crate::law::Law;
use crate::recording::{Recording, replay};
use crate::sample::{Connection as Counted, DirectionCounters, LinkCounters, Sent};

const PERIOD_MS: u64 = 100;

fn ends() -> Ends {
    [([10, 0, 0, 2], 4_000).into(), ([10, 1, 0, 1], 80).into()]
}

/// Counters of a link that has carried `packets` packets of 1500 octets down, and half as many ACKs
/// up.
fn link(name: &str, packets: u64, mbps: u64) -> LinkCounters {
    let way = |packets: u64, octets: u64| DirectionCounters {
        bytes: packets * octets,
        packets,
        retries: Some(0),
        rate_bps: Some(mbps * 1_000_000),
        ..DirectionCounters::default()
    };
    LinkCounters { name: name.into(), up: way(packets / 2, 52), down: way(packets, 1_500) }
}

/// Sample of a download with a minimum round trip of 20 ms, after `periods` periods of `each`
/// packets.
fn sample(periods: u64, mbps: u64, each: u64) -> Sample {
    let packets = u32::try_from(each * periods).unwrap();
    let both = Sent { largest: 1_448, ..Sent::default() };
    let up = Sent { answers: packets / 2, ..both.clone() };
    let down = Sent { octets: u64::from(packets) * 1_448, packets, ..both };
    let own = Some(LocalEnd { least_us: 20_000, receiver_us: 35_000, header: 32, sender_us: 0 });
    let connection = Counted { station: String::new(), ends: ends(), up, down, own };
    Sample {
        at_ns: periods * PERIOD_MS * 1_000_000,
        links: vec![link("it", each * periods, mbps)],
        connections: vec![connection],
        ..Sample::default()
    }
}

/// Windows after the rate changes from `before` to `after` [Mb/s]. A slow link carries 30 packets
/// per period, a fast one 100.
fn changed(
    station: &mut ArfWindow,
    [before, after]: [u64; 2],
    more: impl Fn(u64, &mut Sample),
) -> Vec<ConnectionLimit> {
    let mut found = Vec::new();
    for period in 0..12 {
        let each = if before < 54 { 30 } else { 100 };
        let mut sample = sample(period, if period < 6 { before } else { after }, each);
        more(period, &mut sample);
        match station.take(&sample).1 {
            Some(Decision::Windows(windows)) => found.extend(windows),
            other => assert_eq!(other, None),
        }
    }
    found
}

fn station() -> ArfWindow {
    ArfWindow::new(Settings::default(), POLLS)
}

fn down(octets: u32) -> Vec<ConnectionLimit> {
    vec![ConnectionLimit { ends: ends(), up: None, down: Some(octets) }]
}

fn alone(_: u64, _: &mut Sample) {}

/// After a change of the rate, a download alone has the window for the whole observation slot at
/// the new rate.
///
/// At 54 Mb/s a packet occupies the channel for DIFS 34, half of 15 slots 67.5, frame 248, SIFS 16
/// and ACK 28 µs: 393.5 µs, and a TCP ACK of 52 octets for 181.5 µs. 300 packets and 150 ACKs in a
/// slot of 300 ms take 145.275 ms, so 154.725 ms are free. At 6 Mb/s, with frame 2072 and ACK
/// 44 µs, a packet takes 2233.5 µs, and a TCP ACK, with 144, 305.5 µs; two packets and one ACK take
/// 4772.5 µs. 300 ms hold 62.860 of these: 2896 octets of each in 300 ms are 12 136 octets in
/// 20 ms. After a change from 6 to 54 Mb/s the connection also gets the whole slot, in which two
/// packets and an ACK take 968.5 µs: 59 803 octets.
///
/// Verifies: [arf-window eq. 5], [arf-window eq. 8], [arf-window eq. 11]
#[test]
fn a_change_of_the_rate_brings_a_window_for_the_whole_slot_to_a_download_alone() {
    assert_eq!(changed(&mut station(), [54, 6], alone), down(12_136));
    assert_eq!(changed(&mut station(), [6, 54], alone), down(59_803));
}

/// The airtime of another station is not available to this one. With a second station as busy, the
/// mean back-off is a third of 15 slots, each access takes 79 µs, and both stations use 135.15 of
/// 300 ms. Half of the remaining 29.7 ms make 150 ms: 31.881 times 4705 µs at 6 Mb/s, 6155 octets
/// in 20 ms.
///
/// Verifies: [arf-window eq. 1], [arf-window eq. 6], [arf-window eq. 13]
#[test]
fn airtime_of_other_stations_is_not_available() {
    let heard = |period, sample: &mut Sample| {
        sample.others = vec![
            link("other", 100 * period, 54),
            LinkCounters { name: "idle".into(), ..LinkCounters::default() },
        ];
    };
    assert_eq!(changed(&mut station(), [54, 6], heard), down(6_155));
}

/// A channel that is busier than this station's traffic counts as used by one other station. In
/// each 100 ms the driver reports 66.4 ms as busy, of which this station's frames are half. In an
/// observation slot of 300 ms the other half is 99.6 ms, and this station uses 135.15 ms with its
/// back-offs. It gets half of the remaining 65.25 ms as well, 167.775 ms in all: 6884 octets.
///
/// Verifies: [arf-window eq. 6]
#[test]
fn a_busy_channel_counts_as_one_station_more() {
    let busy = |period, sample: &mut Sample| sample.busy_ns = Some(66_400_000 * period);
    assert_eq!(changed(&mut station(), [54, 6], busy), down(6_884));
}

/// A rate that a single sample has is no change of the rate, which must hold for three of five
/// samples.
///
/// Verifies: [arf-window §III-B]
#[test]
fn a_probe_is_no_change() {
    let probe = |period, sample: &mut Sample| {
        let rate = Some(if period == 8 { 6_000_000 } else { 54_000_000 });
        (sample.links[0].up.rate_bps, sample.links[0].down.rate_bps) = (rate, rate);
    };
    assert_eq!(changed(&mut station(), [54, 54], probe), []);
}

#[test]
fn short_connections_have_no_window() {
    let few = |_, sample: &mut Sample| sample.connections[0].down.octets /= 20;
    assert_eq!(changed(&mut station(), [54, 6], few), []);
}

/// After a fall of the rate, the printed equation leaves a connection only the minimum window. In a
/// slot of 300 ms the connection occupies 145.275 ms, and 154.725 ms are idle. The printed equation
/// subtracts 533 ms from the sum: the time by which the same data, 450 000 · 8 bits, takes longer
/// at 6 than at 54 Mb/s.
///
/// Verifies: [arf-window eq. 12], [arf-window eq. 13]
#[test]
fn the_printed_law_takes_more_than_there_is() {
    let params =
        Params { fall: Reading::Printed, round_trip: RoundTrip::Smoothed, ..Params::default() };
    let mut printed = ArfWindow::new(Settings { params, ..Settings::default() }, POLLS);
    assert_eq!(changed(&mut printed, [54, 6], alone), down(2_896));
}

#[test]
fn a_source_that_fails_lifts_all_windows_and_forgets_the_rate() {
    let mut station = station();
    changed(&mut station, [54, 6], alone);
    assert_eq!(station.take(&Sample::default()).1, Some(Decision::Lift));
    assert_eq!(station.take(&Sample::default()).1, None);
    assert_eq!(station.take(&sample(20, 54, 100)).1, None);
}

#[test]
fn a_recording_has_the_same_windows_again() {
    let written = configuration::parse("scheme = \"arf-window\"").unwrap();
    let mut law = Law::new(&written.checked().unwrap());
    let mut recording = Vec::new();
    let mut into = Recording::begin(&mut recording, &written).unwrap();
    for period in 0..12 {
        let sample = sample(period, if period < 6 { 54 } else { 6 }, 100);
        let decision = law.take(&sample).1;
        into.add(&sample, decision.as_ref(), &law).unwrap();
    }
    let replayed = replay(&recording[..]).unwrap();
    assert_eq!((replayed.decisions.len(), replayed.differences.len()), (1, 0));
}
