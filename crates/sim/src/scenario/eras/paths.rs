//! Newest cell on the path of each flow and over each wired link. The file has not been checked yet and may contain
//! mistakes.

use std::collections::BTreeMap;

use super::super::document::{Node, Value};
use super::super::routes::Routes;
use super::super::{Driver, Link, Node as Place};
use super::table::{entries, get, text};

/// Standards of modern cells, to which today's defaults apply, from the oldest to the newest.
const STANDARDS: [&str; 4] = ["802.11n", "802.11ac", "802.11ax", "802.11be"];

/// A cell of the file, with the index of its standard in [`STANDARDS`]; `None` for 802.11b, a or g.
struct Cell<'r> {
    name: &'r str,
    age: Option<usize>,
}

/// The cell with the newest standard on a path, one of 802.11n or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Newest {
    age: usize,
    /// Index, among the cells of the file, of the cell with the newest standard on the path of the flow.
    pub(super) cell: usize,
}

impl Newest {
    /// The cell with the newer standard of two; the first one if both have the same standard.
    fn of(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (first, second) {
            (Some(first), Some(second)) if second.age > first.age => Some(second),
            (first, second) => first.or(second),
        }
    }

    pub(super) fn standard(self) -> &'static str {
        STANDARDS[self.age]
    }
}

/// A named table of the file, such as `station.NAME`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) section: &'static str,
    /// Index of the table within its section.
    pub(super) index: usize,
}

/// One end of a flow in a file that has not been checked yet.
#[derive(Clone, Copy)]
struct FlowEnd {
    node: Place,
    /// Cell of the station; `None` for a host.
    cell: Option<usize>,
}

/// The cells and the wired network of a file, as far as the file can be understood.
pub(super) struct Network<'r> {
    cells: Vec<Cell<'r>>,
    root: &'r Node,
    nodes: BTreeMap<&'r str, Place>,
    links: Vec<Link>,
    /// Table that declares each link: the host whose own link it is, or the link itself.
    wires: Vec<Part>,
}

/// A flow whose path crosses a cell of 802.11n or later.
pub(super) struct ModernFlow {
    pub(super) part: Part,
    pub(super) is_from_host: bool,
    pub(super) newest: Newest,
    from: Place,
    to: Place,
}

impl<'r> Network<'r> {
    /// Reads the network of a scenario file. Returns `None` if the file has no cell of 802.11n or later.
    pub(super) fn of(root: &'r Node) -> Option<Self> {
        let age = |bss| STANDARDS.iter().position(|it| text(bss, "standard") == Some(it));
        let cell = |(name, bss): &'r (String, Node)| Cell { name, age: age(bss) };
        let cells: Vec<Cell> = section(root, "bss").iter().map(cell).collect();
        if cells.iter().all(|cell| cell.age.is_none()) {
            return None;
        }
        let names = |name, place: fn(usize) -> Place| {
            section(root, name)
                .iter()
                .enumerate()
                .map(move |(i, (name, _))| (name.as_str(), place(i)))
        };
        let nodes = names("bss", Place::Cell)
            .chain(names("host", Place::Host))
            .chain(names("router", Place::Router))
            .collect();
        let mut network = Self { cells, root, nodes, links: Vec::new(), wires: Vec::new() };
        network.add_links();
        Some(network)
    }

    fn add_links(&mut self) {
        let only_cell = (self.cells.len() == 1).then_some(Place::Cell(0));
        for (index, (name, host)) in section(self.root, "host").iter().enumerate() {
            let link = get(host, "link");
            let to = link.and_then(|link| get(link, "to"));
            let far = if to.is_some() { self.node(to) } else { only_cell };
            if let Some(far) = far {
                let part = Part { section: "host", index };
                self.add_link(part, name, [Place::Host(index), far], link);
            }
        }
        for (index, (name, link)) in section(self.root, "link").iter().enumerate() {
            let Some(Value::Array(ends)) = get(link, "between").map(|it| &it.value) else {
                continue;
            };
            if let [first, second] = &ends[..]
                && let (Some(first), Some(second)) =
                    (self.node(Some(first)), self.node(Some(second)))
            {
                let part = Part { section: "link", index };
                self.add_link(part, name, [first, second], Some(link));
            }
        }
    }

    fn add_link(&mut self, wire: Part, name: &str, ends: [Place; 2], settings: Option<&Node>) {
        let delay = settings.and_then(|link| text(link, "delay")?.parse().ok());
        let link = Link { delay: delay.unwrap_or_default(), ..Link::new(name, ends) };
        self.links.push(link);
        self.wires.push(wire);
    }

    /// Wired node with this name.
    fn node(&self, name: Option<&Node>) -> Option<Place> {
        let Value::Text(name) = &name?.value else { return None };
        self.nodes.get(name.as_str()).copied()
    }

    /// Cell of the station, or of the members of the group, that the table `station` declares.
    fn cell_of(&self, station: &Node) -> Option<usize> {
        match text(station, "bss") {
            Some(name) => self.cells.iter().position(|cell| cell.name == name),
            None => (self.cells.len() == 1).then_some(0),
        }
    }

    pub(super) fn name(&self, cell: usize) -> &'r str {
        self.cells[cell].name
    }

    fn newest(&self, cell: Option<usize>) -> Option<Newest> {
        let cell = cell?;
        Some(Newest { age: self.cells[cell].age?, cell })
    }

    pub(super) fn modern_cells(&self) -> impl Iterator<Item = (Part, Newest)> {
        let cell = |index| Some((Part { section: "bss", index }, self.newest(Some(index))?));
        (0..self.cells.len()).filter_map(cell)
    }

    /// Stations in cells of 802.11n or later, each with its cell.
    pub(super) fn modern_stations(&self) -> impl Iterator<Item = (Part, Newest)> {
        let stations = section(self.root, "station").iter().enumerate();
        let part = |index| Part { section: "station", index };
        stations.filter_map(move |(i, (_, it))| Some((part(i), self.newest(self.cell_of(it))?)))
    }

    /// Flows whose path crosses a cell of 802.11n or later.
    pub(super) fn modern_flows(&self) -> Vec<ModernFlow> {
        let stations: BTreeMap<&str, &Node> =
            section(self.root, "station").iter().map(|(name, it)| (name.as_str(), it)).collect();
        let end = |flow, key| {
            let name = text(flow, key)?;
            if let Some(station) = station(&stations, name) {
                let cell = self.cell_of(station)?;
                return Some(FlowEnd { node: Place::Cell(cell), cell: Some(cell) });
            }
            let node = self.nodes.get(name).copied().filter(|it| matches!(it, Place::Host(_)))?;
            Some(FlowEnd { node, cell: None })
        };
        let flow = |(index, (_, flow)): (usize, &'r (String, Node))| {
            let (from, to) = (end(flow, "from")?, end(flow, "to")?);
            let newest = Newest::of(self.newest(from.cell), self.newest(to.cell))?;
            let (from, to, is_from_host) = (from.node, to.node, from.cell.is_none());
            let part = Part { section: "flow", index };
            Some(ModernFlow { part, is_from_host, newest, from, to })
        };
        section(self.root, "flow").iter().enumerate().filter_map(flow).collect()
    }

    /// Wired links that the flows in `flows` cross, each with the cell of the newest standard on the paths of these
    /// flows. In an emulation, programs may send over every link, so every link is returned.
    pub(super) fn modern_wires(
        &self,
        flows: &[ModernFlow],
        driver: Driver,
    ) -> impl Iterator<Item = (Part, Newest)> {
        let mut newest: Vec<Option<Newest>> = vec![None; self.wires.len()];
        let mut known: BTreeMap<Place, Routes> = BTreeMap::new();
        for flow in flows {
            let routes =
                known.entry(flow.from).or_insert_with(|| Routes::from(flow.from, &self.links));
            for (wire, _) in routes.to(flow.to, &self.links).into_iter().flatten() {
                newest[wire] = Newest::of(newest[wire], Some(flow.newest));
            }
        }
        if driver == Driver::Emulation {
            let cells = self.modern_cells().map(|(_, cell)| Some(cell));
            let of_all = cells.reduce(Newest::of).flatten();
            for it in &mut newest {
                *it = it.or(of_all);
            }
        }
        let wires = self.wires.clone().into_iter().zip(newest);
        wires.filter_map(|(wire, newest)| Some((wire, newest?)))
    }
}

/// Named tables of the section `name`.
fn section<'n>(root: &'n Node, name: &str) -> &'n [(String, Node)] {
    get(root, name).map_or(&[], entries)
}

/// Station with this name, or group with a member of this name.
fn station<'n>(stations: &BTreeMap<&str, &'n Node>, name: &str) -> Option<&'n Node> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let of_group = |length: usize| {
        stations.get(name.get(..length)?).copied().filter(|it| get(it, "count").is_some())
    };
    let groups = || (name.len() - digits..name.len()).rev().find_map(of_group);
    stations.get(name).copied().or_else(groups)
}
