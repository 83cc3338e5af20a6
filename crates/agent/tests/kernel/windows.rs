//! Tests of the scheme `arf-window`: a window for each connection of a station, from the use of the
//! channel.

use std::fs;
use std::path::PathBuf;

use airfair_agent::decision::ConnectionLimit;

use crate::clamps::{FREE, downloads, offered};
use crate::rig::{Agent, Air, Flow, LIFTED, Rig, eventually, may, within};

/// Station at 11 Mb/s with an upload, a download, and another download over another wire.
struct Cell {
    agent: Option<Agent>,
    air: Air,
    up: Flow,
    down: Flow,
    other: Flow,
    recording: PathBuf,
    rig: Rig,
}

impl Cell {
    /// Makes a station with an agent that computes windows for smoothed round trips, because
    /// without a queue the round trip of the wire is too short for any window.
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(more: &[&str]) -> Self {
        let rig = Rig::new();
        let (air, up, [down, other]) = (Air::new(&rig, 11), rig.watched_flow(), downloads(&rig));
        eventually("windows have grown", || {
            up.window() > 60 && offered(&down) > FREE && offered(&other) > FREE
        });
        let (config, recording) = (rig.runtime.join("windows.toml"), rig.runtime.join("recording"));
        fs::write(&config, "scheme = \"arf-window\"\n[arf-window]\nround_trip = \"smoothed\"\n")
            .unwrap();
        let [config, to] = [&config, &recording].map(|it| it.to_string_lossy().into_owned());
        let agent =
            Some(rig.agent(&air, &[&["--config", &config, "--record", &to], more].concat()));
        // The first slot of a second, and the samples that a median needs.
        rig.for_samples(12);
        Self { agent, air, up, down, other, recording, rig }
    }

    /// Makes the link slow, and waits until both connections keep to their new windows.
    fn slow_down(&self) {
        self.air.set(1);
        eventually("there are windows", || self.windows().is_some());
        eventually("both are kept to them", || self.is_kept());
    }

    /// Last windows of the upload and of the download by the law's decisions [octets].
    fn windows(&self) -> Option<[u32; 2]> {
        let (mut up, mut down) = (None, None);
        let (of_up, of_down) = (self.up.ends(), self.down.ends());
        let recorded = fs::read_to_string(&self.recording).unwrap();
        // The agent may be writing the last line.
        let whole = recorded.rfind('\n').map_or("", |end| &recorded[..end]);
        for line in whole.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let windows = line["decision"]["windows"].clone();
            let windows: Vec<ConnectionLimit> = serde_json::from_value(windows).unwrap_or_default();
            for window in windows {
                let [here, there] = window.ends;
                up = if window.ends == of_up { window.up } else { up };
                down = if [there, here] == of_down { window.down } else { down };
            }
        }
        Some([up?, down?])
    }

    /// True if both connections keep to their windows: the sender's congestion window, and the
    /// receiver's window, which is rounded up to a unit of 1024 octets.
    fn is_kept(&self) -> bool {
        let Some([up, down]) = self.windows() else { return false };
        self.up.window() <= (up / 1_448).max(2) && offered(&self.down) <= u64::from(down) + 1_024
    }

    /// True if nothing is limited: the sender's window is what it was before the limit, at least
    /// half of its maximum.
    fn is_free(&self) -> bool {
        self.up.window() > 30 && offered(&self.down) > FREE
    }

    fn end(&mut self, signal: i32) -> (Option<i32>, String) {
        self.agent.take().unwrap().end(signal)
    }
}

/// At each change of the rate both connections of a station keep to the windows of the law, and at
/// the end they have their own again.
///
/// Verifies: [arf-window §III-C]
#[test]
fn connections_both_ways_have_the_windows_of_the_law_at_each_change_of_the_rate_and_all_of_them_back()
 {
    if !may() {
        return;
    }
    let mut it = Cell::new();
    assert_eq!(it.windows(), None, "no change, no window");
    it.slow_down();
    let slow = it.windows().unwrap();
    assert!(slow.iter().all(|octets| u64::from(*octets) < FREE / 2), "{slow:?}");
    eventually("the negative control is free", || offered(&it.other) > FREE);
    it.air.set(11);
    eventually("there are others", || it.windows() != Some(slow));
    eventually("both are kept to them", || it.is_kept());
    let status = String::from_utf8(it.rig.ask(&["status", "--json"]).stdout).unwrap();
    assert!(status.contains("\"limited\":2"), "{status}");
    let (status, said) = it.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    eventually("windows are back", || it.is_free());
    let replayed = it.rig.ask(&["replay", &it.recording.to_string_lossy()]);
    let said = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success() && said.contains("; 0 differ"), "{said}");
}

#[test]
fn a_dry_run_tells_of_windows_and_clamps_none() {
    if !may() {
        return;
    }
    let it = Cell::with(&["--dry-run"]);
    it.air.set(1);
    let said = || it.agent.as_ref().unwrap().said();
    eventually("it is said", || said().contains("The link has 1 Mb/s: windows would be "));
    it.rig.for_samples(5);
    // What is clamped would stay so.
    eventually("windows are free", || it.is_free());
}

#[test]
fn windows_of_the_law_lift_within_a_second_of_kill_9() {
    if !may() {
        return;
    }
    let mut it = Cell::new();
    it.slow_down();
    it.end(libc::SIGKILL);
    within(LIFTED, "windows are back", || it.is_free());
}
