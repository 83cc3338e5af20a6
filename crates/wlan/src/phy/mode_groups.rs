//! Modes of a link, in the groups among which Minstrel-HT chooses.  [linux-minstrel-ht §`minstrel_mcs_groups`]

use airfair_laws::minstrel_ht::GroupedRate;
use airfair_units::{Bytes, Duration};

use super::rate_name::LinkFormat;
use super::{Band, GuardInterval, Mode, Width};

/// Size of the packet whose duration measures the throughput of a rate.
const PACKET: Bytes = Bytes::new(1_200);

/// Time that an aggregate takes beside its MPDUs, at any rate. Linux counts a frame without data, 16 + 20 + 12 µs,
/// and an ACK, 16 + 20 + 24 µs, both at 6 Mb/s and after a SIFS of 16 µs.  [linux-minstrel-ht
/// §`minstrel_ht_update_caps`]
pub const OVERHEAD: Duration = Duration::from_micros(108);

/// Modes of a link with their properties for Minstrel-HT, by width, guard interval, streams and MCS. The first one is
/// the most robust. They include narrower channels, longer guard intervals and fewer streams than the link's, in its
/// own format.
pub fn mode_groups(link: LinkFormat, band: Band) -> Vec<(Mode, GroupedRate)> {
    let mut modes = Vec::new();
    let mut group = 0;
    for (width, guard) in layouts(link, band) {
        for streams in 1..=link.streams {
            let mcs = 0..=link.format.max_mcs();
            let layout = LinkFormat { guard, ..link.with_width(width) };
            let of_group = mcs.filter_map(|mcs| layout.mode(mcs, streams).ok());
            modes.extend(
                of_group.map(|mode| (mode, GroupedRate { group, streams, time: time(mode) })),
            );
            group += 1;
        }
    }
    modes
}

/// The first mode of [`mode_groups`], which is the same in every band.
///
/// # Panics
/// If the mode cannot have the link's LTF or code.
pub fn most_robust(link: LinkFormat) -> Mode {
    let guard = *link.format.guard_intervals().last().expect("each format has one");
    let narrowest = LinkFormat { guard, ..link.with_width(Width::Mhz20) };
    narrowest.mode(0, 1).expect("each format has MCS 0 at 20 MHz")
}

/// The modes of [`mode_groups`], without their properties.
pub fn modes(link: LinkFormat, band: Band) -> impl Iterator<Item = Mode> {
    mode_groups(link, band).into_iter().map(|(mode, _)| mode)
}

/// Widths of the link, each with the guard intervals down to the link's.
fn layouts(link: LinkFormat, band: Band) -> impl Iterator<Item = (Width, GuardInterval)> {
    link.widths(band).flat_map(move |width| {
        let guards = link.format.guard_intervals().iter().rev().copied();
        guards.filter(move |guard| *guard >= link.guard).map(move |guard| (width, guard))
    })
}

/// Duration of a packet in an endless aggregate, not rounded to whole symbols. Linux rounds the duration of sixteen
/// packets up to whole symbols and takes a sixteenth of it. By that rule, some of the higher rates of HE, which Linux's
/// table does not have, would have equal durations.  [linux-minstrel-ht §`MCS_DURATION`]
fn time(mode: Mode) -> Duration {
    mode.symbol() * PACKET.bits() / mode.data_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::mode::Format;

    fn groups(
        format: Format,
        width: Width,
        guard: GuardInterval,
        streams: u8,
    ) -> Vec<(Mode, GroupedRate)> {
        mode_groups(LinkFormat::new(format, width, guard, streams), Band::Ghz5)
    }

    /// The groups of a link have all modes that the standard has at its widths, guard intervals and streams. HT at 40
    /// MHz with two streams: 2 widths, 2 guard intervals and 2 streams, with 8 MCSs each. VHT at 80 MHz with three
    /// streams: 3·2·3 groups of 10, without MCS 9 at 20 MHz with one and two streams and MCS 6 at 80 MHz with three,
    /// which the standard does not have, for both guard intervals. HE has three guard intervals and all MCSs: 4·3·2
    /// groups of 12.
    ///
    /// Verifies: [linux-minstrel-ht §`minstrel_get_valid_vht_rates`]
    #[test]
    fn groups_have_the_modes_of_the_standard() {
        let counts = |all: Vec<(Mode, GroupedRate)>| {
            (all.len(), all.last().map(|(_, rate)| usize::from(rate.group) + 1))
        };
        let short = GuardInterval::Ns400;
        assert_eq!(counts(groups(Format::Ht, Width::Mhz40, short, 2)), (64, Some(8)));
        assert_eq!(counts(groups(Format::Vht, Width::Mhz80, short, 3)), (180 - 6, Some(18)));
        let he = groups(Format::He, Width::Mhz160, GuardInterval::Ns800, 2);
        assert_eq!(counts(he), (288, Some(24)));
        assert_eq!(counts(groups(Format::Ht, Width::Mhz20, GuardInterval::Ns800, 1)), (8, Some(1)));
    }

    #[test]
    fn rates_of_a_group_ascend_and_the_most_robust_is_first() {
        let all = groups(Format::He, Width::Mhz80, GuardInterval::Ns800, 4);
        for pair in all.windows(2) {
            let [(slower, of_slower), (faster, of_faster)] = pair else { unreachable!("two") };
            if of_slower.group == of_faster.group {
                assert!(of_slower.time > of_faster.time && slower.mcs() < faster.mcs());
                let layout = |mode: &Mode| (mode.width(), mode.guard(), mode.streams());
                assert_eq!(layout(slower), layout(faster));
            }
        }
        let (first, _) = all[0];
        assert_eq!((first.width(), first.guard()), (Width::Mhz20, GuardInterval::Ns3200));
        assert_eq!((first.streams(), first.mcs()), (1, 0));
        let link = LinkFormat::new(Format::He, Width::Mhz80, GuardInterval::Ns800, 4);
        assert_eq!(most_robust(link), first);
    }

    /// The time of a packet is its share of the symbols of an endless aggregate. HT at 20 MHz, 800 ns, MCS 7: 9600 bits
    /// at 260 per symbol are 36.923 symbols of 4 µs, 147.692 µs. Linux has 147.75 µs.
    ///
    /// Verifies: [linux-minstrel-ht §`MCS_DURATION`]
    #[test]
    fn a_packet_takes_its_part_of_the_symbols() {
        let all = groups(Format::Ht, Width::Mhz20, GuardInterval::Ns800, 1);
        assert_eq!(all[7].1.time, Duration::from_nanos(147_692));
    }
}
