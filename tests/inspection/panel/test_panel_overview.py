"""A release by person is inspected by person: sections, refusals, the ledger, the page."""

import stat

import pyarrow as pa
import pytest

from panel_world import COLUMNS, LOOSE, ONE, TWO, histories, linked, release_of, with_new_keys
from sfumato.errors import BudgetError, DataError, SchemaError
from sfumato.inspection.overview import inspect
from sfumato.inspection.page import WARNING, html, write_page
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP


@pytest.fixture
def people(rng):
    """Those in the data, a control, and others who may pass for a release."""
    return tuple(histories(150, rng, first=1_000 * k) for k in range(3))


def section(found, title):
    return next(each for each in found.sections if each.title == title)


def values(found, title):
    return {line.what: line.value for line in section(found, title).lines}


def test_a_release_of_one_table_is_judged_by_persons_and_by_what_follows(people):
    known, control, fresh = people
    found = inspect(release_of(fresh, ONE), known, control=control, confidence=1 - 1e-6)
    assert [each.title for each in found.sections] == [
        "Fit",
        "Persons",
        "Distributions",
        "From row to row",
        "Attacks",
    ]
    assert (found.rows, found.records, found.units) == (fresh.num_rows, 150, "persons")
    persons = values(found, "Persons")
    assert float(persons["total variation, rows per person"]) < 0.2
    kept = ("year never falls", "days never falls", "sex is constant", "born is constant")
    assert all(persons[what] == "100.0%" for what in kept)
    assert list(values(found, "Distributions")) == [
        "total variation, columns",
        "total variation, pairs of columns",
        "total variation, persons × rows",
    ]
    lags = values(found, "From row to row")
    assert list(lags) == [
        "total variation, a row and the next",
        "total variation, year",
        "correlation, cost",
        "correlation, days",
    ]
    assert len(lags["correlation, cost"].split(", ")) == 3
    assert values(found, "Attacks") == {
        "membership of a person": "fails",
        "copies of persons": "fails",
    }


def test_attacks_on_rows_are_left_out_by_name_and_a_missing_control_is_said(people):
    known, control, fresh = people
    remark = section(inspect(release_of(fresh, ONE), known), "Attacks").remark
    assert "Attribute, linkage, singling out and reconstruction take each row" in remark
    assert "Membership needs control persons" in remark
    remark = section(inspect(release_of(fresh, ONE), known, control=control), "Attacks").remark
    assert "needs control" not in remark


def test_copies_under_new_keys_are_said_to_be_given_away(people):
    known, control, _ = people
    found = inspect(release_of(with_new_keys(known), ONE), known, control=control)
    assert set(values(found, "Attacks").values()) == {"succeeds"}
    assert values(found, "Persons")["total variation, rows per person"] == "0.000"


def test_two_tables_are_looked_at_together(people):
    known, control, fresh = map(linked, people)
    known["events"] = known["events"].set_column(
        4, "ward", pa.array(["unheard of", *known["events"]["ward"].to_pylist()[1:]])
    )
    found = inspect(release_of(fresh, TWO), known, control=control)
    assert found.records == 153  # three of them without a row
    assert "without a row 2.0%, the records 2.0%" in section(found, "Persons").lines[0].meaning
    fit = values(found, "Fit")
    assert fit["persons: records that fit"] == "100.0%"
    assert any(what.startswith("events: ward, ") for what in fit)


def test_without_an_order_any_two_rows_are_compared(people):
    known, _, fresh = people
    found = inspect(release_of(fresh, LOOSE), known)
    assert "total variation, two rows of a person" in values(found, "From row to row")
    assert "any two are compared" in section(found, "From row to row").remark
    assert "year never falls" not in values(found, "Persons")


def test_persons_with_one_row_each_have_no_next_one(rng):
    known = (
        histories(50, rng)
        .group_by("patient", use_threads=False)
        .aggregate([(name, "first") for name in COLUMNS if name != "patient"])
    )
    known = known.rename_columns([name.removesuffix("_first") for name in known.column_names])
    found = inspect(release_of(known, ONE), known)
    assert "has two rows" in section(found, "From row to row").remark
    assert values(found, "Attacks") == {"copies of persons": "no power"}


def test_columns_of_a_method_of_its_own_are_not_set_beside_persons(people):
    release = release_of(people[0], ONE)
    release.certificate.columns = {"component_1": "double"}
    found = inspect(release, people[0])
    assert [each.title for each in found.sections] == ["Fit", "Utility"]
    assert "columns of the method's own" in section(found, "Utility").remark


def test_what_cannot_be_read_is_refused_before_the_look_is_counted(people, tmp_path):
    known, _, fresh = people
    one, two = release_of(fresh, ONE), release_of(linked(fresh), TWO)
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("visits", PureDP(1), reason="approved")
        with pytest.raises(SchemaError, match="secret is for an attack that takes each row"):
            inspect(one, known, secret="cost", ledger=ledger)
        with pytest.raises(DataError, match="of two tables, persons and events"):
            inspect(two, known, ledger=ledger)
        with pytest.raises(DataError, match="the schema is of one"):
            inspect(one, linked(known), ledger=ledger)
        with pytest.raises(DataError, match="column cost of the schema is not in the data"):
            inspect(one, known.drop_columns(["cost"]), ledger=ledger)
        with pytest.raises(DataError, match="column patient, the id of persons"):
            inspect(one, known, control=known.drop_columns(["patient"]), ledger=ledger)
        assert ledger.inspections("visits") == {}


def test_a_look_is_counted(people, tmp_path):
    known, _, fresh = people
    with Ledger.create(tmp_path / "budget.db") as ledger:
        with pytest.raises(BudgetError, match="--uncounted"):
            inspect(release_of(fresh, ONE), known, ledger=ledger)
        ledger.grant("visits", PureDP(1), reason="approved")
        assert inspect(release_of(fresh, ONE), known, ledger=ledger).counted
        assert ledger.inspections("visits") == {None: 1}
    assert not inspect(release_of(fresh, ONE), known).counted


def test_the_page_has_pictures_and_only_its_owner_reads_it(people, tmp_path):
    known, _, fresh = people
    found = inspect(release_of(fresh, ONE), known, pictures=True)
    page = write_page(found, tmp_path / "page.html")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    text = html(found)
    assert text.startswith(f"<!-- {WARNING}")
    assert "150 persons" in text
    assert "Histogram of rows per person" in text
    assert text.count("<svg") == 1 + len(COLUMNS) - 1
