//! Sizes of frames: headers, control frames, and the PSDU around a packet.

use airfair_units::Bytes;

use crate::phy::mode::Format;
use crate::phy::{Mode, TxVector};

/// Header, 24 octets, and frame check sequence, 4, of a data frame without `QoS`.  [80211-2020 §9.3.2.1]
pub const DATA_OVERHEAD: Bytes = Bytes::new(28);
/// Size of an ACK or CTS frame.  [80211-2020 §9.3.1.3, §9.3.1.4]
pub const ACK_SIZE: Bytes = Bytes::new(14);
/// Size of a CTS frame.  [80211-2020 §9.3.1.3]
pub const CTS_SIZE: Bytes = Bytes::new(14);
/// Size of a CF-End frame.  [80211-2020 §9.3.1.6]
pub const CF_END_SIZE: Bytes = Bytes::new(20);
/// Size of an RTS frame.  [80211-2020 §9.3.1.2]
pub const RTS_SIZE: Bytes = Bytes::new(20);
/// Header, 26 octets, and frame check sequence, 4 octets, of a `QoS` data frame.  [80211-2020 §9.3.2.1]
pub(crate) const QOS_DATA_OVERHEAD: Bytes = Bytes::new(30);
/// Delimiter before each MPDU of an A-MPDU.  [80211-2020 §9.7.1]
pub(crate) const DELIMITER: Bytes = Bytes::new(4);
/// Size of a `BlockAckReq` for one traffic identifier.  [80211-2020 §9.3.1.7]
pub(crate) const BLOCK_ACK_REQUEST_SIZE: Bytes = Bytes::new(24);

/// Header, 16 octets, and frame check sequence, 4 octets, of a control frame with two addresses.  [80211-2020 §9.3.1]
const CONTROL_OVERHEAD: Bytes = Bytes::new(20);
/// Size of a `QoS` Null frame, which has no data. Several of them, one for each access category, report buffers.
/// [80211-2020 §9.3.2.1]
pub const QOS_NULL_SIZE: Bytes = QOS_DATA_OVERHEAD;

/// Variant of a trigger frame by its purpose.  [80211ax-2021 §9.3.1.22]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TriggerVariant {
    /// Basic: asks for data.
    Basic,
    /// Buffer status report poll (BSRP): asks for buffer status reports.
    BufferStatus,
    /// MU-BAR: asks for a `BlockAck` from each user.
    BlockAckRequest,
    /// MU-RTS: asks for CTS frames.
    Rts,
    /// Beamforming report poll (BFRP): asks for reports of a sounding.
    BeamformingReport,
}

impl TriggerVariant {
    /// User Info field of one user: 5 octets, and 1 octet in a Basic trigger or a BFRP, or BAR Control, 2, and BAR
    /// Information, 2, in an MU-BAR.  [80211ax-2021 §9.3.1.22]
    const fn user_info(self) -> u64 {
        match self {
            Self::Basic | Self::BeamformingReport => 5 + 1,
            Self::BlockAckRequest => 5 + 2 + 2,
            Self::BufferStatus | Self::Rts => 5,
        }
    }

    /// Size of a trigger for users of this format, without padding: header and frame check sequence, 20 octets, Common
    /// Info, 8, and the User Info fields. A trigger for EHT has one more, the Special User Info. Padding gives stations
    /// time to prepare; airfair's need none.  [80211ax-2021 §9.3.1.22], [80211be-2024 §9.3.1.22]
    pub fn size(self, users: usize, format: Format) -> Bytes {
        let users = u64::try_from(users).expect("a few dozen users");
        let special = u64::from(format == Format::Eht);
        CONTROL_OVERHEAD + Bytes::new(8 + (users + special) * self.user_info())
    }
}

/// Answer to one traffic identifier of a station in a Multi-STA `BlockAck`.  [80211ax-2021 §9.3.1.8.7]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Acknowledgment {
    /// All MPDUs of the PPDU, without a bitmap.
    All,
    /// A bitmap for a window of this many MPDUs.
    Bitmap(u16),
}

/// Octets of the bitmap for a window of MPDUs: the smallest of 8, 32, 64 and 128 octets with a bit for each.
/// [80211ax-2021 §9.3.1.8.2], [80211be-2024 §9.3.1.8.2]
///
/// # Panics
/// If the window has more than 1024 MPDUs.
pub fn bitmap(mpdus: u16) -> Bytes {
    let sizes = [8_u16, 32, 64, 128];
    let found = sizes.into_iter().find(|octets| 8 * octets >= mpdus);
    Bytes::new(u64::from(found.expect("a window of at most 1024 MPDUs")))
}

/// Size of a compressed `BlockAck` for a window of MPDUs: header and frame check sequence, 20 octets, BA Control, 2,
/// Block Ack Starting Sequence Control, 2, and the bitmap.  [80211-2020 §9.3.1.8.2]
///
/// # Panics
/// If the window has more than 1024 MPDUs.
pub fn block_ack(mpdus: u16) -> Bytes {
    CONTROL_OVERHEAD + Bytes::new(2 + 2) + bitmap(mpdus)
}

/// Size of a Multi-STA `BlockAck`: header and frame check sequence, 20 octets, BA Control, 2, and for each answer AID
/// TID Info, 2, and with a bitmap Block Ack Starting Sequence Control, 2, and the bitmap.  [80211ax-2021 §9.3.1.8.7]
///
/// # Panics
/// If a window has more than 1024 MPDUs.
pub fn multi_sta_block_ack(answers: impl IntoIterator<Item = Acknowledgment>) -> Bytes {
    let of = |answer| match answer {
        Acknowledgment::All => Bytes::new(2),
        Acknowledgment::Bitmap(mpdus) => Bytes::new(2 + 2) + bitmap(mpdus),
    };
    answers.into_iter().fold(CONTROL_OVERHEAD + Bytes::new(2), |sum, answer| sum + of(answer))
}

/// Size of the MPDU of a data frame with this vector. HT, VHT and HE frames are `QoS` data frames.  [80211-2020
/// §9.3.2.1]
#[inline]
pub(crate) fn mpdu(msdu: Bytes, tx: TxVector) -> Bytes {
    msdu + if matches!(tx, TxVector::Mode(_)) { QOS_DATA_OVERHEAD } else { DATA_OVERHEAD }
}

/// Size of the PSDU of a data frame with one MPDU.
#[inline]
pub(crate) fn psdu(msdu: Bytes, tx: TxVector) -> Bytes {
    match tx {
        TxVector::Mode(mode) => mode_psdu(msdu, mode),
        _ => msdu + DATA_OVERHEAD,
    }
}

/// Size of the only MPDU in a PSDU: without the delimiter of an S-MPDU.  [80211-2020 §10.12.6]
#[inline]
pub(crate) fn only_mpdu(psdu: Bytes, tx: TxVector) -> Bytes {
    match tx {
        TxVector::Mode(mode) if mode.format() != Format::Ht => psdu - DELIMITER,
        _ => psdu,
    }
}

/// Size of the PSDU of an HT, VHT or HE data frame with one MPDU. In VHT and HE each PSDU is an A-MPDU; with one MPDU
/// it is an S-MPDU.  [80211-2020 §10.12.6]
// A separate function, so that frames of legacy vectors do not pay for it.
#[inline(never)]
fn mode_psdu(msdu: Bytes, mode: Mode) -> Bytes {
    let delimiter = if mode.format() == Format::Ht { Bytes::ZERO } else { DELIMITER };
    delimiter + msdu + QOS_DATA_OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of triggers for four users. Basic and BFRP: 20 + 8 + 4·6 = 52 octets; BSRP and MU-RTS: 20 + 8 + 4·5 = 48; MU-BAR:
    /// 20 + 8 + 4·9 = 64. A trigger for EHT has five fields: 58, 53 and 73 octets.
    ///
    /// Verifies: [80211ax-2021 §9.3.1.22], [80211be-2024 §9.3.1.22]
    #[test]
    fn a_trigger_has_a_field_for_each_user() {
        let all = [
            TriggerVariant::Basic,
            TriggerVariant::BufferStatus,
            TriggerVariant::BlockAckRequest,
            TriggerVariant::Rts,
            TriggerVariant::BeamformingReport,
        ];
        let of = |format| all.map(|it| it.size(4, format).get());
        assert_eq!(of(Format::He), [52, 48, 64, 48, 52]);
        assert_eq!(of(Format::Eht), [58, 53, 73, 53, 58]);
    }

    /// Sizes of compressed `BlockAck`s: 24 octets and a bitmap of 8, 32, 64 or 128 octets for 64, 256, 512 or 1024
    /// MPDUs.
    ///
    /// Verifies: [80211-2020 §9.3.1.8.2], [80211be-2024 §9.3.1.8.2]
    #[test]
    fn a_block_ack_has_a_bit_for_each_mpdu() {
        assert_eq!([1, 64, 65, 256].map(|mpdus| block_ack(mpdus).get()), [32, 32, 56, 56]);
        assert_eq!([257, 512, 513, 1_024].map(|mpdus| block_ack(mpdus).get()), [88, 88, 152, 152]);
    }

    /// Sizes of Multi-STA `BlockAck`s: 22 octets, 2 for a station whose MPDUs are all correct, 12 with a bitmap for 64
    /// MPDUs and 36 with one for 256. Three stations, one of each: 22 + 2 + 12 + 36 = 72.
    ///
    /// Verifies: [80211ax-2021 §9.3.1.8.7]
    #[test]
    fn a_multi_sta_block_ack_has_an_answer_for_each_station() {
        use Acknowledgment::{All, Bitmap};
        let of = |answers: &[Acknowledgment]| multi_sta_block_ack(answers.iter().copied()).get();
        assert_eq!(of(&[All]), 24);
        assert_eq!(of(&[All, Bitmap(64), Bitmap(256)]), 72);
        assert_eq!(of(&[Bitmap(64); 9]), 22 + 9 * 12);
    }
}
