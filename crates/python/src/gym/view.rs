//! Task of learners: signals, lever and reward.

use airfair_units::Duration;

use super::lever::Lever;
use super::reward::Reward;
use super::signal::Signal;

/// Task of the learners of a world, and the form in which they see it.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) step: Duration,
    /// Signals of what a learner sees: a whole world, or one station of it if `by_station`.
    pub(crate) signals: Vec<Signal>,
    /// Signals of each station, which a learner that sees a whole world sees behind the others.
    pub(crate) station_signals: Vec<Signal>,
    /// Number of stations that each world must have; `None` if a learner sees no single station.
    pub(crate) stations: Option<usize>,
    /// Number of steps that are remembered.
    pub(crate) history: usize,
    /// Number of steps over which a mean and a standard deviation are taken, with half of them shared between
    /// neighbours; `None` for the steps themselves.
    pub(crate) window: Option<usize>,
    pub(crate) lever: Lever,
    /// True if actions have a value for each station.
    pub(crate) sets_stations: bool,
    pub(crate) reward: Reward,
    /// True for one learner at each station, which sees that station; false for one that sees the whole world.
    pub(crate) by_station: bool,
    /// Length of the film of the channel; `None` for no film.
    pub(crate) film: Option<Duration>,
}

impl View {
    /// Number of values that a learner sees.
    pub(crate) fn width(&self) -> usize {
        let times = match self.window {
            None => self.history,
            Some(window) => self.history.div_ceil(window / 2) * 2,
        };
        times * self.sources_of_a_learner()
    }

    /// Number of values that a learner sees of a step.
    pub(crate) fn sources_of_a_learner(&self) -> usize {
        self.signals.len() + self.station_signals.len() * self.stations.unwrap_or(0)
    }

    /// Signals of all learners, each with its place: 0 for the whole world, or the number of a station from 1 on.
    pub(crate) fn sources(&self, stations: usize) -> Vec<(usize, Signal)> {
        let all = |place: usize, signals: &[Signal]| -> Vec<_> {
            signals.iter().map(|signal| (place, *signal)).collect()
        };
        let each = |signals| (1..=stations).flat_map(move |place| all(place, signals));
        if self.by_station {
            return each(&self.signals).collect();
        }
        all(0, &self.signals).into_iter().chain(each(&self.station_signals)).collect()
    }
}
