//! A recorded file as a source.

use std::io::BufRead;

use anyhow::Result;

use super::Source;
use crate::recording;
use crate::sample::Sample;

/// A recording whose samples come again, one for each time it is asked.
#[derive(Debug)]
pub struct Recorded<R>(pub recording::Recorded<R>);

impl<R: BufRead> Source for Recorded<R> {
    fn sample(&mut self, _now: u64) -> Result<Option<Sample>> {
        self.0.next_sample()
    }
}
