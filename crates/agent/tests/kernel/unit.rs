//! Test of the agent as systemd starts it by its unit: as a separate user, with only the
//! capabilities of the unit.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};

use crate::rig::{Air, Rig, eventually, may};

const UNIT: &str = include_str!("../../packaging/airfair-agent.service");
/// User id of `nobody`, which takes the place of the user that systemd creates.
pub(super) const NOBODY: u32 = 65_534;

/// Value of a setting in the systemd unit.
fn setting(name: &str) -> &'static str {
    let mut values = UNIT.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    values.next().unwrap_or_else(|| panic!("the unit has no {name}"))
}

/// Command line of `setpriv` with the user, capabilities and restrictions of the systemd unit.
pub(super) fn as_the_unit() -> Vec<String> {
    assert_eq!((setting("DynamicUser"), setting("NoNewPrivileges")), ("yes", "yes"));
    let capabilities = setting("CapabilityBoundingSet");
    assert_eq!(setting("AmbientCapabilities"), capabilities);
    let names: Vec<String> =
        capabilities.split(' ').map(|it| it.trim_start_matches("CAP_").to_lowercase()).collect();
    let set = format!("-all,+{}", names.join(",+"));
    ["setpriv", "--no-new-privs", "--clear-groups"]
        .map(str::to_owned)
        .into_iter()
        .chain(["reuid", "regid"].map(|it| format!("--{it}={NOBODY}")))
        .chain(["bounding-set", "inh-caps", "ambient-caps"].map(|it| format!("--{it}={set}")))
        .collect()
}

/// The agent works with the user and the capabilities of its systemd unit, which restores all
/// connections by `ExecStopPost`, even after SIGKILL.
#[test]
fn the_units_user_and_capabilities_are_enough_and_what_follows_its_end_gives_back() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let (air, flow) = (Air::new(&rig, 11), rig.watched_flow());
    chown(&rig.runtime, Some(NOBODY), Some(NOBODY)).unwrap();
    fs::set_permissions(air.path(), Permissions::from_mode(0o777)).unwrap();
    // A folder of the build need not be open to others.
    let program = rig.runtime.join("airfair-agent");
    fs::copy(env!("CARGO_BIN_EXE_airfair-agent"), &program).unwrap();
    let words = [as_the_unit(), vec![program.to_string_lossy().into_owned()]].concat();
    let agent = rig.agent_by(&words, &air, &[]);
    eventually("the window has grown", || flow.window() > 60);
    air.set(1);
    eventually("the connection is taken", || flow.law() == "airfair");
    let (_, _) = agent.end(libc::SIGKILL);
    assert!(setting("ExecStopPost").ends_with("/airfair-agent restore"));
    assert!(rig.ask(&["restore"]).status.success());
    assert_eq!(flow.law(), "reno");
}
