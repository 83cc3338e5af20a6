//! Tests of the distributed coordination function through the public interface: scripts with times calculated by
//! hand, properties of random cells, and a model of each station written from the standard's text.

mod access;
mod aggregates;
mod beacons;
mod bench;
mod driver;
mod errors;
mod exchanges;
mod grants;
mod hidden;
mod model;
mod modes;
mod multi_user;
mod neighbours;
mod properties;
mod rates;
mod waits;
mod widths;
