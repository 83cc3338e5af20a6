//! Programs in the namespaces.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::Result;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use super::calls;
use super::namespace::Namespace;

/// Paths by which a program enters a node of a running emulation.
#[derive(Clone, Debug)]
pub struct Entrance {
    /// User namespace that owns the network namespace; `None` if it is the caller's own.
    pub user: Option<PathBuf>,
    /// Path of the network namespace of the node.
    pub network: PathBuf,
    /// Path of the file that replaces `/etc/hosts` for the program.
    pub hosts: PathBuf,
}

/// Moves this process, which must have only one thread, into the namespaces of a node. Programs
/// that it starts or executes run there.
///
/// # Errors
/// Returns the error of the operating system if the emulation has ended or belongs to another user.
pub fn enter(entrance: &Entrance) -> Result<()> {
    let network = File::open(&entrance.network)?;
    if let Some(user) = &entrance.user {
        calls::set_namespace(File::open(user)?.as_fd(), libc::CLONE_NEWUSER)?;
    }
    calls::set_namespace(network.as_fd(), libc::CLONE_NEWNET)?;
    mount_hosts(&text(&entrance.hosts)?)
}

/// Starts a program in a namespace, with the file `hosts` as its `/etc/hosts`. The program gets
/// `SIGTERM` when the thread that started it ends.
pub(crate) fn start(program: &mut Command, network: &Namespace, hosts: &Path) -> Result<Child> {
    let network = network.as_fd().try_clone_to_owned()?;
    let hosts = text(hosts)?;
    calls::before_exec(program, move || {
        calls::signal_on_exit(libc::SIGTERM)?;
        calls::set_namespace(network.as_fd(), libc::CLONE_NEWNET)?;
        mount_hosts(&hosts)
    });
    program.spawn()
}

/// Mounts `hosts` over `/etc/hosts` for this process alone.
fn mount_hosts(hosts: &CString) -> Result<()> {
    calls::isolate_mounts()?;
    // Some tools look in `/sys` for interfaces. Without the permission to mount it they see the
    // host's.
    let _ = calls::mount_sys();
    calls::bind_mount(hosts, c"/etc/hosts")
}

fn text(path: &Path) -> Result<CString> {
    let path: &OsStr = path.as_os_str();
    CString::new(path.as_bytes()).map_err(std::io::Error::other)
}
