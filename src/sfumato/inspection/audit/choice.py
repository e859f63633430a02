"""private-choice under audit: a record in a candidate's part, and a record before the judge.

The whole of `choose_method` runs on tables that differ in one record, at positions of every part.
A record of a candidate's part moves the noise of that candidate's release and nothing else; a
record of the judge moves scores, and no two of them further apart than the draw was priced for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.special import log_softmax

from sfumato.errors import MissingExtra
from sfumato.inspection.audit.bound import Claim
from sfumato.inspection.audit.coupled import Checked, Family, checked, replay, stated
from sfumato.inspection.audit.sampled import LARGER, Effort, Sampled, judged
from sfumato.inspection.audit.trace import Drawn
from sfumato.inspection.compare import private_choice
from sfumato.inspection.compare.fitness import Fitness, fitness
from sfumato.inspection.compare.private_choice import choose_method, dealt
from sfumato.ledger import Ledger
from sfumato.privacy import choice
from sfumato.privacy.budget import charge
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

__all__ = ["check_choice", "check_judge", "check_split", "sample_choice"]

_BIT = {"kind": "boolean"}
PLAIN = {"name": "audit", "columns": {"a": _BIT, "b": _BIT}}
LABELLED = {"name": "audit", "columns": {"a": _BIT, "b": _BIT | {"role": "label"}}}
_CANDIDATES = ("modips", "identity-laplace")
_RECORDS = ((False, False), (True, True), (True, False), (None, None))
Record = tuple[bool | None, bool | None]


def check_choice(stage: PureDP | ApproxDP) -> Iterator[Checked]:
    """Frozen checks of `choose_method` for a share that is all of this budget."""
    whole: dict[str, Any] = {name: 2 * Fraction(figure) for name, figure in stated(stage).items()}

    def publish(table: pa.Table) -> Any:
        found = choose_method(table, PLAIN, methods=_CANDIDATES, share="1/2", seed=0, **whole)
        return replace(found, release="audit")

    families = _families(_records(stage.epsilon))
    yield checked("a choice between two methods", stage, publish, families)


def _families(several: int) -> Iterator[Family]:
    """One part like one record, the other like another, and the judge undecided; or all alike."""
    judge, parts = dealt(np.arange(several, dtype=np.int32).reshape(-1, 1), len(_CANDIDATES))
    apart: list[Record] = [(False, False)] * several
    for place in (*parts[1].ravel(), *judge.ravel()[::2]):
        apart[place] = (True, True)
    tried = (*range(6), several - 1)
    for text, records in (("parts apart", apart), ("all alike", [(False, False)] * several)):
        others = []
        for place in tried:
            for new in _RECORDS:
                if new != records[place]:
                    other = [*records[:place], new, *records[place + 1 :]]
                    others.append((f"record {place + 1} as {new}", _table(other)))
        yield Family(text, _table(records), others)


def _table(records: Sequence[Record]) -> pa.Table:
    a, b = zip(*records, strict=True)
    return pa.table({"a": pa.array(a, pa.bool_()), "b": pa.array(b, pa.bool_())})


def check_judge(price: PureDP) -> Iterator[Checked]:
    """Frozen checks of the draw itself, between releases that differ as much as they can."""
    for schema, text in ((PLAIN, "cells of pairs"), (LABELLED, "right answers")):
        case = f"the judge, {text}"
        try:
            judge, releases, family = _opposite(schema)
        except MissingExtra as missing:
            yield Checked(f"{case}: not looked at, {missing}", price)
            continue
        yield checked(case, price, _drawing(judge, price, releases), [family])


def _drawing(judge: Fitness, price: PureDP, releases: list[pa.Table]) -> Callable[[Any], int]:
    """The draw of `choose_method`, given the releases."""

    def publish(judged: Any) -> int:
        purse = Purse(price, SeededBits(0))
        return int(private_choice._drawn(judge, price, releases, judged, purse))

    return publish


def _opposite(schema: Any) -> tuple[Fitness, list[pa.Table], Family]:
    """A judge, two opposite releases, and records that one of them has right and one wrong."""
    domain = Domain.of(Schema.of(schema))
    judge = fitness(domain)
    if domain.label is None:
        ways = [[(False, False)] * 8, [(True, True)] * 8]
    else:
        # A few records to the contrary: models give up where a release leaves them no doubt.
        right, wrong = [(False, False), (True, True)], [(False, True), (True, False)]
        ways = [right * 36 + wrong * 4, wrong * 36 + right * 4]
    releases = [_table(records) for records in ways]
    base = np.array([[0, 0], [1, 1]] * 3, np.int32)
    others = []
    for place in (0, 1):
        for new in ([0, 1], [1, 0], [1 - place, 1 - place]):
            other = base.copy()
            other[place] = new
            others.append((f"the judge's record {place + 1} as {new}", other))
    return judge, releases, Family("opposite releases", base, others)


def sample_choice(price: PureDP, effort: Effort) -> Sampled:
    """Real draws between two releases that the judge's last record sets apart."""
    judge, releases, family = _opposite(PLAIN)
    found = []
    for planned in (price, PureDP(LARGER * price.epsilon)):
        draw = _drawing(judge, planned, releases)
        asked = []
        for judged_records in (family.base, family.neighbours[2][1]):
            run = replay(draw, judged_records, 0)
            assert run is not None  # noqa: S101  there is no script to leave
            asked.append(next(call for call in run.trace.calls if isinstance(call, Drawn)))
        rate, gaps = asked[0].rate, [call.gaps for call in asked]
        odds = [log_softmax(-float(rate) * gap) for gap in gaps]
        sides = [
            (odds[0] - odds[1])[choice.draw_index(gap, rate, effort.runs, effort.bits)]
            for gap in gaps
        ]
        found.append(judged(sides, Claim.of(price, ()), effort))
    return Sampled("the draw of the judge", price, found[0], found[1])


def check_split(whole: PureDP) -> Iterator[Checked]:
    """Whether the ledger is charged the share, and what is left can be paid for."""
    found = Checked("the share and what is left", whole)
    records: list[Record] = [(False, False), (True, True)]
    for share in (Fraction(1, 2), Fraction(1, 3)):
        table = _table(records * (_records(whole.epsilon * share) // 2))
        with TemporaryDirectory() as folder, Ledger.create(Path(folder) / "budget.db") as ledger:
            ledger.grant("audit", whole, reason="an audit")
            chosen = choose_method(
                table,
                PLAIN,
                methods=_CANDIDATES,
                epsilon=whole.epsilon,
                share=share,
                ledger=ledger,
            )
            spent = ledger.balance("audit").spent.micro_epsilon
        if spent < whole.epsilon * share * 10**6:
            found.violated("the ledger was charged less than the share")
        if spent + charge(chosen.left).micro_epsilon > whole.epsilon * 10**6:
            found.violated("the share and what is left are more than the whole")
    yield found


def _records(epsilon: Fraction) -> int:
    """As many as a choice for this price needs, in whole rounds of dealing."""
    return 6 * max(15, ceil(4 / float(epsilon)))
