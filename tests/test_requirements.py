"""The lock files are in step with `pyproject.toml`: `make lock` writes them."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from site_hooks import HOME

PLACE = HOME / "requirements"
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PINNED = re.compile(
    r"^([a-z0-9-]+)==([0-9][^ ]*) \\((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)$", re.M
)


def locked(name):
    """What a lock file pins, by name."""
    text = (PLACE / f"{name}.txt").read_text("utf-8")
    pins = {name: version for name, version, _ in PINNED.findall(text)}
    assert PINNED.sub("", re.sub(r"^#.*$", "", text, flags=re.M)).strip() == ""
    return pins


def direct(*extras):
    """What `pyproject.toml` asks for by itself, and by extras and what these name."""
    for line in [*PROJECT["dependencies"], *(line for name in extras for line in EXTRAS[name])]:
        asked = Requirement(line)
        if asked.name == "sfumato":
            yield from direct(*asked.extras)
        else:
            yield asked


def bound(asked):
    (least,) = [part.version for part in asked.specifier if part.operator == ">="]
    return least


@pytest.mark.parametrize("name", ["build", "ci", "core", "lowest", "tools"])
def test_a_lock_holds_names_versions_and_hashes_and_nothing_else(name):
    assert locked(name)
    assert (PLACE / f"{name}.txt").stat().st_size < 500_000


@pytest.mark.parametrize(("name", "extras"), [("ci", ["dev"]), ("core", []), ("lowest", ["dev"])])
def test_every_dependency_is_locked_within_its_bounds(name, extras):
    pins = locked(name)
    asked = list(direct(*extras))
    assert len(asked) >= 11
    assert not [
        str(one) for one in asked if pins.get(canonicalize_name(one.name)) not in one.specifier
    ]


@pytest.mark.parametrize("name", ["build", "tools"])
def test_what_builds_and_locks_is_locked_itself(name):
    lines = (PLACE / f"{name}.in").read_text("utf-8").splitlines()
    asked = [Requirement(line) for line in lines if not line.startswith("#")]
    pins = locked(name)
    assert not [
        str(one) for one in asked if pins.get(canonicalize_name(one.name)) not in one.specifier
    ]


def test_the_lowest_versions_are_the_bounds_themselves():
    pins = locked("lowest")
    apart = {
        one.name: (bound(one), pins[canonicalize_name(one.name)])
        for one in direct("dev")
        if Version(bound(one)) != Version(pins[canonicalize_name(one.name)])
    }
    assert not apart, "raise these bounds to what could be installed"


def test_the_core_is_locked_to_the_same_versions_as_all():
    assert locked("core").items() <= locked("ci").items()


def test_every_extra_for_users_is_part_of_all():
    inner = {name for one in EXTRAS["all"] for name in Requirement(one).extras}
    assert inner == EXTRAS.keys() - {"all", "dev", "docs", "report"}
