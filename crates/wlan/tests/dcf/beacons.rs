//! Beacons; every time is calculated by hand.
//!
//! 802.11b at 11 Mb/s, long preamble: 972 + 28 octets last 192 + ⌈8000/11⌉ = 920 µs, ACK at 2 Mb/s 248 µs; a beacon
//! of 76 octets at 1 Mb/s 192 + 608 = 800 µs. SIFS 10, slot 20, PIFS 30, DIFS 50, EIFS 364 µs; a response times out
//! 222 µs after the frame. In the comments `50 … 970` is a frame from 50 to 970 µs.

use airfair_units::{Bytes, Dbm, Decibels, Duration, Frequency, Length, Probability};
use airfair_wlan::phy::{Preamble, Standard, TxVector};
use airfair_wlan::radio::{
    Fading, Layout, Mobility, PathLoss, Position, Propagation, Radio, StationStreams,
};
use airfair_wlan::{
    AccessParameters, AfterCollision, AirUse, Attempts, Audibility, Beacon, CellConfig, Discipline,
    Eifs, Elements, ErrorModel, FrameKind, Listen, NodeId, Overheard, Record, SentFrame,
    TimeRegulation,
};
use rand_core::Rng;

use crate::bench::{Bench, MBPS, at, config, stream, without_backoff};

const SIZE: u64 = 972;
const BEACON: u64 = 800;

/// Beacon elements with a vendor-specific element.
fn elements() -> Elements {
    let mut elements = Elements::default();
    elements.put(221, &[1, 2, 3]).expect("room");
    elements
}

/// Configuration of a cell with `N` stations at 11 Mb/s without back-off.
fn cell<const N: usize>() -> CellConfig {
    without_backoff(config(Standard::B, &[MBPS(11); N]))
}

/// Two cells with this configuration: audibility is constant in one and may change in the other, so that contenders are
/// grouped differently.
fn both_ways(config: &CellConfig) -> [Bench; 2] {
    [Bench::new(config), Bench::with_relation(config)]
}

fn beacon_at(bench: &mut Bench, us: u64) {
    bench.run_until(at(us));
    bench.cell.send_beacon(bench.now, Beacon { psdu: Bytes::new(76), elements: elements() });
}

fn send_up_at(bench: &mut Bench, us: u64, station: usize) {
    bench.run_until(at(us));
    bench.send_up(station, SIZE);
}

fn beacons(bench: &Bench) -> Vec<(u64, bool)> {
    let sent = bench.sent().into_iter().filter(|sent| sent.frame == SentFrame::Beacon);
    sent.map(|sent| (sent.end.as_nanos() / 1000, sent.collided)).collect()
}

/// A beacon is sent a PIFS after the frame on the air and its ACK, before all members that wait for their DIFS.
///
/// Verifies: [80211-2020 §10.3.2.3.4, §11.1.3.2]
#[test]
fn a_pifs_after_a_frame_before_all_who_wait() {
    for mut bench in both_ways(&cell::<2>()) {
        bench.send_up(0, SIZE);
        send_up_at(&mut bench, 500, 1);
        beacon_at(&mut bench, 500);
        bench.run_until(at(20_000));
        // 50 … 970, ACK 980 … 1228; beacon 1258 … 2058; DIFS, 2108 … 3028, ACK 3286.
        let expected = [(970, 1), (1_228, 0), (1_258 + BEACON, 0), (3_028, 2), (3_286, 0)];
        assert_eq!(bench.ends(), expected);
    }
}

/// A beacon precedes a packet that comes to the access point while the beacon waits, under any queue discipline.
///
/// Verifies: [80211-2020 §10.3.2.3.4]
#[test]
fn before_data_that_comes_meanwhile() {
    let rule = TimeRegulation {
        bucket: Duration::from_millis(50),
        adjustment: Duration::from_millis(200),
        charges_backoff: true,
    };
    for discipline in [Discipline::Fifo, Discipline::TimeRegulator(rule)] {
        let mut cell = cell::<1>();
        cell.ap_queue.discipline = discipline;
        for mut bench in both_ways(&cell) {
            bench.send_up(0, SIZE);
            beacon_at(&mut bench, 500);
            bench.run_until(at(1_240));
            bench.send(NodeId::AP, NodeId(1), SIZE);
            bench.run_until(at(20_000));
            // ACK until 1228, PIFS, beacon until 2058, DIFS.
            let beacon = 1_258 + BEACON;
            assert_eq!(bench.ends()[2..4], [(beacon, 0), (beacon + 50 + 920, 0)]);
        }
    }
}

/// A beacon is sent at once if the medium has been idle for a PIFS, or else as soon as it has been.
///
/// Verifies: [80211-2020 §10.3.2.3.4]
#[test]
fn at_once_where_the_medium_has_been_idle_for_a_pifs() {
    for (us, start) in [(0, 30), (29, 30), (30, 30), (31, 31), (1_000, 1_000)] {
        for mut bench in both_ways(&cell::<1>()) {
            beacon_at(&mut bench, us);
            bench.run_until(at(20_000));
            bench.cell.flush(bench.now);
            bench.poke();
            assert_eq!(bench.ends(), [(start + BEACON, 0)]);
            let end = start + BEACON;
            let mut air = vec![
                (0, us, AirUse::Idle),
                (us, start, AirUse::Contention),
                (start, end, AirUse::Beacon),
                (end, 20_000, AirUse::Idle),
            ];
            air.retain(|(from, to, _)| from < to);
            let records = bench.records.iter().filter_map(|(_, record)| match *record {
                Record::Air { from, to, usage } => {
                    Some((from.as_nanos() / 1000, to.as_nanos() / 1000, usage))
                }
                _ => None,
            });
            assert_eq!(records.collect::<Vec<_>>(), air);
        }
    }
}

/// A beacon waits for the end of the access point's own exchange: the ACK and a PIFS, or the ACK time-out.
///
/// Verifies: [80211-2020 §10.3.2.3.4]
#[test]
fn behind_an_exchange_of_ones_own_with_its_time_out() {
    let mut cell = cell::<1>();
    let run = |cell: &CellConfig| {
        both_ways(cell).map(|mut bench| {
            bench.send(NodeId::AP, NodeId(1), SIZE);
            beacon_at(&mut bench, 100);
            bench.run_until(at(20_000));
            bench.ends()
        })
    };
    // 50 … 970, ACK 980 … 1228, PIFS.
    let expected = [(970, 0), (1_228, 1), (1_258 + BEACON, 0)];
    assert!(run(&cell).iter().all(|ends| *ends == expected));
    // No ACK: the time-out is at 970 + 222 = 1192, and the beacon follows at once; the data again a DIFS after it.
    cell.stations[0].senses_only = vec![NodeId::AP];
    let beacon = 1_192 + BEACON;
    let expected = [(970, 0), (beacon, 0), (beacon + 50 + 920, 0)];
    assert!(run(&cell).iter().all(|ends| ends[..3] == expected));
}

/// A beacon waits for the end of the access point's own TXOP, and a PIFS.
///
/// Verifies: [80211-2020 §10.23.2.8]
#[test]
fn behind_a_txop() {
    let mut cell = cell::<1>();
    // Three exchanges of 1178 µs and two SIFS: 50 … 3604.
    cell.ap_access.txop_limit = Duration::from_micros(3_554);
    for mut bench in both_ways(&cell) {
        (0..4).for_each(|_| _ = bench.send(NodeId::AP, NodeId(1), SIZE));
        beacon_at(&mut bench, 100);
        bench.run_until(at(20_000));
        assert_eq!(beacons(&bench), [(3_634 + BEACON, false)]);
        assert_eq!(bench.ends()[5..8], [(3_604, 1), (4_434, 0), (4_434 + 50 + 920, 0)]);
    }
}

/// A data frame of the access point that is due at the same instant as its beacon gives way and draws a back-off.
///
/// Verifies: [80211-2020 §10.3.2.3.4]
#[test]
fn data_that_is_due_at_the_same_instant_gives_way() {
    let backoff = u64::from(stream(0).next_u32()) >> 27;
    assert_ne!(backoff, 0, "the seed of this test draws a back-off");
    // With AIFSN 2 both are due at 1000, with AIFSN 1 at 30.
    for (aifsn, us, start) in [(2, 1_000, 1_000), (1, 0, 30)] {
        let mut cell = config(Standard::B, &[MBPS(11)]);
        cell.ap_access.aifsn = aifsn;
        for mut bench in both_ways(&cell) {
            bench.cell.listen(NodeId::AP, Listen::Own);
            bench.run_until(at(us));
            bench.send(NodeId::AP, NodeId(1), SIZE);
            beacon_at(&mut bench, us);
            bench.run_until(at(20_000));
            let data = start + BEACON + 10 + 20 * (u64::from(aifsn) + backoff) + 920;
            let expected = [(start + BEACON, 0), (data, 0), (data + 258, 1)];
            assert_eq!(bench.ends(), expected);
            assert!(bench.sent().iter().all(|sent| !sent.collided && !sent.retry));
            let backoffs: Vec<_> = bench.heard().iter().map(|heard| heard.backoff).collect();
            assert_eq!(backoffs, [None, Some(Duration::from_micros(20 * backoff)), None]);
        }
    }
}

#[test]
fn data_that_gives_way_counts_both_back_offs() {
    let mut draws = stream(0);
    let [first, second] = [0, 1].map(|_| u64::from(draws.next_u32()) >> 27);
    assert!(first > 0 && second > 0, "the seed of this test draws back-offs");
    for mut bench in both_ways(&config(Standard::B, &[MBPS(11)])) {
        bench.cell.listen(NodeId::AP, Listen::Own);
        bench.send(NodeId::AP, NodeId(1), SIZE);
        bench.send(NodeId::AP, NodeId(1), SIZE);
        // ACK until 1228, DIFS, and the back-off ends when the beacon is due.
        let due = 1_278 + 20 * first;
        beacon_at(&mut bench, due);
        bench.run_until(at(20_000));
        let again = due + BEACON + 50 + 20 * second;
        assert_eq!(bench.ends()[2..4], [(due + BEACON, 0), (again + 920, 0)]);
        let backoffs: Vec<_> = bench.heard().iter().filter_map(|heard| heard.backoff).collect();
        assert_eq!(backoffs, [Duration::ZERO, Duration::from_micros(20 * (first + second))]);
    }
}

/// A beacon collides with the frame of a station that starts at the same instant, and is not sent again.
///
/// Verifies: [80211-2020 §10.3.2.3.4]
#[test]
fn whoever_starts_at_the_same_instant_collides_with_it() {
    // An EIFS kept as a NAV does not hold the access point back either: it has heard nothing.
    let cells = [Eifs::Standard, Eifs::Nav].map(|eifs| {
        let mut cell = cell::<2>();
        cell.rules.eifs = eifs;
        cell
    });
    for mut bench in cells.iter().flat_map(both_ways) {
        (0..3).for_each(|member| bench.cell.listen(NodeId(member), Listen::All));
        send_up_at(&mut bench, 1_000, 0);
        beacon_at(&mut bench, 1_000);
        // The access point's own data waits for the frame that its beacon has collided with, and a DIFS.
        bench.run_until(at(1_500));
        bench.send(NodeId::AP, NodeId(2), SIZE);
        bench.run_until(at(1_930));
        let heard: Vec<_> = bench.heard().iter().map(|it| (it.kind(), it.listener.0)).collect();
        assert_eq!(heard, [(FrameKind::Beacon, 0), (FrameKind::Data, 1)]);
        bench.run_until(at(20_000));
        // Data 1000 … 1920, time-out at 2142; 1970 … 2890, ACK until 3148; then at 3198.
        assert_eq!(bench.ends()[..4], [(1_800, 0), (1_920, 1), (2_890, 0), (3_148, 2)]);
        let collided: Vec<bool> = bench.sent().iter().map(|sent| sent.collided).collect();
        assert_eq!(collided, [true, true, false, false, false, false]);
        let collisions = bench.records.iter().filter(|(_, record)| *record == Record::Collision);
        assert_eq!(collisions.count(), 1);
        assert_eq!(beacons(&bench).len(), 1);
    }
}

/// After a frame that was not decoded, a beacon waits for an EIFS minus the slots between PIFS and AIFS.
///
/// Verifies: [80211-2020 §10.3.2.3.7]
#[test]
fn an_eifs_less_the_slots_between_pifs_and_aifs() {
    let waits = [
        (AfterCollision::Standard, Eifs::Standard, 344),
        (AfterCollision::Difs, Eifs::Standard, 30),
        (AfterCollision::Eifs, Eifs::Standard, 344),
        // A NAV of 364 µs, and a PIFS.
        (AfterCollision::Standard, Eifs::Nav, 394),
        (AfterCollision::Standard, Eifs::None, 30),
        (AfterCollision::Eifs, Eifs::Ns3, 344),
    ];
    for (after_collision, eifs, gap) in waits {
        for aifsn in [1, 2, 5] {
            let mut cell = cell::<2>();
            cell.ap_access.aifsn = aifsn;
            (cell.rules.after_collision, cell.rules.eifs) = (after_collision, eifs);
            cell.rules.attempts = Attempts::Max(1);
            for mut bench in both_ways(&cell) {
                bench.send_up(0, SIZE);
                bench.send_up(1, SIZE);
                beacon_at(&mut bench, 500);
                bench.run_until(at(20_000));
                // Both 50 … 970.
                assert_eq!(beacons(&bench), [(970 + gap + BEACON, false)], "{after_collision:?}");
            }
        }
    }
}

/// A beacon waits for a PIFS after the end of the access point's NAV, even if the medium is idle before.
///
/// Verifies: [80211-2020 §10.3.2.4]
#[test]
fn a_pifs_after_the_nav() {
    let mut cell = without_backoff(config(Standard::G, &[MBPS(54), MBPS(11)]));
    cell.stations[1].standard = Standard::B;
    cell.rules.basic_rates = Standard::G.default_basic_rates(true);
    let mut bench = Bench::with_relation(&cell);
    bench.send_up(0, SIZE);
    // CTS to itself at 11 Mb/s 50 … 253. Then the access point senses nothing of the data, 263 … 441. ACK 451 … 485.
    bench.run_until(at(255));
    bench.cell.set_audibility(NodeId::AP, NodeId(1), Audibility::Nothing);
    beacon_at(&mut bench, 300);
    bench.run_until(at(1_400));
    assert_eq!(bench.ends()[2], (485 + 30 + BEACON, 0));
}

/// A beacon is heard by all members that listen, its sender included, with elements, rate and times, and is not
/// answered.
///
/// Verifies: [80211-2020 §9.3.3, §10.3.2.3.4]
#[test]
fn everybody_hears_it_and_nobody_answers() {
    for mut bench in both_ways(&cell::<2>()) {
        bench.cell.listen(NodeId::AP, Listen::Own);
        bench.cell.listen(NodeId(1), Listen::All);
        bench.cell.listen(NodeId(2), Listen::Own);
        beacon_at(&mut bench, 1_000);
        bench.run_until(at(20_000));
        assert_eq!(bench.sent().len(), 1);
        let mut listeners: Vec<u16> = bench.heard().iter().map(|heard| heard.listener.0).collect();
        listeners.sort_unstable();
        assert_eq!(listeners, [0, 1, 2]);
        for heard in bench.heard() {
            assert_eq!((heard.kind(), heard.from()), (FrameKind::Beacon, Some(NodeId::AP)));
            assert_eq!((heard.to(), heard.packets().next(), heard.backoff), (None, None, None));
            assert_eq!((*heard.elements(), heard.psdu()), (elements(), Bytes::new(76)));
            assert_eq!((heard.tx().rate(), heard.duration_field()), (MBPS(1), Duration::ZERO));
            assert_eq!((heard.end(), heard.duration()), (at(1_800), Duration::from_micros(BEACON)));
        }
        assert!(!bench.records.iter().any(|(_, it)| matches!(it, Record::Dropped { .. })));
    }
}

/// A beacon that is errored for one station reaches the others. The station for which it is errored waits for an EIFS
/// and hears no beacon.
///
/// Verifies: [80211-2020 §10.3.2.3.7]
#[test]
fn noise_on_one_link_leaves_it_to_the_others() {
    let gaps = [(Eifs::Standard, 364), (Eifs::Nav, 364 + 50), (Eifs::None, 50), (Eifs::Ns3, 364)];
    for (eifs, gap) in gaps {
        let mut cell = cell::<2>();
        cell.stations[0].errors = ErrorModel::Bernoulli(Probability::ONE);
        cell.rules.eifs = eifs;
        for (station, gap) in [(0, gap), (1, 50)] {
            for mut bench in both_ways(&cell) {
                (1..3).for_each(|member| bench.cell.listen(NodeId(member), Listen::Own));
                beacon_at(&mut bench, 1_000);
                send_up_at(&mut bench, 1_500, station);
                bench.run_until(at(1_801));
                assert_eq!(bench.heard().iter().map(|it| it.listener.0).collect::<Vec<_>>(), [2]);
                bench.run_until(at(20_000));
                assert_eq!(bench.ends()[1].0, 1_800 + gap + 920);
                assert!(
                    !bench.records.contains(&(at(1_800), Record::Errored { node: NodeId::AP }))
                );
            }
        }
    }
}

#[test]
fn a_b_station_does_not_decode_an_ofdm_beacon() {
    let mut cell = without_backoff(config(Standard::G, &[MBPS(54), MBPS(11)]));
    cell.stations[1].standard = Standard::B;
    cell.rules.basic_rates = vec![MBPS(6)];
    for mut bench in both_ways(&cell) {
        (1..3).for_each(|member| bench.cell.listen(NodeId(member), Listen::All));
        beacon_at(&mut bench, 1_000);
        send_up_at(&mut bench, 1_100, 1);
        bench.run_until(at(20_000));
        assert_eq!(bench.heard()[0].listener, NodeId(1));
        assert_ne!(bench.heard().get(1).map(Overheard::kind), Some(FrameKind::Beacon));
        // 20 + ⌈(16 + 608 + 6) / 24⌉ · 4 + 6 = 134 µs; the 802.11b station waits for an EIFS, its data lasts 920 µs.
        assert_eq!(bench.ends()[..2], [(1_134, 0), (1_134 + 364 + 920, 2)]);
    }
}

/// A beacon that still waits is replaced by the next one.
///
/// Verifies: [80211-2020 §11.1.3.2]
#[test]
fn one_that_still_waits_is_replaced() {
    for mut bench in both_ways(&cell::<1>()) {
        bench.send_up(0, SIZE);
        beacon_at(&mut bench, 100);
        bench.run_until(at(200));
        bench
            .cell
            .send_beacon(bench.now, Beacon { psdu: Bytes::new(86), elements: Elements::default() });
        bench.run_until(at(20_000));
        // The new beacon is 80 µs longer.
        assert_eq!(beacons(&bench), [(1_258 + BEACON + 80, false)]);
    }
}

#[test]
fn one_that_collides_at_one_station_reaches_another() {
    // The access point and station 3 do not sense station 1; station 2 does.
    let mut bench = Bench::with_relation(&cell::<3>());
    (1..4).for_each(|member| bench.cell.listen(NodeId(member), Listen::Own));
    bench.cell.set_audibility(NodeId::AP, NodeId(1), Audibility::Nothing);
    bench.cell.set_audibility(NodeId(3), NodeId(1), Audibility::Nothing);
    send_up_at(&mut bench, 1_000, 0);
    beacon_at(&mut bench, 1_500);
    bench.run_until(at(2_310));
    assert_eq!(beacons(&bench), [(1_500 + BEACON, true)]);
    let known: Vec<_> = bench.heard().iter().map(|it| (it.kind(), it.listener.0)).collect();
    assert_eq!(known, [(FrameKind::Data, 1), (FrameKind::Beacon, 3)]);
}

/// The back-off that a listener learns is the number of slots counted while the packet waited, without those before
/// it came.
#[test]
fn a_sender_knows_the_back_off_that_it_has_counted() {
    let mut cell = config(Standard::B, &[MBPS(11)]);
    cell.stations[0].access = AccessParameters { cw_min: Some(31), ..AccessParameters::default() };
    let draws = {
        let mut stream = stream(1);
        [0, 1].map(|_| u64::from(stream.next_u32()) >> 27)
    };
    assert!(draws[0] > 3, "the seed of this test draws a long back-off");
    for mut bench in both_ways(&cell) {
        bench.cell.listen(NodeId(1), Listen::Own);
        bench.send_up(0, SIZE);
        // ACK until 1228; slots from 1278 on. Two and a half have passed: two are already counted.
        bench.run_until(at(1_278 + 50));
        bench.send_up(0, SIZE);
        bench.send_up(0, SIZE);
        bench.run_until(at(20_000));
        let heard = bench.heard();
        let own = heard.iter().filter(|heard| heard.kind() == FrameKind::Data);
        let backoffs: Vec<_> = own.map(|heard| heard.backoff).collect();
        let slots = |slots: u64| Some(Duration::from_micros(20 * slots));
        assert_eq!(backoffs, [slots(0), slots(draws[0] - 2), slots(draws[1])]);
        let mut others = heard.iter().filter(|heard| heard.kind() != FrameKind::Data);
        assert!(others.all(|heard| heard.backoff.is_none()));
    }
}

/// A beacon is heard by the stations that are near enough. Path loss exponent 3 from 46.768 dB at 1 m, 20 dBm: -82 dBm
/// is sensed up to 69.4 m, where noise takes nearly no beacon of 76 octets at 6 Mb/s.
#[test]
fn in_a_space_whoever_is_near_enough_hears_it() {
    let path_loss = PathLoss::log_distance(Frequency::from_megahertz(5_200), 3.0);
    let fixed = |x| Mobility::Fixed(Position::new(Length::from_metres(x), Length::from_metres(0)));
    let layout = Layout {
        radio: Radio::new(Standard::A, path_loss),
        between: path_loss,
        transmit_power: Dbm::new(20),
        shadowing: Decibels::ZERO,
        fading: Fading::None,
        ways: vec![fixed(10), fixed(60), fixed(71)],
        vectors: [MBPS(6), MBPS(54)]
            .map(|it| TxVector::of(it, Preamble::Long).expect("a rate"))
            .to_vec(),
        origin: Position::default(),
        walls: Decibels::ZERO,
        seed: 0,
    };
    let streams = |i| StationStreams { way: stream(i), link: stream(i), errors: stream(i) };
    let propagation = Propagation::new(&layout, (0..3).map(streams).collect());
    let cell = config(Standard::A, &[MBPS(54); 3]);
    let mut bench = Bench::with_propagation(propagation, &cell);
    (1..4).for_each(|member| bench.cell.listen(NodeId(member), Listen::Own));
    beacon_at(&mut bench, 1_000);
    bench.run_until(at(2_000));
    let heard: Vec<u16> = bench.heard().iter().map(|heard| heard.listener.0).collect();
    assert_eq!(heard, [1, 2]);
    // 20 + ⌈(16 + 608 + 6) / 24⌉ · 4 = 128 µs.
    assert_eq!(beacons(&bench), [(1_128, false)]);
}
