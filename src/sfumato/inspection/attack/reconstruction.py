"""NOT PRIVATE: how much of each column guesses of the original values give away.

An attack may lay one column bare and say nonsense about all others, so an average over
columns hides what matters.  Every column is judged by itself, at a confidence that holds
for all of them together (1 − α becomes 1 − α/m), and the one that is given away most is
reported.  Errors are in deviations of the column: always saying its mean errs by 1.
"""

from collections.abc import Mapping
from dataclasses import replace

from sfumato.inspection.attack.matrix import Indices, Pair, elsewhere
from sfumato.inspection.attack.outcome import Error
from sfumato.inspection.attack.parameter import confident
from sfumato.inspection.attack.result import Attack
from sfumato.numeric.arrays import Matrix

__all__ = ["reconstruction"]


def reconstruction(
    name: str,
    pair: Pair,
    rows: Indices,
    *,
    guesses: Matrix,
    seed: int,
    knows: str,
    confidence: float,
    obstacle: str | None,
    details: Mapping[str, float | int | str],
) -> Attack:
    """Guesses of the original `rows`; the control holds them against somebody else's row."""
    m = pair.A.shape[1]
    level = 1 - (1 - confident(confidence)) / m
    truth = pair.A[rows]
    right, wrong, mean = (
        ((values - truth) / pair.deviations) ** 2
        for values in (guesses, guesses[elsewhere(len(rows), seed)], pair.A.mean(axis=0))
    )

    def column(j: int) -> Attack:
        return Attack(
            name=name,
            knows=knows,
            success=Error.of(right[:, j]),
            baseline=Error.of(mean[:, j]),
            baseline_is="saying the mean",
            control=Error.of(wrong[:, j]),
            control_is="on somebody else's record",
            confidence=level,
            obstacle=obstacle,
            subject=f"column {j}",
            details={"column": j, "columns": m, **details},
        )

    judged = [column(j) for j in range(m)]
    worst = max(judged, key=_given_away)
    bare = sum(one.verdict == "succeeds" for one in judged)
    return replace(worst, details={**worst.details, "columns given away": bare})


def _given_away(one: Attack) -> float:
    over = one.over_control
    assert over is not None  # noqa: S101  every column was given one above
    return min(one.over_baseline.low, over.low)
