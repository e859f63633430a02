"""Certificates of releases that promise nothing cannot be turned into better ones."""

import json

import pytest

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.example import CLINIC, clinic
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP
from sfumato.release.digest import digest
from sfumato.schema import Schema

SCHEMA = Schema.parse(CLINIC)
NUMBERS = {
    "name": "n",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 110},
        "pressure": {"kind": "integer", "low": 60, "high": 240},
    },
}


def rewritten(folder, **changes):
    paper = json.loads((folder / "release.json").read_text()) | changes
    paper["seal"] = digest(paper)
    (folder / "release.json").write_text(json.dumps(paper))
    return [check.name for check in sf.verify(folder) if not check.passed]


@pytest.fixture
def additive(tmp_path):
    table = clinic(60).select(["age", "pressure"])
    sf.publish(
        table, schema=NUMBERS, method="additive", folder=tmp_path / "r", accept_no_guarantee=True
    )
    return tmp_path / "r"


@pytest.mark.parametrize(
    "change",
    [
        {"warnings": []},
        {"limits": []},
        {"randomness": "exact discrete noise"},
        {"budget": {"label": "pure-DP", "epsilon": "1"}},
        {
            "guarantee": {"label": "pure-DP", "epsilon": "1"},
            "statement": "1-differential privacy",
        },
        {"columns": None},
    ],
    ids=lambda change: ",".join(change),
)
def test_no_field_that_says_so_can_be_taken_away(additive, change):
    assert rewritten(additive) == []  # so it is the change that is found
    assert "plan" in rewritten(additive, **change)


def test_a_certificate_that_names_a_file_is_refused_without_opening_it(tmp_path):
    sf.publish(
        clinic(60), schema=SCHEMA, method="lop", epsilon=1, basis=clinic(50), folder=tmp_path / "r"
    )
    paper = json.loads((tmp_path / "r" / "release.json").read_text())
    named = paper["options"] | {"basis": str(tmp_path / "no such file.csv")}
    assert rewritten(tmp_path / "r", options=named) == ["plan"]
    (check,) = [c for c in sf.verify(tmp_path / "r") if not c.passed]
    assert check.detail == "the certificate names a file in place of what was in it"


@pytest.mark.parametrize("said", ["no", "false", 1, None])
def test_only_true_accepts_that_nothing_is_promised(said):
    with pytest.raises(ParameterError, match="accept_no_guarantee must be True or False"):
        sf.publish(
            clinic(60),
            schema=SCHEMA,
            method="lip",
            epsilon=1,
            as_published=True,
            accept_no_guarantee=said,
        )


@pytest.mark.parametrize(
    ("method", "options", "said"),
    [
        ("lop", {"basis": {}}, "must hold values, U and mean"),
        ("lap-pca", {"radius": "1e400"}, "radius must be"),
        ("pca-gauss-mixture", {"radius": "1e-300"}, "radius must be"),
        ("power-method", {"iterations": "1e9"}, "iterations must be"),
    ],
)
def test_odd_options_are_refused_before_anything_is_charged(method, options, said, tmp_path):
    ledger = sf.Ledger.create(tmp_path / "l.db")
    ledger.grant("clinic", PureDP(5), reason="a test")
    budget = {"rho": "0.1"} if method == "power-method" else {"epsilon": 1}
    with pytest.raises(ParameterError, match=said):
        sf.publish(clinic(60), schema=SCHEMA, method=method, ledger=ledger, **budget, **options)
    assert ledger.balance("clinic").spent == Charge()


def test_options_of_any_number_type_are_written_as_json(tmp_path):
    from fractions import Fraction

    import numpy as np

    release = sf.publish(
        clinic(60),
        schema=SCHEMA,
        method="lip",
        epsilon=1,
        rank=np.int64(2),
        radius=Fraction(4, 3),
        folder=tmp_path / "r",
    )
    assert release.certificate.options["radius"] == "4/3"
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
