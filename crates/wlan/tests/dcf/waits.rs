//! Interframe spaces and back-off: times at which a member may transmit.

use airfair_units::{DataRate, Duration};
use airfair_wlan::phy::Standard;
use airfair_wlan::{AfterCollision, CellConfig, Eifs, NodeId};
use rand_core::Rng;

use crate::bench::{Bench, MBPS, at, config, stream, without_backoff};

/// Duration of a frame of 1000 octets at 11 Mb/s [µs]. The SIFS and the ACK after it last `SIFS_ACK`.
const DATA: u64 = 940;
const SIFS_ACK: u64 = 10 + 248;

fn b(rates: &[DataRate]) -> CellConfig {
    config(Standard::B, rates)
}

/// Slots that a member draws from its first windows of 31.
fn draws(member: usize) -> impl Iterator<Item = u64> {
    let mut stream = stream(member);
    std::iter::from_fn(move || Some(u64::from(stream.next_u32()) >> 27))
}

/// A packet that comes before the medium has been idle for a DIFS is sent when the DIFS is over.
///
/// Verifies: [80211-2020 §10.3.4.2]
#[test]
fn a_packet_that_comes_within_the_first_difs_waits_for_its_end_and_no_longer() {
    let mut bench = Bench::new(&b(&[MBPS(11)]));
    bench.run_until(at(20));
    bench.send_up(0, 1000);
    bench.run_until(at(5000));
    assert_eq!(bench.ends()[0], (50 + DATA, 1));
}

/// Verifies: [80211-2020 §10.3.4.2]
#[test]
fn a_packet_that_finds_the_medium_busy_draws_a_back_off() {
    let mut bench = Bench::new(&b(&[MBPS(11), MBPS(11)]));
    bench.run_until(at(1000));
    bench.send_up(0, 1000);
    bench.run_until(at(1500));
    bench.send_up(1, 1000);
    bench.run_until(at(20_000));
    let exchange = 1000 + DATA + SIFS_ACK;
    let backoff = draws(2).next().unwrap();
    assert_eq!(bench.ends()[2], (exchange + 50 + 20 * backoff + DATA, 2));
}

/// Verifies: [80211-2020 §10.3.4.3]
#[test]
fn a_success_is_followed_by_a_back_off_unless_switched_off() {
    for (post_backoff, slots) in [(true, draws(1).next().unwrap()), (false, 0)] {
        let mut cell = b(&[MBPS(11)]);
        cell.rules.post_backoff = post_backoff;
        let mut bench = Bench::new(&cell);
        bench.run_until(at(1000));
        bench.send_up(0, 1000);
        let idle = 1000 + DATA + SIFS_ACK;
        bench.run_until(at(idle + 10));
        bench.send_up(0, 1000);
        bench.run_until(at(20_000));
        assert_eq!(bench.ends()[2], (idle + 50 + 20 * slots + DATA, 1));
    }
}

/// Verifies: [80211-2020 §10.3.4.3]
#[test]
fn a_finished_post_back_off_leaves_immediate_access() {
    let mut bench = Bench::new(&b(&[MBPS(11)]));
    bench.send_up(0, 1000);
    // 50 + 940 + 258 = 1248; the back-off ends at most 31 slots and a DIFS later.
    bench.run_until(at(1248 + 50 + 31 * 20 + 7));
    let now = bench.now;
    bench.send_up(0, 1000);
    bench.run_until(at(20_000));
    assert_eq!(bench.sent()[2].end, now + Duration::from_micros(DATA));
}

/// Verifies: [80211-2020 §10.3.4.3]
#[test]
fn a_back_off_freezes_while_the_medium_is_busy_and_resumes_where_it_was() {
    // Both stations find the medium busy and draw a and b slots; the one with fewer transmits first, the other counts
    // the rest afterwards.
    let mut bench = Bench::new(&b(&[MBPS(11), MBPS(11), MBPS(11)]));
    bench.run_until(at(1000));
    bench.send_up(0, 1000);
    bench.run_until(at(1500));
    bench.send_up(1, 1000);
    bench.send_up(2, 1000);
    bench.run_until(at(30_000));
    let (two, three) = (draws(2).next().unwrap(), draws(3).next().unwrap());
    assert_ne!(two, three, "the seeds of this test draw different back-offs");
    let (first, second) = (two.min(three), two.max(three));
    let idle = 1000 + DATA + SIFS_ACK;
    let first_end = idle + 50 + 20 * first + DATA;
    let second_end = first_end + SIFS_ACK + 50 + 20 * (second - first) + DATA;
    let data: Vec<u64> =
        bench.ends().iter().filter(|(_, node)| *node != 0).map(|(end, _)| *end).collect();
    assert_eq!(data[1..], [first_end, second_end]);
}

/// Stations whose frames have collided wait for their ACK time-out, and draw a back-off from a doubled window.
///
/// Verifies: [80211-2020 §10.3.2.9, §10.3.3]
#[test]
fn those_in_a_collision_wait_for_their_ack_time_out_and_double_their_window() {
    let mut bench = Bench::new(&b(&[MBPS(11), MBPS(11)]));
    bench.send_up(0, 1000);
    bench.send_up(1, 1000);
    bench.run_until(at(20_000));
    let collision = 50 + DATA;
    assert!(bench.sent()[..2].iter().all(|sent| sent.collided && sent.end == at(collision)));
    // ACK time-out: SIFS 10 + slot 20 + 192 = 222 µs. Slots are counted from a DIFS after the frame, so
    // the first that starts after the time-out is at 50 + ⌈172/20⌉·20 = 230 µs. Window 63: upper 6 bits.
    let backoff = |member: usize| u64::from(stream(member).next_u32()) >> 26;
    let winner = backoff(1).min(backoff(2));
    assert_ne!(backoff(1), backoff(2), "the seeds of this test draw different back-offs");
    assert_eq!(bench.ends()[2].0, collision + 230 + 20 * winner + DATA);
}

/// Under Bianchi's assumption, stations whose frames have collided count their back-off from a DIFS after the
/// collision.
///
/// Verifies: [bianchi-2000 §4]
#[test]
fn under_bianchis_assumption_those_in_a_collision_are_back_a_difs_after_it() {
    let mut cell = b(&[MBPS(11), MBPS(1)]);
    cell.rules.after_collision = AfterCollision::Difs;
    let mut bench = Bench::new(&cell);
    bench.send_up(0, 1000);
    bench.send_up(1, 1000);
    bench.run_until(at(60_000));
    let collision = 50 + 8416;
    let backoff = |member: usize| u64::from(stream(member).next_u32()) >> 26;
    assert!(backoff(1) != backoff(2), "the seeds of this test draw different back-offs");
    let data = if backoff(1) < backoff(2) { DATA } else { 8416 };
    assert_eq!(bench.ends()[2].0, collision + 50 + 20 * backoff(1).min(backoff(2)) + data);
}

/// A packet that comes in the SIFS between another station's frame and its ACK draws a back-off, because the NAV is
/// set.
///
/// Verifies: [80211-2020 §10.3.2.4, §10.3.4.2]
#[test]
fn a_packet_that_comes_between_a_frame_and_its_ack_finds_the_medium_busy_by_its_nav() {
    let mut bench = Bench::new(&b(&[MBPS(11), MBPS(11)]));
    bench.run_until(at(1000));
    bench.send_up(0, 1000);
    bench.run_until(at(1000 + DATA + 5));
    bench.send_up(1, 1000);
    bench.run_until(at(20_000));
    let backoff = draws(2).next().unwrap();
    assert_ne!(backoff, 0, "the seed of this test draws a back-off");
    assert_eq!(bench.ends()[2], (1000 + DATA + SIFS_ACK + 50 + 20 * backoff + DATA, 2));
}

/// Time from a collision of two stations to the transmission of a third [µs], whose packet comes during the collision.
fn listener_after_a_collision(after_collision: AfterCollision, eifs: Eifs) -> u64 {
    let mut cell = without_backoff(b(&[MBPS(1), MBPS(1), MBPS(11)]));
    (cell.rules.after_collision, cell.rules.eifs) = (after_collision, eifs);
    // The colliding stations give up at once and have no other packets.
    cell.rules.attempts = airfair_wlan::Attempts::Max(1);
    let mut bench = Bench::new(&cell);
    bench.send_up(0, 1000);
    bench.send_up(1, 1000);
    bench.run_until(at(1000));
    bench.send_up(2, 1000);
    bench.run_until(at(50_000));
    let [first, second, third, ..] = bench.sent()[..] else { panic!("{:?}", bench.sent()) };
    assert!(first.collided && second.collided && third.node == NodeId(3));
    (third.end - first.end).as_nanos() / 1000 - DATA
}

/// A station that hears a collision waits for an EIFS after it, or for the space that the rules of a model demand.
///
/// Verifies: [80211-2020 §10.3.2.3.7]
#[test]
fn listeners_wait_eifs_after_a_collision_or_difs_where_a_model_wants_it() {
    // EIFS 10 + 304 + 50 = 364 µs, DIFS 50 µs; ns-2 puts its DIFS behind the EIFS.
    let wait = listener_after_a_collision;
    assert_eq!(wait(AfterCollision::Standard, Eifs::Standard), 364);
    assert_eq!(wait(AfterCollision::Eifs, Eifs::Standard), 364);
    assert_eq!(wait(AfterCollision::Difs, Eifs::Standard), 50);
    assert_eq!(wait(AfterCollision::Standard, Eifs::Nav), 414);
    assert_eq!(wait(AfterCollision::Eifs, Eifs::None), 50);
    // The preambles of frames that start together are not detected.
    assert_eq!(wait(AfterCollision::Standard, Eifs::Ns3), 50);
    assert_eq!(wait(AfterCollision::Eifs, Eifs::Ns3), 364);
}

/// A cell in which stations 0 and 1 sense, but do not decode, each other.
fn deaf_pair() -> CellConfig {
    let mut cell = without_backoff(b(&[MBPS(11), MBPS(11)]));
    cell.stations[0].senses_only = vec![NodeId(2)];
    cell.stations[1].senses_only = vec![NodeId(1)];
    cell
}

/// An EIFS ends with the next frame that the station decodes, but not if the rules keep it as a NAV.
///
/// Verifies: [80211-2020 §10.3.2.3.7]
#[test]
fn eifs_ends_with_the_next_frame_that_is_decoded() {
    let gaps =
        [(Eifs::Standard, 50), (Eifs::Nav, 364 - 258 + 50), (Eifs::None, 50), (Eifs::Ns3, 50)];
    for (eifs, gap) in gaps {
        let mut cell = deaf_pair();
        cell.rules.eifs = eifs;
        let mut bench = Bench::new(&cell);
        bench.run_until(at(1000));
        bench.send_up(1, 1000);
        bench.run_until(at(1100));
        bench.send_up(0, 1000);
        bench.run_until(at(10_000));
        // Station 0 does not decode the data but does decode the access point's ACK.
        let ack = 1000 + DATA + SIFS_ACK;
        assert_eq!(bench.ends()[2], (ack + gap + DATA, 1), "{eifs:?}");
    }
}

/// A station that senses an ACK without decoding it waits for an EIFS, even if it has decoded the data frame, unless
/// the rules have no EIFS after mere energy.
///
/// Verifies: [80211-2020 §10.3.2.3.7]
#[test]
fn a_response_that_is_only_sensed_leaves_an_eifs_behind() {
    for (eifs, gap) in [(Eifs::Standard, 364), (Eifs::None, 50), (Eifs::Ns3, 50)] {
        let mut cell = deaf_pair();
        cell.rules.eifs = eifs;
        let mut bench = Bench::new(&cell);
        bench.run_until(at(1000));
        bench.send(NodeId::AP, NodeId::station(1), 1000);
        bench.run_until(at(1100));
        bench.send_up(0, 1000);
        bench.run_until(at(10_000));
        // Station 0 decodes the data, whose NAV ends with the ACK, but not station 1's ACK: EIFS 364 µs.
        let ack = 1000 + DATA + SIFS_ACK;
        assert_eq!(bench.ends()[2], (ack + gap + DATA, 1), "{eifs:?}");
    }
}

/// A station that has decoded the RTS of an exchange, and not the CTS, stays quiet until the end of the exchange.
///
/// Verifies: [80211-2020 §10.3.2.4]
#[test]
fn the_nav_of_an_rts_covers_the_whole_exchange() {
    // Station 0 decodes the access point's RTS, but not station 1's CTS and ACK.
    let mut cell = deaf_pair();
    cell.rules.rts_threshold = Some(airfair_units::Bytes::new(100));
    let mut bench = Bench::new(&cell);
    bench.run_until(at(1000));
    bench.send(NodeId::AP, NodeId::station(1), 1000);
    bench.run_until(at(1100));
    bench.send_up(0, 1000);
    bench.run_until(at(20_000));
    // RTS 272, CTS 248, data 940, ACK 248, three SIFS; then EIFS after the ACK that it cannot decode.
    let ack = 1000 + 272 + 248 + 940 + 248 + 30;
    assert_eq!(bench.ends()[3], (ack, 2));
    assert_eq!(bench.ends()[4], (ack + 364 + 272, 1));
}

/// In a collision, the sender of the shorter frame waits for a DIFS after the longer one.
///
/// Verifies: [80211-2020 §10.3.4.2]
#[test]
fn the_sender_of_the_shorter_frame_of_a_collision_is_back_a_difs_after_the_longer_one() {
    // 1 Mb/s: 192 + 8224 = 8416 µs. The fast station's time-out passes while the slow station's frame is on the air.
    let mut bench = Bench::new(&without_backoff(b(&[MBPS(11), MBPS(1)])));
    bench.send_up(0, 1000);
    bench.send_up(1, 1000);
    bench.run_until(at(12_000));
    let long_end = 50 + 8416;
    assert_eq!(bench.ends()[..2], [(50 + DATA, 1), (long_end, 2)]);
    assert_eq!(bench.ends()[2], (long_end + 50 + DATA, 1));
}
