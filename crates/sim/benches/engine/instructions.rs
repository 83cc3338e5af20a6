//! Instructions per frame, which other load on the machine does not change. Two runs of one scenario under callgrind,
//! one three times as long as the other, cancel out the set-up.

use std::process::{Child, Command, Stdio};

/// Argument before a benchmark's name and a percentage of its duration: the benchmark runs once and prints its frames.
pub(crate) const ONCE: &str = "--once";

/// Percentages of the scenario's duration for the two runs whose instructions are compared.
const LENGTHS: [u64; 2] = [10, 30];

/// Instructions per frame of the benchmark `name`; `None` if valgrind is not installed.
///
/// # Panics
/// If a run under valgrind fails.
pub(crate) fn per_frame(name: &str) -> Option<f64> {
    let mut running = Vec::new();
    for percent in LENGTHS {
        running.push(start(name, percent)?);
    }
    let counts = running.into_iter().map(finish);
    let [(short, few), (long, many)] = counts.collect::<Vec<_>>().try_into().expect("two runs");
    Some((long - short) / (many - few))
}

fn start(name: &str, percent: u64) -> Option<Child> {
    let bench = std::env::current_exe().expect("this program's own path");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(bench);
    valgrind.args([ONCE, name, &percent.to_string()]);
    valgrind.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()
}

/// Instructions and frames of a finished run under valgrind.
fn finish(run: Child) -> (f64, f64) {
    let output = run.wait_with_output().expect("a run that ends");
    let (out, log) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let instructions = log.lines().find_map(|line| line.split_once("Collected :"));
    let number = |text: &str| text.trim().parse().unwrap_or_else(|_| panic!("no count: {log}"));
    (number(instructions.unwrap_or_default().1), number(&out))
}
