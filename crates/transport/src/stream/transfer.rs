//! Amount of data of a sender.

use airfair_units::Bytes;

/// Amount of data that the application of a sender has to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfer {
    /// Endless data, until the owner calls [`close`](crate::tcp::Sender::close).
    #[default]
    Endless,
    /// A fixed amount of data, all available at the start; then the connection closes [octets].
    Bytes(Bytes),
}
