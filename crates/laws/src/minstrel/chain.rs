//! Minstrel's retry chain of a frame.

use airfair_units::Duration;

use super::statistics::{Choice, RateStatistics};
use super::{Params, State, is_faster};

/// Fewest attempts of a stage of Minstrel's retry chain.
const FEWEST: u8 = 2;
/// Most attempts of a stage of Minstrel's retry chain.
const MOST: u8 = 7;

/// A stage of Minstrel's retry chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) level: u8,
    pub(super) attempts: u8,
}

/// Starts the retry chain of a frame at its first attempt.  [linux-minstrel §`minstrel_get_rate`]
pub(super) fn start_chain(
    params: &Params,
    times: &[Duration],
    state: State,
    sample: Option<u8>,
) -> State {
    let Choice { best, second, probable } = state.choice;
    let levels = match sample {
        None => [best, second, probable, 0],
        Some(level) if is_faster(times, level, best) => [level, best, probable, 0],
        Some(level) => [best, level, probable, 0],
    };
    let chain = levels.map(|level| {
        let place = usize::from(level);
        Stage { level, attempts: attempts(params, times[place], state.rates[place]) }
    });
    State { chain, stage: 0, left: chain[0].attempts - 1, ..state }
}

/// Advances to the next attempt of a frame. After the end of the chain the last rate stays.
pub(super) fn continue_chain(state: State) -> State {
    if state.left > 0 {
        return State { left: state.left - 1, ..state };
    }
    let next = state.stage + 1;
    match state.chain.get(usize::from(next)) {
        Some(Stage { attempts, .. }) => State { stage: next, left: attempts - 1, ..state },
        None => state,
    }
}

/// Attempts of a stage: as many as fit into its time, or few if the outcome is nearly certain.
pub(super) fn attempts(params: &Params, time: Duration, rate: RateStatistics) -> u8 {
    if rate.samples_left.is_some() {
        return FEWEST;
    }
    let fitting = params.segment.whole_steps(time).clamp(FEWEST.into(), MOST.into());
    u8::try_from(fitting).expect("seven at most")
}
