"""The gallery is true: every example runs and prints what its page shows."""

import re
import runpy
import sys
from pathlib import Path

import pytest

import sfumato as sf
from site_hooks import HOME, gallery

REFRESH = "if this is meant, run: python docs/hooks/gallery.py"


def comparable(text):
    """What does not depend on the noise: indented lines are drawn anew, numbers change."""
    lines = text.rstrip().splitlines()
    masked = (" ".join(re.sub(r"-?\d[\d,.]*", "#", line).split()) for line in lines)
    return [
        "(drawn)" if line.startswith("    ") else said
        for line, said in zip(lines, masked, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", gallery.SHOWN)
def test_every_example_prints_what_the_gallery_shows(name, tmp_path, monkeypatch, capsys):
    example = gallery.Example(name)
    picture = [str(tmp_path / "picture.svg")] if example.draws else []
    monkeypatch.setattr(sys, "argv", [str(example.script), *picture])
    runpy.run_path(str(example.script), run_name="__main__")
    printed = capsys.readouterr().out
    assert comparable(printed) == comparable(example.output.read_text("utf-8")), REFRESH
    for path in picture:
        assert Path(path).read_text("utf-8").rstrip().endswith("</svg>")
        assert example.picture.exists(), REFRESH


def test_another_text_is_told_from_what_was_printed():
    shown = "spent epsilon 2\n    41 male\n"
    assert comparable(shown) == comparable("spent epsilon 3\n    17 female\n")
    assert comparable(shown) != comparable("spent rho 3\n    17 female\n")
    assert comparable(shown) != comparable("spent epsilon 3\n")


def test_every_example_is_in_the_gallery_and_says_how_it_is_called():
    found = {path.stem for path in (HOME / "examples").glob("*.py")}
    assert found == {*gallery.SHOWN, *gallery.LONG}
    for name in found:
        assert f"    python examples/{name}.py" in gallery.Example(name).script.read_text("utf-8")


def test_nothing_is_shown_that_no_example_printed():
    printed = {path.stem for path in (HOME / "examples" / "output").iterdir()}
    assert printed == set(gallery.SHOWN)
    drawn = {path.stem for path in (HOME / "docs" / "gallery").iterdir()}
    assert drawn == {name for name in gallery.SHOWN if gallery.Example(name).draws}


def test_the_first_picture_counts_every_patient_in_the_ward_that_the_schema_reads():
    drawn = runpy.run_path(str(gallery.Example("first_release").script))
    wards = ("cardiology", "surgery", "oncology", "elsewhere")
    patients = sf.example.clinic(500)
    counts = drawn["by_ward"](patients, wards)
    assert sum(counts) == 500
    assert counts[3] == patients.column("ward").to_pylist().count("hospice") > 0
