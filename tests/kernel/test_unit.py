"""Test of the agent's Debian package and unit under systemd, at an access point and then at a station."""

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import debian
import fair
import machine
import pytest
from machine import ROOT, Setup
from radio_cells import cell

NET_ADMIN, PERFMON, BPF = 1 << 12, 1 << 38, 1 << 39
"""Capabilities [linux/capability.h]."""
DYNAMIC_USERS = range(61_184, 65_520)
"""User IDs that systemd allocates dynamically [systemd.exec(5), DynamicUser=]."""
MODULES = ["mac80211_hwsim", "sch_ingress", "cls_bpf", "tcp_diag"]
TOOLS = {"dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev", "strip": "binutils"}

_SCRIPT = r"""
    say() { echo "$1: $2"; }
    each() { while read -r line; do say "$1" "$line"; done; }
    set_key() { sed -i "s/^\(#: \)\?$1 = .*/$1 = $2/" /etc/airfair/agent.toml; }
    agent() { systemctl show --property "$1" --value airfair-agent; }
    is_active() { [ "$(agent ActiveState)" = active ] && airfair-agent status; }
    is_to_start_again() { [ "$(agent SubState)" = auto-restart ]; }
    has_limited() { airfair-agent status | grep -q "limited *1 connection"; }
    is_associated() { iw dev $IT link | grep -q Connected; }
    filters() {
        for way in ingress egress; do tc filter show dev $IT $way; done | grep -c direct-action || :
    }
    clsact() { tc qdisc show dev $IT | grep -c clsact || :; }
    window() {
        ss --tcp --info --no-header dst 10.0.0.2 |
            sed -n 's/^[[:space:]]*\([a-z]*\) .* cwnd:\([0-9]*\) .*/\1 \2/p'
    }
    # kill_it PHASE: kills the agent, prints the state after `restore` by systemd, and waits for the restart.
    kill_it() {
        first=$(agent MainPID); kill -9 $first
        await 5 is_to_start_again
        say $1.killed "$(agent Result), $(filters) filters"; say $1.killed "$(window)"
        sleep 5
        await 10 is_active
        [ "$(agent MainPID)" != $first ] || fail "it has not been killed"
    }

    echo reno >/proc/sys/net/ipv4/tcp_congestion_control
    radios 2
    IT=$(interface 0)
    medium /data/cell.toml
    access_point b
    station near 1

    dpkg -i /data/agent.deb >/tmp/dpkg 2>&1 || { cat /tmp/dpkg; fail "dpkg -i"; }
    say installed "$(systemctl is-enabled airfair-agent) $(agent ActiveState)"
    set_key interface '"'$IT'"'; set_key scheme '"occupancy"'
    systemctl enable --now airfair-agent 2>/dev/null
    await 10 is_active
    say enabled "$(systemctl is-enabled airfair-agent)"
    grep -e Uid -e Cap -e NoNewPrivs -e Seccomp: /proc/$(agent MainPID)/status | each process
    grep " / " /proc/$(agent MainPID)/mounts | each root
    # The agent of a station requests grants from the unit's agent, whose network access the unit restricts.
    mkdir /tmp/near; ip -n near route add default via 10.0.0.1
    RUNTIME_DIRECTORY=/tmp/near ip netns exec near \
        airfair-agent run --interface $(interface 1) --for "3 s" 2>&1 | each grants
    flow receive 5001 0 2 >/dev/null & FLOW=$!
    sleep 0.3; ip netns exec near flow send 10.0.0.1 5001 &
    sleep 1
    airfair-agent status | each point
    wait $FLOW
    kill_it point
    say point.again "$(agent NRestarts) restart, $(filters) filters"
    systemctl stop airfair-agent
    say point.stopped "$(agent Result), $(filters) filters, $(clsact) clsact"

    # The access point becomes a station, and the station an access point.
    killall hostapd; sleep 0.5
    ip link set $IT down; iw dev $IT set type managed; ip link set $IT up
    ip netns exec near iw dev $(interface 1) disconnect
    sed -i "s/^interface=.*/interface=$(interface 1)/" /tmp/hostapd.conf
    ip netns exec near hostapd -B /tmp/hostapd.conf >/dev/null
    iw dev $IT connect airfair 2437
    await 20 is_associated
    # With `receivers` the agent can clamp downloads as well, and has a guardian process for them.
    set_key scheme '"arf-aware"'; set_key highest_rate '"11 Mb\/s"'; set_key receivers true
    systemctl start airfair-agent
    ip netns exec near flow receive 5002 0 60 >/dev/null &
    sleep 0.3; flow send 10.0.0.2 5002 &
    sleep 2
    say station.fast "$(window)"
    iw dev $IT set bitrates legacy-2.4 1
    await 10 has_limited
    sleep 1
    airfair-agent status | each station
    say station.slow "$(window)"
    kill_it station
    await 5 has_limited
    sleep 1
    say station.again "$(window)"
    systemctl stop airfair-agent
    say station.stopped "$(agent Result), $(filters) filters"; say station.stopped "$(window)"
    journalctl --output cat --identifier airfair-agent | each journal

    systemctl start airfair-agent
    dpkg --purge airfair-agent >/tmp/dpkg 2>&1 || { cat /tmp/dpkg; fail "dpkg --purge"; }
    say purged "$(agent LoadState) $(agent ActiveState)"
    rm /bin/airfair-medium
    find /etc /run /sys/fs /tmp /usr/bin /usr/lib/systemd /usr/share /var -name '*airfair*' | each left
"""


def _package(folder: Path) -> Path:
    """Build the agent's package. Skips the test if a program is missing for it."""
    lacking = [*fair.missing(), *machine.lacking(TOOLS), *debian.missing()]
    if lacking:
        pytest.skip("the unit cannot be tried: " + ", ".join(lacking))
    program = machine.build("airfair-agent", features=["bpf"]) / "airfair-agent"
    pack = [ROOT / "crates/agent/packaging/deb.sh", program, folder]
    return Path(subprocess.run(pack, check=True, capture_output=True, text=True).stdout.strip())


def _printed(package: Path) -> dict[str, list[str]]:
    """Run the machine and return its lines, by the word before the colon."""
    built = machine.build("airfair-emulator")
    own = [built / "airfair-medium", built / "examples" / "flow"]
    files = {"/data/agent.deb": package, "/data/cell.toml": cell("b", {"near": 11}).encode()}
    programs = ["iw", "hostapd", "ip", "tc", "ss", *own]
    setup = Setup(programs, MODULES, files, memory_mb=768, system=debian.system)
    output = machine.run(_SCRIPT, setup)
    assert output.status == 0, output.console
    by_word = defaultdict(list)
    for line in output.lines:
        word, _, rest = line.partition(": ")
        by_word[word].append(rest.strip())
    return by_word


def test_systemd_runs_the_agent_and_whatever_ends_it_gives_back(tmp_path: Path) -> None:
    printed = _printed(_package(tmp_path))
    _has_few_rights(printed)
    _limits_at_an_access_point(printed)
    _limits_at_a_station(printed)
    _leaves_sentences_and_nothing_else(printed)


def _has_few_rights(printed: dict[str, list[str]]) -> None:
    assert printed["installed"] == ["disabled inactive"]
    assert printed["enabled"] == ["enabled"]
    process = dict(line.split(":\t", 1) for line in printed["process"])
    assert {int(it) in DYNAMIC_USERS for it in process["Uid"].split()} == {True}
    assert int(process["CapEff"], 16) == int(process["CapPrm"], 16) == BPF | NET_ADMIN
    assert int(process["CapBnd"], 16) == BPF | NET_ADMIN | PERFMON
    assert (process["NoNewPrivs"], process["Seccomp"]) == ("1", "2")
    (root,) = printed["root"]
    assert "ro" in root.split()[3].split(",")


def _limits_at_an_access_point(printed: dict[str, list[str]]) -> None:
    assert any(
        line.startswith("This station receives grants from 10.0.0.1") for line in printed["grants"]
    )
    assert "limited    1 connection" in printed["point"]
    assert any("may hold 100 %" in line for line in printed["point"])
    assert printed["point.killed"][0] == "signal, 0 filters"
    assert printed["point.again"] == ["1 restart, 2 filters"]
    assert printed["point.stopped"] == ["success, 0 filters, 0 clsact"]


def _limits_at_a_station(printed: dict[str, list[str]]) -> None:
    assert "limited    1 connection" in printed["station"]
    assert "windows    divided by 11" in printed["station"]
    states = ("fast", "slow", "killed", "again", "stopped")
    laws, windows = zip(*(printed[f"station.{it}"][-1].split() for it in states), strict=True)
    assert laws == ("reno", "airfair", "reno", "airfair", "reno")
    fast, slow, killed, again, stopped = map(int, windows)
    print(
        f"segments: {fast} fast, {slow} slow, {killed} behind SIGKILL, {again}, {stopped} at the end"
    )
    # The agent divides the window by 11. After SIGKILL the window has its old size at once, and grows.
    assert slow <= fast / 4
    assert killed >= 4 * slow
    assert stopped >= 4 * again
    assert printed["station.killed"][0] == "signal, 0 filters"
    assert printed["station.stopped"][0] == "success, 0 filters"


def _leaves_sentences_and_nothing_else(printed: dict[str, list[str]]) -> None:
    journal = printed["journal"]
    assert journal.count("The agent ends; all its changes are undone.") == 2
    assert any(line.startswith("Restored: 1 connection.") for line in journal)
    assert [line for line in journal if not re.fullmatch(r"[A-Z0-9].*\.", line)] == []
    assert printed["purged"] == ["not-found inactive"]
    assert printed["left"] == []
