//! Radio model of a cell: positions of its members, received powers, and decoding.
//!
//! All functions are pure: time is a parameter, random numbers come from a [`Stream`](crate::Stream), and nothing is
//! scheduled. Transcendental functions come from `libm`, and powers are rounded to a thousandth of a dB, so that
//! results are equal on every platform.
//!
//! | file | content |
//! | --- | --- |
//! | `path_loss` | [`PathLoss`]: loss by distance, and its inverse |
//! | `fading` | [`LinkGain`]: shadowing of a link, fading over time |
//! | `reception` | [`Radio`], [`Terminal`]: received power, noise, carrier sense, capture |
//! | `sensitivity` | minimum sensitivities of the standard, and of QualNet |
//! | `decoding` | [`Decoding`]: loss of frames at a power, from tables |
//! | `range` | [`RangeError`]: power and exponent from the ranges of rates |
//! | `propagation` | [`Propagation`]: the members of one cell, and their audibility |
//! | `region` | [`Position`], [`Region`]: positions and regions in the plane |
//! | `mobility` | [`Mobility`], [`Mover`]: position of a member over time |
//! | `random_waypoint` | [`RandomWaypoint`]: trips between random places |
//! | `draws` | random numbers by their index |

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
pub use path_loss::{Crossings, PathLoss};
pub(crate) use propagation::Source;
pub use propagation::{Layout, Propagation, StationStreams};
pub use random_waypoint::{RandomWaypoint, RandomWaypointError, Start};
pub use range::{RangeError, Solved};
pub(crate) use reception::milliwatts;
pub use reception::{Decoder, Radio, Terminal};
pub use region::{Position, Region};
pub use sensitivity::{carrier_sense_threshold, qualnet4, sensitivity};
