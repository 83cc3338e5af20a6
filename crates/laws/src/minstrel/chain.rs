//! Minstrel's retry chain of a frame.

use airfair_units::Duration;

use super::params::Params;
use super::state::{Stage, State, attempts};
use super::statistics::{Choice, is_faster};

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
