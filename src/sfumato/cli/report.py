"""`sfumato report`: the page that is published beside a release, and one for the officer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.screen import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.ledger import Ledger
    from sfumato.publishing.verify import Check

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
    ledger: Annotated[
        Path | None,
        typer.Option(
            envvar="SFUMATO_LEDGER", help="The ledger it was charged to; --officer needs it."
        ),
    ] = None,
    officer: Annotated[
        Path | None,
        typer.Option(
            help="Also write an internal page for the data-protection officer (mode 0600): grant, "
            "spent and left, looks, declared facts to tick. Needs --ledger."
        ),
    ] = None,
) -> None:
    """Write a page that says what was published, what is promised and how good it is.

    It is made from the release alone, so it may be published; the same release gives the same
    bytes. What only the ledger knows goes to the officer's page, which is no part of the release.
    A release that does not verify is refused.

    Example: sfumato report release/

    Example: sfumato report release/ --officer officer.html --ledger budget.db
    """
    from sfumato.errors import ParameterError, ReleaseError
    from sfumato.inspection.page import check_place, write_privately
    from sfumato.ledger import Ledger
    from sfumato.release.folder import REPORT

    place = output or release / REPORT
    if place.parent.resolve() == release.resolve() and place.name != REPORT:
        raise ReleaseError(f"{place} lies in the release, where only {REPORT} may be added")
    if officer is None:
        _public(release, place, force=force)
        return
    if ledger is None:
        raise ParameterError("the officer's page tells what the ledger knows: add --ledger FILE")
    check_place(officer, release)
    with Ledger(ledger) as opened:
        internal = _internal(release, opened)
    _public(release, place, force=force)
    write_privately(internal, officer)
    say(
        f"written {officer}, readable by you alone: it tells what the ledger knows, not the records"
    )


def _public(release: Path, place: Path, *, force: bool) -> None:
    from sfumato.errors import ReleaseError
    from sfumato.publishing.verify import page_of
    from sfumato.release.file import appearing
    from sfumato.untrusted.plain_file import is_there

    _checked(release, None)
    text = page_of(release)
    if _holds(place, text):
        say(f"{place} is up to date")
        return
    if is_there(place) and not force:
        raise ReleaseError(f"{place} exists and differs: --force replaces it")
    with appearing(place) as part:
        part.write_bytes(text)
    say(f"written {place}, {len(text) / 1000:,.0f} kB")


def _internal(release: Path, ledger: "Ledger") -> str:
    from sfumato.publishing.officer import officer_page

    return officer_page(release, ledger, _checked(release, ledger))


def _checked(release: Path, ledger: "Ledger | None") -> "Sequence[Check]":
    from sfumato.errors import ReleaseError
    from sfumato.publishing.verify import checks

    found = checks(release, ledger=ledger)
    failed = [check for check in found if not check.passed]
    if failed:
        raise ReleaseError(f"{release} is not as it was released: {failed[0].detail}")
    return found


def _holds(place: Path, text: bytes) -> bool:
    from sfumato.untrusted.plain_file import content

    try:
        return content(place, len(text), follow=True) == text
    except OSError:  # not there, longer, no file, or not ours to read
        return False
