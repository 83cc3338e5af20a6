//! Grants of airtime shares from an access point to those of its stations that limit themselves,
//! over UDP.
//!
//! In the paper, beacons carry the grants [occupancy-tfrc §III-B]. Here a station requests each
//! grant, and the access point replies. So the access point knows which stations limit themselves.
//! Requests also work with any driver and in an emulation, and `tcpdump` shows them.  Deviates:
//! [D-193]
//!
//! ```text
//!  station                                           access point
//!  each sample:  request "I limit myself to my grant"  ───►  table of requesters
//!  limits its connections to its share  ◄─── grant ───  each sample: a reply to each new request
//! ```
//!
//! Both ends guard against forged messages. The access point sends one reply per request, of the
//! same length and to the requester's address, so it cannot be used for amplification. A station
//! accepts only replies that come from the address it has asked, carry its own random number, and
//! answer a request of the last second that has not been answered yet. There is no encryption. An
//! attacker who can forge packets of both ends can make a station use less, or have it left alone
//! until the access point notices that it exceeds its grant.
//!
//! | module | concept |
//! | --- | --- |
//! | [`message`] | encoding of requests and replies |
//! | [`asking`], [`answering`] | checks of replies at the station, and of requests at the access point |
//! | [`sockets`], `neighbours` | sockets, and MAC addresses of the requesters |

pub mod answering;
pub mod asking;
pub mod message;
mod neighbours;
pub mod sockets;

use airfair_units::Duration;

/// Default UDP port of access points and stations for grants.
pub const PORT: u16 = 8_011;
/// Time for which a grant is valid, and for which a station that has asked counts as limiting
/// itself: that of ten beacons.  [D-111]
pub const LEASE: Duration = Duration::from_secs(1);

/// Reason for which a message about grants is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// The message is not a valid one of this version and type.
    Malformed,
    /// The random number in the message is not that of the station.
    Nonce,
    /// The message answers no request of the last second, or its sequence number has been used
    /// already.
    Number,
    /// The access point's table of requesting stations is full.
    Full,
}
