"""Values that are not listed fit where `other` is declared: nothing may say that none was changed.

And counts of the fit are of records in their first misfit: what is said of later columns says so.
"""

import copy
import pickle

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.accuracy.as_read import as_read, briefly, changed
from sfumato.accuracy.fit import about_fit, read_as_other
from sfumato.accuracy.heaps import heaps
from sfumato.accuracy.published import published
from sfumato.release.fit import Fit, Misfit
from sfumato.schema.domain import Domain

SEX = {"kind": "category", "values": ["F", "M"], "other": "else"}
AGE = {"kind": "integer", "low": 0, "high": 40}


@pytest.fixture(scope="module")
def capitals():
    """Other capitals than the list has, in all 2,000 records."""
    table = pa.table({"age": [30, 35] * 1_000, "sex": ["f", "m"] * 1_000})
    schema = {"name": "t", "columns": {"age": AGE, "sex": SEX}}
    return sf.publish(table, schema=schema, epsilon=20, seed=1)


def test_a_column_of_which_nothing_is_listed_is_never_said_to_be_unchanged(capitals):
    assert not capitals.fit.significant
    certificate, fit = capitals.certificate, capitals.fit
    here = "n sex, values that are not listed are read as other, uncounted"
    for words in (as_read(certificate, fit), briefly(certificate, fit)):
        assert f"I{here}. Apart from these, the fit of the file shows no column" in words
    assert f"; i{here}" in about_fit(certificate)
    changed_ones = fit_of(Misfit("age", "above", 950, 900, 1_000, True))
    for words in (as_read, briefly):
        assert f"I{here}." in words(certificate, changed_ones)


def fit_of(*misfits):
    return Fit(tuple(misfits), 1_000, 2_000)


def test_how_many_are_read_as_other_is_seen_for_nothing(capitals):
    (heap,) = [heap for heap in heaps(published(capitals)) if heap.column == "sex"]
    assert (
        "of the records are read as else, as is whatever is not listed or is missing" in heap.says
    )
    assert heap.share > 0.9


@pytest.mark.parametrize(("listed", "seen"), [(1_000, True), (1_940, False), (2_000, False)])
def test_few_that_are_not_listed_are_no_heap(listed, seen):
    table = pa.table({"sex": (["F", "M"] * 1_000)[:listed] + ["x"] * (2_000 - listed)})
    given = {"schema": {"name": "t", "columns": {"sex": SEX}}, "epsilon": 20, "seed": 1}
    assert bool(heaps(published(sf.publish(table, fit=False, **given)))) == seen


def test_columns_without_other_are_not_named():
    without = {"kind": "category", "values": ["F", "M"]}
    many = {f"c{k}": SEX for k in range(8)}
    schema = sf.Schema.of({"name": "t", "columns": {"age": AGE, "plain": without, **many}})
    assert read_as_other(schema) == "c0, c1, c2, c3, c4 and 3 more"
    plain = sf.Schema.of({"name": "t", "columns": {"age": AGE, "plain": without}})
    assert read_as_other(plain) == read_as_other(None) == ""


def test_what_is_said_of_a_later_column_leaves_room_for_more():
    columns = {"age": AGE, "size": AGE}
    first, later = Domain.of(sf.Schema.of({"name": "t", "columns": columns})).axes
    cells = [Misfit(name, "above", 950, 900, 1_000, True) for name in columns]
    read = "lie above the range and are read as 40, its end"
    assert changed(fit_of(*cells), first) == f"about 950 records (at least 900) {read}"
    assert changed(fit_of(*cells), later) == (
        f"about 950 records (at least 900), and perhaps more that do not fit in an earlier column, "
        f"{read}"
    )


def test_counts_in_the_box_are_said_to_be_of_first_misfits(capitals):
    schema = {"name": "t", "columns": {"age": AGE}}
    given = {"schema": schema, "method": "modips", "epsilon": 20, "seed": 1, "misfit": 1}
    cut = sf.publish(pa.table({"age": [57, 35] * 500}), **given)
    once = "a record counts in the first column that it does not fit, so later ones may hold more"
    assert about_fit(cut.certificate).endswith(once)
    assert "each counted in the first column that it does not fit" in about_fit(
        capitals.certificate
    )


def test_answers_end_with_what_they_are_about(capitals):
    told = capitals.accuracy(mean="age")
    about = briefly(capitals.certificate, capitals.fit)
    assert repr(told).splitlines() == [" ".join(told[0].sentences), about]
    assert about in told._repr_html_()
    for again in (copy.copy(told), pickle.loads(pickle.dumps(told))):
        assert (again, again.as_read) == (told, about)
