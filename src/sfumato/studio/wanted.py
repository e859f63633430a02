"""What a budget lacks for a release that somebody has in mind: from typed figures and the ledger.

>>> from sfumato.privacy.budget import Charge
>>> lacking({"epsilon": "2", "delta": "1e-9"}, Charge(micro_epsilon=500_000))
{'epsilon': '1.5', 'delta': '1e-9'}
>>> lacking({"epsilon": "0.5"}, Charge(micro_epsilon=500_000)), lacking({"epsilon": "a lot"})
({}, {})
"""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from sfumato.errors import ParameterError
from sfumato.ledger.amount import NOTHING, missing
from sfumato.privacy.budget import Charge, budget, charge
from sfumato.studio.choice import Choice

__all__ = ["lacking", "named_in", "said_by"]

_UNITS = ("epsilon", "delta", "rho")


def lacking(wanted: Mapping[str, str], left: Charge = NOTHING) -> dict[str, str]:
    """What is to be granted, unit by unit, in decimals; nothing where no budget was typed."""
    try:
        needed = charge(budget(**{unit: wanted.get(unit) or None for unit in _UNITS}))
    except ParameterError:
        return {}
    spelled = missing(left, needed).spelled()
    return (
        {} if spelled == NOTHING.spelled() else dict(one.split(" ") for one in spelled.split(", "))
    )


def named_in(address: str) -> dict[str, str]:
    """The budget that stands in the address of a promise."""
    typed = dict(parse_qsl(address.partition("?")[2], max_num_fields=20))
    return {unit: typed[unit].replace(",", ".") for unit in _UNITS if typed.get(unit)}


def said_by(choice: Choice | None) -> dict[str, str]:
    """The budget that was chosen for the review."""
    if choice is None:
        return {}
    return {unit: figure for unit in _UNITS if (figure := getattr(choice, unit))}
