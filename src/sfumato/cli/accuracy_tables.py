"""How `sfumato accuracy` prints columns and tables of two columns."""

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.accuracy.published import Published
    from sfumato.accuracy.statement import Answer

__all__ = ["show_column", "show_columns", "show_pair"]


def show_columns(answers: "list[Answer]", found: "Published", confidence: str) -> None:
    """One line per column, and what there is besides."""
    from rich.markup import escape
    from rich.table import Table

    from sfumato.cli.show import console

    table = Table("column", "values", "each count within", "all within", "mean", "between")
    for answer in answers:
        shown = answer.figures
        row = [f"{ceil(shown[name]):,}" for name in ("values", "each within", "all within")]
        mean = shown.get("mean")
        ends = [] if mean is None else [f"{mean[name]:.4g}" for name in ("value", "low", "high")]
        row += [ends[0], f"{ends[1]} to {ends[2]}"] if ends else ["", ""]
        table.add_row(escape(answer.question), *row)
    console.print(table)
    pairs = len(found.tables.measured) if found.tables else 0
    console.print(
        f"Every figure holds with confidence {confidence} by itself, “all within” for all values "
        "of its column at once. Each value: --column NAME. "
        f"{pairs:,} table{'' if pairs == 1 else 's'} of two columns: --pair NAME NAME.",
        soft_wrap=True,
    )


def show_column(answer: "Answer") -> None:
    """Every value with its interval."""
    from rich.markup import escape
    from rich.table import Table

    from sfumato.accuracy.statement import spelt
    from sfumato.cli.show import console

    table = Table(escape(answer.question), "noisy", "at least", "at most")
    for cell in answer.figures["counts"]:
        row = [spelt(cell[name]) for name in ("noisy", "low", "high")]
        table.add_row(escape(cell["value"]), *row)
    console.print(table)
    console.print(escape(" ".join(answer.sentences)), soft_wrap=True)


def show_pair(answer: "Answer") -> None:
    """The first column down, the second across; in each cell what the truth lies between."""
    from rich.markup import escape
    from rich.table import Table

    from sfumato.accuracy.statement import spelt
    from sfumato.cli.show import console

    shown, (down, across) = answer.figures, answer.figures["values"]
    table = Table(escape(shown["columns"][0]), *(escape(value) for value in across))
    for k, value in enumerate(down):
        ends = zip(shown["low"][k], shown["high"][k], strict=True)
        table.add_row(escape(value), *(f"{spelt(low)} – {spelt(high)}" for low, high in ends))
    console.print(table)
    console.print(escape(" ".join(answer.sentences)), soft_wrap=True)
