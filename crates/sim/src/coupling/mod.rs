//! Where layers meet: an observation of one becomes an action on another, through a law, here and
//! nowhere else.

mod access_point;
mod end;
mod flow;
mod hearing;
mod local_flow;
mod occupancy;
mod station;

pub(crate) use access_point::ApController;
pub(crate) use flow::Controller;
pub(crate) use local_flow::LocalFlow;
pub(crate) use occupancy::{GrantedStation, GrantingAccessPoint};
pub(crate) use station::StationObserver;
