// Two cells of 802.11ax with OBSS-PD spatial reuse in ns-3.37, as in ns-3's example wifi-spatial-reuse.
//
//      STA1                      STA2          STAs send UDP-sized packets to their access points at a fixed rate and MCS.
//       | d1                      | d2         Path loss is Friis'; a preamble is detected from -82 dBm on.
//      AP1 ---------- d3 -------- AP2
//
// `--example` keeps the settings of the example that other programs here change: beacons, packets that expire after half a
// second, a BlockAckReq after each of them, and the retry limit. The program prints one line of JSON: the goodput [Mb/s]
// of the packets of each cell, and the CPU time of the measured seconds.
//
// `bench/ns3/compare_reuse.py` builds this program, runs its cells and documents ns-3's conventions.

#include "ns3/core-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/spectrum-module.h"
#include "ns3/wifi-module.h"

#include <ctime>
#include <iostream>
#include <vector>

using namespace ns3;

static Time warmup;
static double cpuBefore;
static std::vector<uint64_t> received(2);

static double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

static void NoteCpu() { cpuBefore = CpuSeconds(); }

static void Count(uint64_t* octets, Ptr<const Packet> packet, const Address&)
{
    if (Simulator::Now() >= warmup)
    {
        *octets += packet->GetSize();
    }
}

int main(int argc, char* argv[])
{
    bool reuse = true;
    double level = -72;
    double d1 = 30;
    double d2 = 30;
    double d3 = 150;
    double staPower = 10;
    double apPower = 10;
    uint32_t mcs = 0;
    uint32_t packetSize = 1500;
    double interval = 0.001;
    bool example = false;
    double duration = 10;
    double start = 2;
    uint32_t seed = 1;
    CommandLine cmd;
    cmd.AddValue("reuse", "OBSS-PD spatial reuse", reuse);
    cmd.AddValue("level", "OBSS-PD level [dBm]", level);
    cmd.AddValue("d1", "distance of STA1 and AP1 [m]", d1);
    cmd.AddValue("d2", "distance of STA2 and AP2 [m]", d2);
    cmd.AddValue("d3", "distance of AP1 and AP2 [m]", d3);
    cmd.AddValue("sta-power", "transmit power of the stations [dBm]", staPower);
    cmd.AddValue("ap-power", "transmit power of the access points [dBm]", apPower);
    cmd.AddValue("mcs", "HE MCS of one stream", mcs);
    cmd.AddValue("packet", "octets of a packet", packetSize);
    cmd.AddValue("interval", "time between packets [s]", interval);
    cmd.AddValue("example", "settings of ns-3's example", example);
    cmd.AddValue("duration", "simulated seconds that count", duration);
    cmd.AddValue("warmup", "simulated seconds before them", start);
    cmd.AddValue("seed", "random run", seed);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    warmup = Seconds(start);
    Time end = Seconds(start + duration);

    if (!example)
    {
        Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
        Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(1000000));
        Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(1000000));
        Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(end));
    }

    auto channel = CreateObject<MultiModelSpectrumChannel>();
    channel->AddPropagationLossModel(CreateObject<FriisPropagationLossModel>());
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    SpectrumWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.SetErrorRateModel("ns3::YansErrorRateModel");
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel");
    phy.Set("ChannelSettings", StringValue("{36, 20, BAND_5GHZ, 0}"));
    phy.Set("CcaEdThreshold", DoubleValue(-62));
    phy.Set("RxSensitivity", DoubleValue(-92));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211ax);
    StringValue mode("HeMcs" + std::to_string(mcs));
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", mode, "ControlMode", mode);
    if (reuse)
    {
        wifi.SetObssPdAlgorithm("ns3::ConstantObssPdAlgorithm", "ObssPdLevel", DoubleValue(level));
    }

    NodeContainer stations;
    NodeContainer aps;
    stations.Create(2);
    aps.Create(2);
    NetDeviceContainer staDevices;
    NetDeviceContainer apDevices;
    for (uint32_t cell = 0; cell < 2; ++cell)
    {
        WifiMacHelper mac;
        SsidValue ssid(Ssid("cell" + std::to_string(cell)));
        phy.Set("TxPowerStart", DoubleValue(staPower));
        phy.Set("TxPowerEnd", DoubleValue(staPower));
        mac.SetType("ns3::StaWifiMac", "Ssid", ssid, "ActiveProbing", BooleanValue(!example), "MaxMissedBeacons",
                    UintegerValue(example ? 10 : 1000000));
        staDevices.Add(wifi.Install(phy, mac, stations.Get(cell)));
        phy.Set("TxPowerStart", DoubleValue(apPower));
        phy.Set("TxPowerEnd", DoubleValue(apPower));
        mac.SetType("ns3::ApWifiMac", "Ssid", ssid, "BeaconGeneration", BooleanValue(example));
        apDevices.Add(wifi.Install(phy, mac, aps.Get(cell)));
        if (reuse)
        {
            auto device = DynamicCast<WifiNetDevice>(apDevices.Get(cell));
            device->GetHeConfiguration()->SetAttribute("BssColor", UintegerValue(cell + 1));
        }
    }
    MobilityHelper mobility;
    auto places = CreateObject<ListPositionAllocator>();
    places->Add(Vector(0, 0, 0));
    places->Add(Vector(d3, 0, 0));
    places->Add(Vector(0, d1, 0));
    places->Add(Vector(d3, d2, 0));
    mobility.SetPositionAllocator(places);
    mobility.Install(aps);
    mobility.Install(stations);

    PacketSocketHelper sockets;
    sockets.Install(aps);
    sockets.Install(stations);
    for (uint32_t cell = 0; cell < 2; ++cell)
    {
        PacketSocketAddress address;
        address.SetSingleDevice(staDevices.Get(cell)->GetIfIndex());
        address.SetPhysicalAddress(apDevices.Get(cell)->GetAddress());
        address.SetProtocol(1);
        auto client = CreateObject<PacketSocketClient>();
        client->SetRemote(address);
        client->SetAttribute("PacketSize", UintegerValue(packetSize));
        client->SetAttribute("MaxPackets", UintegerValue(0));
        client->SetAttribute("Interval", TimeValue(Seconds(interval)));
        stations.Get(cell)->AddApplication(client);
        auto server = CreateObject<PacketSocketServer>();
        server->SetLocal(address);
        server->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Count, &received[cell]));
        aps.Get(cell)->AddApplication(server);
    }
    Simulator::Schedule(warmup, &NoteCpu);
    Simulator::Stop(end);
    Simulator::Run();

    std::cout << "{\"simulator\": \"ns-3\", \"mbps\": [" << received[0] * 8e-6 / duration << ", "
              << received[1] * 8e-6 / duration << "], \"cpu_s\": " << CpuSeconds() - cpuBefore << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
