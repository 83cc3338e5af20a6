//! Live applications over UDP: calls, games, video calls and remote desktops. Their frames come whether the network takes them or not.
//!
//! A frame is what an application makes at one instant: 20 ms of voice, the state of a game, a picture. It goes out in as
//! many datagrams as it needs, and is complete when all of them have arrived.  Deviates: [D-352]
//!
//! The rate of a video call may follow reports of its receiver. Then its datagrams are paced, and frames wait for the
//! pacer.

mod control;
mod departures;
mod frames;
mod kinds;
mod pacer;
mod reporter;
mod speaker;

pub use kinds::{
    Bounds, Call, Codec, Desktop, DesktopEnd, Game, GameEnd, Live, Model, RateControl,
    Synchronisation, VideoCall,
};
pub use reporter::Report;
pub(crate) use reporter::{Format, Reporter};
pub(crate) use speaker::Speaker;
pub use speaker::SpeakerEvent;

#[cfg(test)]
mod tests;
