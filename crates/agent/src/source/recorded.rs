//! Source of samples: a recording.

use std::io::BufRead;

use anyhow::Result;

use crate::recording;
use crate::sample::{Sample, Source};

/// Recording whose samples are returned one per call.
#[derive(Debug)]
pub struct Recorded<R>(pub recording::RecordingReader<R>);

impl<R: BufRead> Source for Recorded<R> {
    fn sample(&mut self, _now: u64) -> Result<Option<Sample>> {
        self.0.next_sample()
    }
}
