"""T16: under add-remove the number of records leaves a release through noise alone.

Every noisy output and every draw of the first run is given out again in the second, which has
one record more.  What then differs, in any file, in a file's size, in what is printed or in the
exit code, did not pass through noise.  Nothing is left to chance, so there is no false alarm.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
import yaml
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.errors import ParameterError, Refused, SchemaError
from sfumato.inspection.audit.neighbours import candidates
from sfumato.measure.moments import Moments
from sfumato.methods import METHODS
from sfumato.privacy.choice import Choice
from sfumato.privacy.mechanism import Paid
from sfumato.publishing import table as publishing
from sfumato.publishing import transaction
from sfumato.publishing.counts import publish_counts
from sfumato.publishing.table import price
from sfumato.render.decode import Decoder
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.statistic import Rows
from slowness import slow_but

pytestmark = pytest.mark.usefixtures("terminal")


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


class Frozen:
    """Outputs of mechanisms, written down in one run and given out again in the next."""

    def __init__(self, monkeypatch):
        self.script, self.place = [], None
        add, draw = Paid.add, Choice.draw
        monkeypatch.setattr(Paid, "add", lambda *a: self._next(np.shape(a[1]), add, a))
        monkeypatch.setattr(Choice, "draw", lambda *a: self._next(len(a[1]), draw, a))

    def _next(self, shape, mechanism, arguments):
        if self.place is None:
            self.script.append((shape, mechanism(*arguments)))
            return self.script[-1][1]
        known, output = self.script[self.place]
        assert known == shape, "a statistic has another shape"
        self.place += 1
        return output

    def again(self):
        self.place = 0


def relation(name, neighbours):
    return Schema.of({**METHODS[name].audit.schema, "neighbours": neighbours})


def people(schema, count):
    """The last one has everything at an end of its range, as nobody else does."""
    domain = Domain.of(schema)
    low, high, *_ = candidates(domain)
    codes = np.array([high if i % 7 == 3 else low for i in range(max(count - 1, 0))], np.int32)
    rows = np.vstack([codes.reshape(-1, len(low)), high[None]])[:count]
    return pa.Table.from_batches([Decoder(domain).batch(rows)])


def released(place, table, schema, *asked):
    """Everything a recipient or a bystander could see of one release."""
    place.mkdir()
    pacsv.write_csv(table, place / "data.csv")
    (place / "schema.yaml").write_text(yaml.safe_dump(schema.to_json()))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        said = []
        for command in (
            ("publish", "data.csv", "--schema", "schema.yaml", "-o", "out", "--release", "r"),
            ("report", "out"),
        ):
            more = (*asked, "--seed", "7") if command[0] == "publish" else ()
            done = CliRunner().invoke(app, [*command, *more])
            said.append((done.exit_code, done.output, repr(done.exception)))
    return {"said": said, **{path.name: path.read_bytes() for path in place.glob("out/*")}}


def differing(tmp_path, monkeypatch, schema, sizes, *asked):
    """What gives the number of records away: names of files, or `said`."""
    frozen = Frozen(monkeypatch)
    few = released(tmp_path / "few", people(schema, sizes[0]), schema, *asked)
    frozen.again()
    more = released(tmp_path / "more", people(schema, sizes[1]), schema, *asked)
    assert frozen.script, "no mechanism was run"
    assert {"release.json", "report.html"} <= few.keys(), few["said"]
    return {part for part in few.keys() | more.keys() if few.get(part) != more.get(part)}


def arguments(name):
    case = METHODS[name].audit
    budget, options = case.budget, case.options
    given = [f"--{key}={value}" for key, value in budget.items()]
    return [f"--method={name}", *given, *(f"--option={k}={v}" for k, v in options.items())]


def counting():
    """Methods that offer add-remove, and those that say why they do not."""
    offered, refused = [], []
    for name, case in ((name, known.audit) for name, known in METHODS.items() if known.audit):
        try:
            price(relation(name, "add-remove"), method=name, **case.budget, **case.options)
            offered.append(name)
        except (ParameterError, SchemaError):
            refused.append(name)
    return offered, refused


def test_every_method_is_either_compared_here_or_refuses_to_hide_the_number_of_records():
    offered, refused = counting()
    assert {"mosaic", "dp-lda", "modips", "diffgen", "lap-pca", "pca-gauss"} <= set(offered)
    assert set(offered) | set(refused) == {name for name in METHODS if METHODS[name].budgeted}


@pytest.mark.parametrize("name", slow_but(["mosaic", "modips", "dp-lda"], counting()[0]))
def test_one_record_more_changes_no_byte_when_noise_is_frozen(name, tmp_path, monkeypatch):
    schema = relation(name, "add-remove")
    assert differing(tmp_path, monkeypatch, schema, (40, 41), *arguments(name)) == set()


@pytest.mark.parametrize(
    ("sizes", "format"),
    [((0, 1), "csv"), ((1, 2), "parquet"), ((65_536, 65_537), "csv")],
    ids=str,
)
def test_so_it_is_for_nobody_for_one_and_where_a_block_of_rows_is_full(
    sizes, format, tmp_path, monkeypatch
):
    schema, asked = relation("modips", "add-remove"), [*arguments("modips"), f"--format={format}"]
    assert differing(tmp_path, monkeypatch, schema, sizes, *asked, "--rows=50") == set()


def test_counts_of_records_that_come_and_go_state_no_total(tmp_path, monkeypatch):
    frozen, keys = Frozen(monkeypatch), ["a", "b", "c"]
    papers = []
    for total in (5, 6):
        table = pa.table({"key": keys, "count": [3, 2, total - 5]})
        folder = tmp_path / str(total)
        publish_counts(table, ways="both", epsilon=1, folder=folder, release="r", seed=7)
        papers.append({path.name: path.read_bytes() for path in folder.iterdir()})
        frozen.again()
    assert papers[0] == papers[1]


# Positive controls: releases that give the number away, each of which must be caught.


@pytest.mark.parametrize("name", ["mosaic", "modips"])
def test_a_release_that_may_state_the_number_of_records_is_caught(name, tmp_path, monkeypatch):
    schema = relation(name, "replace-one")
    found = differing(tmp_path, monkeypatch, schema, (40, 41), *arguments(name))
    assert "release.json" in found


def in_synopsis(patch):
    produce = publishing._Table.produce

    def leaking(self, purse, release):
        made = produce(self, purse, release)
        note = " " * (self._records.fold(Rows()) % 2)
        return made._replace(synopsis={**made.synopsis, "note": note})

    patch.setattr(publishing._Table, "produce", leaking)


def noted(certificate, records):
    versions = {**certificate.versions, "records": str(records)}
    return certificate.model_copy(update={"versions": versions})


def in_certificate(patch):
    produce, certify, seen = publishing._Table.produce, transaction.certify, []

    def counted(self, purse, release):
        seen.append(self._records.fold(Rows()))
        return produce(self, purse, release)

    patch.setattr(publishing._Table, "produce", counted)
    patch.setattr(transaction, "certify", lambda *a, **k: noted(certify(*a, **k), seen[-1]))


def in_rows(patch):
    produce = publishing._Table.produce

    def leaking(self, purse, release):
        self._rows = self._records.fold(Rows())
        return produce(self, purse, release)

    patch.setattr(publishing._Table, "produce", leaking)


def in_noise(patch):
    perturb = Moments.perturb

    def leaking(self, records, purse):
        wider = replace(self, budget=type(self.budget)(self.budget.epsilon / 2))
        return perturb(wider if records.fold(Rows()) % 2 else self, records, purse)

    patch.setattr(Moments, "perturb", leaking)


def in_an_error(patch):
    produce = publishing._Table.produce

    def refusing(self, purse, release):
        if self._records.fold(Rows()) % 2:
            raise Refused("an odd number of records")
        return produce(self, purse, release)

    patch.setattr(publishing._Table, "produce", refusing)


LEAKS = {
    in_synopsis: "synopsis.json",
    in_certificate: "release.json",
    in_rows: "data.csv",
    in_noise: "release.json",
    in_an_error: "said",
}


@pytest.mark.parametrize(
    ("leak", "where"), LEAKS.items(), ids=lambda it: getattr(it, "__name__", "")
)
def test_a_number_that_leaves_without_noise_is_caught(leak, where, tmp_path, monkeypatch):
    schema = relation("modips", "add-remove")
    leak(monkeypatch)
    found = differing(tmp_path, monkeypatch, schema, (40, 41), *arguments("modips"))
    assert where in found
