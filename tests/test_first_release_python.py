"""The Python on the first page of the guide runs as it stands, beside the commands."""

import re

import pyarrow.csv as pacsv
import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic
from site_hooks import HOME

PAGE = (HOME / "docs" / "guide" / "first-release.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)


@pytest.mark.slow
def test_the_python_of_the_first_page_makes_the_release_that_its_commands_make(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    pacsv.write_csv(clinic(150), "clinic.csv")
    (tmp_path / "clinic.yaml").write_text(CLINIC)
    names = {}
    exec("\n".join(BLOCKS), names)
    with names["ledger"] as ledger:
        assert sf.verify("first", ledger=ledger)
        assert (ledger.balance("clinic").releases, ledger.inspections("clinic")) == (
            1,
            {names["release"].certificate.release: 1},
        )
    assert (tmp_path / "first" / "report.html").exists()


def test_every_step_of_the_page_has_its_python():
    steps = PAGE.split("\n## ")[1:7]
    shown = [step.splitlines()[0] for step in steps if "```python" in step]
    assert shown == [step.splitlines()[0] for step in steps][1:]
