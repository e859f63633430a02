"""How `sfumato accuracy` prints columns and tables of two columns."""

from collections.abc import Callable
from math import ceil, floor
from typing import TYPE_CHECKING

from sfumato.cli.screen import Grid, say, show

if TYPE_CHECKING:
    from sfumato.accuracy.published import Published
    from sfumato.accuracy.statement import Answer

__all__ = ["show_column", "show_columns", "show_list", "show_pair", "show_shares"]

_MOST_LINES = 60


def show_list(
    table: Grid,
    answers: "list[Answer]",
    cells: "Callable[[Answer], list[str]]",
    confidence: str,
    published: int,
) -> None:
    """One line per answer, how many there are, and what their intervals are worth together.

    Which of very many are listed may follow from their noise: together means all that were
    published.
    """
    from sfumato.accuracy.law import share
    from sfumato.accuracy.spelling import confidence_of_each

    for answer in answers[:_MOST_LINES]:
        table.line(answer.question, *cells(answer))
    show(table)
    listed = len(answers)
    some = f" ({listed:,} of {published:,})" if listed < published else ""
    if listed > _MOST_LINES:
        say(f"and {listed - _MOST_LINES:,} more: --json lists them{some}")
    each = confidence_of_each(share("confidence", confidence), published)
    say(
        f"Each line holds with confidence {confidence} by itself. For all {published:,} together: "
        f"--confidence {each}"
    )


def show_columns(answers: "list[Answer]", found: "Published", confidence: str) -> None:
    """One line per column, and what there is besides."""
    table = Grid("column", "values", "each count within", "all within", "mean", "between")
    for answer in answers:
        shown = answer.figures
        row = [f"{ceil(shown[name]):,}" for name in ("values", "each within", "all within")]
        mean = shown.get("mean")
        ends = [] if mean is None else [f"{mean[name]:.4g}" for name in ("value", "low", "high")]
        row += [ends[0], f"{ends[1]} to {ends[2]}"] if ends else ["", ""]
        table.line(answer.question, *row)
    show(table)
    pairs = len(found.tables.measured) if found.tables else 0
    say(
        f"Every figure holds with confidence {confidence} by itself, “all within” for all values "
        "of its column at once. Each value: --column NAME. "
        f"{pairs:,} table{'' if pairs == 1 else 's'} of two columns: --pair NAME NAME."
    )


def show_column(answer: "Answer") -> None:
    """Every value with its interval."""
    from sfumato.accuracy.spelling import at_least, at_most, spelt

    table = Grid(answer.question, "noisy", "at least", "at most")
    for cell in answer.figures["counts"]:
        ends = at_least(cell["low"]), at_most(cell["high"])
        table.line(cell["value"], spelt(cell["noisy"]), *ends)
    show(table)
    say(" ".join(answer.sentences))


def show_shares(answer: "Answer") -> None:
    """Every value within every group."""
    table = Grid(*answer.figures["columns"], "noisy", "at least", "at most")
    for told in answer.figures["shares"]:
        ends = floor(1000 * told["low"]) / 10, ceil(1000 * told["high"]) / 10
        shown = f"{told['noisy']:.1%}", *(f"{end:.1f}%" for end in ends)
        table.line(told["group"], told["value"], *shown)
    show(table)
    say(" ".join(answer.sentences))


def show_pair(answer: "Answer") -> None:
    """The first column down, the second across; in each cell what the truth lies between."""
    from sfumato.accuracy.spelling import at_least, at_most

    shown, (down, across) = answer.figures, answer.figures["values"]
    table = Grid(shown["columns"][0], *across)
    for k, value in enumerate(down):
        ends = zip(shown["low"][k], shown["high"][k], strict=True)
        table.line(value, *(f"{at_least(low)} – {at_most(high)}" for low, high in ends))
    show(table)
    say(" ".join(answer.sentences))
