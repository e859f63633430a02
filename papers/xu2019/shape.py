"""Public facts of a data set as it was run: its size, its k, its ranges, its sensitivities."""

from dataclasses import dataclass
from math import sqrt

from papers.declared import Declared
from papers.uci import Loaded
from papers.xu2019.normalised import Normalised
from papers.xu2019.private import space_of
from sfumato.privacy.sensitivity import ball
from sfumato.synopsis.scatter import ScatterLayout

__all__ = ["Shape"]


@dataclass(frozen=True, slots=True)
class Shape:
    """Rows, features and the paper's k; where ranges come from; the ball or box of the records.

    `here` is the ℓ₁ sensitivity of the second moments that the library releases, divided by
    the largest squared norm, so that it compares with the paper's unit ball.
    """

    name: str
    rows: int
    width: int
    rank: int
    note: str
    ranges: str
    norm: float
    here: float

    @classmethod
    def of(cls, name: str, loaded: Loaded, data: Normalised, public: Declared) -> "Shape":
        """As it will be run."""
        space = space_of(name, public.domain)
        square = space.largest_square
        here = float(ScatterLayout(space, "replace-one").sensitivity.l1 / square)
        size = data.rows, data.width, data.rank
        return cls(name, *size, loaded.note, public.source, sqrt(square), here)

    @property
    def published(self) -> float:
        """The paper's sensitivity of n A, 2d."""
        return 2.0 * self.width

    @property
    def certified(self) -> float:
        """The certified one in the unit ball, √(d (d + 3) / 2)."""
        return float(ball(self.width).l1)
