//! The wired network: hosts, routers and the links between them and the access points.

use super::error::{Mistakes, ScenarioError};
use super::keys::{MAX_HOSTS, MAX_LINKS, MAX_ROUTERS};
use super::names::{Names, Target};
use super::parse::{Context, items};
use super::reader::{Entry, Fields};
use super::{Capacity, GilbertElliott, Link, LinkQueue, Loss, Node, Red};

/// The wired sections with their names known and nothing else read.
pub(super) struct Network<'n> {
    hosts: Vec<Fields<'n>>,
    routers: Vec<Fields<'n>>,
    links: Vec<Fields<'n>>,
    spoilt: bool,
}

/// Gives hosts, routers and links their names.
pub(super) fn declare<'n>(
    root: &mut Fields<'n>,
    names: &mut Names,
    mistakes: &mut Mistakes,
) -> Network<'n> {
    let mut spoilt = false;
    let mut section = |name: &str, most: usize, names: &mut Names| {
        let entry = root.take(name);
        names.doubt(&entry);
        spoilt |= entry.bad;
        let (at, list) = (entry.at, entry.named());
        if list.len() <= most {
            return list;
        }
        let (path, found) = (name.to_owned(), format!("{} {name}s", list.len()));
        let (problem, allowed) = ("too many".to_owned(), format!("at most {most}"));
        mistakes.add(at, ScenarioError { path, found, problem, allowed });
        names.distrust();
        spoilt = true;
        Vec::new()
    };
    let hosts = section("host", MAX_HOSTS, names);
    let routers = section("router", MAX_ROUTERS, names);
    let links = section("link", MAX_LINKS, names);
    let targets = (hosts.iter().enumerate().map(|(i, host)| (host, Target::Host(i))))
        .chain(routers.iter().enumerate().map(|(i, router)| (router, Target::Router(i))))
        .chain(links.iter().map(|link| (link, Target::Link)));
    for (fields, target) in targets {
        names.declare(fields.name, target, (fields.at, &fields.path), mistakes);
    }
    Network { hosts, routers, links, spoilt }
}

/// What is wired to what.
pub(super) struct Wired {
    pub(super) hosts: Vec<String>,
    pub(super) routers: Vec<String>,
    pub(super) links: Vec<Link>,
}

impl Network<'_> {
    /// Reads every link.
    pub(super) fn read(
        self,
        context: &Context,
        names: &Names,
        mistakes: &mut Mistakes,
    ) -> Option<Wired> {
        let own_names: Vec<String> = self.hosts.iter().map(|host| host.name.to_owned()).collect();
        let routers = self.routers.iter().map(|router| router.name.to_owned()).collect();
        let mut links: Vec<Option<Link>> = Vec::new();
        for (index, mut host) in self.hosts.into_iter().enumerate() {
            let Some(mut fields) = host.take("link").table() else {
                links.push(None);
                continue;
            };
            let to = fields.take("to");
            let far = far_end(&to, context, names, mistakes);
            let ends = far.map(|far| [Node::Host(index), far]);
            if ends.is_some_and(|[host, far]| host == far) {
                mistakes.add(to.at, to.mistake("the host itself", "another node"));
            }
            links.push(link(host.name, fields, ends, names, mistakes));
        }
        for mut fields in self.links {
            let ends = between(fields.take("between"), names, mistakes);
            links.push(link(fields.name, fields, ends, names, mistakes));
        }
        let links: Option<Vec<Link>> = links.into_iter().collect();
        Some(Wired { hosts: own_names, routers, links: links? }).filter(|_| !self.spoilt)
    }
}

/// Where a host's own link ends.
fn far_end(to: &Entry, context: &Context, names: &Names, mistakes: &mut Mistakes) -> Option<Node> {
    if to.is_set() || to.bad {
        return names.node(to, mistakes);
    }
    match context.cells.len() {
        _ if !context.cells_complete => {}
        0 => {
            let error = to.mistake("missing, and there is no cell", "a router or another host");
            mistakes.add(to.at, error);
        }
        1 => return Some(Node::Cell(0)),
        _ => mistakes.add(to.at, to.mistake("missing, and there are several cells", "a node")),
    }
    None
}

fn between(entry: Entry, names: &Names, mistakes: &mut Mistakes) -> Option<[Node; 2]> {
    let error = entry.mistake("not two nodes", "a list of two names");
    let (at, spoilt) = (entry.at, entry.given.is_none());
    let ends = items(entry);
    if ends.len() != 2 && !spoilt {
        mistakes.add(at, error);
        return None;
    }
    let mut nodes = ends.iter().map(|end| names.node(end, mistakes)).collect::<Vec<_>>();
    let (second, first) = (nodes.pop()??, nodes.pop()??);
    if first == second {
        mistakes.add(ends[1].at, ends[1].mistake("both ends are one node", "another node"));
        return None;
    }
    Some([first, second])
}

/// What all links have in common.
fn link(
    name: &str,
    mut fields: Fields,
    ends: Option<[Node; 2]>,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Option<Link> {
    let (rate, delay) = (fields.take("rate").rate(), fields.take("delay").duration());
    let queue = fields.take("queue").table().and_then(|queue| self::queue(queue, mistakes));
    let loss = loss(fields.take("loss"), ends, names, mistakes);
    let (name, ends) = (name.to_owned(), ends?);
    Some(Link { name, ends, rate: rate?, delay: delay?, queue: queue?, loss: loss? })
}

fn queue(mut fields: Fields, mistakes: &mut Mistakes) -> Option<LinkQueue> {
    let (packets, bytes) = (fields.take("packets"), fields.take("bytes"));
    if packets.is_set() && bytes.is_set() {
        mistakes.add(bytes.at, bytes.mistake("given beside packets", "one of the two"));
    }
    let capacity = if bytes.is_set() || bytes.bad {
        bytes.bytes().map(Capacity::Bytes)
    } else {
        packets.integer().map(Capacity::Packets)
    };
    let (discipline, red) = (fields.take("discipline"), fields.take("red"));
    let is_red = discipline.word()? == "red";
    if red.is_set() && !red.bad && !is_red {
        let error = red.mistake("given for another discipline", "discipline = \"red\"");
        mistakes.add(red.at, error);
    }
    let red = self::red(red.table()?, mistakes)?;
    Some(LinkQueue { capacity: capacity?, red: is_red.then_some(red) })
}

fn red(mut fields: Fields, mistakes: &mut Mistakes) -> Option<Red> {
    let (min, max) = (fields.take("min"), fields.take("max"));
    if let (Some(low), Some(high)) = (min.integer::<u32>(), max.integer::<u32>())
        && low >= high
    {
        let (entry, allowed) = if max.is_set() {
            (max, format!("more than min, {low}"))
        } else {
            (min, format!("less than max, {high}"))
        };
        mistakes.add(entry.at, entry.mistake("min is not below max", allowed));
        return None;
    }
    Some(Red {
        min: min.integer()?,
        max: max.integer()?,
        max_probability: fields.take("max_probability").probability()?,
        weight: fields.take("weight").probability()?,
        gentle: fields.take("gentle").flag()?,
    })
}

/// Losses forth and back.
fn loss(
    entry: Entry,
    ends: Option<[Node; 2]>,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Option<[Loss; 2]> {
    if entry.word().is_some() {
        return Some([Loss::None; 2]);
    }
    let mut fields = entry.table()?;
    let towards = fields.take("towards");
    let loss = match fields.take("model").word()? {
        "bernoulli" => Loss::Bernoulli(fields.take("probability").probability()?),
        _ => Loss::GilbertElliott(GilbertElliott {
            good: fields.take("good").probability()?,
            bad: fields.take("bad").probability()?,
            to_bad: fields.take("to_bad").probability()?,
            to_good: fields.take("to_good").probability()?,
        }),
    };
    if !towards.is_set() && !towards.bad {
        return Some([loss; 2]);
    }
    let end = names.node(&towards, mistakes)?;
    let [first, second] = ends?;
    if end == second {
        Some([loss, Loss::None])
    } else if end == first {
        Some([Loss::None, loss])
    } else {
        let error = towards.mistake("not an end of this link", "one of the two nodes it joins");
        mistakes.add(towards.at, error);
        None
    }
}
