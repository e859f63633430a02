"""The page about the wizard shows what happens, and what it says of keys is so."""

import re
from pathlib import Path

from typer.testing import CliRunner

from sfumato.cli.schema import app
from sfumato.schema.wizard.answer import named

PAGE = (Path(__file__).parents[3] / "docs" / "guide" / "wizard.md").read_text("utf-8")
HEADER = "patient_id,age,sex,cost,insurer_paid,admitted,smoker"


def test_the_interview_on_the_page_is_what_is_asked_and_answered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("patients.csv").write_text(f"{HEADER}\n")
    shown = re.search(r"```text\n(.*?)```", PAGE, flags=re.S)[1]
    asked = [line for line in shown.splitlines()[2:] if not line.startswith("Each column")]
    typed = [re.search(r"(?:\]|insurer_paid): ?(.*)$", line)[1] for line in asked]
    result = CliRunner().invoke(
        app,
        ["wizard", "patients.csv", "-o", "patients.yaml"],
        input="".join(f"{answer}\n" for answer in typed),
    )
    assert result.exit_code == 0
    happened = re.sub(r" +$", "", result.output, flags=re.M)
    assert happened.startswith(shown)


def test_every_word_of_the_table_is_known():
    words = re.findall(r"^\| ((?:`[^`]+`[ ,]*)+)\|", PAGE, flags=re.M)
    typed = [answer for cell in words for answer in re.findall("`([^`]+)`", cell)]
    assert len(typed) == 26
    assert all(named(answer.split()[0]) for answer in typed if not answer.startswith("same"))
