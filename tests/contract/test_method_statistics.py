"""Every statistic that a method folds can be sent away, and adds up whatever the parts."""

import pickle
from dataclasses import is_dataclass

import numpy as np
import pytest
from cases import CASES, ROWS
from recording import RecordingPurse

from neighbours import table
from sfumato.inspection.audit.neighbours import Encoded
from sfumato.publishing.table import price
from sfumato.table.encode import read
from sfumato.table.fingerprint import Tally
from sfumato.table.statistic import Rows, folded
from slowness import slow


class Listening(Encoded):
    """Records that keep what is asked of them."""

    def __init__(self, parts, domain):
        super().__init__(parts, domain)
        self.asked = []

    def fold(self, statistic):
        self.asked.append(statistic)
        return super().fold(statistic)


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) is int and a == b


def asked_by(case, codes, plan):
    records = Listening([codes], plan.domain)
    found = plan.measure(records, RecordingPurse(plan.guarantee))
    for _ in found if hasattr(found, "__next__") else ():
        pass
    return records.asked


def held_to_it(statistic, rows, rng):
    """Pickled, over any parts, merged by any tree: the same bits; two of them, no more."""
    assert is_dataclass(statistic)
    assert statistic.__dataclass_params__.frozen
    whole = folded(statistic, [rows])
    for _ in range(3):
        sent = pickle.loads(pickle.dumps(statistic))
        cuts = np.sort(rng.integers(0, len(rows) + 1, 4))
        totals = [folded(sent, [part]) for part in np.split(rng.permutation(rows), cuts)]
        while len(totals) > 1:
            one, other = (totals.pop(rng.integers(len(totals))) for _ in range(2))
            totals.append(pickle.loads(pickle.dumps(sent.merge(one, other))))
        assert same(totals[0], whole)
    assert same(folded(statistic, []), statistic.zero())
    assert same(statistic.merge(statistic.zero(), folded(statistic, [rows])), whole)


# What depends on the method and hardly on its budget: other budgets in the slow run.
FIRST = {case.method: case for case in reversed(CASES)}


@pytest.mark.parametrize(
    "case", [case if case is FIRST[case.method] else slow(case) for case in CASES], ids=str
)
def test_sums_over_any_parts_and_any_tree_are_those_of_the_whole(case, rng):
    plan = price(case.schema, method=case.method, **case.given)
    (batch,) = table(ROWS * 6).combine_chunks().to_batches()
    codes, said = read(plan.domain, batch)
    asked = asked_by(case, codes, plan)
    for statistic in (*asked, *plan.first, Rows(), Tally(b"k" * 32, plan.domain)):
        held_to_it(statistic, codes, rng)
    if plan.fit is not None:
        held_to_it(plan.fit.counts.statistic, said, rng)
    assert all(any(one is each for each in asked) for one in plan.first)


def test_every_method_folds_unless_it_makes_a_row_of_each_record():
    """So that the test above sees something."""
    (batch,) = table(ROWS).combine_chunks().to_batches()
    for case in FIRST.values():
        plan = price(case.schema, method=case.method, **case.given)
        assert asked_by(case, read(plan.domain, batch)[0], plan) or plan.row == "record", case
