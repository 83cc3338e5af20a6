//! Capture of samples for a report: a recording without real addresses, which `replay` reads.

use std::fs::File;
use std::path::PathBuf;

use airfair_units::Duration;
use anyhow::{Context, Result};

use super::anonymous::Anonymiser;
use crate::configuration::Written;
use crate::law::Law;
use crate::os;
use crate::recording::Recording;
use crate::source::Source;

/// Command-line options of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureOptions {
    /// Duration of the capture.
    pub lasting: Duration,
    /// Path of the file for the recording.
    pub out: PathBuf,
    /// True if samples come from a recording, whose times they have, and are not waited for.
    pub is_from_recording: bool,
}

/// Records samples and the decisions of the configured law, with other addresses. Returns the
/// number of samples.
///
/// # Errors
/// Returns an error if the source fails, if the file cannot be written, or if there are more
/// addresses than are reserved for documentation.
pub fn capture(
    written: &Written,
    source: &mut dyn Source,
    options: &CaptureOptions,
) -> Result<u64> {
    let place = || options.out.display().to_string();
    let mut anonymiser = Anonymiser::default();
    let written = anonymiser.apply(&written.without_paths())?;
    let configuration = written.checked()?;
    let mut recording = Recording::begin(File::create(&options.out).with_context(place)?, &written)
        .with_context(place)?;
    let mut law = Law::new(&configuration);
    let (started, mut samples, mut first) = (os::monotonic_ns(), 0, None);
    os::catch_signals();
    while !os::is_asked_to_end() {
        let since = os::monotonic_ns() - started;
        let Some(mut sample) = source.sample(since)? else { break };
        let first = *first.get_or_insert(sample.at_ns);
        if sample.at_ns.saturating_sub(first) > options.lasting.as_nanos() {
            break;
        }
        let _ = sample.bound();
        // The law sees the addresses that a replay will see, so that its decisions are the same.
        let sample = anonymiser.apply(&sample)?;
        let decision = law.take(&sample).1;
        recording.add(&sample, decision.as_ref(), &law).with_context(place)?;
        samples += 1;
        if !options.is_from_recording {
            let ms = configuration.poll.as_nanos() / 1_000_000;
            os::wait_for(&[], u32::try_from(ms).unwrap_or(u32::MAX));
        }
    }
    Ok(samples)
}
