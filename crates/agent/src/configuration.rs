//! Configuration: TOML, or UCI on OpenWrt, with units in the values. Each key has a default and
//! fixed bounds.

mod airtime_weights;
mod arf_aware;
mod arf_window;
mod bounds;
mod data_ack;
mod fair;
mod occupancy;
mod shared_windows;
mod uci;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use airfair_units::Duration;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::metrics::MetricsAddress;

pub use airtime_weights::AirtimeWeights;
pub use arf_aware::{ArfAware, SenderWindow};
pub use arf_window::ArfWindow;
pub use bounds::{LARGEST_RATIO, LEAST_WINDOW};
pub use data_ack::{DataAck, Weights};
pub use fair::Fair;
pub use occupancy::{Occupancy, Role};
pub use shared_windows::SharedWindows;

/// Default number of samples for the median of rates.  [D-170]
pub const POLLS: usize = 5;
/// Paths of the configuration file, of which the first that exists is read. The second is OpenWrt's.
pub const DEFAULT_PATHS: [&str; 2] = ["/etc/airfair/agent.toml", "/etc/config/airfair"];

/// Configuration as written in the file or on the command line, not checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Written {
    interface: Option<String>,
    emulator: Option<PathBuf>,
    station: Option<String>,
    poll: Option<String>,
    polls: Option<usize>,
    scheme: Option<Scheme>,
    /// Not in recordings, whose replay serves no metrics.
    #[serde(skip_serializing)]
    metrics: Option<String>,
    #[serde(rename = "arf-aware")]
    arf_aware: arf_aware::Written,
    #[serde(rename = "arf-window")]
    arf_window: arf_window::Written,
    occupancy: occupancy::Written,
    #[serde(rename = "shared-windows")]
    shared_windows: shared_windows::Written,
    #[serde(rename = "data-ack")]
    data_ack: data_ack::Written,
    #[serde(rename = "airtime-weights")]
    airtime_weights: airtime_weights::Written,
    fair: fair::Written,
}

/// Scheme by which the agent decides on windows, queues or airtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// ARF-aware TCP at a station: senders use 1/k of their windows while the link is
    /// slow.  [arf-aware-tcp §3]
    #[default]
    ArfAware,
    /// Windows from the use of the channel, at a station: computed anew whenever the rate of the
    /// link changes.  [arf-window §III]
    ArfWindow,
    /// Equal shares of airtime for the stations, at an access point or a
    /// station.  [occupancy-tfrc §III]
    Occupancy,
    /// Windows that share an access point's buffer equally among the
    /// connections.  [pilosof-2003 §V]
    SharedWindows,
    /// Separate queues for DATA and ACKs to stations, at an access point.  [updown-fairness §IV]
    DataAck,
    /// Airtime weights at an access point, by which the driver shares the airtime of
    /// downloads.  [linux-atf]
    AirtimeWeights,
    /// Equal airtime in both directions, at an access point alone, by windows in the ACKs that it
    /// forwards.  [D-312]
    Fair,
}

/// Source from which the agent takes its samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SampleSource {
    /// The kernel: counters of the stations at one wireless interface, or at all of them.
    Kernel,
    /// A running emulation: counters of its simulated stations.
    Emulator {
        /// Path of the emulation's control socket.
        socket: PathBuf,
        /// Name of the station; `None` for all stations.
        station: Option<String>,
    },
}

impl FromStr for Scheme {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "arf-aware" => Ok(Self::ArfAware),
            "arf-window" => Ok(Self::ArfWindow),
            "occupancy" => Ok(Self::Occupancy),
            "shared-windows" => Ok(Self::SharedWindows),
            "data-ack" => Ok(Self::DataAck),
            "airtime-weights" => Ok(Self::AirtimeWeights),
            "fair" => Ok(Self::Fair),
            _ => bail!(
                "{text}: unknown scheme; allowed arf-aware, arf-window, occupancy, shared-windows, data-ack, \
                 airtime-weights, fair"
            ),
        }
    }
}

/// Settings of the agent after their values have been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Interface whose connections are limited; `None` to observe all wireless interfaces.
    pub interface: Option<String>,
    /// Source from which the agent takes its samples.
    pub source: SampleSource,
    /// Time between two samples of the counters.
    pub poll: Duration,
    /// Number of samples over which the median of rates is taken.
    pub polls: usize,
    /// Scheme by which the agent decides.
    pub scheme: Scheme,
    /// Address at which a running agent serves its metrics; `None` to serve none.
    pub metrics: Option<MetricsAddress>,
    /// Settings of ARF-aware TCP (`arf-aware`).
    pub arf_aware: ArfAware,
    /// Settings of the scheme `arf-window`, which computes windows from the measured use of the
    /// channel.
    pub arf_window: ArfWindow,
    /// Settings of equal shares of airtime (`occupancy`).
    pub occupancy: Occupancy,
    /// Settings of windows that share a buffer (`shared-windows`).
    pub shared_windows: SharedWindows,
    /// Settings of separate queues for DATA and ACKs (`data-ack`).
    pub data_ack: DataAck,
    /// Settings of airtime weights (`airtime-weights`).
    pub airtime_weights: AirtimeWeights,
    /// Settings of the fair access point (`fair`).
    pub fair: Fair,
}

impl Default for Configuration {
    fn default() -> Self {
        Written::default().checked().expect("the defaults are right")
    }
}

impl Written {
    /// Merges the settings of the command line with those of the file, which is `below`. The
    /// command line takes precedence.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self {
            interface: self.interface.or(below.interface),
            station: self.station.or(below.station),
            emulator: self.emulator.or(below.emulator),
            poll: self.poll.or(below.poll),
            polls: self.polls.or(below.polls),
            scheme: self.scheme.or(below.scheme),
            metrics: self.metrics.or(below.metrics),
            arf_aware: below.arf_aware,
            arf_window: below.arf_window,
            occupancy: below.occupancy,
            shared_windows: below.shared_windows,
            data_ack: below.data_ack,
            airtime_weights: below.airtime_weights,
            fair: below.fair,
        }
    }

    /// Makes a configuration from values of the command line.
    pub fn from_command_line(
        interface: Option<String>,
        scheme: Option<Scheme>,
        emulator: Option<PathBuf>,
        station: Option<String>,
    ) -> Self {
        Self { interface, emulator, station, scheme, ..Self::default() }
    }

    /// Sets the address of `--metrics`, if it is given.
    #[must_use]
    pub fn serving(mut self, metrics: Option<String>) -> Self {
        self.metrics = metrics.or(self.metrics);
        self
    }

    /// Replaces the path of an emulation's control socket, which can contain the name of a user.
    #[must_use]
    pub fn without_paths(&self) -> Self {
        Self { emulator: self.emulator.as_ref().map(|_| "emulation".into()), ..self.clone() }
    }

    /// Sets the role of this machine to that of its interface, unless the role is configured.
    /// Recordings need the role.
    #[must_use]
    pub fn at(mut self, interface: Role) -> Self {
        self.occupancy.role.get_or_insert(interface);
        self
    }

    /// Checks all values of the configuration and fills in defaults.
    ///
    /// # Errors
    /// Returns an error with the key of a value that is out of bounds.
    pub fn checked(&self) -> Result<Configuration> {
        let source = match (&self.emulator, &self.station) {
            (Some(socket), station) => {
                SampleSource::Emulator { socket: socket.clone(), station: station.clone() }
            }
            (None, None) => SampleSource::Kernel,
            (None, Some(_)) => bail!(
                "station: works only with emulator, because only an emulation has stations with names",
            ),
        };
        let scheme = self.scheme.unwrap_or_default();
        let mut occupancy = self.occupancy.checked().context("occupancy")?;
        if let (SampleSource::Emulator { station: Some(_), .. }, None) =
            (&source, self.occupancy.role)
        {
            occupancy.role = Role::Station;
        }
        check_source(&source, scheme, occupancy.role)?;
        let poll = match &self.poll {
            None => Duration::from_millis(100),
            Some(text) => text.parse().with_context(|| format!("poll = {text:?}"))?,
        };
        let allowed = Duration::from_millis(20)..=Duration::from_millis(250);
        ensure!(allowed.contains(&poll), "poll = {poll:?}: allowed is 20 ms to 250 ms");
        let polls = self.polls.unwrap_or(POLLS);
        ensure!((1..=50).contains(&polls), "polls = {polls}: allowed is 1 to 50");
        let metrics = self.metrics.as_deref().map(str::parse).transpose().context("metrics")?;
        Ok(Configuration {
            interface: self.interface.clone(),
            source,
            poll,
            polls,
            scheme,
            metrics,
            arf_aware: self.arf_aware.checked().context("arf-aware")?,
            arf_window: self.arf_window.checked().context("arf-window")?,
            occupancy,
            shared_windows: self.shared_windows.checked().context("shared-windows")?,
            data_ack: self.data_ack.checked().context("data-ack")?,
            airtime_weights: self.airtime_weights.checked().context("airtime-weights")?,
            fair: self.fair.checked().context("fair")?,
        })
    }
}

/// Checks that an emulation can provide what the scheme needs, if an emulation is the source.
fn check_source(source: &SampleSource, scheme: Scheme, role: Role) -> Result<()> {
    let SampleSource::Emulator { station, .. } = source else { return Ok(()) };
    ensure!(
        scheme != Scheme::AirtimeWeights,
        "scheme = \"airtime-weights\": an emulation has no driver with airtime weights; allowed is another scheme"
    );
    let is_role_of =
        |station: bool| scheme != Scheme::Occupancy || station == (role == Role::Station);
    ensure!(
        is_role_of(station.is_some()),
        "station: occupancy.role = \"station\" needs the name of a station, and \"access-point\" allows none"
    );
    Ok(())
}

/// Reads a configuration file. Refuses files that others can write, because the agent runs with
/// privileges.
///
/// # Errors
/// Returns an error if the file cannot be read, is writable by others, or is wrong.
pub fn read(path: &Path) -> Result<Written> {
    let place = || path.display().to_string();
    let about = fs::metadata(path).with_context(place)?;
    let mode = about.permissions().mode();
    ensure!(
        mode & 0o022 == 0,
        "{}: users other than its owner may write this file (mode {:o}); run chmod go-w",
        place(),
        mode & 0o777
    );
    let own = fs::metadata("/proc/self").context("/proc")?.uid();
    ensure!(
        about.uid() == 0 || about.uid() == own,
        "{}: the owner is neither root nor this user",
        place()
    );
    parse(&fs::read_to_string(path).with_context(place)?).with_context(place)
}

/// Parses the text of a configuration file.
///
/// # Errors
/// Returns an error if the text is neither TOML nor UCI, or has an unknown key.
pub fn parse(text: &str) -> Result<Written> {
    if uci::is_uci(text) {
        return uci::parse(text);
    }
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let before = error.span().map_or("", |span| &text[..span.start]);
        let line = before.matches('\n').count() + 1;
        anyhow!("line {line}: {}", error.message().trim().replace('\n', ", "))
    })
}

#[cfg(test)]
mod tests;
