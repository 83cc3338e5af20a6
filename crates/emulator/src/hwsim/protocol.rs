//! Messages from and to `mac80211_hwsim`: registration, frames, receptions, reports.  [linux-hwsim]

use airfair_netlink::{Message, attributes};
use airfair_wlan::medium::STAGES;

/// Name of the generic netlink family of `mac80211_hwsim`.
pub(super) const FAMILY: &str = "MAC80211_HWSIM";
/// Multicast group of the family of `mac80211_hwsim` for messages about radios that come and go.
pub(super) const GROUP: &str = "config";

/// Commands of `mac80211_hwsim` (`HWSIM_CMD_`).
pub(super) mod command {
    pub(crate) const REGISTER: u8 = 1;
    pub(crate) const FRAME: u8 = 2;
    pub(crate) const TX_INFO: u8 = 3;
    pub(crate) const DELETE_RADIO: u8 = 5;
    pub(crate) const GET_RADIO: u8 = 6;
}

/// Attributes of `mac80211_hwsim` (`HWSIM_ATTR_`).
mod attribute {
    pub(super) const RECEIVER: u16 = 1;
    pub(super) const TRANSMITTER: u16 = 2;
    pub(super) const FRAME: u16 = 3;
    pub(super) const FLAGS: u16 = 4;
    pub(super) const RX_RATE: u16 = 5;
    pub(super) const SIGNAL: u16 = 6;
    pub(super) const TX_INFO: u16 = 7;
    pub(super) const COOKIE: u16 = 8;
    pub(super) const RADIO_ID: u16 = 10;
    pub(super) const RADIO_NAME: u16 = 17;
    pub(super) const FREQUENCY: u16 = 19;
    pub(super) const TX_FLAGS: u16 = 21;
    pub(super) const PERMANENT_ADDRESS: u16 = 22;
}

/// Frame flag, both in frames from the kernel and in reports: no acknowledgment is expected.
pub(super) const NO_ACK: u32 = 1 << 1;
/// Frame flag in reports: the frame was acknowledged.
const ACKNOWLEDGED: u32 = 1 << 2;
/// Flag of a stage of a retry chain: RTS and CTS precede each attempt.
pub(super) const WITH_RTS: u16 = 1;
/// Flag of a stage of a retry chain: the rate index is an HT MCS index, eight per number of
/// streams.
pub(super) const IS_HT: u16 = 0x8;
/// Flag of a stage of a retry chain: the rate index is a VHT MCS.
pub(super) const IS_VHT: u16 = 0x100;
/// Flag of a stage of a retry chain: the channel width is 40 MHz.
pub(super) const IS_40_MHZ: u16 = 0x20;
/// Flag of a stage of a retry chain: the guard interval is short.
pub(super) const IS_SHORT: u16 = 0x80;

pub(super) type Address = [u8; 6];

/// Stage of a retry chain in the kernel's form: index of the rate in the band, number of attempts,
/// flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attempts {
    pub(super) rate: i8,
    pub(super) count: u8,
    pub(super) flags: u16,
}

/// Frame that a radio sends, as the kernel hands it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'o> {
    pub(super) transmitter: Address,
    /// MAC header and body of the frame, without frame check sequence.
    pub(super) octets: &'o [u8],
    pub(super) flags: u32,
    /// The kernel's identifier of the frame.
    pub(super) cookie: u64,
    pub(super) chain: [Attempts; STAGES],
    /// Centre frequency of the channel on which the frame is sent [MHz].
    pub(super) frequency: u32,
}

impl<'o> Frame<'o> {
    /// Reads the attributes of a frame; `None` if one is missing or if the frame is too short for
    /// addresses.
    pub(super) fn read(of: &'o [u8]) -> Option<Self> {
        let (mut transmitter, mut octets, mut flags, mut cookie) = (None, None, None, None);
        let (mut frequency, mut chain) = (None, None);
        let mut tx_flags: &[u8] = &[];
        for (kind, value) in attributes(of) {
            match kind {
                attribute::TRANSMITTER => transmitter = value.first_chunk().copied(),
                attribute::FRAME => octets = Some(value),
                attribute::FLAGS => flags = value.first_chunk().map(|it| u32::from_ne_bytes(*it)),
                attribute::COOKIE => cookie = value.first_chunk().map(|it| u64::from_ne_bytes(*it)),
                attribute::FREQUENCY => frequency = number(value),
                attribute::TX_INFO => chain = Some(value),
                attribute::TX_FLAGS => tx_flags = value,
                _ => {}
            }
        }
        let mut stages = [Attempts { rate: -1, ..Attempts::default() }; STAGES];
        for (stage, part) in stages.iter_mut().zip(chain?.chunks_exact(2)) {
            (stage.rate, stage.count) = (part[0].cast_signed(), part[1]);
        }
        for (stage, part) in stages.iter_mut().zip(tx_flags.chunks_exact(3)) {
            stage.flags = u16::from_ne_bytes([part[1], part[2]]);
        }
        Some(Self {
            transmitter: transmitter?,
            octets: octets.filter(|octets| octets.len() >= 16)?,
            flags: flags?,
            cookie: cookie?,
            chain: stages,
            frequency: frequency?,
        })
    }

    pub(super) fn receiver(&self) -> Address {
        self.address(4)
    }

    pub(super) fn sender(&self) -> Address {
        self.address(10)
    }

    fn address(&self, at: usize) -> Address {
        self.octets[at..].first_chunk().copied().expect("16 octets at least")
    }

    pub(super) fn is_beacon(&self) -> bool {
        self.octets[0] == 0x80
    }
}

/// Radio with its number and name, and the address by which the kernel identifies it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RadioName {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) address: Address,
}

impl RadioName {
    pub(super) fn read(of: &[u8]) -> Option<Self> {
        let (mut id, mut name, mut permanent) = (None, String::new(), None);
        for (kind, value) in attributes(of) {
            match kind {
                attribute::RADIO_ID => id = number(value),
                attribute::RADIO_NAME => {
                    let text = value.strip_suffix(&[0]).unwrap_or(value);
                    name = String::from_utf8_lossy(text).into_owned();
                }
                attribute::PERMANENT_ADDRESS => permanent = value.first_chunk().copied(),
                _ => {}
            }
        }
        let number = id?;
        let [.., high, low] = number.to_be_bytes();
        let [first, rest @ ..] = permanent.unwrap_or([0x02, 0, 0, high, low, 0]);
        let mut address = [0x40 | first; 6];
        address[1..].copy_from_slice(&rest);
        Some(Self { number, name, address })
    }
}

fn number(value: &[u8]) -> Option<u32> {
    value.first_chunk().map(|it| u32::from_ne_bytes(*it))
}

/// Appends the attributes of the message by which the radio `by` receives a frame.
pub(super) fn receive(
    message: &mut Message,
    by: Address,
    octets: &[u8],
    (rate, signal, frequency): (u32, i32, u32),
) {
    message.attribute(attribute::RECEIVER, &by);
    message.attribute(attribute::FRAME, octets);
    message.attribute(attribute::RX_RATE, &rate.to_ne_bytes());
    message.attribute(attribute::SIGNAL, &signal.to_ne_bytes());
    message.attribute(attribute::FREQUENCY, &frequency.to_ne_bytes());
}

/// Appends the attributes of the report on a frame that a radio has sent: the attempts made in each
/// stage, and the acknowledgment.
pub(super) fn report(
    message: &mut Message,
    (radio, cookie, flags): (Address, u64, u32),
    chain: &[Attempts; STAGES],
    (acknowledged, signal): (bool, i32),
) {
    let flags = if acknowledged { flags | ACKNOWLEDGED } else { flags };
    let mut tried = [0; 2 * STAGES];
    for (part, stage) in tried.chunks_exact_mut(2).zip(chain) {
        let rate = if stage.count == 0 { -1 } else { stage.rate };
        (part[0], part[1]) = (rate.cast_unsigned(), stage.count);
    }
    message.attribute(attribute::TRANSMITTER, &radio);
    message.attribute(attribute::FLAGS, &flags.to_ne_bytes());
    message.attribute(attribute::COOKIE, &cookie.to_ne_bytes());
    message.attribute(attribute::SIGNAL, &signal.to_ne_bytes());
    message.attribute(attribute::TX_INFO, &tried);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn attributes_of(fill: impl FnOnce(&mut Message)) -> Vec<u8> {
        let mut message = Message::unacknowledged(0);
        fill(&mut message);
        message.finish(0)[16..].to_vec()
    }

    /// Attributes of a data frame that radio 1 sends at 2437 MHz: 2 attempts at 11 Mb/s, 4 at
    /// 1 Mb/s with RTS.
    pub(in super::super) fn sent(to: Address, cookie: u64, length: usize) -> Vec<u8> {
        let mut octets = vec![0x08, 0x01, 0, 0];
        octets.extend(to);
        octets.extend([2, 0, 0, 0, 1, 0]);
        octets.resize(length, 0);
        attributes_of(|message| {
            message.attribute(attribute::TRANSMITTER, &[0x42, 0, 0, 0, 1, 0]);
            message.attribute(attribute::FRAME, &octets);
            message.attribute(attribute::FLAGS, &1_u32.to_ne_bytes());
            message.attribute(attribute::COOKIE, &cookie.to_ne_bytes());
            message.attribute(attribute::FREQUENCY, &2_437_u32.to_ne_bytes());
            message.attribute(attribute::TX_INFO, &[3, 2, 0, 4, 0xff, 0, 0xff, 0]);
            let flags = [[3, 0, 0], [0, 1, 0], [0xff, 0, 0], [0xff, 0, 0]].concat();
            message.attribute(attribute::TX_FLAGS, &flags);
        })
    }

    #[test]
    fn a_frame_has_its_chain_and_its_addresses() {
        let octets = sent([2, 0, 0, 0, 0, 0], 77, 40);
        let frame = Frame::read(&octets).expect("a frame");
        assert_eq!((frame.receiver(), frame.sender()), ([2, 0, 0, 0, 0, 0], [2, 0, 0, 0, 1, 0]));
        assert_eq!((frame.cookie, frame.frequency, frame.octets.len()), (77, 2_437, 40));
        let chain = frame.chain.map(|it| (it.rate, it.count, it.flags));
        assert_eq!(chain, [(3, 2, 0), (0, 4, WITH_RTS), (-1, 0, 0), (-1, 0, 0)]);
        assert!(!frame.is_beacon());
        // The flags of the chain are the last 16 octets. Older kernels do not send them.
        for end in 0..octets.len() - 16 {
            assert_eq!(Frame::read(&octets[..end]), None, "cut off at {end}");
        }
        assert_eq!(Frame::read(&sent([0; 6], 1, 15)), None);
    }

    #[test]
    fn a_report_omits_rates_that_were_not_tried() {
        let stage = |rate, count| Attempts { rate, count, flags: 0 };
        let chain = [stage(3, 2), stage(0, 1), stage(1, 0), stage(-1, 0)];
        let told = attributes_of(|message| report(message, ([9; 6], 5, 1), &chain, (true, -30)));
        let find = |kind| attributes(&told).find(|it| it.0 == kind).map(|it| it.1.to_vec());
        assert_eq!(find(attribute::TX_INFO), Some(vec![3, 2, 0, 1, 0xff, 0, 0xff, 0]));
        assert_eq!(find(attribute::FLAGS), Some((1_u32 | ACKNOWLEDGED).to_ne_bytes().to_vec()));
        assert_eq!(find(attribute::COOKIE), Some(5_u64.to_ne_bytes().to_vec()));
    }

    #[test]
    fn a_radio_has_an_address_by_its_number_or_its_own() {
        let of = |permanent: Option<Address>| {
            let told = attributes_of(|message| {
                message.attribute(attribute::RADIO_ID, &258_u32.to_ne_bytes());
                message.text(attribute::RADIO_NAME, "phy7");
                if let Some(address) = permanent {
                    message.attribute(attribute::PERMANENT_ADDRESS, &address);
                }
            });
            RadioName::read(&told).map(|it| (it.number, it.name, it.address))
        };
        let named = |address| Some((258, "phy7".to_owned(), address));
        assert_eq!(of(None), named([0x42, 0, 0, 1, 2, 0]));
        assert_eq!(of(Some([0x0a, 1, 2, 3, 4, 5])), named([0x4a, 1, 2, 3, 4, 5]));
    }
}
