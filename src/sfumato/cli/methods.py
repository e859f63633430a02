"""`sfumato methods`: what each method does, promises, costs, and comes from."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

__all__ = ["methods"]


def methods(
    name: Annotated[str | None, typer.Argument(help="Show one method in full.")] = None,
) -> None:
    """List the methods, or describe one.

    Example: sfumato methods mosaic
    """
    from rich.table import Table

    from sfumato.cli.show import console
    from sfumato.graph.methods import METHODS as NETWORK_METHODS
    from sfumato.methods import METHODS, method
    from sfumato.retrieval.count_plan import Described
    from sfumato.stream.methods import METHODS as STREAM_METHODS

    counts = {Described.name: Described()}
    others: dict[str, Any] = {**NETWORK_METHODS, **STREAM_METHODS, **counts}
    if name is None:
        kinds: dict[str, Mapping[str, Any]] = {
            "tables": METHODS,
            "networks": NETWORK_METHODS,
            "streams": STREAM_METHODS,
            "counts (sfumato query)": counts,
        }
        for title, known in kinds.items():
            table = Table("method", "what it does", "what it promises", title=title)
            for entry in known.values():
                table.add_row(entry.name, entry.summary, entry.promise)
            console.print(table)
        return
    item = others[name] if name in others else method(name)
    lines = Table.grid(padding=(0, 2))
    for heading, text in (
        ("does", item.summary),
        ("promises", item.promise),
        ("comes from", item.source),
        ("proof", f"docs/{item.proof}"),
        *((f"option {key}", text) for key, text in item.options.items()),
    ):
        lines.add_row(heading, text)
    console.print(f"[bold]{item.name}[/bold]")
    console.print(lines)
