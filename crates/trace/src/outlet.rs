//! Output file of a trace, which keeps the first write error and counts what was written.

use std::io::{self, Write};

/// A writer of a trace that discards everything after its first error.
#[derive(Debug)]
pub struct Outlet<W> {
    to: W,
    items: u64,
    error: Option<io::Error>,
}

/// Result of writing a trace.
#[derive(Debug)]
pub struct Written<W> {
    /// The underlying writer, flushed.
    pub to: W,
    /// Number of selected items that were written: frames of a capture, or events of a timeline.
    pub items: u64,
    /// Write error that ended the file, if any.
    pub error: Option<io::Error>,
}

impl<W: Write> Outlet<W> {
    /// Creates an outlet that writes to `to`.
    pub fn new(to: W) -> Self {
        Self { to, items: 0, error: None }
    }

    /// Writes octets that do not count as an item, such as the header of the file.
    pub fn put(&mut self, octets: &[u8]) {
        if self.error.is_none() {
            self.error = self.to.write_all(octets).err();
        }
    }

    /// Writes octets that count as one item, such as a frame of a capture or an event of a timeline.
    pub fn put_item(&mut self, octets: &[u8]) {
        self.put(octets);
        self.items += u64::from(self.error.is_none());
    }

    /// True after the first write error, when nothing more is written.
    pub fn is_closed(&self) -> bool {
        self.error.is_some()
    }

    /// Number of items written so far: frames of a capture, or events of a timeline.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Flushes the underlying writer and returns the result of writing.
    pub fn finish(mut self) -> Written<W> {
        if self.error.is_none() {
            self.error = self.to.flush().err();
        }
        Written { to: self.to, items: self.items, error: self.error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer with room for four octets.
    struct Small(Vec<u8>);

    impl Write for Small {
        fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
            if self.0.len() + octets.len() > 4 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0.extend(octets);
            Ok(octets.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nothing_is_written_after_the_first_error_and_the_error_is_kept() {
        let mut outlet = Outlet::new(Small(Vec::new()));
        outlet.put_item(b"abc");
        outlet.put_item(b"def");
        assert!(outlet.is_closed());
        outlet.put_item(b"g");
        let Written { to, items, error } = outlet.finish();
        assert_eq!((to.0, items), (b"abc".to_vec(), 1));
        assert_eq!(error.map(|it| it.kind()), Some(io::ErrorKind::StorageFull));
    }
}
