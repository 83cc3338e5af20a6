//! Cells on one channel: the members that hear each other, and the text that says so.

use airfair_sim::scenario::{Heard, Member, Scenario, WidthRule};

/// Three cells on one channel of 80 MHz, of 20 MHz and of 40 MHz, a fourth beside them, and a fifth with a channel of
/// its own.
pub(super) const HOUSE: &str = include_str!("house.toml");

const WIDE: Member = Member::AccessPoint(0);
const LOW: Member = Member::AccessPoint(1);
const W1: Member = Member::Station(0);
const W2: Member = Member::Station(1);
const L: Member = Member::Station(2);
const H: Member = Member::Station(3);

fn house(overrides: &[(&str, &str)]) -> Scenario {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::parse(HOUSE, &overrides);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{errors:#?}"));
    let text = scenario.to_toml();
    assert_eq!(Scenario::parse(&text, &[]).as_ref(), Ok(&scenario), "{text}");
    assert_eq!(scenario.clone().checked().as_ref(), Ok(&scenario));
    scenario
}

#[test]
fn cells_with_overlapping_blocks_are_neighbours() {
    // 36 with 80 MHz has channels 36 to 48, which contain 40 alone, and 44 with 48. 52 is in the next block.
    let scenario = house(&[]);
    assert_eq!(scenario.neighbours(), [vec![0, 1, 2], vec![3], vec![4]]);
    assert!(!scenario.cells[1].overlaps(&scenario.cells[2]));
    let scenario = house(&[("bss.wide.width", "160 MHz")]);
    assert_eq!(scenario.neighbours(), [vec![0, 1, 2, 3], vec![4]]);
    let scenario = house(&[("bss.wide.width", "20 MHz")]);
    assert_eq!(scenario.neighbours(), [[0], [1], [2], [3], [4]].map(|it| it.to_vec()));
}

#[test]
fn members_of_neighbours_hear_each_other_unless_a_list_leaves_one_out() {
    let scenario = house(&[]);
    for (one, other) in [(WIDE, LOW), (W1, L), (W2, H), (WIDE, H)] {
        assert!(scenario.hears(one, other) && scenario.hears(other, one));
    }
    // Cells low and high do not overlap.
    assert!(!scenario.hears(L, H) && !scenario.hears(LOW, H));
    assert!(!scenario.hears(WIDE, W1), "of one cell");

    // A list of the cell wide holds for all its members but those with a list of their own.
    let scenario = house(&[("bss.wide.hears", r#"["low.ap"]"#), ("station.w.hears", r#"["low"]"#)]);
    assert!(scenario.hears(WIDE, LOW) && !scenario.hears(WIDE, L) && !scenario.hears(L, WIDE));
    assert!(scenario.hears(W1, LOW) && scenario.hears(L, W2));
    assert!(!scenario.hears(W1, H) && !scenario.hears(H, WIDE));
    assert_eq!(scenario.cells[0].hears, Some(vec![Heard::Member(LOW)]));
    assert_eq!(scenario.stations[1].hears, Some(vec![Heard::Cell(1)]));

    // Each of two members has to admit the other.
    let scenario = house(&[("station.l.hears", r#"["w2", "wide.ap", "w2"]"#)]);
    assert!(scenario.hears(W2, L) && scenario.hears(WIDE, L) && !scenario.hears(W1, L));
    assert!(scenario.hears(W1, LOW));

    let scenario = house(&[("bss.low.ap.hears", "[]")]);
    assert!(!scenario.hears(WIDE, LOW) && scenario.hears(WIDE, L));
    assert_eq!(scenario.cells[1].ap.hears, Some(Vec::new()));
}

#[test]
fn a_group_in_a_list_means_its_stations() {
    let scenario = house(&[("bss.low.hears", r#"["w"]"#)]);
    assert_eq!(scenario.cells[1].hears, Some(vec![Heard::Member(W1), Heard::Member(W2)]));
    assert!(scenario.hears(LOW, W2) && !scenario.hears(LOW, WIDE));
}

#[test]
fn the_text_has_the_keys_only_if_they_are_set() {
    let scenario =
        house(&[("bss.wide.width_rule", "static"), ("station.l.hears", r#"["w", "wide.ap"]"#)]);
    assert_eq!(scenario.cells[0].width_rule, WidthRule::Static);
    let text = scenario.to_toml();
    assert!(text.contains("channel = 36\nwidth_rule = \"static\"\n"), "{text}");
    assert!(text.contains("hears = [\"wide.ap\", \"w1\", \"w2\"]\n"), "{text}");
    let (_, alone) = text.split_once("[bss.alone]").expect("the last cell");
    let (alone, _) = alone.split_once("[station").expect("the stations");
    for key in ["\nchannel", "width_rule", "hears"] {
        assert!(!alone.contains(key), "{alone}");
    }
}
