//! Generations of PPDUs.

/// Newest kind of PPDU that a receiver recognises; the receiver also recognises all older kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// DSSS and CCK, 802.11b.
    #[default]
    Dsss,
    /// OFDM, 802.11a and 802.11g.
    Ofdm,
    /// HT, 802.11n.
    Ht,
    /// VHT, 802.11ac.
    Vht,
    /// HE, 802.11ax.
    He,
    /// EHT, 802.11be.
    Eht,
}
