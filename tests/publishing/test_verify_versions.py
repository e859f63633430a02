"""Verification of releases that another version made: failed, and with the likeliest reason."""

import json
import re
import shutil
from importlib.metadata import version

import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.release.digest import digest
from sfumato.schema import Schema

PLAIN = "the mechanism events are not those that schema and budget call for"


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound") / "r"
    schema = Schema.parse(CLINIC)
    sf.publish(clinic(40), schema=schema, epsilon=1, folder=folder, model="forest")
    return folder


@pytest.fixture
def made_by(sound, tmp_path):
    """The checks that fail on a copy with these versions and, unless left, other noise."""

    def failed(versions, noise="1"):
        folder = shutil.copytree(sound, tmp_path / "r", dirs_exist_ok=True)
        paper = json.loads((sound / "release.json").read_text())
        paper["versions"] = versions
        if noise is not None:
            paper["events"][0]["noise"] = {"scale": noise, "approximately": float(noise)}
        paper["seal"] = digest(paper)
        (folder / "release.json").write_text(json.dumps(paper))
        return {check.name: check.detail for check in sf.verify(folder) if not check.passed}

    return failed


def test_another_plan_of_another_version_is_laid_to_the_version(made_by):
    """Shares may be tuned between versions: a release of an older one is no forgery for it."""
    here = re.escape(version("sfumato"))
    advice = rf"made by sfumato 0\.0\.9, this is {here}: verify it with the version that made it"
    found = made_by({"sfumato": "0.0.9"})
    assert list(found) == ["plan"]
    assert re.fullmatch(f"{PLAIN}; {advice}", found["plan"])


def test_another_plan_of_this_version_is_laid_to_nothing(made_by):
    assert made_by({"sfumato": version("sfumato"), "numpy": "1.0"}) == {"plan": PLAIN}


def test_another_version_with_the_same_plan_passes(made_by):
    assert made_by({"sfumato": "0.0.9"}, noise=None) == {}


@pytest.mark.parametrize("made", ["", "0.1\x1b[2J", "a forged word", "9" * 5000])
def test_what_no_version_is_called_is_not_repeated(made_by, made):
    assert made_by({"sfumato": made}) == {"plan": PLAIN}


@pytest.mark.parametrize("versions", [None, 7, [], "x", {"sfumato": None}, {"sfumato": [7]}])
def test_versions_that_are_no_texts_are_refused(made_by, versions):
    with pytest.raises(ReleaseError, match="versions"):
        made_by(versions)
