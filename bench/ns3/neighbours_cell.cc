// Several cells on one channel in ns-3.37: saturated UDP up or down in each.
//
// Each cell has an access point and stations. Two nodes either receive each other at -34 dBm, or not at all: a matrix of
// losses says which. All signals are equally strong, so that two frames which overlap at a receiver are both lost there
// (of an aggregate the MPDUs that overlap), and no other frame is lost. `--layout` chooses who receives whom:
//   all         all nodes
//   middle      the nodes of a cell and of the cells next to it: with three cells the outer ones do not hear each other
//   hidden-aps  all nodes, except that no access point receives another one
//   apart       the nodes of one cell
// A sender always has MSDUs for twice the block-ack window in its queue for each receiver; an MSDU is a datagram with its IP
// and UDP headers. Packets go to the device without a network stack. Access points send no beacons. The program prints one
// line of JSON: the goodput [Mb/s] of each station of each cell, and the CPU time of the measured seconds.
//
// `bench/ns3/compare_neighbours.py` builds this program, runs its cells and documents ns-3's conventions.

#include "ns3/core-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/wifi-module.h"
// This header is installed, but wifi-module.h leaves it out.
#include "ns3/wifi-phy-listener.h"

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <list>
#include <map>
#include <sstream>
#include <vector>

using namespace ns3;

// Ethertype for local experiments.
static const uint16_t PROTOCOL = 0x88b5;
// Octets of the IP and UDP headers.
static const uint32_t HEADERS = 28;
// Loss between nodes that receive each other, and between others [dB]; the sensitivity is -101 dBm.
static const double NEAR = 50;
static const double FAR = 500;

static uint32_t packetSize;
static Time warmup;
static double cpuBefore;
static std::map<Address, uint64_t> sent;
static std::map<Address, uint64_t> received;

static double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

static void NoteCpu() { cpuBefore = CpuSeconds(); }

static void TakeUpload(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address& from, const Address&,
                       NetDevice::PacketType)
{
    if (Simulator::Now() >= warmup)
    {
        received[from] += packet->GetSize() - HEADERS;
    }
}

static void TakeDownload(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t, const Address&, const Address&,
                         NetDevice::PacketType)
{
    if (Simulator::Now() >= warmup)
    {
        sent[device->GetAddress()] += packet->GetSize() - HEADERS;
    }
}

static void SendOne(Ptr<NetDevice> device, Address to) { device->Send(Create<Packet>(packetSize), to, PROTOCOL); }

static void Refill(Ptr<NetDevice> device, Ptr<const WifiMpdu> gone)
{
    const WifiMacHeader& header = gone->GetHeader();
    if (header.IsData() && header.HasData() && Simulator::Now() >= warmup - MilliSeconds(500))
    {
        Simulator::ScheduleNow(&SendOne, device, header.GetAddr1());
    }
}

// Channel access of data: best effort, or the DCF without QoS.
static Ptr<Txop> Contender(Ptr<NetDevice> device)
{
    auto mac = DynamicCast<WifiNetDevice>(device)->GetMac();
    return mac->GetQosSupported() ? Ptr<Txop>(mac->GetQosTxop(AC_BE)) : mac->GetTxop();
}

static void Saturate(Ptr<NetDevice> device, std::vector<Address> to, uint32_t packets)
{
    Contender(device)->GetWifiMacQueue()->TraceConnectWithoutContext("Dequeue", MakeBoundCallback(&Refill, device));
    for (uint32_t i = 0; i < packets; ++i)
    {
        for (const auto& receiver : to)
        {
            SendOne(device, receiver);
        }
    }
}

// Listener that tells the channel access of a device that each reception was correct, so that no EIFS follows. It hears
// from the PHY after the channel access does.
class NoEifs : public WifiPhyListener
{
  public:
    explicit NoEifs(Ptr<ChannelAccessManager> access) : m_access(access) {}
    void NotifyRxEndError() override { m_access->NotifyRxEndOkNow(); }
    void NotifyRxStart(Time) override {}
    void NotifyRxEndOk() override {}
    void NotifyTxStart(Time, double) override {}
    void NotifyCcaBusyStart(Time, WifiChannelListType, const std::vector<Time>&) override {}
    void NotifySwitchingStart(Time) override {}
    void NotifySleep() override {}
    void NotifyOff() override {}
    void NotifyWakeup() override {}
    void NotifyOn() override {}

  private:
    Ptr<ChannelAccessManager> m_access;
};

// Node of a cell; number 0 of each cell is its access point.
struct Member
{
    uint32_t cell;
    uint32_t number;
};

static bool Receive(const std::string& layout, const Member& one, const Member& other)
{
    if (one.cell == other.cell || layout == "all")
    {
        return true;
    }
    if (layout == "middle")
    {
        return std::abs(static_cast<int>(one.cell) - static_cast<int>(other.cell)) == 1;
    }
    return layout == "hidden-aps" && (one.number > 0 || other.number > 0);
}

int main(int argc, char* argv[])
{
    std::string layout = "middle";
    uint32_t cells = 3;
    uint32_t stations = 1;
    bool up = true;
    std::string standard = "a";
    uint32_t width = 20;
    uint32_t mcs = 7;
    bool aggregates = true;
    uint32_t maxOctets = 65535;
    uint32_t window = 64;
    uint32_t payload = 1472;
    uint32_t cwMin = 15;
    uint32_t cwMax = 1023;
    bool eifs = true;
    uint32_t attempts = 1000000;
    double duration = 10;
    double start = 2;
    uint32_t seed = 1;
    std::string pcap;
    CommandLine cmd;
    cmd.AddValue("layout", "who receives whom: all, middle, hidden-aps or apart", layout);
    cmd.AddValue("cells", "cells", cells);
    cmd.AddValue("stations", "stations of each cell", stations);
    cmd.AddValue("up", "stations send, else the access points", up);
    cmd.AddValue("standard", "a, n, ac or ax", standard);
    cmd.AddValue("width", "channel width [MHz]", width);
    cmd.AddValue("mcs", "MCS of one stream; rate [Mb/s] in 802.11a", mcs);
    cmd.AddValue("aggregation", "A-MPDUs", aggregates);
    cmd.AddValue("max-octets", "longest A-MPDU [octets]", maxOctets);
    cmd.AddValue("window", "block-ack window [MPDUs]", window);
    cmd.AddValue("payload", "octets of a datagram", payload);
    cmd.AddValue("cw-min", "smallest contention window", cwMin);
    cmd.AddValue("cw-max", "greatest contention window", cwMax);
    cmd.AddValue("eifs", "EIFS after a frame with errors, else DIFS or AIFS", eifs);
    cmd.AddValue("attempts", "failures in all after which a station gives up", attempts);
    cmd.AddValue("duration", "simulated seconds that count", duration);
    cmd.AddValue("warmup", "simulated seconds before them; senders are saturated during the last half second", start);
    cmd.AddValue("seed", "random run", seed);
    cmd.AddValue("pcap", "prefix of captures at all nodes", pcap);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    warmup = Seconds(start);
    Time end = Seconds(start + duration);
    packetSize = payload + HEADERS;

    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(4692480));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(attempts));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(attempts));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize",
                       QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, 4 * window * stations)));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(end));

    const std::map<std::string, std::pair<WifiStandard, std::string>> standards{
        {"a", {WIFI_STANDARD_80211a, "OfdmRate"}},
        {"n", {WIFI_STANDARD_80211n, "HtMcs"}},
        {"ac", {WIFI_STANDARD_80211ac, "VhtMcs"}},
        {"ax", {WIFI_STANDARD_80211ax, "HeMcs"}},
    };
    auto found = standards.find(standard);
    NS_ABORT_MSG_IF(found == standards.end(), "standard: a, n, ac or ax");
    NS_ABORT_MSG_IF(layout != "all" && layout != "middle" && layout != "hidden-aps" && layout != "apart",
                    "layout: all, middle, hidden-aps or apart");
    std::ostringstream mode;
    mode << found->second.second << mcs << (standard == "a" ? "Mbps" : "");
    std::ostringstream settings;
    settings << "{0, " << width << ", BAND_5GHZ, 0}";

    auto loss = CreateObject<MatrixPropagationLossModel>();
    loss->SetDefaultLoss(FAR);
    auto delay = CreateObject<RandomPropagationDelayModel>();
    delay->SetAttribute("Variable", StringValue("ns3::ConstantRandomVariable[Constant=3e-9]"));
    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationLossModel(loss);
    channel->SetPropagationDelayModel(delay);
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.Set("ChannelSettings", StringValue(settings.str()));
    WifiHelper wifi;
    wifi.SetStandard(found->second.first);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(mode.str()), "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    MobilityHelper mobility;

    NodeContainer all;
    NetDeviceContainer devices;
    std::vector<Member> members;
    std::vector<NetDeviceContainer> cellDevices;
    for (uint32_t cell = 0; cell < cells; ++cell)
    {
        NodeContainer nodes;
        nodes.Create(1 + stations);
        mobility.Install(nodes);
        WifiMacHelper mac;
        SsidValue ssid(Ssid("cell" + std::to_string(cell)));
        UintegerValue ampdu(aggregates ? maxOctets : 0);
        mac.SetType("ns3::ApWifiMac", "Ssid", ssid, "BeaconGeneration", BooleanValue(false), "BE_MaxAmpduSize", ampdu);
        NetDeviceContainer own = wifi.Install(phy, mac, nodes.Get(0));
        mac.SetType("ns3::StaWifiMac", "Ssid", ssid, "ActiveProbing", BooleanValue(true), "MaxMissedBeacons",
                    UintegerValue(1000000), "BE_MaxAmpduSize", ampdu);
        for (uint32_t i = 1; i <= stations; ++i)
        {
            own.Add(wifi.Install(phy, mac, nodes.Get(i)));
        }
        for (uint32_t i = 0; i <= stations; ++i)
        {
            members.push_back({cell, i});
        }
        all.Add(nodes);
        devices.Add(own);
        cellDevices.push_back(own);
    }
    for (uint32_t i = 0; i < all.GetN(); ++i)
    {
        for (uint32_t j = 0; j < i; ++j)
        {
            if (Receive(layout, members[i], members[j]))
            {
                loss->SetLoss(all.Get(i)->GetObject<MobilityModel>(), all.Get(j)->GetObject<MobilityModel>(), NEAR);
            }
        }
    }
    std::list<NoEifs> listeners;
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
        Contender(device)->SetMinCw(cwMin);
        Contender(device)->SetMaxCw(cwMax);
        if (standard == "ax")
        {
            device->GetHeConfiguration()->SetGuardInterval(NanoSeconds(800));
            device->GetHeConfiguration()->SetMpduBufferSize(window);
        }
        if (!eifs)
        {
            device->GetPhy()->RegisterListener(&listeners.emplace_back(device->GetMac()->GetChannelAccessManager()));
        }
    }

    uint32_t order = 0;
    for (const auto& own : cellDevices)
    {
        Ptr<NetDevice> ap = own.Get(0);
        ap->GetNode()->RegisterProtocolHandler(MakeCallback(&TakeUpload), PROTOCOL, ap);
        std::vector<Address> receivers;
        for (uint32_t i = 1; i <= stations; ++i)
        {
            // One packet sets up the block ack agreement while the channel is idle; then all senders start.
            Ptr<NetDevice> sta = own.Get(i);
            sta->GetNode()->RegisterProtocolHandler(MakeCallback(&TakeDownload), PROTOCOL, sta);
            receivers.push_back(sta->GetAddress());
            Time first = warmup - Seconds(1) + MilliSeconds(10) * order++;
            Simulator::Schedule(first, &SendOne, up ? sta : ap, up ? ap->GetAddress() : sta->GetAddress());
            if (up)
            {
                std::vector<Address> to{ap->GetAddress()};
                Simulator::Schedule(warmup - MilliSeconds(500), &Saturate, sta, to, 2 * window);
            }
        }
        if (!up)
        {
            Simulator::Schedule(warmup - MilliSeconds(500), &Saturate, ap, receivers, 2 * window);
        }
    }
    if (!pcap.empty())
    {
        phy.EnablePcap(pcap, devices);
    }
    Simulator::Schedule(warmup, &NoteCpu);
    Simulator::Stop(end);
    Simulator::Run();

    std::cout << "{\"simulator\": \"ns-3\", \"mbps\": [";
    for (uint32_t cell = 0; cell < cells; ++cell)
    {
        std::cout << (cell ? ", [" : "[");
        for (uint32_t i = 1; i <= stations; ++i)
        {
            Address address = cellDevices[cell].Get(i)->GetAddress();
            std::cout << (i > 1 ? ", " : "") << (up ? received : sent)[address] * 8e-6 / duration;
        }
        std::cout << "]";
    }
    std::cout << "], \"cpu_s\": " << CpuSeconds() - cpuBefore << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
