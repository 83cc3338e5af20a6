//! The flavours of TCP.

/// A sender's growth of its window and repair of losses. One name, one law; the receiver is the same for all.
///
/// Use of selective acknowledgments follows, unless told otherwise, the agents of the
/// papers: ns-2's `Reno`, `Newreno`, `Vegas` and the authors' `Westwood` count duplicate ACKs; CUBIC and
/// Westwood+ live in Linux, which has SACK on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Fast recovery ends with the first new ACK; several losses in a window mostly end in a time-out.
    /// [RFC5681 §3.2]
    Reno,
    /// Fast recovery repairs one loss per round trip.  [RFC6582]
    #[default]
    NewReno,
    /// NewReno's window with a scoreboard: several losses per round trip are repaired.  [RFC6675]
    Sack,
    /// Bandwidth measured at every ACK sets the window after a loss.  [westwood-2001]
    Westwood,
    /// Bandwidth measured once per round trip sets it.  [linux-westwood]
    WestwoodPlus,
    /// Round trips say how long the queue is.  [brakmo-1995]
    Vegas,
    /// The window is a cubic function of time.  [RFC9438]
    Cubic,
}

impl Flavour {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Reno,
        Self::NewReno,
        Self::Sack,
        Self::Westwood,
        Self::WestwoodPlus,
        Self::Vegas,
        Self::Cubic,
    ];

    /// True if its window has an arithmetic of its own, whatever [`Arithmetic`](super::Arithmetic) says.
    pub const fn has_own_arithmetic(self) -> bool {
        matches!(self, Self::Westwood | Self::WestwoodPlus | Self::Vegas)
    }

    /// True if it uses selective acknowledgments unless told otherwise.
    pub const fn is_selective(self) -> bool {
        matches!(self, Self::Sack | Self::WestwoodPlus | Self::Cubic)
    }
}
