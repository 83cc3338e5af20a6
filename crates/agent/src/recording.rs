//! Recordings: one line of JSON with each sample and its decision, and their replay through the
//! same law.

use std::io::{BufRead, Write};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::configuration::{Configuration, Written};
use crate::decision::Decision;
use crate::law::Law;
use crate::sample::{GrantFields, Sample};

/// Version of the format of recordings.
const SCHEMA: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    document: String,
    schema: u32,
    configuration: Written,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    sample: Sample,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    /// Grant that the access point sent to stations which asked, if any did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grant: Option<GrantFields>,
}

impl Entry {
    /// Makes the line of a recording with a sample and the outcome of the law.
    fn of(sample: Sample, decision: Option<Decision>, law: &Law) -> Self {
        let grant = law.grant().filter(|_| !sample.asked.is_empty()).map(GrantFields::from);
        Self { sample, decision, grant }
    }
}

/// Recording that is being written to a file or another writer.
#[derive(Debug)]
pub struct Recording<W>(W);

impl<W: Write> Recording<W> {
    /// Begins a recording with the configuration.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn begin(mut to: W, configuration: &Written) -> Result<Self> {
        let configuration = configuration.clone();
        let head = Header { document: "agent-recording".into(), schema: SCHEMA, configuration };
        line(&mut to, &head)?;
        Ok(Self(to))
    }

    /// Appends a sample and the decision of the law to the recording.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn add(&mut self, sample: &Sample, decision: Option<&Decision>, law: &Law) -> Result<()> {
        line(&mut self.0, &Entry::of(sample.clone(), decision.cloned(), law))
    }
}

fn line(to: &mut impl Write, what: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string(what)?;
    text.push('\n');
    // A single write, so that after a crash the file has only whole lines.
    Ok(to.write_all(text.as_bytes())?)
}

/// Reader of a recording: configuration first, then samples.
#[derive(Debug)]
pub struct RecordingReader<R> {
    /// Configuration of the recorded agent.
    pub configuration: Configuration,
    lines: std::io::Lines<R>,
    number: usize,
}

impl<R: BufRead> RecordingReader<R> {
    /// Opens a recording, and reads its first line, the configuration.
    ///
    /// # Errors
    /// Returns an error if the file is no recording, or has another version.
    pub fn open(from: R) -> Result<Self> {
        let mut lines = from.lines();
        let first = lines.next().context("the recording is empty")??;
        let head: Header =
            serde_json::from_str(&first).context("line 1 is not the head of a recording")?;
        ensure!(
            head.document == "agent-recording",
            "line 1: this file is not a recording of the agent"
        );
        ensure!(head.schema == SCHEMA, "line 1: schema {}; allowed is {SCHEMA}", head.schema);
        let configuration = head.configuration.checked().context("line 1: configuration")?;
        Ok(Self { configuration, lines, number: 1 })
    }

    /// Reads the next sample; `None` at the end of the recording.
    ///
    /// # Errors
    /// Returns an error if a line is no sample, or if a counter is out of range.
    pub fn next_sample(&mut self) -> Result<Option<Sample>> {
        Ok(self.next_entry()?.map(|line| line.sample))
    }

    /// Reads the next sample of the recording with its decision.
    fn next_entry(&mut self) -> Result<Option<Entry>> {
        let Some(text) = self.lines.next() else { return Ok(None) };
        self.number += 1;
        let place = || format!("line {}", self.number);
        let text = text.with_context(place)?;
        let mut line: Entry = serde_json::from_str(&text).with_context(place)?;
        line.sample.bound().with_context(|| format!("line {}: sample", self.number))?;
        Ok(Some(line))
    }
}

/// Result of the replay of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// Number of samples in the recording.
    pub samples: u64,
    /// Decisions of the law, with the times of their samples [ns].
    pub decisions: Vec<(u64, Decision)>,
    /// Times of the samples for which the law decides otherwise than recorded [ns].
    pub differences: Vec<u64>,
}

/// Replays a recording through the law of its configuration.
///
/// # Errors
/// Returns an error if the recording cannot be read.
pub fn replay(from: impl BufRead) -> Result<Replayed> {
    let mut recorded = RecordingReader::open(from)?;
    let mut law = Law::new(&recorded.configuration);
    let mut outcome = Replayed::default();
    while let Some(recorded) = recorded.next_entry()? {
        let (_, decision) = law.take(&recorded.sample);
        outcome.samples += 1;
        let at_ns = recorded.sample.at_ns;
        if recorded != Entry::of(recorded.sample.clone(), decision.clone(), &law) {
            outcome.differences.push(at_ns);
        }
        outcome.decisions.extend(decision.map(|it| (at_ns, it)));
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration;
    use crate::sample::{DirectionCounters, LinkCounters};

    fn samples() -> Vec<Sample> {
        let rate = |at: u64| {
            if (100..200).contains(&at) || at.is_multiple_of(7) { 1_000_000 } else { 11_000_000 }
        };
        let sample = |at: u64| Sample {
            at_ns: at * 100_000_000,
            links: vec![LinkCounters {
                name: "slow".into(),
                up: DirectionCounters {
                    bytes: at * 1_000,
                    packets: at,
                    rate_bps: Some(rate(at)),
                    ..DirectionCounters::default()
                },
                down: DirectionCounters::default(),
            }],
            ..Sample::default()
        };
        (0..300).map(sample).collect()
    }

    fn recorded() -> Vec<u8> {
        let written = configuration::parse("poll = \"100 ms\"").unwrap();
        let mut law = Law::new(&written.checked().unwrap());
        let mut file = Vec::new();
        let mut recording = Recording::begin(&mut file, &written).unwrap();
        for sample in samples() {
            let (_, decision) = law.take(&sample);
            recording.add(&sample, decision.as_ref(), &law).unwrap();
        }
        file
    }

    #[test]
    fn a_replay_makes_the_same_decisions() {
        let replayed = replay(&recorded()[..]).unwrap();
        assert_eq!(replayed.samples, 300);
        assert!(replayed.differences.is_empty());
        // Every seventh sample is slow as well. Three of the last five are slow at 101 for the
        // first time, and fast at 202.
        let expected =
            [(10_100_000_000, Decision::Limit { k: 11 }), (20_200_000_000, Decision::Lift)];
        assert_eq!(replayed.decisions, expected);
    }

    #[test]
    fn a_changed_recording_differs_from_its_replay() {
        let text = String::from_utf8(recorded()).unwrap();
        let changed = text.replace("{\"k\":11}", "{\"k\":10}");
        assert_ne!(text, changed);
        assert_eq!(replay(changed.as_bytes()).unwrap().differences, [10_100_000_000]);
    }

    #[test]
    fn an_invalid_recording_is_refused_with_its_line() {
        let mistake = |text: &str| format!("{:#}", replay(text.as_bytes()).unwrap_err());
        assert!(mistake("").contains("empty"));
        assert!(mistake("{}").contains("line 1"));
        let text = String::from_utf8(recorded()).unwrap();
        assert!(mistake(&text.replacen("at_ns", "at", 3)).contains("line 2"));
        assert!(mistake(&text.replace("\"schema\":1", "\"schema\":2")).contains("schema 2"));
        let said = mistake(&text.replace("100 ms", "1 ms"));
        assert!(said.starts_with("line 1: configuration: poll"), "{said}");
    }

    /// A counter with a value that no real source has is an error with its line and key. A million
    /// packets at 1 b/s would take more than 584 years, and the number of bits in 2^63 octets
    /// overflows.
    #[test]
    fn counters_that_nothing_real_has_are_refused_with_line_and_key() {
        let mistake = |from: &str, to: &str| {
            let text = String::from_utf8(recorded()).unwrap();
            assert!(text.contains(from));
            format!("{:#}", replay(text.replacen(from, to, 1).as_bytes()).unwrap_err())
        };
        let said = mistake("\"rate_bps\":11000000", "\"rate_bps\":1");
        let allowed = "allowed 0 and 100000 to 429496729500000";
        assert_eq!(said, format!("line 3: sample: links[0].up.rate_bps = 1: {allowed}"));
        let said = mistake("\"bytes\":3000,", "\"bytes\":9223372036854775808,");
        let key = "links[0].up.bytes = 9223372036854775808";
        assert_eq!(said, format!("line 5: sample: {key}: allowed up to 1152921504606846976"));
    }

    /// Counters at the ends of their ranges lead to a decision about windows, and not to an
    /// overflow. Within a nanosecond, a link at the lowest rate, 100 kb/s, carries 2⁶⁰ octets; then
    /// its rate doubles.
    #[test]
    fn counters_at_their_ends_make_windows() {
        let head = r#"{"document": "agent-recording", "schema": 1,
            "configuration": {"scheme": "arf-window", "polls": 1, "arf-window": {"samples": 1}}}"#;
        let sample = |at: u64, octets: u64, rate: u64| {
            let way = format!(r#"{{"bytes": {octets}, "packets": {octets}, "rate_bps": {rate}}}"#);
            let packets = octets.min(u64::from(u32::MAX));
            let sent = format!(
                r#"{{"octets": {octets}, "packets": {packets}, "answers": 0, "echo_ns": {octets}, "echoes": 1, "largest": 0}}"#
            );
            format!(
                r#"{{"sample": {{"at_ns": {at}, "links": [{{"name": "it", "up": {way}, "down": {way}}}], "connections":
                    [{{"station": "it", "ends": ["10.0.0.1:1", "10.0.0.2:2"], "up": {sent}, "down": {sent}, "own":
                    {{"sender_us": 0, "least_us": 4294967295, "receiver_us": 1, "header": 65535}}}}]}}}}"#
            )
        };
        let samples =
            [sample(0, 0, 100_000), sample(1, 1 << 60, 100_000), sample(2, 1 << 60, 200_000)];
        let lines = [head.to_owned()].into_iter().chain(samples).map(|it| it.replace('\n', ""));
        let text = lines.collect::<Vec<_>>().join("\n");
        let replayed = replay(text.as_bytes()).unwrap();
        assert_eq!((replayed.samples, replayed.decisions.len()), (3, 1));
    }
}
