# TCP up and down in one 802.11b cell with an access point, in ns-2.35.
#
#   ns updown_fairness.tcl [-flows N] [-queue PACKETS] [-attempts N] [-seed N]
#                          [-duration S] [-warmup S] [-distance M] [-sender Sack1|Linux]
#                          [-frames 0|1]
#
# Host - AP by wire, AP - 2 N stations by radio: N flows down and N flows up, each
# with a station of its own. Prints one line of JSON: segments that each flow
# delivered in order after the warm-up, its time-outs and retransmissions; with
# -frames 1 what happened on the air after the warm-up, from a MAC trace (slower).
# ns-2 prints lines of its own around it: grep for '^{'.

# ---------------------------------------------------------------- command line

array set opt {
    -flows 1 -queue 100 -attempts 7 -seed 1 -duration 120 -warmup 20 -distance 1.0
    -sender Sack1 -frames 0
}

proc usage {} {
    puts stderr "usage: ns updown_fairness.tcl ?-flows N? ?-queue PACKETS? ?-attempts N?\
                 ?-seed N? ?-duration S? ?-warmup S? ?-distance M? ?-sender Sack1|Linux?\
                 ?-frames 0|1?"
    exit 2
}

for {set i 0} {$i < $argc} {incr i} {
    set key [lindex $argv $i]
    if {![info exists opt($key)] || $i + 1 >= $argc} usage
    set opt($key) [lindex $argv [incr i]]
}

if {[lsearch {Sack1 Linux} $opt(-sender)] < 0} usage

# ------------------------------------------------------------------- constants

set segment 1460
set header 40           ;# IP + TCP, which ns-2 adds to each segment
set station_queue 100
set wire_queue 1000     ;# never full

# 802.11b, long preamble, no RTS. Slot, SIFS, CW 31..1023, PLCP at 1 Mb/s are ns-2's
# defaults. Basic rates 1 and 2 Mb/s: a frame at 11 Mb/s is acknowledged at 2.
Mac/802_11 set basicRate_ 2Mb
Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set RTSThreshold_ 3000
Mac/802_11 set ShortRetryLimit_ $opt(-attempts)
Mac/802_11 set LongRetryLimit_ $opt(-attempts)

# No capture: all frames that overlap are lost.
Phy/WirelessPhy set CPThresh_ 1e12

# TCP: ns-2's defaults except for the window, made explicit where the result depends on them.
Agent/TCP set packetSize_ $segment
Agent/TCP set window_ 700
Agent/TCPSink/Sack1/DelAck set interval_ 100ms

ns-random $opt(-seed)
set rng [new RNG]
$rng seed $opt(-seed)

# -------------------------------------------------------------------- topology

set ns [new Simulator]
set topo [new Topography]
$topo load_flatgrid 500 500

if {$opt(-frames)} {
    # A pipe counts the data frames, those of the access point (node 1), MAC ACKs,
    # frames that exceeded the retry limit, and packets that a full queue dropped.
    set counts [exec mktemp]
    set trace [open "|awk {\$2 < $opt(-warmup) {next} \
        \$1 == \"s\" && \$4 == \"MAC\" {n\[\$7 == \"ACK\" ? \"ack\" : \"data\"\]++; \
            if (\$7 != \"ACK\" && \$3 == \"_1_\") n\[\"ap\"\]++} \
        \$1 == \"D\" && \$5 == \"RET\" {n\[\"given_up\"\]++} \
        \$1 == \"D\" && \$4 == \"IFQ\" {n\[\$3 == \"_1_\" ? \"ap_drop\" : \"station_drop\"\]++} \
        END {print n\[\"data\"\]+0, n\[\"ap\"\]+0, n\[\"ack\"\]+0, n\[\"given_up\"\]+0, \
            n\[\"ap_drop\"\]+0, n\[\"station_drop\"\]+0}} > $counts" w]
} else {
    set trace [open /dev/null w]   ;# ns-2 insists on a trace file
}
$ns trace-all $trace

create-god [expr {2 * $opt(-flows) + 2}]
set host [$ns node]

$ns node-config -adhocRouting DumbAgent \
    -llType LL -macType Mac/802_11 \
    -ifqType Queue/DropTail -ifqLen $station_queue \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround \
    -phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] -topoInstance $topo \
    -agentTrace OFF -routerTrace OFF -movementTrace OFF \
    -macTrace [expr {$opt(-frames) ? "ON" : "OFF"}]

proc place {x y} {
    global ns
    set node [$ns node]
    $node random-motion 0
    $node set X_ $x
    $node set Y_ $y
    $node set Z_ 0.0
    return $node
}

# Stations on a circle around the access point.
set ap [place 250.0 250.0]
for {set i 0} {$i < 2 * $opt(-flows)} {incr i} {
    set angle [expr {3.14159265358979 * $i / $opt(-flows)}]
    set station($i) [place [expr {250.0 + $opt(-distance) * cos($angle)}] \
                           [expr {250.0 + $opt(-distance) * sin($angle)}]]
}
# A limit of Q means Q - 1 packets in ns-2's drop-tail queue and one in the MAC.
[$ap set ifq_(0)] set limit_ $opt(-queue)

# --------------------------------------------------------------- static routes
#
# There is no base-station node, no routing protocol and no ARP:
# - A link layer without an ARP table sends every packet to its `macDA_`. Stations
#   have one towards the access point, the access point one towards each station.
# - The wire is a queue and a delay in each direction, inserted into the classifiers
#   by hand. A packet from the host still has the direction "down" when it reaches the
#   access point, so that the link layer there passes it on to the MAC.

proc link_to {node peer} {
    set ll [new LL]
    $ll mac [$node set mac_(0)]
    $ll down-target [$node set ifq_(0)]
    $ll up-target [$node entry]
    $ll set macDA_ [[$peer set mac_(0)] id]
    [$node set mac_(0)] up-target $ll
    return $ll
}

proc wire_to {node} {
    global wire_queue
    set queue [new Queue/DropTail]
    $queue set limit_ $wire_queue
    set wire [new DelayLink]
    $wire set bandwidth_ 100Mb
    $wire set delay_ 1ms
    $queue target $wire
    $wire target [$node entry]
    return $queue
}

set down_wire [wire_to $ap]
[$ap entry] install [$host id] [wire_to $host]
for {set i 0} {$i < 2 * $opt(-flows)} {incr i} {
    [$station($i) entry] defaulttarget [link_to $station($i) $ap]
    [$ap entry] install [$station($i) id] [link_to $ap $station($i)]
    [$host entry] install [$station($i) id] $down_wire
}

# ----------------------------------------------------------------------- flows

# The first half are downloads, the second half uploads. Sack1 subtracts one packet from
# its packets in flight for each ACK; Linux counts by its scoreboard, which lost ACKs do
# not disturb.
for {set i 0} {$i < 2 * $opt(-flows)} {incr i} {
    set tcp($i) [new Agent/TCP/$opt(-sender)]
    set sink($i) [new Agent/TCPSink/Sack1/DelAck]
    if {$i < $opt(-flows)} {
        $ns attach-agent $host $tcp($i)
        $ns attach-agent $station($i) $sink($i)
    } else {
        $ns attach-agent $station($i) $tcp($i)
        $ns attach-agent $host $sink($i)
    }
    $ns connect $tcp($i) $sink($i)
    if {$opt(-sender) == "Linux"} { $ns at 0.0 "$tcp($i) select_ca reno" }
    set ftp($i) [new Application/FTP]
    $ftp($i) attach-agent $tcp($i)
    $ns at [$rng uniform 0.0 1.0] "$ftp($i) start"
}

# --------------------------------------------------------------------- results

# Counters of each flow: in-order segments at the sink (`bytes_` includes the headers),
# time-outs, retransmitted segments.
proc counters {} {
    global opt sink tcp segment header
    set list {}
    for {set i 0} {$i < 2 * $opt(-flows)} {incr i} {
        lappend list [expr {round([$sink($i) set bytes_] / double($segment + $header))}] \
            [$tcp($i) set nrexmit_] [$tcp($i) set nrexmitpack_]
    }
    return $list
}

proc air {} {
    global ns trace counts
    $ns flush-trace
    close $trace
    set f [open $counts]
    lassign [read $f] data ap acks given_up ap_drops station_drops
    close $f
    file delete $counts
    return ", \"data_frames\": $data, \"of_ap\": $ap, \"acks\": $acks, \"given_up\": $given_up,\
            \"ap_drops\": $ap_drops, \"station_drops\": $station_drops"
}

proc finish {} {
    global opt before
    foreach {a b c} $before {x y z} [counters] {
        lappend segments [expr {$x - $a}]
        lappend timeouts [expr {$y - $b}]
        lappend resent [expr {$z - $c}]
    }
    set n $opt(-flows)
    set line "{\"flows\": $n, \"queue\": $opt(-queue), \"attempts\": $opt(-attempts)"
    append line ", \"sender\": \"$opt(-sender)\", \"seed\": $opt(-seed)"
    foreach {name list} [list segments $segments timeouts $timeouts resent $resent] {
        append line ", \"${name}_down\": \[[join [lrange $list 0 [expr {$n - 1}]] {, }]\]"
        append line ", \"${name}_up\": \[[join [lrange $list $n end] {, }]\]"
    }
    if {$opt(-frames)} { append line [air] }
    puts "\n$line}"   ;# ns-2 leaves its own line on stdout open
    exit 0
}

$ns at $opt(-warmup) { set before [counters] }
$ns at $opt(-duration) finish
$ns run
