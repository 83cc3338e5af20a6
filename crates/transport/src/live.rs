//! Live applications over UDP: calls, games, video calls and remote desktops. Their frames come whether the network takes them or not.
//!
//! A frame is what an application makes at one instant: 20 ms of voice, the state of a game, a picture. It goes out in as
//! many datagrams as it needs, and is complete when all of them have arrived.  Deviates: [D-352]

mod frames;
mod kinds;
mod speaker;

pub use kinds::{
    Call, Codec, Desktop, DesktopEnd, Game, GameEnd, Live, Model, Synchronisation, VideoCall,
};
pub(crate) use speaker::Speaker;

#[cfg(test)]
mod tests;
