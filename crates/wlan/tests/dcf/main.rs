//! The distributed coordination function, from outside: scripts with hand-worked times, properties of
//! random cells, and a station-by-station model of the standard's text.

mod access;
mod aggregates;
mod beacons;
mod bench;
mod driver;
mod errors;
mod exchanges;
mod hidden;
mod model;
mod modes;
mod properties;
mod rates;
mod waits;
