//! The law in C, as the kernel runs it, against the law of the simulator, step by step.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

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

/// Next random number, by xorshift.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Random ratios and windows as input of `PROGRAM`, the law in C, and the output that it must give:
/// the results of the simulator's law for the same input.
fn history() -> (String, String) {
    let (mut questions, mut answers, mut random) =
        (String::new(), String::new(), 88_172_645_463_325_252);
    let mut state = State::default();
    for _ in 0..20_000 {
        // The highest rate half of the time, because entering and leaving the limit are where
        // errors are likely.
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

fn compiled(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
    fs::write(&source, text).unwrap();
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

/// The law in C gives the same results as the simulator's law, except that its windows have a
/// configured minimum.
///
/// Verifies: [arf-aware-tcp §3]
#[test]
fn the_kernels_law_is_the_simulators_but_for_the_least_window() {
    let program = compiled("law", PROGRAM);
    let (questions, answers) = history();
    assert_eq!(answered(&program, &questions), answers);
    // 100 / 11 = 9; never below the minimum of two; ratios above a hundred count as a hundred.
    let bounds = answered(&program, "11 100 2\n100 100 2\n4000000000 1000 2\n1 5 2\n");
    assert_eq!(bounds, "100 9 0\n100 2 0\n100 2 0\n0 0 100\n");
}

/// C program that lowers windows of a connection between ends 0 and 1. A line of input is a segment
/// with a limit and a minimum window; the output is the window that is written.
const WINDOWS: &str = r#"
#include <stdio.h>
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
#include "window.h"
int main(void)
{
	struct side sides[2] = {};
	__u32 from, syn, ack, seq, number, payload, window, scale, limit, least;
	while (scanf("%u %u %u %u %u %u %u %u %u %u", &from, &syn, &ack, &seq, &number, &payload, &window, &scale,
		     &limit, &least) == 10) {
		struct segment it = { .seq = seq, .ack = number, .payload = payload, .window = window, .largest = 1460,
				      .scale = scale, .is_syn = syn, .is_ack = ack, .count = 1 };
		note_segment(&sides[from], &sides[!from], &it, 0);
		printf("%u\n", lowered_window(&sides[from], &sides[!from], &it, limit, least));
	}
	return 0;
}
"#;

/// Windows that `WINDOWS`, the C program that lowers windows, writes into the segments of its input
/// `questions`.
fn windows(questions: &str) -> Vec<u32> {
    // A file that runs in one test cannot be written by another.
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| compiled("windows", WINDOWS));
    let answers = answered(&PROGRAM, questions);
    answers.lines().map(|line| line.parse().unwrap()).collect()
}

/// The agent's C code for the kernel, run by `WINDOWS`, lowers a window to the limit, rounded up to
/// the unit of the window scale, and never below the data in flight. The cases are those of the
/// emulator's tests of lowered windows, in its `connections.rs`. Window scales are 7 and 9; 255
/// means none.
///
/// Verifies: [RFC7323 §2.2]
#[test]
fn the_kernels_windows_are_lowered_rounded_up_and_never_below_what_is_under_way() {
    let cases = [
        // from syn ack seq number payload window scale limit least, and the window that is written
        ("0 1 0 0 0 0 64240 7 10000 1", 64_240), // A SYN has no scale yet.
        ("0 0 1 1 1 0 1000 255 10000 1", 1_000), // Half open.
        ("1 1 1 0 1 0 64240 9 10000 1", 64_240), // The answer to it.
        ("0 0 1 1 1 0 1000 255 10000 1", 79),    // 10 000 / 128 = 78.1
        ("1 0 1 1 1 0 1000 255 10000 1", 20),    // 10 000 / 512 = 19.5
        ("0 0 1 1 1 0 1000 255 0 1", 1_000),     // No limit.
        ("0 0 1 1 1 0 1000 255 1 1", 12),        // A segment of 1460 octets is 11.4 units,
        ("0 0 1 1 1 0 1000 255 1 2", 23),        // two are 22.8.
        ("1 0 1 1 1 2500 1000 255 0 1", 1_000), // 5000 octets under way to 0, the last of them twice
        ("1 0 1 2501 1 2500 1000 255 0 1", 1_000),
        ("1 0 1 1 1 2500 1000 255 0 1", 1_000),
        ("0 0 1 1 1 0 1000 255 1 1", 40),    // 5000 / 128 = 39.1
        ("0 0 1 1 2501 0 1000 255 1 1", 20), // Half of them is acknowledged,
        ("0 0 1 1 5001 0 1000 255 1 1", 12), // and all.
        ("0 0 1 1 9000 0 1000 255 1 1", 12), // More than was seen.
        ("0 0 1 1 5001 0 1000 255 4294967295 1", 1_000),
        ("0 0 1 1 5001 0 0 255 1 1", 0), // Windows are not raised.
        ("0 1 0 0 0 0 64240 255 1 1", 64_240), // The same ports once more, without a scale
        ("1 1 1 0 1 0 64240 9 1 1", 64_240),
        ("0 0 1 1 1 0 60000 255 10000 1", 10_000),
    ];
    let questions: Vec<&str> = cases.iter().map(|(question, _)| *question).collect();
    let expected: Vec<u32> = cases.iter().map(|(_, window)| *window).collect();
    assert_eq!(windows(&questions.join("\n")), expected);
}

/// For any segments of the two ends, the agent's C code for the kernel, run by `WINDOWS`, only
/// lowers windows, and no window falls below the limit.
#[test]
fn the_kernels_windows_are_only_lowered() {
    let mut random = 88_172_645_463_325_252;
    let mut draw = |most: u64| next(&mut random) % most;
    let (mut questions, mut asked) = (String::new(), Vec::new());
    for _ in 0..20_000 {
        let (window, limit, scale) = (draw(65_536), draw(1 << 20), draw(20));
        let scale = if scale > 14 { 255 } else { scale };
        let [from, syn, ack] = [draw(2), u64::from(draw(20) == 0), u64::from(draw(10) > 0)];
        let [seq, number, payload] = [draw(1 << 32), draw(1 << 32), draw(3_000)];
        let _ = writeln!(
            questions,
            "{from} {syn} {ack} {seq} {number} {payload} {window} {scale} {limit} 2"
        );
        asked.push((window, limit));
    }
    let written = windows(&questions);
    assert_eq!(written.len(), asked.len());
    for ((window, limit), written) in asked.into_iter().zip(written) {
        let written = u64::from(written);
        assert!(written == window || written < window && written << 14 >= limit);
    }
}
