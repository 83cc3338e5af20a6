//! Flows: their ends, their transports, and the checks that need other parts of the scenario.

use std::collections::BTreeSet;

use airfair_laws::bbr;
use airfair_transport::live::{Bounds, Live, Model};
use airfair_transport::tcp::{Arithmetic, EcnFeedback, Flavour, LossRecovery, SlowStart};
use airfair_transport::tfrc;
use airfair_units::{Bytes, DataRate, Duration};

use super::context::Context;
use super::declare::Keys;
use super::error::{Address, Mistakes, ScenarioError};
use super::keys::{
    self, IP_TCP, IP_TFRC, IP_UDP, LIVE, MAX_FLOWS, MAX_MSDU, MAX_UNSCALED, SOURCES, TIMESTAMPS,
    TRANSPORTS, UDP_PAYLOAD, UDP_RATE, WORKLOADS,
};
use super::kind::{MAX_NAME, Words};
use super::names::{Names, Target};
use super::quic::check_quic;
use super::reader::{Entry, Fields};
use super::schemes::{CONTROLS, check_control};
use super::size::{self, Budget, MAX_ALL_FRAMES};
use super::stations::missing;
use super::workloads::{check_sizes, check_workload};
use super::{Driver, Endpoint, Flow, Scheme, Transport, UdpRate};

impl Transport {
    /// Name of the flow's application in the scenario file; `None` if its messages are not counted.
    pub fn source_word(&self) -> Option<&'static str> {
        match self {
            _ if !self.has_source() => None,
            Self::Tcp(tcp) => Some((WORKLOADS.name)(&tcp.source)),
            Self::Quic(quic) => Some((WORKLOADS.name)(&quic.source)),
            Self::Udp { rate, .. } => Some((LIVE.name)(rate)),
            Self::Tfrc(_) | Self::External => None,
        }
    }
}

/// Reads all flows. A section stands for several flows if its ends are groups.
pub(super) fn flows(
    entry: Entry,
    context: &Context,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Option<(Vec<Flow>, Vec<Address>)> {
    let (spoilt, at) = (entry.bad, entry.at);
    let list = entry.named();
    if list.is_empty() && !spoilt && context.driver == Driver::Run {
        mistakes.add(at, missing("flow"));
    }
    let mut taken = BTreeSet::new();
    let mut flows = Some((Vec::new(), Vec::new()));
    let mut total = 0;
    let mut frames = Budget::new("sizes of frames", MAX_ALL_FRAMES);
    for fields in list {
        let address = fields.address();
        let name = fields.name;
        let flow = flow(&fields, context, names, mistakes);
        total += flow.as_ref().map_or(1, |(pairs, _)| pairs.len());
        if total > MAX_FLOWS {
            let (path, found) = ("flow".to_owned(), format!("more than {MAX_FLOWS} flows"));
            let (problem, allowed) = ("too many".to_owned(), format!("at most {MAX_FLOWS}"));
            mistakes.add(address.at, ScenarioError { path, found, problem, allowed });
            return None;
        }
        let Some((pairs, flow)) = flow else {
            flows = None;
            continue;
        };
        let grouped = pairs.len() > 1;
        let each = flow.as_ref().map_or(0, size::frames);
        let source = address.below("transport.source");
        let flow = flow.filter(|_| frames.spend(pairs.len(), each, source, mistakes).is_ok());
        for (i, (from, to)) in pairs.into_iter().enumerate() {
            let name = if grouped { format!("{name}{}", i + 1) } else { name.to_owned() };
            let too_long = name.len() > MAX_NAME && grouped;
            if too_long || !taken.insert(name.clone()) {
                let (path, found) = (address.path.clone(), String::new());
                let problem = if too_long {
                    format!("the name {name} is longer than {MAX_NAME} characters")
                } else {
                    format!("the name {name} is given twice")
                };
                let allowed =
                    "other names: flows of a group, or of a count, are numbered".to_owned();
                mistakes.add(address.at, ScenarioError { path, found, problem, allowed });
                break;
            }
            if let (Some(flow), Some((flows, addresses))) = (&flow, &mut flows) {
                flows.push(Flow { name, from, to, ..flow.clone() });
                addresses.push(address.clone());
            }
        }
        flows = flows.filter(|_| flow.is_some());
    }
    flows
}

/// Pairs of sender and receiver.
type Pairs = Vec<(Endpoint, Endpoint)>;

/// Reads a section `[flow.NAME]`: the pairs of ends for which it stands, and the flow of the first pair.
fn flow(
    fields: &Fields,
    context: &Context,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Option<(Pairs, Option<Flow>)> {
    let (from, to) = (fields.get("from"), fields.get("to"));
    let ends = (names.end(from, mistakes), names.end(to, mistakes));
    let pairs = pairs(ends.0, ends.1, to, mistakes);
    check_times(fields, context, mistakes);
    let (category, dscp) = (fields.get("access_category"), fields.get("dscp"));
    let is_other = category.word().is_some_and(|word| word != "best effort");
    if is_other && dscp.integer::<u8>().is_some() {
        let error = dscp.mistake("set together with access_category", "one of the two");
        mistakes.add(dscp.at, error);
    }
    let transport = fields.get("transport");
    check_transport(transport, context, mistakes);
    check_stack(fields, context, mistakes);
    check_control(fields.get("control"), TRANSPORTS.variant(transport).as_ref(), ends, mistakes);
    let count = fields.get("count").integer();
    let pairs = repeat(&pairs?, count.unwrap_or(1));
    let flow = Flow::new(fields.name, pairs[0].0, pairs[0].1);
    let flow = Keys::read(fields, flow, |keys, flow| keys::flow(keys, flow, [""; 2]));
    Some((pairs, flow))
}

/// Repeats each pair of ends `count` times in a row, until there are more than [`MAX_FLOWS`] pairs.
fn repeat(pairs: &[(Endpoint, Endpoint)], count: usize) -> Pairs {
    let each = pairs.iter().flat_map(|pair| std::iter::repeat_n(*pair, count));
    each.take(MAX_FLOWS + 1).collect()
}

fn pairs(
    from: Option<Target>,
    to: Option<Target>,
    entry: &Entry,
    mistakes: &mut Mistakes,
) -> Option<Pairs> {
    let ends = |target| match target {
        Target::Station(index) => Some(vec![Endpoint::Station(index)]),
        Target::Host(index) => Some(vec![Endpoint::Host(index)]),
        Target::Group { first, count } => {
            Some((first..first + count).map(Endpoint::Station).collect())
        }
        _ => None,
    };
    let (mut from, mut to) = (ends(from?)?, ends(to?)?);
    if from.len() > 1 && to.len() > 1 && from.len() != to.len() {
        let problem = format!("{} receivers for {} senders", to.len(), from.len());
        mistakes.add(entry.at, entry.mistake(problem, "a group of the same size, or one receiver"));
        return None;
    }
    let size = from.len().max(to.len());
    from.resize(size, from[0]);
    to.resize(size, to[0]);
    let pairs: Pairs = from.into_iter().zip(to).collect();
    if pairs.iter().any(|(from, to)| from == to) {
        let error = entry.mistake("a flow to its own sender", "another station or host");
        mistakes.add(entry.at, error);
        return None;
    }
    Some(pairs)
}

/// Checks that a flow starts within the run and before it stops.
fn check_times(fields: &Fields, context: &Context, mistakes: &mut Mistakes) {
    let (start, jitter, stop) =
        (fields.get("start"), fields.get("start_jitter"), fields.get("stop"));
    let Some(time) = start.value::<Duration>() else { return };
    let latest = jitter.value::<Duration>().map(|jitter| time + jitter);
    if let Some(end) = context.duration {
        if time >= end {
            let error = start.mistake("not before the end of the run", format!("before {end}"));
            mistakes.add(start.at, error);
        } else if latest.is_some_and(|latest| latest >= end) {
            let allowed = format!("start + start_jitter before {end}");
            mistakes.add(
                jitter.at,
                jitter.mistake("the flow could start after the end of the run", allowed),
            );
        }
    }
    if let (Some(end), Some(latest)) = (stop.value::<Duration>(), latest)
        && end <= latest
    {
        let error = stop.mistake("not after the start", format!("after {latest}, or \"end\""));
        mistakes.add(stop.at, error);
    }
}

/// Checks settings of a transport that depend on each other.
fn check_transport(entry: &Entry, context: &Context, mistakes: &mut Mistakes) {
    let (Some(transport), Some(fields)) = (TRANSPORTS.variant(entry), entry.fields()) else {
        return;
    };
    match transport {
        Transport::Tcp(_) => check_tcp(fields, context, mistakes),
        Transport::Quic(_) => check_quic(fields, mistakes),
        Transport::Tfrc(_) => {
            fits(fields.get("segment"), IP_TFRC, context, mistakes);
            check_source(fields, mistakes);
        }
        Transport::Udp { .. } => {
            fits(fields.get("payload"), IP_UDP, context, mistakes);
            check_live(fields, mistakes);
        }
        Transport::External => {}
    }
}

/// Checks that a flow over kernel sockets belongs to an emulation, and that the kernel supports the flow's scheme and
/// settings.
fn check_stack(flow: &Fields, context: &Context, mistakes: &mut Mistakes) {
    let transport = flow.get("transport");
    let (Some(Transport::Tcp(_) | Transport::Tfrc(_)), Some(settings)) =
        (TRANSPORTS.variant(transport), transport.fields())
    else {
        return;
    };
    let stack = settings.get("stack");
    if stack.word() != Some("kernel") {
        return;
    }
    if context.driver == Driver::Run {
        let allowed = "\"simulated\", or airfair emulate";
        mistakes.add(stack.at, stack.mistake("a simulated run has no kernel", allowed));
    }
    if settings.has("source")
        && let source = settings.get("source")
        && source.is_set()
    {
        let problem = "a flow over real sockets has no such application";
        let instead = if settings.has("rate") { "rate" } else { "size" };
        let allowed = format!("{instead}, or stack = \"simulated\"");
        mistakes.add(source.at, source.mistake(problem, allowed));
    }
    let control = flow.get("control");
    if let (Some(Scheme::ArfAware(_)), Some(settings)) =
        (CONTROLS.variant(control), control.fields())
    {
        let variant = settings.get("variant");
        if variant.word() == Some("one-shot") {
            let problem = "one-shot only sets cwnd, which is not possible in the kernel";
            let allowed = "\"held\" or \"continuous\", or stack = \"simulated\"";
            mistakes.add(variant.at, variant.mistake(problem, allowed));
        }
    }
}

/// Checks the application of a TFRC flow, which the flow gives by its key `source` or by its key `rate`.
fn check_source(fields: &Fields, mistakes: &mut Mistakes) {
    let (source, rate) = (fields.get("source"), fields.get("rate"));
    let Some(settings) = source.fields() else { return };
    if rate.is_set() {
        return mistakes.add(source.at, source.mistake("set together with rate", "one of the two"));
    }
    if let Some(tfrc::Traffic::Frames { .. }) = SOURCES.variant(source) {
        check_sizes(settings.get("sizes"), mistakes);
    }
}

/// Checks that a UDP flow has payload and rate, or a live application.
fn check_live(fields: &Fields, mistakes: &mut Mistakes) {
    let (source, rate) = (fields.get("source"), fields.get("rate"));
    if source.is_set() {
        if rate.is_set() {
            let error = source.mistake("set together with rate", "one of the two");
            mistakes.add(source.at, error);
        }
        check_control_of_rate(source, mistakes);
        return check_room(fields.get("payload"), source, mistakes);
    }
    for (name, kind) in [("payload", &UDP_PAYLOAD), ("rate", &UDP_RATE)] {
        let entry = fields.get(name);
        if !entry.is_set() && !entry.bad {
            mistakes.add(entry.at, entry.mistake("missing", kind.describe()));
        }
    }
}

/// Checks that the lowest rate of a video call, that at the start and the highest are in this order.
fn check_control_of_rate(source: &Entry, mistakes: &mut Mistakes) {
    let Some(UdpRate::Live(Live { model: Model::VideoCall(_), .. })) = LIVE.variant(source) else {
        return;
    };
    let Some(fields) = source.fields() else { return };
    let (most, control) = (fields.get("rate").value::<DataRate>(), fields.get("rate_control"));
    let Some(most) = most else { return };
    let usual = Bounds::default().least;
    let Some(settings) = control.fields() else {
        if control.word().is_some_and(|word| word != "none") && usual > most {
            let problem = format!("its lowest rate of {usual} is above the rate of the call");
            mistakes.add(control.at, control.mistake(problem, "a table with least"));
        }
        return;
    };
    let (start, least) = (settings.get("start"), settings.get("least"));
    for entry in [start, least] {
        if entry.value::<DataRate>().is_some_and(|value| value > most) {
            let error = entry.mistake("above the rate of the call", format!("at most {most}"));
            mistakes.add(entry.at, error);
        }
    }
    if let (Some(first), Some(lowest)) = (start.value::<DataRate>(), least.value::<DataRate>())
        && first < lowest
    {
        let error = start.mistake("below the lowest rate", format!("at least {lowest}"));
        mistakes.add(start.at, error);
    }
}

/// Checks that the datagrams of a live application have room beside their header.
fn check_room(payload: &Entry, source: &Entry, mistakes: &mut Mistakes) {
    let Some(UdpRate::Live(live)) = LIVE.variant(source) else { return };
    let header = live.model.header();
    if payload.value::<Bytes>().is_some_and(|it| it.get() <= header) {
        let problem = format!("no more than the {header} octets of RTP's header");
        mistakes.add(payload.at, payload.mistake(problem, format!("at least {} B", header + 1)));
    }
}

/// Checks that a packet with this payload fits into a frame.
fn fits(entry: &Entry, headers: u64, context: &Context, mistakes: &mut Mistakes) {
    let (Some(size), Some(llc)) = (entry.value::<Bytes>(), context.llc_snap()) else { return };
    let room = MAX_MSDU - headers - llc;
    if size > Bytes::new(room) {
        let problem =
            format!("with {headers} octets of headers and {llc} of LLC/SNAP more than {MAX_MSDU}");
        mistakes.add(entry.at, entry.mistake(problem, format!("at most {room} B")));
    }
}

fn check_tcp(fields: &Fields, context: &Context, mistakes: &mut Mistakes) {
    check_sack(fields, mistakes);
    check_workload(fields, mistakes);
    let (segment, timestamps) = (fields.get("segment"), fields.get("timestamps").value::<bool>());
    let options = if timestamps == Some(true) { TIMESTAMPS } else { 0 };
    fits(segment, IP_TCP + options, context, mistakes);
    let scaling = fields.get("window_scaling").value();
    receive_window(fields.get("receive_window"), segment.value(), scaling, mistakes);
    check_model(fields, mistakes);
    check_scalable(fields, mistakes);
    check_feedback(fields, mistakes);
    check_slow_start(fields, mistakes);
}

/// Checks settings of flavours with a model of the path: these detect losses by RACK, pace, and need a window of four
/// segments.  [draft-bbr §5.6.4.3]
fn check_model(fields: &Fields, mistakes: &mut Mistakes) {
    let flavour = fields.get("flavour");
    let Some(word) = flavour.word().filter(|word| Flavour::of(word).has_model()) else { return };
    let (sack, recovery) = (fields.get("sack"), fields.get("loss_recovery"));
    if sack.value() == Some(false) {
        let problem = format!("flavour {word} needs selective acknowledgements");
        mistakes.add(sack.at, sack.mistake(&problem, "true, or another flavour"));
    }
    if recovery.node.is_some()
        && recovery.word().map(LossRecovery::of) == Some(LossRecovery::Duplicates)
    {
        let problem = format!("flavour {word} detects losses by time");
        mistakes.add(recovery.at, recovery.mistake(&problem, "\"rack\", or another flavour"));
    }
    let pacing = fields.get("pacing");
    if pacing.node.is_some() && pacing.value() == Some(false) {
        let problem = format!("flavour {word} always paces");
        mistakes.add(pacing.at, pacing.mistake(&problem, "true, or another flavour"));
    }
    let ecn = fields.get("ecn");
    if ecn.value() == Some(true) {
        let problem = format!("flavour {word} does not answer marks");
        mistakes.add(ecn.at, ecn.mistake(&problem, "false, or another flavour"));
    }
    let is_kernels = fields.get("stack").word() == Some("kernel");
    if is_kernels && Flavour::of(word) == Flavour::Bbr {
        let allowed = "\"bbr1\", or stack = \"simulated\"";
        mistakes.add(flavour.at, flavour.mistake("no released kernel has version 3", allowed));
    }
    let (window, segment) = (fields.get("receive_window"), fields.get("segment").value::<Bytes>());
    if let (Some(size), Some(segment)) = (window.value::<Bytes>(), segment)
        && size >= segment
        && size < segment * bbr::LEAST_WINDOW
    {
        let problem = format!("flavour {word} needs a window of four segments");
        let allowed = format!("at least {}", segment * bbr::LEAST_WINDOW);
        mistakes.add(window.at, window.mistake(&problem, allowed));
    }
}

/// Checks that a flavour that answers marks in proportion takes part in explicit congestion notification.
fn check_scalable(fields: &Fields, mistakes: &mut Mistakes) {
    let (flavour, ecn) = (fields.get("flavour").word(), fields.get("ecn"));
    let Some(word) = flavour.filter(|word| Flavour::of(word).is_scalable()) else { return };
    let is_kernels = fields.get("stack").word() == Some("kernel");
    if is_kernels && Flavour::of(word) == Flavour::Prague {
        let (flavour, allowed) = (fields.get("flavour"), "\"dctcp\", or stack = \"simulated\"");
        mistakes.add(flavour.at, flavour.mistake("no released kernel has Prague", allowed));
    }
    if ecn.node.is_some() && ecn.value() == Some(false) {
        let problem = format!("flavour {word} always has ecn");
        mistakes.add(ecn.at, ecn.mistake(&problem, "true, or another flavour"));
    }
}

/// Checks that the receiver of a flavour reports marks in a way that the flavour can use.
fn check_feedback(fields: &Fields, mistakes: &mut Mistakes) {
    let (flavour, ecn) = (fields.get("flavour").word(), fields.get("ecn"));
    let feedback = fields.get("ecn_feedback");
    let (Some(word), Some(given)) = (flavour, feedback.word().map(EcnFeedback::of)) else { return };
    let is_scalable = Flavour::of(word).is_scalable();
    if feedback.node.is_none() {
        return;
    }
    if !is_scalable && ecn.value() != Some(true) {
        mistakes.add(feedback.at, feedback.mistake("there are no marks without ecn", "ecn = true"));
    } else if is_scalable && given == EcnFeedback::Classic {
        let problem = format!("flavour {word} needs the number of marks");
        let allowed = "\"exact\", \"ace\", \"accurate\"";
        mistakes.add(feedback.at, feedback.mistake(&problem, allowed));
    } else if !is_scalable && given == EcnFeedback::Exact {
        let problem = format!("flavour {word} expects its answer to end the echo");
        let allowed = "\"classic\", \"ace\", \"accurate\"";
        mistakes.add(feedback.at, feedback.mistake(&problem, allowed));
    }
}

/// Checks that a flavour with a slow start of its own has no other.
fn check_slow_start(fields: &Fields, mistakes: &mut Mistakes) {
    let (flavour, start) =
        (fields.get("flavour").word().map(Flavour::of), fields.get("slow_start"));
    let has_own = flavour.is_some_and(|it| it.has_own_arithmetic() || it.has_model());
    if has_own && start.word().is_some_and(|word| SlowStart::of(word) != SlowStart::Standard) {
        let allowed = "\"standard\", or flavour reno, newreno, sack or cubic";
        mistakes.add(start.at, start.mistake("the flavour has a slow start of its own", allowed));
    }
}

/// Checks settings that need selective acknowledgements, or a certain flavour.
fn check_sack(fields: &Fields, mistakes: &mut Mistakes) {
    let (sack, prr) = (fields.get("sack"), fields.get("prr"));
    let Some(flavour) = fields.get("flavour").word().map(Flavour::of) else { return };
    if sack.bad {
        return;
    }
    let is_selective = sack.value::<bool>().unwrap_or(flavour.is_selective());
    if flavour == Flavour::Sack && !is_selective {
        let allowed = "true, or another flavour";
        mistakes
            .add(sack.at, sack.mistake("flavour sack needs selective acknowledgements", allowed));
    } else if prr.value::<bool>() == Some(true) && !is_selective {
        let allowed = "false, or sack = true";
        mistakes.add(prr.at, prr.mistake("needs selective acknowledgements", allowed));
    }
    let recovery = fields.get("loss_recovery");
    if recovery.word().map(LossRecovery::of) == Some(LossRecovery::Rack) && !is_selective {
        let allowed = "\"duplicates\", or sack = true";
        mistakes.add(recovery.at, recovery.mistake("needs selective acknowledgements", allowed));
    }
    let arithmetic = fields.get("arithmetic");
    let has_own = matches!(flavour, Flavour::Westwood | Flavour::WestwoodPlus | Flavour::Vegas);
    if arithmetic.word().map(Arithmetic::of) == Some(Arithmetic::Linux) && has_own {
        let allowed = "\"rfc\", or flavour reno, newreno, sack or cubic";
        mistakes.add(
            arithmetic.at,
            arithmetic.mistake("the flavour has an arithmetic of its own", allowed),
        );
    }
}

fn receive_window(
    entry: &Entry,
    segment: Option<Bytes>,
    scaling: Option<bool>,
    mistakes: &mut Mistakes,
) {
    let Some(window) = entry.value::<Bytes>() else { return };
    let least = segment.filter(|segment| window < *segment);
    let (problem, allowed) = if let Some(segment) = least {
        ("less than one segment", format!("at least {segment}"))
    } else if window > MAX_UNSCALED && scaling == Some(false) {
        ("too large without window scaling", "at most 65535 B, or window_scaling = true".to_owned())
    } else {
        return;
    };
    mistakes.add(entry.at, entry.mistake(problem, allowed));
}
