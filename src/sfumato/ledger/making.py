"""A new ledger, with its key in a file by itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sfumato.database.url import is_url
from sfumato.ledger.backend import Connection
from sfumato.ledger.fingerprint_key import new_key_file, write_key
from sfumato.ledger.sqlite.file import building_in_file
from sfumato.ledger.sqlite.place import key_file

__all__ = ["making", "place_name"]


@contextmanager
def making(place: str | Path, ledger_id: str, key: bytes | None) -> Iterator[Connection]:
    """Make a ledger whole or not at all, its key first; what is written to it are its lines."""
    if is_url(place):
        from sfumato.ledger.postgres.address import LedgerAddress
        from sfumato.ledger.postgres.building import building_in_database  # an extra

        with (
            building_in_database(LedgerAddress.of(str(place))) as there,
            _keeping(new_key_file(ledger_id, None), ledger_id, key),
        ):
            yield there
    else:
        path = Path(place).resolve()
        with (
            building_in_file(path) as here,
            _keeping(new_key_file(ledger_id, key_file(path)), ledger_id, key),
        ):
            yield here


def place_name(place: str | Path) -> str:
    """The place as messages and lines name it: a whole path, or an address without its user."""
    if is_url(place):
        from sfumato.ledger.postgres.address import LedgerAddress

        return LedgerAddress.of(str(place)).name
    return str(Path(place).resolve())


@contextmanager
def _keeping(file: str, ledger_id: str, key: bytes | None) -> Iterator[None]:
    """The key is on the disk before the ledger is, and goes if nothing comes of that."""
    if key is None:
        yield
        return
    there = Path(file).exists()
    write_key(file, ledger_id, key)
    try:
        yield
    except BaseException:
        if not there:
            Path(file).unlink(missing_ok=True)
        raise
