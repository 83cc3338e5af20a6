//! Names of a scenario, which share one namespace.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Node;
use super::error::{Address, Mistakes, ScenarioError, listed, nearest};
use super::overrides::did_you_mean;
use super::reader::Entry;

/// Item of the scenario to which a name belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A station, by index.
    Station(usize),
    /// A group of stations, which `count` makes from one section.
    Group { first: usize, count: usize },
    /// A host, by index.
    Host(usize),
    /// A router, by index.
    Router(usize),
    /// A cell, by index.
    Cell(usize),
    /// A link.
    Link,
    /// Item whose declaration contains a mistake.
    Unknown,
}

/// Members that a name in a list `hears` means.
pub(super) enum HeardName {
    /// All members of a cell.
    Cell(usize),
    /// Access point of a cell.
    AccessPoint(usize),
    /// One station, or those of a group.
    Stations(Range<usize>),
}

/// Names in use in a scenario: of cells, stations, hosts, links and flows.
#[derive(Debug)]
pub(super) struct Names {
    targets: BTreeMap<String, Target>,
    /// True if a name that is not declared is a mistake. False if its declaration may be missing because of another
    /// mistake.
    complete: bool,
}

impl Names {
    pub(super) fn new() -> Self {
        Self { targets: BTreeMap::new(), complete: true }
    }

    /// Marks the namespace as incomplete if `section` contains a mistake, which may hide names.
    pub(super) fn doubt(&mut self, section: &Entry) {
        self.complete &= !section.bad;
    }

    /// Marks the namespace as incomplete, so that unknown names are not reported.
    pub(super) fn distrust(&mut self) {
        self.complete = false;
    }

    /// Declares `name` for `target`, and reports names that are taken.
    pub(super) fn declare(
        &mut self,
        name: &str,
        target: Target,
        address: &Address,
        mistakes: &mut Mistakes,
    ) {
        let problem = if name == "ap" {
            "the name ap is reserved for the access point".to_owned()
        } else if self.targets.contains_key(name) {
            format!("the name {name} is given twice")
        } else {
            self.targets.insert(name.to_owned(), target);
            return;
        };
        let (path, found) = (address.path.clone(), String::new());
        let allowed = "a name that is not used elsewhere".to_owned();
        mistakes.add(address.at, ScenarioError { path, found, problem, allowed });
    }

    /// Item to which `name` belongs; `None` for a name that is not declared.
    fn get(&self, name: &str) -> Option<Target> {
        let unknown = || (!self.complete).then_some(Target::Unknown);
        self.targets.get(name).copied().or_else(unknown)
    }

    /// Resolves the end of a flow: a station, a group, a host, or an unknown item.
    pub(super) fn end(&self, entry: &Entry, mistakes: &mut Mistakes) -> Option<Target> {
        self.resolve(entry, Target::is_end, "station or host", mistakes)
    }

    /// Resolves a wired node. Returns `None` also for an unknown item.
    pub(super) fn node(&self, entry: &Entry, mistakes: &mut Mistakes) -> Option<Node> {
        let target = self.resolve(entry, |t| t.node().is_some(), "cell, router or host", mistakes);
        target?.node()
    }

    /// Resolves a name in a list `hears`. Returns `None` also for an unknown item.
    pub(super) fn heard(&self, entry: &Entry, mistakes: &mut Mistakes) -> Option<HeardName> {
        let name = entry.text()?;
        if let Some(cell) = name.strip_suffix(".ap") {
            let is_cell = |target| matches!(target, Target::Cell(_));
            return match self.resolve_name((cell, entry), is_cell, "cell", mistakes)? {
                Target::Cell(index) => Some(HeardName::AccessPoint(index)),
                _ => None,
            };
        }
        let is_heard = |target: Target| match target {
            Target::Host(_) => false,
            target => target.is_end() || matches!(target, Target::Cell(_)),
        };
        match self.resolve(entry, is_heard, "cell or station", mistakes)? {
            Target::Cell(index) => Some(HeardName::Cell(index)),
            Target::Station(index) => Some(HeardName::Stations(index..index + 1)),
            Target::Group { first, count } => Some(HeardName::Stations(first..first + count)),
            _ => None,
        }
    }

    /// Resolves the name under a key, and reports unknown names and names of an item of another kind.
    fn resolve(
        &self,
        entry: &Entry,
        is_wanted: fn(Target) -> bool,
        noun: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Target> {
        self.resolve_name((entry.text()?, entry), is_wanted, noun, mistakes)
    }

    /// Resolves `name`, which is the value of `entry` or a part of it.
    fn resolve_name(
        &self,
        (name, entry): (&str, &Entry),
        is_wanted: fn(Target) -> bool,
        noun: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Target> {
        let target = self.get(name);
        if let Some(target) = target.filter(|t| *t == Target::Unknown || is_wanted(*t)) {
            return Some(target);
        }
        let wanted = self.targets.iter().filter(|(_, target)| is_wanted(**target));
        let known = || wanted.clone().map(|(name, _)| name.as_str());
        let problem = match target {
            Some(target) => format!("{}, not a {noun}", target.noun()),
            None => {
                format!("no such {noun}{}", did_you_mean(nearest(name, known().take(500))))
            }
        };
        mistakes.add(entry.at, entry.mistake(problem, listed(known())));
        None
    }
}

impl Target {
    fn is_end(self) -> bool {
        matches!(self, Self::Station(_) | Self::Group { .. } | Self::Host(_))
    }

    fn node(self) -> Option<Node> {
        match self {
            Self::Cell(index) => Some(Node::Cell(index)),
            Self::Host(index) => Some(Node::Host(index)),
            Self::Router(index) => Some(Node::Router(index)),
            _ => None,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Station(_) => "a station",
            Self::Group { .. } => "a group of stations",
            Self::Host(_) => "a host",
            Self::Router(_) => "a router",
            Self::Cell(_) => "a cell",
            Self::Link => "a link",
            Self::Unknown => "something spoilt",
        }
    }
}
