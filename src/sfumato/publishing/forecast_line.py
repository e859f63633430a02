"""What a forecast says of one column: of its counts, of its mean, or of both."""

from dataclasses import dataclass
from math import ceil
from typing import Any

from sfumato.accuracy.expected import Expected
from sfumato.accuracy.spelling import roughly
from sfumato.schema import Date
from sfumato.schema.domain import Axis, Grid

__all__ = ["Counts", "ForecastLine", "Mean", "line_of"]

_ABOUT = "about "


@dataclass(frozen=True)
class Counts:
    """How far off each count of a column will be, with 95 % confidence."""

    values: int
    within: float
    share: float  # of all records
    about: bool  # whether that may be a little more or less for the real records
    of: str = "records"

    def told(self, records: int) -> str:
        """In words."""
        each = f"each of {self.values:,} counts" if self.values > 1 else "the count"
        about = _ABOUT if self.about else ""
        of = f"{records:,} {self.of} ({self.part})"
        return f"{each} within {about}± {ceil(self.within):,} of {of}"

    @property
    def part(self) -> str:
        """The share in words: beyond all records, how far beyond says nothing more."""
        return "over 100 %" if self.share > 1 else f"{roughly(100 * self.share)} %"

    def to_json(self) -> dict[str, Any]:
        """Figures and flags."""
        return {"values": self.values, "within": self.within, "share": self.share,
                "about": self.about, "of": self.of}  # fmt: skip


@dataclass(frozen=True)
class Mean:
    """How far off the mean of a number will be, with 95 % confidence."""

    within: float  # in the units of the column
    share: float  # of its range; 1 where it may be anything
    about: bool

    @property
    def told(self) -> str:
        """In words."""
        if self.share >= 1:
            return "mean anywhere in its range"
        about = _ABOUT if self.about else ""
        part = roughly(100 * self.share)
        return f"mean within {about}± {roughly(self.within)} ({part} % of its range)"

    def to_json(self) -> dict[str, Any]:
        """Figures and flags."""
        return {"within": self.within, "share of range": self.share, "about": self.about}


@dataclass(frozen=True)
class ForecastLine:
    """One column of a forecast; bins of a number and days of a date are counted as well."""

    column: str
    kind: str
    counts: Counts | None
    mean: Mean | None

    @property
    def off(self) -> float:
        """How far off it will be, as a share: of a number's range, else of all records."""
        if self.mean is not None:
            return self.mean.share
        return 0.0 if self.counts is None else min(self.counts.share, 1.0)

    def told(self, records: int) -> str:
        """In words."""
        said = [self.mean.told] if self.mean else []
        said += [self.counts.told(records)] if self.counts else []
        return f"{self.column}: {'; '.join(said)}"

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Counts and mean as figures in a table: absolute, and as shares."""
        counts, mean = ("", ""), ("", "")
        if self.counts is not None:
            about = _ABOUT if self.counts.about else ""
            counts = f"{about}± {ceil(self.counts.within):,}", self.counts.part
        if self.mean is not None and self.mean.share >= 1:
            mean = "anything", "100 %"
        elif self.mean is not None:
            about = _ABOUT if self.mean.about else ""
            mean = f"{about}± {roughly(self.mean.within)}", f"{roughly(100 * self.mean.share)} %"
        return *counts, *mean

    def to_json(self) -> dict[str, Any]:
        """Figures and flags."""
        return {
            "column": self.column,
            "kind": self.kind,
            "counts": self.counts and self.counts.to_json(),
            "mean": self.mean and self.mean.to_json(),
        }


def line_of(axis: Axis, rehearsals: list[Expected], records: int) -> ForecastLine:
    """The larger of what several rehearsals expect; they differ only where it says about."""
    counts, means = [one.count for one in rehearsals], [one.mean for one in rehearsals]
    count = max((one for one in counts if one), key=lambda one: one.reach, default=None)
    mean = max((one for one in means if one), key=lambda one: one.share, default=None)
    said = None
    if count is not None:
        share = count.reach / records
        said = Counts(count.values, count.reach, share, not count.settled, count.of)
    return ForecastLine(axis.name, axis.column.kind, said, mean and _mean(axis, *mean))


def _mean(axis: Axis, share: float, settled: bool) -> Mean:
    assert isinstance(axis, Grid)  # noqa: S101  nothing else has a mean
    column = axis.column
    assert not isinstance(column, Date)  # noqa: S101  dates are counted by bin
    return Mean(share * float(column.high - column.low), share, not settled)
