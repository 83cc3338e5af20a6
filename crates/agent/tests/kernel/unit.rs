//! The agent as its unit has systemd start it: as a user of its own, with the capabilities of the unit and no others.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};

use crate::rig::{Air, Rig, eventually, may};

const UNIT: &str = include_str!("../../packaging/airfair-agent.service");
/// `nobody`, who stands for the user that systemd makes.
pub(super) const NOBODY: u32 = 65_534;

/// A setting of the unit.
fn setting(name: &str) -> &'static str {
    let mut values = UNIT.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    values.next().unwrap_or_else(|| panic!("the unit has no {name}"))
}

/// `setpriv` with what the unit says.
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

/// A way back behind SIGKILL as well: `ExecStopPost`.
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
