"""Facts that an earlier release bought must be counted where the table is charged.

The ledger holds of each release its data set, its price and a digest of its plan.  So it tells that
a release of this table was charged at the stated price, and it tells most releases of
records from an estimate: they count first how well records fit, or use a part of the table, or
belong to a series.  That the release bought these very facts, only its own folder shows.
"""

from sfumato.errors import ParameterError
from sfumato.ledger import Ledger
from sfumato.schema import Schema

__all__ = ["check_estimated"]


def check_estimated(schema: Schema, ledger: Ledger) -> None:
    """Refuse a schema whose estimates this ledger does not hold, at the price that it states."""
    for name, paid in schema.bought.items():
        entry = ledger.entry(name)
        if entry is None or entry.state != "released" or entry.dataset != schema.name:
            raise ParameterError(
                f"the schema rests on ranges or values that release {name!r} bought, and this "
                f"ledger holds no such release of {schema.name}: charge the ledger that has it, "
                "or buy them again (sfumato schema estimate --ledger …)"
            )
        if entry.part is not None or entry.table_part is not None or entry.first is not None:
            raise ParameterError(
                f"the schema says that release {name!r} bought ranges or values, and the ledger "
                "holds it as a release of something else: restore the schema as it was written"
            )
        if entry.guarantee != paid.price:
            raise ParameterError(
                f"the schema says that release {name!r} cost {paid.price}, and the ledger charged "
                f"{entry.guarantee}: restore the schema as it was written"
            )
