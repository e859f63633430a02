"""Ledger in PostgreSQL: many at once, long histories, and a whole release over a bad network."""

from multiprocessing import get_context

import pytest

psycopg = pytest.importorskip("psycopg")

from ledger_world import ABOUT, PLAN  # noqa: E402
from postgres_ledger import made  # noqa: E402
from postgres_proxy import Proxy  # noqa: E402
from sfumato.errors import BudgetError, LedgerError  # noqa: E402
from sfumato.ledger import Ledger  # noqa: E402
from sfumato.privacy.guarantee import PureDP  # noqa: E402
from slowness import slow, slow_but_in_turn  # noqa: E402


def _last_unit(address, name, told):
    with Ledger(address) as ledger:
        try:
            ledger.reserve(f"r{name}", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
        except BudgetError:
            told.put(None)
        except LedgerError as error:
            told.put(str(error))
        else:
            told.put(name)


@pytest.mark.parametrize("processes", [3, slow(8)])
def test_of_many_that_race_for_the_last_unit_one_wins(people, address, schema, processes):
    made(people, address, epsilon=1)
    context = get_context("fork")
    told = context.Queue()
    crowd = [
        context.Process(
            target=_last_unit, args=(people.url(("paul", "pia")[k % 2], schema), k, told)
        )
        for k in range(processes)
    ]
    for one in crowd:
        one.start()
    won = [told.get(timeout=60) for _ in crowd]
    for one in crowd:
        one.join()
    assert sum(name is not None for name in won) == 1
    with Ledger(address) as ledger:
        ledger.verify()
        assert ledger.balance("adult").spent.micro_epsilon == 1_000_000


def test_who_opens_while_others_charge_takes_it_for_no_older_copy(people, address, schema):
    from sfumato.ledger.postgres.backend import LedgerDatabase

    made(people, address)
    whole = LedgerDatabase.check_rules

    def slowly(self):
        whole(self)
        if not done:  # what this one sees is settled; another charges, and notes it
            done.append(self)
            with Ledger(people.url("pia", schema)) as other:
                other.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT)

    done = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LedgerDatabase, "check_rules", slowly)
        with Ledger(people.url("paul", schema)) as ledger:
            assert ledger.entry("r").state == "reserved"
    assert done


# Statements that a step of a release asks, with figures that are there.
ASKED = {
    "last line": "SELECT * FROM event ORDER BY sequence DESC LIMIT 1",
    "balance": "SELECT * FROM event WHERE dataset = 'adult' AND sequence <= 4611686018427387904 "
    "ORDER BY sequence DESC LIMIT 1",
    "balance of one that is seldom used": "SELECT * FROM event WHERE dataset = 'seldom' AND "
    "sequence <= 4611686018427387904 ORDER BY sequence DESC LIMIT 1",
    "steps": "SELECT * FROM event WHERE release = 'r7' AND kind <> 'inspect' AND "
    "sequence + 0 <= 4611686018427387904",
    "checkpoint": "SELECT * FROM event WHERE kind = 'checkpoint' AND (sequence + 0 <= 999 OR "
    "who = 'paul') ORDER BY sequence DESC LIMIT 1",
    "grant": "SELECT * FROM event WHERE dataset = 'adult' AND kind IN ('grant', 'approve') "
    "AND sequence <= 4611686018427387904 ORDER BY sequence DESC LIMIT 1",
    "joined": "SELECT other FROM event WHERE kind = 'same-data' AND dataset = 'adult' AND "
    "sequence <= 4611686018427387904 UNION SELECT dataset FROM event WHERE other = 'adult' AND "
    "kind = 'same-data' AND sequence <= 4611686018427387904",
    "parts": "SELECT count(*) FROM event WHERE other = 'r7' AND kind = 'part' AND "
    "sequence <= 4611686018427387904",
    "names": "SELECT dataset FROM event WHERE fingerprint = 'f7' AND sequence + 0 <= 999999999999",
    "key": "SELECT * FROM event WHERE kind IN ('create', 'new-key') ORDER BY sequence DESC LIMIT 1",
    "rule of steps": "SELECT 1 FROM event WHERE release = 'r7' AND dataset || '' = 'adult' AND "
    "kind <> 'inspect' AND (kind = CASE WHEN 'draw' IN ('settle', 'stop') THEN 'draw' ELSE "
    "'reserve' END OR 'draw' = 'draw' AND kind = 'part')",
    "rule of uses": "SELECT 1 FROM event WHERE other = 'r7' AND kind = 'use'",
    "rule of inspections": "SELECT 1 FROM event WHERE release = 'r7' AND dataset || '' = 'adult' "
    "AND kind = 'settle'",
}


@pytest.fixture(scope="module")
def long(people, tmp_path_factory):
    """A history of many lines, as the planner sees it; its content is of no matter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("keys")))
        made(people, people.url("maker", "long"))
        with people.raw("owner", "long") as raw:
            raw.execute("ALTER TABLE event DISABLE TRIGGER ALL")
            raw.execute(
                "INSERT INTO event SELECT n, (ARRAY['reserve', 'draw', 'settle'])[1 + n % 3], "
                "CASE WHEN n = 5 THEN 'seldom' WHEN n % 2 = 0 THEN 'adult' ELSE 'd' || n % 500 END,"
                "'r' || n / 3, CASE WHEN n % 3 = 1 THEN 'f' || n END, NULL, NULL, 0, 1, 0, 0, 1, 0,"
                "0, 1, 0, 0, 1, 0, 0, 'rows', NULL, 'ann', '{}', 1, 'n', 'p', 'h' || n "
                "FROM generate_series(3, 30000) n"
            )
            yield raw
        people.clear("long")


@pytest.mark.parametrize("analysed", [False, True])
@pytest.mark.parametrize("query", slow_but_in_turn(5, ASKED.values()), ids=ASKED)
def test_no_question_of_a_step_reads_as_much_as_the_history_is_long(long, query, analysed):
    long.execute("BEGIN")
    if analysed:
        long.execute("ANALYZE event")
    for mode in ("force_custom_plan", "force_generic_plan"):
        long.execute(f"SET LOCAL plan_cache_mode = {mode}")
        plan = long.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}").fetchone()[0][0]["Plan"]
        assert read_by(plan) < 50, plan
    long.execute("ROLLBACK")


def test_the_measure_notices_a_plan_that_reads_all(long):
    query = "SELECT count(*) FROM event WHERE clock = 1"
    plan = long.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}").fetchone()[0][0]["Plan"]
    assert read_by(plan) > 25_000


def read_by(plan):
    rows = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    return max([rows * plan["Actual Loops"], *map(read_by, plan.get("Plans", ()))])


@pytest.mark.parametrize("how", ["answer", slow("commit"), slow("late")])
@pytest.mark.parametrize("skip", [1, slow(0), slow(2), slow(3)])
def test_a_release_is_published_once_whatever_the_network_loses(
    people, ledger_server, address, schema, tmp_path, how, skip
):
    import pandas as pd

    import sfumato as sf

    made(people, address)
    proxy = Proxy(ledger_server)
    try:
        proxy.how, proxy.skip, proxy.delay = how, skip, 0.3
        data = pd.DataFrame({"a": ["x", "y"] * 500})
        (tmp_path / "schema.yaml").write_text(
            "name: adult\nneighbours: replace-one\n"
            "columns:\n  a: {kind: category, values: [x, y], other: z}\n"
        )

        def publish():
            with people.raw() as raw:
                raw.execute(f"GRANT {schema}_owner TO paul")
            return sf.publish(
                data,
                schema=tmp_path / "schema.yaml",
                epsilon=1,
                ledger=proxy.url(people.url("paul", schema)),
                release="r",
                folder=tmp_path / "out",
            )

        try:
            publish()
        except LedgerError:
            publish()
        assert proxy.lost == 1
    finally:
        proxy.close()
    with Ledger(people.url("aude", schema)) as ledger:
        ledger.verify()
        assert ledger.entry("r").state == "released"
        assert ledger.balance("adult").spent.micro_epsilon == 1_000_000
