//! Settings of equal shares of airtime.

use std::net::IpAddr;

use airfair_laws::occupancy::{self, Spare};
use airfair_units::Probability;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::bounds::{LEAST_WINDOW, check_least};
use crate::grants::PORT;

/// Role of this machine in the scheme `occupancy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// This machine is an access point: it grants shares, and limits stations that do not limit
    /// themselves.
    #[default]
    AccessPoint,
    /// This machine is a station: it requests grants, and limits its own connections to them.
    Station,
}

/// Settings of the scheme `occupancy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Parameters of the law, in which a sample takes the place of a beacon.
    pub params: occupancy::Params,
    /// Minimum window of a limited connection [segments].
    pub least_window: u32,
    /// Role of this machine in the scheme.
    pub role: Role,
    /// True if stations may request grants.
    pub grants: bool,
    /// UDP port for requests and grants.
    pub port: u16,
    /// Address of the access point that a station asks; `None` for its gateway.
    pub access_point: Option<IpAddr>,
}

impl Default for Occupancy {
    fn default() -> Self {
        Self {
            params: occupancy::Params::default(),
            least_window: LEAST_WINDOW,
            role: Role::default(),
            grants: true,
            port: PORT,
            access_point: None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    samples: Option<u16>,
    satisfied: Option<f64>,
    spare: Option<WrittenSpare>,
    least_window: Option<u32>,
    one_segment: Option<bool>,
    pub(super) role: Option<Role>,
    grants: Option<bool>,
    port: Option<u16>,
    access_point: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenSpare {
    Printed,
    Once,
}

impl Written {
    pub(super) fn checked(&self) -> Result<Occupancy> {
        let default = Occupancy::default();
        let beacons = self.samples.unwrap_or(default.params.beacons);
        ensure!((1..=100).contains(&beacons), "samples = {beacons}: allowed is 1 to 100");
        let satisfied = match self.satisfied {
            None => default.params.satisfied,
            Some(value) => Probability::new(value)
                .filter(|it| *it != Probability::ZERO && *it != Probability::ONE)
                .with_context(|| {
                    format!("satisfied = {value}: allowed is a number between 0 and 1")
                })?,
        };
        let spare = match self.spare {
            None => default.params.spare,
            Some(WrittenSpare::Printed) => Spare::Printed,
            Some(WrittenSpare::Once) => Spare::Once,
        };
        let params = occupancy::Params { beacons, satisfied, spare, ..default.params };
        let least_window = self.least_window.unwrap_or(default.least_window);
        check_least(least_window, self.one_segment)?;
        let port = self.port.unwrap_or(PORT);
        ensure!(port >= 1_024, "port = {port}: allowed is 1024 to 65535");
        let access_point = match self.access_point.as_deref() {
            None | Some("gateway") => None,
            Some(text) => Some(text.parse().with_context(|| {
                format!(
                    "access_point = {text:?}: allowed is \"gateway\" or an address such as 192.168.1.1",
                )
            })?),
        };
        let (role, grants) = (self.role.unwrap_or_default(), self.grants.unwrap_or(true));
        Ok(Occupancy { params, least_window, role, grants, port, access_point })
    }
}
