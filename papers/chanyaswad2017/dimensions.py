"""Claims of figures 1 and 2: what fewer dimensions do to utility, and to sensitivity."""

from collections.abc import Iterator
from math import log

import numpy as np

from papers.chanyaswad2017 import clusters, gain
from papers.chanyaswad2017.facts import Facts
from papers.chanyaswad2017.scores import Scores
from papers.chanyaswad2017.settings import Settings
from papers.claim import Claim, judged, less
from papers.outcome import Outcomes
from sfumato.inspection.ratio import Sensitivities, sensitivity_gain

__all__ = ["curved", "dimension_claims", "power", "ratio_claims"]

_TASKS = {"II": "clustering", "III": "classification", "IV": "regression"}
_QUADRATIC = 1.5  # half-way between a linear and a quadratic gain


def curved(table: str, settings: Settings) -> str | None:
    """Who is shown in the panel of a table."""
    return next((c.name for c in settings.contenders[table] if c.curve), None)


def dimension_claims(found: Outcomes, settings: Settings, facts: Facts) -> Iterator[Claim]:
    """Does utility rise as the dimension falls?"""
    for table in facts:
        task = _TASKS[table]
        name, scores = curved(table, settings), Scores(found, table, facts[table].width)
        curves = {e: scores.curve(name or "", e) for e in sorted(settings.epsilons)}
        curves = {e: curve for e, curve in curves.items() if len(curve) > 1}
        yield judged(
            "1",
            f"{task}: fewest dimensions are better than all of them",
            "at every ε",
            "; ".join(
                f"ε = {e:g}: {c[0].mean:.3f} with {c[0].rank}, {c[-1].mean:.3f} with {c[-1].rank}"
                for e, c in curves.items()
            ),
            (less(scores.sign * c[-1].mean, scores.sign * c[0].mean) for c in curves.values()),
        )
        tops = {e: max(c, key=lambda x: scores.sign * x.mean) for e, c in curves.items()}
        yield judged(
            "1",
            f"{task}: the best result is at the lowest dimension",
            "often",
            "; ".join(f"ε = {e:g}: P = {best.rank}" for e, best in tops.items()),
            (tops[e].rank == c[0].rank for e, c in curves.items()),
        )
    width = facts["II"].width if "II" in facts else 0
    noise = Scores(found, "II", width).curve(clusters.NOISE, None)
    yield judged(
        "1",
        "clustering: noise that saw no record does not get better as its dimension falls",
        "not considered",
        ", ".join(f"{cell.mean:.3f} in {cell.rank}" for cell in noise),
        [less(noise[0].mean, noise[-1].mean)] if noise else [],
    )


def ratio_claims(found: Outcomes, width: int) -> Iterator[Claim]:
    """Is the ratio above 1, and does the sensitivity fall with the square of the dimension?"""
    for source, word in zip(gain.SOURCES, ("as printed", "as proved here"), strict=True):
        for algorithm in gain.ALGORITHMS:
            ratios = found.values("2", gain.curve_of(algorithm, source), None, gain.SIR)[:-1]
            peak = int(np.argmax(ratios)) + 1
            yield judged(
                "2",
                f"SIR is above 1 below the full dimension, sensitivity of {algorithm} {word}",
                "significantly",
                f"{ratios[0]:.3g} at P = 1, at most {ratios[peak - 1]:.3g} (P = {peak})",
                (bool(ratio > 1) for ratio in ratios),
            )
        powers = {name: power(name, source, width) for name in gain.ALGORITHMS}
        yield judged(
            "2",
            f"the sensitivity, {word}, falls with the square of the dimension",
            "quadratic",
            ", ".join(f"{name}: power {p:.2f}" for name, p in powers.items()),
            (less(_QUADRATIC, p) for p in powers.values()),
        )


def power(algorithm: str, source: Sensitivities, width: int) -> float:
    """Of the dimension that the sensitivity grows with, from a tenth of all features to all.

    >>> power("Algorithm 3", "paper", 300)
    2.0
    """
    few = max(width // 10, 1)
    statistic = gain.ALGORITHMS[algorithm]
    saved = sensitivity_gain(few, width, statistic=statistic, sensitivities=source)
    return log(saved) / log(width / few)
