//! Cells with traffic in both directions: the access point's queue, its channel access, and its changes to packets.

use airfair_sim::outcome::{FlowOutcome, Outcome};

use crate::common::{parse, run_once};

/// Outcome of `up` stations that send and `down` stations that receive, through an access point with these settings.
fn both_ways(up: u32, down: u32, ap: &str, transport: &str, rest: &str) -> Outcome {
    let text = format!(
        "duration = \"40 s\"\nwarmup = \"10 s\"\nseries = \"off\"\n\
         [bss.c]\nstandard = \"802.11b\"\nap = {{ {ap} }}\n\
         [station.up]\ncount = {up}\nqueue = {{ packets = 100 }}\n[station.down]\ncount = {down}\n\
         [host.h]\n\
         [flow.up]\nfrom = \"up\"\nto = \"h\"\ntransport = {{ {transport} }}\n\
         [flow.down]\nfrom = \"h\"\nto = \"down\"\ntransport = {{ {transport} }}\n{rest}"
    );
    run_once(&parse(&text), 0)
}

#[expect(clippy::cast_precision_loss, reason = "a share to a percent")]
fn octets(flows: &[FlowOutcome]) -> f64 {
    flows.iter().map(|flow| flow.delivered.get()).sum::<u64>() as f64
}

/// Goodput of all flows down, divided by the goodput of all flows up; the first `up` flows go up.
fn ratio(outcome: &Outcome, up: usize) -> f64 {
    octets(&outcome.flows[up..]) / octets(&outcome.flows[..up])
}

/// Largest goodput of a flow, divided by the smallest.
fn spread(outcome: &Outcome) -> f64 {
    let each: Vec<f64> = outcome.flows.chunks(1).map(octets).collect();
    let largest = each.iter().copied().fold(0.0, f64::max);
    largest / each.iter().copied().fold(f64::INFINITY, f64::min)
}

const SACK: &str = "kind = \"tcp\", flavour = \"sack\"";
const WIDE: &str =
    "kind = \"tcp\", flavour = \"sack\", window_scaling = true, receive_window = \"1 MB\"";

/// Weights of two DATA packets per ACK give both directions the same goodput while no ACK is lost, because each ACK
/// lets the sender send two segments. Windows of 44 segments keep n · 22 ACKs in the queue. If these do not fit, ACKs
/// are lost.
///
/// Verifies: [updown-fairness §IV]
#[test]
fn two_to_one_makes_one_to_one_while_no_ack_is_lost() {
    for (flows, packets, is_room) in [(1, 50, true), (2, 50, true), (4, 100, true), (4, 50, false)]
    {
        let ap = format!("queue = {{ packets = {packets}, discipline = \"data-ack\" }}");
        let outcome = both_ways(flows, flows, &ap, SACK, "");
        let up = usize::try_from(flows).unwrap();
        let lost: u64 = outcome.flows[..up].iter().map(|flow| flow.acks_dropped).sum();
        assert_eq!(lost == 0, is_room, "{flows} flows, {packets} packets");
        let off = (ratio(&outcome, up) - 1.0).abs();
        assert_eq!(off < 0.03, is_room, "{flows} flows, {packets} packets: {off}");
    }
}

/// Verifies: [updown-fairness §III]: FIFO starves downlink flows; shared windows [pilosof-2003 §V] and counted
/// weights do not.
#[test]
fn shared_windows_and_counted_weights_make_all_flows_equal() {
    let counted =
        "queue = { packets = 200, discipline = \"data-ack\", weights = \"active-flows\" }";
    for (up, down) in [(4, 4), (1, 7), (7, 1)] {
        let plain = both_ways(up, down, "queue = { packets = 50 }", WIDE, "");
        assert!(spread(&plain) > 4.0, "{up} and {down}: {}", spread(&plain));
        let shared = "queue = { packets = 50 }, window_sharing = true";
        let shared = both_ways(up, down, shared, WIDE, "");
        assert!(spread(&shared) < 1.1, "{up} and {down}, shared: {}", spread(&shared));
        assert_eq!(shared.access_points[0].dropped_queue_full, 0);
        let counted = both_ways(up, down, counted, SACK, "");
        // Seven flows through one queue differ by chance within half a minute, but the mean of each direction does
        // not.
        let mean = ratio(&counted, up as usize) * f64::from(up) / f64::from(down);
        assert!((mean - 1.0).abs() < 0.1, "{up} and {down}, counted: {mean}");
    }
}

/// A sender that keeps the packets refused by its station's queue retransmits nothing, although a window of 700
/// segments fills the queue of 100 packets.
///
/// Verifies: [linux-cwr]
#[test]
fn a_sender_that_keeps_what_its_queue_refuses_loses_nothing() {
    let run = |full_queue: &str| {
        let transport = format!("{WIDE}, full_queue = \"{full_queue}\"");
        both_ways(1, 1, "queue = { packets = 1000 }", &transport, "")
    };
    let (kept, lost) = (&run("hold").flows[0], &run("loss").flows[0]);
    assert!(kept.packets_refused > 0 && lost.packets_refused == 0);
    assert_eq!((kept.packets_dropped, kept.retransmissions, kept.timeouts), (0, 0, 0));
    assert!(lost.packets_dropped > 0 && lost.retransmissions > 0);
}

/// A saturated source in a small queue that drops packets of the longest flow neither refills the queue endlessly in
/// one instant, nor stops when its own packets are dropped.
#[test]
fn saturated_sources_get_by_where_packets_give_way() {
    for queue in [
        "discipline = \"fq-codel\", packets = 1",
        "packets = 1, overflow = \"longest-flow\"",
        "packets = 3, overflow = \"longest-flow\"",
        "discipline = \"round-robin\", packets = 2",
        "packets = 2",
        "discipline = \"codel\", target = \"1 ms\", interval = \"5 ms\"",
    ] {
        let text = format!(
            "duration = \"2 s\"\n[bss.c]\nstandard = \"802.11b\"\n\
             [station.s]\nqueue = {{ {queue} }}\n[host.h]\n\
             [flow.f]\nfrom = \"s\"\nto = \"h\"\ncount = 3\n\
             transport = {{ kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }}\n"
        );
        let outcome = run_once(&parse(&text), 0);
        let received: Vec<u64> = outcome.flows.iter().map(|flow| flow.packets_received).collect();
        assert!(received.iter().sum::<u64>() > 900, "{queue}: {received:?}");
        assert!(received.iter().all(|packets| *packets > 50), "{queue}: {received:?}");
    }
}

/// Three frames in ten are errored, and no other station sends meanwhile. With one attempt many packets are given up,
/// and without a limit none.
///
/// Verifies: [80211-2020 §10.3.4.4]
#[test]
fn each_member_has_its_own_limit_on_attempts() {
    let text = "duration = \"5 s\"\n\
                [bss.c]\nstandard = \"802.11b\"\nerrors = { model = \"bernoulli\", probability = 0.3 }\n\
                max_attempts = \"unlimited\"\n\
                [station.hasty]\nmax_attempts = 1\n[station.patient]\n[host.h]\n\
                [flow.a]\nfrom = \"hasty\"\nto = \"h\"\n\
                transport = { kind = \"udp\", payload = \"500 B\", rate = \"100 kb/s\" }\n\
                [flow.b]\nfrom = \"patient\"\nto = \"h\"\nstart = \"3 ms\"\n\
                transport = { kind = \"udp\", payload = \"500 B\", rate = \"100 kb/s\" }\n";
    let outcome = run_once(&parse(text), 0);
    let given_up = |station: usize| outcome.stations[station].radio.dropped_retry_limit;
    // 125 packets, each of which the sender counts as lost with probability 1 - 0.7² = 0.51
    assert!((40..90).contains(&given_up(0)), "{}", given_up(0));
    assert_eq!((given_up(1), outcome.stations[0].radio.retries), (0, 0));
}

/// With the smallest contention window, the access point wins the channel far more often, and downlink flows get most
/// of it.
///
/// Verifies: [80211-2020 §10.23.2]
#[test]
fn an_access_point_with_a_smaller_window_sends_more() {
    let queue = "queue = { packets = 50 }";
    let plain = both_ways(2, 2, queue, WIDE, "");
    let quick = both_ways(2, 2, &format!("{queue}, edca = {{ cw_min = 7 }}"), WIDE, "");
    let burst = both_ways(2, 2, &format!("{queue}, edca = {{ txop_limit = \"6 ms\" }}"), WIDE, "");
    assert!(ratio(&plain, 2) < 0.3, "{}", ratio(&plain, 2));
    assert!(ratio(&quick, 2) > 0.9, "{}", ratio(&quick, 2));
    assert!(ratio(&burst, 2) > 2.0 * ratio(&plain, 2), "{}", ratio(&burst, 2));
}

/// A wired link loses 2 % of the packets. The losses estimated from a trace at the wired end equal the true ones, in
/// both directions.
///
/// Verifies: [updown-fairness §III]
#[test]
fn retransmissions_at_the_wired_end_tell_the_loss() {
    let lossy = "[host.far]\nlink = { loss = { model = \"bernoulli\", probability = 0.02 } }\n\
                 [flow.lossy_up]\nfrom = \"up\"\nto = \"far\"\n\
                 transport = { kind = \"tcp\", flavour = \"sack\" }\n\
                 [flow.lossy_down]\nfrom = \"far\"\nto = \"down\"\n\
                 transport = { kind = \"tcp\", flavour = \"sack\" }\n";
    let outcome = both_ways(1, 1, "queue = { packets = 1000 }", SACK, lossy);
    let (up, down) = (&outcome.flows[2], &outcome.flows[3]);
    assert!(up.packets_dropped > 10 && down.packets_dropped > 10);
    // Each loss causes one retransmission below the highest octet received. An unfinished recovery, a lost
    // retransmission or a time-out may add a few.
    assert!(up.packets_repeated.abs_diff(up.packets_dropped) <= 3, "{up:?}");
    assert!(down.retransmissions.abs_diff(down.packets_dropped) <= 3, "{down:?}");
    assert_eq!(outcome.flows[0].packets_repeated, outcome.flows[0].retransmissions);
}

/// Outcome of a cell with a station at 54 Mb/s and one at 6 Mb/s, whose access point has the queue `queue`.
fn fast_and_slow(queue: &str, stations: [&str; 2], flows: &str) -> Outcome {
    let [fast, slow] = stations;
    run_once(
        &parse(&format!(
            "duration = \"22 s\"\nwarmup = \"2 s\"\nseries = \"off\"\n\
             [bss.c]\nstandard = \"802.11a\"\nap = {{ queue = {{ {queue} }} }}\n\
             [station.fast]\nrate = \"54 Mb/s\"\n{fast}\n[station.slow]\nrate = \"6 Mb/s\"\n{slow}\n\
             [host.h]\n{flows}"
        )),
        0,
    )
}

/// Text of one flow of each station, up or down, with these transports.
fn flows(up: bool, transports: [&str; 2]) -> String {
    let flow = |station: &str, transport: &str| {
        let (from, to) = if up { (station, "h") } else { ("h", station) };
        format!(
            "[flow.{station}]\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {{ {transport} }}\n"
        )
    };
    flow("fast", transports[0]) + &flow("slow", transports[1])
}

const UDP: &str = "kind = \"udp\", payload = \"1472 B\", rate = \"saturated\"";
const AIRTIME: &str = "discipline = \"airtime\"";
const COUPLED: &str = "discipline = \"airtime-dualpi2\"";
const REGULATOR: &str = "discipline = \"time-regulator\"";

/// Airtime of each station [s]. Each data frame with UDP counts `more` seconds in addition.
fn times(outcome: &Outcome, more: f64) -> [f64; 2] {
    [0, 1].map(|index| {
        let station = &outcome.stations[index];
        let time = station.airtime_data_up + station.airtime_data_down + station.airtime_control;
        time.as_secs_f64() + octets(&outcome.flows[index..=index]) / 1_472.0 * more
    })
}

/// Share of the fast station in the airtime of both.
fn share(outcome: &Outcome) -> f64 {
    let [fast, slow] = times(outcome, 0.0);
    fast / (fast + slow)
}

/// Goodput of each station [Mb/s].
fn goodputs(outcome: &Outcome) -> [f64; 2] {
    [0, 1].map(|index| octets(&outcome.flows[index..=index]) * 8.0 / 20e6)
}

/// Without airtime fairness, stations alternate, and the fast one has 11.5 % of the airtime. 1500 octets with LLC/SNAP
/// and MAC header take 248 µs at 54 Mb/s, and 2072 µs at 6 Mb/s. With ACKs of 28 and 44 µs these are 276 and 2116 µs,
/// and the share is 276 / 2392.
///
/// With airtime fairness both have the same time, which includes the SIFS of 16 µs. The regulator also counts the DIFS
/// of 34 µs and the mean back-off of 67.5 µs: 393.5 and 2233.5 µs per frame.
///
/// Verifies: [hoiland-2017 §3.2], [tan-2004 §4.2]
#[test]
fn an_access_point_shares_time_between_a_fast_and_a_slow_station() {
    let run = |queue: &str| fast_and_slow(queue, [""; 2], &flows(false, [UDP; 2]));
    for queue in ["packets = 50", "discipline = \"round-robin\""] {
        let fast = share(&run(queue));
        assert!((fast - 0.115).abs() < 0.005, "{queue}: {fast}");
    }
    for (queue, more) in [(AIRTIME, 16e-6), (COUPLED, 16e-6), (REGULATOR, 117.5e-6)] {
        let outcome = run(queue);
        let [fast, slow] = times(&outcome, more);
        assert!((fast / slow - 1.0).abs() < 0.01, "{queue}: {fast} and {slow}");
        let [fast, slow] = goodputs(&outcome);
        assert!(fast > 14.5 && slow > 2.2, "{queue}: {fast} and {slow} Mb/s");
    }
    // 20 s minus the rest of the mean back-off: (292 + 101.5) and (2132 + 101.5) µs per frame fill the whole time
    let [fast, slow] = times(&run(REGULATOR), 117.5e-6);
    assert!((fast + slow - 20.0).abs() < 0.1, "{fast} and {slow}");
}

/// Airtime fairness that charges uplink airtime counts the ACKs of a station, which downloads by TCP, together with
/// the data that they acknowledge.
///
/// Verifies: [linux-atf]
#[test]
fn airtime_of_acks_is_shared_where_uplink_is_charged() {
    let run = |queue: &str| share(&fast_and_slow(queue, [""; 2], &flows(false, [SACK; 2])));
    let (charged, free) = (run(AIRTIME), run("discipline = \"airtime\", charges_uplink = false"));
    assert!(run("packets = 50") < 0.14);
    assert!((charged - 0.49).abs() < 0.02, "{charged}");
    // The fast station sends more ACKs, which are not charged.
    assert!(free > charged + 0.01, "{free} and {charged}");
}

/// Airtime fairness at the access point does not affect TCP senders at stations, because it never delays ACKs. A
/// regulator that holds ACKs back does.
///
/// Verifies: [tan-2004 §4.1]
#[test]
fn a_regulator_slows_a_sender_by_its_acks() {
    let run = |queue: &str| fast_and_slow(queue, [""; 2], &flows(true, [SACK; 2]));
    let (plain, airtime, regulated) = (run("packets = 50"), run(AIRTIME), run(REGULATOR));
    assert!(share(&plain) < 0.14 && share(&airtime) < 0.14);
    assert!(share(&regulated) > 0.34, "{}", share(&regulated));
    let [before, after] = [goodputs(&plain), goodputs(&regulated)];
    assert!(after[0] > 2.5 * before[0] && after[1] > 0.6 * before[1], "{before:?}, {after:?}");
}

/// A station alone loses no throughput. Beside a station that needs little, airtime fairness costs nothing, and the
/// regulator costs at most the eighth that it leaves unused.
///
/// Verifies: [tan-2004 §4.3]
#[test]
fn time_that_one_station_does_not_want_goes_to_the_other() {
    let light = "kind = \"udp\", payload = \"1472 B\", rate = \"1 Mb/s\"";
    let both = flows(false, [light, UDP]);
    let alone = flows(false, [UDP; 2]).split_once("[flow.slow]").unwrap().0.to_owned();
    let run = |queue: &str, flows: &str| {
        let outcome = fast_and_slow(queue, [""; 2], flows);
        octets(&outcome.flows[outcome.flows.len() - 1..])
    };
    let turns = "discipline = \"round-robin\"";
    for (queue, least) in [(AIRTIME, 0.995), (REGULATOR, 0.86)] {
        assert!(run(queue, &alone) >= 0.999 * run(turns, &alone), "{queue}");
        let part = run(queue, &both) / run(turns, &both);
        assert!(part > least, "{queue}: {part}");
    }
}

/// A longer TXOP or a smaller contention window gives the fast one of two saturated senders about half of the airtime.
/// An exchange takes 276 µs of frames for the fast one and 2116 µs for the slow one. A TXOP of 2496 µs holds ⌊(2496 +
/// 16)/308⌋ = 8 exchanges of the fast one, 2208 µs: 51 %. With windows of 15 and 127 slots the fast one has 63.5/7.5 =
/// 8.5 attempts for each of the slow one, and one in 8.5 collides: (8.5 − 0.12)/(1 − 0.12) = 9.5 exchanges for each,
/// 55 %.
///
/// Verifies: [80211-2020 §10.23.2]
#[test]
fn a_longer_txop_or_a_smaller_window_makes_up_for_a_rate() {
    let run = |own: [&str; 2]| share(&fast_and_slow("packets = 50", own, &flows(true, [UDP; 2])));
    let plain = run([""; 2]);
    assert!((plain - 0.115).abs() < 0.01, "{plain}");
    let txop = run(["edca = { txop_limit = \"2496 us\" }", ""]);
    assert!((txop - 0.51).abs() < 0.02, "{txop}");
    let window = run(["", "edca = { cw_min = 127, cw_max = 127 }"]);
    assert!((window - 0.55).abs() < 0.02, "{window}");
}
