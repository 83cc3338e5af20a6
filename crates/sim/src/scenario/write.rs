//! Writing of a scenario as TOML, with every default spelled out.

use std::fmt::{self, Write};

use airfair_wlan::LinkCapabilities;

use super::declare::{Keys, Written, inline};
use super::error::{Mistakes, ScenarioError};
use super::size::{MAX_FILE, MAX_FILE_MIB, MAX_PARTS, parts};
use super::{Bss, Endpoint, Flow, Heard, Link, Member, Node, Scenario, Station, keys, rates};

impl Scenario {
    /// Writes the scenario as TOML. [`Scenario::parse`] reads the same scenario back.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("a String takes any text");
        out
    }

    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        lines(out, self.settings())?;
        for bss in &self.cells {
            let hears = self.lists_in(bss);
            let declare = |keys: &mut Keys, it: &mut Bss| keys::bss(keys, it, hears);
            section(out, "bss", &bss.name, Keys::write(bss, declare))?;
        }
        for station in &self.stations {
            let written = self.names_in(station);
            let declare = |keys: &mut Keys, it: &mut Station| keys::station(keys, it, written);
            section(out, "station", &station.name, Keys::write(station, declare))?;
        }
        let (own, others) = self.links.split_at(self.hosts.len());
        let names = |link: &Link| link.ends.map(|end| self.node_name(end));
        for link in own {
            let declare = |keys: &mut Keys, it: &mut Link| keys::host(keys, it, names(link));
            section(out, "host", &link.name, Keys::write(link, declare))?;
        }
        for router in &self.routers {
            section(out, "router", router, Keys::write(&(), keys::router))?;
        }
        for link in others {
            let declare = |keys: &mut Keys, it: &mut Link| keys::link(keys, it, names(link));
            section(out, "link", &link.name, Keys::write(link, declare))?;
        }
        for flow in &self.flows {
            let ends = [flow.from, flow.to].map(|end| self.end_name(end));
            let declare = |keys: &mut Keys, it: &mut Flow| keys::flow(keys, it, ends);
            let mut written = Keys::write(flow, declare);
            self.complete(flow, &mut written);
            section(out, "flow", &flow.name, written)?;
        }
        Ok(())
    }

    /// Keys of the scenario that come before all sections.
    fn settings(&self) -> Written {
        let &Self { duration, warmup, series_step, seed, replications, .. } = self;
        let title = self.title.clone();
        let settings =
            Self { title, duration, warmup, series_step, seed, replications, ..Self::default() };
        Keys::write(&settings, keys::root)
    }

    /// Name of a wired node.
    pub fn node_name(&self, node: Node) -> &str {
        match node {
            Node::Cell(index) => &self.cells[index].name,
            Node::Host(index) => &self.hosts[index],
            Node::Router(index) => &self.routers[index],
        }
    }

    fn end_name(&self, end: Endpoint) -> &str {
        match end {
            Endpoint::Station(index) => &self.stations[index].name,
            Endpoint::Host(index) => &self.hosts[index],
        }
    }

    fn names_in(&self, station: &Station) -> keys::Written {
        let others = |indices: &[usize]| {
            let names = indices.iter().map(|index| format!("\"{}\"", self.stations[*index].name));
            format!("[{}]", names.collect::<Vec<_>>().join(", "))
        };
        keys::Written {
            bss: format!("\"{}\"", self.cells[station.cell].name),
            rate: rates::written(station),
            link: station.link.map(written_link),
            amsdu: station.link.and_then(|link| written_amsdu(link, &self.cells[station.cell])),
            senses_only: others(&station.senses_only),
            hidden_from: others(&station.hidden_from),
            hears: self.names_heard(station.hears.as_deref()),
        }
    }

    fn lists_in(&self, bss: &Bss) -> keys::WrittenHears {
        let [cell, ap] = [&bss.hears, &bss.ap.hears].map(|it| self.names_heard(it.as_deref()));
        keys::WrittenHears { cell, ap }
    }

    /// Names of the members in a list `hears`, as TOML.
    fn names_heard(&self, list: Option<&[Heard]>) -> Option<String> {
        let name = |it: &Heard| match *it {
            Heard::Cell(cell) => format!("\"{}\"", self.cells[cell].name),
            Heard::Member(Member::AccessPoint(cell)) => format!("\"{}.ap\"", self.cells[cell].name),
            Heard::Member(Member::Station(index)) => format!("\"{}\"", self.stations[index].name),
        };
        let names = list?.iter().map(name).collect::<Vec<_>>();
        Some(format!("[{}]", names.join(", ")))
    }
}

/// Capabilities of a link, as TOML values.
fn written_link(LinkCapabilities { format, aggregation, .. }: LinkCapabilities) -> [String; 4] {
    let declare = keys::aggregation;
    let aggregation =
        aggregation.map_or_else(|| "\"off\"".to_owned(), |it| inline(Keys::write(&it, declare)));
    let (width, guard) = (format!("\"{}\"", format.width), format!("\"{}\"", format.guard));
    [width, guard, format.streams.to_string(), aggregation]
}

/// Largest A-MSDU of a link, if its cell allows A-MSDUs.
fn written_amsdu(link: LinkCapabilities, cell: &Bss) -> Option<String> {
    cell.rules.channel.amsdu?;
    let octets = link.amsdu.map_or_else(|| "off".to_owned(), |it| format!("{} B", it.get()));
    Some(format!("\"{octets}\""))
}

/// Writes a section under the heading `[kind.name]`.
fn section(out: &mut dyn Write, kind: &str, name: &str, written: Written) -> fmt::Result {
    writeln!(out, "\n[{kind}.{name}]")?;
    lines(out, written)
}

fn lines(out: &mut dyn Write, written: Written) -> fmt::Result {
    written.into_iter().try_for_each(|(key, value)| writeln!(out, "{key} = {value}"))
}

/// Checks that the scenario, once written, is not too large to be read again.
pub(super) fn check_size(scenario: &Scenario, mistakes: &mut Mistakes) {
    let mut room = Room { octets: MAX_FILE, parts: MAX_PARTS };
    if scenario.write(&mut room).is_err() {
        let problem = format!(
            "with all defaults written out it has more than {MAX_FILE_MIB} MiB and could not be read again"
        );
        let allowed = "fewer stations, flows or links".to_owned();
        let (path, found) = (String::new(), String::new());
        mistakes.add(0, ScenarioError { path, found, problem, allowed });
    }
}

/// Writer that counts its output and fails at a limit.
struct Room {
    octets: usize,
    parts: usize,
}

impl Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.octets = self.octets.checked_sub(text.len()).ok_or(fmt::Error)?;
        self.parts = self.parts.checked_sub(parts(text)).ok_or(fmt::Error)?;
        Ok(())
    }
}
