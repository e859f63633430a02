"""What the paper says of its figures, judged by the numbers, data set by data set."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import isnan

from papers.claim import BEYOND, UNSTATED, Claim, judged, less, percent
from papers.outcome import Outcomes
from papers.xu2019 import accuracy, ratios
from papers.xu2019.directions import AG, LIP, PPM, RANDOM
from papers.xu2019.settings import SETS, Settings, parts_of, ranks_upto
from papers.xu2019.shape import Shape

__all__ = ["FACTORS", "NEAR", "claims", "rising"]

# By how much the paper multiplies its ratios to bring all data sets into one plot.
FACTORS = {
    "1": dict(zip(SETS, (1, 1e5, 1e2, 1e2, 1e2, 1e3), strict=True)),
    "3": dict(zip(SETS, (1e3, 1e2, 1e3, 1e3, 1e2, 1e2), strict=True)),
    "4": dict(zip(SETS, (10, 10, 1e3, 1e3, 1e3, 1e2), strict=True)),
}
NEAR = 0.02  # accuracy within which lip "matches" AG; the tolerance is ours

Shapes = Mapping[str, Shape]


def claims(found: Outcomes, settings: Settings, shapes: Shapes) -> list[Claim]:
    """Every claim about the figures that were run, in order."""
    judges = {"1": _first, "2": _second, "3": _third, "4": _fourth, "5": _fifth}
    return [
        claim
        for figure in sorted(settings.figures)
        for claim in judges[figure](found, settings, shapes)
    ]


def rising(values: list[float]) -> bool | None:
    """Whether each is larger than the one before; None where one was not measured.

    >>> rising([1.0, 2.0, 2.0]), rising([1.0, float("nan")]), rising([1.0])
    (False, None, None)
    """
    if any(map(isnan, values)) or len(values) < 2:
        return None
    return all(low < high for low, high in pairwise(values))


def _first(found: Outcomes, _: Settings, shapes: Shapes) -> Iterator[Claim]:
    def theta(shape: Shape) -> list[float]:
        ranks = ranks_upto(shape.width)
        return [found.summary("1", shape.name, None, ratios.theta_at_rank(k))[0] for k in ranks]

    yield _everywhere("1", "θ is below 1 at every k", UNSTATED, shapes, theta, _below(1))
    yield _everywhere("1", "θ falls as k grows", UNSTATED, shapes, theta, _falling)

    def expanded(shape: Shape) -> list[float]:
        return [FACTORS["1"].get(shape.name, 1) * value for value in theta(shape)]

    text = "θ times the paper's factor (1, 10⁵, 10², 10², 10³) is still below 1"
    yield _everywhere("1", text, "even expanding the value", shapes, expanded, _below(1))

    def against_theory(shape: Shape) -> list[float]:
        ranks, n, d = ranks_upto(shape.width), shape.rows, shape.width
        return [v**2 * n**3 * k / d**2 for v, k in zip(theta(shape), ranks, strict=True)]

    text = "θ² is d²/(n³k), Theorem 3 (ratio of the two within a tenth)"
    close = _all(lambda value: abs(value - 1) < 0.1)
    yield _everywhere("1", text, "of that order", shapes, against_theory, close)


def _second(found: Outcomes, _: Settings, shapes: Shapes) -> Iterator[Claim]:
    def theta(shape: Shape) -> list[float]:
        parts = parts_of(shape.rows)
        return [found.summary("2", shape.name, None, ratios.theta_at_rows(n))[0] for n in parts]

    yield _everywhere("2", "θ is below 1 at every n", UNSTATED, shapes, theta, _below(1))
    yield _everywhere("2", "θ falls as n grows", UNSTATED, shapes, theta, _falling)


def _third(found: Outcomes, settings: Settings, shapes: Shapes) -> Iterator[Claim]:
    def eta(shape: Shape) -> list[float]:
        ranks, epsilon = ranks_upto(shape.width), settings.shown
        return [found.summary("3", shape.name, epsilon, ratios.eta_at_rank(k))[0] for k in ranks]

    yield _everywhere("3", "η is below 1 at every k", "max η < 1", shapes, eta, _below(1))
    yield _everywhere("3", "η falls as k grows", UNSTATED, shapes, eta, _falling)


def _fourth(found: Outcomes, settings: Settings, shapes: Shapes) -> Iterator[Claim]:
    def eta(shape: Shape) -> list[float]:
        return [
            found.summary("4", shape.name, e, ratios.ERROR)[0] for e in sorted(settings.epsilons)
        ]

    text = "η is below 1 at every ε"
    yield _everywhere("4", text, "even at ε = 10", shapes, eta, _below(1))
    yield _everywhere("4", "η rises with ε", UNSTATED, shapes, eta, rising)


def _fifth(found: Outcomes, settings: Settings, shapes: Shapes) -> Iterator[Claim]:
    shown = {name: shape for name, shape in shapes.items() if name in settings.classified}
    low, top = min(settings.epsilons), max(settings.epsilons)

    def score(who: str, epsilon: float, name: str) -> float:
        return found.summary("5", who, epsilon, accuracy.accuracy_on(name))[0]

    for who in (AG, LIP, PPM):
        yield judged(
            "5",
            f"the accuracy of {who} grows with ε",
            "significantly",
            "; ".join(
                f"{name} {percent(score(who, low, name))} to {percent(score(who, top, name))}"
                for name in shown
            ),
            (less(score(who, low, name), score(who, top, name)) for name in shown),
        )
    for better, worse in ((AG, PPM), (LIP, PPM), (AG, LIP)):
        cells = {
            (name, e): less(score(worse, e, name), score(better, e, name))
            for name in shown
            for e in settings.epsilons
        }
        yield judged(
            "5",
            f"{better} is more accurate than {worse}",
            "at every ε",
            "; ".join(
                f"{name} at {sum(bool(cells[name, e]) for e in settings.epsilons)} of "
                f"{len(settings.epsilons)} budgets, {percent(score(better, top, name))} against "
                f"{percent(score(worse, top, name))} at ε = {top:g}"
                for name in shown
            ),
            cells.values(),
        )
    yield judged(
        "5",
        "lip matches AG (within 2 points) at the largest ε",
        "for large enough ε",
        "; ".join(
            f"{name} {percent(score(LIP, top, name))} against {percent(score(AG, top, name))}"
            for name in shown
        ),
        (less(abs(score(LIP, top, name) - score(AG, top, name)), NEAR) for name in shown),
    )
    chance = {
        name: found.summary("5", RANDOM, None, accuracy.accuracy_on(name))[0] for name in shown
    }
    yield judged(
        "5",
        "lip is a point more accurate than directions drawn at random, without data",
        BEYOND,
        "; ".join(
            f"{name} {percent(score(LIP, top, name))} against {percent(chance[name])} at "
            f"ε = {top:g}"
            for name in shown
        ),
        (
            less(chance[name] + 0.01, score(LIP, e, name))
            for name in shown
            for e in settings.epsilons
        ),
    )


def _everywhere(
    figure: str,
    text: str,
    paper: str,
    shapes: Shapes,
    curve: Callable[[Shape], list[float]],
    holds: Callable[[list[float]], bool | None],
) -> Claim:
    """One cell per data set; says how far the values go, and on which data sets it fails."""
    curves = {name: curve(shape) for name, shape in shapes.items()}
    verdicts = {name: holds(values) for name, values in curves.items()}
    failing = [name for name, verdict in verdicts.items() if verdict is False]
    ends = [(value, name) for name, values in curves.items() for value in values]
    (low, smallest), (high, largest) = min(ends), max(ends)
    ours = f"from {low:.2g} ({smallest}) to {high:.2g} ({largest})"
    ours += f"; fails on {', '.join(failing)}" if failing else "; holds on all data sets"
    return judged(figure, text, paper, ours, verdicts.values())


def _below(limit: float) -> Callable[[list[float]], bool | None]:
    return _all(lambda value: value < limit)


def _all(holds: Callable[[float], bool]) -> Callable[[list[float]], bool | None]:
    def check(values: list[float]) -> bool | None:
        return None if any(map(isnan, values)) else all(map(holds, values))

    return check


def _falling(values: list[float]) -> bool | None:
    return rising(values[::-1])
