//! Grants between an access point and those of its stations that keep to them, over UDP.
//!
//! [occupancy-tfrc §III-B] has them in beacons. Here a station asks for each, and is answered: the access point has to know
//! who keeps them, and asking works with any driver, over an emulation, and under `tcpdump`.  Deviates: [D-193]
//!
//! ```text
//!   station                                           access point
//!   each sample:  "I am here, and keep what I am granted"  ──►  its table of who asks
//!   keeps its connections to its share   ◄── grant ───  each sample: an answer to each that has asked since the last
//! ```
//!
//! Neither believes the other more than it must. There is one answer to a question, as long as that, to who has asked, so that
//! nothing is amplified. A station takes what comes from the address that it has asked, with its own random number, to a
//! question of the last second, and once. Nothing is encrypted: who can forge packets of both can have a station hold
//! less, or be left alone until it is found to hold more than it is granted.
//!
//! | module | concept |
//! | --- | --- |
//! | [`message`] | the octets of either |
//! | [`asking`], [`answering`] | what is believed, and of whom |
//! | [`line`](mod@line), `neighbours` | sockets, and who is behind an address |

pub mod answering;
pub mod asking;
pub mod line;
pub mod message;
mod neighbours;

use airfair_units::Duration;

/// Port of the access point, and of its stations, unless the configuration says otherwise.
pub const PORT: u16 = 8_011;
/// Time for which a grant holds, and for which who has asked counts as one that keeps grants: that of ten beacons.  [D-111]
pub const LEASE: Duration = Duration::from_secs(1);

/// Reasons for which a message is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is no message of this version and kind.
    Malformed,
    /// Its random number is another one.
    Nonce,
    /// It is of no question of the last second, or not newer than one before.
    Number,
    /// There is no room for one more.
    Full,
}
