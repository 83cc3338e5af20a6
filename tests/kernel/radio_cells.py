"""Scenarios of cells with the machines' radios, for the medium and for the simulator."""

from collections.abc import Mapping

KERNELS_RENO = """{ kind = "tcp", flavour = "newreno", sack = true, timestamps = true, segment = "1448 B", \
initial_window = 10, min_rto = "200 ms", delayed_ack = { segments = 2, timeout = "40 ms" }, \
quick_acks = 16, window_scaling = true, receive_window = "3 MB", byte_counting = true, \
grow_beyond_receive_window = false, handshake = true }"""


def cell(standard: str, rates: Mapping[str, int]) -> str:
    """Return the scenario of a cell with a rate for each station [Mb/s]; 802.11g has no DSSS rates."""
    basic = "" if standard == "b" else 'basic_rates = ["6 Mb/s", "12 Mb/s", "24 Mb/s"]\n'
    stations = "".join(f'[station.{name}]\nrate = "{rate} Mb/s"\n' for name, rate in rates.items())
    return f'duration = "60 s"\n[bss.home]\nstandard = "802.11{standard}"\n{basic}{stations}'
