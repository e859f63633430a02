"""The rules of a ledger in PostgreSQL, as the server keeps them.

What must never happen is refused by one function that runs before each line is added, whoever
adds it and however: what `sqlite/tables` refuses, and besides that a line by a role that may not
write its kind, under another name or another time than the server's, and a balance that does not
follow from the one before.  Nobody may change or remove a line; the tables belong to whoever made
them, and owners of budgets, publishers and auditors are roles that own nothing.

What parts of a table have borne is a text that only a reader can follow: there the server keeps
spent at most granted, and each reader checks the rest.
"""

from collections.abc import Callable, Sequence

from sfumato.ledger.postgres.rules import KEEP, RULES, UNFINISHED

__all__ = ["FILL_UNFINISHED", "FIRST_FORMAT", "FORMAT", "MIGRATIONS", "roles", "rules", "tables"]

FORMAT, FIRST_FORMAT = 7, 6

_TEXT, _WHOLE = 'text COLLATE "C"', "bigint"
COLUMNS = {
    "sequence": f"{_WHOLE} PRIMARY KEY",
    "kind": f"{_TEXT} NOT NULL",
    "dataset": f"{_TEXT} NOT NULL",
    "release": _TEXT,
    "fingerprint": _TEXT,
    "veil": _TEXT,
    "other": _TEXT,
    **dict.fromkeys(
        (
            *("heuristic", "micro_epsilon", "pico_delta", "micro_rho"),
            *("granted_micro_epsilon", "granted_pico_delta", "granted_micro_rho"),
            *("spent_micro_epsilon", "spent_pico_delta", "spent_micro_rho"),
            *("releases", "unproved", "allowed"),
        ),
        f"{_WHOLE} NOT NULL",
    ),
    "protects": _TEXT,
    "parts": _TEXT,
    "who": _TEXT,
    "detail": f"{_TEXT} NOT NULL",
    "clock": f"{_WHOLE} NOT NULL",
    "nonce": f"{_TEXT} NOT NULL",
    "previous": f"{_TEXT} NOT NULL",
    "hash": f"{_TEXT} NOT NULL UNIQUE",
}
# In the words in which the server tells them back.
INDEXES = {
    "event_dataset": "INDEX {name} ON event (dataset, sequence)",
    "event_step": "UNIQUE INDEX {name} ON event (release, (CASE kind WHEN 'reserve' THEN 1 "
    "WHEN 'part' THEN 1 WHEN 'settle' THEN 3 WHEN 'stop' THEN 3 ELSE 2 END)) "
    "WHERE release IS NOT NULL AND kind <> 'inspect'",
    "event_fingerprint": "INDEX {name} ON event (fingerprint, dataset) "
    "WHERE fingerprint IS NOT NULL",
    "event_other": "INDEX {name} ON event (other, kind, dataset) WHERE other IS NOT NULL",
    "event_joined": "INDEX {name} ON event (dataset) WHERE kind = 'same-data'",
    "event_inspect": "INDEX {name} ON event (dataset, sequence) WHERE kind = 'inspect'",
    "event_checkpoint": "INDEX {name} ON event (sequence) WHERE kind = 'checkpoint'",
    "event_key": "INDEX {name} ON event (sequence) WHERE kind = ANY (ARRAY['create', 'new-key'])",
    "event_grant": "INDEX {name} ON event (dataset, sequence) "
    "WHERE kind = ANY (ARRAY['grant', 'approve', 'lapse'])",
    "event_request": "INDEX {name} ON event (sequence) WHERE kind = 'request'",
    "event_client": "INDEX {name} ON event (dataset, sequence) WHERE kind = 'client'",
    "event_answer": "UNIQUE INDEX {name} ON event (other) "
    "WHERE kind = ANY (ARRAY['approve', 'decline'])",
    "event_returned": "UNIQUE INDEX {name} ON event (other, dataset) WHERE kind = 'return'",
    "unfinished_dataset": "INDEX {name} ON unfinished (dataset, sequence)",
}
TRIGGERS = {
    "event_rules": "BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION event_rules()",
    "event_unfinished": "AFTER INSERT ON event FOR EACH ROW EXECUTE FUNCTION event_unfinished()",
    "event_kept": "BEFORE DELETE OR UPDATE ON event FOR EACH ROW EXECUTE FUNCTION event_kept()",
    "event_not_emptied": "BEFORE TRUNCATE ON event FOR EACH STATEMENT "
    "EXECUTE FUNCTION event_kept()",
}
# Of the tables beside the lines, and what must be unique.
BESIDE = {
    "unfinished": {
        "release": f"{_TEXT} PRIMARY KEY",
        "dataset": f"{_TEXT} NOT NULL",
        "sequence": f"{_WHOLE} NOT NULL",
        "drawn": "boolean NOT NULL",
    },
    # Whoever writes a line locks this one first: the lines themselves nobody may lock.
    "turn": {"one": "integer PRIMARY KEY"},
    "format": {"version": "integer NOT NULL"},
}
TABLES = {"event": COLUMNS, **BESIDE}
_READING: dict[str, tuple[str, ...]] = dict.fromkeys(("event", "unfinished", "format"), ("SELECT",))
_WRITING = _READING | {"event": ("INSERT", "SELECT"), "turn": ("SELECT", "UPDATE")}
RIGHTS = {"owner": _WRITING, "publisher": _WRITING, "auditor": _READING}
FUNCTIONS = {"event_rules": RULES, "event_unfinished": UNFINISHED, "event_kept": KEEP}
# For lines that came with a ledger from elsewhere.
FILL_UNFINISHED = """INSERT INTO unfinished
    SELECT release, dataset, min(sequence), bool_or(kind = 'draw') FROM event
    WHERE release IS NOT NULL AND kind <> 'inspect'
    GROUP BY release, dataset HAVING NOT bool_or(kind IN ('settle', 'refund', 'stop'))"""


def tables(schema: str) -> list[str]:
    """What holds the lines."""
    made = []
    for table, columns in TABLES.items():
        listed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        made.append(f'CREATE TABLE "{schema}".{table} ({listed})')
    return [
        f'CREATE SCHEMA "{schema}"',
        f'SET LOCAL search_path = pg_catalog, "{schema}"',
        *made,
        f"INSERT INTO format VALUES ({FORMAT})",  # noqa: S608  a number of ours
    ]


def rules(schema: str) -> list[str]:
    """What is put around the lines, once those that came from elsewhere are in."""
    named = [_index(name) for name in INDEXES]
    named += (_function(schema, name) for name in FUNCTIONS)
    for name, text in TRIGGERS.items():
        named.append(f"CREATE TRIGGER {name} {text}")
        # Also in a session that says it applies what was written elsewhere.
        named.append(f"ALTER TABLE event ENABLE ALWAYS TRIGGER {name}")
    return named


def _index(name: str) -> str:
    return f"CREATE {INDEXES[name].format(name=name)}"


def _function(schema: str, name: str) -> str:
    return (
        f'CREATE OR REPLACE FUNCTION "{schema}".{name}() RETURNS trigger LANGUAGE plpgsql SECURITY '
        f'DEFINER SET search_path = pg_catalog, "{schema}", pg_temp AS '
        f"$body${FUNCTIONS[name]}$body$"
    )


# What leads to a format from the one before it, in one transaction.
MIGRATIONS: dict[int, Callable[[str], Sequence[str]]] = {
    7: lambda schema: (_index("event_returned"), _function(schema, "event_rules")),
}


def roles(schema: str) -> list[str]:
    """What each role may do; roles outlive a schema, so they may be there."""
    all_of_them = ", ".join(f'"{schema}_{duty}"' for duty in ("owner", "publisher", "auditor"))
    return [
        *(
            f'DO $do$ BEGIN CREATE ROLE "{schema}_{duty}" NOLOGIN; '
            "EXCEPTION WHEN duplicate_object THEN NULL; END $do$"
            for duty in ("owner", "publisher", "auditor")
        ),
        f'REVOKE ALL ON SCHEMA "{schema}" FROM PUBLIC',
        f'REVOKE ALL ON ALL FUNCTIONS IN SCHEMA "{schema}" FROM PUBLIC',
        f'GRANT USAGE ON SCHEMA "{schema}" TO {all_of_them}',
        *(
            f'GRANT {", ".join(actions)} ON {table} TO "{schema}_{duty}"'
            for duty, tables in RIGHTS.items()
            for table, actions in tables.items()
        ),
    ]
