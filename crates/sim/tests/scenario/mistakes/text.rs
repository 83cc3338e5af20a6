//! Files that are no TOML, or hostile: syntax errors, control characters, floods of keys, deep nesting.

use airfair_sim::scenario::{Driver, Scenario, ScenarioError};

use super::{GOOD, edited, messages, with};

#[test]
fn syntax_errors_have_line_and_column() {
    assert_eq!(
        edited("[station.fast]", "[station.slow]"),
        "line 7, column 10: the name slow is given twice; allowed each name once"
    );
    assert_eq!(
        edited("rate = \"1 Mb/s\"", "rate = \"1 Mb/s\"\nrate = \"2 Mb/s\""),
        "line 7, column 1: the name rate is given twice; allowed each name once"
    );
    // Keys in a duplicate section are not reported again.
    assert_eq!(
        edited("[station.fast]", "[station.slow]\nrate = \"2 Mb/s\"\n[station.fast]"),
        "line 7, column 10: the name slow is given twice; allowed each name once"
    );
    assert_eq!(
        edited("rate = \"1 Mb/s\"", "rate = 1 Mb/s"),
        "line 6, column 8: 1 Mb/s without quotes; allowed \"1 Mb/s\""
    );
    assert_eq!(
        edited("kind = \"tcp\"", "kind = tcp"),
        "line 12, column 22: tcp without quotes; allowed \"tcp\""
    );
    assert_eq!(
        edited("[station.fast]", "[station.fast"),
        "line 7, column 14: not TOML: unclosed table in `[station.fast`; allowed here: `]`"
    );
    assert_eq!(
        edited("\"60 s\"", "\"60 s"),
        "line 2, column 17: not TOML: invalid basic string in `duration = \"60 s`; allowed here: `\"`"
    );
    assert_eq!(
        edited("duration = \"60 s\"", "duration"),
        "line 2, column 9: not TOML: key with no value in `duration`; allowed here: `=`"
    );
    // After an open bracket the parser can only guess, so this is the last mistake that is reported.
    assert_eq!(
        edited("\"60 s\"", "[\"60 s\""),
        "line 3, column 1: not TOML: missing comma between array elements in `[bss.home]`; allowed \
         here: `,`"
    );
}

fn load(octets: &[u8]) -> Result<Scenario, Vec<ScenarioError>> {
    Scenario::load(octets, &[], &mut |_| Err("no such file".to_owned()), Driver::Run)
}

#[test]
fn mistakes_of_syntax_come_alone() {
    let unquoted = "duration = 4 s\n[bss.home]\n[statoin.a]\nrate = 1 Mb/s\n";
    assert_eq!(
        messages(Scenario::parse(unquoted, &[("seed".to_owned(), "-1".to_owned())])),
        [
            "line 1, column 12: 4 s without quotes; allowed \"4 s\"",
            "line 4, column 8: 1 Mb/s without quotes; allowed \"1 Mb/s\"",
        ]
    );
    for (text, place) in [
        ("duration = '4 s\n", "line 1, column 16: not TOML: "),
        ("title = \"x\n", "line 1, column 11: not TOML: "),
        ("hello\n", "line 1, column 6: not TOML: "),
        ("a = 1\na = 2\n", "line 2, column 1: the name a is given twice"),
    ] {
        let messages = messages(Scenario::parse(text, &[]));
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].starts_with(place), "{messages:?}");
    }
    assert_eq!(
        edited("\"802.11b\"", "802.11b"),
        "line 4, column 12: 802.11b without quotes; allowed \"802.11b\""
    );
    assert_eq!(
        edited("kind = \"tcp\"", "kind = \"tcp\", flavour = newreno"),
        "line 12, column 39: newreno without quotes; allowed \"newreno\""
    );
}

#[test]
fn what_would_steer_a_terminal_is_told_by_its_number() {
    let hostile = |text: &str| text.chars().any(|c| c.is_control() || c == '\u{202e}');
    let name = "\\u001b]0;x\\u0007";
    for text in [
        format!("title = \"{name}\"\n{GOOD}"),
        format!("title = \"good \\u202e dab\"\n{GOOD}"),
        format!("{GOOD}[station.\"{name}\"]\n"),
        format!("{GOOD}[station.\"{name}\"]\n[host.\"{name}\"]\n"),
        format!("{GOOD}\"{name}\" = {{ \"{name}\" = \"{name}\" }}\n"),
        format!("{GOOD}\"{name}\" = 1\n\"{name}\" = 1\n"),
        format!("{GOOD}[flow.b]\nfrom = \"{name}\"\n"),
        GOOD.replace("60 s", name),
        GOOD.replace("60 s", "\u{1b}]0;x\u{7}"),
        GOOD.replace("\"60 s\"", "\u{202e} s"),
        GOOD.replace("[station.fast]", "radio.range.\"\\u0007\" = 1\n[station.fast]"),
    ] {
        for message in messages(Scenario::parse(&text, &[])) {
            assert!(!hostile(&message), "{message:?}");
        }
    }
    for message in
        messages(with(&[("a\u{1b}.b", "\u{7}\u{202e}"), ("\u{1b}", "1"), ("\u{7}.", "")]))
    {
        assert!(!hostile(&message), "{message:?}");
    }
    let title = |text: &str| messages(with(&[("title", text)]));
    assert_eq!(
        title("\"a\\u202eb\""),
        [
            r#"title = "a\u{202e}b": not one line of plain text; allowed one line of text, at most 200 characters"#
        ]
    );
    assert_eq!(
        messages(Scenario::parse(&format!("{GOOD}[station.\"{name}\"]\n"), &[])),
        [r#"station."\u{1b}]0;x\u{7}": not a name; allowed 1 to 64 letters, digits, - and _"#]
    );
}

#[test]
fn what_is_multiplied_is_bounded_together() {
    let cases = [
        // 720 h in steps of 1 s for 100 flows, 2 stations, an access point and a link: 272,160,000 values
        (
            "duration = \"720 h\"",
            "[flow.b]\nfrom = \"fast\"\nto = \"server\"\ncount = 99\ntransport = { kind = \"tcp\" }\n".to_owned(),
            "series: 2592000 steps of 1 s for 105 flows, stations, access points and directions of links are more than \
             20000000 values; allowed \"off\", or a step of 14 s or more",
        ),
        (
            "replications = 10000\nseries = \"off\"\nduration = \"60 s\"",
            "[station.g]\ncount = 200\n".to_owned(),
            "replications = 10000: too many with 205 flows, stations and directions of links; allowed at most 9756",
        ),
        (
            "duration = \"60 s\"",
            "[station.g]\ncount = 200\nqueue = { packets = 100000 }\n".to_owned(),
            "station.g200.queue: together with the other queues, room for 20000350 packets; allowed room for at most \
             10000000 in all",
        ),
        (
            "duration = \"60 s\"",
            format!(
                "[station.g]\ncount = 5\nrate = [{}]\n",
                (0..10_002)
                    .map(|i| format!("[\"{i} ms\", \"1 Mb/s\"]"))
                    .collect::<Vec<_>>()
                    .join(",")
            ),
            "station.g.rate: 100010 steps of rates, too many; allowed at most 50000 in all",
        ),
        (
            "duration = \"60 s\"",
            "[station.g]\ncount = 1000\n[station.h]\ncount = 1000\nhidden_from = [\"g\"]\n".to_owned(),
            "station.h.hidden_from[0]: 2000000 stations that others do not decode, too many; \
             allowed at most 1000000 in all",
        ),
        (
            "duration = \"60 s\"",
            format!(
                "[flow.b]\nfrom = \"fast\"\nto = \"server\"\ncount = 10\n[flow.b.transport]\nkind = \"tfrc\"\n\
                 source = {{ model = \"frames\", interval = \"40 ms\", sizes = [{}] }}\n",
                "\"1 kB\",".repeat(60_000)
            ),
            "flow.b.transport.source: 600000 sizes of frames, too many; allowed at most 500000 in all",
        ),
    ];
    for (duration, more, expected) in cases {
        let text = GOOD.replace("duration = \"60 s\"", duration) + &more;
        assert_eq!(messages(Scenario::parse(&text, &[])), [expected]);
    }
}

#[test]
fn what_is_no_text_is_one_mistake() {
    assert_eq!(
        messages(load(b"duration = \"\xff\xfe\"")),
        ["not text in UTF-8: octet 255 at offset 12 is not valid; allowed TOML text in UTF-8"]
    );
    assert_eq!(
        messages(load(&vec![b'#'; 100_000_000])),
        ["too large for a scenario; allowed TOML text of at most 24 MiB"]
    );
    let elf: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    assert_eq!(messages(load(&elf)).len(), 1);
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    for text in [
        format!("title = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("a{} = 1", ".a".repeat(1_000_000)),
        format!("[a{}]", ".a".repeat(1_000_000)),
        format!("title = {}1{}", "{a=".repeat(100_000), "}".repeat(100_000)),
    ] {
        let messages = messages(Scenario::parse(&text, &[]));
        assert!(messages[0].contains("recurs"), "{}", messages[0]);
    }
}

/// Longest text that the tests read.
const LONGEST: usize = 4 << 20;

fn is_refused(text: &str) {
    assert!(Scenario::parse(text, &[]).is_err());
}

#[test]
fn a_flood_of_one_mistake_ends_in_time() {
    let repeat = |line: &str| line.repeat(LONGEST / line.len());
    is_refused(&repeat("a = 1\n"));
    is_refused(&repeat("[a]\n"));
    is_refused(&repeat("a = 1 Mb/s\n"));
    is_refused(&format!("a = {{ {} }}", repeat("a = 1, ")));
    is_refused(&format!("title = [{}]", repeat("[],")));
    is_refused(&format!("title = \"{}\"", "x".repeat(LONGEST)));
}

#[test]
fn a_flood_of_names_ends_in_time() {
    let many = |line: &dyn Fn(usize) -> String| (0..100_000).map(line).collect::<String>();
    is_refused(&many(&|i| format!("a{i} = 1\n")));
    is_refused(&many(&|i| format!("[host.h{i}]\n")));
    is_refused(&many(&|i| format!("[flow.f{i}]\nfrom = \"nobody\"\n")));
    is_refused(&many(&|i| format!("[station.s{i}]\n")));
    is_refused(&many(&|i| format!("s{i} = \"a\"\n")));
}

#[test]
fn a_long_list_of_the_same_name_ends_in_time() {
    let names = "\"fast\",".repeat(200_000);
    let text = format!("{GOOD}[station.g]\ncount = 2500\nsenses_only = [{names}]");
    assert!(Scenario::parse(&text, &[]).is_ok());
}
