//! The law as the kernel computes it, in C, beside the law of the simulator, step by step.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use airfair_laws::arf_aware::{Observation, Params, State, step};
use airfair_laws::window_limit::WindowLimit;
use airfair_units::DataRate;

const PROGRAM: &str = r#"
#include <stdio.h>
typedef unsigned int __u32;
#include "law.h"
int main(void)
{
	struct arf_state state = {};
	__u32 k, cwnd, floor;
	while (scanf("%u %u %u", &k, &cwnd, &floor) == 3) {
		struct arf_action action = arf_step(&state, k, cwnd, floor);
		printf("%u %u %u\n", state.saved, action.limit, action.cwnd);
	}
	return 0;
}
"#;

/// A number of some history: xorshift, so that the histories are the same each time.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Ratios and windows, and what the law of the simulator makes of them.
fn history() -> (String, String) {
    let (mut questions, mut answers, mut random) =
        (String::new(), String::new(), 88_172_645_463_325_252);
    let mut state = State::default();
    for _ in 0..20_000 {
        // Half of the time the highest rate: ways in and out are what differs.
        let k = if next(&mut random).is_multiple_of(2) { 1 } else { 1 + next(&mut random) % 100 };
        let cwnd = u32::try_from(1 + next(&mut random) % 10_000).unwrap();
        let seen = Observation {
            highest_rate: DataRate::from_mbps(k),
            rate: DataRate::from_mbps(1),
            cwnd,
        };
        let (after, action) = step(&Params::default(), state, &seen);
        state = after;
        let saved = if let State::Arf { saved_cwnd } = state { saved_cwnd } else { 0 };
        let limit = if let WindowLimit::Segments(limit) = action.window_limit { limit } else { 0 };
        let _ = writeln!(questions, "{k} {cwnd} 1");
        let _ = writeln!(answers, "{saved} {limit} {}", action.cwnd.unwrap_or(0));
    }
    (questions, answers)
}

fn compiled() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("law.c"), folder.join("law"));
    fs::write(&source, PROGRAM).unwrap();
    let headers = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("bpf");
    let mut command = Command::new("cc");
    command.args(["-Wall", "-Werror", "-o"]).arg(&program).arg("-I").arg(headers).arg(&source);
    assert!(command.status().unwrap().success());
    program
}

fn answered(program: &PathBuf, questions: &str) -> String {
    let mut command = Command::new(program);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let questions = questions.to_owned();
    let writing = std::thread::spawn(move || input.write_all(questions.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Verifies: [arf-aware-tcp §3]
#[test]
fn the_kernels_law_is_the_simulators_but_for_the_least_window() {
    let program = compiled();
    let (questions, answers) = history();
    assert_eq!(answered(&program, &questions), answers);
    // 100 / 11 = 9; never below two where two are the least; a ratio of more than a hundred counts as a hundred.
    let bounds = answered(&program, "11 100 2\n100 100 2\n4000000000 1000 2\n1 5 2\n");
    assert_eq!(bounds, "100 9 0\n100 2 0\n100 2 0\n0 0 100\n");
}
