//! Copies of worlds, which continue from the same state, and observations of steps.

use airfair_sim::clock::FreeRunning;
use airfair_sim::observe::{self, Objects, Observation, Observed};
use airfair_sim::outcome::Outcome;
use airfair_sim::random::Streams;
use airfair_sim::run::Simulation;
use airfair_sim::scenario::Scenario;
use airfair_units::{Duration, Time};

use crate::cells;
use crate::common::{SATURATED, TCP, parse, run_once, uploads};
use crate::luck::Luck;

type Observable = Simulation<Observed<()>, FreeRunning>;

fn observable(scenario: &Scenario) -> Observable {
    Simulation::new(scenario, Streams::new(1, 0), Observed::new(scenario, ()), FreeRunning)
}

fn advance(run: &mut Observable, by: Duration) -> Observation {
    let until = run.now() + by;
    run.advance(until).expect("a clock that runs freely");
    run.world().observe()
}

fn finish(run: Observable, scenario: &Scenario) -> Outcome {
    run.finish().map(|observed| observed.into_parts().0).outcome(scenario, 1, 0)
}

/// Random cells of every standard, queue and radio model, some with multi-user frames. A copy in the middle of a run ends as the run does, and so
/// does the run itself, although the copy has gone on before.
#[test]
fn a_copy_and_the_original_end_as_the_run_does() {
    let mut luck = Luck::of_seed(31);
    let mut compared = 0;
    while compared < 40 {
        let draw = match compared % 8 {
            3 => cells::multi_user_cell,
            5 => cells::mu_mimo_cell,
            7 => cells::random_access_cell,
            _ => cells::cell,
        };
        let text = draw(&mut luck);
        let text = if luck.one_in(2) { cells::renewed(&mut luck, &text) } else { text };
        let Ok(scenario) = Scenario::parse(&text, &[]) else { continue };
        let end = Duration::from_nanos(scenario.duration.as_nanos());
        let whole = run_once(&scenario, 0);
        let mut original = observable(&scenario);
        let middle = 1 + luck.below(usize::try_from(end.as_nanos()).expect("a short run"));
        advance(&mut original, Duration::from_nanos(middle as u64));
        let mut copy = original.clone();
        for run in [&mut copy, &mut original] {
            advance(run, end);
        }
        for run in [copy, original] {
            assert_eq!(finish(run, &scenario), whole, "{}", scenario.to_toml());
        }
        compared += 1;
    }
}

/// Values of a column of an observation.
fn column(seen: &Observation, scenario: &Scenario, name: &str) -> Vec<f64> {
    let mut from = 0;
    for (objects, column, _) in observe::columns() {
        let length = match objects {
            Objects::Flows => scenario.flows.len(),
            Objects::Stations => scenario.stations.len(),
            Objects::Cells => scenario.cells.len(),
            Objects::Links => scenario.links.len() * 2,
        };
        if column == name {
            return seen.values[from..from + length].to_vec();
        }
        from += length;
    }
    panic!("no column {name}")
}

/// The sums of all steps are the totals of the run, whatever the length of the steps.
#[test]
fn what_the_steps_show_adds_up_to_the_run() {
    let tcp = uploads("standard = \"802.11b\"", &["11 Mb/s", "1 Mb/s"], TCP, 2);
    let saturated = uploads("standard = \"802.11n\"", &["ht-mcs7", "ht-mcs0"], SATURATED, 1);
    for text in [tcp, saturated] {
        let scenario = parse(&text);
        let whole = run_once(&scenario, 0);
        for step_us in [777, 10_000, 333_333] {
            let mut run = observable(&scenario);
            let (mut octets, mut airtime, mut frames) = (0.0, 0.0, 0.0);
            while run.now() < Time::ZERO + scenario.duration {
                let seen = advance(&mut run, Duration::from_micros(step_us));
                let seconds = seen.length.as_secs_f64();
                octets += column(&seen, &scenario, "goodput_bps")[1] * seconds / 8.0;
                airtime += column(&seen, &scenario, "airtime_share")[1] * seconds;
                frames += column(&seen, &scenario, "frames")[1];
            }
            let station = &whole.stations[1];
            let time =
                station.airtime_data_up + station.airtime_data_down + station.airtime_control;
            #[expect(clippy::cast_precision_loss, reason = "counts of a short run")]
            let expected = [whole.flows[1].delivered.get() as f64, station.radio.frames as f64];
            assert!((octets - expected[0]).abs() < 1e-3, "{octets} of {expected:?}");
            assert!((frames - expected[1]).abs() < 1e-9, "{frames} of {expected:?}");
            // The frame on the air at the end of the run has no record until the run is over.
            let missing = time.as_secs_f64() - airtime;
            assert!((-1e-9..0.02).contains(&missing), "{missing} s of {time:?}");
            assert_eq!(finish(run, &scenario).record_hash, whole.record_hash);
        }
    }
}
