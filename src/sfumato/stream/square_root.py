"""Running counts from noisy decaying sums: the square-root mechanism in whole numbers.

The matrix A of all running counts has a square root B with A = B B, whose entries are
c_k = C(2k, k) / 4^k at lag k; noise on B x instead of A x gives nearly the least error that is
possible (Henzinger, Upadhyay and Upadhyay 2023).  c_k is the k-th moment of the arcsine law, and
so a sum over decays, here over those of one part in 2, 4, 8 … per step:

    c_k  ≈  Σ_j ω_j (1 − 2^-j)^k,      ω_j = (ln 2 / π) / √(2^j − 1),

the last one with the weight of all slower ones, and c_0 made exactly 1 by a part that decays at
once (after Dvijotham, McMahan, Pillutla, Steinke and Thakurta 2024).  So a step needs one total
per power of two up to T.  Any weights make an honest mechanism: the counts are recovered by
solving with the very matrix that was measured.

Exactness.  Weights and totals are whole numbers; a decay is a shift whose remainder is carried
to the next step.  The series measured for two neighbouring streams then differs by a_k at lag k,
up to a rounding of less than 2 Σ weights, so its ℓ₂ distance is at most

    √(Σ a_k²)  +  2 Σ weights · √(T − 1),

computed in integers and rounded up (`docs/proofs/counter.md`).
Memory.  Two whole numbers and one float per power of two.

>>> design = Design(steps=4, most=1)
>>> sums, counts = DecayingSums(design), RecoveredCounts(design)
>>> exact = sums.query(np.array([1, 0, 1, 1]))
>>> (exact / design.unit).round(2), counts.estimate(exact).round(6)
(array([1.  , 0.4 , 1.28, 1.6 ]), array([1., 1., 2., 3.]))
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole
from sfumato.stream.saved import LARGEST_NOISY, Saved
from sfumato.stream.square_root_kernel import measure
from sfumato.synopsis.decaying import Design, recover

__all__ = ["DecayingSums", "RecoveredCounts"]


class DecayingSums:
    """NOT PRIVATE: the exact measurement of each step."""

    def __init__(self, design: Design) -> None:
        self.design, self.position = design, 0
        self._weight = np.array(design.weights, np.int64)
        self._power = np.array(design.powers, np.int64)
        self._total = np.zeros(design.decays, np.int64)
        self._rest = np.zeros(design.decays, np.int64)

    def query(self, counts: Whole) -> Whole:
        """NOT PRIVATE: what the next steps measure."""
        out = np.empty(counts.size, np.int64)
        measure(counts, self.design.direct, self._weight, self._power, self._total, self._rest, out)
        self.position += counts.size
        return out

    def to_json(self) -> dict[str, Any]:
        """NOT PRIVATE: the totals in memory."""
        return {"totals": self._total.tolist(), "rests": self._rest.tolist()}

    def restore(self, saved: Saved, position: int) -> None:
        """Go on from `to_json`, after so many steps."""
        size, most = self._total.size, LARGEST_NOISY
        self._total = saved.wholes("totals", size, most=most)
        self._rest = saved.wholes("rests", size, most=2**size)
        self.position = position


class RecoveredCounts:
    """Post-processing: counts from the noisy measurements alone, in floats."""

    def __init__(self, design: Design) -> None:
        self.position, self._unit = 0, float(design.unit)
        self._weight, self._decay = design.recovery
        self._total = np.zeros(design.decays)
        self._running = np.zeros(1)

    def estimate(self, noisy: Whole) -> NDArray[np.float64]:
        """The counts up to each of the next steps."""
        out = np.empty(noisy.size)
        scaled = noisy / self._unit
        recover(scaled, self._weight, self._decay, self._total, self._running, out)
        self.position += noisy.size
        return out

    def to_json(self) -> dict[str, Any]:
        """The noisy totals in memory."""
        return {"totals": self._total.tolist(), "running": self._running.tolist()}

    def restore(self, saved: Saved, position: int) -> None:
        """Go on from `to_json`, after so many steps."""
        self._total = saved.reals("totals", self._total.size)
        self._running = saved.reals("running", 1)
        self.position = position
