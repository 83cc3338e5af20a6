//! Settings of airtime weights.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// Airtime weight that mac80211 gives a station by default.  [linux-atf]
const OWN: u16 = 256;
/// Airtime weights that may be configured: from a sixteenth to sixteen times the default.
const ALLOWED: std::ops::RangeInclusive<u16> = OWN / 16..=OWN * 16;

/// Settings of the scheme `airtime-weights`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirtimeWeights {
    /// Airtime weights of single stations by MAC address.
    stations: BTreeMap<String, u16>,
    /// Airtime weight of stations without a weight of their own.
    others: u16,
    share: AirtimeShare,
}

/// Unit to which a configured airtime weight belongs: a station, or each of its connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AirtimeShare {
    /// Weights belong to stations: a station has its weight, whatever its number of connections.
    #[default]
    Stations,
    /// Weights belong to connections: a station has its weight once for each active connection.
    /// Deviates: [D-199]
    Connections,
}

impl AirtimeWeights {
    /// Airtime weight of a station with `connections` active connections. Without connections it is
    /// the weight for one connection.
    pub fn weight(&self, station: &str, connections: u32) -> u16 {
        let one = self.stations.get(station).copied().unwrap_or(self.others);
        match self.share {
            AirtimeShare::Stations => one,
            AirtimeShare::Connections => {
                let all = u32::from(one).saturating_mul(connections.max(1));
                u16::try_from(all).unwrap_or(u16::MAX).min(*ALLOWED.end())
            }
        }
    }

    /// True if weights depend on the number of active connections.
    pub fn is_by_connections(&self) -> bool {
        self.share == AirtimeShare::Connections
    }
}

impl Default for AirtimeWeights {
    fn default() -> Self {
        Self { stations: BTreeMap::new(), others: OWN, share: AirtimeShare::default() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    weights: Option<AirtimeShare>,
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
                "stations: {station:?}; allowed is an address such as 02:00:00:00:01:00"
            );
            check(station, *weight)?;
            stations.insert(station.to_lowercase(), *weight);
        }
        Ok(AirtimeWeights { stations, others, share: self.weights.unwrap_or_default() })
    }
}

fn check(whose: &str, weight: u16) -> Result<()> {
    let (least, most) = (ALLOWED.start(), ALLOWED.end());
    ensure!(ALLOWED.contains(&weight), "{whose} = {weight}: allowed is {least} to {most}");
    Ok(())
}

fn is_address(text: &str) -> bool {
    let is_octet = |it: &str| it.len() == 2 && it.bytes().all(|digit| digit.is_ascii_hexdigit());
    text.split(':').count() == 6 && text.split(':').all(is_octet)
}
