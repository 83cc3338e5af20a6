//! Trace of a run: what a picture or a capture of it shows beyond its records.
//!
//! A consumer of records that wants it says so, when the program is compiled ([`Recorder::TRACES`]); a run without such a
//! consumer does nothing for it. All of it has happened already: a frame is told of as it leaves the air.
//!
//! | told | as | from which |
//! | --- | --- | --- |
//! | [`Frame`](Trace::Frame) | it leaves the air | captures, lanes of frames, collisions |
//! | [`Access`](Trace::Access) | it changes | back-off, waiting |
//! | [`Window`](Trace::Window), [`Rate`](Trace::Rate) | they change | counters of flows |
//!
//! Lengths of queues and rates of links are records already ([`airfair_wlan::Record`]).
//!
//! A frame comes with its times, vector, duration field, sequence numbers and packets, the elements of a beacon, who has
//! received it, which MPDUs have errors, the bitmap of a `BlockAck`, and its power where there is a radio. Contention
//! does not touch members that wait, so after each event the world looks at the channel access of every member. An
//! exchange starts when the countdown that the trace has reported is over; tests hold that.
//!
//! [`Recorder::TRACES`]: crate::record::Recorder::TRACES

use airfair_units::DataRate;
pub use airfair_wlan::{ChannelAccess, Fate, Monitored};

use crate::packet::{FlowId, Packet};
use crate::record::{CellId, Member, SenderWindow};

/// Something that a trace shows.
#[derive(Clone, Copy, Debug)]
pub enum Trace<'w> {
    /// A frame has left the air.
    Frame(CellId, &'w Monitored<Packet>),
    /// The channel access of a member is another one from now on.
    Access(Member, ChannelAccess),
    /// The window of a TCP sender is another one from now on.
    Window(FlowId, SenderWindow),
    /// The rate at which a TFRC sender sends while it has data is another one from now on; nothing below 1 bit/s.
    Rate(FlowId, Option<DataRate>),
}
