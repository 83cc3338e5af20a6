"""Tests of the medium of mac80211_hwsim, with mac80211, minstrel and TCP of the kernel."""

import re

import machine
import pytest
from machine import Setup
from radio_cells import KERNELS_RENO, cell

import airfair

MODPROBE = "modprobe mac80211_hwsim"
BUSY = (
    "airfair-medium: another program is the medium of these radios "
    "(airfair or wmediumd); end it first"
)


@pytest.fixture(scope="session")
def programs() -> list[str | machine.Path]:
    """Build the medium and the programs that make its traffic, and return all programs of the machine."""
    built = machine.build("airfair-emulator")
    own = [built / it for it in ("airfair-medium", "examples/flow", "examples/remove_radio")]
    return ["iw", "hostapd", "ip", *own]


def _run(script: str, programs: list[str | machine.Path], of: str) -> machine.Output:
    files = {"/data/cell.toml": of.encode()}
    output = machine.run(script, Setup(programs, ["mac80211_hwsim"], files))
    assert output.status == 0, output.console
    return output


def _simulated(standard: str, rates: dict[str, int]) -> list[float]:
    """Return the mean goodput of an upload by each station [Mb/s], simulated in five runs."""
    text = cell(standard, rates).replace('"60 s"', '"22 s"\nwarmup = "2 s"\nseries = "off"')
    text = text.replace("[station", 'beacon = { interval = "102.4 ms" }\n[station', 1)
    text += '[host.server]\nlink = { rate = "1 Gb/s", delay = "0 ms" }\n'
    for name in rates:
        text += f'[flow.{name}]\nfrom = "{name}"\nto = "server"\ntransport = {KERNELS_RENO}\n'
    scenario = airfair.Scenario.parse(text.encode())
    runs = [airfair.run(scenario, seed=seed).to_json()["flows"] for seed in range(1, 6)]
    flows = zip(*runs, strict=True)
    return [sum(flow["goodput_bps"] for flow in of) / len(runs) / 1e6 for of in flows]


@pytest.mark.parametrize(
    ("standard", "fast", "slow", "seconds"), [("b", 11, 1, 12), ("g", 54, 6, 6)]
)
def test_the_kernels_stations_suffer_the_anomaly_as_simulated_ones_do(
    standard: str, fast: int, slow: int, seconds: int, programs: list[str | machine.Path]
) -> None:
    script = f"""
        echo reno >/proc/sys/net/ipv4/tcp_congestion_control
        radios 3
        medium /data/cell.toml
        access_point {standard}
        station near 1
        station far 2
        upload() {{
            flow receive $2 $3 $4 >/tmp/$1 &
            sleep 0.1; ip netns exec $1 flow send 10.0.0.1 $2 &
        }}
        goodput() {{ await 60 test -s /tmp/$1; sed s/goodput_mbps/$2/ /tmp/$1; rm /tmp/$1; }}
        of() {{ ip netns exec $1 iw dev $(interface $2) $3 $4 $5 $6; }}
        upload far 5001 1 2; goodput far slow
        upload near 5002 1 {seconds // 3}; goodput near fast
        of near 1 station dump | grep expected
        of far 2 station dump | grep expected
        of far 2 set bitrates legacy-2.4 {slow}
        upload near 5003 2 {seconds}
        upload far 5004 2 {seconds}
        goodput near near
        goodput far far
        kill $MEDIUM
        wait $MEDIUM && echo ended
        tail -5 /tmp/medium
    """
    rates = {"near": fast, "far": slow}
    output = _run(script, programs, cell(standard, rates))
    (alone,) = _simulated(standard, {"near": fast})
    assert output.value("fast") == pytest.approx(alone, rel=0.1)
    # Minstrel has found the rates of the scenario; frames at other rates were lost.
    found = re.findall(r"expected throughput:\s+([\d.]+)Mbps", output.console)
    assert float(found[0]) > 2 * float(found[1])
    assert output.value("slow") < slow
    # Either flow may have more for seconds, by chance.
    near, far = _simulated(standard, rates)
    assert output.value("near") + output.value("far") == pytest.approx(near + far, rel=0.2)
    assert output.value("near") / output.value("far") == pytest.approx(near / far, rel=0.5)
    assert "ended" in output.lines
    assert "verdict: valid" in output.console


def test_each_problem_with_the_radios_has_an_error_message(
    programs: list[str | machine.Path],
) -> None:
    script = """
        # A radio's number is part of its device's name, such as hwsim2.
        number() { basename "$(readlink "/sys/class/ieee80211/$(radio $1)/device")" | tr -dc 0-9; }
        try() { airfair-medium /data/cell.toml 2>&1 || echo "status=$?"; }
        try
        radios 2
        try
        rmmod mac80211_hwsim
        modprobe mac80211_hwsim radios=3 channels=2
        try
        rmmod mac80211_hwsim
        radios 3
        setpriv --reuid 65534 airfair-medium /data/cell.toml 2>&1 || echo "status=$?"
        medium /data/cell.toml
        try
        rmmod mac80211_hwsim
        wait $MEDIUM || echo "gone=$?"
        tail -1 /tmp/medium
        radios 4
        medium /data/cell.toml
        # The last of the four radios is not a member of the cell; the second one is "near".
        remove_radio $(number 3)
        sleep 1; kill -0 $MEDIUM
        remove_radio $(number 1)
        wait $MEDIUM || echo "one_gone=$?"
        grep "was removed" /tmp/medium | sed "s/$(radio 1)/phy of near/"
        rmmod mac80211_hwsim
        radios 3
        medium /data/cell.toml
        kill -9 $MEDIUM
        await 5 sh -c '! kill -0 '$MEDIUM
        access_point b
        station near 1
        ping -c 2 -w 5 10.0.0.2 | grep received
    """
    output = _run(script, [*programs, "setpriv"], cell("b", {"near": 11, "far": 1}))
    printed = [line for line in output.lines if not line.startswith("[")]
    assert printed == [
        f"airfair-medium: the kernel has no simulated radios; make them with: {MODPROBE} radios=N",
        "status=1",
        (
            'airfair-medium: 2 radios for a cell of 3: none is left for "far"; load them with: '
            f"{MODPROBE} radios=3"
        ),
        "status=1",
        (
            "airfair-medium: the radios can be on several channels at once; load them with: "
            f"{MODPROBE} channels=1"
        ),
        "status=1",
        "airfair-medium: the medium of the kernel's simulated radios needs root",
        "status=1",
        BUSY,
        "status=1",
        "gone=1",
        "airfair-medium: the module mac80211_hwsim and its radios were removed",
        "one_gone=1",
        'airfair-medium: radio "phy of near", which was "near", was removed',
        # Without a medium mac80211_hwsim delivers frames between radios at once.
        "2 packets transmitted, 2 packets received, 0% packet loss",
    ]


def test_stations_come_and_go_under_load_and_nothing_is_left(
    programs: list[str | machine.Path],
) -> None:
    script = """
        radios 3
        medium /data/cell.toml
        access_point b
        station near 1
        station far 2
        ( while flow receive 5001 0 1; do :; done ) >/tmp/flows &
        ( while :; do ip netns exec near flow send 10.0.0.1 5001 2>/dev/null || sleep 0.1; done ) &
        held() { ls /proc/$MEDIUM/fd | wc -l; grep VmRSS /proc/$MEDIUM/status | tr -dc 0-9; echo; }
        once() {
            ip netns exec far iw dev $(interface 2) disconnect
            sleep 0.3
            ip netns exec far iw dev $(interface 2) connect airfair 2437
            await 20 sh -c "ip netns exec far iw dev $(interface 2) link | grep -q Connected"
            ping -c 1 -w 9 10.0.0.3 >/dev/null || fail "far is not reached"
        }
        for round in 1 2 3; do once; done
        held | sed "s/^/before=/"
        for round in 1 2 3 4 5 6 7 8 9 10; do once; done
        held | sed "s/^/after=/"
        echo "flows=$(wc -l </tmp/flows)"
        kill $MEDIUM; wait $MEDIUM
        tail -5 /tmp/medium
    """
    output = _run(script, programs, cell("b", {"near": 11, "far": 1}))
    (files, kilobytes), (files_after, kilobytes_after) = (
        output.values("before"),
        output.values("after"),
    )
    assert files == files_after
    assert kilobytes_after <= kilobytes + 256
    assert output.value("flows") >= 5
    assert "overruns" not in output.console
