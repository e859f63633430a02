"""What every study refuses, and seeds that belong to their cell."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from papers.run import Run
from sfumato.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class Study(Run):
    available: ClassVar[tuple[str, ...]] = ("1", "2")
    epsilons: tuple[float, ...] = (1.0,)
    figures: tuple[str, ...] = ("1", "2")


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"trials": 0}, "trials must be at least 1, got 0"),
        ({"rows": 99}, "rows must be at least 100, got 99"),
        ({"figures": ("2", "3")}, r"figures must be of 1, 2, got \['3'\]"),
        ({"figures": ()}, "got none"),
        ({"epsilons": ()}, "at least one budget"),
    ],
)
def test_impossible_runs_are_refused_by_name(wrong, rule):
    with pytest.raises(ParameterError, match=rule):
        Study(**wrong)


def test_seeds_depend_on_run_and_cell_alone():
    assert Study().seed_of("a", 1) == Study(trials=3, figures=("2",)).seed_of("a", 1)
    assert len({Study(seed=s).seed_of("a", t) for s in (1, 2) for t in range(9)}) == 18
