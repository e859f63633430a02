"""One budget for all releases of a table, and what happens when it is spent.

    python examples/shared_budget.py

The charge is on disk before a record is encoded.  A release that would go beyond the grant is
refused; a reservation whose noise was never drawn can be given back, on the record.
"""
# ruff: noqa: T201  an example shows what happened

from pathlib import Path
from tempfile import TemporaryDirectory

import sfumato as sf


def main():
    """Two releases from a budget of 2, a third refused, and the history checked."""
    schema, patients = sf.Schema.parse(sf.example.CLINIC), sf.example.clinic(1_000)
    with TemporaryDirectory() as place, sf.Ledger.create(Path(place) / "budget.db") as ledger:
        ledger.grant("clinic", epsilon=2, reason="the data board, 4 May")
        for name, epsilon in (("spring", 0.5), ("summer", 1), ("autumn", 1)):
            try:
                sf.publish(patients, schema=schema, epsilon=epsilon, ledger=ledger, release=name)
            except sf.BudgetError as error:
                print(f"refused: {str(error).split(':')[0]}")
            else:
                left = ledger.balance("clinic").left
                print(f"{name} published at epsilon {epsilon}: {left} left")
        print("the history is whole:", ledger.verify() == ledger.head)


if __name__ == "__main__":
    main()
