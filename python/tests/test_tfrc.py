"""Tests of TFRC over real UDP: on loopback, and on a shaped link that it shares with the kernel's TCP."""

import errno
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support import PROGRAM

pytestmark = pytest.mark.waits

TCP_RECEIVER = """
import socket, sys
server = socket.create_server(("10.81.1.2", 5601))
connection, _ = server.accept()
total = 0
while data := connection.recv(1 << 16):
    total += len(data)
print(total)
"""
TCP_SENDER = """
import socket, sys, time
connection = socket.create_connection(("10.81.1.2", 5601))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    connection.send(bytes(10_000))
"""


LARGEST = f"{2**64 - 1} b/s"


def free_port() -> int:
    """Return a free UDP port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def receiving(address: str, duration: str, prefix: tuple[str, ...] = ()) -> Iterator["Receiver"]:
    """Run a receiver in a process of its own."""
    command = [*prefix, *PROGRAM, "tfrc", "receive", address, "--duration", duration, "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        wait_for_listener(int(address.rpartition(":")[2]), prefix)
        try:
            yield Receiver(process)
        finally:
            process.kill()


def wait_for_listener(port: int, prefix: tuple[str, ...] = ()) -> None:
    """Wait until a UDP socket has a port."""
    sockets = [*prefix, "cat", "/proc/net/udp"]
    for _ in range(200):
        listing = subprocess.run(sockets, capture_output=True, text=True, check=True).stdout
        if f":{port:04X} " in listing:
            return
        time.sleep(0.05)
    raise AssertionError(f"nobody has taken port {port}")


class Receiver:
    """Process of a receiver."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def result(self, status: int = 0) -> dict[str, Any]:
        """Return the document that the process prints at its end."""
        return document_of(self.process, status)

    def interrupt(self) -> None:
        """Send SIGINT, as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)


def document_of(process: "subprocess.Popen[str]", status: int = 0) -> dict[str, Any]:
    """Return the JSON document that a process prints."""
    output, errors = process.communicate(timeout=60)
    assert process.returncode == status, errors
    document: dict[str, Any] = json.loads(output)
    return document


def sending(*arguments: str, prefix: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
    """Start a sender whose standard input is a pipe."""
    command = [*prefix, *PROGRAM, "tfrc", "send", *arguments, "--json"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def send(*arguments: str, prefix: tuple[str, ...] = (), status: int = 0) -> dict[str, Any]:
    """Run a sender and return the document that it prints at its end."""
    return document_of(sending(*arguments, prefix=prefix), status)


def packet(number: int, ssrc: int = 7, rtt: int = 1_000) -> bytes:
    """Return a data packet of a sender, with a payload of 100 octets."""
    sent_at = 1_000 * number
    head = struct.pack(">BBHII", 0x90, 96, number & 0xFFFF, 0, ssrc)
    return head + struct.pack(">HHII", 0xBEDE, 2, 0x16 << 24 | rtt, sent_at) + bytes(100)


@contextmanager
def hostile_receiver(delay: float) -> Iterator[int]:
    """Run a receiver whose reports claim the largest rate of 32 bits, and are `delay` seconds late."""
    over = threading.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        own.settimeout(0.05)

        def answer() -> None:
            while not over.is_set():
                try:
                    data, sender = own.recvfrom(70_000)
                except TimeoutError:
                    continue
                time.sleep(delay)
                (ssrc,), (sent_at,) = (
                    struct.unpack_from(">I", data, 8),
                    struct.unpack_from(">I", data, 20),
                )
                report = struct.pack(">BBHIIIIII", 0x82, 205, 6, 9, ssrc, sent_at, 0, 2**32 - 1, 0)
                own.sendto(report, sender)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield own.getsockname()[1]
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize("profile", ["rfc5348", "rfc3448", "ns-2"])
def test_a_source_of_constant_rate_arrives_whole_on_loopback(profile: str) -> None:
    port = free_port()
    with receiving(f"127.0.0.1:{port}", "60 s") as receiver:
        options = ["--duration", "2 s", "--rate", "400 kb/s", "--profile", profile]
        sent = send(f"127.0.0.1:{port}", *options)
        receiver.interrupt()
        received = receiver.result(130)
    # The last reports may be in flight at the end; on loopback no data is lost.
    assert received["packets_received"] == sent["packets_sent"]
    assert received["lost"] == 0
    assert 0 < sent["feedbacks"] <= received["feedbacks_sent"]
    # The rate is 50 packets a second for 2 s; slow start may cost the first second.
    assert 25 <= sent["packets_sent"] <= 101


def test_a_strangers_datagrams_are_refused_and_change_nothing() -> None:
    port = free_port()
    with receiving(f"127.0.0.1:{port}", "60 s") as receiver:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for datagram in (b"", b"\x00", bytes(24), b"\xff" * 1000, os.urandom(1400)):
                stranger.sendto(datagram, ("127.0.0.1", port))
            sent = send(f"127.0.0.1:{port}", "--duration", "1 s", "--rate", "400 kb/s")
            stranger.sendto(bytes([0x90, 96]) + bytes(22), ("127.0.0.1", port))
            time.sleep(0.3)
        receiver.interrupt()
        received = receiver.result(130)
    assert received["packets_received"] == sent["packets_sent"]
    assert received["refused"] == 6


def test_without_a_receiver_the_sender_slows_down_and_says_so() -> None:
    port = free_port()
    process = sending(f"127.0.0.1:{port}", "--duration", "2 s")
    output, errors = process.communicate(timeout=60)
    sent = json.loads(output)
    assert (process.returncode, sent["feedbacks"]) == (1, 0)
    assert 1 <= sent["packets_sent"] <= 3
    message = rf"airfair: no receiver answered at 127\.0\.0\.1:{port} within 2\.\d s: Connection refused\n"
    assert re.fullmatch(message, errors)
    assert sent["error"] == errors.removeprefix("airfair: ").rstrip()


def test_a_host_that_is_silent_is_told_from_one_that_refuses() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        sent = send(f"127.0.0.1:{port}", "--duration", "0.3 s", status=1)
    assert sent["error"].endswith("no packets arrived")
    assert sent["network_error"] is None


@pytest.mark.slow
def test_patience_ends_after_ten_seconds_and_a_silent_sender_gives_way_after_five() -> None:
    lonely = sending(f"127.0.0.1:{free_port()}")
    port = free_port()
    with receiving(f"127.0.0.1:{port}", "60 s") as receiver:
        first = send(f"127.0.0.1:{port}", "--duration", "0.5 s", "--rate", "400 kb/s")
        second = send(f"127.0.0.1:{port}", "--duration", "8 s", "--rate", "400 kb/s")
        receiver.interrupt()
        received = receiver.result(130)
    assert received["senders"] == 2
    assert first["feedbacks"] > 0
    assert second["feedbacks"] > 0
    # The receiver refuses the second sender until the first has been silent for 5 s.
    assert received["refused"] > 0
    assert 0 < received["packets_received"] - first["packets_sent"] < second["packets_sent"]
    assert document_of(lonely, 1)["duration_s"] >= 10


@pytest.mark.parametrize(("signal_", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("end", ["send", "receive"])
def test_ctrl_c_ends_with_statistics(end: str, signal_: signal.Signals, status: int) -> None:
    port = free_port()
    with receiving(f"127.0.0.1:{port}", "60 s") as receiver:
        sender = sending(f"127.0.0.1:{port}", "--duration", "60 s", "--rate", "400 kb/s")
        time.sleep(2)
        (sender.send_signal if end == "send" else receiver.process.send_signal)(signal_)
        first = document_of(sender, status) if end == "send" else receiver.result(status)
        assert first["interrupted"] is True
        assert first["rate_bps"] > 0
        for process in (sender, receiver.process):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        other = receiver.result(130) if end == "send" else document_of(sender, 130)
    assert other["rate_bps"] > 0


def test_what_comes_late_is_no_duplicate() -> None:
    port = free_port()
    with receiving(f"127.0.0.1:{port}", "60 s") as receiver:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            # Packet 7 makes 2, 3 and 4 lost; 3 comes late and twice; 9 comes before it counts as lost
            for number in (0, 1, 5, 6, 7, 3, 3, 8, 8, 10, 9, 11):
                sender.sendto(packet(number), ("127.0.0.1", port))
            time.sleep(0.3)
        receiver.interrupt()
        received = receiver.result(130)
    names = ("packets_received", "lost", "late", "duplicates", "reordered")
    assert [received[name] for name in names] == [9, 3, 1, 2, 1]


@pytest.mark.parametrize(
    "options",
    [
        ["--rate", LARGEST, "--max-rate", LARGEST, "--segment", "1 B"],
        ["--max-rate", "100 Gb/s", "--segment", "1 B"],
        [],
    ],
)
def test_a_receiver_that_claims_too_much_does_not_keep_the_sender_from_its_end(
    options: list[str],
) -> None:
    # Since reports are late, the sender may have 0.2 s at 69 Gb/s still to send.
    with hostile_receiver(delay=0.2) as port:
        sent = send(f"127.0.0.1:{port}", "--duration", "2 s", *options)
    assert sent["packets_sent"] > 0
    assert sent["duration_s"] < 4


def test_no_more_than_the_largest_rate_is_sent() -> None:
    with hostile_receiver(delay=0.01) as port:
        options = ["--duration", "2 s", "--max-rate", "2 Mb/s"]
        sent = send(f"127.0.0.1:{port}", *options)
    assert 0 < sent["rate_bps"] < 2.1e6


def test_a_sender_keeps_to_the_limits_that_standard_input_says() -> None:
    """The sender sends more than 400 kb/s allow in 3 s (150 kB), and less than 4 Mb/s allow (1.5 MB)."""
    with hostile_receiver(delay=0.01) as port:
        process = sending(f"127.0.0.1:{port}", "--duration", "3 s", "--limits")
        assert process.stdin is not None
        process.stdin.write("none\n400 kb/s\n")
        process.stdin.flush()
        time.sleep(1.5)
        process.stdin.write("4 Mb/s\n")
        process.stdin.flush()
        sent = document_of(process)
    assert 170e3 < sent["bytes_sent"] < 1.55e6


def test_a_line_that_says_no_limit_ends_the_sender_with_its_number() -> None:
    command = [*PROGRAM, "tfrc", "send", f"127.0.0.1:{free_port()}", "--limits"]
    said = "1 Mb/s\nnone\nplenty\n"
    done = subprocess.run(
        command, input=said, capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert '--limits, line 3: "plenty": allowed is "none" or a rate' in done.stderr


def test_a_datagram_from_port_0_is_refused_and_the_receiver_lives_on() -> None:
    port = free_port()
    try:
        raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
    except PermissionError:
        pytest.skip("needs root: it makes UDP headers")
    with raw, receiving(f"127.0.0.1:{port}", "60 s") as receiver:
        data = packet(0)
        raw.sendto(struct.pack(">HHHH", 0, port, 8 + len(data), 0) + data, ("127.0.0.1", 0))
        sent = send(f"127.0.0.1:{port}", "--duration", "1 s", "--rate", "400 kb/s")
        receiver.interrupt()
        received = receiver.result(130)
    assert received["refused"] == 1
    assert received["packets_received"] == sent["packets_sent"]


def test_the_live_line_shows_what_was_sent_within_80_columns() -> None:
    port, (terminal, end) = free_port(), pty.openpty()
    with receiving(f"127.0.0.1:{port}", "60 s") as receiver:
        command = [*PROGRAM, "tfrc", "send", f"127.0.0.1:{port}", "--duration", "2 s"]
        subprocess.run(
            [*command, "--rate", "400 kb/s"], stdout=subprocess.DEVNULL, stderr=end, check=True
        )
        receiver.interrupt()
        receiver.result(130)
    os.close(end)
    lines = os.read(terminal, 100_000).decode().split("\r")
    os.close(terminal)
    assert all(len(line.rstrip("\n")) < 80 for line in lines)
    rates = [float(found[1]) for line in lines if (found := re.search(r"sent +([\d.]+) of", line))]
    # The source offers 400 kb/s, while the allowed rate grows.
    assert rates
    assert max(rates) < 1.5
    assert all(
        re.search(r"allowed  RTT [\d.]+ ms  loss events [\d.]+%", line)
        for line in lines
        if "sent" in line
    )


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["send", "127.0.0.1:9", "--duration", "3"], "--duration 3"),
        (["send", "127.0.0.1:9", "--duration", "0 s"], "--duration 0 s"),
        (["receive", "5004", "--duration", "0 s"], "--duration 0 s"),
        (["send", "127.0.0.1:9", "--rate", "0 b/s"], "--rate 0 b/s"),
        (
            ["send", "127.0.0.1:9", "--segment", "1 MB"],
            "--segment 1000000 B: allowed is 1 B to 65000 B",
        ),
        (["send", "127.0.0.1:9", "--segment", "0 B"], "--segment 0 B"),
        (["send", "127.0.0.1:9", "--rate", "100 Gb/s"], "allowed is up to --max-rate 1 Gb/s"),
        (["send", "127.0.0.1:9", "--rate", LARGEST], "allowed is up to --max-rate 1 Gb/s"),
        (["send", "127.0.0.1:9", "--max-rate", "lots"], "--max-rate lots"),
        (["send", "127.0.0.1", "--duration", "1 s"], "127.0.0.1: allowed is HOST:PORT"),
        (["send", "127.0.0.1:0"], "127.0.0.1:0: port 0"),
        (["send", "127.0.0.1:http"], "127.0.0.1:http: allowed is HOST:PORT"),
        (["send", "nobody.invalid:9"], "nobody.invalid:9: host not found"),
        (["receive", "0"], "port 0"),
        (["receive", "127.0.0.1:99999"], "127.0.0.1:99999"),
        (["receive", "192.0.2.1:5004"], "192.0.2.1:5004"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments: list[str], word: str) -> None:
    done = subprocess.run(
        [*PROGRAM, "tfrc", *arguments], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert word in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_told_with_its_address() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        command = [*PROGRAM, "tfrc", "receive", address, "--duration", "1 s"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"airfair: {address}: Address already in use\n"


def run(command: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(command.split(), check=True, capture_output=True, timeout=20)


NAMESPACES = ("afs", "afm", "afr")
"""Sender, router and receiver."""

PATH = """\
ip link add afs0 netns afs type veth peer name afm0 netns afm
ip link add afm1 netns afm type veth peer name afr0 netns afr
ip -n afs link set afs0 gso_max_segs 1
ip -n afs address add 10.81.0.1/24 dev afs0
ip -n afm address add 10.81.0.254/24 dev afm0
ip -n afm address add 10.81.1.254/24 dev afm1
ip -n afr address add 10.81.1.2/24 dev afr0
ip -n afs link set afs0 up
ip -n afm link set afm0 up
ip -n afm link set afm1 up
ip -n afr link set afr0 up
ip -n afs route add default via 10.81.0.254
ip -n afr route add default via 10.81.1.254
ip netns exec afm sysctl -qw net.ipv4.ip_forward=1
ip netns exec afm tc qdisc add dev afm1 root handle 1: htb default 1
ip netns exec afm tc class add dev afm1 parent 1: classid 1:1 htb rate 5mbit
ip netns exec afm tc qdisc add dev afm1 parent 1:1 pfifo limit 20
"""
"""The router forwards at 5 Mb/s from a queue of 20 packets, each with one segment of TCP.

The router is not TCP's own host, where TCP small queues would limit TCP. A longer queue has so few losses
that runs differ much: with 50 packets and 20 s the ratio is between 0.4 and 1.1, simulated and real. With
20 packets and 40 s, six runs on a busy machine had ratios between 0.72 and 0.87.
"""


@contextmanager
def shaped_path() -> Iterator[None]:
    """Set up the three namespaces with their path; a lock lets tests use it one after the other."""
    with (Path(tempfile.gettempdir()) / "airfair-namespaces.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        try:
            for name in NAMESPACES:
                run(f"ip netns add {name}")
            for command in PATH.splitlines():
                run(command)
            yield
        finally:
            for name in NAMESPACES:
                subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


@pytest.mark.slow
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("tc") is None,
    reason="needs root, ip and tc: it makes network namespaces",
)
def test_it_shares_a_link_with_the_kernels_reno_within_a_factor_of_two() -> None:
    sender, receiver = ("ip", "netns", "exec", "afs"), ("ip", "netns", "exec", "afr")
    with shaped_path(), receiving("10.81.1.2:5600", "42 s", receiver) as flow:
        tcp_sink = [*receiver, sys.executable, "-c", TCP_RECEIVER]
        with subprocess.Popen(tcp_sink, stdout=subprocess.PIPE, text=True) as tcp:
            time.sleep(0.5)
            with subprocess.Popen([*sender, sys.executable, "-c", TCP_SENDER, "40"]) as source:
                # Packets are as large as TCP's segments: the equation's rate is proportional to their size.
                options = ["--duration", "40 s", "--segment", "1448 B"]
                send("10.81.1.2:5600", *options, prefix=sender)
            output, _ = tcp.communicate(timeout=60)
        assert source.returncode == 0
        tfrc_octets, tcp_octets = flow.result()["bytes_received"], int(output)
    # Both use the link well, and neither has more than twice the goodput of the other.
    assert 0.7 * 5e6 * 40 / 8 < tfrc_octets + tcp_octets < 5e6 * 42 / 8
    assert 0.5 < tfrc_octets / tcp_octets < 2


REFUSING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

ssize_t send(int socket, const void *data, size_t size, int flags) {
    static ssize_t (*real)(int, const void *, size_t, int);
    static unsigned calls;
    if (!real) real = dlsym(RTLD_NEXT, "send");
    if (++calls % 3) return real(socket, data, size, flags);
    errno = atoi(getenv("REFUSAL"));
    return -1;
}
"""
"""Refuses each third packet, as a firewall (EPERM) or a full queue of the host (ENOBUFS) would.

Linux reports ENOBUFS only to UDP sockets that ask for it, and a firewall needs root.
"""


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Library that is loaded before the C library and refuses packets."""
    if shutil.which("cc") is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler and Linux: it stands before the C library")
    directory = tmp_path_factory.mktemp("refusing")
    (directory / "refusing.c").write_text(REFUSING, encoding="utf-8")
    command = ["cc", "-shared", "-fPIC", "-o", "refusing.so", "refusing.c", "-ldl"]
    subprocess.run(command, cwd=directory, check=True)
    return directory / "refusing.so"


@pytest.mark.parametrize("refusal", [errno.EPERM, errno.ENOBUFS])
def test_a_packet_that_the_host_refuses_is_a_lost_packet(refusing: Path, refusal: int) -> None:
    port = free_port()
    with receiving(f"127.0.0.1:{port}", "60 s") as receiver:
        before = ("env", f"LD_PRELOAD={refusing}", f"REFUSAL={refusal}")
        options = ["--duration", "2 s", "--rate", "400 kb/s"]
        sent = send(f"127.0.0.1:{port}", *options, prefix=before)
        receiver.interrupt()
        received = receiver.result(130)
    assert sent["network_error"] == os.strerror(refusal)
    assert sent["unsent"] == (sent["unsent"] + sent["packets_sent"]) // 3 > 0
    assert received["packets_received"] == sent["packets_sent"]
    assert sent["feedbacks"] > 0
    # The receiver counts the refused packets as lost.
    assert received["lost"] > 0


TROUBLE = """\
ip -n afs route replace unreachable 10.81.1.2/32
ip -n afs route replace prohibit 10.81.1.2/32
ip -n afs route replace blackhole 10.81.1.2/32
ip -n afs route delete 10.81.1.2/32
ip -n afs link set afs0 down
"""
"""Faults of a network during a flow, with the errors EHOSTUNREACH, EACCES, EINVAL and ENETUNREACH."""


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("tc") is None,
    reason="needs root, ip and tc: it makes network namespaces",
)
def test_a_network_that_goes_away_costs_packets_and_no_statistics() -> None:
    sender, receiver = ("ip", "netns", "exec", "afs"), ("ip", "netns", "exec", "afr")
    with shaped_path(), receiving("10.81.1.2:5600", "60 s", receiver) as flow:
        source = sending("10.81.1.2:5600", "--rate", "400 kb/s", prefix=sender)
        time.sleep(2)
        for command in TROUBLE.splitlines():
            run(command)
            time.sleep(0.3)
        run("ip -n afs link set afs0 up")
        run("ip -n afs route add default via 10.81.0.254")
        time.sleep(2)
        # A sender without a duration ends by SIGINT.
        source.send_signal(signal.SIGINT)
        sent = document_of(source)
        flow.interrupt()
        received = flow.result(130)
    assert sent["unsent"] > 0
    assert sent["network_error"] is not None
    # All sent packets have arrived, except those in flight when the link went down.
    assert 0 <= sent["packets_sent"] - received["packets_received"] <= 50
    assert received["duration_s"] > 3
    assert sent["feedbacks"] > 0
