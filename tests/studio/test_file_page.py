"""Which file, and who is in it: what is read, what is asked, what is not shown."""

import gzip
import json
import os
import re
import sys
from html import unescape

import pytest

from sfumato.untrusted.visible import visible
from studio_world import studio

ANSWERS = {"file": "patients.csv", "header": "yes", "unit": "one", "held": "secret"}
FILES = {
    "patients.csv": "patient,age,ward\nP1,31,surgery\n",
    "headerless.csv": "31,surgery,2024-05-01,ann@example.org\n58,care,2024-05-02,bob@example.org\n",
    "dated.csv": "2024-05-01,anna@example.org,surgery\n2024-05-02,bob@example.org,care\n",
    "torn.csv": '"a\nb",c\n1,2\n',
    "twice.csv": "age,age\n1,2\n",
    "empty.csv": "",
    "wide.csv": ",".join(f"c{k}" for k in range(10_000)) + "\n",
    "markup.csv": '<script>alert(1)</script>,a\x1b[2Jb,\u202eevil,"q""\'&amp;"\n1,2,3,4\n',
    "long.csv": "How often did you drink more than six glasses on one evening lately,age\n1,2\n",
    "lines.jsonl": '{"a": 1}\n',
    "notes.xyz": "a\n",
    "huge.csv": f"a,{'x' * 2**20}\n1,2\n",
    "called.parquet": "age,ward\n1,a\n",
    "sur\u202efed.csv": "age,ward\n1,a\n",
    "two\nlines.csv": "age,ward\n1,a\n",
}
PACKED = {
    "gzip.csv": gzip.compress(b"age\n1\n"),
    "workbook.csv": b"PK\x03\x04 and more",
    "parquet.csv": b"PAR1\x15\x04\x15 and more",
    "utf-16.csv": "age,ward\n1,a\n".encode("utf-16"),
    "latin.csv": "gr\u00f6\u00dfe,b\n1,2\n".encode("latin-1"),
    "bomb.csv.gz": gzip.compress(b"x" * 2**26, 1),
}


@pytest.fixture
def visitor(tmp_path):
    (tmp_path / "data").mkdir()
    for name, text in FILES.items():
        (tmp_path / "data" / name).write_text(text, encoding="utf-8")
    for name, content in PACKED.items():
        (tmp_path / "data" / name).write_bytes(content)
    with studio(tmp_path) as found:
        yield found


def sent(visitor, **answers):
    return visitor.post("/new", ANSWERS | answers)


def test_all_files_are_named_and_none_is_opened_for_that(visitor):
    for path in (visitor.folder / "data").iterdir():
        path.chmod(0)
    found = visitor.get("/new").text
    assert found.count('name="file"') == len(FILES) + len(PACKED)
    assert all(f'value="{visible(name)}"' in found for name in FILES)


def test_the_header_makes_a_draft_and_leads_to_the_columns(visitor):
    assert sent(visitor).leads_to == "/d/patients/schema"
    found = json.loads((visitor.folder / "datasets/patients/draft.json").read_text())
    assert [column["name"] for column in found["columns"]] == ["patient", "age", "ward"]
    assert (found["name"], found["file"]) == ("patients", "patients.csv")


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("file", "", "Choose a file"),
        ("file", "../patients.csv", "there is no file"),
        ("header", "", "Say whether the first line"),
        ("header", "no", "put a line with them above"),
        ("header", "unsure", "Look at the first line"),
        ("unit", "", "it decides what is protected"),
        ("held", "maybe", "Say whether the file holds secrets"),
    ],
)
def test_what_is_not_answered_is_said_beside_the_question_and_the_rest_stays(
    visitor, question, answer, said
):
    reply = sent(visitor, **{question: answer, "name": "kept <b>"})
    assert reply.status == 422
    assert said.lower() in reply.text.lower()
    assert "kept &lt;b&gt;" in reply.text
    assert not list((visitor.folder / "datasets").iterdir())


def test_several_rows_of_a_person_need_the_column_that_tells_whose_they_are(visitor):
    asked = {"unit": "several", "rows": "8"}
    assert "Name the column" in sent(visitor, **asked).text
    assert "No column has this name" in sent(visitor, **asked, person="Patient").text
    assert "A whole number from 1" in sent(visitor, **asked | {"rows": "0"}, person="patient").text
    assert sent(visitor, **asked, person="patient").status == 303
    draft = json.loads((visitor.folder / "datasets/patients/draft.json").read_text())
    assert (draft["person"], draft["rows_per_person"]) == ("patient", "8")
    assert draft["columns"][0]["kind"] == "id"


def test_a_first_line_of_numbers_is_no_header_and_no_cell_of_it_is_shown(visitor):
    reply = sent(visitor, file="headerless.csv")
    assert reply.status == 422
    assert "the name of column 1 is a number" in reply.text
    assert not any(cell in reply.text for cell in ("2024-05-01", "ann@example.org", "bob"))


def test_names_that_look_like_values_are_shown_by_position_even_when_they_are_confirmed(visitor):
    reply = sent(visitor, file="dated.csv")
    assert reply.status == 422
    assert "position 1, 2" in reply.text
    assert not list((visitor.folder / "datasets").iterdir())
    pages = [reply, sent(visitor, file="dated.csv", sure="on")]
    assert pages[-1].status == 303
    pages.append(visitor.get("/d/dated/schema"))
    pages.append(visitor.send("/d/dated/schema", {"do": "check", "k0": "integer", "f0": "5..1"}))
    assert "column 1" in pages[-1].text
    assert "Low must be below high" in pages[-1].text
    assert not any("anna@example.org" in page.text or "2024-05-01<" in page.text for page in pages)


def test_long_questions_are_names_once_that_is_confirmed(visitor):
    assert "position 1)" in sent(visitor, file="long.csv").text
    assert sent(visitor, file="long.csv", sure="on").status == 303
    assert "glasses" not in visitor.get("/d/long/schema").text


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("torn.csv", "goes on in the next line"),
        ("twice.csv", "two columns have the same name"),
        ("empty.csv", "no header"),
        ("wide.csv", "10,000 columns; the studio shows at most 500"),
        ("lines.jsonl", "has no header"),
        ("notes.xyz", "the ending is not known"),
        ("huge.csv", "more than 131,072 characters: shorten it"),
        ("called.parquet", "is no Parquet file: if it is text, call it .csv"),
        ("gzip.csv", "is packed with gzip: call it .csv.gz"),
        ("workbook.csv", "call it .xlsx or .zip"),
        ("parquet.csv", "is a Parquet file: call it .parquet"),
        (
            "utf-16.csv",
            "written in UTF-16: save it as UTF-8 (in a spreadsheet: save as, CSV UTF-8)",
        ),
        ("latin.csv", "is not UTF-8: save it as UTF-8 (in a spreadsheet: save as, CSV UTF-8)"),
        ("bomb.csv.gz", "has more than 16,777,216 characters"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_words(visitor, file, said):
    reply = sent(visitor, file=file)
    assert reply.status == 422
    assert said.lower() in reply.text.lower()
    assert f"{visitor.folder}/data/{file}" not in reply.text
    assert not list((visitor.folder / "datasets").iterdir())


@pytest.mark.parametrize(
    ("answers", "header"),
    [
        ({"file": "dated.csv"}, True),
        ({"file": "twice.csv"}, True),
        ({"file": "unnamed.csv"}, True),
        ({"file": "wide.csv"}, True),
        ({"unit": "several", "rows": "8", "person": "nobody"}, True),
        ({"name": "taken"}, True),
        ({"held": ""}, False),
        ({"file": "nowhere.csv"}, False),
    ],
)
def test_what_is_refused_for_its_header_does_not_say_that_it_was_not_read(visitor, answers, header):
    (visitor.folder / "data" / "unnamed.csv").write_text("a,,c\n1,2,3\n")
    sent(visitor, name="taken")
    reply = sent(visitor, **answers)
    foot = reply.text.partition("<footer>")[2]
    assert reply.status == 422
    assert ("at most the header" in foot) == header
    assert ("nothing but the names of the files" in foot) != header


def test_names_with_markup_and_control_characters_are_harmless(visitor):
    assert sent(visitor, file="markup.csv").status == 303
    for path in ("/d/markup/schema", "/d/markup/schema?check=1"):
        found = visitor.get(path).text
        assert "<script>alert" not in found
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in found
        assert "a\\x1b[2Jb" in found
        assert "\\u202eevil" in found
        assert "\x1b" not in found
        assert "\u202e" not in found
        assert "&#34;" in found or "&quot;" in found


def test_the_name_in_the_ledger_may_be_any_and_the_address_is_plain(visitor):
    reply = sent(visitor, name="Klinik Süd / <2026>")
    assert reply.leads_to == "/d/klinik-sud-2026/schema"
    assert "Klinik Süd / &lt;2026&gt;" in visitor.get("/").text
    assert "There is a data set" in sent(visitor, name="Klinik Süd / <2026>").text


def test_without_a_file_nothing_is_asked_and_the_page_says_what_to_do_first(tmp_path):
    with studio(tmp_path) as visitor:
        found = visitor.get("/new").text
        assert "There is no file yet" in found
        assert f"{tmp_path}/data" in found
        assert 'href="/new"' in found
        assert 'action="/example"' in found
        assert "<fieldset" not in found
        assert "There is no file yet" in sent(visitor).text
        (tmp_path / "data" / "patients.csv").write_text("age\n31\n")
        assert 'value="patients.csv"' in visitor.get("/new").text


def test_a_file_whose_name_cannot_be_seen_can_be_chosen_all_the_same(visitor):
    shown = [
        unescape(one)
        for one in re.findall(r'name="file" value="([^"]*)"', visitor.get("/new").text)
    ]
    odd = [name for name in shown if "\\" in name]
    assert len(odd) == 2
    for name in odd:
        again = sent(visitor, file=name, held="maybe")
        assert f'value="{name}" checked' in again.text
        assert sent(visitor, file=name).status == 303


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are texts elsewhere")
def test_a_file_whose_name_is_no_text_is_refused_in_words(visitor):
    os.close(os.open(os.fsencode(visitor.folder / "data") + b"/\xff.csv", os.O_CREAT | os.O_WRONLY))
    assert visitor.get("/new").status == 200
    assert "is not UTF-8: rename the file" in sent(visitor, file="\\udcff.csv").text


def test_nothing_that_is_too_long_takes_the_page_away(visitor):
    long = {"unit": "several", "person": "p" * 500, "rows": "9" * 500, "name": "n" * 201}
    reply = sent(visitor, **long)
    assert reply.status == 422
    assert "At most 200 characters" in reply.text
    assert "p" * 500 in reply.text


def test_a_link_is_said_to_be_one(visitor):
    (visitor.folder / "data" / "link.csv").symlink_to("patients.csv")
    reply = sent(visitor, file="link.csv")
    assert (reply.status, "links are not followed" in reply.text) == (422, True)
