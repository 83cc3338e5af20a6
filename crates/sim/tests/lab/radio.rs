//! Cells with a radio: distances, motion, and members that do not hear each other.

use airfair_sim::outcome::Outcome;
use airfair_units::DataRate;

use crate::common::{parse, run_once};

const RANGE: &str = "range = { \"6 Mb/s\" = \"370 m\", \"54 Mb/s\" = \"37 m\" }";
const SATURATED: &str = "{ kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }";

/// Outcome of uploads in an 802.11a cell with this radio; each station has its keys and its rate.
fn uploads(seconds: u32, radio: &str, stations: &[&str]) -> Outcome {
    let station = |(i, keys): (usize, &&str)| {
        format!(
            "[station.s{i}]\n{keys}\n[flow.f{i}]\nfrom = \"s{i}\"\nto = \"h\"\ntransport = {SATURATED}\n"
        )
    };
    let stations: String = stations.iter().enumerate().map(station).collect();
    let text = format!(
        "duration = \"{seconds} s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11a\"\n\
         radio = {{ {radio} }}\n[host.h]\n{stations}"
    );
    run_once(&parse(&text), 0)
}

fn delivered(outcome: &Outcome) -> Vec<u64> {
    outcome.flows.iter().map(|flow| flow.delivered.get()).collect()
}

/// With reception by sensitivity, all frames get through up to the range, and none a metre beyond.
#[test]
fn a_rate_reaches_as_far_as_its_range() {
    let radio = format!("{RANGE}, reception = \"sensitivity\"");
    for (rate, metres) in [("6 Mb/s", 370), ("54 Mb/s", 37)] {
        let at = |metres: u32| {
            let keys = format!("position = [\"0 m\", \"-{metres} m\"]\nrate = \"{rate}\"");
            let outcome = uploads(1, &radio, &[&keys]);
            let radio = &outcome.stations[0].radio;
            (radio.frames, radio.retries, outcome.flows[0].delivered.get())
        };
        let (frames, retries, octets) = at(metres);
        // The last frame or its ACK may still be on the air.
        assert!(retries == 0 && frames - octets / 1_000 <= 1, "{rate} at {metres} m");
        assert_eq!(at(metres + 1).2, 0, "{rate} at {} m", metres + 1);
    }
}

/// Rate control follows the distance: a station that walks from 10 m to 330 m has a mean rate between 9 and 36 Mb/s,
/// and delivers as much as one that walks back.
#[test]
fn the_rate_follows_the_distance_and_the_way_back_is_the_way_forth() {
    let walk = |from: u32, speed: i32, law: &str| {
        let mobility =
            format!("{{ model = \"velocity\", velocity = [\"{speed} m/s\", \"0 m/s\"] }}");
        let keys = format!(
            "position = [\"{from} m\", \"0 m\"]\nmobility = {mobility}\nrate = {{ control = \"{law}\" }}"
        );
        uploads(40, RANGE, &[&keys])
    };
    for law in ["arf", "oracle"] {
        let (away, back) = (walk(10, 8, law), walk(330, -8, law));
        let octets = [&away, &back].map(|outcome| outcome.flows[0].delivered.get());
        assert!(octets[0].abs_diff(octets[1]) < octets[0] / 50, "{law}: {octets:?}");
        let mean = away.stations[0].mean_rate_up.expect("a rate");
        let range = DataRate::from_mbps(9)..DataRate::from_mbps(36);
        assert!(range.contains(&mean), "{law}: {mean}");
    }
}

/// An oracle is as good as the best fixed rate at every distance, and rate control that learns is no better than the
/// oracle.
#[test]
fn nobody_finds_a_better_rate_than_the_oracle() {
    for metres in [20, 45, 80, 130, 200, 280, 350] {
        let at = |rate: &str| {
            let keys = format!("position = [\"{metres} m\", \"0 m\"]\nrate = {rate}");
            delivered(&uploads(4, RANGE, &[&keys]))[0]
        };
        let rates = ["6", "9", "12", "18", "24", "36", "48", "54"];
        let best = rates.map(|rate| at(&format!("\"{rate} Mb/s\""))).into_iter().max();
        let oracle = at("{ control = \"oracle\" }");
        let best = best.expect("eight rates");
        assert!(oracle >= best / 100 * 97, "{metres} m: {oracle} of {best}");
        for law in ["arf", "aarf", "minstrel"] {
            let found = at(&format!("{{ control = \"{law}\" }}"));
            assert!(found <= oracle / 100 * 102, "{law} at {metres} m: {found} against {oracle}");
        }
    }
}

/// Two stations at opposite ends of a cell do not hear each other, and more than 40 % of their frames are retries.
/// With RTS/CTS there are fewer, and with a low enough threshold of carrier sense the stations hear each other.
#[test]
fn stations_out_of_each_others_range_are_hidden() {
    let ends = [
        "position = [\"-300 m\", \"0 m\"]\nrate = \"6 Mb/s\"",
        "position = [\"300 m\", \"0 m\"]\nrate = \"6 Mb/s\"",
    ];
    let lost = |radio: &str, cell: &str| {
        let outcome = uploads(
            5,
            &format!("{RANGE}, reception = \"sensitivity\"{radio} }}\n{cell}\nap = {{"),
            &ends,
        );
        let retries: u64 = outcome.stations.iter().map(|s| s.radio.retries).sum();
        let frames: u64 = outcome.stations.iter().map(|s| s.radio.frames).sum();
        (retries * 100 / frames, delivered(&outcome).iter().sum::<u64>())
    };
    let (hidden, poor) = lost("", "");
    let (protected, good) = lost("", "rts_threshold = \"0 B\"");
    let (neighbours, _) = lost(", carrier_sense = \"-95 dBm\"", "");
    assert!(hidden > 40, "{hidden} % of the frames are repetitions");
    assert!(protected < 30 && good > poor, "{protected} %, {good} against {poor}");
    assert!(neighbours < 15, "{neighbours} %");
}

/// A radio with which all members decode each other without errors gives the same results as no radio.
#[test]
fn a_radio_that_does_nothing_changes_nothing() {
    let close = "position = { circle = \"3 m\" }\ncount = 8\nrate = \"54 Mb/s\"";
    let near = uploads(2, RANGE, &[close]);
    let text = "duration = \"2 s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11a\"\n[host.h]\n[station.s0]\n\
                count = 8\n[flow.f0]\nfrom = \"s0\"\nto = \"h\"\n\
                transport = { kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }";
    assert_eq!(near.record_hash, run_once(&parse(text), 0).record_hash);
}

/// With a capture margin, the air is evaluated for every member by itself. With a margin that no frame has, this gives
/// the same results as the evaluation for all members together.
#[test]
fn whoever_listens_by_itself_hears_what_all_hear_together() {
    let walk =
        "mobility = { model = \"random-waypoint\", radius = \"18 m\", max_speed = \"10 m/s\" }";
    let stand = "position = { circle = \"15 m\" }";
    for (keys, cell) in [
        (walk, ""),
        (stand, "rts_threshold = \"500 B\""),
        (walk, "eifs = \"ns-2\""),
        (walk, "eifs = \"ns-3\""),
        (stand, "after_collision = \"difs\""),
        (walk, "after_collision = \"eifs\"\nrts_threshold = \"0 B\""),
    ] {
        let keys = format!("{keys}\ncount = 6\nrate = {{ control = \"arf\" }}");
        let outcome = |capture: &str| {
            let radio = format!("{RANGE}, capture = \"{capture}\" }}\n{cell}\nap = {{");
            // Records of one instant may come in another order.
            Outcome { record_hash: 0, events: 0, ..uploads(3, &radio, &[&keys]) }
        };
        let [all, each] = ["off", "100 dB"].map(|capture| format!("{:?}", outcome(capture)));
        assert!(all == each, "{keys} {cell}\n{all}\n{each}");
    }
}

/// The nearer one of two stations, at 3 m and 30 m from the access point, wins every collision with a capture margin
/// below their difference of about 20 dB, and with a larger margin neither does. Frames are lost only by collisions.
#[test]
fn the_nearer_of_two_captures_the_access_point() {
    let stations =
        ["3", "30"].map(|x| format!("position = [\"{x} m\", \"0 m\"]\nrate = \"6 Mb/s\""));
    let stations: Vec<&str> = stations.iter().map(String::as_str).collect();
    let repeated = |capture: &str| {
        let radio = format!("{RANGE}, reception = \"sensitivity\", capture = \"{capture}\"");
        let outcome = uploads(5, &radio, &stations);
        [0, 1].map(|i| outcome.stations[i].radio.retries)
    };
    let [near, far] = repeated("off");
    assert_eq!(near, far);
    let [near, far] = repeated("10 dB");
    assert!(near == 0 && far > 50, "{near} and {far}");
    let [near, far] = repeated("40 dB");
    assert_eq!(near, far);
}

/// A third member that overhears a sender does not change the effect of noise on the frames of this sender, which is a
/// little beyond its range, although the third member causes additional checks of who hears the sender.
#[test]
fn noise_decides_what_an_addressee_gets_whoever_else_listens() {
    let sender = "position = [\"39 m\", \"0 m\"]\nrate = \"54 Mb/s\"";
    let listener = "[station.listener]\nposition = [\"-300 m\", \"0 m\"]\nrate = \"6 Mb/s\"";
    let frames = |others: &str| {
        // The section of the sender comes last, because its flow follows.
        let radio =
            format!("{RANGE} }}\nmax_attempts = 1\n{others}\n[bss.c.ap]\nqueue = {{ packets = 50");
        let outcome = uploads(4, &radio, &[sender]);
        (outcome.stations.last().expect("the sender").radio.frames, delivered(&outcome)[0] / 1_000)
    };
    for others in ["", listener] {
        let (sent, received) = frames(others);
        assert!(received > sent / 10 && received < sent / 10 * 9, "{received} of {sent}");
    }
}

/// Under Rayleigh fading, as many frames are lost as the exponential distribution of the power gives. With reception
/// by sensitivity, a frame gets through if its power exceeds the threshold: at the range itself the probability is
/// e^-1 = 0.368, and where the mean power is 10 dB higher it is e^-0.1 = 0.905. Two ranges a decade apart with 17 dB
/// between them give an exponent of 1.7, so 10 dB more are at 370 / 10^(10/17) = 95.5 m.
#[test]
fn rayleigh_fading_loses_as_many_frames_as_an_exponential_says() {
    let radio = format!(
        "{RANGE}, reception = \"sensitivity\", carrier_sense = \"-95 dBm\", \
         fading = {{ model = \"rayleigh\", coherence = \"1 ms\" }} }}\nmax_attempts = 1\nap = {{"
    );
    for (metres, expected) in [("370", 0.368), ("95.5", 0.905)] {
        let keys = format!("position = [\"{metres} m\", \"0 m\"]\nrate = \"6 Mb/s\"");
        let outcome = uploads(30, &radio, &[&keys]);
        let [received, sent] =
            [outcome.flows[0].delivered.get() / 1_000, outcome.stations[0].radio.frames]
                .map(|frames| f64::from(u32::try_from(frames).expect("few")));
        // About 18 000 frames, each in one or two coherence intervals of its own: the standard deviation is 0.004 at
        // most.
        assert!((received / sent - expected).abs() < 0.02, "{metres} m: {received} of {sent}");
    }
}
