use super::*;
use airfair_units::Bytes;
use proptest::prelude::*;

const DATA: Data = Data {
    ssrc: 0x0102_0304,
    seq: 0xfffe,
    media_time: 0x1122_3344,
    is_frame_end: true,
    sent_at: 0x5566_7788,
    rtt: 100_000,
    payload: 3,
};

fn datagram(data: &Data) -> Vec<u8> {
    let mut octets = encode_data(data).to_vec();
    octets.resize(DATA_HEADER + usize::try_from(data.payload).unwrap(), 0xaa);
    octets
}

/// A data packet is encoded to the octets of its formats, and decoded from them.
///
/// Verifies: [RFC3550 §5.1], [RFC8285 §4.2], [AVT-TFRC §4]
#[test]
fn data_is_laid_out_octet_by_octet() {
    let octets = [
        0x90, 0xe0, 0xff, 0xfe, // V=2 X=1 │ M, 96 │ 65534
        0x11, 0x22, 0x33, 0x44, 0x01, 0x02, 0x03, 0x04, // RTP timestamp, SSRC
        0xbe, 0xde, 0x00, 0x02, // one-byte extensions, two words
        0x16, 0x01, 0x86, 0xa0, // ID 1, 7 octets │ 100 000 µs
        0x55, 0x66, 0x77, 0x88, // send timestamp
        0xaa, 0xaa, 0xaa,
    ];
    assert_eq!(datagram(&DATA), octets);
    assert_eq!(decode(&octets), Ok(Packet::Data(DATA)));
    // 20 + 8 + 24 + 3
    assert_eq!(DATA.size(), Bytes::new(55));
}

/// A feedback packet is encoded to the octets of its formats, and decoded from them.
///
/// Verifies: [RFC4585 §6.1], [AVT-TFRC §5]
#[test]
fn feedback_is_laid_out_octet_by_octet() {
    let feedback = Feedback {
        reporter: 0x0a0b_0c0d,
        ssrc: 0x0102_0304,
        sent_at: 0x5566_7788,
        delay: 1,
        receive_rate: 125_000,
        loss_event_rate: 1 << 31,
    };
    let octets = [
        0x82, 0xcd, 0x00, 0x06, // V=2 FMT=2 │ 205 │ 6 words more
        0x0a, 0x0b, 0x0c, 0x0d, 0x01, 0x02, 0x03, 0x04, 0x55, 0x66, 0x77, 0x88, 0, 0, 0,
        1, // …
        0x00, 0x01, 0xe8, 0x48, // 125 000 octets/s
        0x80, 0x00, 0x00, 0x00, // one half
    ];
    assert_eq!(encode_feedback(&feedback), octets);
    assert_eq!(decode(&octets), Ok(Packet::Feedback(feedback)));
    assert_eq!(feedback.size(), Bytes::new(56));
    assert!((feedback.loss_event_fraction() - 0.5).abs() < f64::EPSILON);
}

#[test]
fn other_datagrams_are_refused_with_a_reason() {
    let data = datagram(&DATA);
    let feedback = {
        let mut octets = [0; FEEDBACK];
        octets[..4].copy_from_slice(&[0x82, 205, 0, 6]);
        octets.to_vec()
    };
    let changed = |octets: &[u8], at: usize, value: u8| {
        let mut octets = octets.to_vec();
        octets[at] = value;
        decode(&octets).unwrap_err()
    };
    assert_eq!(decode(&[]), Err(DecodeError::Truncated));
    assert_eq!(decode(&data[..1]), Err(DecodeError::Truncated));
    assert_eq!(decode(&data[..DATA_HEADER - 1]), Err(DecodeError::Truncated));
    assert_eq!(decode(&feedback[..FEEDBACK - 1]), Err(DecodeError::Truncated));
    assert_eq!(changed(&data, 0, 0x50), DecodeError::WrongVersion);
    assert_eq!(changed(&data, 1, 97), DecodeError::UnknownType);
    assert_eq!(changed(&data, 0, 0xb0), DecodeError::Unsupported);
    assert_eq!(changed(&data, 0, 0x91), DecodeError::Unsupported);
    assert_eq!(changed(&data, 0, 0x80), DecodeError::Unsupported);
    assert_eq!(changed(&data, 12, 0), DecodeError::Unsupported);
    assert_eq!(changed(&data, 16, 0x26), DecodeError::Unsupported);
    assert_eq!(changed(&data, 15, 3), DecodeError::WrongLength);
    assert_eq!(changed(&feedback, 0, 0xa2), DecodeError::Unsupported);
    assert_eq!(changed(&feedback, 0, 0x81), DecodeError::UnknownFormat);
    assert_eq!(changed(&feedback, 3, 7), DecodeError::WrongLength);
    assert_eq!(decode(&[&feedback[..], &[0]].concat()), Err(DecodeError::WrongLength));
    // A round trip above 24 bits is encoded as the largest value and does not change the ID.
    let long = encode_data(&Data { rtt: u32::MAX, ..DATA });
    assert_eq!(long[16..20], [0x16, 0xff, 0xff, 0xff]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// No input panics, and a decoded packet encodes to the same octets.
    #[test]
    fn decoding_is_total(
        mut octets in prop::collection::vec(any::<u8>(), 0..80),
        head in prop::sample::select(vec![None, Some([0x90u8, 96]), Some([0x82, 205]), Some([0x90, 0xe0])]),
        is_extended: bool,
    ) {
        for (place, value) in octets.iter_mut().zip(head.into_iter().flatten()) {
            *place = value;
        }
        if is_extended && octets.len() > 16 {
            octets[12..17].copy_from_slice(&[0xbe, 0xde, 0, 2, 0x16]);
        }
        match decode(&octets) {
            Ok(Packet::Data(data)) => {
                prop_assert_eq!(&octets[..DATA_HEADER], encode_data(&data));
                prop_assert_eq!(data.size().get(), octets.len() as u64 + 28);
            }
            Ok(Packet::Feedback(feedback)) => {
                prop_assert_eq!(feedback.size().get(), octets.len() as u64 + 28);
            }
            Err(_) => {}
        }
    }
}
