//! PPDUs of several users: HE MU and EHT MU PPDUs down from the access point, by OFDMA or MU-MIMO, and the
//! trigger-based PPDUs that stations send up at the same time. [80211ax-2021 §27.3.4, §27.3.12.5, §27.4.3],
//! [80211be-2024 §36.3.5, §36.4.3]
//!
//! All users of a PPDU have the same preamble and the same number of symbols: those of the longest user, to which the
//! others are padded.

use std::fmt;

use airfair_units::{Bytes, Duration};

use super::allocation::{Allocation, IllegalAllocation};
use super::format::PpduKind;
use super::ppdu::{PacketPadding, max_psdu, preamble_of_users, tail};
use super::signal_b::{self, UserFields};
use super::symbols::{SymbolBits, Symbols, common_symbols, full_symbols};
use super::unit::Unit;
use super::{Band, Mode};

pub use super::signal_b::signal_mcs;

/// Most users that share the same tones by MU-MIMO.  [80211ax-2021 §27.3.1.1]
pub const MOST_SHARING: usize = 8;
/// Most streams of all users that share the same tones.
pub const MOST_SHARED_STREAMS: u8 = 8;
/// Most streams of one of several users that share the same tones.
pub const MOST_STREAMS_OF_SHARING: u8 = 4;

/// Modes of the users of an MU PPDU or of trigger-based PPDUs that are sent together, with the preamble that follows
/// from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiUser {
    modes: Vec<Mode>,
    /// Bits in the symbols of each mode.
    bits: Vec<SymbolBits>,
    preamble: Duration,
}

impl MultiUser {
    /// PPDU of users with these modes, whose HE-SIG-B or EHT-SIG has the [highest MCS that all receive](signal_mcs).
    ///
    /// Each user has a unit of its own (OFDMA), or all users have the same tones: the full width or in EHT the width
    /// without punctured subchannels (MU-MIMO).
    ///
    /// # Errors
    /// [`BadUsers`] if the modes do not go together in a PPDU.
    pub fn new(modes: &[Mode]) -> Result<Self, BadUsers> {
        let lowest = modes.iter().copied().map(Mode::mcs).min().ok_or(BadUsers::None)?;
        Self::with_signal_mcs(modes, signal_mcs(modes[0].format(), lowest))
    }

    /// PPDU of users with these modes, and with this MCS of HE-SIG-B or EHT-SIG, at most 5. Trigger-based PPDUs have no
    /// such field.
    ///
    /// # Errors
    /// [`BadUsers`] if the modes do not go together in a PPDU.
    pub fn with_signal_mcs(modes: &[Mode], mcs: u8) -> Result<Self, BadUsers> {
        let first = *modes.first().ok_or(BadUsers::None)?;
        check_alike(modes)?;
        let (format, width) = (first.format(), first.width());
        let shared = shares(modes);
        let streams = if shared { check_shared(modes)? } else { most_streams(modes) };
        let fields = if shared {
            UserFields::Shared(modes.len())
        } else {
            let units: Vec<Unit> = modes.iter().map(|mode| mode.unit()).collect();
            let allocation = Allocation::new(format, width, &units).map_err(BadUsers::Units)?;
            UserFields::Ofdma(allocation.user_fields())
        };
        let signal = match first.kind() {
            PpduKind::Triggered => 0,
            _ => signal_b::symbols(format, width, fields, mcs),
        };
        let bits = modes.iter().map(|mode| SymbolBits::of(*mode)).collect();
        let preamble = preamble_of_users(first, streams, signal);
        Ok(Self { modes: modes.to_vec(), bits, preamble })
    }

    /// Modes of the users.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// Duration of all fields before the data field.
    ///
    /// ```text
    ///   HE MU   legacy 20 │ RL-SIG 4 │ HE-SIG-A 8 │ HE-SIG-B 4 each │ HE-STF 4 │ HE-LTF each
    ///   EHT MU  legacy 20 │ RL-SIG 4 │ U-SIG 8 │ EHT-SIG 4 each │ EHT-STF 4 │ EHT-LTF each
    ///   HE TB   legacy 20 │ RL-SIG 4 │ HE-SIG-A 8 │ HE-STF 8 │ HE-LTF each
    ///   EHT TB  legacy 20 │ RL-SIG 4 │ U-SIG 8 │ EHT-STF 8 │ EHT-LTF each
    /// ```
    pub fn preamble(&self) -> Duration {
        self.preamble
    }

    /// Common symbols of the data field for a PSDU of each user, in the order of the modes.
    ///
    /// # Panics
    /// If there are not as many sizes as users.
    pub fn symbols(&self, sizes: &[Bytes]) -> Symbols {
        assert_eq!(sizes.len(), self.modes.len(), "each user has a PSDU");
        common_symbols(&self.bits, sizes)
    }

    /// Time on the air, TXTIME, for a PSDU of each user, with packet extension and signal extension.
    ///
    /// # Panics
    /// If there are not as many sizes as users.
    pub fn duration(&self, sizes: &[Bytes], band: Band, padding: PacketPadding) -> Duration {
        self.lasting(self.symbols(sizes), band, padding)
    }

    /// Time on the air with this number of symbols.
    pub fn lasting(&self, symbols: Symbols, band: Band, padding: PacketPadding) -> Duration {
        let mode = self.modes[0];
        self.preamble + mode.symbol() * symbols.count + tail(mode, symbols, band, padding)
    }

    /// Symbols that data may fill in a PPDU that takes at most `limit`. LDPC adds a part of a symbol where the code
    /// requires it, so that the last symbol may be full only if no user needs the addition. `None` if not even one
    /// symbol fits.
    pub fn room(&self, limit: Duration, band: Band, padding: PacketPadding) -> Option<Symbols> {
        let full = Symbols { count: 0, last_segments: 4 };
        let symbol = self.modes[0].symbol();
        let count = limit.saturating_sub(self.lasting(full, band, padding)).whole_steps(symbol);
        (count > 0).then(|| full_symbols(&self.bits, count))
    }

    /// Largest PSDU of a user whose data fill at most the symbols of a [`room`](Self::room).
    pub fn largest_psdu(&self, user: usize, room: Symbols) -> Bytes {
        self.bits[user].padded_psdu(room).min(max_psdu(self.modes[user].format()))
    }
}

/// True if all users have the same tones.
fn shares(modes: &[Mode]) -> bool {
    let (first, others) = modes.split_first().expect("a user");
    let unit = first.unit();
    let is_alone = Unit::without_ofdma(first.format(), first.width()).contains(&unit);
    let is_same = others.iter().all(|mode| mode.unit() == unit);
    is_alone && is_same && (!others.is_empty() || unit == Unit::Tones996And484And242)
}

/// Largest number of streams of a user.
fn most_streams(modes: &[Mode]) -> u8 {
    modes.iter().map(|mode| mode.streams()).max().unwrap_or(1)
}

/// Number of streams of all users that share their tones.
fn check_shared(modes: &[Mode]) -> Result<u8, BadUsers> {
    let all: u32 = modes.iter().map(|mode| u32::from(mode.streams())).sum();
    let most_of_one = if modes.len() == 1 { MOST_SHARED_STREAMS } else { MOST_STREAMS_OF_SHARING };
    if modes.len() > MOST_SHARING {
        Err(BadUsers::TooMany { users: modes.len() })
    } else if most_streams(modes) > most_of_one {
        Err(BadUsers::TooManyStreamsOfOne { streams: most_streams(modes) })
    } else {
        let too_many = BadUsers::TooManyStreams { streams: all };
        u8::try_from(all).ok().filter(|all| *all <= MOST_SHARED_STREAMS).ok_or(too_many)
    }
}

/// Checks that all modes have the same format, kind, width, guard interval and LTF, and that they are of a PPDU of
/// several users.
fn check_alike(modes: &[Mode]) -> Result<(), BadUsers> {
    let first = modes[0];
    let common = |mode: Mode| (mode.format(), mode.kind(), mode.width(), mode.guard(), mode.ltf());
    if first.kind() == PpduKind::Single {
        return Err(BadUsers::SingleUser { mode: first });
    }
    match modes.iter().find(|mode| common(**mode) != common(first)) {
        Some(other) => Err(BadUsers::Unlike { first, other: *other }),
        None => Ok(()),
    }
}

/// Error: modes do not go together in a PPDU of several users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadUsers {
    /// There is no user.
    None,
    /// A mode is one of PPDUs for a single user.
    SingleUser {
        /// Mode of the first user.
        mode: Mode,
    },
    /// Two modes differ in format, kind of PPDU, width, guard interval or LTF.
    Unlike {
        /// Mode of the first user.
        first: Mode,
        /// Mode of another user.
        other: Mode,
    },
    /// The width does not hold the units.
    Units(IllegalAllocation),
    /// Too many users share the same tones.
    TooMany {
        /// Number of users.
        users: usize,
    },
    /// Users that share the same tones have too many streams together.
    TooManyStreams {
        /// Number of streams of all users.
        streams: u32,
    },
    /// One of the users that share the same tones has too many streams.
    TooManyStreamsOfOne {
        /// Number of streams of the user.
        streams: u8,
    },
}

impl fmt::Display for BadUsers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("no user; allowed at least 1"),
            Self::SingleUser { mode } => {
                write!(f, "{mode:?} is of a PPDU for a single user; allowed multi-user, triggered")
            }
            Self::Unlike { first, other } => write!(
                f,
                "{other:?} differs from {first:?}; allowed the same format, kind, width, guard interval and LTF"
            ),
            Self::Units(error) => error.fmt(f),
            Self::TooMany { users } => {
                write!(f, "{users} users share the same tones; allowed up to {MOST_SHARING}")
            }
            Self::TooManyStreams { streams } => write!(
                f,
                "{streams} streams of users that share the same tones; allowed up to {MOST_SHARED_STREAMS}"
            ),
            Self::TooManyStreamsOfOne { streams } => write!(
                f,
                "{streams} streams of a user that shares its tones; allowed up to {MOST_STREAMS_OF_SHARING}"
            ),
        }
    }
}

impl std::error::Error for BadUsers {}

#[cfg(test)]
mod tests;
