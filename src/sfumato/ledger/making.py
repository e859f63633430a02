"""A new ledger, with its key in a file by itself."""

from collections.abc import Callable
from pathlib import Path

from sfumato.ledger.backend import Connection
from sfumato.ledger.fingerprint_key import new_key_file, write_key
from sfumato.ledger.sqlite.file import build
from sfumato.ledger.sqlite.place import key_file
from sfumato.untrusted.database_url import is_url

__all__ = ["make"]


def make(place: str | Path, ledger_id: str, key: bytes, fill: Callable[[Connection], None]) -> None:
    """Make the ledger whole or not at all; `fill` writes its first lines."""
    beside = None if is_url(place) else key_file(Path(place).resolve())
    file, written = new_key_file(ledger_id, beside), False

    def filled(connection: Connection) -> None:
        nonlocal written
        write_key(file, ledger_id, key)
        written = True
        fill(connection)

    try:
        if is_url(place):
            from sfumato.ledger.postgres.tables import build as build_database  # an extra

            build_database(str(place), filled)
        else:
            build(Path(place).resolve(), filled)
    except BaseException:
        if written and (is_url(place) or not Path(place).exists()):
            Path(file).unlink(missing_ok=True)
        raise
