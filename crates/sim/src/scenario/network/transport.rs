//! Transports of flows.

use airfair_transport::live::{Live, Model, VideoCall};
use airfair_transport::{quic, tcp, tfrc, udp};
use airfair_units::{Bytes, DataRate, Duration};

use super::super::kind::Words;

/// A transport protocol with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP between two simulated hosts, or over sockets of the kernel.
    Tcp(Tcp),
    /// QUIC between two simulated hosts.
    Quic(Quic),
    /// TFRC between two simulated hosts, or over sockets of the kernel.
    Tfrc(Tfrc),
    /// UDP at a given rate, as fast as the sender's queue allows, or with a live application.
    Udp {
        /// Application octets per datagram; of a live application at most.
        payload: Bytes,
        /// Rate at which the source sends, or its live application.
        rate: udp::SendRate,
    },
    /// No simulated transport: the owner of the world injects all packets of the flow, both directions.
    External,
}

impl Transport {
    /// True if messages of the flow's application are counted.
    pub fn has_source(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.source != Workload::Bulk && !tcp.is_kernels,
            Self::Quic(quic) => quic.source != Workload::Bulk,
            Self::Udp { .. } => self.live().is_some(),
            Self::Tfrc(_) | Self::External => false,
        }
    }

    /// Live application of a UDP flow.
    pub fn live(&self) -> Option<&Live> {
        match self {
            Self::Udp { rate: udp::SendRate::Live(live), .. } => Some(live),
            _ => None,
        }
    }

    /// Video call of a UDP flow.
    pub fn video_call(&self) -> Option<&VideoCall> {
        match self.live()?.model {
            Model::VideoCall(ref video) => Some(video),
            Model::Call(_) | Model::Game(_) | Model::Desktop(_) => None,
        }
    }

    /// True if queues may mark packets of the flow.
    pub fn has_ecn(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.sender.ecn,
            Self::Quic(quic) => quic.sender.ecn,
            Self::Udp { .. } => self.live().is_some_and(|live| live.model.ecn().is_capable()),
            Self::Tfrc(_) | Self::External => false,
        }
    }

    /// True if the flow's ends are sockets of this machine's kernel, which only an emulation has.
    pub fn is_kernels(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.is_kernels,
            Self::Tfrc(tfrc) => tfrc.is_kernels,
            Self::Quic(_) | Self::Udp { .. } | Self::External => false,
        }
    }
}

/// Settings of a TFRC flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tfrc {
    /// Implementation of TFRC that the flow follows.
    pub profile: tfrc::Profile,
    /// Application octets per packet, s.
    pub segment: Bytes,
    /// Packets that the application offers to TFRC over time.
    pub traffic: tfrc::Traffic,
    /// True if the flow's ends are sockets of this machine's kernel, which only an emulation has.
    pub is_kernels: bool,
}

impl Default for Tfrc {
    fn default() -> Self {
        let (profile, segment) = (tfrc::Profile::default(), Bytes::new(1_000));
        Self { profile, segment, traffic: tfrc::Traffic::Greedy, is_kernels: false }
    }
}

impl Tfrc {
    /// Word for the profile in the scenario file.
    pub fn profile_word(&self) -> &'static str {
        Words::word(self.profile)
    }
}

/// Application of a TCP or QUIC flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Workload {
    /// All data is there from the start, up to the size of the transfer.
    #[default]
    Bulk,
    /// A constant rate of payload.
    Constant(DataRate),
    /// A constant rate for a time, then a pause.
    OnOff {
        /// Rate of payload during an on-period.
        rate: DataRate,
        /// Length of an on-period.
        on: Duration,
        /// Length of an off-period.
        off: Duration,
    },
    /// Frames of these sizes, at equal intervals.
    Frames {
        /// Time from frame to frame.
        interval: Duration,
        /// Sizes of the frames.
        sizes: Vec<Bytes>,
    },
    /// Answers to calls: each call comes some time after the answer to the one before.
    Rpc {
        /// Size of an answer.
        size: Bytes,
        /// Time from an answer to the next call.
        think: Duration,
    },
    /// Probes of the round trip: answers of one octet, each requested some time after the one before.
    /// [draft-responsiveness §5.3]
    Responsiveness {
        /// Time from an answer to the next request.
        think: Duration,
    },
    /// Pages: a document, and then the objects that it names.
    Web {
        /// Size of the document.
        document: Bytes,
        /// Number of objects of a page.
        objects: u32,
        /// Size of each object.
        object: Bytes,
        /// Time from the end of a page to the request of the next one.
        think: Duration,
    },
    /// A video in chunks, with a player that chooses their rates.
    Video {
        /// Play time of a chunk.
        chunk: Duration,
        /// Rates of the video, ascending.
        rates: Vec<DataRate>,
        /// Play time of the player's buffer.
        buffer: Duration,
        /// Play time below which the player requests the lowest rate.
        reservoir: Duration,
        /// Play time from the end of the reservoir to that with the highest rate.
        cushion: Duration,
    },
}

impl Workload {
    /// Pages of 2.15 MB, the size of a median page of 2024.  [http-archive]
    pub fn web() -> Self {
        let (document, object) = (Bytes::new(50_000), Bytes::new(30_000));
        Self::Web { document, objects: 70, object, think: Duration::from_secs(10) }
    }

    /// A video at Netflix's rates of 2014, with the buffer of Pensieve's player.  [bba §2], [pensieve §5.1]
    pub fn video() -> Self {
        let rates = [235, 375, 560, 750, 1_050, 1_750, 2_350, 3_000, 4_300, 5_800];
        Self::Video {
            chunk: Duration::from_secs(4),
            rates: rates.map(|kbps| DataRate::from_bps(kbps * 1_000)).to_vec(),
            buffer: Duration::from_secs(60),
            reservoir: Duration::from_secs(5),
            cushion: Duration::from_secs(10),
        }
    }

    /// Probes at the rate of the draft, a hundred a second, less the round trips.  [draft-responsiveness §5.3]
    pub fn responsiveness() -> Self {
        Self::Responsiveness { think: Duration::from_millis(10) }
    }

    /// Source of the sender, whose segments have this size; `None` if all data is there from the start.
    pub fn source(&self, segment: Bytes) -> Option<tcp::Source> {
        const LIVE_BUFFER_SEGMENTS: u64 = 50;
        let offered = |traffic, buffer| tcp::Source::Offered { traffic, buffer };
        let object = |pause, size, ends_message| tcp::Object { pause, size, ends_message };
        Some(match *self {
            Self::Bulk => return None,
            Self::Constant(rate) => offered(tfrc::Traffic::Constant(rate), None),
            Self::OnOff { rate, on, off } => offered(tfrc::Traffic::OnOff { rate, on, off }, None),
            Self::Frames { interval, ref sizes } => {
                let frames = sizes.iter().map(|size| tfrc::Frame { after: interval, size: *size });
                let largest = sizes.iter().max().copied().unwrap_or(Bytes::ZERO);
                let traffic = tfrc::Traffic::Frames { frames: frames.collect(), repeat: true };
                offered(traffic, Some(segment * LIVE_BUFFER_SEGMENTS + largest))
            }
            Self::Rpc { size, think } => tcp::Source::Requested(vec![object(think, size, true)]),
            Self::Responsiveness { think } => {
                tcp::Source::Requested(vec![object(think, Bytes::new(1), true)])
            }
            Self::Web { document, objects, object: size, think } => {
                let document = object(think, document, objects == 0);
                let rest = size * u64::from(objects);
                let rest = (objects > 0).then(|| object(Duration::ZERO, rest, true));
                tcp::Source::Requested(std::iter::once(document).chain(rest).collect())
            }
            Self::Video { chunk, ref rates, buffer, reservoir, cushion } => {
                tcp::Source::Video(tcp::Video {
                    chunk,
                    rates: rates.clone(),
                    buffer,
                    reservoir,
                    cushion,
                })
            }
        })
    }
}

/// Settings of a QUIC connection. The settings of its ends are consistent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quic {
    /// Settings of the QUIC sender.
    pub sender: quic::SenderConfig,
    /// Settings of the QUIC receiver.
    pub receiver: quic::ReceiverConfig,
    /// Application that writes the sender's data over time.
    pub source: Workload,
}

impl Quic {
    /// Word for the congestion control in comparisons: that of the scenario file after the name of the transport.
    pub fn control_word(&self) -> &'static str {
        match self.sender.controller {
            quic::Controller::NewReno => "quic-newreno",
            quic::Controller::Cubic => "quic-cubic",
            quic::Controller::Bbr1 => "quic-bbr1",
            quic::Controller::Bbr => "quic-bbr",
        }
    }

    /// Makes the settings of the sender and of the receiver consistent.
    pub(crate) fn agree(&mut self) {
        self.sender.initial_max_data = self.receiver.window;
        self.sender.max_ack_delay = self.receiver.max_ack_delay;
        self.receiver.handshake = self.sender.handshake;
    }
}

/// Settings of a TCP connection. The settings of its ends are consistent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Settings of the TCP sender.
    pub sender: tcp::SenderConfig,
    /// Settings of the TCP receiver.
    pub receiver: tcp::ReceiverConfig,
    /// Application that writes the sender's data over time.
    pub source: Workload,
    /// True if the sender keeps segments that the queue of its own host refuses, and then reduces its window.
    /// [linux-cwr]
    pub keeps_refused: bool,
    /// True if the connection's ends are sockets of this machine's kernel, which only an emulation has.
    pub is_kernels: bool,
}

impl Default for Tcp {
    /// Settings of a TCP connection as the RFCs recommend, with a receive window that fits into the header without
    /// scaling.
    fn default() -> Self {
        let sender = tcp::SenderConfig { window_scaling: false, ..tcp::SenderConfig::default() };
        let receiver = tcp::ReceiverConfig {
            buffer: tcp::UNSCALED_WINDOW,
            window_scaling: false,
            ..tcp::ReceiverConfig::default()
        };
        Self { sender, receiver, source: Workload::Bulk, keeps_refused: false, is_kernels: false }
    }
}

impl Tcp {
    /// Word for the flavour in the scenario file.
    pub fn flavour_word(&self) -> &'static str {
        Words::word(self.sender.flavour)
    }

    /// Makes the settings of the sender and of the receiver consistent.
    pub(crate) fn agree(&mut self) {
        let Self { sender, receiver, .. } = self;
        if sender.flavour.has_model() {
            sender.loss_recovery = tcp::LossRecovery::Rack;
        }
        sender.ecn = sender.has_ecn();
        receiver.ecn_feedback = sender.ecn_feedback();
        let usual = tcp::SenderConfig { ecn_feedback: None, ..*sender }.ecn_feedback();
        sender.ecn_feedback = sender.ecn_feedback.filter(|it| *it != usual);
        sender.sack = Some(sender.uses_sack());
        sender.assumed_window = receiver.buffer;
        receiver.sack = sender.uses_sack();
        receiver.timestamps = sender.timestamps;
        receiver.window_scaling = sender.window_scaling;
        receiver.handshake = sender.handshake;
        receiver.tunes_window = sender.arithmetic == tcp::Arithmetic::Linux;
    }
}
