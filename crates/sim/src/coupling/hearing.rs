//! Conversion of overheard frames into the observations of the laws.

use airfair_laws::occupancy_meter as meter;
use airfair_laws::receipts::HeardFrame;
use airfair_units::{Bytes, DataRate, Duration};
use airfair_wlan::airtime::Airtime;
use airfair_wlan::phy::{PpduKind, TxVector};
use airfair_wlan::{FrameKind, NodeId, Overheard};

use crate::packet::{Body, External, Packet};

/// Settings of the meter of channel occupancy at member `me` of a cell.
pub(super) fn meter_params(me: NodeId, slot: Duration, airtime: &Airtime) -> meter::Params {
    let timing = &airtime.timing;
    meter::Params {
        me: me.0,
        access_point: NodeId::AP.0,
        slot,
        sifs: timing.sifs,
        difs: timing.difs,
        backoff_slot: timing.slot,
        cw_min: timing.cw_min,
    }
}

/// Converts an overheard frame into an observation of the meter of channel occupancy. Overwrites `packets` with the
/// packets in the frame if the listener itself sends or receives the frame.
#[inline]
pub(super) fn heard<'p>(
    airtime: &Airtime,
    heard: &Overheard<'_, Packet>,
    packets: &'p mut Vec<meter::Packets>,
) -> HeardFrame<'p> {
    packets.clear();
    for msdu in heard.packets() {
        let (flow, payload) = (msdu.payload.flow.0, Bytes::new(payload(&msdu.payload).into()));
        meter::Packets::gather(packets, meter::Packets::one(flow, payload, msdu.size));
    }
    let kind = match (heard.kind(), heard.from()) {
        _ if heard.is_foreign() => meter::Kind::Foreign,
        (FrameKind::Rts, Some(from)) => meter::Kind::Rts { from: from.0 },
        (FrameKind::Data, Some(from)) => {
            meter::Kind::Data { from: from.0, psdu: heard.psdu(), packets }
        }
        (FrameKind::CtsToSelf | FrameKind::CtsToOther, _) => {
            meter::Kind::Cts { request: Duration::ZERO }
        }
        (FrameKind::Cts, _) => meter::Kind::Cts { request: airtime.rts(heard.tx()) },
        (FrameKind::BlockAck | FrameKind::MultiBlockAck, _) if heard.is_receiver() => {
            meter::Kind::BlockAck { acknowledged: packets }
        }
        (FrameKind::BlockAckRequest, Some(from)) => meter::Kind::BlockAckRequest { from: from.0 },
        // The time of a multi-user exchange counts as that of its frames; the law knows no shares of the width.
        (
            FrameKind::Ack
            | FrameKind::BlockAck
            | FrameKind::MultiUser
            | FrameKind::Trigger
            | FrameKind::TriggerBased
            | FrameKind::MultiBlockAck
            | FrameKind::NdpAnnouncement
            | FrameKind::Ndp
            | FrameKind::BeamformingReport,
            _,
        ) => meter::Kind::Ack,
        (FrameKind::Beacon | FrameKind::CfEnd, _) => meter::Kind::Beacon,
        (FrameKind::Rts | FrameKind::Data | FrameKind::BlockAckRequest, None) => {
            unreachable!("they name their transmitter")
        }
    };
    // The law ignores the receivers of beacons and of frames of other cells.
    let to = heard.to().unwrap_or_default().0;
    let frame = meter::Frame {
        end: heard.end(),
        duration: heard.duration(),
        duration_field: heard.duration_field(),
        to,
        backoff: heard.backoff,
        kind,
    };
    HeardFrame { frame, rate: rate_of_time(heard.tx()) }
}

/// Rate of a frame, or for a part of a PPDU of several users the rate that the whole width would have. A part takes its
/// share of the width, so that its octets take the same time × width as at this rate.
#[inline]
fn rate_of_time(tx: TxVector) -> DataRate {
    match tx {
        TxVector::Mode(mode) if mode.kind() != PpduKind::Single => mode.in_whole_width().rate(),
        _ => tx.rate(),
    }
}

/// Application octets of a packet; 0 for an ACK or a feedback packet.
fn payload(packet: &Packet) -> u32 {
    match &packet.body {
        Body::Segment(segment) => segment.payload,
        Body::TfrcData(data) => data.payload,
        Body::Datagram(datagram) => datagram.payload,
        Body::QuicData(data) => data.payload,
        Body::QuicAck(_) | Body::QuicHandshake(_) | Body::TfrcFeedback(_) | Body::Report(_) => 0,
        Body::External(External { tcp: Some(tcp), .. }) => tcp.payload,
        Body::External(external) => {
            u32::try_from(external.size.get()).expect("a packet of 64 KiB at most")
        }
    }
}
