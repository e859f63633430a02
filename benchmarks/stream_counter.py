"""How good and how fast is the counter?  Ratios within one run; processor time.

error     root mean square over all 2^20 counts, square root against the trees at equal
          budget (epsilon 1, delta 1e-6; the Laplace tree at epsilon 1), as it follows from
          the noise law and as it was drawn
blocks    bits a second from a packed file, one count per 65,536 bits
steps     counts a second, one per bit
memory    largest memory while 2^16 and 2^22 bits are counted one by one

python benchmarks/stream_counter.py [--runs 5]
"""

import argparse
import tempfile
import tracemalloc
from math import sqrt
from pathlib import Path
from time import process_time

import numpy as np

from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SystemBits
from sfumato.stream.counter import METHOD
from sfumato.stream.counter_settings import Settings
from sfumato.stream.source import open_bits
from sfumato.stream.square_root import RecoveredCounts

GAUSSIAN, PURE = ApproxDP(1, "1e-6"), PureDP(1)
WAYS = {
    "square root": (GAUSSIAN, {"engine": "square-root"}),
    "Gaussian tree": (GAUSSIAN, {"engine": "tree"}),
    "Laplace tree": (PURE, {"engine": "tree"}),
    "Gaussian tree, pan": (GAUSSIAN, {"pan": True}),
}
STEPS = 2**20


def counted(data, horizon, budget, **options):
    """All counts of a stream, and the seconds they took."""
    plan = METHOD.price(horizon, budget, options)
    purse = Purse(budget, SystemBits())
    with open_bits(data) as source:
        start = process_time()
        counts = [values for _, values in plan.run(source, purse)]
        return np.concatenate(counts), process_time() - start


def expected_error(budget, options):
    """Root mean square over all times, from the noise law."""
    settings = Settings.read(STEPS, budget, **options)
    event = settings.noise.event
    if settings.engine == "square-root":
        impulse = np.zeros(STEPS, np.int64)
        impulse[0] = settings.unit
        rows = np.cumsum(RecoveredCounts(settings.design).estimate(impulse) ** 2)
        return sqrt(float(event.noise) * rows.mean())
    summands = np.bitwise_count(np.arange(1, STEPS + 1)).mean()
    variance = float(event.noise)
    if event.mechanism == "discrete-laplace":
        q = np.exp(-1 / float(event.noise))
        variance = 2 * q / (1 - q) ** 2
    return sqrt(variance * summands * (2 if settings.pan else 1))


def errors(runs, rng):
    print(f"error at {STEPS:,} counts      expected   drawn   square root /   counts a second")
    best = expected_error(*WAYS["square root"])
    for name, (budget, options) in WAYS.items():
        expected, drawn, seconds = expected_error(budget, options), [], 0.0
        if "pan" not in options:  # noise on demand: thousands of steps a second, not millions
            for _ in range(runs):
                bits = rng.integers(0, 2, STEPS, dtype=np.uint8)
                counts, spent = counted(bits, STEPS, budget, smooth="none", **options)
                drawn.append(np.mean((counts - np.cumsum(bits, dtype=np.int64)) ** 2))
                seconds += spent
        shown = f"{sqrt(np.mean(drawn)):7.1f}" if drawn else "      -"
        speed = f"{runs * STEPS / seconds / 1e6:12.1f} million" if drawn else "           -"
        print(f"  {name:20} {expected:13.1f} {shown} {best / expected:15.3f} {speed}")


def blocks(folder, rng):
    path, bits = folder / "stream.bits", 2**30
    rng.integers(0, 256, bits // 8, dtype=np.uint8).tofile(path)
    for name in ("square root", "Laplace tree"):
        budget, options = WAYS[name]
        _, seconds = counted(path, bits, budget, every=65_536, **options)
        print(f"blocks  {name:20} {bits / seconds / 1e9:6.2f} Gbit a second")


def memory(folder, rng):
    peaks = []
    for power in (16, 22):
        path = folder / f"{power}.bits"
        rng.integers(0, 256, 2**power // 8, dtype=np.uint8).tofile(path)
        plan = METHOD.price(2**power, GAUSSIAN, {})
        with open_bits(path) as source:
            tracemalloc.start()
            for _ in plan.run(source, Purse(GAUSSIAN, SystemBits())):
                pass
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    print(f"memory  2^16 bits {peaks[0] / 1e6:.2f} MB, 2^22 bits {peaks[1] / 1e6:.2f} MB, ", end="")
    print(f"ratio {peaks[1] / peaks[0]:.2f}")


def main() -> None:
    arguments = argparse.ArgumentParser(description="Error, speed and memory of the counter.")
    arguments.add_argument("--runs", type=int, default=5)
    runs = arguments.parse_args().runs
    rng = np.random.default_rng()
    counted(np.zeros(10, np.uint8), 10, GAUSSIAN)  # loads the compiled loops
    errors(runs, rng)
    with tempfile.TemporaryDirectory() as name:
        blocks(Path(name), rng)
        memory(Path(name), rng)
    bits = iter(rng.integers(0, 2, 2000).tolist())
    _, seconds = counted(bits, 2000, GAUSSIAN)
    print(f"live    one bit, one count at a time: {2000 / seconds:,.0f} a second")
    _, seconds = counted(np.zeros(2000, np.uint8), 2000, PURE, pan=True)
    print(f"pan     one bit, one count at a time: {2000 / seconds:,.0f} a second")


if __name__ == "__main__":
    main()
