"""The pages and examples on perturbations are true: they run, and name what they should."""

import doctest
import runpy
from pathlib import Path

import pytest

from sfumato.methods import METHODS, additive, pca_laplace, rotation, svd, wavelet, wavelet_multi

HOME = Path(__file__).parents[2]
GUIDE = HOME / "docs" / "guide" / "perturbation.md"
PROOF = HOME / "docs" / "proofs" / "perturbation.md"
RECIPES = [m.METHOD for m in (additive, rotation, svd, wavelet, wavelet_multi, pca_laplace)]


def test_the_examples_of_the_guide_run(monkeypatch):
    for recipe in RECIPES:
        monkeypatch.setitem(METHODS, recipe.name, recipe)
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 8
    assert found.failed == 0


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_guide_and_proof_page_have_every_method_and_the_guide_every_option(recipe):
    guide = GUIDE.read_text(encoding="utf-8")
    assert f"\n## {recipe.name}:" in PROOF.read_text(encoding="utf-8")
    (entry,) = [line for line in guide.split("\n- ") if line.startswith(f"`{recipe.name}`: ")]
    for option in recipe.options:
        assert f"`{option}`" in entry
    assert recipe.proof == "proofs/perturbation.md"
    assert not recipe.budgeted


@pytest.mark.parametrize(
    ("name", "joined", "agrees"),
    [
        ("collaborating_vertical", "joined: (3072, 8)", "as one owner of both would publish it"),
        ("collaborating_horizontal", "joined: (3000, 6)", "as one owner would publish them"),
    ],
)
def test_parties_join_what_they_changed_apart(name, joined, agrees, capsys):
    runpy.run_path(str(HOME / "examples" / f"{name}.py"), run_name="__main__")
    told = capsys.readouterr().out
    assert joined in told
    assert f"{agrees}: True" in told
