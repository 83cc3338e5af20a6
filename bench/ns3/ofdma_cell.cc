// A cell of 802.11ax with OFDMA in ns-3.37: saturated UDP down, up, or both, by RrMultiUserScheduler.
//
// All stations are at one position, one metre from the access point, as in cell.cc; no frame is lost but in collisions.
// Each direction is off, single-user or multi-user. A sender always has MSDUs for twice the block-ack window in its queue
// for each receiver; an MSDU is a datagram with its IP and UDP headers. Packets go to the device without a network stack.
// A multi-user downlink serves up to `--per-ppdu` stations in units of equal size; a multi-user uplink is triggered by the
// access point, and its stations contend as well unless `--mu-timer` stops them. The program prints one line of JSON: the
// goodput [Mb/s] of each station, down and up, and the CPU time of the measured seconds. `--trace=FILE` writes a line for
// each PPDU and each back-off, with times in nanoseconds; `--trace-from` and `--trace-to` limit it.
//
// `bench/ns3/compare_ofdma.py` builds this program, runs its cells and documents ns-3's conventions.

#include "ns3/core-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/spectrum-module.h"
#include "ns3/wifi-module.h"

#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

using namespace ns3;

// Ethertype for local experiments.
static const uint16_t PROTOCOL = 0x88b5;
// Octets of the IP and UDP headers.
static const uint32_t HEADERS = 28;

static uint32_t packetSize;
static Time warmup;
static double cpuBefore;
static std::map<Address, uint64_t> sent;
static std::map<Address, uint64_t> received;
static std::ofstream traced;
static Time traceFrom;
static Time traceTo;

static double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

static void NoteCpu() { cpuBefore = CpuSeconds(); }

static bool IsTraced() { return Simulator::Now() >= traceFrom && Simulator::Now() < traceTo; }

// Kind and number of the frames in a PSDU, in their order, such as `data*12 trigger`.
static std::string Frames(Ptr<const WifiPsdu> psdu)
{
    std::ostringstream text;
    std::string last;
    uint32_t count = 0;
    auto flush = [&]() {
        if (count > 0)
        {
            text << (text.tellp() > 0 ? " " : "") << last;
            if (count > 1)
            {
                text << "*" << count;
            }
        }
    };
    for (const auto& mpdu : *PeekPointer(psdu))
    {
        const WifiMacHeader& header = mpdu->GetHeader();
        std::string kind = header.GetTypeString();
        if (header.IsTrigger())
        {
            CtrlTriggerHeader trigger;
            mpdu->GetPacket()->PeekHeader(trigger);
            kind = trigger.IsBasic() ? "Basic" : trigger.IsBsrp() ? "BSRP" : trigger.IsMuBar() ? "MU-BAR" : "trigger";
            kind += "(UL length " + std::to_string(trigger.GetUlLength()) + ", " + std::to_string(trigger.GetGuardInterval())
                    + " ns, " + std::to_string(mpdu->GetSize()) + " octets)";
        }
        else if (header.IsBlockAck())
        {
            CtrlBAckResponseHeader response;
            mpdu->GetPacket()->PeekHeader(response);
            kind = response.IsMultiSta() ? "Multi-STA BlockAck" : "BlockAck";
        }
        if (kind != last)
        {
            flush();
            last = kind;
            count = 0;
        }
        ++count;
    }
    flush();
    return text.str();
}

static void TracePpdu(std::string node, Ptr<WifiPhy> phy, WifiConstPsduMap psdus, WifiTxVector vector, double)
{
    if (!IsTraced())
    {
        return;
    }
    Time duration = WifiPhy::CalculateTxDuration(psdus, vector, phy->GetPhyBand());
    traced << Simulator::Now().GetNanoSeconds() << " " << duration.GetNanoSeconds() << " " << node << " "
           << vector.GetPreambleType() << " preamble " << WifiPhy::CalculatePhyPreambleAndHeaderDuration(vector).GetNanoSeconds()
           << " guard " << vector.GetGuardInterval();
    if (vector.IsDlMu())
    {
        traced << " sig-b " << phy->GetPhyEntity(WIFI_MOD_CLASS_HE)->GetDuration(WIFI_PPDU_FIELD_SIG_B, vector).GetNanoSeconds()
               << " " << vector.GetSigBMode().GetUniqueName();
    }
    for (const auto& [aid, psdu] : psdus)
    {
        traced << " |";
        if (vector.IsMu())
        {
            traced << " aid " << aid << " " << vector.GetRu(aid) << " " << vector.GetMode(aid).GetUniqueName();
        }
        else
        {
            traced << " " << vector.GetMode().GetUniqueName();
        }
        traced << " psdu " << psdu->GetSize() << " nav " << psdu->GetDuration().GetNanoSeconds() << ": " << Frames(psdu);
    }
    traced << "\n";
}

static void TraceBackoff(std::string node, uint32_t slots, uint8_t)
{
    if (IsTraced())
    {
        traced << Simulator::Now().GetNanoSeconds() << " - " << node << " back-off of " << slots << " slots\n";
    }
}

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
    if (gone->GetHeader().IsQosData() && gone->GetHeader().HasData() && Simulator::Now() >= warmup - MilliSeconds(500))
    {
        for (uint32_t i = 0; i < std::max<std::size_t>(1, std::distance(gone->begin(), gone->end())); ++i)
        {
            Simulator::ScheduleNow(&SendOne, device, gone->GetHeader().GetAddr1());
        }
    }
}

static void Saturate(Ptr<NetDevice> device, std::vector<Address> to, uint32_t packets)
{
    DynamicCast<WifiNetDevice>(device)->GetMac()->GetQosTxop(AC_BE)->GetWifiMacQueue()->TraceConnectWithoutContext(
        "Dequeue", MakeBoundCallback(&Refill, device));
    for (uint32_t i = 0; i < packets; ++i)
    {
        for (const auto& receiver : to)
        {
            SendOne(device, receiver);
        }
    }
}

// Acknowledgement manager that computes the length of block acks in trigger-based PPDUs with the guard interval that their
// trigger announces. ns-3.37 takes that of the downlink PPDU, so that the access point loses all block acks whose number
// of symbols then differs.
class TriggeredAckManager : public WifiDefaultAckManager
{
  public:
    std::unique_ptr<WifiAcknowledgment> TryAddMpdu(Ptr<const WifiMpdu> mpdu, const WifiTxParameters& parameters) override
    {
        auto found = WifiDefaultAckManager::TryAddMpdu(mpdu, parameters);
        if (found && found->method == WifiAcknowledgment::DL_MU_TF_MU_BAR)
        {
            Lengthen(static_cast<WifiDlMuTfMuBar*>(found.get())->stationsReplyingWithBlockAck);
        }
        else if (found && found->method == WifiAcknowledgment::DL_MU_AGGREGATE_TF)
        {
            Lengthen(static_cast<WifiDlMuAggregateTf*>(found.get())->stationsReplyingWithBlockAck);
        }
        return found;
    }

  private:
    template <class Stations>
    static void Lengthen(Stations& stations)
    {
        for (auto& station : stations)
        {
            WifiTxVector& vector = station.second.blockAckTxVector;
            vector.SetGuardInterval(std::max<uint16_t>(1600, vector.GetGuardInterval()));
        }
    }
};

static void SetEdca(Ptr<NetDevice> device, uint32_t min, uint32_t max, uint32_t aifsn, double txop)
{
    auto edca = DynamicCast<WifiNetDevice>(device)->GetMac()->GetQosTxop(AC_BE);
    edca->SetMinCw(min);
    edca->SetMaxCw(max);
    edca->SetAifsn(aifsn);
    edca->SetTxopLimit(MicroSeconds(txop));
}

int main(int argc, char* argv[])
{
    uint32_t users = 8;
    std::string down = "mu";
    std::string up = "off";
    std::string ack = "mu-bar";
    uint32_t perPpdu = 0;
    uint32_t width = 80;
    uint32_t mcs = 11;
    uint32_t streams = 1;
    uint32_t guard = 800;
    uint32_t payload = 1472;
    double txop = 0;
    uint32_t maxOctets = 6500631;
    uint32_t window = 64;
    uint32_t ackMcs = 5;
    bool mended = true;
    bool central = false;
    bool sharing = true;
    bool forced = false;
    bool polls = true;
    double interval = 0;
    uint32_t unknown = 500;
    bool reports = false;
    double lifetime = 20;
    uint32_t muAifsn = 0;
    uint32_t muMin = 15;
    uint32_t muMax = 1023;
    double muTimer = 0;
    uint32_t cwMin = 15;
    uint32_t cwMax = 1023;
    uint32_t aifsn = 3;
    bool asks = false;
    uint32_t attempts = 1000000;
    bool beacons = false;
    bool delay = true;
    double duration = 5;
    double start = 2;
    uint32_t seed = 1;
    std::string trace;
    double from = 2;
    double to = 2.05;
    std::string pcap;
    CommandLine cmd;
    cmd.AddValue("users", "stations", users);
    cmd.AddValue("down", "downlink: off, su or mu", down);
    cmd.AddValue("up", "uplink: off, su (stations contend) or mu (and are triggered)", up);
    cmd.AddValue("ack", "acknowledgement of downlink MU PPDUs: bar, mu-bar or aggregated-mu-bar", ack);
    cmd.AddValue("per-ppdu", "greatest number of stations in a PPDU; 0 is all", perPpdu);
    cmd.AddValue("width", "channel width [MHz]", width);
    cmd.AddValue("mcs", "MCS of one stream", mcs);
    cmd.AddValue("streams", "spatial streams of each station", streams);
    cmd.AddValue("guard", "guard interval [ns]; trigger-based PPDUs have 1600 for 800, else the same", guard);
    cmd.AddValue("payload", "octets of a datagram", payload);
    cmd.AddValue("txop", "TXOP limit of best effort [us], multiple of 32; 0 is one exchange", txop);
    cmd.AddValue("max-octets", "longest A-MPDU [octets]", maxOctets);
    cmd.AddValue("window", "block-ack window [MPDUs]", window);
    cmd.AddValue("ack-mcs", "highest MCS of block acks in trigger-based PPDUs", ackMcs);
    cmd.AddValue("mended", "guard interval of the trigger for the length of block acks in trigger-based PPDUs", mended);
    cmd.AddValue("central", "use the centre 26-tone units", central);
    cmd.AddValue("sharing", "other categories may fill a PPDU", sharing);
    cmd.AddValue("forced", "send nothing if no MU PPDU can be built, instead of a single-user PPDU", forced);
    cmd.AddValue("poll", "BSRP before a Basic trigger", polls);
    cmd.AddValue("interval", "access requests without downlink traffic this long after the last access [us]; 0 is never",
                 interval);
    cmd.AddValue("unknown", "octets that are granted if no buffer report is known", unknown);
    cmd.AddValue("reports", "data of the uplink carry a buffer report; else only the QoS Nulls do", reports);
    cmd.AddValue("lifetime", "validity of a buffer report [ms]", lifetime);
    cmd.AddValue("mu-aifsn", "AIFSN while the MU EDCA timer runs; 0 is no contention", muAifsn);
    cmd.AddValue("mu-cw-min", "smallest window while the MU EDCA timer runs", muMin);
    cmd.AddValue("mu-cw-max", "greatest window while the MU EDCA timer runs", muMax);
    cmd.AddValue("mu-timer", "MU EDCA timer [us], multiple of 8192; 0 is none", muTimer);
    cmd.AddValue("cw-min", "smallest contention window", cwMin);
    cmd.AddValue("cw-max", "greatest contention window", cwMax);
    cmd.AddValue("aifsn", "AIFSN of best effort", aifsn);
    cmd.AddValue("ask", "ask with a BAR after a lost block ack, instead of sending the aggregate again", asks);
    cmd.AddValue("attempts", "failures in all after which a station gives up", attempts);
    cmd.AddValue("beacons", "beacons every 102.4 ms", beacons);
    cmd.AddValue("delay", "propagation at the speed of light: 3 ns", delay);
    cmd.AddValue("duration", "simulated seconds that count", duration);
    cmd.AddValue("warmup", "simulated seconds before them; senders are saturated during the last half second", start);
    cmd.AddValue("seed", "random run", seed);
    cmd.AddValue("trace", "file for the PPDUs and back-offs", trace);
    cmd.AddValue("trace-from", "start of the trace [s]", from);
    cmd.AddValue("trace-to", "end of the trace [s]", to);
    cmd.AddValue("pcap", "prefix of a capture at the access point", pcap);
    cmd.Parse(argc, argv);
    NS_ABORT_MSG_IF(up == "mu" && down == "su", "ns-3 has no triggered uplink beside a single-user downlink");
    RngSeedManager::SetRun(seed);
    warmup = Seconds(start);
    Time end = Seconds(start + duration);
    packetSize = payload + HEADERS;
    bool scheduled = down == "mu" || up == "mu";

    const std::map<std::string, WifiAcknowledgment::Method> acks{
        {"bar", WifiAcknowledgment::DL_MU_BAR_BA_SEQUENCE},
        {"mu-bar", WifiAcknowledgment::DL_MU_TF_MU_BAR},
        {"aggregated-mu-bar", WifiAcknowledgment::DL_MU_AGGREGATE_TF},
    };
    NS_ABORT_MSG_IF(!acks.count(ack), "ack: bar, mu-bar or aggregated-mu-bar");
    Config::SetDefault("ns3::WifiDefaultAckManager::DlMuAckSequenceType", EnumValue(acks.at(ack)));
    Config::SetDefault("ns3::WifiDefaultAckManager::MaxBlockAckMcs", UintegerValue(ackMcs));
    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(asks));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(4692480));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(attempts));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(attempts));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, 4 * window * users)));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(end));
    Config::SetDefault("ns3::QosFrameExchangeManager::SetQueueSize", BooleanValue(reports));
    Config::SetDefault("ns3::ApWifiMac::BsrLifetime", TimeValue(MilliSeconds(lifetime)));
    Config::SetDefault("ns3::HeConfiguration::MuBeAifsn", UintegerValue(muAifsn));
    Config::SetDefault("ns3::HeConfiguration::MuBeCwMin", UintegerValue(muMin));
    Config::SetDefault("ns3::HeConfiguration::MuBeCwMax", UintegerValue(muMax));
    for (const char* category : {"Be", "Bk", "Vi", "Vo"})
    {
        Config::SetDefault(std::string("ns3::HeConfiguration::") + category + "MuEdcaTimer", TimeValue(MicroSeconds(muTimer)));
    }

    NodeContainer stas;
    stas.Create(users);
    NodeContainer ap(CreateObject<Node>());
    std::ostringstream mode;
    mode << "HeMcs" << mcs;
    std::ostringstream channel;
    channel << "{0, " << width << ", BAND_5GHZ, 0}";
    auto air = CreateObject<MultiModelSpectrumChannel>();
    air->AddPropagationLossModel(CreateObject<LogDistancePropagationLossModel>());
    if (delay)
    {
        air->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    }
    SpectrumWifiPhyHelper phy;
    phy.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    phy.SetChannel(air);
    phy.Set("ChannelSettings", StringValue(channel.str()));
    phy.Set("Antennas", UintegerValue(streams));
    phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(streams));
    phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(streams));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211ax);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", StringValue(mode.str()), "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    WifiMacHelper mac;
    Ssid ssid("cell");
    UintegerValue ampdu(maxOctets);
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(ssid), "ActiveProbing", BooleanValue(true), "MaxMissedBeacons",
                UintegerValue(1000000), "BE_MaxAmpduSize", ampdu);
    NetDeviceContainer staDevices = wifi.Install(phy, mac, stas);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "BeaconGeneration", BooleanValue(beacons), "BE_MaxAmpduSize",
                ampdu);
    if (scheduled)
    {
        mac.SetMultiUserScheduler("ns3::RrMultiUserScheduler", "NStations", UintegerValue(perPpdu ? perPpdu : users),
                                  "EnableUlOfdma", BooleanValue(up == "mu"), "EnableBsrp", BooleanValue(polls), "UlPsduSize",
                                  UintegerValue(unknown), "UseCentral26TonesRus", BooleanValue(central), "EnableTxopSharing",
                                  BooleanValue(sharing), "ForceDlOfdma", BooleanValue(forced), "AccessReqInterval",
                                  TimeValue(MicroSeconds(interval)));
    }
    NetDeviceContainer apDevice = wifi.Install(phy, mac, ap);
    NetDeviceContainer devices(apDevice, staDevices);
    if (mended && down == "mu")
    {
        auto acknowledges = CreateObject<TriggeredAckManager>();
        acknowledges->SetAttribute("DlMuAckSequenceType", EnumValue(acks.at(ack)));
        auto apMac = DynamicCast<WifiNetDevice>(apDevice.Get(0))->GetMac();
        acknowledges->SetWifiMac(apMac);
        apMac->GetFrameExchangeManager()->SetAckManager(acknowledges);
    }
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
        device->GetHeConfiguration()->SetGuardInterval(NanoSeconds(guard));
        device->GetHeConfiguration()->SetMpduBufferSize(window);
        SetEdca(device, cwMin, cwMax, aifsn, txop);
    }

    MobilityHelper mobility;
    auto places = CreateObject<ListPositionAllocator>();
    places->Add(Vector(0, 0, 0));
    for (uint32_t i = 0; i < users; ++i)
    {
        places->Add(Vector(1, 0, 0));
    }
    mobility.SetPositionAllocator(places);
    mobility.Install(ap);
    mobility.Install(stas);

    // One packet of each sender sets up its block ack agreement while the channel is idle; then all senders start.
    ap.Get(0)->RegisterProtocolHandler(MakeCallback(&TakeUpload), PROTOCOL, apDevice.Get(0));
    std::vector<Address> receivers;
    for (uint32_t i = 0; i < users; ++i)
    {
        Ptr<NetDevice> device = staDevices.Get(i);
        stas.Get(i)->RegisterProtocolHandler(MakeCallback(&TakeDownload), PROTOCOL, device);
        receivers.push_back(device->GetAddress());
        if (down != "off")
        {
            Simulator::Schedule(warmup - Seconds(1) + MilliSeconds(5) * i, &SendOne, apDevice.Get(0), device->GetAddress());
        }
        if (up != "off")
        {
            Simulator::Schedule(warmup - MilliSeconds(800) + MilliSeconds(5) * i, &SendOne, device,
                                apDevice.Get(0)->GetAddress());
            Simulator::Schedule(warmup - MilliSeconds(500), &Saturate, device,
                                std::vector<Address>{apDevice.Get(0)->GetAddress()}, 2 * window);
        }
    }
    if (down != "off")
    {
        Simulator::Schedule(warmup - MilliSeconds(500), &Saturate, apDevice.Get(0), receivers, 2 * window);
    }
    if (!trace.empty())
    {
        traced.open(trace);
        traceFrom = Seconds(from);
        traceTo = Seconds(to);
        for (uint32_t i = 0; i < devices.GetN(); ++i)
        {
            auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
            std::string name = i == 0 ? "ap" : "sta" + std::to_string(i);
            device->GetPhy()->TraceConnectWithoutContext("PhyTxPsduBegin",
                                                         MakeBoundCallback(&TracePpdu, name, device->GetPhy()));
            device->GetMac()->GetQosTxop(AC_BE)->TraceConnectWithoutContext("BackoffTrace",
                                                                           MakeBoundCallback(&TraceBackoff, name));
        }
    }
    if (!pcap.empty())
    {
        phy.EnablePcap(pcap, apDevice);
    }
    Simulator::Schedule(warmup, &NoteCpu);
    Simulator::Stop(end);
    Simulator::Run();
    double cpu = CpuSeconds() - cpuBefore;

    auto print = [&](const char* name, std::map<Address, uint64_t>& octets) {
        std::cout << ", \"" << name << "_mbps\": [";
        for (uint32_t i = 0; i < users; ++i)
        {
            std::cout << (i ? ", " : "") << octets[staDevices.Get(i)->GetAddress()] * 8e-6 / duration;
        }
        std::cout << "]";
    };
    std::cout << "{\"simulator\": \"ns-3\"";
    print("down", sent);
    print("up", received);
    std::cout << ", \"cpu_s\": " << cpu << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
