//! The resolved scenario as TOML: every default spelled out, and read back as the same scenario.

use std::fmt::Write;

use airfair_laws::arf_aware::Variant;
use airfair_laws::arf_window::{self, Reading, RoundTrip};
use airfair_laws::{arf, minstrel, occupancy, rate_cap};
use airfair_units::{DataRate, Length, Time};
use airfair_wlan::phy::{Preamble, Standard};

use super::kind::thousandths;
use super::{
    AccessParameters, AccessPoint, AfterCollision, AirtimeSharing, Area, Attempts, Beacons, Begin,
    Bss, Capacity, CoDel, Control, Deflation, Discipline, Eifs, Endpoint, ErrorModel, Fading,
    Flavour, Flow, GilbertElliott, Limit, Link, LinkQueue, Loss, Motion, Node, Overflow, Periods,
    Propagation, Queue, QueueConfig, Radio, RateControl, Reception, RecoveryTimer, Red, Scenario,
    Station, Tcp, Tfrc, TfrcProfile, TfrcSource, TimeRegulation, Transport, UdpRate, Way, Weights,
};

impl Scenario {
    /// Writes the scenario as TOML, complete: [`Scenario::parse`] reads the same scenario back.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("a String takes any text");
        out
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> std::fmt::Result {
        writeln!(out, "title = {}", toml::Value::String(self.title.clone()))?;
        writeln!(out, "duration = \"{}\"", self.duration)?;
        writeln!(out, "warmup = \"{}\"", self.warmup)?;
        let series = self.series_step.map_or_else(|| "off".to_owned(), |step| step.to_string());
        writeln!(out, "series = \"{series}\"")?;
        writeln!(out, "seed = {}", self.seed)?;
        writeln!(out, "replications = {}", self.replications)?;
        self.cells.iter().try_for_each(|bss| write_bss(out, bss))?;
        self.stations.iter().try_for_each(|station| self.write_station(out, station))?;
        let (own, others) = self.links.split_at(self.hosts.len());
        for (host, link) in self.hosts.iter().zip(own) {
            writeln!(out, "\n[host.{host}]")?;
            let to = self.node_name(link.ends[1]);
            let (settings, loss) = (link_settings(link), self.loss(link));
            writeln!(out, "link = {{ to = \"{to}\", {}, loss = {loss} }}", settings.join(", "))?;
        }
        self.routers.iter().try_for_each(|router| writeln!(out, "\n[router.{router}]"))?;
        others.iter().try_for_each(|link| self.write_link(out, link))?;
        self.flows.iter().try_for_each(|flow| self.write_flow(out, flow))
    }

    /// Name of a wired node.
    pub fn node_name(&self, node: Node) -> &str {
        match node {
            Node::Cell(index) => &self.cells[index].name,
            Node::Host(index) => &self.hosts[index],
            Node::Router(index) => &self.routers[index],
        }
    }

    fn write_link(&self, out: &mut dyn Write, link: &Link) -> std::fmt::Result {
        writeln!(out, "\n[link.{}]", link.name)?;
        let [first, second] = link.ends.map(|end| self.node_name(end));
        writeln!(out, "between = [\"{first}\", \"{second}\"]")?;
        writeln!(out, "{}", link_settings(link).join("\n"))?;
        writeln!(out, "loss = {}", self.loss(link))
    }

    fn loss(&self, link: &Link) -> String {
        let (loss, towards) = match link.loss {
            [Loss::None, Loss::None] => return "\"none\"".to_owned(),
            [forth, back] if forth == back => (forth, None),
            [forth, Loss::None] => (forth, Some(link.ends[1])),
            [_, back] => (back, Some(link.ends[0])),
        };
        let settings = match loss {
            Loss::None => unreachable!("a loss is written"),
            Loss::Bernoulli(probability) => {
                format!("model = \"bernoulli\", probability = {probability}")
            }
            Loss::GilbertElliott(GilbertElliott { good, bad, to_bad, to_good }) => format!(
                "model = \"gilbert-elliott\", good = {good}, bad = {bad}, \
                 to_bad = {to_bad}, to_good = {to_good}"
            ),
        };
        let towards = towards
            .map_or_else(String::new, |end| format!(", towards = \"{}\"", self.node_name(end)));
        format!("{{ {settings}{towards} }}")
    }

    fn write_station(&self, out: &mut dyn Write, station: &Station) -> std::fmt::Result {
        writeln!(out, "\n[station.{}]", station.name)?;
        writeln!(out, "bss = \"{}\"", self.cells[station.cell].name)?;
        writeln!(out, "standard = \"{}\"", station.standard)?;
        let [law_up, law_down] = station.adaptation;
        let up = law_up.map_or_else(|| schedule(&station.rate_up), law);
        let down = law_down.map_or_else(|| schedule(&station.rate_down), law);
        if up == down {
            writeln!(out, "rate = {up}")?;
        } else {
            writeln!(out, "rate = {{ up = {up}, down = {down} }}")?;
        }
        writeln!(out, "queue = {}", queue(station.queue))?;
        writeln!(out, "{}", access(station.access).join("\n"))?;
        let others = |indices: &[usize]| {
            let names = indices.iter().map(|i| format!("\"{}\"", self.stations[*i].name));
            names.collect::<Vec<_>>().join(", ")
        };
        if let Some(way) = &station.way {
            return write_way(out, way);
        }
        writeln!(out, "senses_only = [{}]", others(&station.senses_only))?;
        writeln!(out, "hidden_from = [{}]", others(&station.hidden_from))?;
        writeln!(out, "errors = {}", errors(station.errors))
    }

    fn write_flow(&self, out: &mut dyn Write, flow: &Flow) -> std::fmt::Result {
        let name = |end| match end {
            Endpoint::Station(index) => &self.stations[index].name,
            Endpoint::Host(index) => &self.hosts[index],
        };
        writeln!(out, "\n[flow.{}]", flow.name)?;
        writeln!(out, "from = \"{}\"", name(flow.from))?;
        writeln!(out, "to = \"{}\"", name(flow.to))?;
        writeln!(out, "start = \"{}\"", flow.start)?;
        writeln!(out, "start_jitter = \"{}\"", flow.start_jitter)?;
        let stop = flow.stop.map_or_else(|| "end".to_owned(), |stop| stop.to_string());
        writeln!(out, "stop = \"{stop}\"")?;
        match flow.control {
            Control::None => writeln!(out, "control = \"none\"")?,
            Control::Occupancy => writeln!(out, "control = \"occupancy\"")?,
            Control::RateCap(rate_cap::Params { share }) => {
                writeln!(out, "control = {{ scheme = \"rate-cap\", share = {share} }}")?;
            }
            Control::ArfAware(params) => {
                let variant = match params.variant {
                    Variant::Held => "held",
                    Variant::OneShot => "one-shot",
                    Variant::Continuous => "continuous",
                };
                let scheme = "scheme = \"arf-aware\"";
                writeln!(out, "control = {{ {scheme}, variant = \"{variant}\" }}")?;
            }
            Control::ArfWindow(params) => {
                let arf_window::Params { slot, long_lived, rise, fall, round_trip } = params;
                let long_lived = long_lived.get();
                let [rise, fall] = [rise, fall].map(|reading| match reading {
                    Reading::Printed => "printed",
                    Reading::Projected => "projected",
                });
                let round_trip = match round_trip {
                    RoundTrip::Smoothed => "smoothed",
                    RoundTrip::Least => "least",
                };
                writeln!(
                    out,
                    "control = {{ scheme = \"arf-window\", slot = \"{slot}\", \
                     long_lived = \"{long_lived} B\", rise = \"{rise}\", fall = \"{fall}\", \
                     round_trip = \"{round_trip}\" }}"
                )?;
            }
        }
        match &flow.transport {
            Transport::Tcp(tcp) => write_tcp(out, tcp),
            Transport::Tfrc(tfrc) => write_tfrc(out, tfrc),
            Transport::Udp { payload, rate } => {
                let rate = match rate {
                    UdpRate::Saturated => "saturated".to_owned(),
                    UdpRate::Constant(rate) => rate.to_string(),
                };
                let payload = payload.get();
                writeln!(
                    out,
                    "transport = {{ kind = \"udp\", payload = \"{payload} B\", rate = \"{rate}\" }}"
                )
            }
        }
    }
}

fn errors(model: ErrorModel) -> String {
    match model {
        ErrorModel::None => "\"none\"".to_owned(),
        ErrorModel::Bernoulli(p) => format!("{{ model = \"bernoulli\", probability = {p} }}"),
        ErrorModel::Bits(ber) => format!("{{ model = \"bit\", ber = {ber} }}"),
        ErrorModel::Snr(snr) => format!("{{ model = \"snr\", snr = \"{snr}\" }}"),
        ErrorModel::GilbertElliott(Periods { good, bad, mean_good, mean_bad }) => format!(
            "{{ model = \"gilbert-elliott\", good = {good}, bad = {bad}, \
             mean_good = \"{mean_good}\", mean_bad = \"{mean_bad}\" }}"
        ),
    }
}

fn write_way(out: &mut dyn Write, way: &Way) -> std::fmt::Result {
    let pair = |[x, y]: [Length; 2]| format!("[\"{x}\", \"{y}\"]");
    let (starts_here, motion) = match &way.motion {
        Motion::None => (true, "\"none\"".to_owned()),
        Motion::Velocity([right, up]) => {
            (true, format!("{{ model = \"velocity\", velocity = [\"{right}\", \"{up}\"] }}"))
        }
        Motion::Waypoints(points) => {
            let point = |(at, [x, y]): &(Time, [Length; 2])| {
                format!("[\"{}\", \"{x}\", \"{y}\"]", *at - Time::ZERO)
            };
            let points: Vec<String> = points.iter().map(point).collect();
            (false, format!("{{ model = \"waypoints\", points = [{}] }}", points.join(", ")))
        }
        Motion::RandomWaypoint { region, speeds: [lowest, highest], pause, begin } => {
            let region = match *region {
                Area::Disc(radius) => format!("radius = \"{radius}\""),
                Area::Rectangle(corners) => format!("corners = [{}]", corners.map(pair).join(", ")),
            };
            let begins = match begin {
                Begin::Uniform => "uniform",
                Begin::Position => "position",
                Begin::SteadyState => "steady-state",
            };
            let motion = format!(
                "{{ model = \"random-waypoint\", {region}, min_speed = \"{lowest}\", \
                 max_speed = \"{highest}\", pause = \"{pause}\", begin = \"{begins}\" }}"
            );
            (*begin == Begin::Position, motion)
        }
    };
    if starts_here {
        writeln!(out, "position = {}", pair(way.position))?;
    }
    writeln!(out, "mobility = {motion}")
}

fn write_radio(out: &mut dyn Write, radio: &Radio) -> std::fmt::Result {
    let mut keys = vec![format!("frequency = \"{}\"", radio.frequency)];
    if radio.range.is_empty() {
        keys.push(format!("tx_power = \"{}\"", radio.tx_power));
    } else {
        let range = |(rate, length): &(DataRate, Length)| format!("\"{rate}\" = \"{length}\"");
        let ranges: Vec<String> = radio.range.iter().map(range).collect();
        keys.push(format!("range = {{ {} }}", ranges.join(", ")));
    }
    if radio.range.len() < 2 {
        keys.push(format!("propagation = {}", propagation(radio.propagation)));
    }
    keys.push(format!("noise_figure = \"{}\"", radio.noise_figure));
    let reception = match radio.reception {
        Reception::Snr => "snr",
        Reception::Sensitivity => "sensitivity",
        Reception::Qualnet4 => "qualnet4",
    };
    keys.push(format!("reception = \"{reception}\""));
    let sense = radio.carrier_sense.map_or_else(|| "lowest-rate".to_owned(), |p| p.to_string());
    keys.push(format!("carrier_sense = \"{sense}\""));
    keys.push(format!("shadowing = \"{}\"", radio.shadowing));
    keys.push(match radio.fading {
        Fading::None => "fading = \"none\"".to_owned(),
        Fading::Rayleigh { coherence } => {
            format!("fading = {{ model = \"rayleigh\", coherence = \"{coherence}\" }}")
        }
        Fading::Rician { k, coherence } => {
            format!("fading = {{ model = \"rician\", k = \"{k}\", coherence = \"{coherence}\" }}")
        }
    });
    let capture = radio.capture.map_or_else(|| "off".to_owned(), |ratio| ratio.to_string());
    keys.push(format!("capture = \"{capture}\""));
    writeln!(out, "radio = {{ {} }}", keys.join(", "))
}

fn propagation(model: Propagation) -> String {
    match model {
        Propagation::FreeSpace => "\"free-space\"".to_owned(),
        Propagation::TwoRay { ap_height, station_height } => format!(
            "{{ model = \"two-ray\", ap_height = \"{ap_height}\", \
             station_height = \"{station_height}\" }}"
        ),
        Propagation::LogDistance { decade, reference_loss } => {
            let exponent = thousandths(decade.as_thousandths().unsigned_abs() / 10);
            let loss = reference_loss
                .map_or_else(String::new, |loss| format!(", reference_loss = \"{loss}\""));
            format!("{{ model = \"log-distance\", exponent = {exponent}{loss} }}")
        }
    }
}

fn write_bss(out: &mut dyn Write, bss: &Bss) -> std::fmt::Result {
    writeln!(out, "\n[bss.{}]", bss.name)?;
    writeln!(out, "standard = \"{}\"", bss.rules.standard)?;
    let rates: Vec<String> =
        bss.rules.basic_rates.iter().map(|rate| format!("\"{rate}\"")).collect();
    writeln!(out, "basic_rates = [{}]", rates.join(", "))?;
    let preamble = match bss.rules.preamble {
        Preamble::Long => "long",
        Preamble::Short => "short",
    };
    writeln!(out, "preamble = \"{preamble}\"")?;
    let rts = bss
        .rules
        .rts_threshold
        .map_or_else(|| "off".to_owned(), |size| format!("{} B", size.get()));
    writeln!(out, "rts_threshold = \"{rts}\"")?;
    if bss.rules.standard == Standard::G {
        writeln!(out, "protection = {}", bss.rules.protection)?;
    }
    match bss.rules.attempts {
        Attempts::Limits { short, long } => {
            writeln!(out, "retry_limits = {{ short = {short}, long = {long} }}")?;
        }
        Attempts::Max(attempts) => writeln!(out, "max_attempts = {attempts}")?,
        Attempts::Unlimited => writeln!(out, "max_attempts = \"unlimited\"")?,
    }
    let after_collision = match bss.rules.after_collision {
        AfterCollision::Standard => "standard",
        AfterCollision::Difs => "difs",
        AfterCollision::Eifs => "eifs",
    };
    writeln!(out, "after_collision = \"{after_collision}\"")?;
    let eifs = match bss.rules.eifs {
        Eifs::Standard => "standard",
        Eifs::Nav => "ns-2",
    };
    writeln!(out, "eifs = \"{eifs}\"")?;
    writeln!(out, "post_backoff = {}", bss.rules.post_backoff)?;
    let window = |slots: Option<u16>| slots.map_or("\"standard\"".to_owned(), |n| n.to_string());
    writeln!(out, "cw_min = {}", window(bss.rules.cw_min))?;
    writeln!(out, "cw_max = {}", window(bss.rules.cw_max))?;
    writeln!(out, "llc_snap = {}", bss.llc_snap)?;
    if let Some(radio) = &bss.radio {
        write_radio(out, radio)?;
    }
    match bss.beacons {
        None => writeln!(out, "beacon = false")?,
        Some(Beacons { interval, size }) => {
            let size = size.get();
            writeln!(out, "beacon = {{ interval = \"{interval}\", size = \"{size} B\" }}")?;
        }
    }
    let AccessPoint { queue, access, window_sharing, occupancy } = bss.ap;
    let grants = occupancy.map_or_else(|| "false".to_owned(), grants);
    let (queue, [edca, attempts]) = (self::queue(queue), self::access(access));
    writeln!(
        out,
        "ap = {{ queue = {queue}, {edca}, {attempts}, window_sharing = {window_sharing}, \
         occupancy = {grants} }}"
    )
}

fn grants(params: occupancy::Params) -> String {
    let occupancy::Params { beacons, satisfied, spare, patience } = params;
    let spare = match spare {
        occupancy::Spare::Printed => "printed",
        occupancy::Spare::Once => "once",
    };
    format!(
        "{{ beacons = {beacons}, satisfied = {satisfied}, spare = \"{spare}\", patience = {patience} }}"
    )
}

/// The scenario file's word for a flavour of TCP.
pub fn flavour_name(flavour: Flavour) -> &'static str {
    match flavour {
        Flavour::Reno => "reno",
        Flavour::NewReno => "newreno",
        Flavour::Sack => "sack",
        Flavour::Westwood => "westwood",
        Flavour::WestwoodPlus => "westwood+",
        Flavour::Vegas => "vegas",
        Flavour::Cubic => "cubic",
    }
}

fn write_tcp(out: &mut dyn Write, tcp: &Tcp) -> std::fmt::Result {
    let flavour = flavour_name(tcp.flavour);
    let size = tcp.size.map_or_else(|| "endless".to_owned(), |size| format!("{} B", size.get()));
    let delayed_ack = tcp.delayed_ack.map_or_else(
        || "false".to_owned(),
        |ack| format!("{{ segments = {}, timeout = \"{}\" }}", ack.segments, ack.timeout),
    );
    let ssthresh = tcp.initial_ssthresh.map_or("\"unlimited\"".to_owned(), |n| n.to_string());
    write!(out, "transport = {{ kind = \"tcp\", flavour = \"{flavour}\", sack = {}", tcp.sack)?;
    write!(out, ", prr = {}, timestamps = {}", tcp.prr, tcp.timestamps)?;
    write!(out, ", segment = \"{} B\", size = \"{size}\"", tcp.segment.get())?;
    write!(out, ", delayed_ack = {delayed_ack}, initial_window = {}", tcp.initial_window)?;
    write!(out, ", initial_ssthresh = {ssthresh}")?;
    write!(out, ", receive_window = \"{} B\"", tcp.receive_window.get())?;
    write!(out, ", window_scaling = {}, min_rto = \"{}\"", tcp.window_scaling, tcp.min_rto)?;
    let timer = match tcp.recovery_timer {
        RecoveryTimer::Impatient => "impatient",
        RecoveryTimer::SlowButSteady => "slow-but-steady",
    };
    let deflation = match tcp.deflation {
        Deflation::ToFlight => "to-flight",
        Deflation::ToThreshold => "to-ssthresh",
    };
    write!(out, ", tick = \"{}\", recovery_timer = \"{timer}\"", tcp.tick)?;
    write!(out, ", deflation = \"{deflation}\"")?;
    write!(out, ", limited_transmit = {}", tcp.limited_transmit)?;
    write!(out, ", byte_counting = {}", tcp.byte_counting)?;
    write!(out, ", grow_beyond_receive_window = {}", tcp.grow_beyond_receive_window)?;
    let full_queue = if tcp.keeps_refused { "hold" } else { "loss" };
    write!(out, ", quick_acks = {}, full_queue = \"{full_queue}\"", tcp.quick_acks)?;
    writeln!(out, ", handshake = {} }}", tcp.handshake)
}

fn write_tfrc(out: &mut dyn Write, tfrc: &Tfrc) -> std::fmt::Result {
    let profile = match tfrc.profile {
        TfrcProfile::Rfc5348 => "rfc5348",
        TfrcProfile::Rfc3448 => "rfc3448",
        TfrcProfile::Ns2 => "ns-2",
    };
    let source = match &tfrc.source {
        TfrcSource::Greedy => "rate = \"greedy\"".to_owned(),
        TfrcSource::Constant(rate) => format!("rate = \"{rate}\""),
        TfrcSource::OnOff { rate, on, off } => format!(
            "source = {{ model = \"on-off\", rate = \"{rate}\", on = \"{on}\", off = \"{off}\" }}"
        ),
        TfrcSource::Frames { interval, sizes } => {
            let sizes: Vec<String> =
                sizes.iter().map(|size| format!("\"{} B\"", size.get())).collect();
            let sizes = sizes.join(", ");
            format!(
                "source = {{ model = \"frames\", interval = \"{interval}\", sizes = [{sizes}] }}"
            )
        }
    };
    let segment = tfrc.segment.get();
    write!(out, "transport = {{ kind = \"tfrc\", profile = \"{profile}\"")?;
    writeln!(out, ", segment = \"{segment} B\", {source} }}")
}

/// Rate, delay and queue of a link.
fn link_settings(link: &Link) -> [String; 3] {
    [
        format!("rate = \"{}\"", link.rate),
        format!("delay = \"{}\"", link.delay),
        format!("queue = {}", link_queue(link.queue)),
    ]
}

fn link_queue(LinkQueue { capacity, red }: LinkQueue) -> String {
    let capacity = match capacity {
        Capacity::Packets(packets) => format!("packets = {packets}"),
        Capacity::Bytes(size) => format!("bytes = \"{} B\"", size.get()),
    };
    let Some(Red { min, max, max_probability, weight, gentle }) = red else {
        return format!("{{ {capacity}, discipline = \"fifo\" }}");
    };
    let red = format!(
        "min = {min}, max = {max}, max_probability = {max_probability}, weight = {weight}, \
         gentle = {gentle}"
    );
    format!("{{ {capacity}, discipline = \"red\", red = {{ {red} }} }}")
}

fn access(access: AccessParameters) -> [String; 2] {
    let AccessParameters { aifsn, cw_min, cw_max, txop_limit, attempts } = access;
    let window = |slots: Option<u16>| slots.map_or("\"cell\"".to_owned(), |n| n.to_string());
    let (cw_min, cw_max) = (window(cw_min), window(cw_max));
    let attempts = match attempts {
        None => "\"cell\"".to_owned(),
        Some(Attempts::Max(limit)) => limit.to_string(),
        Some(_) => "\"unlimited\"".to_owned(),
    };
    let edca = format!(
        "edca = {{ aifsn = {aifsn}, cw_min = {cw_min}, cw_max = {cw_max}, \
         txop_limit = \"{txop_limit}\" }}"
    );
    [edca, format!("max_attempts = {attempts}")]
}

fn queue(Queue { config, counts_flows }: Queue) -> String {
    let limit = match config.limit {
        Limit::Each => "limit = \"each\"",
        Limit::Shared => "limit = \"shared\"",
    };
    let codel =
        |CoDel { target, interval }| format!("target = \"{target}\", interval = \"{interval}\"");
    let (name, settings) = match config.discipline {
        Discipline::Fifo => ("fifo", String::new()),
        Discipline::DataAck(_) if counts_flows => {
            ("data-ack", format!(", {limit}, weights = \"active-flows\""))
        }
        Discipline::DataAck(Weights { data, ack }) => {
            ("data-ack", format!(", {limit}, weights = {{ data = {data}, ack = {ack} }}"))
        }
        Discipline::RoundRobin => ("round-robin", format!(", {limit}")),
        Discipline::DeficitRoundRobin { quantum } => {
            ("deficit-round-robin", format!(", {limit}, quantum = \"{} B\"", quantum.get()))
        }
        Discipline::CoDel(rule) => ("codel", format!(", {}", codel(rule))),
        Discipline::FqCoDel { codel: rule, quantum, queues } => {
            let quantum = quantum.get();
            let own = format!("quantum = \"{quantum} B\", queues = {queues}");
            ("fq-codel", format!(", {}, {own}", codel(rule)))
        }
        Discipline::Airtime(rule) => ("airtime", airtime(&rule, &codel(rule.codel))),
        Discipline::TimeRegulator(TimeRegulation { bucket, adjustment, charges_backoff }) => {
            let settings = format!(
                ", {limit}, bucket = \"{bucket}\", adjustment = \"{adjustment}\", \
                 charges_backoff = {charges_backoff}"
            );
            ("time-regulator", settings)
        }
    };
    let QueueConfig { packets, overflow, ack_filter, .. } = config;
    let overflow = match (config.discipline, overflow) {
        (Discipline::FqCoDel { .. } | Discipline::Airtime(_), _) => "",
        (_, Overflow::Tail) => ", overflow = \"tail\"",
        (_, Overflow::LongestFlow) => ", overflow = \"longest-flow\"",
    };
    format!(
        "{{ discipline = \"{name}\", packets = {packets}{settings}{overflow}, ack_filter = {ack_filter} }}"
    )
}

fn airtime(rule: &AirtimeSharing, codel: &str) -> String {
    let AirtimeSharing { quantum, charges_uplink, queues, slow_below, .. } = rule;
    let CoDel { target, interval } = rule.slow_codel;
    format!(
        ", airtime_quantum = \"{quantum}\", charges_uplink = {charges_uplink}, {codel}, \
         slow_below = \"{slow_below}\", slow_target = \"{target}\", \
         slow_interval = \"{interval}\", quantum = \"{} B\", queues = {queues}",
        rule.flow_quantum.get()
    )
}

fn law(law: RateControl) -> String {
    match law {
        RateControl::Arf(params) => arf(params),
        RateControl::Oracle => "{ control = \"oracle\" }".to_owned(),
        RateControl::Minstrel(minstrel::Params { interval, ewma, lookaround, segment }) => format!(
            "{{ control = \"minstrel\", interval = \"{interval}\", ewma = {ewma}, \
             lookaround = {lookaround}, segment = \"{segment}\" }}"
        ),
    }
}

fn arf(law: arf::Params) -> String {
    let arf::Params { up, down, counting, timer, rts_failures, most_up, starts_high } = law;
    let (name, own) = match (most_up, counting) {
        (Some(most), _) => ("aarf", format!(", most_up = {most}")),
        (None, arf::Counting::InARow) => ("arf", ", counting = \"in-a-row\"".to_owned()),
        (None, arf::Counting::InAll) => ("arf", ", counting = \"in-all\"".to_owned()),
    };
    let timer = match timer {
        arf::Timer::Off => "\"off\"".to_owned(),
        arf::Timer::Time(time) => format!("\"{time}\""),
        arf::Timer::Attempts(attempts) => attempts.to_string(),
    };
    let initial = if starts_high { "highest" } else { "lowest" };
    format!(
        "{{ control = \"{name}\", up = {up}{own}, down = {down}, timer = {timer}, \
         rts_failures = {rts_failures}, initial = \"{initial}\" }}"
    )
}

fn schedule(steps: &[(Time, DataRate)]) -> String {
    if let [(Time::ZERO, rate)] = steps {
        return format!("\"{rate}\"");
    }
    let pairs: Vec<String> =
        steps.iter().map(|(time, rate)| format!("[\"{time}\", \"{rate}\"]")).collect();
    format!("[{}]", pairs.join(", "))
}
