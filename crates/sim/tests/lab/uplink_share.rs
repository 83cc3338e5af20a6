//! `control = "uplink-share"` of an access point.

use airfair_sim::outcome::Outcome;

use crate::common::{SATURATED, TCP, parse, run_once, uploads};

/// Uploads of two stations for 5 s, one at 54 Mb/s and one at `rate`. `ap` are keys of the cell.
fn run(rate: &str, transport: &str, ap: &str) -> Outcome {
    let cell = format!("standard = \"802.11a\"\nap.{ap}");
    run_once(&parse(&uploads(&cell, &["54 Mb/s", rate], transport, 5)), 0)
}

const NONE: &str = "control = \"none\"";
const SHARE: &str = "control = \"uplink-share\"";

/// The data of a saturated station at 6 Mb/s that goes on uses half of the time and what the bucket holds at the
/// start. A datagram is a frame of 1536 octets, (16 + 8 · 1536 + 6) / 24 = 513 symbols of 4 µs after 20 µs, so 2072 µs.
/// In 5 s, (5 s / 2 + 50 ms) / 2072 µs = 1230 of them go on. The station at 54 Mb/s loses none.
#[test]
fn data_beyond_half_of_the_time_is_dropped() {
    let outcome = run("6 Mb/s", SATURATED, SHARE);
    let [fast, slow] = [0, 1].map(|flow| &outcome.flows[flow]);
    assert!(slow.packets_received.abs_diff(1_230) <= 2, "{}", slow.packets_received);
    assert_eq!(fast.packets_dropped, 0);
    let drops = outcome.access_points[0].dropped_by_scheme;
    assert!(drops > 500 && drops == slow.packets_dropped, "{drops}");
}

/// Two TCP uploads share the packets without the scheme, and the slow station holds the channel. With the scheme, the
/// slow station's data uses at most half of the time, and the fast station has more than twice as much as before.
#[test]
fn a_fast_station_gets_channel_time_back_from_a_slow_one() {
    let [before, after] = [NONE, SHARE].map(|ap| run("6 Mb/s", TCP, ap));
    let goodput = |outcome: &Outcome, flow: usize| outcome.flows[flow].delivered.get();
    let used = |outcome: &Outcome| outcome.stations[1].airtime_data_up.as_secs_f64() / 5.0;
    assert!(used(&before) > 0.6 && used(&after) < 0.52, "{} {}", used(&before), used(&after));
    let gain = [goodput(&before, 0), goodput(&after, 0)];
    assert!(gain[1] > 2 * gain[0], "{gain:?}");
}

/// Stations that use the channel equally long lose nothing, and the run has the same records as without the scheme.
#[test]
fn without_a_station_above_its_share_nothing_changes() {
    let [none, share] = [NONE, SHARE].map(|ap| run("54 Mb/s", TCP, ap).record_hash);
    assert_eq!(none, share);
}
