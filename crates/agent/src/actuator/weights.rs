//! Airtime weights of an access point's stations, in the driver, set by nl80211.
//!
//! A weight stays in the driver until the station leaves. A file in the agent's directory holds the
//! earlier weights. The guardian restores them if the agent dies or hangs, and `restore` does if
//! both are gone.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::contract::{Actuator, LIFETIME, PassCounts};
use super::forward::Forwarded;
use crate::configuration::{Configuration, LEAST_WINDOW};
use crate::decision::Decision;
use crate::os::{self, Guardian};
use crate::output::say;
use crate::sample::Connection;
use crate::source::nl80211::AirtimeWeightSocket;
use crate::status;

/// Weights that the stations of an interface had before the agent set its own, by MAC address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Before {
    interface: String,
    weights: BTreeMap<String, u16>,
}

/// Actuator that sets airtime weights of the stations of an interface.
pub(super) struct Weights {
    socket: AirtimeWeightSocket,
    index: u32,
    before: Before,
    file: PathBuf,
    guardian: Guardian,
    /// Counters of forwarded connections, if weights depend on connections. Windows are not
    /// changed.
    counters: Option<Forwarded>,
    passed: PassCounts,
}

impl Weights {
    pub(super) fn load(configuration: &Configuration) -> Result<Self> {
        let Some(interface) = &configuration.interface else {
            bail!(
                "interface: missing; name the access point's interface whose stations have weights",
            );
        };
        let index = os::interface_index(interface);
        let index = index.with_context(|| format!("interface {interface}: does not exist"))?;
        let socket = AirtimeWeightSocket::open()?;
        ensure!(
            socket.supports_weights(Some(index))?,
            "{interface}: the driver has no airtime weights; allowed is another scheme"
        );
        let file = place();
        let passed = give_back(&file)?;
        let at_death = file.clone();
        let guardian = Guardian::begin(LIFETIME, move || {
            if let Err(error) = give_back(&at_death) {
                say(&format!("The guardian process could not restore airtime weights: {error:#}."));
            }
        });
        let before = Before { interface: interface.clone(), ..Before::default() };
        let guardian = guardian.context("the guardian process")?;
        let counters = configuration.airtime_weights.is_by_connections();
        let counters = counters.then(|| Forwarded::load(interface, LEAST_WINDOW)).transpose()?;
        Ok(Self { socket, index, before, file, guardian, counters, passed })
    }
}

impl Actuator for Weights {
    fn apply(&mut self, decision: &Decision) -> Result<()> {
        self.guardian.beat().context("the guardian process has ended")?;
        let Decision::Weights(weights) = decision else {
            if *decision == Decision::Lift {
                self.passed = give_back(&self.file)?;
                self.before.weights.clear();
                return Ok(());
            }
            bail!("a decision for others at a driver's weights");
        };
        self.passed = PassCounts::default();
        for it in weights {
            // A known station has a weight set by this agent, or the driver's default.
            if !self.before.weights.contains_key(&it.station) {
                let Some(had) = self.socket.weight(self.index, &it.station)? else { continue };
                self.before.weights.insert(it.station.clone(), had);
                write(&self.file, &self.before)?;
            }
            match self.socket.set(self.index, &it.station, it.weight) {
                Ok(()) => self.passed.taken += 1,
                // A station that has left needs no weight.
                Err(_) if self.socket.weight(self.index, &it.station)?.is_none() => {}
                Err(_) => self.passed.failed += 1,
            }
        }
        self.passed.held = u64::try_from(self.before.weights.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    fn beat(&mut self) -> Result<()> {
        self.guardian.beat().context("the guardian process has ended")?;
        self.counters.as_mut().map_or(Ok(()), Forwarded::beat)
    }

    fn connections(&mut self) -> Result<Vec<Connection>> {
        self.counters.as_mut().map_or(Ok(Vec::new()), Forwarded::connections)
    }

    fn counts(&self) -> &PassCounts {
        &self.passed
    }
}

impl Drop for Weights {
    fn drop(&mut self) {
        if let Err(error) = give_back(&self.file) {
            say(&format!("Airtime weights could not be restored: {error:#}."));
        }
    }
}

fn place() -> PathBuf {
    status::directory().join("weights")
}

/// Writes the earlier weights to a file atomically: after a crash the file has the old or the new
/// contents.
fn write(file: &Path, before: &Before) -> Result<()> {
    let next = file.with_extension("next");
    fs::write(&next, serde_json::to_string(before)?).with_context(|| next.display().to_string())?;
    fs::rename(&next, file).with_context(|| file.display().to_string())
}

fn read(file: &Path) -> Result<Option<Before>> {
    match fs::read_to_string(file) {
        Ok(text) => {
            Ok(Some(serde_json::from_str(&text).with_context(|| file.display().to_string())?))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| file.display().to_string()),
    }
}

/// Restores the earlier weights that are saved in a file, and deletes the file. Stations that have
/// left need nothing.
fn give_back(file: &Path) -> Result<PassCounts> {
    let mut passed = PassCounts::default();
    let Some(before) = read(file)? else { return Ok(passed) };
    if let Some(index) = os::interface_index(&before.interface) {
        let socket = AirtimeWeightSocket::open()?;
        for (station, weight) in &before.weights {
            match socket.set(index, station, *weight) {
                Ok(()) => passed.stations += 1,
                Err(_) if socket.weight(index, station)?.is_none() => {}
                Err(_) => passed.failed += 1,
            }
        }
    }
    fs::remove_file(file).with_context(|| file.display().to_string())?;
    Ok(passed)
}

/// Restores the airtime weights that a dead agent has left behind.
pub(super) fn restore() -> Result<PassCounts> {
    give_back(&place())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_weights_are_read_back_and_a_missing_file_has_none() {
        let file =
            std::env::temp_dir().join(format!("airfair-agent-weights-{}", std::process::id()));
        assert_eq!(read(&file).unwrap(), None);
        assert_eq!(give_back(&file).unwrap(), PassCounts::default());
        let weights = [("02:00:00:00:01:00".to_owned(), 256)].into();
        let before = Before { interface: "not-there".into(), weights };
        write(&file, &before).unwrap();
        assert_eq!(read(&file).unwrap(), Some(before));
        // There is nothing to restore at a removed interface.
        assert_eq!(give_back(&file).unwrap(), PassCounts::default());
        assert!(!file.exists());
        fs::write(&file, "{").unwrap();
        assert!(format!("{:#}", give_back(&file).unwrap_err()).contains("airfair-agent-weights"));
        fs::remove_file(&file).unwrap();
    }
}
