"""All attacks at once: which ones fit, joint confidence, what they say of real methods."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attacked import CONFIDENT, matrix, noised, people, rotation

import sfumato as sf
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.inspection import attack
from sfumato.inspection.attack import attacks, matrix_attacks
from sfumato.inspection.attack.membership import SCORES

NAMES = ["membership", "reconstruction", "attribute", "linkage", "singling out"]


def names(found):
    return [one.name for one in found]


@pytest.mark.parametrize("name", ["wine", "clinic"])
def test_every_attack_succeeds_on_records_released_as_they_are(name):
    inside, outside, schema = people(name)
    found = attacks(
        inside, inside, schema, control=outside, secret=["x6" if name == "wine" else "ward"]
    )
    assert names(found) == NAMES
    assert {one.verdict for one in found} == {"succeeds"}


@pytest.mark.parametrize("name", ["wine", "clinic"])
def test_no_attack_succeeds_under_heavy_noise_and_each_had_power(name):
    inside, outside, schema = people(name)
    release = noised(inside, schema, epsilon=0.1)
    secret = ["x6" if name == "wine" else "ward"]
    found = attacks(release, inside, schema, control=outside, secret=secret, confidence=CONFIDENT)
    assert names(found) == NAMES
    assert {one.verdict for one in found} <= {"fails", "population"}


def test_no_attack_tells_a_private_synthesis_from_other_people():
    inside, outside, schema = people("clinic")
    release = sf.publish(inside, schema=schema, epsilon=1, seed=5).table
    found = attacks(release, inside, schema, control=outside, confidence=CONFIDENT)
    assert {one.verdict for one in found} <= {"fails", "population"}
    assert all(one.power for one in found)


def test_without_control_records_what_needs_them_is_left_out_and_nothing_is_said_to_leak():
    inside, _, schema = people("clinic")
    found = attacks(inside, inside, schema)
    assert names(found) == NAMES[2:]
    assert {one.verdict for one in found} == {"undecided"}


@pytest.mark.slow
def test_the_secret_is_the_label_else_every_column_else_what_is_asked_for():
    inside, _, schema = people("clinic")

    def subjects(found):
        return [one.subject for one in found if one.name == "attribute"]

    assert subjects(attacks(inside, inside, schema)) == ["outcome"]
    assert subjects(attacks(inside, inside, schema, secret=["age", "sex"])) == ["age", "sex"]
    assert subjects(attacks(inside, inside, schema, secret="age")) == ["age"]
    wine, _, numbers = people("wine")
    assert subjects(attacks(wine, wine, numbers)) == [f"x{j}" for j in range(7)]


def test_a_table_of_one_column_has_no_attribute_and_no_parts():
    schema = {"name": "t", "columns": {"x": {"kind": "integer", "low": 0, "high": 9}}}
    table = pa.table({"x": list(range(10))})
    assert names(attacks(table, table, schema, control=table)) == [*NAMES[:2], "singling out"]


def test_the_confidence_holds_for_all_attacks_together():
    inside, outside, schema = people("clinic")
    found = attacks(inside, inside, schema, control=outside, confidence=0.9)
    assert found[0].confidence == pytest.approx(1 - 0.1 / len(found) / len(SCORES))
    assert [one.confidence for one in found[1:]] == pytest.approx([1 - 0.1 / len(found)] * 4)
    with pytest.raises(ParameterError, match="confidence"):
        attacks(inside, inside, schema, confidence=1)


def test_frames_and_files_are_attacked_as_well_and_left_as_they_were(tmp_path):
    inside, outside, schema = people("clinic")
    frame = inside.to_pandas()
    before = frame.copy(deep=True)
    pq.write_table(outside, tmp_path / "others.parquet")
    found = attacks(frame, inside, schema, control=tmp_path / "others.parquet", seed=3)
    assert found == attacks(inside, inside, schema, control=outside, seed=3)
    assert frame.equals(before)


def test_the_parts_to_link_can_be_named():
    inside, outside, schema = people("clinic")
    found = attacks(inside, inside, schema, control=outside, split=(["sex"], ["smoker"]))
    assert found[3].verdict == "no power"
    with pytest.raises(SchemaError, match="two parts"):
        attacks(inside, inside, schema, split=([], ["smoker"]))


def test_a_rotation_falls_to_known_records_and_noise_without_proof_to_filters(rng):
    A = matrix("cancer")
    turned = matrix_attacks(A @ rotation(31, rng), A, confidence=CONFIDENT)
    assert names(turned) == ["angle", "known sample, least squares", "known sample, Procrustes"]
    assert {one.verdict for one in turned[1:]} == {"succeeds"}
    noisy = matrix_attacks(A + rng.normal(size=A.shape), A, deviation=1, confidence=CONFIDENT)
    filters = ["spectral filtering", "PCA", "Bayes estimate"]
    assert names(noisy)[3:] == filters
    assert {one.verdict for one in noisy[3:]} == {"succeeds"}


def test_heavy_noise_stops_every_matrix_attack(rng):
    A = matrix("wine")
    scale = 100 * A.std()
    noisy = A + rng.laplace(0, scale, A.shape)
    found = matrix_attacks(noisy, A, deviation=scale * np.sqrt(2), confidence=CONFIDENT)
    assert {one.verdict for one in found} <= {"fails", "no power"}
    assert sum(one.verdict == "fails" for one in found) == 5


def test_matrix_attacks_that_the_shapes_do_not_allow_are_left_out(rng):
    A = rng.normal(size=(90, 3))
    assert names(matrix_attacks(A @ rng.normal(size=(3, 5)), A, deviation=1)) == [
        "angle",
        "known sample, least squares",
    ]
    few = A[:11]
    assert names(matrix_attacks(few, few)) == [
        "known sample, least squares",
        "known sample, Procrustes",
    ]
    assert matrix_attacks(A[:3], A[:3]) == ()
    with pytest.raises(DataError, match="finite"):
        matrix_attacks(A * np.nan, A)


def test_every_attack_says_that_it_is_not_private():
    assert "NOT PRIVATE" in attack.__doc__
    for name in attack.__all__:
        if name.islower() and name not in ("gap", "most_advantage"):
            assert getattr(attack, name).__doc__.startswith("NOT PRIVATE"), name
