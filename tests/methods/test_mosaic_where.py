"""mosaic with constraints and conditions, from records to a verified folder."""

import json

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chi2_contingency

from sfumato.errors import ParameterError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing.table import price, publish
from sfumato.publishing.verify import verify
from slowness import slow

FALSE_ALARM = 1e-6
COLUMNS = {
    "age": {"kind": "integer", "low": 18, "high": 97},
    "sex": {"kind": "category", "values": ["f", "m"]},
    "ward": {"kind": "category", "values": ["maternity", "surgery", "medicine"]},
    "admitted": {"kind": "date", "low": "2024-01-01", "high": "2025-12-31"},
    "discharged": {"kind": "date", "low": "2024-01-01", "high": "2025-12-31"},
    "outcome": {"kind": "category", "values": ["home", "care"], "role": "label"},
}
CONSTRAINTS = [
    "admitted <= discharged",
    {"columns": ["sex", "ward"], "forbidden": [["m", "maternity"]]},
]


def schema(constraints=(), **changes):
    return {"name": "clinic", "columns": COLUMNS, "constraints": list(constraints)} | changes


@pytest.fixture(scope="module")
def patients():
    """Old people need care, and stay longer; a third of the women are mothers, who are young."""
    rng, n = np.random.default_rng(1), 4_000
    age = np.clip(rng.normal(55, 20, n), 18, 97).astype(int)
    sex = np.where(rng.random(n) < 0.5, "f", "m")
    mother = (sex == "f") & (age < 45) & (rng.random(n) < 0.7)
    ward = np.where(mother, "maternity", np.where(rng.random(n) < 0.5, "surgery", "medicine"))
    first = rng.integers(0, 600, n)
    last = np.minimum(first + rng.poisson(age), 730)
    day = np.datetime64("2024-01-01")
    care = rng.random(n) < (age - 18) / 100
    return pa.table(
        {
            "age": age,
            "sex": sex,
            "ward": ward,
            "admitted": day + first,
            "discharged": day + last,
            "outcome": np.where(care, "care", "home"),
        }
    )


def cells(frame):
    """Age by decades, ward and outcome, as one number each."""
    age = np.minimum(frame["age"].to_numpy() // 10, 8)
    ward = np.array([COLUMNS["ward"]["values"].index(v) for v in frame["ward"].to_pylist()])
    care = np.array(frame["outcome"].to_pylist()) == "care"
    return np.bincount((age * 3 + ward) * 2 + care, minlength=54)


@pytest.mark.parametrize("model", ["latent", slow("forest")])
def test_where_draws_what_filtering_a_large_release_would_leave(model, patients):
    """Same seed, same noise, same model; the unfiltered release is the control."""
    made = {"schema": schema(), "epsilon": 2, "delta": "1e-6", "seed": 7, "model": model}
    every = publish(patients, rows=200_000, **made).data
    some = publish(patients, rows=40_000, where="sex=f, age=30..69", **made).data
    sex, age = np.array(every["sex"].to_pylist()), every["age"].to_numpy()
    filtered = every.filter(pa.array((sex == "f") & (age >= 30) & (age <= 69)))
    assert set(some["sex"].to_pylist()) == {"f"}
    assert 30 <= some["age"].to_numpy().min() <= some["age"].to_numpy().max() <= 69

    def alike(table):
        counts = np.stack([cells(some), cells(table)])
        return chi2_contingency(counts[:, counts.sum(axis=0) > 0]).pvalue > FALSE_ALARM

    assert alike(filtered)
    men = every.filter(pa.array((sex == "m") & (age >= 30) & (age <= 69)))
    assert not alike(men)
    assert not alike(every)


@pytest.mark.parametrize("model", ["latent", "forest"])
def test_without_a_number_there_are_as_many_as_the_model_expects(model, patients):
    made = {"schema": schema(), "epsilon": 2, "delta": "1e-6", "seed": 7, "model": model}
    found = publish(patients, where={"outcome": "care", "sex": "f"}, **made).data
    every = publish(patients, **made).data.to_pylist()
    expected = sum(row["outcome"] == "care" and row["sex"] == "f" for row in every)
    # Even draws miss an expected number by a few at most; by chance by 6 deviations of 30.
    assert abs(found.num_rows - expected) < 6 * 30
    assert 0 < found.num_rows < len(every) / 2


def test_what_nobody_has_is_drawn_all_the_same(patients):
    release = publish(patients, schema=schema(), epsilon=1, where="sex=m,ward=maternity,age=97")
    assert release.data.num_rows >= 1
    assert set(release.data["ward"].to_pylist()) == {"maternity"}


@pytest.mark.parametrize("model", ["latent", "forest"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_every_record_keeps_the_constraints_and_the_folder_verifies(
    model, neighbours, patients, tmp_path
):
    known = schema(CONSTRAINTS, neighbours=neighbours)
    folder = tmp_path / "release"
    release = publish(
        patients, schema=known, epsilon=1, model=model, where="age=60..", folder=folder
    )
    rows = release.data.to_pylist()
    assert rows
    assert all(row["admitted"] <= row["discharged"] for row in rows)
    assert not any(row["sex"] == "m" and row["ward"] == "maternity" for row in rows)
    assert all(row["age"] >= 60 for row in rows)
    paper = release.certificate
    assert paper.options["where"] == {"age": "60.."}
    assert any(limit.startswith("Only records with age=60..") for limit in paper.limits)
    assert any("by rejection" in limit for limit in paper.limits)
    assert all(check.passed for check in verify(folder)), verify(folder)


def test_without_constraints_records_break_them(patients):
    """The control of the test above: noise and coarse bins alone do not keep them."""
    rows = publish(patients, schema=schema(), epsilon=1, seed=3).data.to_pylist()
    assert any(row["admitted"] > row["discharged"] for row in rows)


def test_a_certificate_that_claims_more_than_the_records_keep_does_not_verify(patients, tmp_path):
    folder = tmp_path / "release"
    publish(patients, schema=schema(), epsilon=1, folder=folder, seed=3)
    paper = json.loads((folder / "release.json").read_text())
    paper["schema"]["constraints"] = CONSTRAINTS
    (folder / "release.json").write_text(json.dumps(paper))
    failed = {check.name: check.detail for check in verify(folder) if not check.passed}
    assert failed["data"] == "the data holds a record that its constraints or where rule out"


@pytest.mark.parametrize("model", ["latent", "forest"])
def test_a_charged_release_comes_out_even_if_the_data_contradicts_it(model, patients, tmp_path):
    """Nobody leaves before arriving, but the schema says that all do."""
    ledger = Ledger.create(tmp_path / "budget.db")
    ledger.grant("clinic", PureDP(1), reason="test")
    known = schema(
        [
            "admitted > discharged",
            {"columns": ["sex", "ward"], "allowed": [["f", "surgery"], ["m", "maternity"]]},
        ]
    )
    release = publish(patients, schema=known, epsilon=1, model=model, ledger=ledger, release="r")
    assert ledger.entry("r").state == "released"
    rows = release.data.to_pylist()
    assert len(rows) == 4_000
    assert all(row["admitted"] > row["discharged"] for row in rows)
    assert {(row["sex"], row["ward"]) for row in rows} == {("f", "surgery"), ("m", "maternity")}


@pytest.mark.parametrize("where", ["sex=x", "sex=m,ward=maternity", "height=3"])
def test_what_cannot_be_drawn_is_refused_before_any_record_is_read(where):
    with pytest.raises(ParameterError, match="where"):
        price(schema(CONSTRAINTS), epsilon=1, where=where)


def test_conditions_change_no_noise_and_no_price():
    plain = price(schema(), epsilon=1)
    asked = price(schema(CONSTRAINTS), epsilon=1, where="sex=f")
    assert asked.events == plain.events
    assert asked.terms.digest() != plain.terms.digest()
    assert "where" not in plain.options
