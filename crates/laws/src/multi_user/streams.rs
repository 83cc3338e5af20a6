//! Spatial streams of the users that share a PPDU by MU-MIMO.

/// Most streams of one of several users.  [80211ax-2021 Table 27-29]
pub const MOST_STREAMS: u8 = 4;

/// Shares the streams of an access point among users that want these numbers of streams: one more to each in turn, until
/// it has what it wants, or [`MOST_STREAMS`].
///
/// A user that gets fewer streams than it wants keeps its MCS. Equal shares let as many users as possible take part. With
/// equal MCSs the sum of the rates is the same as with fewer users that have more streams each.  Deviates: [D-262]
///
/// # Panics
/// If there are more users than streams.
pub fn share_streams(wanted: &[u8], streams: u8) -> Vec<u8> {
    let users = u8::try_from(wanted.len()).expect("at most 8 users");
    let mut left = streams.checked_sub(users).expect("a stream for each user");
    let mut shares = vec![1; wanted.len()];
    for before in 1..MOST_STREAMS {
        for (share, wanted) in shares.iter_mut().zip(wanted) {
            if left > 0 && *share == before && *wanted > before {
                *share += 1;
                left -= 1;
            }
        }
    }
    shares
}
