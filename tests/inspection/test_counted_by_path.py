"""A look is counted in a ledger that is named by its path, and the file is closed again."""

import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic


@pytest.fixture
def path(tmp_path):
    with sf.Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", epsilon=1, reason="data board")
    return tmp_path / "budget.db"


def looks(path):
    with sf.Ledger(path) as ledger:
        return sum(ledger.inspections("clinic").values())


def test_an_inspection_and_a_comparison_count_by_path(path):
    patients, schema = clinic(60), sf.Schema.parse(CLINIC)
    release = sf.publish(patients, schema=schema, epsilon=1, ledger=path)
    assert sf.inspect(release, patients, ledger=str(path)).counted
    assert looks(path) == 1
    methods = ["modips"]
    assert sf.compare(
        patients, schema, epsilons=[1], methods=methods, trials=1, ledger=path
    ).counted
    assert looks(path) == 2
