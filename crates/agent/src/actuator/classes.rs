//! Separate queues for DATA and ACKs at an access point: HTB classes in which every packet has the
//! same size, and the classifier of `bpf/classes.bpf.c`.
//!
//! The classifier fails open: when its orders are out of date, all packets bypass the classes. A
//! qdisc that a killed agent has left behind is recognised by its handle; `restore` or the next
//! start removes it.

use std::os::fd::{AsFd, AsRawFd};

use airfair_netlink::Socket;
use airfair_units::Duration;
use anyhow::{Context, Result, ensure};
use libbpf_rs::{MapCore, MapFlags, MapHandle, Object};

use super::bpf;
use super::contract::{Actuator, PassCounts};
use super::forward::Forwarded;
use super::queueing::{self, ACK, DATA, Discipline, OURS};
use crate::configuration::{Configuration, DataAck, LEAST_WINDOW, Weights};
use crate::decision::{Decision, Share};
use crate::os;
use crate::output::say;
use crate::sample::{Connection, QueueCounters};

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bpf.o"));
const PROGRAM: &str = "airfair_class";
/// Time after the agent's last sign of life at which packets begin to bypass the classes. It is
/// shorter than that of other actuators, because the packets queued by then still leave at the
/// limited rate, and the limit is to be gone within a second.
const LIFETIME: Duration = Duration::from_millis(600);

/// Actuator with HTB classes at an interface, one for DATA and one for ACKs.
pub struct Classes {
    settings: DataAck,
    interface: u32,
    socket: Socket,
    share: Option<Share>,
    /// Counters of forwarded connections, if the weights depend on connections.
    counters: Option<Forwarded>,
    passed: PassCounts,
    orders: MapHandle,
    object: Object,
}

impl Classes {
    /// Loads the classifier, and removes what an earlier agent has left behind. Classes are created
    /// with the first decision.
    ///
    /// # Errors
    /// Returns an error if the kernel refuses, if there is no such interface, or if its qdisc was
    /// set up by someone else.
    pub fn load(configuration: &Configuration) -> Result<Self> {
        let name = configuration
            .interface
            .clone()
            .context("interface: missing; name the interface whose packets are shared out")?;
        let interface = os::interface_index(&name);
        let interface = interface.with_context(|| format!("interface {name}: does not exist"))?;
        let socket = queueing::open()?;
        if let Some(found) = root_of(&socket, interface)? {
            ensure!(
                found.handle == 0 || found.handle == OURS,
                "{name}: has the queueing discipline {}, which the agent does not replace; remove it with: tc qdisc \
                 del dev {name} root",
                found.kind
            );
            if found.handle == OURS {
                queueing::take_away(&socket, interface)?;
                say("The agent removed the classes that a killed agent left behind.");
            }
        }
        let settings = configuration.data_ack.clone();
        let counters = match settings.weights {
            Weights::Fixed { .. } => None,
            Weights::Connections => Some(Forwarded::load(&name, LEAST_WINDOW)?),
        };
        let object = bpf::load(OBJECT)?;
        Ok(Self {
            settings,
            interface,
            socket,
            share: None,
            counters,
            passed: PassCounts::default(),
            orders: bpf::map(&object, "orders")?,
            object,
        })
    }

    /// Writes the agent's instructions for the classifier, `struct orders`, into the BPF map that
    /// the classifier reads: the time at which they expire, and the HTB classes for DATA and for
    /// ACKs.
    fn order(&self) -> Result<()> {
        let alive_until = os::monotonic_ns() + LIFETIME.as_nanos();
        let octets =
            [&alive_until.to_ne_bytes()[..], &DATA.to_ne_bytes(), &ACK.to_ne_bytes()].concat();
        Ok(self.orders.update(&0_u32.to_ne_bytes(), &octets, MapFlags::ANY)?)
    }

    fn put(&self, share: &Share) -> Result<()> {
        let program = self.object.progs().find(|program| program.name() == PROGRAM);
        let program = program.context("the BPF object has no classifier")?.as_fd().as_raw_fd();
        let program = u32::try_from(program).context("the descriptor does not fit in 32 bits")?;
        self.order()?;
        queueing::put(&self.socket, self.interface, share, self.settings.queue, program)
            .inspect_err(|_| _ = queueing::take_away(&self.socket, self.interface))
    }

    fn lift(&mut self) -> Result<()> {
        if self.share.take().is_some() {
            queueing::take_away(&self.socket, self.interface)?;
        }
        Ok(())
    }
}

fn root_of(socket: &Socket, interface: u32) -> Result<Option<Discipline>> {
    Ok(queueing::roots(socket)?.into_iter().find(|it| it.interface == interface))
}

impl Actuator for Classes {
    fn apply(&mut self, decision: &Decision) -> Result<()> {
        let Decision::Share(share) = decision else { return self.lift() };
        if self.share.is_some() {
            queueing::change(&self.socket, self.interface, share)?;
        } else {
            self.put(share)?;
        }
        self.share = Some(*share);
        Ok(())
    }

    fn beat(&mut self) -> Result<()> {
        self.order()?;
        self.counters.as_mut().map_or(Ok(()), Forwarded::beat)
    }

    fn connections(&mut self) -> Result<Vec<Connection>> {
        self.counters.as_mut().map_or(Ok(Vec::new()), Forwarded::connections)
    }

    fn queue(&mut self) -> Result<Option<QueueCounters>> {
        let root = root_of(&self.socket, self.interface)?.filter(|it| it.handle == OURS);
        let Some(Discipline { sent, waiting, .. }) = root else { return Ok(None) };
        let acks = queueing::sent_of(&self.socket, self.interface, ACK)?;
        Ok(Some(QueueCounters { sent, acks, waiting }))
    }

    fn counts(&self) -> &PassCounts {
        &self.passed
    }
}

/// Restores the interface's qdisc when the agent ends. After SIGKILL packets bypass the classes.
impl Drop for Classes {
    fn drop(&mut self) {
        if let Err(error) = self.lift() {
            say(&format!(
                "The classes could not be removed: {error:#}. No packet goes through them."
            ));
        }
    }
}

/// Removes the classes of dead agents; returns the number of interfaces that had some.
///
/// # Errors
/// Returns an error if the kernel refuses.
pub fn restore() -> Result<u64> {
    let socket = queueing::open()?;
    let left: Vec<Discipline> =
        queueing::roots(&socket)?.into_iter().filter(|it| it.handle == OURS).collect();
    for it in &left {
        queueing::take_away(&socket, it.interface)?;
    }
    Ok(u64::try_from(left.len())?)
}
