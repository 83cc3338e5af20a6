//! Decoder of accurate ECN feedback: the number of marked packets that an ACK reports.  [RFC9768 §3.2]
//!
//! The receiver counts marked packets from five on, and each ACK has the count modulo eight in the ACE field. If an ACK
//! is about more than seven packets, the field may have cycled. The octets of marked packets, which the `AccECN` option
//! counts modulo 2²⁴, then decide between the possible numbers. Without the option the sender takes the largest number
//! that is possible, unless it is usual that an ACK is about more than four packets.  [RFC9768 §3.2.2.5.2],
//! [linux-accecn]

use airfair_units::Bytes;

/// Number of values of the ACE field.
const CYCLE: u64 = 8;
/// Initial value of the count of marked packets at both ends.  [RFC9768 §3.2.1]
pub const INITIAL_PACKETS: u64 = 5;
/// Number of bits of a counter in the `AccECN` option.  [RFC9768 §3.2.3]
const OCTET_BITS: u32 = 24;
/// Weight of an ACK in the average of packets per ACK, and number of bits of its fraction.  `PKTS_ACKED_WEIGHT`
/// [linux-accecn]
const AVERAGE_SHIFT: u32 = 6;
/// Average of packets per ACK above which the ACE field is taken at its word.  `ACK_COMP_THRESH` [linux-accecn]
const USUALLY_MANY: u64 = 4;

/// State of the decoder: the sender's copies of the receiver's counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// `s.cep`: marked packets, and the initial five.
    packets: u64,
    /// `s.ceb`: octets of marked packets.
    octets: u64,
    /// Average number of packets that an ACK is about, with six bits of fraction; 0 before the first ACK.
    average: u64,
}

impl Default for State {
    fn default() -> Self {
        Self { packets: INITIAL_PACKETS, octets: 0, average: 0 }
    }
}

/// An ACK that reports progress, as the decoder sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// ACE field: the receiver's count of marked packets modulo eight.
    pub ace: u8,
    /// ECEB field of the `AccECN` option: octets of marked packets modulo 2²⁴; `None` without the field.
    pub octets: Option<u32>,
    /// Octets that the ACK acknowledges or reports as received for the first time.
    pub delivered: Bytes,
}

/// Marks that an ACK reports for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Number of marked packets.
    pub packets: u64,
    /// Octets of the marked packets, estimated from their number without the `AccECN` option.  [RFC9768 §A.3]
    pub octets: Bytes,
}

/// Returns the state after an ACK, and the marks that the ACK reports. `segment` is the payload of a full segment.
#[must_use]
pub fn step(segment: Bytes, state: State, ack: Ack) -> (State, Marks) {
    let delivered = ack.delivered.get().div_ceil(segment.get());
    let average = averaged(state.average, delivered);
    let least = u64::from(ack.ace).wrapping_sub(state.packets) % CYCLE;
    let octets = ack.octets.map(|it| increase(state.octets, it));
    let packets = if delivered < CYCLE {
        // The field has not cycled. It may count packets that the sender did not, and is right then.
        least
    } else {
        let most = delivered - (delivered - least) % CYCLE;
        match octets {
            Some(octets) => nearest(least, octets, (delivered, ack.delivered)).min(most),
            None if average > USUALLY_MANY << AVERAGE_SHIFT => least,
            None => most,
        }
    };
    let octets = octets.unwrap_or(packets * segment.get());
    let state = State { packets: state.packets + packets, octets: state.octets + octets, average };
    (state, Marks { packets, octets: Bytes::new(octets) })
}

/// Average of packets per ACK after an ACK about `delivered` packets.
fn averaged(average: u64, delivered: u64) -> u64 {
    match average {
        0 => delivered << AVERAGE_SHIFT,
        _ => average - (average >> AVERAGE_SHIFT) + delivered,
    }
}

/// Increase of a counter of octets up to a value of which the low 24 bits are known.  [RFC9768 §3.2.3.1]
fn increase(octets: u64, low: u32) -> u64 {
    u64::from(low).wrapping_sub(octets) & ((1 << OCTET_BITS) - 1)
}

/// The number of packets that is `least` modulo eight and nearest to that of `octets` in packets of the average size.
fn nearest(least: u64, octets: u64, (packets, all): (u64, Bytes)) -> u64 {
    let expected = (octets * packets).div_ceil(all.get().max(1));
    let cycles = (expected + CYCLE / 2).saturating_sub(least) / CYCLE;
    least + CYCLE * cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: Bytes = Bytes::new(1_000);

    /// State of a decoder that has counted `packets` marked packets of 1000 octets, and is used to ACKs about two
    /// packets.
    fn after(packets: u64) -> State {
        let packets_of_two = 2 << AVERAGE_SHIFT;
        State {
            packets: INITIAL_PACKETS + packets,
            octets: 1_000 * packets,
            average: packets_of_two,
        }
    }

    /// Marks that an ACK about `delivered` packets reports, with `ace` and perhaps a count of octets.
    fn marks(state: State, ace: u8, octets: Option<u32>, delivered: u64) -> u64 {
        let ack = Ack { ace, octets, delivered: SEGMENT * delivered };
        let (next, marks) = step(SEGMENT, state, ack);
        assert_eq!(next.packets - state.packets, marks.packets);
        marks.packets
    }

    /// The count starts with 5, so 6 reports one mark, 7 two, 0 three and 4 seven.
    ///
    /// Verifies: [RFC9768 §3.2.1], [RFC9768 §3.2.2]
    #[test]
    fn the_field_counts_from_five_modulo_eight() {
        let fields = [5, 6, 7, 0, 1, 2, 3, 4];
        assert_eq!(
            fields.map(|ace| marks(State::default(), ace, None, 7)),
            [0, 1, 2, 3, 4, 5, 6, 7]
        );
        // The ninth mark after eight: 5 + 9 = 14 = 6 modulo 8.
        assert_eq!(marks(after(8), 6, None, 2), 1);
    }

    /// The field seems to have increased by 2. An ACK about 9 packets can report 2 marks and no more, one about 10 packets
    /// 2 or 10, one about 20 packets 2, 10 or 18; the largest number is the safest.
    ///
    /// Verifies: [RFC9768 §3.2.2.5.2], [RFC9768 §A.2]
    #[test]
    fn without_the_option_the_safest_number_counts() {
        let of = |delivered| marks(after(0), 7, None, delivered);
        assert_eq!([1, 7, 8, 9, 10, 17, 18, 20, 26].map(of), [2, 2, 2, 2, 10, 10, 18, 18, 26]);
        // No increase: none of 7 packets, or all of 8 and of 16.
        let of = |delivered| marks(after(0), 5, None, delivered);
        assert_eq!([7, 8, 15, 16].map(of), [0, 8, 8, 16]);
    }

    /// Octets decide between 2, 10 and 18 marks of 20 packets, also where the marked packets are a little shorter, and
    /// where the counter of octets has wrapped.
    ///
    /// Verifies: [RFC9768 §3.2.3.1], [RFC9768 §A.2]
    #[test]
    fn the_option_tells_how_often_the_field_has_cycled() {
        for (octets, expected) in
            [(0, 2), (2_000, 2), (1_500, 2), (10_000, 10), (9_100, 10), (18_000, 18)]
        {
            assert_eq!(marks(after(0), 7, Some(octets), 20), expected, "{octets}");
        }
        // 16,777 marks have 16,777,000 octets, 216 below 2²⁴. Ten more have 10,000 octets, of which 9784 are left.
        let ace = u8::try_from((INITIAL_PACKETS + 16_787) % CYCLE).expect("below eight");
        let (state, marks) =
            step(SEGMENT, after(16_777), Ack { ace, octets: Some(9_784), delivered: SEGMENT * 20 });
        assert_eq!((marks.packets, marks.octets), (10, Bytes::new(10_000)));
        assert_eq!(state.octets, 16_787_000);
    }

    /// After many ACKs about 16 packets, such an ACK is no sign of lost ACKs: the average, 2 + 14 · (1 − (63/64)^n), is
    /// above four after ten of them, 2 + 14 · 0.1457 = 4.04.
    ///
    /// Verifies: [linux-accecn]
    #[test]
    fn where_acks_are_usually_about_many_packets_the_field_is_taken_at_its_word() {
        let mut state = after(0);
        let mut seen = Vec::new();
        for _ in 0..11 {
            let ace = u8::try_from((state.packets + 1) % CYCLE).expect("below eight");
            let (next, marks) =
                step(SEGMENT, state, Ack { ace, octets: None, delivered: SEGMENT * 16 });
            state = next;
            seen.push(marks.packets);
        }
        assert_eq!(seen, [9, 9, 9, 9, 9, 9, 9, 9, 9, 1, 1]);
    }

    /// Random histories of marks and of lost ACKs. With the option the count is exact. Without it the count is never
    /// less than the true one, because it is the largest that is possible; it differs from the true one by a multiple of
    /// eight, and each ACK adds at most the packets that it is about.
    ///
    /// Verifies: [RFC9768 §3.2.2.5.2]
    #[test]
    fn the_count_is_never_too_small_and_never_more_than_the_packets() {
        let mut random = 1_u64;
        let mut draw = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % below
        };
        let mut excess = 0;
        for _ in 0..200 {
            let (share, longest) = (draw(101), 1 + draw(40));
            let mut states = [State { average: 1, ..State::default() }; 2];
            let mut truth = 0;
            for _ in 0..50 {
                let delivered = 1 + draw(longest);
                let marked = (0..delivered).filter(|_| draw(100) < share).count() as u64;
                truth += marked;
                let ace = u8::try_from((INITIAL_PACKETS + truth) % CYCLE).expect("below eight");
                let low = u32::try_from(truth * 1_000 % (1 << OCTET_BITS)).expect("24 bits");
                for (state, octets) in states.iter_mut().zip([Some(low), None]) {
                    // ACKs about few packets are usual.
                    state.average = 1;
                    let ack = Ack { ace, octets, delivered: SEGMENT * delivered };
                    let (next, marks) = step(SEGMENT, *state, ack);
                    assert!(marks.packets <= delivered.max(CYCLE - 1), "{marks:?} of {delivered}");
                    *state = next;
                }
                let counts = states.map(|it| it.packets - INITIAL_PACKETS);
                assert_eq!(counts[0], truth);
                assert_eq!(states[0].octets, truth * 1_000);
                assert!(counts[1] >= truth && (counts[1] - truth) % CYCLE == 0, "{counts:?}");
                excess += counts[1] - truth;
            }
        }
        assert!(excess > 0, "the histories have no ambiguous ACK");
    }
}
