"""Nothing that takes rows for units reads a table whose schema makes a person the unit."""

import inspect
import json
from dataclasses import replace

import pyarrow.csv as pacsv
import pytest
from sklearn.dummy import DummyClassifier

import sfumato as sf
from commands import run
from sfumato.errors import SchemaError
from sfumato.estimator import Publisher, SyntheticTrained
from sfumato.facts.plan import planned
from sfumato.inspection import attack, error_ratio
from sfumato.inspection.attack import outlier_attack
from sfumato.inspection.compare import compare
from sfumato.inspection.compare.private_choice import choose_method
from sfumato.ledger import Ledger
from sfumato.methods import METHODS
from sfumato.party import agree
from sfumato.plan.part import DeclaredPart
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing.estimate import estimate_schema
from sfumato.publishing.table import price
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.partial import PartialSchema
from visits_world import PEOPLE, TWO_FILES, plan_for_persons, visits

UNIT = "makes a person with all of their rows the unit"
BLANK = {**PEOPLE, "columns": {**PEOPLE["columns"], "days": {"kind": "integer"}}}
ADDED = {**PEOPLE, "neighbours": "add-remove"}
BY_ROWS = [name for name, one in METHODS.items() if not one.people]
"""Methods that take rows for units; those that protect persons have tests of their own."""


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("visits", PureDP(9), reason="board", heuristic=True)
        yield ledger


@pytest.mark.parametrize("schema", [PEOPLE, ADDED, TWO_FILES])
@pytest.mark.parametrize("name", BY_ROWS)
def test_no_such_method_publishes_persons_and_nothing_is_charged(ledger, tmp_path, name, schema):
    paid = {"epsilon": 1} if METHODS[name].budgeted else {}
    head = ledger.head
    with pytest.raises(SchemaError, match=UNIT):
        sf.publish(
            visits(),
            schema=schema,
            method=name,
            ledger=ledger,
            folder=tmp_path / "release",
            accept_no_guarantee=True,
            **paid,
        )
    assert ledger.head == head
    assert not (tmp_path / "release").exists()


@pytest.fixture(params=["method for rows", "method for persons"])
def able(request, monkeypatch):
    """Whoever takes rows for units refuses also where the method itself would not."""
    if request.param == "method for persons":
        plan = plan_for_persons()
        made = replace(METHODS["modips"], people=True, plan=lambda *_: plan)
        monkeypatch.setitem(METHODS, "modips", made)
    return request.param


ASKED = {
    "estimator": lambda: Publisher(PEOPLE, method="modips", epsilon=1).fit(visits()),
    "trained model": lambda: SyntheticTrained(
        DummyClassifier(), Publisher(PEOPLE, method="modips", epsilon=1)
    ).fit(visits(), None),
    "parties": lambda: agree(
        PEOPLE, ["north", "south", "west"], method="modips", release="r", epsilon=1
    ),
    "part": lambda: price(ADDED, method="modips", epsilon=1, part="year=2020"),
    "declared part": lambda: DeclaredPart.of(Domain.of(Schema.of(ADDED)), "year=2020"),
    "comparison": lambda: compare(visits(), PEOPLE, epsilons=[1], methods=["modips"]),
    "private choice": lambda: choose_method(
        visits(), PEOPLE, methods=["modips", "dp-lda"], epsilon=1, share="0.5"
    ),
    "outlier": lambda: outlier_attack(visits(), PEOPLE, method="modips", epsilon=1),
    "error ratio": lambda: error_ratio(visits(), visits(), PEOPLE, epsilon=1),
    "estimate": lambda: estimate_schema(visits(), schema=BLANK, epsilon=1),
    "plan of an estimate": lambda: planned(PartialSchema.of(BLANK), PureDP(1), records=1000),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_whoever_takes_rows_for_units_refuses_whatever_the_method(asked, able):
    with pytest.raises(SchemaError, match=UNIT):
        asked()


OF_PERSONS = {
    "attacks",
    "lag_correlations",
    "panel_distances",
    "person_copies_attack",
    "person_membership_attack",
}


def taking_a_schema():
    """Every figure and attack of rows that takes records and a schema, and nothing of its own."""
    for module in (sf.inspection, attack):
        for name in sorted(module.__all__):
            found = getattr(module, name)
            given = inspect.signature(found).parameters if callable(found) else {}
            if "schema" in given and name not in OF_PERSONS | {"error_ratio", "outlier_attack"}:
                needed = [p.name for p in given.values() if p.default is p.empty]
                yield pytest.param(found, {*needed, "schema"} - {"options"}, id=name)


@pytest.mark.parametrize(("figure", "names"), [*taking_a_schema()])
def test_figures_and_attacks_refuse_persons(figure, names):
    with pytest.raises(SchemaError, match=UNIT):
        figure(**{name: PEOPLE if name == "schema" else visits() for name in names})


COMMANDS = {
    "publish": "publish d.csv --schema s.json --epsilon 1 --method modips -o out",
    "publish part": "publish d.csv --schema s.json --epsilon 1 --part year=2020 -o out",
    "publish local": "publish d.csv --schema s.json --epsilon 1 --method local -o out",
    "publish without a promise": "publish d.csv --schema s.json --method svd -o out "
    "--accept-no-guarantee",
    "estimate": "schema estimate d.csv --schema blank.json --epsilon 1 -o out",
    "compare": "compare d.csv --schema s.json --epsilon 1 --methods modips --uncounted",
    "audit": "audit modips --schema s.json --epsilon 1 --runs 600",
    "party": "party agree out --schema s.json --method modips --epsilon 1 --release r "
    "--party a --party b --party c",
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_every_command_refuses_by_name_and_leaves_no_file(words, tmp_path):
    pacsv.write_csv(visits(), tmp_path / "d.csv")
    (tmp_path / "s.json").write_text(json.dumps(ADDED))
    (tmp_path / "blank.json").write_text(json.dumps({**BLANK, "neighbours": "replace-one"}))
    done = run(words, cwd=tmp_path)
    assert done.returncode == 1
    assert UNIT in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["blank.json", "d.csv", "s.json"]
