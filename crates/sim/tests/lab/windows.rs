//! Windows from channel occupancy, in whole runs.

use airfair_sim::outcome::{Measured, Outcome};
use airfair_units::Duration;

use crate::common::{TCP, parse, run_once, uploads};

/// Outcome of a cell of stations with ARF, with flows to and from a host.
fn cell(stations: u32, errors: &str, rts: &str, control: &str) -> Outcome {
    let transport = "transport = { kind = \"tcp\", timestamps = true, window_scaling = true, \
                     receive_window = \"131072 B\" }";
    let flow = format!("{transport}\ncontrol = {control}\n");
    let text = format!(
        "duration = \"20 s\"\nseries = \"off\"\n\
         [bss.c]\nstandard = \"802.11a\"\nrts_threshold = {rts}\nerrors = {errors}\n\
         [station.s]\ncount = {stations}\nrate = {{ control = \"arf\" }}\n\
         [host.h]\nlink = {{ rate = \"100 Mb/s\", delay = \"20 ms\" }}\n\
         [flow.up]\nfrom = \"s\"\nto = \"h\"\n{flow}[flow.down]\nfrom = \"h\"\nto = \"s\"\n{flow}"
    );
    run_once(&parse(&text), 0)
}

/// Errors with which most frames get through at 36 Mb/s, and almost none at 54 Mb/s.
const NOISE: &str = "{ model = \"snr\", snr = \"20 dB\" }";
const WINDOW: &str = "\"arf-window\"";

/// The outcome without the stations' measurements and without the record hash, which depends on these measurements.
fn apart_from_measurements(mut outcome: Outcome) -> Outcome {
    outcome.record_hash = 0;
    outcome.stations.iter_mut().for_each(|station| station.measured = Measured::default());
    outcome
}

fn total(outcome: &Outcome) -> u64 {
    outcome.flows.iter().map(|flow| flow.delivered.get()).sum()
}

/// Flows under the scheme keep more than 80 % of their throughput while ARF changes the rate again and again, with
/// several flows per station and in both directions.
///
/// Verifies: [arf-window §IV]
#[test]
fn flows_under_it_do_not_collapse() {
    for (stations, rts) in [(1, "\"off\""), (3, "\"off\""), (3, "\"0 B\"")] {
        let [plain, limited] =
            ["\"none\"", WINDOW].map(|control| cell(stations, NOISE, rts, control));
        assert!(limited.stations.iter().all(|station| station.rate_changes > 10));
        assert_ne!(plain.record_hash, limited.record_hash);
        assert!(limited.flows.iter().all(|flow| flow.delivered.get() > 100_000));
        let (plain, limited) = (total(&plain), total(&limited));
        assert!(limited * 10 > plain * 8, "{limited} against {plain} octets");
    }
}

/// Short connections are never limited.
#[test]
fn without_a_long_connection_no_limit() {
    let run = |control| apart_from_measurements(cell(1, NOISE, "\"off\"", control));
    let long = "{ scheme = \"arf-window\", long_lived = \"1 GB\" }";
    assert_eq!(run(long), run("\"none\""));
    assert_ne!(run(WINDOW), run("\"none\""));
}

/// A station whose rate never changes is never limited, although it measures.
///
/// Verifies: [arf-window §III-B]
#[test]
fn without_a_change_of_rate_no_limit() {
    let run = |control: &str| {
        let transport = format!("{TCP}\ncontrol = {control}");
        let text = uploads("standard = \"802.11a\"", &["54 Mb/s", "6 Mb/s"], &transport, 5);
        apart_from_measurements(run_once(&parse(&text), 0))
    };
    assert_eq!(run(WINDOW), run("\"none\""));
}

/// A flow between two stations is observed at both ends, because each station runs the scheme.
#[test]
fn a_flow_between_stations_is_observed_at_both_ends() {
    let run = |control: &str| {
        let text = format!(
            "duration = \"10 s\"\nseries = \"off\"\n\
             [bss.c]\nstandard = \"802.11a\"\nerrors = {NOISE}\n\
             [station.a]\nrate = {{ control = \"arf\" }}\n[station.b]\nrate = {{ control = \"arf\" }}\n\
             [flow.f]\nfrom = \"a\"\nto = \"b\"\ntransport = {{ kind = \"tcp\" }}\n\
             control = {control}\n"
        );
        run_once(&parse(&text), 0)
    };
    let [plain, limited] = ["\"none\"", WINDOW].map(run);
    assert_ne!(plain.record_hash, limited.record_hash);
    assert!(total(&limited) * 10 > total(&plain) * 7, "{} {}", total(&limited), total(&plain));
}

/// The outcome contains what a station has measured: the true airtime and a SIFS of 16 µs per exchange, give or take
/// one exchange under way. One upload, from 1 s to 2 s of a run of 4 s, is observed in slots of 400 ms. With a warm-up
/// of 0.6 s, half of the second slot counts: 0.2 + 8 · 0.4 s. Silence counts as observed time.
///
/// Verifies: [arf-window §III-A]
#[test]
fn what_a_station_measures_is_in_the_outcome() {
    let run = |control: &str| {
        let transport = format!("{TCP}\nstart = \"1 s\"\nstop = \"2 s\"\ncontrol = {control}");
        let text = uploads("standard = \"802.11a\"", &["54 Mb/s"], &transport, 4);
        run_once(&parse(&text.replacen("duration", "warmup = \"600 ms\"\nduration", 1)), 0)
    };
    let observed = run("{ scheme = \"arf-window\", slot = \"400 ms\" }");
    let [ref station] = observed.stations[..] else { panic!("one station") };
    let exchanges = station.radio.frames + observed.access_points[0].frames;
    let truth = station.airtime_data_up + station.airtime_data_down + station.airtime_control;
    let collided = station.radio.collisions + observed.access_points[0].collisions;
    let sifs = Duration::from_micros(16) * (exchanges - collided);
    let measured = station.measured;
    assert_eq!(measured.time, Duration::from_millis(3_400));
    assert!(measured.own.as_secs_f64() > 0.5, "{measured:?}");
    let difference = measured.own.as_secs_f64() - (truth + sifs).as_secs_f64();
    assert!(difference.abs() < 1e-3, "{difference}");
    assert_eq!(measured.others, Duration::ZERO);
    assert_eq!(run("\"none\"").stations[0].measured, Measured::default());
}
