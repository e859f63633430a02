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
    mean, ward = release.accuracy(mean="age", count={"ward": ["surgery", "oncology"]})[::-1]
    assert mean == sf.accuracy.about_mean(found, "age", 0.95)
    assert ward == sf.accuracy.about_count(found, "ward", ["surgery", "oncology"], 0.95)
    assert "mean" in repr(release.accuracy(mean="age"))


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
