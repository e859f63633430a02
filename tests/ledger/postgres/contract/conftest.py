"""Where the ledgers of these tests lie: in a database whose clock a test may set."""

import pytest

from ledger_elsewhere import PLACES, as_told
from postgres_ledger import Roles

# Their own clock for those who say nothing, and for the others what they say.
_CLOCK = (
    "CREATE FUNCTION pg_catalog.this_clock() RETURNS timestamptz LANGUAGE internal VOLATILE "
    "AS 'clock_timestamp'",
    "CREATE OR REPLACE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql "
    "VOLATILE AS $$ SELECT coalesce(to_timestamp(nullif(current_setting('tests.now', true), '')"
    "::float8), this_clock()) $$",
)


@pytest.fixture(scope="session")
def elsewhere(people):
    with people.raw() as raw:
        raw.execute("CREATE DATABASE elsewhere")
        raw.execute("GRANT CREATE ON DATABASE elsewhere TO maker")
        for name in ("anna", "bert"):
            raw.execute(f"CREATE ROLE {name} LOGIN")
    there = Roles(people.server, "elsewhere")
    with there.raw() as raw:
        for statement in _CLOCK:
            raw.execute(statement)
    return there


@pytest.fixture(autouse=True)
def places(elsewhere, monkeypatch):
    PLACES.people = elsewhere
    as_told(monkeypatch)
    yield
    PLACES.clear()


# One or a few of each kind, which every change runs; of the others each makes ledgers of its own.
QUICK = (
    "test_a_stop_leaves_the_first_step_charged_and_nothing_else",
    "test_a_reservation_is_charged_and_survives_reopening",
    "test_what_clients_use_together_is_charged_to_the_data_set_once",
    "test_clients_get_back_what_they_used_of_a_release_that_is_refunded",
    "test_what_one_asks_for_and_another_approves_is_granted_once[one person]",
    "test_a_budget_is_spent_to_the_end_of_its_last_day_and_not_a_second_longer",
    "test_an_export_for_an_auditor_is_audited_to_the_same_head",
    "test_every_inspection_is_a_line_of_the_chain_and_costs_nothing",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    here = [item for item in items if item.path.parent.name == "contract"]
    # What is long for a file already, such as thousands of charges, says nothing more here.
    longer = {item for item in here if _is_slow_case(item)}
    items[:] = [item for item in items if item not in longer]
    for item in here:
        if item.name not in QUICK:
            item.add_marker(pytest.mark.slow)


def _is_slow_case(item):
    return hasattr(item, "callspec") and any(mark.name == "slow" for mark in item.callspec.marks)
