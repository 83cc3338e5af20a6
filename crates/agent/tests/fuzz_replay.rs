//! Hostile recordings through all laws. A replay must end with decisions or with an error that
//! names the line, and never with a panic.
//!
//! A recording has a few stations and connections whose counters grow, jump, go back, and reach the
//! ends of their ranges. Some of its lines are damaged. `PROPTEST_RNG_SEED` chooses the recordings.
//! With `AIRFAIR_FUZZ_SECONDS` the test runs for that time instead of for [`FEW`] recordings. A
//! recording that fails is written to a file, which the message names.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use airfair_agent::recording::replay;
use serde_json::{Map, Value, json};

/// Number of recordings that the fuzz test replays without `AIRFAIR_FUZZ_SECONDS`.
const FEW: u64 = 600;
/// Most samples in a recording of the fuzz test.
const SAMPLES: u64 = 40;
/// Configurations of all schemes as JSON, for the heads of recordings; the last one is invalid.
const SCHEMES: [&str; 10] = [
    r#"{"scheme": "arf-aware", "polls": 1}"#,
    r#"{"scheme": "arf-window", "polls": 1, "arf-window": {"samples": 1}}"#,
    r#"{"scheme": "arf-window", "polls": 1, "arf-window": {"samples": 2, "rise": "printed", "fall": "printed"}}"#,
    r#"{"scheme": "occupancy", "polls": 1, "occupancy": {"samples": 1, "role": "access-point"}}"#,
    r#"{"scheme": "occupancy", "polls": 2, "occupancy": {"samples": 3, "role": "station"}}"#,
    r#"{"scheme": "shared-windows"}"#,
    r#"{"scheme": "data-ack", "data-ack": {"weights": "connections"}}"#,
    r#"{"scheme": "airtime-weights", "airtime-weights": {"weights": "connections"}}"#,
    r#"{"scheme": "fair", "polls": 1}"#,
    r#"{"scheme": "none"}"#,
];
/// Values for counters: ends of their ranges, and values near which sums and products overflow.
const ENDS: [u64; 18] = [
    0,
    1,
    1_000,
    65_535,
    100_000,
    1_000_000,
    11_000_000,
    (1 << 32) - 1,
    1 << 32,
    1_000_000_000,
    1_000_000_000_000,
    429_496_729_500_000,
    (1 << 53) + 1,
    1 << 60,
    (1 << 60) + 1,
    1 << 61,
    1 << 63,
    u64::MAX,
];

#[test]
fn no_recording_ends_a_replay_with_a_panic() {
    let seed = variable("PROPTEST_RNG_SEED").unwrap_or(1);
    let time = variable("AIRFAIR_FUZZ_SECONDS").map(Duration::from_secs);
    let began = Instant::now();
    let (mut round, mut whole, mut decided) = (0, 0_u64, 0_u64);
    while time.map_or(round < FEW, |time| began.elapsed() < time) {
        let text = Recording::new(seed.wrapping_mul(1 << 32) + round).text();
        match catch_unwind(AssertUnwindSafe(|| replay(text.as_bytes()))) {
            Ok(Ok(replayed)) => {
                whole += 1;
                decided += u64::from(!replayed.decisions.is_empty());
            }
            Ok(Err(error)) => {
                let said = format!("{error:#}");
                // A recording that has been cut to nothing has no line.
                let has_place = said.starts_with("line ") || said.contains("scheme");
                assert!(has_place || text.is_empty(), "{said}");
            }
            Err(_) => {
                let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("replay.rec");
                std::fs::write(&path, &text).unwrap();
                panic!("PROPTEST_RNG_SEED={seed}, round {round}: {}", path.display());
            }
        }
        round += 1;
    }
    println!(
        "{round} recordings, {whole} whole, {decided} with decisions; PROPTEST_RNG_SEED={seed}"
    );
    // Otherwise the laws have hardly been exercised.
    assert!(whole > round / 5 && decided > round / 20, "{whole} and {decided} of {round}");
}

fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}: a whole number is allowed")))
}

/// Generator of recordings with hostile counters.
struct Recording {
    random: u64,
    /// Largest value that most counters of the recording reach.
    largest: u64,
    /// Last values of the counters, in the order in which a sample has them.
    counters: Vec<u64>,
    next: usize,
}

impl Recording {
    fn new(seed: u64) -> Self {
        let mut it = Self { random: seed, largest: 1 << 40, counters: Vec::new(), next: 0 };
        it.largest = it.pick(&[1 << 20, 1 << 32, 1 << 60, 1 << 60, u64::MAX]);
        it
    }

    /// Next random number of the recording, by Splitmix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.draw() % end
    }

    fn is_one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let place = self.below(from.len() as u64);
        from[usize::try_from(place).unwrap()]
    }

    fn text(mut self) -> String {
        let configuration: Value = serde_json::from_str(self.pick(&SCHEMES)).unwrap();
        let head =
            json!({"document": "agent-recording", "schema": 1, "configuration": configuration});
        let mut text = format!("{head}\n");
        let (stations, connections) = (self.below(4), self.below(4));
        let mut at = 0_u64;
        for _ in 0..=self.below(SAMPLES) {
            let sample = self.sample(at, stations, connections);
            let _ = writeln!(text, "{}", json!({ "sample": sample }));
            let step = self.pick(&[0, 1, 1_000, 100_000_000, 100_000_000, 1_500_000_000, 1 << 58]);
            at = if self.is_one_in(30) { self.pick(&ENDS) } else { at.saturating_add(step) };
            at = at.min(self.largest.max(1 << 40));
        }
        if self.is_one_in(8) { self.damaged(text) } else { text }
    }

    fn sample(&mut self, at: u64, stations: u64, connections: u64) -> Value {
        self.next = 0;
        let mut sample = Map::new();
        let links: Vec<Value> = (0..stations).map(|it| self.link(it)).collect();
        sample.insert("at_ns".into(), at.into());
        let are_gone = self.is_one_in(20);
        sample.insert("links".into(), if are_gone { json!([]) } else { links.into() });
        let all: Vec<Value> = (0..connections).map(|it| self.connection(it, stations)).collect();
        sample.insert("connections".into(), all.into());
        if self.is_one_in(2) {
            sample.insert("queue".into(), self.queue());
            sample.insert("busy_ns".into(), self.counter().into());
            sample.insert("others".into(), json!([self.link(9)]));
        }
        if self.is_one_in(2) {
            let share = [0, 1, 256, 65_535];
            let [even, additional, backoff] = [(); 3].map(|()| self.pick(&share));
            let grant = json!({"even": even, "additional": additional, "backoff": backoff});
            sample.insert("grant".into(), grant);
            sample.insert("asked".into(), json!([{"address": "10.11.0.1", "station": address(0)}]));
            sample.insert("weights".into(), json!({ address(0): self.below(1 << 16) }));
        }
        sample.into()
    }

    fn link(&mut self, station: u64) -> Value {
        json!({"name": format!("s {}", address(station)), "up": self.way(), "down": self.way()})
    }

    fn way(&mut self) -> Value {
        let mut way = Map::new();
        for key in ["bytes", "packets"] {
            way.insert(key.into(), self.counter().into());
        }
        for key in ["retries", "airtime_ns"] {
            let value = self.counter();
            if !self.is_one_in(2) {
                way.insert(key.into(), value.into());
            }
        }
        let rates = [
            0,
            100_000,
            100_000,
            1_000_000,
            11_000_000,
            54_000_000,
            866_700_000,
            429_496_729_500_000,
        ];
        let rate = if self.is_one_in(200) { self.pick(&ENDS) } else { self.pick(&rates) };
        way.insert("rate_bps".into(), rate.into());
        way.into()
    }

    fn connection(&mut self, number: u64, stations: u64) -> Value {
        let station = address(number % stations.max(1));
        let ends =
            [format!("10.11.0.{}:{}", number % 2 + 1, 4_000 + number), "10.11.16.1:80".to_owned()];
        let mut connection =
            json!({"station": station, "ends": ends, "up": self.sent(), "down": self.sent()});
        if !self.is_one_in(4) {
            let few = [0, 1, 1_000, 100_000, u64::from(u32::MAX)];
            let [sender, least, receiver] = [(); 3].map(|()| self.pick(&few));
            let header = self.pick(&[20, 32, 65_535]);
            connection["own"] = json!({"sender_us": sender, "least_us": least, "receiver_us": receiver, "header": header});
        }
        connection
    }

    fn sent(&mut self) -> Value {
        let [octets, echo] = [(); 2].map(|()| self.counter());
        let [packets, answers, echoes] = [(); 3].map(|()| self.counter() % (1 << 32));
        let largest = self.pick(&[0, 536, 1_460, 65_535]);
        json!({"octets": octets, "packets": packets, "answers": answers, "echo_ns": echo, "echoes": echoes, "largest": largest})
    }

    fn queue(&mut self) -> Value {
        let [sent, acks] = [(); 2].map(|()| self.counter());
        json!({"sent": sent, "acks": acks, "waiting": self.counter() % (1 << 32)})
    }

    /// Next counter of a sample. Most grow like real ones.
    fn counter(&mut self) -> u64 {
        if self.next == self.counters.len() {
            self.counters.push(0);
        }
        let before = self.counters[self.next];
        let now = match self.below(16) {
            0 => self.pick(&ENDS),
            1 => self.draw(),
            2 => 0,
            3..=5 => before,
            6..=8 => before.saturating_add(self.below(1 << 40)),
            _ => before.saturating_add(self.below(100_000)),
        };
        let now = now.min(self.largest);
        self.counters[self.next] = now;
        self.next += 1;
        now
    }

    /// Text of a recording, damaged: one octet is changed or missing, or the text is cut off.
    fn damaged(&mut self, text: String) -> String {
        let mut octets = text.into_bytes();
        let place = usize::try_from(self.below(octets.len() as u64)).unwrap();
        match self.below(3) {
            0 => octets[place] = self.pick(b"0-e\"{[,\0\x1b~"),
            1 => drop(octets.remove(place)),
            _ => octets.truncate(place),
        }
        String::from_utf8_lossy(&octets).into_owned()
    }
}

fn address(station: u64) -> String {
    format!("02:af:00:00:00:{station:02x}")
}
