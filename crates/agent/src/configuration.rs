//! The configuration: TOML with units in its values. Each key has a default, and bounds that it cannot cross.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use airfair_laws::occupancy::{self, Spare};
use airfair_units::{DataRate, Duration, Probability};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// Largest ratio of rates that any configuration may ask for.
pub const LARGEST_RATIO: u32 = 100;
/// Window below which delayed ACKs wait for their timer [segments].
pub const LEAST_WINDOW: u32 = 2;
/// Samples of whose rates the median counts, unless the configuration says otherwise.  [D-170]
pub const POLLS: usize = 5;
/// Place of the configuration, where it is there.
pub const PLACE: &str = "/etc/airfair/agent.toml";

/// The file as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Written {
    interface: Option<String>,
    emulator: Option<PathBuf>,
    station: Option<String>,
    poll: Option<String>,
    polls: Option<usize>,
    scheme: Option<Scheme>,
    #[serde(rename = "arf-aware")]
    arf_aware: WrittenArfAware,
    occupancy: WrittenOccupancy,
    #[serde(rename = "shared-windows")]
    shared_windows: WrittenSharedWindows,
    #[serde(rename = "data-ack")]
    data_ack: WrittenDataAck,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenArfAware {
    highest_rate: Option<String>,
    least_window: Option<u32>,
    one_segment: Option<bool>,
    largest_ratio: Option<u32>,
    replaces: Option<Vec<String>>,
    senders: Option<SenderWindow>,
    receivers: Option<bool>,
}

/// Way in which a sender's window is limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SenderWindow {
    /// By a congestion control; by a clamp where the kernel takes none.
    #[default]
    CongestionControl,
    /// By a clamp.
    Clamp,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenOccupancy {
    samples: Option<u16>,
    satisfied: Option<f64>,
    spare: Option<WrittenSpare>,
    least_window: Option<u32>,
    one_segment: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenSharedWindows {
    buffer: Option<u32>,
    least_window: Option<u32>,
    one_segment: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenSpare {
    Printed,
    Once,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenDataAck {
    weights: Option<String>,
    packets_per_second: Option<u32>,
    queue: Option<u32>,
}

/// What the agent makes of what it sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// At a station: its senders use a k-th of their windows while its link is slow.  [arf-aware-tcp §3]
    #[default]
    ArfAware,
    /// At an access point: stations have equal shares of the channel.  [occupancy-tfrc §III]
    Occupancy,
    /// At an access point: connections have equal parts of its buffer as their windows.  [pilosof-2003 §V]
    SharedWindows,
    /// At an access point: DATA and ACKs to stations have queues of their own.  [updown-fairness §IV]
    DataAck,
}

/// Place from which samples come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Stations that the kernel knows at an interface, or at all of them.
    Kernel,
    /// A node of an emulation, by the path of its control socket.
    Emulator {
        /// The socket.
        socket: PathBuf,
        /// The station; all of them unless given.
        station: Option<String>,
    },
}

/// Settings of ARF-aware TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArfAware {
    /// Highest rate of the link; the highest that was seen unless given.
    pub highest_rate: Option<DataRate>,
    /// Least window [segments].
    pub least_window: u32,
    /// Largest ratio of the rates.
    pub largest_ratio: u32,
    /// Congestion controls whose connections may be limited.
    pub replaces: Vec<String>,
    /// Way in which a sender's window is limited.
    pub senders: SenderWindow,
    /// True if what this machine receives is limited as well.
    pub receivers: bool,
}

impl Default for ArfAware {
    fn default() -> Self {
        Self {
            highest_rate: None,
            least_window: LEAST_WINDOW,
            largest_ratio: LARGEST_RATIO,
            replaces: vec!["reno".into(), "cubic".into()],
            senders: SenderWindow::default(),
            receivers: false,
        }
    }
}

impl FromStr for Scheme {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "arf-aware" => Ok(Self::ArfAware),
            "occupancy" => Ok(Self::Occupancy),
            "shared-windows" => Ok(Self::SharedWindows),
            "data-ack" => Ok(Self::DataAck),
            _ => bail!("{text}: arf-aware, occupancy, shared-windows or data-ack"),
        }
    }
}

/// Settings of equal shares of the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Those of the law; a sample stands for a beacon.
    pub params: occupancy::Params,
    /// Least window [segments].
    pub least_window: u32,
}

impl Default for Occupancy {
    fn default() -> Self {
        Self { params: occupancy::Params::default(), least_window: LEAST_WINDOW }
    }
}

/// Settings of shared windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedWindows {
    /// Capacity of the access point's buffer [packets].
    pub buffer: u32,
    /// Least window [segments].
    pub least_window: u32,
}

impl Default for SharedWindows {
    /// The buffer of the access point of [occupancy-tfrc §IV], 150 kB.
    fn default() -> Self {
        Self { buffer: 100, least_window: LEAST_WINDOW }
    }
}

/// Weights of DATA and ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Packets of each in a round.
    Fixed {
        /// Data.
        data: u32,
        /// Pure ACKs.
        ack: u32,
    },
    /// Those by which every connection has the same.
    Connections,
}

/// Settings of DATA and ACKs apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataAck {
    /// Weights of their queues.
    pub weights: Weights,
    /// Packets of both in a second; measured unless given.
    pub packets_per_second: Option<u32>,
    /// Packets that find room in each queue.
    pub queue: u32,
}

impl Default for DataAck {
    /// The paper's weights, and the middle one of its buffers.  [updown-fairness §III], [updown-fairness §IV]
    fn default() -> Self {
        Self { weights: Weights::Fixed { data: 2, ack: 1 }, packets_per_second: None, queue: 100 }
    }
}

/// What the agent is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Interface whose connections are limited; all wireless ones are observed unless given.
    pub interface: Option<String>,
    /// Place from which samples come.
    pub place: Place,
    /// Time between two samples.
    pub poll: Duration,
    /// Samples of whose rates the median counts.
    pub polls: usize,
    /// The scheme.
    pub scheme: Scheme,
    /// Settings of ARF-aware TCP.
    pub arf_aware: ArfAware,
    /// Settings of equal shares.
    pub occupancy: Occupancy,
    /// Settings of shared windows.
    pub shared_windows: SharedWindows,
    /// Settings of DATA and ACKs apart.
    pub data_ack: DataAck,
}

impl Default for Configuration {
    fn default() -> Self {
        Written::default().checked().expect("the defaults are right")
    }
}

impl Written {
    /// Values that stand on the command line go before those of the file.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self {
            interface: self.interface.or(below.interface),
            station: self.station.or(below.station),
            emulator: self.emulator.or(below.emulator),
            poll: self.poll.or(below.poll),
            polls: self.polls.or(below.polls),
            scheme: self.scheme.or(below.scheme),
            arf_aware: below.arf_aware,
            occupancy: below.occupancy,
            shared_windows: below.shared_windows,
            data_ack: below.data_ack,
        }
    }

    /// What the command line may say.
    pub fn told(
        interface: Option<String>,
        scheme: Option<Scheme>,
        emulator: Option<PathBuf>,
        station: Option<String>,
    ) -> Self {
        Self { interface, emulator, station, scheme, ..Self::default() }
    }

    /// The configuration that it is.
    ///
    /// # Errors
    /// A value that is out of its bounds, with its key.
    pub fn checked(&self) -> Result<Configuration> {
        let place = match (&self.emulator, &self.station) {
            (Some(socket), station) => {
                Place::Emulator { socket: socket.clone(), station: station.clone() }
            }
            (None, None) => Place::Kernel,
            (None, Some(_)) => bail!("station: only an emulation has stations by name: emulator"),
        };
        let poll = match &self.poll {
            None => Duration::from_millis(100),
            Some(text) => text.parse().with_context(|| format!("poll = {text:?}"))?,
        };
        let allowed = Duration::from_millis(20)..=Duration::from_millis(250);
        ensure!(allowed.contains(&poll), "poll = {poll:?}: from 20 ms to 250 ms");
        let polls = self.polls.unwrap_or(POLLS);
        ensure!((1..=50).contains(&polls), "polls = {polls}: from 1 to 50");
        Ok(Configuration {
            interface: self.interface.clone(),
            place,
            poll,
            polls,
            scheme: self.scheme.unwrap_or_default(),
            arf_aware: self.arf_aware.checked().context("arf-aware")?,
            occupancy: self.occupancy.checked().context("occupancy")?,
            shared_windows: self.shared_windows.checked().context("shared-windows")?,
            data_ack: self.data_ack.checked().context("data-ack")?,
        })
    }
}

impl WrittenArfAware {
    fn checked(&self) -> Result<ArfAware> {
        let default = ArfAware::default();
        let highest_rate = match self.highest_rate.as_deref() {
            None | Some("seen") => None,
            Some(text) => Some(text.parse().with_context(|| format!("highest_rate = {text:?}"))?),
        };
        let it = ArfAware {
            highest_rate,
            least_window: self.least_window.unwrap_or(default.least_window),
            largest_ratio: self.largest_ratio.unwrap_or(default.largest_ratio),
            replaces: self.replaces.clone().unwrap_or(default.replaces),
            senders: self.senders.unwrap_or(default.senders),
            receivers: self.receivers.unwrap_or(default.receivers),
        };
        let ratio = it.largest_ratio;
        ensure!(
            (2..=LARGEST_RATIO).contains(&ratio),
            "largest_ratio = {ratio}: from 2 to {LARGEST_RATIO}"
        );
        check_least(it.least_window, self.one_segment)?;
        for name in &it.replaces {
            let fits = !name.is_empty() && name.len() < 16 && name.is_ascii();
            ensure!(fits, "replaces: {name:?} is no name of a congestion control");
        }
        ensure!(it.replaces.len() <= 16, "replaces: at most 16 names");
        Ok(it)
    }
}

/// Checks a least window [segments], of which one has to be allowed.
fn check_least(window: u32, one_segment: Option<bool>) -> Result<()> {
    let least = if one_segment == Some(true) { 1 } else { LEAST_WINDOW };
    ensure!(
        (least..=1_000).contains(&window),
        "least_window = {window}: from {least} to 1000 segments; one_segment = true allows one"
    );
    Ok(())
}

impl WrittenOccupancy {
    fn checked(&self) -> Result<Occupancy> {
        let default = Occupancy::default();
        let beacons = self.samples.unwrap_or(default.params.beacons);
        ensure!((1..=100).contains(&beacons), "samples = {beacons}: from 1 to 100");
        let satisfied = match self.satisfied {
            None => default.params.satisfied,
            Some(value) => Probability::new(value)
                .filter(|it| *it != Probability::ZERO && *it != Probability::ONE)
                .with_context(|| format!("satisfied = {value}: between 0 and 1"))?,
        };
        let spare = match self.spare {
            None => default.params.spare,
            Some(WrittenSpare::Printed) => Spare::Printed,
            Some(WrittenSpare::Once) => Spare::Once,
        };
        let params = occupancy::Params { beacons, satisfied, spare, ..default.params };
        let least_window = self.least_window.unwrap_or(default.least_window);
        check_least(least_window, self.one_segment)?;
        Ok(Occupancy { params, least_window })
    }
}

impl WrittenSharedWindows {
    fn checked(&self) -> Result<SharedWindows> {
        let default = SharedWindows::default();
        let buffer = self.buffer.unwrap_or(default.buffer);
        ensure!((1..=100_000).contains(&buffer), "buffer = {buffer}: from 1 to 100000 packets");
        let least_window = self.least_window.unwrap_or(default.least_window);
        check_least(least_window, self.one_segment)?;
        Ok(SharedWindows { buffer, least_window })
    }
}

impl WrittenDataAck {
    fn checked(&self) -> Result<DataAck> {
        let default = DataAck::default();
        let weights = match self.weights.as_deref() {
            None => default.weights,
            Some("connections") => Weights::Connections,
            Some(text) => ratio(text).with_context(|| {
                format!("weights = {text:?}: two from 1 to 100, as 2:1, or connections")
            })?,
        };
        let packets_per_second = self.packets_per_second;
        ensure!(
            packets_per_second.is_none_or(|it| (10..=2_000_000).contains(&it)),
            "packets_per_second: from 10 to 2000000"
        );
        let queue = self.queue.unwrap_or(default.queue);
        ensure!((1..=1_000).contains(&queue), "queue = {queue}: from 1 to 1000 packets");
        Ok(DataAck { weights, packets_per_second, queue })
    }
}

fn ratio(text: &str) -> Option<Weights> {
    let weight = |text: &str| text.parse().ok().filter(|it| (1..=100).contains(it));
    let (data, ack) = text.split_once(':')?;
    Some(Weights::Fixed { data: weight(data)?, ack: weight(ack)? })
}

/// Reads the file at `path`. What others may write is refused: who writes it says what a privileged process does.
///
/// # Errors
/// If it cannot be read, is not safe, or is wrong.
pub fn read(path: &Path) -> Result<Written> {
    let place = || path.display().to_string();
    let about = fs::metadata(path).with_context(place)?;
    let mode = about.permissions().mode();
    ensure!(
        mode & 0o022 == 0,
        "{}: others may write it (mode {:o}): chmod go-w",
        place(),
        mode & 0o777
    );
    let own = fs::metadata("/proc/self").context("/proc")?.uid();
    ensure!(
        about.uid() == 0 || about.uid() == own,
        "{}: its owner is neither root nor this user",
        place()
    );
    parse(&fs::read_to_string(path).with_context(place)?).with_context(place)
}

/// Reads the text of a file.
///
/// # Errors
/// If it is no TOML, or has a key that there is not.
pub fn parse(text: &str) -> Result<Written> {
    Ok(toml::from_str(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Result<Configuration> {
        parse(text)?.checked()
    }

    fn mistake(text: &str) -> String {
        format!("{:#}", checked(text).unwrap_err())
    }

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(checked("").unwrap(), Configuration::default());
        assert_eq!(Configuration::default().arf_aware.least_window, 2);
    }

    #[test]
    fn the_file_that_documents_the_default_says_the_default() {
        let text = include_str!("../agent.toml");
        assert_eq!(checked(text).unwrap(), Configuration::default());
        // What is commented out is right as well, and each key stands there.
        let keys: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("#: ")).collect();
        let keys = keys.join("\n");
        let (top, table) = keys.split_once("highest_rate").unwrap();
        let table = table.replace("packets_per_second", "[data-ack]\npackets_per_second");
        checked(&format!("{top}[arf-aware]\nhighest_rate{table}")).unwrap();
    }

    #[test]
    fn bounds_hold_whatever_is_written() {
        assert!(mistake("[arf-aware]\nlargest_ratio = 101").contains("from 2 to 100"));
        assert!(mistake("[arf-aware]\nleast_window = 1").contains("one_segment = true"));
        assert!(checked("[arf-aware]\nleast_window = 1\none_segment = true").is_ok());
        assert!(mistake("[arf-aware]\nleast_window = 0\none_segment = true").contains("from 1"));
        assert!(mistake("poll = \"1 ms\"").contains("from 20 ms"));
        assert!(
            mistake("[arf-aware]\nreplaces = [\"a name that is far too long\"]")
                .contains("no name")
        );
        assert!(mistake("[arf-aware]\nhighest_rate = \"54\"").contains("arf-aware: highest_rate"));
        assert!(mistake("polls = 0").contains("from 1 to 50"));
        assert!(mistake("scheme = \"arf\"").contains("arf-aware"));
        assert!(mistake("[occupancy]\nsatisfied = 1.0").contains("between 0 and 1"));
        assert!(mistake("[occupancy]\nsamples = 0").contains("from 1 to 100"));
        assert!(mistake("[occupancy]\nleast_window = 1").contains("one_segment = true"));
        assert!(mistake("[occupancy]\nspare = \"twice\"").contains("once"));
        assert!(mistake("[shared-windows]\nbuffer = 0").contains("from 1 to"));
        for weights in ["2", "0:1", "1:101", "2:1:1", "flows"] {
            let said = mistake(&format!("[data-ack]\nweights = {weights:?}"));
            assert!(said.contains("two from 1 to 100"), "{said}");
        }
        assert!(mistake("[data-ack]\npackets_per_second = 9").contains("from 10"));
        assert!(mistake("[data-ack]\nqueue = 0").contains("from 1 to 1000"));
        assert!(mistake("interfaces = \"wlan0\"").contains("unknown field"));
        assert!(mistake("station = \"fast\"").contains("emulator"));
    }

    #[test]
    fn the_command_line_goes_before_the_file() {
        let told = Written::told(Some("wlan1".into()), None, None, None);
        let it = told.over(parse("interface = \"wlan0\"\npoll = \"200 ms\"").unwrap());
        let it = it.checked().unwrap();
        assert_eq!(it.interface.as_deref(), Some("wlan1"));
        assert_eq!(it.poll, Duration::from_millis(200));
    }

    #[test]
    fn a_file_that_others_may_write_is_refused() {
        let path = std::env::temp_dir().join(format!("airfair-agent-{}.toml", std::process::id()));
        fs::write(&path, "").unwrap();
        let with = |mode| {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            read(&path).map_err(|error| format!("{error:#}"))
        };
        assert!(with(0o666).unwrap_err().contains("others may write it"));
        assert!(with(0o620).unwrap_err().contains("others may write it"));
        assert!(with(0o644).is_ok());
        fs::remove_file(&path).unwrap();
    }
}
