//! Random scenarios of one cell with all settings that decide what a queue does with packets: standard, errors,
//! discipline, hardware queue and airtime queue limits, access categories, aggregates, several flows to one station,
//! multi-user frames. Each scenario runs on for six seconds after its flows have stopped. In every run all packets are
//! accounted for, and no channel is idle while packets wait.
//!
//! `AIRFAIR_FUZZ_SECONDS` sets the duration and `PROPTEST_RNG_SEED` the seed, as in `fuzz_scenarios`.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "how long to go on is a matter of the wall clock"
)]

mod balance;
#[path = "draw/cells.rs"]
mod cells;
mod hunt;
#[path = "draw/luck.rs"]
mod luck;
#[path = "draw/neighbours.rs"]
mod neighbours;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use airfair_sim::outcome::Outcome;
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, RunError, run_with};
use airfair_sim::scenario::Scenario;
use airfair_units::{Duration, Time};
use airfair_wlan::SentFrame;
use toml::Table;

use cells::{cell, mu_mimo_cell, multi_user_cell, random_access_cell, renewed};
use hunt::{DocumentOutcome, hunt, luck};
use neighbours::neighbours;

/// Number of scenarios that are tried if `AIRFAIR_FUZZ_SECONDS` is not set.
const FEW: u64 = 60;
/// Longest time for which a channel may be idle while packets wait. It exceeds the duration of any frame with its
/// interframe spaces, and the time for which a time regulator delays packets.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time after which a run is regarded as endless, because all its further events happen at the same instant. Most runs
/// take some milliseconds.
const ENDLESS: std::time::Duration = std::time::Duration::from_mins(1);

/// Measures how long packets wait at a channel on which nothing is sent.
#[derive(Debug, Default)]
struct IdleChannelCheck {
    /// Queue length of each member of each cell.
    lengths: BTreeMap<(usize, usize), u32>,
    /// Time from which on packets have waited without a transmission; `None` if no packets wait.
    since: Option<Time>,
    /// Longest time so far for which packets have waited without a transmission.
    longest: Duration,
}

impl IdleChannelCheck {
    fn look(&mut self, now: Time) {
        self.longest = self.since.map_or(self.longest, |since| self.longest.max(now - since));
    }

    fn queue(&mut self, now: Time, member: (usize, usize), length: u32) {
        self.lengths.insert(member, length);
        let waits = self.lengths.values().any(|length| *length > 0);
        self.since = waits.then(|| self.since.unwrap_or(now));
    }
}

impl Recorder for IdleChannelCheck {
    fn record(&mut self, now: Time, record: &Record) {
        match record {
            Record::Cell(cell, airfair_wlan::Record::Queue { node, length }) => {
                self.look(now);
                self.queue(now, (cell.index(), node.index()), *length);
            }
            Record::Cell(_, airfair_wlan::Record::Sent { frame, .. })
                if *frame != SentFrame::Beacon =>
            {
                self.look(now);
                self.since = self.since.map(|_| now);
            }
            _ => {}
        }
    }
}

/// Runs a scenario, and cancels the run if it seems to be endless.
fn run_for_a_while(
    scenario: &Scenario,
    idle_check: &mut IdleChannelCheck,
) -> Result<Outcome, RunError> {
    let control = Control::default();
    thread::scope(|threads| {
        let (running, ended) = mpsc::channel::<()>();
        let cancel = &control.cancel;
        threads.spawn(move || {
            let is_endless = ended.recv_timeout(ENDLESS) == Err(RecvTimeoutError::Timeout);
            cancel.store(is_endless, Ordering::Relaxed);
        });
        let outcome = run_with(scenario, scenario.seed, 0, idle_check, &control);
        drop(running);
        outcome
    })
}

fn check(text: &str) -> Result<DocumentOutcome, String> {
    let Ok(scenario) = Scenario::parse(text, &[]) else { return Ok(DocumentOutcome::Refused) };
    let mut idle_check = IdleChannelCheck::default();
    let outcome =
        run_for_a_while(&scenario, &mut idle_check).map_err(|error| format!("{error:?}"))?;
    balance::check(&scenario, &outcome);
    idle_check.look(Time::ZERO + scenario.duration);
    if idle_check.longest > PATIENCE {
        let IdleChannelCheck { lengths, longest, .. } = idle_check;
        return Err(format!("nothing is sent for {longest}, and packets wait: {lengths:?}"));
    }
    Ok(DocumentOutcome::Accepted { has_run: true })
}

#[test]
fn no_cell_loses_a_packet_or_starves_a_station() {
    let mut luck = luck();
    let document = || {
        let text = match luck.below(12) {
            0 => multi_user_cell(&mut luck),
            1 => multi_user_cell(&mut luck).replacen("ap = { ", "ap = { fair = true, ", 1),
            2 => mu_mimo_cell(&mut luck),
            8 => random_access_cell(&mut luck),
            9..12 => neighbours(&mut luck),
            3..=4 => cell(&mut luck),
            _ => {
                let text = cell(&mut luck);
                renewed(&mut luck, &text)
            }
        };
        let eifs = luck.pick(&["\"none\"", "\"ns-2\"", "\"ns-3\""]);
        let text = text.replace("eifs = \"ns-2\"", &format!("eifs = {eifs}"));
        text.parse::<Table>().unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    let tally = hunt(FEW, document, check);
    assert!(tally.ran * 4 > tally.made * 3, "{tally:?}");
}
