"""How a column is spread within each group: shares, with what the true ones lie between.

A group is a value (or bin) of a column that the schema marks `role: group`.  In the noisy table
of the two columns, a group with the value has A records and without it B, of disjoint cells, so

    A / (A + B)   lies between   A₋ / (A₋ + B₊)   and   A₊ / (A₊ + B₋)

where A and B lie in their intervals, each with half of what the confidence leaves.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from sfumato.accuracy.as_read import told
from sfumato.accuracy.law import share
from sfumato.accuracy.noisy import Interval, Noisy
from sfumato.accuracy.published import Published
from sfumato.accuracy.spelling import confidence_of_each
from sfumato.accuracy.statement import Answer, percent
from sfumato.accuracy.two_way import TwoWay
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number
from sfumato.release.certificate import Certificate

__all__ = ["Share", "about_each_group", "about_group", "groups_of", "shares_within"]


class Share(NamedTuple):
    """The part of a group that has a value: by the noisy counts, and what the true one is."""

    group: str
    value: str
    noisy: float
    between: Interval


def groups_of(certificate: Certificate) -> list[str]:
    """The columns by which results are compared, as the schema of a release has them."""
    schema = certificate.public_schema
    found = {} if schema is None else schema.released
    return [name for name, column in found.items() if column.role == "group"]


def shares_within(table: TwoWay, confidence: Number) -> list[Share]:
    """Of a table by group and value: the share of every value within every group."""
    each = 1 - (1 - share("confidence", confidence)) / 2
    found = []
    for group in table.values[0]:
        cells = {value: table.cell(group, value) for value in table.values[1]}
        for value, own in cells.items():
            others = [cell for name, cell in cells.items() if name != value]
            found.append(Share(group, value, *_share(own, others, each)))
    return found


def about_group(found: Published, group: str, column: str, confidence: Number) -> Answer:
    """A column within each value of a group."""
    known = groups_of(found.certificate)
    if group not in known:
        raise ParameterError(
            f"{group} is no group of this release; its schema marks with role: group: "
            f"{', '.join(known) or 'none'}; any two columns: --pair"
        )
    if column == group:
        raise ParameterError(f"{column} is the group itself: ask for another column within it")
    level, table = share("confidence", confidence), found.pair(group, column)
    shares = shares_within(table, level)
    said = (
        f"{column} by {group}: each share of a group, as read, lies between its two ends with "
        f"confidence {percent(level)} by itself; for all {len(shares):,} together ask for "
        f"{confidence_of_each(level, len(shares))}."
    )
    listed: list[dict[str, Any]] = [
        {"group": s.group, "value": s.value, "noisy": s.noisy, "low": s.between[0],
         "high": s.between[1]} for s in shares
    ]  # fmt: skip
    figures = {"confidence": float(level), "columns": [group, column], "shares": listed}
    changed = told(found.certificate, found.fit, group, column)
    return Answer(f"{column} by {group}", (said, *changed), figures)


def about_each_group(found: Published, column: str, confidence: Number) -> list[Answer]:
    """A column within the values of every group that was measured with it; says which were not."""
    groups = [name for name in groups_of(found.certificate) if name != column]
    if not groups:
        raise ParameterError(
            "the schema of this release marks no other column with role: group; any two columns: "
            "--pair"
        )
    answers, missing, why = list[Answer](), list[str](), None
    for group in groups:
        try:
            answers.append(about_group(found, group, column, confidence))
        except ParameterError as error:
            missing.append(group)
            why = why or error
    if not answers and why is not None:
        raise why
    if missing:
        last = answers[-1]
        said = f"No table of {column} was measured with: {', '.join(missing)}."
        answers[-1] = replace(last, sentences=(*last.sentences, said))
    return answers


def _share(own: Noisy, others: Sequence[Noisy], each: Number) -> tuple[float, Interval]:
    if not others:
        return 1.0, (1.0, 1.0)
    rest = reduce(add, others)
    (least, most), (fewest, rest_most) = own.interval(each), rest.interval(each)
    low = least / (least + rest_most) if least > 0 else 0.0
    high = most / (most + fewest) if fewest > 0 else 1.0
    seen, left = max(own.value, 0.0), max(rest.value, 0.0)
    return (seen / (seen + left) if seen + left else 0.0), (low, high)
