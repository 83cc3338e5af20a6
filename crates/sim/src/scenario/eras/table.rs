//! Table of the defaults that differ by era: key, value up to 802.11g, value from 802.11n on, and reason.

use airfair_units::Bytes;

use super::super::document::{Node, Value};

/// Table of the scenario file to which a default applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `flow.NAME.transport` with `kind = "tcp"`, for any sender.
    Tcp,
    /// `flow.NAME.transport` with `kind = "tcp"`, if a host sends.
    TcpOfHost,
    /// `flow.NAME.transport` with `kind = "tcp"`, if a station sends.
    TcpOfStation,
    /// `bss.NAME.ap`, the table of an access point.
    AccessPoint,
    /// `station.NAME`, the table of a station.
    Station,
    /// `host.NAME.link`, the table of a host's own link.
    HostLink,
    /// `link.NAME`, the table of a link that is not a host's own.
    Link,
}

impl Place {
    /// Heading of the key's table in the reference, prefix of the key's path in the reference, and a phrase for the
    /// items to which the default applies; the phrase is empty if the default applies to all.
    fn in_reference(self, key: &str) -> (&'static str, &'static str, &'static str) {
        let of_queue = "`queue = { … }` of a station or an access point";
        match self {
            Self::Tcp => (TCP_TABLE, "", ""),
            Self::TcpOfHost => (TCP_TABLE, "", " of a host"),
            Self::TcpOfStation => (TCP_TABLE, "", " of a station"),
            Self::AccessPoint if key == "queue" => ("`[bss.NAME]`", "ap.", ""),
            Self::AccessPoint => ("", "", ""),
            Self::Station => (of_queue, "", ""),
            Self::HostLink => ("`[host.NAME]`", "link.", ""),
            Self::Link => ("`[link.NAME]`", "", ""),
        }
    }
}

/// Heading of TCP's keys in the reference.
const TCP_TABLE: &str = "`transport = { kind = \"tcp\", … }`";

/// Defaults of a key in cells of 802.11n and later, for the reference, each with a phrase for the items to which it
/// applies.
pub(crate) fn defaults_of<'n>(
    heading: &'n str,
    name: &'n str,
) -> impl Iterator<Item = (&'static str, &'static str)> + use<'n> {
    DEFAULTS.iter().filter_map(move |default| {
        let (table, prefix, whose) = default.place.in_reference(default.key);
        let key = default.key.strip_prefix("queue.").filter(|_| default.place == Place::Station);
        let is_it =
            table == heading && name.strip_prefix(prefix) == Some(key.unwrap_or(default.key));
        is_it.then_some((default.today, whose))
    })
}

/// A default that is one in cells of 802.11b, a and g, and another in cells of 802.11n and later.
#[derive(Debug)]
pub(crate) struct EraDefault {
    pub(crate) place: Place,
    /// Path of the key within the table.
    pub(crate) key: &'static str,
    /// Default value in cells of 802.11b, a and g, as TOML.
    pub(crate) legacy: &'static str,
    /// Default value in cells of 802.11n and later, as TOML.
    pub(crate) today: &'static str,
    /// True if other keys of the table exclude the default, so that it does not apply.
    pub(crate) gives_way: fn(&Node) -> bool,
    /// Reason for the default value in cells of 802.11n and later in one clause, or the setting of Linux that has this
    /// value.
    pub(crate) reason: &'static str,
}

const fn entry(
    place: Place,
    key: &'static str,
    [legacy, today]: [&'static str; 2],
    gives_way: fn(&Node) -> bool,
    reason: &'static str,
) -> EraDefault {
    EraDefault { place, key, legacy, today, gives_way, reason }
}

/// All defaults that differ between cells of 802.11b, a and g and cells of 802.11n and later.  Deviates: [D-220]
pub(crate) const DEFAULTS: &[EraDefault] = &[
    entry(Place::Tcp, "flavour", ["\"newreno\"", "\"cubic\""], never, "tcp_congestion_control"),
    entry(Place::Tcp, "sack", ["false", "true"], is_selective, "tcp_sack"),
    entry(Place::Tcp, "timestamps", ["false", "true"], has_long_segments, "tcp_timestamps"),
    entry(
        Place::Tcp,
        "segment",
        ["\"1460 B\"", "\"1448 B\""],
        |tcp| is_flag(tcp, "timestamps", false),
        "an MTU of 1500 octets less IP, TCP and timestamps",
    ),
    entry(
        Place::Tcp,
        "loss_recovery",
        ["\"duplicates\"", "\"rack\""],
        |tcp| is_flag(tcp, "sack", false),
        "tcp_recovery, tcp_early_retrans",
    ),
    entry(
        Place::Tcp,
        "arithmetic",
        ["\"rfc\"", "\"linux\""],
        has_own_law,
        "CUBIC, time-out and receiver's window as Linux calculates them",
    ),
    entry(Place::Tcp, "min_rto", ["\"1 s\"", "\"200 ms\""], never, "TCP_RTO_MIN"),
    entry(
        Place::Tcp,
        "delayed_ack",
        ["true", "{ segments = 2, timeout = \"40 ms\", coalescing = \"50 us\" }"],
        never,
        "TCP_DELACK_MIN; one ACK for segments that arrive together",
    ),
    entry(Place::Tcp, "quick_acks", ["0", "16"], never, "TCP_MAX_QUICKACKS"),
    entry(Place::Tcp, "window_scaling", ["false", "true"], never, "tcp_window_scaling"),
    entry(
        Place::Tcp,
        "receive_window",
        ["\"65535 B\"", "\"3 MiB\""],
        |tcp| is_flag(tcp, "window_scaling", false),
        "tcp_rmem: buffers grow to 6 MiB, half of which is window",
    ),
    entry(
        Place::Tcp,
        "full_queue",
        ["\"loss\"", "\"hold\""],
        never,
        "a sender notices that its own host's queue is full",
    ),
    entry(
        Place::TcpOfHost,
        "small_queues",
        ["\"off\"", "\"1 ms\""],
        never,
        "TCP small queues, sk_pacing_shift 10",
    ),
    entry(
        Place::TcpOfStation,
        "small_queues",
        ["\"off\"", "\"8 ms\""],
        never,
        "TCP small queues, tx_sk_pacing_shift 7 of mac80211",
    ),
    entry(
        Place::AccessPoint,
        "queue",
        ["{ discipline = \"fifo\", packets = 50 }", "{ discipline = \"fq-codel\" }"],
        never,
        "fq_codel, the default_qdisc of OpenWrt and systemd",
    ),
    entry(Place::AccessPoint, "queue.packets", ["50", "1000"], |ap| !has_fifo(ap), "txqueuelen"),
    entry(
        Place::Station,
        "queue.packets",
        ["50", "1000"],
        |station| get(station, "queue").is_some() && !has_fifo(station),
        "txqueuelen",
    ),
    entry(Place::HostLink, "rate", ["\"100 Mb/s\"", "\"10 Gb/s\""], never, FAST_WIRE),
    entry(
        Place::HostLink,
        "queue.packets",
        ["100", "1000"],
        |link| get(link, "queue").is_some_and(|queue| get(queue, "bytes").is_some()),
        "txqueuelen",
    ),
    entry(Place::Link, "rate", ["\"100 Mb/s\"", "\"10 Gb/s\""], never, FAST_WIRE),
];

/// Reason for the default rate of wired links in cells of 802.11n and later.
const FAST_WIRE: &str = "a wire faster than the air of any standard";

/// Longest segment with which timestamps fit into an MTU of 1500 octets.
const LONGEST_BESIDE_TIMESTAMPS: u64 = 1_448;

fn never(_: &Node) -> bool {
    false
}

fn has_long_segments(tcp: &Node) -> bool {
    let Some(segment) = text(tcp, "segment") else { return false };
    segment.parse().is_ok_and(|size: Bytes| size.get() > LONGEST_BESIDE_TIMESTAMPS)
}

/// True if the table `tcp` names a flavour of TCP that always uses selective acknowledgements, in any cell.
fn is_selective(tcp: &Node) -> bool {
    text(tcp, "flavour")
        .is_some_and(|it| ["sack", "westwood+", "cubic", "bbr1", "bbr"].contains(&it))
}

/// True if the table `tcp` names a flavour of TCP that calculates its window differently from Reno and CUBIC.
fn has_own_law(tcp: &Node) -> bool {
    text(tcp, "flavour").is_some_and(|it| ["westwood", "westwood+", "vegas"].contains(&it))
}

/// True if the station or access point in the table `of` has a queue of its own that is FIFO.
fn has_fifo(of: &Node) -> bool {
    let Some(queue) = get(of, "queue") else { return false };
    matches!(queue.value, Value::Table(_))
        && get(queue, "discipline").is_none_or(|_| text(queue, "discipline") == Some("fifo"))
}

fn is_flag(table: &Node, key: &str, flag: bool) -> bool {
    matches!(get(table, key), Some(Node { value: Value::Flag(it), .. }) if *it == flag)
}

/// Node under a key of a table.
pub(super) fn get<'n>(table: &'n Node, key: &str) -> Option<&'n Node> {
    entries(table).iter().find(|(name, _)| name == key).map(|(_, node)| node)
}

/// Keys of a table with their nodes; empty if the node is not a table.
pub(super) fn entries(table: &Node) -> &[(String, Node)] {
    if let Value::Table(entries) = &table.value { entries } else { &[] }
}

/// Text under a key of a table.
pub(super) fn text<'n>(table: &'n Node, key: &str) -> Option<&'n str> {
    match &get(table, key)?.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}
