"""How many fine bins mosaic has: public noise decides, and hundred-bin releases still verify."""

import json

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.accuracy.tables import Tables
from sfumato.methods.mosaic.steps import Steps
from sfumato.privacy.budget import budget
from sfumato.release import Certificate
from sfumato.release.digest import digest
from sfumato.release.folder import sha256
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine

SCHEMA = {
    "name": "t",
    "neighbours": "replace-one",
    "columns": {
        "hours": {"kind": "integer", "low": 0, "high": 168},
        "tenure": {"kind": "integer", "low": 0, "high": 60},
        "pay": {"kind": "integer", "low": 0, "high": 99_999},
    },
}


def work(rows=400):
    rng = np.random.default_rng(0)
    hours = np.where(rng.random(rows) < 0.6, 40, rng.integers(0, 99, rows))
    return pa.table(
        {"hours": hours, "tenure": rng.integers(0, 30, rows), "pay": rng.integers(0, 9000, rows)}
    )


def bins(records, **asked):
    steps = Steps(Domain.of(sf.Schema.of(SCHEMA)), budget(**asked), records)
    assert steps.column_tables.columns == steps.wide == steps.columns
    return [column.bins for column in steps.columns]


@pytest.mark.parametrize("delta", [{}, {"delta": "1e-9"}], ids=["pure", "approximate"])
def test_single_codes_where_the_noise_is_small_and_fewer_bins_where_it_is_not(delta):
    many, some, sure, none = (
        bins(records, epsilon=epsilon, **delta)
        for records, epsilon in ((1_000_000, 1), (400, 1), (400, 1000), (None, "0.01"))
    )
    assert many[:2] == sure[:2] == [169, 61]
    assert some[0] < 169  # and so where nobody says how many records there are
    assert none[0] < 169
    assert 32 < some[2] < sure[2] < many[2] <= 1.3 * 512


def bins_first(records, **asked):
    steps = Steps(Domain.of(sf.Schema.of(SCHEMA)), budget(**asked), records, revision=1)
    return [column.bins for column in steps.columns]


def test_the_first_revision_has_single_codes_or_a_hundred_bins():
    assert bins_first(1_000_000, epsilon=1) == [169, 61, 100]
    assert bins_first(400, epsilon=1) == [100, 61, 100]


def test_a_heap_is_not_spread_over_the_codes_beside_it():
    """At 40 hours lie more than half of the records, at 41 hardly any."""
    release = sf.publish(work(), schema=SCHEMA, epsilon=1000, model="forest", seed=1)
    hours = release.table["hours"].to_numpy()
    assert abs((hours == 40).mean() - (work()["hours"].to_numpy() == 40).mean()) < 0.02
    assert (hours == 41).mean() < 0.05


@pytest.mark.parametrize("high", [23, 99, 168, 511])
def test_however_many_bins_there_are_few_bars_are_drawn_of_whole_runs(high):
    columns = {"hours": {"kind": "integer", "low": 0, "high": high}}
    told = {"name": "t", "neighbours": "replace-one", "columns": columns}
    asked = {"epsilon": 1000, "model": "forest", "seed": 1, "fit": False}
    release = sf.publish(work().select(["hours"]), schema=told, **asked)
    bars = Tables.of(release.certificate, release.synopsis).bars("hours")
    assert len(bars) <= 24
    assert sum(len(names) for _, names in bars) == high + 1
    assert all(start % 5 == 0 for start, _ in bars) or high < 24


@pytest.fixture
def of_a_hundred_bins(tmp_path, monkeypatch):
    """A release as it was made when no number had more, whatever the noise."""
    folder = tmp_path / "r"
    with monkeypatch.context() as patch:
        first = Fine.first
        patch.setattr(Fine, "first", lambda k, axis, most: first(k, axis, min(most, 100)))
        asked = {"epsilon": 1000, "model": "forest", "revision": 1}
        sf.publish(work(), schema=SCHEMA, folder=folder, **asked)
    return folder


def test_a_release_of_a_hundred_bins_is_read_and_verified(of_a_hundred_bins):
    synopsis = json.loads((of_a_hundred_bins / "synopsis.json").read_text())
    assert [len(group) for group in synopsis["bins"].values()] == [100, 61, 100]
    assert all(check.passed for check in sf.verify(of_a_hundred_bins))
    certificate = Certificate.of(json.loads((of_a_hundred_bins / "release.json").read_text()))
    found = Tables.of(certificate, synopsis)
    assert found.fine_bins("hours").bins == len(found.counts["hours"]) == 100


@pytest.mark.parametrize("most", [99, 101, 168])
def test_a_forged_release_of_another_number_of_bins_is_refused(of_a_hundred_bins, most):
    def forged(synopsis):
        for tables in ("bins", "columns"):
            table = synopsis[tables]["0"]
            synopsis[tables]["0"] = (table + table[-1:] * most)[:most]

    _sealed_again(of_a_hundred_bins, lambda synopsis: None)
    assert all(check.passed for check in sf.verify(of_a_hundred_bins))
    _sealed_again(of_a_hundred_bins, forged)
    assert [c.name for c in sf.verify(of_a_hundred_bins) if not c.passed] == ["plan"]


@pytest.mark.parametrize("revision", [1, 2])
def test_single_codes_that_the_noise_does_not_call_for_are_refused(revision, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        first, of = Fine.first, Fine.of
        patch.setattr(Fine, "first", lambda k, axis, most: first(k, axis, 512))
        patch.setattr(Fine, "of", lambda k, axis, *most: of(k, axis, 512, *most[1:]))
        asked = {"epsilon": 1, "model": "forest", "revision": revision, "on_doubt": lambda _: None}
        sf.publish(work(), schema=SCHEMA, folder=tmp_path / "r", **asked)
    assert [c.name for c in sf.verify(tmp_path / "r") if not c.passed] == ["plan"]


def _sealed_again(folder, change):
    names = ("release", "synopsis")
    paper, synopsis = (json.loads((folder / f"{name}.json").read_text()) for name in names)
    change(synopsis)
    (folder / "synopsis.json").write_text(json.dumps(synopsis))
    paper["synopsis"] = digest(synopsis)
    paper["files"]["synopsis.json"] = sha256(folder / "synopsis.json")
    paper["seal"] = digest(paper)
    (folder / "release.json").write_text(json.dumps(paper))
