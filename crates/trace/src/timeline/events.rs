//! Trace events as lines of JSON.  [chrome-trace]

use std::fmt::Write as _;
use std::io::Write;

use airfair_units::Time;
use serde_json::Value;

use crate::outlet::{Outlet, Written};

/// Track of an event: a process and a thread in the terms of the trace event format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TrackId {
    pub(super) process: usize,
    pub(super) thread: usize,
}

/// Writer of trace events as JSON, one per line.
#[derive(Debug)]
pub(super) struct EventWriter<W> {
    outlet: Outlet<W>,
    line: String,
}

impl<W: Write> EventWriter<W> {
    /// Begins the file with a header that describes the run.
    pub(super) fn new(comment: &str, to: W) -> Self {
        let mut outlet = Outlet::new(to);
        let (program, comment) = (env!("CARGO_PKG_VERSION"), Value::from(comment));
        let head = format!(
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"program\":\"airfair {program}\",\"run\":{comment}}},\n\
             \"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":0,\"name\":\"trace\",\"args\":{{}}}}"
        );
        outlet.put(head.as_bytes());
        Self { outlet, line: String::new() }
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> Written<W> {
        self.outlet.put(b"\n]}\n");
        self.outlet.finish()
    }

    /// Names a process and sorts it by its number.
    pub(super) fn name_process(&mut self, process: usize, name: &str) {
        let (name, track) = (Value::from(name), TrackId { process, thread: 0 });
        self.start("M", "process_name", track);
        let _ = write!(self.line, ",\"args\":{{\"name\":{name}}}}}");
        self.put();
        self.start("M", "process_sort_index", track);
        let _ = write!(self.line, ",\"args\":{{\"sort_index\":{process}}}}}");
        self.put();
    }

    /// Names a track and sorts it by `order` in its process. `of` is the name of the track whose frames it shows too.
    pub(super) fn name_track(&mut self, track: TrackId, (name, of): (&str, &str), order: usize) {
        let (name, of) = (Value::from(name), Value::from(of));
        self.start("M", "thread_name", track);
        let _ = write!(self.line, ",\"args\":{{\"name\":{name},\"of\":{of}}}}}");
        self.put();
        self.start("M", "thread_sort_index", track);
        let _ = write!(self.line, ",\"args\":{{\"sort_index\":{order}}}}}");
        self.put();
    }

    /// Writes an interval on a track as an event. `arguments` is a JSON object.
    pub(super) fn slice(
        &mut self,
        track: TrackId,
        span: (Time, Time),
        named: [&str; 2],
        arguments: &str,
    ) {
        let ((from, to), [category, name]) = (span, named);
        self.start("X", name, track);
        let (at, lasts) = (from.as_nanos(), (to - from).as_nanos());
        let _ = write!(
            self.line,
            ",\"cat\":\"{category}\",\"ts\":{},\"dur\":{},\"args\":{arguments}}}",
            Micros(at),
            Micros(lasts)
        );
        self.put_item();
    }

    /// Writes an event without duration on a track.
    pub(super) fn instant(&mut self, track: TrackId, at: Time, name: &str) {
        self.start("i", name, track);
        let _ = write!(self.line, ",\"s\":\"t\",\"ts\":{}}}", Micros(at.as_nanos()));
        self.put_item();
    }

    /// Writes the new value of a counter as an event.
    pub(super) fn counter(&mut self, process: usize, at: Time, name: &str, reading: (&str, f64)) {
        self.write_counter(process, at, name, reading);
        self.put_item();
    }

    /// Writes the value of a counter at the start or the end of the traced interval. This line does not count
    /// as an event.
    pub(super) fn counter_state(
        &mut self,
        process: usize,
        at: Time,
        name: &str,
        reading: (&str, f64),
    ) {
        self.write_counter(process, at, name, reading);
        self.put();
    }

    fn write_counter(&mut self, process: usize, at: Time, name: &str, reading: (&str, f64)) {
        let (unit, value) = reading;
        self.start("C", name, TrackId { process, thread: 0 });
        let at = Micros(at.as_nanos());
        let _ = write!(self.line, ",\"ts\":{at},\"args\":{{\"{unit}\":{value}}}}}");
    }

    fn start(&mut self, phase: &str, name: &str, track: TrackId) {
        let TrackId { process, thread } = track;
        self.line.clear();
        let _ = write!(
            self.line,
            ",\n{{\"ph\":\"{phase}\",\"pid\":{process},\"tid\":{thread},\"name\":\"{name}\""
        );
    }

    fn put(&mut self) {
        self.outlet.put(self.line.as_bytes());
    }

    fn put_item(&mut self) {
        self.outlet.put_item(self.line.as_bytes());
    }
}

/// Nanoseconds that are displayed as microseconds with decimals.
struct Micros(u64);

impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}
