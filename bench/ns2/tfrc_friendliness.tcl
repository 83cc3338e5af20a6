# Figures 8 and 10 of the paper `tfrc-friendliness`, in ns-2.35, with dedicated
# access links.
#
#   ns tfrc_friendliness.tcl [-figure 8|10] [-seed N] [-rate 300kb|greedy]
#
# Five sources S0 to S4 - BS0 - H0 - H1 - H2 - five receivers, all links 1 Mb/s and
# 10 ms; in Figure 10 BS0 - H0 has 4 Mb/s. Prints one line of JSON: kb/s of packets
# at the receivers, headers included, from 0 to 35 s and from 35 to 200 s, in the
# order NewReno, Westwood+, SACK, TFRC, TFRC.

# ---------------------------------------------------------------- command line

array set opt {-figure 8 -seed 1 -rate 300kb}

proc usage {} {
    puts stderr "usage: ns tfrc_friendliness.tcl ?-figure 8|10? ?-seed N? ?-rate 300kb|greedy?"
    exit 2
}

for {set i 0} {$i < [llength $argv]} {incr i} {
    set key [lindex $argv $i]
    if {![info exists opt($key)] || $i + 1 >= [llength $argv]} usage
    set opt($key) [lindex $argv [incr i]]
}
if {[lsearch {8 10} $opt(-figure)] < 0} usage

# ------------------------------------------------------------------- constants

# From the paper: 500 octets, queues of 20 packets, drop tail, S4 35 s later.
set packet 500
set queue 20
set last_start 35.0
set end 200.0

# ns-2's defaults, made explicit: a window of 20 packets, an ACK for every packet.
Agent/TCP set packetSize_ $packet
Agent/TCP set window_ 20
Agent/TFRC set packetSize_ $packet

# TFRC sends the packets of its source, as TCP does, instead of an endless supply.
Agent/TFRC set SndrType_ [expr {$opt(-rate) != "greedy"}]
Agent/TFRC set maxqueue_ 1000

ns-random $opt(-seed)
set rng [new RNG]
$rng seed $opt(-seed)

# -------------------------------------------------------------------- topology

set ns [new Simulator]

proc join_nodes {a b rate} {
    global ns queue
    $ns duplex-link $a $b $rate 10ms DropTail
    $ns queue-limit $a $b $queue
    $ns queue-limit $b $a $queue
}

foreach name {BS0 H0 H1 H2} { set node($name) [$ns node] }
join_nodes $node(BS0) $node(H0) [expr {$opt(-figure) == 10 ? "4Mb" : "1Mb"}]
join_nodes $node(H0) $node(H1) 1Mb
join_nodes $node(H1) $node(H2) 1Mb

# ----------------------------------------------------------------------- flows

set senders {Agent/TCP/Newreno Agent/TCP/Linux Agent/TCP/Sack1 Agent/TFRC Agent/TFRC}
set sinks {Agent/TCPSink Agent/TCPSink/Sack1 Agent/TCPSink/Sack1 Agent/TFRCSink Agent/TFRCSink}

# Octets that have reached each receiver, by period, counted from the trace in a pipe.
set counts [exec mktemp]
set trace [open "|awk {\$1 == \"r\" && \$5 ~ /^tcp/ {n\[\$8 \",\" (\$2 >= $last_start)\] += \$6} \
    END {for (p = 0; p < 2; p++) for (f = 0; f < 5; f++) print n\[f \",\" p\] + 0}} > $counts" w]

for {set i 0} {$i < 5} {incr i} {
    set source [$ns node]
    set receiver [$ns node]
    join_nodes $source $node(BS0) 1Mb
    join_nodes $node(H2) $receiver 1Mb
    $ns trace-queue $node(H2) $receiver $trace
    set agent [new [lindex $senders $i]]
    set sink [new [lindex $sinks $i]]
    $agent set fid_ $i
    $ns attach-agent $source $agent
    $ns attach-agent $receiver $sink
    $ns connect $agent $sink
    if {$i == 1} { $ns at 0 "$agent select_ca westwood" }
    # Flows start at random within a second: nothing else depends on the seed.
    set start [expr {($i == 4 ? $last_start : 0.0) + [$rng uniform 0.0 1.0]}]
    if {$opt(-rate) != "greedy"} {
        set application [new Application/Traffic/CBR]
        $application set packetSize_ $packet
        $application set rate_ $opt(-rate)
    } elseif {$i < 3} {
        set application [new Application/FTP]
    } else {
        $ns at $start "$agent start"
        continue
    }
    $application attach-agent $agent
    $ns at $start "$application start"
}

# ------------------------------------------------------------------------- run

proc finish {} {
    global ns trace counts last_start end opt
    $ns flush-trace
    close $trace
    set file [open $counts]
    set octets [split [string trim [read $file]] "\n"]
    close $file
    file delete $counts
    set lists {}
    foreach {first span} [list 0 $last_start 5 [expr {$end - $last_start}]] {
        set rates {}
        foreach one [lrange $octets $first [expr {$first + 4}]] {
            lappend rates [format %.1f [expr {$one * 8 / $span / 1000}]]
        }
        lappend lists "\[[join $rates {, }]\]"
    }
    puts "{\"figure\": $opt(-figure), \"seed\": $opt(-seed), \"early\": [lindex $lists 0],\
          \"late\": [lindex $lists 1]}"
    exit 0
}

$ns at $end finish
$ns run
