//! Random scenarios of one cell with all settings that decide what a queue does with packets: standard, errors,
//! discipline, hardware queue and airtime queue limits, access categories, aggregates, several flows to one station.
//! Each runs until seconds after its flows have stopped. In every run all packets are accounted for, and no channel
//! is idle while packets wait.
//!
//! `AIRFAIR_FUZZ_SECONDS` and `PROPTEST_RNG_SEED` as in `fuzz_scenarios`.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "how long to go on is a matter of the wall clock"
)]

mod balance;
mod hunt;

use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use airfair_sim::outcome::Outcome;
use airfair_sim::record::{Record, Recorder};
use airfair_sim::run::{Control, RunError, run_with};
use airfair_sim::scenario::Scenario;
use airfair_units::{Duration, Time};
use airfair_wlan::SentFrame;
use toml::Table;

use hunt::{DocumentOutcome, Luck, hunt, luck};

/// Number of scenarios without `AIRFAIR_FUZZ_SECONDS`.
const FEW: u64 = 60;
/// Longest time for which a channel may be idle while packets wait: longer than any frame with its interframe spaces,
/// and than a time regulator delays packets.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time after which a run is regarded as endless, because its events all happen at the same instant. Most runs take
/// some milliseconds.
const ENDLESS: std::time::Duration = std::time::Duration::from_mins(1);

const STANDARDS: [&str; 9] = [
    "802.11b", "802.11a", "802.11g", "802.11n", "802.11n", "802.11n", "802.11ac", "802.11ax",
    "802.11ax",
];
const ERRORS: [&str; 7] = [
    "\"none\"",
    "\"none\"",
    "{ model = \"bernoulli\", probability = 0.05 }",
    "{ model = \"bernoulli\", probability = 0.4 }",
    "{ model = \"bernoulli\", probability = 0.8 }",
    "{ model = \"bit\", ber = 5e-5 }",
    "{ model = \"gilbert-elliott\", mean_good = \"50 ms\", mean_bad = \"20 ms\", bad = 0.9 }",
];
const DISCIPLINES: [&str; 13] = [
    "discipline = \"fifo\"",
    "discipline = \"fifo\", overflow = \"longest-flow\", ack_filter = true",
    "discipline = \"data-ack\"",
    "discipline = \"round-robin\"",
    "discipline = \"deficit-round-robin\"",
    "discipline = \"codel\"",
    "discipline = \"fq-codel\"",
    "discipline = \"fq-codel\", queues = 2",
    "discipline = \"time-regulator\"",
    "discipline = \"airtime\"",
    "discipline = \"airtime\", queues = 2",
    "discipline = \"airtime\", airtime_quantum = \"off\"",
    "discipline = \"airtime\", airtime_quantum = \"5 ms\", target = \"1 ms\", interval = \"5 ms\"",
];
const CATEGORIES: [&str; 4] = ["background", "best effort", "video", "voice"];
const TRANSPORTS: [&str; 11] = [
    "{ kind = \"udp\", payload = \"1000 B\", rate = \"60 Mb/s\" }",
    "{ kind = \"udp\", payload = \"1000 B\", rate = \"30 Mb/s\" }",
    "{ kind = \"udp\", payload = \"1472 B\", rate = \"saturated\" }",
    "{ kind = \"udp\", payload = \"300 B\", rate = \"2 Mb/s\" }",
    "{ kind = \"tcp\" }",
    "{ kind = \"tcp\", flavour = \"cubic\", window_scaling = true, receive_window = \"1 MB\" }",
    "{ kind = \"tcp\", flavour = \"sack\", size = \"200 kB\" }",
    "{ kind = \"tcp\", sack = true, loss_recovery = \"rack\", full_queue = \"hold\" }",
    "{ kind = \"tcp\", full_queue = \"hold\", small_queues = \"1 ms\" }",
    "{ kind = \"tfrc\" }",
    "{ kind = \"tfrc\", segment = \"600 B\", rate = \"4 Mb/s\" }",
];

/// Text of a random scenario.
fn cell(luck: &mut Luck) -> String {
    let standard = *luck.pick(&STANDARDS);
    let is_modern = ["802.11n", "802.11ac", "802.11ax"].contains(&standard);
    let life = *luck.pick(&[200, 500, 1_000, 2_000]);
    let mut text = format!("duration = \"{} ms\"\n[bss.c]\n", life + 6_000);
    let _ = writeln!(text, "standard = \"{standard}\"\nerrors = {}", luck.pick(&ERRORS));
    let _ = writeln!(text, "ap = {{ queue = {{ {} }} }}", queue(luck));
    for (odds, key) in [
        (3, *luck.pick(&["rts_threshold = \"0 B\"", "rts_threshold = \"500 B\""])),
        (3, *luck.pick(&["max_attempts = 1", "max_attempts = 2", "max_attempts = \"unlimited\""])),
        (4, *luck.pick(&["beacon = true", "after_collision = \"difs\"", "eifs = \"ns-2\""])),
    ] {
        if luck.one_in(odds) {
            let _ = writeln!(text, "{key}");
        }
    }
    if is_modern {
        aggregates(luck, &mut text);
    }
    let stations = 1 + luck.below(3);
    for index in 0..stations {
        let _ = writeln!(text, "[station.s{index}]");
        station(luck, &mut text, is_modern);
    }
    let rate = *luck.pick(&["20 Mb/s", "100 Mb/s", "1 Gb/s"]);
    let queue = *luck.pick(&["", "", ", queue = { packets = 2 }", ", queue = { packets = 20 }"]);
    let _ = writeln!(text, "[host.h]\nlink = {{ rate = \"{rate}\", delay = \"1 ms\"{queue} }}");
    for index in 0..=luck.below(5) {
        let _ = writeln!(text, "[flow.f{index}]\nstop = \"{life} ms\"");
        flow(luck, &mut text, (stations, is_modern));
    }
    text
}

/// Random keys of an access point's queue.
fn queue(luck: &mut Luck) -> String {
    let mut keys =
        format!("{}, packets = {}", luck.pick(&DISCIPLINES), luck.pick(&[3, 20, 60, 200, 1_000]));
    let has_aql = keys.contains("airtime");
    if (has_aql || keys.contains("data-ack")) && !luck.one_in(4) {
        let _ = write!(keys, ", hardware_queue = {}", luck.pick(&[1, 2, 3, 16, 64, 500]));
        if luck.one_in(2) {
            keys += ", hardware_queue_counts = \"packets\"";
        }
        keys += match luck.below(4) {
            _ if !has_aql => "",
            0 => ", aql = \"off\"",
            1 => ", aql = { low = \"1 ms\", high = \"2 ms\", threshold = \"3 ms\" }",
            _ => "",
        };
    }
    keys
}

/// Random keys of a cell of 802.11n or later.
fn aggregates(luck: &mut Luck, text: &mut String) {
    if luck.one_in(2) {
        let keys = luck.pick(&[
            "window = 256",
            "slow_duration = \"500 us\"",
            "max_duration = \"1 ms\"",
            "max_duration = \"4 ms\"",
            "after_silence = \"request\"",
            "max_bytes = \"8 kB\"",
        ]);
        let _ = writeln!(text, "aggregation = {{ {keys} }}");
    }
    if luck.one_in(3) {
        let _ = writeln!(text, "amsdu = \"{} B\"", luck.pick(&[3_839, 7_935]));
    }
    if luck.one_in(4) {
        let _ = writeln!(text, "edca = {{ txop_limit = \"{} us\" }}", luck.pick(&[1_504, 3_008]));
    }
}

/// Random keys of a station.
fn station(luck: &mut Luck, text: &mut String, is_modern: bool) {
    if luck.one_in(3) {
        let _ = writeln!(text, "errors = {}", luck.pick(&ERRORS));
    }
    match luck.below(5) {
        0 => *text += "rate = { control = \"minstrel\" }\n",
        1 if !is_modern => *text += "rate = { control = \"arf\" }\n",
        _ => {}
    }
    if luck.one_in(3) {
        let _ = writeln!(text, "queue = {{ packets = {} }}", luck.pick(&[2, 10, 100]));
    }
    if is_modern && luck.one_in(6) {
        let keys = ["aggregation = { after_silence = \"request\" }\n", "amsdu = \"off\"\n"];
        *text += *luck.pick(&keys);
    }
}

/// Random keys of a flow: most are downlink, some uplink or between stations.
fn flow(luck: &mut Luck, text: &mut String, (stations, has_categories): (usize, bool)) {
    let (station, other) = (luck.below(stations), luck.below(stations));
    let (from, to) = match luck.below(6) {
        0 => (format!("s{station}"), String::from("h")),
        1 if other != station => (format!("s{station}"), format!("s{other}")),
        _ => (String::from("h"), format!("s{station}")),
    };
    let transport = luck.pick(&TRANSPORTS);
    let _ = writeln!(text, "from = \"{from}\"\nto = \"{to}\"\ntransport = {transport}");
    if luck.one_in(4) {
        *text += "start = \"50 ms\"\n";
    }
    if has_categories && luck.one_in(3) {
        let _ = writeln!(text, "access_category = \"{}\"", luck.pick(&CATEGORIES));
    }
}

/// Measures how long packets wait at a channel on which nothing is sent.
#[derive(Debug, Default)]
struct IdleChannelCheck {
    /// Queue length of each member of the cell.
    lengths: Vec<u32>,
    /// Time from which on packets have waited without a transmission; `None` if no packets wait.
    since: Option<Time>,
    /// Longest such wait so far.
    longest: Duration,
}

impl IdleChannelCheck {
    fn look(&mut self, now: Time) {
        self.longest = self.since.map_or(self.longest, |since| self.longest.max(now - since));
    }

    fn queue(&mut self, now: Time, node: usize, length: u32) {
        if node >= self.lengths.len() {
            self.lengths.resize(node + 1, 0);
        }
        self.lengths[node] = length;
        let waits = self.lengths.iter().any(|length| *length > 0);
        self.since = waits.then(|| self.since.unwrap_or(now));
    }
}

impl Recorder for IdleChannelCheck {
    fn record(&mut self, now: Time, record: &Record) {
        match record {
            Record::Cell(_, airfair_wlan::Record::Queue { node, length }) => {
                self.look(now);
                self.queue(now, node.index(), *length);
            }
            Record::Cell(_, airfair_wlan::Record::Sent { frame, .. })
                if *frame != SentFrame::Beacon =>
            {
                self.look(now);
                self.since = self.since.map(|_| now);
            }
            _ => {}
        }
    }
}

/// Runs a scenario, and cancels the run if it seems to be endless.
fn run_for_a_while(
    scenario: &Scenario,
    idle_check: &mut IdleChannelCheck,
) -> Result<Outcome, RunError> {
    let control = Control::default();
    thread::scope(|threads| {
        let (running, ended) = mpsc::channel::<()>();
        let cancel = &control.cancel;
        threads.spawn(move || {
            let is_endless = ended.recv_timeout(ENDLESS) == Err(RecvTimeoutError::Timeout);
            cancel.store(is_endless, Ordering::Relaxed);
        });
        let outcome = run_with(scenario, scenario.seed, 0, idle_check, &control);
        drop(running);
        outcome
    })
}

fn check(text: &str) -> Result<DocumentOutcome, String> {
    let Ok(scenario) = Scenario::parse(text, &[]) else { return Ok(DocumentOutcome::Refused) };
    let mut idle_check = IdleChannelCheck::default();
    let outcome =
        run_for_a_while(&scenario, &mut idle_check).map_err(|error| format!("{error:?}"))?;
    balance::check(&scenario, &outcome);
    idle_check.look(Time::ZERO + scenario.duration);
    if idle_check.longest > PATIENCE {
        let IdleChannelCheck { lengths, longest, .. } = idle_check;
        return Err(format!("nothing is sent for {longest}, and packets wait: {lengths:?}"));
    }
    Ok(DocumentOutcome::Accepted { has_run: true })
}

#[test]
fn no_cell_loses_a_packet_or_starves_a_station() {
    let mut luck = luck();
    let document = || {
        let text = cell(&mut luck);
        text.parse::<Table>().unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    let tally = hunt(FEW, document, check);
    assert!(tally.ran * 4 > tally.made * 3, "{tally:?}");
}
