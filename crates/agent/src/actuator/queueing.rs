//! Queueing disciplines of an interface, set by rtnetlink.
//!
//! This needs no other program, which a service with few privileges could not start, and uses the
//! index of the interface, which stays when the interface is renamed. The classes are HTB's, the
//! only discipline with weights that all kernels have.

use airfair_netlink::{CREATE, EXCLUSIVE, Message, Socket, attributes, value_of};
use anyhow::{Context, Result};

use crate::decision::Share;
use crate::os::{Protocol, open_netlink};

/// Message type that creates or changes a queueing discipline (`RTM_NEWQDISC`). Other message types
/// of `linux/rtnetlink.h` follow.
const NEW_DISCIPLINE: u16 = 36;
const DELETE_DISCIPLINE: u16 = 37;
const GET_DISCIPLINE: u16 = 38;
const NEW_CLASS: u16 = 40;
const GET_CLASS: u16 = 42;
const NEW_FILTER: u16 = 44;

/// Length of `struct tcmsg`, the fixed part of messages about disciplines, classes and filters
/// [octets].
const HEADER: usize = 20;
const KIND: u16 = 1;
const OPTIONS: u16 = 2;
const STATISTICS: u16 = 7;
const SIZE_TABLE: u16 = 8;
const ROOT: u32 = u32::MAX;
/// Handle of the agent's root discipline, unlikely to be used by other programs.
pub(super) const OURS: u32 = 0xaf1f_0000;
const ALL: u32 = OURS | 1;
/// HTB class of all packets except pure ACKs.
pub(super) const DATA: u32 = OURS | 0x10;
/// HTB class of pure ACKs.
pub(super) const ACK: u32 = OURS | 0x20;
/// Priority and protocol of the filter that classifies: first, and all packets (`ETH_P_ALL` in
/// network order).
const FIRST_OF_ALL_PACKETS: u32 = 1 << 16 | 3_u16.to_be() as u32;
const ETHERNET: u8 = 1;

/// Size as which HTB counts every packet: the slot of the size table [octets].
const SLOT: u32 = 1_536;
/// Number of entries of HTB's size table, each for 512 octets of packet length, for packets of up
/// to 65 536 octets.
const LINES: u16 = 128;
const LINE_BITS: u8 = 9;

/// Queueing discipline of an interface as the kernel reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Discipline {
    /// Index of the discipline's interface.
    pub(super) interface: u32,
    /// Handle of the discipline; zero for a discipline that the kernel has chosen.
    pub(super) handle: u32,
    /// Kind of the discipline, such as `fq_codel`.
    pub(super) kind: String,
    /// Number of packets that the discipline has sent to the driver.
    pub(super) sent: u64,
    /// Number of packets that wait in the discipline.
    pub(super) waiting: u32,
}

/// Opens a netlink socket for queueing disciplines.
pub(super) fn open() -> Result<Socket> {
    open_netlink(Protocol::Route).context("route netlink")
}

/// Root queueing disciplines of all interfaces.
pub(super) fn roots(socket: &Socket) -> Result<Vec<Discipline>> {
    let found = socket.ask(Message::dump(GET_DISCIPLINE).put(&header(0, 0, 0, 0)))?;
    Ok(found.iter().filter_map(|message| root(message)).collect())
}

/// Number of packets that an HTB class has sent.
pub(super) fn sent_of(socket: &Socket, interface: u32, class: u32) -> Result<u64> {
    let found = socket.ask(Message::dump(GET_CLASS).put(&header(interface, 0, 0, 0)))?;
    let class = found.iter().find(|message| word_at(message, 8) == class);
    Ok(class.and_then(|message| statistics(message)).map_or(0, |(sent, _)| sent))
}

fn root(message: &[u8]) -> Option<Discipline> {
    let [interface, handle, parent] = [4, 8, 12].map(|at| word_at(message, at));
    let kind = value_of(message.get(HEADER..)?, KIND)?.strip_suffix(b"\0")?;
    let (sent, waiting) = statistics(message)?;
    let kind = String::from_utf8_lossy(kind).into_owned();
    (parent == ROOT).then_some(Discipline { interface, handle, kind, sent, waiting })
}

fn statistics(message: &[u8]) -> Option<(u64, u32)> {
    value_of(message.get(HEADER..)?, STATISTICS).map(counters)
}

/// Numbers of packets sent and queued, from the statistics of a discipline or class
/// (`TCA_STATS_BASIC`, in 64 bits `TCA_STATS_PKT64`, and `TCA_STATS_QUEUE`).
fn counters(value: &[u8]) -> (u64, u32) {
    let (mut sent, mut waiting) = (0, 0);
    for (kind, value) in attributes(value) {
        match kind {
            1 => sent = u64::from(word_at(value, 8)).max(sent),
            8 => sent = value.try_into().map_or(sent, u64::from_ne_bytes).max(sent),
            3 => waiting = word_at(value, 0),
            _ => {}
        }
    }
    (sent, waiting)
}

fn word_at(octets: &[u8], at: usize) -> u32 {
    octets.get(at..at + 4).and_then(|it| it.try_into().ok()).map_or(0, u32::from_ne_bytes)
}

/// Removes the agent's queueing discipline from an interface, with its classes, filters and queued
/// packets.
pub(super) fn take_away(socket: &Socket, interface: u32) -> Result<()> {
    let mut message = Message::request(DELETE_DISCIPLINE, 0);
    socket
        .ask(message.put(&header(interface, OURS, ROOT, 0)))
        .context("the classes could not be removed")?;
    Ok(())
}

/// Installs the agent's queueing discipline at an interface, with queues of `queue` packets and the
/// classifier `program`.
pub(super) fn put(
    socket: &Socket,
    interface: u32,
    share: &Share,
    queue: u32,
    program: u32,
) -> Result<()> {
    let create = |kind, header: &[u8], algorithm: &str| {
        let mut message = Message::request(kind, CREATE | EXCLUSIVE);
        message.put(header).text(KIND, algorithm);
        message
    };
    let mut root = create(NEW_DISCIPLINE, &header(interface, OURS, ROOT, 0), "htb");
    root.nested(OPTIONS, |options| {
        options.attribute(2, &words(&[3, 10, 0, 0, 0])).attribute(5, &words(&[1_000]));
    });
    root.nested(SIZE_TABLE, size_table);
    socket.ask(&mut root).context("HTB (CONFIG_NET_SCH_HTB)")?;
    change(socket, interface, share)?;
    for class in [DATA, ACK] {
        let mut leaf = create(NEW_DISCIPLINE, &header(interface, 0, class, 0), "pfifo");
        socket.ask(leaf.attribute(OPTIONS, &words(&[queue]))).context("a queue of packets")?;
    }
    let mut filter = create(NEW_FILTER, &header(interface, 1, OURS, FIRST_OF_ALL_PACKETS), "bpf");
    filter.nested(OPTIONS, |options| {
        options.attribute(6, &words(&[program])).text(7, "airfair");
    });
    socket.ask(&mut filter).context("the classifier (CONFIG_NET_CLS_BPF)")?;
    Ok(())
}

/// Sets the rates of the HTB classes by the weights in `share`, and creates classes that do not
/// exist.
pub(super) fn change(socket: &Socket, interface: u32, share: &Share) -> Result<()> {
    let all = u64::from(share.packets_per_second);
    let weights = u64::from(share.data) + u64::from(share.ack);
    let part = |weight: u32| (all * u64::from(weight) * u64::from(SLOT) / weights).max(1);
    let all = all * u64::from(SLOT);
    let classes = [
        (OURS, ALL, all, 1),
        (ALL, DATA, part(share.data), share.data),
        (ALL, ACK, part(share.ack), share.ack),
    ];
    for (parent, class, rate, weight) in classes {
        let mut message = Message::request(NEW_CLASS, CREATE);
        message.put(&header(interface, class, parent, 0)).text(KIND, "htb");
        message.nested(OPTIONS, |options| {
            options.attribute(1, &class_options(rate, all, weight));
        });
        socket.ask(&mut message).context("a class of HTB")?;
    }
    Ok(())
}

/// Encodes `struct tcmsg`.
fn header(interface: u32, handle: u32, parent: u32, info: u32) -> Vec<u8> {
    words(&[0, interface, handle, parent, info])
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Encodes `struct tc_htb_opt`, the options of an HTB class. Rates are in octets per second. The
/// ceiling lets a class use the whole rate while the other one is idle.
fn class_options(rate: u64, ceiling: u64, weight: u32) -> Vec<u8> {
    let short = |rate: u64| u32::try_from(rate).unwrap_or(u32::MAX);
    let specification = |rate: u64| {
        let head = [0, ETHERNET, 0, 0, 0, 0, 0, 0];
        [&head[..], &short(rate).to_ne_bytes()].concat()
    };
    // Two packets, or the octets of one millisecond, since timers are no finer. In units of 64 ns
    // (`PSCHED_SHIFT`).
    let burst = |rate: u64| short((2 * u64::from(SLOT) * 1_000_000_000 / rate).max(1_000_000) / 64);
    let quantum = SLOT * weight.clamp(1, 100);
    let rest = words(&[burst(rate), burst(ceiling), quantum, 0, 0]);
    [specification(rate), specification(ceiling), rest].concat()
}

/// Appends the attributes of HTB's size table (`stab`), by which each packet counts as one slot, and a GSO packet as
/// one slot per segment.
fn size_table(to: &mut Message) {
    const { assert!(SLOT <= u16::MAX as u32) };
    let base: Vec<u8> =
        [&[LINE_BITS, SLOT_BITS, 0, 0][..], &words(&[0, ETHERNET.into(), 0, 0, LINES.into()])]
            .concat();
    let table: Vec<u8> =
        (0..LINES).flat_map(|line| (slots(line) * SLOT_LINES).to_ne_bytes()).collect();
    to.attribute(1, &base).attribute(2, &table);
}

/// Binary logarithm of the unit of sizes in HTB's size table, 512 octets. With this unit the sizes
/// of up to 45 slots fit into 16 bits.
const SLOT_BITS: u8 = 9;
const SLOT_LINES: u16 = 3;

/// Number of slots for packets in entry `line` of HTB's size table: number of segments in a packet
/// of the entry's middle size. A segment has 1448 octets, and the packet one header of 66.
fn slots(line: u16) -> u16 {
    let octets = u32::from(line) * 512 + 256;
    let segments = (octets.saturating_sub(66) + 724) / 1_448;
    u16::try_from(segments).unwrap_or(u16::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_a_slot_and_one_of_many_segments_is_as_many() {
        // 66 octets are in entry 0, 1514 in entry 2; 66 + 2·1448 = 2962 in entry 5; 66 + 44·1448 =
        // 63778 in entry 124.
        assert_eq!([0, 2, 5, 124].map(slots), [1, 1, 2, 44]);
        assert_eq!(u32::from(SLOT_LINES) << SLOT_BITS, SLOT);
        assert!(slots(LINES - 1).checked_mul(SLOT_LINES).is_some());
    }

    #[test]
    fn a_root_is_distinguished_from_its_children_and_truncated_messages_are_accepted() {
        let message = |parent| {
            let mut message = Message::unacknowledged(NEW_DISCIPLINE);
            message.put(&header(4, OURS, parent, 0)).text(KIND, "htb");
            message.nested(STATISTICS, |statistics| {
                statistics.attribute(1, &[&[0; 8][..], &words(&[7])].concat());
                statistics.attribute(3, &words(&[5, 0, 0, 0, 0]));
            });
            message.finish(0)[16..].to_vec()
        };
        let expected =
            Discipline { interface: 4, handle: OURS, kind: "htb".into(), sent: 7, waiting: 5 };
        assert_eq!(root(&message(ROOT)), Some(expected));
        assert_eq!(root(&message(ALL)), None);
        (0..message(ROOT).len()).for_each(|end| _ = root(&message(ROOT)[..end]));
    }

    #[test]
    fn options_of_a_class_have_the_kernels_size() {
        // 2 · 12 + 5 · 4 octets. At 100 packets/s two packets take 20 ms, 312 500 units of 64 ns.
        let options = class_options(100 * u64::from(SLOT), 100 * u64::from(SLOT), 2);
        assert_eq!(options.len(), 44);
        assert_eq!(options[24..28], 312_500_u32.to_ne_bytes());
    }
}
