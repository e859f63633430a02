"""What chapter 4 says of its figures, judged by the numbers.

A printed share is one run of the thesis, so it is held to be reached if it is within three
standard deviations of a single run of ours.
"""

from collections.abc import Iterator, Mapping
from math import erf, isfinite, sqrt

from papers.claim import BEYOND, UNSTATED, Claim, judged, less, percent
from papers.liu2015.chapter4.gaussian import EXACT, SHIFT, SIGMAS
from papers.liu2015.chapter4.greedy import (
    COUNTED,
    EIES,
    MADE_UP,
    PARTLY,
    READINGS,
    SHARES,
    cell,
)
from papers.liu2015.chapter4.shares import KEPT, LENGTHS, WEIGHTS, X, within
from papers.outcome import Outcomes

__all__ = ["PARTLY_PRINTED", "PRINTED", "claims"]

PRINTED = {  # figure, what: where on the axis, and the share there
    ("4.10", WEIGHTS): {0.15: 0.8565},
    ("4.10", LENGTHS): {0.15: 0.8699},
    ("4.11", LENGTHS): {0.15: 0.74, 0.3: 0.98},
    ("4.13", WEIGHTS): {0.15: 0.54},
    ("4.13", LENGTHS): {0.15: 0.60},
}
PARTLY_PRINTED = {
    EIES: {"4.13": 0.13, "4.14": 0.15, "4.15": 0.09},
    COUNTED: {"4.13": 0.19, "4.14": 0.14, "4.15": 0.20},
}
MULTIPLES = {1: 0.68, 2: 0.95, 3: 0.99}  # of σ, and the share within it "approximately"
ALIKE = 0.05  # how near "approximately" and "very close" must come; the size is ours
POINTS = 0.02  # how near a share of edges must come; the size is ours
NEAR = 0.15  # where lengths are set beside weights
DEVIATIONS = 3  # of one run
LEVEL = 0.01  # what a mean may shift and have stayed; the size is ours


def claims(found: Outcomes, sizes: Mapping[str, int]) -> list[Claim]:
    """Every sentence that was put to the test, in order; `sizes` are nodes of made-up networks."""
    called = {EIES: EIES} | {name: f"{MADE_UP} ({nodes:,} nodes)" for name, nodes in sizes.items()}
    return [*_noise(found), *_greedy(found, called)]


def _mean(found: Outcomes, figure: str, who: str, measure: str) -> float:
    return found.summary(figure, who, None, measure)[0]


def _noise(found: Outcomes) -> Iterator[Claim]:
    for (figure, what), printed in PRINTED.items():
        if figure not in SIGMAS:
            continue
        for x, theirs in printed.items():
            exact = _mean(found, figure, EXACT + what, within(x))
            kind = "erf" if what == WEIGHTS else "erf for fixed paths"
            yield judged(
                figure,
                f"{what} within {100 * x:g} %, σ = {SIGMAS[figure]:g}: as in one of our runs",
                percent(theirs),
                f"{_runs(found, figure, what, x)}; {kind} {percent(exact)}",
                [_reached(found, figure, what, x, theirs)],
            )
    cells = [(figure, zeta) for figure in SIGMAS for zeta in MULTIPLES]
    near = {
        (figure, zeta): _mean(found, figure, LENGTHS, within(round(zeta * SIGMAS[figure], 9)))
        for figure, zeta in cells
    }
    yield judged(
        "4.10-4.12",
        "within σ, 2σ and 3σ lie 68, 95 and 99 % of the shortest lengths (to 5 points)",
        "68, 95, 99 %",
        "; ".join(
            f"σ = {sigma:g}: " + ", ".join(percent(near[figure, zeta]) for zeta in MULTIPLES)
            for figure, sigma in SIGMAS.items()
        )
        + f"; erf for one edge {', '.join(percent(erf(zeta / sqrt(2))) for zeta in MULTIPLES)}",
        (less(abs(share - MULTIPLES[zeta]), ALIKE) for (_, zeta), share in near.items()),
    )
    gaps = {
        figure: max(
            abs(_mean(found, figure, WEIGHTS, within(x)) - _mean(found, figure, LENGTHS, within(x)))
            for x in X
        )
        for figure in SIGMAS
    }
    yield judged(
        "4.10-4.12",
        "shares of weights and of lengths are alike at every x (to 5 points)",
        UNSTATED,
        "; ".join(f"σ = {SIGMAS[f]:g}: up to {100 * gap:.1f} apart" for f, gap in gaps.items()),
        (less(gap, ALIKE) for gap in gaps.values()),
    )
    kept = {figure: _mean(found, figure, LENGTHS, KEPT) for figure in SIGMAS}
    yield judged(
        "4.10-4.12",
        "noise does not keep all shortest paths",
        UNSTATED,
        "; ".join(f"σ = {SIGMAS[f]:g}: {percent(share)} kept" for f, share in kept.items()),
        (less(share, 1) for share in kept.values()),
    )
    shifts = {figure: _mean(found, figure, LENGTHS, SHIFT) for figure in SIGMAS}
    yield judged(
        "4.10-4.12",
        "shortest lengths neither fall nor rise on average (to 1 %), as fixed paths do not",
        BEYOND,
        "; ".join(f"σ = {SIGMAS[f]:g}: {100 * shift:+.1f} %" for f, shift in shifts.items()),
        (less(abs(shift), LEVEL) for shift in shifts.values()),
    )


def _greedy(found: Outcomes, called: Mapping[str, str]) -> Iterator[Claim]:
    for reading in READINGS:
        for what in (LENGTHS, WEIGHTS):
            for x, theirs in PRINTED["4.13", what].items():
                who = cell(EIES, reading, what)
                yield judged(
                    "4.13(a)",
                    f"EIES, 77 % of {reading}, {what} within {100 * x:g} %: as in one of our runs",
                    percent(theirs),
                    _runs(found, "4.13", who, x),
                    [_reached(found, "4.13", who, x, theirs)],
                )
    kept = {
        (name, reading): [_mean(found, figure, cell(name, reading), KEPT) for figure in SHARES]
        for name in (EIES, MADE_UP)
        for reading in READINGS
    }
    yield judged(
        "4.13-4.15",
        "every wanted pair keeps its shortest path, with 77, 54 and 25 % of the pairs",
        "100 %",
        "; ".join(
            f"{called[name]}, {reading}: {', '.join(map(percent, shares))}"
            for (name, reading), shares in kept.items()
        ),
        (share == 1 if isfinite(share) else None for shares in kept.values() for share in shares),
    )
    for name, printed in PARTLY_PRINTED.items():
        for reading in READINGS:
            shares = {f: _mean(found, f, cell(name, reading), PARTLY) for f in SHARES}
            yield judged(
                "4.13-4.15",
                f"{called[name]}: so many edges are on some wanted paths (to 2 points), {reading}",
                ", ".join(f"{100 * share:.0f}" for share in printed.values()) + " %",
                ", ".join(f"{100 * share:.1f}" for share in shares.values()) + " %",
                (less(abs(share - printed[f]), POINTS) for f, share in shares.items()),
            )
    pairs = [
        [
            _mean(found, figure, cell(name, reading, what), within(NEAR))
            for what in (WEIGHTS, LENGTHS)
        ]
        for name in (EIES, MADE_UP)
        for reading in READINGS
        for figure in SHARES
    ]
    yield judged(
        "4.13-4.15",
        "more lengths than weights are within 15 %",
        "60 for 54 %",
        f"{_spread([b for _, b in pairs])} for {_spread([a for a, _ in pairs])}",
        (less(a, b) for a, b in pairs),
    )


def _spread(shares: list[float]) -> str:
    return f"{percent(min(shares))} to {percent(max(shares))}"


def _runs(found: Outcomes, figure: str, who: str, x: float) -> str:
    mean, deviation = found.summary(figure, who, None, within(x))
    return f"{100 * mean:.1f} ± {100 * deviation:.1f} %"


def _reached(found: Outcomes, figure: str, who: str, x: float, printed: float) -> bool | None:
    mean, deviation = found.summary(figure, who, None, within(x))
    return less(abs(printed - mean), DEVIATIONS * deviation)
