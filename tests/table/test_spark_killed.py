"""What a killed driver leaves behind: a charge, and nothing that looks like a release."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import spark_world as world
from sfumato import Ledger, publish, verify
from sfumato.errors import ReleaseError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),  # Java and Python workers start several times on a busy machine
    pytest.mark.skipif(bool(world.MISSING), reason=world.MISSING),
]
DRIVER = Path(__file__).with_name("spark_driver.py")


def test_a_driver_that_is_killed_after_the_charge_has_spent_it_and_released_nothing(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger.sqlite")
    ledger.grant("visits", epsilon=2, reason="a test")
    (tmp_path / "spark").mkdir()
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with (tmp_path / "told.txt").open("w") as told:  # no pipe, which Java would hold open
        ended = subprocess.run([sys.executable, DRIVER, tmp_path], stderr=told, env=env)
    assert ended.returncode == -signal.SIGKILL, Path(told.name).read_text()[-2000:]
    assert ledger.entry("first").state == "drawn"
    left = list(tmp_path.glob(".release.partial-*/data/part-*.parquet"))
    assert left
    assert not (tmp_path / "release").exists()
    asked = {"schema": world.SCHEMA, "ledger": ledger, "folder": tmp_path / "release"}
    with pytest.raises(ReleaseError, match="first is drawn and its noise is never drawn twice"):
        publish(world.records(300), epsilon=1, release="first", **asked)
    release = publish(world.records(300), epsilon=1, **asked)  # the second half of the budget
    assert verify(release.folder)
    assert not list(tmp_path.glob(".release.partial-*"))
    balance = ledger.balance("visits")
    assert balance.spent == balance.granted
