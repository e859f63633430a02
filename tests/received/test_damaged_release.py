"""Certificates and synopses with something else in every place: told in lines, no traceback."""

import json
import resource

import pytest

from conftest import SEED
from received.damage import INSTEAD, damaged, places
from received.readers import KINDS, copied, readers, resealed, run, unseen

_SAMPLE = 5  # of each kind and document, by default
_READERS = {  # what draws pictures is tried less often
    "first": ("verify",),
    "most": ("verify", "accuracy", "schema", "graph", "query"),
    "all": ("verify", "accuracy", "schema", "graph", "query", "report", "inspect"),
}
documents = pytest.mark.parametrize(
    ("kind", "document"),
    [(kind, "release.json") for kind in KINDS]
    + [(kind, "synopsis.json") for kind in ("table", "network")],  # the others have none
)
_ROOM = 700_000  # kB that all of them together may add to the largest size of this process


def few(document):
    """Some damages of a document, in an order that mixes places and kinds of damage."""
    every = [(place, what) for place in places(document) for what in INSTEAD]
    step = next(n for n in range(len(every) * 5 // 8, len(every) + 1) if _coprime(n, len(every)))
    return [(*every[k * step % len(every)], "most") for k in range(_SAMPLE)]


def many(document):
    """A sixth of all damages in every place, and with other seeds the others.

    More readers in turn, with another seed at others.
    """
    for number, place in enumerate(places(document)):
        for turn, what in enumerate(INSTEAD, start=number + SEED):
            missing = what == "nothing" and number % 3 == SEED % 3
            if turn % 6 and not missing:
                continue
            all_of_them = missing or turn % 36 == 0
            yield place, what, "all" if all_of_them else "most" if turn % 18 == 0 else "first"


def _coprime(a, b):
    while b:
        a, b = b, a % b
    return a == 1


def sweep(kind, document, chosen, tmp_path, monkeypatch, capsys):
    """Run as many readers as is said on damaged copies; their exit codes."""
    folder = copied(kind, tmp_path)
    paper = json.loads((folder / "release.json").read_text())
    whole = json.loads((folder / document).read_text())
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    codes = []
    for place, what, by in chosen(whole):
        changed = damaged(whole, place, what)
        if document == "release.json":
            resealed(folder, changed)
        else:
            resealed(folder, json.loads(json.dumps(paper)), changed)
        for arguments in readers(kind, folder, tmp_path):
            if arguments[0] not in _READERS[by]:
                continue
            code, said = run(arguments, monkeypatch, capsys)
            where = (document, place, what, arguments[:2], said[-300:])
            assert code in (0, 1), where
            assert not unseen(said), where
            assert "internal error" not in said, where
            assert "Traceback" not in said, where
            codes.append(code)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - largest < _ROOM
    return codes


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_reader_reads_a_good_release(kind, tmp_path, monkeypatch, capsys):
    """The control: what is refused below is refused for its damage."""
    folder = copied(kind, tmp_path)
    suited = {
        "table": ("verify", "report", "accuracy", "schema", "inspect"),
        "network": ("verify", "report", "accuracy", "graph"),
        "stream": ("verify", "report", "accuracy"),
        "counts": ("verify", "report", "accuracy", "query"),
    }
    for arguments in readers(kind, folder, tmp_path):
        code, said = run(arguments, monkeypatch, capsys)
        assert code == (0 if arguments[0] in suited[kind] else 1), (arguments, said)
        assert not unseen(said)


@documents
def test_some_damage_is_told_in_lines(kind, document, tmp_path, monkeypatch, capsys):
    codes = sweep(kind, document, few, tmp_path, monkeypatch, capsys)
    assert 1 in codes


@pytest.mark.slow
@pytest.mark.timeout(1800)
@documents
def test_much_damage_is_told_in_lines(kind, document, tmp_path, monkeypatch, capsys):
    codes = sweep(kind, document, many, tmp_path, monkeypatch, capsys)
    assert len(codes) > 50
