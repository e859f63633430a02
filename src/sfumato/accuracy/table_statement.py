"""What may be said of a whole column or a table of two columns: each count, and all together."""

from collections.abc import Mapping
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.as_read import told
from sfumato.accuracy.extreme import together
from sfumato.accuracy.law import share
from sfumato.accuracy.noisy import Noisy, shared
from sfumato.accuracy.people_words import once
from sfumato.accuracy.published import Published
from sfumato.accuracy.statement import Answer, percent
from sfumato.accuracy.two_way import TwoWay
from sfumato.privacy.guarantee import Number

__all__ = ["about_column", "about_pair", "columns", "reaches"]

Counts = NDArray[np.float64]


def reaches(cells: Mapping[str, Noisy], confidence: Number) -> tuple[float, float]:
    """What every one of these numbers is within by itself, and all of them at once.

    >>> from fractions import Fraction
    >>> from sfumato.accuracy.noisy import Entries
    >>> entries = Entries(np.array([40, 70, 12]), "laplace", Fraction(5))
    >>> reaches({str(k): entries.total([k], Fraction(1)) for k in range(3)}, "0.95")
    (15.0, 20.0)
    """
    noisy = [cell for cell in cells.values() if not cell.public]
    if not noisy:
        return 0.0, 0.0
    independent = not shared(noisy)
    chance = 1 - share("confidence", confidence)
    if not all(cell.entries.independent for cell in noisy):
        together_each = chance / len(noisy)
        return (
            max(cell.reach(chance) for cell in noisy),
            max(cell.reach(together_each) for cell in noisy),
        )
    laws = {cell.law for cell in noisy}
    return (
        max(law.two_sided(chance) for law in laws),
        max(together(law, len(noisy), confidence, independent=independent) for law in laws),
    )


def about_column(found: Published, column: str, confidence: Number) -> Answer:
    """Every count of a column."""
    level = share("confidence", confidence)
    cells = {value: found.count(column, [value]) for value in found.cells(column)}
    each, every = reaches(cells, level)
    listed = [_interval(value, noisy, level) for value, noisy in cells.items()]
    said = (
        f"{column}: each of {len(cells):,} counts{_of(found, column)} is within {ceil(each):,} of "
        f"the truth, as read, by itself, all of them together within {ceil(every):,}, with "
        f"confidence {percent(level)}."
    )
    figures = {"confidence": float(level), "each within": each, "all within": every}
    sentences = (said, *told(found.certificate, found.fit, column))
    return Answer(column, sentences, figures | {"counts": listed})


def about_pair(found: Published, first: str, second: str, confidence: Number) -> Answer:
    """Every cell of a table of two columns, summed over the classes of a label and within them."""
    level, table = share("confidence", confidence), found.pair(first, second)
    figures: dict[str, Any] = {
        "columns": list(table.columns),
        "values": [list(values) for values in table.values],
        "confidence": float(level),
    }
    figures |= _cells(table, table.counts, level, by_class=False)
    each, every = figures["each within"], figures["all within"]
    said = [
        f"{first} by {second}: each of {table.cells:,} cells{_of(found, first, second)} is within "
        f"{ceil(each):,} of the truth, as read, by itself, all of them together within "
        f"{ceil(every):,}, with confidence {percent(level)}.",
        *told(found.certificate, found.fit, first, second),
    ]
    if len(table.classes) > 1:
        within = {
            name: _cells(table, counts, level, by_class=True)
            for name, counts in zip(table.classes, table.by_class, strict=True)
        }
        figures["by class"] = within
        inside = within[table.classes[0]]
        said.append(
            f"Within one class ({', '.join(table.classes)}) each cell is within "
            f"{ceil(inside['each within']):,}, all cells of all classes together within "
            f"{ceil(inside['all within']):,}."
        )
    return Answer(f"{first} by {second}", tuple(said), figures)


def columns(found: Published, confidence: Number) -> list[Answer]:
    """What each column may be off by, the widest first."""
    answers = []
    for column, known in found.counts.items():
        cells = {value: found.count(column, [value]) for value in known}
        each, every = reaches(cells, confidence)
        said = (
            f"{column}: each of {len(cells):,} counts{_of(found, column)} is within {ceil(each):,} "
            "of the truth, as read."
        )
        figures: dict[str, Any] = {"values": len(cells), "each within": each, "all within": every}
        if column in found.numbers:
            mean, (low, high) = found.numbers[column].mean(confidence)
            figures["mean"] = {"value": mean, "low": low, "high": high}
        sentences = (said, *told(found.certificate, found.fit, column))
        answers.append(Answer(column, sentences, figures))
    return sorted(answers, key=lambda answer: -float(answer.figures["each within"]))


def _of(found: Published, *columns: str) -> str:
    """What is counted, where it is not records."""
    counted = found.counted(*columns)
    return "" if counted == "records" else f" of {counted}{once(found, *columns)}"


def _interval(value: str, noisy: Noisy, level: Number) -> dict[str, Any]:
    low, high = noisy.interval(level)
    return {"value": value, "noisy": noisy.value, "low": low, "high": high}


def _cells(table: TwoWay, counts: Counts, level: Number, *, by_class: bool) -> dict[str, Any]:
    """Noisy counts with their intervals, cut to what is possible."""
    each, every = (table.reach(level, all_cells=many, by_class=by_class) for many in (False, True))
    most = np.inf if table.rows is None else float(table.rows)
    low, high = counts - each, counts + each
    if table.whole:
        low, high = np.ceil(low), np.floor(high)
    return {
        "each within": each,
        "all within": every,
        "noisy": counts.tolist(),
        "low": np.clip(low, 0, most).tolist(),
        "high": np.clip(high, 0, most).tolist(),
    }
