//! Records of a cell: what has happened on the air and in the queues. A cell keeps no other statistics.

use airfair_laws::Direction;
use airfair_units::{Bytes, DataRate, Time};

use crate::edca::AccessCategory;
use crate::node::NodeId;

/// Record of something that happened in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// The air had the same use during an interval. The intervals of these records follow each other without gaps.
    Air {
        /// Start of the interval in which the air had this use.
        from: Time,
        /// End of the interval in which the air had this use.
        to: Time,
        /// Use of the air during the interval.
        usage: AirUse,
    },
    /// A frame has left the air.
    Sent {
        /// Transmitter of the frame.
        node: NodeId,
        /// Kind of the frame.
        frame: SentFrame,
        /// True if the same frame was sent before.
        retry: bool,
        /// True if another frame overlapped the frame at its receiver: the receiver's own, or one that the receiver
        /// senses. For a beacon: at any member that senses the beacon.
        collided: bool,
    },
    /// Frames have begun to collide. Further frames that overlap a collided frame belong to the same collision.
    Collision,
    /// The length of a transmit queue has changed.
    Queue {
        /// Member to which the queue belongs.
        node: NodeId,
        /// Length of the queue after the change [packets].
        length: u32,
    },
    /// A packet was dropped.
    Dropped {
        /// Member that dropped the packet.
        node: NodeId,
        /// Reason for the drop.
        cause: DropCause,
    },
    /// A data frame under a block ack agreement has left the air, in addition to its `Sent` record.
    Aggregate {
        /// Transmitter of the frame.
        node: NodeId,
        /// Receiver of the frame.
        to: NodeId,
        /// Number of MPDUs in the frame; 1 is no aggregate.
        mpdus: u16,
        /// Size of all MPDUs, delimiters and padding included.
        octets: Bytes,
    },
    /// A data frame with A-MSDUs has left the air, in addition to its `Sent` record.
    Joined {
        /// Transmitter of the frame.
        node: NodeId,
        /// Number of packets beyond the first of each A-MSDU.
        packets: u16,
    },
    /// A data frame arrived a second time, and was acknowledged but not delivered.
    Duplicate {
        /// Receiver of the frame.
        node: NodeId,
    },
    /// Rate control, or the owner of the cell, has changed the rate of data frames between a station and the access
    /// point.
    Rate {
        /// Station of the link.
        station: NodeId,
        /// Direction of the data frames whose rate has changed.
        direction: Direction,
        /// Rate of the data frames after the change.
        rate: DataRate,
    },
    /// Event of an access category, in addition to the record of the event itself; only if the cell [records
    /// them](crate::Cell::tell_categories).
    Category(AccessCategory, CategoryEvent),
    /// A frame, or an MPDU of an aggregate, arrived with an error by noise. For a beacon, the record does not tell
    /// which members missed it.
    Errored {
        /// Transmitter of the frame.
        node: NodeId,
    },
}

/// Event in the channel access of an access category, as recorded for the category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CategoryEvent {
    /// A frame of one of the category's exchanges was alone on the air. A [`Record::Air`] ends at the same time.
    Air {
        /// Start of the time for which the frame was alone on the air.
        from: Time,
        /// End of the time for which the frame was alone on the air.
        to: Time,
    },
    /// A frame of one of the category's exchanges has left the air.
    Sent {
        /// True for a data frame.
        is_data: bool,
        /// True if another frame overlapped the frame at its receiver.
        collided: bool,
    },
    /// The category gave way to a higher one of its member that won in the same slot.
    InternalCollision,
    /// A packet of the category was dropped.
    Dropped,
}

/// Kind of a frame in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentFrame {
    /// Data frame, alone or as an aggregate.
    Data,
    /// Request to send.
    Rts,
    /// ACK, CTS, CTS-to-self, block ack, or request for a block ack.
    Response,
    /// Beacon of the access point.
    Beacon,
}

/// Use of the air at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirUse {
    /// A data frame is alone on the air.
    Data {
        /// Station of the exchange.
        station: NodeId,
        /// Direction of the frame.
        direction: Direction,
    },
    /// An ACK, RTS, CTS, CTS-to-self, block ack or request for one is alone on the air.
    Control {
        /// Station of the exchange.
        station: NodeId,
    },
    /// Frames overlap, even if each receiver senses only one of them; or a frame is alone after it has collided. Time
    /// before a hidden frame starts counts as use by the first frame. Stations in the same random access resource unit
    /// collide in its share of the time.
    Collision,
    /// Nothing is on the air while some member has a frame to send: interframe spaces, back-off, time-outs.
    Contention,
    /// Nothing is on the air, and no member has anything to send.
    Idle,
    /// A beacon is alone on the air, or a frame of a sounding, which is overhead of the access point as well.
    Beacon,
    /// Frames of other cells, which the access point senses, and none of its own cell are on the air.
    Neighbour {
        /// Cell of the frame that started first.
        cell: u16,
    },
    /// Frames of this cell and frames of other cells, which the access point senses, are on the air at once.
    Overlap,
}

/// Reason for which a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropCause {
    /// The transmit queue was full.
    QueueFull,
    /// All attempts failed.
    RetryLimit,
    /// CoDel dropped the packet from a queue with a standing delay.  [RFC8289]
    CoDel,
    /// `DualPI2` dropped the packet because of its likelihood.  [RFC9332]
    DualPi2,
    /// A newer ACK of the same flow replaced the packet.
    AckFiltered,
    /// The packet arrived after the receiver's reorder buffer had passed on later ones.
    TooLate,
    /// A scheme at the node, which the owner of the cell runs, dropped the packet.
    Scheme,
}
