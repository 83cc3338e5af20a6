//! Escaping of texts from outside, so that they cannot control a terminal.

use std::fmt::{self, Write as _};

/// A writer that escapes control characters by their code points before they reach the writer inside.
#[derive(Debug)]
pub struct Escaped<W>(pub W);

impl<W: fmt::Write> fmt::Write for Escaped<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for piece in text.split_inclusive(is_unprintable) {
            match piece.chars().next_back().filter(|last| is_unprintable(*last)) {
                Some(last) => {
                    self.0.write_str(&piece[..piece.len() - last.len_utf8()])?;
                    write!(self.0, "{}", last.escape_default())?;
                }
                None => self.0.write_str(piece)?,
            }
        }
        Ok(())
    }
}

/// `text` on one line, with control characters escaped by their code points.
pub fn escaped(text: &str) -> String {
    let mut out = Escaped(String::new());
    out.write_str(text).expect("a String takes any text");
    out.0
}

/// True for a character that changes how other characters are displayed: control characters, line ends, and
/// changes of the writing direction.
pub fn is_unprintable(c: char) -> bool {
    let is_direction = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c);
    c.is_control() || is_direction || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_wherever_they_are() {
        let hostile = "\u{1b}]0;x\u{7} and \u{202e}, \u{2028}\u{9b}";
        assert_eq!(escaped(hostile), r"\u{1b}]0;x\u{7} and \u{202e}, \u{2028}\u{9b}");
        assert_eq!(escaped("one\ntwo\t\r\0"), r"one\ntwo\t\r\u{0}");
        assert_eq!(escaped("µs ≤ 10, “naïve” 家"), "µs ≤ 10, “naïve” 家");
    }
}
