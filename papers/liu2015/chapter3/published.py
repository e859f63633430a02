"""Tables 3.1 to 3.3 as printed, and the sentences of chapter 3 judged by the numbers."""

from collections.abc import Iterable, Iterator
from math import log
from typing import NamedTuple

from papers.claim import BEYOND, Claim, judged, less, percent
from papers.liu2015.chapter3.measure import (
    ACCURACY,
    ORIGINAL,
    RANKS,
    SECONDS,
    SHARES,
    TABLES,
    UNIT,
    WITH,
)
from papers.liu2015.chapter3.perturbations import LARGEST, PLAIN, SVD, UNIVERSAL
from papers.liu2015.chapter3.readings import READINGS
from papers.outcome import Outcomes

__all__ = ["ACCURACY_OF_THE_ORIGINAL", "PRINTED", "Row", "claims"]


class Row(NamedTuple):
    """A row of table 3.1 or 3.2, as printed; accuracy in per cent."""

    VD: float
    RP: float
    RK: float
    CP: float
    CK: float
    seconds: float
    accuracy: float


ACCURACY_OF_THE_ORIGINAL = {"WBC": 96.0, "WDBC": 85.4}
PRINTED = {
    "WBC": {
        SVD: Row(0.2080, 239.4, 0.006358, 1.556, 0.4444, 0.07882, 95.9),
        "wavelet (S)": Row(0.2557, 238.6, 0.004769, 1.333, 0.5556, 0.03081, 96.0),
        "wavelet (VP)": Row(0.3526, 247.1, 0.005564, 1.556, 0.333, 0.06362, 95.6),
        "wavelet (HP)": Row(0.3140, 239.1, 0.005087, 2.000, 0.333, 0.05153, 96.1),
    },
    "WDBC": {
        SVD: Row(0.000035, 121.3, 0.3454, 0.0, 1.0, 0.13880, 85.4),
        "wavelet (S)": Row(0.000843, 165.3, 0.1083, 4.800, 0.4000, 0.05166, 85.4),
        "wavelet (VP)": Row(0.001011, 168.6, 0.1041, 4.733, 0.4667, 0.09274, 85.4),
        "wavelet (HP)": Row(0.000962, 165.5, 0.1141, 3.267, 0.4667, 0.08177, 85.4),
    },
}
# Table 3.3: accuracy and VD without, accuracy and VD with statistics kept.
PARAMETERS = {
    f"{SVD} {k}": row
    for k, row in zip(
        RANKS,
        (
            (96.28, 0.196, 96.28, 0.1915),
            (95.71, 0.1909, 95.99, 0.1926),
            (95.71, 0.1527, 95.42, 0.1563),
            (95.85, 0.1442, 95.71, 0.143),
            (95.85, 0.132, 95.99, 0.1389),
            (95.85, 0.1254, 95.99, 0.1226),
            (95.99, 0.1075, 96.14, 0.1076),
            (95.99, 0.0767, 96.28, 0.0764),
        ),
        strict=True,
    )
} | {
    f"wavelet {share:g}": row
    for share, row in zip(
        SHARES,
        (
            (95.99, 0.0341, 95.99, 0.0257),
            (95.99, 0.067, 95.99, 0.0507),
            (95.85, 0.0985, 95.85, 0.0751),
            (95.57, 0.1276, 95.57, 0.0988),
            (95.57, 0.1558, 95.71, 0.1232),
            (95.85, 0.1824, 95.99, 0.1478),
            (95.85, 0.2082, 96.14, 0.1734),
            (94.56, 0.2332, 95.28, 0.2003),
            (94.42, 0.2567, 94.56, 0.2273),
        ),
        strict=True,
    )
}
TENTH, POINT = 0.1, 0.01  # "the same" of a measure and of an accuracy; the sizes are ours
HALVES = {
    tuple(LARGEST): "half of the largest detail",
    tuple(UNIVERSAL): "half of the universal threshold",
}
BETTER = {"VD": 1, "RP": 1, "RK": -1, "CP": 1, "CK": -1}  # more is more distortion, or less


def claims(found: Outcomes) -> list[Claim]:
    """Every sentence that was put to the test, in order."""
    return [
        *_measures(found),
        *_accuracies(found),
        *_times(found),
        *_distorted(found),
        *_parameters(found),
    ]


def _mean(found: Outcomes, figure: str, who: str, measure: str) -> float:
    return found.summary(figure, who, None, measure)[0]


def _near(ours: float, theirs: float) -> bool:
    return abs(ours - theirs) <= TENTH * abs(theirs)


def _measures(found: Outcomes) -> Iterator[Claim]:
    orders = {"RP": "RP of orders", "CP": "CP of orders"}
    for text, printed, who, names in (
        ("SVD, as defined", SVD, SVD, {}),
        ("SVD, RP and CP of orders", SVD, SVD, orders),
        ("wavelet (S), as described", "wavelet (S)", "wavelet (S)", {}),
        *(
            (f"wavelet ({one}), orders, universal threshold{what}", f"wavelet ({one})",
             f"wavelet ({other}), universal", orders)
            for one, other, what in (
                ("S", "S", ""),
                ("VP", "VP", ""),
                ("HP", "HP", ""),
                ("VP", "HP", ", cut the other way"),
                ("HP", "VP", ", cut the other way"),
            )
        ),
    ):  # fmt: skip
        ours = {
            (name, measure): _mean(found, TABLES[name], who, names.get(measure, measure))
            for name in PRINTED
            for measure in BETTER
        }
        theirs = {
            (name, measure): getattr(PRINTED[name][printed], measure) for name, measure in ours
        }
        yield judged(
            "tables 3.1, 3.2",
            f"the five measures (to a tenth): {text}",
            _both(theirs),
            _both(ours),
            (_near(ours[cell], theirs[cell]) for cell in ours),
        )
    who, values = _nearest_reading(found)
    yield judged(
        "tables 3.1, 3.2",
        f"VD of wavelet (S) (to a tenth), nearest of {len(READINGS)} readings: {who}",
        "0.2557; 0.000843",
        "; ".join(f"{value:.4g}" for value in values.values()),
        (_near(value, PRINTED[name]["wavelet (S)"].VD) for name, value in values.items()),
    )


def _nearest_reading(found: Outcomes) -> tuple[str, dict[str, float]]:
    """The reading whose two VD come nearest to the printed ones, as ratios."""

    def values(who: str) -> dict[str, float]:
        return {name: _mean(found, "readings", who, f"VD of {name}") for name in PRINTED}

    def off(who: str) -> float:
        # The least VD keeps a reading that moves nothing out of the logarithm.
        pairs = ((max(v, 1e-12), PRINTED[n]["wavelet (S)"].VD) for n, v in values(who).items())
        return sum(abs(log(ours / theirs)) for ours, theirs in pairs)

    best = min(READINGS, key=off)
    return best, values(best)


def _both(values: dict[tuple[str, str], float]) -> str:
    """WBC; WDBC."""
    return "; ".join(
        ", ".join(f"{measure} {value:.4g}" for (n, measure), value in values.items() if n == name)
        for name in PRINTED
    )


def _accuracies(found: Outcomes) -> Iterator[Claim]:
    for measure in (ACCURACY, UNIT):
        for who, how in HALVES.items():
            scores = {
                name: [_mean(found, TABLES[name], one, measure) for one in who] for name in PRINTED
            }
            frame = {name: _mean(found, TABLES[name], ORIGINAL, measure) for name in PRINTED}
            columns = "" if measure == ACCURACY else ", columns of unit variance"
            yield judged(
                "tables 3.1, 3.2",
                f"wavelets are as accurate as the original (to a point), {how}{columns}",
                "95.6 to 96.1 for 96.0; 85.4 for 85.4" if measure == ACCURACY else BEYOND,
                "; ".join(
                    f"{name}: {_span(scores[name])} for {percent(frame[name])}" for name in PRINTED
                ),
                (less(frame[n] - score, POINT) for n in PRINTED for score in scores[n]),
            )
    for who, how in HALVES.items():
        alike = {name: [_mean(found, TABLES[name], w, ACCURACY) for w in who] for name in PRINTED}
        yield judged(
            "tables 3.1, 3.2",
            f"S, VP and HP are alike in accuracy (to a point), {how}",
            "95.6 to 96.1; 85.4",
            "; ".join(f"{name}: {_span(values)}" for name, values in alike.items()),
            (less(max(values) - min(values), POINT) for values in alike.values()),
        )


def _span(scores: Iterable[float]) -> str:
    ordered = sorted(scores)
    return f"{percent(ordered[0])} to {percent(ordered[-1])}"


def _times(found: Outcomes) -> Iterator[Claim]:
    def best(name: str, who: str) -> float:
        values = found.values(TABLES[name], who, None, SECONDS)
        return float(values.min()) if len(values) else float("nan")

    for rival, what in ((SVD, "ours, through the Gram matrix"), *((p, p[5:]) for p in PLAIN)):
        yield judged(
            "tables 3.1, 3.2",
            f"wavelets are faster than the SVD: {what}",
            "31 to 64 ms for 79; 52 to 93 ms for 139",
            "; ".join(
                f"{name}: {1e3 * min(best(name, w) for w in LARGEST):.2f} to "
                f"{1e3 * max(best(name, w) for w in LARGEST):.2f} ms for "
                f"{1e3 * best(name, rival):.2f}"
                for name in PRINTED
            ),
            (less(best(name, who), best(name, rival)) for name in PRINTED for who in LARGEST),
        )


def _distorted(found: Outcomes) -> Iterator[Claim]:
    for whose, how in HALVES.items():
        wins = []
        for name in PRINTED:
            for who in whose:
                signs = (
                    sign
                    * (
                        _mean(found, TABLES[name], who, measure)
                        - _mean(found, TABLES[name], SVD, measure)
                    )
                    for measure, sign in BETTER.items()
                )
                wins.append(sum(gain > 0 for gain in signs))
        yield judged(
            "tables 3.1, 3.2",
            f"wavelets distort more than the SVD by most of the five measures, {how}",
            '"better privacy level"',
            f"by {min(wins)} to {max(wins)} of 5",
            (won >= 3 for won in wins),
        )


def _parameters(found: Outcomes) -> Iterator[Claim]:
    svds = [who for who in PARAMETERS if who.startswith(SVD)]
    waves = [who for who in PARAMETERS if who not in svds]
    smooth = [who.replace("wavelet", "universal") for who in waves]
    for family, printed_as, which in (
        ("SVD", svds, svds),
        ("wavelet, shares of the largest detail", waves, waves),
        ("wavelet, shares of the universal threshold", waves, smooth),
    ):
        for norm in ("VD", "VD, spectral"):
            ours = [_mean(found, "table 3.3", who, norm) for who in which]
            theirs = [PARAMETERS[who][1] for who in printed_as]
            yield judged(
                "table 3.3",
                f"VD (to a tenth){norm.removeprefix('VD')}: {family}",
                f"{theirs[0]:.4g} to {theirs[-1]:.4g}",
                f"{ours[0]:.4g} to {ours[-1]:.4g}",
                (_near(a, b) for a, b in zip(ours, theirs, strict=True)),
            )
        original = _mean(found, "table 3.1", ORIGINAL, ACCURACY)
        for suffix, how, place in (("", "without", 0), (WITH, "with", 2)):
            scores = [_mean(found, "table 3.3", who + suffix, ACCURACY) for who in which]
            printed = [PARAMETERS[who][place] for who in printed_as]
            yield judged(
                "table 3.3",
                f"accuracy near the original's (to a point), {how} statistics: {family}",
                f"{min(printed):.1f} to {max(printed):.1f}",
                f"{_span(scores)} for {percent(original)}",
                (less(original - score, POINT) for score in scores),
            )
    off = [_mean(found, "table 3.3", who + WITH, "statistics off by") for who in PARAMETERS]
    yield judged(
        "3.3.1",
        "normalisation keeps every mean and deviation (to 1e-9)",
        "theorem",
        f"off by at most {max(off):.1e}",
        (less(value, 1e-9) for value in off),
    )
