"""How far the released rows are from the noisy one-way tables that they were drawn from.

Both are published, so looking costs nothing.  Rows follow a model of all tables, and keep the
constraints of the schema: what breaks one is drawn again, which moves shares and means of what is
left.  The errors that are stated are those of the tables, so counts in rows may be off by more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sfumato.accuracy.published import Published
from sfumato.accuracy.spelling import roughly
from sfumato.release.certificate import Certificate
from sfumato.report.columns import Column, Span
from sfumato.report.precision import share_between
from sfumato.report.svg import short

__all__ = ["Beside", "beside_tables", "drift"]

_LONG = 40  # characters of a name or value
_CONDITIONED = (
    "Rows were drawn under the constraints of the schema, which moves shares and means of what is "
    "left: the errors above are of the tables and of sfumato accuracy, not of counting rows."
)
_LITTLE = "Rows that were drawn from these numbers vary a little more."


@dataclass(frozen=True)
class Beside:
    """A bar of the released rows beside its noisy count: shares of all, and the interval."""

    value: str
    rows: float
    noisy: float
    ends: tuple[float, float]

    @property
    def off(self) -> float:
        """How far the rows are from the noisy count."""
        return abs(self.rows - self.noisy)

    @property
    def outside(self) -> bool:
        """Whether that is more than the error that is stated."""
        return not self.ends[0] <= self.rows <= self.ends[1]

    @property
    def stated(self) -> float:
        """That error, on its wider side."""
        return max(self.noisy - self.ends[0], self.ends[1] - self.noisy)


def beside_tables(
    column: Column, found: Published | None, counted: Sequence[tuple[str, ...]]
) -> tuple[Beside, ...]:
    """The bars of a column in their order, then missing; those that were counted.

    `counted` are the counts that the bins of a number or date are made of.
    """
    names = [] if found is None else list(found.counts.get(column.name, ()))
    if found is None or not names:
        return ()
    if isinstance(column.bins, Span):
        groups, ordered = list(counted), {name for group in counted for name in group}
        shown = [column.bins.bin(k) for k in range(len(groups))]
        rest = [name for name in names if name not in ordered] if groups else []
    else:
        shown = list(column.bins.values[: len(column.bins) - (column.bins.together > 0)])
        groups = [(value,) for value in shown]
        if not set(shown) <= set(names):
            return ()
        rest = names[len(shown) + column.bins.together :]
    shares = [*column.shares.tolist()[: len(groups)]]
    if rest:
        groups.append(tuple(rest))
        shown.append("missing")
        shares.append(column.missing / max(column.rows, 1))
    return tuple(
        Beside(
            value,
            share,
            _noisy(found, column.name, group),
            share_between(found, column.name, group),
        )
        for value, share, group in zip(shown, shares, groups, strict=True)
    )


def drift(certificate: Certificate, seen: Sequence[tuple[str, Sequence[Beside]]]) -> str:
    """A sentence or two on all columns; what is known of any rows where nothing was compared."""
    return " ".join(_said(certificate, seen))


def _said(certificate: Certificate, seen: Sequence[tuple[str, Sequence[Beside]]]) -> Iterator[str]:
    schema = certificate.public_schema
    ruled = schema is not None and bool(schema.constraints)
    if ruled:
        yield _CONDITIONED
    every = [(name, one) for name, some in seen for one in some]
    if not every:
        yield from () if ruled else (_LITTLE,)
        return
    name, widest = max(every, key=lambda item: item[1].off)
    outside = [(name, one) for name, one in every if one.outside]
    told = f"The rows of this release are up to {_points(widest.off)} off their own noisy tables"
    if not outside:
        yield f"{told} ({_where(name, widest)}): nowhere more than the error that is stated."
        return
    many = f"{len(outside):,} of {len(every):,} values and bins"
    name, worst = max(outside, key=lambda item: item[1].off)
    yield (
        f"{told}: in {many} by more than the error that is stated, most of all in "
        f"{_where(name, worst)}, which is {100 * worst.rows:.3g} % of the rows, "
        f"{100 * worst.noisy:.3g} % in its table, and ± {_points(worst.stated)} were stated."
    )


def _where(column: str, one: Beside) -> str:
    return f"{short(column, _LONG)}: {short(one.value, _LONG)}"


def _points(share: float) -> str:
    return f"{roughly(100 * share)} points"


def _noisy(found: Published, column: str, names: Sequence[str]) -> float:
    total = found.total
    assert total is not None  # noqa: S101  whoever counts values counts records
    share = float(found.count(column, names).value) / max(float(total.value), 1.0)
    return min(max(share, 0.0), 1.0)
