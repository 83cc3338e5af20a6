//! Which law decides.

use airfair_laws::occupancy::Grant;

use crate::access_point::AccessPoint;
use crate::airtime_weights::AirtimeWeights;
use crate::arf_window::ArfWindow;
use crate::configuration::{Configuration, Role, Scheme};
use crate::data_ack::TwoQueues;
use crate::decision::{Decision, Share};
use crate::estimate::Seen;
use crate::keeping::Keeping;
use crate::sample::Sample;
use crate::shared_windows::SharedWindows;
use crate::shares::Granted;
use crate::station::Station;

/// The law of a scheme, with its memory from sample to sample.
#[derive(Clone, Debug)]
pub enum Law {
    /// ARF-aware TCP at a station.
    ArfAware(Station),
    /// Windows from the use of the channel, at a station.
    ArfWindow(ArfWindow),
    /// Equal shares at an access point.
    Occupancy(AccessPoint),
    /// The share that an access point grants, at a station.
    Keeping(Keeping),
    /// Shared windows at an access point.
    SharedWindows(SharedWindows),
    /// DATA and ACKs apart at an access point.
    DataAck(TwoQueues),
    /// Airtime weights at an access point.
    AirtimeWeights(AirtimeWeights),
}

impl Law {
    /// The law that a configuration asks for.
    pub fn new(configuration: &Configuration) -> Self {
        match configuration.scheme {
            Scheme::Occupancy => {
                let (settings, polls) = (configuration.occupancy, configuration.polls);
                match settings.role {
                    Role::AccessPoint => Self::Occupancy(AccessPoint::new(settings, polls)),
                    Role::Station => Self::Keeping(Keeping::new(settings, polls)),
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
            Scheme::DataAck => {
                Self::DataAck(TwoQueues::new(configuration.data_ack.clone(), configuration.polls))
            }
        }
    }

    /// Highest rate over the rate of a station's link; one is no limit, and all that others than ARF-aware TCP have.
    pub fn ratio(&self) -> u32 {
        if let Self::ArfAware(station) = self { station.ratio() } else { 1 }
    }

    /// True if it has a limit for each connection by itself.
    pub fn limits_each(&self) -> bool {
        matches!(
            self,
            Self::ArfWindow(_) | Self::Occupancy(_) | Self::Keeping(_) | Self::SharedWindows(_)
        )
    }

    /// Shares that an access point has granted last; of a station its own.
    pub fn granted(&self) -> &[Granted] {
        match self {
            Self::Occupancy(access_point) => access_point.granted(),
            Self::Keeping(station) => station.granted(),
            _ => &[],
        }
    }

    /// Grant of the last sample, for stations that ask.
    pub fn grant(&self) -> Option<Grant> {
        if let Self::Occupancy(access_point) = self { access_point.grant() } else { None }
    }

    /// Shares of DATA and ACKs.
    pub fn share(&self) -> Option<Share> {
        if let Self::DataAck(queues) = self { queues.share() } else { None }
    }

    /// Takes in a sample: what was seen, and what changes.
    pub fn take(&mut self, sample: &Sample) -> (Seen, Option<Decision>) {
        match self {
            Self::ArfAware(station) => station.take(sample),
            Self::ArfWindow(station) => station.take(sample),
            Self::Occupancy(access_point) => access_point.take(sample),
            Self::Keeping(station) => station.take(sample),
            Self::SharedWindows(shared) => shared.take(sample),
            Self::DataAck(queues) => queues.take(sample),
            Self::AirtimeWeights(weights) => weights.take(sample),
        }
    }
}
