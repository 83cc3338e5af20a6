//! ARF-aware TCP: a sender below its highest link rate uses a k-th of its congestion window.
//!
//! Source: [arf-aware-tcp §3]. The paper says when `arf_cwnd` is computed ("when a WLAN link rate changes")
//! and that the saved window is restored at the highest rate. It does not say whether `arf_cwnd` is constant,
//! grows or follows the saved window meanwhile; [`Variant`] has these three readings.
//!
//! ```text
//!            rate < highest: save cwnd, limit it               rate < highest: new k, same saved cwnd
//!  Normal ───────────────────────────────────────► Arf { saved } ──┐
//!     ▲                                             │    ▲─────────┘
//!     └──────────── rate = highest: cwnd := saved ──┘
//! ```

use airfair_units::DataRate;

use crate::window_limit::WindowLimit;

/// Behaviour of the limit `arf_cwnd` while the link is below its highest rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// The window is limited to ⌊saved cwnd / k⌋ as long as the link is below its highest rate.
    #[default]
    Held,
    /// cwnd is set to ⌊cwnd / k⌋ once and then follows TCP's own law.
    OneShot,
    /// The window is limited to ⌊cwnd(t) / k⌋ with the current cwnd.
    Continuous,
}

/// Parameters of ARF-aware TCP that the paper leaves to the implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// Reading of what the paper says about the limit `arf_cwnd`.
    pub variant: Variant,
}

/// State of ARF-aware TCP for one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The link is at its highest rate, so the window has no limit.
    #[default]
    Normal,
    /// The link is below its highest rate, so the window is limited; the paper calls this arf mode.
    Arf {
        /// Congestion window when the link left its highest rate, to be restored at that rate [segments].
        saved_cwnd: u32,
    },
}

/// Rates of the link and cwnd at a rate change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Highest rate of the link.
    pub highest_rate: DataRate,
    /// Rate of the link from now on.
    pub rate: DataRate,
    /// Current congestion window [segments].
    pub cwnd: u32,
}

/// Settings of ARF-aware TCP for the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// Window limit from now on.
    pub window_limit: WindowLimit,
    /// Value to set cwnd to; `None` leaves it unchanged [segments].
    pub cwnd: Option<u32>,
}

/// Ratio k = ⌈highest rate / rate⌉.  [arf-aware-tcp §3]
pub fn ratio(highest_rate: DataRate, rate: DataRate) -> u32 {
    u32::try_from(highest_rate.bps().div_ceil(rate.bps())).unwrap_or(u32::MAX)
}

/// Returns the settings for the TCP sender after one rate change.  [arf-aware-tcp §3]
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, Action) {
    let k = ratio(seen.highest_rate, seen.rate);
    let saved_cwnd = match state {
        State::Normal => seen.cwnd,
        State::Arf { saved_cwnd } => saved_cwnd,
    };
    if k <= 1 {
        let cwnd = matches!(state, State::Arf { .. }).then_some(saved_cwnd);
        return (State::Normal, Action { window_limit: WindowLimit::None, cwnd });
    }
    let arf_cwnd = (saved_cwnd / k).max(1);
    let action = match params.variant {
        Variant::Held => Action { window_limit: WindowLimit::Segments(arf_cwnd), cwnd: None },
        Variant::OneShot => Action { window_limit: WindowLimit::None, cwnd: Some(arf_cwnd) },
        Variant::Continuous => Action { window_limit: WindowLimit::DividedBy(k), cwnd: None },
    };
    (State::Arf { saved_cwnd }, action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RATES: [DataRate; 4] = [
        DataRate::from_mbps(1),
        DataRate::from_mbps(2),
        DataRate::from_kbps(5_500),
        DataRate::from_mbps(11),
    ];

    fn seen(rate: DataRate, cwnd: u32) -> Observation {
        Observation { highest_rate: RATES[3], rate, cwnd }
    }

    fn params(variant: Variant) -> Params {
        Params { variant }
    }

    /// The ratio of the highest rate to the present rate is rounded up.
    ///
    /// Verifies: [arf-aware-tcp §3]
    #[test]
    fn the_ratio_is_rounded_up() {
        // 11/1 = 11, 11/2 = 5.5 → 6, 11/5.5 = 2, 11/11 = 1
        assert_eq!(RATES.map(|rate| ratio(RATES[3], rate)), [11, 6, 2, 1]);
    }

    /// A link at an eleventh of its highest rate limits the window to an eleventh, and at the highest rate
    /// cwnd is set to the saved window.
    ///
    /// Verifies: [arf-aware-tcp §3]
    #[test]
    fn a_slow_link_holds_an_eleventh_of_the_window_and_gives_all_of_it_back() {
        let held = params(Variant::Held);
        // ⌊130 / 11⌋ = 11
        let (state, action) = step(&held, State::Normal, &seen(RATES[0], 130));
        assert_eq!(state, State::Arf { saved_cwnd: 130 });
        assert_eq!(action, Action { window_limit: WindowLimit::Segments(11), cwnd: None });
        let (state, action) = step(&held, state, &seen(RATES[3], 4));
        assert_eq!(state, State::Normal);
        assert_eq!(action, Action { window_limit: WindowLimit::None, cwnd: Some(130) });
    }

    /// A second rate change below the highest rate divides the window saved at the first one, not the current
    /// cwnd.
    ///
    /// Verifies: [arf-aware-tcp §3]
    #[test]
    fn a_further_change_divides_the_window_saved_on_entry() {
        let held = params(Variant::Held);
        let (state, _) = step(&held, State::Normal, &seen(RATES[2], 60));
        // ⌊60 / 6⌋ = 10, whatever cwnd is now.
        let (state, action) = step(&held, state, &seen(RATES[1], 3));
        assert_eq!(state, State::Arf { saved_cwnd: 60 });
        assert_eq!(action.window_limit, WindowLimit::Segments(10));
    }

    #[test]
    fn the_three_readings_differ_in_the_action_only() {
        let slow = seen(RATES[0], 130);
        let (one_state, one) = step(&params(Variant::OneShot), State::Normal, &slow);
        let (con_state, con) = step(&params(Variant::Continuous), State::Normal, &slow);
        assert_eq!(one_state, con_state);
        assert_eq!(one, Action { window_limit: WindowLimit::None, cwnd: Some(11) });
        assert_eq!(con, Action { window_limit: WindowLimit::DividedBy(11), cwnd: None });
    }

    #[test]
    fn a_link_that_never_slowed_is_left_alone() {
        let (state, action) = step(&Params::default(), State::Normal, &seen(RATES[3], 7));
        assert_eq!((state, action), (State::Normal, Action::default()));
    }

    proptest! {
        /// For any rate changes `arf_cwnd` is at least 1, and the saved window is restored at the highest
        /// rate.
        ///
        /// Verifies: [arf-aware-tcp §3]
        #[test]
        fn every_history_ends_with_the_saved_window(
            cwnd in 1u32..10_000, steps in prop::collection::vec(0usize..3, 1..20), variant in 0usize..3,
        ) {
            let params = params([Variant::Held, Variant::OneShot, Variant::Continuous][variant]);
            let mut state = State::Normal;
            for rate in steps {
                let (next, action) = step(&params, state, &seen(RATES[rate], cwnd));
                if let WindowLimit::Segments(n) = action.window_limit {
                    prop_assert!((1..=cwnd).contains(&n));
                }
                state = next;
            }
            let (state, action) = step(&params, state, &seen(RATES[3], 1));
            prop_assert_eq!(state, State::Normal);
            prop_assert_eq!(action, Action { window_limit: WindowLimit::None, cwnd: Some(cwnd) });
        }
    }
}
