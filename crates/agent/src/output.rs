//! Output to terminals. Control characters in names and other texts from outside are escaped.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write as _};

use airfair_units::printable::{escaped, is_unprintable};
use anyhow::Result;
use serde::Serialize;

/// Writes a sentence to standard error, which systemd puts into the journal.
pub fn say(sentence: &str) {
    // A closed standard error is no reason to end.
    let _ = writeln!(io::stderr(), "{}", escaped(sentence));
}

/// Writes lines to standard output; false if the reader has closed the pipe, as `head` does. The
/// caller has [escaped](airfair_units::printable::escaped) all texts from outside.
///
/// # Errors
/// Returns the error of the operating system.
pub fn print(lines: &str) -> Result<bool> {
    let mut out = io::stdout().lock();
    match out.write_all(lines.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        done => Ok(done.map(|()| true)?),
    }
}

/// Serialises a document as one line of JSON. Control characters are written as JSON escapes.
///
/// # Errors
/// Returns an error if the value cannot be written as JSON.
pub fn line(document: &impl Serialize) -> Result<String> {
    let mut line = String::new();
    // Single-line JSON contains such characters only within strings.
    for c in serde_json::to_string(document)?.chars() {
        if is_unprintable(c) {
            let _ = write!(line, "\\u{:04x}", u32::from(c));
        } else {
            line.push(c);
        }
    }
    line.push('\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_no_control_characters_and_parses_to_the_same() {
        let hostile = "\u{1b}[2J\u{9b}\u{202e}\u{7f}\n µ";
        let text = line(&hostile).unwrap();
        assert_eq!(text, "\"\\u001b[2J\\u009b\\u202e\\u007f\\n µ\"\n");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }
}
