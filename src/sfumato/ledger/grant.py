"""What an owner grants: a budget as a person states it, in whole units of the ledger."""

from math import floor

from sfumato.errors import ParameterError
from sfumato.ledger.amount import NOTHING, covers, plus
from sfumato.ledger.chain import LIMIT, Balance
from sfumato.ledger.rules import TOO_MUCH
from sfumato.privacy.budget import Charge
from sfumato.privacy.budget import budget as stated_budget
from sfumato.privacy.guarantee import (
    ZCDP,
    ApproxDP,
    Guarantee,
    Heuristic,
    Number,
    PureDP,
    exact,
)

__all__ = ["below_limit", "grantable", "granted_budget"]


def granted_budget(
    budget: Guarantee | None,
    heuristic: bool,
    *,
    epsilon: Number | None,
    delta: Number | None,
    rho: Number | None,
) -> Guarantee | Charge:
    """The budget that was given, or stated; with `heuristic` there may be none.

    Delta alone is no guarantee: it stands beside epsilon that was granted before.

    >>> granted_budget(None, False, epsilon=2, delta=None, rho=None)
    PureDP(epsilon=Fraction(2, 1))
    >>> granted_budget(None, False, epsilon=None, delta="1e-9", rho=None)
    Charge(micro_epsilon=0, pico_delta=1000, micro_rho=0)
    """
    said = (epsilon, delta, rho) != (None, None, None)
    if budget is not None:
        if said:
            raise ParameterError("give either a guarantee, or epsilon, delta or rho, not both")
        return budget
    if heuristic and not said:
        return Heuristic("allowed by a grant")
    if delta is not None and epsilon is None and rho is None:
        return Charge(0, floor(exact("delta", delta, below=1) * 10**12))
    return stated_budget(epsilon=epsilon, delta=delta, rho=rho)


def grantable(budget: Guarantee | Charge, *, heuristic: bool, balance: Balance) -> Charge:
    """The units of a grant, rounded down: an owner never grants more than was said."""
    match budget:
        case Charge():  # delta alone
            amount, needed = budget, (0, 1, 0)
        case ApproxDP(epsilon=epsilon, delta=delta):
            amount, needed = Charge(floor(epsilon * 10**6), floor(delta * 10**12)), (1, 1, 0)
        case PureDP(epsilon=epsilon):
            amount, needed = Charge(floor(epsilon * 10**6)), (1, 0, 0)
        case ZCDP(rho=rho):
            amount, needed = Charge(micro_rho=floor(rho * 10**6)), (0, 0, 1)
        case Heuristic() if heuristic:
            amount, needed = NOTHING, (0, 0, 0)
        case _:
            raise ParameterError(
                "budget must be PureDP, ApproxDP or ZCDP, or Heuristic together with heuristic=True"
            )
    if not covers(amount, Charge(*needed)):
        raise ParameterError(
            "budget must reach one ledger unit: epsilon and rho 0.000001, delta 0.000000000001"
        )
    below_limit(amount, balance)
    return amount


def below_limit(amount: Charge, balance: Balance) -> None:
    """Refuse a grant that would lead to more than the ledger can count."""
    if not covers(Charge(LIMIT - 1, LIMIT - 1, LIMIT - 1), plus(balance.granted, amount)):
        raise ParameterError(TOO_MUCH)
