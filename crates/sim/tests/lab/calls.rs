//! Video calls whose rate follows reports of the receiver, over wires and through cells.

use airfair_sim::outcome::Outcome;
use airfair_units::Duration;

use crate::common::{parse, run_once};

/// Outcome of a video call with these settings from a server to a client, whose wire has these keys.
fn call(settings: &str, wire: &str, more: &str) -> Outcome {
    run_once(
        &parse(&format!(
            "duration = \"80 s\"\nwarmup = \"20 s\"\nseries = \"off\"\n[router.gateway]\n\
             [host.server]\nlink = {{ to = \"gateway\", delay = \"20 ms\", {wire} }}\n\
             [host.client]\nlink = {{ to = \"gateway\", rate = \"100 Gb/s\", delay = \"0 s\" }}\n\
             [flow.f]\nfrom = \"server\"\nto = \"client\"\n\
             transport = {{ kind = \"udp\", source = {{ model = \"video-call\", {settings} }} }}\n{more}"
        )),
        0,
    )
}

fn target(outcome: &Outcome) -> u64 {
    outcome.calls[0].target.expect("a call with a control").bps()
}

/// Over a wire of 1 Mb/s a call of 2 Mb/s fills the queue of 100 packets, which takes a second to empty, and loses half of what
/// it sends. One that follows reports loses nothing and waits for less than a fifth of that.
#[test]
fn a_call_follows_its_wire() {
    let wire = "rate = \"1 Mb/s\", queue = { packets = 100 }";
    let of = |control: &str| call(&format!("rate_control = \"{control}\""), wire, "");
    let fixed = of("none");
    assert_eq!(fixed.calls[0].target, None);
    assert!(fixed.messages[0].delay.p50 > Duration::from_millis(800), "{fixed:?}");
    // Half of the datagrams, most of them of large pictures.
    assert!(fixed.live[0].lost > 300, "{fixed:?}");
    for control in ["gcc", "nada"] {
        let found = of(control);
        assert!((500_000..1_000_000).contains(&target(&found)), "{control}: {}", target(&found));
        assert!(found.messages[0].delay.p50 < Duration::from_millis(200), "{control}: {found:?}");
        assert!(found.live[0].lost <= 20, "{control}: {found:?}");
    }
}

/// On a wire of 100 Mb/s both controls reach the highest rate. The client sends a report for each of 25 pictures a second in 60 s
/// with GCC, and one each 100 ms, with NADA or if the key says so. A video call without a control has none.
#[test]
fn reports_cross_the_wire() {
    let reports = |settings: &str| {
        let found = call(settings, "rate = \"100 Mb/s\"", "");
        let back = found.links[1].packets;
        (back, found.calls[0].target.map_or(0, airfair_units::DataRate::bps))
    };
    let (back, target) = reports("rate_control = \"gcc\"");
    assert!(back.abs_diff(1_500) <= 2, "{back}");
    assert!(target > 1_850_000, "{target}");
    for settings in
        ["rate_control = \"nada\"", "rate_control = { law = \"gcc\", feedback = \"100 ms\" }"]
    {
        let (back, target) = reports(settings);
        assert!((550..=600).contains(&back), "{settings}: {back}");
        assert!(target > 1_850_000, "{settings}: {target}");
    }
    assert_eq!(reports("rate = \"2 Mb/s\""), (0, 0));
}

/// Nobody changes the rate without reports: with a wire back that loses all of them the target of the start remains. With one
/// rate at the start and as the lowest and the highest it never changes, either.
#[test]
fn without_reports_the_rate_stays() {
    for control in ["gcc", "nada"] {
        let lost = "rate = \"100 Mb/s\", loss = { model = \"bernoulli\", probability = 1, towards = \"server\" }";
        let settings = |more: &str| {
            format!("rate_control = {{ law = \"{control}\", start = \"700 kb/s\"{more} }}")
        };
        let found = call(&settings(""), lost, "");
        assert_eq!((target(&found), found.flows[0].rtt.count), (700_000, 0), "{control}");
        let fixed = format!("{}, rate = \"700 kb/s\"", settings(", least = \"700 kb/s\""));
        assert_eq!(target(&call(&fixed, "rate = \"300 kb/s\"", "")), 700_000, "{control}");
    }
}

/// The sender measures the round trip of 40 ms, without the time for which the receiver holds its reports back: 20 ms, 1.2 kB at
/// 100 Mb/s, which are 0.1 ms, and 20 ms.
#[test]
fn reports_show_the_round_trip() {
    for control in ["gcc", "nada"] {
        let settings = format!("rate_control = \"{control}\"");
        let found = call(&settings, "rate = \"100 Mb/s\"", "");
        let rtt = found.flows[0].rtt.p50;
        assert!((40_000_000..40_600_000).contains(&rtt.as_nanos()), "{control}: {rtt}");
    }
}

/// NADA answers the marks of random early detection: nothing is dropped, and the queue stays shorter than without marks. GCC takes
/// no part in it.
///
/// Verifies: [RFC8698 §5.1.3]
#[test]
fn nada_answers_marks() {
    let of = |control: &str, ecn: bool| {
        let red = format!(
            "discipline = \"red\", packets = 200, red = {{ min = 2, max = 20, weight = 1, ecn = {ecn} }}"
        );
        let wire = format!("rate = \"1 Mb/s\", queue = {{ {red} }}");
        call(&format!("rate_control = \"{control}\""), &wire, "")
    };
    let marked = of("nada", true);
    assert!(marked.marks[0].packets > 10, "{:?}", marked.marks);
    assert_eq!(marked.links[0].dropped_early, 0);
    assert!(of("nada", false).links[0].dropped_early > 0);
    assert!(of("gcc", true).marks.is_empty());
}

/// A call beside a greedy download through an access point with one short queue: its target stays above the lowest, and the download
/// gets the rest. With `airtime`, whose queues are apart, the call has its rate and its delay.
#[test]
fn a_call_through_a_cell_beside_a_download() {
    let of = |discipline: &str, control: &str| {
        run_once(
            &parse(&format!(
                "duration = \"60 s\"\nwarmup = \"30 s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11g\"\n\
                 ap.queue = {{ discipline = \"{discipline}\", packets = 100 }}\n[station.a]\n[station.b]\n[host.h]\n\
                 [flow.f]\nfrom = \"h\"\nto = \"a\"\n\
                 transport = {{ kind = \"udp\", source = {{ model = \"video-call\", rate_control = \"{control}\" }} }}\n\
                 [flow.load]\nfrom = \"h\"\nto = \"b\"\ntransport = {{ kind = \"tcp\", flavour = \"cubic\", receive_window = \"1 MB\", \
                 window_scaling = true }}\n"
            )),
            0,
        )
    };
    for control in ["gcc", "nada"] {
        let [shared, apart] = ["fifo", "airtime"].map(|it| of(it, control));
        assert!(target(&apart) > 1_700_000, "{control}: {}", target(&apart));
        assert!(shared.flows[0].delay.p50 > apart.flows[0].delay.p50 * 2, "{control}");
        assert!(target(&shared) >= 150_000 && target(&shared) <= target(&apart), "{control}");
    }
}

/// Two calls of up to 1.5 Mb/s over a wire of 2 Mb/s, of which the second begins 10 s after the first. With NADA both have the
/// same rate in the end, and differ by less than a half in the first minute. With GCC the larger one may stay larger, because
/// it grows in percent; both have more than the lowest rate.
///
/// Verifies: [RFC8698 §4.3]
#[test]
fn two_calls_share_a_wire() {
    let run = |control: &str| {
        let second = format!(
            "[flow.g]\nfrom = \"server\"\nto = \"client\"\nstart = \"10 s\"\ntransport = {{ kind = \"udp\", \
             source = {{ model = \"video-call\", rate = \"1500 kb/s\", rate_control = \"{control}\" }} }}\n"
        );
        let settings = format!("rate = \"1500 kb/s\", rate_control = \"{control}\"");
        let wire = "rate = \"2 Mb/s\", queue = { packets = 100 }";
        let found = call(&settings, wire, &second);
        [0, 1].map(|it| found.flows[it].delivered.get())
    };
    let [first, second] = run("nada");
    assert!(2 * first.max(second) < 3 * first.min(second), "{first} {second}");
    for shares in [[first, second], run("gcc")] {
        // 60 s at 2 Mb/s are 15 MB, and at 150 kb/s 1.125 MB.
        assert!(shares.iter().sum::<u64>() > 9_000_000, "{shares:?}");
        assert!(shares.iter().all(|it| *it > 1_125_000), "{shares:?}");
    }
}
