//! Aggregates: how many MPDUs fit an A-MPDU, how many MSDUs an A-MSDU, and the frames that answer them.
//! [80211-2020 §9.3, §9.7, §10.12, §10.23.2.8]

use airfair_units::{Bytes, DataRate, Duration};

use crate::block_ack::{self, AfterSilence};
use crate::capabilities::{Aggregation, LinkCapabilities};
use crate::frame::ACK_SIZE;
use crate::phy::mode::Format;
use crate::phy::ppdu::{self, MAX_PPDU_DURATION, PacketPadding};
use crate::phy::{Band, Mode, ofdm};

/// Header, 26 octets, and frame check sequence, 4, of a `QoS` data frame.  [80211-2020 §9.3.2.1]
pub const QOS_DATA_OVERHEAD: Bytes = Bytes::new(30);
/// Delimiter before each MPDU of an A-MPDU.  [80211-2020 §9.7.1]
pub const DELIMITER: Bytes = Bytes::new(4);
/// Header of each MSDU of an A-MSDU: both addresses and the length.  [80211-2020 §9.3.2.2.2]
pub const AMSDU_SUBFRAME_HEADER: Bytes = Bytes::new(14);
/// Largest A-MSDUs that a receiver can say it takes; the third is of VHT, and of HE beside it.
/// [80211-2020 §9.4.2.55.2, §9.4.2.157.2]
pub const AMSDU_LIMITS: [Bytes; 3] = [Bytes::new(3_839), Bytes::new(7_935), Bytes::new(11_398)];
/// `BlockAckReq` of one traffic identifier.  [80211-2020 §9.3.1.7]
pub const BLOCK_ACK_REQUEST_SIZE: Bytes = Bytes::new(24);
/// Largest MPDU within an A-MPDU of an HT PPDU.  [80211-2020 §9.7.1]
pub const MAX_HT_MPDU_IN_AMPDU: Bytes = Bytes::new(4_095);

/// The limits of A-MSDUs of a format in this band, ascending: VHT's capabilities are those of 5 GHz.
/// [80211-2020 §9.4.2.55.2, §9.4.2.157.2], [80211ax-2021 §9.4.2.248]
pub fn amsdu_limits(format: Format, band: Band) -> &'static [Bytes] {
    let known = if format == Format::Ht || band == Band::Ghz2 { 2 } else { 3 };
    &AMSDU_LIMITS[..known]
}

/// MPDUs that a block ack agreement lets be outstanding.  [80211-2020 §9.3.1.8.2], [80211ax-2021 §26.4.3]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Window {
    /// One: there is no agreement, and each MPDU has an ACK.
    Single,
    /// 64.
    #[default]
    Mpdus64,
    /// 256, in HE.
    Mpdus256,
}

impl Window {
    /// MPDUs.
    pub const fn mpdus(self) -> u16 {
        match self {
            Self::Single => 1,
            Self::Mpdus64 => 64,
            Self::Mpdus256 => 256,
        }
    }

    /// The smallest one for so many MPDUs, if there is one.
    pub const fn of(mpdus: u16) -> Option<Self> {
        match mpdus {
            1..=64 => Some(Self::Mpdus64),
            65..=256 => Some(Self::Mpdus256),
            _ => None,
        }
    }

    /// What answers a PPDU: a compressed `BlockAck`, 24 octets and a bit for each MPDU, or an ACK.
    /// [80211-2020 §9.3.1.8.2]
    pub const fn response_size(self) -> Bytes {
        match self {
            Self::Single => ACK_SIZE,
            Self::Mpdus64 | Self::Mpdus256 => Bytes::new(24 + self.mpdus() as u64 / 8),
        }
    }
}

/// Frames of several packets on one link in one direction: a block ack agreement, or A-MSDUs without one.
/// [80211-2020 §10.11, §10.25.2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Its window, and so the size of its `BlockAck`s.
    pub window: Window,
    /// Limits of each A-MPDU.
    pub limits: AmpduLimits,
    /// Most octets of an A-MSDU; none if each MPDU carries one packet.
    pub amsdu: Option<Bytes>,
    /// What follows when no response comes.
    pub after_silence: AfterSilence,
}

impl Agreement {
    /// The largest aggregates of a format.
    pub fn of(format: Format, window: Window) -> Self {
        let limits = AmpduLimits::of(format, window);
        Self { window, limits, amsdu: None, after_silence: AfterSilence::default() }
    }

    /// A-MSDUs of up to so many octets, each in an MPDU that is answered by an ACK.
    pub fn without_block_ack(format: Format, amsdu: Bytes) -> Self {
        Self { amsdu: Some(amsdu), ..Self::of(format, Window::Single) }
    }

    /// The same with A-MSDUs of up to so many octets, of which an MPDU of an HT A-MPDU holds no more than 4065.
    /// [80211-2020 §9.7.1]
    #[must_use]
    pub fn with_amsdu(self, format: Format, amsdu: Bytes) -> Self {
        let most = match format {
            Format::Ht => MAX_HT_MPDU_IN_AMPDU - QOS_DATA_OVERHEAD,
            Format::Vht | Format::He => amsdu,
        };
        Self { amsdu: Some(amsdu.min(most)), ..self }
    }

    /// What the ends of a link have agreed on, if a frame may carry several packets.
    pub fn on(link: &LinkCapabilities) -> Option<Self> {
        let format = link.format.format;
        let Some(own) = link.aggregation else {
            return link.amsdu.map(|amsdu| Self::without_block_ack(format, amsdu));
        };
        let Aggregation { window, max_duration, slow_duration, slow_below, after_silence, .. } =
            own;
        let agreement = Self::of(format, window);
        let max_bytes = own.max_bytes.min(agreement.limits.max_bytes);
        let limits =
            AmpduLimits { max_bytes, max_duration, slow_duration, slow_below, ..agreement.limits };
        let agreement = Self { limits, after_silence, ..agreement };
        Some(link.amsdu.map_or(agreement, |amsdu| agreement.with_amsdu(format, amsdu)))
    }

    /// True if MPDUs are acknowledged by blocks.
    pub fn has_block_ack(&self) -> bool {
        self.window != Window::Single
    }

    /// Most packets of this size in a frame, as far as windows and A-MSDUs go.
    pub fn most_packets(&self, size: Bytes) -> usize {
        let joined = usize::try_from(self.most_joined(size)).expect("a few hundred");
        usize::from(self.most_mpdus()) * joined
    }

    /// Most packets of this size in an MPDU.
    pub(crate) fn most_joined(&self, size: Bytes) -> u32 {
        let subframe = padded(AMSDU_SUBFRAME_HEADER + size).get();
        let joined = self.amsdu.map_or(1, |amsdu| ((amsdu.get() + 3) / subframe).max(1));
        u32::try_from(joined).expect("a few hundred")
    }

    /// Most MPDUs of an A-MPDU.
    pub fn most_mpdus(&self) -> u16 {
        self.limits.max_mpdus.min(self.window.mpdus())
    }

    /// Limits of its originator; attempts are those of each exchange.
    pub(crate) fn originator(&self) -> block_ack::Limits {
        let (window, attempts) = (self.window.mpdus(), u16::MAX);
        let asks = self.has_block_ack();
        let after_silence = if asks { self.after_silence } else { AfterSilence::Retransmission };
        block_ack::Limits { window, attempts, after_silence, asks }
    }
}

/// Length of an A-MPDU as MPDUs are added to it, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AmpduLength {
    octets: Bytes,
    mpdus: u16,
    /// Least length of all but the last subframe, by the receiver's MPDU start spacing.
    least: Bytes,
}

impl AmpduLength {
    /// An empty one, for a receiver that takes an MPDU at once.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty one, for a receiver that wants so much time from the start of one MPDU to that of the next.
    /// [80211-2020 §10.12.3]
    pub fn with_start_spacing(spacing: Duration, rate: DataRate) -> Self {
        let bits = u128::from(spacing.as_nanos()) * u128::from(rate.bps());
        let octets = u64::try_from(bits.div_ceil(8_000_000_000)).expect("a few microseconds");
        Self { least: padded(Bytes::new(octets)), ..Self::default() }
    }

    /// With one more MPDU of this size behind the others.
    #[must_use]
    pub fn with(self, mpdu: Bytes) -> Self {
        // Whoever comes last has no padding, and pays the padding of the one before.
        let before = if self.mpdus == 0 { Bytes::ZERO } else { self.padded() };
        Self { octets: before + DELIMITER + mpdu, mpdus: self.mpdus + 1, ..self }
    }

    /// With so many octets more in the last MPDU.
    #[must_use]
    pub fn grown(self, more: Bytes) -> Self {
        Self { octets: self.octets + more, ..self }
    }

    /// Octets up to here, those of the last subframe raised to the least that another may follow.
    fn padded(self) -> Bytes {
        // `least` counts from the last delimiter: all before it are padded already.
        padded(self.octets).max(self.least * u64::from(self.mpdus))
    }

    /// Octets of the PSDU.
    pub fn octets(self) -> Bytes {
        self.octets
    }

    /// MPDUs in it.
    pub fn mpdus(self) -> u16 {
        self.mpdus
    }
}

/// Next multiple of four octets.
pub(crate) fn padded(size: Bytes) -> Bytes {
    Bytes::new(size.get().next_multiple_of(4))
}

/// Octets of an A-MSDU of MSDUs of these sizes: a header before each, and padding behind all but the last.
/// [80211-2020 §9.3.2.2.2]
pub fn amsdu_size(msdus: impl IntoIterator<Item = Bytes>) -> Bytes {
    let add = |before: Bytes, msdu| padded(before) + AMSDU_SUBFRAME_HEADER + msdu;
    msdus.into_iter().fold(Bytes::ZERO, add)
}

/// Rate below which a mode is slow, unless told otherwise.
pub const SLOW_BELOW: DataRate = DataRate::from_mbps(12);

/// Limits of one A-MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmpduLimits {
    /// Most octets, by the receiver and by choice.
    pub max_bytes: Bytes,
    /// Most MPDUs, by the window and by choice.
    pub max_mpdus: u16,
    /// Longest PPDU, by choice: airtime, not octets.
    pub max_duration: Duration,
    /// The same at a low rate, if that is shorter.
    pub slow_duration: Duration,
    /// Rate below which it is low.
    pub slow_below: DataRate,
}

impl AmpduLimits {
    /// Limits of the standard for a receiver that takes the largest.  [80211-2020 §9.4.2.55.3, §9.4.2.157.2],
    /// [80211ax-2021 §26.6.1]
    pub fn of(format: Format, window: Window) -> Self {
        let max_bytes = Bytes::new(match format {
            Format::Ht => 65_535,
            Format::Vht => 1_048_575,
            Format::He => 6_500_631,
        });
        Self {
            max_bytes,
            max_mpdus: window.mpdus(),
            max_duration: MAX_PPDU_DURATION,
            slow_duration: MAX_PPDU_DURATION,
            slow_below: SLOW_BELOW,
        }
    }

    /// Most octets of a PSDU whose PPDU is followed by a response, SIFS before it, within the rest of a TXOP; nothing
    /// if not even the preamble fits. Without a TXOP limit the rest is [`Duration::MAX`].
    pub fn room(
        &self,
        mode: Mode,
        band: Band,
        response: Duration,
        rest: Duration,
    ) -> Option<Bytes> {
        let around = band.sifs() + response;
        let is_slow = mode.rate() < self.slow_below;
        let slow = if is_slow { self.slow_duration } else { self.max_duration };
        let most = self.max_duration.min(slow).min(MAX_PPDU_DURATION);
        let longest = rest.saturating_sub(around).min(most);
        let fits = ppdu::largest_psdu_within(mode, longest, band, PacketPadding::default())?;
        Some(fits.min(self.max_bytes))
    }

    /// The longest A-MPDU of the first of `mpdus` that fits `room`, and these limits. Nothing is in it if the first one
    /// does not fit.
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

/// Time on the air of a control frame of non-HT OFDM, duplicated over the width of what it answers.
/// [80211-2020 §10.6.6.5.2, §17.4.3]
pub fn control_duration(size: Bytes, modulation: ofdm::Modulation, band: Band) -> Duration {
    ofdm::ppdu_duration(size, ofdm::RATES[modulation as usize]) + band.signal_extension()
}

/// Modulation of the response to a frame of this mode: the highest basic rate not above its non-HT reference rate,
/// else the lowest mandatory one.  [80211-2020 §10.6.6.5.2, §10.6.11]
pub fn response_modulation(mode: Mode, basic: &[ofdm::Modulation]) -> ofdm::Modulation {
    let reference = mode.reference();
    let is_mandatory =
        |it: &ofdm::Modulation| ofdm::MANDATORY_RATES.contains(&ofdm::RATES[*it as usize]);
    // Modulations are in the order of their rates.
    let below = |it: &ofdm::Modulation| *it <= reference;
    let basic = basic.iter().copied().filter(below).max();
    let mandatory = || ofdm::Modulation::ALL.into_iter().filter(is_mandatory).rfind(below);
    basic.or_else(mandatory).unwrap_or(ofdm::Modulation::Bpsk12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::mode::Parameters;
    use crate::phy::{GuardInterval, Width};
    use proptest::prelude::*;

    fn mode(format: Format, mcs: u8, width: Width) -> Mode {
        Mode::new(Parameters::of(format, mcs, 1, width, GuardInterval::Ns800)).expect("a mode")
    }

    /// 1500 + 8 of LLC + 30 = 1538 octets: 4 + 1538 = 1542, padded 1544. Three: 2·1544 + 1542 = 4630.
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

    /// 42 · 1544 = 64 848 and one more of 1542 is above 65 535, with 41 · 1544 + 1542 = 64 846 below.
    ///
    /// Verifies: [80211-2020 §9.4.2.55.3]
    #[test]
    fn ht_takes_42_mpdus_of_1538_octets() {
        let limits = AmpduLimits::of(Format::Ht, Window::Mpdus64);
        let mode = mode(Format::Ht, 7, Width::Mhz40);
        let room = limits.room(mode, Band::Ghz5, Duration::from_micros(32), Duration::MAX);
        let filled = limits.fill(room.expect("room"), [Bytes::new(1_538); 100]);
        assert_eq!((filled.mpdus(), filled.octets()), (42, Bytes::new(64_846)));
    }

    /// HT MCS 0, 20 MHz: 5484 - 36 = 5448 µs, 1362 symbols of 26 bits: 35 412 - 22 bits = 4423 octets: two of 1542, not
    /// three (4630). In a TXOP of 2528 µs, less SIFS 16 and a `BlockAck` of 68: 2444 - 36 = 2408 µs: 602 symbols, 1953.
    ///
    /// Verifies: [80211-2020 §10.12.5, §10.23.2.8]
    #[test]
    fn the_duration_of_a_ppdu_and_the_txop_limit_slow_aggregates() {
        let limits = AmpduLimits::of(Format::Ht, Window::Mpdus64);
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

    /// At 300 Mb/s 8 µs are 300 octets: MPDUs of 100 octets, 104 with delimiter, are 300 apart.
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

    /// 24 Mb/s, 96 bits a symbol. ACK 14 octets: 134 bits → 2 symbols, 28 µs. `BlockAck` 32: 278 → 3, 32 µs; of 256 MPDUs
    /// 56: 470 → 5, 40 µs. BAR 24: 214 → 3, 32 µs. At 6 Mb/s, 24 bits: `BlockAck` 278 → 12 symbols, 68 µs.
    ///
    /// Verifies: [80211-2020 §9.3.1.7, §9.3.1.8.2, §17.4.3]
    #[test]
    fn responses_last_as_long_as_their_symbols() {
        use ofdm::Modulation::{Bpsk12, Qam16R12};
        let us =
            |size, modulation| control_duration(size, modulation, Band::Ghz5).as_nanos() / 1_000;
        let (small, large) = (Window::Mpdus64.response_size(), Window::Mpdus256.response_size());
        assert_eq!((small, large), (Bytes::new(32), Bytes::new(56)));
        assert_eq!([us(small, Qam16R12), us(large, Qam16R12), us(small, Bpsk12)], [32, 40, 68]);
        assert_eq!(us(BLOCK_ACK_REQUEST_SIZE, Qam16R12), 32);
        let extended = control_duration(small, Qam16R12, Band::Ghz2);
        assert_eq!(extended, Duration::from_micros(38));
    }

    /// HT at 20 MHz, 4 ms: 3964 µs behind 36 of preamble, 991 symbols. MCS 7 is no slow one: 991·260 - 22 bits are 32 204
    /// octets. MCS 0 is: 2 ms leave 491 symbols of 26 bits, 12 744 bits, 1593 octets. What is longer than all stays at 4 ms.
    #[test]
    fn a_driver_may_limit_the_time_of_an_aggregate_at_low_rates_more_than_at_others() {
        let us = Duration::from_micros;
        let of = |mcs, slow_duration| {
            let usual = AmpduLimits::of(Format::Ht, Window::Mpdus64);
            let limits = AmpduLimits { max_duration: us(4_000), slow_duration, ..usual };
            let mode = mode(Format::Ht, mcs, Width::Mhz20);
            limits.room(mode, Band::Ghz5, us(68), Duration::MAX).expect("room").get()
        };
        assert_eq!((of(7, us(2_000)), of(0, us(2_000))), (32_204, 1_593));
        assert_eq!((of(7, us(5_000)), of(0, us(5_000))), (32_204, 3_218));
    }

    /// Subframes of 1508 octets are 1522, and 1524 but for the last: three are 4570, and a fourth does not fit 4600. Each of 64
    /// MPDUs has three. Within A-MPDUs of HT there are 4065 octets, for two. A header and what may come beside it has 56.
    ///
    /// Verifies: [80211-2020 §9.3.2.2, §9.7.1]
    #[test]
    fn an_agreement_knows_how_many_packets_a_frame_may_have() {
        let (packet, amsdu) = (Bytes::new(1_508), Bytes::new(4_600));
        let of = |agreement: Agreement| agreement.most_packets(packet);
        let he = Agreement::of(Format::He, Window::Mpdus64);
        assert_eq!((of(he), of(he.with_amsdu(Format::He, amsdu))), (64, 192));
        assert_eq!(of(Agreement::without_block_ack(Format::Ht, amsdu)), 3);
        let ht = Agreement::of(Format::Ht, Window::Mpdus64);
        assert_eq!(of(ht.with_amsdu(Format::Ht, amsdu)), 128);
        let sizes = [packet; 3];
        assert_eq!(amsdu_size(sizes), Bytes::new(4_570));
        assert_eq!([0, 1, 2].map(|it| AMSDU_LIMITS[it].get() + 56), [3_895, 7_991, 11_454]);
        let known = |format, band| amsdu_limits(format, band).len();
        assert_eq!(known(Format::Ht, Band::Ghz5), 2);
        assert_eq!((known(Format::He, Band::Ghz2), known(Format::Vht, Band::Ghz5)), (2, 3));
    }

    /// Verifies: [80211-2020 §10.6.6.5.2]
    #[test]
    fn a_response_has_the_highest_basic_rate_that_the_reference_rate_allows() {
        use ofdm::Modulation::{Bpsk12, Qam16R12, Qpsk12};
        let of =
            |mcs, basic: &[_]| response_modulation(mode(Format::Vht, mcs, Width::Mhz80), basic);
        let basic = [Bpsk12, Qpsk12, Qam16R12];
        assert_eq!(
            [0, 1, 2, 3, 9].map(|mcs| of(mcs, &basic)),
            [Bpsk12, Qpsk12, Qpsk12, Qam16R12, Qam16R12]
        );
        assert_eq!((of(9, &[Bpsk12]), of(9, &[])), (Bpsk12, Qam16R12));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What is filled fits, one more would not, and the length is the sum over subframes.
        #[test]
        fn an_aggregate_is_as_long_as_its_limits_allow(
            sizes in prop::collection::vec(30_u64..4_000, 1..80),
            room in 30_u64..70_000,
            most in 1_u16..64,
        ) {
            let limits = AmpduLimits { max_mpdus: most, ..AmpduLimits::of(Format::Ht, Window::Mpdus64) };
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
