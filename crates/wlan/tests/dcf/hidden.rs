//! Stations that do not sense each other; every time is calculated by hand.

use airfair_laws::Direction;
use airfair_units::{Bytes, Time};
use airfair_wlan::phy::Standard;
use airfair_wlan::{
    AfterCollision, AirUse, Attempts, Audibility, CellConfig, Eifs, NodeId, Record, SentFrame,
};

use crate::bench::{Bench, MBPS, Sent, at, config, without_backoff};

/// Duration of a data frame [µs], 192 + 8·1028 / 11 = 940. ACK and CTS at 2 Mb/s last 192 + 56 = 248, and an RTS 192 +
/// 80 = 272.
const DATA: u64 = 940;
const ACK: u64 = 248;
const RTS: u64 = 272;
const SIFS: u64 = 10;
const DIFS: u64 = 50;
const EIFS: u64 = 364;

/// Configuration of a cell with stations at 11 Mb/s that all hear the access point; the first two do not sense each
/// other.
fn hidden(stations: usize) -> CellConfig {
    let mut cell = config(Standard::B, &vec![MBPS(11); stations]);
    cell.stations[0].hidden_from = vec![NodeId(2)];
    cell.stations[1].hidden_from = vec![NodeId(1)];
    cell
}

/// Test bench of a cell with one attempt for each frame, and no back-off.
fn once(cell: CellConfig) -> Bench {
    Bench::new(&one_attempt(cell))
}

fn one_attempt(cell: CellConfig) -> CellConfig {
    let mut cell = without_backoff(cell);
    cell.rules.attempts = Attempts::Max(1);
    cell
}

/// Queues a packet at a station `us` microseconds after the start.
fn send_at(bench: &mut Bench, us: u64, station: usize) {
    bench.run_until(at(us));
    bench.send_up(station, 1000);
}

/// A station that does not sense the frame on the air transmits, and both frames are lost at the access point.
///
/// Verifies: [80211-2020 §10.3.2.3.7, §10.3.4.2]
#[test]
fn a_frame_that_starts_in_the_middle_of_a_hidden_one_collides_with_it_at_the_access_point() {
    let mut bench = once(hidden(3));
    send_at(&mut bench, 1000, 0);
    // Station 2 finds the medium idle, station 3 busy.
    send_at(&mut bench, 1500, 1);
    send_at(&mut bench, 1600, 2);
    bench.run_until(at(20_000));
    // Station 3 has sensed both frames and decoded neither.
    let third = 1500 + DATA + EIFS + DATA;
    let expected = [(1000 + DATA, 1), (1500 + DATA, 2), (third, 3), (third + SIFS + ACK, 0)];
    assert_eq!(bench.ends(), expected);
    let collided: Vec<bool> = bench.sent().iter().map(|sent| sent.collided).collect();
    assert_eq!(collided, [true, true, false, false]);
    let collisions = bench.records.iter().filter(|(_, record)| *record == Record::Collision);
    assert_eq!(collisions.count(), 1);
    let alone = AirUse::Data { station: NodeId(1), direction: Direction::Up };
    for (from, to, usage) in [(1000, 1500, alone), (1940, 2440, AirUse::Collision)] {
        let air = Record::Air { from: at(from), to: at(to), usage };
        assert!(bench.records.iter().any(|(_, record)| *record == air), "{air:?}");
    }
}

/// A station between two hidden ones waits for an EIFS after both of their frames; under ns-3's rule the EIFS begins at
/// the end of the first frame, to which the station was synchronised, and a DIFS follows the second.
///
/// Verifies: [80211-2020 §10.3.2.3.7] [ns-3]
#[test]
fn the_eifs_of_a_station_in_the_middle_begins_at_the_end_of_the_first_or_the_last_frame() {
    // The second frame starts and ends 100 or 400 µs after the first, which ends at 1940.
    let rules = [
        (Eifs::Standard, AfterCollision::Standard, [2040 + EIFS, 2340 + EIFS]),
        (Eifs::Ns3, AfterCollision::Standard, [1940 + EIFS, 2340 + DIFS]),
        (Eifs::Ns3, AfterCollision::Difs, [2040 + DIFS, 2340 + DIFS]),
        (Eifs::Ns3, AfterCollision::Eifs, [2040 + EIFS, 2340 + EIFS]),
        (Eifs::None, AfterCollision::Standard, [2040 + DIFS, 2340 + DIFS]),
        (Eifs::None, AfterCollision::Eifs, [2040 + DIFS, 2340 + DIFS]),
    ];
    for (eifs, after_collision, starts) in rules {
        for (later, start) in [100, 400].into_iter().zip(starts) {
            let mut cell = hidden(3);
            (cell.rules.eifs, cell.rules.after_collision) = (eifs, after_collision);
            let mut bench = once(cell);
            send_at(&mut bench, 1000, 0);
            send_at(&mut bench, 1000 + later, 1);
            send_at(&mut bench, 1600, 2);
            bench.run_until(at(20_000));
            assert_eq!(bench.ends()[2], (start + DATA, 3), "{eifs:?} {after_collision:?}");
        }
    }
}

/// A station that does not hear the data frame defers, because the CTS of the access point has set its NAV.
///
/// Verifies: [80211-2020 §10.3.2.4]
#[test]
fn the_cts_tells_those_who_do_not_hear_the_data() {
    let mut cell = hidden(2);
    cell.rules.rts_threshold = Some(Bytes::ZERO);
    let mut bench = once(cell);
    send_at(&mut bench, 1000, 0);
    let data = 1000 + RTS + SIFS + ACK + SIFS;
    // Nothing that station 2 senses is on the air at this time.
    send_at(&mut bench, data + 100, 1);
    bench.run_until(at(4000));
    let end = data + DATA + SIFS + ACK;
    let ends = [(1000 + RTS, 1), (data - SIFS, 0), (data + DATA, 1), (end, 0)];
    assert_eq!(bench.ends()[..4], ends);
    assert_eq!(bench.ends()[4], (end + DIFS + RTS, 2));
    assert!(bench.sent().iter().all(|sent| !sent.collided));
}

/// A hidden station that starts in the SIFS before a CTS does not prevent the CTS, misses it, and collides with the
/// data.
///
/// Verifies: [80211-2020 §10.3.2.3.3, §10.3.2.9]
#[test]
fn whoever_starts_in_the_sifs_before_a_cts_does_not_hold_it_back_and_misses_it() {
    let mut cell = hidden(2);
    cell.rules.rts_threshold = Some(Bytes::ZERO);
    let mut bench = Bench::new(&without_backoff(cell));
    send_at(&mut bench, 1000, 0);
    send_at(&mut bench, 1000 + RTS + 5, 1);
    let data = 1000 + RTS + SIFS + ACK + SIFS;
    bench.run_until(at(data + DATA + 1));
    // Station 2 transmits while the CTS comes, so it learns nothing of station 1's data. Its own RTS, 1277 … 1549,
    // reaches an access point that transmits. Time-out after 222 µs; slots start at 1549 + 50 + 20 · k: again from
    // 1779.
    let facts = |sent: &Sent| (sent.end.as_nanos() / 1000, sent.node.0, sent.collided);
    let expected = [
        (1000 + RTS, 1, false),
        (data - SIFS, 0, false),
        (1277 + RTS, 2, true),
        (1779 + RTS, 2, true),
        (data + DATA, 1, true),
    ];
    assert_eq!(bench.sent().iter().map(facts).collect::<Vec<_>>(), expected);
}

/// A sender whose frames its receiver does not sense waits for the ACK time-out, and sends the frame again.
///
/// Verifies: [80211-2020 §10.3.2.11]
#[test]
fn a_sender_that_its_receiver_does_not_sense_waits_for_its_time_out() {
    let mut cell = hidden(2);
    cell.stations[0].hidden_from = vec![NodeId::AP, NodeId(2)];
    let mut bench = Bench::new(&without_backoff(cell));
    send_at(&mut bench, 1000, 0);
    bench.run_until(at(4000));
    // Time-out 222 µs after 1940; slots start at 1990 + 20 · k.
    assert_eq!(bench.ends()[..2], [(1940, 1), (2170 + DATA, 1)]);
    assert!(bench.sent().iter().all(|sent| !sent.collided));
}

/// An ACK that overlaps another frame at its receiver is lost, and the data frame is sent again after both.
///
/// Verifies: [80211-2020 §10.3.2.11]
#[test]
fn a_response_in_the_tail_of_another_frame_comes_in_vain() {
    // Stations 1 and 2 sense each other and start together, station 2 at 1 Mb/s and not sensed by the access point:
    // 192 + 8224 = 8416 µs. The access point decodes station 1's frame, and its ACK collides at station 1 with
    // station 2's frame.
    let mut cell = config(Standard::B, &[MBPS(11), MBPS(1)]);
    cell.stations[1].hidden_from = vec![NodeId::AP];
    let mut bench = Bench::new(&without_backoff(cell));
    send_at(&mut bench, 1000, 0);
    bench.send_up(1, 1000);
    bench.run_until(at(10_700));
    let again = 1000 + 8416 + DIFS + DATA;
    let expected =
        [(1940, 1), (1940 + SIFS + ACK, 0), (9416, 2), (again, 1), (again + SIFS + ACK, 0)];
    assert_eq!(bench.ends(), expected);
    let collided: Vec<bool> = bench.sent().iter().map(|sent| sent.collided).collect();
    assert_eq!(collided, [false, true, false, false, false]);
    assert_eq!(bench.delivered.len(), 1);
}

#[test]
fn a_relation_that_changes_holds_for_the_frames_that_start_then() {
    let mut bench = Bench::with_relation(&one_attempt(hidden(2)));
    let [one, two] = [NodeId(1), NodeId(2)];
    send_at(&mut bench, 1000, 0);
    bench.run_until(at(1200));
    bench.cell.set_audibility(one, two, Audibility::Decodes);
    bench.cell.set_audibility(two, one, Audibility::Decodes);
    // The frame on the air is still one that station 2 does not sense.
    send_at(&mut bench, 1500, 1);
    send_at(&mut bench, 5000, 0);
    send_at(&mut bench, 5500, 1);
    bench.run_until(at(9000));
    let ack = 5000 + DATA + SIFS + ACK;
    let expected = [(1000 + DATA, 1), (1500 + DATA, 2), (5000 + DATA, 1), (ack, 0)];
    assert_eq!(bench.ends()[..4], expected);
    assert_eq!(bench.ends()[4], (ack + DIFS + DATA, 2));
}

#[test]
#[should_panic(expected = "who senses whom was given for good")]
fn a_cell_whose_relation_is_given_for_good_refuses_another() {
    let mut bench = Bench::new(&config(Standard::B, &[MBPS(11); 2]));
    bench.cell.set_audibility(NodeId(1), NodeId(2), Audibility::Nothing);
}

/// Data frames lost and data frames sent by two saturated stations within five seconds, and number of packets that
/// arrive.
fn saturated(rts: bool) -> (usize, usize, usize) {
    let mut cell = hidden(2);
    cell.stations.iter_mut().for_each(|station| station.rate_up = MBPS(2).into());
    cell.rules.rts_threshold = rts.then_some(Bytes::ZERO);
    let mut bench = Bench::new(&cell);
    let mut departed = 0;
    for station in [0, 0, 1, 1] {
        bench.send_up(station, 1000);
    }
    let end = Time::from_nanos(5_000_000_000);
    while bench.cell.next_event().at() < end {
        bench.run_until(bench.cell.next_event().at() + airfair_units::Duration::from_nanos(1));
        while departed < bench.departed.len() {
            let from = bench.departed[departed].msdu.from;
            departed += 1;
            bench.send(from, NodeId::AP, 1000);
        }
    }
    let data = bench.sent().into_iter().filter(|sent| sent.frame == SentFrame::Data);
    let collided: Vec<bool> = data.map(|sent| sent.collided).collect();
    let lost = collided.iter().filter(|collided| **collided).count();
    (lost, collided.len(), bench.delivered.len())
}

/// RTS/CTS reduces the losses of stations that are hidden from each other. A data frame at 2 Mb/s lasts 192 + 4112
/// µs, 215 slots. It is lost if the other station starts within 215 slots before or after its start, so windows have
/// to grow beyond twice as many. An RTS lasts 14 slots.
#[test]
fn rts_and_cts_save_the_data_of_hidden_stations() {
    let (lost, sent, arrived) = saturated(false);
    let (lost_rts, sent_rts, arrived_rts) = saturated(true);
    assert!(3 * lost > sent, "{lost} of {sent} lost without RTS");
    assert!(20 * lost_rts < sent_rts, "{lost_rts} of {sent_rts} lost with RTS");
    assert!(arrived_rts > arrived, "{arrived_rts} arrive with RTS, {arrived} without");
}
