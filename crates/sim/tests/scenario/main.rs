//! Scenarios as text: accepted files, refused files with their messages, and written files.

mod cell_access;
mod eras;
mod limits;
mod mistakes;
mod multi_user;
mod neighbours;
mod printed_rates;
mod properties;
mod radio_mistakes;
mod schema;
