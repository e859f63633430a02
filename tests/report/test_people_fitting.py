"""Fit of persons on screens and pages: figures are of persons, and it is said what a row counts."""

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.accuracy.as_read import as_read, briefly, changed
from sfumato.accuracy.fit import about_fit, judged
from sfumato.release.fit import Fit, FitFacts, MisfitCount
from sfumato.report.fitting import fitting
from sfumato.schema.domain import Domain

EACH = 27_720
SCHEMA = sf.Schema.of({"name": "t", "columns": {"age": {"kind": "integer", "low": 0, "high": 9}}})


def facts(count, fitting=None, records=10_000, reach=50):
    cell = MisfitCount(column="age", complaint="above", count=count * EACH)
    fits = (records - count if fitting is None else fitting) * EACH
    given = {"share": "1/50", "misfit": "1", "records": records, "tickets": EACH}
    return FitFacts(**given, reach=reach * EACH, fitting=fits, misfits=(cell,))


@pytest.fixture(scope="module")
def certificate():
    """Of rows, with the noise of tickets: that of three persons."""
    table = pa.table({"age": [1, 2] * 50})
    issued = sf.publish(table, schema=SCHEMA, method="modips", epsilon=100).certificate
    fit, *others = issued.events
    return issued.model_copy(update={"events": (replace(fit, noise=Fraction(3 * EACH)), *others)})


def words(certificate, told):
    stated = certificate.model_copy(update={"fit": told})
    fit = Fit.of(told)
    page = fitting(fit, SCHEMA, judged(stated))
    said = (about_fit(stated), as_read(stated, fit), briefly(stated, fit))
    return page, (*said, page.verdict, page.rest, page.counted)


def test_what_does_not_fit_is_told_in_persons(certificate):
    page, said = words(certificate, facts(450))
    assert "age: about 450 persons' rows above; a row counts in the first column" in said[0]
    assert "as a part of its person" in said[0]
    assert page.lines == (
        ("age", "above the range, read as 9, its end", "about 450", "between 400 and 500"),
    )
    assert page.unit == "persons' rows"
    assert "each person once in all, a row as the part of its person that it is" in page.counted
    assert "about 9,550 of 10,000 persons' rows (95.5 %) fit" in page.counted
    assert page.verdict.startswith("No: more persons' rows do not fit than noise alone would show")
    axis = Domain.of(SCHEMA).axes[0]
    assert "about 450 persons' rows (at least 400)" in changed(Fit.of(facts(450)), axis)


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (facts(450), "persons' rows"),
        (facts(12, fitting=9_000), "between 988 and 1,012 persons' rows do not fit"),
        (facts(5), "noise hides up to 55 persons' rows of each kind"),
        (facts(0, records=40), "of so few persons, noise at this budget hides up to all"),
    ],
)
def test_nothing_that_is_said_of_persons_speaks_of_records(certificate, told, line):
    page, said = words(certificate, told)
    assert line in said[0]
    assert not any("records" in one for one in said)
    assert all("records" not in " ".join(one) for one in page.lines)


def test_ends_are_rounded_outwards_and_never_inwards():
    told = facts(0).model_copy(
        update={"misfits": (MisfitCount(column="age", complaint="above", count=3 * EACH // 2),)}
    )
    (only,) = Fit.of(told.model_copy(update={"reach": EACH})).misfits
    assert (only.low, only.records, only.high) == (0, 2, 3)
