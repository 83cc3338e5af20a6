//! Samples: frames that try a rate which the statistics have not chosen.

use airfair_units::Duration;

use super::{Params, State, is_faster};

/// Frames after which their count and that of the samples start anew.
pub(super) const FRAMES: u32 = 10_000;

/// Counts a frame and decides which rate it samples, if any.  [linux-minstrel §`minstrel_get_rate`]
pub(super) fn sample(
    params: &Params,
    times: &[Duration],
    state: State,
    draw: u32,
) -> (State, Option<u8>) {
    let (frames, samples) =
        if state.frames >= FRAMES { (0, 0) } else { (state.frames, state.samples) };
    let state = State { frames: frames + 1, samples, ..state };
    let due = state.frames * u32::from(params.lookaround) / 100;
    let behind = due.saturating_sub(samples);
    if behind == 0 || state.count == 1 {
        return (state, None);
    }
    // More than two rounds behind is forgotten, lest a burst of samples make up for it.
    let forgotten = behind.saturating_sub(2 * u32::from(state.count));
    let (mut state, level) = take_turn(State { samples: samples + forgotten, ..state }, draw);
    if is_faster(times, level, state.choice.best) {
        let left = &mut state.rates[usize::from(level)].samples_left;
        if *left == Some(0) {
            return (state, None);
        }
        *left = left.map(|left| left - 1);
    }
    (State { samples: state.samples + 1, ..state }, Some(level))
}

/// One of the rates that wait for their turn in this round; after the last of them a new round begins.
fn take_turn(state: State, draw: u32) -> (State, u8) {
    let all = (1_u16 << state.count) - 2;
    let waiting = if state.waiting == 0 { all } else { state.waiting };
    let chosen = (u64::from(draw) * u64::from(waiting.count_ones())) >> 32;
    let mut from_chosen = waiting;
    for _ in 0..chosen {
        // clears the lowest bit
        from_chosen &= from_chosen - 1;
    }
    let level = from_chosen.trailing_zeros();
    let waiting = waiting & !(1 << level);
    (State { waiting, ..state }, u8::try_from(level).expect("a few rates"))
}
