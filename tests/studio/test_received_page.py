"""What a recipient sees: the release, whether it is one, and nothing of an owner's."""

import json
import re
import shutil

import pytest

import sfumato as sf
from forging import read as paper_of
from forging import sealed
from release_world import HOSTILE, RELEASE, asked, published, read, text
from sfumato.cli.studio import studio as command
from sfumato.errors import ReleaseError
from sfumato.signature import create_key
from sfumato.studio.shown_release import QUICK
from studio_world import studio

PAGE = "/r/received"
NO_FILES = ("a\0b", "~of-nobody/key.pub", "x" * 3_000)
OWNERS = [
    "/new",
    "/ledger",
    "/ledger/clinic",
    "/ledger/clinic/sheet",
    "/ledger/export",
    "/d/clinic/schema",
    "/d/clinic/grant",
    "/d/clinic/review",
    "/d/clinic/fit",
    f"/jobs/{RELEASE}",
    f"/r/{RELEASE}",
]


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """A release folder, away from the project that it was made in."""
    project = published(tmp_path_factory.mktemp("made"))
    place = tmp_path_factory.mktemp("sent") / "clinic"
    shutil.copytree(project.releases / RELEASE, place)
    return place


@pytest.fixture
def copy(sent, tmp_path):
    return shutil.copytree(sent, tmp_path / "got")


@pytest.fixture(scope="module")
def visitor(sent):
    with studio(sent, received=True) as found:
        yield found


def test_a_recipient_lands_on_the_release_and_can_ask_and_fetch(visitor, sent):
    assert visitor.get("/").leads_to == PAGE
    said = text(visitor.get(PAGE))
    assert "files ok" in said
    assert "ledger" not in said.lower()
    (answer,) = sf.Release.load(sent).accuracy(mean="age")
    assert answer.sentences[0] in text(visitor.get(asked(PAGE, ask="mean", column=0)))
    assert visitor.get(f"{PAGE}/files/data.csv").body == (sent / "data.csv").read_bytes()
    assert visitor.get(f"{PAGE}/report").status == 200


@pytest.mark.parametrize("path", OWNERS)
def test_no_page_of_an_owner_is_there(visitor, path):
    assert visitor.get(path).status in (404, 409)


@pytest.mark.parametrize("path", ["/example", "/d/clinic/grant", "/ledger/refund", "/new"])
def test_no_form_of_an_owner_does_anything(visitor, sent, path):
    before = sorted(sent.parent.rglob("*"))
    assert visitor.post(path, {"epsilon": 1, "reason": "x"}).status in (404, 405, 409)
    assert sorted(sent.parent.rglob("*")) == before


def test_no_link_and_no_form_of_the_page_leads_to_an_owner_s(visitor):
    tags = read(visitor.get(asked(PAGE, ask="count", column=5, value=1)).text)[1]
    paths = {attrs.get("href") or attrs.get("action") for tag, attrs in tags if tag in "a form"}
    ours = ("/r/received", "/static/", "#", "/quit")
    assert {path for path in paths - {None, "/"} if not path.startswith(ours)} == set()


def test_nothing_is_written_where_the_release_lies(visitor, sent):
    before = {path: path.stat().st_mtime_ns for path in sent.parent.rglob("*")}
    visitor.get(PAGE)
    visitor.get(f"{PAGE}/report")
    visitor.get(f"{PAGE}/files/all.zip")
    visitor.post(f"{PAGE}/verify")
    assert {path: path.stat().st_mtime_ns for path in sent.parent.rglob("*")} == before


def test_a_release_is_compared_with_the_key_that_the_recipient_names(sent, tmp_path):
    right, wrong = tmp_path / "right.key", tmp_path / "wrong.key"
    create_key(right)
    create_key(wrong)
    sf.Release.load(sent).save(tmp_path / "signed", sign=right)
    with studio(tmp_path / "signed", received=True) as visitor:
        said = text(visitor.get(PAGE))
        assert "origin open signed by key" in said  # anybody has keys
        assert "whether that is the publisher's key, their public key says" in said
        said = text(visitor.post(f"{PAGE}/verify", {"key": f"{right}.pub"}))
        assert "origin ok signed by key" in said
        assert "which is in right.key.pub" in said
        said = text(visitor.post(f"{PAGE}/verify", {"key": f"{wrong}.pub"}))
        assert "Do not use this release" in said
        assert "signed by another key" in said
        for given in (tmp_path / "none.pub", tmp_path, sent / "data.csv", *NO_FILES):
            reply = visitor.post(f"{PAGE}/verify", {"key": str(given)})
            assert reply.status == 422, given
            assert "key-fault" in reply.text
            assert "cardiology" not in reply.text.partition("key-fault")[2].partition("</p>")[0]
        assert visitor.said == []


def test_an_unsigned_release_does_not_pass_for_one_that_should_be_signed(visitor, tmp_path):
    create_key(tmp_path / "right.key")
    reply = visitor.post(f"{PAGE}/verify", {"key": str(tmp_path / "right.key.pub")})
    assert "Do not use this release" in text(reply)
    assert "ask for a signed release" in text(reply)


def change_data(place):
    path = place / "data.csv"
    path.write_text(path.read_text().replace("surgery", "oncology", 1))


def lose_a_file(place):
    (place / "synopsis.json").unlink()


def add_a_file(place):
    (place / "notes.txt").write_text("read me")


def change_the_certificate(place):
    paper = paper_of(place)
    paper["rows"] = 601
    (place / "release.json").write_text(json.dumps(paper))


def claim_less_noise(place):
    paper = paper_of(place)
    paper["guarantee"]["epsilon"] = "1/10"
    paper["statement"] = "1/10-differential privacy"
    sealed(place, paper)


def swap_values(place):
    change_data(place)
    sealed(place, paper_of(place))


@pytest.mark.parametrize(
    "damage",
    [change_data, lose_a_file, add_a_file, change_the_certificate, claim_less_noise, swap_values],
)
def test_a_damaged_or_forged_release_answers_nothing_and_hands_nothing_out(copy, damage):
    damage(copy)
    with studio(copy, received=True) as visitor:
        reply = visitor.get(asked(PAGE, ask="mean", column=0))
        said = text(reply)
        assert "Do not use this release" in said
        assert "Ask whoever sent it" in said
        assert "failed" in said
        assert "lies between" not in said
        for path in ("/report", "/files/data.csv", "/files/all.zip"):
            assert visitor.get(PAGE + path).status == 409
        assert visitor.said == []


@pytest.mark.parametrize("content", [None, "", "{}", "[" * 10**5, '{"format": 2}', "\0" * 99])
def test_a_folder_that_is_no_release_is_told_so_in_words(tmp_path, content):
    if content is not None:
        (tmp_path / "release.json").write_text(content)
    (tmp_path / "budget.db").write_text("not to be shown")
    with studio(tmp_path, received=True) as visitor:
        for path in (PAGE, f"{PAGE}/report", f"{PAGE}/files/budget.db"):
            reply = visitor.get(path)
            assert reply.status == 409
            assert any(words in text(reply) for words in ("is no release", "damaged", "format"))
            assert "not to be shown" not in reply.text
        assert visitor.said == []


def test_a_plan_of_another_version_is_said_to_be_open_and_the_rest_can_be_used(copy):
    paper = paper_of(copy)
    paper["versions"]["sfumato"] = "0.0.1"
    paper["invariants"] = ["nothing"]
    sealed(copy, paper)
    with studio(copy, received=True) as visitor:
        said = text(visitor.get(PAGE))
        assert "plan open" in said
        assert "made by sfumato 0.0.1" in said
        assert "rest on what the folder states" in said
        assert visitor.get(f"{PAGE}/files/data.csv").status == 200


def test_markup_and_control_characters_of_a_forger_are_text_on_the_page(copy):
    paper = paper_of(copy)
    paper["dataset"] = paper["release"] = paper["unit"] = HOSTILE[:190]
    paper["warnings"] = [HOSTILE]
    paper["method"] = "mosaic"
    sealed(copy, paper)
    with studio(copy, received=True) as visitor:
        reply = visitor.get(PAGE)
        tags = [tag for tag, _ in read(reply.text)[1]]
        assert "img" not in tags
        assert tags.count("script") == 1  # our own
        assert "\x1b" not in reply.text
        assert "\u202e" not in reply.text
        assert "Do not use this release" in text(reply)


def test_the_command_refuses_what_is_no_folder(tmp_path):
    with pytest.raises(ReleaseError, match="is no folder: unpack the release"):
        command(received=tmp_path / "none")


def test_the_command_refuses_a_folder_without_a_release_and_names_the_one_below(tmp_path):
    with pytest.raises(
        ReleaseError, match=r"holds no release\.json: name the folder that holds it"
    ):
        command(received=tmp_path)
    (tmp_path / "sent").mkdir()
    (tmp_path / "sent" / "release.json").write_text("{}")
    with pytest.raises(ReleaseError, match=rf"did you mean {re.escape(str(tmp_path / 'sent'))}\?"):
        command(received=tmp_path)


def test_a_large_release_is_checked_before_anything_of_it_is_used(copy):
    claim_less_noise(copy)
    with (copy / "data.csv").open("r+b") as file:
        file.truncate(QUICK + 1)
    ways = (f"{PAGE}/report", f"{PAGE}/files/data.csv", f"{PAGE}/files/all.zip")
    with studio(copy, received=True) as visitor:
        said = text(visitor.get(asked(PAGE, ask="count", column=5, value=1)))
        assert "Not checked yet" in said
        assert "the truth lies" not in said
        assert all("was not checked yet" in visitor.get(way).text for way in ways)
        assert "Do not use this release" in text(visitor.post(f"{PAGE}/verify"))
        assert "Do not use this release" in text(visitor.get(PAGE))
        assert all("not as it was released" in visitor.get(way).text for way in ways)


def test_a_large_release_that_was_checked_can_be_used(sent, monkeypatch):
    monkeypatch.setattr("sfumato.studio.shown_release.QUICK", 10)
    with studio(sent, received=True) as visitor:
        assert visitor.get(f"{PAGE}/files/data.csv").status == 409
        assert "Everything was checked just now" in text(visitor.post(f"{PAGE}/verify"))
        assert visitor.get(f"{PAGE}/files/data.csv").body == (sent / "data.csv").read_bytes()
        assert "files ok" in text(visitor.get(PAGE))
