// Five TCP uploads in a cell of 802.11a at 54 Mb/s, for 20 s: the bench's line "5 TCP uploads", in ns-3.
//
// Stations are one metre from the access point, which routes to a server over a wire of 1 Gb/s and 1 ms. Each station has a
// bulk transfer: NewReno, segments of 1460 octets, delayed ACKs, a window of 65 535 octets, and a transmit queue of 50
// packets. The program prints one line of JSON: payload [Mb/s] of all sessions, and with `--frames=1` the number of frames.
//
// The cell differs from the bench's where ns-3 has no choice: stations associate, the access point sends beacons, and hosts
// use ARP.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/wifi-module.h"

#include <iostream>

using namespace ns3;

static uint64_t frames = 0;

static void CountFrame(Ptr<const Packet>, double) { ++frames; }

int main(int argc, char* argv[])
{
    uint32_t stations = 5;
    uint32_t run = 1;
    double seconds = 20;
    bool counts = false;
    CommandLine cmd;
    cmd.AddValue("stations", "number of stations", stations);
    cmd.AddValue("run", "random run", run);
    cmd.AddValue("seconds", "simulated seconds", seconds);
    cmd.AddValue("frames", "count frames on the air", counts);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(run);

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(65535));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(131072));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize("50p")));

    NodeContainer stas;
    stas.Create(stations);
    NodeContainer ap(CreateObject<Node>());
    NodeContainer server(CreateObject<Node>());

    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode", StringValue("OfdmRate54Mbps"),
                                 "ControlMode", StringValue("OfdmRate24Mbps"));
    WifiMacHelper mac;
    Ssid ssid("cell");
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "QosSupported", BooleanValue(false));
    NetDeviceContainer staDevices = wifi.Install(phy, mac, stas);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "QosSupported", BooleanValue(false));
    NetDeviceContainer apDevice = wifi.Install(phy, mac, ap);

    MobilityHelper mobility;
    auto places = CreateObject<ListPositionAllocator>();
    places->Add(Vector(0, 0, 0));
    for (uint32_t i = 0; i < stations; ++i)
    {
        double angle = 2 * M_PI * i / stations;
        places->Add(Vector(std::cos(angle), std::sin(angle), 0));
    }
    mobility.SetPositionAllocator(places);
    mobility.Install(ap);
    mobility.Install(stas);

    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    wire.SetChannelAttribute("Delay", StringValue("1ms"));
    NetDeviceContainer wired = wire.Install(ap.Get(0), server.Get(0));

    InternetStackHelper internet;
    internet.Install(stas);
    internet.Install(ap);
    internet.Install(server);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    addresses.Assign(NetDeviceContainer(apDevice, staDevices));
    addresses.SetBase("10.1.0.0", "255.255.255.0");
    Ipv4Address to = addresses.Assign(wired).GetAddress(1);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    ApplicationContainer sinks;
    for (uint32_t i = 0; i < stations; ++i)
    {
        InetSocketAddress address(to, 5000 + i);
        sinks.Add(PacketSinkHelper("ns3::TcpSocketFactory", address).Install(server));
        BulkSendHelper source("ns3::TcpSocketFactory", address);
        source.SetAttribute("SendSize", UintegerValue(1460));
        source.Install(stas.Get(i));
    }
    if (counts)
    {
        Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phy/PhyTxBegin",
                                      MakeCallback(&CountFrame));
    }
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    uint64_t octets = 0;
    for (uint32_t i = 0; i < stations; ++i)
    {
        octets += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
    }
    std::cout << "{\"simulator\": \"ns-3\", \"mbps\": " << octets * 8e-6 / seconds;
    if (counts)
    {
        std::cout << ", \"frames\": " << frames;
    }
    std::cout << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
