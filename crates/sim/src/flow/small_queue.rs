//! TCP small queues: departures of a sender's packets from the queue of its own host.  [linux-tsq]

use std::collections::VecDeque;

use airfair_transport::tcp;
use airfair_units::{Bytes, Time};

use crate::endpoint::{Alarm, Source};

/// Use that a sender makes of the departures of its packets from its host's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departures {
    /// The sender does not use the departures of its packets from its host's queue.
    Ignored,
    /// The sender is saturated, and sends another packet whenever one leaves its host's queue.
    Awaited,
    /// The sender has TCP small queues: it counts the octets that have left its host's queue, and waits while too many
    /// are in it.
    Counted,
}

/// Departures of one sender's packets from the queue of a wired link.
#[derive(Clone, Debug, Default)]
pub(crate) struct SmallQueue {
    /// Time at which each packet leaves the queue, in order, and its size.
    pub(crate) departures: VecDeque<(Time, Bytes)>,
    /// Time at which enough octets will have left the queue for the sender to continue.
    pub(crate) alarm: Alarm,
}

impl SmallQueue {
    /// Creates the state for a sender with TCP small queues; `None` for other sources.
    pub(crate) fn of(source: &Source) -> Option<Box<Self>> {
        let Source::Tcp(sender) = source else { return None };
        tcp::Sender::has_small_queue(sender).then(Box::default)
    }
}
