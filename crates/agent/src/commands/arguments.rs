//! Words of the command line.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use airfair_units::Duration;
use anyhow::{Context, Result, bail};

use crate::configuration::Scheme;
use crate::help;
use crate::output;

/// Longest capture [s].
const LONGEST: u64 = 600;

/// Parsed command line of `airfair-agent`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) command: String,
    pub(super) file: Option<PathBuf>,
    pub(super) config: Option<PathBuf>,
    pub(super) interface: Option<String>,
    pub(super) scheme: Option<Scheme>,
    pub(super) emulator: Option<PathBuf>,
    pub(super) station: Option<String>,
    pub(super) from: Option<PathBuf>,
    pub(super) record: Option<PathBuf>,
    pub(super) metrics: Option<String>,
    pub(super) capture: Option<Duration>,
    pub(super) out: Option<PathBuf>,
    pub(super) lasting: Option<Duration>,
    pub(super) is_dry_run: bool,
    pub(super) as_json: bool,
    pub(super) as_prometheus: bool,
}

/// Parses the command-line arguments; `None` if the help or the version was printed.
pub(super) fn parse(arguments: Vec<String>) -> Result<Option<Arguments>> {
    let mut words = Arguments::default();
    let mut rest = arguments.into_iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{word}: the value is missing"));
        match word.as_str() {
            "-h" | "--help" => {
                output::print(&help::help())?;
                return Ok(None);
            }
            "--man" => {
                output::print(&help::manual())?;
                return Ok(None);
            }
            "--version" => {
                output::print(concat!("airfair-agent ", env!("CARGO_PKG_VERSION"), "\n"))?;
                return Ok(None);
            }
            "--config" => words.config = Some(value()?.into()),
            "--interface" => words.interface = Some(value()?),
            "--scheme" => words.scheme = Some(value()?.parse().context("--scheme")?),
            "--emulator" => words.emulator = Some(value()?.into()),
            "--station" => words.station = Some(value()?),
            "--from" => words.from = Some(value()?.into()),
            "--record" => words.record = Some(value()?.into()),
            "--capture" => words.capture = Some(seconds(&value()?)?),
            "--out" => words.out = Some(value()?.into()),
            "--metrics" => words.metrics = Some(value()?),
            "--prometheus" => words.as_prometheus = true,
            "--for" => words.lasting = Some(value()?.parse().context("--for")?),
            "--dry-run" => words.is_dry_run = true,
            "--json" => words.as_json = true,
            _ if word.starts_with('-') => {
                bail!("{word}: unknown option; see airfair agent --help")
            }
            _ if words.command.is_empty() => words.command = word,
            _ if words.command == "replay" && words.file.is_none() => {
                words.file = Some(word.into());
            }
            _ => bail!("{word}: unexpected argument; see airfair agent --help"),
        }
    }
    check_capture(&words)?;
    check_files(&words)?;
    match (words.command.as_str(), &words.file) {
        ("observe" | "doctor" | "run" | "status" | "restore", None) | ("replay", Some(_)) => {
            Ok(Some(words))
        }
        ("replay", None) => {
            bail!("replay: FILE is missing; allowed is a file that --record wrote")
        }
        ("", _) => bail!(
            "COMMAND: missing; allowed observe, doctor, run, status, restore, replay; see airfair agent --help",
        ),
        (other, _) => {
            bail!("{other}: unknown command; allowed observe, doctor, run, status, restore, replay")
        }
    }
}

/// Parses the value of `--capture`.
fn seconds(text: &str) -> Result<Duration> {
    let seconds = text.parse().ok().filter(|it| (1..=LONGEST).contains(it));
    let seconds = seconds
        .with_context(|| format!("--capture: {text:?}: allowed is 1 to {LONGEST} seconds"))?;
    Ok(Duration::from_secs(seconds))
}

/// Checks that `--capture` and `--out` come together, and with `doctor`.
fn check_capture(words: &Arguments) -> Result<()> {
    let is_doctor = words.command == "doctor";
    match (words.capture, &words.out) {
        (None, None) => Ok(()),
        (Some(_), Some(_)) if is_doctor => Ok(()),
        (Some(_), None) => bail!("--capture: needs --out FILE, the file for the samples"),
        (None, Some(_)) => bail!("--out: needs --capture SECONDS"),
        _ => bail!("--capture: works only with doctor"),
    }
}

/// Checks that a command does not write into the recording from which it reads.
fn check_files(words: &Arguments) -> Result<()> {
    let Some(from) = &words.from else { return Ok(()) };
    for (option, to) in [("--record", &words.record), ("--out", &words.out)] {
        if let Some(to) = to.as_deref().filter(|to| is_same_file(from, to)) {
            bail!("{option}: {}: is also the file of --from; name another file", to.display());
        }
    }
    Ok(())
}

/// True if both paths lead to the same file, which exists.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let place = |path| fs::metadata(path).map(|it| (it.dev(), it.ino())).ok();
    place(one).is_some_and(|it| place(other) == Some(it))
}
