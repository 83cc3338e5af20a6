//! Largest values, and lengths of headers.

use airfair_units::{Bytes, Duration};

/// Longest duration of a run: 30 days.
pub(crate) const MAX_DURATION: Duration = Duration::from_secs(30 * 24 * 3600);
/// Largest number of wireless stations.
pub(crate) const MAX_STATIONS: usize = 5_000;
/// Largest number of wired hosts.
pub(crate) const MAX_HOSTS: usize = 1_000;
/// Largest number of cells.
pub(crate) const MAX_CELLS: usize = 500;
/// Largest number of routers.
pub(crate) const MAX_ROUTERS: usize = 1_000;
/// Largest number of links, without those of the hosts.
pub(crate) const MAX_LINKS: usize = 10_000;
/// Largest number of flows.
pub(crate) const MAX_FLOWS: usize = 10_000;
/// Largest number of frames in the list of a media source, which repeats them.
pub(crate) const MAX_FRAMES: usize = 100_000;
/// Largest number of rates of a video.
pub(crate) const MAX_RATES: usize = 100;
/// Largest MSDU of a legacy frame.  [80211-2020 §9.2.4.8]
pub(crate) const MAX_MSDU: u64 = 2_304;
/// Length of the LLC and SNAP headers [octets].
pub(crate) const LLC_SNAP: u64 = 8;
/// Length of IP and TCP headers without options [octets].
pub(crate) const IP_TCP: u64 = 40;
/// Length of TCP's timestamps option with its padding [octets].
pub(crate) const TIMESTAMPS: u64 = 12;
/// Length of IP, UDP and RTP headers with TFRC's extension [octets].
pub(crate) const IP_TFRC: u64 = 52;
/// Length of IP and UDP headers [octets].
pub(crate) const IP_UDP: u64 = 28;
/// Largest window without the window-scale option.  [RFC7323 §2.2]
pub(crate) const MAX_UNSCALED: Bytes = Bytes::new(65_535);
