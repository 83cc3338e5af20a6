//! Tests of modes against the tables of the standard.

use super::*;
use crate::phy::Band;

use GuardInterval::{Ns400, Ns800, Ns1600, Ns3200};
use Width::{Mhz20, Mhz40, Mhz80, Mhz160, Mhz320};

/// Rates by MCS for this number of streams, as the tables print them [tenths of a Mb/s].
fn ladder(format: Format, width: Width, guard: GuardInterval, streams: u8) -> Vec<u64> {
    let of_streams = |it: &Mode| it.streams() == streams;
    Mode::all(format, width, guard).filter(of_streams).map(Mode::tenths_of_mbps).collect()
}

/// Verifies: [80211-2020 §19.5]
#[test]
fn ht_has_the_rates_of_its_tables() {
    let of = |width, guard, streams| ladder(Format::Ht, width, guard, streams);
    assert_eq!(of(Mhz20, Ns800, 1), [65, 130, 195, 260, 390, 520, 585, 650]);
    assert_eq!(of(Mhz20, Ns400, 1), [72, 144, 217, 289, 433, 578, 650, 722]);
    assert_eq!(of(Mhz40, Ns800, 1), [135, 270, 405, 540, 810, 1_080, 1_215, 1_350]);
    assert_eq!(of(Mhz40, Ns400, 1), [150, 300, 450, 600, 900, 1_200, 1_350, 1_500]);
    assert_eq!(of(Mhz20, Ns400, 2), [144, 289, 433, 578, 867, 1_156, 1_300, 1_444]);
    assert_eq!(of(Mhz40, Ns400, 4), [600, 1_200, 1_800, 2_400, 3_600, 4_800, 5_400, 6_000]);
}

/// Verifies: [80211-2020 §21.5]
#[test]
fn vht_has_the_rates_of_its_tables() {
    let of = |width, guard, streams| ladder(Format::Vht, width, guard, streams);
    assert_eq!(of(Mhz20, Ns800, 1), [65, 130, 195, 260, 390, 520, 585, 650, 780]);
    assert_eq!(of(Mhz20, Ns400, 3)[8..], [2_600, 2_889]);
    assert_eq!(of(Mhz40, Ns400, 1)[7..], [1_500, 1_800, 2_000]);
    let long = [293, 585, 878, 1_170, 1_755, 2_340, 2_633, 2_925, 3_510, 3_900];
    let short = [325, 650, 975, 1_300, 1_950, 2_600, 2_925, 3_250, 3_900, 4_333];
    assert_eq!((of(Mhz80, Ns800, 1), of(Mhz80, Ns400, 1)), (long.to_vec(), short.to_vec()));
    assert_eq!(of(Mhz160, Ns800, 1)[9], 7_800);
    assert_eq!(of(Mhz160, Ns400, 8)[9], 69_333);
}

/// Verifies: [80211ax-2021 §27.5]
#[test]
fn he_has_the_rates_of_its_tables() {
    let of = |width, guard, streams| ladder(Format::He, width, guard, streams);
    let shortest = [86, 172, 258, 344, 516, 688, 774, 860, 1_032, 1_147, 1_290, 1_434];
    let middle = [81, 163, 244, 325, 488, 650, 731, 813, 975, 1_083, 1_219, 1_354];
    let longest = [73, 146, 219, 293, 439, 585, 658, 731, 878, 975, 1_097, 1_219];
    assert_eq!(of(Mhz20, Ns800, 1), shortest);
    assert_eq!(of(Mhz20, Ns1600, 1), middle);
    assert_eq!(of(Mhz20, Ns3200, 1), longest);
    let forty = [172, 344, 516, 688, 1_032, 1_376, 1_549, 1_721, 2_065, 2_294, 2_581, 2_868];
    assert_eq!(of(Mhz40, Ns800, 1), forty);
    assert_eq!(
        of(Mhz80, Ns800, 1)[..10],
        [360, 721, 1_081, 1_441, 2_162, 2_882, 3_243, 3_603, 4_324, 4_804]
    );
    assert_eq!(of(Mhz80, Ns800, 2)[11], 12_010);
    assert_eq!(of(Mhz160, Ns800, 8)[11], 96_078);
}

/// EHT has the rates of HE, and MCS 12 and 13: at 80 MHz 980·12·5/6 = 9800 bits in 13.6 µs, 720.6 Mb/s, and at 320 MHz
/// with eight streams 32 times as many, 23 058.8 Mb/s.
///
/// Verifies: [80211be-2024 §36.5]
#[test]
fn eht_has_the_rates_of_its_tables() {
    let of = |width, guard, streams| ladder(Format::Eht, width, guard, streams);
    for (width, guard) in [(Mhz20, Ns800), (Mhz40, Ns1600), (Mhz80, Ns3200), (Mhz160, Ns800)] {
        assert_eq!(of(width, guard, 2)[..12], ladder(Format::He, width, guard, 2));
    }
    assert_eq!(of(Mhz20, Ns800, 1)[12..], [1_549, 1_721]);
    assert_eq!(of(Mhz80, Ns800, 1)[12..], [6_485, 7_206]);
    assert_eq!(of(Mhz320, Ns800, 1)[11..], [24_019, 25_941, 28_824]);
    assert_eq!(of(Mhz320, Ns800, 8)[13], 230_588);
}

/// Mode of a user with this unit in an MU PPDU.
fn of_unit(format: Format, mcs: u8, width: Width, guard: GuardInterval, unit: Unit) -> Mode {
    let of = Parameters::of(format, mcs, 1, width, guard);
    Mode::new(Parameters { unit, kind: PpduKind::Multi, ..of }).expect("a mode of a unit")
}

/// Rates in resource units. 26 tones carry 24 subcarriers: 12 bits at MCS 0 in 13.6 µs are 0.9 Mb/s, and 200 at MCS 11
/// 14.7 Mb/s. 484+242 tones carry 702: 7020 bits at MCS 13 are 516.2 Mb/s, and 3x996+484 carry 3408: 34 080 bits,
/// 2505.9 Mb/s.
///
/// Verifies: [80211ax-2021 §27.5], [80211be-2024 §36.5]
#[test]
fn units_have_the_rates_of_their_tables() {
    let he = |mcs, guard, unit| of_unit(Format::He, mcs, Mhz80, guard, unit).tenths_of_mbps();
    assert_eq!([0, 11].map(|mcs| he(mcs, Ns800, Unit::Tones26)), [9, 147]);
    assert_eq!([0, 11].map(|mcs| he(mcs, Ns3200, Unit::Tones26)), [8, 125]);
    assert_eq!([0, 11].map(|mcs| he(mcs, Ns800, Unit::Tones52)), [18, 294]);
    assert_eq!([0, 11].map(|mcs| he(mcs, Ns1600, Unit::Tones106)), [35, 590]);
    assert_eq!([0, 11].map(|mcs| he(mcs, Ns800, Unit::Tones242)), [86, 1_434]);
    assert_eq!([0, 11].map(|mcs| he(mcs, Ns800, Unit::Tones484)), [172, 2_868]);
    let eht = |width, unit| of_unit(Format::Eht, 13, width, Ns800, unit).tenths_of_mbps();
    assert_eq!(eht(Mhz80, Unit::Tones484And242), 5_162);
    assert_eq!(eht(Mhz320, Unit::Tones3x996And484), 25_059);
}

/// A trigger-based PPDU has a guard interval of 1.6 or 3.2 µs, HE has no multiple units, and an MU PPDU has no 1x LTF.
///
/// Verifies: [80211ax-2021 §26.5.2.3, §27.3.2], [80211be-2024 §36.3.2]
#[test]
fn units_and_kinds_that_a_format_lacks_are_refused_with_those_that_it_has() {
    let he = Parameters::of(Format::He, 0, 1, Mhz20, Ns800);
    let refused = |of: Parameters| Mode::new(of).expect_err("no mode").to_string();
    let kind = PpduKind::Triggered;
    assert_eq!(
        refused(Parameters { kind, ..he }),
        "800 ns does not go with HE TB (802.11ax-2021 §27.5); allowed 1600 ns, 3200 ns"
    );
    for (guard, ltfs) in [(Ns1600, "allowed X1, X2"), (Ns3200, "allowed X4")] {
        assert!(refused(Parameters { kind, guard, ltf: None, ..he }).ends_with(ltfs));
    }
    let multi = Parameters { kind: PpduKind::Multi, ..he };
    assert!(refused(Parameters { ltf: None, ..multi }).ends_with("allowed X2, X4"));
    let without = |unit| refused(Parameters { unit, ..multi });
    assert_eq!(
        without(Unit::Tones484),
        "484 tones does not go with HE MU, 20 MHz (802.11ax-2021 §27.5); \
         allowed full width, 26 tones, 52 tones, 106 tones, 242 tones"
    );
    assert!(without(Unit::Tones52And26).ends_with("106 tones, 242 tones"));
    assert!(refused(Parameters { unit: Unit::Tones26, ..he }).ends_with("allowed full width"));
    let bcc = Parameters { coding: Coding::Bcc, unit: Unit::Tones484, width: Mhz80, ..multi };
    assert!(refused(bcc).starts_with("BCC does not go with HE MU, 80 MHz, 484 tones, 1 stream"));
    assert!(Mode::new(Parameters { unit: Unit::Tones242, ..bcc }).is_ok());
    let ht = Parameters { kind, ..Parameters::of(Format::Ht, 0, 1, Mhz20, Ns800) };
    assert!(refused(ht).starts_with("HT TB does not go with this model"));
    let eht = Parameters::of(Format::Eht, 0, 1, Mhz80, Ns800);
    let punctured = Parameters { unit: Unit::Tones484And242, ..eht };
    assert_eq!(Mode::new(punctured).map(Mode::data_bits), Ok(351));
    for (mcs, reason) in [(14, "EHT DUP"), (15, "dual carrier modulation")] {
        let text = refused(Parameters { mcs, ..eht });
        assert!(text.starts_with(&format!("MCS {mcs} does not go with this model")), "{text}");
        assert!(text.contains(reason) && text.ends_with("11, 12, 13"), "{text}");
    }
    assert!(refused(Parameters { width: Mhz320, ..he }).ends_with("80 MHz, 160 MHz"));
}

/// Coded bits and data bits per symbol, and numbers of encoders, are those of the standard's tables.
///
/// Verifies: [80211-2020 §19.3.5, §21.5]
#[test]
fn symbols_carry_the_bits_of_the_tables() {
    let bits = |format, mcs, streams, width| {
        let mode = Mode::new(Parameters::of(format, mcs, streams, width, Ns800)).expect("a mode");
        (mode.coded_bits(), mode.data_bits(), mode.encoders())
    };
    assert_eq!(bits(Format::Ht, 0, 1, Mhz20), (52, 26, 1));
    assert_eq!(bits(Format::Ht, 7, 2, Mhz40), (1_296, 1_080, 1));
    assert_eq!(bits(Format::Ht, 5, 3, Mhz40), (1_944, 1_296, 2));
    assert_eq!(bits(Format::Vht, 9, 1, Mhz80), (1_872, 1_560, 1));
    assert_eq!(bits(Format::Vht, 9, 2, Mhz80), (3_744, 3_120, 2));
    assert_eq!(bits(Format::He, 11, 1, Mhz20), (2_340, 1_950, 0));
}

/// VHT modes have as many encoders as the standard's tables say, also where the data rate alone would need fewer.
///
/// Verifies: [80211-2020 §21.5]
#[test]
fn encoders_of_vht_share_a_symbol_evenly() {
    let of = |width, streams, mcs| {
        let mode = Mode::new(Parameters::of(Format::Vht, mcs, streams, width, Ns800));
        mode.expect("a mode").encoders()
    };
    let eighty = [of(Mhz80, 7, 2), of(Mhz80, 7, 7), of(Mhz80, 7, 8), of(Mhz80, 8, 7)];
    assert_eq!(eighty, [3, 6, 6, 6]);
    let wide = [of(Mhz160, 4, 7), of(Mhz160, 5, 8), of(Mhz160, 6, 7), of(Mhz160, 7, 3)];
    assert_eq!(wide, [6, 8, 8, 4]);
    let seven = [of(Mhz160, 7, 4), of(Mhz160, 7, 5), of(Mhz160, 7, 7), of(Mhz160, 7, 8)];
    assert_eq!(seven, [6, 7, 9, 12]);
    let eight: Vec<u64> = (0..10).map(|mcs| of(Mhz160, 8, mcs)).collect();
    assert_eq!(eight, [1, 2, 3, 4, 6, 8, 8, 9, 12, 12]);
}

/// VHT lacks exactly the modes that the standard's tables leave out.
///
/// Verifies: [80211-2020 §21.5]
#[test]
fn vht_leaves_out_what_its_tables_leave_out() {
    let mut left_out = Vec::new();
    for width in Format::Vht.all_widths() {
        for streams in 1..=8 {
            for mcs in 0..=9 {
                if Mode::new(Parameters::of(Format::Vht, mcs, streams, *width, Ns800)).is_err() {
                    left_out.push((width.mhz(), streams, mcs));
                }
            }
        }
    }
    let at_20 = [1, 2, 4, 5, 7, 8].map(|streams| (20, streams, 9));
    let others = [(80, 3, 6), (80, 6, 9), (80, 7, 6), (160, 3, 9)];
    assert_eq!(left_out, [at_20.as_slice(), &others].concat());
}

#[test]
fn a_mode_gives_its_parameters_back() {
    for format in Format::ALL {
        for width in format.all_widths() {
            for guard in format.guard_intervals() {
                for mode in Mode::all(format, *width, *guard) {
                    assert_eq!(Mode::new(mode.parameters()), Ok(mode));
                    let of = Parameters::of(format, mode.mcs(), mode.streams(), *width, *guard);
                    assert_eq!(mode.parameters(), of);
                    all_kinds_and_units(of);
                }
            }
        }
    }
    assert_eq!((size_of::<Mode>(), align_of::<Mode>()), (3, 1));
}

/// Checks modes with these parameters and every kind and unit. Only a unit that fills the width has another name.
fn all_kinds_and_units(of: Parameters) {
    for kind in PpduKind::ALL {
        for unit in Unit::ALL {
            let of = Parameters { unit, kind, ..of };
            let Ok(mode) = Mode::new(of) else { continue };
            let fills = unit == Unit::filling(of.width);
            let unit = if fills { Unit::Full } else { unit };
            assert_eq!(mode.parameters(), Parameters { unit, ..of });
        }
    }
}

/// Modes of HT, VHT and HE for a single user are in the order of their first two octets, which have no unit and no
/// kind. Sorted lists of rates depend on it.
#[test]
fn a_mode_for_a_single_user_up_to_160_mhz_has_no_third_octet() {
    for format in [Format::Ht, Format::Vht, Format::He] {
        for width in format.all_widths() {
            let of = Mode::all(format, *width, Ns800);
            assert!(of.map(|Mode([_, _, third])| third).all(|third| third == 0));
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused_with_what_does() {
    let usual = Parameters::of(Format::He, 0, 1, Mhz20, Ns800);
    let refused = |of: Parameters| Mode::new(of).expect_err("no mode").to_string();
    let ht = Parameters::of(Format::Ht, 0, 1, Mhz80, Ns800);
    assert_eq!(
        refused(ht),
        "80 MHz does not go with HT (802.11-2020 §19.5); allowed 20 MHz, 40 MHz"
    );
    let guard = Parameters { guard: Ns400, ..usual };
    let text = "400 ns does not go with HE (802.11ax-2021 §27.5); allowed 800 ns, 1600 ns, 3200 ns";
    assert_eq!(refused(guard), text);
    let ltf = Parameters { ltf: Some(HeLtf::X1), guard: Ns3200, ..usual };
    assert!(refused(ltf).ends_with("allowed X4"));
    assert!(refused(Parameters { ltf: None, ..usual }).ends_with("allowed X1, X2, X4"));
    let coding = Parameters { coding: Coding::Bcc, mcs: 10, ..usual };
    assert!(refused(coding).ends_with("allowed LDPC"));
    assert!(
        refused(Parameters { streams: 9, ..usual }).ends_with("allowed 1, 2, 3, 4, 5, 6, 7, 8")
    );
    assert!(refused(Parameters { streams: 0, ..usual }).starts_with("0 streams"));
    assert!(refused(Parameters { mcs: 255, ..usual }).starts_with("MCS 255"));
}

/// The error for a width that a band does not have lists the widths that it has.
///
/// Verifies: [80211-2020 §21.1.1]
#[test]
fn a_width_that_the_band_lacks_is_refused_with_those_that_it_has() {
    let refused = |format: Format, width, band| {
        format.check_width(width, band).expect_err("no such channel").to_string()
    };
    let wide = refused(Format::He, Mhz80, Band::Ghz2);
    let text = "80 MHz does not go with HE, 2.4 GHz (802.11ax-2021 §27.5); allowed 20 MHz, 40 MHz";
    assert_eq!(wide, text);
    assert!(refused(Format::Vht, Mhz20, Band::Ghz2).ends_with("no value is allowed"));
    assert_eq!(Format::Ht.check_width(Mhz40, Band::Ghz2), Ok(()));
}

#[test]
fn more_of_anything_is_never_slower() {
    for format in Format::ALL {
        let all: Vec<Mode> =
            format.all_widths().iter().flat_map(|width| Mode::all(format, *width, Ns800)).collect();
        for (slow, fast) in all.iter().flat_map(|it| all.iter().map(move |other| (it, other))) {
            let is_more = slow.mcs() <= fast.mcs()
                && slow.streams() <= fast.streams()
                && slow.width() <= fast.width();
            assert!(!is_more || slow.rate() <= fast.rate(), "{slow:?} {fast:?}");
        }
    }
}

/// VHT has no MCS 9 at 20 MHz with one stream, as its 346.67 data bits per symbol are not whole.
///
/// Verifies: [80211-2020 §21.5]
#[test]
fn a_narrowed_mode_has_the_same_mcs_or_the_next_lower_one() {
    let mode = |format, width| {
        let of = Parameters::of(format, 9, 1, width, GuardInterval::Ns800);
        Mode::new(of).expect("a mode")
    };
    let narrowed = |of: Mode, width| (of.narrowed(width).mcs(), of.narrowed(width).width());
    let vht = mode(Format::Vht, Width::Mhz80);
    assert_eq!(narrowed(vht, Width::Mhz40), (9, Width::Mhz40));
    assert_eq!(narrowed(vht, Width::Mhz20), (8, Width::Mhz20));
    assert_eq!(narrowed(mode(Format::He, Width::Mhz160), Width::Mhz20), (9, Width::Mhz20));
}
