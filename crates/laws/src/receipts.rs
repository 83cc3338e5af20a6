//! Packets that have got through to a station and from it, as its own frames show them.
//!
//! Source: [arf-window §III-B], [occupancy-tfrc §III-C] act when the rate of a station's link changes. A station
//! knows the rate of a frame that has got through: of one that it receives at once, of its own by the ACK. It takes
//! in one frame after the other in place; a copy of what it knows of each flow would cost more than the law.

use airfair_units::{Bytes, DataRate};

use crate::Direction;
use crate::occupancy_meter::{Frame, Kind, Packet};

/// A frame that a station has decoded or sent, with what its own packets tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The frame.
    pub frame: Frame,
    /// Its rate.
    pub rate: DataRate,
    /// Length of the packet in it, LLC/SNAP included; nothing where the station does not know the packet.
    pub msdu: Bytes,
}

/// A flow with an end at the station, as what has got through shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalFlow {
    /// Its number.
    pub flow: u16,
    /// Direction of its data.
    pub direction: Direction,
    /// True if the law limits it.
    pub is_controlled: bool,
    /// Data that has got through.
    pub moved: Bytes,
    /// The most data of a packet.
    pub largest: Bytes,
    /// Headers before the data of a packet, LLC/SNAP included.
    pub headers: Bytes,
    /// A packet without data, which answers others, LLC/SNAP included.
    pub answer: Bytes,
}

impl LocalFlow {
    /// A flow of which nothing has got through yet.
    #[must_use]
    pub fn new(flow: u16, direction: Direction, is_controlled: bool) -> Self {
        let none = Bytes::ZERO;
        let (moved, largest, headers, answer) = (none, none, none, none);
        Self { flow, direction, is_controlled, moved, largest, headers, answer }
    }

    /// Takes note of a packet of it that has got through.
    fn note(&mut self, payload: Bytes, msdu: Bytes) {
        if payload.is_zero() {
            self.answer = msdu;
            return;
        }
        self.moved += payload;
        self.largest = self.largest.max(payload);
        self.headers = msdu - payload;
    }
}

/// The station's own last data frame, until the ACK: rate, packet and length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receipts {
    sent: Option<(DataRate, Packet, Bytes)>,
}

impl Receipts {
    /// Takes in a frame of station `me`, and one of `flows` takes note of what has got through by it. Direction and
    /// rate of that packet, if there is one.
    pub fn take<'f>(
        &mut self,
        me: u16,
        heard: &Heard,
        mut flows: impl Iterator<Item = &'f mut LocalFlow>,
    ) -> Option<(Direction, DataRate)> {
        let (direction, (rate, packet, msdu)) = match heard.frame.kind {
            Kind::Data { from, packet: Some(packet), .. } => {
                let data = (heard.rate, packet, heard.msdu);
                if from == me {
                    self.sent = Some(data);
                    return None;
                }
                (Direction::Down, data)
            }
            Kind::Ack if heard.frame.to == me => (Direction::Up, self.sent.take()?),
            _ => return None,
        };
        if let Some(known) = flows.find(|known| known.flow == packet.flow) {
            known.note(Bytes::new(packet.payload.into()), msdu);
        }
        Some((direction, rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::{Duration, Time};

    const ME: u16 = 1;
    const RATE: DataRate = DataRate::from_mbps(54);

    fn heard(to: u16, kind: Kind, msdu: u64) -> Heard {
        let (duration, duration_field) = (Duration::ZERO, Duration::ZERO);
        let frame = Frame { end: Time::ZERO, duration, duration_field, to, backoff: None, kind };
        Heard { frame, rate: RATE, msdu: Bytes::new(msdu) }
    }

    fn data(from: u16, to: u16, payload: u32) -> Heard {
        let packet = Some(Packet { flow: 7, payload });
        let msdu = u64::from(payload) + 48;
        heard(to, Kind::Data { from, psdu: Bytes::new(msdu + 28), packet }, msdu)
    }

    /// A frame received has got through, an own one has with its ACK, and only once.
    ///
    /// Verifies: [arf-window §III-B]
    #[test]
    fn a_packet_counts_when_it_has_got_through() {
        let mut flows = [LocalFlow::new(7, Direction::Up, true)];
        let mut receipts = Receipts::default();
        let mut take = |heard| receipts.take(ME, &heard, flows.iter_mut());
        assert_eq!(take(heard(ME, Kind::Ack, 0)), None);
        assert_eq!(take(data(ME, 0, 1_000)), None);
        assert_eq!(take(heard(2, Kind::Ack, 0)), None, "another's");
        assert_eq!(take(heard(ME, Kind::Ack, 0)), Some((Direction::Up, RATE)));
        assert_eq!(take(heard(ME, Kind::Ack, 0)), None);
        assert_eq!(take(data(0, ME, 0)), Some((Direction::Down, RATE)));
        let [flow] = flows;
        assert_eq!((flow.moved, flow.largest), (Bytes::new(1_000), Bytes::new(1_000)));
        assert_eq!((flow.headers, flow.answer), (Bytes::new(48), Bytes::new(48)));
    }
}
