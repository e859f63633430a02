"""What tests/ledger/test_ledger_model.py says of a ledger in a file, of one in PostgreSQL."""

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from ledger_elsewhere import in_postgres

MODEL = in_postgres("test_ledger_model")


class DatabaseMachine(MODEL["LedgerMachine"]):
    """The same histories, but that no file beside the ledger is lost."""

    lose_the_key = None


def test_any_history_in_a_database_agrees_with_the_model():
    few = settings(max_examples=6, stateful_step_count=25)
    run_state_machine_as_test(DatabaseMachine, settings=few)
