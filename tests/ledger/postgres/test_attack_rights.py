"""Ledger in PostgreSQL: what each database role may do with SQL of its own, and may not."""

from tempfile import TemporaryDirectory

import pytest

psycopg = pytest.importorskip("psycopg")

from postgres_ledger import insert, made, reserve_by_hand  # noqa: E402
from sfumato.errors import LedgerError  # noqa: E402
from sfumato.ledger import Ledger  # noqa: E402
from slowness import slow, slow_but, slow_but_in_turn  # noqa: E402

REFUSED = (
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.CheckViolation,
    psycopg.errors.UndefinedObject,
)
CHANGES = [
    "UPDATE event SET spent_micro_epsilon = 0",
    "UPDATE event SET granted_micro_epsilon = 99000000 WHERE kind = 'grant'",
    "DELETE FROM event WHERE sequence = (SELECT max(sequence) FROM event)",
    "INSERT INTO event SELECT * FROM event WHERE sequence = 1 ON CONFLICT (sequence) "
    "DO UPDATE SET spent_micro_epsilon = 0",
    "TRUNCATE event",
    "TRUNCATE event, unfinished CASCADE",
    "DROP TABLE event",
    "DROP TRIGGER event_rules ON event",
    "DROP FUNCTION event_rules() CASCADE",
    "DROP INDEX event_step",
    "ALTER TABLE event DISABLE TRIGGER event_rules",
    "ALTER TABLE event DISABLE TRIGGER ALL",
    "ALTER TABLE event DROP COLUMN hash",
    "ALTER TABLE event RENAME TO other",
    "ALTER TABLE event SET UNLOGGED",
    "ALTER TABLE event OWNER TO CURRENT_USER",
    "ALTER FUNCTION event_rules() SECURITY INVOKER",
    "CREATE OR REPLACE FUNCTION event_rules() RETURNS trigger LANGUAGE plpgsql "
    "AS 'BEGIN RETURN NEW; END'",
    "CREATE TRIGGER mine BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION event_kept()",
    "CREATE RULE mine AS ON INSERT TO event DO INSTEAD NOTHING",
    "CREATE INDEX mine ON event (clock)",
    "CREATE TABLE {schema}.mine (one integer)",
    "CREATE FUNCTION {schema}.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "CREATE TEMPORARY TABLE mine () INHERITS (event)",
    "ALTER SCHEMA {schema} RENAME TO mine",
    "GRANT UPDATE ON event TO CURRENT_USER",
    "BEGIN; LOCK TABLE event IN ACCESS EXCLUSIVE MODE",
    "INSERT INTO unfinished VALUES ('r', 'adult', 2, false)",
    "UPDATE unfinished SET drawn = false",
    "DELETE FROM unfinished",
    "UPDATE format SET version = 5",
    "DELETE FROM format",
    "INSERT INTO format VALUES (8)",
    "INSERT INTO turn VALUES (1)",
    "DELETE FROM turn",
    "TRUNCATE turn",
    "SET ROLE {schema}_owner",
    "SET ROLE maker",
    "SET SESSION AUTHORIZATION maker",
    "SET session_replication_role = replica",
    "SELECT set_config('session_replication_role', 'replica', false)",
    "GRANT {schema}_owner TO CURRENT_USER",
    "ALTER ROLE {schema}_publisher SUPERUSER",
    "ALTER SYSTEM SET fsync = off",
    "COPY event TO PROGRAM 'true'",
]


@pytest.fixture(scope="module")
def standing(people):
    """A ledger that stands through all that is tried on it, and its schema."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setenv("XDG_DATA_HOME", folder)
        made(people, people.url("maker", "standing"))
        yield "standing"
        people.clear("standing")


@pytest.mark.parametrize("statement", slow_but_in_turn(10, CHANGES))
def test_nobody_but_the_maker_changes_lines_rules_or_rights(people, standing, statement):
    names = ("paul", "ann", "aude")
    if statement.startswith(("SET ROLE {schema}_owner", "GRANT {schema}_owner")):
        names = ("paul", "aude")  # it is the owner's own
    for name in names:
        with people.raw(name, standing) as raw:
            warned = []
            raw.add_notice_handler(lambda said, warned=warned: warned.append(said.sqlstate))
            try:
                raw.execute(statement.format(schema=standing))
            except REFUSED:
                continue
            assert warned == ["01007"], f"{name} may do this"  # nothing was granted
    with Ledger(people.url("aude", standing)) as ledger:
        assert ledger.verify() == ledger.head
        assert ledger.balance("adult").granted.micro_epsilon == 3_000_000


def test_not_even_the_maker_removes_a_line_by_accident(people, address, schema):
    made(people, address)
    with people.raw("maker", schema) as raw:
        for statement in CHANGES[:6]:
            with pytest.raises(psycopg.errors.CheckViolation):
                raw.execute(statement)


@pytest.mark.parametrize("table", slow_but(["event"], ["event", "unfinished", "format", "turn"]))
def test_somebody_without_a_role_sees_nothing(people, address, schema, table):
    made(people, address)
    with people.raw("nobody_here", schema) as raw:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute(f"SELECT * FROM {schema}.{table}")
        with pytest.raises(psycopg.errors.Error):
            raw.execute(f"SELECT {schema}.event_rules()")
    with pytest.raises(LedgerError, match=r"no ledger here.*GRANT t\d+_publisher TO nobody_here"):
        Ledger(people.url("nobody_here", schema))


def test_an_auditor_reads_all_and_writes_nothing(people, address, schema):
    made(people, address)
    with people.raw("aude", schema) as raw:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            insert(raw, reserve_by_hand(raw))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute("BEGIN; LOCK TABLE turn IN EXCLUSIVE MODE")
    with Ledger(people.url("aude", schema)) as ledger:
        assert len(ledger.history()) == 2
        with pytest.raises(LedgerError, match="the database role aude may not do this"):
            ledger.inspect("adult", what="a look")
        owner, publisher = f"{schema}_owner", f"{schema}_publisher"
        rule = (
            rf"to grant it needs the role {owner} \(GRANT {owner} TO aude\), to publish {publisher}"
        )
        with pytest.raises(LedgerError, match=rule):
            ledger.grant("adult", epsilon=1, reason="alone")


def test_an_owner_does_not_spend_and_a_publisher_does_not_grant(people, address, schema):
    made(people, address)
    with people.raw("ann", schema) as raw:  # noqa: SIM117
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="_publisher"):
            insert(raw, reserve_by_hand(raw))
    with people.raw("paul", schema) as raw:
        insert(raw, reserve_by_hand(raw))  # the control: the same line by one who may


@pytest.mark.parametrize(
    "shadow",
    slow_but_in_turn(
        3,
        [
            "CREATE TEMPORARY TABLE event (LIKE {schema}.event)",
            "CREATE TEMPORARY TABLE unfinished (LIKE {schema}.unfinished)",
            "CREATE FUNCTION pg_temp.pg_has_role(name, text, text) RETURNS boolean LANGUAGE sql "
            "AS 'SELECT true'",
            "CREATE FUNCTION pg_temp.strpos(text, text) RETURNS integer LANGUAGE sql AS 'SELECT 0'",
            "CREATE DOMAIN pg_temp.text AS pg_catalog.text",
            "CREATE DOMAIN pg_temp.jsonb AS pg_catalog.text",
        ],
    ),
)
@pytest.mark.parametrize(
    "path", ["pg_temp, {schema}", slow("pg_temp, pg_catalog, {schema}"), slow("{schema}")]
)
def test_what_stands_before_it_in_the_path_does_not_deceive_the_server(
    people, address, schema, shadow, path
):
    made(people, address)
    with people.raw("paul", schema) as raw:
        good = reserve_by_hand(raw)
        grant = good._replace(kind="grant", release=None, protects=None)
        too_much = good._replace(spent_micro_epsilon=0)
        raw.execute(shadow.format(schema=schema))
        raw.execute(f"SET search_path = {path.format(schema=schema)}")
        values = ", ".join(["%s"] * (len(good) + 1))
        for line in (grant, too_much):
            with pytest.raises(REFUSED):
                raw.execute(f"INSERT INTO {schema}.event VALUES ({values})", (*line, "0" * 64))
        settings = "SET plpgsql.extra_errors = 'all'; SET transform_null_equals = on; "
        raw.execute(settings + "SET enable_indexscan = off; SET row_security = off")
        with pytest.raises(REFUSED):
            raw.execute(f"INSERT INTO {schema}.event VALUES ({values})", (*too_much, "0" * 64))


def test_rules_hold_where_a_session_applies_what_was_written_elsewhere(people, address, schema):
    made(people, address)
    with people.raw("owner", schema) as raw:  # as one whom a superuser let set this
        raw.execute("SET session_replication_role = replica")
        for statement in CHANGES[:3]:
            with pytest.raises(psycopg.errors.CheckViolation):
                raw.execute(statement)
        with pytest.raises(psycopg.errors.CheckViolation):
            insert(raw, reserve_by_hand(raw), spent_micro_epsilon=0)
