//! Common functions for BPF objects: loading, maps, iterators.

use std::io::Read;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use libbpf_rs::query::MapInfoIter;
use libbpf_rs::{
    Iter, Link, MapCore, MapFlags, MapHandle, MapType, Object, ObjectBuilder, PrintLevel, set_print,
};

use crate::os::BTF;

/// Last message that libbpf has printed, in place of its output.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Makes libbpf store its last message instead of printing. Of its long reports the last line is
/// enough.
pub(super) fn keep_quiet() {
    set_print(Some((PrintLevel::Warn, |_, text| {
        text.trim().clone_into(&mut LAST.lock().unwrap_or_else(PoisonError::into_inner));
    })));
}

/// Loads a BPF object whose programs read the kernel's own structures: libbpf needs the kernel's
/// type information to find their fields.
pub(super) fn load_with_types(octets: &[u8]) -> Result<Object> {
    ensure!(
        has_types(),
        "this kernel has no type information ({BTF}; CONFIG_DEBUG_INFO_BTF), so this machine's own connections cannot \
         be limited; allowed are the schemes of an access point (doctor lists them), observe and replay"
    );
    load(octets)
}

/// True if the kernel has type information.
pub(super) fn has_types() -> bool {
    Path::new(BTF).exists()
}

/// Loads a BPF object into the kernel.
pub(super) fn load(octets: &[u8]) -> Result<Object> {
    keep_quiet();
    let open = ObjectBuilder::default().open_memory(octets).context("the BPF object")?;
    open.load().with_context(|| LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()).context(
        "the kernel refused the BPF programs; they need root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN, and Linux \
         6.1 or later (CONFIG_BPF_SYSCALL, for struct_ops CONFIG_BPF_JIT)",
    )
}

/// Handle of the map with this name in a BPF object.
pub(super) fn map(object: &Object, name: &str) -> Result<MapHandle> {
    let found = object.maps().find(|map| map.name() == name);
    let found = found.with_context(|| format!("the BPF object has no map {name}"))?;
    Ok(MapHandle::try_from(&found)?)
}

/// Most addresses of an interface whose connections are watched. The kernel's map of addresses
/// holds twice as many, because new addresses are added before old ones are removed.
const ADDRESSES: usize = 512;

/// Sets the addresses whose connections the BPF programs watch, in `map`. Returns the number of
/// addresses for which there is no room.
pub(super) fn watch(map: &MapHandle, addresses: Vec<IpAddr>) -> Result<u64> {
    let mut addresses: Vec<[u8; 16]> = addresses.into_iter().map(in_six).collect();
    let left = addresses.len().saturating_sub(ADDRESSES);
    addresses.truncate(ADDRESSES);
    replace_keys(map, &addresses)?;
    Ok(u64::try_from(left)?)
}

/// Replaces the keys of a BPF map that is used as a set.
pub(super) fn replace_keys(map: &MapHandle, keys: &[[u8; 16]]) -> Result<()> {
    let old: Vec<Vec<u8>> = map.keys().collect();
    for key in keys {
        map.update(key, &[1], MapFlags::ANY)?;
    }
    for key in old.iter().filter(|key| !keys.iter().any(|it| it[..] == key[..])) {
        map.delete(key)?;
    }
    Ok(())
}

/// Attaches a BPF iterator program, which can then be read repeatedly.
pub(super) fn iterator(object: &mut Object, name: &str) -> Result<Link> {
    let program = object.progs_mut().find(|program| program.name() == name);
    let program = program.with_context(|| format!("the BPF object has no program {name}"))?;
    program.attach().with_context(|| format!("the iterator {name}"))
}

/// Runs a BPF iterator over all sockets; returns what its program has written.
pub(super) fn pass(iterator: &Link) -> Result<Vec<u8>> {
    let mut octets = Vec::new();
    Iter::new(iterator)?.read_to_end(&mut octets)?;
    Ok(octets)
}

/// Unregisters `struct_ops` maps with this name that a dead agent has left behind, on kernels
/// without links for `struct_ops`.
pub(super) fn take_away(name: &str) {
    for map in MapInfoIter::default() {
        let is_it = map.ty == MapType::StructOps && map.name == name;
        if let (true, Ok(map)) = (is_it, MapHandle::from_map_id(map.id)) {
            // The kernel refuses this for a map with a link, which belongs to a running agent.
            let _ = map.delete(&0_u32.to_ne_bytes());
        }
    }
}

/// Address in the form of the BPF programs: IPv4 as `::ffff:a.b.c.d`.
pub(super) fn in_six(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(four) => four.to_ipv6_mapped().octets(),
        IpAddr::V6(six) => six.octets(),
    }
}
