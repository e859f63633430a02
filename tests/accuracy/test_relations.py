"""Constraints that look exact: found where they hold, and not where they do not."""

from functools import lru_cache
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import sfumato as sf
from relations_world import (
    GAUSSIAN,
    LAPLACE,
    ROWS,
    STAYS,
    prepared,
    release_of,
    stays,
    strangers,
    understated,
)
from sfumato.accuracy.relations import suggest_constraints
from sfumato.errors import ParameterError, ReleaseError
from sfumato.example import CLINIC, clinic

FALSE_ALARM = 1e-6
EXACT = {
    "sex is m exactly where pregnant is missing",
    "part is at most whole",
    "since is -1 exactly where visits is 0",
}
BOTH = pytest.mark.parametrize("budget", [GAUSSIAN, LAPLACE], ids=["gaussian", "laplace"])


@lru_cache
def world(broken=0.0):
    return prepared(stays(broken))


def words(found):
    return {one.hypothesis.words for one in (*found.found, *found.unsaid)}


@BOTH
def test_what_holds_exactly_is_found_with_a_bound_and_beyond_it_nothing(budget):
    found = suggest_constraints(release_of(world(), budget, 3))
    assert words(found) == EXACT
    listed, order = found.found
    assert listed.constraint.forbidden == (("f", None), ("m", False), ("m", True))
    assert order.constraint == "part <= whole"
    assert order.untold.value > 0.05 * ROWS
    assert [one.constraint for one in found.unsaid] == [None]  # numbers cannot be listed
    for one in (*found.found, *found.unsaid):
        assert 0 < one.share < found.share
        assert 3 * one.at_most <= one.expected
    assert [one.strength for one in found.found] == sorted(
        (one.strength for one in found.found), reverse=True
    )


@BOTH
def test_columns_that_have_nothing_to_do_with_each_other_suggest_nothing(budget):
    records = prepared(strangers())
    for seed in range(3):
        assert not words(suggest_constraints(release_of(records, budget, seed)))


@BOTH
def test_what_as_many_records_break_as_may_is_not_suggested(budget):
    found = suggest_constraints(release_of(world(0.04), budget, 3), share="0.04")
    assert not words(found) & EXACT
    assert "where pregnant is missing, sex is m" in words(found)  # which they do not break


def test_the_label_and_a_private_number_of_records_are_looked_at_too():
    columns = {name: STAYS["columns"][name] for name in ("sex", "pregnant")}
    columns["sex"] = columns["sex"] | {"role": "label"}
    schema = {"name": "stays", "columns": columns, "neighbours": "add-remove"}
    records = prepared(stays().select(["sex", "pregnant"]), schema)
    found = suggest_constraints(release_of(records, LAPLACE, 3, schema))
    assert words(found) == {"pregnant is missing exactly where sex is m"}
    assert found.found[0].of < ROWS


def test_what_the_schema_of_the_release_declares_is_not_suggested_again():
    schema = STAYS | {
        "constraints": [
            "whole >= part",
            {"columns": ["pregnant", "sex"], "allowed": [["true", "f"], [False, "f"], [None, "m"]]},
        ]
    }
    found = suggest_constraints(release_of(world(), LAPLACE, 3, schema))
    assert words(found) == {"since is -1 exactly where visits is 0"}


# ---- without noise, all that is empty and nothing else -----------------------------------


def test_without_noise_the_listed_combinations_are_those_that_never_occur():
    rng, names = np.random.default_rng(4), "uvw"
    levels = [f"l{k}" for k in range(4)]
    u = rng.integers(0, 4, ROWS)
    v = np.where(u == 1, 2, rng.integers(0, 4, ROWS))
    w = np.where((u == 0) & (v == 3), 1, rng.integers(0, 3, ROWS))
    w = np.where(u == 2, 3, w)
    codes = dict(zip(names, (u, v, w), strict=True))
    table = pa.table({name: [levels[k] for k in codes[name]] for name in names})
    category = {"kind": "category", "values": levels}
    schema = {"name": "t", "columns": dict.fromkeys(names, category)}
    found = suggest_constraints(release_of(prepared(table, schema), {"rho": 10**6}, 1, schema))
    said = {(*one.columns, *pair) for one in found.found for pair in one.constraint.forbidden}
    never = {
        (a, b, levels[k], levels[j])
        for a, b in combinations(names, 2)
        for k, j in product(range(4), repeat=2)
        if not ((codes[a] == k) & (codes[b] == j)).any()
    }
    assert len(never) > 8
    assert said == never
    assert all(one.at_most == 0 for one in found.found)


def test_at_most_twenty_are_shown_the_strongest_first():
    rng, names = np.random.default_rng(4), "uvw"
    levels = [f"l{k}" for k in range(9)]
    drawn = [levels[k] for k in rng.integers(0, 9, ROWS)]
    category = {"kind": "category", "values": levels}
    schema = {"name": "t", "columns": dict.fromkeys(names, category)}
    table = pa.table(dict.fromkeys(names, drawn))
    found = suggest_constraints(release_of(prepared(table, schema), {"rho": 10**6}, 1, schema))
    assert len(found.found) == 20  # of 27
    assert all("exactly where" in one.hypothesis.words for one in found.found)


# ---- how often a bound is wrong -----------------------------------------------------------

RUNS, CHANCE, BREAKING = 50, 0.2, 180
SMALL = {
    "name": "small",
    "columns": {
        "sex": {"kind": "category", "values": ["f", "m"], "role": "label"},
        "ward": {"kind": "category", "values": ["maternity", "eyes"]},
    },
}
LITTLE = {"laplace": {"epsilon": "0.02"}, "gaussian": {"rho": "0.000045"}}


@pytest.fixture(scope="module")
def nearly():
    """So many men in maternity."""
    sex = np.repeat(["f", "m"], ROWS // 2)
    ward = np.where(np.arange(ROWS) % 2 == 0, "maternity", "eyes")
    ward[ROWS // 2 :] = "eyes"
    ward[-BREAKING:] = "maternity"
    return prepared(pa.table({"sex": sex, "ward": ward}), SMALL)


def wrong(release):
    """Whether it is said that fewer men are in maternity than there are."""
    found = suggest_constraints(release, share=BREAKING / ROWS, chance=CHANCE)
    return any(("maternity", "m") in one.constraint.forbidden for one in found.found)


@pytest.mark.parametrize("kind", LITTLE)
def test_a_bound_is_wrong_no_more_often_than_is_stated(nearly, kind):
    """Four relations, four single counts, and two for n share half of the chance.

    Where the certificate states less noise than there is, the same bound is wrong too often.
    """
    most = binom.isf(FALSE_ALARM, RUNS, CHANCE / 20)
    releases = [release_of(nearly, LITTLE[kind], seed, SMALL) for seed in range(RUNS)]
    times = 4 if kind == "laplace" else 16  # of a scale, or of a variance
    assert sum(map(wrong, releases)) <= most
    assert sum(wrong(understated(release, times)) for release in releases) > most


# ---- the three conditions, on noisy counts that are given ---------------------------------


PAIR = ("maternity", "m")
LESS_NOISE = {"laplace": {"epsilon": "0.2"}, "gaussian": {"rho": "0.0045"}}


@pytest.fixture(scope="module", params=LESS_NOISE)
def judged(nearly, request):
    """What is suggested of men in maternity, where so many are counted of so many there."""
    release = release_of(nearly, LESS_NOISE[request.param], 1, SMALL)

    def suggestion(both, maternity, men=ROWS // 2):
        others = [maternity - both, ROWS - men - (maternity - both)]
        counts = {"classes": [others, [both, men - both]]}
        given = sf.Release(release.certificate, synopsis=release.synopsis | counts)
        found = suggest_constraints(given).found
        return next((one for one in found if one.constraint.forbidden == (PAIR,)), None)

    return suggestion


def test_bounds_are_at_most_a_third_of_what_chance_would_make(judged):
    most = judged(0, ROWS // 4).at_most
    far = judged(0, 20 * most)
    assert far.expected > 6 * most
    # Twice as many as the bound would be there by chance: more than it, and not three times.
    near = 2 * (2 * most) + 20 * most - 2 * far.expected
    assert judged(0, near) is None
    for times in (4, 6):
        assert judged(0, near + 2 * (times - 2) * most).expected >= 3 * most


def test_what_noise_alone_hardly_makes_is_not_taken_for_nothing(judged):
    found = judged(0, ROWS // 4)
    spread, most = found.noisy.law.deviation, found.at_most
    assert judged(round(spread), ROWS // 4) is not None
    few = round(4.5 * spread)
    assert few + most < min(ROWS / 10, ROWS / 8 / 3)  # so the other two conditions hold
    assert judged(few, ROWS // 4) is None


# ---- refusals -----------------------------------------------------------------------------


def test_releases_by_other_methods_are_refused_by_name():
    asked = {"method": "modips", "epsilon": 1, "fit": False}
    release = sf.publish(clinic(500), schema=sf.Schema.parse(CLINIC), seed=3, **asked)
    with pytest.raises(ReleaseError, match="modips publishes no tables of two columns"):
        suggest_constraints(release)


def test_a_synopsis_that_is_not_what_it_should_be_is_refused():
    release = release_of(world(), LAPLACE, 3)
    broken = sf.Release(release.certificate, synopsis=release.synopsis | {"pairs": [{}]})
    with pytest.raises(ReleaseError, match="does not hold the tables"):
        suggest_constraints(broken)


@pytest.mark.parametrize("asked", [{"share": 0}, {"share": "1.5"}, {"chance": 1}, {"chance": "x"}])
def test_shares_and_chances_lie_between_0_and_1(asked):
    with pytest.raises(ParameterError, match=f"{next(iter(asked))} must"):
        suggest_constraints(release_of(world(), LAPLACE, 3), **asked)
