//! Settings of a sender's congestion control.

use airfair_laws::newreno::Deflation;
use airfair_units::Bytes;

use super::flavour::Flavour;

/// Arithmetic of the window and of the time-out for the flavours Reno, NewReno, SACK and CUBIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// The RFCs' arithmetic of window and time-out, in octets.
    #[default]
    Rfc,
    /// Linux's arithmetic of the window, in whole segments, and of the retransmission time-out, whose minimum
    /// applies to the variation. With [`LossRecovery::Rack`](crate::tcp::LossRecovery::Rack) segments leave in pairs,
    /// and PSH requests one ACK per pair. [linux-tcp-cong], [linux-tcp-cubic], [linux-rto], [linux-tso]
    Linux,
}

/// Rule by which slow start ends before there is a loss, for the flavours Reno, NewReno, SACK and CUBIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlowStart {
    /// Slow start ends at a loss or at the threshold.  [RFC5681 §3.1]
    #[default]
    Standard,
    /// `HyStart` of Linux's CUBIC: an ACK train that lasts too long, or a grown round trip, ends slow start.
    /// [linux-tcp-cubic]
    HyStart,
    /// `HyStart++`: a grown round trip leads to five rounds of slower growth.  [RFC9406]
    HyStartPlusPlus,
}

/// Settings of the congestion window and its laws.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlConfig {
    pub(crate) flavour: Flavour,
    pub(crate) arithmetic: Arithmetic,
    pub(crate) slow_start: SlowStart,
    /// True if the sender paces its segments, although the flavour has no model of the path.
    pub(crate) is_paced: bool,
    /// Unit of the window: payload of a full segment, or a full datagram [octets].
    pub(crate) segment: Bytes,
    pub(crate) byte_counting: bool,
    pub(crate) deflation: Deflation,
    /// Initial window, at least 1 [segments].
    pub(crate) initial_window: u32,
    /// Initial slow start threshold; `None` is no threshold [segments].
    pub(crate) initial_ssthresh: Option<u32>,
}

impl ControlConfig {
    /// Settings of a window that grows by octets acknowledged, as the RFCs have it, with the rest at its default.
    pub(crate) fn new(flavour: Flavour, segment: Bytes, initial_window: u32) -> Self {
        Self {
            flavour,
            arithmetic: Arithmetic::Rfc,
            slow_start: SlowStart::Standard,
            is_paced: false,
            segment,
            byte_counting: true,
            deflation: Deflation::default(),
            initial_window,
            initial_ssthresh: None,
        }
    }
}
