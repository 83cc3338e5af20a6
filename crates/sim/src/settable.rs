//! Bounds of the settings of a member of a cell, which its owner and its agents may change during a run.

use airfair_units::{Bytes, DataRate, Duration};
use airfair_wlan::aggregation::AmpduLimits;
use airfair_wlan::phy::Rate;
use airfair_wlan::{Stream, Weights};

use crate::not_allowed::NotAllowed;

/// Bounds of a member's settings, without their values.
#[derive(Clone, Debug)]
pub(crate) struct Settable {
    /// Highest rate of the member's link.
    pub(crate) highest: DataRate,
    /// Rates at which the member may send frames on its link.
    pub(crate) rates: Vec<Rate>,
    /// True where rate control chooses the rate, up and down.
    pub(crate) is_adapted: [bool; 2],
    /// True if the member's queue has weights for DATA and ACKs.
    pub(crate) has_weights: bool,
    /// Limits of the member's A-MPDUs in the scenario; `None` if its frames carry one MPDU each.
    pub(crate) aggregates: Option<AmpduLimits>,
    /// Random stream for errors on the member's link, should an error model be set during the run; `None` in a cell
    /// with a radio, where received powers decide which frames have errors.
    pub(crate) errors: Option<Stream>,
}

impl Settable {
    /// Checks weights of DATA and ACKs for the member's queue.
    ///
    /// # Errors
    /// [`NotAllowed`] if the queue has no weights, and for a weight of 0.
    pub(crate) fn check_weights(&self, Weights { data, ack }: Weights) -> Result<(), NotAllowed> {
        if !self.has_weights {
            return Err(NotAllowed::NoWeights);
        }
        if data > 0 && ack > 0 {
            return Ok(());
        }
        Err(NotAllowed::OutOfRange("allowed are weights from 1 to 4294967295 packets per round"))
    }
}

/// Limits of the aggregates of one direction of a link; `None` leaves a limit as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AggregateLimits {
    /// Size of the largest A-MPDU.
    pub bytes: Option<Bytes>,
    /// Largest number of MPDUs in an A-MPDU.
    pub mpdus: Option<u16>,
    /// Longest A-MPDU [time on the air].
    pub duration: Option<Duration>,
}
