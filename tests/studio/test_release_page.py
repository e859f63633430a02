"""The page of a release: its checks, its files, its answers, its report."""

import hashlib
import re
import shutil
from io import BytesIO
from zipfile import BadZipFile, ZipFile

import pyarrow as pa
import pytest

import sfumato as sf
from release_world import HOSTILE, NAME, RELEASE, asked, lines, published, read, text
from sfumato.accuracy.spelling import at_least, at_most, spelt
from sfumato.errors import ReleaseError
from sfumato.ledger.history import act_of
from sfumato.release.folder import REPORT
from sfumato.schema import Schema
from sfumato.studio.shown_release import formulas
from sfumato.studio.zipped import unchanged, zipped
from studio_world import studio
from visits_world import PANEL, panel

PAGE = f"/r/{RELEASE}"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return published(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def visitor(project):
    with studio(project.folder) as found:
        yield found


def folder(project):
    return project.releases / RELEASE


def test_the_page_says_what_was_published_when_and_that_it_verifies(visitor, project):
    said = text(visitor.get(PAGE))
    (settled,) = lines(project, "settle")
    day = act_of(settled).when.partition(" ")[0]
    for words in ("ε = 1", "600 rows", "by mosaic", RELEASE, day):
        assert words in said
    for check in ("files ok as released", "plan ok", "data ok 600 rows", "ledger ok charged once"):
        assert check in said
    assert "origin open origin unknown: not signed" in said


PROMISED = "1 % likely thinks it at most 2.68 % likely afterwards (odds at most × 2.72)."


def test_the_page_begins_with_the_promise_in_words(visitor):
    found = text(visitor.get(PAGE)).partition(f" {NAME} ")[2]
    begun = found.partition("release 9c1e")[0]
    assert f"Whoever knows all other records and thinks something about one {PROMISED}" in begun


@pytest.mark.slow
def test_where_a_person_is_protected_the_promise_speaks_of_people(tmp_path):
    sf.publish(panel(), schema=PANEL, epsilon=1, folder=tmp_path / "r")
    with studio(tmp_path / "r", received=True) as visitor:
        found = text(visitor.get("/r/received"))
    assert f"all rows of all other people and thinks something about one person {PROMISED}" in found
    assert "other records" not in found


def test_an_answer_of_the_page_is_that_of_the_library(visitor, project):
    release = sf.Release.load(folder(project))
    (answer,) = release.accuracy(count={"ward": ["surgery"]}, confidence=0.9)
    said = text(visitor.get(asked(PAGE, ask="count", column=5, value=1, confidence=90)))
    for sentence in answer.sentences:
        assert sentence in said
    (answer,) = release.accuracy(mean="age")
    assert " ".join(answer.sentences) in text(visitor.get(asked(PAGE, ask="mean", column=0)))


def test_a_column_is_answered_with_a_line_for_each_value(visitor, project):
    (answer,) = sf.Release.load(folder(project)).accuracy(column="ward")
    said = text(visitor.get(asked(PAGE, ask="column", column=5)))
    for cell in answer.figures["counts"]:
        ends = f"{at_least(cell['low'])} {at_most(cell['high'])}"
        assert f"{cell['value']} {spelt(cell['noisy'])} {ends}" in said


def test_the_forms_lead_from_a_question_to_its_answer_without_script(visitor):
    tags = read(visitor.get(PAGE).text)[1]
    kinds = [attrs["value"] for tag, attrs in tags if tag == "option" and "value" in attrs]
    assert {"count", "mean", "table", "more"} <= set(kinds)
    page = visitor.get(asked(PAGE, ask="count", column=5))
    boxes = [attrs for tag, attrs in read(page.text)[1] if attrs.get("type") == "checkbox"]
    assert [box["value"] for box in boxes if box["name"] == "value"] == ["0", "1", "2", "3"]
    assert 'class="answer"' not in page.text
    page = visitor.get(asked(PAGE, ask="count", column=0))
    assert 'id="values"' in page.text  # there are too many to be ticked


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"ask": "mean", "column": 5}, "can be asked of age, weight, pressure"),
        ({"ask": "count", "column": 0, "values": "200"}, "Column age has no value '200'"),
        ({"ask": "count", "column": 0, "values": "200"}, "a range is written as 'first to last'"),
        ({"ask": "count", "column": 0, "values": "", "go": 1}, "Choose at least one value."),
        ({"ask": "more", "column": 5, "value": 1, "go": 1}, "at least one value on each side."),
        ({"ask": "table", "column": 5, "go": 1}, "Choose the other column."),
        ({"ask": "mean", "column": 0, "confidence": 100}, "below 100 %"),
        ({"ask": "mean", "column": 0, "confidence": "<b>"}, "below 100 %"),
    ],
)
def test_a_question_that_cannot_be_answered_is_answered_with_the_reason(visitor, fields, said):
    reply = visitor.get(asked(PAGE, **fields))
    assert reply.status == 200
    assert said in text(reply)
    assert "<b>" not in reply.text.partition('value="&lt;b&gt;"')[2]


def test_asking_writes_nothing_into_the_ledger_and_nothing_into_the_folder(visitor, project):
    before = {path: path.read_bytes() for path in folder(project).iterdir()}
    charged = len(lines(project, "reserve")), len(lines(project, "inspect"))
    visitor.get(asked(PAGE, ask="count", column=5, value=1))
    visitor.post(f"{PAGE}/verify")
    visitor.get(f"{PAGE}/report")
    visitor.get(f"{PAGE}/files/all.zip")
    assert {path: path.read_bytes() for path in folder(project).iterdir()} == before
    assert (len(lines(project, "reserve")), len(lines(project, "inspect"))) == charged


def test_the_report_is_the_library_s_and_comes_under_a_policy_of_its_own(visitor, project):
    reply = visitor.get(f"{PAGE}/report")
    assert reply.body == sf.report_page(sf.Release.load(folder(project)))
    policy = reply.headers["content-security-policy"]
    assert "sandbox" in policy.split("; ")
    assert "frame-ancestors 'self'" in policy
    assert "script" not in policy
    assert reply.headers["cache-control"] == "no-store"
    frames = [attrs for tag, attrs in read(visitor.get(PAGE).text)[1] if tag == "iframe"]
    assert [frame["sandbox"] for frame in frames] == [None]  # nothing is allowed in it


def test_files_come_as_they_lie_there_to_be_saved_and_not_shown(visitor, project):
    for name in ("data.csv", "release.json", "synopsis.json"):
        reply = visitor.get(f"{PAGE}/files/{name}")
        assert reply.body == (folder(project) / name).read_bytes()
        assert reply.headers["content-disposition"] == f'attachment; filename="{name}"'


def test_the_zip_holds_a_release_that_verifies_with_its_report(visitor, tmp_path):
    reply = visitor.get(f"{PAGE}/files/all.zip")
    with ZipFile(BytesIO(reply.body)) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)
    (found,) = tmp_path.iterdir()
    assert found.name == f"clinic-{RELEASE}"
    assert (found / REPORT).exists()
    assert sf.verify(found).passed
    assert visitor.get(f"{PAGE}/files/all.zip").body == reply.body


@pytest.mark.parametrize(
    "path",
    [
        "/files/../release.json",
        "/files/%2e%2e/%2e%2e/budget.db",
        "/files//etc/passwd",
        "/files/budget.db",
        "/files/data.csv%00",
        "/files/data.csv%0d%0aset-cookie:%20a=b",
        "/files/data/part-00000.parquet",
        "/files/",
    ],
)
def test_no_name_of_a_file_leads_out_of_the_release(visitor, path):
    reply = visitor.get(PAGE + path)
    assert reply.status in (404, 409)
    assert "set-cookie" not in reply.headers
    assert b"SQLite" not in reply.body
    assert b"root:" not in reply.body


@pytest.mark.parametrize(
    "name", ["..", "%2e%2e", ".", "con", "data%00", "a/../..", "9C1E0A7733F1B2D4", "x" * 300, "~"]
)
def test_no_name_of_a_release_leads_out_of_the_folder(visitor, name):
    for ending in ("", "/report", "/files/data.csv"):
        reply = visitor.get(f"/r/{name}{ending}")
        assert reply.status in (404, 409)
        assert "Traceback" not in reply.text
    assert visitor.said == []


def test_a_link_is_not_followed(visitor, project, tmp_path):
    shutil.copytree(folder(project), tmp_path / "outside")
    (project.releases / "link").symlink_to(tmp_path / "outside")
    assert "links are not followed" in text(visitor.get("/r/link"))
    (project.releases / "link").unlink()
    shutil.copytree(folder(project), project.releases / "inner")
    inner = project.releases / "inner" / "data.csv"
    inner.unlink()
    inner.symlink_to(tmp_path / "outside" / "data.csv")
    reply = visitor.get("/r/inner")
    assert "Do not use this release" in text(reply)
    assert visitor.get("/r/inner/files/data.csv").status == 409
    shutil.rmtree(project.releases / "inner")


def test_all_checks_are_made_again_when_they_are_asked_for(visitor, project):
    said = text(visitor.post(f"{PAGE}/verify"))
    assert "Everything was checked just now" in said
    (folder(project) / REPORT).write_text("<h1>all is well</h1>")
    try:
        said = text(visitor.post(f"{PAGE}/verify"))
        assert "report failed report.html is foreign" in said
        assert "Do not use this release" not in said
        assert b"all is well" not in visitor.get(f"{PAGE}/report").body  # ours is shown
    finally:
        (folder(project) / REPORT).unlink()


def test_a_change_shows_at_once_though_checks_are_remembered(visitor, project):
    assert "Do not use" not in text(visitor.get(PAGE))
    place = folder(project) / "data.csv"
    sound = place.read_bytes()
    place.write_bytes(sound.replace(b"surgery", b"oncology", 1))
    try:
        found = text(visitor.get(PAGE))
        assert "Do not use this release" in found
        assert PROMISED not in found
    finally:
        place.write_bytes(sound)
    assert "Do not use" not in text(visitor.get(PAGE))


def test_a_file_that_changes_while_the_zip_is_sent_leaves_no_whole_zip():
    sent = []
    blocks = zipped("r", [("data.csv", "0" * 64, [b"x" * 10**6])])
    with pytest.raises(ReleaseError, match=r"data\.csv was changed"):
        sent.extend(blocks)
    with pytest.raises(BadZipFile):
        ZipFile(BytesIO(b"".join(sent)))


def test_a_file_that_is_another_one_is_broken_off_before_its_end():
    sent = []
    with pytest.raises(ReleaseError, match=r"data\.csv was changed"):
        sent.extend(unchanged("data.csv", "0" * 64, [b"one", b"two"]))
    assert sent == [b"one"]
    right = hashlib.sha256(b"onetwo").hexdigest()
    assert list(unchanged("data.csv", right, [b"one", b"two"])) == [b"one", b"two"]


def test_names_of_columns_and_values_are_text_and_can_be_asked_all_the_same(tmp_path):
    name, value = f"{HOSTILE}"[:190], f"</select>{HOSTILE}"[:190]
    name, value = ("".join(filter(str.isprintable, one)) for one in (name, value))
    listed = {"kind": "category", "values": [value, "=1+1"], "other": False}
    schema = Schema.of({"name": name, "columns": {name: listed, "b": {"kind": "boolean"}}})
    records = pa.table({name: [value] * 60, "b": [True] * 60})
    project = published(tmp_path, schema=schema, records=records)
    (answer,) = sf.Release.load(folder(project)).accuracy(count={name: [value]})
    with studio(tmp_path) as visitor:
        for path in (PAGE, asked(PAGE, ask="count", column=0, value=0)):
            reply = visitor.get(path)
            tags = [tag for tag, _ in read(reply.text)[1]]
            assert ("img" in tags, tags.count("script"), tags.count("select")) == (False, 1, 2)
            assert "may take them for formulas" in text(reply)
        assert " ".join(answer.sentences[0].split()) in text(reply)
        assert b"<img" not in visitor.get(f"{PAGE}/report").body
        stem = visitor.get(f"{PAGE}/files/all.zip").headers["content-disposition"]
        assert re.fullmatch('attachment; filename="[a-z0-9-]+[.]zip"', stem)


@pytest.mark.slow
def test_two_hundred_columns_stay_a_small_page(tmp_path):
    columns = {f"column {k}": {"kind": "boolean"} for k in range(200)}
    schema = Schema.of({"name": "wide", "columns": columns})
    records = pa.table({name: [True, False] for name in columns})
    published(tmp_path, schema=schema, records=records)
    with studio(tmp_path) as visitor:
        for path in (PAGE, asked(PAGE, ask="table", column=7)):
            reply = visitor.get(path)
            assert (reply.status, len(reply.body) < 40_000) == (200, True)


def test_values_that_a_spreadsheet_would_compute_are_named():
    certificate = sf.publish(
        {"a": ["=1+1"] * 9, "b": ["-5"] * 9, "c": ["x"] * 9, "d": ["x"] * 9},
        schema=Schema.of(
            {
                "name": "t",
                "columns": {
                    "a": {"kind": "category", "values": ["=1+1", "x"], "other": False},
                    "b": {"kind": "category", "values": ["-5", "x"], "other": False},
                    "c": {"kind": "category", "values": ["x"], "other": "@all"},
                    "d": {"kind": "category", "values": ["x", "y"], "other": False},
                },
            }
        ),
        epsilon=1,
    ).certificate
    assert list(formulas(certificate)) == ["a", "c"]
