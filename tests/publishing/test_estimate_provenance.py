"""What a schema says of the estimate behind it: exact prices, tests, and what is checked."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError
from sfumato.ledger import Ledger
from sfumato.party.agreement import agree
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.publishing.certify import stated_facts
from sfumato.publishing.estimate import estimate_schema
from sfumato.publishing.verify import verify

ROWS = 2_000
KINDS = {"name": "clinic", "columns": {"age": {"kind": "integer", "low": 0}}}
AGES = pa.table({"age": np.arange(ROWS) % 90})


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as made:
        made.grant("clinic", ApproxDP(9, "1e-2"), reason="a test")
        yield made


def paid(**figures):
    column = {"kind": "boolean", "provenance": {"release": "r", **figures}}
    return sf.Schema.of({"name": "t", "columns": {"a": column}}).columns["a"].provenance


def test_a_fraction_is_kept_exactly_from_the_estimate_to_the_sum(ledger, tmp_path):
    found = estimate_schema(AGES, schema=KINDS, epsilon="1/3", ledger=ledger)
    schema = sf.Schema.parse(found.schema.to_yaml())
    assert schema.bought[found.release.certificate.release].price == PureDP("1/3")
    asked = {"schema": schema, "epsilon": "2/3", "ledger": ledger, "folder": tmp_path / "r"}
    assert sf.publish(AGES, **asked).certificate.bought.together == PureDP(1)
    checks = {check.name: check for check in verify(tmp_path / "r", ledger=ledger)}
    assert checks["ledger"].passed
    assert "the folder of the estimate shows" in checks["ledger"].detail


def test_prices_are_numbers_or_fractions():
    assert paid(epsilon=0.1, delta=1e-9).price == ApproxDP("0.1", "1e-9")
    assert paid(epsilon="0.10") == paid(epsilon=0.1)
    assert paid(epsilon="1/3", delta="1/3000").price == ApproxDP("1/3", "1/3000")


@pytest.mark.parametrize("epsilon", [0, -1, "0", "-1/3", "x", "1/0", "1e9999", float("inf"), [1]])
def test_other_prices_are_refused(epsilon):
    with pytest.raises(SchemaError, match="provenance must be"):
        paid(epsilon=epsilon)
    with pytest.raises(SchemaError, match="provenance must be"):
        paid(epsilon=1, delta="4/3")


def test_a_seeded_estimate_claims_no_price():
    schema = estimate_schema(AGES, schema=KINDS, epsilon=1, seed=1).schema
    assert schema.bought == {}
    assert "no guarantee" in schema.columns["age"].source
    assert "epsilon" not in schema.to_yaml()


def test_without_a_ledger_the_certificate_says_that_the_purchase_was_not_checked(ledger):
    said = "was not checked against a ledger"
    schema = estimate_schema(AGES, schema=KINDS, epsilon=1, ledger=ledger).schema
    made = sf.publish(AGES, schema=schema, epsilon=1)
    assert any(said in line for line in made.certificate.limits)
    checked = sf.publish(AGES, schema=schema, epsilon=1, ledger=ledger)
    assert not any(said in line for line in checked.certificate.limits)
    plain = sf.publish(AGES, schema=sf.Schema.of(_declared()), epsilon=1)
    assert not any(said in line for line in plain.certificate.limits)


def test_parties_say_that_the_purchase_was_not_checked():
    schema = _declared(provenance={"release": "r", "epsilon": "1/3"})
    names = ["north", "south", "west"]
    agreed = agree(schema, names, method="modips", release="study", epsilon=1).plan.terms
    joint = replace(agreed, subject={**agreed.subject, "parties": {}})
    limits = stated_facts(joint, joint.guarantee, counted=False)["limits"]
    assert any("was not checked against a ledger" in line for line in limits)


def _declared(**more):
    age = {"kind": "integer", "low": 0, "high": 99, **more}
    return {"name": "clinic", "columns": {"age": age}}


def test_a_release_of_records_does_not_pass_for_an_estimate(ledger):
    sf.publish(AGES, schema=_declared(), epsilon=1, ledger=ledger, release="records")
    forged = _declared(provenance={"release": "records", "epsilon": 1})
    with pytest.raises(ParameterError, match="as a release of something else"):
        sf.publish(AGES, schema=forged, epsilon=1, ledger=ledger)


def test_a_large_delta_is_warned_of(ledger):
    words = pa.table({"ward": pa.array(["a", "b"] * 1_000)})
    kinds = {"name": "clinic", "columns": {"ward": {"kind": "category"}}}
    made = estimate_schema(words, schema=kinds, epsilon=1, delta="1e-3", ledger=ledger).release
    assert any("delta" in line for line in made.certificate.warnings)
