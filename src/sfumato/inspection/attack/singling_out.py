"""NOT PRIVATE: "there is exactly one person with …", said from the release.

An attacker picks a released record and some of its columns: a level of a category must be
equal, a number at least (or, below the released median, at most) the released one.  What is
true of exactly one released record is then guessed to be true of exactly one record
(Giomi et al. 2023; Cohen and Nissim 2020 for what it means).  Some such guesses come true
by chance: a predicate that fits one person in a thousand isolates someone in a thousand
with a chance of 37 %.  So the same predicates are tried on control records, as many as
there are records: if there are fewer of one, so many are drawn of the other.

Predicates are not independent: many hang on the same few extreme people.  How much that
matters is measured by dividing all records, control and all, at random into two halves
again and again: how much further apart the halves are than independent predicates would be
is the design effect of the intervals.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.inspection.attack.outcome import Rate, gap
from sfumato.inspection.attack.parameter import confident, whole
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.tables import CONTROL, Tables
from sfumato.inspection.utility import AnySchema
from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import MISSING, Domain, Grid

__all__ = ["PREDICATES", "singling_out_attack"]

PREDICATES = 500
_DRAWN_FOR_EACH = 5  # predicates drawn for every one that is still wanted
_SPLITS = 200  # random halves from which the design effect is estimated
_FEW = 30
_EQUAL, _AT_LEAST, _AT_MOST = range(3)


@dataclass(frozen=True)
class _Predicates:
    """Each row is one predicate: its columns, and for each of them a sign and a code."""

    columns: NDArray[np.int64]
    signs: NDArray[np.int64]
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, rows: Any) -> "_Predicates":
        return _Predicates(self.columns[rows], self.signs[rows], self.codes[rows])

    def fits(self, table: Codes) -> NDArray[np.int64]:
        """How many records of a table each predicate is true of."""
        return np.array([len(people) for people in self.true_of(table)], np.int64)

    def true_of(self, table: Codes) -> list[NDArray[np.int64]]:
        """The records of a table that each predicate is true of."""
        by_column = np.ascontiguousarray(table.T)
        return [self._true_of(row, by_column) for row in range(len(self))]

    def _true_of(self, row: int, by_column: Codes) -> NDArray[np.int64]:
        people: Any = slice(None)
        terms = zip(self.columns[row], self.signs[row], self.codes[row], strict=True)
        for column, sign, code in terms:
            values = by_column[column][people]
            if sign == _EQUAL:
                true = values == code
            elif sign == _AT_LEAST:
                true = values >= code
            else:
                true = (values <= code) & (values != MISSING)
            kept = np.flatnonzero(true)
            people = kept if isinstance(people, slice) else people[kept]
        return np.asarray(people, np.int64)


def singling_out_attack(
    release: Any,
    original: Any,
    schema: AnySchema,
    *,
    columns: int = 3,
    predicates: int = PREDICATES,
    control: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: how many predicates that isolate a released record isolate a real one.

    A predicate speaks of `columns` columns (all, if there are fewer), or of more where so
    few isolate too few; at most `predicates` different ones are tried.  The baseline draws
    values from the public domain.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(600)
    >>> found = singling_out_attack(patients.slice(0, 300), patients.slice(0, 300),
    ...     Schema.parse(CLINIC), control=patients.slice(300))
    >>> found.verdict, found.success.value
    ('succeeds', 1.0)
    """
    confident(confidence)
    whole("predicates", predicates)
    whole("columns", columns)
    tables = Tables.of(release, original, schema, control=control, targets=None, seed=seed)
    rng = np.random.default_rng(seed)
    others = tables.strangers
    size = len(tables.members) if others is None else min(len(tables.members), len(others))
    members, strangers = tables.members[:size], None if others is None else others[:size]

    everybody = members if strangers is None else np.vstack([members, strangers])

    def isolating(released: Codes) -> tuple[Rate, Rate | None]:
        said = _isolating(tables.domain, released, columns, predicates, rng)
        effect = _design_effect(said, everybody, rng)
        control = None if strangers is None else _isolated(said, strangers, effect)
        return _isolated(said, members, effect), control

    success, control_rate = isolating(tables.release)
    guesses = [_public(tables.domain, columns, predicates, rng)]
    baseline = _isolated(guesses, members, _design_effect(guesses, everybody, rng))
    bare, bare_control = isolating(tables.original)
    return Attack(
        name="singling out",
        knows="nothing but the release",
        success=success,
        baseline=baseline,
        baseline_is="saying so of values at random",
        control=control_rate,
        control_is=CONTROL,
        confidence=confidence,
        reach=gap(bare, bare_control or baseline, confidence),
        details={"records": size},
    )


def _isolated(said: list[_Predicates], table: Codes, effect: float) -> Rate:
    hits = sum(int((part.fits(table) == 1).sum()) for part in said)
    return Rate(hits, sum(map(len, said)), effect)


def _design_effect(said: list[_Predicates], table: Codes, rng: np.random.Generator) -> float:
    """How much more two halves of a table differ than if predicates were independent."""
    people = [one for part in said for one in part.true_of(table)]
    # In half of a table a predicate that is true of many more is never true of exactly one.
    few = [(row, one) for row, one in enumerate(people) if 0 < len(one) <= _FEW]
    if not few:
        return 1.0
    rows = np.repeat([row for row, _ in few], [len(one) for _, one in few])
    persons, place = np.unique(np.concatenate([one for _, one in few]), return_inverse=True)
    true = csr_array((np.ones(len(rows)), (rows, place)), (len(people), len(persons)))
    half = true @ rng.integers(0, 2, (len(persons), _SPLITS)).astype(np.float64)
    first, second = half == 1, true.sum(axis=1)[:, None] - half == 1
    share = (first.mean() + second.mean()) / 2
    if share == 0 or share == 1:
        return 1.0
    apart = first.mean(axis=0) - second.mean(axis=0)
    return max(1.0, float(apart.var() / (2 * share * (1 - share) / len(people))))


def _isolating(
    domain: Domain, released: Codes, columns: int, wanted: int, rng: np.random.Generator
) -> list[_Predicates]:
    """Different predicates from released records, each true of exactly one of them."""
    found: list[_Predicates] = []
    missing = wanted
    for width in range(columns, max(columns, _telling(domain).size) + 1):
        drawn = _drawn(domain, released, width, missing * _DRAWN_FOR_EACH, rng)
        alone = drawn[np.flatnonzero(drawn.fits(released) == 1)[:missing]]
        found.append(alone)
        missing -= len(alone)
        if not missing:
            break
    return found


def _drawn(
    domain: Domain, released: Codes, columns: int, count: int, rng: np.random.Generator
) -> _Predicates:
    chosen = _some_columns(domain, columns, count, rng)
    codes = released[rng.integers(len(released), size=(count, 1)), chosen].astype(np.int64)
    signs = _signs(domain, chosen, codes, np.median(released, axis=0))
    alike = np.unique(np.hstack([chosen, signs, codes]), axis=0, return_index=True)[1]
    return _Predicates(chosen, signs, codes)[np.sort(alike)]


def _public(domain: Domain, columns: int, count: int, rng: np.random.Generator) -> _Predicates:
    """Predicates whose values are drawn from the public domain."""
    chosen = _some_columns(domain, columns, count, rng)
    most = np.array([a.points + 1 if isinstance(a, Grid) else a.codes for a in domain.axes])
    codes = rng.integers(most[chosen])
    return _Predicates(chosen, _signs(domain, chosen, codes, (most - 1) / 2), codes)


def _some_columns(
    domain: Domain, columns: int, count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    telling = _telling(domain)
    order = rng.random((count, len(telling))).argsort(axis=1)[:, :columns]
    return np.sort(telling[order], axis=1)


def _telling(domain: Domain) -> NDArray[np.int64]:
    return np.array([place for place, axis in enumerate(domain.axes) if axis.codes > 1])


def _signs(
    domain: Domain,
    columns: NDArray[np.int64],
    codes: NDArray[np.int64],
    middles: NDArray[np.float64],
) -> NDArray[np.int64]:
    ordered = np.array([isinstance(axis, Grid) for axis in domain.axes])[columns]
    side = np.where(codes >= middles[columns], _AT_LEAST, _AT_MOST)
    return np.where(ordered & (codes != MISSING), side, _EQUAL)
