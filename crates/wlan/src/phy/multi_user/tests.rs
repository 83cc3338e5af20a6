//! Durations of PPDUs of several users against closed forms, and errors.

use super::*;
use crate::phy::mode::{Coding, Format, HeLtf, Parameters};
use crate::phy::ppdu::MAX_PPDU_DURATION;
use crate::phy::{GuardInterval, Width};
use GuardInterval::{Ns800, Ns1600, Ns3200};
use PpduKind::{Multi, Triggered};

/// Mode of a user with LDPC.
fn user(format: Format, mcs: u8, width: Width, guard: GuardInterval, unit: Unit) -> Mode {
    let kind = if guard == Ns800 { Multi } else { Triggered };
    let of = Parameters::of(format, mcs, 1, width, guard);
    Mode::new(Parameters { unit, kind, ..of }).expect("a mode of a unit")
}

fn with(mode: Mode, change: impl Fn(&mut Parameters)) -> Mode {
    let mut of = mode.parameters();
    change(&mut of);
    Mode::new(of).expect("a mode of a unit")
}

fn bcc(mode: Mode) -> Mode {
    with(mode, |of| of.coding = Coding::Bcc)
}

fn ns(modes: &[Mode], octets: &[u64]) -> u64 {
    let sizes: Vec<Bytes> = octets.iter().copied().map(Bytes::new).collect();
    let ppdu = MultiUser::new(modes).expect("users of a PPDU");
    ppdu.duration(&sizes, Band::Ghz5, PacketPadding::None).as_nanos()
}

/// Duration of an HE MU PPDU with four users in 52 tones at MCS 5. HE-SIG-B: 18 + 2·52 = 122 bits at 208 per symbol, 4
/// µs. Preamble 36 + 4 + 7.2 = 47.2 µs. 52 tones carry 48·6·2/3 = 192 bits. 1030 octets: 8240 + 16 = 8256 = 43·192
/// bits, 43 symbols of 13.6 µs, 584.8 µs.
///
/// Verifies: [80211ax-2021 §27.4.3]
#[test]
fn he_mu_with_equal_units() {
    let modes = [user(Format::He, 5, Width::Mhz20, Ns800, Unit::Tones52); 4];
    assert_eq!(ns(&modes, &[1_030; 4]), 47_200 + 584_800);
    assert_eq!(ns(&modes, &[0, 0, 0, 1_030]), 632_000);
}

/// Duration of HE MU PPDUs for every equal split of 20 and 80 MHz, at MCS 0 with BCC and LDPC. The users of the fuller
/// content channel and the bits of HE-SIG-B at 26 per symbol: 20 MHz 1, 49 → 2; 2, 70 → 3; 4, 122 → 5; 9, 257 → 10. 80
/// MHz 1, 58 → 3; 1 of 2, 58 → 3; 2 of 4, 79 → 4; 4 of 8, 131 → 6; 8 of 16, 235 → 10; 19 of 37, 526 → 21. 100 octets
/// with BCC, 822 bits at 117, 51, 24 and 12 per symbol are 8, 17, 35 and 69 symbols. With LDPC, 816 bits at 490 and 234
/// are 2 and 4 symbols.
///
/// Verifies: [80211ax-2021 §27.3.11.8, §27.4.3]
#[test]
fn he_mu_with_every_equal_split() {
    let of = |width, unit, count, is_bcc: bool| {
        let mode = user(Format::He, 0, width, Ns800, unit);
        ns(&vec![if is_bcc { bcc(mode) } else { mode }; count], &vec![100; count])
    };
    let expected = |signal: u64, symbols: u64| 36_000 + 4_000 * signal + 7_200 + 13_600 * symbols;
    let narrow = [
        (Unit::Full, 1, 2, 8),
        (Unit::Tones106, 2, 3, 17),
        (Unit::Tones52, 4, 5, 35),
        (Unit::Tones26, 9, 10, 69),
    ];
    for (unit, count, signal, symbols) in narrow {
        assert_eq!(of(Width::Mhz20, unit, count, true), expected(signal, symbols), "{unit}");
    }
    assert_eq!(of(Width::Mhz80, Unit::Full, 1, false), expected(3, 2));
    assert_eq!(of(Width::Mhz80, Unit::Tones484, 2, false), expected(3, 4));
    let wide = [
        (Unit::Tones242, 4, 4, 8),
        (Unit::Tones106, 8, 6, 17),
        (Unit::Tones52, 16, 10, 35),
        (Unit::Tones26, 37, 21, 69),
    ];
    for (unit, count, signal, symbols) in wide {
        assert_eq!(of(Width::Mhz80, unit, count, true), expected(signal, symbols), "{unit}");
    }
}

/// The longest user decides. One user in 106 tones at MCS 7, two in 52 tones at MCS 3, with BCC. HE-SIG-B at MCS 3 has
/// 18, 52 and 31, 101 bits, one symbol. 1500 octets: 12 022 bits at 510 → 24 symbols. 300 octets: 2422 bits at 96 → 26
/// symbols, of which the last one has 22 bits, one segment of 24. Preamble 47.2 µs and data 353.6 µs; with a nominal
/// padding of 16 µs, 4 µs more.
///
/// Verifies: [80211ax-2021 §27.3.12.5, §27.3.13, §27.4.3]
#[test]
fn the_longest_user_decides() {
    let small = bcc(user(Format::He, 3, Width::Mhz20, Ns800, Unit::Tones52));
    let modes = [bcc(user(Format::He, 7, Width::Mhz20, Ns800, Unit::Tones106)), small, small];
    let sizes = [1_500, 300, 100].map(Bytes::new);
    let ppdu = MultiUser::new(&modes).expect("users of a PPDU");
    assert_eq!(ppdu.symbols(&sizes), Symbols { count: 26, last_segments: 1 });
    let of = |band, padding| ppdu.duration(&sizes, band, padding).as_nanos();
    assert_eq!(of(Band::Ghz5, PacketPadding::None), 400_800);
    assert_eq!(of(Band::Ghz5, PacketPadding::Us16), 404_800);
    assert_eq!(of(Band::Ghz2, PacketPadding::None), 406_800);
}

/// A code that needs more parity bits makes the PPDU longer for all users. At MCS 0 in 26 tones 100 octets fill 68
/// symbols of 12 bits: 816 bits in one codeword of 1944 with room for 1632. 972 - 816 = 156 bits are shortened and 156
/// punctured, 16 % of 972 parity bits, so that LDPC takes one more symbol. The other user has 2 octets.
///
/// Verifies: [80211ax-2021 §27.3.12.5.2]
#[test]
fn ldpc_of_one_user_makes_all_longer() {
    let modes = [user(Format::He, 0, Width::Mhz20, Ns800, Unit::Tones26); 2];
    let ppdu = MultiUser::new(&modes).expect("users of a PPDU");
    let symbols = ppdu.symbols(&[Bytes::new(2), Bytes::new(100)]);
    assert_eq!(symbols, Symbols { count: 69, last_segments: 1 });
}

/// Duration of an HE MU PPDU with MU-MIMO: four users with two streams each in the full 80 MHz at MCS 11. Eight LTFs,
/// 57.6 µs. HE-SIG-B without a common field, two users in each content channel: 52 bits, 4 µs. Preamble 36 + 4 + 57.6
/// µs. 20 000 octets: 160 016 bits at 16 333 → 10 symbols, 136 µs.
///
/// Verifies: [80211ax-2021 §27.3.11.8, §27.3.11.10, §27.4.3]
#[test]
fn he_mu_with_users_that_share_the_width() {
    let mode = user(Format::He, 11, Width::Mhz80, Ns800, Unit::Full);
    let modes = [with(mode, |of| of.streams = 2); 4];
    assert_eq!(ns(&modes, &[20_000; 4]), 97_600 + 136_000);
}

/// Duration of EHT MU PPDUs. Four users in 242 tones of 80 MHz at MCS 13: EHT-SIG 45 + 54 = 99 bits at 104 per symbol,
/// 4 µs; preamble 20 + 4 + 8 + 4 + 4 + 7.2 µs. 3000 octets: 24 016 bits at 2340 → 11 symbols, 149.6 µs. Two users of
/// 320 MHz, in 3x996 and in 996 tones, at MCS 1: EHT-SIG 45 + 64 + 32 = 141 bits at 52 → 3 symbols; preamble 55.2 µs.
/// 3000 octets in 996 tones: 24 016 at 980 → 25 symbols, 340 µs.
///
/// Verifies: [80211be-2024 §36.3.12.8, §36.4.3]
#[test]
fn eht_mu_with_units() {
    let modes = [user(Format::Eht, 13, Width::Mhz80, Ns800, Unit::Tones242); 4];
    assert_eq!(ns(&modes, &[3_000; 4]), 47_200 + 149_600);
    let of = |unit| user(Format::Eht, 1, Width::Mhz320, Ns800, unit);
    assert_eq!(ns(&[of(Unit::Tones3x996), of(Unit::Tones996)], &[3_000; 2]), 55_200 + 340_000);
}

/// Duration of an EHT MU PPDU with MU-MIMO in 60 of 80 MHz, two users at MCS 0: EHT-SIG 20 + 22 + 10 = 52 bits, 2
/// symbols; two LTFs, 14.4 µs; preamble 36 + 8 + 14.4 µs. 1000 octets: 8016 bits at 351 → 23 symbols, 312.8 µs.
///
/// Verifies: [80211be-2024 §36.3.12.8, §36.4.3]
#[test]
fn eht_mu_with_users_that_share_a_punctured_width() {
    let modes = [user(Format::Eht, 0, Width::Mhz80, Ns800, Unit::Tones484And242); 2];
    assert_eq!(ns(&modes, &[1_000; 2]), 58_400 + 312_800);
}

/// Durations of trigger-based PPDUs. HE TB with nine users in 26 tones at MCS 0, 1.6 µs: preamble 40 + 8 = 48 µs; 100
/// octets with LDPC take 69 symbols of 14.4 µs, 993.6 µs. With 3.2 µs: preamble 40 + 16 µs, 69 symbols of 16 µs, 1104
/// µs. With a 1x LTF 4.8 µs instead of 8. EHT TB has the same fields. One of two users has two streams: two LTFs.
///
/// Verifies: [80211ax-2021 §27.3.4, §27.4.3], [80211be-2024 §36.3.5]
#[test]
fn trigger_based_ppdus_of_both_formats() {
    for format in [Format::He, Format::Eht] {
        let of = |guard| user(format, 0, Width::Mhz20, guard, Unit::Tones26);
        assert_eq!(ns(&[of(Ns1600); 9], &[100; 9]), 48_000 + 993_600);
        assert_eq!(ns(&[of(Ns3200); 9], &[100; 9]), 56_000 + 1_104_000);
        let short = with(of(Ns1600), |of| of.ltf = Some(HeLtf::X1));
        assert_eq!(ns(&[short; 9], &[100; 9]), 44_800 + 993_600);
        let two = [of(Ns1600), with(of(Ns1600), |of| of.streams = 2)];
        assert_eq!(MultiUser::new(&two).expect("users").preamble(), Duration::from_micros(56));
    }
}

/// Largest PSDUs of all users fit into the time together, and one octet more for a user with BCC, or a symbol of octets
/// with LDPC, does not.
#[test]
fn the_largest_psdus_within_a_time_are_the_largest() {
    let he = |mcs, unit| user(Format::He, mcs, Width::Mhz80, Ns800, unit);
    let eht = |mcs, unit| user(Format::Eht, mcs, Width::Mhz160, Ns1600, unit);
    let groups = [
        vec![he(0, Unit::Tones26); 37],
        vec![he(11, Unit::Tones484), he(3, Unit::Tones242), bcc(he(9, Unit::Tones106))],
        vec![bcc(he(0, Unit::Tones52)), he(0, Unit::Tones26), bcc(he(5, Unit::Tones242))],
        vec![eht(13, Unit::Tones996And484), eht(12, Unit::Tones484)],
    ];
    for modes in groups {
        let ppdu = MultiUser::new(&modes).expect("users of a PPDU");
        for limit in [200, 547, 1_000, 2_008, 4_800].map(Duration::from_micros) {
            hold(&ppdu, limit);
        }
    }
    let ppdu = MultiUser::new(&[he(0, Unit::Full)]).expect("a user");
    assert_eq!(ppdu.room(Duration::from_micros(60), Band::Ghz5, PacketPadding::None), None);
    assert!(ppdu.room(MAX_PPDU_DURATION, Band::Ghz2, PacketPadding::None).is_some());
}

/// Checks that the largest PSDUs of all users take at most `limit`, and that a larger one for any of them takes longer.
fn hold(ppdu: &MultiUser, limit: Duration) {
    let band = Band::Ghz5;
    let of = |padding| {
        let room = ppdu.room(limit, band, padding).expect("room");
        let sizes = (0..ppdu.modes().len()).map(|user| ppdu.largest_psdu(user, room));
        sizes.collect::<Vec<Bytes>>()
    };
    let padded = PacketPadding::Us16;
    assert!(ppdu.duration(&of(padded), band, padded) <= limit, "{ppdu:?} {limit:?}");
    let sizes = of(PacketPadding::None);
    assert!(ppdu.duration(&sizes, band, PacketPadding::None) <= limit, "{ppdu:?} {limit:?}");
    for (user, mode) in ppdu.modes().iter().enumerate() {
        let is_bcc = mode.coding() == Coding::Bcc;
        let more = if is_bcc { 1 } else { mode.data_bits().div_ceil(8) + 1 };
        let mut sizes = sizes.clone();
        sizes[user] += Bytes::new(more);
        let longer = ppdu.duration(&sizes, band, PacketPadding::None);
        assert!(longer > limit, "{user} {limit:?}");
    }
}

/// HE-SIG-B has as many symbols, and PPDUs last as long, as in the tests of ns-3: by units of one size and MCS of
/// HE-SIG-B, with OFDMA and with MU-MIMO. Two users in 242 tones at MCS 0 with 1536 octets take 1493.6 µs there, with
/// an LTF of 8 µs, 0.8 µs longer.
///
/// Verifies: [ns-3]
#[test]
fn signal_fields_are_as_long_as_in_ns_3() {
    let published = [
        (Width::Mhz20, Unit::Tones106, 2, 5, 1),
        (Width::Mhz20, Unit::Tones26, 8, 5, 2),
        (Width::Mhz80, Unit::Tones26, 36, 5, 3),
        (Width::Mhz80, Unit::Tones26, 37, 5, 3),
        (Width::Mhz160, Unit::Tones26, 74, 5, 5),
        (Width::Mhz40, Unit::Full, 2, 5, 1),
        (Width::Mhz40, Unit::Full, 3, 4, 1),
        (Width::Mhz40, Unit::Full, 8, 4, 1),
        (Width::Mhz160, Unit::Full, 8, 4, 1),
    ];
    for (width, unit, count, mcs, symbols) in published {
        let modes = vec![user(Format::He, 5, width, Ns800, unit); count];
        let ppdu = MultiUser::with_signal_mcs(&modes, mcs).expect("users of a PPDU");
        let shared = if unit == Unit::Full { count } else { 1 };
        let streams = u8::try_from(shared).expect("a few streams");
        let without = preamble_of_users(modes[0], streams, 0);
        assert_eq!(ppdu.preamble() - without, Duration::from_micros(4 * symbols), "{width} {unit}");
    }
    let modes = [bcc(user(Format::He, 0, Width::Mhz40, Ns800, Unit::Tones242)); 2];
    for sizes in [[1_536, 1_536], [76, 1_536]] {
        assert_eq!(ns(&modes, &sizes), 1_493_600 - 800);
    }
}

#[test]
fn users_that_do_not_go_together_are_refused() {
    let refused = |modes: &[Mode]| MultiUser::new(modes).expect_err("no PPDU").to_string();
    let of = |unit| user(Format::He, 5, Width::Mhz20, Ns800, unit);
    assert_eq!(refused(&[]), "no user; allowed at least 1");
    assert!(refused(&[of(Unit::Tones106); 3]).starts_with("106 tones do not fit into 20 MHz"));
    let longer = with(of(Unit::Tones106), |of| of.guard = Ns1600);
    assert!(refused(&[of(Unit::Tones106), longer]).contains("differs from"));
    let single = with(of(Unit::Full), |of| of.kind = PpduKind::Single);
    assert!(refused(&[single]).ends_with("allowed multi-user, triggered"));
    let streams = |streams| with(of(Unit::Full), |of| of.streams = streams);
    assert_eq!(
        refused(&[streams(3); 3]),
        "9 streams of users that share the same tones; allowed up to 8"
    );
    assert!(refused(&[streams(5), streams(1)]).ends_with("allowed up to 4"));
    assert!(refused(&[streams(1); 9]).starts_with("9 users share the same tones"));
    assert!(MultiUser::new(&[streams(8)]).is_ok());
}
