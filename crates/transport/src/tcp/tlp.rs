//! Tail loss probes: a segment sent to elicit an ACK when none is expected.  [RFC8985 §7]
//!
//! If the last segments of a flight are lost, no later segment produces ACKs that would reveal it, and the
//! sender would wait for the time-out. A probe after two round trips avoids that.

use airfair_units::Duration;

use super::segment::Segment;

/// Delay of a tail loss probe before the first round-trip sample.  [RFC8985 §7.2]
const UNMEASURED: Duration = Duration::from_secs(1);

/// Delay until a probe is sent: two round trips.  `TLP_calc_PTO` [RFC8985 §7.2]
///
/// For a single outstanding segment `max_ack_delay` is added, since the receiver may delay its ACK. The probe
/// is never later than the retransmission timer, which expires in `until_timeout`.
pub(crate) fn probe_after(
    smoothed: Option<Duration>,
    is_single: bool,
    max_ack_delay: Duration,
    until_timeout: Duration,
) -> Duration {
    let probe = match smoothed {
        None => UNMEASURED,
        Some(smoothed) if is_single => smoothed * 2 + max_ack_delay,
        Some(smoothed) => smoothed * 2,
    };
    probe.min(until_timeout)
}

/// An outstanding tail loss probe.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// `TLP.end_seq`: one past the highest octet sent when the probe was sent.
    end: u64,
    /// `TLP.is_retrans`: true if the probe was a retransmission.
    is_retransmitted: bool,
}

/// Tail loss probes of one sender, at most one outstanding.  [RFC8985 §7.4]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TailProbe {
    episode: Option<Episode>,
}

impl TailProbe {
    /// True while a tail loss probe is outstanding.
    pub(crate) fn is_open(&self) -> bool {
        self.episode.is_some()
    }

    /// Records the transmission of a tail loss probe, when octets below `end` have been sent.
    pub(crate) fn on_sent(&mut self, end: u64, is_retransmitted: bool) {
        self.episode = Some(Episode { end, is_retransmitted });
    }

    /// Cancels the outstanding probe if the segment that the host refused, which ends at `end`, was that
    /// probe. Returns true if so.
    pub(crate) fn on_refused(&mut self, end: u64) -> bool {
        self.episode.take_if(|episode| episode.end == end).is_some()
    }

    /// Forgets the tail loss probe when recovery begins, which reduces the window in any case.
    pub(crate) fn end(&mut self) {
        self.episode = None;
    }

    /// Processes an ACK. Returns true if the probe repaired a loss that no other ACK revealed.
    /// `TLP_process_ack` [RFC8985 §7.4.2]
    ///
    /// `is_news` is true if the ACK acknowledges or sacks new octets.
    pub(crate) fn on_ack(
        &mut self,
        ack: &Segment,
        is_news: bool,
        is_duplicate_reported: bool,
    ) -> bool {
        let Some(Episode { end, is_retransmitted }) = self.episode.filter(|it| ack.ack >= it.end)
        else {
            return false;
        };
        let has_repaired = is_retransmitted && !is_duplicate_reported && ack.ack > end;
        let is_over = !is_retransmitted || is_duplicate_reported || has_repaired || !is_news;
        if is_over {
            self.episode = None;
        }
        has_repaired
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A probe is sent two round trips after the last segment, later by the receiver's ACK delay if a single
    /// segment is outstanding, and never after the time-out.
    ///
    /// Verifies: [RFC8985 §7.2]
    #[test]
    fn a_probe_waits_two_round_trips_and_a_single_one_for_its_receiver() {
        let after = |is_single| probe_after(Some(ms(50)), is_single, ms(200), ms(1_000));
        assert_eq!((after(false), after(true)), (ms(100), ms(300)));
        assert_eq!(probe_after(None, false, ms(200), ms(3_000)), ms(1_000));
        assert_eq!(probe_after(Some(ms(50)), true, ms(200), ms(250)), ms(250));
    }

    fn probed(is_retransmitted: bool) -> TailProbe {
        let mut probe = TailProbe::default();
        probe.on_sent(5_001, is_retransmitted);
        probe
    }

    fn ack(ack: u64) -> Segment {
        Segment { ack, ..Segment::EMPTY }
    }

    /// An ACK beyond the end of a probe reveals a loss that the probe has repaired, unless a duplicate is
    /// reported or the probe was new data.
    ///
    /// Verifies: [RFC8985 §7.4.2]: one line of the table per case.
    #[test]
    fn the_answer_to_a_probe_reveals_a_loss() {
        // Columns: ACK, news, duplicate reported, was a retransmission → has repaired, is still outstanding.
        for (number, is_news, is_reported, is_retransmitted, expected) in [
            (4_001, true, false, true, (false, true)),
            (5_001, true, false, false, (false, false)),
            (5_001, true, true, true, (false, false)),
            (5_001, true, false, true, (false, true)),
            (6_001, true, false, true, (true, false)),
            (5_001, false, false, true, (false, false)),
        ] {
            let mut probe = probed(is_retransmitted);
            let repaired = probe.on_ack(&ack(number), is_news, is_reported);
            assert_eq!((repaired, probe.is_open()), expected, "{number} {is_news} {is_reported}");
        }
    }

    proptest! {
        #[test]
        fn a_probe_is_never_later_than_the_time_out(
            smoothed in prop::option::of(1u64..10_000), is_single: bool, rto in 1u64..100_000,
        ) {
            prop_assert!(probe_after(smoothed.map(ms), is_single, ms(200), ms(rto)) <= ms(rto));
        }
    }
}
