"""How fast is a private mean of a long bit stream?  Skipping against one draw per bit.

Algorithm 4 of Liu 2015 asks for a random number at every bit and admits it with chance n / t;
here it is a compiled loop over an array, without any privacy.  Skipping draws the place of
the next admission and answers it by exact randomized response, from the same array and from a
packed file.  Both run in one process, turn by turn; times are those of the processor.

    python benchmarks/stream_reservoir.py [--bits 100000000] [--repeats 3]
"""

import argparse
import tempfile
from collections.abc import Callable
from math import log
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numba import njit

from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.randomness import SystemBits
from sfumato.privacy.response import RandomizedResponse
from sfumato.stream.reservoir import Reservoir
from sfumato.stream.source import open_bits

RESPONSE = RandomizedResponse("admitted bits", PureDP(1))


@njit
def one_draw_per_bit(bits: Any, size: int) -> tuple[float, int]:
    """Lines 10 to 28 of the algorithm, with the bit itself in place of its noisy value."""
    held = bits[:size].copy()
    reads = size
    for t in range(size, bits.size):
        slot = np.random.randint(0, t + 1)
        if slot < size:
            held[slot] = bits[t]
            reads += 1
    return held.mean(), reads


def skipping(data: Any, size: int, length: int) -> tuple[float, int]:
    reservoir = Reservoir(size, RESPONSE, SystemBits())
    with open_bits(data) as source:
        mean = reservoir.follow(source, np.array([length]))
    return float(mean[0]), reservoir.admitted


def timed(run: Callable[[], tuple[float, int]]) -> tuple[float, float, int]:
    start = process_time()
    mean, reads = run()
    return process_time() - start, mean, reads


def main() -> None:
    arguments = argparse.ArgumentParser(description="Speed of the private mean of a stream.")
    arguments.add_argument("--bits", type=int, default=100_000_000)
    arguments.add_argument("--repeats", type=int, default=3)
    options = arguments.parse_args()
    length = options.bits
    size = RESPONSE.sample_size(0.1, 0.05)
    bits = (np.random.default_rng(0).random(length, np.float32) < 0.3).view(np.uint8)
    one_draw_per_bit(bits[: 2 * size], size)  # compiled before it is timed
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "stream.bits"
        np.packbits(bits).tofile(packed)
        ways: dict[str, Callable[[], tuple[float, int]]] = {
            "one draw per bit": lambda: one_draw_per_bit(bits, size),
            "skipping, array": lambda: skipping(bits, size, length),
            "skipping, packed file": lambda: skipping(packed, size, length),
        }
        runs: dict[str, list[tuple[float, float, int]]] = {name: [] for name in ways}
        for _ in range(options.repeats):
            for name, way in ways.items():
                runs[name].append(timed(way))
    due = size * (1 + log(length / size))
    print(f"{length:,} bits, a reservoir of {size}; reads due: {due:,.0f}; mean {bits.mean():.4f}")
    print(f"{'':<24}{'Mbit/s':>8}{'faster':>8}{'reads':>8}{'mean':>8}")
    slow = min(runs["one draw per bit"])[0]
    for name, found in runs.items():
        seconds, mean, _ = min(found)
        reads = sum(run[2] for run in found) / len(found)
        speed = length / seconds / 1e6
        print(f"{name:<24}{speed:>8.0f}{slow / seconds:>8.1f}{reads:>8.0f}{mean:>8.3f}")


if __name__ == "__main__":
    main()
