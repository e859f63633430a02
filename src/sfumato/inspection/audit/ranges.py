"""ranges under audit: estimates of ranges, steps and categories of tables that differ in a record.

All of `estimate_schema` runs on both tables.  A record moves the scores of windows and steps, no
two of them further apart than the draw was priced for, and the weights of values, which Gaussian
noise hides.  Values of one record alone are left to the threshold: no noise hides whether
noise was added to them, and `docs/proofs/ranges.md` bounds the chance that they are found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import pyarrow as pa
from scipy.special import log_softmax

from sfumato.inspection.audit.bound import Claim
from sfumato.inspection.audit.coupled import Checked, Family, checked, public, replay, stated
from sfumato.inspection.audit.sampled import LARGER, Effort, Sampled, judged
from sfumato.inspection.audit.trace import Drawn
from sfumato.privacy import choice
from sfumato.privacy.guarantee import ApproxDP, Guarantee, PureDP
from sfumato.publishing.estimate import estimate_schema

__all__ = ["check_ranges", "check_values", "sample_ranges"]

_DELTA = "1e-6"
_FEW = 30  # times 1/ε records: more than the public rule asks for
Record = tuple[str | None, ...]


@dataclass(frozen=True)
class _Case:
    """Columns with blanks, records of which all but one are alike, and others in its place."""

    text: str
    columns: dict[str, dict[str, Any]]
    usual: Record
    others: tuple[Record, ...]
    neighbours: str = "replace-one"

    def families(self, several: int) -> Iterator[Family]:
        """One record replaced, taken away or added."""
        alike = [self.usual] * several
        if self.neighbours == "add-remove":
            found = [(f"with {new}", self._table([*alike, new])) for new in self.others]
            found.append(("without one", self._table(alike[1:])))
        else:
            found = [(f"one as {new}", self._table([*alike[1:], new])) for new in self.others]
        yield Family("all alike", self._table(alike), found)
        mixed = [*alike[len(self.others) :], *self.others]
        changed = [
            (f"{old} as {self.usual}", self._table([*mixed[:-1], self.usual]))
            for old in self.others[-1:]
        ]
        if self.neighbours == "add-remove":
            changed = [("without the last", self._table(mixed[:-1]))]
        yield Family("some apart", self._table(mixed), changed)

    def _table(self, records: Sequence[Record]) -> pa.Table:
        columns = zip(*records, strict=True)
        return pa.table(
            {n: pa.array(c, pa.string()) for n, c in zip(self.columns, columns, strict=True)}
        )

    def publish(self, table: pa.Table, spent: dict[str, Any], several: int) -> Any:
        """All that leaves."""
        told = several if self.neighbours == "add-remove" else None
        asked = {"name": "audit", "neighbours": self.neighbours, "columns": self.columns}
        found = estimate_schema(table, schema=asked, records=told, seed=0, release="audit", **spent)
        return public(found.release), found.schema


_DATES = ("2020-03-01", "2021-07-09T10:11:12", "1931-01-01", "soon", None, "9999-12-31")
_CASES = (
    _Case(
        "a range with two ends, and its step",
        {"day": {"kind": "date"}},
        ("2024-02-02",),
        tuple((day,) for day in _DATES),
    ),
    _Case(
        "a range with a declared end",
        {"age": {"kind": "integer", "low": 0}},
        ("40",),
        (("3",), ("-1",), ("old",), ("1e300",), (None,)),
    ),
    _Case(
        "columns that share a range",
        {"first": {"kind": "date"}, "last": {"kind": "date", "same_range_as": "first"}},
        ("2024-02-02", "2024-03-01"),
        (
            ("2024-02-02", "1931-01-01"),
            ("9999-12-31", "0001-01-01"),
            (None, "soon"),
            ("1999-05-05T10:00:01", "1999-05-05"),
        ),
    ),
    _Case(
        "a range of records that come and go",
        {"cost": {"kind": "number", "low": 0}},
        ("12.5",),
        (("0",), ("1e9",), ("0.123456789",), ("-3",), ("free",)),
        neighbours="add-remove",
    ),
)
_VALUES = _Case(
    "values of two categories",
    {"ward": {"kind": "category"}, "town": {"kind": "category"}},
    ("a", "x"),
    (("b", "y"), ("c", "z"), (None, "y"), ("c" * 300, "y"), ("b", None)),
)
_BLANKS = _Case(
    "categories without any value",
    _VALUES.columns,
    (None, ""),
    ((None, None), ("c" * 300, None)),
    neighbours="add-remove",
)


def check_ranges(budget: PureDP) -> Iterator[Checked]:
    """Frozen checks of ranges and steps, of both relations."""
    several = _records(budget)
    for case in _CASES:

        def publish(table: pa.Table, case: _Case = case) -> Any:
            return case.publish(table, stated(budget), several)

        yield checked(case.text, budget, publish, case.families(several))


def _records(budget: PureDP) -> int:
    return max(8, int(_FEW * 2 / budget.epsilon))


def check_values(budget: Guarantee) -> Iterator[Checked]:
    """Frozen checks of categories; all values are those of several records."""
    promise = budget if isinstance(budget, ApproxDP) else ApproxDP(1, _DELTA)
    several = max(40, int(400 / min(promise.epsilon, Fraction(4))))

    def publish(table: pa.Table) -> Any:
        return _VALUES.publish(table, stated(promise), several)

    rare = [other for other in _VALUES.others for _ in range(2)]
    alike = [*[_VALUES.usual] * (several - len(rare)), *rare[2:], *rare[:2]]
    others = [
        (f"{old} as {new}", _VALUES._table([*(alike[1:] if old == alike[0] else alike[:-1]), new]))
        for old in (alike[0], alike[-1])
        for new in dict.fromkeys(rare)
    ]
    family = Family("some values are rare", _VALUES._table(alike), others)
    yield checked(_VALUES.text, promise, publish, [family])
    yield _check_blanks(promise, several)


def _check_blanks(promise: ApproxDP, several: int) -> Checked:
    """Noise is drawn whether a record has a value or not: the ledger shows that it was drawn."""
    publish = partial(_BLANKS.publish, spent=stated(promise), several=several)
    none = _BLANKS._table([_BLANKS.usual])[:0]
    added = [(f"with {new}", _BLANKS._table([new])) for new in _BLANKS.others]
    families = [Family("no record", none, added), *_BLANKS.families(several)]
    found = checked(_BLANKS.text, promise, publish, families)
    for family in families:
        run = replay(publish, family.base, 0)
        if run is None or not all(call.output.size for call in run.trace.calls):
            found.violated(f"{family.text}: no noise is drawn, which shows in the ledger")
    return found


def sample_ranges(budget: PureDP, effort: Effort) -> Sampled:
    """Real draws of a range, of no record and of one: both ends of the odds are likely then."""
    case, several, found = _CASES[-1], _records(budget), []
    pair = (case._table([case.usual])[:0], case._table([("0.000001",)]))
    for planned in (budget, PureDP(LARGER * budget.epsilon)):
        publish = partial(case.publish, spent=stated(planned), several=several)
        asked = []
        for table in pair:
            run = replay(publish, table, 0)
            assert run is not None  # noqa: S101  there is no script to leave
            asked.append(next(call for call in run.trace.calls if isinstance(call, Drawn)))
        rate, gaps = asked[0].rate, [call.gaps for call in asked]
        odds = [log_softmax(-float(rate) * gap) for gap in gaps]
        sides = [
            (odds[0] - odds[1])[choice.draw_index(gap, rate, effort.runs, effort.bits)]
            for gap in gaps
        ]
        found.append(judged(sides, Claim.of(budget, ()), effort))
    return Sampled("the draw of a range", budget, found[0], found[1])
