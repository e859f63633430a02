"""The durable budget ledger: what may be spent on a data set, and what was."""

from sfumato.ledger.chain import Balance
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.rules import Entry

__all__ = ["Balance", "Entry", "Ledger"]
