//! Cells whose blocks of spectrum overlap, with other primary channels or widths.

use Width::{Mhz20, Mhz40, Mhz80};
use airfair_units::{Duration, Time};
use airfair_wlan::phy::{Band, Block, Mode, Standard, Width};
use airfair_wlan::{AirUse, CellConfig, CellMember, Channel, NodeId, WidthRule};

use crate::bench::{at, without_backoff};
use crate::modes::{MSDU, cell, ppdu};
use crate::neighbours::Street;

const STATION: NodeId = NodeId(1);

/// A cell of 802.11ac with one station at `vht-mcs5`, without back-off. An AIFS has 43 µs, a SIFS 16 µs, a PIFS 25 µs.
/// An ACK at 24 Mb/s has 28 µs.
fn on(primary: u8, width: Width, width_rule: WidthRule) -> CellConfig {
    let channel = Channel { width, ..Channel::of(Standard::Ac) };
    let mut config = without_backoff(cell(Standard::Ac, channel, &[Standard::Ac]));
    config.rules.block = Block::of(Band::Ghz5, primary, width).ok();
    config.rules.width_rule = width_rule;
    config.stations[0].rate_up = mode(width).into();
    config
}

fn mode(width: Width) -> Mode {
    let link = Channel { width, ..Channel::of(Standard::Ac) }.link(Standard::Ac, Standard::Ac);
    let modes = link.expect("a link").modes();
    modes.into_iter().find(|it| it.mcs() == 5).expect("MCS 5")
}

/// Duration of the PPDU of one packet in this width.
fn data(width: Width) -> Duration {
    Duration::from_nanos(ppdu(mode(width), Band::Ghz5))
}

const US: fn(u64) -> Duration = Duration::from_micros;

fn ends(street: &Street, cell: usize) -> Vec<Time> {
    street.sent(cell).iter().map(|it| it.end).collect()
}

/// The station of the second cell sends from 43 µs on. Another packet comes to that of the first cell, 36 with 80 MHz,
/// at 100 µs.
fn beside(primary: u8, width_rule: WidthRule) -> Street {
    let cells = vec![on(36, Mhz80, width_rule), on(primary, Mhz20, WidthRule::Dynamic)];
    let mut street = Street::new(cells, |_, _| true);
    street.send_packet((1, STATION), NodeId::AP, MSDU);
    street.run_until(at(100));
    street.send_packet((0, STATION), NodeId::AP, MSDU);
    street.run_until(at(2_000));
    street
}

/// Verifies: [80211-2020 §10.23.2.5]
#[test]
fn a_ppdu_is_as_wide_as_the_idle_channels_around_the_primary() {
    for (primary, width) in [(40, Mhz20), (44, Mhz40), (48, Mhz40)] {
        let street = beside(primary, WidthRule::Dynamic);
        let end = at(100) + data(width);
        assert_eq!(ends(&street, 0), [end, end + US(16 + 28)], "{primary}");
        // The block of the second cell does not have the channels of the narrower PPDU.
        let end = at(43) + data(Mhz20);
        assert_eq!(ends(&street, 1), [end, end + US(16 + 28)]);
        assert_eq!(street.time(0, |it| matches!(it, AirUse::Neighbour { .. })), 0);
        // The secondary channel is idle now, and the whole channel is used again.
        let mut street = street;
        street.send_packet((0, STATION), NodeId::AP, MSDU);
        street.run_until(at(4_000));
        assert_eq!(ends(&street, 0)[2], at(2_000) + data(Mhz80));
    }
}

/// Slots end each 9 µs from 43 µs on, and the member that does not transmit at 100 µs tries again at the end of each one
/// from 115 µs on. The whole channel has been idle for a PIFS at the first one that comes 25 µs or more after the ACK of
/// the neighbour.
///
/// Verifies: [80211-2020 §10.23.2.5]
#[test]
fn the_static_rule_waits_until_all_channels_have_been_idle_for_a_pifs() {
    let street = beside(40, WidthRule::Static);
    let idle = at(43) + data(Mhz20) + US(16 + 28) + US(25);
    let slots = (idle - at(115)).as_nanos().div_ceil(9_000);
    let end = at(115) + US(9 * slots) + data(Mhz80);
    assert_eq!(ends(&street, 0), [end, end + US(16 + 28)]);
}

/// A PPDU of 80 MHz around another primary channel is energy on this one. The ACK, a duplicate, is decoded, so that no
/// EIFS follows it.
#[test]
fn cells_with_one_block_and_two_primary_channels_wait_for_each_other() {
    let cells = [36, 44].map(|it| on(it, Mhz80, WidthRule::Dynamic)).to_vec();
    let mut street = Street::new(cells, |_, _| true);
    street.send_packet((1, STATION), NodeId::AP, MSDU);
    street.run_until(at(50));
    street.send_packet((0, STATION), NodeId::AP, MSDU);
    street.run_until(at(2_000));
    let first = at(43) + data(Mhz80);
    assert_eq!(ends(&street, 1), [first, first + US(16 + 28)]);
    let second = first + US(16 + 28 + 43) + data(Mhz80);
    assert_eq!(ends(&street, 0), [second, second + US(16 + 28)]);
    let neighbour = data(Mhz80) + US(28);
    let time = street.time(0, |it| matches!(it, AirUse::Neighbour { .. }));
    assert_eq!(US(time), US(neighbour.as_nanos() / 1_000));
}

/// A cell of 20 MHz does not decode the PPDUs of a wider cell with the same primary channel, and so sets no NAV.
#[test]
fn a_wider_ppdu_is_energy_for_a_narrow_cell() {
    // Only the station of the wide cell is heard, so that an EIFS follows its PPDU.
    let hears = |one: CellMember, other: CellMember| one.0 == 0 || other == (0, STATION);
    let cells = [Mhz80, Mhz20].map(|it| on(36, it, WidthRule::Dynamic)).to_vec();
    let mut street = Street::new(cells, hears);
    street.send_packet((0, STATION), NodeId::AP, MSDU);
    street.run_until(at(50));
    street.send_packet((1, STATION), NodeId::AP, MSDU);
    street.run_until(at(2_000));
    // EIFS: SIFS 16, ACK at 6 Mb/s 44, AIFS 43.
    let end = at(43) + data(Mhz80) + US(16 + 44 + 43) + data(Mhz20);
    assert_eq!(ends(&street, 1)[0], end);
}

/// The stations do not hear the other cell. The access point of the wide cell receives nothing while the neighbour is on
/// its secondary channel, whoever of the two starts first.
#[test]
fn a_hidden_neighbour_on_a_secondary_channel_destroys_a_wide_ppdu() {
    let hears = |one: CellMember, other: CellMember| one == (0, NodeId::AP) && other.0 == 1;
    for first in [0, 1] {
        let cells = vec![on(36, Mhz80, WidthRule::Dynamic), on(40, Mhz20, WidthRule::Dynamic)];
        let mut street = Street::new(cells, hears);
        street.send_packet((first, STATION), NodeId::AP, MSDU);
        street.run_until(at(60));
        street.send_packet((1 - first, STATION), NodeId::AP, MSDU);
        street.run_until(at(250));
        let start = at(if first == 0 { 43 } else { 60 });
        let sent = street.sent(0)[0];
        assert_eq!(
            (sent.collided, sent.end),
            (true, start + data(Mhz80)),
            "{first} {:?}",
            street.sent(0)
        );
        street.run_until(at(5_000));
        let sent = street.sent(1);
        assert!(sent.len() == 2 && sent.iter().all(|it| !it.collided));
        // The packet arrives once the neighbour is silent.
        assert!(!street.sent(0).last().expect("a frame").collided);
    }
}
