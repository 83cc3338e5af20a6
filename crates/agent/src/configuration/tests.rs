//! Tests of accepted and rejected configurations.

mod uci;

use super::*;

fn checked(text: &str) -> Result<Configuration> {
    parse(text)?.checked()
}

fn mistake(text: &str) -> String {
    format!("{:#}", checked(text).unwrap_err())
}

#[test]
fn an_empty_file_is_the_default() {
    assert_eq!(checked("").unwrap(), Configuration::default());
    assert_eq!(Configuration::default().arf_aware.least_window, 2);
}

#[test]
fn the_documented_defaults_are_the_defaults() {
    let text = include_str!("../../agent.toml");
    assert_eq!(checked(text).unwrap(), Configuration::default());
    // The commented-out examples are valid too.
    let keys: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("#: ")).collect();
    let keys = keys.join("\n");
    let (top, table) = keys.split_once("highest_rate").unwrap();
    let table = table.replace("role = ", "[occupancy]\nrole = ");
    let table = table.replace("packets_per_second", "[data-ack]\npackets_per_second");
    let table = table.replace("stations = ", "[airtime-weights]\nstations = ");
    checked(&format!("{top}[arf-aware]\nhighest_rate{table}")).unwrap();
}

#[test]
fn bounds_hold_for_any_value() {
    assert!(mistake("[arf-aware]\nlargest_ratio = 101").contains("allowed is 2 to 100"));
    assert!(mistake("[arf-aware]\nleast_window = 1").contains("one_segment = true"));
    assert!(checked("[arf-aware]\nleast_window = 1\none_segment = true").is_ok());
    assert!(mistake("[arf-aware]\nleast_window = 0\none_segment = true").contains("allowed is 1"));
    assert!(mistake("poll = \"1 ms\"").contains("allowed is 20 ms"));
    assert!(
        mistake("[arf-aware]\nreplaces = [\"a name that is far too long\"]")
            .contains("the name of")
    );
    assert!(mistake("[arf-aware]\nhighest_rate = \"54\"").contains("arf-aware: highest_rate"));
    assert!(mistake("polls = 0").contains("allowed is 1 to 50"));
    assert!(mistake("scheme = \"arf\"").contains("arf-aware"));
    assert!(mistake("[occupancy]\nsatisfied = 1.0").contains("between 0 and 1"));
    assert!(mistake("[occupancy]\nsamples = 0").contains("allowed is 1 to 100"));
    assert!(mistake("[occupancy]\nleast_window = 1").contains("one_segment = true"));
    assert!(mistake("[occupancy]\nspare = \"twice\"").contains("once"));
    assert!(mistake("[occupancy]\nport = 80").contains("allowed is 1024"));
    assert!(mistake("[occupancy]\naccess_point = \"ap\"").contains("or an address"));
    assert!(mistake("[occupancy]\nrole = \"ap\"").contains("access-point"));
    assert!(mistake("[shared-windows]\nbuffer = 0").contains("allowed is 1 to"));
    for weights in ["2", "0:1", "1:101", "2:1:1", "flows"] {
        let said = mistake(&format!("[data-ack]\nweights = {weights:?}"));
        assert!(said.contains("two numbers from 1 to 100"), "{said}");
    }
    assert!(mistake("[data-ack]\npackets_per_second = 9").contains("allowed is 10"));
    assert!(mistake("[data-ack]\nqueue = 0").contains("allowed is 1 to 1000"));
    assert!(
        mistake("[arf-window]\nsamples = 101").contains("arf-window: samples = 101: allowed is 1")
    );
    assert!(mistake("[arf-window]\nfall = \"least\"").contains("projected"));
    assert!(
        mistake("[airtime-weights]\nothers = 15").contains("others = 15: allowed is 16 to 4096")
    );
    assert!(mistake("[airtime-weights]\nweights = \"flows\"").contains("connections"));
    let stations = |them: &str| mistake(&format!("[airtime-weights]\nstations = {{ {them} }}"));
    assert!(stations("\"02:00:00:00:01\" = 256").contains("allowed is an address"));
    assert!(stations("\"02:00:00:00:01:00\" = 5000").contains("allowed is 16"));
    let said = mistake("poll = \"100 ms\"\ninterfaces = \"wlan0\"");
    assert!(said.starts_with("line 2: unknown field") && !said.contains('\n'), "{said}");
    assert!(mistake("station = \"fast\"").contains("emulator"));
    let of_all = "emulator = \"/it\"\nscheme = \"occupancy\"";
    assert!(checked(of_all).is_ok());
    assert!(checked(&format!("{of_all}\nstation = \"fast\"")).is_ok());
    for (station, role) in [("station = \"fast\"", "access-point"), ("", "station")] {
        let said = mistake(&format!("{of_all}\n{station}\n[occupancy]\nrole = \"{role}\""));
        assert!(said.contains("needs the name of a station"), "{said}");
    }
    let weights = "emulator = \"/it\"\nscheme = \"airtime-weights\"";
    assert!(mistake(weights).contains("an emulation has no driver"));
}

#[test]
fn metrics_are_for_this_machine_alone() {
    assert_eq!(checked("").unwrap().metrics, None);
    let it = parse("metrics = \"127.0.0.1:9811\"").unwrap();
    let port = "127.0.0.1:9811".parse().unwrap();
    assert_eq!(it.checked().unwrap().metrics, Some(port));
    let socket = it.clone().serving(Some("/run/it".into())).checked().unwrap().metrics;
    assert_eq!(socket, Some("/run/it".parse().unwrap()), "the command line goes before the file");
    assert!(!serde_json::to_string(&it).unwrap().contains("9811"), "recordings do not have it");
    let said = mistake("metrics = \"0.0.0.0:9811\"");
    assert!(said.starts_with("metrics: \"0.0.0.0:9811\": other machines could read"), "{said}");
}

#[test]
fn a_role_is_the_configured_one_or_that_of_the_source() {
    let role = |text: &str| checked(text).unwrap().occupancy.role;
    assert_eq!(role(""), Role::AccessPoint);
    assert_eq!(role("emulator = \"it\""), Role::AccessPoint);
    assert_eq!(role("emulator = \"it\"\nstation = \"fast\""), Role::Station);
    let written = "emulator = \"it\"\nstation = \"fast\"\n[occupancy]\nrole = \"access-point\"";
    assert_eq!(role(written), Role::AccessPoint);
    let at = |text: &str| parse(text).unwrap().at(Role::Station).checked().unwrap().occupancy.role;
    assert_eq!(at(""), Role::Station);
    assert_eq!(at("[occupancy]\nrole = \"access-point\""), Role::AccessPoint);
}

#[test]
fn the_command_line_goes_before_the_file() {
    let told = Written::from_command_line(Some("wlan1".into()), None, None, None);
    let it = told.over(parse("interface = \"wlan0\"\npoll = \"200 ms\"").unwrap());
    let it = it.checked().unwrap();
    assert_eq!(it.interface.as_deref(), Some("wlan1"));
    assert_eq!(it.poll, Duration::from_millis(200));
}

#[test]
fn a_file_that_others_may_write_is_refused() {
    let path = std::env::temp_dir().join(format!("airfair-agent-{}.toml", std::process::id()));
    fs::write(&path, "").unwrap();
    let with = |mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        read(&path).map_err(|error| format!("{error:#}"))
    };
    assert!(with(0o666).unwrap_err().contains("may write this file"));
    assert!(with(0o620).unwrap_err().contains("may write this file"));
    assert!(with(0o644).is_ok());
    fs::remove_file(&path).unwrap();
}
