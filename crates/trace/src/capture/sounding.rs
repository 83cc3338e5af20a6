//! Frames of soundings: announcements of NDPs, and reports of the stations.  [80211ax-2021 §9.3.1.19, §9.6.31.2]
//!
//! The model has no matrices of channels, so angles and signal-to-noise ratios are zeros.

use airfair_units::Bytes;
use airfair_wlan::phy::{TxVector, Width};
use airfair_wlan::sounding::{AROUND_REPORT, report, report_psdu, segments};
use airfair_wlan::{Channel, Frame, FrameKind, User};

use super::addresses::Mac;
use super::mac;

/// Bit of the sounding dialog token that marks an announcement of an HE NDP. The token number is 0.
const HE: u8 = 0x02;
/// Feedback for several users with every fourth subcarrier, in the announcement.
const MULTI_USER: u32 = 2 << 25;
/// Codebook with 9 bits for φ and 7 for ψ, in the announcement.
const LARGE_CODEBOOK: u32 = 1 << 28;
/// Size of the category, action and HE MIMO Control fields and of the header before a segment [octets].
const BEFORE_SEGMENT: usize = 24 + 2 + 5;

/// Report of a station, as large as its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Report {
    width: Width,
    /// Streams of the access point, and those of the station.
    rows: u8,
    columns: u8,
    size: Bytes,
}

impl Report {
    /// Report in a frame to an access point with this number of streams; `None` if the frame has none.
    pub(super) fn of(frame: &Frame, rows: u8) -> Option<Self> {
        let is_it = frame.kind == FrameKind::BeamformingReport;
        is_it.then(|| Self::with_size((frame.tx, frame.psdu), rows)).flatten()
    }

    /// Report whose aggregate has this vector and size, to an access point with this number of streams.
    fn with_size((tx, psdu): (TxVector, Bytes), rows: u8) -> Option<Self> {
        let width = tx.mode()?.width();
        let of = |columns| Self { width, rows, columns, size: report(width, (rows, columns)) };
        (1..=rows).map(of).find(|it| report_psdu(it.size) == psdu)
    }

    /// Sizes of the frames of the report.
    pub(super) fn segments(self) -> impl Iterator<Item = Bytes> {
        segments(self.size)
    }

    /// HE compressed beamforming/CQI frame with the segment at `place`, without its check sequence.  [80211ax-2021
    /// §9.6.31.2]
    pub(super) fn frame(self, frame: &Frame, (from, to): (Mac, Mac), place: u16) -> Vec<u8> {
        let sizes: Vec<Bytes> = self.segments().collect();
        let place = usize::from(place);
        // Action No Ack.
        let mut octets = vec![0xe0, 0];
        octets.extend(mac::duration(frame.duration_field));
        octets.extend([to, from, to].concat());
        octets.extend([0, 0]);
        // Category HE, action HE compressed beamforming/CQI.
        octets.extend([30, 0]);
        octets.extend(&self.control(sizes.len() - 1 - place, place == 0).to_le_bytes()[..5]);
        let of_segment = sizes[place].get() - AROUND_REPORT;
        let size = BEFORE_SEGMENT + usize::try_from(of_segment).expect("a frame is short");
        octets.resize(size, 0);
        octets
    }

    /// HE MIMO Control field, 40 bits: feedback for several users, every fourth subcarrier, and the codebook of 9 and 7
    /// bits. The units are all of the width.  [80211ax-2021 §9.4.1.64]
    fn control(self, remaining: usize, is_first: bool) -> u64 {
        let last_unit = u64::from(last_unit(self.width));
        u64::from(self.columns - 1)
            | u64::from(self.rows - 1) << 3
            | (self.width as u64) << 6
            | 1 << 9
            | 1 << 10
            | (remaining as u64) << 12
            | u64::from(is_first) << 15
            | last_unit << 23
    }
}

/// Number of the last unit of 26 tones in a width.  [80211ax-2021 §9.4.1.64]
fn last_unit(width: Width) -> u32 {
    match width {
        Width::Mhz20 => 8,
        Width::Mhz40 => 17,
        Width::Mhz80 => 36,
        Width::Mhz160 | Width::Mhz320 => 73,
    }
}

/// Appends the body of an announcement: the sounding dialog token, and STA Info of each station with its units, feedback
/// and number of columns.  [80211ax-2021 §9.3.1.19]
pub(super) fn put_announcement<P>(octets: &mut Vec<u8>, users: &[User<P>], channel: Channel) {
    octets.push(HE);
    for user in users {
        let report = Report::with_size((user.tx, user.psdu), channel.streams);
        let columns = report.map_or(0, |report| u32::from(report.columns - 1));
        let info = u32::from(user.station.0)
            | last_unit(channel.width) << 18
            | MULTI_USER
            | LARGE_CODEBOOK
            | columns << 29;
        octets.extend(info.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use airfair_units::Duration;
    use airfair_wlan::NodeId;
    use airfair_wlan::phy::mode::{Format, Parameters};
    use airfair_wlan::phy::{GuardInterval, Mode};

    use super::*;

    /// A report of four streams to eight at 160 MHz has three segments. HE MIMO Control of the first: Nc 4 and Nr 8, less
    /// one each, 160 MHz, the large codebook, feedback for several users, two more segments, the first one, and units 0 to
    /// 73: 3 | 7 << 3 | 3 << 6 | 1 << 9 | 1 << 10 | 2 << 12 | 1 << 15 | 73 << 23.
    ///
    /// Verifies: [80211ax-2021 §9.4.1.64]
    #[test]
    fn each_segment_says_how_many_follow() {
        let of = Parameters::of(Format::He, 5, 1, Width::Mhz160, GuardInterval::Ns3200);
        let tx = TxVector::Mode(Mode::new(of).expect("a mode"));
        let psdu = report_psdu(report(Width::Mhz160, (8, 4)));
        let frame = Frame {
            kind: FrameKind::BeamformingReport,
            from: NodeId(1),
            to: Some(NodeId::AP),
            tx,
            psdu,
            duration: Duration::ZERO,
            duration_field: Duration::ZERO,
            retry: false,
        };
        let report = Report::of(&frame, 8).expect("a report");
        let all: Vec<Vec<u8>> =
            (0..3).map(|place| report.frame(&frame, ([1; 6], [0; 6]), place)).collect();
        let sizes: Vec<usize> = all.iter().map(Vec::len).collect();
        assert_eq!(sizes, [11_450, 11_450, 197]);
        assert_eq!(all[0][24..31], [30, 0, 0xfb, 0xa6, 0x80, 0x24, 0x00]);
        assert_eq!(all[2][26..28], [0xfb, 0x06]);
    }
}
