"""Test of the agent as a router with OpenWrt runs it: static with musl, a UCI file, and a kernel without BTF.

`make agent-musl` builds the program. The kernel is Debian's, whose type information (BTF) the test hides.
"""

import json
from pathlib import Path

import machine
import pytest
from machine import Setup

PROGRAM = machine.ROOT / "target/x86_64-unknown-linux-musl/small/airfair-agent"
MODULES = ["mac80211_hwsim", "veth", "sch_ingress", "cls_bpf", "sch_htb"]
CONFIG = b"""\
config agent 'agent'
	option enabled '1'
	option interface 'INTERFACE'
	option scheme 'fair'
"""
RESIDENT_KB = 4096
"""Greatest resident size of the agent [KiB]."""
_SCRIPT = r"""
    mount -t tmpfs none /sys/kernel/btf
    for it in veth sch_ingress cls_bpf sch_htb; do modprobe $it; done
    radios 2
    access_point g
    station near 1
    AP=$(interface 0)
    at_station() { ip netns exec near "$@"; }
    echo 1 >/proc/sys/net/ipv4/ip_forward
    at_station ip route add default via 10.0.0.1
    ip netns add server
    ip link add wire type veth peer name eth0 netns server
    ip address add 10.1.0.1/24 dev wire; ip link set wire up
    ip -n server address add 10.1.0.2/24 dev eth0; ip -n server link set eth0 up
    ip -n server route add default via 10.1.0.1
    mkdir -p /etc/config; sed "s/INTERFACE/$AP/" /data/airfair >/etc/config/airfair
    airfair-agent doctor --json | sed "s/^/doctor: /"
    airfair-agent run --interface $AP --scheme arf-aware 2>&1 | sed "s/^/station: /"
    airfair-agent run >/tmp/agent 2>&1 & AGENT=$!
    await 20 grep -q watches /tmp/agent
    tc filter show dev $AP ingress | sed "s/^/during: /"
    ip netns exec server sh -c "sleep 60 | busybox nc -l -p 5000" >/tmp/received &
    head -c 3000000 /dev/zero | at_station busybox nc -w 5 10.1.0.2 5000
    sleep 1
    echo "received=$(stat -c %s /tmp/received)"
    airfair-agent status --json | sed "s/^/status: /"
    sed -n "s/^VmRSS:[^0-9]*\([0-9]*\) kB/resident=\1/p" /proc/$AGENT/status
    kill $AGENT; wait $AGENT || fail "the agent"
    sed "s/^/said: /" /tmp/agent
    tc qdisc show dev $AP | sed "s/^/left: /"
    airfair-agent restore | sed "s/^/restore: /"
    sed -i "s/enabled '1'/polls 'many'/" /etc/config/airfair
    airfair-agent run 2>/tmp/wrong || echo "wrong: $? $(cat /tmp/wrong)"
"""


def test_a_static_agent_acts_at_an_access_point_whose_kernel_has_no_btf() -> None:
    """The doctor, the scheme `fair` and `restore` work; only schemes at stations need BTF."""
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built: make agent-musl")
    there: list[str | Path] = ["iw", "hostapd", "ip", "tc", PROGRAM]
    output = machine.run(_SCRIPT, Setup(there, MODULES, {"/data/airfair": CONFIG}))
    assert output.status == 0, output.console
    assert not list(machine.libraries(PROGRAM)), "the program is not static"
    said: dict[str, list[str]] = {}
    for line in output.lines:
        key, _, rest = line.partition(": ")
        said.setdefault(key, []).append(rest)
    document = json.loads(said["doctor"][0])
    answers = {it["subject"]: it["answer"] for it in document["findings"]}
    assert (answers["btf"], answers["clsact"], answers["bpf-filters"]) == ("no", "yes", "yes")
    acts = {(it["scheme"], it["role"]): it["acts"] for it in document["schemes"]}
    assert acts["fair", "access-point"] == "yes"
    assert acts["data-ack", "access-point"] == "yes"
    assert acts["arf-aware", "station"] == "no"
    assert any("CONFIG_DEBUG_INFO_BTF" in line for line in said["station"]), output.console
    assert any("airfair_up" in line for line in said["during"]), output.console
    assert output.value("received") == 3_000_000
    status = json.loads(said["status"][0])
    assert status["samples"] >= 10, status
    assert output.value("resident") <= RESIDENT_KB
    assert "The agent ends; all its changes are undone." in said["said"]
    assert not any("clsact" in line for line in said["left"]), output.console
    assert said["restore"], output.console
    assert "2 airfair-agent: configuration: /etc/config/airfair: line 2" in said["wrong"][0]
