"""`sfumato key`, `--sign`, `verify --key`, `ledger sign`: what is printed, written and refused."""

import json
import os
import shlex
import shutil
import stat

import pyarrow.csv as pacsv
import pytest

from received.readers import run
from sfumato.example import CLINIC, clinic


@pytest.fixture
def asked(tmp_path, monkeypatch, capsys, wide):
    """Run a command in a folder with data, schema and a granted ledger; its code and words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("SFUMATO_SIGNING_KEY", "SFUMATO_LEDGER"):
        monkeypatch.delenv(name, raising=False)
    pacsv.write_csv(clinic(80), "clinic.csv")
    (tmp_path / "clinic.yaml").write_text(CLINIC)

    def ask(line):
        return run(shlex.split(line), monkeypatch, capsys)

    assert ask("ledger create --ledger b.db")[0] == 0
    assert ask("ledger grant clinic --epsilon 3 --reason board --ledger b.db")[0] == 0
    return ask


PUBLISH = "publish clinic.csv --schema clinic.yaml --epsilon 1 --yes --ledger b.db"


def made(asked, name="publisher.key"):
    code, said = asked(f"key create {name}")
    assert code == 0
    return said.split("id: ")[1].split()[0]


def test_a_key_is_made_beside_its_public_half_and_shown(asked, tmp_path):
    code, said = asked("key create")
    assert code == 0
    id_ = said.split("id: ")[1].split()[0]
    assert len(id_) == 64
    assert stat.S_IMODE((tmp_path / "publisher.key").stat().st_mode) == 0o600
    for file in ("publisher.key", "publisher.key.pub"):
        assert asked(f"key show {file}") == (0, f"{id_}\n")
    secret = (tmp_path / "publisher.key").read_text().splitlines()[1]
    assert secret not in said


def test_a_key_is_never_made_in_a_release(asked, tmp_path):
    assert asked(f"{PUBLISH} -o out")[0] == 0
    (tmp_path / "out" / "keys").mkdir()
    for place in ("out/in.key", "out/keys/in.key"):
        code, said = asked(f"key create {place}")
        assert (code, said.count("\n")) == (1, 1)
        assert f"refused: {place} would lie in a release, whose files go to others" in said
        assert not list((tmp_path / "out").rglob("in.key*"))


def test_a_key_is_never_overwritten(asked, tmp_path):
    made(asked)
    before = (tmp_path / "publisher.key").read_bytes()
    code, said = asked("key create publisher.key")
    assert (code, said.count("\n")) == (1, 1)
    assert "refused: publisher.key exists and may be a key in use" in said
    assert (tmp_path / "publisher.key").read_bytes() == before


def test_a_release_is_signed_and_who_made_it_is_checked(asked, monkeypatch):
    id_ = made(asked)
    made(asked, "other.key")
    assert asked(f"{PUBLISH} --sign publisher.key -o r")[0] == 0
    code, said = asked("verify r")
    assert code == 0
    assert f"signed by key {id_[:32]}…; whether that is the publisher's key" in said
    code, said = asked("verify r --key publisher.key.pub --ledger b.db")
    assert code == 0
    assert "which is in publisher.key.pub" in said
    assert asked("verify r --key other.key.pub --key publisher.key.pub")[0] == 0
    code, said = asked("verify r --key other.key.pub")
    assert code == 1
    assert "signed by another key" in said


def test_the_key_is_named_by_the_environment(asked, monkeypatch):
    id_ = made(asked)
    monkeypatch.setenv("SFUMATO_SIGNING_KEY", "publisher.key")
    code, said = asked(f"{PUBLISH} -o r")
    assert code == 0
    assert f"by key {id_[:32]}" in said
    assert asked("verify r --key publisher.key.pub")[0] == 0
    monkeypatch.setenv("SFUMATO_SIGNING_KEY", "")
    assert "by key" not in asked(f"{PUBLISH} -o plain")[1]
    code, said = asked("verify plain")
    assert code == 0
    assert "origin unknown: not signed" in said
    code, said = asked("verify plain --key publisher.key.pub")
    assert code == 1
    assert "not signed, so nothing shows" in said


def test_a_revoked_key_is_named(asked, tmp_path):
    id_ = made(asked)
    asked(f"{PUBLISH} --sign publisher.key -o r")
    (tmp_path / "revoked.txt").write_text(f"{id_}\n")
    code, said = asked("verify r --key publisher.key.pub --revoked revoked.txt")
    assert code == 1
    assert f"signed by key {id_[:32]}…, which revoked.txt revokes" in said
    (tmp_path / "later.txt").write_text("# none\n")
    assert asked("verify r --revoked revoked.txt --revoked later.txt") == (code, said)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("none.key", "cannot be read: No such file"),
        (".", "cannot be read: Is a directory"),
        ("clinic.csv", "is no private key"),
        ("publisher.key.pub", "is a public key"),
        ("open.key", "open to others (mode 0644): chmod 600"),
    ],
)
def test_a_wrong_key_is_refused_before_the_charge(asked, tmp_path, key, said):
    made(asked)
    shutil.copy("publisher.key", "open.key")
    os.chmod("open.key", 0o644)  # noqa: PTH101
    code, told = asked(f"{PUBLISH} --sign {key} -o r")
    assert (code, told.count("\n")) == (1, 1)
    assert said in told
    assert not (tmp_path / "r").exists()
    assert "nothing" in asked("ledger show --ledger b.db")[1]


@pytest.mark.parametrize(
    "line",
    [
        "graph publish e.csv --undirected --option high=9",
        "stream count b.txt --horizon 40",
        "stream mean b.txt --times 20 --size 4",
        "query publish k.csv",
    ],
)
def test_other_kinds_are_signed_too(asked, tmp_path, line):
    (tmp_path / "e.csv").write_text("source,target,weight\na,b,1\nb,c,2\n")
    (tmp_path / "k.csv").write_text("key,count\na,1\nb,2\n")
    (tmp_path / "b.txt").write_text("01" * 20)
    made(asked)
    assert asked(f"{line} --epsilon 1 -o r --sign publisher.key")[0] == 0
    assert asked("verify r --key publisher.key.pub")[0] == 0


def test_an_estimate_is_signed_too(asked, tmp_path):
    made(asked)
    (tmp_path / "k.csv").write_text("a\n" + "1\n2\n3\n" * 900)
    (tmp_path / "k.yaml").write_text("name: t\ncolumns: {a: {kind: integer}}\n")
    line = "schema estimate k.csv --schema k.yaml --epsilon 1 -o s.yaml --folder r"
    assert asked(f"{line} --sign publisher.key")[0] == 0
    assert asked("verify r --key publisher.key.pub")[0] == 0


def test_a_signed_head_shows_that_a_ledger_was_rolled_back(asked, tmp_path):
    made(asked, "owner.key")
    made(asked, "other.key")
    shutil.copy("b.db", "old.db")
    asked("ledger grant clinic --epsilon 1 --reason more --ledger b.db")
    code, said = asked("ledger sign --ledger b.db --key owner.key -o head.json")
    assert code == 0
    head = json.loads((tmp_path / "head.json").read_text())
    assert head["head"] in said
    asked("ledger grant clinic --epsilon 1 --reason more --ledger b.db")
    check = "--signed-head head.json --key owner.key.pub"
    code, said = asked(f"ledger verify --ledger b.db {check}")
    assert code == 0
    assert "it holds the head of head.json, signed on 20" in said
    shutil.rmtree(tmp_path / "state")  # as on another machine
    code, said = asked(f"ledger verify --ledger old.db {check}")
    assert (code, said.count("\n")) == (1, 1)
    assert "rolled back to before that, shortened, or went another way" in said
    code, said = asked("ledger verify --ledger b.db --signed-head head.json --key other.key.pub")
    assert (code, said.count("\n")) == (1, 1)
    assert "signed by another key" in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ledger verify --ledger b.db --key owner.key.pub", "belong together"),
        ("ledger verify --ledger b.db --signed-head head.json", "belong together"),
        ("ledger verify --ledger b.db --signed-head none --key owner.key.pub", "cannot be read"),
        ("ledger verify --ledger b.db --signed-head b.db --key owner.key.pub", "cannot be read"),
        ("ledger verify --ledger b.db --signed-head head.json --key owner.key", "a private key"),
        ("ledger sign --ledger b.db --key owner.key.pub -o h.json", "is a public key"),
        ("ledger sign --ledger b.db --key owner.key -o head.json", "exists"),
        ("ledger sign --ledger none.db --key owner.key -o h.json", "none.db"),
        ("key show clinic.csv", "is no list of public keys"),
        ("key show none", "cannot be read"),
        ("key create no/such/folder", "cannot be written"),
        ("verify r --key owner.key", "is a private key"),
        ("verify r --key clinic.csv", "is no list of public keys"),
        ("verify r --revoked none", "cannot be read"),
    ],
)
def test_wrong_files_are_refused_in_a_line(asked, tmp_path, line, said):
    made(asked, "owner.key")
    assert asked("ledger sign --ledger b.db --key owner.key -o head.json")[0] == 0
    code, told = asked(line)
    assert (code, told.count("\n")) == (1, 1)
    assert said in told
    assert not (tmp_path / "h.json").exists()
