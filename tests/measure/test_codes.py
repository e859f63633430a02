"""Tables of all codes: within their sensitivity, exact, and the same however they are counted."""

from itertools import product

import numpy as np
import pytest

from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.measure.codes import CodeCounts, CodeTables
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.schema.domain import MISSING
from sfumato.table.statistic import folded

# A number of four codes that may be missing, a label of two values, a number of three codes.
RECORDS = list(product((0, 1, 2, 3, MISSING), range(2), range(3)))
BASES = ([], [RECORDS[0]], [RECORDS[4], RECORDS[25], RECORDS[25]], RECORDS[::7])


def counts(label=1):
    return CodeCounts(((0, 4), (2, 3)), (True, False), label, 1 if label is None else 2)


def exact(what, rows, batches=1):
    codes = np.array(rows, np.int32).reshape(len(rows), 3)
    return what.query(folded(what.counts, np.array_split(codes, batches)))


def by_hand(rows, label):
    found = []
    for axis, codes in ((0, 4), (2, 3)):
        for k in range(1 if label is None else 2):
            here = [r[axis] for r in rows if label is None or r[label] == k]
            found += [here.count(code) for code in range(codes)]
    return found


@pytest.mark.parametrize("label", [1, None])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_brute_force_attains_the_sensitivity_and_never_exceeds_it(relation, label):
    """All records against all others; half of the claim would be seen to fail."""
    what = CodeTables(counts(label), relation, PureDP(1))
    l1 = l2 = 0
    for base in BASES:
        ends = [[], *([r] for r in RECORDS)] if relation == "add-remove" else [[r] for r in RECORDS]
        values = np.array([exact(what, [*base, *end]) for end in ends])
        firsts = values[:1] if relation == "add-remove" else values
        moves = np.abs(np.concatenate([values - first for first in firsts]))
        l1, l2 = max(l1, moves.sum(axis=1).max()), max(l2, (moves**2).sum(axis=1).max())
    assert (l1, l2) == (what.noise.sensitivity.l1, what.noise.sensitivity.l2_squared)
    assert l1 == 2 * (1 if relation == "add-remove" else 2)


@pytest.mark.parametrize("label", [1, None])
@pytest.mark.parametrize("batches", [1, 3])
def test_every_record_is_counted_once_and_missing_nowhere(label, batches, rng):
    rows = [RECORDS[k] for k in rng.integers(0, len(RECORDS), 200)]
    what = CodeTables(counts(label), "replace-one", PureDP(1))
    assert exact(what, rows, batches).tolist() == by_hand(rows, label)


@pytest.mark.parametrize("label", [1, None])
def test_counts_of_a_database_come_to_the_same(label, rng):
    rows = np.array([RECORDS[k] for k in rng.integers(0, len(RECORDS), 200)], np.int32)
    what, counted = counts(label), []
    for keys in what.tables():
        cells = [
            sum((place[rows[:, a]] for a, place in key.parts), np.zeros(200, int)) for key in keys
        ]
        found, often = np.unique(np.stack(cells, axis=1), axis=0, return_counts=True)
        counted.append(np.column_stack([found, often]))
    np.testing.assert_array_equal(what.gathered(counted), folded(what, [rows]))


@pytest.mark.parametrize("budget", [PureDP(1), ZCDP("0.5")], ids=["pure", "zCDP"])
def test_noise_is_on_every_code_before_anything_is_looked_at(budget):
    what = CodeTables(counts(), "add-remove", budget)
    purse = RecordingPurse(budget)
    noisy = what.perturb(exact(what, RECORDS), purse)
    assert [table.shape for table in noisy] == [(2, 4), (2, 3)]
    (bought,) = purse.statistics
    assert bought.noise.event.cost == budget
    assert [len(part) for part in bought.exact] == [14]
    assert (bought.flat(bought.units) == 1).all()
