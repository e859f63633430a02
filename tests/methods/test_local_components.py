"""lop in component space: a local promise, a label that answers, refusals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError
from sfumato.inspection.audit.step import steps_of
from sfumato.inspection.audit.tape import TapePurse, taped
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import LocalDP, PureDP, compose
from sfumato.publishing.table import price
from sfumato.table.records import Records
from sfumato.table.source import open_source

COLUMNS = {
    "age": {"kind": "integer", "low": 0, "high": 4},
    "ward": {"kind": "category", "values": ["a", "b", "c"]},
    "sick": {"kind": "boolean", "role": "label"},
}
SCHEMA = {"name": "clinic", "columns": COLUMNS}


def clinic(rows, seed):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": rng.integers(0, 5, rows),
            "ward": rng.choice(["a", "b", "c"], rows),
            "sick": rng.random(rows) < 0.4,
        }
    )


PUBLIC = clinic(50, 9)
ASKED = {"basis": PUBLIC, "basis_source": "made up", "rank": 2, "space": "components"}


def planned(schema=SCHEMA, **options):
    return price(schema, method="lop", **({"epsilon": 2} | ASKED | options))


def test_the_promise_is_local_and_charged_as_a_central_one(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger.db")
    ledger.grant("clinic", PureDP(2), reason="a test")
    release = sf.publish(
        clinic(40, 1), schema=SCHEMA, method="lop", epsilon=2, ledger=ledger,
        folder=tmp_path / "r", **ASKED,
    )  # fmt: skip
    assert release.guarantee == LocalDP(2)
    assert [event.cost for event in release.certificate.events] == [LocalDP("3/2"), LocalDP("1/2")]
    assert release.table.column_names == ["component_1", "component_2", "sick"]
    assert set(release.table["sick"].to_pylist()) <= {"true", "false"}
    assert all(check.passed for check in sf.verify(tmp_path / "r", ledger=ledger))


@pytest.mark.parametrize("share", [None, "1/10", "0.9"])
def test_coordinates_and_label_share_the_budget(share):
    along, answers = planned(label_share=share).events
    assert answers.cost == LocalDP(2 * Fraction(share or "1/4"))
    assert compose(along.cost, answers.cost) == LocalDP(2)


def test_brute_force_over_all_pairs_of_records_attains_epsilon_and_never_exceeds_it():
    plan = planned()
    rows = [
        {"age": age, "ward": ward, "sick": sick}
        for age, ward, sick in product(
            ("0", "2", "4", "-7"), ("a", "b", "c", "?"), ("true", "false")
        )
    ]
    with taped():
        runs, script = [], None
        for row in rows:
            table = pa.table({name: pa.array([value], pa.string()) for name, value in row.items()})
            purse = TapePurse(plan.guarantee, seed=0, script=script)
            released = plan.measure(Records(open_source(table), plan.domain), purse)
            list(plan.render(released, None, np.random.default_rng(0)))
            script = script or purse.outputs
            runs.append(steps_of(purse.tape, purse.events))
    worst = max(
        float(
            np.sum(
                [s.moved([o[k] for o in runs]).epsilon for k, s in enumerate(mine)], axis=0
            ).max()
        )
        for mine in runs
    )
    assert worst == pytest.approx(2, rel=1e-9)


def test_a_data_holder_needs_only_the_schema_and_the_basis_and_may_have_a_single_record():
    fields = planned().options["basis"]
    one = sf.publish(
        clinic(1, 3), schema=SCHEMA, method="lop", epsilon=2, **(ASKED | {"basis": fields})
    )
    assert one.table.num_rows == 1


def test_without_a_label_all_of_the_budget_is_for_coordinates():
    plain = {**SCHEMA, "columns": {**COLUMNS, "sick": {"kind": "boolean"}}}
    plan = planned(plain)
    assert [event.cost for event in plan.events] == [LocalDP(2)]
    assert plan.columns.names == ["component_1", "component_2"]
    with pytest.raises(ParameterError, match="no column has role: label"):
        planned(plain, label_share="0.5")


def test_a_table_like_the_original_promises_what_it_did_and_says_no_more():
    plan = planned(space="columns")
    assert plan.guarantee == PureDP(2)
    assert set(plan.options) == {"basis", "basis_source", "rank", "alpha", "radius"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"space": "both"}, "space must be columns or components"),
        ({"epsilon": 1, "delta": "1e-6"}, "leave out delta and rho"),
        ({"epsilon": None, "rho": 1}, "leave out delta and rho"),
        ({"label_share": 1}, "label_share must be a number above 0 and below 1"),
        ({"label_share": "most"}, "label_share must be"),
        ({"space": "columns", "label_share": "0.5"}, "label_share is for space=components"),
        ({"basis": None}, "lop takes its components from public data"),
        ({"basis": None, "basis_source": None, "as_published": True}, "as published has no space"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(given, said):
    with pytest.raises(ParameterError, match=said):
        planned(**given)


def test_a_label_with_the_name_of_a_component_is_refused():
    columns = {"component_1": COLUMNS["sick"], "age": COLUMNS["age"], "ward": COLUMNS["ward"]}
    basis = PUBLIC.rename_columns(["age", "ward", "component_1"])
    with pytest.raises(SchemaError, match="column component_1: components have this name"):
        planned({"name": "t", "columns": columns}, basis=basis)
