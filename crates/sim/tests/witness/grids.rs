//! Runs of all combinations of a few choices: schemes, TCP, TFRC, wires, radio, spatial reuse.

use std::fmt::Write as _;

use crate::list::{Kind, Run};
use crate::luck::Luck;

/// Standards, each with a high and a low rate.
const STANDARDS: [(&str, &str, &str); 6] = [
    ("802.11b", "11 Mb/s", "1 Mb/s"),
    ("802.11a", "54 Mb/s", "6 Mb/s"),
    ("802.11g", "54 Mb/s", "6 Mb/s"),
    ("802.11n", "ht-mcs7", "ht-mcs0"),
    ("802.11ac", "vht-mcs7x1", "vht-mcs0x1"),
    ("802.11ax", "he-mcs11x1", "he-mcs0x1"),
];

/// Runs of all combinations of a few choices for each of schemes, TCP, TFRC and wired links, and of random choices for
/// the radio and for spatial reuse.
pub(crate) fn runs() -> Vec<Run> {
    let mut runs = numbered("scheme", with_schemes(&SCHEMES));
    runs.extend(tcp());
    runs.extend(paced());
    runs.extend(tfrc());
    runs.extend(wires());
    runs.extend((0..120).filter_map(radio));
    runs.extend(numbered("access_point", with_schemes(&ACCESS_POINT_SCHEMES)));
    runs.extend(numbered("fair", with_schemes(&FAIR)));
    runs.extend(numbered("grants", with_schemes(&GRANTS)));
    runs.extend((0..40).filter_map(reuse));
    runs.extend(workloads());
    runs.extend(live());
    runs.extend(probes());
    runs.extend(marked());
    runs.extend(marked_above());
    runs.extend(low_latency());
    runs.extend(coupled_airtime());
    runs.extend(coupled_wires());
    runs.extend(accurate_feedback());
    runs
}

/// Numbered runs of scenario texts. Texts whose keys do not fit each other are left out.
pub(crate) fn numbered(name: &str, texts: impl IntoIterator<Item = String>) -> Vec<Run> {
    let run = |(number, text): (u64, String)| {
        Run::new(format!("{name}-{number}"), 1 + number, &text, Kind::Plain)
    };
    (0..).zip(texts).filter_map(run).collect()
}

/// Schemes of flows, each with lines of the cell.
const SCHEMES: [(&str, &str); 6] = [
    ("\"arf-aware\"", ""),
    ("{ scheme = \"arf-window\", slot = \"30 ms\", long_lived = \"0 B\" }", ""),
    ("\"rate-cap\"", ""),
    ("\"occupancy\"", "ap.occupancy = { beacons = 1 }\nbeacon = { interval = \"20 ms\" }"),
    ("\"none\"", "ap.window_sharing = true"),
    ("\"none\"", "ap.queue = { discipline = \"time-regulator\", adjustment = \"50 ms\" }"),
];
/// Schemes of access points, as lines of the cell.
const ACCESS_POINT_SCHEMES: [(&str, &str); 1] =
    [("\"none\"", "ap.control = { scheme = \"uplink-share\", bucket = \"10 ms\" }")];
/// Access points with equal airtime in both directions, as lines of the cell.
const FAIR: [(&str, &str); 1] = [(
    "\"none\"",
    "ap = { queue = { discipline = \"airtime\" }, fair = { period = \"10 ms\", level_time = \"100 ms\" } }",
)];
/// Access points that also grant time, as lines of the cell.
const GRANTS: [(&str, &str); 1] = [(
    "\"none\"",
    "ap.fair = { period = \"10 ms\", level_time = \"100 ms\", debt = \"1 ms\", grants = true }",
)];

/// Scenarios with each scheme, each standard and several transports. The rate of a station falls and rises again.
fn with_schemes(schemes: &[(&str, &str)]) -> Vec<String> {
    const TRANSPORTS: [&str; 5] = [
        "{ kind = \"tcp\", flavour = \"newreno\" }",
        "{ kind = \"tcp\", flavour = \"cubic\", loss_recovery = \"rack\", arithmetic = \"linux\" }",
        "{ kind = \"tcp\", flavour = \"vegas\" }",
        "{ kind = \"tfrc\" }",
        "{ kind = \"tfrc\", profile = \"ns-2\" }",
    ];
    let mut texts = Vec::new();
    for (standard, high, low) in STANDARDS {
        for (control, cell) in schemes {
            for transport in TRANSPORTS {
                for is_up in [true, false] {
                    let [fast, slow] = ["fast", "slow"].map(|station| {
                        let (from, to) = if is_up { (station, "h") } else { ("h", station) };
                        format!(
                            "[flow.{station}]\nfrom = \"{from}\"\nto = \"{to}\"\n\
                             transport = {transport}\ncontrol = {control}\n"
                        )
                    });
                    texts.push(format!(
                        "duration = \"300 ms\"\n[bss.c]\nstandard = \"{standard}\"\n{cell}\n\
                         [station.fast]\nrate = \"{high}\"\n[station.slow]\n\
                         rate = [[\"0 s\", \"{high}\"], [\"80 ms\", \"{low}\"], [\"220 ms\", \"{high}\"]]\n\
                         [host.h]\nlink = {{ rate = \"200 Mb/s\", delay = \"2 ms\" }}\n{fast}{slow}"
                    ));
                }
            }
        }
    }
    texts
}

/// Text of a scenario with a cell and a host, and a wire of 20 Mb/s between them, whose queue and losses are in
/// `loss`.
pub(crate) fn lossy(loss: &str, transport: &str, seconds: u32) -> String {
    format!(
        "duration = \"{seconds} s\"\n[bss.c]\nstandard = \"802.11g\"\n[station.s]\n[host.h]\n\
         link = {{ rate = \"20 Mb/s\", delay = \"8 ms\", {loss} }}\n\
         [flow.down]\nfrom = \"h\"\nto = \"s\"\ntransport = {transport}\n\
         [flow.up]\nfrom = \"s\"\nto = \"h\"\ntransport = {transport}\nstart = \"300 ms\"\n"
    )
}

/// Queues and losses of a wire.
pub(crate) const LOSSES: [&str; 3] = [
    "queue = { packets = 12 }",
    "queue = { packets = 30 }, loss = { model = \"bernoulli\", probability = 0.03 }",
    "queue = { bytes = \"60 kB\" }, loss = { model = \"gilbert-elliott\", to_bad = 0.01, to_good = 0.2, bad = 0.9 }",
];

/// Runs of each congestion control with each way to detect losses, over wires with losses.
fn tcp() -> Vec<Run> {
    const FLAVOURS: [&str; 7] =
        ["reno", "newreno", "sack", "westwood", "westwood+", "vegas", "cubic"];
    const RECOVERIES: [&str; 5] = [
        "",
        ", sack = true, prr = true",
        ", sack = true, timestamps = true, loss_recovery = \"rack\"",
        ", arithmetic = \"linux\", small_queues = \"2 ms\"",
        ", sack = true, loss_recovery = \"rack\", arithmetic = \"linux\", full_queue = \"hold\", size = \"700 kB\"",
    ];
    let mut texts = Vec::new();
    for flavour in FLAVOURS {
        for recovery in RECOVERIES {
            for loss in LOSSES {
                let transport = format!(
                    "{{ kind = \"tcp\", flavour = \"{flavour}\", min_rto = \"200 ms\"{recovery} }}"
                );
                texts.push(lossy(loss, &transport, 2));
            }
        }
    }
    numbered("tcp", texts)
}

/// Runs of each application of TCP with three congestion controls, over wires with losses.
fn workloads() -> Vec<Run> {
    const FLAVOURS: [&str; 3] = [
        "flavour = \"newreno\"",
        "flavour = \"sack\", prr = true",
        "flavour = \"cubic\", loss_recovery = \"rack\", arithmetic = \"linux\", small_queues = \"2 ms\"",
    ];
    const SOURCES: [&str; 8] = [
        "{ model = \"constant\", rate = \"3 Mb/s\" }",
        "{ model = \"constant\", rate = \"30 Mb/s\" }",
        "{ model = \"on-off\", rate = \"5 Mb/s\", on = \"200 ms\", off = \"300 ms\" }",
        "{ model = \"frames\", interval = \"40 ms\", sizes = [\"30 kB\", \"8 kB\"] }",
        "{ model = \"rpc\", size = \"20 kB\", think = \"50 ms\" }",
        "{ model = \"rpc\", size = \"100 B\", think = \"1.5 s\" }",
        "{ model = \"web\", objects = 10, think = \"200 ms\" }",
        "{ model = \"video\", chunk = \"500 ms\", buffer = \"1 s\", reservoir = \"200 ms\", cushion = \"500 ms\" }",
    ];
    let mut texts = Vec::new();
    for flavour in FLAVOURS {
        for source in SOURCES {
            for loss in LOSSES {
                let transport = format!(
                    "{{ kind = \"tcp\", {flavour}, min_rto = \"200 ms\", source = {source} }}"
                );
                texts.push(lossy(loss, &transport, 4));
            }
        }
    }
    numbered("workload", texts)
}

/// Runs of each live application of UDP, over wires with losses.
fn live() -> Vec<Run> {
    const SOURCES: [&str; 10] = [
        "\"call\"",
        "{ model = \"call\", codec = \"g711\", talk = \"300 ms\", silence = \"200 ms\", deadline = \"10 ms\" }",
        "{ model = \"call\", codec = \"g729\", silence = \"0 s\" }",
        "{ model = \"call\", codec = \"opus\", talk = \"100 ms\" }",
        "{ model = \"game\", end = \"server\" }",
        "{ model = \"game\", end = \"player\", synchronisation = \"status\" }",
        "{ model = \"game\", end = \"server\", size = \"3 kB\", size_scale = \"500 B\", interval = \"10 ms\" }",
        "{ model = \"game\", end = \"player\", interval = \"1 ms\", interval_scale = \"1 ms\" }",
        "\"video-call\"",
        "{ model = \"video-call\", rate = \"12 Mb/s\", interval = \"16 ms\", deadline = \"20 ms\" }",
    ];
    const CONTROLLED: [&str; 4] = [
        "{ model = \"video-call\", rate_control = { law = \"gcc\", start = \"2 Mb/s\" } }",
        "{ model = \"video-call\", rate_control = { law = \"gcc\", feedback = \"50 ms\" } }",
        "{ model = \"video-call\", rate_control = \"nada\" }",
        "{ model = \"video-call\", rate_control = { law = \"nada\", start = \"8 Mb/s\" }, rate = \"9 Mb/s\" }",
    ];
    let mut texts = Vec::new();
    for source in SOURCES {
        for loss in LOSSES {
            texts.push(lossy(loss, &format!("{{ kind = \"udp\", source = {source} }}"), 3));
        }
    }
    for deadline in ["5 ms", "20 ms", "100 ms"] {
        for end in ["server", "client"] {
            for loss in LOSSES {
                let source = format!(
                    "{{ model = \"desktop\", end = \"{end}\", deadline = \"{deadline}\" }}"
                );
                let transport = format!("{{ kind = \"udp\", source = {source} }}");
                texts.push(lossy(loss, &transport, 3));
            }
        }
    }
    for source in CONTROLLED {
        for loss in LOSSES {
            texts.push(lossy(loss, &format!("{{ kind = \"udp\", source = {source} }}"), 3));
        }
    }
    numbered("live", texts)
}

/// Runs of probes beside an upload, over wires with losses.
fn probes() -> Vec<Run> {
    let mut texts = Vec::new();
    for think in ["0 s", "10 ms", "35 ms", "200 ms"] {
        for loss in LOSSES {
            let transport = format!(
                "{{ kind = \"tcp\", min_rto = \"200 ms\", source = {{ model = \"responsiveness\", think = \"{think}\" }} }}"
            );
            let load = "[flow.load]\nfrom = \"s\"\nto = \"h\"\ntransport = { kind = \"tcp\" }\n";
            texts.push(lossy(loss, &transport, 3) + load);
        }
    }
    numbered("probes", texts)
}

/// Runs of congestion controls that answer marks, beside one that does not, through queues that mark at the access point
/// and on a wire.
fn marked() -> Vec<Run> {
    const FLAVOURS: [&str; 5] = [
        "flavour = \"newreno\"",
        "flavour = \"westwood\", handshake = false",
        "flavour = \"cubic\", prr = true, delayed_ack = true",
        "flavour = \"cubic\", loss_recovery = \"rack\", arithmetic = \"linux\", full_queue = \"hold\"",
        "flavour = \"reno\", size = \"300 kB\"",
    ];
    const QUEUES: [(&str, &str); 5] = [
        (
            "{ discipline = \"codel\", ecn = true, target = \"2 ms\", interval = \"20 ms\" }",
            "packets = 100",
        ),
        ("{ discipline = \"fq-codel\", target = \"2 ms\", interval = \"20 ms\" }", "packets = 100"),
        (
            "{ discipline = \"airtime\", target = \"2 ms\", interval = \"20 ms\", hardware_queue = 2 }",
            "packets = 100",
        ),
        (
            "{ discipline = \"airtime\", ecn = false }",
            "discipline = \"red\", packets = 60, red = { ecn = true, weight = 0.02 }",
        ),
        (
            "{ discipline = \"fq-codel\", ecn = false }",
            "discipline = \"red\", packets = 60, red = { ecn = true, gentle = false }",
        ),
    ];
    let mut texts = Vec::new();
    for flavour in FLAVOURS {
        for (queue, wire) in QUEUES {
            for standard in ["802.11g", "802.11ax"] {
                let transport =
                    format!("{{ kind = \"tcp\", {flavour}, min_rto = \"200 ms\", ecn = true }}");
                texts.push(format!(
                    "duration = \"1500 ms\"\n[bss.c]\nstandard = \"{standard}\"\nap.queue = {queue}\n[station.s]\n\
                     [station.t]\n[host.h]\nlink = {{ rate = \"30 Mb/s\", delay = \"4 ms\", queue = {{ {wire} }} }}\n\
                     [flow.down]\nfrom = \"h\"\nto = \"s\"\ntransport = {transport}\n\
                     [flow.up]\nfrom = \"t\"\nto = \"h\"\ntransport = {transport}\n\
                     [flow.plain]\nfrom = \"h\"\nto = \"t\"\ntransport = {{ kind = \"tcp\" }}\n"
                ));
            }
        }
    }
    numbered("marked", texts)
}

/// Runs of Prague and of Classic flows through access points and stations with two coupled queues.
fn low_latency() -> Vec<Run> {
    const FLAVOURS: [&str; 4] = [
        "flavour = \"prague\"",
        "flavour = \"prague\", delayed_ack = true, timestamps = true, loss_recovery = \"rack\"",
        "flavour = \"prague\", arithmetic = \"linux\", loss_recovery = \"rack\", small_queues = \"2 ms\"",
        "flavour = \"prague\", sack = false, handshake = false",
    ];
    const QUEUES: [&str; 4] = [
        "{ discipline = \"dualpi2\" }",
        "{ discipline = \"dualpi2\", target = \"5 ms\", step = \"10 ms\" }",
        "{ discipline = \"dualpi2\", coupling = 3, packets = 40, overflow = \"longest-flow\" }",
        "{ discipline = \"fq-codel\", target = \"2 ms\", interval = \"20 ms\" }",
    ];
    let mut texts = Vec::new();
    for flavour in FLAVOURS {
        for queue in QUEUES {
            for standard in ["802.11g", "802.11ax"] {
                let transport = format!("{{ kind = \"tcp\", {flavour}, min_rto = \"200 ms\" }}");
                texts.push(format!(
                    "duration = \"1 s\"\n[bss.c]\nstandard = \"{standard}\"\nap.queue = {queue}\n[station.s]\n\
                     queue = {{ discipline = \"dualpi2\", step = \"3 ms\" }}\n[station.t]\n\
                     [host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"4 ms\" }}\n\
                     [flow.down]\nfrom = \"h\"\nto = \"s\"\ntransport = {transport}\n\
                     [flow.up]\nfrom = \"s\"\nto = \"h\"\ntransport = {transport}\n\
                     [flow.other]\nfrom = \"h\"\nto = \"t\"\ntransport = {{ kind = \"tcp\", flavour = \"cubic\", ecn = true }}\n\
                     [flow.plain]\nfrom = \"h\"\nto = \"s\"\ntransport = {{ kind = \"tcp\" }}\n"
                ));
            }
        }
    }
    numbered("low_latency", texts)
}

/// Runs of Prague and of Classic flows to two stations, each of which has two coupled queues at the access point.
fn coupled_airtime() -> Vec<Run> {
    const FLAVOURS: [&str; 2] = [
        "flavour = \"prague\"",
        "flavour = \"prague\", delayed_ack = true, loss_recovery = \"rack\", small_queues = \"2 ms\"",
    ];
    const QUEUES: [&str; 4] = [
        "{ discipline = \"airtime-dualpi2\" }",
        "{ discipline = \"airtime-dualpi2\", target = \"5 ms\", step = \"10 ms\", coupling = 3, packets = 60 }",
        "{ discipline = \"airtime-dualpi2\", airtime_quantum = \"off\", hardware_queue = 2 }",
        "{ discipline = \"airtime-dualpi2\", hardware_queue = 200, hardware_queue_counts = \"packets\" }",
    ];
    let mut texts = Vec::new();
    for flavour in FLAVOURS {
        for queue in QUEUES {
            for (standard, slow) in [("802.11g", "6 Mb/s"), ("802.11ax", "he-mcs0x1")] {
                let transport = format!("{{ kind = \"tcp\", {flavour}, min_rto = \"200 ms\" }}");
                texts.push(format!(
                    "duration = \"1 s\"\n[bss.c]\nstandard = \"{standard}\"\nap.queue = {queue}\n[station.s]\n\
                     [station.t]\nrate = \"{slow}\"\n[host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"4 ms\" }}\n\
                     [flow.down]\nfrom = \"h\"\nto = \"s\"\ntransport = {transport}\n\
                     [flow.up]\nfrom = \"s\"\nto = \"h\"\ntransport = {transport}\n\
                     [flow.other]\nfrom = \"h\"\nto = \"t\"\ntransport = {{ kind = \"tcp\", flavour = \"cubic\", ecn = true }}\n\
                     [flow.slow]\nfrom = \"h\"\nto = \"t\"\ntransport = {transport}\n\
                     [flow.plain]\nfrom = \"h\"\nto = \"s\"\ntransport = {{ kind = \"tcp\" }}\n"
                ));
            }
        }
    }
    numbered("coupled_airtime", texts)
}

/// Runs of accurate ECN through queues that mark, with ACKs that are lost, delayed for long, or filtered.
fn accurate_feedback() -> Vec<Run> {
    const FLAVOURS: [&str; 5] = [
        "flavour = \"prague\", delayed_ack = { segments = 12 }",
        "flavour = \"prague\", loss_recovery = \"rack\", timestamps = true",
        "flavour = \"dctcp\", loss_recovery = \"rack\", arithmetic = \"linux\"",
        "flavour = \"newreno\", ecn = true, delayed_ack = true",
        "flavour = \"cubic\", ecn = true, loss_recovery = \"rack\", handshake = false",
    ];
    const QUEUES: [&str; 3] = [
        "{ discipline = \"fq-codel\", ack_filter = true }",
        "{ packets = 40, mark_above = 5, ack_filter = true }",
        "{ discipline = \"dualpi2\" }",
    ];
    let mut texts = Vec::new();
    for flavour in FLAVOURS {
        for feedback in ["ace", "accurate"] {
            for queue in QUEUES {
                let transport = format!(
                    "{{ kind = \"tcp\", {flavour}, ecn_feedback = \"{feedback}\", min_rto = \"200 ms\" }}"
                );
                texts.push(format!(
                    "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11n\"\nap.queue = {queue}\n[station.s]\n\
                     rate = \"ht-mcs3\"\nqueue = {{ mark_above = 12 }}\n[station.t]\nrate = \"ht-mcs1\"\n[host.h]\n\
                     link = {{ rate = \"40 Mb/s\", delay = \"4 ms\", loss = {{ model = \"bernoulli\", probability = 0.02 }} }}\n\
                     [flow.down]\nfrom = \"h\"\nto = \"s\"\ntransport = {transport}\n\
                     [flow.up]\nfrom = \"t\"\nto = \"h\"\ntransport = {transport}\n"
                ));
            }
        }
    }
    numbered("accurate_feedback", texts)
}

/// Runs of Prague, Classic and UDP flows over wires with two coupled queues, some with losses.
fn coupled_wires() -> Vec<Run> {
    const TRANSPORTS: [&str; 4] = [
        "{ kind = \"tcp\", flavour = \"prague\", min_rto = \"200 ms\" }",
        "{ kind = \"tcp\", flavour = \"cubic\", ecn = true, full_queue = \"hold\", small_queues = \"2 ms\" }",
        "{ kind = \"udp\", payload = \"1200 B\", rate = \"saturated\" }",
        "{ kind = \"tfrc\" }",
    ];
    const LOSSES: [&str; 2] = ["\"none\"", "{ model = \"bernoulli\", probability = 0.01 }"];
    let mut texts = Vec::new();
    for transport in TRANSPORTS {
        for loss in LOSSES {
            for packets in [30, 1_000] {
                texts.push(format!(
                    "duration = \"1500 ms\"\n[router.r]\n[host.b]\nlink = {{ to = \"r\" }}\n[host.a]\n\
                     link = {{ to = \"r\", rate = \"20 Mb/s\", delay = \"6 ms\", loss = {loss}, \
                     queue = {{ discipline = \"dualpi2\", packets = {packets} }} }}\n\
                     [flow.first]\nfrom = \"a\"\nto = \"b\"\ntransport = {transport}\n\
                     [flow.second]\nfrom = \"a\"\nto = \"b\"\ntransport = {{ kind = \"tcp\", flavour = \"prague\" }}\n\
                     [flow.back]\nfrom = \"b\"\nto = \"a\"\ntransport = {{ kind = \"tcp\", ecn = true }}\n"
                ));
            }
        }
    }
    numbered("coupled_wire", texts)
}

/// Runs of DCTCP and of CUBIC through FIFOs that mark, at the access point and on a wire.
fn marked_above() -> Vec<Run> {
    const FLAVOURS: [&str; 5] = [
        "flavour = \"dctcp\"",
        "flavour = \"dctcp\", delayed_ack = true, timestamps = true",
        "flavour = \"dctcp\", loss_recovery = \"rack\", arithmetic = \"linux\", pacing = true",
        "flavour = \"dctcp\", sack = false, handshake = false",
        "flavour = \"cubic\", ecn = true",
    ];
    const QUEUES: [(&str, &str); 3] = [
        ("{ packets = 40, mark_above = 10 }", "packets = 100"),
        ("{ packets = 60 }", "packets = 30, mark_above = 8"),
        ("{ packets = 60, mark_above = 3 }", "bytes = \"60 kB\", mark_above = 20"),
    ];
    let mut texts = Vec::new();
    for flavour in FLAVOURS {
        for (queue, wire) in QUEUES {
            let transport = format!("{{ kind = \"tcp\", {flavour}, min_rto = \"200 ms\" }}");
            texts.push(format!(
                "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11ax\"\nap.queue = {queue}\n[station.s]\n\
                 queue = {{ mark_above = 12 }}\n\
                 [station.t]\n[host.h]\nlink = {{ rate = \"40 Mb/s\", delay = \"1 ms\", queue = {{ {wire} }} }}\n\
                 [flow.down]\nfrom = \"h\"\nto = \"s\"\ntransport = {transport}\n\
                 [flow.up]\nfrom = \"s\"\nto = \"h\"\ntransport = {transport}\n"
            ));
        }
    }
    numbered("marked_above", texts)
}

/// Runs of both versions of BBR, of pacing and of each end of slow start, over wires with losses.
fn paced() -> Vec<Run> {
    const TRANSPORTS: [&str; 11] = [
        "flavour = \"bbr1\", timestamps = true",
        "flavour = \"bbr1\", initial_window = 2",
        "flavour = \"bbr1\", arithmetic = \"linux\"",
        "flavour = \"bbr\", initial_window = 2",
        "flavour = \"bbr\", arithmetic = \"linux\"",
        "flavour = \"bbr1\", arithmetic = \"linux\", small_queues = \"2 ms\"",
        "flavour = \"bbr\", timestamps = true",
        "flavour = \"bbr\", arithmetic = \"linux\", full_queue = \"hold\", size = \"700 kB\"",
        "flavour = \"cubic\", slow_start = \"hystart++\", pacing = true",
        "flavour = \"cubic\", arithmetic = \"linux\", loss_recovery = \"rack\", pacing = true, small_queues = \"1 ms\"",
        "flavour = \"newreno\", slow_start = \"hystart\"",
    ];
    let mut texts = Vec::new();
    for transport in TRANSPORTS {
        for loss in LOSSES {
            texts.push(lossy(
                loss,
                &format!("{{ kind = \"tcp\", min_rto = \"200 ms\", {transport} }}"),
                2,
            ));
        }
    }
    numbered("paced", texts)
}

/// Runs of each profile of TFRC with each source.
fn tfrc() -> Vec<Run> {
    const SOURCES: [&str; 4] = [
        "",
        ", rate = \"3 Mb/s\"",
        ", source = { model = \"on-off\", rate = \"4 Mb/s\", on = \"150 ms\", off = \"70 ms\" }",
        ", source = { model = \"frames\", interval = \"40 ms\", sizes = [\"9 kB\", \"2 kB\"] }",
    ];
    let mut texts = Vec::new();
    for profile in ["rfc5348", "rfc3448", "ns-2"] {
        for source in SOURCES {
            for loss in LOSSES {
                let transport = format!("{{ kind = \"tfrc\", profile = \"{profile}\"{source} }}");
                texts.push(lossy(loss, &transport, 2));
            }
        }
    }
    numbered("tfrc", texts)
}

/// Runs of two cells behind a router, whose wire has each kind of queue and of loss.
fn wires() -> Vec<Run> {
    const QUEUES: [&str; 5] = [
        "packets = 20",
        "bytes = \"40 kB\"",
        "discipline = \"red\", packets = 60",
        "discipline = \"red\", packets = 60, red = { min = 4, max = 12, weight = 0.02, gentle = false }",
        "discipline = \"red\", bytes = \"90 kB\", red = { max_probability = 0.5 }",
    ];
    const LOSSES: [&str; 4] = [
        "\"none\"",
        "{ model = \"bernoulli\", probability = 0.02, towards = \"server\" }",
        "{ model = \"bernoulli\", probability = 0.02, towards = \"r\" }",
        "{ model = \"gilbert-elliott\", to_bad = 0.02, to_good = 0.3 }",
    ];
    const TRANSPORTS: [&str; 2] =
        ["{ kind = \"tcp\" }", "{ kind = \"udp\", payload = \"1200 B\", rate = \"9 Mb/s\" }"];
    let mut texts = Vec::new();
    for queue in QUEUES {
        for loss in LOSSES {
            for transport in TRANSPORTS {
                texts.push(format!(
                    "duration = \"800 ms\"\n[bss.one]\nstandard = \"802.11g\"\n[bss.two]\nstandard = \"802.11n\"\n\
                     [station.a]\nbss = \"one\"\ncount = 2\n[station.b]\nbss = \"two\"\n[router.r]\n\
                     [link.first]\nbetween = [\"one\", \"r\"]\n[link.second]\nbetween = [\"r\", \"two\"]\ndelay = \"3 ms\"\n\
                     [host.server]\nlink = {{ to = \"r\", rate = \"12 Mb/s\", delay = \"5 ms\", queue = {{ {queue} }}, loss = {loss} }}\n\
                     [flow.up]\nfrom = \"a\"\nto = \"server\"\ntransport = {transport}\n\
                     [flow.down]\nfrom = \"server\"\nto = \"b\"\ntransport = {transport}\nstart_jitter = \"20 ms\"\n\
                     [flow.across]\nfrom = \"b\"\nto = \"a1\"\ntransport = {{ kind = \"tcp\" }}\nstart = \"100 ms\"\n"
                ));
            }
        }
    }
    numbered("wires", texts)
}

/// Positions of stations, some with a motion.
const PLACES: [&str; 10] = [
    "position = [\"5 m\", \"3 m\"]",
    "position = [\"-60 m\", \"0 m\"]",
    "position = [\"0 m\", \"90 m\"]",
    "position = [\"300 m\", \"0 m\"]",
    "position = [\"-300 m\", \"10 m\"]",
    "position = { circle = \"40 m\" }",
    "position = [\"20 m\", \"0 m\"]\nmobility = { model = \"velocity\", velocity = [\"900 m/s\", \"0 m/s\"] }",
    "mobility = { model = \"waypoints\", points = [[\"0 s\", \"1 m\", \"0 m\"], [\"200 ms\", \"500 m\", \"0 m\"]] }",
    "mobility = { model = \"trace\", file = \"walk.csv\" }",
    "mobility = { model = \"random-waypoint\", radius = \"90 m\", min_speed = \"100 m/s\", max_speed = \"800 m/s\" }",
];

/// Draws a run of a cell with a radio: propagation, reception, fading, capture, positions and motions of its stations.
fn radio(seed: u64) -> Option<Run> {
    let mut luck = Luck::of_seed(seed);
    let (standard, high, low) = *luck.pick(&STANDARDS);
    let mut text = format!("duration = \"250 ms\"\n[bss.c]\nstandard = \"{standard}\"\n");
    text +=
        *luck.pick(&["", "", "rts_threshold = \"0 B\"\n", "eifs = \"ns-2\"\n", "beacon = true\n"]);
    let is_legacy = ["802.11b", "802.11a"].contains(&standard);
    let reception =
        if is_legacy { "reception = \"qualnet4\"" } else { "reception = \"sensitivity\"" };
    let keys = [
        *luck.pick(&["tx_power = \"15 dBm\"", "tx_power = \"20 dBm\"", "noise_figure = \"7 dB\""]),
        *luck.pick(&[
            "propagation = \"free-space\"",
            "propagation = \"two-ray\"",
            "propagation = { model = \"two-ray\", ap_height = \"6 m\" }",
            "propagation = { model = \"log-distance\", exponent = 3.2 }",
        ]),
        *luck.pick(&[
            "reception = \"snr\"",
            "reception = \"snr\"",
            "reception = \"sensitivity\"",
            reception,
        ]),
        *luck.pick(&[
            "fading = \"none\"",
            "fading = { model = \"rayleigh\", coherence = \"4 ms\" }",
            "fading = { model = \"rician\", k = \"3 dB\" }",
        ]),
        *luck.pick(&["capture = \"off\"", "capture = \"10 dB\"", "capture = \"3 dB\""]),
        *luck.pick(&["shadowing = \"0 dB\"", "shadowing = \"6 dB\""]),
        *luck.pick(&["carrier_sense = \"lowest-rate\"", "carrier_sense = \"-80 dBm\""]),
    ];
    let _ = writeln!(text, "radio = {{ {} }}", keys.join(", "));
    let rates = [
        format!("\"{high}\""),
        format!("\"{low}\""),
        "{ control = \"arf\" }".into(),
        "{ control = \"aarf\" }".into(),
        "{ control = \"oracle\" }".into(),
        "{ control = \"minstrel\" }".into(),
    ];
    text += "[host.h]\nlink = { rate = \"1 Gb/s\", delay = \"1 ms\" }\n";
    for index in 0..2 + luck.below(3) {
        let (rate, place) = (luck.pick(&rates).clone(), luck.pick(&PLACES));
        let transport = luck.pick(&[
            "{ kind = \"tcp\" }",
            "{ kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }",
            "{ kind = \"udp\", payload = \"200 B\", rate = \"1 Mb/s\" }",
        ]);
        let (from, to) = if luck.one_in(2) { ("h", "s") } else { ("s", "h") };
        let [from, to] =
            [from, to].map(|end| if end == "s" { format!("s{index}") } else { end.to_owned() });
        let _ = write!(
            text,
            "[station.s{index}]\nrate = {rate}\n{place}\n\
             [flow.f{index}]\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}\n"
        );
    }
    Run::new(format!("radio-{seed}"), seed, &text, Kind::Plain)
}

/// Draws a run of two cells of 802.11ax with radios, of which one or both reuse the channel of the other by OBSS-PD.
fn reuse(seed: u64) -> Option<Run> {
    let mut luck = Luck::of_seed(seed);
    let propagation = *luck.pick(&[
        "{ model = \"residential\", floors = \"3 m\", walls = \"10 m\" }",
        "{ model = \"residential\", floors = 1, walls = \"5 m\" }",
        "{ model = \"residential\", walls = 3 }",
        "\"residential\"",
    ]);
    let radio = [
        *luck.pick(&["tx_power = \"20 dBm\"", "tx_power = \"10 dBm\""]),
        *luck.pick(&["reception = \"snr\"", "reception = \"sensitivity\""]),
        *luck.pick(&["capture = \"off\"", "capture = \"10 dB\""]),
        *luck.pick(&["carrier_sense = \"-82 dBm\"", "carrier_sense = \"-90 dBm\""]),
    ];
    let radio = format!("radio = {{ propagation = {propagation}, {} }}", radio.join(", "));
    let cell =
        *luck.pick(&["", "rts_threshold = \"0 B\"\n", "eifs = \"ns-3\"\n", "beacon = true\n"]);
    let distance = luck.pick(&["5 m", "8 m", "20 m"]);
    let mut text = "duration = \"100 ms\"\n".to_owned();
    for (name, place, colour) in [("a", "0 m", 1), ("b", *distance, 2)] {
        let level = *luck.pick(&["obss_pd = \"-72 dBm\"", "obss_pd = \"-62 dBm\"", ""]);
        let rate = *luck.pick(&[
            "\"he-mcs2x1\"",
            "{ control = \"oracle\" }",
            "{ control = \"oracle\", highest = \"60 Mb/s\" }",
            "{ control = \"minstrel\" }",
        ]);
        let [from, to] = if luck.one_in(2) { ["h", "s"] } else { ["s", "h"] };
        let _ = write!(
            text,
            "[bss.{name}]\nstandard = \"802.11ax\"\nwidth = \"20 MHz\"\nchannel = 36\ncolour = {colour}\n\
             {level}\n{cell}{radio}\nap.position = [\"{place}\", \"0 m\"]\n\
             [station.s{name}]\nbss = \"{name}\"\nrate = {rate}\nposition = [\"0 m\", \"4 m\"]\n\
             [host.h{name}]\nlink = {{ to = \"{name}\", rate = \"1 Gb/s\" }}\n\
             [flow.f{name}]\nfrom = \"{from}{name}\"\nto = \"{to}{name}\"\n\
             transport = {{ kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }}\n"
        );
    }
    Run::new(format!("reuse-{seed}"), seed, &text, Kind::Plain)
}
