//! Applications over wires: how long users wait for answers, videos on fast and slow wires, and frames of live
//! applications that come late or never.

use airfair_sim::outcome::{MessageOutcome, Outcome};
use airfair_units::Duration;

use crate::common::{parse, run_once};

/// Messages of a TCP flow with this source over a wire of 10 ms in each direction.
fn messages(rate: &str, source: &str) -> MessageOutcome {
    let wire = format!("rate = \"{rate}\", delay = \"10 ms\"");
    run(&wire, &format!("kind = \"tcp\", source = {source}")).messages.remove(0)
}

/// Outcome of a flow with this transport over this wire.
fn run(wire: &str, transport: &str) -> Outcome {
    let text = format!(
        "duration = \"60 s\"\nwarmup = \"1 s\"\nseries = \"off\"\n[router.gateway]\n\
         [host.server]\nlink = {{ to = \"gateway\", {wire} }}\n\
         [host.client]\nlink = {{ to = \"gateway\", rate = \"100 Gb/s\", delay = \"0 s\" }}\n\
         [flow.f]\nfrom = \"server\"\nto = \"client\"\ntransport = {{ {transport} }}\n"
    );
    run_once(&parse(&text), 0)
}

/// A call takes 10 ms and 32 µs as an ACK of 40 octets at 10 Mb/s, and its answer 10 ms and 1.2 ms as 1500 octets. The
/// other wire adds less than a microsecond to each.
#[test]
fn an_answer_takes_a_round_trip_and_its_time_on_the_wire() {
    let found =
        messages("10 Mb/s", "{ model = \"rpc\", size = \"1460 B\", think = \"78.768 ms\" }");
    let wait = Duration::from_micros(21_232);
    for delay in [found.delay.p50, found.delay.max] {
        assert!(delay.as_nanos().abs_diff(wait.as_nanos()) < 300_000, "{delay:?}");
    }
    // A call each 100 ms within 59 s.
    assert!(found.delay.count.abs_diff(590) <= 1, "{}", found.delay.count);
    assert_eq!((found.chunks, found.mean_rate_bps()), (0, None));
}

/// A wire of 100 Mb/s takes the highest rate once the buffer is above reservoir and cushion. One of 1 Mb/s takes rates
/// around its own without a stall. At 100 kb/s a chunk of 4 s at 235 kb/s takes 9.7 s with headers, so the player waits for
/// 5.7 s before each chunk but the first.
#[test]
fn a_player_follows_its_wire() {
    let [fast, fair, slow] = ["100 Mb/s", "1 Mb/s", "100 kb/s"].map(|it| messages(it, "\"video\""));
    let rate = |of: &MessageOutcome| of.mean_rate_bps().expect("chunks");
    assert!(rate(&fast) > 5_000_000.0, "{fast:?}");
    assert!((375_000.0..1_100_000.0).contains(&rate(&fair)), "{fair:?}");
    assert_eq!([fast.stalls, fair.stalls], [0, 0]);
    assert!((rate(&slow) - 235_000.0).abs() < 1.0, "{slow:?}");
    let stall = slow.stalled / slow.stalls;
    assert!(
        (5_650..5_750).contains(&(stall.as_nanos() / 1_000_000)) && slow.stalls == slow.chunks - 1,
        "{slow:?}"
    );
}

/// Frames of 10 kB each 10 ms are 8 Mb/s. A wire of 4 Mb/s takes half of them; the others are dropped as a whole, so that
/// none waits longer than 50 segments and itself need: 83 kB at 4 Mb/s are 166 ms.
#[test]
fn frames_beyond_the_buffer_are_dropped() {
    let frames = "{ model = \"frames\", interval = \"10 ms\", sizes = [\"10 kB\"] }";
    let found = messages("4 Mb/s", frames);
    let each_second = found.delay.count / 59;
    assert!((44..50).contains(&each_second), "{each_second}");
    assert!(found.delay.p50 < Duration::from_millis(900), "{found:?}");
}

/// A frame of 2500 octets goes out in datagrams of 1200, 1200 and 100 octets, with 28 more for UDP and IP. At 10 Mb/s these
/// 2584 octets take 2.067 ms, and 10 ms more to arrive: always 12.067 ms, which is before one deadline and after the other.
#[test]
fn a_frame_takes_as_long_as_the_last_of_its_datagrams() {
    let frames = "model = \"game\", end = \"server\", size = \"2500 B\", size_scale = \"0 B\"";
    let wire = "rate = \"10 Mb/s\", delay = \"10 ms\"";
    for (deadline, is_late) in [("12 ms", true), ("13 ms", false)] {
        let source = format!("{{ {frames}, deadline = \"{deadline}\" }}");
        let found = run(wire, &format!("kind = \"udp\", source = {source}"));
        let (messages, live) = (&found.messages[0], found.live[0]);
        for delay in [messages.delay.min, messages.delay.max] {
            assert!(delay.as_nanos().abs_diff(12_067_200) < 1_000, "{delay:?}");
        }
        // One frame each 30.4 ms on average in 59 s.
        assert!((1_900..1_980).contains(&messages.delay.count), "{messages:?}");
        assert_eq!(live.late, if is_late { messages.delay.count } else { 0 });
        assert_eq!(live.lost, 0);
    }
}

/// A wire that loses one of ten datagrams loses 1 − 0.9³ = 27.1 % of the frames of three datagrams: 526 of 1940, with a
/// standard deviation of 20.
#[test]
fn a_frame_is_lost_with_one_of_its_datagrams() {
    let source = "{ model = \"game\", end = \"server\", size = \"2500 B\", size_scale = \"0 B\" }";
    let wire = "rate = \"10 Mb/s\", delay = \"10 ms\", loss = { model = \"bernoulli\", probability = 0.1 }";
    let found = run(wire, &format!("kind = \"udp\", source = {source}"));
    let all = found.live[0].lost + found.messages[0].delay.count;
    assert!((1_900..1_980).contains(&all), "{all}");
    let expected = all * 271 / 1_000;
    assert!(found.live[0].lost.abs_diff(expected) < 80, "{found:?}");
}

/// Probes over a wire of 10 ms in each direction with nothing else take 20.05 ms: 60 000 / 20.05 = 2993 round trips a
/// minute. An upload of 5 Mb/s through a queue of 100 packets adds up to 240 ms, for the probes and for itself.
#[test]
fn responsiveness_falls_with_a_queue_that_fills() {
    let probes = "transport = { kind = \"tcp\", source = \"responsiveness\" }";
    let of = |load: &str| {
        let text = format!(
            "duration = \"30 s\"\nwarmup = \"5 s\"\nseries = \"off\"\n[router.gateway]\n\
             [host.server]\nlink = {{ to = \"gateway\", rate = \"5 Mb/s\", delay = \"10 ms\", queue = {{ packets = 100 }} }}\n\
             [host.client]\nlink = {{ to = \"gateway\", rate = \"100 Gb/s\", delay = \"0 s\" }}\n\
             [flow.probes]\nfrom = \"server\"\nto = \"client\"\n{probes}\n{load}"
        );
        run_once(&parse(&text), 0).probes.remove(0).per_minute()
    };
    let [alone, nothing, both] = of("");
    assert!((alone.expect("probes") - 2_993.0).abs() < 15.0, "{alone:?}");
    assert_eq!([nothing, both], [None; 2]);
    let [foreign, loaded, both] =
        of("[flow.load]\nfrom = \"client\"\nto = \"server\"\ntransport = { kind = \"tcp\", receive_window = \"1 MB\", window_scaling = true }\n")
            .map(|it| it.expect("probes and load"));
    for each in [foreign, loaded] {
        // Between 20 ms and 20 + 100 · 2.4 ms.
        assert!((230.0..800.0).contains(&each), "{foreign} {loaded}");
    }
    assert!((both - f64::midpoint(foreign, loaded)).abs() < 1e-9);
}

/// Another flow leaves the random frames of a call as they were, and another replication does not.
#[test]
fn a_calls_frames_depend_on_its_name_and_the_replication() {
    let call = |name: &str| {
        format!(
            "[flow.{name}]\nfrom = \"a\"\nto = \"b\"\ntransport = {{ kind = \"udp\", source = \"call\" }}\n"
        )
    };
    let wire = "duration = \"30 s\"\n[router.r]\n[host.a]\nlink = { to = \"r\" }\n[host.b]\nlink = { to = \"r\" }\n";
    let frames = |flows: &str, replication| {
        let scenario = parse(&format!("{wire}{flows}"));
        run_once(&scenario, replication).messages[0].delay.count
    };
    let alone = frames(&call("x"), 0);
    assert_eq!(frames(&(call("x") + &call("y")), 0), alone);
    let others = (1..4).map(|replication| frames(&call("x"), replication));
    assert!(others.into_iter().any(|it| it != alone));
}
