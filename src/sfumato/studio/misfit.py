"""How many records may fail to fit what was declared: few choices, and what each means to others.

>>> options(USUAL), options("0.2"), options(UNCHECKED)
({}, {'misfit': '0.2'}, {'fit': False})
>>> flags("0.2"), flags(UNCHECKED)
(['--misfit', '0.2'], ['--no-fit'])
"""

from typing import Any

__all__ = ["CHOICES", "UNCHECKED", "USUAL", "flags", "known", "options"]

USUAL, UNCHECKED = "0.05", "none"
_STOPS = (
    "If more than {} of the records do not fit, as noisy counts tell, nothing is published: the "
    "counts cost 2 % of the budget, and the rest is given back."
)
# In the words of the review: what happens then.
CHOICES = {
    "0.01": _STOPS.format("1 %"),
    USUAL: _STOPS.format("5 %"),
    "0.2": _STOPS.format("20 %"),
    UNCHECKED: "It goes on without a check, however many do not fit, and counts nothing of it.",
}


def known(misfit: str) -> str:
    """The same if it is one of the choices, else the usual one."""
    return misfit if misfit in CHOICES else USUAL


def options(misfit: str) -> dict[str, Any]:
    """What `publish` and `price` are told."""
    if misfit == UNCHECKED:
        return {"fit": False}
    return {} if misfit == USUAL else {"misfit": misfit}


def flags(misfit: str) -> list[str]:
    """What the command is told."""
    if misfit == UNCHECKED:
        return ["--no-fit"]
    return [] if misfit == USUAL else ["--misfit", misfit]
