//! Capabilities of cells and links, which HT, VHT and HE add to the name of the standard.
//!
//! A link has the format of its older end, and the capabilities that both ends have. [80211-2020 §9.4.2.55,
//! §9.4.2.157], [80211ax-2021 §9.4.2.248]

use airfair_units::{Bytes, DataRate, Duration};

use crate::aggregation::{Agreement, AmpduLimits, BlockAckWindow, amsdu_limits};
use crate::block_ack::AfterSilence;
use crate::phy::mode::Format;
use crate::phy::rate_name::LinkFormat;
use crate::phy::{Band, GuardInterval, Mode, Punctured, Standard, Unit, Width};

/// Limits and behaviour of aggregation at one end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// Size of the largest A-MPDU.
    pub max_bytes: Bytes,
    /// Window of the block ack agreement.
    pub window: BlockAckWindow,
    /// Longest A-MPDU [time on the air].
    pub max_duration: Duration,
    /// Longest A-MPDU at a rate below `slow_below`, if shorter than `max_duration`.
    pub slow_duration: Duration,
    /// Rate below which `slow_duration` limits A-MPDUs.
    pub slow_below: DataRate,
    /// Behaviour of the transmitter if no response to an A-MPDU arrives.
    pub after_silence: AfterSilence,
}

impl Aggregation {
    /// Aggregation with the largest A-MPDUs of a format, and with a window of 64 MPDUs, which all formats have.
    pub fn of(format: Format) -> Self {
        let window = BlockAckWindow::default();
        let AmpduLimits { max_bytes, max_duration, slow_duration, slow_below, .. } =
            AmpduLimits::of(format, window);
        let after_silence = AfterSilence::default();
        Self { max_bytes, window, max_duration, slow_duration, slow_below, after_silence }
    }

    /// Largest block ack window of a format.  [80211ax-2021 §26.4.3], [80211be-2024 §35.4.1]
    pub const fn widest(format: Format) -> BlockAckWindow {
        match format {
            Format::Ht | Format::Vht => BlockAckWindow::Mpdus64,
            Format::He => BlockAckWindow::Mpdus256,
            Format::Eht => BlockAckWindow::Mpdus1024,
        }
    }

    /// Aggregation that both ends of a link support. `slow_below` and `after_silence` are those of `self`.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        Self {
            max_bytes: self.max_bytes.min(other.max_bytes),
            window: self.window.min(other.window),
            max_duration: self.max_duration.min(other.max_duration),
            slow_duration: self.slow_duration.min(other.slow_duration),
            slow_below: self.slow_below,
            after_silence: self.after_silence,
        }
    }
}

/// Channel of a cell, with the capabilities of its access point. A legacy cell has only a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Frequency band of the cell.
    pub band: Band,
    /// Width of the cell's channel.
    pub width: Width,
    /// Subchannels that all PPDUs leave empty, in 802.11be.
    pub punctured: Punctured,
    /// Guard interval of frames in the access point's own format.
    pub guard: GuardInterval,
    /// Largest number of spatial streams of the access point.
    pub streams: u8,
    /// Aggregation of the access point; `None` if its frames carry one MPDU each.
    pub aggregation: Option<Aggregation>,
    /// Size of the largest A-MSDU; `None` if each MPDU carries one packet.
    pub amsdu: Option<Bytes>,
}

impl Channel {
    /// Default channel of a cell of `standard`; 5 GHz for 802.11n and later.
    pub fn of(standard: Standard) -> Self {
        Self::at(standard, standard.band())
    }

    /// Default channel of a cell of `standard` in this band: 80 MHz from VHT on at 5 and 6 GHz, otherwise 20 MHz; one
    /// stream, and a guard interval of 800 ns.
    pub fn at(standard: Standard, band: Band) -> Self {
        let format = standard.format();
        let width = match (format, band) {
            (Some(Format::Vht | Format::He | Format::Eht), Band::Ghz5 | Band::Ghz6) => Width::Mhz80,
            _ => Width::Mhz20,
        };
        let (guard, streams, punctured) = (GuardInterval::Ns800, 1, Punctured::NONE);
        let aggregation = format.map(Aggregation::of);
        Self { band, width, punctured, guard, streams, aggregation, amsdu: None }
    }

    /// Capabilities of the link between the access point and a station with the full capabilities of their standards,
    /// limited by the channel. `None` if one of the ends is older than HT. If an older format does not have the
    /// channel's guard interval, it has its own longest one. In a channel with punctured subchannels, it has the widest
    /// part without any.
    pub fn link(&self, access_point: Standard, station: Standard) -> Option<LinkCapabilities> {
        let format = access_point.format()?.min(station.format()?);
        let unit = self.punctured.unit(self.width);
        // Only EHT has PPDUs around punctured subchannels.
        let most = if format == Format::Eht { self.width } else { unit.widest_part(self.width) };
        let width = *format.widths(self.band).iter().rfind(|it| **it <= most)?;
        let unit = if width == self.width { unit } else { Unit::Full };
        let guards = format.guard_intervals();
        let guard = *guards.iter().find(|it| **it >= self.guard).or(guards.last())?;
        let streams = self.streams.min(format.max_streams());
        let usual = Aggregation { window: Aggregation::widest(format), ..Aggregation::of(format) };
        let aggregation = self.aggregation.map(|it| it.least(usual));
        let most = amsdu_limits(format, self.band).last().copied();
        let amsdu = self.amsdu.min(most);
        let format = LinkFormat { unit, ..LinkFormat::new(format, width, guard, streams) };
        Some(LinkCapabilities { format, aggregation, amsdu })
    }
}

/// Capabilities of a link between an access point and a station, both of HT or later: those that both ends have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkCapabilities {
    /// Format of the link's PPDUs.
    pub format: LinkFormat,
    /// Aggregation that both ends support; `None` if frames carry one MPDU each.
    pub aggregation: Option<Aggregation>,
    /// Size of the largest A-MSDU; `None` without A-MSDUs.
    pub amsdu: Option<Bytes>,
}

impl LinkCapabilities {
    /// Agreement that the capabilities of the link's two ends allow; `None` if frames carry one packet each.
    pub fn agreement(&self) -> Option<Agreement> {
        let format = self.format.format;
        let Some(own) = self.aggregation else {
            return self.amsdu.map(|amsdu| Agreement::without_block_ack(format, amsdu));
        };
        let Aggregation { window, max_duration, slow_duration, slow_below, after_silence, .. } =
            own;
        let agreement = Agreement::of(format, window);
        let max_bytes = own.max_bytes.min(agreement.limits.max_bytes);
        let limits =
            AmpduLimits { max_bytes, max_duration, slow_duration, slow_below, ..agreement.limits };
        let agreement = Agreement { limits, after_silence, ..agreement };
        Some(self.amsdu.map_or(agreement, |amsdu| agreement.with_amsdu(format, amsdu)))
    }

    /// Modes of the link in ascending order of rate. Of modes with the same rate, those with fewer streams come first.
    pub fn modes(&self) -> Vec<Mode> {
        let mut modes: Vec<Mode> = self.format.modes().collect();
        modes.sort_by_key(|mode| (mode.rate(), mode.streams()));
        modes
    }

    /// Modes of the link in ascending order of rate, without those that another mode matches in rate with fewer
    /// streams.
    pub fn ladder(&self) -> Vec<Mode> {
        let modes = self.modes();
        let is_better = |other: &Mode, mode: &Mode| {
            (other.streams() < mode.streams() && other.rate() >= mode.rate())
                || (other.streams() == mode.streams()
                    && other.rate() == mode.rate()
                    && other < mode)
        };
        let is_needed = |mode: &Mode| !modes.iter().any(|other| is_better(other, mode));
        modes.iter().copied().filter(is_needed).collect()
    }

    /// Mode of the link with the highest rate.
    ///
    /// # Panics
    /// If the link has no mode, which no constructor allows.
    pub fn fastest(&self) -> Mode {
        *self.ladder().last().expect("a link has modes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::rate_name::RateName;

    fn at(standard: Standard, band: Band) -> Channel {
        Channel { streams: 2, ..Channel::at(standard, band) }
    }

    fn summary(link: Option<LinkCapabilities>) -> Option<(Format, Width, GuardInterval, u8)> {
        link.map(|LinkCapabilities { format: it, .. }| (it.format, it.width, it.guard, it.streams))
    }

    /// A link has the format of its older end, and the channel's width, guard interval and streams as far as this
    /// format allows.
    ///
    /// Verifies: [80211-2020 §9.4.2.55, §9.4.2.157]
    #[test]
    fn a_link_has_the_format_of_its_older_end_and_as_much_of_the_channel_as_that_has() {
        use GuardInterval::Ns800;
        let of = |channel: Channel, ap, station| summary(channel.link(ap, station));
        let five = at(Standard::Ax, Band::Ghz5);
        assert_eq!(
            of(five, Standard::Ax, Standard::Ax),
            Some((Format::He, Width::Mhz80, Ns800, 2))
        );
        assert_eq!(
            of(five, Standard::Ax, Standard::Ac),
            Some((Format::Vht, Width::Mhz80, Ns800, 2))
        );
        assert_eq!(of(five, Standard::Ax, Standard::N), Some((Format::Ht, Width::Mhz40, Ns800, 2)));
        assert_eq!(of(five, Standard::Ax, Standard::A), None);
        let two = at(Standard::Ax, Band::Ghz2);
        assert_eq!(of(two, Standard::Ax, Standard::Ax), Some((Format::He, Width::Mhz20, Ns800, 2)));
        let patient = Channel { guard: GuardInterval::Ns3200, streams: 8, ..five };
        assert_eq!(
            of(patient, Standard::Ax, Standard::N),
            Some((Format::Ht, Width::Mhz40, Ns800, 4))
        );
    }

    /// A cell of 802.11be has up to 320 MHz at 6 GHz. Around punctured subchannels, its own stations use the whole
    /// channel and narrower parts without any; older stations use only these parts. In 320 MHz with 80 MHz and 40 MHz
    /// punctured, both halves may be, so that the parts have 80 MHz.
    ///
    /// Verifies: [80211be-2024 §36.3.12.11.3]
    #[test]
    fn a_punctured_channel_has_its_unit_for_new_stations_and_a_part_for_old_ones() {
        let of = |width, places: &[u8], station| {
            let punctured = Punctured::at(places.iter().copied());
            let cell = Channel { width, punctured, ..at(Standard::Be, Band::Ghz6) };
            let link = cell.link(Standard::Be, station).expect("a link");
            let widths = link.format.widths(Band::Ghz6).map(Width::mhz).collect::<Vec<_>>();
            (link.format.width.mhz(), link.fastest().unit(), widths)
        };
        let (be, ax) = (Standard::Be, Standard::Ax);
        let whole = of(Width::Mhz320, &[], be);
        assert_eq!(whole, (320, Unit::Full, vec![20, 40, 80, 160, 320]));
        let half = of(Width::Mhz160, &[3], be);
        assert_eq!(half, (160, Unit::Tones996And484And242, vec![20, 40, 80, 160]));
        assert_eq!(of(Width::Mhz160, &[3], ax), (80, Unit::Full, vec![20, 40, 80]));
        assert_eq!(of(Width::Mhz80, &[3], be), (80, Unit::Tones484And242, vec![20, 40, 80]));
        let both = of(Width::Mhz320, &[0, 1, 2, 3, 8, 9], be);
        assert_eq!(both, (320, Unit::Tones2x996And484, vec![20, 40, 80, 320]));
        assert_eq!(of(Width::Mhz320, &[0, 1, 2, 3, 8, 9], ax).0, 80);
    }

    /// A-MPDUs and the block ack window of a link are limited by the smaller values of its two ends.
    ///
    /// Verifies: [80211ax-2021 §26.4.3]
    #[test]
    fn aggregates_are_as_large_as_both_ends_take_them() {
        let after_silence = AfterSilence::Request;
        let large = Aggregation {
            max_bytes: Bytes::new(2_000_000),
            window: BlockAckWindow::Mpdus256,
            max_duration: Duration::from_millis(4),
            after_silence,
            ..Aggregation::of(Format::He)
        };
        let cell = Channel { aggregation: Some(large), ..at(Standard::Ax, Band::Ghz5) };
        let of = |station| cell.link(Standard::Ax, station).expect("a link").aggregation;
        assert_eq!(of(Standard::Ax), Some(large));
        let small =
            Aggregation { max_bytes: Bytes::new(65_535), window: BlockAckWindow::Mpdus64, ..large };
        assert_eq!(of(Standard::N), Some(small));
    }

    /// A ladder leaves out the modes whose rate a mode with fewer streams has too. 20 MHz, long guard interval, two
    /// streams: 6.5 to 65 Mb/s with one stream, then 78, 104, 117 and 130 Mb/s with two.
    #[test]
    fn a_ladder_leaves_out_what_fewer_streams_do_as_well() {
        let link = at(Standard::N, Band::Ghz2).link(Standard::N, Standard::N).expect("a link");
        let names: Vec<String> =
            link.ladder().into_iter().map(|it| RateName::of(it).to_string()).collect();
        let expected = [0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15].map(|mcs| format!("ht-mcs{mcs}"));
        assert_eq!(names, expected);
        assert_eq!((link.modes().len(), link.fastest()), (16, link.ladder()[11]));
        assert!(link.modes().is_sorted_by_key(|it| it.rate()));
    }
}
