//! Tests of configurations in the form of UCI.

use super::super::{Configuration, Role, Scheme, parse};

fn mistake(text: &str) -> String {
    format!("{:#}", parse(text).unwrap_err())
}

#[test]
fn the_installed_file_is_the_default() {
    let text = include_str!("../../../packaging/openwrt/airfair-agent/files/airfair.config");
    let written = parse(text).unwrap().checked().unwrap();
    assert_eq!(
        Configuration { interface: None, ..written.clone() }.fair,
        Configuration::default().fair
    );
    assert_eq!(written.scheme, Scheme::Fair);
}

#[test]
fn sections_are_tables_and_options_are_keys() {
    let uci = "package airfair\n\nconfig agent 'main'\n\toption enabled '1'\n\toption interface \"phy0-ap0\" # it\n\
        \toption scheme 'occupancy'\n\toption poll '200 ms'\n\toption polls 3\n\
        config arf-aware\n\tlist replaces 'reno'\n\tlist replaces 'bbr'\n\toption receivers '1'\n\
        config occupancy\n\toption satisfied '0.7'\n\toption role 'station'\n\toption port '9000'\n\
        config airtime-weights\n\tlist stations '02:00:00:00:01:00=512'\n\tlist stations '02:00:00:00:02:00=128'\n";
    let toml = "interface = \"phy0-ap0\"\nscheme = \"occupancy\"\npoll = \"200 ms\"\npolls = 3\n\
        [arf-aware]\nreplaces = [\"reno\", \"bbr\"]\nreceivers = true\n\
        [occupancy]\nsatisfied = 0.7\nrole = \"station\"\nport = 9000\n\
        [airtime-weights]\nstations = { \"02:00:00:00:01:00\" = 512, \"02:00:00:00:02:00\" = 128 }\n";
    let written = parse(uci).unwrap();
    assert_eq!(written, parse(toml).unwrap());
    assert_eq!(written.checked().unwrap().occupancy.role, Role::Station);
    assert_eq!(parse("config agent").unwrap(), parse("").unwrap());
}

#[test]
fn a_mistake_names_line_and_option() {
    let agent = |option: &str| mistake(&format!("config agent\n\t{option}\n"));
    for (option, said) in [
        ("option polls 'many'", "line 2: option polls 'many': allowed is a whole number"),
        (
            "option scheme 'fairest'",
            "line 2: option scheme 'fairest': unknown variant `fairest`, expected one of",
        ),
        ("option speed '1'", "line 2: option speed '1': unknown field `speed`, expected one of"),
        ("option enabled 'maybe'", "line 2: option enabled 'maybe': allowed is 0 or 1"),
        ("option fair '1'", "line 2: option fair '1': allowed is a section"),
        ("list scheme 'fair'", "line 2: list scheme 'fair': allowed is option, not list"),
        ("option interface", "line 2: option: not understood; allowed are config TYPE"),
        ("interface wlan0", "line 2: interface: not understood"),
        ("option interface 'wlan0", "line 2: the quote ' is not closed"),
        (
            "option polls 1\noption polls 2",
            "line 3: option polls '2': is also in another line (line 2",
        ),
        ("config agent", "line 2: config agent: there is one already (line 1"),
        ("config lucky", "line 2: config lucky: unknown field `lucky`, expected one of"),
        ("config interface", "line 2: config interface: is no section"),
        (
            "config occupancy\noption port '99999'",
            "line 3: option port '99999': allowed is a whole number up to",
        ),
        (
            "config occupancy\noption satisfied 'x'",
            "line 3: option satisfied 'x': allowed is a number",
        ),
        ("config arf-aware\noption replaces 'x'", "line 3: option replaces 'x': allowed is list"),
        (
            "config airtime-weights\nlist stations 'x'",
            "line 3: list stations 'x': allowed is 'KEY=VALUE'",
        ),
    ] {
        assert!(agent(option).starts_with(said), "{option}: {}", agent(option));
    }
    assert!(mistake("package x\noption polls 1").starts_with("line 2: no line config agent"));
}
