"""Ledger in PostgreSQL: whatever was changed of its rules is noticed at the next opening."""

import pytest

pytest.importorskip("psycopg")

from postgres_ledger import made
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from slowness import slow_but_in_turn

DAMAGES = {
    "a table without a log": ("tables", "ALTER TABLE event SET UNLOGGED"),
    "a row policy": (
        "tables",
        "ALTER TABLE event ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON event USING (true)",
    ),
    "row security alone": ("tables", "ALTER TABLE event FORCE ROW LEVEL SECURITY"),
    "a rule": ("tables", "CREATE RULE r AS ON INSERT TO event DO INSTEAD NOTHING"),
    "a rule on the table beside": ("tables", "CREATE RULE r AS ON DELETE TO unfinished DO NOTHING"),
    "a child": ("tables", "CREATE TABLE child () INHERITS (event)"),
    "a parent": ("tables", "CREATE TABLE parent (); ALTER TABLE event INHERIT parent"),
    "a view of the name": (
        "tables",
        "ALTER TABLE event RENAME TO was; CREATE VIEW event AS SELECT * FROM was; "
        "GRANT SELECT ON event TO {schema}_auditor",
    ),
    "another owner": ("tables", "ALTER TABLE event OWNER TO paul"),
    "a role of the ledger as owner": (
        "tables",
        "ALTER TABLE event OWNER TO {schema}_publisher",
    ),
    "a publisher who is the owner": ("tables", "GRANT maker TO {schema}_publisher"),
    "a column more": ("columns", "ALTER TABLE event ADD COLUMN more text"),
    "a column less": ("columns", "ALTER TABLE event DROP COLUMN veil CASCADE"),
    "a column of another type": ("columns", "ALTER TABLE event ALTER clock TYPE numeric"),
    "a column that may be empty": ("columns", "ALTER TABLE event ALTER nonce DROP NOT NULL"),
    "a column with a default": ("columns", "ALTER TABLE event ALTER detail SET DEFAULT '{{}}'"),
    "a column in another order of letters": (
        "columns",
        'ALTER TABLE event ALTER dataset TYPE text COLLATE "default"',
    ),
    "a hash that may come twice": (
        "what must be unique",
        "ALTER TABLE event DROP CONSTRAINT event_hash_key",
    ),
    "a number that may come twice": (
        "what must be unique",
        "ALTER TABLE event DROP CONSTRAINT event_pkey",
    ),
    "one that is only checked at the end": (
        "what must be unique",
        "ALTER TABLE event DROP CONSTRAINT event_pkey, ADD CONSTRAINT event_pkey "
        "PRIMARY KEY (sequence) DEFERRABLE INITIALLY DEFERRED",
    ),
    "a release that may be under way twice": (
        "what must be unique",
        "ALTER TABLE unfinished DROP CONSTRAINT unfinished_pkey",
    ),
    "a check more": ("what must be unique", "ALTER TABLE event ADD CHECK (clock > 0)"),
    "a function more": (
        "functions",
        "CREATE FUNCTION more() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    ),
    "a function that lets all pass": (
        "functions",
        "CREATE OR REPLACE FUNCTION event_rules() RETURNS trigger LANGUAGE plpgsql SECURITY "
        "DEFINER SET search_path = pg_catalog, {schema}, pg_temp AS 'BEGIN RETURN NEW; END'",
    ),
    "a function with the rights of who calls": (
        "functions",
        "ALTER FUNCTION event_rules() SECURITY INVOKER",
    ),
    "a function with another path": (
        "functions",
        "ALTER FUNCTION event_rules() SET search_path = {schema}, pg_catalog, pg_temp",
    ),
    "a function without a path": ("functions", "ALTER FUNCTION event_rules() RESET ALL"),
    "a function that sees an older state": ("functions", "ALTER FUNCTION event_rules() STABLE"),
    "a function of another": ("functions", "ALTER FUNCTION event_rules() OWNER TO paul"),
    "an operator": (
        "functions",
        "CREATE OPERATOR {schema}.=== (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq)",
    ),
    "another index": ("indexes", "CREATE INDEX more ON event (clock)"),
    "a trigger on the table beside": (
        "triggers",
        "CREATE TRIGGER t BEFORE INSERT ON unfinished FOR EACH ROW EXECUTE FUNCTION event_kept()",
    ),
    "a trigger with a condition": (
        "triggers",
        "DROP TRIGGER event_kept ON event; CREATE TRIGGER event_kept BEFORE DELETE OR UPDATE ON "
        "event FOR EACH ROW WHEN (OLD.kind = 'grant') EXECUTE FUNCTION event_kept(); "
        "ALTER TABLE event ENABLE ALWAYS TRIGGER event_kept",
    ),
    "a step that may come twice": (
        "indexes",
        "DROP INDEX event_step; CREATE INDEX event_step ON event (release, (CASE kind WHEN "
        "'reserve' THEN 1 WHEN 'part' THEN 1 WHEN 'settle' THEN 3 WHEN 'stop' THEN 3 ELSE 2 END)) "
        "WHERE release IS NOT NULL AND kind <> 'inspect'",
    ),
    "an index of fewer lines": (
        "indexes",
        "DROP INDEX event_checkpoint; CREATE INDEX event_checkpoint ON event (sequence) "
        "WHERE kind = 'checkpoint' AND sequence > 9",
    ),
    "an answer that may come twice": (
        "indexes",
        "DROP INDEX event_answer; CREATE UNIQUE INDEX event_answer ON event (other, sequence) "
        "WHERE kind IN ('approve', 'decline')",
    ),
    "a right to change lines": ("rights", "GRANT UPDATE ON event TO {schema}_publisher"),
    "a right to change a column": ("rights", "GRANT UPDATE (detail) ON event TO {schema}_owner"),
    "a right to empty": ("rights", "GRANT TRUNCATE ON event TO nobody_here"),
    "a right to add triggers": ("rights", "GRANT TRIGGER ON event TO {schema}_publisher"),
    "a right of everybody": ("rights", "GRANT SELECT ON event TO PUBLIC"),
    "a right to pass on": (
        "rights",
        "GRANT INSERT ON event TO {schema}_publisher WITH GRANT OPTION",
    ),
    "an auditor who writes": ("rights", "GRANT INSERT ON event TO {schema}_auditor"),
    "a right to say what is under way": ("rights", "GRANT DELETE ON unfinished TO ann"),
    "a right to say the format": ("rights", "GRANT UPDATE ON format TO {schema}_publisher"),
    "a right to make things beside": ("rights", "GRANT CREATE ON SCHEMA {schema} TO PUBLIC"),
    "two formats": ("does not say its format once", "INSERT INTO format VALUES (6)"),
    "a format of long ago": ("says a format that never was", "UPDATE format SET version = 5"),
    "a format below all": ("says a format that never was", "UPDATE format SET version = -1"),
    "no format": ("does not say its format once", "DELETE FROM format"),
    **{
        f"no trigger {name}": ("triggers", f"DROP TRIGGER {name} ON event")
        for name in ("event_rules", "event_unfinished", "event_kept", "event_not_emptied")
    },
    **{
        f"the trigger {name} {word}": ("triggers", f"ALTER TABLE event {word} TRIGGER {name}")
        for name in ("event_rules", "event_unfinished", "event_kept", "event_not_emptied")
        for word in ("DISABLE", "ENABLE REPLICA", "ENABLE")
    },
    **{
        f"no index {name}": ("indexes", f"DROP INDEX {name}")
        for name in (
            *("event_dataset", "event_step", "event_fingerprint", "event_other", "event_joined"),
            *("event_inspect", "event_checkpoint", "event_key", "event_grant", "event_request"),
            *("event_client", "event_answer", "unfinished_dataset"),
        )
    },
}
KEPT = {
    "somebody who copies the database": "GRANT SELECT ON event TO nobody_here; "
    "GRANT USAGE ON SCHEMA {schema} TO nobody_here",
    "a view for a report": "CREATE VIEW report AS SELECT dataset FROM event",
    "figures for the planner": "ANALYZE event",
    "indexes made again": "REINDEX TABLE event",
    "a rule that is gone": "CREATE RULE r AS ON INSERT TO event DO NOTHING; DROP RULE r ON event",
}


@pytest.fixture(scope="module")
def standing(people, tmp_path_factory):
    """A ledger and its schema; what is changed of it is taken back each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("keys")))
        address = people.url("maker", "structure")
        made(people, address)
        yield address, "structure"
        people.clear("structure")


def changed(people, address, schema, statements):
    """Check the rules as an opening does, with the change there; then take it back."""
    from sfumato.ledger.postgres.address import LedgerAddress
    from sfumato.ledger.postgres.connection import DatabaseConnection, connected
    from sfumato.ledger.postgres.structure import known_format, require_rules

    place = LedgerAddress.of(address.replace("//maker@", "//owner@"))
    raw = connected(place)
    try:
        raw.execute("SET ROLE maker; BEGIN; RESET ROLE")
        raw.execute(f"SET LOCAL search_path = {schema}; SET LOCAL ROLE maker")
        if any(word in statements for word in ("OWNER TO", "GRANT maker", "POLICY", "ON FUNCTION")):
            raw.execute("SET LOCAL ROLE owner")
        raw.execute(statements.format(schema=schema))
        raw.execute(f"RESET ROLE; SET LOCAL search_path = pg_catalog, {schema}, pg_temp")
        connection = DatabaseConnection(raw)
        known_format(connection, place)
        require_rules(connection, place)
        raw.execute("ROLLBACK")
    finally:
        raw.close()


@pytest.mark.parametrize(
    ("what", "statements"), slow_but_in_turn(16, DAMAGES.values()), ids=DAMAGES
)
def test_a_changed_rule_is_noticed(people, standing, what, statements):
    with pytest.raises(LedgerError, match=rf"is damaged: .*{what}"):
        changed(people, *standing, statements)


@pytest.mark.parametrize("statements", slow_but_in_turn(3, KEPT.values()), ids=KEPT)
def test_what_changes_no_rule_does_no_harm(people, standing, statements):
    changed(people, *standing, statements)


def test_opening_and_verifying_look_at_the_rules(people, address, schema):
    made(people, address)
    with Ledger(address) as opened:
        with people.raw("maker", schema) as raw:
            raw.execute("ALTER TABLE event DISABLE TRIGGER event_kept")
        with pytest.raises(LedgerError, match="is damaged: the triggers changed"):
            opened.verify()
    with pytest.raises(LedgerError, match="is damaged: the triggers changed"):
        Ledger(people.url("aude", schema))


def test_a_schema_named_like_a_word_of_the_language_is_taken(people):
    address = people.url("maker", "user")
    try:
        with Ledger.create(address) as ledger:
            assert ledger.verify() == ledger.head
    finally:
        with people.raw() as raw:
            raw.execute('DROP SCHEMA IF EXISTS "user" CASCADE')
