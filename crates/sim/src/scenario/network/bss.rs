//! Cells, with their access points and beacons.

use airfair_laws::{fair, occupancy};
use airfair_units::{Bytes, Dbm, Duration, Length};
use airfair_wlan::phy::Standard;
use airfair_wlan::radio::Position;
use airfair_wlan::{Rules, SpatialReuse};

use super::super::schemes::ApScheme;
use super::{Access, Heard, Queue, Radio, WidthRule};

/// A cell: an access point, and the rules of its channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Bss {
    /// Name of the cell.
    pub name: String,
    /// Rules of the cell's channel. Stations have the cell's standard unless they name another.
    pub rules: Rules,
    /// Number of the primary channel of 20 MHz in the cell's band, which other cells may share; `None` if the cell has a
    /// channel of its own.
    pub channel: Option<u8>,
    /// Rule for frames while a part of the cell's channel is busy.
    pub width_rule: WidthRule,
    /// Members of other cells that the members of this cell hear, ascending; `None` for all on overlapping channels.
    pub hears: Option<Vec<Heard>>,
    /// BSS colour, 1 to 63, by which members tell the cell's frames from those of neighbours; `None` for no colour.
    pub colour: Option<u8>,
    /// OBSS-PD level of the members of 802.11ax and later: they treat the medium as idle during frames of other colours
    /// that they receive with less power. `None` for no spatial reuse.
    pub obss_pd: Option<Dbm>,
    /// True if 8 octets of LLC/SNAP precede each packet on the air.
    pub llc_snap: bool,
    /// Radio model, by which members hear each other. With `None`, members hear each other except for the stations in
    /// [`Station::senses_only`](super::Station::senses_only) and [`Station::hidden_from`](super::Station::hidden_from).
    pub radio: Option<Radio>,
    /// Beacons; `None` if the cell sends none.
    pub beacons: Option<Beacons>,
    /// Access point of the cell.
    pub ap: AccessPoint,
}

impl Bss {
    /// Creates a cell with the standard's defaults.
    pub fn new(name: &str, standard: Standard) -> Self {
        let (name, rules) = (name.to_owned(), Rules::of(standard));
        let ap = AccessPoint { access: Access::of(standard), ..AccessPoint::default() };
        let (channel, width_rule, hears) = (None, WidthRule::default(), None);
        let (colour, obss_pd, radio, beacons) = (None, None, None, None);
        Self {
            name,
            rules,
            channel,
            width_rule,
            hears,
            colour,
            obss_pd,
            llc_snap: true,
            radio,
            beacons,
            ap,
        }
    }

    /// Spatial reuse of the cell; `None` if it has no colour.
    pub(crate) fn spatial_reuse(&self) -> Option<SpatialReuse> {
        Some(SpatialReuse { colour: self.colour?, level: self.obss_pd })
    }
}

/// Beacons of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beacons {
    /// Time from one beacon of the cell to the next.
    pub interval: Duration,
    /// Time by which the beacons are later than the multiples of the interval, less than the interval. `None` for one
    /// that the seed decides in a cell with neighbours, and for zero in other cells.  Deviates: [D-290]
    pub phase: Option<Duration>,
    /// Size of a beacon [octets], header and check sequence included, without elements for shares of the channel.
    pub size: Bytes,
}

impl Default for Beacons {
    /// Beacons with an interval of 100 time units of 1024 µs [80211-2020 §9.4.1.3] and 66 octets: header 24, check
    /// sequence 4, fixed fields 12, a name of 8 letters 10, rates 10, traffic map 6.  [80211-2020 §9.3.3.2]
    /// Deviates: [D-110]
    fn default() -> Self {
        Self { interval: Duration::from_micros(102_400), phase: None, size: Bytes::new(66) }
    }
}

/// Access point of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessPoint {
    /// Coordinates in the plane of all cells, to the east and to the north, in a cell with a radio.
    pub position: [Length; 2],
    /// Members of other cells that the access point hears, ascending; `None` for those of the cell's list.
    pub hears: Option<Vec<Heard>>,
    /// Transmit queue of the access point, for packets to the stations.
    pub queue: Queue,
    /// Channel access of the access point, per access category.
    pub access: Access,
    /// True if the access point divides its queue among TCP connections by rewriting the windows in their ACKs.
    /// [pilosof-2003 §V]
    pub window_sharing: bool,
    /// Shares of the channel that the access point grants in its beacons; `None` if it grants none.  [occupancy-tfrc
    /// §III]
    pub occupancy: Option<occupancy::Params>,
    /// Equal airtime of the stations in both directions; `None` if the access point does not see to it.
    pub fair: Option<fair::Params>,
    /// Scheme by which the access point acts on the packets that it forwards.
    pub control: ApScheme,
}

impl AccessPoint {
    /// Position in the plane of all cells.
    pub(crate) fn origin(&self) -> Position {
        let [x, y] = self.position;
        Position::new(x, y)
    }
}
