"""Whether a release would say more than a guess: the noise to expect, from public facts alone.

The table of a column is known from its one-way counts within the classes and from the pairs that
it is part of: sums over the other column are noisy counts of the same cells.  With n records, k
cells, c classes and a deviation of σ for what both say together of one cell in one class, noise
alone is expected to put

    E = a √c σ k / 2   records into wrong cells,  a = √(2/π) (Gaussian noise) or 1/√2 (Laplace)

(half of the mean absolute noise over all cells of the column, classes added up; E/n is a total
variation).  Equal shares, which anyone can guess, put at most G = n (1 − 1/k) records into wrong
cells, whatever the records are.  Where E > 0.7 G for the median column, there is a doubt.

The 0.7 was found with releases, by epsilon alone / with δ = 10⁻⁹.  Adult (k = 6, so 0.7 G/n =
0.58; 200, 1,000 and 5,000 records, 9 releases of each kind): at E/n = 0.35, 0.5, 0.7, 1 and 1.4
two-way distances are 0.36/0.30, 0.49/0.37, 0.51/0.42, 0.57/0.53 and 0.63/0.60, of records drawn
evenly 0.71; the best area under the curve of four classifiers is 0.72/0.71, 0.70/0.72, 0.69/0.65,
0.66/0.63 and 0.59/0.64, of records drawn evenly 0.62 ± 0.06.  Flatter tables meet records drawn
evenly sooner (500 records, 4 releases of each kind): the made-up clinic (k = 6) at 0.4/0.9, breast
cancers in 30 numbers (k = 6) at 0.5/1.5, 30 booleans (k = 2, so 0.35) at 0.25/0.25.
"""

from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction
from math import ceil, log, pi, sqrt
from statistics import median

from sfumato.errors import ParameterError
from sfumato.methods.mosaic.division import records_or_common
from sfumato.methods.mosaic.steps import Steps
from sfumato.privacy.budget import approx_from_zcdp, shared
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP

__all__ = ["doubt", "expected_error", "guessed_error"]

_TRIED = Fraction(1, 10**9)  # the delta that is tried in place of none
_WORTH_SAYING = 0.8  # of the error, that a remedy must leave at most
_TELLING = 0.7  # of what equal shares can be wrong for: noise beyond it leaves little to tell
_FEWEST = 2  # values of a column, or of a label
_MANY = 10**9  # records, beyond which they are not written in full
_FINER, _MOST, _ROUND = 1.1, 1_000, 10  # steps of a factor, its end, and where tenths do


def expected_error(steps: Steps) -> float:
    """E/n of the median column; 0 where there is but one cell, whose count says nothing.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> from sfumato.schema import Schema
    >>> from sfumato.schema.domain import Domain
    >>> domain = Domain.of(Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}}))
    >>> [round(expected_error(Steps(domain, PureDP(1), n)), 3) for n in (1, 100)]
    [2.0, 0.02]
    """
    cells = _cells(steps)
    if cells <= 1:
        return 0.0
    records = max(records_or_common(steps.row_count), 1)
    mean_absolute = sqrt(2 / pi) if steps.gaussian else 1 / sqrt(2)
    deviation = sqrt(steps.classes / _precision(steps, cells))
    return mean_absolute * deviation * cells / 2 / records


def guessed_error(steps: Steps) -> float:
    """G/n of the median column: how far equal shares can be from the truth."""
    return 1 - 1 / _cells(steps)


def doubt(steps: Steps) -> str | None:
    """Why a release would be hardly better than guessing, and what would help; else None.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> from sfumato.schema import Schema
    >>> from sfumato.schema.domain import Domain
    >>> columns = {name: {"kind": "integer", "low": 0, "high": 99} for name in "abc"}
    >>> domain = Domain.of(Schema.of({"name": "t", "columns": columns}))
    >>> print(doubt(Steps(domain, PureDP(1), 20)))
    The release is expected to be hardly better than guessing: in the table of a typical column \
noise alone weighs as much as 25 records in wrong cells, and equal shares are wrong for at most 16 \
(of 20 records). What helps: epsilon about 2.4 times as large, fewer columns or columns of fewer \
values.
    >>> doubt(Steps(domain, PureDP(1), 200)) is None
    True
    """
    if not _outweighed(steps):
        return None
    records = max(records_or_common(steps.row_count), 1)
    wrong, guess = (records * error for error in (expected_error(steps), guessed_error(steps)))
    return (
        "The release is expected to be hardly better than guessing: in the table of a typical "
        f"column noise alone weighs as much as {_number(wrong)} records in wrong cells, and equal "
        f"shares are wrong for at most {_number(guess)} ({_records(steps)}). What helps: "
        f"{_remedies(steps)}."
    )


def _outweighed(steps: Steps) -> bool:
    return expected_error(steps) > _TELLING * guessed_error(steps)


def _number(records: float) -> str:
    """So many records, in few digits.

    >>> _number(1.6667), _number(1234.5), _number(1e30)
    ('1.7', '1,234', 'over 1,000,000,000')
    """
    if records > _MANY:
        return f"over {_MANY:,}"
    return f"{records:,.0f}" if records > _ROUND else f"{records:.2g}"


def _records(steps: Steps) -> str:
    """How many there are, and how one knows."""
    records = f"{records_or_common(steps.row_count):,} records"
    if steps.row_count is None:
        return f"of about {records}, as no number was stated"
    if steps.neighbours == "add-remove":
        return f"of about {records}, as was stated"
    return f"of {records}"


def _cells(steps: Steps) -> float:
    """Of the median column, in the bins of the second purchase."""
    wide = {column.axis for column in steps.wide}
    return median(
        min(column.bins, steps.division.bins) if column.axis in wide else column.bins
        for column in steps.columns
    )


def _precision(steps: Steps, cells: float) -> float:
    """One over the variance of a cell in one class, of its own table and its pairs' together."""
    own = steps.deviations.classes**-2
    pairs = steps.division.chosen or len(steps.pairs)
    if not pairs:
        return own
    of_a_column = 2 * pairs / len(steps.columns)
    return own + of_a_column / (cells * steps.deviations.pairs**2)


def _remedies(steps: Steps) -> str:
    """What would bring the noise down to the bound, or nearer to it."""
    raised = "rho" if isinstance(steps.budget, ZCDP) else "epsilon"
    found = [f"{raised} {_enough(steps)} as large"]
    if _delta_helps(steps):
        found.append("a delta")
    if len(steps.columns) > 1:
        found.append("fewer columns")
    if steps.classes > _FEWEST:
        found.append("a label of fewer values")
    if _cells(steps) > _FEWEST:
        found.append("columns of fewer values")
    *first, last = found
    return f"{', '.join(first)} or {last}" if first else last


def _enough(steps: Steps) -> str:
    """How large the budget must be, found by trying: shares change with it.

    What (ε, δ) buys is found in ρ, which is quick, and turned back once.
    """
    (whole,) = shared(steps.budget, Fraction(1))
    most = _MOST**2 if isinstance(whole, ZCDP) else _MOST
    factors = [Fraction(round(100 * _FINER**k), 100) for k in range(1, 1 + ceil(log(most, _FINER)))]
    found = bisect_left(
        factors, True, key=lambda factor: not _outweighed(_raised(steps, whole, factor))
    )
    if found == len(factors):
        return f"over {most:,} times"
    factor = factors[found]
    if isinstance(steps.budget, ApproxDP) and isinstance(whole, ZCDP):
        needed = approx_from_zcdp(whole.rho * factor, steps.budget.delta)
        factor = needed.epsilon / steps.budget.epsilon
    return f"about {_times(factor)}"


def _raised(steps: Steps, whole: PureDP | ZCDP, factor: Fraction) -> Steps:
    if isinstance(whole, ZCDP):
        return replace(steps, budget=ZCDP(whole.rho * factor))
    return replace(steps, budget=PureDP(whole.epsilon * factor))


def _delta_helps(steps: Steps) -> bool:
    if not isinstance(steps.budget, PureDP):
        return False
    try:
        gaussian = replace(steps, budget=ApproxDP(steps.budget.epsilon, _TRIED))
        return expected_error(gaussian) < _WORTH_SAYING * expected_error(steps)
    except ParameterError:  # too small for Gaussian noise
        return False


def _times(factor: Fraction) -> str:
    """A factor, rounded up.

    >>> _times(Fraction("1.01")), _times(Fraction("1037.2"))
    ('1.1 times', '1,038 times')
    """
    return f"{ceil(factor):,} times" if factor > _ROUND else f"{ceil(factor * 10) / 10:.1f} times"
