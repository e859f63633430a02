"""A documented name of an earlier version works, or fails and says where it is now."""

import subprocess
import sys
from importlib import import_module

import pytest

from sfumato.moved import MOVED, MovedNames

# What README, guide, proofs and changelog of 0.1.0 named, and has another place since.
DOCUMENTED = {
    "sfumato.accuracy.small_values.as_text",
    "sfumato.domain",
    "sfumato.inspection.compare.choose",
    "sfumato.inspection.overview.overview",
    "sfumato.methods.mosaic_division",
    "sfumato.mosaic_synopsis",
    "sfumato.partition",
    "sfumato.privacy.ledger",
    "sfumato.projected",
    "sfumato.query_publishing",
    "sfumato.report.html.report",
    "sfumato.scatter",
    "sfumato.synopsis.MomentLayout",
    "sfumato.verification_trial",
}


def resolved(name):
    """The module or value of a dotted name, by importing as little as it takes."""
    parent, _, last = name.rpartition(".")
    if not parent:
        return import_module(name)
    try:
        return import_module(name)
    except ImportError:
        return getattr(resolved(parent), last)


def test_every_documented_name_that_moved_is_known():
    assert not DOCUMENTED - set(MOVED)


@pytest.mark.parametrize("old", sorted(MOVED))
def test_an_old_import_says_the_new_name(old):
    parent, _, last = old.rpartition(".")
    with pytest.raises(ImportError) as refused:
        exec(f"from {parent} import {last}")
    assert str(refused.value) == f"{old} is now {MOVED[old]}"


@pytest.mark.parametrize("new", sorted({new for new in MOVED.values() if " " not in new}))
def test_the_new_name_is_there(new):
    assert resolved(new) is not None


def test_other_names_are_missing_as_ever():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'sfumato\.nothing'"):
        import_module("sfumato.nothing")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        import_module("sfumato.report.html").nothing  # noqa: B018  looking is the point


def test_the_finder_is_the_last_and_there_once():
    script = (
        "import sys, importlib, sfumato; importlib.reload(sfumato)\n"
        "from sfumato.moved import MovedNames\n"
        "assert sys.meta_path[-1] is MovedNames and sys.meta_path.count(MovedNames) == 1"
    )
    assert MovedNames in sys.meta_path
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
