//! Settings of airtime weights.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// Weight that mac80211 gives a station.  [linux-atf]
const OWN: u16 = 256;
/// Weights that may be asked for: a sixteenth and sixteen times that.
const ALLOWED: std::ops::RangeInclusive<u16> = OWN / 16..=OWN * 16;

/// Settings of airtime weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirtimeWeights {
    /// Of stations, by their addresses on the air.
    stations: BTreeMap<String, u16>,
    /// Of all others.
    others: u16,
}

impl AirtimeWeights {
    /// Weight of a station.
    pub fn weight(&self, station: &str) -> u16 {
        self.stations.get(station).copied().unwrap_or(self.others)
    }
}

impl Default for AirtimeWeights {
    fn default() -> Self {
        Self { stations: BTreeMap::new(), others: OWN }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    stations: Option<BTreeMap<String, u16>>,
    others: Option<u16>,
}

impl Written {
    pub(super) fn checked(&self) -> Result<AirtimeWeights> {
        let others = self.others.unwrap_or(OWN);
        let mut stations = BTreeMap::new();
        check("others", others)?;
        for (station, weight) in self.stations.iter().flatten() {
            ensure!(
                is_address(station),
                "stations: {station:?} is no address as 02:00:00:00:01:00"
            );
            check(station, *weight)?;
            stations.insert(station.to_lowercase(), *weight);
        }
        Ok(AirtimeWeights { stations, others })
    }
}

fn check(whose: &str, weight: u16) -> Result<()> {
    let (least, most) = (ALLOWED.start(), ALLOWED.end());
    ensure!(ALLOWED.contains(&weight), "{whose} = {weight}: from {least} to {most}");
    Ok(())
}

fn is_address(text: &str) -> bool {
    let is_octet = |it: &str| it.len() == 2 && it.bytes().all(|digit| digit.is_ascii_hexdigit());
    text.split(':').count() == 6 && text.split(':').all(is_octet)
}
