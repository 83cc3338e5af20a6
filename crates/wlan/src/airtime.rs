//! Durations of frames and exchanges, and rates of control frames.

use airfair_units::{Bytes, DataRate, Duration};

use crate::capabilities::LinkCapabilities;
use crate::config::CellConfig;
use crate::node::NodeId;
use crate::phy::{Band, Mode, Preamble, Rate, Standard, Timing, TxVector, dsss, mode_groups, ofdm};
use crate::sizes::{self, ACK_SIZE, CTS_SIZE, RTS_SIZE};

/// Size of the frame by which rate control compares rates.  [linux-minstrel]
pub(crate) const ORDINARY: Bytes = Bytes::new(1_200);

/// Durations of the frames of one cell, and vectors of its control frames.
#[derive(Clone, Debug)]
pub struct Airtime {
    /// Legacy amendment of the cell's band.
    standard: Standard,
    band: Band,
    preamble: Preamble,
    beacon: TxVector,
    /// Vector of the frames by which an access point grants time.
    grant: TxVector,
    rts_threshold: Option<Bytes>,
    /// Control frames around a data frame, by the [index](TxVector::index) of the data frame's vector.
    control_responses: [ControlResponses; TxVector::COUNT],
    /// Capabilities of each station's link with the access point; `None` before HT.
    links: Vec<Option<LinkCapabilities>>,
    /// Interframe spaces, slot time and contention windows.
    pub timing: Timing,
}

/// Control frames around a data frame that is sent with one vector.
#[derive(Clone, Copy, Debug)]
struct ControlResponses {
    /// Vector of a response to the data frame.
    response: TxVector,
    ack: Duration,
    /// Vector of an RTS or a CTS-to-self before the data frame.
    guard: TxVector,
    /// True if a CTS-to-self must protect the data frame, because a station of the cell does not recognise it as a
    /// frame.
    is_hidden: bool,
}

/// Protection that precedes a data frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// No protection: the data frame comes first.
    None,
    /// RTS and CTS before the data frame, both with this vector.
    RtsCts(TxVector),
    /// CTS-to-self before the data frame, with this vector.
    CtsToSelf(TxVector),
}

impl Airtime {
    /// Calculates the durations of frames and the vectors of control frames, for a cell with this configuration.
    ///
    /// # Panics
    /// If a basic rate is not a rate of a legacy amendment.
    pub fn new(config: &CellConfig) -> Self {
        let (rules, b_stations) = (&config.rules, config.has_b_stations());
        let (standard, preamble) = (rules.legacy(), rules.preamble);
        let mut timing = rules.timing(config.stations.iter().map(|station| station.standard));
        timing.cw_min = rules.cw_min.unwrap_or(timing.cw_min);
        timing.cw_max = rules.cw_max.unwrap_or(timing.cw_max);
        let basic: Vec<TxVector> =
            rules.basic_rates.iter().map(|rate| vector(*rate, preamble)).collect();
        let hides_modes = config.has_legacy_stations();
        let control_responses = |(place, tx): (usize, TxVector)| {
            let is_of_mode = tx.index() != place;
            let hides_ofdm = b_stations && !tx.is_dsss();
            let is_hidden = rules.protection && (hides_ofdm || (is_of_mode && hides_modes));
            let audible = if hides_ofdm { vector(dsss::RATES[3], preamble) } else { tx };
            let response = response(&basic, tx, preamble);
            ControlResponses {
                response,
                ack: standard.ppdu_duration(ACK_SIZE, response),
                guard: self::response(&basic, audible, preamble),
                is_hidden,
            }
        };
        let mut all = TxVector::references().enumerate();
        let control_responses =
            std::array::from_fn(|_| control_responses(all.next().expect("one each")));
        let (beacon, rts_threshold) = (basic[0], rules.rts_threshold);
        let lowest_ofdm = vector(ofdm::MANDATORY_RATES[0], preamble);
        let has_dsss = b_stations || standard == Standard::B;
        let grant = if has_dsss { beacon } else { self::response(&basic, lowest_ofdm, preamble) };
        let links = config.stations.iter().map(|station| station.link).collect();
        let band = rules.channel.band;
        Self {
            standard,
            band,
            preamble,
            beacon,
            grant,
            rts_threshold,
            control_responses,
            links,
            timing,
        }
    }

    /// Vector of frames at this rate, in this cell.
    ///
    /// # Panics
    /// If no legacy amendment has this rate.
    pub fn vector(&self, rate: impl Into<Rate>) -> TxVector {
        match rate.into() {
            Rate::Legacy(rate) => vector(rate, self.preamble),
            Rate::Mode(mode) => TxVector::Mode(mode),
        }
    }

    /// Vector of frames between a station and the access point at this data rate; `None` if the link does not have this
    /// rate. Of several modes with this rate, the result is the one with the fewest streams, with the link's own width
    /// and guard interval if possible.
    pub fn vector_on(&self, station: NodeId, rate: DataRate) -> Option<TxVector> {
        let Some(link) = station.index().checked_sub(1).and_then(|index| self.links[index]) else {
            return TxVector::of(rate, self.preamble);
        };
        let is_it = |mode: &Mode| mode.rate() == rate;
        let of_groups = || mode_groups::modes(link.format, self.band()).find(is_it);
        link.modes().into_iter().find(is_it).or_else(of_groups).map(TxVector::Mode)
    }

    /// Vector of frames between a station and the access point at this data rate, or at the link's next lower one.
    pub fn vector_near(&self, station: NodeId, rate: DataRate) -> Option<TxVector> {
        let link = station.index().checked_sub(1).and_then(|index| self.links[index]);
        let lower = || {
            let modes = link.into_iter().flat_map(|link| link.modes());
            modes.filter(|mode| mode.rate() <= rate).max_by_key(|mode| mode.rate())
        };
        self.vector_on(station, rate).or_else(|| lower().map(TxVector::Mode))
    }

    #[inline]
    fn control_responses(&self, tx: TxVector) -> &ControlResponses {
        &self.control_responses[tx.index()]
    }

    /// Vector of the control frame that answers a frame: at the highest basic rate not above the frame's rate, of the
    /// same modulation class, or else at the highest mandatory rate.  [80211-2020 §10.6.6.5.2]
    #[inline]
    pub fn response(&self, tx: TxVector) -> TxVector {
        self.control_responses(tx).response
    }

    /// Vector of an RTS before a data frame.  [80211-2020 §10.6.6.2]
    pub(crate) fn guard(&self, tx: TxVector) -> TxVector {
        self.control_responses(tx).guard
    }

    /// Protection of a data frame that carries `msdu` octets.
    #[inline]
    pub fn protection(&self, msdu: Bytes, tx: TxVector) -> Protection {
        self.protection_of(sizes::psdu(msdu, tx), tx)
    }

    /// Protection of a data frame whose PSDU has `psdu` octets.
    #[inline]
    pub fn protection_of(&self, psdu: Bytes, tx: TxVector) -> Protection {
        let ControlResponses { guard, is_hidden, .. } = *self.control_responses(tx);
        if self.rts_threshold.is_some_and(|threshold| psdu > threshold) {
            Protection::RtsCts(guard)
        } else if is_hidden {
            Protection::CtsToSelf(guard)
        } else {
            Protection::None
        }
    }

    /// Duration of a data frame that carries `msdu` octets.
    #[inline]
    pub fn data(&self, msdu: Bytes, tx: TxVector) -> Duration {
        self.standard.ppdu_duration(sizes::psdu(msdu, tx), tx)
    }

    /// Duration of a frame of `psdu` octets.
    #[inline]
    pub(crate) fn frame(&self, psdu: Bytes, tx: TxVector) -> Duration {
        self.standard.ppdu_duration(psdu, tx)
    }

    pub(crate) fn band(&self) -> Band {
        self.band
    }

    /// Duration of the ACK of a data frame with this vector.
    #[inline]
    pub fn ack(&self, tx: TxVector) -> Duration {
        self.control_responses(tx).ack
    }

    /// Duration of an exchange with a data frame of ordinary size, its ACK and interframe spaces. Rate control
    /// compares rates by it.
    pub fn exchange(&self, tx: TxVector) -> Duration {
        let Timing { sifs, difs, .. } = self.timing;
        difs + self.data(ORDINARY, tx) + sifs + self.ack(tx)
    }

    /// Mean back-off of a first attempt.
    pub fn mean_backoff(&self) -> Duration {
        Duration::from_nanos((self.timing.slot * u64::from(self.timing.cw_min)).as_nanos() / 2)
    }

    /// Duration of an RTS sent with this vector.
    pub fn rts(&self, tx: TxVector) -> Duration {
        self.standard.ppdu_duration(RTS_SIZE, tx)
    }

    /// Duration of a CTS sent with this vector.
    pub fn cts(&self, tx: TxVector) -> Duration {
        self.standard.ppdu_duration(CTS_SIZE, tx)
    }

    /// Time that RTS and CTS with this vector take before a data frame, with the SIFS after each.
    pub(crate) fn call(&self, tx: TxVector) -> Duration {
        self.rts(tx) + self.timing.sifs + self.cts(tx) + self.timing.sifs
    }

    /// Vector of beacons: that of the lowest rate, which every station supports.
    pub fn beacon_vector(&self) -> TxVector {
        self.beacon
    }

    /// Vector of the frames by which an access point grants time: the lowest basic rate, of OFDM if all stations have it,
    /// or else the lowest mandatory rate of OFDM.
    pub fn grant_vector(&self) -> TxVector {
        self.grant
    }

    /// Duration of a frame of `psdu` octets by which an access point grants time, or ends a grant.
    pub fn grant(&self, psdu: Bytes) -> Duration {
        self.standard.ppdu_duration(psdu, self.grant)
    }

    /// Duration of a beacon of `psdu` octets.
    pub fn beacon(&self, psdu: Bytes) -> Duration {
        self.standard.ppdu_duration(psdu, self.beacon)
    }

    /// ACK and CTS time-out, from the end of the frame: SIFS, a slot and the PHY's start delay. [80211-2020
    /// §10.3.2.9, §10.3.2.11]
    pub fn response_timeout(&self) -> Duration {
        self.timing.sifs + self.timing.slot + self.timing.rx_phy_start_delay
    }
}

fn vector(rate: DataRate, preamble: Preamble) -> TxVector {
    TxVector::of(rate, preamble).expect("a rate of a legacy amendment")
}

fn response(basic: &[TxVector], tx: TxVector, preamble: Preamble) -> TxVector {
    let fits = |it: &&TxVector| it.rate() <= tx.rate() && it.is_dsss() == tx.is_dsss();
    let mandatory: &[DataRate] = if tx.is_dsss() { &dsss::RATES } else { &ofdm::MANDATORY_RATES };
    let mandatory: Vec<TxVector> = mandatory.iter().map(|rate| vector(*rate, preamble)).collect();
    let found = basic.iter().rfind(fits).or_else(|| mandatory.iter().rfind(fits));
    found.copied().unwrap_or(mandatory[0])
}
