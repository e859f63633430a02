"""Sentences of chapter 2, judged by the numbers."""

from collections.abc import Iterator

from papers.claim import BEYOND, UNSTATED, Claim, judged, less, percent
from papers.liu2015.chapter2.attack import ATTACK, CONTROL, ERROR, KNOWN, MEAN, REACH
from papers.liu2015.chapter2.measure import (
    ANGLES,
    CORRECTED,
    FIGURES,
    MIN,
    NOISES,
    PRINTED_RANK,
    counterexample,
    kept,
    larger_noise,
    noise_name,
    norms,
)
from papers.outcome import Outcomes

__all__ = ["TABLE", "claims"]

TABLE = {  # percentages of table 2.1
    "bupa": {"π/90": 91.86, "π/180": 91.27, "π/360": 90.96},
    "wine": {"π/90": 90.70, "π/180": 87.64, "π/360": 85.74},
}
SETS = tuple(TABLE)
POINTS = 2.0  # how near a percentage must come, in points; the size is ours
NEAR = 0.05  # "no big differences" between norms; the size is ours
ALIKE = 0.1  # "almost the same" of singular values; the size is ours


def claims(found: Outcomes) -> list[Claim]:
    """Every sentence that was put to the test, in order."""
    return [*_noise(found), *_values(found), *_angles(found), *_breach(found)]


def _mean(found: Outcomes, figure: str, who: str, measure: str) -> float:
    return found.summary(figure, who, None, measure)[0]


def _noise(found: Outcomes) -> Iterator[Claim]:
    drawn = {
        shape: _mean(found, "norm of the noise", noise_name(*shape), "‖E‖") for shape in NOISES
    }
    for text, paper, which in (
        ("‖E‖ is √(m+n) to 5 %", "20.3 for 18.7 (bupa, as 345 × 5)", 0),
        ("‖E‖ is β(√n+√m) to 5 %", BEYOND, 1),
    ):
        yield judged(
            "2.2.4",
            text,
            paper,
            "; ".join(
                f"{noise_name(*shape)}: {norm:.1f} for {norms(*shape)[which]:.1f}"
                for shape, norm in drawn.items()
            ),
            (less(abs(norm / norms(*shape)[which] - 1), NEAR) for shape, norm in drawn.items()),
        )


def _values(found: Outcomes) -> Iterator[Claim]:
    errors = {
        name: [
            _mean(found, FIGURES[name], name, f"{rule} rule, mean error")
            for rule in ("sum", "square")
        ]
        for name in SETS
    }
    yield judged(
        "2.2.4",
        "singular values add, σ̃ ≈ σ + σ_E: nearer than the square rule σ̃² ≈ σ² + nβ²",
        UNSTATED,
        "; ".join(f"{name}: off by {a:.2f}, squares {b:.2f}" for name, (a, b) in errors.items()),
        (less(a, b) for a, b in errors.values()),
    )
    moves = {
        name: _mean(found, FIGURES[name], name, "largest move of the first k") for name in SETS
    }
    yield judged(
        "2.1, 2.2",
        "the first 6 (bupa) and 4 (wine) singular values are almost the same (to 10 %)",
        UNSTATED,
        "; ".join(f"{name}: moved by up to {percent(move)}" for name, move in moves.items()),
        (less(move, ALIKE) for move in moves.values()),
    )
    for rule in (MIN, CORRECTED):
        ks = {name: found.values(FIGURES[name], name, None, rule) for name in SETS}
        yield judged(
            "2.2",
            f"the rule gives k = 6 (bupa) and 4 (wine) in every trial: {rule}",
            "6 and 4" if rule == MIN else BEYOND,
            "; ".join(
                f"{name}: " + " or ".join(f"{k:g}" for k in sorted(set(each)))
                for name, each in ks.items()
            ),
            (bool(k == PRINTED_RANK[name]) for name, each in ks.items() for k in each),
        )
    worse = {
        name: _mean(found, FIGURES[name], name, "records with a larger noise row") for name in SETS
    } | {"three records": larger_noise(counterexample(), 2)}
    yield judged(
        "2.2.1",
        "no record is smaller than its noise, ‖eⁱ‖ ≤ ‖aⁱ‖, where the conditions hold",
        "theorem",
        "; ".join(f"{name}: {percent(share)} are" for name, share in worse.items()),
        (share == 0 for share in worse.values()),
    )


def _angles(found: Outcomes) -> Iterator[Claim]:
    for who in ("printed k", "corrected k"):
        shares = {
            (name, word): 100 * _mean(found, "table 2.1", f"{name}, {who}", kept(word))
            for name in SETS
            for word in ANGLES
        }
        shown = "; ".join(
            f"{name}: " + ", ".join(f"{shares[name, word]:.1f}" for word in ANGLES) for name in SETS
        )
        yield judged(
            "table 2.1",
            f"share of angles kept to π/90, π/180, π/360 is the printed one (to 2 points), {who}",
            "bupa: 91.9, 91.3, 91.0; wine: 90.7, 87.6, 85.7",
            shown,
            (less(abs(share - TABLE[n][w]), POINTS) for (n, w), share in shares.items()),
        )
        yield judged(
            "table 2.1",
            f"most angles (85 %) are kept, {who}",
            "85.7 to 91.9",
            shown,
            (less(85, share) for share in shares.values()),
        )
    yield judged(
        "table 2.1",
        "angles of the right rows are kept more often than those of shuffled rows, π/180",
        BEYOND,
        "; ".join(
            f"{name}: {percent(right)} against {percent(wrong)}"
            for name, (right, wrong) in _shuffled(found).items()
        ),
        (less(wrong, right) for right, wrong in _shuffled(found).values()),
    )


def _shuffled(found: Outcomes) -> dict[str, tuple[float, float]]:
    def share(name: str, *, shuffled: bool) -> float:
        measure = kept("π/180", shuffled=shuffled)
        return _mean(found, "table 2.1", f"{name}, corrected k", measure)

    return {name: (share(name, shuffled=False), share(name, shuffled=True)) for name in SETS}


def _breach(found: Outcomes) -> Iterator[Claim]:
    def error(name: str, kind: str) -> float:
        return _mean(found, "angle attack", name, f"{ERROR}, {kind}")

    for kind, text in (
        (REACH, "a small angle means similar entries (nearer than the mean of all records)"),
        (ATTACK, "one known record betrays the row nearest in angle (nearer than the mean)"),
    ):
        yield judged(
            "2.2.3 (lemma)" if kind == REACH else "2.2",
            text,
            '"highly possible"',
            "; ".join(
                f"{name}: off by {error(name, kind):.2f} deviations, mean {MEAN:.2f}, "
                f"somebody else's row {error(name, CONTROL):.2f}"
                for name in SETS
            ),
            (less(error(name, kind), MEAN) for name in SETS),
        )
    right = {name: _rates(found, name) for name in SETS}
    yield judged(
        "2.3",
        "who is below π/180 of a known record equals it (to half a deviation), mostly",
        '"highly possible"',
        "; ".join(
            f"{name}: {hits:.0f} of {tries:.0f} guesses right"
            for name, (hits, tries) in right.items()
        ),
        (less(0.5, hits / tries) if tries else None for hits, tries in right.values()),
    )
    known = {name: _mean(found, "angle attack", name, KNOWN) for name in SETS}
    columns = {"bupa": 7, "wine": 14}
    yield judged(
        "2.2.3",
        "as many known records as columns betray all others, in every column",
        "theorem",
        "; ".join(
            f"{name}: {value:.1f} of {columns[name]} columns" for name, value in known.items()
        ),
        (value == columns[name] for name, value in known.items()),
    )


def _rates(found: Outcomes, name: str) -> tuple[float, float]:
    """Right guesses and guesses over all trials."""
    hits, tries = (
        float(found.values("angle attack", name, None, f"guesses below π/180{what}, attack").sum())
        for what in (" and right", "")
    )
    return hits, tries
