//! Defaults by era: hosts and queues of a flow whose path crosses a cell of 802.11n, ac or ax are those of today.
//!
//! What the file leaves open is filled in before the file is read, so that all code behind sees one scenario, and a file that
//! names these defaults is the same. Mistakes stay as they are, for the reader to report.  Deviates: [D-220]

mod paths;
mod table;

use airfair_transport::tcp::{Arithmetic, LossRecovery};

use super::declare::Written;
use super::document::{self, Node, Value, parse_value};
use super::error::Mistakes;
use super::overrides::{self, entry};
use super::parse::{Driver, MAX_FILE, MAX_PARTS, parts};
use super::{Endpoint, Flow, Scenario, Transport};
use paths::{Network, Newest, Part};
pub(super) use table::defaults_of;
use table::{DEFAULTS, Place};
use table::{EraDefault, entries, get, text};

/// A default of today that acts in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedDefault {
    /// Section that the key is in, such as `flow.download`.
    pub section: String,
    /// Path of the key below that, such as `transport.flavour`.
    pub key: String,
    /// Its value, as TOML.
    pub value: &'static str,
    /// Its value in a cell of 802.11b, a or g, as TOML.
    pub legacy: &'static str,
    /// Reason of the value, with the setting of Linux.
    pub reason: &'static str,
    /// Newest cell on the path.
    pub cell: String,
    /// Standard of that cell.
    pub standard: &'static str,
}

/// A table of the file in which defaults of today hold.
struct Modern {
    part: Part,
    /// The table within, if it is not the part itself.
    below: &'static str,
    place: Place,
    cell: String,
    newest: Newest,
}

impl Scenario {
    /// Defaults of today that act in a scenario with these overrides; none if it cannot be read.
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

    /// True if defaults of today hold for a flow.
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

    /// Adds to a written flow the keys that are not written where they have their values of the RFCs, if they would have
    /// others of today when read again.
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

/// Fills in what the file leaves open where defaults of today hold. Returns them.
pub(super) fn apply(root: &mut Node, driver: Driver) -> Vec<AppliedDefault> {
    let tables = Network::of(root).map_or_else(Vec::new, |network| modern(&network, root, driver));
    let mut applied = Vec::new();
    for table in tables {
        let Some((name, part)) = table.part.of(root) else { continue };
        // What the file says decides which give way, and not another default.
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

/// Tables of the file in which defaults of today hold.
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

/// True if the ends of a flow are TCP, and not the kernel's.
fn is_simulated_tcp(flow: &Node) -> bool {
    get(flow, "transport").is_some_and(|transport| {
        text(transport, "kind") == Some("tcp") && text(transport, "stack") != Some("kernel")
    })
}

impl Part {
    /// Its name and its table.
    fn of(self, root: &mut Node) -> Option<(&str, &mut Node)> {
        let Value::Table(sections) = &mut root.value else { return None };
        let (_, section) = sections.iter_mut().find(|(name, _)| name == self.section)?;
        let Value::Table(parts) = &mut section.value else { return None };
        let (name, part) = &mut parts[self.index];
        Some((name, part))
    }
}

impl Modern {
    /// True if the defaults of a place are for this table.
    fn holds(&self, place: Place) -> bool {
        let is_tcp = matches!(self.place, Place::TcpOfHost | Place::TcpOfStation);
        place == self.place || (is_tcp && place == Place::Tcp)
    }

    /// Keys from the part to the table.
    fn path(&self) -> impl Iterator<Item = &'static str> + use<> {
        let below = self.below;
        (!below.is_empty()).then_some(below).into_iter()
    }

    /// True if the file says nothing under the key, and nothing that excludes its default.
    fn is_open(&self, part: &Node, default: &EraDefault) -> bool {
        let none = Node { at: part.at, value: Value::Table(Vec::new()) };
        let table = self.path().try_fold(part, get).unwrap_or(&none);
        default.key.split('.').try_fold(table, get).is_none() && !(default.gives_way)(table)
    }

    /// Writes the default into the file; none if it has something else than tables on the way.
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
