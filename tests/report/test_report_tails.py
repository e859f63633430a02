"""What the page says of the ends of a histogram; frozen seeds."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.accuracy.published import published
from sfumato.report.columns import survey
from sfumato.report.html import html_page
from sfumato.report.tails import tails

ROWS = 5_000


def release(high, *, scale=300.0, **asked):
    rng = np.random.default_rng(0)
    paid = np.minimum(rng.exponential(scale, ROWS), high).astype(int)
    table = pa.table({"paid": paid, "sick": paid > scale})
    facts = {"paid": {"kind": "integer", "low": 0, "high": high}, "sick": {"kind": "boolean"}}
    asked = {"epsilon": 1, "fit": False, "seed": 1, "model": "forest"} | asked
    return sf.publish(table, schema={"name": "t", "columns": facts}, **asked)


@pytest.mark.parametrize("asked", [{}, {"delta": "1e-9"}])
def test_a_tail_says_where_it_begins_and_how_many_records_it_holds(asked):
    made = release(10**6, **asked)
    said = tails(published(made))["paid"]
    assert list(tails(published(made))) == ["paid"]
    above = next(part for part in said.split(". ") if part.startswith("Above"))
    place = int(above.split()[1])
    told = int(above.split(" records")[0].split()[-1].replace(",", ""))
    drawn = int((made.data["paid"].to_numpy() > place).sum())
    assert abs(drawn - told) <= 0.1 * told  # tables of coarse bins have a say, too
    assert 300 < place < 10_000
    assert above in html_page(made)


def test_nothing_is_said_where_every_value_has_a_bin_or_nothing_was_counted():
    assert tails(published(release(99))) == {}
    assert tails(published(release(10**6, revision=1))) == {}
    assert tails(None) == {}


def test_heavy_codes_are_in_no_tail():
    made = release(10**6, epsilon=400)
    assert made.synopsis["codes"]
    said = tails(published(made)).get("paid", "")
    assert "1000000" not in said


@pytest.mark.parametrize(("high", "growing"), [(10**6, True), (99, False)])
def test_bins_that_grow_with_the_number_are_drawn_alike(high, growing):
    made = release(high)
    tables = published(made).tables
    starts = {"paid": [start for start, _ in tables.bars("paid")]}
    paid = survey(made, starts).columns[0]
    assert paid.bins.growing == growing
    assert ("the scale is not even" in html_page(made)) == growing
