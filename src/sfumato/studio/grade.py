"""Whether a figure is of use, in a word whose limits are stated beside it.

>>> grade(0.05), grade(0.051), grade(0.3)
('ok', 'rough', 'mostly noise')
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.publishing.forecast import Forecast

__all__ = ["GRADES", "NOISE", "Graded", "grade", "graded"]

_OK, _ROUGH = 0.05, 0.20
NOISE = "mostly noise"
GRADES = (
    "ok: off by at most 5 % (a count, of all records; a mean, of the range of its column); rough: "
    "by at most 20 %; mostly noise: by more."
)


@dataclass(frozen=True, slots=True)
class Graded:
    """One column as the page shows it: what `sfumato forecast` says, and a word."""

    column: str
    cells: tuple[str, str, str, str]
    word: str


def grade(share: float) -> str:
    """The word for an error, as a share of all records or of a range."""
    if share <= _OK:
        return "ok"
    return "rough" if share <= _ROUGH else NOISE


def graded(found: Forecast) -> Sequence[Graded]:
    """Every column with the word for the larger of its errors, worst first."""
    shares = {
        line.column: max((one.share for one in (line.counts, line.mean) if one), default=0.0)
        for line in found.lines
    }
    lines = sorted(found.lines, key=lambda line: -shares[line.column])
    return [Graded(line.column, line.cells, grade(shares[line.column])) for line in lines]
