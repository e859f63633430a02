"""The loop of the square-root counter that sees bits: exact decaying sums."""

from sfumato.numeric.arrays import Whole
from sfumato.numeric.compiled import compiled

__all__ = ["measure"]


@compiled
def measure(
    counts: Whole, direct: int, weight: Whole, power: Whole, total: Whole, rest: Whole, out: Whole
) -> None:
    """NOT PRIVATE: one weighted sum of decaying totals per count, in whole numbers.

    Total j counts steps of 2^-power and loses one part in 2^(j + 1) per step.  What a division
    leaves over is carried to the next one, so a total never strays by a step from its true
    value, however long the stream.
    """
    for t in range(counts.size):
        x = counts[t]
        y = direct * x
        for j in range(total.size):
            divided = total[j] + rest[j]
            lost = divided >> (j + 1)
            rest[j] = divided - (lost << (j + 1))
            total[j] += (x << power[j]) - lost
            y += weight[j] * total[j]
        out[t] = y
