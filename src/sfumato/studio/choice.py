"""What was chosen on the page of the promise: method, budget, and public facts for the forecast.

    datasets/NAME/promise.json

>>> Choice(epsilon="1").said, Choice(epsilon="1", delta="1e-9").said, Choice(rho="0.1").said
('epsilon 1', 'epsilon 1, delta 1e-9', 'rho 0.1')
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import ParameterError
from sfumato.studio.misfit import CHOICES, USUAL
from sfumato.studio.place import inside, write_whole
from sfumato.studio.project import Project
from sfumato.untrusted.plain_file import content
from sfumato.untrusted.strict_json import parsed

__all__ = ["Choice", "is_chosen", "keep_choice", "read_choice"]

_LARGEST = 2**20  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A budget as it was typed, and what it buys."""

    method: str = "mosaic"
    epsilon: str | None = None
    delta: str | None = None
    rho: str | None = None
    records: int | None = None  # about how many there are, from public knowledge
    rows: int | None = None  # to be drawn
    options: dict[str, Any] = field(default_factory=dict)
    misfit: str = USUAL  # how many records may fail to fit

    @property
    def said(self) -> str:
        """The budget in a few words."""
        figures = {"epsilon": self.epsilon, "delta": self.delta, "rho": self.rho}
        return ", ".join(f"{name} {figure}" for name, figure in figures.items() if figure)


def is_chosen(project: Project, dataset: str) -> bool:
    """Whether anything was chosen for a data set."""
    return _place(project, dataset).is_file()


def read_choice(project: Project, dataset: str) -> Choice | None:
    """What was chosen for a data set; None where nothing was."""
    try:
        found = parsed(content(_place(project, dataset), _LARGEST))
        if not isinstance(found, dict):
            raise TypeError
        choice = Choice(**found)
        if choice.misfit not in CHOICES:
            raise TypeError
        return choice
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError):
        raise ParameterError(
            f"datasets/{dataset}/promise.json is not of this version: move it away"
        ) from None


def keep_choice(project: Project, dataset: str, choice: Choice) -> None:
    """Keep what was chosen, whole or not at all."""
    write_whole(_place(project, dataset), json.dumps(asdict(choice), indent=1))


def _place(project: Project, dataset: str) -> Path:
    return inside(project.folder, "datasets", dataset, "promise.json")
