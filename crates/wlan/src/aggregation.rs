//! Frames that carry several packets: limits of A-MPDUs and A-MSDUs, and the frames that answer them. [80211-2020
//! §9.3, §9.7, §10.12, §10.23.2.8]

use airfair_units::{Bytes, DataRate, Duration};

use crate::block_ack::{self, AfterSilence};
use crate::phy::mode::Format;
use crate::phy::ppdu::{self, MAX_PPDU_DURATION, PacketPadding};
use crate::phy::{Band, Mode};
use crate::sizes::{ACK_SIZE, DELIMITER, QOS_DATA_OVERHEAD};

/// Subframe header of each MSDU of an A-MSDU: two addresses and the length.  [80211-2020 §9.3.2.2.2]
pub const AMSDU_SUBFRAME_HEADER: Bytes = Bytes::new(14);
/// Sizes of the largest A-MSDU that a receiver can announce. The third is for VHT, and for HE together with VHT.
/// [80211-2020 §9.4.2.55.2, §9.4.2.157.2]
pub const AMSDU_LIMITS: [Bytes; 3] = [Bytes::new(3_839), Bytes::new(7_935), Bytes::new(11_398)];
/// Largest MPDU in an A-MPDU of an HT PPDU.  [80211-2020 §9.7.1]
pub const MAX_HT_MPDU_IN_AMPDU: Bytes = Bytes::new(4_095);

/// Sizes of the largest A-MSDU that receivers of a format can announce in this band, ascending. VHT capabilities
/// exist at 5 GHz only; at 6 GHz, HE has capabilities of its own with the same sizes.  [80211-2020 §9.4.2.55.2, §9.4.2.157.2], [80211ax-2021 §9.4.2.248, §9.4.2.263]
pub fn amsdu_limits(format: Format, band: Band) -> &'static [Bytes] {
    let known = if format == Format::Ht || band == Band::Ghz2 { 2 } else { 3 };
    &AMSDU_LIMITS[..known]
}

/// Window of a block ack agreement: the number of MPDUs that may be outstanding. [80211-2020 §9.3.1.8.2],
/// [80211ax-2021 §26.4.3], [80211be-2024 §35.4.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockAckWindow {
    /// One MPDU: there is no agreement, and an ACK answers each MPDU.
    Single,
    /// 64 MPDUs, with a bitmap of 64 bits.
    #[default]
    Mpdus64,
    /// 256 MPDUs, in HE and EHT.
    Mpdus256,
    /// 512 MPDUs, in EHT only.
    Mpdus512,
    /// 1024 MPDUs, in EHT only.
    Mpdus1024,
}

impl BlockAckWindow {
    /// Size of the block ack window [MPDUs].
    pub const fn mpdus(self) -> u16 {
        match self {
            Self::Single => 1,
            Self::Mpdus64 => 64,
            Self::Mpdus256 => 256,
            Self::Mpdus512 => 512,
            Self::Mpdus1024 => 1_024,
        }
    }

    /// Smallest block ack window for this number of outstanding MPDUs; `None` for 0 and above 1024.
    pub const fn of(mpdus: u16) -> Option<Self> {
        match mpdus {
            1..=64 => Some(Self::Mpdus64),
            65..=256 => Some(Self::Mpdus256),
            257..=512 => Some(Self::Mpdus512),
            513..=1_024 => Some(Self::Mpdus1024),
            _ => None,
        }
    }

    /// Size of the response to a PPDU under this window: a compressed `BlockAck` with 24 octets and one bit per MPDU,
    /// or an ACK for a window of one MPDU.  [80211-2020 §9.3.1.8.2], [80211be-2024 §9.3.1.8.2]
    pub const fn response_size(self) -> Bytes {
        match self {
            Self::Single => ACK_SIZE,
            _ => Bytes::new(24 + self.mpdus() as u64 / 8),
        }
    }
}

/// Rules for frames with several packets, on one link in one direction: a block ack agreement, or A-MSDUs without
/// one. [80211-2020 §10.11, §10.25.2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Window of the agreement, which also decides the size of its `BlockAck`s.
    pub window: BlockAckWindow,
    /// Limits of each A-MPDU under the agreement.
    pub limits: AmpduLimits,
    /// Size of the largest A-MSDU; `None` if each MPDU carries one packet.
    pub amsdu: Option<Bytes>,
    /// Behaviour of the originator if no response arrives.
    pub after_silence: AfterSilence,
}

impl Agreement {
    /// Block ack agreement with this window and the largest A-MPDUs of a format.
    pub fn of(format: Format, window: BlockAckWindow) -> Self {
        let limits = AmpduLimits::of(format, window);
        Self { window, limits, amsdu: None, after_silence: AfterSilence::default() }
    }

    /// Rules for frames without block acks: A-MSDUs of at most this size, each in an MPDU that an ACK answers.
    pub fn without_block_ack(format: Format, amsdu: Bytes) -> Self {
        Self { amsdu: Some(amsdu), ..Self::of(format, BlockAckWindow::Single) }
    }

    /// Allows A-MSDUs of at most this size. With HT, an A-MSDU has at most 4065 octets, so that its MPDU fits into an
    /// A-MPDU.  [80211-2020 §9.7.1]
    #[must_use]
    pub fn with_amsdu(self, format: Format, amsdu: Bytes) -> Self {
        let most = match format {
            Format::Ht => MAX_HT_MPDU_IN_AMPDU - QOS_DATA_OVERHEAD,
            Format::Vht | Format::He | Format::Eht => amsdu,
        };
        Self { amsdu: Some(amsdu.min(most)), ..self }
    }

    /// True if `BlockAck`s acknowledge MPDUs.
    pub fn has_block_ack(&self) -> bool {
        self.window != BlockAckWindow::Single
    }

    /// Largest number of packets of this size in a frame, as the block ack window and the A-MSDU size allow.
    pub fn most_packets(&self, size: Bytes) -> usize {
        let joined = usize::try_from(self.most_joined(size)).expect("a few hundred");
        usize::from(self.most_mpdus()) * joined
    }

    /// Largest number of packets of this size in an MPDU, as the A-MSDU size allows.
    pub(crate) fn most_joined(&self, size: Bytes) -> u32 {
        let subframe = padded(AMSDU_SUBFRAME_HEADER + size).get();
        let joined = self.amsdu.map_or(1, |amsdu| ((amsdu.get() + 3) / subframe).max(1));
        u32::try_from(joined).expect("a few hundred")
    }

    /// Largest number of MPDUs in an A-MPDU.
    pub fn most_mpdus(&self) -> u16 {
        self.limits.max_mpdus.min(self.window.mpdus())
    }

    /// Configuration of the originator under this agreement. The number of attempts is set with each exchange.
    pub(crate) fn originator(&self) -> block_ack::OriginatorConfig {
        let (window, attempts) = (self.window.mpdus(), u16::MAX);
        let asks = self.has_block_ack();
        let after_silence = if asks { self.after_silence } else { AfterSilence::Retransmission };
        block_ack::OriginatorConfig { window, attempts, after_silence, asks }
    }
}

/// Length of an A-MPDU to which MPDUs are added one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AmpduLength {
    octets: Bytes,
    mpdus: u16,
    /// Smallest length of each subframe but the last, from the receiver's minimum MPDU start spacing.
    least: Bytes,
}

impl AmpduLength {
    /// Empty A-MPDU, for a receiver without a minimum MPDU start spacing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empty A-MPDU, for a receiver with this minimum time from the start of one MPDU to the start of the next.
    /// [80211-2020 §10.12.3]
    pub fn with_start_spacing(spacing: Duration, rate: DataRate) -> Self {
        let bits = u128::from(spacing.as_nanos()) * u128::from(rate.bps());
        let octets = u64::try_from(bits.div_ceil(8_000_000_000)).expect("a few microseconds");
        Self { least: padded(Bytes::new(octets)), ..Self::default() }
    }

    /// Length of the A-MPDU with one more MPDU of this size.
    #[must_use]
    pub fn with(self, mpdu: Bytes) -> Self {
        // The last subframe has no padding. The next one adds the padding of the one before.
        let before = if self.mpdus == 0 { Bytes::ZERO } else { self.padded() };
        Self { octets: before + DELIMITER + mpdu, mpdus: self.mpdus + 1, ..self }
    }

    /// Length of the A-MPDU if its last MPDU grows by `more` octets.
    #[must_use]
    pub fn grown(self, more: Bytes) -> Self {
        Self { octets: self.octets + more, ..self }
    }

    /// Length of the A-MPDU so far, with the last subframe padded and raised to its minimum so that another one may
    /// follow.
    fn padded(self) -> Bytes {
        // `least` counts from the last delimiter, because all subframes before it are padded already.
        padded(self.octets).max(self.least * u64::from(self.mpdus))
    }

    /// Size of the A-MPDU, which is the size of the PSDU.
    pub fn octets(self) -> Bytes {
        self.octets
    }

    /// Number of MPDUs in the A-MPDU.
    pub fn mpdus(self) -> u16 {
        self.mpdus
    }
}

/// Size rounded up to a multiple of four octets.
pub(crate) fn padded(size: Bytes) -> Bytes {
    Bytes::new(size.get().next_multiple_of(4))
}

/// Size of an A-MSDU of MSDUs with these sizes: a header before each, and padding after all but the last. [80211-2020
/// §9.3.2.2.2]
pub fn amsdu_size(msdus: impl IntoIterator<Item = Bytes>) -> Bytes {
    let add = |before: Bytes, msdu| padded(before) + AMSDU_SUBFRAME_HEADER + msdu;
    msdus.into_iter().fold(Bytes::ZERO, add)
}

/// Default of [`AmpduLimits::slow_below`], the rate below which a separate limit of airtime applies to A-MPDUs.
pub const SLOW_BELOW: DataRate = DataRate::from_mbps(12);

/// Limits of an A-MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmpduLimits {
    /// Largest number of octets, as the receiver and the configuration allow.
    pub max_bytes: Bytes,
    /// Largest number of MPDUs, as the block ack window and the configuration allow.
    pub max_mpdus: u16,
    /// Longest PPDU that the configuration allows.
    pub max_duration: Duration,
    /// Longest PPDU at a rate below `slow_below`, if shorter than `max_duration`.
    pub slow_duration: Duration,
    /// Rate below which `slow_duration` limits the PPDU.
    pub slow_below: DataRate,
}

impl AmpduLimits {
    /// Limits of the standard, for a receiver that accepts the largest A-MPDUs.  [80211-2020 §9.4.2.55.3,
    /// §9.4.2.157.2], [80211ax-2021 §26.6.1]
    pub fn of(format: Format, window: BlockAckWindow) -> Self {
        let max_bytes = Bytes::new(match format {
            Format::Ht => 65_535,
            Format::Vht => 1_048_575,
            Format::He => 6_500_631,
            Format::Eht => 15_523_200,
        });
        Self {
            max_bytes,
            max_mpdus: window.mpdus(),
            max_duration: MAX_PPDU_DURATION,
            slow_duration: MAX_PPDU_DURATION,
            slow_below: SLOW_BELOW,
        }
    }

    /// Largest PSDU whose PPDU and response fit into the rest of a TXOP, with the SIFS between them. `None` if not
    /// even the preamble fits. Without a TXOP limit, `rest` is [`Duration::MAX`].
    pub fn room(
        &self,
        mode: Mode,
        band: Band,
        response: Duration,
        rest: Duration,
    ) -> Option<Bytes> {
        self.room_within(mode, band, rest.saturating_sub(band.sifs() + response))
    }

    /// Largest PSDU whose PPDU takes at most `longest`. `None` if not even the preamble fits.
    pub(crate) fn room_within(&self, mode: Mode, band: Band, longest: Duration) -> Option<Bytes> {
        let is_slow = mode.rate() < self.slow_below;
        let slow = if is_slow { self.slow_duration } else { self.max_duration };
        let longest = longest.min(self.max_duration).min(slow).min(MAX_PPDU_DURATION);
        let fits = ppdu::largest_psdu_within(mode, longest, band, PacketPadding::default())?;
        Some(fits.min(self.max_bytes))
    }

    /// Longest A-MPDU of the first of `mpdus` that fits into `room` octets and these limits. It is empty if not even
    /// the first MPDU fits.
    pub fn fill(&self, room: Bytes, mpdus: impl IntoIterator<Item = Bytes>) -> AmpduLength {
        let mut length = AmpduLength::new();
        for mpdu in mpdus {
            let next = length.with(mpdu);
            if next.mpdus() > self.max_mpdus || next.octets() > room {
                break;
            }
            length = next;
        }
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::mode::Parameters;
    use crate::phy::{GuardInterval, Preamble, Standard, TxVector, Width};
    use crate::sizes::BLOCK_ACK_REQUEST_SIZE;
    use proptest::prelude::*;

    fn mode(format: Format, mcs: u8, width: Width) -> Mode {
        Mode::new(Parameters::of(format, mcs, 1, width, GuardInterval::Ns800)).expect("a mode")
    }

    /// 1500 + 8 of LLC + 30 = 1538 octets. One MPDU: 4 + 1538 = 1542, padded 1544. Three: 2·1544 + 1542 = 4630.
    ///
    /// Verifies: [80211-2020 §9.7.1]
    #[test]
    fn an_mpdu_costs_a_delimiter_and_the_padding_of_the_one_before() {
        let mpdu = Bytes::new(1_508) + QOS_DATA_OVERHEAD;
        let one = AmpduLength::new().with(mpdu);
        let three = one.with(mpdu).with(mpdu);
        assert_eq!(
            (one.octets(), three.octets(), three.mpdus()),
            (Bytes::new(1_542), Bytes::new(4_630), 3)
        );
    }

    /// The largest A-MPDU of HT has room for 42 MPDUs of 1538 octets. 42 · 1544 = 64 848, and one more of 1542 exceeds
    /// 65 535; 41 · 1544 + 1542 = 64 846 does not.
    ///
    /// Verifies: [80211-2020 §9.4.2.55.3]
    #[test]
    fn ht_takes_42_mpdus_of_1538_octets() {
        let limits = AmpduLimits::of(Format::Ht, BlockAckWindow::Mpdus64);
        let mode = mode(Format::Ht, 7, Width::Mhz40);
        let room = limits.room(mode, Band::Ghz5, Duration::from_micros(32), Duration::MAX);
        let filled = limits.fill(room.expect("room"), [Bytes::new(1_538); 100]);
        assert_eq!((filled.mpdus(), filled.octets()), (42, Bytes::new(64_846)));
    }

    /// The longest PPDU and the rest of a TXOP limit the octets of an A-MPDU. HT MCS 0 at 20 MHz: 5484 - 36 = 5448 µs
    /// are 1362 symbols of 26 bits: 35 412 - 22 bits = 4423 octets, enough for two MPDUs of 1542 and not for three
    /// (4630). In a TXOP of 2528 µs, SIFS 16 and a `BlockAck` of 68 leave 2444 µs, and 2444 - 36 = 2408 µs are 602
    /// symbols: 1953 octets.
    ///
    /// Verifies: [80211-2020 §10.12.5, §10.23.2.8]
    #[test]
    fn the_duration_of_a_ppdu_and_the_txop_limit_slow_aggregates() {
        let limits = AmpduLimits::of(Format::Ht, BlockAckWindow::Mpdus64);
        let mode = mode(Format::Ht, 0, Width::Mhz20);
        let response = Duration::from_micros(68);
        let of = |rest| {
            let room = limits.room(mode, Band::Ghz5, response, rest).expect("room");
            (room.get(), limits.fill(room, [Bytes::new(1_538); 9]).mpdus())
        };
        assert_eq!(of(Duration::MAX), (4_423, 2));
        assert_eq!(of(Duration::from_micros(2_528)), (1_953, 1));
        assert_eq!(limits.room(mode, Band::Ghz5, response, Duration::from_micros(100)), None);
    }

    /// MPDUs in an A-MPDU start at least the receiver's minimum spacing apart. At 300 Mb/s, 8 µs are 300 octets: MPDUs
    /// of 100 octets, 104 with delimiter, start 300 octets apart.
    ///
    /// Verifies: [80211-2020 §10.12.3]
    #[test]
    fn small_mpdus_are_as_far_apart_as_the_receiver_asks() {
        let start =
            AmpduLength::with_start_spacing(Duration::from_micros(8), DataRate::from_mbps(300));
        let small = Bytes::new(100);
        assert_eq!(start.with(small).octets(), Bytes::new(104));
        assert_eq!(start.with(small).with(small).with(small).octets(), Bytes::new(704));
    }

    /// 14 + 1508 = 1522, padded 1524; two: 1524 + 1522.
    ///
    /// Verifies: [80211-2020 §9.3.2.2.2]
    #[test]
    fn an_amsdu_pads_all_msdus_but_the_last() {
        assert_eq!(amsdu_size([Bytes::new(1_508); 2]), Bytes::new(3_046));
        assert_eq!(amsdu_size([]), Bytes::ZERO);
    }

    /// A response lasts as long as its symbols at the rate of the response. At 24 Mb/s, 96 bits per symbol. ACK of 14
    /// octets: 134 bits → 2 symbols, 28 µs. `BlockAck` of 32: 278 → 3, 32 µs; for 256 MPDUs 56: 470 → 5, 40 µs; for
    /// 512, 88: 726 → 8, 52 µs; for 1024, 152: 1238 → 13, 72 µs. BAR of 24: 214 → 3, 32 µs. At 6 Mb/s, 24 bits per symbol: `BlockAck` 278 → 12, 68 µs.
    ///
    /// Verifies: [80211-2020 §9.3.1.7, §9.3.1.8.2, §17.4.3]
    #[test]
    fn responses_last_as_long_as_their_symbols() {
        let us = |standard: Standard, size, mbps| {
            let tx = TxVector::of(DataRate::from_mbps(mbps), Preamble::Long).expect("a rate");
            standard.ppdu_duration(size, tx).as_nanos() / 1_000
        };
        let (small, large) =
            (BlockAckWindow::Mpdus64.response_size(), BlockAckWindow::Mpdus256.response_size());
        assert_eq!((small, large), (Bytes::new(32), Bytes::new(56)));
        let of_eht = [BlockAckWindow::Mpdus512, BlockAckWindow::Mpdus1024];
        assert_eq!(of_eht.map(|it| it.response_size().get()), [88, 152]);
        let lasts = |size, mbps| us(Standard::A, size, mbps);
        assert_eq!([lasts(small, 24), lasts(large, 24), lasts(small, 6)], [32, 40, 68]);
        assert_eq!(of_eht.map(|it| lasts(it.response_size(), 24)), [52, 72]);
        assert_eq!(lasts(BLOCK_ACK_REQUEST_SIZE, 24), 32);
        assert_eq!(us(Standard::G, small, 24), 38);
    }

    /// The slow limit of a driver shortens aggregates at rates below 12 Mb/s, and no others. HT at 20 MHz, 4 ms: 3964
    /// µs after a preamble of 36, 991 symbols. MCS 7 is not slow: 991·260 - 22 bits are 32 204 octets. MCS 0 is slow: 2
    /// ms leave 491 symbols of 26 bits, 12 744 bits, 1593 octets. A slow limit above 4 ms has no effect.
    #[test]
    fn a_driver_may_limit_the_time_of_an_aggregate_at_low_rates_more_than_at_others() {
        let us = Duration::from_micros;
        let of = |mcs, slow_duration| {
            let usual = AmpduLimits::of(Format::Ht, BlockAckWindow::Mpdus64);
            let limits = AmpduLimits { max_duration: us(4_000), slow_duration, ..usual };
            let mode = mode(Format::Ht, mcs, Width::Mhz20);
            limits.room(mode, Band::Ghz5, us(68), Duration::MAX).expect("room").get()
        };
        assert_eq!((of(7, us(2_000)), of(0, us(2_000))), (32_204, 1_593));
        assert_eq!((of(7, us(5_000)), of(0, us(5_000))), (32_204, 3_218));
    }

    /// An agreement limits the packets in a frame by its block ack window and its largest A-MSDU. A packet of 1508
    /// octets takes 1522 octets in an A-MSDU, and 1524 if another follows. Three are 4570 octets, and a fourth does not
    /// fit into 4600. Each of 64 MPDUs has three. A-MSDUs in A-MPDUs of HT have at most 4065 octets, enough for two.
    /// The standard's largest MPDUs exceed its largest A-MSDUs by 56 octets.
    ///
    /// Verifies: [80211-2020 §9.3.2.2, §9.7.1]
    #[test]
    fn an_agreement_knows_how_many_packets_a_frame_may_have() {
        let (packet, amsdu) = (Bytes::new(1_508), Bytes::new(4_600));
        let of = |agreement: Agreement| agreement.most_packets(packet);
        let he = Agreement::of(Format::He, BlockAckWindow::Mpdus64);
        assert_eq!((of(he), of(he.with_amsdu(Format::He, amsdu))), (64, 192));
        assert_eq!(of(Agreement::without_block_ack(Format::Ht, amsdu)), 3);
        let ht = Agreement::of(Format::Ht, BlockAckWindow::Mpdus64);
        assert_eq!(of(ht.with_amsdu(Format::Ht, amsdu)), 128);
        let sizes = [packet; 3];
        assert_eq!(amsdu_size(sizes), Bytes::new(4_570));
        assert_eq!([0, 1, 2].map(|it| AMSDU_LIMITS[it].get() + 56), [3_895, 7_991, 11_454]);
        let known = |format, band| amsdu_limits(format, band).len();
        assert_eq!(known(Format::Ht, Band::Ghz5), 2);
        assert_eq!((known(Format::He, Band::Ghz2), known(Format::Vht, Band::Ghz5)), (2, 3));
        assert_eq!(known(Format::He, Band::Ghz6), 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// An A-MPDU stays within its limits, one more MPDU would exceed them, and its length is the sum over its
        /// subframes.
        #[test]
        fn an_aggregate_is_as_long_as_its_limits_allow(
            sizes in prop::collection::vec(30_u64..4_000, 1..80),
            room in 30_u64..70_000,
            most in 1_u16..64,
        ) {
            let limits = AmpduLimits { max_mpdus: most, ..AmpduLimits::of(Format::Ht, BlockAckWindow::Mpdus64) };
            let filled = limits.fill(Bytes::new(room), sizes.iter().copied().map(Bytes::new));
            let count = usize::from(filled.mpdus());
            let octets = |count: usize| -> u64 {
                let subframes = sizes[..count].iter().map(|size| (size + 4).next_multiple_of(4));
                let last = if count == 0 { 0 } else { (4 - sizes[count - 1] % 4) % 4 };
                subframes.sum::<u64>() - last
            };
            prop_assert_eq!(filled.octets().get(), octets(count));
            prop_assert!(octets(count) <= room && count <= usize::from(most));
            let is_full = count == sizes.len() || count == usize::from(most) || octets(count + 1) > room;
            prop_assert!(is_full);
        }
    }
}
