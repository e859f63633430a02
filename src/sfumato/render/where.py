"""Which records are asked for, as a person writes it: `sex=f, age=18..30`.

Several values of a category are separated by bars, ranges include both ends and may lack
one, and nothing at all stands for a missing value.  Conditions only choose among draws from
what was already released under noise, so they cost nothing.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "age": {"kind": "integer", "low": 16, "high": 20},
...     "sex": {"kind": "category", "values": ["f", "m"], "missing": "allowed"}}}))
>>> asked = parse_where(domain, "age=18.., sex=f|")
>>> asked
{'age': '18..', 'sex': 'f|'}
>>> {axis: mask.tolist() for axis, mask in where_masks(domain, asked).items()}
{0: [False, False, True, True, True], 1: [True, False, True]}
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Mask
from sfumato.render.decode import code_values
from sfumato.schema import Date
from sfumato.schema.constraint import level
from sfumato.schema.domain import Axis, Domain, Grid, Levels, step_of

__all__ = ["parse_where", "where_masks"]


def parse_where(
    domain: Domain, where: str | Mapping[str, Any] | None, option: str = "where"
) -> dict[str, str]:
    """What is asked of each column, as text, in the order of the schema.

    `option` is what refusals call it.
    """
    if where is None:
        return {}
    names = [axis.name for axis in domain.axes]
    if not isinstance(where, str | Mapping):
        raise ParameterError(f"{option} must be a text such as sex=f, or a mapping by column")
    with _called(option):
        pairs = _pairs(where, names) if isinstance(where, str) else list(where.items())
        asked = {name: _text(value) for name, value in pairs}
        for name in asked:
            if name not in names:
                raise ValueError(f"no column {name} is released: correct its name")
        if len(asked) < len(pairs):
            raise ValueError("a column is named twice: combine its conditions")
    return {name: asked[name] for name in names if name in asked}


def where_masks(domain: Domain, asked: Mapping[str, str], option: str = "where") -> dict[int, Mask]:
    """The codes that fit, as one mask by axis, with missing last."""
    masks = {}
    for k, axis in enumerate(domain.axes):
        if axis.name in asked:
            text = asked[axis.name]
            with _called(option):
                mask = _levels(axis, text) if isinstance(axis, Levels) else _range(axis, text)
                if not mask.any():
                    raise ValueError(
                        f"{axis.name} has no value in {text}: give a range, as in 18..30, "
                        "that overlaps with the one declared"
                    )
            masks[k] = mask
    return masks


@contextmanager
def _called(option: str) -> Iterator[None]:
    """Refusals say which option they are about."""
    try:
        yield
    except ValueError as error:
        raise ParameterError(f"{option}: {error}") from None


def _pairs(text: str, names: list[str]) -> list[tuple[str, str]]:
    """Commas separate conditions; one that no column follows belongs to a value."""
    found: list[tuple[str, str]] = []
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if found and not (equals and name.strip() in names):
            found[-1] = (found[-1][0], f"{found[-1][1]},{part}")
        elif equals:
            found.append((name.strip(), value))
        else:
            raise ValueError(f"write COLUMN=VALUE, not {part.strip()!r}")
    return found


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str | int | float):
        raise ValueError("write values as text, such as f, a|b or 18..30")
    return str(value).strip()


def _levels(axis: Levels, text: str) -> Mask:
    mask = np.zeros(axis.codes, bool)
    try:
        mask[level(axis.name, axis.column, text or None)] = True
    except ValueError:  # not a value, bars and all
        for part in text.split("|"):
            mask[level(axis.name, axis.column, part.strip() or None)] = True
    return mask


def _range(axis: Grid, text: str) -> Mask:
    mask = np.zeros(axis.codes, bool)
    if not text:
        if not axis.missing:
            raise ValueError(f"{axis.name} is never missing: give a value or a range")
        mask[-1] = True
        return mask
    low, dots, high = text.partition("..")
    ends = (low, high) if dots else (low, low)
    values = np.asarray(code_values(axis)[:-1])
    try:
        bottom, top = _moments(axis, *ends) if isinstance(axis.column, Date) else _numbers(*ends)
    except ValueError:
        example = "2024-01-01..2024-03-31" if isinstance(axis.column, Date) else "18..30"
        raise ValueError(
            f"{axis.name} must be a value or a range such as {example}, got {text!r}"
        ) from None
    if isinstance(axis.column, Date):
        values = step_of(values, axis.column.step)
    mask[: len(values)] = True
    mask[: len(values)] &= (values >= bottom) if bottom is not None else True
    mask[: len(values)] &= (values <= top) if top is not None else True
    return mask


def _numbers(low: str, high: str) -> tuple[float | None, float | None]:
    return float(low) if low.strip() else None, float(high) if high.strip() else None


def _moments(axis: Axis, low: str, high: str) -> tuple[int | None, int | None]:
    """The first and the last step; a last day counts up to its end."""
    ends: list[int | None] = []
    for end, clock in ((low.strip(), " 00:00:00"), (high.strip(), " 23:59:59")):
        if not end:
            ends.append(None)
            continue
        if not re.match(r"\d{4}-\d\d-\d\d", end):
            raise ValueError
        moment = datetime.fromisoformat(end if len(end) > len("YYYY-MM-DD") else end + clock)
        if moment.tzinfo:
            raise ValueError
        steps = step_of(np.array([moment], "datetime64[s]"), axis.column.step)  # type: ignore[union-attr,arg-type]
        ends.append(int(steps[0]))
    return ends[0], ends[1]
