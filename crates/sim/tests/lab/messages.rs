//! Applications of TCP over wires: how long users wait for answers, and videos on fast and slow wires.

use airfair_sim::outcome::MessageOutcome;
use airfair_units::Duration;

use crate::common::{parse, run_once};

/// Messages of a flow with this source over a wire of 10 ms in each direction.
fn messages(rate: &str, source: &str) -> MessageOutcome {
    let text = format!(
        "duration = \"60 s\"\nwarmup = \"1 s\"\nseries = \"off\"\n[router.gateway]\n\
         [host.server]\nlink = {{ to = \"gateway\", rate = \"{rate}\", delay = \"10 ms\" }}\n\
         [host.client]\nlink = {{ to = \"gateway\", rate = \"100 Gb/s\", delay = \"0 s\" }}\n\
         [flow.f]\nfrom = \"server\"\nto = \"client\"\ntransport = {{ kind = \"tcp\", source = {source} }}\n"
    );
    run_once(&parse(&text), 0).messages.remove(0)
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
