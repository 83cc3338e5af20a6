//! Speed of the engine: simulated seconds per CPU second, and CPU time and instructions per frame.
//!
//! Run it as `cargo bench -p airfair-sim [-- [--times] WORD]`. A word selects the benchmarks whose names contain it,
//! and `--times` omits the instructions. Times are CPU times, which depend less on other load than wall-clock times.
//! The fastest of several runs counts, because noise only adds time.

mod bare_dcf;
mod instructions;
mod scenarios;

use std::hint::black_box;

use airfair_sim::outcome::{Outcome, RadioOutcome};
use airfair_sim::random::Streams;
use airfair_sim::run::{Control, run};
use airfair_sim::scenario::Scenario;
use cpu_time::ProcessTime;

/// Number of runs per benchmark, of which the fastest counts.
const RUNS: u32 = 7;

/// Argument that omits the measurement of instructions.
const TIMES: &str = "--times";

/// Scenario whose run is measured.
struct Benchmark {
    name: String,
    text: String,
    /// True to run only the DCF instead of the engine.
    is_bare: bool,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let all = benchmarks();
    if let [once, name, percent] = words.as_slice()
        && once == instructions::ONCE
    {
        let percent: u64 = percent.parse().expect("a percentage");
        let line = all.iter().find(|line| line.name == *name).expect("a line of this bench");
        let mut scenario = line.scenario();
        scenario.duration = scenario.duration * percent / 100;
        println!("{}", line.run(&scenario, 0));
        return;
    }
    let counts = words.first().is_none_or(|word| word != TIMES);
    let word = words.get(usize::from(!counts));
    println!(
        "{:<58} {:>11} {:>9} {:>8} {:>8} {:>11}",
        "scenario", "sim-s/CPU-s", "ns/frame", "frames", "CPU ms", "instr/frame"
    );
    for line in all.iter().filter(|line| word.is_none_or(|word| line.name.contains(word))) {
        line.measure(counts);
    }
    if let Some(peak) = peak_memory_kib() {
        println!("peak memory, the cell of 1000 included: {:.1} MB", peak / 1000.0 * 1.024);
    }
}

fn benchmarks() -> Vec<Benchmark> {
    let engine = |(name, text): (String, String)| Benchmark { name, text, is_bare: false };
    let text = scenarios::saturated_cell(10);
    let floor = Benchmark { name: String::from("bare DCF, 10 station(s)"), text, is_bare: true };
    scenarios::all().into_iter().map(engine).chain([floor]).collect()
}

impl Benchmark {
    fn scenario(&self) -> Scenario {
        Scenario::parse(&self.text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"))
    }

    /// Number of frames on the air in one run of the benchmark.
    fn run(&self, scenario: &Scenario, replication: u32) -> u64 {
        let scenario = black_box(scenario);
        if self.is_bare {
            let names = scenario.stations.iter().map(|station| station.name.as_str());
            let counts = bare_dcf::run(names, Streams::new(1, replication), scenario.duration);
            black_box(counts.hash);
            return counts.frames;
        }
        let outcome = run(scenario, 1, replication, &Control::default());
        frames(&outcome.expect("nobody cancels"))
    }

    fn measure(&self, counts: bool) {
        let scenario = self.scenario();
        let timed = |replication| {
            let start = ProcessTime::now();
            let frames = self.run(&scenario, replication);
            (start.elapsed().as_secs_f64(), frames)
        };
        let best = (0..RUNS).map(timed).min_by(|a, b| a.0.total_cmp(&b.0));
        let (seconds, frames) = best.expect("at least one run");
        let frames = u32::try_from(frames).expect("fewer than 2^32 frames");
        let instructions = counts.then(|| instructions::per_frame(&self.name)).flatten();
        println!(
            "{:<58} {:>11.0} {:>9.1} {frames:>8} {:>8.2} {:>11}",
            self.name,
            scenario.duration.as_secs_f64() / seconds,
            seconds * 1e9 / f64::from(frames),
            seconds * 1e3,
            instructions.map_or(String::from("-"), |it| format!("{it:.0}")),
        );
    }
}

/// Number of frames on the air, where each MPDU of an aggregate counts as one. Without a cell: packets over wired
/// links.
fn frames(outcome: &Outcome) -> u64 {
    match outcome.channels.as_slice() {
        [] => outcome.links.iter().map(|link| link.packets).sum(),
        channels => {
            let radios = outcome.stations.iter().map(|station| &station.radio);
            let more = |radio: &RadioOutcome| radio.aggregated_mpdus - radio.aggregates;
            let more: u64 = radios.chain(&outcome.access_points).map(more).sum();
            channels.iter().map(|channel| channel.frames).sum::<u64>() + more
        }
    }
}

/// Largest resident set so far [KiB], if the system provides it.
fn peak_memory_kib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
