"""NOT PRIVATE: methods side by side on the owner's records; and a choice that is private.

`compare` runs every method that fits a schema at several budgets and scores its releases
beside the records, for the owner's eyes.  Publishing by the method that scored best gives
something away that no budget has paid for.  `choose_method` pays: it picks a method by a score of
bounded sensitivity and tells nothing but the name (`docs/proofs/private-choice.md`).
"""

from sfumato.inspection.compare.comparison import Comparison, compare
from sfumato.inspection.compare.private_choice import PrivateChoice, choose_method

__all__ = ["Comparison", "PrivateChoice", "choose_method", "compare"]
