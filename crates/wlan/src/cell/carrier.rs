//! Size and duration of the data frames that a member may send.

use airfair_units::{Bytes, Duration};

use crate::aggregation::{Agreement, amsdu_size};
use crate::airtime::Airtime;
use crate::phy::TxVector;
use crate::queue::Room;
use crate::sizes::{self, QOS_DATA_OVERHEAD};

/// Size and duration of a data frame that a member may send, and duration of the response to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Number of packets in the frame.
    pub packets: u32,
    /// Size of the PSDU.
    pub psdu: Bytes,
    /// Duration of the frame.
    pub data: Duration,
    /// Duration of the response.
    pub response: Duration,
}

impl Carrier {
    /// Data frame with this vector that carries up to `most` packets of `msdu` octets: as many as the limits of an
    /// aggregate under `agreement` allow, in A-MSDUs if these are used.
    pub fn of(
        airtime: &Airtime,
        agreement: Option<&Agreement>,
        (msdu, most): (Bytes, u32),
        tx: TxVector,
    ) -> Self {
        let frame = |packets, psdu, response| {
            let data = airtime.frame(psdu, tx);
            Self { packets, psdu, data, response }
        };
        let alone = || frame(1, sizes::psdu(msdu, tx), airtime.ack(tx));
        let Some(agreement) = agreement else { return alone() };
        let joined = agreement.most_joined(msdu).min(most).max(1);
        let one = match joined {
            1 => msdu,
            _ => amsdu_size((0..joined).map(|_| msdu)),
        };
        let response = airtime.frame(agreement.window.response_size(), airtime.response(tx));
        let room = room(airtime, agreement, (tx, response, Duration::MAX));
        let most = usize::try_from(most / joined).unwrap_or(usize::MAX).min(room.mpdus.into());
        let mpdus = std::iter::repeat_n(one + QOS_DATA_OVERHEAD, most);
        let filled = agreement.limits.fill(room.octets, mpdus);
        if filled.mpdus() < 2 {
            return alone();
        }
        frame(joined * u32::from(filled.mpdus()), filled.octets(), response)
    }
}

/// Room of an aggregate with this vector, so that it and its response fit into the rest of a TXOP.
pub(super) fn room(
    airtime: &Airtime,
    agreement: &Agreement,
    (tx, response, rest): (TxVector, Duration, Duration),
) -> Room {
    let (limits, mpdus) = (&agreement.limits, agreement.most_mpdus());
    let octets = match tx {
        TxVector::Mode(mode) => {
            limits.room(mode, airtime.band(), response, rest).unwrap_or(Bytes::ZERO)
        }
        _ => limits.max_bytes,
    };
    Room { octets, mpdus }
}
