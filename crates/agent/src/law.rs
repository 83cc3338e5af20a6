//! The law that decides, by the configured scheme.

use airfair_laws::occupancy::Grant;

use crate::access_point::AccessPoint;
use crate::airtime_weights::AirtimeWeights;
use crate::arf_window::ArfWindow;
use crate::configuration::{Configuration, Role, Scheme};
use crate::data_ack::TwoQueues;
use crate::decision::{Decision, Share};
use crate::estimate::Estimate;
use crate::fair::Fair;
use crate::journal::Reports;
use crate::keeping::GrantedStation;
use crate::sample::Sample;
use crate::shared_windows::SharedWindows;
use crate::shares::Granted;
use crate::station::Station;

/// Law of a scheme, with its state.
#[derive(Clone, Debug)]
pub enum Law {
    /// ARF-aware TCP, at a station.
    ArfAware(Station),
    /// Windows that follow from the measured use of the channel, at a station.
    ArfWindow(ArfWindow),
    /// Equal shares of airtime, at an access point.
    Occupancy(AccessPoint),
    /// Windows that keep a station to the share of airtime that its access point grants.
    GrantedStation(GrantedStation),
    /// Windows that share the buffer of an access point.
    SharedWindows(SharedWindows),
    /// Separate queues for DATA and ACKs, at an access point.
    DataAck(TwoQueues),
    /// Airtime weights, at an access point.
    AirtimeWeights(AirtimeWeights),
    /// Equal airtime in both directions, at an access point alone.
    Fair(Box<Fair>),
}

impl Law {
    /// Makes the law of the configured scheme.
    pub fn new(configuration: &Configuration) -> Self {
        match configuration.scheme {
            Scheme::Occupancy => {
                let (settings, polls) = (configuration.occupancy, configuration.polls);
                match settings.role {
                    Role::AccessPoint => Self::Occupancy(AccessPoint::new(settings, polls)),
                    Role::Station => Self::GrantedStation(GrantedStation::new(settings, polls)),
                }
            }
            Scheme::SharedWindows => {
                let settings = configuration.shared_windows;
                Self::SharedWindows(SharedWindows::new(settings, configuration.polls))
            }
            Scheme::ArfAware => {
                Self::ArfAware(Station::new(configuration.arf_aware.clone(), configuration.polls))
            }
            Scheme::ArfWindow => {
                Self::ArfWindow(ArfWindow::new(configuration.arf_window, configuration.polls))
            }
            Scheme::AirtimeWeights => {
                let settings = configuration.airtime_weights.clone();
                Self::AirtimeWeights(AirtimeWeights::new(settings, configuration.polls))
            }
            Scheme::Fair => {
                Self::Fair(Box::new(Fair::new(configuration.fair, configuration.polls)))
            }
            Scheme::DataAck => {
                Self::DataAck(TwoQueues::new(configuration.data_ack.clone(), configuration.polls))
            }
        }
    }

    /// Ratio k: highest rate of a station's link divided by its present rate; 1, for no limit, with
    /// any law but ARF-aware TCP.
    pub fn ratio(&self) -> u32 {
        if let Self::ArfAware(station) = self { station.ratio() } else { 1 }
    }

    /// True if the law sets a separate limit for each connection, and not one ratio for all.
    pub fn limits_each(&self) -> bool {
        matches!(
            self,
            Self::ArfWindow(_)
                | Self::Occupancy(_)
                | Self::GrantedStation(_)
                | Self::SharedWindows(_)
                | Self::Fair(_)
        )
    }

    /// Shares that the agent reports.
    pub fn reports(&self) -> Reports {
        match self {
            Self::GrantedStation(_) => Reports::Own,
            Self::Fair(_) => Reports::Searched,
            _ => Reports::Granted,
        }
    }

    /// Shares of airtime that an access point granted last; at a station its own share alone.
    pub fn granted(&self) -> &[Granted] {
        match self {
            Self::Occupancy(access_point) => access_point.granted(),
            Self::GrantedStation(station) => station.granted(),
            Self::Fair(fair) => fair.granted(),
            _ => &[],
        }
    }

    /// Grant that follows from the last sample, for stations that ask for grants.
    pub fn grant(&self) -> Option<Grant> {
        if let Self::Occupancy(access_point) = self { access_point.grant() } else { None }
    }

    /// Weights and rate of the queues for DATA and ACKs; `None` with laws of other schemes.
    pub fn share(&self) -> Option<Share> {
        if let Self::DataAck(queues) = self { queues.share() } else { None }
    }

    /// Processes a sample. Returns the estimates for all links, and the decision if it has changed.
    pub fn take(&mut self, sample: &Sample) -> (Estimate, Option<Decision>) {
        match self {
            Self::ArfAware(station) => station.take(sample),
            Self::ArfWindow(station) => station.take(sample),
            Self::Occupancy(access_point) => access_point.take(sample),
            Self::GrantedStation(station) => station.take(sample),
            Self::SharedWindows(shared) => shared.take(sample),
            Self::DataAck(queues) => queues.take(sample),
            Self::AirtimeWeights(weights) => weights.take(sample),
            Self::Fair(fair) => fair.take(sample),
        }
    }
}
