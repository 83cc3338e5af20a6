//! TCP's maximum window from channel occupancy, whenever automatic rate fallback changes the rate.
//!
//! Source: [arf-window §III-B, eq. 5 to 13]. A faster link frees time on the channel, a slower one takes
//! it; with what was free before, each of `N` active stations gets an equal part of it, and each of a
//! station's `M` long-lived connections an equal part of that. The window is what a connection can move in
//! its time at the new rate, per round trip.
//!
//! ```text
//!                     a frame gets through at another rate: windows anew
//!  no rate ──► rate ◄────────────────────────────────────────────────────┐
//!               └────────────────────────────────────────────────────────┘
//! ```
//!
//! The law is told of a rate when a frame has got through at it: a data frame received, or an ACK for one
//! that was sent. A probe of the next rate that fails is then no change, nor is the fall after it.

use airfair_units::{Bytes, DataRate, Duration};

use crate::exchange::Exchange;

/// What the paper leaves to the implementer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Length of an observation slot, T. The companion paper has three beacon intervals.
    /// [occupancy-tfrc §IV]  Deviates: [D-080]
    pub slot: Duration,
    /// A connection that has moved so much is long-lived.  Deviates: [D-081]
    pub long_lived: Bytes,
    /// What a fall of the rate takes.
    pub fall: Fall,
}

/// What a fall of the rate takes from a station's time, beside the longer time of each segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fall {
    /// Δ⁻, so that it counts twice.  [arf-window eq. 13]
    #[default]
    Printed,
    /// Nothing.  Deviates: [D-083]
    Once,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            slot: Duration::from_millis(300),
            long_lived: Bytes::new(100_000),
            fall: Fall::Printed,
        }
    }
}

/// Segments that the window never falls below: with fewer, delayed ACKs wait for their timer.
const FLOOR: u64 = 2;

/// What must survive between steps: the rate at which a frame got through last, in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    rate: Option<DataRate>,
}

impl State {
    /// Whether a frame at `rate` is nothing new.
    #[inline]
    pub fn knows(&self, rate: DataRate) -> bool {
        self.rate == Some(rate)
    }
}

/// The last observation slot, as the station has measured it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Channel occupancy of all active stations, Σ t.
    pub occupied: Duration,
    /// That of beacons, `t_beacon`.
    pub beacons: Duration,
    /// Active stations, N.
    pub active: u32,
    /// What the station has sent or received at the rate that changes, `S_i`.
    pub adapted: Bytes,
    /// Its long-lived connections, `M_i`.
    pub connections: u32,
}

/// A frame that has got through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Its rate.
    pub rate: DataRate,
    /// The last slot; `None` before the first is over.
    pub measured: Option<Measured>,
}

/// More time for each connection of the station, or less: Δτ [s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extra(f64);

/// One frame that got through. At a change of the rate each long-lived connection is to have the window
/// that [`window`] says.  [arf-window §III-B]
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, Option<Extra>) {
    let next = State { rate: Some(seen.rate) };
    let extra = match (state.rate, &seen.measured) {
        (Some(before), Some(measured)) if before != seen.rate => {
            Some(extra(params, before, seen.rate, measured))
        }
        _ => None,
    };
    (next, extra)
}

/// Δτ, [arf-window eq. 5 to 7, eq. 12, eq. 13]; `t_remain` of eq. 13 is that of eq. 6.
fn extra(params: &Params, before: DataRate, after: DataRate, seen: &Measured) -> Extra {
    let freed = seconds_to_send(seen.adapted, before) - seconds_to_send(seen.adapted, after);
    // Means of back-offs may add up to more than there was.
    let busy = seen.occupied + seen.beacons;
    let remaining = params.slot.saturating_sub(busy).as_secs_f64();
    let active = f64::from(seen.active.max(1));
    let own = match params.fall {
        _ if after > before => (freed + remaining) / active,
        Fall::Printed => remaining / active + freed,
        Fall::Once => remaining / active,
    };
    Extra(own / f64::from(seen.connections.max(1)))
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn seconds_to_send(size: Bytes, rate: DataRate) -> f64 {
    size.bits() as f64 / rate.bps() as f64
}

/// A long-lived connection, as the station sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its channel occupancy in the slot, τ.
    pub occupied: Duration,
    /// Mean length of its data segments, λ.
    pub segment: Bytes,
    /// Its largest segment.
    pub largest_segment: Bytes,
    /// Segments that one ACK acknowledges, b.
    pub segments_per_ack: u32,
    /// Its round trip.
    pub round_trip: Duration,
    /// Buffer that the window must not exceed.
    pub buffer: Bytes,
    /// A data segment at the new rate.
    pub data: Exchange,
    /// A TCP ACK at the new rate.
    pub ack: Exchange,
}

/// Time for b segments and their ACK, `T_TCP`.  [arf-window eq. 9]
fn round(seen: &Connection) -> Duration {
    seen.data.time() * u64::from(seen.segments_per_ack.max(1)) + seen.ack.time()
}

/// Highest throughput that the connection can have, Θ [octets/s].  [arf-window eq. 8]
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn throughput(params: &Params, extra: Extra, seen: &Connection) -> f64 {
    let time = (seen.occupied.as_secs_f64() + extra.0).max(0.0);
    let octets = (seen.segment * u64::from(seen.segments_per_ack.max(1))).get() as f64;
    time / round(seen).as_secs_f64() * octets / params.slot.as_secs_f64()
}

/// The connection's window from now on: at least two segments, at most its buffer.  [arf-window eq. 11]
#[expect(clippy::cast_possible_truncation, reason = "a cast saturates, and the buffer bounds it")]
#[expect(clippy::cast_sign_loss, reason = "never negative")]
pub fn window(params: &Params, extra: Extra, seen: &Connection) -> Bytes {
    let octets = seen.round_trip.as_secs_f64() * throughput(params, extra, seen);
    let floor = seen.largest_segment.max(Bytes::new(1)) * FLOOR;
    Bytes::new(octets as u64).max(floor).min(seen.buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arf;
    use airfair_units::Time;
    use proptest::prelude::*;

    const fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    fn mbps(mbps: u64) -> DataRate {
        DataRate::from_mbps(mbps)
    }

    /// 1 350 000 octets are 10.8 Mbit: 200 ms at 54 Mb/s, 225 ms at 48. Free: 300 − 240 − 5 = 55 ms.
    const MEASURED: Measured = Measured {
        occupied: us(240_000),
        beacons: us(5_000),
        active: 2,
        adapted: Bytes::new(1_350_000),
        connections: 2,
    };

    /// 802.11a with RTS/CTS at 54 Mb/s: DIFS 34 and back-off 45, control frames 28, data 248 and 32 µs.
    const DATA: Exchange = Exchange {
        access: us(79),
        protection: [Some(us(28)), Some(us(28))],
        data: us(248),
        ack: us(28),
        sifs: us(16),
    };
    const CONNECTION: Connection = Connection {
        occupied: us(96_100),
        segment: Bytes::new(1_460),
        largest_segment: Bytes::new(1_460),
        segments_per_ack: 2,
        round_trip: us(31_000),
        buffer: Bytes::new(131_072),
        data: DATA,
        ack: Exchange { data: us(32), ..DATA },
    };

    /// Δτ of a change, in whole microseconds.
    fn extra_us(before: u64, after: u64, measured: Measured) -> Option<i64> {
        let params = Params::default();
        let seen = |rate, measured| Observation { rate: mbps(rate), measured };
        let (state, none) = step(&params, State::default(), &seen(before, Some(measured)));
        assert_eq!(none, None, "the first rate is no change");
        let (state, extra) = step(&params, state, &seen(after, Some(measured)));
        assert!(state.knows(mbps(after)));
        #[expect(clippy::cast_possible_truncation, reason = "small")]
        extra.map(|Extra(seconds)| (seconds * 1e6).round() as i64)
    }

    /// 225 − 200 = 25 ms freed, 55 ms free: 80 ms for two stations with two connections.
    ///
    /// Verifies: [arf-window eq. 5], [arf-window eq. 6], [arf-window eq. 7]
    #[test]
    fn what_a_faster_link_frees_is_shared_with_what_was_free() {
        assert_eq!(extra_us(48, 54, MEASURED), Some(20_000));
        let full = Measured { occupied: us(400_000), ..MEASURED };
        assert_eq!(extra_us(48, 54, full), Some(6_250));
    }

    /// 25 ms more are needed; 55 / 2 − 25 = 2.5 ms for two connections. Where nothing is free: −12.5 ms.
    ///
    /// Verifies: [arf-window eq. 12], [arf-window eq. 13]
    #[test]
    fn what_a_slower_link_needs_is_the_stations_own_affair() {
        assert_eq!(extra_us(54, 48, MEASURED), Some(1_250));
        assert_eq!(extra_us(54, 48, Measured { occupied: us(300_000), ..MEASURED }), Some(-12_500));
    }

    /// 55 / 2 = 27.5 ms for two connections: the slower rate is in the time of a segment alone.
    #[test]
    fn a_fall_may_count_once() {
        let params = Params { fall: Fall::Once, ..Params::default() };
        let state = State { rate: Some(mbps(54)) };
        let seen = Observation { rate: mbps(48), measured: Some(MEASURED) };
        let (_, extra) = step(&params, state, &seen);
        let Extra(seconds) = extra.expect("a change");
        assert!((seconds - 0.013_75).abs() < 1e-12, "{seconds}");
        let rise = Observation { rate: mbps(54), measured: Some(MEASURED) };
        let state = State { rate: Some(mbps(48)) };
        assert_eq!(step(&params, state, &rise), step(&Params::default(), state, &rise));
    }

    /// Verifies: [arf-window §III-B]: what got through at 48 Mb/s before and after a probe at 54 that failed.
    #[test]
    fn no_change_no_action() {
        assert_eq!(extra_us(48, 48, MEASURED), None);
        let params = Params::default();
        let first = Observation { rate: mbps(48), measured: None };
        let (state, _) = step(&params, State::default(), &first);
        // nothing is measured yet
        let (_, extra) = step(&params, state, &Observation { rate: mbps(54), measured: None });
        assert_eq!(extra, None);
    }

    /// ARF with three successes to rise and two failures to fall, whose station sees but what gets through:
    /// S a frame that does, F one that does not. The rate after each step that was a change.
    fn changes(frames: &str) -> Vec<u64> {
        const RATES: [u64; 3] = [36, 48, 54];
        let arf = arf::Params { up: 3, timer: arf::Timer::Off, ..arf::Params::kamerman97() };
        let params = Params::default();
        let (mut link, mut state) = (arf::State::new(&arf, RATES.len()), State::default());
        let mut changes = Vec::new();
        for frame in frames.chars() {
            let rate = RATES[usize::from(link.level)];
            let event = if frame == 'S' { arf::Event::Success } else { arf::Event::Failure };
            link = arf::step(&arf, link, Time::ZERO, event);
            if frame == 'S' {
                let seen = Observation { rate: mbps(rate), measured: Some(MEASURED) };
                let (next, extra) = step(&params, state, &seen);
                state = next;
                changes.extend(extra.map(|_| rate));
            }
        }
        changes
    }

    /// Two failures: a fall, which the next success shows. Three successes: a probe, which counts once it
    /// succeeds, and never if it fails.
    ///
    /// Verifies: [arf-window §III-B]
    #[test]
    fn a_probe_counts_once_it_succeeds() {
        assert_eq!(changes("SFFS"), [48]);
        assert_eq!(changes("SFFSSSS"), [48, 54]);
        assert_eq!(changes("SFFSSSFSSSFSSS"), [48]);
        // two falls before anything gets through are one change
        assert_eq!(changes("SFFFFS"), [36]);
    }

    /// 79 + 28 + 16 + 28 + 16 + 248 + 16 + 28 = 459 µs, the ACK 243; without RTS/CTS 371 µs.
    ///
    /// Verifies: [arf-window eq. 9], [arf-window eq. 10]
    #[test]
    fn a_round_is_b_segments_and_an_ack() {
        assert_eq!((DATA.time(), CONNECTION.ack.time()), (us(459), us(243)));
        assert_eq!(round(&CONNECTION), us(2 * 459 + 243));
        assert_eq!(round(&Connection { segments_per_ack: 1, ..CONNECTION }), us(702));
        assert_eq!(Exchange { protection: [None; 2], ..DATA }.time(), us(371));
    }

    /// 96.1 + 20 = 116.1 ms are 100 rounds of 1161 µs: 292 000 octets in 300 ms, 973 333 per second, 30 173 in
    /// 31 ms.
    ///
    /// Verifies: [arf-window eq. 8], [arf-window eq. 11]
    #[test]
    fn the_window_is_the_throughput_times_the_round_trip() {
        let params = Params::default();
        let theta = throughput(&params, Extra(0.02), &CONNECTION);
        assert!((theta - 973_333.33).abs() < 0.01, "{theta}");
        assert_eq!(window(&params, Extra(0.02), &CONNECTION), Bytes::new(30_173));
    }

    /// Verifies: [arf-window §III-C]
    #[test]
    fn the_window_is_two_segments_at_least_and_the_buffer_at_most() {
        let params = Params::default();
        assert_eq!(window(&params, Extra(-1.0), &CONNECTION), Bytes::new(2_920));
        let slow = Connection { round_trip: Duration::from_secs(1), ..CONNECTION };
        assert_eq!(window(&params, Extra(0.02), &slow), Bytes::new(131_072));
    }

    proptest! {
        /// Never below two segments, never above the buffer, wider for longer round trips and for more time.
        #[test]
        fn windows_keep_their_bounds(
            (before, after) in (1u64..60, 1u64..60),
            (occupied, beacons, adapted) in (0u64..2_000_000, 0u64..10_000, 0u64..100_000_000),
            (active, connections, b) in (0u32..100, 0u32..100, 0u32..4),
            (tau, segment, rtt, buffer) in (0u64..600_000, 0u64..2_000, 1u64..3_000_000, 3_000u64..10_000_000),
        ) {
            let params = Params::default();
            let measured = Measured {
                occupied: us(occupied), beacons: us(beacons), active, adapted: Bytes::new(adapted), connections,
            };
            let state = State { rate: Some(mbps(before)) };
            let seen = Observation { rate: mbps(after), measured: Some(measured) };
            let (_, extra) = step(&params, state, &seen);
            prop_assert_eq!(extra.is_some(), before != after);
            let Some(extra) = extra else { return Ok(()) };
            let connection = Connection {
                occupied: us(tau), segment: Bytes::new(segment), segments_per_ack: b, round_trip: us(rtt),
                buffer: Bytes::new(buffer), ..CONNECTION
            };
            let wide = window(&params, extra, &connection);
            prop_assert!((Bytes::new(2_920)..=Bytes::new(buffer)).contains(&wide));
            let longer = Connection { round_trip: us(2 * rtt), ..connection };
            prop_assert!(window(&params, extra, &longer) >= wide);
            prop_assert!(window(&params, Extra(extra.0 + 0.01), &connection) >= wide);
        }
    }
}
