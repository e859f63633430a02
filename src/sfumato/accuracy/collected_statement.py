"""Plain sentences about answers that records gave by themselves, with the numbers in them.

Every sentence holds with the stated confidence over the randomness of the answers, whatever the
records are.  Where two counts are compared, each has half of the chance of error.
"""

from collections.abc import Sequence
from math import ceil, floor
from typing import Any

import numpy as np

from sfumato.accuracy.bins import moment_text
from sfumato.accuracy.collected import Collected
from sfumato.accuracy.law import share
from sfumato.accuracy.spelling import at_least, at_most, spelt
from sfumato.accuracy.statement import Answer, mean_answer, percent
from sfumato.errors import ParameterError
from sfumato.privacy.answer import DirectResponse
from sfumato.privacy.guarantee import Number
from sfumato.schema import Date
from sfumato.schema.domain import step_of

__all__ = [
    "about_column",
    "about_count",
    "about_difference",
    "about_extreme",
    "about_mean",
    "mean_in_words",
    "overview",
]


def about_count(
    found: Collected,
    column: str,
    values: Sequence[str],
    confidence: Number,
    *,
    thesis: bool = False,
) -> Answer:
    """How many records have one of these values in a column."""
    _no_thesis(thesis)
    level, seen = share("confidence", confidence), found.count(column, values)
    low, high = seen.interval(level)
    question = f"{column} is {' or '.join(values)}"
    direct = isinstance(found.tally(column).question.response, DirectResponse)
    sentences = (
        f"{question}: {spelt(round(seen.value))} of {found.records:,} records by their answers, "
        "right on average.",
        f"With confidence {percent(level)} the truth, as read, lies between {low:,} and {high:,}.",
        f"{'Those who have it answer so' if direct else 'A bit of theirs says so'} with "
        f"probability {seen.own:.4g}, the others with {seen.other:.4g}.",
    )
    records = max(found.records, 1)
    figures = {
        "value": seen.value,
        "low": low,
        "high": high,
        "share": seen.value / records,
        "share between": [low / records, high / records],
        "deviation": seen.deviation,
        "confidence": float(level),
    }
    return Answer(question, sentences, figures)


def about_mean(found: Collected, column: str, confidence: Number) -> Answer:
    """The mean of a number over all records that have it."""
    level = share("confidence", confidence)
    value, (low, high) = found.mean(column, level)
    mean, least, most = mean_in_words(found, column, value, low, high)
    told = f"{mean} by the noisy answers, cut back to the range", least, most
    return mean_answer(column, level, (value, low, high), told)


def about_difference(
    found: Collected,
    column: str,
    first: Sequence[str],
    second: Sequence[str],
    confidence: Number,
    *,
    thesis: bool = False,
) -> Answer:
    """Whether the records of the first values are more than those of the second."""
    _no_thesis(thesis)
    level = share("confidence", confidence)
    each = 1 - (1 - level) / 2
    one, other = (found.count(column, values) for values in (first, second))
    low = one.lower_bound(each) - other.upper_bound(each)
    question = f"{column}: is {' or '.join(first)} more than {' or '.join(second)}?"
    verdict = "so it is" if low > 0 else "so that cannot be told"
    sentences = (
        f"{question} By {spelt(round(one.value - other.value))} as the answers show it.",
        f"With confidence {percent(level)} the true difference, as read, is {at_least(low)} or "
        f"more, {verdict}.",
    )
    figures = {
        "difference": one.value - other.value,
        "lower bound": low,
        "confidence": float(level),
    }
    return Answer(question, sentences, figures)


def about_extreme(
    found: Collected, column: str, confidence: Number, *, largest: bool = True
) -> Answer:
    """The most (or least) frequent value of a column: how frequent it is, and which it is."""
    level, names = share("confidence", confidence), list(found.tally(column).given)
    each = 1 - (1 - level) / len(names)
    ends = [found.count(column, [name]).interval(each) for name in names]
    pick = max if largest else min
    low, high = (pick(end[side] for end in ends) for side in (0, 1))
    # The one that surely is ahead of all others, if there is one.
    ahead = [
        name
        for name, (least, most) in zip(names, ends, strict=True)
        if all(
            (least > o[1] if largest else most < o[0])
            for n, o in zip(names, ends, strict=True)
            if n != name
        )
    ]
    question = f"{'largest' if largest else 'smallest'} count of {column}"
    error = f"with a chance of error of {percent(1 - level)} at most"
    sentences = (
        f"{question}: as read, it lies between {low:,} and {high:,} with confidence "
        f"{percent(level)}.",
        f"It is that of {ahead[0]}, {error}." if ahead else f"Whose it is cannot be told {error}.",
    )
    figures = {
        "low": low,
        "high": high,
        "confidence": float(level),
        "declared": ahead[0] if ahead else None,
    }
    return Answer(question, sentences, figures)


def about_column(found: Collected, column: str, confidence: Number) -> Answer:
    """Every count of a column, by itself and all together."""
    level, names = share("confidence", confidence), list(found.tally(column).given)
    each, together = (
        [found.count(column, [name]).interval(at) for name in names]
        for at in (level, 1 - (1 - level) / len(names))
    )
    listed: list[dict[str, Any]] = [
        {"value": name, "noisy": found.count(column, [name]).value, "low": low, "high": high}
        for name, (low, high) in zip(names, each, strict=True)
    ]
    for cell, (low, high) in zip(listed, together, strict=True):
        cell["together"] = [low, high]
    said = (
        f"{column}: each of {len(names):,} counts lies in its interval with confidence "
        f"{percent(level)} by itself; wider ones that hold for all at once: --json."
    )
    return Answer(column, (said,), {"confidence": float(level), "counts": listed})


def overview(found: Collected, confidence: Number, *, thesis: bool = False) -> list[Answer]:
    """Every mean and every count, in the order of the schema."""
    return [
        *(about_mean(found, column, confidence) for column in found.numbers),
        *(
            about_count(found, column, [value], confidence, thesis=thesis)
            for column, tally in found.tallies.items()
            for value in tally.given
        ),
    ]


def _no_thesis(thesis: bool) -> None:
    if thesis:
        raise ParameterError(
            "Liu's bounds are about noise that was added to counts: leave out --thesis"
        )


def mean_in_words(
    found: Collected, column: str, value: float, low: float, high: float
) -> tuple[str, str, str]:
    """A mean and what it lies between, for people; those of dates as dates."""
    asked = found.numbers[column].question.grid.column
    if not isinstance(asked, Date):
        return spelt(value), at_least(low), at_most(high)
    (start,) = step_of(np.array([asked.low], "datetime64[s]"), asked.step)
    whole = round(value), floor(low), ceil(high)
    mean, least, most = (moment_text(asked, float(start) + step) for step in whole)
    return mean, least, most
