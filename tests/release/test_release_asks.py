"""A release answers for itself: how far it is off, and a page for its readers."""

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic


@pytest.fixture
def small():
    """Two columns: their page is made quickly."""

    def publish(epsilon=1):
        columns = {"age": {"kind": "integer", "low": 0, "high": 99}, "ill": {"kind": "boolean"}}
        table = pa.table({"age": [30, 40, 50], "ill": [True, False, True]})
        return sf.publish(table, schema={"name": "t", "columns": columns}, epsilon=epsilon)

    return publish


@pytest.fixture
def published():
    def publish(method="mosaic", **said):
        schema = sf.Schema.parse(CLINIC)
        return sf.publish(clinic(400), schema=schema, method=method, seed=1, **said)

    return publish


def test_what_is_asked_is_what_the_package_answers(published):
    release = published(epsilon=1)
    found = sf.accuracy.published(release)
    mean, ward = release.accuracy(mean="age", count={"ward": ["surgery", "oncology"]})
    assert mean == sf.accuracy.about_mean(found, "age", 0.95)
    assert ward == sf.accuracy.about_count(found, "ward", ["surgery", "oncology"], 0.95)
    assert "mean" in repr(release.accuracy(mean="age"))


@pytest.mark.slow
def test_without_a_question_every_column_is_told(published):
    told = published(epsilon=1).accuracy()
    assert {"age", "ward", "outcome"} <= {answer.question for answer in told}


@pytest.mark.parametrize("method", ["local", "modips", "lap-pca"])
def test_methods_without_tables_answer_in_their_own_way(published, method):
    told = published(method, epsilon=1).accuracy()
    assert len(told)
    assert all(answer.sentences for answer in told)


def test_several_columns_may_be_asked_at_once(published):
    told = published(epsilon=1).accuracy(column=["ward", "sex"], largest="ward", confidence=0.9)
    assert [answer.question for answer in told][:2] == ["ward", "sex"]
    assert len(told) == 3


def test_answers_come_in_the_order_of_the_questions(published):
    told = published(epsilon=1).accuracy(largest="ward", mean="age", count={"ward": "surgery"})
    assert [answer.question for answer in told][1:] == ["mean of age", "ward is surgery"]


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ({"count": "ward"}, "count names columns with their values"),
        ({"count": ["ward"]}, "count names columns with their values"),
        ({"count": {"ward": None}}, "count names columns with their values"),
        ({"mean": 5}, 'mean names columns, as in mean="age"'),
        ({"mean": {"age": 5}}, "mean names columns"),
        ({"column": [5]}, "column names columns"),
        ({"means": "age"}, "accuracy knows no question means (did you mean mean?)"),
    ],
)
def test_what_is_no_question_is_refused_with_an_example(small, asked, rule):
    with pytest.raises(sf.ParameterError) as refusal:
        small().accuracy(**asked)
    assert rule in str(refusal.value)


def test_a_release_is_verified_where_it_lies_and_elsewhere_refused(small, tmp_path):
    release = small()
    with pytest.raises(sf.ParameterError, match="lies in no folder: save it"):
        sf.verify(release)
    assert sf.verify(sf.Release.load(release.save(tmp_path / "release"))).passed
    with pytest.raises(sf.ParameterError, match="takes the folder of a release, not int"):
        sf.verify(5)


@pytest.mark.parametrize("page", [sf.report_page, sf.write_report])
def test_a_page_of_no_release_is_refused(page):
    with pytest.raises(sf.ParameterError, match="made of a release, not of str: load one"):
        page("release")


def test_a_saved_release_writes_the_page_that_verify_expects(small, tmp_path):
    release = small()
    folder = release.save(tmp_path / "release")
    assert release.report(folder / "report.html") == folder / "report.html"
    assert sf.verify(folder)
    assert sf.Release.load(folder).report() == folder / "report.html"


def test_a_page_is_replaced_only_where_that_was_said(small, tmp_path):
    release, page = small(), tmp_path / "page.html"
    page.write_text("mine")
    with pytest.raises(sf.ReleaseError, match="exists and differs"):
        release.report(page)
    assert page.read_text() == "mine"
    assert release.report(page, force=True) == page
    assert page.read_bytes() == sf.report_page(release)


def test_no_page_goes_into_the_folder_of_another_release(small, tmp_path):
    folder = small(epsilon=2).save(tmp_path / "other")
    with pytest.raises(sf.ReleaseError, match="another release"):
        small().report(folder / "report.html")
    assert sf.verify(folder)


def test_a_release_in_memory_needs_to_be_told_where(small):
    with pytest.raises(sf.ParameterError, match="say where"):
        small().report()
