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
    from sfumato.errors import ReleaseError
    from sfumato.publishing.verify import checks, page_of
    from sfumato.release.file import appearing
    from sfumato.release.folder import REPORT
    from sfumato.untrusted.plain_file import is_there

    place = output or release / REPORT
    if place.parent.resolve() == release.resolve() and place.name != REPORT:
        raise ReleaseError(f"{place} lies in the release, where only {REPORT} may be added")
    failed = [check for check in checks(release) if not check.passed]
    if failed:
        raise ReleaseError(f"{release} is not as it was released: {failed[0].detail}")
    text = page_of(release)
    if _holds(place, text):
        say(f"{place} is up to date")
        return
    if is_there(place) and not force:
        raise ReleaseError(f"{place} exists and differs: --force replaces it")
    with appearing(place) as part:
        part.write_bytes(text)
    say(f"written {place}, {len(text) / 1000:,.0f} kB")


def _holds(place: Path, text: bytes) -> bool:
    from sfumato.untrusted.plain_file import content

    try:
        return content(place, len(text), follow=True) == text
    except OSError:  # not there, longer, no file, or not ours to read
        return False
