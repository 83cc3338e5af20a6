//! Configuration of the two TCP endpoints. The defaults are the RFCs' recommendations.

use airfair_laws::newreno::Deflation;
use airfair_units::{Bytes, Duration};

use super::flavour::Flavour;
use crate::control::config::{Arithmetic, ControlConfig, SlowStart};
use crate::stream::Transfer;

/// Largest receive window that the header can express without window scaling [octets].  [RFC9293 §3.1]
pub const UNSCALED_WINDOW: Bytes = Bytes::new(65_535);

/// Largest window scale factor.  [RFC7323 §2.3]
const MAX_SHIFT: u32 = 14;

/// Choice of the partial ACKs that restart the retransmission timer in fast recovery.  [RFC6582 §4]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecoveryTimer {
    /// Only the first partial ACK restarts the retransmission timer, so many losses in one window end in a
    /// time-out. This is RFC 6582's choice.
    #[default]
    Impatient,
    /// Every partial ACK restarts the retransmission timer, so any number of losses is repaired, one per
    /// round trip. This is `newreno_changes1_` 0 in ns-2.35, whose default is 1 (impatient).
    SlowButSteady,
}

/// Method by which a sender with selective acknowledgments detects losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossRecovery {
    /// Loss detection by duplicate ACKs or SACK ranges: a segment is lost if enough data above it has
    /// arrived.  [RFC6675]
    #[default]
    Duplicates,
    /// RACK-TLP, loss detection by the time since a segment was sent, with tail loss probes and proportional
    /// rate reduction, as in Linux.  [RFC8985]
    Rack,
}

/// Method by which a receiver reports marks to its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnFeedback {
    /// ECE in all ACKs from a mark on, until the sender has answered: one mark per round trip.  [RFC3168 §6.1.3]
    #[default]
    Classic,
    /// ECE in the ACKs of marked segments alone, which are acknowledged apart from others. A lost ACK is a lost report.
    /// [RFC8257 §3.2]
    Exact,
    /// Accurate ECN without its option: the number of marked packets modulo eight in each ACK.  [RFC9768 §3.2.2]
    Ace,
    /// Accurate ECN with its option, which counts octets of marked packets modulo 2²⁴.  [RFC9768 §3.2.3]
    Accurate,
}

impl EcnFeedback {
    /// True for accurate ECN, which a SYN asks for with a bit more.
    pub const fn is_accurate(self) -> bool {
        matches!(self, Self::Ace | Self::Accurate)
    }
}

/// Parameters of the retransmission time-out.  [RFC6298 §2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoConfig {
    /// Retransmission time-out before the first round trip is measured.
    pub initial: Duration,
    /// Smallest retransmission time-out. Linux and ns-2: 200 ms.
    pub min: Duration,
    /// Largest retransmission time-out, back-off included.
    pub max: Duration,
    /// Tick G of the clock that measures round trips. Samples are rounded to the nearest tick, at least one.
    /// Never zero.
    pub granularity: Duration,
}

impl Default for RtoConfig {
    fn default() -> Self {
        Self {
            initial: Duration::from_secs(1),
            min: Duration::from_secs(1),
            max: Duration::from_secs(60),
            granularity: Duration::from_micros(1),
        }
    }
}

/// Configuration of a TCP [`Sender`](super::Sender).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, each read on its own")]
pub struct SenderConfig {
    /// Flavour of TCP: window law and loss recovery of the sender.
    pub flavour: Flavour,
    /// Use of selective acknowledgments; `None` follows [`Flavour::is_selective`], and [`Flavour::Sack`]
    /// and the two versions of BBR always use them. The receiver's `sack` must equal [`uses_sack`](Self::uses_sack).
    pub sack: Option<bool>,
    /// Method of loss detection; [`Rack`](LossRecovery::Rack) needs selective acknowledgments.
    pub loss_recovery: LossRecovery,
    /// Arithmetic of the congestion window and of the retransmission time-out.
    pub arithmetic: Arithmetic,
    /// Rule for the end of slow start; `None` is Linux's for CUBIC with Linux's arithmetic, else the standard's.
    pub slow_start: Option<SlowStart>,
    /// Take part in explicit congestion notification: send new data as ECT(0), and reduce the window when the
    /// receiver echoes a mark. The receiver needs no setting.  [RFC3168 §6.1] DCTCP and Prague always do.
    pub ecn: bool,
    /// Method by which the receiver reports marks; `None` follows the flavour, see
    /// [`ecn_feedback`](Self::ecn_feedback). The receiver's must be equal.
    pub ecn_feedback: Option<EcnFeedback>,
    /// Send segments at a rate, instead of as soon as the window allows.  [linux-pacing]
    pub pacing: bool,
    /// Use proportional rate reduction in a recovery with selective acknowledgments.  [RFC6937]
    pub proportional_reduction: bool,
    /// Send timestamps in every segment, and measure a round trip with every new ACK [RFC7323]. They take 12
    /// octets in addition to the payload `segment`. Both ends must agree.
    pub timestamps: bool,
    /// Payload of a full segment, SMSS, greater than zero [octets].
    pub segment: Bytes,
    /// Amount of data that the application has to send.
    pub transfer: Transfer,
    /// Open with SYN and close with FIN. Otherwise the connection exists from `open` on and ends with the
    /// last ACK, as with ns-2's one-way agents. Both ends must agree.
    pub handshake: bool,
    /// Send the window scale option in the SYN [RFC7323 §2.2]. Both ends must agree.
    pub window_scaling: bool,
    /// Receiver's window assumed until the first ACK; only used without handshake [octets].
    pub assumed_window: Bytes,
    /// Initial congestion window, at least 1 [segments].  [RFC6928 §2]
    pub initial_window: u32,
    /// Initial slow start threshold; `None` is no threshold [segments].  [RFC5681 §3.1]
    pub initial_ssthresh: Option<u32>,
    /// Send a new segment on the first and second duplicate ACK.  [RFC3042 §2]
    pub limited_transmit: bool,
    /// Let cwnd grow by the octets acknowledged [RFC3465 §2] instead of by the number of ACKs (ns-2).
    pub byte_counting: bool,
    /// Let cwnd grow even while the receiver's window, the window limit or the application limits the sender
    /// (ns-2). Otherwise cwnd grows only while it is the limit.  [RFC7661 §1]
    pub grow_beyond_receive_window: bool,
    /// Rule for the window at the end of fast recovery. ns-2 sets it to ssthresh.
    pub deflation: Deflation,
    /// Choice of the partial ACKs that restart the retransmission timer in fast recovery.
    pub recovery_timer: RecoveryTimer,
    /// Parameters of the retransmission time-out.
    pub rto: RtoConfig,
    /// Limit of TCP small queues: in the transmit queue of its own host the sender keeps no more octets than
    /// it would send in this time at its pacing rate, or two segments if that is more. `None` is no such
    /// limit.  [linux-tsq]
    pub small_queue: Option<Duration>,
}

impl Default for SenderConfig {
    fn default() -> Self {
        Self {
            flavour: Flavour::NewReno,
            sack: None,
            loss_recovery: LossRecovery::Duplicates,
            arithmetic: Arithmetic::Rfc,
            slow_start: None,
            ecn: false,
            ecn_feedback: None,
            pacing: false,
            proportional_reduction: false,
            timestamps: false,
            segment: Bytes::new(1_460),
            transfer: Transfer::Endless,
            handshake: true,
            window_scaling: true,
            assumed_window: UNSCALED_WINDOW,
            initial_window: 10,
            initial_ssthresh: None,
            limited_transmit: true,
            byte_counting: true,
            grow_beyond_receive_window: false,
            deflation: Deflation::ToFlight,
            recovery_timer: RecoveryTimer::Impatient,
            rto: RtoConfig::default(),
            small_queue: None,
        }
    }
}

impl SenderConfig {
    /// True if RACK detects losses at the sender.
    pub(crate) fn has_rack(&self) -> bool {
        self.flavour.has_model() || (self.uses_sack() && self.loss_recovery == LossRecovery::Rack)
    }

    /// True if the sender takes part in explicit congestion notification.
    pub fn has_ecn(&self) -> bool {
        self.ecn || self.flavour.is_scalable()
    }

    /// Method by which the receiver reports marks: accurate ECN for Prague, which requires it [RFC9331 §4.2], and DCTCP's
    /// for DCTCP.
    pub fn ecn_feedback(&self) -> EcnFeedback {
        self.ecn_feedback.unwrap_or(match self.flavour {
            Flavour::Prague => EcnFeedback::Accurate,
            Flavour::Dctcp => EcnFeedback::Exact,
            _ => EcnFeedback::Classic,
        })
    }

    /// True if the sender paces its segments.
    pub fn paces(&self) -> bool {
        self.pacing || self.flavour.has_model() || self.flavour == Flavour::Prague
    }

    /// True if the sender measures the round trip of each segment: a rule that ends slow start needs several
    /// measurements in a round trip, and neither timestamps nor RACK provide them.
    pub(crate) fn times_each_segment(&self) -> bool {
        self.slow_start() != SlowStart::Standard && !self.timestamps && !self.has_rack()
    }

    /// Rule for the end of slow start.
    pub fn slow_start(&self) -> SlowStart {
        let is_linux_cubic = self.flavour == Flavour::Cubic && self.arithmetic == Arithmetic::Linux;
        let default = if is_linux_cubic { SlowStart::HyStart } else { SlowStart::Standard };
        self.slow_start.unwrap_or(default)
    }

    /// Settings of the congestion window.
    pub(crate) fn control(&self) -> ControlConfig {
        ControlConfig {
            flavour: self.flavour,
            arithmetic: self.arithmetic,
            slow_start: self.slow_start(),
            is_paced: self.pacing,
            segment: self.segment,
            byte_counting: self.byte_counting,
            deflation: self.deflation,
            initial_window: self.initial_window,
            initial_ssthresh: self.initial_ssthresh,
        }
    }

    /// True if the sender uses selective acknowledgments. The receiver's `sack` must be equal.
    pub fn uses_sack(&self) -> bool {
        let always = self.flavour == Flavour::Sack || self.flavour.has_model();
        always || self.sack.unwrap_or(self.flavour.is_selective())
    }
}

/// Rules of delayed ACKs: number of segments, and time, after which an ACK is sent.  [RFC5681 §4.2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// Number of segments after which an ACK is sent at once; 2 in the RFC.
    pub segments: u32,
    /// Longest delay of an ACK; 500 ms at most in the RFC.
    pub timeout: Duration,
    /// Time for which an ACK that is due waits, so that it acknowledges all segments that arrive meanwhile; `None`
    /// sends it at once. In Linux the application reads these segments together, and its read sends the ACK.
    /// [linux-coalescing]  Deviates: [D-337]
    pub coalescing: Option<Duration>,
}

impl Default for DelayedAck {
    fn default() -> Self {
        Self { segments: 2, timeout: Duration::from_millis(200), coalescing: None }
    }
}

/// Configuration of a TCP [`Receiver`](super::Receiver).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, each read on its own")]
pub struct ReceiverConfig {
    /// Receive buffer, greater than zero. The application reads at once, so this is also the window, unless
    /// the header cannot express it or a limit is set [octets].
    pub buffer: Bytes,
    /// Send the window scale option in the SYN [RFC7323 §2.2]. Without it the window is 65 535 octets at
    /// most. Both ends must agree.
    pub window_scaling: bool,
    /// Wait for a SYN. Otherwise data is accepted from the start. Both ends must agree.
    pub handshake: bool,
    /// Rules of delayed ACKs; `None` acknowledges every segment at once.
    pub delayed_ack: Option<DelayedAck>,
    /// Number of ACKs that the receiver sends at once, one per segment, before it begins to delay ACKs. Linux
    /// uses half the window in segments, 16 at most, and starts again after a duplicate segment (built only
    /// with [`tunes_window`](Self::tunes_window)) and after long pauses (not built).  [linux-quickack]
    pub quick_acks: u32,
    /// Receive buffer auto-tuning as in Linux: the window grows from 64 kB up to the buffer, every segment is
    /// acknowledged at once while it grows, and quick ACKs start again after a duplicate segment.
    /// [linux-rcv-space]
    pub tunes_window: bool,
    /// Send selective acknowledgments [RFC2018], for duplicate segments as well [RFC2883]. Both ends must
    /// agree.
    pub sack: bool,
    /// Send timestamps in every segment [RFC7323 §3]. Both ends must agree.
    pub timestamps: bool,
    /// Method by which marks are reported. Both ends must agree.
    pub ecn_feedback: EcnFeedback,
}

impl Default for ReceiverConfig {
    fn default() -> Self {
        Self {
            buffer: Bytes::new(4 << 20),
            window_scaling: true,
            handshake: true,
            delayed_ack: Some(DelayedAck::default()),
            quick_acks: 0,
            tunes_window: false,
            sack: false,
            timestamps: false,
            ecn_feedback: EcnFeedback::Classic,
        }
    }
}

impl ReceiverConfig {
    /// Window advertised once the connection is established: the buffer, rounded down to a multiple of
    /// [`window_unit`](Self::window_unit) [octets].  [RFC7323 §2.3]
    pub(crate) fn window(&self) -> Bytes {
        let unit = self.window_unit();
        Bytes::new((self.buffer.get() / unit).min(UNSCALED_WINDOW.get()) * unit)
    }

    /// Unit of the window field: 2 to the power of the smallest sufficient scale factor [octets].
    /// [RFC7323 §2.3]
    pub(crate) fn window_unit(&self) -> u64 {
        if !self.window_scaling {
            return 1;
        }
        let fits = |shift: &u32| self.buffer.get() >> shift <= UNSCALED_WINDOW.get();
        1 << (0..=MAX_SHIFT).find(fits).unwrap_or(MAX_SHIFT)
    }
}

/// Length of the TCP options of a SYN, padded to a multiple of four [octets].
///
/// MSS 4 [RFC9293 §3.2], window scale 3 [RFC7323 §2.2], SACK permitted 2 [RFC2018 §2], timestamps 10
/// [RFC7323 §3.2].
pub(crate) const fn syn_options(window_scaling: bool, sack: bool, timestamps: bool) -> u16 {
    let length: u16 = 4
        + if window_scaling { 3 } else { 0 }
        + if sack { 2 } else { 0 }
        + if timestamps { 10 } else { 0 };
    length.div_ceil(4) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each option of a SYN adds its octets, and the sum is padded to a multiple of four.
    ///
    /// Verifies: [RFC9293 §3.2], [RFC2018 §2], [RFC7323 §3.2]
    #[test]
    fn the_options_of_a_syn_are_padded_together() {
        // 4; 4 + 3 → 8; 4 + 3 + 2 → 12; 4 + 3 + 10 → 20; all are 19 → 20
        assert_eq!(syn_options(false, false, false), 4);
        assert_eq!(syn_options(true, false, false), 8);
        assert_eq!(syn_options(true, true, false), 12);
        assert_eq!(syn_options(true, false, true), 20);
        assert_eq!(syn_options(true, true, true), 20);
    }

    #[test]
    fn a_flavour_has_its_default_sack_unless_configured_otherwise() {
        let uses =
            |flavour, sack| SenderConfig { flavour, sack, ..SenderConfig::default() }.uses_sack();
        let expected = [false, false, true, false, true, false, true, true, true, true, true];
        assert_eq!(Flavour::ALL.map(|flavour| uses(flavour, None)), expected);
        assert_eq!(Flavour::ALL.map(|flavour| uses(flavour, Some(true))), [true; 11]);
        assert!(uses(Flavour::Sack, Some(false)) && !uses(Flavour::Cubic, Some(false)));
    }

    /// The advertised window is the buffer, rounded down to what the window field can express with or without
    /// scaling.
    ///
    /// Verifies: [RFC7323 §2.3]
    #[test]
    fn the_window_is_what_the_header_can_express_of_the_buffer() {
        let window = |buffer, window_scaling| {
            let buffer = Bytes::new(buffer);
            ReceiverConfig { buffer, window_scaling, ..ReceiverConfig::default() }.window().get()
        };
        assert_eq!(window(4_000, false), 4_000);
        assert_eq!(window(100_000, false), 65_535);
        assert_eq!(window(65_535, true), 65_535);
        // 100 001 needs a shift of 1: 50 000·2
        assert_eq!(window(100_001, true), 100_000);
        // 2³⁰ would need 16: 65 535·2¹⁴ is the largest
        assert_eq!(window(1 << 31, true), 65_535 << 14);
    }
}
