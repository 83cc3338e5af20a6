//! Construction of a scenario in Rust, without a file.

use airfair_units::{Duration, Time};
use airfair_wlan::Rules;
use airfair_wlan::phy::Rate;

use super::error::ScenarioError;
use super::{Bss, Endpoint, Flow, Heard, Link, Member, Node, Scenario, Station, Transport};
use crate::packet::FlowId;

impl Scenario {
    /// Creates a scenario with this duration and without cells, stations, hosts, links and flows. Each item that is
    /// added has the defaults that a file has in a cell of 802.11b, a or g; its fields can be changed. Today's
    /// defaults, which a file has in cells of 802.11n and later, are not filled in: see
    /// [`Scenario::applied_defaults`].
    ///
    /// ```
    /// use airfair_sim::scenario::{Bss, Endpoint, Flow, Node, Scenario};
    /// use airfair_units::{DataRate, Duration};
    /// use airfair_wlan::phy::Standard;
    ///
    /// let mut scenario = Scenario::lasting(Duration::from_secs(10));
    /// let home = scenario.add_cell(Bss::new("home", Standard::B));
    /// let slow = scenario.add_station("slow", home);
    /// scenario.stations[slow].set_rate(DataRate::from_mbps(1));
    /// let server = scenario.add_host("server", Node::Cell(home));
    /// scenario.links[server].delay = Duration::from_millis(2);
    /// scenario.add_flow(Flow::new("up", Endpoint::Station(slow), Endpoint::Host(server)));
    /// let scenario = scenario.checked().expect("a scenario without mistakes");
    /// assert!(scenario.to_toml().contains("[station.slow]"));
    /// ```
    pub fn lasting(duration: Duration) -> Self {
        Self { duration, series_step: None, ..Self::default() }
    }

    /// Adds a cell to the scenario. Returns its index in [`Scenario::cells`].
    pub fn add_cell(&mut self, cell: Bss) -> usize {
        self.cells.push(cell);
        self.cells.len() - 1
    }

    /// Adds a station with the capabilities of its access point. Returns its index in [`Scenario::stations`].
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn add_station(&mut self, name: &str, cell: usize) -> usize {
        let Rules { standard, channel, .. } = self.cells[cell].rules;
        let link = channel.link(standard, standard);
        self.stations.push(Station::new(name, cell, standard, link, super::ErrorModel::None));
        self.stations.len() - 1
    }

    /// Adds a host with its own link to another node. Returns its index in [`Scenario::hosts`], which is also the
    /// index of its link in [`Scenario::links`].
    pub fn add_host(&mut self, name: &str, to: Node) -> usize {
        let host = self.hosts.len();
        self.hosts.push(name.to_owned());
        self.links.insert(host, Link::new(name, [Node::Host(host), to]));
        host
    }

    /// Adds a node that only forwards. Returns its index in [`Scenario::routers`].
    pub fn add_router(&mut self, name: &str) -> usize {
        self.routers.push(name.to_owned());
        self.routers.len() - 1
    }

    /// Adds a link that is not a host's own. Returns its index in [`Scenario::links`], which changes when a host is
    /// added.
    pub fn add_link(&mut self, link: Link) -> usize {
        self.links.push(link);
        self.links.len() - 1
    }

    /// Adds a flow to the scenario, and returns its number.
    pub fn add_flow(&mut self, flow: Flow) -> FlowId {
        self.flows.push(flow);
        FlowId::new(self.flows.len() - 1)
    }

    /// Checks the scenario as if it came from a file, and makes the settings of both ends of each TCP or QUIC
    /// connection consistent.
    ///
    /// # Errors
    /// All mistakes that a file with the same content would have.
    pub fn checked(mut self) -> Result<Self, Vec<ScenarioError>> {
        for flow in &mut self.flows {
            match &mut flow.transport {
                Transport::Tcp(tcp) => tcp.agree(),
                Transport::Quic(quic) => quic.agree(),
                Transport::Tfrc(_) | Transport::Udp { .. } | Transport::External => {}
            }
        }
        let strangers = self.strangers();
        if !strangers.is_empty() {
            return Err(strangers);
        }
        let text = self.to_toml();
        let read = Self::parse(&text, &[])?;
        if read == self {
            return Ok(self);
        }
        let differs = |(said, found): &(&str, &str)| said != found;
        let shown = read.to_toml();
        let line = text.lines().zip(shown.lines()).find(differs);
        Err(vec![ScenarioError {
            path: String::new(),
            found: String::new(),
            problem: "values contradict each other, and no scenario file can express them"
                .to_owned(),
            allowed: line.map_or_else(String::new, |(_, read)| read.to_owned()),
        }])
    }

    /// Mistakes of items that refer to items which the scenario does not have.
    fn strangers(&self) -> Vec<ScenarioError> {
        let has = |node: &Node| match *node {
            Node::Cell(index) => index < self.cells.len(),
            Node::Host(index) => index < self.hosts.len(),
            Node::Router(index) => index < self.routers.len(),
        };
        let ends = |end: &Endpoint| match *end {
            Endpoint::Station(index) => index < self.stations.len(),
            Endpoint::Host(index) => index < self.hosts.len(),
        };
        let is_there = |index: &usize| *index < self.stations.len();
        let stations = self.stations.iter().map(|station| {
            let others = station.senses_only.iter().chain(&station.hidden_from);
            let is_right = station.cell < self.cells.len() && others.clone().all(is_there);
            let is_right = is_right && self.has_all(station.hears.as_deref());
            (format!("station.{}", station.name), is_right)
        });
        let cells = self.cells.iter().map(|bss| {
            let is_right = [&bss.hears, &bss.ap.hears].iter().all(|it| self.has_all(it.as_deref()));
            (format!("bss.{}", bss.name), is_right)
        });
        let links = self
            .links
            .iter()
            .map(|link| (format!("link.{}", link.name), link.ends.iter().all(has)));
        let flows = self
            .flows
            .iter()
            .map(|flow| (format!("flow.{}", flow.name), [flow.from, flow.to].iter().all(ends)));
        let hosts = self.hosts.iter().enumerate().map(|(index, name)| {
            let is_own = |link: &Link| link.name == *name && link.ends[0] == Node::Host(index);
            (format!("host.{name}"), self.links.get(index).is_some_and(is_own))
        });
        let parts = cells.chain(stations).chain(links).chain(flows).chain(hosts);
        let error = |(path, _)| ScenarioError {
            path,
            found: String::new(),
            problem: "refers to a part that does not exist".to_owned(),
            allowed: "indices of parts that were added; each host has its own link".to_owned(),
        };
        parts.filter(|(_, is_right)| !is_right).map(error).collect()
    }

    /// True if the scenario has all cells and stations in a list `hears`.
    fn has_all(&self, list: Option<&[Heard]>) -> bool {
        list.unwrap_or_default().iter().all(|it| match *it {
            Heard::Cell(index) | Heard::Member(Member::AccessPoint(index)) => {
                index < self.cells.len()
            }
            Heard::Member(Member::Station(index)) => index < self.stations.len(),
        })
    }
}

impl Station {
    /// Sets one rate for the station's frames and for the frames to the station, for the whole run.
    pub fn set_rate(&mut self, rate: impl Into<Rate>) {
        let rate = rate.into();
        self.rate_up = vec![(Time::ZERO, rate)];
        self.rate_down = vec![(Time::ZERO, rate)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::DataRate;
    use airfair_wlan::phy::Standard;

    /// A scenario with a station that sends to a host.
    fn parts() -> Scenario {
        let mut scenario = Scenario::lasting(Duration::from_secs(1));
        let home = scenario.add_cell(Bss::new("home", Standard::B));
        let station = scenario.add_station("s", home);
        let server = scenario.add_host("h", Node::Cell(home));
        scenario.add_flow(Flow::new("f", Endpoint::Station(station), Endpoint::Host(server)));
        scenario
    }

    fn mistakes(scenario: Scenario) -> Vec<String> {
        let errors = scenario.checked().expect_err("a mistake");
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_scenario_of_parts_is_that_of_a_file() {
        let text = "duration = \"1 s\"\nseries = \"off\"\n[bss.home]\nstandard = \"802.11b\"\n[station.s]\n[host.h]\n\
                    [flow.f]\nfrom = \"s\"\nto = \"h\"\ntransport = { kind = \"tcp\" }\n";
        assert_eq!(parts().checked(), Scenario::parse(text, &[]));
    }

    #[test]
    fn a_host_keeps_its_place_among_the_links_whenever_it_comes() {
        let mut scenario = parts();
        let router = Node::Router(scenario.add_router("r"));
        scenario.add_link(Link::new("l", [Node::Cell(0), router]));
        let late = scenario.add_host("late", router);
        assert_eq!(scenario.links[late].name, "late");
        assert!(scenario.checked().is_ok());
    }

    #[test]
    fn a_value_that_no_file_may_have_is_told_as_for_a_file() {
        let mut scenario = parts();
        scenario.stations[0].set_rate(DataRate::from_mbps(54));
        let told = mistakes(scenario);
        assert!(told[0].starts_with("station.s.rate"), "{told:?}");
        assert!(told[0].contains("allowed 1, 2, 5.5, 11 Mb/s"), "{told:?}");
    }

    #[test]
    fn a_part_that_is_not_there_is_told_by_who_names_it() {
        let mut scenario = parts();
        scenario.stations[0].cell = 1;
        scenario.flows[0].to = Endpoint::Host(7);
        let told = mistakes(scenario);
        assert!(told[0].starts_with("station.s: refers to a part that does not exist"), "{told:?}");
        assert!(told[1].starts_with("flow.f: "), "{told:?}");
    }

    #[test]
    fn values_that_no_file_can_say_together_are_refused() {
        let mut scenario = parts();
        // Only one of the two stations names the other, so the relation is not symmetric.
        scenario.add_station("t", 0);
        scenario.stations[0].hidden_from = vec![1];
        assert!(scenario.checked().is_err());
    }
}
