//! The resolved scenario as TOML: every default spelled out, and read back as the same scenario.

use std::fmt::Write;

use airfair_laws::occupancy;
use airfair_units::{DataRate, Length, Time};
use airfair_wlan::phy::{Preamble, Standard};

use super::declare::{Keys, Written};
use super::keys::{self, QUEUE};
use super::kind::thousandths;
use super::{
    AccessParameters, AccessPoint, AfterCollision, Area, Attempts, Beacons, Begin, Bss, Eifs,
    Endpoint, ErrorModel, Fading, Flow, Link, Motion, Node, Periods, Propagation, Radio, Reception,
    Scenario, Station, Way, rates,
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
        let end = |end| match end {
            Endpoint::Station(index) => self.stations[index].name.as_str(),
            Endpoint::Host(index) => &self.hosts[index],
        };
        for flow in &self.flows {
            let ends = [end(flow.from), end(flow.to)];
            let declare = |keys: &mut Keys, it: &mut Flow| keys::flow(keys, it, ends);
            section(out, "flow", &flow.name, Keys::write(flow, declare))?;
        }
        Ok(())
    }

    /// Name of a wired node.
    pub fn node_name(&self, node: Node) -> &str {
        match node {
            Node::Cell(index) => &self.cells[index].name,
            Node::Host(index) => &self.hosts[index],
            Node::Router(index) => &self.routers[index],
        }
    }

    fn write_station(&self, out: &mut dyn Write, station: &Station) -> std::fmt::Result {
        writeln!(out, "\n[station.{}]", station.name)?;
        writeln!(out, "bss = \"{}\"", self.cells[station.cell].name)?;
        writeln!(out, "standard = \"{}\"", station.standard)?;
        writeln!(out, "rate = {}", rates::written(station))?;
        writeln!(out, "queue = {}", QUEUE.write(&station.queue))?;
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
}

/// A section of its own.
fn section(out: &mut dyn Write, kind: &str, name: &str, written: Written) -> std::fmt::Result {
    writeln!(out, "\n[{kind}.{name}]")?;
    written.into_iter().try_for_each(|(key, value)| writeln!(out, "{key} = {value}"))
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
    let (queue, [edca, attempts]) = (QUEUE.write(&queue), self::access(access));
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
