//! Filters of tc at the ingress and egress hooks of `clsact`.
//!
//! Filters outlive the process that has added them. The agent recognises its own by their priority
//! and by the names of their programs. Their handle shows if `clsact` existed before them.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};

use airfair_netlink::{Message, value_of};
use anyhow::{Context, Result, ensure};
use libbpf_rs::query::ProgInfoIter;
use libbpf_rs::{MapCore, MapFlags, MapHandle, TC_EGRESS, TC_INGRESS, TcAttachPoint, TcHook};

use super::bpf;
use crate::os::{self, Protocol};
use crate::output::say;

/// Priority of the agent's tc filters: they run before others, which then decide.
const PRIORITY: u32 = 31;
/// Handle of a tc filter of the agent if `clsact` existed before.
const BEFORE: u32 = 1;
/// Handle of a tc filter of the agent if the agent has created `clsact`.
const MADE: u32 = 2;

/// Message type that requests queueing disciplines (`RTM_GETQDISC`).
const GET_QDISC: u16 = 38;
/// Message type that requests filters (`RTM_GETTFILTER`).
const GET_FILTER: u16 = 46;
/// Attribute with the kind of a filter or discipline (`TCA_KIND`).
const KIND: u16 = 1;
/// Parents of the filters (`TC_H_CLSACT` with `TC_H_MIN_INGRESS` and `TC_H_MIN_EGRESS`).
const PARENTS: [u32; 2] = [0xffff_fff2, 0xffff_fff3];

/// The agent's tc filters at an interface. They are removed when this value is dropped.
#[derive(Debug)]
pub(super) struct Filters {
    interface: u32,
    handle: u32,
}

impl Filters {
    /// Attaches two BPF programs as tc filters: for packets that enter through an interface, and
    /// for packets that leave through it.
    pub(super) fn put(interface: u32, programs: [BorrowedFd<'_>; 2]) -> Result<Self> {
        let handle = if has_clsact(interface)? { BEFORE } else { MADE };
        let filters = Self { interface, handle };
        for (program, place) in programs.into_iter().zip([TC_INGRESS, TC_EGRESS]) {
            let mut hook = hook(program, interface, place, handle)?;
            let put = hook.create().and_then(|_| hook.attach());
            put.context(
                "the kernel accepts no filter of tc (CONFIG_NET_SCH_INGRESS, CONFIG_NET_CLS_BPF)",
            )?;
        }
        Ok(filters)
    }

    /// Index of the interface that has the filters.
    pub(super) fn interface(&self) -> u32 {
        self.interface
    }
}

impl Drop for Filters {
    fn drop(&mut self) {
        // The filters of a removed interface are already gone.
        if let Err(error) = take_away_from(self.interface, self.handle) {
            say(&format!("Filters could not be removed: {error:#}. They have no effect any more."));
        }
    }
}

/// Removes the tc filters of dead agents whose BPF programs have these names, and returns the
/// number of filters. The agent's instructions in the BPF map of a filter, its orders, expire if
/// the agent does not renew them. Waits until they have expired, and fails if a living agent renews
/// them.
pub(super) fn take_away(names: &[&str]) -> Result<u64> {
    // libbpf would report an error for each hook without a filter.
    bpf::keep_quiet();
    let mut count = 0;
    for interface in os::interface_indices().context("interfaces")? {
        for handle in [BEFORE, MADE] {
            let found = programs_of(interface, handle)?;
            let is_ours = |id: &u32| program_name(*id).is_some_and(|it| names.contains(&&*it));
            if !found.is_empty() && found.iter().all(is_ours) {
                found.iter().try_for_each(|id| outlast(*id))?;
                take_away_from(interface, handle)?;
                count += u64::try_from(found.len()).unwrap_or(u64::MAX);
            }
        }
    }
    Ok(count)
}

fn hook(
    program: BorrowedFd<'_>,
    interface: u32,
    place: TcAttachPoint,
    handle: u32,
) -> Result<TcHook> {
    let mut hook = TcHook::new(program);
    let interface = i32::try_from(interface).context("number of the interface")?;
    hook.ifindex(interface).attach_point(place).handle(handle).priority(PRIORITY);
    Ok(hook)
}

/// Ids of the BPF programs of filters with this handle at an interface.
fn programs_of(interface: u32, handle: u32) -> Result<Vec<u32>> {
    let nothing = File::open("/dev/null")?;
    let mut found = Vec::new();
    for place in [TC_INGRESS, TC_EGRESS] {
        found.extend(hook(nothing.as_fd(), interface, place, handle)?.query().ok());
    }
    Ok(found)
}

fn program_name(id: u32) -> Option<String> {
    let program = ProgInfoIter::default().find(|program| program.id == id)?;
    Some(program.name.to_string_lossy().into_owned())
}

/// Waits until the agent's orders to a BPF program, the instructions in the program's BPF map, have
/// expired. Fails if an agent that is alive renews them meanwhile.
fn outlast(id: u32) -> Result<()> {
    let Some(until) = alive_until(id) else { return Ok(()) };
    let left = until.saturating_sub(os::monotonic_ns());
    if left > 0 {
        os::wait_for(&[], u32::try_from(left.div_ceil(1_000_000)).unwrap_or(u32::MAX));
    }
    ensure!(alive_until(id) <= Some(until), "another agent runs on this interface");
    Ok(())
}

/// Time at which the agent's orders to a BPF program, the instructions in the program's BPF map,
/// expire [ns]; `None` if the program has no such map.
fn alive_until(id: u32) -> Option<u64> {
    let options = libbpf_rs::query::ProgInfoQueryOptions::default().include_map_ids(true);
    let program = ProgInfoIter::with_query_opts(options).find(|program| program.id == id);
    let maps = program.map(|program| program.map_ids).unwrap_or_default();
    maps.into_iter().find_map(|id| {
        let map = MapHandle::from_map_id(id).ok().filter(|map| map.name() == "orders")?;
        let octets = map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok()??;
        Some(u64::from_ne_bytes(octets.get(..8)?.try_into().ok()?))
    })
}

/// Removes the agent's filters with this handle from an interface. Also removes `clsact` if an
/// agent created it and no other filter uses it.
fn take_away_from(interface: u32, handle: u32) -> Result<()> {
    let nothing = File::open("/dev/null")?;
    for place in [TC_INGRESS, TC_EGRESS] {
        let mut hook = hook(nothing.as_fd(), interface, place, handle)?;
        if hook.query().is_ok() {
            hook.detach()?;
        }
    }
    if handle == MADE && has_clsact(interface)? && !has_filters(interface)? {
        hook(nothing.as_fd(), interface, TC_INGRESS | TC_EGRESS, 0)?.destroy()?;
    }
    Ok(())
}

fn has_clsact(interface: u32) -> Result<bool> {
    let is_it = |message: &[u8]| {
        message.split_at_checked(20).is_some_and(|(header, attributes)| {
            header[4..8] == interface.to_ne_bytes()
                && value_of(attributes, KIND).is_some_and(|kind| kind.starts_with(b"clsact"))
        })
    };
    Ok(dump(GET_QDISC, interface, 0)?.iter().any(|message| is_it(message)))
}

fn has_filters(interface: u32) -> Result<bool> {
    for parent in PARENTS {
        if !dump(GET_FILTER, interface, parent)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Sends a tc dump request with `struct tcmsg`, and returns the messages of the reply.
fn dump(kind: u16, interface: u32, parent: u32) -> Result<Vec<Vec<u8>>> {
    let socket = os::open_netlink(Protocol::Route).context("route netlink")?;
    let header = [0, interface, 0, parent, 0].map(u32::to_ne_bytes).concat();
    socket.ask(Message::dump(kind).put(&header)).context("tc")
}
