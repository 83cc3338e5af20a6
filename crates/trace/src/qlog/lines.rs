//! Lines of a log: JSON texts, each after a record separator.  [RFC7464 §2.2]

use std::fmt::Write as _;
use std::io::Write;

use airfair_units::Time;
use serde_json::Value;

use crate::outlet::{Outlet, Written};

/// Version of the schemas of qlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Current drafts of the IETF.  [qlog]
    Draft,
    /// Version 0.3, which qvis reads.  [qlog-0.3]
    V03,
}

/// Name of an event in the current drafts, and in version 0.3.
pub(super) type Name = [&'static str; 2];

/// Writer of the lines of one log.
#[derive(Debug)]
pub(super) struct Lines<W> {
    pub(super) version: Version,
    outlet: Outlet<W>,
    line: String,
}

/// Description of a log in its first line.
pub(super) struct About<'s> {
    pub(super) title: &'s str,
    pub(super) description: &'s str,
    /// Name of the node that sends, and true if it is a host.
    pub(super) sender: (&'s str, bool),
}

impl<W: Write> Lines<W> {
    /// Begins the file with a line that describes the log.
    pub(super) fn new(version: Version, about: &About<'_>, to: W) -> Self {
        let mut outlet = Outlet::new(to);
        let [title, description, name] =
            [about.title, about.description, about.sender.0].map(Value::from);
        let kind = if about.sender.1 { "server" } else { "client" };
        let program = env!("CARGO_PKG_VERSION");
        let point = format!("\"vantage_point\":{{\"name\":{name},\"type\":\"{kind}\"}}");
        let about = format!(
            "\"title\":{title},\"description\":{description},\"program\":\"airfair {program}\""
        );
        let head = match version {
            Version::Draft => format!(
                "{{\"file_schema\":\"urn:ietf:params:qlog:file:sequential\",\
                 \"serialization_format\":\"application/qlog+json-seq\",{about},\"trace\":{{{point},\
                 \"event_schemas\":[\"urn:ietf:params:qlog:events:quic-12\"],\
                 \"common_fields\":{{\"time_format\":\"relative_to_epoch\",\"reference_time\":\
                 {{\"clock_type\":\"monotonic\",\"epoch\":\"unknown\"}}}}}}}}"
            ),
            Version::V03 => format!(
                "{{\"qlog_version\":\"0.3\",\"qlog_format\":\"JSON-SEQ\",{about},\"trace\":{{{point},\
                 \"common_fields\":{{\"time_format\":\"relative\",\"reference_time\":0}}}}}}"
            ),
        };
        outlet.put(format!("\u{1e}{head}\n").as_bytes());
        Self { version, outlet, line: String::new() }
    }

    /// Writes an event, whose `data` are the members of a JSON object.
    pub(super) fn event(&mut self, at: Time, names: Name, data: &str) {
        let name = names[self.version as usize];
        self.line.clear();
        let _ = writeln!(
            self.line,
            "\u{1e}{{\"time\":{},\"name\":\"{name}\",\"data\":{{{data}}}}}",
            milliseconds(at.as_nanos())
        );
        self.outlet.put_item(self.line.as_bytes());
    }

    /// Flushes the file.
    pub(super) fn finish(self) -> Written<W> {
        self.outlet.finish()
    }
}

/// A time or duration of `ns` nanoseconds as a number of milliseconds.
pub(super) fn milliseconds(ns: u64) -> String {
    format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000)
}
