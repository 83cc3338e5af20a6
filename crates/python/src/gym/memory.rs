//! Memory of learners: the signals of the last steps, and what they see of them.

use std::collections::VecDeque;

use super::signal::{Highest, Seen, Signal};
use super::view::View;

/// Signals that the learners of a world have seen in the last steps.
pub(crate) struct Memory {
    /// Signals of all learners, each with its place: 0 for the whole world, or the number of a station from 1 on.
    sources: Vec<(usize, Signal)>,
    /// Values of the signals in `sources`, the newest first.
    values: Vec<VecDeque<f64>>,
}

impl Memory {
    /// Creates the memory of the learners in a world with so many stations; it begins with zeros.
    pub(crate) fn new(view: &View, stations: usize) -> Self {
        let sources = view.sources(stations);
        Self { values: vec![VecDeque::from(vec![0.0; view.history]); sources.len()], sources }
    }

    /// True if a learner sees single stations.
    pub(crate) fn sees_stations(&self) -> bool {
        self.sources.iter().any(|(place, _)| *place > 0)
    }

    /// Remembers a step in place of the oldest one. `seen` has the whole world, and then the stations.
    pub(crate) fn remember(&mut self, seen: &[Seen], highest: &Highest) {
        for ((place, signal), values) in self.sources.iter().zip(&mut self.values) {
            values.pop_back();
            values.push_front(seen[*place].value(*signal, highest));
        }
    }

    /// Appends what each learner sees to `into`.
    ///
    /// The newest step or window comes first. A step has a value for each signal, and a window has a mean and a
    /// standard deviation for each.
    pub(crate) fn show(&self, view: &View, into: &mut Vec<f32>) {
        for memory in self.values.chunks(view.sources_of_a_learner()) {
            match view.window {
                None => {
                    let steps = 0..view.history;
                    into.extend(
                        steps.flat_map(|step| memory.iter().map(move |it| narrow(it[step]))),
                    );
                }
                Some(window) => {
                    for from in (0..view.history).step_by(window / 2) {
                        let steps = from..view.history.min(from + window);
                        for values in memory {
                            into.extend(moments(values.range(steps.clone())).map(narrow));
                        }
                    }
                }
            }
        }
    }
}

/// Mean and standard deviation of some values.
fn moments<'v>(values: impl ExactSizeIterator<Item = &'v f64> + Clone) -> [f64; 2] {
    #[expect(clippy::cast_precision_loss, reason = "a history is short")]
    let count = values.len() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|it| (it - mean) * (it - mean)).sum();
    [mean, (squares / count).sqrt()]
}

#[expect(clippy::cast_possible_truncation, reason = "learners compute in single precision")]
fn narrow(value: f64) -> f32 {
    value as f32
}
