// TCP uploads and downloads in a cell of 802.11b, n or ax, in ns-3.37.
//
// Each flow has a station of its own, one metre from the access point, and a server behind a wire of 1 Gb/s. Frames are
// lost by collisions only. Stations and the access point have one queue each, a FIFO in the MAC, and no queueing discipline
// above it. The program prints one line of JSON: goodput [Mb/s] of each flow after the warm-up, what the MAC of the stations
// and of the access point did in that time, and what the TCP senders did.
//
// `bench/ns3/compare_flows.py` builds this program and documents ns-3's conventions.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <iostream>
#include <map>
#include <sstream>
#include <vector>

using namespace ns3;

// Frames of the stations, or of the access point, after the warm-up.
struct Mac
{
    uint64_t dataPpdus = 0;
    uint64_t mpdus = 0;
    uint64_t requests = 0; // BlockAckReq
    uint64_t rts = 0;
    uint64_t silences = 0; // data PPDUs without a response
    uint64_t dropped = 0;  // MPDUs that used all their attempts
    double dataAir = 0;    // [s]
    double otherAir = 0;   // [s]
};

struct Sender
{
    std::map<SequenceNumber32, Time> sent;
    uint64_t segments = 0;
    uint64_t retransmissions = 0;
    uint64_t timeouts = 0;
    uint64_t recoveries = 0;
};

static Time warmup;
static WifiPhyBand band = WIFI_PHY_BAND_5GHZ;
static Mac macs[2]; // stations, access point
static std::vector<Sender> senders;

static bool Counts() { return Simulator::Now() >= warmup; }

static void CountPsdus(Mac* mac, WifiConstPsduMap psdus, WifiTxVector vector, double)
{
    if (!Counts())
    {
        return;
    }
    double air = WifiPhy::CalculateTxDuration(psdus, vector, band).GetSeconds();
    const WifiMacHeader& header = psdus.begin()->second->GetHeader(0);
    if (header.IsData())
    {
        ++mac->dataPpdus;
        mac->mpdus += psdus.begin()->second->GetNMpdus();
        mac->dataAir += air;
        return;
    }
    mac->otherAir += air;
    mac->requests += header.IsBlockAckReq();
    mac->rts += header.IsRts();
}

static void CountSilence(Mac* mac, uint8_t, Ptr<const WifiPsdu> psdu, const WifiTxVector&)
{
    mac->silences += Counts() && psdu->GetHeader(0).IsData();
}

static void CountSilentMpdu(Mac* mac, uint8_t, Ptr<const WifiMpdu> mpdu, const WifiTxVector&)
{
    mac->silences += Counts() && mpdu->GetHeader().IsData();
}

static void CountDrop(Mac* mac, WifiMacDropReason, Ptr<const WifiMpdu> mpdu)
{
    mac->dropped += Counts() && mpdu->GetHeader().IsData();
}

static void CountSegment(Sender* sender, Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    if (packet->GetSize() == 0 || !Counts())
    {
        return;
    }
    ++sender->segments;
    bool is_new = sender->sent.emplace(header.GetSequenceNumber(), Simulator::Now()).second;
    sender->retransmissions += !is_new;
}

static void CountState(Sender* sender, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t state)
{
    sender->timeouts += Counts() && state == TcpSocketState::CA_LOSS;
    sender->recoveries += Counts() && state == TcpSocketState::CA_RECOVERY;
}

static bool prints = false;

static void PrintWindow(uint32_t flow, uint32_t, uint32_t window)
{
    if (prints)
    {
        std::cerr << Simulator::Now().GetSeconds() << " " << flow << " " << window << std::endl;
    }
}

static void FollowSource(Ptr<Application> source, uint32_t flow)
{
    Ptr<Socket> socket = DynamicCast<BulkSendApplication>(source)->GetSocket();
    Sender* sender = &senders[flow];
    socket->TraceConnectWithoutContext("Tx", MakeBoundCallback(&CountSegment, sender));
    socket->TraceConnectWithoutContext("CongState", MakeBoundCallback(&CountState, sender));
    socket->TraceConnectWithoutContext("CongestionWindow", MakeBoundCallback(&PrintWindow, flow));
}

// Time from the end of a PPDU to the moment at which its packets are passed up.
static Time processing;

// Passes a packet to its protocol when the PPDU that carries it has ended, and not when its MPDU has.
static bool PassWhole(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t protocol, const Address& from)
{
    auto pass = [=]() {
        Ptr<Packet> copy = packet->Copy();
        if (protocol == Ipv4L3Protocol::PROT_NUMBER)
        {
            device->GetNode()->GetObject<Ipv4L3Protocol>()->Receive(device, copy, protocol, from, device->GetAddress(),
                                                                    NetDevice::PACKET_HOST);
        }
        else
        {
            device->GetNode()->GetObject<ArpL3Protocol>()->Receive(device, copy, protocol, from, device->GetAddress(),
                                                                   NetDevice::PACKET_HOST);
        }
    };
    Simulator::Schedule(DynamicCast<WifiNetDevice>(device)->GetPhy()->GetDelayUntilIdle() + processing, pass);
    return true;
}

static void NoteSinks(ApplicationContainer sinks, std::vector<uint64_t>* octets)
{
    for (uint32_t i = 0; i < sinks.GetN(); ++i)
    {
        octets->push_back(DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx());
    }
}

static std::string Print(const Mac& mac, double duration)
{
    std::ostringstream out;
    out << "{\"data_ppdus\": " << mac.dataPpdus / duration << ", \"mpdus\": " << mac.mpdus / duration
        << ", \"block_ack_requests\": " << mac.requests / duration << ", \"rts\": " << mac.rts / duration
        << ", \"silences\": " << mac.silences / duration << ", \"dropped_mpdus\": " << mac.dropped / duration
        << ", \"data_air\": " << mac.dataAir / duration << ", \"other_air\": " << mac.otherAir / duration << "}";
    return out.str();
}

int main(int argc, char* argv[])
{
    std::string standard = "n";
    uint32_t mcs = 7;
    uint32_t uploads = 1;
    uint32_t downloads = 0;
    std::string flavour = "TcpCubic";
    uint32_t segment = 1448;
    bool timestamps = true;
    uint32_t delayedAck = 2;
    double minRto = 1;
    uint32_t tcpWindow = 8000000;
    uint32_t queue = 1000;
    uint32_t apQueue = 1000;
    double roundTrip = 0.01;
    uint32_t attempts = 7;
    bool limitsAggregates = true;
    bool rts = false;
    bool asks = true;
    bool whole = false;
    double delay = 0;
    double duration = 20;
    double start = 5;
    uint32_t seed = 1;
    CommandLine cmd;
    cmd.AddValue("standard", "b, n or ax", standard);
    cmd.AddValue("mcs", "MCS of one stream", mcs);
    cmd.AddValue("uploads", "stations with a TCP upload", uploads);
    cmd.AddValue("downloads", "stations with a TCP download", downloads);
    cmd.AddValue("flavour", "TcpCubic, TcpNewReno or TcpLinuxReno", flavour);
    cmd.AddValue("segment", "segment [octets]", segment);
    cmd.AddValue("timestamps", "TCP timestamps", timestamps);
    cmd.AddValue("delayed-ack", "segments for each ACK", delayedAck);
    cmd.AddValue("min-rto", "least retransmission time-out [s]", minRto);
    cmd.AddValue("tcp-window", "receive window [octets]", tcpWindow);
    cmd.AddValue("queue", "packets that a station's queue holds", queue);
    cmd.AddValue("ap-queue", "packets that the access point's queue holds", apQueue);
    cmd.AddValue("round-trip", "round trip of the wire [s]", roundTrip);
    cmd.AddValue("attempts", "failures after which a station gives up", attempts);
    cmd.AddValue("rts", "RTS and CTS before PSDUs above 65 535 octets, as ns-3 has by default", rts);
    cmd.AddValue("ask", "ask with a BAR after a lost block ack, instead of sending the aggregate again", asks);
    cmd.AddValue("whole", "pass the packets of an aggregate up together, when it ends", whole);
    cmd.AddValue("processing", "with --whole: time from the end of a PPDU until its packets are passed up [s]", delay);
    cmd.AddValue("duration", "simulated seconds that count", duration);
    cmd.AddValue("warmup", "simulated seconds before them", start);
    cmd.AddValue("seed", "random run", seed);
    cmd.AddValue("windows", "print each change of the congestion windows to the standard error", prints);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    warmup = Seconds(start);
    processing = Seconds(delay);
    Time end = Seconds(start + duration);
    bool isB = standard == "b";
    band = isB ? WIFI_PHY_BAND_2_4GHZ : WIFI_PHY_BAND_5GHZ;

    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(asks));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(rts ? 65535 : 4692480));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(attempts));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(attempts));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(end));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + flavour));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpPrrRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(delayedAck));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(tcpWindow));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(std::max(2 * tcpWindow, 16000000u)));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(tcpWindow > 65535));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(timestamps));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(minRto)));

    NodeContainer stas;
    stas.Create(uploads + downloads);
    NodeContainer ap(CreateObject<Node>());
    NodeContainer server(CreateObject<Node>());

    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    phy.Set("ChannelSettings", StringValue(isB ? "{0, 22, BAND_2_4GHZ, 0}" : "{0, 20, BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(isB ? WIFI_STANDARD_80211b : standard == "n" ? WIFI_STANDARD_80211n : WIFI_STANDARD_80211ax);
    std::ostringstream mode;
    mode << (standard == "n" ? "HtMcs" : "HeMcs") << mcs;
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode",
                                 StringValue(isB ? "DsssRate11Mbps" : mode.str()), "ControlMode",
                                 StringValue(isB ? "DsssRate2Mbps" : "OfdmRate24Mbps"));
    WifiMacHelper mac;
    Ssid ssid("cell");
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "ActiveProbing", BooleanValue(true), "MaxMissedBeacons",
                UintegerValue(1000000), "QosSupported", BooleanValue(!isB));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, queue)));
    NetDeviceContainer staDevices = wifi.Install(phy, mac, stas);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "BeaconGeneration", BooleanValue(false), "QosSupported",
                BooleanValue(!isB));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, apQueue)));
    NetDeviceContainer apDevice = wifi.Install(phy, mac, ap);
    NetDeviceContainer wifiDevices(apDevice, staDevices);
    for (uint32_t i = 0; i < wifiDevices.GetN(); ++i)
    {
        auto device = DynamicCast<WifiNetDevice>(wifiDevices.Get(i));
        if (standard == "ax")
        {
            device->GetHeConfiguration()->SetGuardInterval(NanoSeconds(800));
        }
        Mac* counted = &macs[i == 0];
        device->GetPhy()->TraceConnectWithoutContext("PhyTxPsduBegin", MakeBoundCallback(&CountPsdus, counted));
        device->GetMac()->TraceConnectWithoutContext("PsduResponseTimeout", MakeBoundCallback(&CountSilence, counted));
        device->GetMac()->TraceConnectWithoutContext("MpduResponseTimeout",
                                                     MakeBoundCallback(&CountSilentMpdu, counted));
        device->GetMac()->TraceConnectWithoutContext("DroppedMpdu", MakeBoundCallback(&CountDrop, counted));
    }

    MobilityHelper mobility;
    auto places = CreateObject<ListPositionAllocator>();
    places->Add(Vector(0, 0, 0));
    for (uint32_t i = 0; i < stas.GetN(); ++i)
    {
        places->Add(Vector(1, 0, 0));
    }
    mobility.SetPositionAllocator(places);
    mobility.Install(ap);
    mobility.Install(stas);

    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    wire.SetChannelAttribute("Delay", TimeValue(Seconds(roundTrip / 2)));
    wire.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize("10000p")));
    NetDeviceContainer wired = wire.Install(ap.Get(0), server.Get(0));
    InternetStackHelper internet;
    internet.Install(stas);
    internet.Install(ap);
    internet.Install(server);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(wifiDevices);
    TrafficControlHelper().Uninstall(wifiDevices);
    addresses.SetBase("10.1.0.0", "255.255.255.0");
    Ipv4Address host = addresses.Assign(wired).GetAddress(1);
    TrafficControlHelper().Uninstall(wired);
    for (uint32_t i = 0; whole && i < wifiDevices.GetN(); ++i)
    {
        wifiDevices.Get(i)->SetReceiveCallback(MakeCallback(&PassWhole));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    ApplicationContainer sinks;
    std::vector<uint64_t> before;
    senders.resize(uploads + downloads);
    for (uint32_t i = 0; i < uploads + downloads; ++i)
    {
        bool up = i < uploads;
        InetSocketAddress address(up ? host : interfaces.GetAddress(1 + i), 5000 + i);
        sinks.Add(PacketSinkHelper("ns3::TcpSocketFactory", address).Install(up ? server.Get(0) : stas.Get(i)));
        BulkSendHelper source("ns3::TcpSocketFactory", address);
        source.SetAttribute("SendSize", UintegerValue(segment));
        ApplicationContainer sources = source.Install(up ? stas.Get(i) : server.Get(0));
        Time begin = Seconds(1) + MilliSeconds(10) * i;
        sources.Start(begin);
        Simulator::Schedule(begin + MicroSeconds(1), &FollowSource, sources.Get(0), i);
    }
    Simulator::Schedule(warmup, &NoteSinks, sinks, &before);
    Simulator::Stop(end);
    Simulator::Run();

    std::vector<uint64_t> octets;
    NoteSinks(sinks, &octets);
    std::ostringstream goodput[2];
    Sender all;
    for (uint32_t i = 0; i < octets.size(); ++i)
    {
        bool up = i < uploads;
        goodput[up] << (i == 0 || i == uploads ? "" : ", ") << (octets[i] - before[i]) * 8e-6 / duration;
        all.segments += senders[i].segments;
        all.retransmissions += senders[i].retransmissions;
        all.timeouts += senders[i].timeouts;
        all.recoveries += senders[i].recoveries;
    }
    std::cout << "{\"up_mbps\": [" << goodput[1].str() << "], \"down_mbps\": [" << goodput[0].str() << "], \"stations\": "
              << Print(macs[0], duration) << ", \"ap\": " << Print(macs[1], duration)
              << ", \"segments\": " << all.segments << ", \"retransmissions\": " << all.retransmissions
              << ", \"timeouts\": " << all.timeouts << ", \"recoveries\": " << all.recoveries << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
