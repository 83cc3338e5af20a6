//! Radio model of a cell.

use std::fmt;

use airfair_units::{DataRate, Dbm, Decibels, Frequency, Length};
use airfair_wlan::Channel;
use airfair_wlan::phy::rate_name::{BadRate, LinkFormat, RateName};
use airfair_wlan::phy::{Band, Preamble, Standard, TxVector};
use airfair_wlan::radio::{
    Crossings, Decoder, Fading, Layout, Mobility, PathLoss, Position, RangeError,
};

/// Powers, distances and noise of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Radio {
    /// Distances at which rates are just received, at most two, with ascending rates. The transmit power follows from
    /// the distances.
    pub range: Vec<(RangeRate, Length)>,
    /// Path loss model. With two ranges the model is log-distance, and its exponent follows from the ranges.
    pub propagation: PathLossModel,
    /// Carrier frequency of the cell.
    pub frequency: Frequency,
    /// Transmit power of all members, if no range is given.
    pub tx_power: Dbm,
    /// Noise figure of a receiver: its noise above thermal noise at 290 K.
    pub noise_figure: Decibels,
    /// Rule that decides which frames are errored.
    pub reception: Decoder,
    /// Power from which a frame is sensed. With `None`, the power at which the lowest rate is just received.
    pub carrier_sense: Option<Dbm>,
    /// Power from which a frame whose preamble was missed is sensed. With `None`, the same as for all frames.
    pub energy_detection: Option<Dbm>,
    /// Standard deviation of log-normal shadowing.
    pub shadowing: Decibels,
    /// Fading: variation of the received power over time.
    pub fading: Fading,
    /// Ratio by which a frame must exceed the sum of all overlapping frames to survive; with `None`, no overlapping
    /// frame survives.
    pub capture: Option<Decibels>,
    /// Loss of the walls around the cell, which frames between it and other cells pass.
    pub walls: Decibels,
}

impl Radio {
    /// Radio with a transmit power of 20 dBm in free space.
    pub(crate) fn new(band: Band) -> Self {
        Self {
            range: Vec::new(),
            propagation: PathLossModel::FreeSpace,
            frequency: match band {
                Band::Ghz6 => Frequency::from_megahertz(6_135),
                Band::Ghz5 => Frequency::from_megahertz(5_200),
                Band::Ghz2 => Frequency::from_megahertz(2_437),
            },
            tx_power: Dbm::new(20),
            noise_figure: Decibels::new(10),
            reception: Decoder::Snr,
            carrier_sense: None,
            energy_detection: None,
            shadowing: Decibels::ZERO,
            fading: Fading::None,
            capture: None,
            walls: Decibels::ZERO,
        }
    }

    /// Layout of a cell whose stations move as in `ways` and may send with the transmission vectors `vectors`. Its access
    /// point is at the origin.
    pub(crate) fn layout(
        &self,
        rates: CellRates,
        ways: Vec<Mobility>,
        vectors: Vec<TxVector>,
    ) -> Layout {
        Layout { ways, vectors, ..self.solved(rates).expect("the scenario was checked") }
    }

    /// Layout of a cell without stations. If the scenario gives ranges, transmit power and path loss follow from them.
    pub(crate) fn solved(&self, rates: CellRates) -> Result<Layout, RangeError> {
        let (path_loss, between) = self.path_losses();
        let mut radio = airfair_wlan::radio::Radio {
            noise_figure: self.noise_figure,
            decoder: self.reception,
            energy_detection: self.energy_detection,
            capture: self.capture,
            ..airfair_wlan::radio::Radio::new(rates.legacy, path_loss)
        };
        let lowest = vector(rates.legacy.rates()[0]);
        radio.carrier_sense = self.carrier_sense.unwrap_or_else(|| radio.required_power(lowest));
        let (shadowing, fading) = (self.shadowing, self.fading);
        let (ways, vectors) = (Vec::new(), Vec::new());
        let transmit_power = self.tx_power;
        let (origin, walls, seed) = (Position::default(), self.walls, 0);
        let layout = Layout {
            radio,
            between,
            transmit_power,
            shadowing,
            fading,
            ways,
            vectors,
            origin,
            walls,
            seed,
        };
        if self.range.is_empty() {
            return Ok(layout);
        }
        let of = |rate| rates.vector(rate).expect("the scenario was checked");
        let ranges: Vec<_> = self.range.iter().map(|(rate, range)| (of(*rate), *range)).collect();
        let solved = radio.solve_range(Decibels::ZERO, &ranges)?;
        let radio = airfair_wlan::radio::Radio { path_loss: solved.path_loss, ..radio };
        let between = if self.range.len() > 1 { solved.path_loss } else { between };
        Ok(Layout { radio, between, transmit_power: solved.transmit_power, ..layout })
    }

    /// Path loss between the access point and a station, and between two stations.
    fn path_losses(&self) -> (PathLoss, PathLoss) {
        let frequency = self.frequency;
        match self.propagation {
            // With two ranges, the exponent is solved for later. Any value will do here.
            _ if self.range.len() > 1 => {
                let any = PathLoss::log_distance(frequency, 2.0);
                (any, any)
            }
            PathLossModel::FreeSpace => {
                let free = PathLoss::FreeSpace { frequency };
                (free, free)
            }
            PathLossModel::TwoRay { ap_height, station_height } => {
                let (height, other_height) = (ap_height, station_height);
                let to_ap = PathLoss::TwoRay { frequency, height, other_height };
                let height = station_height;
                (to_ap, PathLoss::TwoRay { frequency, height, other_height })
            }
            PathLossModel::LogDistance { decade, reference_loss } => {
                let mut model = PathLoss::log_distance(frequency, decade.get() / 10.0);
                if let (PathLoss::LogDistance { loss, .. }, Some(given)) =
                    (&mut model, reference_loss)
                {
                    *loss = given;
                }
                (model, model)
            }
            PathLossModel::Residential { floors, walls } => {
                let model = PathLoss::Residential { frequency, floors, walls };
                (model, model)
            }
        }
    }
}

/// Rate for which a range is given: a data rate, or the name of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RangeRate {
    /// Rate of the cell's legacy standard, or of the only mode with this rate.
    Plain(DataRate),
    /// Rate of the mode with this name.
    Named(RateName),
}

impl fmt::Display for RangeRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(rate) => rate.fmt(f),
            Self::Named(name) => name.fmt(f),
        }
    }
}

/// Rates of a cell: those of its legacy standard, and those of links of its own standard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellRates {
    pub(crate) legacy: Standard,
    pub(crate) band: Band,
    link: Option<LinkFormat>,
}

impl CellRates {
    /// Rates of a cell of this standard.
    pub(crate) fn of(standard: Standard, channel: Channel) -> Self {
        let link = channel.link(standard, standard).map(|link| link.format);
        Self { legacy: standard.legacy(channel.band), band: channel.band, link }
    }

    /// True if all frames of the cell are frames of 802.11a.
    pub(crate) fn are_80211a(self) -> bool {
        self.legacy == Standard::A && self.link.is_none()
    }

    /// Transmission vector of a rate. A rate of the legacy standard is a legacy rate, even if a mode has the same
    /// value.
    pub(crate) fn vector(self, rate: RangeRate) -> Result<TxVector, NotThere> {
        let found = match (rate, self.link) {
            (RangeRate::Plain(rate), _) if self.legacy.rates().contains(&rate) => {
                return Ok(vector(rate));
            }
            (_, None) => return Err(NotThere::Legacy),
            (RangeRate::Plain(rate), Some(link)) => link.at(rate),
            (RangeRate::Named(name), Some(link)) => link.named(name),
        };
        found.map(TxVector::Mode).map_err(NotThere::Mode)
    }
}

/// Reason for which a cell does not have a rate.
#[derive(Debug)]
pub(crate) enum NotThere {
    /// The cell has only legacy rates, and this is none of them.
    Legacy,
    /// No mode of the cell has this rate.
    Mode(BadRate),
}

fn vector(rate: DataRate) -> TxVector {
    TxVector::of(rate, Preamble::Long).expect("a rate of the standard")
}

/// Path loss model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathLossModel {
    /// Free space, by Friis' equation.
    FreeSpace,
    /// Two rays: the direct one, and one that the ground reflects.
    TwoRay {
        /// Height of the access point's antenna.
        ap_height: Length,
        /// Height of the stations' antennas.
        station_height: Length,
    },
    /// Log-distance model, in which the path loss grows with a power of the distance.
    LogDistance {
        /// Additional loss at ten times the distance: ten times the exponent [dB].
        decade: Decibels,
        /// Loss at 1 m; with `None`, that of free space.
        reference_loss: Option<Decibels>,
    },
    /// Residential scenario of the task group of 802.11ax.
    Residential {
        /// Floors between the antennas of a link.
        floors: Crossings,
        /// Walls between the antennas of a link.
        walls: Crossings,
    },
}
