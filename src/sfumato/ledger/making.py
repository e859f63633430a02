"""A new ledger, with its key in a file by itself."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from socket import gethostname

from sfumato.database.url import is_url
from sfumato.ledger.backend import Connection
from sfumato.ledger.fingerprint_key import new_key_file, write_key
from sfumato.ledger.sqlite.file import building_in_file
from sfumato.ledger.sqlite.place import key_file

__all__ = ["making", "place_name"]


@contextmanager
def making(place: str | Path, ledger_id: str, key: bytes | None) -> Iterator[Connection]:
    """Make a ledger whole or not at all, its key first; what is written to it are its lines."""
    path = None if is_url(place) else Path(place).resolve()
    file = new_key_file(ledger_id, None if path is None else key_file(path))
    made = False  # the key, by this very call
    try:
        with _building(place) as connection:
            if key is not None:
                there = Path(file).exists()
                write_key(file, ledger_id, key)
                made = not there
            yield connection
            made = made and path is not None  # whether a server commits is not known here
    except BaseException:
        if made and not (path and path.exists()):
            Path(file).unlink(missing_ok=True)
        raise


def _building(place: str | Path) -> AbstractContextManager[Connection]:
    if is_url(place):
        from sfumato.ledger.postgres.address import LedgerAddress
        from sfumato.ledger.postgres.building import building_in_database  # an extra

        return building_in_database(LedgerAddress.of(str(place)))
    return building_in_file(Path(place).resolve())


def place_name(place: str | Path) -> str:
    """The one place that this is, as the line that closes a ledger keeps it.

    A path, or a database that only this machine reaches, is another one on another machine; and a
    server is asked which database it is, where the address leaves that to the environment.
    """
    if is_url(place):
        from sfumato.ledger.postgres.address import LedgerAddress
        from sfumato.ledger.postgres.connection import resolved  # an extra

        name, only_here = resolved(LedgerAddress.of(str(place)))
    else:
        name, only_here = str(Path(place).resolve()), True
    return f"{name} on {gethostname()}" if only_here else name
