//! Command `airfair-agent doctor`.

use anyhow::{Context, Result, ensure};

use super::arguments::Arguments;
use super::configured::{WrongConfiguration, recording, source, with_role, written};
use crate::configuration::{Configuration, Role, SampleSource, Scheme, Written};
use crate::doctor::{
    self, Answer, CaptureOptions, Findings, Kernel, Place, SeenCounters, Subject, capture,
};
use crate::os;
use crate::output;
use crate::source::{Source, nl80211};

/// Most samples of a recording or an emulation from which the doctor learns what there is.
const SAMPLES: usize = 600;

/// Prints the report, and captures samples if asked for.
pub(super) fn run(words: &Arguments) -> Result<()> {
    let written = written(words)?;
    let configuration = written.checked()?;
    let mut findings = Findings::default();
    Kernel::read().report(&mut findings);
    let place = match (&words.from, &configuration.source) {
        (None, SampleSource::Kernel) => {
            let name = configuration.interface.as_deref();
            check_interface(name).context(WrongConfiguration)?;
            doctor::examine(name, &mut findings)
        }
        _ => Some(examine(words, &written, &mut findings)?),
    };
    let verdicts = doctor::verdicts(&findings, place.as_ref());
    let text = if words.as_json {
        output::line(&doctor::document(&findings, place.as_ref(), &verdicts))?
    } else {
        doctor::table(&findings, place.as_ref(), &verdicts)
    };
    output::print(&text)?;
    let (Some(lasting), Some(out)) = (words.capture, words.out.clone()) else { return Ok(()) };
    let is_from_recording = words.from.is_some();
    let options = CaptureOptions { lasting, out, is_from_recording };
    let written = if is_from_recording { written } else { with_role(written)? };
    let samples = capture(&written, &mut *opened(words, &written)?, &options)?;
    output::say(&format!(
        "{} has {samples} samples, with documentation addresses in place of MAC and IP addresses. Ports and names of \
         interfaces are as they were.",
        options.out.display()
    ));
    Ok(())
}

/// Source of the samples of a capture: also the survey of the channel, where the kernel is the
/// source.
fn opened(words: &Arguments, written: &Written) -> Result<Box<dyn Source>> {
    let configuration = written.checked()?;
    if words.from.is_none() && configuration.source == SampleSource::Kernel {
        return Ok(Box::new(nl80211::Nl80211::open(configuration.interface, true)?));
    }
    source(words, written)
}

/// Checks that an interface exists.
fn check_interface(name: Option<&str>) -> Result<()> {
    let Some(name) = name else { return Ok(()) };
    ensure!(os::interface_index(name).is_some(), "interface = {name:?}: does not exist");
    Ok(())
}

/// Examines the samples of a recording or of an emulation in place of a driver.
fn examine(words: &Arguments, written: &Written, to: &mut Findings) -> Result<Place> {
    let mut source = source(words, written)?;
    let most = if words.from.is_some() { SAMPLES } else { 1 };
    let mut seen = SeenCounters::default();
    for _ in 0..most {
        let Some(sample) = source.sample(0)? else { break };
        seen.add(&sample);
    }
    let (name, role) = match &words.from {
        Some(path) => ("this recording".into(), role(&recording(path)?.configuration)),
        None => emulated(&written.checked()?),
    };
    let detail = format!("samples of {name} stand for a driver");
    to.add(Subject::Nl80211, Answer::Unknown, detail);
    seen.report(to);
    let detail = if seen.has_weights() { "" } else { "no station has a weight in the samples" };
    to.add(Subject::AirtimeWeights, seen.has_weights(), detail);
    Ok(Place { name, role })
}

/// Name and role of the place of an agent in an emulation.
fn emulated(configuration: &Configuration) -> (String, Role) {
    match &configuration.source {
        SampleSource::Emulator { station: Some(station), .. } => (station.clone(), Role::Station),
        _ => ("the emulation".into(), Role::AccessPoint),
    }
}

/// Role of a machine that runs the scheme of this configuration.
fn role(configuration: &Configuration) -> Role {
    match configuration.scheme {
        Scheme::ArfAware | Scheme::ArfWindow => Role::Station,
        Scheme::Occupancy => configuration.occupancy.role,
        _ => Role::AccessPoint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::arguments::parse;

    /// Error of a command line.
    fn ended(line: &str) -> anyhow::Error {
        let words = line.split_whitespace().map(str::to_owned).collect();
        let words = parse(words).map(Option::unwrap_or_default);
        words.and_then(|it| run(&it)).unwrap_err()
    }

    #[test]
    fn a_capture_has_a_duration_and_a_file() {
        for (line, expected) in [
            ("doctor --capture 10", "--capture: needs --out FILE"),
            ("doctor --out it", "--out: needs --capture"),
            ("doctor --capture 0 --out it", "--capture: \"0\": allowed is 1 to 600 seconds"),
            ("doctor --capture 10s --out it", "allowed is 1 to 600 seconds"),
            ("observe --capture 10 --out it", "--capture: works only with doctor"),
        ] {
            let said = format!("{:#}", ended(line));
            assert!(said.contains(expected), "{line}: {said}");
        }
    }

    /// A recording is not overwritten by what is read from it, by whatever path.
    #[test]
    fn a_recording_is_not_written_onto_itself() {
        let folder = std::env::temp_dir().join(format!("airfair-doctor-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let from = folder.join("it.jsonl");
        std::fs::write(&from, "text").unwrap();
        let other = folder.join(".").join("it.jsonl");
        let [from, other] = [from, other].map(|it| it.display().to_string());
        for line in [
            format!("doctor --from {from} --capture 1 --out {other}"),
            format!("run --dry-run --from {from} --record {other}"),
        ] {
            let said = format!("{:#}", ended(&line));
            assert!(said.contains("is also the file of --from"), "{said}");
        }
        assert_eq!(std::fs::read_to_string(&from).unwrap(), "text");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_interface_that_does_not_exist_is_wrong_input() {
        let error = ended("doctor --config agent.toml --interface no-such-one");
        assert!(error.is::<WrongConfiguration>(), "{error:#}");
        assert!(format!("{error:#}").contains("interface = \"no-such-one\": does not exist"));
    }
}
