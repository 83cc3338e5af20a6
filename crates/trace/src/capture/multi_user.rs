//! Control frames of multi-user exchanges: trigger frames, and `BlockAck`s for several stations.
//! [80211ax-2021 §9.3.1.22, §9.3.1.8.6]
//!
//! The association identifier (AID) of a station is its number in the cell, from 1.

use airfair_sim::packet::Packet;
use airfair_sim::trace::Monitored;
use airfair_units::{Dbm, Decibels, Duration};
use airfair_wlan::block_ack::{Bitmap, Sequence};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::mode::{Coding, HeLtf, Mode, Unit};
use airfair_wlan::phy::ppdu::training_symbols;
use airfair_wlan::phy::{Band, TxVector, Width};
use airfair_wlan::{NodeId, Ppdu, RandomUnits, Trigger, TriggerPower, TriggerVariant, User};

use super::mac;

/// Multi-STA variant of a `BlockAck`, in its control field.
const MULTI_STATION: u8 = 11 << 1;
/// Ack type bit of an entry of a `BlockAck` for several stations, and the traffic identifier that with it means that
/// all MPDUs have arrived.
const ACK_TYPE: u16 = 1 << 11;
const ALL_ACK: u16 = 14 << 12;
/// UL Target Receive Power that asks for the station's maximum, so that the power of the trigger has no meaning.
const MAXIMUM_POWER: u64 = 127;
/// Part of L-SIG's LENGTH that tells an HE TB PPDU from other formats.  [80211ax-2021 §27.3.11.5]
const TRIGGERED_LENGTH: u64 = 2;

/// User of a trigger frame: a station, or all that access resource units at random.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// Station; `None` for units that stations access at random.
    pub(super) station: Option<NodeId>,
    /// Number of its equal units, which is 1 for a station.
    pub(super) units: u16,
    /// Mode of the PPDU that answers, with its resource unit.
    pub(super) mode: Mode,
    /// Place of the first unit among the equal units of the width.
    pub(super) place: u16,
    /// Category and starting sequence number of the requested `BlockAck`.
    pub(super) block_ack: (AccessCategory, Bitmap),
}

impl Asked {
    /// Station in a trigger frame; `None` if its PPDU has no mode of HE or EHT.
    pub(super) fn of<P>(user: &User<P>) -> Option<Self> {
        let TxVector::Mode(mode) = user.tx else { return None };
        let block_ack = (user.category, user.block_ack.clone().unwrap_or_default());
        Some(Self { station: Some(user.station), units: 1, mode, place: user.place, block_ack })
    }

    /// Resource units of a trigger frame that stations access at random.
    fn of_random(of: RandomUnits) -> Option<Self> {
        let TxVector::Mode(mode) = of.tx else { return None };
        let block_ack = (AccessCategory::default(), Bitmap::default());
        Some(Self { station: None, units: of.units, mode, place: of.first, block_ack })
    }
}

/// Place of a resource unit of a PPDU of this width: its index in its 80 MHz, and true for the secondary 80 MHz.
/// Equal units are numbered from the lowest frequency; of the whole width there is one for all users.  [80211ax-2021
/// §27.3.2.2]
pub(super) fn index(mode: Mode, place: u16) -> (u8, bool) {
    let unit = mode.unit().within(mode.width());
    let place = place % unit.places(mode.width());
    let in_80 = unit.places(Width::Mhz80).max(1);
    (u8::try_from(place % in_80).expect("at most 37 units"), place >= in_80)
}

/// Only station of a frame to users; `None` if it has several, or none.
pub(super) fn only_user<P>(ppdu: &Ppdu<P>) -> Option<NodeId> {
    if let [user] = ppdu.users() { Some(user.station) } else { None }
}

/// Trigger of a trigger frame or of a part of a multi-user PPDU, with the stations that it asks; `None` if the frame has
/// no trigger.
pub(super) fn request(heard: &Monitored<Packet>) -> Option<(Trigger, Vec<Asked>)> {
    let ppdu = &heard.ppdu;
    if let Some(trigger) = ppdu.trigger() {
        let random = trigger.random.into_iter().flat_map(RandomUnits::fields);
        let named = ppdu.users().iter().filter_map(Asked::of);
        return Some((trigger, named.chain(random.filter_map(Asked::of_random)).collect()));
    }
    let part = heard.part?;
    let (TxVector::Mode(mode), trigger) = part.asks? else { return None };
    let start = ppdu.mpdus.first().map_or(0, |mpdu| mpdu.sequence);
    let block_ack = (heard.category, Bitmap::new(Sequence::new(start)));
    let station = Some(ppdu.frame.to?);
    let asked = Asked { station, units: 1, mode, place: part.place, block_ack };
    Some((trigger, vec![asked]))
}

/// Appends the body of a trigger frame: common info and user info list.  [80211ax-2021 §9.3.1.22]
pub(super) fn put_trigger(octets: &mut Vec<u8>, (trigger, band): (Trigger, Band), asked: &[Asked]) {
    octets.extend(common(trigger, band, asked).to_le_bytes());
    for it in asked {
        octets.extend(&(user(it) | target(trigger.power) << 32).to_le_bytes()[..5]);
        match trigger.variant {
            // One traffic identifier, best effort preferred.
            TriggerVariant::Basic => octets.push(1 << 2),
            TriggerVariant::BufferStatus | TriggerVariant::Rts => {}
            // Feedback Segment Retransmission Bitmap: all segments.
            TriggerVariant::BeamformingReport => octets.push(0xff),
            TriggerVariant::BlockAckRequest => {
                let (category, bitmap) = &it.block_ack;
                mac::put_numbers(octets, *category, bitmap, 0);
            }
        }
    }
}

/// Common info field of a trigger frame. Carrier sense is not required, as stations answer without it.
fn common(Trigger { variant, duration, power, .. }: Trigger, band: Band, asked: &[Asked]) -> u64 {
    let variant = match variant {
        TriggerVariant::Basic => 0,
        TriggerVariant::BeamformingReport => 1,
        TriggerVariant::BlockAckRequest => 2,
        TriggerVariant::Rts => 3,
        TriggerVariant::BufferStatus => 4,
    };
    let mode = asked.first().map(|it| it.mode);
    let width = mode.map_or(0, |mode| mode.width() as u64);
    let guard = match mode.and_then(Mode::ltf) {
        Some(HeLtf::X1) => 0,
        Some(HeLtf::X2) => 1,
        Some(HeLtf::X4) | None => 2,
    };
    let streams = asked.iter().map(|it| it.mode.streams()).max().unwrap_or(1);
    let training = training_symbols(streams) / 2;
    // LDPC extra symbol; the bits of HE-SIG-A2 are ones.
    let fixed = 1 << 27 | 0x1ff << 54;
    variant
        | legacy_length(duration, band) << 4
        | width << 18
        | guard << 20
        | training << 23
        | power.map_or(0, |it| power_per_20_mhz(it.access_point, width)) << 28
        | fixed
}

/// L-SIG's LENGTH of an HE TB PPDU.  [80211ax-2021 §27.3.11.5]
fn legacy_length(duration: Duration, band: Band) -> u64 {
    let preamble = Duration::from_micros(20) + band.signal_extension();
    let symbols = duration.saturating_sub(preamble).as_nanos().div_ceil(4_000);
    (3 * symbols).saturating_sub(3 + TRIGGERED_LENGTH) & 0xfff
}

/// AP Tx Power: 0 to 60 for -20 to 40 dBm in each of the 20 MHz channels of a PPDU. `width` is its field: 0 for 20 MHz, to
/// 3 for 160 MHz.  [80211ax-2021 §9.3.1.22.1]
fn power_per_20_mhz(power: Dbm, width: u64) -> u64 {
    let all = [0, 3_010, 6_021, 9_031][usize::try_from(width).expect("two bits")];
    step(power - Decibels::from_thousandths(all), -20, 60)
}

/// UL Target Receive Power: 0 to 90 for -110 to -20 dBm.  [80211ax-2021 §9.3.1.22.1]
fn target(power: Option<TriggerPower>) -> u64 {
    power.map_or(MAXIMUM_POWER, |it| step(it.target, -110, 90))
}

/// Number of whole decibels by which a power exceeds `least` dBm, at most `most`.
fn step(power: Dbm, least: i64, most: i64) -> u64 {
    let half = Decibels::from_thousandths(500);
    (0..most).find(|it| power < Dbm::new(least + it) + half).unwrap_or(most).unsigned_abs()
}

/// User info field of a station, the first 32 of its 40 bits. That of units for random access has AID 0, and their number in the place of the
/// spatial streams, with the mark that no others follow in the TXOP.
fn user(&Asked { station, units, mode, place, .. }: &Asked) -> u64 {
    let (index, is_secondary) = index(mode, place);
    let first = match mode.unit().within(mode.width()) {
        Unit::Tones26 => 0,
        Unit::Tones52 => 37,
        Unit::Tones106 => 53,
        Unit::Tones242 => 61,
        Unit::Tones484 => 65,
        Unit::Tones996 => 67,
        _ => 68,
    };
    let allocation = u64::from(is_secondary) | (first + u64::from(index)) << 1;
    let coding = u64::from(mode.coding() == Coding::Ldpc);
    let mcs = u64::from(mode.mcs());
    let (aid, spatial) = match station {
        Some(station) => (station.0, u64::from(mode.streams() - 1) << 29),
        None => (0, u64::from(units - 1) << 26 | 1 << 31),
    };
    u64::from(aid) | allocation << 12 | coding << 20 | mcs << 21 | spatial
}

/// Appends the body of a `BlockAck` for several stations: a control field, and an entry for each station whose data have
/// arrived.  [80211ax-2021 §9.3.1.8.6]
pub(super) fn put_block_acks<P>(octets: &mut Vec<u8>, ppdu: &Ppdu<P>) {
    octets.extend([MULTI_STATION, 0]);
    for user in ppdu.users() {
        let size = usize::try_from(user.psdu.get()).expect("a frame is short");
        let (Some(bitmap), station) = (&user.block_ack, user.station.0) else { continue };
        if let Some(bits) = size.checked_sub(4) {
            let tid = u16::from(user.category.user_priority());
            octets.extend((station | tid << 12).to_le_bytes());
            mac::put_bitmap(octets, bitmap, bits);
        } else if size > 0 {
            octets.extend((station | ACK_TYPE | ALL_ACK).to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use airfair_wlan::phy::GuardInterval;
    use airfair_wlan::phy::mode::{Format, Parameters, PpduKind};

    use super::*;

    /// A MU-BAR asks station 3 for a BlockAck at MCS 5 in the last of the four units of 242 tones of 80 MHz.
    ///
    /// The PPDU lasts 89.6 µs: ⌈(89.6 - 20) / 4⌉ = 18 symbols, so LENGTH is 3·18 - 3 - 2 = 49 = 0x31. Common info: type
    /// 2, length 0x31, 80 MHz = 2 in bits 18 and 19, 4x HE-LTF = 2 in bits 20 and 21, LDPC extra symbol bit 27, bits 54
    /// to 62 one. User info: AID 3; unit 61 + 3 = 64, which is 128 with the bit of the 80 MHz below it; LDPC, MCS 5
    /// and one stream in bits 20 to 31; power 127. With 23 dBm, and a target of -60 dBm: 16.979 dBm in each 20 MHz
    /// are 17 + 20 = 37 = 0x25 in bits 28 to 33, and -60 + 110 = 50. BAR: compressed, number 9 in bits 4 to 15.
    ///
    /// Verifies: [80211ax-2021 §9.3.1.22, §27.3.11.5]
    #[test]
    fn a_mu_bar_names_unit_mcs_and_starting_number() {
        let of = Parameters::of(Format::He, 5, 1, Width::Mhz80, GuardInterval::Ns3200);
        let of = Parameters { unit: Unit::Tones242, kind: PpduKind::Triggered, ..of };
        let mode = Mode::new(of).expect("a mode");
        let block_ack = (AccessCategory::default(), Bitmap::new(Sequence::new(9)));
        let asked = Asked { station: Some(NodeId(3)), units: 1, mode, place: 3, block_ack };
        let trigger = Trigger {
            variant: TriggerVariant::BlockAckRequest,
            duration: Duration::from_nanos(89_600),
            random: None,
            power: None,
        };
        let mut octets = Vec::new();
        put_trigger(&mut octets, (trigger, Band::Ghz5), std::slice::from_ref(&asked));
        assert_eq!(octets[..8], [0x12, 0x03, 0x28, 0x08, 0, 0, 0xc0, 0x7f]);
        // 3 | 128 << 12 | 1 << 20 | 5 << 21 = 0x0b8_0003.
        assert_eq!(octets[8..13], [0x03, 0x00, 0xb8, 0x00, 0x7f]);
        assert_eq!(octets[13..], [0x04, 0x00, 0x90, 0x00]);

        let power = TriggerPower { access_point: Dbm::new(23), target: Dbm::new(-60) };
        octets.clear();
        put_trigger(&mut octets, (Trigger { power: Some(power), ..trigger }, Band::Ghz5), &[asked]);
        assert_eq!(octets[..8], [0x12, 0x03, 0x28, 0x58, 0x02, 0, 0xc0, 0x7f]);
        assert_eq!(octets[12], 50);
    }

    /// 37 units of 26 tones for random access have two user info fields with AID 0, of 32 units and of 5.
    ///
    /// MCS 2 and LDPC: 2 << 21 | 1 << 20. First field: unit 0, number 31 in bits 26 to 30, and bit 31. Second one: unit
    /// 32, which is 64 with the bit below it, in bits 12 to 19; number 4.
    ///
    /// Verifies: [80211ax-2021 §9.3.1.22]
    #[test]
    fn units_for_random_access_have_aid_0_and_their_number() {
        let of = Parameters::of(Format::He, 2, 1, Width::Mhz80, GuardInterval::Ns1600);
        let of = Parameters { unit: Unit::Tones26, kind: PpduKind::Triggered, ..of };
        let tx = TxVector::Mode(Mode::new(of).expect("a mode"));
        let fields = RandomUnits { units: 37, first: 0, tx }.fields();
        let infos: Vec<u64> = fields.filter_map(Asked::of_random).map(|it| user(&it)).collect();
        let coding = u64::from(Mode::new(of).expect("a mode").coding() == Coding::Ldpc) << 20;
        let common = 2 << 21 | coding | 1 << 31;
        assert_eq!(infos, [common | 31 << 26, common | 64 << 12 | 4 << 26]);
    }

    /// The fifth unit of 484 tones would be in the second 80 MHz of 160: there, units 0 and 1 are in the first one.
    #[test]
    fn an_index_counts_within_80_mhz() {
        let of = |unit, place| {
            let of = Parameters::of(Format::He, 0, 1, Width::Mhz160, GuardInterval::Ns3200);
            let of = Parameters { unit, kind: PpduKind::Triggered, ..of };
            index(Mode::new(of).expect("a mode"), place)
        };
        assert_eq!(
            [0, 1, 2, 3].map(|place| of(Unit::Tones484, place)),
            [(0, false), (1, false), (0, true), (1, true)]
        );
        assert_eq!(of(Unit::Tones26, 73), (36, true));
        assert_eq!(of(Unit::Full, 0), (0, false));
    }
}
