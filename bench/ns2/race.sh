#!/bin/bash
# CPU seconds (user + system) of ns-2 for Table 4's scenario, five runs without
# tracing; the same seed each time, so the runs differ by the machine alone.
set -euo pipefail
cd "$(dirname "$0")"

TIMEFORMAT='%3U %3S'
for _ in 1 2 3 4 5; do
    { time ns arf_aware_tcp.tcl -table table4 -seed 1 >/dev/null 2>&1; } 2>&1
done | awk '
    { cpu[NR] = $1 + $2 }
    END {
        for (i = 1; i <= NR; i++) {   # insertion sort: awk has no other
            v = cpu[i]
            for (j = i - 1; j > 0 && sorted[j] > v; j--) sorted[j + 1] = sorted[j]
            sorted[j + 1] = v
        }
        printf "{\"simulator\": \"ns-2.35\", \"scenario\": \"arf-aware-tcp table4\", \"cpu_s\": ["
        for (i = 1; i <= NR; i++) printf "%s%.3f", (i > 1 ? ", " : ""), cpu[i]
        printf "], \"min\": %.3f, \"median\": %.3f}\n", sorted[1], sorted[int((NR + 1) / 2)]
    }'
