"""Releases in two steps: the first may be all that is bought, and then the rest is given back.

Whether more than the first step was drawn stands in no line: only the object that wrote the draw
can know.  So it keeps that in memory, forgets it before the next step begins, and nobody else can
stop a release.  What forgets too early, or is killed, leaves the whole charge.
"""

from pathlib import Path

from sfumato.errors import LedgerError
from sfumato.ledger.amount import NOTHING
from sfumato.ledger.backend import Connection
from sfumato.ledger.period import charged_before, lapse_again
from sfumato.ledger.rules import Entry, entry_of, require_state
from sfumato.ledger.session import LedgerSession
from sfumato.ledger.sql import append, lines_of, parts_of, stops_of

__all__ = ["TwoSteps", "entry_in"]


class TwoSteps(LedgerSession):
    """An open ledger that knows which releases are in their first step by its own doing."""

    def __init__(self, place: str | Path) -> None:
        self._in_first_step: set[str] = set()
        super().__init__(place)

    def passed(self, release: str) -> None:
        """The first step of a release is over and the next begins: from here on it cannot stop.

        Refused where it was stopped in the meantime.
        """
        with self._session() as connection:
            require_state(entry_in(connection, release), release, "go on with")
            self._in_first_step.discard(release)

    def may_stop(self, release: str) -> bool:
        """Whether this release drew noise by this very object, and for its first step alone."""
        with self._session() as connection:
            entry = entry_in(connection, release)
            drawn = entry is not None and entry.state == "drawn"
            return drawn and release in self._in_first_step

    def stop(self, release: str) -> Entry:
        """Record that nothing is published and only the first step was bought; the rest is left.

        What a stop leaves was written by `reserve`, before anything was drawn.  It is refused to
        all but the object that drew, and to that one once the release has `passed` the first step.
        """
        with self._writing() as connection:
            entry = require_state(entry_in(connection, release), release, "stop")
            if release not in self._in_first_step:
                raise LedgerError(
                    f"cannot stop release {release!r}: only the run that drew its noise knows that "
                    "this was for the first step alone, and only until it goes on; the charge stays"
                )
            if parts_of(connection, release):
                raise LedgerError(f"cannot stop release {release!r}: later parts of it were begun")
            append(
                connection,
                "stop",
                entry.dataset,
                {},
                release=release,
                amount=entry.rest or NOTHING,
                part=entry.table_part,
                over=charged_before(connection, entry.dataset, entry.sequence),
            )
            lapse_again(connection, entry.dataset, entry.sequence)
            return entry_of(lines_of(connection, release))

    def stopped(self, dataset: str) -> list[Entry]:
        """Releases that ended after their first step, oldest first: nothing was published."""
        with self._session() as connection:
            lines = stops_of(connection, dataset)
            return [entry_of(lines_of(connection, str(line.release))) for line in lines]


def entry_in(connection: Connection, release: str) -> Entry | None:
    """How far a release came, or None if the ledger never heard of it."""
    steps = lines_of(connection, release)
    return entry_of(steps) if steps else None
