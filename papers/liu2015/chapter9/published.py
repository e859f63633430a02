"""Figure 9.1 as printed, and what chapter 9 says of inner products, judged by the numbers."""

import numpy as np

from papers.claim import BEYOND, Claim, judged, less, percent
from papers.liu2015.chapter9.measure import (
    AREAS,
    BOTH,
    EPSILONS,
    ERROR,
    EXAMPLE,
    FLOOR,
    MEAN,
    ONCE,
    REPETITIONS,
    SD,
    exact_coefficients,
    level_by_level,
)
from papers.outcome import Outcomes
from sfumato.retrieval.mutual import coefficients

__all__ = ["PRINTED", "claims"]

PRINTED = (38, -10, 4, 6, 5, 2, 6, -4)
DEVIATIONS = 4  # of a mean over trials, within which it counts as 0


def claims(found: Outcomes) -> list[Claim]:
    """Every sentence that was put to the test, in order."""
    several = [float(epsilon) for epsilon in EPSILONS]
    errors = {
        who: [found.summary("9.1", who, epsilon, ERROR)[0] for epsilon in several]
        for who in (BOTH, ONCE)
    }
    means = [found.values("9.1", BOTH, epsilon, MEAN) for epsilon in several]
    spreads = [found.summary("9.1", BOTH, epsilon, SD)[0] for epsilon in several]
    floors = [found.summary("9.1", BOTH, epsilon, FLOOR)[0] for epsilon in several]
    exact, rounded = exact_coefficients(), level_by_level()
    off = [f"{w} for {true:.2f}" for w, true in zip(PRINTED, exact, strict=True) if _far(w, true)]
    x = np.append(AREAS, [0, 0]).astype(np.float64)
    kept = float(coefficients(x) @ coefficients(EXAMPLE)) - float(x @ EXAMPLE)
    return [
        judged(
            "9.2.1",
            "on average x̃ᵀỹ is xᵀy",
            "E[xᵀy − x̃ᵀỹ] = 0",
            "mean errors "
            + ", ".join(f"{mean.mean():.3g}" for mean in means)
            + f" (ε = {', '.join(EPSILONS)})",
            [
                bool(abs(mean.mean()) <= DEVIATIONS * spread / np.sqrt(REPETITIONS * len(mean)))
                for mean, spread in zip(means, spreads, strict=True)
            ],
        ),
        judged(
            "9.2.1",
            "the expected absolute error of x̃ᵀỹ is 0",
            "0",
            ", ".join(f"{error:.4g}" for error in errors[BOTH]) + " of 484",
            [error < 1 for error in errors[BOTH]],
        ),
        judged(
            "(9.3)",
            "min ỹ times ‖x̃‖ is, in size, at most x̃ᵀỹ",
            "always",
            ", ".join(percent(share) for share in floors),
            [share == 1 for share in floors],
        ),
        judged(
            "9.1",
            "counts published once answer with a smaller error, and the query stays at home",
            BEYOND,
            "; ".join(
                f"{once:.3g} against {both:.4g}"
                for once, both in zip(errors[ONCE], errors[BOTH], strict=True)
            ),
            [less(once, both) for once, both in zip(errors[ONCE], errors[BOTH], strict=True)],
        ),
        judged(
            "figure 9.1",
            "Haar coefficients of (16, 9, 11, 8, 23, 15, 10, 15), rounded",
            ", ".join(map(str, PRINTED)),
            f"{', '.join(map(str, rounded))} if rounded at every level; off: {', '.join(off)}",
            [w == mine for w, mine in zip(PRINTED, rounded, strict=True)],
        ),
        judged(
            "9.3.1",
            "inner products of coefficients are those of the vectors",
            "equal",
            f"differ by {abs(kept):.1e}",
            [abs(kept) < 1e-9],
        ),
    ]


def _far(printed: int, true: float) -> bool:
    return abs(printed - true) > 0.5
