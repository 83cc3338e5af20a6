// A cell of 802.11n, ac or ax in ns-3.37: saturated uploads, TCP downloads, or both.
//
// All stations are at one position, one metre from the access point, so that they receive each other with equal power and
// all receivers lose the frames of a collision. No other frame is lost. A saturated station always has MSDUs for twice
// the block-ack window in its queue, each as long as a datagram of 1472 octets with its IP and UDP headers. Packets go to
// the device without a network stack, to save ns-3's time. TCP flows come from a server behind a wire of 1 Gb/s and 1 ms:
// NewReno, segments of 1460 octets, delayed ACKs. The access point has one queue without a scheduler, and sends no beacons
// after the stations have associated. The program prints one line of JSON: goodput [Mb/s] of each flow after the warm-up,
// and with `--count=1` the number of PPDUs on the air and of the MPDUs in them.
//
// `bench/ns3/compare_cells.py` builds this program and documents ns-3's conventions.

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

// Ethertype for local experiments.
static const uint16_t PROTOCOL = 0x88b5;
static const uint32_t PAYLOAD = 1472;
static const uint32_t PACKET = PAYLOAD + 28;
static const uint32_t SEGMENT = 1460;

static uint64_t ppdus = 0;
static uint64_t mpdus = 0;
static Time warmup;
static std::map<Address, uint64_t> received;

static void CountPsdus(WifiConstPsduMap psdus, WifiTxVector, double)
{
    if (Simulator::Now() < warmup)
    {
        return;
    }
    ++ppdus;
    for (const auto& psdu : psdus)
    {
        mpdus += psdu.second->GetNMpdus();
    }
}

static void TakeUpload(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address& from, const Address&,
                       NetDevice::PacketType)
{
    if (Simulator::Now() >= warmup)
    {
        received[from] += packet->GetSize() - 28;
    }
}

static void SendOne(Ptr<NetDevice> device, Address to) { device->Send(Create<Packet>(PACKET), to, PROTOCOL); }

static void Refill(Ptr<NetDevice> device, Address to, Ptr<const WifiMpdu> gone)
{
    if (gone->GetHeader().IsQosData())
    {
        Simulator::ScheduleNow(&SendOne, device, to);
    }
}

static void Saturate(Ptr<NetDevice> device, Address to, uint32_t packets)
{
    auto mac = DynamicCast<WifiNetDevice>(device)->GetMac();
    mac->GetQosTxop(AC_BE)->GetWifiMacQueue()->TraceConnectWithoutContext("Dequeue",
                                                                         MakeBoundCallback(&Refill, device, to));
    for (uint32_t i = 0; i < packets; ++i)
    {
        SendOne(device, to);
    }
}

static void NoteSinks(ApplicationContainer sinks, std::vector<uint64_t>* octets)
{
    for (uint32_t i = 0; i < sinks.GetN(); ++i)
    {
        octets->push_back(DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx());
    }
}

int main(int argc, char* argv[])
{
    std::string standard = "ax";
    uint32_t width = 80;
    uint32_t mcs = 11;
    uint32_t streams = 1;
    uint32_t guard = 800;
    uint32_t uploads = 10;
    uint32_t downloads = 0;
    bool aggregates = true;
    uint32_t maxOctets = 131071;
    uint32_t window = 64;
    bool asks = false;
    uint32_t attempts = 1000000;
    bool rts = false;
    uint32_t queue = 1000;
    uint32_t tcpWindow = 65535;
    double duration = 5;
    double start = 2;
    uint32_t seed = 1;
    bool counts = false;
    CommandLine cmd;
    cmd.AddValue("standard", "n, ac or ax", standard);
    cmd.AddValue("width", "channel width [MHz]", width);
    cmd.AddValue("mcs", "MCS of one stream", mcs);
    cmd.AddValue("streams", "spatial streams", streams);
    cmd.AddValue("guard", "guard interval [ns]", guard);
    cmd.AddValue("uploads", "saturated stations", uploads);
    cmd.AddValue("downloads", "stations with a TCP download", downloads);
    cmd.AddValue("aggregation", "A-MPDUs", aggregates);
    cmd.AddValue("max-octets", "longest A-MPDU [octets]", maxOctets);
    cmd.AddValue("window", "block-ack window [MPDUs]", window);
    cmd.AddValue("ask", "ask with a BAR after a lost block ack, instead of sending the aggregate again", asks);
    cmd.AddValue("attempts", "failures in all after which a station gives up", attempts);
    cmd.AddValue("rts", "RTS and CTS before each exchange", rts);
    cmd.AddValue("queue", "packets that the access point's queue holds", queue);
    cmd.AddValue("tcp-window", "receive window [octets]", tcpWindow);
    cmd.AddValue("duration", "simulated seconds that count", duration);
    cmd.AddValue("warmup", "simulated seconds before them", start);
    cmd.AddValue("seed", "random run", seed);
    cmd.AddValue("count", "count PPDUs and MPDUs on the air", counts);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    warmup = Seconds(start);
    Time end = Seconds(start + duration);

    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(asks));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(rts ? 0 : 4692480));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(attempts));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(attempts));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, queue)));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(end));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(tcpWindow));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * tcpWindow));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(tcpWindow > 65535));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));

    NodeContainer stas;
    stas.Create(uploads + downloads);
    NodeContainer ap(CreateObject<Node>());
    NodeContainer server(CreateObject<Node>());

    const std::map<std::string, std::pair<WifiStandard, std::string>> standards{
        {"n", {WIFI_STANDARD_80211n, "HtMcs"}},
        {"ac", {WIFI_STANDARD_80211ac, "VhtMcs"}},
        {"ax", {WIFI_STANDARD_80211ax, "HeMcs"}},
    };
    auto found = standards.find(standard);
    NS_ABORT_MSG_IF(found == standards.end(), "standard: n, ac or ax");
    std::ostringstream mode;
    mode << found->second.second << (standard == "n" ? mcs + 8 * (streams - 1) : mcs);
    std::ostringstream channel;
    channel << "{0, " << width << ", BAND_5GHZ, 0}";

    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    phy.Set("ChannelSettings", StringValue(channel.str()));
    phy.Set("Antennas", UintegerValue(streams));
    phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(streams));
    phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(streams));
    WifiHelper wifi;
    wifi.SetStandard(found->second.first);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(mode.str()), "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    WifiMacHelper mac;
    Ssid ssid("cell");
    UintegerValue ampdu(aggregates ? maxOctets : 0);
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "ActiveProbing", BooleanValue(true), "MaxMissedBeacons",
                UintegerValue(1000000), "BE_MaxAmpduSize", ampdu);
    NetDeviceContainer staDevices = wifi.Install(phy, mac, stas);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "BeaconGeneration", BooleanValue(false), "BE_MaxAmpduSize",
                ampdu);
    NetDeviceContainer apDevice = wifi.Install(phy, mac, ap);
    NetDeviceContainer wifiDevices(apDevice, staDevices);
    for (uint32_t i = 0; i < wifiDevices.GetN(); ++i)
    {
        auto device = DynamicCast<WifiNetDevice>(wifiDevices.Get(i));
        if (standard == "ax")
        {
            device->GetHeConfiguration()->SetGuardInterval(NanoSeconds(guard));
            device->GetHeConfiguration()->SetMpduBufferSize(window);
        }
        else
        {
            device->GetHtConfiguration()->SetShortGuardIntervalSupported(guard == 400);
        }
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

    ap.Get(0)->RegisterProtocolHandler(MakeCallback(&TakeUpload), PROTOCOL, apDevice.Get(0));
    for (uint32_t i = 0; i < uploads; ++i)
    {
        // One packet of each station sets up its block ack agreement while the channel is idle; then all stations start.
        Ptr<NetDevice> device = staDevices.Get(i);
        Address to = apDevice.Get(0)->GetAddress();
        Simulator::Schedule(warmup - Seconds(1) + MilliSeconds(10) * i, &SendOne, device, to);
        Simulator::Schedule(warmup - MilliSeconds(500), &Saturate, device, to, 2 * window);
    }

    ApplicationContainer sinks;
    std::vector<uint64_t> before;
    if (downloads > 0)
    {
        PointToPointHelper wire;
        wire.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        wire.SetChannelAttribute("Delay", StringValue("1ms"));
        NetDeviceContainer wired = wire.Install(ap.Get(0), server.Get(0));
        InternetStackHelper internet;
        internet.Install(stas);
        internet.Install(ap);
        internet.Install(server);
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
        Ipv4InterfaceContainer interfaces = addresses.Assign(wifiDevices);
        TrafficControlHelper().Uninstall(wifiDevices);
        addresses.SetBase("10.1.0.0", "255.255.255.0");
        addresses.Assign(wired);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        for (uint32_t i = 0; i < downloads; ++i)
        {
            InetSocketAddress address(interfaces.GetAddress(1 + uploads + i), 5000);
            sinks.Add(PacketSinkHelper("ns3::TcpSocketFactory", address).Install(stas.Get(uploads + i)));
            BulkSendHelper source("ns3::TcpSocketFactory", address);
            source.SetAttribute("SendSize", UintegerValue(SEGMENT));
            ApplicationContainer sources = source.Install(server);
            sources.Start(warmup - Seconds(1) + MilliSeconds(10) * i);
        }
        Simulator::Schedule(warmup, &NoteSinks, sinks, &before);
    }
    if (counts)
    {
        Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phy/PhyTxPsduBegin",
                                      MakeCallback(&CountPsdus));
    }
    Simulator::Stop(end);
    Simulator::Run();

    auto print = [&](const char* name, const std::vector<uint64_t>& octets) {
        std::cout << ", \"" << name << "_mbps\": [";
        for (size_t i = 0; i < octets.size(); ++i)
        {
            std::cout << (i ? ", " : "") << octets[i] * 8e-6 / duration;
        }
        std::cout << "]";
    };
    std::vector<uint64_t> up;
    for (uint32_t i = 0; i < uploads; ++i)
    {
        up.push_back(received[staDevices.Get(i)->GetAddress()]);
    }
    std::vector<uint64_t> down;
    NoteSinks(sinks, &down);
    for (uint32_t i = 0; i < downloads; ++i)
    {
        down[i] -= before[i];
    }
    std::cout << "{\"simulator\": \"ns-3\"";
    print("up", up);
    print("down", down);
    if (counts)
    {
        std::cout << ", \"ppdus\": " << ppdus << ", \"mpdus\": " << mpdus;
    }
    std::cout << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
