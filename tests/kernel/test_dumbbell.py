"""Tests of DCTCP and DualPI2 against the kernel's, over a bottleneck in QEMU."""

from pathlib import Path

import dumbbell
import machine
import pytest
from dumbbell import Case

SHORT_S = 10
"""Measured time of a test, which is half of that of the recorded figures."""


def _compare(name: str) -> tuple[dumbbell.Result, dumbbell.Result]:
    """Return the results of a case in the kernel and in airfair; skip the test without a kernel for it."""
    [case] = [it for it in dumbbell.cases() if it.name == name]
    if dumbbell.missing():
        pytest.skip("; ".join(dumbbell.missing()))
    flow = machine.build("airfair-emulator") / "examples" / "flow"
    try:
        kernel = dumbbell.in_kernel(case, flow, SHORT_S)
    except machine.MissingError as error:
        pytest.skip(f"{name}: {error}")
    return kernel, dumbbell.in_airfair(case, SHORT_S)


def test_dctcp_marks_and_shares_as_the_kernels() -> None:
    kernel, ours = _compare("dctcp 4, step of 20")
    assert ours.total_mbps == pytest.approx(kernel.total_mbps, rel=0.01)
    assert ours.marked == pytest.approx(kernel.marked, rel=0.05)
    assert ours.queue_ms == pytest.approx(kernel.queue_ms, rel=0.05)
    for flows in (kernel.goodput_mbps, ours.goodput_mbps):
        assert max(flows) < 1.2 * min(flows)


def test_dualpi2_holds_the_delay_of_the_kernels_with_fewer_marks() -> None:
    """Linux draws its marks, and airfair counts likelihoods [D-307].

    Two marks in one window of data are answered once, so that Linux needs up to a third more marks.
    """
    kernel, ours = _compare("reno 4, dualpi2")
    assert ours.total_mbps == pytest.approx(kernel.total_mbps, rel=0.01)
    assert ours.queue_ms == pytest.approx(kernel.queue_ms, rel=0.1)
    assert 0.6 * kernel.marked < ours.marked < 1.05 * kernel.marked


def test_a_step_has_the_delay_of_as_many_packets() -> None:
    # 1500 octets at 20 Mb/s take 0.6 ms; twenty of them take 12 ms.
    queue, wire = dumbbell.step(20)
    assert "ce_threshold 12000us ecn" in queue
    assert wire == "{ packets = 1000, mark_above = 20 }"


def test_the_wire_has_the_round_trip_of_the_machine() -> None:
    text = dumbbell.scenario(Case("a case", "dctcp", 2, *dumbbell.step(20), (), 20), 6)
    # (20 ms - 0.6 ms) / 2, because the wire delays a packet by its transmission as well.
    assert (
        'rate = "20 Mb/s", delay = "9700 us", queue = { packets = 1000, mark_above = 20 }' in text
    )
    assert text.count('flavour = "dctcp"') == 2
    assert ("ecn = true" in text, text.startswith('duration = "10 s"')) == (False, True)
    reno = dumbbell.scenario(Case("a case", "reno", 1, *dumbbell.dual()), 6)
    assert '{ ecn = true, kind = "tcp", flavour = "newreno"' in reno


LINES = """
first: IpExt: InNoRoutes InNoECTPkts InECT1Pkts InECT0Pkts InCEPkts
first: IpExt: 9 1 0 100 10
look: qdisc fq_codel 2: parent 1:1 limit 1000p
look:  backlog 3028b 2p requeues 0
look:  backlog 6056b 4p requeues 0
last: IpExt: InNoRoutes InNoECTPkts InECT1Pkts InECT0Pkts InCEPkts
last: IpExt: 9 1 0 260 50
goodput_mbps=9.5
goodput_mbps=9.25
"""


def test_the_output_of_the_machine_is_read() -> None:
    found = dumbbell.read(machine.read(LINES + machine.END + "0\n"))
    # 40 of 200 packets with marks; three packets of 0.6 ms in the queue
    assert found.marked == pytest.approx(0.2)
    assert found.queue_ms == pytest.approx(1.8)
    assert found.goodput_mbps == [9.5, 9.25]


def test_a_kernel_in_a_folder_is_used_if_it_alone_has_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(folder: Path, version: str, modules: str) -> None:
        at = folder / "lib" / "modules" / version
        at.mkdir(parents=True)
        (at / "vmlinuz").touch()
        (at / "modules.dep").write_text(modules)

    add(tmp_path / "debian", "6.1", "kernel/veth.ko:\n")
    add(tmp_path / "store" / "new" / "usr", "7.3", "kernel/veth.ko:\nextra/sch_dualpi2.ko:\n")
    debian = machine.Kernel(tmp_path / "vmlinuz", tmp_path / "debian" / "lib" / "modules" / "6.1")
    monkeypatch.setattr(machine, "STORE", tmp_path / "store")
    monkeypatch.setattr(machine, "_debian_kernel", lambda: debian)
    assert machine.kernel(["veth"]) == debian
    assert machine.kernel(["veth", "sch_dualpi2"]).modules.name == "7.3"
    # No kernel has it: the error of the tests names Debian's.
    with pytest.raises(machine.MissingError, match=r"the kernel 6\.1 has no module moon"):
        machine.kernel(["moon"]).needed(["moon"])
