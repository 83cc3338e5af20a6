//! A flow with an end at a station, as the station's own frames show it.

use airfair_units::{Bytes, DataRate};
use airfair_wlan::{FrameKind, Msdu, NodeId, Overheard};

use super::hearing;
use crate::packet::{FlowId, Packet, Side};

/// What a station knows of one of its flows.
#[derive(Debug)]
pub(crate) struct LocalFlow {
    pub(super) id: FlowId,
    /// Its end here: data goes up from a sender and down to a receiver.
    pub(super) side: Side,
    /// Whether the law of the station's observer limits it.
    pub(super) is_controlled: bool,
    /// Data that has got through.
    pub(super) moved: Bytes,
    /// The most data of a packet.
    pub(super) largest: Bytes,
    /// Headers before the data of a packet, LLC/SNAP included.
    pub(super) headers: Bytes,
    /// A packet without data, which answers others, LLC/SNAP included.
    pub(super) answer: Bytes,
}

impl LocalFlow {
    pub(crate) fn new(id: FlowId, side: Side, is_controlled: bool) -> Self {
        let none = Bytes::ZERO;
        let (moved, largest, headers, answer) = (none, none, none, none);
        Self { id, side, is_controlled, moved, largest, headers, answer }
    }

    /// Whether the law acts at a sender here.
    pub(super) fn is_controlled_sender(&self) -> bool {
        self.side == Side::Sender && self.is_controlled
    }

    /// A packet of it has got through.
    fn note(&mut self, msdu: &Msdu<Packet>) {
        let payload = Bytes::new(hearing::payload(&msdu.payload).into());
        if payload.is_zero() {
            self.answer = msdu.size;
            return;
        }
        self.moved += payload;
        self.largest = self.largest.max(payload);
        self.headers = msdu.size - payload;
    }
}

/// What has got through to a station, and of its own frames, which it knows by the ACK.
#[derive(Debug)]
pub(super) struct Receipts {
    station: NodeId,
    /// Its own last data frame, until the ACK: rate and packet.
    sent: Option<(DataRate, Msdu<Packet>)>,
}

impl Receipts {
    pub(super) fn new(station: NodeId) -> Self {
        Self { station, sent: None }
    }

    /// From which end of its flow something has got through, at which rate; one of `flows` takes note of it.
    pub(super) fn take<'f>(
        &mut self,
        heard: &Overheard<Packet>,
        mut flows: impl Iterator<Item = &'f mut LocalFlow>,
    ) -> Option<(Side, DataRate)> {
        let (from, (rate, msdu)) = match (heard.kind, heard.msdu) {
            (FrameKind::Data, Some(msdu)) if msdu.from == self.station => {
                self.sent = Some((heard.rate, msdu));
                return None;
            }
            (FrameKind::Data, Some(msdu)) => (Side::Receiver, (heard.rate, msdu)),
            (FrameKind::Ack, _) if heard.to == Some(self.station) => {
                (Side::Sender, self.sent.take()?)
            }
            _ => return None,
        };
        if let Some(known) = flows.find(|known| known.id == msdu.payload.flow) {
            known.note(&msdu);
        }
        Some((from, rate))
    }
}
