//! QUIC in whole runs: beside TCP's results, and under schemes that read or rewrite headers.

use airfair_sim::outcome::Outcome;

use crate::balance;
use crate::common::{parse, run_once};

const QUIC: &str =
    "{ kind = \"quic\", flavour = \"cubic\", datagram = \"1472 B\", receive_window = \"10 MB\" }";
const TCP: &str = "{ kind = \"tcp\", flavour = \"cubic\", sack = true, prr = true, loss_recovery = \"rack\", \
                   delayed_ack = { segments = 2, timeout = \"25 ms\" }, window_scaling = true, \
                   receive_window = \"10 MB\" }";
/// Application octets of a QUIC packet of 1500 octets, with 61 octets of headers: 28 of IP and UDP, 33 of QUIC. TCP's
/// segments have 1460.
const PAYLOADS: [f64; 2] = [1_439.0, 1_460.0];

fn outcome(text: &str) -> Outcome {
    let scenario = parse(text);
    let outcome = run_once(&scenario, 0);
    balance::check(&scenario, &outcome);
    outcome
}

/// Goodput of QUIC per packet divided by that of TCP: 1 if both send as many packets.
fn ratio(text: impl Fn(&str) -> String) -> f64 {
    let [quic, tcp] = [QUIC, TCP].map(|transport| {
        let delivered = outcome(&text(transport)).flows[0].delivered.get();
        f64::from(u32::try_from(delivered).expect("less than 4 GB"))
    });
    (quic / PAYLOADS[0]) / (tcp / PAYLOADS[1])
}

/// A saturated flow of QUIC with CUBIC fills a wire as TCP with CUBIC, SACK and RACK does, through queues below and above
/// the product of bandwidth and round trip: the packets differ by half a per cent, the goodput by the headers.
#[test]
fn quic_fills_a_wire_as_tcp_does() {
    for queue in [15, 60, 500] {
        let ratio = ratio(|transport| {
            format!(
                "duration = \"40 s\"\nwarmup = \"10 s\"\n[router.r]\n\
                 [host.a]\nlink = {{ to = \"r\", rate = \"1 Gb/s\", delay = \"1 ms\", queue = {{ packets = 2000 }} }}\n\
                 [host.b]\nlink = {{ to = \"r\", rate = \"20 Mb/s\", delay = \"10 ms\", queue = {{ packets = {queue} }} }}\n\
                 [flow.f]\nfrom = \"a\"\nto = \"b\"\ntransport = {transport}\n"
            )
        });
        assert!((0.985..1.005).contains(&ratio), "queue of {queue}: {ratio}");
    }
}

/// The same in a cell, up and down. There QUIC's acknowledgements, of 61 octets instead of 40, cost air as well.
#[test]
fn quic_fills_a_cell_as_tcp_does() {
    for (standard, rate, packets) in [("802.11g", "54 Mb/s", 100), ("802.11n", "ht-mcs7", 300)] {
        for (from, to) in [("s", "h"), ("h", "s")] {
            let ratio = ratio(|transport| {
                format!(
                    "duration = \"25 s\"\nwarmup = \"5 s\"\n\
                     [bss.c]\nstandard = \"{standard}\"\nap.queue = {{ packets = {packets} }}\n\
                     [station.s]\nrate = \"{rate}\"\nqueue = {{ packets = {packets} }}\n\
                     [host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"10 ms\", queue = {{ packets = 2000 }} }}\n\
                     [flow.f]\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}\n"
                )
            });
            assert!((0.96..1.02).contains(&ratio), "{standard} from {from}: {ratio}");
        }
    }
}

/// Two uploads and two downloads in a cell whose access point has these keys.
fn mixed(transport: &str, ap: &str) -> Outcome {
    let flow = |name: &str, from: &str, to: &str| {
        format!("[flow.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}\n")
    };
    outcome(&format!(
        "duration = \"8 s\"\n[bss.c]\nstandard = \"802.11b\"\n{ap}\n\
         [station.a]\nqueue = {{ packets = 20 }}\n[station.b]\nqueue = {{ packets = 20 }}\n\
         [host.h]\nlink = {{ rate = \"100 Mb/s\", delay = \"5 ms\" }}\n{}{}{}{}",
        flow("up1", "a", "h"),
        flow("up2", "b", "h"),
        flow("down1", "h", "a"),
        flow("down2", "h", "b"),
    ))
}

/// Schemes that read or rewrite TCP's headers change a run of TCP, and leave each record of a run of QUIC as it was: its
/// windows and acknowledgements are encrypted, and its packets are data for every queue.
///
/// Verifies: [RFC9000 §12.1]
#[test]
fn what_reads_headers_moves_tcp_and_not_quic() {
    const SCHEMES: [(&str, [&str; 2]); 3] = [
        ("a window that the access point shares", ["", "ap.window_sharing = true"]),
        (
            "weights of ACKs",
            [
                "ap.queue = { discipline = \"data-ack\", packets = 20, weights = { data = 1, ack = 1 } }",
                "ap.queue = { discipline = \"data-ack\", packets = 20, weights = { data = 1, ack = 6 } }",
            ],
        ),
        (
            "an ACK filter",
            ["ap.queue = { packets = 20 }", "ap.queue = { packets = 20, ack_filter = true }"],
        ),
    ];
    let scaled =
        "{ kind = \"tcp\", flavour = \"cubic\", window_scaling = true, receive_window = \"1 MB\" }";
    for (what, aps) in SCHEMES {
        let hashes = |transport| aps.map(|ap| mixed(transport, ap).record_hash);
        let [without, with] = hashes(QUIC);
        assert_eq!(without, with, "{what} moves QUIC");
        let [without, with] = hashes(scaled);
        assert_ne!(without, with, "{what} leaves TCP unmoved");
    }
}

/// The messages of an application arrive over QUIC, and about as fast as over TCP.
#[test]
fn applications_run_over_quic() {
    for source in [
        "{ model = \"web\", objects = 10, think = \"200 ms\" }",
        "{ model = \"rpc\", size = \"20 kB\", think = \"50 ms\" }",
        "{ model = \"frames\", interval = \"40 ms\", sizes = [\"30 kB\", \"8 kB\"] }",
    ] {
        let [quic, tcp] = ["datagram = \"1472 B\"", "handshake = false"].map(|more| {
            let kind = if more.starts_with("datagram") { "quic" } else { "tcp" };
            let outcome = outcome(&format!(
                "duration = \"10 s\"\n[bss.c]\nstandard = \"802.11g\"\n[station.s]\n\
                 [host.h]\nlink = {{ rate = \"100 Mb/s\", delay = \"10 ms\" }}\n\
                 [flow.f]\nfrom = \"h\"\nto = \"s\"\n\
                 transport = {{ kind = \"{kind}\", source = {source}, {more} }}\n"
            ));
            let delay = outcome.messages[0].delay;
            (delay.count, delay.p50)
        });
        assert!(quic.0 > 20 && quic.0.abs_diff(tcp.0) * 5 < tcp.0, "{source}: {quic:?} {tcp:?}");
    }
}

/// Over a wire of 10 ms each way a handshake puts a transfer off by the round trip and the times of its packets on the wire,
/// and by one round trip more if the server's messages exceed the limit of amplification. A page waits in the same way.
///
/// Verifies: [RFC9000 §8.1], [RFC9001 §4.1]
#[test]
fn a_transfer_waits_for_the_handshake() {
    let end = |settings: &str| {
        let text = format!(
            "duration = \"5 s\"\n[router.r]\n[host.a]\nlink = {{ to = \"r\", rate = \"100 Mb/s\", delay = \"5 ms\" }}\n\
             [host.b]\nlink = {{ to = \"r\", rate = \"100 Mb/s\", delay = \"5 ms\" }}\n\
             [flow.f]\nfrom = \"a\"\nto = \"b\"\ntransport = {{ kind = \"quic\", {settings} }}\n"
        );
        let outcome = outcome(&text);
        let page = outcome.messages.first().map(|it| it.delay.p50);
        outcome.flows[0].completion.or(page).expect("an end").as_nanos() / 1_000
    };
    let size = "size = \"5 kB\"";
    let plain = end(size);
    let [one, two] = ["", "server_crypto = \"9 kB\", "]
        .map(|crypto| end(&format!("handshake = true, {crypto}{size}")) - plain);
    // 20 ms, and at 100 Mb/s twice 98 µs for 1228 octets up and about 0.3 ms for the server's datagrams.
    assert!((20_000..21_000).contains(&one), "{one} µs");
    assert!((40_000..42_500).contains(&two), "{two} µs");
    let page = "source = { model = \"web\", objects = 3, think = \"20 s\" }";
    let longer = end(&format!("handshake = true, {page}")) - end(page);
    assert!((19_000..22_000).contains(&longer), "{longer} µs");
}
