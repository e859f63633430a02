"""Candidates after each draw: the same as worked out anew from all that was chosen."""

from time import process_time

import numpy as np
import pytest

from sfumato.measure.candidates import Candidates
from sfumato.synopsis.tables import is_forest, pairs_of

COLUMNS, DRAWS = 7, 12
KINDS = {
    "any": {},
    "target": {"target": 3},
    "forest": {"forest": True},
    "without": {"without": 2},
}


def anew(chosen, target=None, forest=False, without=None):
    """What may be chosen after these, by the rules as they are said."""
    left = [pair for pair in pairs_of(COLUMNS) if pair not in chosen and without not in pair]
    if forest:
        left = [pair for pair in left if is_forest([*chosen, pair], COLUMNS)]
    first = [pair for pair in left if target in pair]
    return first if first and 2 * len(chosen) < DRAWS else left


@pytest.mark.parametrize("kind", KINDS)
def test_candidates_are_those_that_the_rules_leave_whatever_was_taken(kind, rng):
    for _ in range(20):
        left, chosen = Candidates(COLUMNS, DRAWS, **KINDS[kind]), []
        for _ in range(DRAWS):
            expected = anew(chosen, **KINDS[kind])
            assert [tuple(pair) for pair in left.pairs.tolist()] == expected
            assert left.every[left.places].tolist() == left.pairs.tolist()
            for pair in pairs_of(COLUMNS):
                where = expected.index(pair) if pair in expected else None
                assert left.position(pair) == where
            if not expected:
                break
            chosen.append(expected[rng.integers(len(expected))])
            assert left.take(chosen[-1])


@pytest.mark.parametrize("pair", [(0, 0), (2, 1), (-1, 2), (0, COLUMNS), (10**30, 10**31), (1, 4)])
def test_what_is_no_candidate_is_not_taken(pair):
    left = Candidates(COLUMNS, DRAWS, target=3)
    assert left.position(pair) is None
    assert not left.take(pair)
    assert left.pairs.tolist() == Candidates(COLUMNS, DRAWS, target=3).pairs.tolist()
    assert left.take((1, 3))  # the control


def test_thousands_of_pairs_are_followed_without_working_them_out_anew(rng):
    """Worked out anew after each draw, so many took twenty minutes."""
    left, draws = Candidates(200, 5_303, target=0), 5_303
    others = rng.permutation(np.array(pairs_of(200))[199:])[: draws - 199]
    order = [(0, j) for j in range(1, 200)] + [(int(i), int(j)) for i, j in others]
    begun = process_time()
    assert all(left.take(pair) for pair in order)
    assert process_time() - begun < 10
    assert len(left.pairs) == 19_900 - draws
