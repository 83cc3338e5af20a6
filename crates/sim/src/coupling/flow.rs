//! Control of a flow by what its own station sees.

use airfair_laws::arf_aware;
use airfair_transport::tcp;
use airfair_units::DataRate;

use crate::scenario;

/// The cross-layer control of one flow.
#[derive(Debug)]
pub(crate) enum Controller {
    /// None.
    None,
    /// ARF-aware TCP.  [arf-aware-tcp §3]
    ArfAware { params: arf_aware::Params, state: arf_aware::State },
}

impl Controller {
    pub(crate) fn new(control: scenario::Control) -> Self {
        match control {
            // What a station does for all its connections is its observer's business.
            scenario::Control::None
            | scenario::Control::ArfWindow(_)
            | scenario::Control::Occupancy => Self::None,
            scenario::Control::ArfAware(params) => {
                Self::ArfAware { params, state: arf_aware::State::default() }
            }
        }
    }

    /// The sending station's MAC has changed its rate, of at most `highest_rate`, to `rate`.
    pub(crate) fn rate_changed(
        &mut self,
        highest_rate: DataRate,
        rate: DataRate,
        sender: &mut tcp::Sender,
    ) {
        let Self::ArfAware { params, state } = self else { return };
        let seen = arf_aware::Observation { highest_rate, rate, cwnd: sender.cwnd() };
        let (next, action) = arf_aware::step(params, *state, &seen);
        *state = next;
        sender.set_window_limit(action.window_limit);
        if let Some(cwnd) = action.cwnd {
            sender.set_cwnd(cwnd);
        }
    }
}
