//! A download over QUIC, by quinn-proto, through a cell of airfair: all in simulated time, without sockets and threads.

mod host;
mod tls;

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use airfair_link::{Event, Link, Scenario, Time};
use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::{
    ClientConfig, Dir, Endpoint, EndpointConfig, QlogConfig, ServerConfig, StreamEvent, StreamId,
    TransportConfig,
};

use host::{Datagram, Epoch, Host};

/// An error of the link, of quinn-proto or of a file.
pub type Error = Box<dyn std::error::Error>;

/// Settings of a download.
pub struct Download {
    /// Congestion control of the server: `cubic`, `new-reno` or `bbr`.
    pub control: String,
    /// Octets that the server sends.
    pub octets: usize,
    /// Seed of the cell, and of quinn-proto's random numbers.
    pub seed: u64,
    /// File for the qlog of the server's connection.
    pub qlog: Option<PathBuf>,
}

/// Results of a download.
#[derive(Debug, PartialEq)]
pub struct Summary {
    /// Time at which the client has completed the handshake.
    pub connected_at: Time,
    /// Time at which the client has the last octet.
    pub finished_at: Time,
    /// Octets that the client has read.
    pub octets: usize,
    /// Round-trip time of the server without a queue, as quinn-proto estimates it.
    pub min_rtt: Duration,
    /// Smoothed round-trip times of the server at each packet that it has received, ascending.
    pub rtts: Vec<Duration>,
    /// QUIC packets that the server has sent.
    pub sent: u64,
    /// QUIC packets of the server that it has declared lost.
    pub declared_lost: u64,
    /// Packets that the link has lost, in both directions.
    pub lost: usize,
    /// Goodput of the other station's TCP from time zero on [bit/s].
    pub other_bps: f64,
}

impl Summary {
    /// Goodput of the download, without the handshake [bit/s].
    pub fn goodput_bps(&self) -> f64 {
        self.octets as f64 * 8.0 / (self.finished_at - self.connected_at).as_secs_f64()
    }

    /// Quantile of the round-trip times.
    pub fn rtt(&self, quantile: f64) -> Duration {
        self.rtts[((self.rtts.len() - 1) as f64 * quantile) as usize]
    }
}

/// Downloads from the host `server` to the station `laptop` over the flow `quic` of a scenario.
pub fn download(scenario: &Scenario, settings: &Download) -> Result<Summary, Error> {
    let mut link = Link::<Datagram>::new(scenario, settings.seed)?;
    let ends = link.ends("quic")?;
    let epoch = Epoch(Instant::now());
    let [mut server, mut client] = hosts(ends, epoch, settings)?;
    let (mut sender, mut receiver) = (Sender::new(settings.octets), Receiver::default());
    let (mut rtts, mut lost) = (Vec::new(), 0);
    while receiver.finished_at.is_none() {
        let now = link.now();
        sender.act(&mut server)?;
        receiver.act(now, &mut client)?;
        for host in [&mut server, &mut client] {
            host.transmit(now, &mut link)?;
        }
        let timeouts = [server.next_timeout(), client.next_timeout()];
        let next = timeouts.into_iter().flatten().min().unwrap_or(link.end()).max(now);
        match link.poll(next)? {
            Some(Event::Delivered(packet)) if packet.to() == ends[0] => {
                server.receive(packet.left_at, &packet.payload)?;
                rtts.extend(server.connection.as_ref().map(|it| it.rtt()));
            }
            Some(Event::Delivered(packet)) => client.receive(packet.left_at, &packet.payload)?,
            Some(Event::Lost(_)) => lost += 1,
            // A host that was refused sends again in any case.
            Some(_) => {}
            None => [&mut server, &mut client]
                .map(|host| host.handle_timeout(next))
                .into_iter()
                .collect(),
        }
    }
    let connection = server.connection.as_ref().ok_or("the server has no connection")?;
    let path = connection.stats().path;
    rtts.sort();
    let outcome = link.finish().outcome.ok_or("the download has ended within the warm-up")?;
    let flows = outcome.flows.iter().zip(&scenario.flows);
    let others = flows.filter(|(_, flow)| flow.name != "quic");
    let octets: u64 = others.map(|(results, _)| results.delivered.get()).sum();
    let other_bps = octets as f64 * 8.0 / outcome.elapsed.as_secs_f64();
    Ok(Summary {
        connected_at: receiver.connected_at.ok_or("data came before the handshake")?,
        finished_at: receiver.finished_at.unwrap_or_default(),
        octets: receiver.octets,
        min_rtt: path.min_rtt,
        rtts,
        sent: path.sent_packets,
        declared_lost: path.lost_packets,
        lost,
        other_bps,
    })
}

/// The server and the client, which has begun to connect.
fn hosts(
    [from, to]: [airfair_link::End; 2],
    epoch: Epoch,
    settings: &Download,
) -> Result<[Host; 2], Error> {
    let (client_tls, server_tls) = tls::configs()?;
    let control: Arc<dyn ControllerFactory + Send + Sync> = match settings.control.as_str() {
        "cubic" => Arc::new(CubicConfig::default()),
        "new-reno" => Arc::new(NewRenoConfig::default()),
        "bbr" => Arc::new(BbrConfig::default()),
        other => {
            return Err(
                format!("congestion control {other:?}: allowed cubic, new-reno, bbr").into()
            );
        }
    };
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(control);
    if let Some(path) = &settings.qlog {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut qlog = QlogConfig::default();
        let title = format!("{} over airfair, seed {}", settings.control, settings.seed);
        qlog.writer(Box::new(BufWriter::new(file))).title(Some(title)).start_time(epoch.0);
        transport.qlog_stream(qlog.into_stream());
    }
    let mut server_config = ServerConfig::with_crypto(Arc::new(server_tls));
    server_config.transport_config(Arc::new(transport));
    // Without a fixed seed, quinn-proto would draw from the generator of the system.
    let endpoint = |number: u8, server| {
        let mut config = EndpointConfig::default();
        let mut seed = [number; 32];
        seed[..8].copy_from_slice(&settings.seed.to_le_bytes());
        config.rng_seed(Some(seed));
        Endpoint::new(Arc::new(config), server, false, None)
    };
    let [server_address, client_address] = [1, 2].map(|host| ([10, 0, 0, host], 4433).into());
    let server = Host::new(endpoint(1, Some(Arc::new(server_config))), from, client_address, epoch);
    let mut client = Host::new(endpoint(2, None), to, server_address, epoch);
    client.connect(ClientConfig::new(Arc::new(client_tls)), tls::SERVER)?;
    Ok([server, client])
}

/// Data that the server sends again and again.
static CHUNK: [u8; 65_536] = [0; 65_536];

/// Application of the server: sends octets on one stream, as soon as the client has connected.
struct Sender {
    stream: Option<StreamId>,
    left: usize,
}

impl Sender {
    fn new(left: usize) -> Self {
        Self { stream: None, left }
    }

    fn act(&mut self, host: &mut Host) -> Result<(), Error> {
        for event in host.events() {
            match event {
                quinn_proto::Event::Connected => {
                    let connection = host.connection.as_mut().ok_or("a connection")?;
                    self.stream = connection.streams().open(Dir::Uni);
                }
                quinn_proto::Event::ConnectionLost { reason } => return Err(reason.into()),
                _ => {}
            }
        }
        let (Some(stream), Some(connection)) = (self.stream, &mut host.connection) else {
            return Ok(());
        };
        while self.left > 0 {
            match connection.send_stream(stream).write(&CHUNK[..self.left.min(CHUNK.len())]) {
                Ok(written) => self.left -= written,
                Err(quinn_proto::WriteError::Blocked) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            if self.left == 0 {
                connection.send_stream(stream).finish()?;
            }
        }
        Ok(())
    }
}

/// Application of the client: reads the stream of the server to its end.
#[derive(Default)]
struct Receiver {
    stream: Option<StreamId>,
    octets: usize,
    connected_at: Option<Time>,
    finished_at: Option<Time>,
}

impl Receiver {
    fn act(&mut self, now: Time, host: &mut Host) -> Result<(), Error> {
        let mut is_readable = false;
        for event in host.events() {
            match event {
                quinn_proto::Event::Connected => self.connected_at = Some(now),
                quinn_proto::Event::ConnectionLost { reason } => return Err(reason.into()),
                quinn_proto::Event::Stream(
                    StreamEvent::Opened { .. } | StreamEvent::Readable { .. },
                ) => {
                    is_readable = true;
                }
                _ => {}
            }
        }
        let Some(connection) = host.connection.as_mut().filter(|_| is_readable) else {
            return Ok(());
        };
        self.stream = self.stream.or_else(|| connection.streams().accept(Dir::Uni));
        let Some(stream) = self.stream else { return Ok(()) };
        let mut stream = connection.recv_stream(stream);
        let mut chunks = stream.read(true)?;
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => self.octets += chunk.bytes.len(),
                Ok(None) => break self.finished_at = Some(now),
                Err(quinn_proto::ReadError::Blocked) => break,
                Err(error) => return Err(error.into()),
            }
        }
        // The packet with the new limits of flow control is sent in the same step.
        let _ = chunks.finalize();
        Ok(())
    }
}
