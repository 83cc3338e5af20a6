//! Command line of `airfair-agent`.

mod arguments;
mod configured;
mod doctor;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, IsTerminal};

use airfair_units::Duration;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;

use self::arguments::{Arguments, parse};
use self::configured::{WrongConfiguration, source, with_role, written};
use crate::actuator;
use crate::estimate::Estimator;
use crate::law::Law;
use crate::metrics;
use crate::observe::AirtimeSummary;
use crate::os;
use crate::output;
use crate::recording::{self, Recording, Replayed};
use crate::running::{self, RunOptions};
use crate::status;

/// Exit status of the agent for wrong input.
const WRONG: u8 = 2;

/// Runs `airfair-agent` with these arguments; returns the exit status.
pub fn main(arguments: impl Iterator<Item = OsString>) -> u8 {
    let arguments: Result<Vec<String>, _> = arguments.map(OsString::into_string).collect();
    let words = arguments.map_err(|_| anyhow!("the command line is not UTF-8")).and_then(parse);
    let words = match words {
        Ok(Some(words)) => words,
        Ok(None) => return 0,
        Err(error) => return report(&error, WRONG),
    };
    match act(&words) {
        Ok(status) => status,
        Err(error) => report(&error, if error.is::<WrongConfiguration>() { WRONG } else { 1 }),
    }
}

fn report(error: &anyhow::Error, status: u8) -> u8 {
    output::say(&format!("airfair-agent: {error:#}"));
    status
}

fn act(words: &Arguments) -> Result<u8> {
    match words.command.as_str() {
        "observe" => observe(words).map(|()| 0),
        "doctor" => doctor::run(words).map(|()| 0),
        "run" => run(words).map(|()| 0),
        "status" => print_status(words).map(|()| 0),
        "restore" => restore(words).map(|()| 0),
        _ => replay(words),
    }
}

fn run(words: &Arguments) -> Result<()> {
    let written = written(words)?;
    let written = if words.from.is_none() { with_role(written)? } else { written };
    let source = source(words, &written)?;
    let Arguments { is_dry_run, record, lasting, .. } = words.clone();
    let is_live = words.from.is_none() && !is_dry_run;
    running::run(&written, source, &RunOptions { is_dry_run, is_live, record, lasting })
}

/// Time between two tables, or lines, that `observe` prints.
const LOOK: Duration = Duration::from_secs(1);
/// Most links in the table of `observe`.
const LINES: usize = 20;

fn observe(words: &Arguments) -> Result<()> {
    let written = written(words)?;
    let configuration = written.checked()?;
    let mut source = source(words, &written)?;
    let mut recording = match &words.record {
        Some(path) => Some(Recording::begin(File::create(path)?, &written)?),
        None => None,
    };
    os::catch_signals();
    for sentence in actuator::available() {
        output::say(&sentence);
    }
    let mut law = Law::new(&configuration);
    let mut estimator = Estimator::new(configuration.polls);
    let started = os::monotonic_ns();
    let mut summary = AirtimeSummary::default();
    while !os::is_asked_to_end() {
        let since = os::monotonic_ns() - started;
        if words.lasting.is_some_and(|lasting| since > lasting.as_nanos()) {
            break;
        }
        let Some(mut sample) = source.sample(since)? else { break };
        let _ = sample.bound();
        if let Some(recording) = &mut recording {
            let decision = law.take(&sample).1;
            recording.add(&sample, decision.as_ref(), &law)?;
        }
        summary.add(estimator.take(&sample));
        if summary.elapsed() >= LOOK {
            if !show(&summary, sample.at_ns, words.as_json)? {
                break;
            }
            summary = AirtimeSummary::default();
        }
        // A recording is read without waiting.
        if words.from.is_none() {
            let ms = configuration.poll.as_nanos() / 1_000_000;
            os::wait_for(&[], u32::try_from(ms).unwrap_or(u32::MAX));
        }
    }
    Ok(())
}

/// Prints a summary of airtime, `at` after the start [ns]; false if the reader has closed the pipe.
fn show(summary: &AirtimeSummary, at: u64, as_json: bool) -> Result<bool> {
    let seconds = Duration::from_nanos(at).as_secs_f64();
    if as_json {
        return output::print(&output::line(&summary.document(seconds))?);
    }
    // On a terminal each output overwrites the last one.
    let begin = if std::io::stdout().is_terminal() { "\x1b[H\x1b[J" } else { "" };
    output::print(&format!("{begin}{seconds:.0} s\n{}\n", summary.table(LINES)))
}

fn print_status(words: &Arguments) -> Result<()> {
    let status = status::ask(&status::directory())?;
    let text = if words.as_prometheus {
        metrics::text(&status)
    } else if words.as_json {
        output::line(&status)?
    } else {
        status::table(&status)
    };
    output::print(&text)?;
    Ok(())
}

fn restore(words: &Arguments) -> Result<()> {
    // The state in the kernel belongs to the running agent.
    if status::ask(&status::directory()).is_ok() {
        bail!("an agent is running and undoes its changes when it ends; end it first");
    }
    let passed = actuator::restore()?;
    let text = if words.as_json {
        output::line(&json!({
            "document": "agent-restore",
            "schema": 1,
            "given_back": passed.given_back,
            "failed": passed.failed,
            "filters": passed.filters,
            "interfaces": passed.interfaces,
            "stations": passed.stations,
        }))?
    } else {
        format!(
            "Restored: {}. Refused by the kernel: {}. Removed: {} filters, classes of {} interfaces. Airtime weights \
             restored: {}.\n",
            status::connections(passed.given_back),
            passed.failed,
            passed.filters,
            passed.interfaces,
            passed.stations
        )
    };
    output::print(&text)?;
    Ok(())
}

fn replay(words: &Arguments) -> Result<u8> {
    let path = words.file.as_ref().context("replay: FILE is missing")?;
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let replayed =
        recording::replay(BufReader::new(file)).with_context(|| path.display().to_string())?;
    if words.as_json {
        let mut document = serde_json::to_value(&replayed)?;
        document["document"] = json!("agent-replay");
        document["schema"] = json!(1);
        output::print(&output::line(&document)?)?;
    } else {
        output::print(&replay_text(&replayed)?)?;
    }
    Ok(u8::from(!replayed.differences.is_empty()))
}

/// Text of a replay: the decisions of the law, one per line, and a summary.
fn replay_text(replayed: &Replayed) -> Result<String> {
    let mut lines = String::new();
    for (at, decision) in &replayed.decisions {
        let at = Duration::from_nanos(*at).as_secs_f64();
        let _ = write!(lines, "{at:10.3} s  {}", output::line(decision)?);
    }
    let _ = writeln!(
        lines,
        "{} samples, {} decisions; {} differ from the recording.",
        replayed.samples,
        replayed.decisions.len(),
        replayed.differences.len()
    );
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help;

    fn words(line: &str) -> Result<Option<Arguments>> {
        parse(line.split_whitespace().map(str::to_owned).collect())
    }

    fn mistake(line: &str) -> String {
        format!("{:#}", words(line).unwrap_err())
    }

    #[test]
    fn a_command_line_is_a_command_with_options() {
        let it = words("run --interface wlan0 --dry-run --record /tmp/it").unwrap().unwrap();
        assert_eq!((it.command.as_str(), it.is_dry_run), ("run", true));
        assert_eq!(it.interface.as_deref(), Some("wlan0"));
        assert_eq!(words("replay it").unwrap().unwrap().file, Some("it".into()));
    }

    /// Help and manual page list exactly the options that the parser accepts.
    #[test]
    fn the_words_that_are_listed_are_those_that_are_understood() {
        for (word, _) in help::COMMANDS {
            assert!(words(word).unwrap().is_some(), "{word}");
        }
        for (word, _) in help::OPTIONS {
            if !["--help", "--man", "--version"].contains(&word) {
                let word = word
                    .replace("TIME", "1s")
                    .replace("SECONDS", "1")
                    .replace("--scheme NAME", "--scheme data-ack");
                let is_of_doctor = ["--capture", "--out"].iter().any(|it| word.starts_with(it));
                let doctor = "doctor --capture 1 --out FILE".to_owned();
                let line = if is_of_doctor { doctor } else { format!("run {word}") };
                assert!(words(&line).is_ok(), "{word}");
            }
        }
        let source = include_str!("commands/arguments.rs");
        let arms = source.lines().filter_map(|line| line.trim_start().strip_prefix("\"--"));
        for word in arms.filter_map(|line| line.split_once("\" =>")).map(|(word, _)| word) {
            let listed = |it: &help::Entry| it.0.split(' ').next() == Some(&format!("--{word}"));
            assert!(help::OPTIONS.iter().any(listed), "--{word} is not listed");
        }
    }

    #[test]
    fn errors_are_reported() {
        assert!(mistake("").contains("allowed observe, doctor, run"));
        assert!(mistake("fly").contains("fly: unknown command"));
        assert!(mistake("run --fast").contains("--fast: unknown option"));
        assert!(mistake("run --interface").contains("the value is missing"));
        assert!(mistake("replay").contains("FILE is missing"));
        assert!(
            mistake("run --scheme fairest")
                .contains("--scheme: fairest: unknown scheme; allowed arf-aware, arf-window,")
        );
        assert!(mistake("status here").contains("unexpected argument"));
        assert!(mistake("run --for 10").contains("--for"));
    }

    /// The exit status of a wrong configuration is that of wrong input, after which systemd does
    /// not restart the unit.
    #[test]
    fn a_configuration_that_is_wrong_is_wrong_input() {
        for line in [
            "run --config /none",
            "observe --config agent.toml --station fast",
            "run --config agent.toml",
        ] {
            let words = words(line).unwrap().unwrap();
            let error = act(&words).unwrap_err();
            assert!(error.is::<WrongConfiguration>(), "{line}: {error:#}");
            assert_eq!(main(line.split_whitespace().map(OsString::from)), WRONG);
        }
        let unit = include_str!("../packaging/airfair-agent.service");
        assert!(unit.contains(&format!("\nRestartPreventExitStatus={WRONG}\n")));
    }
}
