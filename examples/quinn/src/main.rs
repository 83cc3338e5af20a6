//! Downloads over QUIC through a cell of airfair, and prints a summary.

use std::path::PathBuf;
use std::process::ExitCode;

use airfair_link::Scenario;
use quinn_over_airfair::{Download, Error, download};

const USAGE: &str = "\
quinn-over-airfair [OPTIONS] [SCENARIO]
  --control NAME  congestion control of the server: cubic, new-reno or bbr (cubic)
  --mb N          megabytes to download (20)
  --seed N        seed of the run (1)
  --qlog FILE     write the qlog of the server's connection";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let mut settings =
        Download { control: "cubic".to_owned(), octets: 20_000_000, seed: 1, qlog: None };
    let mut text = include_str!("../cell.toml").to_owned();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value\n{USAGE}"));
        match argument.as_str() {
            "--control" => settings.control = value()?,
            "--mb" => settings.octets = value()?.parse::<usize>()? * 1_000_000,
            "--seed" => settings.seed = value()?.parse()?,
            "--qlog" => settings.qlog = Some(PathBuf::from(value()?)),
            "--help" => {
                println!("{USAGE}");
                return Ok(());
            }
            option if option.starts_with('-') => {
                return Err(format!("no option {option}\n{USAGE}").into());
            }
            path => {
                text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?
            }
        }
    }
    let scenario = Scenario::parse(&text, &[]).map_err(|mistakes| {
        mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    })?;
    let summary = download(&scenario, &settings)?;
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    println!("{}, {}, seed {}", scenario.title, settings.control, settings.seed);
    println!("handshake       {:.1} ms", summary.connected_at.as_secs_f64() * 1e3);
    println!(
        "download        {} MB in {:.2} s",
        summary.octets / 1_000_000,
        summary.finished_at.as_secs_f64()
    );
    println!(
        "goodput         {:.1} Mb/s, other flows {:.1} Mb/s",
        summary.goodput_bps() / 1e6,
        summary.other_bps / 1e6
    );
    println!(
        "round trip      {:.1} ms at least, median {:.1} ms, 95th percentile {:.1} ms",
        ms(summary.min_rtt),
        ms(summary.rtt(0.5)),
        ms(summary.rtt(0.95))
    );
    println!(
        "server's packets {} sent, {} declared lost; {} lost in the link",
        summary.sent, summary.declared_lost, summary.lost
    );
    Ok(())
}
