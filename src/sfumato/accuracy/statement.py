"""Plain sentences about a release, with the numbers in them.

Every sentence about the truth holds with the stated confidence over the noise of the release,
whatever the data are.  What needs a prior says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, inf
from typing import Any

import numpy as np

from sfumato.accuracy.as_read import told as told_changes
from sfumato.accuracy.comparison import Comparison
from sfumato.accuracy.extreme import MOST, declared, flat_prior_largest, maximum, minimum
from sfumato.accuracy.law import share
from sfumato.accuracy.noisy import Noisy, shared
from sfumato.accuracy.people_words import once
from sfumato.accuracy.published import BITS, KEY, Published
from sfumato.accuracy.series import Series
from sfumato.accuracy.spelling import at_least, at_most, spelt
from sfumato.accuracy.thesis import claimed_difference, sum_bound
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number

__all__ = [
    "Answer",
    "about_count",
    "about_difference",
    "about_extreme",
    "about_mean",
    "mean_answer",
    "overview",
    "percent",
]

_MOST_CHANCES = 5  # values whose probability is worth a word
_MOST_EDGES = 1_000
_MOST_COMPARED = 100_000
_NEARLY = 0.9999
_ON_GRID = (
    "The truth here is the weights as they were read: each to the nearest step of the grid, and "
    "cut to the declared range."
)


@dataclass(frozen=True)
class Answer:
    """Sentences for a person, figures for a program."""

    question: str
    sentences: tuple[str, ...]
    figures: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Question, figures and sentences."""
        return {"question": self.question, **self.figures, "in words": " ".join(self.sentences)}


def about_count(
    found: Published,
    column: str,
    values: Sequence[str],
    confidence: Number,
    *,
    thesis: bool = False,
) -> Answer:
    """How many records have one of these values in a column, or what such edges weigh."""
    question = _asked(found, column, values)
    plain = found.plain(column, values) if thesis else None
    return _about(question, found.count(column, values), found, confidence, plain, column)


def _about(
    question: str,
    noisy: Noisy,
    found: Published,
    confidence: Number,
    plain: Noisy | None,
    *columns: str,
) -> Answer:
    level = share("confidence", confidence)
    what, by = _words(found, *columns)
    if noisy.public:
        said = f"{question}: {spelt(noisy.value)} {what}, without noise: that number is public."
        exact = dict.fromkeys(("value", "low", "high"), noisy.value)
        return Answer(question, (said,), exact | {"noises": 0})
    low, high = noisy.interval(level)
    reach = noisy.law.two_sided(1 - level) if found.series is None else noisy.reach(1 - level)
    sentences = [
        f"{question}: {spelt(noisy.value)} {what}{once(found, *columns)} by the noisy {by}.",
        f"With confidence {percent(level)} the truth, as read, lies between {at_least(low)} and "
        f"{at_most(high)}.",
        *told_changes(found.certificate, found.fit, *columns),
        f"The noise ({_noises(noisy)}) is at most {at_most(reach)} with probability "
        f"{percent(level)}: a ({at_most(reach)}, {spelt(float(1 - level))})-useful approximation.",
        *_corrected(found, noisy),
        *_changed(noisy),
        *((_ON_GRID,) if found.edges is not None else ()),
    ]
    figures: dict[str, Any] = {
        "value": noisy.value,
        "low": low,
        "high": high,
        "confidence": float(level),
        "sigma": reach,
        "lambda": float(1 - level),
        "noises": noisy.noises,
        "clipped": noisy.clipped,
    }
    if plain is not None:
        bound = _thesis_bound(plain, float(1 - level))
        figures["thesis"] = bound
        sentences.append(
            f"Liu 2015, theorem 7.3.3, is about {_published(plain)}."
            if bound is None
            else f"Liu 2015, theorem 7.3.3, has {spelt(bound)} in place of the exact "
            f"{spelt(plain.law.two_sided(1 - level))} for the noise of the {by} as released."
        )
    return Answer(question, tuple(sentences), figures)


def about_mean(found: Published, column: str, confidence: Number) -> Answer:
    """The mean of a number over all records that have it."""
    level = share("confidence", confidence)
    value, (low, high) = found.number(column).mean(level)
    by = "sum" if found.tables is None else "counts"
    weighed = once(found, column).rstrip(",")
    told = f"{spelt(value)} by the noisy {by}{weighed}", at_least(low), at_most(high)
    more = told_changes(found.certificate, found.fit, column)
    return mean_answer(column, level, (value, low, high), told, more)


def mean_answer(
    column: str,
    level: Fraction,
    figures: tuple[float, float, float],
    told: tuple[str, str, str],
    changed: tuple[str, ...] = (),
) -> Answer:
    """A mean and the ends of its interval, as numbers and as a person reads them."""
    sentence = (
        f"mean of {column}: {told[0]}. With confidence {percent(level)} the mean of the values as "
        f"read lies between {told[1]} and {told[2]}."
    )
    named = dict(zip(("value", "low", "high"), figures, strict=True))
    return Answer(f"mean of {column}", (sentence, *changed), {**named, "confidence": float(level)})


def about_difference(
    found: Published,
    column: str,
    first: Sequence[str],
    second: Sequence[str],
    confidence: Number,
    *,
    thesis: bool = False,
) -> Answer:
    """Whether the records (or weights) of the first values are more than those of the second."""
    noisy, level = found.difference(column, first, second), share("confidence", confidence)
    more = "more" if found.edges is None else "heavier"
    question = f"{column}: is {' or '.join(first)} {more} than {' or '.join(second)}?"
    if noisy.public:
        said = f"{question} The difference is {spelt(noisy.value)}, without noise."
        return Answer(question, (said,), {"difference": noisy.value, "lower bound": noisy.value})
    low = noisy.lower_bound(level)
    verdict = "so it is" if low > 0 else "so that cannot be told"
    sentences = [
        f"{question} By {spelt(noisy.value)}{_of_persons(found, column)} as the release shows it.",
        f"With confidence {percent(level)} the true difference, as read, is {at_least(low)} or "
        f"more, {verdict}.",
        *told_changes(found.certificate, found.fit, column),
        *((_ON_GRID,) if found.edges is not None else ()),
    ]
    figures: dict[str, Any] = {
        "difference": noisy.value,
        "lower bound": low,
        "confidence": float(level),
        "clipped": noisy.clipped,
    }
    if noisy.clipped:
        return Answer(question, (*sentences, *_changed(noisy)), figures)
    seen, exact = Comparison(noisy.exactly, noisy.law), noisy.entries.exact
    # Less noise than that of the law shows a difference below 0 more often, not less.
    p = seen.p_value if exact or noisy.exactly > 0 else 1.0
    figures["p-value"] = p
    sentences.append(
        f"If it were not, noise would show so large a difference with probability {p:.2g} at most: "
        "the p-value."
    )
    if exact:
        figures["probability with a flat prior"] = seen.flat_prior_larger
        sentences.append(
            f"With a flat prior, all differences equally likely beforehand, it is with probability "
            f"{_chance(seen.flat_prior_larger)}; another prior gives another number."
        )
    simple = noisy.entries.kind == "laplace" and noisy.entries.often == 1
    if thesis and simple and noisy.entries.independent:
        one, other = found.plain(column, first), found.plain(column, second)
        scale = float(one.size * one.step)
        claimed = claimed_difference(one.value - other.value, one.noises + other.noises, scale)
        figures["thesis"] = claimed
        sentences.append(
            f"Liu 2015, theorem 7.2.4, has a probability of at least {_chance(claimed)}, which is "
            "true with a flat prior only."
        )
    return Answer(question, tuple(sentences), figures)


def about_extreme(
    found: Published, column: str, confidence: Number, *, largest: bool = True
) -> Answer:
    """The largest (or smallest) count of a column: how large it is, and whose it is."""
    if found.edges is not None:
        raise ParameterError(
            "there is no maximum or minimum of weights: those at a bound are known only to "
            "lie there or beyond"
        )
    cells, level = found.cells(column), share("confidence", confidence)
    if len(cells) > (MOST if found.series or _mixed(found) else _MOST_COMPARED):
        raise ParameterError(
            f"{column} has {len(cells):,} counts, too many to compare each with all: ask for "
            "those that matter as a difference (--greater)"
        )
    names, noisy = list(cells), list(cells.values())
    if len(noisy) < 2:
        raise ParameterError(f"column {column} has a single value: there is nothing to compare")
    laws = [cell.law for cell in noisy]
    changed = sum(cell.clipped > 0 for cell in noisy)
    if changed:
        raise ParameterError(
            f"{changed:,} of the {len(noisy):,} counts of {column} are made of figures that were "
            "cut back or are the largest so far, so there is no largest or smallest among them"
        )
    independent = not shared(noisy)
    bounds = maximum if largest else minimum
    exactly = [cell.exactly for cell in noisy]
    ends = bounds(exactly, laws, level, independent=independent)
    between = (ceil(ends.low), floor(ends.high)) if noisy[0].whole else (ends.low, ends.high)
    low, high = (noisy[0].possible(Fraction(end)) for end in between)
    turned = exactly if largest else [-value for value in exactly]
    apart = None if independent else lambda i, j: (noisy[i] - noisy[j]).law
    winner = declared(turned, laws, 1 - level, apart)
    question = f"{'largest' if largest else 'smallest'} count of {column}"
    counted = _of_persons(found, column)
    error = f"with a chance of error of {percent(1 - level)} at most"
    sentences = [
        f"{question}: as read, it lies between {at_least(low)} and {at_most(high)}{counted} with "
        f"confidence {percent(level)}.",
        *told_changes(found.certificate, found.fit, column),
        f"Whose it is cannot be told {error}."
        if winner is None
        else f"It is that of {names[winner]}, {error}.",
    ]
    figures: dict[str, Any] = {
        "low": low,
        "high": high,
        "confidence": float(level),
        "declared": None if winner is None else names[winner],
    }
    if independent and len(noisy) <= MOST:
        chances = flat_prior_largest(turned, laws).tolist()
        ranked = sorted(zip(chances, names, strict=True), reverse=True)
        figures["probability with a flat prior"] = {name: chance for chance, name in ranked}
        told = ", ".join(f"{name} {_chance(chance)}" for chance, name in ranked[:_MOST_CHANCES])
        sentences.append(
            f"With a flat prior, all counts equally likely beforehand, its probability is: {told}."
        )
    return Answer(question, tuple(sentences), figures)


def overview(found: Published, confidence: Number, *, thesis: bool = False) -> list[Answer]:
    """Every published count or weight, the widest relative error first.

    Of a large network or of many keys, the thousand smallest: all have the same noise.  Of a
    stream, up to a thousand counts in the order of time, evenly apart.
    """
    if found.edges is not None:
        edges = found.edges
        smallest = np.argsort(edges.entries.values, kind="stable")[:_MOST_EDGES]
        answers = [
            _about(
                f"{edges.source[i]} – {edges.target[i]}",
                edges.edge(i),
                found,
                confidence,
                plain=edges.edge(i) if thesis else None,
            )
            for i in smallest.tolist()
        ]
    elif found.series is not None:
        return _over_time(found, found.series, confidence)
    else:
        most = {} if found.keys is None else {KEY: found.keys.smallest[:_MOST_EDGES]}
        answers = [
            about_count(found, column, [value], confidence, thesis=thesis)
            for column, cells in found.counts.items()
            for value in most.get(column, cells)
        ]
    return sorted(answers, key=_relative, reverse=True)


def _over_time(found: Published, series: Series, confidence: Number) -> list[Answer]:
    rows = np.linspace(0, len(series.entries.times) - 1, _MOST_EDGES).astype(int)
    return [
        _about(f"{BITS} 1 to {series.entries.times[row]}", series.at(row), found, confidence, None)
        for row in np.unique(rows).tolist()
    ]


def _relative(answer: Answer) -> float:
    reach, value = answer.figures.get("sigma", 0.0), answer.figures["value"]
    return float(reach / value) if value > 0 else inf


def percent(level: Fraction) -> str:
    """A confidence as a person reads it."""
    return f"{float(100 * level):.6g} %"


def _chance(probability: float) -> str:
    if probability > _NEARLY:
        return f"above {_NEARLY}"
    return f"{probability:.4g}" if probability >= 1 - _NEARLY else f"below {1 - _NEARLY:.4f}"


def _noises(noisy: Noisy) -> str:
    figure = "scale" if noisy.entries.kind == "laplace" else "variance"
    number = "one value" if noisy.noises == 1 else f"{noisy.noises:,} values"
    number = number if noisy.entries.exact else f"at most {number}"
    law = f"discrete {noisy.entries.kind.capitalize()} of {figure}"
    sizes = " and ".join(spelt(float(size)) for size in noisy.entries.sizes(noisy))
    often = noisy.entries.often
    more = "" if often == 1 else f", {spelt(float(often))} times: the shares of several parties"
    return f"of {number}, {law} {sizes}{more}"


def _corrected(found: Published, noisy: Noisy) -> list[str]:
    if found.edges is not None or found.total is None or not noisy.constant:
        return []
    whole = "records" if found.counted() == "records" else "persons"
    return [
        f"It uses that all values together are {spelt(found.total.value)} {whole}, which is public."
    ]


def _changed(noisy: Noisy) -> list[str]:
    said = noisy.entries.caution(noisy)
    return [said] if said else []


def _asked(found: Published, column: str, values: Sequence[str]) -> str:
    either = " or ".join(values)
    return f"{column} {either}" if found.series is not None else f"{column} is {either}"


def _of_persons(found: Published, column: str) -> str:
    """What is counted, where it is not records."""
    of = found.counted(column)
    return "" if of == "records" else f" {of}{once(found, column)}"


def _mixed(found: Published) -> bool:
    """Whether counts under keys share noise."""
    return found.keys is not None and not found.keys.entries.independent


def _words(found: Published, *columns: str) -> tuple[str, str]:
    """What is counted, and what the noise is on."""
    if found.edges is not None:
        return "in total", "weights"
    return (found.counted(*columns) if found.series is None else "ones"), "counts"


def _published(plain: Noisy) -> str:
    if plain.entries.independent:
        return "Laplace noise only"
    return "figures that have a Laplace noise of their own each, which these have not"


def _thesis_bound(plain: Noisy, chance: float) -> float | None:
    entries = plain.entries
    simple = entries.kind == "laplace" and entries.independent and entries.often == 1
    if not simple or plain.public:
        return None
    return sum_bound(plain.noises, chance, float(plain.size * plain.step))
