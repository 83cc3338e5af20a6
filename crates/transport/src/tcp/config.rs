//! Configuration of an endpoint. The defaults are the RFCs' recommendations.

use airfair_laws::newreno::Deflation;
use airfair_units::{Bytes, Duration};

use super::flavour::Flavour;

/// Largest window that the header can say without window scaling [octets].  [RFC9293 §3.1]
pub const UNSCALED_WINDOW: Bytes = Bytes::new(65_535);

/// Largest shift of the window field.  [RFC7323 §2.3]
const MAX_SHIFT: u32 = 14;

/// Amount that the application has to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfer {
    /// Always more, until [`close`](super::Sender::close).
    #[default]
    Endless,
    /// This much, all available at the start, and then the connection closes [octets].
    Bytes(Bytes),
}

/// ACKs that restart the retransmission timer in fast recovery.  [RFC6582 §4]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecoveryTimer {
    /// The first partial ACK only; many losses in a window then end in a time-out. RFC 6582's choice.
    #[default]
    Impatient,
    /// Every partial ACK: one loss repaired per round trip, however many there are. In ns-2.35
    /// `newreno_changes1_` 0; its default is 1, impatient.
    SlowButSteady,
}

/// What tells a sender with selective acknowledgments that a segment is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossRecovery {
    /// What has arrived above it: three duplicates, or ranges.  [RFC6675]
    #[default]
    Duplicates,
    /// The time since it was sent, with tail loss probes and proportional rate reduction, as in Linux.
    /// [RFC8985]
    Rack,
}

/// Whose arithmetic Reno, NewReno, SACK and CUBIC have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// That of the RFCs, in octets.
    #[default]
    Rfc,
    /// That of Linux, in whole segments; also of the time-out, whose least value is one of its variation. With
    /// [`LossRecovery::Rack`] segments go out in twos, and PSH asks for an ACK of each two.
    /// [linux-tcp-cong], [linux-tcp-cubic], [linux-rto], [linux-tso]
    Linux,
}

/// The retransmission time-out.  [RFC6298 §2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoConfig {
    /// Before the first round trip is measured.
    pub initial: Duration,
    /// Never shorter than this. Linux and ns-2: 200 ms.
    pub min: Duration,
    /// Never longer than this, back-off included.
    pub max: Duration,
    /// Tick G of the clock that measures round trips; samples are rounded to the nearest tick, and to
    /// one at least. Never zero.
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

/// Choices about a [`Sender`](super::Sender).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, each read on its own")]
pub struct SenderConfig {
    /// The law of the window, and how losses are repaired.
    pub flavour: Flavour,
    /// Selective acknowledgments; `None` is what the flavour is used with
    /// [`Flavour::is_selective`], and [`Flavour::Sack`] always has them. The receiver must agree with
    /// [`uses_sack`](Self::uses_sack).
    pub sack: Option<bool>,
    /// What tells that a segment is lost; [`Rack`](LossRecovery::Rack) needs selective acknowledgments.
    pub loss_recovery: LossRecovery,
    /// Whose arithmetic the window has.
    pub arithmetic: Arithmetic,
    /// In a recovery with selective acknowledgments, send in proportion to what arrives.  [RFC6937]
    pub proportional_reduction: bool,
    /// Timestamps in every segment, and a round trip from every new ACK [RFC7323]. They take 12 octets
    /// beside `segment`, which remains the payload. Both ends must agree.
    pub timestamps: bool,
    /// Payload of a full segment, SMSS; never nothing [octets].
    pub segment: Bytes,
    /// Amount that there is to send.
    pub transfer: Transfer,
    /// Open with SYN and close with FIN; otherwise the connection is there from `open` on and ends with
    /// the last ACK, as with ns-2's one-way agents. Both ends must agree.
    pub handshake: bool,
    /// Send the window scale option in the SYN [RFC7323 §2.2]. Both ends must agree.
    pub window_scaling: bool,
    /// The receiver's window until its first ACK says what it is; matters without handshake only
    /// [octets].
    pub assumed_window: Bytes,
    /// Congestion window at the start, at least 1 [segments].  [RFC6928 §2]
    pub initial_window: u32,
    /// Slow start threshold at the start; `None` is no threshold [segments].  [RFC5681 §3.1]
    pub initial_ssthresh: Option<u32>,
    /// Send a new segment on the first and second duplicate ACK.  [RFC3042 §2]
    pub limited_transmit: bool,
    /// Growth by octets acknowledged [RFC3465 §2] instead of by ACKs received (ns-2).
    pub byte_counting: bool,
    /// Let cwnd grow although the receiver's window, the window limit or the source is what limits
    /// (ns-2). Otherwise it grows only when it limits.  [RFC7661 §1]
    pub grow_beyond_receive_window: bool,
    /// Window on leaving fast recovery. ns-2: to the threshold.
    pub deflation: Deflation,
    /// Timer in fast recovery.
    pub recovery_timer: RecoveryTimer,
    /// Retransmission time-out.
    pub rto: RtoConfig,
    /// Keep no more in the queue of its own host than pacing would send in so long a time, or two segments; `None`: as much
    /// as the window allows.  [linux-tsq]
    pub small_queue: Option<Duration>,
}

impl Default for SenderConfig {
    fn default() -> Self {
        Self {
            flavour: Flavour::NewReno,
            sack: None,
            loss_recovery: LossRecovery::Duplicates,
            arithmetic: Arithmetic::Rfc,
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
    /// True if losses are found by time.
    pub(crate) fn has_rack(&self) -> bool {
        self.uses_sack() && self.loss_recovery == LossRecovery::Rack
    }

    /// True if selective acknowledgments are in use, as the receiver's `sack` must have it.
    pub fn uses_sack(&self) -> bool {
        self.flavour == Flavour::Sack || self.sack.unwrap_or(self.flavour.is_selective())
    }
}

/// Rule by which an ACK is held back.  [RFC5681 §4.2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// Acknowledge at the latest every so many segments; 2 in the RFC.
    pub segments: u32,
    /// Acknowledge at the latest after this long; 500 ms at most in the RFC.
    pub timeout: Duration,
}

impl Default for DelayedAck {
    fn default() -> Self {
        Self { segments: 2, timeout: Duration::from_millis(200) }
    }
}

/// Choices about a [`Receiver`](super::Receiver).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, each read on its own")]
pub struct ReceiverConfig {
    /// Receive buffer, never nothing. The application reads at once, so this is the window, as far as the
    /// header can say it and nobody limits it [octets].
    pub buffer: Bytes,
    /// Send the window scale option in the SYN [RFC7323 §2.2]; otherwise the window is 65 535 octets at
    /// most. Both ends must agree.
    pub window_scaling: bool,
    /// Wait for a SYN; otherwise data is welcome from the start. Both ends must agree.
    pub handshake: bool,
    /// Delayed ACKs; `None` acknowledges every segment.
    pub delayed_ack: Option<DelayedAck>,
    /// So many ACKs at the start go out at once, one per segment, before delaying begins. Linux: as many
    /// as half the window holds, 16 at most, and again after a duplicate, as with [`tunes_window`](Self::tunes_window),
    /// and after long pauses, which is not built.  [linux-quickack]
    pub quick_acks: u32,
    /// Let the window grow from 64 kB up to the buffer, acknowledge each segment while it does, and begin with quick ACKs again
    /// after a duplicate, as Linux.
    /// [linux-rcv-space]
    pub tunes_window: bool,
    /// Selective acknowledgments [RFC2018], of duplicates as well [RFC2883]. Both ends must agree.
    pub sack: bool,
    /// Timestamps in every segment [RFC7323 §3]. Both ends must agree.
    pub timestamps: bool,
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
        }
    }
}

impl ReceiverConfig {
    /// Window that the header says once the connection is established: the buffer, rounded down to what
    /// the smallest sufficient shift can express [octets].  [RFC7323 §2.3]
    pub(crate) fn window(&self) -> Bytes {
        let unit = self.window_unit();
        Bytes::new((self.buffer.get() / unit).min(UNSCALED_WINDOW.get()) * unit)
    }

    /// Unit of a window in the header: it says multiples of this [octets].  [RFC7323 §2.3]
    pub(crate) fn window_unit(&self) -> u64 {
        if !self.window_scaling {
            return 1;
        }
        let fits = |shift: &u32| self.buffer.get() >> shift <= UNSCALED_WINDOW.get();
        1 << (0..=MAX_SHIFT).find(fits).unwrap_or(MAX_SHIFT)
    }
}

/// TCP options of a SYN, padded together [octets].
///
/// MSS 4 [RFC9293 §3.2], window scale 3 [RFC7323 §2.2], SACK permitted 2 [RFC2018 §2], timestamps 10
/// [RFC7323 §3.2].
pub(crate) const fn syn_options(window_scaling: bool, sack: bool, timestamps: bool) -> u8 {
    let length: u8 = 4
        + if window_scaling { 3 } else { 0 }
        + if sack { 2 } else { 0 }
        + if timestamps { 10 } else { 0 };
    length.div_ceil(4) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_flavour_has_sack_as_it_is_used_unless_told_otherwise() {
        let uses =
            |flavour, sack| SenderConfig { flavour, sack, ..SenderConfig::default() }.uses_sack();
        let expected = [false, false, true, false, true, false, true];
        assert_eq!(Flavour::ALL.map(|flavour| uses(flavour, None)), expected);
        assert_eq!(Flavour::ALL.map(|flavour| uses(flavour, Some(true))), [true; 7]);
        assert!(uses(Flavour::Sack, Some(false)) && !uses(Flavour::Cubic, Some(false)));
    }

    /// Verifies: [RFC7323 §2.3]
    #[test]
    fn the_window_is_what_the_header_can_say_of_the_buffer() {
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
