//! DATA and ACKs apart at an access point: classes of HTB in which every packet counts the same, and the classifier of
//! `bpf/classes.bpf.c`.
//!
//! The classifier fails open: orders that are out of date send every packet past the classes. What is left of an agent
//! that was killed has a number that nobody else gives, and `restore` or the next start takes it away.

use std::os::fd::{AsFd, AsRawFd};

use airfair_units::Duration;
use anyhow::{Context, Result, ensure};
use libbpf_rs::{MapCore, MapFlags, MapHandle, Object};

use super::forward::Forwarded;
use super::queueing::{self, ACK, DATA, Discipline, OURS};
use super::{Actuator, Passed, bpf};
use crate::configuration::{Configuration, DataAck, LEAST_WINDOW, Weights};
use crate::decision::{Decision, Share};
use crate::os::{self, Netlink};
use crate::output::say;
use crate::sample::{Connection, Queue};

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bpf.o"));
const PROGRAM: &str = "airfair_class";
/// Time after the agent's last sign of life at which packets go past the classes. It is shorter than others' since those
/// that wait by then still leave at their rate, and limits are to lift within a second.
const LIFETIME: Duration = Duration::from_millis(600);

/// The classes of an interface.
pub struct Classes {
    settings: DataAck,
    interface: u32,
    line: Netlink,
    share: Option<Share>,
    /// Counters of connections, where the weights follow them.
    counters: Option<Forwarded>,
    passed: Passed,
    orders: MapHandle,
    object: Object,
}

impl Classes {
    /// Loads the classifier, and takes away what an agent before has left behind. The interface has no classes yet.
    ///
    /// # Errors
    /// If the kernel does not permit it, there is no such interface, or somebody else has set up its queueing.
    pub fn load(configuration: &Configuration) -> Result<Self> {
        let name = configuration
            .interface
            .clone()
            .context("interface: missing; name the interface whose packets are shared out")?;
        let interface = os::interface_index(&name);
        let interface = interface.with_context(|| format!("interface {name}: does not exist"))?;
        let line = queueing::line()?;
        if let Some(found) = root_of(&line, interface)? {
            ensure!(
                found.handle == 0 || found.handle == OURS,
                "{name}: has the queueing discipline {}, which the agent does not replace; remove it with: tc qdisc \
                 del dev {name} root",
                found.kind
            );
            if found.handle == OURS {
                queueing::take_away(&line, interface)?;
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
            line,
            share: None,
            counters,
            passed: Passed::default(),
            orders: bpf::map(&object, "orders")?,
            object,
        })
    }

    /// Writes `struct orders`.
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
        queueing::put(&self.line, self.interface, share, self.settings.queue, program)
            .inspect_err(|_| _ = queueing::take_away(&self.line, self.interface))
    }

    fn lift(&mut self) -> Result<()> {
        if self.share.take().is_some() {
            queueing::take_away(&self.line, self.interface)?;
        }
        Ok(())
    }
}

fn root_of(line: &Netlink, interface: u32) -> Result<Option<Discipline>> {
    Ok(queueing::roots(line)?.into_iter().find(|it| it.interface == interface))
}

impl Actuator for Classes {
    fn apply(&mut self, decision: &Decision) -> Result<()> {
        let Decision::Share(share) = decision else { return self.lift() };
        if self.share.is_some() {
            queueing::change(&self.line, self.interface, share)?;
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

    fn queue(&mut self) -> Result<Option<Queue>> {
        let root = root_of(&self.line, self.interface)?.filter(|it| it.handle == OURS);
        let Some(Discipline { sent, waiting, .. }) = root else { return Ok(None) };
        let acks = queueing::sent_of(&self.line, self.interface, ACK)?;
        Ok(Some(Queue { sent, acks, waiting }))
    }

    fn passed(&self) -> &Passed {
        &self.passed
    }
}

/// However the agent ends, but for SIGKILL, the interface has the queueing that it had.
impl Drop for Classes {
    fn drop(&mut self) {
        if let Err(error) = self.lift() {
            say(&format!(
                "The classes could not be removed: {error:#}. No packet goes through them."
            ));
        }
    }
}

/// Takes away all classes here that an agent has left behind: at how many interfaces.
///
/// # Errors
/// If the kernel does not permit it.
pub fn restore() -> Result<u64> {
    let line = queueing::line()?;
    let left: Vec<Discipline> =
        queueing::roots(&line)?.into_iter().filter(|it| it.handle == OURS).collect();
    for it in &left {
        queueing::take_away(&line, it.interface)?;
    }
    Ok(u64::try_from(left.len())?)
}
