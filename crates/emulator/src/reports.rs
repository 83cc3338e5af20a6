//! TFRC over real sockets: reading its datagrams, and writing rate limits into its feedback
//! packets. Deviates: [D-163]

use airfair_transport::tfrc::wire;
use airfair_units::DataRate;

use crate::headers::{Headers, UDP_HEADER, mended};

/// Offset of the receive rate in a feedback packet [octets].
const RECEIVE_RATE: usize = 20;

/// TFRC packet that an Ethernet frame carries, if any.
pub(crate) fn read(frame: &[u8], headers: &Headers) -> Option<wire::Packet> {
    let (at, end) = headers.udp?;
    wire::decode(frame.get(at + UDP_HEADER..end)?).ok()
}

/// Writes half of the receiver's limit into a feedback packet, as a simulated receiver does: a TFRC
/// sender sends at most twice the reported receive rate.  [occupancy-tfrc §III-D]
pub(crate) fn limit(frame: &mut [u8], headers: &Headers, limit: DataRate) {
    let Some((at, wire::Packet::Feedback(report))) = headers.udp.zip(read(frame, headers)) else {
        return;
    };
    let half = u32::try_from(limit.bps() / 16).unwrap_or(u32::MAX).max(1);
    write_rate(frame, at.0, report.receive_rate, half);
}

/// Writes the receive rate `new` after the UDP header at offset `udp`, and updates the checksum if
/// there is one.
fn write_rate(frame: &mut [u8], udp: usize, old: u32, new: u32) {
    let at = udp + UDP_HEADER + RECEIVE_RATE;
    frame[at..at + 4].copy_from_slice(&new.to_be_bytes());
    let sum = u16::from_be_bytes([frame[udp + 6], frame[udp + 7]]);
    if sum == 0 {
        return;
    }
    let words = |rate: u32| rate.to_be_bytes().as_chunks().0.to_vec();
    let pairs = words(old).into_iter().zip(words(new));
    let number = u16::from_be_bytes;
    let sum = pairs.fold(sum, |sum, (old, new)| mended(sum, number(old), number(new)));
    // A UDP checksum of zero means that there is none.  [RFC768]
    let sum = if sum == 0 { u16::MAX } else { sum };
    frame[udp + 6..udp + 8].copy_from_slice(&sum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers;
    use airfair_transport::tfrc::Feedback;

    /// Ethernet frame with a feedback packet over IPv4 that reports 125 000 octets per second.
    fn frame(with_checksum: bool) -> Vec<u8> {
        let report = Feedback {
            reporter: 7,
            ssrc: 9,
            sent_at: 1_000,
            delay: 20,
            receive_rate: 125_000,
            loss_event_rate: 0,
        };
        headers::tests::datagram((40_000, 9), &wire::encode_feedback(&report), with_checksum)
    }

    fn rate_of(frame: &[u8]) -> u32 {
        let headers = headers::read(frame).expect("a packet");
        match read(frame, &headers) {
            Some(wire::Packet::Feedback(report)) => report.receive_rate,
            other => panic!("{other:?}"),
        }
    }

    fn limited(mut frame: Vec<u8>, rate: u64) -> Vec<u8> {
        let headers = headers::read(&frame).expect("a packet");
        limit(&mut frame, &headers, DataRate::from_bps(rate));
        frame
    }

    /// A feedback packet reports half of the receiver's limit: of 1.6 Mb/s, which are 200 000
    /// octets per second, 100 000. They replace the receive rate of 125 000.
    ///
    /// Verifies: [occupancy-tfrc §III-D]
    #[test]
    fn reports_contain_half_of_the_granted_rate() {
        for (rate, said) in
            [(1_600_000, 100_000), (2_000_000, 125_000), (3_200_000, 200_000), (1, 1)]
        {
            let found = limited(frame(true), rate);
            assert_eq!(rate_of(&found), said, "{rate}");
            assert!(headers::tests::is_whole(&found), "{rate}");
        }
    }

    #[test]
    fn without_a_checksum_there_is_none_afterwards() {
        let found = limited(frame(false), 1_600_000);
        assert_eq!((rate_of(&found), &found[40..42]), (100_000, &[0, 0][..]));
    }

    /// Data packets, and other datagrams on the same port, stay unchanged.
    #[test]
    fn nothing_but_reports_is_written_into() {
        for octets in [&[0_u8; 0][..], &[0x82; 28], &[0x90, 96, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]] {
            let strange = headers::tests::datagram((40_000, 9), octets, true);
            assert_eq!(limited(strange.clone(), 1), strange);
        }
    }
}
