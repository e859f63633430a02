"""The guide is true: the whole exchange on its page runs, from the first command to the last."""

import re

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

from commands import run
from party_world import table
from site_hooks import HOME

PAGE = (HOME / "docs" / "guide" / "parties.md").read_text("utf-8")


@pytest.mark.slow
def test_the_exchange_of_the_guide_runs_from_its_first_command_to_its_last(tmp_path):
    (tmp_path / "study.yaml").write_text(re.search(r"```yaml\n(.*?)```", PAGE, flags=re.S)[1])
    wards = {"a": "surgery", "b": "heart", "c": "other"}
    for number, name in enumerate(("north", "south", "west")):
        rows = table(number)
        ward = pa.array([wards[code] for code in rows["ward"].to_pylist()])
        pacsv.write_csv(rows.set_column(2, "ward", ward), tmp_path / f"{name}.csv")
    commands = re.findall(r"^\$ sfumato (.+)$", PAGE.replace("\\\n", " "), flags=re.M)
    assert len(commands) > 12
    for words in commands:
        found = run(words.replace('"ethics board, 4 May"', "approved"), cwd=tmp_path)
        assert found.returncode == 0, f"{words}: {found.stdout}{found.stderr}"
    assert (tmp_path / "release" / "data.csv").exists()


def test_every_command_of_the_exchange_is_on_the_page():
    from sfumato.cli.party import app

    for command in app.registered_commands:
        assert f"sfumato party {command.name}" in PAGE
