//! Cells that share a channel, drawn as one cell each: with lists of the members that hear each other, or with a radio.

use std::fmt::Write as _;

use crate::cells::{cell_of, mu_mimo_cell, multi_user_cell};
use crate::luck::Luck;

const RADIOS: [&str; 7] = [
    "{}",
    "{ walls = \"12 dB\" }",
    "{ capture = \"10 dB\", shadowing = \"4 dB\" }",
    "{ capture = \"off\", fading = { model = \"rayleigh\" } }",
    "{ capture = \"3 dB\", walls = \"5 dB\", carrier_sense = \"-82 dBm\" }",
    "{ reception = \"sensitivity\", carrier_sense = \"lowest-rate\" }",
    "{ propagation = { model = \"log-distance\", exponent = 3.5 }, tx_power = \"20 dBm\", walls = \"8 dB\" }",
];

/// Draws the text of a scenario of two or three cells on overlapping channels, some of whose members do not hear each
/// other.
pub(crate) fn neighbours(luck: &mut Luck) -> String {
    let cells = 2 + luck.below(2);
    let has_radio = luck.one_in(2);
    let mut text = String::new();
    for cell in 0..cells {
        let (drawn, is_new) = drawn(luck);
        let keys = keys(luck, has_radio, is_new);
        let mut drawn = drawn
            .replace("[bss.c]", &format!("[bss.c{cell}]\n{keys}"))
            .replace(
                "[host.h]\nlink = { ",
                &format!("[host.x{cell}h]\nlink = {{ to = \"c{cell}\", "),
            )
            .replace("[flow.f", &format!("[flow.x{cell}f"))
            .replace("from = \"", &format!("from = \"x{cell}"))
            .replace("\nto = \"", &format!("\nto = \"x{cell}"));
        if has_radio {
            let at = position(luck, 60);
            drawn = drawn.replace("\nap = { ", &format!("\nap = {{ {at}, "));
        }
        // With a radio, errors follow from powers, and Minstrel's table of all modes takes seconds to find.
        let is_of_links = |line: &str| line.starts_with("errors") || line.contains("minstrel");
        let lines = drawn.lines().filter(|line| cell == 0 || !line.starts_with("duration"));
        for line in lines.filter(|line| !has_radio || !is_of_links(line)) {
            let Some(rest) = line.strip_prefix("[station.s") else {
                let _ = writeln!(text, "{line}");
                continue;
            };
            let hears = if has_radio {
                position(luck, 30)
            } else {
                String::from(*luck.pick(&["", "", "hears = []"]))
            };
            let _ = writeln!(text, "[station.x{cell}s{rest}\nbss = \"c{cell}\"\n{hears}");
        }
    }
    text
}

/// Draws the text of a scenario of one cell. The second value is true for 802.11ax.
fn drawn(luck: &mut Luck) -> (String, bool) {
    match luck.below(4) {
        0 => (multi_user_cell(luck), true),
        1 => (mu_mimo_cell(luck), true),
        _ => {
            let standard = *luck.pick(&["802.11a", "802.11n", "802.11ac", "802.11ax"]);
            let text = cell_of(luck, standard, 3);
            let width = match (standard, luck.below(2)) {
                ("802.11a", _) | (_, 0) => "",
                ("802.11n", _) => "width = \"40 MHz\"\n",
                _ => *luck.pick(&["width = \"40 MHz\"\n", "width = \"80 MHz\"\n"]),
            };
            (text.replace("[bss.c]\n", &format!("[bss.c]\n{width}")), standard == "802.11ax")
        }
    }
}

/// Draws the keys of a cell that concern its neighbours.
fn keys(luck: &mut Luck, has_radio: bool, is_new: bool) -> String {
    let mut keys = format!("channel = {}", luck.pick(&["36", "36", "40", "44"]));
    keys += *luck.pick(&["", "", "\nwidth_rule = \"static\""]);
    if has_radio {
        let _ = write!(keys, "\nradio = {}", luck.pick(&RADIOS));
    }
    if is_new && luck.one_in(2) {
        let _ = write!(keys, "\ncolour = {}", luck.pick(&["1", "2", "63"]));
        if has_radio && luck.one_in(2) {
            let _ = write!(keys, "\nobss_pd = \"-{} dBm\"", luck.pick(&["82", "76", "72", "62"]));
        }
    }
    keys
}

/// Draws a position in a square of this size [m].
fn position(luck: &mut Luck, size: usize) -> String {
    format!("position = [\"{} m\", \"{} m\"]", luck.below(size), luck.below(size))
}
