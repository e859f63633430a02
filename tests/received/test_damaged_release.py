"""Certificates and synopses with something else in every place: told in lines, no traceback."""

import json
import resource

import pytest

from received.damage import INSTEAD, damaged, places
from received.readers import KINDS, copied, readers, resealed, run, unseen

_SAMPLE = 5  # of each kind and document, by default
_COSTLY = ("report", "inspect")  # tried on all damage only where there is time
_ROOM = 700_000  # kB that all of them together may add to the largest size of this process


def cases(document):
    """All damages of a document, in an order that mixes places and kinds of damage."""
    every = [(place, what) for place in places(document) for what in INSTEAD]
    step = next(n for n in range(len(every) * 5 // 8, len(every) + 1) if _coprime(n, len(every)))
    return [every[k * step % len(every)] for k in range(len(every))]


def _coprime(a, b):
    while b:
        a, b = b, a % b
    return a == 1


def sweep(kind, document, most, tmp_path, monkeypatch, capsys, without=()):
    """Run every reader on damaged copies; how many commands were run, and how many refused."""
    folder = copied(kind, tmp_path)
    paper = json.loads((folder / "release.json").read_text())
    synopsis = (folder / "synopsis.json").exists() and json.loads(
        (folder / "synopsis.json").read_text()
    )
    whole = paper if document == "release.json" else synopsis
    if not whole:
        pytest.skip("there is no synopsis")
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    codes = []
    for place, what in cases(whole)[:most]:
        changed = damaged(whole, place, what)
        if document == "release.json":
            resealed(folder, changed)
        else:
            resealed(folder, json.loads(json.dumps(paper)), changed)
        for arguments in readers(kind, folder, tmp_path):
            if arguments[0] in without:
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


@pytest.mark.parametrize("kind", KINDS)
def test_every_reader_reads_a_good_release(kind, tmp_path, monkeypatch, capsys):
    """The control: what is refused below is refused for its damage."""
    folder = copied(kind, tmp_path)
    suited = {
        "table": ("verify", "report", "accuracy", "inspect"),
        "network": ("verify", "report", "accuracy", "graph"),
        "stream": ("verify", "report"),
        "counts": ("verify", "report", "query"),
    }
    for arguments in readers(kind, folder, tmp_path):
        code, said = run(arguments, monkeypatch, capsys)
        assert code == (0 if arguments[0] in suited[kind] else 1), (arguments, said)
        assert not unseen(said)


@pytest.mark.parametrize("document", ["release.json", "synopsis.json"])
@pytest.mark.parametrize("kind", KINDS)
def test_some_damage_is_told_in_lines(kind, document, tmp_path, monkeypatch, capsys):
    codes = sweep(kind, document, _SAMPLE, tmp_path, monkeypatch, capsys, _COSTLY)
    assert 1 in codes


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("document", ["release.json", "synopsis.json"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_damage_is_told_in_lines(kind, document, tmp_path, monkeypatch, capsys):
    codes = sweep(kind, document, None, tmp_path, monkeypatch, capsys)
    assert len(codes) > 100
