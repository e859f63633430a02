"""Singling out: predicates that hold of one released record, of one real one, by chance."""

import numpy as np
import pyarrow as pa
import pytest
from attacked import CONFIDENT, noised, people

from sfumato.errors import ParameterError
from sfumato.inspection.attack import Rate, singling_out_attack
from sfumato.inspection.attack.singling_out import _design_effect, _drawn, _isolating, _Predicates
from sfumato.inspection.utility import encoded
from sfumato.schema.domain import MISSING, Domain, Grid

EVERYBODY = pytest.mark.parametrize("name", ["wine", "cancer", "clinic"])


@EVERYBODY
def test_records_released_as_they_are_are_singled_out(name):
    inside, outside, schema = people(name)
    found = singling_out_attack(inside, inside, schema, control=outside, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.value == 1
    assert found.control.value < 0.5


@EVERYBODY
def test_records_under_heavy_noise_are_not(name):
    inside, outside, schema = people(name)
    release = noised(inside, schema, epsilon=0.1)
    found = singling_out_attack(release, inside, schema, control=outside, confidence=CONFIDENT)
    assert found.power
    assert found.verdict == "fails"


def test_a_release_of_other_people_isolates_no_more_of_these_than_of_the_control():
    inside, outside, schema = people("clinic")
    found = singling_out_attack(
        inside.slice(200),
        inside.slice(0, 200),
        schema,
        control=outside.slice(0, 200),
        confidence=CONFIDENT,
    )
    assert found.power
    assert found.verdict in ("population", "fails")
    assert found.over_control.low < 0


def test_what_isolates_by_chance_isolates_as_many_of_the_control(rng):
    schema = {
        "name": "t",
        "columns": {f"x{j}": {"kind": "number", "low": 0, "high": 1} for j in range(3)},
    }
    release, inside, outside = (
        pa.table({f"x{j}": rng.random(500) for j in range(3)}) for _ in range(3)
    )
    found = singling_out_attack(release, inside, schema, control=outside, confidence=CONFIDENT)
    assert 0.05 < found.success.value < 0.6
    assert found.over_control.low < 0 < found.over_control.high


@pytest.mark.parametrize("tied", [True, False])
def test_predicates_that_hang_on_the_same_people_count_for_less(tied, rng):
    """Ten predicates about one person each are ten tries; a hundred about the same ten are not."""
    people = np.arange(1_000, dtype=np.int32)[:, None]
    codes = (np.arange(100) % (10 if tied else 100))[:, None]
    said = _Predicates(np.zeros((100, 1), np.int64), np.zeros((100, 1), np.int64), codes)
    # A person in one half is not in the other: twice the variance even of separate people.
    assert _design_effect([said], people, rng) == pytest.approx(20 if tied else 2, rel=0.4)


def test_a_predicate_about_nobody_or_everybody_has_no_design_effect(rng):
    people = np.zeros((100, 1), np.int32)
    for code in (0, 1):
        said = _Predicates(*(np.full((5, 1), value) for value in (0, 0, code)))
        assert _design_effect([said], people, rng) == 1
    assert _design_effect([], people, rng) == 1


def test_the_fit_of_a_predicate_is_the_one_brute_force_counts():
    inside, _, schema = people("clinic")
    domain = Domain.of(schema)
    table = encoded(inside, domain)
    said = _drawn(domain, table, 3, 200, np.random.default_rng(0))
    fits = said.fits(table)
    signs = {0: "equal", 1: "at least", 2: "at most"}
    for row in range(len(said)):
        true = np.ones(len(table), bool)
        for column, sign, code in zip(
            said.columns[row], said.signs[row], said.codes[row], strict=True
        ):
            values = table[:, column]
            grid = isinstance(domain.axes[column], Grid)
            assert (signs[sign] == "equal") == (not grid or code == MISSING)
            known = values != MISSING
            compared = {"equal": values == code, "at least": known & (values >= code)}
            compared["at most"] = known & (values <= code)
            true &= compared[signs[sign]]
        assert fits[row] == true.sum()
        assert fits[row] >= 1  # the record it was drawn from
    assert {0, 1, 2} == set(said.signs.ravel())


def test_predicates_are_all_different_and_isolate_a_released_record():
    inside, _, schema = people("clinic")
    domain = Domain.of(schema)
    table = encoded(inside, domain)
    parts = _isolating(domain, table, 3, 100, np.random.default_rng(0))
    assert sum(map(len, parts)) == 100
    assert all((part.fits(table) == 1).all() for part in parts)
    rows = [part[row] for part in parts for row in range(len(part))]
    assert len({str((row.columns, row.signs, row.codes)) for row in rows}) == 100
    # Three columns of so many patients seldom isolate one, so some speak of more.
    assert [part.columns.shape[1] for part in parts] == list(range(3, 3 + len(parts)))
    assert len(parts) > 1


def test_no_predicate_is_true_of_the_empty_table():
    said = _Predicates(np.array([[0]]), np.array([[0]]), np.array([[1]]))
    assert said.fits(np.empty((0, 1), np.int32)).tolist() == [0]


def test_control_and_records_are_compared_at_the_same_number():
    inside, outside, schema = people("clinic")
    found = singling_out_attack(inside, inside, schema, control=outside.slice(0, 100))
    assert found.details["records"] == 100
    alone = singling_out_attack(inside, inside, schema)
    assert alone.details["records"] == 400
    assert alone.verdict == "undecided"


def test_no_more_predicates_are_tried_than_asked_for_and_no_more_columns_than_there_are():
    inside, outside, schema = people("wine")
    found = singling_out_attack(inside, inside, schema, control=outside, predicates=30, columns=50)
    assert (found.success.hits, found.success.tries) == (30, 30)


def test_a_release_without_a_single_record_that_stands_out_stops_the_attack():
    inside, outside, schema = people("clinic")
    same = inside.take([0] * 50)
    found = singling_out_attack(same, inside, schema, control=outside)
    assert found.success == Rate(0, 0)
    assert found.verdict == "fails"
    assert "found nothing to say" in found.sentence


def test_control_records_that_are_in_the_data_have_no_power():
    inside, _, schema = people("clinic")
    found = singling_out_attack(inside, inside, schema, control=inside)
    assert "even if the records themselves" in found.weakness


def test_the_same_seed_gives_the_same_result():
    inside, outside, schema = people("clinic")
    first, again, other = (
        singling_out_attack(outside, inside, schema, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("name", ["columns", "predicates"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True])
def test_impossible_numbers_are_refused(name, value):
    inside, _, schema = people("clinic")
    with pytest.raises(ParameterError, match=f"{name} must be a whole number of at least 1"):
        singling_out_attack(inside, inside, schema, **{name: value})
