//! Programs in a namespace.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::Result;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use super::calls;
use super::namespace::Namespace;

/// The way into a namespace of a running emulation.
#[derive(Clone, Debug)]
pub struct Entrance {
    /// User namespace that it belongs to, where that is another one.
    pub user: Option<PathBuf>,
    /// Network namespace.
    pub network: PathBuf,
    /// File of the names there.
    pub hosts: PathBuf,
}

/// Moves this process, which must have one thread, to where an entrance leads. What it becomes or starts is there.
///
/// # Errors
/// The operating system's, if the emulation is over or somebody else's.
pub fn enter(entrance: &Entrance) -> Result<()> {
    let network = File::open(&entrance.network)?;
    if let Some(user) = &entrance.user {
        calls::set_namespace(File::open(user)?.as_fd(), libc::CLONE_NEWUSER)?;
    }
    calls::set_namespace(network.as_fd(), libc::CLONE_NEWNET)?;
    see_names(&text(&entrance.hosts)?)
}

/// Starts a program in a namespace, with the names in `hosts`: its process. It gets `SIGTERM` when the thread that has
/// started it ends.
pub(crate) fn start(program: &mut Command, network: &Namespace, hosts: &Path) -> Result<Child> {
    let network = network.as_fd().try_clone_to_owned()?;
    let hosts = text(hosts)?;
    calls::before_exec(program, move || {
        calls::signal_on_exit(libc::SIGTERM)?;
        calls::set_namespace(network.as_fd(), libc::CLONE_NEWNET)?;
        see_names(&hosts)
    });
    program.spawn()
}

/// Shows this process the names of an emulation.
fn see_names(hosts: &CString) -> Result<()> {
    calls::keep_mounts()?;
    // Some tools look there for interfaces; where it is not permitted, they do without.
    let _ = calls::renew_sys();
    calls::cover(hosts, c"/etc/hosts")
}

fn text(path: &Path) -> Result<CString> {
    let path: &OsStr = path.as_os_str();
    CString::new(path.as_bytes()).map_err(std::io::Error::other)
}
