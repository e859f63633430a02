"""Whether a ledger in PostgreSQL still has the rules it was made with.

Compared are the facts that its promises rest on: tables and columns, what is unique, functions to
the letter, triggers and whether they fire, indexes, that the server rewrites nothing on the way,
and that nobody but whoever made it may change or remove a line.
"""

import re
from collections.abc import Iterable, Iterator

from sfumato.errors import LedgerError
from sfumato.ledger.backend import Connection
from sfumato.ledger.postgres.address import LedgerAddress
from sfumato.ledger.postgres.tables import (
    FIRST_FORMAT,
    FORMAT,
    FUNCTIONS,
    INDEXES,
    RIGHTS,
    TABLES,
    TRIGGERS,
)

__all__ = ["known_format", "require_rules"]

_STATE = """SELECT version, current_setting('fsync') = 'on'
    AND current_setting('full_page_writes') = 'on' FROM format"""
# Kept on the disk, by itself, without rules that rewrite or hide, of one owner, who is no role of
# the ledger.
_TABLES = """SELECT relname::text, relkind = 'r' AND relpersistence = 'p' AND NOT relispartition
    AND NOT relrowsecurity AND NOT relforcerowsecurity
    AND NOT EXISTS (SELECT 1 FROM pg_rewrite WHERE ev_class = c.oid)
    AND NOT EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = c.oid)
    AND NOT EXISTS (SELECT 1 FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent))
    AND relowner = nspowner AND NOT EXISTS (SELECT 1 FROM unnest(?::text[]) role
        WHERE pg_has_role(role, relowner, 'MEMBER'))
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE nspname = ?::text AND relname = ANY (?::text[])"""
_COLUMNS = """SELECT relname::text, attname::text, format_type(atttypid, atttypmod),
    collname::text, attnotnull, atthasdef OR attgenerated <> '' OR attidentity <> ''
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    LEFT JOIN pg_collation l ON l.oid = attcollation
    WHERE relnamespace = ?::text::regnamespace AND relname = ANY (?::text[])
    AND attnum > 0 AND NOT attisdropped ORDER BY relname, attnum"""
_UNIQUE = """SELECT relname::text, pg_get_constraintdef(k.oid), condeferrable OR NOT convalidated
    FROM pg_constraint k JOIN pg_class c ON c.oid = conrelid
    WHERE relnamespace = ?::text::regnamespace AND relname = ANY (?::text[]) AND contype <> 'n'"""
_FUNCTIONS = """SELECT proname::text, prosrc, prosecdef AND lanname = 'plpgsql'
    AND provolatile = 'v' AND prokind = 'f' AND pronargs = 0
    AND prorettype = 'pg_catalog.trigger'::regtype AND proowner = nspowner,
    array_to_string(proconfig, ';')
    FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace JOIN pg_language l ON l.oid = prolang
    WHERE nspname = ?::text ORDER BY proname"""
_OPERATORS = "SELECT 1 FROM pg_operator WHERE oprnamespace = ?::text::regnamespace LIMIT 1"
_TRIGGERS = """SELECT pg_get_triggerdef(t.oid), tgenabled::text
    FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
    WHERE relnamespace = ?::text::regnamespace AND relname = ANY (?::text[])"""
_INDEXES = """SELECT pg_get_indexdef(indexrelid), indisvalid AND indisready AND indislive
    FROM pg_index i JOIN pg_class c ON c.oid = indrelid
    WHERE relnamespace = ?::text::regnamespace AND relname = ANY (?::text[])
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)"""
# Of tables and their columns; also of all others than the roles of the ledger (0 is PUBLIC).
_RIGHTS = """SELECT relname::text,
    CASE grantee WHEN 0 THEN '' ELSE pg_get_userbyid(grantee)::text END,
    privilege_type::text, is_grantable FROM pg_class c, aclexplode(relacl)
    WHERE relnamespace = ?::text::regnamespace AND relname = ANY (?::text[]) AND grantee <> relowner
    UNION ALL SELECT relname || '.' || attname, 'a column', privilege_type::text, true
    FROM pg_class c JOIN pg_attribute ON attrelid = c.oid, aclexplode(attacl)
    WHERE relnamespace = ?::text::regnamespace AND relname = ANY (?::text[])
    UNION ALL SELECT '', CASE grantee WHEN 0 THEN '' ELSE pg_get_userbyid(grantee)::text END,
    privilege_type::text, is_grantable FROM pg_namespace, aclexplode(nspacl)
    WHERE nspname = ?::text AND grantee <> nspowner"""


def known_format(connection: Connection, address: LedgerAddress) -> int:
    """The format of the database, refused where this program does not know its rules.

    Asked at every write: also whether the server still keeps what it commits through a power cut.
    """
    found = connection.execute(_STATE).fetchall()
    if len(found) != 1:
        raise LedgerError(f"ledger {address.name} is damaged: it does not say its format once")
    version, durable = found[0]
    if version > FORMAT:
        raise LedgerError(
            f"ledger {address.name} was written by a newer Sfumato (format {version}, this one "
            f"knows {FORMAT}): upgrade Sfumato; nothing was changed"
        )
    if version < FIRST_FORMAT:
        raise LedgerError(f"ledger {address.name} is damaged: it says a format that never was")
    if not durable:
        raise LedgerError(
            f"ledger {address.name}: the server runs with fsync or full_page_writes off, so a "
            "power cut could take charges back: set both to on"
        )
    return int(version)


def require_rules(connection: Connection, address: LedgerAddress) -> None:
    """Refuse the first rule that is not as it was made."""
    for what, same in _compared(connection, address):
        if not same:
            raise LedgerError(f"ledger {address.name} is damaged: {what} changed since it was made")


def _compared(connection: Connection, address: LedgerAddress) -> Iterator[tuple[str, bool]]:
    schema, names = address.schema, sorted(TABLES)
    duties = [address.role(duty) for duty in RIGHTS]

    def found(query: str, *values: object) -> list[tuple[object, ...]]:
        return connection.execute(query, values or (schema, names)).fetchall()

    yield "the tables", sorted(found(_TABLES, duties, schema, names)) == [(n, True) for n in names]
    columns = [(name, *_column(*one)) for name in names for one in TABLES[name].items()]
    yield "the columns", found(_COLUMNS) == columns
    yield "what must be unique", sorted(found(_UNIQUE)) == sorted(_unique())
    path = _plain(f"search_path=pg_catalog, {schema}, pg_temp")
    functions = [(name, FUNCTIONS[name], True, path) for name in sorted(FUNCTIONS)]
    given = [(*row[:3], _plain(str(row[3]))) for row in found(_FUNCTIONS, schema)]
    yield "the functions", given == functions and not found(_OPERATORS, schema)
    triggers = [(f"CREATE TRIGGER {name} {text}", "A") for name, text in TRIGGERS.items()]
    yield "the triggers", _told(found(_TRIGGERS), schema) == _told(triggers, schema)
    indexes = [(f"CREATE {text.format(name=name)}", True) for name, text in INDEXES.items()]
    yield "the indexes", _told(found(_INDEXES), schema) == _told(indexes, schema)
    lawful = {
        (table, address.role(duty), action, False)
        for duty, tables in RIGHTS.items()
        for table, actions in {**tables, "": ("USAGE",)}.items()
        for action in actions
    }
    others = set(found(_RIGHTS, schema, names, schema, names, schema)) - lawful
    yield "the rights of a role", not any(_too_much(*one[1:]) for one in others)


def _column(name: str, kind: str) -> tuple[object, ...]:
    words = kind.split()
    needed = "NOT NULL" in kind or "PRIMARY KEY" in kind
    return name, words[0], "C" if words[0] == "text" else None, needed, False


def _unique() -> Iterator[tuple[object, ...]]:
    for table, columns in TABLES.items():
        for name, kind in columns.items():
            for word in ("PRIMARY KEY", "UNIQUE"):
                if word in kind:
                    yield table, f"{word} ({name})", False


def _too_much(role: object, action: object, grantable: object) -> bool:
    """Somebody named may read besides, as for copies of the database; all else was not ours."""
    return role == "" or bool(grantable) or action not in ("SELECT", "USAGE")


def _told(rows: Iterable[tuple[object, ...]], schema: str) -> list[tuple[object, ...]]:
    """Definitions as the server tells them and as they were made, in one spelling."""
    return sorted(
        (_plain(str(text).replace("USING btree ", ""), schema), *rest) for text, *rest in rows
    )


def _plain(text: str, schema: str = "") -> str:
    text = re.sub(r'::text|"', "", text)
    return re.sub(r"[\s()]", "", text.replace(f" {schema}.", " ") if schema else text)
