//! Tests of allocations against the tone plans of the standard.

use super::*;
use Width::{Mhz20, Mhz40, Mhz80, Mhz160, Mhz320};

fn allocation(format: Format, width: Width, units: &[(Unit, usize)]) -> Allocation {
    let of = |(unit, count): &(Unit, usize)| vec![*unit; *count];
    let units: Vec<Unit> = units.iter().flat_map(of).collect();
    Allocation::new(format, width, &units).expect("a legal allocation")
}

/// Each width has as many units of each size as the tables of the standard: at 80 MHz 37 of 26 tones, 36 in the
/// channels and one in the centre. EHT has none in the centre of 80 MHz.
///
/// Verifies: [80211ax-2021 §27.3.2], [80211be-2024 §36.3.2]
#[test]
fn a_width_has_the_units_of_the_tables() {
    use Unit::{Tones2x996, Tones4x996, Tones26, Tones52, Tones106, Tones242, Tones484, Tones996};
    let sizes = [Tones26, Tones52, Tones106, Tones242, Tones484, Tones996, Tones2x996, Tones4x996];
    let of = |format, width| sizes.map(|unit| most_units(format, width, unit));
    assert_eq!(of(Format::He, Mhz20), [9, 4, 2, 1, 0, 0, 0, 0]);
    assert_eq!(of(Format::He, Mhz40), [18, 8, 4, 2, 1, 0, 0, 0]);
    assert_eq!(of(Format::He, Mhz80), [37, 16, 8, 4, 2, 1, 0, 0]);
    assert_eq!(of(Format::He, Mhz160), [74, 32, 16, 8, 4, 2, 1, 0]);
    assert_eq!(of(Format::Eht, Mhz80), [36, 16, 8, 4, 2, 1, 0, 0]);
    assert_eq!(of(Format::Eht, Mhz320), [144, 64, 32, 16, 8, 4, 2, 1]);
}

/// As many units as the tables have fit beside each other, with those in the centres, and not one more.
#[test]
fn as_many_units_as_the_width_has_fit_and_not_one_more() {
    for (format, widths) in [(Format::He, &Width::ALL[..4]), (Format::Eht, &Width::ALL)] {
        for width in widths {
            for unit in Unit::of_ofdma(format, *width).filter(|it| *it != Unit::Full) {
                let most = most_units(format, *width, unit);
                let single =
                    if unit.is_multiple() { 0 } else { central_units(format, *width, unit) };
                let units = [vec![unit; most], vec![Unit::Tones26; single]].concat();
                let all = Allocation::new(format, *width, &units).expect("a legal allocation");
                let mut places: Vec<usize> = all
                    .placed()
                    .iter()
                    .flat_map(|it| it.places.iter().cloned().flatten())
                    .collect();
                places.sort_unstable();
                assert!(
                    places.windows(2).all(|pair| pair[0] < pair[1]),
                    "{format:?} {width} {unit}"
                );
                let one_more = [units, vec![unit]].concat();
                assert!(Allocation::new(format, *width, &one_more).is_err(), "{width} {unit}");
            }
        }
    }
}

/// Splits are those of ns-3's round-robin scheduler: at most as many equal units as stations.
///
/// Verifies: [80211ax-2021 §27.3.2]
#[test]
fn the_width_is_split_into_the_largest_equal_units() {
    let counts = |format, width, most: usize| {
        let mut all: Vec<usize> = (1..=most).map(|n| equal_units(format, width, n).1).collect();
        all.dedup();
        all
    };
    assert_eq!(counts(Format::He, Mhz20, 12), [1, 2, 4, 9]);
    assert_eq!(counts(Format::He, Mhz40, 20), [1, 2, 4, 8, 18]);
    assert_eq!(counts(Format::He, Mhz80, 40), [1, 2, 4, 8, 16, 37]);
    assert_eq!(counts(Format::He, Mhz160, 80), [1, 2, 4, 8, 16, 32, 74]);
    assert_eq!(counts(Format::Eht, Mhz320, 150), [1, 2, 4, 8, 16, 32, 64, 144]);
    assert_eq!(equal_units(Format::He, Mhz20, 1), (Unit::Full, 1));
    assert_eq!(equal_units(Format::He, Mhz80, 7), (Unit::Tones242, 4));
    assert_eq!(equal_units(Format::He, Mhz20, 8), (Unit::Tones52, 4));
}

/// Central units remain as in ns-3: one in each channel of 20 MHz with units of 52 or 106 tones, and in HE one in each
/// 80 MHz with units of at most 484 tones.
#[test]
fn units_in_the_centres_remain() {
    let of = |format, width, unit| central_units(format, width, unit);
    assert_eq!(of(Format::He, Mhz20, Unit::Tones52), 1);
    assert_eq!(of(Format::He, Mhz40, Unit::Tones106), 2);
    assert_eq!(of(Format::He, Mhz40, Unit::Tones242), 0);
    assert_eq!(of(Format::He, Mhz80, Unit::Tones52), 5);
    assert_eq!(of(Format::He, Mhz80, Unit::Tones484), 1);
    assert_eq!(of(Format::He, Mhz160, Unit::Tones106), 10);
    assert_eq!(of(Format::He, Mhz160, Unit::Tones242), 2);
    assert_eq!(of(Format::Eht, Mhz80, Unit::Tones52), 4);
    for (width, unit) in [(Mhz20, Unit::Full), (Mhz20, Unit::Tones26), (Mhz160, Unit::Tones996)] {
        assert_eq!(of(Format::He, width, unit), 0);
    }
}

/// Units of several sizes have disjoint places, in the order of their users. In HE at 80 MHz 484 tones lie below the
/// centre, place 18, and 242 tones above it from place 19 on. In EHT 52+26 tones lie at 2 to 4, so that 106 tones fit
/// above and 52 tones below.
#[test]
fn units_of_several_sizes_go_together() {
    let he = allocation(
        Format::He,
        Mhz80,
        &[(Unit::Tones106, 1), (Unit::Tones484, 1), (Unit::Tones242, 1), (Unit::Tones26, 6)],
    );
    let places: Vec<Range<usize>> = he.placed().iter().map(|it| it.places[0].clone()).collect();
    assert_eq!(places[..5], [28..32, 0..18, 19..28, 32..33, 33..34]);
    assert_eq!(places[8], 18..19);
    let eht = [(Unit::Tones106, 1), (Unit::Tones52, 1), (Unit::Tones52And26, 1)];
    let eht = allocation(Format::Eht, Mhz20, &eht);
    let places: Vec<Range<usize>> = eht.placed().iter().map(|it| it.places[0].clone()).collect();
    assert_eq!(places, [5..9, 0..2, 2..5]);
    let wide = allocation(
        Format::Eht,
        Mhz320,
        &[(Unit::Tones484, 1), (Unit::Tones2x996And484, 1), (Unit::Tones484And242, 1)],
    );
    assert_eq!(wide.placed()[1].places, [0..36, 36..72, 72..90]);
    assert_eq!(wide.placed()[2].places, [108..126, 126..135]);
    assert_eq!((wide.placed()[0].places.len(), &wide.placed()[0].places[0]), (1, &(90..108)));
}

/// An allocation that the width does not hold is refused with the units that it has.
#[test]
fn too_many_units_are_refused_with_those_that_fit() {
    let units = [Unit::Tones106, Unit::Tones52, Unit::Tones52, Unit::Tones52];
    let error = Allocation::new(Format::He, Mhz20, &units).expect_err("five halves");
    assert_eq!(
        error.to_string(),
        "52 tones do not fit into 20 MHz of HE with 106 tones, 52 tones, 52 tones, 52 tones; \
         at most 9 of 26 tones, 4 of 52 tones, 2 of 106 tones, 1 of 242 tones"
    );
    let refused = |format, unit| Allocation::new(format, Mhz80, &[unit]).is_err();
    assert!(refused(Format::He, Unit::Tones2x996));
    assert!(refused(Format::He, Unit::Tones484And242));
    assert!(refused(Format::Eht, Unit::Tones996And484And242));
    assert!(!refused(Format::Eht, Unit::Tones484And242));
}

/// User fields are those of the 8-bit allocations of HE: `00000000` has nine of 26 tones, `01110000` four of 52 without
/// the centre, `00001111` five with it, `0110` two of 106; a channel of which only one half has users of 52 tones has a
/// field for the other half. At 40 MHz each channel has its content channel. At 80 MHz the first and third channel
/// share the first one, which also has the unit in the centre of 80 MHz.
///
/// Verifies: [80211ax-2021 §27.3.11.8.3, §27.3.11.8.4]
#[test]
fn content_channels_have_a_field_for_each_position() {
    let of = |width, units: &[(Unit, usize)]| allocation(Format::He, width, units).user_fields();
    assert_eq!(of(Mhz20, &[(Unit::Tones26, 9)]), [9, 0]);
    assert_eq!(of(Mhz20, &[(Unit::Tones52, 4)]), [4, 0]);
    assert_eq!(of(Mhz20, &[(Unit::Tones52, 4), (Unit::Tones26, 1)]), [5, 0]);
    assert_eq!(of(Mhz20, &[(Unit::Tones106, 2)]), [2, 0]);
    assert_eq!(of(Mhz20, &[(Unit::Tones52, 2)]), [3, 0]);
    assert_eq!(of(Mhz20, &[(Unit::Tones52, 3)]), [4, 0]);
    // 26, 26 and, without users, 52, the centre and 106.
    assert_eq!(of(Mhz20, &[(Unit::Tones26, 2)]), [5, 0]);
    assert_eq!(of(Mhz20, &[(Unit::Full, 1)]), [1, 0]);
    assert_eq!(of(Mhz40, &[(Unit::Tones52, 8)]), [4, 4]);
    assert_eq!(of(Mhz40, &[(Unit::Tones106, 2)]), [2, 0]);
    assert_eq!(of(Mhz80, &[(Unit::Tones26, 37)]), [19, 18]);
    assert_eq!(of(Mhz80, &[(Unit::Tones484, 2)]), [1, 1]);
    assert_eq!(of(Mhz80, &[(Unit::Tones484, 1), (Unit::Tones106, 4)]), [3, 2]);
    assert_eq!(of(Mhz160, &[(Unit::Tones26, 74)]), [37, 37]);
    assert_eq!(of(Mhz160, &[(Unit::Tones996, 2)]), [1, 1]);
}
