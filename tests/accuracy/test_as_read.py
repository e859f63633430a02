"""No interval without the words: it is of values as read, and what was changed is said."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.accuracy.as_read import NOT_MEASURED, as_read, became, briefly, changed, told
from sfumato.accuracy.covariance_statement import about_covariance
from sfumato.accuracy.fit import about_fit
from sfumato.accuracy.published import published
from sfumato.accuracy.statement import about_count, about_difference, about_extreme, about_mean
from sfumato.accuracy.table_statement import about_column, columns
from sfumato.release.facts import measured_facts
from sfumato.release.fit import Fit, FitFacts, Misfit, MisfitCount
from sfumato.schema.domain import Domain

COLUMNS = {
    "income": {"kind": "number", "low": 0, "high": 40},
    "ward": {"kind": "category", "values": ["a", "b"]},
    "region": {"kind": "category", "values": ["x", "y"], "other": "else"},
    "site": {"kind": "category", "values": ["p", "q"], "missing": "allowed"},
    "smoker": {"kind": "boolean"},
    "seen": {"kind": "date", "low": "2020-01-01", "high": "2024-12-31"},
    "dose": {"kind": "number", "low": 0, "high": 1, "missing": "allowed"},
}
SCHEMA = sf.Schema.of({"name": "t", "columns": COLUMNS})
AXES = {axis.name: axis for axis in Domain.of(SCHEMA).axes}


@pytest.mark.parametrize(
    ("column", "complaint", "said"),
    [
        ("income", "above", "40, its end"),
        ("income", "below", "0, its end"),
        ("income", "unreadable", "20, the middle of the range"),
        ("dose", "unreadable", "missing"),
        ("ward", "not listed", "a, the first value"),
        ("ward", "missing", "a, the first value"),
        ("region", "missing", "else"),
        ("site", "not listed", "missing"),
        ("smoker", "unreadable", "false, the first value"),
        ("seen", "above", "2024-12-31, its end"),
        ("seen", "unreadable", "the middle of the range"),
    ],
)
def test_what_a_value_is_said_to_be_read_as_is_what_it_is_read_as(column, complaint, said):
    """Against the grid itself, not against what the sentence was written from."""
    axis = AXES[column]
    assert became(complaint, axis) == said
    wrong = {"above": "2100-01-01" if column == "seen" else "1e9", "below": "-1e9", "missing": None}
    value = wrong.get(complaint, "zzz")
    rows = pa.table({n: pa.array([value if n == column else None], pa.string()) for n in AXES})
    from sfumato.table.encode import encode

    code = encode(Domain.of(SCHEMA), rows.to_batches()[0])[0, list(AXES).index(column)]
    ends = {"above": getattr(axis, "points", None), "below": 0}
    if complaint in ends:
        assert code == ends[complaint]
    elif said == "missing":
        assert code in (-1, getattr(axis, "codes", 0) - 1)
    elif "middle" in said:
        assert code == axis.middle
    else:
        assert str(axis.values[code]).lower() == said.partition(",")[0]


def fit(*misfits):
    return Fit(tuple(misfits), 9_000, 10_000)


ABOVE = Misfit("income", "above", 950, 900, 1_000, True)
NOISE = Misfit("income", "below", 12, 0, 62, False)


def test_only_what_is_more_than_noise_is_said_to_have_been_changed():
    found = fit(ABOVE, NOISE)
    assert changed(found, AXES["income"]) == (
        "about 950 records (at least 900) lie above the range and are read as 40, its end"
    )
    assert changed(found, AXES["ward"]) == changed(None, AXES["income"]) == ""


@pytest.fixture(scope="module")
def wrong():
    """Incomes of about 56 in a range that ends at 40, which is let pass."""
    schema = {"name": "t", "columns": {"income": COLUMNS["income"], "ward": COLUMNS["ward"]}}
    rng = np.random.default_rng(0)
    incomes = np.concatenate([rng.normal(58, 3, 3_700), rng.normal(33, 2, 300)])
    table = pa.table({"income": incomes, "ward": ["a", "b"] * 2_000})
    return sf.publish(table, schema=schema, method="modips", epsilon=20, misfit=1, seed=1)


def test_a_mean_far_from_that_of_the_file_cannot_be_stated_without_how_many_were_cut(wrong):
    found = published(wrong)
    said = " ".join(about_mean(found, "income", "0.95").sentences)
    assert found.number("income").mean("0.95")[1][1] <= 40  # where the mean of the file is 56
    assert "the mean of the values as read lies between" in said
    assert "true mean" not in said
    least = next(m.low for m in wrong.fit.misfits if m.complaint == "above")
    assert f"(at least {least:,}) lie above the range and are read as 40, its end" in said
    assert least > 3_000


def test_an_end_and_a_middle_are_said_in_full_and_as_they_are_published():
    columns = {
        "wage": {"kind": "number", "low": 0.25, "high": 1000.25, "step": 0.25},
        "born": {"kind": "date", "low": "1950-01-15", "high": "2024-12-31", "step": "month"},
        "seen": {"kind": "date", "low": "2024-01-01", "high": "2024-12-31T18:00", "step": "hour"},
        "size": {"kind": "number", "low": 0, "high": 999_999, "step": 1},
    }
    schema = sf.Schema.of({"name": "t", "columns": columns})
    axes = {axis.name: axis for axis in Domain.of(schema).axes}
    for column, complaint, value, said in (
        ("wage", "above", "1e9", "1,000.25, its end"),
        ("wage", "below", "-1", "0.25, its end"),
        ("wage", "unreadable", "x", "500.25, the middle of the range"),
        ("born", "above", "2100-01-01", "2024-12-01, its end"),
        ("born", "below", "1900-01-01", "1950-01-01, its end"),
        ("seen", "above", "2100-01-01", "2024-12-31 18:00:00, its end"),
        ("size", "above", "1e9", "999,999, its end"),
    ):
        assert became(complaint, axes[column]) == said
        rows = pa.table({n: pa.array([value if n == column else None], pa.string()) for n in axes})
        (read,) = sf.inspection.as_read(rows, schema)[column].to_pylist()
        words = said.removesuffix(", its end").removesuffix(", the middle of the range")
        assert words == (str(read) if axes[column].column.kind == "date" else f"{read:,.10g}")


def test_every_kind_of_answer_speaks_of_what_was_read(wrong):
    found = published(wrong)
    answers = [
        about_count(found, "ward", ["a"], "0.95"),
        about_mean(found, "income", "0.95"),
        about_difference(found, "ward", ["a"], ["b"], "0.95"),
        about_extreme(found, "ward", "0.95"),
        about_column(found, "ward", "0.95"),
        about_covariance(found, "income", "income", "0.95"),
        *columns(found, "0.95"),
    ]
    for answer in answers:
        assert "as read" in " ".join(answer.sentences), answer.question


def test_a_column_in_which_nothing_was_changed_says_nothing_of_it(wrong):
    assert told(wrong.certificate, wrong.fit, "ward") == ()
    assert len(told(wrong.certificate, wrong.fit, "ward", "income")) == 1


def test_what_was_not_measured_and_what_noise_hides_is_said(wrong):
    certificate = wrong.certificate
    fits = certificate.model_copy(update={"fit": counts(9_990, 12, 1)})
    for words in (as_read, briefly):
        assert NOT_MEASURED in words(certificate, None)
        hidden = "noise would hide up to 62 records of each column and complaint"
        assert hidden in words(fits, fit(NOISE))
        assert "noise would hide" not in words(certificate, fit(ABOVE, NOISE))
    assert (
        "records were changed so in: income; in later columns of these records perhaps more."
        in briefly(certificate, fit(ABOVE))
    )


def counts(fitting, *cells):
    misfits = [MisfitCount(column="income", complaint="above", count=cell) for cell in cells]
    given = {"share": "1/50", "misfit": "1", "records": 10_000, "reach": 50, "fitting": fitting}
    return FitFacts(**given, misfits=tuple(misfits))


@pytest.mark.parametrize(
    ("facts", "line", "said"),
    [
        (counts(9_000, 450, 12), "cut or replaced: income: about 450 above", "changed so"),
        (counts(9_000, 12, 1), "between 980 and 1,020 records do not fit", "between 980 and 1,020"),
        (counts(9_990, 12, 1), "no column is seen not to fit (noise hides up to 62", "would hide"),
    ],
)
def test_all_records_together_may_show_what_no_column_does(wrong, facts, line, said):
    certificate = wrong.certificate.model_copy(update={"fit": facts})
    assert line in about_fit(certificate)
    assert line in dict(measured_facts(certificate))["fit"]
    for words in (as_read, briefly):
        assert said in words(certificate, Fit.of(facts))


def test_where_noise_hides_all_records_nothing_is_said_of_their_fit():
    table = pa.table({"smoker": [True, False] * 50})
    schema = {"name": "t", "columns": {"smoker": {"kind": "boolean"}}}
    release = sf.publish(table, schema=schema, epsilon=1, seed=1)
    assert "cannot be told" in release._repr_html_()


def test_other_kinds_of_data_say_how_they_are_read():
    bits = sf.publish_stream([1, 0, 1], horizon=4, epsilon=1)
    counts = sf.publish_counts(pa.table({"key": ["a", "b"], "count": [1, 2]}), epsilon=1)
    assert "bits as they were read" in briefly(bits.certificate, None)
    assert "below 0 or is no number as 0" in briefly(counts.certificate, None)
