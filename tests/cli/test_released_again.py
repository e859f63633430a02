"""The same command again, into the folder it made: nothing is measured, and that is said."""

import pytest

import sfumato as sf
from commands import run

WORDS = {
    "table": "publish t.csv --schema t.yaml --epsilon 1 --yes",
    "network": "graph publish t.csv --undirected --epsilon 1 --option high=10",
    "stream": "stream count t.csv --form text --horizon 64 --every 8 --epsilon 1",
    "counts": "query publish t.csv --epsilon 1",
}
DATA = {
    "table": "a\ntrue\nfalse\n",
    "network": "source,target,weight\na,b,1\nb,c,2\n",
    "stream": "01" * 20,
    "counts": "key,count\na,3\nb,4\n",
}


@pytest.mark.parametrize("kind", WORDS)
def test_a_release_that_was_there_before_does_not_look_like_a_new_one(tmp_path, kind):
    (tmp_path / "t.csv").write_text(DATA[kind])
    (tmp_path / "t.yaml").write_text("name: t\ncolumns:\n  a: {kind: boolean}\n")
    with sf.Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("t", sf.PureDP(2), reason="test")
    words = f"{WORDS[kind]} --ledger budget.db -o release"
    first, second = (run(words, cwd=tmp_path) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert "already released" not in first.stdout
    assert "already released: nothing was drawn or charged again" in second.stdout
    with sf.Ledger(tmp_path / "budget.db") as ledger:
        assert ledger.balance("t").releases == 1
