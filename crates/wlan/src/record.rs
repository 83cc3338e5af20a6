//! Records that a cell makes of itself. They are its only account: it keeps no statistics.

use airfair_laws::Direction;
use airfair_units::{Bytes, DataRate, Time};

use crate::config::NodeId;
use crate::edca::AccessCategory;

/// Something that happened in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// The air was used in one way for a while. These intervals follow each other without a gap.
    Air {
        /// Start.
        from: Time,
        /// End.
        to: Time,
        /// Use.
        usage: AirUse,
    },
    /// A frame left the air.
    Sent {
        /// Transmitter.
        node: NodeId,
        /// Kind of frame.
        frame: SentFrame,
        /// True if the same frame has been on the air before.
        retry: bool,
        /// True if another frame overlapped it where its receiver is: one that the receiver senses, or its
        /// own. What the receiver does not sense does not collide. A beacon: where anyone is who senses it.
        collided: bool,
    },
    /// Frames have begun to collide. Those that overlap a frame that has collided already belong to the same
    /// collision.
    Collision,
    /// The length of a transmit queue changed.
    Queue {
        /// Owner.
        node: NodeId,
        /// Packets now.
        length: u32,
    },
    /// A packet was given up.
    Dropped {
        /// Member that gave it up.
        node: NodeId,
        /// Why.
        cause: DropCause,
    },
    /// A data frame under a block ack agreement left the air, beside the record of the frame itself.
    Aggregate {
        /// Transmitter.
        node: NodeId,
        /// Receiver.
        to: NodeId,
        /// MPDUs; one is no aggregate.
        mpdus: u16,
        /// Octets of all of them, delimiters and padding included.
        octets: Bytes,
    },
    /// A data frame with A-MSDUs left the air, beside the record of the frame itself.
    Joined {
        /// Transmitter.
        node: NodeId,
        /// Packets behind the first ones of the A-MSDUs.
        packets: u16,
    },
    /// A data frame came again and was acknowledged but not delivered.
    Duplicate {
        /// Receiver.
        node: NodeId,
    },
    /// A law, or whoever drives the cell, changed the rate of data frames between a station and the access point.
    Rate {
        /// The station.
        station: NodeId,
        /// Direction of the frames.
        direction: Direction,
        /// Rate from now on.
        rate: DataRate,
    },
    /// Something happened to an access category, beside the record of what it was: where the cell
    /// [tells of them](crate::Cell::tell_categories).
    Category(AccessCategory, CategoryEvent),
    /// A frame, or an MPDU of an aggregate, reached its receiver with an error, by noise. Of a beacon nobody knows who
    /// has missed it.
    Errored {
        /// Transmitter.
        node: NodeId,
    },
}

/// Event of an access category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CategoryEvent {
    /// A frame of one of its exchanges was alone on the air, beside a record of the air with the same end.
    Air {
        /// Start.
        from: Time,
        /// End.
        to: Time,
    },
    /// A frame of one of its exchanges left the air.
    Sent {
        /// True of a data frame.
        is_data: bool,
        /// True if another frame overlapped it where its receiver is.
        collided: bool,
    },
    /// It gave way to a higher category of its member, which had won in the same slot.
    InternalCollision,
    /// A packet of it was given up.
    Dropped,
}

/// Kind of a frame, as far as accounts care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentFrame {
    /// A data frame.
    Data,
    /// An RTS.
    Rts,
    /// ACK, CTS or CTS-to-self; block ack and the request for one.
    Response,
    /// A beacon.
    Beacon,
}

/// Use of the air at a point in time. `station` is the one whose exchange it is, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirUse {
    /// A data frame alone.
    Data {
        /// Whose exchange.
        station: NodeId,
        /// Direction of the frame.
        direction: Direction,
    },
    /// ACK, block ack or request for one, RTS, CTS or CTS-to-self, alone.
    Control {
        /// Whose exchange.
        station: NodeId,
    },
    /// Frames that overlap anywhere, though their receivers may each sense but one of them; and a frame alone
    /// from where it has collided on. What was sent of it before a hidden one came counts as its own.
    Collision,
    /// Nothing on the air while somebody has a frame to send: gaps, back-off, time-outs.
    Contention,
    /// Nothing on the air and nothing to send.
    Idle,
    /// A beacon alone.
    Beacon,
}

/// Why a packet was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropCause {
    /// The transmit queue was full.
    QueueFull,
    /// Every attempt failed.
    RetryLimit,
    /// It waited too long in a queue that stood too long.  [RFC8289]
    CoDel,
    /// A newer ACK of the same flow made it redundant.
    AckFiltered,
    /// It came when what was behind it had been handed on without it, to its receiver's reorder buffer.
    TooLate,
}
