"""The two loops of the square-root counter: exact decaying sums, and counts from noisy ones."""

from sfumato.numeric.arrays import Vector, Whole
from sfumato.numeric.compiled import compiled

__all__ = ["measure", "recover"]


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


@compiled
def recover(
    noisy: Vector, weight: Vector, decay: Vector, total: Vector, running: Vector, out: Vector
) -> None:
    """Counts whose weighted decaying sums are the noisy ones; `running[0]` is their total.

    Solved forwards: what the past contributes is known, so each sum gives one count.
    """
    so_far = running[0]
    for t in range(noisy.size):
        x = noisy[t]
        for j in range(total.size):
            total[j] *= decay[j]
            x -= weight[j] * total[j]
        for j in range(total.size):
            total[j] += x
        so_far += x
        out[t] = so_far
    running[0] = so_far
