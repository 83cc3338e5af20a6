//! UORA: random access of stations to resource units that an access point offers to all.
//!
//! Source: uplink OFDMA-based random access [80211ax-2021 §26.5.4]. A trigger frame offers a number of units
//! to stations that it does not name. A station counts down by that number at each such trigger. If its
//! counter is not larger than the number, the station sends in one of the units. After a failure, most often
//! because another station has sent in the same unit, its window doubles.
//!
//! ```text
//!            trigger, counter > units            trigger, counter ≤ units
//!  counting ─────────────────────────► counting ─────────────────────────► sent
//!  sent     ─ success: smallest window, new counter ─► counting
//!  sent     ─ failure: 2 · window + 1, new counter ──► counting
//! ```

/// Parameters of UORA, which the access point announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Window of the first attempt: largest counter (`OCWmin`).
    pub min_window: u16,
    /// Largest window (`OCWmax`).
    pub max_window: u16,
}

impl Default for Params {
    /// Windows of stations to which the access point has announced none: 7 and 31.  [80211ax-2021 §26.5.4]
    fn default() -> Self {
        Self::announced(3, 5)
    }
}

impl Params {
    /// Parameters of a UORA Parameter Set element: each window is 2^exponent - 1.  [80211ax-2021 §26.5.4]
    ///
    /// # Panics
    ///
    /// Panics if an exponent is larger than 7, which the element cannot express.
    pub fn announced(min_exponent: u8, max_exponent: u8) -> Self {
        assert!(min_exponent.max(max_exponent) < 8, "exponents of windows have three bits");
        Self { min_window: (1 << min_exponent) - 1, max_window: (1 << max_exponent) - 1 }
    }
}

/// State of UORA at a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Largest counter of the current attempt (`OCW`).
    window: u16,
    /// Number of units that the station lets pass before it sends (`OBO`).
    counter: u16,
}

/// An event at a station that takes part in UORA. `draw` is a random number, uniform over all of `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A trigger frame offers units, and the station has data and no unit of its own.
    Trigger {
        /// Number of units in which the station could send.
        units: u16,
        /// Random number, which chooses a unit.
        draw: u32,
    },
    /// The access point has acknowledged the data in the unit.
    Success {
        /// Random number, which chooses a new counter.
        draw: u32,
    },
    /// The access point has not acknowledged the data in the unit.
    Failure {
        /// Random number, which chooses a new counter.
        draw: u32,
    },
}

impl State {
    /// State of a station that has sent nothing. `draw` is a random number, uniform over all of `u32`.
    pub fn new(params: &Params, draw: u32) -> Self {
        Self::with_window(params.min_window, draw)
    }

    fn with_window(window: u16, draw: u32) -> Self {
        Self { window, counter: chosen(draw, u32::from(window) + 1) }
    }
}

/// Processes one event. Returns the place of the unit in which the station sends, among those that the trigger
/// offers.  [80211ax-2021 §26.5.4]
pub fn step(params: &Params, state: State, seen: Event) -> (State, Option<u16>) {
    match seen {
        Event::Trigger { units: 0, .. } => (state, None),
        Event::Trigger { units, draw } if state.counter <= units => {
            (State { counter: 0, ..state }, Some(chosen(draw, units.into())))
        }
        Event::Trigger { units, .. } => (State { counter: state.counter - units, ..state }, None),
        Event::Success { draw } => (State::new(params, draw), None),
        Event::Failure { draw } => {
            let doubled = state.window.saturating_mul(2).saturating_add(1);
            (State::with_window(doubled.min(params.max_window), draw), None)
        }
    }
}

/// Random number in 0, …, `count` - 1 from a draw over all of `u32`.
fn chosen(draw: u32, count: u32) -> u16 {
    let number = (u64::from(draw) * u64::from(count)) >> 32;
    u16::try_from(number).expect("less than the count")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Draw that chooses `number` of `count`.
    fn draw(number: u32, count: u32) -> u32 {
        u32::try_from((u64::from(number) << 32).div_ceil(count.into())).expect("below 2^32")
    }

    fn next(state: &mut State, seen: Event) -> Option<u16> {
        let (after, unit) = step(&Params::default(), *state, seen);
        *state = after;
        unit
    }

    /// The window is 7, and the station draws the counter 6. A trigger with 4 units leaves 2, and one without
    /// units leaves 2 as well. The next one has 2 units: 2 ≤ 2, and the station sends in unit 1. It fails, and its
    /// window is 2 · 7 + 1 = 15. Two more failures give 31 and 31, the largest. A success gives 7.
    ///
    /// Verifies: [80211ax-2021 §26.5.4]
    #[test]
    fn a_station_counts_units_down_and_doubles_its_window() {
        let mut state = State::new(&Params::default(), draw(6, 8));
        let trigger = |units| Event::Trigger { units, draw: draw(1, 2) };
        assert_eq!([4, 0, 2].map(|units| next(&mut state, trigger(units))), [None, None, Some(1)]);
        assert_eq!(state, State { window: 7, counter: 0 });
        for window in [15, 31, 31] {
            assert_eq!(next(&mut state, Event::Failure { draw: u32::MAX }), None);
            assert_eq!(state, State { window, counter: window });
        }
        assert_eq!(next(&mut state, Event::Success { draw: draw(3, 8) }), None);
        assert_eq!(state, State { window: 7, counter: 3 });
    }

    /// With a window of 7 and 3 units, the counters 0 to 3 send at the first trigger, 4 to 6 at the second and 7
    /// at the third: 4 · 1 + 3 · 2 + 1 · 3 = 13 triggers for 8 counters.
    #[test]
    fn the_number_of_triggers_follows_from_the_counter() {
        let mut triggers = 0;
        for counter in 0..8 {
            let mut state = State::new(&Params::default(), draw(counter, 8));
            triggers += 1;
            while next(&mut state, Event::Trigger { units: 3, draw: 0 }).is_none() {
                triggers += 1;
            }
        }
        assert_eq!(triggers, 13);
    }

    /// Exponents of the element from 0 to 7 give windows from 0 to 127.
    #[test]
    fn an_element_announces_windows_by_their_exponents() {
        assert_eq!(Params::default(), Params { min_window: 7, max_window: 31 });
        assert_eq!(Params::announced(0, 7), Params { min_window: 0, max_window: 127 });
    }

    proptest! {
        /// For any events, the counter is at most the window, the window is between its bounds, and a unit is one
        /// of those that are offered.
        #[test]
        fn counters_windows_and_units_are_in_their_ranges(
            (low, high) in (0u8..8, 0u8..8),
            events in prop::collection::vec((0u8..3, 0u16..80, any::<u32>()), 0..200),
        ) {
            let params = Params::announced(low.min(high), low.max(high));
            let mut state = State::new(&params, 0);
            for (event, units, draw) in events {
                let event = [Event::Trigger { units, draw }, Event::Success { draw }, Event::Failure { draw }]
                    [usize::from(event)];
                let (next, unit) = step(&params, state, event);
                prop_assert!(next.counter <= next.window);
                prop_assert!((params.min_window..=params.max_window).contains(&next.window));
                prop_assert!(unit.is_none_or(|unit| unit < units));
                state = next;
            }
        }
    }
}
