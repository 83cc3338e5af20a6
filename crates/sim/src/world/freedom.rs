//! Freedom of a sender: its window or its rate.

use airfair_units::DataRate;

use crate::endpoint::Source;
use crate::record::SenderWindow;

/// Window or rate of a sender as last passed to the recorder's trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freedom {
    Window(SenderWindow),
    Rate(Option<DataRate>),
}

impl Freedom {
    /// Window or rate of the sender of a flow; `None` for a sender that has neither.
    pub(super) fn of(source: &Source) -> Option<Self> {
        match source {
            Source::Tcp(_) | Source::Quic(_) => source.window().map(Self::Window),
            Source::Tfrc(sender) => Some(Self::Rate(bits_per_second(sender.pacing_rate()))),
            Source::Udp(_) | Source::External(_) => None,
        }
    }
}

/// Converts a rate in octets per second. `None` below 1 bit/s.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn bits_per_second(octets: f64) -> Option<DataRate> {
    let bits = (octets * 8.0) as u64;
    (bits > 0).then(|| DataRate::from_bps(bits))
}
