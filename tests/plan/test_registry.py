"""Methods are found where they lie, in a fixed order, and only when they are asked for."""

import subprocess
import sys

import pytest

import sfumato.stream
from sfumato.errors import ParameterError
from sfumato.graph.methods import edge_method
from sfumato.inspection.audit.mechanisms import MECHANISMS
from sfumato.methods import METHODS, method
from sfumato.plan import Family, Recipe
from sfumato.plan.registry import PACKAGES, Registry, method_of_any_kind, registered
from sfumato.stream.methods import stream_method
from slowness import slow

EVERY = [recipe for kind in PACKAGES for recipe in registered(kind).values()]


def test_methods_are_listed_family_by_family_and_by_name_within():
    for kind in PACKAGES:
        listed = [(list(Family).index(m.family), m.name) for m in registered(kind).values()]
        assert listed == sorted(listed)
    assert next(iter(METHODS)) == "mosaic"


@pytest.mark.parametrize("recipe", EVERY, ids=lambda recipe: recipe.name)
def test_every_method_is_found_by_its_name_whatever_it_is_for(recipe):
    assert method_of_any_kind(recipe.name) is recipe
    assert isinstance(recipe, Recipe)
    assert recipe.use
    assert not recipe.use.endswith(".")


@pytest.mark.parametrize("recipe", EVERY, ids=lambda recipe: recipe.name)
def test_the_family_says_whether_anything_is_promised(recipe):
    nothing = recipe.promise.startswith(("nothing", "none"))
    assert nothing == (recipe.family == Family.UNPROVED)
    assert not recipe.contract or nothing != any(case.promised for case in recipe.contract)


def test_every_promise_about_networks_and_streams_has_an_audit_of_its_name():
    promising = [m.name for m in EVERY if m.kind in ("networks", "streams") and m.budgeted]
    assert {"edge-laplace", "counter", "reservoir-mean"} <= set(promising) <= set(MECHANISMS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that is searched for methods of streams, by a registry of its own."""
    monkeypatch.setattr(sfumato.stream, "__path__", [*sfumato.stream.__path__, str(tmp_path)])
    yield tmp_path
    for name in ("another_counter", "not_a_method", "no_method"):
        sys.modules.pop(f"sfumato.stream.{name}", None)


def test_two_methods_of_one_name_are_refused(folder):
    (folder / "another_counter.py").write_text("from sfumato.stream.counter import METHOD\n")
    with pytest.raises(TypeError, match="two methods are called counter"):
        list(Registry("streams"))


def test_a_method_that_is_none_or_for_other_data_is_refused(folder):
    (folder / "not_a_method.py").write_text("METHOD = 'counter'\n")
    with pytest.raises(TypeError, match=r"METHOD of sfumato\.stream\.not_a_method is no method"):
        list(Registry("streams"))
    (folder / "not_a_method.py").write_text("from sfumato.methods.modips import METHOD\n")
    sys.modules.pop("sfumato.stream.not_a_method")
    with pytest.raises(TypeError, match="is no method for streams"):
        list(Registry("streams"))


def test_modules_that_define_none_are_not_imported(folder):
    (folder / "no_method.py").write_text("raise AssertionError('imported')\n")
    assert list(Registry("streams")) == ["counter", "reservoir-mean"]


@pytest.mark.parametrize(
    ("asked", "never"),
    [
        ("import sfumato.methods", "sfumato.methods.mosaic sfumato.methods.modips"),
        slow(
            "from sfumato.methods import method; method('mosaic')", "sfumato.graph sfumato.stream"
        ),
        slow(
            "from sfumato.plan.registry import registered; list(registered('counts'))", "starlette"
        ),
    ],
)
def test_nothing_is_loaded_before_it_is_asked_for(asked, never):
    script = f"import sys; {asked}; assert not set({never.split()!r}) & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("find", "name", "said"),
    [
        (method, "mosiac", "there is no method 'mosiac' (did you mean mosaic?); choose one of"),
        (method, "magic", "there is no method 'magic'; choose one of mosaic, "),
        (edge_method, "edge_laplace", "no network method 'edge_laplace' (did you mean edge-lap"),
        (stream_method, "count", "no stream method 'count' (did you mean counter?)"),
        (method_of_any_kind, "reservoir", "no method 'reservoir' (did you mean reservoir-mean?)"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(find, name, said):
    with pytest.raises(ParameterError) as refused:
        find(name)
    assert said in str(refused.value)


def test_an_unknown_option_is_refused_with_the_nearest_one():
    with pytest.raises(
        ParameterError, match=r"no option ranks \(did you mean rank\?\); it has: rank"
    ):
        METHODS["svd"].check_options({"ranks": 2})
    with pytest.raises(ParameterError, match="modips has no option magic; it has: none"):
        METHODS["modips"].check_options({"magic": 1})
