//! Cells that share a channel, drawn as one cell each.

use std::fmt::Write as _;

use crate::cells::{cell_of, mu_mimo_cell, multi_user_cell};
use crate::luck::Luck;

/// Draws the text of a scenario of two or three cells on one channel, some of whose members do not hear each other.
pub(crate) fn neighbours(luck: &mut Luck) -> String {
    let cells = 2 + luck.below(2);
    let mut text = String::new();
    for cell in 0..cells {
        let drawn = match luck.below(4) {
            0 => multi_user_cell(luck),
            1 => mu_mimo_cell(luck),
            _ => {
                let standard = *luck.pick(&["802.11a", "802.11n", "802.11ac", "802.11ax"]);
                cell_of(luck, standard, 3)
            }
        };
        let primary = luck.pick(&["36", "36", "40"]);
        let drawn = drawn
            .replace("[bss.c]", &format!("[bss.c{cell}]\nchannel = {primary}"))
            .replace(
                "[host.h]\nlink = { ",
                &format!("[host.x{cell}h]\nlink = {{ to = \"c{cell}\", "),
            )
            .replace("[flow.f", &format!("[flow.x{cell}f"))
            .replace("from = \"", &format!("from = \"x{cell}"))
            .replace("\nto = \"", &format!("\nto = \"x{cell}"));
        for line in drawn.lines().filter(|line| cell == 0 || !line.starts_with("duration")) {
            match line.strip_prefix("[station.s") {
                None => {
                    let _ = writeln!(text, "{line}");
                }
                Some(rest) => {
                    let hears = luck.pick(&["", "", "hears = []\n"]);
                    let _ = write!(text, "[station.x{cell}s{rest}\nbss = \"c{cell}\"\n{hears}");
                }
            }
        }
    }
    text
}
