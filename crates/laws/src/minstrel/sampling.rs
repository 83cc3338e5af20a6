//! Minstrel's sampling: frames that try a rate other than the selected ones.

use airfair_units::Duration;

use super::params::Params;
use super::state::State;
use super::statistics::is_faster;

/// Number of frames after which the counts of frames and samples restart.
pub(super) const FRAMES: u32 = 10_000;

/// Counts a frame and selects the rate that the frame samples, if any.  [linux-minstrel §`minstrel_get_rate`]
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
    // Samples overdue by more than two rounds are dropped, to avoid a burst of samples.
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

/// Returns one of the rates not sampled yet in the current round. After the last one a new round begins.
fn take_turn(state: State, draw: u32) -> (State, u8) {
    let all = (1_u16 << state.count) - 2;
    let waiting = if state.waiting == 0 { all } else { state.waiting };
    let chosen = (u64::from(draw) * u64::from(waiting.count_ones())) >> 32;
    let mut from_chosen = waiting;
    for _ in 0..chosen {
        // Clears the lowest bit.
        from_chosen &= from_chosen - 1;
    }
    let level = from_chosen.trailing_zeros();
    let waiting = waiting & !(1 << level);
    (State { waiting, ..state }, u8::try_from(level).expect("a few rates"))
}
