//! Status of a running agent, a JSON document on a Unix socket.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::IpAddr;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use airfair_units::printable::escaped;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::configuration::Scheme;
use crate::decision::Share;
use crate::shares::{EnforcedBy, Granted};
use crate::totals::StationTotals;

/// Status document of a running agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Kind of the JSON document, by which readers recognise a status.
    pub document: String,
    /// Version of the format of the status document.
    pub schema: u32,
    /// Version of the agent.
    pub version: String,
    /// Process id of the agent.
    pub process: u32,
    /// Interface whose connections the agent limits.
    pub interface: Option<String>,
    /// Scheme by which the agent decides.
    pub scheme: Scheme,
    /// True with `--dry-run`: the agent changes nothing.
    pub is_dry_run: bool,
    /// Time since the start of the agent [s].
    pub running_s: f64,
    /// Number of samples that the agent has processed since its start.
    pub samples: u64,
    /// Present error of the source of samples; `null` if there is none.
    pub trouble: Option<String>,
    /// Rate of the station's link [bit/s].
    pub rate_bps: Option<u64>,
    /// Highest rate of the station's link [bit/s].
    pub highest_rate_bps: Option<u64>,
    /// Ratio k by which ARF-aware TCP divides windows: highest rate of the link divided by its
    /// present rate; 1 while no window is limited, and with other schemes.
    pub ratio: u32,
    /// Weights and rate of the queues for DATA and ACKs; `null` if they share a queue.
    pub share: Option<Share>,
    /// Number of connections that are under a limit now.
    pub limited: u64,
    /// Time that the agent's last pass over the sockets of all connections took [ms].
    pub pass_ms: f64,
    /// Active stations with the shares of airtime that an access point has granted.
    #[serde(default)]
    pub stations: Vec<Granted>,
    /// Access point that this station asks for grants; `null` if it asks none.
    #[serde(default)]
    pub access_point: Option<IpAddr>,
    /// Connections left alone because of their congestion control: their number by its name.
    pub left: BTreeMap<String, u64>,
    /// Number of decisions of the scheme since the start of the agent.
    #[serde(default)]
    pub decisions: u64,
    /// Number of limits of windows that decisions have set since the start of the agent.
    #[serde(default)]
    pub windows_written: u64,
    /// CPU time of the agent [s].
    #[serde(default)]
    pub cpu_s: f64,
    /// Resident memory of the agent [octets].
    #[serde(default)]
    pub resident_octets: u64,
    /// Airtime and traffic of each station since the start of the agent.
    #[serde(default)]
    pub totals: Vec<StationTotals>,
}

/// Runtime directory of the agent: systemd's `RUNTIME_DIRECTORY`, or the default.
pub fn directory() -> PathBuf {
    let said = std::env::var_os("RUNTIME_DIRECTORY").filter(|it| !it.is_empty());
    said.map_or_else(|| PathBuf::from("/run/airfair-agent"), PathBuf::from)
}

fn place(directory: &Path) -> PathBuf {
    directory.join("status")
}

/// Socket on which a running agent serves its status.
#[derive(Debug)]
pub struct Listener {
    socket: UnixListener,
    path: PathBuf,
}

impl Listener {
    /// Opens the socket for the status, and replaces the file of an earlier agent. The caller must
    /// hold the lock of the directory.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn open(directory: &Path) -> Result<Self> {
        let path = place(directory);
        let _ = fs::remove_file(&path);
        let socket = UnixListener::bind(&path).with_context(|| path.display().to_string())?;
        socket.set_nonblocking(true)?;
        Ok(Self { socket, path })
    }

    /// File descriptor of the status socket, for polling.
    pub fn descriptor(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// Sends the status to all waiting clients. A client that does not read at once gets nothing.
    pub fn answer(&self, status: &Status) {
        while let Ok((mut stream, _)) = self.socket.accept() {
            let _ = stream.set_nonblocking(true);
            if let Ok(mut text) = serde_json::to_string(status) {
                text.push('\n');
                let _ = stream.write_all(text.as_bytes());
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Reads the status of the running agent.
///
/// # Errors
/// Returns an error if no agent runs or answers.
pub fn ask(directory: &Path) -> Result<Status> {
    let path = place(directory);
    let Ok(mut stream) = UnixStream::connect(&path) else {
        bail!("no agent answers at {}; start one with: airfair agent run", path.display());
    };
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    let mut text = String::new();
    stream.read_to_string(&mut text).context("the agent did not answer")?;
    serde_json::from_str(&text).context("the agent's answer is not valid")
}

/// The status as a table for the terminal.
pub fn table(status: &Status) -> String {
    let mbps = |bps: Option<u64>| bps.map_or("unknown".into(), mbps);
    let mut rows = vec![
        ("interface", status.interface.clone().unwrap_or_else(|| "none".into())),
        ("runs for", format!("{:.0} s, process {}", status.running_s, status.process)),
        ("samples", status.samples.to_string()),
        ("limited", connections(status.limited)),
    ];
    if status.scheme == Scheme::ArfAware {
        rows.push((
            "rate",
            format!("{}, highest {}", mbps(status.rate_bps), mbps(status.highest_rate_bps)),
        ));
        let divided = format!("divided by {}", status.ratio);
        rows.push(("windows", if status.ratio > 1 { divided } else { "not limited".into() }));
    }
    for it in &status.stations {
        let [used, share] = [it.used, it.share].map(|part| part * 100.0);
        let by = match it.kept_by {
            EnforcedBy::AccessPoint => "",
            EnforcedBy::Station => ", limits itself",
            EnforcedBy::Both => ", exceeds its grant",
        };
        rows.push((
            "station",
            format!("{}: {used:.0} % of the air, may hold {share:.0} %{by}", it.station),
        ));
    }
    rows.extend(status.access_point.map(|address| {
        let comes = if status.stations.is_empty() { "none received" } else { "received" };
        ("grants", format!("{comes} from {address}"))
    }));
    rows.extend(status.share.map(|it| {
        let Share { data, ack, packets_per_second } = it;
        ("DATA, ACKs", format!("{data}:{ack}, {packets_per_second} packets/s"))
    }));
    for (name, count) in &status.left {
        rows.push(("unlimited", format!("{} of {name}", connections(*count))));
    }
    rows.extend(status.trouble.iter().map(|it| ("trouble", it.clone())));
    if status.is_dry_run {
        rows.push(("dry run", "nothing is changed".into()));
    }
    let row = |(name, value): &(&str, String)| format!("{name:<11}{}", escaped(value));
    let rows: Vec<String> = rows.iter().map(row).collect();
    rows.join("\n") + "\n"
}

/// Text with a number of connections, such as `2 connections`.
pub fn connections(count: u64) -> String {
    format!("{count} connection{}", if count == 1 { "" } else { "s" })
}

/// Text of a rate in Mb/s.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
pub fn mbps(bps: u64) -> String {
    format!("{} Mb/s", bps as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::totals::DirectionTotals;

    #[test]
    fn whoever_asks_gets_the_status() {
        let directory =
            std::env::temp_dir().join(format!("airfair-agent-status-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        assert!(format!("{:#}", ask(&directory).unwrap_err()).contains("no agent answers"));
        let listener = Listener::open(&directory).unwrap();
        let status = Status { ratio: 11, rate_bps: Some(5_500_000), ..Status::default() };
        let expected = status.clone();
        let answering = std::thread::spawn(move || {
            crate::os::wait_for(&[listener.descriptor()], 5_000);
            listener.answer(&status);
        });
        assert_eq!(ask(&directory).unwrap(), expected);
        answering.join().unwrap();
        assert!(table(&expected).contains("windows    divided by 11"));
        assert!(table(&expected).contains("rate       5.5 Mb/s, highest unknown"));
        fs::remove_dir_all(&directory).unwrap();
    }

    /// The status of as many stations as have totals fits into the buffer of the socket, before
    /// anybody reads it.
    #[test]
    fn the_largest_status_fits_into_the_socket() {
        let name = format!("airfair-agent-large-status-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).unwrap();
        let listener = Listener::open(&directory).unwrap();
        let way = DirectionTotals {
            airtime_s: 1.0 / 3.0,
            octets: 1 << 60,
            packets: 1 << 60,
            retries: Some(1 << 60),
            rate_bps: Some(429_496_729_500_000),
            is_measured: false,
        };
        let station = |i| StationTotals {
            station: format!("fifteen-letters 02:00:00:00:00:{i:02x}"),
            is_present: true,
            up: way,
            down: way,
        };
        let totals: Vec<StationTotals> = (0..256).map(station).collect();
        let granted = |it: &StationTotals| Granted {
            station: it.station.clone(),
            used: 1.0 / 3.0,
            share: 1.0 / 3.0,
            kept_by: EnforcedBy::AccessPoint,
        };
        let stations = totals.iter().map(granted).collect();
        let status = Status { stations, totals, ..Status::default() };
        let mut client = UnixStream::connect(place(&directory)).unwrap();
        listener.answer(&status);
        let mut text = String::new();
        client.read_to_string(&mut text).unwrap();
        assert_eq!(serde_json::from_str::<Status>(&text).unwrap(), status);
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn the_status_names_who_enforces_a_share() {
        let of = |kept_by| Granted { station: "wlan0 it".into(), used: 0.5, share: 0.5, kept_by };
        let told = |kept_by: Option<EnforcedBy>| {
            let stations = Vec::from_iter(kept_by.map(of));
            let access_point = Some([10, 0, 0, 1].into());
            table(&Status { stations, access_point, ..Status::default() })
        };
        let row = "station    wlan0 it: 50 % of the air, may hold 50 %";
        assert!(told(Some(EnforcedBy::AccessPoint)).contains(&format!("{row}\n")));
        let itself = told(Some(EnforcedBy::Station));
        assert!(itself.contains(&format!("{row}, limits itself\n")), "{itself}");
        assert!(itself.contains("grants     received from 10.0.0.1"));
        assert!(told(Some(EnforcedBy::Both)).contains("exceeds its grant"));
        assert!(told(None).contains("grants     none received from 10.0.0.1"));
        let trouble = Some("\u{1b}[2J\nlimited    0 connections".into());
        let told = table(&Status { trouble, ..Status::default() });
        assert!(told.contains("\ntrouble    \\u{1b}[2J\\nlimited"), "{told}");
    }
}
