//! Source of samples: the control socket of an emulation (`docs/emulator.md`).

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::sample::{DirectionCounters, LinkCounters, Sample, Source};

/// Time-out for a reply of the emulation. With a longer one the agent's signs of life would come
/// too late.
const PATIENCE: Duration = Duration::from_millis(200);

/// Origin of the airtime of links in an emulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirtimeSource {
    /// Airtime of links as the emulation counts it: only frames that overlap with no other frame.
    Measured,
    /// Airtime of links estimated from attempts, including those that collided.  Deviates: [D-198]
    Estimated,
}

/// Source of samples: an emulation.
#[derive(Debug)]
pub struct Emulator {
    socket: PathBuf,
    station: Option<String>,
    air: AirtimeSource,
    stream: Option<BufReader<UnixStream>>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    error: Option<String>,
    state: Option<State>,
}

#[derive(Debug, Deserialize)]
struct State {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    name: String,
    mac: String,
    sent_packets: u64,
    sent_bytes: u64,
    received_packets: u64,
    received_bytes: u64,
    radio: Option<Radio>,
}

#[derive(Debug, Deserialize)]
struct Radio {
    retries: u64,
    airtime_up_s: f64,
    airtime_down_s: f64,
    rate_up_bps: Option<u64>,
    rate_down_bps: Option<u64>,
}

impl Emulator {
    /// Connects to the control socket of an emulation, for one station or for all.
    ///
    /// # Errors
    /// Returns an error if no emulation answers there.
    pub fn open(socket: PathBuf, station: Option<String>, air: AirtimeSource) -> Result<Self> {
        let stream = Some(connect(&socket)?);
        Ok(Self { socket, station, air, stream })
    }

    fn ask(&mut self) -> Result<String> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => connect(&self.socket)?,
        };
        stream.get_mut().write_all(b"{\"get\": \"state\"}\n")?;
        let mut line = String::new();
        let size =
            stream.read_line(&mut line).context("the emulation did not answer within 200 ms")?;
        ensure!(size > 0, "the emulation has ended");
        // A connection is kept only after a complete reply. Otherwise the next reply could be an
        // old one.
        self.stream = Some(stream);
        Ok(line)
    }
}

fn connect(socket: &Path) -> Result<BufReader<UnixStream>> {
    let stream = UnixStream::connect(socket)
        .with_context(|| format!("{}: no emulation answers at this socket", socket.display()))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(BufReader::new(stream))
}

impl Source for Emulator {
    fn sample(&mut self, now: u64) -> Result<Option<Sample>> {
        let line = self.ask()?;
        let (links, others) = links(&line, self.station.as_deref(), self.air)?;
        Ok(Some(Sample { at_ns: now, links, others, ..Sample::default() }))
    }
}

/// Links in a reply of the emulation: those of `station` or of all stations, and those of the other
/// stations.
fn links(
    answer: &str,
    station: Option<&str>,
    air: AirtimeSource,
) -> Result<(Vec<LinkCounters>, Vec<LinkCounters>)> {
    let answer: Answer =
        serde_json::from_str(answer).context("the emulation's answer is not valid")?;
    let Some(state) = answer.state else {
        bail!("the emulation answered: {}", answer.error.unwrap_or_default())
    };
    let is_it = |node: &Node| station.is_none_or(|name| name == node.name);
    let (own, others): (Vec<Node>, Vec<Node>) = state.nodes.into_iter().partition(is_it);
    let [links, others] = [own, others]
        .map(|it| it.into_iter().filter_map(|node| link(node, air)).collect::<Vec<_>>());
    ensure!(
        !links.is_empty(),
        "the emulation has no station{}",
        station.map_or(String::new(), |name| format!(" {name:?}"))
    );
    Ok((links, others))
}

fn link(node: Node, air: AirtimeSource) -> Option<LinkCounters> {
    let radio = node.radio?;
    let airtime = |seconds| (air == AirtimeSource::Measured).then(|| nanoseconds(seconds));
    let up = DirectionCounters {
        bytes: node.sent_bytes,
        packets: node.sent_packets,
        retries: Some(radio.retries),
        airtime_ns: airtime(radio.airtime_up_s),
        rate_bps: radio.rate_up_bps,
        expected_bps: None,
    };
    let down = DirectionCounters {
        bytes: node.received_bytes,
        packets: node.received_packets,
        retries: None,
        airtime_ns: airtime(radio.airtime_down_s),
        rate_bps: radio.rate_down_bps,
        expected_bps: None,
    };
    // The MAC address comes last, as in names of kernel links; connections are matched by it.
    Some(LinkCounters { name: format!("{} {}", node.name, node.mac), up, down })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "negative or huge values end at the type's bounds"
)]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"ok": true, "state": {"elapsed_s": 1.0, "nodes": [
        {"name": "slow", "kind": "station", "mac": "02:af:00:00:00:01", "sent_packets": 5, "sent_bytes": 7000, "received_packets": 3,
         "received_bytes": 200, "radio": {"frames": 6, "retries": 1, "drops": 0, "airtime_up_s": 0.0125,
         "airtime_down_s": 0.001, "rate_up_bps": 1000000, "rate_down_bps": null}},
        {"name": "server", "kind": "host", "mac": "02:af:00:00:10:01", "sent_packets": 3, "sent_bytes": 200, "received_packets": 5,
         "received_bytes": 7000}]}}"#;

    #[test]
    fn a_station_of_an_emulation_is_a_link() {
        let (found, others) = links(ANSWER, None, AirtimeSource::Measured).unwrap();
        assert_eq!(others, []);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "slow 02:af:00:00:00:01");
        assert_eq!((found[0].up.bytes, found[0].up.retries), (7_000, Some(1)));
        assert_eq!(found[0].up.airtime_ns, Some(12_500_000));
        assert_eq!((found[0].up.rate_bps, found[0].down.rate_bps), (Some(1_000_000), None));
        let (estimated, _) = links(ANSWER, None, AirtimeSource::Estimated).unwrap();
        assert_eq!((estimated[0].up.airtime_ns, estimated[0].down.airtime_ns), (None, None));
        assert_eq!(estimated[0].up.retries, Some(1));
    }

    #[test]
    fn what_is_not_there_is_said() {
        let mistake = |answer: &str, name| {
            format!("{:#}", links(answer, name, AirtimeSource::Measured).unwrap_err())
        };
        assert!(mistake(ANSWER, Some("fast")).contains("no station \"fast\""));
        assert!(mistake(r#"{"ok": false, "error": "no"}"#, None).contains("answered: no"));
        assert!(mistake("[", None).contains("answer"));
    }
}
