"""A noisy table of two columns: its cells, and how far each and all of them may be off."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.extreme import together
from sfumato.accuracy.law import share
from sfumato.accuracy.noisy import Noisy
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number

__all__ = ["TwoWay"]

_EVERY = slice(None)


@dataclass(frozen=True, eq=False)
class TwoWay:
    """Cells by value of the first column, then of the second; all have noise of one law.

    Noises of different cells are independent, so it is also known what all stay within.

    >>> import sfumato as sf
    >>> from sfumato.accuracy.published import published
    >>> from sfumato.example import CLINIC, clinic
    >>> release = sf.publish(
    ...     clinic(5_000), schema=sf.Schema.parse(CLINIC), rho="0.1", seed=3)
    >>> found = published(release).pair("ward", "sex")
    >>> found.values[1], found.classes, found.counts.shape
    (('female', 'male'), ('home', 'care'), (4, 2))
    >>> reach, wider = (found.reach("0.95", all_cells=every) for every in (False, True))
    >>> bool(0 < reach < wider)
    True
    """

    columns: tuple[str, str]
    values: tuple[tuple[str, ...], tuple[str, ...]]
    classes: tuple[str, ...]  # of the label within which it was counted, if there is one
    place: Callable[[int, int, int | slice], Noisy] = field(repr=False)
    rows: Fraction | None  # the public number of records

    def cell(self, first: str, second: str, within: str | None = None) -> Noisy:
        """Records with these two values, of one class or of all."""
        a, b = (
            _found(value, values, column)
            for value, values, column in zip(
                (first, second), self.values, self.columns, strict=True
            )
        )
        k = _EVERY if within is None else _found(within, self.classes, "the label")
        return self.place(a, b, k).bounded(Fraction(0), self.rows)

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """The noisy counts."""
        return self._counts(_EVERY)

    @cached_property
    def by_class(self) -> NDArray[np.float64]:
        """The noisy counts within each class."""
        return np.array([self._counts(k) for k in range(len(self.classes))])

    def _counts(self, classes: int | slice) -> NDArray[np.float64]:
        rows, columns = (range(len(values)) for values in self.values)
        return np.array([[self.place(a, b, classes).value for b in columns] for a in rows])

    @property
    def cells(self) -> int:
        """How many there are."""
        return len(self.values[0]) * len(self.values[1])

    @property
    def whole(self) -> bool:
        """Whether true cells are whole numbers."""
        return self.place(0, 0, _EVERY).whole

    def reach(
        self, confidence: Number, *, all_cells: bool = False, by_class: bool = False
    ) -> float:
        """How far a cell may be off, with this confidence for each or for all of them at once."""
        law = self.place(0, 0, 0 if by_class else _EVERY).law
        if not all_cells:
            return law.two_sided(1 - share("confidence", confidence))
        return together(law, self.cells * (len(self.classes) if by_class else 1), confidence)

    @property
    def turned(self) -> "TwoWay":
        """The same table, the second column first."""
        place, (first, second) = self.place, self.columns
        return TwoWay(
            (second, first),
            (self.values[1], self.values[0]),
            self.classes,
            lambda a, b, k: place(b, a, k),
            self.rows,
        )


def _found(value: str, values: tuple[str, ...], column: str) -> int:
    if value in values:
        return values.index(value)
    raise ParameterError(f"the table has no {value!r} in {column}; it has: {', '.join(values)}")
