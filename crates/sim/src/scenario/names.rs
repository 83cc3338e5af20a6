//! Who is called what: stations, groups of stations and hosts share one namespace.

use std::collections::BTreeMap;

use super::error::{Mistakes, ScenarioError, nearest};
use super::overrides::did_you_mean;
use super::reader::{Entry, Fields, Given};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A station, by index.
    Station(usize),
    /// Stations made by `count`, by the index of the first.
    Group { first: usize, count: usize },
    /// A host, by index.
    Host(usize),
    /// Something whose declaration is spoilt.
    Unknown,
}

/// The namespace.
#[derive(Debug)]
pub(super) struct Names {
    targets: BTreeMap<String, Target>,
    /// Whether a name that is not here is a mistake: a section may be missing or misspelt.
    complete: bool,
}

impl Names {
    /// An empty namespace; `stations` tells whether that section can be trusted.
    pub(super) fn new(stations: &Entry) -> Self {
        let some = matches!(&stations.given, Some(Given::Named(all)) if !all.is_empty());
        Self { targets: BTreeMap::new(), complete: some && !stations.bad }
    }

    /// Notes that a section cannot be trusted, if so.
    pub(super) fn doubt(&mut self, section: &Entry) {
        self.complete &= !section.bad;
    }

    /// Notes that the stations cannot be trusted.
    pub(super) fn distrust(&mut self) {
        self.complete = false;
    }

    /// Gives `name` to the station or group at `path`.
    pub(super) fn declare(
        &mut self,
        name: &str,
        target: Target,
        (at, path): (usize, &str),
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
        let (path, found) = (path.to_owned(), String::new());
        let allowed = "a name that no other station or host has".to_owned();
        mistakes.add(at, ScenarioError { path, found, problem, allowed });
    }

    /// Gives its name to a host.
    pub(super) fn host(&mut self, fields: &Fields, index: usize, mistakes: &mut Mistakes) {
        self.declare(fields.name, Target::Host(index), (fields.at, &fields.path), mistakes);
    }

    /// What `name` stands for, if anything.
    pub(super) fn get(&self, name: &str) -> Option<Target> {
        let unknown = || (!self.complete).then_some(Target::Unknown);
        self.targets.get(name).copied().or_else(unknown)
    }

    /// What an entry refers to; reports a name that nothing has.
    pub(super) fn resolve(&self, entry: &Entry, mistakes: &mut Mistakes) -> Option<Target> {
        let name = entry.text()?;
        let target = self.get(name);
        if target.is_none() {
            let known = || self.targets.keys().map(String::as_str);
            let hint = did_you_mean(nearest(name, known().take(500)));
            let mut allowed = known().take(12).collect::<Vec<_>>().join(", ");
            if known().count() > 12 {
                let more = format!(", … ({} names)", known().count());
                allowed.push_str(&more);
            }
            let problem = format!("no such station or host{hint}");
            mistakes.add(entry.at, entry.mistake(problem, allowed));
        }
        target
    }
}
