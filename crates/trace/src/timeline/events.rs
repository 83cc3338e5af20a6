//! Trace events as lines of JSON.  [chrome-trace]

use std::fmt::Write as _;
use std::io::Write;

use airfair_units::Time;
use serde_json::Value;

use crate::outlet::{Outlet, Written};

/// Track that an event belongs to: a process and a thread of it, as the format has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) process: usize,
    pub(super) thread: usize,
}

/// Sheet of events, one a line.
#[derive(Debug)]
pub(super) struct Sheet<W> {
    outlet: Outlet<W>,
    line: String,
}

impl<W: Write> Sheet<W> {
    /// A sheet with a head that says which run it is about.
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

    /// Ends the sheet.
    pub(super) fn finish(mut self) -> Written<W> {
        self.outlet.put(b"\n]}\n");
        self.outlet.finish()
    }

    /// Names a process, which stands at its number among the others.
    pub(super) fn name_process(&mut self, process: usize, name: &str) {
        let (name, place) = (Value::from(name), Place { process, thread: 0 });
        self.start("M", "process_name", place);
        let _ = write!(self.line, ",\"args\":{{\"name\":{name}}}}}");
        self.put();
        self.start("M", "process_sort_index", place);
        let _ = write!(self.line, ",\"args\":{{\"sort_index\":{process}}}}}");
        self.put();
    }

    /// Names a track, which stands at its number among the others of its process.
    pub(super) fn name_track(&mut self, place: Place, name: &str) {
        let (name, thread) = (Value::from(name), place.thread);
        self.start("M", "thread_name", place);
        let _ = write!(self.line, ",\"args\":{{\"name\":{name}}}}}");
        self.put();
        self.start("M", "thread_sort_index", place);
        let _ = write!(self.line, ",\"args\":{{\"sort_index\":{thread}}}}}");
        self.put();
    }

    /// An interval; `arguments` is an object of JSON.
    pub(super) fn slice(
        &mut self,
        place: Place,
        span: (Time, Time),
        named: [&str; 2],
        arguments: &str,
    ) {
        let ((from, to), [category, name]) = (span, named);
        self.start("X", name, place);
        let (at, lasts) = (from.as_nanos(), (to - from).as_nanos());
        let _ = write!(
            self.line,
            ",\"cat\":\"{category}\",\"ts\":{},\"dur\":{},\"args\":{arguments}}}",
            Micros(at),
            Micros(lasts)
        );
        self.put_item();
    }

    /// Something that takes no time.
    pub(super) fn instant(&mut self, place: Place, at: Time, name: &str) {
        self.start("i", name, place);
        let _ = write!(self.line, ",\"s\":\"t\",\"ts\":{}}}", Micros(at.as_nanos()));
        self.put_item();
    }

    /// New value of a counter from now on.
    pub(super) fn counter(&mut self, process: usize, at: Time, name: &str, reading: (&str, f64)) {
        self.write_counter(process, at, name, reading);
        self.put_item();
    }

    /// Value that a counter has at the start or at the end of the window: nothing has happened.
    pub(super) fn standing(&mut self, process: usize, at: Time, name: &str, reading: (&str, f64)) {
        self.write_counter(process, at, name, reading);
        self.put();
    }

    fn write_counter(&mut self, process: usize, at: Time, name: &str, reading: (&str, f64)) {
        let (unit, value) = reading;
        self.start("C", name, Place { process, thread: 0 });
        let at = Micros(at.as_nanos());
        let _ = write!(self.line, ",\"ts\":{at},\"args\":{{\"{unit}\":{value}}}}}");
    }

    fn start(&mut self, phase: &str, name: &str, place: Place) {
        let Place { process, thread } = place;
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

/// Nanoseconds, written as microseconds.
struct Micros(u64);

impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}
