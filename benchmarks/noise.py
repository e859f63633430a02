"""How fast is exact noise?  Nanoseconds a draw, against float noise and against OpenDP.

numpy's float generators are the limit: they do neither exact laws nor secret bits.
OpenDP's integer mechanisms are the peer with the same promise; they draw fewer numbers
here and are compared by the draw.

    python benchmarks/noise.py [--draws 1000000] [--repeats 5]
"""

import argparse
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

import numpy as np
import opendp.prelude as dp

from sfumato.privacy.noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import SystemBits

SCALES = (1, 10**3, 10**6)


def nanoseconds(draw: Callable[[], object], draws: int, repeats: int) -> float:
    """The best of several runs: what the code costs when nothing else disturbs it."""
    best = float("inf")
    for _ in range(repeats):
        start = perf_counter()
        draw()
        best = min(best, perf_counter() - start)
    return best / draws * 1e9


def opendp_mechanism(law: str, scale: int) -> Callable[[list[int]], list[int]]:
    space = dp.vector_domain(dp.atom_domain(T=int))
    if law == "Laplace":
        return dp.m.make_laplace(space, dp.l1_distance(T=int), scale=float(scale))
    return dp.m.make_gaussian(space, dp.l2_distance(T=float), scale=float(scale))


def main() -> None:
    arguments = argparse.ArgumentParser(description="Speed of the exact noise.")
    arguments.add_argument("--draws", type=int, default=1_000_000)
    arguments.add_argument("--repeats", type=int, default=5)
    options = arguments.parse_args()
    n, repeats = options.draws, options.repeats
    few = max(1, n // 50)

    dp.enable_features("contrib")
    bits, rng = SystemBits(), np.random.default_rng()
    print(f"{n:,} draws (OpenDP {few:,}), best of {repeats}, nanoseconds a draw")
    print("law          scale   sfumato   numpy    opendp   / numpy  opendp /")
    for law in ("Laplace", "Gaussian"):
        for scale in SCALES:
            if law == "Laplace":
                exact = Fraction(scale)
                ours = nanoseconds(lambda s=exact: discrete_laplace(s, n, bits), n, repeats)
                floats = nanoseconds(lambda s=scale: rng.laplace(0, s, n), n, repeats)
            else:
                exact = Fraction(scale**2)
                ours = nanoseconds(lambda v=exact: discrete_gaussian(v, n, bits), n, repeats)
                floats = nanoseconds(lambda s=scale: rng.normal(0, s, n), n, repeats)
            mechanism, zeros = opendp_mechanism(law, scale), [0] * few
            peer = nanoseconds(lambda m=mechanism, z=zeros: m(z), few, repeats)
            print(
                f"{law:<9}{scale:>9,}{ours:>10.1f}{floats:>8.1f}{peer:>10.0f}"
                f"{ours / floats:>10.1f}{peer / ours:>10.0f}"
            )


if __name__ == "__main__":
    main()
