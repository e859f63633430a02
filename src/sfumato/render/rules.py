"""The declared constraints of a schema, and what was asked for, as rules on drawn codes.

All is decided from public facts, before anything is charged: rules that no record keeps are
refused, and one record that keeps them all is at hand, so that no draw can fail later.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "from": {"kind": "integer", "low": 0, "high": 5},
...     "until": {"kind": "integer", "low": 0, "high": 3}}, "constraints": ["from < until"]}))
>>> rules = Rules.of(domain)
>>> codes = np.array([[0, 3], [5, 1]])
>>> rules.keeps(codes).tolist()
[True, False]
>>> rules.moved(codes, np.random.default_rng()).tolist()
[[0, 3], [2, 3]]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, SchemaError
from sfumato.numeric.arrays import Mask
from sfumato.render.decode import code_values
from sfumato.render.rule import AnyCodes, Fixed, Order, Rule
from sfumato.schema import Date
from sfumato.schema.constraint import Combination, level, ordering
from sfumato.schema.domain import MISSING, Axis, Domain, Grid, step_of

__all__ = ["Rules"]

_SWEEPS = 50  # in which moves settle; what has not by then takes the example's values
_MOST_PASSES = 1_000  # in which all rules together narrow the codes
_MOST_TRIED = 500  # codes in the search for an example
_STEPS = ("second", "minute", "hour", "day", "month", "year")
_REMEDY = "correct one of them, or widen a range"


@dataclass(frozen=True, eq=False)
class Rules:
    """What every drawn record keeps."""

    axes: tuple[Axis, ...]
    rules: tuple[Rule, ...]
    possible: tuple[Mask, ...]  # codes that occur in a record that keeps all
    example: NDArray[np.int64]  # a record that does

    @classmethod
    def of(cls, domain: Domain, given: Mapping[int, Mask] | None = None) -> "Rules":
        """The rules of a schema, and of codes that were asked for by axis."""
        rules = tuple(_rule(domain, constraint) for constraint in domain.schema.constraints)
        everything = [np.ones(axis.codes, bool) for axis in domain.axes]
        possible = _narrowed(everything, rules)
        if not all(mask.any() for mask in possible):
            raise SchemaError(f"no record keeps all constraints of the schema: {_REMEDY}")
        if given:
            possible = _narrowed([given.get(k, m) for k, m in enumerate(everything)], rules)
        example = _example(domain.axes, possible, rules, [_MOST_TRIED])
        if example is None and given:
            raise ParameterError("where: no record with these values keeps all constraints")
        if example is None:
            raise SchemaError(f"no record was found that keeps all constraints: {_REMEDY}")
        return cls(domain.axes, rules, tuple(possible), example)

    @property
    def bind(self) -> bool:
        """Whether there is anything to keep."""
        return bool(self.rules) or not all(mask.all() for mask in self.possible)

    def keeps(self, codes: AnyCodes) -> Mask:
        """Which records keep them all."""
        kept = np.ones(len(codes), bool)
        for axis, mask in enumerate(self.possible):
            if not mask.all():
                kept &= mask[codes[:, axis]]
        for rule in self.rules:
            kept &= rule.keeps(codes)
        return kept

    def moved(self, codes: AnyCodes, rng: np.random.Generator) -> AnyCodes:
        """Records near to these that keep them all."""
        codes = codes.copy()
        for axis, mask in enumerate(self.possible):
            outside = ~mask[codes[:, axis]]
            inside = _possible_codes(self.axes[axis], mask)
            inside = inside[: max(1, int((inside != MISSING).sum()))]
            place = np.searchsorted(inside, codes[outside, axis])
            codes[outside, axis] = inside[np.minimum(place, len(inside) - 1)]
        for _ in range(_SWEEPS):
            settled = True
            for rule in self.rules:
                broken = np.flatnonzero(~rule.keeps(codes))
                if len(broken):
                    settled = False
                    moved = rule.moved(codes[broken], self.possible, rng)
                    codes[broken[:, None], list(rule.axes)] = moved
            if settled:
                break
        ruled = sorted({axis for rule in self.rules for axis in rule.axes})
        broken = np.flatnonzero(~self.keeps(codes))
        codes[broken[:, None], ruled] = self.example[ruled]
        return codes


def _possible_codes(axis: Axis, mask: Mask) -> NDArray[np.int64]:
    """The codes of a mask, in order, with missing last."""
    codes = np.flatnonzero(mask)
    if isinstance(axis, Grid):
        codes[codes > axis.points] = MISSING
    return codes


def _rule(domain: Domain, constraint: str | Combination) -> Rule:
    places = {axis.name: k for k, axis in enumerate(domain.axes)}
    if isinstance(constraint, Combination):
        axes = tuple(places[name] for name in constraint.columns)
        sizes = tuple(domain.axes[axis].codes for axis in axes)
        if prod(sizes) >= 2**62:
            raise SchemaError(
                f"constraint on {', '.join(constraint.columns)}: "
                "the columns have too many combinations: name fewer columns"
            )
        columns = [(name, domain.axes[places[name]].column) for name in constraint.columns]
        codes = [
            [level(name, column, value) for (name, column), value in zip(columns, c, strict=True)]
            for c in constraint.listed
        ]
        listed = np.unique(np.array(codes, np.int64), axis=0)
        return Fixed(axes, sizes, listed, constraint.allowed is not None)
    first, relation, second = ordering(constraint, places)
    if relation in (">=", ">"):
        first, second = second, first
    axes = (places[first], places[second])
    values = _comparable(*(domain.axes[axis] for axis in axes))
    match relation:
        case "<=" | ">=":
            return Order(axes, "<=", *values)
        case "<" | ">":
            return Order(axes, "<", *values)
        case "==" | "!=":
            return Order(axes, relation, *values)


def _comparable(*axes: Axis) -> list[NDArray[Any]]:
    """The values of the codes; dates in the longer of their steps, whose parts none knows."""
    values = [np.asarray(code_values(axis)[:-1]) for axis in axes]
    steps = [axis.column.step for axis in axes if isinstance(axis.column, Date)]
    if not steps:
        return values
    longer = max(steps, key=_STEPS.index)
    return [step_of(moments, longer) for moments in values]


def _narrowed(possible: Sequence[Mask], rules: Sequence[Rule]) -> list[Mask]:
    """Codes without those that some rule rules out, until nothing changes."""
    possible = list(possible)
    for _ in range(_MOST_PASSES):
        changed = False
        for rule in rules:
            for axis, mask in zip(rule.axes, rule.narrowed(possible), strict=True):
                changed |= bool((possible[axis] & ~mask).any())
                possible[axis] = possible[axis] & mask
        if not changed:
            return possible
    return [np.zeros_like(mask) for mask in possible]  # two strict orders that chase each other


def _example(
    axes: Sequence[Axis], possible: list[Mask], rules: Sequence[Rule], left: list[int]
) -> NDArray[np.int64] | None:
    """Codes of one record that keeps all; `left` counts down over the whole search.

    Where all rules are orders, the last codes that are possible keep them together.
    """
    if not all(mask.any() for mask in possible):
        return None
    order = [_last_first(axis, mask) for axis, mask in zip(axes, possible, strict=True)]
    record = np.array([[codes[0] for codes in order]], np.int64)
    if all(rule.keeps(record)[0] for rule in rules):
        return np.asarray(record[0])
    several = [axis for rule in rules for axis in rule.axes if len(order[axis]) > 1]
    for code in order[several[0]] if several else []:
        if left[0] == 0:
            return None
        left[0] -= 1
        chosen = list(possible)
        chosen[several[0]] = np.zeros_like(possible[several[0]])
        chosen[several[0]][code] = True
        found = _example(axes, _narrowed(chosen, rules), rules, left)
        if found is not None:
            return found
    return None


def _last_first(axis: Axis, mask: Mask) -> NDArray[np.int64]:
    """Possible codes from the last to the first; missing when nothing else will do."""
    codes = _possible_codes(axis, mask)[::-1]
    return np.roll(codes, -1) if axis.missing and mask[-1] else codes
