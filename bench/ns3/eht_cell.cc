// A cell of 802.11be on one link in ns-3.44: saturated uploads, saturated downloads, or both.
//
// All stations are at one position, one metre from the access point, so that they receive each other with equal power and
// all receivers lose the frames of a collision. No other frame is lost. A saturated sender always has MSDUs for twice the
// block-ack window of each receiver in its queue, each as long as a datagram of 1472 octets with its IP and UDP headers.
// Packets go to the device without a network stack, to save ns-3's time. The access point sends no beacons after the
// stations have associated. The program prints one line of JSON: goodput [Mb/s] of each station after the warm-up, the
// number of PPDUs with data and of the MPDUs in them, and the durations of the longest PPDU with data and of a BlockAck
// [µs].
//
// `bench/ns3/compare_eht.py` builds this program and documents ns-3's conventions.

#include "ns3/core-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

using namespace ns3;

// Ethertype for local experiments.
static const uint16_t PROTOCOL = 0x88b5;
static const uint32_t PAYLOAD = 1472;
static const uint32_t PACKET = PAYLOAD + 28;

static uint64_t ppdus = 0;
static uint64_t mpdus = 0;
static Time longest;
static Time blockAck;
static Time warmup;
static std::map<Address, uint64_t> received;

static void CountPsdus(WifiConstPsduMap psdus, WifiTxVector vector, double)
{
    if (Simulator::Now() < warmup)
    {
        return;
    }
    Time lasts = WifiPhy::CalculateTxDuration(psdus, vector, WIFI_PHY_BAND_5GHZ);
    for (const auto& psdu : psdus)
    {
        if (psdu.second->GetHeader(0).IsQosData())
        {
            ++ppdus;
            mpdus += psdu.second->GetNMpdus();
            longest = std::max(longest, lasts);
        }
        else if (psdu.second->GetHeader(0).IsBlockAck())
        {
            blockAck = std::max(blockAck, lasts);
        }
    }
}

static void TakeUpload(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address& from, const Address&,
                       NetDevice::PacketType)
{
    received[from] += Simulator::Now() < warmup ? 0 : packet->GetSize() - 28;
}

static void TakeDownload(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t, const Address&, const Address&,
                         NetDevice::PacketType)
{
    received[device->GetAddress()] += Simulator::Now() < warmup ? 0 : packet->GetSize() - 28;
}

static void SendOne(Ptr<NetDevice> device, Address to) { device->Send(Create<Packet>(PACKET), to, PROTOCOL); }

static void Refill(Ptr<NetDevice> device, Ptr<const WifiMpdu> gone)
{
    if (gone->GetHeader().IsQosData())
    {
        Simulator::ScheduleNow(&SendOne, device, Address(gone->GetHeader().GetAddr1()));
    }
}

static void Saturate(Ptr<NetDevice> device, std::vector<Address> receivers, uint32_t packets)
{
    auto mac = DynamicCast<WifiNetDevice>(device)->GetMac();
    mac->GetQosTxop(AC_BE)->GetWifiMacQueue()->TraceConnectWithoutContext("Dequeue",
                                                                         MakeBoundCallback(&Refill, device));
    for (uint32_t i = 0; i < packets; ++i)
    {
        for (const auto& to : receivers)
        {
            SendOne(device, to);
        }
    }
}

int main(int argc, char* argv[])
{
    uint32_t width = 80;
    uint32_t mcs = 13;
    uint32_t streams = 1;
    uint32_t guard = 800;
    uint32_t uploads = 1;
    uint32_t downloads = 0;
    uint32_t window = 1024;
    uint32_t attempts = 65535;
    double duration = 2;
    double start = 2;
    uint32_t seed = 1;
    CommandLine cmd;
    cmd.AddValue("width", "channel width [MHz]", width);
    cmd.AddValue("mcs", "MCS of one stream", mcs);
    cmd.AddValue("streams", "spatial streams", streams);
    cmd.AddValue("guard", "guard interval [ns]", guard);
    cmd.AddValue("uploads", "stations that upload", uploads);
    cmd.AddValue("downloads", "stations that download", downloads);
    cmd.AddValue("window", "block-ack window [MPDUs]", window);
    cmd.AddValue("attempts", "failures after which a station gives up", attempts);
    cmd.AddValue("duration", "simulated seconds that count", duration);
    cmd.AddValue("warmup", "simulated seconds before them", start);
    cmd.AddValue("seed", "random run", seed);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    warmup = Seconds(start);
    Time end = Seconds(start + duration);

    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(4692480));
    Config::SetDefault("ns3::WifiMac::FrameRetryLimit", UintegerValue(attempts));
    Config::SetDefault("ns3::WifiMac::MpduBufferSize", UintegerValue(window));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, 100000)));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(end));

    NodeContainer stas;
    stas.Create(uploads + downloads);
    NodeContainer ap(CreateObject<Node>());
    std::ostringstream mode;
    mode << "EhtMcs" << mcs;
    std::ostringstream channel;
    channel << "{0, " << width << ", BAND_5GHZ, 0}";

    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    phy.Set("ChannelSettings", StringValue(channel.str()));
    phy.Set("Antennas", UintegerValue(streams));
    phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(streams));
    phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(streams));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211be);
    wifi.ConfigHeOptions("GuardInterval", TimeValue(NanoSeconds(guard)));
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(mode.str()), "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    WifiMacHelper mac;
    Ssid ssid("cell");
    // The longest A-MPDU of EHT.
    UintegerValue ampdu(15523200);
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "ActiveProbing", BooleanValue(true), "MaxMissedBeacons",
                UintegerValue(1000000), "BE_MaxAmpduSize", ampdu);
    NetDeviceContainer staDevices = wifi.Install(phy, mac, stas);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "BeaconGeneration", BooleanValue(false), "BE_MaxAmpduSize",
                ampdu);
    NetDeviceContainer apDevice = wifi.Install(phy, mac, ap);

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
    std::vector<Address> receivers;
    for (uint32_t i = 0; i < stas.GetN(); ++i)
    {
        // One packet in each direction sets up its block ack agreement while the channel is idle; then all start.
        Ptr<NetDevice> device = staDevices.Get(i);
        Address to = apDevice.Get(0)->GetAddress();
        Time at = warmup - Seconds(1) + MilliSeconds(10) * i;
        if (i < uploads)
        {
            Simulator::Schedule(at, &SendOne, device, to);
            Simulator::Schedule(warmup - MilliSeconds(500), &Saturate, device, std::vector<Address>{to}, 2 * window);
        }
        else
        {
            stas.Get(i)->RegisterProtocolHandler(MakeCallback(&TakeDownload), PROTOCOL, device);
            Simulator::Schedule(at, &SendOne, apDevice.Get(0), device->GetAddress());
            receivers.push_back(device->GetAddress());
        }
    }
    if (downloads > 0)
    {
        Simulator::Schedule(warmup - MilliSeconds(500), &Saturate, apDevice.Get(0), receivers, 2 * window);
    }
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phy/PhyTxPsduBegin",
                                  MakeCallback(&CountPsdus));
    Simulator::Stop(end);
    Simulator::Run();

    std::cout << "{\"simulator\": \"ns-3\", \"mbps\": [";
    for (uint32_t i = 0; i < stas.GetN(); ++i)
    {
        uint64_t octets = received[staDevices.Get(i)->GetAddress()];
        std::cout << (i ? ", " : "") << octets * 8e-6 / duration;
    }
    std::cout << "], \"ppdus\": " << ppdus << ", \"mpdus\": " << mpdus
              << ", \"longest_us\": " << longest.GetNanoSeconds() / 1e3
              << ", \"block_ack_us\": " << blockAck.GetNanoSeconds() / 1e3 << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
