//! Positions of a cell's members, the power that arrives from one at another, and what that decodes.
//!
//! Pure: time comes in, randomness comes in as a [`Stream`](crate::Stream), nothing schedules. Functions of
//! the distance are `libm`'s, and powers are rounded to a thousandth of a dB, so that every platform agrees.
//!
//! | file | concept |
//! | --- | --- |
//! | `path_loss` | [`PathLoss`]: loss by distance, and back |
//! | `fading` | [`LinkGain`]: shadowing of a link, fading over time |
//! | `reception` | [`Radio`], [`Terminal`]: received power, noise, carrier sense, capture |
//! | `sensitivity` | least powers that the standard asks a receiver to decode, and QualNet |
//! | `decoding` | [`Decoding`]: frames that are lost at a power, from tables |
//! | `range` | [`RangeError`]: power and exponent from the ranges of rates |
//! | `propagation` | [`Propagation`]: the members of one cell, and who hears whom now |
//! | `region` | [`Position`], [`Region`]: places in the plane |
//! | `mobility` | [`Mobility`], [`Mover`]: where a member is at a time |
//! | `random_waypoint` | [`RandomWaypoint`]: trips between random places |
//! | `draws` | random numbers by their place in a sequence |

mod decoding;
mod draws;
mod fading;
mod mobility;
mod path_loss;
mod propagation;
mod random_waypoint;
mod range;
mod reception;
mod region;
mod sensitivity;

pub use decoding::Decoding;
pub use fading::{Fading, LinkGain};
pub use mobility::{Mobility, Mover, Waypoints, WaypointsError};
pub use path_loss::PathLoss;
pub use propagation::{Layout, Propagation, StationStreams};
pub use random_waypoint::{RandomWaypoint, RandomWaypointError, Start};
pub use range::{RangeError, Solved};
pub(crate) use reception::milliwatts;
pub use reception::{Decoder, Radio, Terminal};
pub use region::{Position, Region};
pub use sensitivity::{carrier_sense_threshold, qualnet4, sensitivity};
