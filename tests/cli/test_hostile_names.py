"""Names that would move the cursor, fake a line or open a link: shown, never obeyed."""

import json
import sys

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import sfumato as sf
from received.readers import run, unseen
from sfumato.cli.screen import Grid, say, show, styled
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.untrusted.visible import visible

EVIL = "[bold]x[/bold]\x1b[2K\x1b]8;;http://evil\x07[link=http://evil]\u202e\u2028\u200b\x9b1m[/no]"
MARKUP = "[bold]x[/bold][link=http://evil][/no]"
SCHEMA = {
    "name": EVIL,
    "columns": {
        EVIL: {"kind": "category", "values": [f"{EVIL}a", f"{EVIL}b", "plain"]},
        "age": {"kind": "integer", "low": 0, "high": 9},
    },
}
TABLE = pa.table({EVIL: [f"{EVIL}a", f"{EVIL}b", "plain"] * 40, "age": [1, 5, 9] * 40})


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A table, a schema, a ledger, a network, counts and releases of them, with such names."""
    place = tmp_path_factory.mktemp("hostile")
    pacsv.write_csv(TABLE, place / "t.csv")
    (place / "s.json").write_text(json.dumps(SCHEMA))
    edges = pa.table({"source": [EVIL, "b"], "target": ["b", f"{EVIL}c"], "weight": [1.0, 2.0]})
    pacsv.write_csv(edges, place / "e.csv")
    counts = pa.table({"key": [EVIL, "b", "c"], "count": [1, 2, 3]})
    pacsv.write_csv(counts, place / "k.csv")
    (place / "b.txt").write_text("01" * 20)
    (place / "printable.json").write_text(json.dumps({**SCHEMA, "name": MARKUP}))
    with Ledger.create(place / "l.db") as ledger:  # which takes printable names alone
        ledger.grant(MARKUP, PureDP(9), reason=MARKUP)
        ledger.reserve(f"open{MARKUP}", MARKUP, PureDP(1), plan="0" * 64, protects=MARKUP)
    sf.publish(TABLE, schema=SCHEMA, epsilon=1, folder=place / "table")
    sf.publish_network(edges, directed=True, name=EVIL, epsilon=1, high=9, folder=place / "network")
    sf.publish_counts(counts, name=EVIL, epsilon=1, folder=place / "counts")
    sf.publish_stream([0, 1] * 20, horizon=40, name=EVIL, epsilon=1, folder=place / "stream")
    return place


COMMANDS = [
    "verify {0}/table --ledger {0}/l.db",
    "verify {0}/network",
    "verify {0}/{evil}",
    "report {0}/table",
    "report {0}/network",
    "report {0}/counts",
    "report {0}/stream",
    "accuracy {0}/table",
    "accuracy {0}/table --json",
    "accuracy {0}/table --column {evil}",
    "accuracy {0}/table --sum {evil}={evil}",
    "accuracy {0}/table --pair age {evil}",
    "accuracy {0}/network",
    "inspect {0}/table --original {0}/t.csv --uncounted",
    "inspect {0}/table --original {0}/t.csv --uncounted --secret {evil}",
    "query ask {0}/counts --keys {evil}",
    "query ask {0}/counts --keys no{evil}",
    "query ask http://{evil} --keys a --epsilon 1",
    "query publish {0}/k.csv --epsilon 1 --name {evil} -o {0}/q",
    "graph compare {0}/e.csv {0}/network",
    "graph publish {0}/e.csv --directed --epsilon 1 --option high=9 --name {evil} -o {0}/g",
    "graph publish {0}/e.csv --directed --epsilon 1 --option {evil}=9 -o {0}/g2",
    "graph share {0}/e.csv --party {evil} --directed -o {0}/share.csv",
    "stream count {0}/b.txt --horizon 40 --epsilon 1 --name {evil} -o {0}/c",
    "schema check {0}/s.json",
    "schema check {0}/{evil}",
    "schema suggest {0}/table",
    "schema suggest {0}/table --share {evil}",
    "schema suggest {0}/network",
    "schema draft {0}/t.csv",
    "schema draft {0}/t.csv --public",
    "ledger show --ledger {0}/l.db",
    "ledger show --ledger {0}/l.db --dataset {evil}",
    "ledger grant {evil} --epsilon 1 --reason {evil} --ledger {0}/l.db",
    "ledger refund {evil} --reason x --ledger {0}/l.db",
    "ledger same-data {evil} other --reason {evil} --ledger {0}/l.db",
    "ledger verify --ledger {0}/l.db --head {evil}",
    "publish {0}/t.csv --schema {0}/s.json --epsilon {evil} --yes -o {0}/p",
    "publish {0}/t.csv --schema {0}/s.json --epsilon 1 --method {evil} --yes -o {0}/p",
    "publish {0}/t.csv --schema {0}/s.json --epsilon 1 --option {evil}=1 --yes -o {0}/p",
    "publish {0}/t.csv --schema {0}/s.json --epsilon 1 --seed 1 --yes -o {0}/p",
    "publish {0}/t.csv --schema {0}/s.json --epsilon 1 --ledger {0}/l.db --yes -o {0}/p2",
    "publish {0}/t.csv --schema {0}/printable.json --epsilon 1 --ledger {0}/l.db --yes -o {0}/p3",
    "verify {0}/p3 --ledger {0}/l.db",
    "publish {0}/{evil} --schema {0}/s.json --epsilon 1 --yes -o {0}/p",
    "compare {0}/t.csv --schema {0}/s.json --epsilon {evil}",
    "audit {evil} --epsilon 1",
    "methods {evil}",
    "doctor --ledger {0}/{evil}",
    "reproduce {evil}",
    "{evil}",
    "verify --{evil}",
    "query serve {0}/k.csv --epsilon-per-answer 1 --ledger {0}/l.db --port {evil}",
    "query serve {0}/k.csv --epsilon-per-answer 1 --ledger {0}/l.db --name {evil} --host 0.0.0.0",
    "query serve {0}/k.csv --epsilon-per-answer 1 --ledger {0}/l.db --log {evil}/{evil}",
    "query serve {0}/k.csv --epsilon-per-answer 1 --ledger {0}/l.db --tls-cert {evil} --tls-key k",
    "query ask http://127.0.0.1:9 --keys a --epsilon 1 --token-file {evil}",
    "query ask https://127.0.0.1:9 --keys a --epsilon 1 --ca {evil}",
    "query client add {evil} --ledger {0}/l.db --dataset {evil} --epsilon 1",
    "query client list --ledger {0}/l.db --dataset {evil}",
    "query client revoke {evil} --reason {evil} --ledger {0}/l.db --dataset {evil}",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_name_reaches_the_terminal_raw(place, command, monkeypatch, capsys):
    words = [word.format(place, evil=EVIL) for word in command.split()]
    code, said = run(words, monkeypatch, capsys)
    assert code in (0, 1, 2)
    assert said.strip()
    assert not unseen(said)
    assert "internal error" not in said


@pytest.mark.parametrize("name", ["table", "network", "counts", "stream"])
def test_no_name_reaches_a_page_raw(place, name, monkeypatch, capsys):
    page = place / f"{name}.html"
    assert run(["report", str(place / name), "-o", str(page)], monkeypatch, capsys)[0] == 0
    text = page.read_text()
    assert not unseen(text)
    assert "<bold>" not in text
    if name == "table":
        assert visible("\x1b]8;;http://evil") in text


def test_markup_of_a_page_is_escaped_in_report_and_inspection(tmp_path, monkeypatch, capsys):
    tag = "<script>alert(1)</script>\u202e"
    schema = {
        "name": tag,
        "columns": {tag: {"kind": "category", "values": [f"{tag}a", f"{tag}b"]}},
    }
    table = pa.table({tag: [f"{tag}a", f"{tag}b"] * 50})
    pacsv.write_csv(table, tmp_path / "t.csv")
    sf.publish(table, schema=schema, epsilon=1, folder=tmp_path / "r")
    looked = ["inspect", f"{tmp_path}/r", "--original", f"{tmp_path}/t.csv", "-o", f"{tmp_path}/i"]
    for asked, page in ((["report", f"{tmp_path}/r"], "r/report.html"), (looked, "i")):
        code, said = run(asked, monkeypatch, capsys)
        assert code == 0, said
        text = (tmp_path / page).read_text()
        assert "<script" not in text
        assert "&lt;script&gt;" in text
        assert not unseen(text)


def test_the_control_sees_what_a_terminal_would_obey(capsys):
    sys.stdout.write(EVIL)
    assert {"\x1b", "\x07", "\u202e", "\u2028", "\u200b", "\x9b"} <= unseen(capsys.readouterr().out)


def test_the_door_shows_every_character_and_no_style_of_theirs(capsys):
    table = Grid(EVIL, title=EVIL)
    table.line(EVIL)
    say(EVIL, styled(EVIL, "red"))
    show(table)
    said = capsys.readouterr().out
    assert not unseen(said)
    assert "[bold]x[/bold]" in said
