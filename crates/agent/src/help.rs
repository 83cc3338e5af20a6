//! Texts of the command line: `--help` and the manual page.

use std::fmt::Write;

/// Entry of the help: word of the command line with the name of its value, and its meaning.
pub type Entry = (&'static str, &'static str);

const SCOPE: &str = "\
Runs one of the papers' schemes on this machine's Wi-Fi. At a station: ARF-aware TCP, windows from
the use of the channel, or the share of the air that the access point grants. At an access point:
equal shares of the air or of the buffer for the connections through it, separate queues for TCP's
data and ACKs, or airtime weights of the driver.";

/// Commands of `airfair-agent`.
pub const COMMANDS: [Entry; 6] = [
    ("observe", "show who uses the air, up and down, live"),
    ("doctor", "report what this machine offers, and which schemes can act here"),
    ("run", "apply the scheme"),
    ("status", "show the state of the running agent"),
    ("restore", "undo what a killed agent left in the kernel"),
    ("replay FILE", "repeat the decisions of a recording, and compare them"),
];

/// Options of `airfair-agent`.
pub const OPTIONS: [Entry; 17] = [
    ("--config FILE", "configuration (default: /etc/airfair/agent.toml, else /etc/config/airfair)"),
    ("--interface NAME", "interface to watch, and whose connections are limited"),
    ("--scheme NAME", "such as fair or occupancy; doctor lists all, and those that can act here"),
    ("--emulator FILE", "watch an emulation through this control socket instead of the kernel"),
    ("--station NAME", "station of the emulation at which the agent runs"),
    ("--from FILE", "take samples from this recording instead"),
    ("--record FILE", "record samples and decisions in this file"),
    ("--metrics ADDRESS", "run: serve metrics at this loopback address or Unix socket"),
    ("--prometheus", "status: print metrics in the text format of Prometheus"),
    ("--capture SECONDS", "doctor: record samples for a report, without real addresses"),
    ("--out FILE", "doctor: file for these samples, which replay reads"),
    ("--for TIME", "end after this time, for example '10 s' (default: at Ctrl-C)"),
    ("--dry-run", "run: print what would be done, and change nothing"),
    ("--json", "observe (one line per second), doctor, status, restore, replay: print JSON"),
    ("--help", "print this help"),
    ("--man", "print the manual page in the format of man"),
    ("--version", "print the version"),
];

const EXIT_STATUS: [Entry; 3] =
    [("0", "done"), ("1", "failed, or a replay differs"), ("2", "bad input")];

/// Text of `--help`.
pub fn help() -> String {
    let line = |(word, meaning): &Entry| format!("  {word:<18}{meaning}\n");
    let list = |entries: &[Entry]| entries.iter().map(line).collect::<Vec<_>>().concat();
    let status: Vec<String> =
        EXIT_STATUS.iter().map(|(code, meaning)| format!("{code} {meaning}")).collect();
    format!(
        "usage: airfair agent COMMAND [options]\n\n{SCOPE}\n\ncommands:\n{}\noptions:\n{}\nexit status: {}\n",
        list(&COMMANDS),
        list(&OPTIONS),
        status.join("; ")
    )
}

/// The manual page airfair-agent(8) in man's markup: `packaging/airfair-agent.8.in` filled with the
/// help texts of the commands and with the commented configuration.
pub fn manual() -> String {
    let mut page = String::new();
    for line in include_str!("../packaging/airfair-agent.8.in").lines() {
        match line {
            "@SCOPE@" => SCOPE.lines().for_each(|it| page += &plain(it)),
            "@COMMANDS@" => list(&mut page, &COMMANDS),
            "@OPTIONS@" => list(&mut page, &OPTIONS),
            "@EXIT_STATUS@" => list(&mut page, &EXIT_STATUS),
            "@CONFIGURATION@" => {
                include_str!("../agent.toml").lines().for_each(|it| page += &plain(it));
            }
            _ => _ = writeln!(page, "{}", line.replace("@VERSION@", env!("CARGO_PKG_VERSION"))),
        }
    }
    page
}

/// Appends entries of the help as tagged paragraphs in man's markup, with words in bold and values
/// in italics.
fn list(page: &mut String, entries: &[Entry]) {
    for (word, meaning) in entries {
        let (word, value) = word.split_once(' ').unwrap_or((word, ""));
        let value = if value.is_empty() { String::new() } else { format!(" \" \" {value}") };
        let _ = write!(page, ".TP\n.BI {}{value}\n{}", escaped(word), plain(meaning));
    }
}

/// Line of plain text, with man's special characters escaped.
fn plain(line: &str) -> String {
    let guard = if line.starts_with(['.', '\'']) { r"\&" } else { "" };
    format!("{guard}{}\n", escaped(line))
}

fn escaped(text: &str) -> String {
    text.replace('\\', r"\e").replace('-', r"\-").replace('\'', r"\(aq")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_help_fits_a_terminal() {
        let text = help();
        let longest = text.lines().map(str::len).max();
        assert!(longest <= Some(100), "{longest:?}");
        assert!(text.contains("\n  replay FILE       repeat the decisions"));
        assert!(
            text.ends_with("exit status: 0 done; 1 failed, or a replay differs; 2 bad input\n")
        );
    }

    #[test]
    fn the_manual_has_all_commands_options_and_keys() {
        let page = manual();
        for (word, _) in COMMANDS.iter().chain(&OPTIONS) {
            let word = escaped(word.split(' ').next().unwrap());
            assert!(page.contains(&format!("\n.BI {word}")), "{word}");
        }
        let keys = include_str!("../agent.toml").lines();
        for key in keys.filter_map(|line| line.trim_start_matches("#: ").split_once(" = ")) {
            assert!(page.contains(&escaped(key.0)), "{key:?}");
        }
        assert!(!page.contains("\n@"), "{page}");
    }

    #[test]
    fn text_is_no_command_of_man() {
        assert_eq!(plain(".so it's"), "\\&.so it\\(aqs\n");
        assert_eq!(plain(r"a\b-c"), "a\\eb\\-c\n");
    }
}
