"""What the page says of the rows beside the noisy tables that they were drawn from."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pytest
from worlds import made

import sfumato as sf
from sfumato.publishing.page import report_page
from sfumato.release.certificate import Certificate
from sfumato.render.constrained import CONDITIONED
from sfumato.report.drift import Beside, drift
from sfumato.report.model import page

ROWS = 6_000
COLUMNS = {
    "cost": {"kind": "number", "low": 0, "high": 1_000, "step": 1},
    "paid": {"kind": "number", "low": 0, "high": 1_000, "step": 1, "missing": "allowed"},
    "ward": {"kind": "category", "values": ["eyes", "ears", "skin"], "other": "none"},
}
RULED = {"name": "t", "columns": COLUMNS, "constraints": ["paid <= cost"]}


def claims():
    """Paid is a little below cost, closer than coarse bins of two columns can tell."""
    rng = np.random.default_rng(3)
    cost = np.minimum(np.rint(rng.exponential(60, ROWS)), 1_000)
    paid = pa.array(np.rint(0.9 * cost), mask=rng.random(ROWS) < 0.3)
    ward = rng.choice(["eyes", "ears", "skin"], ROWS)
    return pa.table({"cost": cost, "paid": paid, "ward": ward})


@pytest.fixture(scope="module")
def ruled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ruled") / "r"
    return sf.publish(claims(), schema=RULED, epsilon=2, folder=folder, release="ruled")


def test_rows_that_constraints_move_are_said_to_be_off_their_own_tables(ruled):
    said = page(ruled).precision.rows
    assert "drawn under the constraints of the schema" in said
    assert "by more than the error that is stated, most of all in paid: " in said
    assert said in report_page(ruled).decode()


def test_the_difference_is_that_of_the_rows_and_the_table(ruled):
    found = sf.accuracy.published(ruled)
    table = float(found.count("paid", ["(missing)"]).value) / ROWS
    rows = ruled.table.column("paid").null_count / ROWS
    assert rows - table > 0.02  # the tilt itself; else this tests nothing
    said = page(ruled).precision.rows
    assert f"paid: missing, which is {100 * rows:.3g} % of the rows, {100 * table:.3g} %" in said


def test_without_constraints_nothing_is_said_of_them():
    schema = {"name": "t", "columns": {"ward": COLUMNS["ward"]}}
    release = sf.publish(claims().select(["ward"]), schema=schema, epsilon=1)
    said = page(release).precision.rows
    assert "constraints" not in said
    assert said.startswith("The rows of this release are up to ")
    assert CONDITIONED not in release.certificate.limits


def a_bar(value, rows, noisy=0.3, reach=0.01):
    return Beside(value, rows, noisy, (noisy - reach, noisy + reach))


def test_what_is_off_by_more_than_is_stated_is_counted_and_the_worst_named():
    certificate = made("heuristic").certificate
    bars = [a_bar("x", 0.305), a_bar("y", 0.312), a_bar("z", 0.25), a_bar("w", 0.4, reach=0.2)]
    said = drift(certificate, [("a", bars[:2]), ("b", bars[2:])])
    assert "up to 10 points off" in said
    assert "in 2 of 4 values and bins" in said
    assert "b: z, which is 25 % of the rows, 30 % in its table, and ± 1 points were stated" in said


def test_where_all_is_within_what_is_stated_the_widest_is_named():
    said = drift(made("heuristic").certificate, [("a", [a_bar("x", 0.305), a_bar("y", 0.302)])])
    assert said == (
        "The rows of this release are up to 0.5 points off their own noisy tables (a: x): nowhere "
        "more than the error that is stated."
    )


def test_rows_of_a_condition_are_not_held_against_the_tables_of_all():
    release = sf.publish(
        claims(), schema={"name": "t", "columns": COLUMNS}, epsilon=2, where={"ward": "eyes"}
    )
    assert page(release).precision.rows == (
        "Rows that were drawn from these numbers vary a little more."
    )


def reworded(folder, place, change):
    """A copy whose certificate has other limits, sealed again."""
    copy = shutil.copytree(folder, place)
    paper = json.loads((copy / "release.json").read_text())
    paper["limits"] = change(paper["limits"])
    paper["seal"] = Certificate.of(paper).digest
    (copy / "release.json").write_text(json.dumps(paper))
    return copy


def test_a_certificate_of_before_that_does_not_say_so_verifies(ruled, tmp_path):
    assert CONDITIONED in ruled.certificate.limits
    older = reworded(
        ruled.folder, tmp_path / "older", lambda said: [one for one in said if one != CONDITIONED]
    )
    assert sf.verify(older).passed
    shorter = reworded(ruled.folder, tmp_path / "shorter", lambda said: said[1:])
    assert [check.name for check in sf.verify(shorter).failed] == ["plan"]
