"""Compiled loops: loaded late, and the same lines without numba."""

import subprocess
import sys

import pytest

from sfumato.numeric.compiled import HAVE_NUMBA, Worthwhile, compiled

WITHOUT = """
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *rest: None if name == "numba" else found(name, *rest)
"""
PUBLISH = """
import sys
import pyarrow as pa
import sfumato as sf
edges = pa.table({"source": list("abcdae"), "target": list("bcdeca"),
                  "weight": [1.0, 2.0, 1.0, 3.0, 4.0, 2.0]})
said = []
for method in ("edge-greedy", "edge-anonymous", "edge-potential"):
    options = {"mu": 1} if method == "edge-anonymous" else {}
    made = sf.publish_network(edges, directed=True, method=method, preserve=[("a", "d")],
                              accept_no_guarantee=True, seed=1, progress=said.append, **options)
    print(made.table["weight"].to_pylist())
bits = [1, 0, 1, 1, 0, 1, 0, 0] * 4
print(sf.publish_stream(bits, horizon=32, rho=1, seed=1).table["value"].to_pylist())
print("slower" in " ".join(said), "numba" in sys.modules)
"""


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@compiled
def _added(first, second):
    return first + second


@compiled
def _doubled(number):
    return _added(number, number)


def test_a_compiled_function_may_call_another():
    assert _doubled(21) == 42
    assert _doubled(1.5) == 3.0


@pytest.mark.slow
@pytest.mark.skipif(not HAVE_NUMBA, reason="numba is not installed")
def test_the_result_is_the_same_without_numba_and_a_message_says_that_it_is_slower():
    *fast, (fast_end) = run(PUBLISH)
    *slow, (slow_end) = run(WITHOUT + PUBLISH)
    assert fast == slow
    assert fast_end == "False True"
    assert slow_end == "True False"


def test_listing_the_methods_does_not_wait_for_numba():
    code = (
        "import sys, sfumato.graph.methods, sfumato.stream.methods; print('numba' in sys.modules)"
    )
    assert run(code) == ["False"]


@pytest.mark.skipif(not HAVE_NUMBA, reason="numba is not installed: nothing is ever worth it")
def test_numba_is_worth_loading_after_so_much_work_or_where_it_is_loaded(monkeypatch):
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    worthwhile = Worthwhile(10)
    assert [worthwhile(4) for _ in range(3)] == [False, False, True]
    monkeypatch.setitem(sys.modules, "numba", pytest)
    assert Worthwhile(10)(1)


@pytest.mark.skipif(not HAVE_NUMBA, reason="numba is not installed")
def test_a_loop_is_compiled_where_nothing_can_be_kept(monkeypatch):
    """In a container whose user owns no folder, say."""
    import numba

    njit = numba.njit

    def nowhere(cache=False, **how):
        if cache:
            raise RuntimeError("no locator available for file")
        return njit(**how)

    monkeypatch.setattr(numba, "njit", nowhere)
    assert compiled(_added.py_func)(20, 22) == 42


@pytest.mark.skipif(not HAVE_NUMBA, reason="numba is not installed")
def test_what_is_expected_is_not_waited_for(monkeypatch):
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    worthwhile = Worthwhile(10)
    worthwhile.expect(9)
    assert not worthwhile(1)
    worthwhile.expect(10)
    assert worthwhile(1)
