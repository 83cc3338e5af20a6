//! `airfair-medium`: the medium of a scenario for the kernel's simulated radios (mac80211_hwsim).
//! The program needs nothing but Linux.

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    return linux::main();
    #[cfg(not(target_os = "linux"))]
    {
        eprintln!("airfair-medium: runs on Linux only");
        std::process::ExitCode::FAILURE
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::env;
    use std::fs;
    use std::process::ExitCode;

    use airfair_emulator::hwsim::{Hwsim, Signals, View};
    use airfair_sim::scenario::{Driver, Scenario};
    use airfair_units::Duration;

    const USAGE: &str = "\
usage: airfair-medium [--set KEY=VALUE]... [--seed N] [--duration TIME] SCENARIO.toml

Be the medium of the radios of mac80211_hwsim: the first radio is the access point of the
scenario's cell, the others are its stations, in their order. A line per second shows who holds
the air, until TIME is over, Ctrl-C or SIGTERM.";

    struct Arguments {
        scenario: String,
        overrides: Vec<(String, String)>,
        seed: Option<u64>,
        duration: Option<Duration>,
    }

    pub(super) fn main() -> ExitCode {
        let result = arguments(env::args().skip(1)).and_then(|given| run(&given));
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("airfair-medium: {problem}");
                ExitCode::FAILURE
            }
        }
    }

    fn arguments(mut all: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let (mut scenario, mut overrides) = (None, Vec::new());
        let (mut seed, mut duration) = (None, None);
        while let Some(word) = all.next() {
            let mut value =
                || all.next().ok_or_else(|| format!("{word}: the value is missing\n{USAGE}"));
            match word.as_str() {
                "--help" => return Err(USAGE.to_owned()),
                "--set" => {
                    let pair = value()?;
                    let (key, to) = pair
                        .split_once('=')
                        .ok_or_else(|| format!("--set {pair}: allowed is KEY=VALUE"))?;
                    overrides.push((key.to_owned(), to.to_owned()));
                }
                "--seed" => {
                    let given = value()?;
                    seed = Some(
                        given
                            .parse()
                            .map_err(|_| format!("--seed {given}: allowed is a whole number"))?,
                    );
                }
                "--duration" => {
                    let given = value()?;
                    let time =
                        given.parse().map_err(|error| format!("--duration {given}: {error}"));
                    duration = Some(time?);
                }
                option if option.starts_with('-') => {
                    return Err(format!("{option}: unknown option\n{USAGE}"));
                }
                _ if scenario.is_none() => scenario = Some(word),
                _ => {
                    return Err(format!(
                        "{word}: unexpected argument; allowed is one scenario\n{USAGE}",
                    ));
                }
            }
        }
        let scenario = scenario.ok_or(USAGE)?;
        Ok(Arguments { scenario, overrides, seed, duration })
    }

    fn run(given: &Arguments) -> Result<(), String> {
        let file = &given.scenario;
        let octets = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        let mut no_file = |name: &str| -> Result<Vec<u8>, String> {
            Err(format!("{name}: the scenario refers to another file, which is not allowed here"))
        };
        let scenario = Scenario::load(&octets, &given.overrides, &mut no_file, Driver::Emulation);
        let scenario = scenario.map_err(|mistakes| {
            let all = mistakes.iter().map(|mistake| format!("{file}: {mistake}"));
            all.collect::<Vec<_>>().join("\n")
        })?;
        // Signals are blocked before there is a second thread, so that all threads inherit the
        // mask.
        let signals = Signals::take().map_err(|error| format!("signals: {error}"))?;
        let seed = given.seed.unwrap_or(scenario.seed);
        let medium =
            Hwsim::start(scenario, seed, given.duration).map_err(|error| error.to_string())?;
        for radio in medium.radios() {
            println!("radio {} is {}", radio.name, radio.member);
        }
        let mut last = View::default();
        loop {
            let has_signal = signals.wait(Duration::from_secs(1));
            if has_signal.map_err(|error| format!("signals: {error}"))? || medium.is_over() {
                break;
            }
            let view = medium.view();
            println!("{}", view.line(&last, medium.radios()));
            last = view;
        }
        let radios = medium.radios().to_vec();
        let view = medium.end().map_err(|error| error.to_string())?;
        println!("{}", view.summary(&radios));
        Ok(())
    }
}
