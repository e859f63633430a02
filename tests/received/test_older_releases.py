"""Releases that version 0.1.0 wrote, before certificates had a type, are read and verified.

So are those whose numbers are the evenly spaced points of a grid, before these were round.
"""

import json
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.publishing.kinds.table import check_values
from sfumato.release import Certificate
from sfumato.schema import grid_number
from sfumato.schema.domain import Domain

OLDER = sorted((Path(__file__).parent / "made_by_0_1").iterdir())
EVEN = Path(__file__).parent / "made_before_round_values"
SIGNED = Path(__file__).parent / "signed_by_0_1"


@pytest.mark.parametrize("folder", OLDER, ids=lambda folder: folder.name)
def test_a_release_of_version_0_1_verifies(folder):
    found = sf.verify(folder)
    assert [check.name for check in found] == ["files", "plan", "data", "origin"]
    assert all(check.passed for check in found), found


@pytest.mark.parametrize("folder", [*OLDER, *sorted(EVEN.iterdir())], ids=lambda f: f.name)
def test_its_certificate_is_written_as_it_was_read(folder):
    record = json.loads((folder / "release.json").read_text("utf-8"))
    assert list(Certificate.of(record).to_json().items()) == list(record.items())


def test_a_signature_that_was_made_once_fits_ever_after():
    """What is signed is the certificate in the order of its fields, which therefore stays."""
    found = sf.verify(SIGNED / "table", key=SIGNED / "publisher.key.pub")
    assert all(check.passed for check in found), found


def test_a_release_of_evenly_spaced_numbers_verifies():
    assert all(check.passed for check in sf.verify(EVEN / "plain"))


@pytest.mark.parametrize("folder", ["plain", "ruled"])
def test_its_numbers_are_not_those_of_today_and_still_on_the_grid(folder):
    release = sf.Release.load(EVEN / folder)
    steps = Domain.of(release.certificate.public_schema).axes[2]
    held = release.data["steps"].drop_null().to_pylist()
    assert not set(held) <= set(grid_number.code_numbers(steps))
    (data,) = [check for check in sf.verify(EVEN / folder) if check.name == "data"]
    assert (data.passed, data.detail) == (True, "25 rows, every value on the public grid")


@pytest.mark.parametrize(
    ("column", "value", "fault"),
    [
        ("paid", 996.5, "values outside the public grid"),
        ("paid", 1027.0, "a record that its constraints or where rule out"),  # not asked for
        ("due", 401.0, "values outside the public grid"),
        ("due", 966.0, "a record that its constraints or where rule out"),  # below paid
    ],
)
def test_what_was_wrong_with_it_then_is_wrong_now(column, value, fault):
    release = sf.Release.load(EVEN / "ruled")
    (batch,) = release.data.combine_chunks().to_batches()
    check = check_values(release.certificate)
    check(batch)
    place = batch.schema.names.index(column)
    values = pa.array([value, *batch.column(column).to_pylist()[1:]], pa.float64())
    with pytest.raises(sf.ReleaseError, match=fault):
        check(batch.set_column(place, batch.schema.field(column), values))


def test_the_ledger_knows_a_part_by_the_codes_that_it_had(tmp_path, monkeypatch):
    schema = {
        "name": "clinic",
        "neighbours": "add-remove",
        "columns": {"paid": {"kind": "number", "low": -500, "high": 1_000_000}},
    }
    table, ledger = pa.table({"paid": [0.0, 900.0, 2500.0] * 20}), tmp_path / "ledger"
    with sf.Ledger.create(ledger) as made:
        made.grant("clinic", sf.PureDP(4), reason="approved")
    how = {"schema": schema, "method": "modips", "epsilon": 1, "ledger": ledger, "fit": False}
    with monkeypatch.context() as older:
        older.setattr(grid_number, "_roundest", grid_number._even_points)
        sf.publish(table, **how, part="paid=..996", rows=9, folder=tmp_path / "older")
    sf.publish(table, **how, part="paid=999..1001", rows=9, folder=tmp_path / "newer")
    for name in ("older", "newer"):
        found = sf.verify(tmp_path / name, ledger=ledger)
        assert found.passed, found
