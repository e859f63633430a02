"""The officer's page: what the ledger says around a release, and no part of the release."""

import re
import stat
from dataclasses import fields

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
import typer
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.report import report
from sfumato.errors import ParameterError, ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.ledger import Ledger
from sfumato.publishing.officer import officer_page
from sfumato.report.officer import Account, officer_html

app = typer.Typer()
app.command()(report)
REASON = "the data board, 4 May <b>&"
NOTHING = Account(**{field.name: "" for field in fields(Account)})
BOUGHT = CLINIC.replace("high: 98}", "high: 98, provenance: {release: ranges-1, epsilon: 0.1}}")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    place = tmp_path_factory.mktemp("officer")
    pacsv.write_csv(clinic(1_200), place / "a.csv")
    (place / "s.yaml").write_text(BOUGHT)
    with Ledger.create(place / "b.db") as ledger:
        ledger.grant("clinic", sf.PureDP(3), reason=REASON)
        ledger.grant("clinic", sf.PureDP(1), reason="a second thought")
        ledger.grant("clinic-2025", sf.PureDP(1), reason="another name")
        ranges = {"plan": "c0ffee00", "protects": "one record (row) of the table; replace-one"}
        ledger.reserve("ranges-1", "clinic", sf.PureDP("0.1"), **ranges)
        ledger.draw("ranges-1", None)
        ledger.settle("ranges-1", "0123456789abcdef")
        given = {"schema": place / "s.yaml", "method": "modips", "ledger": ledger, "fit": False}
        sf.publish(place / "a.csv", epsilon="0.5", release="earlier", **given)
        made = sf.publish(place / "a.csv", epsilon=1, folder=place / "release", **given)
        ledger.inspect("clinic", release=made.certificate.release, what="inspection")
        ledger.inspect("clinic", what="comparison of 3 methods")
        ledger.allow("clinic-2025", "clinic", "one table, two projects")
    return place


@pytest.fixture(scope="module")
def text(world):
    with Ledger(world / "b.db") as ledger:
        return officer_page(world / "release", ledger)


def words(text):
    return re.sub(r"\s+", " ", re.sub(r"(?s)<style>.*?</style>|<[^>]+>", " ", text))


@pytest.mark.slow
def test_grants_come_with_their_reasons_and_dates(text):
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC epsilon 3 the data board, 4 May", words(text))
    assert "epsilon 1 a second thought" in words(text)
    assert "the data board, 4 May &lt;b&gt;&amp;" in text


def test_granted_spent_and_left_are_those_of_the_ledger(text):
    said = words(text)
    assert "epsilon 4 was granted" in said
    assert "epsilon 1.6 is spent, by all releases together; this one took epsilon 1" in said
    assert "epsilon 2.4 is left" in said


def test_every_charge_and_every_look_is_listed(world, text):
    said = words(text)
    assert "earlier epsilon 0.5 released" in said
    assert re.search(r"UTC [0-9a-f]+ inspection", said)
    assert "the records, without a release comparison of 3 methods" in said


def test_the_same_data_under_another_name_is_said_whoever_named_it(text):
    assert "their budgets add up: clinic-2025" in words(text)


def test_every_declared_fact_has_a_box_and_a_source(text):
    facts = re.findall(r'<label><input type="checkbox"> <b>(.*?)</b>(.*?)</label>', text)
    assert [name for name, _ in facts] == list(sf.Schema.parse(CLINIC).released)
    assert "from 18 to 98" in facts[0][1]
    assert "estimated by release ranges-1 at ε = 0.1" in facts[0][1]
    assert all("declared, without a source" in said for _, said in facts[1:])


def test_a_range_that_the_ledger_knows_nothing_of_is_pointed_out(world, text):
    """As in the ledger of a party, which did not buy what all of them agreed on."""
    caution = "age rests on release ranges-1, which this ledger does not hold"
    assert caution not in words(text)
    assert caution in words(officer_html(sf.Release.load(world / "release"), NOTHING))


def test_unit_promise_and_checks_are_there(text):
    said = words(text)
    for expected in (
        "one record (row) of the table",
        "1-differential privacy",
        "ε = 1.1 (1 here, 0.1 for ranges or values bought by release ranges-1)",
        "multiplies or divides the odds of a guess about one row by 3.01",
        "is right 75.1 % of the time",
        "charged once, as entry",
        "1,200 rows, every value on the public grid",
        "publish it only if you would publish that",
    ):
        assert expected in said


def asked(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})


@pytest.mark.slow
def test_the_command_writes_it_for_the_owner_alone_and_the_release_still_verifies(world, tmp_path):
    place, ledger = tmp_path / "officer.html", world / "b.db"
    done = asked(world / "release", "--officer", place, "--ledger", ledger)
    assert done.exit_code == 0, done.output
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    with Ledger(ledger) as opened:
        assert all(check.passed for check in sf.verify(world / "release", ledger=opened))
    public = (world / "release" / "report.html").read_text()
    for private in ("data board", "comparison of 3", "clinic-2025", "earlier"):
        assert private in place.read_text()
        assert private not in public


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (["--officer", "{tmp}/o.html"], ParameterError, "add --ledger FILE"),
        (["--officer", "{release}/o.html", "--ledger", "{db}"], ReleaseError, "inside the release"),
        (["--officer", "{db}", "--ledger", "{db}"], ReleaseError, "exists"),
        (["--officer", "{tmp}/o.html", "--ledger", "{other}"], ReleaseError, "not charged to this"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_is_left(
    world, tmp_path, arguments, error, said
):
    Ledger.create(tmp_path / "other.db").close()
    names = {"tmp": tmp_path, "release": world / "release", "db": world / "b.db",
             "other": tmp_path / "other.db"}  # fmt: skip
    before = (world / "b.db").read_bytes()
    output = tmp_path / "page.html"
    done = asked(world / "release", "-o", output, *(a.format(**names) for a in arguments))
    assert isinstance(done.exception, error)
    assert said in str(done.exception)
    assert not output.exists()
    assert not (tmp_path / "o.html").exists()
    assert (world / "b.db").read_bytes() == before


def test_history_is_of_one_data_set_in_order(world):
    with Ledger(world / "b.db") as ledger:
        lines = ledger.history("clinic")
    kinds = [line.kind for line in lines]
    assert kinds[:2] == ["grant", "grant"]
    assert kinds[-3:] == ["inspect", "inspect", "same-data"]
    assert [line.sequence for line in lines] == sorted(line.sequence for line in lines)
    assert {line.dataset for line in lines} == {"clinic", "clinic-2025"}


def test_without_a_sum_the_page_states_both_and_no_odds(world):
    made = sf.Release.load(world / "release")
    paid = made.certificate.bought.model_copy(update={"together": None})
    certificate = made.certificate.model_copy(update={"bought": paid})
    mixed = sf.Release(certificate, synopsis=made.synopsis, table=made.table)
    said = words(officer_html(mixed, NOTHING))
    assert "ε = 1 here, ε = 0.1 for ranges or values bought by release ranges-1" in said
    assert "no one figure is known" in said
    for figure in ("multiplies or divides", "toss a coin", "2.72", "73.2 %"):
        assert figure not in said


def test_the_fit_is_told_with_what_its_counts_leave_out():
    columns = {
        "age": {"kind": "integer", "low": 0, "high": 40},
        "ward": {"kind": "category", "values": ["a", "b"], "other": "rest"},
    }
    table = pa.table({"age": [57, 35] * 500, "ward": ["a", "b"] * 500})
    given = {"method": "modips", "epsilon": 40, "misfit": 1, "seed": 1}
    cut = sf.publish(table, schema={"name": "t", "columns": columns}, **given)
    said = words(officer_html(cut, NOTHING))
    assert "age : above the range, read as 40, its end: about" in said
    assert "the others count in the first column that they do not fit in" in said
    assert "so a column may have more misfits than its count says" in said
    assert "published as what the schema calls other, and fit: in ward." in said


def test_misfits_of_which_noise_hides_the_column_are_said_first():
    columns = {f"c{k}": {"kind": "integer", "low": 0, "high": 9} for k in range(6)}
    table = pa.table(
        {c: [99 if i % 100 == k else 5 for i in range(20_000)] for k, c in enumerate(columns)}
    )
    given = {"method": "modips", "epsilon": 1, "misfit": 1, "seed": 1, "rows": 10}
    release = sf.publish(table, schema={"name": "t", "columns": columns}, **given)
    assert not release.fit.significant
    head = words(officer_html(release, NOTHING).partition("<main>")[0])
    assert "Does the file fit its schema? Probably not: between" in head
