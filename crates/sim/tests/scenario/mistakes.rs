//! Every kind of mistake in a scenario, with its exact message.

mod channels;
mod multi_user;
mod neighbours;
mod networks;
mod quic;
mod text;

use airfair_sim::scenario::{Driver, Scenario, ScenarioError};

const GOOD: &str = r#"
duration = "60 s"
[bss.home]
standard = "802.11b"
[station.slow]
rate = "1 Mb/s"
[station.fast]
[host.server]
[flow.a]
from = "slow"
to = "server"
transport = { kind = "tcp" }
"#;

fn messages(result: Result<Scenario, Vec<ScenarioError>>) -> Vec<String> {
    result.expect_err("a mistake").iter().map(ToString::to_string).collect()
}

fn with(overrides: &[(&str, &str)]) -> Result<Scenario, Vec<ScenarioError>> {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Scenario::parse(GOOD, &overrides)
}

/// The only error message of the scenario after the key at `path` is set to `value`.
fn message(path: &str, value: &str) -> String {
    let messages = messages(with(&[(path, value)]));
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages[0].clone()
}

/// The only error message of the scenario after `from` is replaced by `to` in its text.
fn edited(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from));
    let messages = messages(Scenario::parse(&GOOD.replacen(from, to, 1), &[]));
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages[0].clone()
}

/// Quantities with a mistake: key, value and message.
const QUANTITIES: &[(&str, &str, &str)] = &[
    (
        "duration",
        "20",
        r#"duration = 20: a number without a unit; allowed a duration from 1 us to 720 h, such as "20 ms""#,
    ),
    (
        "duration",
        "0 s",
        r#"duration = "0 s": out of range; allowed a duration from 1 us to 720 h, such as "20 ms""#,
    ),
    (
        "duration",
        "721 h",
        r#"duration = "721 h": out of range; allowed a duration from 1 us to 720 h, such as "20 ms""#,
    ),
    (
        "duration",
        "20 sec",
        r#"duration = "20 sec": unknown or missing unit; allowed ns, us, ms, s, min, h, for example "20 ms""#,
    ),
    (
        "duration",
        "-1 s",
        r#"duration = "-1 s": must not be negative; allowed a duration from 1 us to 720 h, such as "20 ms""#,
    ),
    (
        "duration",
        "soon",
        r#"duration = "soon": not a number with a unit; allowed a duration from 1 us to 720 h, such as "20 ms""#,
    ),
    (
        "host.server.link.rate",
        "0 Mb/s",
        r#"host.server.link.rate = "0 Mb/s": must not be zero; allowed a rate up to 100 Gb/s, such as "11 Mb/s""#,
    ),
    (
        "host.server.link.rate",
        "200 Gb/s",
        r#"host.server.link.rate = "200 Gb/s": out of range; allowed a rate up to 100 Gb/s, such as "11 Mb/s""#,
    ),
    (
        "host.server.link.delay",
        "2 h",
        r#"host.server.link.delay = "2 h": out of range; allowed a duration from 0 s to 1 h, such as "20 ms""#,
    ),
    (
        "host.server.link.delay",
        "81 s",
        r#"host.server.link.delay = "81 s": at 100 Mb/s more than 1 GB on the way; allowed at most 80 s at this rate"#,
    ),
    (
        "bss.home.rts_threshold",
        "500",
        r#"bss.home.rts_threshold = 500: a number without a unit; allowed "off" or an amount of data from 0 B to 65536 B"#,
    ),
    (
        "bss.home.rts_threshold",
        "never",
        r#"bss.home.rts_threshold = "never": no such value; allowed "off" or an amount of data from 0 B to 65536 B"#,
    ),
    (
        "bss.home.ap.queue.packets",
        "0",
        "bss.home.ap.queue.packets = 0: out of range; allowed a whole number from 1 to 100000",
    ),
    (
        "bss.home.ap.queue.packets",
        "99999999999999999999",
        "bss.home.ap.queue.packets = 99999999999999999999: out of range; allowed a whole number from 1 to 100000",
    ),
    (
        "bss.home.ap.queue.packets",
        "1.5",
        "bss.home.ap.queue.packets = 1.5: wrong type: number with a fraction; allowed a whole number from 1 to 100000",
    ),
    ("replications", "0", "replications = 0: out of range; allowed a whole number from 1 to 10000"),
    (
        "bss.home.ap.control",
        r#""share""#,
        r#"bss.home.ap.control = "share": no such value; allowed "none", "uplink-share" or a table with scheme = "uplink-share""#,
    ),
    (
        "bss.home.ap.occupancy.beacons",
        "0",
        "bss.home.ap.occupancy.beacons = 0: out of range; allowed a whole number from 1 to 1000",
    ),
    (
        "bss.home.ap.occupancy.satisfied",
        "1.1",
        "bss.home.ap.occupancy.satisfied = 1.1: out of range; allowed a number from 0 to 1",
    ),
    (
        "bss.home.ap.occupancy.satisfied",
        "1",
        "bss.home.ap.occupancy.satisfied = 1: out of range; allowed more than 0 and less than 1",
    ),
    (
        "bss.home.ap.occupancy.satisfied",
        "0",
        "bss.home.ap.occupancy.satisfied = 0: out of range; allowed more than 0 and less than 1",
    ),
    (
        "bss.home.ap.fair.unused",
        "0",
        "bss.home.ap.fair.unused = 0: out of range; allowed more than 0 and less than 1",
    ),
    (
        "bss.home.ap.fair.unused",
        "1",
        "bss.home.ap.fair.unused = 1: out of range; allowed more than 0 and less than 1",
    ),
    (
        "bss.home.ap.fair.grant",
        "33 ms",
        r#"bss.home.ap.fair.grant = "33 ms": out of range; allowed a duration from 100 us to 32 ms, such as "20 ms""#,
    ),
    (
        "bss.home.beacon.interval",
        "700 us",
        r#"bss.home.beacon.interval = "700 us": not longer than a beacon, which takes 720 us at 1 Mb/s; allowed more than 720 us"#,
    ),
    (
        "bss.home.beacon.interval",
        "0 s",
        r#"bss.home.beacon.interval = "0 s": out of range; allowed a duration from 100 us to 60 s, such as "20 ms""#,
    ),
    (
        "bss.home.beacon.phase",
        "102400 us",
        r#"bss.home.beacon.phase = "102400 us": not less than the interval of 102.4 ms; allowed less than 102.4 ms"#,
    ),
    (
        "flow.a.control",
        "occupancy",
        r#"flow.a.control = "occupancy": the access point of home grants no shares; allowed bss.home.ap.occupancy = true, or another control"#,
    ),
    (
        "bss.home.cw_min",
        "30",
        r#"bss.home.cw_min = 30: not a contention window; allowed 1, 3, 7, 15, … 32767 (a power of two less one) or "standard""#,
    ),
    (
        "bss.home.preamble",
        "shrot",
        r#"bss.home.preamble = "shrot": no such value, did you mean "short"?; allowed "long", "short""#,
    ),
    (
        "title",
        "3",
        "title = 3: wrong type: integer; allowed one line of text, at most 200 characters",
    ),
    (
        "station",
        "3",
        "station = 3: wrong type: integer; allowed named sections, each for a station",
    ),
    (
        "station.slow",
        "3",
        "station.slow = 3: wrong type: integer; allowed a section [station.slow]",
    ),
];

#[test]
fn wrong_quantities_say_what_is_wrong_with_them() {
    for (path, value, expected) in QUANTITIES {
        assert_eq!(message(path, value), *expected);
    }
}

/// Values that do not fit the rest of the file: key, value and message.
const COMBINATIONS: &[(&str, &str, &str)] = &[
    // Rates that the standard does not have, under keys from which something is calculated.
    (
        "bss.home",
        r#"{ standard = "802.11b", basic_rates = [], beacon = { interval = "100 ms" } }"#,
        "bss.home.basic_rates = []: an empty set; allowed at least one rate",
    ),
    (
        "bss.home",
        r#"{ standard = "802.11b", basic_rate = "9 kb/s", beacon = { interval = "100 ms" } }"#,
        r#"bss.home.basic_rate = "9 kb/s": not an 802.11b rate; allowed 1, 2, 5.5, 11 Mb/s"#,
    ),
    (
        "warmup",
        "60 s",
        r#"warmup = "60 s": no time would remain to be measured; allowed less than the duration of 60 s"#,
    ),
    (
        "series",
        "5 us",
        r#"series = "5 us": 12000000 steps of 5 us for 6 flows, stations, access points and directions of links are more than 20000000 values; allowed "off", or a step of 19 us or more"#,
    ),
    (
        "bss.home.basic_rate",
        "6 Mb/s",
        r#"bss.home.basic_rate = "6 Mb/s": not an 802.11b rate; allowed 1, 2, 5.5, 11 Mb/s"#,
    ),
    (
        "bss.home.basic_rates",
        r#"["1 Mb/s", "1 Mb/s"]"#,
        r#"bss.home.basic_rates[1] = "1 Mb/s": given twice; allowed each rate once"#,
    ),
    (
        "bss.home.basic_rates",
        "[]",
        "bss.home.basic_rates = []: an empty set; allowed at least one rate",
    ),
    (
        "bss.home.protection",
        "true",
        "bss.home.protection = true: 802.11b has no protection; allowed in a cell of 802.11g or later",
    ),
    ("bss.home.cw_max", "15", "bss.home.cw_max = 15: smaller than cw_min, 31; allowed at least 31"),
    (
        "bss.home.cw_min",
        "2047",
        "bss.home.cw_min = 2047: larger than cw_max, 1023; allowed at most 1023",
    ),
    (
        "station.slow.rate",
        "57 Mb/s",
        r#"station.slow.rate = "57 Mb/s": not an 802.11b rate; allowed 1, 2, 5.5, 11 Mb/s"#,
    ),
    (
        "station.slow.rate",
        r#"[["0 s", "11 Mb/s"], ["20 s", "57 Mb/s"]]"#,
        r#"station.slow.rate[1][1] = "57 Mb/s": not an 802.11b rate; allowed 1, 2, 5.5, 11 Mb/s"#,
    ),
    (
        "station.slow.rate",
        r#"[["1 s", "11 Mb/s"]]"#,
        r#"station.slow.rate[0][0] = "1 s": a schedule starts at the start of the run; allowed "0 s" in the first step"#,
    ),
    (
        "station.slow.rate",
        r#"[["0 s", "11 Mb/s"], ["0 s", "1 Mb/s"]]"#,
        r#"station.slow.rate[1][0] = "0 s": not later than the step before; allowed after 0 s"#,
    ),
    (
        "station.slow.rate",
        r#"[["0 s", "11 Mb/s"], ["60 s", "1 Mb/s"]]"#,
        r#"station.slow.rate[1][0] = "60 s": after the end of the run; allowed before 60 s"#,
    ),
    (
        "station.slow.rate",
        r#"[["0 s"]]"#,
        r#"station.slow.rate[0] = ["0 s"]: not a pair; allowed a pair [time, rate]"#,
    ),
    (
        "station.slow.rate",
        "[]",
        r#"station.slow.rate = []: an empty schedule; allowed at least one step, at "0 s""#,
    ),
    (
        "station.slow.rate",
        r#"{ up = "7 Mb/s" }"#,
        r#"station.slow.rate.up = "7 Mb/s": not an 802.11b rate; allowed 1, 2, 5.5, 11 Mb/s"#,
    ),
    (
        "station.slow.rate",
        r#"{ control = "onoe" }"#,
        r#"station.slow.rate.control = "onoe": no such rate adaptation; allowed "arf", "aarf", "minstrel", "oracle""#,
    ),
    (
        "station.slow.rate",
        r#"{ control = "minstrel", sample_interval = "10 ms" }"#,
        r#"station.slow.rate.sample_interval = "10 ms": a key for links of 802.11n and later; allowed interval, segment, ewma, lookaround"#,
    ),
    (
        "station.slow.rate",
        r#"{ control = "arf", up = 0 }"#,
        "station.slow.rate.up = 0: out of range; allowed a whole number from 1 to 1000000",
    ),
    (
        "station.slow.rate",
        r#"{ control = "aarf", up = 60 }"#,
        "station.slow.rate.most_up: less than up; allowed at least 60",
    ),
    (
        "station.slow.rate",
        r#"{ control = "arf", most_up = 60 }"#,
        "station.slow.rate.most_up = 60: not a key of a rate adaptation; allowed \"control\", \"preset\", \"up\", \"down\", \"counting\", \"timer\", \"rts_failures\", \"initial\"",
    ),
    (
        "station.slow.rate",
        r#"{ up = { control = "arf", timer = "0 s" } }"#,
        r#"station.slow.rate.up.timer = "0 s": out of range; allowed "off" or a duration from 1 us to 1 h, such as "20 ms" or a whole number from 1 to 1000000"#,
    ),
    (
        "station.slow.standard",
        "802.11g",
        r#"station.slow.standard = "802.11g": not possible in an 802.11b cell; allowed "802.11b""#,
    ),
    (
        "station.slow.bss",
        "hom",
        r#"station.slow.bss = "hom": no such cell, did you mean "home"?; allowed "home""#,
    ),
    (
        "host.server.link.to",
        "away",
        r#"host.server.link.to = "away": no such cell, router or host; allowed "home", "server""#,
    ),
    (
        "station.slow.senses_only",
        r#"["slow"]"#,
        r#"station.slow.senses_only[0] = "slow": the station itself; allowed names of other stations"#,
    ),
    (
        "station.slow.senses_only",
        r#"["fats"]"#,
        r#"station.slow.senses_only[0] = "fats": no such station or host, did you mean "fast"?; allowed "fast", "server", "slow""#,
    ),
    (
        "station.slow.senses_only",
        r#"["server"]"#,
        r#"station.slow.senses_only[0] = "server": a host, which is not on the air; allowed names of stations"#,
    ),
    (
        "bss.home.ap.queue",
        r#"{ discipline = "fair" }"#,
        r#"bss.home.ap.queue.discipline = "fair": no such discipline; allowed "fifo", "data-ack", "round-robin", "deficit-round-robin", "codel", "dualpi2", "fq-codel", "airtime", "airtime-dualpi2", "time-regulator""#,
    ),
    (
        "bss.home.ap.queue",
        "{ packets = 0 }",
        "bss.home.ap.queue.packets = 0: out of range; allowed a whole number from 1 to 100000",
    ),
    (
        "bss.home.ap.queue",
        r#"{ discipline = "data-ack", weights = { data = 0 } }"#,
        "bss.home.ap.queue.weights.data = 0: out of range; allowed a whole number from 1 to 1000",
    ),
    (
        "bss.home.ap.queue",
        r#"{ discipline = "data-ack", weights = { ack = -1 } }"#,
        "bss.home.ap.queue.weights.ack = -1: out of range; allowed a whole number from 1 to 1000",
    ),
    (
        "bss.home.ap.queue",
        r"{ weights = { data = 3 } }",
        "bss.home.ap.queue.weights = { data = 3 }: not a key of a queue; allowed \"discipline\", \"packets\", \"mark_above\", \"overflow\", \"ack_filter\"",
    ),
    (
        "station.slow.queue",
        r#"{ discipline = "data-ack", weights = "active-flows" }"#,
        r#"station.slow.queue.weights = "active-flows": only an access point sees the connections up and down; allowed { data, ack }"#,
    ),
    (
        "station.slow.queue",
        r#"{ discipline = "airtime" }"#,
        r#"station.slow.queue.discipline = "airtime": only an access point can share time between stations; allowed another discipline"#,
    ),
    (
        "station.slow.queue",
        r#"{ discipline = "airtime-dualpi2" }"#,
        r#"station.slow.queue.discipline = "airtime-dualpi2": only an access point can share time between stations; allowed another discipline"#,
    ),
    (
        "bss.home.ap.queue",
        r#"{ discipline = "airtime-dualpi2", slow_target = "50 ms" }"#,
        r#"bss.home.ap.queue.slow_target = "50 ms": not a key of a queue; allowed "discipline", "packets", "airtime_quantum", "charges_uplink", "target", "step", "coupling", "hardware_queue", "hardware_queue_counts", "aql", "ack_filter""#,
    ),
    (
        "bss.home.ap.queue",
        r#"{ discipline = "airtime-dualpi2", coupling = 0 }"#,
        "bss.home.ap.queue.coupling = 0: out of range; allowed a whole number from 1 to 10",
    ),
    (
        "station.slow.queue",
        r#"{ discipline = "time-regulator", limit = "shared" }"#,
        r#"station.slow.queue.discipline = "time-regulator": only an access point can share time between stations; allowed another discipline"#,
    ),
    (
        "bss.home.ap.queue",
        r#"{ discipline = "airtime", overflow = "tail" }"#,
        r#"bss.home.ap.queue.overflow = "tail": not a key of a queue; allowed "discipline", "packets", "airtime_quantum", "charges_uplink", "target", "interval", "slow_below", "slow_target", "slow_interval", "ecn", "quantum", "queues", "hardware_queue", "hardware_queue_counts", "aql", "ack_filter""#,
    ),
    (
        "bss.home.ap.queue",
        r#"{ discipline = "airtime", airtime_quantum = "1 us" }"#,
        r#"bss.home.ap.queue.airtime_quantum = "1 us": out of range; allowed a duration from 10 us to 1 s, such as "20 ms" or "off""#,
    ),
    (
        "bss.home.ap.queue",
        r#"{ discipline = "time-regulator", quantum = "300 B" }"#,
        r#"bss.home.ap.queue.quantum = "300 B": not a key of a queue; allowed "discipline", "packets", "limit", "bucket", "adjustment", "charges_backoff", "overflow", "ack_filter""#,
    ),
    (
        "bss.home.ap.queue",
        r#"{ discipline = "time-regulator", adjustment = "0 s" }"#,
        r#"bss.home.ap.queue.adjustment = "0 s": out of range; allowed a duration from 1 ms to 60 s, such as "20 ms""#,
    ),
    (
        "station.slow.edca",
        "{ aifsn = 1 }",
        "station.slow.edca.aifsn = 1: only an access point may wait less than a DIFS; allowed 2 to 15",
    ),
    (
        "station.slow.edca",
        "{ cw_max = 15 }",
        "station.slow.edca = cw_min 31, cw_max 15: the smallest contention window is larger than the largest; allowed cw_min at most cw_max; the default of each is the cell's",
    ),
    (
        "bss.home.ap.edca",
        "{ cw_min = 5 }",
        r#"bss.home.ap.edca.cw_min = 5: not a contention window; allowed 1, 3, 7, 15, … 32767 (a power of two less one) or "cell""#,
    ),
    ("station.slow.count", "5000", "station = 5001 stations: too many; allowed at most 5000"),
    (
        "flow.a.to",
        "servr",
        r#"flow.a.to = "servr": no such station or host, did you mean "server"?; allowed "fast", "server", "slow""#,
    ),
    (
        "flow.a.to",
        "slow",
        r#"flow.a.to = "slow": a flow to its own sender; allowed another station or host"#,
    ),
    (
        "flow.a.start",
        "60 s",
        r#"flow.a.start = "60 s": not before the end of the run; allowed before 60 s"#,
    ),
    (
        "flow.a.stop",
        "0 s",
        r#"flow.a.stop = "0 s": not after the start; allowed after 0 s, or "end""#,
    ),
    (
        "flow.a.transport.segment",
        "2257 B",
        r#"flow.a.transport.segment = "2257 B": with 40 octets of headers and 8 of LLC/SNAP more than 2304; allowed at most 2256 B"#,
    ),
    (
        "flow.a.transport.prr",
        "true",
        r"flow.a.transport.prr = true: needs selective acknowledgements; allowed false, or sack = true",
    ),
    (
        "flow.a.transport.loss_recovery",
        r#""rack""#,
        r#"flow.a.transport.loss_recovery = "rack": needs selective acknowledgements; allowed "duplicates", or sack = true"#,
    ),
    (
        "flow.a.transport.receive_window",
        "64 KiB",
        r#"flow.a.transport.receive_window = "64 KiB": too large without window scaling; allowed at most 65535 B, or window_scaling = true"#,
    ),
    (
        "flow.a.transport.receive_window",
        "1 kB",
        r#"flow.a.transport.receive_window = "1 kB": less than one segment; allowed at least 1460 B"#,
    ),
    (
        "flow.a.transport.kind",
        "tpc",
        r#"flow.a.transport.kind = "tpc": no such transport, did you mean "tcp"?; allowed "tcp", "quic", "tfrc", "udp", "external""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", rate = "saturated" }"#,
        "flow.a.transport.payload: missing; allowed an amount of data from 1 B to 2276 B",
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", rate = "saturated", payload = "1 B", segment = "1 B" }"#,
        r#"flow.a.transport.segment = "1 B": not a key of a UDP transport; allowed "kind", "payload", "rate", "source""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tfrc", rate = "greedy", source = { model = "on-off", rate = "1 Mb/s", on = "1 s", off = "1 s" } }"#,
        r#"flow.a.transport.source = { model = "on-off", rate = "1 Mb/s", on = "1 s", off = "1 s…: set together with rate; allowed one of the two"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", payload = "1 kB" }"#,
        r#"flow.a.transport.rate: missing; allowed "saturated" or a rate up to 100 Gb/s, such as "11 Mb/s""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", rate = "1 Mb/s", source = "call" }"#,
        r#"flow.a.transport.source = "call": set together with rate; allowed one of the two"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = "game" }"#,
        r#"flow.a.transport.source = "game": no such value; allowed "call", "video-call" or a table with model = "call" or model = "game" or model = "video-call" or model = "desktop""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "video-call", rate_control = "bbr" } }"#,
        r#"flow.a.transport.source.rate_control = "bbr": no such value; allowed "none", "gcc", "nada" or a table with law = "gcc" or law = "nada""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "video-call", rate_control = { law = "gcc", start = "3 Mb/s" } } }"#,
        r#"flow.a.transport.source.rate_control.start = "3 Mb/s": above the rate of the call; allowed at most 2 Mb/s"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "video-call", rate = "1 Mb/s", rate_control = { law = "nada", least = "2 Mb/s" } } }"#,
        r#"flow.a.transport.source.rate_control.least = "2 Mb/s": above the rate of the call; allowed at most 1 Mb/s"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "video-call", rate_control = { law = "nada", start = "100 kb/s" } } }"#,
        r#"flow.a.transport.source.rate_control.start = "100 kb/s": below the lowest rate; allowed at least 150 kb/s"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "video-call", rate = "100 kb/s", rate_control = "gcc" } }"#,
        r#"flow.a.transport.source.rate_control = "gcc": its lowest rate of 150 kb/s is above the rate of the call; allowed a table with least"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "video-call", rate = "100 kb/s", rate_control = { law = "gcc" } } }"#,
        "flow.a.transport.source.rate_control.least: above the rate of the call; allowed at most 100 kb/s",
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "video-call", rate_control = { law = "gcc", feedback = "0 s" } } }"#,
        r#"flow.a.transport.source.rate_control.feedback = "0 s": out of range; allowed a duration from 1 ms to 5 s, such as "20 ms""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "game" } }"#,
        r#"flow.a.transport.source.end: missing; allowed "server", "player""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "call", codec = "g7" } }"#,
        r#"flow.a.transport.source.codec = "g7": no such value; allowed "amr", "g711", "g729", "opus""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", source = { model = "call", deadline = "0 s" } }"#,
        r#"flow.a.transport.source.deadline = "0 s": out of range; allowed a duration from 1 us to 1 h, such as "20 ms""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "udp", payload = "12 B", source = "call" }"#,
        r#"flow.a.transport.payload = "12 B": no more than the 12 octets of RTP's header; allowed at least 13 B"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tcp", size = "1 MB", source = "web" }"#,
        r#"flow.a.transport.size = "1 MB": set together with a source; allowed "endless", or a source "bulk""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tcp", source = { model = "video", rates = ["2 Mb/s", "1 Mb/s"] } }"#,
        r#"flow.a.transport.source.rates = ["2 Mb/s", "1 Mb/s"]: rates that a player cannot climb; allowed 1 to 100 rates, the lowest first"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tcp", source = { model = "video", chunk = "120 s" } }"#,
        r#"flow.a.transport.source.chunk = "120 s": longer than the player's buffer; allowed at most 60 s"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tcp", source = { model = "video", buffer = "3 s" } }"#,
        r#"flow.a.transport.source.buffer = "3 s": shorter than a chunk; allowed at least 4 s"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tcp", source = { model = "frames", interval = "40 ms", sizes = [] } }"#,
        "flow.a.transport.source.sizes = []: no frames; allowed 1 to 100000 sizes",
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tfrc", source = { model = "on-off", rate = "1 Mb/s", on = "0 s", off = "1 s" } }"#,
        r#"flow.a.transport.source.on = "0 s": out of range; allowed a duration from 1 us to 1 h, such as "20 ms""#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tfrc", source = { model = "frames", interval = "40 ms", sizes = [] } }"#,
        "flow.a.transport.source.sizes = []: no frames; allowed 1 to 100000 sizes",
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tfrc", source = { model = "frames", interval = "40 ms", sizes = ["1 kB", "0 B"] } }"#,
        r#"flow.a.transport.source.sizes[1] = "0 B": out of range; allowed an amount of data from 1 B to 10 MB"#,
    ),
    (
        "flow.a.transport",
        r#"{ kind = "tfrc", source = { model = "video" } }"#,
        r#"flow.a.transport.source.model = "video": no such source model; allowed "on-off", "frames""#,
    ),
    (
        "flow.a.transport.payload",
        "1 B",
        r#"flow.a.transport.payload = "1 B": not a key of a TCP transport; allowed "kind", "stack", "flavour", "sack", "prr", "loss_recovery", "arithmetic", "slow_start", "ecn", "ecn_feedback", "pacing", "timestamps", "segment", "size", "source", "delayed_ack", "initial_window", "initial_ssthresh", "receive_window", "window_scaling", "min_rto", "tick", "recovery_timer", "deflation", "limited_transmit", "byte_counting", "grow_beyond_receive_window", "quick_acks", "full_queue", "small_queues", "handshake""#,
    ),
];

#[test]
fn what_does_not_fit_together_says_why() {
    for (path, value, expected) in COMBINATIONS {
        assert_eq!(message(path, value), *expected);
    }
}

#[test]
fn arf_aware_tcp_needs_tcp_and_a_station() {
    let udp = ("flow.a.transport", r#"{ kind = "udp", payload = "1 kB", rate = "saturated" }"#);
    let scheme = ("flow.a.control", "arf-aware");
    let tfrc = ("flow.a.transport", r#"{ kind = "tfrc" }"#);
    for without_window in [udp, tfrc] {
        assert_eq!(
            messages(with(&[without_window, scheme])),
            [
                r#"flow.a.control = "arf-aware": arf-aware needs TCP: it scales the TCP congestion window; allowed "none", or transport = { kind = "tcp" }"#
            ]
        );
    }
    assert_eq!(
        messages(with(&[("flow.a.from", "server"), ("flow.a.to", "slow"), scheme])),
        [
            r#"flow.a.control = "arf-aware": arf-aware needs a station as sender: only a wireless link changes its rate; allowed "none", or a flow from a station"#
        ]
    );
}

#[test]
fn a_cap_by_rate_needs_a_sender_whose_rate_changes_and_which_can_be_told() {
    let scheme = ("flow.a.control", "rate-cap");
    let udp = ("flow.a.transport", r#"{ kind = "udp", payload = "1 kB", rate = "saturated" }"#);
    assert_eq!(
        messages(with(&[udp, scheme])),
        [
            r#"flow.a.control = "rate-cap": rate-cap needs TCP or TFRC: the rate of a UDP source cannot be limited; allowed "none", or transport = { kind = "tfrc" }"#
        ]
    );
    assert_eq!(
        messages(with(&[("flow.a.from", "server"), ("flow.a.to", "slow"), scheme])),
        [
            r#"flow.a.control = "rate-cap": rate-cap needs a station as sender: only a wireless link changes its rate; allowed "none", or a flow from a station"#
        ]
    );
    let nothing = ("flow.a.control", r#"{ scheme = "rate-cap", share = 0 }"#);
    assert_eq!(
        messages(with(&[nothing])),
        ["flow.a.control.share = 0: out of range; allowed more than 0"]
    );
    assert!(with(&[("flow.a.control", r#"{ scheme = "rate-cap", share = 1 }"#)]).is_ok());
}

#[test]
fn windows_from_occupancy_need_tcp_and_a_station() {
    let scheme = ("flow.a.control", r#"{ scheme = "arf-window", slot = "1 s" }"#);
    let tfrc = ("flow.a.transport", r#"{ kind = "tfrc" }"#);
    assert_eq!(
        messages(with(&[tfrc, scheme])),
        [
            r#"flow.a.control = { scheme = "arf-window", slot = "1 s" }: arf-window needs TCP: it limits the TCP window; allowed "none", or transport = { kind = "tcp" }"#
        ]
    );
    for (from, to) in [("server", "slow"), ("slow", "server")] {
        assert!(with(&[("flow.a.from", from), ("flow.a.to", to), scheme]).is_ok());
    }
    let wired = "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\n[station.s]\n[host.a]\n[host.b]\n\
                 [flow.f]\nfrom = \"a\"\nto = \"b\"\ntransport = { kind = \"tcp\" }\n\
                 control = \"arf-window\"\n";
    assert_eq!(
        messages(Scenario::parse(wired, &[])),
        [
            r#"flow.f.control = "arf-window": arf-window needs a station at one end at least: only stations can observe the channel; allowed "none", or a flow from or to a station"#
        ]
    );
}

#[test]
fn two_forms_of_one_setting_exclude_each_other() {
    let rates = [("bss.home.basic_rate", "1 Mb/s"), ("bss.home.basic_rates", r#"["2 Mb/s"]"#)];
    assert_eq!(
        messages(with(&rates)),
        [
            r#"bss.home.basic_rates = ["2 Mb/s"]: set together with basic_rate; allowed one of the two"#
        ]
    );
    let limits = [("bss.home.max_attempts", "7"), ("bss.home.retry_limits", "{ short = 7 }")];
    assert_eq!(
        messages(with(&limits)),
        [
            "bss.home.retry_limits = { short = 7 }: set together with max_attempts; allowed one of the two"
        ]
    );
}

#[test]
fn a_b_station_in_a_g_cell_limits_the_basic_rates() {
    let mixed = [
        ("bss.home.standard", "802.11g"),
        ("bss.home.basic_rate", "6 Mb/s"),
        ("station.slow.standard", "802.11b"),
    ];
    assert_eq!(
        messages(with(&mixed)),
        [
            r#"bss.home.basic_rate = "6 Mb/s": station slow has 802.11b, which lacks this rate; allowed 1, 2, 5.5, 11 Mb/s"#
        ]
    );
}

#[test]
fn missing_sections_and_cells_are_told_once() {
    let flow = "[flow.a]\nfrom = \"slow\"\nto = \"server\"\ntransport = { kind = \"tcp\" }\n";
    assert_eq!(edited(flow, ""), "flow: missing section; allowed [flow.NAME]");
    let stations = "[station.slow]\nrate = \"1 Mb/s\"\n[station.fast]\n";
    assert_eq!(edited(stations, ""), "station: missing section; allowed [station.NAME]");
    assert_eq!(edited(stations, "[station]\n"), "station: missing section; allowed [station.NAME]");
    let cell = "[bss.home]\nstandard = \"802.11b\"\n";
    assert_eq!(edited(cell, ""), "bss: missing section; allowed [bss.NAME]");
    assert_eq!(
        messages(Scenario::parse("", &[])),
        [
            "duration: missing; allowed a duration from 1 us to 720 h, such as \"20 ms\"",
            "flow: missing section; allowed [flow.NAME]",
            "bss: missing section; allowed [bss.NAME]",
            "station: missing section; allowed [station.NAME]",
        ]
    );
}

#[test]
fn a_misspelt_section_does_not_lose_the_names_in_it_twice() {
    let keys = r#""title", "duration", "warmup", "series", "seed", "replications", "bss", "station", "host", "router", "link", "flow""#;
    assert_eq!(
        edited("[station.slow]", "[stations.slow]"),
        format!(
            "stations = {{ slow = {{ rate = \"1 Mb/s\" }} }}: not a key of the scenario, did you mean \
             \"station\"?; allowed {keys}"
        )
    );
    assert_eq!(
        edited("duration", "duratoin"),
        format!(
            "duratoin = \"60 s\": not a key of the scenario, did you mean \"duration\"?; allowed {keys}"
        )
    );
}

#[test]
fn names_are_short_plain_and_given_once() {
    let taken = "the name fast is given twice; allowed a name that is not used elsewhere";
    assert_eq!(
        edited("[host.server]", "[host.server]\n[host.fast]"),
        format!("host.fast: {taken}")
    );
    let group = "[station.fast]\n[station.f]\ncount = 2\n[host.f2]";
    assert_eq!(
        edited("[station.fast]", group),
        "host.f2: the name f2 is given twice; allowed a name that is not used elsewhere"
    );
    assert_eq!(
        edited("[station.fast]", "[station.ap]"),
        "station.ap: the name ap is reserved for the access point; allowed a name that is not used elsewhere"
    );
    assert_eq!(
        edited("[station.fast]", "[station.\"two words\"]"),
        "station.\"two words\": not a name; allowed 1 to 64 letters, digits, - and _"
    );
    let long = "x".repeat(64);
    assert_eq!(
        edited("[station.fast]", &format!("[station.{long}]\ncount = 2")),
        format!(
            "station.{long}: the name is too long for a group, whose members are numbered; allowed 64 \
             characters, the number included"
        )
    );
}

#[test]
fn flows_are_not_too_many() {
    // 2 stations with 5001 flows each; flows beyond the limit are not even created.
    for count in ["5001", "10000"] {
        let overrides = [("station.slow.count", "2"), ("flow.a.count", count)];
        assert_eq!(
            messages(with(&overrides)),
            ["flow = more than 10000 flows: too many; allowed at most 10000"]
        );
    }
}

#[test]
fn groups_pair_up_only_if_they_are_of_one_size() {
    let group = "[station.p]\ncount = 2\n[station.q]\ncount = 3\n[host.server]";
    let flow = "[flow.a]\nfrom = \"p\"\nto = \"q\"\ntransport = { kind = \"tcp\" }\n[flow.b]";
    let text = GOOD.replace("[host.server]", group).replace("[flow.a]", flow);
    assert_eq!(
        messages(Scenario::parse(&text, &[])),
        [
            "flow.a.to = \"q\": 3 receivers for 2 senders; allowed a group of the same size, or one receiver"
        ]
    );
    let numbered = text.replace("to = \"q\"", "to = \"server\"").replace("[flow.b]", "[flow.a2]");
    assert_eq!(
        messages(Scenario::parse(&numbered, &[])),
        ["flow.a2: the name a2 is given twice; allowed other names: flows of a group, or of a \
             count, are numbered"]
    );
}

#[test]
fn only_a_scenario_that_is_emulated_may_be_without_flows() {
    let quiet =
        b"duration = \"4 s\"\n[bss.home]\nstandard = \"802.11b\"\n[station.a]\n[host.server]\n";
    let parsed = |driver| Scenario::load(quiet, &[], &mut |_| Ok(Vec::new()), driver);
    assert!(parsed(Driver::Emulation).is_ok_and(|scenario| scenario.flows.is_empty()));
    let told = parsed(Driver::Run).expect_err("a run has nothing to do");
    assert!(told[0].to_string().starts_with("flow"), "{told:?}");
}

#[test]
fn the_kernel_carries_flows_of_emulations_alone_and_windows_control_it() {
    let text = "duration = \"4 s\"\n[bss.home]\nstandard = \"802.11b\"\n[station.a]\n[host.h]\n[flow.f]\nfrom = \"a\"\n\
                to = \"h\"\ntransport = { kind = \"tcp\", stack = \"kernel\", flavour = \"cubic\" }\n";
    let parsed =
        |text: &str, driver| Scenario::load(text.as_bytes(), &[], &mut |_| Ok(Vec::new()), driver);
    let scenario = parsed(text, Driver::Emulation).expect("an emulation has a kernel");
    assert!(scenario.to_toml().contains("stack = \"kernel\""), "{}", scenario.to_toml());
    let told = parsed(text, Driver::Run).expect_err("a run has none")[0].to_string();
    assert!(
        told.starts_with("flow.f.transport.stack = \"kernel\": a simulated run has no kernel"),
        "{told}"
    );
    let controlled = format!("{text}control = \"arf-aware\"\n");
    assert!(parsed(&controlled, Driver::Emulation).is_ok());
    let once = format!("{text}control = {{ scheme = \"arf-aware\", variant = \"one-shot\" }}\n");
    let told = parsed(&once, Driver::Emulation).expect_err("it sets cwnd")[0].to_string();
    assert!(
        told.contains("one-shot only sets cwnd, which is not possible in the kernel"),
        "{told}"
    );
    let flavour = |word: &str| text.replace("\"cubic\"", &format!("\"{word}\""));
    assert!(parsed(&flavour("dctcp"), Driver::Emulation).is_ok());
    let told = parsed(&flavour("prague"), Driver::Emulation).expect_err("no kernel has it");
    let expected = "flow.f.transport.flavour = \"prague\": no released kernel has Prague; allowed \"dctcp\", or \
                    stack = \"simulated\"";
    assert_eq!(told.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    let source = "kind = \"tfrc\", stack = \"kernel\", source = { model = \"on-off\", rate = \"1 Mb/s\", \
                  on = \"1 s\", off = \"1 s\" }";
    let real = text.replace("kind = \"tcp\", stack = \"kernel\", flavour = \"cubic\"", source);
    let told = parsed(&real, Driver::Emulation).expect_err("a constant rate, or always more");
    assert!(told[0].to_string().contains("has no such application"), "{told:?}");
}

#[test]
fn overrides_are_checked_like_the_file() {
    let scenario = with(&[("duration", "\"20 s\""), ("station.fast.rate", " 2 Mb/s ")]);
    let scenario = scenario.expect("no mistake");
    assert_eq!(scenario, with(&[("duration", "20 s"), ("station.fast.rate", "2 Mb/s")]).unwrap());
    assert_eq!(scenario.duration.to_string(), "20 s");
    assert_eq!(
        message("station.slwo.rate", "1 Mb/s"),
        "station.slwo: the file has no station of this name, did you mean \"slow\"?; allowed \"slow\", \"fast\""
    );
    assert_eq!(
        message("station.slow.rate.up", "1 Mb/s"),
        "station.slow.rate = \"1 Mb/s\": a value, and not a table with the key \"up\"; allowed a new value \
         for the whole key"
    );
    assert_eq!(
        message("bss..rate", "1 Mb/s"),
        "--set = \"bss..rate\": not a path; allowed dotted keys such as bss.home.rts_threshold"
    );
    assert_eq!(
        message("flow.a.start.x", "1"),
        "flow.a.start = { x = 1 }: wrong type: table; allowed a duration from 0 s to 720 h, such as \
         \"20 ms\""
    );
}

#[test]
fn all_mistakes_come_at_once_in_the_order_of_the_file() {
    let text = r#"
duration = "60 sec"
warmup = "1 h"
[bss.home]
standard = "802.11b"
preambel = "short"
[station.slow]
rate = [["0 s", "11 Mb/s"], ["20 s", "57 Mb/s"]]
[station.fast]
senses_only = ["nobody"]
[host.server]
link = { rate = "0 b/s", to = "home" }
[flow.a]
from = "slow"
to = "nowhere"
transport = { kind = "tcp", segment = "1 MB" }
[flow.b]
to = "server"
control = "tfrc"
"#;
    let overrides = [("seed".to_owned(), "-1".to_owned())];
    let messages = messages(Scenario::parse(text, &overrides));
    let places: Vec<&str> = messages
        .iter()
        .map(|m| m.split(" = ").next().unwrap().split(": ").next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "duration",
            "bss.home.preambel",
            "station.slow.rate[1][1]",
            "station.fast.senses_only[0]",
            "host.server.link.rate",
            "flow.a.to",
            "flow.a.transport.segment",
            "flow.b.from",
            "flow.b.transport",
            "flow.b.control",
            "seed",
        ]
    );
}

/// Only TCP takes part in explicit congestion notification, and only with a window that answers marks.
#[test]
fn marks_need_a_transport_that_answers_them() {
    let message = |transport: &str| messages(with(&[("flow.a.transport", transport)])).join("\n");
    assert_eq!(
        message("{ kind = \"tcp\", flavour = \"bbr\", ecn = true }"),
        "flow.a.transport.ecn = true: flavour bbr does not answer marks; allowed false, or another flavour"
    );
    assert_eq!(
        message("{ kind = \"tcp\", flavour = \"dctcp\", ecn = false }"),
        "flow.a.transport.ecn = false: flavour dctcp always has ecn; allowed true, or another flavour"
    );
    assert_eq!(
        message("{ kind = \"quic\", flavour = \"bbr\", ecn = true }"),
        "flow.a.transport.ecn = true: flavour bbr does not answer marks; allowed false, or another flavour"
    );
    assert_eq!(
        message("{ kind = \"quic\", server_crypto = \"2 kB\" }"),
        "flow.a.transport.server_crypto = \"2 kB\": there are no messages without a handshake; allowed handshake = true"
    );
    for (transport, expected) in [
        ("ecn_feedback = \"ace\"", "\"ace\": there are no marks without ecn; allowed ecn = true"),
        (
            "flavour = \"prague\", ecn_feedback = \"classic\"",
            "\"classic\": flavour prague needs the number of marks; allowed \"exact\", \"ace\", \"accurate\"",
        ),
        (
            "ecn = true, ecn_feedback = \"exact\"",
            "\"exact\": flavour newreno expects its answer to end the echo; allowed \"classic\", \"ace\", \"accurate\"",
        ),
        (
            "ecn = true, ecn_feedback = \"much\"",
            "\"much\": no such value; allowed \"classic\", \"exact\", \"ace\", \"accurate\"",
        ),
    ] {
        let found = message(&format!("{{ kind = \"tcp\", {transport} }}"));
        assert_eq!(found, format!("flow.a.transport.ecn_feedback = {expected}"));
    }
    for (key, found) in [
        ("bss.home.ap.queue", "{ packets = 30, mark_above = 30 }"),
        ("bss.home.ap.queue", "{ mark_above = 50 }"),
        ("host.server.link.queue", "{ packets = 30, mark_above = 40 }"),
    ] {
        let found = messages(with(&[(key, found)]));
        let is_right =
            found.len() == 1 && found[0].contains("above the queue; allowed less than packets, ");
        assert!(is_right, "{found:?}");
    }
    let red = "{ discipline = \"red\", mark_above = 20 }";
    assert_eq!(
        messages(with(&[("host.server.link.queue", red)])),
        [
            "host.server.link.queue.mark_above = 20: set for another discipline; allowed discipline = \"fifo\""
        ]
    );
    for transport in [
        "{ kind = \"udp\", payload = \"500 B\", rate = \"saturated\", ecn = true }",
        "{ kind = \"tfrc\", ecn = true }",
    ] {
        let found = message(transport);
        assert!(found.starts_with("flow.a.transport.ecn = true: "), "{found}");
    }
    assert!(with(&[("flow.a.transport", "{ kind = \"tcp\", ecn = true }")]).is_ok());
}

/// BBR needs selective acknowledgements, RACK, pacing and a window of four segments; slow start of another kind is for
/// the flavours of Reno and CUBIC.
#[test]
fn bbr_needs_its_machinery_and_four_segments() {
    let parse = |settings: &str| {
        let text = GOOD.replace("kind = \"tcp\"", &format!("kind = \"tcp\", {settings}"));
        Scenario::parse(&text, &[])
    };
    let tests = [
        (
            "flavour = \"bbr\", segment = \"1000 B\", receive_window = \"2 kB\"",
            "receive_window = \"2 kB\": flavour bbr needs a window of four segments; allowed at least 4000 B",
        ),
        (
            "flavour = \"bbr1\", sack = false",
            "sack = false: flavour bbr1 needs selective acknowledgements; allowed true, or another flavour",
        ),
        (
            "flavour = \"bbr1\", loss_recovery = \"duplicates\"",
            "loss_recovery = \"duplicates\": flavour bbr1 detects losses by time; allowed \"rack\", or another flavour",
        ),
        (
            "flavour = \"bbr\", pacing = false",
            "pacing = false: flavour bbr always paces; allowed true, or another flavour",
        ),
        (
            "flavour = \"vegas\", slow_start = \"hystart++\"",
            "slow_start = \"hystart++\": the flavour has a slow start of its own; allowed \"standard\", or flavour \
             reno, newreno, sack or cubic",
        ),
    ];
    for (settings, expected) in tests {
        assert_eq!(messages(parse(settings)).join("\n"), format!("flow.a.transport.{expected}"));
    }
    assert!(parse("flavour = \"bbr\", segment = \"1000 B\", receive_window = \"4 kB\"").is_ok());
}

#[test]
fn selective_acknowledgement_belongs_to_its_flavour_and_options_take_room() {
    let tcp = |settings: &str| {
        let text = GOOD.replace("kind = \"tcp\"", &format!("kind = \"tcp\", {settings}"));
        Scenario::parse(&text, &[])
    };
    assert_eq!(
        messages(tcp("flavour = \"sack\", sack = false")),
        [
            "flow.a.transport.sack = false: flavour sack needs selective acknowledgements; allowed true, or \
          another flavour"
        ]
    );
    assert!(tcp("flavour = \"cubic\", prr = true").is_ok());
    assert_eq!(messages(tcp("flavour = \"cubic\", sack = false, prr = true")).len(), 1);
    // An MSDU of 2304 octets: 8 of LLC/SNAP, 20 of IP, 20 of TCP and 12 of timestamps leave 2244.
    assert!(tcp("segment = \"2244 B\", timestamps = true").is_ok());
    assert!(tcp("segment = \"2245 B\"").is_ok());
    assert_eq!(
        messages(tcp("segment = \"2245 B\", timestamps = true")),
        [
            "flow.a.transport.segment = \"2245 B\": with 52 octets of headers and 8 of LLC/SNAP more than \
          2304; allowed at most 2244 B"
        ]
    );
}

/// UDP through a queue with weights for DATA and ACKs is refused, because the weights need senders that follow their
/// ACKs.
#[test]
fn udp_through_a_queue_of_data_and_acks_is_refused_where_it_goes_through() {
    let udp = r#"{ kind = "udp", payload = "500 B", rate = "saturated" }"#;
    let data_ack = r#"{ discipline = "data-ack" }"#;
    let both = |queue| with(&[("flow.a.transport", udp), (queue, data_ack)]);
    let allowed = "allowed no UDP flow through this queue, or another discipline";
    assert_eq!(
        messages(both("station.slow.queue")),
        [format!(
            r#"station.slow.queue.discipline = "data-ack": flow.a is UDP and does not adapt to ACKs; {allowed}"#
        )]
    );
    // Uplink data does not go through the access point's transmit queue.
    assert!(both("bss.home.ap.queue").is_ok());
    let down = [("flow.a.transport", udp), ("flow.a.from", "server"), ("flow.a.to", "slow")];
    let down = [&down[..], &[("bss.home.ap.queue", data_ack)]].concat();
    assert_eq!(
        messages(with(&down)),
        [format!(
            r#"bss.home.ap.queue.discipline = "data-ack": flow.a is UDP and does not adapt to ACKs; {allowed}"#
        )]
    );
}

#[test]
fn an_access_point_with_mu_mimo_cannot_be_fair() {
    let cell = [("bss.home.standard", "802.11ax"), ("bss.home.streams", "4")];
    let fair = ("bss.home.ap.fair", "true");
    let expected = "bss.home.ap.fair = true: not possible with mu_mimo: the users of its frames are not chosen yet; \
                    allowed false, or a cell without mu_mimo";
    let found = messages(with(&[cell[0], cell[1], ("bss.home.mu_mimo", "{}"), fair]));
    assert!(found.iter().any(|it| it == expected), "{found:?}");
}

#[test]
fn shares_are_granted_in_beacons_to_who_can_keep_them() {
    let grants = ("bss.home.ap.occupancy", "true");
    let unsent = messages(with(&[grants, ("bss.home.beacon", "false")]));
    let expected = "bss.home.beacon = false: needed by ap.occupancy, which grants shares of the channel in beacons; \
                    allowed true, or ap.occupancy = false";
    assert_eq!(unsent, [expected]);
    let scheme = ("flow.a.control", "occupancy");
    assert!(with(&[grants, scheme]).is_ok());
    let udp = "{ kind = \"udp\", payload = \"500 B\", rate = \"saturated\" }";
    let expected = "flow.a.control = \"occupancy\": occupancy needs TCP or TFRC: the rate of a UDP source cannot be limited; \
     allowed \"none\", or transport = { kind = \"tfrc\" }";
    assert_eq!(messages(with(&[grants, scheme, ("flow.a.transport", udp)])), [expected]);
    let wired =
        [grants, scheme, ("flow.a.from", "other")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    let two_hosts = GOOD.replace("[host.server]", "[host.other]\n[host.server]");
    let expected = "flow.a.control = \"occupancy\": occupancy needs a station at one end at least: only stations receive \
     beacons; allowed \"none\", or a flow from or to a station";
    assert_eq!(messages(Scenario::parse(&two_hosts, &wired)), [expected]);
    // The six octets of a grant count: 66 + 6 octets at 1 Mb/s take 192 + 576 µs.
    let short = messages(with(&[grants, ("bss.home.beacon.interval", "760 us")]));
    assert!(short.len() == 1 && short[0].contains("takes 768 us at 1 Mb/s"), "{short:?}");
}
