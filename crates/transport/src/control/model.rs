//! Models of the path that set window and rate: the two versions of BBR, with the random numbers that they need.

use airfair_laws::bbr::{Control, LostSegment, Seen};
use airfair_laws::{bbr1, bbr3};
use airfair_units::Time;

use super::config::ControlConfig;
use super::flavour::Flavour;
use crate::draws::Draws;

/// Law of a flavour with a model of the path.
#[derive(Clone, Debug)]
enum Law {
    Bbr1(bbr1::State),
    Bbr(bbr3::State),
}

/// A model of the path, and its random numbers.
#[derive(Clone, Debug)]
pub(super) struct Model {
    law: Law,
    /// Random numbers, which the owner of the sender keys.
    random: Draws,
}

impl Model {
    /// Creates the model of a sender; `None` if its flavour has none.
    pub(super) fn new(config: &ControlConfig) -> Option<Box<Self>> {
        let window = config.segment.get() * u64::from(config.initial_window.max(1));
        let law = match config.flavour {
            Flavour::Bbr1 => Law::Bbr1(bbr1::State::new(window)),
            Flavour::Bbr => Law::Bbr(bbr3::State::new(window)),
            _ => return None,
        };
        Some(Box::new(Self { law, random: Draws::default() }))
    }

    /// Keys the random numbers.
    pub(super) fn set_seed(&mut self, seed: u64) {
        self.random = Draws::new(seed);
    }

    /// Processes an ACK.
    pub(super) fn step(&mut self, seen: Seen) -> Control {
        let seen = Seen { random: self.random.number(), ..seen };
        match &mut self.law {
            Law::Bbr1(state) => remember(state, bbr1::step(*state, &seen)),
            Law::Bbr(state) => remember(state, bbr3::step(*state, &seen)),
        }
    }

    /// Processes the segments that were marked lost since the last ACK.
    pub(super) fn lose(&mut self, lost: &[LostSegment], seen: &Seen) {
        let random = self.random.number();
        if let Law::Bbr(state) = &mut self.law {
            for segment in lost {
                *state = bbr3::lose(*state, segment, &Seen { random, ..*seen });
            }
        }
    }

    /// Notes the window of `cwnd` octets at the start of a recovery.
    pub(super) fn save(&mut self, cwnd: u64) {
        match &mut self.law {
            Law::Bbr1(state) => *state = state.saved(cwnd),
            Law::Bbr(state) => *state = state.saved(cwnd),
        }
    }

    /// Processes a retransmission time-out at a window of `cwnd` octets.
    pub(super) fn time_out(&mut self, cwnd: u64) {
        match &mut self.law {
            Law::Bbr1(state) => *state = state.timed_out(cwnd),
            Law::Bbr(state) => *state = state.timed_out(cwnd),
        }
    }

    /// Processes the proof that a recovery was needless.
    pub(super) fn undo(&mut self) {
        match &mut self.law {
            Law::Bbr1(state) => *state = state.undone(),
            Law::Bbr(state) => *state = state.undone(),
        }
    }

    /// Processes a restart after idling. Returns the window [octets].
    pub(super) fn restart(&mut self, now: Time, cwnd: u64) -> u64 {
        let random = self.random.number();
        match &mut self.law {
            Law::Bbr1(state) => remember(state, state.restarted(now, cwnd, random)),
            Law::Bbr(state) => remember(state, state.restarted(now, cwnd, random)),
        }
    }

    /// Pacing rate, at least 1 [octets/s].
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    pub(super) fn pacing_rate(&self) -> u64 {
        let rate = match &self.law {
            Law::Bbr1(state) => state.pacing_rate,
            Law::Bbr(state) => state.pacing_rate,
        };
        (rate as u64).max(1)
    }
}

/// Stores the new state of a law in `memory`, and returns the law's setting.
fn remember<S, T>(memory: &mut S, (state, setting): (S, T)) -> T {
    *memory = state;
    setting
}
