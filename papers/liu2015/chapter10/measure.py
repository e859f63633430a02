"""Table 10.1, and what averaging groups of noise gives away; all of it exact."""

from papers.outcome import Outcome, Outcomes
from sfumato.accuracy.laplace_sum import LaplaceSum
from sfumato.accuracy.small_values import averaged, laplace_shares

__all__ = ["EPSILON", "GROUPS", "NEAR", "TERMS", "who", "work_out"]

GROUPS = (1, 10, 100, 1000)
TERMS, EPSILON = 10, 1.0  # 1/p bits in a group
NEAR = 0.1  # c/10, with c = 1


def who(groups: int) -> str:
    """The name of a mean over so many groups."""
    return "1 group" if groups == 1 else f"{groups} groups"


def work_out(found: Outcomes) -> None:
    """Every number of the chapter."""
    for row in laplace_shares():
        for what, value in (("inside", row.inside), ("beyond", row.beyond)):
            found.add(Outcome("table 10.1", f"c = {row.c:g}", row.epsilon, 0, what, value))
    for groups in GROUPS:
        made = averaged(groups, TERMS, EPSILON)
        noise = LaplaceSum.alike(groups * TERMS, 1 / (groups * EPSILON))
        for what, value in (
            ("deviation", made.deviation),
            ("told apart", made.told_apart),
            ("loss", made.loss),
            ("within c/10", 1 - 2 * noise.at_least(NEAR)),
        ):
            found.add(Outcome("section 10.1", who(groups), EPSILON, 0, what, value))
