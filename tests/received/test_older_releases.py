"""Releases that version 0.1.0 wrote, before certificates had a type, are read and verified."""

import json
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.release import Certificate

OLDER = sorted((Path(__file__).parent / "made_by_0_1").iterdir())


@pytest.mark.parametrize("folder", OLDER, ids=lambda folder: folder.name)
def test_a_release_of_version_0_1_verifies(folder):
    found = sf.verify(folder)
    assert [check.name for check in found] == ["files", "plan", "data"]
    assert all(check.passed for check in found), found


@pytest.mark.parametrize("folder", OLDER, ids=lambda folder: folder.name)
def test_its_certificate_is_written_as_it_was_read(folder):
    record = json.loads((folder / "release.json").read_text("utf-8"))
    assert list(Certificate.of(record).to_json().items()) == list(record.items())
