//! ARF window: TCP's maximum window from channel occupancy, set whenever automatic rate fallback changes the
//! rate.
//!
//! Source: [arf-window §III-B, eq. 5 to 13]. A faster link frees channel time, and a slower one needs more.
//! Each of `N` active stations gets an equal part of the freed and the idle time, and each of a station's `M`
//! long-lived connections an equal part of that. The window is what a connection can send in its time at the
//! new rate, per round trip.
//!
//! ```text
//!                      a frame is delivered at another rate: new windows
//!  no rate ──► rate ◄────────────────────────────────────────────────────┐
//!               └────────────────────────────────────────────────────────┘
//! ```
//!
//! Eq. 8 divides a connection's time by that of a segment at the new rate. With eq. 6 and N = M = 1, the time
//! of a connection and the idle time together are the slot without its beacons, `T - t_beacon`, and that is
//! all there is. As printed, a rise grants Δ⁺ more than that and a fall Δ⁻ less, because τ is the time of its
//! traffic at the old rate. Projected to the new rate (τ - Δ⁺ after a rise, τ + Δ⁻ after a fall), both grant
//! `T - t_beacon`; and "the station should decrease its time by Δ⁻" holds relative to τ + Δ⁻.
//!
//! The law learns a rate when a frame is delivered at it: a data frame received, or an ACK for one that was
//! sent. A failed probe of the next rate is therefore no change, and neither is the fall after it.

pub mod station;

use airfair_units::{Bytes, DataRate, Duration};

use crate::exchange::{Aggregates, Exchange};
use crate::window_limit::FLOOR;

/// Parameters of the ARF window law that the paper leaves to the implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Length T of an observation slot. The companion paper uses three beacon intervals.
    /// [occupancy-tfrc §IV] Deviates: [D-080]
    pub slot: Duration,
    /// Octets after which a connection counts as long-lived.  Deviates: [D-081]
    pub long_lived: Bytes,
    /// Way to read eq. 8 of the ARF window paper after a rise of the rate: whether τ in it, the channel time
    /// of a connection, is as measured or projected to the new rate.
    pub rise: Reading,
    /// Way to read eq. 8 of the ARF window paper after a fall of the rate: whether τ in it, the channel time
    /// of a connection, is as measured or projected to the new rate.
    pub fall: Reading,
    /// Interpretation of the round-trip time in eq. 11 of the ARF window paper, which gives the window.
    pub round_trip: RoundTrip,
    /// Number of packets among which the time of an aggregate is divided in eq. 10 of the ARF window paper, the
    /// time of a frame exchange.  Deviates: [D-157]
    pub aggregates: Aggregates,
}

/// Way to read τ, the channel time of a connection, in eq. 8 of the ARF window paper. The equation divides τ
/// by the time of a segment at the new rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Eq. 8 of the paper as printed: τ as measured, at the old rate, so that a rate change counts twice.
    /// [arf-window eq. 8]
    Printed,
    /// Eq. 8 of the ARF window paper with a projected τ: the time that the data sent in the measured τ would
    /// take at the new rate.  Deviates: [D-083]
    #[default]
    Projected,
}

/// Interpretation of the round-trip time in eq. 11 of the ARF window paper: the window is the throughput times
/// the round-trip time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoundTrip {
    /// The window of eq. 11 of the ARF window paper is the throughput times the smoothed round-trip time, which
    /// includes queuing.
    Smoothed,
    /// The window of eq. 11 of the ARF window paper is the throughput times the smallest round-trip time, which
    /// has no queuing.  Deviates: [D-083]
    #[default]
    Least,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            slot: Duration::from_millis(300),
            long_lived: Bytes::new(100_000),
            rise: Reading::default(),
            fall: Reading::default(),
            round_trip: RoundTrip::default(),
            aggregates: Aggregates::default(),
        }
    }
}

impl Params {
    /// Parameters of the ARF window law by which it follows the printed equations.  [arf-window §III-B]
    pub fn printed() -> Self {
        let (rise, fall, round_trip) = (Reading::Printed, Reading::Printed, RoundTrip::Smoothed);
        Self { rise, fall, round_trip, ..Self::default() }
    }
}

/// State of the ARF window law for one direction of a link: the rate of the last delivered frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    rate: Option<DataRate>,
}

impl State {
    /// True if `rate` is the rate of the last delivered frame.
    #[inline]
    pub fn knows(&self, rate: DataRate) -> bool {
        self.rate == Some(rate)
    }
}

/// Measurements of a station in the last observation slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Σ t: channel occupancy of all active stations in the slot.
    pub occupied: Duration,
    /// `t_beacon`: channel occupancy of beacons, and of frames of other cells, in the slot.  Deviates: [D-292]
    pub beacons: Duration,
    /// N: number of active stations in the slot.
    pub active: u32,
    /// `S_i`: octets of the data frames that the station has sent or received in the slot, in the direction
    /// whose rate changes. Beacons and control frames, which rate adaptation does not concern, do not count.
    pub adapted: Bytes,
    /// `M_i`: number of the station's long-lived connections.
    pub connections: u32,
}

/// Observation of a delivered frame by a station with the ARF window law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// PHY rate of the delivered frame.
    pub rate: DataRate,
    /// Measurements in the last observation slot; `None` before the first slot is over.
    pub measured: Option<Measured>,
}

/// Δτ: change of the channel time of each connection of a station after a rate change, positive or negative
/// [s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtraTime(f64);

/// Processes one delivered frame. Returns Δτ at a change of the rate, after which each long-lived connection
/// gets the window of [`window`].  [arf-window §III-B]
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, Option<ExtraTime>) {
    let next = State { rate: Some(seen.rate) };
    let extra = match (state.rate, &seen.measured) {
        (Some(before), Some(measured)) if before != seen.rate => {
            Some(extra(params, before, seen.rate, measured))
        }
        _ => None,
    };
    (next, extra)
}

/// Δτ by [arf-window eq. 5 to 7, eq. 12, eq. 13]; `t_remain` of eq. 13 is that of eq. 6. With a projected τ,
/// the change of τ itself is included and also divided equally among the connections.
fn extra(params: &Params, before: DataRate, after: DataRate, seen: &Measured) -> ExtraTime {
    // Δ⁺ after a rise, -Δ⁻ after a fall.
    let freed = seconds_to_send(seen.adapted, before) - seconds_to_send(seen.adapted, after);
    // Mean back-offs may add up to more than the idle time.
    let busy = seen.occupied.saturating_add(seen.beacons);
    let remaining = params.slot.saturating_sub(busy).as_secs_f64();
    let active = f64::from(seen.active.max(1));
    let (given, reading) = if after > before {
        ((freed + remaining) / active, params.rise)
    } else {
        (remaining / active + freed, params.fall)
    };
    let own = match reading {
        Reading::Printed => given,
        Reading::Projected => given - freed,
    };
    ExtraTime(own / f64::from(seen.connections.max(1)))
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn seconds_to_send(size: Bytes, rate: DataRate) -> f64 {
    size.get() as f64 * 8.0 / rate.bps() as f64
}

/// A long-lived connection of the station, as the ARF window law sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// τ: channel occupancy of the connection in the observation slot.
    pub occupied: Duration,
    /// λ: mean length of the connection's data segments.
    pub segment: Bytes,
    /// Length of the connection's largest segment.
    pub largest_segment: Bytes,
    /// b: segments that one ACK acknowledges.
    pub segments_per_ack: u32,
    /// Smoothed round-trip time of the connection.
    pub smoothed_round_trip: Duration,
    /// Smallest round-trip time of the connection.
    pub least_round_trip: Duration,
    /// Receive buffer of the connection, which limits the window.
    pub buffer: Bytes,
    /// Frame exchange of a data segment at the new rate.
    pub data: Exchange,
    /// Frame exchange of a TCP ACK at the new rate.
    pub ack: Exchange,
}

/// `T_TCP`: channel time of b segments and their ACK.  [arf-window eq. 9]
fn round(seen: &Connection) -> Duration {
    let segments = seen.data.time().saturating_mul(seen.segments_per_ack.max(1).into());
    segments.saturating_add(seen.ack.time())
}

/// Θ: highest throughput of the connection [octets/s].  [arf-window eq. 8]
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn throughput(params: &Params, extra: ExtraTime, seen: &Connection) -> f64 {
    let time = (seen.occupied.as_secs_f64() + extra.0).max(0.0);
    let octets = seen.segment.saturating_mul(seen.segments_per_ack.max(1).into()).get() as f64;
    time / round(seen).as_secs_f64() * octets / params.slot.as_secs_f64()
}

/// Window of the connection from now on, between two segments and its buffer.  [arf-window eq. 11]
#[expect(clippy::cast_possible_truncation, reason = "a cast saturates, and the buffer bounds it")]
#[expect(clippy::cast_sign_loss, reason = "never negative")]
pub fn window(params: &Params, extra: ExtraTime, seen: &Connection) -> Bytes {
    let round_trip = match params.round_trip {
        RoundTrip::Smoothed => seen.smoothed_round_trip,
        RoundTrip::Least => seen.least_round_trip,
    };
    let octets = round_trip.as_secs_f64() * throughput(params, extra, seen);
    let floor = seen.largest_segment.max(Bytes::new(1)) * FLOOR;
    Bytes::new(octets as u64).max(floor).min(seen.buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arf;
    use crate::fixture::us;
    use airfair_units::Time;
    use proptest::prelude::*;

    fn mbps(mbps: u64) -> DataRate {
        DataRate::from_mbps(mbps)
    }

    /// Measurements of a slot of 300 ms, of which stations occupy 240 ms and beacons 5 ms, so that 55 ms are
    /// idle. The station's 1 350 000 octets are 10.8 Mbit: 200 ms at 54 Mb/s, 225 ms at 48.
    const MEASURED: Measured = Measured {
        occupied: us(240_000),
        beacons: us(5_000),
        active: 2,
        adapted: Bytes::new(1_350_000),
        connections: 2,
    };

    /// Exchange of a data frame by 802.11a with RTS/CTS at 54 Mb/s: DIFS 34 and back-off 45, control frames
    /// 28, data 248 and 32 µs.
    const DATA: Exchange = Exchange {
        packets: 1,
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
        smoothed_round_trip: us(62_000),
        least_round_trip: us(31_000),
        buffer: Bytes::new(131_072),
        data: DATA,
        ack: Exchange { data: us(32), ..DATA },
    };

    /// Δτ, the change of a connection's channel time, at a rate change from `before` to `after` [µs].
    fn change_us(params: &Params, before: u64, after: u64, measured: Measured) -> Option<i64> {
        let seen = |rate, measured| Observation { rate: mbps(rate), measured };
        let (state, none) = step(params, State::default(), &seen(before, Some(measured)));
        assert_eq!(none, None, "the first rate is no change");
        let (state, extra) = step(params, state, &seen(after, Some(measured)));
        assert!(state.knows(mbps(after)));
        #[expect(clippy::cast_possible_truncation, reason = "small")]
        extra.map(|ExtraTime(seconds)| (seconds * 1e6).round() as i64)
    }

    fn printed_us(before: u64, after: u64, measured: Measured) -> Option<i64> {
        change_us(&Params::printed(), before, after, measured)
    }

    fn projected_us(before: u64, after: u64, measured: Measured) -> Option<i64> {
        change_us(&Params::default(), before, after, measured)
    }

    /// After a rise of the rate, the time that the faster link frees is divided among the stations like the
    /// idle time. 225 − 200 = 25 ms are freed and 55 ms are idle: 80 ms for two stations with two connections
    /// each.
    ///
    /// Verifies: [arf-window eq. 5], [arf-window eq. 6], [arf-window eq. 7]
    #[test]
    fn time_freed_by_a_faster_link_is_shared_like_idle_time() {
        assert_eq!(printed_us(48, 54, MEASURED), Some(20_000));
        let full = Measured { occupied: us(400_000), ..MEASURED };
        assert_eq!(printed_us(48, 54, full), Some(6_250));
    }

    /// After a fall of the rate, the station alone pays for the time that the slower link needs. 25 ms more
    /// are needed: 55 / 2 − 25 = 2.5 ms for its two connections. Without idle time: −12.5 ms for each.
    ///
    /// Verifies: [arf-window eq. 12], [arf-window eq. 13]
    #[test]
    fn a_station_pays_alone_for_its_slower_link() {
        assert_eq!(printed_us(54, 48, MEASURED), Some(1_250));
        let full = Measured { occupied: us(300_000), ..MEASURED };
        assert_eq!(printed_us(54, 48, full), Some(-12_500));
    }

    /// With τ projected to the new rate, a rate change counts once. Between 48 and 54 Mb/s the time for the
    /// station's data differs by 25 ms. Of the slot 55 ms are idle, for two stations. After a rise the station
    /// gets half of the 25 ms that it has freed and of the idle time, and needs 25 ms less for the same data:
    /// (25 + 55) / 2 − 25 = 15 ms for its two connections. After a fall it gets half of the idle time, 27.5 ms:
    /// it needs 25 ms more for the same data, and has to give up the same 25 ms.
    ///
    /// Verifies: [arf-window eq. 8]
    #[test]
    fn projected_to_the_new_rate_a_change_counts_once() {
        assert_eq!(projected_us(48, 54, MEASURED), Some(7_500));
        assert_eq!(projected_us(54, 48, MEASURED), Some(13_750));
    }

    /// The interpretations of τ after a rise and after a fall of the rate are set separately: either can be
    /// projected to the new rate while the other one is as printed.
    #[test]
    fn a_rise_and_a_fall_are_read_apart() {
        let rise = Params { rise: Reading::Projected, ..Params::printed() };
        assert_eq!(change_us(&rise, 48, 54, MEASURED), projected_us(48, 54, MEASURED));
        assert_eq!(change_us(&rise, 54, 48, MEASURED), printed_us(54, 48, MEASURED));
        let fall = Params { fall: Reading::Projected, ..Params::printed() };
        assert_eq!(change_us(&fall, 48, 54, MEASURED), printed_us(48, 54, MEASURED));
        assert_eq!(change_us(&fall, 54, 48, MEASURED), projected_us(54, 48, MEASURED));
    }

    /// With τ projected to the new rate, one station with one connection gets the whole slot without its
    /// beacons. The rate rises or falls between 48 and 54 Mb/s. Of the slot of T = 300 ms, τ is 240 ms, beacons
    /// take 5 ms, and 55 ms are idle: the connection gets 240 + 55 = T − 5 = 295 ms after a rise and after a
    /// fall. With τ as printed it gets 25 ms more after a rise, 320 of 300 ms, and 25 ms less after a fall,
    /// 270.
    ///
    /// Verifies: [arf-window eq. 6], [arf-window eq. 8]
    #[test]
    fn a_connection_alone_has_the_slot_without_its_beacons() {
        let alone = Measured { active: 1, connections: 1, ..MEASURED };
        let all = |extra: Option<i64>| 240_000 + extra.expect("a change");
        for (before, after) in [(48, 54), (54, 48)] {
            assert_eq!(all(projected_us(before, after, alone)), 295_000);
        }
        assert_eq!(all(printed_us(48, 54, alone)), 320_000);
        assert_eq!(all(printed_us(54, 48, alone)), 270_000);
    }

    /// A failed probe is no change of the rate: frames are delivered at 48 Mb/s before and after it, and none
    /// at 54.
    ///
    /// Verifies: [arf-window §III-B]
    #[test]
    fn no_change_no_action() {
        assert_eq!(projected_us(48, 48, MEASURED), None);
        let params = Params::default();
        let first = Observation { rate: mbps(48), measured: None };
        let (state, _) = step(&params, State::default(), &first);
        // Nothing has been measured yet.
        let (_, extra) = step(&params, state, &Observation { rate: mbps(54), measured: None });
        assert_eq!(extra, None);
    }

    /// Runs ARF with three successes to rise and two failures to fall; the station sees only delivered
    /// frames. S is a delivered frame, F a lost one. Returns the rate after each step that was a change.
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

    /// The station learns of a rate change when a frame is delivered at the new rate. Two failures lead to a
    /// fall, which the next success reveals. Three successes lead to a probe, which counts once it succeeds,
    /// and never if it fails.
    ///
    /// Verifies: [arf-window §III-B]
    #[test]
    fn a_probe_counts_once_it_succeeds() {
        assert_eq!(changes("SFFS"), [48]);
        assert_eq!(changes("SFFSSSS"), [48, 54]);
        assert_eq!(changes("SFFSSSFSSSFSSS"), [48]);
        // Two falls before the next delivered frame are one change.
        assert_eq!(changes("SFFFFS"), [36]);
    }

    /// The channel time of a round is that of b segments and one ACK. A segment takes 79 + 28 + 16 + 28 +
    /// 16 + 248 + 16 + 28 = 459 µs, the ACK 243; without RTS/CTS a segment takes 371 µs.
    ///
    /// Verifies: [arf-window eq. 9], [arf-window eq. 10]
    #[test]
    fn a_round_is_b_segments_and_an_ack() {
        assert_eq!((DATA.time(), CONNECTION.ack.time()), (us(459), us(243)));
        assert_eq!(round(&CONNECTION), us(2 * 459 + 243));
        assert_eq!(round(&Connection { segments_per_ack: 1, ..CONNECTION }), us(702));
        assert_eq!(Exchange { protection: [None; 2], ..DATA }.time(), us(371));
    }

    /// The window is the throughput in the connection's channel time, multiplied by the round trip. 96.1 + 20
    /// = 116.1 ms are 100 rounds of 1161 µs: 292 000 octets in 300 ms, 973 333 per second, 30 173 in the
    /// smallest round trip of 31 ms, and 60 346 in the smoothed one of 62 ms.
    ///
    /// Verifies: [arf-window eq. 8], [arf-window eq. 11]
    #[test]
    fn the_window_is_the_throughput_times_the_round_trip() {
        let params = Params::default();
        let theta = throughput(&params, ExtraTime(0.02), &CONNECTION);
        assert!((theta - 973_333.33).abs() < 0.01, "{theta}");
        assert_eq!(window(&params, ExtraTime(0.02), &CONNECTION), Bytes::new(30_173));
        let printed = Params::printed();
        assert_eq!(window(&printed, ExtraTime(0.02), &CONNECTION), Bytes::new(60_346));
    }

    /// The window is never smaller than two segments and never larger than the buffer.
    ///
    /// Verifies: [arf-window §III-C]
    #[test]
    fn the_window_is_two_segments_at_least_and_the_buffer_at_most() {
        let params = Params::default();
        assert_eq!(window(&params, ExtraTime(-1.0), &CONNECTION), Bytes::new(2_920));
        let slow = Connection { least_round_trip: Duration::from_secs(1), ..CONNECTION };
        assert_eq!(window(&params, ExtraTime(0.02), &slow), Bytes::new(131_072));
    }

    proptest! {
        /// The window is between two segments and the buffer, and grows with the round trip and with the
        /// channel time.
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
                occupied: us(tau), segment: Bytes::new(segment), segments_per_ack: b, least_round_trip: us(rtt),
                buffer: Bytes::new(buffer), ..CONNECTION
            };
            let wide = window(&params, extra, &connection);
            prop_assert!((Bytes::new(2_920)..=Bytes::new(buffer)).contains(&wide));
            let longer = Connection { least_round_trip: us(2 * rtt), ..connection };
            prop_assert!(window(&params, extra, &longer) >= wide);
            prop_assert!(window(&params, ExtraTime(extra.0 + 0.01), &connection) >= wide);
        }
    }
}
