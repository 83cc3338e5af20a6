//! Runs of QUIC: each congestion control, ACK frequency and application, over wires with losses, and beside TCP in cells
//! whose access points rewrite windows, rank ACKs or drop them.

use crate::grids::{LOSSES, lossy, numbered};
use crate::list::Run;

const SETTINGS: [&str; 16] = [
    "flavour = \"newreno\"",
    "flavour = \"newreno\", pacing = false, datagram = \"1452 B\"",
    "flavour = \"newreno\", slow_start = \"hystart\", initial_window = 4",
    "flavour = \"cubic\"",
    "flavour = \"cubic\", ack_every = 10, datagram = \"1472 B\"",
    "flavour = \"cubic\", slow_start = \"hystart++\", max_ack_delay = \"5 ms\"",
    "flavour = \"cubic\", receive_window = \"30 kB\"",
    "flavour = \"bbr1\", ack_every = 1",
    "flavour = \"bbr\", initial_window = 2",
    "flavour = \"bbr\", ack_every = 10, size = \"700 kB\"",
    "flavour = \"cubic\", source = { model = \"web\", objects = 10, think = \"200 ms\" }",
    "flavour = \"bbr\", source = { model = \"on-off\", rate = \"5 Mb/s\", on = \"200 ms\", off = \"300 ms\" }",
    "flavour = \"cubic\", ecn = true",
    "flavour = \"newreno\", ecn = true, ack_every = 10",
    "flavour = \"cubic\", handshake = true, size = \"200 kB\"",
    "flavour = \"newreno\", handshake = true, server_crypto = \"5 kB\", source = { model = \"web\", objects = 10, think = \"200 ms\" }",
];

/// Lines of a cell.
const CELLS: [&str; 4] = [
    "standard = \"802.11g\"\nap.window_sharing = true",
    "standard = \"802.11n\"\nap.control = { scheme = \"uplink-share\", bucket = \"10 ms\" }",
    "standard = \"802.11g\"\nap.queue = { discipline = \"data-ack\", weights = { data = 1, ack = 3 } }",
    "standard = \"802.11n\"\nap.queue = { discipline = \"fq-codel\", ack_filter = true }",
];

pub(crate) fn runs() -> Vec<Run> {
    let mut texts = Vec::new();
    for settings in SETTINGS {
        let transport = format!("{{ kind = \"quic\", {settings} }}");
        texts.extend(LOSSES.map(|loss| lossy(loss, &transport, 2)));
        texts.extend(CELLS.map(|cell| beside_tcp(cell, &transport)));
    }
    numbered("quic", texts)
}

/// Text of a scenario with QUIC and TCP, up and down, in one cell.
fn beside_tcp(cell: &str, transport: &str) -> String {
    format!(
        "duration = \"800 ms\"\n[bss.c]\n{cell}\n[station.a]\n[station.b]\n[host.h]\n\
         link = {{ rate = \"200 Mb/s\", delay = \"3 ms\" }}\n\
         [flow.quic-up]\nfrom = \"a\"\nto = \"h\"\ntransport = {transport}\n\
         [flow.tcp-up]\nfrom = \"b\"\nto = \"h\"\ntransport = {{ kind = \"tcp\" }}\n\
         [flow.quic-down]\nfrom = \"h\"\nto = \"b\"\ntransport = {transport}\nstart = \"100 ms\"\n\
         [flow.tcp-down]\nfrom = \"h\"\nto = \"a\"\ntransport = {{ kind = \"tcp\" }}\nstart = \"50 ms\"\n"
    )
}
