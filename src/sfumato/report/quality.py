"""One headline of quality, from the law of the noise alone: a figure, and what it is good for.

It is the error of the widest line, so that everything else is nearer.  What noise allows is said
in words of three sorts, by that error: as a share of all records, or of a range.  Where counts and
means are of different sorts, both are said.

>>> from sfumato.report.precision import Line
>>> one = Precision((Line("ward", "4 counts", "each within ± 150 records", 0.03),))
>>> found = headline(one)
>>> found.figure, found.words
('± 3 points', 'Rough: differences of several points can be told, smaller ones and rare values \
cannot')
>>> found.detail
'is how far any one value or bin of a column may be off, at 95 % confidence each'
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.accuracy.spelling import roughly
from sfumato.report.precision import BEYOND, CONFIDENCE, PERSONS, Line, Precision

__all__ = ["Headline", "headline", "unmeasured"]

_SHARP, _ROUGH = 0.01, 0.05
_WORDS = (
    "Sharp: differences of a few points can be told",
    "Rough: differences of several points can be told, smaller ones and rare values cannot",
    "Mostly noise: only what is very frequent can be told from what is not",
)
_OTHER = (
    "Sharp: the error is at most a hundredth",
    "Rough: the error is at most a twentieth",
    "Mostly noise, or nearly: the error is more than a twentieth",
)
_MEANS = (
    "sharp: off by a hundredth of their range at most",
    "rough: off by a twentieth of their range at most",
    "mostly noise, or nearly: off by more than a twentieth of their range at worst",
)
_SURE = f"at {float(100 * CONFIDENCE):g} % confidence each"


@dataclass(frozen=True)
class Headline:
    """A figure, what it is, and what may be done with it."""

    figure: str
    detail: str
    words: str


def headline(found: Precision) -> Headline | None:
    """The headline; None where the law of the noise says nothing by itself."""
    if not found.lines:
        return None
    shares = [line for line in found.lines if line.whole in ("of all records", PERSONS)]
    means = [line for line in found.lines if line.whole == "of the range"]
    worst = found.lines[0]
    if worst.between.startswith("within ±"):  # figures of a series, the widest first
        figure, share = worst.between.removeprefix("within "), worst.share.removeprefix("± ")
        detail = f"is how far any figure of the series may be off at most, {_SURE}"
        return Headline(figure, detail, f"At its widest, {worst.what}, that is {share}")
    if worst.what == "any one count":
        return Headline(
            worst.between.removeprefix("each within "),
            f"is how far any one count may be off, {_SURE}: {worst.relative}",
            f"{_sort(worst.off, _OTHER)} of all records",
        )
    if not shares:
        what = "any one mean" if means else worst.what
        detail = f"{worst.whole} is how far {what} may be off at most, {_SURE}"
        words = f"{_sort(worst.off, _OTHER)} {worst.whole}"
        return Headline(f"± {roughly(100 * worst.off)} %", detail, words)
    cells = _pairs(found)
    more = [f", ± {_points(cells)} any cell of two columns"] if cells else []
    more += [f", ± {roughly(100 * means[0].off)} % of its range any one mean"] if means else []
    detail = f"is how far any one value or bin of a column may be off{''.join(more)}, {_SURE}"
    words = _verdict(max(shares[0].off, cells), means)
    return Headline(f"± {_points(shares[0].off)}", detail, words)


def _verdict(counts: float, means: Sequence[Line]) -> str:
    """One word for counts and means where one is true of both; else one for each."""
    said = _sort(counts, _WORDS)
    if means and _sort(counts, _MEANS) != (word := _sort(means[0].off, _MEANS)):
        said = f"Counts are {said[0].lower()}{said[1:]}; means are {word}"
    beyond = sum(line.relative.startswith(BEYOND) for line in means)
    its = "its" if beyond == 1 else "their"
    more = f". {beyond} mean{'s' * (beyond > 1)} may be off by more than {its} own value"
    return f"{said}{more}" if beyond else said


def unmeasured(found: Precision) -> tuple[list[tuple[str, str]], int] | None:
    """Pairs of columns of which there is no table, and how many pairs there are."""
    tables = found.found.tables if found.found else None
    if tables is None:
        return None
    names = [axis.name for axis in tables.domain.axes]
    there = {frozenset(pair) for pair in tables.measured}
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    return [pair for pair in pairs if frozenset(pair) not in there], len(pairs)


def _pairs(found: Precision) -> float:
    """How far a cell of the widest table of two columns may be off, as a share of all records."""
    tables = found.found.tables if found.found else None
    if tables is None or not tables.measured:
        return 0.0
    total = max(tables.total.value, 1.0)
    # With the label each column has a noise of its own; all other tables have the same.
    looked = tables.measured[: len(tables.domain.axes)] + tables.measured[-1:]
    return min(max(tables.pair(*pair).reach(CONFIDENCE) for pair in looked) / total, 1.0)


def _sort(off: float, words: tuple[str, str, str]) -> str:
    return words[(off > _SHARP) + (off > _ROUGH)]


def _points(off: float) -> str:
    return f"{roughly(100 * off)} points"
