//! Where layers meet: an observation of one becomes an action on another, through a law, here and
//! nowhere else.

mod access_point;
mod flow;
mod hearing;
mod occupancy;
mod station;

pub(crate) use access_point::ApController;
pub(crate) use flow::Controller;
pub(crate) use occupancy::{GrantedStation, GrantingAccessPoint, Limited};
pub(crate) use station::{Connection, StationObserver};
