"""What the paper says, beside what came out; and what ours says, judged by the same numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from papers.chakrabarti2010 import learning, privacy
from papers.chakrabarti2010.learning import (
    BAYES,
    BORDERS,
    EXACT,
    EXPECTED,
    LARGER,
    ORIGINAL,
    PLAIN,
    REALISED,
)
from papers.chakrabarti2010.settings import Settings, level_of
from papers.chakrabarti2010.views import DATA, PUBLIC
from papers.claim import UNSTATED, Claim, judged, less, percent
from papers.outcome import Outcomes

__all__ = ["claims"]

NEAR, CLEARLY = 0.01, 0.02  # the paper's "quite close" and "significantly"; the sizes are ours
NOT_CONSIDERED = "not considered"
SETS = {"2": "Adult", "3": "Cancer"}


def claims(found: Outcomes, settings: Settings) -> list[Claim]:
    """Every claim of the figures that were run, in order."""
    judges = {"2": _second, "3": _third, "4": _fourth, "5": _fifth}
    told = (judges[figure](found, settings) for figure in sorted(settings.figures))
    return [claim for each in told for claim in each]


@dataclass(frozen=True)
class _Scores:
    """Mean accuracies of one figure, from the lowest noise to the highest."""

    found: Outcomes
    settings: Settings
    figure: str

    def __call__(self, learner: str, border: str = BAYES, view: str = DATA) -> list[float]:
        measure = learning.accuracy(border, view)
        levels = sorted(self.settings.epsilons, reverse=True)
        return [self.found.summary(self.figure, learner, e, measure)[0] for e in levels]

    def frame(self, name: str, border: str = BAYES, view: str = DATA) -> float:
        return self.found.summary(self.figure, name, None, learning.accuracy(border, view))[0]


def _second(found: Outcomes, settings: Settings) -> Iterator[Claim]:
    scores = _Scores(found, settings, "2")
    for learner in (PLAIN, REALISED):
        yield judged(
            "2",
            f"on Adult {learner} is close (a point) to the original",
            UNSTATED,
            f"{_along(scores(learner))}; original {percent(scores.frame(ORIGINAL))}, always the "
            f"larger class {percent(scores.frame(LARGER))}",
            (less(abs(score - scores.frame(ORIGINAL)), NEAR) for score in scores(learner)),
        )
    yield judged(
        "2",
        f"on Adult {PLAIN} tells more (a point) than always the larger class",
        NOT_CONSIDERED,
        f"{_along(scores(PLAIN))} against {percent(scores.frame(LARGER))}",
        (less(scores.frame(LARGER) + NEAR, score) for score in scores(PLAIN)),
    )
    yield _falls(scores)
    yield from _ours(scores)


def _third(found: Outcomes, settings: Settings) -> Iterator[Claim]:
    scores = _Scores(found, settings, "3")
    for border in BORDERS:
        yield judged(
            "3",
            f"on Cancer {REALISED} is clearly (2 points) above {PLAIN}, {border}",
            UNSTATED,
            f"{_along(scores(REALISED, border))} against {_along(scores(PLAIN, border))}",
            _above(scores(REALISED, border), scores(PLAIN, border), CLEARLY),
        )
    yield _falls(scores)
    yield judged(
        "3",
        f"on Cancer {EXPECTED} is clearly (2 points) above {PLAIN}, {BAYES}",
        NOT_CONSIDERED,
        f"{_along(scores(EXPECTED))} against {_along(scores(PLAIN))}",
        _above(scores(EXPECTED), scores(PLAIN), CLEARLY),
    )
    yield from _ours(scores)
    yield _leak(found, settings)


def _falls(scores: _Scores) -> Claim:
    ends = (f"{one}: {_along(scores(one))}" for one in (PLAIN, REALISED))
    return judged(
        scores.figure,
        f"on {SETS[scores.figure]} the accuracy of both methods falls as noise grows",
        UNSTATED,
        "; ".join(ends),
        (less(more, fewer) for one in (PLAIN, REALISED) for fewer, more in pairwise(scores(one))),
    )


def _ours(scores: _Scores) -> Iterator[Claim]:
    """What it costs to know only the law of the noise."""
    for view in (DATA, PUBLIC):
        for rival in (REALISED, EXACT):
            ours, theirs = scores(EXPECTED, view=view), scores(rival, view=view)
            lost = [100 * (b - a) for a, b in zip(ours, theirs, strict=True)]
            yield judged(
                scores.figure,
                f"on {SETS[scores.figure]} {EXPECTED} loses at most a point to {rival}, "
                f"ranges {view}",
                NOT_CONSIDERED,
                f"loses {min(lost):z.1f} to {max(lost):z.1f} points",
                _above(ours, theirs, -NEAR),
            )


def _leak(found: Outcomes, settings: Settings) -> Claim:
    epsilon = min(settings.epsilons)
    mean, last = (
        found.summary("3", privacy.LEAK, epsilon, what)[0] for what in (privacy.MEANS, privacy.LAST)
    )
    return judged(
        "3",
        "noise statistics do not compromise privacy (nothing is known to a millionth)",
        "more unknowns than equations",
        f"class means to {mean:.0e}, the last record of a class to {last:.0e} standard deviations "
        f"at b = {level_of(epsilon):g}",
        (less(1e-6, mean), less(1e-6, last)),
    )


def _fourth(_: Outcomes, __: Settings) -> Iterator[Claim]:
    for reading in privacy.READINGS:
        gamma = privacy.amplification(reading, 0.2).gamma
        yield judged(
            "4",
            f"amplification at b = 0.2, {reading}",
            "148",
            f"{gamma:.4g}",
            [less(abs(gamma - 148), 0.5)],
        )


def _fifth(_: Outcomes, __: Settings) -> Iterator[Claim]:
    for b, paper in ((0.2, 0.13), (0.3, 0.028)):
        for reading in privacy.READINGS:
            cap = privacy.amplification(reading, b).upward(privacy.PRIOR)
            yield judged(
                "5",
                f"chance of a property of prior 0.001 after a release of b = {b:g}, {reading}",
                f"at most {paper:g}",
                f"up to {cap:.5g}",
                [less(cap, paper)],
            )


def _above(ours: list[float], theirs: list[float], by: float) -> Iterator[bool | None]:
    return (less(b + by, a) for a, b in zip(ours, theirs, strict=True))


def _along(scores: list[float]) -> str:
    """From the lowest noise to the highest."""
    return f"{percent(scores[0])} to {percent(scores[-1])}"
