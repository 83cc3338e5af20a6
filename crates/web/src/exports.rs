//! Functions that JavaScript calls. Texts pass through two buffers of this module. The page asks
//! for room with `airfair_input`, writes its request there, and reads the reply at
//! `airfair_output`. The page frees nothing.
//!
//! | function | action | return value |
//! | --- | --- | --- |
//! | `airfair_input(length)` | makes room for a request | address of the room |
//! | `airfair_open()` | opens the requested run and closes an earlier one | length of the reply |
//! | `airfair_advance(until)` | advances the open run up to the time `until` [ns] | time reached [ns] |
//! | `airfair_finish()` | ends the run and writes its document | length of the document |
//! | `airfair_failure()` | reports a panic after a call has trapped | length of the message |
//! | `airfair_output()` | | address of the reply, document or message |
//!
//! A reply is `{"until_ns": …}`, or `{"mistakes": […]}` if the run could not be opened.

use std::cell::Cell;
use std::panic;

use airfair_units::Time;
use serde_json::{Value, json};

use crate::{Job, VERSION};

thread_local! {
    static INPUT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    static OUTPUT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    static JOB: Cell<Option<Job>> = const { Cell::new(None) };
    static FAILURE: Cell<Option<String>> = const { Cell::new(None) };
}

#[cfg_attr(
    target_arch = "wasm32",
    expect(unsafe_code, reason = "no other library of the page has such a name")
)]
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
extern "C" fn airfair_input(length: usize) -> *mut u8 {
    panic::set_hook(Box::new(|info| {
        FAILURE.set(Some(format!(
            "this is a bug in airfair, please report it: {info} (version {VERSION})"
        )));
    }));
    let mut input = vec![0; length];
    let address = input.as_mut_ptr();
    INPUT.set(input);
    address
}

#[cfg_attr(target_arch = "wasm32", expect(unsafe_code, reason = "likewise"))]
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
extern "C" fn airfair_open() -> usize {
    JOB.set(None);
    match Job::open(&INPUT.take()) {
        Ok(job) => {
            let answer = job.describe();
            JOB.set(Some(job));
            put(&answer)
        }
        Err(mistakes) => put(&json!({ "mistakes": mistakes })),
    }
}

#[cfg_attr(target_arch = "wasm32", expect(unsafe_code, reason = "likewise"))]
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
extern "C" fn airfair_advance(until: u64) -> u64 {
    let mut job = JOB.take().expect("a run is open");
    let now = job.advance(Time::from_nanos(until));
    JOB.set(Some(job));
    now.as_nanos()
}

#[cfg_attr(target_arch = "wasm32", expect(unsafe_code, reason = "likewise"))]
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
extern "C" fn airfair_finish() -> usize {
    put(&JOB.take().expect("a run is open").finish())
}

#[cfg_attr(target_arch = "wasm32", expect(unsafe_code, reason = "likewise"))]
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
extern "C" fn airfair_failure() -> usize {
    let failure = FAILURE.take().unwrap_or_default();
    let length = failure.len();
    OUTPUT.set(failure.into_bytes());
    length
}

#[cfg_attr(target_arch = "wasm32", expect(unsafe_code, reason = "likewise"))]
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
extern "C" fn airfair_output() -> *const u8 {
    let output = OUTPUT.take();
    let address = output.as_ptr();
    OUTPUT.set(output);
    address
}

/// Stores a document as JSON text for the page, and returns the length of the text.
fn put(answer: &Value) -> usize {
    let text = answer.to_string();
    let length = text.len();
    OUTPUT.set(text.into_bytes());
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request as a web page does, but puts its text directly into the input instead of the WebAssembly memory.
    fn ask(request: &str) -> Value {
        INPUT.set(request.as_bytes().to_vec());
        read(airfair_open())
    }

    fn read(length: usize) -> Value {
        assert!(!airfair_output().is_null());
        let text = OUTPUT.take();
        assert_eq!(text.len(), length);
        serde_json::from_slice(&text).expect("an answer is JSON")
    }

    const SCENARIO: &str = include_str!("../../../scenarios/saturated-cell.toml");

    #[test]
    fn a_page_opens_advances_and_finishes_a_run() {
        let answer = ask(&json!({ "scenario": SCENARIO }).to_string());
        let until = answer["until_ns"].as_u64().expect("a time");
        assert_eq!(until, 10_000_000_000);
        assert_eq!(airfair_advance(until / 2), until / 2);
        assert_eq!(airfair_advance(u64::MAX), until);
        assert_eq!(read(airfair_finish())["title"], "Ten saturated stations at 54 Mb/s");
    }

    #[test]
    fn mistakes_are_the_parser_s_and_leave_nothing_open() {
        let answer = ask(r#"{ "scenario": "duration = \"1 d\"" }"#);
        let mistakes = answer["mistakes"].as_array().expect("a list");
        assert!(mistakes[0].as_str().expect("a text").starts_with("duration = \"1 d\": "));
        assert!(JOB.take().is_none());
    }

    #[test]
    fn a_panic_leaves_a_sentence_that_asks_for_a_report() {
        assert!(!airfair_input(3).is_null());
        assert_eq!(INPUT.take().len(), 3);
        // A panic must not unwind out of an exported function, so this test panics here.
        panic::catch_unwind(|| panic!("the sky has fallen")).expect_err("it has");
        drop(panic::take_hook());
        let length = airfair_failure();
        let said = String::from_utf8(OUTPUT.take()).expect("a text");
        assert_eq!(said.len(), length);
        assert!(said.starts_with("this is a bug in airfair, please report it: "), "{said}");
        assert!(said.contains("the sky has fallen"), "{said}");
        assert_eq!(airfair_failure(), 0);
    }
}
