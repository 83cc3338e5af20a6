//! Main loop of the agent: sample, decision, action, and sign of life.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use airfair_units::{DataRate, Duration, Time};
use anyhow::{Context, Result, bail};

use crate::actuator::{self, Actuator};
use crate::configuration::{Configuration, Role, Scheme, Written};
use crate::decision::{ConnectionLimit, Decision, Share, Weight};
use crate::estimate::Estimate;
use crate::grants::sockets::{GrantSocket, Requester, Responder};
use crate::journal::Journal;
use crate::law::Law;
use crate::metrics::MetricsServer;
use crate::os;
use crate::output::say;
use crate::recording::Recording;
use crate::sample::{GrantFields, Sample};
use crate::source::Source;
use crate::status::{self, Status};
use crate::totals::Totals;

/// Command-line options of `airfair-agent run`.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// True for a dry run, which decides without acting.
    pub is_dry_run: bool,
    /// True to exchange grants with other machines.
    pub is_live: bool,
    /// Path of a file for a recording of samples and decisions.
    pub record: Option<PathBuf>,
    /// Duration of the run; `None` to run until a signal arrives.
    pub lasting: Option<Duration>,
}

/// Lock of the agent's directory against a second agent, released when dropped.
#[derive(Debug)]
struct AgentLock {
    _lock: File,
}

impl AgentLock {
    fn begin(directory: &Path) -> Result<Self> {
        let place = || directory.display().to_string();
        fs::DirBuilder::new().recursive(true).mode(0o755).create(directory).with_context(place)?;
        let lock = File::create(directory.join("lock")).with_context(place)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                bail!("an agent is already running; see airfair agent status")
            }
            Err(TryLockError::Error(error)) => Err(error).with_context(place),
        }
    }
}

/// Time for which the source may fail before limits are lifted. A busy machine can miss a few
/// samples.
const PATIENCE: Duration = Duration::from_millis(400);

/// Result of reading a sample from the source.
enum Reading {
    Sample(Sample),
    /// No sample, because the source has failed, for less than [`PATIENCE`].
    Missed,
    /// No sample, because the source has no more of them.
    End,
}

/// State of a running agent.
struct Run {
    started: u64,
    configuration: Configuration,
    source: Box<dyn Source>,
    law: Law,
    actuator: Box<dyn Actuator>,
    /// Socket for grants, if the scheme uses them.
    grants: Option<GrantSocket>,
    /// Server of metrics, if the configuration asks for one.
    metrics: Option<MetricsServer>,
    totals: Totals,
    recording: Option<Recording<File>>,
    status: Status,
    journal: Journal,
    /// Time since the start at which the source returned its last sample [ns].
    heard_at: u64,
}

/// Runs the agent until a signal, the end of the time or the end of the source. All changes in the
/// kernel are undone at the end and after an error.
///
/// # Errors
/// Returns an error if the interface is missing, or if the kernel refuses a request.
pub fn run(written: &Written, source: Box<dyn Source>, options: &RunOptions) -> Result<()> {
    let configuration = written.checked()?;
    let directory = status::directory();
    let _alone = AgentLock::begin(&directory)?;
    let listener = status::Listener::open(&directory)?;
    let create = |path: &PathBuf| -> Result<_> {
        let file = File::create(path).with_context(|| path.display().to_string())?;
        Recording::begin(file, written)
    };
    let recording = options.record.as_ref().map(create).transpose()?;
    os::catch_signals();
    let actuator: Box<dyn Actuator> = if options.is_dry_run {
        actuator::dry_run(&configuration)?
    } else {
        let actuator = actuator::open(&configuration)?;
        os::drop_capabilities().context("the agent's capabilities could not be dropped")?;
        actuator
    };
    // Opened after the guardian process has started, so that the guardian does not hold the port,
    // and after the capabilities are dropped.
    let grants = if options.is_live { open_grants(&configuration) } else { None };
    let metrics = configuration.metrics.as_ref().map(MetricsServer::open).transpose()?;
    let status = Status {
        document: "agent-status".into(),
        schema: 1,
        version: env!("CARGO_PKG_VERSION").into(),
        process: std::process::id(),
        interface: configuration.interface.clone(),
        is_dry_run: options.is_dry_run,
        scheme: configuration.scheme,
        ratio: 1,
        ..Status::default()
    };
    let law = Law::new(&configuration);
    let started = os::monotonic_ns();
    let mut run = Run {
        started,
        configuration,
        source,
        journal: Journal::new(law.reports()),
        law,
        actuator,
        grants,
        metrics,
        totals: Totals::default(),
        recording,
        status,
        heard_at: 0,
    };
    run.introduce();
    run.go_on(&listener, options)?;
    run.end();
    Ok(())
}

/// Opens the socket for grants; `None` if the scheme uses none or the socket cannot be opened.
/// Without it an access point limits all stations, and a station limits none of its connections.
fn open_grants(configuration: &Configuration) -> Option<GrantSocket> {
    let settings = &configuration.occupancy;
    if configuration.scheme != Scheme::Occupancy || !settings.grants {
        return None;
    }
    let (interface, port) = (configuration.interface.as_deref()?, settings.port);
    if settings.role == Role::Station {
        return Some(GrantSocket::Station(Requester::new(interface, port, settings.access_point)));
    }
    let opened = Responder::open(interface, port);
    opened
        .inspect_err(|error| say(&format!("The agent gives no grants: {error:#}.")))
        .ok()
        .map(GrantSocket::AccessPoint)
}

/// Text about new limits of windows: their smallest and largest value, and the number of
/// connections.
fn summary(windows: &[ConnectionLimit]) -> String {
    let octets = || windows.iter().flat_map(|it| [it.up, it.down]).flatten();
    let (least, most) = (octets().min().unwrap_or(0), octets().max().unwrap_or(0));
    let count = u64::try_from(windows.len()).unwrap_or(u64::MAX);
    format!("{least} to {most} octets, of {}", status::connections(count))
}

fn report_weights(weights: &[Weight], would: &str) {
    for Weight { station, weight } in weights {
        say(&format!("Airtime weights {would}{weight} for {station}."));
    }
}

impl Run {
    fn introduce(&mut self) {
        if self.status.is_dry_run {
            say("This is a dry run: the agent prints what it would do and changes nothing.");
        }
        let filters = self.actuator.counts().filters;
        if filters > 0 {
            say(&format!("The agent removed {filters} filters that a killed agent left behind."));
        }
        let left_behind = self.actuator.counts().given_back;
        if left_behind > 0 {
            let them = status::connections(left_behind);
            say(&format!("The agent restored {them} that a killed agent left limited."));
        }
        say(&format!(
            "The agent watches {} every {} ms.",
            self.configuration.interface.as_deref().unwrap_or("the link"),
            self.configuration.poll.as_nanos() / 1_000_000
        ));
        if let Some(address) = &self.configuration.metrics {
            say(&format!("The agent serves metrics at {address}."));
        }
    }

    fn go_on(&mut self, listener: &status::Listener, options: &RunOptions) -> Result<()> {
        let poll = self.configuration.poll.as_nanos();
        let mut due = self.started;
        while !os::is_asked_to_end() {
            let now = os::monotonic_ns();
            if now < due {
                // Rounded up, because a wait that ends early would be followed by a wait of zero.
                let ms = u32::try_from((due - now).div_ceil(1_000_000)).unwrap_or(u32::MAX);
                self.wait(listener, ms);
                continue;
            }
            // Missed samples are not made up for.
            due = (due + poll).max(now);
            let since = now - self.started;
            if options.lasting.is_some_and(|lasting| since >= lasting.as_nanos())
                || !self.turn(since)?
            {
                break;
            }
        }
        Ok(())
    }

    /// Waits for the next sample, `ms` milliseconds, or until somebody asks, and answers.
    fn wait(&mut self, listener: &status::Listener, ms: u32) {
        let mut files = vec![listener.descriptor()];
        files.extend(self.metrics.iter().flat_map(MetricsServer::descriptors));
        os::wait_for(&files, ms);
        listener.answer(&self.status);
        let now = Time::from_nanos(os::monotonic_ns() - self.started);
        if let Some(metrics) = &mut self.metrics {
            metrics.serve(now, &self.status);
        }
    }

    /// Processes one sample, at the time `since` after the start [ns]; false if the source has
    /// ended.
    fn turn(&mut self, since: u64) -> Result<bool> {
        let sample = match self.sample(since) {
            Reading::Sample(sample) => sample,
            Reading::Missed => {
                self.actuator.beat()?;
                return Ok(true);
            }
            Reading::End => return Ok(false),
        };
        let (seen, decision) = self.law.take(&sample);
        self.totals.add(&sample, &seen);
        if let Some(recording) = &mut self.recording {
            recording.add(&sample, decision.as_ref(), &self.law).context("the recording")?;
        }
        if let Some(GrantSocket::AccessPoint(stations)) = &mut self.grants {
            stations.answer(self.law.grant());
        }
        if let Some(decision) = &decision {
            self.actuator.apply(decision)?;
            self.count(decision);
            self.report_decision(decision, &seen);
        }
        let (granted, asked) = (self.law.granted(), self.status.access_point);
        for sentence in self.journal.messages(Time::from_nanos(since), granted, asked) {
            say(&sentence);
        }
        self.actuator.beat()?;
        self.note(since, &seen);
        Ok(true)
    }

    /// Collects a sample from the source, the actuator's connections and the network, so that a
    /// recording has all input. `since` is the time since the start [ns].
    fn look(&mut self, since: u64) -> Result<Option<Sample>> {
        let Some(mut sample) = self.source.sample(since)? else { return Ok(None) };
        let connections = self.actuator.connections()?;
        if !connections.is_empty() {
            sample.connections = connections;
        }
        sample.queue = sample.queue.or(self.actuator.queue()?);
        let now = Time::from_nanos(since);
        match &mut self.grants {
            Some(GrantSocket::Station(access_point)) => {
                sample.grant = access_point.turn(now).map(GrantFields::from);
                self.status.access_point = access_point.access_point();
            }
            Some(GrantSocket::AccessPoint(stations)) => sample.asked = stations.receive(now),
            None => {}
        }
        // Counters out of range are clamped.
        let _ = sample.bound();
        Ok(Some(sample))
    }

    /// Reads the next sample. After a longer failure of the source it is a sample without links,
    /// which lifts the limits.
    fn sample(&mut self, since: u64) -> Reading {
        let error = match self.look(since) {
            Ok(None) => return Reading::End,
            Ok(Some(sample)) => {
                self.heard_at = since;
                if self.status.trouble.take().is_some() {
                    say("The agent sees the link again.");
                }
                return Reading::Sample(sample);
            }
            Err(error) => error,
        };
        if since - self.heard_at < PATIENCE.as_nanos() {
            return Reading::Missed;
        }
        let text = format!("{error:#}");
        // One message per failure, even if the error text changes.
        if self.status.trouble.is_none() {
            say(&format!("The agent cannot see the link, so nothing is limited: {text}."));
        }
        self.status.trouble = Some(text);
        Reading::Sample(Sample { at_ns: since, ..Sample::default() })
    }

    fn report_decision(&self, decision: &Decision, seen: &Estimate) {
        let rates = seen.links.first().map(|link| (link.up.rate, self.highest(seen)));
        let mbps =
            |rate: Option<DataRate>| rate.map_or("unknown".into(), |it| status::mbps(it.bps()));
        let (rate, highest) = rates.map_or((mbps(None), mbps(None)), |(a, b)| (mbps(a), mbps(b)));
        let would = if self.status.is_dry_run { "would be " } else { "are " };
        let passed = self.actuator.counts();
        match decision {
            Decision::Limit { k } => say(&format!(
                "The link has {rate} of {highest}: windows {would}divided by {k}{}.",
                if self.status.is_dry_run {
                    String::new()
                } else {
                    format!(", of {}", status::connections(passed.taken + passed.held))
                }
            )),
            Decision::Windows(windows) if matches!(self.law, Law::ArfWindow(_)) => {
                say(&format!("The link has {rate}: windows {would}{}.", summary(windows)));
            }
            // Windows change often. The journal reports only the shares that they follow from.
            Decision::Windows(_) => {}
            Decision::Share(share) => self.report_share(share),
            Decision::Weights(weights) => report_weights(weights, would),
            Decision::Lift if self.law.limits_each() => {
                say(&format!("Windows {would}not limited."));
            }
            Decision::Lift if matches!(self.law, Law::DataAck(_)) => {
                say(&format!(
                    "There are no stations: DATA and ACKs {would}not in separate queues.",
                ));
            }
            Decision::Lift => {
                say(&format!("The link has {rate} of {highest}: windows {would}not limited."));
            }
        }
        for (name, count) in &passed.left {
            say(&format!(
                "The agent does not limit {} of {name}, which arf-aware.replaces does not name.",
                status::connections(*count)
            ));
        }
        if passed.unwatched > 0 {
            say(&format!(
                "The interface has too many addresses: connections of {} of them are not limited.",
                passed.unwatched
            ));
        }
        if passed.failed > 0 {
            let them = match decision {
                Decision::Weights(_) => format!("{} stations", passed.failed),
                _ => status::connections(passed.failed),
            };
            say(&format!("The kernel refused to change {them}."));
        }
    }

    /// Counts a decision, and the limits of windows that it has set.
    fn count(&mut self, decision: &Decision) {
        self.status.decisions += 1;
        self.status.windows_written += match decision {
            _ if self.status.is_dry_run => 0,
            Decision::Limit { .. } => self.actuator.counts().taken,
            _ => decision.limits(),
        };
    }

    /// Reports changed weights of DATA and ACKs. Their rate changes often, so only `status` shows
    /// it.
    fn report_share(&self, share: &Share) {
        if self.status.share.is_some_and(|it| (it.data, it.ack) == (share.data, share.ack)) {
            return;
        }
        let Share { data, ack, packets_per_second } = share;
        let would = if self.status.is_dry_run { "would be" } else { "are" };
        say(&format!(
            "DATA and ACKs {would} sent {data}:{ack}, now {packets_per_second} packets per second."
        ));
    }

    fn highest(&self, seen: &Estimate) -> Option<DataRate> {
        let link = seen.links.first();
        self.configuration.arf_aware.highest_rate.or_else(|| link.and_then(|link| link.up.highest))
    }

    fn note(&mut self, since: u64, seen: &Estimate) {
        let passed = self.actuator.counts();
        let ratio = self.law.ratio();
        let limits_each = self.law.limits_each();
        let status = &mut self.status;
        status.share = self.law.share();
        status.running_s = Duration::from_nanos(since).as_secs_f64();
        status.samples += 1;
        status.ratio = ratio;
        status.limited = if ratio > 1 || limits_each { passed.taken + passed.held } else { 0 };
        status.stations = self.law.granted().to_vec();
        status.totals = self.totals.stations();
        status.cpu_s = os::process_cpu().as_secs_f64();
        status.resident_octets = os::resident_octets();
        status.pass_ms = Duration::from_nanos(passed.took_ns).as_secs_f64() * 1e3;
        status.left = passed.left.clone();
        status.rate_bps = seen.links.first().and_then(|link| link.up.rate).map(DataRate::bps);
        self.status.highest_rate_bps = self.highest(seen).map(DataRate::bps);
    }

    /// Reports the end of the agent, after the actuator has undone its changes.
    fn end(self) {
        let Self { actuator, status, .. } = self;
        drop(actuator);
        say(if status.is_dry_run {
            "The agent ends; it changed nothing."
        } else {
            "The agent ends; all its changes are undone."
        });
    }
}
