//! Fuzzer for traces: random cells of every standard run with and without a trace. A trace must change no record and
//! no figure, and the figures must agree with each other and with the frames of the trace.
//!
//! `AIRFAIR_FUZZ_SECONDS` sets the duration, and `PROPTEST_RNG_SEED` the seed. Without them, the same few cells are
//! made each time. A failing cell is simplified and written to the file that the message names.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "how long to go on is a matter of the wall clock"
)]

#[path = "draw/small_cells.rs"]
mod small_cells;

use std::fs;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use airfair_sim::outcome::{Outcome, RadioOutcome, StationOutcome};
use airfair_sim::random::Streams;
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, run, run_with, simulate};
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::Trace;
use airfair_units::{Duration, Time};
use airfair_wlan::{FrameKind, Record as CellRecord};
use proptest::prop_oneof;
use proptest::sample::select;
use proptest::strategy::{Strategy as _, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use small_cells::{
    cells, fair_cells, fair_multi_user_cells, fitting, granting_cells, mu_mimo_cells,
    multi_user_cells, random_access_cells,
};

/// Number of cells that are tried if `AIRFAIR_FUZZ_SECONDS` is not set.
const FEW: u64 = 120;

/// Frames of the only cell.
struct Frames {
    from: Time,
    /// Data frames, RTS frames and retries of each member, the access point first.
    sent: Vec<[u64; 3]>,
    /// Longest time of the RTS frames that stations assume before each CTS-to-self, with a SIFS.  [D-084]
    assumed: Duration,
}

impl Recorder for Frames {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, _record: &Record) {}

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        let Trace::Frame(_, heard) = trace else { return };
        let frame = &heard.ppdu.frame;
        let kinds = [frame.kind == FrameKind::Data, frame.kind == FrameKind::Rts];
        let is_retry = frame.retry && kinds.contains(&true);
        if frame.kind == FrameKind::CtsToSelf {
            // An RTS is 6 octets longer, which last 48 µs at 1 Mb/s; a SIFS lasts 16 µs at most.
            self.assumed += frame.duration + Duration::from_micros(48 + 16);
        }
        if now >= self.from {
            let counts = &mut self.sent[frame.from.index()];
            for (count, is_one) in counts.iter_mut().zip([kinds[0], kinds[1], is_retry]) {
                *count += u64::from(is_one);
            }
        }
    }
}

fn held(station: &StationOutcome) -> Duration {
    station.airtime_data_up + station.airtime_data_down + station.airtime_control
}

/// Checks that the figures of a run agree with each other and with the frames of its trace.
fn check_accounts(outcome: &Outcome, frames: &Frames) {
    let channel = &outcome.channels[0];
    let parts = [channel.data, channel.control, channel.beacon, channel.collision];
    let parts = parts.into_iter().chain([channel.neighbours, channel.overlap]);
    let parts = parts.chain([channel.contention, channel.idle]);
    assert_eq!(parts.sum::<Duration>(), outcome.elapsed);
    let stations: Duration = outcome.stations.iter().map(held).sum();
    assert_eq!(stations, channel.data + channel.control);
    let categories: Duration = outcome.categories.iter().map(|it| it.airtime).sum();
    assert!(outcome.categories.is_empty() || categories == stations, "{categories} {stations}");
    for (place, station) in outcome.stations.iter().enumerate() {
        let measured = station.measured;
        let most = measured.time + frames.assumed;
        assert!(measured.own + measured.others <= most, "station {place}: {measured:?}");
    }
    let stations = outcome.stations.iter().map(|station| &station.radio);
    let counted = |radio: &RadioOutcome| [radio.frames, radio.rts_frames, radio.retries];
    let counted: Vec<_> = outcome.access_points.iter().chain(stations).map(counted).collect();
    assert_eq!(counted, frames.sent);
}

/// Records that belong to the hash of a run, with their times, up to a maximum number.
#[derive(Default)]
struct Records<const TRACES: bool>(Vec<(Time, Record)>);

impl<const TRACES: bool> Recorder for Records<TRACES> {
    const TRACES: bool = TRACES;

    fn record(&mut self, now: Time, record: &Record) {
        let is_apart =
            matches!(record, Record::Sample(_) | Record::Cell(_, CellRecord::Category(..)));
        if !is_apart && self.0.len() < 1_000_000 {
            self.0.push((now, *record));
        }
    }
}

/// First record that differs between the run with a trace and the run without, as text with some records before it.
fn first_difference(scenario: &Scenario, seed: u64) -> String {
    let streams = || Streams::new(seed, 0);
    let control = Control::default();
    let plain = simulate(scenario, streams(), Records::<false>::default(), &control);
    let traced = simulate(scenario, streams(), Records::<true>::default(), &control);
    let Records(plain) = plain.expect("nobody cancels").recorder;
    let Records(traced) = traced.expect("nobody cancels").recorder;
    let place = plain.iter().zip(&traced).take_while(|(plain, traced)| plain == traced).count();
    let from = place.saturating_sub(12);
    let some = |records: &[(Time, Record)]| {
        let some = records.iter().skip(from).take(16);
        some.map(|record| format!("  {record:?}")).collect::<Vec<_>>().join("\n")
    };
    format!("record {place}, plain:\n{}\ntraced:\n{}", some(&plain), some(&traced))
}

fn check(scenario: &Scenario, seed: u64) {
    let control = Control::default();
    let from = Time::ZERO + scenario.warmup;
    let mut frames =
        Frames { from, sent: vec![[0; 3]; scenario.stations.len() + 1], assumed: Duration::ZERO };
    let plain = run(scenario, seed, 0, &control).expect("nobody cancels");
    let traced = run_with(scenario, seed, 0, &mut frames, &control).expect("nobody cancels");
    let is_same = plain.record_hash == traced.record_hash;
    assert!(is_same, "{}", first_difference(scenario, seed));
    assert_eq!(plain.events, traced.events, "events");
    assert!(plain == traced, "figures");
    check_accounts(&plain, &frames);
}

/// Runs a cell with and without a trace, and compares the runs. Returns false without a run if the text is invalid even
/// without the keys that do not fit the others.
///
/// # Errors
/// A description of the failure.
fn fate(text: &str, seed: u64) -> Result<bool, String> {
    let done = catch_unwind(AssertUnwindSafe(|| match fitting(text) {
        Some((scenario, _)) => {
            check(&scenario, seed);
            true
        }
        None => false,
    }));
    done.map_err(|panic| {
        let owned = panic.downcast_ref::<String>().map(String::as_str);
        owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no sentence").to_owned()
    })
}

/// The simplest cell for which a check still fails.
fn plainest(mut tree: impl ValueTree<Value = (String, u64)>) -> (String, u64) {
    let mut found = tree.current();
    while tree.simplify() {
        loop {
            let (text, seed) = tree.current();
            if fate(&text, seed).is_err() {
                found = (text, seed);
                break;
            }
            if !tree.complicate() {
                return found;
            }
        }
    }
    found
}

/// Number in the environment variable `name`.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

#[test]
fn a_trace_changes_nothing_and_all_accounts_agree_whatever_the_cell() {
    let (began, seconds) = (Instant::now(), number("AIRFAIR_FUZZ_SECONDS"));
    let luck = number("PROPTEST_RNG_SEED").unwrap_or(1);
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&luck.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let cells = prop_oneof![
        6 => cells(), 2 => multi_user_cells(), 1 => random_access_cells(), 2 => mu_mimo_cells(),
        1 => fair_cells(), 1 => granting_cells(), 1 => fair_multi_user_cells(),
    ];
    let cells = (cells, select(&["\"ns-2\"", "\"ns-3\"", "\"none\""][..])).prop_map(
        |((text, seed), eifs)| (text.replace("eifs = \"ns-2\"", &format!("eifs = {eifs}")), seed),
    );
    panic::set_hook(Box::new(|_| {}));
    let (mut made, mut ran) = (0_u64, 0_u64);
    let mut failed = None;
    while failed.is_none()
        && seconds.map_or(made < FEW, |seconds| began.elapsed().as_secs() < seconds)
    {
        let tree = cells.new_tree(&mut runner).expect("a cell");
        let (text, seed) = tree.current();
        made += 1;
        match fate(&text, seed) {
            Ok(has_run) => ran += u64::from(has_run),
            Err(_) => failed = Some(plainest(tree)),
        }
    }
    drop(panic::take_hook());
    println!("seed {luck}: {made} cells, {ran} run");
    if let Some((text, seed)) = failed {
        let (_, kept) = fitting(&text).expect("it ran");
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cell-{luck}-{made}.toml"));
        fs::write(&file, &kept).expect("a writable directory for temporary files");
        let problem = fate(&text, seed).expect_err("it fails");
        panic!("{}, seed {seed}: {problem}\n{kept}", file.display());
    }
    assert!(ran * 10 > made * 9, "{ran} of {made} run");
}
