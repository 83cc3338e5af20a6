//! Radiotap: how a PPDU was sent, before its MAC header.  [radiotap]
//!
//! ```text
//! version, pad, length, presence │ TSFT, flags, rate, channel, signal and noise where powers are known
//! ```

use airfair_units::{Dbm, Time};
use airfair_wlan::phy::{Preamble, TxVector};
use airfair_wlan::{Ppdu, Signal};

/// Fields, by their bits.
const TSFT: u32 = 1 << 0;
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const SIGNAL: u32 = 1 << 5;
const NOISE: u32 = 1 << 6;

/// Flags.
const SHORT_PREAMBLE: u8 = 0x02;
const HAS_FCS: u8 = 0x10;
const BAD_FCS: u8 = 0x40;

/// Channel flags.
const CCK: u16 = 0x0020;
const OFDM: u16 = 0x0040;
const BAND_2_GHZ: u16 = 0x0080;
const BAND_5_GHZ: u16 = 0x0100;

/// A channel that a cell is shown on. A scenario has no channel numbers, since cells never share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    megahertz: u16,
}

impl Channel {
    /// The channel that the cell of this number is shown on.
    pub(super) fn of(cell: usize, is_5_ghz: bool) -> Self {
        let megahertz = if is_5_ghz {
            [5_180, 5_200, 5_220, 5_240, 5_260, 5_280, 5_300, 5_320][cell % 8]
        } else {
            [2_412, 2_437, 2_462][cell % 3]
        };
        Self { megahertz }
    }

    fn flags(self, tx: TxVector) -> u16 {
        let band = if self.megahertz < 5_000 { BAND_2_GHZ } else { BAND_5_GHZ };
        band | if tx.is_dsss() { CCK } else { OFDM }
    }
}

/// Header of a PPDU, whose check sequence is right or wrong.
pub(super) fn header<P>(
    ppdu: &Ppdu<P>,
    channel: Channel,
    signal: Option<Signal>,
    has_bad_fcs: bool,
) -> Vec<u8> {
    let tx = ppdu.frame.tx;
    let powers = if signal.is_some() { SIGNAL | NOISE } else { 0 };
    let present = TSFT | FLAGS | RATE | CHANNEL | powers;
    let mut octets = vec![0; 4];
    octets.extend(present.to_le_bytes());
    // The specification asks for the start of the MPDU; Wireshark takes it for the end of the PPDU unless it is told
    // otherwise, and shows gaps by it.
    octets.extend(micros(ppdu.end).to_le_bytes());
    let is_short = matches!(tx, TxVector::Dsss(_, Preamble::Short));
    let preamble = if is_short { SHORT_PREAMBLE } else { 0 };
    octets.push(HAS_FCS | preamble | if has_bad_fcs { BAD_FCS } else { 0 });
    let rate = u8::try_from(tx.rate().bps() / 500_000).expect("a legacy rate");
    octets.push(rate);
    octets.extend(channel.megahertz.to_le_bytes());
    octets.extend(channel.flags(tx).to_le_bytes());
    if let Some(Signal { power, noise }) = signal {
        octets.extend([decibels(power), decibels(noise)].map(i8::cast_unsigned));
    }
    octets[2] = u8::try_from(octets.len()).expect("a short header");
    octets
}

/// Microseconds, rounded, as on the clock of a station.
fn micros(at: Time) -> u64 {
    (at.as_nanos() + 500) / 1_000
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn decibels(power: Dbm) -> i8 {
    power.get().round() as i8
}
