"""`sfumato methods`: what each method does, promises, costs, and comes from."""

from typing import Annotated

import typer

from sfumato.cli.screen import Grid, say, show

__all__ = ["methods"]

_TITLES = {"counts": "counts (sfumato query)", "schemas": "schemas (sfumato schema estimate)"}


def methods(
    name: Annotated[str | None, typer.Argument(help="Show one method in full.")] = None,
) -> None:
    """List the methods, or describe one.

    Example: sfumato methods mosaic
    """
    from sfumato.plan.registry import PACKAGES, method_of_any_kind, registered

    if name is None:
        for kind in PACKAGES:
            title = _TITLES.get(kind, kind)
            table = Grid("method", "what it does", "what it promises", title=title)
            for entry in registered(kind).values():
                table.line(entry.name, entry.summary, entry.promise)
            show(table)
        return
    item = method_of_any_kind(name)
    lines = Grid.plain()
    for heading, text in (
        ("does", item.summary),
        ("promises", item.promise),
        ("use it for", item.use),
        ("comes from", item.source),
        ("proof", f"docs/{item.proof}"),
        *((f"option {key}", text) for key, text in item.options.items()),
    ):
        lines.line(heading, text)
    say(item.name, style="bold")
    show(lines)
