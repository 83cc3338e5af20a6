//! Settings of separate queues for DATA and ACKs.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// Weights of the queues for DATA and ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Fixed weights of the queues for DATA and ACKs: numbers of packets per round.
    Fixed {
        /// Data packets that are served per round.
        data: u32,
        /// TCP ACKs without data that are served per round.
        ack: u32,
    },
    /// Weights of the queues for DATA and ACKs that follow from the numbers of connections, by the
    /// law of uplink-downlink separation, so that all connections get the same throughput.
    Connections,
}

/// Settings of the scheme `data-ack`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataAck {
    /// Weights of the queues for DATA and ACKs.
    pub weights: Weights,
    /// Rate of both queues together [packets/s]; `None` to measure what the channel can carry.
    pub packets_per_second: Option<u32>,
    /// Capacity of each of the two queues [packets].
    pub queue: u32,
}

impl Default for DataAck {
    /// Default settings: the paper's weights, and its medium buffer size.  [updown-fairness §III],
    /// [updown-fairness §IV]
    fn default() -> Self {
        Self { weights: Weights::Fixed { data: 2, ack: 1 }, packets_per_second: None, queue: 100 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    weights: Option<String>,
    packets_per_second: Option<u32>,
    queue: Option<u32>,
}

impl Written {
    pub(super) fn checked(&self) -> Result<DataAck> {
        let default = DataAck::default();
        let weights = match self.weights.as_deref() {
            None => default.weights,
            Some("connections") => Weights::Connections,
            Some(text) => ratio(text).with_context(|| {
                format!(
                    "weights = {text:?}: allowed are two numbers from 1 to 100, such as 2:1, or connections",
                )
            })?,
        };
        let packets_per_second = self.packets_per_second;
        ensure!(
            packets_per_second.is_none_or(|it| (10..=2_000_000).contains(&it)),
            "packets_per_second: allowed is 10 to 2000000"
        );
        let queue = self.queue.unwrap_or(default.queue);
        ensure!((1..=1_000).contains(&queue), "queue = {queue}: allowed is 1 to 1000 packets");
        Ok(DataAck { weights, packets_per_second, queue })
    }
}

fn ratio(text: &str) -> Option<Weights> {
    let weight = |text: &str| text.parse().ok().filter(|it| (1..=100).contains(it));
    let (data, ack) = text.split_once(':')?;
    Some(Weights::Fixed { data: weight(data)?, ack: weight(ack)? })
}
