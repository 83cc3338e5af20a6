//! Delivered packets of a station, derived from the station's own frames.
//!
//! Source: [arf-window §III-B] and [occupancy-tfrc §III-C] act when the rate of a station's link changes. A
//! station knows the rate of a delivered frame: at once if it receives the frame, and by the ACK if it sends
//! it. The state is updated in place, because copying the state of all flows would cost more than the law.

use airfair_units::{Bytes, DataRate};

use crate::Direction;
use crate::occupancy_meter::{Frame, Kind, Packets};

/// A frame that a station has decoded or sent, with the station's own packets in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeardFrame<'p> {
    /// The frame that the station has decoded or sent, with its header fields.
    pub frame: Frame<'p>,
    /// PHY rate of the frame that the station has decoded or sent.
    pub rate: DataRate,
}

/// A flow that begins or ends at the station, with the amount and the sizes of its delivered packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalFlow {
    /// Number that identifies the flow.
    pub flow: u16,
    /// Direction of the flow's data on the wireless link.
    pub direction: Direction,
    /// True if a control law limits the flow.
    pub is_controlled: bool,
    /// Data of the flow that has been delivered so far.
    pub delivered: Bytes,
    /// Largest payload of a delivered packet of the flow.
    pub largest: Bytes,
    /// Length of the headers of a data packet of the flow, LLC/SNAP included.
    pub headers: Bytes,
    /// Length of a packet of the flow without data, such as an ACK, LLC/SNAP included.
    pub answer: Bytes,
}

impl LocalFlow {
    /// Creates a flow of which no packet was delivered yet.
    #[must_use]
    pub fn new(flow: u16, direction: Direction, is_controlled: bool) -> Self {
        let none = Bytes::ZERO;
        let (delivered, largest, headers, answer) = (none, none, none, none);
        Self { flow, direction, is_controlled, delivered, largest, headers, answer }
    }

    /// Updates the flow with packets that have been delivered.
    fn note(&mut self, acknowledged: &Packets) {
        if acknowledged.answers > 0 {
            self.answer = acknowledged.answer;
        }
        if acknowledged.data > 0 {
            self.delivered += acknowledged.payload;
            self.largest = self.largest.max(acknowledged.largest);
            self.headers = acknowledged.headers;
        }
    }
}

/// Tracker of delivered packets: rate and packets of the station's last own data frame, until that frame is
/// answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryTracker {
    sent: Option<DataRate>,
    packets: Vec<Packets>,
}

impl DeliveryTracker {
    /// Processes a frame that station `me` has decoded or sent, and updates the flows of the packets that the
    /// frame delivers. Returns the direction and the rate of these packets, if there are any.
    pub fn process<'f>(
        &mut self,
        me: u16,
        heard: &HeardFrame,
        flows: impl Iterator<Item = &'f mut LocalFlow>,
    ) -> Option<(Direction, DataRate)> {
        let (direction, rate, acknowledged) = match heard.frame.kind {
            Kind::Data { packets: [], .. } => return None,
            Kind::Data { from, packets, .. } if from == me => {
                self.sent = Some(heard.rate);
                self.packets.clear();
                self.packets.extend_from_slice(packets);
                return None;
            }
            Kind::Data { packets, .. } => (Direction::Down, heard.rate, packets),
            Kind::Ack if heard.frame.to == me => {
                (Direction::Up, self.sent.take()?, self.packets.as_slice())
            }
            Kind::BlockAck { acknowledged } if heard.frame.to == me => (
                Direction::Up,
                self.sent.take().filter(|_| !acknowledged.is_empty())?,
                acknowledged,
            ),
            _ => return None,
        };
        for known in flows {
            if let Some(acknowledged) = acknowledged.iter().find(|it| it.flow == known.flow) {
                known.note(acknowledged);
            }
        }
        Some((direction, rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::packet;
    use airfair_units::{Duration, Time};

    const ME: u16 = 1;
    const RATE: DataRate = DataRate::from_mbps(54);

    fn heard(to: u16, kind: Kind<'_>) -> HeardFrame<'_> {
        let (duration, duration_field) = (Duration::ZERO, Duration::ZERO);
        let frame = Frame { end: Time::ZERO, duration, duration_field, to, backoff: None, kind };
        HeardFrame { frame, rate: RATE }
    }

    fn data(from: u16, to: u16, packets: &[Packets]) -> HeardFrame<'_> {
        heard(to, Kind::Data { from, psdu: Bytes::new(1_076), packets })
    }

    /// A received frame is delivered; a sent one is delivered by its ACK, once.
    ///
    /// Verifies: [arf-window §III-B]
    #[test]
    fn a_packet_counts_when_it_is_delivered() {
        let mut flows = [LocalFlow::new(7, Direction::Up, true)];
        let mut tracker = DeliveryTracker::default();
        let mut take = |heard| tracker.process(ME, &heard, flows.iter_mut());
        let (one, answer) = ([packet(1_000)], [Packets::one(7, Bytes::ZERO, Bytes::new(48))]);
        assert_eq!(take(heard(ME, Kind::Ack)), None);
        assert_eq!(take(data(ME, 0, &one)), None);
        assert_eq!(take(heard(2, Kind::Ack)), None, "another's");
        assert_eq!(take(heard(ME, Kind::Ack)), Some((Direction::Up, RATE)));
        assert_eq!(take(heard(ME, Kind::Ack)), None);
        assert_eq!(take(data(0, ME, &answer)), Some((Direction::Down, RATE)));
        let [flow] = flows;
        assert_eq!((flow.delivered, flow.largest), (Bytes::new(1_000), Bytes::new(1_000)));
        assert_eq!((flow.headers, flow.answer), (Bytes::new(48), Bytes::new(48)));
    }

    /// A `BlockAck` acknowledges two of the three packets of an aggregate, and none of the next aggregate.
    #[test]
    fn packets_that_a_block_ack_acknowledges_are_delivered() {
        let mut flows = [LocalFlow::new(7, Direction::Up, true)];
        let mut tracker = DeliveryTracker::default();
        let mut take = |heard| tracker.process(ME, &heard, flows.iter_mut());
        let frame = |packets: &[Packets]| {
            let mut all = Vec::new();
            for packet in packets {
                Packets::gather(&mut all, *packet);
            }
            all
        };
        let all = frame(&[packet(1_000), packet(300), packet(900)]);
        let acknowledged = frame(&[packet(300), packet(900)]);
        assert_eq!(take(data(ME, 0, &all)), None);
        let block_ack = |acknowledged| heard(ME, Kind::BlockAck { acknowledged });
        assert_eq!(take(block_ack(&acknowledged)), Some((Direction::Up, RATE)));
        assert_eq!(take(data(ME, 0, &all)), None);
        assert_eq!(take(block_ack(&[])), None);
        assert_eq!(take(heard(ME, Kind::Ack)), None);
        assert_eq!((flows[0].delivered, flows[0].largest), (Bytes::new(1_200), Bytes::new(900)));
    }
}
