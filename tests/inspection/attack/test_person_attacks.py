"""Attacks on whole persons: copies under new keys are caught, draws of other people are not."""

import numpy as np
import pyarrow as pa
import pytest
from attacked import CONFIDENT, FALSE_ALARM

import sfumato as sf
from panel_world import LOOSE, ONE, TWO, histories, linked, with_new_keys
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.inspection.attack import person_copies_attack, person_membership_attack
from sfumato.inspection.attack.person_scores import PERSON_SCORES

SHAPES = pytest.mark.parametrize("schema", [ONE, LOOSE, TWO], ids=["ordered", "loose", "two"])


def shaped(table, schema):
    return linked(table) if schema is TWO else table


@pytest.fixture(scope="module")
def people():
    """Those in the data, a control, and others of the same population."""
    rng = np.random.default_rng(7)
    return tuple(histories(300, rng, first=1_000 * k) for k in range(3))


@SHAPES
def test_a_release_of_the_records_under_new_keys_is_caught(people, schema, rng):
    known, control, _ = people
    copied = with_new_keys(known, rng if schema is LOOSE else None)
    sides = (shaped(copied, schema), shaped(known, schema), schema)
    others = shaped(control, schema)
    found = person_membership_attack(*sides, control=others, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.value - found.control.value > 0.9
    found = person_copies_attack(*sides, control=others, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.hits == found.success.tries > 200
    assert found.control.hits == 0


@SHAPES
def test_a_release_of_other_people_is_not_caught(people, schema):
    """A false alarm has a chance of at most 1e-6."""
    assert FALSE_ALARM == 1e-6
    known, control, fresh = (shaped(side, schema) for side in people)
    for attack in (person_membership_attack, person_copies_attack):
        found = attack(fresh, known, schema, control=control, confidence=CONFIDENT)
        assert found.power
        assert found.verdict == "fails"


def test_rows_that_were_handed_to_others_are_found_by_rows_and_are_no_copies(people, rng):
    known, control, _ = people
    mixed = rng.permutation(known.num_rows)
    release = known.set_column(0, "patient", known["patient"].take(pa.array(mixed)))
    loose = {**LOOSE, "columns": {k: {**c} for k, c in LOOSE["columns"].items()}}
    for name in ("sex", "born"):
        loose["columns"][name].pop("per")
    found = person_membership_attack(release, known, loose, control=control, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.details["score"] == "rows beside others"
    assert found.details["advantage by closeness"] < 0.3
    copies = person_copies_attack(release, known, loose, control=control)
    assert copies.success.value < 0.2  # of those whose rows came together again


def test_a_release_whose_tables_fit_too_well_is_found_by_tables(rng):
    """Each row is of ten persons, two columns of one at a time: no copy, but all of its tables."""
    letters, names = np.array(list("abcdefghijklmnopqrst")), [f"c{j}" for j in range(8)]
    columns = {name: {"kind": "category", "values": list(letters)} for name in names}
    schema = {"name": "t", "person": "id", "columns": {"id": {"kind": "id"}, **columns}}
    codes = rng.integers(0, 20, (300, 8))  # two rows of each of 150 persons, half of them in it

    def table(rows):
        ids = np.arange(len(rows)) // 2
        return pa.table({"id": ids} | {n: letters[rows[:, j]] for j, n in enumerate(names)})

    parts = []
    for _ in range(11):
        order, mixed = rng.permutation(8), np.empty((150, 8), int)
        for two in order.reshape(4, 2):
            mixed[:, two] = codes[rng.permutation(150)][:, two]
        parts.append(mixed)
    found = person_membership_attack(
        table(np.vstack(parts)), table(codes[:150]), schema, control=table(codes[150:])
    )
    assert found.verdict == "succeeds"
    assert found.details["score"] == "tables"


def test_persons_who_are_alike_by_chance_are_no_copies_that_tell_anything(rng):
    schema = {
        "name": "t",
        "person": "id",
        "columns": {"id": {"kind": "id"}, "sick": {"kind": "boolean"}},
    }

    def some():
        return pa.table({"id": np.repeat(np.arange(200), 2), "sick": rng.random(400) < 0.5})

    found = person_copies_attack(some(), some(), schema, control=some())
    assert found.success.value == found.control.value == found.baseline.value == 1
    assert found.verdict == "no power"


def test_without_control_copies_are_asked_and_membership_is_not(people):
    known = people[0]
    (found,) = sf.attacks(with_new_keys(known), known, ONE)
    assert (found.name, found.verdict) == ("copies of persons", "undecided")
    with pytest.raises(ParameterError, match="control must be given: persons"):
        person_membership_attack(known, known, ONE, control=None)


def test_all_attacks_hold_together_and_do_not_depend_on_how_files_are_sorted(people, rng):
    known, control, fresh = people
    found = sf.attacks(fresh, known, ONE, control=control, confidence=0.9)
    assert [one.name for one in found] == ["membership of a person", "copies of persons"]
    assert found[0].confidence == pytest.approx(1 - 0.05 / len(PERSON_SCORES))
    assert found[1].confidence == pytest.approx(0.95)
    mixed = known.take(pa.array(rng.permutation(known.num_rows)))
    assert sf.attacks(fresh, mixed, ONE, control=control, confidence=0.9) == found


def test_of_many_persons_only_some_are_targets(people):
    known, control, _ = people
    found = person_membership_attack(known, known, ONE, control=control, targets=100)
    assert found.success.tries == 50


def test_few_persons_have_no_power(people):
    known, control, _ = people
    few = known.filter(pa.compute.less(known["patient"], 5))
    found = person_membership_attack(few, few, ONE, control=control, confidence=CONFIDENT)
    assert "tries are too few" in found.weakness
    single = known.filter(pa.compute.equal(known["patient"], 0)).slice(0, 1)
    assert not person_membership_attack(single, single, ONE, control=single).power
    none = person_copies_attack(single, single, ONE)
    assert (none.success.tries, none.verdict) == (0, "no power")
    assert "nan" not in none.sentence


def test_what_is_wrong_is_refused(people):
    known, control, _ = people
    with pytest.raises(ParameterError, match="targets must be a whole number of at least 1"):
        person_membership_attack(known, known, ONE, control=control, targets=0)
    with pytest.raises(ParameterError, match="confidence"):
        person_copies_attack(known, known, ONE, confidence=95)
    for name, sides in {
        "release": (known.slice(0, 0), known, control),
        "original": (known, known.slice(0, 0), control),
        "control": (known, known, control.slice(0, 0)),
    }.items():
        with pytest.raises(DataError, match=f"the {name} has no person with a row"):
            person_membership_attack(*sides[:2], ONE, control=sides[2])
    for asked in ({"secret": "cost"}, {"split": (["sex"], ["cost"])}):
        with pytest.raises(SchemaError, match="secret and split are for attacks that"):
            sf.attacks(known, known, ONE, **asked)
    with pytest.raises(SchemaError, match="figures and attacks take each row as a unit"):
        sf.inspection.attack.linkage_attack(known, known, ONE)


def test_persons_may_have_nothing_once(people):
    columns = {k: c for k, c in ONE["columns"].items() if k not in ("sex", "born")}
    known, control, fresh = people
    for found in sf.attacks(fresh, known, {**ONE, "columns": columns}, control=control):
        assert found.power
