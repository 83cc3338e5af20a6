//! Configuration and source of samples that file and command line give together.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result, anyhow};

use super::arguments::Arguments;
use crate::configuration::{
    self, Configuration, DEFAULT_PATHS, Role, SampleSource, Scheme, Written,
};
use crate::recording::RecordingReader;
use crate::source::{self, Source, nl80211};

/// Error context that marks mistakes in the configuration, which a restart would not cure. They
/// have a distinct exit status.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrongConfiguration;

impl fmt::Display for WrongConfiguration {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("configuration")
    }
}

/// Configuration that file and command line give together, checked. The command line takes
/// precedence.
pub(super) fn written(words: &Arguments) -> Result<Written> {
    let written = read(words).context(WrongConfiguration)?;
    let configuration = written.checked().context(WrongConfiguration)?;
    let is_to_act = words.command == "run" && words.from.is_none() && !words.is_dry_run;
    if is_to_act && configuration.interface.is_none() {
        let question =
            anyhow!("interface: missing; name the interface whose connections are limited");
        return Err(question.context(WrongConfiguration));
    }
    Ok(written)
}

fn read(words: &Arguments) -> Result<Written> {
    let file = match &words.config {
        Some(path) => configuration::read(path)?,
        None => match DEFAULT_PATHS.map(Path::new).into_iter().find(|it| it.exists()) {
            Some(path) => configuration::read(path)?,
            None => Written::default(),
        },
    };
    let Arguments { interface, scheme, emulator, station, metrics, .. } = words.clone();
    let told = Written::from_command_line(interface, scheme, emulator, station);
    Ok(told.serving(metrics).over(file))
}

/// Source of the samples: the recording of `--from`, or the configured one.
pub(super) fn source(words: &Arguments, written: &Written) -> Result<Box<dyn Source>> {
    let Some(path) = &words.from else { return source::open(&written.checked()?) };
    Ok(Box::new(source::Recorded(recording(path)?)))
}

/// Opens a recording.
pub(super) fn recording(path: &Path) -> Result<RecordingReader<BufReader<File>>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    RecordingReader::open(BufReader::new(file)).with_context(|| path.display().to_string())
}

/// Sets the role of this machine, station or access point, from the kind of its interface, for
/// `occupancy`, which has a part at either end. A missing interface is reported later, when the
/// agent opens it.
pub(super) fn with_role(written: Written) -> Result<Written> {
    let Configuration { scheme, source, interface, .. } = written.checked()?;
    let (Scheme::Occupancy, SampleSource::Kernel, Some(interface)) = (scheme, source, interface)
    else {
        return Ok(written);
    };
    Ok(match nl80211::is_access_point(&interface) {
        Ok(true) => written.at(Role::AccessPoint),
        Ok(false) => written.at(Role::Station),
        Err(_) => written,
    })
}
