//! Flows: who sends what to whom, and what their transports allow.

use std::collections::BTreeSet;

use airfair_laws::{arf_aware, arf_window, rate_cap};
use airfair_units::{Bytes, Duration};

use super::error::{Mistakes, ScenarioError};
use super::keys::{
    IP_TCP, IP_TFRC, IP_UDP, MAX_FLOWS, MAX_FRAMES, MAX_MSDU, MAX_UNSCALED, TIMESTAMPS,
};
use super::kind::{MAX_NAME, Plain};
use super::names::{Names, Target};
use super::parse::{Context, items, point};
use super::reader::{Entry, Fields, Given};
use super::size::{self, Budget, MAX_ALL_FRAMES};
use super::stations::missing;
use super::{
    Control, Deflation, DelayedAck, Endpoint, Flavour, Flow, RecoveryTimer, Tcp, Tfrc, TfrcProfile,
    TfrcSource, Transport, UdpRate,
};

/// Reads every flow and makes as many of it as its groups have members.
pub(super) fn flows(
    entry: Entry,
    context: &Context,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Option<(Vec<Flow>, Vec<Place>)> {
    let (spoilt, at) = (entry.bad, entry.at);
    let list = entry.named();
    if list.is_empty() && !spoilt {
        mistakes.add(at, missing("flow"));
    }
    let mut taken = BTreeSet::new();
    let mut flows = Some((Vec::new(), Vec::new()));
    let mut total = 0;
    let mut frames = Budget::new("sizes of frames", MAX_ALL_FRAMES);
    for fields in list {
        let place = (fields.at, fields.path.clone());
        let name = fields.name;
        let flow = flow(fields, context, names, mistakes);
        total += flow.as_ref().map_or(1, |(pairs, _)| pairs.len());
        if total > MAX_FLOWS {
            let (path, found) = ("flow".to_owned(), format!("more than {MAX_FLOWS} flows"));
            let (problem, allowed) = ("too many".to_owned(), format!("at most {MAX_FLOWS}"));
            mistakes.add(place.0, ScenarioError { path, found, problem, allowed });
            return None;
        }
        let Some((pairs, flow)) = flow else {
            flows = None;
            continue;
        };
        let grouped = pairs.len() > 1;
        let each = flow.as_ref().map_or(0, size::frames);
        let source = (place.0, format!("{}.transport.source", place.1));
        let flow = flow.filter(|_| frames.spend(pairs.len(), each, source, mistakes));
        for (i, (from, to)) in pairs.into_iter().enumerate() {
            let name = if grouped { format!("{name}{}", i + 1) } else { name.to_owned() };
            let too_long = name.len() > MAX_NAME && grouped;
            if too_long || !taken.insert(name.clone()) {
                let (path, found) = (place.1.clone(), String::new());
                let problem = if too_long {
                    format!("the name {name} is longer than {MAX_NAME} characters")
                } else {
                    format!("the name {name} is given twice")
                };
                let allowed =
                    "other names: flows of a group, or of a count, are numbered".to_owned();
                mistakes.add(place.0, ScenarioError { path, found, problem, allowed });
                break;
            }
            if let (Some(flow), Some((flows, places))) = (&flow, &mut flows) {
                flows.push(Flow { name, from, to, ..flow.clone() });
                places.push(Place { at: place.0, path: place.1.clone() });
            }
        }
        flows = flows.filter(|_| flow.is_some());
    }
    flows
}

/// Where in the file a flow stands.
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) path: String,
}

/// Senders with their receivers.
type Pairs = Vec<(Endpoint, Endpoint)>;

/// The pairs of one section, and the flow between the first of them.
fn flow(
    mut fields: Fields,
    context: &Context,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Option<(Pairs, Option<Flow>)> {
    let (from, to) = (fields.take("from"), fields.take("to"));
    let ends = (names.end(&from, mistakes), names.end(&to, mistakes));
    let pairs = pairs(ends, &to, mistakes);
    let count = fields.take("count").integer();
    let start = fields.take("start");
    if let (Some(time), Some(end)) = (start.duration(), context.duration)
        && time >= end
    {
        let error = start.mistake("not before the end of the run", format!("before {end}"));
        mistakes.add(start.at, error);
    }
    let jitter = fields.take("start_jitter");
    check_jitter(&jitter, start.duration(), context, mistakes);
    let stop = fields.take("stop");
    let latest = start.duration().zip(jitter.duration()).map(|(start, jitter)| start + jitter);
    check_stop(&stop, latest, mistakes);
    let entry = fields.take("transport");
    let transport = entry.table().and_then(|table| transport(table, context, mistakes));
    let control = control(fields.take("control"), (transport.as_ref(), ends), mistakes);
    let pairs = repeat(&pairs?, count.unwrap_or(1));
    let name = fields.name.to_owned();
    let flow = || {
        Some(Flow {
            name,
            from: pairs[0].0,
            to: pairs[0].1,
            start: point(start.duration()?),
            start_jitter: jitter.duration()?,
            stop: stop.given.is_some().then_some(stop.duration().map(point))?,
            transport: transport?,
            control: control?,
        })
    };
    let flow = flow().filter(|_| count.is_some());
    Some((pairs, flow))
}

/// Each pair so many times in a row; no more in all than it takes to see that they are too many.
fn repeat(pairs: &[(Endpoint, Endpoint)], count: usize) -> Pairs {
    let each = pairs.iter().flat_map(|pair| std::iter::repeat_n(*pair, count));
    each.take(MAX_FLOWS + 1).collect()
}

fn pairs(
    (from, to): (Option<Target>, Option<Target>),
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

fn check_jitter(
    entry: &Entry,
    start: Option<Duration>,
    context: &Context,
    mistakes: &mut Mistakes,
) {
    let (Some(jitter), Some(start), Some(end)) = (entry.duration(), start, context.duration) else {
        return;
    };
    if start < end && start + jitter >= end {
        let allowed = format!("start + start_jitter before {end}");
        mistakes.add(entry.at, entry.mistake("the flow might start after the run", allowed));
    }
}

fn check_stop(entry: &Entry, start: Option<Duration>, mistakes: &mut Mistakes) {
    let (Some(stop), Some(start)) = (entry.duration(), start) else { return };
    if stop <= start {
        let error = entry.mistake("not after the start", format!("after {start}, or \"end\""));
        mistakes.add(entry.at, error);
    }
}

fn transport(mut fields: Fields, context: &Context, mistakes: &mut Mistakes) -> Option<Transport> {
    match fields.take("kind").word()? {
        "tfrc" => tfrc(fields, context, mistakes).map(Transport::Tfrc),
        "udp" => {
            let payload = fields.take("payload");
            fits(&payload, IP_UDP, context, mistakes);
            let rate = match fields.take("rate").plain()? {
                Plain::Rate(rate) => UdpRate::Constant(rate),
                _ => UdpRate::Saturated,
            };
            Some(Transport::Udp { payload: payload.bytes()?, rate })
        }
        _ => tcp(fields, context, mistakes).map(Transport::Tcp),
    }
}

fn tfrc(mut fields: Fields, context: &Context, mistakes: &mut Mistakes) -> Option<Tfrc> {
    let profile = fields.take("profile").word().map(|word| match word {
        "rfc3448" => TfrcProfile::Rfc3448,
        "ns-2" => TfrcProfile::Ns2,
        _ => TfrcProfile::Rfc5348,
    });
    let segment = fields.take("segment");
    fits(&segment, IP_TFRC, context, mistakes);
    let source = tfrc_source(fields.take("source"), &fields.take("rate"), mistakes);
    Some(Tfrc { profile: profile?, segment: segment.bytes()?, source: source? })
}

/// The application of a TFRC flow, from the one key or the other.
fn tfrc_source(source: Entry, rate: &Entry, mistakes: &mut Mistakes) -> Option<TfrcSource> {
    if source.bad {
        return None;
    }
    if !source.is_set() {
        return Some(match rate.plain()? {
            Plain::Rate(rate) => TfrcSource::Constant(rate),
            _ => TfrcSource::Greedy,
        });
    }
    if rate.is_set() {
        mistakes.add(source.at, source.mistake("given beside rate", "one of the two"));
        return None;
    }
    let mut fields = source.table()?;
    if fields.take("model").word()? == "frames" {
        let interval = fields.take("interval").duration();
        let sizes = frame_sizes(fields.take("sizes"), mistakes);
        return Some(TfrcSource::Frames { interval: interval?, sizes: sizes? });
    }
    Some(TfrcSource::OnOff {
        rate: fields.take("rate").rate()?,
        on: fields.take("on").duration()?,
        off: fields.take("off").duration()?,
    })
}

fn frame_sizes(entry: Entry, mistakes: &mut Mistakes) -> Option<Vec<Bytes>> {
    if entry.bad {
        return None;
    }
    let Some(Given::List(list)) = &entry.given else { return None };
    if !(1..=MAX_FRAMES).contains(&list.len()) {
        let problem = if list.is_empty() { "no frame" } else { "too many frames" };
        mistakes.add(entry.at, entry.mistake(problem, format!("1 to {MAX_FRAMES} sizes")));
        return None;
    }
    items(entry).iter().map(Entry::bytes).collect()
}

/// Checks that a packet of this much data fits into a frame.
fn fits(entry: &Entry, headers: u64, context: &Context, mistakes: &mut Mistakes) {
    let (Some(size), Some(llc)) = (entry.bytes(), context.llc_snap()) else { return };
    let room = MAX_MSDU - headers - llc;
    if size > Bytes::new(room) {
        let problem =
            format!("with {headers} octets of headers and {llc} of LLC/SNAP over {MAX_MSDU}");
        mistakes.add(entry.at, entry.mistake(problem, format!("at most {room} B")));
    }
}

fn tcp(mut fields: Fields, context: &Context, mistakes: &mut Mistakes) -> Option<Tcp> {
    let flavour = fields.take("flavour").word().map(|word| match word {
        "reno" => Flavour::Reno,
        "sack" => Flavour::Sack,
        "westwood" => Flavour::Westwood,
        "westwood+" => Flavour::WestwoodPlus,
        "vegas" => Flavour::Vegas,
        "cubic" => Flavour::Cubic,
        _ => Flavour::NewReno,
    });
    let (sack, prr) = (fields.take("sack"), fields.take("prr"));
    let selective = self::selective(&sack, &prr, flavour, mistakes);
    let timestamps = fields.take("timestamps").flag();
    let segment = fields.take("segment");
    let options = if timestamps == Some(true) { TIMESTAMPS } else { 0 };
    fits(&segment, IP_TCP + options, context, mistakes);
    let size = fields.take("size");
    let delayed_ack = fields.take("delayed_ack");
    let at_once = delayed_ack.flag() == Some(false);
    let delayed_ack = self::delayed_ack(delayed_ack);
    let initial_window = fields.take("initial_window").integer();
    let ssthresh = fields.take("initial_ssthresh");
    let window = fields.take("receive_window");
    let scaling = fields.take("window_scaling").flag();
    receive_window(&window, segment.bytes(), scaling, mistakes);
    let recovery_timer = fields.take("recovery_timer").word().map(|word| match word {
        "slow-but-steady" => RecoveryTimer::SlowButSteady,
        _ => RecoveryTimer::Impatient,
    });
    let deflation = fields.take("deflation").word().map(|word| match word {
        "to-ssthresh" => Deflation::ToThreshold,
        _ => Deflation::ToFlight,
    });
    let full_queue = fields.take("full_queue").word();
    let quick_acks = fields.take("quick_acks").integer();
    let mut flag = |name| fields.take(name).flag();
    let (limited_transmit, byte_counting) = (flag("limited_transmit"), flag("byte_counting"));
    let (grow, handshake) = (flag("grow_beyond_receive_window"), flag("handshake"));
    Some(Tcp {
        flavour: flavour?,
        sack: selective?,
        prr: prr.flag()?,
        timestamps: timestamps?,
        segment: segment.bytes()?,
        size: size.given.is_some().then_some(size.bytes())?,
        delayed_ack: if at_once { None } else { Some(delayed_ack?) },
        initial_window: initial_window?,
        initial_ssthresh: ssthresh.given.is_some().then_some(ssthresh.integer())?,
        receive_window: window.bytes()?,
        window_scaling: scaling?,
        tick: fields.take("tick").duration()?,
        recovery_timer: recovery_timer?,
        deflation: deflation?,
        min_rto: fields.take("min_rto").duration()?,
        limited_transmit: limited_transmit?,
        byte_counting: byte_counting?,
        grow_beyond_receive_window: grow?,
        quick_acks: quick_acks?,
        keeps_refused: full_queue? == "hold",
        handshake: handshake?,
    })
}

/// Whether selective acknowledgements are in use; checks what needs them.
fn selective(
    sack: &Entry,
    prr: &Entry,
    flavour: Option<Flavour>,
    mistakes: &mut Mistakes,
) -> Option<bool> {
    let flavour = flavour?;
    let is_selective = if sack.given.is_some() { sack.flag()? } else { flavour.is_selective() };
    if flavour == Flavour::Sack && !is_selective {
        let allowed = "true, or another flavour";
        mistakes.add(sack.at, sack.mistake("flavour sack is selective by its nature", allowed));
    } else if prr.flag() == Some(true) && !is_selective {
        let allowed = "false, or sack = true";
        mistakes.add(prr.at, prr.mistake("needs selective acknowledgements", allowed));
    }
    Some(is_selective)
}

fn delayed_ack(entry: Entry) -> Option<DelayedAck> {
    match entry.given? {
        Given::Table(mut table) => {
            let (segments, timeout) = (table.take("segments"), table.take("timeout"));
            Some(DelayedAck { segments: segments.integer()?, timeout: timeout.duration()? })
        }
        // As the declaration of the key says: what `true` stands for.
        _ => Some(DelayedAck { segments: 2, timeout: Duration::from_millis(200) }),
    }
}

fn receive_window(
    entry: &Entry,
    segment: Option<Bytes>,
    scaling: Option<bool>,
    mistakes: &mut Mistakes,
) {
    let Some(window) = entry.bytes() else { return };
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

fn control(
    entry: Entry,
    (transport, ends): (Option<&Transport>, (Option<Target>, Option<Target>)),
    mistakes: &mut Mistakes,
) -> Option<Control> {
    let scheme = match &entry.given {
        Some(Given::Table(table)) => table.tag("scheme")?,
        _ => entry.word()?,
    };
    let (is_tcp, at) = (!transport.is_some_and(|it| !matches!(it, Transport::Tcp(_))), entry.at);
    let is_udp = matches!(transport, Some(Transport::Udp { .. }));
    let is_host = |end| matches!(end, Some(Target::Host(_)));
    let needs_tcp =
        |problem| (!is_tcp).then_some((problem, "\"none\", or transport = { kind = \"tcp\" }"));
    let needs_station = |problem| {
        let allowed = "\"none\", or a flow from or to a station";
        (is_host(ends.0) && is_host(ends.1)).then_some((problem, allowed))
    };
    let problems = match scheme {
        "none" => return Some(Control::None),
        "arf-aware" => [
            needs_tcp("arf-aware needs TCP: it scales the TCP congestion window"),
            is_host(ends.0).then_some((
                "arf-aware needs a station as sender: only a wireless link changes its rate",
                "\"none\", or a flow from a station",
            )),
        ],
        "occupancy" => [
            is_udp.then_some((
                "occupancy needs TCP or TFRC: nothing tells a UDP source what it may send",
                "\"none\", or transport = { kind = \"tfrc\" }",
            )),
            needs_station("occupancy needs a station at either end: only there beacons are heard"),
        ],
        "rate-cap" => [
            is_udp.then_some((
                "rate-cap needs TCP or TFRC: nothing tells a UDP source what it may send",
                "\"none\", or transport = { kind = \"tfrc\" }",
            )),
            is_host(ends.0).then_some((
                "rate-cap needs a station as sender: only a wireless link changes its rate",
                "\"none\", or a flow from a station",
            )),
        ],
        _ => [
            needs_tcp("arf-window needs TCP: it limits the TCP window"),
            needs_station(
                "arf-window needs a station at either end: only there the channel can be heard",
            ),
        ],
    };
    for (problem, allowed) in problems.into_iter().flatten() {
        mistakes.add(at, entry.mistake(problem, allowed));
    }
    match scheme {
        "arf-aware" => arf_aware(entry),
        "occupancy" => Some(Control::Occupancy),
        "rate-cap" => rate_cap(entry, mistakes),
        _ => arf_window(entry),
    }
}

fn rate_cap(entry: Entry, mistakes: &mut Mistakes) -> Option<Control> {
    let Given::Table(mut table) = entry.given? else {
        return Some(Control::RateCap(rate_cap::Params::default()));
    };
    let share = table.take("share");
    let part = share.probability()?;
    if part.is_zero() {
        mistakes.add(share.at, share.mistake("out of range", "more than 0"));
    }
    Some(Control::RateCap(rate_cap::Params { share: part }))
}

fn arf_aware(entry: Entry) -> Option<Control> {
    let variant = match entry.given? {
        Given::Table(mut table) => match table.take("variant").word()? {
            "one-shot" => arf_aware::Variant::OneShot,
            "continuous" => arf_aware::Variant::Continuous,
            _ => arf_aware::Variant::Held,
        },
        _ => arf_aware::Variant::Held,
    };
    Some(Control::ArfAware(arf_aware::Params { variant }))
}

fn arf_window(entry: Entry) -> Option<Control> {
    Some(Control::ArfWindow(match entry.given? {
        Given::Table(mut table) => {
            let (slot, long_lived) = (table.take("slot"), table.take("long_lived"));
            let mut reading = |key| {
                Some(match table.take(key).word()? {
                    "printed" => arf_window::Reading::Printed,
                    _ => arf_window::Reading::Projected,
                })
            };
            let (rise, fall) = (reading("rise")?, reading("fall")?);
            let round_trip = match table.take("round_trip").word()? {
                "smoothed" => arf_window::RoundTrip::Smoothed,
                _ => arf_window::RoundTrip::Least,
            };
            let (slot, long_lived) = (slot.duration()?, long_lived.bytes()?);
            arf_window::Params { slot, long_lived, rise, fall, round_trip }
        }
        _ => arf_window::Params::default(),
    }))
}
