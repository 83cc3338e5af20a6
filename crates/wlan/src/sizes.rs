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
/// Size of an RTS frame.  [80211-2020 §9.3.1.2]
pub const RTS_SIZE: Bytes = Bytes::new(20);
/// Header, 26 octets, and frame check sequence, 4 octets, of a `QoS` data frame.  [80211-2020 §9.3.2.1]
pub(crate) const QOS_DATA_OVERHEAD: Bytes = Bytes::new(30);
/// Delimiter before each MPDU of an A-MPDU.  [80211-2020 §9.7.1]
pub(crate) const DELIMITER: Bytes = Bytes::new(4);
/// Size of a `BlockAckReq` for one traffic identifier.  [80211-2020 §9.3.1.7]
pub(crate) const BLOCK_ACK_REQUEST_SIZE: Bytes = Bytes::new(24);

/// `QoS` Null, with the backlog of its station.  [80211-2020 §9.3.2.1]
pub(crate) const QOS_NULL: Bytes = Bytes::new(30);

/// Size of a Basic trigger for this number of stations.  [80211ax-2021 §9.3.1.22]
pub(crate) fn basic_trigger(users: usize) -> Bytes {
    Bytes::new(30 + 6 * users as u64)
}

/// Size of a BSRP trigger for this number of stations.  [80211ax-2021 §9.3.1.22]
pub(crate) fn bsrp(users: usize) -> Bytes {
    Bytes::new(30 + 5 * users as u64)
}

/// Size of an MU-BAR trigger for this number of stations.  [80211ax-2021 §9.3.1.22]
pub(crate) fn mu_bar(users: usize) -> Bytes {
    Bytes::new(30 + 9 * users as u64)
}

/// Size of a `BlockAck` for several stations, with these entries.  [80211ax-2021 §9.3.1.8.6]
pub(crate) fn multi_station_block_ack(entries: impl Iterator<Item = Bytes>) -> Bytes {
    Bytes::new(22) + entries.sum()
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
