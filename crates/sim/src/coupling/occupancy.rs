//! Shares of the channel: granted by an access point, kept by the transports of its stations.
//! [occupancy-tfrc §III]

mod access_point;
mod station;
#[cfg(test)]
mod tests;

pub(crate) use access_point::GrantingAccessPoint;
pub(crate) use station::GrantedStation;
