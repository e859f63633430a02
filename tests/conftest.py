"""What all tests share: one seed that can be changed, one false-alarm rate."""

import gc
import os
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import typer.main
import typer.testing
from hypothesis import HealthCheck, settings

from killing import CAN_TRACE, trace
from sfumato.accuracy.fit import judge
from sfumato.methods import METHODS
from sfumato.publishing import fit
from sfumato.render import mosaic
from toy_people import METHOD, TOY

SEED = int(os.environ.get("SFUMATO_TEST_SEED", "0"))

settings.register_profile(
    "house",
    max_examples=60,
    deadline=None,
    derandomize=SEED == 0,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


# Tests in these folders publish, and look at charges, files, words and refusals; how well latent
# classes fit is seen in the others, in examples of the guide and in processes of their own.
FITS_OF_NO_MATTER = {
    *("cli", "contract", "estimator", "fuzz", "ledger", "party", "plan"),
    *("publishing", "received", "release", "report"),
}


def pytest_collection_finish():
    """Ten thousand tests and all libraries stay to the end: garbage is not looked for in them.

    Nor is it after every 700 objects: each test leaves little.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


@pytest.fixture
def toy_people(monkeypatch):
    """A method for persons among the others."""
    monkeypatch.setitem(METHODS, TOY, METHOD)


@pytest.fixture(scope="session", autouse=True)
def no_false_alarms():
    """One release in a hundred stops although all records fit: among tests, one in a million.

    What stops by right still does, unless the table is very small.  Processes of their own and
    examples in docstrings do without this: they publish fewer records than noise could hide (391
    at epsilon 1), more than it could feign, or with a seed or misfit=1.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit, "judge", partial(judge, chance=Fraction(1, 10**9)))
        yield


@pytest.fixture(scope="session", autouse=True)
def commands_built_once():
    """Typer builds all commands anew for each that is run: most of the time of a short one."""
    once = cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", once)
        patch.setattr(typer.testing, "_get_command", once)
        yield


@pytest.fixture(scope="module", autouse=True)
def short_fits(request):
    """Ten steps, where hundreds would take most of the time of a small release."""
    inside = request.path.relative_to(Path(__file__).parent)
    if inside.parts[0] not in FITS_OF_NO_MATTER or inside.stem.endswith("guide"):
        yield
        return
    whole = mosaic.fit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            mosaic,
            "fit",
            lambda targets, settings, rng: whole(targets, replace(settings, steps=10), rng),
        )
        yield


@pytest.fixture(scope="session")
def state_folders(tmp_path_factory):
    """Names of folders, one for each test: made by whoever writes there, as most never do."""
    home = tmp_path_factory.mktemp("states")
    return (home / str(number) for number in count())


@pytest.fixture(autouse=True)
def state_folder(state_folders, monkeypatch):
    """Where heads of ledgers are noted, and keys beside it: never in the home of the tester."""
    folder = next(state_folders)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    monkeypatch.setenv("XDG_DATA_HOME", f"{folder}-data")
    monkeypatch.delenv("SFUMATO_LEDGER_KEY", raising=False)
    return folder


@pytest.fixture
def rng():
    return np.random.default_rng(SEED)


@pytest.fixture
def tracing():
    if not CAN_TRACE:
        pytest.skip("system calls are traced on Linux x86-64 only")
    try:
        trace(lambda: None)
    except OSError as error:
        pytest.skip(f"this host forbids tracing a child: {error}")
