"""Whether a ledger in PostgreSQL still has the rules it was made with.

Compared are the facts that its promises rest on: columns, functions to the letter, triggers and
whether they fire, indexes, and that no role of the ledger may change or remove a line.
"""

from sfumato.errors import LedgerError
from sfumato.ledger.backend import Connection
from sfumato.ledger.postgres.address import LedgerAddress
from sfumato.ledger.postgres.tables import COLUMNS, FORMAT, FUNCTIONS, INDEXES, TRIGGERS

__all__ = ["known_format", "require_rules"]

_COLUMNS = """SELECT attname::text, format_type(atttypid, atttypmod), attnotnull
    FROM pg_attribute WHERE attrelid = 'event'::regclass AND attnum > 0 AND NOT attisdropped
    ORDER BY attnum"""
_FUNCTIONS = """SELECT proname::text, prosrc, prosecdef FROM pg_proc
    WHERE pronamespace = ?::text::regnamespace ORDER BY proname"""
_TRIGGERS = """SELECT tgname::text, tgfoid::regproc::text, tgenabled::text, tgtype, tgqual IS NULL
    FROM pg_trigger WHERE tgrelid = 'event'::regclass AND NOT tgisinternal ORDER BY tgname"""
_INDEXES = """SELECT relname::text, indisunique, indisvalid AND indisready
    FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid IN ('event'::regclass, 'unfinished'::regclass)"""
_RIGHTS = """SELECT role, action FROM unnest(?::text[]) role,
    unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) action
    WHERE has_table_privilege(role, 'event', action)
        OR action <> 'TRIGGER' AND has_table_privilege(role, 'unfinished', action)"""
# Before, row, insert 2, delete 8, update 16, truncate 32: what pg_trigger says of each.
_TYPES = {"event_rules": 7, "event_unfinished": 5, "event_kept": 27, "event_not_emptied": 34}


def known_format(connection: Connection, address: LedgerAddress) -> int:
    """The format of the database, refused where this program does not know its rules."""
    (version,) = connection.execute("SELECT version FROM format").fetchone()
    if version > FORMAT:
        raise LedgerError(
            f"ledger {address.name} was written by a newer Sfumato (format {version}, this one "
            f"knows {FORMAT}): upgrade Sfumato; nothing was changed"
        )
    return int(version)


def require_rules(connection: Connection, address: LedgerAddress) -> None:
    """Refuse the first rule that is not as it was made."""
    wrong = _first_difference(connection, address)
    if wrong is not None:
        raise LedgerError(f"ledger {address.name} is damaged: {wrong} changed since it was made")


def _first_difference(connection: Connection, address: LedgerAddress) -> str | None:
    columns = [
        (name, kind.split()[0], "NOT NULL" in kind or "PRIMARY" in kind)
        for name, kind in COLUMNS.items()
    ]
    if connection.execute(_COLUMNS).fetchall() != columns:
        return "the columns"
    found = connection.execute(_FUNCTIONS, (address.schema,)).fetchall()
    if found != [(name, FUNCTIONS[name], True) for name in sorted(FUNCTIONS)]:
        return "the functions"
    triggers = [
        (name, TRIGGERS[name].split("FUNCTION ")[1].removesuffix("()"), "O", _TYPES[name], True)
        for name in sorted(TRIGGERS)
    ]
    if connection.execute(_TRIGGERS).fetchall() != triggers:
        return "the triggers"
    indexes = {name: (unique, sound) for name, unique, sound in connection.execute(_INDEXES)}
    for name, text in INDEXES.items():
        if indexes.get(name) != (text.startswith("UNIQUE"), True):
            return f"the index {name}"
    duties = [address.role(duty) for duty in ("owner", "publisher", "auditor")]
    if connection.execute(_RIGHTS, (duties,)).fetchall():
        return "the rights of a role"
    return None
