# NewReno rows of Tables 1 to 5 of the paper `arf-aware-tcp`, in ns-2.35.
#
#   ns arf_aware_tcp.tcl -table table1|table2|table3|table4|table5
#                        [-seed N] [-duration S] [-routing static|aodv] [-frames]
#
# Sender i -> relay -> receiver i: two hops over one 802.11b channel. Prints one
# line of JSON: payload kb/s per session over the whole duration, CPU seconds,
# and with -frames the frames on the air (this switches MAC tracing on: slower).
# ns-2 prints lines of its own around it: grep for '^{'.

# ---------------------------------------------------------------- command line

array set opt {-table table4 -seed 1 -duration 100 -routing static -frames 0}

proc usage {} {
    puts stderr "usage: ns arf_aware_tcp.tcl -table table1..table5 ?-seed N?\
                 ?-duration S? ?-routing static|aodv? ?-frames?"
    exit 2
}

for {set i 0} {$i < [llength $argv]} {incr i} {
    set key [lindex $argv $i]
    if {$key == "-frames"} {
        set opt(-frames) 1
    } elseif {[info exists opt($key)] && $i + 1 < [llength $argv]} {
        set opt($key) [lindex $argv [incr i]]
    } else {
        usage
    }
}

# Rate of each sender after the change; 11 means no change. Table 5 prints four
# sessions, but its text mentions five nodes: the fifth stays at 11.
array set slow_rates {
    table1 {1 11}
    table2 {11 11}
    table3 {1 1}
    table4 {1 11 11 11 11}
    table5 {1 2 5.5 11 11}
}
if {![info exists slow_rates($opt(-table))]} usage
if {[lsearch {static aodv} $opt(-routing)] < 0} usage
set rates $slow_rates($opt(-table))
set sessions [llength $rates]

# ------------------------------------------------------------------- constants

# From the paper.
set flow_start 1.0
set rate_change 20.0

set segment 1000        ;# payload bytes
set header 40           ;# IP + TCP, which ns-2 adds to each segment

# 802.11b, long preamble. Slot, SIFS, CW 31..1023, retry limits 7 and 4, PLCP at
# 1 Mb/s and the 250 m / 550 m ranges are ns-2's defaults.
Mac/802_11 set basicRate_ 2Mb
Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set RTSThreshold_ 3000

# TCP: ns-2's defaults, named where the result depends on them.
Agent/TCP set packetSize_ $segment
Agent/TCP set window_ 20
Agent/TCPSink/DelAck set interval_ 100ms

ns-random $opt(-seed)

# -------------------------------------------------------------------- topology

set ns [new Simulator]
set topo [new Topography]
$topo load_flatgrid 500 500

if {$opt(-frames)} {
    # Through a pipe: the trace of 100 s takes 10 to 15 MB.
    set counts [exec mktemp]
    set trace [open "|awk {\$1 == \"s\" && \$4 == \"MAC\" \
        {n\[\$7 == \"ACK\" ? \"ack\" : \"data\"\]++}\
        END {print n\[\"data\"\] + 0, n\[\"ack\"\] + 0}} > $counts" w]
} else {
    set trace [open /dev/null w]   ;# ns-2 insists on a trace file
}
$ns trace-all $trace

create-god [expr {2 * $sessions + 1}]
set channel [new Channel/WirelessChannel]

$ns node-config -adhocRouting [expr {$opt(-routing) == "static" ? "DumbAgent" : "AODV"}] \
    -llType LL -macType Mac/802_11 \
    -ifqType Queue/DropTail -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround \
    -phyType Phy/WirelessPhy -channel $channel -topoInstance $topo \
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

# Senders and receivers are 400 m apart: they sense each other but decode nothing.
# Senders are 10 m apart and decode each other; so do receivers.
for {set i 0} {$i < $sessions} {incr i} {
    set sender($i) [place 20.0 [expr {200.0 + 10 * $i}]]
    set receiver($i) [place 420.0 [expr {200.0 + 10 * $i}]]
}
set relay [place 220.0 [expr {200.0 + 5 * ($sessions - 1)}]]

# --------------------------------------------------------------- static routes
#
# ns-2 has no static routing for wireless nodes: DumbAgent does not forward, and
# a routing protocol adds frames of its own and, like AODV, gives a route up when
# the MAC drops a frame. This script builds static routes from two parts:
# - a link layer without an ARP table, which sends every packet to its `macDA_`;
# - an encapsulator without overhead at the relay. It makes a new packet, since a
#   link layer passes only a new packet down to the MAC.
# Frames, their lengths and their queues are those of a forwarded packet.

proc link_to {node peer} {
    set ll [new LL]
    $ll mac [$node set mac_(0)]
    $ll down-target [$node set ifq_(0)]
    $ll up-target [$node entry]
    $ll set macDA_ [[$peer set mac_(0)] id]
    [$node set mac_(0)] up-target $ll
    return $ll
}

proc route_through {relay node} {
    global ns
    [$node entry] defaulttarget [link_to $node $relay]

    set unwrap [new Agent/Decapsulator]
    $ns attach-agent $node $unwrap
    $unwrap target [$node entry]

    set wrap [new Agent/Encapsulator]
    $wrap set status_ 1
    $wrap set overhead_ 0
    $ns attach-agent $relay $wrap
    $ns connect $wrap $unwrap
    $wrap target [link_to $relay $node]
    [$relay entry] install [$node id] $wrap
}

if {$opt(-routing) == "static"} {
    for {set i 0} {$i < $sessions} {incr i} {
        route_through $relay $sender($i)
        route_through $relay $receiver($i)
    }
}

# ----------------------------------------------------------------------- flows

for {set i 0} {$i < $sessions} {incr i} {
    set tcp($i) [new Agent/TCP/Newreno]
    set sink($i) [new Agent/TCPSink/DelAck]
    $ns attach-agent $sender($i) $tcp($i)
    $ns attach-agent $receiver($i) $sink($i)
    $ns connect $tcp($i) $sink($i)
    set ftp($i) [new Application/FTP]
    $ftp($i) attach-agent $tcp($i)

    $ns at $flow_start "$ftp($i) start"
    if {[lindex $rates $i] != 11} {
        $ns at $rate_change \
            "[$sender($i) set mac_(0)] set dataRate_ [lindex $rates $i]Mb"
    }
}

# --------------------------------------------------------------------- results

# User and system time of this process [s], in the kernel's ticks of 10 ms.
proc cpu_seconds {} {
    set f [open /proc/[pid]/stat]
    set fields [lrange [split [lindex [split [read $f] ")"] 1]] 1 end]
    close $f
    return [format %.2f [expr {([lindex $fields 11] + [lindex $fields 12]) / 100.0}]]
}

# In-order payload at the sink; `bytes_` includes the 40 bytes of headers.
proc kbps {i} {
    global sink segment header opt
    set payload [expr {[$sink($i) set bytes_] * double($segment) / ($segment + $header)}]
    return [format %.1f [expr {$payload * 8 / $opt(-duration) / 1000}]]
}

proc finish {} {
    global opt sessions ns tcp trace counts
    set rates {}
    set timeouts {}
    set resent {}
    for {set i 0} {$i < $sessions} {incr i} {
        lappend rates [kbps $i]
        lappend timeouts [$tcp($i) set nrexmit_]
        lappend resent [$tcp($i) set nrexmitpack_]
    }
    set line "{\"table\": \"$opt(-table)\", \"seed\": $opt(-seed), \"routing\": \"$opt(-routing)\""
    append line ", \"kbps\": \[[join $rates {, }]\], \"timeouts\": \[[join $timeouts {, }]\]"
    append line ", \"retransmitted\": \[[join $resent {, }]\], \"cpu_s\": [cpu_seconds]"
    if {$opt(-frames)} {
        $ns flush-trace
        close $trace
        set f [open $counts]
        lassign [read $f] data acks
        close $f
        file delete $counts
        append line ", \"data_frames\": $data, \"ack_frames\": $acks"
        append line ", \"frames\": [expr {$data + $acks}]"
    }
    puts "\n$line}"   ;# ns-2 leaves its own line on stdout open
    exit 0
}

$ns at $opt(-duration) finish
$ns run
