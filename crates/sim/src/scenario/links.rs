//! The wired network: hosts, routers and the links between them and the access points.

use airfair_units::{Bytes, DataRate, Duration};

use super::context::Context;
use super::declare::Keys;
use super::error::{Mistakes, ScenarioError};
use super::keys::{self, MAX_HOSTS, MAX_LINKS, MAX_ROUTERS};
use super::names::{Names, Target};
use super::reader::{Entry, Fields};
use super::{Link, Loss, Node};

/// Largest bandwidth-delay product of one direction of a link. A packet on the way takes 140 octets of memory: 93 MB
/// for packets of 1500 octets, and 3.5 GB for packets of 40 octets.
const MOST_UNDER_WAY: Bytes = Bytes::new(1_000_000_000);

/// Sections of the wired network, of which only the names have been read.
pub(super) struct Network<'n> {
    hosts: Vec<Fields<'n>>,
    routers: Vec<Fields<'n>>,
    links: Vec<Fields<'n>>,
    spoilt: bool,
}

/// Declares the names of hosts, routers and links.
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
        names.declare(fields.name, target, &fields.address(), mistakes);
    }
    Network { hosts, routers, links, spoilt }
}

/// Hosts, routers and links that have been read.
pub(super) struct Wired {
    pub(super) hosts: Vec<String>,
    pub(super) routers: Vec<String>,
    pub(super) links: Vec<Link>,
}

impl Network<'_> {
    /// Reads all links of the wired network.
    pub(super) fn read(
        self,
        context: &Context,
        names: &Names,
        mistakes: &mut Mistakes,
    ) -> Option<Wired> {
        let own_names: Vec<String> = self.hosts.iter().map(|host| host.name.to_owned()).collect();
        let routers = self.routers.iter().map(|router| router.name.to_owned()).collect();
        let mut links: Vec<Option<Link>> = Vec::new();
        for (index, host) in self.hosts.iter().enumerate() {
            let Some(settings) = host.get("link").fields() else {
                links.push(None);
                continue;
            };
            let to = settings.get("to");
            let far = far_end(to, context, names, mistakes);
            let ends = far.map(|far| [Node::Host(index), far]);
            if ends.is_some_and(|[host, far]| host == far) {
                mistakes.add(to.at, to.mistake("the host itself", "another node"));
            }
            check_queue(settings.get("queue"), mistakes);
            check_under_way(settings, mistakes);
            let lossy = lossy(settings.get("loss"), ends, names, mistakes);
            links.push(link(host, ends, lossy, keys::host));
        }
        for fields in &self.links {
            let ends = between(fields.get("between"), names, mistakes);
            check_queue(fields.get("queue"), mistakes);
            check_under_way(fields, mistakes);
            let lossy = lossy(fields.get("loss"), ends, names, mistakes);
            links.push(link(fields, ends, lossy, keys::link));
        }
        let links: Option<Vec<Link>> = links.into_iter().collect();
        Some(Wired { hosts: own_names, routers, links: links? }).filter(|_| !self.spoilt)
    }
}

/// Node at the other end of a host's own link.
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

fn between(entry: &Entry, names: &Names, mistakes: &mut Mistakes) -> Option<[Node; 2]> {
    let ends = entry.items();
    if ends.len() != 2 && entry.given.is_some() {
        mistakes.add(entry.at, entry.mistake("not two nodes", "a list of two names"));
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

/// Checks the bandwidth-delay product of a link, because packets on their way over the link take memory.
fn check_under_way(link: &Fields, mistakes: &mut Mistakes) {
    let (rate, entry) = (link.get("rate").value::<DataRate>(), link.get("delay"));
    let (Some(rate), Some(delay)) = (rate, entry.value::<Duration>()) else { return };
    let bits = u128::from(rate.bps()) * u128::from(delay.as_nanos()) / 1_000_000_000;
    if bits > 8 * u128::from(MOST_UNDER_WAY.get()) {
        let most = Duration::from_millis(8_000 * MOST_UNDER_WAY.get() / rate.bps());
        let problem = format!("at {rate} more than {MOST_UNDER_WAY} on the way");
        mistakes.add(entry.at, entry.mistake(problem, format!("at most {most} at this rate")));
    }
}

/// Reads a link whose ends are known. `lossy` selects the directions for which the link's own losses apply.
fn link(
    fields: &Fields,
    ends: Option<[Node; 2]>,
    lossy: Option<[bool; 2]>,
    declare: fn(&mut Keys, &mut Link, [&str; 2]),
) -> Option<Link> {
    let link = Link::new(fields.name, ends?);
    let link = Keys::read(fields, link, |keys, link| declare(keys, link, [""; 2]))?;
    let [forth, back] = lossy?;
    let kept = |is_lossy, loss| if is_lossy { loss } else { Loss::None };
    Some(Link { loss: [kept(forth, link.loss[0]), kept(back, link.loss[1])], ..link })
}

fn check_queue(entry: &Entry, mistakes: &mut Mistakes) {
    let Some(queue) = entry.fields() else { return };
    check_marks(queue, mistakes);
    let (packets, bytes, red) = (queue.get("packets"), queue.get("bytes"), queue.get("red"));
    if packets.is_set() && bytes.is_set() {
        mistakes.add(bytes.at, bytes.mistake("set together with packets", "one of the two"));
    }
    let Some(discipline) = queue.get("discipline").word() else { return };
    if discipline == "dualpi2" && bytes.is_set() {
        let error = bytes.mistake("dualpi2 counts packets", "packets, or another discipline");
        mistakes.add(bytes.at, error);
    }
    if red.is_set() && !red.bad && discipline != "red" {
        let error = red.mistake("set for another discipline", "discipline = \"red\"");
        mistakes.add(red.at, error);
    }
    if let Some(red) = red.fields() {
        check_red(red, mistakes);
    }
}

/// Checks the threshold of a FIFO that marks.
fn check_marks(queue: &Fields, mistakes: &mut Mistakes) {
    let (entry, packets) = (queue.get("mark_above"), queue.get("packets").integer::<u32>());
    let Some(mark_above) = entry.integer::<u32>() else { return };
    if queue.get("discipline").word().is_some_and(|word| word != "fifo") {
        let error = entry.mistake("set for another discipline", "discipline = \"fifo\"");
        mistakes.add(entry.at, error);
    } else if let Some(packets) = packets
        && mark_above >= packets
        && !queue.get("bytes").is_set()
    {
        let allowed = format!("less than packets, {packets}");
        mistakes.add(entry.at, entry.mistake("above the queue", allowed));
    }
}

fn check_red(red: &Fields, mistakes: &mut Mistakes) {
    let (min, max) = (red.get("min"), red.get("max"));
    if let (Some(low), Some(high)) = (min.integer::<u32>(), max.integer::<u32>())
        && low >= high
    {
        let (entry, allowed) = if max.is_set() {
            (max, format!("more than min, {low}"))
        } else {
            (min, format!("less than max, {high}"))
        };
        mistakes.add(entry.at, entry.mistake("min is not less than max", allowed));
    }
}

/// Directions, forth and back, to which the losses under the key `loss` of a link apply.
fn lossy(
    entry: &Entry,
    ends: Option<[Node; 2]>,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Option<[bool; 2]> {
    let Some(fields) = entry.fields() else { return Some([true; 2]) };
    let towards = fields.get("towards");
    if !towards.is_set() && !towards.bad {
        return Some([true; 2]);
    }
    let end = names.node(towards, mistakes)?;
    let [first, second] = ends?;
    if end == first || end == second {
        return Some([end == second, end == first]);
    }
    let error = towards.mistake("not an end of this link", "one of the two nodes it joins");
    mistakes.add(towards.at, error);
    None
}
