"""Checks of the share of frames lost to noise on a link against error rates from textbooks.

Noise is white and Gaussian, and bits are independent. At 1 Mb/s the modulation is differential BPSK, whose
correlator collects noise of 22 MHz. At 6 Mb/s it is coherent BPSK with the convolutional code (133, 171)
octal; its error rate is the union bound over the weights of paths, with Chernoff's bound for each. The
weights are computed from the code itself. The PLCP header (DSSS) and the SIGNAL field (OFDM) count as bits at
the lowest rate.

The tolerance is `SIGMAS` standard errors of a binomial share. With a radio, it also covers the rounding of
powers to thousandths of a dB, and the interpolation of error rates to within `TABLE`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping

import numpy as np

from airfair import Result, Scenario
from airfair.scenario import Value

from . import propagation, theory
from .cells import PSDU, rate_text, scenario, upload
from .plan import Check, Plan
from .theory import DOT11A, DOT11B, Phy

SIGMAS = 4.0
"""Tolerance in standard errors, which chance exceeds once in 16 000 checks."""
FRAMES = 400_000
"""Number of data frames of each scenario."""
REPLICATIONS = 4
TABLE = 0.002
"""Accuracy of the radio's error rates, as stated in crates/wlan/src/radio/decoding.rs."""
ROUNDING = 0.002
"""Rounding error of a ratio of powers, each rounded to a thousandth: loss, noise, and constants [dB]."""
SEARCHED_WEIGHT = 22
"""Largest weight of a path in the union bound, which includes the first seven terms of the spectrum."""

BOLTZMANN = 1.380_649e-23
TEMPERATURE = 290.0
NOISE_FIGURE = 10.0
"""Noise figure of the receiver [dB]."""
BANDWIDTH = {"802.11b": 22e6, "802.11a": 52 * 312.5e3}
"""Bandwidth of the noise: before the correlator, and of 52 subcarriers [Hz]."""


@functools.cache
def path_weights(generators: tuple[int, int] = (0o133, 0o171)) -> dict[int, int]:
    """Number of wrong information bits on all paths that leave the zero state and return, by weight.

    The paths are those of a convolutional code of rate 1/2 with 7 stages, up to `SEARCHED_WEIGHT`. Paths grow
    branch by branch. For each state, the number of paths and their information bits are counted by weight.
    """
    states = 64
    paths, bits = (np.zeros((states, SEARCHED_WEIGHT + 1), dtype=np.int64) for _ in range(2))
    register = 1 << 6
    weight = sum((register & generator).bit_count() % 2 for generator in generators)
    # A path leaves the zero state with a one.
    paths[register >> 1, weight] = bits[register >> 1, weight] = 1
    found = np.zeros(SEARCHED_WEIGHT + 1, dtype=np.int64)
    while paths.any():
        next_paths, next_bits = np.zeros_like(paths), np.zeros_like(bits)
        for state in range(1, states):
            for bit in (0, 1):
                register = bit << 6 | state
                step = sum((register & generator).bit_count() % 2 for generator in generators)
                kept = slice(0, SEARCHED_WEIGHT + 1 - step)
                target = register >> 1, slice(step, None)
                next_paths[target] += paths[state, kept]
                next_bits[target] += bits[state, kept] + bit * paths[state, kept]
        found += next_bits[0]
        next_paths[0] = next_bits[0] = 0
        paths, bits = next_paths, next_bits
    return {weight: int(count) for weight, count in enumerate(found) if count}


def dbpsk_bit_error(snr: float) -> float:
    """Bit error rate ½·exp(-Eb/N0) of differential BPSK at 1 Mb/s; `snr` is in 22 MHz.  [proakis §5.2]"""
    return math.exp(-snr * 22) / 2


def coded_bpsk_bit_error(snr: float) -> float:
    """Union bound of the bit error rate of BPSK with code rate 1/2.  [miller-2003 §3]

    The bound is ½·Σ c_d·(4p(1-p))^(d/2) with p = ½·erfc(√Es/N0).
    """
    raw = math.erfc(math.sqrt(snr)) / 2
    chernoff = math.sqrt(4 * raw * (1 - raw))
    return min(0.5, sum(count * chernoff**d for d, count in path_weights().items()) / 2)


def frame_error(phy: Phy, octets: int, decibels: float) -> float:
    """Share of PPDUs with a wrong bit at the lowest rate of `phy`; the PSDU has `octets` octets.

    A DSSS PPDU has 48 bits of PLCP header and the PSDU [80211-2020 §16.2.2]. An OFDM PPDU has 24 bits of
    SIGNAL, 16 of SERVICE, the PSDU and 6 tail bits [80211-2020 §17.3.4, §17.3.5].
    """
    snr = 10 ** (decibels / 10)
    if phy is DOT11B:
        error, overhead = dbpsk_bit_error(snr), 48
    else:
        error, overhead = coded_bpsk_bit_error(snr), 24 + 16 + 6
    return -math.expm1((overhead + 8 * octets) * math.log1p(-error))


def share(id_: str, expected: float, lost: int, frames: int, slack: float = 0.0) -> Check:
    """Check of a share of frames against its probability, within `SIGMAS` standard errors and `slack`."""
    error = math.sqrt(expected * (1 - expected) / frames)
    tolerance = (SIGMAS * error + slack) / expected
    return Check(id_, expected, lost / frames, tolerance, 1.96 * error)


def plans() -> Iterator[Plan]:
    """Plans for each modulation: three ratios, with which few, half and most frames are lost, and a radio."""
    for phy, ratios in ((DOT11B, (-3.2, -3.5, -3.9)), (DOT11A, (3.8, 3.6, 3.4))):
        for ratio in ratios:
            yield _given(phy, ratio)
        yield _received(phy, sum(ratios[1:]) / 2)


def _given(phy: Phy, ratio: float) -> Plan:
    """Plan for a link whose signal-to-noise ratio is set in the scenario."""
    rate = phy.basic_rates[0]

    def evaluate(result: Result) -> Iterator[Check]:
        data, responses = _counts(result)
        id_ = f"noise/{phy.standard}/{rate:g}"
        yield share(f"{id_}/data/{ratio:g}-dB", frame_error(phy, PSDU, ratio), *data)
        ack = frame_error(phy, theory.ACK_OCTETS, ratio)
        yield share(f"{id_}/ack/{ratio:g}-dB", ack, *responses)

    errors: Mapping[str, Value] = {"model": "snr", "snr": f"{ratio:g} dB"}
    return Plan(_scenario(phy, {"errors": errors}, {}), evaluate)


def _received(phy: Phy, wanted: float) -> Plan:
    """Plan for a link whose ratio follows from its length in free space, transmit power and noise."""
    rate, power = phy.basic_rates[0], 0
    megahertz = 2_437 if phy is DOT11B else 5_200
    watts = BOLTZMANN * TEMPERATURE * BANDWIDTH[phy.standard]
    noise = 10 * math.log10(watts * 1e3) + NOISE_FIGURE
    distance = round(propagation.friis_distance(power - noise - wanted, megahertz * 1e6), 3)
    metre = propagation.friis_distance(0, megahertz * 1e6)
    ratio = power - 20 * math.log10(distance / metre) - noise
    expected = frame_error(phy, PSDU, ratio)
    slope = frame_error(phy, PSDU, ratio - ROUNDING) - frame_error(phy, PSDU, ratio + ROUNDING)

    def evaluate(result: Result) -> list[Check]:
        id_ = f"noise/{phy.standard}/{rate:g}/radio/{distance:.0f}-m"
        return [share(id_, expected, *_counts(result)[0], slack=TABLE + slope / 2)]

    radio: Mapping[str, Value] = {
        "tx_power": f"{power} dBm",
        "frequency": f"{megahertz} MHz",
        "carrier_sense": "-110 dBm",
    }
    place: Mapping[str, Value] = {"position": [f"{distance:.3f} m", "0 m"]}
    return Plan(_scenario(phy, {"radio": radio}, place), evaluate)


def _counts(result: Result) -> tuple[tuple[int, int], tuple[int, int]]:
    """Numbers of lost and of all frames, for data frames and for ACKs."""
    stations, points = result.stations, result.access_points
    frames, lost = int(stations["frames"].sum()), int(stations["frame_errors"].sum())
    return (lost, frames), (int(points["frame_errors"].sum()), frames - lost)


def _scenario(phy: Phy, cell: Mapping[str, Value], station: Mapping[str, Value]) -> Scenario:
    rate = phy.basic_rates[0]
    cost = theory.exchange(phy, PSDU, rate).success + phy.cw_min / 2 * phy.slot
    seconds = FRAMES / REPLICATIONS * cost / 1e6
    return scenario(
        {"standard": phy.standard, "max_attempts": 1, **cell},
        {"one": {"rate": rate_text(rate), **station}},
        {"up": upload("one")},
        duration=f"{math.ceil(seconds)} s",
        replications=REPLICATIONS,
    )
