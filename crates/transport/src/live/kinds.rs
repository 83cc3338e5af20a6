//! Kinds of live applications, with their settings and the sizes and times of their frames.

use airfair_laws::nada;
use airfair_units::{Bytes, DataRate, Duration};

use crate::ecn::Ecn;

/// Header of RTP [octets].  [RFC3550 §5.1]
pub(super) const RTP_HEADER: u64 = 12;

/// Extension of RTP's header with a transport-wide sequence number, in words of 32 bits [octets].  [draft-twcc §2]
const EXTENSION: u64 = 8;
/// Rate at which Google congestion control starts.  Deviates: [D-342]
const FIRST_RATE: DataRate = DataRate::from_kbps(300);

/// Live application of a UDP sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Live {
    /// Kind of the application, with its settings.
    pub model: Model,
    /// Delay above which a frame comes too late.
    pub deadline: Duration,
}

/// Kind of a live application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// One direction of a call.
    Call(Call),
    /// One direction of a game.
    Game(Game),
    /// One direction of the pictures of a video call.
    VideoCall(VideoCall),
    /// One direction of a remote desktop.
    Desktop(Desktop),
}

/// One direction of a call: talk spurts and silences of random lengths, with voice frames each 20 ms of a talk spurt.
/// [80211-14-0571 Annex 2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Codec, which gives the sizes of the frames.
    pub codec: Codec,
    /// Mean length of a talk spurt.
    pub talk: Duration,
    /// Mean length of a silence; zero for someone who never stops talking.
    pub silence: Duration,
}

/// Codec of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// AMR at 12.2 kb/s: 33 octets each 20 ms, and 7 octets each 160 ms in a silence.  [80211-14-0571 Annex 2]
    Amr,
    /// G.711: 160 octets each 20 ms, nothing in a silence.  [RFC3551 §4.5.14]
    G711,
    /// G.729: two frames of 10 octets each 20 ms, nothing in a silence.  [RFC3551 §4.5.6]
    G729,
    /// Opus at 32 kb/s: 80 octets each 20 ms, nothing in a silence.  Deviates: [D-353]
    Opus,
}

/// One direction of a game, whose sizes and intervals have Largest Extreme Value distributions.  [80211-18-2009 §4.1.4]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// Rule by which the players' games stay the same.
    pub synchronisation: Synchronisation,
    /// End of the game that sends.
    pub end: GameEnd,
    /// Location of the distribution of sizes; `None` for that of the rule and the end.
    pub size: Option<Bytes>,
    /// Scale of the distribution of sizes; `None` for that of the rule and the end.
    pub size_scale: Option<Bytes>,
    /// Location of the distribution of intervals; `None` for that of the rule and the end.
    pub interval: Option<Duration>,
    /// Scale of the distribution of intervals; `None` for that of the rule and the end.
    pub interval_scale: Option<Duration>,
}

/// Rule by which the games of several players stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronisation {
    /// The server computes the state of the game and sends it.
    Status,
    /// The server collects the players' commands and sends them, so that each player computes the same state.
    Lockstep,
}

/// End of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// Server of the game.
    Server,
    /// One of its players.
    Player,
}

/// One direction of the pictures of a video call: frames at even intervals, with sizes of a Weibull distribution.
/// [80211-14-0571 Annex 2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VideoCall {
    /// Mean rate of the pictures; with a rate control the highest.
    pub rate: DataRate,
    /// Time from picture to picture.
    pub interval: Duration,
    /// Control of the rate by the packets that arrive.
    pub control: RateControl,
}

/// Control of the rate of a video call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateControl {
    /// The rate stays as it is.
    None,
    /// Google congestion control.  [draft-gcc]
    Gcc(Bounds),
    /// NADA.  [RFC8698]
    Nada(Bounds),
}

/// Settings of a control beside the highest rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Rate at the start; `None` for that of the control.
    pub start: Option<DataRate>,
    /// Lowest rate.
    pub least: DataRate,
    /// Time from one report of the receiver to the next; `None` for that of the control.
    pub feedback: Option<Duration>,
}

impl Default for Bounds {
    /// `RMIN` of NADA.  [RFC8698 §6.3]
    fn default() -> Self {
        Self { start: None, least: DataRate::from_kbps(150), feedback: None }
    }
}

impl RateControl {
    /// Settings of the control; `None` without one.
    pub fn bounds(&self) -> Option<&Bounds> {
        match self {
            Self::None => None,
            Self::Gcc(bounds) | Self::Nada(bounds) => Some(bounds),
        }
    }

    /// Rate at the start of a call with this rate.
    pub(super) fn start(&self, rate: DataRate) -> DataRate {
        match self {
            Self::None => rate,
            Self::Gcc(it) => it.start.unwrap_or(FIRST_RATE.clamp(it.least, rate)),
            Self::Nada(it) => it.start.unwrap_or(it.least),
        }
    }

    /// Time from one report of the receiver to the next; `None` for one per picture.
    pub(crate) fn feedback(&self) -> Option<Duration> {
        match self {
            Self::None => None,
            Self::Gcc(it) => it.feedback,
            Self::Nada(it) => Some(it.feedback.unwrap_or(nada::INTERVAL)),
        }
    }
}

/// One direction of a remote desktop: packets after intervals of an exponential distribution, with sizes of normal
/// distributions.  [80211-14-0571 Annex 2]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Desktop {
    /// End of the desktop that sends.
    pub end: DesktopEnd,
}

/// End of a remote desktop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DesktopEnd {
    /// Server, which sends what the screen shows.
    Server,
    /// Client, which sends what the hands do.
    Client,
}

impl Live {
    /// Call of the evaluation methodology of 802.11ax.  [80211-14-0571 Annex 2], [3gpp-23203 Table 6.1.7]
    pub fn call() -> Self {
        let mean = Duration::from_millis(1_250);
        let call = Call { codec: Codec::Amr, talk: mean, silence: mean };
        Self { model: Model::Call(call), deadline: Duration::from_millis(100) }
    }

    /// Server of a game in lockstep.  [80211-18-2009 §4.1.4], [3gpp-23203 Table 6.1.7]
    pub fn game() -> Self {
        let game = Game {
            synchronisation: Synchronisation::Lockstep,
            end: GameEnd::Server,
            size: None,
            size_scale: None,
            interval: None,
            interval_scale: None,
        };
        Self { model: Model::Game(game), deadline: Duration::from_millis(50) }
    }

    /// Pictures of a video call at 2 Mb/s, 25 a second.  [3gpp-23203 Table 6.1.7]
    pub fn video_call() -> Self {
        let (rate, interval) = (DataRate::from_mbps(2), Duration::from_millis(40));
        let video = VideoCall { rate, interval, control: RateControl::None };
        Self { model: Model::VideoCall(video), deadline: Duration::from_millis(150) }
    }
}

impl Live {
    /// Server of a remote desktop.  [3gpp-23203 Table 6.1.7]
    pub fn desktop() -> Self {
        let model = Model::Desktop(Desktop { end: DesktopEnd::Server });
        Self { model, deadline: Duration::from_millis(100) }
    }
}

/// Mean and standard deviation of a normal distribution of sizes [octets].
pub(super) type Normal = (f64, f64);

impl Desktop {
    /// Mean interval between packets.
    pub(super) fn interval(self) -> Duration {
        Duration::from_nanos(match self.end {
            DesktopEnd::Server => 60_226_900,
            DesktopEnd::Client => 48_287_000,
        })
    }

    /// Sizes of packets, for a random number from 0 to 1: a server has 22.4 large packets for 53.7 small ones.
    pub(super) fn size(self, uniform: f64) -> Normal {
        match self.end {
            DesktopEnd::Server if uniform < 22.4 / 76.1 => (1_478.3, 11.6),
            DesktopEnd::Server => (41.0, 3.2),
            DesktopEnd::Client => (50.598, 5.075_3),
        }
    }
}

impl Model {
    /// Control of the rate, with its settings; `None` for an application whose rate nobody controls.
    pub fn controlled(&self) -> Option<&VideoCall> {
        match self {
            Self::VideoCall(video) if video.control != RateControl::None => Some(video),
            _ => None,
        }
    }

    /// ECN field of the datagrams: that of NADA allows marks.  [RFC8698 §5.1.3]
    pub fn ecn(&self) -> Ecn {
        match self.controlled() {
            Some(VideoCall { control: RateControl::Nada(_), .. }) => Ecn::ECT_0,
            _ => Ecn::NOT_ECT,
        }
    }

    /// Header in each datagram [octets]: that of RTP for voice and pictures.
    pub fn header(self) -> u64 {
        match self {
            Self::VideoCall(VideoCall { control: RateControl::Gcc(_), .. }) => {
                RTP_HEADER + EXTENSION
            }
            Self::Call(_) | Self::VideoCall(_) => RTP_HEADER,
            Self::Game(_) | Self::Desktop(_) => 0,
        }
    }
}

impl Codec {
    /// Time from voice frame to voice frame.
    pub(super) const INTERVAL: Duration = Duration::from_millis(20);

    /// Size of a voice frame.
    pub(super) fn voice(self) -> Bytes {
        Bytes::new(match self {
            Self::Amr => 33,
            Self::G711 => 160,
            Self::G729 => 20,
            Self::Opus => 80,
        })
    }

    /// Size of a frame that describes the noise in a silence, and time to the next one; `None` if there are none.
    pub(super) fn noise(self) -> Option<(Bytes, Duration)> {
        match self {
            Self::Amr => Some((Bytes::new(7), Duration::from_millis(160))),
            Self::G711 | Self::G729 | Self::Opus => None,
        }
    }
}

/// Location and scale of a Largest Extreme Value distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extreme {
    pub(super) location: f64,
    pub(super) scale: f64,
}

impl Extreme {
    /// Value below which the distribution is with this probability.
    pub(super) fn quantile(self, probability: f64) -> f64 {
        self.location - self.scale * libm::log(-libm::log(probability))
    }
}

impl Game {
    /// Distributions of the sizes [octets] and of the intervals [ms].
    #[expect(clippy::cast_precision_loss, reason = "sizes and times of applications are small")]
    pub(super) fn distributions(&self) -> [Extreme; 2] {
        let (size, interval) = match (self.synchronisation, self.end) {
            (Synchronisation::Status, GameEnd::Server) => ((50.0, 11.0), (13.0, 3.7)),
            (Synchronisation::Status, GameEnd::Player) => ((38.0, 3.7), (15.0, 5.7)),
            (Synchronisation::Lockstep, GameEnd::Server) => ((210.0, 35.0), (28.0, 4.2)),
            (Synchronisation::Lockstep, GameEnd::Player) => ((92.0, 38.0), (22.0, 3.4)),
        };
        let octets = |given: Option<Bytes>, usual| given.map_or(usual, |it| it.get() as f64);
        let ms = |given: Option<Duration>, usual| given.map_or(usual, |it| it.as_secs_f64() * 1e3);
        let location = octets(self.size, size.0);
        let scale = octets(self.size_scale, size.1);
        let (from, spread) = (ms(self.interval, interval.0), ms(self.interval_scale, interval.1));
        [Extreme { location, scale }, Extreme { location: from, scale: spread }]
    }
}
