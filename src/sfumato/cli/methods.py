"""`sfumato methods`: what each method does, promises, costs, and comes from."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from sfumato.cli.screen import Grid, say, show

__all__ = ["methods"]


def methods(
    name: Annotated[str | None, typer.Argument(help="Show one method in full.")] = None,
) -> None:
    """List the methods, or describe one.

    Example: sfumato methods mosaic
    """
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
            table = Grid("method", "what it does", "what it promises", title=title)
            for entry in known.values():
                table.line(entry.name, entry.summary, entry.promise)
            show(table)
        return
    item = others[name] if name in others else method(name)
    lines = Grid.plain()
    for heading, text in (
        ("does", item.summary),
        ("promises", item.promise),
        ("comes from", item.source),
        ("proof", f"docs/{item.proof}"),
        *((f"option {key}", text) for key, text in item.options.items()),
    ):
        lines.line(heading, text)
    say(item.name, style="bold")
    show(lines)
