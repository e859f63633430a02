"""`sfumato report`: the page that is published beside a release."""

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import say

__all__ = ["report"]


def report(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Another file; report.html in the folder by default."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing file that differs.")
    ] = False,
) -> None:
    """Write a page that says what was published, what is promised and how good it is.

    It is made from the release alone, so it may be published; the same release gives the same
    bytes. A release that does not verify is refused.

    Example: sfumato report release/
    """
    from sfumato.publishing.page import checked_page, holds, put
    from sfumato.release import Release

    place, text = checked_page(Release.load(release), output)
    if holds(place, text):
        say(f"{place} is up to date")
        return
    put(place, text, force=force)
    say(f"written {place}, {len(text) / 1000:,.0f} kB")
