"""Which backend a ledger lies in: an address is of PostgreSQL, all else is a file."""

from pathlib import Path

from sfumato.database.url import is_url
from sfumato.errors import ParameterError
from sfumato.ledger.backend import Backend
from sfumato.ledger.sqlite.backend import LedgerFile

__all__ = ["opened"]


def opened(place: str | Path) -> Backend:
    """The ledger at this path or address, opened."""
    if not isinstance(place, str | Path):
        raise ParameterError(
            f"ledger must be a path or a postgresql:// address, not {type(place).__name__}"
        )
    if is_url(place):
        from sfumato.ledger.postgres.backend import LedgerDatabase  # an extra

        return LedgerDatabase(str(place))
    return LedgerFile(Path(place).resolve())
