//! Defaults by era. In cells of 802.11b, a and g, hosts and queues have the defaults of their time. If the path of a
//! flow crosses a modern cell, one of 802.11n or later, they have today's defaults.
//!
//! Today's defaults are filled into the tree of the file before it is read. All later code sees one complete
//! scenario, as if the file contained these values. Mistakes are left for the reader to report.  Deviates: [D-220]

mod paths;
mod table;

use airfair_transport::tcp::{Arithmetic, LossRecovery};

use super::declare::Written;
use super::document::{self, Node, Value, parse_value};
use super::error::Mistakes;
use super::overrides::{self, entry};
use super::size::{MAX_FILE, MAX_PARTS, parts};
use super::{Driver, Endpoint, Flow, Scenario, Transport};
use paths::{Network, Newest, Part};
pub(super) use table::defaults_of;
use table::{DEFAULTS, Place};
use table::{EraDefault, entries, get, text};

/// A default of cells of 802.11n and later that applies in a scenario, and the default that it replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedDefault {
    /// Section of the key, such as `flow.download`.
    pub section: String,
    /// Path of the key within the section, such as `transport.flavour`.
    pub key: String,
    /// Value of the key in a cell of 802.11n or later, as TOML.
    pub value: &'static str,
    /// Value of the key in a cell of 802.11b, a or g, as TOML.
    pub legacy: &'static str,
    /// Reason for the default value of the key in a cell of 802.11n or later, in one clause: often the setting of
    /// Linux that has this default, such as `tcp_sack`.
    pub reason: &'static str,
    /// Name of the cell of 802.11n or later because of which the default applies: the cell of the section's station or
    /// access point, or the cell with the newest standard on the path of the section's flow or on the paths of all
    /// flows over the section's link.
    pub cell: String,
    /// Standard of the cell with the name `cell`.
    pub standard: &'static str,
}

/// Table of the file to which the defaults of 802.11n and later apply, such as the transport of a flow.
struct Modern {
    part: Part,
    /// Key of the table within its section, such as `link` in `host.NAME`; empty if it is the section itself.
    below: &'static str,
    place: Place,
    cell: String,
    newest: Newest,
}

impl Scenario {
    /// Defaults of cells of 802.11n and later that apply to a scenario with these overrides. The list is empty if the
    /// scenario cannot be read.
    pub fn applied_defaults(
        text: &str,
        overrides: &[(String, String)],
        driver: Driver,
    ) -> Vec<AppliedDefault> {
        if text.len() > MAX_FILE || parts(text) > MAX_PARTS {
            return Vec::new();
        }
        let mut mistakes = Mistakes::default();
        let Some(mut root) = document::parse(text, &mut mistakes) else { return Vec::new() };
        overrides::apply(&mut root, overrides, text.len(), &mut mistakes);
        apply(&mut root, driver)
    }

    /// True if a flow starts or ends in a cell of 802.11n or later, so that it gets the defaults of such cells.
    fn is_of_today(&self, flow: &Flow) -> bool {
        let is_modern = |end| match end {
            Endpoint::Station(index) => {
                let cell: usize = self.stations[index].cell;
                self.cells[cell].rules.standard.format().is_some()
            }
            Endpoint::Host(_) => false,
        };
        is_modern(flow.from) || is_modern(flow.to)
    }

    /// Adds to a written TCP flow those keys with values of the RFCs that writing leaves out. Without them, a flow in a
    /// cell of 802.11n or later would have the values of Linux when it is read again.
    pub(super) fn complete(&self, flow: &Flow, written: &mut Written) {
        let Transport::Tcp(tcp) = &flow.transport else { return };
        if tcp.is_kernels || !self.is_of_today(flow) {
            return;
        }
        let sender = &tcp.sender;
        let left_out = [
            (sender.loss_recovery == LossRecovery::Duplicates, "loss_recovery = \"duplicates\""),
            (sender.arithmetic == Arithmetic::Rfc, "arithmetic = \"rfc\""),
            (sender.small_queue.is_none(), "small_queues = \"off\""),
        ];
        let transport = written.iter_mut().find(|(key, _)| *key == "transport");
        let (_, transport) = transport.expect("a flow has a transport");
        let table = transport.strip_suffix(" }").expect("a TCP transport is a table").to_owned();
        let keys = left_out.into_iter().filter(|(is_left_out, _)| *is_left_out);
        *transport = keys.fold(table, |table, (_, key)| format!("{table}, {key}")) + " }";
    }
}

/// Fills in the defaults of cells of 802.11n and later for keys that the file leaves open. Returns these defaults.
pub(super) fn apply(root: &mut Node, driver: Driver) -> Vec<AppliedDefault> {
    let tables = Network::of(root).map_or_else(Vec::new, |network| modern(&network, root, driver));
    let mut applied = Vec::new();
    for table in tables {
        let Some((name, part)) = table.part.of(root) else { continue };
        // Only keys of the file make a default give way, and not other defaults.
        let holds =
            |default: &&EraDefault| table.holds(default.place) && table.is_open(part, default);
        for default in DEFAULTS.iter().filter(holds).collect::<Vec<_>>() {
            if table.fill_in(part, default).is_some() {
                applied.push(table.applied(name, default));
            }
        }
    }
    applied
}

/// Tables of the file that get the defaults of cells of 802.11n and later: those of such cells and their stations, and
/// those of flows and links whose path crosses such a cell.
fn modern(network: &Network, root: &Node, driver: Driver) -> Vec<Modern> {
    let table = |part, below, place, newest: Newest| Modern {
        part,
        below,
        place,
        cell: network.name(newest.cell).to_owned(),
        newest,
    };
    let cells = network.modern_cells();
    let cells = cells.map(|(part, newest)| table(part, "ap", Place::AccessPoint, newest));
    let stations = network.modern_stations();
    let stations = stations.map(|(part, newest)| table(part, "", Place::Station, newest));
    let flows = network.modern_flows();
    let wires = network.modern_wires(&flows, driver).map(|(part, newest)| match part.section {
        "host" => table(part, "link", Place::HostLink, newest),
        _ => table(part, "", Place::Link, newest),
    });
    let all = get(root, "flow").map_or(&[][..], entries);
    let tcp = flows.iter().filter(|flow| is_simulated_tcp(&all[flow.part.index].1)).map(|flow| {
        let place = if flow.is_from_host { Place::TcpOfHost } else { Place::TcpOfStation };
        table(flow.part, "transport", place, flow.newest)
    });
    cells.chain(stations).chain(wires).chain(tcp).collect()
}

/// True if the flow's transport is a simulated TCP.
fn is_simulated_tcp(flow: &Node) -> bool {
    get(flow, "transport").is_some_and(|transport| {
        text(transport, "kind") == Some("tcp") && text(transport, "stack") != Some("kernel")
    })
}

impl Part {
    /// Name and content of this named table in the file.
    fn of(self, root: &mut Node) -> Option<(&str, &mut Node)> {
        let Value::Table(sections) = &mut root.value else { return None };
        let (_, section) = sections.iter_mut().find(|(name, _)| name == self.section)?;
        let Value::Table(parts) = &mut section.value else { return None };
        let (name, part) = &mut parts[self.index];
        Some((name, part))
    }
}

impl Modern {
    /// True if the defaults for tables of the kind `place` apply to this table of the file. Defaults for any TCP sender
    /// apply to hosts and stations that send by TCP.
    fn holds(&self, place: Place) -> bool {
        let is_tcp = matches!(self.place, Place::TcpOfHost | Place::TcpOfStation);
        place == self.place || (is_tcp && place == Place::Tcp)
    }

    /// Keys that lead from the section, such as `host.NAME`, to its table that gets the defaults, such as `link`.
    fn path(&self) -> impl Iterator<Item = &'static str> + use<> {
        let below = self.below;
        (!below.is_empty()).then_some(below).into_iter()
    }

    /// True if the file sets neither the key of `default` nor any key that excludes this default.
    fn is_open(&self, part: &Node, default: &EraDefault) -> bool {
        let none = Node { at: part.at, value: Value::Table(Vec::new()) };
        let table = self.path().try_fold(part, get).unwrap_or(&none);
        default.key.split('.').try_fold(table, get).is_none() && !(default.gives_way)(table)
    }

    /// Writes `default` into the tree of the file. Returns `None` if a value other than a table is in the way.
    fn fill_in(&self, part: &mut Node, default: &EraDefault) -> Option<()> {
        let mut node = part;
        for key in self.path().chain(default.key.split('.')) {
            let at = node.at;
            let Value::Table(entries) = &mut node.value else { return None };
            node = entry(entries, key, at);
        }
        *node = parse_value(default.today, node.at);
        Some(())
    }

    fn applied(&self, name: &str, default: &EraDefault) -> AppliedDefault {
        let below = if self.below.is_empty() { String::new() } else { format!("{}.", self.below) };
        AppliedDefault {
            section: format!("{}.{name}", self.part.section),
            key: below + default.key,
            value: default.today,
            legacy: default.legacy,
            reason: default.reason,
            cell: self.cell.clone(),
            standard: self.newest.standard(),
        }
    }
}
