//! DCTCP: a window reduction in proportion to the share of octets that were marked.  [RFC8257 §3.3]
//!
//! The receiver echoes each mark exactly. Once per window of data the sender updates its estimate `alpha` of the
//! share of marked octets, and a window with marks reduces cwnd by the fraction `alpha / 2`. Growth and losses are
//! those of NewReno.
//!
//! `alpha` is an integer in units of 2⁻²⁰, so the result is the same on every platform.

use airfair_units::Bytes;

/// One, in the units of [`State::alpha`].
pub const ONE: u32 = 1 << 20;

/// Unit of Linux's `dctcp_alpha`, 2⁻¹⁰, in the units of [`State::alpha`].
const UNIT: u32 = ONE >> 10;

/// Gain of the estimate: g = 1/16 = 2⁻⁴.  [RFC8257 §4.2]
const GAIN_SHIFT: u32 = 4;

/// State of DCTCP beside the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// `DCTCP.Alpha`: estimate of the share of octets that are marked, up to [`ONE`].
    pub alpha: u32,
    /// `DCTCP.WindowEnd`: the window of observation ends when this octet is acknowledged.
    window_end: u64,
    /// `DCTCP.BytesAcked`: octets acknowledged in the window of observation.
    acked: u64,
    /// `DCTCP.BytesMarked`: those of them that were marked.
    marked: u64,
}

impl Default for State {
    /// State before the first ACK: `alpha` is one, so that the first mark halves the window.  [RFC8257 §4.2]
    fn default() -> Self {
        Self { alpha: ONE, window_end: 0, acked: 0, marked: 0 }
    }
}

impl State {
    /// Octet whose acknowledgment ends the window of observation.
    pub(crate) fn window_end(&self) -> u64 {
        self.window_end
    }
}

/// An ACK, as DCTCP sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Octets that the ACK acknowledges or reports as received.
    pub acked: Bytes,
    /// Those of the octets that were marked.
    pub marked: Bytes,
    /// SND.UNA: first octet that is not acknowledged.
    pub unacknowledged: u64,
    /// SND.NXT: next octet to send.
    pub next: u64,
}

/// Returns the state after an ACK. At the end of a window of data `alpha` moves by 1/16 of the way to the share of
/// octets that were marked in it.  [RFC8257 §3.3 steps 1 to 8]
#[must_use]
pub fn step(state: State, ack: Ack) -> State {
    let acked = state.acked + ack.acked.get();
    let marked = state.marked + ack.marked.get().min(ack.acked.get());
    if ack.unacknowledged <= state.window_end {
        return State { acked, marked, ..state };
    }
    let share =
        if acked == 0 { 0 } else { u128::from(marked) * u128::from(ONE) / u128::from(acked) };
    let share = u32::try_from(share).unwrap_or(ONE).min(ONE);
    // A small estimate falls by one unit at least, because its sixteenth is rounded down to zero.
    let fall = (state.alpha >> GAIN_SHIFT).max(u32::from(state.alpha > 0));
    let alpha = (state.alpha - fall + (share >> GAIN_SHIFT)).min(ONE);
    State { alpha, window_end: ack.next, acked: 0, marked: 0 }
}

/// Returns the state after an ACK as Linux computes it: in whole segments, with `alpha` in units of 2⁻¹⁰, and with a
/// window of data that ends at the ACK of all that was sent at its start. `dctcp_update_alpha` [linux-dctcp]
#[must_use]
pub fn step_in_segments(state: State, ack: Ack, segment: Bytes) -> State {
    let whole = |octets: Bytes| octets.get().div_ceil(segment.get());
    let acked = state.acked + whole(ack.acked);
    let marked = state.marked + whole(ack.marked.min(ack.acked));
    if ack.unacknowledged < state.window_end {
        return State { acked, marked, ..state };
    }
    let alpha = u64::from(state.alpha / UNIT);
    let fall = (alpha >> GAIN_SHIFT).max(u64::from(alpha > 0));
    let share = (marked << (10 - GAIN_SHIFT)) / acked.max(1);
    let alpha = u32::try_from(alpha - fall + share).unwrap_or(ONE).min(1 << 10) * UNIT;
    State { alpha, window_end: ack.next, acked: 0, marked: 0 }
}

/// Window after a window of data with marks: cwnd times one minus `alpha / 2`, and two segments at least.
/// [RFC8257 §3.3 step 9]
#[must_use]
pub fn reduced(cwnd: Bytes, alpha: u32, segment: Bytes) -> Bytes {
    let less = u128::from(cwnd.get()) * u128::from(alpha) / (2 * u128::from(ONE));
    let less = u64::try_from(less).unwrap_or(u64::MAX);
    cwnd.saturating_sub(Bytes::new(less)).max(segment * 2)
}

/// Window after a window of data with marks as Linux computes it: in whole segments, with `alpha` in units of 2⁻¹⁰, and
/// a reduction that is rounded down, so that a small window with few marks stays as it is. `dctcp_ssthresh`
/// [linux-dctcp]
#[must_use]
pub fn reduced_in_segments(cwnd: Bytes, alpha: u32, segment: Bytes) -> Bytes {
    let segments = cwnd.get() / segment.get();
    let less = segments * u64::from(alpha / UNIT) / (2 << 10);
    segment * (segments - less).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: Bytes = Bytes::new(1_000);

    fn ack(acked: u64, marked: u64, unacknowledged: u64, next: u64) -> Ack {
        Ack { acked: Bytes::new(acked), marked: Bytes::new(marked), unacknowledged, next }
    }

    /// With `alpha` = 1 and a window in which a quarter was marked: 1 - 1/16 + 1/64 = 61/64. After it, a window
    /// without marks: 61/64 · 15/16 = 915/1024.
    ///
    /// Verifies: [RFC8257 §3.3], [RFC8257 §4.2]
    #[test]
    fn the_estimate_moves_by_a_sixteenth_once_per_window() {
        let start = step(State::default(), ack(0, 0, 1, 8_001));
        let start = State { alpha: ONE, ..start };
        let within = step(start, ack(4_000, 1_000, 4_001, 12_001));
        let within = step(within, ack(4_000, 1_000, 8_001, 16_001));
        assert_eq!(within.alpha, ONE, "the window of data is not acknowledged yet");
        let marked = step(within, ack(0, 0, 8_002, 16_001));
        assert_eq!(marked.alpha, ONE / 64 * 61);
        let clean = step(marked, ack(8_000, 0, 16_002, 24_001));
        assert_eq!(clean.alpha, ONE / 1_024 * 915);
    }

    /// Where all octets are marked `alpha` stays at one, and where none is it falls to zero: after 16 windows of data
    /// to (15/16)^16 = 0.356.
    ///
    /// Verifies: [RFC8257 §3.3]
    #[test]
    fn the_estimate_reaches_one_and_zero() {
        let run = |windows: u64, share: u64| {
            (1..=windows).fold(State::default(), |state, number| {
                step(state, ack(1_000, 1_000 * share, 1_000 * number, 1_000 * number))
            })
        };
        assert_eq!(run(40, 1).alpha, ONE);
        let near = f64::from(run(16, 0).alpha) / f64::from(ONE);
        assert!((near - 0.356).abs() < 0.001, "{near}");
        assert_eq!(run(1_000, 0).alpha, 0);
    }

    /// With `alpha` of 1, 1/2 and 1/16 a window of 64 segments keeps 1/2, 3/4 and 31/32 of itself; it never falls
    /// below two segments.
    ///
    /// Verifies: [RFC8257 §3.3]
    #[test]
    fn the_window_shrinks_by_half_of_the_estimate() {
        let after = |cwnd: u64, alpha| reduced(Bytes::new(cwnd), alpha, SEGMENT).get();
        assert_eq!(after(64_000, ONE), 32_000);
        assert_eq!(after(64_000, ONE / 2), 48_000);
        assert_eq!(after(64_000, ONE / 16), 62_000);
        assert_eq!(after(64_000, 0), 64_000);
        assert_eq!(after(3_000, ONE), 2_000);
    }

    /// With `alpha` of 1024/1024 and 4 marks on 10 segments: 1024 - 1024/16 + 4·64/10 = 1024 - 64 + 25 = 985, all rounded
    /// down. Then 7 segments without marks: 985 - 985/16 = 985 - 61 = 924. The ACK of all that was sent at the start of
    /// a window ends it, one octet before it does so in the RFC.
    ///
    /// Verifies: [linux-dctcp]
    #[test]
    fn linux_estimates_in_parts_of_1024() {
        let parts = |state: State| (state.alpha / (ONE / 1_024), state.alpha % (ONE / 1_024));
        let start = State { window_end: 8_001, ..State::default() };
        let within = step_in_segments(start, ack(9_500, 3_500, 8_000, 12_001), SEGMENT);
        assert_eq!((parts(within), within.acked, within.marked), ((1_024, 0), 10, 4));
        let marked = step_in_segments(within, ack(0, 0, 8_001, 15_001), SEGMENT);
        assert_eq!((parts(marked), marked.window_end), ((985, 0), 15_001));
        let clean = step_in_segments(marked, ack(7_000, 0, 15_001, 24_001), SEGMENT);
        assert_eq!(parts(clean), (924, 0));
        // A small estimate falls by one unit, to zero.
        let small = State { alpha: ONE / 1_024, ..clean };
        assert_eq!(step_in_segments(small, ack(0, 0, 24_001, 30_001), SEGMENT).alpha, 0);
    }

    /// Linux: 31 segments with `alpha` of 200/1024 lose 31 · 200 / 2048 = 3.03, that is three; with 190/1024 they lose
    /// 2.9, that is two. Ten segments with `alpha` of 1/8 lose 0.6, that is nothing. Half a segment of the window
    /// does not count.
    ///
    /// Verifies: [linux-dctcp]
    #[test]
    fn linux_reduces_by_whole_segments_rounded_down() {
        let after = |cwnd: u64, parts: u32| {
            reduced_in_segments(Bytes::new(cwnd), ONE / 1_024 * parts, SEGMENT).get()
        };
        assert_eq!(after(31_000, 200), 28_000);
        assert_eq!(after(31_000, 190), 29_000);
        assert_eq!(after(31_500, 190), 29_000);
        assert_eq!(after(10_000, 128), 10_000);
        assert_eq!(after(64_000, 1_024), 32_000);
        assert_eq!(after(3_000, 1_024), 2_000);
    }
}
